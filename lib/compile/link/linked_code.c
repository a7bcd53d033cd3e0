// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "linked_code.h"

#include <string.h>

#include "context.h"
#include "str.h"

#include "llvm-c/Error.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/Linker.h"
#include "llvm-c/Transforms/PassBuilder.h"

static fmhac_status fail(struct fmhac_session *session,
                         const fmhac_linked_code *code, const char *step,
                         const char *why) {
  return fmhac_fail(session->context, FMHAC_CODEGEN_FAILED, "adding %s: %s: %s",
                    code->what, step, why ? why : "");
}

/// Parses it in the context of another module; the caller disposes of
/// `out_module`, which is null on failure.
static fmhac_status parse(struct fmhac_session *session,
                          const fmhac_linked_code *code, LLVMContextRef context,
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
          ? fail(session, code, "parsing its LLVM IR", message)
          : FMHAC_OK;
  LLVMDisposeMessage(message);
  return status;
}

/// Makes an array of the code a constant.
static bool define(LLVMModuleRef module, const fmhac_linked_array *array) {
  enum { MOST = 256 };
  LLVMValueRef global = LLVMGetNamedGlobal(module, array->name), values[MOST];
  LLVMTypeRef type = global ? LLVMGlobalGetValueType(global) : NULL;
  if (!type || LLVMGetTypeKind(type) != LLVMArrayTypeKind ||
      array->count > MOST || LLVMGetArrayLength2(type) != array->count)
    return false;
  LLVMTypeRef word = LLVMGetElementType(type);
  for (size_t i = 0; i < array->count; ++i)
    values[i] = LLVMConstInt(word, array->words[i], 0);
  LLVMSetInitializer(global, LLVMConstArray2(word, values, array->count));
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetVisibility(global, LLVMDefaultVisibility);
  return true;
}

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

/// Names a function, and puts it in line.
static bool prepare(LLVMModuleRef module, const fmhac_linked_function *f) {
  LLVMValueRef function = LLVMGetNamedFunction(module, f->name);
  if (!function)
    return false;
  if (f->as)
    LLVMSetValueName2(function, f->as, strlen(f->as));
  if (f->in_line)
    put_in_line(function);
  return true;
}

static fmhac_status run_passes(struct fmhac_session *session,
                               const fmhac_linked_code *code,
                               LLVMModuleRef module, const char *passes) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error =
      LLVMRunPasses(module, passes, session->target_machine, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return FMHAC_OK;
  char *message = LLVMGetErrorMessage(error);
  fmhac_status status = fail(session, code, "optimising it", message);
  LLVMDisposeErrorMessage(message);
  return status;
}

fmhac_status fmhac_linked_add(struct fmhac_session *session,
                              const fmhac_linked_code *code,
                              const fmhac_linked_array *arrays,
                              size_t array_count,
                              const fmhac_linked_function *functions,
                              size_t function_count, LLVMModuleRef module) {
  LLVMModuleRef own;
  fmhac_status status =
      parse(session, code, LLVMGetModuleContext(module), &own);
  const char *lacks = NULL;
  for (size_t i = 0; i < array_count && status == FMHAC_OK; ++i)
    lacks = define(own, &arrays[i]) ? lacks : arrays[i].name;
  for (size_t i = 0; i < function_count && status == FMHAC_OK; ++i)
    lacks = prepare(own, &functions[i]) ? lacks : functions[i].name;
  if (lacks)
    status = fmhac_fail(session->context, FMHAC_INTERNAL,
                        "adding %s: expected the function %s, or an array of "
                        "that name of as many words, in its LLVM IR",
                        code->what, lacks);
  if (status == FMHAC_OK)
    status = run_passes(session, code, own, code->passes);
  if (status != FMHAC_OK) {
    if (own)
      LLVMDisposeModule(own);
    return status;
  }
  // Linking takes the code's module.
  if (LLVMLinkModules2(module, own))
    return fail(session, code, "linking it", fmhac_session_errors(session));
  if (!code->passes_after)
    return FMHAC_OK;
  for (size_t i = 0; i < function_count; ++i) {
    LLVMValueRef function = LLVMGetNamedFunction(
        module, functions[i].as ? functions[i].as : functions[i].name);
    if (function) // without calls it is gone
      LLVMSetLinkage(function, LLVMInternalLinkage);
  }
  return run_passes(session, code, module, code->passes_after);
}
