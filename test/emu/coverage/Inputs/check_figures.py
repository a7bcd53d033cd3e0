# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts the rows of the emulator's tables anew and compares with the figures.

usage: check_figures.py FIGURES.json CLANG TABLE_DIR
"""
import collections
import json
import subprocess
import sys


def rows(clang, folder, name, macros):
    """The rows of a .def file, through the preprocessor."""
    command = [clang, "-E", "-P", "-x", "c", "-I", folder]
    for macro, body in macros.items():
        command.append("-D%s=%s" % (macro, body))
    text = subprocess.run(command + ["%s/%s" % (folder, name)], check=True,
                          capture_output=True, text=True).stdout
    return [line.strip().split("|") for line in text.replace("@", "\n").splitlines()
            if "|" in line]


def main():
    figures = json.load(open(sys.argv[1]))
    clang, folder = sys.argv[2:]
    listed = {r[0].strip(): r[1:] for r in rows(clang, folder, "cdna4.def", {
        "CDNA4(m,e,f)": "@m|e|yes",
        "CDNA4_REFUSED(m,e,f,w)": "@m|e|refused"})}
    table = {r[0].strip(): r[1].strip() for r in rows(clang, folder, "isa.def", {
        "ISA_INSN(m,f,o,c,h,s,d)": "@m|s"})}
    counts = collections.Counter()
    for mnemonic, (encoding, refused) in listed.items():
        support = {"doc": "documented", "assumed": "assumed"}.get(
            table.get(mnemonic),
            "not_applicable" if refused.strip() == "refused" else "missing")
        counts[encoding.strip(), support] += 1
        counts["total", support] += 1
    wrong = []
    supports = ["documented", "assumed", "missing", "not_applicable"]
    for entry in figures["encodings"] + [dict(figures, encoding="total")]:
        for support in supports:
            expected = counts[entry["encoding"], support]
            if entry[support] != expected:
                wrong.append("%s, %s: %d, the tables have %d" % (
                    entry["encoding"], support, entry[support], expected))
        if entry["total"] != sum(entry[s] for s in supports):
            wrong.append("%s: %d is not the sum" % (entry["encoding"], entry["total"]))
    if figures["total"] != len(listed) or len(figures["instructions"]) != len(listed):
        wrong.append("%d instructions, %d named, the table has %d" % (
            figures["total"], len(figures["instructions"]), len(listed)))
    for instruction in figures["instructions"]:
        if instruction["support"] == "assumed" and not instruction["source"]:
            wrong.append("%s: assumed without a source" % instruction["mnemonic"])
    print("\n".join(wrong) or "%d instructions agree" % len(listed))
    sys.exit(bool(wrong))


main()
