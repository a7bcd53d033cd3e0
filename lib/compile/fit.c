// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fit.h"

#include <stdlib.h>

#include "codegen.h"
#include "package.h"

void fmhac_fit_deinit(fmhac_fit *fit) {
  free(fit->object);
  free(fit->code);
  *fit = (fmhac_fit){0};
}

static bool has_spilled(const fmhac_descriptor *d) {
  return d->spills > 0 || d->scratch_bytes > 0;
}

static fmhac_status generate(struct fmhac_session *session,
                             LLVMModuleRef module, const char *const *kernels,
                             size_t kernel_count, fmhac_fit *out_fit) {
  fmhac_fit_deinit(out_fit);
  fmhac_status status =
      fmhac_codegen_emit(session, module, FMHAC_CODEGEN_OBJECT,
                         &out_fit->object, &out_fit->object_bytes);
  if (status == FMHAC_OK)
    status = fmhac_codegen_link(session, out_fit->object, out_fit->object_bytes,
                                &out_fit->code, &out_fit->code_bytes);
  for (size_t i = 0; i < kernel_count && status == FMHAC_OK; ++i)
    status = fmhac_descriptor_read(session->context, out_fit->code,
                                   out_fit->code_bytes, kernels[i],
                                   &out_fit->descriptors[i]);
  return status;
}

fmhac_status fmhac_fit_generate(struct fmhac_session *session,
                                LLVMModuleRef module,
                                const char *const *kernels, size_t kernel_count,
                                fmhac_fit *out_fit) {
  fmhac_status status =
      generate(session, module, kernels, kernel_count, out_fit);
  bool spilled = false;
  for (size_t i = 0; i < kernel_count && status == FMHAC_OK; ++i)
    if (has_spilled(&out_fit->descriptors[i])) {
      // Scores that pass through a function wait in registers that no schedule
      // can count: LLVM fills the latency of the matrix instructions with them.
      fmhac_codegen_save_registers(module, kernels[i]);
      spilled = true;
    }
  if (spilled)
    status = generate(session, module, kernels, kernel_count, out_fit);
  if (status == FMHAC_OK &&
      !fmhac_package_seal(out_fit->code, out_fit->code_bytes))
    status = fmhac_fail(session->context, FMHAC_CODEGEN_FAILED,
                        "sealing the code object: expected fmhac's note in it, "
                        "found none");
  return status;
}

fmhac_status fmhac_fit_check(fmhac_context *context, const fmhac_descriptor *d,
                             const fmhac_fit_promise *p) {
  // Registers of a SIMD lane and LDS of a compute unit of four SIMDs. Source:
  // CDNA4 ISA guide.
  enum { VGPRS = 512, LDS_BYTES = 163840, SIMDS = 4 };
  fmhac_status misfit =
      p->is_users ? FMHAC_INVALID_INPUT : FMHAC_CODEGEN_FAILED;
  const long long resident = p->waves_per_simd;
  if (has_spilled(d))
    return fmhac_fail(
        context, misfit,
        "compiling with schedule '%s': expected the kernel to fit "
        "the %lld registers a lane that waves_per_simd = %lld "
        "leaves it, found %u spilled registers and %u bytes of scratch a lane; "
        "reduce tile_m, tile_n or waves_per_simd%s%s",
        p->schedule, VGPRS / resident, resident, d->spills, d->scratch_bytes,
        p->score_mod[0] ? ", or what is alive at once in " : "", p->score_mod);
  long long workgroups = resident * SIMDS / p->waves;
  if (workgroups > 1 && d->lds_bytes * workgroups > LDS_BYTES)
    return fmhac_fail(
        context, misfit,
        "compiling with schedule '%s': expected at most %lld bytes "
        "of LDS a workgroup for waves_per_simd = %lld (%lld "
        "workgroups a compute unit), found %u; reduce tile_n, "
        "padding or waves_per_simd",
        p->schedule, LDS_BYTES / workgroups, resident, workgroups,
        d->lds_bytes);
  if (d->max_threads != p->block_threads)
    return fmhac_fail(context, FMHAC_CODEGEN_FAILED,
                      "compiling with schedule '%s': expected a kernel of the "
                      "%u work-items that its launch has, found one of %u",
                      p->schedule, p->block_threads, d->max_threads);
  if (d->vgprs * resident > VGPRS)
    return fmhac_fail(context, misfit,
                      "compiling with schedule '%s': expected at most %lld "
                      "registers a lane for waves_per_simd = %lld, found %u; "
                      "reduce tile_m, tile_n or waves_per_simd",
                      p->schedule, VGPRS / resident, resident, d->vgprs);
  return FMHAC_OK;
}
