// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// ile
/// What those share that combine results over some keys each: which lanes have
/// what of a row, and how it is weighed and stored. Who uses it says which
/// rows, and where they go (CombineChunks.h, LowerJoin.cpp).
#ifndef FMHA_LOWER_RESULTROWS_H
#define FMHA_LOWER_RESULTROWS_H

#include "chip/Chip.h"
#include "lower/RowMath.h"
#include "lower/UniformLoad.h"

#include <limits>

namespace mlir::fmha {

/// Rows of O and LSE in memory, which lanes next to each other have, and their
/// weights.
class ResultRows {
protected:
  /// Where a row of O and LSE lies; i64. Batch and start are the same in all
  /// lanes.
  struct Place {
    Value batch, start, head, row;
  };

  /// Fields of a tensor [B, S, H, D] of the kernel's arguments.
  struct TensorFields {
    Arg base, batchStride, headStride;
    std::optional<Arg> rowStride; ///< none: f32 next to each other
  };

  /// Of parts, f32 next to each other, or of results of the caller's.
  ResultRows(Operation *op, ProblemAttr problem, int64_t lanes, bool areParts)
      : b(op), problem(problem), lanes(lanes), areParts(areParts) {}

  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr int64_t kF32Bytes = 4, kI32Bytes = 4;
  Value arg(Arg field) {
    return ArgOp::create(b, typeOfArg(field, b.getContext()), field);
  }
  Value load(Type type, Value address, int64_t alignBytes);
  /// Of what no kernel writes meanwhile.
  Value loadUniform(Type type, Value address) {
    return fmha::loadUniform(b, type, address, kI32Bytes);
  }
  static constexpr TensorFields kO{Arg::O, Arg::OBatchStride, Arg::OHeadStride,
                                   Arg::ORowStride};
  static constexpr TensorFields kLse{Arg::Lse, Arg::LseBatchStride,
                                     Arg::LseHeadStride, std::nullopt};
  Value batchField(Arg array, Value batch, int64_t step);
  Value startOf(Value batch);
  Value addressOf(const TensorFields &fields, const Place &place);

  void chooseLanes();
  void takeTurns(Place &place, Value group);

  void keepOrder();
  void choosePieces();
  Value ownColumns();
  Values loadRow(Value address);
  Value widen(Value loaded);
  Value minuend(Value most);
  Value weightOf(Value lse, Value shift);
  Value inverseOf(Value weights);
  void storeOutputs(Value row, Type element, ArrayRef<Value> outputs,
                    Value factor);
  void storeLse(Value address, Value shift, Value weights);
  Value outputFactor();

  LaneBuilder b;
  ProblemAttr problem;
  int64_t lanes; ///< of a row
  bool areParts;
  /// A piece of the lane.
  struct Piece {
    Value column;    ///< the first; i32
    Value isPresent; ///< null: in every lane; else it is another's here
    Value ahead;     ///< bytes of what is loaded, from the first piece on; i64
  };
  SmallVector<Piece> pieces;
  VectorType columns;   ///< of a piece, as f32
  Type source;          ///< element of what is loaded
  Value lane;           ///< of those that have a row; i32
  Value team;           ///< which of them in the wave; i32
  Value rowOfWorkgroup; ///< i32
};

} // namespace mlir::fmha

#endif // FMHA_LOWER_RESULTROWS_H
