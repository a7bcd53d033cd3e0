// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "bitmaps/LdsAccess.h"
#include "chip/Chip.h"
#include "lower/Dequantise.h"
#include "lower/EmptyAsm.h"
#include "lower/KeyFactors.h"
#include "lower/LdsAddress.h"
#include "lower/RowMath.h"
#include "lower/RowPlaces.h"
#include "lower/Rows.h"
#include "lower/Slices.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_MEMORYTOROCDLPASS
#include "Passes.h.inc"

namespace {

/// Alias scope and the scopes it does not alias, of one LDS buffer.
struct Scopes {
  ArrayAttr own, others;
};

using Allow = amdgpu::sched_barrier_opt_enum;

/// No vector memory operation crosses here, all else may: if it stands alone.
/// Before its last scheduling LLVM 22 bundles loads to registers that follow
/// one another, and takes a bundle for none (SIPostRABundler.cpp; SchedGroup,
/// AMDGPUIGroupLP.cpp). Loads to LDS are not bundled.
void keepVectorMemory(LaneBuilder &b) {
  amdgpu::SchedBarrierOp::create(
      b, Allow::non_mem_non_sideffect | Allow::valu | Allow::salu |
             Allow::mfma_wmma | Allow::all_ds | Allow::ds_read |
             Allow::ds_write | Allow::transcendental);
}

/// What waits for a copy counts the vector memory operations since. Where loads
/// to registers are among them, nothing at all crosses.
void keepOrder(KernelOp kernel) {
  kernel.walk([](Block *block) {
    SmallVector<Operation *> between;
    auto keep = [&] {
      if (llvm::any_of(between, llvm::IsaPred<CopyOp>) &&
          !llvm::all_of(between, llvm::IsaPred<CopyOp>))
        for (Operation *op : ArrayRef(between).drop_front()) {
          OpBuilder b(op);
          amdgpu::SchedBarrierOp::create(b, op->getLoc(), Allow::none);
        }
      between.clear();
    };
    for (Operation &op : llvm::make_early_inc_range(*block)) {
      auto memory = dyn_cast<VectorMemoryOp>(op);
      if (memory && memory.getVectorMemoryInstructions())
        between.push_back(&op);
      else if (isa<WallOp, ROCDL::SBarrierOp>(op))
        keep();
    }
    keep();
  });
}

class MemoryLowering {
public:
  explicit MemoryLowering(KernelOp kernel) : kernel(kernel) {}

  LogicalResult run();

private:
  void createLds();
  void createScopes(MutableArrayRef<LdsBufferOp> buffers);
  FailureOr<Value> lower(LoadQOp op, LaneBuilder &b);
  FailureOr<Value> lower(AddBiasOp op, LaneBuilder &b);
  FailureOr<Value> lower(LoadFactorsOp op, LaneBuilder &b);
  FailureOr<Value> lower(ScaleKeysOp op, LaneBuilder &b);
  FailureOr<Values> lower(FoldKeysOp op, LaneBuilder &b);
  FailureOr<Value> lower(LookUpOp op, LaneBuilder &b);
  FailureOr<Value> lower(TileFactorOp op, LaneBuilder &b);
  FailureOr<Value> lower(CopyOp op, LaneBuilder &b);
  /// Where a wave's copy went, and the row that its instruction adds.
  struct Copied {
    Value lds;
    int64_t row;
  };
  void clearPast(CopyOp op, LaneBuilder &b, TileRows &rows,
                 ArrayRef<Copied> copied);
  FailureOr<Value> lower(FetchOp op, LaneBuilder &b);
  FailureOr<Value> lower(WriteOp op, LaneBuilder &b);
  FailureOr<Value> lower(ReadOp op, LaneBuilder &b);

  /// First byte of the buffer whose turn it is beyond that of the first, plus
  /// `byte`.
  Value inSlot(LaneBuilder &b, Value buffer, Value byte) {
    Value turn = slotBytes.lookup(buffer);
    return turn ? b.add(byte, turn) : byte;
  }
  /// Byte of LDS from which immediates of a lane's reads of `buffer` count.
  int64_t originOf(Value buffer);
  Value ldsAt(LaneBuilder &b, Value base, LLVM::GEPArg byte) {
    return LLVM::GEPOp::create(b, base.getType(), b.getI8Type(), base,
                               ArrayRef(byte));
  }

