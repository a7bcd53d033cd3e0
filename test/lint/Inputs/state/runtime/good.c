// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
static inline int twice(int x) { return 2 * x; }
static const struct row { int a; } rows[] = {{1}};
