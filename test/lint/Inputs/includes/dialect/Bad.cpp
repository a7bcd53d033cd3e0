// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Types.h"
#include "mlir/IR/Builders.h"
#include "fmhac_abi.h"
#include "mlir-c/IR.h"
#include "fmhac.h"
#include "secret.h"
// #include "device.h"
