/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A small serving engine: sequences come and go, their keys and values lie in
 * pages of one cache, and one launch, recorded once, is replayed for every
 * step, prompts and single tokens alike. Between two steps only device memory
 * changes: the cache, the table of pages and the lengths. The launch itself
 * makes the lists of its work from these. One sequence begins as another does,
 * and shares the pages of that.
 *
 *   serving [DEVICE]
 *
 * Each step is held to attention in double precision, which knows no pages. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "problem.h"
#include "recording.h"

enum {
  SLOTS = 3, /* sequences at the same time */
  HEADS_Q = 4,
  HEADS_KV = 2,
  HEAD_DIM = 64,
  PAGE_KEYS = 16,
  PAGES = 17, /* of the cache: some have to be used again */
  MOST_KEYS = 144,
  MOST_PAGES = MOST_KEYS / PAGE_KEYS, /* of a sequence */
  MOST_ROWS = 37,                     /* the longest prompt */
  STEPS = 100,
  ROW = HEADS_KV * HEAD_DIM, /* elements of a key, or value, of all heads */
  Q_ROW = HEADS_Q * HEAD_DIM,
  BYTES = 2 /* of a bf16 */
};

static const char CONFIG[] =
    "{\"head_dim\": 64, \"mask\": \"causal\", \"page_size\": 16, "
    "\"page_table\": true, \"seqlens_q\": true, \"seqlens_kv\": true, "
    "\"work\": \"list\", \"split_kv\": \"auto\"}";

/* Who comes at which step to which slot, with how many tokens, and after which
 * step it goes. It begins with the whole pages of the sequence in slot `like`,
 * unless that is -1. */
static const struct arrival {
  int step, slot, like, last;
  uint32_t tokens;
} arrivals[] = {{0, 0, -1, STEPS, 37},
                {0, 1, -1, 30, 20},
                {1, 2, 0, 60, 9},
                {40, 1, -1, STEPS, 33},
                {70, 2, 1, STEPS, 1}};

typedef struct sequence {
  uint32_t keys, rows; /* rows: those of Q of this step, the last of its keys */
  uint16_t k[MOST_KEYS * ROW], v[MOST_KEYS * ROW]; /* for the check only */
} sequence;

typedef struct engine {
  fmhac_rt_device *device;
  fmhac_tensors tensors;
  recording recording;
  sequence slots[SLOTS];
  int32_t table[SLOTS][MOST_PAGES]; /* as on the device */
  int32_t free_pages[PAGES];        /* a stack */
  int free_count;
  int users[PAGES]; /* sequences that have a page */
  uint16_t q[SLOTS * MOST_ROWS * Q_ROW], o[SLOTS * MOST_ROWS * Q_ROW];
  unsigned seed;
  double largest_error;
  char why[120]; /* a step failed that is no call of fmhac's */
} engine;

/*===- Pages --------------------------------------------------------------===*/

static uint32_t pages_of(uint32_t keys) {
  return (keys + PAGE_KEYS - 1) / PAGE_KEYS;
}

/* Gives a sequence the pages that another has all keys of. */
static void share(engine *e, int slot, int like) {
  sequence *s = &e->slots[slot];
  const uint32_t pages = e->slots[like].keys / PAGE_KEYS;
  s->keys = pages * PAGE_KEYS;
  memcpy(s->k, e->slots[like].k, s->keys * ROW * BYTES);
  memcpy(s->v, e->slots[like].v, s->keys * ROW * BYTES);
  for (uint32_t i = 0; i < pages; ++i) {
    e->table[slot][i] = e->table[like][i];
    ++e->users[e->table[slot][i]];
  }
}

static void leave(engine *e, int slot) {
  for (uint32_t i = 0; i < pages_of(e->slots[slot].keys); ++i)
    if (--e->users[e->table[slot][i]] == 0)
      e->free_pages[e->free_count++] = e->table[slot][i];
  e->slots[slot].keys = e->slots[slot].rows = 0;
}

/* Adds keys and values to a sequence, in pages that it takes as it needs them.
 * An engine of a model would write them with a kernel of its own. */
