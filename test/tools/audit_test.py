# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one test of the static checkers.

    audit_test.py --llvm-bin DIR --fmhac PATH TEST.s

TEST.s is assembled, linked and given to `fmhac inspect --waits`. Its lines that begin
with `//|` are Python and say what must be found, all of it:

    finding(check, instruction, other, message)   by substrings, each once
    note(instruction, message)                    a place that is not analysed
    idle(instruction)                             an s_waitcnt that never waits; a
                                                  test that names none does not ask

Exit code 0: as expected. 1: not. 2: the test itself is broken.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

CHECK, UNSUPPORTED = 1, 3  # exit codes of the command


class Test:
    def __init__(self, path):
        self.findings, self.notes, self.idle = [], [], []
        scope = {"finding": self.say_finding, "note": self.say_note,
                 "idle": self.say_idle}
        with open(path) as file:
            lines = [line[4:] if line.startswith("//|") else "\n" for line in file]
        exec(compile("".join(lines), path, "exec"), scope)  # noqa: S102

    def say_finding(self, check, instruction, other, message=""):
        self.findings.append((check, instruction, other, message))

    def say_note(self, instruction, message=""):
        self.notes.append((instruction, message))

    def say_idle(self, instruction):
        self.idle.append((instruction,))

    def exit_code(self):
        return CHECK if self.findings else UNSUPPORTED if self.notes else 0


def assemble(llvm_bin, source, folder):
    here = os.path.dirname(os.path.abspath(__file__))
    obj, hsaco = (os.path.join(folder, name) for name in ("k.o", "k.hsaco"))
    for command in (
            [os.path.join(llvm_bin, "llvm-mc"), "-triple=amdgcn-amd-amdhsa",
             "-mcpu=gfx950", "-filetype=obj",
             "-I", os.path.join(here, "..", "emu", "Inputs"), source, "-o", obj],
            [os.path.join(llvm_bin, "ld.lld"), "-shared", obj, "-o", hsaco]):
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            print(" ".join(command) + "\n" + done.stdout)
            sys.exit(2)
    return hsaco


def match(kind, wanted, found, fields):
    """Each wanted entry is one of the found ones, and no other is left."""
    left, bad = list(found), []
    for entry in wanted:
        for have in left:
            if all(text in have[field] for text, field in zip(entry, fields)):
                left.remove(have)
                break
        else:
            bad.append(f"  no {kind}: {entry}")
    return bad + [f"  unexpected {kind}: {have['message']}" for have in left]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("test")
    options = parser.parse_args()
    test = Test(options.test)
    with tempfile.TemporaryDirectory() as folder:
        hsaco = assemble(options.llvm_bin, options.test, folder)
        done = subprocess.run([options.fmhac, "inspect", "--waits", "--json", hsaco],
                              capture_output=True, text=True)
    answer = json.loads(done.stdout)
    bad = match("finding", test.findings, answer["findings"],
                ("check", "instruction", "other_instruction", "message"))
    bad += match("note", test.notes, answer["not_analysed"],
                 ("instruction", "message"))
    if test.idle:
        bad += match("idle wait", test.idle, answer["idle_waits"], ("instruction",))
    if done.returncode != test.exit_code():
        bad.append(f"  exit code: expected {test.exit_code()}, found "
                   f"{done.returncode}\n{done.stderr}")
    if bad:
        print(options.test + "\n" + "\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
