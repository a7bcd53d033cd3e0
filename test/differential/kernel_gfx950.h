// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// kernel.h for gfx950: address spaces and compiler builtins.
#ifndef FMHAC_TEST_DIFFERENTIAL_KERNEL_GFX950_H
#define FMHAC_TEST_DIFFERENTIAL_KERNEL_GFX950_H

#ifdef __OPENCL_C_VERSION__
#define GLOBAL __global
#define LOCAL __local
#define CONSTANT __constant
#define SHARED __local
#else
#define GLOBAL __attribute__((address_space(1)))
#define LOCAL __attribute__((address_space(3)))
#define CONSTANT __attribute__((address_space(4)))
/// An array of the workgroup: SHARED u32 tile[64]; in a kernel, or in C at file
/// scope.
#define SHARED static __attribute__((address_space(3), loader_uninitialized))
#endif
/// The array whose size the launch chooses (`lds=`), at file scope.
#define SHARED_DYNAMIC(type, name)                                             \
  extern __attribute__((address_space(3))) type name[]
#define ATTRIBUTES(...) __attribute__((__VA_ARGS__))

#ifdef __OPENCL_C_VERSION__
#define K_KERNEL __kernel
#else
#define K_KERNEL __attribute__((amdgpu_kernel))
#endif
#define KERNEL(name, ...)                                                      \
  K_KERNEL void name(K_EXPAND(K_LIST(K_PARAMETER, __VA_ARGS__)))
/// The same with attributes of the gfx950 kernel: KERNEL_WITH((a, b), name, …).
#define KERNEL_WITH(attributes, name, ...)                                     \
  ATTRIBUTES attributes KERNEL(name, __VA_ARGS__)

static inline u32 local_id(int d) {
  return d == 0   ? __builtin_amdgcn_workitem_id_x()
         : d == 1 ? __builtin_amdgcn_workitem_id_y()
                  : __builtin_amdgcn_workitem_id_z();
}
static inline u32 group_id(int d) {
  return d == 0   ? __builtin_amdgcn_workgroup_id_x()
         : d == 1 ? __builtin_amdgcn_workgroup_id_y()
                  : __builtin_amdgcn_workgroup_id_z();
}
static inline u32 local_size(int d) {
  return d == 0   ? __builtin_amdgcn_workgroup_size_x()
         : d == 1 ? __builtin_amdgcn_workgroup_size_y()
                  : __builtin_amdgcn_workgroup_size_z();
}
/// hidden_block_count_x, _y, _z are the first dwords of the implicit arguments.
static inline u32 group_count(int d) {
  return ((CONSTANT const u32 *)__builtin_amdgcn_implicitarg_ptr())[d];
}
/// Work-items of the grid, from the dispatch packet.
static inline u32 grid_items(int d) {
  return d == 0   ? __builtin_amdgcn_grid_size_x()
         : d == 1 ? __builtin_amdgcn_grid_size_y()
                  : __builtin_amdgcn_grid_size_z();
}

static inline void barrier(void) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

static inline u64 wave_ballot(_Bool predicate) {
  return __builtin_amdgcn_ballot_w64(predicate);
}
/// v of the named lane; the lane must be active.
static inline u32 wave_shuffle(u32 v, u32 lane) {
  return (u32)__builtin_amdgcn_ds_bpermute((int)(lane * 4), (int)v);
}
/// Sends v to the named lane; no lane may be named twice, unnamed ones get 0.
static inline u32 wave_send(u32 v, u32 lane) {
  return (u32)__builtin_amdgcn_ds_permute((int)(lane * 4), (int)v);
}
static inline u32 wave_first(u32 v) {
  return (u32)__builtin_amdgcn_readfirstlane((int)v);
}
/// The lane must be the same in the whole wave.
static inline u32 wave_read(u32 v, u32 lane) {
  return (u32)__builtin_amdgcn_readlane((int)v, (int)lane);
}
/// Lanes of the mask below the own one.
static inline u32 wave_count_below(u64 mask) {
  return (u32)__builtin_amdgcn_mbcnt_hi(
      (u32)(mask >> 32), __builtin_amdgcn_mbcnt_lo((u32)mask, 0));
}
#define WAVE_DPP(old, v, control, row_mask, bank_mask, bound_control)          \
  ((u32)__builtin_amdgcn_update_dpp((int)(old), (int)(v), (control),           \
                                    (row_mask), (bank_mask), (bound_control)))
#define WAVE_SWIZZLE(v, pattern)                                               \
  ((u32)__builtin_amdgcn_ds_swizzle((int)(v), (pattern)))
/// The lanes in which the condition holds, asked inside the branch it guards.
#define WAVE_BALLOT_IN_BRANCH(condition, predicate)                            \
  __extension__({                                                              \
    u64 k_mask = 0;                                                            \
    if (condition)                                                             \
      k_mask = __builtin_amdgcn_ballot_w64(predicate);                         \
    k_mask;                                                                    \
  })

static inline f16 fma_f16(f16 a, f16 b, f16 c) {
  return __builtin_fmaf16(a, b, c);
}
static inline f32 fma_f32(f32 a, f32 b, f32 c) {
  return __builtin_fmaf(a, b, c);
}
static inline f64 fma_f64(f64 a, f64 b, f64 c) {
  return __builtin_fma(a, b, c);
}
static inline f16 sqrt_f16(f16 a) { return __builtin_sqrtf16(a); }
static inline f32 sqrt_f32(f32 a) { return __builtin_sqrtf(a); }
static inline f64 sqrt_f64(f64 a) { return __builtin_sqrt(a); }

/// IEEE 754 minNum and maxNum, with -0 below +0 as v_min and v_max order them.
static inline f16 min_f16(f16 a, f16 b) { return __builtin_fminf16(a, b); }
static inline f16 max_f16(f16 a, f16 b) { return __builtin_fmaxf16(a, b); }
static inline f32 min_f32(f32 a, f32 b) { return __builtin_fminf(a, b); }
static inline f32 max_f32(f32 a, f32 b) { return __builtin_fmaxf(a, b); }
static inline f64 min_f64(f64 a, f64 b) { return __builtin_fmin(a, b); }
static inline f64 max_f64(f64 a, f64 b) { return __builtin_fmax(a, b); }

#endif // FMHAC_TEST_DIFFERENTIAL_KERNEL_GFX950_H
