// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// parts: G workgroups in x, or G / N for each of N items where there are fewer
// of these: workgroup w takes item w / S, for S = max(1, G / N), and of its
// pieces of rows each Sth from w % S on; then item w / S + G. So every piece is
// taken once. A piece has as many rows as a wave has place for where chunks are
// few. Else it is one row: the lanes of a row are a team, and of T teams team t
// has chunks t, t + T, ...; what they have added is added last, neighbours
// first. A lane loads n chunks ahead: while it adds chunk c, the loads of chunk
// c + n T are in flight. A lane whose chunk saw no key reads zeros instead of
// O.
#include "Passes.h"
#include "lower/CombineChunks.h"
#include "lower/CombineGrid.h"
#include "work_list.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERCOMBINEPASS
#include "Passes.h.inc"

namespace {

/// The word of a record that has a field.
#define WORD_OF(field) int64_t(offsetof(fmhac_combine_item, field) / kI32Bytes)

/// Writes out one combination.
class CombineLowering : CombineChunks {
public:
  explicit CombineLowering(CombineOp op)
      : CombineChunks(op, op.getProblem(), *op.getLanes(),
                      op.getSource() == CombineSource::Parts),
        op(op) {}

  void run();

private:
  static constexpr TensorFields kOtherO{Arg::OtherO, Arg::OtherOBatchStride,
                                        Arg::OtherOHeadStride,
                                        Arg::OtherORowStride};
  static constexpr TensorFields kOtherLse{
      Arg::OtherLse, Arg::OtherLseBatchStride, Arg::OtherLseHeadStride,
      std::nullopt};

  Value setOf(Arg array);
  void combineParts();
  void combineItem(Value item, Value slice, Value step);
  void combineResults();

