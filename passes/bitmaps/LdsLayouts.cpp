// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bitmaps/LdsLayouts.h"

#include "bitmaps/Bits.h"
#include "chip/Chip.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fmha;

namespace {

/// Vectors over GF(2). Most are sets of bits of an element's index in its tile,
/// line by line: the bits of its place in the line, above them those of the
/// line. Lines are rows, or columns where the elements of these lie on end.
using Bits = SmallVector<int64_t, 16>;

/// A one-to-one map of bits of the index to those of the byte address, seen
/// from both sides. Then chunks get their padding.
struct Shape {
  Bits masks;   ///< of each index bit the bytes that its elements move by
  Bits indices; ///< of each address bit, from an element's on, what lies there
  int64_t runBytes = 0; ///< of a line that lie on end
  int64_t chunkBytes = 0, padBytes = 0;
  int64_t xors = 0; ///< terms that were exclusive-ored into the map
};

/// The XOR of the vectors that `set` selects.
int64_t xorOf(ArrayRef<int64_t> vectors, int64_t set) {
  int64_t sum = 0;
  for (auto [bit, vector] : llvm::enumerate(vectors))
    sum ^= vector & -(set >> bit & 1);
  return sum;
}

/// Rank over GF(2): the XORs of the vectors are two to it many.
unsigned rankOf(ArrayRef<int64_t> vectors) {
  Bits reduced; // none has the highest bit of one before it
  for (int64_t vector : vectors) {
    for (int64_t other : reduced)
      vector = std::min(vector, vector ^ other);
    if (vector)
      reduced.push_back(vector);
  }
  return reduced.size();
}

/// The index bits that lanes, waves and further instructions of a copy choose.
struct Copies {
  Bits lane, wave, reg;
};

/// A tile and its accesses; what shapes of it cost.
struct Tile {
  /// Reads of one kind.
  struct Reads {
    int64_t bytes;   ///< of a lane
    Bits ofLanes;    ///< index bits that lanes add
    Bits ofReads;    ///< where instructions begin
    int64_t columns; ///< those at further ones are not issued
  };

  Tile(const LdsRequest &request, const LdsAccess &access)
      : request(request), accessBytes(access.bytesPerLane),
        elemBytes(bytesOf(bitsOf(request.tile.getElement()))),
        memoryBytes(bytesOf(bitsOf(request.memory))),
        laneBytes(dmaLaneBytes(request)),
        lineBytes(laneBytes * chip::kWaveLanes),
        tileBytes(bytesOf(request.tile)), lineElems(request.tile.dim(onEnd())),
        lineCount(request.tile.dim(1 - onEnd())),
        inBits(llvm::Log2_64(lineElems)), outBits(llvm::Log2_64(lineCount)) {
    if (request.further)
      accessBytes = std::max(accessBytes, request.further->bytesPerLane);
    int64_t onEndBytes = std::max(laneBytes, accessBytes);
    int64_t bankBytes = chip::kLdsBanks * chip::kLdsBankBytes;
    laneBits = llvm::Log2_64(laneBytes / elemBytes);
    lineBits = llvm::Log2_64(lineBytes / elemBytes);
    runBits = llvm::Log2_64(onEndBytes / elemBytes);
    bankBits = std::min(lineBits, llvm::Log2_64(bankBytes / elemBytes));
    add(access, request.readCols);
    if (request.further)
      add(*request.further, request.furtherCols);
  }

  void add(const LdsAccess &access, int64_t columns) {
    Reads own{access.bytesPerLane, {}, {}, columns};
    for (auto [row, col] : access.lane)
      own.ofLanes.push_back(indexOf(row, col));
    for (auto [row, col] : access.base)
      own.ofReads.push_back(indexOf(row, col));
    llvm::append_range(ofLanes, own.ofLanes);
    reads.push_back(std::move(own));
  }

  unsigned onEnd() const { return request.onEnd; }
  int64_t indexOf(int64_t row, int64_t col) const {
    return onEnd() ? row * lineElems + col : col * lineElems + row;
  }
  int64_t placeOf(int64_t index) const { return index & (lineElems - 1); }
  int64_t lineOf(int64_t index) const { return index >> inBits; }
  int64_t colOf(int64_t index) const {
    return onEnd() ? placeOf(index) : lineOf(index);
  }
  int64_t rowOf(int64_t index) const {
    return onEnd() ? lineOf(index) : placeOf(index);
  }

