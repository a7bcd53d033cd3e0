// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate.h"

#include <stdlib.h>

#include "llvm-c/Core.h"

#include "fmha_passes_c.h"
#include "package.h"

void fmhac_code_deinit(fmhac_code *code) {
  free(code->object);
  free(code->linked);
  *code = (fmhac_code){0};
}

/// All attributes of functions, by fmha_codegen.def, and when each is set.
static const struct {
  enum { Always, Waves, Unpacked, FewRegisters } when;
  const char *name, *value;
} attributes[] = {
#define FMHA_CODEGEN_ATTRIBUTE(when, attribute, value) {when, attribute, value},
#include "fmha_codegen.def"
};

/// Asks LLVM to order the instructions of a kernel for the fewest live
/// registers, at the price of latency that it would else hide.
static void save_registers(LLVMModuleRef module, const char *kernel) {
  LLVMValueRef function = LLVMGetNamedFunction(module, kernel);
  for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; ++i)
    if (attributes[i].when == FewRegisters)
      LLVMAddTargetDependentFunctionAttr(function, attributes[i].name,
                                         attributes[i].value);
}

/// Generates an object, or assembly; leaves `module` as it is.
static fmhac_status emit(struct fmhac_session *session, LLVMModuleRef module,
                         bool as_object, void **out_bytes,
                         size_t *out_size_bytes) {
  *out_bytes = NULL;
  *out_size_bytes = 0;
  fmhac_session_begin(session);
  LLVMModuleRef copy = LLVMCloneModule(module); // code generation changes it
  bool emitted = fmhaEmitCode(session->target_machine, copy, as_object,
                              out_bytes, out_size_bytes);
  LLVMDisposeModule(copy);
  if (emitted && !session->errors.length && *out_bytes)
    return FMHAC_OK;
  bool memory = emitted && !*out_bytes;
  free(*out_bytes);
  *out_bytes = NULL;
  *out_size_bytes = 0;
  if (memory)
    return fmhac_fail(session->context, FMHAC_OUT_OF_MEMORY,
                      "generating gfx950 code: out of memory");
  return fmhac_fail(session->context, FMHAC_CODEGEN_FAILED,
                    "generating gfx950 code: %s",
                    emitted ? fmhac_session_errors(session)
                            : "the target machine has no such output");
}

static fmhac_status link_object(struct fmhac_session *session,
                                fmhac_code *code) {
  char *message = NULL;
  if (fmhaLinkCodeObject(code->object, code->object_bytes, &code->linked,
                         &code->linked_bytes, &message))
    return FMHAC_OK;
  fmhac_status status =
      fmhac_fail(session->context, FMHAC_CODEGEN_FAILED,
                 "linking the code object: %s", message ? message : "");
  free(message);
  return status;
}

fmhac_status fmhac_generate_assembly(struct fmhac_session *session,
                                     LLVMModuleRef module, void **out_text,
                                     size_t *out_text_bytes) {
  return emit(session, module, false, out_text, out_text_bytes);
}

static bool has_spilled(const fmhac_descriptor *d) {
  return d->spills > 0 || d->scratch_bytes > 0;
}

static fmhac_status generate(struct fmhac_session *session,
                             LLVMModuleRef module, const char *const *kernels,
                             size_t kernel_count, fmhac_code *out) {
  fmhac_code_deinit(out);
  fmhac_status status =
      emit(session, module, true, &out->object, &out->object_bytes);
  if (status == FMHAC_OK)
    status = link_object(session, out);
  for (size_t i = 0; i < kernel_count && status == FMHAC_OK; ++i)
    status =
        fmhac_descriptor_read(session->context, out->linked, out->linked_bytes,
                              kernels[i], &out->descriptors[i]);
  return status;
}

fmhac_status fmhac_generate(struct fmhac_session *session, LLVMModuleRef module,
                            const char *const *kernels, size_t kernel_count,
                            fmhac_code *out) {
  fmhac_status status = generate(session, module, kernels, kernel_count, out);
  bool spilled = false;
  for (size_t i = 0; i < kernel_count && status == FMHAC_OK; ++i)
    if (has_spilled(&out->descriptors[i])) {
      // Scores that pass through a function wait in registers that no schedule
      // can count: LLVM fills the latency of the matrix instructions with them.
      save_registers(module, kernels[i]);
      spilled = true;
    }
  if (spilled)
    status = generate(session, module, kernels, kernel_count, out);
  if (status == FMHAC_OK && !fmhac_package_seal(out->linked, out->linked_bytes))
    status = fmhac_fail(session->context, FMHAC_CODEGEN_FAILED,
                        "sealing the code object: expected fmhac's note in it, "
                        "found none");
  return status;
}

fmhac_status fmhac_promise_check(fmhac_context *context,
                                 const fmhac_descriptor *d,
                                 const fmhac_promise *p) {
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
