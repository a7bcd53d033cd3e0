// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One compilation from configuration to any rung, in this process.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llvm-c/Core.h"

#include "compilation.h"
#include "compiler.h"
#include "fmha_dialect_c.h"
#include "fmha_passes_c.h"
#include "fmhac_inspect.h"
#include "fmhac_schedule.h"
#include "generate.h"
#include "kernel.h"
#include "kernel_code.h"
#include "kernels.h"
#include "package.h"
#include "pass_table.h"
#include "pipeline.h"
#include "schedule_text.h"
#include "session.h"
#include "sources.h"
#include "translate.h"
#include "work.h"
#include "work_rules.h"

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
  const char *next; ///< the schedule instead of one that did not fit; or NULL
  bool misfit;      ///< the code breaks a promise of its schedule
  bool is_trial;    ///< only to learn which schedule it is
  bool has_told;    ///< the log has the reason for the schedule
  fmhac_kernels kernels;
  MlirModule module;
  LLVMContextRef llvm_context;
  LLVMModuleRef llvm_module;
  fmhac_code code;
} compilation;

static bool has_users(const compilation *c) {
  for (size_t i = 0; i < c->kernels.count; ++i)
    if (c->kernels.parts[i].is_users)
      return true;
  return false;
}

/// The schedules that were chosen, or the next one, for messages.
static const char *label_of(const compilation *c) {
  return c->next ? c->next : c->choice->list.text;
}

/// Those that the pass attaches, to the kernels that come without one.
static bool list_builtins(const fmhac_kernels *kernels, fmhac_str *out) {
  for (size_t i = 0; i < kernels->count; ++i) {
    const fmhac_kernel_part *part = &kernels->parts[i];
    if (part->entry.role == FMHAC_ROLE_ATTENTION && !part->is_users)
      fmhac_str_appendf(out, "%s%s", out->length ? "," : "", part->label);
  }
  return !out->failed;
}