  int64_t pad(const Shape &shape, int64_t u) const {
    return shape.padBytes ? u + u / shape.chunkBytes * shape.padBytes : u;
  }

  /// Whether rows that differ in these bits may lie in different pages.
  bool changesPage(int64_t index) const {
    return request.pageRows && rowOf(index) >= request.pageRows;
  }

  /// Waves get the rows first that lie in pages of their own, so that each has
  /// few; then the index bits that lanes have, too, since that costs no
  /// register; then rows, then columns, so that columns of padding are copies
  /// of their own that nobody issues.
  Copies copiesOf(const Shape &shape) const {
    ArrayRef<int64_t> bits(shape.indices);
    Copies copies;
    copies.lane.append(bits.begin() + laneBits, bits.begin() + lineBits);
    int64_t lanes = unionOf(copies.lane);
    auto rank = [&](int64_t at) {
      return std::tuple(!changesPage(at), !(at & lanes), rowOf(at) == 0,
                        colOf(at), at);
    };
    Bits others(bits.drop_front(lineBits));
    llvm::sort(others, [&](int64_t a, int64_t b) { return rank(a) < rank(b); });
    auto *firstReg = others.begin() + llvm::Log2_64(request.waves);
    copies.wave.append(others.begin(), firstReg);
    copies.reg.append(firstReg, others.end());
    return copies;
  }

  /// Bank conflicts of the read that begins at an index.
  chip::LdsConflicts conflictsAt(const Shape &shape, const Reads &own,
                                 int64_t base) const {
    Bits masks;
    for (int64_t bit : own.ofLanes)
      masks.push_back(xorOf(shape.masks, bit));
    int64_t first = xorOf(shape.masks, base);
    SmallVector<int64_t, chip::kWaveLanes> address;
    for (int64_t lane = 0; lane < chip::kWaveLanes; ++lane)
      address.push_back(pad(shape, first ^ xorOf(masks, lane)));
    return chip::ldsReadConflicts(address, own.bytes);
  }
  /// The most ways of the first reads of each kind.
  int64_t waysAtFirst(const Shape &shape) const {
    int64_t ways = 1;
    for (const Reads &own : reads)
      ways = std::max(ways, conflictsAt(shape, own, 0).ways);
    return ways;
  }

  /// The most ways in which banks conflict, and their cycles, of every read: a
  /// given map may have padding in which they are not alike.
  chip::LdsConflicts conflicts(const Shape &shape) const {
    chip::LdsConflicts all;
    for (const Reads &own : reads)
      for (int64_t base : own.ofReads) {
        if (colOf(base) >= own.columns)
          continue; // of padding: not issued
        chip::LdsConflicts found = conflictsAt(shape, own, base);
        all.ways = std::max(all.ways, found.ways);
        all.cycles += found.cycles;
      }
    return all;
  }

  /// The index bits that choose the line of the cache. Pieces of neighbouring
  /// lines follow one another in memory.
  int64_t cacheLineOf(int64_t index) const {
    const int64_t elems = chip::kCacheLineBytes / memoryBytes;
    if (!request.pieceElems)
      return index & -std::min(lineElems, elems);
    const int64_t piece = request.pieceElems, in = placeOf(index);
    return ((in & (piece - 1)) + lineOf(index) * piece +
            (in & -piece) * lineCount) &
           -elems;
  }

