// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "c/fmha_dialect_c.h"

#include "FmhaDialect.h"
#include "Nesting.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"

using namespace mlir;
using namespace mlir::fmha;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Fmha, fmha, mlir::fmha::FmhaDialect)

MlirAttribute fmhaProblemAttrGetChecked(MlirLocation location,
                                        const fmha_problem_params *p) {
  Location loc = unwrap(location);
  MLIRContext *context = loc.getContext();
  bool window = p->mask == FMHA_MASK_WINDOW;
  FloatAttr softcap;
  if (p->softcap != 0)
    softcap = FloatAttr::get(Float32Type::get(context), p->softcap);
  return wrap(Attribute(ProblemAttr::getChecked(
      [&] { return emitError(loc); }, context, unwrap(p->q), unwrap(p->k),
      unwrap(p->v), unwrap(p->p), unwrap(p->o), p->head_dim_qk, p->head_dim_v,
      MaskKind(p->mask), window ? p->window_left : -1,
      window ? p->window_right : -1,
      p->mask == FMHA_MASK_CHUNKED ? p->chunk : 0, softcap, p->score_mod,
      p->alibi, p->bias, p->sink, p->lse, p->varlen_q, p->varlen_kv,
      p->lengths_q, p->lengths_kv, Factors(p->q_scale), Factors(p->k_scale),
      Factors(p->v_scale), p->scale_block, Pages(p->pages), p->page_size,
      p->lengths_cached, p->vectorised, p->rope_dim, p->v_in_k,
      WorkForm(p->work), p->parts)));
}

static_assert(CombineOp::kWavesOfSimd == FMHA_COMBINE_WAVES_PER_SIMD);

MlirAttribute fmhaCombineSourceAttrGet(MlirContext context,
                                       fmha_combine_source source) {
  return wrap(Attribute(
      CombineSourceAttr::get(unwrap(context), CombineSource(source))));
}

MlirModule fmhaModuleParse(MlirContext context, MlirStringRef text,
                           MlirStringRef name) {
  return wrap(parseFile(unwrap(context), unwrap(text), unwrap(name)).release());
}

bool fmhaScoreModParseInto(MlirModule module, MlirStringRef text,
                           MlirStringRef name) {
  ModuleOp into = unwrap(module);
  OwningOpRef<ModuleOp> file =
      parseFile(into.getContext(), unwrap(text), unwrap(name));
  if (!file)
    return false;
  auto mods = file->getOps<ScoreModOp>();
  if (!llvm::hasSingleElement(mods) ||
      !llvm::hasSingleElement(*file->getBody())) {
    emitError(FileLineColLoc::get(into.getContext(), unwrap(name), 1, 1))
        << "expected exactly one fmha.score_mod in the file, found "
        << llvm::range_size(mods) << " among "
        << llvm::range_size(*file->getBody()) << " ops";
    return false;
  }
  ScoreModOp mod = *mods.begin();
  // Its name is the user's and may be that of the kernel: the table renames it.
  mod->remove();
  SymbolTable(into).insert(mod);
  return true;
}

bool fmhaScheduleAttrGetGeometry(MlirAttribute attribute,
                                 fmha_schedule_geometry *out_geometry) {
  auto schedule = dyn_cast_or_null<ScheduleAttr>(unwrap(attribute));
  if (!schedule)
    return false;
  *out_geometry = {schedule.getTileM(), schedule.getTileN(),
                   schedule.getWaves(), schedule.getWavesPerSimd(),
                   schedule.getQk().getK(), schedule.getPv().getM(),
                   // Literals, which end with a NUL.
                   stringifyScalePolicy(schedule.getScale()).data(),
                   stringifyGridOrder(schedule.getGrid()).data(),
                   schedule.packsHeads()};
  return true;
}

bool fmhaLaunchOf(MlirOperation kernel, fmha_launch_info *out_launch) {
  Operation *op = unwrap(kernel);
  auto owner = dyn_cast<EntryOp>(op);
  LaunchAttr launch = owner ? owner.getLaunchAttr() : LaunchAttr();
  auto kept = op->getAttrOfType<StringAttr>(LaunchAttr::kFunctionAttribute);
  if (kept && succeeded(checkNesting(op->getContext(), kept, kept)))
    launch = dyn_cast_or_null<LaunchAttr>(
        parseAttribute(kept.getValue(), op->getContext()));
  if (!launch)
    return false;
  for (auto [to, side] : llvm::zip_equal(out_launch->grid, launch.getGrid()))
    to = wrap(side.getValue());
  out_launch->when = wrap(launch.getWhen() ? launch.getWhen().getValue() : "");
  out_launch->block = launch.getBlock();
  return true;
}
