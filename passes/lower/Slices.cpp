// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/Slices.h"
#include "lanes/PackedRows.h"
#include "lower/EmptyAsm.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// Extents stay below it by the launcher's proof.
constexpr int64_t kPastEveryExtent = 0xFFFFFFF0;

bool isPacked(ProblemAttr problem, Sequence sequence) {
  return sequence == Sequence::Q ? problem.getVarlenQ() : problem.getVarlenKv();
}

/// Emits the slice of one view.
class SliceBuilder {
public:
  SliceBuilder(ViewOp op, Caches &caches)
      : op(op), caches(caches), args(tensorArgs(op.getOperand())), b(op),
        problem(b.kernel().getProblem()) {}

  Slice build();

private:
  Value arg64(Arg field) { return ArgOp::create(b, b.getI64Type(), field); }
  int64_t elemBytes() {
    return bytesOf(bitsOf(op.getView().getType().getElement()));
  }
  Value rowStride();
  Value headStride();
  Value rowBytes();
  Value bytesOfRow();
  Value rows();
  bool isPacked() {
    // Blocks of rows, and what heads have one of, have their places by batch.
    const bool isFactor = op.getOperand() == Operand::QScale ||
                          op.getOperand() == Operand::KScale ||
                          op.getOperand() == Operand::VScale;
    const int64_t shared = rowsAFactor(problem, op.getOperand());
    return !args.byKey && !args.byHead && (!isFactor || shared == 1) &&
           ::isPacked(problem, args.rows);
  }
  Value address();
  int64_t columnBytes();
  Value extent();
  Slice buildPart();
  Value toI32(Value wide) {
    return arith::TruncIOp::create(b, b.getI32Type(), wide);
  }
  Slice sliceOf(Value descriptor, Value rowStride, Value address) {
    Value ofHead = hasHeads() ? toI32(headStride()) : Value();
    return {descriptor,      args.byHead ? Value() : toI32(rowStride),
            ofHead,          address,
            op.getOperand(), &caches};
  }
  /// Whether rows of several heads are rows of one slice.
  bool hasHeads() {
    return b.schedule().packsHeads() && args.rows == Sequence::Q &&
           !args.isOfItem();
  }
  Value firstEntry();
  Value entries();
  /// Whether rows are reached from the first page, or a page at a time.
  bool isPaged() const {
    return args.pageStride && problem.getPages() != Pages::None;
  }

  ViewOp op;
  Caches &caches;
  TensorArgs args;
  LaneBuilder b;
  ProblemAttr problem;
};

Value SliceBuilder::rowStride() {
  return args.rowStride ? arg64(*args.rowStride) : b.i64(elemBytes());
}

Value SliceBuilder::headStride() {
  return args.byHead ? b.i64(elemBytes()) : arg64(*args.headStride);
}

/// Bytes of the elements of one row.
Value SliceBuilder::rowBytes() {
  if (!args.byKey)
    return b.i64(op.getView().getType().getCols() * elemBytes());
  Value keys = SeqLenOp::create(b, b.getI32Type(), Sequence::Kv);
  return b.mul(b.zext64(keys), b.i64(elemBytes()));
}

/// The same, up to those of the last head that has the row in the slice.
Value SliceBuilder::bytesOfRow() {
  if (!hasHeads())
    return rowBytes();
  Value size = ArgOp::create(b, b.getI32Type(), Arg::GroupSize);
  Value others = b.mul(b.zext64(b.sub(size, b.i32(1))), headStride());
  return b.add(others, rowBytes());
}

/// Sequences of a packed tensor begin at a row of it instead of at a batch.
Value SliceBuilder::address() {
  Value place;
  if (isPacked())
    place =
        b.mul(SeqStartOp::create(b, b.getI64Type(), args.rows), rowStride());
  else if (!isPaged() && args.batchStride)
    place = b.mul(b.zext64(b.id(Id::Batch)), arg64(*args.batchStride));
  Value base = arg64(args.base);
  Value head = b.mul(b.head(args.kvHeads), headStride());
  Value first = b.add(base, place ? b.add(place, head) : head);
  const int64_t columns = columnBytes();
  return columns ? b.add(first, b.i64(columns)) : first;
}

/// From the first column of the tensor to that of the view, both of one key.
int64_t SliceBuilder::columnBytes() {
  const auto column = int64_t(op.getFirstCol().value_or(0));
  const int64_t piece = pieceElems(problem, op.getOperand());
  return piece ? column / piece * problem.getPageSize() * kVectorAccessBytes
               : column * elemBytes();
}

