// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of the KV loop, and what is done to rows before and after it: part of FmhaOps.td,
// which has the classes that ops are made of.
#ifndef FMHA_STEP_OPS_TD
#define FMHA_STEP_OPS_TD

//===- Steps -----------------------------------------------------------===//

def Fmha_LoadQOp : Fmha_Op<"load_q", [Fmha_LoadsMemory, Fmha_NewTile<"Q">]> {
  let summary = "the workgroup's rows of Q, memory to registers";
  let description = [{
    Rows past Sq are zero. `buffer_load_dwordx4`, one 16-byte piece a lane.
  }];
  let arguments = (ins Fmha_ViewType:$view);
  let results = (outs Fmha_Matrix:$tile);
  let assemblyFormat = "$view attr-dict `:` qualified(type($view)) `->` qualified(type($tile))";
  let hasVerifier = 1;
}

def Fmha_ApplySignOp : Fmha_Op<"apply_sign", [
    Pure, Fmha_RowsOf<1, 0>, AllTypesMatch<["tile", "result"]>]> {
  let summary = "negates a tile, or rows of it, if their factor is negative";
  let description = [{
    Exact. Applied to Q once, so that the loop may multiply scores by the factor's
    magnitude and still take maxima before multiplying.
  }];
  let arguments = (ins Fmha_TileType:$tile, Fmha_Factor:$factor);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = [{
    $tile `,` custom<Factor>($factor, type($factor)) attr-dict `:` qualified(type($tile))
  }];
}

def Fmha_LoadFactorsOp : Fmha_Op<"load_factors", [Fmha_LoadsMemory, Fmha_NewTile<"Rows">]> {
  let summary = "one value for each of the workgroup's rows, memory to registers";
  let description = [{
    A factor, one f32 for each row of Q or for as many as share it, and where a tile has rows
    of several heads also what a head has one of. Rows past Sq have anything.
  }];
  let arguments = (ins Fmha_RowView:$view);
  let results = (outs Fmha_F32Rows:$factors);
  let assemblyFormat = [{
    $view attr-dict `:` qualified(type($view)) `->` qualified(type($factors))
  }];
}

def Fmha_ScaleRowsOp : Fmha_PureOp<"scale_rows", [AllTypesMatch<["rows", "result"]>]> {
  let summary = "one value a row times a uniform factor";
  let arguments = (ins Fmha_F32Rows:$rows, F32:$factor);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = "$rows `,` $factor attr-dict `:` qualified(type($rows))";
}

def Fmha_MagnitudeOp : Fmha_PureOp<"magnitude", [AllTypesMatch<["rows", "result"]>]> {
  let summary = "|x| of one value a row, kept between two bounds";
  let arguments = (ins Fmha_F32Rows:$rows, F32Attr:$least, F32Attr:$most);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = "$rows `from` $least `to` $most attr-dict `:` qualified(type($rows))";
}

def Fmha_ScaleQOp : Fmha_Op<"scale_q", [Pure, AllTypesMatch<["tile", "result"]>]> {
  let summary = "a tile times a uniform factor, rounded to its element type";
  let arguments = (ins Fmha_Weights:$tile, F32:$factor);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = "$tile `,` $factor attr-dict `:` qualified(type($tile))";
}

def Fmha_RowExponentsOp : Fmha_VerifiedOp<"row_exponents", [Fmha_NewTile<"Rows">]> {
  let summary = "by which powers of two rows of a tile times a uniform factor are divided before they are rounded";
  let description = [{
    Of a row the least e >= 0 with which its largest |element * factor| / 2^(e - 127) is
    no more than the largest number of `element`. Biased by 127, as matrix instructions
    take scales (E8M0), in the first byte, up to 227: with 2^100 no score and no difference
    of two is infinite, and scores that lie so far apart leave one key. The second byte is
    127, the exponent of the other operand's rows, so that both are in one register. What is
    more than 227 is in the bytes above: `fmha.quantize` divides by it, and nothing multiplies.
  }];
  let arguments = (ins Fmha_WeightMatrix:$tile, F32:$factor, TypeAttr:$element);
  let results = (outs Fmha_KeyRows:$exponents);
  let assemblyFormat = [{
    $tile `,` $factor `to` $element attr-dict `:` qualified(type($tile)) `->` qualified(type($exponents))
  }];
}

def Fmha_QuantizeOp : Fmha_VerifiedOp<"quantize", [Fmha_NewTile<"Q">]> {
  let summary = "a tile times a uniform factor, each row divided by its power of two and rounded";
  let description = [{
    A row that holds an infinity becomes NaN, as its scores would be: the type has none.

    `exact`: as if the product were rounded once. Else it is an f32 first; a factor of few
    digits, such as 0.3, makes that a tie where the product is none in 1 of 100 rows.
  }];
  let arguments = (ins Fmha_WeightMatrix:$tile, F32:$factor, Fmha_KeyRows:$exponents,
                       UnitAttr:$exact);
  let results = (outs Fmha_WeightMatrix:$result);
  let assemblyFormat = [{
    $tile `,` $factor `by` $exponents (`exact` $exact^)? attr-dict
    `:` qualified(type($tile)) `,` qualified(type($exponents)) `->` qualified(type($result))
  }];
}

def Fmha_LookUpOp : Fmha_Op<"look_up", [
    Fmha_StepInterface, Fmha_NewTileInterface, Fmha_LoadsMemory]> {
  let summary = "the numbers of the pages that hold tile `index` of an operand";
  let description = [{
    Of a tile that lies in one page, its number: a scalar load, the same in all lanes. Of a
    tile that lies in several, that of each key: a lane gets those of the keys that it
    copies. Where these lie in one page for all lanes of a wave, by scalar loads; else one
    vector load each. Of keys past the last of the sequence any number that
    it has, or 0; nothing beyond the numbers of the sequence is read. The table is not written
    while the kernel runs.
  }];
  let arguments = (ins Fmha_StagedAttr:$operand, Fmha_TableView:$table, I32:$index);
  let results = (outs AnyTypeOf<[I32, Fmha_KeyRows]>:$pages);
  let assemblyFormat = [{
    `` $operand $table `,` $index attr-dict `:` qualified(type($table)) `->` qualified(type($pages))
  }];
  let extraClassDeclaration = [{
    StepKind getStepKind() { return staged(getOperand()).page; }
    bool isByOperand() { return true; }
    bool bringsTile() { return true; }
    TileRole getTileRole() { return TileRole::Pages; }
  }];
}

