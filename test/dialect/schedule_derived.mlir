// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// Changes stay as they are written, but for comments; what they mean is worked out where the
// schedule is used.
// CHECK: fmha.schedule @a = @dualwave{{$}}
fmha.schedule @a = @dualwave
// CHECK: fmha.schedule @b = @a with <tile_n = 128, without sums>
fmha.schedule @b = @a with <tile_n = 128, without sums>
// CHECK: fmha.schedule @c = @b with <{{ *$}}
// CHECK-NEXT: pipeline = <stages = [
// CHECK-NEXT: <@scores [qk, exp[5 to 8 of 8] ahead -1] priority 1 without anchor>]>>
fmha.schedule @c = @b with <// a word > about it
  pipeline = <stages = [
    <@scores [qk, exp[5 to 8 of 8] ahead -1] priority 1 without anchor>]>>
// CHECK: fmha.schedule @d = @c with <k = <map = <row = [64, 512 xor 32], chunk_bytes = 1024, pad_bytes = 16>>>
fmha.schedule @d = @c with <k = <map = <row = [64, 512 xor 32], chunk_bytes = 1024, pad_bytes = 16>>>
