// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_emu.h: results of the last launch.
#include <string.h>

#include "emu_device.h"
#include "findings.h"
#include "float_environment.h"
#include "sized_struct.h"

size_t fmhac_emu_finding_count(const fmhac_rt_device *device) {
  const emu_result *result = emu_device_result(device);
  return result ? result->findings.count : 0;
}

fmhac_status fmhac_emu_get_finding(const fmhac_rt_device *device, size_t index,
                                   fmhac_emu_finding *out) {
  fmhac_status status = emu_device_need(device, "finding", "out_finding", out);
  if (status != FMHAC_OK)
    return status;
  const emu_device *d = (const emu_device *)(const void *)device;
  status =
      emu_device_need_index(device, "finding", index,
                            d->result_kernel ? d->result.findings.count : 0);
  if (status != FMHAC_OK)
    return status;
  const emu_finding *f = &d->result.findings.list[index];
  const emu_kernel *k = d->result_kernel;
  fmhac_emu_finding finding = {.check = emu_check_name(f->check),
                               .message = f->message,
                               .wave = f->wave,
                               .count = f->count,
                               .location =
                                   isa_location_part(f->source.location),
                               .step = isa_location_part(f->source.step)};
  if (f->insn) {
    finding.pc = (uint64_t)f->insn->pc - k->entry_text;
    finding.instruction = isa_program_text(k->program, f->insn);
  }
  if (f->other) {
    finding.other_pc = (uint64_t)f->other->pc - k->entry_text;
    finding.other_instruction = isa_program_text(k->program, f->other);
    finding.other_location = isa_location_part(f->other_source.location);
    finding.other_step = isa_location_part(f->other_source.step);
  }
  memcpy(finding.workgroup, f->id, sizeof finding.workgroup);
  return FMHAC_RT_STRUCT_OUT(device, "finding", out, &finding,
                             fmhac_emu_finding, count);
}

fmhac_status fmhac_emu_get_listing(const fmhac_rt_device *device, uint64_t pc,
                                   int distance, uint64_t *out_pc,
                                   const char **out_text) {
  fmhac_status status = emu_device_need(device, "listing", "out_pc", out_pc);
  if (status == FMHAC_OK)
    status = fmhac_rt_need(device, "listing", "out_text", out_text);
  if (status != FMHAC_OK)
    return status;
  *out_pc = 0;
  *out_text = NULL;
  const emu_device *d = (const emu_device *)(const void *)device;
  const emu_kernel *k = d->result_kernel;
  uint64_t at = k ? pc + k->entry_text : UINT64_MAX; // from .text
  if (!k || !k->program || at / 4 >= k->program->words ||
      !k->program->index[at / 4])
    return FMHAC_INVALID_INPUT;
  const isa_program *p = k->program;
  int64_t i = (int64_t)p->index[at / 4] - 1 + distance;
  if (i < 0 || i >= (int64_t)p->count)
    return FMHAC_INVALID_INPUT;
  *out_pc = (uint64_t)p->insns[i].pc - k->entry_text;
  *out_text = isa_program_text(p, &p->insns[i]);
  return FMHAC_OK;
}

fmhac_status fmhac_emu_get_source_location(fmhac_rt_device *device, uint64_t pc,
                                           fmhac_emu_source_location *out) {
  uint64_t at;
  const char *text;
  fmhac_status status = emu_device_need(device, "place", "out_place", out);
  if (status == FMHAC_OK)
    status = fmhac_emu_get_listing(device, pc, 0, &at, &text);
  if (status != FMHAC_OK)
    return status;
  emu_device *d = emu_self(device);
  isa_source_location place;
  fmhac_rt_lock_if_serial(device); // the first call reads the debug information
  emu_module_source_location(
      d->result_module, (uint32_t)(pc + d->result_kernel->entry_text), &place);
  fmhac_emu_source_location known = {.size = sizeof known};
  snprintf(known.location, sizeof known.location, "%s", place.location);
  snprintf(known.step, sizeof known.step, "%s", place.step);
  return fmhac_rt_unlock_if_serial(
      device, FMHAC_RT_STRUCT_OUT(device, "place", out, &known,
                                  fmhac_emu_source_location, step));
}

fmhac_status fmhac_emu_get_stats(const fmhac_rt_device *device,
                                 fmhac_emu_stats *out) {
  fmhac_status status = emu_device_need(device, "stats", "out_stats", out);
  if (status != FMHAC_OK)
    return status;
  const emu_device *d = (const emu_device *)(const void *)device;
  return FMHAC_RT_STRUCT_OUT(device, "stats", out, &d->result.stats,
                             fmhac_emu_stats, seconds);
}
