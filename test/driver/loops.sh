#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What inspect takes for a loop, what of it every way through it has, and what it says of
# LDS that a launch adds. loops.sh FMHAC LLVM
here=$(cd "$(dirname "$0")" && pwd)
llvm=$2
. "$here/lib.sh"

assemble() {
  "$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj "$1" -o k.o &&
    "$llvm/ld.lld" -shared k.o -o "$2" || exit 1
}
assemble "$here/loops.s" k.hsaco
run 0 inspect k.hsaco --json
one_object
python3 - "$work/stdout" <<'END' || fail "$what: the loops"
import json, sys
kernel = json.load(open(sys.argv[1]))["kernels"][0]
loops = kernel["loops"]
keys = ("header_pc", "first_pc", "last_pc", "back_edges", "depth", "ranges")
found = [tuple(l[k] for k in keys) for l in loops]
assert found == [
    (4, 4, 16, 2, 1, [[4, 16]]),
    (20, 20, 44, 1, 1, [[20, 28], [36, 44]]),
    (48, 48, 68, 1, 1, [[48, 68]]),
    (52, 52, 60, 1, 2, [[52, 60]]),
    (72, 72, 88, 1, 1, [[72, 88]]),
], found
two, lazy, nest, inner, choice = loops
assert lazy["mix"] == {"instructions": 6, "trans": 2, "valu": 1, "branch": 3}, lazy
assert lazy["mix_always"] == {"instructions": 3, "valu": 1, "branch": 2}, lazy
assert two["mix_always"] == {"instructions": 2, "trans": 1, "branch": 1}, two
assert nest["mix"] == {"instructions": 5, "valu": 1, "salu": 1, "lds_read": 1, "branch": 2}, nest
assert nest["mix_always"] == nest["mix"], nest
# An addition takes 4 cycles, an exponential 8, on one of four waves a SIMD.
def vector(loop, which):
    need = loop["budget"][which]
    wave, w = need["wave_cycles"], loop["budget"]["waves_per_simd"]
    cycles = wave.get("valu", 0), wave.get("trans", 0)
    return (*cycles, need["round_cycles"]["vector_port"] / w)
assert vector(two, "always") == (0, 8, 8), two
assert vector(two, "at_most") == (4, 8, 12), two
assert vector(lazy, "always") == (4, 0, 4), lazy
assert vector(lazy, "at_most") == (4, 16, 20), lazy
# Each number for itself: no way has neither, none has both.
assert vector(choice, "always") == (0, 0, 4), choice
assert vector(choice, "at_most") == (4, 8, 8), choice
assert vector(inner, "always") == vector(inner, "at_most"), inner
assert len(kernel["remarks"]) == 1, kernel["remarks"]
assert "(first: 0x68 to 0x60): no loop is counted there" in kernel["remarks"][0]
END
run 0 inspect k.hsaco
out 'loop 0     0x00004..0x00010, 2 back edges  4 instructions: trans 1, valu 1, branch 2'
out 'loop 1     0x00014..0x0001c and 0x00024..0x0002c  6 instructions:'
out 'always    3 instructions: valu 1, branch 2'
out 'at most   one wave, cycles: valu 4, trans 16'
out 'remark      1 jump backwards into code that is entered elsewhere too'

# LDS of a launch is not in the code object: what uses LDS and has none needs some.
sed 's/group_segment_fixed_size.*/group_segment_fixed_size 0/; s/\.group_segment_fixed_size 0/.group_segment_fixed_size: 0/' \
  "$here/loops.s" >none.s
