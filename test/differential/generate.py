# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
def unit_source(group, seeds):
    return ""
