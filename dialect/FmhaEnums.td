// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FMHA_ENUMS_TD
#define FMHA_ENUMS_TD

include "FmhaDialect.td"
include "mlir/IR/EnumAttr.td"

class Fmha_Enum<string enumName, string doc, list<I32EnumAttrCase> enumCases>
    : I32EnumAttr<enumName, doc, enumCases> {
  let cppNamespace = "::mlir::fmha";
  let genSpecializedAttr = 0;
}

def Fmha_MaskKind : Fmha_Enum<"MaskKind", "which keys a row sees", [
  I32EnumAttrCase<"None", 0, "none">,
  // bottom-right: row i sees keys j <= i + Sk - Sq
  I32EnumAttrCase<"Causal", 1, "causal">,
  // row i sees keys j <= i
  I32EnumAttrCase<"CausalTopLeft", 2, "causal_top_left">,
  // i + Sk - Sq - left <= j <= i + Sk - Sq + right
  I32EnumAttrCase<"Window", 3, "window">,
  // causal, and j in the chunk of i + Sk - Sq
  I32EnumAttrCase<"Chunked", 4, "chunked">
]>;

// f32 by which what is stored of an operand is multiplied.
def Fmha_Factors : Fmha_Enum<"Factors", "what shares a dequantisation factor", [
  I32EnumAttrCase<"None", 0, "none">,
  // a head; strides of 0 make it a batch, or the tensor
  I32EnumAttrCase<"Head", 1, "head">,
  // a row of a head
  I32EnumAttrCase<"Token", 2, "token">,
  // `scale_block` rows of a head
  I32EnumAttrCase<"Block", 3, "block">
]>;

// i32 numbers of the pages that hold a sequence of K and V.
def Fmha_Pages : Fmha_Enum<"Pages", "which pages a sequence has", [
  // K and V lie in none
  I32EnumAttrCase<"None", 0, "none">,
  // a row of a table for each sequence, whose length is given
  I32EnumAttrCase<"Table", 1, "table">,
  // a list for all sequences, each from where to where, and the rows of each one's last page
  I32EnumAttrCase<"List", 2, "list">
]>;

def Fmha_WorkForm : Fmha_Enum<"WorkForm", "how workgroups get their work items", [
  // a workgroup has one, by its place in the grid
  I32EnumAttrCase<"Grid", 0, "grid">,
  // a workgroup has those that a list in memory gives it
  I32EnumAttrCase<"List", 1, "list">,
  // workgroups take the next of a list in memory, until none is left
  I32EnumAttrCase<"Queue", 2, "queue">,
  // all work lies on a line, of which a workgroup finds its own run
  I32EnumAttrCase<"Runs", 3, "runs">
]>;
def Fmha_WorkFormAttr : EnumAttr<Fmha_Dialect, Fmha_WorkForm, "work_form">;
// Results over some keys that become those over all of them.
def Fmha_CombineSource : Fmha_Enum<"CombineSource", "which results are combined", [
  // those over parts of the keys, which lists of work divide
  I32EnumAttrCase<"Parts", 0, "parts">,
  // O and LSE, and others of their kind
  I32EnumAttrCase<"Results", 1, "results">
]>;
def Fmha_CombineSourceAttr :
    EnumAttr<Fmha_Dialect, Fmha_CombineSource, "combine_source">;

def Fmha_Sequence : Fmha_Enum<"Sequence", "which of the two sequences of attention", [
  I32EnumAttrCase<"Q", 0, "q">,
  I32EnumAttrCase<"Kv", 1, "kv">
]>;
def Fmha_SequenceAttr : EnumAttr<Fmha_Dialect, Fmha_Sequence, "sequence">;

def Fmha_Operand : Fmha_Enum<"Operand", "a tensor of the problem", [
  I32EnumAttrCase<"Q", 0, "q">,
  I32EnumAttrCase<"K", 1, "k">,
  I32EnumAttrCase<"V", 2, "v">,
  I32EnumAttrCase<"O", 3, "o">,
  I32EnumAttrCase<"Lse", 4, "lse">,
  I32EnumAttrCase<"Bias", 5, "bias">,
  // the factors of an operand
  I32EnumAttrCase<"QScale", 6, "q_scale">,
  I32EnumAttrCase<"KScale", 7, "k_scale">,
  I32EnumAttrCase<"VScale", 8, "v_scale">,
  // the numbers of the pages that a sequence of K and V has
  I32EnumAttrCase<"Pages", 9, "pages">,
  // what comes of a part of the keys
  I32EnumAttrCase<"PartO", 10, "part_o">,
  I32EnumAttrCase<"PartLse", 11, "part_lse">,
  // one value for each head of Q
  I32EnumAttrCase<"Sink", 12, "sink">,
  I32EnumAttrCase<"AlibiSlopes", 13, "alibi_slopes">,
  // the last columns of K, where they have tiles of their own
  I32EnumAttrCase<"KRope", 14, "k_rope">
]>;
def Fmha_OperandAttr : EnumAttr<Fmha_Dialect, Fmha_Operand, "operand">;

