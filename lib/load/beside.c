// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "beside.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"

bool fmhac_library_find(fmhac_allocator allocator, char **out_path) {
  Dl_info info;
  char *path = NULL;
  if (dladdr((void *)(uintptr_t)fmhac_library_find, &info) && info.dli_fname)
    path = realpath(info.dli_fname, NULL);
  *out_path = path ? fmhac_duplicate_text(allocator, path) : NULL;
  bool ok = *out_path || !path;
  free(path);
  return ok;
}

char *fmhac_beside_library(const char *library, const char *relative) {
  const char *slash = library ? strrchr(library, '/') : NULL;
  if (!slash)
    return NULL;
  fmhac_str path = {0};
  fmhac_str_append_bytes(&path, library, (size_t)(slash + 1 - library));
  fmhac_str_append(&path, relative);
  return fmhac_str_take(&path);
}
