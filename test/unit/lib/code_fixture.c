// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "code_fixture.h"

#include <stdio.h>
#include <stdlib.h>

#include <elf.h>
#include <xxhash.h>

#include "fmhac_inspect.h"

fmhac_kernel *code_compile(fmhac_context *context, const char *json) {
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL;
  if (fmhac_config_create_json(context, json, &config) != FMHAC_OK ||
      fmhac_compile(context, config, &kernel) != FMHAC_OK)
    fail_msg("%s: %s", json, fmhac_last_error(context));
  fmhac_config_destroy(config);
  return kernel;
}

size_t code_find(const fixture *f, const void *what, size_t bytes) {
  for (size_t at = 0; at + bytes <= f->bytes; ++at)
    if (memcmp(f->code + at, what, bytes) == 0)
      return at;
  fail_msg("the code object has no %s", (const char *)what);
  return 0;
}

static int set_up_with(void **state, const char *json) {
  fixture *f = calloc(1, sizeof *f);
  if (fmhac_context_create(NULL, &f->context) != FMHAC_OK)
    return 1;
  f->kernel = code_compile(f->context, json);
  const void *code;
  if (fmhac_kernel_get_code(f->kernel, &code, &f->bytes) != FMHAC_OK)
    return 1;
  f->code = malloc(f->bytes);
  memcpy(f->code, code, f->bytes);
  static const char head[] = "\1\0\0\0fmhac\0\0\0"; // type, owner
  static const char tail[] = "\xa6"
                             "digest\xd9\x20";
  f->note_begin = code_find(f, head, sizeof head - 1) - 8;
  f->note_end = code_find(f, tail, sizeof tail - 1) + sizeof tail - 1 + DIGITS;
  *state = f;
  return 0;
}

int code_set_up(void **state) {
  return set_up_with(state,
                     "{\"mask\": \"causal\", \"schedule\": \"generic\"}");
}

int code_set_up_two(void **state) {
  return set_up_with(state, "{\"mask\": \"causal\", \"schedule\": \"generic "
                            "if Sk <= 256; generic_wide\"}");
}

int code_tear_down(void **state) {
  fixture *f = *state;
  free(f->code);
  fmhac_kernel_destroy(f->kernel);
  fmhac_context_destroy(f->context);
  free(f);
  return 0;
}

void code_reseal(fixture *f) {
  uint8_t *digits = f->code + f->note_end - DIGITS;
  memset(digits, '0', DIGITS);
  XXH128_hash_t digest = XXH3_128bits(f->code, f->bytes);
  char text[DIGITS + 1];
  snprintf(text, sizeof text, "%016llx%016llx",
           (unsigned long long)digest.high64, (unsigned long long)digest.low64);
  memcpy(digits, text, DIGITS);
}

fixture code_with_bytes(const fixture *f, size_t from, size_t to,
                        const void *bytes, size_t size) {
  const size_t note_bytes = from - f->note_begin + size + f->note_end - to;
  fixture g = *f;
  g.note_begin = (f->bytes + 7) / 8 * 8;
  g.note_end = g.note_begin + note_bytes;
  g.bytes = (g.note_end + 3) / 4 * 4;
  g.code = calloc(1, g.bytes);
  memcpy(g.code, f->code, f->bytes);
  uint8_t *at = g.code + g.note_begin;
  memcpy(at, f->code + f->note_begin, from - f->note_begin);
  at += from - f->note_begin;
  memcpy(at, bytes, size);
  memcpy(at + size, f->code + to, f->note_end - to);
  // The size of the description, and the section that has the note.
  Elf64_Nhdr head;
  memcpy(&head, g.code + g.note_begin, sizeof head);
  head.n_descsz = (Elf64_Word)(head.n_descsz + size - (to - from));
  memcpy(g.code + g.note_begin, &head, sizeof head);
  Elf64_Ehdr elf;
  memcpy(&elf, g.code, sizeof elf);
  int changed = 0;
  for (uint16_t i = 0; i < elf.e_shnum; ++i) {
    uint8_t *place = g.code + elf.e_shoff + (size_t)i * elf.e_shentsize;
    Elf64_Shdr section;
    memcpy(&section, place, sizeof section);
    if (section.sh_type != SHT_NOTE || section.sh_offset != f->note_begin)
      continue;
    section.sh_offset = g.note_begin;
    section.sh_size = g.bytes - g.note_begin;
    memcpy(place, &section, sizeof section);
    ++changed;
  }
  assert_int_equal(changed, 1);
  code_reseal(&g);
  return g;
}

