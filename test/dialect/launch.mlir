// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s

// CHECK: test.tiles = #fmha.launch<grid = ["ceil(Sq / 256)", "Hq", "B"], block = 512>
module attributes {test.tiles = #fmha.launch<grid = ["ceil(Sq / 256)", "Hq", "B"], block = 512>} {
// CHECK: test.few = #fmha.launch<grid = ["min(CUs, ceil(Sq / 64) * Hq * B)", "1", "splits"], block = 64, when = "Sk <= 256 and 2 <= B">
module attributes {test.few = #fmha.launch<grid = ["min(CUs, ceil(Sq / 64) * Hq * B)", "1", "splits"], block = 64, when = "Sk <= 256 and 2 <= B">} {}
}
