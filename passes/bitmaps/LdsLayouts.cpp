// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitmaps/LdsLayouts.h"

#include "chip/Chip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// A set of index bits of a tile.
struct Index {
  int64_t row = 0, col = 0;
  Index operator^(Index other) const {
    return {row ^ other.row, col ^ other.col};
  }
  Index operator&(Index other) const {
    return {row & other.row, col & other.col};
  }
  bool any() const { return row || col; }
};

/// Bits of the byte address above the columns that always lie together, from
/// below: `order[i]` is the index bit that lies there. Then some of these bits
/// are exclusive-ored into lower ones, and chunks get their padding. What is
/// exclusive-ored is never a target, so that the map is its own inverse.
struct Shape {
  SmallVector<Index, 16> order;
  SmallVector<std::pair<unsigned, unsigned>, 4> xors; ///< (from, to) in order
  int64_t chunkBytes = 0, padBytes = 0;
  int64_t runBytes = 0;
  /// Byte masks of a map that is given: then `order` has the index bits of each
  /// address bit, which may be several, and there are no `xors`.
  SmallVector<int64_t, 16> rowMasks, colMasks;
};

/// Rank over GF(2): the XORs of the vectors are two to it many.
unsigned rankOf(SmallVector<Index, 16> vectors) {
  unsigned rank = 0;
  auto clear = [&](auto &&get) {
    for (size_t i = rank; i < vectors.size(); ++i) {
      int64_t pivot = get(vectors[i]) & -get(vectors[i]);
      if (!pivot)
        continue;
      std::swap(vectors[rank], vectors[i]);
      for (size_t j = rank + 1; j < vectors.size(); ++j)
        if (get(vectors[j]) & pivot)
          vectors[j] = vectors[j] ^ vectors[rank];
      i = rank++;
    }
  };
  clear([](Index at) { return at.row; });
  clear([](Index at) { return at.col; });
  return rank;
}

/// The index bits that lanes, waves and further instructions of a copy choose.
struct Copies {
  SmallVector<Index, 16> lane, wave, reg;
};

/// Goes through the candidates of a family and keeps the cheapest.
class Search {
public:
  Search(const LdsRequest &request, const LdsAccess &access);

  std::optional<LdsPlan> run(LdsFamily family);
  FailureOr<LdsPlan> take(LdsMapAttr map, std::string &reason);

private:
  // The candidates.
  void goIdentity();
  void goPadded();
  void goXor();
  void goPermuted();
  void goXorsOf(Shape &shape, unsigned from, unsigned count);
  void goChunks(Shape shape, LdsCost cost);
  void consider(const Shape &shape, LdsCost cost);
  void consider(const Shape &shape) { consider(shape, costBesideWays(shape)); }
  /// `run` low columns, `rows` rows from `firstRow` on, what is left of the
  /// rows, what is left of the columns.
  Shape rowMajor(unsigned run, unsigned rows, unsigned firstRow) const;

  // The given one.
  LogicalResult check(const Shape &shape, LdsMapAttr map,
                      std::string &reason) const;
  Shape expand(LdsMapAttr map) const;
  void invert(Shape &shape) const;

  // What one is like.
  int64_t maskOf(const Shape &shape, Index at) const;
  Index indexOf(const Shape &shape, unsigned addressBit) const;
  Copies copiesOf(const Shape &shape) const;
  int64_t pad(const Shape &shape, int64_t u) const {
    return shape.padBytes ? u + u / shape.chunkBytes * shape.padBytes : u;
  }
  SmallVector<int64_t> addressesOf(const Shape &shape, Index base) const;
  int64_t readWays(const Shape &shape) const;
  std::pair<int64_t, int64_t> conflicts(const Shape &shape) const;
  int64_t writeWays() const;
  int64_t cacheCycles(const Copies &copies) const;
  int64_t registers(const Shape &shape, const Copies &copies) const;
  LdsCost costBesideWays(const Shape &shape) const;
  LdsPlan planOf(LdsFamily family, const Shape &shape,
                 const LdsCost &cost) const;

