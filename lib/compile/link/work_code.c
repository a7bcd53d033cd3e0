// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The planner as a kernel of a code object: a workgroup of it makes the lists
// of work_list.h from lengths on the device, for one kernel of attention. Its
// source is that of the host's planner (lib/plan), which the build compiles to
// LLVM IR.
#include <string.h>

#include "context.h"
#include "kernel_code.h"
#include "linked_code.h"

// Lines, because C promises only 4095 characters of a string.
static const char *const lines[] = {
#include "work_kernel.inc"
};
static const fmhac_linked_code code = {"the planner's kernel", lines,
                                       sizeof lines / sizeof lines[0]};

static const char kernel_name[] = "fmhac_work_kernel";
static const char lists_name[] = "fmhac_work_kernel_lists";
static const char rules_name[] = "fmhac_work_kernel_rules";
static const char count_name[] = "fmhac_work_kernel_count";

/// Gives the kernel its rules, as constants.
static bool set_rules(LLVMModuleRef module, const fmhac_work_rules *rules,
                      size_t count) {
  enum { WORDS = FMHAC_WORK_MOST_KERNELS * sizeof *rules / sizeof(uint32_t) };
  uint32_t words[WORDS] = {0};
  const uint32_t number = (uint32_t)count;
  if (!count || count > FMHAC_WORK_MOST_KERNELS)
    return false;
  memcpy(words, rules, count * sizeof *rules);
  return fmhac_linked_define(module, rules_name, words, WORDS) &&
         fmhac_linked_define(module, count_name, &number, 1);
}

/// Once more, now that the rules are known: of code for all masks, lengths and
/// ways to divide keys that for one is left. The build has run all of LLVM's
/// passes, so that here constants need to spread, once through calls and once
/// through what these leave: default<O2> takes four times as long, a fifth of a
/// compilation, for 1 % less code.
static const char passes[] =
    "always-inline,ipsccp,globalopt,"
    "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,"
    "simplifycfg,early-cse<memssa>,adce)";

fmhac_status fmhac_translate_planner(struct fmhac_session *session,
                                     const fmhac_work_rules *rules,
                                     size_t count, const char *name,
                                     LLVMModuleRef module) {
  fmhac_session_begin(session);
  LLVMModuleRef planner;
  fmhac_status status = fmhac_linked_parse(
      session, &code, LLVMGetModuleContext(module), &planner);
  LLVMValueRef kernel =
      status == FMHAC_OK ? LLVMGetNamedFunction(planner, kernel_name) : NULL;
  LLVMValueRef lists =
      status == FMHAC_OK ? LLVMGetNamedFunction(planner, lists_name) : NULL;
  if (status == FMHAC_OK &&
      (!kernel || !lists || !set_rules(planner, rules, count)))
    status = fmhac_fail(
        session->context, FMHAC_INTERNAL,
        "adding the planner's kernel: expected the functions %s and %s, the "
        "arrays %s and %s in its LLVM IR, and rules of 1 to %d "
        "kernels, found those of %zu",
        kernel_name, lists_name, rules_name, count_name,
        FMHAC_WORK_MOST_KERNELS, count);
  if (status == FMHAC_OK) {
    LLVMSetValueName2(kernel, name, strlen(name));
    fmhac_linked_put_in_line(lists);
    status = fmhac_linked_run_passes(session, &code, planner, passes);
  }
  if (status != FMHAC_OK) {
    if (planner)
      LLVMDisposeModule(planner);
    return status;
  }
  return fmhac_linked_link(session, &code, planner, module);
}
