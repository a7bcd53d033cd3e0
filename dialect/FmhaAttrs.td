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

/// Its verifier takes all parameters by name, so that one which no rule names
/// stands in no list but that of the parameters.
class Fmha_AttrOfKeys<string attrName, string attrMnemonic>
    : Fmha_Attr<attrName, attrMnemonic> {
  defvar keys = !foreach(i, !range(!size(parameters)), !getdagname(parameters, i));
  defvar storage = "detail::" # cppClassName # "Storage";
  string byName = "static ::llvm::LogicalResult verify(EmitError emitError, const " #
                  storage # " &keys);";
  let extraClassDeclaration = byName;
  let extraClassDefinition =
      "::llvm::LogicalResult $cppClass::verify(EmitError emitError, " #
      !interleave(!foreach(key, keys, "decltype(" # storage # "::" # key # ") " # key),
                  ", ") #
      ") { return verify(emitError, " # storage # "(" # !interleave(keys, ", ") # ")); }";
}

def Fmha_ProblemAttr : Fmha_AttrOfKeys<"Problem", "problem"> {
  let summary = "what is fixed of an attention problem when its kernel is compiled";
  let description = [{
    Element types of Q, K and V in memory, of the weights P as the product with V has
    them, and of O in memory; the head sizes Dqk and Dv in elements, the
    mask, what is done to scores, what else is read and written. Lengths, head
    counts, strides and the score factor are known at launch only.

    `window_left` and `window_right` count keys from the diagonal, -1 being
    unbounded; `chunk` is the keys of a chunk. `softcap` caps scores, `score_mod`
    says that the module holds a user's function of them; `alibi`, `bias` and
    `sink` add slopes, a tensor and a logit of each head. `varlen_q`
    and `varlen_kv` say that sequences are packed and begin where cumulative
    lengths say; `lengths_q` and `lengths_kv` that each has a length of its own.

    `q_scale`, `k_scale` and `v_scale` say what shares a factor of an operand of 8 bits:
    what is stored times its factor is the operand; `scale_block` rows with `block`. An
    O of 8 bits is divided by a factor, too.

    `pages` says that K and V lie in pages of `page_size` rows, and how a sequence's
    are listed. `lengths_cached` says that `lengths_kv` leave out as many keys as a
    sequence has rows of Q. `vectorised` pages hold, of each head, pieces of 16 bytes: K's are
    neighbours in a row, [Dqk / x][page_size] of them, V's neighbours in a column,
    [page_size / x][Dv].

    `rope_dim` says that the last so many columns of K lie in a tensor of their own,
    `v_in_k` that V has none: it is the first Dv columns of K, whose type it has and whose
    factors.

    `work` says how workgroups get their work items; with `parts` an item may have a part
    of the keys, and what comes of it goes to memory of its own.

    Example: `#fmha.problem<q = bf16, k = bf16, v = bf16, p = bf16, o = bf16,
    head_dim_qk = 128, head_dim_v = 128, mask = causal>`
  }];
  let parameters = (ins
    "::mlir::Type":$q,
    "::mlir::Type":$k,
    "::mlir::Type":$v,
    "::mlir::Type":$p,
    "::mlir::Type":$o,
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
    DefaultValuedParameter<"bool", "false">:$lengths_kv,
    DefaultValuedParameter<"Factors", "Factors::None">:$q_scale,
    DefaultValuedParameter<"Factors", "Factors::None">:$k_scale,
    DefaultValuedParameter<"Factors", "Factors::None">:$v_scale,
    DefaultValuedParameter<"int64_t", "0">:$scale_block,
    DefaultValuedParameter<"Pages", "Pages::None">:$pages,
    DefaultValuedParameter<"int64_t", "0">:$page_size,
    DefaultValuedParameter<"bool", "false">:$lengths_cached,
    DefaultValuedParameter<"bool", "false">:$vectorised,
    DefaultValuedParameter<"int64_t", "0">:$rope_dim,
    DefaultValuedParameter<"bool", "false">:$v_in_k,
    DefaultValuedParameter<"WorkForm", "WorkForm::Grid">:$work,
    DefaultValuedParameter<"bool", "false">:$parts
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = byName # [{
    /// True if a row may see keys from some key on only.
    bool hasFirstKey() const {
      return (getMask() == MaskKind::Window && getWindowLeft() >= 0) ||
             getMask() == MaskKind::Chunked;
    }

    /// True if sequences of K and V have lengths of their own, and may be empty.
    bool hasOwnLengthsKv() const {
      return getVarlenKv() || getLengthsKv() || getPages() == Pages::List;
    }
    /// Columns of K's own tensor.
    int64_t getColsOfK() const { return getHeadDimQk() - getRopeDim(); }
    /// True if K and V lie in pages, and a tile of `keys` keys never crosses from
    /// one page into the next.
    bool hasTilesInPages(int64_t keys) const {
      return getPages() != Pages::None && getPageSize() % keys == 0;
    }
    bool hasTilesAcrossPages(int64_t keys) const {
      return getPages() != Pages::None && getPageSize() % keys != 0;
    }

    /// True if the kernel rounds Q to fewer bits: those of P.
    bool quantizesQ() const { return bitsOf(getQ()) > bitsOf(getP()); }
    /// Elements of Q as the product with K has them.
    ::mlir::Type getHeldQ() const { return quantizesQ() ? getP() : getQ(); }

    /// True if scores go through a function before the mask.
    bool modifiesScores() const {
      return getSoftcap() || getScoreMod() || getAlibi() || getBias();
    }
  }];
}

