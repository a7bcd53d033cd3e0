# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Sourced by the tests of the command. $fmhac is the command, $work a directory of
# its own that is removed at the end.
set -u
unset FMHAC_DISPATCH # a table of whoever runs the tests
fmhac=$1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0

fail() {
  printf 'FAIL: %s\n' "$*"
  head -n 5 "$work/stdout" | cut -c 1-160 | sed 's/^/  stdout: /'
  head -n 5 "$work/stderr" | cut -c 1-160 | sed 's/^/  stderr: /'
  failures=$((failures + 1))
}

# run CODE ARGUMENT...: runs the command and expects its exit code.
run() {
  expected=$1
  shift
  what="fmhac $*"
  "$fmhac" "$@" >"$work/stdout" 2>"$work/stderr"
  code=$?
  [ "$code" -eq "$expected" ] || fail "$what: exit code $code, expected $expected"
}

# The last command wrote this text to stdout, or to stderr.
out() { grep -qF -- "$1" "$work/stdout" || fail "$what: no '$1' on stdout"; }
err() { grep -qF -- "$1" "$work/stderr" || fail "$what: no '$1' on stderr"; }
no_out() { [ ! -s "$work/stdout" ] || fail "$what: something on stdout"; }

# The last command's JSON holds this, blanks aside.
json() {
  tr -d ' \t\n' <"$work/stdout" | grep -qF -- "$1" ||
    fail "$what: no $1 in the JSON"
}

# Stdout is one JSON object: one line starts it, one ends it.
one_object() {
  [ "$(grep -c '^{' "$work/stdout")" -eq 1 ] &&
    [ "$(grep -c '^}' "$work/stdout")" -eq 1 ] &&
    [ "$(head -c 1 "$work/stdout")" = '{' ] ||
    fail "$what: stdout is not one JSON object"
}

finish() {
  [ "$failures" -eq 0 ] && echo ok
  exit $((failures > 0))
}
