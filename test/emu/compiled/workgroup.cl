// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
// RUN: %emu_test --opt=-O0 %s
// RUN: %emu_test --opt=-O3 %s
//
// Workgroup code as clang compiles it: a local array, barriers, a tree sum, a bitonic sort
// over 256 work-items, local atomics, private arrays with variable index (scratch).
// Source: the C language and OpenCL's work-group barrier; clang chooses the instructions.

//| launch(block=256)
//| A = random_u32(256, 102)
//| inputs(A)
//| checks("mem,sync,wait,hazard")
//| matrix()
//| expect("sorted", sorted(A))
//| expect("sum", [sum(A) & U32] * 256)
//| expect("histogram", [sum(1 for x in A if x & 255 == l) for l in LANE])
//| def private(l):
//|     t = [(A[l] >> i) & 0xff for i in range(16)]
//|     for i in range(16):
//|         j = (t[i] + l) % 16
//|         t[i], t[j] = t[j], t[i]
//|     return sum(x << (i % 24) for i, x in enumerate(t))
//| expect("private array", [private(l) for l in LANE])

kernel void test_kernel(global const uint *in, global uint *out) {
  local uint keys[256], sums[256], counts[256];
  uint lane = __builtin_amdgcn_workitem_id_x();
  uint x = in[lane];
  keys[lane] = x;
  sums[lane] = x;
  counts[lane] = 0;
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "workgroup");
#define BARRIER                                                                \
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                       \
  __builtin_amdgcn_s_barrier();                                                \
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")
  for (uint size = 2; size <= 256; size *= 2)
    for (uint step = size / 2; step; step /= 2) {
      uint other = lane ^ step;
      if (other > lane) {
        uint p = keys[lane], q = keys[other];
        if ((p > q) == ((lane & size) == 0)) {
          keys[lane] = q;
          keys[other] = p;
        }
      }
      BARRIER;
    }
  for (uint span = 128; span; span /= 2) {
    if (lane < span)
      sums[lane] += sums[lane + span];
    BARRIER;
  }
  __opencl_atomic_fetch_add((local atomic_uint *)&counts[x & 255], 1,
                            memory_order_relaxed, memory_scope_work_group);
  BARRIER;
  out[lane] = keys[lane];
  out[256 + lane] = sums[0];
  out[512 + lane] = counts[lane];
  uint t[16];
  for (int i = 0; i < 16; ++i)
    t[i] = x >> i & 0xff;
  for (int i = 0; i < 16; ++i) {
    uint j = (t[i] + lane) % 16, s = t[i];
    t[i] = t[j];
    t[j] = s;
  }
  uint r = 0;
  for (int i = 0; i < 16; ++i)
    r += t[i] << i % 24;
  out[768 + lane] = r;
}
