// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Passes.h"
#include "chip/Chip.h"
#include "lanes/Lanes.h"
#include "work_find.h"

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/Support/ScopedPrinter.h"

namespace mlir::fmha {
#define GEN_PASS_DEF_CONTROLTOLLVMPASS
#include "Passes.h.inc"

namespace {

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

class ControlLowering {
public:
  explicit ControlLowering(EntryOp kernel) : kernel(kernel), b(kernel) {}

  LogicalResult run();

private:
  /// What is passed on of values, and how many parts of each.
  struct Parts {
    Values all;
    SmallVector<size_t> counts;
  };
  Parts split(ValueRange values);
  void rebuild(ValueRange parts, ValueRange values, ArrayRef<size_t> counts);
  void lowerLoop(KvLoopOp loop);
  LLVM::LLVMFuncOp createFunction();
  bool isWanted(When when);
  void setAttributes(LLVM::LLVMFuncOp function);
  void lowerArg(ArgOp op, Block &entry);
  void lowerLdsBase(LdsBaseOp op, LLVM::LLVMFuncOp function);
  void lowerZeros(ZerosOp op, LLVM::LLVMFuncOp function);
  Value createId(Id kind);
  void lowerFind(Operation *op, StringRef suffix, LLVM::LLVMFuncOp function);
  void lowerIds(LLVM::LLVMFuncOp function);
  Value workitem();
  void at(Operation *op) {
    b.setLoc(op->getLoc());
    b.setInsertionPoint(op);
  }

  EntryOp kernel;
  LaneBuilder b;
};

/// A tile's fragments; what is no tile as it is; tokens are nothing by now.
ControlLowering::Parts ControlLowering::split(ValueRange values) {
  Parts parts;
  for (Value value : values) {
    size_t before = parts.all.size();
    if (isa<TileType>(value.getType()))
      parts.all.append(b.toPresentLanes(value));
    else if (!isa<TokenType>(value.getType()))
      parts.all.push_back(value);
    parts.counts.push_back(parts.all.size() - before);
  }
  return parts;
}

/// Replaces values by what `split` made of them, `counts` parts each.
void ControlLowering::rebuild(ValueRange parts, ValueRange values,
                              ArrayRef<size_t> counts) {
  for (auto [value, count] : llvm::zip(values, counts)) {
    if (auto tile = dyn_cast<TileType>(value.getType()))
      value.replaceAllUsesWith(
          b.fromPresentLanes(tile, parts.take_front(count)));
    else if (count)
      value.replaceAllUsesWith(parts.front());
    else if (!value.use_empty()) // by an op that should be gone, and is found
      value.replaceAllUsesWith(NoTokenOp::create(b, value.getType()));
    parts = parts.drop_front(count);
  }
}

/// Carried tiles become their fragments, one loop-carried vector each, so that
/// an accumulator stays one register tuple. The loop tests at its end, after a
/// test that it runs at all: LLVM's code generator does not rotate loops, and
/// carried values that leave through a test at the top are copied in every
/// round.
void ControlLowering::lowerLoop(KvLoopOp loop) {
  at(loop);
  constexpr auto kLess = arith::CmpIPredicate::slt;
  Parts inits = split(loop.getInits());
  Value lower = loop.getLower(), upper = loop.getUpper();
  bool carries = !inits.all.empty(); // without, blocks end by themselves
  auto guard = scf::IfOp::create(b, ValueRange(inits.all).getTypes(),
                                 b.cmp(kLess, lower, upper),
                                 /*withElseRegion=*/carries);
  if (carries) {
    b.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(b, inits.all);
  }

  b.setInsertionPointToStart(guard.thenBlock());
  Values starts{lower};
  starts.append(inits.all);
  TypeRange carriedTypes = ValueRange(starts).getTypes();
  SmallVector<Location> locations(starts.size(), b.getLoc());
  auto body = scf::WhileOp::create(b, carriedTypes, starts);
  if (carries)
    scf::YieldOp::create(b, body.getResults().drop_front());

  Block *to = b.createBlock(&body.getBefore(), {}, carriedTypes, locations);
  Block *from = loop.getBodyBlock();
  rebuild(to->getArguments().drop_front(), from->getArguments().drop_front(),
          inits.counts);
  from->getArgument(0).replaceAllUsesWith(to->getArgument(0));
  Operation *yield = from->getTerminator();
  to->getOperations().splice(to->end(), from->getOperations());
  b.setInsertionPoint(yield);
  Value next = b.add(to->getArgument(0), b.i32(loop.getStep()));
  Values carried{next};
  carried.append(split(yield->getOperands()).all);
  scf::ConditionOp::create(b, b.cmp(kLess, next, upper), carried);
  yield->erase();
  Block *after = b.createBlock(&body.getAfter(), {}, carriedTypes, locations);
  scf::YieldOp::create(b, after->getArguments());

  b.setInsertionPointAfter(guard);
  rebuild(guard.getResults(), loop.getResults(), inits.counts);
  loop.erase();
}

bool ControlLowering::isWanted(When when) {
  switch (when) {
  case When::Always:
  case When::Waves:
    return true;
  case When::Unpacked:
    return !kernel.packsMath();
  case When::FewRegisters:
    return kernel.savesRegisters();
  }
  llvm_unreachable("closed enum");
}

void ControlLowering::setAttributes(LLVM::LLVMFuncOp function) {
  int64_t threads = kernel.waveCount() * chip::kWaveLanes;
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
                               : std::to_string(kernel.wavesOfSimd())}));
  function.setPassthroughAttr(b.getArrayAttr(attributes));
}

