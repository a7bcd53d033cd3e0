// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
// RUN: llvm-mc -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj -I %S/../Inputs %s -o %t.o
// RUN: ld.lld -shared %t.o -o %t.hsaco
// RUN: not %fmhac inspect --waits %t.hsaco 2>&1 | FileCheck %s
//
// Findings say where their instructions come from, if the code object does: by lines as
// .loc has them, and by the innermost of two functions that a hand-written tree says were
// inlined. Line 0 is no line, and code after end_sequence none of the unit.
// Source: DWARF 5, 2.17.3 (ranges), 3.3.8.2 (inlined calls), 6.2.2 (line 0), 7.5.4 to 7.5.6.

//| finding("wait", "v_mov_b32_e32 v20, v1", "global_load_dword v1,", message="; from attention.c:42 (pv), pc 0x")
//| finding("wait", "v_mov_b32_e32 v20, v2", "global_load_dword v2,", message=" from attention.c:17 (load_v)")
//| finding("wait", "v_mov_b32_e32 v20, v3", "global_load_dword v3,", message="; from attention.c:50, pc 0x")
//| finding("wait", "v_mov_b32_e32 v20, v4", "global_load_dword v4,", message=" from attention.c:50")
//| no_output()

// CHECK: `v_mov_b32_e32 v20, v1`: {{.*}}; from attention.c:42 (pv), pc 0x{{[0-9a-f]+}} from attention.c:17 (load_v)
// CHECK: `v_mov_b32_e32 v20, v2`: {{.*}}; pc 0x{{[0-9a-f]+}} from attention.c:17 (load_v)
// CHECK: `v_mov_b32_e32 v20, v3`: {{.*}}; from attention.c:50, pc 0x{{[0-9a-f]+}} from attention.c:50{{$}}
// CHECK: `v_mov_b32_e32 v20, v4`: {{.*}}; pc 0x{{[0-9a-f]+}} from attention.c:50{{$}}
.include "prologue.inc"
.file 1 "attention.c"
KERNEL
.Lkernel:
  .loc 1 40
  v_mov_b32_e32 v30, 0
.Lpv:
.Lload:
  .loc 1 17
  global_load_dword v1, v30, s[4:5]
  global_load_dword v2, v30, s[4:5]
.Lload_end:
  .loc 1 42
  v_mov_b32_e32 v20, v1
.Lpv_end:
  .loc 1 0
  v_mov_b32_e32 v20, v2
  .loc 1 50
  global_load_dword v3, v30, s[4:5]
  global_load_dword v4, v30, s[4:5]
  v_mov_b32_e32 v20, v3
  .loc 1 0
  v_mov_b32_e32 v20, v4
  s_waitcnt vmcnt(0)
.Lkernel_end:
END_KERNEL

.section .debug_abbrev, "", @progbits
  .uleb128 1             // a unit
  .uleb128 0x11          // DW_TAG_compile_unit
  .byte 1                // has children
  .uleb128 0x10, 0x17    // DW_AT_stmt_list, DW_FORM_sec_offset
  .uleb128 0x11, 0x01    // DW_AT_low_pc, DW_FORM_addr
  .uleb128 0x12, 0x06    // DW_AT_high_pc, DW_FORM_data4: from low_pc
  .uleb128 0, 0
  .uleb128 2             // a function that was inlined
  .uleb128 0x2e          // DW_TAG_subprogram
  .byte 0
  .uleb128 0x03, 0x08    // DW_AT_name, DW_FORM_string
  .uleb128 0x20, 0x0b    // DW_AT_inline, DW_FORM_data1
  .uleb128 0, 0
  .uleb128 3             // a namespace
  .uleb128 0x39          // DW_TAG_namespace
  .byte 1
  .uleb128 0, 0
  .uleb128 4             // a function with code
  .uleb128 0x2e
  .byte 1
  .uleb128 0x03, 0x08
  .uleb128 0x11, 0x01
  .uleb128 0x12, 0x06
  .uleb128 0, 0
  .uleb128 5             // an inlined call
  .uleb128 0x1d          // DW_TAG_inlined_subroutine
  .byte 1
  .uleb128 0x31, 0x13    // DW_AT_abstract_origin, DW_FORM_ref4
  .uleb128 0x11, 0x01
  .uleb128 0x12, 0x06
  .uleb128 0, 0
  .uleb128 0

.section .debug_info, "", @progbits
.Lunit:
  .long .Lunit_end - .Lversion
.Lversion:
  .short 5
  .byte 1, 8             // DW_UT_compile, bytes of an address
  .long .debug_abbrev
  .uleb128 1
  .long .debug_line
  .quad .Lkernel
  .long .Lkernel_end - .Lkernel
.Lpv_function:
  .uleb128 2
  .asciz "pv"
  .byte 1
.Lload_function:
  .uleb128 2
  .asciz "load_v"
  .byte 1
  .uleb128 3             // an empty namespace, and one with the kernel
  .byte 0
  .uleb128 3
  .uleb128 4
  .asciz "kernel"
  .quad .Lkernel
  .long .Lkernel_end - .Lkernel
  .uleb128 5
  .long .Lpv_function - .Lunit
  .quad .Lpv
  .long .Lpv_end - .Lpv
  .uleb128 5
  .long .Lload_function - .Lunit
  .quad .Lload
  .long .Lload_end - .Lload
  .byte 0                // of load_v
  .byte 0                // of pv
  .byte 0                // of the kernel
  .byte 0                // of the namespace
  .byte 0                // of the unit
.Lunit_end:
