// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "bitmaps/LdsAccess.h"
#include "chip/Chip.h"
#include "lower/Lanes.h"
#include "lower/LdsAddress.h"
#include "lower/Slices.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace mlir::fmha {
#define GEN_PASS_DEF_MEMORYTOROCDLPASS
#include "Passes.h.inc"

namespace {

/// Alias scope and the scopes it does not alias, of one LDS buffer.
struct Scopes {
  ArrayAttr own, others;
};

class MemoryLowering {
public:
  explicit MemoryLowering(KernelOp kernel)
      : kernel(kernel), b(kernel.getContext()) {}

  LogicalResult run();

private:
  void createLds();
  LogicalResult lower(LdsBufferOp) { return success(); }
  LogicalResult lower(RingSlotOp op);
  LogicalResult lower(LoadQOp op);
  LogicalResult lower(AddBiasOp op);
  LogicalResult lower(CopyOp op);
  LogicalResult lower(ReadOp op);

  Value i32(int64_t value) { return constantI32(b, loc(), value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc(), x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc(), x, y); }
  Location loc() const { return location; }
  void at(Operation *op) {
    b.setInsertionPoint(op);
    location = op->getLoc();
  }
  Value firstRow() { return emitFirstRow(b, loc(), kernel); }
  Value zeroAux() { return i32(0); }
  Type ldsPointer() { return LLVM::LLVMPointerType::get(b.getContext(), 3); }
  /// First byte of the buffer whose turn it is beyond that of the first, plus
  /// `byte`.
  Value inSlot(Value buffer, Value byte) {
    Value turn = slotBytes.lookup(buffer);
    return turn ? add(byte, turn) : byte;
  }
  Value ldsAt(Value byte) {
    return LLVM::GEPOp::create(b, loc(), ldsPointer(), b.getI8Type(), ldsBase,
                               ArrayRef<LLVM::GEPArg>{byte});
  }

