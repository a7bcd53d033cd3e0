#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must hold between the numbers of `fmhac bench --json`: arithmetic, no times.

    bench_check.py point FILE | sample ALL SOME | emu BENCH EMU | clock FULL SLOW |
        sweep JSON CSV | layers GAP ONE MANY CONSTANTS | hip-layers N FILE
"""
import csv
import json
import math
import sys

MATRIX_CYCLES = 32  # of the longest matrix instruction of the kernels here
CAUSES = ["mfma", "valu", "trans", "issue", "result", "lds_wait", "lds_full", "vmem_wait",
          "vmem_full", "barrier", "branch", "launch", "idle"]
GROUPS = {"mfma": ["mfma", "result"], "valu": ["valu", "trans"], "lds": ["lds_wait", "lds_full"],
          "vmem": ["vmem_wait", "vmem_full"], "barrier": ["barrier"],
          "issue": ["issue", "branch"]}


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def near(a, b, share=1e-9):
    return math.isclose(a, b, rel_tol=share)


def seen(mask, row, rows, keys):
    """Keys [first, end) of a row, by the words of the guide."""
    d = row + keys - rows
    kind, _, numbers = mask.partition(":")
    first, end = 0, keys
    if kind == "causal":
        end = d + 1
    elif kind == "window":
        left, right = map(int, numbers.split(","))
        first = d - left if left >= 0 else 0
        end = d + right + 1 if right >= 0 else keys
    elif kind == "chunked":
        first, end = d // int(numbers) * int(numbers), d + 1
    else:
        assert kind == "none", mask
    first, end = max(first, 0), min(end, keys)
    return first, max(first, end)


def work(p):
    """FLOP and KV tiles of a point, row by row."""
    problem, config, (m, n) = p["problem"], p["config"], p["tile"]
    batch = problem["batch"]
    lengths = [(problem["seqlen_q"], problem["seqlen_kv"])] * batch
    if "cu_seqlens_q" in problem:
        q, kv = problem["cu_seqlens_q"], problem["cu_seqlens_kv"]
        lengths = [(q[i + 1] - q[i], kv[i + 1] - kv[i]) for i in range(batch)]
    scores = tiles = 0
    for rows, keys in lengths:
        ranges = [seen(config["mask"], row, rows, keys) for row in range(rows)]
        shown = sum(end - first for first, end in ranges)
        halved = config["mask"] == "causal" and rows == keys
        scores += rows * keys / 2 if halved else shown
        for block in range(0, rows, m):
            tiles += len({key // n for first, end in ranges[block:block + m]
                          for key in range(first, end)})
    score = 2 * (config["head_dim_qk"] + config["head_dim_v"]) * problem["heads"]
    return score * scores, problem["heads"] * tiles, score * tiles * m * n


def check_cycles(p):
    total = p["cycles_per_kv_tile"]
    causes = p["causes_per_kv_tile"]
    assert list(causes) == CAUSES, causes
    assert near(sum(causes.values()), total, 1e-6), (causes, total)
    sums = {name: sum(causes[c] for c in group) for name, group in GROUPS.items()}
    assert sums[p["bound"]] == max(sums.values()), (p["bound"], sums)
    assert 0 <= p["mfma_busy"] <= 1 and 0 <= p["tail"] <= 1
    assert 1 <= p["sampled"] <= p["timed"] <= p["workgroups"]
    # Cycles at the clock, and the launch, which no workgroup has a part in.
    assert p["seconds"] >= p["cycles"] / p["clock_ghz"] * 1e-9
    assert (p["mfma_busy_loop"] is None) == (p["loop"] is None)
    if p["loop"]:
        loop = p["loop"]
        # As published figures are: of the loop, without what is round it.
        assert near(p["mfma_busy_loop"], causes["mfma"] / total, 1e-6), p
        assert p["mfma_busy"] <= p["mfma_busy_loop"] * 1.001, p
        assert loop["iterations"] > 0
        assert near(loop["cycles"], total * loop["kv_tiles"] * p["resident"]), loop
        budget = loop["budget"]
        # The matrix unit works no less than its instructions take.
        mfma = budget["always"]["wave_cycles"]["mfma"]
        assert causes["mfma"] <= mfma / loop["kv_tiles"] * 1.1, (causes, mfma)
        # Nor is any time below what a way through the loop has at least; but time is counted to
        # the end of what the matrix unit has taken, up to two instructions more or less.
        slack = 2 * MATRIX_CYCLES / (loop["iterations"] * loop["kv_tiles"])
        assert total + slack >= mfma / loop["kv_tiles"], (total, mfma)
        assert total + slack >= budget["always"]["cycles_per_kv_tile"], (total, budget)


def check_use(p):
    """Rows of tiles, and bytes: of sequences of one length, by hand."""
    problem, config, (m, _) = p["problem"], p["config"], p["tile"]
    assert near(p["tile_rows_share"] * m, p["tile_rows_used"])
    assert near(p["bytes_per_second"] * p["seconds"], p["bytes"])
    # MI355X: 8 TB/s (AMD's data sheet).
    assert near(p["peak_bytes_share"] * 8e12, p["bytes_per_second"])
    if "cu_seqlens_q" in problem:
        return
    rows, keys = problem["seqlen_q"], problem["seqlen_kv"]
    assert near(p["tile_rows_used"], rows / math.ceil(rows / m)), p
    qk, v = config["head_dim_qk"], config["head_dim_v"]
    row = problem["heads"] * rows + problem["kv_heads"] * keys
    assert p["bytes"] == problem["batch"] * row * (qk + v) * 2, p["bytes"]


def check_caches(p):
    """Each XCD asks for a line at least once, and HBM has each at least once; without a mask and
    with K and V that fit into MALL, no more often."""
    assert 0 < p["hbm_bytes"] <= p["far_bytes"] * 1.001, p
    problem, config = p["problem"], p["config"]
    if config["mask"] == "none" and "cu_seqlens_q" not in problem:
        assert 0.9 < p["hbm_bytes"] / p["bytes"] < 1.3, (p["hbm_bytes"], p["bytes"])


def check_point(p):
    flops, tiles, visited = work(p)
    low, high = p["seconds_interval"]
    assert 0 < low <= p["seconds"] <= high, p["seconds_interval"]
    assert near(p["flops"], flops), (p["flops"], flops)
    assert near(p["kv_tiles_visited"], tiles), (p["kv_tiles_visited"], tiles)
    assert near(p["flops_visited"], visited), (p["flops_visited"], visited)
    assert near(p["tflops"] * p["seconds"] * 1e12, p["flops"])
    if p["device"].endswith("modelled"):
        assert near(p["tflops_cool"] * p["seconds_cool"] * 1e12, p["flops"])
        assert p["seconds_cool"] <= p["seconds"]
        assert 0 < p["valu_busy"] < 1
        check_caches(p)
    assert near(p["tflops_visited"] * p["seconds"] * 1e12, p["flops_visited"])
    assert near(p["peak_share"] * p["peak_tflops"], p["tflops"])
    for key in ("schedule", "kernel", "occupancy"):
        assert p[key], key
    check_use(p)
    noted = p["config"]["dtype"] == "f16" and p["device"].endswith("modelled")
    assert [n.split()[0] for n in p["notes"]] == ["f16"] * noted, p["notes"]
    if p["device"].endswith("measured"):
        assert p["samples"] >= 1 and p["launches_per_sample"] >= 1
        return
    check_cycles(p)


def check_sample(everything, some):
    assert everything["timed"] == everything["sampled"] == everything["workgroups"], everything
    assert some["timed"] < some["workgroups"], some
    for key in ("cycles", "mfma_busy", "cycles_per_kv_tile"):
        assert near(some[key], everything[key], 0.02), (key, some[key], everything[key])
    assert abs(some["tail"] - everything["tail"]) < 0.02


def check_emu(bench, emu):
    for key in ("cycles", "seconds", "mfma_busy", "tail", "workgroups", "sampled"):
        assert bench[key] == emu["timing"][key], (key, bench[key], emu["timing"])


def check_memory(point, constants):
    """The level of memory that needs most of the time, from its bytes and its bandwidth."""
    levels = {"l2": "l2_bytes", "mall": "far_bytes", "hbm": "hbm_bytes"}
    seconds = point["seconds"]
    shares = {level: point[key] / seconds / (1e9 * constants[f"{level}_bytes_per_ns"])
              for level, key in levels.items()}
    memory = point["memory"]
    assert near(memory["share"], max(shares.values())), (memory, shares)
    assert near(memory["share"], shares[memory["level"]]), (memory, shares)
    assert near(memory["bytes_per_second"], point[levels[memory["level"]]] / seconds), memory
    assert (point["bound"] == memory["level"]) == (memory["share"] >= 0.9), point["bound"]


def check_clock(full, slow):
    assert slow["clock_ghz"] == 1 < full["clock_ghz"] and slow["seconds"] > full["seconds"]
    # What the units do has the same cycles. Memory has the same ns, and so fewer of longer cycles,
    # by which the loop is shorter.
    cycles, longer = full["causes_per_kv_tile"], slow["causes_per_kv_tile"]
    for cause in ("mfma", "valu", "trans"):
        assert cycles[cause] == longer[cause] > 0, (cause, cycles, longer)
    assert near(full["mfma_busy"] * full["cycles"], slow["mfma_busy"] * slow["cycles"])
    waits = cycles["vmem_wait"] - longer["vmem_wait"]
    assert waits > 0, (cycles, longer)
    assert near(full["cycles_per_kv_tile"] - slow["cycles_per_kv_tile"], waits, 0.02), waits
    # And so has a launch.
    overheads = [p["seconds"] - 1e-9 * p["cycles"] / p["clock_ghz"] for p in (full, slow)]
    assert near(*overheads, 1e-6), overheads
    # bf16: 4096 FLOP a clock of each of 256 compute units; 2.4 GHz (AMD's data sheet).
    assert near(full["peak_tflops"], 4096 * 256 * 2.4e9 / 1e12), full["peak_tflops"]
    assert near(slow["peak_tflops"] * 2.4, full["peak_tflops"]), slow["peak_tflops"]


def check_sweep(points, rows):
    asked = [(s, m) for s in (128, 256) for m in ("none", "causal")]
    found = [(p["problem"]["seqlen_q"], p["config"]["mask"]) for p in points["points"]]
    assert found == asked, found
    assert len(rows) == len(asked), rows
    for p, row in zip(points["points"], rows):
        check_point(p)
        assert row["mask"] == p["config"]["mask"] and row["device"] == p["device"], row
        assert int(row["seqlen_kv"]) == p["problem"]["seqlen_kv"]
        assert float(row["seconds_high"]) == p["seconds_interval"][1], row
        for key in ("seconds", "tflops", "peak_share", "mfma_busy", "cycles_per_kv_tile",
                    "workgroups", "sampled", "layers"):
            assert float(row[key]) == p[key], (key, row[key], p[key])
        assert row["bound"] == p["bound"]
        for cause in CAUSES:
            assert float(row[cause]) == p["causes_per_kv_tile"][cause], (cause, row)


def check_layers(gap_ns, one, many, constants):
    """Lists are planned once for all layers. The time of a launch has its overhead in it; after
    the first one of a step there is the gap instead, that of the constants or another."""
    value = {c["name"]: c["value"] for c in constants["constants"]}
    if gap_ns != "as-listed":
        value["launch_gap_ns"] = float(gap_ns)
    assert one["layers"] == 1 and many["layers"] > 1, (one["layers"], many["layers"])
    assert one["launches"] == many["launches"], (one["launches"], many["launches"])
    for p in (one, many):
        assert [x["kernel"].split("_")[0] for x in p["launches"]] == ["plan", "attn"], p["launches"]
        planner, attention = (x["seconds"] for x in p["launches"])
        overhead, gap = (1e-9 * value[k] for k in ("launch_overhead_ns", "launch_gap_ns"))
        assert min(planner, attention) > overhead > 0, (p["launches"], overhead)
        step = planner + p["layers"] * (attention - overhead + gap)
        assert near(p["seconds"] * p["layers"], step), (p["seconds"], p["layers"], step)
        low, high = p["seconds_interval"]
        assert 0 < low <= p["seconds"] <= high, p["seconds_interval"]
    assert many["seconds"] < one["seconds"], (many["seconds"], one["seconds"])


def check_hip_layers(layers, p):
    """Samples are of whole steps."""
    assert p["device"] == "hip measured" and p["layers"] == layers, p["layers"]
    assert p["launches_per_sample"] % layers == 0, p["launches_per_sample"]
    check_point(p)


def main():
    what, *files = sys.argv[1:]
    if what == "layers":
        check_layers(files[0], *map(load, files[1:]))
    elif what == "hip-layers":
        check_hip_layers(int(files[0]), load(files[1]))
    elif what == "sweep":
        with open(files[1], encoding="utf-8", newline="") as file:
            check_sweep(load(files[0]), list(csv.DictReader(file)))
    else:
        {"point": check_point, "sample": check_sample, "emu": check_emu,
         "clock": check_clock, "memory": lambda point, listed: check_memory(
             point, {c["name"]: c["value"] for c in listed["constants"]})}[what](
            *map(load, files))


main()
