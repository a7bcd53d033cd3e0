// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "support/Chip.h"
#include "support/Lanes.h"
#include "support/LdsAccess.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

namespace mlir::fmha {
#define GEN_PASS_DEF_MEMORYTOROCDLPASS
#include "Passes.h.inc"

namespace {

/// A view as hardware sees it: a buffer descriptor of the slice, and the byte
/// distance of its rows.
struct Slice {
  Value descriptor;
  Value rowStride; ///< i32
};

/// Alias scope and the scopes it does not alias, of one LDS buffer.
struct Scopes {
  ArrayAttr own, others;
};

class MemoryLowering {
public:
  MemoryLowering(ModuleOp module, KernelOp kernel)
      : module(module), kernel(kernel), b(kernel.getContext()) {}

  LogicalResult run();

private:
  void lowerView(ViewOp op);
  LogicalResult createLds();
  LogicalResult lowerLoadQ(LoadQOp op);
  template <typename Async> LogicalResult lowerAsync(Async op);
  template <typename Read>
  LogicalResult lowerRead(Read op, StagingAttr staging);
  LogicalResult lowerStore(StoreOOp op);

  FailureOr<Slice> sliceOf(Operation *op, Value view) {
    auto it = slices.find(view);
    if (it == slices.end())
      return op->emitOpError("expected the view to come from fmha.view");
    return it->second;
  }
  Value i32(int64_t value) { return constantI32(b, loc(), value); }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, loc(), x, y); }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc(), x, y); }
  Value arg64(Arg field) {
    return ArgOp::create(b, loc(), b.getI64Type(), field);
  }
  Value zext64(Value value) {
    return arith::ExtUIOp::create(b, loc(), b.getI64Type(), value);
  }
  Location loc() const { return location; }
  void at(Operation *op) {
    b.setInsertionPoint(op);
    location = op->getLoc();
  }
  Value firstRow() { return emitFirstRow(b, loc(), kernel); }
  Value zeroAux() { return i32(0); }
  Type ldsPointer() { return LLVM::LLVMPointerType::get(b.getContext(), 3); }
  Value ldsAt(Value byte) {
    return LLVM::GEPOp::create(b, loc(), ldsPointer(), b.getI8Type(), ldsBase,
                               ArrayRef<LLVM::GEPArg>{byte});
  }

  ModuleOp module;
  KernelOp kernel;
  OpBuilder b;
  Location location = UnknownLoc::get(kernel.getContext());
  llvm::DenseMap<Value, Slice> slices;
  llvm::DenseMap<Value, Scopes> scopes;
  Value ldsBase;
};

struct SliceArgs {
  Arg base, batchStride, headStride, rowStride, seqlen;
};

SliceArgs argsOf(Operand operand) {
  switch (operand) {
  case Operand::Q:
    return {Arg::Q, Arg::QBatchStride, Arg::QHeadStride, Arg::QRowStride,
            Arg::SeqlenQ};
  case Operand::K:
    return {Arg::K, Arg::KBatchStride, Arg::KHeadStride, Arg::KRowStride,
            Arg::SeqlenKv};
  case Operand::V:
    return {Arg::V, Arg::VBatchStride, Arg::VHeadStride, Arg::VRowStride,
            Arg::SeqlenKv};
  case Operand::O:
    return {Arg::O, Arg::OBatchStride, Arg::OHeadStride, Arg::ORowStride,
            Arg::SeqlenQ};
  }
  llvm_unreachable("closed enum");
}

