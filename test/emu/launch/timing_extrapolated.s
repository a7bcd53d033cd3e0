// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of a timed part of a grid, workgroups beyond the timed ones are given the time of the nearest:
// how many is said. Of 16 x 4 workgroups, 1..3 x 0 are between the timed ones and 61 are not. With
// all corners of the grid none is beyond, nor if all are timed.
//
// RUN: rm -rf %t && %emu_test --keep %t %s
// RUN: %fmhac emu --timing --json %t/LAUNCH.json 2>&1 | FileCheck %s --check-prefix=ALL --implicit-check-not=note:
// ALL: "sampled": 64,
// ALL: "extrapolated": 0
// RUN: sed 's/"grid":/"workgroups": [[0,0,0], [15,0,0], [0,3,0], [15,3,0]], "grid":/' %t/LAUNCH.json > %t/corners.json
// RUN: %fmhac emu --timing --json %t/corners.json 2>&1 | FileCheck %s --check-prefix=CORNERS --implicit-check-not=note:
// CORNERS: "sampled": 4,
// CORNERS: "extrapolated": 0
// RUN: sed 's/"grid":/"workgroups": [[1,0,0], [3,0,0]], "grid":/' %t/LAUNCH.json > %t/part.json
// RUN: %fmhac emu --timing --json %t/part.json 2>&1 | FileCheck %s --check-prefix=PART
// PART: fmhac emu: note: 61 of 64 workgroups lie beyond the 2 timed ones
// PART: "workgroups": 64,
// PART: "sampled": 2,
// PART: "extrapolated": 61
//
//| launch(grid=[16, 4, 1])
//| no_output()
.include "prologue.inc"
KERNEL
  v_mov_b32_e32 v1, 0
END_KERNEL
