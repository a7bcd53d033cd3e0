# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""K and V in pages, as `fmhac run` reads them.

Bad tables are refused by name. O of rows in pages is that of the same rows without pages,
bit for bit: generated ones, and a user's own in every order of a page.
"""
import argparse
import array
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "e2e"))
from axis_files import read_npy, write_npy  # noqa: E402

FLAGS = ["--heads", "2", "--kv-heads", "2", "--head-dim", "16", "--seqlen-q", "40", "--mask",
         "causal", "--schedule", "generic"]
LENGTHS = [70, 0, 33]
PAGE = 16
PAGES = [[9, 2, 5, 11, 0], [], [7, 3, 4]]
GARBAGE = 2**31 - 1
TABLE = {"page-table": ((3, 6), sum((own + [GARBAGE] * (6 - len(own)) for own in PAGES), [])),
         "seqlens-kv": ((3,), LENGTHS)}
LIST = {"kv-indptr": ((4,), [0, 5, 5, 8]), "kv-indices": ((10,), sum(PAGES, []) + [GARBAGE] * 2),
        "kv-last-page-len": ((3,), [6, 0, 1])}
# What is changed of TABLE or LIST, and what the error says.
REFUSED = [
    (TABLE, {"page-table": ((2, 6), [0] * 12)}, r"page-table.npy: expected '<i4' \(i32\) \[3, P\]"),
    (TABLE, {"page-table": ((18,), [0] * 18)}, r"page-table.npy: expected .*found .*\[18\]"),
    (TABLE, {"page-table": ((3, 4), [0] * 12)},
     "sequence 0 has 70 keys, which are 5 pages; found 4 in a row"),
    (TABLE, {"page-table": ((3, 6), [1, 2, 3, 4, -5] + [0] * 13)},
     "page 4 of sequence 0 is -5, expected a number from 0"),
    (TABLE, {"seqlens-kv": ((3,), [-1, 0, 0])}, "seqlens-kv.npy: element 0 is -1"),
    (LIST, {"kv-indptr": ((4,), [0, 6, 5, 8])}, "elements 1 and 2 are 6 and 5"),
    (LIST, {"kv-indptr": ((4,), [-1, 5, 5, 8])}, "elements 0 and 1 are -1 and 5"),
    (LIST, {"kv-indptr": ((4,), [0, 5, 5, 11])}, "numbers from 0 to 10, the pages"),
    (LIST, {"kv-indptr": ((1,), [0])}, "kv-indptr.npy: expected 2 to 65536 elements"),
    (LIST, {"kv-last-page-len": ((3,), [6, 17, 1])},
     "element 1 is 17, expected 0 to 16 of a sequence of 0 pages"),
    (LIST, {"kv-last-page-len": ((3,), [17, 0, 1])}, "element 0 is 17, expected 1 to 16"),
    (LIST, {"kv-last-page-len": ((3,), [6, 0, 0])}, "element 2 is 0, expected 1 to 16"),
    (LIST, {"kv-last-page-len": ((2,), [6, 0])}, "kv-last-page-len.npy: expected .*one for each"),
    (LIST, {"kv-indices": ((10,), [-1] + [0] * 9)}, "page 0 of sequence 0 is -1"),
]


def write(folder, files, prefix=""):
    """The flags of files of i32."""
    flags = []
    for name, (shape, values) in files.items():
        path = os.path.join(folder, prefix + name + ".npy")
        write_npy(path, "<i4", shape, struct.pack(f"<{len(values)}i", *values))
        flags += [f"--{name}", path]
    return flags


def run(fmhac, *flags):
    return subprocess.run([fmhac, "run", *FLAGS, *flags], capture_output=True, text=True)


def check(condition, text):
    if not condition:
        sys.exit(f"FAIL: {text}")


def output(fmhac, folder, *flags):
    """The bytes of O of a run that passes."""
    path = os.path.join(folder, "o.npy")
    result = run(fmhac, "--o", path, "--json", "--check=all", *flags)
    check(result.returncode == 0, f"{flags}: {result.returncode}: {result.stderr}")
    report = json.loads(result.stdout)
    check(report["pass"] and not report["findings"], f"{flags}: {report}")
    return read_npy(path), report


def pieces(rows, of_keys):
    """Rows of a head as [D/8, N, 8], or, of keys, [N/8, D, 8]."""
    places = ([(n + i, d) for n in range(0, PAGE, 8) for d in range(16) for i in range(8)]
              if of_keys else
              [(n, d + i) for d in range(0, 16, 8) for n in range(PAGE) for i in range(8)])
    return array.array("H", [rows[n][d] for n, d in places]).tobytes()


def in_pages(rows, layout, of_keys):
    """[pages, N, H, D], or as another layout has it, of a function of batch, row and head."""
    nan = array.array("H", [0x7fff] * 16)
    pages = 12
    places = [[[nan] * 2 for _ in range(PAGE)] for _ in range(pages)]
    for batch, numbers in enumerate(PAGES):
        for row in range(LENGTHS[batch]):
            places[numbers[row // PAGE]][row % PAGE] = [rows(batch, row, head) for head in (0, 1)]
    data = b""
    for page in places:
        if layout == "vectorised":
            data += b"".join(pieces([row[head] for row in page], of_keys) for head in (0, 1))
        elif layout == "hnd":
            data += b"".join(page[row][head].tobytes() for head in (0, 1) for row in range(PAGE))
        else:
            data += b"".join(page[row][head].tobytes() for row in range(PAGE) for head in (0, 1))
    shapes = {"nhd": (pages, PAGE, 2, 16), "hnd": (pages, 2, PAGE, 16),
              "vectorised": (pages, 2, PAGE // 8, 16, 8) if of_keys else (pages, 2, 2, PAGE, 8)}
    return shapes[layout], data


def bf16(value):
    return struct.unpack("<I", struct.pack("<f", value))[0] >> 16


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    fmhac = parser.parse_args().fmhac
    size = ["--page-size", str(PAGE)]
    with tempfile.TemporaryDirectory() as folder:
        table, listed = write(folder, TABLE), write(folder, LIST)
        plain = write(folder, {"seqlens-kv": TABLE["seqlens-kv"]}, "plain-")
        expected, _ = output(fmhac, folder, *plain, "--seqlen-kv", "70")
        for flags in (table, listed):
            for layout in ("nhd", "hnd", "vectorised"):
                found, report = output(fmhac, folder, *size, *flags, "--kv-layout", layout)
                check(found == expected, f"O differs: {flags} {layout}")
                problem = report["problem"]
                check((problem["batch"], problem["seqlen_kv"], problem["pages"],
                       problem["kv_layout"]) == (3, 70, 12, layout), f"{problem}")
        # Of a sequence without pages engines say that its last one has a key, or all.
        for last in (1, PAGE):
            own = write(folder, LIST | {"kv-last-page-len": ((3,), [6, last, 1])}, f"last-{last}-")
            found, _ = output(fmhac, folder, *size, *own)
            check(found == expected, f"O differs where the last page of none has {last} keys")
        # Nothing at all, in a list that has no memory.
        own = write(folder, {"kv-indptr": ((3,), [0] * 3), "kv-indices": ((0,), []),
                             "kv-last-page-len": ((2,), [0, 1])}, "none-")
        found, report = output(fmhac, folder, *size, *own, "--lse")
        check(not any(found) and report["problem"]["pages"] == 1, f"O of no keys: {report}")
        # 2^32 + 16 keys are not 16; one page is all of them.
        own = write(folder, {"kv-indptr": ((2,), [0, 65537]), "kv-indices": ((65537,), [0] * 65537),
                             "kv-last-page-len": ((1,), [16])}, "long-")
        result = run(fmhac, "--page-size", "65536", *own)
        check(result.returncode == 2 and "65537 pages of 65536 keys, which are 4294967312 keys"
              in result.stderr, f"2^32 keys: {result.returncode}: {result.stderr}")
        # Lengths that do not count the 40 rows of Q of each sequence.
        before = write(folder, {"seqlens-kv": ((3,), [30, 0, 0])}, "before-")
        after = write(folder, {"seqlens-kv": ((3,), [70, 40, 40])}, "after-")
        more = {"page-table": ((3, 6), sum((own + [GARBAGE] * (6 - len(own)) for own in
                                            [PAGES[0], [1, 6, 8], [7, 3, 4]]), []))}
        found, _ = output(fmhac, folder, *size, *write(folder, more, "cached-"), *before,
                          "--kv-lengths", "cached")
        wanted, _ = output(fmhac, folder, *after, "--seqlen-kv", "70")
        check(found == wanted, "O differs with cached lengths")

        # A user's own rows.
        def number(batch, row, head, salt):
            return array.array("H", [bf16(((batch * 71 + row * 13 + head * 5 + d * salt) % 17 - 8)
                                          / 8) for d in range(16)])
        files = []
        for name, salt in (("k", 3), ("v", 7)):
            dense = b"".join(number(b, row, head, salt).tobytes()
                             for b in range(3) for row in range(70) for head in (0, 1))
            path = os.path.join(folder, f"dense-{name}.npy")
            write_npy(path, "<u2", (3, 70, 2, 16), dense)
            files += [f"--{name}", path]
        expected, _ = output(fmhac, folder, *plain, *files)
        for layout in ("nhd", "hnd", "vectorised"):
            own = []
            for name, salt in (("k", 3), ("v", 7)):
                shape, data = in_pages(lambda *at, salt=salt: number(*at, salt), layout,
                                       of_keys=name == "v")
                path = os.path.join(folder, f"{layout}-{name}.npy")
                write_npy(path, "<u2", shape, data)
                own += [f"--{name}", path]
            found, _ = output(fmhac, folder, *size, *table, *own, "--kv-layout", layout)
            check(found == expected, f"O of a user's rows differs: {layout}")
        # Pieces of 32 bytes, and none.
        path = os.path.join(folder, "other-k.npy")
        for shape, text in (((12, 2, 1, 16, 16), r"\[12, ?2, ?2, ?16, ?8\]"),
                            ((12, 2, 16, 16), r"expected \[pages, H, D/x, N, x\]")):
            write_npy(path, "<u2", shape, bytes(12 * 2 * 16 * 16 * 2))
            result = run(fmhac, *size, *table, "--k", path, "--kv-layout", "vectorised")
            check(result.returncode == 2 and re.search(f"other-k.npy: .*{text}", result.stderr),
                  f"{shape}: {result.returncode}: {result.stderr}; expected {text}")
        for base, change, text in REFUSED:
            result = run(fmhac, *size, *write(folder, base | change, "bad-"))
            check(result.returncode == 2 and re.search(text, result.stderr),
                  f"{change}: {result.returncode}: {result.stderr}; expected {text}")
        # Without pages, too, the rows of the call are keys.
        cached = write(folder, {"seqlens-kv": ((1,), [16])}, "cached-")
        result = run(fmhac, "--heads", "1", "--head-dim", "16", "--seqlen-q", "8", "--seqlen-kv",
                     "16", *cached, "--kv-lengths", "cached")
        check(result.returncode == 2 and "24 keys with its new rows" in result.stderr,
              f"cached lengths without pages: {result.returncode}: {result.stderr}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
