// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "own.h"
#include "fmhac.h"
#include "fmhac_rt.h"
#include "secret.h"
#include "device.h"
#include "llvm-c/Core.h"
