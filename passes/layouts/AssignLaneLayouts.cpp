// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Matrix.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_ASSIGNLANELAYOUTSPASS
#include "Passes.h.inc"

namespace {

/// A layout of one kernel, bit by bit; coordinates in tile order (row, col).
class Bases {
public:
  using Coord = std::pair<int64_t, int64_t>;

  explicit Bases(ScheduleAttr schedule) : schedule(schedule) {}

  /// An operand of an instruction, whose outer index is the row.
  Bases &operand(const chip::FragmentMap &map) {
    llvm::append_range(lane, map.lane);
    llvm::append_range(reg, map.reg);
    return *this;
  }
  /// A result, which lies transposed.
  Bases &result(const chip::FragmentMap &map) {
    for (auto [outer, inner] : map.lane)
      lane.emplace_back(inner, outer);
    for (auto [outer, inner] : map.reg)
      reg.emplace_back(inner, outer);
    return *this;
  }
  /// Registers for what an instruction does not have of a dimension.
  Bases &rows(int64_t from, int64_t size) {
    for (; from < size; from *= 2)
      reg.emplace_back(from, 0);
    return *this;
  }
  Bases &cols(int64_t from, int64_t size) {
    for (; from < size; from *= 2)
      reg.emplace_back(0, from);
    return *this;
  }
  /// Rows of the tile beyond one instruction: first over waves, then registers.
  /// Waves that share rows are alike, unless `shares` has what each bit of
  /// their number counts.
  Bases &rowsOverWaves(ArrayRef<Coord> shares = {}) {
    int64_t bit = schedule.getQk().getN();
    for (int64_t i = 1; i < schedule.rowWaves(); i *= 2, bit *= 2)
      wave.emplace_back(bit, 0);
    llvm::append_range(wave, shares);
    wave.resize(llvm::Log2_64(schedule.getWaves()));
    return rows(bit, schedule.getTileM());
  }
  /// What waves with rows of their own all have, and each of those that share
  /// rows a part of.
  Bases &sameInRows(ArrayRef<Coord> shares) {
    wave.resize(llvm::Log2_64(schedule.rowWaves()));
    llvm::append_range(wave, shares);
    return *this;
  }

  LaneLayoutAttr get(int64_t fragment, unsigned rank = 2) const {
    auto flat = [&](ArrayRef<Coord> bits) {
      SmallVector<int64_t> bases;
      for (auto [row, col] : bits) {
        bases.push_back(row);
        if (rank == 2)
          bases.push_back(col);
      }
      return bases;
    };
    return LaneLayoutAttr::get(schedule.getContext(), rank, fragment, flat(reg),
                               flat(lane), flat(wave));
  }

  SmallVector<Coord> reg, lane, wave;

private:
  ScheduleAttr schedule;
};

/// The layouts of one kernel, from its schedule and the maps of its matrix
/// instructions.
struct Layouts {
  ProblemAttr problem;
  ScheduleAttr schedule;
  chip::MatrixInstruction qk, pv;
  std::optional<chip::MatrixInstruction>
      sums; ///< if the schedule has a matrix instruction

  /// Keys of a tile that a wave has.
  int64_t keysOfWave() const {
    return schedule.getTileN() / schedule.getKeyWaves();
  }
  /// Keys that the bits of a wave's number count, or those columns, or rows,
  /// that have them.
  SmallVector<Bases::Coord> keysOverWaves(int64_t Bases::Coord::*key) const {
    SmallVector<Bases::Coord> shares;
    for (int64_t at = keysOfWave(); at < schedule.getTileN(); at *= 2)
      shares.emplace_back().*key = at;
    return shares;
  }

  /// S lies transposed: rows of the instruction's result are keys, columns are
  /// rows of Q.
  Bases placesOfScores() const {
    return Bases(schedule)
        .result(qk.result)
        .cols(schedule.getQk().getM(), keysOfWave())
        .rowsOverWaves(keysOverWaves(&Bases::Coord::second));
  }
  LaneLayoutAttr scores(int64_t fragment) const {
    Bases bases = placesOfScores();
    renameKeys(bases, &Bases::Coord::second);
    return bases.get(fragment);
  }

  /// Which key of a tile has the row of K and of S that a power of two counts.
  /// Where lanes read pieces of keys, they hold weights of as many neighbours:
  /// registers of a fragment of P count the first keys. K's rows are in any
  /// order alike.
  llvm::SmallDenseMap<int64_t, int64_t> keysOfRows() const {
    llvm::SmallDenseMap<int64_t, int64_t> keys;
    if (dimOnEnd(problem, Operand::V) != 0)
      return keys;
    const int64_t elems = std::min<int64_t>(
        pv.b.elems(),
        kVectorAccessBytes /
            bytesOf(bitsOf(staged(Operand::V).getElement(problem))));
    int64_t next = 1;
    const Bases places = placesOfScores();
    for (auto [row, place] : places.reg)
      if (place && next < elems) {
        keys[place] = next;
        next *= 2;
      }
    for (int64_t place = 1; place < schedule.getTileN(); place *= 2)
      if (keys.try_emplace(place, next).second)
        next *= 2;
    return keys;
  }
  void renameKeys(Bases &bases, int64_t Bases::Coord::*key) const {
    const auto keys = keysOfRows();
    for (SmallVector<Bases::Coord> *bits :
         {&bases.reg, &bases.lane, &bases.wave})
      for (Bases::Coord &at : *bits)
        if (at.*key && !keys.empty())
          at.*key = keys.lookup(at.*key);
  }

