// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rung_text.h"

#include "mlir-c/BuiltinAttributes.h"

#include "fmha_dialect_c.h"
#include "fmhac_abi.h"
#include "fmhac_inspect.h"

/// The op that holds a kernel, and its facts about the kernel.
typedef struct found_kernel {
  MlirOperation op; ///< the first
  size_t count;
} found_kernel;

static bool is_op(MlirOperation op, const char *name) {
  MlirStringRef found = mlirIdentifierStr(mlirOperationGetName(op));
  return mlirStringRefEqual(found, mlirStringRefCreateFromCString(name));
}

static MlirAttribute attribute_of(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op,
                                         mlirStringRefCreateFromCString(name));
}

static bool has_body(MlirOperation op) {
  return mlirOperationGetNumRegions(op) > 0 &&
         !mlirBlockIsNull(
             mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
}

/// The ops that become code. Other ops of a module belong to them: LDS,
/// functions of scores, declarations.
static found_kernel find_kernel(MlirModule module) {
  found_kernel found = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!is_op(op, "fmha.attention") && !is_op(op, "fmha.kernel") &&
        !(is_op(op, "llvm.func") && has_body(op)))
      continue;
    if (found.count++ == 0)
      found.op = op;
  }
  return found;
}

static fmhac_status check_name(struct fmhac_session *session,
                               const fmhac_rung_text *text,
                               const char *expected, MlirOperation op) {
  MlirAttribute attribute = attribute_of(op, "sym_name");
  MlirStringRef name = mlirStringRefCreate("", 0);
  if (!mlirAttributeIsNull(attribute) && mlirAttributeIsAString(attribute))
    name = mlirStringAttrGetValue(attribute);
  if (mlirStringRefEqual(name, mlirStringRefCreateFromCString(expected)))
    return FMHAC_OK;
  return fmhac_fail(session->context, FMHAC_INVALID_INPUT,
                    "%s: expected kernel @%s, as this configuration and its "
                    "schedule have it, found @%.*s; give the options that the "
                    "text was printed with",
                    text->name, expected, (int)name.length, name.data);
}

/// The arguments of a launch go to the block, or to the function.
static fmhac_status check_problem(struct fmhac_session *session,
                                  const fmhac_rung_text *text,
                                  MlirAttribute expected, MlirOperation op) {
  fmhac_context *context = session->context;
  if (is_op(op, "llvm.func")) {
    const long long count = mlirBlockGetNumArguments(
        mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0)));
    return count == FMHAC_ARG_COUNT
               ? FMHAC_OK
               : fmhac_fail(context, FMHAC_INVALID_INPUT,
                            "%s: expected a kernel of %d arguments, found %lld",
                            text->name, (int)FMHAC_ARG_COUNT, count);
  }
  MlirAttribute found = attribute_of(op, "problem");
  if (mlirAttributeEqual(found, expected))
    return FMHAC_OK;
  fmhac_str want = {0}, have = {0};
  mlirAttributePrint(expected, fmhac_append_string_ref, &want);
  if (!mlirAttributeIsNull(found))
    mlirAttributePrint(found, fmhac_append_string_ref, &have);
  fmhac_status status = fmhac_fail(
      context, FMHAC_INVALID_INPUT,
      "%s: expected %s, as the configuration has it, found %s", text->name,
      want.text ? want.text : "", have.text ? have.text : "none");
  fmhac_str_deinit(&want);
  fmhac_str_deinit(&have);
  return status;
}

static fmhac_status check(struct fmhac_session *session,
                          const fmhac_rung_text *text,
                          const fmhac_rung_expectation *expected,
                          MlirModule module, MlirAttribute *out_schedule) {
  const found_kernel found = find_kernel(module);
  if (found.count != 1)
    return fmhac_fail(session->context, FMHAC_INVALID_INPUT,
                      "%s: expected one kernel at rung %s, found %zu",
                      text->name, fmhac_rung_name(text->rung), found.count);
  fmhac_status status = check_name(session, text, expected->kernel, found.op);
  if (status == FMHAC_OK)
    status = check_problem(session, text, expected->problem, found.op);
  if (status == FMHAC_OK && !is_op(found.op, "llvm.func"))
    *out_schedule = attribute_of(found.op, "schedule");
  return status;
}

fmhac_status fmhac_rung_text_parse(struct fmhac_session *session,
                                   const fmhac_rung_text *text,
                                   const fmhac_rung_expectation *expected,
                                   MlirModule *out_module,
                                   MlirAttribute *out_schedule) {
  *out_schedule = (MlirAttribute){NULL};
  fmhac_session_begin(session);
  *out_module = fmhaModuleParse(session->mlir,
                                mlirStringRefCreate(text->text, text->length),
                                mlirStringRefCreateFromCString(text->name));
  if (mlirModuleIsNull(*out_module))
    return fmhac_fail(session->context, FMHAC_INVALID_INPUT, "%s",
                      fmhac_session_errors(session));
  return check(session, text, expected, *out_module, out_schedule);
}
