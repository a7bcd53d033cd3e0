#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the manual page of a public header, in scdoc's language, from the words that the
header has for each declaration; and a page of its own for each declaration.

    api_pages.py HEADER OUTPUT.scd --version V [--append FILE.scd] [--see NAME(3)...]
        [--pages FOLDER --scdoc SCDOC]
"""
import argparse
import os
import re
import subprocess
import textwrap


class Item:
    """Declarations that stand together under one comment."""

    def __init__(self, words):
        self.words = words
        self.names = []
        self.code = []
        self.members = []  # (name, words)


def join(lines):
    """Comment lines as paragraphs."""
    paragraphs, current = [], []
    for line in lines:
        if line.strip():
            current.append(line.strip())
        elif current:
            paragraphs.append(" ".join(current))
            current = []
    if current:
        paragraphs.append(" ".join(current))
    return paragraphs


def table_rows(header):
    """(type, name, words) of each row of the table of arguments beside the header."""
    path = os.path.join(os.path.dirname(header), "fmhac_abi.def")
    with open(path, encoding="utf-8") as file:
        return re.findall(r'^FMHAC_ARG\((\w+), (\w+), \w+, "(.*)"\)$', file.read(), re.M)


def member_names(code, is_enum):
    """Names that one field or enumerator line declares."""
    code = code.strip()
    if is_enum:
        found = re.match(r"(\w+)", code)
        return [found.group(1)] if found else []
    function = re.search(r"\(\*(\w+)\)", code)
    if function:
        return [function.group(1)]
    code = code.rstrip(";")
    # The type is whatever stands before the first name.
    return [re.search(r"(\w+)(\[\w+\])*\s*$", part).group(1) for part in code.split(",")]


def members(body, is_enum, header):
    """Fields or enumerators with their words, which stand above or after them."""
    if any("fmhac_abi.def" in line for line in body):
        rows = [(("FMHAC_ARG_INDEX_" if is_enum else "") + name, words)
                for _, name, words in table_rows(header)]
        return rows + ([("FMHAC_ARG_COUNT", "how many there are")] if is_enum else [])
    found = []  # [code, words]; a declaration may have several lines
    above = []
    for line in body:
        code, _, after = line.partition("///")
        if code.strip():
            if not found or (re.search(r"[;,]\s*$", found[-1][0]) and
                             found[-1][0].count("(") == found[-1][0].count(")")):
                found.append(["", above])
                above = []
            found[-1][0] += " " + re.sub(r"//.*", "", code).strip()
            if after:
                found[-1][1] = [after[1:]]
        elif after.startswith("<"):
            found[-1][1].append(after[1:])
        elif after:
            above.append(after)
    return [(name, " ".join(join(words))) for code, words in found
            for name in member_names(code, is_enum)]


def parse(path):
    """(words of the file, [(section, [Item])])."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().splitlines()
    file_words, sections = [], [("DECLARATIONS", [])]
    words, item, i = [], None, 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("//==="):
            title = re.sub(r"^//===-+\s*|\s*-*===//\s*$", "", line).strip()
            sections.append((title.upper(), []))
            words, item = [], None
        elif line.startswith("///"):
            if not words:
                item = None
            words.append(line[3:])
        elif not line.strip():
            if words and words[0].strip() == r"\file":
                file_words = words[1:]
            words, item = [], None
        elif re.match(r"#define \w+", line) and (words or item):
            name = re.match(r"#define (\w+)", line).group(1)
            while line.endswith("\\"):
                i += 1
                line = line.rstrip("\\ ") + " " + lines[i].strip()
            code = [line]
            item = add(sections, item, words, name, code)
            words = []
        elif re.match(r"(FMHAC_API|typedef|enum)\b", line):
            code = [line]
            while not complete(code):
                i += 1
                code.append(lines[i])
            item = declare(sections, item, words, code, path)
            words = []
        elif words and words[0].strip() == r"\file":
            file_words, words = words[1:], []
        i += 1
    return file_words, [(title, items) for title, items in sections if items]


def complete(code):
    text = re.sub(r"//.*", "", "\n".join(code))
    return text.count("{") == text.count("}") and text.count("(") == text.count(")") and \
        text.rstrip().endswith(";")


def add(sections, item, words, name, code):
    # What stands under no words of its own belongs to what stands above.
    if item is None or words:
        item = Item(words)
        sections[-1][1].append(item)
    if name not in item.names:
        item.names.append(name)
    item.code.extend(code)
    return item


