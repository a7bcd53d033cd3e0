// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_ASSIGNLANELAYOUTSPASS
#include "Passes.h.inc"

namespace {

/// Collects bases bit by bit; coordinates in tile order (row, col).
struct Bases {
  explicit Bases(unsigned rank) : rank(rank) {}
  void add(SmallVector<int64_t> &bits, int64_t row, int64_t col) const {
    bits.push_back(row);
    if (rank == 2)
      bits.push_back(col);
  }
  LaneLayoutAttr get(MLIRContext *context, int64_t fragment) const {
    return LaneLayoutAttr::get(context, rank, fragment, reg, lane, wave);
  }
  unsigned rank;
  SmallVector<int64_t> reg, lane, wave;
};

/// The layouts of one kernel, from its schedule and the maps of its two matrix
/// instructions.
class Layouts {
public:
  Layouts(KernelOp kernel, const chip::Mfma &qk, const chip::Mfma &pv,
          const chip::Mfma *sums)
      : context(kernel.getContext()), problem(kernel.getProblem()),
        schedule(kernel.getSchedule()), qkMap(qk), pvMap(pv), sumsMap(sums) {}

  LaneLayoutAttr q() const {
    Bases bases(2);
    addOperand(bases, qkMap.b, /*outerIsRow=*/true);
    addRange(bases, schedule.getQk().getK(), problem.getHeadDimQk(), 1);
    addRows(bases);
    return bases.get(context, qkMap.b.elems());
  }

  LaneLayoutAttr k() const {
    Bases bases(2);
    addOperand(bases, qkMap.a, /*outerIsRow=*/true);
    addRange(bases, schedule.getQk().getK(), problem.getHeadDimQk(), 1);
    addRange(bases, schedule.getQk().getM(), schedule.getTileN(), 0);
    addReplicatedWaves(bases);
    return bases.get(context, qkMap.a.elems());
  }

  /// S lies transposed: rows of the instruction's result are keys, columns are
  /// rows of Q.
  LaneLayoutAttr scores(int64_t fragment) const {
    Bases bases(2);
    addTransposedResult(bases, qkMap.result);
    addRange(bases, schedule.getQk().getM(), schedule.getTileN(), 1);
    addRows(bases);
    return bases.get(context, fragment);
  }
  LaneLayoutAttr s() const { return scores(qkMap.result.elems()); }
  /// One result of an instruction, for every fragment of S.
  LaneLayoutAttr base() const {
    Bases bases(2);
    addTransposedResult(bases, qkMap.result);
    addRows(bases);
    return bases.get(context, qkMap.result.elems());
  }
  /// P is S's registers, cut into operands of the second product.
  LaneLayoutAttr p() const { return scores(pvMap.b.elems()); }

  /// V is the A operand, its outer index the column. Where the instruction
  /// would count contracted indices 0, 1, 2, … V takes the keys that P has
  /// there.
  LaneLayoutAttr v() const {
    LaneLayoutAttr pLayout = p();
    Bases bases(2);
    for (auto [bit, map] : llvm::enumerate(pvMap.a.lane))
      bases.add(bases.lane, pLayout.laneBasis(bit, 1), map.first);
    for (unsigned bit = 0; bit < pLayout.regBits(); ++bit)
      if (pLayout.regBasis(bit, 1))
        bases.add(bases.reg, pLayout.regBasis(bit, 1), 0);
    addRange(bases, schedule.getPv().getM(), problem.getHeadDimV(), 1);
    addReplicatedWaves(bases);
    return bases.get(context, pvMap.a.elems());
  }

  LaneLayoutAttr o() const {
    Bases bases(2);
    addTransposedResult(bases, pvMap.result);
    addRange(bases, schedule.getPv().getM(), problem.getHeadDimV(), 1);
    addRows(bases);
    return bases.get(context, pvMap.result.elems());
  }

  /// One value a row, in every lane that owns a part of the row.
  LaneLayoutAttr rows() const {
    Bases bases(1);
    for (auto [outer, inner] : qkMap.result.lane)
      bases.add(bases.lane, inner, 0);
    addRows(bases);
    return bases.get(context, 1);
  }

  /// Sums of ones times P, P being the B operand: every row of the result is
  /// the sum of P's rows, which are the columns.
  LaneLayoutAttr sums() const {
    LaneLayoutAttr pLayout = p();
    llvm::SmallDenseMap<int64_t, int64_t> rowOf; // by column of the result
    for (auto [bit, map] : llvm::enumerate(sumsMap->b.lane))
      if (map.first)
        rowOf[map.first] = pLayout.laneBasis(bit, 0);
    auto row = [&](std::pair<int64_t, int64_t> at) {
      return at.second ? rowOf.lookup(at.second) : 0;
    };
    Bases bases(1);
    for (auto at : sumsMap->result.lane)
      bases.add(bases.lane, row(at), 0);
    for (auto at : sumsMap->result.reg)
      bases.add(bases.reg, row(at), 0);
    addRows(bases);
    return bases.get(context, sumsMap->result.elems());
  }

