# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fmhac trace --compare: figures of two runs side by side.

  compare.py --fmhac FILE --llvm-bin DIR

Expected values are counted in compare.s by hand, or follow from documents. An MFMA of
32x32x16 has 8 matrix passes (CDNA4 ISA 7.6) of 4 cycles, and a vector instruction takes 4 cycles,
a transcendental one 8 (docs/timing.md).
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

DONE, CHECK, USAGE = range(3)
MATRIX_CYCLES, VALU_CYCLES, TRANS_CYCLES = 32, 4, 8
# Without it every round is like the others: the first ones run ahead until the queue is full.
NO_QUEUE = "--timing-constants=matrix_queue_entries=0"
WAVES, SIMDS, ROUNDS = 4, 4, 6
# Of the rounds of a loop, the first is not entered, and the last not left, by its jump.
TRIPS = ROUNDS - 2
CLASSES = ("mfma", "valu", "packed", "trans", "lds", "vmem", "scalar", "wait", "barrier", "other")
# Bytes: an MFMA has 8, v_add and scalar instructions have 4.
LOOP, FIRST_BYTES, SECOND_BYTES = 4, 8 + 4 * 4, 8 + 3 * 4
END = LOOP + FIRST_BYTES + SECOND_BYTES + 4
FIRST = f"{LOOP}:{LOOP + FIRST_BYTES}"
SECOND = f"{LOOP + FIRST_BYTES:#x}:{LOOP + FIRST_BYTES + SECOND_BYTES:#x}"


def classes(**counts):
    return {name: counts.get(name, 0) for name in CLASSES}


HIDDEN = classes(mfma=2, valu=4, scalar=2, other=1)  # a branch is one of the others
APART = classes(mfma=1, packed=3, trans=1, scalar=2, other=1)


class Test:
    def __init__(self, fmhac):
        self.fmhac, self.failures = os.path.abspath(fmhac), 0

    def check(self, what, ok):
        if not ok:
            self.failures += 1
            print(f"FAIL: {what}")

    def equal(self, what, found, expected):
        self.check(f"{what}: expected {expected!r:.300}, found {found!r:.300}", found == expected)

    def near(self, what, found, expected, within=1e-9):
        self.check(f"{what}: expected {expected}, found {found}", abs(found - expected) <= within)

    def run(self, code, *words):
        done = subprocess.run([self.fmhac, "trace", "--compare", *words, NO_QUEUE],
                              capture_output=True, text=True, timeout=120, check=False)
        self.equal(f"--compare {' '.join(words)}: {done.stderr[:200]}: exit code",
                   done.returncode, code)
        return done

    def compare(self, *words, code=DONE):
        return json.loads(self.run(code, *words, "--json").stdout)

    def refuse(self, expression, *words):
        """Exit code 2, one error on stderr, and the same text in the JSON."""
        done = self.run(USAGE, *words)
        what = f"--compare {' '.join(words)}"
        self.equal(f"{what}: output", done.stdout, "")
        errors = [line for line in done.stderr.splitlines() if "error:" in line]
        self.equal(f"{what}: errors", len(errors), 1)
        self.check(f"{what}: expected /{expression}/, found {done.stderr}",
                   re.search(expression, done.stderr))
        told = self.compare(*words, code=USAGE)
        self.equal(f"{what}: JSON", sorted(told), ["error", "exit_code"])
        self.check(f"{what}: JSON has another text", told["error"] in done.stderr)


