// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "linked_code.h"

#include <string.h>

#include "context.h"
#include "str.h"

#include "llvm-c/Error.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/Linker.h"
#include "llvm-c/Transforms/PassBuilder.h"

fmhac_status fmhac_linked_fail(struct fmhac_session *session,
                               const fmhac_linked_code *code, const char *step,
                               const char *why) {
  return fmhac_fail(session->context, FMHAC_CODEGEN_FAILED, "adding %s: %s: %s",
                    code->what, step, why ? why : "");
}

fmhac_status fmhac_linked_parse(struct fmhac_session *session,
                                const fmhac_linked_code *code,
                                LLVMContextRef context,
                                LLVMModuleRef *out_module) {
  *out_module = NULL;
  fmhac_str text = {0};
  for (size_t i = 0; i < code->count; ++i)
    fmhac_str_append(&text, code->lines[i]);
  if (text.failed)
    return fmhac_fail(session->context, FMHAC_OUT_OF_MEMORY,
                      "adding %s: out of memory", code->what);
  char *message = NULL;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
      text.text, text.length, code->what);
  fmhac_str_deinit(&text);
  // Parsing takes the buffer.
  fmhac_status status =
      LLVMParseIRInContext(context, buffer, out_module, &message)
          ? fmhac_linked_fail(session, code, "parsing its LLVM IR", message)
          : FMHAC_OK;
  LLVMDisposeMessage(message);
  return status;
}

bool fmhac_linked_define(LLVMModuleRef module, const char *name,
                         const uint32_t *words, size_t count) {
  enum { MOST = 256 };
  LLVMValueRef global = LLVMGetNamedGlobal(module, name), values[MOST];
  LLVMTypeRef type = global ? LLVMGlobalGetValueType(global) : NULL;
  if (!type || LLVMGetTypeKind(type) != LLVMArrayTypeKind || count > MOST ||
      LLVMGetArrayLength2(type) != count)
    return false;
  LLVMTypeRef word = LLVMGetElementType(type);
  for (size_t i = 0; i < count; ++i)
    values[i] = LLVMConstInt(word, words[i], 0);
  LLVMSetInitializer(global, LLVMConstArray2(word, values, count));
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetVisibility(global, LLVMDefaultVisibility);
  return true;
}

void fmhac_linked_put_in_line(LLVMValueRef function) {
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

fmhac_status fmhac_linked_run_passes(struct fmhac_session *session,
                                     const fmhac_linked_code *code,
                                     LLVMModuleRef module, const char *passes) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error =
      LLVMRunPasses(module, passes, session->target_machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return FMHAC_OK;
  char *message = LLVMGetErrorMessage(error);
  fmhac_status status =
      fmhac_linked_fail(session, code, "optimising it", message);
  LLVMDisposeErrorMessage(message);
  return status;
}

fmhac_status fmhac_linked_link(struct fmhac_session *session,
                               const fmhac_linked_code *code,
                               LLVMModuleRef linked, LLVMModuleRef module) {
  // Linking takes the module.
  return LLVMLinkModules2(module, linked)
             ? fmhac_linked_fail(session, code, "linking it",
                                 fmhac_session_errors(session))
             : FMHAC_OK;
}