def Fmha_StepKind : Fmha_Enum<"StepKind", "a step of the KV loop", [
  I32EnumAttrCase<"LoadK", 0, "load_k">,
  I32EnumAttrCase<"LoadV", 1, "load_v">,
  I32EnumAttrCase<"Qk", 2, "qk">,
  I32EnumAttrCase<"Mask", 3, "mask">,
  I32EnumAttrCase<"Rescale", 4, "rescale">,
  I32EnumAttrCase<"Pv", 5, "pv">,
  // what is done to a score between qk and mask; nothing for a plain problem
  I32EnumAttrCase<"ScoreMod", 6, "score_mod">,
  I32EnumAttrCase<"RowMax", 7, "row_max">,
  I32EnumAttrCase<"Subtract", 8, "subtract">,
  I32EnumAttrCase<"Exp", 9, "exp">,
  I32EnumAttrCase<"RowSum", 10, "row_sum">,
  I32EnumAttrCase<"Convert", 11, "convert">,
  // LDS to registers
  I32EnumAttrCase<"ReadK", 12, "read_k">,
  I32EnumAttrCase<"ReadV", 13, "read_v">,
  // registers to LDS, of what was loaded in other elements than LDS gets; nothing where loads
  // go to LDS
  I32EnumAttrCase<"WriteK", 14, "write_k">,
  I32EnumAttrCase<"WriteV", 15, "write_v">,
  // the numbers of the pages that hold a tile, memory to registers; nothing where K and V lie
  // in no pages
  I32EnumAttrCase<"PageK", 16, "page_k">,
  I32EnumAttrCase<"PageV", 17, "page_v">,
  // the factor that all keys of a tile share, memory to registers; what scores start from, and O,
  // follows it. Nothing where factors are others
  I32EnumAttrCase<"ScaleK", 18, "scale_k">,
  I32EnumAttrCase<"ScaleV", 19, "scale_v">,
  I32EnumAttrCase<"UnitK", 20, "unit_k">,
  I32EnumAttrCase<"UnitV", 21, "unit_v">
]>;

def Fmha_StageKind : Fmha_Enum<"StageKind", "what a stage of a pipeline mainly does", [
  I32EnumAttrCase<"Memory", 0, "memory">,
  I32EnumAttrCase<"Compute", 1, "compute">
]>;

def Fmha_StageKindAttr : EnumAttr<Fmha_Dialect, Fmha_StageKind, "stage_kind">;

// Classes of instructions that LLVM's sched_group_barrier tells apart.
def Fmha_SchedClass : Fmha_Enum<"SchedClass", "a class of instructions", [
  I32EnumAttrCase<"Mfma", 0, "mfma">,
  I32EnumAttrCase<"Valu", 1, "valu">,
  I32EnumAttrCase<"Trans", 2, "trans">,
  I32EnumAttrCase<"DsRead", 3, "ds_read">,
  I32EnumAttrCase<"Vmem", 4, "vmem">,
  I32EnumAttrCase<"Salu", 5, "salu">
]>;

def Fmha_InstructionOrder : Fmha_Enum<"InstructionOrder", "who orders the instructions of a stage", [
  // LLVM as it likes; recipes are not looked at
  I32EnumAttrCase<"Free", 0, "free">,
  // LLVM by the recipes, as far as its solver gets
  I32EnumAttrCase<"Grouped", 1, "grouped">,
  // the recipes, exactly
  I32EnumAttrCase<"Pinned", 2, "pinned">
]>;

def Fmha_WaveGroup : Fmha_Enum<"WaveGroup", "the waves that run in phase: the first or the second half of the workgroup's", [
  I32EnumAttrCase<"First", 0, "first">,
  I32EnumAttrCase<"Second", 1, "second">
]>;
def Fmha_WaveGroupAttr : EnumAttr<Fmha_Dialect, Fmha_WaveGroup, "wave_group">;

def Fmha_LdsRead : Fmha_Enum<"LdsRead", "what an instruction that reads LDS gives a lane", [
  // neighbours in a row
  I32EnumAttrCase<"Row", 0, "row">,
  // neighbours in a column: the instruction transposes
  I32EnumAttrCase<"Column", 1, "column">
]>;

// What the closed form of an LDS layout is made of.
def Fmha_LdsFamily : Fmha_Enum<"LdsFamily", "kinds of LDS layouts", [
  // whichever is cheapest
  I32EnumAttrCase<"Any", 0, "any">,
  // a run of columns of consecutive rows, lines with padding after each
  I32EnumAttrCase<"Padded", 1, "padded">,
  // row-major pieces, bits of the row exchange what lies in a row; no padding
  I32EnumAttrCase<"Xor", 2, "xor">,
  // any permutation of index bits, with padding after chunks or without
  I32EnumAttrCase<"Permuted", 3, "permuted">,
  // row-major pieces as they are
  I32EnumAttrCase<"Identity", 4, "identity">
]>;

