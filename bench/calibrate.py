# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cycle model against published throughput of public gfx950 kernels.

    calibrate.py --dir DIR --fmhac build/bin/fmhac [--constants NAME=VALUE,...]
                 [--sensitivity] [--fit NAME,...] [--role ROLE] [--json FILE]

DIR is hsa/gfx950 of a checkout of ROCm/aiter; nothing of it is in this tree. Rows:
published.csv. Constants may be fitted on the rows of role `fit` only; `held-out` are other
kernels; `anchor` sets the clock of 8-bit operands and counts nowhere.

Beside the model stands the null model: a constant rate and an overhead a launch, both
fitted on the `fit` rows; the rate of 8-bit operands is set by the anchor, as the model's
clock is.
"""
import argparse
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "test", "public"))

import numpy as np  # noqa: E402

import fmha_v3_fwd  # noqa: E402

POINTS_OF_CAUSAL = 5  # workgroups along the axis on which they differ


class Row:
    def __init__(self, fields):
        self.role, self.kernel, self.source = (
            fields["role"], fields["kernel"], fields["source"])
        self.batch, self.heads, self.kv_heads, self.seqlen = (
            int(fields[key]) for key in ("batch", "heads", "kv_heads", "seqlen"))
        self.tflops = float(fields["tflops"])

    @property
    def causal(self):
        return "causal" in self.kernel

    @property
    def narrow(self):
        return "fp8" in self.kernel or self.kernel.startswith("v4/")

    @property
    def flops(self):
        dims = 192 + 128 if "hd192" in self.kernel else 2 * 128
        return (2 * self.batch * self.heads * self.seqlen ** 2 * dims
                * (0.5 if self.causal else 1))

    @property
    def seconds(self):
        return self.flops / self.tflops / 1e12

    def __str__(self):
        return (f"{self.kernel} B{self.batch} {self.heads}/{self.kv_heads} "
                f"S{self.seqlen}")


def read_rows(path):
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    return [Row(fields) for fields in csv.DictReader(lines)]


def launch_v3(row, directory, folder):
    kernel = next(k for k in fmha_v3_fwd.KERNELS if k.name == row.kernel)
    shape = fmha_v3_fwd.Shape(row.heads, row.kv_heads,
                              [(row.seqlen, row.seqlen)] * row.batch)
    launch = fmha_v3_fwd.launch_of(kernel, shape, {}, directory)
    tokens, item = row.batch * row.seqlen, kernel.format.dtype.itemsize
    sizes = {"q": tokens * row.heads * kernel.dqk * item,
             "k": tokens * row.kv_heads * kernel.dqk * item,
             "v": tokens * row.kv_heads * kernel.dv * item,
             "o": tokens * row.heads * kernel.dv * 2,
             "lse": tokens * row.heads * 4}
    if item == 1:
        np.float32([1]).tofile(os.path.join(folder, "one.bin"))
        sizes.update(q_descale="one.bin", k_descale="one.bin", v_descale="one.bin")
    return launch, sizes


def lattice(row, grid):
    """Workgroups to time: those of a causal mask differ along x, tiles of queries."""
    points = min(POINTS_OF_CAUSAL if row.causal else 1, grid[0])
    xs = sorted({round(i * (grid[0] - 1) / max(points - 1, 1)) for i in range(points)})
    return [[x, 0, 0] for x in xs]


def model(row, options, constants):
    """The report of `fmhac emu --timing` on a sample of the row's grid. Inputs are zeros:
    these kernels take the same time whatever they hold."""
    with tempfile.TemporaryDirectory() as folder:
        launch, sizes = launch_v3(row, options.dir, folder)
        buffers = {name: {"file": size} if isinstance(size, str)
                   else {"bytes": size, "fill": 0} for name, size in sizes.items()}
        path = os.path.join(folder, "LAUNCH.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"code_object": os.path.abspath(launch.code_object),
                       "grid": launch.grid, "block": launch.block, "buffers": buffers,
                       "kernarg": launch.kernarg, "kernarg_bytes": launch.kernarg_bytes,
                       "workgroups": lattice(row, launch.grid)}, file)
        command = [options.fmhac, "emu", path, "--json", "--timing", "--check=none",
                   "--threads=1"]
        if constants:
            command.append("--timing-constants=" + constants)
        process = subprocess.run(command, capture_output=True, text=True)
        if process.returncode:
            raise SystemExit(f"{row}: {process.stderr.strip()}")
        return json.loads(process.stdout)


def run(rows, options, constants):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda row: model(row, options, constants), rows))


class Null:
    """Seconds = FLOPs / rate + overhead."""

    def __init__(self, rows):
        fit = [row for row in rows if row.role == "fit"]
        # Least squares of relative errors: 1 = a flops / seconds + b / seconds.
        terms = np.array([[row.flops / row.seconds, 1 / row.seconds] for row in fit])
        (per_flop, self.overhead), *_ = np.linalg.lstsq(terms, np.ones(len(fit)), rcond=None)
        self.rate, self.narrow_rate = 1 / per_flop, 1 / per_flop
        for row in rows:
            if row.role == "anchor":
                self.narrow_rate = row.flops / (row.seconds - self.overhead)

    def seconds(self, row):
        return row.flops / (self.narrow_rate if row.narrow else self.rate) + self.overhead


def error(row, seconds):
    """Of the throughput."""
    return row.seconds / seconds - 1


def mean_error(rows, seconds):
    errors = [abs(error(row, s)) for row, s in zip(rows, seconds)]
    return statistics.mean(errors) if errors else float("nan")


def part(rows, values, wanted):
    chosen = [(r, v) for r, v in zip(rows, values) if wanted(r)]
    return [r for r, _ in chosen], [v for _, v in chosen]


def print_table(rows, reports, null):
    print(f"{'kernel, problem':52} {'TFLOPS':>7} {'model':>7} {'error':>7} {'null':>7} "
          f"{'cycles':>10} {'GHz':>5} {'busy':>6} {'loop':>7}")
    seconds = [r["timing"]["seconds"] for r in reports]
    for role in ("fit", "anchor", "held-out"):
        for row, report in zip(rows, reports):
            if row.role != role:
                continue
            timing, loop = report["timing"], report["per_workgroup"][0].get("loop")
            print(f"{str(row):52} {row.tflops:7.1f} "
                  f"{row.flops / timing['seconds'] / 1e12:7.1f} "
                  f"{100 * error(row, timing['seconds']):6.1f}% "
                  f"{100 * error(row, null.seconds(row)):6.1f}% {timing['cycles']:10.0f} "
                  f"{timing['clock_ghz']:5.2f} {100 * timing['mfma_busy']:5.1f}% "
                  f"{loop['cycles'] if loop else 0:7.0f}")
    print()
    print(f"{'mean absolute error':40} {'rows':>5} {'model':>7} {'null':>7}")
    kinds = [("fit: " + k, lambda r, k=k: r.role == "fit" and r.kernel == k)
             for k in dict.fromkeys(r.kernel for r in rows if r.role == "fit")]
    kinds += [("held out: " + k, lambda r, k=k: r.role == "held-out" and r.kernel == k)
              for k in dict.fromkeys(r.kernel for r in rows if r.role == "held-out")]
    kinds += [("fit, all", lambda r: r.role == "fit"),
              ("held out, all", lambda r: r.role == "held-out")]
    for name, wanted in kinds:
        some, theirs = part(rows, seconds, wanted)
        if some:
            print(f"{name:40} {len(some):5} {100 * mean_error(some, theirs):6.1f}% "
                  f"{100 * mean_error(some, [null.seconds(r) for r in some]):6.1f}%")


def objective(rows, options, constants):
    fit = [row for row in rows if row.role == "fit"]
    reports = run(fit, options, constants)
    return mean_error(fit, [r["timing"]["seconds"] for r in reports])


def with_change(constants, name, value):
    kept = [c for c in constants.split(",") if c and not c.startswith(name + "=")]
    return ",".join(kept + [f"{name}={value:g}"])


def print_sensitivity(rows, options, constants):
    """How far each constant moves a row."""
    base = [r["timing"]["seconds"] for r in run(rows, options, constants)]
    listed = json.loads(subprocess.run(
        [options.fmhac, "bench", "--constants", "--json"],
        capture_output=True, text=True, check=True).stdout)["constants"]
    print(f"{'constant':24} {'status':11} {'value':>9} {'-20 %: row that moves most':>34} "
          f"{'+20 %':>8}")
    for constant in listed:
        if options.only and constant["name"] not in options.only.split(","):
            continue
        moves = []
        for factor in (0.8, 1.2):
            value = constant["value"] * factor
            changed = [r["timing"]["seconds"] for r in run(
                rows, options, with_change(constants, constant["name"], value))]
            moves.append(max(((new / old - 1, str(row)) for new, old, row
                              in zip(changed, base, rows)), key=lambda m: abs(m[0])))
        print(f"{constant['name']:24} {constant['status']:11} {constant['value']:9g} "
              f"{100 * moves[0][0]:6.1f}% {moves[0][1]:40} {100 * moves[1][0]:6.1f}%",
              flush=True)


def fit_constants(rows, options, constants, names):
    """Coordinate descent on the mean absolute error of the `fit` rows."""
    best = objective(rows, options, constants)
    print(f"{100 * best:.2f}%", constants or "(defaults)", flush=True)
    values = dict(item.split("=") for item in names.split(","))
    step = 0.4
    while step > 0.04:
        improved = False
        for name in values:
            for factor in (1 - step, 1 + step):
                value = float(values[name]) * factor
                trial = with_change(constants, name, value)
                result = objective(rows, options, trial)
                if result < best - 1e-4:
                    best, constants, improved = result, trial, True
                    values[name] = value
                    print(f"{100 * best:.2f}%", constants, flush=True)
        if not improved:
            step /= 2


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", required=True, help="hsa/gfx950 of a checkout of ROCm/aiter")
    parser.add_argument("--fmhac", required=True, help="the fmhac command")
    parser.add_argument("--constants", default="", help="other constants for the model")
    parser.add_argument("--role", help="only rows of this role")
    parser.add_argument("--every", type=int, default=1, help="only every Nth row")
    parser.add_argument("--sensitivity", action="store_true")
    parser.add_argument("--only", help="of --sensitivity: these constants")
    parser.add_argument("--fit", help="NAME=START,...: fit these constants")
    parser.add_argument("--json", help="write rows and reports to this file")
    options = parser.parse_args()
    rows = read_rows(os.path.join(HERE, "published.csv"))
    null = Null(rows)
    rows = [r for r in rows if not options.role or r.role == options.role][::options.every]
    if options.fit:
        fit_constants(rows, options, options.constants, options.fit)
    elif options.sensitivity:
        print_sensitivity(rows, options, options.constants)
    else:
        reports = run(rows, options, options.constants)
        print_table(rows, reports, null)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump([{"row": str(row), "role": row.role, "tflops": row.tflops,
                            "null_seconds": null.seconds(row), "report": report}
                           for row, report in zip(rows, reports)], file, indent=1)


if __name__ == "__main__":
    main()
