// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>
#include <string.h>
// std::string in a comment
std::string s;
int *p = nullptr;
