// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/RowMath.h"

#include "chip/Chip.h"
#include "lanes/Lift.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <deque>
#include <limits>

using namespace mlir;
using namespace mlir::fmha;

//===- Scores -------------------------------------------------------------===//

Value fmha::maxOf(LaneBuilder &b, ArrayRef<Value> values) {
  std::deque<Value> queue(values.begin(), values.end());
  auto take = [&] {
    Value value = queue.front();
    queue.pop_front();
    return value;
  };
  while (queue.size() > 1) {
    Value part = b.max(take(), take());
    if (!queue.empty())
      part = b.max(part, take());
    queue.push_back(part);
  }
  return queue.front();
}

Value fmha::maxOfRow(LaneBuilder &b, Value own, ArrayRef<unsigned> laneBits) {
  for (unsigned bit : laneBits) {
    auto [x, y] = b.permlaneSwap(own, own, bit);
    own = b.max(x, y);
  }
  return own;
}

Values fmha::factorsOfRows(LaneBuilder &b, Value factor, size_t rows) {
  return isa<TileType>(factor.getType()) ? b.elements(factor)
                                         : Values(rows, factor);
}

/// The sum, three at a time. With `apart` no addition follows the one that it
/// takes the result of, as long as there are others: LLVM 22 puts a wait state
/// between two packed instructions of which one reads the other, since it takes
/// op_sel_hi of the first source for op_sel of the result
/// (getDstSelForwardingOperand, GCNHazardRecognizer.cpp).
static Value sumByThrees(LaneBuilder &b, Values parts, bool apart) {
  while (parts.size() > 1) {
    Values next;
    // The last result comes second: gfx950 seems to make a first operand wait
    // for it (docs/timing.md, First operands).
    auto addTo = [&](Value &part, size_t j) {
      if (j < parts.size())
        part = b.add(parts[j], part);
    };
    for (size_t i = 0; i < parts.size(); i += 3) {
      next.push_back(parts[i]);
      addTo(next.back(), i + 1);
      if (!apart)
        addTo(next.back(), i + 2);
    }
    if (apart)
      for (auto [i, part] : llvm::enumerate(next))
        addTo(part, 3 * i + 2);
    parts = std::move(next);
  }
  return parts.front();
}

Value fmha::sumOf(LaneBuilder &b, ArrayRef<Value> values, bool inPairs) {
  if (!inPairs || values.size() < 4)
    return sumByThrees(b, Values(values), /*apart=*/false);
  Value last = values.size() % 2 ? values.back() : Value();
  Value both = sumByThrees(b, b.pack(values.drop_back(values.size() % 2), 2),
                           /*apart=*/true);
  Values halves = b.unpack(both);
  Value all = b.add(halves[0], halves[1]);
  return last ? b.add(last, all) : all;
}

Value fmha::shiftOf(LaneBuilder &b, Value max, Value factor, bool wide) {
  Value none = b.f32(-std::numeric_limits<float>::infinity());
  Value empty = b.cmp(arith::CmpFPredicate::OEQ, max, none);
  Value finite = b.select(empty, b.f32(0), max);
  return arith::NegFOp::create(b, wide ? finite : b.mul(finite, factor));
}

/// A factor of 1, where Q was scaled.
static bool isOne(Value factor) {
  FloatAttr value;
  return matchPattern(factor, m_Constant(&value)) &&
         value.getValue().isExactlyValue(1.0);
}

/// `lift`, or null, is added where shifts are as large as scores (`wide`).
static Value exponent(LaneBuilder &b, Value score, Value shift, Value factor,
                      bool wide, Value lift = {}) {
  if (isOne(factor))
    return b.add(score, shift);
  if (wide && lift)
    return LLVM::FMAOp::create(b, b.add(score, shift), factor, lift);
  if (wide)
    return b.mul(b.add(score, shift), factor);
  return LLVM::FMAOp::create(b, score, factor, shift);
}

