// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes next to each other have a row, each kColumnsOfLane of its columns, in
// pieces of as many as one access moves: the first pieces of all lanes lie next
// to each other, then the second ones. Rows of an item, and of a batch, are
// numbered head by head: row i is row i % n of head i / n. A wave has
// neighbours in that order. Rows of an item may be those of a group of heads of
// Q, for a head of K and V.
//
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
#include "lower/CombineGrid.h"
#include "lower/CombineLowering.h"
#include "lower/EmptyAsm.h"
#include "work_list.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERCOMBINEPASS
#include "Passes.h.inc"

namespace {

constexpr int64_t kColumns = CombineOp::kColumnsOfLane;
constexpr unsigned kMemorySpace = 1;

/// The word of a record that has a field.
#define WORD_OF(field) int64_t(offsetof(fmhac_combine_item, field) / kI32Bytes)

constexpr CombineLowering::TensorFields kO{Arg::O, Arg::OBatchStride,
                                           Arg::OHeadStride, Arg::ORowStride};
constexpr CombineLowering::TensorFields kLse{Arg::Lse, Arg::LseBatchStride,
                                             Arg::LseHeadStride, std::nullopt};
constexpr CombineLowering::TensorFields kOtherO{
    Arg::OtherO, Arg::OtherOBatchStride, Arg::OtherOHeadStride,
    Arg::OtherORowStride};
constexpr CombineLowering::TensorFields kOtherLse{
    Arg::OtherLse, Arg::OtherLseBatchStride, Arg::OtherLseHeadStride,
    std::nullopt};

} // namespace

//===- Memory -------------------------------------------------------------===//

Value CombineLowering::load(Type type, Value address, int64_t alignBytes) {
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kMemorySpace), address);
  return LLVM::LoadOp::create(b, type, pointer, alignBytes);
}

/// Element batch + `step` of an i32 array.
Value CombineLowering::batchField(Arg array, Value batch, int64_t step) {
  Value offset = b.mul(b.add(batch, b.i64(step)), b.i64(kI32Bytes));
  return loadUniform(b.getI32Type(), b.add(arg(array), offset));
}

/// The row of a packed tensor at which a batch begins.
Value CombineLowering::startOf(Value batch) {
  if (!problem.getVarlenQ())
    return b.i64(0);
  return b.zext64(batchField(Arg::CuSeqlensQ, batch, 0));
}

/// Of the first column.
Value CombineLowering::addressOf(const TensorFields &fields,
                                 const Place &place) {
  Value rowBytes = fields.rowStride ? arg(*fields.rowStride) : b.i64(kF32Bytes);
  Value uniform =
      b.add(arg(fields.base), b.mul(place.batch, arg(fields.batchStride)));
  uniform = b.add(uniform, b.mul(place.start, rowBytes));
  Value own = b.add(b.mul(place.head, arg(fields.headStride)),
                    b.mul(place.row, rowBytes));
  return b.add(uniform, own);
}

//===- Arithmetic ---------------------------------------------------------===//

/// What is subtracted of LSE: of a row without keys a difference would be NaN.
Value CombineLowering::minuend(Value most) {
  Value isNone = b.cmp(arith::CmpFPredicate::OEQ, most, b.f32(-kInfinity));
  return b.select(isNone, b.f32(0), most);
}

Value CombineLowering::weightOf(Value lse, Value shift) {
  return b.exp2(b.mul(b.sub(lse, shift), b.f32(llvm::numbers::log2ef)));
}

void CombineLowering::add(Value weight, ArrayRef<Value> o, Sums &sums) {
  sums.weights = b.add(sums.weights, weight);
  Value all = vector::BroadcastOp::create(b, columns, weight);
  for (auto [sum, part] : llvm::zip_equal(sums.outputs, o))
    sum = math::FmaOp::create(b, all, part, sum);
}

/// One over the factor by which an O of 8 bits is divided; null: nothing. The
/// reciprocal of the largest f32 would be below 2^-126, and so zero.
Value CombineLowering::outputFactor() {
  if (bitsOf(problem.getO()) != kByteBits)
    return {};
  constexpr float kDown = 0x1p-24f, kMost = 0x1p100f;
  Value divisor = loadUniform(b.getF32Type(), arg(Arg::OScale));
  Value one = b.f32(1);
  Value isLarge = b.cmp(arith::CmpFPredicate::OGT, divisor, one);
  Value down = b.select(isLarge, b.f32(kDown), one);
  Value inverse = b.mul(b.reciprocal(b.mul(divisor, down)), down);
  return arith::MinNumFOp::create(b, inverse, b.f32(kMost));
}

