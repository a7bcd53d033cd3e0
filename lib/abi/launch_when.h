// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Whether an entry of a code object is the one for a problem: what plans ask,
/// and the command where it speaks of a plan without a kernel.
#ifndef FMHAC_LAUNCH_WHEN_H
#define FMHAC_LAUNCH_WHEN_H

#include "launch_expr.h"

/// Compute units of the device that code is for: 256 of MI350X and of MI355X.
/// Source: AMD, "CDNA 4 architecture" white paper, table 1.
enum { FMHAC_COMPUTE_UNITS = 256 };

/// The sizes by fmhac_launch_name of `p`, a pointer to an fmhac_problem, as the
/// initialiser of an array. No kernel of this build divides keys.
#define FMHAC_LAUNCH_SIZES(p)                                                  \
  {                                                                            \
    [FMHAC_LAUNCH_SQ] = (p)->seqlen_q, [FMHAC_LAUNCH_SK] = (p)->seqlen_kv,     \
    [FMHAC_LAUNCH_B] = (p)->batch, [FMHAC_LAUNCH_HQ] = (p)->heads_q,           \
    [FMHAC_LAUNCH_HK] = (p)->heads_kv,                                         \
    [FMHAC_LAUNCH_CUS] = FMHAC_COMPUTE_UNITS, [FMHAC_LAUNCH_SPLITS] = 1        \
  }

typedef enum fmhac_when {
  FMHAC_WHEN_HOLDS,
  FMHAC_WHEN_FAILS,
  FMHAC_WHEN_HAS_NO_VALUE,
  FMHAC_WHEN_IS_MALFORMED
} fmhac_when;

/// Why a condition has no value.
#define FMHAC_WHEN_NO_VALUE                                                    \
  "a divisor below 1, a negative number divided, or a number of more than 64 " \
  "bits"

/// Whether a condition holds; "" always does.
static inline fmhac_when
fmhac_when_ask(const char *when, const int64_t sizes[FMHAC_LAUNCH_NAMES]) {
  fmhac_launch_expr expr;
  int64_t holds = 1;
  size_t offset;
  if (!when[0])
    return FMHAC_WHEN_HOLDS;
  if (!fmhac_launch_expr_parse(when, true, &expr, &offset))
    return FMHAC_WHEN_IS_MALFORMED;
  if (!fmhac_launch_expr_evaluate(&expr, sizes, &holds))
    return FMHAC_WHEN_HAS_NO_VALUE;
  return holds ? FMHAC_WHEN_HOLDS : FMHAC_WHEN_FAILS;
}

/// The most rows of a sequence: of Q; or of all heads of Q that share one of K
/// and V.
typedef struct fmhac_row_bound {
  uint32_t most;
  bool of_group;
} fmhac_row_bound;

/// Whether a condition bounds the rows alone, "Sq <= N" or "Sq * Hq <= N * Hk",
/// and how.
static inline bool fmhac_when_bounds_rows(const char *when,
                                          fmhac_row_bound *out) {
  enum { NODES = 7 };
  typedef struct node {
    fmhac_launch_op op;
    int64_t name;
  } node;
  static const node of_rows[NODES] = {{FMHAC_LAUNCH_NAME, FMHAC_LAUNCH_SQ},
                                      {FMHAC_LAUNCH_NUMBER, 0},
                                      {FMHAC_LAUNCH_AT_MOST, 0}},
                    of_group[NODES] = {{FMHAC_LAUNCH_NAME, FMHAC_LAUNCH_SQ},
                                       {FMHAC_LAUNCH_NAME, FMHAC_LAUNCH_HQ},
                                       {FMHAC_LAUNCH_MULTIPLY, 0},
                                       {FMHAC_LAUNCH_NUMBER, 0},
                                       {FMHAC_LAUNCH_NAME, FMHAC_LAUNCH_HK},
                                       {FMHAC_LAUNCH_MULTIPLY, 0},
                                       {FMHAC_LAUNCH_AT_MOST, 0}};
  fmhac_launch_expr expr;
  size_t offset;
  int64_t most = 0;
  if (!fmhac_launch_expr_parse(when, true, &expr, &offset))
    return false;
  out->of_group = expr.count == NODES;
  if (!out->of_group && expr.count != 3)
    return false;
  for (size_t i = 0; i < expr.count; ++i) {
    const node *expected = out->of_group ? &of_group[i] : &of_rows[i];
    if (expr.nodes[i].op != expected->op ||
        (expected->op == FMHAC_LAUNCH_NAME &&
         expr.nodes[i].value != expected->name))
      return false;
    if (expected->op == FMHAC_LAUNCH_NUMBER)
      most = expr.nodes[i].value;
  }
  out->most = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
  return true;
}

#endif // FMHAC_LAUNCH_WHEN_H