assemble none.s dynamic.hsaco
run 0 inspect dynamic.hsaco --json
one_object
json '"lds_bytes":0'
json '"lds_is_dynamic":true,"dynamic_lds_bytes":null,"occupancy":null'
json '"waves_per_simd":null,"kv_tiles":null,"always":{"wave_cycles":{"trans":8,'
json '"round_cycles":null,"critical":null,"cycles":null,"cycles_per_kv_tile":null'
run 0 inspect dynamic.hsaco
out 'LDS         dynamic, occupancy not known; --dynamic-lds BYTES'
! grep -q '^  occupancy' "$work/stdout" || fail 'an occupancy from LDS that is not known'
# 52 of 128 granules of 1280 bytes.
run 0 inspect --dynamic-lds 66560 dynamic.hsaco --json
json '"dynamic_lds_bytes":66560,"occupancy":{"waves_per_simd":2,"workgroups_per_cu":2,"limit":"lds"'
run 0 inspect --dynamic-lds 66560 dynamic.hsaco
out '66560 bytes a workgroup (0 static, 66560 dynamic)'
# It is added to what is static, and both fit.
run 0 inspect --dynamic-lds 33792 k.hsaco --json
json '"lds_bytes":32768,'
json '"lds_is_dynamic":false,"dynamic_lds_bytes":33792,"occupancy":{"waves_per_simd":2'
run 2 inspect --dynamic-lds 131073 k.hsaco
err "--dynamic-lds: expected at most 131072 bytes (163840 of a workgroup, less 32768 that kernel 'loops' has), found 131073"
run 2 inspect --dynamic-lds 0 --waits k.hsaco
err '--waits and --dynamic-lds exclude each other'
# Exchanges between lanes need none.
sed 's/ds_read_b32 v5, v0/ds_bpermute_b32 v5, v0, v1/' none.s >exchange.s
assemble exchange.s exchange.hsaco
run 0 inspect exchange.hsaco --json
json '"lds_is_dynamic":false,"dynamic_lds_bytes":null,"occupancy":{"waves_per_simd":8'
# A kernel that is told the size has dynamic LDS beside the static.
sed 's/^    .kernarg_segment_align.*/&\n    .args: [{.offset: 0, .size: 4, .value_kind: hidden_dynamic_lds_size}]/' \
  "$here/loops.s" >hidden.s
assemble hidden.s hidden.hsaco
run 0 inspect hidden.hsaco --json
json '"lds_bytes":32768,'
json '"lds_is_dynamic":true,"dynamic_lds_bytes":null,"occupancy":null'
# So has code that is not linked, with an array that has no place yet.
sed 's/^\.text/.amdgpu_lds array, 0, 16\n&/; s/  s_mov_b32 s2, 4/  s_mov_b32 s2, array@abs32@lo/' \
  "$here/loops.s" | "$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj - -o array.o ||
  exit 1
run 0 inspect array.o --json
json '"lds_bytes":32768,'
json '"lds_is_dynamic":true'

# What one of two does not know is no 0.
run 0 inspect --diff k.hsaco dynamic.hsaco
grep -qE '^    waves a SIMD +4 +-$' "$work/stdout" || fail "diff: waves that are not known"
run 0 compile --schedule generic --head-dim 64 -o kernel.hsaco
run 0 inspect --diff kernel.hsaco k.hsaco
grep -qE '^    cycles a KV tile +[1-9][0-9]* +-$' "$work/stdout" ||
  fail "diff: KV tiles of code without a note"

# The KV loop of a pipeline has its rescale out of line and is entered in the middle. No
# time is below what every way through it takes.
run 0 compile --schedule dualwave_1tile --head-dim 96 -o kernel.hsaco
run 0 inspect kernel.hsaco --json
cp "$work/stdout" pipeline.json
run 0 bench --schedule dualwave_1tile --head-dim 96 --seqlen 4096 --sample 3 --json
python3 - pipeline.json "$work/stdout" <<'END' || fail "$what: the least that the loop takes"
import json, sys
kernel, point = (json.load(open(path)) for path in sys.argv[1:])
loop, = kernel["kernels"][0]["loops"]
budget = point["loop"]["budget"]
assert budget == loop["budget"], (budget, loop)
assert budget["kv_tiles"] == 1, budget
least, most = (budget[k]["cycles_per_kv_tile"] for k in ("always", "at_most"))
assert 0 < least <= point["cycles_per_kv_tile"] < most, (least, most, point)
assert budget["always"]["wave_cycles"]["mfma"] == 24 * 32, budget
END
finish