  LaneLayoutAttr of(TileRole role) const {
    // In the order of the roles.
    constexpr LaneLayoutAttr (Layouts::*kLayouts[])() const = {
        &Layouts::q, &Layouts::k,    &Layouts::v,    &Layouts::s,   &Layouts::p,
        &Layouts::o, &Layouts::base, &Layouts::rows, &Layouts::sums};
    return (this->*kLayouts[size_t(role)])();
  }

private:
  static void addOperand(Bases &bases, const chip::FragmentMap &map,
                         bool outerIsRow) {
    auto add = [&](SmallVector<int64_t> &bits, std::pair<int64_t, int64_t> at) {
      bases.add(bits, outerIsRow ? at.first : at.second,
                outerIsRow ? at.second : at.first);
    };
    for (auto at : map.lane)
      add(bases.lane, at);
    for (auto at : map.reg)
      add(bases.reg, at);
  }
  static void addTransposedResult(Bases &bases, const chip::FragmentMap &map) {
    for (auto [outer, inner] : map.lane)
      bases.add(bases.lane, inner, outer);
    for (auto [outer, inner] : map.reg)
      bases.add(bases.reg, inner, outer);
  }
  /// Register bits for offsets from..size of a dimension, doubling.
  static void addRange(Bases &bases, int64_t from, int64_t size, unsigned dim) {
    for (int64_t bit = from; bit < size; bit *= 2)
      bases.add(bases.reg, dim == 0 ? bit : 0, dim == 1 ? bit : 0);
  }
  /// Rows of the tile beyond one instruction: first over waves, then registers.
  void addRows(Bases &bases) const {
    int64_t bit = schedule.getQk().getN();
    for (int64_t wave = 1; wave < schedule.getWaves(); wave *= 2, bit *= 2)
      bases.add(bases.wave, bit, 0);
    for (; bit < schedule.getTileM(); bit *= 2)
      bases.add(bases.reg, bit, 0);
  }
  void addReplicatedWaves(Bases &bases) const {
    for (int64_t wave = 1; wave < schedule.getWaves(); wave *= 2)
      bases.add(bases.wave, 0, 0);
  }

  MLIRContext *context;
  ProblemAttr problem;
  ScheduleAttr schedule;
  const chip::Mfma &qkMap, &pvMap;
  const chip::Mfma *sumsMap; ///< null where the schedule has none
};

void setLayout(Value value, LaneLayoutAttr layout) {
  value.setType(cast<TileType>(value.getType()).withLayout(layout));
}

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
  for (Value operand : result.getOwner()->getOperands())
    if (auto like = dyn_cast<TileType>(operand.getType());
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
    std::optional<TileRole> role;
    if (auto init = dyn_cast<InitOp>(op)) {
      bool isRow = init.getTile().getType().getShape().size() == 1;
      role =
          carriedRole(init).value_or(isRow ? TileRole::Rows : TileRole::Output);
    } else if (auto tile = dyn_cast<NewTileOp>(op)) {
      role = tile.getTileRole();
    }
    if (role) {
      setLayout(op.getResult(0), layouts.of(*role));
      continue;
    }
    for (OpResult result : op.getResults())
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
                        const chip::Mfma &sums) {
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
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    ScheduleAttr schedule = kernel.getSchedule();
    auto lookup = [&](StringRef name, MfmaAttr shape) {
      std::optional<chip::Mfma> map = chip::lookupMfma(shape);
      if (!map)
        kernel.emitOpError()
            << "expected " << name
            << " to be a 16-bit matrix instruction of gfx950 (32x32x16, "
               "16x16x32), found "
            << shape.getM() << "x" << shape.getN() << "x" << shape.getK();
      return map;
    };
    std::optional<chip::Mfma> qk = lookup("qk", schedule.getQk());
    std::optional<chip::Mfma> pv = lookup("pv", schedule.getPv());
    if (!qk || !pv)
      return signalPassFailure();
    std::optional<chip::Mfma> sums;
    if (schedule.getSums() && !schedule.getSums().isDot()) {
      sums = lookup("sums", schedule.getSums());
      if (!sums)
        return signalPassFailure();
    }
    Layouts layouts(kernel, *qk, *pv, sums ? &*sums : nullptr);
    if (sums && failed(checkSums(kernel, layouts.p(), *sums)))
      return signalPassFailure();
    if (failed(assign(kernel.getBody().front(), layouts)))
      signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
