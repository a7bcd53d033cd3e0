// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build.h"

#include "mlir-c/IR.h"
#include "llvm-c/Core.h"

#include "build_ids.h"
#include "compiler.h"
#include "package.h"

#define DEFAULT_LIMIT_BYTES ((uint64_t)1 << 30)

// Without build ids the cache could not distinguish the kernels of two builds.
static char *find_build(const fmhac_context *context) {
  fmhac_str text = {0};
  char *build = NULL;
  char abi[FMHAC_ABI_HASH_BYTES];
  fmhac_package_abi_hash(abi);
  fmhac_str_appendf(&text, "%s\nabi %s\n", fmhac_version_text(), abi);
  // Any function of each library.
  const void *const libraries[] = {(void *)(uintptr_t)fmhac_compile,
                                   (void *)(uintptr_t)mlirContextCreate,
                                   (void *)(uintptr_t)LLVMContextCreate};
  bool known = fmhac_build_ids_append(
      libraries, sizeof libraries / sizeof libraries[0], &text);
  // Empty: not known.
  if (!text.failed)
    build =
        fmhac_duplicate(context->allocator, text.text, known ? text.length : 0);
  fmhac_str_deinit(&text);
  return build;
}

const char *fmhac_build(fmhac_context *context) {
  pthread_mutex_lock(&context->compiler->lock);
  if (!context->compiler->build)
    context->compiler->build = find_build(context);
  const char *build = context->compiler->build;
  pthread_mutex_unlock(&context->compiler->lock);
  return build;
}

uint64_t fmhac_cache_limit_bytes(const fmhac_context *context) {
  uint64_t limit = context->options.cache_limit_bytes;
  return limit ? limit : DEFAULT_LIMIT_BYTES;
}
