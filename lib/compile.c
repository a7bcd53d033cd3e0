// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One compilation from configuration to any rung.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm-c/Core.h"

#include "build_ir.h"
#include "codegen.h"
#include "compile.h"
#include "fit.h"
#include "fmha_dialect_c.h"
#include "fmha_passes_c.h"
#include "kernel.h"
#include "package.h"
#include "pipeline.h"
#include "query.h"
#include "schedule_text.h"
#include "session.h"
#include "sources.h"

enum { WAVE_LANES = 64 };

/// Everything that one compilation holds on its way down.
typedef struct compilation {
  struct fmhac_session *session;
  const fmhac_config *config;
  const fmhac_sources *sources; ///< borrowed
  fmhac_support support;
  fmhac_schedule_ref schedule;
  char schedule_name[FMHAC_TEXT_BYTES]; ///< its symbol, for note and kernel
  MlirAttribute schedule_attribute;     ///< of a user's file; else null
  fmha_schedule_geometry geometry;
  MlirModule module;
  LLVMContextRef llvm_context;
  LLVMModuleRef llvm_module;
  char kernel_name[FMHAC_KERNEL_NAME_BYTES];
  fmhac_fit fit; ///< what code generation made of it
} compilation;

const char *fmhac_schedule_name(size_t index) {
  const char *name, *text;
  return fmhaBuiltinSchedule(index, &name, &text) ? name : NULL;
}

const char *fmhac_schedule_text(const char *schedule) {
  const char *name, *text;
  for (size_t i = 0; fmhaBuiltinSchedule(i, &name, &text); ++i)
    if (strcmp(name, schedule) == 0)
      return text;
  return NULL;
}

/// The schedule's attribute, from the user's file or from the built-in text:
/// the launch geometry is read from it either way.
static fmhac_status load_schedule(compilation *c) {
  struct fmhac_session *session = c->session;
  const char *asked = c->config->values.schedule;
  bool is_users = fmhac_schedule_is_path(asked);
  c->schedule.builtin = is_users ? NULL : c->support.schedule;
  c->schedule.label = is_users ? asked : c->support.schedule;
  const char *text = is_users ? c->sources->schedule.text
                              : fmhac_schedule_text(c->schedule.builtin);
  size_t length = is_users ? c->sources->schedule.length : strlen(text);
  fmhac_session_begin(session);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__fmha__(), session->mlir);
  MlirStringRef name;
  MlirAttribute attribute = fmhaScheduleAttrParse(
      session->mlir, mlirStringRefCreate(text, length),
      mlirStringRefCreateFromCString(c->schedule.label), &name);
  if (mlirAttributeIsNull(attribute)) {
    fmhac_str why = {0};
    fmhac_schedule_explain(c->schedule.label, text,
                           fmhac_session_errors(session), &why);
    fmhac_status status = fmhac_fail(
        session->context, is_users ? FMHAC_INVALID_INPUT : FMHAC_INTERNAL, "%s",
        why.text ? why.text : "");
    fmhac_str_deinit(&why);
    return status;
  }
  snprintf(c->schedule_name, sizeof c->schedule_name, "%.*s", (int)name.length,
           name.data);
  if (is_users)
    c->schedule_attribute = attribute;
  if (!fmhaScheduleAttrGetGeometry(attribute, &c->geometry))
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

/// A failure of a later stage under a user's schedule is that schedule's: says
/// at which of its keys, if the text names one.
static fmhac_status blame_schedule(const compilation *c, fmhac_status status) {
  fmhac_context *context = c->session->context;
  if (status != FMHAC_INVALID_INPUT || !c->sources->schedule.text)
    return status;
  fmhac_str text = {0};
  fmhac_schedule_locate(c->schedule.label, c->sources->schedule.text,
                        fmhac_last_error(context), &text);
  if (text.text && !text.failed)
    fmhac_fail(context, status, "%s", text.text);
  fmhac_str_deinit(&text);
  return status;
}

/// The session is made where the first compilation needs it: a program that
/// finds its kernels in the cache does without.
static fmhac_status compilation_init(compilation *c, fmhac_context *context,
                                     const fmhac_config *config,
                                     const fmhac_support *support,
                                     const fmhac_sources *sources) {
  *c = (compilation){.config = config, .support = *support, .sources = sources};
  fmhac_status status = fmhac_session_get(context);
  c->session = context->session;
  return status;
}

/// For those who have not asked yet whether the configuration is supported, nor
/// read its files: `out_sources` is due to fmhac_sources_deinit().
static fmhac_status compilation_begin(compilation *c, fmhac_context *context,
                                      const fmhac_config *config,
                                      fmhac_sources *out_sources) {
  fmhac_support support = {.size = sizeof support};
  *c = (compilation){.config = config};
  *out_sources = (fmhac_sources){0};
  fmhac_status status = fmhac_query_require(context, &config->values, &support);
  if (status == FMHAC_OK)
    status = fmhac_sources_read(context, config, out_sources);
  return status == FMHAC_OK
             ? compilation_init(c, context, config, &support, out_sources)
             : status;
}

