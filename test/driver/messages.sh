#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the command says on standard error, how much of it, and in which form.
. "$(dirname "$0")/lib.sh"
escape=$(printf '\033')
no_escape() {
  ! grep -q "$escape" stdout stderr || fail "$what: an escape sequence is printed as it is"
}
no_err() { [ ! -s "$work/stderr" ] || fail "$what: something on stderr"; }
first() { "$fmhac" list --print-schedule "$1"; }

# How much: nothing that nobody asked for; remarks with -v; no line of compile with -q.
small='--head-dim 64 --heads 1 --seqlen 64'
run 0 compile -o k.hsaco
no_err
out 'schedule '
run 0 compile -v -o k.hsaco
err 'fmhac compile: remark: schedule '
err 'LDS layout'
run 0 compile --verbose --quiet -o k.hsaco
no_err
no_out
run 0 compile -q -v -o k.hsaco
err 'remark: '
run 0 run $small
no_err
run 0 trace $small -o t.json
no_err
run 0 bench $small --sample 3
no_err
run 0 tune $small --schedules generic --budget 0 -q
no_err
# Warnings are shown without a flag, and not with -q; errors always.
run 2 run -q --seqlen=abc
err 'error: '
run 3 run -q --dropout=0.1
err 'error: unsupported'
! grep -q 'note: ' stderr || fail "$what: a note"
# Every sub-command takes all four; tensors with the same letters have two dashes.
"$fmhac" --list-commands >commands
while IFS='	' read -r name summary; do
  run 0 "$name" -q -v --quiet --verbose --help
  out '-q, --quiet'
  out '-v, --verbose'
  ! grep -qE '^ *-[qv], --[qv]([ =]|$)' stdout || fail "$what: a tensor as a letter"
done <commands
run 0 run --help
out '  --q=FILE.npy'
run 2 run --qiuet
err 'did you mean --quiet?'

# inspect: the passes are shown with a flag, and always in JSON.
run 0 inspect k.hsaco
! grep -q 'verify-tiles' stdout || fail "$what: the passes"
out 'kernel'
run 0 inspect k.hsaco --pipeline
out 'verify-tiles'
run 0 inspect k.hsaco -v
out 'verify-tiles'
run 0 inspect k.hsaco --json
json '"pipeline":"'

# Before a sub-command.
run 2 --json
one_object
json '"error":"expectedasub-command,found--json;'
json '"exit_code":2'
run 2 --json frob
one_object
json "nosub-command'frob'"
run 2 --json lst
json "didyoumean'list'?"
run 2 --json list
one_object
json 'fmhaclist--json'
run 2
[ ! -s stdout ] || fail 'no arguments: something on stdout'

# An error in a file: its line, and a caret below the column.
first generic >g.mlir
sed 's/tile_m = 128/tile_m = 127/' g.mlir >bad.mlir
run 2 compile --schedule bad.mlir -o x
line=$(sed -n 's/^.*bad.mlir:\([0-9]*\):\([0-9]*\):.*$/\1/p' stderr)
column=$(sed -n 's/^.*bad.mlir:\([0-9]*\):\([0-9]*\):.*$/\2/p' stderr)
printf '%5d | %s\n' "$line" "$(sed -n "${line}p" bad.mlir)" >expected
printf '      | %*s^\n' $((column - 1)) '' >>expected
tail -n 2 stderr | cmp -s - expected || fail "$what: not the line and a caret"
run 2 compile --schedule bad.mlir -o x --json
one_object
! grep -q ' | ' stdout || fail "$what: the line of the file in the JSON"
printf '{"head_dim": 64,\n\t"mask": }\n' >config.json
run 2 compile --config config.json -o x
err '    2 |  "mask": }'
err '      |          ^'
printf 'fmha.score_mod @f(%%s: f32, %%r: i32, %%k: i32, %%h: i32, %%b: i32) {\n  %%é = arith.nothing 1 : i32\n}\n' >f.mlir
run 2 compile --score-mod f.mlir -o x
grep -q '^    [12] | ' stderr || fail "$what: no line"
printf 'a,b\n' >t.csv
what='a table'
FMHAC_DISPATCH=t.csv "$fmhac" compile -o x >stdout 2>stderr
err '    1 | a,b'
! grep -q '\^' stderr || fail "$what: a caret without a column"
# Long lines are cut around the column.
python3 -c "print('{' + ' ' * 500 + '\"mask\": }' + ' ' * 500)" >long.json
run 2 compile --config long.json -o x
grep '"mask": }' stderr | grep -q '\.\.\. .* \.\.\.$' || fail "$what: not cut"
[ "$(tail -n 2 stderr | awk '{ if (length > 130) print }' | wc -l)" -eq 0 ] || fail "$what: too long"
# Only what an error begins with is a file: a text that some file quotes opens none.
printf 'secret\n' >secret
run 2 compile --mask ' secret:1:1: x' -o x
! grep -q '| secret' stderr || fail "$what: another file is shown"

