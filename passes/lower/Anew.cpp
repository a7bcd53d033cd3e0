// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/Anew.h"
#include "lower/UniformLoad.h"

namespace mlir::fmha {

Value laneNumber(LaneBuilder &b) {
  Type i32 = b.getI32Type();
  Value ones = b.i32(-1);
  Value lane = ROCDL::MbcntLoOp::create(b, i32, ones, b.i32(0), ArrayAttr(),
                                        ArrayAttr());
  lane = ROCDL::MbcntHiOp::create(b, i32, ones, lane, ArrayAttr(), ArrayAttr());
  return anew(b, lane, RegisterKind::Vector);
}

void replaceArguments(LaneBuilder &b, Operation *inside) {
  SmallVector<ArgOp> ops;
  inside->walk([&](ArgOp op) { ops.push_back(op); });
  if (ops.empty())
    return;
  constexpr unsigned kConstantSpace = 4;
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kConstantSpace);
  Value block =
      LLVM::CallIntrinsicOp::create(
          b, pointer, b.getStringAttr("llvm.amdgcn.kernarg.segment.ptr"),
          ValueRange())
          .getResult(0);
  block = LLVM::PtrToIntOp::create(b, b.getI64Type(), block);
  block = anew(b, block, RegisterKind::Scalar);
  llvm::SmallDenseMap<Arg, Value> values;
  for (ArgOp op : ops) {
    Value &value = values[op.getField()];
    if (!value)
      value = loadUniform(b, op.getType(),
                          b.add(block, b.i64(offsetOfArg(op.getField()))),
                          bytesOf(bitsOf(op.getType())));
    op.replaceAllUsesWith(value);
    op.erase();
  }
}

void replaceIds(LaneBuilder &b, Operation *inside, Value wave) {
  Value lane = laneNumber(b);
  Value own = anew(b, wave, RegisterKind::Scalar);
  inside->walk([&](IdOp op) {
    op.replaceAllUsesWith(op.getKind() == Id::Lane ? lane : own);
    op.erase();
  });
}

} // namespace mlir::fmha