/// Stores O and LSE. Without keys the sum of weights is 0, and so is O.
void CombineLowering::finish(const Place &place, Value shift, Sums sums,
                             Value factor) {
  Value isNone = b.cmp(arith::CmpFPredicate::OEQ, sums.weights, b.f32(0));
  Value inverse = b.select(isNone, b.f32(0), b.reciprocal(sums.weights));
  Type element = problem.getO();
  const int64_t elemBytes = bytesOf(bitsOf(element));
  const int64_t align =
      std::min(kVectorAccessBytes, columns.getNumElements() * elemBytes);
  auto global = LLVM::LLVMPointerType::get(b.getContext(), kMemorySpace);
  Value row = addressOf(kO, place);
  for (auto [piece, sum] : llvm::zip_equal(pieces, sums.outputs)) {
    // Not one factor: f32 below 2^-126 are zeros.
    Value o = sum;
    for (Value by : {inverse, factor})
      if (by)
        o = b.mul(o, vector::BroadcastOp::create(b, columns, by));
    Value words = b.packAll(wordsOf(b, b.unpack(o), element));
    Value address = b.add(row, b.zext64(b.mul(piece.column, b.i32(elemBytes))));
    Value pointer = LLVM::IntToPtrOp::create(b, global, address);
    OpBuilder::InsertionGuard guard(b);
    if (piece.isPresent)
      b.setInsertionPointToStart(
          scf::IfOp::create(b, piece.isPresent, /*withElseRegion=*/false)
              .thenBlock());
    LLVM::StoreOp::create(b, words, pointer, align);
  }
  if (op.getSource() == CombineSource::Parts && !problem.getLse())
    return;
  Value isFirst = b.cmp(arith::CmpIPredicate::eq, lane, b.i32(0));
  auto stores = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(stores.thenBlock());
  Value log2 = math::Log2Op::create(b, sums.weights);
  Value lse = b.add(shift, b.mul(log2, b.f32(llvm::numbers::ln2f)));
  LLVM::StoreOp::create(
      b, lse, LLVM::IntToPtrOp::create(b, global, addressOf(kLse, place)),
      kF32Bytes);
}

//===- Pieces -------------------------------------------------------------===//

/// Lanes past the last piece of a row load that, too, and do not store it.
void CombineLowering::choosePieces() {
  source = op.getSource() == CombineSource::Parts ? Type(b.getF32Type())
                                                  : problem.getO();
  const int64_t bytes = bytesOf(bitsOf(source));
  const int64_t width = std::min(kColumns, kVectorAccessBytes / bytes);
  const int64_t last = problem.getHeadDimV() / width - 1;
  columns = VectorType::get({width}, b.getF32Type());
  for (int64_t first = 0; first < lanes * kColumns / width; first += lanes) {
    Piece piece;
    Value number = b.add(lane, b.i32(first));
    if (first + lanes - 1 > last) {
      piece.isPresent = b.cmp(arith::CmpIPredicate::sle, number, b.i32(last));
      number = arith::MinSIOp::create(b, number, b.i32(last));
    }
    piece.column = b.mul(number, b.i32(width));
    // A constant where it can be, which loads have room for.
    piece.ahead = b.i64(first * width * bytes);
    if (first && piece.isPresent)
      piece.ahead = b.zext64(
          b.mul(b.sub(piece.column, pieces.front().column), b.i32(bytes)));
    pieces.push_back(piece);
  }
  const int64_t span =
      (int64_t(pieces.size()) - 1) * lanes * width * bytes + kVectorAccessBytes;
  Value zeroBytes =
      ZerosOp::create(b, b.getI64Type(), int64_t(llvm::PowerOf2Ceil(span)));
  zeros = hide(b, zeroBytes, RegisterKind::Scalar);
}

/// What was loaded of a piece, as f32.
Value CombineLowering::widen(Value loaded) {
  if (source.isF32())
    return loaded;
  if (bitsOf(source) != kByteBits)
    return arith::ExtFOp::create(b, columns, loaded);
  auto pair = VectorType::get({2}, b.getF32Type());
  Values elements;
  for (Value word : b.unpack(loaded))
    for (bool high : {false, true}) {
      Value two = ROCDL::CvtPkF32Fp8Op::create(b, pair, word, high);
      elements.append(b.unpack(two));
    }
  return b.packAll(elements);
}

