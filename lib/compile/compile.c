// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One compilation from configuration to any rung, in this process.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm-c/Core.h"

#include "audit.h"
#include "build_ir.h"
#include "codegen.h"
#include "compile.h"
#include "compiler.h"
#include "fit.h"
#include "fmha_dialect_c.h"
#include "fmha_passes_c.h"
#include "fmhac_inspect.h"
#include "fmhac_schedule.h"
#include "kernel.h"
#include "package.h"
#include "pipeline.h"
#include "rung_text.h"
#include "schedule_text.h"
#include "session.h"
#include "sources.h"

enum { WAVE_LANES = 64 };

/// Everything that one compilation holds on its way down.
typedef struct compilation {
  struct fmhac_session *session;
  const fmhac_order *order; ///< borrowed, as the three that it names
  const fmhac_config *config;
  const fmhac_sources *sources;
  const fmhac_choice *choice;
  uint32_t done, total; ///< passes, translation, code generation
  const char *pass;     ///< that began last
  int64_t deadline;     ///< milliseconds, fmhac_now_milliseconds()
  fmhac_schedule_ref schedule;
  const char *next; ///< the schedule instead of one that did not fit; or NULL
  bool misfit;      ///< the code breaks a promise of its schedule
  bool is_trial;    ///< only to learn which schedule it is
  bool has_told;    ///< the log has the reason for the schedule
  char schedule_name[FMHAC_TEXT_BYTES]; ///< its symbol, for note and kernel
  MlirAttribute schedule_attribute;     ///< of a user's file; else null
  MlirAttribute loaded_schedule;        ///< of whichever was loaded
  fmha_schedule_geometry geometry;
  MlirModule module;
  LLVMContextRef llvm_context;
  LLVMModuleRef llvm_module;
  char kernel_name[FMHAC_KERNEL_NAME_BYTES];
  fmhac_fit fit; ///< the result of code generation
} compilation;

/// The attribute of the schedule that was chosen, or of the next one: the
/// launch geometry is read from it.
static fmhac_status load_schedule(compilation *c) {
  struct fmhac_session *session = c->session;
  const fmhac_choice *choice = c->choice;
  const bool is_users = !c->next && choice->is_file;
  c->schedule.label = c->next ? c->next : choice->name;
  c->schedule.builtin = is_users ? NULL : c->schedule.label;
  const char *text = c->next ? fmhac_schedule_text(c->next) : choice->text;
  const size_t length = c->next ? strlen(text) : choice->text_bytes;
  fmhac_session_begin(session);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__fmha__(), session->mlir);
  fmha_schedule_file file;
  if (!fmhaScheduleFileParse(
          session->mlir, mlirStringRefCreate(text, length),
          mlirStringRefCreateFromCString(c->schedule.label), &file)) {
    fmhac_str why = {0};
    fmhac_schedule_explain(c->schedule.label, text,
                           fmhac_session_errors(session), &why);
    fmhac_status status = fmhac_fail(
        session->context, is_users ? FMHAC_INVALID_INPUT : FMHAC_INTERNAL, "%s",
        why.text ? why.text : "");
    fmhac_str_deinit(&why);
    return status;
  }
  snprintf(c->schedule_name, sizeof c->schedule_name, "%.*s",
           (int)file.name.length, file.name.data);
  c->loaded_schedule = file.schedule;
  if (is_users)
    c->schedule_attribute = file.schedule;
  if (!fmhac_build_kernel_name(&c->config->values, file.schedule,
                               c->sources->score_mod.text, c->kernel_name))
    return fmhac_fail(session->context, FMHAC_OUT_OF_MEMORY,
                      "compiling: no memory for the kernel's name");
  if (!fmhaScheduleAttrGetGeometry(file.schedule, &c->geometry))
    return fmhac_fail(session->context, FMHAC_INTERNAL,
                      "reading the geometry of schedule '%s' failed",
                      c->schedule.label);
  return FMHAC_OK;
}