def Fmha_TileFactorOp : Fmha_Op<"tile_factor", [Fmha_StepInterface, Fmha_LoadsMemory]> {
  let summary = "the factor of an operand that all keys of tile `index` share";
  let description = [{
    A scalar load, and nothing that waits for it. Factors of pages are found `at` the number of
    the page that holds the tile. Of a tile past the last key that of another; without keys anything.
  }];
  let arguments = (ins Fmha_StagedAttr:$operand, Fmha_RowView:$view, I32:$index,
                       Optional<I32>:$page);
  let results = (outs F32:$factor);
  let assemblyFormat = [{
    `` $operand $view `,` $index (`at` $page^)? attr-dict `:` qualified(type($view))
  }];
  let extraClassDeclaration = [{
    StepKind getStepKind() { return staged(getOperand()).scale; }
    bool isByOperand() { return true; }
    bool bringsTile() { return true; }
  }];
}

def Fmha_RowsOp : Fmha_Op<"rows", [
    Pure, Fmha_StepInterface,
    TypesMatchWith<"the rows are of the view", "view", "rows",
        "::mlir::fmha::RowsType::of(::llvm::cast<::mlir::fmha::ViewType>($_self))">]> {
  let summary = "where the rows of tile `index` of an operand lie";
  let description = [{
    One after the other in the view; or, `at` the numbers of pages, in these: all in one
    page (i32), or each key in the page that a tile of numbers has for it. What loads them
    knows no difference. Rows past Sk are as if they were zero; in pages, where the product
    does not sum keys, as if they were any, since scores hide them.
  }];
  let arguments = (ins Fmha_StagedAttr:$operand, Fmha_ViewType:$view, I32:$index,
                       Optional<AnyTypeOf<[I32, Fmha_KeyRows]>>:$pages);
  let results = (outs Fmha_RowsType:$rows);
  let assemblyFormat = [{
    `` $operand $view `,` $index (`at` $pages^ `:` qualified(type($pages)))? attr-dict
    `:` qualified(type($view))
  }];
  let extraClassDeclaration = [{
    StepKind getStepKind() { return staged(getOperand()).load; }
    bool isByOperand() { return true; }
    bool bringsTile() { return true; }
  }];
}

def Fmha_LoadOp : Fmha_Op<"load", [
    MemoryEffects<[MemRead<Fmha_GlobalMemory>]>, Fmha_StepInterface,
    Fmha_NewTileInterface]> {
  let summary = "a tile of an operand, memory to registers";
  let description = [{
    Rows past Sk are zero. `fmha-plan-lds` splits it into an asynchronous load to
    an LDS buffer and a read. Where the tile has more bits an element than the rows,
    elements are converted on their way: then it becomes a load to registers, a write
    that converts, and a read.
  }];
  let arguments = (ins Fmha_StagedAttr:$operand, Fmha_RowsType:$rows);
  let results = (outs Fmha_Matrix:$tile);
  let assemblyFormat = "`` $operand $rows attr-dict `:` qualified(type($rows)) `->` qualified(type($tile))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    StepKind getStepKind() { return staged(getOperand()).load; }
    bool isByOperand() { return true; }
    TileRole getTileRole() { return staged(getOperand()).tile; }
  }];
}

def Fmha_LdsBufferOp : Fmha_Op<"lds_buffer", [Pure]> {
  let summary = "a byte range of the workgroup's LDS";
  let description = [{
    Of several for one operand, tiles take turns in them, in their order. What
    copies into one and reads from it aliases nothing of the others.
  }];
  let arguments = (ins Fmha_OperandAttr:$operand);
  let results = (outs Fmha_LdsType:$buffer);
  let assemblyFormat = "`` $operand attr-dict `:` qualified(type($buffer))";
}

def Fmha_LdsBaseOp : Fmha_Op<"lds_base", [Pure]> {
  let summary = "where the workgroup's LDS begins, so many bytes of it";
  let description = [{ Becomes the address of a global of the module. }];
  let arguments = (ins I64Attr:$bytes);
  let results = (outs AnyType:$base);
  let assemblyFormat = "$bytes attr-dict `:` type($base)";
}

def Fmha_ZerosOp : Fmha_Op<"zeros", [Pure]> {
  let summary = "the address of so many zero bytes in memory";
  let description = [{
    For lanes that load from an address of their own and are to get zeros. Becomes that of
    a constant of the module.
  }];
  let arguments = (ins I64Attr:$bytes);
  let results = (outs I64:$address);
  let assemblyFormat = "$bytes attr-dict";
}

def Fmha_RingSlotOp : Fmha_Op<"ring_slot", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "the buffer whose turn it is";
  let description = [{
    Buffer `number` mod count of a ring of buffers, for a tile whose number, counted
    from the first of the problem's loop, is known when the kernel runs; not
    negative. The buffers are alike and lie at equal distances; the type is that of
    the first.
  }];
  let arguments = (ins I32:$number, Variadic<Fmha_LdsType>:$buffers);
  let results = (outs Fmha_LdsType:$buffer);
  let assemblyFormat = "$number `of` $buffers attr-dict `:` qualified(type($buffers))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// From one buffer to the next.
    int64_t strideBytes();
  }];
}

