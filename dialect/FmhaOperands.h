// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What is particular to an operand, and to a step: the one place that tells
/// them apart.
#ifndef FMHA_OPERANDS_H
#define FMHA_OPERANDS_H

#include "FmhaInterfaces.h"

namespace mlir::fmha {

/// An operand whose tiles go through LDS into a product.
struct StagedOperand {
  Operand operand;
  StepKind page, load, write, read, product; ///< its steps
  StepKind scale, unit; ///< of a factor that all keys of a tile share
  Operand factors;      ///< its dequantisation factors
  /// Dimension of its tile that the product sums over. With keys it adds to the
  /// product of the tile before, and what is past the last key must be zero;
  /// with columns it starts anew, and what is past the last key gets masked.
  unsigned summedDim;
  TileRole tile, result;               ///< its own, and that of the product
  Type (ProblemAttr::*memory)() const; ///< its elements in memory
  Type (ProblemAttr::*factor)() const; ///< of what its tiles meet
  StagingAttr (ScheduleAttr::*staging)() const;
  MfmaAttr (ScheduleAttr::*instruction)() const; ///< of the product
  /// Its steps are those of the operand before it in the table, with whose
  /// product its own goes on. They stay whole, in the last place of each.
  bool isFurther = false;

  bool sumsKeys() const { return summedDim == 0; }
  Type getMemoryElement(ProblemAttr problem) const {
    return (problem.*memory)();
  }
  /// The element type of its tiles in LDS and in lanes. Where elements in
  /// memory have fewer bits than those of the tile that it meets, the kernel
  /// converts them to that tile's type before it writes LDS.
  Type getElement(ProblemAttr problem) const {
    Type own = getMemoryElement(problem), other = getFactor(problem);
    return bitsOf(own) < bitsOf(other) ? other : own;
  }
  Type getFactor(ProblemAttr problem) const { return (problem.*factor)(); }
  StagingAttr getStaging(ScheduleAttr schedule) const {
    return (schedule.*staging)();
  }
  MfmaAttr getInstruction(ScheduleAttr schedule) const {
    return (schedule.*instruction)();
  }
  /// Of a tile with `cols` columns of data those that matrix instructions take,
  /// which take several at once.
  int64_t getReadCols(ScheduleAttr schedule, int64_t cols) const {
    MfmaAttr shape = getInstruction(schedule);
    return llvm::alignTo(cols, sumsKeys() ? shape.getM() : shape.getK());
  }
};

/// All of them, in the order of their steps.
ArrayRef<StagedOperand> stagedOperands();
/// Null for an operand that does not go through LDS.
const StagedOperand *lookupStaged(Operand operand);
/// The same of an op, whose verifier refuses others.
const StagedOperand &staged(Operand operand);
/// The operand whose tensor its tiles are columns of: its own, or K's.
Operand tensorOf(ProblemAttr problem, Operand operand);
/// Columns at the end of K whose tiles are those of k_rope: what lies in a
/// tensor of its own; or what V, which is the others, does not have, so that
/// widths of tiles are closer to those of the data. 0: none.
int64_t furtherCols(ProblemAttr problem, ScheduleAttr schedule);
/// Whether tiles of V are read from the buffers of K, which have them: V lies
/// in K, the schedule shares buffers, and no tile of V is wider than one of K.
bool sharesBuffer(ProblemAttr problem, ScheduleAttr schedule, Operand operand);
/// Whether what is brought past the last key has to be zero: a product sums
/// keys of what the buffer holds.
bool bringsZeros(ProblemAttr problem, ScheduleAttr schedule, Operand operand);
/// Of the columns of a buffer those that some read takes; `cols` are the
/// operand's own.
int64_t readColsOf(ProblemAttr problem, ScheduleAttr schedule, Operand operand,
                   int64_t cols);
/// The first of operands that share steps. By the step that looks its pages up,
/// loads it, writes it to LDS, multiplies
/// with it, reads it, or has to do with factors of its tiles; null for other
/// steps.
const StagedOperand *lookupPage(StepKind step);
const StagedOperand *lookupLoad(StepKind step);
const StagedOperand *lookupWrite(StepKind step);
const StagedOperand *lookupProduct(StepKind step);
const StagedOperand *lookupRead(StepKind step);
const StagedOperand *lookupTileFactor(StepKind step);

/// As instructions are written: "sc0 nt sc1", or "none".
std::string spell(CachePolicy policy);

/// The kernel arguments that say where the slices of a tensor lie.
struct TensorArgs {
  Arg base;
  std::optional<Arg> batchStride; ///< else rows are those of a work item, but
                                  ///< where a head has one value
  std::optional<Arg> headStride;  ///< else it is of all heads
  std::optional<Arg> rowStride;   ///< else rows lie one after the other
  Sequence rows;
  bool kvHeads = false; ///< heads are those of K and V
  bool byKey = false;   ///< a row has an element a key; never packed
  std::optional<Arg> pageStride = std::nullopt; ///< of K and V
  bool byHead = false; ///< f32 next to each other, one a head: of no rows

