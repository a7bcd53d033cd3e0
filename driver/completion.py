#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes completion for bash and zsh from the command's own lists: sub-commands, flags, and the values of each flag.

    completion.py --fmhac FMHAC --bash FILE --zsh FILE
"""
import argparse
import json
import re
import subprocess

WORD = re.compile(r"[a-z0-9][a-z0-9_.-]*$")


def ask(fmhac, *arguments):
    return subprocess.run([fmhac, *arguments], capture_output=True, text=True, check=True).stdout


class Values:
    """The values of a flag or a position."""

    def __init__(self, metavar, names):
        self.words, self.items, self.suffixes, self.directories = [], [], [], False
        for part in metavar.split("|") if metavar else []:
            stem = part.split("[")[0]
            if part in names:
                self.words += names[part]
            elif part in ("DIR", "DIRECTORY"):
                self.directories = True
            elif part == "FILE" or part.endswith(".hsaco") and part.isupper():
                self.suffixes.append("")
            elif re.match(r"(FILE|LAUNCH)\.\w+$", part):
                self.suffixes.append("." + part.split(".")[1])
            elif WORD.match(stem):
                self.words.append(stem)
            elif re.match(r"[a-z-]+:[A-Z]", part):
                self.words.append(part.split(":")[0] + ":")
            elif re.match(r"[a-z]+(,[a-z]+)+$", part):
                self.items = part.split(",")


class Command:
    def __init__(self, fmhac, name, summary, names):
        self.name, self.summary, self.flags = name, summary, []
        lines = [line.split("\t") for line in ask(fmhac, name, "--list-flags").splitlines()]
        # "ls|info|verify", or files of any kind.
        first = lines[0][1].split(" ")[0]
        closed = all(WORD.match(word) for word in first.split("|"))
        self.takes = Values(first if closed else "FILE" if first else "", names)
        for name_, metavar, words in (line for line in lines[1:] if len(line) == 3):
            self.flags.append((name_, Values(metavar, names), bool(metavar), words))


def commands(fmhac):
    schedules = json.loads(ask(fmhac, "list", "--json"))["schedules"]
    names = {"NAME": schedules}
    mask = re.search(r"^--mask\t(\S+)\t", ask(fmhac, "compile", "--list-flags"), re.M).group(1)
    names["MASK"] = Values(mask, {}).words
    for line in ask(fmhac, "--list-commands").splitlines():
        name, summary = line.split("\t")
        yield Command(fmhac, name, summary, names)


#===- bash ---------------------------------------------------------------===#

BASH = r"""# bash completion for fmhac                                 -*- shell-script -*-
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Written by the build from the option tables of fmhac.

_fmhac_files() { # SUFFIX
  local IFS=$'\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY+=($(compgen -f -X "!*$1" -- "$cur") $(compgen -d -- "$cur"))
}

_fmhac_words() { # WORD...
  local IFS=$' \t\n'
  COMPREPLY+=($(compgen -W "$*" -- "$cur"))
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *: ]] && compopt -o nospace 2>/dev/null
}

_fmhac_list() { # ITEM...
  local IFS=$' \t\n' done_= item
  [[ $cur == *,* ]] && done_=${cur%,*},
  for item in "$@"; do
    [[ ,$done_ == *,$item,* ]] || COMPREPLY+=($(compgen -W "$done_$item" -- "$cur"))
  done
  compopt -o nospace 2>/dev/null
}

_fmhac_values() { # SUB-COMMAND FLAG
  case "$1 $2" in
@VALUES@  *) return 1 ;;
  esac
  return 0
}

