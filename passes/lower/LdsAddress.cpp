// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/LdsAddress.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fmha;

std::pair<Value, int64_t> LdsAddresses::emit(LaneBuilder &b, Value id,
                                             int64_t fixed) {
  int64_t lanes = unionOf(masks);
  // Bits that no lane has neither meet nor carry: x ^ y = x + y for them, and
  // the padding of a sum of such is the sum of the paddings.
  int64_t immediate = layout.pad(fixed & ~lanes);
  int64_t met = fixed & lanes;
  Value &value = values[met];
  if (value)
    return {value, immediate};
  if (!met && areDisjoint(masks)) {
    value = b.weightedBits(id, llvm::map_to_vector(masks, [&](int64_t mask) {
                             return layout.pad(mask);
                           }));
    return {value, immediate};
  }
  if (!unpadded)
    unpadded = b.xorBits(id, masks);
  value = b.xorWith(unpadded, met);
  if (int64_t pad = layout.getPadBytes()) {
    Value chunk = arith::ShRUIOp::create(
        b, value, b.i32(llvm::Log2_64(layout.getChunkBytes())));
    value = b.add(value, b.mul(chunk, b.i32(pad)));
  }
  return {value, immediate};
}
