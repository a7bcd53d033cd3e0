// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"
#include "compiler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "mlir-c/Conversion.h"
#include "mlir-c/Diagnostics.h"
#include "mlir-c/Transforms.h"
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

#include "fmha_passes_c.h"

// MLIR keeps one registry of passes a process, from which pipelines are parsed,
// and LLVM one of targets.
static pthread_once_t once = PTHREAD_ONCE_INIT;

#define FMHA_CODEGEN_LEVEL(level)                                              \
  static const LLVMCodeGenOptLevel codegen_level = level;
#include "fmha_codegen.def"

/// The target itself is registered already (load.c); what only code generation
/// needs is added. Of MLIR's passes those of pipeline.def: the others do not
/// become part of this object.
static void register_all(void) {
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser();
  fmhaRegisterPasses();
  mlirRegisterTransformsCanonicalizer();
  mlirRegisterTransformsCSE();
  mlirRegisterTransformsLoopInvariantCodeMotion();
  mlirRegisterConversionConvertAMDGPUToROCDLPass();
  mlirRegisterConversionSCFToControlFlowPass();
  mlirRegisterConversionConvertVectorToLLVMPass();
  mlirRegisterConversionConvertToLLVMPass();
  mlirRegisterConversionReconcileUnrealizedCastsPass();
}

void fmhac_append_string_ref(MlirStringRef text, void *user) {
  fmhac_str_append_bytes(user, text.data, text.length);
}

/// "FILE:LINE:COLUMN: TEXT" and its notes; the location only if it has a file.
static void print_diagnostic(MlirDiagnostic diagnostic, fmhac_str *out) {
  MlirLocation location = mlirDiagnosticGetLocation(diagnostic);
  if (mlirLocationIsAFileLineColRange(location)) {
    MlirStringRef file =
        mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(location));
    fmhac_str_append_bytes(out, file.data, file.length);
    fmhac_str_appendf(
        out, ":%d:%d: ", mlirLocationFileLineColRangeGetStartLine(location),
        mlirLocationFileLineColRangeGetStartColumn(location));
  }
  size_t start = out->length;
  mlirDiagnosticPrint(diagnostic, fmhac_append_string_ref, out);
  // One diagnostic is one line, also where it quotes several.
  for (size_t i = start; i < out->length; ++i)
    if (out->text[i] == '\n')
      out->text[i] = ' ';
  for (intptr_t i = 0; i < mlirDiagnosticGetNumNotes(diagnostic); ++i) {
    fmhac_str_append(out, "; note: ");
    print_diagnostic(mlirDiagnosticGetNote(diagnostic, i), out);
  }
}

static MlirLogicalResult on_diagnostic(MlirDiagnostic diagnostic, void *user) {
  struct fmhac_session *session = user;
  fmhac_str text = {0};
  print_diagnostic(diagnostic, &text);
  const char *message = text.text ? text.text : "";
  switch (mlirDiagnosticGetSeverity(diagnostic)) {
  case MlirDiagnosticError:
    if (session->errors.length)
      fmhac_str_append(&session->errors, "\n");
    fmhac_str_append(&session->errors, message);
    break;
  case MlirDiagnosticWarning:
    fmhac_session_log(session, FMHAC_SEVERITY_WARNING, message);
    break;
  case MlirDiagnosticRemark:
  case MlirDiagnosticNote:
    fmhac_session_log(session, FMHAC_SEVERITY_REMARK, message);
    break;
  }
  fmhac_str_deinit(&text);
  return mlirLogicalResultSuccess();
}

static fmhac_status create_target_machine(struct fmhac_session *session) {
  LLVMTargetRef target = NULL;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(FMHAC_TARGET_TRIPLE, &target, &message)) {
    fmhac_status status = fmhac_fail(
        session->context, FMHAC_INTERNAL,
        "looking up the LLVM target: expected one for '%s', found none (%s)",
        FMHAC_TARGET_TRIPLE, message ? message : "no reason given");
    LLVMDisposeMessage(message);
    return status;
  }
  session->target_machine = LLVMCreateTargetMachine(
      target, FMHAC_TARGET_TRIPLE, FMHAC_TARGET_CHIP, "", codegen_level,
      LLVMRelocPIC, LLVMCodeModelDefault);
  if (!session->target_machine)
    return fmhac_fail(session->context, FMHAC_INTERNAL,
                      "creating the LLVM target machine for '%s' failed",
                      FMHAC_TARGET_CHIP);
  return FMHAC_OK;
}

static fmhac_status create(fmhac_context *context) {
  pthread_once(&once, register_all);
  struct fmhac_session *session = calloc(1, sizeof *session);
  if (!session)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "starting the compiler: out of memory");
  session->context = context;
  context->compiler->session = session;
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  fmhaRegisterDialects(registry);
  session->mlir = mlirContextCreateWithRegistry(registry, false);
  mlirDialectRegistryDestroy(registry);
  if (mlirContextIsNull(session->mlir))
    return fmhac_fail(context, FMHAC_INTERNAL,
                      "creating the MLIR context failed");
  fmhaContextConfigure(session->mlir);
  // convert-to-llvm asks for them by name, also where a text that somebody goes
  // on from has nothing of them.
  static const char *const converted[] = {"math", "arith", "cf"};
  for (size_t i = 0; i < sizeof converted / sizeof converted[0]; ++i)
    if (mlirDialectIsNull(mlirContextGetOrLoadDialect(
            session->mlir, mlirStringRefCreateFromCString(converted[i]))))
      return fmhac_fail(context, FMHAC_INTERNAL,
                        "loading MLIR's dialect '%s' failed", converted[i]);
  mlirContextAttachDiagnosticHandler(session->mlir, on_diagnostic, session,
                                     NULL);
  return create_target_machine(session);
}

fmhac_status fmhac_session_get(fmhac_context *context) {
  if (context->compiler->session)
    return FMHAC_OK;
  fmhac_status status = create(context);
  if (status != FMHAC_OK)
    fmhac_session_destroy(context); // half of one is none
  return status;
}

void fmhac_session_destroy(fmhac_context *context) {
  struct fmhac_session *session = context->compiler->session;
  if (!session)
    return;
  if (session->target_machine)
    LLVMDisposeTargetMachine(session->target_machine);
  if (!mlirContextIsNull(session->mlir))
    mlirContextDestroy(session->mlir);
  fmhac_str_deinit(&session->errors);
  fmhac_str_deinit(&session->log);
  free(session);
  context->compiler->session = NULL;
}

void fmhac_session_log(struct fmhac_session *session, fmhac_severity severity,
                       const char *text) {
  fmhac_str_appendf(&session->log, "%s: %s\n",
                    severity == FMHAC_SEVERITY_REMARK ? "remark" : "warning",
                    text);
  fmhac_log(session->context, severity, "%s", text);
}

void fmhac_session_begin(struct fmhac_session *session) {
  fmhac_str_deinit(&session->errors);
  memset(&session->errors, 0, sizeof session->errors);
}

const char *fmhac_session_errors(const struct fmhac_session *session) {
  return session->errors.text ? session->errors.text : "";
}