  bool isOfLanes(Index at) const {
    return llvm::any_of(access.lane, [&](auto coord) {
      return (Index{coord.first, coord.second} & at).any();
    });
  }
  static Index colBit(unsigned bit) { return {0, int64_t(1) << bit}; }
  static Index rowBit(unsigned bit) { return {int64_t(1) << bit, 0}; }

  const LdsRequest &request;
  const LdsAccess &access;
  int64_t elemBytes, laneBytes, lineBytes, tileBytes;
  unsigned elemBit, laneBit, lineBit; ///< of the address, their logarithms
  unsigned rowBits, colBits;          ///< of the tile
  unsigned runBits;  ///< columns that every access takes together
  unsigned firstBit; ///< of the address, that order[0] has
  unsigned lineFree; ///< bits of order inside a line
  unsigned bankFree; ///< the first of these, that choose a bank
  int64_t copyWays;  ///< writeWays()
  std::optional<Shape> best;
  LdsCost bestCost;
};

Search::Search(const LdsRequest &request, const LdsAccess &access)
    : request(request), access(access),
      elemBytes(request.tile.getElement().getIntOrFloatBitWidth() / 8),
      laneBytes(dmaLaneBytes(request)), lineBytes(laneBytes * chip::kWaveLanes),
      tileBytes(request.tile.dim(0) * request.tile.dim(1) * elemBytes),
      elemBit(llvm::Log2_64(elemBytes)), laneBit(llvm::Log2_64(laneBytes)),
      lineBit(llvm::Log2_64(lineBytes)),
      rowBits(llvm::Log2_64(request.tile.dim(0))),
      colBits(llvm::Log2_64(request.tile.dim(1))) {
  firstBit = llvm::Log2_64(std::max(laneBytes, access.bytesPerLane));
  runBits = firstBit - elemBit;
  unsigned bankBits =
      llvm::Log2_64(chip::kLdsBanks) + llvm::Log2_64(chip::kLdsBankBytes);
  lineFree = lineBit - firstBit;
  bankFree = std::min(lineFree, bankBits - firstBit);
  copyWays = writeWays();
}

int64_t Search::maskOf(const Shape &shape, Index at) const {
  int64_t u = 0;
  if (!shape.rowMasks.empty() || !shape.colMasks.empty()) {
    for (auto [bit, mask] : llvm::enumerate(shape.rowMasks))
      u ^= at.row >> bit & 1 ? mask : 0;
    for (auto [bit, mask] : llvm::enumerate(shape.colMasks))
      u ^= at.col >> bit & 1 ? mask : 0;
    return u;
  }
  for (auto [i, bit] : llvm::enumerate(shape.order))
    if ((bit & at).any())
      u |= int64_t(1) << i;
  int64_t home = u;
  for (auto [from, to] : shape.xors)
    if (home >> from & 1)
      u ^= int64_t(1) << to;
  int64_t run = at.col & ((int64_t(1) << runBits) - 1);
  return run * elemBytes + (u << firstBit);
}

/// The index bits of the element at byte 2^addressBit.
Index Search::indexOf(const Shape &shape, unsigned addressBit) const {
  if (addressBit < firstBit)
    return colBit(addressBit - elemBit);
  Index index = shape.order[addressBit - firstBit];
  for (auto [from, to] : shape.xors)
    if (from == addressBit - firstBit)
      index = index ^ shape.order[to];
  return index;
}

Index unionOf(ArrayRef<Index> indices) {
  Index all;
  for (Index at : indices)
    all = {all.row | at.row, all.col | at.col};
  return all;
}

/// Waves get the index bits first that lanes have, too, since that costs no
/// register; then rows, then columns, so that columns of padding are copies of
/// their own that nobody issues.
Copies Search::copiesOf(const Shape &shape) const {
  Copies copies;
  for (unsigned bit = laneBit; bit < lineBit; ++bit)
    copies.lane.push_back(indexOf(shape, bit));
  Index lanes = unionOf(copies.lane);
  SmallVector<Index, 16> lines;
  for (unsigned bit = lineBit; bit < firstBit + shape.order.size(); ++bit)
    lines.push_back(indexOf(shape, bit));
  auto rank = [&](Index at) {
    return std::tuple(!(at & lanes).any(), at.row == 0, at.col, at.row);
  };
  llvm::sort(lines, [&](Index a, Index b) { return rank(a) < rank(b); });
  int64_t count = 1;
  for (Index at : lines) {
    (count < request.waves ? copies.wave : copies.reg).push_back(at);
    count *= 2;
  }
  return copies;
}

