// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes next to each other have a row, each kColumnsOfLane of its columns. Rows
// of an item, and of a batch, are numbered head by head: row i is row i % n of
// head i / n. A wave has neighbours in that order.
//
// parts: G workgroups, or G / N for each of N items where there are fewer of
// these: workgroup w takes item w / S, for S = max(1, G / N), and of its pieces
// of rows each Sth from w % S on; then item w / S + G. So every piece is taken
// once. What is read of chunk c + kInFlight is under way while chunk c is
// added. Where there is nothing to read, an address of zeros stands in: a lane
// of a chunk that saw no key reads no O.
#include "Passes.h"
#include "chip/Chip.h"
#include "lower/CombineGrid.h"
#include "lower/EmptyAsm.h"
#include "lower/RowMath.h"
#include "work_list.h"

#include <limits>

namespace mlir::fmha {
#define GEN_PASS_DEF_LOWERCOMBINEPASS
#include "Passes.h.inc"

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int64_t kColumns = CombineOp::kColumnsOfLane;
constexpr int64_t kF32Bytes = 4, kI32Bytes = 4;
/// Chunks whose O is loaded while as many before them are added, and those
/// whose LSE a lane loads at once in search of the greatest.
constexpr int64_t kInFlight = 6, kAtOnce = 4;
constexpr unsigned kGlobalSpace = 1, kConstantSpace = 4;

/// The word of a record that has a field.
#define WORD_OF(field) int64_t(offsetof(fmhac_combine_item, field) / kI32Bytes)

/// Where a row of O and LSE lies; i64. Batch and start are the same in all
/// lanes.
struct Place {
  Value batch, start, head, row;
};

/// Fields of a tensor [B, S, H, D] of the kernel's arguments.
struct TensorFields {
  Arg base, batchStride, headStride;
  std::optional<Arg> rowStride; ///< none: f32 next to each other
};
constexpr TensorFields kO{Arg::O, Arg::OBatchStride, Arg::OHeadStride,
                          Arg::ORowStride};
constexpr TensorFields kLse{Arg::Lse, Arg::LseBatchStride, Arg::LseHeadStride,
                            std::nullopt};
constexpr TensorFields kOtherO{Arg::OtherO, Arg::OtherOBatchStride,
                               Arg::OtherOHeadStride, Arg::OtherORowStride};
constexpr TensorFields kOtherLse{Arg::OtherLse, Arg::OtherLseBatchStride,
                                 Arg::OtherLseHeadStride, std::nullopt};

class CombineLowering {
public:
  explicit CombineLowering(CombineOp op)
      : op(op), b(op), problem(op.getProblem()), lanes(*op.getLanes()) {}

  void run();

private:
  Value arg(Arg field) {
    return ArgOp::create(b, typeOfArg(field, b.getContext()), field);
  }
  Value load(Type type, Value address, int64_t alignBytes);
  Value loadUniform(Type type, Value address);
  Value batchField(Arg array, Value batch, int64_t step);
  Value startOf(Value batch);
  Value addressOf(const TensorFields &fields, const Place &place);
  Value orZeros(Value isThere, Value address) {
    return b.select(isThere, address, zeros);
  }

  void combineParts();
  void combineItem(Value item, Value slice, Value step);
  void combineResults();
  void forEachRow(Value rows, Value first, Value step,
                  function_ref<void(Value)> combine);
  Place placeOf(Value number, Value rows, Value firstHead, Value firstRow,
                Value batch);