def Fmha_CopyOp : Fmha_Op<"copy", [
    Fmha_StepInterface, Fmha_LdsAccessInterface, Fmha_VectorMemoryInterface,
    MemoryEffects<[MemRead<Fmha_GlobalMemory>, MemWrite<Fmha_Lds>, MemWrite<Fmha_Sync>]>]> {
  let summary = "a tile of an operand, memory to LDS, asynchronous";
  let description = [{
    `dma` says which piece of the tile each lane, wave and instruction moves; the
    low bits of `reg` are the elements of the 16 or 4 bytes that a lane moves with
    one instruction. Where lanes and waves or instructions change the same bits of
    a coordinate, these are exclusive-ored.
    Counts in vmcnt, one per instruction.
  }];
  let arguments = (ins Fmha_StagedAttr:$operand, Fmha_RowsType:$rows,
                       Fmha_LdsType:$buffer, Fmha_LaneLayoutAttr:$dma);
  let results = (outs Fmha_TokenType:$token);
  let assemblyFormat = [{
    `` $operand $rows `into` $buffer `dma` `(` $dma `)` attr-dict `:` qualified(type($rows))
    `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Fragments of `dma` that an instruction is issued for: those with a
    /// column that is read back in some lane.
    ::llvm::SmallVector<int64_t> issuedFragments();

    StepKind getStepKind() { return staged(getOperand()).load; }
    bool isByOperand() { return true; }
    bool bringsTile() { return true; }
    bool isCopy() { return true; }
    LaneLayoutAttr getTouchLayout() { return getDma(); }
    ::llvm::SmallVector<int64_t> getTouchedFragments() { return issuedFragments(); }
    int64_t getVectorMemoryInstructions() { return issuedFragments().size(); }
  }];
}

def Fmha_FetchOp : Fmha_Op<"fetch", [Fmha_LoadsMemory, Fmha_StepInterface]> {
  let summary = "a tile of an operand, memory to registers, as it will be written";
  let description = [{
    Each lane takes a piece of neighbours in a row with one instruction: a fragment of
    the tile's layout, which is that of the copy that would write LDS. Rows past Sk and
    columns past theirs are zero. Counts in vmcnt, one per instruction; LLVM waits
    for it where its registers are used.
  }];
  let arguments = (ins Fmha_StagedAttr:$operand, Fmha_RowsType:$rows);
  let results = (outs Fmha_WeightMatrix:$tile);
  let assemblyFormat = "`` $operand $rows attr-dict `:` qualified(type($rows)) `->` qualified(type($tile))";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    StepKind getStepKind() { return staged(getOperand()).load; }
    bool isByOperand() { return true; }
    bool bringsTile() { return true; }
  }];
}

def Fmha_WriteOp : Fmha_Op<"write", [
    Fmha_StepInterface, Fmha_LdsAccessInterface,
    MemoryEffects<[MemWrite<Fmha_Lds>]>]> {
  let summary = "a fetched tile, converted to the buffer's elements, registers to LDS";
  let description = [{
    The conversion is exact: the buffer's elements have more bits of exponent and of
    mantissa. So each element is converted once a workgroup, and the waves that read it
    find what they multiply. Done once the stage waited for its LDS accesses.
  }];
  let arguments = (ins Fmha_StagedAttr:$operand, Fmha_WeightMatrix:$tile, Fmha_LdsType:$buffer);
  let results = (outs Fmha_TokenType:$token);
  let assemblyFormat = [{
    `` $operand $tile `into` $buffer attr-dict `:` qualified(type($tile)) `,` qualified(type($buffer))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    StepKind getStepKind() { return staged(getOperand()).write; }
    bool isByOperand() { return true; }
    bool bringsTile() { return true; }
    bool isCopy() { return true; }
    LaneLayoutAttr getTouchLayout() { return getTile().getType().getLayout(); }
    ::llvm::SmallVector<int64_t> getTouchedFragments();
  }];
}

def Fmha_ReadOp : Fmha_Op<"read", [Fmha_GoesOn<"tile">, 
    Fmha_StepInterface, Fmha_LdsAccessInterface, MemoryEffects<[MemRead<Fmha_Lds>]>]> {
  let summary = "fragments of an operand, LDS to registers";
  let description = [{
    A part counts fragments; the rest of the tile is that of
    `partial`.
  }];
  let arguments = (ins Fmha_StagedAttr:$operand, Fmha_LdsType:$buffer,
                       Fmha_TokenType:$token, Optional<Fmha_TileType>:$partial,
                       OptionalAttr<Fmha_PartAttr>:$part);
  let results = (outs Fmha_Matrix:$tile);
  let assemblyFormat = [{
    `` $operand $buffer `after` $token
    (`part` $part^ (`onto` $partial^ `:` qualified(type($partial)))?)? attr-dict `:` qualified(type($buffer)) `->` qualified(type($tile))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    StepKind getStepKind() { return staged(getOperand()).read; }
    bool isByOperand() { return true; }
    bool staysWhole() { return staged(getOperand()).isFurther; }
    ::mlir::MutableOperandRange getChainMutable() { return getPartialMutable(); }
    bool isCopy() { return false; }
    LaneLayoutAttr getTouchLayout() { return getTile().getType().getLayout(); }
    ::llvm::SmallVector<int64_t> getTouchedFragments();
  }];
}

def Fmha_ProductOp : Fmha_VerifiedOp<"product", [Fmha_TypeOf<"acc", "result">, 
    AttrSizedOperandSegments, Fmha_StepInterface, Fmha_NewTileInterface]> {
  let summary = "a tile times one of the operand: S = Q K^T, O' = O + P V";
  let description = [{
    Sums over the columns of `a` and the columns (k) or the rows (v) of `b`. Matrix
    instructions have `b` as their A operand and `a` as their B operand: the result lies
    transposed, and a lane owns one row of it. `a` stays in the registers that it was
    computed in: the fragments of V follow the key order of P's slots, which the
    verifier checks.

    A part counts matrix instructions of a wave, and goes on with `acc`, what earlier
    parts gave. What sums over keys has one from the beginning: the product of
    the tiles before. `start` is one result of a matrix instruction, that all of them
    start from instead of zero. With `exponents`, those of rows of `a`, the matrix
    instruction multiplies by their powers of two (fmha.row_exponents).

    Where K is two tiles, that of its last columns is an operand, `k_rope`, whose product
    goes on with that of the others, and of `a` leaves out as many columns as these are
    (`skip`).

        %s = fmha.product k %q, %k : !q, !k -> !s
        %s1 = fmha.product k_rope %q, %r skip 512 onto %s : !s : !q, !r -> !s
        %o1 = fmha.product v %p, %v onto %o : !o : !p, !v -> !o
  }];
  let arguments = (ins Fmha_StagedAttr:$operand, Fmha_Matrix:$a, Fmha_Matrix:$b,
                       Optional<Fmha_KeyRows>:$exponents,
                       Optional<Fmha_F32Matrix>:$start, Optional<Fmha_F32Matrix>:$acc,
                       OptionalAttr<Fmha_PartAttr>:$part,
                       OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$skip);
  let results = (outs Fmha_F32Matrix:$result);
  let assemblyFormat = [{
    `` $operand $a `,` $b (`skip` $skip^)? (`by` $exponents^ `:` qualified(type($exponents)))?
    (`from` $start^ `:` qualified(type($start)))?
    (`part` $part^)? (`onto` $acc^ `:` qualified(type($acc)))?
    attr-dict `:` qualified(type($a)) `,` qualified(type($b)) `->` qualified(type($result))
  }];
  let extraClassDeclaration = [{
    StepKind getStepKind() { return staged(getOperand()).product; }
    bool isByOperand() { return true; }
    bool staysWhole() { return staged(getOperand()).isFurther; }
    TileRole getTileRole() { return staged(getOperand()).result; }
    ::mlir::MutableOperandRange getChainMutable() { return getAccMutable(); }
  }];
}

def Fmha_KeyLimitOp : Fmha_Op<"key_limit", [Pure, Fmha_NewTile<"Rows">]> {
  let summary = "for each row, the number of keys that it sees: keys j < limit";
  let description = [{
    By the mask of the problem. With d = i + Sk - Sq for row i of the slice, min(Sk, x)
    for x: none Sk, causal and chunked d + 1, causal_top_left i + 1, window d + right + 1.
    May be negative. Grows with i.
  }];
  let results = (outs Fmha_KeyRows:$limit);
  let assemblyFormat = "attr-dict `:` qualified(type($limit))";
}

def Fmha_KeyFirstOp : Fmha_VerifiedOp<"key_first", [Fmha_NewTile<"Rows">]> {
  let summary = "for each row, the first key that it may see";
  let description = [{
    By the mask of the problem. With d = i + Sk - Sq for row i of the slice, max(0, x) for
    x: window d - left, chunked the largest multiple of the chunk at or below d. Grows
    with i.
  }];
  let results = (outs Fmha_KeyRows:$first);
  let assemblyFormat = "attr-dict `:` qualified(type($first))";
}

def Fmha_ScoreModOp : Fmha_Op<"score_mod",
    [SingleBlock, AttrSizedOperandSegments, RecursiveMemoryEffects,
     Fmha_IsStep<"ScoreMod">]> {
  let summary = "a function of each score, its row, key, head and batch";
  let description = [{
    The body gets one score (f32, scaled), and as i32 its row and key within the
    sequences, the head of Q and the batch, and yields the score to use. It holds
    `arith` and `math` ops on scalars.

    In the loop it takes a tile of scores and the index of the key tile:

        %x = fmha.score_mod %s, %t (%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
          …
          fmha.yield %y : f32
        } : !fmha.tile<128x64xf32>

    In a file of its own it has a name instead, and is applied to the scaled
    score, after a soft cap and before ALiBi and bias:

        fmha.score_mod @mine(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) { … }
  }];
  let arguments = (ins OptionalAttr<SymbolNameAttr>:$sym_name,
                       Optional<Fmha_TileType>:$s, Optional<I32>:$index);
  let results = (outs Optional<Fmha_TileType>:$result);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

def Fmha_AddBiasOp : Fmha_Op<"add_bias", [
    AllTypesMatch<["s", "result"]>, Fmha_IsStep<"ScoreMod">, Fmha_LoadsMemory]> {
  let summary = "the additive bias of each score, from memory";
  let description = [{
    One f32 for each row and key. What it adds for keys past Sk is anything.
  }];
  let arguments = (ins Fmha_F32Matrix:$s, Fmha_BiasView:$view, I32:$index);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = [{
    $s `,` $view `,` $index attr-dict `:` qualified(type($s)) `,` qualified(type($view))
  }];
}

def Fmha_SubtractAlibiOp : Fmha_PureOp<"subtract_alibi", [
    Fmha_RowsOf<1, 0>, AllTypesMatch<["s", "result"]>, Fmha_IsStep<"ScoreMod">]> {
  let summary = "ALiBi with a slope of each row: s - slope * |distance from the diagonal|";
  let description = [{
    For schedules whose tiles have rows of several heads; others have it in `score_mod`.
  }];
  let arguments = (ins Fmha_F32Matrix:$s, Fmha_F32Rows:$slopes, I32:$index);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = [{
    $s `,` $slopes `,` $index attr-dict `:` qualified(type($s)) `,` qualified(type($slopes))
  }];
}

def Fmha_ScaleScoresOp : Fmha_PureOp<"scale_scores", [
    Fmha_RowsOf<1, 0>, AllTypesMatch<["s", "result"]>, Fmha_IsStep<"ScoreMod">]> {
  let summary = "scores times a factor of their row";
  let arguments = (ins Fmha_F32Matrix:$s, Fmha_F32Rows:$factor);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = [{
    $s `,` $factor attr-dict `:` qualified(type($s)) `,` qualified(type($factor))
  }];
}

def Fmha_ScaleKeysOp : Fmha_Op<"scale_keys", [
    AllTypesMatch<["s", "result"]>, Fmha_IsStep<"ScoreMod">, Fmha_LoadsMemory]> {
  let summary = "scores times a factor of their key, from memory";
  let description = [{
    One f32 for each key, or for as many as share it: one scalar load where a tile is of one
    factor. Factors of pages are found `at` the number of the page that holds the tile, or at
    those that a table has for its keys. What it makes of keys past Sk is anything.
  }];
  let arguments = (ins Fmha_F32Matrix:$s, Fmha_RowView:$view, I32:$index,
                       Optional<AnyTypeOf<[I32, Fmha_TableView]>>:$pages);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = [{
    $s `,` $view `,` $index (`at` $pages^ `:` qualified(type($pages)))? attr-dict
    `:` qualified(type($s)) `,` qualified(type($view))
  }];
}

def Fmha_MaskOp : Fmha_PureOp<"mask", [Fmha_TypeOf<"first", "limit">, Fmha_RowsOf<1, 0>, 
    AllTypesMatch<["s", "result"]>, Fmha_IsStep<"Mask">]> {
  let summary = "scores of keys that a row does not see become -inf";
  let description = [{
    The test is made only where the wave's rows do not all see the whole tile: a
    uniform branch skips it otherwise.
  }];
  let arguments = (ins Fmha_F32Matrix:$s, Fmha_KeyRows:$limit, I32:$index,
                       Optional<Fmha_KeyRows>:$first);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = [{
    $s `,` $limit `,` $index (`from` $first^ `:` qualified(type($first)))? attr-dict `:` qualified(type($s)) `,` qualified(type($limit))
  }];
}

def Fmha_RescaleOp : Fmha_PureOp<"rescale", [Fmha_RowsOf<1, 0>, AllTypesMatch<["o", "result"]>]> {
  let summary = "O follows the row maximum: o * correction";
  let arguments = (ins Fmha_F32Matrix:$o, Fmha_F32Rows:$correction);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = [{
    $o `,` $correction attr-dict `:` qualified(type($o)) `,` qualified(type($correction))
  }];
}

def Fmha_RowMaxOp : Fmha_PureOp<"row_max",
    [Fmha_RowsOf<1, 0>, Fmha_RowsOf<3, 0>,
     AllTypesMatch<["m", "shift", "m_new", "shift_new", "correction"]>,
     Fmha_IsStep<"RowMax">]> {
  let summary = "the maximum that a step of the softmax subtracts";
  let description = [{
    By the policy of the schedule. Eager: m' = max(m, rowmax(s)).
    Lazy: the same for all rows of a wave if some score of them passes factor * m by
    more than lazy_log2, else m' = m. `shift` is what `subtract` adds: -factor * m
    (`wide`: -m), 0 for a row that saw no key so far; `correction` is
    exp2(factor * (m - m')); `changed`, the same in all lanes, is false only if all
    corrections are 1: lazy ones are then any value.
  }];
  let arguments = (ins Fmha_F32Matrix:$s, Fmha_F32Rows:$m, Fmha_TileType:$shift,
                       Fmha_Factor:$factor, UnitAttr:$wide);
  let results = (outs Fmha_TileType:$m_new, Fmha_TileType:$shift_new,
                      Fmha_TileType:$correction, I1:$changed);
  let assemblyFormat = [{
    $s `,` $m `,` $shift `,` custom<Factor>($factor, type($factor)) (`wide` $wide^)? attr-dict `:` qualified(type($s)) `,` qualified(type($m))
  }];
}

def Fmha_NoMaxOp : Fmha_Op<"no_max", [Pure, Fmha_NewTile<"Base">]> {
  let summary = "minus the maximum of rows that saw no key, 0, plus `lift`";
  let description = [{ In the place of each score of one matrix instruction's result. }];
  let arguments = (ins OptionalAttr<I64Attr>:$lift);
  let results = (outs Fmha_TileType:$base);
  let assemblyFormat = "(`lift` $lift^)? attr-dict `:` qualified(type($base))";
}

def Fmha_RebaseOp : Fmha_PureOp<"rebase",
    [Fmha_RowsOf<2, 0>, Fmha_RowsOf<2, 1>, AllTypesMatch<["s", "s_new"]>, AllTypesMatch<["base", "base_new"]>,
     AllTypesMatch<["limit", "m", "limit_new", "m_new", "correction"]>,
     Fmha_IsStep<"RowMax">]> {
  let summary = "exponents and what they are relative to follow the row maximum, if a score passes a limit";
  let description = [{
    `s` is scores + `base`, base being -m, m the maximum that is subtracted. If some
    score of a wave's rows passes its row's `limit`, then for all of them: s' = s -
    d, base' = base - d, m' = m + d with d = max(rowmax(s), 0), rowmax(s) for a row
    that saw no key so far; limit' = lazy_log2 for rows that saw one, -inf for others;
    correction = exp2(-d), 1 for a row that saw none so far. Else nothing changes.
    With a `factor`, by which scores are multiplied later, limit' = lazy_log2 / factor
    and correction = exp2(-d * factor); `scaled`, where factors change from tile to tile, m' = m + d * factor.
    With a `lift`, base is lift - m: d and limit' are those of s - lift.
  }];
  let arguments = (ins Fmha_F32Matrix:$s, Fmha_F32Matrix:$base, Fmha_F32Rows:$limit,
                       Fmha_TileType:$m, Optional<Fmha_Factor>:$factor,
                       UnitAttr:$scaled, OptionalAttr<I64Attr>:$lift);
  let results = (outs Fmha_TileType:$s_new, Fmha_TileType:$base_new,
                      Fmha_TileType:$limit_new, Fmha_TileType:$m_new,
                      Fmha_TileType:$correction, I1:$changed);
  let assemblyFormat = [{
    $s `,` $base `,` $limit `,` $m custom<OptionalFactor>($factor, type($factor)) (`scaled` $scaled^)? (`lift` $lift^)? attr-dict `:` qualified(type($s)) `,` qualified(type($base))
    `,` qualified(type($limit))
  }];
}

def Fmha_ScoreUnitOp : Fmha_PureOp<"score_unit",
    [Fmha_RowsOf<1, 0>, AllTypesMatch<["base", "base_new"]>, AllTypesMatch<["limit", "m", "limit_new"]>,
     AllTypesMatch<["q", "q_new"]>, AllTypesMatch<["scale", "factor", "factor_new"]>,
     Fmha_IsStep<"UnitK">]> {
  let summary = "what scores are relative to follows the factor of K's tile, where that changed";
  let description = [{
    Scores of a tile are in units of factor' = scale * |own|, kept between 2^-60 and 2^100, `own`
    being the tile's factor: below the least no score is as large as the rounding of a weight.
    `before` is the factor of the tile before, `factor` its unit. In a branch that is uniform in the
    wave, where own is not before: base' = -m / factor', where m is the maximum times its
    factor (`fmha.rebase`, `scaled`); limit' = lazy_log2 / factor' for rows that saw a key; q' = -q where the sign of own is
    not that of before. Without a key in the sequence own is 1. Where own is NaN base is, too, and the unit a number: scores
    that a row does not see are -inf times it.
  }];
  let arguments = (ins Fmha_F32Matrix:$base, Fmha_F32Rows:$limit, Fmha_TileType:$m,
                       Fmha_Weights:$q, Fmha_Factor:$scale, Fmha_Factor:$factor,
                       F32:$before, F32:$own);
  let results = (outs Fmha_TileType:$base_new, Fmha_TileType:$limit_new,
                      Fmha_TileType:$q_new, Fmha_Factor:$factor_new);
  let assemblyFormat = [{
    $base `,` $limit `,` $m `,` $q `,` $scale `,` custom<Factor>($factor, type($factor)) `from` $before `to` $own attr-dict
    `:` qualified(type($base)) `,` qualified(type($limit)) `,` qualified(type($q))
  }];
}

def Fmha_OutputUnitOp : Fmha_PureOp<"output_unit", [
    Fmha_TypeOf<"first", "limit">, Fmha_RowsOf<1, 0>, AllTypesMatch<["o", "o_new"]>,
    AllTypesMatch<["unit", "most", "unit_new", "most_new"]>, Fmha_IsStep<"UnitV">]> {
  let summary = "O follows the factor of V's tile, where that changed";
  let description = [{
    A row of O stands for O * unit. In a branch that is uniform in the wave, where the tile's factor `own` is
    not `before`, that of the tile before: unit' = own, but in magnitude no less than 2^-60 of `most'`, the greatest unit of
    a tile that the row saw, so that O stays an f32; o' = o * unit / unit'. It is 0 while all factors were 0. Rows
    that see no key from this tile on stay as they are, whatever its factor: keys j < limit, and from `first`
    on. Before its first key O of a row is 0, and stays that. Without a key in the sequence own is 1. NaN becomes NaN.
  }];
  let arguments = (ins Fmha_F32Matrix:$o, Fmha_F32Rows:$unit, Fmha_F32Rows:$most,
                       F32:$before, F32:$own, Fmha_KeyRows:$limit, I32:$index,
                       Optional<Fmha_KeyRows>:$first);
  let results = (outs Fmha_TileType:$o_new, Fmha_TileType:$unit_new, Fmha_TileType:$most_new);
  let assemblyFormat = [{
    $o `,` $unit `,` $most `from` $before `to` $own `,` $limit `,` $index (`from` $first^ `:` qualified(type($first)))? attr-dict
    `:` qualified(type($o)) `,` qualified(type($unit)) `,` qualified(type($limit))
  }];
}

