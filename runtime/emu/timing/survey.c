// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The costs of single instructions of a kernel, without executing them. For
// memory instructions the lanes' addresses are taken as consecutive.
#include <stdio.h>
#include <stdlib.h>

#include "disasm.h"
#include "float_environment.h"
#include "grow.h"
#include "need.h"
#include "sized_struct.h"
#include "timing.h"

struct fmhac_timing_survey {
  fmhac_timing_cost *costs; ///< by pc
  size_t count;
};

/// Collects the instructions that are visited.
typedef struct collection {
  isa_insn *list;
  size_t count, capacity;
  uint32_t from; ///< pc of the kernel's entry
  bool failed;   ///< out of memory
} collection;

static void collect(void *user, uint32_t pc, const isa_insn *insn,
                    const char *text, const char *why) {
  (void)text, (void)why;
  collection *c = user;
  if (!insn || pc < c->from || c->failed)
    return;
  if (!FMHAC_GROW(c->list, c->count, c->capacity)) {
    c->failed = true;
    return;
  }
  c->list[c->count++] = *insn;
}

static int by_pc(const void *a, const void *b) {
  uint32_t x = ((const isa_insn *)a)->pc, y = ((const isa_insn *)b)->pc;
  return (x > y) - (x < y);
}

//===-- Sizes, from names -------------------------------------------------===//

// "v_mfma_f32_32x32x4_2b_f32": 2 · 32 · 32 · 4 in each of 2 blocks.
static uint64_t flops_of(const char *name) {
  for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_')) {
    unsigned m, n, k, blocks = 1;
    int used = 0;
    if (sscanf(at, "_%ux%ux%u%n", &m, &n, &k, &used) != 3)
      continue;
    char b = 0;
    if (sscanf(at + used, "_%u%c", &blocks, &b) != 2 || b != 'b')
      blocks = 1;
    return UINT64_C(2) * m * n * k * blocks;
  }
  return 0;
}

// Bytes of a lane: the first size in the name, "ds_read_b64_tr_b16" has 8.
static uint32_t lane_bytes(const char *name) {
  static const struct {
    const char *word;
    uint32_t bytes;
  } words[] = {{"dwordx4", 16}, {"dwordx3", 12}, {"dwordx2", 8}, {"dword", 4},
               {"_x2", 8},      {"short", 2},    {"byte", 1}};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strstr(name, words[i].word))
      return words[i].bytes;
  for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_')) {
    unsigned bits;
    if (strchr("buif", at[1]) && at[1] && sscanf(at + 2, "%u", &bits) == 1)
      return (bits + 7) / 8;
  }
  return 4;
}

static bool holds(const char *name, const char *part) {
  return strstr(name, part) != NULL;
}

static void cost_of_lds(const char *name, const emu_time_constants *k,
                        fmhac_timing_cost *c) {
  if (holds(name, "permute") || holds(name, "swizzle")) {
    c->lds_bus_cycles = (uint32_t)k->lds_exchange_cycles;
    return;
  }
  bool write = holds(name, "write");
  uint32_t bytes = lane_bytes(name), at[EMU_LANES];
  uint32_t accesses = holds(name, "read2") || holds(name, "write2") ? 2 : 1;
  for (uint32_t i = 0; i < EMU_LANES; i++)
    at[i] = i * bytes;
  c->lds_bytes = accesses * bytes * EMU_LANES;
  emu_time_pattern none[EMU_TIME_PATTERNS] = {0};
  emu_time_lds_cycles cycles =
      emu_time_lds_phases(none, at, bytes, ~UINT64_C(0),
                          write ? EMU_ACCESS_WRITE : EMU_ACCESS_READ);
  c->lds_cycles = accesses * cycles.array;
  c->lds_bus_cycles = accesses * cycles.pair;
}

static void cost_of_vmem(const char *name, bool to_lds,
                         const emu_time_constants *k, fmhac_timing_cost *c) {
  uint32_t bytes = lane_bytes(name) * EMU_LANES;
  double lines = (bytes + EMU_TIME_LINE_BYTES - 1) / EMU_TIME_LINE_BYTES;
  double cycles =
      bytes > 4 * EMU_LANES ? k->l1_wide_cycles : k->l1_dword_cycles;
  c->vmem_bytes = bytes;
  c->vmem_cycles = (uint32_t)(cycles > lines * k->l1_line_cycles
                                  ? cycles
                                  : lines * k->l1_line_cycles);
  if (to_lds) {
    c->lds_bytes = bytes;
    c->lds_cycles = (uint32_t)(bytes / k->lds_write_bytes_per_cycle);
  }
}