static fmhac_status append(engine *e, int slot, uint32_t tokens) {
  sequence *s = &e->slots[slot];
  fmhac_status status = FMHAC_OK;
  s->rows = tokens;
  problem_fill(s->k + s->keys * ROW, tokens * ROW, &e->seed);
  problem_fill(s->v + s->keys * ROW, tokens * ROW, &e->seed);
  problem_fill(e->q + slot * MOST_ROWS * Q_ROW, tokens * Q_ROW, &e->seed);
  for (; status == FMHAC_OK && tokens; --tokens, ++s->keys) {
    const uint32_t in_page = s->keys % PAGE_KEYS;
    int32_t *page = &e->table[slot][s->keys / PAGE_KEYS];
    if (in_page == 0) {
      if (!e->free_count) { /* an engine would let a sequence wait */
        snprintf(e->why, sizeof e->why,
                 "sequence %d needs a page, and all %d are taken", slot, PAGES);
        return FMHAC_OUT_OF_MEMORY;
      }
      *page = e->free_pages[--e->free_count];
      ++e->users[*page];
    }
    const uint64_t at = ((uint64_t)*page * PAGE_KEYS + in_page) * ROW * BYTES;
    status = fmhac_rt_copy_in(e->device, e->tensors.k + at,
                              s->k + s->keys * ROW, ROW * BYTES);
    if (status == FMHAC_OK)
      status = fmhac_rt_copy_in(e->device, e->tensors.v + at,
                                s->v + s->keys * ROW, ROW * BYTES);
  }
  return status;
}

/*===- A step -------------------------------------------------------------===*/

/* The largest error of a step; NaN counts as infinity. */
static double error_of(const engine *e) {
  double largest = 0, scores[MOST_KEYS];
  for (int b = 0; b < SLOTS; ++b)
    for (uint32_t n = 0; n < e->slots[b].rows * HEADS_Q; ++n) {
      const sequence *s = &e->slots[b];
      const uint32_t i = n / HEADS_Q, h = n % HEADS_Q;
      const uint32_t keys = s->keys - s->rows + i + 1; /* that row i sees */
      const size_t at = ((size_t)b * MOST_ROWS + i) * Q_ROW + h * HEAD_DIM;
      const size_t kv = h / (HEADS_Q / HEADS_KV) * HEAD_DIM;
      double sum = 0;
      for (uint32_t j = 0; j < keys; ++j) {
        double dot = 0;
        for (int d = 0; d < HEAD_DIM; ++d)
          dot += problem_double(e->q[at + d]) *
                 problem_double(s->k[j * ROW + kv + d]);
        scores[j] = exp(dot / sqrt(HEAD_DIM)); /* small: see problem.c */
        sum += scores[j];
      }
      for (int d = 0; d < HEAD_DIM; ++d) {
        double o = 0;
        for (uint32_t j = 0; j < keys; ++j)
          o += scores[j] / sum * problem_double(s->v[j * ROW + kv + d]);
        const double error = fabs(problem_double(e->o[at + d]) - o);
        if (!(error <= largest))
          largest = isnan(error) ? INFINITY : error;
      }
    }
  return largest;
}

/* Tells the device which rows, keys and pages there are now, and launches. */
static fmhac_status launch(engine *e) {
  const fmhac_tensors *t = &e->tensors;
  int32_t rows[SLOTS], keys[SLOTS];
  for (int b = 0; b < SLOTS; ++b) {
    rows[b] = (int32_t)e->slots[b].rows;
    keys[b] = (int32_t)e->slots[b].keys;
  }
  fmhac_status status = fmhac_rt_copy_in(e->device, t->q, e->q, sizeof e->q);
  if (status == FMHAC_OK)
    status = fmhac_rt_copy_in(e->device, t->seqlens_q, rows, sizeof rows);
  if (status == FMHAC_OK)
    status = fmhac_rt_copy_in(e->device, t->seqlens_kv, keys, sizeof keys);
  if (status == FMHAC_OK)
    status =
        fmhac_rt_copy_in(e->device, t->page_table, e->table, sizeof e->table);
  if (status == FMHAC_OK)
    status = fmhac_rt_fill(e->device, t->o, 0xff, sizeof e->o); /* NaN */
  if (status == FMHAC_OK)
    status = recording_replay(&e->recording);
  return status == FMHAC_OK
             ? fmhac_rt_copy_out(e->device, t->o, e->o, sizeof e->o)
             : status;
}