void code_pack(const fmhac_kernel *kernel, fmhac_context *context,
               fmhac_rt_launch *out_launch, fmhac_kernel_args *out_args,
               bool *out_packed) {
  const fmhac_problem problem = {sizeof problem, 2, 4, 2, 777, 999, 0, 0};
  fmhac_plan *plan;
  *out_packed = false;
  if (fmhac_plan_create(kernel, &problem, &plan) != FMHAC_OK) {
    assert_true(fmhac_last_error(context)[0]);
    return;
  }
  const fmhac_strides strides = fmhac_strides_bshd(4, 1024, 256, 4);
  fmhac_tensors t = {.size = sizeof t,
                     .batch = 2,
                     .heads_q = 4,
                     .heads_kv = 2,
                     .seqlen_q = 777,
                     .seqlen_kv = 999,
                     .q = 0x10000000,
                     .k = 0x20000000,
                     .v = 0x30000000,
                     .o = 0x40000000,
                     .q_strides = strides,
                     .k_strides = strides,
                     .v_strides = strides,
                     .o_strides = strides,
                     .scale = 0.125f};
  for (unsigned more = 0; more < 8 && !*out_packed; ++more) {
    t.lse = more & 1 ? 0x50000000 : 0;
    t.lse_batch_stride_bytes = 4 * 777 * 4;
    t.lse_head_stride_bytes = 777 * 4;
    t.cu_seqlens_q = more & 2 ? 0x60000000 : 0;
    t.cu_seqlens_kv = more & 2 ? 0x70000000 : 0;
    t.alibi_slopes = more & 4 ? 0x80000000 : 0;
    *out_packed = fmhac_plan_pack(plan, 0, &t, 0, out_args, sizeof *out_args,
                                  out_launch) == FMHAC_OK;
  }
  fmhac_plan_destroy(plan);
}

void code_assert_same_launch(fmhac_context *context, const fmhac_kernel *a,
                             const fmhac_kernel *b) {
  fmhac_rt_launch x = {.size = sizeof x}, y = {.size = sizeof y};
  fmhac_kernel_args args_x, args_y;
  bool packed_x, packed_y;
  code_pack(a, context, &x, &args_x, &packed_x);
  code_pack(b, context, &y, &args_y, &packed_y);
  assert_true(packed_x && packed_y);
  assert_memory_equal(x.grid, y.grid, sizeof x.grid);
  assert_memory_equal(x.block, y.block, sizeof x.block);
  assert_memory_equal(&args_x, &args_y, sizeof args_x);
  assert_string_equal(x.kernel, y.kernel);
  assert_int_equal(fmhac_kernel_entry_count(a), fmhac_kernel_entry_count(b));
  assert_string_equal(fmhac_kernel_get_name(a), fmhac_kernel_get_name(b));
  assert_string_equal(fmhac_kernel_get_schedule(a),
                      fmhac_kernel_get_schedule(b));
}

fmhac_status code_take(fixture *f, const void *code, size_t bytes,
                       fmhac_kernel **out_kernel) {
  *out_kernel = f->kernel;
  fmhac_status status =
      fmhac_kernel_create_from_code(f->context, code, bytes, out_kernel);
  if (status == FMHAC_OK)
    assert_non_null(*out_kernel);
  else
    assert_null(*out_kernel);
  return status;
}

void code_refused(fixture *f, const void *code, size_t bytes,
                  fmhac_status expected, const char *words) {
  fmhac_kernel *kernel;
  fmhac_status status = code_take(f, code, bytes, &kernel);
  if (status != expected || !strstr(fmhac_last_error(f->context), words))
    fail_msg("expected status %d and \"%s\", found %d and \"%s\"", expected,
             words, status, fmhac_last_error(f->context));
}
