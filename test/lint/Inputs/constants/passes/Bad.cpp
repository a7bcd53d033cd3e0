// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comments may speak of generic and of 256 rows.
int rows = 256;
bool special = name == "dualwave";
int stride = 520 + other544 + 1.64;
const char *shape = "256x64";
int plain = 32;
int bytes = type.getIntOrFloatBitWidth() / 8;
