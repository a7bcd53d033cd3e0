// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Enums, attributes and types; and what passes and proofs ask of ops:
/// resources of memory effects, the traits that answer for most ops, the
/// interfaces of FmhaInterfaces.td.
#ifndef FMHA_INTERFACES_H
#define FMHA_INTERFACES_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "FmhaElements.h"
#include "FmhaLimits.h"

#include "FmhaDialect.h.inc"

#include "FmhaEnums.h.inc"

namespace mlir::fmha {
/// How a verifier begins what it says.
using EmitError = function_ref<InFlightDiagnostic()>;
} // namespace mlir::fmha

#define GET_ATTRDEF_CLASSES
#include "FmhaAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "FmhaTypes.h.inc"

namespace mlir::fmha {

/// Memory of the device.
struct GlobalMemory : SideEffects::Resource::Base<GlobalMemory> {
  StringRef getName() final { return "fmha.global"; }
};
/// The workgroup's LDS.
struct Lds : SideEffects::Resource::Base<Lds> {
  StringRef getName() final { return "fmha.lds"; }
};
/// Counters of outstanding operations, and barriers.
struct Sync : SideEffects::Resource::Base<Sync> {
  StringRef getName() final { return "fmha.sync"; }
};

/// What a tile is in attention, which decides how it lies in the lanes.
enum class TileRole {
  Q,
  K,
  V,
  Scores,
  Weights,
  Output,
  Merged, ///< O of waves that divided the keys: columns are over them, too
  Base,   ///< one result of a matrix instruction for all scores of a row
  Rows,   ///< one value a row, where the scores of the row are
  Sums,   ///< one value a row, where matrix instructions sum
  Pages   ///< one value a key, where the copy of its tile has the key
};

template <StepKind kind> struct StepOf {
  template <typename ConcreteOp>
  struct Impl : OpTrait::TraitBase<ConcreteOp, StepOf<kind>::Impl> {
    StepKind getStepKind() { return kind; }
  };
};

template <TileRole role> struct TileOf {
  template <typename ConcreteOp>
  struct Impl : OpTrait::TraitBase<ConcreteOp, TileOf<role>::Impl> {
    TileRole getTileRole() { return role; }
  };
};

/// A row vector that goes with a tile must lie where the tile's rows lie.
LogicalResult verifyRows(Operation *op, StringRef name, TileType rows,
                         TileType tile);

template <unsigned rows, unsigned tile> struct RowsOf {
  template <typename ConcreteOp>
  struct Impl : OpTrait::TraitBase<ConcreteOp, RowsOf<rows, tile>::Impl> {
    static LogicalResult verifyTrait(Operation *op) {
      // A value that is the same for all rows lies nowhere.
      if (!isa<TileType>(op->getOperand(rows).getType()))
        return success();
      auto typeOf = [&](unsigned number) {
        return cast<TileType>(op->getOperand(number).getType());
      };
      return verifyRows(op, "operand #" + std::to_string(rows), typeOf(rows),
                        typeOf(tile));
    }
  };
};

} // namespace mlir::fmha

#include "FmhaInterfaces.h.inc"

#endif // FMHA_INTERFACES_H
