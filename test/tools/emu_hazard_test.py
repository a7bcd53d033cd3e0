# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Holds the hazard checker of the emulator against LLVM's hazard recogniser.

    emu_hazard_test.py --llvm-bin DIR --fmhac PATH [--keep DIR] [TEXT]

llc gets every pair of emu_hazard_cases.py as machine IR and fills in the s_nop that it
holds to be missing. Their number must be the one that the pair names. With as many states
as are required the emulator must find nothing, and with one state less the rule that the
pair names. Where llc fills in fewer than are required, what it wrote must be found short by
just so many. A pair that names no rule is clean with any number. In random sequences of the
same instructions, with what llc fills in, nothing is found but what llc is known to leave
out, which must be found. What llc does not let overlap its result, overlaps.def must not,
and the other way round, but for what llc is known to leave out.
With TEXT only the pairs with TEXT in their rule or text.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from emu_hazard_cases import (LAST_OF_20, LEFT_OUT_ANYWHERE, MAY_OVERLAP_IN_LLC,  # noqa: E402
                              all_cases, left_out, writers)
from emu_program import FOOTER, HEADER, parse_arguments  # noqa: E402
from emu_test import TIMEOUT_SECONDS, Broken, tool  # noqa: E402


def straight(producer, consumer):
    lines = (producer + "\n" + consumer + "\nS_ENDPGM 0").split("\n")
    return "\n".join(["  bb.0:"] + ["    " + line for line in lines])


def through_llc(bodies, options, workdir):
    """The assembly of each body of blocks with the s_nop that LLVM holds to be missing."""
    mir, asm = os.path.join(workdir, "pairs.mir"), os.path.join(workdir, "pairs.s")
    head = ["--- |", '  target triple = "amdgcn-amd-amdhsa"']
    head += [f"  define amdgpu_kernel void @pair{i}() {{ ret void }}" for i in range(len(bodies))]
    text = ["..."]
    for i, body in enumerate(bodies):
        text += ["---", f"name: pair{i}", "body: |", body, "..."]
    with open(mir, "w") as f:
        f.write("\n".join(head + text) + "\n")
    tool([os.path.join(options.llvm_bin, "llc"), "-mtriple=amdgcn-amd-amdhsa", "-mcpu=gfx950",
          "-start-before=post-RA-hazard-rec", mir, "-o", asm])
    with open(asm) as f:
        text = f.read()
    found = []
    for i, body in enumerate(bodies):
        m = re.search(rf"^pair{i}:.*?; %bb\.0:\n(.*?)\ts_endpgm", text, re.S | re.M)
        if not m:
            raise Broken(f"llc left out pair {i}: {body}")
        found.append(m.group(1))
    return found


def compiled(cases, options, workdir):
    """Of each case: (instructions before the last, states of the s_nop, the last)."""
    found = []
    for text in through_llc([straight(c[-2], c[-1]) for c in cases], options, workdir):
        lines = [line.strip() for line in text.split("\n") if line.strip()]
        nops = [line for line in lines if line.startswith("s_nop")]
        rest = [line for line in lines if not line.startswith("s_nop")]
        states = sum(int(line.split()[1]) + 1 for line in nops)
        found.append((rest[:-1], states, rest[-1]))
    return found


def nops(states):
    text = []
    while states > 0:
        text.append(f"  s_nop {min(states, 16) - 1}")
        states -= 16
    return text


FINDINGS_A_RUN = 100  # the emulator keeps no more


def program(pairs, states):
    """The pairs that `states` numbers after each other, with so many states between them, too far
    apart to meet. No lane is active, so that no access happens."""
    lines = ["  s_mov_b64 exec, 0"]
    for i in sorted(states):
        producers, _, consumer = pairs[i]
        lines += nops(32) + ["  s_set_gpr_idx_off", "  s_mov_b32 m0, 0", "  s_mov_b32 s0, 0"]
        lines += nops(32) + [f"  {p}" for p in producers[:-1]]
        lines += [f"p{i}:", f"  {producers[-1]}"] + nops(states[i])
        lines += [f"c{i}:", f"  {consumer}"]
    return HEADER + "\n".join(lines) + "\n" + FOOTER % {"lds": 0, "ieee": 1}


