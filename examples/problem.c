/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint16_t bf16_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return (uint16_t)(bits >> 16); /* exact for the inputs below */
}

double problem_double(uint16_t bf16) {
  uint32_t bits = (uint32_t)bf16 << 16;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Elements of Q and O, or of K and V. */
static size_t q_elements(const problem *p) {
  return (size_t)p->sizes.batch * p->sizes.seqlen_q * p->sizes.heads_q *
         p->head_dim;
}
static size_t k_elements(const problem *p) {
  return (size_t)p->sizes.batch * p->sizes.seqlen_kv * p->sizes.heads_kv *
         p->head_dim;
}

void problem_fill(uint16_t *tensor, size_t elements, unsigned *state) {
  for (size_t i = 0; i < elements; ++i) {
    *state = *state * 1664525u + 1013904223u;
    tensor[i] = bf16_of((float)((int)(*state >> 24) - 128) / 128.0f);
  }
}

static uint16_t *random_tensor(size_t elements, unsigned *state) {
  uint16_t *tensor = (uint16_t *)malloc(elements * sizeof *tensor);
  if (tensor)
    problem_fill(tensor, elements, state);
  return tensor;
}

bool problem_create(problem *p, fmhac_problem sizes, uint32_t head_dim,
                    bool causal, unsigned seed) {
  memset(p, 0, sizeof *p);
  p->sizes = sizes;
  p->head_dim = head_dim;
  p->causal = causal;
  p->q = random_tensor(q_elements(p), &seed);
  p->k = random_tensor(k_elements(p), &seed);
  p->v = random_tensor(k_elements(p), &seed);
  p->o = (uint16_t *)malloc(q_elements(p) * sizeof *p->o);
  if (!p->q || !p->k || !p->v || !p->o)
    return false;
  memset(p->o, 0xff, q_elements(p) * sizeof *p->o);
  return true;
}

/* Device memory with a copy of a tensor in it. */
static fmhac_status upload(fmhac_rt_device *device, const uint16_t *host,
                           size_t elements, uint64_t *out_address) {
  fmhac_status status =
      fmhac_rt_alloc(device, elements * sizeof *host, out_address);
  if (status == FMHAC_OK)
    status =
        fmhac_rt_copy_in(device, *out_address, host, elements * sizeof *host);
  return status;
}

fmhac_status problem_upload(problem *p, fmhac_rt_device *device) {
  const fmhac_problem *sizes = &p->sizes;
  const uint32_t bytes = sizeof *p->q;
  p->device = device;
  p->tensors.size = sizeof p->tensors;
  p->tensors.batch = sizes->batch;
  p->tensors.heads_q = sizes->heads_q;
  p->tensors.heads_kv = sizes->heads_kv;
  p->tensors.seqlen_q = sizes->seqlen_q;
  p->tensors.seqlen_kv = sizes->seqlen_kv;
  /* A scale of 0 is 1/sqrt(head_dim). */
  p->tensors.q_strides =
      fmhac_strides_bshd(sizes->heads_q, sizes->seqlen_q, p->head_dim, bytes);
  p->tensors.k_strides =
      fmhac_strides_bshd(sizes->heads_kv, sizes->seqlen_kv, p->head_dim, bytes);
  p->tensors.v_strides = p->tensors.k_strides;
  p->tensors.o_strides = p->tensors.q_strides;
  fmhac_status status = upload(device, p->q, q_elements(p), &p->tensors.q);
  if (status == FMHAC_OK)
    status = upload(device, p->k, k_elements(p), &p->tensors.k);
  if (status == FMHAC_OK)
    status = upload(device, p->v, k_elements(p), &p->tensors.v);
  if (status == FMHAC_OK)
    status = upload(device, p->o, q_elements(p), &p->tensors.o);
  return status;
}

/* Row of a [B, S, H, D] tensor. */
static size_t row_of(const problem *p, uint32_t b, uint32_t s, uint32_t h,
                     uint32_t seqlen, uint32_t heads) {
  return (((size_t)b * seqlen + s) * heads + h) * p->head_dim;
}

/* One row of O as the formula has it, into out[head_dim]. */
static void reference_row(const problem *p, uint32_t b, uint32_t i, uint32_t h,
                          double *scores, double *out) {
  const fmhac_problem *n = &p->sizes;
  const uint32_t kv_head = h / (n->heads_q / n->heads_kv);
  const double scale = 1.0 / sqrt((double)p->head_dim);
  const uint16_t *q = p->q + row_of(p, b, i, h, n->seqlen_q, n->heads_q);
  int64_t last = (int64_t)n->seqlen_kv - 1;
  if (p->causal)
    last = (int64_t)i + n->seqlen_kv - n->seqlen_q;
  double maximum = -INFINITY, sum = 0;
  memset(out, 0, p->head_dim * sizeof *out);
  for (int64_t j = 0; j <= last; ++j) {
    const uint16_t *k =
        p->k + row_of(p, b, (uint32_t)j, kv_head, n->seqlen_kv, n->heads_kv);
    scores[j] = 0;
    for (uint32_t d = 0; d < p->head_dim; ++d)
      scores[j] += problem_double(q[d]) * problem_double(k[d]);
    scores[j] *= scale;
    maximum = fmax(maximum, scores[j]);
  }
  for (int64_t j = 0; j <= last; ++j)
    sum += exp(scores[j] - maximum);
  for (int64_t j = 0; j <= last; ++j) {
    const uint16_t *v =
        p->v + row_of(p, b, (uint32_t)j, kv_head, n->seqlen_kv, n->heads_kv);
    for (uint32_t d = 0; d < p->head_dim; ++d)
      out[d] += exp(scores[j] - maximum) / sum * problem_double(v[d]);
  }
}

fmhac_status problem_check(problem *p, const char *name, bool *out_right) {
  const fmhac_problem *n = &p->sizes;
  fmhac_status status = fmhac_rt_copy_out(p->device, p->tensors.o, p->o,
                                          q_elements(p) * sizeof *p->o);
  *out_right = false;
  if (status != FMHAC_OK)
    return status;
  double *scores = (double *)malloc(n->seqlen_kv * sizeof *scores);
  double *row = (double *)malloc(p->head_dim * sizeof *row);
  double largest = 0;
  bool right = scores && row;
  if (!right)
    status = FMHAC_OUT_OF_MEMORY;
  for (uint32_t b = 0; right && b < n->batch; ++b)
    for (uint32_t i = 0; i < n->seqlen_q; ++i)
      for (uint32_t h = 0; h < n->heads_q; ++h) {
        const uint16_t *o = p->o + row_of(p, b, i, h, n->seqlen_q, n->heads_q);
        reference_row(p, b, i, h, scores, row);
        for (uint32_t d = 0; d < p->head_dim; ++d) {
          double error = fabs(problem_double(o[d]) - row[d]);
          right &= error <= PROBLEM_TOLERANCE; /* false for NaN */
          if (!(error <= largest))
            largest = error;
        }
      }
  if (status == FMHAC_OK)
    printf("%s: %ux%u rows of %u, %u heads: largest error %.5f, %s\n", name,
           n->seqlen_q, n->seqlen_kv, p->head_dim, n->heads_q, largest,
           right ? "right" : "WRONG");
  *out_right = right;
  free(scores);
  free(row);
  return status;
}

void problem_destroy(problem *p) {
  const uint64_t copies[] = {p->tensors.q, p->tensors.k, p->tensors.v,
                             p->tensors.o};
  for (int i = 0; p->device && i < 4; ++i)
    if (copies[i] && fmhac_rt_free(p->device, copies[i]) != FMHAC_OK)
      fprintf(stderr, "%s\n", fmhac_rt_last_error(p->device));
  free(p->q);
  free(p->k);
  free(p->v);
  free(p->o);
  memset(p, 0, sizeof *p);
}

int problem_fail(fmhac_status status, const fmhac_context *context,
                 const fmhac_rt_device *device, const char *why) {
  fprintf(stderr, "%s: %s %s %s\n", fmhac_status_name(status),
          context ? fmhac_last_error(context) : "",
          device ? fmhac_rt_last_error(device) : "", why ? why : "");
  return EXIT_FAILURE;
}

bool problem_run(const fmhac_context *context, const fmhac_kernel *kernel,
                 fmhac_rt_device *device, fmhac_problem sizes,
                 uint32_t head_dim, bool causal, const char *name) {
  fmhac_plan *plan = NULL;
  problem p;
  bool made = problem_create(&p, sizes, head_dim, causal, 7), right = false;
  fmhac_status status = made ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
  if (status == FMHAC_OK)
    status = fmhac_plan_create(kernel, &sizes, &plan);
  if (status == FMHAC_OK)
    status = problem_upload(&p, device);
  if (status == FMHAC_OK)
    status = fmhac_launch(plan, device, &p.tensors, NULL, NULL);
  if (status == FMHAC_OK)
    status = fmhac_rt_synchronize(device);
  if (status == FMHAC_OK)
    status = problem_check(&p, name, &right);
  /* Copied now, because freeing the device below frees its text. */
  if (status != FMHAC_OK)
    problem_fail(status, context, device, NULL);
  problem_destroy(&p);
  fmhac_plan_destroy(plan);
  return right;
}
