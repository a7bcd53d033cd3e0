#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What list and run print fits a screen: one line a configuration, a few lines a run.
# Remarks need -v, except where a schedule that the user gave asks for something that the
# compiler declines.
. "$(dirname "$0")/lib.sh"
lines() { wc -l <"$work/$1"; }
at_most() { # at_most NUMBER FILE
  [ "$(lines "$2")" -le "$1" ] || fail "$what: $(lines "$2") lines on $2, expected at most $1"
}
narrow() {
  ! grep -qE '^.{81}' "$work/stdout" || fail "$what: a line of more than 80 characters"
}
no_note() { [ ! -s "$work/stderr" ] || fail "$what: something on stderr"; }

# list: as many lines as JSON has configurations, one more for each kernel after the first and
# for a long configuration, and at most eleven of titles and names.
run 0 list --json
configurations=$(grep -c '"supported"' stdout)
[ "$configurations" -ge 20 ] || fail "$what: $configurations configurations"
measured=$(grep -c '"measured":.*{' stdout)
conditions=$(grep -c '"when":.*"[^"]*S' stdout)
entries=$(grep -c '"when"' stdout)
more=$((entries - configurations + $(grep -c '"supported":.*false' stdout)))
[ "$more" -ge 5 ] || fail "$what: $entries kernels of $configurations configurations"
[ "$measured" -ge 10 ] || fail "$what: $measured rows"
run 0 list
[ "$(grep -c '^  {' stdout)" -eq "$configurations" ] || fail "$what: not one line a configuration"
[ "$(grep -cE ' ms(  if .*)?$' stdout)" -eq "$measured" ] || fail "$what: not one time a row"
[ "$(grep -c '  if ' stdout)" -eq "$conditions" ] || fail "$what: not one condition a row"
long=$(grep -c '^  {.*}$' stdout)
at_most $((configurations + more + long + 11)) stdout
narrow
! grep -q 'cycles a KV tile' stdout || fail "$what: a row of the table"
out 'schedules: '
out '{"head_dim":64}'
run 0 list -v
[ "$(grep -c '^  {' stdout)" -eq "$configurations" ] || fail "$what: not one line a configuration"
[ "$(grep -c '^      .*:[0-9]*: .* cycles a KV tile' stdout)" -eq "$measured" ] ||
  fail "$what: not one line a row"
run 0 list --verbose --json
cp stdout verbose.json
run 0 list --json
cmp -s stdout verbose.json || fail "$what: JSON depends on -v"

# run: problem, kernel, one line an output, the result.
small='--heads 1 --seqlen 64'
FMHAC_CACHE_DIR=$work/cache
export FMHAC_CACHE_DIR
for round in compiled cached; do
  run 0 run $small --lse
  at_most 12 stdout
  no_note
  out 'schedule '
  out ' registers per lane, '
  out ' bytes of LDS'
  [ "$(grep -c '  pass$' stdout)" -eq 2 ] || fail "$what: not one line an output"
  run 0 run $small --lse -v
  err "remark: "
  grep -q 'k has LDS layout' stderr || fail "$what, $round: no remark of a pass"
  at_most 12 stdout
done
# The facts are those of the code object.
run 0 run $small --save-launch saved
line=$(grep ' registers per lane' stdout)
run 0 inspect saved/*.hsaco --json
# The first kernel of two: the problem has few keys.
lds=$(tr -d ' \t\n' <stdout | grep -o '"lds_bytes":[0-9]*' | sed -n '1s/.*://p')
case $line in
*" $lds bytes of LDS"*) ;;
*) fail "$what: $line, but $lds bytes of LDS in the code object" ;;
esac

# A schedule with more instructions in a recipe than the stage has, taken without and with
# its name: `dualwave` with heads of 64 has half the matrix instructions of its recipe.
for round in compiled cached; do
  run 0 run $small --head-dim 64 --schedule dualwave
  err 'note: declined: recipe of @scores cannot be met'
  at_most 8 stderr
  ! grep -q 'remark: ' stderr || fail "$what, $round: a remark"
  run 0 run $small --head-dim 64 --schedule dualwave -q
  no_note
  run 0 run $small --head-dim 64 --schedule dualwave --json
  err 'declined: '
  one_object
done
run 0 compile --head-dim 64 --schedule dualwave -o k.hsaco
err 'note: declined: recipe of @scores cannot be met'
run 0 compile --head-dim 64 --schedule dualwave -o k.hsaco -v
err 'remark: declined: recipe of @scores cannot be met'
# The same of a file; of many, some.
"$fmhac" list --print-schedule dualwave >own.mlir
run 0 run $small --head-dim 64 --schedule own.mlir
err 'declined: '
at_most 8 stderr
# A table that names the schedule is no request.
cat >t.csv <<'END'
dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,cycles,other,other_seconds,other_cycles,problem
*,*,*,*,*,*,dualwave,1,2,-,-,-,by hand
END
FMHAC_DISPATCH=t.csv
export FMHAC_DISPATCH
run 0 run $small --head-dim 64
out 'schedule dualwave:'
no_note
run 0 run $small --head-dim 64 --schedule auto
no_note
run 0 run $small --head-dim 64 -v
err 'remark: declined: recipe of @scores cannot be met'
finish
