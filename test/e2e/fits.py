# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every configuration fits its registers: no spill, no scratch, `waves_per_simd`
waves. Compiles pairs of head sizes with sets of features and reads the code objects'
own metadata. The default is a cover of the head sizes; --all takes every pair.
"""
import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axes
import axis_files

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

FEATURES = {
    "plain": "",
    "causal, LSE, sink": "--mask causal --lse --sink X",
    "soft cap": "--softcap 20",
    "ALiBi, LSE": "--alibi --lse",
    "bias": "--mask window:100,20 --bias X",
    "function": "--dtype f16 --score-mod MOD",
    "all": "--mask chunked:48 --softcap 20 --score-mod MOD --alibi --bias X --sink X "
           "--lse --cu-seqlens-q X --seqlens-kv X --out-dtype f32",
}
# In fp8, whose head sizes are multiples of 16.
FEATURES |= {f"fp8, {name}": f"{FEATURES[name].replace('--dtype f16', '')} --dtype fp8"
             for name in ("causal, LSE, sink", "bias", "function", "all")}
TOKENS = " ".join(f"--{operand}-scale token --{operand}-scales X" for operand in "qkv")
FEATURES |= {"fp8, factors": f"--dtype fp8 {TOKENS}",
             "fp8, all but a bias, factors": f"{FEATURES['fp8, all'].replace('--bias X', '')} {TOKENS}",
             "fp8, all, factors": f"{FEATURES['fp8, all']} {TOKENS}",
             "fp8, all, blocks": f"{FEATURES['fp8, all']} {TOKENS.replace('token', 'block')} "
                                 "--scale-block 24"}
# The same of K and V, which a wave holds on their way to LDS.
FEATURES |= {f"kv8, {name}": f"{FEATURES[name].replace('--dtype f16', '')} --q-dtype f16 "
             "--k-dtype fp8 --v-dtype bf8"
             for name in ("causal, LSE, sink", "bias", "function", "all")}
ROWS_OF_KV = " ".join(f"--{operand}-scale token --{operand}-scales X" for operand in "kv")
BLOCKS_OF_KV = f"{ROWS_OF_KV.replace('scale token', 'scale block')} --scale-block 24"
FEATURES |= {f"kv8, {name}, {rows}": f"{FEATURES[f'kv8, {name}']} {flags}"
             for name in ("causal, LSE, sink", "bias", "function", "all")
             for rows, flags in (("tokens", ROWS_OF_KV), ("blocks", BLOCKS_OF_KV))}
FEATURES["kv8, all, tokens of V"] = f"{FEATURES['kv8, all']} --v-scale token --v-scales X"
# The same with a Q that the kernel rounds to fp8.
FEATURES |= {f"q8, {name}": f"{FEATURES[f'kv8, {name}']} --quantize-q"
             for name in ("causal, LSE, sink", "bias", "function", "all")}
# The same with keys on several pages, whose addresses take registers.
LENGTHS = "--seqlens-kv X"
LIST = "--kv-indptr X --kv-indices X --kv-last-page-len X"
FEATURES |= {f"pages, {name}": f"{FEATURES[name].replace(LENGTHS, '')} {pages}"
             for name, pages in
             (("plain", f"--page-size 1056 {LIST}"),
              ("all", f"--page-size 16 {LIST}"),
              ("fp8, all", f"--page-size 48 --page-table X {LENGTHS} --kv-lengths cached"),
              ("kv8, all", f"--page-size 1 {LIST}"),
              ("q8, causal, LSE, sink", f"--page-size 1056 --page-table X {LENGTHS}"),
              ("q8, all", f"--page-size 16 {LIST}"))}
FEATURES["pages, kv8, all, factors"] = (
    f"{FEATURES['pages, kv8, all'].replace('size 1 ', 'size 16 ')} {ROWS_OF_KV.replace('token', 'block')}")
# And in pieces of vectorised pages, which have 16 keys of 8 bits.
FEATURES |= {name.replace("pages", "pieces"): f"{flags.replace('size 1 ', 'size 16 ')} --kv-layout vectorised"
             for name, flags in FEATURES.items() if name.startswith("pages, ")}
FUNCTIONS = {"--softcap", "--alibi", "--bias", "--score-mod"}
SIZES = range(8, 257, 8)


def pairs(every):
    if every:
        return list(itertools.product(SIZES, SIZES))
    return sorted({pair for i, size in enumerate(SIZES) for pair in
                   ((size, size), (size, 8 + (i * 13 + 5) % 32 * 8), (256, size),
                    (size, 256))})[::3] + [(256, 256), (192, 128), (128, 128)]


def inspect(fmhac, head, flags, mod):
    is_fp8 = "fp8" in flags
    schedule = [] if is_fp8 else axes.schedule_of(*head)
    if is_fp8:
        head = [(size + 15) // 16 * 16 for size in head]
    # lib/choose/support.def: with functions one head is small, or both are no more than 192.
    if "--quantize-q" in flags and FUNCTIONS & set(flags.split()) and min(head) > 128:
        head = [min(size, 192) for size in head]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k.hsaco")
        words = [mod if word == "MOD" else word for word in flags.split()]
        command = [fmhac, "compile", "--head-dim-qk", str(head[0]), "--head-dim-v",
                   str(head[1]), *schedule, *words, "-o", path]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            return f"{' '.join(command)}: exit code {result.returncode}\n" + \
                result.stderr, None
        if "not analysed" in result.stderr:  # compile audits what it writes
            return f"{' '.join(command)}: {result.stderr}", None
        report = json.loads(subprocess.run(
            [fmhac, "inspect", "--json", path], check=True, capture_output=True,
            text=True).stdout)
    kernels, entries = report["kernels"], report["note"]["entries"]
    # In fp8 the table of measurements may have one for few keys and one for all.
    if (len(kernels) > (2 if is_fp8 else 1) or not kernels
            or [k["name"] for k in kernels] != [e["kernel"] for e in entries]):
        return f"{' '.join(command)}: expected one kernel, found {entries}", None
    for kernel in kernels:
        for key in ("vgpr_spills", "sgpr_spills", "scratch_bytes"):
            if kernel[key] != 0:
                return f"{' '.join(command)}: {key} is {kernel[key]}", None
        if kernel["vgprs"] > 256:  # 512 for the two waves a SIMD of the schedules
            return f"{' '.join(command)}: {kernel['vgprs']} registers", None
    return None, (max(k["vgprs"] for k in kernels), max(k["sgprs"] for k in kernels),
                  entries[-1]["schedule"],
                  "fewest live registers" in result.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--all", action="store_true", help="every pair of head sizes")
    slices.add_argument(parser)
    options = parser.parse_args()
    heads, failures = options.slice.of(pairs(options.all)), 0
    slices.tell(options)
    print("| features | kernels | most VGPRs | most SGPRs | generic_wide | few |\n"
          "|---|---:|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        mod = os.path.join(folder, "mod.mlir")
        axis_files.write_score_mod(mod, "hide")
        for name, flags in FEATURES.items():
            with ThreadPoolExecutor(os.cpu_count()) as pool:
                results = list(pool.map(
                    lambda head: inspect(options.fmhac, head, flags, mod), heads))
            for failure, _ in results:
                if failure:
                    failures += 1
                    print(f"FAIL: {failure}")
            fits = [fit for _, fit in results if fit]
            if fits:
                print(f"| {name} | {len(fits)} | {max(f[0] for f in fits)} | "
                      f"{max(f[1] for f in fits)} | "
                      f"{sum(f[2] == 'generic_wide' for f in fits)} | "
                      f"{sum(f[3] for f in fits)} |", flush=True)
    print(f"{failures} of {len(heads) * len(FEATURES)} kernels do not fit")
    return 1 if failures or not heads else 0


if __name__ == "__main__":
    sys.exit(main())
