// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac run: compile, launch on a device, compare with the reference.
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "commands.h"
#include "files.h"
#include "fill_data.h"
#include "fmhac_inspect.h"
#include "kernel_object.h"
#include "run_arrays.h"
#include "run_compare.h"
#include "run_device.h"
#include "run_features.h"
#include "save_launch.h"
#include "session.h"
#include "streams.h"

typedef struct run_flags {
  const char *device, *input;
  const char *o, *lse_out, *save_launch;
  bool no_compare;
  emu_flags emu;
} run_flags;

/// Everything that a run owns.
typedef struct run {
  const report *r;
  const run_flags *flags;
  session s;
  run_arrays arrays;
  run_data data;
  fmhac_kernel *kernel;
  fmhac_plan *plan;
  run_device device;
  cJSON *findings;
  comparison o, lse;
  bool compared;
  bool wrote_stray; ///< outside the rows in use: `stray` says where
  char stray[ERROR_BYTES];
} run;

static void run_close(run *u) {
  cJSON_Delete(u->findings);
  // The plan's modules live on the device: it goes first.
  fmhac_plan_destroy(u->plan);
  run_device_close(&u->device);
  fmhac_kernel_destroy(u->kernel);
  run_data_deinit(&u->data);
  run_arrays_deinit(&u->arrays);
  session_close(&u->s);
}

//===- Steps --------------------------------------------------------------===//

static int compile(run *u) {
  int code = session_compile(&u->s, &u->kernel);
  if (code != ARGS_CONTINUE)
    return code;
  char error[ERROR_BYTES];
  fmhac_status status =
      run_plan_create(u->s.context, u->kernel, &u->data, &u->plan, error);
  return status == FMHAC_OK
             ? ARGS_CONTINUE
             : report_error(u->r, exit_code_of(status), "%s", error);
}

static int save(run *u) {
  if (!u->flags->save_launch)
    return ARGS_CONTINUE;
  const size_t count = fmhac_plan_launch_count(u->plan);
  fmhac_kernel_args *arguments = calloc(count, sizeof *arguments);
  fmhac_rt_launch *launches = calloc(count, sizeof *launches);
  fmhac_status status = arguments && launches ? FMHAC_OK : FMHAC_OUT_OF_MEMORY;
  for (size_t i = 0; i < count && status == FMHAC_OK; ++i)
    status = run_plan_pack(u->plan, i, &u->data, u->device.workspace,
                           &arguments[i], &launches[i]);
  char error[ERROR_BYTES];
  int code = ARGS_CONTINUE;
  if (status != FMHAC_OK)
    code = session_fail(&u->s, status);
  else if (!save_launch(u->flags->save_launch, u->plan, launches, &u->data,
                        u->device.workspace, error))
    code = report_error(u->r, EXIT_USAGE, "%s", error);
  free(arguments);
  free(launches);
  return code;
}

static int write_results(run *u) {
  const char *paths[TENSOR_COUNT] = {
      [TENSOR_O] = u->flags->o, [TENSOR_LSE] = u->flags->lse_out};
  for (int i = 0; i < TENSOR_COUNT; ++i) {
    char error[ERROR_BYTES];
    if (paths[i] && !run_data_write(&u->data, i, paths[i], error))
      return report_error(u->r, EXIT_USAGE, "%s", error);
  }
  return ARGS_CONTINUE;
}

static int compare(run *u) {
  if (u->flags->no_compare)
    return ARGS_CONTINUE;
  char error[ERROR_BYTES];
  fmhac_status status = run_compare(&u->data, u->s.context, u->s.config,
                                    u->plan, &u->o, &u->lse, error);
  if (status != FMHAC_OK)
    return report_error(u->r, exit_code_of(status), "%s", error);
  u->compared = true;
  return ARGS_CONTINUE;
}

//===- Results ------------------------------------------------------------===//

