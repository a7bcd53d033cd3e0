// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lower/Lanes.h"

#include "fmhac_abi.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/ScopedPrinter.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_CONTROLTOLLVMPASS
#include "Passes.h.inc"

namespace {

enum class ArgKind { u32, u64, f32, ptr };
/// By the numbers of Arg, whose cases are the rows of this table.
const ArgKind kArgKinds[] = {
#define FMHAC_ARG(type, name, group, doc) ArgKind::type,
#include "fmhac_abi.def"
};
static_assert(getMaxEnumValForArg() + 1 == FMHAC_ARG_COUNT);

/// fmha_codegen.def says of each what it is for.
enum class When { Always, Waves, Unpacked, FewRegisters };
struct CodegenAttribute {
  When when;
  const char *name, *value;
};
const CodegenAttribute kCodegenAttributes[] = {
#define FMHA_CODEGEN_ATTRIBUTE(when, attribute, value)                         \
  {When::when, attribute, value},
#include "c/fmha_codegen.def"
};

Type llvmType(ArgKind kind, MLIRContext *context) {
  switch (kind) {
  case ArgKind::u32:
    return IntegerType::get(context, 32);
  case ArgKind::u64:
    return IntegerType::get(context, 64);
  case ArgKind::f32:
    return Float32Type::get(context);
  case ArgKind::ptr:
    return LLVM::LLVMPointerType::get(context, 1);
  }
  llvm_unreachable("closed enum");
}

class ControlLowering {
public:
  explicit ControlLowering(KernelOp kernel)
      : kernel(kernel), b(kernel.getContext()), kernelLoc(kernel.getLoc()) {}

  LogicalResult run();

private:
  SmallVector<Value> split(Location loc, Value value);
  void rebuild(Location loc, ValueRange parts, ValueRange values,
               ArrayRef<size_t> counts);
  void lowerBranch(scf::IfOp branch);
  void lowerLoop(KvLoopOp loop);
  LLVM::LLVMFuncOp createFunction();
  bool isWanted(When when);
  void setAttributes(LLVM::LLVMFuncOp function);
  void lowerArg(ArgOp op, Block &entry);
  void lowerLdsBase(LdsBaseOp op, LLVM::LLVMFuncOp function);
  Value createId(Id kind);
  void lowerIds(LLVM::LLVMFuncOp function);
  Value workitem();

  KernelOp kernel;
  OpBuilder b;
  Location kernelLoc; ///< of what belongs to the kernel as a whole
};

/// What is passed on of a value: a tile's fragments; what is no tile as it is;
/// tokens are nothing by now.
SmallVector<Value> ControlLowering::split(Location loc, Value value) {
  if (isa<TokenType>(value.getType()))
    return {};
  return isa<TileType>(value.getType())
             ? LaneBuilder(loc, b).toPresentLanes(value)
             : SmallVector<Value>{value};
}

/// Replaces values by what `split` made of them, `counts` parts each.
void ControlLowering::rebuild(Location loc, ValueRange parts, ValueRange values,
                              ArrayRef<size_t> counts) {
  size_t first = 0;
  for (auto [value, count] : llvm::zip(values, counts)) {
    ValueRange own = parts.slice(first, count);
    if (auto tile = dyn_cast<TileType>(value.getType()))
      value.replaceAllUsesWith(LaneBuilder(loc, b).fromPresentLanes(tile, own));
    else if (count)
      value.replaceAllUsesWith(own.front());
    else if (!value.use_empty()) // by an op that should be gone, and is found
      value.replaceAllUsesWith(NoTokenOp::create(b, loc, value.getType()));
    first += count;
  }
}

/// A branch that gives tiles gives their fragments.
void ControlLowering::lowerBranch(scf::IfOp branch) {
  Location loc = branch.getLoc();
  SmallVector<size_t> counts;
  SmallVector<Type> types;
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    auto yield = cast<scf::YieldOp>(block->getTerminator());
    b.setInsertionPoint(yield);
    SmallVector<Value> parts;
    counts.clear();
    for (Value value : yield.getOperands()) {
      SmallVector<Value> own = split(loc, value);
      counts.push_back(own.size());
      parts.append(own);
    }
    types.assign(ValueRange(parts).getTypes().begin(),
                 ValueRange(parts).getTypes().end());
    scf::YieldOp::create(b, yield.getLoc(), parts);
    yield.erase();
  }
  b.setInsertionPoint(branch);
  auto of = scf::IfOp::create(b, loc, types, branch.getCondition(),
                              /*addThenBlock=*/false, /*addElseBlock=*/false);
  of.getThenRegion().takeBody(branch.getThenRegion());
  of.getElseRegion().takeBody(branch.getElseRegion());
  rebuild(loc, of.getResults(), branch.getResults(), counts);
  branch.erase();
}