// Rows past the end of a slice are kept out by the range check of raw buffers:
// out of range iff register offset + immediate + uniform offset, in 64 bits,
// plus the access passes the extent. That the uniform offset takes part is
// *assumed*: LLVM documents it as excluded, while shipped gfx950 attention
// kernels (AITER, FlyDSL) rely on it for their tails.
void MemoryLowering::lowerView(ViewOp op) {
  at(op);
  SliceArgs args = argsOf(op.getOperand());
  ViewType view = op.getView().getType();
  Value batch = IdOp::create(b, loc(), b.getI32Type(), Id::Batch);
  Value head = IdOp::create(b, loc(), b.getI32Type(), Id::Head);
  Value head64 = zext64(head);
  if (op.getOperand() == Operand::K || op.getOperand() == Operand::V) {
    // h / (Hq / Hk) by the launcher's reciprocal of 32 fraction bits.
    constexpr int64_t kFractionBits = 32;
    head64 = mul(head64, arg64(Arg::KvHeadReciprocal));
    head64 = arith::ShRUIOp::create(b, loc(), head64,
                                    constantI64(b, loc(), kFractionBits));
  }
  Value address =
      add(arg64(args.base), add(mul(zext64(batch), arg64(args.batchStride)),
                                mul(head64, arg64(args.headStride))));
  Value rowStride = arg64(args.rowStride);
  Value rows = ArgOp::create(b, loc(), b.getI32Type(), args.seqlen);
  Value lastRow = arith::SubIOp::create(b, loc(), rows, i32(1));
  int64_t rowBytes =
      view.getCols() * view.getElement().getIntOrFloatBitWidth() / 8;
  Value extent =
      add(mul(zext64(lastRow), rowStride), constantI64(b, loc(), rowBytes));

  // Word 3 of the descriptor: DATA_FORMAT 32, raw buffer. Source: CDNA3/4 ISA
  // guide, buffer resource; LLVM AMDGPUUsage, make.buffer.rsrc.
  constexpr int64_t kDescriptorFlags = 0x27000;
  Value pointer = LLVM::IntToPtrOp::create(
      b, loc(), LLVM::LLVMPointerType::get(b.getContext(), 1), address);
  Value stride = arith::ConstantIntOp::create(b, loc(), 0, 16);
  Value descriptor = ROCDL::MakeBufferRsrcOp::create(
      b, loc(), LLVM::LLVMPointerType::get(b.getContext(), 8), pointer, stride,
      extent, i32(kDescriptorFlags));
  Value rowStride32 =
      arith::TruncIOp::create(b, loc(), b.getI32Type(), rowStride);
  slices[op.getView()] = {descriptor, rowStride32};
}

/// One LDS global for all buffers: several would be laid out anew by LLVM,
/// which then also drops our scopes.
LogicalResult MemoryLowering::createLds() {
  SmallVector<LdsBufferOp> buffers;
  kernel.walk([&](LdsBufferOp op) { buffers.push_back(op); });
  if (buffers.empty())
    return success();
  int64_t bytes = 0;
  for (LdsBufferOp op : buffers) {
    LdsType type = op.getBuffer().getType();
    bytes =
        std::max(bytes, type.getOffsetBytes() + type.getLayout().getBytes());
  }
  MLIRContext *context = b.getContext();
  constexpr int64_t kLdsAlignBytes = 1024;
  std::string name = (kernel.getSymName() + "_lds").str();
  b.setInsertionPointToStart(module.getBody());
  auto global = LLVM::GlobalOp::create(
      b, kernel.getLoc(), LLVM::LLVMArrayType::get(b.getI8Type(), bytes),
      /*isConstant=*/false, LLVM::Linkage::Internal, name, Attribute(),
      kLdsAlignBytes, /*addrSpace=*/3);
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&global.getInitializerRegion());
    Value poison = LLVM::PoisonOp::create(b, kernel.getLoc(), global.getType());
    LLVM::ReturnOp::create(b, kernel.getLoc(), poison);
  }
  b.setInsertionPointToStart(&kernel.getBody().front());
  location = kernel.getLoc();
  ldsBase = LLVM::AddressOfOp::create(b, loc(), ldsPointer(), name);

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
    scopes[op.getBuffer()] = {b.getArrayAttr(all[i]), b.getArrayAttr(others)};
  }
  return success();
}

