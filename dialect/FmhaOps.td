// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FMHA_OPS_TD
#define FMHA_OPS_TD

include "FmhaInterfaces.td"
include "FmhaTypes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"

class Fmha_Op<string mnemonic, list<Trait> traits = []>
    : Op<Fmha_Dialect, mnemonic, traits>;

// Registers get what memory has.
def Fmha_LoadsMemory : TraitList<[
    DeclareOpInterfaceMethods<Fmha_VectorMemoryInterface>,
    MemoryEffects<[MemRead<Fmha_GlobalMemory>, MemWrite<Fmha_Sync>]>]>;
def Fmha_StoresMemory : TraitList<[
    DeclareOpInterfaceMethods<Fmha_VectorMemoryInterface>,
    MemoryEffects<[MemWrite<Fmha_GlobalMemory>, MemWrite<Fmha_Sync>]>]>;

// A step that only computes; one with a verifier of its own.
class Fmha_PureOp<string mnemonic, list<Trait> traits = []>
    : Fmha_Op<mnemonic, !listconcat([Pure], traits)>;
class Fmha_VerifiedOp<string mnemonic, list<Trait> traits = []> : Fmha_PureOp<mnemonic, traits> {
  let hasVerifier = 1;
}

def Fmha_StagedAttr : ConfinedAttr<Fmha_OperandAttr, [AttrConstraint<
    CPred<"::mlir::fmha::lookupStaged(::llvm::cast<::mlir::fmha::OperandAttr>($_self).getValue())">,
    "whose tiles go through LDS">]>;

// An operand that need not be there, of the type of another value.
class Fmha_TypeOf<string optional, string other>
    : OptionalTypesMatchWith<optional # " is of the type of " # other, other, optional, "$_self">;
// What earlier parts gave of a result.
class Fmha_GoesOn<string result> : TraitList<[
    Fmha_TypeOf<"partial", result>,
    PredOpTrait<"partial comes with a part", CPred<"!getPartial() || getPartAttr()">>]>;

// One value for all rows, or one for each: a type follows in the text.
def Fmha_Factor : AnyTypeOf<[F32, Fmha_F32Rows]>;

//===- Problem rung -------------------------------------------------------===//

