# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of large.py: the bytes of a small problem, placed where other strides,
starts of sequences and bases say."""
import bisect
import collections
import json
import os
import re
import struct
import subprocess
import sys

import axes
import axis_files
import rows

ABI = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "lib", "abi",
                   "fmhac_abi.def")
CARRY = 1 << 32
# Rows of a workgroup; rows and keys count as multiples of it in the launcher's proof.
TILE = 128
OUTPUTS = ("o", "lse")
# Buffers of each launch of a case: 256 GiB apart, each at a multiple of 4 GiB.
NAMES = ("q", "k", "v", "o", "lse", "bias", "alibi_slopes", "sink", "cu_seqlens_q",
         "cu_seqlens_kv", "seqlens_q", "seqlens_kv")
HOMES = {name: (i + 4) << 38 for i, name in enumerate(NAMES)}
# Parts of a tensor closer than this share a buffer.
GAP_BYTES = 4096

# strides, bases: what differs, by kernel argument. starts: of the sequences, "q" and
# "kv". rows: Sq and Sk of a problem of which only the last workgroup of a head runs.
# lost: what is thought to lose carries, "address" or "offset".
Case = collections.namedtuple("Case", "title strides bases starts rows lost",
                              defaults=({}, {}, None, None, "address"))


def fail(title, text):
    sys.exit(f"FAIL: {title}: {text}")


def round_up(value, step):
    return -(-value // step) * step


def read_abi():
    """(name, struct code) of the kernel arguments by offset."""
    codes, fields, at = {"u32": "I", "f32": "f", "u64": "Q", "ptr": "Q"}, {}, 0
    with open(ABI, encoding="ascii") as file:
        for kind, name in re.findall(r"^FMHAC_ARG\((\w+), (\w+),", file.read(), re.M):
            at = round_up(at, struct.calcsize(codes[kind]))
            fields[at] = name, codes[kind]
            at += struct.calcsize(codes[kind])
    return fields


def linear_grid(fmhac, row, folder):
    """Flags of the schedule that serves, but with workgroups at the places of what they
    compute: some launches here run only some of them."""
    name = ("generic_fp8" if row["dtype"] == "fp8" else
            "generic" if max(map(int, row["head"].split("/"))) <= 128 else "generic_wide")
    text = subprocess.run([fmhac, "list", "--print-schedule", name], check=True,
                          capture_output=True, text=True).stdout
    order = "grid = longest_first"
    if order not in text:
        fail(name, f"no {order} to replace")
    path = os.path.join(folder, "linear.mlir")
    with open(path, "w", encoding="ascii") as file:
        file.write(text.replace(order, "grid = linear"))
    return ["--schedule", path]


class Small:
    """A problem of ordinary size, run and compared; its arguments and bytes.

    `row` is of axes.py. `lengths` of sequences, packed or padded, replace its own."""

    def __init__(self, fmhac, abi, folder, row, lengths):
        self.fmhac, self.abi, self.folder = fmhac, abi, folder
        flags = axes.arguments(row, folder) + linear_grid(fmhac, row, folder)
        self.lengths = lengths
        self.starts = {}
        for side, used in (lengths or {}).items():
            kind = row[f"{side}_len"]
            name = "cu-seqlens" if kind == "varlen" else "seqlens"
            axis_files.write_lengths(os.path.join(folder, f"{name}-{side}.npy"), kind,
                                     used)
            if kind == "varlen":
                self.starts[side] = [sum(used[:i]) for i in range(len(used) + 1)]
        path = {n: os.path.join(folder, n + ".npy") for n in OUTPUTS}
        problem, command, _, stderr = rows.execute(
            [fmhac, "run", "--json", "--threads=1", *flags, "--o", path["o"],
             "--lse-out", path["lse"], "--save-launch", folder])
        if problem:
            fail(problem, f"{' '.join(command)}\n{stderr}")
        self.expected = {n: axis_files.read_npy(path[n]) for n in OUTPUTS}
        with open(os.path.join(folder, "LAUNCH.json"), encoding="utf-8") as file:
            self.launch = json.load(file)
        self.code_object = os.path.join(folder, self.launch["code_object"])
        self.args = collections.defaultdict(int)
        for entry in self.launch["kernarg"]:
            self.args[abi[entry["offset"]][0]] = next(
                v for k, v in entry.items() if k != "offset")
        if self.launch["grid"][0] != round_up(self.args["seqlen_q"], TILE) // TILE:
            fail("the launch", f"a workgroup has not {TILE} rows: {self.launch['grid']}")
        self.content = {}
        for name, buffer in self.launch["buffers"].items():
            with open(os.path.join(folder, buffer["file"]), "rb") as file:
                self.content[name] = file.read()
        dqk, dv = map(int, row["head"].split("/"))
        o_bytes = len(self.expected["o"]) // len(self.expected["lse"]) * 4
        a, size = self.args, 1 if row["dtype"] == "fp8" else 2
        self.units = {"q": dqk * size, "k": dqk * size, "v": dv * size, "o": o_bytes, "lse": 4,
                      "bias": a["seqlen_kv"] * 4, "alibi_slopes": a["heads_q"] * 4}

    def strides(self, name, strides):
        """Bytes between batches, heads and rows of a tensor."""
        short = name.removesuffix("_slopes")
        found = {**self.args, **strides}
        return [found.get(f"{short}_{axis}_stride", 0) for axis in
                ("batch", "head", "row")]

    def places(self, name, strides, starts, shift, first):
        """Byte offsets of the units of a tensor, in an order that is always the same.
        `shift`: rows and keys before those of the small problem. `first`: the first
        row that is written."""
        a = self.args
        if name not in self.units:
            return [0]
        batch_step, head_step, row_step = self.strides(name, strides)
        if name == "alibi_slopes":
            return [b * batch_step for b in range(a["batch"])]
        side = "kv" if name in ("k", "v") else "q"
        row_step = 4 if name == "lse" else row_step
        heads = a["heads_kv" if side == "kv" else "heads_q"]
        offsets = []
        for b in range(a["batch"]):
            begin, count = b * batch_step + shift[side] * row_step, a[f"seqlen_{side}"]
            if starts and name != "bias":
                begin, count = starts[side][b] * row_step, self.lengths[side][b]
            begin += shift["kv"] * 4 if name == "bias" else 0
            begin_row = first if name in OUTPUTS else 0
            offsets += [begin + h * head_step + r * row_step
                        for h in range(heads) for r in range(begin_row, count)]
        return offsets


class Large:
    """A case: where the bytes of a small problem lie in it."""

    def __init__(self, small, case, folder):
        self.small, self.case, self.folder = small, case, folder
        self.placed, self.expected = {}, {}
        self.bases = {**HOMES, **case.bases}
        a = small.args
        self.sizes = {s: a[f"seqlen_{s}"] for s in ("q", "kv")}
        self.content = dict(small.content) | small.expected
        self.grid, self.workgroups = list(small.launch["grid"]), None
        nowhere, first = {"q": 0, "kv": 0}, 0
        shift = nowhere
        if case.rows:
            first = self.sizes["q"] - TILE
            shift = {s: case.rows[s] - self.sizes[s] for s in case.rows}
            self.sizes = case.rows
            self.grid[0] = case.rows["q"] // TILE
            self.choose(self.grid[0] - 1, range(a["batch"]))
        if case.starts:
            for side, starts in case.starts.items():
                self.sizes[side] = max(y - x for x, y in zip(starts, starts[1:]))
                self.content[f"cu_seqlens_{side}"] = struct.pack(
                    f"<{len(starts)}i", *starts)
            self.grid[0] = round_up(self.sizes["q"], TILE) // TILE
            # Those that are there have no more rows than a workgroup.
            self.choose(0, [b for b, n in enumerate(small.lengths["q"]) if n])
        self.args = {**a, **case.strides, "seqlen_q": self.sizes["q"],
                     "seqlen_kv": self.sizes["kv"]}
        self.parts = {}
        for name, content in small.content.items():
            unit = small.units.get(name, len(content))
            before = small.places(name, {}, small.starts, nowhere, first)
            after = small.places(name, case.strides, case.starts or small.starts, shift,
                                 first)
            self.parts[name] = [(s, self.bases[name] + l, unit)
                                for s, l in zip(before, after)]
        self.check_proof()

    def choose(self, x, batches):
        """Runs one workgroup of each head of these batches only."""
        self.workgroups = [[x, h, b] for h in range(self.grid[1]) for b in batches]

    def check_proof(self):
        """The launcher proves offsets within a slice to be below 2^32."""
        for name in ("q", "k", "v", "o", "bias"):
            row_step = self.small.strides(name, self.case.strides)[2]
            size = self.sizes["kv" if name in ("k", "v") else "q"]
            unit = self.small.units[name]
            if name == "bias":
                unit = round_up(self.sizes["kv"], TILE) * 4
            if round_up(size, TILE) * row_step + unit > CARRY - 1:
                fail(self.case.title, f"the launcher would refuse this {name}")

    def lose(self, name, address):
        """Where a part would be without the multiples of 2^32 that reach it."""
        base = self.bases[name]
        if self.case.lost == "offset":
            return base + (address - base) % CARRY
        return base // CARRY * CARRY + address % CARRY

    def crosses(self, name):
        return any(self.lose(name, a + n - 1) != a + n - 1 for _, a, n in
                   self.parts[name])

    def poison(self, name):
        """(first, end) of what must make no difference: where an address would be
        without some multiples of 2^32, and keys past those of a row of the bias."""
        if name in OUTPUTS:
            return []
        base = self.bases[name]
        spans = {(a - k * CARRY, a + n - k * CARRY) for _, a, n in self.parts[name]
                 for k in range(1, (a - base) // CARRY + 2)}
        if name == "bias":
            row_step = self.small.strides(name, self.case.strides)[2]
            keys_bytes = round_up(self.sizes["kv"], TILE) * 4
            begins = {a for _, a, _ in self.parts[name]}
            spans |= {(a, a + min(keys_bytes, row_step)) for a in begins
                      if a + row_step in begins}
        return sorted(spans)

    def moved(self, name):
        """The parts of a tensor, those beyond 2^32 where a lost carry leads."""
        moved = []
        for small, address, size in self.parts[name]:
            while size:
                n = min(size, CARRY - address % CARRY)
                if self.case.lost == "offset":
                    n = min(n, CARRY - (address - self.bases[name]) % CARRY)
                moved.append((small, self.lose(name, address), n))
                small, address, size = small + n, address + n, size - n
        return moved

    def place(self, name, is_moved):
        """Buffers of a tensor, of which outputs have the bytes expected of them."""
        parts, poison, mark = self.parts[name], self.poison(name), ""
        if is_moved:
            mark = "moved "
            if name not in OUTPUTS:
                poison += [(a, a + n) for _, a, n in parts]
            parts = self.moved(name)
        buffers = {}
        for base, data in build(parts, poison, self.content[name]):
            label = f"{mark}{name} {base:x}"
            buffer = buffers[label] = {"bytes": len(data), "base": hex(base)}
            if name in OUTPUTS or data.count(0xff) == len(data):
                buffer["fill"] = 0xff
            else:
                buffer["file"] = label
                with open(os.path.join(self.folder, label), "wb") as file:
                    file.write(data)
            if name in OUTPUTS:
                buffer["out"] = label
                self.expected[label] = data
        return buffers

    def run(self, moved=None):
        """None if all is well, or what is wrong; with the tensor `moved` where a lost
        carry leads."""
        if not self.placed:
            self.placed = {name: self.place(name, False) for name in self.parts}
        buffers = {}
        for name, placed in self.placed.items():
            buffers |= self.place(name, True) if name == moved else placed
        path = os.path.join(self.folder, "LAUNCH.json")
        self.write_launch(path, buffers)
        # A damaged kernel may not end by itself.
        result = subprocess.run(
            [self.small.fmhac, "emu", "--threads=1", "--max-instructions=10000000", path],
            capture_output=True, text=True)
        if result.returncode != 0:
            return f"exit code {result.returncode}\n{result.stderr[:2000]}"
        for label in (label for label, buffer in buffers.items() if "out" in buffer):
            with open(os.path.join(self.folder, label), "rb") as file:
                if file.read() != self.expected[label]:
                    return f"other bytes in {label}"
        return None

    def write_launch(self, path, buffers):
        kernarg = b""
        for offset, (name, code) in self.small.abi.items():
            kernarg = kernarg.ljust(offset, b"\0")
            value = self.args.get(name, 0)
            if name in self.parts:
                value = self.bases[name]
            kernarg += struct.pack("<" + code, value)
        with open(path + ".kernarg", "wb") as file:
            file.write(kernarg)
        launch = {key: self.small.launch[key] for key in ("kernel", "block")}
        launch |= {"grid": self.grid, "buffers": buffers,
                   "kernarg_file": path + ".kernarg",
                   "code_object": self.small.code_object}
        if self.workgroups:
            launch["workgroups"] = self.workgroups
        with open(path, "w", encoding="ascii") as file:
            json.dump(launch, file)


def build(parts, poison, content):
    """(base, bytes) of the buffers that hold the parts; all else in them is NaN."""
    spans = []
    for first, end in sorted([(a, a + n) for _, a, n in parts] + poison):
        if spans and first <= spans[-1][1] + GAP_BYTES:
            spans[-1][1] = max(spans[-1][1], end)
        else:
            spans.append([first, end])
    bases = [first for first, _ in spans]
    images = [bytearray(b"\xff") * (end - first) for first, end in spans]
    for small, address, size in parts:
        i = bisect.bisect_right(bases, address) - 1
        at = address - bases[i]
        images[i][at:at + size] = content[small:small + size]
    return zip(bases, images)