def Fmha_Rescale : Fmha_Enum<"RescalePolicy", "when O follows the row maximum", [
  // with every tile
  I32EnumAttrCase<"Eager", 0, "eager">,
  // the maximum itself stays until a score passes it by a factor of
  // 2^lazy_log2: then that of all rows of the wave is taken anew
  I32EnumAttrCase<"Lazy", 1, "lazy">
]>;

def Fmha_ScalePolicy : Fmha_Enum<"ScalePolicy", "where scores meet scale and maximum", [
  // exponents are one fma of raw scores
  I32EnumAttrCase<"Fma", 0, "fma">,
  // Q is scaled, and rounded, once; exponents are a difference
  I32EnumAttrCase<"Q", 1, "q">,
  // and the product starts from minus the maximum: scores are exponents
  I32EnumAttrCase<"Start", 2, "start">
]>;

def Fmha_PackedMath : Fmha_Enum<"PackedMath", "what takes two f32 an instruction", [
  // nothing: the code generator is denied such instructions
  I32EnumAttrCase<"Off", 0, "off">,
  // O and l times what corrects them, O over its sums
  I32EnumAttrCase<"Rescale", 1, "rescale">,
  // exponents and sums of weights, too
  I32EnumAttrCase<"Softmax", 2, "softmax">
]>;

def Fmha_GridOrder : Fmha_Enum<"GridOrder", "which workgroup of the grid takes which rows", [
  // place in the grid x, y, z: tile of Q, head, batch
  I32EnumAttrCase<"Linear", 0, "linear">,
  // of all heads the tile of Q that sees the most keys, then the next
  I32EnumAttrCase<"LongestFirst", 1, "longest_first">,
  // all tiles of heads that share K and V on one XCD
  I32EnumAttrCase<"HeadMajor", 2, "head_major">
]>;

def Fmha_RowPacking : Fmha_Enum<"RowPacking", "which rows of Q a tile of rows has", [
  // those of one head
  I32EnumAttrCase<"Head", 0, "head">,
  // those of the G heads that share one of K and V: row r is row r / G of Q, of head r % G of them
  I32EnumAttrCase<"Group", 1, "group">
]>;

// What a vector load or store tells the caches: bits of LLVM's `aux` operand. sc1 sc0 is the scope,
// from wave over workgroup and device to system, that must see the access, and nt says that its
// lines are not used again soon. All eight have a meaning for loads and for stores. Sources: LLVM
// AMDGPUUsage, memory model gfx942; ROCm/composable_kernel, amd_buffer_coherence.hpp.
def Fmha_CachePolicy : I32BitEnumAttr<"CachePolicy", "what an access tells the caches", [
  I32BitEnumAttrCaseNone<"None", "none">,
  I32BitEnumAttrCaseBit<"Sc0", 0, "sc0">,
  I32BitEnumAttrCaseBit<"Nt", 1, "nt">,
  I32BitEnumAttrCaseBit<"Sc1", 4, "sc1">
]> {
  let cppNamespace = "::mlir::fmha";
  let genSpecializedAttr = 0;
}

def Fmha_Id : Fmha_Enum<"Id", "a coordinate of the executing wave or lane", [
  I32EnumAttrCase<"Lane", 0, "lane">,
  I32EnumAttrCase<"Wave", 1, "wave">,
  I32EnumAttrCase<"QTile", 2, "q_tile">,
  I32EnumAttrCase<"Head", 3, "head">,
  I32EnumAttrCase<"Batch", 4, "batch">
]>;
def Fmha_IdAttr : EnumAttr<Fmha_Dialect, Fmha_Id, "id_kind">;

// Fmha_Arg, the fields of the kernel-argument block: a case for each row of fmhac_abi.def,
// whose number is the field's index and whose spelling is its name (args.cmake).
include "FmhaArgs.td"
def Fmha_ArgAttr : EnumAttr<Fmha_Dialect, Fmha_Arg, "arg_field">;

// Rungs whose promises are proved.
def Fmha_Rung : Fmha_Enum<"Rung", "a level of IR", [
  I32EnumAttrCase<"Problem", 0, "problem">,
  I32EnumAttrCase<"Tiles", 1, "tiles">,
  I32EnumAttrCase<"Layouts", 2, "layouts">,
  I32EnumAttrCase<"Pipelined", 3, "pipelined">,
  I32EnumAttrCase<"Synced", 4, "synced">,
  I32EnumAttrCase<"Amdgpu", 5, "amdgpu">,
  I32EnumAttrCase<"Rocdl", 6, "rocdl">
]>;

#endif // FMHA_ENUMS_TD
