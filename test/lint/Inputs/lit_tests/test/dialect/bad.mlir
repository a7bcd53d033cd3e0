// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// expected-error @+1 {{no}}
