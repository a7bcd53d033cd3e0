#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Usage and input errors, help. Compiles nothing.
manual=$(cd "$(dirname "$0")/../../docs" && pwd)/fmhac.1.scd
. "$(dirname "$0")/lib.sh"

run 2
err 'usage: fmhac SUBCOMMAND'
run 0 --help
out 'exit codes: 0 done'
run 0 --version
out 'fmhac 0.1.0, LLVM 22.'
run 2 rnu
err "did you mean 'run'?"
no_out
run 2 rnu --json
one_object
json '"exit_code":2'

for name in compile run inspect list doctor bench trace tune cache; do
  run 0 "$name" --help
  out "usage: fmhac $name"
  # Bold words, alone or with others: "*fmhac run* ...", "*fmhac list* | *doctor*".
  sed -n '/^# SYNOPSIS/,/^# DESCRIPTION/p' "$manual" | tr -d '*' | grep '^fmhac' | grep -qw "$name" ||
    fail "fmhac(1), SYNOPSIS: no $name"
done
# What branches skip is counted: no lower bound.
run 0 inspect --help
! grep -q 'least cycles' stdout || fail "$what: a bound that is none"
run 0 run --help
cp stdout run.txt
run 0 help run
cmp -s stdout run.txt || fail "$what: not the help of run"
run 0 run --help
out '--head-dim=N'
out '--kv-heads=N'
out '--softcap=X'
out '(default bf16)'
run 0 compile --help
out '--emit=RUNG'
out 'tiles'

# Flags.
run 2 run --headdim 64
err 'did you mean --head-dim?'
run 2 run --head-dmi=64 --json
one_object
json 'didyoumean--head-dim?'
run 2 run --seqlen
err '--seqlen: expected a value (N)'
run 2 run --seqlen --causal
err '--seqlen: expected a value'
run 2 run extra
err "unexpected argument 'extra'"
run 2 run --no-compare=1
err 'takes no value'
run 2 run --threads=-1
err 'at least 0'
run 2 compile --seqlen 4
err 'belongs to the problem'
run 2 compile --emit=tile
err "did you mean 'tiles'?"
run 2 compile --emit=obj
err 'give -o FILE'
run 2 compile -o - --json
one_object
run 2 inspect
run 2 inspect --diff one
err 'two files'
run 2 list --print-schedule=genric
err "did you mean 'generic'?"

# Values: the library's words, whatever the way in.
run 2 run --seqlen=abc
err 'expected an integer in [1, 2147483647] rows, found "abc"'
run 2 run --heads 0
err '"heads": expected an integer in [1, 65535]'
run 2 run --scale=nan
err '"scale"'
run 2 run --dtype=bf61
err 'did you mean "bf16"?'
run 2 run --q-strides=1,2
err '"q_strides": expected three integers "B,S,H" in [0, 1099511627776] elements'
run 2 run --layout=hbsd
err 'bshd|bhsd|packed-qkv|interleaved-kv'
run 2 run --sink=
err '"sink": expected the name of a file'
run 2 run --seqlens-q=a.npy --cu-seqlens-q=b.npy
err 'exclude each other'
run 2 run --mask window:1
err 'window:L,R'
run 2 run --head-dim 64 --head-dim-v 128
err 'contradicts'
run 2 run --input flat
err 'normal, growing, spikes, rising, fixture or sink'
run 2 run --input fixture --seqlen 512
err '--input=fixture: expected at least 2048 keys, found 512; give --seqlen-kv 2048'
for scale in 9e-5 -10.1; do
  run 2 run --dtype fp8 --input sink --seqlen 2048 --scale=$scale
  err '--input=sink: expected a scale from 1e-4 to 10 with elements of 8 bits, which hold the scores; give --scale'
done
run 2 run --input fixture --seqlen 2048 --alibi
err '--input=fixture: expected scores as they are, found a function of them; leave out softcap, alibi, bias, score_mod'
run 2 run --schedule genric
err 'did you mean "generic"?'

