// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-tile-combine | FileCheck %s

// A lane has 8 columns; a wave, which is a workgroup that walks a list, combines 64 / lanes rows at
// once.
#d8 = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 8, head_dim_v = 8, mask = none>
#d96 = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = f32, head_dim_qk = 96, head_dim_v = 96, mask = none>
#d256 = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 64, head_dim_v = 256, mask = none>
// One for each 64 rows of all heads and batches, up to those that fill the device.
// CHECK: fmha.combine @narrow parts problem(#{{.*}}) lanes 1 waves 1 launch(<grid = ["min(Sq * Hq * B, 2048)", "1", "1"], block = 64>)
fmha.combine @narrow parts problem(#d8)
// CHECK: fmha.combine @odd parts problem(#{{.*}}) lanes 16 waves 1 launch(<grid = ["min(Sq * Hq * B, 2048)", "1", "1"], block = 64>)
fmha.combine @odd parts problem(#d96)
// CHECK: fmha.combine @wide parts problem(#{{.*}}) lanes 32 waves 1 launch(<grid = ["min(Sq * Hq * B, 2048)", "1", "1"], block = 64>)
fmha.combine @wide parts problem(#d256)
// Results have no list: each batch has its workgroups, of four waves.
// CHECK: fmha.combine @both results problem(#{{.*}}) lanes 16 waves 4 launch(<grid = ["ceil(Sq * Hq / 16)", "B", "1"], block = 256>)
fmha.combine @both results problem(#d96)
// What came with it stays.
// CHECK: fmha.combine @own parts problem(#{{.*}}) lanes 32 waves 2 launch(<grid = ["7", "1", "1"], block = 128>)
fmha.combine @own parts problem(#d96) lanes 32 waves 2 launch(#fmha.launch<grid = ["7", "1", "1"], block = 128>)
