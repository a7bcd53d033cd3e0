#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Puts what each pass requires and ensures into the manual page of fmhac-opt, in scdoc's
language, from the words that passes/Passes.td has: a pass that is added there is
documented here.

    pass_pages.py PAGE.scd Passes.td OUTPUT.scd

The page has a line @PASSES@ where they go.
"""
import re
import sys


def escape(text):
    """Words as they are, and `code` as bold."""
    parts = re.split(r"`([^`]*)`", text)
    quoted = [re.sub(r"([_*\\])", r"\\\1", part) for part in parts]
    return "".join(f"*{part}*" if i % 2 else part for i, part in enumerate(quoted))


def passes_of(text):
    """(flag, summary, description, [(option, words)]) of each pass."""
    found = []
    for body in re.split(r"^def ", text, flags=re.M)[1:]:
        head = re.match(r'\w+ : FmhaPass<"([^"]+)",\s*"([^"]+)"', body)
        words = re.search(r"let description = \[\{(.*?)\}\];", body, re.S)
        options = re.findall(r'Option<"([^"]+)",.*?"((?:[^"\\]|\\.)*)"(?:,\s*\[\{.*?\}\])?>',
                             body.split("let options", 1)[-1], re.S) \
            if "let options" in body else []
        if not head or not words or not re.search(r"Requires: .*Ensures: ", words[1], re.S):
            sys.exit("expected a pass with a summary and a description of what it requires "
                     f"and ensures, found: {body[:80]}")
        found.append((head[1], head[2], " ".join(words[1].split()), options))
    return found


def entry(flag, summary, words, options):
    lines = [f"*--{flag}*", f"\t{escape(summary[0].upper() + summary[1:])}."]
    for part in re.split(r" (?=(?:Ensures|Remarks): )", words):
        lines.append("")
        lines.append("\t" + escape(part))
    if options:
        names = "; ".join(f"*{name}*: {escape(text)}" for name, text in options)
        lines += ["", f"\tOptions: {names}."]
    return "\n".join(lines)


def main():
    page, table, output = sys.argv[1:]
    with open(page, encoding="utf-8") as file:
        text = file.read()
    with open(table, encoding="utf-8") as file:
        entries = "\n\n".join(entry(*p) for p in passes_of(file.read()))
    with open(output, "w", encoding="utf-8") as file:
        file.write(text.replace("@PASSES@", entries))


main()
