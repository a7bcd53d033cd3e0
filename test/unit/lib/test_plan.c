// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launch plans: what is packed, and every refusal with its number. Expected
// values are written out or follow from the definition of the layout.
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "plan_fixture.h"

#define GROUP(name) (UINT64_C(1) << FMHAC_ARGS_##name##_BIT)

static void test_strides(void **state) {
  (void)state;
  fmhac_strides strides = fmhac_strides_bshd(3, 5, 7, 2);
  assert_int_equal(strides.head_bytes, 14);
  assert_int_equal(strides.row_bytes, 42);
  assert_int_equal(strides.batch_bytes, 210);
  // Products above 32 bits.
  strides = fmhac_strides_bshd(65535, 1u << 30, 128, 2);
  assert_true(strides.batch_bytes == UINT64_C(65535) * 256 << 30);
}

static void test_pack(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_string_equal(launch.kernel, "attn");
  assert_int_equal(launch.grid[0], 2); // 300 rows in tiles of 256
  assert_int_equal(launch.grid[1], HQ);
  assert_int_equal(launch.grid[2], B);
  assert_int_equal(launch.block[0], 512);
  assert_int_equal(launch.block[1], 1);
  assert_int_equal(launch.block[2], 1);
  assert_int_equal(launch.dynamic_lds_bytes, 0);
  assert_ptr_equal(launch.kernarg, &args);
  assert_int_equal(launch.kernarg_bytes, sizeof args);
  assert_true(args.field_mask == 1);
  assert_true(args.q == 0x1000000 && args.k == 0x2000000);
  assert_true(args.v == 0x3000000 && args.o == 0x4000000);
  assert_int_equal(args.batch, B);
  assert_int_equal(args.heads_q, HQ);
  assert_int_equal(args.heads_kv, HK);
  assert_int_equal(args.seqlen_q, SQ);
  assert_int_equal(args.seqlen_kv, SK);
  assert_true(args.scale == 0.125f);
  assert_true(args.kv_head_reciprocal == 1431655766); // ceil(2^32 / 3)
  assert_true(args.q_batch_stride == 300 * 6 * 256);
  assert_true(args.q_head_stride == 256 && args.q_row_stride == 6 * 256);
  assert_true(args.k_batch_stride == 77 * 2 * 256);
  assert_true(args.k_head_stride == 256 && args.k_row_stride == 2 * 256);
  assert_true(args.v_batch_stride == 77 * 2 * 256);
  assert_true(args.v_head_stride == 256 && args.v_row_stride == 2 * 256);
  assert_true(args.o_batch_stride == 300 * 6 * 256);
  assert_true(args.o_head_stride == 256 && args.o_row_stride == 6 * 256);
  // Groups that are not filled in are zero.
  assert_true(args.lse == 0 && args.page_table == 0 && args.workspace == 0);
  assert_int_equal(fmhac_plan_workspace_bytes(f->plan), 0);
}

/// The kv head that a kernel computes from the reciprocal is h / (Hq/Hk), for
/// every head of every group size.
static void test_reciprocal(void **state) {
  fixture *f = *state;
  fmhac_plan *plan;
  const fmhac_problem most = {sizeof most, 1, 65535, 65535, 1, 1, 0, 0};
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan), FMHAC_OK);
  for (uint32_t group = 1; group <= 65535; ++group) {
    fmhac_kernel_args args;
    fmhac_rt_launch launch = {.size = sizeof launch};
    uint32_t heads_kv = 65535 / group, heads = heads_kv * group;
    f->tensors.batch = f->tensors.seqlen_q = f->tensors.seqlen_kv = 1;
    f->tensors.heads_q = heads;
    f->tensors.heads_kv = heads_kv;
    assert_int_equal(
        fmhac_plan_pack(plan, 0, &f->tensors, 0, &args, sizeof args, &launch),
        FMHAC_OK);
    // The first and the last head of each group are where it could go wrong.
    for (uint32_t kv = 0; kv < heads_kv; ++kv) {
      uint64_t first = (uint64_t)kv * group, last = first + group - 1;
      if (first * args.kv_head_reciprocal >> 32 != kv ||
          last * args.kv_head_reciprocal >> 32 != kv)
        fail_msg("group %u, kv head %u", group, kv);
    }
  }
  fmhac_plan_destroy(plan);
}

static void test_lse(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  f->tensors.lse = 0x5000000;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context), "without lse");
  f->kernel->required_args_mask = 3;
  f->tensors.lse_batch_stride_bytes = 7200;
  f->tensors.lse_head_stride_bytes = 1200;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_true(args.field_mask == 3 && args.lse == 0x5000000);
  assert_true(args.lse_batch_stride == 7200 && args.lse_head_stride == 1200);
  f->tensors.lse = 0;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context), "lse");
}