def Fmha_ScheduleOp : Fmha_Op<"schedule", [Symbol]> {
  let summary = "a named schedule: one that is written out, or another with changes";
  let description = [{
    Example: `fmha.schedule @generic = #fmha.schedule<tile_m = 128, …>`,
    `fmha.schedule @mine = @generic with <tile_n = 32>`. The base, and a recipe that the
    schedule refers to, are of the module or built in.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    OptionalAttr<Fmha_ScheduleAttr>:$value,
    OptionalAttr<FlatSymbolRefAttr>:$base,
    OptionalAttr<Fmha_ChangesAttr>:$changes);
  let assemblyFormat = [{
    $sym_name `=` custom<BaseOrValue>($base, $value) (`with` $changes^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Fmha_RecipeOp : Fmha_Op<"recipe", [Symbol]> {
  let summary = "a named recipe, which schedules refer to";
  let description = [{
    Example: `fmha.recipe @mine = #fmha.recipe<@scores [12 x [mfma 1, trans 2]]>`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Fmha_RecipeAttr:$value);
  let assemblyFormat = "$sym_name `=` $value attr-dict";
}

def Fmha_AttentionOp : Fmha_Op<"attention", [Symbol]> {
  let summary = "a whole attention problem";
  let description = [{
    O = softmax(mask(scale * Q K^T)) V, per batch and head. The schedule is
    attached by `fmha-select-schedule` or by the user. A module holds one for each
    kernel: `when` says for which sizes it is this one, as in `#fmha.launch`.

    Example: `fmha.attention @attn problem(#fmha.problem<…>)`
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    Fmha_ProblemAttr:$problem,
    OptionalAttr<Fmha_ScheduleAttr>:$schedule,
    OptionalAttr<StrAttr>:$when);
  let assemblyFormat = [{
    $sym_name `problem` `(` $problem `)` (`schedule` `(` $schedule^ `)`)?
    (`when` $when^)? attr-dict
  }];
}

def Fmha_CombineOp : Fmha_Op<"combine", [
    Symbol, IsolatedFromAbove, SingleBlock, NoTerminator, Fmha_EntryInterface]> {
  let summary = "results of a problem over some keys each become those over all";
  let description = [{
    With M the greatest LSE of a row and w = exp(LSE - M), O is the sum of w O over the sum
    of w, in an order that follows from their number, and LSE is M + ln of the latter sum.
    An O whose LSE is -inf is not read. `parts`: f32 results over parts of the keys, for which a list
    in memory has records; the sink of the problem is one more term, and O takes its
    factor. `results`: O and LSE, and others of their types, take the place of the first.

    From the rung `tiles` on, `lanes` next to each other have a row, each so many of its
    columns, and a workgroup has `waves`. The body is empty until it is lowered.

    Example: `fmha.combine @sum parts problem(#fmha.problem<…>)`, `fmha.combine @sum
    parts problem(#fmha.problem<…>) lanes 16 waves 4 launch(#fmha.launch<…>)`
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    Fmha_CombineSourceAttr:$source,
    Fmha_ProblemAttr:$problem,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$lanes,
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$waves,
    OptionalAttr<Fmha_LaunchAttr>:$launch);
  let regions = (region MaxSizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `` $source `problem` `(` $problem `)` (`lanes` $lanes^)? (`waves` $waves^)?
    (`launch` `(` $launch^ `)`)? attr-dict-with-keyword ($body^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Columns of a row that a lane has: as many as one access moves of 16 bits.
    static constexpr int64_t kColumnsOfLane = kVectorAccessBytes / 2;
    /// What a lane of parts has under way takes less than half of the registers.
    static constexpr int64_t kWavesOfSimd = 2;
    int64_t waveCount() { return getWaves().value_or(0); }
    int64_t wavesOfSimd() { return kWavesOfSimd; }
    bool packsMath() { return true; }
    bool savesRegisters() { return false; }
  }];
}

//===- Kernel -------------------------------------------------------------===//

def Fmha_KernelOp : Fmha_Op<"kernel",
    [Symbol, IsolatedFromAbove, SingleBlock, NoTerminator, Fmha_EntryInterface]> {
  let summary = "one attention kernel, for one workgroup";
  let description = [{
    The body has LDS buffers and one `fmha.work`; without that it is one work item, of the
    workgroup's place in the grid.
    Becomes an `llvm.func` with the calling convention of a kernel. `few_registers` asks
    for the order of instructions with the fewest live registers. The function keeps
    `launch` as its attribute `fmha.launch`.
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    Fmha_ProblemAttr:$problem,
    Fmha_ScheduleAttr:$schedule,
    OptionalAttr<Fmha_LaunchAttr>:$launch,
    UnitAttr:$few_registers);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `problem` `(` $problem `)` `schedule` `(` $schedule `)`
    (`launch` `(` $launch^ `)`)? (`few_registers` $few_registers^)?
    attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    /// Null in a kernel that is one work item.
    ::mlir::fmha::WorkOp getWork();
    /// What a workgroup does for one work item.
    ::mlir::Block *getItemBlock();
    int64_t waveCount() { return getSchedule().getWaves(); }
    int64_t wavesOfSimd() { return getSchedule().getWavesPerSimd(); }
    bool packsMath() { return getSchedule().getPacked() != PackedMath::Off; }
    bool savesRegisters() { return getFewRegisters(); }
  }];
}

def Fmha_WorkOp : Fmha_Op<"work", [
    SingleBlock, NoTerminator, RecursiveMemoryEffects, ParentOneOf<["KernelOp"]>]> {
  let summary = "what a workgroup does from loading the rows of a work item to storing them";
  let description = [{
    The arguments are the item's place: its first row of Q, its head and its batch; with
    `parts` of the problem also the first key, the end of its keys, and the row of the parts
    in memory where its results go, or -1 if it has all keys. Once for each item that the
    workgroup has, as `form` says; nothing is kept from one to the next.

    Example: `fmha.work grid (%row, %head, %batch) { … }`
  }];
  let arguments = (ins Fmha_WorkFormAttr:$form);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getRow() { return getBody().getArgument(0); }
    ::mlir::Value getHead() { return getBody().getArgument(1); }
    ::mlir::Value getBatch() { return getBody().getArgument(2); }
    ::mlir::Value getFirstKey() { return getBody().getArgument(3); }
    ::mlir::Value getEndKey() { return getBody().getArgument(4); }
    ::mlir::Value getPart() { return getBody().getArgument(5); }
    /// Whether a workgroup may have several items, one after the other.
    bool repeats() { return getForm() != ::mlir::fmha::WorkForm::Grid; }
  }];
}

def Fmha_FindItemOp : Fmha_Op<"find_item"> {
  let summary = "where an item of the workgroup's run is";
  let description = [{
    Of work of the form `runs`: the first item, or the one after another, of which it takes
    the batch, the row, the head, and what is known of the run. All words are the same in all
    lanes; `work_find.h` has their order. Becomes a call of a function that the compiler
    puts in line.
  }];
  let arguments = (ins Variadic<I32>:$after);
  let results = (outs Variadic<I32>:$words);
  let assemblyFormat = "(`after` $after^)? attr-dict `:` qualified(type($words))";
}

def Fmha_FindPartsOp : Fmha_Op<"find_parts"> {
  let summary = "the parts of a unit of work, and which of them an item is";
  let description = [{
    Of work of the form `runs`, and an item that is a part of its unit, which is given as
    to `fmha.find_item`: how many parts there are, which of them the item is, and
    where they lie; `work_find.h` has their order. As of `fmha.find_item` a function call comes of it.
  }];
  let arguments = (ins Variadic<I32>:$item);
  let results = (outs Variadic<I32>:$words);
  let assemblyFormat = "`of` $item attr-dict `:` qualified(type($words))";
}

def Fmha_JoinPartsOp : Fmha_Op<"join_parts"> {
  let summary = "combines the parts of a unit, if all of them are there";
  let description = [{
    After the stores of an item that is part `own` of `count` of its unit, 2 or more: rows
    `row` to `row` + `rows` of a batch and a head, as tiles count them. In memory part n has the tile
    of rows `tile` + n of the parts. The last workgroup to come here combines them;
    of more than a few parts, those of a few neighbours become one first.
    `isLater` is 0 if the workgroup has stored nothing before but this item's parts.
    All operands are the same in all lanes of a wave, and but for `wave`, its number, in
    all of the workgroup.
  }];
  let arguments = (ins I32:$wave, I32:$count, I32:$own, I32:$tile, I32:$rows, I32:$isLater, I32:$row,
                       I32:$head, I32:$batch);
  let assemblyFormat = [{
    $own `of` $count `in` $tile `rows` $rows `of` `(` $row `,` $head `,` $batch `)`
    `later` $isLater `wave` $wave attr-dict
  }];
}

def Fmha_IdOp : Fmha_Op<"id", [Pure]> {
  let summary = "a coordinate of the executing lane, wave or workgroup";
  let description = [{
    `lane` is 0..63 and the only one that differs within a wave; `wave` counts in
    the workgroup; `q_tile`, `head`, `batch` are the workgroup's place in the grid, and
    stand in a kernel without `fmha.work`.
  }];
  let arguments = (ins Fmha_IdAttr:$kind);
  let results = (outs I32:$value);
  let assemblyFormat = "`` $kind attr-dict `:` qualified(type($value))";
}

def Fmha_ArgOp : Fmha_Op<"arg", [Pure]> {
  let summary = "a field of the kernel-argument block";
  let arguments = (ins Fmha_ArgAttr:$field);
  let results = (outs AnyTypeOf<[I32, I64, F32]>:$value);
  let assemblyFormat = "`` $field attr-dict `:` qualified(type($value))";
  let hasVerifier = 1;
}

def Fmha_SeqLenOp : Fmha_Op<"seq_len", [Pure]> {
  let summary = "rows of the workgroup's sequence: Sq, or Sk";
  let arguments = (ins Fmha_SequenceAttr:$sequence);
  let results = (outs I32:$rows);
  let assemblyFormat = "`` $sequence attr-dict `:` qualified(type($rows))";
}

def Fmha_SeqStartOp : Fmha_Op<"seq_start", [Pure]> {
  let summary = "row of a packed tensor at which the workgroup's sequence begins";
  let arguments = (ins Fmha_SequenceAttr:$sequence);
  let results = (outs I64:$row);
  let assemblyFormat = "`` $sequence attr-dict `:` qualified(type($row))";
}

def Fmha_LoadUniformOp : Fmha_Op<"load_uniform", [Pure]> {
  let summary = "four bytes of an array argument, the same in every lane";
  let description = [{
    The array is not written while the kernel runs. Becomes a scalar load.
  }];
  let arguments = (ins Fmha_ArgAttr:$array, I64:$offset_bytes);
  let results = (outs AnyTypeOf<[I32, F32]>:$value);
  let assemblyFormat = "$array `at` $offset_bytes attr-dict `:` qualified(type($value))";
}

def Fmha_ViewOp : Fmha_Op<"view", [Pure]> {
  let summary = "the slice of a tensor that belongs to the workgroup's batch and head";
  let description = [{
    Becomes a buffer descriptor whose extent ends with the last element of the
    slice's last row: loads past it give zero, stores past it are dropped. `from` says
    which column of the tensor is the first.
  }];
  let arguments = (ins Fmha_OperandAttr:$operand,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$first_col);
  let results = (outs Fmha_ViewType:$view);
  let assemblyFormat = "`` $operand (`from` $first_col^)? attr-dict `:` qualified(type($view))";
}

include "FmhaStepOps.td"

//===- Loop ---------------------------------------------------------------===//

// What passes from one round of the loop to the next, or out of a stage.
def Fmha_Carried : AnyTypeOf<[Fmha_TileType, Fmha_TokenType, I1, I32, F32]>;

def Fmha_KvLoopOp : Fmha_Op<"kv_loop", [
    SingleBlock, RecursiveMemoryEffects, LoopLikeOpInterface]> {
  let summary = "the loop over key tiles";
  let description = [{
    Runs its body for tile indices `lower` to `upper` (exclusive), `step` tiles a
    time, with loop-carried tiles, tokens of loads, conditions and numbers.
  }];
  let arguments = (ins I32:$lower, I32:$upper, Variadic<Fmha_Carried>:$init_args,
                       DefaultValuedAttr<I32Attr, "1">:$step);
  let results = (outs Variadic<Fmha_Carried>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::Value getIndex() { return getBody().getArgument(0); }
    ::mlir::Block *getBodyBlock() { return &getBody().front(); }

    using Bounds = std::optional<::llvm::SmallVector<::mlir::OpFoldResult>>;
    ::llvm::SmallVector<::mlir::Region *> getLoopRegions() { return {&getBody()}; }
    std::optional<::llvm::SmallVector<::mlir::Value>> getLoopInductionVars() {
      return {{getIndex()}};
    }
    Bounds getLoopLowerBounds() { return {{getLower()}}; }
    Bounds getLoopUpperBounds() { return {{getUpper()}}; }
    Bounds getLoopSteps() { return {{getStepAttr()}}; }
    ::llvm::MutableArrayRef<::mlir::OpOperand> getInitsMutable() { return getInitArgsMutable(); }
    ::mlir::Block::BlockArgListType getRegionIterArgs() {
      return getBody().getArguments().drop_front();
    }
    std::optional<::llvm::MutableArrayRef<::mlir::OpOperand>> getYieldedValuesMutable() {
      return getBodyBlock()->getTerminator()->getOpOperands();
    }
    std::optional<::mlir::ResultRange> getLoopResults() { return getResults(); }
  }];
}

def Fmha_YieldOp : Fmha_Op<"yield",
    [Pure, Terminator, ReturnLike,
     ParentOneOf<["KvLoopOp", "ScoreModOp", "StageOp"]>]> {
  let summary = "next values of the loop-carried tiles, the score to use, or what leaves a stage";
  let arguments = (ins Variadic<AnyTypeOf<[Fmha_Carried, F32]>>:$values);
  let assemblyFormat = "($values^ `:` qualified(type($values)))? attr-dict";
}

//===- Pipelined rung -----------------------------------------------------===//

def Fmha_StageOp : Fmha_Op<"stage", [SingleBlock, RecursiveMemoryEffects]> {
  let summary = "what a pipeline does between two barriers";
  let description = [{
    A stage of the schedule's pipeline, for the tiles that it handles here. What it
    computes and others use leaves by `fmha.yield`.

        %k = fmha.stage @scores_in memory {
          %t = fmha.copy v …
          %0 = fmha.read k …
          fmha.yield %0 : !fmha.tile<…>
        } : !fmha.tile<…>
  }];
  let arguments = (ins FlatSymbolRefAttr:$stage,
                       Fmha_StageKindAttr:$kind);
  let results = (outs Variadic<Fmha_Carried>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $stage `` $kind $body attr-dict (`:` qualified(type($results))^)?
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    bool readsLds();
    /// Whether it has LDS accesses that are waited for at its end: reads, and
    /// writes of what was in registers. Loads direct to LDS have a count of
    /// their own.
    bool waitsForLds();
  }];
}

//===- Synced rung --------------------------------------------------------===//

// Waits, barriers, priorities and recipes are upstream's: amdgpu.memory_counter_wait,
// rocdl.s.barrier, s.setprio, s.nop, sched.group.barrier.

def Fmha_StaggerOp : Fmha_Op<"stagger", [
    MemoryEffects<[MemRead<Fmha_Sync>, MemWrite<Fmha_Sync>]>]> {
  let summary = "one wave group goes through barriers that the other does not";
  let description = [{
    Opens a distance of `barriers` between the wave groups, or closes it.
  }];
  let arguments = (ins Fmha_WaveGroupAttr:$group,
                       ConfinedAttr<I32Attr, [IntPositive]>:$barriers);
  let assemblyFormat = "`` $group `barriers` $barriers attr-dict";
}

def Fmha_AnchorOp : Fmha_Op<"anchor", [MemoryEffects<[MemWrite<Fmha_Sync>]>]> {
  let summary = "values that are computed here and not where they are used";
  let description = [{
    LLVM moves arithmetic, and loads of what does not change, into the block that uses it,
    over barriers and branches. Integers and scalars are the same in all lanes.
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Fmha_TileType, I32, F32]>>:$values);
  let assemblyFormat = "$values attr-dict `:` qualified(type($values))";
}

def Fmha_WallOp : Fmha_Op<"wall", [MemoryEffects<[MemRead<Fmha_Sync>, MemWrite<Fmha_Sync>]>]> {
  let summary = "instructions stay on their side";
  let description = [{ The wall in front of a stage's steps names the stage. }];
  let arguments = (ins OptionalAttr<FlatSymbolRefAttr>:$stage);
  let assemblyFormat = "($stage^)? attr-dict";
}

def Fmha_NoTokenOp : Fmha_Op<"no_token", [Pure]> {
  let summary = "stands for a load that was expanded, where its token is still passed on";
  let results = (outs Fmha_TokenType:$token);
  let assemblyFormat = "attr-dict";
}

//===- Between tiles and vectors ------------------------------------------===//

def Fmha_ToLanesOp : Fmha_VerifiedOp<"to_lanes"> {
  let summary = "the present fragments that one lane holds of a tile, in register order";
  let arguments = (ins Fmha_TileType:$tile);
  let results = (outs Variadic<AnyVectorOfNonZeroRank>:$lanes);
  let assemblyFormat = "$tile attr-dict `:` qualified(type($tile)) `->` qualified(type($lanes))";
  let hasFolder = 1;
}

def Fmha_FromLanesOp : Fmha_VerifiedOp<"from_lanes"> {
  let summary = "a tile out of the fragments that each lane holds";
  let arguments = (ins Variadic<AnyVectorOfNonZeroRank>:$lanes);
  let results = (outs Fmha_TileType:$tile);
  let assemblyFormat = "$lanes attr-dict `:` qualified(type($lanes)) `->` qualified(type($tile))";
}

#endif // FMHA_OPS_TD
