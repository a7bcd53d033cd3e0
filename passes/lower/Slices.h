// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Views as hardware sees them, for the lowerings that load and store.
#ifndef FMHA_LOWER_SLICES_H
#define FMHA_LOWER_SLICES_H

#include "lanes/Lanes.h"

#include "mlir/IR/Iterators.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::fmha {

/// What vector accesses of a kernel tell the caches, as its schedule has it by
/// operand, and which operands have such accesses.
class Caches {
public:
  /// Of an access whose instruction takes all bits: LLVM's `aux`.
  int32_t bitsOf(LaneBuilder &b, Operand operand);
  /// Of a load from addresses of lanes to registers, to which LLVM gives nt
  /// alone.
  bool isNonTemporal(LaneBuilder &b, Operand operand);
  /// Says what of the schedule's policies of these operands is not followed;
  /// to be called when all accesses to them have been asked for.
  void remark(KernelOp kernel, ArrayRef<Operand> operands) const;

private:
  llvm::SmallDenseSet<Operand> whole, byAddress;
};

/// A buffer descriptor of a slice, and the byte distance of its rows.
struct Slice {
  Value descriptor; ///< null: rows lie in pages, which are reached by address
  Value rowStride;  ///< i32; null: of what a head has one of
  Value headStride; ///< i32; null: all rows are of one head
  Value address;    ///< i64, of its first byte
  Operand operand;
  Caches *caches; ///< borrowed, of the kernel

  /// What its accesses tell the caches, as an operand of the instruction.
  Value aux(LaneBuilder &b) const { return b.i32(caches->bitsOf(b, operand)); }
  /// Accesses at a lane's byte offset plus a uniform one.
  Value load(LaneBuilder &b, Type type, Value offset, Value uniform) const;
  void store(LaneBuilder &b, Value value, Value offset, Value uniform) const;
};

/// A load at a lane's byte offset plus a uniform one.
Value loadFrom(LaneBuilder &b, Value descriptor, Type type, Value offset,
               Value uniform, Value aux);

/// The slices of a kernel, each made once, where its view stands.
class Slices {
public:
  Slices() = default;
  Slices(const Slices &) = delete; // slices borrow from it
  Slices &operator=(const Slices &) = delete;

  Caches &getCaches() { return caches; }
  /// Fails with an error at `op` if the view does not come from fmha.view.
  FailureOr<Slice> get(Operation *op, Value view);
  /// The address (i64) of as many zero bytes as an access of a lane has.
  Value zeros(LaneBuilder &b);

private:
  Caches caches;
  llvm::DenseMap<Value, Slice> slices;
  Value zeroBytes;
};

/// Ops of some kinds whose results no op of the kernel takes any more.
template <typename... Ops> void eraseUnused(KernelOp kernel) {
  kernel.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isa<Ops...>(op) && op->use_empty())
      op->erase();
  });
}

/// A descriptor of so many bytes (i64) from an address (i64) on.
Value makeDescriptor(LaneBuilder &b, Value address,
                     function_ref<Value()> extent);

/// A byte offset past the extent of every slice: loads from there give zero,
/// stores to there are dropped.
Value pastEveryExtent(LaneBuilder &b);

/// The lane's byte offset of a piece of `pieceCols` columns that begins at
/// column `lane` + `uniform` (null for 0) + `fixed`: past every extent where
/// the piece lies beyond `cols`. `laneMax` and `uniformMax` are the most that
/// these can be.
Value guardColumns(LaneBuilder &b, Value offset, Value lane, int64_t laneMax,
                   Value uniform, int64_t uniformMax, int64_t fixed,
                   int64_t pieceCols, int64_t cols);

} // namespace mlir::fmha

#endif // FMHA_LOWER_SLICES_H
