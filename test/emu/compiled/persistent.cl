// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test --opt=-O0 %s
// RUN: %emu_test --opt=-O2 %s
//
// Persistent workgroups as clang compiles them: items of a queue, each a row; the last workgroup
// to arrive at a group of four rows adds these up; and, after a barrier of the grid, every workgroup
// reads all sums. Source: OpenCL C 2.0, 6.13.11
// (atomics of memory_scope_device); clang chooses the instructions.

//| launch(block=128, grid=12)
//| buffer("queue", bytes=64, fill=0)
//| buffer("arrived", bytes=64, fill=0)
//| buffer("barrier", bytes=64, fill=0)
//| buffer("rows", bytes=40 * 512)
//| buffer("sums", bytes=10 * 512)
//| buffer("totals", bytes=12 * 512, out=True)
//| for at, name in enumerate(["queue", "arrived", "barrier", "rows", "sums", "totals"]):
//|     kernarg(offset=16 + 8 * at, buffer=name)
//| checks("mem,wait,sync,init,race")
//| matrix()
//| no_output()
//| row = lambda i, l: (i * 7919 + l * 31) & 0xffff
//| expect_buffer("totals", column_bytes([[sum(row(i, l) for i in range(40)) + w
//|     for l in LANE] for w in range(12)]))

// A release of all that the work-items of a workgroup have stored, and an acquire for them.
#define BARRIER                                                                \
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                       \
  __builtin_amdgcn_s_barrier();                                                \
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup")
#define ADD(place, order)                                                      \
  __opencl_atomic_fetch_add(place, 1, order, memory_scope_device)

kernel void test_kernel(global const uint *in, global uint *out, global atomic_uint *queue,
                        global atomic_uint *arrived, global atomic_uint *barrier_count,
                        global uint *rows, global uint *sums, global uint *totals) {
  const uint lane = __builtin_amdgcn_workitem_id_x(), group = __builtin_amdgcn_workgroup_id_x();
  local uint item, last;
  for (;;) {
    if (lane == 0)
      item = ADD(queue, memory_order_relaxed);
    BARRIER;
    const uint i = item;
    BARRIER;
    if (i >= 40)
      break;
    rows[i * 128 + lane] = (i * 7919 + lane * 31) & 0xffff;
    BARRIER;
    if (lane == 0)
      last = ADD(&arrived[i / 4], memory_order_acq_rel) == 3;
    BARRIER;
    if (!last)
      continue;
    uint sum = 0;
    for (uint r = i / 4 * 4; r < i / 4 * 4 + 4; r++)
      sum += rows[r * 128 + lane];
    sums[i / 4 * 128 + lane] = sum;
  }
  BARRIER;
  if (lane == 0) {
    ADD(barrier_count, memory_order_release);
    while (__opencl_atomic_load(barrier_count, memory_order_acquire, memory_scope_device) != 12)
      ;
  }
  BARRIER;
  uint total = group;
  for (uint k = 0; k < 10; k++)
    total += sums[k * 128 + lane];
  totals[group * 128 + lane] = total;
}
