// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The planner as a kernel of a code object: one workgroup of it makes the lists
// of work_list.h from lengths on the device. Its source is that of the host's
// planner (lib/plan), which the build compiles to LLVM IR.
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
static const char rules_name[] = "fmhac_work_kernel_rules";

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

/// Gives the kernel its rules, as constants.
static bool set_rules(LLVMModuleRef module, const fmhac_work_rules *rules) {
  enum { WORDS = sizeof *rules / sizeof(uint32_t) };
  uint32_t words[WORDS];
  memcpy(words, rules, sizeof words);
  LLVMValueRef global = LLVMGetNamedGlobal(module, rules_name);
  LLVMTypeRef type = global ? LLVMGlobalGetValueType(global) : NULL;
  if (!type || LLVMGetTypeKind(type) != LLVMArrayTypeKind ||
      LLVMGetArrayLength2(type) != WORDS)
    return false;
  LLVMValueRef values[WORDS];
  for (size_t i = 0; i < WORDS; ++i)
    values[i] = LLVMConstInt(LLVMGetElementType(type), words[i], 0);
  LLVMSetInitializer(global,
                     LLVMConstArray2(LLVMGetElementType(type), values, WORDS));
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetVisibility(global, LLVMDefaultVisibility);
  return true;
}

/// Once more, now that the rules are known: of code for all masks, lengths and
/// ways to divide keys that for one is left.
static fmhac_status optimise(struct fmhac_session *session,
                             LLVMModuleRef module) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMPassBuilderOptionsSetLoopUnrolling(options, 0);
  LLVMErrorRef error =
      LLVMRunPasses(module, "default<O2>", session->target_machine, options);
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
                                     const char *name, LLVMModuleRef module) {
  fmhac_session_begin(session);
  LLVMModuleRef planner;
  fmhac_status status = parse(session, LLVMGetModuleContext(module), &planner);
  LLVMValueRef kernel =
      status == FMHAC_OK ? LLVMGetNamedFunction(planner, kernel_name) : NULL;
  if (status == FMHAC_OK && (!kernel || !set_rules(planner, rules)))
    status = fmhac_fail(session->context, FMHAC_INTERNAL,
                        "adding the planner's kernel: expected the function %s "
                        "and the array %s in its LLVM IR",
                        kernel_name, rules_name);
  if (status == FMHAC_OK) {
    LLVMSetValueName2(kernel, name, strlen(name));
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