  KernelOp kernel;
  Slices slices;
  llvm::DenseMap<Value, Scopes> copyScopes, readScopes; ///< by buffer
  llvm::DenseMap<Value, Value> slotBytes; ///< by buffer taken in turn
  Value ldsBase;
};

/// One range of LDS for all buffers: LLVM would lay out several anew, and then
/// also drop our scopes.
void MemoryLowering::createLds() {
  int64_t bytes = 0;
  SmallVector<LdsBufferOp> buffers;
  kernel.walk([&](LdsBufferOp op) {
    LdsType type = op.getBuffer().getType();
    bytes =
        std::max(bytes, type.getOffsetBytes() + type.getLayout().getBytes());
    buffers.push_back(op);
  });
  if (buffers.empty())
    return;
  LaneBuilder b(kernel.getLoc(),
                OpBuilder::atBlockBegin(kernel.getItemBlock()));
  ldsBase = LdsBaseOp::create(b, LLVM::LLVMPointerType::get(b.getContext(), 3),
                              bytes);
  createScopes(buffers);
  kernel.walk([&](RingSlotOp op) {
    LaneBuilder b(op);
    Value turn = arith::RemUIOp::create(b, op.getNumber(),
                                        b.i32(op.getBuffers().size()));
    slotBytes[op] = b.mul(turn, b.i32(op.strideBytes()));
  });
}

/// Immediates count from the first byte of LDS as long as they reach, so that
/// operands may share registers. Where a buffer begins beyond that, LLVM would
/// add to the address for each read; where one in turn ends beyond it, for each
/// read, too, since it then forms no common address of the slot.
int64_t MemoryLowering::originOf(Value buffer) {
  auto type = cast<LdsType>(buffer.getType());
  const int64_t offset = type.getOffsetBytes();
  if (buffer.getDefiningOp<RingSlotOp>())
    return offset + type.getLayout().getBytes() > chip::kLdsReachBytes ? offset
                                                                       : 0;
  auto own = buffer.getDefiningOp<LdsBufferOp>();
  int64_t first = offset, last = offset;
  kernel.walk([&](LdsBufferOp other) {
    if (!own || other.getOperand() != own.getOperand())
      return;
    int64_t begin = other.getBuffer().getType().getOffsetBytes();
    first = std::min(first, begin);
    last = std::max(last, begin);
  });
  return last >= chip::kLdsReachBytes ? first : 0;
}

void MemoryLowering::createScopes(MutableArrayRef<LdsBufferOp> buffers) {
  Builder b(kernel.getContext());
  auto unique = [&] { return DistinctAttr::create(b.getUnitAttr()); };
  auto domain = LLVM::AliasScopeDomainAttr::get(b.getContext(), unique(),
                                                b.getStringAttr("lds"));
  auto scope = [&](StringRef name) -> Attribute {
    return LLVM::AliasScopeAttr::get(b.getContext(), unique(), domain,
                                     b.getStringAttr(name));
  };
  auto all = llvm::map_to_vector(buffers, [&](LdsBufferOp op) {
    return scope(stringifyOperand(op.getOperand()));
  });
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
      reads = scope("reads");
    SmallVector<Attribute> own, others{reads};
    for (auto [i, buffer] : llvm::enumerate(buffers))
      (llvm::is_contained(op.getBuffers(), buffer.getBuffer()) ? own : others)
          .push_back(all[i]);
    copyScopes[op] = {b.getArrayAttr(own), b.getArrayAttr(others)};
    readScopes[op] = {b.getArrayAttr(reads), b.getArrayAttr(all)};
  });
}

/// Reads narrower than a fragment, joined pairwise.
Value join(LaneBuilder &b, Values parts) {
  while (parts.size() > 1) {
    Values joined;
    for (size_t i = 0; i < parts.size(); i += 2) {
      int64_t n = cast<VectorType>(parts[i].getType()).getNumElements();
      joined.push_back(vector::ShuffleOp::create(
          b, parts[i], parts[i + 1], llvm::to_vector(llvm::seq(2 * n))));
    }
    parts = std::move(joined);
  }
  return parts.front();
}

