// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs that a launch has not written completely.
#include "findings.h"
#include "tensor.h"
#include "undefined.h"

typedef struct missing {
  uint64_t elements, all; ///< of those in use
  uint64_t first[FMHAC_EMU_TENSOR_AXES], last[FMHAC_EMU_TENSOR_AXES];
} missing;

/// A run of consecutive elements.
static void count_run(const emu_segment *s, const emu_tensor *t,
                      const uint64_t at[FMHAC_EMU_TENSOR_AXES], uint64_t offset,
                      uint64_t run, missing *m) {
  uint64_t unused;
  m->all += run;
  if (!emu_bytes_missing(s->written, offset, run * t->element_bytes, &unused))
    return;
  for (uint64_t i = 0; i < run; i++) {
    if (!emu_bytes_missing(s->written, offset + i * t->element_bytes,
                           t->element_bytes, &unused))
      continue;
    uint64_t *last = m->last;
    memcpy(last, at, sizeof m->last);
    last[t->axes - 1] += i;
    if (!m->elements++)
      memcpy(m->first, last, sizeof m->first);
  }
}

static void check(const emu_launch *launch, const emu_segment *s,
                  const emu_tensor *t, emu_findings *findings) {
  missing m = {0};
  uint64_t at[FMHAC_EMU_TENSOR_AXES] = {0}, offset, run;
  for (bool first = true; emu_tensor_step(t, first, at, &offset, &run);
       first = false)
    count_run(s, t, at, offset, run, &m);
  if (!m.elements)
    return;
  char from[EMU_ELEMENT_TEXT], to[EMU_ELEMENT_TEXT];
  emu_tensor_element(t, m.first, from, sizeof from);
  emu_tensor_element(t, m.last, to, sizeof to);
  emu_report_launch(launch, findings, FMHAC_EMU_CHECK_INIT,
                    "never writes %llu of the %llu elements of output %s: the "
                    "first is %s, the last %s",
                    (unsigned long long)m.elements, (unsigned long long)m.all,
                    t->name, from, to);
}

void emu_init_check_outputs(const emu_launch *launch, emu_findings *findings) {
  for (size_t i = 0; i < launch->space->count; i++) {
    const emu_segment *s = &launch->space->segments[i];
    for (size_t k = 0; s->written && k < s->tensor_count; k++)
      if (s->tensors[k].is_output)
        check(launch, s, &s->tensors[k], findings);
  }
}