/// LSE of odd lengths is dense; rows of different heads may not overlap.
static void test_lse_strides(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  f->kernel->required_args_mask = GROUP(CORE) | GROUP(LSE);
  f->tensors.lse = 0x5000000;
  f->tensors.seqlen_q = 33;
  f->tensors.lse_batch_stride_bytes = 132 * HQ;
  f->tensors.lse_head_stride_bytes = 132;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  f->tensors.lse_head_stride_bytes = 128;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context), "heads lie 128 bytes apart");
  f->tensors.lse_head_stride_bytes = 132;
  f->tensors.lse_batch_stride_bytes = 131;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
  f->tensors.lse_batch_stride_bytes = 4;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context), "batches lie 4 bytes apart");
}

/// Every input that only some kernels take: name, group, where its address
/// stands in the tensors and in the arguments.
static const struct {
  const char *name;
  uint64_t group;
  size_t tensors_offset, args_offset;
} inputs[] = {
#define INPUT_ROW(name, group)                                                 \
  {                                                                            \
#name, GROUP(group), offsetof(fmhac_tensors, name),                        \
        offsetof(fmhac_kernel_args, name)                                      \
  }
    INPUT_ROW(cu_seqlens_q, VARLEN_Q),
    INPUT_ROW(cu_seqlens_kv, VARLEN_KV),
    INPUT_ROW(seqlens_q, LENGTHS_Q),
    INPUT_ROW(seqlens_kv, LENGTHS_KV),
    INPUT_ROW(sink, SINK),
    INPUT_ROW(alibi_slopes, ALIBI),
    INPUT_ROW(bias, BIAS),
};
enum { INPUT_COUNT = sizeof inputs / sizeof inputs[0] };

static void set_address(fixture *f, int input, uint64_t address) {
  memcpy((char *)&f->tensors + inputs[input].tensors_offset, &address,
         sizeof address);
}

static uint64_t get_argument(const fmhac_kernel_args *args, int input) {
  uint64_t address;
  memcpy(&address, (const char *)args + inputs[input].args_offset,
         sizeof address);
  return address;
}

/// Each group of arguments is filled in exactly if the kernel takes it.
static void test_inputs(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  for (int i = 0; i < INPUT_COUNT; ++i) {
    // Four bytes of alignment are enough.
    set_address(f, i, 0x6000004);
    f->kernel->required_args_mask = GROUP(CORE);
    assert_int_equal(plan_pack(f, &args, &launch), FMHAC_INVALID_INPUT);
    assert_contains(fmhac_last_error(f->context), inputs[i].name);
    assert_contains(fmhac_last_error(f->context), "would not use it");
    f->kernel->required_args_mask |= inputs[i].group;
    assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
    assert_true(args.field_mask == (GROUP(CORE) | inputs[i].group));
    for (int other = 0; other < INPUT_COUNT; ++other)
      assert_true(get_argument(&args, other) == (other == i ? 0x6000004 : 0));
    set_address(f, i, 0x6000002);
    assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
    assert_contains(fmhac_last_error(f->context), "multiple of 4 bytes");
    set_address(f, i, 0);
    assert_int_equal(plan_pack(f, &args, &launch), FMHAC_INVALID_INPUT);
    assert_contains(fmhac_last_error(f->context), inputs[i].name);
    assert_contains(fmhac_last_error(f->context), "null");
  }
}

/// A stride of something that the kernel does not take means nothing.
static void test_feature_strides(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  f->tensors.alibi_batch_stride_bytes = 24;
  f->tensors.bias_strides = (fmhac_strides){92400 * 6, 92400, 308};
  f->tensors.lse_batch_stride_bytes = 7200;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_true(!args.alibi_batch_stride && !args.bias_batch_stride &&
              !args.bias_head_stride && !args.bias_row_stride &&
              !args.lse_batch_stride);
  f->kernel->required_args_mask = GROUP(CORE) | GROUP(ALIBI) | GROUP(BIAS);
  f->tensors.alibi_slopes = 0x6000000;
  f->tensors.bias = 0x7000000;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_true(args.alibi_batch_stride == 24);
  assert_true(args.bias_batch_stride == 92400 * 6 &&
              args.bias_head_stride == 92400 && args.bias_row_stride == 308);
  f->tensors.alibi_batch_stride_bytes = 22;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context), "alibi_slopes");
  f->tensors.alibi_batch_stride_bytes = 0;
  f->tensors.bias_strides.head_bytes = 2;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context), "bias: the head stride is 2");
}

