// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How a kernel of attention finds its work (work = runs): functions that it
// calls by names of its own, and that are put in line here. Their source is
// lib/plan's, which the build compiles to LLVM IR.
#include <string.h>

#include "context.h"
#include "kernel_code.h"
#include "linked_code.h"
#include "work_find.h"

static const char *const lines[] = {
#include "work_find.inc"
};

/// Constants spread through the functions, as in the planner's kernel; in the
/// kernel words become registers.
static const fmhac_linked_code code = {
    .what = "what finds the work of a kernel",
    .lines = lines,
    .count = sizeof lines / sizeof lines[0],
    .passes = "ipsccp,globalopt,"
              "function(sroa,early-cse,simplifycfg,"
              "instcombine<no-verify-fixpoint>,simplifycfg,early-cse<memssa>,"
              "adce)",
    .passes_after = "always-inline,function(sroa)"};

fmhac_status fmhac_translate_finder(struct fmhac_session *session,
                                    const fmhac_work_rules *rules,
                                    const char *kernel, LLVMModuleRef module) {
  enum { WORDS = sizeof *rules / sizeof(uint32_t) };
  fmhac_session_begin(session);
  uint32_t words[WORDS];
  memcpy(words, rules, sizeof words);
  const fmhac_linked_array rules_array = {"fmhac_work_find_rules", words,
                                          WORDS};
  fmhac_str first = {0}, next = {0}, parts = {0};
  fmhac_str_appendf(&first, "%s" FMHAC_FIND_NAME_FIRST, kernel);
  fmhac_str_appendf(&next, "%s" FMHAC_FIND_NAME_NEXT, kernel);
  fmhac_str_appendf(&parts, "%s" FMHAC_FIND_NAME_PARTS, kernel);
  const fmhac_linked_function functions[] = {
      {"fmhac_work_find_first", first.text, true},
      {"fmhac_work_find_next", next.text, true},
      {"fmhac_work_find_parts", parts.text, true}};
  const fmhac_status status =
      first.failed || next.failed || parts.failed
          ? fmhac_fail(session->context, FMHAC_OUT_OF_MEMORY,
                       "adding %s: out of memory", code.what)
          : fmhac_linked_add(session, &code, &rules_array, 1, functions,
                             sizeof functions / sizeof functions[0], module);
  fmhac_str_deinit(&first);
  fmhac_str_deinit(&next);
  fmhac_str_deinit(&parts);
  return status;
}
