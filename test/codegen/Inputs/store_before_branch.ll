; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A store of 16 bytes at the end of a block, and at the other end of a branch an instruction that overwrites its data.
; NAME is that of a kernel.
target triple = "amdgcn-amd-amdhsa"

define protected amdgpu_kernel void @NAME(i32 %n) #0 {
entry:
  %some = icmp sge i32 %n, 0
  br i1 %some, label %from, label %store

from:
  %zero = call i32 asm sideeffect "", "=v,0"(i32 0)
  br label %loop

store:
  call void @llvm.amdgcn.raw.ptr.buffer.store.v4i32(<4 x i32> zeroinitializer, ptr addrspace(8) null, i32 0, i32 0, i32 0)
  br label %loop

loop:
  br label %loop
}

declare void @llvm.amdgcn.raw.ptr.buffer.store.v4i32(<4 x i32>, ptr addrspace(8), i32, i32, i32 immarg)

attributes #0 = { "amdgpu-flat-work-group-size"="256,256" "target-cpu"="gfx950" }
