// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "translate.h"

#include <stdlib.h>
#include <string.h>

#include "mlir-c/Target/LLVMIR.h"
#include "llvm-c/Analysis.h"
#include "llvm-c/Core.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/Target.h"
#include "llvm-c/TargetMachine.h"

#include "fmhac_abi.h"

/// Address space of constants on amdgcn.
enum { CONSTANT_ADDRESS_SPACE = 4 };

static const char *const argument_names[] = {
#define FMHAC_ARG(type, name, group, doc) #name,
#include "fmhac_abi.def"
};

static void on_llvm_diagnostic(LLVMDiagnosticInfoRef info, void *user) {
  struct fmhac_session *session = user;
  char *text = LLVMGetDiagInfoDescription(info);
  switch (LLVMGetDiagInfoSeverity(info)) {
  case LLVMDSError:
    if (session->errors.length)
      fmhac_str_append(&session->errors, "\n");
    fmhac_str_append(&session->errors, text);
    break;
  case LLVMDSWarning: {
    fmhac_str line = {0};
    fmhac_str_appendf(&line, "LLVM: %s", text);
    fmhac_session_log(session, FMHAC_SEVERITY_WARNING,
                      line.text ? line.text : "LLVM");
    fmhac_str_deinit(&line);
    break;
  }
  case LLVMDSRemark: // LLVM's notes on its own passes: nothing was declined
    break;
  case LLVMDSNote: // of our passes
    fmhac_session_log(session, FMHAC_SEVERITY_REMARK, text);
    break;
  }
  LLVMDisposeMessage(text);
}

/// The kernels of the module get the names of the argument block; the metadata
/// of the code object takes them from there.
static fmhac_status name_arguments(struct fmhac_session *session,
                                   LLVMModuleRef module) {
  for (LLVMValueRef function = LLVMGetFirstFunction(module); function;
       function = LLVMGetNextFunction(function)) {
    if (LLVMIsDeclaration(function))
      continue;
    unsigned count = LLVMCountParams(function);
    if (count != FMHAC_ARG_COUNT)
      return fmhac_fail(session->context, FMHAC_INTERNAL,
                        "naming kernel arguments: expected %d, found %u",
                        (int)FMHAC_ARG_COUNT, count);
    for (unsigned i = 0; i < count; ++i)
      LLVMSetValueName2(LLVMGetParam(function, i), argument_names[i],
                        strlen(argument_names[i]));
  }
  return FMHAC_OK;
}

/// Nobody overrides a kernel. LLVM makes the symbol of the code protected in
/// any case, that of the descriptor, NAME.kd, only where the function is so
/// from the beginning, as clang has it for this target.
static void protect_kernels(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
       f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      LLVMSetVisibility(f, LLVMProtectedVisibility);
}

/// A constant in a section of its own, kept alive although nothing uses it. The
/// name makes it a note section for assembler and linker.
static void add_note(LLVMModuleRef module, const void *note,
                     size_t note_bytes) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMValueRef bytes = LLVMConstStringInContext2(context, note, note_bytes, 1);
  LLVMValueRef global = LLVMAddGlobalInAddressSpace(
      module, LLVMTypeOf(bytes), "fmhac.note", CONSTANT_ADDRESS_SPACE);
  LLVMSetInitializer(global, bytes);
  LLVMSetGlobalConstant(global, 1);
  LLVMSetLinkage(global, LLVMInternalLinkage);
  LLVMSetSection(global, ".note.fmhac");
  LLVMSetAlignment(global, 4);

  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  LLVMValueRef cast = LLVMConstAddrSpaceCast(global, pointer);
  LLVMValueRef list = LLVMConstArray2(pointer, &cast, 1);
  LLVMValueRef used =
      LLVMAddGlobal(module, LLVMTypeOf(list), "llvm.compiler.used");
  LLVMSetInitializer(used, list);
  LLVMSetLinkage(used, LLVMAppendingLinkage);
  LLVMSetSection(used, "llvm.metadata");
}

static void set_target(struct fmhac_session *session, LLVMModuleRef module) {
  LLVMSetTarget(module, FMHAC_TARGET_TRIPLE);
  LLVMTargetDataRef layout =
      LLVMCreateTargetDataLayout(session->target_machine);
  LLVMSetModuleDataLayout(module, layout);
  LLVMDisposeTargetData(layout);
}