FailureOr<Value> MemoryLowering::lower(LoadQOp op, LaneBuilder &b) {
  FailureOr<Slice> slice = slices.get(op, op.getView());
  TileType type = op.getTile().getType();
  if (failed(slice) || failed(requireLowered(op, "q", type.getElement())))
    return failure();
  LaneLayoutAttr layout = type.getLayout();
  int64_t elemBytes = bytesOf(bitsOf(type.getElement()));
  // An access is of one run of neighbouring columns.
  const int64_t access = kVectorAccessBytes / elemBytes;
  bool isWhole = layout.getFragment() % access == 0;
  for (unsigned bit = 0; isWhole && bit < llvm::Log2_64(access); ++bit)
    isWhole = layout.regBasis(bit, 1) == int64_t(1) << bit;
  if (!isWhole)
    return op.emitOpError() << "expected fragments of runs of "
                            << kVectorAccessBytes << " bytes, found " << layout;
  Value laneCol = b.laneCoord(layout, 1);
  RowPlaces places(b, *slice, b.laneCoord(layout, 0));
  places.addColumns(b, b.mul(laneCol, b.i32(elemBytes)));
  places.begin(b.waveRow(layout));
  Values fragments;
  auto words = VectorType::get({kVectorAccessBytes / 4}, b.getI32Type());
  auto part = VectorType::get({access}, fragmentType(type).getElementType());
  for (int64_t i : type.presentFragments()) {
    Values parts;
    for (int64_t at = 0; at < layout.getFragment(); at += access) {
      int64_t reg = i * layout.getFragment() + at,
              col = layout.regCoord(reg, 1);
      const int64_t row = layout.regCoord(reg, 0);
      Value offset = b.add(places.ofLane(b, row), b.i32(col * elemBytes));
      offset = guardColumns(b, offset, laneCol, laneExtent(layout, 1), Value(),
                            0, col, access, type.getCols());
      Value uniform = places.uniform(b, row);
      parts.push_back(b.bitcast(part, slice->load(b, words, offset, uniform)));
    }
    fragments.push_back(join(b, parts));
  }
  return b.fromPresentLanes(type, fragments);
}

/// One dword a score: rows of the bias end at any multiple of four bytes, and a
/// wider access that passes the extent would lose its valid part.
FailureOr<Value> MemoryLowering::lower(AddBiasOp op, LaneBuilder &b) {
  FailureOr<Slice> slice = slices.get(op, op.getView());
  if (failed(slice))
    return failure();
  TileType type = op.getS().getType();
  LaneLayoutAttr layout = type.getLayout();
  int64_t elemBytes = bytesOf(bitsOf(type.getElement()));
  RowPlaces places(b, *slice, b.laneCoord(layout, 0));
  places.addColumns(b, b.mul(b.laneCoord(layout, 1), b.i32(elemBytes)));
  places.begin(b.waveRow(layout));
  Value firstKey =
      b.add(b.mul(op.getIndex(), b.i32(type.dim(1))), b.waveCoord(layout, 1));
  // As factors of keys (KeyFactors.cpp): LLVM 22 may have the number of the
  // wave in a vector register, and goes through all lanes for each load then.
  if (kernel.getSchedule().getKeyWaves() > 1)
    firstKey = ROCDL::ReadfirstlaneOp::create(b, b.getI32Type(), firstKey);
  Values scores = b.elements(op.getS());
  for (auto [reg, score] : llvm::enumerate(scores)) {
    const int64_t row = layout.regCoord(reg, 0);
    Value offset = b.add(places.ofLane(b, row),
                         b.i32(layout.regCoord(reg, 1) * elemBytes));
    Value uniform =
        b.add(places.uniform(b, row), b.mul(firstKey, b.i32(elemBytes)));
    score = b.add(score, slice->load(b, b.getF32Type(), offset, uniform));
  }
  return b.tileOf(type, scores);
}

FailureOr<Value> MemoryLowering::lower(LoadFactorsOp op, LaneBuilder &b) {
  FailureOr<Slice> slice = slices.get(op, op.getView());
  if (failed(slice))
    return failure();
  ProblemAttr problem = kernel.getProblem();
  int64_t shared =
      rowsAFactor(problem, op.getView().getDefiningOp<ViewOp>().getOperand());
  if (!shared && !slice->headStride)
    return op.emitOpError("expected a view of factors of rows, found another");
  TileType type = op.getFactors().getType();
  LaneLayoutAttr layout = type.getLayout();
  if (slice->headStride) {
    RowPlaces places(b, *slice, b.laneCoord(layout, 0));
    places.begin(b.waveRow(layout));
    Values values;
    for (int64_t reg = 0; reg < layout.getRegElems(); ++reg)
      values.push_back(slice->load(b, b.getF32Type(),
                                   places.ofLane(b, layout.regCoord(reg, 0)),
                                   b.i32(0)));
    return b.tileOf(type, values);
  }
  Value own = b.add(b.waveRow(layout), b.laneCoord(layout, 0));
  Values factors;
  for (int64_t reg = 0; reg < layout.getRegElems(); ++reg) {
    Value row = b.add(own, b.i32(layout.regCoord(reg, 0)));
    if (shared > 1)
      row = arith::DivUIOp::create(b, row, b.i32(shared));
    factors.push_back(
        slice->load(b, b.getF32Type(), b.mul(row, slice->rowStride), b.i32(0)));
  }
  return b.tileOf(type, factors);
}

