// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "depfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// One name. Source: GCC's libcpp/mkdeps.cc, munge().
static void put_name(FILE *out, const char *name) {
  size_t slashes = 0;
  for (const char *p = name; *p; ++p) {
    if (*p == ' ' || *p == '\t') {
      // Backslashes before a blank escape it: those of the name are doubled.
      for (; slashes; --slashes)
        putc('\\', out);
      putc('\\', out);
    } else if (*p == '$') {
      putc('$', out);
    } else if (*p == '#') {
      putc('\\', out);
    }
    slashes = *p == '\\' ? slashes + 1 : 0;
    putc(*p, out);
  }
}

bool depfile_write(const char *path, const char *target,
                   const char *const *files, size_t count,
                   char error[ERROR_BYTES]) {
  char *text = NULL, *folder = NULL;
  size_t bytes = 0;
  bool ok = false;
  FILE *out = open_memstream(&text, &bytes);
  if (!out || !(folder = getcwd(NULL, 0))) {
    snprintf(error, ERROR_BYTES, "%.200s: no memory, or no current folder",
             path);
    goto cleanup;
  }
  put_name(out, target);
  putc(':', out);
  for (size_t i = 0; i < count; ++i) {
    if (!files[i] || strcmp(files[i], "-") == 0)
      continue;
    if (strchr(files[i], '\n')) {
      snprintf(error, ERROR_BYTES,
               "%.200s: a rule of make cannot name a file with a line end",
               path);
      goto cleanup;
    }
    fputs(" \\\n  ", out);
    if (files[i][0] != '/') {
      put_name(out, folder);
      putc('/', out);
    }
    put_name(out, files[i]);
  }
  putc('\n', out);
  bool written = fclose(out) == 0;
  out = NULL;
  if (!written)
    snprintf(error, ERROR_BYTES, "%.200s: no memory for it", path);
  ok = written && file_write(path, text, bytes, error);

cleanup:
  if (out)
    fclose(out);
  free(text);
  free(folder);
  return ok;
}
