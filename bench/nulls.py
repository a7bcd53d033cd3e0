# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the cycle model has to beat on public kernels: nulls, each a time of a launch.

Rate      knows the FLOPs alone: a constant rate and an overhead a launch, fitted on the
          rows of role `fit`; the rate of 8-bit operands is set by the anchor.
Critical  knows the code, but executes nothing: a trip through the loop with the most matrix
          work takes the cycles of its critical unit (`fmhac inspect`), and what is outside
          of it takes none. Grid, clock and overhead are the model's, and the time of other
          launches of the problem. None where no loop was timed.
"""
import functools
import json
import os
import subprocess
import sys
import threading

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import mca  # noqa: E402


# The report counts trips whose cycles were taken: not the first one, nor the last.
TRIPS_NOT_COUNTED = 2
LEAST_GHZ = 0.1  # of clock.c
SIMDS = 4
LLVM_BIN = "/usr/lib/llvm-22/bin"


def listed_constants(fmhac):
    """Of the cycle model, as `fmhac bench --constants` lists them."""
    return json.loads(subprocess.run([fmhac, "bench", "--constants", "--json"], check=True,
                                     capture_output=True, text=True).stdout)["constants"]


@functools.lru_cache(maxsize=None)
def constants(fmhac, changes=""):
    """Their values by name, with the changes of --constants."""
    values = {c["name"]: c["value"] for c in listed_constants(fmhac)}
    for change in filter(None, changes.split(",")):
        name, value = change.split("=")
        values[name] = float(value)
    return values


def clock_ghz(k, matrix, vector, narrow=0, f16=0, hbm_bytes=0):
    """As runtime/emu/timing/clock.c, which has no command of its own: shares of cycles. narrow
    and f16: the parts of `matrix` with operands of 8 bits and less, and of f16. hbm_bytes: from
    HBM, per cycle of a compute unit."""
    ghz = (k["clock_at_rest_ghz"] - k["clock_matrix_ghz"] * (matrix - narrow - f16)
           - k["clock_narrow_ghz"] * narrow - k["clock_f16_ghz"] * f16
           - k["clock_vector_ghz"] * vector) / (1 + k["clock_hbm_ghz"] * hbm_bytes)
    return max(LEAST_GHZ, min(k["clock_ceiling_ghz"], ghz))


class Rate:
    name = "rate"

    def __init__(self, rows):
        fit = [row for row in rows if row.role == "fit"]
        # Least squares of relative errors: 1 = a flops / seconds + b / seconds.
        terms = np.array([[row.flops / row.seconds, 1 / row.seconds] for row in fit])
        (per_flop, self.overhead), *_ = np.linalg.lstsq(terms, np.ones(len(fit)), rcond=None)
        self.rate, self.narrow_rate = 1 / per_flop, 1 / per_flop
        for row in rows:
            if row.role == "anchor" and row.narrow:
                self.narrow_rate = row.flops / (row.seconds - self.overhead)

    def seconds(self, row, report):
        return (row.flops / (self.narrow_rate if row.narrow else self.rate)
                + self.overhead * (1 + len(report["others"])))


class Static:
    """A trip through the loop takes what `trip_cycles` says, for all waves of a SIMD."""

    def __init__(self, fmhac, changes):
        self.fmhac, self.loops, self.lock = fmhac, {}, threading.Lock()
        self.k = constants(fmhac, changes)

    def cycles_of(self, report, pc):
        key = report["code_object"], pc
        with self.lock:
            if key not in self.loops:
                self.loops[key] = self.trip_cycles(report, pc)
        return self.loops[key]

    def seconds(self, _row, report):
        static = simulated = 0
        for workgroup in report["per_workgroup"]:
            loop = workgroup.get("loop")
            cycles = loop and self.cycles_of(report, loop["pc"])
            if not cycles:
                return None
            static += (loop["iterations"] + TRIPS_NOT_COUNTED) * cycles
            simulated += workgroup["cycles"]
        timing, share = report["timing"], static / simulated
        busy = {key: timing[key] / share for key in ("mfma_busy", "valu_busy", "mfma8_busy",
                                                     "mfma_f16_busy")}
        busy["hbm_bytes"] = (timing["hbm_bytes"] / timing["cycles"] / share
                             / self.k["compute_units"])
        most = max(1, busy["mfma_busy"])
        ghz = clock_ghz(self.k, *(value / most for value in busy.values()))
        return (1e-9 * (timing["cycles"] * share / ghz + self.k["launch_overhead_ns"])
                + sum(other["timing"]["seconds"] for other in report["others"])
                ) * timing["of_warm"]


class Critical(Static):
    name = "critical"

    def trip_cycles(self, report, pc):
        kernels = json.loads(subprocess.run(
            [self.fmhac, "inspect", "--json",
             f"--dynamic-lds={report['dynamic_lds_bytes']}", report["code_object"]],
            check=True, capture_output=True, text=True).stdout)["kernels"]
        found = {loop["header_pc"]: loop["budget"]["always"]["cycles"]
                 for kernel in kernels for loop in kernel["loops"] if loop["budget"]}
        return found.get(pc)


class Mca(Static):
    name = "llvm-mca"

    def trip_cycles(self, report, _pc):
        """Of the loop with the most matrix instructions of the code object. llvm-mca has one
        wave: the waves of a SIMD take turns."""
        loops = [lines for _, lines in mca.blocks(report["code_object"], LLVM_BIN)]
        if not loops:
            return None
        lines, *_ = mca.straight(max(loops, key=lambda lines: sum(
            line.startswith(("v_mfma", "v_smfmac")) for line in lines)))
        try:
            cycles = mca.mca_cycles(lines, LLVM_BIN)
        except subprocess.TimeoutExpired:
            return None
        return cycles * report["waves"] * report["per_workgroup"][0]["resident"] / SIMDS