# Configuration files; flags win.
run 2 run --config none.json
err 'cannot read none.json'
printf '{"head_dim": 64,\n "mask": }\n' >bad.json
run 2 run --config bad.json
err 'bad.json: configuration: malformed JSON at 2:10: expected a value'
printf '{"headdim": 64}' >key.json
run 2 run --config=key.json --json
one_object
json 'unknownkey\"headdim\";didyoumean\"head_dim\"?'
printf '{"head_dim": 7, "batch": 3}' >seven.json
run 3 run --config seven.json
err 'head_dim_qk 7'
run 3 run --config seven.json --head-dim 9
err 'head_dim_qk 9'
run 3 run --config seven.json --head-dim-qk 128
err 'head_dim_v 7'

# What is reserved.
for flag in --split-kv=auto --splits=4 --dropout=0.1 --out-dtype=fp8; do
  run 3 run "$flag"
  err 'nearest supported'
done
# Schedules for a Q that is rounded are none for K and V that are converted, and the other way round.
kv8='--k-dtype fp8 --v-dtype fp8'
# shellcheck disable=SC2086
{
  run 3 run $kv8 --schedule dualwave_q8
  err 'schedule dualwave_q8 serves types (k_dtype) bf16 with quantize_q, f16 with quantize_q, found bf16 Q, fp8 K and fp8 V'
  run 3 run $kv8 --quantize-q --schedule dualwave_kv8
  err 'found bf16 Q, fp8 K and fp8 V with quantize_q'
  run 2 run $kv8 --quantize-q --input fixture --seqlen-kv 2048
  err 'a Q that is not rounded'
}
run 2 run --quantize-q
err '"quantize_q" is for a Q of 16 bits with K and V of 8'
run 3 run --dropout=0.1 --json
one_object
json '"field":"dropout"'
json '"nearest":{"dtype"'
json '"exit_code":3'

# Emulator flags.
run 2 run --seqlen 64 --check=rcae
err "did you mean 'race'?"
run 2 run --seqlen 64 --sched=fast
err 'until-blocked'
run 2 run --seqlen 64 --landing=soon
err 'random:SEED'
run 2 run --seqlen 64 --landing=after:64:0
err 'after:N[:L]'
run 2 run --seqlen 64 --landing=after:64:8x
err 'after:N[:L]'
run 2 run --seqlen 64 --alignment=naturel
err "--alignment: expected hardware or natural, found 'naturel'; did you mean 'natural'?"
run 2 run --seqlen 64 --descriptors=maped
err "--descriptors: expected exact, mapped or carry, found 'maped'; did you mean 'mapped'?"
run 2 run --seqlen 64 --placement=worst
err "--placement: expected default or adversarial, found 'worst'"
run 2 run --seqlen 64 --device hip --descriptors=mapped
err 'steer the emulator'
run 2 run --seqlen 64 --device hip --check=mem
err 'steer the emulator'

run 0 list
out 'generic'
run 0 list --json
one_object
json '"generic","generic_fp8","generic_fp8_n32","generic_latent","generic_latent_fp8","generic_wide"'
run 0 list --print-schedule generic
[ -s "$work/stdout" ] || fail 'the schedule is empty'

# Tile maps; the tile is the schedule's unless it is given.
run 0 list --explain-mask causal --seqlen-q 4 --seqlen-kv 6 --tile 2,2
out '         0 #/.'
out '         2 ##/'
out '5 of 6 tiles visited (83.3 %), 2 of them cut'
tile=$("$fmhac" list --print-schedule generic | sed -n \
  's/^ *tile_m = \([0-9]*\), tile_n = \([0-9]*\),.*/\1,\2/p')
