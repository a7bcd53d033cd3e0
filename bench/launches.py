# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LAUNCH.json of public code objects on problems of any size, for timing: inputs are zeros.
These kernels take the same time whatever they hold, but for the rescaling that some skip
while no row's maximum grows. A family is a function of a problem, the directory of its code
objects and one for files, and gives one launch or several, one after the other."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from launches_aiter import v3, v3_bwd, v4  # noqa: E402
from launches_compiled import flydsl, gemm, gluon, hipkittens, hkgemm, opus  # noqa: E402

OF_AITER = {"v3": v3, "v3_bwd": v3_bwd, "v4": v4}
COMPILED = {"opus": opus, "flydsl": flydsl, "gluon": gluon, "hipkittens": hipkittens,
            "gemm": gemm, "hkgemm": hkgemm}
FAMILIES = {**OF_AITER, **COMPILED}
# The axis of the grid along which tiles of a sequence lie: of queries, in dqdkdv of keys.
TILE_AXIS = {"v3": 0, "v3_bwd": 0, "v4": 0, "flydsl": 1, "gluon": 1, "hipkittens": 1}


def tile_axis(problem):
    if problem.family == "opus":
        return 1 if problem.dims[0] == 128 else 0
    return TILE_AXIS.get(problem.family, 0)


def directories(of_aiter, objects):
    """Where the code objects of each family are; a family whose are not there is left out, and
    a line says so. Compiled ones are in a directory of the family's name below `objects`."""
    found = {family: of_aiter for family in OF_AITER}
    for family in COMPILED:
        path = os.path.join(objects or "", family)
        if objects and os.path.isdir(path):
            found[family] = path
        else:
            print(f"left out: {family}, no directory {path if objects else '(no --objects)'}")
    return found
