#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The manual pages say what there is, and nothing else: the pages of the public headers have
every function, type, field and enumerator that clang finds in them; fmhac(1) has every flag that
the command's help has; each page renders without a warning.

    pages.py --clang CLANG --man FOLDER --fmhac FMHAC --include DIR... HEADER...
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys

failures = []


def check(ok, text):
    if not ok:
        failures.append(text)
        print("FAIL:", text)


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=False, **more)


def ours(name):
    return re.match(r"fmhac_|FMHAC_", name or "")


def declarations(clang, headers, include):
    """What clang finds: {function or type: set of fields}, enumerators by their enum."""
    source = "".join(f'#include "{os.path.basename(h)}"\n' for h in headers)
    answer = run(clang, "-x", "c", "-std=c11", "-fsyntax-only", "-Xclang", "-ast-dump=json",
                 *("-I" + i for i in include), "-", input=source)
    tree = json.loads(answer.stdout)
    functions, types, enumerators = set(), {}, set()
    for node in tree["inner"]:
        name = node.get("name")
        if node["kind"] == "FunctionDecl" and ours(name):
            functions.add(name)
        elif node["kind"] == "TypedefDecl" and ours(name):
            types.setdefault(name, set())
        elif node["kind"] == "RecordDecl" and ours(name):
            fields = {f["name"] for f in node.get("inner", []) if f["kind"] == "FieldDecl"}
            types.setdefault(name, set()).update(fields)
        elif node["kind"] == "EnumDecl":
            enumerators |= {e["name"] for e in node.get("inner", [])
                            if e["kind"] == "EnumConstantDecl" and ours(e["name"])}
    macros = {line.split()[1].split("(")[0]
              for line in run(clang, "-x", "c", "-dM", "-E", *("-I" + i for i in include), "-",
                              input=source).stdout.splitlines() if ours(line.split()[1])}
    return functions, types, enumerators, macros


def sections(path):
    """{heading: (words of its code, names of its list)} of a page in roff."""
    with open(path, encoding="utf-8") as file:
        text = re.sub(r"\\&", "", file.read())
    found = {}
    for part in re.split(r"^\.SS ", text, flags=re.M)[1:]:
        heading, _, rest = part.partition("\n")
        rest = re.split(r"^\.SH ", rest, flags=re.M)[0]
        code = " ".join(re.findall(r"^\.nf$(.*?)^\.fi$", rest, re.M | re.S))
        listed = set(re.findall(r"^\\fB(\w+)\\fR$", rest, re.M))
        for name in heading.strip('"').split(", "):
            found[name] = (set(re.findall(r"\w+", code)), listed)
    return found


def opens_at(man, name):
    """Whether `man NAME` shows the words of this name, and not those of a whole header."""
    path = os.path.join(man, "man3", name + ".3")
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as file:
        text = file.read()
    link = re.match(r"\.so man3/(fmhac_\w+)\.3\n", text)
    if link:  # several functions with the words of the first
        with open(os.path.join(man, "man3", link.group(1) + ".3"), encoding="utf-8") as file:
            text = file.read()
    title = re.search(r'^\.TH "(\w+)"', text, re.M)
    names = re.search(r"^\.SH NAME\n(?:\.\w+\n)*(.*) - ", re.sub(r"\\[&/]|\\-", "", text), re.M)
    return bool(title and names) and name in re.split(r"[,\s]+", names.group(1))


