# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which folder may include what. The compiler and the runtime share the kernel
arguments (lib/abi), isa/ and nothing else."""
import os
import re

import house

CXX, CAPI = "C++ of MLIR, LLVM or lld", "C face of MLIR or LLVM"
FACE, COMPILER = "C face of the dialect", "compiler internals"
ABI, LIB_PUBLIC, LIB = "kernel arguments", "public lib", "lib internals"
RT_PUBLIC, RUNTIME, DRIVER = "public runtime", "runtime internals", "driver internals"
ORACLE, ISA, ISA_PUBLIC = "oracle", "instruction set", "public instruction set"

ALLOWED = {
    "dialect": {CXX, FACE, COMPILER, ABI},
    "passes": {CXX, FACE, COMPILER, ABI},
    "oracle": {ABI, ORACLE},
    "lib": {LIB_PUBLIC, LIB, ABI, RT_PUBLIC, ISA_PUBLIC, ISA, ORACLE},
    # Of the library only the compiler, an object of its own, links MLIR and LLVM.
    "lib/compile": {CAPI, FACE, LIB_PUBLIC, LIB, ABI, ISA_PUBLIC, ISA},
    "lib/compile/link": {CAPI, LIB_PUBLIC, LIB, ABI},
    "lib/compile/session": {CAPI, FACE, LIB_PUBLIC, LIB, ABI},
    "isa": {ABI, ISA_PUBLIC, ISA},
    "runtime": {ABI, RT_PUBLIC, ISA_PUBLIC, ISA, RUNTIME},
    "driver": {LIB_PUBLIC, ABI, RT_PUBLIC, ISA_PUBLIC, DRIVER, ORACLE},
    "examples": {LIB_PUBLIC, ABI, RT_PUBLIC, ISA_PUBLIC},
}

# The only place of the compiler that sees mlir-c and llvm-c is its C face.
FACE_FILES = {
    "dialect/fmha_dialect_c.cpp": "implements the C face of the dialect",
    "passes/c/fmha_passes_c.cpp": "implements the C face of the passes",
    "passes/fmhac-opt.cpp": "registers passes through the C face, as lib does",
}
# Headers of macros only, fit for C.
C_HEADERS = {"llvm/Config/llvm-config.h": "the version of LLVM, for provenance"}
# The decoder reads instructions with LLVM's disassembler, which Target.h registers.
DECODER = re.compile(r"^isa/insn/(decode|disasm)\w*\.[ch]$")
DECODER_HEADERS = {"llvm-c/Disassembler.h", "llvm-c/DisassemblerTypes.h", "llvm-c/Target.h"}


def owner(path):
    """What a header of the tree is part of."""
    for folder, what in (
        ("dialect/c", FACE), ("passes/c", FACE), ("dialect", COMPILER),
        ("passes", COMPILER), ("lib/abi", ABI), ("lib/public", LIB_PUBLIC),
        ("lib", LIB), ("runtime/public", RT_PUBLIC), ("runtime", RUNTIME),
        ("driver", DRIVER), ("oracle", ORACLE), ("isa/public", ISA_PUBLIC), ("isa", ISA),
    ):
        if path.startswith(folder + "/"):
            return what
    return None


def classify(includer, name, headers):
    """What `includer` gets when it includes `name`; None for the system's and for
    generated headers."""
    if name in C_HEADERS:
        return None
    if name.startswith(("mlir/", "llvm/", "lld/")):
        return CXX
    if name.startswith(("mlir-c/", "llvm-c/")):
        return CAPI
    folder = includer.split("/", 1)[0]
    found = [path for path in headers if ("/" + path).endswith("/" + name)]
    # A folder's own header first: names repeat between folders.
    found.sort(key=lambda path: (path.split("/", 1)[0] != folder, path))
    return owner(found[0]) if found else None


def permitted(path, name, what):
    if what == CAPI and (path in FACE_FILES or re.match(r"^(dialect|passes)/c/", path)):
        return True
    if name in DECODER_HEADERS and DECODER.match(path):
        return True
    room = os.path.dirname(path)
    return what in ALLOWED[room if room in ALLOWED else path.split("/", 1)[0]]


def check(root):
    sources = house.files(root, sorted({folder.split("/")[0] for folder in ALLOWED}), (".c", ".h", ".cpp", ".def"))
    headers = [path for path in sources if path.endswith((".h", ".def"))]
    for path in sources:
        text = house.code(house.read(root, path), keep_strings=True)
        for line, match in house.matches(text, r'(?m)^\s*#\s*include\s*[<"]([^>"]+)[>"]'):
            name = match.group(1)
            what = classify(path, name, headers)
            if what is not None and not permitted(path, name, what):
                folder = os.path.dirname(path)
                yield path, line, f"{folder} must not include '{name}' ({what})"


house.main(check)