/// Adds the user's function of scores to the problem, if there is one.
static fmhac_status load_score_mod(compilation *c) {
  struct fmhac_session *session = c->session;
  const char *path = c->config->values.score_mod;
  if (!path[0] || c->config->values.role != FMHAC_ROLE_ATTENTION)
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
/// at which of its keys, if the text names one. Of several schedules nobody
/// knows which it is.
static fmhac_status blame_schedule(const compilation *c, fmhac_status status) {
  fmhac_context *context = c->session->context;
  const fmhac_kernel_part *part = &c->kernels.parts[0];
  if (status != FMHAC_INVALID_INPUT || goes_on(c) || c->choice->count != 1 ||
      !part->is_users)
    return status;
  fmhac_str text = {0};
  fmhac_schedule_locate(part->label, part->text, fmhac_last_error(context),
                        &text);
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
  fmhac_code_deinit(&c->code);
  if (c->llvm_module)
    LLVMDisposeModule(c->llvm_module);
  if (c->llvm_context)
    LLVMContextDispose(c->llvm_context);
  if (!mlirModuleIsNull(c->module))
    mlirModuleDestroy(c->module);
  c->llvm_module = NULL;
  c->llvm_context = NULL;
  c->module = (MlirModule){NULL};
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
    return fmhac_control_fail_timed_out(context, label_of(c), c->pass);
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

/// Makes the problems of the configuration, or takes the text of a rung.
static fmhac_status make_module(compilation *c, bool from_text) {
  fmhac_status status = fmhac_kernels_make_module(
      c->session, c->order, from_text, &c->kernels, &c->module);
  return status == FMHAC_OK && !from_text ? load_score_mod(c) : status;
}

/// Runs the passes of a range on the module.
static fmhac_status run_range(compilation *c, const fmhac_pass_range *range,
                              const fmhac_pass_watch *watch) {
  fmhac_str builtins = {0};
  if (!list_builtins(&c->kernels, &builtins)) {
    fmhac_str_deinit(&builtins);
    return fmhac_fail(c->session->context, FMHAC_OUT_OF_MEMORY,
                      "compiling: no memory for the names of schedules");
  }
  const fmhac_schedule_ref schedule = {.label = label_of(c),
                                       .builtins = builtins.text,
                                       .is_users = has_users(c)};
  fmhac_status status =
      fmhac_pipeline_run(c->session, c->module, &schedule, range, watch);
  fmhac_str_deinit(&builtins);
  return blame_text(c, blame_schedule(c, status));
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
  fmhac_status status =
      fmhac_kernels_load(c->session, c->order, c->next, &c->kernels);
  if (status != FMHAC_OK || is_past_passes(c))
    return status;
  status = make_module(c, goes_on(c));
  return status == FMHAC_OK ? run_range(c, &range, &watch) : status;
}

static fmhac_status ignore_pass(void *user, const char *pass) {
  (void)user;
  (void)pass;
  return FMHAC_OK;
}

static void show_nothing(void *user, const char *pass, MlirModule module) {
  (void)user;
  (void)pass;
  (void)module;
}

/// The launches of the kernels. A text of LLVM IR has none: they are those of
/// the configuration.
static fmhac_status read_launches(compilation *c) {
  const fmhac_pass_watch watch = {.before = ignore_pass, .after = show_nothing};
  const fmhac_pass_range range = {.last = FMHAC_RUNG_TILES};
  fmhac_status status = is_past_passes(c) ? make_module(c, false) : FMHAC_OK;
  if (status == FMHAC_OK && is_past_passes(c))
    status = run_range(c, &range, &watch);
  return status == FMHAC_OK ? fmhac_kernels_read_launches(
                                  c->session, c->order, c->module, &c->kernels)
                            : status;
}

/// The note of the code object, which the caller frees.
static fmhac_status make_note(compilation *c, void **out_note,
                              size_t *out_bytes) {
  fmhac_context *context = c->session->context;
  fmhac_str texts[FMHAC_MOST_ENTRIES] = {0};
  const char *schedule_texts[FMHAC_MOST_ENTRIES];
  fmhac_entry entries[FMHAC_MOST_ENTRIES];
  fmhac_str builtins = {0};
  bool ok = list_builtins(&c->kernels, &builtins);
  char *pipeline =
      ok ? fmhac_pipeline_print(builtins.text, !context->options.no_line_tables)
         : NULL;
  fmhac_str_deinit(&builtins);
  ok = pipeline;
  for (size_t i = 0; i < c->kernels.count; ++i) {
    const fmhac_kernel_part *part = &c->kernels.parts[i];
    // Whole, whatever it is derived from.
    if (!mlirAttributeIsNull(part->loaded))
      mlirAttributePrint(mlirAttributeIsNull(part->carried) ? part->loaded
                                                            : part->carried,
                         fmhac_append_string_ref, &texts[i]);
    schedule_texts[i] = texts[i].text ? texts[i].text : "";
    entries[i] = part->entry;
    ok &= !texts[i].failed;
  }
  const char *score_mod = c->sources->score_mod.text;
  const fmhac_note_fields fields = {
      .config = c->config->canonical,
      .score_mod_text = score_mod ? score_mod : "",
      .pipeline = pipeline,
      .from = goes_on(c) ? fmhac_rung_name(c->order->from.rung) : NULL,
      .entries = entries,
      .schedule_texts = schedule_texts,
      .entry_count = c->kernels.count,
  };
  *out_note = ok ? fmhac_package_note(&fields, out_bytes) : NULL;
  for (size_t i = 0; i < c->kernels.count; ++i)
    fmhac_str_deinit(&texts[i]);
  free(pipeline);
  return *out_note
             ? FMHAC_OK
             : fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                          "making the note of the code object: out of memory");
}

/// The symbols of the kernels.
static void name_kernels(const compilation *c,
                         const char *out[FMHAC_MOST_ENTRIES]) {
  for (size_t i = 0; i < c->kernels.count; ++i)
    out[i] = c->kernels.parts[i].entry.kernel;
}

/// Of a kernel of attention, for its planner.
static fmhac_work_rules rules_of(const compilation *c,
                                 const fmhac_divided *kernel) {
  const fmhac_entry *entry = &c->kernels.parts[kernel->entry].entry;
  const fmhac_work_tile tile = {entry->tile_m, entry->tile_n,
                                fmhac_entry_packs_heads(entry)};
  fmhac_work_rules rules = fmhac_work_rules_of(&c->config->values, &tile);
  rules.rows = kernel->rows;
  return rules;
}

/// Puts what finds their work into kernels of attention.
static fmhac_status link_finders(compilation *c) {
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < c->kernels.count && status == FMHAC_OK; ++i) {
    const fmhac_entry *entry = &c->kernels.parts[i].entry;
    if (!fmhac_entry_finds_runs(entry))
      continue;
    const fmhac_work_rules rules = rules_of(c, &(fmhac_divided){.entry = i});
    status = fmhac_translate_finder(c->session, &rules, entry->kernel,
                                    c->llvm_module);
  }
  return status;
}