  /// The cache takes as many neighbouring lanes together as it moves bytes in a
  /// cycle, one cycle for each of its lines that they touch; and no copy takes
  /// less than its lines need to pass.
  int64_t cacheCycles(const Copies &copies) const {
    constexpr int64_t kLineCycles =
        chip::kCacheLineBytes / chip::kCacheBytesPerCycle;
    Bits touched;
    for (int64_t at : copies.lane)
      touched.push_back(cacheLineOf(at));
    int64_t lanesAtOnce = std::min(
        chip::kCacheBytesPerCycle / memoryBytes >> laneBits, chip::kWaveLanes);
    auto group = ArrayRef(touched).take_front(llvm::Log2_64(lanesAtOnce));
    int64_t groups = chip::kWaveLanes / lanesAtOnce;
    int64_t cycles =
        std::max(groups << rankOf(group), kLineCycles << rankOf(touched));
    // Copies of padding only are not issued.
    int64_t varying = unionOf(copies.lane) | unionOf(copies.wave), issued = 0;
    for (int64_t i = 0; i < int64_t(1) << copies.reg.size(); ++i)
      issued += colOf(xorOf(copies.reg, i) & ~varying) < request.readCols;
    return issued * cycles;
  }

  /// An instruction's own part of an address is an immediate, or uniform, as
  /// far as it has no bit that lanes have. A register for each value of the
  /// rest.
  int64_t registers(const Shape &shape, const Copies &copies) const {
    Bits ofCopies;
    for (int64_t at : copies.reg)
      ofCopies.push_back(at & unionOf(copies.lane));
    int64_t count = int64_t(1) << rankOf(ofCopies);
    for (const Reads &own : reads) {
      int64_t lanes = 0;
      for (int64_t bit : own.ofLanes)
        lanes |= xorOf(shape.masks, bit);
      Bits met;
      for (size_t i = 1; i < own.ofReads.size(); i *= 2)
        met.push_back(xorOf(shape.masks, own.ofReads[i]) & lanes);
      count += int64_t(1) << rankOf(met);
    }
    return count;
  }

  /// Numbers of pages that a wave needs for its copies; where lanes of one copy
  /// have several, one for each lane.
  int64_t pages(const Copies &copies) const {
    if (!request.pageRows)
      return 0;
    auto changes = [&](int64_t at) { return changesPage(at); };
    return llvm::any_of(copies.lane, changes)
               ? chip::kWaveLanes
               : int64_t(1) << llvm::count_if(copies.reg, changes);
  }

  LdsCost costBesideWays(const Shape &shape) const {
    LdsCost cost;
    Copies copies = copiesOf(shape);
    cost.pages = pages(copies);
    cost.cacheCycles = cacheCycles(copies);
    cost.registers = registers(shape, copies);
    cost.bytes = bufferBytes(pad(shape, tileBytes));
    // Of pieces the next of a line lies elsewhere in memory.
    cost.runBytes =
        request.pieceElems
            ? std::min(shape.runBytes, request.pieceElems * elemBytes)
            : shape.runBytes;
    cost.xors = shape.xors;
    return cost;
  }

  LdsPlan planOf(LdsFamily family, const Shape &shape,
                 const LdsCost &cost) const {
    MLIRContext *context = request.tile.getContext();
    ArrayRef<int64_t> masks(shape.masks);
    auto ofPlaces = masks.take_front(inBits),
         ofLines = masks.drop_front(inBits);
    // A copy writes its line on end, whatever the layout (the proof after this
    // pass demands it), which takes each bank once.
    auto layout = LdsLayoutAttr::get(context, onEnd() ? ofLines : ofPlaces,
                                     onEnd() ? ofPlaces : ofLines, lineBytes,
                                     shape.chunkBytes, shape.padBytes,
                                     pad(shape, tileBytes), cost.readWays);
    auto basesOf = [&](ArrayRef<int64_t> indices) {
      SmallVector<int64_t> bases;
      for (int64_t at : indices)
        bases.append({rowOf(at), colOf(at)});
      return bases;
    };
    Copies copies = copiesOf(shape);
    Bits reg(ArrayRef(shape.indices).take_front(laneBits));
    llvm::append_range(reg, copies.reg);
    auto dma = LaneLayoutAttr::get(context, /*rank=*/2, laneBytes / elemBytes,
                                   basesOf(reg), basesOf(copies.lane),
                                   basesOf(copies.wave));
    return {family, cost, conflicts(shape).cycles, layout, dma};
  }

