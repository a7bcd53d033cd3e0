// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rung_text.h"

#include "mlir-c/BuiltinAttributes.h"

#include "fmha_dialect_c.h"
#include "fmhac_abi.h"
#include "fmhac_inspect.h"

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

/// The ops that become code, in order: at most `most`, the rest of `out_ops`
/// null. Returns how many there are. Other ops of a module belong to these:
/// LDS, functions of scores, declarations.
static size_t find_kernels(MlirModule module, MlirOperation *out_ops,
                           size_t most) {
  size_t count = 0;
  for (size_t i = 0; i < most; ++i)
    out_ops[i] = (MlirOperation){NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(mlirModuleGetBody(module));
       !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (!is_op(op, "fmha.attention") && !is_op(op, "fmha.kernel") &&
        !is_op(op, "fmha.combine") && !(is_op(op, "llvm.func") && has_body(op)))
      continue;
    if (count < most)
      out_ops[count] = op;
    ++count;
  }
  return count;
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
                          MlirModule module,
                          MlirAttribute out_schedules[FMHAC_MOST_ENTRIES]) {
  MlirOperation ops[FMHAC_MOST_ENTRIES];
  const size_t found = find_kernels(module, ops, FMHAC_MOST_ENTRIES);
  if (found != expected->count)
    return fmhac_fail(session->context, FMHAC_INVALID_INPUT,
                      "%s: expected %zu kernel%s at rung %s, found %zu",
                      text->name, expected->count,
                      expected->count == 1 ? "" : "s",
                      fmhac_rung_name(text->rung), found);
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < found && status == FMHAC_OK; ++i) {
    status = check_name(session, text, expected->kernels[i], ops[i]);
    if (status == FMHAC_OK)
      status = check_problem(session, text, expected->problems[i], ops[i]);
    if (status == FMHAC_OK && !is_op(ops[i], "llvm.func"))
      out_schedules[i] = attribute_of(ops[i], "schedule");
  }
  return status;
}

fmhac_status fmhac_rung_text_parse(
    struct fmhac_session *session, const fmhac_rung_text *text,
    const fmhac_rung_expectation *expected, MlirModule *out_module,
    MlirAttribute out_schedules[FMHAC_MOST_ENTRIES]) {
  for (size_t i = 0; i < FMHAC_MOST_ENTRIES; ++i)
    out_schedules[i] = (MlirAttribute){NULL};
  fmhac_session_begin(session);
  *out_module = fmhaModuleParse(session->mlir,
                                mlirStringRefCreate(text->text, text->length),
                                mlirStringRefCreateFromCString(text->name));
  if (mlirModuleIsNull(*out_module))
    return fmhac_fail(session->context, FMHAC_INVALID_INPUT, "%s",
                      fmhac_session_errors(session));
  return check(session, text, expected, *out_module, out_schedules);
}
