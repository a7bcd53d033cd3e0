// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// StrAttr in a comment
def Op : Op<"op"> {
  let description = [{ A StringAttr in prose. }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$mode);
}
def Attr : AttrDef<"attr"> {
  let parameters = (ins StringRefParameter<"">:$layout, "::mlir::StringAttr":$name);
}
