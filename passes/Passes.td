// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FMHA_PASSES_TD
#define FMHA_PASSES_TD

include "mlir/Pass/PassBase.td"

// Any may make ops of the rungs below it.
class FmhaPass<string passName, string passSummary, string target = "::mlir::fmha::KernelOp">
    : PassBase<passName, "::mlir::fmha::PassOn<" # target # ">"> {
  let summary = passSummary;
  let dependentDialects = [
    "::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect", "::mlir::LLVM::LLVMDialect",
    "::mlir::math::MathDialect", "::mlir::ROCDL::ROCDLDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

class RungOption<string fallback, string doc>
    : Option<"rung", "rung", "::mlir::fmha::Rung", fallback, doc,
             [{::llvm::cl::values(clEnumValN(::mlir::fmha::Rung::Problem, "problem", ""),
               clEnumValN(::mlir::fmha::Rung::Tiles, "tiles", ""),
               clEnumValN(::mlir::fmha::Rung::Layouts, "layouts", ""),
               clEnumValN(::mlir::fmha::Rung::Pipelined, "pipelined", ""),
               clEnumValN(::mlir::fmha::Rung::Synced, "synced", ""),
               clEnumValN(::mlir::fmha::Rung::Amdgpu, "amdgpu", ""),
               clEnumValN(::mlir::fmha::Rung::Rocdl, "rocdl", ""))}]>;

// On the module: there is no kernel yet.
def SelectSchedulePass : FmhaPass<"fmha-select-schedule",
    "attach a schedule to each attention problem", "::mlir::ModuleOp"> {
  let description = [{
    Requires: `fmha.attention`.
    Ensures: each has a schedule: its own if it came with one, or the built-in that
    `schedule` names for it, in the order of the problems; one name is for all. Its
    stages have their recipe, and no recipe stands beside them. Which one that should
    be is the caller's business.
    Remarks: a schedule that came with the problem is kept.
  }];
  let options = [
    ListOption<"schedule", "schedule", "std::string",
               "names of built-in schedules">
  ];
}

// On the module: it puts kernels in the place of problems and functions of scores.
def TileAttentionPass : FmhaPass<"fmha-tile-attention",
    "expand an attention problem into the KV loop of steps", "::mlir::ModuleOp"> {
  let description = [{
    Requires: `fmha.attention` with a schedule.
    Ensures: a `fmha.kernel` whose loop holds each step of the schedule's pipeline once; the
    loop visits the key tiles that some row of the workgroup sees, and no other.
    Remarks: `scale = q` where something else takes scores times the scale.
  }];
}

def TileCombinePass : FmhaPass<"fmha-tile-combine",
    "decide which lanes and workgroups combine which rows", "::mlir::fmha::CombineOp"> {
  let description = [{
    Requires: `fmha.combine`.
    Ensures: it has lanes of a row, waves and a launch; one that came with them keeps
    them.
  }];
}

def AssignLaneLayoutsPass : FmhaPass<"fmha-assign-lane-layouts",
    "decide which lane and register holds each element of each tile"> {
  let description = [{
    Requires: steps on bare tiles.
    Ensures: every tile type has a lane layout; S lies transposed, so that a lane
    owns one row; V's fragments follow the key order of P's slots, so that P is an
    operand where it lies.
  }];
}

def PlanLdsPass : FmhaPass<"fmha-plan-lds",
    "lay out K and V in LDS and split their loads into copy and read"> {
  let description = [{
    Requires: lane layouts.
    Ensures: each `fmha.load` is an asynchronous copy into an LDS buffer, where
    the load was, and a read before the first use; buffers have byte ranges that
    do not overlap and fit the workgroup. `fmha.merge_waves` is a `share` and a `gather`, or,
    where the bytes of the buffers are too few for all of O, one after the other. Of each family of layouts that the
    schedule leaves to choose from (identity, padded, permuted, xor) candidates are
    compared that direct-to-LDS loads can write: fewest bank conflicts of reads, then
    fewest cycles of the vector cache, address registers, and bytes. Lanes move 16
    bytes, or 4 where the tile has fewer such lines than there are waves: no two waves copy the same bytes. A
    tile that has too few even so is refused, one that has no candidate of
    the family asked for, and, before any is looked for, one that LDS cannot hold.
    Remarks: the layout of each operand, what it costs, and by what it comes before
    the next family.
  }];
}

def SoftwarePipelinePass : FmhaPass<"fmha-software-pipeline",
    "overlap tiles: prologue, steady loop of stages, epilogue"> {
  let description = [{
    Requires: LDS buffers; a KV loop with the steps of the schedule's pipeline.
    Ensures: stages as regions, each with the steps
    that the schedule gives it, before, in and after a loop over as many tiles a
    round as the schedule says. Any number of tiles; where some stand before or after the
    loop, at least one is handled; tiles
    missing to a whole round are masked. Loads of tiles past the end load the
    last again, so that every round issues the same. Tiles take turns in the
    buffers. A schedule that puts a step before what it needs is refused.
  }];
}

def WaveStaggerPass : FmhaPass<"fmha-wave-stagger",
    "barriers between stages, and the distance between the wave groups"> {
  let description = [{
    Requires: stages as regions.
    Ensures: a barrier after each stage, after what waves share, and after what they gather if
    something else comes to the same place; with a stagger, the second wave group goes through
    so many more before
    the first stage that reads LDS, and the first group after the last stage, so
    that both end with the same count. Priorities and idle slots where the schedule asks
    for them.
    Remarks: a kernel without stages is left alone.
  }];
}

def InsertSchedGroupsPass : FmhaPass<"fmha-insert-sched-groups",
    "recipes for the order of instructions, and anchors"> {
  let description = [{
    Requires: stages as regions.
    Ensures: the recipe of each stage after its steps, as far as the stage has
    instructions for it; anchors: on the numbers of pages, and on what it
    computes where the schedule asks for one.
    Remarks: a recipe that asks for more of a class than the stage contains.
  }];
}

def InlineStagesPass : FmhaPass<"fmha-inline-stages",
    "stages become what is in them, between walls"> {
  let description = [{
    Requires: waits, barriers and recipes are in place.
    Ensures: no `fmha.stage`; the wall in front of what it held names its stage.
  }];
}

def InsertWaitsPass : FmhaPass<"fmha-insert-waits",
    "make LDS traffic of the loop safe with waits and barriers"> {
  let description = [{
    Requires: LDS buffers; stages with barriers between them.
    Ensures: before a read, the wave has waited for its own share of the copy and a
    barrier has made the others' visible; before a copy overwrites a buffer, every
    wave's reads have delivered. What was issued later stays in flight, as far as
    every round allows: the first ones have fewer copies to leave in flight. Where a
    workgroup may have several work items (`fmha.work` of form `list` or `queue`), the last
    end of a stage waits for the last copy, too, whether it is read or not: the next item
    copies to the same places.
    Remarks: a read that has no place for a wait between it and its copy; the proof
    of the rung refuses what comes of it. A stage that waits only because of the next item.
  }];
}

// On the module: at three of the rungs there is no kernel, yet or any more.
def VerifyRungPass : FmhaPass<"fmha-verify-rung",
    "prove what the rung just reached promises", "::mlir::ModuleOp"> {
  let description = [{
    Requires: nothing.
    Ensures: an error unless the IR keeps the promises of `rung` (problem, tiles,
    layouts, pipelined, synced, amdgpu, rocdl). Changes nothing. At `synced`, where a
    workgroup may have several work items, two of them are walked, one after the other:
    the second meets what the first has left in LDS and in flight.
  }];
  let options = [RungOption<"::mlir::fmha::Rung::Problem", "the rung reached">];
}

// On the module: lines are those of the whole text.
def NumberLinesPass : FmhaPass<"fmha-number-lines",
    "give each op the line at which the printed module has it", "::mlir::ModuleOp"> {
  let description = [{
    Requires: nothing.
    Ensures: the location of an op in a kernel is a line of `KERNEL.RUNG.mlir`, KERNEL
    being the first of the module, which prints so now, in a file that nobody writes: `fmhac compile
    --emit=RUNG` prints it. The location of a step, an op on tiles or LDS buffers, and of
    ops in its region, is a call site: the line, under the name of the step, called
    from the line of the step. What passes make of
    an op later keeps its location.
  }];
  let options = [RungOption<"::mlir::fmha::Rung::Synced",
                            "the rung that the module stands at">];
}

def LowerMaskPass : FmhaPass<"fmha-lower-mask",
    "expand key_limit, key_first and mask on the lanes"> {
  let description = [{
    Requires: lane layouts.
    Ensures: no `fmha.key_limit`, `key_first`, `mask`. The test of elements stands
    under a branch that is uniform in the wave.
  }];
}

def LowerScoreModPass : FmhaPass<"fmha-lower-score-mod", "expand functions of scores"> {
  let description = [{
    Requires: lane layouts.
    Ensures: no `fmha.score_mod`: its body stands once for each score of a lane.
    A kernel with more comparisons than scalar registers can hold
    carries `few_registers`, and a remark says so. Where K's rows have factors
    and the body has a tanh, keys of later scores wait for earlier scores.
  }];
}

def LowerExchangePass : FmhaPass<"fmha-lower-exchange",
    "expand what waves exchange through LDS"> {
  let description = [{
    Requires: lane layouts; the LDS of the buffers as one range.
    Ensures: no `fmha.share`, no `fmha.gather`: each lane leaves what it has for the same
    lane of other waves, and adds what these left in the order of the waves. The
    range of LDS is as long as the longest of the exchange and the buffers.
  }];
}

def LowerLogSumPass : FmhaPass<"fmha-lower-log-sum", "expand log-sum and sink"> {
  let description = [{
    Requires: lane layouts.
    Ensures: no `fmha.log_sum`, no `fmha.add_sink`.
  }];
}

def LowerRowsPass : FmhaPass<"fmha-lower-rows",
    "expand on the lanes what is done to whole rows"> {
  let description = [{
    Requires: lane layouts.
    Ensures: no `fmha.init`, `apply_sign`, `scale_rows`, `magnitude`, `scale_scores`,
    `rescale`, `follow`, `normalize`.
  }];
}

def LowerQuantizePass : FmhaPass<"fmha-lower-quantize",
    "expand on the lanes what rounds rows of Q to 8 bits"> {
  let description = [{
    Requires: lane layouts in which a row lies in one lane, or in lanes that differ in
    bits 4 and 5 only.
    Ensures: no `fmha.row_exponents`, `quantize`.
  }];
}

def LowerSoftmaxPass : FmhaPass<"fmha-lower-softmax",
    "expand the steps of the softmax on the lanes"> {
  let description = [{
    Requires: lane layouts in which a row lies in one lane, or in lanes that differ
    in bits 4 and 5 only.
    Ensures: no `fmha.scale_q`, `no_max`, `row_max`, `rebase`, `subtract`, `exp`,
    `row_sum`, `combine_rows`, `move_rows`, `convert`, `rescale_if`.
  }];
}

def MatrixToAmdgpuPass : FmhaPass<"fmha-matrix-to-amdgpu",
    "expand products and sums of weights into matrix instructions"> {
  let description = [{
    Requires: lane layouts.
    Ensures: no `fmha.product`, `matrix_sum`. Which fragments meet follows from
    their layouts alone.
  }];
}

def MemoryToRocdlPass : FmhaPass<"fmha-memory-to-rocdl", "expand loads and LDS reads"> {
  let description = [{
    Requires: LDS buffers with layouts.
    Ensures: no load, read, `add_bias`, `scale_keys`, `fold_keys`, view that only these took, `ring_slot` or
    buffer is left; one `fmha.lds_base`. Each buffer is an alias scope, and so are reads
    from the slots of a ring, which no copy aliases: LLVM adds no waits for copies
    that a read does not meet. Vector loads and copies tell the caches what `cache` of
    the schedule says of their operand.
    Remarks: of `cache`, bits that a load cannot have, and operands that no vector
    instruction loads.
  }];
}

def PinOrderPass : FmhaPass<"fmha-pin-order",
    "put the instructions of stages in the order of their recipes, for good"> {
  let description = [{
    Requires: the steps that recipes are about are expanded; walls round each stage's.
    Ensures: with `instructions = pinned`, instructions between two walls stand in the order
    of the recipe between them, with a wall of LLVM's schedulers after each; no
    `rocdl.sched.group.barrier` is left. A group takes instructions whose operands are there,
    in the order in which they stood; those that it finds too few of, and those that
    no group asks for, stand after the recipe.
    Remarks: of each stage in the loop, the first group of its recipe that found too few.
  }];
}

def StoresToRocdlPass : FmhaPass<"fmha-stores-to-rocdl", "expand stores of O and LSE"> {
  let description = [{
    Requires: lane layouts.
    Ensures: no `fmha.store_o`, no `fmha.store_lse`. Rows and columns that a tensor
    has not are dropped by the range check. Stores tell the caches what `cache` of the
    schedule says of their operand.
    Remarks: operands of `cache` that the kernel does not store.
  }];
}

def LowerSequencesPass : FmhaPass<"fmha-lower-sequences",
    "expand lengths and starts of sequences, and loads of array arguments"> {
  let description = [{
    Requires: no op that asks for a length comes later.
    Ensures: no `fmha.seq_len`, `fmha.seq_start`, `fmha.load_uniform`. Lengths come
    from the arguments, from lengths or from cumulative lengths in memory, as the
    problem says, read once at the start of the kernel.
  }];
}

def PlaceWorkgroupsPass : FmhaPass<"fmha-place-workgroups",
    "which tile of Q, head and batch a workgroup of the grid takes"> {
  let description = [{
    Requires: no op that asks for tile, head or batch comes later.
    Ensures: no `fmha.work` of form `grid`, whose ops stand in its place, and in a kernel
    without `fmha.work` no `fmha.id` of `q_tile`, `head`, `batch`. Row, head and batch are
    computed from the workgroup's place in the grid in the order that the schedule asks
    for, once at the start of the kernel, alike in all lanes. Each is taken by one
    workgroup, whatever the size of the grid. A kernel whose work items are in memory
    stays as it is.
    Remarks: `longest_first` for a mask that gives the tiles no order.
  }];
}

def WalkWorkPass : FmhaPass<"fmha-walk-work",
    "the loops over the work items of a list"> {
  let description = [{
    Requires: no op that asks for row, head or batch comes later; with a queue, that the
    waves of a workgroup meet in a barrier after their last access to LDS in an item.
    Ensures: no `fmha.work` of form `list` or `queue`: a loop over the records of a list,
    and in it one over the heads of a record. Nothing that an item computes is kept to the
    next. With a queue a loop over the lists that the workgroup takes stands around them:
    the next list's number is fetched before the stores of the last item.
  }];
}

def LowerCombinePass : FmhaPass<"fmha-lower-combine",
    "write out what a workgroup does that combines results", "::mlir::fmha::CombineOp"> {
  let description = [{
    Requires: lanes, waves and the launch that goes with them.
    Ensures: the op has a body, of hardware operations, arguments, and ids of lane and wave.
    The order of a row's sums follows from the number of its chunks, whatever workgroup
    has it. Of a chunk whose LSE is -inf no O is read.
  }];
}

def LowerJoinPass : FmhaPass<"fmha-lower-join",
    "write out how the last of the workgroups that share a unit combines its parts"> {
  let description = [{
    Requires: the stores of parts expanded; hardware operations around it.
    Ensures: no `fmha.join_parts`. What it has are hardware operations, and arguments and
    ids that are made anew in it. The order of a row's sums follows from the number of its parts
    alone. It counts on stores of parts that go past L2 (`stores-to-rocdl`).
  }];
}

def SyncToRocdlPass : FmhaPass<"fmha-sync-to-rocdl", "expand waits and barriers"> {
  let description = [{
    Requires: nothing; runs once.
    Ensures: no `fmha.stagger`, `fmha.anchor`, `fmha.wall`. Memory operations and arithmetic
    stay on their side of waits, barriers and walls
    through LLVM's passes.
  }];
}

// On the module: it puts functions in the place of kernels, and globals beside them.
def ControlToLlvmPass : FmhaPass<"fmha-control-to-llvm",
    "turn the kernel into an LLVM function and the KV loop into scf", "::mlir::ModuleOp"> {
  let description = [{
    Requires: every step expanded.
    Ensures: no op of the dialect is left; a kernel function that takes the
    kernel-argument block, with the attributes that pin registers and work-group
    size.
  }];
}

def LineTablesPass : FmhaPass<"fmha-line-tables",
    "turn locations into debug information: lines, and steps as inlined calls",
    "::mlir::LLVM::LLVMFuncOp"> {
  let description = [{
    Requires: functions of the LLVM dialect with the locations of
    `fmha-number-lines`; a function that has none is left alone.
    Ensures: functions and steps are subprograms of a compile unit that asks
    for line tables only, steps inlined where they stood. No path of this
    machine is in it. Of a location that was fused of several, the first step
    stays. An op without a line gets the function's own.
    Remarks: ops without a line that become instructions, and how many.
  }];
}

#endif // FMHA_PASSES_TD
