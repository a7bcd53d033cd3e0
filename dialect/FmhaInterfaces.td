// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes and proofs may ask of an op, and the resources that its memory
// effects are on.
#ifndef FMHA_INTERFACES_TD
#define FMHA_INTERFACES_TD

include "FmhaAttrs.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===- Resources ----------------------------------------------------------===//

def Fmha_GlobalMemory : Resource<"::mlir::fmha::GlobalMemory">;
def Fmha_Lds : Resource<"::mlir::fmha::Lds">;
// Counters of outstanding operations, and barriers: what changes them happens as
// often as it stands there, and in that order.
def Fmha_Sync : Resource<"::mlir::fmha::Sync">;

//===- Kernels ------------------------------------------------------------===//

def Fmha_EntryInterface : OpInterface<"EntryOp"> {
  let cppNamespace = "::mlir::fmha";
  let description = [{
    An op that becomes one kernel of the code object, of the problem that it names.
    Its body, one block, is what a workgroup does.
  }];
  let methods = [
    InterfaceMethod<"The kernel's name.", "::mlir::StringAttr", "getSymNameAttr">,
    InterfaceMethod<"The body; empty where no pass has written it yet.",
      "::mlir::Region &", "getBody">,
    InterfaceMethod<"How it is launched; null if nobody knows yet.",
      "::mlir::fmha::LaunchAttr", "getLaunchAttr">,
    InterfaceMethod<"Waves of a workgroup.", "int64_t", "waveCount">,
    InterfaceMethod<"Waves of a SIMD, for which there have to be registers.",
      "int64_t", "wavesOfSimd">,
    InterfaceMethod<"Whether LLVM may make one operation of two f32.", "bool", "packsMath">,
    InterfaceMethod<"Whether the order of instructions has the fewest live registers.",
      "bool", "savesRegisters">
  ];
}

//===- Steps --------------------------------------------------------------===//

def Fmha_StepInterface : OpInterface<"StepOp"> {
  let cppNamespace = "::mlir::fmha";
  let description = [{
    An op of the KV loop that a schedule has a place for. Where the schedule divides
    a step, each part goes on with what the part before it left.
  }];
  let methods = [
    InterfaceMethod<"The step of the schedule that the op is, or a part of.",
      "::mlir::fmha::StepKind", "getStepKind">,
    InterfaceMethod<"The part of the step that the op is; null for all of it.",
      "::mlir::fmha::PartAttr", "getPartAttr", (ins), "",
      [{ return $_op->template getAttrOfType<::mlir::fmha::PartAttr>("part"); }]>,
    InterfaceMethod<"Makes the op that part of its step.",
      "void", "setPartAttr", (ins "::mlir::fmha::PartAttr":$part), "",
      [{ $_op->setAttr("part", part); }]>,
    InterfaceMethod<"The operand that has what the part before left.",
      "::mlir::MutableOperandRange", "getChainMutable", (ins), "",
      [{ return ::mlir::MutableOperandRange($_op, 0, 1); }]>,
    InterfaceMethod<"Goes on with the result of the part before; null for the first.",
      "void", "chain", (ins "::mlir::Value":$before, "bool":$isLast), "",
      [{ if (before) $_op.getChainMutable().assign(before); }]>,
    InterfaceMethod<[{
        Whether it is straight-line arithmetic on the scores of a lane, which its part
        counts: it needs no others of its first operand, and LLVM sinks it into
        the block that uses it.
      }],
      "bool", "worksByScore", (ins), "", [{ return false; }]>,
    InterfaceMethod<"Whether the operand of attention that it has decides which step it is.",
      "bool", "isByOperand", (ins), "", [{ return false; }]>,
    InterfaceMethod<"Whether it stays whole, in the last place, where the schedule divides its step.",
      "bool", "staysWhole", (ins), "", [{ return false; }]>,
    InterfaceMethod<[{
        Whether it brings a tile of K or V towards LDS and does nothing else: of a tile
        past the last it does no harm.
      }],
      "bool", "bringsTile", (ins), "", [{ return false; }]>
  ];
}

// The op is that step, whatever its operands are.
class Fmha_StepOf<string kind> : ParamNativeOpTrait<"StepOf", "::mlir::fmha::StepKind::" # kind> {
  let cppNamespace = "::mlir::fmha";
}
class Fmha_IsStep<string kind> : TraitList<[Fmha_StepOf<kind>, Fmha_StepInterface]>;

//===- Memory -------------------------------------------------------------===//

def Fmha_LdsAccessInterface : OpInterface<"LdsAccessOp"> {
  let cppNamespace = "::mlir::fmha";
  let description = [{
    An op that copies a tile into an LDS buffer, from memory or from registers, or
    reads fragments of it. One that is no `VectorMemoryOp` counts in lgkmcnt.
  }];
  let methods = [
    InterfaceMethod<"The operand of attention whose tile it is.",
      "::mlir::fmha::Operand", "getOperand">,
    InterfaceMethod<"The buffer.", "::mlir::TypedValue<::mlir::fmha::LdsType>", "getBuffer">,
    InterfaceMethod<"Stands for the copy: a copy gives it, a read takes it.",
      "::mlir::TypedValue<::mlir::fmha::TokenType>", "getToken">,
    InterfaceMethod<"Whether it writes the buffer.", "bool", "isCopy">,
    InterfaceMethod<"How lanes and waves touch elements of the buffer; null if nobody knows yet.",
      "::mlir::fmha::LaneLayoutAttr", "getTouchLayout">,
    InterfaceMethod<"Fragments of that layout that it touches.",
      "::llvm::SmallVector<int64_t>", "getTouchedFragments">
  ];
}

def Fmha_VectorMemoryInterface : OpInterface<"VectorMemoryOp"> {
  let cppNamespace = "::mlir::fmha";
  let description = [{
    An op that becomes vector-memory instructions, which count in vmcnt in their order.
    It writes `Sync`, so that none is merged, dropped or moved.
  }];
  let methods = [
    InterfaceMethod<[{
        How many instructions a wave issues for it: never more than it will, since a
        wait for what was issued before leaves as many outstanding. 0 without a
        lane layout.
      }],
      "int64_t", "getVectorMemoryInstructions">
  ];
}

//===- Tiles --------------------------------------------------------------===//

def Fmha_NewTileInterface : OpInterface<"NewTileOp"> {
  let cppNamespace = "::mlir::fmha";
  let description = [{
    An op whose tile lies as its role in attention asks. Results of others lie as the
    operand of their shape and element type.
  }];
  let methods = [
    InterfaceMethod<"The role of the first result.", "::mlir::fmha::TileRole", "getTileRole">
  ];
}

class Fmha_TileOf<string role> : ParamNativeOpTrait<"TileOf", "::mlir::fmha::TileRole::" # role> {
  let cppNamespace = "::mlir::fmha";
}
class Fmha_NewTile<string role> : TraitList<[Fmha_TileOf<role>, Fmha_NewTileInterface]>;

// By the numbers of operands: `rows` has a value for each row of `tile`, and lies where
// that lies, unless it is one value for all.
class Fmha_RowsOf<int rows, int tile>
    : ParamNativeOpTrait<"RowsOf", !cast<string>(rows) # ", " # !cast<string>(tile)> {
  let cppNamespace = "::mlir::fmha";
}

#endif // FMHA_INTERFACES_TD
