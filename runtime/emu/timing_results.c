// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_timing.h: times of the last launch of a device.
#include "emu_device.h"
#include "float_environment.h"
#include "sized_struct.h"

static const char *const k_cause_names[TIMING_CAUSES] = {
    "mfma",     "valu",     "trans",     "issue",     "result",
    "lds_wait", "lds_full", "vmem_wait", "vmem_full", "barrier",
    "branch",   "launch",   "idle"};

const char *fmhac_timing_cause_name(fmhac_timing_cause cause) {
  return (unsigned)cause < TIMING_CAUSES ? k_cause_names[cause] : NULL;
}

static const char *const k_class_names[TIMING_CLASSES] = {
    "mfma", "valu",   "packed", "trans",   "lds",
    "vmem", "scalar", "wait",   "barrier", "other"};

const char *fmhac_timing_class_name(fmhac_timing_class kind) {
  return (unsigned)kind < TIMING_CLASSES ? k_class_names[kind] : NULL;
}

static const emu_timing *timing_of(const fmhac_rt_device *device) {
  const emu_result *result = emu_device_result(device);
  return result ? result->timing : NULL;
}

// Bytes from the kernel's entry.
static uint64_t pc_of(const emu_timing *t, uint32_t insn) {
  return (uint64_t)t->kernel->program->insns[insn].pc - t->kernel->entry_text;
}

size_t fmhac_timing_workgroup_count(const fmhac_rt_device *device) {
  const emu_timing *t = timing_of(device);
  return t ? t->count : 0;
}

fmhac_status fmhac_timing_get_workgroup(const fmhac_rt_device *device,
                                        size_t index,
                                        fmhac_timing_workgroup *out) {
  fmhac_status status =
      emu_device_need(device, "timing of a workgroup", "out_workgroup", out);
  if (status != FMHAC_OK)
    return status;
  const emu_timing *t = timing_of(device);
  status = emu_device_need_index(device, "timing of a workgroup", index,
                                 t ? t->count : 0);
  if (status != FMHAC_OK)
    return status;
  const emu_time_result *r = &t->results[index];
  fmhac_timing_workgroup w = {.resident = r->resident,
                              .cycles = r->cycles,
                              .instructions = r->instructions / r->resident,
                              .loop = r->loop};
  if (r->loop.iterations)
    w.loop.pc -= t->kernel->entry_text;
  memcpy(w.id, r->id, sizeof w.id);
  memcpy(w.causes, r->causes, sizeof r->causes);
  fenv_t caller;
  fmhac_float_begin(&caller);
  const emu_time_load load = emu_time_load_of(r, t->k.simds);
  w.mfma_busy = emu_time_matrix_share(&load);
  w.mfma8_busy = load.matrix[EMU_OPERANDS_NARROW];
  w.mfma_f16_busy = load.matrix[EMU_OPERANDS_F16];
  w.valu_busy = load.vector;
  w.l2_bytes = r->l2_bytes / r->resident;
  w.far_bytes = r->far_bytes;
  w.memory_wait_cycles = r->wait_cycles;
  w.in_mall = r->in_mall;
  fmhac_float_end(&caller);
  return FMHAC_RT_STRUCT_OUT(device, "timing of a workgroup", out, &w,
                             fmhac_timing_workgroup, loop);
}

fmhac_status fmhac_timing_extrapolate(fmhac_rt_device *device,
                                      fmhac_timing_grid *out) {
  fmhac_timing_grid grid = {0};
  fmhac_status status =
      emu_device_need(device, "time of the grid", "out_grid", out);
  if (status == FMHAC_OK)
    status = FMHAC_RT_STRUCT_OUT(device, "time of the grid", out, &grid,
                                 fmhac_timing_grid, tail);
  if (status != FMHAC_OK)
    return status;
  const emu_timing *t = timing_of(device);
  if (!t || !t->count)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "time of the grid: the last launch was not timed, or "
                         "did not end");
  char text[FMHAC_RT_TEXT_BYTES];
  fenv_t caller;
  fmhac_float_begin(&caller);
  status = emu_time_grid(t, text, sizeof text, &grid);
  fmhac_float_end(&caller);
  return status == FMHAC_OK
             ? FMHAC_RT_STRUCT_OUT(device, "time of the grid", out, &grid,
                                   fmhac_timing_grid, tail)
             : fmhac_rt_fail(device, status, "%s", text);
}

size_t fmhac_timing_event_count(const fmhac_rt_device *device) {
  const emu_timing *t = timing_of(device);
  return t ? t->events.count : 0;
}

fmhac_status fmhac_timing_get_event(const fmhac_rt_device *device, size_t index,
                                    fmhac_timing_event *out) {
  fmhac_status status =
      emu_device_need(device, "timing event", "out_event", out);
  if (status != FMHAC_OK)
    return status;
  const emu_timing *t = timing_of(device);
  status = emu_device_need_index(device, "timing event", index,
                                 t ? t->events.count : 0);
  if (status != FMHAC_OK)
    return status;
  const emu_time_event *e = &t->events.list[index];
  fmhac_timing_event known = {.wave = e->wave,
                              .simd = e->simd,
                              .ready = e->ready,
                              .issue = e->issue,
                              .start = e->start,
                              .end = e->end,
                              .cause = (fmhac_timing_cause)e->cause,
                              .kind = (fmhac_timing_class)t->ops[e->insn].kind,
                              .pc = pc_of(t, e->insn),
                              .lds_cycles = e->lds_cycles,
                              .lds_least_cycles = e->lds.least_cycles};
  memcpy(known.lds_words, e->lds.words, sizeof known.lds_words);
  return FMHAC_RT_STRUCT_OUT(device, "timing event", out, &known,
                             fmhac_timing_event, lds_words);
}