/// Of the lanes of the read that begins at `base`.
SmallVector<int64_t> Search::addressesOf(const Shape &shape, Index base) const {
  SmallVector<int64_t, chip::kWaveLaneBits> masks;
  for (auto [row, col] : access.lane)
    masks.push_back(maskOf(shape, {row, col}));
  SmallVector<int64_t> address(chip::kWaveLanes, maskOf(shape, base));
  for (int64_t lane = 1; lane < chip::kWaveLanes; ++lane)
    address[lane] =
        address[lane & (lane - 1)] ^ masks[llvm::countr_zero(uint64_t(lane))];
  for (int64_t &at : address)
    at = pad(shape, at);
  return address;
}

int64_t Search::readWays(const Shape &shape) const {
  // Further reads move every lane alike: by a multiple of the access, or by the
  // same XOR of address bits where there is no padding. Banks are renamed, and
  // conflicts stay, so that one instruction speaks for all. The proof behind
  // this pass counts each.
  return chip::ldsConflictWays(addressesOf(shape, {}), access.bytesPerLane,
                               chip::LdsTouch::Read);
}

/// The most ways in which banks conflict, and their cycles, of every read: a
/// given map may have padding in which they are not alike.
std::pair<int64_t, int64_t> Search::conflicts(const Shape &shape) const {
  int64_t ways = 1, cycles = 0;
  for (auto [row, col] : access.base) {
    if (col >= request.readCols)
      continue; // of padding: not issued
    SmallVector<int64_t> address = addressesOf(shape, {row, col});
    ways = std::max(ways, chip::ldsConflictWays(address, access.bytesPerLane,
                                                chip::LdsTouch::Read));
    cycles += chip::ldsConflictCycles(address, access.bytesPerLane);
  }
  return {ways, cycles};
}

/// A copy writes its line on end, whatever the layout (the proof behind this
/// pass demands it), so that this is 1 as long as it is direct-to-LDS loads
/// that copy.
int64_t Search::writeWays() const {
  SmallVector<int64_t, chip::kWaveLanes> address;
  for (int64_t lane = 0; lane < chip::kWaveLanes; ++lane)
    address.push_back(lane * laneBytes);
  return chip::ldsConflictWays(address, laneBytes, chip::LdsTouch::Copy);
}

/// The cache takes as many neighbouring lanes together as it moves bytes in a
/// cycle, one cycle for each of its lines that they touch; and no copy takes
/// less than its lines need to pass.
int64_t Search::cacheCycles(const Copies &copies) const {
  SmallVector<Index, 16> group, all;
  for (auto [i, at] : llvm::enumerate(copies.lane)) {
    all.push_back({at.row, at.col * elemBytes / chip::kCacheLineBytes});
    if (laneBytes << i < chip::kCacheBytesPerCycle)
      group.push_back(all.back());
  }
  int64_t groups = lineBytes / chip::kCacheBytesPerCycle;
  constexpr int64_t kLineCycles =
      chip::kCacheLineBytes / chip::kCacheBytesPerCycle;
  int64_t cycles =
      std::max(groups << rankOf(group), kLineCycles << rankOf(all));
  // Copies of padding only are not issued.
  int64_t varying = unionOf(copies.lane).col | unionOf(copies.wave).col;
  int64_t issued = 0;
  for (int64_t i = 0; i < int64_t(1) << copies.reg.size(); ++i) {
    Index at;
    for (auto [bit, index] : llvm::enumerate(copies.reg))
      if (i >> bit & 1)
        at = at ^ index;
    issued += (at.col & ~varying) < request.readCols;
  }
  return issued * cycles;
}

