# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the command answers to bad input.

  bad_input.py --fmhac FILE --llvm-bin DIR           runs every case
  bad_input.py ... --list                            and prints what was answered

A case passes if the exit code is the expected one, stderr has one error, which
matches the case's expression, beside it nothing but notes, warnings, remarks and the
line of a file that it is in, stdout is empty, and no file of the directory that the
command runs in is new, gone or changed. Every case runs a second time with --json: stdout is then one object with
the same text and the exit code.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import bad_input_files  # noqa: E402

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

DONE, CHECK, USAGE, UNSUPPORTED, DEVICE = range(5)
PROBLEM = "--seqlen 64 --heads 1"
NO_FILE = "No such file or directory"

# (name, arguments, exit code, expression that the error matches). Arguments are
# separated by blanks; '' is an empty one.
CASES = [
    # Words of the command line.
    ("command-typo", "complie", USAGE, "did you mean 'compile'"),
    ("command-unknown", "frobnicate", USAGE, "no sub-command 'frobnicate'.*--help"),
    ("command-empty", "''", USAGE, "no sub-command ''"),
    ("flag-typo", "compile --head-dmi 64", USAGE, "--head-dmi; did you mean --head-dim"),
    ("flag-typo-value", "run --sedlen=64", USAGE, "--sedlen; did you mean --seqlen"),
    ("flag-typo-emu", "emu launch_good.json --chekc=all", USAGE, "did you mean --check"),
    ("flag-typo-inspect", "inspect --dif a b", USAGE, "did you mean --diff"),
    ("flag-typo-list", "list --print-shedule=x", USAGE, "did you mean --print-schedule"),
    ("flag-unknown", "doctor --frobnicate", USAGE, "unknown flag --frobnicate"),
    ("flag-one-letter", "compile -z", USAGE, "unknown flag -z"),
    ("flag-letter-elsewhere", "bench --q q.npy", USAGE, "unknown flag --q;"),
    ("flag-letter-of-quiet", "run -q q.npy", USAGE,
     "unexpected argument 'q.npy': -q is --quiet; give --q FILE.npy$"),
    ("flag-letter-of-verbose", "run -v=v.npy", USAGE,
     "unexpected argument '-v=v.npy': -v is --verbose; give --v FILE.npy$"),
    ("flag-letter-value", "compile -q=1", USAGE, "unexpected argument '-q=1'; usage: fmhac compile"),
    ("flag-letter-missing", "run --q", USAGE, r"--q: expected a value \(FILE.npy\)"),
    ("flag-no-value", "compile --emit", USAGE, r"--emit: expected a value \(problem\|tiles\|.*\|hsaco\)"),
    ("flag-swallows-none", "run --o --seqlen 64", USAGE, "-o: expected a value"),
    ("flag-empty-value", "compile -o ''", USAGE, "-o: expected a value.*empty"),
    ("flag-common-value", "run --json=yes", USAGE, "--json takes no value, found 'yes'"),
    ("flag-switch-value", "run --no-compare=yes", USAGE, "takes no value, found 'yes'"),
    ("flag-of-problem", "compile --seqlen 64", USAGE, "belongs to the problem"),
    ("argument-too-many", "compile a.json", USAGE, "unexpected argument 'a.json'"),
    ("argument-too-few", "inspect", USAGE, "too few arguments; usage"),
    ("argument-diff", "inspect --diff good.hsaco", USAGE, "two files with --diff"),
    ("argument-emu", "emu", USAGE, "expected a LAUNCH.json"),
    ("argument-doctor", "doctor now", USAGE, "unexpected argument 'now'"),
    ("bench-device", "bench --device gpu", USAGE, "cannot open device 'gpu'"),
    ("bench-sample", "bench --sample 2", USAGE, "auto, all or 3 to 4096 points.*found '2'"),
    ("bench-sample-word", "bench --sample some", USAGE, "found 'some'"),
    ("bench-repeat", "bench --repeat 0", USAGE, "--repeat, --warmup: expected 1"),
    ("bench-input", "bench --input flat", USAGE, "normal, growing, spikes"),
    ("bench-constants", "bench --timing-constants vlau_cycles=3", USAGE, 'there is no "vlau_cycles"'),
    ("bench-constants-old", "bench --timing-constants valu_clk=3", USAGE,
     "there is no \"valu_clk\"; `fmhac bench --constants` lists them"),
    ("run-same-output", f"run {PROBLEM} --o new.npy --lse-out new.npy", USAGE,
     "-o and --lse-out are the same file"),
    ("bench-constants-hip", "bench --device hip --timing-constants valu_cycles=3", USAGE,
     "those of the cycle model"),
    ("factors-none", "run --dtype fp8 --k-scale tensor", USAGE, '"k_scale" is "tensor", but there are no factors'),
    ("factors-alone", "run --dtype fp8 --v-scales none.npy", USAGE, '"v_scales" is given, but "v_scale" is "none"'),
    ("factors-16-bits", "run --q-scale head --q-scales none.npy", USAGE, "elements of 8 bits, found bf16"),
    ("factors-file", "run --dtype fp8 --q-scale head --q-scales none.npy", USAGE, "none.npy"),
    ("factors-block-size", "run --dtype fp8 --k-scale block --k-scales none.npy", USAGE, 'need "scale_block"'),
    ("factors-block-packed", "compile --dtype fp8 --k-scale block --k-scales none.npy --scale-block 64 "
     "--cu-seqlens-kv none.npy -o new.hsaco", UNSUPPORTED, "k_scale by block"),
    ("factors-k-rows", "compile --dtype fp8 --schedule dualwave_fp8 --k-scale token --k-scales none.npy -o new.hsaco",
     UNSUPPORTED, "schedule dualwave_fp8 takes no k_scale by token"),
    ("factors-v-rows", "compile --dtype fp8 --schedule dualwave_fp8 --v-scale token --v-scales none.npy -o new.hsaco",
     UNSUPPORTED, "schedule dualwave_fp8 takes no v_scale by token"),
    ("factors-k-blocks", "compile --dtype fp8 --schedule dualwave_fp8 --k-scale block --k-scales none.npy "
     "--scale-block 96 -o new.hsaco",
     UNSUPPORTED, "schedule dualwave_fp8 takes k_scale by block only of a multiple of 64 keys, found 96"),
    ("factors-v-pages", "compile --dtype fp8 --schedule dualwave_fp8 --v-scale block --v-scales none.npy "
     "--page-size 16 --page-table none.npy --seqlens-kv none.npy -o new.hsaco",
     UNSUPPORTED, "schedule dualwave_fp8 takes v_scale by page only of a multiple of 64 keys, found 16"),
    ("factors-blocks-packed", "compile --dtype fp8 --schedule dualwave_fp8 --k-scale block --k-scales none.npy "
     "--scale-block 64 --cu-seqlens-kv none.npy -o new.hsaco", UNSUPPORTED, "k_scale by block"),
    ("o-scale-alone", "run --dtype fp8 --o-scale 2", USAGE, '"o_scale" is 2, but O is bf16'),
    ("o-scale-16-bits", "run --out-dtype fp8", UNSUPPORTED, "out_dtype fp8"),
    ("bench-reserved", "bench --dropout 0.5", UNSUPPORTED, "dropout"),
    ("bench-heads", "bench --heads 3 --kv-heads 2", USAGE, "heads"),
    ("sweep-key", "bench --sweep hed=1,2", USAGE, "no option 'hed'.*did you mean heads"),
    ("sweep-form", "bench --sweep heads", USAGE, "expected KEY=V1,V2"),
    ("sweep-empty", "bench --sweep heads=", USAGE, "expected KEY=V1,V2"),
    ("sweep-hole", "bench --sweep heads=1,,2", USAGE, "heads has an empty value"),
    ("sweep-twice", "bench --sweep head-dim=64 --sweep head_dim=128", USAGE, "given twice"),
    ("sweep-value", "bench --sweep heads=1,two", USAGE, '"heads": expected an integer'),
    ("sweep-mask", "bench --sweep mask=causal,casual", USAGE, "casual"),
    ("sweep-unsupported", "bench --sweep head-dim=64,7", UNSUPPORTED, "head_dim_qk 7"),
    ("sweep-long", "bench --sweep heads=" + ",".join(["2"] * 257), USAGE, "more than 256 values"),
    ("sweep-points", "bench --sweep heads=" + ",".join(["2"] * 40) + " --sweep batch=" +
     ",".join(["1"] * 40), USAGE, "at most 1024 points, found 1600"),
    ("sweep-axes", "bench" + " --sweep heads=1" * 9, USAGE, "--sweep: given more than 8 times"),
    ("trace-nothing", "trace", USAGE, "expected -o FILE.json or --svg FILE.svg"),
    ("trace-typo", "trace --iteration 2", USAGE, "did you mean --iterations"),
    ("trace-same", "trace -o new --svg new", USAGE, "the same file"),
    ("trace-ways", "trace --all --iterations 2 -o new", USAGE, "one of --all, --iterations"),
    ("trace-iterations", "trace --iterations 0 -o new", USAGE, "at least 1, found 0"),
    ("trace-interval", "trace --from 9 --to 9 -o new", USAGE, "an interval, found 9 to 9"),
    ("trace-past", f"trace {PROBLEM} --from 99999999 -o new", USAGE,
     r"a part of the \d+ cycles .* found 99999999 to"),
    ("trace-workgroup", f"trace {PROBLEM} --workgroup 1,2 -o new", USAGE, "X,Y,Z, found '1,2'"),
    ("trace-workgroup-outside", f"trace {PROBLEM} --workgroup 0,9,0 -o new", USAGE,
     r"\(0,9,0\) lies outside the grid of \(1,1,1\)"),
    ("trace-both", "trace launch_good.json --heads 2 -o new", USAGE, "defines the launch"),
    ("trace-input", f"trace {PROBLEM} --input none -o new", USAGE, "--input: expected normal"),
    ("trace-constants", f"trace {PROBLEM} --timing-constants slot=1 -o new", USAGE, "slot"),
    ("trace-check", f"trace {PROBLEM} --check none,x -o new", USAGE, "--check: expected none"),
    ("trace-no-launch", "trace none.json -o new", USAGE, NO_FILE),
    ("trace-no-folder", "trace -o none/t.json", USAGE, "directory does not exist"),
    ("trace-no-svg-folder", "trace -o new --svg none/t.svg", USAGE, "directory does not exist"),
    ("trace-work-items", "trace --batch 65535 --heads 64 --seqlen 4096 -o new", UNSUPPORTED,
     "problem: batch 65535, .* at most 4294967296 of a launch .* batch at most"),
    ("trace-reserved", "trace --dropout 0.5 -o new", UNSUPPORTED, "dropout"),
    ("tune-typo", "tune --trails 3", USAGE, "did you mean --trials"),
    ("tune-schedules", "tune --schedules genric", USAGE, 'did you mean "generic"'),
    ("tune-trials", "tune --trials 5000000000", USAGE, "--trials: .* found 60 and 5000000000"),
    ("tune-no-folder", "tune --table none/t.csv", USAGE, "directory does not exist"),
    ("tune-no-table", "tune --table launch_good.json", USAGE, "expected the line of columns"),
    ("lengths", "compile --lengths short", USAGE, "unknown flag --lengths"),
    ("tune-keys", "tune --for-keys few --table new", USAGE, "in column keys, found .few."),
    ("cache-nothing", "cache", USAGE, "usage: fmhac cache ls"),
    ("cache-word", "cache list", USAGE, "expected ls, info, verify, prune or clear, found .list."),

    # Values of flags.
    ("dtype", "compile --dtype bf61", USAGE, '"dtype": expected one of .*did you mean "bf16"'),
    ("mask-typo", "compile --mask casual", USAGE, 'did you mean "causal"'),
    ("mask-window", "compile --mask window:1", USAGE, 'window:L,R.*found "window:1"'),
    ("mask-window-bound", "compile --mask window:-2,0", USAGE, 'found "window:-2,0"'),
    ("mask-chunk", "compile --mask chunked:0", USAGE, 'found "chunked:0"'),
    ("layout", "run --layout bsdh", USAGE, '"layout": expected one of'),
    ("softcap-tiny", "compile --softcap 1e-46", USAGE, "expected 0 or at least 1e-06"),
    ("layout-of-compile", "compile --layout bhsd", USAGE, "belongs to the problem"),
    ("rung", "compile --emit=layuots", USAGE, "did you mean 'layouts'"),
    ("rung-to-terminal", "compile --emit=obj", USAGE, "give -o FILE"),
    ("schedule-name", "compile --schedule genric", USAGE, 'did you mean "generic"'),
    ("schedule-print", "list --print-schedule genric", USAGE, "did you mean 'generic'"),
    ("head-dim-zero", "compile --head-dim 0", USAGE, r"head_dim_qk.*integer in \[1, .*found 0"),
    ("head-dim-negative", "compile --head-dim -8", USAGE, "head_dim_qk.*found -8"),
    ("head-dim-fraction", "compile --head-dim 64.5", USAGE, "head_dim_qk.*found 64.5"),
    ("head-dim-beyond", "compile --head-dim 4096", USAGE, "head_dim_qk.*found 4096"),
    ("head-dim-odd", "compile --head-dim 7", UNSUPPORTED, "head_dim_qk 7"),
    ("head-dim-odd-v", "compile --head-dim-v 7", UNSUPPORTED, "head_dim_v 7"),
    ("head-dim-large", "run --head-dim 1000 " + PROBLEM, UNSUPPORTED, "head_dim_qk 1000"),
    ("head-dim-both", "compile --head-dim 64 --head-dim-v 128", USAGE, "contradicts"),
    ("page-size", "compile --page-size 64", USAGE, "nothing says which pages a sequence has"),
    ("page-table", "run --page-table none.npy", USAGE, "\"page_size\" is 0"),
    ("page-size-odd", "compile --page-size 24 --page-table t --seqlens-kv t", USAGE, "16 or 32"),
    ("pages-schedule", "compile --page-size 16 --page-table t --seqlens-kv t --softcap 1 "
     "--schedule dualwave", UNSUPPORTED, "page_size in multiples of 64"),
    ("pages-pieces", "compile --page-size 4 --page-table t --seqlens-kv t --kv-layout vectorised",
     USAGE, "\"page_size\" is 4.*expected a multiple of 8, the keys in 16 bytes"),
    ("pages-pieces-8-bit", "compile --page-size 8 --page-table t --seqlens-kv t --dtype fp8 "
     "--kv-layout vectorised", USAGE, "\"page_size\" is 8.*expected a multiple of 16"),
    ("split-kv", "compile --split-kv auto", UNSUPPORTED, "work = list, queue, auto or runs with split_kv"),
    ("split-kv-fixed", "compile --split-kv fixed --split-chunk 512", UNSUPPORTED, "work = list"),
    ("lists-do-not-fit", "compile --work auto --page-size 1 --page-table t --seqlens-kv t "
     "--head-dim 256 --schedule generic_wide", USAGE, "work = grid leaves that out"),
    ("schedule-of-lists", "compile --work list --schedule ./lds.mlir", USAGE,
     r"lds\.mlir:\d+:\d+: "),
    ("split-kv-no-chunk", "compile --work list --split-kv fixed", USAGE, "split_chunk"),
    ("split-chunk-alone", "compile --work list --split-chunk 512", USAGE, "split_kv"),
    ("split-chunk-of-no-tile", "compile --work list --split-kv fixed --split-chunk 100 "
     "--schedule generic", USAGE, "multiple of 64"),
    ("split-kv-number", "compile --split-kv 2", USAGE,
     '"split_kv": expected one of none.auto.fixed, found "2"'),
    ("split-chunk", "compile --split-chunk 512", USAGE, "split_chunk"),
    ("max-seqlen-q", "run --heads 1 --seqlen-kv 64 --max-seqlen-q 8 --seqlen-q 9", USAGE,
     "seqlen_q is 9, expected at most the 8 rows that max_seqlen_q"),
    ("max-seqlen-q-bench", "bench --heads 1 --seqlen-kv 64 --max-seqlen-q 8 --seqlen-q 9", USAGE,
     "seqlen_q is 9, expected at most the 8 rows that max_seqlen_q"),
    ("max-seqlen-q-negative", "compile --max-seqlen-q -1", USAGE, r'"max_seqlen_q": .*\[0, '),
    ("splits", f"run {PROBLEM} --splits 4", UNSUPPORTED, "splits"),
    ("splits-of-compile", "compile --splits 4", UNSUPPORTED, "splits"),
    ("splits-negative", f"run {PROBLEM} --splits -1", USAGE, r'"splits": .*integer in \[0, '),
    ("workspace", f"run {PROBLEM} --workspace 1024", UNSUPPORTED, "workspace"),
    ("workspace-of-compile", "compile --workspace 1024", UNSUPPORTED, "workspace"),
    ("dropout", "compile --dropout 0.1", UNSUPPORTED, "dropout"),
    ("dropout-beyond", "compile --dropout 1.5", USAGE, r'"dropout": expected a number in \[0, 1\]'),
    ("heads-multiple", "run --seqlen 64 --heads 3 --kv-heads 2", USAGE,
     "heads 3 is no multiple of kv_heads 2"),
    ("heads-zero", "run --heads 0", USAGE, r'"heads": expected an integer in \[1, .*found 0'),
    ("kv-heads-zero", "run --kv-heads 0", USAGE, '"kv_heads".*found 0'),
    ("batch-zero", "run --batch 0", USAGE, '"batch".*found 0'),
    ("seqlen-zero", "run --seqlen 0", USAGE, r'"seqlen_q": expected .* rows, found 0'),
    ("seqlen-kv-zero", "run --seqlen-kv 0", USAGE, '"seqlen_kv".*found 0'),
    ("seqlen-text", "run --seqlen many", USAGE, '"seqlen".*found "many"'),
    ("seqlen-both", "run --seqlen 64 --seqlen-q 65", USAGE, "contradicts"),
    ("scale-nan", "run --scale nan", USAGE, '"scale": expected a number in'),
    ("scale-large", "run --scale 65536.01", USAGE,
     r'"scale": expected a number in \[-65536, 65536\], found 65536.01'),
    ("scale-large-negative", "run --scale -1e38", USAGE, r'in \[-65536, 65536\], found -1e\+38'),
    ("seed-negative", "run --seed -1", USAGE, '"seed".*found -1'),
    ("input", "run --input flat", USAGE, "normal, growing, spikes.*'flat'"),
    ("device", f"run --device cuda {PROBLEM}", USAGE, 'expected "emu", "hip".*"cuda"'),
    ("device-flags", f"run --device hip --check=mem {PROBLEM}", USAGE, "steer the emulator"),
    ("check", f"run --check=rcae {PROBLEM}", USAGE, "did you mean 'race'"),
    ("sched", f"run --sched=fast {PROBLEM}", USAGE, "until-blocked"),
    ("landing", "emu launch_good.json --landing=soon", USAGE, "random:SEED"),
    ("alignment", "emu launch_good.json --alignment=hardwear", USAGE,
     "did you mean 'hardware'"),
    ("descriptors", "emu launch_good.json --descriptors=exact,carry", USAGE,
     "expected exact, mapped or carry"),
    ("placement", "emu launch_good.json --placement=adverserial", USAGE,
     "did you mean 'adversarial'"),
    ("threads", f"run --threads=-1 {PROBLEM}", USAGE, "at least 0, found '-1'"),
    ("threads-most", f"run --threads=257 {PROBLEM}", USAGE,
     "--threads: expected at most 256, found 257"),
    ("coverage-list", "emu --list=missing", USAGE, "--coverage"),

    # Where results go.
    ("out-folder", "compile -o folder", USAGE, "cannot write folder: it is a directory"),
    ("out-nowhere", "compile -o none/k.hsaco", USAGE, "none/k.hsaco: its directory does not exist"),
    ("out-below-file", "compile -o b.bin/k.hsaco", USAGE, "cannot write b.bin/k.hsaco"),
    ("out-full", "compile -o /dev/full", USAGE, "/dev/full: No space left"),
    ("out-temps", "compile --save-temps -o none/k.hsaco", USAGE, "none/k.hsaco"),
    ("out-pipeline", "compile --print-pipeline -o none/k", USAGE, "none/k"),
    ("out-npy-folder", f"run --o folder {PROBLEM}", USAGE, "cannot write folder"),
    ("out-npy-nowhere", f"run --o none/o.npy {PROBLEM}", USAGE, "none/o.npy"),
    ("out-launch-file", f"run --save-launch b.bin {PROBLEM}", USAGE, "directory b.bin: a file"),

    # --config
    ("config-none", "compile --config none.json", USAGE, "none.json: " + NO_FILE),
    ("config-folder", "compile --config folder", USAGE, "folder: Is a directory"),
    ("config-loop", "compile --config loop", USAGE, "loop: Too many levels"),
    ("config-unreadable", "compile --config /proc/self/mem", USAGE, "Input/output error"),
    ("config-empty", "compile --config empty.json", USAGE,
     "malformed JSON at 1:1: expected a value, found end of text"),
    ("config-open", "compile --config open.json", USAGE, "malformed JSON at 1:17.*end of text"),
    ("config-comma", "compile --config comma.json", USAGE, "2:1: expected a key.*'}'"),
    ("config-value", "compile --config value.json", USAGE, "2:10: expected a value.*'}'"),
    ("config-behind", "compile --config behind.json", USAGE, "1:4: expected end of text.*'{'"),
    ("config-array", "compile --config array.json", USAGE, "expected .*object"),
    ("config-null", "compile --config null.json", USAGE, "expected .*object"),
    ("config-twice", "compile --config twice.json", USAGE, '"dtype".*twice'),
    ("config-type", "compile --config type.json", USAGE, '"head_dim": expected an integer'),
    ("config-zero", "run --config zero.json", USAGE, "1:13: expected .*leading zeros"),
    ("config-key", "compile --config key.json", USAGE, '"head_dmi"; did you mean "head_dim"'),
    ("config-mask", "compile --config mask.json", USAGE, 'mask.json: .*did you mean "causal"'),
    ("config-byte-0", "compile --config nul.json", USAGE,
     "nul.json: expected JSON text, found a byte 0"),
    ("config-escape", "compile --config escape.json", USAGE, "1:12: expected an escape"),
    ("config-quotes", "compile --config single.json", USAGE, "1:2: expected a key in double quotes"),
    ("config-bytes", "compile --config bytes.json", USAGE, r'unknown key "\?\?"'),
    ("config-cut", "compile --config cut.json", USAGE, r'unknown key "x{59}\?"'),
    ("config-endless", "compile --config /dev/zero", USAGE, "/dev/zero: .*does not end"),
    ("config-deep", "compile --config deep.json", USAGE, "64 levels"),
    ("config-list-auto", "compile --config listauto.json", USAGE,
     "auto without a condition and as the last, found 'auto if Sk <= 1'"),
    ("config-list-open", "compile --config listopen.json", USAGE,
     "a condition of each but the last, found 'generic'"),
    ("config-list-word", "compile --config listword.json", USAGE,
     "a condition such as Sk <= 256, .* after 'if', found 'Sk < 256'"),
    ("config-list-name", "compile --config listname.json", USAGE, 'did you mean "dualwave"'),
    ("config-list-head", "compile --config listhead.json", UNSUPPORTED,
     "schedule dualwave_narrow serves head_dim_qk multiples of 8 in 8..64, found 128"),
    ("run-list-value", f"run --config listvalue.json {PROBLEM}", USAGE,
     r"expected the condition 'ceil\(Sk / 0\) <= 3' of entry .* to have a value"),
    ("config-list-file", "compile --config listfile.json", USAGE, "none.mlir': " + NO_FILE),
    ("config-list-many", "compile --config listmany.json", USAGE, "at most 8 schedules, found more"),
    ("run-list-none", f"run --config listnone.json {PROBLEM}", UNSUPPORTED,
     "no entry of the kernel takes a problem of Sq = .*: expected Sk <= 1$"),
    ("config-reserved", "compile --config reserved.json", UNSUPPORTED, "dropout"),
    ("config-dropout", "compile --config dropout.json", UNSUPPORTED, "dropout"),
    ("config-splits", "compile --config splits.json", UNSUPPORTED, "splits"),
    ("config-unreserved", "compile --config off.json -o new.hsaco --schedule genric", USAGE,
     'did you mean "generic"'),

    # --q, --k, --v
    ("npy-none", f"run --q none.npy {PROBLEM}", USAGE, "none.npy: " + NO_FILE),
    ("npy-folder", f"run --k folder {PROBLEM}", USAGE, "folder: Is a directory"),
    ("npy-empty", f"run --v empty.npy {PROBLEM}", USAGE, "expected a .npy file, found an empty file"),
    ("npy-text", f"run --q text.npy {PROBLEM}", USAGE, "no .npy signature"),
    ("npy-magic", f"run --q magic.npy {PROBLEM}", USAGE, "no .npy signature"),
    ("npy-version", f"run --q version.npy {PROBLEM}", USAGE, "version 1, 2 or 3, found 9.0"),
    ("npy-prefix", f"run --q prefix.npy {PROBLEM}", USAGE, "prefix.npy: "),
    ("npy-header", f"run --q header.npy {PROBLEM}", USAGE, "truncated: a header of 118 bytes, found 50"),
    ("npy-cut", f"run --q cut.npy {PROBLEM}", USAGE, "truncated: .* 16384 bytes.*found 16383"),
    ("npy-longer", f"run --q longer.npy {PROBLEM}", USAGE, "after the data.*found 16385"),
    ("npy-fortran", f"run --q fortran.npy {PROBLEM}", USAGE, "expected C order, found Fortran"),
    ("npy-f8", f"run --q f8.npy {PROBLEM}", USAGE, "found '<f8'"),
    ("npy-big-endian", f"run --q big.npy {PROBLEM}", USAGE, "found '>u2'"),
    ("npy-struct", f"run --q struct.npy {PROBLEM}", USAGE, "expected a header.*found"),
    ("npy-type", f"run --q f16.npy {PROBLEM}", USAGE, "expected elements '<u2'.*found '<f2'"),
    ("npy-rank", f"run --q rank.npy {PROBLEM}", USAGE, r"expected \[B, S, H, D\].*found shape \[64, 128\]"),
    ("npy-shape", f"run --q shape.npy {PROBLEM}", USAGE, 'seqlen_q 128, but "seqlen_q" is given as 64'),
    ("npy-negative", f"run --q negative.npy {PROBLEM}", USAGE, "expected a header.*-64"),
    ("npy-huge", f"run --q huge.npy {PROBLEM}", USAGE, "more elements than memory"),
    ("npy-garbage", f"run --q garbage.npy {PROBLEM}", USAGE, "expected a header"),
    ("npy-no-shape", f"run --q noshape.npy {PROBLEM}", USAGE, "expected a header.*found {'descr'"),

    # --schedule, reported at its line. The text under edit is a built-in one.
    ("schedule-none", "compile --schedule none.mlir", USAGE, "none.mlir': " + NO_FILE),
    ("schedule-folder", "compile --schedule folder/", USAGE, "folder/': Is a directory"),
    ("schedule-empty", "compile --schedule empty.mlir", USAGE, "expected exactly one fmha.schedule"),
    ("schedule-comment", "compile --schedule comment.mlir", USAGE, "expected exactly one fmha.schedule"),
    ("schedule-module", "compile --schedule module.mlir", USAGE, "expected exactly one fmha.schedule"),
    ("schedule-two", "compile --schedule two.mlir", USAGE, "exactly one fmha.schedule.*found 2"),
    ("schedule-binary", "compile --schedule binary.mlir", USAGE, "binary.mlir:1:1: unexpected character"),
    ("schedule-cut", "compile --schedule cut.mlir", USAGE, r"cut.mlir:\d+:\d+: "),
    ("schedule-key", "compile --schedule key.mlir", USAGE, r"key.mlir:@tile_q@:.*keys tile_m, tile_n, .* found 'tile_q'; did you mean 'tile_m'"),
    ("schedule-word", "compile --schedule word.mlir", USAGE, r"word.mlir:@longst@:.*longest_first.*got: longst"),
    ("schedule-dialect", "compile --schedule dialect.mlir", USAGE, r"dialect.mlir:@#fhma@:.*#fmha.schedule"),
    ("schedule-tile", "compile --schedule tile.mlir", USAGE, r"tile.mlir:@tile_m =@:.*found 100"),
    ("schedule-negative", "compile --schedule negative.mlir", USAGE, r"negative.mlir:@tile_m =@:.*found -128"),
    ("schedule-overflow", "compile --schedule overflow.mlir", USAGE, r"overflow.mlir:@tile_m =@:.*too large"),
    ("schedule-waves", "compile --schedule waves.mlir", USAGE, r"waves.mlir:@waves =@:.*found 99"),
    ("schedule-lds", "compile --schedule lds.mlir", USAGE, r"lds.mlir:@tile_n =@:.*163840"),
    ("schedule-order", "compile --schedule order.mlir", USAGE, r"order.mlir:.*fmha.mask.*expected it after .qk"),
    ("schedule-simd", "compile -o out.hsaco --schedule simd.mlir", USAGE,
     r"simd.mlir:@waves_per_simd =@:.*waves_per_simd = 8"),
    ("schedule-registers", "compile -o out.hsaco --schedule registers.mlir", USAGE,
     r"registers.mlir:@waves_per_simd =@:.*does not fit.*at most 256 registers.*found at least \d+"),
    ("schedule-rows", "compile --schedule rows.mlir", USAGE, r"rows.mlir:@tile_m =@:.*at most 65536, found 1099511627776"),
    ("schedule-deep", "compile --schedule deep.mlir", USAGE, "deep.mlir:2:1407: expected at most 200 brackets"),
    ("score-mod-deep", "compile --score-mod deep.mlir", USAGE, "deep.mlir:2:1407: expected at most 200 brackets"),
    ("schedule-signs", "compile --schedule signs.mlir", USAGE, r"signs.mlir:1:\d+: expected at most 200 brackets"),
    ("schedule-no-stages", "compile --schedule stages.mlir", USAGE, "expected stages, found none"),
    ("schedule-pined", "compile --schedule pined.mlir", USAGE, "pined.mlir:@pined@:.*got: pined$"),
    ("schedule-grid", "compile --schedule grid.mlir", USAGE, "grid.mlir:@foo@:.*got: foo$"),
    ("schedule-bits", "compile --schedule slc.mlir", USAGE, "slc.mlir:@slc@:.*expected sc0, nt or sc1, found 'slc'$"),
    ("schedule-no-bits", "compile --schedule nobits.mlir", USAGE, r"nobits.mlir:\d+:\d+:.*expected sc0, nt or sc1, found none of them$"),
    ("schedule-bits-twice", "compile --schedule twobits.mlir", USAGE,
     "twobits.mlir:@nt>@:.*expected each of sc0, nt and sc1 once, found 'nt' again$"),
    ("schedule-operand", "compile --schedule nooperand.mlir", USAGE,
     "nooperand.mlir:@part_q@:.*expected one of the keys q, k, v, o, lse, .* part_lse, found 'part_q'; did you mean 'part_[ol]"),
    ("schedule-no-policy", "compile --schedule nopolicy.mlir", USAGE,
     "nopolicy.mlir:.*expected cache with sc0, nt or sc1 of an operand, or no cache at all; found one of no operand$"),
    ("schedule-shapes", "compile --schedule shapes.mlir", USAGE, "shapes.mlir:@qk =@:.*pv has n = 32$"),
    ("schedule-race", "compile --schedule race.mlir", USAGE,
     r"race.mlir:\d+:8:.*load_k ahead 2 in .v_in overwrites what may still be read by read_k in .k_in: "
     "expected a barrier after the wait of the .* wave group for read_k"),
    ("schedule-head", "compile --schedule dualwave_narrow", UNSUPPORTED,
     "schedule dualwave_narrow serves head_dim_qk multiples of 8 in 8..64, found 128$"),
    ("schedule-bias", "compile --schedule dualwave --bias x.npy", UNSUPPORTED, "schedule dualwave takes no bias$"),
    ("schedule-run", f"run --o out.npy --schedule tile.mlir {PROBLEM}", USAGE, r"tile.mlir:@tile_m =@:"),

    # LAUNCH.json
    ("launch-none", "emu none.json", USAGE, "none.json: " + NO_FILE),
    ("launch-folder", "emu folder", USAGE, "folder: Is a directory"),
    ("launch-empty", "emu launch_empty.json", USAGE, "malformed JSON at 1:1"),
    ("launch-open", "emu launch_open.json", USAGE, "malformed JSON at 2:1.*end of the file"),
    ("launch-value", "emu launch_value.json", USAGE, "malformed JSON at 4:12.*'}"),
    ("launch-behind", "emu launch_behind.json", USAGE, "end of the file after.*found 'x'"),
    ("launch-array", "emu launch_array.json", USAGE, "expected an object, found an array"),
    ("launch-missing", "emu launch_missing.json", USAGE, '"block" is missing'),
    ("launch-key", "emu launch_key.json", USAGE, '"buffer"; did you mean "buffers"'),
    ("launch-twice", "emu launch_twice.json", USAGE, '"grid" occurs twice'),
    ("launch-zero", "emu launch_zero.json", USAGE, "grid: .*at least 1, found 0"),
    ("launch-two", "emu launch_two.json", USAGE, r"three numbers \[x,y,z\], found 2"),
    ("launch-fraction", "emu launch_fraction.json", USAGE, "grid: .*whole number.*1.5"),
    ("launch-text", "emu launch_text.json", USAGE, "grid: .*found a string"),
    ("launch-block", "emu launch_block.json", USAGE, "4096 work-items, at most"),
    ("launch-grid", "emu launch_grid.json", USAGE, r"grid \[4294967295,.*2\^64"),
    ("launch-private", "emu launch_private.json", USAGE, "4294983664 bytes of private memory"),
    ("launch-kernel", "emu launch_kernel.json", USAGE, 'no kernel "kk".*it has: k'),
    ("launch-lds", "emu launch_lds.json", USAGE, "200000.*163840"),
    ("launch-no-code", "emu launch_nocode.json", USAGE, "none.hsaco: " + NO_FILE),
    ("launch-code-folder", "emu launch_codefolder.json", USAGE, "folder: Is a directory"),
    ("launch-no-bytes", "emu launch_nobytes.json", USAGE, r'buffers.q: .*"bytes"'),
    ("launch-fill", "emu launch_fill.json", USAGE, "buffers.q.fill: 256.*255"),
    ("launch-wide", "emu launch_wide.json", DEVICE,
     '"q": 70368744177664 bytes do not fit: the device has 309237645312 bytes'),
    ("launch-grid-negative", "emu launch_gridneg.json", USAGE,
     "grid: expected a whole number of at least 0, found -1$"),
    ("launch-grid-half", "emu launch_gridhalf.json", USAGE,
     "grid: expected a whole number of at least 0, found 1.5$"),
    ("launch-grid-huge", "emu launch_gridhuge.json", USAGE,
     r"grid: 1e\+300 is too large; at most 4294967295 is allowed$"),
    ("launch-elf", "emu good.hsaco", USAGE, "malformed JSON at 1:1: .* wrong or missing at byte 0x7f$"),
    ("launch-grid-long", "emu launch_gridlong.json", UNSUPPORTED,
     r"grid \[1,2147483648,1\] .* has 137438953472 work-items, at most 4294967296"),
    ("launch-both", "emu launch_both.json", USAGE, '"file" and "fill" exclude'),
    ("launch-no-file", "emu launch_nofile.json", USAGE, "none.bin: " + NO_FILE),
    ("launch-size", "emu launch_size.json", USAGE, "expected 64 bytes, .* 32"),
    ("launch-base", "emu launch_base.json", USAGE, r'buffers.q.base: .*"high"'),
    ("launch-field", "emu launch_field.json", USAGE, 'buffers.q: .*"otu"; did you mean "out"'),
    ("launch-overlap", "emu launch_overlap.json", USAGE, '"r".*overlaps "q"'),
    ("launch-nowhere", "emu launch_nowhere.json", USAGE, "none/o.bin: its directory"),
    ("launch-outs", "emu launch_outs.json", USAGE, r'buffers.r.out: .*"q"'),
    ("launch-no-buffer", "emu launch_nobuffer.json", USAGE, 'no buffer is named "kyes"; did you mean "keys"'),
    ("launch-many", "emu launch_many.json", USAGE, "kernarg: expected at most 4096 members, found 4097"),
    ("launch-many-buffers", "emu launch_manybuffers.json", USAGE, "buffers: expected at most 4096"),
    ("launch-buffer-twice", "emu launch_buffertwice.json", USAGE, 'buffers: "q" occurs twice'),
    ("launch-tensors", "emu launch_tensors.json", USAGE, "tensors: expected an object, found an array"),
    ("launch-tensor", "emu launch_tensor.json", USAGE, "tensors.q: expected an object, found a number"),
    ("launch-tensor-buffer", "emu launch_tensorbuffer.json", USAGE, 'tensors.qq: no buffer is named "qq"'),
    ("launch-tensor-key", "emu launch_tensorkey.json", USAGE, 'tensors.q: unknown key "stride"'),
    ("launch-tensor-element", "emu launch_tensorelement.json", USAGE, 'tensors.q: "element_bytes" is missing'),
    ("launch-tensor-axes", "emu launch_tensoraxes.json", USAGE, "tensors.q.axes: expected 1 to 8 names, found 0"),
    ("launch-tensor-names", "emu launch_tensornames.json", USAGE, "tensors.q.axes: .*found a number"),
    ("launch-tensor-shape", "emu launch_tensorshape.json", USAGE, "tensors.q.shape: expected 2 extents, found 1"),
    ("launch-tensor-extent", "emu launch_tensorextent.json", USAGE, "tensors.q.shape: expected a whole number.*-1"),
    ("launch-tensor-end", "emu launch_tensorend.json", USAGE, 'tensor "q": expected all 64 bytes of it in one buffer'),
    ("launch-tensor-output", "emu launch_tensoroutput.json", USAGE, "tensors.q.output: expected true or false"),
    ("launch-tensor-strides", "emu launch_tensorstrides.json", USAGE, 'tensor "q": .*overlap'),
    ("launch-ragged", "emu launch_ragged.json", USAGE, 'tensors.q.ragged.axis: no axis is named "x"'),
    ("launch-ragged-two", "emu launch_raggedtwo.json", USAGE, 'tensors.q.ragged: expected "lengths" or "starts"'),
    ("launch-ragged-rows", "emu launch_raggedrows.json", USAGE, r"starts\[1\]: expected a number from 0 to 4, found 5"),
    ("launch-two-values", "emu launch_value2.json", USAGE, r"kernarg\[0\]: expected one value"),
    ("launch-no-value", "emu launch_novalue.json", USAGE, r"kernarg\[0\]: no value"),
    ("launch-range", "emu launch_range.json", USAGE, r"kernarg\[0\].u8: 256"),
    ("launch-minus", "emu launch_minus.json", USAGE, r'kernarg\[0\].u64: .*" -1"'),
    ("launch-long", "emu launch_long.json", USAGE, r'kernarg\[0\].u64: .*below 2\^64.*"18446744073709551616"'),
    ("launch-real", "emu launch_real.json", USAGE, r'kernarg\[0\].f32: expected a number.*"half"'),
    ("launch-argument-key", "emu launch_argkey.json", USAGE, 'did you mean "u32"'),
    ("launch-argument-file", "emu launch_argfile.json", USAGE, "none.bin: " + NO_FILE),
    ("launch-outside", "emu launch_outside.json", USAGE, r"\[1,0,0\] lies outside the grid"),
    ("launch-budget", "emu emu_good.hsaco.json --max-instructions 5", DEVICE, "."),

    # Code objects; the emulator's answers to the same follow below.
    ("code-none", "inspect none.hsaco", USAGE, "none.hsaco: " + NO_FILE),
    ("code-folder", "inspect folder", USAGE, "folder: Is a directory"),
    ("code-diff", "inspect --diff good.hsaco cut_64.hsaco", USAGE, "cut_64.hsaco: truncated"),
    ("code-diff-none", "inspect --diff none.hsaco good.hsaco", USAGE, "none.hsaco: " + NO_FILE),
    ("code-coverage", "emu --coverage cut_1_2.hsaco", USAGE, "truncated"),
    ("code-object-file", "emu emu_k.o.json", USAGE, "k.o: .*ELF type 1 .*ld.lld -shared"),
]

