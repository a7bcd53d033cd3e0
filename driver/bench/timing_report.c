// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "timing_report.h"

#include <inttypes.h>

#include "budget.h"

#include "streams.h"

cJSON *timing_causes_json(const double causes[FMHAC_TIMING_MOST_CAUSES]) {
  cJSON *object = cJSON_CreateObject();
  const char *name;
  for (int i = 0; (name = fmhac_timing_cause_name((fmhac_timing_cause)i)); ++i)
    cJSON_AddNumberToObject(object, name, causes[i]);
  return object;
}

timing_memory timing_memory_of(const fmhac_timing_grid *g,
                               const char *constants) {
  const struct {
    const char *level, *bandwidth;
    double bytes;
  } levels[] = {{"l2", "l2_bytes_per_ns", g->l2_bytes},
                {"mall", "mall_bytes_per_ns", g->far_bytes},
                {"hbm", "hbm_bytes_per_ns", g->hbm_bytes}};
  timing_memory m = {"l2", 0, 0};
  for (size_t i = 0; g->seconds > 0 && i < sizeof levels / sizeof *levels;
       ++i) {
    const double rate = levels[i].bytes / g->seconds;
    const double share =
        rate / (1e9 * timing_constant(levels[i].bandwidth, constants));
    if (share > m.share)
      m = (timing_memory){levels[i].level, rate, share};
  }
  return m;
}

cJSON *timing_memory_json(const timing_memory *m) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "level", m->level);
  cJSON_AddNumberToObject(object, "bytes_per_second", m->bytes_per_second);
  cJSON_AddNumberToObject(object, "share", m->share);
  return object;
}

cJSON *timing_grid_json(const fmhac_timing_grid *g, const char *constants) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "workgroups", (double)g->workgroups);
  cJSON_AddNumberToObject(object, "sampled", (double)g->sampled);
  cJSON_AddNumberToObject(object, "cycles", g->cycles);
  cJSON_AddNumberToObject(object, "mfma_busy", g->mfma_busy);
  cJSON_AddNumberToObject(object, "mfma8_busy", g->mfma8_busy);
  cJSON_AddNumberToObject(object, "mfma_f16_busy", g->mfma_f16_busy);
  cJSON_AddNumberToObject(object, "valu_busy", g->valu_busy);
  cJSON_AddNumberToObject(object, "clock_ghz", g->clock_ghz);
  cJSON_AddNumberToObject(object, "seconds", g->seconds);
  const double interval[] = {g->seconds_low, g->seconds_high};
  cJSON_AddItemToObject(object, "seconds_interval",
                        cJSON_CreateDoubleArray(interval, 2));
  cJSON_AddNumberToObject(object, "seconds_cool", g->seconds_cool);
  cJSON_AddNumberToObject(object, "l2_bytes", g->l2_bytes);
  cJSON_AddNumberToObject(object, "far_bytes", g->far_bytes);
  cJSON_AddNumberToObject(object, "hbm_bytes", g->hbm_bytes);
  cJSON_AddNumberToObject(object, "tail", g->tail);
  const timing_memory memory = timing_memory_of(g, constants);
  cJSON_AddItemToObject(object, "memory", timing_memory_json(&memory));
  return object;
}

uint64_t timing_extrapolated(const fmhac_rt_device *device,
                             const uint32_t extents[3]) {
  uint32_t first[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX}, last[3] = {0};
  const size_t count = fmhac_timing_workgroup_count(device);
  for (size_t i = 0; i < count; ++i) {
    fmhac_timing_workgroup w = {.size = sizeof w};
    if (fmhac_timing_get_workgroup(device, i, &w) != FMHAC_OK)
      return 0;
    for (int d = 0; d < 3; ++d) {
      first[d] = w.id[d] < first[d] ? w.id[d] : first[d];
      last[d] = w.id[d] > last[d] ? w.id[d] : last[d];
    }
  }
  uint64_t all = 1, between = 1;
  for (int d = 0; d < 3; ++d) {
    all *= extents[d];
    between *= count ? (uint64_t)last[d] - first[d] + 1 : 0;
  }
  return all - between;
}