/// Rows and keys count as multiples of 256: 512 s + 256 * 4 <= 2^32 - 1.
static void test_bias_bound(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  f->kernel->required_args_mask = GROUP(CORE) | GROUP(BIAS);
  f->tensors.bias = 0x7000000;
  f->tensors.bias_strides.row_bytes = 8388604;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  f->tensors.bias_strides.row_bytes = 8388608;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context), "300 rows");
  assert_contains(fmhac_last_error(f->context), "at most 8388604 bytes");
  // 2^30 keys of four bytes are 2^32. Rows of K are 2 bytes here, so that their
  // own bound lies further out.
  f->kernel->config.head_dim_qk = f->kernel->config.head_dim_v = 1;
  fmhac_plan *plan;
  fmhac_problem most = {sizeof most, 1, 1, 1, 1, (1u << 30) - 256, 0, 0};
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan), FMHAC_OK);
  fmhac_plan_destroy(plan);
  most.seqlen_kv += 1;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan),
                   FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context), "1073741568 keys fit");
}

/// Packed sequences have no batch stride, whatever stands there.
static void test_packed(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  f->kernel->required_args_mask =
      GROUP(CORE) | GROUP(LSE) | GROUP(VARLEN_Q) | GROUP(VARLEN_KV);
  f->tensors.cu_seqlens_q = 0x6000000;
  f->tensors.cu_seqlens_kv = 0x6000100;
  f->tensors.lse = 0x5000000;
  f->tensors.lse_head_stride_bytes = 4 * SQ * B;
  f->tensors.lse_batch_stride_bytes = 3;
  f->tensors.q_strides.batch_bytes = f->tensors.k_strides.batch_bytes = 1;
  f->tensors.v_strides.batch_bytes = f->tensors.o_strides.batch_bytes = 1;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_true(!args.q_batch_stride && !args.k_batch_stride &&
              !args.v_batch_stride && !args.o_batch_stride &&
              !args.lse_batch_stride);
  assert_true(args.q_row_stride == 6 * 256 && args.k_row_stride == 2 * 256);
  // Sequences of one row each are two rows of O: they may not overlap.
  f->tensors.seqlen_q = 1;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_true(args.o_row_stride == 6 * 256);
  f->tensors.o_strides.row_bytes = 0;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context), "rows lie 0 bytes apart");
  // Only one of the two is packed: the other's batch stride counts.
  f->tensors.o_strides.row_bytes = 6 * 256;
  f->kernel->required_args_mask &= ~GROUP(VARLEN_KV);
  f->tensors.cu_seqlens_kv = 0;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context), "k: the batch stride is 1");
}

/// Factors that the kernel would not use are refused by name.
static void test_factors_of_no_use(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  static const char *const names[] = {"q_scales", "k_scales", "v_scales",
                                      "o_scale"};
  fmhac_device_ptr *const all[] = {&f->tensors.q_scales, &f->tensors.k_scales,
                                   &f->tensors.v_scales, &f->tensors.o_scale};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    *all[i] = 4096;
    assert_int_equal(plan_pack(f, &args, &launch), FMHAC_INVALID_INPUT);
    assert_contains(fmhac_last_error(f->context), names[i]);
    assert_contains(fmhac_last_error(f->context), "an address is given");
    *all[i] = 0;
    assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  }
}

