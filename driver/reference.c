// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "reference.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOG2E 1.4426950408889634074
#define LN2 0.69314718055994530942

/// Exponent offset of the floor's P: kernels choose one so that P uses the
/// range of its type; any value between two powers of two shows the rounding.
#define FLOOR_OFFSET 0.37

// The loops of a row, for the vector units of the machine that runs them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define VECTOR_CLONES                                                          \
  __attribute__((target_clones("avx512f", "arch=haswell", "default")))
#else
#define VECTOR_CLONES
#endif

enum { LANES = 16, ROWS_A_TURN = 8, MAX_THREADS = 256 };

//===- Mask ---------------------------------------------------------------===//

/// Reads an integer of at least `low` at `*text` and moves past it.
static bool read_integer(const char **text, int64_t low, int64_t *out_value) {
  char *end;
  errno = 0;
  long long value = strtoll(*text, &end, 10);
  if (end == *text || errno || value < low)
    return false;
  *text = end;
  *out_value = value;
  return true;
}

bool attention_mask_parse(const char *text, attention_mask *out_mask) {
  *out_mask = (attention_mask){.kind = MASK_NONE};
  if (strcmp(text, "none") == 0)
    return true;
  if (strcmp(text, "causal") == 0) {
    out_mask->kind = MASK_CAUSAL;
    return true;
  }
  if (strcmp(text, "causal-top-left") == 0) {
    out_mask->kind = MASK_CAUSAL_TOP_LEFT;
    return true;
  }
  if (strncmp(text, "window:", 7) == 0) {
    text += 7;
    out_mask->kind = MASK_WINDOW;
    return read_integer(&text, -1, &out_mask->left) && *text++ == ',' &&
           read_integer(&text, -1, &out_mask->right) && !*text;
  }
  if (strncmp(text, "chunked:", 8) == 0) {
    text += 8;
    out_mask->kind = MASK_CHUNKED;
    return read_integer(&text, 1, &out_mask->chunk) && !*text;
  }
  return false;
}

void attention_mask_range(const attention_mask *mask, int64_t row, int64_t rows,
                          int64_t keys, int64_t *out_first, int64_t *out_end) {
  int64_t diagonal = row + keys - rows;
  int64_t first = 0, end = keys;
  switch (mask->kind) {
  case MASK_NONE:
    break;
  case MASK_CAUSAL:
    end = diagonal + 1;
    break;
  case MASK_CAUSAL_TOP_LEFT:
    end = row + 1;
    break;
  case MASK_WINDOW:
    if (mask->left >= 0)
      first = diagonal - mask->left;
    if (mask->right >= 0)
      end = diagonal + mask->right + 1;
    break;
  case MASK_CHUNKED:
    // Rows before key 0 see nothing; the sign of the quotient does not matter.
    first = diagonal / mask->chunk * mask->chunk;
    end = diagonal + 1;
    break;
  }
  if (first < 0)
    first = 0;
  if (end > keys)
    end = keys;
  if (end < first)
    end = first;
  *out_first = first;
  *out_end = end;
}

//===- Sizes --------------------------------------------------------------===//

size_t attention_o_count(const attention *problem) {
  return (size_t)problem->batch * problem->seqlen_q * problem->heads_q *
         problem->head_dim_v;
}

size_t attention_lse_count(const attention *problem) {
  return (size_t)problem->batch * problem->heads_q * problem->seqlen_q;
}

//===- One row ------------------------------------------------------------===//

/// scores[j] = q . k[j] for `keys` rows of `dim` elements.
VECTOR_CLONES static void dot_rows(const double *q, const double *k,
                                   int64_t keys, uint32_t dim, double *scores) {
  uint32_t whole = dim / LANES * LANES;
  for (int64_t j = 0; j < keys; ++j, k += dim) {
    // Sums side by side: the order of additions is fixed, and vectors fit it.
    double sums[LANES] = {0};
    for (uint32_t d = 0; d < whole; d += LANES)
      for (int lane = 0; lane < LANES; ++lane)
        sums[lane] += q[d + lane] * k[d + lane];
    for (uint32_t d = whole; d < dim; ++d)
      sums[0] += q[d] * k[d];
    double sum = 0;
    for (int lane = 0; lane < LANES; ++lane)
      sum += sums[lane];
    scores[j] = sum;
  }
}