static fmhac_timing_cost cost_of(const isa_insn *in, const emu_time_op *op,
                                 uint32_t from, const emu_time_constants *k) {
  const char *name = isa_rows[in->row].mnemonic;
  fmhac_timing_cost c = {.size = sizeof c,
                         .pc = in->pc - from,
                         .kind = (fmhac_timing_class)op->kind,
                         .port_cycles = op->port_cycles,
                         .matrix_cycles = op->matrix_cycles};
  bool has_port = op->port == EMU_PORT_VECTOR || op->port == EMU_PORT_MEMORY;
  if (!has_port)
    c.port_cycles = 0;
  c.cycles = op->wave_cycles > c.port_cycles ? op->wave_cycles : c.port_cycles;
  c.cycles = c.matrix_cycles > c.cycles ? c.matrix_cycles : c.cycles;
  if (op->act == EMU_ACT_MATRIX)
    c.flops = flops_of(name);
  else if (op->act == EMU_ACT_LDS)
    cost_of_lds(name, k, &c);
  else if (op->act == EMU_ACT_VMEM && !holds(name, "wbl2") &&
           !holds(name, "inv"))
    cost_of_vmem(name, op->to_lds, k, &c);
  return c;
}

//===-- The survey --------------------------------------------------------===//

static fmhac_status take(collection *c, const emu_time_constants *k,
                         fmhac_timing_survey *s) {
  if (c->failed)
    return FMHAC_OUT_OF_MEMORY;
  if (!c->count)
    return FMHAC_OK;
  qsort(c->list, c->count, sizeof *c->list, by_pc);
  isa_program program = {.insns = c->list, .count = (uint32_t)c->count};
  emu_time_op *ops = emu_time_ops_create(&program, k);
  s->costs = calloc(c->count, sizeof *s->costs);
  if (!ops || !s->costs) {
    free(ops);
    return FMHAC_OUT_OF_MEMORY;
  }
  for (size_t i = 0; i < c->count; i++)
    s->costs[i] = cost_of(&c->list[i], &ops[i], c->from, k);
  s->count = c->count;
  free(ops);
  return FMHAC_OK;
}

static fmhac_status survey_kernel(const isa_object *o, const char *name,
                                  const emu_time_constants *k, char *text,
                                  size_t text_bytes, fmhac_timing_survey *s) {
  const isa_kernel *kernel = isa_object_find_kernel(o, name);
  if (!kernel || !kernel->has_descriptor) {
    snprintf(text, text_bytes, "costs: no kernel '%.200s'", name);
    return FMHAC_INVALID_INPUT;
  }
  // Code for firmware that cannot preload arguments is not the kernel's.
  const uint32_t entry = isa_kernel_first(o, kernel);
  collection c = {.from = isa_kernel_entry_text(o, kernel)};
  fmhac_status status =
      isa_program_visit(o->bytes + o->text.offset, (uint32_t)o->text.bytes,
                        &entry, 1, collect, &c);
  if (status == FMHAC_OK)
    status = take(&c, k, s);
  free(c.list);
  if (status != FMHAC_OK)
    snprintf(text, text_bytes, "costs of kernel %.200s: %s", name,
             isa_disasm_explain(status));
  return status;
}

static fmhac_status survey(const void *code_object, size_t bytes,
                           const char *kernel, const char *constants,
                           char *text, size_t text_bytes,
                           fmhac_timing_survey **out) {
  emu_time_constants k;
  if (!emu_time_constants_init(&k, constants, text, text_bytes))
    return FMHAC_INVALID_INPUT;
  isa_object object = {0};
  fmhac_timing_survey *s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(text, text_bytes, "surveying the code object: out of memory");
    return FMHAC_OUT_OF_MEMORY;
  }
  fmhac_status status =
      isa_object_load(code_object, bytes, text, text_bytes, &object);
  if (status == FMHAC_OK)
    status = survey_kernel(&object, kernel, &k, text, text_bytes, s);
  isa_object_deinit(&object);
  if (status != FMHAC_OK) {
    fmhac_timing_survey_destroy(s);
    return status;
  }
  *out = s;
  return FMHAC_OK;
}

fmhac_status fmhac_timing_survey_create(const void *code_object, size_t bytes,
                                        const char *kernel,
                                        const char *constants, char *text,
                                        size_t text_bytes,
                                        fmhac_timing_survey **out) {
  const char *call = "surveying the code object";
  char none[1];
  fmhac_status status =
      fmhac_begin_with_text(&text, &text_bytes, none, call, "out_survey", out,
                            "code_object", code_object);
  if (status == FMHAC_OK)
    status = fmhac_need_with_text(text, text_bytes, call, "kernel", kernel);
  if (status != FMHAC_OK)
    return status;
  fenv_t caller;
  fmhac_float_begin(&caller);
  status = survey(code_object, bytes, kernel, constants, text, text_bytes, out);
  fmhac_float_end(&caller);
  return status;
}

void fmhac_timing_survey_destroy(fmhac_timing_survey *s) {
  if (!s)
    return;
  free(s->costs);
  free(s);
}

size_t fmhac_timing_survey_cost_count(const fmhac_timing_survey *s) {
  return s ? s->count : 0;
}

fmhac_status fmhac_timing_survey_get_cost(const fmhac_timing_survey *s,
                                          size_t index,
                                          fmhac_timing_cost *out) {
  return s && index < s->count
             ? FMHAC_STRUCT_OUT(out, &s->costs[index], fmhac_timing_cost,
                                vmem_cycles)
             : FMHAC_INVALID_INPUT;
}
