#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# From the text of a rung back to a code object: what is as it was printed gives the machine
# code of the direct compile; what was edited is checked as there, at its line.
# from.sh FMHAC LLVM_BIN
llvm=$2
. "$(dirname "$0")/lib.sh"
config='--head-dim 32 --schedule generic --score-mod f.mlir'
cat >f.mlir <<'TEXT'
fmha.score_mod @half(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %half = arith.constant 0.5 : f32
  %y = arith.mulf %score, %half : f32
  fmha.yield %y : f32
}
TEXT
code_of() { "$llvm/llvm-objcopy" -O binary --only-section=.text "$1" "$2"; }

run 0 compile $config -o direct.hsaco
code_of direct.hsaco direct.text
[ -s direct.text ] || fail 'no machine code'
for rung in problem tiles layouts pipelined synced amdgpu rocdl llvm; do
  run 0 compile $config --emit=$rung -o $rung.text
  run 0 compile $config --from $rung $rung.text -o $rung.hsaco
  code_of $rung.hsaco found.text
  cmp -s direct.text found.text || fail "from $rung: other machine code"
  # A text that is none: its last lines are missing.
  sed '$d' $rung.text | sed '$d' >broken.text
  run 2 compile $config --from $rung broken.text -o no.hsaco
  grep -q "^fmhac compile: error: broken.text:[0-9]*:[0-9]*: " stderr || fail "$what: no line"
  run 2 compile $config --lse --from $rung $rung.text -o no.hsaco
  err 'give the options that the text was printed with'
done
[ ! -e no.hsaco ] || fail 'a code object of a broken text'

# The note says so, and nobody takes it for what the configuration gives.
run 0 inspect --json synced.hsaco
json '"from":"synced"'
run 0 inspect --json direct.hsaco
if grep -q '"from"' stdout; then fail 'a rung in the note of a direct compile'; fi

# Two kernels of one module: each keeps its launch on the way down, and the code object its
# entries, in their order.
entries() {
  python3 -c '
import json, sys
for e in json.load(open(sys.argv[1]))["note"]["entries"]:
    print(*(e[k] for k in ("kernel", "schedule", "when", "grid", "block_threads", "tile_m")))' stdout
}
printf '{"schedule": "generic if Sk <= 256; generic_wide_m64"}' >two.json
two='--head-dim 32 --config two.json'
run 0 compile $two -o two.hsaco
code_of two.hsaco two.text
run 0 inspect --json two.hsaco
entries >two.entries
[ "$(wc -l <two.entries)" -eq 2 ] || fail "not two entries: $(cat two.entries)"
for rung in problem tiles layouts pipelined synced amdgpu rocdl llvm; do
  run 0 compile $two --emit=$rung -o two.$rung
  run 0 compile $two --from $rung two.$rung -o again.hsaco
  code_of again.hsaco found.text
  cmp -s two.text found.text || fail "two kernels from $rung: other machine code"
  run 0 inspect --json again.hsaco
  entries | cmp -s - two.entries || fail "two kernels from $rung: other entries"
done
# A kernel that went, or one that has no launch.
sed 's/when = "Sk <= 256"/when = "Sk <= 99"/' two.tiles >edited.tiles
run 0 compile $two --from tiles edited.tiles -o edited.hsaco
run 0 inspect --json edited.hsaco
entries | grep -q 'generic Sk <= 99 \[' || fail "an edited condition is not the entry's: $(entries)"
sed 's/, when = "Sk <= 256"//' two.tiles >edited.tiles
run 2 compile $two --from tiles edited.tiles -o no.hsaco
err 'to have a condition, as each but the last, found none'
sed 's/ launch(<[^>]*>)//' two.tiles >none.tiles
run 2 compile $two --from tiles none.tiles -o no.hsaco
err 'to have a launch'
run 2 compile --head-dim 32 --schedule generic --from tiles two.tiles -o no.hsaco
run 2 compile $two --from tiles tiles.text -o no.hsaco
[ ! -e no.hsaco ] || fail 'a code object of other kernels'

# From standard input, in this process, to a later rung; to an earlier one.
what='standard input'
FMHAC_COMPILER=in-process "$fmhac" compile $config --from tiles --emit=synced - <tiles.text \
  >stdout 2>stderr || fail 'exit code'
cmp -s stdout synced.text || fail 'another rung synced'
run 2 compile $config --from synced --emit=tiles synced.text
err "expected one of synced, amdgpu, rocdl, llvm, isa, obj, hsaco, found 'tiles'"