def Fmha_SubtractOp : Fmha_PureOp<"subtract", [Fmha_RowsOf<1, 0>, Fmha_RowsOf<2, 0>,
    AllTypesMatch<["s", "result"]>, Fmha_IsStep<"Subtract">]> {
  let summary = "exponents: factor * s + shift, `wide`: factor * (s + shift); plus `lift`";
  let description = [{
    Weights of few bits are lifted, all by the same power of two, so that small ones are
    not rounded to zero; sums and O are lifted alike. The maximum never is.
    A part counts the scores that a lane holds.
  }];
  let arguments = (ins Fmha_F32Matrix:$s, Fmha_F32Rows:$shift, Fmha_Factor:$factor,
                       UnitAttr:$wide, OptionalAttr<I64Attr>:$lift,
                       OptionalAttr<Fmha_PartAttr>:$part);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = [{
    $s `,` $shift `,` custom<Factor>($factor, type($factor)) (`wide` $wide^)? (`lift` $lift^)? (`part` $part^)? attr-dict `:` qualified(type($s)) `,` qualified(type($shift))
  }];
  let extraClassDeclaration = [{ bool worksByScore() { return true; } }];
}

def Fmha_ExpOp : Fmha_PureOp<"exp", [
    AllTypesMatch<["x", "result"]>, Fmha_IsStep<"Exp">]> {
  let summary = "weights: exp2(x)";
  let description = [{ A part counts the scores that a lane holds. }];
  let arguments = (ins Fmha_F32Tile:$x, OptionalAttr<Fmha_PartAttr>:$part);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = "$x (`part` $part^)? attr-dict `:` qualified(type($x))";
  let extraClassDeclaration = [{ bool worksByScore() { return true; } }];
}