/// What a granularity has no strides for is 0 to the kernel; packed factors by
/// token have no batches.
static void test_factors(void **state) {
  fixture *f = *state;
  const struct {
    fmhac_granularity scale;
    bool packed;
    uint64_t batch, head, block;
  } all[] = {{FMHAC_GRANULARITY_TENSOR, false, 0, 0, 0},
             {FMHAC_GRANULARITY_HEAD, false, 400, 40, 0},
             {FMHAC_GRANULARITY_HEAD, true, 400, 40, 0},
             {FMHAC_GRANULARITY_TOKEN, false, 400, 40, 4},
             {FMHAC_GRANULARITY_TOKEN, true, 0, 40, 4},
             {FMHAC_GRANULARITY_BLOCK, false, 400, 40, 4}};
  const fmhac_strides strides = {
      .batch_bytes = 400, .head_bytes = 40, .row_bytes = 4};
  fmhac_config_values *values = &f->kernel->config;
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    values->q_scale = values->k_scale = values->v_scale = all[i].scale;
    values->scale_block = all[i].scale == FMHAC_GRANULARITY_BLOCK ? 32 : 0;
    values->cu_seqlens_q = values->cu_seqlens_kv = all[i].packed;
    f->kernel->required_args_mask =
        GROUP(CORE) | GROUP(Q_SCALE) | GROUP(K_SCALE) | GROUP(V_SCALE) |
        GROUP(O_SCALE) |
        (all[i].packed ? GROUP(VARLEN_Q) | GROUP(VARLEN_KV) : 0);
    fmhac_tensors *t = &f->tensors;
    t->cu_seqlens_q = t->cu_seqlens_kv = all[i].packed ? 0x5000 : 0;
    t->q_scales = 0x6004;
    t->k_scales = 0x7008;
    t->v_scales = 0x800c;
    t->o_scale = 0x9004;
    t->q_scales_strides = t->k_scales_strides = t->v_scales_strides = strides;
    fmhac_kernel_args args;
    fmhac_rt_launch launch = {.size = sizeof launch};
    if (plan_pack(f, &args, &launch) != FMHAC_OK)
      fail_msg("row %zu: %s", i, fmhac_last_error(f->context));
    assert_true(args.q_scale == 0x6004 && args.k_scale == 0x7008 &&
                args.v_scale == 0x800c && args.o_scale == 0x9004);
    assert_true(args.field_mask == f->kernel->required_args_mask);
    const uint64_t packed[][3] = {
        {args.q_scale_batch_stride, args.q_scale_head_stride,
         args.q_scale_block_stride},
        {args.k_scale_batch_stride, args.k_scale_head_stride,
         args.k_scale_block_stride},
        {args.v_scale_batch_stride, args.v_scale_head_stride,
         args.v_scale_block_stride}};
    for (int operand = 0; operand < 3; ++operand) {
      assert_int_equal(packed[operand][0], all[i].batch);
      assert_int_equal(packed[operand][1], all[i].head);
      assert_int_equal(packed[operand][2], all[i].block);
    }
    // Each of them is asked for by name, and looked at.
    static const char *const names[] = {"q_scales", "k_scales", "v_scales",
                                        "o_scale"};
    fmhac_device_ptr *const given[] = {&t->q_scales, &t->k_scales, &t->v_scales,
                                       &t->o_scale};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n) {
      const fmhac_device_ptr right = *given[n];
      *given[n] = 0;
      assert_int_equal(plan_pack(f, &args, &launch), FMHAC_INVALID_INPUT);
      assert_contains(fmhac_last_error(f->context), names[n]);
      assert_contains(fmhac_last_error(f->context), "the address is null");
      *given[n] = right + 2;
      assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
      assert_contains(fmhac_last_error(f->context), names[n]);
      *given[n] = right;
    }
    if (all[i].block) {
      t->k_scales_strides.row_bytes = 6;
      assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
      assert_contains(fmhac_last_error(f->context),
                      "k_scales: the row stride is 6");
      t->k_scales_strides.row_bytes = UINT64_C(1) << 31;
      assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
      assert_contains(fmhac_last_error(f->context), "32-bit offsets");
      t->k_scales_strides = strides;
    }
  }
}

/// The first release ended before the factors; a later one may have more: those
/// that are 0 ask for nothing.
static void test_sizes_of_tensors(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  f->tensors.size = offsetof(fmhac_tensors, q_scales) - 1;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context), "fmhac_tensors.size");
  f->tensors.size = offsetof(fmhac_tensors, q_scales);
  f->tensors.q_scales = 4; // beyond what the caller has
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  f->tensors.q_scales = 0;
  f->tensors.size = sizeof f->tensors;
  struct {
    fmhac_tensors known;
    uint64_t later;
  } newer = {.known = f->tensors};
  newer.known.size = sizeof newer;
  assert_int_equal(
      fmhac_plan_pack(f->plan, 0, &newer.known, 0, &args, sizeof args, &launch),
      FMHAC_OK);
  newer.later = 1;
  assert_int_equal(
      fmhac_plan_pack(f->plan, 0, &newer.known, 0, &args, sizeof args, &launch),
      FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context), "older than its caller");
}

/// Both ends of what is taken, a subnormal, and either zero, which is
/// 1/sqrt(Dqk).
static void scales_that_are_taken(void **state) {
  fixture *f = *state;
  const float taken[] = {65536, -65536, 0x1p-149f, 0, -0.0f};
  const float one_over_sqrt_128 = 0.08838834764831845f;
  for (size_t i = 0; i < sizeof taken / sizeof taken[0]; ++i) {
    fmhac_kernel_args args;
    fmhac_rt_launch launch = {.size = sizeof launch};
    f->tensors.scale = taken[i];
    assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
    assert_true(args.scale == (taken[i] != 0 ? taken[i] : one_over_sqrt_128));
  }
}