  struct Chunks {
    Value count;            ///< i32
    Value lse, o;           ///< of the lane's first chunk; addresses
    Value lseBytes, oBytes; ///< from one to the next; i64
  };
  /// kInFlight chunks.
  struct Loaded {
    Values lses, outputs;
  };
  Value greatestOf(const Chunks &chunks);
  Values lsesFrom(const Chunks &chunks, Value first);
  Values maskPast(const Chunks &chunks, Value first, ArrayRef<Value> lses);
  Values outputsFrom(const Chunks &chunks, Value first, ArrayRef<Value> lses);
  Value firstChunk();
  void addBlock(const Loaded &block, Value shift, Value &sum, Value &acc);
  Values addBlocks(const Chunks &chunks, Value shift, Value sum, Value acc);
  void combineChunks(const Chunks &chunks, const Place &place);
  Value loadOutput(Value isThere, Value address);
  Value minuend(Value most);
  Value weightOf(Value lse, Value shift);
  void add(Value weight, Value o, Value &sum, Value &acc);
  void finish(const Place &place, Value shift, Value sum, Value acc,
              Value factor);
  Value outputFactor();

  CombineOp op;
  LaneBuilder b;
  ProblemAttr problem;
  int64_t lanes;
  VectorType columns;   ///< of a lane, as f32
  Value piece, column;  ///< of the lane; i32
  Value isPresent;      ///< the lane has columns
  Value rowOfWorkgroup; ///< i32
  Value zeros;          ///< address of so many as a lane loads of O
};

//===- Memory -------------------------------------------------------------===//

Value CombineLowering::load(Type type, Value address, int64_t alignBytes) {
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace), address);
  return LLVM::LoadOp::create(b, type, pointer, alignBytes);
}

/// Of what no kernel writes meanwhile; alike in all lanes.
Value CombineLowering::loadUniform(Type type, Value address) {
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), kConstantSpace), address);
  auto load = LLVM::LoadOp::create(b, type, pointer, kI32Bytes);
  load.setInvariant(true);
  return load;
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

