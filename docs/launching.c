// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches a kernel of fmhac through HIP alone: `fmhac compile --mask causal`
// (bf16, D = 128) on 300 rows and 1000 keys, 8 heads on 2. Weights add up to 1,
// so with ones for V every element of O is 1.
//   launching FILE NAME TILE_M BLOCK_THREADS, the last three from its note
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>

#include "fmhac_abi.h"

#define DO(call)                                                               \
  if ((call) != hipSuccess)                                                    \
  return fprintf(stderr, "%s\n", #call), 1

enum { B = 1, HQ = 8, HK = 2, SQ = 300, SK = 1000, D = 128, ROW = 2 * D };
enum { Q_BYTES = B * SQ * HQ * ROW, K_BYTES = B * SK * HK * ROW };
static uint16_t host[(Q_BYTES + K_BYTES) / 2], o[Q_BYTES / 2];
static char code[1 << 20];

int main(int argc, char **argv) {
  void *memory; // Q, K, V, O, each [B, S, H, D]
  hipModule_t module;
  hipFunction_t kernel;
  FILE *file = argc == 5 ? fopen(argv[1], "rb") : NULL;
  if (!file || !fread(code, 1, sizeof code, file))
    return 2;
  DO(hipModuleLoadData(&module, code));
  DO(hipModuleGetFunction(&kernel, module, argv[2]));
  DO(hipMalloc(&memory, 2 * (Q_BYTES + K_BYTES)));
  char *q = memory, *k = q + Q_BYTES, *v = k + K_BYTES, *out = v + K_BYTES;
  DO(hipMemcpy(q, host, Q_BYTES, hipMemcpyHostToDevice));
  DO(hipMemcpy(k, host, K_BYTES, hipMemcpyHostToDevice));
  for (size_t i = 0; i < K_BYTES / 2; ++i)
    host[i] = 0x3f80; // 1 in bf16
  DO(hipMemcpy(v, host, K_BYTES, hipMemcpyHostToDevice));

  fmhac_kernel_args args = {
      .field_mask = 1u << FMHAC_ARGS_CORE_BIT, // no less than required_args
      .q = (uintptr_t)q,
      .k = (uintptr_t)k,
      .v = (uintptr_t)v,
      .o = (uintptr_t)out,
      .batch = B,
      .heads_q = HQ,
      .heads_kv = HK,
      .seqlen_q = SQ,
      .seqlen_kv = SK,
      .scale = 0.08838835f, // 1 / sqrt(D)
      .kv_head_reciprocal = ((UINT64_C(1) << 32) + HQ / HK - 1) / (HQ / HK),
      .q_batch_stride = SQ * HQ * ROW,
      .q_head_stride = ROW,
      .q_row_stride = HQ * ROW,
      .k_batch_stride = SK * HK * ROW,
      .k_head_stride = ROW,
      .k_row_stride = HK * ROW,
      .v_batch_stride = SK * HK * ROW,
      .v_head_stride = ROW,
      .v_row_stride = HK * ROW,
      .o_batch_stride = SQ * HQ * ROW,
      .o_head_stride = ROW,
      .o_row_stride = HQ * ROW};
  size_t bytes = sizeof args;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &args,
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
  unsigned tile_m = (unsigned)atoi(argv[3]), block = (unsigned)atoi(argv[4]);
  DO(hipModuleLaunchKernel(kernel, (SQ + tile_m - 1) / tile_m, HQ, B, block, 1,
                           1, 0, NULL, NULL, extra));
  DO(hipMemcpy(o, out, Q_BYTES, hipMemcpyDeviceToHost)); // waits for it
  for (size_t i = 0; i < Q_BYTES / 2; ++i)
    if (o[i] != 0x3f80)
      return printf("element %zu is 0x%04x\n", i, o[i]), 1;
  return 0;
}