// One thing wrong at a time: what, its status, and two parts of the text.
#define REFUSAL(name, change, status_, part_a, part_b)                         \
  static void name(void **state) {                                             \
    fixture *f = *state;                                                       \
    fmhac_tensors *t = &f->tensors;                                            \
    fmhac_kernel_args args;                                                    \
    fmhac_rt_launch launch = {.size = sizeof launch};                          \
    change;                                                                    \
    assert_int_equal(plan_pack(f, &args, &launch), status_);                   \
    assert_contains(fmhac_last_error(f->context), part_a);                     \
    assert_contains(fmhac_last_error(f->context), part_b);                     \
    const uint8_t *bytes = (const uint8_t *)&args;                             \
    for (size_t i = 0; i < sizeof args; ++i)                                   \
      assert_int_equal(bytes[i], 0xee);                                        \
  }

REFUSAL(refuse_groups, t->heads_kv = 4, FMHAC_INVALID_INPUT, "heads 6",
        "kv_heads 4")
REFUSAL(refuse_more_kv_heads, t->heads_kv = 12, FMHAC_INVALID_INPUT, "heads 6",
        "kv_heads 12")
REFUSAL(refuse_no_batch, t->batch = 0, FMHAC_INVALID_INPUT, "batch is 0",
        "at least 1")
REFUSAL(refuse_no_rows, t->seqlen_q = 0, FMHAC_INVALID_INPUT, "seqlen_q is 0",
        "at least 1")
REFUSAL(refuse_no_keys, t->seqlen_kv = 0, FMHAC_INVALID_INPUT, "seqlen_kv is 0",
        "at least 1")
REFUSAL(refuse_many_heads, t->heads_q = 65536, FMHAC_UNSUPPORTED, "heads 65536",
        "65535")
REFUSAL(refuse_beyond_plan, t->seqlen_kv = 78, FMHAC_INVALID_INPUT,
        "seqlen_kv is 78", "at most 77")
REFUSAL(refuse_null_q, t->q = 0, FMHAC_INVALID_INPUT, "tensor q", "null")
REFUSAL(refuse_null_o, t->o = 0, FMHAC_INVALID_INPUT, "tensor o", "null")
REFUSAL(refuse_address, t->k += 8, FMHAC_UNSUPPORTED, "tensor k: the address",
        "8 past")
REFUSAL(refuse_row_stride, t->v_strides.row_bytes += 2, FMHAC_UNSUPPORTED,
        "tensor v: the row stride is 514", "16 bytes")
REFUSAL(refuse_head_stride, t->q_strides.head_bytes += 4, FMHAC_UNSUPPORTED,
        "tensor q: the head stride is 260", "16 bytes")
REFUSAL(refuse_batch_stride, t->o_strides.batch_bytes += 15, FMHAC_UNSUPPORTED,
        "tensor o: the batch stride is 460815", "16 bytes")
REFUSAL(refuse_nan_scale, t->scale = NAN, FMHAC_INVALID_INPUT, "scale",
        "finite")
REFUSAL(refuse_infinite_scale, t->scale = -INFINITY, FMHAC_INVALID_INPUT,
        "scale is -inf", "finite")
REFUSAL(refuse_large_scale, t->scale = 65536.0078125f, FMHAC_UNSUPPORTED,
        "scale is 65536.0078", "-65536 to 65536")
REFUSAL(refuse_large_negative_scale, t->scale = -3e38f, FMHAC_UNSUPPORTED,
        "scale is -3", "-65536 to 65536")
REFUSAL(refuse_overlapping_rows, t->o_strides.row_bytes = 128,
        FMHAC_INVALID_INPUT, "tensor o: rows lie 128 bytes apart", "256 bytes")
REFUSAL(refuse_overlapping_heads, t->o_strides.head_bytes = 0,
        FMHAC_INVALID_INPUT, "tensor o: heads lie 0 bytes apart", "256 bytes")
REFUSAL(refuse_overlapping_batches, t->o_strides.batch_bytes = 16,
        FMHAC_INVALID_INPUT, "tensor o: batches lie 16 bytes apart",
        "256 bytes")
REFUSAL(refuse_struct_size, t->size = 8, FMHAC_INVALID_INPUT,
        "fmhac_tensors.size is 8", "sizeof")
