#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# list --explain-schedule: what a recipe is written from. Counts by hand, of 64 keys and 32 rows
# a wave, 32 scores a lane: QK two blocks of 32 keys times D / 16 matrix instructions, PV D / 32
# times 64 / 16; an addition a score, a conversion a pair, a maximum of three for two.
manual=$(cd "$(dirname "$0")/../../docs" && pwd)/fmhac-schedule.5.scd
. "$(dirname "$0")/lib.sh"

# row STAGE MFMA VALU TRANS DS_READ VMEM SALU
row() {
  wanted=$*
  tr -s ' ' <stdout | grep -qE "^@$1 (memory|compute) ${wanted#* }( |$)" ||
    fail "$what: expected $wanted"
}

run 0 list --explain-schedule dualwave_d96 --head-dim 96
out 'tiles of 256 rows x 64 keys'
row k_in 0 0 0 12 2 0
row scores 12 48 12 0 0 0
row v_in 0 16 0 24 2 0
row output 12 32 20 0 0 0
out '288 cycles of valu and trans, room for 288'
out 'exp[5 to 8 of 8] ahead -1'
run 0 list --explain-schedule dualwave_d96 --head-dim 96 --json
one_object
# The recipe of @output leaves an exponential over, that of @v_in five maxima and its copies.
json '"left_over":{"mfma":0,"valu":0,"trans":1,"ds_read":0,"vmem":0,"salu":0}'
json '"left_over":{"mfma":0,"valu":5,"trans":0,"ds_read":0,"vmem":2,"salu":0}'
# docs/compiler.md: 48 * 4 + 12 * 8 of 16 * 24 cycles.
run 0 list --explain-schedule dualwave --head-dim 128
row scores 16 48 12 0 0 0
out '288 cycles of valu and trans, room for 384'
# A recipe that asks for one addition too many.
"$fmhac" list --print-schedule dualwave_d96 |
  sed 's/8 x \[mfma 1, valu 6\]/7 x [mfma 1, valu 6], [mfma 1, valu 7]/' >own.mlir
run 0 list --explain-schedule own.mlir --head-dim 96 --json
one_object
json '"left_over":{"mfma":0,"valu":-1,"trans":0,"ds_read":0,"vmem":0,"salu":0}'
run 0 list --explain-schedule ./own.mlir --head-dim 96
tr -s ' ' <stdout | grep -q '^ left 0 -1 0 0 0 0' || fail "$what: nothing below 0"
# With a function of scores, of another size.
cat >f.mlir <<'TEXT'
fmha.score_mod @same(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  fmha.yield %score : f32
}
TEXT
run 0 list --explain-schedule dualwave --head-dim 64 --score-mod f.mlir
row k_in 0 0 0 8 1 0

# A stage without a recipe: LLVM orders its instructions. 64 keys of 32 rows, 32 a lane.
run 0 list --explain-schedule generic --head-dim 64
row scores 8 48 33 8 2 0
# Each of several kernels has its own stages.
run 0 list --explain-schedule 'dualwave if Sk <= 256; generic' --head-dim 64
out 'schedule dualwave if Sk <= 256, '
out 'schedule generic, '
row k_in 0 0 0 8 1 0
row scores 8 48 33 8 2 0
run 0 list --explain-schedule 'dualwave if Sk <= 256; generic' --head-dim 64 --json
one_object
json '"entries":[{"schedule":"dualwave","when":"Sk<=256",'
json '},{"schedule":"generic","when":"","kernel":"attn_'
run 2 list --explain-schedule dualwav
err 'did you mean'
run 3 list --explain-schedule dualwave_narrow --head-dim 128
err 'serves head_dim_qk'
sed 's/stagger = 1/stagger = 2/' own.mlir >race.mlir
run 0 list --explain-schedule race.mlir --head-dim 96 # still being written
for other in '--explain-mask none' '--print-schedule generic'; do
  # shellcheck disable=SC2086
  run 2 list --explain-schedule own.mlir $other
  err 'one at a time'
done
run 2 list --print-schedule generic --explain-mask none
err 'one at a time'
run 2 list --explain-schedule own.mlir --schedule dualwave
err 'leave out --schedule'

# The worked schedule of the manual is the built-in one.
sed -n '/^fmha.recipe @dualwave_1tile_d96/,/^```/p' "$manual" | sed '$d' >manual.mlir
"$fmhac" list --print-schedule dualwave_d96 | grep -v '^//' >builtin.mlir
what='fmhac-schedule(5)'
cmp -s manual.mlir builtin.mlir || fail 'the worked schedule is not the built-in one'
finish