FailureOr<Value> MemoryLowering::lower(ScaleKeysOp op, LaneBuilder &b) {
  TileType type = op.getS().getType();
  FailureOr<Values> factors = factorsOfKeys(op, b, slices, op.getView(), type,
                                            op.getIndex(), op.getPages());
  if (failed(factors))
    return failure();
  // Products of numbers of 8 bits are at most 2^26, and those of 16 bits in use
  // hardly more: scores stay finite, since infinity less itself is NaN.
  Value most = b.f32(0x1p100f), least = b.f32(-0x1p100f);
  llvm::SmallDenseMap<Value, Value> bounded;
  Values scores = b.elements(op.getS());
  for (auto [score, factor] : llvm::zip(scores, *factors)) {
    Value &own = bounded[factor];
    if (!own)
      own = arith::MinNumFOp::create(
          b, arith::MaxNumFOp::create(b, factor, least), most);
    score = b.mul(score, own);
  }
  return b.tileOf(type, scores);
}

/// A key counts in the rows that have a weight of it: others, hidden ones among
/// them, add nothing to O.
FailureOr<Values> MemoryLowering::lower(FoldKeysOp op, LaneBuilder &b) {
  TileType type = op.getX().getType(), rowType = op.getMost().getType();
  // Loads that LLVM moves up would hold registers beside the scores.
  if (op.getVectorMemoryInstructions())
    keepVectorMemory(b);
  FailureOr<Values> factors = factorsOfKeys(op, b, slices, op.getView(), type,
                                            op.getIndex(), op.getPages());
  FailureOr<SmallVector<unsigned>> laneBits = rowLaneBits(op, type.getLayout());
  if (failed(factors) || failed(laneBits))
    return failure();
  Values x = b.elements(op.getX()), most = b.elements(op.getMost()), correction;
  Value one = b.f32(1);
  const auto lift = int64_t(op.getLift().value_or(0));
  const float bound = std::exp2(float(lift));
  for (auto [row, regs] :
       llvm::enumerate(elementsOfRows(type.getLayout(), rowType.getLayout()))) {
    // Those that share a factor count together.
    llvm::MapVector<Value, Values> weights;
    for (size_t reg : regs)
      weights[(*factors)[reg]].push_back(x[reg]);
    Values seen;
    for (auto &[factor, own] : weights) {
      // 1 or 0. Of comparisons LLVM would keep masks in scalar registers, two
      // for each weight.
      Value counts = arith::MinNumFOp::create(
          b, b.mul(maxOf(b, own), b.f32(0x1p126f)), one);
      Value magnitude = math::AbsFOp::create(b, factor);
      seen.push_back(b.mul(magnitude, counts));
    }
    Value own = maxOfRow(b, maxOf(b, seen), *laneBits);
    Value before = most[row];
    most[row] = b.max(before, powerOf2(b, own));
    // Exponents are taken: of 2^127 f32 has no reciprocal. exponentOf(2^e) is
    // e + 1, so that `most` and its own factors give less than 1.
    Value down = b.sub(b.i32(0), exponentOf(b, most[row]));
    correction.push_back(timesPowerOf2(b, before, b.add(down, b.i32(1))));
    // Those that count are less than 2^lift; 0 times the others is to be 0.
    Value exponent = lift ? b.add(down, b.i32(lift)) : down;
    for (size_t reg : regs) {
      Value relative = timesPowerOf2(b, (*factors)[reg], exponent);
      relative = arith::MinNumFOp::create(
          b, arith::MaxNumFOp::create(b, relative, b.f32(-bound)),
          b.f32(bound));
      x[reg] = b.mul(x[reg], relative);
    }
  }
  return Values{b.tileOf(type, x), b.tileOf(rowType, most),
                b.tileOf(rowType, correction)};
}

/// Copies are counted after the loads of numbers, which come first.
FailureOr<Value> MemoryLowering::lower(LookUpOp op, LaneBuilder &b) {
  FailureOr<Value> pages = lookUpPages(op, b, slices);
  if (op.getVectorMemoryInstructions())
    keepVectorMemory(b);
  else if (holdsLookUps(kernel.getSchedule()))
    amdgpu::SchedBarrierOp::create(b, Allow::none);
  return pages;
}

FailureOr<Value> MemoryLowering::lower(TileFactorOp op, LaneBuilder &b) {
  Value factor = factorOfTile(b, staged(op.getOperand()).factors, op.getIndex(),
                              op.getPage());
  if (holdsLookUps(kernel.getSchedule()))
    amdgpu::SchedBarrierOp::create(b, Allow::none);
  return factor;
}

/// The number of the lane, made anew where it stands: what rarely runs is to
/// hold no registers.
Value countLanes(LaneBuilder &b) {
  Value all = createEmptyAsm(b, b.getI32Type(), b.i32(-1), "=s,0",
                             /*hasEffects=*/true)
                  .getResult(0);
  Value low = ROCDL::MbcntLoOp::create(b, b.getI32Type(), all, b.i32(0),
                                       ArrayAttr(), ArrayAttr());
  return ROCDL::MbcntHiOp::create(b, b.getI32Type(), all, low, ArrayAttr(),
                                  ArrayAttr());
}