static cJSON *loop_json(const fmhac_timing_loop *l) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddNumberToObject(object, "pc", (double)l->pc);
  cJSON_AddNumberToObject(object, "iterations", (double)l->iterations);
  cJSON_AddNumberToObject(object, "cycles", l->cycles);
  cJSON_AddItemToObject(object, "causes", timing_causes_json(l->causes));
  return object;
}

cJSON *timing_workgroup_json(const fmhac_timing_workgroup *w) {
  cJSON *object = cJSON_CreateObject();
  const double id[] = {w->id[0], w->id[1], w->id[2]};
  cJSON_AddItemToObject(object, "id", cJSON_CreateDoubleArray(id, 3));
  cJSON_AddNumberToObject(object, "cycles", (double)w->cycles);
  cJSON_AddNumberToObject(object, "mfma_busy", w->mfma_busy);
  cJSON_AddNumberToObject(object, "valu_busy", w->valu_busy);
  cJSON_AddNumberToObject(object, "resident", w->resident);
  cJSON_AddNumberToObject(object, "instructions", (double)w->instructions);
  double causes[FMHAC_TIMING_MOST_CAUSES];
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c)
    causes[c] = (double)w->causes[c];
  cJSON_AddItemToObject(object, "causes", timing_causes_json(causes));
  if (w->loop.iterations)
    cJSON_AddItemToObject(object, "loop", loop_json(&w->loop));
  return object;
}

cJSON *timing_workgroups_json(const fmhac_rt_device *device) {
  cJSON *array = cJSON_CreateArray();
  size_t count = fmhac_timing_workgroup_count(device);
  for (size_t i = 0; i < count; ++i) {
    fmhac_timing_workgroup w = {.size = sizeof w};
    if (fmhac_timing_get_workgroup(device, i, &w) != FMHAC_OK)
      break;
    cJSON_AddItemToArray(array, timing_workgroup_json(&w));
  }
  return array;
}

static void print_causes(const double causes[FMHAC_TIMING_MOST_CAUSES],
                         double all) {
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c)
    if (causes[c] > 0.0005 * all)
      printx("  %-10s %12.1f  %5.1f %%\n",
             fmhac_timing_cause_name((fmhac_timing_cause)c), causes[c],
             100 * causes[c] / all);
}

void timing_print(const fmhac_rt_device *device, const fmhac_timing_grid *g) {
  fmhac_timing_workgroup longest = {.size = sizeof longest};
  for (size_t i = 0; i < fmhac_timing_workgroup_count(device); ++i) {
    fmhac_timing_workgroup w = {.size = sizeof w};
    if (fmhac_timing_get_workgroup(device, i, &w) == FMHAC_OK &&
        w.cycles >= longest.cycles)
      longest = w;
  }
  printx("modelled: %.4g ms (%.4g to %.4g), %.0f cycles at %.2f GHz, matrix "
         "units busy %.1f %%, tail %.1f %%\n",
         1e3 * g->seconds, 1e3 * g->seconds_low, 1e3 * g->seconds_high,
         g->cycles, g->clock_ghz, 100 * g->mfma_busy, 100 * g->tail);
  printx(
      "%" PRIu64 " of %" PRIu64 " workgroups timed; the longest, (%u,%u,%u), "
      "takes %" PRIu64 " cycles, %u on a compute unit; cycles of its SIMDs:\n",
      g->sampled, g->workgroups, longest.id[0], longest.id[1], longest.id[2],
      longest.cycles, longest.resident);
  double causes[FMHAC_TIMING_MOST_CAUSES], all = 0;
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c)
    all += causes[c] = (double)longest.causes[c];
  print_causes(causes, all);
  if (!longest.loop.iterations)
    return;
  printx("its loop at pc 0x%" PRIx64 ", %" PRIu64 " iterations of %.1f cycles, "
         "of which on one SIMD:\n",
         longest.loop.pc, longest.loop.iterations, longest.loop.cycles);
  print_causes(longest.loop.causes, longest.loop.cycles);
}
