# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Both ways of the lazy rescale are taken, and as often as the scores imply.

`fmhac trace --all` lists what every wave executed, each with its line of the synced rung. A
*test* is a conditional branch of a line that holds fmha.rescale_if, and O was *rescaled* if
the wave then multiplied in such a line; of the maximum likewise, which *moved* if the
wave took an exponential in a line of fmha.row_max. Where scores start from minus the maximum, it moves
in the branch of the rescale, and there is no other.

How often that has to be is computed here from the bytes of Q and K that were launched: the
32 rows of a wave keep a maximum, and each tile in which a score of one of them passes it by
a factor of 2^threshold moves that of them all. For the first tile it always moves; so both
ways are shown only by what moved later as well, and stayed elsewhere.

That the counter can tell is shown by what takes one way only: equal scores, scores that
never pass the threshold, a branch that is always taken, and a schedule that has none.
"""
import argparse
import collections
import json
import math
import operator
import os
import re
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axes
import quantised_q
import without_proof

import emu_numbers  # of test/tools, where without_proof looks
from commands import call, fail

# Of dualwave and dualwave_fp8, and ten tiles.
ROWS, KEYS, WAVE_ROWS, TILE = 256, 640, 32, 64
WAVES, TILES = ROWS // WAVE_ROWS, KEYS // TILE
ALMOST = 1e-3  # of log2: closer to the threshold, and rounding decides
LAZY = "lazy, lazy_log2 = "
Case = collections.namedtuple("Case", "what head input rescale scale both always schedule",
                              defaults=(None, True, None, "dualwave"))
CASES = [
    Case("growing K", 32, "growing", LAZY + "8"),
    Case("spikes", 32, "spikes", LAZY + "8"),
    Case("spikes, D = 128", 128, "spikes", LAZY + "8"),
    Case("unit normal, threshold 1", 32, "normal", LAZY + "1"),
    Case("unit normal, scale of 1", 32, "normal", LAZY + "8", 1.0),
    # One way only.
    Case("unit normal", 32, "normal", LAZY + "8", None, False),
    Case("equal scores", 32, "normal", LAZY + "1", 1e-30, False),
    Case("growing K, which always passes", 32, "growing", LAZY + "1", 30.0, False,
         WAVES * TILES),
    Case("no branch", 32, "spikes", "eager", None, False, 0),
    # Weights of 8 bits leave less room above the lift.
    Case("growing K, fp8", 32, "growing", LAZY + "2", schedule="dualwave_fp8"),
    Case("spikes, D = 128, fp8", 128, "spikes", LAZY + "2", schedule="dualwave_fp8"),
    Case("unit normal, threshold 1, fp8", 64, "normal", LAZY + "1", schedule="dualwave_fp8"),
    Case("equal scores, fp8", 32, "normal", LAZY + "1", 1e-30, False, schedule="dualwave_fp8"),
    # Nothing is subtracted there: the product itself starts from minus the maximum.
    Case("growing K, q8", 32, "growing", LAZY + "2", schedule="dualwave_q8"),
    Case("spikes, D = 128, q8", 128, "spikes", LAZY + "2", schedule="dualwave_q8"),
    Case("unit normal, threshold 1, q8", 64, "normal", LAZY + "1", schedule="dualwave_q8"),
    Case("equal scores, q8", 32, "normal", LAZY + "1", 1e-30, False, schedule="dualwave_q8"),
]
Counts = collections.namedtuple("Counts", "tests rescales max_tests moves")


def count(trace, synced):
    """Counts of each wave."""
    names = {}
    for number, line in enumerate(synced.splitlines(), 1):
        found = re.search(r"\bfmha\.(rescale_if|row_max)\b", line)
        if found:
            names[number] = found[1]
    effect = {"rescale_if": re.compile(r"v_(pk_)?mul_f32"),
              "row_max": re.compile(r"v_exp_f32")}
    tests, effects, pending = (collections.Counter() for _ in range(3))
    for event in trace["traceEvents"]:
        location = event.get("args", {}).get("location", "")
        name = names.get(int(location.rpartition(":")[2] or 0))
        if not name:
            continue
        at = event["tid"], name
        if event["name"].startswith("s_cbranch"):
            tests[at] += 1
            pending[at] = 1
        elif pending[at] and effect[name].match(event["name"]):
            effects[at] += 1
            pending[at] = 0
    return [Counts(tests[w, "rescale_if"], effects[w, "rescale_if"], tests[w, "row_max"],
                   effects[w, "row_max"]) for w in range(WAVES)]


def read_rows(path, dtype, head):
    with open(path, "rb") as file:
        data = file.read()
    x = ([emu_numbers.decode(byte, "fp8") for byte in data] if dtype == "fp8"
         else without_proof.floats(data, "bf16"))
    return [x[i:i + head] for i in range(0, len(x), head)]


def expected(folder, case, has_max_tests):
    """Counts of each wave: one test a tile where there is one, of the maximum too where it
    may stay behind and has one; and the tiles in which it moves, by the definition."""
    if case.rescale == "eager":
        return [Counts(0, 0, 0, 0)] * WAVES
    is_lazy = case.rescale.startswith(LAZY)
    scale = 1 / math.sqrt(case.head) if case.scale is None else case.scale
    factor = scale * math.log2(math.e)
    threshold = int(case.rescale[len(LAZY):]) if is_lazy else 0
    has_q8, has_bytes = "q8" in case.schedule, "8" in case.schedule
    if is_lazy and has_bytes:  # and what a whole lift leaves of the room for weights
        room = math.log2(448)
        threshold = room - math.floor(room - threshold)
    rows = read_rows(os.path.join(folder, "q.bin"),
                     "fp8" if has_bytes and not has_q8 else "bf16", case.head)
    keys = read_rows(os.path.join(folder, "k.bin"), "fp8" if has_bytes else "bf16", case.head)
    if has_q8:
        rows = [quantised_q.rounded(row, factor) for row in rows]
    counts = []
    for wave in range(WAVES):
        most, moved = [-math.inf] * WAVE_ROWS, 0
        for first in range(0, KEYS, TILE):
            tile = [factor * max(sum(map(operator.mul, row, key))
                                 for key in keys[first:first + TILE])
                    for row in rows[wave * WAVE_ROWS:(wave + 1) * WAVE_ROWS]]
            over = max(map(operator.sub, tile, most)) - threshold
            if abs(over) < ALMOST:
                fail(f"{case.what}: a score of wave {wave}, tile {first // TILE} is within "
                     f"{ALMOST} of the threshold: take another seed")
            if over > 0:
                moved += 1
                most = list(map(max, most, tile))
        counts.append(Counts(TILES, moved, TILES, moved) if is_lazy and has_max_tests else
                      Counts(TILES, moved, 0, 0))
    return counts


def run_case(fmhac, case):
    """Counts of each wave, found and expected."""
    text = call([fmhac, "list", "--print-schedule", case.schedule])
    text, found = re.subn(LAZY + r"\d+", case.rescale, text)
    if found != 1:
        fail(f"expected '{LAZY}N' once in {case.schedule}, found", found)
    with tempfile.TemporaryDirectory() as folder:
        path, saved, trace = (os.path.join(folder, name) for name in
                              ("schedule.mlir", "saved", "trace.json"))
        with open(path, "w") as file:
            file.write(text)
        config = ["--schedule", path, "--head-dim", str(case.head),
                  *axes.types_of(case.schedule)]
        scale = [] if case.scale is None else ["--scale", str(case.scale)]
        call([fmhac, "run", "--json", "--threads=1", *config, *scale, "--input", case.input,
              "--heads", "1", "--seqlen-q", str(ROWS), "--seqlen-kv", str(KEYS), "--save-launch", saved])
        call([fmhac, "trace", os.path.join(saved, "LAUNCH.json"), "--all", "-o", trace])
        synced = call([fmhac, "compile", "--emit=synced", *config])
        with open(trace) as file:
            counts = count(json.load(file), synced)
        return counts, expected(saved, case, "scale = start" not in text)


def judge(case, counts, wanted):
    tests, rescales = (sum(getattr(c, field) for c in counts)
                       for field in ("tests", "rescales"))
    for wave, pair in enumerate(zip(counts, wanted)):
        if pair[0] != pair[1]:
            fail(f"{case.what}: wave {wave}: expected {pair[1]}, found {pair[0]}")
    later = max(0, rescales - WAVES)
    both = later > 0 and tests > rescales
    print(f"{case.what}: {tests} tests, {rescales} rescales, {later} of them later than the "
          f"first tile, {tests - rescales} skipped: {'both ways' if both else 'one way'}")
    if both != case.both:
        fail(f"{case.what}: expected {'both ways' if case.both else 'one way'} to be taken")
    if case.always is not None and (tests, rescales) != (case.always, case.always):
        fail(f"{case.what}: expected each of {case.always} tests to rescale")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    with ThreadPoolExecutor(options.jobs) as pool:
        for case, result in zip(CASES, pool.map(lambda c: run_case(options.fmhac, c), CASES)):
            judge(case, *result)


if __name__ == "__main__":
    main()
