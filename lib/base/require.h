// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The checks of arguments in every function of the public headers: pointers
/// are not null, objects belong to one context, structs have a known size. One
/// rule and one wording for all functions:
///
///   - a null pointer where an object, a struct, a text or an out-parameter is
///     expected is INVALID_INPUT, and so is an object of another context;
///   - the text is in the context of the object that is named first.
///
/// Functions without a status return 0, NULL or "", or do nothing.
#ifndef FMHAC_LIB_REQUIRE_H
#define FMHAC_LIB_REQUIRE_H

#include "context.h"
#include "sized_struct.h"

/// An argument of a call.
typedef struct fmhac_argument {
  const char *name; ///< in the header
  bool is_given;
  const fmhac_context *owner; ///< of an object; NULL: of none
} fmhac_argument;

#define FMHAC_GIVEN(argument)                                                  \
  { #argument, (argument) != NULL, NULL }
/// An object that must belong to the context of the call.
#define FMHAC_OWNED(object)                                                    \
  { #object, (object) != NULL, (object) ? (object)->context : NULL }

/// INVALID_INPUT for the first wrong argument. `context` may be NULL: the text
/// is then lost.
#define FMHAC_REQUIRE(context, ...)                                            \
  fmhac_require((context), __func__, (const fmhac_argument[]){__VA_ARGS__},    \
                sizeof((const fmhac_argument[]){__VA_ARGS__}) /                \
                    sizeof(fmhac_argument))
fmhac_status fmhac_require(const fmhac_context *context, const char *function,
                           const fmhac_argument *arguments, size_t count);

/// Empties an out-parameter, which may be missing.
#define FMHAC_CLEAR(out)                                                       \
  do {                                                                         \
    if (out)                                                                   \
      *(out) = 0;                                                              \
  } while (0)

/// A caller's struct of `type`, whose first release ended with `last`, into
/// `*to` of this library's size; see sized_struct.h.
#define FMHAC_REQUIRE_IN(context, to, type, last, from)                        \
  fmhac_require_in((context), __func__, (to), sizeof(type),                    \
                   FMHAC_SIZE_THROUGH(type, last), (from), #type)
fmhac_status fmhac_require_in(const fmhac_context *context,
                              const char *function, void *to,
                              size_t known_bytes, size_t least_bytes,
                              const void *from, const char *name);

/// Whether a struct for results has a valid size; call it before any work.
#define FMHAC_REQUIRE_SIZE(context, to, type, last)                            \
  fmhac_require_size((context), __func__, (to), sizeof(type),                  \
                     FMHAC_SIZE_THROUGH(type, last), #type)
fmhac_status fmhac_require_size(const fmhac_context *context,
                                const char *function, const void *to,
                                size_t known_bytes, size_t least_bytes,
                                const char *name);

/// `*from`, which is of this library's size, to the caller's struct.
#define FMHAC_REQUIRE_OUT(context, to, type, last, from)                       \
  fmhac_require_out((context), __func__, (to), (from), sizeof(type),           \
                    FMHAC_SIZE_THROUGH(type, last), #type)
fmhac_status fmhac_require_out(const fmhac_context *context,
                               const char *function, void *to, const void *from,
                               size_t known_bytes, size_t least_bytes,
                               const char *name);

#endif // FMHAC_LIB_REQUIRE_H