def check_loops(test):
    """The two loops: what is counted, and when units work at once."""
    both = test.compare("hidden.json", "apart.json")
    test.equal("members", sorted(both), ["a", "b", "difference"])
    a, b = both["a"], both["b"]
    for side, kernel in ((a, "hidden"), (b, "apart")):
        test.equal("kernel", side["kernel"], kernel)
        test.equal("input", side["input"], kernel + ".json")
        test.equal("waves", side["waves"], WAVES)
        test.equal("pc", side["loop"]["pc"], LOOP)
        test.equal("trips", side["loop"]["trips"], TRIPS)
        test.equal("loops", [(l["pc"], l["trips"]) for l in side["loops"]], [(LOOP, TRIPS)])
        test.equal("findings", side["findings"], [])
    for side, body in ((a, HIDDEN), (b, APART)):
        test.equal("a wave", side["loop"]["wave_instructions"], body)
        test.equal("all waves", side["loop"]["workgroup_instructions"],
                   {name: WAVES * count for name, count in body.items()})
    # The matrix unit always runs: the vector instructions hide.
    matrix, vector = 2 * MATRIX_CYCLES, 4 * VALU_CYCLES
    loop = a["loop"]
    test.near("cycles", loop["cycles"], matrix)
    test.near("period", loop["period"], matrix)
    units = ("matrix_cycles", "vector_cycles", "both_cycles", "mfma_busy", "valu_busy",
             "both_busy")
    for key, value in zip(units, (matrix, vector, vector, 1, vector / matrix, vector / matrix)):
        test.near(key, loop[key], value)
    # Packed ones wait until it has ended, and so does what follows them.
    loop = b["loop"]
    matrix, vector = MATRIX_CYCLES, 3 * VALU_CYCLES + TRANS_CYCLES
    test.check(f"cycles {loop['cycles']} hide something", loop["cycles"] > matrix + vector)
    for key, value in zip(units, (matrix, vector, 0, matrix / loop["period"],
                                  vector / loop["period"], 0)):
        test.near(key, loop[key], value)
    for side in (a, b):
        for part in (side["loop"], side["workgroup"]):
            test.near("sum of causes", sum(part["causes"].values()), part["cycles"])
    # The differences are A - B.
    difference = both["difference"]["loop"]
    test.check("a difference of pcs", "pc" not in difference)
    test.near("matrix", difference["matrix_cycles"], MATRIX_CYCLES)
    test.near("busy", difference["mfma_busy"], 1 - MATRIX_CYCLES / b["loop"]["cycles"])
    test.equal("instructions", difference["wave_instructions"],
               {name: HIDDEN[name] - APART[name] for name in CLASSES})
    test.near("causes", difference["causes"]["mfma"],
              a["loop"]["causes"]["mfma"] - b["loop"]["causes"]["mfma"])


def check_workgroup(test):
    """All waves, all rounds. Each wave has a SIMD of its own."""
    both = test.compare("hidden.json", "straight.json", f"--range-a={FIRST}", "--range-b=0:4")
    group = both["a"]["workgroup"]
    # One s_mov before the loop and one s_endpgm after it.
    expected = {name: WAVES * ROUNDS * count for name, count in HIDDEN.items()}
    expected["scalar"] += WAVES
    expected["other"] += WAVES
    test.equal("instructions", group["workgroup_instructions"], expected)
    test.near("matrix", group["matrix_cycles"], ROUNDS * 2 * MATRIX_CYCLES)
    test.near("vector", group["vector_cycles"], ROUNDS * 4 * VALU_CYCLES)
    test.near("both", group["both_cycles"], ROUNDS * 4 * VALU_CYCLES)
    test.near("busy", group["mfma_busy"], group["matrix_cycles"] / group["cycles"])
    # The other commands say the same.
    done = subprocess.run([test.fmhac, "emu", "hidden.json", "--timing", "--json", NO_QUEUE],
                          capture_output=True, text=True, timeout=120, check=True)
    timed = json.loads(done.stdout)["per_workgroup"][0]
    test.equal("emu: cycles", group["cycles"], timed["cycles"])
    test.near("emu: busy", group["mfma_busy"], timed["mfma_busy"])
    for cause, cycles in timed["causes"].items():
        test.near(f"emu: {cause}", group["causes"][cause], cycles / SIMDS)
    # A side without a loop: parts are compared all the same.
    test.equal("no loop", [both[side]["loop"] is None for side in ("a", "b")], [False, True])
    test.equal("no loop in the difference", both["difference"]["loop"], None)
    test.equal("straight", both["b"]["workgroup"]["wave_instructions"],
               classes(scalar=1, trans=1, other=2))


