# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reads maps of LDS as the dialect prints them and compares the byte of every element with
the closed form that the kernels which have these layouts are published with."""
import itertools
import re
import sys


def parse(text, name):
    """byte(row, col) of the map `name`, its rows and columns."""
    body = re.search(rf"test\.{name} = #fmha\.lds_map<(.*?)>(?=[,}}])", text).group(1)

    def masks(key):
        cells = re.search(rf"{key} = \[(.*?)\]", body).group(1).split(",")
        folded = []
        for cell in cells:
            mask = 0
            for term in cell.split("xor"):
                mask ^= int(term)
            folded.append(mask)
        return folded
    row_masks, col_masks = masks("row"), masks("col")
    padding = re.search(r"chunk_bytes = (\d+), pad_bytes = (\d+)", body)
    chunk, pad = map(int, padding.groups()) if padding else (1, 0)

    def byte(row, col):
        u = 0
        for index, of in ((row, row_masks), (col, col_masks)):
            for bit, mask in enumerate(of):
                u ^= mask if index >> bit & 1 else 0
        return u + u // chunk * pad
    return byte, 1 << len(row_masks), 1 << len(col_masks)


def st_8x32(row, col):
    """HipKittens: rows of 64 bytes as they are."""
    return 64 * row + 2 * col


def st_32x32(row, col):
    """HipKittens: two XORs of the byte offset."""
    o = 64 * row + 2 * col
    return o ^ (((o % 1024) >> 9) << 5) ^ (((o % 2048) >> 10) << 4)


def v227(key, depth):
    """Modular's MLA, V in 8 bits: chunks of 0x410 bytes by keys 1, 2, 3 and 6, in them lines of
    128 bytes by keys 0, 4 and 5."""
    bit = [key >> i & 1 for i in range(7)]
    c = (bit[1] << 1 | bit[2]) + 4 * bit[3] + 8 * bit[6]
    return 0x410 * c + 16 * (8 * bit[0] + 16 * bit[4] + 32 * bit[5]) + depth


def v227_address(i, j, r, lane):
    """Where lane reads cell (i, j, r), by the kernel's own formula."""
    bit = [lane >> n & 1 for n in range(6)]
    return (8 * bit[0] + 0x80 * bit[1] + 0x820 * bit[2] + 0x1040 * bit[3] + 16 * bit[4]
            + 0x410 * bit[5] + 0x2080 * i + 0x20 * j + 0x100 * r)


def v227_read(byte):
    """How many elements lanes get in the order of P: of 32 columns j lane l has column l % 32, of
    64 keys i those of two results of a 32x32 product. A transposed read of bytes works on 16
    lanes: pair n of them gives the 16 bytes of row n, of which lane m gets byte m."""
    element = {byte(key, depth): (key, depth) for key in range(128) for depth in range(128)}
    found = set()
    for i, j, r, lane, e in itertools.product(range(2), range(4), range(4), range(64), range(8)):
        first, column = lane - lane % 16, lane % 16
        giver = first + 2 * e + column // 8
        key, depth = element[v227_address(i, j, r, giver) + column % 8]
        half = lane // 32
        if (key, depth) == (64 * i + 16 * r + 8 * (e // 4) + 4 * half + e % 4, 32 * j + lane % 32):
            found.add((key, depth))
    return len(found)


def main():
    text = sys.stdin.read()
    for name, form, shape, extent in (("st_8x32", st_8x32, (8, 32), 512),
                                      ("st_32x32", st_32x32, (32, 32), 2048),
                                      ("v227", v227, (128, 128), 16624)):
        byte, rows, cols = parse(text, name)
        wrong = [(r, c) for r in range(rows) for c in range(cols) if byte(r, c) != form(r, c)]
        size = 1 if name == "v227" else 2
        last = max(byte(r, c) for r in range(rows) for c in range(cols)) + size
        print(f"{name}: {rows} x {cols}, {rows * cols} elements, {len(wrong)} elsewhere, "
              f"{last} bytes")
        if wrong or (rows, cols) != shape or last != extent:
            sys.exit(f"FAIL: {name}: {wrong[:3]}")
    read = v227_read(parse(text, "v227")[0])
    print(f"v227: lanes read {read} elements in the order of P")
    if read != 128 * 128:
        sys.exit("FAIL: v227: reads do not give what was written")


main()
