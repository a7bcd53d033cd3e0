// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/fmha_dialect_c.h"

#include "FmhaDialect.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

using namespace mlir;
using namespace mlir::fmha;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Fmha, fmha, mlir::fmha::FmhaDialect)

MlirAttribute fmhaProblemAttrGetChecked(MlirLocation location, MlirType element,
                                        MlirType output, int64_t head_dim_qk,
                                        int64_t head_dim_v,
                                        fmha_mask_kind mask) {
  Location loc = unwrap(location);
  return wrap(Attribute(ProblemAttr::getChecked(
      [&] { return emitError(loc); }, loc.getContext(), unwrap(element),
      unwrap(output), head_dim_qk, head_dim_v, MaskKind(mask))));
}

bool fmhaScheduleAttrGetGeometry(MlirAttribute attribute,
                                 fmha_schedule_geometry *out_geometry) {
  auto schedule = dyn_cast_or_null<ScheduleAttr>(unwrap(attribute));
  if (!schedule)
    return false;
  *out_geometry = {schedule.getTileM(), schedule.getTileN(),
                   schedule.getWaves(), schedule.getWavesPerSimd()};
  return true;
}

MlirAttribute fmhaScheduleAttrParse(MlirContext context, MlirStringRef text,
                                    MlirStringRef name,
                                    MlirStringRef *out_schedule_name) {
  *out_schedule_name = mlirStringRefCreate("", 0);
  ParserConfig config(unwrap(context));
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(unwrap(text), config, unwrap(name));
  if (!module)
    return {nullptr};
  auto schedules = module->getOps<ScheduleOp>();
  if (!llvm::hasSingleElement(schedules) ||
      !llvm::hasSingleElement(*module->getBody())) {
    emitError(FileLineColLoc::get(unwrap(context), unwrap(name), 1, 1))
        << "expected exactly one fmha.schedule in the file, found "
        << llvm::range_size(schedules) << " among "
        << llvm::range_size(*module->getBody()) << " ops";
    return {nullptr};
  }
  ScheduleOp schedule = *schedules.begin();
  // The attribute is uniqued in the context and outlives the module.
  StringRef schedule_name = schedule.getSymNameAttr().getValue();
  *out_schedule_name = wrap(schedule_name);
  return wrap(Attribute(schedule.getValueAttr()));
}
