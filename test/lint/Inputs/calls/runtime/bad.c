// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void f(void) { fprintf(stderr, "x"); abort (); }