# (file, what `fmhac inspect` says, what `fmhac emu` says).
CODE_OBJECTS = [
    ("cut_0", "empty file", "empty file"),
    ("cut_1", "truncated", "truncated"),
    ("cut_4", "truncated", "truncated"),
    ("cut_16", "truncated", "truncated"),
    ("cut_63", "truncated: expected 64 bytes", "truncated"),
    ("cut_64", "truncated: .*program headers", "truncated"),
    ("cut_200", "truncated", "truncated"),
    ("cut_1000", "truncated: .*section table", "truncated: the section table"),
    ("cut_1_4", "truncated", "truncated"),
    ("cut_1_2", "truncated", "truncated"),
    ("cut_less_64", "truncated", "truncated"),
    ("cut_less_1", "truncated", "truncated"),
    ("text", "expected an ELF file", "expected an ELF file"),
    ("bundle", "expected an ELF file", "offload bundle"),
    ("class", "64-bit little-endian", "64-bit little-endian"),
    ("endian", "64-bit little-endian", "expected"),
    ("osabi", r"OS ABI 64 \(amdhsa\), found 0", r"OS ABI 64 \(amdhsa\), found 0"),
    ("abi", "ABI version 1 to 4.*found 9", "ABI version 1 to 4.*found 9"),
    ("machine", "machine 224.*found machine 243", "machine 224.*found machine 243"),
    ("host", r"found machine 62 \(x86-64\)", r"found machine 62 \(x86-64\)"),
    ("gfx942", "expected gfx950.*found gfx942.*-mcpu=gfx950", "found gfx942.*-mcpu=gfx950"),
    ("gfx1100", "expected gfx950.*found gfx1100.*-mcpu=gfx950", "found gfx1100.*-mcpu=gfx950"),
    ("sections", "damaged.*section table", "damaged.*section table"),
    ("nonote", "expected a metadata note", None),
]