def declare(sections, item, words, code, path):
    text = "\n".join(code)
    if "{" not in text:
        plain = re.sub(r"//.*", "", text)
        name = re.search(r"\b(fmhac_\w+)\s*\(", plain) if plain.startswith("FMHAC_API") else \
            re.search(r"\b(fmhac_\w+);", plain)
        clean = re.sub(r"\b(FMHAC_API|FMHAC_MUST_USE)\s+", "", text)
        lines = textwrap.wrap(" ".join(clean.split()).replace("( ", "("), 76,
                              subsequent_indent="    ")
        return add(sections, item, words, name.group(1), lines)
    body = code[1:-1]
    is_enum = "enum" in code[0]
    named = re.match(r"\}\s*(\w+);", code[-1])
    found = members(body, is_enum, path)
    plain = [line for line in (re.sub(r"\s*//.*", "", line) for line in code) if line.strip()]
    name = named.group(1) if named else found[0][0] if len(found) == 1 else \
        "enum " + os.path.commonprefix([n for n, _ in found])
    if any("fmhac_abi.def" in line for line in body):
        rows = [f"  FMHAC_ARG_INDEX_{n}," if is_enum else f"  fmhac_abi_{t} {n};"
                for t, n, _ in table_rows(path)]
        plain = [plain[0], *rows, *(["  FMHAC_ARG_COUNT"] if is_enum else []), plain[-1]]
    item = add(sections, item, words, name, plain)
    item.members.extend(found)
    return item


def escape(text):
    return re.sub(r"([*_\\`|\[\]#+])", r"\\\1", text).replace("…", "...")


def paragraphs(lines):
    return "\n\n".join(wrap(escape(p)) for p in join(lines))


def wrap(text):
    # A line must not begin like a list.
    return re.sub(r"^([-.+])", r"\\\1", text)


def item_text(item):
    """Code, words and members of a declaration."""
    out = ["```\n" + "\n".join(item.code) + "\n```"]
    if item.words:
        out.append(paragraphs(item.words))
    return out + [f"*{escape(name)}*\n\t{wrap(escape(text))}"
                  for name, text in item.members if text]


def see_also(names):
    return ", ".join("*" + escape(see.split("(")[0]) + "*(" + see.split("(")[1] for see in names)


def item_page(header, title, item, options):
    """The page of one declaration, or of several that share their words."""
    brief = re.split(r"[.:;](\s|$)", (join(item.words) or [title.lower()])[0])[0]
    code, *rest = item_text(item)
    return "\n\n".join([
        f'{item.names[0]}(3) "fmhac {options.version}" "fmhac manual"', "# NAME",
        f"{', '.join(escape(n) for n in item.names)} - {escape(brief[0].lower() + brief[1:])}",
        "# SYNOPSIS", f'\\#include "{escape(header)}"', code, "# DESCRIPTION",
        *(rest or ["See *" + escape(header) + "*(3)."]), "# SEE ALSO",
        see_also([f"{header}(3)", *options.see])]) + "\n"


def page(path, options):
    file_words, sections = parse(path)
    header = os.path.basename(path)
    words = join(file_words)
    brief = re.split(r"\.(\s|$)", words[0])[0]
    out = [f'{header}(3) "fmhac {options.version}" "fmhac manual"', "# NAME",
           f"{header} - {escape(brief[0].lower() + brief[1:])}",
           "# SYNOPSIS", f"\\#include \"{escape(header)}\"", "# DESCRIPTION", paragraphs(file_words)]
    items_of_header = []
    for title, items in sections:
        out.append("# " + title)
        for item in items:
            out.append("## " + ", ".join(item.names))
            out += item_text(item)
            items_of_header.append((title, item))
    if options.append:
        with open(options.append, encoding="utf-8") as file:
            out.append(file.read().strip())
    out.append("# SEE ALSO")
    out.append(see_also(options.see))
    return "\n\n".join(out) + "\n", items_of_header


def write_pages(header, items, options):
    """A page for each name: the first of several that share words has them, the others lead
    there."""
    os.makedirs(options.pages, exist_ok=True)
    mark = f'.\\" Of {header}.\n'
    # Those of declarations that are gone go as well. The pages of other headers may be made at
    # the same time: what has just gone was one of theirs.
    for old in os.listdir(options.pages):
        path = os.path.join(options.pages, old)
        try:
            with open(path, encoding="utf-8") as file:
                stale = mark in file.read()
        except FileNotFoundError:
            continue
        if stale:
            os.remove(path)
    for title, item in items:
        names = [name for name in item.names if name.startswith("fmhac_")]
        for i, name in enumerate(names):
            roff = f".so man3/{names[0]}.3\n"
            if i == 0:
                item.names.sort(key=lambda n: n != names[0])
                roff = subprocess.run([options.scdoc], input=item_page(header, title, item, options),
                                      capture_output=True, text=True, check=True).stdout
            with open(os.path.join(options.pages, name + ".3"), "w", encoding="utf-8") as file:
                file.write(roff + mark)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("header")
    parser.add_argument("output")
    parser.add_argument("--version", required=True)
    parser.add_argument("--append")
    parser.add_argument("--pages")
    parser.add_argument("--scdoc")
    parser.add_argument("--see", nargs="*", default=[])
    options = parser.parse_args()
    text, items = page(options.header, options)
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(text)
    if options.pages:
        write_pages(os.path.basename(options.header), items, options)


if __name__ == "__main__":
    main()
