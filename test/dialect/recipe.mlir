// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// Tables stay as they are written.
// CHECK: fmha.recipe @a = <@scores [4 x [mfma 1, trans 3], 8 x [mfma 1, valu 6]], @v_in {{\[\[}}ds_read 12]]>
// A count of every column, and counts of each; a class in two rows.
// CHECK: fmha.recipe @b = <@s {{\[\[}}mfma 1, trans 2 2 0, valu 0 1 3, trans 0 0 1]]>
// Equal columns are one that repeats.
// CHECK: fmha.recipe @c = <@s [2 x [mfma 1, valu 2], 3 x [mfma 1, valu 2]], @t {{\[\[}}mfma 1, valu 2 2 2 0]]>
// A table that stands there twice.
// CHECK: fmha.recipe @d = <@s [2 x [valu 1 0, salu 0 1], 6 x [valu 1]]>
fmha.recipe @a = #fmha.recipe<@scores [4 x [mfma 1, trans 3], 8 x [mfma 1, valu 6]], @v_in [[ds_read 12]]>
fmha.recipe @b = #fmha.recipe<@s [[mfma 1, trans 2 2 0, valu 0 1 3, trans 0 0 1]]>
fmha.recipe @c = #fmha.recipe<@s [2 x [mfma 1, valu 2], [mfma 1, valu 2 2 2]], @t [[mfma 1 1 1 1, valu 2 2 2 0]]>
fmha.recipe @d = #fmha.recipe<@s [2 x [valu 1 0, salu 0 1], 3 x [valu 1 1]]>
