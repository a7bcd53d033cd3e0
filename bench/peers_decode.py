# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Public decode kernels in the cycle model: beside published times, or at problems of any size.

    peers_decode.py --dir DIR --fmhac build/bin/fmhac [--role ROLE] [--json FILE]
    peers_decode.py --dir DIR --fmhac build/bin/fmhac --problem FAMILY,KERNEL,BATCH,HEADS,KV_HEADS,ROWS,KEYS[,AGAIN] [--ours FLAGS]
    peers_decode.py --dir DIR --fmhac build/bin/fmhac --predict FILE --revision HASH

DIR is hsa/gfx950 of a checkout of ROCm/aiter; nothing of it is in this tree. Rows: published_decode.csv. All launches of a
call count. `again`: the publication launches on the same buffers again and again, so that MALL has what fits; else it goes
through copies of them, and MALL has nothing.

What adds up the parts of sequences (mla_reduce_v1) is no code object of the publication. It counts as a launch that takes the longer of two
times: its bytes from HBM; and, a workgroup going through the parts of a row with two loads on their way, three loads that wait for each other and half as many latencies of
MALL as there are parts. The null is the bytes of a call over the bandwidth of HBM (of MALL, if they fit and it is launched again) and its launches.
Errors are those of the throughput, as of the other tables: + is a model that is too fast.

