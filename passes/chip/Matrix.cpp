// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chip/Matrix.h"

#include "chip/Chip.h"

using namespace mlir;
using namespace mlir::fmha;
using namespace mlir::fmha::chip;

namespace {

/// A row of the table.
struct Row {
  int64_t m, n, k;
  ElementKind a, b;
  int64_t passes, runs;
  llvm::StringLiteral name;
  bool sparse;

  bool takes(std::optional<ElementKind> ofA,
             std::optional<ElementKind> ofB) const {
    return ofA == a && ofB == b;
  }
};

constexpr Row kRows[] = {
#define FMHA_MATRIX(m, n, k, a, b, passes, runs, name)                         \
  {m, n, k, ElementKind::a, ElementKind::b, passes, runs, name, false},
#define FMHA_SPARSE_MATRIX(m, n, k, a, b, passes, runs, name)                  \
  {m, n, k, ElementKind::a, ElementKind::b, passes, runs, name, true},
#include "chip/matrix.def"
};

/// Operand map: the low lane bits count `outer`, the high ones count groups of
/// contracted elements. A lane has one group of each run. Register bits count
/// elements of a group, then runs.
FragmentMap operandMap(int64_t outer, int64_t k, int64_t runs) {
  FragmentMap map;
  int64_t ofRun = outer * k / kWaveLanes / runs;
  for (int64_t bit = 1; bit < outer; bit *= 2)
    map.lane.push_back({bit, 0});
  for (int64_t bit = ofRun; bit < k / runs; bit *= 2)
    map.lane.push_back({0, bit});
  for (int64_t bit = 1; bit < ofRun; bit *= 2)
    map.reg.push_back({0, bit});
  for (int64_t bit = k / runs; bit < k; bit *= 2)
    map.reg.push_back({0, bit});
  return map;
}

/// Result map: the low lane bits count columns; four consecutive registers are
/// four rows; the high lane bits count groups of four rows, register bits above
/// the second continue where lanes end.
FragmentMap resultMap(int64_t m, int64_t n) {
  constexpr int64_t kRowsPerGroup = 4;
  FragmentMap map;
  for (int64_t bit = 1; bit < n; bit *= 2)
    map.lane.push_back({0, bit});
  for (int64_t bit = 1; bit < kRowsPerGroup; bit *= 2)
    map.reg.push_back({bit, 0});
  int64_t row = kRowsPerGroup;
  for (; int64_t(map.lane.size()) < kWaveLaneBits; row *= 2)
    map.lane.push_back({row, 0});
  for (; row < m; row *= 2)
    map.reg.push_back({row, 0});
  return map;
}

} // namespace

static std::optional<MatrixInstruction> lookup(MfmaAttr shape, Type a, Type b,
                                               bool sparse) {
  // Source: CDNA4 ISA guide, 7.6.
  constexpr int64_t kPassCycles = 4;
  for (const Row &row : kRows)
    if (shape.getM() == row.m && shape.getN() == row.n &&
        shape.getK() == row.k && row.sparse == sparse &&
        row.takes(kindOf(a), kindOf(b)))
      return MatrixInstruction{
          row.name,
          row.passes * kPassCycles,
          operandMap(row.m, sparse ? row.k / 2 : row.k, sparse ? 1 : row.runs),
          operandMap(row.n, row.k, row.runs),
          resultMap(row.m, row.n),
          sparse,
          row.name.ends_with("_f8f6f4")};
  return std::nullopt;
}

std::optional<MatrixInstruction> chip::lookupMatrix(MfmaAttr shape, Type a,
                                                    Type b) {
  return lookup(shape, a, b, /*sparse=*/false);
}

std::optional<MatrixInstruction> chip::lookupSums(MfmaAttr shape, Type p) {
  if (std::optional<MatrixInstruction> sparse = lookup(shape, p, p, true))
    return sparse;
  return lookupMatrix(shape, p, p);
}

int64_t chip::sumParts(const MatrixInstruction &sums) {
  return sums.sparse ? 2 : 1;
}

std::optional<MatrixInstruction> chip::lookupMatrix(const StagedOperand &a,
                                                    ProblemAttr problem,
                                                    ScheduleAttr schedule) {
  return lookupMatrix(a.getInstruction(schedule), a.getElement(problem),
                      a.getFactor(problem));
}

InFlightDiagnostic chip::refuseMatrix(InFlightDiagnostic diag, StringRef what,
                                      MfmaAttr shape, Type a, Type b) {
  diag << "expected " << what << " to be a matrix instruction of gfx950 on "
       << a << " and " << b;
  StringRef before = " (";
  for (const Row &row : kRows)
    if (!row.sparse && row.takes(kindOf(a), kindOf(b))) {
      diag << before << row.m << "x" << row.n << "x" << row.k;
      before = ", ";
    }
  diag << (before == ", " ? ")" : ", which there is none for") << ", found "
       << shape.getM() << "x" << shape.getN() << "x" << shape.getK();
  return diag;
}