LogicalResult MemoryLowering::lowerLoadQ(LoadQOp op) {
  if (failed(requireLayout(op, op.getTile())))
    return failure();
  FailureOr<Slice> slice = sliceOf(op, op.getView());
  if (failed(slice))
    return failure();
  at(op);
  TileType type = op.getTile().getType();
  LaneLayoutAttr layout = type.getLayout();
  int64_t elemBytes = type.getElement().getIntOrFloatBitWidth() / 8;
  if (layout.getFragment() * elemBytes != chip::kVectorAccessBytes)
    return op.emitOpError()
           << "expected fragments of " << chip::kVectorAccessBytes
           << " bytes, found " << layout.getFragment() * elemBytes;
  Value laneOffset =
      add(mul(emitLaneCoord(b, loc(), layout, 0), slice->rowStride),
          mul(emitLaneCoord(b, loc(), layout, 1), i32(elemBytes)));
  Value row = add(firstRow(), emitWaveCoord(b, loc(), layout, 0));
  SmallVector<Value> fragments;
  auto words = VectorType::get({chip::kVectorAccessBytes / 4}, b.getI32Type());
  auto fragmentType =
      VectorType::get({layout.getFragment()}, type.getElement());
  for (int64_t i = 0; i < layout.getFragments(); ++i) {
    int64_t reg = i * layout.getFragment();
    Value offset = add(laneOffset, i32(layout.regCoord(reg, 1) * elemBytes));
    Value uniform =
        mul(add(row, i32(layout.regCoord(reg, 0))), slice->rowStride);
    Value bits = ROCDL::RawPtrBufferLoadOp::create(
        b, loc(), words, slice->descriptor, offset, uniform, zeroAux(),
        ArrayAttr(), ArrayAttr(), ArrayAttr());
    fragments.push_back(LLVM::BitcastOp::create(b, loc(), fragmentType, bits));
  }
  op.replaceAllUsesWith(fromLanes(b, loc(), type, fragments));
  op.erase();
  return success();
}

/// One direct-to-LDS load a fragment of `dma`: the lane offset stays in a
/// register, all else is uniform. The instruction's immediate is not used,
/// since hardware adds it to both addresses.
template <typename Async> LogicalResult MemoryLowering::lowerAsync(Async op) {
  FailureOr<Slice> slice = sliceOf(op, op.getView());
  if (failed(slice))
    return failure();
  at(op);
  LdsType buffer = op.getBuffer().getType();
  LaneLayoutAttr dma = op.getDma();
  int64_t elemBytes = buffer.getElement().getIntOrFloatBitWidth() / 8;
  if (dma.getFragment() * elemBytes != chip::kDmaLaneBytes)
    return op.emitOpError()
           << "expected a lane to move " << chip::kDmaLaneBytes
           << " bytes, found " << dma.getFragment() * elemBytes;
  Value laneOffset = add(mul(emitLaneCoord(b, loc(), dma, 0), slice->rowStride),
                         mul(emitLaneCoord(b, loc(), dma, 1), i32(elemBytes)));
  Value waveRow = emitWaveCoord(b, loc(), dma, 0);
  Value waveCol = emitWaveCoord(b, loc(), dma, 1);
  SmallVector<int64_t> waveWeights;
  for (unsigned bit = 0; bit < dma.waveBits(); ++bit)
    waveWeights.push_back(buffer.getLayout().offsetOf(dma.waveBasis(bit, 0),
                                                      dma.waveBasis(bit, 1)));
  Value wave = IdOp::create(b, loc(), b.getI32Type(), Id::Wave);
  Value waveLds = emitWeightedBits(b, loc(), wave, waveWeights);
  Value tileRow = mul(op.getIndex(), i32(buffer.getShape()[0]));
  Scopes scope = scopes.lookup(op.getBuffer());
  for (int64_t i = 0; i < dma.getFragments(); ++i) {
    int64_t reg = i * dma.getFragment();
    int64_t row = dma.regCoord(reg, 0), col = dma.regCoord(reg, 1);
    Value uniform =
        add(mul(add(add(tileRow, waveRow), i32(row)), slice->rowStride),
            mul(add(waveCol, i32(col)), i32(elemBytes)));
    Value lds = ldsAt(add(waveLds, i32(buffer.getOffsetBytes() +
                                       buffer.getLayout().offsetOf(row, col))));
    ROCDL::RawPtrBufferLoadLdsOp::create(
        b, loc(), slice->descriptor, lds, i32(chip::kDmaLaneBytes), laneOffset,
        uniform, i32(0), zeroAux(), scope.own, scope.others, ArrayAttr());
  }
  // Wait counts rest on the order in which copies are issued: no vector memory
  // operation crosses here, all else may (LLVM AMDGPUUsage, sched_barrier
  // masks).
  constexpr int32_t kAllButVectorMemory = 0x78F;
  ROCDL::SchedBarrier::create(b, loc(), kAllButVectorMemory);
  return success();
}