/// Adds the user's function of scores to the problem, if there is one.
static fmhac_status load_score_mod(compilation *c) {
  struct fmhac_session *session = c->session;
  const char *path = c->config->values.score_mod;
  if (!path[0])
    return FMHAC_OK;
  const fmhac_str *text = &c->sources->score_mod;
  fmhac_session_begin(session);
  if (fmhaScoreModParseInto(c->module,
                            mlirStringRefCreate(text->text, text->length),
                            mlirStringRefCreateFromCString(path)))
    return FMHAC_OK;
  return fmhac_fail(session->context, FMHAC_INVALID_INPUT, "%s",
                    fmhac_session_errors(session));
}

/// Whether a text of a rung replaces the rungs above it.
static bool goes_on(const compilation *c) {
  return c->order->from.text && !c->is_trial;
}

/// Whether passes run: the rung `llvm` has gone through them.
static bool is_past_passes(const compilation *c) {
  return goes_on(c) && c->order->from.rung >= FMHAC_RUNG_LLVM;
}

static bool begins_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

/// An edited text is input, so a fault in it is INVALID_INPUT wherever it
/// shows. The message begins with the place, if one is known.
static fmhac_status blame_text(const compilation *c, fmhac_status status) {
  fmhac_context *context = c->session->context;
  const char *name = c->order->from.name;
  if (!goes_on(c) || (status == FMHAC_INVALID_INPUT &&
                      begins_with(fmhac_last_error(context), name)))
    return status;
  if (status != FMHAC_INVALID_INPUT && status != FMHAC_PASS_FAILED &&
      status != FMHAC_CODEGEN_FAILED)
    return status;
  const char *errors = fmhac_session_errors(c->session);
  const bool has_place = begins_with(errors, name);
  char *why = strdup(has_place ? errors : fmhac_last_error(context));
  status = fmhac_fail(
      context, FMHAC_INVALID_INPUT, "%s%s%s; pass %s, going on from rung %s",
      has_place ? "" : name, has_place ? "" : ": ", why ? why : "", c->pass,
      fmhac_rung_name(c->order->from.rung));
  free(why);
  return status;
}

/// A failure of a later pass under a user's schedule is that schedule's: says
/// at which of its keys, if the text names one.
static fmhac_status blame_schedule(const compilation *c, fmhac_status status) {
  fmhac_context *context = c->session->context;
  if (status != FMHAC_INVALID_INPUT || goes_on(c) ||
      mlirAttributeIsNull(c->schedule_attribute))
    return status;
  fmhac_str text = {0};
  fmhac_schedule_locate(c->schedule.label, c->choice->text,
                        fmhac_last_error(context), &text);
  if (text.text && !text.failed)
    fmhac_fail(context, status, "%s", text.text);
  fmhac_str_deinit(&text);
  return status;
}

/// The session is made where the first compilation needs it: a program that
/// finds its kernels in the cache does without.
static fmhac_status compilation_init(compilation *c, fmhac_context *context,
                                     const fmhac_order *order) {
  *c = (compilation){.order = order,
                     .config = order->config,
                     .sources = order->sources,
                     .choice = order->choice,
                     .pass = "",
                     .deadline = fmhac_control_deadline(context)};
  fmhac_status status = fmhac_session_get(context);
  c->session = context->compiler->session;
  return status;
}

/// Frees the results of one compilation.
static void compilation_reset(compilation *c) {
  fmhac_fit_deinit(&c->fit);
  if (c->llvm_module)
    LLVMDisposeModule(c->llvm_module);
  if (c->llvm_context)
    LLVMContextDispose(c->llvm_context);
  if (!mlirModuleIsNull(c->module))
    mlirModuleDestroy(c->module);
  c->llvm_module = NULL;
  c->llvm_context = NULL;
  c->module = (MlirModule){NULL};
  c->schedule_attribute = (MlirAttribute){NULL};
}

