// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FMHA_TYPES_TD
#define FMHA_TYPES_TD

include "FmhaAttrs.td"

class Fmha_Type<string typeName, string typeMnemonic>
    : TypeDef<Fmha_Dialect, typeName> {
  let mnemonic = typeMnemonic;
}

def Fmha_TileType : Fmha_Type<"Tile", "tile"> {
  let summary = "a tile in the registers of a workgroup";
  let description = [{
    One or two dimensions in elements, an element type, and from the `layouts`
    rung on a lane layout. `!fmha.tile<128x64xf32>`.

    Dimensions are powers of two. `cols` of the columns are data, all of them
    where it is not given; the others are zero, and what would hold nothing but
    them is in no register: `!fmha.tile<64x256xbf16, cols = 192>`.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$element,
    "int64_t":$cols,
    OptionalParameter<"::mlir::fmha::LaneLayoutAttr">:$layout
  );
  let genVerifyDecl = 1;
  let assemblyFormat = [{
    `<` custom<PaddedShape>($shape, $element, $cols, $layout) `>`
  }];
  let extraClassDeclaration = [{
    /// Dimension `dim` in elements.
    int64_t dim(unsigned index) const { return getShape()[index]; }
    /// The same tile with a lane layout.
    TileType withLayout(LaneLayoutAttr layout) const {
      return get(getContext(), getShape(), getElement(), getCols(), layout);
    }
    /// Fragments that a lane holds, by their place among those of a tile
    /// without padding: those with a column of data in some lane. Needs a lane
    /// layout.
    ::llvm::SmallVector<int64_t> presentFragments() const;
  }];
}

def Fmha_LdsType : Fmha_Type<"Lds", "lds"> {
  let summary = "a buffer in LDS that holds one tile";
  let description = [{
    Shape, element type, first byte and layout:
    `!fmha.lds<64x128xbf16, 0, #fmha.lds_layout<…>>`.
  }];
  let parameters = (ins
    ArrayRefParameter<"int64_t">:$shape,
    "::mlir::Type":$element,
    "int64_t":$offset_bytes,
    "::mlir::fmha::LdsLayoutAttr":$layout
  );
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` custom<Shape>($shape, $element) `,` $offset_bytes `,` $layout `>`";
}

def Fmha_ExchangeType : Fmha_Type<"Exchange", "exchange"> {
  let summary = "the first bytes of LDS, through which waves exchange what they hold";
  let description = [{
    They may be those of buffers, which nobody uses meanwhile: `!fmha.exchange<34816>`.
  }];
  let parameters = (ins "int64_t":$bytes);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $bytes `>`";
}

def Fmha_ViewType : Fmha_Type<"View", "view"> {
  let summary = "one (batch, head) slice of a tensor in memory, rows of `cols` elements";
  let parameters = (ins "int64_t":$cols, "::mlir::Type":$element);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $cols `,` $element `>`";
}

def Fmha_RowsType : Fmha_Type<"Rows", "rows"> {
  let summary = "where the rows of one tile lie in memory, `cols` elements each";
  let parameters = (ins "int64_t":$cols, "::mlir::Type":$element);
  let genVerifyDecl = 1;
  let assemblyFormat = "`<` $cols `,` $element `>`";
  let extraClassDeclaration = [{
    /// Those of a view.
    static RowsType of(ViewType view) {
      return get(view.getContext(), view.getCols(), view.getElement());
    }
  }];
}

def Fmha_TokenType : Fmha_Type<"Token", "token"> {
  let summary = "an asynchronous load to LDS that was issued, or a write to it";
}

// Tiles and views by what they hold.
class Fmha_TileThat<string condition, string what>
    : Type<And<[Fmha_TileType.predicate,
                CPred<!subst("$tile", "::llvm::cast<::mlir::fmha::TileType>($_self)",
                             condition)>]>,
           what, "::mlir::fmha::TileType">;
defvar two = "$tile.getShape().size() == 2";
defvar one = "$tile.getShape().size() == 1";
defvar f32 = "$tile.getElement().isF32()";
def Fmha_Matrix : Fmha_TileThat<two, "a tile of two dimensions">;
def Fmha_F32Tile : Fmha_TileThat<f32, "a tile of f32">;
def Fmha_F32Matrix : Fmha_TileThat<!strconcat(two, " && ", f32), "a tile of two dimensions of f32">;
defvar rounded = "::mlir::fmha::kindOf($tile.getElement()).has_value()";
def Fmha_Weights : Fmha_TileThat<rounded, "a tile of bf16, f16, fp8 or bf8">;
def Fmha_WeightMatrix : Fmha_TileThat<!strconcat(two, " && ", rounded),
                                    "a tile of two dimensions of bf16, f16, fp8 or bf8">;
def Fmha_Rows : Fmha_TileThat<one, "a tile of one dimension">;
def Fmha_F32Rows : Fmha_TileThat<!strconcat(one, " && ", f32), "a tile of one dimension of f32">;
def Fmha_KeyRows : Fmha_TileThat<
    !strconcat(one, " && $tile.getElement().isInteger(32)"), "a tile of one dimension of i32">;
class Fmha_F32View<string columns, string what>
    : Type<And<[Fmha_ViewType.predicate,
                CPred<"::llvm::cast<::mlir::fmha::ViewType>($_self).getElement().isF32()">,
                CPred<"::llvm::cast<::mlir::fmha::ViewType>($_self).getCols() " # columns>]>,
           what, "::mlir::fmha::ViewType">;
def Fmha_TableView
    : Type<And<[Fmha_ViewType.predicate,
                CPred<"::llvm::cast<::mlir::fmha::ViewType>($_self).getElement().isInteger(32)">]>,
           "a view of i32", "::mlir::fmha::ViewType">;
def Fmha_BiasView : Fmha_F32View<">= 1", "a view of f32">;
def Fmha_RowView : Fmha_F32View<"== 1", "a view of one column of f32">;

#endif // FMHA_TYPES_TD
