// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// LLVM's process-wide registration of the AMDGPU target.
#ifndef FMHAC_LIB_LLVM_INIT_H
#define FMHAC_LIB_LLVM_INIT_H

/// Registers target, assembler, printer and parser once in the
/// process; later calls return at once. Safe from any thread.
void fmhac_llvm_init_once(void);

#endif // FMHAC_LIB_LLVM_INIT_H