static void compilation_deinit(compilation *c) {
  fmhac_fit_deinit(&c->fit);
  if (c->llvm_module)
    LLVMDisposeModule(c->llvm_module);
  if (c->llvm_context)
    LLVMContextDispose(c->llvm_context);
  if (!mlirModuleIsNull(c->module))
    mlirModuleDestroy(c->module);
}

/// Builds the problem and runs the passes up to `last`.
static fmhac_status run_passes(compilation *c, fmhac_rung last,
                               fmhac_stage_sink sink, void *user) {
  fmhac_status status = load_schedule(c);
  if (status == FMHAC_OK)
    status = fmhac_build_problem(c->session, &c->config->values,
                                 c->schedule_attribute, &c->module);
  if (status == FMHAC_OK)
    status = load_score_mod(c);
  if (status == FMHAC_OK)
    status =
        blame_schedule(c, fmhac_pipeline_run(c->session, c->module,
                                             &c->schedule, last, sink, user));
  return status;
}

static void print_module(MlirModule module, fmhac_str *out) {
  mlirOperationPrint(mlirModuleGetOperation(module), fmhac_append_string_ref,
                     out);
}

static uint32_t row_rounding(const fmha_schedule_geometry *geometry) {
  return (uint32_t)(geometry->tile_m > geometry->tile_n ? geometry->tile_m
                                                        : geometry->tile_n);
}

static fmhac_status translate(compilation *c) {
  fmhac_context *context = c->session->context;
  fmhac_build_kernel_name(&c->config->values, c->kernel_name);
  char *pipeline = fmhac_pipeline_print(c->schedule.builtin,
                                        !context->options.no_line_tables);
  fmhac_str schedule_text = {0};
  if (!mlirAttributeIsNull(c->schedule_attribute))
    mlirAttributePrint(c->schedule_attribute, fmhac_append_string_ref,
                       &schedule_text);
  else
    fmhac_str_append(&schedule_text, fmhac_schedule_text(c->schedule.builtin));
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
        .row_rounding = row_rounding(&c->geometry),
        .block_threads = (uint32_t)(c->geometry.waves * WAVE_LANES),
        .required_args = fmhac_kernel_groups(&c->config->values),
    };
    note = fmhac_package_note(&fields, &note_bytes);
  }
  fmhac_status status =
      note ? fmhac_codegen_translate(c->session, c->module, note, note_bytes,
                                     &c->llvm_context, &c->llvm_module)
           : fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                        "making the note of the code object: out of memory");
  free(note);
  fmhac_str_deinit(&schedule_text);
  free(pipeline);
  return status;
}

/// Generates code of a translated compilation; holds it against what its
/// schedule promises if `checked`.
static fmhac_status generate(compilation *c, bool checked) {
  fmhac_status status =
      fmhac_fit_generate(c->session, c->llvm_module, c->kernel_name, &c->fit);
  if (status != FMHAC_OK || !checked)
    return status;
  const fmhac_fit_promise promise = {
      .schedule = c->schedule.label,
      .waves = c->geometry.waves,
      .waves_per_simd = c->geometry.waves_per_simd,
      .is_users = strcmp(c->config->values.schedule, "auto") != 0 ||
                  c->config->values.score_mod[0],
      .score_mod = c->config->values.score_mod};
  return blame_schedule(
      c, fmhac_fit_check(c->session->context, &c->fit.descriptor, &promise));
}

fmhac_status fmhac_compile_fresh(fmhac_context *context,
                                 const fmhac_config *config,
                                 const fmhac_support *support,
                                 const fmhac_sources *sources,
                                 fmhac_kernel *kernel) {
  compilation c;
  fmhac_status status = compilation_init(&c, context, config, support, sources);
  if (status == FMHAC_OK)
    status = run_passes(&c, FMHAC_RUNG_ROCDL, NULL, NULL);
  if (status == FMHAC_OK)
    status = translate(&c);
  if (status == FMHAC_OK)
    status = generate(&c, true);
  if (status == FMHAC_OK) {
    kernel->code = c.fit.code;
    kernel->code_bytes = c.fit.code_bytes;
    c.fit.code = NULL;
    kernel->lds_bytes = c.fit.descriptor.lds_bytes;
    kernel->name = strdup(c.kernel_name);
    kernel->schedule = strdup(c.schedule_name);
    kernel->tile_m = (uint32_t)c.geometry.tile_m;
    kernel->row_rounding = row_rounding(&c.geometry);
    kernel->block_threads = (uint32_t)(c.geometry.waves * WAVE_LANES);
    kernel->required_args_mask = fmhac_kernel_groups(&config->values);
    if (!kernel->name || !kernel->schedule)
      status = fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                          "compiling: no memory for names");
  }
  compilation_deinit(&c);
  if (status == FMHAC_OK)
    ++context->stats.compiles;
  return status;
}

