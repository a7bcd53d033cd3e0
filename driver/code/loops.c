// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac.h"
#include "fmhac_inspect.h"

enum { BRANCH_BYTES = 4, WORD_BYTES = 4 };

static const char *const class_names[MIX_CLASS_COUNT] = {
    "mfma",      "trans",     "valu",    "salu", "smem",  "lds_read",
    "lds_write", "lds_other", "lds_dma", "load", "store", "scratch",
    "wait",      "barrier",   "branch",  "other"};

const char *mix_class_name(mix_class c) { return class_names[c]; }

// The first prefix that fits decides.
static const struct {
  const char *prefix;
  mix_class class;
} prefixes[] = {
    {"v_mfma", MIX_MFMA},
    {"v_smfmac", MIX_MFMA},
    {"v_exp_", MIX_TRANS},
    {"v_log_", MIX_TRANS},
    {"v_rcp_", MIX_TRANS},
    {"v_rsq_", MIX_TRANS},
    {"v_sqrt_", MIX_TRANS},
    {"v_sin_", MIX_TRANS},
    {"v_cos_", MIX_TRANS},
    {"v_nop", MIX_OTHER},
    {"v_", MIX_VALU},
    {"s_waitcnt", MIX_WAIT},
    {"s_barrier", MIX_BARRIER},
    {"s_branch", MIX_BRANCH},
    {"s_cbranch", MIX_BRANCH},
    {"s_setpc", MIX_BRANCH},
    {"s_swappc", MIX_BRANCH},
    {"s_endpgm", MIX_BRANCH},
    {"s_load", MIX_SMEM},
    {"s_buffer_load", MIX_SMEM},
    {"s_store", MIX_SMEM},
    {"s_dcache", MIX_SMEM},
    {"s_nop", MIX_OTHER},
    {"s_setprio", MIX_OTHER},
    {"s_sleep", MIX_OTHER},
    {"s_", MIX_SALU},
    {"ds_read", MIX_LDS_READ},
    {"ds_write", MIX_LDS_WRITE},
    {"ds_", MIX_LDS_OTHER},
    {"scratch_", MIX_SCRATCH},
    {"global_load_lds", MIX_LDS_DMA},
    {"buffer_load", MIX_LOAD},
    {"global_load", MIX_LOAD},
    {"flat_load", MIX_LOAD},
    {"buffer_store", MIX_STORE},
    {"global_store", MIX_STORE},
    {"flat_store", MIX_STORE},
};

/// The class of an instruction as it is disassembled.
static mix_class classify(const char *text) {
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; ++i) {
    if (strncmp(text, prefixes[i].prefix, strlen(prefixes[i].prefix)) != 0)
      continue;
    // The last word of a buffer load to LDS marks it.
    size_t length = strlen(text);
    if (prefixes[i].class == MIX_LOAD && length > 4 &&
        strcmp(text + length - 4, " lds") == 0)
      return MIX_LDS_DMA;
    return prefixes[i].class;
  }
  return MIX_OTHER;
}

//===- Collecting ---------------------------------------------------------===//

typedef struct listing {
  flow_insn *insns;
  mix_class *classes;
  int8_t *vmcnts;
  size_t count, capacity;
  size_t unknown, indirect;
  bool touches_lds, failed;
} listing;

/// Room for one more instruction.
static bool grow(listing *l) {
  if (l->count < l->capacity)
    return true;
  const size_t larger = l->capacity ? l->capacity * 2 : 256;
  flow_insn *insns = realloc(l->insns, larger * sizeof *insns);
  if (insns)
    l->insns = insns;
  mix_class *classes = realloc(l->classes, larger * sizeof *classes);
  if (classes)
    l->classes = classes;
  int8_t *vmcnts = realloc(l->vmcnts, larger * sizeof *vmcnts);
  if (vmcnts)
    l->vmcnts = vmcnts;
  if (insns && classes && vmcnts)
    l->capacity = larger;
  return insns && classes && vmcnts;
}

/// "s_waitcnt vmcnt(8) lgkmcnt(0)": 8. As a number, "s_waitcnt 0", it waits for
/// all. -1: not for vector memory.
static int8_t vmcnt_of(const char *text, mix_class class) {
  if (class != MIX_WAIT)
    return -1;
  const char *at = strstr(text, "vmcnt(");
  if (at)
    return (int8_t)strtol(at + strlen("vmcnt("), NULL, 10);
  return strchr(text, '(') ? -1 : 0;
}