/// An instruction's own part of an address is an immediate, or uniform, as far
/// as it has no bit that lanes have. A register for each value of the rest.
int64_t Search::registers(const Shape &shape, const Copies &copies) const {
  int64_t lanes = 0;
  for (auto [row, col] : access.lane)
    lanes |= maskOf(shape, {row, col});
  SmallVector<Index, 16> reads, ofCopies;
  for (size_t i = 1; i < access.base.size(); i *= 2) {
    auto [row, col] = access.base[i];
    reads.push_back({maskOf(shape, {row, col}) & lanes, 0});
  }
  for (Index at : copies.reg)
    ofCopies.push_back(at & unionOf(copies.lane));
  return (int64_t(1) << rankOf(reads)) + (int64_t(1) << rankOf(ofCopies));
}

LdsCost Search::costBesideWays(const Shape &shape) const {
  LdsCost cost;
  Copies copies = copiesOf(shape);
  cost.cacheCycles = cacheCycles(copies);
  cost.registers = registers(shape, copies);
  cost.bytes = bufferBytes(pad(shape, tileBytes));
  cost.runBytes = shape.runBytes;
  cost.xors = shape.xors.size();
  return cost;
}

/// `cost` as without conflicts, which are counted only if it would be best so.
void Search::consider(const Shape &shape, LdsCost cost) {
  if (best && !(cost < bestCost))
    return;
  cost.writeWays = copyWays;
  cost.readWays = readWays(shape);
  if (best && !(cost < bestCost))
    return;
  best = shape;
  bestCost = cost;
}

Shape Search::rowMajor(unsigned run, unsigned rows, unsigned firstRow) const {
  Shape shape;
  for (unsigned bit = 0; bit < run; ++bit)
    shape.order.push_back(colBit(runBits + bit));
  for (unsigned bit = firstRow; bit < firstRow + rows; ++bit)
    shape.order.push_back(rowBit(bit));
  for (unsigned bit = 0; bit < rowBits; ++bit)
    if (bit < firstRow || bit >= firstRow + rows)
      shape.order.push_back(rowBit(bit));
  for (unsigned bit = runBits + run; bit < colBits; ++bit)
    shape.order.push_back(colBit(bit));
  shape.runBytes = elemBytes << (runBits + run);
  return shape;
}

void Search::goIdentity() {
  for (unsigned run = 0; run <= std::min(lineFree, colBits - runBits); ++run)
    consider(rowMajor(run, rowBits, 0));
}

/// Lines of the low columns of some rows, which are neighbours or as far apart
/// as one another.
void Search::goPadded() {
  for (unsigned run = 0; run <= std::min(lineFree, colBits - runBits); ++run) {
    unsigned rows = lineFree - run;
    for (unsigned first = 0; first + rows <= rowBits; ++first)
      for (int64_t pad = chip::kLdsAccessBytes;
           pad <= request.staging.getMaxPadBytes();
           pad += chip::kLdsAccessBytes) {
        Shape shape = rowMajor(run, rows, first);
        shape.chunkBytes = lineBytes;
        shape.padBytes = pad;
        consider(shape);
      }
  }
}

/// `count` more rows that tell lanes apart, whose bit is exclusive-ored into
/// one that chooses a bank, each into one of its own, from bit `from` of order
/// on.
void Search::goXorsOf(Shape &shape, unsigned from, unsigned count) {
  if (!count)
    return consider(shape);
  for (; from < shape.order.size(); ++from) {
    if (!shape.order[from].row || !isOfLanes(shape.order[from]))
      continue;
    for (unsigned to = 0; to < bankFree; ++to) {
      if (llvm::any_of(shape.xors,
                       [&](auto pair) { return pair.second == to; }))
        continue;
      shape.xors.push_back({from, to});
      goXorsOf(shape, from + 1, count - 1);
      shape.xors.pop_back();
    }
  }
}

/// For each length of a run of columns, take the fewest XOR terms that leave
/// reads without bank conflicts. Further terms give lanes more address bits and
/// never save an address register.
void Search::goXor() {
  std::optional<Shape> found;
  LdsCost foundCost;
  for (unsigned run = 0; run <= std::min(lineFree, colBits - runBits); ++run) {
    best.reset();
    for (unsigned terms = 1; terms <= bankFree; ++terms) {
      Shape shape = rowMajor(run, rowBits, 0);
      goXorsOf(shape, bankFree, terms);
      if (best && bestCost.readWays == 1)
        break;
    }
    if (best && (!found || bestCost < foundCost)) {
      found = best;
      foundCost = bestCost;
    }
  }
  best = found;
  bestCost = foundCost;
}

