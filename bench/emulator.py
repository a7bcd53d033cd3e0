# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Speed of the emulator: an attention kernel against OpenBLAS, and each class of
instructions.

1. Matrix operations of the bf16 D128 attention kernel (default checks, default order of
   waves, all cores), as FLOP/s, against sgemm of OpenBLAS on the same cores; the two
   alternate in one run. FLOPs are those of the problem, 4 B Hq Sq Sk D without a mask, so
   that padding and recomputation do not count. OpenBLAS picks slow code on processors
   that it does not know: the fastest of its cores is what counts.
   Bar: median >= 25 % of sgemm's median.
2. Wave instructions per second of one host thread, class by class, from straight-line
   loops.
3. What --timing costs: the same kernel with the cycle model and without, alternating.
   Bar: median ratio <= 3.
4. --profile: where the time of the attention kernel goes (needs perf).
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

SGEMM = r"""
import ctypes, ctypes.util, sys, time
name = ctypes.util.find_library("openblas")
if not name: sys.exit("libopenblas is not installed")
blas, n, runs = ctypes.CDLL(name), 2048, int(sys.argv[1])
blas.openblas_get_corename.restype = ctypes.c_char_p
one = (ctypes.c_float * (n * n))
a, b, c = (one(*[0.25] * (n * n)) for _ in range(3))
def run():
    start = time.perf_counter()
    blas.cblas_sgemm(101, 111, 111, n, n, n, ctypes.c_float(1), a, n, b, n,
                     ctypes.c_float(0), c, n)
    return 2 * n ** 3 / (time.perf_counter() - start)
run()
print(blas.openblas_get_corename().decode(), max(run() for _ in range(runs)))
"""
CORES = [None, "Haswell", "SkylakeX", "Cooperlake", "Zen"]
HEADS, SEQLEN, HEAD_DIM = 8, 2048, 128
MOST_TIMING = 3

# Class, instructions of one round, and what must be set up before.
CLASSES = [
    ("SALU", ["s_add_u32 s20, s21, s22", "s_lshl_b32 s23, s20, 1",
              "s_cmp_lt_u32 s20, s23"]),
    ("VALU int", ["v_add_u32 v1, v2, v3", "v_and_b32 v4, v1, v5",
                  "v_lshlrev_b32 v6, 1, v7"]),
    ("VALU f32", ["v_add_f32 v1, v2, v3", "v_mul_f32 v4, v1, v5",
                  "v_fma_f32 v6, v1, v4, v7"]),
    ("VALU f32 packed", ["v_pk_mul_f32 v[10:11], v[12:13], v[14:15]",
                         "v_pk_fma_f32 v[16:17], v[12:13], v[14:15], v[10:11]"]),
    ("VALU f16", ["v_pk_add_f16 v1, v2, v3", "v_pk_fma_f16 v4, v1, v2, v5"]),
    ("VALU f64", ["v_add_f64 v[10:11], v[12:13], v[14:15]",
                  "v_fma_f64 v[16:17], v[12:13], v[14:15], v[10:11]"]),
    ("transcendental", ["v_exp_f32 v1, v2", "v_rcp_f32 v3, v4"]),
    ("conversion", ["v_cvt_pk_bf16_f32 v1, v2, v3", "v_cvt_f32_u32 v4, v5",
                    "v_cvt_pk_fp8_f32 v6, v2, v3"]),
    ("compare, select", ["v_cmp_lt_f32 vcc, v1, v2",
                         "v_cndmask_b32 v3, v4, v5, vcc"]),
    ("half of EXEC", ["v_add_f32 v1, v2, v3", "v_mul_f32 v4, v1, v5"]),
    ("DPP", ["v_add_u32_dpp v1, v2, v3 row_shr:1 row_mask:0xf bank_mask:0xf"]),
    ("LDS read b128", ["ds_read_b128 v[20:23], v8", "s_waitcnt lgkmcnt(0)"]),
    ("LDS read tr_b16", ["ds_read_b64_tr_b16 v[20:21], v8",
                         "s_waitcnt lgkmcnt(0)"]),
    ("LDS write b128", ["ds_write_b128 v8, v[20:23]", "s_waitcnt lgkmcnt(0)"]),
    ("LDS add", ["ds_add_u32 v8, v1", "s_waitcnt lgkmcnt(0)"]),
    ("SMEM load x4", ["s_load_dwordx4 s[20:23], s[0:1], 0x0",
                      "s_waitcnt lgkmcnt(0)"]),
    ("global load x4", ["global_load_dwordx4 v[20:23], v9, s[2:3]",
                        "s_waitcnt vmcnt(0)"]),
    ("global store x4", ["global_store_dwordx4 v9, v[20:23], s[2:3]",
                         "s_waitcnt vmcnt(0)"]),
    ("MFMA 32x32x16 bf16", ["v_mfma_f32_32x32x16_bf16 v[32:47], v[24:27], "
                            "v[28:31], v[32:47]"]),
    ("MFMA 16x16x32 f16", ["v_mfma_f32_16x16x32_f16 v[32:35], v[24:27], "
                           "v[28:31], v[32:35]"]),
    ("MFMA 32x32x64 fp8", ["v_mfma_f32_32x32x64_f8f6f4 v[32:47], v[48:55], "
                           "v[56:63], v[32:47]"]),
    ("MFMA 32x32x32 i8", ["v_mfma_i32_32x32x32_i8 v[32:47], v[24:27], "
                          "v[28:31], v[32:47]"]),
]
UNROLL, WAVES = 60, 4