--ours sets `fmhac bench` beside each problem: with the same sizes, types and pages, in order, of a table (of a list where pages are of
one key), with `--work list --split-kv auto` and, where the kernel masks several rows, `--mask causal`; FLAGS are added, and take the place of any of
these ("--schedule decode"). All launches of a plan count. Ratio: their time over ours.
--predict fills a table of bench/predictions, as predict.py does.
"""
import argparse
import csv
import datetime
import difflib
import io
import json
import os
import statistics
import subprocess
import sys
import struct
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

sys.path.insert(0, os.path.join(HERE, "..", "test", "e2e"))

import launches_decode  # noqa: E402
import nulls  # noqa: E402
from axis_files import write_npy  # noqa: E402
from predict import constants_digest, digest  # noqa: E402

TABLE = os.path.join(HERE, "published_decode.csv")
NUMBERS = "batch", "heads", "kv_heads", "rows", "keys", "again"
WIDTHS = {"pa": (128, 128), "pa_ps": (128, 128), "mla": (576, 512), "mla_ps": (576, 512)}  # of Q K^T and of P V
LOADS_BEFORE_PARTS, LOADS_AT_A_TIME = 3, 2  # of mla_reduce_v1
MOST_PARTS = 32
MOST_BYTES_OF_PAGES = 1 << 32


class Problem:
    def __init__(self, fields):
        self.family, self.kernel = fields["family"], fields["kernel"]
        for name in NUMBERS:
            setattr(self, name, int(fields.get(name) or 0))
        # As op_tests/test_mla_persistent.py asks for: parts of a sequence, with many heads fewer.
        self.most_splits = MOST_PARTS
        if self.heads >= 128:
            self.most_splits = min(MOST_PARTS, -(-launches_decode.UNITS // self.batch))
        self.role = fields.get("role")
        self.microseconds = float(fields.get("microseconds") or 0)

    @property
    def flops(self):
        return 2 * sum(WIDTHS[self.family]) * self.batch * self.heads * self.rows * self.keys

    @property
    def object(self):
        return launches_decode.kernel_of(self)

    @property
    def types(self):
        """Of Q, and of K and V, as `fmhac --dtype` says them."""
        own = self.object
        if self.family == "pa_ps":
            return "bf16", "fp8"
        return own.q_format.name, own.kv_format.name

    @property
    def page(self):
        return self.object.page if self.family.startswith("pa") else 1

    @property
    def cache_bytes(self):
        """Of a key: elements, and the factor of each row of K and V."""
        of_8_bits = self.types[1] in ("fp8", "int8")
        if self.family.startswith("mla"):
            return self.batch * self.keys * 576 * (1 if of_8_bits else 2)
        factors = 4 if "pertoken" in self.kernel else 0
        return self.batch * self.keys * 2 * self.kv_heads * (128 * (1 if of_8_bits else 2) + factors)

    def __str__(self):
        return (f"{self.kernel} B{self.batch} {self.heads}/{self.kv_heads} q{self.rows} "
                f"keys {self.keys}{' again' if self.again else ''}")


def check(problem):
    """What is wrong with it, or None."""
    kernels = launches_decode.KERNELS.get(problem.family)
    if not kernels:
        return f"expected a family of {', '.join(launches_decode.KERNELS)}, found '{problem.family}'"
    names = [kernel.name for kernel in kernels]
    if problem.kernel not in names:
        near = difflib.get_close_matches(problem.kernel, names, 1, 0)[0]
        others = [f for f, all_of in launches_decode.KERNELS.items() if problem.kernel in (k.name for k in all_of)]
        hint = f"did you mean the family {others[0]}" if others else f"did you mean {near}"
        return (f"no kernel '{problem.kernel}' of the family {problem.family}; {hint}? There are "
                f"{', '.join(names)}")
    for name in NUMBERS[:-1]:
        if getattr(problem, name) < 1:
            return f"{name}: expected at least 1, found {getattr(problem, name)}"
    if problem.heads % problem.kv_heads:
        return f"expected heads in multiples of kv_heads, {problem.kv_heads}, found {problem.heads}"
    own, group = problem.object, problem.heads // problem.kv_heads
    if problem.family == "pa_ps":
        k_bytes = problem.batch * -(-problem.keys // own.page) * own.page * problem.kv_heads * 128
        if k_bytes > MOST_BYTES_OF_PAGES:
            return (f"the kernel has offsets of 32 bits of pages: expected at most {MOST_BYTES_OF_PAGES} bytes of K, found "
                    f"{k_bytes}")
        if launches_decode.UNITS % problem.kv_heads:
            return f"expected kv_heads that divide {launches_decode.UNITS} compute units, found {problem.kv_heads}"
        return (f"the kernel takes at most {own.rows} rows of all heads of a group, found {group * problem.rows}"
                if group * problem.rows > own.rows else None)
    if problem.family == "pa":
        most = 16 // group if own.mtp else 1
        return (f"the kernel takes groups of at most {own.gqa} heads, and {max(1, most)} rows of such, found {group} and "
                f"{problem.rows}" if group > own.gqa or problem.rows > max(1, most) else None)
    if problem.kv_heads != 1:
        return f"expected 1 latent head (KV_HEADS), found {problem.kv_heads}"
    if problem.family == "mla" and problem.heads != own.heads:
        return f"the kernel is of {own.heads} heads, found {problem.heads}"
    return None


def parts_of(problem):
    """Rows of the partial results, and the most parts of a sequence."""
    made = launches_decode.lists_of(problem)
    if made:
        lists, rows = made
        parts = [(item.sequence, item.row, item.head) for own in lists for item in own if item.partial >= 0]
        return rows, max((parts.count(s) for s in set(parts)), default=0)
    if problem.family == "mla":
        splits = launches_decode.split_count(problem)
        return problem.batch * problem.rows * splits, splits
    return 0, 0


def reduce_seconds(problem, k):
    rows, parts = parts_of(problem)
    if not rows:
        return 0.0
    bytes_of_all = rows * problem.heads * (WIDTHS[problem.family][1] + 1) * 4
    chain = (LOADS_BEFORE_PARTS + parts / LOADS_AT_A_TIME) * k["mall_latency_ns"]
    return 1e-9 * (k["launch_overhead_ns"] + max(bytes_of_all / k["hbm_bytes_per_ns"], chain))


def null_seconds(problem, k):
    rows, _ = parts_of(problem)
    fits = problem.again and problem.cache_bytes <= 1024 * k["mall_cache_kib"]
    rate = k["mall_bytes_per_ns" if fits else "hbm_bytes_per_ns"]
    parts = 2 * rows * problem.heads * WIDTHS[problem.family][1] * 4  # written, and read again
    launch = k["launch_overhead_ns"] * (2 if rows else 1)
    return 1e-9 * ((problem.cache_bytes + parts) / rate + launch)


def places(problem, launch):
    """Workgroups that are timed: lists are of one length, but for the last one and for empty ones, and of pages for one
    page more or less."""
    made = launches_decode.lists_of(problem)
    if not made:
        return [[0, 0, 0]]
    last = launch["grid"][0] - 1
    if problem.family == "pa_ps":
        sizes = [[item.last - item.first for item in own] for own in made[0]]
        edges = {x for x in range(1, last + 1) if sizes[x] != sizes[x - 1]}
        return [[x, 0, 0] for x in sorted({0, last, *edges, *(x - 1 for x in edges)})]
    used = sum(bool(own) for own in made[0])
    return [[x, 0, 0] for x in sorted({0, used - 1, min(used, last), last})]


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


def flags_of(problem, folder):
    """Of `fmhac bench`, of the same problem, by their names."""
    q, kv = problem.types
    latent = problem.family.startswith("mla")
    flags = {"batch": problem.batch, "heads": problem.heads, "kv-heads": problem.kv_heads, "seqlen-q": problem.rows,
             "seqlen-kv": problem.keys, "dtype": q, "work": "list", "split-kv": "auto", "page-size": problem.page}
    if kv != q:
        flags["k-dtype"] = kv
        if not latent:
            flags["v-dtype"] = kv
    if latent:
        flags |= {"head-dim-qk": 576, "head-dim-v": 512, "v-in-k": None}
    else:
        flags["head-dim"] = 128
    if problem.rows > 1 and getattr(problem.object, "causal", True):
        flags["mask"] = "causal"
    count = -(-problem.keys // problem.page)
    total = problem.batch * count
    files = ({"kv-indptr": ((problem.batch + 1,), range(0, total + 1, count)), "kv-indices": ((total,), range(total)),
              "kv-last-page-len": ((problem.batch,), [1] * problem.batch)} if problem.page == 1 else
             {"page-table": ((problem.batch, count), range(total)),
              "seqlens-kv": ((problem.batch,), [problem.keys] * problem.batch)})
    for name, (shape, values) in files.items():
        flags[name] = os.path.join(folder, name + ".npy")
        write_npy(flags[name], "<i4", shape, struct.pack(f"<{len(values)}i", *values))
    return flags


def bench(problem, text, options):
    """The report of `fmhac bench` with these flags added."""
    words = text.split()
    given = {word.split("=")[0][2:] for word in words if word.startswith("--")}
    with tempfile.TemporaryDirectory() as folder:
        flags = [f"--{name}" if value is None else f"--{name}={value}"
                 for name, value in flags_of(problem, folder).items() if name not in given]
        command = [options.fmhac, "bench", "--json", *flags, *words]
        process = subprocess.run(command, capture_output=True, text=True)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)}: {process.stderr.strip()}")
        return json.loads(process.stdout)


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
        errors = (f"{100 * (published / us - 1):+6.1f}% {100 * (published / report['null_seconds'] / 1e6 - 1):+6.0f}%"
                  if published else f"{'':7} {1e6 * report['null_seconds']:6.1f}u")
        print(f"{str(problem):74} {published:8.1f} {us:8.1f} {errors} {1e6 * report['reduce_seconds']:7.1f} "
              f"{problem.cache_bytes / report['seconds'] / 1e9:6.0f} {memory['level']:>5} {100 * memory['share']:5.1f}%")


def print_summary(problems, reports):
    groups = dict.fromkeys((p.role, p.kernel, p.heads) for p in problems)
    print(f"\n{'error of the throughput: mean absolute, bias':64} {'rows':>5} {'model':>17} {'null':>17}")
    for group in groups:
        chosen = [(p, r) for p, r in zip(problems, reports) if (p.role, p.kernel, p.heads) == group]
        line = f"{group[0]}: {group[1]}, {group[2]} heads"
        cells = ""
        for key in ("seconds", "null_seconds"):
            errors = [100 * (p.microseconds / r[key] / 1e6 - 1) for p, r in chosen]
            cells += f" {statistics.mean(map(abs, errors)):7.1f}% {statistics.mean(errors):+7.1f}%"
        print(f"{line:64} {len(chosen):5}{cells}")


def print_beside(problems, reports, options):
    """Ours, all launches of a plan, beside theirs."""
    print(f"\n{'ours':74} {'us':>8} {'ratio':>6}  launches, us")
    for problem, report in zip(problems, reports):
        report["ours"] = []
        for text in options.ours:
            own = bench(problem, text, options)
            report["ours"].append({"flags": text, **own})
            ratio = report["seconds"] / own["seconds"]
            parts = ", ".join(f"{1e6 * each['seconds']:.1f}" for each in own.get("launches", []))
            print(f"{f'{problem}: {text}':74} {1e6 * own['seconds']:8.1f} {ratio:6.2f}  {parts}", flush=True)


def parse_problem(text, parser):
    words = text.split(",")
    keys = ("family", "kernel", *NUMBERS)
    if not len(keys) - 1 <= len(words) <= len(keys) or not all(word.isdigit() for word in words[2:]):
        parser.error(f"--problem: expected FAMILY,KERNEL,BATCH,HEADS,KV_HEADS,ROWS,KEYS[,AGAIN] with numbers from BATCH on, "
                     f"found '{text}'")
    problem = Problem(dict(zip(keys, words)))
    wrong = check(problem)
    if wrong:
        parser.error(f"--problem {text}: {wrong}")
    return problem


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dir", required=True, help="hsa/gfx950 of a checkout of ROCm/aiter")
    parser.add_argument("--fmhac", required=True, help="the fmhac command")
    parser.add_argument("--role", help="only rows of this role")
    parser.add_argument("--problem", action="append", help="FAMILY,KERNEL,BATCH,HEADS,KV_HEADS,ROWS,KEYS[,AGAIN]")
    parser.add_argument("--ours", action="append", default=[], metavar="FLAGS",
                        help="of `fmhac bench`, which is timed beside each problem; several times: side by side")
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
        problems = [parse_problem(text, parser) for text in options.problem]
    else:
        problems = [p for p in map(Problem, read_table(TABLE)) if options.role in (None, p.role)]
    strange = [p.kernel for p in problems if "int8" in p.types]
    if options.ours and strange:
        parser.error(f"--ours: expected kernels of bf16 and fp8, found {strange[0]}, whose K and V fmhac has not")
    reports = run(problems, options)
    print_rows(problems, reports)
    if options.ours:
        print_beside(problems, reports, options)
    if not options.problem:
        print_summary(problems, reports)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump([{**vars(p), **r} for p, r in zip(problems, reports)], file, indent=1)


if __name__ == "__main__":
    main()
