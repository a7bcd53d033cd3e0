#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# inspect, on a kernel whose figures are counted by hand in inspect.s.
here=$(cd "$(dirname "$0")" && pwd)
llvm=$2
. "$here/lib.sh"

"$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj \
  "$here/inspect.s" -o k.o && "$llvm/ld.lld" -shared k.o -o k.hsaco || exit 1

run 0 inspect k.hsaco --json
one_object
json '"target":"amdgcn-amd-amdhsa--gfx950"'
json '"note":null'
json '"name":"counted"'
# AGPRs begin at 44; 80 registers are ten granules of 8.
json '"vgprs":44,"agprs":36,"allocated_vgprs":80,"sgprs":22'
json '"vgpr_spills":0,"sgpr_spills":0,"scratch_bytes":0,"lds_bytes":66560'
json '"kernarg_bytes":16,"max_threads":512'
# 512 / 80 = 6 waves by registers, so 3 workgroups of 8 waves; 66560 bytes are 52
# of 128 granules, so 2 workgroups, of 2 waves a SIMD each.
json '"occupancy":{"waves_per_simd":4,"workgroups_per_cu":2,"limit":"lds","workgroups_by":{"registers":3,"lds":2,"waves":4}}'
json '"arguments":[{"name":"field_mask","offset":0,"size":8,"kind":"by_value"},{"name":"q","offset":8,"size":8,"kind":"global_buffer"}]'
json '"mix":{"instructions":16,"mfma":1,"trans":1,"valu":1,"salu":3,"smem":1,"lds_read":1,"lds_write":1,"lds_dma":1,"store":1,"wait":1,"barrier":1,"branch":3}'
json '"loops":[{"first_pc":16,"last_pc":72,"header_pc":16,"back_edges":1,"depth":1,"ranges":[[16,72]],"mix":{"instructions":11,"mfma":1,"trans":1,"salu":3,"lds_read":1,"lds_write":1,"lds_dma":1,"barrier":1,"branch":2},"mix_always":{'
json '{"first_pc":20,"last_pc":52,"header_pc":20,"back_edges":1,"depth":2,"ranges":[[20,52]],"mix":{"instructions":6,"mfma":1,"trans":1,"salu":1,"lds_read":1,"lds_dma":1,"branch":1},"mix_always":{'
run 0 inspect k.hsaco
out 'kernel counted'
out 'compiled by something else'
out 'limited by lds'

# Without type and size of its symbol, as in code written by hand, it reads the same.
cp "$work/stdout" text.1
sed '/^\.type/d; /^\.size/d; /^\.Lend/d' "$here/inspect.s" |
  "$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj - -o n.o &&
  "$llvm/ld.lld" -shared n.o -o n.hsaco || exit 1
run 0 inspect n.hsaco
tail -n +2 text.1 >first && tail -n +2 "$work/stdout" | cmp -s first - ||
  fail 'a kernel without a size reads differently'

# One more instruction in the inner loop and nothing else.
sed 's/^  v_exp_f32_e32.*/&\n  v_exp_f32_e32 v5, v0/' "$here/inspect.s" |
  "$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj - -o b.o &&
  "$llvm/ld.lld" -shared b.o -o b.hsaco || exit 1
run 0 inspect --diff k.hsaco b.hsaco
[ "$(grep -c 'trans  *1  *2  *+1$' "$work/stdout")" -eq 3 ] ||
  fail "diff: one more trans in the kernel and in both loops"
[ "$(grep -c 'cycles: trans  *8  *16 *  +8$' "$work/stdout")" -eq 2 ] ||
  fail "diff: 8 cycles more of trans in both loops"
grep -q 'mfma' "$work/stdout" && fail 'diff: names what does not differ'
run 0 inspect --diff k.hsaco b.hsaco --json
one_object

# Code that no assembler writes and that LLVM's disassembler dies of: an SDWA operand
# selector of 7, an f8f6f4 MFMA whose A is no register.
sed 's/^  v_mov_b32_e32.*/  .long 0x245002f9, 0x00070642, 0xd3ad82bd, 0x4cfed6f8/' \
  "$here/inspect.s" |
  "$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj - -o c.o &&
  "$llvm/ld.lld" -shared c.o -o c.hsaco || exit 1
run 0 inspect c.hsaco --json
one_object
grep -q '"unknown_words":.[1-4],' "$work/stdout" || fail 'corrupt words not counted'

# What is no code object.
run 2 inspect none.hsaco
err 'cannot read none.hsaco'
printf 'no code' >text
run 2 inspect text
err 'expected an ELF file'
run 2 inspect "$fmhac" --json
err 'machine'
one_object
"$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx942 -filetype=obj /dev/null \
  -o other.o
run 2 inspect other.o
err 'expected gfx950'
# Every tenth prefix is refused or read, never a crash (codes above 5 are).
size=$(wc -c <k.hsaco)
cut=0
while [ "$cut" -lt "$size" ]; do
  head -c "$cut" k.hsaco >prefix
  "$fmhac" inspect prefix >"$work/stdout" 2>"$work/stderr"
  code=$?
  [ "$code" -eq 0 ] || [ "$code" -eq 2 ] || fail "prefix of $cut bytes: $code"
  cut=$((cut + 100))
done
finish