/// Carried tiles become their fragments, one loop-carried vector each, so that
/// an accumulator stays one register tuple. The loop tests at its end, after a
/// test that it runs at all: LLVM's code generator does not rotate loops, and
/// carried values that leave through a test at the top are copied in every
/// round.
void ControlLowering::lowerLoop(KvLoopOp loop) {
  b.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> inits;
  SmallVector<size_t> counts;
  for (Value init : loop.getInits()) {
    SmallVector<Value> parts = split(loc, init);
    counts.push_back(parts.size());
    inits.append(parts);
  }
  Value lower = loop.getLower(), upper = loop.getUpper();
  auto less = [&](Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  };
  auto guard = scf::IfOp::create(b, loc, ValueRange(inits).getTypes(),
                                 less(lower, upper),
                                 /*withElseRegion=*/!inits.empty());
  if (!inits.empty()) { // without results both blocks end by themselves
    b.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(b, loc, inits);
  }

  b.setInsertionPointToStart(guard.thenBlock());
  SmallVector<Value> starts{lower};
  starts.append(inits);
  TypeRange carriedTypes = ValueRange(starts).getTypes();
  SmallVector<Location> locations(starts.size(), loc);
  auto body = scf::WhileOp::create(b, loc, carriedTypes, starts);
  if (!inits.empty())
    scf::YieldOp::create(b, loc, body.getResults().drop_front());

  Block *to = b.createBlock(&body.getBefore(), {}, carriedTypes, locations);
  Block *from = loop.getBodyBlock();
  rebuild(loc, to->getArguments().drop_front(),
          from->getArguments().drop_front(), counts);
  from->getArgument(0).replaceAllUsesWith(to->getArgument(0));
  Operation *yield = from->getTerminator();
  to->getOperations().splice(to->end(), from->getOperations());
  b.setInsertionPoint(yield);
  Value next = arith::AddIOp::create(b, loc, to->getArgument(0),
                                     LaneBuilder(loc, b).i32(loop.getStep()));
  SmallVector<Value> carried{next};
  for (Value value : yield->getOperands())
    carried.append(split(loc, value));
  scf::ConditionOp::create(b, loc, less(next, upper), carried);
  yield->erase();
  Block *after = b.createBlock(&body.getAfter(), {}, carriedTypes, locations);
  scf::YieldOp::create(b, loc, after->getArguments());

  b.setInsertionPointAfter(guard);
  rebuild(loc, guard.getResults(), loop.getResults(), counts);
  loop.erase();
}

bool ControlLowering::isWanted(When when) {
  switch (when) {
  case When::Always:
  case When::Waves:
    return true;
  case When::Unpacked:
    return kernel.getSchedule().getPacked() == PackedMath::Off;
  case When::FewRegisters:
    return kernel.getFewRegisters();
  }
  llvm_unreachable("closed enum");
}