static void set_module_properties(struct fmhac_session *session,
                                  LLVMModuleRef module) {
  set_target(session, module);
  LLVMContextRef context = LLVMGetModuleContext(module);
  const struct {
    const char *key;
    unsigned value;
    bool needed;
  } flags[] = {
      {"amdhsa_code_object_version", FMHAC_CODE_OBJECT_VERSION, true},
      // As clang has it for this target; else LLVM takes an older one.
      {"Dwarf Version", 5, LLVMGetNamedMetadata(module, "llvm.dbg.cu", 11)}};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; ++i)
    if (flags[i].needed)
      LLVMAddModuleFlag(
          module, LLVMModuleFlagBehaviorError, flags[i].key,
          strlen(flags[i].key),
          LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context),
                                           flags[i].value, 0)));
}

/// Gives the caller the result, or nothing after a failure.
static fmhac_status hand_over(fmhac_status status, LLVMContextRef context,
                              LLVMModuleRef module, LLVMContextRef *out_context,
                              LLVMModuleRef *out_module) {
  if (status == FMHAC_OK) {
    *out_context = context;
    *out_module = module;
    return FMHAC_OK;
  }
  if (module)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  return status;
}

fmhac_status fmhac_translate_module(struct fmhac_session *session,
                                    MlirModule module, const void *note,
                                    size_t note_bytes,
                                    LLVMContextRef *out_context,
                                    LLVMModuleRef *out_module) {
  *out_context = NULL;
  *out_module = NULL;
  fmhac_session_begin(session);
  fmhac_status status = FMHAC_OK;
  char *message = NULL;
  LLVMModuleRef llvm = NULL;
  LLVMContextRef context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(context, on_llvm_diagnostic, session);
  llvm = mlirTranslateModuleToLLVMIR(mlirModuleGetOperation(module), context);
  if (!llvm) {
    status =
        fmhac_fail(session->context, FMHAC_CODEGEN_FAILED,
                   "translating to LLVM IR: %s", fmhac_session_errors(session));
    goto out;
  }
  set_module_properties(session, llvm);
  status = name_arguments(session, llvm);
  if (status != FMHAC_OK)
    goto out;
  protect_kernels(llvm);
  add_note(llvm, note, note_bytes);
  // The translation does not verify, and invalid IR kills the process in
  // codegen.
  if (LLVMVerifyModule(llvm, LLVMReturnStatusAction, &message))
    status = fmhac_fail(session->context, FMHAC_CODEGEN_FAILED,
                        "verifying the LLVM IR: %s", message ? message : "");
out:
  LLVMDisposeMessage(message);
  return hand_over(status, context, llvm, out_context, out_module);
}

/// Another note instead of the one of a module, if it has one.
static void replace_note(LLVMModuleRef module, const void *note,
                         size_t note_bytes) {
  static const char *const names[] = {"llvm.compiler.used", "fmhac.note"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    LLVMValueRef global = LLVMGetNamedGlobal(module, names[i]);
    if (global)
      LLVMDeleteGlobal(global);
  }
  add_note(module, note, note_bytes);
}

/// Checks that a module defines the kernels and no other function.
static fmhac_status check_kernels(struct fmhac_session *session,
                                  const fmhac_rung_text *text,
                                  const char *const *kernels, size_t count,
                                  LLVMModuleRef module) {
  size_t found = 0;
  const char *other = NULL;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f;
       f = LLVMGetNextFunction(f)) {
    size_t length;
    if (LLVMIsDeclaration(f))
      continue;
    const char *name = LLVMGetValueName2(f, &length);
    if (!other && (found >= count || strcmp(name, kernels[found]) != 0))
      other = name;
    ++found;
  }
  if (found == count && !other)
    return FMHAC_OK;
  fmhac_str expected = {0};
  for (size_t i = 0; i < count; ++i)
    fmhac_str_appendf(&expected, "%s@%s", i ? ", " : "", kernels[i]);
  fmhac_status status = fmhac_fail(
      session->context, FMHAC_INVALID_INPUT,
      "%s: expected %zu function%s %s, as this configuration and its schedule "
      "have it, found %zu%s%s; give the options that the text was printed with",
      text->name, count, count == 1 ? "" : "s",
      expected.text ? expected.text : "", found, other ? ", among them @" : "",
      other ? other : "");
  fmhac_str_deinit(&expected);
  return status;
}