/// Hands the text of a string to the caller.
static fmhac_status take_text(fmhac_context *context, fmhac_str *text,
                              void **out_bytes, size_t *out_size_bytes) {
  size_t length = text->length;
  char *bytes = fmhac_str_take(text);
  if (!bytes)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "printing a rung: out of memory");
  *out_bytes = bytes;
  *out_size_bytes = length;
  return FMHAC_OK;
}

fmhac_status fmhac_emit(fmhac_context *context, const fmhac_config *config,
                        const char *rung_name, void **out_bytes,
                        size_t *out_size_bytes) {
  *out_bytes = NULL;
  *out_size_bytes = 0;
  fmhac_rung rung;
  if (!fmhac_rung_find(rung_name, &rung)) {
    fmhac_str names = {0};
    for (size_t i = 0; fmhac_rung_name(i); ++i)
      fmhac_str_appendf(&names, "%s%s", i ? ", " : "", fmhac_rung_name(i));
    fmhac_status status =
        fmhac_fail(context, FMHAC_INVALID_INPUT,
                   "emitting a rung: expected one of %s, found '%s'",
                   names.text ? names.text : "", rung_name);
    fmhac_str_deinit(&names);
    return status;
  }
  fmhac_sources sources;
  compilation c;
  fmhac_rung last_passes = rung < FMHAC_RUNG_ROCDL ? rung : FMHAC_RUNG_ROCDL;
  fmhac_status status = compilation_begin(&c, context, config, &sources);
  if (status == FMHAC_OK)
    status = run_passes(&c, last_passes, NULL, NULL);
  if (status == FMHAC_OK && rung <= FMHAC_RUNG_ROCDL) {
    fmhac_str text = {0};
    print_module(c.module, &text);
    status = take_text(context, &text, out_bytes, out_size_bytes);
  } else if (status == FMHAC_OK) {
    status = translate(&c);
    // Code comes first, as it may change the request that the IR carries.
    if (status == FMHAC_OK)
      status = generate(&c, false);
    if (status == FMHAC_OK && rung == FMHAC_RUNG_LLVM) {
      char *ir = LLVMPrintModuleToString(c.llvm_module);
      fmhac_str text = {0};
      fmhac_str_append(&text, ir);
      LLVMDisposeMessage(ir);
      status = take_text(context, &text, out_bytes, out_size_bytes);
    } else if (status == FMHAC_OK && rung == FMHAC_RUNG_ISA) {
      status =
          fmhac_codegen_emit(c.session, c.llvm_module, FMHAC_CODEGEN_ASSEMBLY,
                             out_bytes, out_size_bytes);
    } else if (status == FMHAC_OK) {
      bool linked = rung != FMHAC_RUNG_OBJ;
      void **bytes = linked ? &c.fit.code : &c.fit.object;
      *out_bytes = *bytes;
      *out_size_bytes = linked ? c.fit.code_bytes : c.fit.object_bytes;
      *bytes = NULL;
    }
  }
  compilation_deinit(&c);
  fmhac_sources_deinit(&sources);
  return status;
}

/// Turns modules into text for the caller's sink.
typedef struct print_sink {
  void (*sink)(void *user, const char *stage, const char *text);
  void *user;
} print_sink;

static void on_stage(void *user, const char *stage, MlirModule module) {
  const print_sink *print = user;
  fmhac_str text = {0};
  print_module(module, &text);
  print->sink(print->user, stage, text.text ? text.text : "");
  fmhac_str_deinit(&text);
}

fmhac_status fmhac_print_ir_after_all(
    fmhac_context *context, const fmhac_config *config,
    void (*sink)(void *user, const char *stage, const char *text), void *user) {
  fmhac_sources sources;
  compilation c;
  print_sink print = {sink, user};
  fmhac_status status = compilation_begin(&c, context, config, &sources);
  if (status == FMHAC_OK)
    status = run_passes(&c, FMHAC_RUNG_ROCDL, on_stage, &print);
  compilation_deinit(&c);
  fmhac_sources_deinit(&sources);
  return status;
}

fmhac_status fmhac_print_pipeline(fmhac_context *context,
                                  const fmhac_config *config, char **out_text) {
  *out_text = NULL;
  fmhac_support support = {.size = sizeof support};
  fmhac_status status = fmhac_query_require(context, &config->values, &support);
  if (status != FMHAC_OK)
    return status;
  *out_text = fmhac_pipeline_print(
      fmhac_schedule_is_path(config->values.schedule) ? NULL : support.schedule,
      !context->options.no_line_tables);
  return *out_text ? FMHAC_OK
                   : fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                                "printing the pipeline: out of memory");
}
