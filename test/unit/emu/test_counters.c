// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// vmcnt and lgkmcnt: what an s_waitcnt certifies, when data lands, what the
// wait checker says. CDNA3 ISA 4.4.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>

#include "findings.h"
#include "queues.h"
#include "wait.h"

enum { LOAD, READ, SCALAR, USE, COUNT };

typedef struct bench {
  isa_program program;
  isa_insn insns[COUNT];
  char texts[COUNT][ISA_TEXT_BYTES];
  emu_kernel kernel;
  emu_launch launch;
  emu_workgroup wg;
  emu_wave *wave;
} bench;

static int setup(void **state) {
  bench *b = calloc(1, sizeof *b);
  b->wave = aligned_alloc(64, sizeof *b->wave);
  memset(b->wave, 0, sizeof *b->wave);
  b->wave->vm.ring = calloc(EMU_QUEUE, sizeof(emu_pending));
  b->wave->lgkm.ring = calloc(EMU_QUEUE, sizeof(emu_pending));
  b->wave->wg = &b->wg;
  b->wg.launch = &b->launch;
  b->wg.findings.limit = 10;
  b->launch.kernel = &b->kernel;
  b->launch.check_wait = true;
  b->launch.vm_latency = b->launch.dma_latency = EMU_UNTIL_WAIT;
  static char name[] = "k";
  b->kernel.name = name;
  b->kernel.program = &b->program;
  b->program.insns = b->insns;
  b->program.texts = b->texts[0];
  b->program.count = COUNT;
  emu_set64(&b->wave->s[ISA_SGPR_EXEC], ~0ull);
  for (uint32_t i = 0; i < COUNT; i++)
    b->insns[i].pc = 4 * i;
  b->insns[USE].nsrc = 1;
  b->insns[USE].src[0] =
      (isa_operand){.kind = ISA_OPERAND_VGPR, .index = 7, .regs = 1};
  isa_classify(&b->insns[USE]);
  *state = b;
  return 0;
}

static int teardown(void **state) {
  bench *b = *state;
  free(b->wave->vm.ring);
  free(b->wave->lgkm.ring);
  free(b->wave);
  free(b->wg.findings.list);
  free(b);
  return 0;
}

static void load(bench *b, uint16_t reg, uint32_t value) {
  emu_pending *p = emu_begin_vm(b->wave, &b->insns[LOAD]);
  p->kind = EMU_PENDING_VGPR;
  p->reg = reg;
  p->regs = 1;
  for (int i = 0; i < EMU_LANES; i++)
    p->data[0][i] = value;
  emu_commit_vm(b->wave, p);
}
static void queue_lgkm(bench *b, bool scalar, uint16_t reg, uint32_t value) {
  emu_pending *p = emu_begin_lgkm(b->wave, &b->insns[scalar ? SCALAR : READ]);
  p->kind = scalar ? EMU_PENDING_SGPR : EMU_PENDING_DS_READ;
  p->reg = reg;
  p->regs = 1;
  for (int i = 0; i < EMU_LANES; i++)
    p->data[0][i] = value;
  emu_commit_lgkm(b->wave, p);
}

static void loads_return_in_order(void **state) {
  bench *b = *state;
  load(b, 5, 50);
  load(b, 6, 60);
  load(b, 7, 70);
  emu_wait(b->wave, 1, ISA_MAX_LGKM);
  assert_int_equal(b->wave->v[5][0], 50);
  assert_int_equal(b->wave->v[6][63], 60);
  assert_int_equal(b->wave->v[7][0], 0); // not certified, not landed
  assert_true(b->wave->pending_any);
  emu_wait(b->wave, 0, ISA_MAX_LGKM);
  assert_int_equal(b->wave->v[7][0], 70);
  assert_false(b->wave->pending_any);
  assert_int_equal(b->wave->outstanding_data, 0);
}

static void inactive_lanes_keep_their_values(void **state) {
  bench *b = *state;
  emu_set64(&b->wave->s[ISA_SGPR_EXEC], 2);
  load(b, 5, 50);
  emu_set64(&b->wave->s[ISA_SGPR_EXEC], ~0ull); // EXEC at issue counts
  emu_wait(b->wave, 0, 0);
  assert_int_equal(b->wave->v[5][0], 0);
  assert_int_equal(b->wave->v[5][1], 50);
}

