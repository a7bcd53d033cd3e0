// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// test_facts FOLDER CONFIG...: prints what the library says of the kernel of
// each configuration, of its plan, of dense tensors and of status codes, as
// lines "WHAT\tVALUE", and writes the code objects to FOLDER/0, FOLDER/1, …
// facts.py knows what is right.
#include <inttypes.h>
#include <stdio.h>

#include "fmhac_inspect.h"

static void print_strides(const char *what, fmhac_strides s) {
  printf("%s\t%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", what, s.batch_bytes,
         s.row_bytes, s.head_bytes);
}

/// Each entry begins with a line "entry".
static void print_info(const fmhac_kernel *kernel) {
  fmhac_kernel_info i = {.size = sizeof i};
  const size_t count = fmhac_kernel_entry_count(kernel);
  for (size_t e = 0; e < count; ++e) {
    if (fmhac_kernel_get_info(kernel, e, &i) != FMHAC_OK)
      return;
    printf("entry\t%zu\nname\t%s\nschedule\t%s\nwhen\t%s\n", e, i.name,
           i.schedule, i.when);
    printf("vgprs\t%u\nspills\t%u\nscratch_bytes\t%u\nlds_bytes\t%u\n", i.vgprs,
           i.spills, i.scratch_bytes, i.lds_bytes);
    printf("block_threads\t%u\ntile_rows\t%u\nhead_dims\t%u %u\n",
           i.block_threads, i.tile_rows, i.head_dim_qk, i.head_dim_v);
    printf("dtypes\t%s %s %s %s\nargs_mask\t%" PRIu64 "\n", i.q_dtype,
           i.k_dtype, i.v_dtype, i.o_dtype, i.args_mask);
    printf("grid\t%s, %s, %s\n", i.grid[0], i.grid[1], i.grid[2]);
  }
  // These, and no other.
  printf("entry\tnone\nentries\t%zu %s\n", count,
         fmhac_status_name(fmhac_kernel_get_info(kernel, count, &i)));
  printf("first\t%s %s\n", fmhac_kernel_get_name(kernel),
         fmhac_kernel_get_schedule(kernel));
}

static void print_plan(const fmhac_plan *plan, const fmhac_problem *most) {
  fmhac_tensors t = FMHAC_TENSORS_INIT;
  fmhac_rt_launch launch = {.size = sizeof launch};
  unsigned char kernarg[4096];
  fmhac_status status = fmhac_tensors_dense(plan, most, 16, 32, 48, 64, 0, &t);
  printf("dense\t%s %u %u %u %u %u %g\n", fmhac_status_name(status), t.batch,
         t.heads_q, t.heads_kv, t.seqlen_q, t.seqlen_kv, (double)t.scale);
  print_strides("q", t.q_strides);
  print_strides("k", t.k_strides);
  print_strides("v", t.v_strides);
  print_strides("o", t.o_strides);
  status = fmhac_plan_pack(plan, 1, &t, 0, kernarg, sizeof kernarg, &launch);
  printf("launches\t%zu %s\n", fmhac_plan_launch_count(plan),
         fmhac_status_name(status));
  status = fmhac_plan_pack(plan, 0, &t, 0, kernarg, sizeof kernarg, &launch);
  printf("launch\t%s %zu %s %u %u %u %u %u %u\n", fmhac_status_name(status),
         fmhac_plan_get_entry(plan, 0), launch.kernel ? launch.kernel : "",
         launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0],
         launch.block[1], launch.block[2]);
}

static int describe(fmhac_context *context, const char *json,
                    const char *path) {
  const fmhac_problem most = {sizeof most, 3, 6, 2, 515, 77, 0, 0};
  fmhac_plan *plan;
  if (fmhac_plan_create_json(context, json, &most, &plan) != FMHAC_OK) {
    fprintf(stderr, "%s: %s\n", json, fmhac_last_error(context));
    return 1;
  }
  const void *code;
  size_t bytes;
  const fmhac_kernel *kernel = fmhac_plan_get_kernel(plan);
  FILE *file = fopen(path, "wb");
  bool ok = file && fmhac_kernel_get_code(kernel, &code, &bytes) == FMHAC_OK &&
            fwrite(code, 1, bytes, file) == bytes;
  if (file)
    ok &= fclose(file) == 0;
  printf("config\t%s\n", json);
  print_info(kernel);
  print_plan(plan, &most);
  fmhac_plan_destroy(plan);
  return !ok;
}

int main(int argc, char **argv) {
  fmhac_context *context;
  if (argc < 2 || fmhac_context_create(NULL, &context) != FMHAC_OK)
    return 2;
  int code = 0;
  for (int i = 2; i < argc; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%d", argv[1], i - 2);
    code |= describe(context, argv[i], path);
  }
  printf("version\t%" PRIu32 " %s\n", fmhac_version_number(),
         fmhac_version_text());
  for (int i = -1; i < 32; ++i)
    printf("status %d\t%s\n", i, fmhac_status_name((fmhac_status)i));
  fmhac_context_destroy(context);
  return code;
}