def check_api(options):
    functions, types, enumerators, macros = declarations(
        options.clang, options.headers, options.include)
    check(len(functions) > 60 and len(types) > 30 and len(enumerators) > 60,
          f"clang finds only {len(functions)} functions, {len(types)} types and "
          f"{len(enumerators)} enumerators")
    pages = {}
    for header in options.headers:
        pages.update(sections(os.path.join(options.man, "man3", os.path.basename(header) + ".3")))
    code = set().union(*(c for c, _ in pages.values()))
    listed = set().union(*(names for _, names in pages.values()))
    for name in sorted(functions | set(types)):
        check(name in pages, f"declared and not documented: {name}")
        check(opens_at(options.man, name), f"no page that opens at {name}")
    for name, fields in sorted(types.items()):
        for field in sorted(fields - pages.get(name, (set(), set()))[0]):
            check(False, f"declared and not documented: field {field} of {name}")
    for name in sorted(enumerators - code):
        check(False, f"declared and not documented: enumerator {name}")
    known = functions | set(types) | enumerators | macros
    for name in sorted(n for n in pages if ours(n)):
        check(name in known, f"documented and not declared: {name}")
    for name in sorted(n for n in code if ours(n) and not n.endswith("_")):
        check(name in known, f"shown and not declared: {name}")
    for name, (_, names) in sorted(pages.items()):
        have = types.get(name) or enumerators
        for member in sorted(names - have):
            check(False, f"documented and not declared: {member} of {name}")
    with open(os.path.join(options.man, "man3", "fmhac_abi.h.3"), encoding="utf-8") as file:
        text = file.read()
    for words in ("hipModuleLaunchKernel(kernel", "fmhac_kernel_args args", "ceil(Sq"):
        check(words in text, f"fmhac_abi.h(3) lacks its program or its rules: {words}")
    check(len(listed) > 150, f"only {len(listed)} fields and enumerators have words")
    for path in glob.glob(os.path.join(options.man, "man3", "fmhac_*.3")):
        name = os.path.basename(path)[:-2]
        check(name in known or name.endswith(".h"), f"a page of nothing: {name}")
    # The hand-written page speaks only of what there is.
    with open(os.path.join(options.man, "man3", "libfmhac.3"), encoding="utf-8") as file:
        for name in sorted(set(re.findall(r"\bfmhac_\w+", re.sub(r"\\&", "", file.read())))):
            check(name in known or name in ("fmhac_add_kernels", "fmhac_rt", "fmhac_emu", "fmhac_abi",
                                            "fmhac_disasm", "fmhac_status"),
                  f"libfmhac(3) speaks of {name}, which does not exist")
    return len(functions) + len(types) + len(enumerators)


def check_flags(options):
    """fmhac(1) against the help of every sub-command."""
    with open(os.path.join(options.man, "man1", "fmhac.1"), encoding="utf-8") as file:
        page = re.sub(r"\\&|\\f.", "", file.read())
    written = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]\b|(?<![\w-])-o\b", page))
    helps = run(options.fmhac, "--help").stdout
    commands = re.findall(r"^  (\w+)\s+\S", helps, re.M)
    check(len(commands) >= 8, f"only {commands} in the help")
    flags = {"--help", "--json", "--version", "--flag"}
    works = set()
    for command in commands:
        check(re.search(rf"\b{command}\b", page), f"fmhac(1) lacks the sub-command {command}")
        text = run(options.fmhac, command, "--help").stdout
        # What is reserved answers only that it is.
        shown, _, reserved = text.partition("reserved, exit 3")
        pattern = re.compile(r"^  (?:-\w, )?(--[a-z][a-z-]*)", re.M)
        works |= {f for f in pattern.findall(shown) if len(f) > 3}
        flags |= set(pattern.findall(shown)) | set(pattern.findall(reserved))
    for flag in sorted(works - {"--help"}):
        check(flag in written, f"fmhac(1) lacks {flag}")
    for flag in sorted(written - flags - {"-o"}):
        check(False, f"fmhac(1) has {flag}, which no sub-command takes")
    # Variables, with their values, in the section of that name.
    section = re.search(r"^\.SH ENVIRONMENT$(.*?)^\.SH ", page, re.M | re.S).group(1)
    variables = set(re.findall(r"\bFMHAC_\w+", section))
    # Those that only look like the command's, and that somebody has set, are shown too.
    known = [v for v in json.loads(run(options.fmhac, "doctor", "--json").stdout)["environment"]
             if "expects" in v]
    check(len(known) >= 4, f"only {len(known)} variables in fmhac doctor")
    for variable in known:
        check(variable["name"] in variables, f"fmhac(1) lacks {variable['name']}")
        for word in re.findall(r"(?<![\w-])[a-z][a-z-]+(?![\w-])", variable["expects"]):
            check(word in section, f"fmhac(1) lacks the value {word} of {variable['name']}")
    for name in sorted(variables - {v["name"] for v in known}):
        check(False, f"fmhac(1) has {name}, which fmhac doctor does not know")
    return len(works)


def check_rendering(options):
    paths = sorted(glob.glob(os.path.join(options.man, "man?", "*.[135]")))
    check(len(paths) > 60, f"only {len(paths)} pages")
    pages = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            if file.read(4) != ".so ":  # no link
                pages.append(path)
    answer = run("groff", "-man", "-ww", "-Tutf8", "-K", "utf8", "-z", *pages)
    check(answer.returncode == 0 and not answer.stderr, f"groff: {answer.stderr[:1000]}")
    return len(paths)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--clang", required=True)
    parser.add_argument("--man", required=True)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--include", nargs="+", required=True)
    parser.add_argument("headers", nargs="+")
    options = parser.parse_args()
    declared, flags, pages = check_api(options), check_flags(options), check_rendering(options)
    print(f"{declared} declarations, {flags} flags, {pages} pages, {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
