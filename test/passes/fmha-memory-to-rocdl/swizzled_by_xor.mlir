// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-memory-to-rocdl | FileCheck %s

// CHECK: %[[LDS:.*]] = fmha.lds_base {{.*}} : !llvm.ptr<3>
//
// The copy. In memory a lane is at column 8 of lane bit 0, 16 of bit 1, and 16 again of bit 5, which
// is row 8 at once; the wave's bit 0 is row 16 and exchanges column 8. So the column is
// (lane << 3 & 24) ^ (lane >> 1 & 16) ^ 8 (wave & 1), all in the lane's register.
// CHECK: arith.trunci
// CHECK: %[[C1:.*]] = arith.constant 1 : i32
// CHECK: %[[R1:.*]] = arith.shrui %{{.*}}, %[[C1]] : i32
// CHECK: %[[M16:.*]] = arith.constant 16 : i32
// CHECK: %[[T0:.*]] = arith.andi %[[R1]], %[[M16]] : i32
// CHECK: %[[C3:.*]] = arith.constant 3 : i32
// CHECK: %[[L3:.*]] = arith.shli %{{.*}}, %[[C3]] : i32
// CHECK: %[[M24:.*]] = arith.constant 24 : i32
// CHECK: %[[T1:.*]] = arith.andi %[[L3]], %[[M24]] : i32
// CHECK: %[[OFLANE:.*]] = arith.xori %[[T0]], %[[T1]] : i32
// CHECK: fmha.id wave
// CHECK: %[[W1:.*]] = arith.andi
// CHECK: %[[C8:.*]] = arith.constant 8 : i32
// CHECK: %[[OFWAVE:.*]] = arith.muli %[[W1]], %[[C8]] : i32
// CHECK: %[[COL:.*]] = arith.xori %[[OFLANE]], %[[OFWAVE]] : i32
// CHECK: arith.constant 15 : i32
// CHECK: %[[C2:.*]] = arith.constant 2 : i32
// CHECK: %[[COLB:.*]] = arith.muli %[[COL]], %[[C2]] : i32
// CHECK: %[[OFF:.*]] = arith.addi %{{.*}}, %[[COLB]] : i32
//
// Waves 1, 2, 4 write lines 1024, 2048, 4096; the second copy, of row 32, lies 8192 on. Both
// take the same register.
// CHECK: %[[C1024:.*]] = arith.constant 1024 : i32
// CHECK: %[[WLDS:.*]] = arith.muli %{{.*}}, %[[C1024]] : i32
// CHECK: rocdl.raw.ptr.buffer.load.lds %{{.*}}, %{{.*}}, %{{.*}}, %[[OFF]],
// CHECK: %[[C8192:.*]] = arith.constant 8192 : i32
// CHECK: arith.addi %[[WLDS]], %[[C8192]] : i32
// CHECK: rocdl.raw.ptr.buffer.load.lds %{{.*}}, %{{.*}}, %{{.*}}, %[[OFF]],
//
// The reads. Row l of 32 lies at 64 (l mod 16) + 1024 (l / 16), its bit 3 exclusive-ored into byte bit
// 5, bit 4 into 4; lane bit 5, column 8, is byte 16. By the distance that bits move:
// (l >> 1 & 16) ^ (l & 16) ^ (l << 2 & 32) ^ (l << 6 & 1984), 1984 = 64 + 128 + ... + 1024.
// CHECK: %[[LANE:.*]] = fmha.id lane : i32
// CHECK: %[[D1:.*]] = arith.constant 1 : i32
// CHECK: %[[S1:.*]] = arith.shrui %[[LANE]], %[[D1]] : i32
// CHECK: %[[A16:.*]] = arith.constant 16 : i32
// CHECK: %[[X0:.*]] = arith.andi %[[S1]], %[[A16]] : i32
// CHECK: %[[B16:.*]] = arith.constant 16 : i32
// CHECK: %[[X1:.*]] = arith.andi %[[LANE]], %[[B16]] : i32
// CHECK: %[[Y1:.*]] = arith.xori %[[X0]], %[[X1]] : i32
// CHECK: %[[D2:.*]] = arith.constant 2 : i32
// CHECK: %[[S2:.*]] = arith.shli %[[LANE]], %[[D2]] : i32
// CHECK: %[[A32:.*]] = arith.constant 32 : i32
// CHECK: %[[X2:.*]] = arith.andi %[[S2]], %[[A32]] : i32
// CHECK: %[[Y2:.*]] = arith.xori %[[Y1]], %[[X2]] : i32
// CHECK: %[[D6:.*]] = arith.constant 6 : i32
// CHECK: %[[S6:.*]] = arith.shli %[[LANE]], %[[D6]] : i32
// CHECK: %[[A1984:.*]] = arith.constant 1984 : i32
// CHECK: %[[X6:.*]] = arith.andi %[[S6]], %[[A1984]] : i32
// CHECK: %[[LOW:.*]] = arith.xori %[[Y2]], %[[X6]] : i32
// CHECK: %[[P0:.*]] = llvm.getelementptr %[[LDS]][%[[LOW]]]
// CHECK: llvm.getelementptr %[[P0]][0]
//
// Column 16 is byte 32, which lanes have: the address with that bit exchanged, not added.
// Columns 32 and 64 are 2048 and 4096, row 32 is 8192: immediates from either.
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[HIGH:.*]] = arith.xori %{{.*}}, %[[C32]] : i32
// CHECK: %[[P1:.*]] = llvm.getelementptr %[[LDS]][%[[HIGH]]]
// CHECK: llvm.getelementptr %[[P1]][0]
// CHECK: llvm.getelementptr %[[P0]][2048]
// CHECK: llvm.getelementptr %[[P1]][2048]
// CHECK: llvm.getelementptr %[[P0]][4096]
// CHECK: llvm.getelementptr %[[P1]][4096]
// CHECK: llvm.getelementptr %[[P0]][6144]
// CHECK: llvm.getelementptr %[[P1]][6144]
// CHECK: llvm.getelementptr %[[P0]][8192]
// CHECK: llvm.getelementptr %[[P1]][8192]
// CHECK-NOT: arith.xori
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 128, head_dim_v = 128, mask = none>
#schedule = #fmha.schedule<tile_m = 256, tile_n = 64, waves = 8, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
#k = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [0, 16], [0, 32], [0, 64], [32, 0]],
  lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 8]], wave = [[0, 0], [0, 0], [0, 0]]>
#lds = #fmha.lds_layout<row = [64, 128, 256, 512 xor 32, 1024 xor 16, 8192], col = [2, 4, 8, 16, 32, 2048, 4096],
  line_bytes = 1024, bytes = 16384, conflict_ways = 1>
#dma = #fmha.lane_layout<fragment = 8, reg = [[0, 1], [0, 2], [0, 4], [32, 0]],
  lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 16]], wave = [[16, 8], [0, 32], [0, 64]]>
!kbuf = !fmha.lds<64x128xbf16, 0, #lds>
!view = !fmha.view<128, bf16>
fmha.kernel @k problem(#problem) schedule(#schedule) {
^bb0(%t: i32):
  %view = fmha.view k : !view
  %kb = fmha.lds_buffer k : !kbuf
  %at0 = fmha.rows k %view, %t : !view
  %tk = fmha.copy k %at0 into %kb dma(#dma) : !fmha.rows<128, bf16>, !kbuf
  %k = fmha.read k %kb after %tk : !kbuf -> !fmha.tile<64x128xbf16, #k>
  %l:16 = fmha.to_lanes %k : !fmha.tile<64x128xbf16, #k> -> vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>, vector<8xbf16>
}
