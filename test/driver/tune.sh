#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fmhac tune: what it compares, finds, writes and refuses; and the table of schedules
# that it writes, as others read it. tune.sh FMHAC SOURCES. No time is compared with a
# clock: what bounds a search here is --trials.
here=$(cd "$(dirname "$0")" && pwd)
sources=$2
. "$here/lib.sh"
FMHAC_CACHE=off
export FMHAC_CACHE

# Of JSON on stdout: value KEY, by python's words.
value() {
  python3 -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' \
    "$work/stdout" "$1"
}
is() {
  found=$(value "$1")
  [ "$found" = "$2" ] || fail "$what: $1 is '$found', expected '$2'"
}

small='--head-dim 64 --heads 1 --seqlen 128'

# All built-in schedules that serve, and nothing but them, in the order of their times: not
# those for elements of 8 bits, or for a V that lies in K.
run 0 list --json
all=$(value 'sorted(s for s in d["schedules"] if "fp8" not in s and "kv8" not in s and "q8" not in s and "latent_decode" not in s)')
run 0 tune $small --budget 0 --json
one_object
is 'sorted(s["schedule"] for s in d["schedules"])' "$all"
is '[s["seconds"] for s in d["schedules"]] == sorted(s["seconds"] for s in d["schedules"])' True
is 'd["schedule"] == d["schedules"][0]["schedule"] == d["from"]' True
is 'd["check"]["pass"], d["candidates"]["tried"]' '(True, 0)'
# As fmhac bench times the same.
best=$(value 'd["schedule"], d["seconds"], d["cycles_per_kv_tile"]')
run 0 bench $small --schedule "$(value 'd["schedule"]')" --sample 3 --json
is 'd["schedule"], d["seconds"], d["cycles_per_kv_tile"]' "$best"

# A search, of a schedule that was spoiled: O follows the maximum at every step, and waits.
# Others before their turn in the stage that takes the maximum is the first thing tried, and
# better by far more than the model's digits.
run 0 list --print-schedule dualwave
sed 's/rescale = lazy, lazy_log2 = 8/rescale = eager/; s/@dualwave/@slow/' stdout >slow.mlir
grep -q 'rescale = eager' slow.mlir || fail 'no such rescale in dualwave'
search='--head-dim 64 --heads 1 --seqlen 512 --schedules ./slow.mlir --budget 1000 --trials 3 --seed 3 --threads 1'
run 0 tune $search -o a.mlir --table a.csv --json
cp stderr a.err
is 'd["schedule"], d["from"]' "('slow_tuned', './slow.mlir')"
is 'd["candidates"]["tried"]' 3
is 'sum(d["candidates"][k] for k in ("timed", "refused", "do_not_fit", "failed"))' 3
is 'd["changes"], d["recipe_counts_changed"]' "([{'name': '@v_in.priority', 'from': 0, 'to': 1}], 0)"
is 'd["seconds"] < 0.97 * d["schedules"][0]["seconds"]' True
grep -q '^fmhac tune: \./slow\.mlir: [0-9.]* ms, [0-9.]* cycles a KV tile$' stderr ||
  fail 'not what it starts from'
grep -q '^fmhac tune: 1 tried, [0-9.]* ms (-[0-9.]* %), [0-9.]* cycles a KV tile: @v_in\.priority 0 -> 1$' stderr ||
  fail 'not what was better'
found=$(value 'd["seconds"], d["cycles_per_kv_tile"]')
# The row names what was written, beside what it comes from.
row=$(value '"bf16,64,64,none,plain,0,none,no,*,*,*,*,*,./a.mlir,%.6g,%.6g,./slow.mlir,%.6g,%.6g,B1 Hq1 Hk1 Sq512 Sk512" % (
  d["seconds"], d["cycles_per_kv_tile"], d["schedules"][0]["seconds"], d["schedules"][0]["cycles_per_kv_tile"])')
[ "$(sed -n 2p a.csv)" = "$row" ] || fail "not '$row' but: $(sed -n 2p a.csv)"
# What was written compiles, is right, and is as fast as it says.
run 0 bench --head-dim 64 --heads 1 --seqlen 512 --schedule ./a.mlir --sample 3 --seed 3 --json
is 'd["seconds"], d["cycles_per_kv_tile"]' "$found"
run 0 run $small --schedule ./a.mlir
# The same for the same seed; a table in another folder, beside what is written.
mkdir -p elsewhere/deep
run 0 tune $search -o elsewhere/found.mlir --table elsewhere/u.csv
cmp -s stderr a.err || fail 'another run, other candidates'
cmp -s a.mlir elsewhere/found.mlir || fail 'another run, another schedule'
out '3 candidates: 3 timed, 0 refused, 0 do not fit, 0 failed; of the better ones 0 wrong; ended by trials'
out 'slow_tuned is ./slow.mlir with @v_in.priority = 1, 0 counts of recipes changed'
out 'results are right on B1 Hq1 Hk1 Sq512 Sk512, with inputs normal, growing, spikes and rising'
out 'schedule    elsewhere/found.mlir'
# What is faster and wrong is not taken: Q, times such a scale, is more than f16 holds.
run 0 tune --dtype f16 --scale 60000 --head-dim 32 --heads 1 --seqlen-q 256 --seqlen-kv 512 \
  --schedules dualwave --budget 1000 --trials 1 --seed 8 -o c.mlir --table c.csv --json