template <typename Read>
LogicalResult MemoryLowering::lowerRead(Read op, StagingAttr staging) {
  if (failed(requireLayout(op, op.getTile())))
    return failure();
  at(op);
  TileType type = op.getTile().getType();
  LdsType buffer = op.getBuffer().getType();
  std::string reason;
  FailureOr<LdsAccess> access = planLdsReads(type, staging.getRead(), reason);
  if (failed(access))
    return op.emitOpError()
           << "expected a lane layout that "
           << stringifyLdsRead(staging.getRead()) << " can read: " << reason;
  SmallVector<int64_t> weights;
  for (auto [row, col] : access->lane)
    weights.push_back(buffer.getLayout().offsetOf(row, col));
  Value lane = IdOp::create(b, loc(), b.getI32Type(), Id::Lane);
  Value laneAddress = ldsAt(emitWeightedBits(b, loc(), lane, weights));
  auto readType = VectorType::get({access->elemsPerLane}, type.getElement());
  Scopes scope = scopes.lookup(op.getBuffer());
  SmallVector<Value> parts;
  for (auto [row, col] : access->base) {
    int32_t offset =
        buffer.getOffsetBytes() + buffer.getLayout().offsetOf(row, col);
    Value address =
        LLVM::GEPOp::create(b, loc(), ldsPointer(), b.getI8Type(), laneAddress,
                            ArrayRef<LLVM::GEPArg>{offset});
    switch (staging.getRead()) {
    case LdsRead::B128: {
      auto load = LLVM::LoadOp::create(b, loc(), readType, address,
                                       access->bytesPerLane);
      load.setAliasScopesAttr(scope.own);
      load.setNoaliasScopesAttr(scope.others);
      parts.push_back(load);
      break;
    }
    case LdsRead::TrB16:
      parts.push_back(ROCDL::ds_read_tr16_b64::create(
          b, loc(), readType, address, scope.own, scope.others, ArrayAttr()));
      break;
    }
  }
  // Reads narrower than a fragment are joined pairwise.
  while (cast<VectorType>(parts.front().getType()).getNumElements() <
         type.getLayout().getFragment()) {
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
  op.replaceAllUsesWith(fromLanes(b, loc(), type, parts));
  op.erase();
  return success();
}

/// Rounds and stores O. A lane holds runs of neighbouring columns, half as many
/// bytes as a store moves; the lane that differs in one bit, 4 or 5, holds the
/// neighbouring run of the same row. A permlane swap of two of the lane's runs
/// gives it both halves of one and its partner both halves of the other.
LogicalResult MemoryLowering::lowerStore(StoreOOp op) {
  if (failed(requireLayout(op, op.getTile())))
    return failure();
  FailureOr<Slice> slice = sliceOf(op, op.getView());
  if (failed(slice))
    return failure();
  at(op);
  TileType type = op.getTile().getType();
  LaneLayoutAttr layout = type.getLayout();
  Type element = op.getView().getType().getElement();
  int64_t elemBytes = element.getIntOrFloatBitWidth() / 8;

  unsigned runBits = 0;
  while (runBits < layout.regBits() &&
         layout.regBasis(runBits, 1) == int64_t(1) << runBits)
    ++runBits;
  int64_t run = int64_t(1) << runBits;
  std::optional<unsigned> laneBit, regBit; // of the partner, of the other run
  for (unsigned bit : {4u, 5u})
    if (layout.laneBasis(bit, 1) == run)
      laneBit = bit;
  for (unsigned bit = runBits; bit < layout.regBits() && !regBit; ++bit)
    if (layout.regBasis(bit, 1))
      regBit = bit;
  if (!laneBit || !regBit || 2 * run * elemBytes != chip::kVectorAccessBytes)
    return op.emitOpError()
           << "expected runs of " << chip::kVectorAccessBytes / (2 * elemBytes)
           << " columns, the next run in lane bit 4 or 5 and another in a "
              "register bit, found runs of "
           << run << " in " << layout;

  SmallVector<Value> elements =
      unpack(b, loc(), toLanes(b, loc(), op.getTile()));
  // After the swap the lane bit counts what the register bit counted.
  SmallVector<int64_t> colWeights, rowWeights;
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit) {
    rowWeights.push_back(layout.laneBasis(bit, 0));
    colWeights.push_back(bit == *laneBit ? layout.regBasis(*regBit, 1)
                                         : layout.laneBasis(bit, 1));
  }
  Value lane = IdOp::create(b, loc(), b.getI32Type(), Id::Lane);
  Value laneOffset =
      add(mul(emitWeightedBits(b, loc(), lane, rowWeights), slice->rowStride),
          mul(emitWeightedBits(b, loc(), lane, colWeights), i32(elemBytes)));
  Value firstWaveRow = add(firstRow(), emitWaveCoord(b, loc(), layout, 0));

  Type i32Type = b.getI32Type();
  int64_t words = run * elemBytes / 4;
  auto wordsOfRun = [&](int64_t first) {
    SmallVector<Value> values(elements.begin() + first,
                              elements.begin() + first + run);
    Value vector = pack(b, loc(), values, run).front();
    Value rounded = arith::TruncFOp::create(
        b, loc(), VectorType::get({run}, element), vector);
    Value bits = LLVM::BitcastOp::create(
        b, loc(), VectorType::get({words}, i32Type), rounded);
    return unpack(b, loc(), bits);
  };
  for (int64_t reg = 0; reg < layout.getRegElems(); reg += run) {
    if (reg >> *regBit & 1)
      continue;
    SmallVector<Value> first, second;
    for (auto [x, y] :
         llvm::zip(wordsOfRun(reg), wordsOfRun(reg | int64_t(1) << *regBit))) {
      auto [a, c] = emitPermlaneSwap(b, loc(), x, y, *laneBit);
      first.push_back(a);
      second.push_back(c);
    }
    first.append(second);
    Value data = pack(b, loc(), first, first.size()).front();
    Value offset = add(laneOffset, i32(layout.regCoord(reg, 1) * elemBytes));
    Value uniform =
        mul(add(firstWaveRow, i32(layout.regCoord(reg, 0))), slice->rowStride);
    ROCDL::RawPtrBufferStoreOp::create(b, loc(), data, slice->descriptor,
                                       offset, uniform, zeroAux(), ArrayAttr(),
                                       ArrayAttr(), ArrayAttr());
  }
  op.erase();
  return success();
}