static void print_module(MlirModule module, fmhac_str *out) {
  mlirOperationPrint(mlirModuleGetOperation(module), fmhac_append_string_ref,
                     out);
}

/// Says which schedule was chosen and why, once. A text of a rung brings its
/// own.
static void tell_choice(compilation *c) {
  const bool is_due = !c->has_told && !c->order->from.text;
  c->has_told = true;
  const char *at = is_due ? c->choice->remarks.text : NULL;
  while (at && *at) {
    const size_t length = strcspn(at, "\n");
    char *line = strndup(at, length);
    if (line)
      fmhac_session_log(c->session, FMHAC_SEVERITY_REMARK, line);
    free(line);
    at += length + (at[length] == '\n');
  }
}

/// A pass begins, or translation, or code generation, unless nobody wants it
/// any more.
static fmhac_status begin_pass(void *user, const char *pass) {
  compilation *c = user;
  fmhac_context *context = c->session->context;
  if (fmhac_now_milliseconds() > c->deadline)
    return fmhac_control_fail_timed_out(context, c->schedule.label, c->pass);
  c->pass = pass;
  if (!fmhac_control_advance(c->order->control, pass, c->done++, c->total))
    return fmhac_fail(context, FMHAC_CANCELLED,
                      "compiling: cancelled before %s", pass);
  tell_choice(c);
  return FMHAC_OK;
}

static void show(void *user, const char *pass, MlirModule module) {
  const compilation *c = user;
  if (!c->order->print || c->is_trial)
    return;
  fmhac_str text = {0};
  print_module(module, &text);
  c->order->print(c->order->print_user, pass, text.text ? text.text : "");
  fmhac_str_deinit(&text);
}

/// Makes the problem of the configuration.
static fmhac_status build(compilation *c) {
  fmhac_status status =
      fmhac_build_problem(c->session, &c->config->values, c->kernel_name,
                          c->schedule_attribute, &c->module);
  return status == FMHAC_OK ? load_score_mod(c) : status;
}

/// Takes the text of a rung instead, with the schedule that it has.
static fmhac_status take_text_of_rung(compilation *c) {
  MlirModule asked;
  fmhac_status status =
      fmhac_build_problem(c->session, &c->config->values, c->kernel_name,
                          c->schedule_attribute, &asked);
  if (status != FMHAC_OK)
    return status;
  // Attributes are the context's and outlive the module.
  const fmhac_rung_expectation expected = {
      c->kernel_name, mlirOperationGetAttributeByName(
                          mlirBlockGetFirstOperation(mlirModuleGetBody(asked)),
                          mlirStringRefCreateFromCString("problem"))};
  mlirModuleDestroy(asked);
  MlirAttribute schedule;
  status = fmhac_rung_text_parse(c->session, &c->order->from, &expected,
                                 &c->module, &schedule);
  if (status != FMHAC_OK || mlirAttributeIsNull(schedule) ||
      mlirAttributeEqual(schedule, c->loaded_schedule))
    return status;
  c->schedule_attribute = schedule;
  return fmhaScheduleAttrGetGeometry(schedule, &c->geometry)
             ? FMHAC_OK
             : fmhac_fail(c->session->context, FMHAC_INVALID_INPUT,
                          "%s: expected a #fmha.schedule, found another "
                          "attribute",
                          c->order->from.name);
}

/// Builds the problem, or takes the text of a rung, and runs the passes up to
/// `last`.
static fmhac_status run_passes(compilation *c, fmhac_rung last) {
  const fmhac_pass_watch watch = {
      .before = begin_pass, .after = show, .user = c};
  const fmhac_pass_range range = {last, goes_on(c), c->order->from.rung};
  const bool lines = !c->session->context->options.no_line_tables;
  c->total = c->done + fmhac_pipeline_passes(&range, lines);
  if (last < c->order->rung)
    c->total += 2; // translation, code generation
  fmhac_status status = load_schedule(c);
  if (status != FMHAC_OK || is_past_passes(c))
    return status;
  status = goes_on(c) ? take_text_of_rung(c) : build(c);
  if (status != FMHAC_OK)
    return status;
  status =
      fmhac_pipeline_run(c->session, c->module, &c->schedule, &range, &watch);
  return blame_text(c, blame_schedule(c, status));
}