/// Of the numbers of the sequence's pages. A scalar load has no bounds, and a
/// sequence without keys no number: it gets an address that is surely there,
/// that of the lengths.
Value SliceBuilder::firstEntry() {
  const bool isList = problem.getPages() == Pages::List;
  Value keys = SeqLenOp::create(b, b.getI32Type(), args.rows), place;
  Value batch = b.zext64(b.id(Id::Batch));
  if (isList) {
    Value first = LoadUniformOp::create(b, b.getI32Type(), Arg::KvIndptr,
                                        b.mul(batch, b.i64(elemBytes())));
    place = b.mul(b.zext64(first), b.i64(elemBytes()));
  } else {
    place = b.mul(batch, arg64(*args.batchStride));
  }
  Value any = b.cmp(arith::CmpIPredicate::sgt, keys, b.i32(0));
  return b.select(any, b.add(arg64(args.base), place),
                  arg64(isList ? Arg::KvIndptr : Arg::SeqlensKv));
}

/// Bytes of the numbers of the sequence's pages; 0 without keys.
Value SliceBuilder::entries() {
  Value keys = SeqLenOp::create(b, b.getI32Type(), args.rows);
  Value rounded = b.add(keys, b.i32(problem.getPageSize() - 1));
  Value pages =
      arith::DivUIOp::create(b, rounded, b.i32(problem.getPageSize()));
  return b.mul(b.zext64(pages), b.i64(elemBytes()));
}

/// Rows of the sequence; of factors, which so many rows share, those.
Value SliceBuilder::rows() {
  Value rows = SeqLenOp::create(b, b.getI32Type(), args.rows);
  int64_t shared = rowsAFactor(problem, op.getOperand());
  if (shared <= 1)
    return rows;
  // Of a sum in 32 bits, as both are below 2^31.
  rows = b.add(rows, b.i32(shared - 1));
  return arith::DivUIOp::create(b, rows, b.i32(shared));
}

/// Up to the last element of the last row, of the last head; 0 without rows.
/// Launches have rows; sequences with a length of their own may have none.
Value SliceBuilder::extent() {
  // One row, whatever the sequence has.
  if (args.byHead || (op.getOperand() == Operand::QScale &&
                      !rowsAFactor(problem, Operand::QScale)))
    return bytesOfRow();
  Value rows = this->rows();
  Value one = b.i32(1);
  bool hasLengths = args.rows == Sequence::Q ? problem.getLengthsQ()
                                             : problem.hasOwnLengthsKv();
  if (!::isPacked(problem, args.rows) && !hasLengths)
    return b.add(b.mul(b.zext64(b.sub(rows, one)), rowStride()), bytesOfRow());
  // Neither a select nor unsigned: LLVM 22 makes a saturating subtraction of
  // them, which only vector registers have, moves the descriptor there with it
  // and loops over the lanes.
  Value most = arith::MaxSIOp::create(b, rows, one);
  Value any = arith::MinSIOp::create(b, rows, one);
  Value lastRow = b.sub(most, one);
  return b.add(b.mul(b.zext64(lastRow), rowStride()),
               b.mul(b.zext64(any), bytesOfRow()));
}

/// The rows of the work item, one after the other.
Slice SliceBuilder::buildPart() {
  WorkOp work = b.work();
  Value bytes = b.i64(op.getView().getType().getCols() * elemBytes());
  Value first = b.add(arg64(args.base), b.mul(b.zext64(work.getPart()), bytes));
  Value rows = b.sub(rowsOfSequence(b), work.getRow());
  rows = arith::MinSIOp::create(b, rows, b.i32(b.schedule().getTileM()));
  Value descriptor =
      makeDescriptor(b, first, [&] { return b.mul(b.zext64(rows), bytes); });
  return sliceOf(descriptor, bytes, first);
}

// Rows past the end of a slice are kept out by the range check of raw buffers:
// out of range iff register offset + immediate, which wraps at 32 bits, +
// uniform offset, in 64 bits, plus the access passes the extent. gfx950 does so
// (ROCm/rocm-systems pull request 10928), although LLVM documents the uniform
// offset as excluded; shipped attention kernels (AITER, FlyDSL) rely on it for
// their tails.
Slice SliceBuilder::build() {
  if (args.isOfItem())
    return buildPart();
  const bool isTable = op.getOperand() == Operand::Pages;
  Value first = isTable ? firstEntry() : address();
  Value descriptor;
  if (!isPaged())
    descriptor = makeDescriptor(b, first,
                                [&] { return isTable ? entries() : extent(); });
  return sliceOf(descriptor, rowStride(), first);
}

} // namespace

