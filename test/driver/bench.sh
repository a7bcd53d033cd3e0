#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What bench prints holds together: bench.sh FMHAC FOLDER, where FOLDER is that of the
# libamdhip64 made of the emulator. No time is compared with a clock.
here=$(cd "$(dirname "$0")" && pwd)
hip=$2
. "$here/lib.sh"

# check FILE...: bench_check.py on files of --json.
check() { python3 "$here/bench_check.py" "$@" || fail "$what: $*"; }

# One point: keys, and the arithmetic between them.
run 0 bench --schedule generic --mask causal --head-dim 64 --heads 4 --kv-heads 2 --seqlen 1024 --batch 2 --json
one_object
cp "$work/stdout" point.json
check point point.json
json '"device":"emumodelled"'
json '"batch":2,"heads":4,"kv_heads":2,"seqlen_q":1024,"seqlen_kv":1024'
run 0 bench --head-dim 192 --mask window:100,20 --seqlen-q 300 --seqlen-kv 700 --alibi --lse --json
cp "$work/stdout" window.json
check point window.json
# Workgroups that share a compute unit.
run 0 bench --schedule generic --head-dim 64 --batch 64 --heads 8 --seqlen 512 --sample 3 --json
cp "$work/stdout" shared.json
check point shared.json
grep -qE '"resident":[[:space:]]*[2-9]' "$work/stdout" || fail 'no workgroups share a compute unit'
run 0 bench --schedule generic --seqlen 64 --json # one tile: no loop is seen to repeat
cp "$work/stdout" tile.json
check point tile.json
json '"loop":null'
# A token of each sequence: what its tile and its memory are used for. A note says what
# the clock of f16 rests on.
run 0 bench --schedule generic --dtype f16 --heads 8 --kv-heads 2 --seqlen-q 1 --seqlen-kv 2048 --json
cp "$work/stdout" decode.json
check point decode.json
json '"tile_rows_used":1,'
run 0 bench --constants --json
cp "$work/stdout" constants.json
check memory decode.json constants.json
check memory point.json constants.json
# Enough keys for all compute units: HBM bounds it.
run 0 bench --schedule generic --heads 64 --kv-heads 64 --batch 16 --seqlen-q 1 --seqlen-kv 1024 --timing-constants clock_at_rest_ghz=9,clock_ceiling_ghz=9 --json
cp "$work/stdout" stream.json
check memory stream.json constants.json
json '"bound":"hbm"'
run 0 bench --schedule generic --heads 64 --kv-heads 64 --batch 16 --seqlen-q 1 --seqlen-kv 1024 --timing-constants clock_at_rest_ghz=9,clock_ceiling_ghz=9
out 'bound       hbm, whose bytes need nearly all of the time'
run 0 bench --schedule generic --dtype f16 --heads 8 --kv-heads 2 --seqlen-q 1 --seqlen-kv 2048
out 'rows        1 of the 128 of a tile are in use (0.8 %)'
out 'note        f16 has a clock that rests on one kernel, which is 4.7 % slower than in bf16; another one is 0.3 % slower'
grep -qE '^memory      2\.101 MB of Q, K, V and O, each once: ' "$work/stdout" || fail 'bytes of a decode'
grep -qE '^grid        matrix units busy [0-9.]+ %, in the loop [0-9.]+ %; vector ALUs [0-9.]+ %; tail ' "$work/stdout" ||
  fail 'both shares of the matrix units'
run 0 bench --schedule generic --mask causal --seqlen 512
out 'on emu modelled'
out 'bound '
grep -qE '^time +[0-9.]+ ms \([0-9.]+ to [0-9.]+\)' "$work/stdout" || fail 'no time with its interval'
grep -qE '^workgroups +8 of 8 timed' "$work/stdout" || fail 'not how many were timed'

