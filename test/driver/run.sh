#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compile and run, end to end on the emulator with small problems.
. "$(dirname "$0")/lib.sh"

run 0 compile
out 'bytes'
file=$(ls ./*.hsaco) && [ -f "$file" ] || fail 'compile: no code object'
run 0 compile -o named.hsaco --json
one_object
json '"file":"named.hsaco"'
cmp -s "$file" named.hsaco || fail 'two compilations differ'
run 0 inspect named.hsaco --json
json '"config":{"dtype":"bf16"'
json '"name":"q"'
run 0 compile -o -
cmp -s "$work/stdout" named.hsaco || fail '-o - differs from the file'
run 2 compile -o none/named.hsaco
err 'none/named.hsaco'
run 0 compile --emit=problem
out 'fmha.'
run 0 compile --emit=isa -o isa.s
no_out
grep -q s_endpgm isa.s || fail 'the isa rung has no s_endpgm'
run 0 compile --print-pipeline
[ -s "$work/stdout" ] || fail 'the pipeline is empty'

run 0 run --seqlen 64 --heads 1 --json
one_object
json '"device":"emu"'
json '"pass":true'
json '"nan_count":0'
json '"missing_nan_count":0'
json '"bound":"3floor+1e-5"'
json '"findings":[]'
json '"problem":{"batch":1,"heads":1,"kv_heads":1,"seqlen_q":64,"seqlen_kv":64'
run 0 run --seqlen-q 33 --seqlen-kv 70 --heads 2 --kv-heads 1 --mask causal \
  --input spikes
out 'pass'
run 0 run --seqlen 64 --heads 1 --check=all --sched=random:1 --landing=late
out 'pass, 0 findings'
# Inputs with prescribed scores; the fixture's O is known: (2047 e^-7 - 1) / (2047 e^-7 + 1).
for input in rising sink fixture; do
  run 0 run --seqlen-q 64 --seqlen-kv 2100 --heads 2 --kv-heads 1 --input $input \
    --out-dtype f32 --o prescribed.npy
done
tail -c +129 prescribed.npy | od -An -v -tf4 | tr -s ' ' '\n' |
  awk 'NF && ($1 < 0.2923 || $1 > 0.3123) { wrong++ } NF { all++ }
       END { exit wrong || all != 64 * 2 * 128 }' || fail 'fixture: O is not 0.3023'

# Lifted weights of 8 bits stay below 448, however large the products are.
for scale in 65536 -65536; do
  run 0 run --dtype fp8 --heads 1 --seqlen 256 --scale=$scale --input spikes
done
# One key has all the weight: the floor is 0, and half an ulp of O counts.
run 0 run --dtype f16 --heads 1 --seqlen 64 --scale 65536 --json
json '"bound":"3halfulps+1e-5"'
# A scale of 0 means 1/sqrt(Dqk); what only rounds to 0 means nothing.
run 0 run --head-dim 64 --heads 1 --seqlen 64 --o usual.npy
for scale in 0 -0 0.125; do
  run 0 run --head-dim 64 --heads 1 --seqlen 64 --scale=$scale --o scaled.npy --json
  json '"scale":0.125'
  cmp -s usual.npy scaled.npy || fail "scale $scale: other results"
done
run 2 run --heads 1 --seqlen 64 --scale 1e-46
err 'scale 1e-46 is 0 as f32, which would mean 1/sqrt(Dqk); expected 0, or at least 1.4e-45'
# LSE has one bound where Q stays as it is, and another where the schedule rounds it, which
# it does not with a function of scores.
run 0 list --print-schedule dualwave
sed 's/lazy_log2 = 8/lazy_log2 = 8, scale = q/; s/@dualwave/@rounds_q/' "$work/stdout" >q.mlir
grep -q 'scale = q' q.mlir || fail 'no place for scale = q in dualwave'
lse='--head-dim 64 --heads 1 --seqlen 64 --lse --json'
run 0 run $lse --schedule dualwave
json '"bound":"1e-6largestscore+1e-4"'
run 0 run $lse --schedule ./q.mlir
json '"bound":"3floor+2e-3"'
run 0 run $lse --schedule ./q.mlir --softcap 20
json '"bound":"1e-6largestscore+1e-4"'

# What loads and stores tell the caches changes no byte of the results, of divided keys too; the
# note of the code object has it, and a kernel without an operand says so.
cat >caches.mlir <<'TEXT'
fmha.schedule @caches = @generic with <
  cache = <q = sc0, k = nt, v = sc1, o = sc0 nt sc1, lse = nt, part_o = nt, part_lse = sc1>>
TEXT
sizes='--head-dim 64 --seqlen-q 70 --seqlen-kv 900 --heads 4 --kv-heads 2 --mask causal'
for keys in '--lse' '--lse --work list --split-kv fixed --split-chunk 256'; do
  run 0 run $sizes $keys --schedule generic --o plain.npy
  run 0 run $sizes $keys --schedule ./caches.mlir --check=all --o told.npy --json
  json '"pass":true'
  json '"findings":[]'
  cmp -s plain.npy told.npy || fail "$what: other results"
done
run 0 list --print-schedule ./caches.mlir
out 'cache = <q = sc0, k = nt, v = sc1, o = sc0 nt sc1, lse = nt, part_o = nt,'
run 0 compile --head-dim 64 --schedule ./caches.mlir -v -o caches.hsaco
err 'cache of lse has no effect: the kernel has no vector instruction that loads or stores it'
run 0 compile --head-dim 64 --schedule ./caches.mlir -o caches.hsaco
[ ! -s stderr ] || fail "$what: something on stderr"
run 0 inspect caches.hsaco --json
json 'cache=<q=sc0,k=nt,v=sc1,o=sc0ntsc1,lse=nt,part_o=nt,part_lse=sc1>'

# Layouts and strides hold the same elements: the results are the same bytes.
sizes='--seqlen 70 --heads 4 --kv-heads 2 --batch 2 --mask causal'
run 0 run $sizes --o plain.npy
for layout in bhsd packed-qkv interleaved-kv; do
  run 0 run $sizes --layout=$layout --o $layout.npy --json
  json '"pass":true'
  json "\"layout\":\"$layout\""
  cmp -s plain.npy $layout.npy || fail "layout $layout: other results"
done
run 0 run $sizes --q-strides=40000,520,128 --k-strides=0,264,136 \
  --v-strides=256,512,128 --o-strides=45000,640,160 --json
json '"pass":true'
json '"o_strides":"45000,640,160"'
run 0 run $sizes --q-strides=40000,520,128 --o-strides=45000,640,160 --o strides.npy
cmp -s plain.npy strides.npy || fail 'strides: other results'
run 2 run $sizes --o-strides=0,512,128
err 'tensor o: batches lie 0 bytes apart'
run 3 run $sizes --k-strides=17920,257,128
err 'tensor k: the row stride is 514'
# Strides are looked at before there is a buffer: of 2^51 bytes there would be none.
huge='--heads 1 --seqlen-q 256 --seqlen-kv 1048576 --k-strides=0,1073741824,128'
run 3 run $huge
err 'tensor k: row stride 2147483648 bytes; 256 rows of it must stay below 4294967296 bytes'
run 3 bench $huge
err 'tensor k: row stride 2147483648 bytes'
run 3 trace $huge -o trace.json
err 'tensor k: row stride 2147483648 bytes'
run 2 run --seqlen-q 4 --seqlen-kv 5 --layout=packed-qkv
err 'expected K [B,S] as Q'
run 2 run $sizes --layout=packed-qkv --v-strides=17920,256,128
err 'strides of v follow from it'
run 0 run $sizes --layout=packed-qkv --save-launch packed
grep -q '"add"' packed/LAUNCH.json || fail 'packed: no tensor inside a buffer'
[ "$(wc -c <packed/qkv.bin)" -eq $((2 * 70 * 8 * 128 * 2)) ] ||
  fail 'packed: size of qkv.bin'
run 0 emu packed/LAUNCH.json
tail -c +129 plain.npy | cmp -s - packed/o.out.bin || fail 'packed: replay differs'

run 2 run --seqlen 64 --heads 3 --kv-heads 2
err 'heads 3 is no multiple of kv_heads 2'

# A run that is not compared passes nothing.
run 0 run --seqlen 64 --heads 1 --no-compare --json
json '"pass":null'

# The user's own data: what a run writes is what the same run reads.
run 0 run --seqlen 64 --heads 1 --o o.npy --save-launch launch
for name in LAUNCH.json q.bin k.bin v.bin o.bin; do
  [ -s "launch/$name" ] || fail "no launch/$name"
done
[ "$(wc -c <o.npy)" -eq $((128 + 64 * 128 * 2)) ] || fail 'size of o.npy'
run 0 run --seqlen 64 --heads 1 --q o.npy --k o.npy --v o.npy
run 2 run --seqlen 65 --heads 1 --q o.npy
err 'o.npy: seqlen_q 64, but "seqlen_q" is given as 65; leave it out'
run 0 run --seqlen 64 --heads 1 --save-launch launch

# A launch says which groups of arguments it fills in: CORE and LSE are bits 0 and 1.
run 0 run --seqlen 64 --heads 1 --lse --no-compare --save-launch groups
run 0 inspect groups/*.hsaco
out 'arg_groups    CORE, LSE'
tr -d '\n\t ' <groups/LAUNCH.json >groups/line.json
grep -q '{"offset":0,"u64":3}' groups/line.json || fail 'no field_mask in LAUNCH.json'
mask() {
  sed "s/{\"offset\":0,\"u64\":3}/{\"offset\":0,\"u64\":$1}/" groups/line.json >groups/mask.json
}
mask 1
run 2 emu groups/mask.json
err 'field_mask 0x1 says which groups of arguments are filled in; the kernel requires 0x3'
err 'group LSE is missing'
mask '"0xf00000000"'
run 2 emu groups/mask.json
err 'group CORE is missing'
mask 7
run 0 emu groups/mask.json
mask 0
run 0 emu groups/mask.json

# A function of the score: the compiler reads the file, and the reference too.
cat >mod.mlir <<'EOF'
fmha.score_mod @distance(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %d = arith.subi %row, %key : i32
  %far = math.absi %d : i32
  %f = arith.sitofp %far : i32 to f32
  %slope = arith.constant 0.25 : f32
  %p = arith.mulf %f, %slope : f32
  %x = arith.subf %score, %p : f32
  fmha.yield %x : f32
}
EOF
if "$fmhac" list | grep -q 'score_mod.*not yet$'; then
  run 3 run --seqlen 64 --score-mod mod.mlir
else
  run 0 run --seqlen 64 --score-mod mod.mlir --json
  json '"pass":true'
  # What only the compiler knows is not compared, and not launched.
  sed 's/arith.sitofp/arith.bitcast/' mod.mlir >bits.mlir
  run 3 run --seqlen 64 --score-mod bits.mlir
  err 'no reference for op arith.bitcast, line 4 of bits.mlir'
  run 0 run --seqlen 64 --score-mod bits.mlir --no-compare
  # What is too long for the reference is said before anything is compiled, which takes
  # long too.
  python3 - >long.mlir <<'EOF'
print("fmha.score_mod @long(%x0: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {")
for i in range(3000):
    print(f"  %x{i + 1} = arith.addf %x{i}, %x{i} : f32")
print("  fmha.yield %x3000 : f32\n}")
EOF
  run 3 run -v --seqlen 64 --score-mod long.mlir
  err 'not compared: no reference for more than 512 values'
  ! grep -q 'LDS layout' "$work/stderr" || fail "$what: compiled before it was refused"
  # Where the file holds no function, in the words of the compiler.
  sed 's/arith.sitofp/arith.no_such/' mod.mlir >wrong.mlir
  run 2 run --seqlen 64 --score-mod wrong.mlir
  err 'wrong.mlir:4'
fi

# The saved launch, replayed, gives the same bytes.
run 0 emu launch/LAUNCH.json
[ -s launch/o.out.bin ] || fail 'the replay wrote no output'
tail -c +129 o.npy | cmp -s - launch/o.out.bin || fail 'the replay differs'
finish
