/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Attention over one long sequence that is divided among MPI ranks, each with a
 * device of its own. A rank keeps its rows of Q. Keys and values travel round
 * the ring of ranks, and what a rank's rows find in the keys that are there is
 * merged (fmhac_merge.h) with what they found before. MPI moves the data; fmhac
 * knows nothing of ranks.
 *
 *   mpirun -n RANKS ring [DEVICE [LENGTH...]]
 *
 * DEVICE is "emu", or "hip": the ranks of a machine take hip:0, hip:1 and so
 * on. Any other is for all ranks. A LENGTH is a number of rows and keys.
 *
 * The sequence is cut into 2n pieces for n ranks, and rank r has the pieces r
 * and 2n - 1 - r, one of the front and one of the back. Under a causal mask
 * rows of the back see more keys than those of the front; of n pieces, a rank
 * each, the last would have 2n - 1 times the work of the first. In pairs each
 * rank has the same work in each round:
 *
 *   keys of            front rows see   back rows see        launches
 *   the rank itself    the front        front and back       2, causal
 *   a lower rank       its front        its front            1, no mask
 *   a higher rank      nothing          its front and back   1, no mask
 *
 * The ring is Liu, Zaharia and Abbeel, "Ring Attention with Blockwise
 * Transformers" (arXiv 2310.01889). Brandon et al., "Striped Attention" (arXiv
 * 2311.09431), describe the imbalance; the pairs are known as zigzag, from
 * zhuzilin/ring-flash-attention, issue 2.
 *
 * Rank 0 collects O and LSE and compares them with the reference, and with what
 * one device finds for the whole sequence. */
#include <inttypes.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac_emu.h"
#include "fmhac_merge.h"
#include "fmhac_reference.h"
#include "problem.h"

enum {
  BATCH = 2,
  HEADS_Q = 4,
  HEADS_KV = 2,
  HEAD_DIM = 64,
  Q_ROW = HEADS_Q * HEAD_DIM, /* elements of a row, of all heads */
  KV_ROW = HEADS_KV * HEAD_DIM,
  BYTES = 2,           /* of a bf16 */
  MOST_LENGTH = 100000 /* numbers of rows, times batch and heads, are ints */
};

/* O of f32: it is rounded once, after the last merge, if at all. */
#define RESULTS "\"head_dim\": 64, \"out_dtype\": \"f32\""
enum { FULL, CAUSAL, MASKS };
static const char *const configs[MASKS] = {
    "{\"lse\": true, " RESULTS "}",
    "{\"lse\": true, \"mask\": \"causal\", " RESULTS "}"};
static const char merge_config[] = "{\"role\": \"merge\", " RESULTS "}";

/* What a rank has for all problems. */
typedef struct machine {
  int rank, ranks;
  MPI_Datatype kv_row, o_row;
  fmhac_context *context;
  fmhac_kernel *kernels[MASKS], *merge_kernel;
  fmhac_merge *merge;
  fmhac_rt_device *device;
  void *compute, *copies; /* streams */
  /* Of each of the two buffers of keys: a copy into it is complete; the
   * launches that read it are. */
  fmhac_rt_event *copied[2], *used[2];
} machine;

/* The rows of a rank, and its keys: the front piece, then the back piece. */
typedef struct share {
  uint32_t front, back; /* rows */
  uint32_t front_start, back_start;
} share;

/* One problem on one rank. Tensors are [B, S, H, D] with S of this rank. */
typedef struct ring {
  machine *m;
  uint32_t length;
  bool causal;
  share mine;
  uint32_t rows, most_keys; /* this rank's; of the rank that has most */
  fmhac_plan *plans[MASKS];
  fmhac_device_ptr workspaces[MASKS];
  uint16_t *host_kv[2]; /* K and then V of a rank */
  fmhac_device_ptr q, kv[2];
  fmhac_device_ptr o, lse;           /* over all keys up to now */
  fmhac_device_ptr part_o, part_lse; /* over those of one launch */
  uint64_t launches, scores;         /* of a head, for the table */
} ring;

