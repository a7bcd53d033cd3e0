# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cycle model against published throughput of public gfx950 kernels.

    calibrate.py --dir DIR --fmhac build/bin/fmhac [--objects DIR]
                 [--constants NAME=VALUE,...] [--sensitivity] [--fit NAME=START,...]

DIR of --dir is hsa/gfx950 of a checkout of ROCm/aiter, that of --objects has compiled code
objects of other kernels, a directory a family (launches.py); nothing of them is in this tree.
Rows: published.csv, published_gemm.csv. Constants may be fitted on the rows of role `fit` only;
`held-out` are other kernels; `other-source` is a kernel of the fit that others measured;
`anchor` sets one constant: the clock of 8-bit operands, atomics. The last two count nowhere.

Beside the model stand two nulls (nulls.py): one that knows only the FLOPs, one that knows
the critical unit of the loop or llvm-mca's cycles of it. The interval covers nine tenths of the
held-out kernels; beside it stands how well those of all others cover each kernel.
"""
import argparse
import csv
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import launches  # noqa: E402
import nulls  # noqa: E402

INTERVAL_COVERS = 0.9  # of the held-out kernels
POINTS_OF_CAUSAL = 5  # workgroups along the axis on which they differ

# Launches before the measured ones, and measured ones, one after the other, in the programs
# of the sources (published.csv). (g) changed its program between its revisions; (e) is Triton's
# do_bench, 25 and 100 ms. The others have been under load for long: HipKittens launches 500 times,
# then 100 times and waits for each; Gluon's tutorials launch 1000 times and take the last. Where
# nothing is known, the part is taken as under load, too.
RUNS = {"a": (10, 10), "b": (2, 101), "c": (2, 101), "d": (2, 101), "e": (7, 28)}
RUNS_OF_OPUS = {"gcn_c177c6d": (10, 50), "gcn_7191f76": (100, 50)}
# The clock of a part that was idle, after so many ms of load, over that under lasting load:
# fitted on the rows of role `fit` (a). It starts at START_RATE of clock_cool_ratio, drops, comes
# back within some ms, and falls when the part is warm.
START_RATE, SETTLING_FROM_MS, SETTLING, SETTLING_MS = 0.9, 0.8, 0.36, 4
COOL_MS, WARM_MS = 80, 280
POINTS_OF_RUN = 1000


# What the names of code objects say of sizes that are compiled in; the rest is the kernel.
SIZES_IN_NAME = {"flydsl": r"_h\d+", "gluon": r"_h\d+_s\d+", "hipkittens": r"_n\d+",
                 "hkgemm": r"_\d+$"}


class Problem:
    """Of a row of a table; role and TFLOPS are those of the rows with published ones."""
    def __init__(self, fields):
        self.family, self.object = fields["family"], fields["kernel"]
        self.kernel = re.sub(SIZES_IN_NAME.get(self.family, "$^"), "", self.object)
        self.source, self.role = fields.get("source", ""), fields.get("role")
        self.tflops = float(fields.get("tflops") or 0)

    @property
    def narrow(self):
        return self.family == "v4" or "fp8" in self.kernel or "bf8" in self.kernel

    @property
    def name(self):
        return self.kernel if self.family == "v3" else f"{self.family}/{self.kernel}"

    @property
    def seconds(self):
        return self.flops / self.tflops / 1e12


class Attention(Problem):
    def __init__(self, fields):
        super().__init__(fields)
        self.batch, self.heads, self.seqlen = (
            int(fields[key]) for key in ("batch", "heads", "seqlen"))
        self.kv_heads = int(fields.get("kv_heads") or self.heads)
        self.sizes = self.backward, self.seqlen, self.batch, self.heads, self.kv_heads

    @property
    def causal(self):
        return "causal" in self.kernel

    @property
    def dims(self):
        if "d192" in self.kernel:
            return 192, 128
        if "hd256" in self.kernel:
            return 256, 256
        return (64, 64) if "d64" in self.kernel else (128, 128)

    @property
    def backward(self):
        return self.family == "v3_bwd"

    @property
    def flops(self):
        dqk, dv = self.dims
        widths = 3 * dqk + 2 * dv if self.backward else dqk + dv  # of the matrix products
        return (2 * self.batch * self.heads * self.seqlen ** 2 * widths
                * (0.5 if self.causal else 1))

    def __str__(self):
        return f"{self.name} B{self.batch} {self.heads}/{self.kv_heads} S{self.seqlen}"


class Gemm(Problem):
    causal, dims = False, ()

    def __init__(self, fields):
        super().__init__(fields)
        self.sizes = self.m, self.n, self.k = tuple(int(fields[key]) for key in "mnk")

    @property
    def flops(self):
        return 2 * self.m * self.n * self.k

    def __str__(self):
        return f"{self.name} M{self.m} N{self.n} K{self.k}"


def problem_of(fields):
    return (Gemm if fields.get("m") else Attention)(fields)


def read_table(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def lattice(problem, grid):
    """Workgroups to time: those of a causal mask differ along the tiles of a sequence."""
    axis = launches.tile_axis(problem)
    points = min(POINTS_OF_CAUSAL if problem.causal else 1, grid[axis])
    places = sorted({round(i * (grid[axis] - 1) / max(points - 1, 1))
                     for i in range(points)})
    return [[place if d == axis else 0 for d in range(3)] for place in places]


def clock_rate(ms, k):
    """The clock after so much load of a part that was idle, over its clock under lasting load."""
    cool = k["clock_cool_ratio"]
    if ms < SETTLING_FROM_MS:
        return cool * START_RATE
    settling = SETTLING * math.exp(-ms / SETTLING_MS)
    warm = min(max((ms - COOL_MS) / (WARM_MS - COOL_MS), 0), 1)
    return (cool + (1 - cool) * warm) * (1 - settling)


def measured_seconds(problem, warm, cool, k):
    """What the program of the source measures of a launch that takes `warm` seconds under
    lasting load and `cool` at clock_cool_ratio."""
    if k["clock_cool_ratio"] == 1:
        return warm
    runs = RUNS.get(problem.source)
    if problem.source == "g":
        runs = RUNS_OF_OPUS[problem.kernel.removesuffix("_causal")]
    if not runs:
        return warm
    before, measured = runs
    points = [1e3 * warm * (before + measured * (i + 0.5) / POINTS_OF_RUN)
              for i in range(POINTS_OF_RUN)]
    slower = statistics.mean(1 / clock_rate(ms, k) for ms in points)
    return warm + (cool - warm) * (1 - slower) / (1 - 1 / k["clock_cool_ratio"])


def emulate(launch, folder, options, constants):
    """The report of `fmhac emu --timing` on a launch."""
    path = os.path.join(folder, "LAUNCH.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(launch, file)
    command = [options.fmhac, "emu", path, "--json", "--timing", "--check=none", "--threads=1"]
    if constants:
        command.append("--timing-constants=" + constants)
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode:
        raise SystemExit(f"{launch['code_object']}: {process.stderr.strip()}")
    return {**json.loads(process.stdout), "code_object": launch["code_object"],
            "waves": math.prod(launch["block"]) // 64,
            "dynamic_lds_bytes": launch.get("dynamic_lds", 0)}


def model(problem, options, constants):
    """The report on a sample of the problem's grid. If it is several launches, that of the
    longest, with the time of all; `others` are the reports on the others."""
    with tempfile.TemporaryDirectory() as folder:
        reports = []
        for launch in launches.FAMILIES[problem.family](
                problem, options.directories[problem.family], folder):
            launch["workgroups"] = lattice(problem, launch["grid"])
            reports.append(emulate(launch, folder, options, constants))
    report = max(reports, key=lambda r: r["timing"]["seconds"])
    others = [r for r in reports if r is not report]
    warm, cool = (sum(r["timing"][key] for r in reports) for key in ("seconds", "seconds_cool"))
    seconds = measured_seconds(problem, warm, cool, nulls.constants(options.fmhac, constants))
    return {**report, "timing": {**report["timing"], "seconds": seconds,
                                 "of_warm": seconds / warm}, "others": others}


def run(rows, options, constants):
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda row: model(row, options, constants), rows))


def error(row, seconds):
    """Of the throughput."""
    return row.seconds / seconds - 1


def mean_error(rows, seconds):
    errors = [abs(error(row, s)) for row, s in zip(rows, seconds)]
    return statistics.mean(errors) if errors else float("nan")


def bias(rows, seconds):
    return statistics.mean(error(row, s) for row, s in zip(rows, seconds))


def print_table(rows, reports, rivals):
    """Each row, and for the kernels of each role the mean absolute error and the bias."""
    print(f"{'kernel, problem':52} {'TFLOPS':>7} {'model':>7} {'error':>8}"
          + "".join(f"{rival.name:>9}" for rival in rivals)
          + f" {'cycles':>10} {'GHz':>5} {'busy':>6} {'loop':>7}")
    # (name, what a row takes in seconds, or None)
    columns = [("model", [r["timing"]["seconds"] for r in reports])]
    columns += [(rival.name, [rival.seconds(*pair) for pair in zip(rows, reports)])
                for rival in rivals]

    def percent(row, seconds):
        return "       -" if seconds is None else f"{100 * error(row, seconds):7.1f}%"

    for role in ("fit", "anchor", "other-source", "held-out"):
        for i, (row, report) in enumerate(zip(rows, reports)):
            if row.role != role:
                continue
            timing, loop = report["timing"], report["per_workgroup"][0].get("loop")
            print(f"{str(row):52} {row.tflops:7.1f} "
                  f"{row.flops / timing['seconds'] / 1e12:7.1f}"
                  + "".join(" " + percent(row, values[i]) for _, values in columns)
                  + f" {timing['cycles']:10.0f} "
                  f"{timing['clock_ghz']:5.2f} {100 * timing['mfma_busy']:5.1f}% "
                  f"{loop['cycles'] if loop else 0:7.0f}")
    print()
    print(f"{'mean absolute error, bias':46} {'rows':>5}"
          + "".join(f"{name:>18}{'':7}" for name, _ in columns).rstrip())
    counted = "fit", "other-source", "held-out"
    groups = [(role, kernel) for role in counted
              for kernel in dict.fromkeys((r.family, r.kernel) for r in rows if r.role == role)]
    for role, kernel in groups + [(role, None) for role in counted]:
        chosen = [i for i, row in enumerate(rows) if row.role == role
                  and kernel in (None, (row.family, row.kernel))]
        if not chosen:
            continue
        line = f"{role + ': ' + ('/'.join(kernel) if kernel else 'all'):46} {len(chosen):5}"
        for _, values in columns:
            there = [i for i in chosen if values[i] is not None]
            pair = [rows[i] for i in there], [values[i] for i in there]
            of = "" if len(there) == len(chosen) else f" of {len(there)}"
            line += (f"{100 * mean_error(*pair):8.1f}%{100 * bias(*pair):+8.1f}%{of:7}" if there
                     else f"{'-':>25}")
        print(line.rstrip())
    print()
    for name, values in columns:
        print_interval(name, rows, values)


def quantile_of_kernels(scores):
    """Of the errors of kernels, the least that INTERVAL_COVERS of their rows do not exceed. Each
    kernel has the same weight, however many rows it has."""
    weighted = sorted((score, 1 / len(rows)) for rows in scores for score in rows)
    wanted, sum_of_weights = INTERVAL_COVERS * len(scores), 0
    for score, weight in weighted:
        sum_of_weights += weight
        if sum_of_weights >= wanted - 1e-9:
            return score
    return weighted[-1][0]


def print_interval(name, rows, seconds):
    """An interval, time x (1 +- interval), from the errors of the held-out kernels; and how
    much of a kernel lies within that of all others."""
    scores = {}
    for row, found in zip(rows, seconds):
        if row.role == "held-out" and found is not None:
            scores.setdefault(f"{row.family}/{row.kernel}", []).append(abs(error(row, found)))
    if len(scores) < 2:
        return
    others = {kernel: quantile_of_kernels([rows for k, rows in scores.items() if k != kernel])
              for kernel in scores}
    covered = {kernel: statistics.mean(float(score <= others[kernel]) for score in own)
               for kernel, own in scores.items()}
    worst = min(covered, key=covered.get)
    print(f"interval of the time, {name}: {100 * quantile_of_kernels(scores.values()):.1f} % "
          f"covers {100 * INTERVAL_COVERS:.0f} % of {len(scores)} held-out kernels; with one left "
          f"out it is {100 * min(others.values()):.1f} to {100 * max(others.values()):.1f} % and "
          f"covers {100 * statistics.mean(covered.values()):.0f} % of that one, on average; least "
          f"of {worst}, {100 * covered[worst]:.0f} %")


def print_ranks(rows, reports):
    """Pairs of kernels whose order publication and model tell: what one source measured
    with one length, batch and heads, more than 3 % apart."""
    right, total = [0, 0], [0, 0]
    groups = {}
    for row, report in zip(rows, reports):
        groups.setdefault((row.source, row.sizes), []).append((row, row.flops / report["timing"]["seconds"]))
    for _, members in sorted(groups.items()):
        for i, (a, rate_a) in enumerate(members):
            for b, rate_b in members[i + 1:]:
                if abs(a.tflops / b.tflops - 1) < 0.03:
                    continue
                same = (a.causal, a.dims) == (b.causal, b.dims)
                total[same] += 1
                kept = (rate_a > rate_b) == (a.tflops > b.tflops)
                right[same] += kept
                if not kept:
                    print(f"order: {a} {a.tflops:g}, {b} {b.tflops:g}; the model has "
                          f"{rate_a / 1e12:.0f} and {rate_b / 1e12:.0f}")
    print(f"order of kernels kept: on one problem {right[1]} of {total[1]} pairs, of "
          f"different masks or head sizes {right[0]} of {total[0]}")


def print_loops(options):
    """Loops whose cycles were measured: no clock comes in. Outside: what a workgroup takes beyond
    its trips through the loop, to fill its pipeline and to drain it."""
    table = [fields for fields in read_table("published_loops.csv")
             if fields["family"] in options.directories]
    problems = [problem_of(fields) for fields in table]
    print(f"{'loop, cycles a trip':54} {'measured':>8} {'model':>8} {'error':>7} "
          f"{'outside':>8} {'model':>8}")
    errors = {}
    for problem, fields, report in zip(problems, table,
                                       run(problems, options, options.constants)):
        workgroup, cycles = report["per_workgroup"][0], float(fields["cycles"])
        loop = workgroup["loop"]
        trips = loop["iterations"] + nulls.TRIPS_NOT_COUNTED
        errors.setdefault(problem.role, []).append(loop["cycles"] / cycles - 1)
        print(f"{str(problem):54} {cycles:8.1f} {loop['cycles']:8.1f} "
              f"{100 * errors[problem.role][-1]:6.1f}% {fields['outside_cycles'] or '-':>8} "
              f"{workgroup['cycles'] - trips * loop['cycles']:8.0f}")
    for role, found in errors.items():
        print(f"{role}: {len(found)} loops, mean absolute error "
              f"{100 * statistics.mean(map(abs, found)):.1f} %, bias "
              f"{100 * statistics.mean(found):+.1f} %")
    print()


def print_predictions(rows, reports):
    """The predictions of bench/predictions, made before their rows were there."""
    folder = os.path.join(HERE, "predictions")
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".csv"):
            continue
        table = read_table(os.path.join(folder, name))
        if "seqlen" not in table[0] and "m" not in table[0]:
            continue  # a decode kernel's, which peers_decode.py sets beside its rows
        predicted = {str(problem_of(fields)): float(fields["seconds"]) for fields in table}
        found = [(row, predicted[str(row)], report["timing"]["seconds"])
                 for row, report in zip(rows, reports) if str(row) in predicted]
        if not found:
            continue
        chosen, seconds, present = zip(*found)
        moved = max(abs(new / old - 1) for old, new in zip(seconds, present))
        print(f"predicted in {name}: {len(chosen)} rows, mean absolute error "
              f"{100 * mean_error(chosen, seconds):.1f} %, bias {100 * bias(chosen, seconds):+.1f} "
              f"%; since then the model has moved a row by at most {100 * moved:.1f} %")


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
    listed = nulls.listed_constants(options.fmhac)
    print(f"{'constant':24} {'status':11} {'value':>9} {'none':>7} {'-20 %':>7} "
          f"{'+20 %':>7}  row that moves most")
    for constant in listed:
        if options.only and constant["name"] not in options.only.split(","):
            continue
        moves = []
        for factor in (0, 0.8, 1.2):
            changes = with_change(constants, constant["name"], constant["value"] * factor)
            if not factor and constant["unit"] not in ("cycles", "ns", "share"):
                moves.append((float("nan"), ""))  # there must be some
                continue
            try:
                changed = [r["timing"]["seconds"] for r in run(rows, options, changes)]
            except SystemExit:  # out of the constant's range
                moves.append((float("nan"), ""))
                continue
            moves.append(max(((new / old - 1, str(row)) for new, old, row
                              in zip(changed, base, rows)), key=lambda m: abs(m[0])))
        shown = " ".join(f"{100 * move:6.1f}%" for move, _ in moves)
        print(f"{constant['name']:24} {constant['status']:11} {constant['value']:9g} "
              f"{shown}  {moves[2][1]}", flush=True)


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
    parser.add_argument("--objects", help="compiled code objects, a directory a family")
    parser.add_argument("--fmhac", required=True, help="the fmhac command")
    parser.add_argument("--constants", default="", help="other constants for the model")
    parser.add_argument("--role", help="only rows of this role")
    parser.add_argument("--every", type=int, default=1, help="only every Nth row")
    parser.add_argument("--sensitivity", action="store_true")
    parser.add_argument("--only", help="of --sensitivity: these constants")
    parser.add_argument("--fit", help="NAME=START,...: fit these constants")
    parser.add_argument("--json", help="write rows and reports to this file")
    options = parser.parse_args()
    options.directories = launches.directories(options.dir, options.objects)
    rows = [problem_of(fields) for table in ("published.csv", "published_gemm.csv")
            for fields in read_table(table)]
    rate = nulls.Rate(rows)  # fitted on all rows, whichever are shown
    rows = [r for r in rows if r.family in options.directories
            and (not options.role or r.role == options.role)][::options.every]
    if options.fit:
        fit_constants(rows, options, options.constants, options.fit)
    elif options.sensitivity:
        print_sensitivity(rows, options, options.constants)
    else:
        print_loops(options)
        reports = run(rows, options, options.constants)
        rivals = [rate, nulls.Critical(options.fmhac, options.constants),
                  nulls.Mca(options.fmhac, options.constants)]
        print_table(rows, reports, rivals)
        print_ranks(rows, reports)
        print_predictions(rows, reports)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump([{"row": str(row), "role": row.role, "tflops": row.tflops,
                            "null_seconds": {rival.name: rival.seconds(row, report)
                                             for rival in rivals}, "report": report}
                           for row, report in zip(rows, reports)], file, indent=1)


if __name__ == "__main__":
    main()