void CombineLowering::add(Value weight, Value o, Value &sum, Value &acc) {
  sum = b.add(sum, weight);
  Value all = vector::BroadcastOp::create(b, columns, weight);
  acc = math::FmaOp::create(b, all, o, acc);
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
void CombineLowering::finish(const Place &place, Value shift, Value sum,
                             Value acc, Value factor) {
  Value isNone = b.cmp(arith::CmpFPredicate::OEQ, sum, b.f32(0));
  Value inverse = b.select(isNone, b.f32(0), b.reciprocal(sum));
  auto scaled = [&](Value by) {
    return b.mul(acc, vector::BroadcastOp::create(b, columns, by));
  };
  acc = scaled(inverse);
  if (factor)
    acc = scaled(factor);
  auto global = LLVM::LLVMPointerType::get(b.getContext(), kGlobalSpace);
  auto isStored = scf::IfOp::create(b, isPresent, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(isStored.thenBlock());
    const int64_t elemBytes = bytesOf(bitsOf(problem.getO()));
    Value address =
        b.add(addressOf(kO, place), b.zext64(b.mul(column, b.i32(elemBytes))));
    Value words = b.packAll(wordsOf(b, b.unpack(acc), problem.getO()));
    LLVM::StoreOp::create(b, words,
                          LLVM::IntToPtrOp::create(b, global, address),
                          std::min(kVectorAccessBytes, kColumns * elemBytes));
  }
  if (op.getSource() == CombineSource::Parts && !problem.getLse())
    return;
  Value isFirst = b.cmp(arith::CmpIPredicate::eq, piece, b.i32(0));
  auto stores = scf::IfOp::create(b, isFirst, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(stores.thenBlock());
  Value log2 = math::Log2Op::create(b, sum);
  Value lse = b.add(shift, b.mul(log2, b.f32(llvm::numbers::ln2f)));
  LLVM::StoreOp::create(
      b, lse, LLVM::IntToPtrOp::create(b, global, addressOf(kLse, place)),
      kF32Bytes);
}

//===- Rows ---------------------------------------------------------------===//

/// Calls `combine` with the number of the lane's row in each piece of rows that
/// the workgroup takes: from `first` on, `step` rows further each.
void CombineLowering::forEachRow(Value rows, Value first, Value step,
                                 function_ref<void(Value)> combine) {
  auto loop = scf::ForOp::create(b, first, rows, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value number = b.add(loop.getInductionVar(), rowOfWorkgroup);
  Value isThere = b.cmp(arith::CmpIPredicate::slt, number, rows);
  auto branch = scf::IfOp::create(b, isThere, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  combine(number);
}

/// Of row `number` among `rows` of each head.
Place CombineLowering::placeOf(Value number, Value rows, Value firstHead,
                               Value firstRow, Value batch) {
  Value head = arith::DivUIOp::create(b, number, rows);
  Value row = b.sub(number, b.mul(head, rows));
  return {batch, startOf(batch), b.zext64(b.add(head, firstHead)),
          b.zext64(b.add(row, firstRow))};
}

//===- Parts --------------------------------------------------------------===//

/// The greatest LSE of a row: its lanes look at a chunk each, kAtOnce at
/// once. The last one once more does no harm.
Value CombineLowering::greatestOf(const Chunks &chunks) {
  Value most = b.f32(-kInfinity);
  Value last = b.sub(chunks.count, b.i32(1));
  auto loop = scf::ForOp::create(b, b.i32(0), chunks.count,
                                 b.i32(kAtOnce * lanes), ValueRange(most));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values lses;
    for (int64_t i = 0; i < kAtOnce; ++i) {
      Value chunk =
          b.add(loop.getInductionVar(), b.add(piece, b.i32(i * lanes)));
      chunk = arith::MinSIOp::create(b, chunk, last);
      Value offset = b.mul(b.zext64(chunk), chunks.lseBytes);
      lses.push_back(
          load(b.getF32Type(), b.add(chunks.lse, offset), kF32Bytes));
    }
    Value greatest = loop.getRegionIterArgs().front();
    for (Value lse : lses)
      greatest = arith::MaxNumFOp::create(b, greatest, lse);
    scf::YieldOp::create(b, greatest);
  }
  most = loop.getResult(0);
  Type word = b.getI32Type();
  for (int64_t distance = 1; distance < lanes; distance *= 2) {
    Value from = b.mul(b.xorWith(b.id(Id::Lane), distance), b.i32(kI32Bytes));
    Value other =
        ROCDL::DsBpermuteOp::create(b, word, from, b.bitcast(word, most));
    most = arith::MaxNumFOp::create(b, most, b.bitcast(b.getF32Type(), other));
  }
  return most;
}

/// LSE of kInFlight chunks; past the last, of that.
Values CombineLowering::lsesFrom(const Chunks &chunks, Value first) {
  Value last = b.sub(chunks.count, b.i32(1));
  Values lses;
  for (int64_t i = 0; i < kInFlight; ++i) {
    Value chunk = arith::MinSIOp::create(b, b.add(first, b.i32(i)), last);
    Value offset = b.mul(b.zext64(chunk), chunks.lseBytes);
    lses.push_back(load(b.getF32Type(), b.add(chunks.lse, offset), kF32Bytes));
  }
  return lses;
}

/// LSE that was loaded of chunks from `first` on, -inf past the last. Not where
/// it is loaded, as that would wait for it.
Values CombineLowering::maskPast(const Chunks &chunks, Value first,
                                 ArrayRef<Value> lses) {
  Values masked;
  for (auto [i, lse] : llvm::enumerate(lses)) {
    Value isOne =
        b.cmp(arith::CmpIPredicate::slt, b.add(first, b.i32(i)), chunks.count);
    masked.push_back(b.select(isOne, lse, b.f32(-kInfinity)));
  }
  return masked;
}

/// Their O, zeros where LSE is -inf.
Values CombineLowering::outputsFrom(const Chunks &chunks, Value first,
                                    ArrayRef<Value> lses) {
  Values outputs;
  for (auto [i, lse] : llvm::enumerate(lses)) {
    Value chunk = b.zext64(b.add(first, b.i32(i)));
    // Not equal, so that NaN reads O, too.
    Value isThere = b.cmp(arith::CmpFPredicate::UNE, lse, b.f32(-kInfinity));
    Value address = b.add(chunks.o, b.mul(chunk, chunks.oBytes));
    outputs.push_back(
        load(columns, orZeros(isThere, address), kVectorAccessBytes));
  }
  return outputs;
}

/// 0, of which LLVM does not know it: it would take everything that follows
/// from the numbers of the first chunks out of the loop over rows, into more
/// scalar registers than there are.
Value CombineLowering::firstChunk() {
  Value zero = b.i32(0);
  return createEmptyAsm(b, zero.getType(), zero, "=s,0", /*hasEffects=*/true)
      .getResult(0);
}

void CombineLowering::addBlock(const Loaded &block, Value shift, Value &sum,
                               Value &acc) {
  for (auto [lse, o] : llvm::zip_equal(block.lses, block.outputs))
    add(weightOf(lse, shift), o, sum, acc);
}

/// The sum of weights and that of weighted O. Two blocks a round: what is
/// loaded lies in other registers than what is added, without copies, which
/// would wait for it. The test is at the end, for the same reason.
Values CombineLowering::addBlocks(const Chunks &chunks, Value shift, Value sum,
                                  Value acc) {
  Value zero = firstChunk(), step = b.i32(kInFlight);
  // LSE is loaded three blocks ahead, two before O, for which it has to be
  // there; and before O, so that nobody waits for that on its behalf.
  Values lses[] = {lsesFrom(chunks, zero), lsesFrom(chunks, step),
                   lsesFrom(chunks, b.add(step, step))};
  Loaded block{maskPast(chunks, zero, lses[0]), {}};
  block.outputs = outputsFrom(chunks, zero, block.lses);
  Values carried{zero, sum, acc};
  for (const Values &part : {block.lses, lses[1], lses[2], block.outputs})
    carried.append(part);
  SmallVector<Type> types(ValueRange(carried).getTypes());
  SmallVector<Location> locations(types.size(), b.getLoc());
  auto loop = scf::WhileOp::create(b, types, carried);
  OpBuilder::InsertionGuard guard(b);
  Block *body = b.createBlock(&loop.getBefore(), {}, types, locations);
  Values now(body->getArguments());
  Value first = now[0];
  sum = now[1];
  acc = now[2];
  auto part = [&](size_t number) {
    return Values(ArrayRef(now).slice(3 + number * kInFlight, kInFlight));
  };
  Loaded added{part(0), part(3)};
  Values next[] = {part(1), part(2)};
  for (Values &lse : next) {
    Value second = b.add(first, step);
    Loaded loaded{maskPast(chunks, second, lse), {}};
    lse = lsesFrom(chunks, b.add(second, b.add(step, step)));
    loaded.outputs = outputsFrom(chunks, second, loaded.lses);
    // LLVM would wait for what is added here before it asks for the next.
    amdgpu::SchedBarrierOp::create(b, amdgpu::sched_barrier_opt_enum::none);
    addBlock(added, shift, sum, acc);
    added = loaded;
    first = second;
  }
  Values yielded{first, sum, acc};
  for (const Values &values : {added.lses, next[0], next[1], added.outputs})
    yielded.append(values);
  scf::ConditionOp::create(
      b, b.cmp(arith::CmpIPredicate::slt, first, chunks.count), yielded);
  Block *end = b.createBlock(&loop.getAfter(), {}, types, locations);
  scf::YieldOp::create(b, end->getArguments());
  return {loop.getResult(1), loop.getResult(2)};
}

void CombineLowering::combineChunks(const Chunks &chunks, const Place &place) {
  Value most = greatestOf(chunks), sink;
  if (problem.getSink()) {
    Value offset = b.mul(place.head, b.i64(kF32Bytes));
    sink = load(b.getF32Type(), b.add(arg(Arg::Sink), offset), kF32Bytes);
    most = arith::MaxNumFOp::create(b, most, sink);
  }
  Value shift = minuend(most);
  Value isOne =
      b.cmp(arith::CmpIPredicate::sle, chunks.count, b.i32(kInFlight));
  Value sum = b.f32(0), acc = b.splat(columns, 0);
  auto branch = scf::IfOp::create(b, TypeRange{sum.getType(), acc.getType()},
                                  isOne, /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value zero = firstChunk(), weights = sum, total = acc;
    Values lses = maskPast(chunks, zero, lsesFrom(chunks, zero));
    addBlock({lses, outputsFrom(chunks, zero, lses)}, shift, weights, total);
    scf::YieldOp::create(b, ValueRange{weights, total});
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, addBlocks(chunks, shift, sum, acc));
  }
  sum = branch.getResult(0);
  acc = branch.getResult(1);
  if (sink)
    sum = b.add(sum, weightOf(sink, shift));
  finish(place, shift, sum, acc, outputFactor());
}

/// Pieces of the rows of an item, from `slice` on each `step`th.
void CombineLowering::combineItem(Value item, Value slice, Value step) {
  Type i32 = b.getI32Type();
  Value offset = b.mul(b.zext64(item), b.i64(sizeof(fmhac_combine_item)));
  Value record = loadUniform(VectorType::get({FMHAC_WORK_WORDS}, i32),
                             b.add(arg(Arg::CombineItems), offset));
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
  Value rowsOfChunk = b.mul(b.zext64(arg(Arg::HeadsQ)), b.zext64(rows));
  Value part = b.zext64(word(WORD_OF(part)));
  Value lse = b.add(arg(Arg::PartLse), b.mul(part, b.i64(kF32Bytes)));
  Value o = b.add(arg(Arg::PartO), b.mul(part, b.i64(rowBytes)));
  Value columnBytes = b.zext64(b.mul(column, b.i32(kF32Bytes)));
  Value ofPiece = b.i32(rowsOfWorkgroup(op));
  forEachRow(
      all, b.mul(slice, ofPiece), b.mul(step, ofPiece), [&](Value number) {
        Place place = placeOf(number, rows, firstHead, rowBegin, batch);
        Value own = b.zext64(number);
        Chunks chunks{word(WORD_OF(chunks)),
                      b.add(lse, b.mul(own, b.i64(kF32Bytes))),
                      b.add(b.add(o, columnBytes), b.mul(own, b.i64(rowBytes))),
                      b.mul(rowsOfChunk, b.i64(kF32Bytes)),
                      b.mul(rowsOfChunk, b.i64(rowBytes))};
        combineChunks(chunks, place);
      });
}

void CombineLowering::combineParts() {
  Type i32 = b.getI32Type();
  // As the launch has them; 64 bits, like the evaluation of that.
  Value rows = b.mul(b.zext64(arg(Arg::SeqlenQ)), b.zext64(arg(Arg::HeadsQ)));
  const int64_t ofPiece = rowsOfWorkgroup(op);
  rows = arith::ShRUIOp::create(b, b.add(rows, b.i64(ofPiece - 1)),
                                b.i64(llvm::Log2_64(ofPiece)));
  rows = b.mul(rows, b.zext64(arg(Arg::Batch)));
  Value walkers = arith::TruncIOp::create(
      b, i32, arith::MinUIOp::create(b, rows, b.i64(kMostWalkers)));
  Value count = loadUniform(i32, arg(Arg::CombineCount));
  Value one = b.i32(1);
  Value some = arith::MaxSIOp::create(b, count, one);
  Value slices =
      arith::MaxUIOp::create(b, arith::DivUIOp::create(b, walkers, some), one);
  Value number = ROCDL::BlockIdXOp::create(b, i32, LLVM::ConstantRangeAttr());
  Value first = arith::DivUIOp::create(b, number, slices);
  Value slice = b.sub(number, b.mul(first, slices));
  auto loop = scf::ForOp::create(b, first, count, walkers);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  combineItem(loop.getInductionVar(), slice, slices);
}

//===- Results ------------------------------------------------------------===//

/// The lane's columns of an O in memory, as f32; zeros where there is none.
Value CombineLowering::loadOutput(Value isThere, Value address) {
  Type element = problem.getO();
  const int64_t bytes = kColumns * bytesOf(bitsOf(element));
  address = orZeros(isThere, address);
  const int64_t align = std::min(bytes, kVectorAccessBytes);
  if (element.isF32())
    return load(columns, address, align);
  if (bitsOf(element) != kByteBits)
    return arith::ExtFOp::create(
        b, columns, load(VectorType::get({kColumns}, element), address, align));
  Type i32 = b.getI32Type();
  Value words = load(VectorType::get({bytes / kI32Bytes}, i32), address, align);
  auto pair = VectorType::get({2}, b.getF32Type());
  Values elements;
  for (int64_t i = 0; i < bytes / kI32Bytes; ++i)
    for (bool high : {false, true}) {
      Value word = vector::ExtractOp::create(b, words, i);
      Value two = ROCDL::CvtPkF32Fp8Op::create(b, pair, word, high);
      elements.append(b.unpack(two));
    }
  return b.packAll(elements);
}

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
  Value columnBytes =
      b.zext64(b.mul(column, b.i32(bytesOf(bitsOf(problem.getO())))));
  const std::pair<TensorFields, TensorFields> results[] = {
      {kLse, kO}, {kOtherLse, kOtherO}};
  Values lses, outputs;
  for (const auto &[lse, o] : results)
    lses.push_back(load(b.getF32Type(), addressOf(lse, place), kF32Bytes));
  for (auto [lse, fields] : llvm::zip_equal(lses, results)) {
    Value isRead = b.cmp(arith::CmpFPredicate::UNE, lse, b.f32(-kInfinity));
    outputs.push_back(loadOutput(
        isRead, b.add(addressOf(fields.second, place), columnBytes)));
  }
  Value shift = minuend(arith::MaxNumFOp::create(b, lses.front(), lses.back()));
  Value sum = b.f32(0), acc = b.splat(columns, 0);
  for (auto [lse, o] : llvm::zip_equal(lses, outputs))
    add(weightOf(lse, shift), o, sum, acc);
  finish(place, shift, sum, acc, /*factor=*/Value());
}

//===- The kernel ---------------------------------------------------------===//

void CombineLowering::run() {
  b.setInsertionPointToStart(&op.getBody().emplaceBlock());
  columns = VectorType::get({kColumns}, b.getF32Type());
  if (bitsOf(problem.getO()) == kByteBits)
    saturateConversions(b);
  Value zeroBytes = ZerosOp::create(b, b.getI64Type(), kColumns * kF32Bytes);
  zeros = hide(b, zeroBytes, RegisterKind::Scalar);
  Value lane = b.id(Id::Lane);
  piece = arith::AndIOp::create(b, lane, b.i32(lanes - 1));
  const int64_t rowsOfWave = chip::kWaveLanes / lanes;
  rowOfWorkgroup =
      b.add(b.mul(b.id(Id::Wave), b.i32(rowsOfWave)),
            arith::ShRUIOp::create(b, lane, b.i32(llvm::Log2_64(lanes))));
  // Lanes past the last column load that piece, too, and store nothing.
  const int64_t last = problem.getHeadDimV() / kColumns - 1;
  isPresent = b.cmp(arith::CmpIPredicate::sle, piece, b.i32(last));
  column =
      b.mul(arith::MinSIOp::create(b, piece, b.i32(last)), b.i32(kColumns));
  if (op.getSource() == CombineSource::Parts)
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
