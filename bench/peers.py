# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Our kernels beside public ones, on the same problems, in one run of the same model.

    peers.py --dir DIR --fmhac build/bin/fmhac [--objects DIR]
             [--schedule NAME] [--json FILE]

Code objects: as in calibrate.py; nothing of them is in this tree.
Ratios are times of the peer over ours. Who is faster is said only where the intervals of
the two times lie apart.
"""
import argparse
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import launches  # noqa: E402
from calibrate import model, problem_of  # noqa: E402

PROBLEMS = [  # mask, batch, heads, kv_heads, seqlen
    ("none", 1, 64, 8, 1024), ("none", 1, 64, 8, 4096), ("none", 1, 64, 8, 16384),
    ("none", 8, 64, 8, 2048), ("none", 1, 16, 16, 16384),
    ("causal", 1, 64, 8, 1024), ("causal", 1, 64, 8, 4096), ("causal", 1, 64, 8, 16384),
    ("causal", 8, 64, 8, 2048), ("causal", 1, 16, 16, 16384)]
DIMS = [(128, 128), (192, 128)]
PEERS = {("none", 128): [("v3", "fwd_hd128_bf16"), ("opus", "d128_4036"),
                         ("flydsl", "fly_bf16_h8_lazy")],
         ("causal", 128): [("v3", "fwd_hd128_bf16_causal"), ("opus", "d128_4036_causal")],
         ("none", 192): [("v3", "fwd_hd192_hd128_bf16"), ("opus", "d192_4205")],
         ("causal", 192): [("v3", "fwd_hd192_hd128_bf16_causal"),
                           ("opus", "d192_4205_causal")]}


def ours(options, mask, dims, batch, heads, kv_heads, seqlen):
    command = [options.fmhac, "bench", "--json", "--mask", mask,
               "--head-dim-qk", str(dims[0]), "--head-dim-v", str(dims[1]),
               "--batch", str(batch), "--heads", str(heads), "--kv-heads", str(kv_heads),
               "--seqlen", str(seqlen)]
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


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", required=True, help="hsa/gfx950 of a checkout of ROCm/aiter")
    parser.add_argument("--fmhac", required=True, help="the fmhac command")
    parser.add_argument("--objects", help="compiled code objects, a directory a family")
    parser.add_argument("--schedule", help="ours; default: what the configuration gets")
    parser.add_argument("--json", help="write everything to this file")
    options = parser.parse_args()
    options.directories = launches.directories(options.dir, options.objects)
    written = []
    print(f"{'problem':36} {'kernel':34} {'TFLOPS':>7} {'ms':>9} {'ratio':>6} {'busy':>6} "
          f"{'tail':>6}")
    for dims in DIMS:
        for mask, batch, heads, kv_heads, seqlen in PROBLEMS:
            mine = ours(options, mask, dims, batch, heads, kv_heads, seqlen)
            name = f"D{dims[0]}/{dims[1]} {mask} B{batch} {heads}/{kv_heads} S{seqlen}"
            if mine is None:
                print(f"{name:36} not served by {options.schedule}")
                continue
            print(f"{name:36} {'ours: ' + mine['schedule']:34} {mine['tflops']:7.1f} "
                  f"{1e3 * mine['seconds']:9.4f} {1:6.2f} "
                  f"{100 * mine['mfma_busy']:5.1f}%", flush=True)
            entry = {"problem": name, "ours": mine, "peers": []}
            for family, kernel in PEERS[mask, dims[0]]:
                # FlyDSL's grid takes multiples of 8 heads, and as many of K and V.
                if family not in options.directories or family == "flydsl" and (
                        heads % 8 or heads != kv_heads):
                    continue
                problem = problem_of({"family": family, "kernel": kernel, "batch": batch,
                                      "heads": heads, "kv_heads": kv_heads, "seqlen": seqlen})
                timing = model(problem, options, "")["timing"]
                print(f"{'':36} {family + '/' + kernel:34} "
                      f"{problem.flops / timing['seconds'] / 1e12:7.1f} "
                      f"{1e3 * timing['seconds']:9.4f} "
                      f"{timing['seconds'] / mine['seconds']:6.2f} "
                      f"{100 * timing['mfma_busy']:5.1f}% {100 * timing['tail']:5.1f}% "
                      + verdict(mine["seconds_interval"], timing["seconds_interval"]),
                      flush=True)
                entry["peers"].append({"kernel": family + "/" + kernel, "timing": timing})
            written.append(entry)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(written, file, indent=1)


if __name__ == "__main__":
    main()