  KernelOp kernel;
  OpBuilder b;
  Location location = UnknownLoc::get(kernel.getContext());
  Slices slices;
  llvm::DenseMap<Value, Scopes> copyScopes, readScopes; ///< by buffer
  llvm::DenseMap<Value, Value> slotBytes; ///< by buffer taken in turn
  Value ldsBase;
};

/// One range of LDS for all buffers: LLVM would lay out several anew, and then
/// also drop our scopes.
void MemoryLowering::createLds() {
  SmallVector<LdsBufferOp> buffers;
  kernel.walk([&](LdsBufferOp op) { buffers.push_back(op); });
  if (buffers.empty())
    return;
  int64_t bytes = 0;
  for (LdsBufferOp op : buffers) {
    LdsType type = op.getBuffer().getType();
    bytes =
        std::max(bytes, type.getOffsetBytes() + type.getLayout().getBytes());
  }
  MLIRContext *context = b.getContext();
  b.setInsertionPointToStart(&kernel.getBody().front());
  location = kernel.getLoc();
  ldsBase = LdsBaseOp::create(b, loc(), ldsPointer(), bytes);

  auto domain = LLVM::AliasScopeDomainAttr::get(
      context, DistinctAttr::create(b.getUnitAttr()), b.getStringAttr("lds"));
  SmallVector<Attribute> all;
  for (LdsBufferOp op : buffers)
    all.push_back(LLVM::AliasScopeAttr::get(
        context, DistinctAttr::create(b.getUnitAttr()), domain,
        b.getStringAttr(stringifyOperand(op.getOperand()))));
  for (auto [i, op] : llvm::enumerate(buffers)) {
    SmallVector<Attribute> others(all);
    others.erase(others.begin() + i);
    copyScopes[op.getBuffer()] = readScopes[op.getBuffer()] = {
        b.getArrayAttr(all[i]), b.getArrayAttr(others)};
  }
  // A slot may be any of its ring. Which copy a read meets is settled by waits
  // and barriers that verify-rung has proven, and not for LLVM to guess: it
  // would wait for every copy into the ring.
  llvm::DenseMap<Value, Attribute> readsOf; // by first buffer of the ring
  kernel.walk([&](RingSlotOp op) {
    Attribute &reads = readsOf[op.getBuffers().front()];
    if (!reads)
      reads = LLVM::AliasScopeAttr::get(context,
                                        DistinctAttr::create(b.getUnitAttr()),
                                        domain, b.getStringAttr("reads"));
    SmallVector<Attribute> own, others{reads};
    for (auto [i, buffer] : llvm::enumerate(buffers))
      (llvm::is_contained(op.getBuffers(), buffer.getBuffer()) ? own : others)
          .push_back(all[i]);
    copyScopes[op] = {b.getArrayAttr(own), b.getArrayAttr(others)};
    readScopes[op] = {b.getArrayAttr(reads), b.getArrayAttr(all)};
  });
}

LogicalResult MemoryLowering::lower(RingSlotOp op) {
  at(op);
  Value turn = arith::RemUIOp::create(b, loc(), op.getNumber(),
                                      i32(op.getBuffers().size()));
  slotBytes[op] = mul(turn, i32(op.strideBytes()));
  return success();
}

LogicalResult MemoryLowering::lower(LoadQOp op) {
  if (failed(requireLayout(op, op.getTile())))
    return failure();
  FailureOr<Slice> slice = slices.get(op, op.getView());
  if (failed(slice))
    return failure();
  at(op);
  TileType type = op.getTile().getType();
  LaneLayoutAttr layout = type.getLayout();
  int64_t elemBytes = type.getElement().getIntOrFloatBitWidth() / 8;
  if (layout.getFragment() * elemBytes != kVectorAccessBytes)
    return op.emitOpError()
           << "expected fragments of " << kVectorAccessBytes << " bytes, found "
           << layout.getFragment() * elemBytes;
  Value laneCol = emitLaneCoord(b, loc(), layout, 1);
  Value laneOffset =
      add(mul(emitLaneCoord(b, loc(), layout, 0), slice->rowStride),
          mul(laneCol, i32(elemBytes)));
  Value row = add(firstRow(), emitWaveCoord(b, loc(), layout, 0));
  SmallVector<Value> fragments;
  auto words = VectorType::get({kVectorAccessBytes / 4}, b.getI32Type());
  auto fragmentType =
      VectorType::get({layout.getFragment()}, type.getElement());
  for (int64_t i : type.presentFragments()) {
    int64_t reg = i * layout.getFragment();
    int64_t col = layout.regCoord(reg, 1);
    Value offset = guardColumns(b, loc(), add(laneOffset, i32(col * elemBytes)),
                                laneCol, laneExtent(layout, 1), Value(), 0, col,
                                layout.getFragment(), type.getCols());
    Value uniform =
        mul(add(row, i32(layout.regCoord(reg, 0))), slice->rowStride);
    Value bits = ROCDL::RawPtrBufferLoadOp::create(
        b, loc(), words, slice->descriptor, offset, uniform, zeroAux(),
        ArrayAttr(), ArrayAttr(), ArrayAttr());
    fragments.push_back(LLVM::BitcastOp::create(b, loc(), fragmentType, bits));
  }
  op.replaceAllUsesWith(fromPresentLanes(b, loc(), type, fragments));
  op.erase();
  return success();
}

/// One dword a score: rows of the bias end at any multiple of four bytes, and a
/// wider access that passes the extent would lose its valid part.
LogicalResult MemoryLowering::lower(AddBiasOp op) {
  if (failed(requireLayout(op, op.getS())))
    return failure();
  FailureOr<Slice> slice = slices.get(op, op.getView());
  if (failed(slice))
    return failure();
  at(op);
  TileType type = op.getS().getType();
  LaneLayoutAttr layout = type.getLayout();
  Type f32 = b.getF32Type();
  int64_t elemBytes = type.getElement().getIntOrFloatBitWidth() / 8;
  Value laneOffset =
      add(mul(emitLaneCoord(b, loc(), layout, 0), slice->rowStride),
          mul(emitLaneCoord(b, loc(), layout, 1), i32(elemBytes)));
  Value row = add(firstRow(), emitWaveCoord(b, loc(), layout, 0));
  Value firstKey = add(mul(op.getIndex(), i32(type.dim(1))),
                       emitWaveCoord(b, loc(), layout, 1));
  SmallVector<Value> scores = unpack(b, loc(), toLanes(b, loc(), op.getS()));
  for (auto [reg, score] : llvm::enumerate(scores)) {
    Value offset = add(laneOffset, i32(layout.regCoord(reg, 1) * elemBytes));
    Value uniform =
        add(mul(add(row, i32(layout.regCoord(reg, 0))), slice->rowStride),
            mul(firstKey, i32(elemBytes)));
    Value bias = ROCDL::RawPtrBufferLoadOp::create(
        b, loc(), f32, slice->descriptor, offset, uniform, zeroAux(),
        ArrayAttr(), ArrayAttr(), ArrayAttr());
    score = arith::AddFOp::create(b, loc(), score, bias);
  }
  op.replaceAllUsesWith(
      fromLanes(b, loc(), type, pack(b, loc(), scores, layout.getFragment())));
  op.erase();
  return success();
}

/// One direct-to-LDS load a fragment of `dma`: the lane offset stays in a
/// register, all else is uniform. Where lanes and the wave or the instruction
/// change the same bits of a coordinate, as swizzled layouts want it, the lane
/// offset has them all, and there is one for each such part of an instruction.
/// The instruction's immediate is not used, since hardware adds it to both
/// addresses.
LogicalResult MemoryLowering::lower(CopyOp op) {
  FailureOr<Slice> slice = slices.get(op, op.getView());
  if (failed(slice))
    return failure();
  at(op);
  LdsType buffer = op.getBuffer().getType();
  LaneLayoutAttr dma = op.getDma();
  int64_t elemBytes = buffer.getElement().getIntOrFloatBitWidth() / 8;
  int64_t laneBytes = dma.getFragment() * elemBytes;
  if (!llvm::is_contained(chip::kDmaLaneBytes, laneBytes))
    return op.emitOpError()
           << "expected a lane to move " << chip::kDmaLaneBytes[0] << " or "
           << chip::kDmaLaneBytes[1] << " bytes, found " << laneBytes;
  struct Lane {
    int64_t row, col; ///< that the instruction adds
    Value offset, column;
  };
  SmallVector<Lane, 4> lanes;
  int64_t laneRows = laneExtent(dma, 0), laneCols = laneExtent(dma, 1);
  auto laneCoord = [&](unsigned dim, int64_t bits, int64_t fixed) {
    Value coord = emitLaneCoord(b, loc(), dma, dim);
    if (waveExtent(dma, dim) & bits)
      coord = arith::XOrIOp::create(b, loc(), coord,
                                    emitWaveCoord(b, loc(), dma, dim, bits));
    return fixed ? arith::XOrIOp::create(b, loc(), coord, i32(fixed)) : coord;
  };
  auto laneFor = [&](int64_t row, int64_t col) {
    for (const Lane &lane : lanes)
      if (lane.row == row && lane.col == col)
        return lane;
    Value column = laneCoord(1, laneCols, col);
    Value rowBytes = mul(laneCoord(0, laneRows, row), slice->rowStride);
    Value offset = add(rowBytes, mul(column, i32(elemBytes)));
    return lanes.emplace_back(Lane{row, col, offset, column});
  };
  laneFor(0, 0); // of the first copy, which there always is
  // What is uniform is that of the wave plus that of the instruction, unless
  // both have a bit.
  auto uniformCoord = [&](Value wave, unsigned dim, int64_t &fixed) -> Value {
    if (!(waveExtent(dma, dim) & fixed))
      return wave;
    wave = arith::XOrIOp::create(b, loc(), wave, i32(fixed));
    fixed = 0;
    return wave;
  };
  Value waveRow = emitWaveCoord(b, loc(), dma, 0, ~laneRows);
  Value waveCol = emitWaveCoord(b, loc(), dma, 1, ~laneCols);
  SmallVector<int64_t> waveMasks;
  for (unsigned bit = 0; bit < dma.waveBits(); ++bit)
    waveMasks.push_back(buffer.getLayout().maskOf(dma.waveBasis(bit, 0),
                                                  dma.waveBasis(bit, 1)));
  LdsAddresses ofWaves(buffer.getLayout(), waveMasks);
  Value wave = IdOp::create(b, loc(), b.getI32Type(), Id::Wave);
  llvm::SmallDenseMap<Value, Value> slots;
  auto inTurn = [&](Value byte) {
    Value &slot = slots[byte];
    return slot = slot ? slot : inSlot(op.getBuffer(), byte);
  };
  inTurn(ofWaves.emit(b, loc(), wave, 0).first);
  Value tileRow = mul(op.getIndex(), i32(buffer.getShape()[0]));
  Scopes scope = copyScopes.lookup(op.getBuffer());
  int64_t cols = op.getView().getType().getCols();
  for (int64_t i : op.issuedFragments()) {
    int64_t reg = i * dma.getFragment();
    int64_t row = dma.regCoord(reg, 0), col = dma.regCoord(reg, 1);
    Lane lane = laneFor(row & laneRows, col & laneCols);
    int64_t fixedRow = row & ~laneRows, fixedCol = col & ~laneCols;
    int64_t colsOfWaves = (waveExtent(dma, 1) & ~laneCols) | fixedCol;
    Value uniformRow = uniformCoord(waveRow, 0, fixedRow);
    Value uniformCol = uniformCoord(waveCol, 1, fixedCol);
    Value uniform =
        add(mul(add(add(tileRow, uniformRow), i32(fixedRow)), slice->rowStride),
            mul(add(uniformCol, i32(fixedCol)), i32(elemBytes)));
    auto [waveLds, immediate] =
        ofWaves.emit(b, loc(), wave, buffer.getLayout().maskOf(row, col));
    Value lds =
        ldsAt(add(inTurn(waveLds), i32(buffer.getOffsetBytes() + immediate)));
    Value offset = guardColumns(b, loc(), lane.offset, lane.column, laneCols,
                                uniformCol, colsOfWaves & ~fixedCol, fixedCol,
                                dma.getFragment(), cols);
    ROCDL::RawPtrBufferLoadLdsOp::create(
        b, loc(), slice->descriptor, lds, i32(laneBytes), offset, uniform,
        i32(0), zeroAux(), scope.own, scope.others, ArrayAttr());
  }
  // Wait counts rest on the order in which copies are issued: no vector memory
  // operation crosses here, all else may.
  using Allow = amdgpu::sched_barrier_opt_enum;
  amdgpu::SchedBarrierOp::create(b, loc(),
                                 Allow::non_mem_non_sideffect | Allow::valu |
                                     Allow::salu | Allow::mfma_wmma |
                                     Allow::all_ds | Allow::ds_read |
                                     Allow::ds_write | Allow::transcendental);
  return success();
}

LogicalResult MemoryLowering::lower(ReadOp op) {
  StagingAttr staging =
      staged(op.getOperand()).getStaging(kernel.getSchedule());
  if (failed(requireLayout(op, op.getTile())))
    return failure();
  at(op);
  TileType type = op.getTile().getType();
  LdsType buffer = op.getBuffer().getType();
  llvm::Expected<LdsAccess> access = planLdsReads(type, staging.getRead());
  if (!access)
    return op.emitOpError() << "expected a lane layout that "
                            << stringifyLdsRead(staging.getRead())
                            << " can read: " << toString(access.takeError());
  SmallVector<int64_t> masks;
  for (auto [row, col] : access->lane)
    masks.push_back(buffer.getLayout().maskOf(row, col));
  LdsAddresses ofLanes(buffer.getLayout(), masks);
  llvm::SmallDenseMap<Value, Value> laneAddresses;
  Value lane = IdOp::create(b, loc(), b.getI32Type(), Id::Lane);
  auto readType = VectorType::get({access->elemsPerLane}, type.getElement());
  Scopes scope = readScopes.lookup(op.getBuffer());
  // Reads narrower than a fragment are joined pairwise.
  auto join = [&](SmallVector<Value> parts) {
    while (parts.size() > 1) {
      SmallVector<Value> joined;
      for (size_t i = 0; i < parts.size(); i += 2) {
        int64_t n = cast<VectorType>(parts[i].getType()).getNumElements();
        SmallVector<int64_t> order(2 * n);
        std::iota(order.begin(), order.end(), 0);
        joined.push_back(
            vector::ShuffleOp::create(b, loc(), parts[i], parts[i + 1], order));
      }
      parts = std::move(joined);
    }
    return parts.front();
  };
  size_t readsPerFragment =
      type.getLayout().getFragment() / access->elemsPerLane;
  auto readAt = [&](std::pair<int64_t, int64_t> coord) -> Value {
    auto [row, col] = coord;
    auto [laneByte, immediate] =
        ofLanes.emit(b, loc(), lane, buffer.getLayout().maskOf(row, col));
    Value &laneAddress = laneAddresses[laneByte];
    if (!laneAddress)
      laneAddress = ldsAt(inSlot(op.getBuffer(), laneByte));
    auto offset = int32_t(buffer.getOffsetBytes() + immediate);
    Value address =
        LLVM::GEPOp::create(b, loc(), ldsPointer(), b.getI8Type(), laneAddress,
                            ArrayRef<LLVM::GEPArg>{offset});
    switch (staging.getRead()) {
    case LdsRead::B128: {
      auto load = LLVM::LoadOp::create(b, loc(), readType, address,
                                       access->bytesPerLane);
      load.setAliasScopesAttr(scope.own);
      load.setNoaliasScopesAttr(scope.others);
      return load;
    }
    case LdsRead::TrB16:
      return ROCDL::ds_read_tr16_b64::create(
          b, loc(), readType, address, scope.own, scope.others, ArrayAttr());
    }
    llvm_unreachable("closed enum");
  };
  SmallVector<int64_t> present = type.presentFragments();
  SmallVector<Value> fragments;
  if (op.getPartial())
    fragments = toPresentLanes(b, loc(), op.getPartial());
  else
    fragments.assign(
        present.size(),
        LLVM::PoisonOp::create(b, loc(),
                               VectorType::get({type.getLayout().getFragment()},
                                               type.getElement())));
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), present.size());
  for (int64_t n = first; n < last; ++n) {
    int64_t i = present[n];
    SmallVector<Value> parts;
    for (size_t j = 0; j < readsPerFragment; ++j)
      parts.push_back(readAt(access->base[i * readsPerFragment + j]));
    fragments[n] = join(std::move(parts));
  }
  op.replaceAllUsesWith(fromPresentLanes(b, loc(), type, fragments));
  op.erase();
  return success();
}

LogicalResult MemoryLowering::run() {
  if (failed(lowerEach<LoadOp>(kernel, [](LoadOp load) -> LogicalResult {
        return load.emitOpError("expected a load split by fmha-plan-lds");
      })))
    return failure();
  createLds();
  SmallVector<Operation *> dead;
  if (failed(lowerEach<LoadQOp, AddBiasOp, CopyOp, ReadOp, LdsBufferOp,
                       RingSlotOp>(kernel, [&](auto op) {
        if (isa<CopyOp, LdsBufferOp, RingSlotOp>(op))
          dead.push_back(op);
        return lower(op);
      })))
    return failure();
  // Reads are gone; what passes tokens on, a loop or a stage, is left.
  for (Operation *op : llvm::reverse(dead)) {
    for (Value token : op->getResults())
      if (isa<TokenType>(token.getType()) && !token.use_empty()) {
        at(op);
        token.replaceAllUsesWith(NoTokenOp::create(b, loc(), token.getType()));
      }
    op->erase();
  }
  eraseUnusedViews(kernel);
  return success();
}

struct MemoryToRocdl : impl::MemoryToRocdlPassBase<MemoryToRocdl> {
  void runOnOperation() override {
    if (failed(MemoryLowering(getOperation()).run()))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
