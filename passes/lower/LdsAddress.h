// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Addresses in LDS as a value that lanes or waves differ in, and an immediate.
#ifndef FMHA_LOWER_LDSADDRESS_H
#define FMHA_LOWER_LDSADDRESS_H

#include "lanes/Lanes.h"

#include "llvm/ADT/DenseMap.h"

namespace mlir::fmha {

/// The bytes of an LDS layout at which lanes (waves) find elements: lane l, or
/// what `id` is, takes the XOR of `masks[i]`, bytes without padding, over the
/// set bits i of l.
class LdsAddresses {
public:
  LdsAddresses(LdsLayoutAttr layout, SmallVector<int64_t> masks)
      : layout(layout), masks(std::move(masks)) {}

  /// Byte of the element that lies at the lane's byte XOR `fixed`, both without
  /// padding, as a value, of which there is one for each way in which `fixed`
  /// meets bits of lanes, plus an immediate.
  std::pair<Value, int64_t> emit(LaneBuilder &b, Value id, int64_t fixed);

private:
  LdsLayoutAttr layout;
  SmallVector<int64_t> masks;
  Value unpadded;
  llvm::SmallDenseMap<int64_t, Value> values; ///< by what meets lanes' bits
};

} // namespace mlir::fmha

#endif // FMHA_LOWER_LDSADDRESS_H