def all_cases():
    yield from CASES
    for name, inspect, emu in CODE_OBJECTS:
        yield (f"inspect-{name}", f"inspect {name}.hsaco", USAGE,
               f"{name}.hsaco: .*(?:{inspect})")
        if emu:
            yield (f"emu-{name}", f"emu emu_{name}.hsaco.json", USAGE,
                   f"{name}.hsaco: .*(?:{emu})")


def snapshot(folder):
    """Name of everything below the folder, with what changes when it is written or
    replaced, be it by the same bytes."""
    found = {}
    for root, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(root, name)
            status = os.lstat(path)
            found[os.path.relpath(path, folder)] = (
                status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns)
    return found


def with_lines(folder, arguments, expression):
    """The expression with "@TEXT@" replaced by the line of the schedule file on
    which TEXT first stands."""
    def line(match):
        name, = [word for word in arguments if word.endswith(".mlir")]
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for number, text in enumerate(file, 1):
                if match.group(1) in text and not text.startswith("//"):
                    return str(number)
        raise AssertionError(f"{name} has no '{match.group(1)}'")
    return re.sub("@([^@]+)@", line, expression)


def check_json(stdout, code, error):
    if "\ufffd" in stdout:  # where the bytes were no UTF-8
        return "with --json: stdout is not UTF-8"
    try:
        answer = json.loads(stdout)
    except ValueError:
        return "with --json: stdout is not one JSON object"
    if not isinstance(answer, dict) or answer.get("exit_code") != code:
        return f"with --json: no exit_code {code} in {stdout[:200]}"
    if answer.get("error", "?").split("\n")[0] not in error:
        return f"with --json: the error is {answer.get('error')!r}"
    return None


