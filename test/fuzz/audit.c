// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: the static checkers and the costs of instructions, on random programs
// with any control flow. What
// the decoder refuses is left out of the bytes, and branches are bent to an
// instruction of the program.
#include <stddef.h>
#include <string.h>

#include "code_object_maker.h"
#include "fmhac_emu.h"
#include "fmhac_timing.h"
#include "fuzz.h"
#include "program_maker.h"
#include "words.h"

const size_t fuzz_words_header_bytes = 0;

static void check_findings(const fmhac_emu_audit *audit) {
  for (size_t i = 0; i < fmhac_emu_audit_finding_count(audit); ++i) {
    fmhac_emu_audit_finding f = {.size = sizeof f};
    FUZZ_CHECK(fmhac_emu_audit_get_finding(audit, i, &f) == FMHAC_OK &&
                   f.message[0] && f.instruction[0],
               "finding %zu", i);
    // A caller that was built before lines were there keeps what is behind.
    fmhac_emu_audit_finding old;
    memset(&old, 0x5a, sizeof old);
    old.size = offsetof(fmhac_emu_audit_finding, location);
    const char *behind = old.location;
    FUZZ_CHECK(fmhac_emu_audit_get_finding(audit, i, &old) == FMHAC_OK &&
                   old.wait == f.wait && old.location == behind,
               "finding %zu", i);
  }
  for (size_t i = 0; i < fmhac_emu_audit_note_count(audit); ++i) {
    fmhac_emu_audit_note n = {.size = sizeof n};
    FUZZ_CHECK(fmhac_emu_audit_get_note(audit, i, &n) == FMHAC_OK &&
                   n.message[0],
               "note %zu", i);
  }
  fmhac_emu_audit_stats stats = {.size = sizeof stats};
  FUZZ_CHECK(fmhac_emu_audit_get_stats(audit, &stats) == FMHAC_OK &&
                 stats.blocks <= stats.instructions,
             "%llu blocks of %llu instructions",
             (unsigned long long)stats.blocks,
             (unsigned long long)stats.instructions);
}

static void check_costs(const fmhac_timing_survey *survey) {
  uint64_t behind = 0;
  for (size_t i = 0; i < fmhac_timing_survey_cost_count(survey); ++i) {
    fmhac_timing_cost c = {.size = sizeof c};
    FUZZ_CHECK(fmhac_timing_survey_get_cost(survey, i, &c) == FMHAC_OK,
               "cost %zu", i);
    FUZZ_CHECK(c.pc >= behind, "pc %llu of cost %zu", (unsigned long long)c.pc,
               i);
    behind = c.pc + 4;
    FUZZ_CHECK(c.cycles >= c.port_cycles && c.cycles >= c.matrix_cycles,
               "cost %zu: %u, %u, %u cycles", i, c.cycles, c.port_cycles,
               c.matrix_cycles);
    bool matrix = c.kind == FMHAC_TIMING_CLASS_MFMA;
    FUZZ_CHECK(!c.flops == !matrix && !c.matrix_cycles == !matrix,
               "cost %zu: %llu FLOP, class %d", i, (unsigned long long)c.flops,
               (int)c.kind);
    FUZZ_CHECK(c.lds_bytes <= 64 * 32 && c.vmem_bytes <= 64 * 16,
               "cost %zu: %u bytes of LDS, %u of memory", i, c.lds_bytes,
               c.vmem_bytes);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const uint8_t end[4] = {0x00, 0x00, 0x81, 0xbf}; // s_endpgm
  static const fuzz_kernel kernel = {.rsrc2 = 16u << 1 | 7u << 7};
  uint8_t code[FUZZ_MAX_CODE_BYTES + sizeof end];
  size = size < FUZZ_MAX_CODE_BYTES ? size : FUZZ_MAX_CODE_BYTES;
  size_t used = fuzz_append_known(data, size, code), file_bytes;
  memcpy(code + used, end, sizeof end);
  uint8_t *file =
      fuzz_code_object(&kernel, code, used + sizeof end, &file_bytes);
  char text[256];
  fmhac_emu_audit *audit;
  fmhac_status status = fmhac_emu_audit_create(
      file, file_bytes, FMHAC_EMU_AUDIT_IMPLEMENTED, text, sizeof text, &audit);
  FUZZ_CHECK(status == FMHAC_OK, "status %d: %s", (int)status, text);
  check_findings(audit);
  fmhac_emu_audit_destroy(audit);
  fmhac_timing_survey *survey;
  status = fmhac_timing_survey_create(file, file_bytes, "k", NULL, text,
                                      sizeof text, &survey);
  FUZZ_CHECK(status == FMHAC_OK, "status %d: %s", (int)status, text);
  check_costs(survey);
  fmhac_timing_survey_destroy(survey);
  free(file);
  return 0;
}
