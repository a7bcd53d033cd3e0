// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Persistent workgroups of four waves: each walks its items, a record of four words each. An item is
// so many tiles of 64 rows, which go through LDS into matrix products; items of kind 1 end with a second
// pass over their result. For lists.c, which times this kernel as a whole and by parts.
typedef float f32x16 __attribute__((ext_vector_type(16)));
typedef __bf16 bf16x8 __attribute__((ext_vector_type(8)));
typedef uint u32x4 __attribute__((ext_vector_type(4)));

#define BARRIER                                                                \
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                       \
  __builtin_amdgcn_s_barrier();                                                \
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")

// begin[w] to begin[w + 1]: the items of workgroup w; with `counter`, workgroups take them one by one.
// An item: first tile, tiles, kind, row of the result.
kernel __attribute__((reqd_work_group_size(256, 1, 1))) void
lists(global const int *begin, global const int4 *items, global const u32x4 *tiles, global float *out,
      global atomic_uint *counter, int item_count) {
  local u32x4 lds[2][256];
  local int next;
  const uint lane = __builtin_amdgcn_workitem_id_x(), group = __builtin_amdgcn_workgroup_id_x();
  int at = counter ? 0 : begin[group], end = counter ? item_count : begin[group + 1];
  for (;;) {
    if (counter) {
      if (lane == 0)
        next = (int)__opencl_atomic_fetch_add(counter, 1, memory_order_relaxed,
                                              memory_scope_device);
      BARRIER;
      at = next;
      BARRIER;
    }
    if (at >= end)
      return;
    const int4 item = items[at++];
    f32x16 sum = 0;
    lds[0][lane] = tiles[item.x * 256 + lane];
    for (int t = 0; t < item.y; t++) {
      u32x4 after = tiles[(item.x + (t + 1 < item.y ? t + 1 : t)) * 256 + lane];
      BARRIER;
      for (int k = 0; k < 4; k++) {
        u32x4 a = lds[t & 1][lane ^ k], b = lds[t & 1][(lane + 64 * k) & 255];
        sum = __builtin_amdgcn_mfma_f32_32x32x16_bf16(__builtin_astype(a, bf16x8),
                                                      __builtin_astype(b, bf16x8), sum, 0, 0, 0);
      }
      lds[(t + 1) & 1][lane] = after;
    }
    BARRIER;
    if (item.z)
      for (int k = 0; k < 200; k++)
        sum = __builtin_elementwise_exp2(sum * 0.5f);
    for (int k = 0; k < 16; k++)
      out[(item.w * 16 + k) * 256 + lane] = sum[k];
  }
}