/// Chunks of one, two or four lines, each with every padding; the rows that
/// tell lanes apart, to which the padding gives banks, as first lines, second,
/// and so on.
void Search::goChunks(Shape shape, LdsCost cost) {
  constexpr unsigned kMostLines = 2; // as a power of two
  SmallVector<Index, 16> ofLanes, others;
  for (Index at : ArrayRef(shape.order).drop_front(lineFree))
    (isOfLanes(at) ? ofLanes : others).push_back(at);
  for (unsigned lines = 0; lines <= kMostLines; ++lines) {
    shape.chunkBytes = lineBytes << lines;
    if (shape.chunkBytes >= tileBytes)
      return;
    for (shape.padBytes = chip::kLdsAccessBytes;
         shape.padBytes <= request.staging.getMaxPadBytes();
         shape.padBytes += chip::kLdsAccessBytes) {
      cost.bytes = bufferBytes(pad(shape, tileBytes));
      for (size_t before = 0; before <= others.size(); ++before) {
        shape.order.truncate(lineFree);
        llvm::append_range(shape.order, ArrayRef(others).take_front(before));
        llvm::append_range(shape.order, ofLanes);
        llvm::append_range(shape.order, ArrayRef(others).drop_front(before));
        consider(shape, cost);
      }
    }
  }
}

/// Lines of the low columns of any rows, of which any bits choose the bank.
/// Longer runs first: once they fill no cache line, shorter ones only cost
/// more.
void Search::goPermuted() {
  for (unsigned run = std::min(lineFree, colBits - runBits) + 1; run-- > 0;) {
    if (best && bestCost.readWays == 1 &&
        elemBytes << (runBits + run) < chip::kCacheLineBytes)
      return;
    for (unsigned rows = 0; rows < 1U << rowBits; ++rows) {
      if (unsigned(llvm::popcount(rows)) != lineFree - run)
        continue;
      SmallVector<Index, 16> line, rest;
      for (unsigned bit = 0; bit < colBits - runBits; ++bit)
        (bit < run ? line : rest).push_back(colBit(runBits + bit));
      for (unsigned bit = rowBits; bit-- > 0;)
        if (!(rows >> bit & 1))
          rest.insert(rest.begin(), rowBit(bit));
      for (unsigned bit = 0; bit < rowBits; ++bit)
        if (rows >> bit & 1)
          line.push_back(rowBit(bit));
      for (unsigned banks = 0; banks < 1U << lineFree; ++banks) {
        if (unsigned(llvm::popcount(banks)) != bankFree)
          continue;
        Shape shape;
        shape.runBytes = elemBytes << (runBits + run);
        for (bool isBank : {true, false})
          for (unsigned bit = 0; bit < lineFree; ++bit)
            if ((banks >> bit & 1) == isBank)
              shape.order.push_back(line[bit]);
        llvm::append_range(shape.order, rest);
        LdsCost cost = costBesideWays(shape);
        if (best && !(cost < bestCost))
          continue;
        consider(shape, cost);
        goChunks(shape, cost);
      }
    }
  }
}

LdsPlan Search::planOf(LdsFamily family, const Shape &shape,
                       const LdsCost &cost) const {
  MLIRContext *context = request.tile.getContext();
  SmallVector<int64_t, 16> row, col;
  for (unsigned bit = 0; bit < rowBits; ++bit)
    row.push_back(maskOf(shape, rowBit(bit)));
  for (unsigned bit = 0; bit < colBits; ++bit)
    col.push_back(maskOf(shape, colBit(bit)));
  auto layout = LdsLayoutAttr::get(
      context, row, col, lineBytes, shape.chunkBytes, shape.padBytes,
      pad(shape, tileBytes), cost.readWays, cost.writeWays);
  Copies copies = copiesOf(shape);
  SmallVector<int64_t> reg, lane, wave;
  for (unsigned bit = elemBit; bit < laneBit; ++bit)
    reg.append({0, indexOf(shape, bit).col});
  for (auto [bases, indices] : {std::pair(&reg, &copies.reg),
                                {&lane, &copies.lane},
                                {&wave, &copies.wave}})
    for (Index at : *indices)
      bases->append({at.row, at.col});
  auto dma = LaneLayoutAttr::get(context, /*rank=*/2, laneBytes / elemBytes,
                                 reg, lane, wave);
  return {family, cost, conflicts(shape).second, layout, dma};
}

