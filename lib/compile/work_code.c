// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The planner as a kernel of a code object: a workgroup of it makes the lists
// of work_list.h from lengths on the device, for one kernel of attention. Its
// source is that of the host's planner (lib/plan), which the build compiles to
// LLVM IR.
#include "translate.h"

#include <string.h>

#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/Linker.h"
#include "llvm-c/Transforms/PassBuilder.h"

// Lines, because C promises only 4095 characters of a string.
static const char *const lines[] = {
#include "work_kernel.inc"
};

static const char kernel_name[] = "fmhac_work_kernel";
static const char lists_name[] = "fmhac_work_kernel_lists";
static const char rules_name[] = "fmhac_work_kernel_rules";
static const char count_name[] = "fmhac_work_kernel_count";

static fmhac_status fail(struct fmhac_session *session, const char *what,
                         const char *why) {
  return fmhac_fail(session->context, FMHAC_CODEGEN_FAILED,
                    "adding the planner's kernel: %s: %s", what,
                    why ? why : "");
}

/// Parses the kernel in the context of another module.
static fmhac_status parse(struct fmhac_session *session, LLVMContextRef context,
                          LLVMModuleRef *out_module) {
  *out_module = NULL;
  fmhac_str text = {0};
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i)
    fmhac_str_append(&text, lines[i]);
  if (text.failed)
    return fmhac_fail(session->context, FMHAC_OUT_OF_MEMORY,
                      "adding the planner's kernel: out of memory");
  char *message = NULL;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
      text.text, text.length, kernel_name);
  fmhac_str_deinit(&text);
  // Parsing takes the buffer.
  fmhac_status status =
      LLVMParseIRInContext(context, buffer, out_module, &message)
          ? fail(session, "parsing its LLVM IR", message)
          : FMHAC_OK;
  LLVMDisposeMessage(message);
  return status;
}

static void define(LLVMValueRef global, LLVMValueRef value) {
  LLVMSetInitializer(global, value);
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetVisibility(global, LLVMDefaultVisibility);
}

/// Gives the kernel its rules, as constants.
static bool set_rules(LLVMModuleRef module, const fmhac_work_rules *rules,
                      size_t count) {
  enum {
    OF_ONE = sizeof *rules / sizeof(uint32_t),
    WORDS = FMHAC_WORK_MOST_KERNELS * OF_ONE
  };
  uint32_t words[WORDS] = {0};
  if (!count || count > FMHAC_WORK_MOST_KERNELS)
    return false;
  memcpy(words, rules, count * sizeof *rules);
  LLVMValueRef global = LLVMGetNamedGlobal(module, rules_name);
  LLVMValueRef number = LLVMGetNamedGlobal(module, count_name);
  LLVMTypeRef type = global ? LLVMGlobalGetValueType(global) : NULL;
  if (!number || !type || LLVMGetTypeKind(type) != LLVMArrayTypeKind ||
      LLVMGetArrayLength2(type) != WORDS)
    return false;
  LLVMTypeRef word = LLVMGetElementType(type);
  LLVMValueRef values[WORDS];
  for (size_t i = 0; i < WORDS; ++i)
    values[i] = LLVMConstInt(word, words[i], 0);
  define(global, LLVMConstArray2(word, values, WORDS));
  define(number, LLVMConstInt(word, count, 0));
  return true;
}

/// Lets each call of a function become a copy of it.
static void put_in_line(LLVMValueRef function) {
  static const char never[] = "noinline", always[] = "alwaysinline";
  LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
  LLVMRemoveEnumAttributeAtIndex(
      function, LLVMAttributeFunctionIndex,
      LLVMGetEnumAttributeKindForName(never, sizeof never - 1));
  LLVMAddAttributeAtIndex(
      function, LLVMAttributeFunctionIndex,
      LLVMCreateEnumAttribute(
          context, LLVMGetEnumAttributeKindForName(always, sizeof always - 1),
          0));
}

/// Once more, now that the rules are known: of code for all masks, lengths and
/// ways to divide keys that for one is left. The build has run all of LLVM's
/// passes, so that here constants need to spread, once through calls and once
/// through what these leave: default<O2> takes four times as long, a fifth of a
/// compilation, for 1 % less code.
static fmhac_status optimise(struct fmhac_session *session,
                             LLVMModuleRef module) {
  static const char passes[] =
      "always-inline,ipsccp,globalopt,"
      "function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,"
      "simplifycfg,early-cse<memssa>,adce)";
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error =
      LLVMRunPasses(module, passes, session->target_machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return FMHAC_OK;
  char *message = LLVMGetErrorMessage(error);
  fmhac_status status = fail(session, "optimising it", message);
  LLVMDisposeErrorMessage(message);
  return status;
}

fmhac_status fmhac_translate_planner(struct fmhac_session *session,
                                     const fmhac_work_rules *rules,
                                     size_t count, const char *name,
                                     LLVMModuleRef module) {
  fmhac_session_begin(session);
  LLVMModuleRef planner;
  fmhac_status status = parse(session, LLVMGetModuleContext(module), &planner);
  LLVMValueRef kernel =
      status == FMHAC_OK ? LLVMGetNamedFunction(planner, kernel_name) : NULL;
  LLVMValueRef lists =
      status == FMHAC_OK ? LLVMGetNamedFunction(planner, lists_name) : NULL;
  if (status == FMHAC_OK &&
      (!kernel || !lists || !set_rules(planner, rules, count)))
    status = fmhac_fail(
        session->context, FMHAC_INTERNAL,
        "adding the planner's kernel: expected the functions %s and %s, the "
        "array %s and the number %s in its LLVM IR, and rules of 1 to %d "
        "kernels, found those of %zu",
        kernel_name, lists_name, rules_name, count_name,
        FMHAC_WORK_MOST_KERNELS, count);
  if (status == FMHAC_OK) {
    LLVMSetValueName2(kernel, name, strlen(name));
    put_in_line(lists);
    status = optimise(session, planner);
  }
  if (status != FMHAC_OK) {
    if (planner)
      LLVMDisposeModule(planner);
    return status;
  }
  // Linking takes the planner's module.
  return LLVMLinkModules2(module, planner)
             ? fail(session, "linking it", fmhac_session_errors(session))
             : FMHAC_OK;
}