/// o = sum weights[j] v[j] / total.
VECTOR_CLONES static void weigh_rows(const double *weights, const double *v,
                                     int64_t keys, uint32_t dim, double total,
                                     double *o) {
  for (uint32_t d = 0; d < dim; ++d)
    o[d] = 0;
  for (int64_t j = 0; j < keys; ++j, v += dim)
    for (uint32_t d = 0; d < dim; ++d)
      o[d] += weights[j] * v[d];
  for (uint32_t d = 0; d < dim; ++d)
    o[d] /= total;
}

static double largest(const double *values, int64_t count) {
  double most = -INFINITY;
  for (int64_t i = 0; i < count; ++i)
    if (values[i] > most || isnan(values[i]))
      most = values[i];
  return most;
}

/// The plain definition. Returns the row's lse.
static double reference_row(const double *q, const double *k, const double *v,
                            int64_t keys, const attention *problem,
                            double *scores, double *o) {
  if (keys == 0) {
    memset(o, 0, problem->head_dim_v * sizeof *o);
    return -INFINITY;
  }
  dot_rows(q, k, keys, problem->head_dim_qk, scores);
  for (int64_t j = 0; j < keys; ++j)
    scores[j] *= problem->scale;
  double most = largest(scores, keys), total = 0;
  for (int64_t j = 0; j < keys; ++j)
    total += scores[j] = exp(scores[j] - most);
  weigh_rows(scores, v, keys, problem->head_dim_v, total, o);
  return most + log(total);
}

/// The same with the roundings of a kernel; `q` is scaled in place.
static double floor_row(double *q, const double *k, const double *v,
                        int64_t keys, const attention *problem, double *scores,
                        double *o) {
  if (keys == 0) {
    memset(o, 0, problem->head_dim_v * sizeof *o);
    return -INFINITY;
  }
  for (uint32_t d = 0; d < problem->head_dim_qk; ++d)
    q[d] = element_round(problem->type, q[d] * problem->scale * LOG2E);
  dot_rows(q, k, keys, problem->head_dim_qk, scores);
  double most = largest(scores, keys), total = 0, exact_total = 0;
  for (int64_t j = 0; j < keys; ++j) {
    double p = exp2(scores[j] - most + FLOOR_OFFSET);
    exact_total += p;
    total += scores[j] = element_round(problem->type, p);
  }
  weigh_rows(scores, v, keys, problem->head_dim_v, total, o);
  for (uint32_t d = 0; d < problem->head_dim_v; ++d)
    o[d] = element_round(problem->out_type, o[d]);
  return (most + log2(exact_total) - FLOOR_OFFSET) * LN2;
}

//===- All rows -----------------------------------------------------------===//

/// One (batch, kv head): its K and V, and the rows of the heads of Q that it
/// serves, which the threads share.
typedef struct slice {
  const attention *problem;
  uint32_t batch, head_kv;
  double *k, *v; ///< [Sk, Dqk], [Sk, Dv]
  double *o, *lse, *floor_o, *floor_lse;
  atomic_uint_fast64_t next_row; ///< rows of all heads of the group, in order
  atomic_bool failed;
} slice;

/// Rows [Sk, dim] of one head of a [B, S, H, D] tensor.
static void gather(element_type type, const void *tensor, uint32_t batch,
                   uint32_t heads, uint32_t head, uint32_t rows, uint32_t dim,
                   double *out_rows) {
  for (uint32_t row = 0; row < rows; ++row) {
    size_t at = (((size_t)batch * rows + row) * heads + head) * dim;
    for (uint32_t d = 0; d < dim; ++d)
      out_rows[(size_t)row * dim + d] = element_load(type, tensor, at + d);
  }
}

