// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Rows of chunks, each a result over some keys: CombineChunks.cpp adds them.
#ifndef FMHA_LOWER_COMBINECHUNKS_H
#define FMHA_LOWER_COMBINECHUNKS_H

#include "lower/ResultRows.h"

namespace mlir::fmha {

/// Whoever uses it says which rows a workgroup takes, and how many chunks they
/// have.
class CombineChunks : protected ResultRows {
protected:
  /// Where a row of O goes, its first column, and its LSE; i64.
  struct Target {
    Value o, lse;
    Type element; ///< of O
    Value factor; ///< of it, or null
  };

  /// Of chunks that are f32, `areParts`, or results of the caller's.
  CombineChunks(Operation *op, ProblemAttr problem, int64_t lanes,
                bool areParts)
      : ResultRows(op, problem, lanes, areParts),
        inFlight(std::min(kMostInFlight, lanes)) {}

  /// Most chunks of rows that a wave has side by side, and half of that, for
  /// fewer; most of a team that are loaded at once; those of a team whose O is
  /// loaded while as many before them are added; and those whose LSE a lane
  /// loads at once in search of the greatest.
  static constexpr int64_t kFew = 8, kFewer = 4, kMostAtOnce = 16,
                           kMostInFlight = 8, kLooks = 2;

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
  Sums addTeams(const Sums &own);
  void combineChunks(const Chunks &chunks, function_ref<Place()> placeOf,
                     Way way);
  void placeZeros();
  void forEach(Value first, Value past, Value step,
               function_ref<void(Value)> body);
  void forEachRow(Value rows, Value first, Value step,
                  function_ref<void(Value)> combine);
  void finish(const Target &target, Value shift, const Sums &sums);
  Place placeOf(Value number, Value rows, Value firstHead, Value firstRow,
                Value batch);
  void add(Value weight, ArrayRef<Value> o, Sums &sums);
  Target resultAt(const Place &place);

  int64_t inFlight; ///< chunks of a team; a wave has a lane for each of all
  Value zeros;      ///< address of as many bytes as loads of a lane span
};

} // namespace mlir::fmha

#endif // FMHA_LOWER_COMBINECHUNKS_H