class Runner:
    def __init__(self, fmhac, folder):
        self.fmhac, self.folder = os.path.abspath(fmhac), folder
        self.before = snapshot(folder)

    def run(self, arguments):
        return subprocess.run([self.fmhac, *arguments], cwd=self.folder,
                              capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, timeout=120, check=False)

    def touched(self):
        after = snapshot(self.folder)
        if after == self.before:
            return None
        names = [name for name in {**after, **self.before}
                 if after.get(name) != self.before.get(name)]
        self.before = after
        return "new, gone or changed: " + ", ".join(sorted(names))

    def case(self, arguments, code, expression):
        """(what is wrong or None, the error)."""
        words = ["" if word == "''" else word for word in arguments.split()]
        done = self.run(words)
        prefix = "fmhac" if done.stderr.startswith("fmhac:") else f"fmhac {words[0]}"
        lines = done.stderr.splitlines()
        errors = [line for line in lines if line.startswith(prefix + ": error: ")]
        error = errors[0][len(prefix + ": error: "):] if errors else done.stderr[:200]
        # Where waves stood, when the emulator could not go on.
        waves = "|  wave " if code == DEVICE else ""
        # Of an error in a file its line, and a caret below.
        others = [line for line in lines if line not in errors and not re.match(
            f"{re.escape(prefix)}: (note|warning|remark): |[ \\d]{{5}} \\| {waves}", line)]
        expression = with_lines(self.folder, words, expression)
        wrong = None
        if done.returncode != code:
            wrong = f"exit code {done.returncode}, expected {code}"
        elif len(errors) != 1 or others:
            wrong = f"{len(errors)} errors and {len(others)} other lines on stderr"
        elif not re.search(expression, error):
            wrong = f"the error does not match {expression!r}"
        elif done.stdout:
            wrong = f"stdout is not empty: {done.stdout[:100]!r}"
        elif code == UNSUPPORTED and "reserved" not in error and not (
                "nearest supported" in done.stderr or "available" in error or
                "at most" in error or re.search("expected .* <= ", error)):
            wrong = "nothing says what is supported"
        if not wrong:
            again = self.run([*words, "--json"])
            if again.returncode != code:
                wrong = f"with --json: exit code {again.returncode}"
            else:
                wrong = check_json(again.stdout, code, error)
        return wrong or self.touched(), error


