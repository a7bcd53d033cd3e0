// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-sync-to-rocdl | FileCheck %s

// Fields: vmcnt in bits 3:0 and 15:14, expcnt 6:4 (7: none), lgkmcnt 11:8.
// vmcnt(4) lgkmcnt(0): 4 | 7 << 4 = 116. In the other order they stay two: vmcnt(4) alone is
// 4 | 7 << 4 | 15 << 8 = 3956, lgkmcnt(0) alone 15 | 7 << 4 | 3 << 14 = 49279.
// CHECK: rocdl.s.waitcnt 116
// CHECK-NOT: rocdl.s.waitcnt
fmha.wait_lds
fmha.wait_loads 4
// CHECK: rocdl.s.barrier
fmha.barrier
// CHECK: rocdl.s.waitcnt 3956
fmha.wait_loads 4
// CHECK: rocdl.s.waitcnt 49279
fmha.wait_lds
