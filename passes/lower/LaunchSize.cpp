// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lower/LaunchSize.h"

#include "launch_expr.h"
#include "lower/Lanes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::fmha;

/// The field of the argument block that holds a size.
static std::optional<Arg> fieldOf(fmhac_launch_name name) {
  switch (name) {
  case FMHAC_LAUNCH_SQ:
    return Arg::SeqlenQ;
  case FMHAC_LAUNCH_SK:
    return Arg::SeqlenKv;
  case FMHAC_LAUNCH_B:
    return Arg::Batch;
  case FMHAC_LAUNCH_HQ:
    return Arg::HeadsQ;
  case FMHAC_LAUNCH_HK:
    return Arg::HeadsKv;
  case FMHAC_LAUNCH_CUS:
  case FMHAC_LAUNCH_SPLITS:
  case FMHAC_LAUNCH_NAMES:
    return {};
  }
  llvm_unreachable("closed enum");
}

/// x and y are at least 0, y at least 1.
static Value ceilDivide(OpBuilder &b, Location loc, Value x, Value y) {
  APInt divisor;
  Value most = matchPattern(y, m_ConstantInt(&divisor))
                   ? constantI32(b, loc, divisor.getSExtValue() - 1)
                   : arith::SubIOp::create(b, loc, y, constantI32(b, loc, 1));
  return arith::DivUIOp::create(b, loc, arith::AddIOp::create(b, loc, x, most),
                                y);
}

static Value combine(OpBuilder &b, Location loc, fmhac_launch_op op, Value x,
                     Value y) {
  switch (op) {
  case FMHAC_LAUNCH_ADD:
    return arith::AddIOp::create(b, loc, x, y);
  case FMHAC_LAUNCH_SUBTRACT:
    return arith::SubIOp::create(b, loc, x, y);
  case FMHAC_LAUNCH_MULTIPLY:
    return arith::MulIOp::create(b, loc, x, y);
  case FMHAC_LAUNCH_CEIL_DIVIDE:
    return ceilDivide(b, loc, x, y);
  case FMHAC_LAUNCH_MIN:
    return arith::MinSIOp::create(b, loc, x, y);
  case FMHAC_LAUNCH_MAX:
    return arith::MaxSIOp::create(b, loc, x, y);
  case FMHAC_LAUNCH_NUMBER:
  case FMHAC_LAUNCH_NAME:
  case FMHAC_LAUNCH_AT_MOST:
  case FMHAC_LAUNCH_AND:
    break; // no operations of a size
  }
  llvm_unreachable("closed enum");
}

Value fmha::emitLaunchSize(OpBuilder &b, Location loc, StringAttr expression) {
  fmhac_launch_expr expr;
  size_t offset;
  (void)fmhac_launch_expr_parse(expression.getValue().str().c_str(),
                                /*is_condition=*/false, &expr, &offset);
  SmallVector<Value> stack;
  for (size_t i = 0; i < expr.count; ++i) {
    int64_t value = expr.nodes[i].value;
    switch (fmhac_launch_op op = expr.nodes[i].op) {
    case FMHAC_LAUNCH_NUMBER:
      stack.push_back(constantI32(b, loc, value));
      break;
    case FMHAC_LAUNCH_NAME: {
      std::optional<Arg> field = fieldOf(static_cast<fmhac_launch_name>(value));
      if (!field)
        return {};
      stack.push_back(ArgOp::create(b, loc, b.getI32Type(), *field));
      break;
    }
    default: {
      Value y = stack.pop_back_val(), x = stack.pop_back_val();
      stack.push_back(combine(b, loc, op, x, y));
    }
    }
  }
  return stack.front();
}
