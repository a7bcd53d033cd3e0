// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "plan_fixture.h"

#include <stdlib.h>

static fmhac_strides bshd(uint64_t heads, uint64_t rows) {
  return (fmhac_strides){.batch_bytes = rows * heads * D * ELEMENT,
                         .head_bytes = D * ELEMENT,
                         .row_bytes = heads * D * ELEMENT};
}

const fmhac_entry plan_entry = {.kernel = "attn",
                                .grid = {"ceil(Sq / 256)", "Hq", "B"},
                                .tile_m = 256,
                                .row_rounding = 256,
                                .block_threads = 512,
                                .required_args = 1}; // CORE

int plan_set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  assert_int_equal(fmhac_context_create(NULL, &f->context), FMHAC_OK);
  f->kernel = fmhac_kernel_create(f->context);
  fmhac_kernel_set_entries(f->kernel, &plan_entry, 1);
  fmhac_config_values_init(&f->kernel->config);
  f->tensors = (fmhac_tensors){
      .size = sizeof f->tensors,
      .batch = B,
      .heads_q = HQ,
      .heads_kv = HK,
      .seqlen_q = SQ,
      .seqlen_kv = SK,
      .q = 0x1000000,
      .k = 0x2000000,
      .v = 0x3000000,
      .o = 0x4000000,
      .q_strides = bshd(HQ, SQ),
      .k_strides = bshd(HK, SK),
      .v_strides = bshd(HK, SK),
      .o_strides = bshd(HQ, SQ),
      .scale = 0.125f,
  };
  const fmhac_problem most = {sizeof most, B, HQ, HK, SQ, SK, 0, 0};
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &f->plan), FMHAC_OK);
  *state = f;
  return 0;
}

int plan_tear_down(void **state) {
  fixture *f = *state;
  fmhac_plan_destroy(f->plan);
  fmhac_kernel_destroy(f->kernel);
  fmhac_context_destroy(f->context);
  free(f);
  return 0;
}

fmhac_status plan_pack(fixture *f, fmhac_kernel_args *out_args,
                       fmhac_rt_launch *out_launch) {
  memset(out_args, 0xee, sizeof *out_args);
  return fmhac_plan_pack(f->plan, 0, &f->tensors, 0, out_args, sizeof *out_args,
                         out_launch);
}

fmhac_kernel_args plan_packed(fixture *f) {
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  if (plan_pack(f, &args, &launch) != FMHAC_OK)
    fail_msg("%s", fmhac_last_error(f->context));
  return args;
}

void plan_refused(fixture *f, fmhac_status status, const char *text) {
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  assert_int_equal(plan_pack(f, &args, &launch), status);
  assert_contains(fmhac_last_error(f->context), text);
}
