// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FMHA_ATTRS_TD
#define FMHA_ATTRS_TD

include "FmhaEnums.td"
include "mlir/IR/AttrTypeBase.td"

class Fmha_Attr<string attrName, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Fmha_Dialect, attrName, traits> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def Fmha_ProblemAttr : Fmha_Attr<"Problem", "problem"> {
  let summary = "what is fixed of an attention problem when its kernel is compiled";
  let description = [{
    Element types of Q/K/V and of O, the head sizes Dqk and Dv in elements, the
    mask, what is done to scores, what else is read and written. Lengths, head
    counts, strides and the score factor are known at launch only.

    `window_left` and `window_right` count keys from the diagonal, -1 being
    unbounded; `chunk` is the keys of a chunk. `softcap` caps scores, `score_mod`
    says that the module holds a user's function of them; `alibi`, `bias` and
    `sink` add slopes, a tensor and a logit of each head. `varlen_q`
    and `varlen_kv` say that sequences are packed and begin where cumulative
    lengths say; `lengths_q` and `lengths_kv` that each has a length of its own.

    Example: `#fmha.problem<element = bf16, output = bf16, head_dim_qk = 128,
    head_dim_v = 128, mask = causal>`
  }];
  let parameters = (ins
    "::mlir::Type":$element,
    "::mlir::Type":$output,
    "int64_t":$head_dim_qk,
    "int64_t":$head_dim_v,
    EnumParameter<Fmha_MaskKind>:$mask,
    DefaultValuedParameter<"int64_t", "-1">:$window_left,
    DefaultValuedParameter<"int64_t", "-1">:$window_right,
    DefaultValuedParameter<"int64_t", "0">:$chunk,
    OptionalParameter<"::mlir::FloatAttr">:$softcap,
    DefaultValuedParameter<"bool", "false">:$score_mod,
    DefaultValuedParameter<"bool", "false">:$alibi,
    DefaultValuedParameter<"bool", "false">:$bias,
    DefaultValuedParameter<"bool", "false">:$sink,
    DefaultValuedParameter<"bool", "false">:$lse,
    DefaultValuedParameter<"bool", "false">:$varlen_q,
    DefaultValuedParameter<"bool", "false">:$varlen_kv,
    DefaultValuedParameter<"bool", "false">:$lengths_q,
    DefaultValuedParameter<"bool", "false">:$lengths_kv
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// True if a row may see keys from some key on only.
    bool hasFirstKey() const {
      return (getMask() == MaskKind::Window && getWindowLeft() >= 0) ||
             getMask() == MaskKind::Chunked;
    }

    /// True if scores go through a function before the mask.
    bool modifiesScores() const {
      return getSoftcap() || getScoreMod() || getAlibi() || getBias();
    }
  }];
}

def Fmha_MfmaAttr : Fmha_Attr<"Mfma", "mfma"> {
  let summary = "shape of a matrix instruction, m x n x k elements";
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k);
  let assemblyFormat = "`<` struct(params) `>`";
}