// 300 rows count as 512: 512 * 8388608 = 2^32 exactly, no room for a row.
REFUSAL(refuse_offsets, t->q_strides.row_bytes = 8388608, FMHAC_UNSUPPORTED,
        "tensor q: 300 rows", "256 rows fit")
// Even 256 rows are too many: (2^32 - 1 - 256) / 256 rows, down to 16 bytes.
REFUSAL(refuse_wide_rows, t->q_strides.row_bytes = 1 << 24, FMHAC_UNSUPPORTED,
        "row stride 16777216", "at most 16777200 bytes")

/// With one row its stride is the caller's to leave out: the kernel must get
/// one that puts row 1 past the extent of the last row, 256 bytes.
static void test_one_row(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  f->tensors.seqlen_q = 1;
  f->tensors.o_strides.row_bytes = 0;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  assert_true(args.o_row_stride >= 256);
}

/// The largest strides that are taken, on the bound computed by hand.
static void test_offset_bound(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  // 512 s + 256 < 2^32: s < 8388607.5, and a multiple of 16.
  f->tensors.q_strides.row_bytes = 8388592;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
  f->tensors.q_strides.row_bytes = 8388608;
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_UNSUPPORTED);
  // K and V may be broadcast over rows, heads and batches.
  f->tensors.q_strides.row_bytes = 1536;
  f->tensors.k_strides = (fmhac_strides){0};
  f->tensors.v_strides = (fmhac_strides){0};
  assert_int_equal(plan_pack(f, &args, &launch), FMHAC_OK);
}

static void test_capacity(void **state) {
  fixture *f = *state;
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  // The first release ended with `workspace`. A program of that time has room
  // for what its kernels require, and nothing is written after it.
  enum { CORE_END = 168, FIRST_RELEASE = 368, MARK = 0x5a };
  static const struct {
    size_t room, written;
  } rows[] = {{sizeof args, sizeof args},
              {sizeof args - 1, CORE_END},
              {FIRST_RELEASE, CORE_END},
              {CORE_END, CORE_END}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    memset(&args, MARK, sizeof args);
    assert_int_equal(fmhac_plan_pack(f->plan, 0, &f->tensors, 0, &args,
                                     rows[i].room, &launch),
                     FMHAC_OK);
    assert_int_equal(launch.kernarg_bytes, rows[i].written);
    assert_true(args.field_mask == 1 && args.q == f->tensors.q);
    for (size_t at = rows[i].written; at < sizeof args; ++at)
      assert_int_equal(((const unsigned char *)&args)[at], MARK);
  }
  assert_int_equal(
      fmhac_plan_pack(f->plan, 0, &f->tensors, 0, &args, CORE_END - 1, &launch),
      FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context),
                  "room for 167 bytes of kernel arguments, expected at least "
                  "168");
  // The room holds the workspace, or the launch does not have it.
  assert_int_equal(fmhac_plan_pack(f->plan, 0, &f->tensors, 0x1000, &args,
                                   FIRST_RELEASE - 1, &launch),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(fmhac_plan_pack(f->plan, 0, &f->tensors, 0x1000, &args,
                                   FIRST_RELEASE, &launch),
                   FMHAC_OK);
  assert_true(args.workspace == 0x1000 &&
              args.field_mask == (1 | GROUP(WORKSPACE)));
}

static void test_plan_bounds(void **state) {
  fixture *f = *state;
  fmhac_plan *plan;
  // Densest rows are 256 bytes: 2^24 rows less what rounding and a row need,
  // and of V one tile of 256 more.
  fmhac_problem most = {sizeof most, 1, 1, 1, 1, 16776704, 0, 0};
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan), FMHAC_OK);
  fmhac_plan_destroy(plan);
  most.seqlen_kv = 16776705;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan),
                   FMHAC_UNSUPPORTED);
  assert_null(plan);
  assert_contains(fmhac_last_error(f->context), "tensor v: 16776705 rows");
  assert_contains(fmhac_last_error(f->context), "16776704 rows fit");
  most.seqlen_kv = 1;
  most.seqlen_q = 16776960;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan), FMHAC_OK);
  fmhac_plan_destroy(plan);
  // Work-items of the grid: rows / tile * threads < 2^31.
  strcpy(f->kernel->entries[0].grid[0], "Sq");
  f->kernel->entries[0].block_threads = 1024;
  most = (fmhac_problem){sizeof most, 1, 1, 1, 2097151, 1, 0, 0};
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan), FMHAC_OK);
  fmhac_plan_destroy(plan);
  most.seqlen_q = 2097152;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan),
                   FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context), "at most 2097151 rows");
}