/// Adds the kernels of planners. The text of the rung `llvm` has them.
static fmhac_status link_planners(compilation *c) {
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < c->kernels.count && status == FMHAC_OK; ++i) {
    const fmhac_kernel_part *part = &c->kernels.parts[i];
    if (part->entry.role != FMHAC_ROLE_PLAN)
      continue;
    fmhac_division division;
    fmhac_work_rules rules[FMHAC_WORK_MOST_KERNELS];
    fmhac_kernels_divide(&c->kernels, &c->config->values, part->lists_of,
                         &division);
    for (size_t k = 0; k < division.count; ++k)
      rules[k] = rules_of(c, &division.kernels[k]);
    status = fmhac_translate_planner(c->session, rules, division.count,
                                     part->entry.kernel, c->llvm_module);
  }
  return status;
}

static fmhac_status translate(compilation *c) {
  fmhac_status status = begin_pass(c, "translate");
  if (status == FMHAC_OK)
    status = read_launches(c);
  void *note = NULL;
  size_t note_bytes = 0;
  if (status == FMHAC_OK)
    status = make_note(c, &note, &note_bytes);
  const char *names[FMHAC_MOST_ENTRIES];
  name_kernels(c, names);
  if (status != FMHAC_OK)
    ;
  else if (is_past_passes(c))
    status = fmhac_translate_text(c->session, &c->order->from, names,
                                  c->kernels.count, note, note_bytes,
                                  &c->llvm_context, &c->llvm_module);
  else
    status = fmhac_translate_module(c->session, c->module, note, note_bytes,
                                    &c->llvm_context, &c->llvm_module);
  if (status == FMHAC_OK && !is_past_passes(c))
    status = link_finders(c);
  if (status == FMHAC_OK && !is_past_passes(c))
    status = link_planners(c);
  free(note);
  return blame_text(c, status);
}

/// The grid's kernel may fit where that for lists does not.
static fmhac_status add_way_out(const compilation *c, fmhac_status status) {
  char *why = strdup(fmhac_last_error(c->session->context));
  status =
      fmhac_fail(c->session->context, status,
                 "%s; of work = auto, which has a kernel for lists: work = "
                 "grid leaves that out",
                 why ? why : "");
  free(why);
  return status;
}

/// Compares the code with the promises of its schedules.
static fmhac_status check_fit(compilation *c) {
  fmhac_status status = FMHAC_OK;
  for (size_t i = 0; i < c->kernels.count && status == FMHAC_OK; ++i) {
    const fmhac_kernel_part *part = &c->kernels.parts[i];
    const fmhac_promise promise = {
        .schedule = part->label,
        .waves = part->geometry.waves,
        .waves_per_simd = part->geometry.waves_per_simd,
        .block_threads = part->entry.block_threads,
        .is_users =
            goes_on(c) ||
            strcmp(c->config->values.schedule, FMHAC_SCHEDULE_AUTO) != 0 ||
            c->config->values.score_mod[0],
        .score_mod = c->config->values.score_mod};
    status = fmhac_promise_check(c->session->context, &c->code.descriptors[i],
                                 &promise);
    // Kernels of the grid come first: they fit.
    if (status != FMHAC_OK && part->takes_lists &&
        fmhac_config_has_both_forms(&c->config->values))
      status = add_way_out(c, status);
  }
  c->misfit = status != FMHAC_OK;
  return blame_schedule(c, status);
}