def Fmha_LaunchAttr : Fmha_Attr<"Launch", "launch"> {
  let summary = "how a kernel is launched, and when it is the kernel for a problem";
  let description = [{
    `grid` is the number of workgroups in x, y and z, as expressions of the sizes that
    a launch has: `Sq Sk B Hq Hk CUs splits` (lib/abi/launch_expr.h has the grammar).
    `block` is the work-items of a workgroup, all in x. A module may hold several
    kernels for one problem: a plan takes the first whose `when` holds for it, or that
    has none. The note of the code object has all three.

    Example: `#fmha.launch<grid = ["ceil(Sq / 256)", "Hq", "B"], block = 512,
    when = "Sk <= 256">`
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr">:$grid,
    "int64_t":$block,
    OptionalParameter<"::mlir::StringAttr">:$when);
  let assemblyFormat = [{
    `<` `grid` `=` `[` $grid `]` `,` `block` `=` $block
    (`,` `when` `=` $when^)? `>`
  }];
  let extraClassDeclaration = [{
    /// Where the function that a kernel becomes has it, as text: tools that do
    /// not know the dialect read that rung.
    static constexpr ::llvm::StringLiteral kFunctionAttribute = "fmha.launch";
  }];
}

def Fmha_MfmaAttr : Fmha_Attr<"Mfma", "mfma"> {
  let summary = "shape of a matrix instruction, m x n x k elements";
  let parameters = (ins "int64_t":$m, "int64_t":$n, "int64_t":$k);
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// No matrix instruction, but a dot product that each lane does by itself.
    bool isDot() const { return getM() == 1 && getN() == 1; }
  }];
}

// `[2, 4, 512 xor 32]`
class Fmha_ByteMasks<string what> : ArrayRefParameter<"int64_t", what> {
  let parser = "parseByteMasks($_parser)";
  let printer = "printByteMasks($_printer, $_self)";
}