  CombineOp op;
};

//===- Parts --------------------------------------------------------------===//

/// Of an array of lists: that of the kernel of attention whose number in y the
/// workgroup has, where batches may be divided between kernels.
Value CombineLowering::setOf(Arg array) {
  if (!problem.getVarlenQ() && !problem.getLengthsQ())
    return arg(array);
  Value set =
      ROCDL::BlockIdYOp::create(b, b.getI32Type(), LLVM::ConstantRangeAttr());
  return b.add(arg(array), b.mul(b.zext64(set), arg(Arg::ListSetStride)));
}

/// Pieces of the rows of an item, from `slice` on each `step`th.
void CombineLowering::combineItem(Value item, Value slice, Value step) {
  Type i32 = b.getI32Type();
  Value offset = b.mul(b.zext64(item), b.i64(sizeof(fmhac_combine_item)));
  Value record = loadUniform(VectorType::get({FMHAC_WORK_WORDS}, i32),
                             b.add(setOf(Arg::CombineItems), offset));
  auto word = [&](int64_t index) -> Value {
    return vector::ExtractOp::create(b, record, index);
  };
  constexpr int64_t kHeadBits = 16;
  Value rowBegin = word(WORD_OF(row_begin));
  Value rows = b.sub(word(WORD_OF(row_end)), rowBegin);
  Value heads = word(WORD_OF(heads));
  Value firstHead =
      arith::AndIOp::create(b, heads, b.i32((1 << kHeadBits) - 1));
  Value endHead = arith::ShRUIOp::create(b, heads, b.i32(kHeadBits));
  Value all = b.mul(b.sub(endHead, firstHead), rows);
  Value batch = b.zext64(word(WORD_OF(batch)));
  const int64_t rowBytes = problem.getHeadDimV() * kF32Bytes;
  Value group = word(WORD_OF(group));
  Value ofQ = b.cmp(arith::CmpIPredicate::eq, group, b.i32(0));
  Value heads32 = b.select(ofQ, arg(Arg::HeadsQ), arg(Arg::HeadsKv));
  // Rows of parts are counted in 31 bits.
  Value rowsOfChunk = b.zext64(b.mul(heads32, rows));
  Value part = b.zext64(word(WORD_OF(part)));
  Value lse = b.add(arg(Arg::PartLse), b.mul(part, b.i64(kF32Bytes)));
  Value o = b.add(arg(Arg::PartO), b.mul(part, b.i64(rowBytes)));
  Value count = word(WORD_OF(chunks));
  const int64_t teams = chip::kWaveLanes / lanes;
  auto combineRow = [&](Value number, Way way) {
    auto placeOfRow = [&] {
      Place place = placeOf(number, rows, firstHead, rowBegin, batch);
      takeTurns(place, arith::MaxUIOp::create(b, group, b.i32(1)));
      return place;
    };
    Value own = b.zext64(number), ofRow = b.mul(own, b.i64(rowBytes));
    Chunks chunks{count, b.add(lse, b.mul(own, b.i64(kF32Bytes))),
                  b.add(b.add(o, ofRow), ownColumns()), rowsOfChunk,
                  b.mul(rowsOfChunk, b.i64(rowBytes))};
    if (!way.isSideBySide) {
      chunks.o = b.add(chunks.o, b.mul(b.zext64(team), chunks.oBytes));
      chunks.oBytes = b.mul(chunks.oBytes, b.i64(teams));
    }
    combineChunks(chunks, placeOfRow, way);
  };
  OpBuilder::InsertionGuard guard(b);
  auto branchUpTo = [&](int64_t most) {
    Value isAtMost = b.cmp(arith::CmpIPredicate::sle, count, b.i32(most));
    return scf::IfOp::create(b, isAtMost, /*withElseRegion=*/true);
  };
  Value ofPiece = b.i32(rowsOfWorkgroup(op));
  for (int64_t few : {kFewer, kFew}) {
    auto branch = branchUpTo(few);
    b.setInsertionPointToStart(branch.thenBlock());
    forEachRow(all, b.mul(slice, ofPiece), b.mul(step, ofPiece),
               [&](Value number) {
                 combineRow(number, {true, few});
               });
    b.setInsertionPointToStart(branch.elseBlock());
  }
  // A lane looks at each chunk of those at once.
  const int64_t most = std::min(kMostAtOnce, lanes);
  for (int64_t ofTeam : {most / 4, most}) {
    if (ofTeam * teams <= kFew)
      continue;
    auto branch = branchUpTo(ofTeam * teams);
    b.setInsertionPointToStart(branch.thenBlock());
    forEach(slice, all, step, [&](Value number) {
      combineRow(number, {false, ofTeam});
    });
    b.setInsertionPointToStart(branch.elseBlock());
  }
  forEach(slice, all, step, [&](Value number) {
    combineRow(number, {false, 0});
  });
}

void CombineLowering::combineParts() {
  Type i32 = b.getI32Type();
  // As the launch has them; 64 bits, like the evaluation of that.
  Value rows = b.mul(b.zext64(arg(Arg::SeqlenQ)), b.zext64(arg(Arg::HeadsQ)));
  rows = b.mul(rows, b.zext64(arg(Arg::Batch)));
  Value walkers = arith::TruncIOp::create(
      b, i32, arith::MinUIOp::create(b, rows, b.i64(kMostWalkers)));
  Value count = loadUniform(i32, setOf(Arg::CombineCount));
  // Of more items than walkers each is one's alone.
  Value some = arith::MinUIOp::create(
      b, arith::MaxSIOp::create(b, count, b.i32(1)), walkers);
  Value slices = arith::DivUIOp::create(b, walkers, some);
  Value number = ROCDL::BlockIdXOp::create(b, i32, LLVM::ConstantRangeAttr());
  Value first = arith::DivUIOp::create(b, number, slices);
  Value slice = b.sub(number, b.mul(first, slices));
  auto loop = scf::ForOp::create(b, first, count, walkers);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  combineItem(loop.getInductionVar(), slice, slices);
}

//===- Results ------------------------------------------------------------===//

/// O of 8 bits is that over its factor, which both have alike: no kernel needs
/// to know it.
void CombineLowering::combineResults() {
  Type i32 = b.getI32Type();
  LLVM::ConstantRangeAttr any;
  Value batch = b.zext64(ROCDL::BlockIdYOp::create(b, i32, any));
  Value rows = arg(Arg::SeqlenQ);
  if (problem.getVarlenQ())
    rows = b.sub(batchField(Arg::CuSeqlensQ, batch, 1),
                 batchField(Arg::CuSeqlensQ, batch, 0));
  else if (problem.getLengthsQ())
    rows = batchField(Arg::SeqlensQ, batch, 0);
  Value all = b.mul(rows, arg(Arg::HeadsQ));
  Value first =
      b.mul(ROCDL::BlockIdXOp::create(b, i32, any), b.i32(rowsOfWorkgroup(op)));
  Value number = b.add(first, rowOfWorkgroup);
  Value isThere = b.cmp(arith::CmpIPredicate::slt, number, all);
  auto branch = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Value none = b.i32(0);
  Place place = placeOf(number, rows, none, none, batch);
  const std::pair<TensorFields, TensorFields> results[] = {
      {kLse, kO}, {kOtherLse, kOtherO}};
  Values lses;
  SmallVector<Values> outputs;
  for (const auto &[lse, o] : results)
    lses.push_back(load(b.getF32Type(), addressOf(lse, place), kF32Bytes));
  for (auto [lse, fields] : llvm::zip_equal(lses, results)) {
    Value isRead = b.cmp(arith::CmpFPredicate::UNE, lse, b.f32(-kInfinity));
    Value address = b.add(addressOf(fields.second, place), ownColumns());
    outputs.push_back(loadRow(b.select(isRead, address, zeros)));
  }
  Value shift = minuend(arith::MaxNumFOp::create(b, lses.front(), lses.back()));
  Sums sums = noSums();
  for (auto [lse, o] : llvm::zip_equal(lses, outputs))
    add(weightOf(lse, shift), o, sums);
  finish(resultAt(place), shift, sums);
}

//===- The kernel ---------------------------------------------------------===//

void CombineLowering::run() {
  b.setInsertionPointToStart(&op.getBody().emplaceBlock());
  if (bitsOf(problem.getO()) == kByteBits)
    saturateConversions(b);
  chooseLanes();
  placeZeros();
  if (areParts)
    combineParts();
  else
    combineResults();
}

struct LowerCombine : impl::LowerCombinePassBase<LowerCombine> {
  LogicalResult run(CombineOp op) override {
    if (!op.getLaunchAttr())
      return op.emitOpError("expected lanes, waves and a launch, found none; "
                            "run fmha-tile-combine");
    LaunchAttr expected = launchOf(op);
    if (op.getLaunchAttr() != expected)
      return op.emitOpError("expected the launch that its code counts on, ")
             << expected << ", found " << op.getLaunchAttr();
    CombineLowering(op).run();
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