  /// V is the A operand, its outer index the column. Where the instruction
  /// would count contracted indices 0, 1, 2, … V takes the keys that P has
  /// there.
  LaneLayoutAttr v() const {
    LaneLayoutAttr p = of(TileRole::Weights);
    Bases bases(schedule);
    for (auto [bit, map] : llvm::enumerate(pv.a.lane))
      bases.lane.emplace_back(p.laneBasis(bit, 1), map.first);
    for (unsigned bit = 0; bit < p.regBits(); ++bit)
      if (int64_t key = p.regBasis(bit, 1))
        bases.reg.emplace_back(key, 0);
    SmallVector<Bases::Coord> shares;
    for (unsigned bit = llvm::Log2_64(schedule.rowWaves()); bit < p.waveBits();
         ++bit)
      shares.emplace_back(p.waveBasis(bit, 1), 0);
    return bases.cols(schedule.getPv().getM(), problem.getHeadDimV())
        .sameInRows(shares)
        .get(pv.a.elems());
  }

  /// Sums of ones times P, P being the B operand: every row of the result is
  /// the sum of P's rows, which are the columns.
  LaneLayoutAttr sumsOfRows() const {
    LaneLayoutAttr p = of(TileRole::Weights);
    llvm::SmallDenseMap<int64_t, int64_t> rowOf; // by column of the result
    for (auto [bit, map] : llvm::enumerate(sums->b.lane))
      if (map.first)
        rowOf[map.first] = p.laneBasis(bit, 0);
    Bases bases(schedule);
    for (auto [outer, inner] : sums->result.lane)
      bases.lane.emplace_back(rowOf.lookup(inner), 0);
    for (auto [outer, inner] : sums->result.reg)
      bases.reg.emplace_back(rowOf.lookup(inner), 0);
    return bases.rowsOverWaves().get(sums->result.elems(), /*rank=*/1);
  }

  /// O, where waves that share rows have columns of their own: the first
  /// ones that differ between fragments, if there are enough of them.
  LaneLayoutAttr merged() const {
    Bases bases(schedule);
    bases.result(pv.result);
    SmallVector<Bases::Coord> shares;
    int64_t col = schedule.getPv().getM();
    for (int64_t i = 1; i < schedule.getKeyWaves(); i *= 2, col *= 2)
      shares.emplace_back(0, col < problem.getHeadDimV() ? col : 0);
    return bases.cols(col, problem.getHeadDimV())
        .rowsOverWaves(shares)
        .get(pv.result.elems());
  }

