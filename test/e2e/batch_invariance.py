# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""With keys that are divided at fixed places a sequence has the same bytes in any batch.

Some sequences of 1 to 8 rows have data of their own. Each runs alone; then in batches, in
any order, among neighbours of any numbers of rows and keys and with heads in pages that lie
anywhere, from lists and from a queue: every time with the bytes of O and LSE that it had alone. Other chunks do give
other bytes, so that the comparison can fail: that is looked for, too.
"""
import argparse
import array
import os
import random
import struct
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axes
import axis_files
import modes
import rows as run_rows

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

# Types, schedule, head, heads, chunk, page (0: packed), mask, more flags.
CASES = [
    ("bf16", "generic", 128, "2/1", 128, 0, "causal", []),
    ("bf16", "generic", 128, "8/1", 256, 16, "causal", []),
    ("bf16", "dualwave", 128, "2/2", 256, 0, "none", []),
    ("fp8", "generic_fp8", 128, "4/2", 192, 64, "causal", []),
    ("fp8", "dualwave_fp8", 128, "2/1", 512, 32, "none", ["--out-dtype", "f32"]),
    ("f16", "dualwave_1tile", 64, "2/1", 128, 1, "causal", []),
    ("bf16", "generic_wide", 256, "2/1", 64, 128, "window:300,0", []),
    ("bf16/fp8/fp8", "dualwave_kv8", 128, "2/1", 256, 0, "causal", []),
    # Sequences of some rows have a kernel, others another one; alone some have the first only.
    ("bf16", "generic_wide_m64 if Sq <= 4; dualwave_1tile", 128, "2/1", 256, 0, "causal", []),
    ("bf16", "generic if Sq <= 1; generic_wide_m64 if Sq <= 4; generic_wide", 64, "4/2", 128, 16,
     "none", []),
]
BATCHES = 200  # of all cases
# Rows and keys of the sequences with data of their own.
SUBJECTS = [(1, 1), (1, 700), (2, 129), (4, 1500), (8, 1024), (7, 65), (3, 256), (5, 2000)]
LARGEST = (300, 1500)  # rows and keys of a neighbour
POOL = 4099  # numbers, so that rows do not repeat them
ELEMENT = {"bf16": ("<u2", 2), "f16": ("<f2", 2), "fp8": ("|u1", 1)}


def pool_of(dtype, source):
    """Elements of unit variance, of 16 bits or 8."""
    if dtype == "fp8":  # OCP e4m3: exponents of 2^-4 to 2^1, either sign
        return bytes(source.choice((0, 128)) | source.randrange(3 * 8, 8 * 8)
                     for _ in range(POOL))
    values = array.array("f", (source.gauss(0, 1) for _ in range(POOL)))
    if dtype == "f16":
        return struct.pack(f"<{POOL}e", *values)
    return b"".join(values.tobytes()[4 * i + 2:4 * i + 4] for i in range(POOL))


class Case:
    def __init__(self, number):
        (self.dtype, self.schedule, self.dim, heads, self.chunk, self.page, self.mask,
         self.more) = CASES[number]
        self.number = number
        self.hq, self.hk = map(int, heads.split("/"))
        source = random.Random(number)
        self.types = (self.dtype.split("/") * 3)[:3]
        self.pools = {dtype: pool_of(dtype, source) for dtype in self.types}
        self.subjects = [self.sequence(source, *size) for size in SUBJECTS]

    def data(self, source, dtype, heads, rows):
        """Bytes of each row: pieces of the pool, from anywhere."""
        pool, size = self.pools[dtype], ELEMENT[dtype][1]
        count = rows * heads * self.dim
        pieces, made = [], 0
        while made < count:
            start = source.randrange(POOL)
            piece = pool[start * size:(start + min(count - made, 701)) * size]
            pieces.append(piece)
            made += len(piece) // size
        return b"".join(pieces)

    def sequence(self, source, rows, keys):
        q, k, v = self.types
        return {"rows": rows, "keys": keys, "q": self.data(source, q, self.hq, rows),
                "k": self.data(source, k, self.hk, keys),
                "v": self.data(source, v, self.hk, keys)}

    def row_bytes(self, operand, heads):
        return heads * self.dim * ELEMENT[self.types["qkv".index(operand)]][1]

    def write(self, folder, name, shape, content):
        path = os.path.join(folder, name + ".npy")
        axis_files.write_npy(path, ELEMENT[self.types["qkv".index(name)]][0],
                             (*shape, self.dim), content)
        return [f"--{name}", path]

    def packed_flags(self, folder, sequences):
        flags, total = [], sum(s["keys"] for s in sequences)
        for name in "kv":
            flags += self.write(folder, name, (total, self.hk),
                                b"".join(s[name] for s in sequences))
        path = os.path.join(folder, "cu-seqlens-kv.npy")
        axis_files.write_lengths(path, "varlen", [s["keys"] for s in sequences])
        return [*flags, "--cu-seqlens-kv", path]

    def page_flags(self, folder, sequences, source):
        """Pages lie in any order, among some that no sequence has."""
        counts = [-(-s["keys"] // self.page) for s in sequences]
        numbers = list(range(sum(counts) + 3))
        source.shuffle(numbers)
        table, contents, used = [], {}, 0
        width = max(1, *counts)
        for s, count in zip(sequences, counts):
            own = numbers[used:used + count]
            used += count
            table += own + [-1] * (width - count)
            for name in "kv":
                size = self.page * self.row_bytes(name, self.hk)
                for i, number in enumerate(own):
                    piece = s[name][i * size:(i + 1) * size]
                    contents[name, number] = piece + bytes(size - len(piece))
        flags = ["--page-size", str(self.page)]
        for name in "kv":
            spare = bytes(self.page * self.row_bytes(name, self.hk))
            flags += self.write(folder, name, (len(numbers), self.page, self.hk), b"".join(
                contents.get((name, number), spare) for number in range(len(numbers))))
        for name, shape, values in (("page-table", (len(sequences), width), table),
                                    ("seqlens-kv", (len(sequences),),
                                     [s["keys"] for s in sequences])):
            path = os.path.join(folder, name + ".npy")
            axis_files.write_npy(path, "<i4", shape, array.array("i", values).tobytes())
            flags += [f"--{name}", path]
        return flags

    def run(self, options, sequences, source, chunk=None, mode=(), work="list"):
        """Of each sequence the bytes of O and LSE."""
        with tempfile.TemporaryDirectory() as folder:
            rows = [s["rows"] for s in sequences]
            flags = self.write(folder, "q", (sum(rows), self.hq),
                               b"".join(s["q"] for s in sequences))
            path = os.path.join(folder, "cu-seqlens-q.npy")
            axis_files.write_lengths(path, "varlen", rows)
            flags += ["--cu-seqlens-q", path]
            flags += (self.page_flags(folder, sequences, source) if self.page
                      else self.packed_flags(folder, sequences))
            o, lse = (os.path.join(folder, f"{name}.npy") for name in ("o", "lse-out"))
            command = [options.fmhac, "run", "--json", "--no-compare", "--threads=1",
                       "--schedule", self.schedule, *axes.dtype_flags(self.dtype),
                       "--head-dim", str(self.dim), "--mask", self.mask, *self.more,
                       "--batch", str(len(rows)), "--heads", str(self.hq), "--kv-heads",
                       str(self.hk), "--work", work, "--split-kv", "fixed",
                       "--split-chunk", str(chunk or self.chunk), *flags, "-o", o,
                       "--lse-out", lse, *mode]
            _, _, report, stderr = run_rows.execute(command)
            if report.get("exit_code", 0) or report.get("findings") or not report:
                raise RuntimeError(f"{' '.join(command)}\n{report}\n{stderr[-2000:]}")
            return self.of_sequences(rows, axis_files.read_npy(o), axis_files.read_npy(lse))

    def of_sequences(self, rows, o, lse):
        total, at, found = sum(rows), 0, []
        row_bytes = len(o) // total
        for count in rows:
            found.append((o[at * row_bytes:(at + count) * row_bytes],
                          b"".join(lse[4 * (h * total + at):4 * (h * total + at + count)]
                                   for h in range(self.hq))))
            at += count
        return found


def neighbour(case, source):
    rows = source.choice((0, 1, 1, 1, 2, 8, source.randrange(LARGEST[0])))
    keys = source.choice((0, 1, 64, source.randrange(LARGEST[1]), source.randrange(200)))
    return case.sequence(source, rows, keys)


def check_batch(options, case, alone, number):
    """None, or what went wrong."""
    source = random.Random(f"{case.number} {number}")
    present = source.sample(range(len(SUBJECTS)), source.randrange(1, len(SUBJECTS) + 1))
    batch = [(s, case.subjects[s]) for s in present]
    batch += [(None, neighbour(case, source)) for _ in range(source.choice((0, 1, 2, 6, 20)))]
    source.shuffle(batch)
    mode, work = source.choice(modes.CHECKED), source.choice(("list", "queue"))
    found = case.run(options, [sequence for _, sequence in batch], source, mode=mode, work=work)
    for (subject, _), bytes_found in zip(batch, found):
        if subject is not None and bytes_found != alone[subject]:
            sizes = [(s["rows"], s["keys"]) for _, s in batch]
            return (f"case {CASES[case.number]}, batch {number} of a {work}: the sequence of (rows, keys) "
                    f"{SUBJECTS[subject]} has other bytes than alone, among {sizes}")
    return None


def check_other_chunk(options, case, alone):
    """Sequences of several chunks differ when these are others."""
    source = random.Random(case.number)
    several = [s for s, (_, keys) in enumerate(SUBJECTS) if keys > 2 * case.chunk]
    found = case.run(options, [case.subjects[s] for s in several], source, 2 * case.chunk)
    same = [SUBJECTS[s] for s, one in zip(several, found) if one == alone[s]]
    return f"case {CASES[case.number]}: chunks of {2 * case.chunk} keys give the bytes of " \
           f"{case.chunk}, of sequences {same}" if same or not several else None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    slices.add_argument(parser)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    table = options.slice.of((n % len(CASES), n) for n in range(BATCHES))
    slices.tell(options)
    cases = {n: Case(n) for n in sorted({case for case, _ in table})}
    with ThreadPoolExecutor(options.jobs) as pool:
        def one_alone(key):
            number, subject = key
            case = cases[number]
            return case.run(options, [case.subjects[subject]], random.Random(0))[0]

        keys = [(n, s) for n in cases for s in range(len(SUBJECTS))]
        alone = {n: [] for n in cases}
        for (n, _), found in zip(keys, pool.map(one_alone, keys)):
            alone[n].append(found)
        problems = [p for p in pool.map(
            lambda n: check_other_chunk(options, cases[n], alone[n]), cases) if p]
        problems += [p for p in pool.map(
            lambda row: check_batch(options, cases[row[0]], alone[row[0]], row[1]), table) if p]
    print(*(f"FAIL: {p}" for p in problems), sep="\n", end="\n" if problems else "")
    print(f"{len(table)} batches of {len(cases)} configurations, {len(problems)} problems")
    return 1 if problems or not table else 0


if __name__ == "__main__":
    sys.exit(main())
