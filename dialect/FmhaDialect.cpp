// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "FmhaDialect.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::fmha;

#include "FmhaDialect.cpp.inc"
#include "FmhaEnums.cpp.inc"
#include "FmhaInterfaces.cpp.inc"

namespace {
/// Layouts and schedules print once, under a name.
struct FmhaAliases : OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;
  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (isa<LaneLayoutAttr>(attr))
      os << "lanes";
    else if (isa<LdsLayoutAttr>(attr))
      os << "lds_layout";
    else if (isa<ScheduleAttr>(attr))
      os << "schedule";
    else if (isa<ProblemAttr>(attr))
      os << "problem";
    else
      return AliasResult::NoAlias;
    return AliasResult::OverridableAlias;
  }
};
} // namespace

void FmhaDialect::initialize() {
  addInterfaces<FmhaAliases>();
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "FmhaOps.cpp.inc"
      >();
}
