; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Kernels with matrix instructions and conversions of 8 bits, for written_by_llvm.test.
target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @scaled(ptr addrspace(1) %p, ptr addrspace(1) %q, i32 %s, i32 %t) #0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at_a = getelementptr <8 x i32>, ptr addrspace(1) %p, i32 %tid
  %a = load <8 x i32>, ptr addrspace(1) %at_a
  %at_b = getelementptr <8 x i32>, ptr addrspace(1) %q, i32 %tid
  %b = load <8 x i32>, ptr addrspace(1) %at_b
  %d = call <16 x float> @llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4.v8i32.v8i32(
      <8 x i32> %a, <8 x i32> %b, <16 x float> zeroinitializer, i32 0, i32 0,
      i32 0, i32 %s, i32 0, i32 %t)
  %at_d = getelementptr <16 x float>, ptr addrspace(1) %p, i32 %tid
  store <16 x float> %d, ptr addrspace(1) %at_d
  ret void
}
define amdgpu_kernel void @plain(ptr addrspace(1) %p, ptr addrspace(1) %q) #0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at_a = getelementptr <8 x i32>, ptr addrspace(1) %p, i32 %tid
  %a = load <8 x i32>, ptr addrspace(1) %at_a
  %at_b = getelementptr <8 x i32>, ptr addrspace(1) %q, i32 %tid
  %b = load <8 x i32>, ptr addrspace(1) %at_b
  %d = call <16 x float> @llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4.v8i32.v8i32(
      <8 x i32> %a, <8 x i32> %b, <16 x float> zeroinitializer, i32 0, i32 0,
      i32 0, i32 0, i32 0, i32 0)
  %at_d = getelementptr <16 x float>, ptr addrspace(1) %p, i32 %tid
  store <16 x float> %d, ptr addrspace(1) %at_d
  ret void
}
define amdgpu_kernel void @convert(ptr addrspace(1) %p, float %scale) #0 {
  %tid = call i32 @llvm.amdgcn.workitem.id.x()
  %at = getelementptr <2 x half>, ptr addrspace(1) %p, i32 %tid
  %x = load <2 x half>, ptr addrspace(1) %at
  %low = call <2 x i16> @llvm.amdgcn.cvt.scalef32.pk.fp8.f16(<2 x i16> zeroinitializer,
      <2 x half> %x, float %scale, i1 false)
  %both = call <2 x i16> @llvm.amdgcn.cvt.scalef32.pk.fp8.f16(<2 x i16> %low, <2 x half> %x,
      float %scale, i1 true)
  store <2 x i16> %both, ptr addrspace(1) %at
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
declare <2 x i16> @llvm.amdgcn.cvt.scalef32.pk.fp8.f16(<2 x i16>, <2 x half>, float, i1)
declare <16 x float> @llvm.amdgcn.mfma.scale.f32.32x32x64.f8f6f4.v8i32.v8i32(
    <8 x i32>, <8 x i32>, <16 x float>, i32, i32, i32, i32, i32, i32)
attributes #0 = { "amdgpu-agpr-alloc"="0" }
