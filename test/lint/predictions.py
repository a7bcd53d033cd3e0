# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A held-out row of bench/published.csv, published_gemm.csv or published_decode.csv has a prediction in bench/predictions, which
bench/predict.py or peers_decode.py made; that it is older than the row, the history says. A prediction is whole, and the digests of
the code objects that it took are beside it."""
import csv
import os
import re

import house

PUBLISHED = "bench/published.csv"
TABLES = PUBLISHED, "bench/published_gemm.csv", "bench/published_decode.csv"
FOLDER = "bench/predictions"
PROBLEM = ("family", "kernel", "batch", "heads", "kv_heads", "seqlen", "m", "n", "k", "rows", "keys", "again")
NUMBER = r"\d+(\.\d+)?(e-?\d+)?"
PREDICTION = {"seconds": NUMBER, "tflops": NUMBER, "date": r"\d{4}-\d\d-\d\d",
              "revision": r"[0-9a-f]{8,40}", "constants": r"[0-9a-f]{16}"}
DIGEST = r"[0-9a-f]{64}  (\S+)"

OLDER = "the rows were there before predictions were kept"
ALLOWED = house.Allowed([(PUBLISHED, f"held-out,{family},", OLDER)
                         for family in ("v3", "v4", "opus")])


def rows_of(text):
    """(line, text, fields) of a table, whose comments begin with #."""
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1)
             if not line.startswith("#")]
    for (number, line), fields in zip(lines[1:], csv.DictReader(line for _, line in lines)):
        yield number, line, fields


def problem_of(fields):
    return tuple(fields.get(name) for name in PROBLEM)


def check_predictions(root, path, found):
    digests = os.path.splitext(path)[0] + ".sha256"
    named = set()
    if os.path.exists(os.path.join(root, digests)):
        for number, line in enumerate(house.read(root, digests).splitlines(), 1):
            match = re.fullmatch(DIGEST, line)
            if match:
                named.add(os.path.basename(match.group(1)))
            else:
                yield digests, number, "expected the SHA-256 of a code object and its path"
    for number, _, fields in rows_of(house.read(root, path)):
        if problem_of(fields) in found:
            yield path, number, "the same problem was predicted before"
        found.add(problem_of(fields))
        for name, pattern in PREDICTION.items():
            if not re.fullmatch(pattern, fields[name] or ""):
                yield path, number, f"no {name}, or not of its form: '{fields[name]}'"
        if fields["kernel"] + ".co" not in named:
            yield path, number, f"{digests} has no digest of {fields['kernel']}.co"


def check(root):
    found = set()
    for path in house.files(root, (FOLDER,), (".csv",)):
        yield from check_predictions(root, path, found)
    for table in TABLES:
        for number, line, fields in rows_of(house.read(root, table)):
            if (fields["role"] == "held-out" and (table, line) not in ALLOWED
                    and problem_of(fields) not in found):
                yield table, number, "a held-out row without a prediction (bench/predict.py)"
    yield from ALLOWED.stale(root)


house.main(check)