static void scalar_loads_return_in_any_order(void **state) {
  bench *b = *state;
  b->launch.lds_latency = b->launch.smem_latency = EMU_UNTIL_WAIT;
  queue_lgkm(b, false, 5, 50);
  queue_lgkm(b, true, 20, 200);
  queue_lgkm(b, false, 6, 60);
  // Two may be outstanding: of three, one has returned, and it may be the
  // scalar load. Nothing about LDS is certain.
  emu_wait(b->wave, ISA_MAX_VM, 2);
  assert_int_equal(b->wave->v[5][0], 0);
  emu_wait(b->wave, ISA_MAX_VM, 1);
  assert_int_equal(b->wave->v[5][0], 50); // one later LDS read may be out
  assert_int_equal(b->wave->s[20], 0);
  emu_wait(b->wave, ISA_MAX_VM, 0);
  assert_int_equal(b->wave->s[20], 200);
  assert_int_equal(b->wave->v[6][0], 60);
}

static void lds_reads_deliver_at_issue(void **state) {
  bench *b = *state;
  queue_lgkm(b, false, 7, 70);
  assert_int_equal(b->wave->v[7][0], 70);
  emu_check_pending(b->wave, &b->insns[USE]);
  assert_int_equal(b->wg.findings.count, 1); // all the same
}

static void use_before_the_wait(void **state) {
  bench *b = *state;
  load(b, 7, 70);
  load(b, 8, 80);
  load(b, 9, 90);
  emu_check_pending(b->wave, &b->insns[USE]);
  emu_check_pending(b->wave, &b->insns[USE]);
  assert_int_equal(b->wg.findings.count, 1);
  const emu_finding *f = &b->wg.findings.list[0];
  assert_ptr_equal(f->insn, &b->insns[USE]);
  assert_ptr_equal(f->other, &b->insns[LOAD]);
  assert_int_equal(f->count, 2);
  assert_non_null(strstr(f->message, "vmcnt(2)"));
  emu_wait(b->wave, 2, ISA_MAX_LGKM);
  emu_check_pending(b->wave, &b->insns[USE]);
  assert_int_equal(f->count, 2); // vmcnt(2) was enough
}

static void direct_to_lds(void **state) {
  bench *b = *state;
  uint8_t lds[8192] = {0};
  uint32_t at[EMU_LANES];
  b->wg.lds = lds;
  b->launch.lds_bytes = sizeof lds;
  emu_pending *p = emu_begin_vm(b->wave, &b->insns[LOAD]);
  p->kind = EMU_PENDING_LDS_DMA;
  p->lds_base = 1024;
  p->lds_bytes = p->lds_step = 4;
  for (uint32_t i = 0; i < EMU_LANES; i++)
    p->data[0][i] = i;
  emu_commit_vm(b->wave, p);
  for (uint32_t i = 0; i < EMU_LANES; i++)
    at[i] = 1280 + 4 * i; // just after
  emu_check_dma_overlap(b->wave, &b->insns[READ], at, 4, ~0ull, "reads");
  assert_int_equal(b->wg.findings.count, 0);
  at[9] = 1276; // the last dword
  emu_check_dma_overlap(b->wave, &b->insns[READ], at, 4, ~0ull, "reads");
  assert_int_equal(b->wg.findings.count, 1);
  assert_int_equal(lds[1276], 0);
  emu_wait(b->wave, 0, ISA_MAX_LGKM);
  assert_int_equal(lds[1276], 63);
  assert_int_equal(b->wave->vm_dma, 0);
}

static void a_full_counter_stalls(void **state) {
  bench *b = *state;
  for (uint16_t i = 0; i < 100; i++)
    load(b, i, 1000 + i);
  assert_int_equal(b->wave->vm.count, ISA_MAX_VM);
  assert_int_equal(b->wave->v[100 - ISA_MAX_VM - 1][0], 1000 + 36);
  assert_int_equal(b->wave->v[100 - ISA_MAX_VM][0], 0);
  emu_drain(b->wave);
  assert_int_equal(b->wave->v[99][0], 1099);
}

int main(void) {
  const struct CMUnitTest tests[] = {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
      TEST(loads_return_in_order),
      TEST(inactive_lanes_keep_their_values),
      TEST(scalar_loads_return_in_any_order),
      TEST(lds_reads_deliver_at_issue),
      TEST(use_before_the_wait),
      TEST(direct_to_lds),
      TEST(a_full_counter_stalls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