def llvm_rules():
    """Names of wait_states.def that LLVM has, too."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "..", "isa", "rules", "wait_states.def")) as f:
        text = f.read()
    rows = re.findall(r'^HAZARD\(\w+,\s*"([^"]+)",.*?((?:ALL|PASSES)\(.*?\)),'
                      r'\s*(?:OLD|LATE|NONE),\s*"([^"]+)"', text, re.M)
    if len(rows) != len(re.findall(r"^HAZARD\(", text, re.M)) or not rows:
        raise Broken("wait_states.def has rows that this test does not understand")
    # the emulator refuses s_rfe
    return {name for name, states, llvm in rows
            if llvm != "-" and states != "ALL(0)" and name != "trapsts-rfe"}


def check_left_out(options, workdir):
    """What is wrong about the places that llc leaves too close."""
    wrong = []
    cases = left_out()
    texts = through_llc([body for _, _, _, body in cases], options, workdir)
    for i, (rule, states, required, _) in enumerate(cases):
        text = HEADER + texts[i] + FOOTER % {"lds": 0, "ieee": 1}
        messages = findings(text, options, workdir, "left_out").get(None, [])
        s = "" if states == 1 else "s"
        if not (len(messages) == 1 and f" {states} wait state{s} after" in messages[0]
                and f"; {required} are required ({rule}" in messages[0]):
            wrong.append(f"what llc leaves out, {i}: expected {rule} with {states} of {required}, "
                         f"found {messages}")
    return wrong


def must_lie_apart():
    """[(how a name begins, the longest result that may overlap)] of overlaps.def."""
    here = os.path.dirname(os.path.abspath(__file__))
    with open(os.path.join(here, "..", "..", "isa", "rules", "overlaps.def")) as f:
        return [(m.group(1), int(m.group(2)))
                for m in re.finditer(r'^OVERLAP\("(\w+)",\s*(\d+),', f.read(), re.M)]


def check_overlaps(options, workdir):
    """Where overlaps.def and llc disagree about results that overlap sources."""
    rows, wrong, left = must_lie_apart(), [], 0
    cases = writers()
    mir = os.path.join(workdir, "apart.mir")
    text = ["--- |", '  target triple = "amdgcn-amd-amdhsa"']
    text += [f"  define amdgpu_kernel void @f{i}() {{ ret void }}" for i in range(len(cases))]
    text += ["..."]
    for i, (_, _, instruction) in enumerate(cases):
        text += ["---", f"name: f{i}", "body: |", straight(instruction, "S_NOP 0"), "..."]
    with open(mir, "w") as f:
        f.write("\n".join(text) + "\n")
    tool([os.path.join(options.llvm_bin, "llc"), "-mtriple=amdgcn-amd-amdhsa", "-mcpu=gfx950",
          "-run-pass=none", mir, "-o", mir + ".out"])
    with open(mir + ".out") as f:
        printed = f.read()
    for opcode, registers, _ in cases:
        name = opcode.lower()
        limit = next((n for begins, n in rows if name.startswith(begins)), None)
        wanted = limit is not None and registers > limit
        said = re.search(rf"early-clobber \S+ = {opcode} ", printed) is not None
        known = any(re.match(pattern, opcode) for pattern in MAY_OVERLAP_IN_LLC)
        left += known and wanted and not said
        if f" = {opcode} " not in printed or known and said or wanted != (said or known):
            wrong.append(f"{opcode}: llc {'keeps' if said else 'does not keep'} the result "
                         f"apart, overlaps.def {'does' if wanted else 'does not'}")
    print(f"{len(cases)} instructions, {sum(n is not None for _, n in rows)} rows of "
          f"overlaps.def, {left} instructions that llc leaves out")
    return wrong


SEQUENCES, SEQUENCE_LENGTH = 24, 400


def known_gap(message):
    """The rule that llc is known to leave short in this way, or None."""
    if re.search(LAST_OF_20, message):
        return "the last of 20"
    states = int(re.search(r" (\d+) wait states? after", message).group(1))
    for rule, pattern, filled in LEFT_OUT_ANYWHERE:
        if (re.search(rf"\({rule}[,)]", message) and re.search(pattern, message)
                and states >= filled):
            return rule
    return None


def check_sequences(options, workdir):
    """What is found in random sequences that llc has been through, and should not be, or not
    found and should be."""
    lines = sorted({line for *_, p, c in all_cases() for line in (p + "\n" + c).split("\n")})
    matrix = [line for line in lines if "MFMA" in line]
    other = [line for line in lines if "MFMA" not in line]
    wrong, gaps = [], dict.fromkeys([rule for rule, _, _ in LEFT_OUT_ANYWHERE], 0)
    for seed in range(SEQUENCES):
        draw = random.Random(seed)
        share = draw.choice((0.1, 0.25, 0.5))
        body = ["  bb.0:"]
        body += ["    " + draw.choice(matrix if draw.random() < share else other)
                 for _ in range(SEQUENCE_LENGTH)] + ["    S_ENDPGM 0"]
        text = through_llc(["\n".join(body)], options, workdir)[0]
        text = (HEADER + "  s_mov_b64 exec, 0\n  s_mov_b32 s0, 0\n" + text
                + FOOTER % {"lds": 0, "ieee": 1})
        messages = sum(findings(text, options, workdir, "sequence").values(), [])
        if len(messages) >= FINDINGS_A_RUN:
            wrong.append(f"in sequence {seed}: {len(messages)} findings, there may be more")
        for message in messages:
            gap = known_gap(message)
            gaps[gap] = gaps.get(gap, 0) + 1
            if gap is None:
                wrong.append(f"in sequence {seed}: {message}")
    print("llc leaves short in random sequences: "
          + ", ".join(f"{gap} {n}" for gap, n in gaps.items() if gap))
    return wrong + [f"no sequence breaks {gap}" for gap, n in gaps.items() if n == 0]


def findings(text, options, workdir, name):
    """{case: [findings]} of a program; None: between two cases."""
    path = os.path.join(workdir, name)
    with open(path + ".s", "w") as f:
        f.write(text)
    tool([os.path.join(options.llvm_bin, "llvm-mc"), "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx950",
          "-filetype=obj", path + ".s", "-o", path + ".o"])
    tool([os.path.join(options.llvm_bin, "ld.lld"), "-shared", path + ".o", "-o", path + ".hsaco"])
    symbols = subprocess.run([os.path.join(options.llvm_bin, "llvm-nm"), path + ".o"],
                             stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout
    place = {m.group(2): int(m.group(1), 16)
             for m in re.finditer(r"^([0-9a-f]+) t ([pc]\d+)$", symbols, re.M)}
    case_of = {(place["p" + n[1:]], at): int(n[1:]) for n, at in place.items() if n[0] == "c"}
    buffers = {"io": {"bytes": 256, "fill": 0}}
    launch = {"code_object": name + ".hsaco", "kernel": "test_kernel", "grid": [1, 1, 1],
              "block": [64, 1, 1], "buffers": buffers, "kernarg_bytes": 16,
              "kernarg": [{"offset": 0, "buffer": "io"}, {"offset": 8, "buffer": "io"}]}
    with open(path + ".json", "w") as f:
        json.dump(launch, f)
    done = subprocess.run([options.fmhac, "emu", path + ".json", "--check=hazard", "--json"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=TIMEOUT_SECONDS)
    if done.returncode not in (0, 1):
        raise Broken("the emulator did not run the program: "
                     + done.stderr.decode("utf-8", "replace")[:4000])
    result = {}
    for f in json.loads(done.stdout)["findings"]:
        result.setdefault(case_of.get((f["other_pc"], f["pc"])), []).append(f["message"])
    return result


def of_pairs(pairs, states, options, workdir):
    """{pair: [findings]} with `states` (pair → number) between them, in as many runs as it
    takes to keep all findings."""
    found, order = {}, sorted(states)
    for at in range(0, len(order), FINDINGS_A_RUN):
        part = {i: states[i] for i in order[at:at + FINDINGS_A_RUN]}
        for i, messages in findings(program(pairs, part), options, workdir, "pairs").items():
            found.setdefault(i, []).extend(messages)
    return found


def clean(cases, pairs, states, what, options, workdir):
    found = of_pairs(pairs, states, options, workdir)
    return [f"{what} ({'between two pairs' if i is None else cases[i][0]}): {m}"
            for i, messages in found.items() for m in messages]


def too_near(cases, pairs, states, what, options, workdir):
    """What is wrong about pairs that must each be one finding."""
    found = of_pairs(pairs, states, options, workdir)
    wrong = [f"between two pairs: {m}" for m in found.pop(None, [])]
    for i, n in states.items():
        rule, _, required, _, _ = cases[i]
        messages = found.get(i, [])
        s = "" if n == 1 else "s"
        if not (len(messages) == 1 and re.search(rf"\({rule}[,)]", messages[0])
                and f"; {required} " in messages[0]
                and f" {n} wait state{s} after" in messages[0]):
            wrong.append(f"{pairs[i]}, {what}: expected one finding of {rule} with {n} of "
                         f"{required}, found {messages}")
    return wrong


def run(options, workdir):
    cases = [c for c in all_cases()
             if not options.text or any(options.text in str(part) for part in c)]
    every_rule = {rule for rule, *_ in cases}
    cases = options.slice.of(cases)
    if not cases:
        raise Broken(f"no pair has '{options.text}'")
    pairs = compiled(cases, options, workdir)
    wrong = []
    for i, (rule, filled, _, _, _) in enumerate(cases):
        if pairs[i][1] != filled:
            wrong.append(f"{pairs[i]}: llc fills in {pairs[i][1]} states, expected {filled} "
                         f"({rule})")
    rules = [i for i, case in enumerate(cases) if case[0]]
    short = [i for i in rules if cases[i][1] < cases[i][2]]
    wrong += clean(cases, pairs, {i: max(case[1], case[2]) for i, case in enumerate(cases)},
                   "with the states required", options, workdir)
    wrong += clean(cases, pairs, {i: max(case[1] - 1, 0) for i, case in enumerate(cases)
                                  if not case[0]}, "no rule, one state short", options, workdir)
    wrong += too_near(cases, pairs, {i: cases[i][1] for i in short}, "as llc wrote it", options,
                      workdir)
    wrong += too_near(cases, pairs, {i: cases[i][2] - 1 for i in rules}, "one state short",
                      options, workdir)
    if not options.text:
        wrong += check_left_out(options, workdir) + check_sequences(options, workdir)
        wrong += check_overlaps(options, workdir)
    counted = {}
    for rule, _, required, _, _ in cases:
        if rule:
            counted.setdefault(rule, set()).add(required)
    if not options.text:
        wrong += [f"no pair has the rule {rule}" for rule in llvm_rules() - every_rule]
    for rule in sorted(counted):
        print(f"{rule}: {', '.join(str(n) for n in sorted(counted[rule]))}")
    print(f"{len(cases)} pairs, {len(rules)} of them with wait states, {len(short)} of these short "
          f"in llc, {len(counted)} rules")
    for line in wrong[:40]:
        print(line)
    if len(wrong) > 40:
        print(f"and {len(wrong) - 40} more")
    return 1 if wrong else 0


def main():
    options = parse_arguments(__doc__)
    workdir = options.keep or tempfile.mkdtemp(prefix="emu-hazard-")
    os.makedirs(workdir, exist_ok=True)
    try:
        return run(options, workdir)
    except Broken as error:
        print(f"error: {error}")
        return 2
    finally:
        if not options.keep:
            shutil.rmtree(workdir, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