/// The masks of all bits of the tile: those that are given, then the others.
Shape Search::expand(LdsMapAttr map) const {
  Shape shape;
  shape.rowMasks.append(map.getRow().begin(), map.getRow().end());
  shape.colMasks.append(map.getCol().begin(), map.getCol().end());
  shape.chunkBytes = map.getChunkBytes();
  shape.padBytes = map.getPadBytes();
  int64_t next = elemBytes << (shape.rowMasks.size() + shape.colMasks.size());
  for (; shape.rowMasks.size() < rowBits; next *= 2)
    shape.rowMasks.push_back(next);
  for (; shape.colMasks.size() < colBits; next *= 2)
    shape.colMasks.push_back(next);
  // Columns that lie on end.
  shape.runBytes = elemBytes;
  for (int64_t mask : shape.colMasks) {
    if (mask != shape.runBytes)
      break;
    shape.runBytes *= 2;
  }
  return shape;
}

LogicalResult Search::check(const Shape &shape, LdsMapAttr map,
                            std::string &reason) const {
  llvm::raw_string_ostream out(reason);
  int64_t rows = int64_t(1) << map.getRow().size(),
          cols = int64_t(1) << map.getCol().size();
  if (rows > request.tile.dim(0) || cols > request.tile.dim(1)) {
    out << "the map has " << rows << " rows x " << cols << " columns, the tile "
        << request.tile.dim(0) << " x " << request.tile.dim(1);
    return failure();
  }
  int64_t least = tileBytes;
  for (ArrayRef<int64_t> masks :
       {ArrayRef<int64_t>(shape.rowMasks), ArrayRef<int64_t>(shape.colMasks)})
    for (int64_t mask : masks)
      least = std::min(least, mask & -mask);
  if (least != elemBytes) {
    out << "its least mask is " << least << ", an element has " << elemBytes
        << " bytes";
    return failure();
  }
  int64_t onEnd = int64_t(1) << firstBit;
  if (shape.runBytes < onEnd) {
    out << "a lane moves " << onEnd << " bytes of a row at once, the map has "
        << shape.runBytes << " of them on end";
    return failure();
  }
  for (auto [name, masks] :
       {std::pair("row", ArrayRef<int64_t>(shape.rowMasks)),
        {"col", ArrayRef<int64_t>(shape.colMasks).drop_front(runBits)}})
    for (int64_t mask : masks)
      if (mask % onEnd) {
        out << "a lane moves " << onEnd << " bytes of a row at once, mask "
            << mask << " of `" << name << "` moves parts of them";
        return failure();
      }
  if (shape.padBytes && shape.chunkBytes < lineBytes) {
    out << "a wave writes " << lineBytes << " bytes on end, chunks have "
        << shape.chunkBytes;
    return failure();
  }
  return success();
}

/// Works out `order`, the index bits of each address bit, over GF(2).
void Search::invert(Shape &shape) const {
  // Pairs (mask, index) whose masks are the XOR of those of the index; they are
  // reduced until each mask is one bit.
  SmallVector<std::pair<int64_t, Index>, 16> pairs;
  for (auto [bit, mask] : llvm::enumerate(shape.rowMasks))
    pairs.push_back({mask, rowBit(bit)});
  for (auto [bit, mask] : llvm::enumerate(shape.colMasks))
    if (bit >= runBits)
      pairs.push_back({mask, colBit(bit)});
  unsigned bits = pairs.size();
  for (unsigned bit = 0; bit < bits; ++bit) {
    int64_t address = int64_t(1) << (firstBit + bit);
    auto *pivot =
        std::find_if(pairs.begin() + bit, pairs.end(),
                     [&](auto &pair) { return pair.first & address; });
    std::swap(pairs[bit], *pivot); // there is one: the map is one to one
    for (unsigned other = 0; other < bits; ++other)
      if (other != bit && pairs[other].first & address) {
        pairs[other].first ^= pairs[bit].first;
        pairs[other].second = pairs[other].second ^ pairs[bit].second;
      }
  }
  for (auto &[mask, index] : pairs)
    shape.order.push_back(index);
}

