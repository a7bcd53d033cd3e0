#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tensors of a launch: findings name elements, outputs have to be written.
here=$(cd "$(dirname "$0")" && pwd)
llvm=$2
. "$here/lib.sh"

"$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj \
  "$here/tensors.s" -o t.o && "$llvm/ld.lld" -shared t.o -o t.hsaco || exit 1
# launch GRID BUFFER-FIELDS-OF-I TENSORS [MORE]: o is [4,64] f32, the kernel writes 64
# elements a workgroup.
launch() {
  cat >launch.json <<END
{"code_object": "t.hsaco", "grid": [$1,1,1], "block": [64,1,1],
 "buffers": {"o": {"bytes": 1024, "fill": 255}, "i": {$2}},
 "kernarg": [{"offset": 0, "buffer": "o"}, {"offset": 8, "buffer": "i"}],
 "tensors": {$3} ${4:-}}
END
}
i='"bytes": 1024, "fill": 1'
o='"o": {"element_bytes": 4, "axes": ["s", "d"], "shape": [4, 64], "output": true'

# All written; a row left out; not said where it is not asked for.
launch 4 "$i" "$o}"
run 0 emu launch.json --check=init
launch 3 "$i" "$o}"
run 1 emu launch.json --check=init
err 'finding: init: kernel copy: never writes 64 of the 256 elements of output o: the first is o[s=3,d=0], the last o[s=3,d=63] (1 times)'
run 1 emu launch.json --check=all --json
one_object
json '"pc":null,"instruction":null,"other_pc":null,"other_instruction":null,"workgroup":null,"wave":null,"count":1,"listing":[]'
run 1 emu launch.json --check=all --repeat-schedules=2 --json
json '"count":3,'
run 0 emu launch.json
launch 3 "$i" "${o%, \"output\"*}}"
run 0 emu launch.json --check=all
# A part of a grid owes nothing that could be said.
launch 4 "$i" "$o}" ', "workgroups": [[1,0,0]]'
run 0 emu launch.json --check=all

# Rows in use: of two batches of two rows the first, and the first of the other; packed
# sequences that end after three rows.
b='"o": {"element_bytes": 4, "axes": ["b", "s", "d"], "shape": [2, 2, 64], "output": true'
launch 3 "$i" "$b, \"ragged\": {\"axis\": \"s\", \"lengths\": [2, 1]}}"
run 0 emu launch.json --check=all
launch 2 "$i" "$b, \"ragged\": {\"axis\": \"s\", \"lengths\": [2, 1]}}"
run 1 emu launch.json --check=all
err '64 of the 192 elements of output o: the first is o[b=1,s=0,d=0], the last o[b=1,s=0,d=63]'
launch 3 "$i" "$o, \"ragged\": {\"axis\": \"s\", \"starts\": [0, 1, 1, 3]}}"
run 0 emu launch.json --check=all
launch 1 "$i" "$o, \"ragged\": {\"axis\": \"s\", \"starts\": [0, 1, 1, 3]}}"
run 1 emu launch.json --check=all
err 'the first is o[b=2,s=0,d=0], the last o[b=2,s=1,d=63]'
# Strides: columns that nobody writes lie between the rows.
launch 2 "$i" '"even": {"buffer": "o", "element_bytes": 4, "axes": ["s", "d"],
  "shape": [2, 32], "strides_bytes": [256, 4], "output": true},
  "odd": {"buffer": "o", "add": 512, "element_bytes": 4, "axes": ["s", "d"],
  "shape": [2, 32], "strides_bytes": [256, 4], "output": true}'
run 1 emu launch.json --check=all
err '64 of the 64 elements of output odd: the first is odd[s=0,d=0], the last odd[s=1,d=31]'
[ "$(grep -c 'finding:' stderr)" -eq 1 ] || fail "more than one output is missing"

# Elements are named: past the end, read before they are written.
k='"i": {"element_bytes": 4, "axes": ["s", "h", "d"], "shape": [3, 2, 32]}'
launch 4 '"bytes": 768, "fill": 1' "$k"
run 1 emu launch.json
err 'is 0 bytes past the end of buffer "i" ['
err ', where i[s=3,h=0,d=0] would be'
launch 4 '"bytes": 768' "$k"
run 1 emu launch.json --check=init
err 'reads 4 bytes; nothing has written byte 0 of buffer "i" ('
err '), i[s=0,h=0,d=0]'

run 0 run --mask causal --heads 2 --seqlen 65 --check=all --save-launch saved
run 0 emu saved/LAUNCH.json --check=all
sed -e 's/"grid":[^]]*\]/"grid": [1, 1, 1]/' saved/LAUNCH.json >saved/part.json
run 1 emu saved/part.json --check=all
err 'elements of output o: the first is o[b=0,s='
finish
