# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Predictions of the cycle model, made before the rows that test them are in published.csv.

    predict.py --dir DIR [--objects DIR] --fmhac build/bin/fmhac --revision HASH FILE

FILE is a table of bench/predictions with a problem a line. Lines without a prediction get one,
those with one stay as they are: a prediction is made once. The digests of the code objects go
to FILE with `.sha256` in place of `.csv`, which `sha256sum -c` reads in the DIR of --dir or, if
the kernels are compiled ones, of --objects (calibrate.py). `constants` is
the digest of what `fmhac bench --constants` lists, as name=value lines.
"""
import argparse
import csv
import datetime
import hashlib
import io
import os
import sys
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import launches  # noqa: E402
import nulls  # noqa: E402
from calibrate import model, problem_of  # noqa: E402

DIGITS = 16  # of the digest of the constants


def constants_digest(fmhac):
    lines = "".join(f"{name}={value:.12g}\n" for name, value in nulls.constants(fmhac).items())
    return hashlib.sha256(lines.encode()).hexdigest()[:DIGITS]


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def predict(fields, options):
    """Adds a prediction to the fields. The code objects that it took, and their paths."""
    problem = problem_of(fields)
    report = model(problem, options, "")
    seconds = report["timing"]["seconds"]
    fields.update(seconds=f"{seconds:.6g}", tflops=f"{problem.flops / seconds / 1e12:.1f}",
                  date=datetime.date.today().isoformat(), revision=options.revision,
                  constants=options.constants)
    base = options.dir if problem.family in launches.OF_AITER else options.objects
    return {os.path.relpath(r["code_object"], base): digest(r["code_object"])
            for r in [report] + report["others"]}


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", required=True, help="hsa/gfx950 of a checkout of ROCm/aiter")
    parser.add_argument("--objects", help="compiled code objects, a directory a family")
    parser.add_argument("--fmhac", required=True, help="the fmhac command")
    parser.add_argument("--revision", required=True, help="of the tree that it was built from")
    parser.add_argument("file")
    options = parser.parse_args()
    options.directories = launches.directories(options.dir, options.objects)
    options.constants = constants_digest(options.fmhac)
    with open(options.file, encoding="utf-8") as file:
        lines = file.read().splitlines(keepends=True)
    comments = [line for line in lines if line.startswith("#")]
    table = csv.DictReader(line for line in lines if not line.startswith("#"))
    rows = list(table)
    missing = [row for row in rows if not row["seconds"]]
    for family in {row["family"] for row in missing} - set(options.directories):
        sys.exit(f"{options.file} has problems of the family {family}: give --objects a directory "
                 f"with {family} in it")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        used = {path: sha for part in pool.map(lambda row: predict(row, options), missing)
                for path, sha in part.items()}
    out = io.StringIO()
    writer = csv.DictWriter(out, table.fieldnames, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with open(options.file, "w", encoding="utf-8") as file:
        file.write("".join(comments) + out.getvalue())
    digests = os.path.splitext(options.file)[0] + ".sha256"
    if os.path.exists(digests):
        with open(digests, encoding="utf-8") as file:
            used = {**dict(reversed(line.split()) for line in file), **used}
    with open(digests, "w", encoding="utf-8") as file:
        file.writelines(f"{sha}  {path}\n" for path, sha in sorted(used.items()))


if __name__ == "__main__":
    main()
