# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our kernels beside public ones, on the same problems, in one run of the same model.

    peers.py --dir DIR --fmhac build/bin/fmhac [--objects DIR]
             [--dtype TYPE] [--schedule NAME] [--json FILE]

Code objects: as in calibrate.py; nothing of them is in this tree.
Ratios are times of the peer over ours. Who is faster is said only where the intervals of
the two times lie apart. A peer that writes LSE stands beside ours with LSE. In fp8 the cycles
of a compute unit for 256 rows and 128 keys are those of the loop, and the last table says what each
kernel makes of inputs whose small weights count (accuracy.py).
"""
import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import accuracy  # noqa: E402
import launches  # noqa: E402
from calibrate import model, problem_of  # noqa: E402

LENGTHS = [(1, 64, 8, 1024), (1, 64, 8, 4096), (1, 64, 8, 16384), (8, 64, 8, 2048),
           (1, 16, 16, 16384)]  # batch, heads, kv_heads, seqlen
LENGTHS_OF_FP8 = [(1, 5, 5, 65536), (1, 64, 8, 16384)]


@dataclass
class Peer:
    family: str
    kernel: str
    writes_lse: bool = False
    head_multiple: int = 1  # its grid takes multiples of so many heads
    is_mha: bool = False  # it takes as many heads of K and V as of Q
    keys_a_trip: int = 0  # of its loop, for 256 rows; 0: not printed


@dataclass
class Group:
    dtype: str
    dims: tuple
    mask: str
    lengths: list
    peers: list


GROUPS = [
    Group("bf16", (128, 128), "none", LENGTHS,
          [Peer("v3", "fwd_hd128_bf16"), Peer("opus", "d128_4036"),
           Peer("flydsl", "fly_bf16_h8_lazy", head_multiple=8, is_mha=True)]),
    Group("bf16", (128, 128), "causal", LENGTHS,
          [Peer("v3", "fwd_hd128_bf16_causal"), Peer("opus", "d128_4036_causal")]),
    Group("bf16", (192, 128), "none", LENGTHS,
          [Peer("v3", "fwd_hd192_hd128_bf16"), Peer("opus", "d192_4205")]),
    Group("bf16", (192, 128), "causal", LENGTHS,
          [Peer("v3", "fwd_hd192_hd128_bf16_causal"), Peer("opus", "d192_4205_causal")]),
    Group("fp8", (128, 128), "none", LENGTHS_OF_FP8,
          [Peer("v3", "fwd_hd128_fp8", writes_lse=True, keys_a_trip=256),
           Peer("v4", "fwd_hd128_fp8", is_mha=True, keys_a_trip=256)]),
    Group("fp8", (128, 128), "causal", LENGTHS_OF_FP8,
          [Peer("v3", "fwd_hd128_fp8_causal", writes_lse=True, keys_a_trip=256)]),
]
TILE = 256, 128  # rows and keys of which cycles are printed
FIXTURES = ["fixture", "sink", "rising"]


def ours(options, group, lse, batch, heads, kv_heads, seqlen):
    command = [options.fmhac, "bench", "--json", "--dtype", group.dtype, "--mask", group.mask,
               "--head-dim-qk", str(group.dims[0]), "--head-dim-v", str(group.dims[1]),
               "--batch", str(batch), "--heads", str(heads), "--kv-heads", str(kv_heads),
               "--seqlen", str(seqlen), *(["--lse"] if lse else [])]
    if options.schedule:
        command += ["--schedule", options.schedule]
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode == 3:  # the schedule that was asked for is not for this
        return None
    if process.returncode:
        raise SystemExit(process.stderr.strip() or process.stdout)
    return json.loads(process.stdout)


def verdict(mine, theirs):
    """Of two [low, high]."""
    if theirs[1] < mine[0]:
        return "faster"
    return "slower" if theirs[0] > mine[1] else "undecided"


def line(problem, kernel, tflops, seconds, ratio, busy, cycles, rest=""):
    print(f"{problem:36} {kernel:34} {tflops:7.1f} {1e3 * seconds:9.4f} {ratio:6.2f} "
          f"{100 * busy:5.1f}% {f'{cycles:.0f}' if cycles else '':>6} {rest}".rstrip(),
          flush=True)


def compare(options, group, batch, heads, kv_heads, seqlen):
    """The lines of a problem, and what they say."""
    name = f"{group.dtype} D{group.dims[0]}/{group.dims[1]} {group.mask} B{batch} " \
           f"{heads}/{kv_heads} S{seqlen}"
    is_fp8 = group.dtype == "fp8"
    mine = {lse: ours(options, group, lse, batch, heads, kv_heads, seqlen)
            for lse in ([False, True] if is_fp8 else [False])}
    if mine[False] is None:
        print(f"{name:36} not served by {options.schedule}")
        return None
    entry = {"problem": name, "ours": mine[False], "ours_lse": mine.get(True), "peers": []}
    mine = {lse: one for lse, one in mine.items() if one}  # some schedules have no LSE
    for lse, one in mine.items():
        cycles = one["cycles_per_kv_tile"] * TILE[0] * TILE[1] / (one["tile"][0] * one["tile"][1])
        line("" if lse else name, f"ours: {one['schedule']}{', LSE' if lse else ''}",
             one["tflops"], one["seconds"], 1, one["mfma_busy"], cycles if is_fp8 else 0)
    for peer in group.peers:
        if peer.family not in options.directories or heads % peer.head_multiple:
            continue
        fields = {"family": peer.family, "kernel": peer.kernel, "batch": batch, "heads": heads,
                  "kv_heads": heads if peer.is_mha else kv_heads, "seqlen": seqlen}
        if not is_fp8 and int(fields["kv_heads"]) != kv_heads:
            continue
        problem = problem_of(fields)
        report = model(problem, options, "")
        timing = report["timing"]
        loops = [one["loop"] for one in report["per_workgroup"] if one.get("loop")]
        loop = max(loops, key=lambda one: one["iterations"], default=None)
        cycles = loop["cycles"] * TILE[1] / peer.keys_a_trip if peer.keys_a_trip and loop else 0
        beside = mine.get(peer.writes_lse, mine[False])
        line("", f"{peer.family}/{peer.kernel}", problem.flops / timing["seconds"] / 1e12,
             timing["seconds"], timing["seconds"] / beside["seconds"], timing["mfma_busy"], cycles,
             f"{100 * timing['tail']:5.1f}% "
             + verdict(beside["seconds_interval"], timing["seconds_interval"])
             + (f", {heads} heads of K and V" if int(fields["kv_heads"]) != kv_heads else ""))
        entry["peers"].append({"kernel": f"{peer.family}/{peer.kernel}", "timing": timing,
                               "cycles_per_256x128": cycles or None})
    return entry


def print_fixtures(options):
    """What the kernels in fp8 make of inputs whose small weights count."""
    bench, written = accuracy.Bench(options.fmhac), {}
    kernels = {name: lambda kind, s=name: bench.ours(s, kind)
               for name in accuracy.schedules(options.fmhac)}
    kernels |= {f"{family}/{kernel}": lambda kind, f=family, k=kernel:
                bench.peer(f, k, kind, options.dir) for family, kernel in accuracy.PEERS}
    print(f"\n{'element of O farthest from exact':36}"
          + "".join(f"{kind:>28}" for kind in FIXTURES))
    for name, measure in kernels.items():
        verdicts = written[name] = {kind: measure(kind) for kind in FIXTURES}
        cells = [f"{v.found:.4f} for {v.exact:.4f} {'passes' if v.passes else 'FAILS'}"
                 for v in verdicts.values()]
        print(f"{name:36}" + "".join(f"{cell:>28}" for cell in cells), flush=True)
    return {name: {kind: vars(v) for kind, v in verdicts.items()}
            for name, verdicts in written.items()}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", required=True, help="hsa/gfx950 of a checkout of ROCm/aiter")
    parser.add_argument("--fmhac", required=True, help="the fmhac command")
    parser.add_argument("--objects", help="compiled code objects, a directory a family")
    parser.add_argument("--dtype", choices=sorted({group.dtype for group in GROUPS}),
                        help="of the kernels; default: all")
    parser.add_argument("--schedule", help="ours; default: what the configuration gets")
    parser.add_argument("--json", help="write everything to this file")
    options = parser.parse_args()
    options.directories = launches.directories(options.dir, options.objects)
    written = []
    print(f"{'problem':36} {'kernel':34} {'TFLOPS':>7} {'ms':>9} {'ratio':>6} {'busy':>6} "
          f"{'cycles':>6} {'tail':>6}")
    for group in GROUPS:
        if options.dtype in (None, group.dtype):
            entries = [compare(options, group, *lengths) for lengths in group.lengths]
            written += [entry for entry in entries if entry]
    if options.dtype in (None, "fp8"):
        written.append({"fixtures": print_fixtures(options)})
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(written, file, indent=1)


if __name__ == "__main__":
    main()
