#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Standard output that cannot be written: of every sub-command exit code 2 and one line
# on standard error. Descriptors that are closed, and pipes whose reader is gone.
. "$(dirname "$0")/lib.sh"
unset FMHAC_CACHE
export FMHAC_CACHE_DIR="$work/cache"

"$fmhac" compile --head-dim 64 --schedule generic -q -o k.hsaco 2>stderr || fail 'no code object'
"$fmhac" compile --head-dim 64 --schedule generic --emit=problem -o p.mlir 2>stderr || fail 'no rung'
small='--head-dim 64 --heads 1 --seqlen 64 --schedule generic'
"$fmhac" run $small --no-compare --save-launch launch >stdout 2>stderr || fail 'no launch'

# What a sub-command of the table is called with: lines of arguments that print a result.
calls() {
  case $1 in
  compile)
    echo "--head-dim 64 --schedule generic -o x.hsaco"
    echo "--head-dim 64 --schedule generic --json -o x.hsaco"
    echo "--head-dim 64 --schedule generic --emit=problem"
    echo "--head-dim 64 --schedule generic -o -"
    echo "--from problem p.mlir --head-dim 64 --schedule generic -o x.hsaco"
    echo "--print-pipeline"
    ;;
  run) echo "$small" && echo "$small --json" ;;
  emu)
    echo "launch/LAUNCH.json" && echo "launch/LAUNCH.json --json"
    echo "--coverage" && echo "--coverage --json"
    echo "--coverage k.hsaco" && echo "--coverage k.hsaco --json"
    ;;
  inspect)
    echo "k.hsaco" && echo "k.hsaco --json"
    echo "--diff k.hsaco k.hsaco" && echo "--diff k.hsaco k.hsaco --json"
    echo "--waits k.hsaco" && echo "--waits k.hsaco --json"
    ;;
  list)
    printf '%s\n' "" --json "--print-schedule generic" "--print-schedule generic --json" \
      "--explain-mask causal" "--explain-mask causal --json" "--explain-mask causal --svg -" \
      "--explain-schedule generic" "--explain-schedule generic --json"
    ;;
  doctor) printf '%s\n' "" --json ;;
  bench)
    echo "$small --sample 3" && echo "$small --sample 3 --json"
    echo "$small --sample 3 --csv" && echo "--constants" && echo "--constants --json"
    echo "$small --sample 3 --sweep heads=1,2"
    ;;
  trace)
    echo "$small -o t.json" && echo "$small -o t.json --json" && echo "$small -o -"
    ;;
  tune)
    echo "$small --schedules generic --budget 0"
    echo "$small --schedules generic --budget 0 --json"
    echo "$small --schedules generic --budget 0 -o -"
    ;;
  cache)
    for action in ls info verify prune clear; do
      echo "$action" && echo "$action --json"
    done
    ;;
  *) return 1 ;;
  esac
}

# one_line WORDS: the last command ended with 2, and said one line that ends so.
one_line() {
  [ "$code" -eq 2 ] || fail "$what: exit code $code, expected 2"
  lines=$(grep -v '^fmhac tune: \|^workgroup \|^cycles ' stderr) # progress, and the report of -o -
  [ "$lines" = "fmhac: writing to standard output: $1" ] ||
    fail "$what: stderr is not the one line on $1"
}

full_and_closed() {
  what="fmhac $* >/dev/full"
  "$fmhac" "$@" >/dev/full 2>stderr
  code=$?
  one_line 'No space left on device'
  what="fmhac $* >&-"
  "$fmhac" "$@" >&- 2>stderr
  code=$?
  one_line 'Bad file descriptor'
}

: >stdout
"$fmhac" --list-commands >commands || fail 'no list of commands'
full_and_closed --list-commands
full_and_closed --help
full_and_closed --version
while IFS='	' read -r name summary; do
  full_and_closed "$name" --help
  calls "$name" >calls || fail "$name: no call of it stands here"
  while read -r words; do
    full_and_closed "$name" $words
  done <calls
done <commands

# A reason of its own keeps its exit code; what it says on standard error stands.
what='fmhac inspect none --json >/dev/full'
"$fmhac" inspect none --json >/dev/full 2>stderr
[ $? -eq 2 ] || fail "$what: exit code"
err 'No such file'
err 'writing to standard output'
what='fmhac run --dropout 0.1 --json >/dev/full'
"$fmhac" run --dropout 0.1 --json >/dev/full 2>stderr
[ $? -eq 3 ] || fail "$what: exit code"

# A file does not become standard output or standard error.
run 0 compile --head-dim 64 --schedule generic --emit=problem -o expected.mlir
what='two closed descriptors'
"$fmhac" compile --head-dim 64 --schedule generic --emit=problem -v -o closed.mlir <&- >&- 2>&- ||
  fail "$what: exit code $?"
cmp -s expected.mlir closed.mlir || fail "$what: another file"
what='standard input closed'
"$fmhac" compile --config - -o x <&- >stdout 2>stderr
[ $? -eq 2 ] || fail "$what: exit code"
err 'Bad file descriptor'

# Readers that are gone: as cat, by the signal; as coreutils, where that is ignored.
into_gone() {
  rm -f gone code
  {
    until [ -e gone ]; do sleep 0.01; done
    "$@" 2>stderr
    echo $? >code
  } | {
    exec <&-
    : >gone
  }
}
: >stdout
what='a pipe without reader'
into_gone "$fmhac" list
[ "$(cat code)" -eq $((128 + 13)) ] || fail "$what: exit code $(cat code)"
[ ! -s stderr ] || fail "$what: something on stderr"
what='a pipe without reader, signal ignored'
ignoring() { (trap '' PIPE && "$@"); }
into_gone ignoring "$fmhac" list
code=$(cat code)
one_line 'Broken pipe'
finish