err 'fmhac tune: scale 0 -> 1 would be faster and is wrong: normal inputs: O: '
err 'elements are NaN and should be numbers'
is 'd["schedule"], d["candidates"]["timed"], d["candidates"]["wrong"]' "('dualwave', 1, 1)"
sed -n 2p c.csv | grep -q ',\*,dualwave,.*,-,-,-,B1' || fail 'not the row of what there was'
run 0 list --print-schedule dualwave --as-written
sed 1,4d c.mlir | cmp -s - stdout || fail 'not the schedule that there was'
# Text, without a search.
run 0 tune $small --schedules generic --budget 0
out 'cycles a KV tile'
out 'results are right on B1 Hq1 Hk1 Sq128 Sk128, with inputs normal, growing, spikes and rising'
! grep -q 'candidates' stdout || fail 'candidates without a search'
! grep -q 'fixture' stdout || fail 'fixtures of weights of 16 bits'
# Weights of 8 bits: also with inputs whose small weights count, which functions of scores would change.
run 0 tune --dtype fp8 --head-dim 64 --heads 1 --seqlen 128 --schedules generic_fp8 --budget 0
out '            and on B1 Hq1 Hk1 Sq40 Sk2048, with fixture and sink'
run 0 tune --dtype fp8 --head-dim 64 --heads 1 --seqlen 128 --schedules generic_fp8 --budget 0 --softcap 20 --json
is 'd["check"]["pass"], "fixtures_problem" in d["check"]' '(True, False)'

# The table: a row for the configuration, in the place of the one before it, or before
# one that takes part of it; what else there is stays as it is.
run 0 tune $small --schedules generic,dualwave --budget 0 --for-keys 65-4096 --for-workgroups 1-64 --table t.csv
[ "$(wc -l <t.csv)" -eq 2 ] || fail 'not one row'
grep -q '^bf16,64,64,none,plain,0,none,no,\*,65-4096,\*,\*,1-64,[a-z]*,[0-9.e-]*,[0-9.]*,[a-z]*,.*,B1 Hq1 Hk1 Sq128 Sk128$' t.csv ||
  fail "not the row: $(tail -1 t.csv)"
# A row names the functions that scores of its configuration pass through.
run 0 tune $small --softcap 9 --alibi --schedules generic --budget 0 --table f.csv
grep -q '^bf16,64,64,none,softcap|alibi,0,none,no,\*,\*,\*,\*,\*,generic,' f.csv || fail "not the row: $(tail -1 f.csv)"
cat >>t.csv <<'END'
# mine
*,*,*,*,*,*,*,*,*,*,*,*,*,generic,1,1,-,-,-,by hand
END
run 0 tune $small --schedules dualwave --budget 0 --for-keys 65-4096 --for-workgroups 1-64 --table t.csv --json
is 'd["table"]' t.csv
sed -n 2p t.csv | grep -q '^bf16,64,64,none,plain,0,none,no,\*,65-4096,\*,\*,1-64,dualwave,.*,-,-,-,B1' || fail 'not replaced'
run 0 tune $small --schedules dualwave --budget 0 --table t.csv
sed -n 3p t.csv | grep -q '^# mine' || fail 'a comment went or moved'
sed -n 4p t.csv | grep -q '^bf16,64,64,none,plain,0,none,no,\*,\*,\*,\*,\*,dualwave,' || fail 'not before the row for everything'
sed -n 5p t.csv | grep -q '^\*,\*,.*by hand$' || fail 'the row for everything went'
[ "$(wc -l <t.csv)" -eq 5 ] || fail 'not five lines'
# A table without some of the columns keeps its own.
cat >old.csv <<'END'
dtype,head_dim_qk,head_dim_v,mask,scores,keys,schedule,seconds,cycles,other,other_seconds,other_cycles,problem
*,*,*,*,*,*,generic,1,1,-,-,-,by hand
END
run 0 tune $small --schedules dualwave --budget 0 --table old.csv
sed -n 2p old.csv | grep -q '^bf16,64,64,none,plain,\*,dualwave,.*,-,-,-,B1' || fail "not the row: $(sed -n 2p old.csv)"
sed -n 3p old.csv | grep -q '^\*,\*,.*by hand$' || fail 'the row for everything went'