Values fmha::exponents(LaneBuilder &b, ArrayRef<Value> scores, Value shift,
                       Value factor, bool wide, float lift, bool inPairs) {
  Values results;
  Value lifted;
  if (lift != 0) {
    lifted = b.f32(lift);
    // Once for the row, where the shift leaves room for it.
    if (!wide || isOne(factor))
      shift = b.add(shift, lifted);
  }
  if (inPairs) {
    Value shifts = b.packAll({shift, shift});
    Value lifts = lifted ? b.packAll({lifted, lifted}) : Value();
    // A factor of 1 is one of scalars: no splat of it.
    Value factors = isOne(factor) ? factor : b.packAll({factor, factor});
    for (; scores.size() > 1; scores = scores.drop_front(2)) {
      Value pair = b.packAll(scores.take_front(2));
      results.append(b.unpack(exponent(b, pair, shifts, factors, wide, lifts)));
    }
  }
  for (Value score : scores)
    results.push_back(exponent(b, score, shift, factor, wide, lifted));
  return results;
}

Value fmha::correctionOf(LaneBuilder &b, Value before, Value shift,
                         Value factor, bool wide) {
  return b.exp2(wide ? exponent(b, before, shift, factor, true)
                     : b.add(b.mul(before, factor), shift));
}

static Value callIntrinsic(LaneBuilder &b, StringRef name, Type type,
                           ValueRange arguments) {
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name),
                                       arguments)
      .getResult(0);
}

Value fmha::exponentOf(LaneBuilder &b, Value number) {
  return callIntrinsic(b, "llvm.amdgcn.frexp.exp.i32.f32", b.getI32Type(),
                       number);
}

Value fmha::timesPowerOf2(LaneBuilder &b, Value number, Value exponent) {
  return callIntrinsic(b, "llvm.ldexp.f32.i32", b.getF32Type(),
                       {number, exponent});
}

Value fmha::powerOf2(LaneBuilder &b, Value magnitude) {
  constexpr int64_t kExponentBits = 0x7F800000;
  Value bits = b.bitcast(b.getI32Type(), magnitude);
  return b.bitcast(b.getF32Type(),
                   arith::AndIOp::create(b, bits, b.i32(kExponentBits)));
}

Value fmha::roundToWord(LaneBuilder &b, Type element, ArrayRef<Value> x) {
  if (bitsOf(element) == kByteBits) {
    Value word = LLVM::PoisonOp::create(b, b.getI32Type());
    for (int half = 0; half < 2; ++half)
      word = ROCDL::CvtPkFp8F32Op::create(b, b.getI32Type(), x[2 * half],
                                          x[2 * half + 1], word, half == 1);
    return word;
  }
  Value pair = b.packAll(x);
  auto pairType = VectorType::get({int64_t(x.size())}, element);
  return b.bitcast(b.getI32Type(), arith::TruncFOp::create(b, pairType, pair));
}

Values fmha::wordsOf(LaneBuilder &b, ArrayRef<Value> elements, Type element) {
  Values words;
  constexpr int64_t kWordBits = 32;
  if (bitsOf(element) == kByteBits) {
    for (; !elements.empty();
         elements = elements.drop_front(kWordBits / kByteBits))
      words.push_back(
          roundToWord(b, element, elements.take_front(kWordBits / kByteBits)));
    return words;
  }
  int64_t count = elements.size();
  Value vector = b.packAll(elements);
  if (!element.isF32())
    vector =
        arith::TruncFOp::create(b, VectorType::get({count}, element), vector);
  int64_t bits = count * bitsOf(element);
  return b.unpack(
      LLVM::BitcastOp::create(
          b, VectorType::get({bits / kWordBits}, b.getI32Type()), vector)
          .getResult());
}

void fmha::saturateConversions(LaneBuilder &b) {
  LLVM::CallIntrinsicOp::create(
      b, b.getStringAttr("llvm.amdgcn.s.setreg"),
      ValueRange{b.i32(chip::kOverflowModeBit), b.i32(1)});
}

//===- Rows ---------------------------------------------------------------===//

/// The first lane bit that a permlane swap exchanges; 5 is the other.
constexpr unsigned kFirstSwapBit = 4;