/// Of a tile that has keys past the last one in a piece with others: a lane
/// waits for what it copied, and makes them zero in LDS, before any wave may
/// read it. That is one tile of a sequence, so that it may wait for all. At the
/// end of the stage, where no order of instructions is torn apart.
void MemoryLowering::clearPast(CopyOp op, LaneBuilder &b, TileRows &rows,
                               ArrayRef<Copied> copied) {
  LaneLayoutAttr dma = op.getDma();
  const int64_t laneBytes =
      dma.getFragment() *
      bytesOf(bitsOf(op.getBuffer().getType().getElement()));
  const Scopes scope = copyScopes.lookup(op.getBuffer());
  OpBuilder::InsertionGuard guard(b);
  Operation *end = op;
  do
    end = end->getNextNode();
  while (!end->hasTrait<OpTrait::IsTerminator>() &&
         !isa<WallOp, ROCDL::SBarrierOp, amdgpu::MemoryCounterWaitOp>(end));
  b.setInsertionPoint(end);
  Value isCut = rows.cutsPiece(b);
  auto branch = scf::IfOp::create(b, isCut, /*withElseRegion=*/false);
  b.setInsertionPointToStart(branch.thenBlock());
  IntegerAttr all = b.getI32IntegerAttr(0), none;
  amdgpu::MemoryCounterWaitOp::create(b, /*load=*/all, /*store=*/none,
                                      /*ds=*/none, /*exp=*/none,
                                      /*tensor=*/none);
  Value lane = countLanes(b);
  Value ownRow = arith::XOrIOp::create(b, b.laneCoordOf(lane, dma, 0),
                                       b.waveCoord(dma, 0));
  Value ownByte = b.mul(lane, b.i32(laneBytes));
  constexpr int64_t kWordBytes = 4;
  auto words = VectorType::get({laneBytes / kWordBytes}, b.getI32Type());
  for (auto [lds, row] : copied) {
    Value at = ldsAt(b, lds, ownByte);
    auto load = LLVM::LoadOp::create(b, words, at, laneBytes);
    load.setAliasScopesAttr(scope.own);
    load.setNoaliasScopesAttr(scope.others);
    auto store = LLVM::StoreOp::create(
        b, rows.clearPast(b, load, b.xorWith(ownRow, row)), at, laneBytes);
    store.setAliasScopesAttr(scope.own);
    store.setNoaliasScopesAttr(scope.others);
  }
  amdgpu::MemoryCounterWaitOp::create(b, /*load=*/none, /*store=*/none,
                                      /*ds=*/all, /*exp=*/none,
                                      /*tensor=*/none);
}

/// The coordinate that a lane has, with what the wave makes of its `bits` and
/// with the instruction's, `fixed`.
static Value coordWith(LaneBuilder &b, LaneLayoutAttr layout, unsigned dim,
                       int64_t bits, int64_t fixed) {
  Value coord = b.laneCoord(layout, dim);
  if (waveExtent(layout, dim) & bits)
    coord = arith::XOrIOp::create(b, coord, b.waveCoord(layout, dim, bits));
  return b.xorWith(coord, fixed);
}

