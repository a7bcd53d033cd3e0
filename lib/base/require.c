// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "require.h"

enum { TEXT_BYTES = 256 };

/// Texts of failures have a lock of their own, also in a constant context.
static fmhac_context *writable(const fmhac_context *context) {
  return (fmhac_context *)(uintptr_t)context;
}

fmhac_status fmhac_require(const fmhac_context *context, const char *function,
                           const fmhac_argument *arguments, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const fmhac_argument *a = &arguments[i];
    if (!a->is_given)
      return fmhac_fail(writable(context), FMHAC_INVALID_INPUT,
                        "%s(): expected %s, found a null pointer", function,
                        a->name);
    if (a->owner && a->owner != context)
      return fmhac_fail(writable(context), FMHAC_INVALID_INPUT,
                        "%s(): expected %s of the same context, found one of "
                        "another; create it from the context it is used with",
                        function, a->name);
  }
  return FMHAC_OK;
}

/// Passes a failure of sized_struct.h on.
static fmhac_status refuse(const fmhac_context *context, const char *function,
                           fmhac_status status, const char *text) {
  return status == FMHAC_OK ? status
                            : fmhac_fail(writable(context), status, "%s(): %s",
                                         function, text);
}

fmhac_status fmhac_require_in(const fmhac_context *context,
                              const char *function, void *to,
                              size_t known_bytes, size_t least_bytes,
                              const void *from, const char *name) {
  char text[TEXT_BYTES];
  return refuse(context, function,
                fmhac_struct_in(to, known_bytes, least_bytes, from, name, text,
                                sizeof text),
                text);
}

fmhac_status fmhac_require_size(const fmhac_context *context,
                                const char *function, const void *to,
                                size_t known_bytes, size_t least_bytes,
                                const char *name) {
  char text[TEXT_BYTES];
  size_t size;
  return refuse(context, function,
                fmhac_struct_size(to, known_bytes, least_bytes, name, &size,
                                  text, sizeof text),
                text);
}

fmhac_status fmhac_require_out(const fmhac_context *context,
                               const char *function, void *to, const void *from,
                               size_t known_bytes, size_t least_bytes,
                               const char *name) {
  char text[TEXT_BYTES];
  return refuse(context, function,
                fmhac_struct_out(to, from, known_bytes, least_bytes, name, text,
                                 sizeof text),
                text);
}
