# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Public decode kernels in the cycle model: beside published times, or at problems of any size.

    peers_decode.py --dir DIR --fmhac build/bin/fmhac [--role ROLE] [--json FILE]
    peers_decode.py --dir DIR --fmhac build/bin/fmhac --problem FAMILY,KERNEL,BATCH,HEADS,KV_HEADS,ROWS,KEYS[,AGAIN]
    peers_decode.py --dir DIR --fmhac build/bin/fmhac --predict FILE --revision HASH

DIR is hsa/gfx950 of a checkout of ROCm/aiter; nothing of it is in this tree. Rows: published_decode.csv. All launches of a
call count. `again`: the publication launches on the same buffers again and again, so that MALL has what fits; else it goes
through copies of them, and MALL has nothing.

What adds up the parts of sequences (mla_reduce_v1) is no code object of the publication. It counts as a launch that takes the longer of two
times: its bytes from HBM; and, a workgroup going through the parts of a row with two loads on their way, three loads that wait for each other and half as many latencies of
MALL as there are parts. The null is the bytes of a call over the bandwidth of HBM (of MALL, if they fit and it is launched again) and its launches.
--predict fills a table of bench/predictions, as predict.py does.
"""
import argparse
import csv
import datetime
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import launches_decode  # noqa: E402
import nulls  # noqa: E402
from predict import constants_digest, digest  # noqa: E402

TABLE = os.path.join(HERE, "published_decode.csv")
NUMBERS = "batch", "heads", "kv_heads", "rows", "keys", "again"
WIDTHS = {"pa": (128, 128), "mla": (576, 512), "mla_ps": (576, 512)}  # of Q K^T and of P V
LOADS_BEFORE_PARTS, LOADS_AT_A_TIME = 3, 2  # of mla_reduce_v1
MOST_PARTS = 32


class Problem:
    def __init__(self, fields):
        self.family, self.kernel = fields["family"], fields["kernel"]
        for name in NUMBERS:
            setattr(self, name, int(fields.get(name) or 0))
        # As op_tests/test_mla_persistent.py asks for: parts of a sequence, with many heads fewer.
        self.splits, self.most_splits = 0, MOST_PARTS
        if self.heads >= 128:
            self.most_splits = min(MOST_PARTS, -(-launches_decode.UNITS // self.batch))
        self.role = fields.get("role")
        self.microseconds = float(fields.get("microseconds") or 0)

    @property
    def flops(self):
        return 2 * sum(WIDTHS[self.family]) * self.batch * self.heads * self.rows * self.keys

    @property
    def item(self):
        return 1 if "a8w8" in self.kernel or "Fp8" in self.kernel or "Int8" in self.kernel else 2

    @property
    def cache_bytes(self):
        width = 2 * 128 * self.kv_heads if self.family == "pa" else 576
        return self.batch * self.keys * width * self.item

    def __str__(self):
        return (f"{self.kernel} B{self.batch} {self.heads}/{self.kv_heads} q{self.rows} "
                f"keys {self.keys}{' again' if self.again else ''}")


def parts_of(problem):
    """Rows of the partial results, and the most parts of a sequence."""
    if problem.family == "mla_ps":
        lists, rows = launches_decode.work_lists(problem)
        parts = [item[0] for own in lists for item in own if item[3] >= 0]
        return rows, max((parts.count(s) for s in set(parts)), default=0)
    if problem.family == "mla":
        splits = problem.splits or launches_decode.split_count(problem.batch, problem.keys)
        return problem.batch * problem.rows * splits, splits
    return 0, 0


def reduce_seconds(problem, k):
    rows, parts = parts_of(problem)
    if not rows:
        return 0.0
    bytes_of_all = rows * problem.heads * (512 + 1) * 4
    chain = (LOADS_BEFORE_PARTS + parts / LOADS_AT_A_TIME) * k["mall_latency_ns"]
    return 1e-9 * (k["launch_overhead_ns"] + max(bytes_of_all / k["hbm_bytes_per_ns"], chain))


def null_seconds(problem, k):
    rows, _ = parts_of(problem)
    fits = problem.again and problem.cache_bytes <= 1024 * k["mall_cache_kib"]
    rate = k["mall_bytes_per_ns" if fits else "hbm_bytes_per_ns"]
    parts = 2 * rows * problem.heads * 512 * 4  # written, and read again
    launch = k["launch_overhead_ns"] * (2 if rows else 1)
    return 1e-9 * ((problem.cache_bytes + parts) / rate + launch)


def places(problem, launch):
    """Workgroups that are timed: lists are of one length, but for the last one and for empty ones."""
    if problem.family != "mla_ps":
        return [[0, 0, 0]]
    used = sum(bool(own) for own in launches_decode.work_lists(problem)[0])
    return [[x, 0, 0] for x in sorted({0, used - 1, min(used, launch["grid"][0] - 1),
                                       launch["grid"][0] - 1})]


def emulate(problem, options):
    """The report on the attention launch, and its code object."""
    with tempfile.TemporaryDirectory() as folder:
        launch, = launches_decode.FAMILIES[problem.family](problem, options.dir, folder)
        launch["workgroups"] = places(problem, launch)
        path = os.path.join(folder, "LAUNCH.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(launch, file)
        command = [options.fmhac, "emu", path, "--json", "--timing", "--check=none", "--threads=1",
                   f"--timing-constants=launches_before={problem.again}"]
        process = subprocess.run(command, capture_output=True, text=True)
        if process.returncode:
            raise SystemExit(f"{launch['code_object']}: {process.stderr.strip()}")
        return json.loads(process.stdout)["timing"], launch["code_object"]


def model(problem, options):
    timing, code_object = emulate(problem, options)
    k = nulls.constants(options.fmhac)
    return {"seconds": timing["seconds"] + reduce_seconds(problem, k), "timing": timing,
            "reduce_seconds": reduce_seconds(problem, k), "null_seconds": null_seconds(problem, k),
            "code_object": code_object}


def run(problems, options):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda p: model(p, options), problems))


def read_table(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def predict(options):
    with open(options.predict, encoding="utf-8") as file:
        lines = file.read().splitlines(keepends=True)
    table = csv.DictReader(line for line in lines if not line.startswith("#"))
    rows = list(table)
    missing = [row for row in rows if not row["seconds"]]
    problems = [Problem(row) for row in missing]
    used = {}
    for row, problem, report in zip(missing, problems, run(problems, options)):
        row.update(seconds=f"{report['seconds']:.6g}",
                   tflops=f"{problem.flops / report['seconds'] / 1e12:.6g}",
                   date=datetime.date.today().isoformat(), revision=options.revision,
                   constants=constants_digest(options.fmhac))
        used[os.path.relpath(report["code_object"], options.dir)] = digest(report["code_object"])
    out = io.StringIO()
    writer = csv.DictWriter(out, table.fieldnames, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    with open(options.predict, "w", encoding="utf-8") as file:
        file.write("".join(line for line in lines if line.startswith("#")) + out.getvalue())
    with open(os.path.splitext(options.predict)[0] + ".sha256", "w", encoding="utf-8") as file:
        file.writelines(f"{sha}  {path}\n" for path, sha in sorted(used.items()))


def print_rows(problems, reports):
    print(f"{'problem':74} {'us':>8} {'model':>8} {'error':>7} {'null':>7} {'reduce':>7} {'GB/s':>6} {'memory':>12}")
    for problem, report in zip(problems, reports):
        us, memory = 1e6 * report["seconds"], report["timing"]["memory"]
        published = problem.microseconds
        errors = (f"{100 * (us / published - 1):+6.1f}% {100 * (1e6 * report['null_seconds'] / published - 1):+6.0f}%"
                  if published else f"{'':7} {1e6 * report['null_seconds']:6.1f}u")
        print(f"{str(problem):74} {published:8.1f} {us:8.1f} {errors} {1e6 * report['reduce_seconds']:7.1f} "
              f"{problem.cache_bytes / report['seconds'] / 1e9:6.0f} {memory['level']:>5} {100 * memory['share']:5.1f}%")


def print_summary(problems, reports):
    groups = dict.fromkeys((p.role, p.kernel, p.heads) for p in problems)
    print(f"\n{'error of the time: mean absolute, bias':64} {'rows':>5} {'model':>17} {'null':>17}")
    for group in groups:
        chosen = [(p, r) for p, r in zip(problems, reports) if (p.role, p.kernel, p.heads) == group]
        line = f"{group[0]}: {group[1]}, {group[2]} heads"
        cells = ""
        for key in ("seconds", "null_seconds"):
            errors = [100 * (1e6 * r[key] / p.microseconds - 1) for p, r in chosen]
            cells += f" {statistics.mean(map(abs, errors)):7.1f}% {statistics.mean(errors):+7.1f}%"
        print(f"{line:64} {len(chosen):5}{cells}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", required=True, help="hsa/gfx950 of a checkout of ROCm/aiter")
    parser.add_argument("--fmhac", required=True, help="the fmhac command")
    parser.add_argument("--role", help="only rows of this role")
    parser.add_argument("--problem", action="append", help="FAMILY,KERNEL,BATCH,HEADS,KV_HEADS,ROWS,KEYS[,AGAIN]")
    parser.add_argument("--predict", help="a table of bench/predictions")
    parser.add_argument("--revision", help="of the tree that the command was built from")
    parser.add_argument("--json", help="write rows and reports to this file")
    options = parser.parse_args()
    if options.predict:
        if not options.revision:
            parser.error("--predict needs --revision")
        predict(options)
        return
    if options.problem:
        keys = ("family", "kernel", *NUMBERS)
        problems = [Problem(dict(zip(keys, words.split(",")))) for words in options.problem]
    else:
        problems = [p for p in map(Problem, read_table(TABLE)) if options.role in (None, p.role)]
    reports = run(problems, options)
    print_rows(problems, reports)
    if not options.problem:
        print_summary(problems, reports)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([{**vars(p), **r} for p, r in zip(problems, reports)], file, indent=1)


if __name__ == "__main__":
    main()