FailureOr<SmallVector<unsigned>> fmha::rowLaneBits(Operation *op,
                                                   LaneLayoutAttr layout) {
  SmallVector<unsigned> bits;
  for (unsigned bit = 0; bit < layout.laneBits(); ++bit) {
    if (layout.laneBasis(bit, 0))
      continue;
    if (bit < kFirstSwapBit)
      return op->emitOpError()
             << "expected a row to be spread over lane bits 4 "
                "and 5 only, found bit "
             << bit;
    bits.push_back(bit);
  }
  return bits;
}

SmallVector<SmallVector<size_t>> fmha::elementsOfRows(LaneLayoutAttr layout,
                                                      LaneLayoutAttr rows,
                                                      PartAttr part) {
  SmallVector<SmallVector<size_t>> elements(rows.getRegElems());
  auto [first, last] = PartAttr::rangeOf(part, layout.getRegElems());
  for (auto [row, own] : llvm::enumerate(elements))
    for (int64_t reg = first; reg < last; ++reg)
      if (layout.regCoord(reg, 0) == rows.regCoord(row, 0))
        own.push_back(reg);
  return elements;
}

/// Whole fragments of a tile, changed with a vector of the value of their row.
static FailureOr<Value> changeRows(Operation *op, LaneBuilder &b, Value tile,
                                   ArrayRef<Value> values, LaneLayoutAttr rows,
                                   function_ref<Value(Value, Value)> change) {
  auto type = cast<TileType>(tile.getType());
  LaneLayoutAttr layout = type.getLayout();
  for (unsigned bit = 0; bit < llvm::Log2_64(layout.getFragment()); ++bit)
    if (layout.regBasis(bit, 0))
      return op->emitOpError()
             << "expected a fragment to lie in one row, found " << layout;
  Values fragments = b.toLanes(tile);
  for (auto [i, fragment] : llvm::enumerate(fragments)) {
    if (!fragment) // padding
      continue;
    int64_t row = layout.regCoord(i * layout.getFragment(), 0);
    for (auto [reg, value] : llvm::enumerate(values)) {
      if (rows.regCoord(reg, 0) != row)
        continue;
      Value splat = vector::BroadcastOp::create(b, fragment.getType(), value);
      fragment = change(fragment, splat);
    }
  }
  return b.fromLanes(type, fragments);
}

FailureOr<Value> fmha::scaleRows(Operation *op, LaneBuilder &b, Value tile,
                                 ArrayRef<Value> factors, LaneLayoutAttr rows) {
  return changeRows(op, b, tile, factors, rows,
                    [&](Value x, Value factor) { return b.mul(x, factor); });
}

FailureOr<Value> fmha::addToRows(Operation *op, LaneBuilder &b, Value tile,
                                 ArrayRef<Value> values, LaneLayoutAttr rows) {
  return changeRows(op, b, tile, values, rows,
                    [&](Value x, Value value) { return b.add(x, value); });
}

FailureOr<Value> fmha::setRows(Operation *op, LaneBuilder &b, Value tile,
                               ArrayRef<Value> values, LaneLayoutAttr rows) {
  return changeRows(op, b, tile, values, rows,
                    [](Value, Value value) { return value; });
}

