// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void f(void) { getenv("HOME"); }
void g(char *name) { printf("%s", name); fprintf(stderr, name); }
void h(FILE *memory) { fprintf(memory, "x"); }