static void add_comparison(cJSON *object, const comparison *c) {
  json_add_number(object, "max_abs_err", c->max_abs_err);
  json_add_number(object, "rel_rms_err", c->rel_rms_err);
  json_add_number(object, "cosine", c->cosine);
  json_add_number(object, "cosine_bound", c->cosine_bound);
  json_add_number(object, "tolerance", c->tolerance);
  cJSON_AddStringToObject(object, "bound", c->bound);
  json_add_number(object, "rms_bound", c->rms_bound);
  json_add_number(object, "floor", c->floor);
  json_add_number(object, "floor_rms", c->floor_rms);
  cJSON_AddNumberToObject(object, "nan_count", (double)c->nan_count);
  cJSON_AddNumberToObject(object, "missing_nan_count",
                          (double)c->missing_nan_count);
  if (c->reason[0])
    cJSON_AddStringToObject(object, "reason", c->reason);
}

/// Adds "kernels" if a batch is divided between several kernels of attention:
/// of each in the order of its launches {"kernel", "schedule"}.
static void add_kernels(cJSON *object, const fmhac_plan *plan) {
  if (plan_first_attention(plan) == plan_attention(plan))
    return;
  cJSON *kernels = cJSON_AddArrayToObject(object, "kernels");
  for (size_t i = 0; i < fmhac_plan_launch_count(plan); ++i) {
    if (!plan_attends(plan, i))
      continue;
    const fmhac_kernel_info entry = plan_launch_entry(plan, i);
    cJSON *kernel = cJSON_CreateObject();
    cJSON_AddStringToObject(kernel, "kernel", entry.name);
    cJSON_AddStringToObject(kernel, "schedule", entry.schedule);
    cJSON_AddItemToArray(kernels, kernel);
  }
}

/// The object of --json up to the comparison; also that of a failed launch.
static cJSON *describe_run(run *u) {
  cJSON *object = cJSON_CreateObject();
  const fmhac_kernel_info entry = plan_entry(u->plan);
  kernel_schedule_json(object, u->kernel, entry.name);
  cJSON_AddStringToObject(object, "kernel", entry.name);
  add_kernels(object, u->plan);
  cJSON_AddStringToObject(object, "device", u->device.uri);
  cJSON_AddItemToObject(object, "config",
                        cJSON_Parse(fmhac_config_get_canonical(u->s.config)));
  cJSON_AddItemToObject(object, "problem", run_data_problem_json(&u->data));
  fmhac_emu_stats stats = {.size = sizeof stats};
  if (u->device.is_emu &&
      fmhac_emu_get_stats(u->device.device, &stats) == FMHAC_OK)
    emu_joined_stats_add(object, &stats);
  cJSON_AddItemToObject(object, "findings", u->findings);
  u->findings = NULL;
  return object;
}

/// A launch that could not go on: the error, with the known facts of the run.
static int report_failed_launch(run *u, fmhac_status status,
                                const char *error) {
  int code = exit_code_of(status);
  report_message(u->r, MESSAGE_ERROR, "%s", error);
  emu_findings_print("run", u->findings);
  if (u->r->json) {
    cJSON *object = describe_run(u);
    cJSON_AddBoolToObject(object, "pass", false);
    report_add_error(object, code, error);
    report_json(object, code);
  }
  return code;
}

static void print_row(const char *name, const comparison *c) {
  printx("%-6s %12.4g %12.4g %12.4g %12.6f %8" PRIu64 "  %s%s%s\n", name,
         c->max_abs_err, c->tolerance, c->rel_rms_err, c->cosine, c->nan_count,
         c->pass ? "pass" : "FAIL", c->pass ? "" : ": ", c->reason);
}

