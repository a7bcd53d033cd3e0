// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device.h"
#include "fmhac_abi.h"
#include "mlir-c/IR.h"
#include "llvm-c/Disassembler.h"
#include "secret.h"