run 0 list --explain-mask none --schedule generic --json
one_object
json "\"tile\":[$tile]"
json '"cut":0'
# Of several schedules it is that of the sizes; 32 keys of generic_wide, 64 of dualwave.
two='generic_wide if Sk <= 256; dualwave if Sk <= 512'
run 0 list --explain-mask none --schedule "$two" --seqlen-q 256 --seqlen-kv 256
out 'tiles of 128 rows x 32 keys of schedule generic_wide'
run 0 list --explain-mask none --schedule "$two" --seqlen-q 256 --seqlen-kv 257 --json
json '"tile":[256,64],"schedule":"dualwave",'
run 3 list --explain-mask none --schedule "$two" --seqlen-q 256 --seqlen-kv 513
err 'Sq = 256, Sk = 513, found'
run 0 list --explain-mask none --schedule "$two" --seqlen-kv 513 --tile 64,64
# A condition without a value is refused, as by a plan: 2 heads.
run 2 list --explain-mask none --schedule 'generic if ceil(Sk / (Hq - 2)) <= 4; generic_wide'
err "expected the condition 'ceil(Sk / (Hq - 2)) <= 4' of schedule generic to have a value"
no_out
# Of a configuration that nothing compiles it is the nearest schedule's.
run 0 list --explain-mask none --dtype fp8 --json
! grep -q '"schedule": *""' stdout || fail "$what: no name of a schedule"
# Of a file it is what the file says, wherever its keys stand.
"$fmhac" list --print-schedule generic | sed '1s,$,\n// tile_m=7,; s/tile_m = /tile_m\n  = /' >spaced.mlir
run 0 list --explain-mask none --schedule spaced.mlir --json
json "\"tile\":[$tile]"
sed 's/tile_n = /tile_k = /' spaced.mlir >broken.mlir
run 2 list --explain-mask none --schedule broken.mlir
line=$(grep -n 'tile_k' broken.mlir | cut -d : -f 1)
err "broken.mlir:$line:10: expected one of the keys tile_m, tile_n, "
err "found 'tile_k'; did you mean 'tile_m'?"
# A derived schedule: written out, or as it is written; a file, too.
run 0 list --print-schedule generic_wide
out 'tile_m = 128, tile_n = 32, waves = 4, waves_per_simd = 2,'
cp stdout wide.mlir
run 0 list --print-schedule ./wide.mlir
cmp -s stdout wide.mlir || fail 'a schedule written out is another, written out'
run 0 list --print-schedule generic_wide --as-written
out 'fmha.schedule @generic_wide = @generic with <tile_n = 32>'
run 0 list --print-schedule generic_wide --as-written --json
one_object
json '"schedule":"generic_wide"'
run 2 list --print-schedule ./none.mlir
err 'cannot read ./none.mlir'
run 2 list --print-schedule ./broken.mlir
err "found 'tile_k'"
run 2 list --as-written
err '--as-written goes with --print-schedule only'
run 0 list --explain-mask window:100,0 --json --svg map.svg
one_object
grep -q '^</svg>' map.svg || fail 'no image'
run 2 list --explain-mask casual
err 'none|causal'
run 2 list --head-dim 64
err 'goes with --explain-mask and --explain-schedule only'
run 2 list --explain-mask causal --schedule genric
err 'did you mean'
run 2 list --explain-mask causal --tile 128
err 'expected M,N'
# What goes with a map alone is not ignored.
for flag in '--seqlen-q 5' '--seqlen-kv 5' '--tile 4,4' '--svg x.svg' \
  '--print-schedule generic --tile 4,4'; do
  # shellcheck disable=SC2086
  run 2 list $flag
  err 'go with --explain-mask only'
done
run 2 list --explain-mask none --seqlen-q 0
err 'expected 1 to '
run 2 list --explain-mask none --svg - --json
one_object
json '--svg-and--jsonbothwritetostandardoutput'
run 2 list --explain-mask none --tile 1,1 --seqlen-q 100000 --seqlen-kv 100000
err 'too large'

run 0 doctor --json
one_object
json '"ok":true'
json '"hip":{'
finish
