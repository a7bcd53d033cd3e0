// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// C face of the `fmha` dialect: registration and builders of its structured
/// attributes. Everything else a C caller needs is generic mlir-c.
#ifndef FMHA_DIALECT_C_H
#define FMHA_DIALECT_C_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

MLIR_DECLARE_CAPI_DIALECT_REGISTRATION(Fmha, fmha);

/// Which keys a row sees; values of the enum of the same name in the dialect.
typedef enum fmha_mask_kind {
  FMHA_MASK_NONE = 0,
  FMHA_MASK_CAUSAL = 1,
  FMHA_MASK_CAUSAL_TOP_LEFT = 2,
  FMHA_MASK_WINDOW = 3,
  FMHA_MASK_CHUNKED = 4
} fmha_mask_kind;

/// What shares a dequantisation factor; likewise.
typedef enum fmha_factors {
  FMHA_FACTORS_NONE = 0,
  FMHA_FACTORS_HEAD = 1, ///< or a batch, or the tensor: strides say
  FMHA_FACTORS_TOKEN = 2,
  FMHA_FACTORS_BLOCK = 3
} fmha_factors;

/// How the pages of a sequence of K and V are listed; likewise.
typedef enum fmha_pages {
  FMHA_PAGES_NONE = 0,
  FMHA_PAGES_TABLE = 1,
  FMHA_PAGES_LIST = 2
} fmha_pages;

/// How workgroups get their work items; likewise.
typedef enum fmha_work_form {
  FMHA_WORK_GRID = 0,
  FMHA_WORK_LIST = 1,
  FMHA_WORK_QUEUE = 2,
  FMHA_WORK_RUNS = 3
} fmha_work_form;

/// Parameters of `#fmha.problem`; see the dialect for their meaning.
typedef struct fmha_problem_params {
  MlirType q, k, v; ///< elements in memory
  MlirType p;       ///< of the weights that are multiplied with V
  MlirType o;       ///< in memory
  int64_t head_dim_qk, head_dim_v;
  fmha_mask_kind mask;
  int64_t window_left, window_right; ///< keys, -1 unbounded; WINDOW only
  int64_t chunk;                     ///< keys; CHUNKED only
  float softcap;                     ///< 0 is none
  bool score_mod;                    ///< fmhaScoreModParseInto follows
  bool alibi, bias, sink, lse;
  bool varlen_q, varlen_kv, lengths_q, lengths_kv;
  fmha_factors q_scale, k_scale, v_scale;
  int64_t scale_block; ///< rows; with BLOCK only
  fmha_pages pages;
  int64_t page_size;   ///< rows; 0 with NONE
  bool lengths_cached; ///< lengths_kv leave out the rows of Q
  bool vectorised;     ///< pages hold pieces of 16 bytes
  int64_t rope_dim;    ///< columns of K in a tensor of their own; 0: none
  bool v_in_k;         ///< V is the first columns of K
  fmha_work_form work;
  bool parts; ///< work items may have parts of the keys
} fmha_problem_params;

/// `#fmha.problem`. Null if the parameters do not verify; the reason goes to
/// the context's diagnostic handlers at `location`.
MLIR_CAPI_EXPORTED MlirAttribute fmhaProblemAttrGetChecked(
    MlirLocation location, const fmha_problem_params *params);

/// What `fmha.combine` makes results over all keys of; likewise.
typedef enum fmha_combine_source {
  FMHA_COMBINE_PARTS = 0,
  FMHA_COMBINE_RESULTS = 1
} fmha_combine_source;

MLIR_CAPI_EXPORTED MlirAttribute
fmhaCombineSourceAttrGet(MlirContext context, fmha_combine_source source);

/// Parses the text of a file with a function of scores: a module that holds
/// exactly one `fmha.score_mod` with a name, and moves it to the end of
/// `module`. False if it does not, the reason with line and column going to the
/// context's diagnostic handlers. `name` stands for the file in those.
MLIR_CAPI_EXPORTED bool fmhaScoreModParseInto(MlirModule module,
                                              MlirStringRef text,
                                              MlirStringRef name);

/// What others than passes must know of a `#fmha.schedule`.
typedef struct fmha_schedule_geometry {
  int64_t tile_m; ///< rows of Q of a workgroup
  int64_t tile_n; ///< keys of a tile
  int64_t waves;  ///< of a workgroup
  int64_t waves_per_simd;
  int64_t qk_k;      ///< columns of Q and K of one matrix instruction
  int64_t pv_m;      ///< columns of V of one
  const char *scale; ///< word of the key `scale`; borrowed for ever
  const char *grid;  ///< word of the key `grid`; borrowed for ever
  bool packs_heads;  ///< tiles have rows of the heads of a group
} fmha_schedule_geometry;

/// False if `attribute` is not a schedule.
MLIR_CAPI_EXPORTED bool
fmhaScheduleAttrGetGeometry(MlirAttribute attribute,
                            fmha_schedule_geometry *out_geometry);

/// Waves of a SIMD that fmha.combine leaves registers for.
enum { FMHA_COMBINE_WAVES_PER_SIMD = 2 };

/// A `#fmha.launch`. Texts are borrowed from the context.
typedef struct fmha_launch_info {
  MlirStringRef grid[3]; ///< expressions of launch_expr.h
  MlirStringRef when;    ///< a condition; empty: always
  int64_t block;         ///< work-items of a workgroup
} fmha_launch_info;

/// Of an op that is a kernel, at any rung from `tiles` to `rocdl`. False if it
/// has none, or one that is malformed, with a diagnostic.
MLIR_CAPI_EXPORTED bool fmhaLaunchOf(MlirOperation kernel,
                                     fmha_launch_info *out_launch);

/// Parses the text of a module, which verifies. Null if it does not, the reason
/// with line and column going to the context's diagnostic handlers. `name`
/// stands for the text in those. The caller destroys the module.
MLIR_CAPI_EXPORTED MlirModule fmhaModuleParse(MlirContext context,
                                              MlirStringRef text,
                                              MlirStringRef name);

/// Something of a schedule that can be changed on its own: a choice, or a count
/// of a recipe.
typedef struct fmha_schedule_knob {
  const char *name; ///< "grid", "@scores.nops", "@scores.groups[3][1]"
  const char *pool; ///< counts of one pool may be exchanged; "": a choice
  const char *word; ///< of the value or of its kind; "" if it has none
  int64_t value, low, high, step;
} fmha_schedule_knob;

/// Calls `visit` with each, in an order that depends on the schedule only.
/// Texts are borrowed during the call.
MLIR_CAPI_EXPORTED void fmhaScheduleAttrVisitKnobs(
    MlirAttribute schedule,
    void (*visit)(void *user, const fmha_schedule_knob *knob), void *user);

typedef struct fmha_schedule_setting {
  const char *name; ///< of a knob
  int64_t value;
} fmha_schedule_setting;

/// The schedule with some of them set. Null, with a diagnostic at `location`,
/// if one is unknown or out of its bounds, or the whole does not verify.
MLIR_CAPI_EXPORTED MlirAttribute
fmhaScheduleAttrSetKnobs(MlirLocation location, MlirAttribute schedule,
                         const fmha_schedule_setting *settings, size_t count);

#ifdef __cplusplus
}
#endif
#endif // FMHA_DIALECT_C_H