/// One direct-to-LDS load a fragment of `dma`: the lane offset stays in a
/// register, all else is uniform. Where lanes and the wave or the instruction
/// change the same bits of a coordinate, as swizzled layouts want it, the lane
/// offset has them all, and there is one for each such part of an instruction.
/// The instruction's immediate is not used, since hardware adds it to both
/// addresses.
FailureOr<Value> MemoryLowering::lower(CopyOp op, LaneBuilder &b) {
  LdsType buffer = op.getBuffer().getType();
  LaneLayoutAttr dma = op.getDma();
  FailureOr<TileRows> rows = TileRows::get(
      op, op.getRows(), buffer.getShape()[0], dma.getFragment(), slices);
  if (failed(rows))
    return failure();
  int64_t elemBytes = bytesOf(bitsOf(buffer.getElement()));
  int64_t laneBytes = dma.getFragment() * elemBytes;
  if (!llvm::is_contained(chip::kDmaLaneBytes, laneBytes))
    return op.emitOpError()
           << "expected a lane to move " << chip::kDmaLaneBytes[0] << " or "
           << chip::kDmaLaneBytes[1] << " bytes, found " << laneBytes;
  int64_t laneRows = rows->bitsOfLanes(laneExtent(dma, 0)),
          laneCols = rows->bitsOfLanes(laneExtent(dma, 1));
  struct Lane {
    Value place, column;
  };
  /// By the row and the column that the instruction adds.
  llvm::SmallDenseMap<std::pair<int64_t, int64_t>, Lane> lanes;
  auto laneFor = [&](int64_t row, int64_t col) {
    Lane &lane = lanes[{row, col}];
    if (lane.place)
      return lane;
    lane.column = coordWith(b, dma, 1, laneCols, col);
    lane.place =
        rows->lane(b, coordWith(b, dma, 0, laneRows, row), row, lane.column,
                   laneExtent(dma, 1) | waveExtent(dma, 1) | col);
    return lane;
  };
  laneFor(0, 0); // of the first copy, which there always is
  // What is uniform is that of the wave plus that of the instruction, unless
  // both have a bit.
  auto uniformCoord = [&](Value wave, unsigned dim, int64_t &fixed) -> Value {
    if (!(waveExtent(dma, dim) & fixed))
      return wave;
    return b.xorWith(wave, std::exchange(fixed, 0));
  };
  Value waveRow = b.waveCoord(dma, 0, ~laneRows);
  Value waveCol = b.waveCoord(dma, 1, ~laneCols);
  SmallVector<int64_t> waveMasks;
  for (unsigned bit = 0; bit < dma.waveBits(); ++bit)
    waveMasks.push_back(buffer.getLayout().maskOf(dma.waveBasis(bit, 0),
                                                  dma.waveBasis(bit, 1)));
  LdsAddresses ofWaves(buffer.getLayout(), waveMasks);
  Value wave = b.id(Id::Wave);
  llvm::SmallDenseMap<Value, Value> slots;
  auto inTurn = [&](Value byte) {
    Value &slot = slots[byte];
    return slot = slot ? slot : inSlot(b, op.getBuffer(), byte);
  };
  inTurn(ofWaves.emit(b, wave, 0).first);
  rows->begin(b);
  Scopes scope = copyScopes.lookup(op.getBuffer());
  SmallVector<Copied> copied;
  int64_t cols = op.getRows().getType().getCols();
  for (int64_t i : op.issuedFragments()) {
    int64_t reg = i * dma.getFragment();
    int64_t row = dma.regCoord(reg, 0), col = dma.regCoord(reg, 1);
    Lane lane = laneFor(row & laneRows, col & laneCols);
    int64_t fixedRow = row & ~laneRows, fixedCol = col & ~laneCols;
    int64_t colsOfWaves = (waveExtent(dma, 1) & ~laneCols) | fixedCol;
    Value uniformRow = uniformCoord(waveRow, 0, fixedRow);
    Value uniformCol = uniformCoord(waveCol, 1, fixedCol);
    TileRows::Uniform uniform = rows->uniform(b, uniformRow, fixedRow, row);
    Value colBytes = rows->columnBytes(b, b.add(uniformCol, b.i32(fixedCol)));
    auto [waveLds, immediate] =
        ofWaves.emit(b, wave, buffer.getLayout().maskOf(row, col));
    Value lds = ldsAt(
        b, ldsBase,
        b.add(inTurn(waveLds), b.i32(buffer.getOffsetBytes() + immediate)));
    Value place = lane.place;
    if (!rows->isByLane())
      place = guardColumns(b, place, lane.column, laneCols, uniformCol,
                           colsOfWaves & ~fixedCol, fixedCol, rows->laneCols(),
                           cols);
    rows->copy(b, uniform, place, colBytes, lds, laneBytes, scope.own,
               scope.others);
    copied.push_back({lds, row});
  }
  // Wait counts rest on the order in which copies are issued.
  keepVectorMemory(b);
  if (rows->bringsKeys())
    clearPast(op, b, *rows, copied);
  return NoTokenOp::create(b, op.getToken().getType()).getToken();
}

