# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""From an instruction of a code object back to the operation of the LLVM IR that it was
made from. Line tables of fmhac name steps; here each operation of the IR gets a line
of its own, and LLVM's static compiler the task to make the same code of it again."""
import os
import re
import subprocess
import tempfile

import code_object



def number_operations(text):
    """The IR with a line of its own for each operation, from 1 on in their order."""
    first = 1 + max(map(int, re.findall(r"^!(\d+) = ", text, re.M)))
    scope = None
    numbered, more = [], []
    for line in text.splitlines():
        if line.startswith("define"):
            scope = re.search(r"!dbg !(\d+)", line).group(1)
        elif line.startswith("}"):
            scope = None
        elif scope and re.match(r"  (%\S+ = )?[a-z]", line):
            number = first + len(more)
            more.append(f"!{number} = !DILocation(line: {len(more) + 1}, column: 1, "
                        f"scope: !{scope})")
            line = re.sub(r", !dbg !\d+", "", line) + f", !dbg !{number}"
        numbered.append(line)
    return "\n".join(numbered + more) + "\n"


def code_of(llvm_bin, text):
    """Instructions that LLVM makes of the IR, and the address of each -> the place in the
    IR of the operation that it was made from, 0 for none."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "numbered.o")
        # Else what LLVM makes of no operation in particular takes the line before.
        subprocess.run([os.path.join(llvm_bin, "llc"), "-O3", "-mcpu=gfx950",
                        "-filetype=obj", "-use-unknown-locations=Enable", "-", "-o", path],
                       input=number_operations(text), text=True, check=True)
        code = code_object.disassemble(llvm_bin, path)
        return code, code_object.lines_of(llvm_bin, path, code)


def places_in_ir(llvm_bin, text, code):
    """Address of each instruction of `code`, which LLVM made of the IR -> the place there
    of the operation that it was made from, 0 for none."""
    numbered, lines = code_of(llvm_bin, text)
    own, others = without_wait_states(code), without_wait_states(numbered)
    others = others[:len(own)]
    if [comparable(i.text) for i in own] != [comparable(i.text) for i in others]:
        raise ValueError("expected LLVM to make the same code of the IR whatever its lines "
                         "are, found other code")
    places = dict.fromkeys((i.address for i in code), 0)
    places.update({i.address: lines[j.address] for i, j in zip(own, others)})
    return places


def without_wait_states(code):
    """The instructions but for s_nop: llc lacks the compiler's own pass that counts wait
    states, and its code has other ones."""
    return [i for i in code if not i.text.startswith("s_nop")]


def comparable(text):
    """An instruction without the distance of a branch, which s_nop are part of."""
    return re.sub(r"^(s_c?branch\w*) .*", r"\1", text)


def inversions(ranks):
    """Pairs of which the first has the greater rank: how many neighbours would have to
    change places to put all in order (the distance of Kendall)."""
    return sum(a > b for n, b in enumerate(ranks) for a in ranks[:n])