def Fmha_RowSumOp : Fmha_VerifiedOp<"row_sum", [Fmha_GoesOn<"sum">, Fmha_TypeOf<"l", "sum">, 
    AttrSizedOperandSegments, Fmha_IsStep<"RowSum">, Fmha_NewTile<"Rows">]> {
  let summary = "the weights that the lane holds of each row, summed";
  let description = [{
    Added to `l`, and to what earlier parts gave, `partial`, where these are there.
    Lanes that share a row each sum their own: `combine_rows` after the loop gives
    the row's. A part counts the scores that a lane holds. Of P in bf16,
    whose weights are rounded, dot products sum two at a time.
  }];
  let arguments = (ins Fmha_Matrix:$x, Optional<Fmha_TileType>:$l,
                       Optional<Fmha_TileType>:$partial,
                       OptionalAttr<Fmha_PartAttr>:$part);
  let results = (outs Fmha_F32Rows:$sum);
  let assemblyFormat = [{
    $x (`to` $l^ `:` qualified(type($l)))?
    (`part` $part^ (`onto` $partial^ `:` qualified(type($partial)))?)? attr-dict
    `:` qualified(type($x)) `->` qualified(type($sum))
  }];
  let extraClassDeclaration = [{
    /// The sum so far is taken by the last part: it may still have to follow the
    /// maximum when the first parts are summed.
    void chain(::mlir::Value before, bool isLast) {
      if (!isLast)
        getLMutable().clear();
      if (before)
        getPartialMutable().assign(before);
    }
    bool worksByScore() { return true; }
  }];
}