static uint32_t row_rounding(const fmha_schedule_geometry *geometry) {
  return (uint32_t)(geometry->tile_m > geometry->tile_n ? geometry->tile_m
                                                        : geometry->tile_n);
}

static int64_t padded(int64_t size, int64_t step) {
  return (size + step - 1) / step * step;
}

/// FLOP of a workgroup's matrix instructions for one tile of keys: QK sums over
/// Dqk in steps of its k, PV makes Dv in steps of its n.
static uint64_t matrix_flops(const compilation *c) {
  const fmhac_config_values *v = &c->config->values;
  const fmha_schedule_geometry *g = &c->geometry;
  return 2 * (uint64_t)g->tile_m * (uint64_t)g->tile_n *
         (uint64_t)(padded(v->head_dim_qk, g->qk_k) +
                    padded(v->head_dim_v, g->pv_n));
}

static fmhac_status translate(compilation *c) {
  fmhac_context *context = c->session->context;
  fmhac_status status = begin_pass(c, "translate");
  if (status != FMHAC_OK)
    return status;
  char *pipeline = fmhac_pipeline_print(c->schedule.builtin,
                                        !context->options.no_line_tables);
  fmhac_str schedule_text = {0};
  // Whole, whatever it is derived from.
  mlirAttributePrint(mlirAttributeIsNull(c->schedule_attribute)
                         ? c->loaded_schedule
                         : c->schedule_attribute,
                     fmhac_append_string_ref, &schedule_text);
  size_t note_bytes = 0;
  void *note = NULL;
  if (pipeline && !schedule_text.failed) {
    const fmhac_note_fields fields = {
        .config = c->config->canonical,
        .schedule = c->schedule_name,
        .schedule_text = schedule_text.text ? schedule_text.text : "",
        .score_mod_text =
            c->sources->score_mod.text ? c->sources->score_mod.text : "",
        .pipeline = pipeline,
        .kernel = c->kernel_name,
        .tile_m = (uint32_t)c->geometry.tile_m,
        .tile_n = (uint32_t)c->geometry.tile_n,
        .row_rounding = row_rounding(&c->geometry),
        .block_threads = (uint32_t)(c->geometry.waves * WAVE_LANES),
        .matrix_flops = matrix_flops(c),
        .scale = c->geometry.scale,
        .grid = c->geometry.grid,
        .from = goes_on(c) ? fmhac_rung_name(c->order->from.rung) : NULL,
        .required_args = fmhac_kernel_groups(&c->config->values),
    };
    note = fmhac_package_note(&fields, &note_bytes);
  }
  if (!note)
    status = fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                        "making the note of the code object: out of memory");
  else if (is_past_passes(c))
    status =
        fmhac_codegen_parse(c->session, &c->order->from, c->kernel_name, note,
                            note_bytes, &c->llvm_context, &c->llvm_module);
  else
    status = fmhac_codegen_translate(c->session, c->module, note, note_bytes,
                                     &c->llvm_context, &c->llvm_module);
  status = blame_text(c, status);
  free(note);
  fmhac_str_deinit(&schedule_text);
  free(pipeline);
  return status;
}