void ControlLowering::setAttributes(LLVM::LLVMFuncOp function) {
  ScheduleAttr schedule = kernel.getSchedule();
  int64_t threads = schedule.getWaves() * chip::kWaveLanes;
  std::string size = std::to_string(threads);
  function->setAttr("rocdl.kernel", b.getUnitAttr());
  if (LaunchAttr launch = kernel.getLaunchAttr())
    function->setAttr(LaunchAttr::kFunctionAttribute,
                      b.getStringAttr(llvm::to_string(launch)));
  function->setAttr("rocdl.flat_work_group_size",
                    b.getStringAttr(size + "," + size));
  function->setAttr("rocdl.reqd_work_group_size",
                    b.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  function.setTargetCpu("gfx950");
  SmallVector<Attribute> attributes;
  for (const CodegenAttribute &attribute : kCodegenAttributes)
    if (isWanted(attribute.when))
      attributes.push_back(b.getStrArrayAttr(
          {attribute.name, attribute.value
                               ? std::string(attribute.value)
                               : std::to_string(schedule.getWavesPerSimd())}));
  function.setPassthroughAttr(b.getArrayAttr(attributes));
}

LLVM::LLVMFuncOp ControlLowering::createFunction() {
  MLIRContext *context = b.getContext();
  SmallVector<Type> types;
  for (ArgKind kind : kArgKinds)
    types.push_back(llvmType(kind, context));
  b.setInsertionPoint(kernel);
  auto function = LLVM::LLVMFuncOp::create(
      b, kernelLoc, kernel.getSymName(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
  for (auto [i, kind] : llvm::enumerate(kArgKinds)) {
    if (kind != ArgKind::ptr)
      continue;
    // Inputs and outputs of attention are distinct tensors.
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
  }
  setAttributes(function);
  Block *entry = function.addEntryBlock(b);
  Block &body = kernel.getBody().front();
  entry->getOperations().splice(entry->end(), body.getOperations());
  b.setInsertionPointToEnd(entry);
  LLVM::ReturnOp::create(b, kernelLoc, ValueRange());
  return function;
}

void ControlLowering::lowerArg(ArgOp op, Block &entry) {
  const auto index = static_cast<unsigned>(op.getField());
  Value value = entry.getArgument(index);
  b.setInsertionPoint(op);
  if (kArgKinds[index] == ArgKind::ptr)
    value = LLVM::PtrToIntOp::create(b, op.getLoc(), b.getI64Type(), value);
  op.replaceAllUsesWith(value);
  op.erase();
}

void ControlLowering::lowerLdsBase(LdsBaseOp op, LLVM::LLVMFuncOp function) {
  constexpr int64_t kLdsAlignBytes = 1024;
  std::string name = (function.getSymName() + "_lds").str();
  b.setInsertionPointToStart(function->getBlock());
  auto global = LLVM::GlobalOp::create(
      b, kernelLoc, LLVM::LLVMArrayType::get(b.getI8Type(), op.getBytes()),
      /*isConstant=*/false, LLVM::Linkage::Internal, name, Attribute(),
      kLdsAlignBytes, /*addrSpace=*/3);
  b.createBlock(&global.getInitializerRegion());
  Value poison = LLVM::PoisonOp::create(b, kernelLoc, global.getType());
  LLVM::ReturnOp::create(b, kernelLoc, poison);
  b.setInsertionPoint(op);
  op.replaceAllUsesWith(
      LLVM::AddressOfOp::create(b, op.getLoc(), op.getType(), name)
          .getResult());
  op.erase();
}

Value ControlLowering::workitem() {
  int64_t threads = kernel.getSchedule().getWaves() * chip::kWaveLanes;
  auto range = LLVM::ConstantRangeAttr::get(b.getContext(), 32, 0, threads);
  return ROCDL::ThreadIdXOp::create(b, kernelLoc, b.getI32Type(), range);
}

/// The value of an id, at the start of the function: reading a lane is not an
/// operation that LLVM would move out of a loop.
Value ControlLowering::createId(Id kind) {
  LaneBuilder at(kernelLoc, b);
  switch (kind) {
  case Id::Lane:
    return arith::AndIOp::create(at, workitem(), at.i32(chip::kWaveLanes - 1));
  case Id::Wave: {
    // LLVM does not see that this is the same in all lanes of a wave.
    Value wave =
        arith::ShRUIOp::create(at, workitem(), at.i32(chip::kWaveLaneBits));
    return ROCDL::ReadfirstlaneOp::create(at, at.getI32Type(), wave);
  }
  case Id::QTile:
  case Id::Head:
  case Id::Batch:
    break; // refused by run()
  }
  llvm_unreachable("closed enum");
}

void ControlLowering::lowerIds(LLVM::LLVMFuncOp function) {
  b.setInsertionPointToStart(&function.getBody().front());
  llvm::SmallDenseMap<Id, Value> values;
  function.walk([&](IdOp op) {
    Value &value = values[op.getKind()];
    if (!value)
      value = createId(op.getKind());
    op.replaceAllUsesWith(value);
    if (b.getInsertionPoint() == op->getIterator())
      b.setInsertionPointAfter(op);
    op.erase();
  });
}

LogicalResult ControlLowering::run() {
  if (unsigned count = kernel.getBody().front().getNumArguments())
    return kernel.emitOpError()
           << "expected a body without arguments, found " << count;
  SmallVector<KvLoopOp> loops;
  kernel.walk([&](KvLoopOp loop) { loops.push_back(loop); });
  for (KvLoopOp loop : loops)
    lowerLoop(loop);
  SmallVector<scf::IfOp> branches; // inner ones first
  kernel.walk([&](scf::IfOp branch) {
    if (llvm::any_of(branch.getResultTypes(),
                     [](Type type) { return isa<TileType>(type); }))
      branches.push_back(branch);
  });
  for (scf::IfOp branch : branches)
    lowerBranch(branch);

  // Folds to_lanes(from_lanes(x)); what stays is found below, op by op.
  (void)applyPatternsGreedily(kernel, RewritePatternSet(kernel.getContext()));

  kernel.walk([](NoTokenOp token) { // dropped from the loops
    if (token->use_empty())
      token.erase();
  });

  LogicalResult clean = success();
  kernel.walk([&](IdOp op) {
    if (op.getKind() != Id::Lane && op.getKind() != Id::Wave)
      clean = op.emitOpError("expected lane or wave, found '")
              << stringifyId(op.getKind()) << "'; run fmha-place-workgroups";
  });
  kernel.walk([&](Operation *op) {
    if (op == kernel || !isa_and_nonnull<FmhaDialect>(op->getDialect()) ||
        isa<ArgOp, IdOp, LdsBaseOp>(op))
      return;
    clean = op->emitOpError("expected every step to be expanded, found this "
                            "one left over");
  });
  if (failed(clean))
    return failure();

  LLVM::LLVMFuncOp function = createFunction();
  function.walk([&](ArgOp op) { lowerArg(op, function.getBody().front()); });
  lowerIds(function);
  function.walk([&](LdsBaseOp op) { lowerLdsBase(op, function); });
  kernel.erase();
  return success();
}

struct ControlToLlvm : impl::ControlToLlvmPassBase<ControlToLlvm> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SmallVector<KernelOp> kernels(module.getOps<KernelOp>());
    for (KernelOp kernel : kernels)
      if (failed(ControlLowering(kernel).run()))
        return signalPassFailure();
  }
};
} // namespace
} // namespace mlir::fmha
