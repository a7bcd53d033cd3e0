// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The keys of a configuration and of a problem, and the environment variables,
/// for programs that offer them to their own users. The library owns the
/// results of these calls; they are constant and stay valid. The structs may
/// grow at their ends, and a program reads them through these pointers only.
#ifndef FMHAC_OPTIONS_H
#define FMHAC_OPTIONS_H

#include "fmhac.h"

#ifdef __cplusplus
extern "C" {
#endif

/// One row of the table of options (lib/config/config.def): the single source
/// of flags, JSON keys, ranges and help.
typedef struct fmhac_option_info {
  const char *key;           ///< JSON key, "head_dim"; the flag is --head-dim
  const char *metavar;       ///< "N", "none|causal|…"; "" for a switch
  const char *help;          ///< one line
  const char *fallback;      ///< default as text, "" if none
  const char *shorthand_for; ///< "head_dim_qk head_dim_v": sets both; else ""
  bool is_switch;  ///< takes no value on the command line; JSON true/false
  bool is_integer; ///< JSON number without a fraction
  bool is_real;    ///< JSON number
  bool is_problem; ///< belongs to the problem (lengths), not to the code
  bool works;      ///< false: reserved, answers UNSUPPORTED
} fmhac_option_info;

/// Rows of the table.
FMHAC_API size_t fmhac_option_count(void);
/// NULL past the end. Borrowed from the library, valid for ever.
FMHAC_API const fmhac_option_info *fmhac_option_get(size_t index);

/// The candidate nearest to `word`, a likely misspelling, or NULL if none is
/// near. '-' and '_' count as equal.
FMHAC_API const char *fmhac_nearest_spelling(const char *word,
                                             const char *const *candidates,
                                             size_t count);

/// The environment variables that fmhac_context_create_from_environment()
/// reads. Nothing else in the library reads the environment.
typedef struct fmhac_environment_variable {
  const char *name;     ///< "FMHAC_CACHE"
  const char *metavar;  ///< "on|off"
  const char *fallback; ///< the value that holds if it is not set or is empty
  const char *help;     ///< one line
} fmhac_environment_variable;
/// NULL past the end. Borrowed from the library, valid for ever.
FMHAC_API const fmhac_environment_variable *fmhac_environment_get(size_t index);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_OPTIONS_H