/// Generates the code of a translated compilation; if `checked`, compares it
/// with the promises of its schedule.
static fmhac_status generate(compilation *c, bool checked) {
  fmhac_status status = begin_pass(c, "generate");
  if (status == FMHAC_OK)
    status = blame_text(c, fmhac_fit_generate(c->session, c->llvm_module,
                                              c->kernel_name, &c->fit));
  if (status != FMHAC_OK || !checked)
    return status;
  const fmhac_fit_promise promise = {
      .schedule = c->schedule.label,
      .waves = c->geometry.waves,
      .waves_per_simd = c->geometry.waves_per_simd,
      .is_users = goes_on(c) ||
                  strcmp(c->config->values.schedule, "auto") != 0 ||
                  c->config->values.score_mod[0],
      .score_mod = c->config->values.score_mod};
  status = fmhac_fit_check(c->session->context, &c->fit.descriptor, &promise);
  c->misfit = status != FMHAC_OK;
  return blame_schedule(c, status);
}

/// Callers get only audited code, unless the context has `no_audit`.
static fmhac_status audit(compilation *c) {
  fmhac_context *context = c->session->context;
  return context->options.no_audit
             ? FMHAC_OK
             : fmhac_audit_code(context, c->fit.code, c->fit.code_bytes);
}

/// Fills the kernel.
static fmhac_status fill(const compilation *c, fmhac_kernel *kernel) {
  const fmhac_allocator a = fmhac_allocator_of(kernel->context);
  const fmhac_str *log = &c->session->log;
  kernel->code = fmhac_duplicate(a, c->fit.code, c->fit.code_bytes);
  kernel->code_bytes = c->fit.code_bytes;
  kernel->name = fmhac_duplicate_text(a, c->kernel_name);
  kernel->schedule = fmhac_duplicate_text(a, c->schedule_name);
  kernel->log = log->failed ? NULL : fmhac_duplicate(a, log->text, log->length);
  kernel->lds_bytes = c->fit.descriptor.lds_bytes;
  kernel->tile_m = (uint32_t)c->geometry.tile_m;
  kernel->row_rounding = row_rounding(&c->geometry);
  kernel->block_threads = (uint32_t)(c->geometry.waves * WAVE_LANES);
  kernel->required_args_mask = fmhac_kernel_groups(&c->config->values);
  return kernel->code && kernel->name && kernel->schedule && kernel->log
             ? FMHAC_OK
             : fmhac_fail(c->session->context, FMHAC_OUT_OF_MEMORY,
                          "compiling: no memory for the kernel");
}

static fmhac_status try_schedule(compilation *c) {
  fmhac_status status = run_passes(c, FMHAC_RUNG_ROCDL);
  if (status == FMHAC_OK)
    status = translate(c);
  return status == FMHAC_OK ? generate(c, true) : status;
}

/// Compiles with the schedule that was chosen, or with the next one if that
/// does not fit: the registers of a user's function are known only after code
/// generation.
static fmhac_status make_fit(compilation *c) {
  fmhac_status status = try_schedule(c);
  const char *next = c->choice->next;
  if (!c->misfit || !next)
    return status;
  fmhac_str text = {0};
  fmhac_str_appendf(&text,
                    "schedule %s instead of %s, which does not fit with %s: %s",
                    next, c->schedule.label, c->config->values.score_mod,
                    fmhac_last_error(c->session->context));
  // The kernel has another schedule than the requested or measured one, so the
  // user gets a warning.
  fmhac_session_log(c->session, FMHAC_SEVERITY_WARNING,
                    text.text ? text.text : "");
  fmhac_str_deinit(&text);
  compilation_reset(c);
  c->next = next;
  c->misfit = false;
  return try_schedule(c);
}

/// Finds the schedule of the kernel for a request that stops before the kernel.
/// Other faults show on the way to the rung.
static fmhac_status settle_schedule(compilation *c) {
  if (!c->choice->next)
    return FMHAC_OK;
  c->is_trial = true;
  fmhac_status status = make_fit(c);
  c->is_trial = false;
  compilation_reset(c);
  return status == FMHAC_CANCELLED || status == FMHAC_COMPILE_TIMED_OUT
             ? status
             : FMHAC_OK;
}

