// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include <stdio.h>

#include "files.h"

static void print_diagnostic(void *user, fmhac_severity severity,
                             const char *text) {
  static const message_kind kinds[] = {
      [FMHAC_SEVERITY_ERROR] = MESSAGE_ERROR,
      [FMHAC_SEVERITY_WARNING] = MESSAGE_WARNING,
      [FMHAC_SEVERITY_REMARK] = MESSAGE_REMARK};
  report_message(user, kinds[severity], "%s", text);
}

int session_open_context(const report *r, session_options options,
                         session *out_session) {
  *out_session = (session){.r = r};
  const fmhac_context_options o = {.size = sizeof o,
                                   .log =
                                       options.quiet ? NULL : print_diagnostic,
                                   .log_user = (void *)(uintptr_t)r,
                                   .no_line_tables = options.no_line_tables,
                                   .no_audit = options.no_audit,
                                   .no_cache_directories = !options.use_cache};
  char why[ERROR_BYTES] = "";
  fmhac_status status = fmhac_context_create_from_environment(
      &o, why, sizeof why, &out_session->context);
  if (status == FMHAC_OK)
    return ARGS_CONTINUE;
  return why[0] ? report_error(r, exit_code_of(status), "%s", why)
                : report_error(r, exit_code_of(status),
                               "cannot start the compiler: %s",
                               fmhac_status_name(status));
}

int session_open(const args *a, const report *r, session_options options,
                 session *out_session) {
  int code = session_open_context(r, options, out_session);
  return code == ARGS_CONTINUE
             ? args_load_config(a, r, out_session->context,
                                &out_session->options, &out_session->config)
             : code;
}

void session_close(session *s) {
  fmhac_config_destroy(s->config);
  cJSON_Delete(s->options);
  fmhac_context_destroy(s->context);
  *s = (session){0};
}

int session_fail(const session *s, fmhac_status status) {
  const char *text = fmhac_last_error(s->context);
  return report_error(s->r, exit_code_of(status), "%s",
                      text[0] ? text : fmhac_status_name(status));
}

int session_require_support(const session *s) {
  fmhac_support support = {.size = sizeof support};
  fmhac_status status = fmhac_query(s->context, s->config, &support);
  if (status != FMHAC_OK)
    return session_fail(s, status);
  if (support.supported)
    return ARGS_CONTINUE;
  report_message(s->r, MESSAGE_ERROR, "unsupported: %s", support.reason);
  report_message(s->r, MESSAGE_NOTE, "nearest supported: %s", support.nearest);
  if (s->r->json) {
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "error", support.reason);
    cJSON_AddNumberToObject(object, "exit_code", EXIT_UNSUPPORTED);
    cJSON_AddStringToObject(object, "field", support.field);
    cJSON_AddItemToObject(object, "nearest", cJSON_Parse(support.nearest));
    return report_json(object, EXIT_UNSUPPORTED);
  }
  return EXIT_UNSUPPORTED;
}