def Fmha_StagingAttr : Fmha_Attr<"Staging", "staging"> {
  let summary = "how K or V travels from memory through LDS to the lanes";
  let description = [{
    `read` is the instruction family that fetches fragments: `b128` takes eight
    16-bit elements of one row, `tr_b16` four elements of one column.
    `max_pad_bytes` bounds the padding a line of LDS may get.
  }];
  let parameters = (ins
    EnumParameter<Fmha_LdsRead>:$read,
    "int64_t":$max_pad_bytes
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

def Fmha_ScheduleAttr : Fmha_Attr<"Schedule", "schedule"> {
  let summary = "everything about a kernel that is a choice and not the problem";
  let description = [{
    `tile_m` rows of Q and `tile_n` keys a step of the KV loop; `waves` a
    workgroup; `waves_per_simd` that the register budget is cut for; the matrix
    instructions of the two products; how K and V travel; the order of the
    clusters in the loop body; the rescale policy. Only what a pass interprets is
    here: buffers, stagger, priorities and recipes come with the passes that read
    them.
  }];
  let parameters = (ins
    "int64_t":$tile_m,
    "int64_t":$tile_n,
    "int64_t":$waves,
    "int64_t":$waves_per_simd,
    "::mlir::fmha::MfmaAttr":$qk,
    "::mlir::fmha::MfmaAttr":$pv,
    "::mlir::fmha::StagingAttr":$k,
    "::mlir::fmha::StagingAttr":$v,
    ArrayRefParameter<"::mlir::fmha::Cluster">:$order,
    EnumParameter<Fmha_Rescale>:$rescale
  );
  let assemblyFormat = [{
    `<` `tile_m` `=` $tile_m `,` `tile_n` `=` $tile_n `,` `waves` `=` $waves `,`
    `waves_per_simd` `=` $waves_per_simd `,` `qk` `=` $qk `,` `pv` `=` $pv `,`
    `k` `=` $k `,` `v` `=` $v `,`
    `order` `=` `[` custom<ClusterOrder>($order) `]` `,`
    `rescale` `=` $rescale `>`
  }];
}

def Fmha_LaneLayoutAttr : Fmha_Attr<"LaneLayout", "lane_layout"> {
  let summary = "where each element of a tile lies: register, lane, wave";
  let description = [{
    A linear map over bits: bit i of the register index, of the lane and of the
    wave each contribute a coordinate offset, and the coordinate of a slot is the
    sum. `[0, 0]` means that the bit only replicates. `reg` counts elements, low
    bits first; `fragment` of them, a power of two, form one operand or result of
    a matrix instruction or one memory access.

    Example, S of a 32x32x16 product held transposed, 64 keys, four waves:
    `#fmha.lane_layout<fragment = 16, reg = [[0, 1], [0, 2], [0, 8], [0, 16], [0, 32]],
    lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 4]],
    wave = [[32, 0], [64, 0]]>`
  }];
  let parameters = (ins
    "int64_t":$rank,
    "int64_t":$fragment,
    ArrayRefParameter<"int64_t">:$reg,
    ArrayRefParameter<"int64_t">:$lane,
    ArrayRefParameter<"int64_t">:$wave
  );
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Elements that one lane holds.
    int64_t getRegElems() const { return int64_t(1) << (getReg().size() / getRank()); }
    /// Fragments that one lane holds.
    int64_t getFragments() const { return getRegElems() / getFragment(); }
    /// Offset in dimension `dim` that bit `bit` of one of the arrays contributes.
    int64_t regBasis(unsigned bit, unsigned dim) const { return getReg()[bit * getRank() + dim]; }
    int64_t laneBasis(unsigned bit, unsigned dim) const { return getLane()[bit * getRank() + dim]; }
    int64_t waveBasis(unsigned bit, unsigned dim) const { return getWave()[bit * getRank() + dim]; }
    unsigned regBits() const { return getReg().size() / getRank(); }
    unsigned laneBits() const { return getLane().size() / getRank(); }
    unsigned waveBits() const { return getWave().size() / getRank(); }
    /// Coordinate in `dim` of register element `index` of lane 0, wave 0.
    int64_t regCoord(int64_t index, unsigned dim) const;
  }];
}

def Fmha_LdsLayoutAttr : Fmha_Attr<"LdsLayout", "lds_layout"> {
  let summary = "where each element of a tile lies in LDS, as byte weights of index bits";
  let description = [{
    The byte offset of element (row, col) is the sum of `row[i]` over the set bits
    i of row and of `col[j]` over the set bits j of col. Weights need not be powers
    of two: a padded line shows as a weight above its payload. `line_bytes` is the
    payload that one wave writes with one direct-to-LDS load, contiguous in LDS;
    `bytes` is the extent; `conflict_ways` is the worst number of distinct words
    that one bank serves in a phase of the reads planned for it, 1 being free of
    conflicts.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$row,
    ArrayRefParameter<"int64_t">:$col,
    "int64_t":$line_bytes,
    "int64_t":$bytes,
    "int64_t":$conflict_ways
  );
  let assemblyFormat = [{
    `<` `row` `=` custom<Weights>($row) `,` `col` `=` custom<Weights>($col) `,`
    `line_bytes` `=` $line_bytes `,` `bytes` `=` $bytes `,`
    `conflict_ways` `=` $conflict_ways `>`
  }];
  let extraClassDeclaration = [{
    /// Byte offset of element (row, col).
    int64_t offsetOf(int64_t row, int64_t col) const;
  }];
}

#endif // FMHA_ATTRS_TD
