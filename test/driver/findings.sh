#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What emu says of findings: the code around them, suppressions, repeated schedules.
here=$(cd "$(dirname "$0")" && pwd)
llvm=$2
. "$here/lib.sh"

"$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj \
  "$here/findings.s" -o f.o && "$llvm/ld.lld" -shared f.o -o f.hsaco || exit 1
cat >launch.json <<'END'
{"code_object": "f.hsaco", "grid": [1,1,1], "block": [128,1,1],
 "buffers": {"o": {"bytes": 512, "fill": 0, "out": "o.bin"}},
 "kernarg": [{"offset": 0, "buffer": "o"}]}
END
launch() {
  code=$1
  shift
  run "$code" emu launch.json --check=all "$@"
}

# Each wave reads LDS that the other writes. The write stands 32 bytes after the entry
# (4 + 4 + 8 + 4 + 4 + 8), after it wait and read.
launch 1
err 'finding: race: kernel exchange, '
err '  > 0x000020  ds_write_b32 v1, v0'
err '    0x000028  s_waitcnt lgkmcnt(0)'
err '  > 0x00002c  ds_read_b32 v2, v3'
launch 1 --json
one_object
json '"listing":[{"pc":20,"instruction":"v_lshlrev_b32_e32v1,2,v0"},'

# Suppressed: all patterns of an object must match.
echo '[{"check": "race", "instruction": "ds_*", "message": "*LDS byte*"}]' >s.json
launch 0 --suppressions s.json
out '0 findings, '
out ' suppressed'
launch 0 --suppressions s.json --json
one_object
json '"ok":true'
json '"findings":[]'
json '"suppressed":[{"check":"race",'
echo '[{"check": "race", "instruction": "v_*"}, {"check": "[a-z]*"}]' >s.json
launch 0 --suppressions s.json
err 'fmhac emu: warning: suppression [0] matches no finding'
echo '[{"check": "mem"}]' >s.json
launch 1 --suppressions s.json
launch 1 --suppressions s.json --json
json '"suppressed":[]'

# More findings than are kept: how often the others came is said.
sed 's/ds_read_b32 v2, v3/.rept 120\n  ds_read_b32 v2, v3\n  .endr/' "$here/findings.s" |
  "$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj - -o m.o &&
  "$llvm/ld.lld" -shared m.o -o many.hsaco || exit 1
sed 's/f.hsaco/many.hsaco/' launch.json >many.json
run 1 emu many.json --check=race
out '100 findings'
err 'other findings came '
run 1 emu many.json --check=race --json
json '"dropped":'
grep -q '"dropped":[[:space:]]*0,' stdout && fail "dropped: 0"
launch 1 --json
json '"dropped":0,'

# Files that are none.
bad() {
  printf '%s' "$1" >s.json
  run 2 emu launch.json --suppressions s.json
  no_out
  err "$2"
}
bad '{}' 'expected a JSON array of suppressions, found an object'
bad '[' 's.json: malformed JSON at 1:2: expected more, found the end of the file'
bad '[] x' "s.json: malformed JSON at 1:4: expected the end of the file after the JSON value, found 'x'"
err '      |    ^'
bad '[1]' '[0]: expected an object'
bad '[{}]' '[0]: expected an object'
bad '[{"check":"mem"},{"chek":"mem"}]' '[1]: key "chek": expected check,'
bad '[{"check":1}]' '[0]: key "check": expected check,'
run 2 emu launch.json --suppressions missing.json
err 'missing.json'

# Orders.
run 1 emu launch.json --check=none --repeat-schedules=8
err 'buffer "o" depends on the order of waves'
run 1 emu launch.json --check=none --repeat-schedules=8 --json
one_object
json '"findings":[]'
json '"repeats":{"schedules":8,"different":[{"seed":'
run 2 emu launch.json --repeat-schedules=-1
finish
