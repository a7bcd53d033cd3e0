#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Completion as shells do it: bash by the words that it hands to the function, zsh by a
# terminal of its own. Without zsh, or where the system gives no pseudo terminal, as in some
# containers, that part is left out, and a line says so.
here=$(cd "$(dirname "$0")" && pwd)
bash_file=$2
zsh_folder=$3
. "$here/lib.sh"
set +u # as interactive shells are
. "$bash_file" || exit 1
complete -p fmhac >/dev/null || fail 'nothing is registered for fmhac'
mkdir data 'a b' && touch k.npy other.txt s.mlir c.json 'a b/x.npy' data/y.npy

# offers WORD... -- CANDIDATE...: the last word is being typed; these come, besides others.
# exactly the same, and no others.
offer() {
  COMP_WORDS=(fmhac)
  while [ "$1" != -- ]; do
    COMP_WORDS+=("$1")
    shift
  done
  shift
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMPREPLY=()
  what="${COMP_WORDS[*]}"
  : >"$work/stdout" >"$work/stderr"
  _fmhac
  wanted=("$@")
}
offers() {
  offer "$@"
  for candidate in "${wanted[@]}"; do
    printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$candidate" ||
      fail "$what: no '$candidate' in: ${COMPREPLY[*]}"
  done
}
exactly() {
  offer "$@"
  found=$(printf '%s\n' "${COMPREPLY[@]}" | sort)
  expected=$(printf '%s\n' "${wanted[@]}" | sort)
  [ "$found" = "$expected" ] || fail "$what: expected ${wanted[*]}, found ${COMPREPLY[*]}"
}

exactly co -- compile
offers '' -- compile run emu inspect list doctor cache bench trace tune --help --version
offers compile -- # nothing yet
exactly compile --mas -- --mask
exactly compile --mask cau -- causal causal-top-left
exactly compile --mask = cau -- causal causal-top-left
exactly compile --mask = -- none causal causal-top-left window: chunked:
exactly compile --mask=win -- --mask=window:
exactly run --dtype '' -- bf16 f16 fp8
exactly compile --emit is -- isa
exactly compile --from sy -- synced
exactly run --device '' -- emu hip
exactly run --input '' -- normal growing spikes rising fixture sink
exactly run --layout b -- bshd bhsd
exactly emu --sched '' -- rr until-blocked random:
exactly emu --check '' -- none all mem wait race init sync hazard
exactly emu --check mem,r -- mem,race
exactly emu --check=wait,s -- --check=wait,sync
exactly run --heads '' --
exactly cache v -- verify
exactly cache '' -- ls info verify prune clear
# Files by what a flag takes.
exactly compile --config '' -- c.json data 'a b'
exactly run --sink '' -- k.npy data 'a b'
exactly run --sink 'a b/' -- 'a b/x.npy'
exactly run --sink=data/ -- --sink=data/y.npy
offers compile --schedule '' -- generic s.mlir data
exactly run --save-launch '' -- data 'a b'
offers inspect '' -- k.npy other.txt
exactly nonsense --x --

# Everything that the help has, and that works, is offered: a new row of the tables is enough.
for command in compile run emu inspect list doctor bench tune cache; do
  "$fmhac" $command --help | sed '/^reserved/,$d' |
    sed -nE 's/^  (-., )?(--[a-z][a-z-]+).*/\2/p' >flags
  [ -s flags ] || fail "$command: no flags in its help"
  mapfile -t flags <flags
  offers $command - -- "${flags[@]}"
done

if ! command -v zsh >/dev/null; then
  echo 'left out: completion in zsh: there is no zsh'
else
  zsh -n "$zsh_folder/_fmhac" || fail 'zsh does not parse _fmhac'
fi
if command -v zsh >/dev/null &&
  ! zsh -f -c 'zmodload zsh/zpty && zpty t true && zpty -d t' 2>none; then
  echo "left out: completion in zsh, typed: there is no pseudo terminal ($(head -n 1 none))"
elif command -v zsh >/dev/null; then
  cat >drive.zsh <<'END'
zmodload zsh/zpty
zpty t zsh -f -i
ask() { # LINE PATTERN
  local out
  zpty -w -n t "$1"$'\t'
  zpty -r -m t out "*$2*" || return 1
  zpty -w -n t $'\x15'
  print "ok $2"
}
zpty -w t "PS1=; unsetopt beep; setopt autolist noautomenu; fpath=($1 \$fpath)"
zpty -w t 'autoload -Uz compinit; compinit -u -D; zstyle ":completion:*" list-colors ""; print re""ady'
zpty -r -m t out '*ready*' || exit 1
ask 'fmhac ins' 'inspect'
ask 'fmhac compile --mask chun' 'chunked:'
ask 'fmhac compile --mask=causal-' 'causal-top-left'
ask 'fmhac compile --save-t' 'save-temps'
ask 'fmhac run --config ' 'c.json'
ask 'fmhac cache ver' 'verify'
zpty -d t
END
  what='zsh'
  TERM=dumb timeout 60 zsh -f drive.zsh "$zsh_folder" >"$work/stdout" 2>"$work/stderr" </dev/null ||
    fail 'zsh stopped'
  for word in inspect chunked: causal-top-left save-temps c.json verify; do
    out "ok $word"
  done
fi
finish
