// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The problem of `run` and its buffers in host memory.
#ifndef FMHAC_DRIVER_RUN_DATA_H
#define FMHAC_DRIVER_RUN_DATA_H

#include <cjson/cJSON.h>

#include "files.h"
#include "fmhac.h"
#include "inputs.h"
#include "reference.h"
#include "report.h"
#include "score_mod_eval.h"
#include "tensor_place.h"

enum {
  TENSOR_Q,
  TENSOR_K,
  TENSOR_V, ///< with v_in_k it lies in K's buffer
  TENSOR_O,
  TENSOR_LSE,
  TENSOR_K_ROPE,
  TENSOR_COUNT
};
// Tensors that are filled have the numbers of what fills them.
_Static_assert((int)TENSOR_Q == (int)INPUT_Q && (int)TENSOR_K == (int)INPUT_K &&
                   (int)TENSOR_V == (int)INPUT_V &&
                   (int)TENSOR_K_ROPE == (int)INPUT_K_ROPE,
               "an input and its tensor have different numbers");

/// Buffers of a launch: those of the tensors, numbered like them, and the rest.
enum {
  BUFFER_CU_SEQLENS_Q = TENSOR_COUNT,
  BUFFER_CU_SEQLENS_KV,
  BUFFER_SEQLENS_Q,
  BUFFER_SEQLENS_KV,
  BUFFER_SINK,
  BUFFER_ALIBI_SLOPES,
  BUFFER_BIAS,
  BUFFER_Q_SCALES,
  BUFFER_K_SCALES,
  BUFFER_V_SCALES,
  BUFFER_O_SCALE,
  BUFFER_PAGE_TABLE,
  BUFFER_KV_INDPTR,
  BUFFER_KV_INDICES,
  BUFFER_KV_LAST_PAGE_LEN,
  BUFFER_COUNT
};

typedef struct run_buffer {
  const char *name; ///< "q", "qkv", "bias", …
  size_t bytes;     ///< 0: this run has no such buffer
  void *host;       ///< owned
  uint64_t address; ///< on the device, once it is there
  bool is_output;
} run_buffer;

typedef struct run_tensor {
  const char *name;   ///< "q", …
  tensor_place place; ///< LSE: dim 1
  int home;           ///< the buffer it lies in
} run_tensor;

typedef enum factor_granularity {
  FACTORS_NONE,
  FACTORS_BY_TENSOR, ///< [1]
  FACTORS_BY_HEAD,   ///< [B or 1, H]
  FACTORS_BY_TOKEN,  ///< [B, S, H], packed [total, H]
  FACTORS_BY_BLOCK,  ///< [B, ceil(S/N), H]
} factor_granularity;

/// The factors of Q, K or V as they are given.
typedef struct run_factors {
  factor_granularity granularity;
  const char *file; ///< NULL without; borrowed (options)
} run_factors;

typedef struct run_data {
  attention problem; ///< points into the buffers
  int64_t seed;
  input_kind input;
  tensor_layout layout;
  const char *strides[TENSOR_LSE]; ///< as given, or NULL; borrowed (options)
  const char *sink_file, *bias_file, *score_mod_file; ///< likewise
  score_mod *mod; ///< owned; the function of the file, once it is read
  bool has_alibi;
  run_factors factors[INPUT_TENSORS];
  uint32_t scale_block; ///< rows that share a factor by block; 0: none
  float o_scale;        ///< of an 8-bit O
  uint64_t page_count;  ///< of K and V each; 0: they lie in no pages
  bool pages_by_head;   ///< a page has its heads one after the other
  bool vectorised;      ///< and each of these in pieces of 16 bytes
  bool v_in_k;          ///< V is the first columns of K
  uint32_t rope_heads;  ///< of k_rope: 1 or those of K; 0: there is none
  run_tensor tensors[TENSOR_COUNT];
  run_buffer buffers[BUFFER_COUNT];
} run_data;

/// Reads sizes, layout, scale and seed of the merged options, types and
/// features of the canonical configuration, and the files of lengths, from
/// which batch and longest sequence follow. False with a text if they make no
/// problem. The options outlive the data.
bool run_data_init(const cJSON *options, const fmhac_config *config,
                   run_data *out_data, char error[ERROR_BYTES]);
