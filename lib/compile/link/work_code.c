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

/// Once more, now that the rules are known: of code for all masks, lengths and
/// ways to divide keys that for one is left. The build has run all of LLVM's
/// passes, so that here constants need to spread, once through calls and once
/// through what these leave: default<O2> takes four times as long, a fifth of a
/// compilation, for 1 % less code.
static const fmhac_linked_code code = {
    .what = "the planner's kernel",
    .lines = lines,
    .count = sizeof lines / sizeof lines[0],
    .passes = "always-inline,ipsccp,globalopt,"
              "function(sroa,early-cse,simplifycfg,"
              "instcombine<no-verify-fixpoint>,simplifycfg,early-cse<memssa>,"
              "adce)"};

fmhac_status fmhac_translate_planner(struct fmhac_session *session,
                                     const fmhac_work_rules *rules,
                                     size_t count, const char *name,
                                     LLVMModuleRef module) {
  enum { WORDS = FMHAC_WORK_MOST_KERNELS * sizeof *rules / sizeof(uint32_t) };
  fmhac_session_begin(session);
  if (!count || count > FMHAC_WORK_MOST_KERNELS)
    return fmhac_fail(session->context, FMHAC_INTERNAL,
                      "adding the planner's kernel: expected the rules of 1 to "
                      "%d kernels, found those of %zu",
                      FMHAC_WORK_MOST_KERNELS, count);
  uint32_t words[WORDS] = {0};
  const uint32_t number = (uint32_t)count;
  memcpy(words, rules, count * sizeof *rules);
  const fmhac_linked_array arrays[] = {
      {"fmhac_work_kernel_rules", words, WORDS},
      {"fmhac_work_kernel_count", &number, 1}};
  const fmhac_linked_function functions[] = {
      {.name = "fmhac_work_kernel", .as = name},
      {.name = "fmhac_work_kernel_lists", .in_line = true}};
  return fmhac_linked_add(session, &code, arrays,
                          sizeof arrays / sizeof arrays[0], functions,
                          sizeof functions / sizeof functions[0], module);
}
