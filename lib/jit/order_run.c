// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "order_run.h"

#include "compile.h"
#include "context.h"
#include "remote.h"

fmhac_status fmhac_order_run(fmhac_context *context, const fmhac_order *order,
                             fmhac_product *product) {
  return context->options.compile_in_process
             ? fmhac_compile_here(context, order, product)
             : fmhac_compile_remote(context, order, product);
}