# A schedule that was edited is the one that a launch is told of.
sed 's/tile_m = 128/tile_m = 64/; s/waves = 4,/waves = 2,/' problem.text >smaller.text
run 0 compile $config --from problem smaller.text -o smaller.hsaco
run 0 inspect --json smaller.hsaco
json '"tile_m":64'
json '"block_threads":128'
# A problem is not the schedule's to change.
sed 's/head_dim_v = 32/head_dim_v = 64/' problem.text >other.text
run 2 compile $config --from problem other.text
err 'head_dim_v = 32'
err ', as the configuration has it, found '

# What proofs refuse of a schedule they refuse of a text.
line=$(grep -n 'memory_counter_wait load' synced.text | tail -n 1 | cut -d : -f 1)
sed "${line}s/ load([0-9]*)//" synced.text >early.text
run 2 compile $config --from synced early.text
grep -q '^fmhac compile: error: early.text:[0-9]*:[0-9]*: .* reads what may not be there yet' stderr ||
  fail "$what: no line"
err '; pass verify-synced, going on from rung synced'
# The text of another rung.
run 2 compile $config --from amdgpu synced.text
err 'expected no op of the dialect at this rung, found one'
run 2 compile $config --from llvm rocdl.text
err 'rocdl.text:1:1: expected top-level entity'
# What the verifier of LLVM refuses, which its parser ends the process for.
sed '/ = fmul float %[0-9]*, /{s/\(%[0-9]*\) = fmul float %[0-9]*,/\1 = fmul float \1,/;}' llvm.text >own.text
cmp -s llvm.text own.text && fail 'no product to change'
run 2 compile $config --from llvm own.text
err 'own.text: verifying the LLVM IR: Only PHI nodes may reference their own value!'
# Arguments that no launch has.
sed 's/(%arg0: i64, /(/' rocdl.text >short.text
run 2 compile $config --from rocdl short.text
head -c 100 synced.text >zero.text
printf 'a\000b' >>zero.text
run 2 compile $config --from synced zero.text
err 'zero.text: expected text, found a byte 0'

# Usage.
run 2 compile $config --from snced synced.text
err "no rung 'snced'; did you mean 'synced'?"
run 2 compile $config --from isa synced.text
err "no rung 'isa'; expected one of problem|tiles|layouts|pipelined|synced|amdgpu|rocdl|llvm"
run 2 compile $config --from synced
err '--from synced: expected a file'
run 2 compile $config synced.text
err "unexpected argument 'synced.text'; expected --from RUNG"
run 2 compile $config --from synced missing.text
err 'missing.text'
run 2 compile $config --from synced synced.text --save-temps -o k.hsaco
err '--save-temps'
run 2 compile $config --emit=isa --save-temps -o k.s
err '--emit=isa writes one rung, --save-temps all of them'
# A call is not followed: that is said once, and not with -q.
sed 's/^  ret void/  call void @elsewhere()\n&/' llvm.text >call.text
echo 'declare void @elsewhere()' >>call.text
run 0 compile $config --from llvm call.text -o call.hsaco
[ "$(grep -c s_swappc stderr)" -eq 1 ] || fail "$what: a call that is not followed is not said once"
run 0 compile $config --from llvm call.text -o call.hsaco -q
[ ! -s stderr ] || fail "$what: something on stderr"
run 0 compile $config --from synced synced.text -o k.hsaco --depfile k.d
grep -q '/synced.text' k.d || fail 'the rule of make does not name the text'
# Layouts are proved for the rungs that keep them: no buffer on top of another, no bare tiles.
for rung in layouts pipelined synced; do
  sed 's/!fmha.lds<\([^,]*\), [0-9]*, /!fmha.lds<\1, 0, /g' $rung.text >edited.text
  run 2 compile $config --from $rung edited.text -o no.hsaco
  err 'overlaps byte 0 of LDS, which another element has'
done
sed 's/wave = \[\[1, 0\]/wave = [[16777216, 0]/' synced.text >edited.text
run 2 compile $config --from synced edited.text -o no.hsaco
[ ! -e no.hsaco ] || fail 'a code object of layouts that nobody proved'
# A grid that would leave rows out, at every rung that has one.
for rung in tiles layouts pipelined synced rocdl; do
  sed 's,ceil(Sq / 128),ceil(Sq / 512),' $rung.text >edited.text
  run 2 compile $config --from $rung edited.text -o no.hsaco
  err 'to be ceil(Sq / 128), Hq, B, found ceil(Sq / 512), Hq, B'
done
finish
