# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads and patches code objects for tests: disassembly with file offsets."""
import os
import re
import struct
import subprocess

S_NOP = struct.pack("<I", 0xBF800000)  # s_nop 0


class Instruction:
    def __init__(self, text, address, size, offset):
        self.text, self.address, self.size, self.offset = (
            text, address, size, offset)

    @property
    def mnemonic(self):
        return self.text.split()[0]

    def __repr__(self):
        return f"{self.address:#x}: {self.text}"


def _load_segments(data):
    """(virtual address, file offset, bytes in the file) of PT_LOAD headers."""
    phoff, = struct.unpack_from("<Q", data, 32)
    phentsize, phnum = struct.unpack_from("<HH", data, 54)
    segments = []
    for i in range(phnum):
        kind, _, offset, vaddr, _, filesz = struct.unpack_from(
            "<IIQQQQ", data, phoff + i * phentsize)
        if kind == 1:
            segments.append((vaddr, offset, filesz))
    return segments


def disassemble(llvm_bin, path):
    """Instructions of .text, in order; in an object that is not linked, of no offset."""
    with open(path, "rb") as file:
        segments = _load_segments(file.read())
    text = subprocess.run(
        [os.path.join(llvm_bin, "llvm-objdump"), "-d", "--mcpu=gfx950", path],
        check=True, capture_output=True, text=True).stdout
    instructions = []
    line = re.compile(r"^\s+(\S.*?)\s*// ([0-9A-F]+): ((?:[0-9A-F]{8} ?)+)")
    for match in map(line.match, text.splitlines()):
        if not match:
            continue
        address = int(match.group(2), 16)
        for vaddr, offset, filesz in segments or [(0, None, 1 << 64)]:
            if vaddr <= address < vaddr + filesz:
                instructions.append(Instruction(
                    match.group(1), address, 4 * len(match.group(3).split()),
                    None if offset is None else address - vaddr + offset))
    return instructions


def without_padding(instructions):
    """Without the s_nop after the code, whose last instruction need not be s_endpgm."""
    last = len(instructions)
    while last and instructions[last - 1].mnemonic == "s_nop":
        last -= 1
    return instructions[:last]


def lines_of(llvm_bin, path, instructions):
    """Address of an instruction -> its line; 0 where it has none."""
    table = subprocess.run(
        [os.path.join(llvm_bin, "llvm-dwarfdump"), "--debug-line", path], check=True,
        capture_output=True, text=True).stdout
    rows = [(int(address, 16), int(line)) for address, line in re.findall(
        r"^0x([0-9a-f]{16})\s+(\d+)\s", table, re.M)]
    lines, at = {}, 0
    for i in instructions:
        while at + 1 < len(rows) and rows[at + 1][0] <= i.address:
            at += 1
        lines[i.address] = rows[at][1] if rows and rows[at][0] <= i.address else 0
    return lines


def loop_bodies(instructions):
    """Index ranges (first, last) of backward branches, smallest address first."""
    index = {i.address: n for n, i in enumerate(instructions)}
    loops = []
    for n, i in enumerate(instructions):
        if not i.mnemonic.startswith(("s_cbranch", "s_branch")):
            continue
        distance, = re.findall(r"\s(\d+)", i.text)[:1] or ["0"]
        words = int(distance)
        words -= 0x10000 if words >= 0x8000 else 0
        target = i.address + 4 + 4 * words
        if target <= i.address and target in index:
            loops.append((index[target], n))
    return sorted(loops)


def overwrite_with_nops(path, instruction):
    with open(path, "r+b") as file:
        file.seek(instruction.offset)
        file.write(S_NOP * (instruction.size // 4))
