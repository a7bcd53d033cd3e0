// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "chip/Chip.h"
#include "prove/Proofs.h"

#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// Registers of each thing that a wave holds, by the name of what makes it.
using Registers = llvm::MapVector<StringRef, int64_t>;

/// Fragments of a tile that hold an element: the columns past its size have
/// none.
int64_t countFragments(TileType type) {
  LaneLayoutAttr layout = type.getLayout();
  const unsigned colDim = type.getShape().size() - 1;
  // Bits that count rows only double what the others have: a tile may have far
  // more rows than can be looked at.
  int64_t columns = 0;
  for (unsigned bit = llvm::Log2_64(layout.getFragment());
       bit < layout.regBits(); ++bit)
    columns |= layout.regBasis(bit, colDim);
  auto begins = [&](int64_t column) { return (column & ~columns) == 0; };
  int64_t present = llvm::count_if(llvm::seq(type.getCols()), begins);
  return present * (layout.getFragments() >> llvm::popcount(uint64_t(columns)));
}

/// Registers of a lane that a tile takes: matrix instructions leave no part of
/// a fragment out.
int64_t registersOf(TileType type) {
  if (!type.getLayout())
    return 0;
  const int64_t bits = countFragments(type) * type.getLayout().getFragment() *
                       bitsOf(type.getElement());
  return llvm::divideCeil(bits, chip::kRegisterBits);
}

/// The step that makes a value, found through the regions around it.
StringRef nameOf(Value value) {
  Operation *def = value.getDefiningOp();
  if (!def)
    return "carried";
  if (auto stageOp = dyn_cast<StageOp>(def))
    return nameOf(stageOp.getBody().front().getTerminator()->getOperand(
        cast<OpResult>(value).getResultNumber()));
  return labelOf(def);
}

void add(Registers &registers, Value value, Value maker) {
  if (auto type = dyn_cast<TileType>(value.getType()))
    if (int64_t count = registersOf(type))
      registers[nameOf(maker)] += count;
}

/// What a wave holds at the start of each round of a loop.
Registers heldThrough(KvLoopOp loop) {
  Registers registers;
  SetVector<Value> outside;
  getUsedValuesDefinedAbove(loop.getBody(), outside);
  for (Value value : outside)
    add(registers, value, value);
  for (auto [carried, next] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
    add(registers, carried, next);
  return registers;
}

} // namespace

LogicalResult fmha::proveRegisters(KernelOp kernel) {
  ScheduleAttr schedule = kernel.getSchedule();
  const int64_t budget = chip::kVectorRegisters / schedule.getWavesPerSimd();
  WalkResult result = kernel.walk([&](KvLoopOp loop) -> WalkResult {
    int64_t total = 0;
    Registers registers = heldThrough(loop);
    for (auto [name, count] : registers)
      total += count;
    if (total <= budget)
      return WalkResult::advance();
    InFlightDiagnostic diag =
        loop.emitOpError() << "does not fit: expected a wave to hold at most "
                           << budget << " registers a lane ("
                           << chip::kVectorRegisters
                           << " with waves_per_simd = "
                           << schedule.getWavesPerSimd()
                           << ") from one round to the next, found at least "
                           << total << " with tile_m = " << schedule.getTileM()
                           << " (";
    llvm::interleaveComma(registers, diag, [&](auto &entry) {
      diag << entry.first << " " << entry.second;
    });
    diag << "); reduce tile_m, tile_n or waves_per_simd, or take more waves";
    return failure();
  });
  return failure(result.wasInterrupted());
}
