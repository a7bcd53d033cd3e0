# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The clock of the cycle model against published clocks (published_clock.csv).

    clock.py --fmhac build/bin/fmhac

The model's clock is a line over the share of cycles in which the matrix units run. The
published sweeps change that share in two ways: they move vector instructions, or delete
them. Only the second changes the work of the vector units, too. Beside the model's line
stands a plane over both shares, fitted on these rows, and for each group of sweeps the plane
that was fitted without it. Nothing of it goes into the model.
"""
import argparse
import csv
import os
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import nulls  # noqa: E402

MATRIX_CYCLES = 2048  # of a wave in a pass: 64 MFMA of 32 cycles
# Of the kernel from which VALU was deleted. The source counts 1384 in the dot clusters of
# the tuned build and says that both builds do the same work; it has no count of this one.
VECTOR_CYCLES_OF_DELETED = 1384


class Point:
    def __init__(self, fields):
        self.sweep, self.step = fields["sweep"], fields["step"]
        self.matrix = float(fields["matrix_percent"]) / 100
        self.ghz = float(fields["mhz"]) / 1000
        vector_cycles = float(fields["vector_cycles"] or
                              VECTOR_CYCLES_OF_DELETED * (1 - float(self.step)))
        self.vector = self.matrix * vector_cycles / MATRIX_CYCLES

    @property
    def group(self):
        """What is left out together. The deleted sweep is of Gluon's kernel, too."""
        return self.sweep if self.sweep == "fav4_deleted" else self.sweep.split("_")[0]


def plane(points):
    """GHz = at rest - matrix x share - vector x share, by least squares."""
    terms = np.array([[1, -p.matrix, -p.vector] for p in points])
    return np.linalg.lstsq(terms, np.array([p.ghz for p in points]), rcond=None)[0]


def on_plane(law, point):
    return law[0] - law[1] * point.matrix - law[2] * point.vector


def summary(name, points, ghz):
    errors = np.array([100 * (g / p.ghz - 1) for p, g in zip(points, ghz)])
    return f"{name}: mean {abs(errors).mean():.2f} %, bias {errors.mean():+.2f} %"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True, help="the fmhac command")
    options = parser.parse_args()
    with open(os.path.join(HERE, "published_clock.csv"), encoding="utf-8") as file:
        points = [Point(fields) for fields
                  in csv.DictReader(line for line in file if not line.startswith("#"))
                  if fields["mhz"]]
    k = nulls.constants(options.fmhac)
    model = [nulls.clock_ghz(k, p.matrix) for p in points]
    law = plane(points)
    without = {group: plane([p for p in points if p.group != group])
               for group in dict.fromkeys(p.group for p in points)}
    fitted = [on_plane(law, p) for p in points]
    left_out = [on_plane(without[p.group], p) for p in points]

    print(f"{'sweep, step':28} {'matrix':>7} {'vector':>7} {'GHz':>6} {'model':>6} {'plane':>6} "
          f"{'without':>7}")
    for p, of_model, of_plane, other in zip(points, model, fitted, left_out):
        print(f"{p.sweep + ' ' + p.step:28} {100 * p.matrix:6.1f}% {100 * p.vector:6.1f}% "
              f"{p.ghz:6.3f} {of_model:6.3f} {of_plane:6.3f} {other:7.3f}")
    print(f"plane: {law[0]:.3f} - {law[1]:.3f} x matrix - {law[2]:.3f} x vector, GHz")
    for group, of_others in without.items():
        print(f"  without {group}: {of_others[0]:.3f} - {of_others[1]:.3f} x matrix - "
              f"{of_others[2]:.3f} x vector")
    for name, values in (("model", model), ("plane, fitted on all", fitted),
                         ("plane, each group left out", left_out)):
        print(summary(name, points, values))
        for group in without:
            chosen = [(p, g) for p, g in zip(points, values) if p.group == group]
            print("  " + summary(group, *zip(*chosen)))


if __name__ == "__main__":
    main()
