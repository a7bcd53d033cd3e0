// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void f(void) { getenv("HOME"); fprintx(stderr, "fine"); exit(2); }