  /// Whether its rows are those of a part of a work item, one after the other.
  bool isOfItem() const { return !batchStride && !byHead; }
};
TensorArgs tensorArgs(Operand operand);

/// Whether the factors that are `operand` are of pages, found by their numbers.
bool hasFactorsOfPages(ProblemAttr problem, Operand operand);
/// Rows of the operand that share one of the factors that are `operand`:
/// 0: all of a head, or it has no factors.
int64_t rowsAFactor(ProblemAttr problem, Operand operand);
/// Whether a factor of Q differs between the rows of a tile: those of rows of
/// their own, and of heads where a tile has rows of several.
bool hasFactorsOfRows(ProblemAttr problem, ScheduleAttr schedule);
/// Whether every tile of so many keys has one factor.
bool sharesFactor(ProblemAttr problem, Operand operand, int64_t keys);
/// Whether scores and O are carried in units of the factor that all keys of a
/// tile share, which the schedule has steps for: a change of K's changes what
/// scores start from, one of V's O. Else each score, and each weight, is
/// multiplied by its key's.
bool followsTileFactor(ProblemAttr problem, ScheduleAttr schedule,
                       const StagedOperand &operand);
/// A power of two: rows that differ only in bits below it share a factor.
int64_t alignedRowsAFactor(ProblemAttr problem, Operand operand);

/// A power of two: rows that differ only in bits below it lie in one page.
int64_t alignedRowsAPage(ProblemAttr problem);
/// Elements of a piece of 16 bytes, if pages hold the operand in pieces; 0 if
/// they hold it in rows.
int64_t pieceElems(ProblemAttr problem, Operand operand);
/// The dimension whose neighbours lie on end, in a row or a piece in memory and
/// in LDS. Columns (1); of pieces of V keys (0), which the product sums, so
/// that a lane reads what it multiplies.
unsigned dimOnEnd(ProblemAttr problem, Operand operand);
/// Whether V takes the numbers of pages that were looked up for K: a tile lies
/// in one page, and K's look-up comes no later than V's would.
bool takesPagesOfK(ProblemAttr problem, ScheduleAttr schedule);
/// Whether scalar loads of page numbers stay in the stage that has them. LLVM
/// puts loads of what does not change where their results are used; groups of
/// waves that alternate would wait for one another there.
bool holdsLookUps(ScheduleAttr schedule);
/// Whether all lanes that hold keys so (one coordinate, that of a tile) have
/// them in the same page, register by register.
bool sharePages(ProblemAttr problem, LaneLayoutAttr keys);

/// Whether a schedule may divide the step.
bool canBeDivided(StepKind step);
/// Whether an instruction of the class may come of the step. Any step may take
/// scalar and vector instructions, for addresses and bounds.
bool canMake(StepKind step, SchedClass kind);
/// Whether the step changes scores between their product and the exponents, so
/// that a schedule whose product gives exponents has no place for it.
bool changesScores(StepKind step);
/// Whether a loop may lack the step although the schedule has a place for it:
/// nothing is done to the scores of a plain problem, loads write LDS themselves
/// where no element is converted, pages are looked up where there are any, and
/// factors are followed where tiles have some.
bool isOptional(StepKind step);

} // namespace mlir::fmha

#endif // FMHA_OPERANDS_H