def emulate(options, launch, *more):
    result = subprocess.run([options.fmhac, "emu", launch, "--json", *more],
                            capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"fmhac emu exited with {result.returncode}\n{result.stderr}")
    return json.loads(result.stdout)


def sgemm(core, runs):
    environment = dict(os.environ)
    if core:
        environment["OPENBLAS_CORETYPE"] = core
    result = subprocess.run([sys.executable, "-c", SGEMM, str(runs)],
                            env=environment, capture_output=True, text=True)
    if result.returncode != 0:  # also a core that this processor cannot run
        return None
    name, rate = result.stdout.split()
    return float(rate), name


def save_attention(options, folder):
    subprocess.run([options.fmhac, "run", "--dtype=bf16", "--mask=none",
                    f"--heads={HEADS}", f"--seqlen={SEQLEN}", "--no-compare",
                    f"--save-launch={folder}"], check=True,
                   stdout=subprocess.DEVNULL)
    return os.path.join(folder, "LAUNCH.json")


def attention(options, folder):
    launch = save_attention(options, folder)
    flops = 4 * HEADS * SEQLEN * SEQLEN * HEAD_DIM
    found = {core: sgemm(core, 4) for core in CORES}
    found = {core: x for core, x in found.items() if x}
    if not found:
        sys.exit("no OpenBLAS to compare with: install libopenblas0")
    best = max(found, key=lambda core: found[core])
    pairs = [(flops / emulate(options, launch)["seconds"], sgemm(best, 1)[0])
             for _ in range(options.pairs)]
    ours, blas = (statistics.median(column) for column in zip(*pairs))
    ratio = ours / blas
    print(f"attention bf16 B1 H{HEADS} S{SEQLEN} D{HEAD_DIM}, default checks: "
          f"{ours / 1e9:.1f} GFLOP/s; sgemm ({found[best][1]}) "
          f"{blas / 1e9:.1f} GFLOP/s; {100 * ratio:.1f} %, bar 25 %, "
          f"{'met' if ratio >= .25 else 'missed'} ({options.pairs} pairs, "
          f"{os.cpu_count()} cores)")
    if options.profile:
        data = os.path.join(folder, "perf.data")
        subprocess.run(["perf", "record", "-q", "-o", data, options.fmhac, "emu",
                        launch], check=True, stdout=subprocess.DEVNULL)
        report = subprocess.run(["perf", "report", "-i", data, "--stdio",
                                 "--percent-limit", "1", "--sort", "symbol"],
                                check=True, capture_output=True, text=True)
        print("\n".join(line for line in report.stdout.splitlines()
                        if line and not line.startswith("#")))
    return ratio >= .25


