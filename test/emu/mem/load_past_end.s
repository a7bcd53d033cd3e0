// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// One byte past the end of a buffer is a finding that names the address and the nearest
// buffer; the last byte is not. Contract: docs, "The emulator": exact to the byte.

//| in_buffer(bytes(range(250)) + bytes(6), base="0x130000000000")
//| finding("mem", "global_load_ubyte", message=("130000000100", "probe_in", "test_kernel", "63"),
//|         count=1)
.include "prologue.inc"
KERNEL
  // bytes 192..255: inside
  global_load_ubyte v1, v0, s[4:5] offset:192
  // bytes 193..256: lane 63 reads byte 256
  global_load_ubyte v2, v0, s[4:5] offset:193
  LOADED
  OUTPUT v1    // == 192 + lane if 192 + lane < 250 else 0
END_KERNEL
