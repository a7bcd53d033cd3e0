# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fmhac trace: the timeline has every instruction of every wave once, in order, and no
time twice; the picture is an image of the same.

  trace.py --fmhac FILE --llvm-bin DIR

Kernels of trace.s: what they execute is written down here a second time.
"""
import argparse
import collections
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

DONE, CHECK, USAGE = range(3)
WAVES, ITERATIONS, SIMDS = 5, 5, 4
HEAD = ["s_load_dwordx2", "v_and_b32_e32", "v_lshlrev_b32_e32", "v_lshlrev_b32_e32",
        "v_readfirstlane_b32", "s_mov_b32", "ds_write_b32", "s_waitcnt"]
LATE = ["s_nop", "s_nop"]  # wave 0 alone
BODY = ["s_barrier", "global_load_dword", "ds_read_b32", "ds_read_b128",
        "v_mfma_f32_16x16x32_bf16", "v_mfma_f32_16x16x32_bf16", "v_exp_f32_e32",
        "v_pk_mul_f32", "s_waitcnt", "s_sub_u32", "s_cmp_lg_u32", "s_cbranch_scc1"]
FOOT = ["global_store_dword", "s_endpgm"]
# CDNA4 ISA 7.1: 16x16x32 of 16 bits has 4 passes, of 4 cycles.
MATRIX_CYCLES = 16
# A dword of each lane, 256 bytes from lane to lane: all 64 in bank 0 of 64 banks of 4
# bytes. 16 bytes of each lane, one after the other: 64 lanes in 4 phases.
CONFLICT_CLK, WORDS = 64, 64


def loop_body(wave):
    return ["s_cmp_lg_u32", "s_cbranch_scc1"] + (LATE if wave == 0 else []) + BODY


def executed(wave):
    return HEAD + loop_body(wave) * ITERATIONS + FOOT


class Test:
    def __init__(self, fmhac):
        self.fmhac, self.failures = os.path.abspath(fmhac), 0

    def check(self, what, ok):
        if not ok:
            self.failures += 1
            print(f"FAIL: {what}")

    def equal(self, what, found, expected):
        self.check(f"{what}: expected {expected!r:.300}, found {found!r:.300}",
                   found == expected)

    def run(self, code, *words):
        done = subprocess.run([self.fmhac, *words], capture_output=True, text=True,
                              timeout=120, check=False)
        self.equal(f"fmhac {' '.join(words)}: {done.stderr[:200]}: exit code",
                   done.returncode, code)
        return done

    def trace(self, *words):
        self.run(DONE, "trace", *words, "-o", "t.json")
        with open("t.json", encoding="ascii") as file:
            return json.load(file)


def slices(trace, category=None):
    """Slices of waves, or of one category, in the order of the file."""
    return [e for e in trace["traceEvents"] if e["ph"] == "X" and
            (e["cat"] == category if category else e["cat"] != "matrix unit")]


def instructions(trace):
    return [e for e in slices(trace) if e["cat"] not in ("stall", "step")]


def by_track(events):
    tracks = collections.defaultdict(list)
    for event in events:
        tracks[event["pid"], event["tid"]].append(event)
    return tracks


def end(event):
    return event["ts"] + event["dur"]


def check_format(test, trace):
    """What viewers want of the format."""
    events = trace["traceEvents"]
    times = [e["ts"] for e in events if e["ph"] != "M"]
    test.check("not sorted by ts", times == sorted(times))
    test.check("metadata stand after what they name",
               all(e["ph"] == "M" for e in events[:len(events) - len(times)]))
    test.check("a field is missing",
               all({"ph", "pid", "tid", "name"} <= set(e) for e in events))
    test.equal("phases", {e["ph"] for e in events}, {"M", "X", "C"})
    test.check("the unit of time is not told", "cycle" in trace["otherData"]["time"])
    names = {(e["pid"], e["tid"]): e["args"]["name"] for e in events
             if e["ph"] == "M" and e["name"] == "thread_name"}
    for track in by_track(slices(trace)):
        test.check(f"track {track} has no name", track in names)


def check_tracks(test, trace):
    """A wave's instructions and stalls lie one after the other without a gap, steps
    round them."""
    for track, events in by_track(slices(trace)).items():
        flat = [e for e in events if e["cat"] != "step"]
        for a, b in zip(flat, flat[1:]):
            test.check(f"{track}: {a} ends at {end(a)}, next {b}", end(a) == b["ts"])
        test.check(f"{track}: a slice of no cycles", all(e["dur"] > 0 for e in flat))
        steps = [e for e in events if e["cat"] == "step"]
        for a, b in zip(steps, steps[1:]):
            test.check(f"{track}: steps {a}, {b} overlap", end(a) <= b["ts"])
        for step in steps:
            test.check(f"{track}: {step} does not end with a slice",
                       any(end(e) == end(step) for e in flat))


def check_counters(test, trace):
    """Outstanding operations: never less than none, and none in the end."""
    last = {}
    for event in trace["traceEvents"]:
        if event["ph"] != "C":
            continue
        values = event["args"]
        if "%" in values:
            test.check(f"busy: {event}", 0 <= values["%"] <= 100)
            continue
        test.check(f"outstanding: {event}", 0 <= values["vm"] < 64 and
                   0 <= values["lgkm"] < 64)
        last[event["pid"], event["name"]] = values
    test.check("no counters", last)
    for name, values in last.items():
        test.equal(f"{name} in the end", values, {"vm": 0, "lgkm": 0})


def check_outstanding(test, trace):
    """A load is outstanding from its issue until it is done, and nothing is in flight after a wait
    for everything."""
    def outstanding(wave, cycles):
        values = [e["args"] for e in trace["traceEvents"] if e["ph"] == "C" and
                  e["name"] == f"outstanding, wave {wave}" and e["ts"] <= cycles]
        return values[-1] if values else {"vm": 0, "lgkm": 0}
    for event in instructions(trace):
        counter = {"global_load_dword": "vm", "ds_read_b32": "lgkm"}.get(event["name"])
        if counter:
            for cycles in (event["ts"], event["args"]["done_cycles"] - 1):
                test.check(f"{event} is not outstanding at {cycles}",
                           outstanding(event["tid"], cycles)[counter] > 0)
        elif event["args"]["text"] == "s_waitcnt vmcnt(0) lgkmcnt(0)":
            test.equal(f"outstanding after {event}", outstanding(event["tid"], event["ts"]),
                       {"vm": 0, "lgkm": 0})


def check_usual(test, trace):
    """The one iteration that is shown takes as long as the median of them."""
    begins = [e["ts"] for e in instructions(trace) if e["tid"] == 0 and
              e["args"]["text"] == "s_cmp_lg_u32 s7, 0"]
    lengths = sorted(b - a for a, b in zip(begins, begins[1:]))
    test.check("all iterations are alike", lengths[0] < lengths[-1])
    part = test.trace("launch.json", "--iterations", "1")["otherData"]
    test.equal("cycles of the iteration", part["to_cycles"] - part["from_cycles"],
               lengths[len(lengths) // 2])


def check_whole(test):
    trace = test.trace("launch.json", "--all")
    timing = json.loads(test.run(DONE, "emu", "launch.json", "--timing", "--json").stdout)
    group = timing["per_workgroup"][0]
    check_format(test, trace)
    check_tracks(test, trace)
    check_counters(test, trace)
    tracks = by_track(instructions(trace))
    test.equal("waves", sorted(tid for _, tid in tracks), list(range(WAVES)))
    for (_, wave), events in tracks.items():
        test.equal(f"wave {wave}", [e["name"] for e in events], executed(wave))
    test.equal("instructions, as emu counts them", len(instructions(trace)),
               timing["instructions"])
    other = trace["otherData"]
    test.equal("instructions, as told", other["instructions"], timing["instructions"])
    test.equal("cycles", [other["workgroup_cycles"], other["to_cycles"]], [group["cycles"]] * 2)
    test.equal("workgroup", other["workgroup"], group["id"])
    # What the matrix units do.
    matrix = slices(trace, "matrix unit")
    test.equal("MFMA", [e["dur"] for e in matrix], [MATRIX_CYCLES] * (2 * WAVES * ITERATIONS))
    share = sum(e["dur"] for e in matrix) / (SIMDS * group["cycles"])
    test.check(f"share of MFMA {share}, emu says {group['mfma_busy']}",
               abs(share - group["mfma_busy"]) < 1e-9)
    for events in by_track(matrix).values():
        for a, b in zip(events, events[1:]):
            test.check("a matrix unit does two things at once", end(a) <= b["ts"])
    # The waits: wave 4, of SIMD 0 too, waits for wave 0 in each iteration.
    stalls = collections.Counter((e["tid"], e["name"]) for e in slices(trace, "stall"))
    test.equal("barriers at which wave 4 waits", stalls[4, "stall: barrier"], ITERATIONS)
    test.equal("loads that wave 4 waits for", stalls[4, "stall: vmem_wait"] +
               stalls[4, "stall: lds_wait"], ITERATIONS + 1)
    sample = next(e for e in instructions(trace) if e["name"] == "v_pk_mul_f32")
    test.equal("text", sample["args"]["text"], "v_pk_mul_f32 v[24:25], v[26:27], v[28:29]")
    check_outstanding(test, trace)
    check_usual(test, trace)
    return trace


def check_parts(test, whole):
    """Parts have those of the whole that are issued in them."""
    def issued(trace, first=0, last=1 << 60):
        return sorted((e["ts"], e["tid"], e["name"], e["args"]["pc"])
                      for e in instructions(trace) if first <= e["ts"] < last)
    first = test.trace("launch.json", "--to", "700")
    rest = test.trace("launch.json", "--from", "700")
    check_tracks(test, first)
    check_tracks(test, rest)
    test.equal("up to 700", issued(first), issued(whole, 0, 700))
    test.equal("from 700 on", issued(rest), issued(whole, 700))
    test.check("a slice of the part begins before it",
               all(e["ts"] >= 700 for e in rest["traceEvents"] if e["ph"] != "M"))
    for count, words in ((2, ("--iterations", "2")), (3, ()), (4, ("--iterations", "9"))):
        part = test.trace("launch.json", *words)
        wave = [e["name"] for e in instructions(part) if e["tid"] == 0]
        test.equal(f"{count} iterations", wave, loop_body(0) * count)
        test.check("nothing says what was left out", "--all" in part["otherData"]["window"])


def texts_of(path):
    tree = ET.parse(path)
    return [(float(t.get("x")), float(t.get("y")), t.text)
            for t in tree.iter("{http://www.w3.org/2000/svg}text")], tree.getroot()


def row_right_of(texts, name):
    """The texts of a row, from left to right."""
    y = next(y for _, y, text in texts if text == name)
    return [text for _, at, text in sorted(texts) if at == y]


def check_picture(test):
    test.run(DONE, "trace", "launch.json", "--svg", "t.svg")
    texts, root = texts_of("t.svg")
    words = [text for _, _, text in texts]
    for expected in ("wave 0", "wave 4", "mfma", "stall: barrier", "stall: lds_wait"):
        test.check(f"picture: no {expected!r}", expected in words)
    test.check("picture: a wave of another SIMD", "wave 1" not in words)
    # Waves in each of 3 columns: count, cycles of the array, and at least.
    # The picture is of one round, the table of all: they need not agree.
    iteration = [text for text in words if text.startswith("traced: an iteration")]
    test.equal("title", len(iteration), 1)
    mean = [text for text in words if re.match(r"Mean of [0-9]+ iterations: where their ", text)]
    test.equal("table", len(mean), 1)
    read = row_right_of(texts, "ds_read_b32")
    test.equal("conflicts", read[1:4],
               [str(WAVES), str(WAVES * CONFLICT_CLK), str(WAVES)])
    wide = row_right_of(texts, "ds_read_b128")
    test.equal("no conflicts", wide[1:4], [str(WAVES), str(WAVES * 4), str(WAVES * 4)])
    size = float(root.get("width")), float(root.get("height"))
    for x, y, text in texts:
        test.check(f"picture: {text!r} at {x}, {y} lies outside",
                   0 <= x <= size[0] and 0 <= y <= size[1])
    test.run(DONE, "trace", "launch.json", "--svg", "t.svg", "--all", "--all-simds")
    texts, _ = texts_of("t.svg")
    words = [text for _, _, text in texts]
    for wave in range(WAVES):
        test.check(f"picture: no wave {wave}", f"wave {wave}" in words)
    test.check("picture: too large", os.path.getsize("t.svg") < 1 << 20)


def check_other_kernels(test):
    trace = test.trace("straight.json")
    test.equal("straight", [e["name"] for e in instructions(trace)],
               ["v_mov_b32_e32", "v_exp_f32_e32", "s_endpgm"])
    test.run(DONE, "trace", "straight.json", "--svg", "t.svg")
    ET.parse("t.svg")
    done = test.run(USAGE, "trace", "straight.json", "--iterations", "1", "-o", "new.json")
    test.check("no word on the loop", "has no loop" in done.stderr)
    # A finding is told, and what ran is written all the same.
    done = test.run(CHECK, "trace", "stray.json", "-o", "stray.trace")
    test.check("no finding", "finding: mem" in done.stderr)
    test.check("no trace", os.path.exists("stray.trace"))
    # Of two workgroups, the one asked for; of those that the file names, one of them.
    trace = test.trace("straight.json", "--workgroup", "1,0,0")
    test.equal("workgroup", trace["otherData"]["workgroup"], [1, 0, 0])
    trace = test.trace("named.json")
    test.equal("named workgroup", trace["otherData"]["workgroup"], [1, 0, 0])
    # Where JSON goes is one place.
    test.run(USAGE, "trace", "straight.json", "-o", "-", "--json")
    done = test.run(DONE, "trace", "straight.json", "-o", "-")
    test.equal("on standard output", len(instructions(json.loads(done.stdout))), 3)
    test.check("a file beside it", not os.path.exists("new.json"))


def check_configuration(test):
    """A kernel of fmhac: steps, lines, several workgroups on a compute unit."""
    problem = ["--schedule", "generic", "--mask", "causal", "--seqlen", "512", "--heads", "80"]
    trace = test.trace(*problem, "--all", "--check", "none")
    check_format(test, trace)
    check_tracks(test, trace)
    check_counters(test, trace)
    other = trace["otherData"]
    test.check("one workgroup on a compute unit", other["resident"] > 1)
    test.equal("processes", len({e["pid"] for e in instructions(trace)}), other["resident"])
    test.equal("instructions", len(instructions(trace)),
               other["instructions_of_workgroup"] * other["resident"])
    # Causal: the last rows see most keys, and are begun with, one tile of each head.
    x, y, _ = other["workgroup"]
    test.check(f"workgroup {x}, {y} has no longest tile", x + 512 // 128 * y < 80)
    names = {e["name"] for e in slices(trace, "step")}
    test.check(f"steps {names}", {"qk", "exp", "pv"} <= names)
    places = [e["args"].get("location", "") for e in instructions(trace)
              if e["name"].startswith("v_mfma")]
    test.check("an MFMA comes from nowhere",
               places and all(".synced.mlir:" in place for place in places))
    # Where a step begins and ends, its matrix instructions lie in it.
    for track, events in by_track(slices(trace)).items():
        inside = [e for e in events if e["cat"] == "mfma"]
        around = [e for e in events if e["cat"] == "step" and e["name"] in ("qk", "pv")]
        test.check(f"{track}: an MFMA outside of qk and pv", all(
            any(c["ts"] <= e["ts"] and end(e) <= end(c) for c in around) for e in inside))
    done = test.run(DONE, "trace", *problem, "--check", "none", "--svg", "c.svg", "--json")
    told = json.loads(done.stdout)
    test.equal("workgroup in JSON", told["workgroup"]["id"], other["workgroup"])
    texts, _ = texts_of("c.svg")
    for name in ("exp", "wave 0", "wave 0 +1"):
        test.check(f"picture: no {name}", any(text == name for _, _, text in texts))


def build(llvm_bin, here):
    subprocess.run([os.path.join(llvm_bin, "llvm-mc"), "-triple=amdgcn-amd-amdhsa",
                    "-mcpu=gfx950", "-filetype=obj", os.path.join(here, "trace.s"),
                    "-o", "k.o"], check=True)
    subprocess.run([os.path.join(llvm_bin, "ld.lld"), "-shared", "k.o", "-o", "k.hsaco"],
                   check=True)
    launch = {"code_object": "k.hsaco", "kernel": "traced", "grid": [1, 1, 1],
              "block": [64 * WAVES, 1, 1], "buffers": {"o": {"bytes": 4096, "fill": 0}},
              "kernarg": [{"offset": 0, "buffer": "o"}]}
    small = dict(launch, kernel="straight", grid=[2, 1, 1], block=[64, 1, 1])
    for name, content in (("launch", launch), ("straight", small),
                          ("named", dict(small, workgroups=[[1, 0, 0]])),
                          ("stray", dict(small, kernel="stray"))):
        with open(name + ".json", "w", encoding="ascii") as file:
            json.dump(content, file)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    options = parser.parse_args()
    test = Test(options.fmhac)
    here = os.path.dirname(os.path.abspath(__file__))
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        build(options.llvm_bin, here)
        whole = check_whole(test)
        check_parts(test, whole)
        check_picture(test)
        check_other_kernels(test)
        check_configuration(test)
        os.chdir(here)
    if not test.failures:
        print("ok")
    return test.failures > 0


sys.exit(main())
