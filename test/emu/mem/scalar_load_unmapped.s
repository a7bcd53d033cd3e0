// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// A scalar load outside every buffer is a finding.

//| in_buffer(bytes(256), base="0x130000000000")
//| finding("mem", "s_load_dwordx2", message=("probe_in",))
.include "prologue.inc"
KERNEL
  s_load_dwordx2 s[8:9], s[4:5], 0x100
  s_waitcnt lgkmcnt(0)
END_KERNEL