def Fmha_CombineRowsOp : Fmha_PureOp<"combine_rows", [AllTypesMatch<["l", "result"]>]> {
  let summary = "the sum of a row over the lanes that share it";
  let arguments = (ins Fmha_F32Rows:$l);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = "$l attr-dict `:` qualified(type($l))";
}

def Fmha_MergeWavesOp : Fmha_PureOp<"merge_waves", [
    AllTypesMatch<["m", "l", "m_new", "l_new"]>, Fmha_NewTile<"Merged">]> {
  let summary = "O, maximum and sum over the keys of all waves that divided them";
  let description = [{
    Each of `key_waves` waves has O and l of its keys, relative to its own maximum m. The
    results are relative to the greatest of them, and added in the order of the waves. All of
    these waves get m and l; of O each gets a share of the columns. `factor` and `wide` as of
    `fmha.row_max`. With `normalized` O of each wave was divided by its l, and the result is
    divided by that of all: so O of waves that multiply V by powers of two of their own is
    merged. What V, times its factors, has of a wave's keys is within f32, as that of a part is. `fmha-plan-lds` makes it a `share` and a `gather`, or several.
  }];
  let arguments = (ins Fmha_F32Matrix:$o, Fmha_F32Rows:$m, Fmha_F32Rows:$l, Fmha_Factor:$factor,
                       UnitAttr:$wide, UnitAttr:$normalized);
  let results = (outs Fmha_F32Matrix:$o_new, Fmha_TileType:$m_new, Fmha_TileType:$l_new);
  let assemblyFormat = [{
    $o `,` $m `,` $l `by` custom<Factor>($factor, type($factor)) (`wide` $wide^)?
    (`normalized` $normalized^)? attr-dict
    `:` qualified(type($o)) `,` qualified(type($m)) `->` qualified(type($o_new))
  }];
}

