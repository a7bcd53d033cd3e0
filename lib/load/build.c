// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build.h"

#include <stdlib.h>
#include <string.h>

#include "beside.h"
#include "build_id.h"
#include "compiler.h"
#include "load.h"
#include "str.h"

// The identity of the compiler: this library and the compiler that comes with
// it, and the LLVM that they run with, which a package manager may replace;
// MLIR is a part of the compiler. Without build ids the cache could not
// distinguish the kernels of two builds.

/// The identity with a compiler that is loaded; false if some part of it has no
/// build id.
static bool append_loaded(const fmhac_compiler_face *compiler, fmhac_str *out) {
  return fmhac_build_id_in_memory(compiler, out) &&
         fmhac_build_id_in_memory(compiler->address_in_llvm, out);
}

/// The identity with the compiler that would be loaded: here, or by a process
/// of its own, which has other libraries in memory. False if it cannot be told.
static bool append_unloaded(const fmhac_context *context, fmhac_str *out) {
  const char *library = context->compiler->library;
  const bool here = context->options.compile_in_process;
  char *path = fmhac_beside_library(library, FMHAC_COMPILER_OBJECT);
  bool known = path && fmhac_build_id_in_file(path, out);
  free(path);
  return known && ((here && fmhac_build_id_if_loaded(FMHAC_LLVM_SONAME, out)) ||
                   fmhac_build_id_of_library(library, FMHAC_LLVM_SONAME, out));
}

/// The identity as a text of the context's allocator, "" if it is not known.
/// `compiler`: the one that is loaded, or NULL.
static char *find_build(const fmhac_context *context,
                        const fmhac_compiler_face *compiler) {
  fmhac_str text = {0};
  char *build = NULL;
  fmhac_str_appendf(&text, "%s\n", fmhac_version_text());
  bool known = fmhac_build_id_in_memory((void *)(uintptr_t)find_build, &text) &&
               (compiler ? append_loaded(compiler, &text)
                         : append_unloaded(context, &text));
  if (!text.failed)
    build =
        fmhac_duplicate(context->allocator, text.text, known ? text.length : 0);
  fmhac_str_deinit(&text);
  return build;
}

/// The identity as far as it is known now; NULL: not yet, or no memory.
static const char *known_build(struct fmhac_compiler *compiler) {
  pthread_mutex_lock(&compiler->lock);
  const char *build = compiler->build;
  pthread_mutex_unlock(&compiler->lock);
  return build;
}

/// Keeps an identity, which it takes, unless another thread was faster.
static const char *keep_build(fmhac_context *context, char *build) {
  struct fmhac_compiler *compiler = context->compiler;
  pthread_mutex_lock(&compiler->lock);
  if (!compiler->build) {
    compiler->build = build;
    build = NULL;
  }
  const char *kept = compiler->build;
  pthread_mutex_unlock(&compiler->lock);
  fmhac_release(context->allocator, build);
  return kept;
}

fmhac_status fmhac_build(fmhac_context *context, const char **out_build) {
  *out_build = known_build(context->compiler);
  if (*out_build)
    return FMHAC_OK;
  *out_build = "";
  char *found = find_build(context, NULL);
  if (!found)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "identifying the compiler: out of memory");
  if (found[0]) {
    *out_build = keep_build(context, found);
    return FMHAC_OK;
  }
  // The files do not tell. Whoever loads the compiler learns it, and keeps it;
  // where that fails, the next call asks again.
  fmhac_release(context->allocator, found);
  const fmhac_compiler_face *compiler = NULL;
  const fmhac_status status = fmhac_compiler_enter(context, &compiler);
  if (status != FMHAC_OK)
    return status;
  fmhac_compiler_leave(context);
  *out_build = known_build(context->compiler);
  return FMHAC_OK;
}

fmhac_status fmhac_build_check(fmhac_context *context,
                               const fmhac_compiler_face *face) {
  char *found = find_build(context, face);
  const char *expected = known_build(context->compiler);
  fmhac_status status = FMHAC_OK;
  if (!found)
    status = fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                        "loading the compiler: out of memory");
  else if (expected && strcmp(expected, found) != 0)
    status = fmhac_fail(context, FMHAC_INTERNAL,
                        "loading the compiler: expected [%s], which its files "
                        "are, found [%s] in memory: a library was replaced "
                        "meanwhile, or the program has one of the same name; "
                        "start the program again",
                        expected, found);
  if (status == FMHAC_OK)
    (void)keep_build(context, found);
  else
    fmhac_release(context->allocator, found);
  return status;
}