LLVM::LLVMFuncOp ControlLowering::createFunction() {
  MLIRContext *context = b.getContext();
  SmallVector<Arg> args;
  for (unsigned i = 0; i <= getMaxEnumValForArg(); ++i)
    args.push_back(Arg(i));
  auto types = llvm::map_to_vector(args, [&](Arg arg) -> Type {
    if (isAddress(arg))
      return LLVM::LLVMPointerType::get(context, /*addressSpace=*/1);
    return typeOfArg(arg, context);
  });
  at(kernel);
  auto function = LLVM::LLVMFuncOp::create(
      b, kernel.getSymNameAttr(),
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(context), types));
  // Inputs and outputs of attention are distinct tensors.
  for (Arg arg : llvm::make_filter_range(args, isAddress))
    function.setArgAttr(unsigned(arg), LLVM::LLVMDialect::getNoAliasAttrName(),
                        b.getUnitAttr());
  setAttributes(function);
  Block *entry = function.addEntryBlock(b);
  Block &body = kernel.getBody().front();
  entry->getOperations().splice(entry->end(), body.getOperations());
  b.setInsertionPointToEnd(entry);
  LLVM::ReturnOp::create(b, ValueRange());
  return function;
}

void ControlLowering::lowerArg(ArgOp op, Block &entry) {
  Value value = entry.getArgument(static_cast<unsigned>(op.getField()));
  at(op);
  if (isAddress(op.getField()))
    value = LLVM::PtrToIntOp::create(b, b.getI64Type(), value);
  op.replaceAllUsesWith(value);
  op.erase();
}

void ControlLowering::lowerLdsBase(LdsBaseOp op, LLVM::LLVMFuncOp function) {
  constexpr int64_t kLdsAlignBytes = 1024;
  std::string name = (function.getSymName() + "_lds").str();
  b.setLoc(function.getLoc());
  b.setInsertionPointToStart(function->getBlock());
  auto global = LLVM::GlobalOp::create(
      b, LLVM::LLVMArrayType::get(b.getI8Type(), op.getBytes()),
      /*isConstant=*/false, LLVM::Linkage::Internal, name, Attribute(),
      kLdsAlignBytes, /*addrSpace=*/3);
  b.createBlock(&global.getInitializerRegion());
  Value poison = LLVM::PoisonOp::create(b, global.getType());
  LLVM::ReturnOp::create(b, poison);
  at(op);
  op.replaceAllUsesWith(
      LLVM::AddressOfOp::create(b, op.getType(), name).getResult());
  op.erase();
}

/// There is one in a function.
void ControlLowering::lowerZeros(ZerosOp op, LLVM::LLVMFuncOp function) {
  constexpr unsigned kConstantSpace = 4;
  std::string name = (function.getSymName() + "_zeros").str();
  auto type = LLVM::LLVMArrayType::get(b.getI8Type(), op.getBytes());
  b.setLoc(function.getLoc());
  b.setInsertionPointToStart(function->getBlock());
  auto global = LLVM::GlobalOp::create(
      b, type, /*isConstant=*/true, LLVM::Linkage::Internal, name, Attribute(),
      /*alignment=*/op.getBytes(), kConstantSpace);
  b.createBlock(&global.getInitializerRegion());
  Value zero = LLVM::ZeroOp::create(b, type);
  LLVM::ReturnOp::create(b, zero);
  at(op);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kConstantSpace);
  Value address = LLVM::AddressOfOp::create(b, pointer, name);
  op.replaceAllUsesWith(
      LLVM::PtrToIntOp::create(b, b.getI64Type(), address).getResult());
  op.erase();
}

