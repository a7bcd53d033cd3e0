// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void f(void) { getenv("HOME"); printf("fine"); exit(2); }
