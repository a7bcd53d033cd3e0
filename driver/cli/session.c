// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session.h"

#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "fmhac_inspect.h"
#include "launch_when.h"

enum { SHOWN_DECLINED = 4 }; ///< remarks that are shown without -v

/// Whether the user gave a schedule, by name or as a file.
static bool names_schedule(const session *s) {
  const char *name = cJSON_GetStringValue(json_get(s->options, "schedule"));
  return name && strcmp(name, "auto") != 0;
}

/// A remark of the compiler. It becomes a note when it declines something of a
/// schedule that the user gave.
static void print_remark(session *s, const char *text) {
  if (s->r->verbose || !names_schedule(s) || !strstr(text, "declined: ")) {
    report_message(s->r, MESSAGE_REMARK, "%s", text);
    return;
  }
  ++s->declined;
  if (s->declined <= SHOWN_DECLINED)
    report_message(s->r, MESSAGE_NOTE, "%s", text);
  else if (s->declined == SHOWN_DECLINED + 1)
    report_message(s->r, MESSAGE_NOTE,
                   "more of the schedule is declined; -v shows everything");
}

static void print_diagnostic(void *user, fmhac_severity severity,
                             const char *text) {
  session *s = user;
  if (severity == FMHAC_SEVERITY_REMARK)
    print_remark(s, text);
  else
    report_message(s->r,
                   severity == FMHAC_SEVERITY_WARNING ? MESSAGE_WARNING
                                                      : MESSAGE_ERROR,
                   "%s", text);
}

int session_open_context(const report *r, session_options options,
                         session *out_session) {
  *out_session = (session){.r = r};
  const fmhac_context_options o = {.size = sizeof o,
                                   .log =
                                       options.quiet ? NULL : print_diagnostic,
                                   .log_user = out_session,
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

/// The remarks with which a cached kernel was compiled.
static void print_log(session *s, const fmhac_kernel *kernel) {
  static const char remark[] = "remark: ";
  size_t bytes;
  if (fmhac_kernel_get_text(kernel, "log", NULL, 0, &bytes) != FMHAC_OK)
    return;
  char *log = malloc(bytes), *rest = log;
  if (log &&
      fmhac_kernel_get_text(kernel, "log", log, bytes, &bytes) == FMHAC_OK)
    for (char *line; (line = strsep(&rest, "\n"));)
      if (strncmp(line, remark, sizeof remark - 1) == 0)
        print_remark(s, line + sizeof remark - 1);
  free(log);
}

int session_compile(session *s, fmhac_kernel **out_kernel) {
  fmhac_stats before = {.size = sizeof before}, now = {.size = sizeof now};
  fmhac_status status = fmhac_context_get_stats(s->context, &before);
  if (status == FMHAC_OK)
    status = fmhac_compile(s->context, s->config, out_kernel);
  if (status != FMHAC_OK)
    return session_fail(s, status);
  if (fmhac_context_get_stats(s->context, &now) == FMHAC_OK &&
      now.compiles == before.compiles)
    print_log(s, *out_kernel);
  return ARGS_CONTINUE;
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
    report_add_error(object, EXIT_UNSUPPORTED, support.reason);
    cJSON_AddStringToObject(object, "field", support.field);
    cJSON_AddItemToObject(object, "nearest", cJSON_Parse(support.nearest));
    return report_json(object, EXIT_UNSUPPORTED);
  }
  return EXIT_UNSUPPORTED;
}

int session_find_entry(const session *s, const fmhac_problem *problem,
                       fmhac_schedule_choice *out_choice) {
  fmhac_support support = {.size = sizeof support};
  fmhac_status status = fmhac_query(s->context, s->config, &support);
  if (status == FMHAC_OK && !support.entry_count)
    return report_error(s->r, EXIT_USAGE,
                        "expected the role attention, found another: compile "
                        "makes kernels of other roles, and programs launch "
                        "them (fmhac_merge.h)");
  const int64_t sizes[FMHAC_LAUNCH_NAMES] = FMHAC_LAUNCH_SIZES(problem);
  for (size_t i = 0; status == FMHAC_OK && i < support.entry_count; ++i) {
    status = fmhac_query_schedule(s->context, s->config, i, out_choice);
    const fmhac_when answer = status == FMHAC_OK
                                  ? fmhac_when_ask(out_choice->when, sizes)
                                  : FMHAC_WHEN_FAILS;
    if (answer == FMHAC_WHEN_HOLDS)
      return ARGS_CONTINUE;
    if (answer == FMHAC_WHEN_HAS_NO_VALUE)
      return report_error(s->r, EXIT_USAGE,
                          "expected the condition '%s' of schedule %s to have "
                          "a value, found " FMHAC_WHEN_NO_VALUE
                          ", for Sq = %u, Sk = %u, B = %u, Hq = %u, Hk = "
                          "%u; give another condition, or other sizes",
                          out_choice->when, out_choice->schedule,
                          problem->seqlen_q, problem->seqlen_kv, problem->batch,
                          problem->heads_q, problem->heads_kv);
  }
  if (status != FMHAC_OK)
    return session_fail(s, status);
  return report_error(s->r, EXIT_UNSUPPORTED,
                      "expected a schedule for B = %u, Hq = %u, Hk = %u, Sq = "
                      "%u, Sk = %u, found \"%s\"; add one without a condition",
                      problem->batch, problem->heads_q, problem->heads_kv,
                      problem->seqlen_q, problem->seqlen_kv, support.schedule);
}