/*===- Errors -------------------------------------------------------------===*/

static const char *blank_before(const char *text) { return *text ? " " : ""; }

/* A rank that cannot go on ends all: the others would wait for its keys.
 * Errors of MPI itself do the same by default. Several ranks may come here at
 * the same time, so each writes its line in one call. */
static void give_up(const machine *m, fmhac_status status, const char *doing,
                    const char *why) {
  const char *of_context = m->context ? fmhac_last_error(m->context) : "";
  const char *of_device = m->device ? fmhac_rt_last_error(m->device) : "";
  const char *more = why ? why : "";
  char line[4096]; /* a longer text loses its end, not its newline */
  snprintf(line, sizeof line - 1, "ring: rank %d of %d, %s: %s:%s%s%s%s%s%s",
           m->rank, m->ranks, doing, fmhac_status_name(status),
           blank_before(of_context), of_context, blank_before(of_device),
           of_device, blank_before(more), more);
  strcat(line, "\n");
  fputs(line, stderr);
  MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static void must(const machine *m, fmhac_status status, const char *doing) {
  if (status != FMHAC_OK)
    give_up(m, status, doing, NULL);
}

static void *reserve_host(const machine *m, size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (!memory)
    give_up(m, FMHAC_OUT_OF_MEMORY, "reserving host memory", NULL);
  return memory;
}

static fmhac_device_ptr reserve(const machine *m, size_t bytes) {
  fmhac_device_ptr address = 0;
  must(m, fmhac_rt_alloc(m->device, bytes, &address),
       "reserving device memory");
  return address;
}

/*===- Shares -------------------------------------------------------------===*/

/* Piece p begins here: pieces differ by a row at most, and some are empty if
 * there are more pieces than rows. */
static uint32_t piece_start(const ring *r, int piece) {
  return (uint32_t)((uint64_t)r->length * (unsigned)piece /
                    (2 * (unsigned)r->m->ranks));
}

static share share_of(const ring *r, int rank) {
  const int back = 2 * r->m->ranks - 1 - rank;
  share s;
  s.front_start = piece_start(r, rank);
  s.front = piece_start(r, rank + 1) - s.front_start;
  s.back_start = piece_start(r, back);
  s.back = piece_start(r, back + 1) - s.back_start;
  return s;
}

static uint32_t rows_of(share s) { return s.front + s.back; }

/* Where in the sequence row i of a share is. */
static uint32_t place_of(share s, uint32_t i) {
  return i < s.front ? s.front_start + i : s.back_start + i - s.front;
}

/* The rows of a share out of a whole tensor. */
static void take_rows(const ring *r, share s, const uint16_t *whole,
                      size_t row_elements, uint16_t *out) {
  for (uint32_t b = 0; b < BATCH; ++b)
    for (uint32_t i = 0; i < rows_of(s); ++i, out += row_elements)
      memcpy(out,
             whole + ((size_t)b * r->length + place_of(s, i)) * row_elements,
             row_elements * sizeof *out);
}

/*===- A launch -----------------------------------------------------------===*/

/* `rows` rows of this rank, from `first` on, attend to the first `keys` keys of
 * `owner`, which are in buffer `at`; the result is merged. A causal launch is
 * of rows whose last one sees all the keys and no more. */
static void attend(ring *r, int mask, uint32_t first, uint32_t rows, int owner,
                   uint32_t keys, int at) {
  const machine *m = r->m;
  const uint32_t all_keys = rows_of(share_of(r, owner));
  if (!rows || !keys)
    return; /* an empty piece */
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  t.batch = BATCH;
  t.heads_q = HEADS_Q;
  t.heads_kv = HEADS_KV;
  t.seqlen_q = rows;
  t.seqlen_kv = keys;
  t.q = r->q + (uint64_t)first * Q_ROW * BYTES;
  t.q_strides = fmhac_strides_bshd(HEADS_Q, r->rows, HEAD_DIM, BYTES);
  t.k = r->kv[at];
  t.v = t.k + (uint64_t)BATCH * all_keys * KV_ROW * BYTES;
  t.k_strides = fmhac_strides_bshd(HEADS_KV, all_keys, HEAD_DIM, BYTES);
  t.v_strides = t.k_strides;
  t.o = r->part_o;
  t.lse = r->part_lse;
  t.o_strides = fmhac_strides_bshd(HEADS_Q, r->rows, HEAD_DIM, sizeof(float));
  t.lse_head_stride_bytes = r->rows * sizeof(float);
  t.lse_batch_stride_bytes = HEADS_Q * t.lse_head_stride_bytes;
  must(m,
       fmhac_launch(r->plans[mask], m->device, &t,
                    (void *)(uintptr_t)r->workspaces[mask], m->compute),
       "launching attention");

  fmhac_merge_tensors both = FMHAC_MERGE_TENSORS_INIT;
  both.batch = BATCH;
  both.heads_q = HEADS_Q;
  both.seqlen_q = rows;
  both.o = r->o + (uint64_t)first * Q_ROW * sizeof(float);
  both.lse = r->lse + first * sizeof(float);
  both.other_o = t.o;
  both.other_lse = t.lse;
  both.o_strides = both.other_o_strides = t.o_strides;
  both.lse_head_stride_bytes = both.other_lse_head_stride_bytes =
      t.lse_head_stride_bytes;
  both.lse_batch_stride_bytes = both.other_lse_batch_stride_bytes =
      t.lse_batch_stride_bytes;
  must(m, fmhac_merge_launch(m->merge, m->device, &both, m->compute),
       "launching the merge");
  ++r->launches;
  r->scores += (uint64_t)rows * keys;
  if (mask == CAUSAL)
    r->scores -= (uint64_t)rows * (rows - 1) / 2;
}

/* All that this rank's rows find in the keys of `owner`. */
static void attend_to_share(ring *r, int owner, int at) {
  const share mine = r->mine, keys = share_of(r, owner);
  if (!r->causal) {
    attend(r, FULL, 0, rows_of(mine), owner, rows_of(keys), at);
  } else if (owner == r->m->rank) {
    attend(r, CAUSAL, 0, mine.front, owner, keys.front, at);
    attend(r, CAUSAL, mine.front, mine.back, owner, rows_of(keys), at);
  } else if (owner < r->m->rank) {
    attend(r, FULL, 0, rows_of(mine), owner, keys.front, at);
  } else {
    attend(r, FULL, mine.front, mine.back, owner, rows_of(keys), at);
  }
}

/*===- The ring -----------------------------------------------------------===*/

/* The one place where keys come from the host: they travel through host memory,
 * which every MPI takes. One that takes addresses of device memory sends from
 * r->kv[] and receives into it; then nothing is copied here, and a rank waits
 * for m->used[] before it receives. */
static void copy_keys(ring *r, int owner, int at) {
  machine *m = r->m;
  const size_t bytes =
      (size_t)2 * BATCH * rows_of(share_of(r, owner)) * KV_ROW * BYTES;
  must(m, fmhac_rt_stream_wait_event(m->device, m->copies, m->used[at]),
       "waiting for launches");
  must(m,
       fmhac_rt_copy_in_async(m->device, r->kv[at], r->host_kv[at], bytes,
                              m->copies),
       "copying keys to the device");
  must(m, fmhac_rt_event_record(m->device, m->copied[at], m->copies),
       "recording an event");
}

/* While the launches of a round run, its keys go to the next rank, and those of
 * the next round come and are copied to the device. */
static void go_round(ring *r) {
  machine *m = r->m;
  const int n = m->ranks;
  copy_keys(r, m->rank, 0);
  for (int round = 0; round < n; ++round) {
    const int now = round % 2, next = 1 - now;
    const int owner = (m->rank - round + n) % n; /* of the keys that are here */
    const int next_owner = (owner - 1 + n) % n;
    MPI_Request requests[2];
    if (round + 1 < n) {
      /* The host's buffer is free once it was sent and copied. */
      must(m, fmhac_rt_event_synchronize(m->device, m->copied[next]),
           "waiting for a copy");
      MPI_Irecv(r->host_kv[next],
                2 * BATCH * (int)rows_of(share_of(r, next_owner)), m->kv_row,
                (m->rank - 1 + n) % n, round, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(r->host_kv[now], 2 * BATCH * (int)rows_of(share_of(r, owner)),
                m->kv_row, (m->rank + 1) % n, round, MPI_COMM_WORLD,
                &requests[1]);
    }
    must(m, fmhac_rt_stream_wait_event(m->device, m->compute, m->copied[now]),
         "waiting for keys");
    attend_to_share(r, owner, now);
    must(m, fmhac_rt_event_record(m->device, m->used[now], m->compute),
         "recording an event");
    if (round + 1 < n) {
      MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
      copy_keys(r, next_owner, next);
    }
  }
  must(m, fmhac_rt_stream_synchronize(m->device, m->compute),
       "waiting for the launches");
}

/*===- One problem --------------------------------------------------------===*/

/* Plans, memory, and this rank's part of the data: a program of its own would
 * have no more than that part. */
static void prepare(ring *r, const problem *whole) {
  machine *m = r->m;
  r->mine = share_of(r, m->rank);
  r->rows = rows_of(r->mine);
  for (int i = 0; i < m->ranks; ++i)
    if (rows_of(share_of(r, i)) > r->most_keys)
      r->most_keys = rows_of(share_of(r, i));
  /* A rank without rows has none of this to launch, but a place in the ring. */
  const size_t rows = r->rows ? r->rows : 1;
  const fmhac_problem largest = {.size = sizeof largest,
                                 .batch = BATCH,
                                 .heads_q = HEADS_Q,
                                 .heads_kv = HEADS_KV,
                                 .seqlen_q = (uint32_t)rows,
                                 .seqlen_kv = r->most_keys};
  for (int i = 0; i < MASKS; ++i) {
    must(m, fmhac_plan_create(m->kernels[i], &largest, &r->plans[i]),
         "making a plan");
    must(m, fmhac_plan_load(r->plans[i], m->device), "loading a kernel");
    const size_t workspace = fmhac_plan_workspace_bytes(r->plans[i]);
    r->workspaces[i] = workspace ? reserve(m, workspace) : 0;
  }
  const size_t q_elements = BATCH * rows * Q_ROW;
  const size_t kv_bytes = (size_t)2 * BATCH * r->most_keys * KV_ROW * BYTES;
  const size_t lse_count = BATCH * rows * HEADS_Q;
  r->q = reserve(m, q_elements * BYTES);
  r->o = reserve(m, q_elements * sizeof(float));
  r->part_o = reserve(m, q_elements * sizeof(float));
  r->lse = reserve(m, lse_count * sizeof(float));
  r->part_lse = reserve(m, lse_count * sizeof(float));
  for (int i = 0; i < 2; ++i) {
    r->kv[i] = reserve(m, kv_bytes);
    r->host_kv[i] = (uint16_t *)reserve_host(m, kv_bytes);
  }
  take_rows(r, r->mine, whole->k, KV_ROW, r->host_kv[0]);
  take_rows(r, r->mine, whole->v, KV_ROW,
            r->host_kv[0] + (size_t)BATCH * r->rows * KV_ROW);
  uint16_t *q = (uint16_t *)reserve_host(m, q_elements * BYTES);
  take_rows(r, r->mine, whole->q, Q_ROW, q);
  must(m,
       fmhac_rt_copy_in(m->device, r->q, q,
                        (size_t)BATCH * r->rows * Q_ROW * BYTES),
       "copying Q to the device");
  free(q);
  /* No key was seen yet: LSE is -inf, and no merge reads the O beside it. */
  float *lse = (float *)reserve_host(m, lse_count * sizeof *lse);
  for (size_t i = 0; i < lse_count; ++i)
    lse[i] = -INFINITY;
  must(m, fmhac_rt_copy_in(m->device, r->lse, lse, lse_count * sizeof *lse),
       "copying LSE to the device");
  must(m,
       fmhac_rt_fill(m->device, r->o, 0xff,
                     q_elements * sizeof(float)), /* NaN */
       "filling O");
  free(lse);
}

static void clean_up(ring *r) {
  const fmhac_device_ptr all[] = {r->q,
                                  r->kv[0],
                                  r->kv[1],
                                  r->o,
                                  r->lse,
                                  r->part_o,
                                  r->part_lse,
                                  r->workspaces[FULL],
                                  r->workspaces[CAUSAL]};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    if (all[i])
      must(r->m, fmhac_rt_free(r->m->device, all[i]), "freeing device memory");
  for (int i = 0; i < 2; ++i)
    free(r->host_kv[i]);
  for (int i = 0; i < MASKS; ++i)
    fmhac_plan_destroy(r->plans[i]);
}

/*===- The check ----------------------------------------------------------===*/

/* O [B, S, H, D] and LSE [B, H, S] of the whole sequence, on rank 0. */
static void collect(ring *r, float *whole_o, float *whole_lse) {
  machine *m = r->m;
  const size_t o_count = (size_t)BATCH * r->rows * Q_ROW;
  const size_t lse_count = (size_t)BATCH * r->rows * HEADS_Q;
  float *o = (float *)reserve_host(m, o_count * sizeof *o);
  float *lse = (float *)reserve_host(m, lse_count * sizeof *lse);
  must(m, fmhac_rt_copy_out(m->device, r->o, o, o_count * sizeof *o),
       "copying O to the host");
  must(m, fmhac_rt_copy_out(m->device, r->lse, lse, lse_count * sizeof *lse),
       "copying LSE to the host");
  float *all_o = NULL, *all_lse = NULL;
  int *sizes = (int *)reserve_host(m, 4 * (size_t)m->ranks * sizeof *sizes);
  int *starts = sizes + m->ranks;
  int *lse_sizes = starts + m->ranks, *lse_starts = lse_sizes + m->ranks;
  for (int i = 0, rows = 0; i < m->ranks; ++i) {
    sizes[i] = BATCH * (int)rows_of(share_of(r, i));
    starts[i] = rows;
    lse_sizes[i] = HEADS_Q * sizes[i];
    lse_starts[i] = HEADS_Q * rows;
    rows += sizes[i];
  }
  if (m->rank == 0) {
    const size_t rows = (size_t)BATCH * r->length;
    all_o = (float *)reserve_host(m, rows * Q_ROW * sizeof *all_o);
    all_lse = (float *)reserve_host(m, rows * HEADS_Q * sizeof *all_lse);
  }
  MPI_Gatherv(o, sizes[m->rank], m->o_row, all_o, sizes, starts, m->o_row, 0,
              MPI_COMM_WORLD);
  MPI_Gatherv(lse, lse_sizes[m->rank], MPI_FLOAT, all_lse, lse_sizes,
              lse_starts, MPI_FLOAT, 0, MPI_COMM_WORLD);
  for (int rank = 0; m->rank == 0 && rank < m->ranks; ++rank) {
    const share s = share_of(r, rank);
    const uint32_t rows = rows_of(s);
    const float *from_o = all_o + (size_t)starts[rank] * Q_ROW;
    const float *from_lse = all_lse + lse_starts[rank];
    for (uint32_t b = 0; b < BATCH; ++b)
      for (uint32_t i = 0; i < rows; ++i) {
        const size_t place = place_of(s, i);
        memcpy(whole_o + (b * (size_t)r->length + place) * Q_ROW,
               from_o + (b * (size_t)rows + i) * Q_ROW, Q_ROW * sizeof *o);
        for (uint32_t h = 0; h < HEADS_Q; ++h)
          whole_lse[(b * HEADS_Q + h) * (size_t)r->length + place] =
              from_lse[(b * HEADS_Q + h) * (size_t)rows + i];
      }
  }
  free(all_o);
  free(all_lse);
  free(sizes);
  free(o);
  free(lse);
}

/* Rank 0 compares the ranks' result with the reference, by the rule of `fmhac
 * run`, and with what its device finds alone. */
static bool compare(const ring *r, problem *whole, const float *o,
                    const float *lse) {
  const machine *m = r->m;
  const size_t o_count = (size_t)BATCH * r->length * Q_ROW;
  const size_t o_bytes = o_count * sizeof *o;
  const size_t lse_bytes = (size_t)BATCH * r->length * HEADS_Q * sizeof *lse;
  fmhac_plan *plan = NULL;
  must(m,
       fmhac_plan_create(m->kernels[r->causal ? CAUSAL : FULL], &whole->sizes,
                         &plan),
       "making a plan of the whole");
  must(m, problem_upload(whole, m->device), "copying the whole to the device");
  const size_t workspace_bytes = fmhac_plan_workspace_bytes(plan);
  const fmhac_device_ptr memory[] = {
      reserve(m, o_bytes), reserve(m, lse_bytes),
      workspace_bytes ? reserve(m, workspace_bytes) : 0};
  must(m, fmhac_rt_copy_in(m->device, memory[0], o, o_bytes),
       "copying O to the device");
  must(m, fmhac_rt_copy_in(m->device, memory[1], lse, lse_bytes),
       "copying LSE to the device");
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  must(m,
       fmhac_tensors_dense(plan, &whole->sizes, whole->tensors.q,
                           whole->tensors.k, whole->tensors.v, memory[0],
                           memory[1], &t),
       "describing the whole");
  fmhac_comparison c;
  memset(&c, 0, sizeof c);
  c.size = sizeof c;
  must(m, fmhac_compare_launch(plan, m->device, &t, NULL, &c),
       "comparing with the reference");

  must(m, fmhac_launch(plan, m->device, &t, (void *)(uintptr_t)memory[2], NULL),
       "launching the whole on one device");
  float *alone = (float *)reserve_host(m, o_bytes);
  must(m, fmhac_rt_copy_out(m->device, t.o, alone, o_bytes),
       "copying O of one device to the host");
  double largest = 0;
  for (size_t i = 0; i < o_count; ++i) {
    const double difference = fabs((double)alone[i] - (double)o[i]);
    if (!(difference <= largest))
      largest = isnan(difference) ? INFINITY : difference;
  }
  const bool right = c.pass && largest <= c.tolerance;
  printf("  largest error %.5f of %.5f, of LSE %.1e of %.1e; one device "
         "differs by %.5f: %s%s%s\n",
         c.max_abs_err, c.tolerance, c.lse_max_abs_err, c.lse_tolerance,
         largest, right ? "right" : "WRONG", c.pass ? "" : ", ", c.reason);
  for (int i = 0; i < 3; ++i)
    if (memory[i])
      must(m, fmhac_rt_free(m->device, memory[i]), "freeing device memory");
  fmhac_plan_destroy(plan);
  free(alone);
  return right;
}

/* Rank 0 prints what each rank had to do. Pieces differ by a row, so the work
 * of two ranks may differ by that of two rows that see all keys; more is a
 * mistake in how it was divided. */
static bool show_work(const ring *r) {
  const machine *m = r->m;
  uint64_t work[2] = {r->launches, r->scores}, least = UINT64_MAX, most = 0;
  uint64_t *all =
      (uint64_t *)reserve_host(m, 2 * (size_t)m->ranks * sizeof *all);
  MPI_Gather(work, 2, MPI_UINT64_T, all, 2, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  if (m->rank == 0)
    printf("%s, %u rows and keys; ranks and rounds: %d\n",
           r->causal ? "causal" : "no mask", r->length, m->ranks);
  for (int i = 0; m->rank == 0 && i < m->ranks; ++i) {
    const share s = share_of(r, i);
    const uint64_t launches = all[2 * i], scores = all[2 * i + 1];
    printf("  rank %d: rows %u to %u and %u to %u: %" PRIu64
           " launches, %" PRIu64 " scores a head\n",
           i, s.front_start, s.front_start + s.front, s.back_start,
           s.back_start + s.back, launches, scores);
    least = scores < least ? scores : least;
    most = scores > most ? scores : most;
  }
  free(all);
  const uint64_t bound = 2 * ((uint64_t)r->length + 1);
  const bool balanced = m->rank != 0 || most - least <= bound;
  if (!balanced)
    printf("  WRONG: the work of two ranks differs by %" PRIu64
           " scores a head, expected at most %" PRIu64 ", two rows\n",
           most - least, bound);
  return balanced;
}

static bool run(machine *m, uint32_t length, bool causal) {
  const fmhac_problem sizes = {.size = sizeof sizes,
                               .batch = BATCH,
                               .heads_q = HEADS_Q,
                               .heads_kv = HEADS_KV,
                               .seqlen_q = length,
                               .seqlen_kv = length};
  problem whole;
  if (!problem_create(&whole, sizes, HEAD_DIM, causal, 7))
    give_up(m, FMHAC_OUT_OF_MEMORY, "making inputs", NULL);
  ring r;
  memset(&r, 0, sizeof r);
  r.m = m;
  r.length = length;
  r.causal = causal;
  prepare(&r, &whole);
  go_round(&r);
  bool right = show_work(&r);
  const size_t rows = m->rank == 0 ? (size_t)BATCH * length : 0;
  float *o = (float *)reserve_host(m, rows * Q_ROW * sizeof *o);
  float *lse = (float *)reserve_host(m, rows * HEADS_Q * sizeof *lse);
  collect(&r, o, lse);
  if (m->rank == 0)
    right &= compare(&r, &whole, o, lse);
  free(o);
  free(lse);
  clean_up(&r);
  problem_destroy(&whole);
  return right;
}

/*===- The rank -----------------------------------------------------------===*/

/* Rank 0 compiles; the others take the code, and need no compiler. */
static fmhac_kernel *make_kernel(machine *m, const char *json) {
  fmhac_kernel *kernel = NULL;
  const void *code = NULL;
  size_t bytes = 0;
  if (m->rank == 0) {
    fmhac_config *config = NULL;
    must(m, fmhac_config_create_json(m->context, json, &config),
         "reading a configuration");
    must(m, fmhac_compile(m->context, config, &kernel), "compiling");
    must(m, fmhac_kernel_get_code(kernel, &code, &bytes), "compiling");
    fmhac_config_destroy(config);
  }
  uint64_t size = bytes;
  MPI_Bcast(&size, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
  void *copy = reserve_host(m, size);
  if (m->rank == 0)
    memcpy(copy, code, size);
  MPI_Bcast(copy, (int)size, MPI_BYTE, 0, MPI_COMM_WORLD);
  if (m->rank != 0)
    must(m, fmhac_kernel_create_from_code(m->context, copy, size, &kernel),
         "taking the code of rank 0");
  free(copy);
  return kernel;
}

/* "hip" is the device with this rank's number among the ranks of a machine. */
static void open_device(machine *m, const char *uri) {
  char why[512] = "", own[32];
  if (strcmp(uri, "hip") == 0) {
    MPI_Comm neighbours;
    int number;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, m->rank,
                        MPI_INFO_NULL, &neighbours);
    MPI_Comm_rank(neighbours, &number);
    MPI_Comm_free(&neighbours);
    snprintf(own, sizeof own, "hip:%d", number);
    uri = own;
  }
  const fmhac_status status =
      fmhac_rt_device_open_with_text(uri, why, sizeof why, &m->device);
  if (status != FMHAC_OK)
    give_up(m, status, "opening the device", why);
  if (strcmp(uri, "emu") == 0) {
    /* One core a rank; and the emulator says if a launch or a copy does not
     * wait for what another stream does. */
    fmhac_emu_options options;
    fmhac_emu_options_init(&options);
    options.threads = 1;
    options.checks |= FMHAC_EMU_CHECK_RACE;
    must(m, fmhac_emu_configure(m->device, &options),
         "setting up the emulator");
  }
}

static void start(machine *m, const char *uri) {
  char why[512] = "";
  /* Counts of rows stay below 2^31 where counts of bytes do not. */
  MPI_Type_contiguous(KV_ROW * BYTES, MPI_BYTE, &m->kv_row);
  MPI_Type_contiguous(Q_ROW, MPI_FLOAT, &m->o_row);
  MPI_Type_commit(&m->kv_row);
  MPI_Type_commit(&m->o_row);
  const fmhac_status status =
      fmhac_context_create_from_environment(NULL, why, sizeof why, &m->context);
  if (status != FMHAC_OK)
    give_up(m, status, "starting fmhac", why);
  open_device(m, uri);
  for (int i = 0; i < MASKS; ++i)
    m->kernels[i] = make_kernel(m, configs[i]);
  m->merge_kernel = make_kernel(m, merge_config);
  must(m, fmhac_merge_create(m->merge_kernel, &m->merge), "making a merge");
  must(m, fmhac_merge_load(m->merge, m->device), "loading the merge");
  void **streams[2] = {&m->compute, &m->copies};
  for (int i = 0; i < 2; ++i) {
    must(m, fmhac_rt_stream_create(m->device, streams[i]), "making a stream");
    must(m, fmhac_rt_event_create(m->device, &m->copied[i]), "making an event");
    must(m, fmhac_rt_event_create(m->device, &m->used[i]), "making an event");
  }
}

static void stop(machine *m) {
  fmhac_merge_destroy(m->merge);
  fmhac_kernel_destroy(m->merge_kernel);
  for (int i = 0; i < MASKS; ++i)
    fmhac_kernel_destroy(m->kernels[i]);
  fmhac_rt_device_close(m->device); /* its streams and events with it */
  fmhac_context_destroy(m->context);
  MPI_Type_free(&m->kv_row);
  MPI_Type_free(&m->o_row);
}

/*===- Arguments ----------------------------------------------------------===*/

static const char usage[] =
    "usage: mpirun -n RANKS ring [DEVICE [LENGTH...]]\n";

/* 0 if the text is no length. strtoul() alone takes signs and blanks, too. */
static uint32_t length_of(const char *text) {
  char *end;
  const unsigned long length = strtoul(text, &end, 10);
  const bool digits = text[0] >= '0' && text[0] <= '9' && !*end;
  return digits && length <= MOST_LENGTH ? (uint32_t)length : 0;
}

/* Each rank looks at all arguments before it does anything, and rank 0 says
 * what it found. False if there is nothing more to do: then *out_code is the
 * program's exit code. */
static bool check_arguments(int rank, int argc, char **argv, int *out_code) {
  for (int i = 1; i < argc; ++i)
    if (strcmp(argv[i], "--help") == 0) {
      if (rank == 0)
        fputs(usage, stdout);
      *out_code = EXIT_SUCCESS;
      return false;
    }
  *out_code = EXIT_FAILURE;
  if (argc > 1 && (!argv[1][0] || argv[1][0] == '-')) {
    if (rank == 0)
      fprintf(stderr,
              "ring: expected a device such as emu, hip or hip:0, found "
              "'%s'\n%s",
              argv[1], usage);
    return false;
  }
  for (int i = 2; i < argc; ++i)
    if (!length_of(argv[i])) {
      if (rank == 0)
        fprintf(stderr, "ring: expected a length from 1 to %d, found '%s'\n%s",
                MOST_LENGTH, argv[i], usage);
      return false;
    }
  return true;
}

int main(int argc, char **argv) {
  static machine m;
  int code;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &m.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &m.ranks);
  if (check_arguments(m.rank, argc, argv, &code)) {
    bool right = true;
    start(&m, argc > 1 ? argv[1] : "emu");
    for (int i = 2; i < argc || i == 2; ++i) {
      const uint32_t length = argc > 2 ? length_of(argv[i]) : 131;
      right &= run(&m, length, false);
      right &= run(&m, length, true);
    }
    stop(&m);
    code = right ? EXIT_SUCCESS : EXIT_FAILURE;
  }
  MPI_Finalize();
  return code;
}