/// A call of what is linked later: it leaves the words in a private array, of
/// which LLVM makes registers.
void ControlLowering::lowerFind(Operation *op, StringRef suffix,
                                LLVM::LLVMFuncOp function) {
  constexpr unsigned kPrivateSpace = 5;
  constexpr int64_t kWordBytes = 4;
  std::string name = (function.getSymName() + suffix).str();
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), kPrivateSpace);
  Type i32 = b.getI32Type();
  auto callee = SymbolTable::lookupNearestSymbolFrom<LLVM::LLVMFuncOp>(
      function, b.getStringAttr(name));
  if (!callee) {
    b.setLoc(function.getLoc());
    b.setInsertionPoint(function);
    SmallVector<Type> types{pointer};
    llvm::append_range(types, op->getOperandTypes());
    callee = LLVM::LLVMFuncOp::create(
        b, name,
        LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()),
                                    types));
  }
  b.setLoc(op->getLoc());
  b.setInsertionPointToStart(&function.getBody().front());
  Value words = LLVM::AllocaOp::create(
      b, pointer, LLVM::LLVMArrayType::get(i32, op->getNumResults()), b.i32(1),
      kWordBytes);
  b.setInsertionPoint(op);
  Values arguments{words};
  llvm::append_range(arguments, op->getOperands());
  LLVM::CallOp::create(b, callee, arguments);
  for (auto [i, word] : llvm::enumerate(op->getResults())) {
    Value at = LLVM::GEPOp::create(b, pointer, i32, words,
                                   ArrayRef<LLVM::GEPArg>{int32_t(i)});
    word.replaceAllUsesWith(LLVM::LoadOp::create(b, i32, at, kWordBytes));
  }
  op->erase();
}

Value ControlLowering::workitem() {
  int64_t threads = kernel.waveCount() * chip::kWaveLanes;
  auto range = LLVM::ConstantRangeAttr::get(b.getContext(), 32, 0, threads);
  return ROCDL::ThreadIdXOp::create(b, b.getI32Type(), range);
}

/// The value of an id, at the start of the function: reading a lane is not an
/// operation that LLVM would move out of a loop.
Value ControlLowering::createId(Id kind) {
  switch (kind) {
  case Id::Lane:
    return arith::AndIOp::create(b, workitem(), b.i32(chip::kWaveLanes - 1));
  case Id::Wave: {
    // LLVM does not see that this is the same in all lanes of a wave.
    Value wave =
        arith::ShRUIOp::create(b, workitem(), b.i32(chip::kWaveLaneBits));
    return ROCDL::ReadfirstlaneOp::create(b, b.getI32Type(), wave);
  }
  case Id::QTile:
  case Id::Head:
  case Id::Batch:
    break; // refused by run()
  }
  llvm_unreachable("closed enum");
}

void ControlLowering::lowerIds(LLVM::LLVMFuncOp function) {
  b.setLoc(function.getLoc());
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
  if (kernel.getBody().empty())
    return kernel->emitOpError(
        "expected a body, found none; run fmha-lower-combine");
  if (unsigned count = kernel.getBody().front().getNumArguments())
    return kernel->emitOpError()
           << "expected a body without arguments, found " << count;
  // Inner ones first: what stands in them is not walked again.
  kernel->walk([&](KvLoopOp loop) { lowerLoop(loop); });

  // Folds to_lanes(from_lanes(x)); what stays is found below, op by op.
  (void)applyPatternsGreedily(kernel, RewritePatternSet(kernel.getContext()));

  kernel->walk([](NoTokenOp token) { // dropped from the loops
    if (token->use_empty())
      token.erase();
  });

  LogicalResult clean = success();
  kernel->walk([&](IdOp op) {
    if (op.getKind() != Id::Lane && op.getKind() != Id::Wave)
      clean = op.emitOpError("expected lane or wave, found '")
              << stringifyId(op.getKind()) << "'; run fmha-place-workgroups";
  });
  kernel->walk([&](Operation *op) {
    if (op == kernel || !isa_and_nonnull<FmhaDialect>(op->getDialect()) ||
        isa<ArgOp, FindItemOp, FindPartsOp, IdOp, LdsBaseOp, ZerosOp>(op))
      return;
    clean = op->emitOpError("expected every step to be expanded, found this "
                            "one left over");
  });
  if (failed(clean))
    return failure();

  LLVM::LLVMFuncOp function = createFunction();
  function.walk([&](ArgOp op) { lowerArg(op, function.getBody().front()); });
  lowerIds(function);
  function.walk([&](FindItemOp op) {
    lowerFind(op,
              op.getAfter().empty() ? FMHAC_FIND_NAME_FIRST
                                    : FMHAC_FIND_NAME_NEXT,
              function);
  });
  function.walk(
      [&](FindPartsOp op) { lowerFind(op, FMHAC_FIND_NAME_PARTS, function); });
  function.walk([&](LdsBaseOp op) { lowerLdsBase(op, function); });
  function.walk([&](ZerosOp op) { lowerZeros(op, function); });
  kernel->erase();
  return success();
}

struct ControlToLlvm : impl::ControlToLlvmPassBase<ControlToLlvm> {
  LogicalResult run(ModuleOp module) override {
    SmallVector<EntryOp> kernels(module.getOps<EntryOp>());
    for (EntryOp kernel : kernels)
      if (failed(ControlLowering(kernel).run()))
        return failure();
    return success();
  }
};
} // namespace
} // namespace mlir::fmha
