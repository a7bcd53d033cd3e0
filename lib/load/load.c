// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "load.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "audit.h"
#include "beside.h"
#include "build.h"
#include "compiler.h"
#include "fmhac_disasm.h"
#include "str.h"

static fmhac_status fail_open(fmhac_context *context, const char *path) {
  const char *why = dlerror();
  return fmhac_fail(context, FMHAC_IO_ERROR,
                    "loading the compiler: expected %s, which comes with "
                    "libfmhac, and the libLLVM that it runs with, found: %s; "
                    "install libfmhac as a whole, and LLVM 22",
                    path, why ? why : "no reason given");
}

/// The symbol of an opened compiler. Only then may the rest of it be read.
static fmhac_status read_face(fmhac_context *context, const char *path,
                              void *opened,
                              const fmhac_compiler_face **out_face) {
  const fmhac_compiler_face *face = dlsym(opened, FMHAC_FACE_SYMBOL);
  if (!face || strcmp(face->digest, FMHAC_FACE_DIGEST) != 0)
    return fmhac_fail(context, FMHAC_INTERNAL,
                      "loading the compiler: %s is of another build than the "
                      "library that loads it: expected [%s], found [%.80s]; "
                      "install libfmhac as a whole",
                      path, FMHAC_FACE_DIGEST,
                      face ? face->digest : "no " FMHAC_FACE_SYMBOL);
  *out_face = face;
  return FMHAC_OK;
}

/// Registers LLVM's target for gfx950 under the lock under which the library
/// does so for its own use.
static fmhac_status register_target(fmhac_context *context) {
  fmhac_disasm *disasm;
  fmhac_status status = fmhac_disasm_create(&disasm);
  if (status != FMHAC_OK)
    return fmhac_fail(context, status,
                      "loading the compiler: LLVM has no target gfx950, or "
                      "there is no memory for it");
  fmhac_disasm_destroy(disasm);
  return FMHAC_OK;
}

/// The caller has the session's lock. What was loaded stays: MLIR and LLVM
/// register themselves and cannot be unloaded. Only what is no compiler of this
/// build goes, so that the next attempt opens the file anew.
static fmhac_status load(fmhac_context *context) {
  char *path =
      fmhac_beside_library(context->compiler->library, FMHAC_COMPILER_OBJECT);
  if (!path)
    return fmhac_fail(context, FMHAC_IO_ERROR,
                      "loading the compiler: where libfmhac lies is unknown, "
                      "or there is no memory for the path");
  const fmhac_compiler_face *face = NULL;
  // Lazy: of the thousands of calls from one library to another a compilation
  // makes few.
  void *opened = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  fmhac_status status = opened ? read_face(context, path, opened, &face)
                               : fail_open(context, path);
  if (status == FMHAC_OK)
    status = register_target(context);
  if (status == FMHAC_OK)
    status = fmhac_build_check(context, face);
  if (status == FMHAC_OK)
    context->compiler->face = face;
  if (opened && !face)
    dlclose(opened);
  free(path);
  return status;
}

fmhac_status fmhac_compiler_enter(fmhac_context *context,
                                  const fmhac_compiler_face **out_compiler) {
  struct fmhac_compiler *compiler = context->compiler;
  if (pthread_mutex_lock(&compiler->session_lock) != 0)
    return fmhac_fail(context, FMHAC_INVALID_INPUT, FMHAC_CALLED_BACK);
  const fmhac_status status = compiler->face ? FMHAC_OK : load(context);
  *out_compiler = compiler->face;
  if (status != FMHAC_OK)
    fmhac_compiler_leave(context);
  return status;
}

void fmhac_compiler_leave(fmhac_context *context) {
  pthread_mutex_unlock(&context->compiler->session_lock);
}

fmhac_status fmhac_compile_here(fmhac_context *context,
                                const fmhac_order *order,
                                fmhac_product *product) {
  const fmhac_compiler_face *compiler = NULL;
  fmhac_status status = fmhac_compiler_enter(context, &compiler);
  if (status != FMHAC_OK)
    return status;
  fmhac_order audited = *order;
  audited.audit = fmhac_audit_code;
  status = compiler->run(context, &audited, product);
  fmhac_compiler_leave(context);
  return status;
}
