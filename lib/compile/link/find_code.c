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
static const fmhac_linked_code code = {"what finds the work of a kernel", lines,
                                       sizeof lines / sizeof lines[0]};

static const char rules_name[] = "fmhac_work_find_rules";
static const char *const names[] = {"fmhac_work_find_first",
                                    "fmhac_work_find_next"};
static const char *const ends[] = {FMHAC_FIND_NAME_FIRST, FMHAC_FIND_NAME_NEXT};
enum { FUNCTIONS = sizeof names / sizeof names[0] };

/// Constants spread through the functions, as in the planner's kernel.
static const char own_passes[] =
    "ipsccp,globalopt,"
    "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,"
    "simplifycfg,early-cse<memssa>,adce)";

/// The function's own name, after a kernel's; the caller owns the string.
static fmhac_str name_of(const char *kernel, size_t function) {
  fmhac_str name = {0};
  fmhac_str_appendf(&name, "%s%s", kernel, ends[function]);
  return name;
}

/// Gives the functions the kernel's rules and names after its own.
static bool set_up(LLVMModuleRef found, const fmhac_work_rules *rules,
                   const char *kernel) {
  enum { WORDS = sizeof *rules / sizeof(uint32_t) };
  uint32_t words[WORDS];
  memcpy(words, rules, sizeof words);
  bool ok = fmhac_linked_define(found, rules_name, words, WORDS);
  for (size_t i = 0; i < FUNCTIONS && ok; ++i) {
    LLVMValueRef function = LLVMGetNamedFunction(found, names[i]);
    fmhac_str name = name_of(kernel, i);
    ok = function && !name.failed;
    if (ok) {
      LLVMSetValueName2(function, name.text, name.length);
      fmhac_linked_put_in_line(function);
    }
    fmhac_str_deinit(&name);
  }
  return ok;
}

/// Nobody else calls them: without calls they are gone.
static void hide(LLVMModuleRef module, const char *kernel) {
  for (size_t i = 0; i < FUNCTIONS; ++i) {
    fmhac_str name = name_of(kernel, i);
    LLVMValueRef function =
        name.failed ? NULL : LLVMGetNamedFunction(module, name.text);
    if (function)
      LLVMSetLinkage(function, LLVMInternalLinkage);
    fmhac_str_deinit(&name);
  }
}

fmhac_status fmhac_translate_finder(struct fmhac_session *session,
                                    const fmhac_work_rules *rules,
                                    const char *kernel, LLVMModuleRef module) {
  fmhac_session_begin(session);
  LLVMModuleRef found;
  fmhac_status status =
      fmhac_linked_parse(session, &code, LLVMGetModuleContext(module), &found);
  if (status == FMHAC_OK && !set_up(found, rules, kernel))
    status = fmhac_fail(session->context, FMHAC_INTERNAL,
                        "adding what finds the work of kernel %s: expected the "
                        "functions %s and %s and the array %s in its LLVM IR",
                        kernel, names[0], names[1], rules_name);
  if (status == FMHAC_OK)
    status = fmhac_linked_run_passes(session, &code, found, own_passes);
  if (status != FMHAC_OK) {
    if (found)
      LLVMDisposeModule(found);
    return status;
  }
  status = fmhac_linked_link(session, &code, found, module);
  hide(module, kernel);
  return status == FMHAC_OK
             ? fmhac_linked_run_passes(session, &code, module,
                                       "always-inline,function(sroa)")
             : status;
}