/// 2^32 work-items of a launch, by hand, and the least that is more.
static void test_work_items(void **state) {
  fixture *f = *state;
  static const struct {
    fmhac_problem problem; ///< blocks of 512 for 256 rows
    const char *parts[2];  ///< none: it is taken
  } rows[] = {
      // 2 * 512 * 2048 * 2048 = 2^32.
      {{sizeof(fmhac_problem), 2048, 2048, 1, 512, 1, 0, 0}, {0}},
      {{sizeof(fmhac_problem), 2049, 2048, 1, 512, 1, 0, 0},
       {"need 4297064448 work-items, at most 4294967296",
        "launch parts, with batch at most 2048"}},
      {{sizeof(fmhac_problem), 2048, 2048, 1, 513, 1, 0, 0},
       {"seqlen_q 513 need 6442450944 work-items",
        "launch parts, with batch at most 1365"}},
      // 256 * 512 * 32768 = 2^32.
      {{sizeof(fmhac_problem), 1, 32768, 1, 65536, 1, 0, 0}, {0}},
      {{sizeof(fmhac_problem), 2, 32769, 1, 65536, 1, 0, 0},
       {"need 8590196736 work-items",
        "launch parts, with heads at most 32768 and batch 1"}},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    fmhac_plan *plan;
    bool taken = !rows[i].parts[0];
    assert_int_equal(fmhac_plan_create(f->kernel, &rows[i].problem, &plan),
                     taken ? FMHAC_OK : FMHAC_UNSUPPORTED);
    for (int k = 0; k < 2 && !taken; ++k)
      assert_contains(fmhac_last_error(f->context), rows[i].parts[k]);
    fmhac_plan_destroy(plan);
  }
}

static void test_plan_needs_known_groups(void **state) {
  fixture *f = *state;
  fmhac_plan *plan;
  const fmhac_problem most = {sizeof most, B, HQ, HK, SQ, SK, 0, 0};
  f->kernel->required_args_mask = 1 | 1 << FMHAC_ARGS_SPLIT_BIT;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan),
                   FMHAC_UNSUPPORTED);
  assert_contains(fmhac_last_error(f->context), "0x801");
}

/// A plan for more rows than the configuration promises is refused, with both
/// numbers; a launch of a plan for fewer is held to that.
static void test_promised_rows(void **state) {
  fixture *f = *state;
  fmhac_plan *plan;
  fmhac_problem most = {.size = sizeof most,
                        .batch = B,
                        .heads_q = HQ,
                        .heads_kv = HK,
                        .seqlen_q = SQ,
                        .seqlen_kv = SK};
  f->kernel->config.max_seqlen_q = SQ - 1;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan),
                   FMHAC_INVALID_INPUT);
  assert_null(plan);
  assert_contains(fmhac_last_error(f->context),
                  "seqlen_q is 300, expected at most the 299 rows");
  most.seqlen_q = SQ - 1;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan), FMHAC_OK);
  fmhac_kernel_args args;
  fmhac_rt_launch launch = {.size = sizeof launch};
  assert_int_equal(
      fmhac_plan_pack(plan, 0, &f->tensors, 0, &args, sizeof args, &launch),
      FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context), "seqlen_q is 300");
  fmhac_plan_destroy(plan);
  // Keys are no rows.
  most.seqlen_q = 1;
  f->kernel->config.max_seqlen_q = 1;
  assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan), FMHAC_OK);
  fmhac_plan_destroy(plan);
}

/// Rows, and keys, of all sequences together, which a launch without arrays of
/// lengths says.
static void test_totals(void **state) {
  fixture *f = *state;
  fmhac_problem most = {.size = sizeof most,
                        .batch = B,
                        .heads_q = HQ,
                        .heads_kv = HK,
                        .seqlen_q = SQ,
                        .seqlen_kv = SK,
                        .total_q = B * SQ - 1,
                        .total_kv = B * SK};
  static const char *const words[] = {
      "batch 2 with seqlen_q 300 has 600 together, the plan was made for a "
      "total_q of at most 599",
      "batch 2 with seqlen_kv 77 has 154 together, the plan was made for a "
      "total_kv of at most 153"};
  for (int i = 0; i < 2; ++i) {
    fmhac_kernel_args args;
    fmhac_rt_launch launch = {.size = sizeof launch};
    fmhac_plan *plan;
    assert_int_equal(fmhac_plan_create(f->kernel, &most, &plan), FMHAC_OK);
    assert_int_equal(
        fmhac_plan_pack(plan, 0, &f->tensors, 0, &args, sizeof args, &launch),
        FMHAC_INVALID_INPUT);
    assert_contains(fmhac_last_error(f->context), words[i]);
    fmhac_plan_destroy(plan);
    most.total_q = B * SQ;
    most.total_kv = B * SK - 1;
  }
}

