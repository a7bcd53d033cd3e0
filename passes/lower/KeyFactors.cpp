// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/KeyFactors.h"
#include "lower/EmptyAsm.h"

using namespace mlir;
using namespace mlir::fmha;

constexpr unsigned kConstantSpace = 4; // scalar loads

/// Bytes from the first factor to that of a tile which has one. Pipelines come
/// to tiles without keys, which get the last factor that there is: a scalar
/// load has no bounds.
static Value offsetOfShared(LaneBuilder &b, Operand operand, Value index) {
  TensorArgs args = tensorArgs(operand);
  const int64_t rows = rowsAFactor(b.kernel().getProblem(), operand);
  Type i64 = b.getI64Type();
  auto arg = [&](Arg field) { return ArgOp::create(b, i64, field); };
  Value keys = SeqLenOp::create(b, b.getI32Type(), args.rows);
  Value last = arith::DivUIOp::create(
      b, b.sub(arith::MaxSIOp::create(b, keys, b.i32(1)), b.i32(1)),
      b.i32(rows));
  Value block =
      arith::DivUIOp::create(b, index, b.i32(rows / b.schedule().getTileN()));
  block = arith::MinSIOp::create(b, block, last);
  Value offset = b.add(b.mul(b.zext64(b.id(Id::Batch)), arg(*args.batchStride)),
                       b.mul(b.head(args.kvHeads), arg(*args.headStride)));
  return b.add(offset, b.mul(b.zext64(block), arg(*args.rowStride)));
}

static Value arg64(LaneBuilder &b, Arg field) {
  return ArgOp::create(b, b.getI64Type(), field);
}

static Value keysOf(LaneBuilder &b) {
  return SeqLenOp::create(b, b.getI32Type(), Sequence::Kv);
}

/// Of a sequence without keys what was found is of another's page, or of none:
/// it becomes finite, so that a weight of zero times it is zero.
static Value toNumber(LaneBuilder &b, Value factor) {
  constexpr float kMost = std::numeric_limits<float>::max();
  factor = arith::MaxNumFOp::create(b, factor, b.f32(-kMost));
  return arith::MinNumFOp::create(b, factor, b.f32(kMost));
}

static Value pointerAt(LaneBuilder &b, Value address, unsigned addressSpace) {
  return LLVM::IntToPtrOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext(), addressSpace), address);
}

/// Where the factor of the workgroup's head and a page lies, 64 bits: a
/// product of 32 bits by 32, as the launcher has checked the stride.
static Value addressOfPage(LaneBuilder &b, Operand operand, Value number) {
  TensorArgs args = tensorArgs(operand);
  Value stride =
      arith::TruncIOp::create(b, b.getI32Type(), arg64(b, *args.rowStride));
  Value ofHead = b.add(arg64(b, args.base),
                       b.mul(b.head(args.kvHeads), arg64(b, *args.headStride)));
  return b.add(ofHead, b.mul(b.zext64(number), b.zext64(stride)));
}

static LLVM::LoadOp loadFactor(LaneBuilder &b, Value address,
                               unsigned addressSpace) {
  return LLVM::LoadOp::create(b, b.getF32Type(),
                              pointerAt(b, address, addressSpace),
                              /*alignment=*/4);
}

/// Where that of the page which holds a tile lies. Numbers that were looked up
/// without a key are no numbers of pages.
static Value addressOfTile(LaneBuilder &b, Operand operand, Value number) {
  Value any = b.cmp(arith::CmpIPredicate::sgt, keysOf(b), b.i32(0));
  return addressOfPage(b, operand, b.select(any, number, b.i32(0)));
}

Value fmha::factorOfTile(LaneBuilder &b, Operand factors, Value index,
                         Value page) {
  Value address = page ? addressOfTile(b, factors, page)
                       : b.add(arg64(b, tensorArgs(factors).base),
                               offsetOfShared(b, factors, index));
  auto load = loadFactor(b, address, kConstantSpace);
  const bool isHeld = holdsLookUps(b.schedule());
  load.setVolatile_(isHeld);
  load.setInvariant(!isHeld);
  return load;
}

