// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "secret.h"
#include "fmhac_rt.h"
#include "mlir-c/IR.h"
#include "mlir/IR/Builders.h"
#include "device.h"
#include "Types.h"
