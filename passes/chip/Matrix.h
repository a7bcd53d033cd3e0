// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The matrix instructions of gfx950, by their shape and the elements of their
/// operands. The table is matrix.def.
#ifndef FMHA_CHIP_MATRIX_H
#define FMHA_CHIP_MATRIX_H

#include "FmhaDialect.h"

namespace mlir::fmha::chip {

/// Index bits of one matrix instruction, low bit first: what each lane bit and
/// each register bit adds to (outer, inner) of a fragment. For operands A and
/// B, outer is the row of A or the column of B and inner the contracted index;
/// for the result, outer is the row and inner the column.
struct FragmentMap {
  llvm::SmallVector<std::pair<int64_t, int64_t>, 6> lane;
  llvm::SmallVector<std::pair<int64_t, int64_t>, 4> reg;
  int64_t elems() const { return int64_t(1) << reg.size(); }
};

struct MatrixInstruction {
  StringRef name; ///< "32x32x16_bf16"
  int64_t cycles; ///< for which it takes the matrix unit of a SIMD
  FragmentMap a, b, result;
  bool sparse = false; ///< A has two of four contracted elements
  /// Whether there is a v_mfma_scale of it, which multiplies rows of A and
  /// columns of B by powers of two.
  bool takesExponents = false;
};

/// The instruction of this shape on operands with these elements; nothing if
/// gfx950 has none.
std::optional<MatrixInstruction> lookupMatrix(MfmaAttr shape, Type a, Type b);
/// That of a product with an operand that goes through LDS, which is its A.
std::optional<MatrixInstruction> lookupMatrix(const StagedOperand &a,
                                              ProblemAttr problem,
                                              ScheduleAttr schedule);

/// What sums the rows of P, its B, by the shape of a schedule's `sums`: ones of
/// the same elements times P. Where there is one, the instruction with a sparse
/// A: even rows of A have the first two of four keys, odd rows the others, so
/// that the sums of a row of P are in two parts.
std::optional<MatrixInstruction> lookupSums(MfmaAttr shape, Type p);
/// Registers of a lane, one after the other, that hold parts of a sum.
int64_t sumParts(const MatrixInstruction &sums);

/// Adds to a diagnostic that there is none: "expected qk to be a matrix
/// instruction of gfx950 on 'bf16' and 'bf16' (32x32x16, 16x16x32), found …"
InFlightDiagnostic refuseMatrix(InFlightDiagnostic diag, StringRef what,
                                MfmaAttr shape, Type a, Type b);

} // namespace mlir::fmha::chip

#endif // FMHA_CHIP_MATRIX_H
