// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The public calls on schedules, which the compiler parses and changes.
#include "choose.h"
#include "fmhac_inspect.h"
#include "fmhac_schedule.h"
#include "load.h"
#include "require.h"

fmhac_status fmhac_schedule_get_tile(fmhac_context *context, const char *text,
                                     const char *name, int64_t *out_rows,
                                     int64_t *out_keys) {
  FMHAC_CLEAR(out_rows);
  FMHAC_CLEAR(out_keys);
  const fmhac_compiler_face *compiler = NULL;
  fmhac_status status = FMHAC_REQUIRE(
      context, FMHAC_GIVEN(context), FMHAC_GIVEN(text), FMHAC_GIVEN(name),
      FMHAC_GIVEN(out_rows), FMHAC_GIVEN(out_keys));
  if (status == FMHAC_OK)
    status = fmhac_compiler_enter(context, &compiler);
  if (status != FMHAC_OK)
    return status;
  status = compiler->schedule_get_tile(context, text, name, out_rows, out_keys);
  fmhac_compiler_leave(context);
  return status;
}

fmhac_status fmhac_schedule_expand(fmhac_context *context, const char *text,
                                   const char *name, char **out_text) {
  FMHAC_CLEAR(out_text);
  const fmhac_compiler_face *compiler = NULL;
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_GIVEN(text),
                    FMHAC_GIVEN(name), FMHAC_GIVEN(out_text));
  if (status == FMHAC_OK)
    status = fmhac_compiler_enter(context, &compiler);
  if (status != FMHAC_OK)
    return status;
  status = compiler->schedule_expand(context, text, name, out_text);
  fmhac_compiler_leave(context);
  return status;
}

fmhac_status fmhac_schedule_visit_knobs(
    fmhac_context *context, const char *text,
    void (*visit)(void *user, const fmhac_schedule_knob *knob), void *user) {
  const fmhac_compiler_face *compiler = NULL;
  fmhac_status status = FMHAC_REQUIRE(context, FMHAC_GIVEN(context),
                                      FMHAC_GIVEN(text), FMHAC_GIVEN(visit));
  if (status == FMHAC_OK)
    status = fmhac_compiler_enter(context, &compiler);
  if (status != FMHAC_OK)
    return status;
  status = compiler->schedule_visit_knobs(context, text, visit, user);
  fmhac_compiler_leave(context);
  return status;
}

fmhac_status fmhac_schedule_change(fmhac_context *context, const char *text,
                                   const char *new_name,
                                   const fmhac_schedule_setting *settings,
                                   size_t count, char **out_text) {
  FMHAC_CLEAR(out_text);
  const fmhac_compiler_face *compiler = NULL;
  fmhac_status status = FMHAC_REQUIRE(
      context, FMHAC_GIVEN(context), FMHAC_GIVEN(text), FMHAC_GIVEN(new_name),
      {"settings", settings || !count, NULL}, FMHAC_GIVEN(out_text));
  for (size_t i = 0; status == FMHAC_OK && i < count; ++i)
    status = FMHAC_REQUIRE(context, FMHAC_GIVEN(settings[i].name));
  if (status == FMHAC_OK)
    status = fmhac_compiler_enter(context, &compiler);
  if (status != FMHAC_OK)
    return status;
  status = compiler->schedule_change(context, text, new_name, settings, count,
                                     out_text);
  fmhac_compiler_leave(context);
  return status;
}

fmhac_status fmhac_schedule_describe(fmhac_context *context,
                                     const fmhac_config *config,
                                     char **out_json) {
  FMHAC_CLEAR(out_json);
  fmhac_status status =
      FMHAC_REQUIRE(context, FMHAC_GIVEN(context), FMHAC_OWNED(config),
                    FMHAC_GIVEN(out_json));
  fmhac_sources sources = {0};
  fmhac_choice choice = {.count = 0};
  fmhac_str whole = {0}; // the parser wants an end
  void *text = NULL;
  size_t bytes;
  if (status == FMHAC_OK)
    status = fmhac_emit(context, config, "pipelined", &text, &bytes);
  if (status == FMHAC_OK)
    status = fmhac_sources_read(context, config, &sources);
  if (status == FMHAC_OK)
    status = fmhac_choose(context, config, &sources, &choice);
  if (status == FMHAC_OK)
    fmhac_str_append_bytes(&whole, text, bytes);
  if (whole.failed)
    status = fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                        "describing a schedule: out of memory");
  const fmhac_compiler_face *compiler = NULL;
  if (status == FMHAC_OK)
    status = fmhac_compiler_enter(context, &compiler);
  if (status == FMHAC_OK) {
    status =
        compiler->schedule_describe(context, &choice, whole.text, out_json);
    fmhac_compiler_leave(context);
  }
  fmhac_free(text);
  fmhac_str_deinit(&whole);
  fmhac_choice_deinit(&choice);
  fmhac_sources_deinit(&sources);
  return status;
}