/// One load a fragment, of a lane's piece of a row. Lanes, waves and
/// instructions each have bits of the coordinates of their own.
FailureOr<Value> MemoryLowering::lower(FetchOp op, LaneBuilder &b) {
  TileType type = op.getTile().getType();
  LaneLayoutAttr layout = type.getLayout();
  FailureOr<TileRows> rows = TileRows::get(op, op.getRows(), type.dim(0),
                                           layout.getFragment(), slices);
  if (failed(rows))
    return failure();
  int64_t elemBytes = bytesOf(bitsOf(type.getElement()));
  int64_t pieceBytes = layout.getFragment() * elemBytes;
  constexpr int64_t kWordBytes = 4;
  Type piece = pieceBytes < kWordBytes
                   ? Type(b.getIntegerType(pieceBytes * kByteBits))
                   : VectorType::get({pieceBytes / kWordBytes}, b.getI32Type());
  const int64_t laneRows = rows->bitsOfLanes(laneExtent(layout, 0)),
                laneCols = rows->bitsOfLanes(laneExtent(layout, 1));
  Value laneCol = b.laneCoord(layout, 1);
  /// By the row and the column of instructions.
  llvm::SmallDenseMap<std::pair<int64_t, int64_t>, Value> lanes;
  auto laneFor = [&](int64_t row, int64_t col) {
    Value &place = lanes[{row, col}];
    if (!place) {
      int64_t most = laneExtent(layout, 1) | waveExtent(layout, 1) | col;
      Value column =
          rows->isByLane() ? coordWith(b, layout, 1, laneCols, col) : laneCol;
      place = rows->lane(b, coordWith(b, layout, 0, laneRows, row), row, column,
                         most);
    }
    return place;
  };
  laneFor(0, 0);
  rows->begin(b);
  Value waveRow = b.waveCoord(layout, 0, ~laneRows);
  Value waveCol = b.waveCoord(layout, 1);
  Values fragments;
  for (int64_t i : type.presentFragments()) {
    int64_t reg = i * layout.getFragment();
    int64_t row = layout.regCoord(reg, 0), col = layout.regCoord(reg, 1);
    Value place = laneFor(row & laneRows, col & laneCols);
    if (!rows->isByLane())
      place = guardColumns(b, place, laneCol, laneExtent(layout, 1), waveCol,
                           waveExtent(layout, 1), col, rows->laneCols(),
                           op.getRows().getType().getCols());
    TileRows::Uniform uniform = rows->uniform(b, waveRow, row & ~laneRows, row);
    Value colBytes = rows->columnBytes(b, b.add(waveCol, b.i32(col)));
    Value loaded = rows->load(b, uniform, place, colBytes, piece, pieceBytes);
    fragments.push_back(b.bitcast(fragmentType(type), loaded));
  }
  keepVectorMemory(b);
  if (rows->bringsKeys())
    fragments = b.changeIf(rows->cutsPiece(b), fragments, [&] {
      Value ownRow = arith::XOrIOp::create(
          b, b.laneCoordOf(countLanes(b), layout, 0), b.waveCoord(layout, 0));
      Values cleared;
      for (auto [i, brought] : llvm::zip(type.presentFragments(), fragments)) {
        Value row =
            b.xorWith(ownRow, layout.regCoord(i * layout.getFragment(), 0));
        cleared.push_back(
            b.bitcast(brought.getType(),
                      rows->clearPast(b, b.bitcast(piece, brought), row)));
      }
      return cleared;
    });
  return b.fromPresentLanes(type, fragments);
}

/// One write a fragment: an address for lane and wave in one register, all else
/// in the instruction, as no two of them have a bit in common.
FailureOr<Value> MemoryLowering::lower(WriteOp op, LaneBuilder &b) {
  TileType type = op.getTile().getType();
  LaneLayoutAttr layout = type.getLayout();
  LdsType buffer = op.getBuffer().getType();
  SmallVector<int64_t> ofLane, ofWave;
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit)
    ofLane.push_back(buffer.getLayout().maskOf(layout.laneBasis(bit, 0),
                                               layout.laneBasis(bit, 1)));
  for (unsigned bit = 0; bit < layout.waveBits(); ++bit)
    ofWave.push_back(buffer.getLayout().maskOf(layout.waveBasis(bit, 0),
                                               layout.waveBasis(bit, 1)));
  LdsAddresses lanes(buffer.getLayout(), ofLane),
      waves(buffer.getLayout(), ofWave);
  Value byte = b.add(lanes.emit(b, b.id(Id::Lane), 0).first,
                     waves.emit(b, b.id(Id::Wave), 0).first);
  Value address = ldsAt(b, ldsBase, inSlot(b, op.getBuffer(), byte));
  Scopes scope = copyScopes.lookup(op.getBuffer());
  Values pieces = b.toPresentLanes(op.getTile());
  const int64_t pieceBytes =
      layout.getFragment() * bytesOf(bitsOf(buffer.getElement()));
  for (auto [i, piece] : llvm::zip(type.presentFragments(), pieces)) {
    int64_t reg = i * layout.getFragment();
    int64_t immediate = buffer.getLayout().pad(buffer.getLayout().maskOf(
        layout.regCoord(reg, 0), layout.regCoord(reg, 1)));
    auto store = LLVM::StoreOp::create(
        b, widen(b, piece, type.getElement(), buffer.getElement()),
        ldsAt(b, address, int32_t(buffer.getOffsetBytes() + immediate)),
        pieceBytes);
    store.setAliasScopesAttr(scope.own);
    store.setNoaliasScopesAttr(scope.others);
  }
  return NoTokenOp::create(b, op.getToken().getType()).getToken();
}