  /// Of a tile with so many columns of data, where its role does not say.
  LaneLayoutAttr of(TileRole role, int64_t cols = 0) const {
    Bases bases(schedule);
    switch (role) {
    case TileRole::Q:
      return bases.operand(qk.b)
          .cols(schedule.getQk().getK(), problem.getHeadDimQk())
          .rowsOverWaves()
          .get(qk.b.elems());
    case TileRole::K:
      bases.operand(qk.a)
          .cols(schedule.getQk().getK(), cols)
          .rows(schedule.getQk().getM(), keysOfWave())
          .sameInRows(keysOverWaves(&Bases::Coord::first));
      renameKeys(bases, &Bases::Coord::first);
      return bases.get(qk.a.elems());
    case TileRole::V:
      return v();
    case TileRole::Scores:
      return scores(qk.result.elems());
    case TileRole::Weights: // registers of S, cut into operands of the product
      return scores(pv.b.elems());
    case TileRole::Output:
      return bases.result(pv.result)
          .cols(schedule.getPv().getM(), problem.getHeadDimV())
          .rowsOverWaves()
          .get(pv.result.elems());
    case TileRole::Merged:
      return merged();
    case TileRole::Base:
      return bases.result(qk.result).rowsOverWaves().get(qk.result.elems());
    case TileRole::Rows: // in every lane that owns a part of the row
      bases.result(qk.result).reg.clear();
      return bases.rowsOverWaves().get(1, /*rank=*/1);
    case TileRole::Sums:
      return sumsOfRows();
    case TileRole::Pages: // where copies have keys, which fmha-plan-lds decides
      return {};
    }
    llvm_unreachable("closed enum");
  }
};

/// The role of a value that a loop carries from `init` on: that of what the
/// body yields.
std::optional<TileRole> carriedRole(InitOp init) {
  for (OpOperand &use : init.getTile().getUses())
    if (auto loop = dyn_cast<LoopLikeOpInterface>(use.getOwner())) {
      OpOperand *yielded =
          loop.getTiedLoopYieldedValue(loop.getTiedLoopRegionIterArg(&use));
      if (auto op = yielded->get().getDefiningOp<NewTileOp>())
        return op.getTileRole();
    }
  return std::nullopt;
}

/// A result without a role lies as the operand that is like it.
LogicalResult follow(OpResult result) {
  auto type = dyn_cast<TileType>(result.getType());
  if (!type)
    return success();
  for (Type operand : result.getOwner()->getOperandTypes())
    if (auto like = dyn_cast<TileType>(operand);
        like && like.withLayout({}) == type.withLayout({})) {
      result.setType(like);
      return success();
    }
  return result.getOwner()->emitOpError()
         << "expected an operand that is a " << type << ", as result "
         << result.getResultNumber() << " lies where that does, found none";
}

/// Sets result types op by op; a loop's carried tiles take the type that the
/// body yields, once the body is done.
LogicalResult assign(Block &block, const Layouts &layouts) {
  for (Operation &op : block) {
    if (auto loop = dyn_cast<KvLoopOp>(op)) {
      for (auto [arg, init] :
           llvm::zip(loop.getRegionIterArgs(), loop.getInits()))
        arg.setType(init.getType());
      if (failed(assign(*loop.getBodyBlock(), layouts)))
        return failure();
      for (auto [result, value] :
           llvm::zip(loop.getResults(), loop.getYieldedValues()))
        result.setType(value.getType());
      continue;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) { // of results
      for (Region &region : branch->getRegions())
        for (Block &inner : region)
          if (failed(assign(inner, layouts)))
            return failure();
      continue;
    }
    std::optional<TileRole> role;
    if (auto init = dyn_cast<InitOp>(op)) {
      bool isRow = init.getTile().getType().getShape().size() == 1;
      role =
          carriedRole(init).value_or(isRow ? TileRole::Rows : TileRole::Output);
    } else if (auto tile = dyn_cast<NewTileOp>(op)) {
      role = tile.getTileRole();
    }
    if (role) {
      // The page of a whole tile is a number.
      if (auto type = dyn_cast<TileType>(op.getResult(0).getType()))
        op.getResult(0).setType(
            type.withLayout(layouts.of(*role, type.getCols())));
    }
    for (OpResult result : op.getResults().drop_front(role ? 1 : 0))
      if (failed(follow(result)))
        return failure();
  }
  return success();
}

/// P feeds both MFMAs in the same registers, so every lane bit that selects a
/// column of the `sums` instruction must select a row of P, and no other lane
/// bit may select one. Zeros in the other operand could separate two rows that
/// share a column, but zero times a NaN of one row makes the other row NaN.
LogicalResult checkSums(KernelOp kernel, LaneLayoutAttr p,
                        const chip::MatrixInstruction &sums) {
  for (auto [bit, at] : llvm::enumerate(sums.b.lane)) {
    bool isRow = p.laneBasis(bit, 0);
    if ((at.first != 0) == isRow)
      continue;
    ScheduleAttr schedule = kernel.getSchedule();
    return kernel.emitOpError()
           << "expected sums to count columns by the lane bits that count rows "
              "of P, as with n = "
           << schedule.getQk().getN() << ", the n of qk"
           << (isRow ? ", so that rows do not meet" : "")
           << ", or dot products (m = 1, n = 1, k = 2); found n = "
           << schedule.getSums().getN() << " and lane bit " << bit
           << ", which counts " << (isRow ? "rows" : "keys") << " of P";
  }
  return success();
}

struct AssignLaneLayouts : impl::AssignLaneLayoutsPassBase<AssignLaneLayouts> {
  LogicalResult run(KernelOp kernel) override {
    ScheduleAttr schedule = kernel.getSchedule();
    ProblemAttr problem = kernel.getProblem();
    auto lookup = [&](StringRef name, MfmaAttr shape, Type a, Type b) {
      std::optional<chip::MatrixInstruction> map =
          chip::lookupMatrix(shape, a, b);
      if (!map)
        chip::refuseMatrix(kernel.emitOpError(), name, shape, a, b);
      return map;
    };
    std::optional<chip::MatrixInstruction> qk =
        lookup("qk", schedule.getQk(), staged(Operand::K).getElement(problem),
               problem.getHeldQ());
    std::optional<chip::MatrixInstruction> pv =
        lookup("pv", schedule.getPv(), staged(Operand::V).getElement(problem),
               problem.getP());
    if (!qk || !pv)
      return failure();
    Layouts layouts{problem, schedule, *qk, *pv, std::nullopt};
    if (schedule.getSums() && !schedule.getSums().isDot()) {
      // Ones are elements like those that they sum.
      layouts.sums = chip::lookupSums(schedule.getSums(), problem.getP());
      if (!layouts.sums)
        return chip::refuseMatrix(kernel.emitOpError(), "sums",
                                  schedule.getSums(), problem.getP(),
                                  problem.getP());
      if (failed(
              checkSums(kernel, layouts.of(TileRole::Weights), *layouts.sums)))
        return failure();
    }
    return assign(*kernel.getItemBlock(), layouts);
  }
};
} // namespace
} // namespace mlir::fmha