  const LdsRequest &request;
  int64_t accessBytes, elemBytes, memoryBytes, laneBytes, lineBytes, tileBytes;
  int64_t lineElems, lineCount; ///< elements of a line, and lines, of the tile
  unsigned inBits, outBits;     ///< bits of both
  /// Bits of the address, from an element's on, that are within what a lane
  /// copies, within a line, and within all banks or a line.
  unsigned laneBits, lineBits, bankBits;
  unsigned runBits; ///< of the neighbours that every access takes together
  Bits ofLanes;     ///< index bits that lanes of some read add
  SmallVector<Reads, 2> reads;
};

/// Why lanes hold tiles by bits of which each is of one place, so that pieces
/// are not exclusive-ored; null: they do not.
const char *whyNoXor(const LdsRequest &request, const LdsCost &cost) {
  return request.isConverted() ? "its elements are converted in registers"
         : cost.pages == chip::kWaveLanes
             ? "its keys have numbers of pages in registers"
             : nullptr;
}

/// Goes through the candidates of a family and keeps the cheapest.
class Search {
public:
  Search(const LdsRequest &request, const LdsAccess &access)
      : tile(request, access) {}

  /// Why the last family has no plan of which pieces are exclusive-ored; null:
  /// it has, or has no such pieces.
  const char *whyNoXor() const { return refused; }

  std::optional<LdsPlan> run(LdsFamily family) {
    best.reset();
    refused = nullptr;
    switch (family) {
    case LdsFamily::Any:
      break;
    case LdsFamily::Padded:
      goPadded();
      break;
    case LdsFamily::Xor:
      goRowMajor(1, tile.bankBits - tile.runBits);
      break;
    case LdsFamily::Permuted:
      goPermuted();
      break;
    case LdsFamily::Identity:
      goRowMajor(0, 0);
      break;
    }
    if (!best)
      return std::nullopt;
    return tile.planOf(family, best->shape, best->cost);
  }

private:
  /// Index bits, by their numbers, in the order of the address bits.
  using Order = SmallVector<unsigned, 16>;
  struct Candidate {
    Shape shape;
    LdsCost cost;
  };

  static void append(Order &order, unsigned from, unsigned to) {
    llvm::append_range(order, llvm::seq(from, to));
  }

  /// Of which the low `run` columns lie on end.
  Shape shapeOf(const Order &order, unsigned run) const {
    Shape shape;
    shape.masks.resize(order.size());
    for (auto [i, bit] : llvm::enumerate(order)) {
      shape.masks[bit] = tile.elemBytes << i;
      shape.indices.push_back(int64_t(1) << bit);
    }
    shape.runBytes = tile.elemBytes << run;
    return shape;
  }

  /// `run` low bits of places in a line, `lines` of lines from `first` on, what
  /// is left of the lines, what is left of the places. For tiles of rows that
  /// lie on end these are columns, and lines are rows.
  Shape rowMajor(unsigned run, unsigned lines, unsigned first) const {
    Order order;
    unsigned from = tile.inBits + first, to = from + lines;
    append(order, 0, run);
    append(order, from, to);
    append(order, tile.inBits, from);
    append(order, to, tile.inBits + tile.outBits);
    append(order, run, tile.inBits);
    return shapeOf(order, run);
  }

  unsigned longestRun() const { return std::min(tile.lineBits, tile.inBits); }

  /// `cost` as without conflicts, which are counted only if it would be best
  /// so. Further reads move every lane alike: by a multiple of the access, or
  /// by the same XOR of address bits where there is no padding. Banks are
  /// renamed, and conflicts stay, so that one instruction speaks for all. The
  /// proof after this pass counts each.
  void consider(const Shape &shape, LdsCost cost) {
    if (best && !(cost < best->cost))
      return;
    if (const char *why =
            shape.xors ? ::whyNoXor(tile.request, cost) : nullptr) {
      refused = why;
      return;
    }
    cost.readWays = tile.waysAtFirst(shape);
    if (!best || cost < best->cost)
      best = {shape, cost};
  }
  void consider(const Shape &shape) {
    consider(shape, tile.costBesideWays(shape));
  }

