#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The static wait checker by the command: inspect --waits, and compile, which asks it
# before it writes. $3 says what a compilation makes of a code object.
here=$(cd "$(dirname "$0")" && pwd)
llvm=$2
audit_code=$3
. "$here/lib.sh"

# build NAME WAIT LEAVE
build() {
  "$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj \
    --defsym WAIT="$2" --defsym LEAVE="$3" "$here/audit.s" -o "$1.o" &&
    "$llvm/ld.lld" -shared "$1.o" -o "$1.hsaco" || exit 1
}
build good 1 0
build bad 0 0
build unknown 1 1

run 0 inspect --waits good.hsaco
out 'good.hsaco: 2 kernels, 14 instructions in 2 blocks: 0 findings, 0 places not analysed, 0 idle waits'
run 0 inspect --waits good.hsaco --json
one_object
json '"file":"good.hsaco","kernels":2,"instructions":14,"blocks":2,"dropped":0,'
json '"not_analysed":[],"idle_waits":[],"findings":[]'

# The load stands 16 bytes after the entry (8 + 4 + 4), the store 24.
run 1 inspect --waits bad.hsaco
err 'fmhac inspect: finding: wait: kernel missing, pc 0x18, `global_store_dword v1, v2, s[6:7]`: missing wait: reads v2 before `global_load_dword v2, v1, s[4:5]` (pc 0x10) has completed; add s_waitcnt vmcnt(0) in between'
out '1 findings, 0 places not analysed'
run 1 inspect --waits bad.hsaco --json
one_object
json '"findings":[{"check":"wait","message":'
json '"pc":24,"instruction":"global_store_dwordv1,v2,s[6:7]","other_pc":16,"other_instruction":"global_load_dwordv2,v1,s[4:5]","workgroup":null,"wave":null,"count":1,"kernel":"missing","counter":"vmcnt","wait":0,"location":null,"step":null,"other_location":null,"other_step":null}]'

run 3 inspect --waits unknown.hsaco
err 'fmhac inspect: not analysed: kernel waits, pc 0x24, `s_setpc_b64 s[8:9]`: jumps to an address in registers'
run 3 inspect --waits unknown.hsaco --json
one_object
json '"not_analysed":[{"kernel":"waits","message":'
json '"pc":36,"instruction":"s_setpc_b64s[8:9]"}],"idle_waits":[],"findings":[]'

# Bytes that are no instruction: the kernel is not analysed, and said to be so.
sed 's/^  v_lshlrev_b32_e32 v1, 2, v0/  .long 0xffffffff/' "$here/audit.s" |
  "$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj \
    --defsym WAIT=0 --defsym LEAVE=0 - -o c.o &&
  "$llvm/ld.lld" -shared c.o -o c.hsaco || exit 1
run 3 inspect --waits c.hsaco
err 'not analysed: kernel missing: instructions that are not known'
grep -q '^  pc 0x[0-9a-f]*: (unknown encoding 0xffffffff)' stderr ||
  fail "$what: not one line an instruction"
! grep -qF '\x0a' stderr || fail "$what: an escaped end of line"

run 2 inspect --waits none.hsaco
err 'cannot read none.hsaco'
run 2 inspect --waits good.o
err 'ET_DYN'
run 2 inspect --waits "$fmhac" --json
one_object
run 2 inspect --waits
run 2 inspect --waits --diff good.hsaco bad.hsaco
err 'exclude each other'
size=$(wc -c <bad.hsaco)
cut=0
while [ "$cut" -lt "$size" ]; do
  head -c "$cut" bad.hsaco >prefix
  "$fmhac" inspect --waits prefix >"$work/stdout" 2>"$work/stderr"
  code=$?
  [ "$code" -eq 2 ] || fail "prefix of $cut bytes: $code"
  cut=$((cut + 100))
done

# compile
run 0 compile --json -o k.hsaco
one_object
json '"audit":{"kernels":2,'
json '"not_analysed":[],"idle_waits":['
json '],"findings":[]}'
run 0 inspect --waits k.hsaco
out ' 0 findings, 0 places not analysed'
run 0 compile --no-audit --json -o same.hsaco
grep -q audit "$work/stdout" && fail '--no-audit audits'
cmp -s k.hsaco same.hsaco || fail 'the audit changes the code object'

what='audit of what is compiled, the library too'
"$audit_code" good.hsaco >"$work/stdout" 2>"$work/stderr" || fail "good: $?"
grep -qx 0 "$work/stdout" || fail "good: status $(cat "$work/stdout")"
"$audit_code" unknown.hsaco >"$work/stdout" 2>"$work/stderr" || fail "unknown: $?"
grep -qx 0 "$work/stdout" || fail "unknown: status $(cat "$work/stdout")"
err 'log: not audited: kernel waits, pc 0x24'
"$audit_code" bad.hsaco >"$work/stdout" 2>"$work/stderr" || fail "bad: $?"
grep -qx 4 "$work/stdout" || # FMHAC_CODEGEN_FAILED
  fail "bad: status $(cat "$work/stdout")"
err 'found 1 place where it may not'
err 'wait: kernel missing, pc 0x18'

# What is valid and yet not what a compiler means (suspects.s): found in what is compiled, and
# not by inspect --waits, which others' code is given to.
# suspect CASE
suspect() {
  what="suspect $1"
  "$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj \
    --defsym CASE="$1" "$here/suspects.s" -o suspect.o &&
    "$llvm/ld.lld" -shared suspect.o -o suspect.hsaco || exit 1
  "$audit_code" suspect.hsaco >"$work/stdout" 2>"$work/stderr" || fail "$what: $?"
  status=$(cat "$work/stdout")
}
# found CASE TEXT
found() {
  suspect "$1"
  [ "$status" = 4 ] || fail "$what: status $status"
  err 'found 1 place where it may not'
  err "suspect: kernel suspect, $2"
  run 0 inspect --waits suspect.hsaco
  out ' 0 findings, 0 places not analysed'
}
# carry CASE READER SETTER
carry() {
  found "$1" "$2: takes the carry or overflow of $3 for a condition: a comparison between them may have been removed (llvm/llvm-project issue 215745)"
}
carry 1 'pc 0x4, `s_cselect_b32 s5, s6, s7`' '`s_add_u32 s4, s2, s3` at pc 0x0'
carry 2 'pc 0x8, `s_cmov_b32 s5, s6`' '`s_sub_i32 s4, s2, s3` at pc 0x0'
carry 3 'pc 0x4, `s_cbranch_scc0 1`' '`s_addc_u32 s4, s2, s3` at pc 0x0'
carry 4 'pc 0xc, `s_cselect_b64 s[6:7], -1, 0`' '`s_addk_i32 s4, 0x10` at pc 0x8'
carry 5 'pc 0x4, `s_cselect_b32 s5, s6, s7`' '`s_add_i32 s4, s4, s5` at pc 0x8'
found 6 'pc 0x0, `v_pk_fma_f32 v[0:1], v[2:3], v[4:5], v[6:7] op_sel:[0,1,0]`: takes the high half of an operand twice: seen on gfx950 to lose the low half of the sum now and then (ROCm/rocMLIR pull request 2459)'
for case in 11 12 13 14 15 16; do
  suspect "$case"
  [ "$status" = 0 ] || fail "$what: status $status"
done
finish
