#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A table of schedules of one's own, as the commands that read it show it.
# table.sh FMHAC SOURCES.
here=$(cd "$(dirname "$0")" && pwd)
sources=$2
. "$here/lib.sh"
FMHAC_CACHE=off
export FMHAC_CACHE

# A row names a file beside the table, whose path is longer than what a query answers.
folder=a_folder_whose_name_is_so_long_that_a_path_in_it_is_cut/and_one_more
mkdir -p "$folder"
sed 's/@generic/@own/; s/tile_n = 64/tile_n = 32/' "$sources/passes/schedules/generic.mlir" >"$folder/g.mlir"
cat >"$folder/t.csv" <<'END'
dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,cycles,other,other_seconds,other_cycles,problem
*,*,*,*,*,*,./g.mlir,1,2,-,-,-,by hand
END
FMHAC_DISPATCH=$folder/t.csv
export FMHAC_DISPATCH

# The map of a mask has the tiles of that file.
run 0 list --explain-mask causal --json
json '"tile":[128,32]'

# Which row was taken is said once, of the configuration with its flags.
cat >"$folder/rows.csv" <<'END'
dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,cycles,other,other_seconds,other_cycles,problem
*,*,*,causal,*,*,generic,1,2,-,-,-,by hand
*,*,*,*,*,*,generic_wide,1,2,-,-,-,by hand
END
FMHAC_DISPATCH=$folder/rows.csv
echo '{"head_dim": 64}' >c.json
run 0 compile -v --config c.json --mask causal -o k --depfile k.d
err "remark: schedule generic by $folder/rows.csv:2 "
[ "$(grep -c "$folder/rows.csv" stderr)" -eq 1 ] || fail "$what: not one remark on the table"
# What is wrong with the file is said of it, what is wrong with the table is not.
echo '{"head_dim": 64, "mask": "cauzal"}' >bad.json
run 2 compile --config bad.json
err 'error: bad.json: '

# A kernel depends on the table wherever that had a say, whatever it chose.
FMHAC_DISPATCH=$folder/rows.csv
depends() { grep -qF "$work/$1" k.d; }
run 0 compile --head-dim 64 -o k --depfile k.d
depends "$folder/rows.csv" || fail "$what: no table in $(cat k.d)"
FMHAC_DISPATCH=$folder/t.csv
run 0 compile --head-dim 64 --emit problem -o k --depfile k.d
depends "$folder/t.csv" && depends "$folder/./g.mlir" || fail "$what: no table and file in $(cat k.d)"
run 0 compile --head-dim 64 --schedule generic -o k --depfile k.d
! depends "$folder" || fail "$what: a table where a schedule is named: $(cat k.d)"
FMHAC_DISPATCH=
# Every file of a list, and nothing else.
sed 's/@generic/@other/; s/waves_per_simd = 2/waves_per_simd = 1/' "$folder/g.mlir" >other.mlir
run 0 compile --head-dim 64 --schedule "$folder/g.mlir if Sk <= 3; other.mlir if Sk <= 9; auto" \
  -o k --depfile k.d
depends "$folder/g.mlir" && depends other.mlir || fail "$what: no files in $(cat k.d)"
! grep -q ' if\|;' k.d || fail "$what: words of a list in $(cat k.d)"
run 0 compile --head-dim 64 -o k --depfile k.d
[ "$(cat k.d)" = 'k:' ] || fail "$what: not nothing: $(cat k.d)"

# What is listed says which table a row is of: those that it does not serve fall to the
# built-in one.
sed '/generic_wide/d' "$folder/rows.csv" >rows.csv
FMHAC_DISPATCH=rows.csv
run 0 list -v
out ' rows.csv:2: 1000 ms, 2 cycles a KV tile; by hand'
grep -q ' built-in table:[0-9]*: ' stdout || fail 'no row of the built-in table'

# Rows for classes of problems are kernels of one code object; what they leave is the built-in
# table's. Each is run by its problems.
cat >few.csv <<'END'
dtype,head_dim_qk,head_dim_v,mask,scores,keys,q_rows,workgroups,schedule,seconds,cycles,other,other_seconds,other_cycles,problem
*,*,*,none|window,*,1-64,*,*,generic_wide,1,2,-,-,-,by hand
*,*,*,none,*,*,1-16,1-2,generic_wide_m64,1,2,-,-,-,by hand
*,*,*,causal,*,1-64,*,*,generic,1,2,-,-,-,by hand
*,*,*,causal,*,*,*,*,dualwave,1,2,-,-,-,by hand
END
FMHAC_DISPATCH=few.csv
run 0 compile -v -o k
out 'schedule generic_wide if Sk <= 64; generic_wide_m64 if Sq <= 16 and B * Hq <= 2; generic if Sk <= 256; dualwave_1tile '
for place in few.csv:2 few.csv:3 'built-in table:'; do err " by $place"; done
run 0 compile --mask causal -o k
out 'schedule generic if Sk <= 64; dualwave '
run 0 compile --mask window:63,0 -o k
out 'schedule generic_wide '
by() { # by SCHEDULE FLAG...: the schedule that runs a problem
  wanted=$1
  shift
  run 0 run --heads 1 "$@"
  out "schedule $wanted: "
}
by generic_wide --seqlen 64
by generic_wide_m64 --seqlen-q 16 --seqlen-kv 65
by generic_wide_m64 --batch 2 --seqlen-q 16 --seqlen-kv 65
by generic --batch 3 --seqlen-q 16 --seqlen-kv 65
by generic --seqlen-q 17 --seqlen-kv 256
by dualwave_1tile --seqlen-q 17 --seqlen-kv 257
by generic --mask causal --seqlen 64
by dualwave --mask causal --seqlen 65

# Of a file that a row names and that is not there, the row is named.
sed 's/,generic_wide,/,.\/none.mlir,/' few.csv >lost.csv
FMHAC_DISPATCH=lost.csv
run 2 compile -o k
err "table of schedules lost.csv:2: reading the schedule './none.mlir': No such file"

# A table that is not there is no fault of the compiler.
FMHAC_DISPATCH=none.csv
run 1 doctor
err "FMHAC_DISPATCH: reading the table of schedules 'none.csv': No such file"
grep -q '^compiler *ok$' stdout || fail 'the compiler is blamed'

finish
