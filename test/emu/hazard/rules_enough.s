// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// RUN: %emu_test %s
//
// The twin of rules_short.s: exactly the wait states that each rule wants.

//| checks("hazard")
//| no_output()
.set SHORT, 0
.include "rules.inc"
