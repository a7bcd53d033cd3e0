# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The clock of the cycle model against published variants (published_clock.csv).

    clock.py --fmhac build/bin/fmhac

The model's clock explains times: it is cycles over time. Of a variant the time is published, as
TFLOPS, and the cycles follow from the share of matrix cycles in the loop and from what a
workgroup takes outside of it. Beside the model's law stands a plane over the shares of matrix
and vector cycles that is fitted on these variants, and for each group of sweeps one fitted without
it. The sweeps move vector instructions, or delete them; only the second tells the two shares
apart. Published clocks of the XCDs come last; they are higher than cycles over time.
"""
import argparse
import csv
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import nulls  # noqa: E402

# All: B32, 8 heads, S8192, head size 128, two tiles of 64 keys a pass, a workgroup of 256 rows.
FLOP = 4 * 32 * 8 * 8192 ** 2 * 128
# Q, K, V and O once: a head's tiles are on one XCD, and its K and V fit into L2.
HBM_BYTES = 4 * 32 * 8 * 8192 * 128 * 2
PASSES, TILES = 62, 128  # 62 passes of two tiles; the other tiles are outside of the loop
WORKGROUPS = 32 * 8 * 32 // 256  # of a compute unit, one after the other
OUTSIDE_CYCLES = {"fav4": 35449, "fly": 19223}  # of a workgroup (note.md, 3.25.6)
TILE_MATRIX_CYCLES = 2048  # of a SIMD; of a wave in a pass
# Of the kernel from which VALU was deleted. The source counts 1384 in the dot clusters of
# the tuned build and says that both builds do the same work; it has no count of this one.
VECTOR_CYCLES_OF_DELETED = 1384


class Variant:
    def __init__(self, fields, k):
        self.sweep, self.name = fields["sweep"], f"{fields['sweep']} {fields['variant']}"
        in_loop = min(float(fields["matrix_percent"]) / 100, 1)  # 101.1 is read too high
        cycles = (PASSES * 2 * TILE_MATRIX_CYCLES / in_loop
                  + OUTSIDE_CYCLES[self.sweep.split("_")[0]])
        vector_cycles = float(fields["vector_cycles"] or
                              VECTOR_CYCLES_OF_DELETED * (1 - float(fields["variant"])))
        # As in the model, there are cycles between two workgroups, too.
        all_cycles = WORKGROUPS * cycles + (WORKGROUPS - 1) * k["workgroup_launch_cycles"]
        self.matrix = WORKGROUPS * TILES * TILE_MATRIX_CYCLES / all_cycles
        self.vector = self.matrix * vector_cycles / TILE_MATRIX_CYCLES
        seconds = FLOP / (float(fields["tflops"]) * 1e12) - 1e-9 * k["launch_overhead_ns"]
        self.ghz = all_cycles / seconds / 1e9
        self.hbm_bytes = HBM_BYTES / k["compute_units"] / all_cycles
        self.hbm_factor = 1 + k["clock_hbm_ghz"] * self.hbm_bytes
        self.xcd_ghz = float(fields["mhz"]) / 1000 if fields["mhz"] else None

    @property
    def group(self):
        """What is left out together. The deleted sweep is of Gluon's kernel, too."""
        return "fly" if self.sweep.startswith("fly") else self.sweep


def plane(variants):
    """GHz = (at rest - matrix x share - vector x share) / what HBM takes, by least squares."""
    terms = np.array([[1, -s.matrix, -s.vector] for s in variants])
    return np.linalg.lstsq(terms, np.array([s.ghz * s.hbm_factor for s in variants]),
                           rcond=None)[0]


def on_plane(law, variant):
    return (law[0] - law[1] * variant.matrix - law[2] * variant.vector) / variant.hbm_factor


def text(law):
    return f"({law[0]:.3f} - {law[1]:.3f} x matrix - {law[2]:.3f} x vector) / hbm GHz"


def summary(variants, ghz):
    errors = np.array([100 * (g / s.ghz - 1) for s, g in zip(variants, ghz)])
    return (f"{len(variants)} variants, mean error {abs(errors).mean():.2f} %, "
            f"bias {errors.mean():+.2f} %")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True, help="the fmhac command")
    options = parser.parse_args()
    k = nulls.constants(options.fmhac)
    with open(os.path.join(HERE, "published_clock.csv"), encoding="utf-8") as file:
        variants = [Variant(fields, k) for fields
                 in csv.DictReader(line for line in file if not line.startswith("#"))]
    model = [nulls.clock_ghz(k, s.matrix, s.vector, hbm_bytes=s.hbm_bytes) for s in variants]
    law = plane(variants)

    print(f"{'sweep, variant':28} {'matrix':>7} {'vector':>7} {'GHz':>6} {'model':>6} {'plane':>6} "
          f"{'XCDs':>6} {'ratio':>6}")
    for s, of_model in zip(variants, model):
        xcds = f"{s.xcd_ghz:6.3f} {s.ghz / s.xcd_ghz:6.3f}" if s.xcd_ghz else f"{'-':>6} {'-':>6}"
        print(f"{s.name:28} {100 * s.matrix:6.1f}% {100 * s.vector:6.1f}% {s.ghz:6.3f} "
              f"{of_model:6.3f} {on_plane(law, s):6.3f} {xcds}")
    print("model:", summary(variants, model))
    groups = {group: [s for s in variants if s.group == group]
              for group in dict.fromkeys(s.group for s in variants)}
    for group, members in groups.items():
        print(f"  {group}:", summary(members, [g for s, g in zip(variants, model)
                                               if s.group == group]))
    print("plane:", text(law) + ";", summary(variants, [on_plane(law, s) for s in variants]))
    for group, members in groups.items():
        other = plane([s for s in variants if s.group != group])
        print(f"  without {group}: {text(other)}; on it:",
              summary(members, [on_plane(other, s) for s in members]))
    ratios = np.array([s.ghz / s.xcd_ghz for s in variants if s.xcd_ghz])
    print(f"over the clock of the XCDs: {len(ratios)} variants, {ratios.min():.3f} to "
          f"{ratios.max():.3f}, mean {ratios.mean():.3f}")


if __name__ == "__main__":
    main()
