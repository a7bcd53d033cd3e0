# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the checkers say of many kernels: kinds of findings, tables, JSON."""

import json
import re

# (column, text that the kind of such a finding begins with)
COLUMNS = [("mem", "mem"), ("sync", "sync"), ("wait", "wait"),
           ("race in LDS", "race LDS"), ("race in memory", "race memory"),
           ("init of registers", "init register"), ("init of LDS", "init LDS"),
           ("init of memory", "init memory")]


def kind_of(finding):
    """What a finding is of, as finely as it matters for what a kernel may get away
    with: a wait by its counter; a race by whose access was outstanding at the barrier,
    if one was; a hazard by its rule in wait_states.def."""
    check, message = finding["check"], finding["message"]
    if check == "hazard":
        return "hazard " + re.search(r"required \(([a-z0-9-]+)", message)[1]
    if check == "wait":
        return "wait " + re.search(r"s_waitcnt ([a-z]+)\(", message)[1]
    if check == "race":
        if "nothing orders two workgroups" in message:
            return "race memory, workgroups"
        if "LDS byte" not in message:
            return "race memory, waves"
        held = re.search(r"; `([^`]*)` was issued before that epoch", message)
        if not held:
            return "race LDS, same epoch"
        if is_copy(held[1]):
            return "race LDS, copy over a barrier"
        what = "read" if held[1].startswith("ds_read") else "write"
        return f"race LDS, {what} over a barrier"
    if check == "init":
        if "LDS address" in message:
            return "init LDS"
        return "init memory" if " bytes, of which " in message else "init register"
    return check


def is_copy(instruction):
    """Whether it loads from memory direct to LDS."""
    return instruction.endswith(" lds") or "_load_lds_" in instruction


def symbol_of(finding):
    return re.match(r"(?:kernel )?([^,]*),", finding["message"])[1]


def pc_text(pc):
    return "-" if pc is None else f"0x{pc:x}"


class Findings:
    """Distinct places, each a kind and the one or two instructions that it names, of
    many runs."""

    def __init__(self):
        self.kernels = {}  # (family, kernel) -> {"shapes": [], "places": {key: place}}

    def add(self, family, kernel, shape, findings):
        entry = self.kernels.setdefault((family, kernel), {"shapes": [], "places": {}})
        entry["shapes"].append(shape)
        for f in findings:
            key = (symbol_of(f), kind_of(f), f.get("pc"), f.get("other_pc"))
            place = entry["places"].setdefault(key, {
                "symbol": key[0], "kind": key[1], "pc": f.get("pc"),
                "instruction": f.get("instruction") or "", "other_pc": f.get("other_pc"),
                "other_instruction": f.get("other_instruction") or "",
                "message": f["message"], "shapes": [], "count": 0})
            place["shapes"].append(shape)
            place["count"] += f["count"]

    def write(self, path):
        rows = [{"family": family, "kernel": kernel, "shapes": entry["shapes"],
                 "findings": list(entry["places"].values())}
                for (family, kernel), entry in self.kernels.items()]
        with open(path, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
            file.write("\n")

    def families(self):
        return list(dict.fromkeys(family for family, _ in self.kernels))

    def count(self, family, begin):
        """Kernels with places whose kind begins so, and those places."""
        places = [sum(p["kind"].startswith(begin) for p in entry["places"].values())
                  for (f, _), entry in self.kernels.items() if f == family]
        return f"{sum(n > 0 for n in places)} / {sum(places)}" if any(places) else "0"

    def table(self):
        """Markdown: a row a family, kernels / places in a cell."""
        rules = sorted({p["kind"] for e in self.kernels.values()
                        for p in e["places"].values() if p["kind"].startswith("hazard ")})
        lines = ["| family | kernels | " + " | ".join(name for name, _ in COLUMNS)
                 + " | hazard, by rule of `wait_states.def` |",
                 "|---|---:|" + "---:|" * len(COLUMNS) + "---|"]
        for family in self.families():
            kernels = sum(f == family for f, _ in self.kernels)
            cells = [self.count(family, begin) for _, begin in COLUMNS]
            hazards = [(rule.split()[1], self.count(family, rule)) for rule in rules]
            cells.append(", ".join(f"{rule} {n}" for rule, n in hazards if n != "0") or "0")
            lines.append(f"| {family} | {kernels} | " + " | ".join(cells) + " |")
        return "\n".join(lines)

    def races_and_waits(self):
        """A line a kernel, kind and pair of mnemonics: how many places, and the first."""
        lines = []
        for (family, kernel), entry in self.kernels.items():
            groups = {}
            for place in entry["places"].values():
                if place["kind"].startswith(("race", "wait")):
                    key = (place["kind"], mnemonic(place["instruction"]),
                           mnemonic(place["other_instruction"]))
                    groups.setdefault(key, []).append(place)
            if groups:
                lines.append(f"{family} {kernel}")
            for (kind, *_), places in sorted(groups.items()):
                p = min(places, key=lambda p: p["pc"])
                lines.append(f"    {kind}: {len(places)} places, first "
                             f"{pc_text(p['pc'])} `{p['instruction']}` and "
                             f"{pc_text(p['other_pc'])} `{p['other_instruction']}`")
        return "\n".join(lines)


def mnemonic(instruction):
    return instruction.split(" ")[0] + (" lds" if instruction.endswith(" lds") else "")