/// Bytes of what is loaded of a row before the lane's first column.
Value CombineLowering::ownColumns() {
  return b.zext64(b.mul(pieces.front().column, b.i32(bytesOf(bitsOf(source)))));
}

/// The lane's pieces of the O at an address, that of its first column; zeros
/// where there is none.
Values CombineLowering::loadRow(Value isThere, Value address) {
  const int64_t elemBytes = bytesOf(bitsOf(source));
  const int64_t bytes = columns.getNumElements() * elemBytes;
  Type type = VectorType::get({columns.getNumElements()}, source);
  if (bitsOf(source) == kByteBits)
    type = VectorType::get({bytes / kI32Bytes}, b.getI32Type());
  address = b.select(isThere, address, zeros);
  Values loaded;
  for (const Piece &piece : pieces)
    loaded.push_back(widen(load(type, b.add(address, piece.ahead), bytes)));
  return loaded;
}

//===- Rows ---------------------------------------------------------------===//

void CombineLowering::forEach(Value first, Value past, Value step,
                              function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(b, first, past, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

/// Calls `combine` with the number of the lane's row in each piece of rows that
/// the workgroup takes: from `first` on, `step` rows further each.
void CombineLowering::forEachRow(Value rows, Value first, Value step,
                                 function_ref<void(Value)> combine) {
  forEach(first, rows, step, [&](Value begin) {
    Value number = b.add(begin, rowOfWorkgroup);
    Value isThere = b.cmp(arith::CmpIPredicate::slt, number, rows);
    auto branch = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
    b.setInsertionPointToStart(branch.thenBlock());
    combine(number);
  });
}

/// Of row `number` among `rows` of each head.
CombineLowering::Place CombineLowering::placeOf(Value number, Value rows,
                                                Value firstHead, Value firstRow,
                                                Value batch) {
  Value head = arith::DivUIOp::create(b, number, rows);
  Value row = b.sub(number, b.mul(head, rows));
  return {batch, startOf(batch), b.zext64(b.add(head, firstHead)),
          b.zext64(b.add(row, firstRow))};
}

/// Of rows of `group` heads, which take turns: the row of Q, and its head. Of a
/// group of one nothing changes.
void CombineLowering::takeTurns(Place &place, Value group) {
  Type i32 = b.getI32Type();
  Value packed = arith::TruncIOp::create(b, i32, place.row);
  Value head = arith::TruncIOp::create(b, i32, place.head);
  Value row = arith::DivUIOp::create(b, packed, group);
  Value member = b.sub(packed, b.mul(row, group));
  place.row = b.zext64(row);
  place.head = b.zext64(b.add(b.mul(head, group), member));
}

//===- Parts --------------------------------------------------------------===//

/// Of an array of lists: that of the kernel of attention whose number in y the
/// workgroup has, where batches may be divided between kernels.
Value CombineLowering::setOf(Arg array) {
  if (isOfRuns() || (!problem.getVarlenQ() && !problem.getLengthsQ()))
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
  // Rows of parts are counted in 31 bits. Each run has the rows of one tile.
  Value rowsOfChunk =
      b.zext64(isOfRuns() ? arg(Arg::RunPartRows) : b.mul(heads32, rows));
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
    outputs.push_back(loadRow(isRead, address));
  }
  Value shift = minuend(arith::MaxNumFOp::create(b, lses.front(), lses.back()));
  Sums sums = noSums();
  for (auto [lse, o] : llvm::zip_equal(lses, outputs))
    add(weightOf(lse, shift), o, sums);
  finish(place, shift, sums, /*factor=*/Value());
}

//===- The kernel ---------------------------------------------------------===//

void CombineLowering::run() {
  b.setInsertionPointToStart(&op.getBody().emplaceBlock());
  if (bitsOf(problem.getO()) == kByteBits)
    saturateConversions(b);
  Value ofWave = b.id(Id::Lane);
  lane = arith::AndIOp::create(b, ofWave, b.i32(lanes - 1));
  team = arith::ShRUIOp::create(b, ofWave, b.i32(llvm::Log2_64(lanes)));
  rowOfWorkgroup =
      b.add(b.mul(b.id(Id::Wave), b.i32(chip::kWaveLanes / lanes)), team);
  choosePieces();
  if (op.getSource() == CombineSource::Parts)
    combineParts();
  else
    combineResults();
}

namespace {
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