  /// Lines of the low columns of some rows, which are neighbours or as far
  /// apart as one another.
  void goPadded() {
    for (unsigned run = tile.runBits; run <= longestRun(); ++run) {
      unsigned rows = tile.lineBits - run;
      for (unsigned first = 0; first + rows <= tile.outBits; ++first) {
        Shape shape = rowMajor(run, rows, first);
        shape.chunkBytes = tile.lineBytes;
        for (int64_t pad = chip::kLdsAccessBytes;
             pad <= tile.request.staging.getMaxPadBytes();
             pad += chip::kLdsAccessBytes) {
          shape.padBytes = pad;
          consider(shape);
        }
      }
    }
  }

  /// `count` more rows that tell lanes apart, whose bit is exclusive-ored into
  /// one of `targets`, which choose a bank, each into one of its own, from bit
  /// `from` of the address on. What is exclusive-ored is never a target.
  void goXors(const Shape &shape, unsigned from, int64_t targets,
              unsigned count) {
    if (!count)
      return consider(shape);
    for (; from < shape.indices.size(); ++from) {
      int64_t row = shape.indices[from];
      if (!tile.lineOf(row) || !(row & unionOf(tile.ofLanes)))
        continue;
      for (unsigned to = tile.runBits; to < tile.bankBits; ++to) {
        if (!(targets >> to & 1))
          continue;
        Shape next = shape;
        next.masks[llvm::Log2_64(row)] ^= tile.elemBytes << to;
        next.indices[from] ^= next.indices[to];
        ++next.xors;
        goXors(next, from + 1, targets & ~(int64_t(1) << to), count - 1);
      }
    }
  }

  /// For each length of a run of columns, take the fewest XOR terms that leave
  /// reads without bank conflicts. Further terms give lanes more address bits
  /// and never save an address register.
  void goRowMajor(unsigned fewestXors, unsigned mostXors) {
    std::optional<Candidate> found;
    for (unsigned run = tile.runBits; run <= longestRun(); ++run) {
      best.reset();
      for (unsigned xors = fewestXors; xors <= mostXors; ++xors) {
        goXors(rowMajor(run, tile.outBits, 0), tile.bankBits, /*targets=*/-1,
               xors);
        if (best && best->cost.readWays == 1)
          break;
      }
      if (best && (!found || best->cost < found->cost))
        found = best;
    }
    best = found;
  }

  /// Chunks of one, two or four lines, each with every padding; the rows that
  /// tell lanes apart, to which the padding gives banks, as first lines,
  /// second, and so on.
  void goChunks(const Order &order, unsigned run, LdsCost cost) {
    constexpr unsigned kMostLines = 2; // as a power of two
    ArrayRef<unsigned> line(order);
    Order ofLanes, others;
    for (unsigned bit : line.drop_front(tile.lineBits))
      (unionOf(tile.ofLanes) >> bit & 1 ? ofLanes : others).push_back(bit);
    SmallVector<Shape, 0> shapes;
    for (size_t before = 0; before <= others.size(); ++before) {
      Order changed(line.take_front(tile.lineBits));
      llvm::append_range(changed, ArrayRef(others).take_front(before));
      llvm::append_range(changed, ofLanes);
      llvm::append_range(changed, ArrayRef(others).drop_front(before));
      shapes.push_back(shapeOf(changed, run));
    }
    for (unsigned lines = 0; lines <= kMostLines; ++lines) {
      int64_t chunk = tile.lineBytes << lines;
      if (chunk >= tile.tileBytes)
        return;
      for (int64_t pad = chip::kLdsAccessBytes;
           pad <= tile.request.staging.getMaxPadBytes();
           pad += chip::kLdsAccessBytes)
        for (Shape &shape : shapes) {
          shape.chunkBytes = chunk;
          shape.padBytes = pad;
          cost.bytes = bufferBytes(tile.pad(shape, tile.tileBytes));
          consider(shape, cost);
        }
    }
  }