def Fmha_LdsExchangeOp : Fmha_Op<"lds_exchange", [Pure]> {
  let summary = "bytes of LDS through which waves exchange tiles, from the first one on";
  let description = [{
    They alias buffers: barriers keep what is done with either apart.
  }];
  let results = (outs Fmha_ExchangeType:$exchange);
  let assemblyFormat = "attr-dict `:` qualified(type($exchange))";
}

def Fmha_ShareOp : Fmha_Op<"share", [
    AllTypesMatch<["m", "l"]>, MemoryEffects<[MemWrite<Fmha_Lds>]>]> {
  let summary = "what a wave has of its keys, registers to LDS";
  let description = [{
    m, l and of O a part of the fragments, counted in groups of as many as waves share
    the columns. Each wave has a place of its own, in which each lane finds what that lane of
    another wave left. Done once the wave waited for its LDS accesses.
  }];
  let arguments = (ins Fmha_F32Matrix:$o, Fmha_F32Rows:$m, Fmha_F32Rows:$l,
                       Fmha_ExchangeType:$exchange, OptionalAttr<Fmha_PartAttr>:$part);
  let results = (outs Fmha_TokenType:$token);
  let assemblyFormat = [{
    $o `,` $m `,` $l (`part` $part^)? `into` $exchange attr-dict
    `:` qualified(type($o)) `,` qualified(type($m)) `,` qualified(type($exchange))
  }];
}

def Fmha_GatherOp : Fmha_Op<"gather", [
    AllTypesMatch<["m", "l"]>, Fmha_GoesOn<"o">, MemoryEffects<[MemRead<Fmha_Lds>]>]> {
  let summary = "what waves left in LDS of their keys, merged";
  let description = [{
    As of `fmha.merge_waves`: m and l of all keys, and of the wave's columns of O those of a
    part; the rest is that of `partial`.
  }];
  let arguments = (ins Fmha_ExchangeType:$exchange, Fmha_TokenType:$token, Fmha_Factor:$factor,
                       UnitAttr:$wide, UnitAttr:$normalized, Optional<Fmha_TileType>:$partial,
                       OptionalAttr<Fmha_PartAttr>:$part);
  let results = (outs Fmha_F32Matrix:$o, Fmha_F32Rows:$m, Fmha_TileType:$l);
  let assemblyFormat = [{
    $exchange `after` $token `by` custom<Factor>($factor, type($factor)) (`wide` $wide^)?
    (`normalized` $normalized^)? (`part` $part^ (`onto` $partial^ `:` qualified(type($partial)))?)? attr-dict
    `:` qualified(type($exchange)) `->` qualified(type($o)) `,` qualified(type($m))
  }];
}

def Fmha_MatrixSumOp : Fmha_VerifiedOp<"matrix_sum", [
    AllTypesMatch<["l", "sum"]>, Fmha_IsStep<"RowSum">, Fmha_NewTile<"Sums">]> {
  let summary = "l plus the weights of each row, summed by matrix instructions";
  let description = [{
    P times ones: P as it is rounded is what is summed. Every lane that has a row in
    its layout has the whole row's sum; where the ones are a sparse operand, in parts,
    which `move_rows` adds. A part counts matrix instructions of a wave.
  }];
  let arguments = (ins Fmha_WeightMatrix:$p, Fmha_F32Rows:$l,
                       OptionalAttr<Fmha_PartAttr>:$part);
  let results = (outs Fmha_TileType:$sum);
  let assemblyFormat = [{
    $p `to` $l (`part` $part^)? attr-dict `:` qualified(type($p)) `,` qualified(type($l))
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getChainMutable() { return {getLMutable()}; }
  }];
}

def Fmha_MoveRowsOp : Fmha_VerifiedOp<"move_rows", [Fmha_NewTile<"Rows">]> {
  let summary = "one value a row, in the lanes of another layout";
  let description = [{
    With `parts`, as many registers of a lane, one after the other, hold parts of a
    row's value, which is their sum.
  }];
  let arguments = (ins Fmha_Rows:$rows, OptionalAttr<I64Attr>:$parts);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = "$rows (`parts` $parts^)? attr-dict `:` qualified(type($rows)) `->` qualified(type($result))";
}

def Fmha_ConvertOp : Fmha_VerifiedOp<"convert", [Fmha_GoesOn<"p">, 
    Fmha_IsStep<"Convert">, Fmha_NewTile<"Weights">]> {
  let summary = "P: the weights rounded to the element type";
  let description = [{
    A part counts fragments of P; the rest is that of `partial`.
  }];
  let arguments = (ins Fmha_F32Tile:$x, Optional<Fmha_TileType>:$partial,
                       OptionalAttr<Fmha_PartAttr>:$part);
  let results = (outs Fmha_Weights:$p);
  let assemblyFormat = [{
    $x (`part` $part^ (`onto` $partial^ `:` qualified(type($partial)))?)? attr-dict
    `:` qualified(type($x)) `->` qualified(type($p))
  }];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getChainMutable() { return getPartialMutable(); }
    bool worksByScore() { return true; }
  }];
}