_fmhac() {
  local cur=${COMP_WORDS[COMP_CWORD]} sub=${COMP_WORDS[1]-} flag= joined=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    _fmhac_words @COMMANDS@ --help --version
    return 0
  fi
  # "--mask=causal" is one word or, where '=' breaks words, three.
  if [[ $cur == --*=* ]]; then
    flag=${cur%%=*} joined=$flag= cur=${cur#*=}
  elif [[ $cur == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 1]} cur=
  elif [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    flag=${COMP_WORDS[COMP_CWORD - 2]}
  else
    flag=${COMP_WORDS[COMP_CWORD - 1]}
  fi
  if _fmhac_values "$sub" "$flag"; then
    [[ $joined ]] && COMPREPLY=("${COMPREPLY[@]/#/$joined}")
    return 0
  fi
  [[ $joined ]] && return 0
  case "$sub" in
@FLAGS@  esac
  return 0
}
complete -F _fmhac fmhac
"""


def bash_action(values):
    actions = []
    if values.words:
        actions.append("_fmhac_words " + " ".join(values.words))
    if values.items:
        actions.append("_fmhac_list " + " ".join(values.items))
    actions += [f"_fmhac_files '{suffix}'" for suffix in values.suffixes]
    if values.directories:
        actions.append("_fmhac_files /")
    return "; ".join(actions) or ":"


def bash(all_commands):
    by_action, flags = {}, ""
    for c in all_commands:
        for name, values, takes, _ in c.flags:
            if takes:
                by_action.setdefault(bash_action(values), []).append(f'"{c.name} {name}"')
        flags += f"  {c.name})\n    if [[ $cur == -* ]]; then\n      _fmhac_words "
        flags += " ".join(name for name, *_ in c.flags)
        flags += f"\n    else\n      {bash_action(c.takes)}\n    fi\n    ;;\n"
    cases = "".join(f"  {' | '.join(places)})\n    {action}\n    ;;\n"
                    for action, places in by_action.items())
    return BASH.replace("@VALUES@", cases).replace("@FLAGS@", flags).replace(
        "@COMMANDS@", " ".join(c.name for c in all_commands))


#===- zsh ----------------------------------------------------------------===#

ZSH = r"""#compdef fmhac
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Written by the build from the option tables of fmhac.

_fmhac() {
  local curcontext="$curcontext" state line
  local -a commands=(
@COMMANDS@  )
  _arguments -C '(- *)--help[print the sub-commands]' '(- *)--version[print the versions]' \
    '1:sub-command:->command' '*::option:->option' && return
  case $state in
  command) _describe 'sub-command' commands ;;
  option)
    case $words[1] in
@FLAGS@    esac
    ;;
  esac
}

_fmhac "$@"
"""


def quote(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_action(values):
    actions = []
    if values.words or values.items:
        # A list has no better form in an action than its single words.
        actions.append(" ".join(values.words + values.items))
    if actions and not (values.suffixes or values.directories):
        return "(" + actions[0].replace(":", r"\:") + ")"
    globs = " ".join("*" + suffix for suffix in values.suffixes)
    files = "_files -/" if values.directories else f'_files -g "{globs}"' if globs else ""
    if actions:
        words = actions[0].replace(":", r"\:")
        return f'_alternative "values\\:value\\:({words})" "files\\:file\\:_files"'
    return files


def zsh(all_commands):
    flags = ""
    for c in all_commands:
        specs = []
        for name, values, takes, words in c.flags:
            text = re.sub(r"([\[\]])", r"\\\1", words)
            # A value follows '=' or is the next word.
            equals = "=" if takes and name.startswith("--") else ""
            specs.append(quote(f"{name}{equals}[{text}]" +
                               (f":value:{zsh_action(values)}" if takes else "")))
        if c.takes.words or c.takes.suffixes:
            specs.append(quote(f"*:argument:{zsh_action(c.takes)}"))
        flags += f"    {c.name})\n      _arguments \\\n        " + " \\\n        ".join(specs)
        flags += "\n      ;;\n"
    names = "".join(f"    {quote(c.name + ':' + c.summary)}\n" for c in all_commands)
    return ZSH.replace("@COMMANDS@", names).replace("@FLAGS@", flags)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--bash", required=True)
    parser.add_argument("--zsh", required=True)
    options = parser.parse_args()
    all_commands = list(commands(options.fmhac))
    for path, text in ((options.bash, bash(all_commands)), (options.zsh, zsh(all_commands))):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