static bool begins(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool begins_any(const char *text, const char *const *list) {
  for (; *list; ++list)
    if (begins(text, *list))
      return true;
  return false;
}

/// The operand of s_branch and s_cbranch_*: words from the next instruction, as
/// 16 bits of two's complement.
static bool branch_target(const char *text, uint64_t pc, uint64_t *out_target) {
  if (!begins(text, "s_branch") && !begins(text, "s_cbranch"))
    return false;
  const char *operand = strrchr(text, ' ');
  if (!operand)
    return false;
  char *end;
  const long words = strtol(operand + 1, &end, 0);
  const int64_t target =
      (int64_t)pc + BRANCH_BYTES + (int64_t)(int16_t)words * WORD_BYTES;
  if (end == operand + 1 || target < 0)
    return false;
  *out_target = (uint64_t)target;
  return true;
}

/// LDS instructions that only carry data from lane to lane, or to other units,
/// need none of it.
static bool touches_lds(const char *text, mix_class class) {
  static const char *const others[] = {
      "ds_bpermute", "ds_permute", "ds_swizzle", "ds_nop", "ds_gws_", NULL};
  return class == MIX_LDS_READ || class == MIX_LDS_WRITE ||
         class == MIX_LDS_DMA ||
         (class == MIX_LDS_OTHER && !begins_any(text, others));
}

static void take_line(void *user, uint64_t pc, const char *text) {
  static const char *const ends[] = {"s_endpgm", "s_branch", "s_setpc", "s_rfe",
                                     NULL};
  static const char *const indirect[] = {
      "s_setpc",          "s_swappc",       "s_call", "s_rfe",
      "s_cbranch_g_fork", "s_cbranch_join", NULL};
  listing *l = user;
  if (l->failed || l->count == FLOW_NONE - 1 || !grow(l)) {
    l->failed = true;
    return;
  }
  const mix_class class = classify(text);
  flow_insn insn = {.pc = pc, .ends = begins_any(text, ends)};
  insn.branches = branch_target(text, pc, &insn.target);
  l->unknown += text[0] == '<';
  l->indirect += begins_any(text, indirect);
  l->touches_lds |= touches_lds(text, class);
  l->classes[l->count] = class;
  l->vmcnts[l->count] = vmcnt_of(text, class);
  l->insns[l->count++] = insn;
}

//===- Loops --------------------------------------------------------------===//

static int by_first_pc(const void *a, const void *b) {
  const kernel_loop *x = a, *y = b;
  if (x->first_pc != y->first_pc)
    return x->first_pc < y->first_pc ? -1 : 1;
  return (x->depth > y->depth) - (x->depth < y->depth);
}

static void count(mix *m, mix_class class) {
  ++m->instructions;
  ++m->counts[class];
}

static void add_mix(mix *to, const mix *from) {
  to->instructions += from->instructions;
  for (int c = 0; c < MIX_CLASS_COUNT; ++c)
    to->counts[c] += from->counts[c];
}

/// The extent and the contents of each loop, inner loops included.
static void fill_loops(kernel_code *code, const mix *blocks) {
  const flow *f = &code->flow;
  for (uint32_t i = 0; i < f->loop_count; ++i) {
    const flow_loop *l = &f->loops[i];
    code->loops[i] =
        (kernel_loop){.header_pc = code->insns[f->blocks[l->header].first].pc,
                      .first_pc = UINT64_MAX,
                      .depth = l->depth,
                      .back_edges = l->back_edges,
                      .flow_loop = i};
  }
  for (uint32_t b = 0; b < f->block_count; ++b) {
    const uint64_t first = code->insns[f->blocks[b].first].pc;
    const uint64_t last = code->insns[f->blocks[b].end - 1].pc;
    for (uint32_t i = f->blocks[b].loop; i != FLOW_NONE;
         i = f->loops[i].parent) {
      kernel_loop *loop = &code->loops[i];
      loop->first_pc = first < loop->first_pc ? first : loop->first_pc;
      loop->last_pc = last > loop->last_pc ? last : loop->last_pc;
      add_mix(&loop->mix, &blocks[b]);
    }
  }
}

/// The least instructions of a path through each loop.
static bool find_least(kernel_code *code, const mix *blocks) {
  enum { NUMBERS = MIX_CLASS_COUNT + 1 };
  const flow *f = &code->flow;
  double *weights = calloc((size_t)f->block_count * NUMBERS, sizeof *weights);
  bool ok = weights;
  for (uint32_t b = 0; ok && b < f->block_count; ++b) {
    for (int c = 0; c < MIX_CLASS_COUNT; ++c)
      weights[b * NUMBERS + c] = (double)blocks[b].counts[c];
    weights[b * NUMBERS + MIX_CLASS_COUNT] = (double)blocks[b].instructions;
  }
  for (size_t i = 0; ok && i < code->loop_count; ++i) {
    double least[NUMBERS], most[NUMBERS];
    kernel_loop *loop = &code->loops[i];
    ok = flow_loop_sums(f, loop->flow_loop, weights, NUMBERS, least, most);
    for (int c = 0; ok && c < MIX_CLASS_COUNT; ++c)
      loop->least.counts[c] = (uint64_t)least[c];
    loop->least.instructions = ok ? (uint64_t)least[MIX_CLASS_COUNT] : 0;
  }
  free(weights);
  return ok;
}

static bool find_loops(kernel_code *code, const listing *l) {
  flow *f = &code->flow;
  if (!flow_build(l->insns, (uint32_t)l->count, f))
    return false;
  code->loop_count = f->loop_count;
  code->loops = calloc(f->loop_count + 1, sizeof *code->loops);
  mix *blocks = calloc(f->block_count + 1, sizeof *blocks);
  bool ok = code->loops && blocks;
  for (uint32_t b = 0; ok && b < f->block_count; ++b) {
    for (uint32_t i = f->blocks[b].first; i < f->blocks[b].end; ++i)
      count(&blocks[b], l->classes[i]);
    add_mix(&code->mix, &blocks[b]);
  }
  if (ok) {
    fill_loops(code, blocks);
    ok = f->loop_count == 0 || find_least(code, blocks);
    qsort(code->loops, code->loop_count, sizeof *code->loops, by_first_pc);
  }
  free(blocks);
  return ok;
}

bool kernel_code_read(const void *code, size_t code_bytes, const char *kernel,
                      kernel_code *out_code, char error[ERROR_BYTES]) {
  *out_code = (kernel_code){0};
  listing l = {0};
  const fmhac_status status =
      fmhac_disassemble(code, code_bytes, kernel, take_line, &l);
  *out_code = (kernel_code){.unknown = l.unknown,
                            .touches_lds = l.touches_lds,
                            .indirect = l.indirect,
                            .insns = l.insns,
                            .classes = l.classes,
                            .vmcnts = l.vmcnts};
  const bool found = status == FMHAC_OK;
  const bool ok = found && !l.failed && find_loops(out_code, &l);
  if (!ok) {
    snprintf(error, ERROR_BYTES, "disassembling kernel '%.200s': %s", kernel,
             found ? "out of memory" : "its code is not in the file");
    kernel_code_deinit(out_code);
  }
  return ok;
}

void kernel_code_deinit(kernel_code *code) {
  free(code->loops);
  free(code->insns);
  free(code->classes);
  free(code->vmcnts);
  flow_deinit(&code->flow);
  *code = (kernel_code){0};
}

uint32_t kernel_code_block_at(const kernel_code *code, uint64_t pc) {
  const flow *f = &code->flow;
  uint32_t low = 0, high = f->block_count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (code->insns[f->blocks[middle].end - 1].pc < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low < f->block_count && code->insns[f->blocks[low].first].pc <= pc
             ? low
             : FLOW_NONE;
}

const kernel_loop *kernel_code_loop_at(const kernel_code *code, uint64_t pc) {
  const uint32_t block = kernel_code_block_at(code, pc);
  const kernel_loop *found = NULL;
  for (size_t i = 0; block != FLOW_NONE && i < code->loop_count; ++i) {
    const kernel_loop *loop = &code->loops[i];
    if (loop->header_pc == pc)
      return loop;
    if (flow_loop_has(&code->flow, loop->flow_loop, block) &&
        (!found || loop->depth > found->depth))
      found = loop;
  }
  return found;
}