def Fmha_FoldKeysOp : Fmha_Op<"fold_keys", [
    Fmha_RowsOf<3, 0>, AllTypesMatch<["x", "folded"]>,
    AllTypesMatch<["most", "most_new", "correction"]>, Fmha_IsStep<"Convert">, Fmha_LoadsMemory]> {
  let summary = "weights times a factor of their key, from memory, relative to the greatest";
  let description = [{
    The factors are V's: its product with the weights has them, their sum does not. `most` is
    the power of two at or below the greatest |factor| among keys of earlier tiles that had a
    weight in the row, most' of these and this tile's, so that folded = x * factor / (2 most') is
    less than x, and rounds as x * factor does; correction = most / most' is what O has to follow,
    and 2 most' what it is multiplied by in the end. All are 0 while all factors were 0. With a
    `lift`, folded is 2^lift times that, and O with it: of f16 small weights would be subnormal. One
    f32 for each key, or for as many as share it: one scalar load where a tile is of one factor.
    Of pages as in scale_keys.
  }];
  let arguments = (ins Fmha_F32Matrix:$x, Fmha_RowView:$view, I32:$index, Fmha_F32Rows:$most,
                       Optional<AnyTypeOf<[I32, Fmha_TableView]>>:$pages,
                       OptionalAttr<I64Attr>:$lift);
  let results = (outs Fmha_TileType:$folded, Fmha_TileType:$most_new, Fmha_TileType:$correction);
  let assemblyFormat = [{
    $x `,` $view `,` $index `,` $most (`at` $pages^ `:` qualified(type($pages)))? (`lift` $lift^)?
    attr-dict `:` qualified(type($x)) `,` qualified(type($view)) `,` qualified(type($most))
  }];
}

def Fmha_FollowOp : Fmha_PureOp<"follow", [
    Fmha_RowsOf<1, 0>, AllTypesMatch<["o", "result"]>, Fmha_IsStep<"Pv">]> {
  let summary = "O follows the greatest factor of V: o * correction, before the next product";
  let arguments = (ins Fmha_F32Matrix:$o, Fmha_F32Rows:$correction);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = [{
    $o `,` $correction attr-dict `:` qualified(type($o)) `,` qualified(type($correction))
  }];
}

def Fmha_RescaleIfOp : Fmha_VerifiedOp<"rescale_if",
    [Fmha_RowsOf<3, 1>, AllTypesMatch<["o", "o_new"]>, AllTypesMatch<["l", "l_new"]>,
     Fmha_IsStep<"Rescale">]> {
  let summary = "O and l follow the row maximum, where it changed";
  let description = [{
    A branch that is uniform in the wave; none with rescale eager.
  }];
  let arguments = (ins I1:$changed, Fmha_F32Matrix:$o, Fmha_F32Rows:$l,
                       Fmha_F32Rows:$correction);
  let results = (outs Fmha_TileType:$o_new, Fmha_TileType:$l_new);
  let assemblyFormat = [{
    $changed `,` $o `,` $l `,` $correction attr-dict `:` qualified(type($o)) `,`
    qualified(type($l)) `,` qualified(type($correction))
  }];
}

def Fmha_InitOp : Fmha_Op<"init", [Pure]> {
  let summary = "a tile with one value everywhere";
  let arguments = (ins F32Attr:$value);
  let results = (outs Fmha_F32Tile:$tile);
  let assemblyFormat = "$value attr-dict `:` qualified(type($tile))";
}

def Fmha_NormalizeOp : Fmha_PureOp<"normalize", [Fmha_RowsOf<1, 0>, AllTypesMatch<["o", "result"]>]> {
  let summary = "O / l, and 0 where l is 0; times a uniform factor";
  let description = [{
    The factor multiplies the quotient: of a tiny one and a large l the product may be 0.
  }];
  let arguments = (ins Fmha_F32Matrix:$o, Fmha_F32Rows:$l, Optional<F32>:$factor);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = [{
    $o `,` $l (`times` $factor^)? attr-dict `:` qualified(type($o)) `,` qualified(type($l))
  }];
}

def Fmha_LogSumOp : Fmha_PureOp<"log_sum", [AllTypesMatch<["m", "l", "result"]>]> {
  let summary = "ln of the sum of the exponentials: (factor * m + log2(l) - lift) * ln(2)";
  let description = [{ -inf for a row that saw no key. }];
  let arguments = (ins Fmha_F32Rows:$m, Fmha_TileType:$l, Fmha_Factor:$factor,
                       OptionalAttr<I64Attr>:$lift);
  let results = (outs Fmha_TileType:$result);
  let assemblyFormat = [{
    $m `,` $l `,` custom<Factor>($factor, type($factor)) (`lift` $lift^)? attr-dict `:` qualified(type($m))
  }];
}

def Fmha_AddSinkOp : Fmha_PureOp<"add_sink",
    [AllTypesMatch<["log_sum", "result", "weight"]>]> {
  let summary = "one more logit in the sum, that has no value";
  let description = [{
    result = ln(e^log_sum + e^sink), weight = e^(log_sum - result):
    what is left to the keys.
  }];
  let arguments = (ins Fmha_F32Rows:$log_sum, Fmha_Factor:$sink);
  let results = (outs Fmha_TileType:$result, Fmha_TileType:$weight);
  let assemblyFormat = [{
    $log_sum `,` custom<Factor>($sink, type($sink)) attr-dict `:` qualified(type($log_sum))
  }];
}

def Fmha_StoreLseOp : Fmha_Op<"store_lse", [Fmha_StoresMemory]> {
  let summary = "the natural log-sum-exp of each row, registers to memory";
  let description = [{
    Rows past Sq are dropped; of the lanes that hold a row one stores it.
  }];
  let arguments = (ins Fmha_F32Rows:$log_sum, Fmha_RowView:$view);
  let assemblyFormat = [{
    $log_sum `,` $view attr-dict `:` qualified(type($log_sum)) `,` qualified(type($view))
  }];
}

def Fmha_StoreOOp : Fmha_Op<"store_o", [Fmha_StoresMemory]> {
  let summary = "O, rounded to the output type, registers to memory";
  let description = [{
    Rows past Sq are dropped. Lanes of a pair exchange halves so that each stores
    16 contiguous bytes.
  }];
  let arguments = (ins Fmha_F32Matrix:$tile, Fmha_ViewType:$view);
  let assemblyFormat = "$tile `,` $view attr-dict `:` qualified(type($tile)) `,` qualified(type($view))";
  let hasVerifier = 1;
}

#endif // FMHA_STEP_OPS_TD
