// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s -fmha-control-to-llvm | FileCheck %s
// RUN: %fmhac-opt %s -fmha-control-to-llvm | mlir-opt-22 -o /dev/null

// As text, which tools without the dialect read.
#problem = #fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16, head_dim_qk = 32, head_dim_v = 32, mask = none>
#schedule = #fmha.schedule<tile_m = 32, tile_n = 32, waves = 1, waves_per_simd = 2,
  qk = <m = 32, n = 32, k = 16>, pv = <m = 32, n = 32, k = 16>,
  k = <read = row, max_pad_bytes = 64>, v = <read = column, max_pad_bytes = 64>,
  rescale = eager, pipeline = <stages = [<@all compute [qk]>]>>
// CHECK: llvm.func @k({{.*}}) attributes {fmha.launch = "#fmha.launch<grid = [\22ceil(Sq / 32)\22, \22Hq\22, \22B\22], block = 64, when = \22Sk <= 256\22>"
fmha.kernel @k problem(#problem) schedule(#schedule)
  launch(<grid = ["ceil(Sq / 32)", "Hq", "B"], block = 64, when = "Sk <= 256">) {
}