FailureOr<LdsPlan> Search::take(LdsMapAttr map, std::string &reason) {
  Shape shape = expand(map);
  if (failed(check(shape, map, reason)))
    return failure();
  invert(shape);
  LdsCost cost = costBesideWays(shape);
  cost.writeWays = writeWays();
  cost.readWays = conflicts(shape).first;
  return planOf(LdsFamily::Any, shape, cost);
}

std::optional<LdsPlan> Search::run(LdsFamily family) {
  best.reset();
  bestCost = {};
  switch (family) {
  case LdsFamily::Any:
    break;
  case LdsFamily::Padded:
    goPadded();
    break;
  case LdsFamily::Xor:
    goXor();
    break;
  case LdsFamily::Permuted:
    goPermuted();
    break;
  case LdsFamily::Identity:
    goIdentity();
    break;
  }
  if (!best)
    return std::nullopt;
  return planOf(family, *best, bestCost);
}

} // namespace

int64_t fmha::bufferBytes(int64_t layoutBytes) {
  return llvm::alignTo(layoutBytes, chip::kLdsBanks * chip::kLdsBankBytes);
}

int64_t fmha::dmaLaneBytes(const LdsRequest &request) {
  TileType tile = request.tile;
  int64_t tileBytes =
      tile.dim(0) * tile.dim(1) * tile.getElement().getIntOrFloatBitWidth() / 8;
  for (int64_t bytes : chip::kDmaLaneBytes)
    if (tileBytes >= bytes * chip::kWaveLanes * request.waves)
      return bytes;
  return *std::prev(std::end(chip::kDmaLaneBytes));
}

FailureOr<SmallVector<LdsPlan>> fmha::planLdsLayouts(const LdsRequest &request,
                                                     const LdsAccess &access,
                                                     std::string &reason) {
  // The simpler ones first.
  constexpr LdsFamily kFamilies[] = {LdsFamily::Identity, LdsFamily::Padded,
                                     LdsFamily::Permuted, LdsFamily::Xor};
  LdsFamily asked = request.staging.getLayout();
  Search search(request, access);
  SmallVector<LdsPlan> plans;
  for (LdsFamily family : kFamilies) {
    if (asked != LdsFamily::Any && asked != family)
      continue;
    std::optional<LdsPlan> plan = search.run(family);
    if (!plan)
      continue;
    auto *at =
        llvm::upper_bound(plans, *plan, [](const LdsPlan &a, const LdsPlan &b) {
          return a.cost < b.cost;
        });
    plans.insert(at, *plan);
  }
  if (plans.empty()) { // the others have one for each tile of a line or more
    reason = "its rows lie within one sweep of the banks, which leaves no bit "
             "to exclusive-or";
    return failure();
  }
  return plans;
}

FailureOr<LdsPlan> fmha::planGivenLds(const LdsRequest &request,
                                      const LdsAccess &access,
                                      std::string &reason) {
  return Search(request, access).take(request.staging.getMap(), reason);
}

std::string fmha::describe(const LdsCost &cost) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (cost.readWays == 1 && cost.writeWays == 1)
    out << "no bank conflicts";
  else
    out << "bank conflicts of " << cost.readWays << " ways in reads, "
        << cost.writeWays << " in copies";
  out << ", " << cost.cacheCycles
      << " cycles of the vector cache a wave and tile, " << cost.registers
      << " address registers, " << cost.bytes << " bytes";
  return text;
}

StringRef fmha::advantage(const LdsCost &cost, const LdsCost &over) {
  if (cost.readWays != over.readWays || cost.writeWays != over.writeWays)
    return "fewer bank conflicts";
  if (cost.cacheCycles != over.cacheCycles)
    return "whole cache lines";
  if (cost.registers != over.registers)
    return "fewer address registers";
  if (cost.bytes != over.bytes)
    return "fewer bytes";
  if (cost.runBytes != over.runBytes)
    return "longer runs of columns";
  return "its simpler form";
}