FailureOr<Value> MemoryLowering::lower(ReadOp op, LaneBuilder &b) {
  TileType type = op.getTile().getType();
  LdsType buffer = op.getBuffer().getType();
  FailureOr<LdsAccess> access = planLdsReads(op, type, op.getOperand());
  if (failed(access))
    return failure();
  SmallVector<int64_t> masks;
  for (auto [row, col] : access->lane)
    masks.push_back(buffer.getLayout().maskOf(row, col));
  Value lane = b.id(Id::Lane);
  LaneLayoutAttr layout = type.getLayout();
  if (waveExtent(layout, 0) | waveExtent(layout, 1)) {
    // Bits above those of the lane.
    for (unsigned bit = 0; bit < layout.waveBits(); ++bit)
      masks.push_back(buffer.getLayout().maskOf(layout.waveBasis(bit, 0),
                                                layout.waveBasis(bit, 1)));
    lane = b.add(lane, b.mul(b.id(Id::Wave), b.i32(chip::kWaveLanes)));
  }
  LdsAddresses ofLanes(buffer.getLayout(), masks);
  llvm::SmallDenseMap<Value, Value> laneAddresses;
  auto readType = VectorType::get({access->elemsPerLane},
                                  fragmentType(type).getElementType());
  Scopes scope = readScopes.lookup(op.getBuffer());
  const int64_t origin = originOf(op.getBuffer());
  auto readAt = [&](std::pair<int64_t, int64_t> coord) -> Value {
    auto [row, col] = coord;
    auto [laneByte, immediate] =
        ofLanes.emit(b, lane, buffer.getLayout().maskOf(row, col));
    Value &laneAddress = laneAddresses[laneByte];
    if (!laneAddress) {
      // LLVM would take the origin for a part of the immediates again.
      Value byte =
          origin ? hide(b, b.add(laneByte, b.i32(origin)), RegisterKind::Vector)
                 : laneByte;
      laneAddress = ldsAt(b, ldsBase, inSlot(b, op.getBuffer(), byte));
    }
    Value address = ldsAt(
        b, laneAddress, int32_t(buffer.getOffsetBytes() - origin + immediate));
    if (!access->transposes) {
      auto load =
          LLVM::LoadOp::create(b, readType, address, access->bytesPerLane);
      load.setAliasScopesAttr(scope.own);
      load.setNoaliasScopesAttr(scope.others);
      return load;
    }
    if (bitsOf(type.getElement()) == kByteBits) {
      auto words = VectorType::get({2}, b.getI32Type());
      return b.bitcast(
          readType, ROCDL::ds_read_tr8_b64::create(b, words, address, scope.own,
                                                   scope.others, ArrayAttr()));
    }
    return ROCDL::ds_read_tr16_b64::create(b, readType, address, scope.own,
                                           scope.others, ArrayAttr());
  };
  SmallVector<int64_t> present = type.presentFragments();
  Values fragments = b.toPresentLanesSoFar(type, op.getPartial());
  auto [first, last] = PartAttr::rangeOf(op.getPartAttr(), present.size());
  size_t reads = type.getLayout().getFragment() / access->elemsPerLane;
  for (int64_t n = first; n < last; ++n)
    fragments[n] =
        join(b, llvm::map_to_vector(
                    ArrayRef(access->base).slice(present[n] * reads, reads),
                    readAt));
  return b.fromPresentLanes(type, fragments);
}

LogicalResult MemoryLowering::run() {
  if (failed(lowerEach<LoadOp>(
          kernel, [](LoadOp load, LaneBuilder &) -> FailureOr<Value> {
            return load.emitOpError("expected a load split by fmha-plan-lds");
          })))
    return failure();
  keepOrder(kernel);
  createLds();
  if (failed(
          lowerEach<LoadQOp, LoadFactorsOp, AddBiasOp, ScaleKeysOp, FoldKeysOp,
                    LookUpOp, TileFactorOp, CopyOp, FetchOp, WriteOp, ReadOp>(
              kernel, [&](auto op, LaneBuilder &b) { return lower(op, b); })))
    return failure();
  slices.getCaches().remark(kernel,
                            {Operand::Q, Operand::K, Operand::V, Operand::Bias,
                             Operand::QScale, Operand::KScale, Operand::VScale,
                             Operand::Pages});
  // Reads are gone; tokens that a loop or a stage passes on are left.
  eraseUnused<NoTokenOp, RingSlotOp, LdsBufferOp, RowsOp, ViewOp>(kernel);
  return success();
}

struct MemoryToRocdl : impl::MemoryToRocdlPassBase<MemoryToRocdl> {
  LogicalResult run(KernelOp kernel) override {
    return MemoryLowering(kernel).run();
  }
};
} // namespace
} // namespace mlir::fmha
