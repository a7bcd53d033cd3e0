#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Every feature of a kernel against the reference, alone and together. What this
# build reserves is refused; all else passes.
. "$(dirname "$0")/lib.sh"

# npy TYPE SHAPE NAME EXPRESSION: an array in C order of the expression's values
# for i = 0, 1, …
npy() {
  python3 - "$@" <<'EOF'
import math, struct, sys
dtype, shape, name, expression = sys.argv[1:]
shape = tuple(int(n) for n in shape.split(","))
header = "{'descr': '<%s4', 'fortran_order': False, 'shape': (%s), }" % (
    dtype, "".join("%d," % n for n in shape))
header += " " * (-(len(header) + 11) % 64) + "\n"
code = compile(expression, name, "eval")
values = [eval(code, {"i": i, "sin": math.sin}) for i in range(math.prod(shape))]
with open(name, "wb") as file:
    file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
    file.write(struct.pack("<%d%s" % (len(values), dtype), *values))
EOF
}

reserved=$("$fmhac" list --json | tr -d ' \t\n' |
  sed 's/.*"reserved":\[\([^]]*\)\].*/\1/')
works() {
  for key in $1; do
    case $reserved in *"\"$key\""*) return 1 ;; esac
  done
}

# feature KEYS FLAG...: a run that passes if all keys work, and is refused if not.
feature() {
  keys=$1
  shift
  if works "$keys"; then
    run 0 run --heads 4 --kv-heads 2 "$@" --json
    json '"pass":true'
  else
    run 3 run --heads 4 --kv-heads 2 "$@"
    err 'nearest supported'
  fi
}

npy f 4 sink.npy 'sin(i) * 3'
npy f 3,4,70,90 bias.npy 'sin(i)'
npy f 1,4,1,90 keys.npy 'sin(i) * 2'
npy f 3,1,70,90 heads.npy 'sin(i * i)'
npy f 1,1,1,64 packed_bias.npy 'sin(i)'
npy i 4 cu_q.npy '(0, 1, 1, 71)[i]'
npy i 4 cu_kv.npy '(0, 33, 34, 98)[i]'
npy i 3 rows_q.npy '(70, 0, 33)[i]'
npy i 3 no_rows.npy '0'
npy i 3 rows_kv.npy '(65, 90, 0)[i]'

padded='--batch 3 --seqlen-q 70 --seqlen-kv 90'
for mask in none causal; do
  feature lse $padded --mask $mask --lse
  feature out_dtype $padded --mask $mask --out-dtype f32
  feature softcap $padded --mask $mask --softcap 2.5
  feature alibi $padded --mask $mask --alibi
  feature sink $padded --mask $mask --sink sink.npy
  for file in bias keys heads; do
    feature bias $padded --mask $mask --bias $file.npy
  done
  feature 'cu_seqlens_q cu_seqlens_kv' --mask $mask --cu-seqlens-q cu_q.npy \
    --cu-seqlens-kv cu_kv.npy
  feature cu_seqlens_q --mask $mask --cu-seqlens-q cu_q.npy --seqlen-kv 90
  feature cu_seqlens_kv --mask $mask --cu-seqlens-kv cu_kv.npy --seqlen-q 70
  feature 'seqlens_q seqlens_kv' $padded --mask $mask --seqlens-q rows_q.npy \
    --seqlens-kv rows_kv.npy
  feature 'cu_seqlens_q seqlens_kv' --mask $mask --cu-seqlens-q cu_q.npy \
    --seqlens-kv rows_kv.npy --seqlen-kv 90
  feature seqlens_q $padded --mask $mask --seqlens-q no_rows.npy
  feature seqlens_q $padded --mask $mask --seqlens-q rows_q.npy --layout bhsd
done
feature 'cu_seqlens_q cu_seqlens_kv' --cu-seqlens-q cu_q.npy \
  --cu-seqlens-kv cu_q.npy --layout packed-qkv

# All together, and the same launch repeated from its files.
all='lse out_dtype softcap alibi sink bias cu_seqlens_q cu_seqlens_kv'
feature "$all" --lse-out lse.npy --o o.npy --out-dtype f32 --softcap 3 --alibi \
  --sink sink.npy --bias packed_bias.npy --cu-seqlens-q cu_q.npy \
  --cu-seqlens-kv cu_kv.npy --mask causal --layout interleaved-kv \
  --save-launch launch
if works "$all"; then
  json '"cu_seqlens_q":[0,1,1,71]'
  json '"batch":3,"heads":4,"kv_heads":2,"seqlen_q":70,"seqlen_kv":64'
  run 0 emu launch/LAUNCH.json
  tail -c +129 o.npy | cmp -s - launch/o.out.bin || fail 'all: O of the replay'
  tail -c +129 lse.npy | cmp -s - launch/lse.out.bin ||
    fail 'all: LSE of the replay'
fi

if works cu_seqlens_q; then
  run 2 run --cu-seqlens-q rows_q.npy
  err 'expected 0 as the first element, found 70'
  run 2 run --cu-seqlens-q cu_q.npy --batch 2
  err 'sequences 3, but "batch" is given as 2'
fi
finish