def check_ranges(test):
    """The two halves of a round: each wave goes through both in every round, the first ones included."""
    both = test.compare("hidden.json", "hidden.json", f"--range-a=one={FIRST},two={SECOND}",
                        f"--range-b={SECOND},{FIRST}")
    one, two = both["a"]["ranges"]
    test.equal("names", [r["name"] for side in ("a", "b") for r in both[side]["ranges"]],
               ["one", "two"] * 2)
    test.equal("pcs", one["pcs"], [[LOOP, LOOP + FIRST_BYTES]])
    for part, expected in ((one, classes(mfma=1, valu=4)),
                           (two, classes(mfma=1, scalar=2, other=1))):
        test.equal("trips", part["trips"], ROUNDS)
        test.equal("waves", part["waves"], WAVES)
        test.near("period", part["period"], 2 * MATRIX_CYCLES)
        test.equal("instructions", part["wave_instructions"], expected)
        test.equal("causes", part["causes"], None)
    # The halves leave no time out. Only the first round is not like the others.
    cycles = one["cycles"] + two["cycles"]
    test.near("halves", cycles, 2 * MATRIX_CYCLES, 2 * MATRIX_CYCLES / ROUNDS)
    test.near("vector", one["vector_cycles"], 4 * VALU_CYCLES)
    test.near("vector of the second", two["vector_cycles"], 0)
    test.near("difference", both["difference"]["ranges"][0]["cycles"],
              one["cycles"] - two["cycles"])
    # The whole kernel is one trip; both MFMAs are entered each for itself.
    second = LOOP + FIRST_BYTES
    both = test.compare("hidden.json", "hidden.json", f"--range-a=0:{END}",
                        f"--range-b={LOOP}:{LOOP + 8}+{second}:{second + 8}")
    whole, matrix = both["a"]["ranges"][0], both["b"]["ranges"][0]
    test.equal("whole", (whole["trips"], whole["wave_instructions"]["mfma"]), (1, 2 * ROUNDS))
    test.equal("MFMAs", (matrix["trips"], matrix["wave_instructions"]),
               (2 * ROUNDS, classes(mfma=1)))
    # The body of a loop: a jump back to its first pc begins a trip.
    both = test.compare("hidden.json", "apart.json", f"--range-a={LOOP}:{END - 4}",
                        f"--range-b={END + 100}:{END + 104}", code=USAGE)
    both = test.compare("hidden.json", "hidden.json", f"--range-a={LOOP}:{END - 4}",
                        f"--range-b={END - 4}:{END}")
    body, last = both["a"]["ranges"][0], both["b"]["ranges"][0]
    test.equal("body", (body["trips"], body["wave_instructions"]), (ROUNDS, HIDDEN))
    test.equal("end", (last["trips"], last["period"], last["wave_instructions"]),
               (1, 0, classes(other=1)))
    # Code that is never executed: no trips, and a note.
    done = test.run(DONE, "straight.json", "straight.json", "--range-a=8:12", "--range-b=12:20")
    test.check(f"no note: {done.stderr}", "trace A: note: --range-a: the first wave issues no "
               "instruction of range 1" in done.stderr)


def check_trips(test):
    """Two trips of one are as one of the other."""
    done = test.run(DONE, "hidden.json", "twice.json")
    test.check(f"no hint: {done.stderr}", "a trip of B has 2 times the matrix cycles of one of A; "
               "--trips-a=2" in done.stderr)
    done = test.run(DONE, "twice.json", "hidden.json", "--trips-b=2")
    test.check(f"a hint: {done.stderr}", "times the matrix" not in done.stderr)
    both = test.compare("twice.json", "hidden.json", "--trips-b=2")
    test.equal("as one", (both["a"]["trips_as_one"], both["b"]["trips_as_one"]), (1, 2))
    test.equal("trips", (both["a"]["loop"]["trips"], both["b"]["loop"]["trips"]), (1, TRIPS))
    difference = both["difference"]["loop"]
    test.near("matrix", difference["matrix_cycles"], 0)
    test.near("cycles of B", both["b"]["loop"]["cycles"], 4 * MATRIX_CYCLES)
    # A counter and a branch for two rounds instead of one.
    test.equal("instructions", difference["wave_instructions"], classes(scalar=-2, other=-1))


def row(text, name, after=""):
    """The numbers of the first such row, after a line that begins with `after`."""
    lines = text[text.index("\n" + after) if after else 0:].splitlines()
    found = next(line for line in lines if line.strip().startswith(name + "  "))
    return found.replace(name, "", 1).split()