  /// Lines of the low columns of any rows, of which any bits choose the bank.
  /// Longer runs first: once they fill no cache line, shorter ones only cost
  /// more; unless pieces of other lines fill it.
  void goPermuted() {
    for (unsigned run = longestRun() + 1; run-- > tile.runBits;) {
      if (best && best->cost.readWays == 1 && !tile.request.pieceElems &&
          tile.elemBytes << run < chip::kCacheLineBytes)
        return;
      for (unsigned rows = 0; rows < 1U << tile.outBits; ++rows) {
        if (unsigned(llvm::popcount(rows)) != tile.lineBits - run)
          continue;
        Order line, rest;
        append(line, tile.runBits, run);
        for (unsigned bit = 0; bit < tile.outBits; ++bit)
          (rows >> bit & 1 ? line : rest).push_back(tile.inBits + bit);
        append(rest, run, tile.inBits);
        for (unsigned banks = 0; banks < 1U << line.size(); ++banks) {
          if (unsigned(llvm::popcount(banks)) != tile.bankBits - tile.runBits)
            continue;
          Order order;
          append(order, 0, tile.runBits);
          for (bool isBank : {true, false})
            for (auto [i, bit] : llvm::enumerate(line))
              if ((banks >> i & 1) == isBank)
                order.push_back(bit);
          llvm::append_range(order, rest);
          Shape shape = shapeOf(order, run);
          LdsCost cost = tile.costBesideWays(shape);
          if (best && !(cost < best->cost))
            continue;
          consider(shape, cost);
          goChunks(order, run, cost);
        }
      }
    }
  }

  Tile tile;
  std::optional<Candidate> best;
  const char *refused = nullptr;
};

/// The masks of all bits of the tile: those that are given, then the others.
llvm::Expected<Shape> expand(LdsMapAttr map, const Tile &tile) {
  int64_t rows = int64_t(1) << map.getRow().size(),
          cols = int64_t(1) << map.getCol().size();
  const int64_t tileRows = tile.request.tile.dim(0),
                tileCols = tile.request.tile.dim(1);
  if (rows > tileRows || cols > tileCols)
    return llvm::createStringError(
        llvm::formatv("the map has {0} rows x {1} columns, the tile {2} x {3}",
                      rows, cols, tileRows, tileCols));
  Shape shape;
  shape.chunkBytes = map.getChunkBytes();
  shape.padBytes = map.getPadBytes();
  Bits row(map.getRow()), col(map.getCol());
  int64_t next = tile.elemBytes << (row.size() + col.size());
  for (; row.size() < llvm::Log2_64(tileRows); next *= 2)
    row.push_back(next);
  for (; col.size() < llvm::Log2_64(tileCols); next *= 2)
    col.push_back(next);
  const bool byRow = tile.onEnd();
  ArrayRef<int64_t> places(byRow ? col : row), lines(byRow ? row : col);
  const char *line = byRow ? "row" : "column";
  shape.runBytes = tile.elemBytes;
  for (int64_t mask : places) {
    if (mask != shape.runBytes)
      break;
    shape.runBytes *= 2;
  }
  int64_t all = unionOf(row) | unionOf(col), least = all & -all;
  if (least != tile.elemBytes)
    return llvm::createStringError(
        llvm::formatv("its least mask is {0}, an element has {1} bytes", least,
                      tile.elemBytes));
  int64_t onEnd = tile.elemBytes << tile.runBits;
  if (shape.runBytes < onEnd)
    return llvm::createStringError(
        llvm::formatv("a lane moves {0} bytes of a {2} at once, the map has "
                      "{1} of them on end",
                      onEnd, shape.runBytes, line));
  for (auto [name, masks] :
       {std::pair(byRow ? "row" : "col", lines),
        {byRow ? "col" : "row", places.drop_front(tile.runBits)}})
    for (int64_t mask : masks)
      if (mask % onEnd)
        return llvm::createStringError(
            llvm::formatv("a lane moves {0} bytes of a {3} at once, mask {1} "
                          "of `{2}` moves parts of them",
                          onEnd, mask, name, line));
  if (shape.padBytes && shape.chunkBytes < tile.lineBytes)
    return llvm::createStringError(
        llvm::formatv("a wave writes {0} bytes on end, chunks have {1}",
                      tile.lineBytes, shape.chunkBytes));
  llvm::append_range(shape.masks, places);
  llvm::append_range(shape.masks, lines);
  return shape;
}

/// The index bits of each address bit, over GF(2).
Bits invert(Bits masks, int64_t elemBytes) {
  Bits indices; // whose masks are these, which are reduced to one bit each
  for (size_t bit = 0; bit < masks.size(); ++bit)
    indices.push_back(int64_t(1) << bit);
  for (size_t bit = 0; bit < masks.size(); ++bit) {
    int64_t address = elemBytes << bit;
    size_t pivot = bit; // there is one: the map is one to one
    while (!(masks[pivot] & address))
      ++pivot;
    std::swap(masks[bit], masks[pivot]);
    std::swap(indices[bit], indices[pivot]);
    for (size_t other = 0; other < masks.size(); ++other)
      if (other != bit && masks[other] & address) {
        masks[other] ^= masks[bit];
        indices[other] ^= indices[bit];
      }
  }
  return indices;
}

} // namespace