LogicalResult MemoryLowering::run() {
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<ViewOp, LoadQOp, LoadKAsyncOp, LoadVAsyncOp, ReadKOp, ReadVOp,
            StoreOOp, LdsBufferOp>(op))
      ops.push_back(op);
    if (isa<LoadKOp, LoadVOp>(op))
      op->emitOpError("expected a load split by fmha-plan-lds");
  });
  WalkResult unsplit = kernel.walk([](Operation *op) {
    return isa<LoadKOp, LoadVOp>(op) ? WalkResult::interrupt()
                                     : WalkResult::advance();
  });
  if (unsplit.wasInterrupted() || failed(createLds()))
    return failure();
  ScheduleAttr schedule = kernel.getSchedule();
  SmallVector<Operation *> dead;
  for (Operation *op : ops) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(op)
            .Case<ViewOp>([&](auto view) {
              lowerView(view);
              dead.push_back(view);
              return success();
            })
            .Case<LdsBufferOp>([&](auto buffer) {
              dead.push_back(buffer);
              return success();
            })
            .template Case<LoadQOp>([&](auto load) { return lowerLoadQ(load); })
            .template Case<LoadKAsyncOp, LoadVAsyncOp>([&](auto load) {
              dead.push_back(load);
              return lowerAsync(load);
            })
            .template Case<ReadKOp>(
                [&](auto read) { return lowerRead(read, schedule.getK()); })
            .template Case<ReadVOp>(
                [&](auto read) { return lowerRead(read, schedule.getV()); })
            .template Case<StoreOOp>(
                [&](auto store) { return lowerStore(store); });
    if (failed(result))
      return failure();
  }
  // Tokens and buffers have users until the reads are gone.
  for (Operation *op : llvm::reverse(dead))
    if (op->use_empty())
      op->erase();
  return success();
}

struct MemoryToRocdl : impl::MemoryToRocdlPassBase<MemoryToRocdl> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    for (KernelOp kernel : module.getOps<KernelOp>())
      if (failed(MemoryLowering(module, kernel).run()))
        return signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
