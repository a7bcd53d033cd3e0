// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prepares a launch and collects what it leaves.
#include "launch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "findings.h"
#include "fmhac_abi.h"
#include "hazard.h"
#include "race.h"
#include "streams.h"
#include "timing.h"
#include "undefined.h"
#include "work_items.h"

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static fmhac_status fail(char *text, size_t bytes, fmhac_status status,
                         const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static fmhac_status fail(char *text, size_t bytes, fmhac_status status,
                         const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(text, bytes, format, args);
  va_end(args);
  return status;
}

static emu_kernel *choose(emu_module *m, const char *name, char *text,
                          size_t bytes) {
  if (!name && m->kernel_count == 1)
    return &m->kernels[0];
  for (size_t i = 0; name && i < m->kernel_count; i++)
    if (strcmp(m->kernels[i].name, name) == 0)
      return &m->kernels[i];
  size_t n = (size_t)snprintf(text, bytes,
                              name ? "launch: no kernel \"%s\" in the code "
                                     "object; it has:"
                                   : "launch: no kernel named%s, and the code "
                                     "object has several:",
                              name ? name : "");
  for (size_t i = 0; i < m->kernel_count && n < bytes; i++)
    n += (size_t)snprintf(text + n, bytes - n, " %s", m->kernels[i].name);
  return NULL;
}

static fmhac_status decode(emu_module *m, emu_kernel *k, char *text,
                           size_t bytes) {
  if (k->program)
    return FMHAC_OK;
  char list[12288];
  fmhac_status status = isa_program_create(
      m->image + m->object.text_address, (uint32_t)m->object.text.bytes,
      emu_kernel_first(k), list, sizeof list, &k->program);
  if (status == FMHAC_UNSUPPORTED)
    return fail(text, bytes, FMHAC_LAUNCH_FAILED,
                "kernel %s: instructions that the emulator does not know "
                "(pc from the start of .text; the kernel begins at 0x%x):%s",
                k->name, k->entry_text, list);
  if (status != FMHAC_OK)
    return fail(text, bytes, status, "kernel %s: %s", k->name, list);
  return FMHAC_OK;
}

// The AQL dispatch packet ("HSA Runtime Programmer's Reference Manual",
// hsa_kernel_dispatch_packet_t), for kernels that ask for its address.
static void fill_packet(uint8_t *p, const emu_launch *l) {
  uint16_t dims = 3;
  memcpy(p + 2, &dims, 2);
  for (int i = 0; i < 3; i++) {
    uint16_t block = (uint16_t)l->block[i];
    uint32_t grid = l->grid[i] * l->block[i];
    memcpy(p + 4 + 2 * i, &block, 2);
    memcpy(p + 12 + 4 * i, &grid, 4);
  }
  memcpy(p + 24, &l->scratch_bytes, 4);
  memcpy(p + 28, &l->lds_bytes, 4);
  memcpy(p + 32, &l->kernel->entry, 8);
  memcpy(p + 40, &l->kernarg_address, 8);
}

// Writes the hidden arguments at or after `given` bytes.
static void write_hidden_arguments(const emu_kernel *kernel,
                                   const emu_launch *launch, size_t given,
                                   uint8_t *kernarg) {
  for (int k = 0; k < EMU_HIDDEN_COUNT; k++) {
    int32_t at = kernel->hidden[k];
    bool wide = k < EMU_HIDDEN_GROUP_SIZE_X || k == EMU_HIDDEN_DYNAMIC_LDS;
    uint32_t bytes = wide ? 4 : 2, value = 0;
    if (at < 0 || (size_t)at < given ||
        (uint32_t)at + bytes > launch->kernarg_bytes)
      continue;
    if (k < EMU_HIDDEN_GROUP_SIZE_X)
      value = launch->grid[k];
    else if (k < EMU_HIDDEN_REMAINDER_X)
      value = launch->block[k - EMU_HIDDEN_GROUP_SIZE_X];
    else if (k == EMU_HIDDEN_GRID_DIMS)
      value = 3;
    else if (k == EMU_HIDDEN_DYNAMIC_LDS)
      value = launch->lds_bytes - kernel->kd.lds_bytes;
    memcpy(kernarg + at, &value, bytes);
  }
}

/// That the launcher fills in what a kernel of fmhac requires, if it says which
/// groups it fills in: a mask of 0 says nothing.
static fmhac_status check_groups(const emu_launch *l, char *text,
                                 size_t bytes) {
  static const struct {
    int bit;
    const char *name;
  } groups[] = {
#define FMHAC_ARG(type, name, group, doc) {FMHAC_ARGS_##group##_BIT, #group},
#include "fmhac_abi.def"
  };
  const uint64_t required =
      isa_object_required_args(&l->module->object, l->kernel->name);
  uint64_t filled = 0;
  const size_t at = offsetof(fmhac_kernel_args, field_mask);
  if (l->kernarg_bytes >= at + sizeof filled)
    memcpy(&filled, l->kernarg + at, sizeof filled);
  const uint64_t missing = filled ? required & ~filled : 0;
  if (!missing)
    return FMHAC_OK;
  const char *name = "unknown here";
  for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
    if (missing >> groups[i].bit & 1) {
      name = groups[i].name;
      break;
    }
  return fail(
      text, bytes, FMHAC_INVALID_INPUT,
      "launch of %s: field_mask 0x%llx says which groups of arguments "
      "are filled in; the kernel requires 0x%llx by its note, and group "
      "%s is missing",
      l->kernel->name, (unsigned long long)filled, (unsigned long long)required,
      name);
}

static fmhac_status prepare(emu_launch *l, const fmhac_rt_launch *launch,
                            char *text, size_t bytes) {
  const emu_kernel *k = l->kernel;
  memcpy(l->grid, launch->grid, sizeof l->grid);
  memcpy(l->block, launch->block, sizeof l->block);
  fmhac_status status = fmhac_launch_size_check(
      k->name, l->grid, l->block, k->max_block, l->ids != NULL, text, bytes);
  if (status != FMHAC_OK)
    return status;
  // In 32 bits: at most FMHAC_MOST_BLOCK.
  const uint32_t threads = l->block[0] * l->block[1] * l->block[2];
  l->waves = (threads + EMU_LANES - 1) / EMU_LANES;
  uint64_t lds = (uint64_t)k->kd.lds_bytes + launch->dynamic_lds_bytes;
  if (lds > EMU_LDS_BYTES)
    return fail(text, bytes, FMHAC_INVALID_INPUT,
                "launch of %s: needs %llu bytes of LDS (%u fixed, %u dynamic), "
                "a workgroup of gfx950 has %d",
                k->name, (unsigned long long)lds, k->kd.lds_bytes,
                launch->dynamic_lds_bytes, EMU_LDS_BYTES);
  l->lds_bytes = (uint32_t)lds;
  uint64_t scratch = k->kd.scratch_bytes;
  if (k->dynamic_stack)
    scratch += EMU_STACK_BYTES;
  scratch = (scratch + 15) & ~(uint64_t)15;
  if (scratch > 1u << 20)
    return fail(text, bytes, FMHAC_INVALID_INPUT,
                "kernel %s: %llu bytes of private memory a lane are too many",
                k->name, (unsigned long long)scratch);
  l->scratch_bytes = (uint32_t)scratch;
  uint64_t kernarg = k->kernarg_bytes > launch->kernarg_bytes
                         ? k->kernarg_bytes
                         : launch->kernarg_bytes;
  if (kernarg > 1u << 20)
    return fail(text, bytes, FMHAC_INVALID_INPUT,
                "launch of %s: %llu bytes of kernel arguments are too many",
                k->name, (unsigned long long)kernarg);
  l->kernarg_bytes = (uint32_t)kernarg;
  status = emu_space_map(l->space, "kernel arguments", 0, kernarg, text, bytes,
                         &l->kernarg_address);
  if (status != FMHAC_OK)
    return status;
  uint8_t *host = emu_space_host(l->space, l->kernarg_address, kernarg);
  if (launch->kernarg_bytes)
    memcpy(host, launch->kernarg, launch->kernarg_bytes);
  l->kernarg = host;
  status = check_groups(l, text, bytes);
  if (status != FMHAC_OK)
    return status;
  write_hidden_arguments(k, l, launch->kernarg_bytes, host);
  if (k->kd.properties >> 1 & 1) {
    status = emu_space_map(l->space, "dispatch packet", 0, 64, text, bytes,
                           &l->dispatch_address);
    if (status != FMHAC_OK)
      return status;
    fill_packet(emu_space_host(l->space, l->dispatch_address, 64), l);
  }
  return FMHAC_OK;
}

// The default completion of loads into registers without a wait, in
// instructions of the wave after issue. Shipped kernels that lack waits
// tolerate from 1 to 128 (ERRATA.md).
enum { LOAD_LATENCY = 64 };

static void set_landing(emu_launch *l, const fmhac_emu_options *o) {
  uint32_t vm = EMU_UNTIL_WAIT, dma = EMU_UNTIL_WAIT, lds = 0, smem = 0;
  switch (o->landing) {
  case FMHAC_EMU_LANDING_DEFAULT:
    vm = LOAD_LATENCY;
    break;
  case FMHAC_EMU_LANDING_AFTER:
    vm = dma = o->landing_instructions;
    lds = o->landing_lds_instructions;
    break;
  case FMHAC_EMU_LANDING_EARLY:
    vm = dma = 0;
    break;
  case FMHAC_EMU_LANDING_LATE:
  case FMHAC_EMU_LANDING_RANDOM:
    lds = smem = EMU_UNTIL_WAIT;
    break;
  }
  l->vm_latency = vm;
  l->dma_latency = dma;
  l->lds_latency = lds;
  l->smem_latency = smem;
  l->random_completion = o->landing == FMHAC_EMU_LANDING_RANDOM;
}

static void set_modes(emu_launch *l, const fmhac_emu_options *o) {
  l->options = o;
  l->check_mem = o->checks & FMHAC_EMU_CHECK_MEM;
  l->check_wait = o->checks & FMHAC_EMU_CHECK_WAIT;
  l->check_sync = o->checks & FMHAC_EMU_CHECK_SYNC;
  l->check_race = o->checks & FMHAC_EMU_CHECK_RACE;
  l->check_init = o->checks & FMHAC_EMU_CHECK_INIT;
  l->natural_alignment = o->alignment == FMHAC_EMU_ALIGNMENT_NATURAL;
  l->descriptors = o->descriptors;
  set_landing(l, o);
  l->budget = o->max_instructions ? o->max_instructions : 1ull << 33;
}

/// Adds source locations to each finding.
static void locate(emu_findings *findings, emu_module *module,
                   const emu_launch *launch) {
  for (size_t i = 0; i < findings->count; i++) {
    emu_finding *f = &findings->list[i];
    if (!f->insn) // of the launch as a whole
      continue;
    char other_pc[ISA_PC_TEXT_BYTES] = "";
    emu_module_source_location(module, f->insn->pc, &f->source);
    if (f->other) {
      emu_module_source_location(module, f->other->pc, &f->other_source);
      emu_pc_text(launch, f->other, other_pc);
    }
    isa_locations_text(&f->source, f->other ? &f->other_source : NULL, other_pc,
                       f->message, sizeof f->message);
  }
}

static void add_joined(fmhac_emu_stats *s) {
  s->joined_launches += 1;
  s->joined_workgroups += s->workgroups;
  s->joined_waves += s->waves;
  s->joined_instructions += s->instructions;
  s->joined_matrix_instructions += s->matrix_instructions;
}

fmhac_status emu_launch_run(emu_space *space, emu_module *module,
                            const fmhac_rt_launch *launch,
                            const fmhac_emu_options *options,
                            const emu_time_constants *constants,
                            const uint32_t (*ids)[3], size_t id_count,
                            char *text, size_t text_bytes, emu_result *result) {
  double start = now();
  fmhac_emu_options o = *options;
  o.max_findings = o.max_findings ? o.max_findings : 100;
  emu_launch l = {.module = module, .handlers = emu_handlers(), .space = space};
  set_modes(&l, &o);
  emu_kernel *kernel = choose(module, launch->kernel, text, text_bytes);
  if (!kernel)
    return FMHAC_INVALID_INPUT;
  l.kernel = kernel;
  l.ids = ids;
  fmhac_status status = decode(module, kernel, text, text_bytes);
  const bool check_hazards = o.checks & FMHAC_EMU_CHECK_HAZARD,
             effects = o.hazards == FMHAC_EMU_HAZARDS_EFFECT;
  if (status == FMHAC_OK && (check_hazards || effects)) {
    if (!kernel->hazards)
      kernel->hazards = emu_hazard_plan_create(kernel);
    l.hazards = check_hazards ? kernel->hazards : NULL;
    l.effects = effects ? kernel->hazards : NULL;
    if (!kernel->hazards)
      status = fail(text, text_bytes, FMHAC_OUT_OF_MEMORY,
                    "launch of %s: out of memory for the hazard checker",
                    kernel->name);
  }
  if (status == FMHAC_OK)
    status = prepare(&l, launch, text, text_bytes);
  for (size_t i = 0; status == FMHAC_OK && i < id_count; i++)
    for (int k = 0; k < 3; k++)
      if (ids[i][k] >= l.grid[k])
        status = fail(text, text_bytes, FMHAC_INVALID_INPUT,
                      "launch of %s: workgroup [%u,%u,%u] lies outside the "
                      "grid [%u,%u,%u]",
                      kernel->name, ids[i][0], ids[i][1], ids[i][2], l.grid[0],
                      l.grid[1], l.grid[2]);
  uint64_t total = ids ? id_count : (uint64_t)l.grid[0] * l.grid[1] * l.grid[2];
  if (status == FMHAC_OK && l.check_race) {
    l.race = emu_race_launch_create(space, total);
    if (!l.race)
      status = fail(text, text_bytes, FMHAC_OUT_OF_MEMORY,
                    "launch of %s: the host has no room for the records of the "
                    "race checker",
                    kernel->name);
  }
  if (status == FMHAC_OK) {
    l.units = (uint32_t)constants->compute_units;
    l.xcds = emu_time_xcds(constants);
    l.places = emu_time_places(&l, constants);
  }
  if (status == FMHAC_OK && o.timing) {
    l.timing = emu_timing_create(constants, &l, total, o.timing_events,
                                 &result->told);
    if (!l.timing)
      status = fail(text, text_bytes, FMHAC_OUT_OF_MEMORY,
                    "launch of %s: the host has no room for the times of %llu "
                    "workgroups",
                    kernel->name, (unsigned long long)total);
  }
  if (status == FMHAC_OK && !l.check_init)
    emu_space_forget(space); // this launch does not record its writes
  // A part of the grid need not write all elements.
  space->joined_partly |= ids != NULL;
  if (space->joined_partly)
    emu_space_unwatch_outputs(space);
  else if (status == FMHAC_OK && l.check_init &&
           emu_space_watch_outputs(space) != FMHAC_OK)
    status = fail(text, text_bytes, FMHAC_OUT_OF_MEMORY,
                  "launch of %s: the host has no memory to record which "
                  "bytes of the outputs are written",
                  kernel->name);
  if (status == FMHAC_OK) {
    emu_dispatched p = {.findings = result->findings};
    p.findings.limit = o.max_findings;
    emu_dispatch(&l, total, &p);
    const bool whole = p.done == total && !p.stopped;
    if (whole && space->joined_launches <= 1)
      emu_init_check_outputs(&l, &p.findings);
    if (whole)
      emu_streams_compare(result->streams, result->work, &l, &p.findings);
    emu_findings_sort(&p.findings);
    locate(&p.findings, module, &l);
    result->findings = p.findings;
    result->stats.dropped = p.findings.dropped;
    result->stats.workgroups = p.done;
    result->stats.waves = p.done * l.waves;
    result->stats.instructions = p.instructions;
    result->stats.matrix_instructions = p.matrix_instructions;
    add_joined(&result->stats);
    // Who says how often buffers are used knows better than a replay of L2.
    if (l.timing && !p.status && whole && !(result->told.stands_for > 0) &&
        !emu_launch_find_traffic(&l, &result->known))
      p.status = FMHAC_OUT_OF_MEMORY;
    if (p.status)
      status = fail(
          text, text_bytes, FMHAC_OUT_OF_MEMORY,
          "launch of %s: the host has no room for the waves%s", kernel->name,
          o.timing ? ", or for the records of their time; fewer workgroups "
                     "(\"workgroups\") or shorter sequences need less"
                   : "");
    else if (p.fault[0])
      status = fail(text, text_bytes, FMHAC_LAUNCH_FAILED, "%s", p.fault);
    else if (p.findings.count)
      status = fail(text, text_bytes, FMHAC_CHECK_FAILED,
                    "launch of %s: %zu findings; the first: %s", kernel->name,
                    p.findings.count, p.findings.list[0].message);
  }
  if (status != FMHAC_OK && status != FMHAC_CHECK_FAILED) {
    emu_timing_destroy(l.timing); // it is incomplete
    l.timing = NULL;
  }
  result->timing = l.timing;
  emu_race_launch_destroy(l.race);
  // After a failure nobody can tell which launches follow.
  space->joined_launches = status == FMHAC_OK && space->joined_launches > 1
                               ? space->joined_launches - 1
                               : 0;
  if (!space->joined_launches) {
    emu_space_unwatch_outputs(space);
    space->joined_partly = false;
  }
  space->joined_begun = space->joined_launches > 0;
  const uint64_t own[2] = {l.kernarg_address, l.dispatch_address};
  for (int i = 0; i < 2; i++)
    if (own[i]) {
      emu_streams_forget(result->streams, own[i]);
      emu_space_unmap(space, own[i]);
    }
  result->stats.seconds = now() - start;
  return status;
}