int64_t fmha::bytesOf(TileType tile) {
  return bytesOf(tile.dim(0) * tile.dim(1) * bitsOf(tile.getElement()));
}

int64_t fmha::bufferBytes(int64_t layoutBytes) {
  return llvm::alignTo(layoutBytes, chip::kLdsBanks * chip::kLdsBankBytes);
}

int64_t fmha::dmaLaneBytes(const LdsRequest &request) {
  int64_t laneBytes =
      bytesOf(request.tile) / (chip::kWaveLanes * request.waves);
  for (int64_t bytes : chip::kDmaLaneBytes)
    if (laneBytes >= bytes)
      return bytes;
  return *std::prev(std::end(chip::kDmaLaneBytes));
}

llvm::Expected<SmallVector<LdsPlan>>
fmha::planLdsLayouts(const LdsRequest &request, const LdsAccess &access) {
  LdsFamily asked = request.staging.getLayout();
  Search search(request, access);
  SmallVector<LdsPlan> plans;
  auto isCheaper = [](const LdsPlan &a, const LdsPlan &b) {
    return a.cost < b.cost;
  };
  // The simpler ones first.
  for (LdsFamily family : {LdsFamily::Identity, LdsFamily::Padded,
                           LdsFamily::Permuted, LdsFamily::Xor})
    if (asked == LdsFamily::Any || asked == family)
      if (std::optional<LdsPlan> plan = search.run(family))
        plans.insert(llvm::upper_bound(plans, *plan, isCheaper), *plan);
  if (!plans.empty())
    return plans;
  if (const char *why = search.whyNoXor())
    return llvm::createStringError(Twine(why) +
                                   ", where pieces are not exclusive-ored");
  // The others have one for each tile of a line or more.
  return llvm::createStringError(
      "its rows lie within one sweep of the banks, which leaves no bit to "
      "exclusive-or");
}

llvm::Expected<LdsPlan> fmha::planGivenLds(const LdsRequest &request,
                                           const LdsAccess &access) {
  Tile tile(request, access);
  llvm::Expected<Shape> shape = expand(request.staging.getMap(), tile);
  if (!shape)
    return shape.takeError();
  shape->indices = invert(shape->masks, tile.elemBytes);
  LdsCost cost = tile.costBesideWays(*shape);
  const char *why = whyNoXor(request, cost);
  if (why &&
      llvm::any_of(shape->indices, [](int64_t at) { return at & (at - 1); }))
    return llvm::createStringError(
        Twine(why) +
        ", where pieces are not exclusive-ored, the map has masks that share "
        "bytes");
  cost.readWays = tile.conflicts(*shape).ways;
  return tile.planOf(LdsFamily::Any, *shape, cost);
}

std::string fmha::describe(const LdsCost &cost) {
  std::string conflicts = "no bank conflicts";
  if (cost.readWays > 1)
    conflicts = llvm::formatv("bank conflicts of {0} ways", cost.readWays);
  std::string pages;
  if (cost.pages)
    pages = llvm::formatv("{0} page number{1} a wave, ", cost.pages,
                          cost.pages > 1 ? "s" : "");
  return llvm::formatv("{0}, {1}{2} cycles of the vector cache a wave and "
                       "tile, {3} address registers, {4} bytes",
                       conflicts, pages, cost.cacheCycles, cost.registers,
                       cost.bytes);
}

StringRef fmha::advantage(const LdsCost &cost, const LdsCost &over) {
  if (cost.readWays != over.readWays)
    return "fewer bank conflicts";
  if (cost.pages != over.pages)
    return "fewer numbers of pages";
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