static void compute_row(slice *s, uint32_t head, uint32_t row, double *q,
                        double *scores, double *unused_o) {
  const attention *p = s->problem;
  size_t at = ((size_t)s->batch * p->seqlen_q + row) * p->heads_q + head;
  size_t lse_at = ((size_t)s->batch * p->heads_q + head) * p->seqlen_q + row;
  for (uint32_t d = 0; d < p->head_dim_qk; ++d)
    q[d] = element_load(p->type, p->q, at * p->head_dim_qk + d);
  int64_t first, end;
  attention_mask_range(&p->mask, row, p->seqlen_q, p->seqlen_kv, &first, &end);
  const double *k = s->k + first * p->head_dim_qk;
  const double *v = s->v + first * p->head_dim_v;
  double *o = s->o ? s->o + at * p->head_dim_v : unused_o;
  double lse = reference_row(q, k, v, end - first, p, scores, o);
  if (s->lse)
    s->lse[lse_at] = lse;
  if (!s->floor_o && !s->floor_lse)
    return;
  o = s->floor_o ? s->floor_o + at * p->head_dim_v : unused_o;
  lse = floor_row(q, k, v, end - first, p, scores, o);
  if (s->floor_lse)
    s->floor_lse[lse_at] = lse;
}

static void *compute_rows(void *user) {
  slice *s = user;
  const attention *p = s->problem;
  uint32_t group = p->heads_q / p->heads_kv;
  uint64_t rows = (uint64_t)group * p->seqlen_q;
  double *q = malloc(p->head_dim_qk * sizeof *q);
  double *scores = malloc(p->seqlen_kv * sizeof *scores);
  double *unused_o = malloc(p->head_dim_v * sizeof *unused_o);
  if (!q || !scores || !unused_o) {
    atomic_store(&s->failed, true);
    goto cleanup;
  }
  for (;;) {
    uint64_t first = atomic_fetch_add(&s->next_row, ROWS_A_TURN);
    if (first >= rows)
      break;
    for (uint64_t r = first; r < first + ROWS_A_TURN && r < rows; ++r)
      compute_row(s, s->head_kv * group + (uint32_t)(r / p->seqlen_q),
                  (uint32_t)(r % p->seqlen_q), q, scores, unused_o);
  }

cleanup:
  free(unused_o);
  free(scores);
  free(q);
  return NULL;
}

static void compute_slice(slice *s, unsigned threads) {
  const attention *p = s->problem;
  gather(p->type, p->k, s->batch, p->heads_kv, s->head_kv, p->seqlen_kv,
         p->head_dim_qk, s->k);
  gather(p->type, p->v, s->batch, p->heads_kv, s->head_kv, p->seqlen_kv,
         p->head_dim_v, s->v);
  atomic_store(&s->next_row, 0);
  // A thread that does not start is no failure: the others do its rows.
  pthread_t workers[MAX_THREADS];
  unsigned started = 0;
  while (started + 1 < threads &&
         pthread_create(&workers[started], NULL, compute_rows, s) == 0)
    ++started;
  compute_rows(s);
  for (unsigned i = 0; i < started; ++i)
    pthread_join(workers[i], NULL);
}

bool reference_compute(const attention *problem, unsigned threads, double *o,
                       double *lse, double *floor_o, double *floor_lse) {
  if (threads == 0) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    threads = cores > 0 ? (unsigned)cores : 1;
  }
  if (threads > MAX_THREADS)
    threads = MAX_THREADS;
  slice s = {.problem = problem,
             .o = o,
             .lse = lse,
             .floor_o = floor_o,
             .floor_lse = floor_lse};
  size_t keys = problem->seqlen_kv;
  s.k = malloc(keys * problem->head_dim_qk * sizeof *s.k);
  s.v = malloc(keys * problem->head_dim_v * sizeof *s.v);
  bool ok = s.k && s.v;
  for (s.batch = 0; s.batch < problem->batch && ok; ++s.batch)
    for (s.head_kv = 0; s.head_kv < problem->heads_kv && ok; ++s.head_kv) {
      compute_slice(&s, threads);
      ok = !atomic_load(&s.failed);
    }
  free(s.v);
  free(s.k);
  return ok;
}