void run_data_deinit(run_data *data);

/// K and V have at least so many pages.
bool run_data_add_pages(const cJSON *options, run_data *data, uint64_t pages,
                        char error[ERROR_BYTES]);

/// k_rope has so many heads: 1, or those of K.
bool run_data_set_rope_heads(const cJSON *options, run_data *data,
                             uint32_t heads, char error[ERROR_BYTES]);

/// Takes the value of --input, or reports that it is none. Returns
/// ARGS_CONTINUE or the exit code.
int run_data_take_input(run_data *data, const char *input, const report *r);

/// What the inputs `fixture` and `sink` would have to find for their weights to
/// be what they are meant to be; NULL if they find it. Lengths apart.
const char *run_data_hindrance_of_fixtures(const run_data *data);

/// The shape of the array that a file of a tensor holds: [B, S, H, D] or
/// [total, H, D], LSE [B, Hq, Sq] or [Hq, total]; K and V in pages [pages, N,
/// H, D] or [pages, H, N, D], or, vectorised, K [pages, H, D/x, N, x] and V
/// [pages, H, N/x, D, x]. Returns its rank.
enum { RUN_DATA_RANK = 5 };
size_t run_data_shape(const run_data *data, int tensor,
                      uint64_t shape[RUN_DATA_RANK]);

/// Where the rows of one sequence lie in a tensor.
typedef struct run_sequence {
  uint64_t batch, first_row, rows; ///< rows in use
} run_sequence;
run_sequence run_data_sequence(const run_data *data, int tensor,
                               uint32_t batch);

/// Whether rows of a tensor are keys.
static inline bool run_data_is_kv(int tensor) {
  return tensor == TENSOR_K || tensor == TENSOR_V || tensor == TENSOR_K_ROPE;
}
/// Whether it has elements that no other tensor has.
static inline bool run_data_is_own(const run_data *data, int tensor) {
  return tensor == TENSOR_V ? !data->v_in_k
                            : tensor != TENSOR_K_ROPE || data->rope_heads;
}
/// Whether a tensor lies in pages.
bool run_data_in_pages(const run_data *data, int tensor);
/// Where the first element of a sequence is in the contiguous tensor of all.
uint64_t run_data_first_index(const run_data *data, int tensor, run_sequence s);
/// Index, in its buffer, of an element of a row of a sequence.
uint64_t run_data_at(const run_data *data, int tensor, uint32_t sequence,
                     uint64_t row, uint64_t head, uint64_t column);

/// True if the run writes LSE.
bool run_data_has_lse(const run_data *data);

/// Elements of an output in its rows in use, one after the other: O by batch,
/// row, head, column, LSE by batch, head, row; malloc'ed, NULL when memory is
/// exhausted.
void *run_data_collect(const run_data *data, int tensor);
/// Writes an output as [B, S, H, D] or [total, H, D], LSE as [B, Hq, Sq] or
/// [Hq, total], rows that are not in use included.
bool run_data_write(const run_data *data, int tensor, const char *path,
                    char error[ERROR_BYTES]);

/// True if the launch wrote an output outside the rows in use: `text` says
/// where.
bool run_data_find_stray(const run_data *data, char text[ERROR_BYTES]);

/// The library's view of the tensors, at their device addresses.
fmhac_tensors run_data_tensors(const run_data *data);
/// The sizes of the problem, and what all of its sequences have together.
fmhac_problem run_data_problem(const run_data *data);

/// The type of Q, K or V.
static inline element_type run_data_type(const run_data *data, int tensor) {
  return data->tensors[tensor].place.type;
}

/// {"batch": …, …, "layout": …, "scale": …, "seed": …, "input": "normal"}, and
/// the given lengths, strides and files.
cJSON *run_data_problem_json(const run_data *data);

/// Reports that memory for `name` is exhausted; false.
bool run_data_no_memory(const char *name, size_t bytes,
                        char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_RUN_DATA_H
