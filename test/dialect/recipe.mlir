// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %fmhac-opt %s | %fmhac-opt | FileCheck %s
// RUN: %fmhac-opt %s -mlir-print-op-generic | %fmhac-opt | FileCheck %s

// One run, and columns that are no run.
// CHECK: fmha.recipe @a = <@scores [4 x [mfma 1, trans 3], 8 x [mfma 1, valu 6]], @v_in {{\[\[}}ds_read 12]]>
// A count of every column, and counts of each; a class in two rows, where orders differ.
// CHECK: fmha.recipe @b = <@s {{\[\[}}mfma 1, trans 2 2 0, valu 0 1 3, trans 0 0 1]]>
// Equal neighbours are one run, however they were written; three are columns of a table.
// CHECK: fmha.recipe @c = <@s [5 x [mfma 1, valu 2]], @t {{\[\[}}mfma 1, valu 2 2 2 0]]>
// A table that stands there twice.
// CHECK: fmha.recipe @d = <@s {{\[\[}}valu 1 0 1 0, salu 0 1 0 1]]>
// A table has 32 columns at most.
// CHECK: fmha.recipe @e = <@s {{\[\[}}valu 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2 1 2], [valu 1 2]]>
fmha.recipe @a = #fmha.recipe<@scores [4 x [mfma 1, trans 3], 8 x [mfma 1, valu 6]], @v_in [[ds_read 12]]>
fmha.recipe @b = #fmha.recipe<@s [[mfma 1, trans 2], [mfma 1, trans 2, valu 1], [mfma 1, valu 3, trans 1]]>
fmha.recipe @c = #fmha.recipe<@s [2 x [mfma 1, valu 2], [mfma 1, valu 2 2 2]], @t [[mfma 1 1 1 1, valu 2 2 2 0]]>
fmha.recipe @d = #fmha.recipe<@s [2 x [valu 1 0, salu 0 1]]>
fmha.recipe @e = #fmha.recipe<@s [17 x [valu 1 2]]>