def check_table(test):
    text = test.run(DONE, "hidden.json", "apart.json", f"--range-a=all of it=0:{END}",
                    "--range-b=0:4").stdout
    test.check("no sides", re.match(r"A  hidden.json: workgroup \(0,0,0\) of hidden, 4 waves, 1 on "
                                    r"a compute unit\nB  apart.json: ", text))
    loop = "main loop, a trip"
    test.equal("head", row(text, loop), ["A", "B", "A", "-", "B"])
    test.equal("pc", row(text, "pc", loop), ["0x4", "0x4"])
    test.equal("trips", row(text, "trips", loop), [str(TRIPS)] * 2 + ["0"])
    test.equal("waves", row(text, "waves", loop), [str(WAVES)] * 2 + ["0"])
    test.equal("matrix", row(text, "matrix unit, cycles", loop), ["64", "32", "+32"])
    test.equal("both", row(text, "both at once, cycles", loop), ["16", "0", "+16"])
    test.equal("vector", row(text, "vector ALU busy, %", loop)[0], "25.0")
    test.equal("valu", row(text, "valu", loop), ["4", "0", "+4"])
    test.equal("packed", row(text, "packed", loop), ["0", "3", "-3"])
    test.equal("all", row(text, "all", loop), ["9", "8", "+1"])
    test.equal("workgroup", row(text, "mfma", "workgroup")[:2],
               [str(WAVES * ROUNDS * 2), str(WAVES * ROUNDS)])
    test.equal("range", row(text, "mfma", "all of it, a trip")[:2], [str(2 * ROUNDS), "0"])
    test.check("a class that nobody has", "vmem " not in text[text.index(loop):])


def check_inputs(test):
    """Schedules, configurations, and launch files of the same."""
    problem = {"seqlen": 256, "heads": 2}
    options = [word for key, value in problem.items() for word in (f"--{key}", str(value))]
    with open("config.json", "w", encoding="ascii") as file:
        json.dump(dict(problem, schedule="generic"), file)
    same = test.compare("generic", "config.json", *options)
    test.equal("kernels", same["a"]["kernel"], same["b"]["kernel"])
    test.check("no MFMA", same["a"]["loop"]["wave_instructions"]["mfma"] > 0)
    differ = [value for part in ("workgroup", "loop")
              for value in flat(same["difference"][part])]
    test.equal("one configuration twice", set(differ), {0})
    subprocess.run([test.fmhac, "run", "--schedule", "generic", *options, "--no-compare",
                    "--save-launch", "saved"], capture_output=True, check=True, timeout=120)
    same = test.compare("saved/LAUNCH.json", "generic", *options)
    test.equal("instructions of a launch file",
               set(same["difference"]["workgroup"]["workgroup_instructions"].values()), {0})
    # A schedule as a file, and options that hold for what is no LAUNCH.json.
    text = subprocess.run([test.fmhac, "list", "--print-schedule", "generic"], capture_output=True,
                          text=True, check=True, timeout=120).stdout
    with open("mine.mlir", "w", encoding="utf-8") as file:
        file.write(text)
    same = test.compare("mine.mlir", "hidden.json", *options)
    test.equal("of a file", (same["a"]["input"], same["b"]["kernel"]), ("mine.mlir", "hidden"))
    # Findings of either side.
    done = test.run(CHECK, "stray.json", "straight.json", "--range-a=0:4", "--range-b=0:4")
    test.check("no finding", "fmhac trace A: finding: mem" in done.stderr)
    # One of several launches, where there are several.
    told = test.compare("list.json", "hidden.json", "--launch=0")
    test.equal("of a list", told["a"]["kernel"], "apart")


def flat(object_):
    for value in object_.values():
        if isinstance(value, dict):
            yield from flat(value)
        elif value is not None:
            yield value