static fmhac_status run_step(engine *e, int step) {
  enum { TOLD = 20 }; /* every so often, and if somebody comes or goes */
  fmhac_status status = FMHAC_OK;
  uint32_t tokens[SLOTS];
  bool is_told = (step + 1) % TOLD == 0;
  for (int b = 0; b < SLOTS; ++b) /* those that are there: one token each */
    tokens[b] = e->slots[b].keys != 0;
  for (size_t i = 0; i < sizeof arrivals / sizeof arrivals[0]; ++i) {
    const struct arrival *a = &arrivals[i];
    if (a->last + 1 == step) {
      leave(e, a->slot);
      tokens[a->slot] = 0;
      is_told = true;
    }
    if (a->step != step)
      continue;
    if (a->like >= 0)
      share(e, a->slot, a->like);
    tokens[a->slot] = a->tokens;
    is_told = true;
  }
  for (int b = 0; b < SLOTS && status == FMHAC_OK; ++b)
    status = append(e, b, tokens[b]);
  if (status == FMHAC_OK)
    status = launch(e);
  if (status != FMHAC_OK)
    return status;
  const double error = error_of(e);
  e->largest_error = fmax(e->largest_error, error);
  if (!is_told)
    return FMHAC_OK;
  int shared = 0;
  for (int i = 0; i < PAGES; ++i)
    shared += e->users[i] > 1;
  printf("step %2d: ", step);
  for (int b = 0; b < SLOTS; ++b)
    printf("%2u of %3u keys, ", e->slots[b].rows, e->slots[b].keys);
  printf("%2d pages (%d shared): largest error %.5f\n", PAGES - e->free_count,
         shared, error);
  return FMHAC_OK;
}

/*===- The engine ---------------------------------------------------------===*/

/* Device memory for everything, and the launch that all steps replay. */
static fmhac_status prepare(engine *e, const char *uri, const fmhac_plan *plan,
                            const fmhac_problem *largest) {
  const size_t cache = (size_t)PAGES * PAGE_KEYS * ROW * BYTES;
  fmhac_device_ptr q, k, v, o, lists[3], workspace;
  const struct {
    fmhac_device_ptr *address;
    size_t bytes;
  } all[] = {{&q, sizeof e->q},
             {&k, cache},
             {&v, cache},
             {&o, sizeof e->o},
             {&lists[0], SLOTS * sizeof(int32_t)},
             {&lists[1], SLOTS * sizeof(int32_t)},
             {&lists[2], sizeof e->table},
             {&workspace, fmhac_plan_workspace_bytes(plan)}};
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < sizeof all / sizeof all[0] && status == FMHAC_OK;
       ++i) {
    status = fmhac_rt_alloc(e->device, all[i].bytes, all[i].address);
    /* What no sequence has is NaN: it may hold anything. */
    if (status == FMHAC_OK)
      status = fmhac_rt_fill(e->device, *all[i].address, 0xff, all[i].bytes);
  }
  if (status == FMHAC_OK)
    status = fmhac_tensors_dense(plan, largest, q, k, v, o, 0, &e->tensors);
  if (status != FMHAC_OK)
    return status;
  e->tensors.pages = PAGES;
  e->tensors.seqlens_q = lists[0];
  e->tensors.seqlens_kv = lists[1];
  e->tensors.page_table = lists[2];
  e->tensors.page_table_batch_stride_bytes = sizeof e->table[0];
  for (int i = 0; i < PAGES; ++i) /* in any order */
    e->free_pages[e->free_count++] = i * 5 % PAGES;
  return recording_make(&e->recording, uri, plan, e->device, &e->tensors,
                        (void *)(uintptr_t)workspace, e->why, sizeof e->why);
}

int main(int argc, char **argv) {
  const char *uri = argc > 1 ? argv[1] : "emu";
  static engine e;
  fmhac_context *context = NULL;
  fmhac_plan *plan = NULL;
  char why[512] = "";

  fmhac_status status =
      fmhac_context_create_from_environment(NULL, why, sizeof why, &context);
  const fmhac_problem largest = {.size = sizeof largest,
                                 .batch = SLOTS,
                                 .heads_q = HEADS_Q,
                                 .heads_kv = HEADS_KV,
                                 .seqlen_q = MOST_ROWS,
                                 .seqlen_kv = MOST_KEYS};
  if (status == FMHAC_OK)
    status = fmhac_plan_create_json(context, CONFIG, &largest, &plan);
  if (status == FMHAC_OK)
    status = fmhac_rt_device_open_with_text(uri, why, sizeof why, &e.device);
  e.tensors.size = sizeof e.tensors;
  e.seed = 1;
  if (status == FMHAC_OK)
    status = prepare(&e, uri, plan, &largest);
  for (int step = 0; step < STEPS && status == FMHAC_OK; ++step)
    status = run_step(&e, step);
  const bool right = e.largest_error <= PROBLEM_TOLERANCE;
  int code = EXIT_FAILURE;
  if (status != FMHAC_OK)
    problem_fail(status, context, e.device, e.why[0] ? e.why : why);
  else if (right)
    code = EXIT_SUCCESS;
  if (status == FMHAC_OK)
    printf("%s\n", right ? "right" : "WRONG");

  recording_destroy(&e.recording);
  fmhac_plan_destroy(plan);
  fmhac_rt_device_close(e.device); /* its memory with it */
  fmhac_context_destroy(context);
  return code;
}