static void print_table(const run *u, bool pass) {
  const attention *p = &u->data.problem;
  const fmhac_kernel_info entry = plan_entry(u->plan);
  char *label = kernel_schedule_label(u->kernel, entry.name);
  printx("%s on %s, schedule %s: B %u, Hq %u, Hk %u, Sq %u, Sk %u\n",
         entry.name, u->device.uri, label ? label : "", p->batch, p->heads_q,
         p->heads_kv, p->seqlen_q, p->seqlen_kv);
  free(label);
  for (size_t i = 0; i < plan_attention(u->plan); ++i)
    if (plan_attends(u->plan, i)) {
      const fmhac_kernel_info few = plan_launch_entry(u->plan, i);
      label = kernel_schedule_label(u->kernel, few.name);
      printx("for sequences of fewer rows %s, schedule %s\n", few.name,
             label ? label : "");
      free(label);
    }
  printx("%u registers per lane, %u spilled, %u bytes of LDS, tiles of %u "
         "rows\n",
         entry.vgprs, entry.spills, entry.lds_bytes, entry.tile_rows);
  if (u->compared) {
    printx("%-6s %12s %12s %12s %12s %8s\n", "output", "max abs err",
           "tolerance", "rel rms err", "row cosine", "NaN");
    print_row("o", &u->o);
    if (run_data_has_lse(&u->data))
      print_row("lse", &u->lse);
  }
  if (u->wrote_stray)
    printx("%s\n", u->stray);
  int findings = cJSON_GetArraySize(u->findings);
  printx("%s, %d finding%s, %.3f s\n",
         !u->compared && !u->wrote_stray ? "not compared"
         : pass                          ? "pass"
                                         : "FAIL",
         findings, findings == 1 ? "" : "s", u->device.seconds);
}

static int report_results(run *u) {
  bool has_lse = run_data_has_lse(&u->data);
  bool clean = cJSON_GetArraySize(u->findings) == 0 && !u->wrote_stray;
  bool numbers = u->compared && u->o.pass && (!has_lse || u->lse.pass);
  bool pass = numbers && clean;
  int code = clean && (!u->compared || numbers) ? EXIT_DONE : EXIT_CHECK;
  fmhac_emu_stats stats = {.size = sizeof stats};
  emu_findings_print("run", u->findings);
  if (u->device.is_emu &&
      fmhac_emu_get_stats(u->device.device, &stats) == FMHAC_OK)
    emu_dropped_print("run", &stats);
  if (!u->r->json) {
    print_table(u, pass);
  } else {
    cJSON *object = describe_run(u);
    if (u->compared || u->wrote_stray)
      cJSON_AddBoolToObject(object, "pass", pass);
    else
      cJSON_AddNullToObject(object, "pass");
    cJSON_AddNumberToObject(object, "seconds", u->device.seconds);
    if (u->wrote_stray)
      cJSON_AddStringToObject(object, "stray_write", u->stray);
    if (u->compared) {
      add_comparison(object, &u->o);
      cJSON *outputs = cJSON_AddObjectToObject(object, "outputs");
      add_comparison(cJSON_AddObjectToObject(outputs, "o"), &u->o);
      if (has_lse)
        add_comparison(cJSON_AddObjectToObject(outputs, "lse"), &u->lse);
    }
    code = report_json(object, code);
  }
  return code;
}

/// Before anything is compiled: checks whether the reference can evaluate the
/// user's function of scores. If the file holds no function, the compiler's
/// message is the better one.
static int read_score_mod(run *u) {
  char error[ERROR_BYTES];
  if (u->flags->no_compare || run_features_read_score_mod(&u->data, error))
    return ARGS_CONTINUE;
  void *text = NULL;
  size_t bytes;
  fmhac_status status =
      fmhac_emit(u->s.context, u->s.config, "problem", &text, &bytes);
  fmhac_free(text);
  return status == FMHAC_OK
             ? report_error(u->r, EXIT_UNSUPPORTED,
                            "%s; --no-compare runs it all the same", error)
             : session_fail(&u->s, status);
}

