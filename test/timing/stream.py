# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Streams from beyond L2: bytes a second, by hand from latencies, bytes in flight and bandwidths, which are in ns.

    stream.py --fmhac FMHAC STREAM.hsaco

A wave of stream.s has two batches of 8 loads on their way: 16 loads arrive in a latency.
"""
import argparse
import json
import os
import subprocess
import tempfile

LOADS, LANES, LINE = 8, 64, 128
WIDTHS = {"wide": 16, "narrow": 4, "direct": 16}  # bytes a lane
UNITS = 256


class Model:
    def __init__(self, options):
        self.fmhac, self.code = options.fmhac, os.path.abspath(options.code)
        listed = json.loads(subprocess.run([self.fmhac, "bench", "--constants", "--json"], check=True,
                                           capture_output=True, text=True).stdout)["constants"]
        self.k = {c["name"]: c["value"] for c in listed}

    def stream(self, kernel, workgroups, waves, trips, constants=""):
        """Bytes a ns without the launch, bytes, and the report."""
        each = LOADS * LANES * WIDTHS[kernel] * waves * trips
        launch = {"code_object": self.code, "kernel": kernel, "grid": [workgroups, 1, 1],
                  "block": [LANES * waves, 1, 1], "workgroups": [[0, 0, 0]],
                  "buffers": {"in": {"bytes": each * workgroups, "fill": 0}},
                  "kernarg": [{"offset": 0, "buffer": "in"}, {"offset": 8, "u32": each},
                              {"offset": 12, "u32": trips}, {"offset": 16, "u32": waves}]}
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "LAUNCH.json")
            with open(path, "w", encoding="utf-8") as file:
                json.dump(launch, file)
            command = [self.fmhac, "emu", path, "--timing", "--json", "--check=none"]
            done = subprocess.run(command + ([f"--timing-constants={constants}"] if constants else []),
                                  capture_output=True, text=True, check=True, timeout=120)
        timing = json.loads(done.stdout)["timing"]
        ns = 1e9 * timing["seconds"] - self.k["launch_overhead_ns"]
        return each * workgroups / ns, each * workgroups, timing


def near(what, found, by_hand, below, above=0.01):
    assert by_hand * (1 - below) <= found <= by_hand * (1 + above), (what, found, by_hand)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("code")
    model = Model(parser.parse_args())
    k = model.k
    flight = k["l1_flight_bytes"]
    for kernel, width in WIDTHS.items():
        two_batches = 2 * LOADS * LANES * width
        # A wave by itself: what it has in flight. That takes the vector cache some cycles, too.
        near((kernel, "a wave"), model.stream(kernel, 1, 1, 128)[0],
             two_batches / k["hbm_latency_ns"], 0.1)
        # A compute unit by itself: 16 waves ask for more than it has in flight.
        near((kernel, "a compute unit"), model.stream(kernel, 1, 16, 64)[0],
             min(flight, 16 * two_batches) / k["hbm_latency_ns"], 0.15)
        # The part: HBM, whatever the clock, and however many workgroups share a compute unit.
        for workgroups, waves, constants in ((UNITS, 8, ""), (4 * UNITS, 4, ""),
                                             (UNITS, 8, "clock_ceiling_ghz=1.4")):
            what = kernel, workgroups, constants
            rate, all_bytes, timing = model.stream(kernel, workgroups, waves, 64, constants)
            near(what, rate, k["hbm_bytes_per_ns"], 0.06)
            near(what, timing["hbm_bytes"], all_bytes, 0.01)
    # As little as the clock changes a latency.
    slow, fast = (model.stream("wide", 8, 1, 128, f"clock_ceiling_ghz={ghz}")[0] for ghz in (1.6, 2.4))
    near("clock", slow, fast, 0.05)
    # Launched again and again: MALL has all of 4 MiB. Of twice as much as it holds it has h = exp(-2 (1 - h)).
    again = "launches_before=1"
    rate, _, timing = model.stream("wide", 8, 1, 64, again)
    near("in MALL", rate / 8, 2 * LOADS * LANES * 16 / k["mall_latency_ns"], 0.2)
    assert timing["hbm_bytes"] == 0, timing
    _, all_bytes, timing = model.stream("wide", UNITS, 8, 32, again)
    assert all_bytes == 2 * 1024 * k["mall_cache_kib"]
    near("partly in MALL", timing["hbm_bytes"], (1 - 0.2032) * all_bytes, 0.01)
    # A narrow load takes as long as a wide one, and brings a quarter.
    near("narrow", model.stream("narrow", 8, 1, 128)[0], model.stream("wide", 8, 1, 128)[0] / 4, 0.01, 0.1)


if __name__ == "__main__":
    main()