def damaged(good, seed, count):
    """Copies of `good`, each with one byte of its first or last kilobyte, or of
    anywhere, replaced."""
    rng = random.Random(seed)
    for _ in range(count):
        at = rng.choice([rng.randrange(64), rng.randrange(1024),
                         len(good) - 1 - rng.randrange(1024), rng.randrange(len(good))])
        yield at, good[:at] + bytes([rng.randrange(256)]) + good[at + 1:]


def run_damaged(runner, count):
    """No byte of a code object that is wrong ends the command otherwise than by an
    exit code of the table, with an error or findings if it is not 0."""
    with open(os.path.join(runner.folder, "good.hsaco"), "rb") as file:
        good = file.read()
    failures = []
    for at, code in damaged(good, 1, count):
        bad_input_files.write(runner.folder, "damaged.hsaco", code)
        bad_input_files.write(runner.folder, "damaged.json", json.dumps(
            {"code_object": "damaged.hsaco", "grid": [1, 1, 1], "block": [64, 1, 1]}))
        for words in (["inspect", "damaged.hsaco"],
                      ["emu", "damaged.json", "--max-instructions", "2000"]):
            done = runner.run(words)
            if done.returncode not in (DONE, CHECK, USAGE, UNSUPPORTED, DEVICE) or (
                    done.returncode and not done.stderr):
                failures.append(f"byte {at} changed: fmhac {' '.join(words)}: exit code "
                                f"{done.returncode}, {done.stderr[:2000]}")
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--only", default="", help="cases whose name matches this")
    parser.add_argument("--damaged", type=int, default=40,
                        help="how many damaged code objects (default 40)")
    parser.add_argument("--list", action="store_true",
                        help="print name, exit code and error of each case")
    slices.add_argument(parser)
    options = parser.parse_args()
    slices.tell(options)
    failed = total = 0
    with tempfile.TemporaryDirectory() as folder:
        bad_input_files.make(folder, options.fmhac, options.llvm_bin)
        runner = Runner(options.fmhac, folder)
        for name, arguments, code, expression in options.slice.of(
                case for case in all_cases() if re.search(options.only, case[0])):
            total += 1
            wrong, error = runner.case(arguments, code, expression)
            if options.list:
                print(f"{name:22} {code}  {error}")
            if wrong:
                failed += 1
                print(f"FAIL {name}: fmhac {arguments}: {wrong}\n  error: {error}")
        for failure in run_damaged(runner, options.damaged):
            failed += 1
            print(f"FAIL {failure}")
    print(f"{total} cases, {options.damaged} damaged code objects, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
