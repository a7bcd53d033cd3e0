// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Tile, LDS, view and token types: syntax and verifiers.
#include "FmhaDialect.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::fmha;

static ParseResult parseShape(AsmParser &parser, SmallVector<int64_t> &shape,
                              Type &element) {
  return failure(parser.parseDimensionList(shape, /*allowDynamic=*/false) ||
                 parser.parseType(element));
}

static void printShape(AsmPrinter &printer, ArrayRef<int64_t> shape,
                       Type element) {
  for (int64_t dim : shape)
    printer << dim << "x";
  printer << element;
}

/// `64x256xbf16`, then `cols = 192` if fewer than the shape has, then a lane
/// layout if there is one.
static ParseResult parsePaddedShape(AsmParser &parser,
                                    SmallVector<int64_t> &shape, Type &element,
                                    int64_t &cols, LaneLayoutAttr &layout) {
  if (parseShape(parser, shape, element))
    return failure();
  cols = shape.empty() ? 0 : shape.back();
  layout = {};
  if (failed(parser.parseOptionalComma()))
    return success();
  if (succeeded(parser.parseOptionalKeyword("cols"))) {
    if (parser.parseEqual() || parser.parseInteger(cols))
      return failure();
    if (failed(parser.parseOptionalComma()))
      return success();
  }
  return parser.parseAttribute(layout);
}

static void printPaddedShape(AsmPrinter &printer, ArrayRef<int64_t> shape,
                             Type element, int64_t cols,
                             LaneLayoutAttr layout) {
  printShape(printer, shape, element);
  if (cols != shape.back())
    printer << ", cols = " << cols;
  if (layout)
    printer << ", " << layout;
}

#define GET_TYPEDEF_CLASSES
#include "FmhaTypes.cpp.inc"

void FmhaDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "FmhaTypes.cpp.inc"
      >();
}

static LogicalResult verifyDims(EmitError emitError, ArrayRef<int64_t> shape,
                                StringRef what) {
  for (int64_t dim : shape)
    if (dim < 1 || !llvm::isPowerOf2_64(dim))
      return emitError() << "expected " << what
                         << " dimensions to be powers of two, found " << dim;
  return success();
}

SmallVector<int64_t> TileType::presentFragments() const {
  LaneLayoutAttr layout = getLayout();
  unsigned colDim = getShape().size() - 1;
  SmallVector<int64_t> present;
  for (int64_t i = 0; i < layout.getFragments(); ++i)
    if (layout.regCoord(i * layout.getFragment(), colDim) < getCols())
      present.push_back(i);
  return present;
}

LogicalResult ExchangeType::verify(EmitError emitError, int64_t bytes) {
  if (bytes < 1)
    return emitError() << "expected bytes of an exchange, found " << bytes;
  return success();
}

LogicalResult TileType::verify(EmitError emitError, ArrayRef<int64_t> shape,
                               Type element, int64_t cols,
                               LaneLayoutAttr layout) {
  if (shape.empty() || shape.size() > 2)
    return emitError() << "expected a tile of 1 or 2 dimensions, found "
                       << shape.size();
  if (failed(verifyDims(emitError, shape, "tile")))
    return failure();
  if (cols < 1 || cols > shape.back())
    return emitError() << "expected cols in 1.." << shape.back() << ", found "
                       << cols;
  if (!kindOf(element) && !element.isF32() && !element.isInteger(32))
    return emitError() << "expected tile elements f32, i32, " << kKindTypes
                       << ", found " << element;
  if (!layout)
    return success();
  if (layout.getRank() != int64_t(shape.size()))
    return emitError() << "expected a lane layout of rank " << shape.size()
                       << ", found rank " << layout.getRank();
  // Every index bit of a dimension must come from one basis, and nothing beyond
  // the dimension from any.
  for (auto [dim, size] : llvm::enumerate(shape)) {
    int64_t covered = 0;
    for (ArrayRef<int64_t> bases :
         {layout.getReg(), layout.getLane(), layout.getWave()})
      for (size_t i = dim; i < bases.size(); i += shape.size()) {
        if (bases[i] & (bases[i] - 1))
          return emitError() << "expected basis coordinates of a tile to be 0 "
                                "or a power of two, found "
                             << bases[i];
        if (covered & bases[i])
          return emitError()
                 << "expected the lane layout to cover indices 0.." << size - 1
                 << " of dimension " << dim << ", each bit once, found offset "
                 << bases[i] << " twice";
        covered |= bases[i];
      }
    if (covered != size - 1)
      return emitError() << "expected the lane layout to cover indices 0.."
                         << size - 1 << " of dimension " << dim
                         << ", found index bits " << covered << " of "
                         << size - 1;
  }
  return success();
}

LogicalResult LdsType::verify(EmitError emitError, ArrayRef<int64_t> shape,
                              Type element, int64_t offsetBytes,
                              LdsLayoutAttr layout) {
  if (shape.size() != 2)
    return emitError() << "expected an LDS buffer of 2 dimensions, found "
                       << shape.size();
  if (failed(verifyDims(emitError, shape, "LDS buffer")))
    return failure();
  if (!kindOf(element))
    return emitError() << "expected LDS buffer elements " << kKindTypes
                       << ", found " << element;
  if (offsetBytes < 0 || offsetBytes % 16)
    return emitError() << "expected an LDS offset that is a multiple of 16 "
                          "bytes, found "
                       << offsetBytes;
  size_t rowBits = llvm::Log2_64_Ceil(shape[0]);
  size_t colBits = llvm::Log2_64_Ceil(shape[1]);
  if (layout.getRow().size() != rowBits || layout.getCol().size() != colBits)
    return emitError() << "expected masks for " << rowBits << " row bits and "
                       << colBits << " column bits, found "
                       << layout.getRow().size() << " and "
                       << layout.getCol().size();
  int64_t elemBytes = bytesOf(bitsOf(element)), all = 0;
  for (ArrayRef<int64_t> masks : {layout.getRow(), layout.getCol()})
    for (int64_t mask : masks)
      all |= mask;
  if (all && all % (2 * elemBytes) != elemBytes)
    return emitError() << "expected masks that are multiples of the "
                       << elemBytes << " bytes of an element and one that is "
                       << "not of twice as many, found bits " << all;
  return success();
}

LogicalResult ViewType::verify(EmitError emitError, int64_t cols,
                               Type element) {
  if (cols < 1)
    return emitError() << "expected a view of at least 1 column, found "
                       << cols;
  if (!kindOf(element) && !element.isF32() && !element.isInteger(32))
    return emitError() << "expected view elements f32, i32, " << kKindTypes
                       << ", found " << element;
  return success();
}

LogicalResult RowsType::verify(EmitError emitError, int64_t cols,
                               Type element) {
  if (cols < 1)
    return emitError() << "expected rows of at least 1 column, found " << cols;
  if (!kindOf(element) && !element.isF32())
    return emitError() << "expected elements of rows f32, " << kKindTypes
                       << ", found " << element;
  return success();
}
