// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How a combination is written out: LowerCombine.cpp says which lanes have
/// what, CombineChunks.cpp adds the chunks of a row.
#ifndef FMHA_LOWER_COMBINELOWERING_H
#define FMHA_LOWER_COMBINELOWERING_H

#include "chip/Chip.h"
#include "lower/RowMath.h"
#include "lower/UniformLoad.h"

#include <limits>

namespace mlir::fmha {

/// Writes out one combination.
class CombineLowering {
public:
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

  explicit CombineLowering(CombineOp op)
      : op(op), b(op), problem(op.getProblem()), lanes(*op.getLanes()),
        inFlight(std::min(kMostInFlight, lanes)) {}

  void run();

private:
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  static constexpr int64_t kF32Bytes = 4, kI32Bytes = 4;
  /// Most chunks of rows that a wave has side by side, and half of that, for
  /// fewer; most of a team that are loaded at once; those of a team whose O is
  /// loaded while as many before them are added; and those whose LSE a lane
  /// loads at once in search of the greatest.
  static constexpr int64_t kFew = 8, kFewer = 4, kMostAtOnce = 16,
                           kMostInFlight = 8, kLooks = 2;

  Value arg(Arg field) {
    return ArgOp::create(b, typeOfArg(field, b.getContext()), field);
  }
  Value load(Type type, Value address, int64_t alignBytes);
  /// Of what no kernel writes meanwhile.
  Value loadUniform(Type type, Value address) {
    return fmha::loadUniform(b, type, address, kI32Bytes);
  }
  Value batchField(Arg array, Value batch, int64_t step);
  Value startOf(Value batch);
  Value addressOf(const TensorFields &fields, const Place &place);

  /// Whether runs of work have left the parts: those of a row lie in steps of
  /// `run_part_rows`.
  bool isOfRuns() { return problem.getWork() == WorkForm::Runs; }
  Value setOf(Arg array);
  void combineParts();
  void combineItem(Value item, Value slice, Value step);
  void combineResults();
  void forEach(Value first, Value past, Value step,
               function_ref<void(Value)> body);
  void forEachRow(Value rows, Value first, Value step,
                  function_ref<void(Value)> combine);
  Place placeOf(Value number, Value rows, Value firstHead, Value firstRow,
                Value batch);

  void takeTurns(Place &place, Value group);

  /// How chunks are added: those of rows side by side in a wave, at most
  /// `chunks`; or of one row by all teams, at most as many of each at once, or
  /// any number in turn: 0.
  struct Way {
    bool isSideBySide;
    int64_t chunks;
  };
  /// Chunks of a row.
  struct Chunks {
    Value count;  ///< i32
    Value lse;    ///< of the first
    Value o;      ///< of the lane's first column in the first of its team
    Value rows;   ///< of LSE from one to the next; i64
    Value oBytes; ///< from one of the lane's to the next; i64
  };
  /// As many chunks as are in flight: O piece by piece of each.
  struct Loaded {
    Values lses, outputs;
  };
  /// Of a row: the sum of weights, and of weighted O piece by piece.
  struct Sums {
    Value weights;
    Values outputs;
  };
  Sums noSums() {
    return {b.f32(0), Values(pieces.size(), b.splat(columns, 0))};
  }
  Value greatestOfLane(const Chunks &chunks);
  Value overLanes(Value own, int64_t begin,
                  function_ref<Value(Value, Value)> combine);
  Value greatestOfAll(Value own, Value other);
  Value lseOfChunk(const Chunks &chunks, Value chunk);
  Value chunkOfLane(Value first, int64_t ofTeam);
  Value lseOfBlock(const Chunks &chunks, Value first, int64_t ofTeam);
  Values spread(const Chunks &chunks, Value first, Value &lse, int64_t ofTeam);
  Values outputsFrom(const Chunks &chunks, Value first, ArrayRef<Value> lses);
  Value firstChunk();
  void addBlock(const Loaded &block, Value shift, Sums &sums);
  Sums addFew(const Chunks &chunks, int64_t count, Value &most);
  Sums addAtOnce(const Chunks &chunks, int64_t ofTeam, Value &most,
                 function_ref<void()> meanwhile);
  Sums addBlocks(const Chunks &chunks, Value &most,
                 function_ref<void()> meanwhile);
  void keepOrder();
  Sums addTeams(const Sums &own);
  void combineChunks(const Chunks &chunks, function_ref<Place()> placeOf,
                     Way way);
  void choosePieces();
  Value ownColumns();
  Values loadRow(Value isThere, Value address);
  Value widen(Value loaded);
  Value minuend(Value most);
  Value weightOf(Value lse, Value shift);
  void add(Value weight, ArrayRef<Value> o, Sums &sums);
  void finish(const Place &place, Value shift, Sums sums, Value factor);
  Value outputFactor();

  CombineOp op;
  LaneBuilder b;
  ProblemAttr problem;
  int64_t lanes;
  int64_t inFlight; ///< chunks of a team; a wave has a lane for each of all
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
  Value zeros;          ///< address of as many bytes as loads of a lane span
};

} // namespace mlir::fmha

#endif // FMHA_LOWER_COMBINELOWERING_H