/// Those of keys on several pages: for each the number of its page, of one past
/// the last key that of the last, and then the factor, at an address of 64
/// bits.
static Values loadOfPages(LaneBuilder &b, Operand operand, const Slice &table,
                          LaneLayoutAttr layout, Value firstKey) {
  ProblemAttr problem = b.kernel().getProblem();
  constexpr int64_t kNumberBytes = 4;
  Value one = b.i32(1);
  Value last = b.sub(arith::MaxSIOp::create(b, keysOf(b), one), one);
  Value own = b.add(firstKey, b.laneCoord(layout, 1));
  const int64_t step = alignedRowsAPage(problem);
  llvm::SmallDenseMap<int64_t, Value> loaded; // by the first key of those alike
  Values factors;
  for (int64_t reg = 0; reg < layout.getRegElems(); ++reg) {
    const int64_t fixed = layout.regCoord(reg, 1) & -step;
    Value &factor = loaded[fixed];
    if (!factor) {
      Value key = arith::MinSIOp::create(b, b.add(own, b.i32(fixed)), last);
      Value page = arith::DivUIOp::create(b, key, b.i32(problem.getPageSize()));
      Value number = table.load(b, b.getI32Type(),
                                b.mul(page, b.i32(kNumberBytes)), b.i32(0));
      constexpr unsigned kGlobalSpace = 1;
      LLVM::LoadOp load =
          loadFactor(b, addressOfPage(b, operand, number), kGlobalSpace);
      load.setNontemporal(table.caches->isNonTemporal(b, operand));
      factor = toNumber(b, load);
    }
    factors.push_back(factor);
  }
  return factors;
}

FailureOr<Values> fmha::factorsOfKeys(Operation *op, LaneBuilder &b,
                                      Slices &slices, Value view, TileType tile,
                                      Value index, Value pages) {
  auto viewOp = view.getDefiningOp<ViewOp>();
  if (!viewOp)
    return op->emitOpError("expected the view to come from fmha.view");
  ProblemAttr problem = b.kernel().getProblem();
  const Operand operand = viewOp.getOperand();
  const int64_t rows = rowsAFactor(problem, operand), keys = tile.dim(1);
  if (!rows)
    return op->emitOpError() << "expected a view of factors of keys, found one "
                                "of "
                             << stringifyOperand(operand);
  LaneLayoutAttr layout = tile.getLayout();
  const int64_t count = layout.getRegElems();
  if (pages && pages.getType().isInteger())
    return Values(count,
                  toNumber(b, loadFactor(b, addressOfTile(b, operand, pages),
                                         kConstantSpace)));
  if (pages) {
    FailureOr<Slice> table = slices.get(op, pages);
    if (failed(table))
      return failure();
    Value firstKey = b.add(b.mul(index, b.i32(keys)), b.waveCoord(layout, 1));
    return loadOfPages(b, operand, *table, layout, firstKey);
  }
  if (sharesFactor(problem, operand, keys))
    return Values(count, LoadUniformOp::create(
                             b, b.getF32Type(), tensorArgs(operand).base,
                             offsetOfShared(b, operand, index)));

  FailureOr<Slice> slice = slices.get(op, view);
  if (failed(slice))
    return failure();
  Value laneKey = b.laneCoord(layout, 1);
  Value firstKey = b.add(b.mul(index, b.i32(keys)), b.waveCoord(layout, 1));
  Value laneOffset = rows == 1 ? b.mul(laneKey, slice->rowStride) : Value();
  // From one key to the next, through empty instructions: LLVM would compute
  // the product of each key and the stride before the loop, a scalar register
  // each.
  Value uniform = b.mul(firstKey, slice->rowStride);
  // Of waves that divide the keys LLVM 22 may compute it in vector registers,
  // and then finds no way into the empty instruction ("illegal VGPR to SGPR
  // copy").
  if (b.schedule().getKeyWaves() > 1 && laneOffset)
    uniform = ROCDL::ReadfirstlaneOp::create(b, b.getI32Type(), uniform);
  int64_t at = 0;
  const int64_t step = alignedRowsAFactor(problem, operand);
  llvm::SmallDenseMap<int64_t, Value> loaded; // by the first key of those alike
  Values factors;
  for (int64_t reg = 0; reg < count; ++reg) {
    const int64_t key = layout.regCoord(reg, 1) & -step;
    Value &factor = loaded[key];
    if (!factor && laneOffset) {
      if (key != at)
        uniform = b.add(hide(b, uniform, RegisterKind::Scalar),
                        b.mul(b.i32(key - at), slice->rowStride));
      at = key;
      factor = slice->load(b, b.getF32Type(), laneOffset, uniform);
    } else if (!factor) {
      // The lane's own bits come first: a block may begin between them.
      Value own = b.add(b.add(firstKey, laneKey), b.i32(key));
      Value block = arith::DivUIOp::create(b, own, b.i32(rows));
      factor = slice->load(b, b.getF32Type(), b.mul(block, slice->rowStride),
                           b.i32(0));
    }
    factors.push_back(factor);
  }
  return factors;
}