def assembly(body, rounds, prepare=()):
    lines = ["  .amdgcn_target \"amdgcn-amd-amdhsa--gfx950\"", "  .text",
             "  .globl k", "  .p2align 8", "  .type k,@function", "k:",
             "  s_load_dwordx2 s[2:3], s[0:1], 0x0", "  v_lshlrev_b32 v9, 4, v0",
             "  v_and_b32 v8, 0x3f, v0", "  v_lshlrev_b32 v8, 4, v8",
             f"  s_movk_i32 s30, {rounds}", "  s_waitcnt lgkmcnt(0)",
             *["  " + line for line in prepare], "loop:"]
    lines += ["  " + line for line in body]
    lines += ["  s_sub_u32 s30, s30, 1", "  s_cmp_lg_u32 s30, 0",
              "  s_cbranch_scc1 loop", "  s_endpgm", "end:",
              "  .size k, end-k", "  .rodata", "  .p2align 6",
              "  .amdhsa_kernel k", "  .amdhsa_user_sgpr_kernarg_segment_ptr 1",
              "  .amdhsa_group_segment_fixed_size 4096",
              "  .amdhsa_next_free_vgpr 64", "  .amdhsa_next_free_sgpr 32",
              "  .amdhsa_accum_offset 64", "  .end_amdhsa_kernel",
              "  .amdgpu_metadata", "amdhsa.version: [1, 2]",
              "amdhsa.target: amdgcn-amd-amdhsa--gfx950", "amdhsa.kernels:",
              "  - .name: k", "    .symbol: k.kd",
              "    .kernarg_segment_size: 16", "    .kernarg_segment_align: 8",
              "    .group_segment_fixed_size: 4096",
              "    .private_segment_fixed_size: 0", "    .wavefront_size: 64",
              "    .sgpr_count: 32", "    .vgpr_count: 64",
              "    .max_flat_workgroup_size: 1024", "  .end_amdgpu_metadata"]
    return "\n".join(lines) + "\n"


def class_rate(options, folder, name, body):
    body = (body * UNROLL)[:UNROLL // len(body) * len(body)]
    prepare = ["s_mov_b32 exec_hi, 0"] if name == "half of EXEC" else []
    paths = [os.path.join(folder, "class" + suffix)
             for suffix in (".s", ".o", ".hsaco", ".json")]
    source, obj, linked, launch = paths
    rounds = 50 if name.startswith("MFMA") else 400
    with open(source, "w") as file:
        file.write(assembly(body, rounds, prepare))
    subprocess.run([os.path.join(options.llvm_bin, "llvm-mc"),
                    "--triple=amdgcn-amd-amdhsa", "--mcpu=gfx950",
                    "--filetype=obj", source, "-o", obj], check=True)
    subprocess.run([os.path.join(options.llvm_bin, "ld.lld"), "-shared", obj,
                    "-o", linked], check=True)
    with open(launch, "w") as file:
        json.dump({"code_object": linked, "kernel": "k", "grid": [1, 1, 1],
                   "block": [64 * WAVES, 1, 1],
                   "buffers": {"x": {"bytes": 16 * 64 * WAVES, "fill": 0}},
                   "kernarg": [{"offset": 0, "buffer": "x"}],
                   "kernarg_bytes": 16}, file)
    rates = []
    for _ in range(3):
        found = emulate(options, launch, "--threads=1")
        rates.append(found["instructions"] / found["seconds"])
    print(f"  {name:20} {max(rates) / 1e6:8.2f} M/s")


def timing(options, folder):
    """True if the cycle model is cheap enough; after attention()."""
    launch = os.path.join(folder, "LAUNCH.json")
    ratios = []
    for _ in range(options.pairs):
        plain, timed = (emulate(options, launch, *more)["host_seconds"]
                        for more in ((), ("--timing",)))
        ratios.append(timed / plain)
    ratio = statistics.median(ratios)
    print(f"with --timing: {ratio:.2f} times as long ({min(ratios):.2f} to "
          f"{max(ratios):.2f} in {options.pairs} pairs)")
    return ratio <= MOST_TIMING


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--fmhac", default="build/bin/fmhac")
    parser.add_argument("--llvm-bin", default="/usr/lib/llvm-22/bin")
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--profile", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        met = attention(options, folder)
        met = timing(options, folder) and met
        print("wave instructions per second, one host thread:")
        for name, body in CLASSES:
            class_rate(options, folder, name, body)
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