static int execute(run *u) {
  char error[ERROR_BYTES] = "";
  // Errors of the device's name and options come before the work begins.
  fmhac_status status =
      run_device_open(u->flags->device, &u->flags->emu, &u->device, error);
  if (status != FMHAC_OK)
    return report_error(u->r, exit_code_of(status), "%s", error);
  int code = read_score_mod(u);
  if (code == ARGS_CONTINUE)
    code = compile(u);
  if (code != ARGS_CONTINUE)
    return code;
  if (!run_data_fill(&u->data, &u->arrays, error))
    return report_error(u->r, EXIT_USAGE, "%s", error);
  status = run_device_upload(&u->device, &u->data, u->plan, error);
  if (status != FMHAC_OK)
    return report_error(u->r, exit_code_of(status), "%s", error);
  code = save(u);
  if (code != ARGS_CONTINUE)
    return code;
  status =
      run_device_launch(&u->device, u->s.context, u->plan, &u->data, error);
  u->findings = run_device_findings(&u->device);
  if (status != FMHAC_OK && status != FMHAC_CHECK_FAILED)
    return report_failed_launch(u, status, error);
  code = write_results(u);
  if (code == ARGS_CONTINUE)
    code = compare(u);
  u->wrote_stray = run_data_find_stray(&u->data, u->stray);
  return code == ARGS_CONTINUE ? report_results(u) : code;
}

/// The configuration: options, and sizes that only the user's arrays say.
static int open_session(run *u, const args *a) {
  char error[ERROR_BYTES];
  int code =
      session_open_context(u->r, (session_options){.use_cache = true}, &u->s);
  if (code == ARGS_CONTINUE)
    code = args_merge_options(a, u->r, &u->s.options);
  if (code != ARGS_CONTINUE)
    return code;
  if (!run_arrays_read(&u->arrays, error) ||
      !run_arrays_give_sizes(&u->arrays, u->s.options, error))
    return report_error(u->r, EXIT_USAGE, "%s", error);
  code = args_create_config(u->s.options, u->r, u->s.context, &u->s.config);
  return code == ARGS_CONTINUE ? session_require_support(&u->s) : code;
}

/// Notes which arrays are rounded to `type`, so that their values differ from
/// the file.
static void note_rounding_to(const run *u, element_type type) {
  static const int tensors[] = {TENSOR_Q, TENSOR_K, TENSOR_V, TENSOR_K_ROPE};
  const char *names[2 * INPUT_FILES] = {"", "", "", "", "", "", "", ""};
  size_t count = 0;
  for (int i = 0; i < INPUT_FILES; ++i)
    if (run_arrays_rounds(&u->arrays, &u->data, tensors[i]) &&
        run_data_type(&u->data, tensors[i]) == type) {
      names[2 * count] = count ? ", " : "";
      names[2 * count++ + 1] = u->arrays.files[i];
    }
  if (count)
    report_message(u->r, MESSAGE_NOTE,
                   "%s%s%s%s%s%s%s%s: f32 is rounded to %s, to the nearest, "
                   "ties to even%s",
                   names[0], names[1], names[2], names[3], names[4], names[5],
                   names[6], names[7], element_name(type),
                   element_is_8_bit(type) ? ", with saturation" : "");
}

static void note_rounding(const run *u) {
  for (int type = ELEMENT_BF16; type < ELEMENT_F32; ++type)
    note_rounding_to(u, (element_type)type);
}

/// The steps that need flags and options only, before anything is compiled.
static int prepare(run *u) {
  char error[ERROR_BYTES];
  if (!run_data_init(u->s.options, u->s.config, &u->data, error))
    return report_error(u->r, EXIT_USAGE, "%s", error);
  const uint64_t rope_heads = run_arrays_rope_heads(&u->arrays, &u->data);
  if ((rope_heads && !run_data_set_rope_heads(u->s.options, &u->data,
                                              (uint32_t)rope_heads, error)) ||
      (u->data.page_count &&
       !run_data_add_pages(u->s.options, &u->data, run_arrays_pages(&u->arrays),
                           error)) ||
      !run_arrays_check(&u->arrays, &u->data, error))
    return report_error(u->r, EXIT_USAGE, "%s", error);
  note_rounding(u);
  if (u->flags->o && u->flags->lse_out &&
      strcmp(u->flags->o, u->flags->lse_out) == 0)
    return report_error(u->r, EXIT_USAGE, "-o and --lse-out are the same file");
  const char *const outputs[] = {u->flags->o, u->flags->lse_out};
  for (size_t i = 0; i < sizeof outputs / sizeof outputs[0]; ++i)
    if (outputs[i] && !file_can_write(outputs[i], error))
      return report_error(u->r, EXIT_USAGE, "%s", error);
  return run_data_take_input(&u->data, u->flags->input, u->r);
}