def Fmha_LdsMapAttr : Fmha_Attr<"LdsMap", "lds_map"> {
  let summary = "where elements of a tile lie in LDS, given by a schedule";
  let description = [{
    As in `#fmha.lds_layout`, byte u of element (row, col) is the XOR of `row[i]` over the
    set bits i of row and of `col[j]` over the set bits j of col; then chunks get their
    padding. Rows and columns that have no mask lie above these bytes, in their order,
    rows first: so the map of a piece of a tile serves tiles of any size.

    Pieces of 32 rows x 32 columns of 2 bytes, in which bits 9 and 10 of the address are
    exclusive-ored into bits 5 and 4:
    `<row = [64, 128, 256, 512 xor 32, 1024 xor 16], col = [2, 4, 8, 16, 32]>`
  }];
  let parameters = (ins
    Fmha_ByteMasks<"of the bits of a row">:$row,
    Fmha_ByteMasks<"of the bits of a column">:$col,
    DefaultValuedParameter<"int64_t", "0">:$chunk_bytes,
    DefaultValuedParameter<"int64_t", "0">:$pad_bytes
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

def Fmha_StagingAttr : Fmha_Attr<"Staging", "staging"> {
  let summary = "how K or V travels from memory through LDS to the lanes";
  let description = [{
    `read` says what one instruction gives a lane of the tile: neighbours in a `row`, or,
    transposed, in a `column`. How many, and by which instruction, follows from the
    element type. `max_pad_bytes` bounds the padding a line of LDS may get. Tiles take turns in
    `buffers` buffers. `layout` is the family of LDS layouts to choose from; `map`, in its
    place, the layout itself. With `shared` V that lies in K is read from K's buffers, and
    nothing is copied for it: the pipeline leaves a tile of K there until V was read.
  }];
  let parameters = (ins
    EnumParameter<Fmha_LdsRead>:$read,
    "int64_t":$max_pad_bytes,
    DefaultValuedParameter<"int64_t", "1">:$buffers,
    DefaultValuedParameter<"LdsFamily", "LdsFamily::Any">:$layout,
    OptionalParameter<"::mlir::fmha::LdsMapAttr">:$map,
    DefaultValuedParameter<"bool", "false">:$shared
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

def Fmha_PartAttr : Fmha_Attr<"Part", "part"> {
  let summary = "from `first` to `last` (exclusive) of every `of` of something";
  let description = [{
    Of what, the op that has it says: matrix instructions, scores of a lane, reads.
    The same part of a smaller head is fewer of them. `#fmha.part<14 to 16 of 16>`
  }];
  let parameters = (ins "int64_t":$first, "int64_t":$last, "int64_t":$of);
  let assemblyFormat = "`<` $first `to` $last `of` $of `>`";
  let extraClassDeclaration = [{
    /// The part of `count` things, all of them if it is null: indices from first
    /// to second, exclusive.
    static std::pair<int64_t, int64_t> rangeOf(PartAttr part, int64_t count) {
      if (!part)
        return {0, count};
      return {part.getFirst() * count / part.getOf(),
              part.getLast() * count / part.getOf()};
    }
  }];
}

def Fmha_StepAttr : Fmha_Attr<"Step", "step"> {
  let summary = "a step of the KV loop, or a part of it, at its place in a pipeline";
  let description = [{
    `ahead` tiles later than the tile whose scores the body computes, or earlier if
    it is negative. `qk`, `load_k ahead 2`, `exp[16 to 32 of 32] ahead -1`
  }];
  let parameters = (ins
    EnumParameter<Fmha_StepKind>:$kind,
    OptionalParameter<"::mlir::fmha::PartAttr">:$part,
    "int64_t":$ahead
  );
  let hasCustomAssemblyFormat = 1;
}

def Fmha_SchedGroupAttr : Fmha_Attr<"SchedGroup", "sched_group"> {
  let summary = "a table of instructions that follow each other, and how often";
  let description = [{
    `counts` has as many of each class in turn as the table has columns.
    `<6 x [mfma 1, trans 3]>`, `<[mfma 1, trans 2 1 0]>`
  }];
  let parameters = (ins
    "int64_t":$repeat,
    ArrayRefParameter<"::mlir::fmha::SchedClass">:$classes,
    ArrayRefParameter<"int64_t">:$counts
  );
  let assemblyFormat = "`<` custom<Table>($repeat, $classes, $counts) `>`";
  let extraClassDeclaration = [{
    /// The groups of the table in their order, column by column.
    void forEach(::llvm::function_ref<void(SchedClass kind, int64_t count)> visit) const;
  }];
}

def Fmha_StageRecipeAttr : Fmha_Attr<"StageRecipe", "stage_recipe"> {
  let summary = "the order of instruction classes in a stage of that name";
  let description = [{ `<@scores [4 x [mfma 1, trans 3], 8 x [mfma 1, valu 6]]>` }];
  let parameters = (ins
    "::mlir::FlatSymbolRefAttr":$name,
    ArrayRefParameter<"::mlir::fmha::SchedGroupAttr">:$groups
  );
  let assemblyFormat = "`<` $name custom<Groups>($groups) `>`";
}

def Fmha_RecipeAttr : Fmha_Attr<"Recipe", "recipe"> {
  let summary = "the order of instruction classes in the stages of a pipeline";
  let description = [{
    Of each stage runs of tables: `4 x [mfma 1, trans 3]` is a matrix instruction and
    three exponentials, four times; `[mfma 1, trans 2 1 0, valu 0 2 5]` a table of three
    columns, which follow each other: one matrix instruction in each, two exponentials
    in the first.

    `#fmha.recipe<@scores [4 x [mfma 1, trans 3], 8 x [mfma 1, valu 6]], @v_in [[ds_read 12]]>`
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::fmha::StageRecipeAttr">:$stages
  );
  let assemblyFormat = "`<` custom<StageRecipes>($stages) `>`";
}

def Fmha_StageAttr : Fmha_Attr<"Stage", "stage"> {
  let summary = "a stage of a pipeline: what is between two barriers";
  let description = [{
    Steps in the order in which they are issued. `groups` is the order that
    instructions of the stage should get. `priority` is that of the wave
    while in the stage; `nops` idle slots are given away at its start; `anchor`
    keeps what the stage computes from sinking out of it.

    `<@scores compute [qk, exp[1 to 2 of 2] ahead -1] groups [6 x [mfma 1, trans 3]]
    priority 1 anchor>`
  }];
  let parameters = (ins
    "::mlir::FlatSymbolRefAttr":$name,
    EnumParameter<Fmha_StageKind>:$kind,
    ArrayRefParameter<"::mlir::fmha::StepAttr">:$steps,
    ArrayRefParameter<"::mlir::fmha::SchedGroupAttr">:$groups,
    "int64_t":$priority,
    "int64_t":$nops,
    "bool":$anchor
  );
  let hasCustomAssemblyFormat = 1;
}

def Fmha_Stages : ArrayRefParameter<"::mlir::fmha::StageAttr", "stages of a pipeline"> {
  let parser = "parseStages($_parser)";
  let printer = "printStages($_printer, $_self)";
}

def Fmha_PipelineAttr : Fmha_Attr<"Pipeline", "pipeline"> {
  let summary = "how tiles overlap: which stage handles which tile in one turn of the loop";
  let description = [{
    The loop's body goes `tiles` times through `stages`; the number of tiles is rounded up
    to a multiple of that, and tiles past the end are masked. The second wave group follows
    the first at a distance of `stagger` barriers. `instructions` says who orders the
    instructions of a stage. `recipe` names the recipe of the stages that have no groups of
    their own; `fmha-select-schedule` puts it in its place.
  }];
  let parameters = (ins
    DefaultValuedParameter<"int64_t", "1">:$tiles,
    DefaultValuedParameter<"int64_t", "0">:$stagger,
    DefaultValuedParameter<"InstructionOrder", "InstructionOrder::Free">:$instructions,
    OptionalParameter<"::mlir::FlatSymbolRefAttr">:$recipe,
    Fmha_Stages:$stages
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

// `sc0 nt sc1`, or some of them
class Fmha_CacheBits<string what> : DefaultValuedParameter<"CachePolicy", "CachePolicy::None", what> {
  let parser = "parseCachePolicy($_parser)";
  let printer = "printCachePolicy($_printer, $_self)";
}

def Fmha_CacheAttr : Fmha_AttrOfKeys<"Cache", "cache"> {
  let summary = "what vector loads and stores of each operand tell the caches";
  let description = [{
    Of each operand the bits of its instructions, in any order. Those that are loaded
    by scalar instructions have none.

    Example: `#fmha.cache<k = nt, o = sc0 nt sc1>`
  }];
  let parameters = (ins
    Fmha_CacheBits<"of loads of Q">:$q,
    Fmha_CacheBits<"of copies, or fetches, of K">:$k,
    Fmha_CacheBits<"of copies, or fetches, of V">:$v,
    Fmha_CacheBits<"of stores of O">:$o,
    Fmha_CacheBits<"of stores of LSE">:$lse,
    Fmha_CacheBits<"of loads of the bias">:$bias,
    Fmha_CacheBits<"of loads of the factors of Q">:$q_scale,
    Fmha_CacheBits<"of loads of the factors of K">:$k_scale,
    Fmha_CacheBits<"of loads of the factors of V">:$v_scale,
    Fmha_CacheBits<"of loads of numbers of pages">:$pages,
    Fmha_CacheBits<"of stores of O of a part of the keys">:$part_o,
    Fmha_CacheBits<"of stores of LSE of a part of the keys">:$part_lse
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = byName # [{
    CachePolicy of(Operand operand) const;
  }];
}

def Fmha_ScheduleAttr : Fmha_AttrOfKeys<"Schedule", "schedule"> {
  let summary = "everything about a kernel that is a choice and not the problem";
  let description = [{
    `tile_m` rows of Q and `tile_n` keys a tile of the KV loop; `waves` a
    workgroup; `key_waves` of them share their rows and divide the keys of a tile among
    them; `waves_per_simd` that the register budget is cut for; the matrix
    instructions of the two products; how K and V travel; the rescale policy,
    `lazy_log2` with it if it is lazy;
    `scale`, where scores meet the scale; `packed`, what takes two f32 an instruction;
    `grid`, which workgroup takes which rows of Q; `rows`, whether a tile has rows of one
    `head` of Q or of the `group` of heads that share one of K and V; `sums`, the matrix instruction, or the
    dot product (1 x 1 x 2), that sums weights as P has them, if one does; `cache`, what loads
    and stores tell the caches; `pipeline`, the stages of the loop. Keys come in any order; those at their default are not printed.
    Only what a pass interprets is here.
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
    DefaultValuedParameter<"RescalePolicy", "RescalePolicy::Eager">:$rescale,
    DefaultValuedParameter<"int64_t", "0">:$lazy_log2,
    DefaultValuedParameter<"ScalePolicy", "ScalePolicy::Fma">:$scale,
    DefaultValuedParameter<"PackedMath", "PackedMath::Rescale">:$packed,
    DefaultValuedParameter<"GridOrder", "GridOrder::Linear">:$grid,
    DefaultValuedParameter<"RowPacking", "RowPacking::Head">:$rows,
    OptionalParameter<"::mlir::fmha::MfmaAttr">:$sums,
    OptionalParameter<"::mlir::fmha::CacheAttr">:$cache,
    DefaultValuedParameter<"int64_t", "1">:$key_waves,
    "::mlir::fmha::PipelineAttr":$pipeline
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = byName # [{
    /// This one with other values of the keys that a search sets, or null; `staged` are
    /// those of operands that go through LDS, in the order of their steps.
    ScheduleAttr with(EmitError emitError, ::llvm::ArrayRef<StagingAttr> staged,
                      RescalePolicy rescale, int64_t lazy_log2, ScalePolicy scale,
                      PackedMath packed, GridOrder grid, PipelineAttr pipeline) const;
    /// Waves that have rows of their own, each with its share of the keys.
    int64_t rowWaves() const { return getWaves() / getKeyWaves(); }
    /// Whether rows of a tile are of several heads: a work item has a head of K and V, and
    /// counts rows of the group.
    bool packsHeads() const { return getRows() == RowPacking::Group; }
    /// What accesses to the operand tell the caches.
    CachePolicy cacheOf(Operand operand) const {
      return getCache() ? getCache().of(operand) : CachePolicy::None;
    }
  }];
}

def Fmha_ChangesAttr : Fmha_Attr<"Changes", "changes"> {
  let summary = "what of a schedule is to be another, as it is written";
  let description = [{
    Keys of `#fmha.schedule` with their new values. A struct changes in the keys that it
    names, `stages` in the stages; `without KEY` leaves a key, or an option of a stage,
    at its default. It is text, because a part of a schedule need not be a schedule, with
    blanks for comments. `at` is its place, for messages, and not printed.

    `<tile_n = 128, k = <buffers = 3>, without sums, pipeline = <stages = [
    <@scores priority 1 without anchor>]>>`
  }];
  let parameters = (ins
    StringRefParameter<"as written, brackets included">:$text,
    "::mlir::LocationAttr":$at
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 0;
}

def Fmha_LaneLayoutAttr : Fmha_Attr<"LaneLayout", "lane_layout"> {
  let summary = "where each element of a tile lies: register, lane, wave";
  let description = [{
    A linear map over bits: bit i of the register index, of the lane and of the
    wave each contribute a coordinate offset, and the coordinate of a slot is
    their XOR. Of a tile each bit of a coordinate comes from one of them, so that
    it is their sum, too; of a copy into a swizzled LDS buffer it may come from
    several. `[0, 0]` means that the bit only replicates. `reg` counts elements, low
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
    /// Of one value for each row that a lane of `layout` has elements of.
    static LaneLayoutAttr ofRows(LaneLayoutAttr layout);
  }];
}

def Fmha_LdsLayoutAttr : Fmha_Attr<"LdsLayout", "lds_layout"> {
  let summary = "where each element of a tile lies in LDS, as a linear map of index bits";
  let description = [{
    Byte u of element (row, col) is the XOR of `row[i]` over the set bits i of row
    and of `col[j]` over the set bits j of col: a map over GF(2) that gives each
    element bytes of its own and leaves no gap. Then chunks get their padding:
    with `chunk_bytes = C, pad_bytes = P` the element lies at byte u + P floor(u / C).

    `line_bytes` is what one wave writes with one direct-to-LDS load, contiguous in
    LDS; `bytes` is the extent. `conflict_ways` is the worst number of
    distinct words that one bank serves in a phase of the reads planned for it, 1
    being free of conflicts. Copies, which write on end, have none.

    What families look like, 64 x 128 elements of 2 bytes:

    - identity, pieces of 8 rows x 32 columns:
      `row = [64, 128, 256, 2048, 4096, 8192], col = [2, 4, 8, 16, 32, 512, 1024]`
    - swizzled by XOR, pieces of 32 rows x 32 columns in which bits 9 and 10 of the
      address are exclusive-ored into bits 5 and 4:
      `row = [64, 128, 256, 512 xor 32, 1024 xor 16, 8192],
      col = [2, 4, 8, 16, 32, 2048, 4096]`
    - padded lines, of four whole rows each:
      `row = [1024, 2048, 4096, 8192, 256, 512], col = [2, 4, 8, 16, 32, 64, 128],
      line_bytes = 1024, chunk_bytes = 1024, pad_bytes = 16`
    - permuted: any order of the bits, with or without chunks.
  }];
  let parameters = (ins
    Fmha_ByteMasks<"of the bits of a row">:$row,
    Fmha_ByteMasks<"of the bits of a column">:$col,
    "int64_t":$line_bytes,
    DefaultValuedParameter<"int64_t", "0">:$chunk_bytes,
    DefaultValuedParameter<"int64_t", "0">:$pad_bytes,
    "int64_t":$bytes,
    "int64_t":$conflict_ways
  );
  let assemblyFormat = "`<` struct(params) `>`";
  let extraClassDeclaration = [{
    /// Byte of element (row, col) without padding, linear over bits.
    int64_t maskOf(int64_t row, int64_t col) const;
    /// Where byte `u` lies once chunks have their padding.
    int64_t pad(int64_t u) const {
      return getPadBytes() ? u + u / getChunkBytes() * getPadBytes() : u;
    }
    /// Byte offset of element (row, col).
    int64_t offsetOf(int64_t row, int64_t col) const { return pad(maskOf(row, col)); }
  }];
}

#endif // FMHA_ATTRS_TD