def check_refusals(test):
    two = ("hidden.json", "apart.json")
    test.refuse("--compare: expected two runs, A and B, found 1", "hidden.json")
    test.refuse("trace A: error:.*nowhere.json.*No such file", "nowhere.json", "apart.json")
    test.refuse("trace B: error:.*nowhere.json.*No such file", "hidden.json", "nowhere.json")
    test.refuse("trace B: error:.*malformed.json", "hidden.json", "malformed.json")
    test.refuse("expected a LAUNCH.json.*found the code object k.hsaco; a LAUNCH.json says",
                "k.hsaco", "apart.json")
    test.refuse("trace A: error:.*\"genric\"; did you mean \"generic\"", "genric", "apart.json")
    test.refuse("leave out options of CONFIG", *two, "--seqlen=64")
    test.refuse("leave out options of CONFIG", *two, "--input=normal")
    test.refuse("--schedule: 'generic' is the schedule of B", "hidden.json", "generic",
                "--schedule=generic")
    test.refuse("--config: config.json is the configuration of B", "hidden.json", "config.json",
                "--config=config.json")
    test.refuse("--launch goes with a LAUNCH.json", "generic", "generic", "--launch=1")
    test.refuse("expected a launch of .*below 1, found 1", *two, "--launch=1")
    for words in (("-o", "new.json"), ("--svg", "new.svg"), ("--all",), ("--iterations=1",),
                  ("--from=1",), ("--to=1",), ("--all-simds",)):
        test.refuse("--compare prints figures of whole runs: leave out", *two, *words)
    test.refuse("--trips-a: expected 1 to 1000000 trips, found 0", *two, "--trips-a=0")
    test.refuse("--trips-b: expected a whole number", *two, "--trips-b=x")
    # Ranges.
    test.refuse("as many ranges of A as of B.*found 1 and 0", *two, "--range-a=0:8")
    test.refuse("as many ranges of A as of B.*found 1 and 2", *two, "--range-a=0:8",
                "--range-b=0:8,8:16")
    test.refuse("found 'x' and 'y' in place 1", *two, "--range-a=x=0:8", "--range-b=y=0:8")
    test.refuse(r"--range-a: expected \[NAME=\]LO:HI.*found '8'", *two, "--range-a=8",
                "--range-b=0:8")
    test.refuse("found the empty 0x8:0x8", *two, "--range-a=8:8", "--range-b=0:8")
    test.refuse(f"trace A: error: --range-a: expected a range inside of kernel hidden, whose "
                f"instructions begin at 0x0 to {END - 4:#x}, found 0x100:0x200; pcs count from",
                *two, "--range-a=0x100:0x200", "--range-b=0:8")
    test.refuse("trace B: error: --range-b: expected a range inside of kernel apart", *two,
                "--range-a=0:8", "--range-b=0:0x200")
    test.refuse("an instruction of kernel hidden, found none that begins in 0x5:0x8", *two,
                "--range-a=5:8", "--range-b=0:8")
    test.refuse(r"main loops: expected a loop of each side.*found none in B, workgroup \(0,0,0\) "
                r"of straight; give a longer problem", "hidden.json", "straight.json")
    # Flags of a comparison without one, and two files without it.
    for words in (["--range-a=0:8"], ["--trips-b=2"]):
        done = subprocess.run([test.fmhac, "trace", "hidden.json", "-o", "t.json", *words],
                              capture_output=True, text=True, timeout=120, check=False)
        test.equal(f"{words}: exit code", done.returncode, USAGE)
        test.check(f"{words}: {done.stderr}", "go with --compare A B" in done.stderr)
    done = subprocess.run([test.fmhac, "trace", *two, "-o", "t.json"], capture_output=True,
                          text=True, timeout=120, check=False)
    test.equal("two files: exit code", done.returncode, USAGE)
    test.check(f"two files: {done.stderr}", "--compare takes two runs" in done.stderr)
    test.check("a file was written", not os.path.exists("t.json"))


def write(name, content):
    with open(name, "w", encoding="ascii") as file:
        json.dump(content, file)


def build(llvm_bin, here):
    subprocess.run([os.path.join(llvm_bin, "llvm-mc"), "-triple=amdgcn-amd-amdhsa",
                    "-mcpu=gfx950", "-filetype=obj", os.path.join(here, "compare.s"),
                    "-o", "k.o"], check=True)
    subprocess.run([os.path.join(llvm_bin, "ld.lld"), "-shared", "k.o", "-o", "k.hsaco"],
                   check=True)
    start = {"grid": [1, 1, 1], "block": [64 * WAVES, 1, 1],
             "kernarg": [{"offset": 0, "buffer": "o"}]}
    rest = {"code_object": "k.hsaco", "buffers": {"o": {"bytes": 64, "fill": 0}}}
    for kernel in ("hidden", "twice", "apart", "straight", "stray"):
        write(kernel + ".json", dict(start, **rest, kernel=kernel))
    write("list.json", dict(rest, launches=[dict(start, kernel="apart"),
                                            dict(start, kernel="twice")]))
    with open("malformed.json", "w", encoding="ascii") as file:
        file.write("{")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    options = parser.parse_args()
    test = Test(options.fmhac)
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        build(options.llvm_bin, here)
        for check in (check_loops, check_workgroup, check_ranges, check_trips, check_table,
                      check_inputs, check_refusals):
            check(test)
        os.chdir(here)
    if not test.failures:
        print("ok")
    return test.failures > 0


sys.exit(main())