/// LLVM's text for malformed IR: "NAME:3:7: error: expected ...", and the line
/// with a mark under it.
static fmhac_status fail_parse(struct fmhac_session *session,
                               const fmhac_rung_text *text,
                               const char *message) {
  static const char mark[] = "error: ";
  const int place = (int)strcspn(message, "\n");
  const char *at = strstr(message, mark);
  const int before = at && at < message + place ? (int)(at - message) : 0;
  const int skip = before ? before + (int)sizeof mark - 1 : 0;
  return fmhac_fail(session->context, FMHAC_INVALID_INPUT, "%s%s%.*s%.*s",
                    before ? "" : text->name, before ? "" : ": ", before,
                    message, place - skip, message + skip);
}

/// Parses a text. The caller disposes the module, if there is one.
static fmhac_status parse_ir(struct fmhac_session *session,
                             const fmhac_rung_text *text,
                             LLVMContextRef context,
                             LLVMModuleRef *out_module) {
  *out_module = NULL;
  char *message = NULL;
  // Parsing takes the buffer.
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(
      text->text, text->length, text->name);
  fmhac_status status =
      LLVMParseIRInContext(context, buffer, out_module, &message)
          ? fail_parse(session, text, message ? message : "no LLVM IR")
          : FMHAC_OK;
  LLVMDisposeMessage(message);
  return status;
}

static fmhac_status verify_ir(struct fmhac_session *session,
                              const fmhac_rung_text *text,
                              LLVMModuleRef module) {
  char *message = NULL;
  fmhac_status status = FMHAC_OK;
  if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message)) {
    // One fault is one line.
    for (char *at = message; at && *at; ++at)
      *at = *at == '\n' ? ' ' : *at;
    status = fmhac_fail(session->context, FMHAC_INVALID_INPUT,
                        "%s: verifying the LLVM IR: %s", text->name,
                        message ? message : "");
  }
  LLVMDisposeMessage(message);
  return status;
}

static void ignore_diagnostic(LLVMDiagnosticInfoRef info, void *user) {
  (void)info;
  (void)user;
}

/// The parser verifies a module with debug information and ends the process if
/// that fails. So the text is verified before, as one whose debug information
/// has no version, which the parser leaves out.
static fmhac_status verify_text(struct fmhac_session *session,
                                const fmhac_rung_text *text) {
  static const char key[] = "\"Debug Info Version\"";
  static const char other[] = "\"Debug info version\"";
  char *copy = strndup(text->text, text->length);
  if (!copy)
    return fmhac_fail(session->context, FMHAC_OUT_OF_MEMORY,
                      "parsing LLVM IR: out of memory");
  for (char *at = copy; (at = strstr(at, key)); ++at)
    memcpy(at, other, sizeof other - 1);
  LLVMContextRef context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(context, ignore_diagnostic, NULL);
  LLVMModuleRef module;
  const fmhac_rung_text bare = {text->rung, text->name, copy, text->length};
  fmhac_status status = parse_ir(session, &bare, context, &module);
  if (status == FMHAC_OK)
    status = verify_ir(session, text, module);
  if (module)
    LLVMDisposeModule(module);
  LLVMContextDispose(context);
  free(copy);
  return status;
}

fmhac_status
fmhac_translate_text(struct fmhac_session *session, const fmhac_rung_text *text,
                     const char *const *kernels, size_t kernel_count,
                     const void *note, size_t note_bytes,
                     LLVMContextRef *out_context, LLVMModuleRef *out_module) {
  *out_context = NULL;
  *out_module = NULL;
  fmhac_session_begin(session);
  fmhac_status status = verify_text(session, text);
  if (status != FMHAC_OK)
    return status;
  LLVMModuleRef llvm;
  LLVMContextRef context = LLVMContextCreate();
  LLVMContextSetDiagnosticHandler(context, on_llvm_diagnostic, session);
  status = parse_ir(session, text, context, &llvm);
  if (status == FMHAC_OK)
    status = check_kernels(session, text, kernels, kernel_count, llvm);
  if (status == FMHAC_OK) {
    set_target(session, llvm);
    replace_note(llvm, note, note_bytes);
    status = verify_ir(session, text, llvm);
  }
  return hand_over(status, context, llvm, out_context, out_module);
}
