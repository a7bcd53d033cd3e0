// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "llvm-c/Disassembler.h"
#include "llvm-c/Core.h"