FailureOr<Value> fmha::negateRows(Operation *op, LaneBuilder &b, Value tile,
                                  ArrayRef<Value> conditions,
                                  LaneLayoutAttr rows) {
  auto type = cast<TileType>(tile.getType());
  constexpr unsigned kWordBits = 32;
  unsigned elemBits = bitsOf(type.getElement());
  int64_t words = type.getLayout().getFragment() * elemBits / kWordBits;
  if (words == 0 || elemBits >= kWordBits)
    return op->emitOpError() << "expected fragments of whole 32-bit words of "
                                "smaller elements, found "
                             << type.getLayout().getFragment()
                             << " elements of " << elemBits << " bits";
  int64_t signs = 0;
  for (unsigned bit = elemBits; bit <= kWordBits; bit += elemBits)
    signs |= int64_t(1) << (bit - 1);
  auto flipsOf = [&](Value negative) {
    Value flip = b.select(negative, b.i32(signs), b.i32(0));
    return b.packAll(Values(words, flip));
  };
  // By the row that a fragment lies in, if rows have conditions of their own.
  llvm::SmallDenseMap<int64_t, Value> ofRows;
  Value flips;
  if (rows)
    for (auto [reg, negative] : llvm::enumerate(conditions))
      ofRows[rows.regCoord(reg, 0)] = flipsOf(negative);
  else
    flips = flipsOf(conditions.front());
  LaneLayoutAttr layout = type.getLayout();
  Values fragments = b.toPresentLanes(tile);
  for (auto [i, fragment] : llvm::zip(type.presentFragments(), fragments)) {
    int64_t row = layout.regCoord(i * layout.getFragment(), 0);
    Value own = flips ? flips : ofRows.lookup(row);
    if (!own)
      return op->emitOpError() << "expected a condition of row " << row
                               << " of a lane, found none";
    Value bits = b.bitcast(own.getType(), fragment);
    bits = arith::XOrIOp::create(b, bits, own);
    fragment = b.bitcast(fragment.getType(), bits);
  }
  return b.fromPresentLanes(type, fragments);
}

Values fmha::lazyLimits(LaneBuilder &b, Value factor, size_t rows) {
  Value log2 = b.f32(float(lazyLog2Of(b.kernel().getProblem(), b.schedule())));
  if (!factor)
    return Values(rows, log2);
  if (!isa<TileType>(factor.getType()))
    return Values(rows, b.mul(log2, b.reciprocal(factor)));
  return llvm::map_to_vector(factorsOfRows(b, factor, rows), [&](Value own) {
    return b.mul(log2, b.reciprocal(own));
  });
}

FailureOr<Values> fmha::moveRows(Operation *op, LaneBuilder &b,
                                 ArrayRef<Value> values, LaneLayoutAttr from,
                                 LaneLayoutAttr to) {
  auto refuse = [&] {
    return op->emitOpError()
           << "expected rows that a lane exchange can move, found " << from
           << " and " << to;
  };
  if (from.getWave() != to.getWave())
    return refuse();
  // By the row of the lane's own that a register holds.
  llvm::MapVector<int64_t, Value> byRow;
  for (auto [reg, value] : llvm::enumerate(values))
    byRow.insert({from.regCoord(reg, 0), value});
  for (unsigned bit = 0; bit < from.laneBits(); ++bit) {
    int64_t has = from.laneBasis(bit, 0), wants = to.laneBasis(bit, 0);
    if (has == wants)
      continue;
    llvm::MapVector<int64_t, Value> next;
    if (!wants && bit >= kFirstSwapBit) {
      // Both lanes get both rows.
      for (auto [row, value] : byRow) {
        auto [low, high] = b.permlaneSwap(value, value, bit);
        next[row] = low;
        next[row + has] = high;
      }
    } else if (!has) {
      Value ofLane =
          arith::AndIOp::create(b, b.id(Id::Lane), b.i32(int64_t(1) << bit));
      Value isHigh = b.cmp(arith::CmpIPredicate::ne, ofLane, b.i32(0));
      for (auto [row, value] : byRow)
        if (!(row & wants)) {
          Value high = byRow.lookup(row + wants);
          if (!high)
            return refuse();
          next[row] = b.select(isHigh, high, value);
        }
    } else {
      return refuse();
    }
    byRow = std::move(next);
  }
  Values moved;
  for (int64_t reg = 0; reg < to.getRegElems(); ++reg) {
    moved.push_back(byRow.lookup(to.regCoord(reg, 0)));
    if (!moved.back())
      return refuse();
  }
  return moved;
}

Value fmha::anyLane(LaneBuilder &b, ArrayRef<Value> conditions) {
  Value some = conditions.front();
  for (Value condition : conditions.drop_front())
    some = arith::OrIOp::create(b, some, condition);
  Value lanes = ROCDL::BallotOp::create(b, b.getI64Type(), some);
  return b.cmp(arith::CmpIPredicate::ne, lanes, b.i64(0));
}