int cmd_run(int argc, char **argv) {
  run_flags flags = {.device = "emu", .input = "normal"};
  run_arrays arrays = {0};
  const flag specs[] = {
      {"device", "emu|hip[:N]", "where to run (default emu)", FLAG_TEXT,
       &flags.device},
      {"input", "normal|growing|spikes|rising|fixture|sink",
       "generated inputs: unit normal; K growing along the sequence; a few "
       "late keys times 12; maxima that rise to the end; one key that "
       "outweighs "
       "all others together, with V = -1 or 0 (default normal)",
       FLAG_TEXT, &flags.input},
      {"q", "FILE.npy",
       "Q instead of a generated one, [B,S,H,D], or [total,H,D] with "
       "--cu-seqlens-q",
       FLAG_TEXT, &arrays.files[INPUT_Q]},
      {"k", "FILE.npy",
       "K, likewise; bf16 as uint16 bits, f16 as '<f2', fp8 and bf8 as '|u1', "
       "or '<f4', which run rounds",
       FLAG_TEXT, &arrays.files[INPUT_K]},
      {"v", "FILE.npy",
       "V, likewise; the arrays give sizes that no option gives", FLAG_TEXT,
       &arrays.files[INPUT_V]},
      {"k-rope", "FILE.npy",
       "the last columns of K, [B,S,1 or Hk,R] with --rope-dim=R, likewise; K "
       "then has the others",
       FLAG_TEXT, &arrays.files[FILE_K_ROPE]},
      {"o", "FILE.npy", "write O here", FLAG_TEXT, &flags.o},
      {"lse-out", "FILE.npy",
       "write LSE here, f32 [B,Hq,Sq] or [Hq,total]; implies --lse", FLAG_TEXT,
       &flags.lse_out},
      {"save-launch", "DIR",
       "write this launch for `fmhac emu DIR/LAUNCH.json`", FLAG_TEXT,
       &flags.save_launch},
      {"no-compare", "",
       "do not compute the reference; the run then neither passes nor fails",
       FLAG_SWITCH, &flags.no_compare},
      EMU_FLAGS(flags.emu),
  };
  const command cmd = {
      .name = "run",
      .synopsis = "CONFIG PROBLEM [--device=emu|hip[:N]]",
      .summary = "Compiles a configuration, runs it and compares the results "
                 "with a reference\nin double precision.",
      .details =
          "A run passes if max abs error <= 3 x floor + 1e-5, relative rms "
          "error <= 6e-3\n(bf16), 8e-4 (f16) or twice the floor's, the cosine "
          "of every row > 0.998 (less\nif the floor's is less), the result is "
          "NaN exactly where the reference is, the\nkernel writes nothing "
          "outside the rows in use, and no checker of the emulator\nhas a "
          "finding. The floor is the error of the same computation with the "
          "roundings\nthat every kernel makes, at least half an ulp of the "
          "largest result. LSE passes\nwithin 1e-4 + 1e-6 x the largest score; "
          "if the schedule rounds Q, within\n3 x floor + 2e-3. With an 8-bit Q "
          "the relative rms error is at most\n1.25 x floor + 1e-3. With "
          "quantize_q both bounds of errors are doubled, and LSE\nis that of a "
          "Q that is rounded.\nThe next run takes the kernel from the cache: "
          "see fmhac cache.",
      COMMAND_FLAGS(specs),
      .takes_config = true,
      .takes_problem = true,
  };
  report r = {0};
  args a;
  run u = {.r = &r, .flags = &flags};
  int code = args_parse(&cmd, argc, argv, &r, &a);
  u.arrays = arrays;
  flags.emu.quiet = r.quiet;
  if (code == ARGS_CONTINUE && flags.lse_out)
    args_set_switch(&a, "lse");
  if (code == ARGS_CONTINUE)
    code = open_session(&u, &a);
  if (code == ARGS_CONTINUE)
    code = prepare(&u);
  if (code == ARGS_CONTINUE)
    code = execute(&u);
  run_close(&u);
  args_deinit(&a);
  return code;
}