# Who reads it: every command, and says so; a name still overrides.
FMHAC_DISPATCH=t.csv
export FMHAC_DISPATCH
run 0 compile -v --head-dim 64 -o k
err 'remark: schedule dualwave by t.csv:4 (bf16,64,64,none,plain,0,none,no,*,*,*,*,*):'
out 'schedule dualwave'
run 0 compile -v --head-dim 64 --mask causal -o k
err 'remark: schedule generic by t.csv:5 (*,*,*,*,*,*,*,*,*,*,*,*,*): 1000.0000 ms, 1 cycles a KV tile, on by hand'
run 0 compile -v --head-dim 64 --schedule generic_wide -o k
out 'schedule generic_wide'
! grep -q 't.csv' "$work/stderr" || fail 'a table where a schedule is named'
# A row whose schedule cannot serve is passed over, and that is said.
run 0 compile -v --head-dim 256 -o k
err 'remark: t.csv:5 (*,*,*,*,*,*,*,*,*,*,*,*,*) is passed over: schedule generic does not compile this'
out 'schedule generic_wide'
run 0 list --json
is '[e["measured"]["line"] for a in d["configurations"] if a["config"] == {"head_dim": 64} for e in a["entries"]]' '[4]'
is '[a["schedule"] for a in d["configurations"] if a["config"] == {"head_dim": 64}]' "['dualwave']"
run 0 list -v
out 't.csv:4: '
# A table that names a file: by its whole path, or beside it, then from anywhere.
run 0 tune $small --schedules ./a.mlir --budget 0 --table elsewhere/v.csv
sed -n 2p elsewhere/v.csv | grep -qF ",*,$(pwd -P)/a.mlir," || fail "no path in: $(sed -n 2p elsewhere/v.csv)"
FMHAC_DISPATCH=$work/elsewhere/u.csv
cd elsewhere/deep || exit 1
run 0 run $small --json
is 'd["config"]["schedule"]' "$work/elsewhere/./found.mlir"
cd "$work" || exit 1
run 0 compile --head-dim 64 -o k --depfile k.d
grep -q 'elsewhere/./found.mlir' k.d || fail "no schedule among: $(cat k.d)"
# What is no table is refused, by every command, at its line.
FMHAC_DISPATCH=bad.csv
sed '4s/,none,no,\*,\*,/,none,no,*,all,/' t.csv >bad.csv
for command in "compile -o new" "run $small" "bench $small" list; do
  run 2 $command
  err 'bad.csv:4: expected *, a number of keys or two of them, LOW-HIGH with 1 <= LOW <= HIGH <= 2147483647 in column keys, found '"'all'"
done
[ ! -e new ] || fail 'a kernel in spite of the table'
FMHAC_DISPATCH=none.csv
run 2 list --json
one_object
err "'none.csv': No such file"
unset FMHAC_DISPATCH

# Bad input is refused before anything takes its time, and nothing is lost.
cp t.csv before.csv
cp a.mlir before.mlir
refused() { # CODE TEXT ARGUMENT...
  code_wanted=$1 text_wanted=$2
  shift 2
  run "$code_wanted" tune "$@" --table t.csv -o a.mlir
  err "$text_wanted"
  no_out
  cmp -s t.csv before.csv && cmp -s a.mlir before.mlir || fail "$what: outputs were touched"
}
refused 2 'no built-in schedule "nonsense"' $small --schedules generic,nonsense
refused 2 'expected names of schedules' $small --schedules ,
refused 2 '--schedules: expected at most 32 names of at most ' \
  $small --schedules "$(printf 'generic,%.0s' $(seq 33))"
refused 2 '--budget, --trials: expected at most 1000000 seconds' $small --budget 1000001
refused 2 "none.mlir" $small --schedules ./none.mlir
refused 3 'schedule dualwave: ' --head-dim 256 --schedules dualwave
refused 3 'unsupported' --head-dim 7
refused 2 '--budget' $small --budget many
refused 2 '--sample: expected' $small --sample 2
refused 2 'heads 3 is no multiple' --heads 3 --kv-heads 2
run 2 tune $small --table bad.csv -o new
err 'bad.csv:4: expected *, a number of keys'
run 2 tune $small --table none/t.csv
err 'directory does not exist'
run 2 tune $small -o none/s.mlir
err 'directory does not exist'
# A schedule that does not fit is said not to, and one that gives wrong numbers is not
# written: this one makes a Q that f16 does not hold.
sed 's/tile_n = 64/tile_n = 256/; s/@generic/@large/' "$sources/passes/schedules/generic.mlir" >large.mlir
refused 2 'no schedule could be timed; of large.mlir: ' --head-dim 128 --heads 1 --seqlen 64 --schedules large.mlir --budget 0
refused 1 'its results are not right, nothing is written: normal inputs: O: 8192 elements are NaN' \
  --dtype f16 --scale 60000 --head-dim 64 --heads 1 --seqlen 128 --schedules "$sources/bench/schedules/dualwave_start.mlir" --budget 0
[ ! -e new ] || fail 'a file in spite of an error'

finish