/// Generates the code of a translated compilation.
static fmhac_status generate(compilation *c, bool checked) {
  const char *names[FMHAC_MOST_ENTRIES];
  name_kernels(c, names);
  fmhac_status status = begin_pass(c, "generate");
  if (status == FMHAC_OK)
    status = blame_text(c, fmhac_generate(c->session, c->llvm_module, names,
                                          c->kernels.count, &c->code));
  return status == FMHAC_OK && checked ? check_fit(c) : status;
}

/// Callers get only audited code, unless the context has `no_audit`.
static fmhac_status audit(compilation *c) {
  fmhac_context *context = c->session->context;
  return context->options.no_audit
             ? FMHAC_OK
             : c->order->audit(context, c->code.linked, c->code.linked_bytes);
}

/// Fills the kernel.
static fmhac_status fill(const compilation *c, fmhac_kernel *kernel) {
  const fmhac_allocator a = fmhac_allocator_of(kernel->context);
  const fmhac_str *log = &c->session->log;
  kernel->code = fmhac_duplicate(a, c->code.linked, c->code.linked_bytes);
  kernel->code_bytes = c->code.linked_bytes;
  kernel->log = log->failed ? NULL : fmhac_duplicate(a, log->text, log->length);
  if (!kernel->code || !kernel->log)
    return fmhac_fail(c->session->context, FMHAC_OUT_OF_MEMORY,
                      "compiling: no memory for the kernel");
  fmhac_entry entries[FMHAC_MOST_ENTRIES];
  for (size_t i = 0; i < c->kernels.count; ++i) {
    entries[i] = c->kernels.parts[i].entry;
    entries[i].lds_bytes = c->code.descriptors[i].lds_bytes;
  }
  fmhac_kernel_set_entries(kernel, entries, c->kernels.count);
  return FMHAC_OK;
}

static fmhac_status try_schedule(compilation *c) {
  fmhac_status status = run_passes(c, FMHAC_RUNG_ROCDL);
  if (status == FMHAC_OK)
    status = translate(c);
  return status == FMHAC_OK ? generate(c, true) : status;
}

/// Compiles with the schedule that was chosen, or with the next one if that
/// does not fit: the registers of a user's function, and of an item of a list,
/// are known only after code generation.
static fmhac_status make_fit(compilation *c) {
  fmhac_status status = try_schedule(c);
  const char *next = c->choice->next;
  if (!c->misfit || !next)
    return status;
  fmhac_str text = {0};
  fmhac_str_appendf(
      &text, "schedule %s instead of %s, which does not fit with %s: %s", next,
      label_of(c),
      c->config->values.score_mod[0] ? c->config->values.score_mod
      : fmhac_config_finds_runs(&c->config->values) ? "the search for its work"
                                                    : "a list of work",
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
    return fmhac_generate_assembly(c->session, c->llvm_module, &product->bytes,
                                   &product->size_bytes);
  bool linked = rung != FMHAC_RUNG_OBJ;
  void **bytes = linked ? &c->code.linked : &c->code.object;
  product->bytes = *bytes;
  product->size_bytes = linked ? c->code.linked_bytes : c->code.object_bytes;
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

fmhac_status fmhac_compilation_run(fmhac_context *context,
                                   const fmhac_order *order,
                                   fmhac_product *product) {
  compilation c;
  fmhac_status status = compilation_init(&c, context, order);
  if (status != FMHAC_OK)
    return status;
  fmhac_str_deinit(&c.session->log); // of the compilation before
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
  return status;
}
