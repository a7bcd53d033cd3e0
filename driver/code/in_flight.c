// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "in_flight.h"

#include <stdlib.h>

#include "budget.h"

enum {
  MOST = 64,  ///< one more than vmcnt counts
  TRIPS = 64, ///< after so many the queue is as full as it gets
};

/// An instruction that vmcnt counts.
typedef struct request {
  double bytes, lds_bytes; ///< of a load; those to LDS among them
} request;

/// What is on its way for a wave, the oldest first.
typedef struct queue {
  request list[MOST];
  uint32_t first, count;
  double bytes, lds_bytes;
} queue;

typedef struct walk {
  const fmhac_timing_survey *survey;
  const kernel_code *code;
  queue queue;
  uint32_t loads, most_instructions;
  double load_bytes, most_bytes, most_lds_bytes;
  cJSON *waits;
} walk;

static void leave(queue *q) {
  const request *r = &q->list[q->first++ % MOST];
  q->count--;
  q->bytes -= r->bytes;
  q->lds_bytes -= r->lds_bytes;
}

static void enter(queue *q, const request *r) {
  if (q->count == MOST - 1) // the wave waits for the oldest
    leave(q);
  q->list[(q->first + q->count++) % MOST] = *r;
  q->bytes += r->bytes;
  q->lds_bytes += r->lds_bytes;
}

/// Bytes of vector memory of the instruction at `pc`.
static double bytes_at(const fmhac_timing_survey *survey, uint64_t pc) {
  size_t low = 0, high = fmhac_timing_survey_cost_count(survey);
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    fmhac_timing_cost c = {.size = sizeof c};
    if (fmhac_timing_survey_get_cost(survey, middle, &c) != FMHAC_OK)
      return 0;
    if (c.pc == pc)
      return c.vmem_bytes;
    if (c.pc < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

static void add_wait(walk *w, uint64_t pc, uint32_t vmcnt) {
  cJSON *wait = cJSON_CreateObject();
  cJSON_AddNumberToObject(wait, "pc", (double)pc);
  cJSON_AddNumberToObject(wait, "vmcnt", vmcnt);
  cJSON_AddNumberToObject(wait, "instructions", w->queue.count);
  cJSON_AddNumberToObject(wait, "wave_bytes", w->queue.bytes);
  cJSON_AddItemToArray(w->waits, wait);
}

static void step(walk *w, uint32_t i, bool counts) {
  queue *q = &w->queue;
  const uint64_t pc = w->code->insns[i].pc;
  const mix_class class = w->code->classes[i];
  const bool load = class == MIX_LOAD || class == MIX_LDS_DMA;
  const int vmcnt = w->code->vmcnts[i];
  if (load || class == MIX_STORE || class == MIX_SCRATCH) {
    const double bytes = load ? bytes_at(w->survey, pc) : 0;
    enter(q, &(request){bytes, class == MIX_LDS_DMA ? bytes : 0});
    w->loads += counts && load;
    w->load_bytes += counts ? bytes : 0;
  }
  if (vmcnt >= 0 && counts && q->count > (uint32_t)vmcnt)
    add_wait(w, pc, (uint32_t)vmcnt);
  while (vmcnt >= 0 && q->count > (uint32_t)vmcnt)
    leave(q);
  if (!counts)
    return;
  w->most_instructions =
      q->count > w->most_instructions ? q->count : w->most_instructions;
  w->most_bytes = q->bytes > w->most_bytes ? q->bytes : w->most_bytes;
  w->most_lds_bytes =
      q->lds_bytes > w->most_lds_bytes ? q->lds_bytes : w->most_lds_bytes;
}

/// The loop's blocks by address, beginning with its header.
static void go_round(walk *w, const kernel_loop *loop, bool counts) {
  const flow *f = &w->code->flow;
  const uint32_t header = f->loops[loop->flow_loop].header;
  for (uint32_t i = 0; i < f->block_count; ++i) {
    const uint32_t b = (header + i) % f->block_count;
    if (!flow_loop_has(f, loop->flow_loop, b))
      continue;
    for (uint32_t at = f->blocks[b].first; at < f->blocks[b].end; ++at)
      step(w, at, counts);
  }
}

/// What a compute unit has on its way while it gets its share of a bandwidth.
static double needed(const char *bandwidth, const char *latency) {
  return timing_constant(bandwidth, NULL) /
         timing_constant("compute_units", NULL) *
         timing_constant(latency, NULL);
}

cJSON *in_flight_json(const fmhac_timing_survey *survey,
                      const kernel_code *code, const kernel_loop *loop,
                      const occupancy *resident) {
  walk w = {.survey = survey, .code = code, .waits = cJSON_CreateArray()};
  for (int trip = 0; w.waits && trip < TRIPS; ++trip)
    go_round(&w, loop, trip == TRIPS - 1);
  cJSON *object = w.waits && w.loads ? cJSON_CreateObject() : NULL;
  if (!object) {
    cJSON_Delete(w.waits);
    return cJSON_CreateNull();
  }
  cJSON_AddNumberToObject(object, "loads", w.loads);
  cJSON_AddNumberToObject(object, "load_bytes", w.load_bytes);
  cJSON_AddNumberToObject(object, "instructions", w.most_instructions);
  cJSON_AddNumberToObject(object, "wave_bytes", w.most_bytes);
  cJSON_AddNumberToObject(object, "to_lds_bytes", w.most_lds_bytes);
  cJSON_AddItemToObject(object, "waits", w.waits);
  const double cache = timing_constant("l1_flight_bytes", NULL);
  const double waves = (double)resident->waves * resident->workgroups_per_cu;
  const double bytes = waves * w.most_bytes;
  if (waves > 0) {
    cJSON_AddNumberToObject(object, "waves", waves);
    cJSON_AddNumberToObject(object, "cu_bytes", bytes < cache ? bytes : cache);
    cJSON_AddStringToObject(object, "limit",
                            bytes < cache ? "waves" : "vector_cache");
  } else {
    static const char *const unknown[] = {"waves", "cu_bytes", "limit"};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; ++i)
      cJSON_AddNullToObject(object, unknown[i]);
  }
  cJSON_AddNumberToObject(object, "hbm_needs_bytes",
                          needed("hbm_bytes_per_ns", "hbm_latency_ns"));
  cJSON_AddNumberToObject(object, "mall_needs_bytes",
                          needed("mall_bytes_per_ns", "mall_latency_ns"));
  return object;
}