# A part of the grid stands for all of it.
for mask in none causal window:300,0; do
  run 0 bench --schedule generic --mask $mask --head-dim 64 --heads 2 --batch 2 --seqlen 2048 --sample all --json
  cp "$work/stdout" all.json
  run 0 bench --schedule generic --mask $mask --head-dim 64 --heads 2 --batch 2 --seqlen 2048 --sample 9 --json
  cp "$work/stdout" some.json
  check point all.json
  check point some.json
  check sample all.json some.json
done
# A mask that starts anew: where it does is timed.
for sample in all auto; do
  run 0 bench --schedule generic --mask chunked:1024 --head-dim 32 --heads 8 --batch 4 --seqlen 4096 --sample $sample --json
  cp "$work/stdout" $sample.json
done
check sample all.json auto.json
# Nine points say of six teeth only that they are not enough.
run 0 bench --schedule generic --mask chunked:512 --head-dim 64 --seqlen 3072 --sample 9 --json
grep -qE '"sampling_deviation":[[:space:]]*0\.[0-9]*[1-9]' "$work/stdout" || fail 'no deviation'
run 0 bench --schedule generic --mask chunked:512 --head-dim 64 --seqlen 3072 --sample 9
grep -qE 'within [1-9][0-9.]* % of a line' "$work/stdout" || fail 'deviation not told'
# The same launch from its files, every workgroup in one launch.
same='--schedule generic --mask causal --head-dim 64 --heads 2 --batch 2 --seqlen 512'
run 0 run $same --no-compare --save-launch launch
run 0 emu launch/LAUNCH.json --timing --json
cp "$work/stdout" emu.json
run 0 bench $same --sample all --json
cp "$work/stdout" bench.json
check emu bench.json emu.json
# Sequences of different lengths: each is its own.
python3 - <<'END'
import struct
for name, values in (("q", (0, 1000, 1100, 1500)), ("kv", (0, 300, 2300, 2400))):
    header = "{'descr': '<i4', 'fortran_order': False, 'shape': (4,), }"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(f"cu_{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack("<4i", *values))
END
ragged='--schedule generic --cu-seqlens-q cu_q.npy --cu-seqlens-kv cu_kv.npy --head-dim 64'
run 0 bench $ragged --sample all --json
cp "$work/stdout" all.json
run 0 bench $ragged --sample 5 --json
cp "$work/stdout" some.json
check point all.json
check sample all.json some.json

# What the model is given counts: matrix instructions that take no less, at half the clock.
run 0 bench --schedule generic --head-dim 64 --seqlen 1024 --json
cp "$work/stdout" clock.json
run 0 bench --schedule generic --head-dim 64 --seqlen 1024 --json --timing-constants clock_ceiling_ghz=1
cp "$work/stdout" slow.json
check point slow.json
check clock clock.json slow.json

# Layers of a step: what makes the lists runs once for all of them.
lists='--work list --mask causal --head-dim 64 --heads 2 --batch 4 --seqlen 512'
run 0 bench --constants --json
cp "$work/stdout" constants.json
# As listed a gap is as long as the overhead; another one counts, too.
for gap in as-listed 5000; do
  constants=
  [ $gap = as-listed ] || constants="--timing-constants launch_gap_ns=$gap"
  run 0 bench $lists $constants --json
  cp "$work/stdout" one.json
  run 0 bench $lists $constants --layers 7 --json
  cp "$work/stdout" many.json
  check layers $gap one.json many.json constants.json
done
run 0 bench $lists --layers 7
out 'layers      the time is that of one of 7'
grep -qE '^launch      [0-9.]+ ms by itself: plan_' "$work/stdout" || fail 'no time of the planner'
for layers in 0 1001; do
  run 2 bench $lists --layers $layers
  err "--layers: expected 1 to 1000, found $layers"
  no_out
done

# Sweeps: every combination once, the last key fastest; the same in each form.
sweep='--schedule generic --head-dim 64 --layers 3 --sweep seqlen=128,256 --sweep mask=none,causal'
run 0 bench $sweep --json
one_object
cp "$work/stdout" sweep.json
run 0 bench $sweep --csv
cp "$work/stdout" sweep.csv
check sweep sweep.json sweep.csv
run 0 bench --schedule generic --head-dim 64 --seqlen 128 --sweep 'mask=window:10,0;chunked:64' --csv
grep -q ',"window:10,0",' "$work/stdout" || fail 'a mask with a comma is not quoted'
[ "$(wc -l <"$work/stdout")" -eq 3 ] || fail 'expected two points after a line of columns'
run 0 bench $sweep
out 'seqlen=256 mask=causal'
[ "$(wc -l <"$work/stdout")" -eq 5 ] || fail 'expected four points after a line of columns'
! grep -q '\[[#.]*\]' "$work/stderr" || fail 'a bar where there is no terminal'
run 2 bench $sweep --csv --json
err '--csv and --json exclude each other'
one_object
# What cannot be is said before anything takes its time.
run 3 bench --sweep head-dim=64,7
err 'of point head-dim=7'
no_out
run 3 bench --schedule 'generic if Sk <= 100' --sweep seqlen=64,200
err 'Sk = 200, found "generic if Sk <= 100"'
err 'of point seqlen=200'
no_out
run 2 bench --schedule 'generic if ceil(Sk / (Hq - 2)) <= 4; generic_wide' --heads 2 \
  --sweep seqlen=128,256
err "to have a value, found a divisor below 1"
err 'of point seqlen=128'
no_out
run 2 bench --sweep seqlen=128,0 --json
one_object
no_points=$(grep -c points "$work/stdout")
[ "$no_points" -eq 0 ] || fail 'points beside an error of usage'

# Constants, as a table and as JSON.
run 0 bench --constants
grep -qE '^valu_cycles +4 +cycles +documented ' "$work/stdout" || fail 'no valu_cycles'
lines=$(wc -l <"$work/stdout")
run 0 bench --constants --json
one_object
[ "$(grep -c '"name"' "$work/stdout")" -eq "$lines" ] || fail 'constants of the JSON'

# On a GPU.
LD_LIBRARY_PATH=$hip
export LD_LIBRARY_PATH
run 0 bench --device hip --seqlen 128 --repeat 3 --warmup 0 --json
one_object
json '"device":"hipmeasured"'
json '"samples":3,'
json '"cycles_per_kv_tile":null,"mfma_busy":null,"mfma_busy_loop":null,"bound":null'
cp "$work/stdout" hip.json
check point hip.json
run 0 bench --device hip $lists --layers 3 --repeat 2 --warmup 0 --json
cp "$work/stdout" hip.json
check hip-layers 3 hip.json
# Kernels in their order: planner and attention of the launch that loads, then those of the warm-up,
# where the fifth is attention of the second layer.
FMHAC_TEST_HIP_FAIL=hipModuleLaunchKernel=719@5
export FMHAC_TEST_HIP_FAIL
run 4 bench --device hip $lists --layers 3 --warmup 3
err 'launch: attn_'
run 4 bench --device hip $lists --warmup 3
err 'launch: plan_'
unset FMHAC_TEST_HIP_FAIL
run 0 bench --device hip --seqlen 128 --repeat 1 --sweep heads=1,2 --csv
[ "$(wc -l <"$work/stdout")" -eq 3 ] || fail 'two points on hip'
# Its times are those of events, not of the host's clock.
FMHAC_TEST_HIP_FAIL=hipEventElapsedTime=719
export FMHAC_TEST_HIP_FAIL
run 4 bench --device hip --seqlen 128
err 'hipEventElapsedTime failed: HIP error 719'
unset FMHAC_TEST_HIP_FAIL
FMHAC_TEST_HIP_DEVICES=0
export FMHAC_TEST_HIP_DEVICES
run 4 bench --device hip --seqlen 128
no_out
# In a sweep, the error with what was timed before it.
run 4 bench --device hip --seqlen 128 --sweep heads=1,2 --json
one_object
json '"points":[]'
json '"exit_code":4'
finish