# Colours on terminals only, and not if they are refused.
no_escape
if command -v script >/dev/null; then
  what='a terminal'
  TERM=xterm script -qec "'$fmhac' compile --schedule bad.mlir -o x" /dev/null >terminal </dev/null
  grep -q "$escape\[1;31merror:" terminal && grep -q "$escape\[1;32m^" terminal ||
    fail "$what: no colours"
  NO_COLOR=1 TERM=xterm script -qec "'$fmhac' compile --schedule bad.mlir -o x" /dev/null >terminal </dev/null
  ! grep -q "$escape" terminal || fail "$what: colours with NO_COLOR"
fi

# Names and texts do not steer the terminal, and do not look like messages.
red=$(printf 'x\033[31m.mlir')
run 2 compile --schedule "$red" -o x
err 'x\x1b[31m.mlir'
no_escape
run 2 inspect "$(printf 'a\nfmhac: error: b')"
! grep -q '^fmhac: error: b' stderr || fail "$what: a name that looks like a message"
cp k.hsaco "$(printf 'k\033]0;title\007.hsaco')"
run 0 inspect "$(printf 'k\033]0;title\007.hsaco')"
out 'k\x1b]0;title\x07.hsaco'
no_escape
printf '{"code_object": "k.hsaco", "kernel": "a\\u001b[31mb", "grid": [1,1,1], "block": [64,1,1]}' >launch.json
run 2 emu launch.json
err 'a\x1b[31mb'
no_escape
run 2 run --mask "$(printf 'none\302\233')"
err 'none'
! grep -q "$(printf '\302\233')" stderr || fail "$what: a control character of C1"
run 2 run --mask "$(printf 'caf\303\251')"
err "$(printf 'caf\303\251')"
run 2 "$(printf '\033c')" --json
no_escape
one_object

# Which range of a mask is broken.
for mask in window:-5,3 window:99999999999,0 window:1; do
  run 2 run --mask $mask
  err 'expected window:L,R with L and R from 0 to 2147483647 keys, or -1 for no bound, found "window:'
done
for mask in chunked:0 chunked:-3; do
  run 2 run --mask $mask
  err 'expected chunked:N with N from 1 to 2147483647 keys, found "chunked:'
done

# A file that calls itself as a built-in schedule does is named.
run 0 compile --schedule g.mlir -o f.hsaco
out 'schedule generic (g.mlir)'
run 0 compile --schedule g.mlir -o f.hsaco --json
json '"schedule":"generic","schedule_file":"g.mlir"'
run 0 compile --schedule generic -o b.hsaco --json
json '"schedule":"generic","schedule_file":null'
run 0 inspect f.hsaco
out '              schedule generic (g.mlir)'
run 0 inspect b.hsaco
! grep -q '(g.mlir)' stdout || fail "$what: a file"
run 0 inspect f.hsaco --json
json '"schedule_file":"g.mlir"'
run 0 compile --schedule 'g.mlir if Sk <= 16; dualwave' -o two.hsaco
out 'schedule generic (g.mlir) if Sk <= 16; dualwave  '
run 0 compile --schedule 'g.mlir if Sk <= 16; dualwave' -o two.hsaco --json
json '"schedule":"genericifSk<=16;dualwave","schedule_file":null,"entries":[{'
json '{"schedule":"generic","when":"Sk<=16","schedule_file":"g.mlir"}'
json '{"schedule":"dualwave","when":"","schedule_file":null}]'
# Kernels are compared with those of their name, wherever they stand.
run 0 compile --schedule 'dualwave if Sk <= 99; g.mlir' -o turned.hsaco
run 0 inspect --diff two.hsaco turned.hsaco
out '    when               "Sk <= 16" | ""'
out '    when               "" | "Sk <= 99"'
! grep -q '^    vgprs' stdout || fail "$what: kernels of different names are compared"
run 0 inspect --diff two.hsaco f.hsaco
out ' (only in A)'
run 0 inspect two.hsaco
out '              schedule generic (g.mlir) if Sk <= 16'
out '              schedule dualwave'
out '              grid ceil(Sq / 128), Hq, B; block_threads 256; tile_m 128; '
! grep -q 'fmha\.schedule' stdout || fail "$what: the text of a schedule"
run 0 inspect two.hsaco --json
json '"when":"Sk<=16","block_threads":256,'
json '"schedule_file":"g.mlir"}'
json '"schedule_file":null}]'
run 0 run $small --schedule g.mlir
out 'schedule generic (g.mlir):'
run 0 run $small --schedule g.mlir --json
json '"schedule":"generic","schedule_file":"g.mlir"'
run 0 bench $small --sample 3 --schedule g.mlir
out 'generic (g.mlir)'
run 0 bench $small --sample 3 --schedule g.mlir --json
json '"schedule":"generic","schedule_file":"g.mlir"'
odd=$(printf 'caf\303\251, "%s".mlir' g)
cp g.mlir "$odd"
run 0 bench $small --sample 3 --csv --schedule "$odd"
out 'device,schedule,schedule_file,dtype,'
out ",generic,\"$(printf 'caf\303\251, ""%s"".mlir' g)\",bf16,"
run 0 bench $small --sample 3 --csv --schedule generic
out ',generic,,bf16,'
finish
