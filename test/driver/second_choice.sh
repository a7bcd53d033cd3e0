#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A table's schedule that leaves a function of scores too few registers gives way to the
# first schedule that can serve; one that was asked for does not. second_choice.sh FMHAC SOURCES
here=$(cd "$(dirname "$0")" && pwd)
sources=$2
. "$here/lib.sh"
FMHAC_CACHE=off
export FMHAC_CACHE

cat >f.mlir <<'END'
fmha.score_mod @half(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %c = arith.constant 0.5 : f32
  %y = arith.mulf %score, %c : f32
  fmha.yield %y : f32
}
END
# Four waves a SIMD leave 128 registers, of which S, P and O alone take 32 + 16 + 64.
sed 's/waves_per_simd = 2/waves_per_simd = 4/; s/@generic/@tight/' \
  "$sources/passes/schedules/generic.mlir" >tight.mlir
cat >t.csv <<'END'
dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,cycles,other,other_seconds,other_cycles,problem
*,*,*,*,*,*,./tight.mlir,1,1,-,-,-,by hand
END
problem='--heads 1 --seqlen 96'

run 0 compile --score-mod f.mlir --schedule generic -o named.hsaco
FMHAC_DISPATCH=t.csv
export FMHAC_DISPATCH
run 0 compile -v --score-mod f.mlir -o k.hsaco
err 'remark: schedule ./tight.mlir by t.csv:2'
err 'warning: schedule generic instead of ./tight.mlir, which does not fit with f.mlir: '
err 'spilled registers'
out 'schedule generic'
run 0 run --score-mod f.mlir $problem --check=all
out 'schedule generic'
# Who speaks of the kernel without compiling it names the same schedule.
run 0 list --explain-schedule auto --score-mod f.mlir
out 'schedule generic, attn_'
run 0 list --explain-mask none --score-mod f.mlir
out 'schedule ./tight.mlir'
err 'note: schedule ./tight.mlir is a table'
err 'if it does not fit with the score_mod, a compilation may take another'
FMHAC_CACHE=on FMHAC_CACHE_DIR=$work/cache run 0 run --score-mod f.mlir $problem
FMHAC_CACHE=on FMHAC_CACHE_DIR=$work/cache run 0 cache ls
grep -q '  schedule generic score_mod=f.mlir$' stdout || fail "$what: another schedule"
FMHAC_CACHE=on FMHAC_CACHE_DIR=$work/cache run 0 cache ls --json
json '"schedule":"generic","schedule_file":null,"entries":[{"schedule":"generic","when":"","schedule_file":null}]'
# Other rungs are of the same kernel, and the IR that is printed is of no trial.
run 0 compile --score-mod f.mlir --emit=tiles -o tiles.mlir
grep -q 'waves_per_simd = 2' tiles.mlir || fail 'tiles of the schedule that did not fit'
run 0 compile --score-mod f.mlir --emit=isa -o k.s
grep -q '\.vgpr_spill_count: *0' k.s || fail 'assembly of the schedule that did not fit'
run 0 compile --score-mod f.mlir --print-ir-after-all -o k.hsaco
! grep -q 'waves_per_simd = 4' "$work/stdout" || fail 'IR of a trial'

# Of two kernels one does not fit: the first schedule that can serve has all problems.
sed 's/^\*,\*,\*,\*,\*,\*/*,*,*,*,*,1-4096/' t.csv >part.csv
FMHAC_DISPATCH=part.csv
run 0 compile --score-mod f.mlir -o part.hsaco
err 'warning: schedule generic instead of ./tight.mlir if Sk <= 4096; generic, which'
run 0 inspect --json part.hsaco
[ "$(grep -c '"when":' "$work/stdout")" -eq 1 ] || fail 'not one kernel'
run 0 list --explain-schedule auto --score-mod f.mlir
out 'schedule generic, attn_'
# A file's schedule that fits keeps its name, whatever it calls itself.
"$fmhac" list --print-schedule generic >fits.mlir
sed 's/tight/fits/' t.csv >fits.csv
FMHAC_DISPATCH=fits.csv
run 0 list --explain-schedule auto --score-mod f.mlir
out 'schedule ./fits.mlir, attn_'
FMHAC_CACHE=on FMHAC_CACHE_DIR=$work/cache run 0 cache clear
FMHAC_CACHE=on FMHAC_CACHE_DIR=$work/cache run 0 run --score-mod f.mlir $problem
FMHAC_CACHE=on FMHAC_CACHE_DIR=$work/cache run 0 cache ls
grep -q '  schedule generic (./fits.mlir) score_mod=f.mlir$' stdout || fail "$what: no file"
FMHAC_DISPATCH=t.csv

# Without a function of the user's it is the table that is wrong, and a schedule that
# was asked for by name is not exchanged.
rm -f k.hsaco
run 2 compile -o k.hsaco
err 'tight.mlir'
err 'spilled registers'
run 2 compile --score-mod f.mlir --schedule ./tight.mlir -o k.hsaco
err 'spilled registers'
! grep -q 'instead of' "$work/stderr" || fail 'a schedule that was asked for was exchanged'
[ ! -e k.hsaco ] || fail 'a kernel in spite of the error'

finish
