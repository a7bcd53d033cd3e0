// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the functions of the device headers answer where a pointer is NULL: each
// function, with each of its pointers NULL in turn, in a process of its own.
// test_null FOLDER.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_test.h"
#include "fmhac_disasm.h"
#include "fmhac_emu.h"
#include "fmhac_timing.h"

// Objects that are in order.
static blob g_linear;
static fmhac_rt_device *g_device;
static fmhac_rt_module *g_module;
static void *g_stream;
static uint64_t g_memory;
static fmhac_emu_survey *g_survey;
static fmhac_emu_audit *g_audit;
static fmhac_timing_survey *g_costs;
static fmhac_rt_event *g_event;
static fmhac_disasm *g_disasm;

/// What a row of the table says.
typedef struct row {
  const char *call; ///< NULL: past the end
  /// Of a call that returns a status: it is INVALID_INPUT. If it has a text, of
  /// the device or in a buffer, then this is in it.
  const char *argument;
  bool ok; ///< the call answered as it should
} row;

static char g_text[256];

static bool refused(fmhac_status status) {
  return status == FMHAC_INVALID_INPUT;
}
static bool none(void) { return true; } // a call that returns nothing

/// Makes the call of row `n`.
static row run(int n) {
  int at = 0;
  char text[256];
  uint64_t address, pc;
  uint32_t ids[1][3] = {{0}};
  bool capturing;
  double seconds;
  fmhac_rt_event *event;
  const char *listing;
  fmhac_rt_device *device;
  fmhac_rt_module *module;
  fmhac_rt_device_info info = {.size = sizeof info};
  fmhac_rt_launch launch = launch_of(NULL, 0, 1, NULL);
  fmhac_rt_launch no_kernarg = launch_of(NULL, 4, 1, NULL);
  fmhac_emu_options options;
  fmhac_emu_buffer buffer = {.size = sizeof buffer, .name = "b", .bytes = 4};
  fmhac_emu_buffer no_name = {.size = sizeof buffer, .bytes = 4};
  fmhac_emu_tensor tensor = {.size = sizeof tensor};
  fmhac_emu_finding finding = {.size = sizeof finding};
  fmhac_emu_source_location place = {.size = sizeof place};
  fmhac_emu_stats stats = {.size = sizeof stats};
  fmhac_emu_survey *survey;
  fmhac_emu_usage usage = {.size = sizeof usage};
  fmhac_emu_audit *audit;
  fmhac_emu_audit_finding audit_finding = {.size = sizeof audit_finding};
  fmhac_emu_audit_note note = {.size = sizeof note};
  fmhac_emu_audit_stats audit_stats = {.size = sizeof audit_stats};
  fmhac_timing_workgroup workgroup = {.size = sizeof workgroup};
  fmhac_timing_grid grid = {.size = sizeof grid};
  fmhac_timing_event timing_event = {.size = sizeof timing_event};
  fmhac_timing_survey *costs;
  fmhac_timing_cost cost = {.size = sizeof cost};
  char bytes[4] = {0};
  const void *code = g_linear.bytes;
  const size_t size = g_linear.size;
  fmhac_emu_options_init(&options);
  g_text[0] = 0;

// A call that returns a status, with the device or buffer that has its text; a
// call that returns something else; and one that returns nothing.
#define REFUSED(argument, ...)                                                 \
  if (at++ == n)                                                               \
    return (row) { #__VA_ARGS__, argument, refused(__VA_ARGS__) }
#define EMPTY(...)                                                             \
  if (at++ == n)                                                               \
    return (row) { #__VA_ARGS__, NULL, __VA_ARGS__ }
#define NOTHING(...)                                                           \
  if (at++ == n)                                                               \
    return (row) { #__VA_ARGS__, NULL, ((__VA_ARGS__), none()) }

  // fmhac_rt.h
  REFUSED(NULL, fmhac_rt_device_open(NULL, &device));
  REFUSED(NULL, fmhac_rt_device_open("emu", NULL));
  REFUSED("(null)",
          fmhac_rt_device_open_with_text(NULL, g_text, sizeof g_text, &device));
  REFUSED("out_device",
          fmhac_rt_device_open_with_text("emu", g_text, sizeof g_text, NULL));
  NOTHING(fmhac_rt_device_close(NULL));
  EMPTY(strcmp(fmhac_rt_last_error(NULL), "") == 0);
  REFUSED(NULL, fmhac_rt_device_get_info(NULL, &info));
  REFUSED("out_info", fmhac_rt_device_get_info(g_device, NULL));
  REFUSED(NULL, fmhac_rt_alloc(NULL, 4, &address));
  REFUSED("out_address", fmhac_rt_alloc(g_device, 4, NULL));
  REFUSED(NULL, fmhac_rt_free(NULL, g_memory));
  REFUSED(NULL, fmhac_rt_copy_in(NULL, g_memory, bytes, 4));
  REFUSED("host", fmhac_rt_copy_in(g_device, g_memory, NULL, 4));
  REFUSED(NULL, fmhac_rt_copy_out(NULL, g_memory, bytes, 4));
  REFUSED("host", fmhac_rt_copy_out(g_device, g_memory, NULL, 4));
  REFUSED(NULL, fmhac_rt_copy_in_async(NULL, g_memory, bytes, 4, NULL));
  REFUSED("host", fmhac_rt_copy_in_async(g_device, g_memory, NULL, 4, NULL));
  REFUSED(NULL, fmhac_rt_copy_out_async(NULL, g_memory, bytes, 4, NULL));
  REFUSED("host", fmhac_rt_copy_out_async(g_device, g_memory, NULL, 4, NULL));
  REFUSED(NULL, fmhac_rt_copy(NULL, g_memory, g_memory + 4, 4));
  REFUSED(NULL, fmhac_rt_copy_async(NULL, g_memory, g_memory + 4, 4, NULL));
  REFUSED(NULL, fmhac_rt_fill(NULL, g_memory, 1, 4));
  REFUSED(NULL, fmhac_rt_fill_async(NULL, g_memory, 1, 4, NULL));
  REFUSED(NULL, fmhac_rt_module_load(NULL, code, size, &module));
  REFUSED("no bytes", fmhac_rt_module_load(g_device, NULL, size, &module));
  REFUSED("out_module", fmhac_rt_module_load(g_device, code, size, NULL));
  NOTHING(fmhac_rt_module_unload(NULL, g_module));
  NOTHING(fmhac_rt_module_unload(g_device, NULL));
  REFUSED(NULL, fmhac_rt_stream_create(NULL, &g_stream));
  REFUSED("out_stream", fmhac_rt_stream_create(g_device, NULL));
  REFUSED(NULL, fmhac_rt_stream_destroy(NULL, g_stream));
  EMPTY(fmhac_rt_stream_destroy(g_device, NULL) == FMHAC_OK);
  REFUSED(NULL, fmhac_rt_stream_synchronize(NULL, g_stream));
  REFUSED(NULL, fmhac_rt_stream_is_capturing(NULL, g_stream, &capturing));
  REFUSED("out_capturing",
          fmhac_rt_stream_is_capturing(g_device, g_stream, NULL));
  REFUSED(NULL, fmhac_rt_launch_kernel(NULL, g_module, &launch));
  REFUSED("module", fmhac_rt_launch_kernel(g_device, NULL, &launch));
  REFUSED("fmhac_rt_launch", fmhac_rt_launch_kernel(g_device, g_module, NULL));
  REFUSED("none given",
          fmhac_rt_launch_kernel(g_device, g_module, &no_kernarg));
  REFUSED(NULL, fmhac_rt_synchronize(NULL));
  REFUSED(NULL, fmhac_rt_event_create(NULL, &event));
  REFUSED("out_event", fmhac_rt_event_create(g_device, NULL));
  REFUSED(NULL, fmhac_rt_event_destroy(NULL, g_event));
  EMPTY(fmhac_rt_event_destroy(g_device, NULL) == FMHAC_OK);
  REFUSED(NULL, fmhac_rt_event_record(NULL, g_event, NULL));
  REFUSED("event", fmhac_rt_event_record(g_device, NULL, NULL));
  REFUSED(NULL, fmhac_rt_stream_wait_event(NULL, NULL, g_event));
  REFUSED("event", fmhac_rt_stream_wait_event(g_device, NULL, NULL));
  REFUSED(NULL, fmhac_rt_event_synchronize(NULL, g_event));
  REFUSED("event", fmhac_rt_event_synchronize(g_device, NULL));
  REFUSED(NULL, fmhac_rt_event_elapsed(NULL, g_event, g_event, &seconds));
  REFUSED("start", fmhac_rt_event_elapsed(g_device, NULL, g_event, &seconds));
  REFUSED("end", fmhac_rt_event_elapsed(g_device, g_event, NULL, &seconds));
  REFUSED("out_seconds",
          fmhac_rt_event_elapsed(g_device, g_event, g_event, NULL));

  // fmhac_emu.h
  NOTHING(fmhac_emu_options_init(NULL));
  NOTHING((fmhac_emu_options_init)(NULL));
  REFUSED(NULL, fmhac_emu_configure(NULL, &options));
  REFUSED("options", fmhac_emu_configure(g_device, NULL));
  REFUSED(NULL, fmhac_emu_map(NULL, &buffer, &address));
  REFUSED("buffer", fmhac_emu_map(g_device, NULL, &address));
  REFUSED("name", fmhac_emu_map(g_device, &no_name, &address));
  REFUSED("out_address", fmhac_emu_map(g_device, &buffer, NULL));
  REFUSED(NULL, fmhac_emu_declare_tensor(NULL, &tensor));
  REFUSED("tensor", fmhac_emu_declare_tensor(g_device, NULL));
  REFUSED("name", fmhac_emu_declare_tensor(g_device, &tensor));
  REFUSED(NULL, fmhac_emu_select_workgroups(NULL, ids, 1));
  REFUSED("ids", fmhac_emu_select_workgroups(g_device, NULL, 1));
  EMPTY(fmhac_emu_finding_count(NULL) == 0);
  REFUSED(NULL, fmhac_emu_get_finding(NULL, 0, &finding));
  REFUSED("out_finding", fmhac_emu_get_finding(g_device, 0, NULL));
  REFUSED(NULL, fmhac_emu_get_listing(NULL, 0, 0, &pc, &listing));
  REFUSED("out_pc", fmhac_emu_get_listing(g_device, 0, 0, NULL, &listing));
  REFUSED("out_text", fmhac_emu_get_listing(g_device, 0, 0, &pc, NULL));
  REFUSED(NULL, fmhac_emu_get_source_location(NULL, 0, &place));
  REFUSED("out_place", fmhac_emu_get_source_location(g_device, 0, NULL));
  REFUSED(NULL, fmhac_emu_get_stats(NULL, &stats));
  REFUSED("out_stats", fmhac_emu_get_stats(g_device, NULL));
  REFUSED(NULL, fmhac_emu_get_instruction(0, NULL));
  REFUSED("code_object",
          fmhac_emu_survey_create(NULL, size, g_text, sizeof g_text, &survey));
  EMPTY(fmhac_emu_survey_create(code, size, NULL, 0, &survey) == FMHAC_OK);
  REFUSED("out_survey",
          fmhac_emu_survey_create(code, size, g_text, sizeof g_text, NULL));
  NOTHING(fmhac_emu_survey_destroy(NULL));
  EMPTY(fmhac_emu_survey_usage_count(NULL) == 0);
  REFUSED(NULL, fmhac_emu_survey_get_usage(NULL, 0, &usage));
  REFUSED(NULL, fmhac_emu_survey_get_usage(g_survey, 0, NULL));
  REFUSED("code_object",
          fmhac_emu_audit_create(NULL, size, FMHAC_EMU_CHECK_WAIT, g_text,
                                 sizeof g_text, &audit));
  EMPTY(fmhac_emu_audit_create(code, size, FMHAC_EMU_CHECK_WAIT, NULL, 0,
                               &audit) == FMHAC_OK);
  REFUSED("out_audit", fmhac_emu_audit_create(code, size, FMHAC_EMU_CHECK_WAIT,
                                              g_text, sizeof g_text, NULL));
  NOTHING(fmhac_emu_audit_destroy(NULL));
  EMPTY(fmhac_emu_audit_finding_count(NULL) == 0);
  REFUSED(NULL, fmhac_emu_audit_get_finding(NULL, 0, &audit_finding));
  REFUSED(NULL, fmhac_emu_audit_get_finding(g_audit, 0, NULL));
  EMPTY(fmhac_emu_audit_note_count(NULL) == 0);
  REFUSED(NULL, fmhac_emu_audit_get_note(NULL, 0, &note));
  REFUSED(NULL, fmhac_emu_audit_get_note(g_audit, 0, NULL));
  EMPTY(fmhac_emu_audit_idle_count(NULL) == 0);
  REFUSED(NULL, fmhac_emu_audit_get_idle(NULL, 0, &note));
  REFUSED(NULL, fmhac_emu_audit_get_idle(g_audit, 0, NULL));
  REFUSED(NULL, fmhac_emu_audit_get_stats(NULL, &audit_stats));
  REFUSED(NULL, fmhac_emu_audit_get_stats(g_audit, NULL));

  // fmhac_timing.h
  EMPTY(fmhac_timing_workgroup_count(NULL) == 0);
  REFUSED(NULL, fmhac_timing_get_workgroup(NULL, 0, &workgroup));
  REFUSED("out_workgroup", fmhac_timing_get_workgroup(g_device, 0, NULL));
  REFUSED(NULL, fmhac_timing_extrapolate(NULL, &grid));
  REFUSED("out_grid", fmhac_timing_extrapolate(g_device, NULL));
  REFUSED(NULL, fmhac_timing_extrapolate_from(NULL, &workgroup, 1, &grid));
  REFUSED("workgroups",
          fmhac_timing_extrapolate_from(g_device, NULL, 1, &grid));
  REFUSED("out_grid",
          fmhac_timing_extrapolate_from(g_device, &workgroup, 1, NULL));
  REFUSED(NULL, fmhac_timing_stand_for(NULL, 1));
  REFUSED(NULL, fmhac_timing_busy(NULL, 1));
  REFUSED(NULL, fmhac_timing_meet(NULL, 1));
  REFUSED(NULL, fmhac_timing_clock(NULL, 1));
  REFUSED(NULL, fmhac_timing_recent(NULL, 1));
  REFUSED(NULL, fmhac_timing_get_constant(0, NULL));
  EMPTY(fmhac_timing_event_count(NULL) == 0);
  REFUSED(NULL, fmhac_timing_get_event(NULL, 0, &timing_event));
  REFUSED("out_event", fmhac_timing_get_event(g_device, 0, NULL));
  REFUSED("code_object",
          fmhac_timing_survey_create(NULL, size, "linear", NULL, g_text,
                                     sizeof g_text, &costs));
  REFUSED("kernel", fmhac_timing_survey_create(code, size, NULL, NULL, g_text,
                                               sizeof g_text, &costs));
  EMPTY(fmhac_timing_survey_create(code, size, "linear", NULL, NULL, 0,
                                   &costs) == FMHAC_OK);
  REFUSED("out_survey",
          fmhac_timing_survey_create(code, size, "linear", NULL, g_text,
                                     sizeof g_text, NULL));
  NOTHING(fmhac_timing_survey_destroy(NULL));
  EMPTY(fmhac_timing_survey_cost_count(NULL) == 0);
  REFUSED(NULL, fmhac_timing_survey_get_cost(NULL, 0, &cost));
  REFUSED(NULL, fmhac_timing_survey_get_cost(g_costs, 0, NULL));

  // fmhac_disasm.h
  REFUSED(NULL, fmhac_disasm_create(NULL));
  NOTHING(fmhac_disasm_destroy(NULL));
  EMPTY(fmhac_disasm_one(NULL, bytes, 4, 0, text, sizeof text) == 0);
  EMPTY(fmhac_disasm_one(g_disasm, NULL, 4, 0, text, sizeof text) == 0);
  EMPTY(fmhac_disasm_one(g_disasm, bytes, 4, 0, NULL, 0) == 4);
  return (row){0};
}

enum { PAST_THE_END = 99 };

/// In a process of its own: 0, or writes to stderr what is wrong.
static int check(int n) {
  const row r = run(n);
  if (!r.call)
    return PAST_THE_END;
  if (!r.ok) {
    fprintf(stderr, "%s: answered otherwise\n", r.call);
    return 1;
  }
  const char *text = g_text[0] ? g_text : fmhac_rt_last_error(g_device);
  if (r.argument ? !strstr(text, r.argument) : text[0] != 0) {
    fprintf(stderr, "%s: expected \"%s\" in \"%s\"\n", r.call,
            r.argument ? r.argument : "", text);
    return 1;
  }
  return 0;
}

static void test_null(void **state) {
  (void)state;
  int rows = 0, failed = 0;
  for (; rows < 1000; rows++) {
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      signal(SIGSEGV, SIG_DFL); // not cmocka's handler
      _exit(check(rows));
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == PAST_THE_END)
      break;
    failed += status != 0;
    if (WIFSIGNALED(status))
      print_error("row %d dies of signal %d\n", rows, WTERMSIG(status));
  }
  assert_in_range(rows, 90, 999);
  assert_int_equal(failed, 0);
}

static void make_objects(void) {
  char text[256];
  const void *code = g_linear.bytes;
  const size_t size = g_linear.size;
  assert_int_equal(fmhac_rt_device_open("emu", &g_device), FMHAC_OK);
  assert_int_equal(fmhac_rt_module_load(g_device, code, size, &g_module),
                   FMHAC_OK);
  assert_int_equal(fmhac_rt_stream_create(g_device, &g_stream), FMHAC_OK);
  assert_int_equal(fmhac_rt_event_create(g_device, &g_event), FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(g_device, 64, &g_memory), FMHAC_OK);
  assert_int_equal(
      fmhac_emu_survey_create(code, size, text, sizeof text, &g_survey),
      FMHAC_OK);
  assert_int_equal(fmhac_emu_audit_create(code, size, FMHAC_EMU_CHECK_WAIT,
                                          text, sizeof text, &g_audit),
                   FMHAC_OK);
  assert_int_equal(fmhac_timing_survey_create(code, size, "linear", NULL, text,
                                              sizeof text, &g_costs),
                   FMHAC_OK);
  assert_int_equal(fmhac_disasm_create(&g_disasm), FMHAC_OK);
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 2;
  }
  g_linear = read_blob(argv[1], "linear.hsaco");
  make_objects();
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_null)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fmhac_disasm_destroy(g_disasm);
  fmhac_timing_survey_destroy(g_costs);
  fmhac_emu_audit_destroy(g_audit);
  fmhac_emu_survey_destroy(g_survey);
  fmhac_rt_device_close(g_device);
  free(g_linear.bytes);
  return failed;
}
