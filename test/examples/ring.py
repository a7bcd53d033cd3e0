#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""examples/ring.c beyond its own check: that the check finds mistakes, which are made here one by
one; that ranks have the work that the mask leaves, counted here, in equal shares; that one rank's
failure ends all, with its reason; that arguments are refused before anything runs; and devices of
the HIP backend, over the test's libamdhip64.

    ring.py --source DIR --build DIR --mpicc MPICC --mpirun MPIRUN --ring PROGRAM --hip DIR
"""
import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

failures = []

ENVIRONMENT = {
    "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_hwloc_base_binding_policy": "none",
    "OMPI_MCA_plm": "isolated", "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader",
    "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

# What is wrong, by which replacements in the source, and what the program says then.
ON_EMULATOR = [
    ("a round is left out", [("round < n; ++round", "round + 1 < n; ++round")], r"WRONG"),
    ("results are not merged", [("fmhac_merge_launch(m->merge, m->device, &both, m->compute)",
                                 "FMHAC_OK")], r"WRONG"),
    ("LSE starts at 0", [("lse[i] = -INFINITY", "lse[i] = 0")], r"WRONG"),
    ("rows of the back do not see the front", [
        ("attend(r, CAUSAL, mine.front, mine.back, owner, rows_of(keys), at)",
         "attend(r, CAUSAL, mine.front, mine.back, owner, mine.back, at)")], r"WRONG"),
    ("rows see later keys", [("attend(r, FULL, 0, rows_of(mine), owner, keys.front, at)",
                              "attend(r, FULL, 0, rows_of(mine), owner, rows_of(keys), at)")],
     r"WRONG"),
    ("V is looked for where this rank's would be", [
        ("t.k + (uint64_t)BATCH * all_keys * KV_ROW", "t.k + (uint64_t)BATCH * r->rows * KV_ROW")],
     r"WRONG"),
    # All is right but the shares: a rank has two pieces that are neighbours.
    ("work is not balanced", [
        ("piece_start(r, rank);", "piece_start(r, 2 * rank);"),
        ("piece_start(r, rank + 1)", "piece_start(r, 2 * rank + 1)"),
        ("2 * r->m->ranks - 1 - rank;", "2 * rank + 1;"),
        ("attend(r, FULL, 0, rows_of(mine), owner, keys.front, at)",
         "attend(r, FULL, 0, rows_of(mine), owner, rows_of(keys), at)"),
        ("attend(r, FULL, mine.front, mine.back, owner, rows_of(keys), at)",
         "attend(r, FULL, 0, 0, owner, 0, at)")],
     r"differs by \d+ scores a head, expected at most \d+, two rows\n.*: right\n"),
    ("launches do not wait for keys", [
        ("fmhac_rt_stream_wait_event(m->device, m->compute, m->copied[now])", "FMHAC_OK")],
     r"CHECK_FAILED.*no event orders the two"),
]
# The test's libamdhip64 does nothing before somebody waits for it.
ON_HIP = [
    ("keys are copied over those in use", [
        ("fmhac_rt_stream_wait_event(m->device, m->copies, m->used[at])", "FMHAC_OK")], r"WRONG"),
    ("keys are received over those not yet copied", [
        ("fmhac_rt_event_synchronize(m->device, m->copied[next])", "FMHAC_OK")], r"WRONG"),
    ("O is collected before it is there", [
        ("fmhac_rt_stream_synchronize(m->device, m->compute)", "FMHAC_OK"),
        ("fmhac_rt_copy_out(m->device, r->o, o, o_count * sizeof *o)",
         "fmhac_rt_copy_out_async(m->device, r->o, o, o_count * sizeof *o, m->copies)")],
     r"WRONG"),
]
LENGTHS = ["37", "41"]


def check(ok, text, output=""):
    if not ok:
        failures.append(text)
        print("FAIL:", text)
        print("  | " + "\n  | ".join(output.splitlines()[-30:]))
    return ok


class Ring:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.environment = {**os.environ, **ENVIRONMENT,
                            "FMHAC_CACHE_DIR": os.path.join(work, "cache")}
        self.environment.pop("FMHAC_CACHE", None)

    def run(self, program, ranks, *arguments, apart=False, **environment):
        return subprocess.run([self.options.mpirun, "-n", str(ranks), program, *arguments],
                              env={**self.environment, **environment}, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE if apart else subprocess.STDOUT, text=True,
                              errors="replace", check=False, timeout=300)

    def hip_environment(self, devices):
        return {"LD_LIBRARY_PATH": self.options.hip, "FMHAC_TEST_HIP_DEVICES": str(devices)}

    def make(self, source):
        """A program of a source beside the example's own."""
        o, program = self.options, os.path.join(self.work, "ring")
        folders = [os.path.join(o.source, f) for f in
                   ("examples", "lib/public", "runtime/public", "isa/public", "lib/abi")]
        libraries = os.path.join(o.build, "lib")
        answer = subprocess.run(
            [o.mpicc, "-std=c99", "-O1", *("-I" + f for f in folders), source,
             os.path.join(o.source, "examples", "problem.c"), "-L" + libraries, "-lfmhac",
             "-Wl,-rpath," + libraries, "-lm", "-o", program],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return check(answer.returncode == 0, f"compiling {source}", answer.stdout) and program


def replace(text, before, after, what):
    """Wherever the formatter broke lines."""
    pattern = re.escape(before).replace(r"\ ", r"\s+").replace(r"\(", r"\(\s*")
    text, count = re.subn(pattern, lambda _: after, text)
    check(count == 1, f"{what}: expected '{before}' once in the source, found it {count} times")
    return text


def mistakes(ring):
    with open(os.path.join(ring.options.source, "examples", "ring.c"), encoding="utf-8") as file:
        right = file.read()
    rows = [("emu", 3, *row) for row in ON_EMULATOR]
    if os.path.isdir(ring.options.hip):
        rows += [("hip", 5, *row) for row in ON_HIP]
    for device, ranks, what, changes, says in ring.options.slice.of(rows):
        wrong = right
        for before, after in changes:
            wrong = replace(wrong, before, after, what)
        path = os.path.join(ring.work, "wrong.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(wrong)
        program = ring.make(path)
        if not program:
            continue
        answer = ring.run(program, ranks, device, *LENGTHS, **ring.hip_environment(ranks))
        check(answer.returncode != 0 and re.search(says, answer.stdout, re.S),
              f"{what}: exit code {answer.returncode}, expected another than 0 and '{says}'",
              answer.stdout)


def shares(ring):
    """Scores and launches of each rank, of pieces that are all alike and of others."""
    for ranks, length in ((1, 7), (2, 48), (3, 48), (3, 50), (4, 48)):
        answer = ring.run(ring.options.ring, ranks, "emu", str(length))
        if not check(answer.returncode == 0, f"{ranks} ranks: exit code {answer.returncode}",
                     answer.stdout):
            continue
        found = re.findall(r"rank (\d+): .*: (\d+) launches, (\d+) scores a head", answer.stdout)
        check(len(found) == 2 * ranks, f"{ranks} ranks: lines of ranks", answer.stdout)
        plain, causal = found[:ranks], found[ranks:]
        for rows, launches, scores in ((plain, ranks, length * length),
                                       (causal, ranks + 1, length * (length + 1) // 2)):
            check([int(r[0]) for r in rows] == list(range(ranks))
                  and all(int(r[1]) == launches for r in rows)
                  and sum(int(r[2]) for r in rows) == scores,
                  f"{ranks} ranks, {length} rows: expected {launches} launches each and {scores} "
                  "scores together", answer.stdout)
            if length % (2 * ranks) == 0:
                check(len({r[2] for r in rows}) == 1, f"{ranks} ranks, {length} rows: pieces are "
                      "alike, and the scores of ranks are not", answer.stdout)


USAGE = "usage: mpirun -n RANKS ring [DEVICE [LENGTH...]]\n"


def of_program(text):
    """The lines that are the program's, not mpirun's."""
    return "".join(line for line in text.splitlines(keepends=True)
                   if re.search(r"ring: |usage: ", line))


def refusals(ring):
    program = ring.options.ring
    device = "ring: expected a device such as emu, hip or hip:0, found "
    length = "ring: expected a length from 1 to 100000, found "
    # One rank says it. Nothing runs before all are known to be right, and no device is opened.
    for arguments, says in (
            (["--no-such-flag", "12"], device + "'--no-such-flag'"), (["", "12"], device + "''"),
            (["emu", "0"], length + "'0'"), (["emu", "12x"], length + "'12x'"),
            (["emu", ""], length + "''"), (["emu", "12", "abc"], length + "'abc'"),
            (["emu", "100001"], length + "'100001'"), (["emu", "-12"], length + "'-12'"),
            (["emu", "-18446744073709551615"], length + "'-18446744073709551615'"),
            (["emu", "18446744073709551617"], length + "'18446744073709551617'"),
            (["emu", " 12"], length + "' 12'"), (["gpu", "12x"], length + "'12x'")):
        answer = ring.run(program, 2, *arguments, apart=True)
        check(answer.returncode != 0 and answer.stdout == ""
              and of_program(answer.stderr) == f"{says}\n{USAGE}",
              f"{arguments}: exit code {answer.returncode}, expected '{says}' and usage on stderr",
              answer.stdout + answer.stderr)
    for arguments in (["--help"], ["emu", "12", "--help"]):
        answer = ring.run(program, 2, *arguments, apart=True)
        check(answer.returncode == 0 and answer.stdout == USAGE,
              f"{arguments}: exit code {answer.returncode}, expected usage on stdout",
              answer.stdout + answer.stderr)
    # Each rank that gets as far says it, in a line of its own.
    answer = ring.run(program, 2, "gpu", "12", apart=True)
    found = of_program(answer.stderr).splitlines()
    check(answer.returncode != 0 and answer.stdout == "" and 1 <= len(found) <= 2
          and len(found) == len(set(found)) and all(re.fullmatch(
              r"ring: rank [01] of 2, opening the device: INVALID_INPUT: [^ ].*found \"gpu\"", line)
              and line.count("ring: ") == 1 for line in found),
          f"gpu: exit code {answer.returncode}, expected a line of each rank",
          answer.stdout + answer.stderr)
    one_call(ring)


def one_call(ring):
    """A rank's line in one call: one process, without mpirun, that writes to a socket, which keeps
    calls apart."""
    here, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with here, there:
        code = subprocess.run([ring.options.ring, "gpu", "12"], env=ring.environment,
                              stdout=subprocess.DEVNULL, stderr=there, check=False,
                              timeout=300).returncode
        there.close()
        calls = []
        while True:
            call = here.recv(65536).decode(errors="replace")
            if not call:
                break
            calls.append(call)
    line = r"ring: rank 0 of 1, opening the device: .*found \"gpu\"\n"
    check(code != 0 and sum(bool(re.fullmatch(line, call)) for call in calls) == 1,
          f"a line that a rank writes in one call: exit code {code}", "".join(calls))


def hip(ring):
    """A device a rank. The memory of a device is out of the host's reach, and work runs late."""
    if not os.path.isdir(ring.options.hip):
        return
    answer = ring.run(ring.options.ring, 5, "hip", *LENGTHS, **ring.hip_environment(5))
    check(answer.returncode == 0 and answer.stdout.count(": right\n") == 4,
          f"hip, 5 ranks: exit code {answer.returncode}", answer.stdout)
    # The last of the ranks has no device: none waits for it.
    answer = ring.run(ring.options.ring, 3, "hip", "37", **ring.hip_environment(2))
    check(answer.returncode != 0 and re.search(
        r"^ring: rank 2 of 3, opening the device: DEVICE_UNAVAILABLE: [^ \n].*hip:2", answer.stdout,
        re.M),
          f"hip, a rank without a device: exit code {answer.returncode}", answer.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for name in ("source", "build", "mpicc", "mpirun", "ring", "hip"):
        parser.add_argument("--" + name, required=True)
    slices.add_argument(parser)
    options = parser.parse_args()
    slices.tell(options)
    with tempfile.TemporaryDirectory() as work:
        ring = Ring(options, work)
        shares(ring)
        refusals(ring)
        hip(ring)
        mistakes(ring)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