FailureOr<Slice> Slices::get(Operation *op, Value view) {
  auto viewOp = view.getDefiningOp<ViewOp>();
  if (!viewOp)
    return op->emitOpError("expected the view to come from fmha.view");
  auto [it, isNew] = slices.try_emplace(view);
  if (isNew)
    it->second = SliceBuilder(viewOp, caches).build();
  return it->second;
}

Value Slices::zeros(LaneBuilder &b) {
  if (zeroBytes)
    return zeroBytes;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(b.kernel().getItemBlock());
  Value address = ZerosOp::create(b, b.getI64Type(), kVectorAccessBytes);
  // LLVM would take the address anew for each tile.
  zeroBytes = hide(b, address, RegisterKind::Scalar);
  return zeroBytes;
}

/// Parts that the last workgroup of their unit combines go past the L2 of the
/// XCD, as others may read them there.
static CachePolicy policyOf(LaneBuilder &b, Operand operand) {
  const CachePolicy chosen = b.schedule().cacheOf(operand);
  const bool isPart = operand == Operand::PartO || operand == Operand::PartLse;
  const bool isJoined =
      isPart && b.kernel().getProblem().getWork() == WorkForm::Runs;
  return isJoined ? chosen | CachePolicy::Sc1 : chosen;
}

int32_t Caches::bitsOf(LaneBuilder &b, Operand operand) {
  whole.insert(operand);
  return int32_t(policyOf(b, operand));
}

bool Caches::isNonTemporal(LaneBuilder &b, Operand operand) {
  byAddress.insert(operand);
  return bitEnumContainsAny(b.schedule().cacheOf(operand), CachePolicy::Nt);
}

void Caches::remark(KernelOp kernel, ArrayRef<Operand> operands) const {
  for (Operand operand : operands) {
    CachePolicy policy = kernel.getSchedule().cacheOf(operand);
    StringRef name = stringifyOperand(operand);
    if (policy == CachePolicy::None)
      continue;
    if (!whole.contains(operand) && !byAddress.contains(operand))
      kernel.emitRemark() << "cache of " << name
                          << " has no effect: the kernel has no vector "
                             "instruction that loads or stores it";
    else if (byAddress.contains(operand) && policy != CachePolicy::Nt)
      kernel.emitRemark()
          << "declined: sc0 and sc1 in cache of " << name
          << " are not followed where each lane loads from an address of its "
             "own to registers: LLVM gives such loads nt alone; found "
          << spell(policy);
  }
}

Value fmha::loadFrom(LaneBuilder &b, Value descriptor, Type type, Value offset,
                     Value uniform, Value aux) {
  return ROCDL::RawPtrBufferLoadOp::create(b, type, descriptor, offset, uniform,
                                           aux, ArrayAttr(), ArrayAttr(),
                                           ArrayAttr());
}

Value Slice::load(LaneBuilder &b, Type type, Value offset,
                  Value uniform) const {
  return loadFrom(b, descriptor, type, offset, uniform, aux(b));
}

void Slice::store(LaneBuilder &b, Value value, Value offset,
                  Value uniform) const {
  ROCDL::RawPtrBufferStoreOp::create(b, value, descriptor, offset, uniform,
                                     aux(b), ArrayAttr(), ArrayAttr(),
                                     ArrayAttr());
}

Value fmha::makeDescriptor(LaneBuilder &b, Value address,
                           function_ref<Value()> extent) {
  // Word 3 of the descriptor: DATA_FORMAT 32, raw buffer. Source: CDNA3/4 ISA
  // guide, buffer resource; LLVM AMDGPUUsage, make.buffer.rsrc.
  constexpr int64_t kDescriptorFlags = 0x27000;
  Value pointer = LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 1), address);
  Value stride = arith::ConstantIntOp::create(b, 0, 16);
  return ROCDL::MakeBufferRsrcOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), 8), pointer, stride,
      extent(), b.i32(kDescriptorFlags));
}

Value fmha::pastEveryExtent(LaneBuilder &b) { return b.i32(kPastEveryExtent); }

Value fmha::guardColumns(LaneBuilder &b, Value offset, Value lane,
                         int64_t laneMax, Value uniform, int64_t uniformMax,
                         int64_t fixed, int64_t pieceCols, int64_t cols) {
  if (laneMax + uniformMax + fixed + pieceCols <= cols)
    return offset;
  Value limit = b.i32(cols - fixed);
  if (uniform)
    limit = b.sub(limit, uniform);
  Value inside = b.cmp(arith::CmpIPredicate::slt, lane, limit);
  return b.select(inside, offset, pastEveryExtent(b));
}
