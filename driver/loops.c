// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "loops.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac.h"

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

mix_class mix_classify(const char *text) {
  for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; ++i) {
    if (strncmp(text, prefixes[i].prefix, strlen(prefixes[i].prefix)) != 0)
      continue;
    // A buffer load to LDS says so in its last word.
    size_t length = strlen(text);
    if (prefixes[i].class == MIX_LOAD && length > 4 &&
        strcmp(text + length - 4, " lds") == 0)
      return MIX_LDS_DMA;
    return prefixes[i].class;
  }
  return MIX_OTHER;
}

//===- Collecting ---------------------------------------------------------===//

typedef struct instruction {
  uint64_t pc;
  mix_class class;
} instruction;

typedef struct listing {
  instruction *instructions;
  size_t count, capacity;
  kernel_loop *loops;
  size_t loop_count, loop_capacity;
  size_t unknown;
  bool failed;
} listing;

/// Room for one more item of a growing array.
static bool grow(void **array, size_t count, size_t *capacity, size_t bytes) {
  if (count < *capacity)
    return true;
  size_t larger = *capacity ? *capacity * 2 : 64;
  void *moved = realloc(*array, larger * bytes);
  if (!moved)
    return false;
  *array = moved;
  *capacity = larger;
  return true;
}

/// Two branches to one header are one loop.
static void add_loop(listing *l, uint64_t first_pc, uint64_t last_pc) {
  for (size_t i = 0; i < l->loop_count; ++i)
    if (l->loops[i].first_pc == first_pc) {
      if (l->loops[i].last_pc < last_pc)
        l->loops[i].last_pc = last_pc;
      return;
    }
  if (!grow((void **)&l->loops, l->loop_count, &l->loop_capacity,
            sizeof *l->loops)) {
    l->failed = true;
    return;
  }
  l->loops[l->loop_count++] =
      (kernel_loop){.first_pc = first_pc, .last_pc = last_pc};
}

/// The operand of s_branch and s_cbranch_*: words from the next instruction, as
/// 16 bits of two's complement.
static bool branch_target(const char *text, uint64_t pc, int64_t *out_target) {
  if (strncmp(text, "s_branch", 8) != 0 && strncmp(text, "s_cbranch", 9) != 0)
    return false;
  const char *operand = strrchr(text, ' ');
  if (!operand)
    return false;
  char *end;
  long words = strtol(operand + 1, &end, 0);
  if (end == operand + 1)
    return false;
  *out_target =
      (int64_t)pc + BRANCH_BYTES + (int64_t)(int16_t)words * WORD_BYTES;
  return true;
}

static void take_line(void *user, uint64_t pc, const char *text) {
  listing *l = user;
  if (l->failed)
    return;
  if (!grow((void **)&l->instructions, l->count, &l->capacity,
            sizeof *l->instructions)) {
    l->failed = true;
    return;
  }
  l->unknown += text[0] == '<';
  l->instructions[l->count++] = (instruction){pc, mix_classify(text)};
  int64_t target;
  if (branch_target(text, pc, &target) && target >= 0 && target <= (int64_t)pc)
    add_loop(l, (uint64_t)target, pc);
}

//===- Loops --------------------------------------------------------------===//

static int by_first_pc(const void *a, const void *b) {
  const kernel_loop *x = a, *y = b;
  if (x->first_pc != y->first_pc)
    return x->first_pc < y->first_pc ? -1 : 1;
  return (x->last_pc < y->last_pc) - (x->last_pc > y->last_pc);
}

static void count_range(const listing *l, uint64_t first_pc, uint64_t last_pc,
                        mix *out_mix) {
  *out_mix = (mix){0};
  for (size_t i = 0; i < l->count; ++i) {
    if (l->instructions[i].pc < first_pc || l->instructions[i].pc > last_pc)
      continue;
    ++out_mix->instructions;
    ++out_mix->counts[l->instructions[i].class];
  }
}

static void finish_loops(const listing *l) {
  if (l->loop_count)
    qsort(l->loops, l->loop_count, sizeof *l->loops, by_first_pc);
  for (size_t i = 0; i < l->loop_count; ++i) {
    kernel_loop *loop = &l->loops[i];
    count_range(l, loop->first_pc, loop->last_pc, &loop->mix);
    loop->depth = 1;
    for (size_t j = 0; j < l->loop_count; ++j)
      loop->depth += j != i && l->loops[j].first_pc <= loop->first_pc &&
                     l->loops[j].last_pc >= loop->last_pc;
  }
}

bool kernel_code_read(const void *code, size_t code_bytes, const char *kernel,
                      kernel_code *out_code, char error[ERROR_BYTES]) {
  *out_code = (kernel_code){0};
  listing l = {0};
  fmhac_status status =
      fmhac_disassemble(code, code_bytes, kernel, take_line, &l);
  bool ok = status == FMHAC_OK && !l.failed;
  if (ok) {
    finish_loops(&l);
    count_range(&l, 0, UINT64_MAX, &out_code->mix);
    out_code->unknown = l.unknown;
    out_code->loops = l.loops;
    out_code->loop_count = l.loop_count;
    l.loops = NULL;
  } else {
    snprintf(error, ERROR_BYTES, "disassembling kernel '%.200s': %s", kernel,
             l.failed ? "out of memory" : "its code is not in the file");
  }
  free(l.instructions);
  free(l.loops);
  return ok;
}

void kernel_code_deinit(kernel_code *code) {
  free(code->loops);
  *code = (kernel_code){0};
}
