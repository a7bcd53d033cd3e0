#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What fmhac tune refuses, when, and in which words; what it says of results that are
# not right, and of those that cannot be looked at.
# tune_refusals.sh FMHAC SOURCES LIBRARY COMPILER COMMAND, which is FMHAC without a server.
here=$(cd "$(dirname "$0")" && pwd)
sources=$2 library=$3 compiler=$4 command=$5
. "$here/lib.sh"
FMHAC_CACHE=off
export FMHAC_CACHE

small='--head-dim 64 --heads 1 --seqlen 128 --budget 0'
# Nothing was timed.
at_once() { ! grep -q 'cycles a KV tile' stderr || fail "$what: only after it was timed"; }

# Flags of the check, and functions of scores that no reference knows.
run 2 tune $small --check bogus
err "--check: expected none, all, or of mem,wait,race,init,sync,hazard, found 'bogus'"
at_once
cat >mod.mlir <<'EOF'
fmha.score_mod @distance(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %low, %high = arith.mulsi_extended %row, %key : i32
  %f = arith.bitcast %low : i32 to f32
  %x = arith.addf %score, %f : f32
  fmha.yield %x : f32
}
EOF
run 3 tune $small --score-mod mod.mlir
err 'no reference for '
! grep -q 'no-compare' stderr || fail "$what: a flag that tune has not"
at_once
sed 's/addf/adf/' mod.mlir >none.mlir
run 2 tune $small --score-mod none.mlir
err 'none.mlir:4:'
at_once

# Outputs that cannot be written, or not both.
run 2 tune $small -o - --json
one_object
err 'both write to standard output'
at_once
run 2 tune $small -o - --table t.csv
err '-o - with --table: the row of the table names the file'
at_once
run 2 tune $small --table -
err "expected a file, which is read and written, found '-'"
at_once
run 2 tune $small -o here.mlir --table ../"$(basename "$work")"/here.mlir
err 'expected two files'
at_once
run 2 tune $small -o a,b.mlir --table t.csv
err "expected a name without a comma or an end of line, found './a,b.mlir'"
at_once
cp "$sources/passes/schedules/generic.mlir" c,d.mlir
run 2 tune $small --schedule c,d.mlir --table t.csv
err "expected a name without a comma or an end of line, found './c,d.mlir'"
at_once
[ ! -e t.csv ] && [ ! -e here.mlir ] || fail 'a file in spite of an error'

# What problems the row is for.
for flag in --for-keys --for-q-rows --for-workgroups; do
  run 2 tune $small $flag few --table t.csv
  err "found 'few'"
  at_once
  run 2 tune $small $flag 256-1 --table t.csv
  err "found '256-1'"
  at_once
  run 2 tune $small $flag 1-64
  err "$flag goes with --table only"
  at_once
done
run 2 tune $small --for-keys 1,2 --table t.csv
err "found '1,2'"
at_once
# The row's problem is one of its class: 128 keys and rows of one head.
for range in '--for-keys 129-600' '--for-keys 1-127' '--for-q-rows 1' '--for-workgroups 2-9'; do
  # shellcheck disable=SC2086
  run 2 tune $small $range --table t.csv
  err "$range: expected a problem of the row to be timed, found one of "
  at_once
