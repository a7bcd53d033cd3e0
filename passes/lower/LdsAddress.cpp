// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/LdsAddress.h"

#include "lower/Lanes.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fmha;

std::pair<Value, int64_t> LdsAddresses::emit(OpBuilder &b, Location loc,
                                             Value id, int64_t fixed) {
  int64_t lanes = 0;
  for (int64_t mask : masks)
    lanes |= mask;
  // Bits that no lane has neither meet nor carry: x ^ y = x + y for them, and
  // the padding of a sum of such is the sum of the paddings.
  int64_t immediate = layout.pad(fixed & ~lanes);
  int64_t met = fixed & lanes;
  Value &value = values[met];
  if (value)
    return {value, immediate};
  if (!met && areDisjoint(masks)) {
    SmallVector<int64_t> weights;
    for (int64_t mask : masks)
      weights.push_back(layout.pad(mask));
    value = emitWeightedBits(b, loc, id, weights);
    return {value, immediate};
  }
  if (!unpadded)
    unpadded = emitXorBits(b, loc, id, masks);
  value = unpadded;
  if (met)
    value = arith::XOrIOp::create(b, loc, value, constantI32(b, loc, met));
  if (int64_t pad = layout.getPadBytes()) {
    Value chunk = arith::ShRUIOp::create(
        b, loc, value,
        constantI32(b, loc, llvm::Log2_64(layout.getChunkBytes())));
    value = arith::AddIOp::create(
        b, loc, value,
        arith::MulIOp::create(b, loc, chunk, constantI32(b, loc, pad)));
  }
  return {value, immediate};
}