static fmhac_status compile(compilation *c, fmhac_kernel *kernel) {
  fmhac_status status;
  if (c->order->from.text) {
    // A text is of one schedule: no other takes its place.
    status = settle_schedule(c);
    if (status == FMHAC_OK)
      status = try_schedule(c);
  } else {
    status = make_fit(c);
  }
  if (status == FMHAC_OK)
    status = blame_text(c, audit(c));
  return status == FMHAC_OK ? fill(c, kernel) : status;
}

/// Hands the text of a string to the caller.
static fmhac_status take_text(fmhac_context *context, fmhac_str *text,
                              fmhac_product *product) {
  size_t length = text->length;
  char *bytes = fmhac_str_take(text);
  if (!bytes)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "printing a rung: out of memory");
  product->bytes = bytes;
  product->size_bytes = length;
  return FMHAC_OK;
}

/// Takes the result of code generation.
static fmhac_status emit_code(compilation *c, fmhac_rung rung,
                              fmhac_product *product) {
  if (rung == FMHAC_RUNG_LLVM) {
    char *ir = LLVMPrintModuleToString(c->llvm_module);
    fmhac_str text = {0};
    fmhac_str_append(&text, ir);
    LLVMDisposeMessage(ir);
    return take_text(c->session->context, &text, product);
  }
  if (rung == FMHAC_RUNG_ISA)
    return fmhac_codegen_emit(c->session, c->llvm_module,
                              FMHAC_CODEGEN_ASSEMBLY, &product->bytes,
                              &product->size_bytes);
  bool linked = rung != FMHAC_RUNG_OBJ;
  void **bytes = linked ? &c->fit.code : &c->fit.object;
  product->bytes = *bytes;
  product->size_bytes = linked ? c->fit.code_bytes : c->fit.object_bytes;
  *bytes = NULL;
  return FMHAC_OK;
}

static fmhac_status emit(compilation *c, fmhac_product *product) {
  const fmhac_rung rung = c->order->rung;
  fmhac_status status = settle_schedule(c);
  if (status == FMHAC_OK)
    status = run_passes(c, rung < FMHAC_RUNG_ROCDL ? rung : FMHAC_RUNG_ROCDL);
  if (status != FMHAC_OK)
    return status;
  if (rung <= FMHAC_RUNG_ROCDL) {
    fmhac_str text = {0};
    print_module(c->module, &text);
    return take_text(c->session->context, &text, product);
  }
  status = translate(c);
  // Code comes first, as it may change the request that the IR carries.
  if (status == FMHAC_OK)
    status = generate(c, false);
  return status == FMHAC_OK ? emit_code(c, rung, product) : status;
}

static fmhac_status print_ir(compilation *c) {
  fmhac_status status = settle_schedule(c);
  return status == FMHAC_OK ? run_passes(c, FMHAC_RUNG_ROCDL) : status;
}

fmhac_status fmhac_compile_here(fmhac_context *context,
                                const fmhac_order *order,
                                fmhac_product *product) {
  compilation c;
  if (pthread_mutex_lock(&context->compiler->session_lock) != 0)
    return fmhac_fail(context, FMHAC_INVALID_INPUT, FMHAC_CALLED_BACK);
  fmhac_status status = compilation_init(&c, context, order);
  if (status == FMHAC_OK)
    fmhac_str_deinit(&c.session->log); // of the compilation before
  if (status == FMHAC_OK)
    switch (order->task) {
    case FMHAC_TASK_COMPILE:
      status = compile(&c, product->kernel);
      break;
    case FMHAC_TASK_EMIT:
      status = emit(&c, product);
      break;
    case FMHAC_TASK_PRINT_IR:
      status = print_ir(&c);
      break;
    }
  compilation_reset(&c);
  pthread_mutex_unlock(&context->compiler->session_lock);
  return status;
}