done
run 2 tune $small --mask window:9,0 --for-keys 16-128 --table t.csv
err 'found one of 10 keys that a row sees'
# The keys that a row sees are as many for tune as for the choice, whose table has a row for
# one key more and a row for them.
for case in 'window:9,0 10' 'window:9,7 17' 'window:0,0 1' 'chunked:33 33'; do
  mask=${case% *} keys=${case#* }
  run 2 tune $small --mask "$mask" --for-keys $((keys + 1))-128 --table t.csv
  err "found one of $keys keys that a row sees"
  at_once
  cat >keys.csv <<END
dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,cycles,other,other_seconds,other_cycles,problem
*,*,*,*,*,$((keys + 1))-4096,generic_wide,1,1,-,-,-,by hand
*,*,*,*,*,$keys-4096,generic,1,1,-,-,-,by hand
END
  FMHAC_DISPATCH=keys.csv run 0 compile -v --head-dim 64 --mask "$mask" --emit=problem -o k.mlir
  err 'remark: schedule generic by keys.csv:3 '
  ! grep -q 'by keys.csv:2' stderr || fail "$what: a row for more keys"
done
[ ! -e t.csv ] || fail 'a table in spite of an error'

# What is no better than what there was is called a copy. On standard output stands the
# schedule and nothing else.
run 0 tune $small --schedules generic -o -
grep -q '^// A copy of generic: `fmhac tune` found nothing better\. ' stdout || fail "$what: no copy"
! grep -q 'results are right' stdout || fail "$what: a report in the schedule"
mv stdout copy.mlir
run 0 compile --head-dim 64 --schedule ./copy.mlir -o k

# A row that somebody puts into the table while schedules are timed stays.
cat >whole.csv <<'END'
dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,cycles,other,other_seconds,other_cycles,problem
f16,*,*,*,*,*,generic,1,1,-,-,-,by hand
END
"$fmhac" tune $small --schedules generic,dualwave --table u.csv >stdout 2>stderr &
until grep -q 'cycles a KV tile' stderr || ! kill -0 $! 2>none; do sleep 0.02; done
flock . sh -c 'if [ -e u.csv ]; then tail -n 1 whole.csv >>u.csv; else cp whole.csv u.csv; fi'
wait $! || fail 'tune with a table that changes'
what='a table that changes'
grep -q 'by hand$' u.csv || fail "a row went: $(cat u.csv)"
grep -q '^bf16,64,64,none,plain,\*,' u.csv || fail "no row of tune: $(cat u.csv)"

# Stages may be called as one likes: the search finds the same with long names, two of
# which differ in their last letter only.
long=$(printf 's%.0s' $(seq 90))
sed "s/@scores /@${long}a /; s/@output /@${long}b /; s/@dualwave/@named/" "$sources/passes/schedules/dualwave.mlir" >named.mlir
# In the stages and in the recipe.
[ "$(grep -c "$long" named.mlir)" -eq 4 ] || fail 'the stages have other names'
cp "$sources/passes/schedules/dualwave.mlir" plain.mlir
search='--head-dim 64 --heads 1 --seqlen 128 --budget 1000 --trials 3 --seed 3 --json'
tried() { python3 -c 'import json; d = json.load(open("stdout")); print(d["candidates"], d["seconds"])'; }
run 0 tune $search --schedules plain.mlir
found=$(tried)
run 0 tune $search --schedules named.mlir
[ "$(tried)" = "$found" ] || fail "$what: $(tried), with short names $found"

# What is right of a few hundred keys and not of as many as the problem's: a problem that is
# too large to be compared as it is. From key 2000 on odd keys get 2^24 + 1.5 - 2^24, which
# is 2 in f32 and 1.5 in the reference.
cat >far.mlir <<'END'
fmha.score_mod @far(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %near = arith.constant 2000 : i32
  %one = arith.constant 1 : i32
  %zero = arith.constant 0.0 : f32
  %some = arith.constant 1.5 : f32
  %large = arith.constant 16777216.0 : f32
  %bit = arith.andi %key, %one : i32
  %odd = arith.cmpi eq, %bit, %one : i32
  %far = arith.cmpi sge, %key, %near : i32
  %both = arith.andi %odd, %far : i1
  %a = arith.select %both, %some, %zero : f32
  %b = arith.addf %large, %a : f32
  %c = arith.subf %b, %large : f32
  %y = arith.addf %score, %c : f32
  fmha.yield %y : f32
}
END
run 1 tune --heads 8 --seqlen-q 40 --seqlen-kv 16384 --score-mod far.mlir --budget 0 --schedules generic
err 'its results are not right, nothing is written: growing inputs: O: '
run 0 run --heads 1 --seqlen-q 40 --seqlen-kv 840 --score-mod far.mlir --schedule generic --input growing
# Keys of the check reach over the bound of a mask: it cuts some there too.
check() { python3 -c 'import json; d = json.load(open("stdout"))["check"]; print(d["problem"], "|", d.get("growing_problem"))'; }
for each in 'window:1024,0/B1 Hq1 Hk1 Sq600 Sk1324 | B1 Hq1 Hk1 Sq40 Sk2048' \
  'chunked:1024/B1 Hq1 Hk1 Sq600 Sk1324 | B1 Hq1 Hk1 Sq40 Sk2048' \
  'window:700,700/B1 Hq1 Hk1 Sq1000 Sk1700 | B1 Hq1 Hk1 Sq40 Sk2048' \
  'window:128,0/B1 Hq2 Hk1 Sq840 Sk840 | B1 Hq1 Hk1 Sq40 Sk2048'; do
  run 0 tune --heads 2 --kv-heads 1 --seqlen 2048 --mask "${each%%/*}" --schedules dualwave_1tile --sample 3 --budget 0 --json
  [ "$(check)" = "${each#*/}" ] || fail "$what: checked on $(check), expected ${each#*/}"
done

# Times that three workgroups of an axis leave open, since the grid has an order: those
# that all of them have say otherwise which is better.
for grid in linear head_major; do
  echo "fmha.schedule @$grid = @dualwave_1tile with <grid = $grid>" >$grid.mlir
done
seconds() { python3 -c 'import json; d = json.load(open("stdout")); print([(s["schedule"], s["seconds"]) for s in d.get("schedules", [d])])'; }
problem='--mask causal --heads 64 --kv-heads 8 --seqlen 2048'
run 0 tune $problem --schedules linear.mlir,head_major.mlir --budget 0 --json
found=$(seconds)
run 0 bench $problem --schedule ./head_major.mlir --sample auto --json
[ "$found" = "[('head_major.mlir', $(seconds | sed "s/.*, //; s/)]//")), ('linear.mlir', ${found##* }" ] ||
  fail "$what: $(seconds), tune found $found"

# A compiler that comes to a sudden end has not refused a schedule.
mkdir -p tree/lib tree/libexec/fmhac
cp "$library" tree/lib/
ln -s "$(dirname "$library")/fmhac" tree/lib/fmhac
cat >tree/libexec/fmhac/fmhac-compiler <<END
#!/bin/sh
[ -e "$work/died" ] && exec "$compiler" "\$@"
touch "$work/died"
exit 1
END
chmod +x tree/libexec/fmhac/fmhac-compiler
fmhac=$command
FMHAC_COMPILER=process LD_LIBRARY_PATH=$work/tree/lib run 0 tune $small --schedules generic,dualwave --json
found=$(python3 -c 'import json; print([(s["schedule"], s["verdict"]) for s in json.load(open("stdout"))["schedules"]])')
[ "$found" = "[('dualwave', 'timed'), ('generic', 'failed')]" ] || fail "$what: $found"

finish
