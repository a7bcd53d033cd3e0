// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
void f(void) {
  printf("%d", 1);
  snprintf(text, 2, "printf(");
  exit(1);
  on_exit_hook(2);
  getenv("HOME");
}
