# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NaN and infinities in single rows of Q, K and V reach what they should, and nothing else.

For every built-in schedule, some masks and head sizes: a launch whose heads have all the same
inputs, but for one element each that is NaN, +inf or -inf; head 0 has none. e4m3 has no
infinities, but two NaN. Sq and Sk are no
multiples of a tile, so that rows past Sq and keys past Sk are computed. What each row of a
head should be follows here, from the definition:

  Q  a row whose scores are NaN, or +inf, is NaN; one whose scores are all -inf is 0, as a
     row that sees no key, but NaN where the kernel rounds Q to e4m3; no other row changes
  K  of the rows that see the key, those with a score of NaN or +inf are NaN, and those with
     -inf are what they are without the key, in double precision; no other row changes
  V  of the rows that see the key, the element's column is NaN or that infinity. Of other
     rows of a workgroup that visits the key's tile it may be NaN (docs/guide.md); no other
     element changes

Rows that do not change are within the tolerance that `fmhac run` gives the same inputs
without the element; and of Q and K `fmhac run` comes to the same, by a reference of its own. A function of scores that is NaN for rows past Sq and for keys past Sk,
and adds nothing to others, changes nothing either. With every second launch LSE is
written, and judged likewise.
"""
import argparse
import array
import collections
import json
import math
import operator
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axis_files

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import emu_numbers  # noqa: E402
import slices  # noqa: E402

SQ, SK = 271, 203  # two tiles of 256 rows; four of 64 keys, two of 128
MASKS = ["none", "causal", "window:40,9", "chunked:50"]
HEADS = [32, 64, 96, 128]
MOST_HEAD = {"dualwave_narrow": 64, "dualwave_fp8_d64": 64, "dualwave_d96": 96}  # of other schedules 128 at least
# lib/choose/support.def
NO_FUNCTIONS = {"dualwave_narrow", "dualwave_fp8", "dualwave_fp8_d64", "dualwave_fp8_d192",
                "dualwave_fp8_d256", "dualwave_q8"}
NO_LSE = BF16_ONLY = {"dualwave_narrow", "dualwave_sums"}
KINDS = [math.nan, math.inf, -math.inf]
KINDS_OF_8_BITS = [math.nan, math.copysign(math.nan, -1)]
E4M3 = tuple(emu_numbers.decode(byte, "fp8") for byte in range(256))
DESCR = {"bf16": "<u2", "f16": "<f2", "fp8": "|u1"}  # of .npy
# A row that a causal mask leaves without a key, one of the middle, and the last, whose tile
# has rows past Sq; a key that all rows see which see any, one of the middle, and the last,
# which one row sees under a causal mask.
PLACES = [("q", 3), ("q", 133), ("q", SQ - 1), ("k", 0), ("k", 130), ("k", SK - 1),
          ("v", 0), ("v", 130), ("v", SK - 1)]
SAMPLE = 10  # rows of a head that are computed here
HIDE_PAST = f"""\
fmha.score_mod @past(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {{
  %last_row = arith.constant {SQ - 1} : i32
  %last_key = arith.constant {SK - 1} : i32
  %zero = arith.constant 0.0 : f32
  %rows = arith.subi %last_row, %row : i32
  %keys = arith.subi %last_key, %key : i32
  %fr = arith.sitofp %rows : i32 to f32
  %fk = arith.sitofp %keys : i32 to f32
  %sr = math.sqrt %fr : f32
  %sk = math.sqrt %fk : f32
  %s = arith.addf %sr, %sk : f32
  %nothing = arith.mulf %s, %zero : f32
  %y = arith.addf %score, %nothing : f32
  fmha.yield %y : f32
}}
"""
# Types with quantize_q, of Q, K and V.
QUANTISED = ["bf16/fp8/fp8", "f16/fp8/fp8"]
Case = collections.namedtuple("Case", "tensor at column value")


class Launch(collections.namedtuple("Launch", "schedule mask head dtype lse tile_m tile_n")):
    @property
    def out(self):
        """The type of O."""
        return "bf16" if self.dtype == "fp8" else type_of(self.dtype, "q")

    def kinds(self, tensor):
        return KINDS_OF_8_BITS if type_of(self.dtype, tensor) == "fp8" else KINDS


def type_of(dtype, tensor):
    """The type of a tensor, where `dtype` may be of all three, or those of each."""
    types = dtype.split("/")
    return types["qkv".index(tensor)] if len(types) > 1 else dtype


NAN, EMPTY, SAME = "NaN", "no key", "same"


# ===- Elements ---------------------------------------------------------------===


def encode(values, dtype):
    """Bits of numbers, as an array; infinities and NaN stay what they are."""
    if dtype == "fp8":
        return array.array("B", (emu_numbers.encode(v, dtype)
                                 | 0x80 * (math.copysign(1, v) < 0) for v in values))
    if dtype == "f16":
        return array.array("H", struct.pack(f"<{len(values)}e", *values))
    words = array.array("I", struct.pack(f"<{len(values)}f", *values))
    return array.array("H", ((w + (0x7fff + (w >> 16 & 1)) * math.isfinite(v)) >> 16
                             for w, v in zip(words, values)))


def decode(bits, dtype):
    if dtype == "fp8":
        return [E4M3[b] for b in bits]
    if dtype == "f16":
        return struct.unpack(f"<{len(bits)}e", array.array("H", bits).tobytes())
    return struct.unpack(f"<{len(bits)}f", array.array("I", (b << 16 for b in bits)).tobytes())


Inputs = collections.namedtuple("Inputs", "bits rows scores")


def make_inputs(head, dtype):
    """Bits and numbers of unit normal Q, K and V of one head, and the scores, scaled."""
    source = random.Random(head)
    bits = {name: encode([source.gauss(0, 1) for _ in range(count * head)], type_of(dtype, name))
            for name, count in (("q", SQ), ("k", SK), ("v", SK))}
    rows = {}
    for name, b in bits.items():
        numbers = decode(b, type_of(dtype, name))
        rows[name] = [numbers[i:i + head] for i in range(0, len(numbers), head)]
    scores = [[sum(map(operator.mul, q, k)) / math.sqrt(head) for k in rows["k"]]
              for q in rows["q"]]
    return Inputs(bits, rows, scores)


# ===- What should come out ---------------------------------------------------===


def seen(mask, row):
    """The keys that a row sees, as a range; `row` may lie past Sq."""
    kind, _, numbers = mask.partition(":")
    diagonal = row + SK - SQ
    low, high = 0, SK - 1
    if kind == "causal":
        high = diagonal
    elif kind == "window":
        left, right = map(int, numbers.split(","))
        low, high = diagonal - left, diagonal + right
    elif kind == "chunked":
        low, high = diagonal // int(numbers) * int(numbers), diagonal
    return range(max(low, 0), max(max(low, 0), min(high, SK - 1) + 1))


def outcome(inputs, case, launch, row):
    """NAN, EMPTY, SAME, or the key that is left out."""
    keys = seen(launch.mask, row)
    if case.tensor == "q":
        if row != case.at or not keys:
            return SAME
        products = [inputs.rows["k"][j][case.column] * case.value for j in keys]
        is_rounded = launch.dtype in QUANTISED
        return EMPTY if all(p == -math.inf for p in products) and not is_rounded else NAN
    if case.tensor == "k" and case.at in keys:
        if inputs.rows["q"][row][case.column] * case.value != -math.inf:
            return NAN
        return EMPTY if len(keys) == 1 else case.at
    return SAME


def attention(inputs, keys, row):
    """O and LSE of a row over some keys."""
    scores = [inputs.scores[row][j] for j in keys]
    most = max(scores)
    weights = [math.exp(s - most) for s in scores]
    total = sum(weights)
    columns = zip(*(inputs.rows["v"][j] for j in keys))
    return ([sum(map(operator.mul, weights, column)) / total for column in columns],
            most + math.log(total))


def may_spoil(case, launch, row):
    """Whether the workgroup of a row visits the tile of V that holds the key."""
    first = row // launch.tile_m * launch.tile_m
    ranges = [r for r in (seen(launch.mask, first + i) for i in range(launch.tile_m)) if r]
    tile = case.at // launch.tile_n
    return bool(ranges) and (min(r[0] for r in ranges) // launch.tile_n <= tile
                             <= max(r[-1] for r in ranges) // launch.tile_n)


# ===- What came out ----------------------------------------------------------===


class Results:
    """O and LSE of a launch of `heads` heads."""

    def __init__(self, folder, launch, heads, name):
        data = axis_files.read_npy(os.path.join(folder, f"{name}-o.npy"))
        self.o, self.heads, self.launch = array.array("H", data), heads, launch
        self.lse = None
        if launch.lse:
            data = axis_files.read_npy(os.path.join(folder, f"{name}-lse.npy"))
            self.lse = array.array("f", data)

    def row(self, head, row):
        at = (row * self.heads + head) * self.launch.head
        return self.o[at:at + self.launch.head]

    def lse_of(self, head, row):
        return self.lse[head * SQ + row]


def is_near(found, wanted, tolerance):
    return all(abs(a - b) <= tolerance for a, b in zip(found, wanted))


def judge_lse(found, wanted, tolerance):
    if math.isnan(wanted):
        return math.isnan(found)
    return found == wanted or abs(found - wanted) <= tolerance


def judge_v(found, clean, case, keys, launch, row, tolerance):
    """A row of O with something in V."""
    if case.at not in keys and not may_spoil(case, launch, row):
        return is_near(found, clean, tolerance)
    special, old = found[case.column], clean[case.column]
    if case.at not in keys:
        ok = math.isnan(special) or abs(special - old) <= tolerance
    else:
        ok = math.isnan(special) if math.isnan(case.value) else special == case.value
    others = [i for i in range(launch.head) if i != case.column]
    return ok and is_near([found[i] for i in others], [clean[i] for i in others], tolerance)


def judge_head(results, head, case, clean, inputs, tolerances):
    """The first few rows that are wrong, in words."""
    launch, wrong, sampled = results.launch, [], 0
    tolerance, lse_tolerance = tolerances
    for row in range(SQ):
        bits, keys = results.row(head, row), seen(launch.mask, row)
        clean_bits = clean.row(0, row)
        what = SAME if case is None else outcome(inputs, case, launch, row)
        lse = clean.lse_of(0, row) if launch.lse else None
        has_v = case is not None and case.tensor == "v"
        if what is SAME and bits == clean_bits and not (has_v and case.at in keys):
            ok = True
        elif what is NAN:
            ok, lse = all(map(math.isnan, decode(bits, launch.out))), math.nan
        elif what is EMPTY:
            ok, lse = not any(decode(bits, launch.out)), -math.inf
        elif what is SAME:
            found, old = decode(bits, launch.out), decode(clean_bits, launch.out)
            ok = (judge_v(found, old, case, keys, launch, row, tolerance) if has_v
                  else is_near(found, old, tolerance))
        elif sampled < SAMPLE:
            sampled += 1
            wanted, lse = attention(inputs, [j for j in keys if j != what], row)
            ok = is_near(decode(bits, launch.out), wanted, tolerance)
        else:
            ok, lse = not any(map(math.isnan, decode(bits, launch.out))), None
        if ok and launch.lse and lse is not None:
            ok = judge_lse(results.lse_of(head, row), lse, lse_tolerance)
        if not ok:
            if has_v and case.at in keys:
                what = f"{case.value} in column {case.column} alone"
            elif isinstance(what, int):
                what = f"without key {what}"
            wrong.append(f"row {row} should be {what}")
    return wrong


# ===- Launches ---------------------------------------------------------------===


def save(folder, name, per_head, head):
    """[1, S, H, D] of the rows of each head."""
    count = len(per_head[0]) // head
    data = array.array(per_head[0].typecode)
    for row in range(count):
        for one in per_head:
            data.extend(one[row * head:(row + 1) * head])
    return os.path.join(folder, name), [1, count, len(per_head), head], data.tobytes()


def run(fmhac, folder, launch, name, heads, *extra):
    """The report of a launch; q, k and v of `heads` are in the folder."""
    types = [flag for tensor in "qkv" for flag in (f"--{tensor}-dtype",
                                                   type_of(launch.dtype, tensor))]
    flags = ["--schedule", launch.schedule, *types, "--head-dim", launch.head, "--mask",
             launch.mask, "--heads", heads, "--seqlen-q", SQ, "--seqlen-kv", SK, "--threads", 1, "--o", f"{folder}/{name}-o.npy"]
    for tensor in "qkv":
        flags += [f"--{tensor}", f"{folder}/{name}-{tensor}.npy"]
    if launch.dtype in QUANTISED:
        flags.append("--quantize-q")
    if launch.lse:
        flags += ["--lse-out", f"{folder}/{name}-lse.npy"]
    done = subprocess.run([fmhac, "run", "--json", *map(str, flags), *extra],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"FAIL: {' '.join(done.args)}: exit code {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def write_inputs(folder, name, launch, inputs, cases):
    for tensor in "qkv":
        dtype = type_of(launch.dtype, tensor)
        per_head = []
        for case in cases:
            bits = inputs.bits[tensor]
            if case is not None and case.tensor == tensor:
                bits = bits[:]
                bits[case.at * launch.head + case.column] = encode([case.value], dtype)[0]
            per_head.append(bits)
        path, shape, data = save(folder, f"{name}-{tensor}.npy", per_head, launch.head)
        axis_files.write_npy(path, DESCR[dtype], shape, data)


def check(fmhac, launch, inputs):
    """(cases, what is wrong with which of them)."""
    cases = [None] + [Case(tensor, at, (7 * i + 3) % launch.head, value)
                      for i, (tensor, at) in enumerate(PLACES) for value in launch.kinds(tensor)]
    with tempfile.TemporaryDirectory() as folder:
        write_inputs(folder, "clean", launch, inputs, cases[:1])
        report = run(fmhac, folder, launch, "clean", 1)
        outputs = report["outputs"]
        tolerances = [outputs[name]["tolerance"] if name in outputs else 0
                      for name in ("o", "lse")]
        clean = Results(folder, launch, 1, "clean")
        failures = [] if report["pass"] else [f"the clean launch: {outputs}"]
        of_v = [case for case in cases if case is not None and case.tensor == "v"]
        # `fmhac run` knows no rule of its own for V, and should come to the same of the rest.
        for name, group, flags in (("special", [c for c in cases if c not in of_v], []),
                                   ("v", of_v, ["--no-compare"])):
            write_inputs(folder, name, launch, inputs, group)
            report = run(fmhac, folder, launch, name, len(group), *flags)
            if report["findings"] or (not flags and not report["pass"]):
                failures.append(f"{name}: {report['findings'][:1]} {report.get('outputs')}")
            results = Results(folder, launch, len(group), name)
            for head, case in enumerate(group):
                wrong = judge_head(results, head, case, clean, inputs, tolerances)
                if wrong:
                    failures.append(f"{case}: {len(wrong)} rows wrong: {'; '.join(wrong[:4])}")
        if launch.schedule not in NO_FUNCTIONS:
            path = os.path.join(folder, "past.mlir")
            with open(path, "w", encoding="ascii") as file:
                file.write(HIDE_PAST)
            cases.append("past")
            run(fmhac, folder, launch, "clean", 1, "--no-compare", "--score-mod", path)
            wrong = judge_head(Results(folder, launch, 1, "clean"), 0, None, clean, inputs,
                               tolerances)
            if wrong:
                failures.append(f"function that is NaN past the ends: {len(wrong)} rows "
                                f"wrong: {'; '.join(wrong[:4])}")
    return len(cases), failures


def schedule_names(fmhac):
    """Of the built-in schedules, but those for a V that lies in K, which have other head sizes
    (test/e2e/latent_decode.py)."""
    listing = subprocess.run([fmhac, "list", "--json"], check=True, capture_output=True,
                             text=True).stdout
    return [name for name in json.loads(listing)["schedules"]
            if not name.startswith("latent_decode")]


def is_of_8_bits(schedule):
    return "fp8" in schedule


def launches(fmhac, only):
    # Of K and V that are converted converted.py has every code.
    names = [name for name in schedule_names(fmhac) if "kv8" not in name]
    if not names or not set(only) <= set(names):
        sys.exit(f"FAIL: expected schedules, {only or 'any'}, found {names}")
    for s, name in enumerate(names):
        if only and name not in only:
            continue
        text = subprocess.run([fmhac, "list", "--print-schedule", name], check=True,
                              capture_output=True, text=True).stdout
        tile_m, tile_n = (int(re.search(rf"\b{key} = (\d+)", text)[1])
                          for key in ("tile_m", "tile_n"))
        for m, mask in enumerate(MASKS):
            for h, head in enumerate(HEADS):
                if head <= MOST_HEAD.get(name, 128):
                    # Types and LSE in turn over schedules, masks and heads.
                    types = (QUANTISED if "q8" in name
                             else ["fp8"] if name == "dualwave_fp8_d256"  # support.def
                             else ["fp8", *QUANTISED] if is_of_8_bits(name)
                             else ["bf16"] if name in BF16_ONLY else ["bf16", "f16"])
                    yield Launch(name, mask, head, types[(s + m + h) % len(types)],
                                 (s + m + h // 2) % 2 == 0 and name not in NO_LSE,
                                 tile_m, tile_n)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--schedule", action="append", default=[])
    parser.add_argument("--jobs", type=int, default=2)
    slices.add_argument(parser)
    options = parser.parse_args()
    table = options.slice.of(launches(options.fmhac, options.schedule))
    slices.tell(options)
    inputs = {key: make_inputs(*key) for key in {(one.head, one.dtype) for one in table}}
    counts, failed = collections.Counter(), collections.Counter()
    with ThreadPoolExecutor(options.jobs) as pool:
        for launch, (cases, failures) in zip(table, pool.map(
                lambda one: check(options.fmhac, one, inputs[one.head, one.dtype]), table)):
            counts[launch.schedule] += cases
            failed[launch.schedule] += len(failures)
            for failure in failures:
                print(f"FAIL: {launch}: {failure}", flush=True)
    print("| schedule | cases | failures |\n|---|---:|---:|")
    for name, cases in counts.items():
        print(f"| {name} | {cases} | {failed[name]} |")
    return 1 if sum(failed.values()) or not counts else 0


if __name__ == "__main__":
    sys.exit(main())
