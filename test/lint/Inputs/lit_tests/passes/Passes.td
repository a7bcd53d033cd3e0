// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def A : FmhaPass<"fmha-plan-lds", "", "">;
def B : FmhaPass<"fmha-untested", "", "">;