static void test_launch(void **state) {
  fixture *f = *state;
  fmhac_rt_device a = {0}, b = {0};
  int stream;
  assert_int_equal(fmhac_launch(f->plan, &a, &f->tensors, NULL, &stream),
                   FMHAC_OK);
  assert_int_equal(fmhac_launch(f->plan, &a, &f->tensors, NULL, NULL),
                   FMHAC_OK);
  assert_int_equal(fmhac_launch(f->plan, &b, &f->tensors, NULL, &stream),
                   FMHAC_OK);
  // One load a device, however often it launches.
  assert_int_equal(a.loads, 1);
  assert_int_equal(a.launches, 2);
  assert_int_equal(b.loads, 1);
  assert_null(a.last.stream);
  assert_ptr_equal(b.last.stream, &stream);
  assert_true(b.args.q == f->tensors.q);
  a.answer = FMHAC_CHECK_FAILED;
  assert_int_equal(fmhac_launch(f->plan, &a, &f->tensors, NULL, NULL),
                   FMHAC_CHECK_FAILED);
  assert_contains(fmhac_last_error(f->context), "the device's own words");
  // A refused launch reaches no device.
  f->tensors.q = 0;
  assert_int_equal(fmhac_launch(f->plan, &a, &f->tensors, NULL, NULL),
                   FMHAC_INVALID_INPUT);
  assert_int_equal(a.launches, 3);
  fmhac_plan_destroy(f->plan);
  f->plan = NULL;
  assert_int_equal(a.unloads, 1);
  assert_int_equal(b.unloads, 1);
}

static void test_load(void **state) {
  fixture *f = *state;
  fmhac_rt_device device = {.capturing = true};
  int stream;
  // What is not loaded cannot be loaded during a capture.
  assert_int_equal(fmhac_launch(f->plan, &device, &f->tensors, NULL, &stream),
                   FMHAC_INVALID_INPUT);
  assert_contains(fmhac_last_error(f->context), "fmhac_plan_load()");
  assert_int_equal(device.loads + device.launches, 0);
  assert_int_equal(fmhac_plan_load(f->plan, &device), FMHAC_OK);
  assert_int_equal(fmhac_plan_load(f->plan, &device), FMHAC_OK);
  assert_int_equal(device.loads, 1);
  assert_int_equal(fmhac_launch(f->plan, &device, &f->tensors, NULL, &stream),
                   FMHAC_OK);
  assert_int_equal(device.loads, 1);
  assert_int_equal(device.launches, 1);
  fmhac_plan_destroy(f->plan); // while there is the device
  f->plan = NULL;
  assert_int_equal(device.unloads, 1);
}

#define TEST(name)                                                             \
  cmocka_unit_test_setup_teardown(name, plan_set_up, plan_tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_strides),
      TEST(test_pack),
      TEST(test_reciprocal),
      TEST(test_lse),
      TEST(test_lse_strides),
      TEST(test_inputs),
      TEST(test_feature_strides),
      TEST(test_bias_bound),
      TEST(test_packed),
      TEST(test_sizes_of_tensors),
      TEST(test_factors_of_no_use),
      TEST(test_factors),
      TEST(refuse_groups),
      TEST(refuse_more_kv_heads),
      TEST(refuse_no_batch),
      TEST(refuse_no_rows),
      TEST(refuse_no_keys),
      TEST(refuse_many_heads),
      TEST(refuse_beyond_plan),
      TEST(refuse_null_q),
      TEST(refuse_null_o),
      TEST(refuse_address),
      TEST(refuse_row_stride),
      TEST(refuse_head_stride),
      TEST(refuse_batch_stride),
      TEST(refuse_nan_scale),
      TEST(refuse_infinite_scale),
      TEST(refuse_large_scale),
      TEST(refuse_large_negative_scale),
      TEST(scales_that_are_taken),
      TEST(refuse_overlapping_rows),
      TEST(refuse_overlapping_heads),
      TEST(refuse_overlapping_batches),
      TEST(test_one_row),
      TEST(refuse_struct_size),
      TEST(refuse_offsets),
      TEST(refuse_wide_rows),
      TEST(test_offset_bound),
      TEST(test_capacity),
      TEST(test_plan_bounds),
      TEST(test_work_items),
      TEST(test_promised_rows),
      TEST(test_totals),
      TEST(test_plan_needs_known_groups),
      TEST(test_launch),
      TEST(test_load),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
