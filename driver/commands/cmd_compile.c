// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac compile: configuration in; code object, a rung of the ladder, or the
// pipeline out.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "args.h"
#include "audit.h"
#include "commands.h"
#include "depfile.h"
#include "embed.h"
#include "files.h"
#include "fmhac_inspect.h"
#include "fmhac_options.h"
#include "fmhac_schedule.h"
#include "kernel_object.h"
#include "launch_expr.h"
#include "schedule_facts.h"
#include "seconds.h"
#include "session.h"
#include "streams.h"

enum { MAX_RUNGS = 32, PATH_BYTES = 4096, RUNG_LIST_BYTES = 256 };

typedef struct compile_flags {
  const char *output, *rung, *depfile, *embed;
  const char *from;        ///< rung to go on from, or NULL
  const char *from_file;   ///< the text of that rung; "-": standard input
  char *from_text;         ///< owned
  const char *config_file; ///< of --config, or NULL
  bool save_temps, print_ir, print_pipeline, no_audit, no_line_tables;
} compile_flags;

static bool is_binary(const char *rung) {
  return strcmp(rung, "obj") == 0 || strcmp(rung, "hsaco") == 0;
}

/// The extension of a saved rung, as an editor or a tool expects it.
static const char *extension_of(const char *rung) {
  static const struct {
    const char *rung, *extension;
  } table[] = {{"isa", "s"}, {"obj", "o"}, {"llvm", "ll"}};
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i)
    if (strcmp(rung, table[i].rung) == 0)
      return table[i].extension;
  return "mlir";
}

/// The rung after which there is code instead of text.
static const char *const last_ir = "llvm";

/// "problem|tiles|…", up to a rung; NULL: all.
static void list_rungs(const char *last, char *list, size_t bytes) {
  const char *rung = NULL;
  size_t used = 0;
  list[0] = '\0';
  for (size_t i = 0; !(last && rung && strcmp(rung, last) == 0) &&
                     (rung = fmhac_rung_name(i)) && used < bytes;
       ++i)
    used +=
        (size_t)snprintf(list + used, bytes - used, "%s%s", i ? "|" : "", rung);
}

static int check_rung(const report *r, const char *rung, const char *last) {
  const char *names[MAX_RUNGS];
  size_t count = 0;
  for (; count < MAX_RUNGS && fmhac_rung_name(count); ++count) {
    names[count] = fmhac_rung_name(count);
    if (strcmp(rung, names[count]) == 0)
      return ARGS_CONTINUE;
    if (last && strcmp(names[count], last) == 0)
      break;
  }
  char list[RUNG_LIST_BYTES];
  list_rungs(last, list, sizeof list);
  const char *near = fmhac_nearest_spelling(rung, names, count);
  return report_error(r, EXIT_USAGE,
                      "no rung '%.40s'%s%s%s; expected one of %s", rung,
                      MEANT(near), list);
}

static int check_from(const report *r, const compile_flags *flags) {
  if (!flags->from)
    return flags->from_file
               ? report_error(r, EXIT_USAGE,
                              "unexpected argument '%.60s'; expected --from "
                              "RUNG before a file with the text of a rung",
                              flags->from_file)
               : ARGS_CONTINUE;
  int code = check_rung(r, flags->from, last_ir);
  if (code != ARGS_CONTINUE)
    return code;
  if (!flags->from_file)
    return report_error(
        r, EXIT_USAGE,
        "--from %s: expected a file with the text of that rung, or -",
        flags->from);
  if (flags->save_temps || flags->print_ir || flags->print_pipeline)
    return report_error(r, EXIT_USAGE,
                        "--from compiles from a text: leave out --save-temps, "
                        "--print-ir-after-all and --print-pipeline");
  return ARGS_CONTINUE;
}

/// Reads the text to go on from, if there is one.
static int read_from(const report *r, compile_flags *flags) {
  if (!flags->from)
    return ARGS_CONTINUE;
  char error[ERROR_BYTES];
  void *text;
  size_t size;
  if (!file_read(flags->from_file, &text, &size, error))
    return report_error(r, EXIT_USAGE, "%s", error);
  flags->from_text = text;
  return strlen(text) == size
             ? ARGS_CONTINUE
             : report_error(r, EXIT_USAGE, "%s: expected text, found a byte 0",
                            flags->from_file);
}

/// Output on a terminal or in the JSON object must be text.
static int check_flags(const report *r, const compile_flags *flags) {
  if (flags->embed && !embed_is_symbol(flags->embed))
    return report_error(r, EXIT_USAGE,
                        "--embed: expected an identifier of C, found '%.60s'",
                        flags->embed);
  if (flags->embed && flags->rung && strcmp(flags->rung, "hsaco") != 0)
    return report_error(r, EXIT_USAGE,
                        "--embed writes the code object as C source: leave out "
                        "--emit=%.40s",
                        flags->rung);
  if (flags->depfile && (!flags->output || strcmp(flags->output, "-") == 0))
    return report_error(
        r, EXIT_USAGE,
        "--depfile lists the dependencies of a file: give -o FILE");
  int code = check_from(r, flags);
  if (code != ARGS_CONTINUE || !flags->rung)
    return code;
  code = check_rung(r, flags->rung, NULL);
  if (code != ARGS_CONTINUE)
    return code;
  if (strcmp(flags->rung, "obj") == 0 && !flags->output)
    return report_error(r, EXIT_USAGE,
                        "--emit=obj writes bytes: give -o FILE, or -o - for "
                        "standard output");
  if (flags->save_temps && strcmp(flags->rung, "hsaco") != 0)
    return report_error(r, EXIT_USAGE,
                        "--emit=%s writes one rung, --save-temps all of them: "
                        "leave out one of the two",
                        flags->rung);
  return ARGS_CONTINUE;
}

static int check_output(const report *r, const compile_flags *flags) {
  char error[ERROR_BYTES];
  if (!flags->output)
    return ARGS_CONTINUE;
  if (!file_can_write(flags->output, error) ||
      (flags->depfile && !file_can_write(flags->depfile, error)))
    return report_error(r, EXIT_USAGE, "%s", error);
  if (strcmp(flags->output, "-") != 0) {
    if (!flags->save_temps || file_is_regular(flags->output))
      return ARGS_CONTINUE;
    return report_error(r, EXIT_USAGE,
                        "--save-temps writes files beside the output, and "
                        "%.200s is no regular file: give -o FILE",
                        flags->output);
  }
  bool binary = !flags->embed && (!flags->rung || is_binary(flags->rung));
  if (r->json)
    return report_error(
        r, EXIT_USAGE,
        "-o - and --json both write to standard output: give -o FILE");
  if (binary && isatty(STDOUT_FILENO))
    return report_error(r, EXIT_USAGE,
                        "-o - would write bytes to a terminal: give a file");
  return ARGS_CONTINUE;
}

static cJSON *new_result(const session *s) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddItemToObject(object, "config",
                        cJSON_Parse(fmhac_config_get_canonical(s->config)));
  return object;
}

static int write_output(const session *s, const char *path, const void *bytes,
                        size_t size) {
  char error[ERROR_BYTES];
  if (file_write(path, bytes, size, error))
    return EXIT_DONE;
  return report_error(s->r, EXIT_USAGE, "%s", error);
}

/// The dependencies of the output. They are written before the output, so that
/// an existing output has known dependencies.
static int write_depfile(const session *s, const compile_flags *flags) {
  if (!flags->depfile)
    return EXIT_DONE;
  const char *score_mod = option_text(s->options, "score_mod");
  // Whatever it chose: another table may choose something else.
  const char *table = strcmp(option_text(s->options, "schedule"), "auto") == 0
                          ? fmhac_context_get_dispatch_table(s->context)
                          : NULL;
  enum { BEFORE = 2, AFTER = 2 };
  const char *files[BEFORE + FMHAC_MOST_ENTRIES + AFTER] = {
      [0] = flags->config_file,
      [1] = flags->from_file,
      [BEFORE + FMHAC_MOST_ENTRIES] = score_mod[0] ? score_mod : NULL,
      [BEFORE + FMHAC_MOST_ENTRIES + 1] = table};
  // The user or a table may have named files of schedules: the choice knows.
  fmhac_schedule_choice *choices = calloc(FMHAC_MOST_ENTRIES, sizeof *choices);
  fmhac_support support = {.size = sizeof support};
  fmhac_status status = fmhac_query(s->context, s->config, &support);
  for (size_t i = 0; choices && status == FMHAC_OK && i < support.entry_count &&
                     i < FMHAC_MOST_ENTRIES;
       ++i) {
    choices[i].size = sizeof *choices;
    status = fmhac_query_schedule(s->context, s->config, i, &choices[i]);
    // A name that is no built-in schedule is a file, which has just been read.
    if (status == FMHAC_OK && !fmhac_schedule_text(choices[i].schedule))
      files[BEFORE + i] = choices[i].schedule;
  }
  char error[ERROR_BYTES];
  int code = EXIT_DONE;
  if (!choices)
    code = report_error(s->r, EXIT_DEVICE, "no memory for --depfile");
  else if (status != FMHAC_OK)
    code = session_fail(s, status);
  else if (!depfile_write(flags->depfile, flags->output, files,
                          sizeof files / sizeof *files, error))
    code = report_error(s->r, EXIT_USAGE, "%s", error);
  free(choices);
  return code;
}

//===- The request --------------------------------------------------------===//

static int emit_rung(const session *s, const compile_flags *flags,
                     cJSON *result) {
  void *bytes;
  size_t size;
  fmhac_status status =
      flags->from
          ? fmhac_emit_from(s->context, s->config, flags->from,
                            flags->from_text, flags->from_file, flags->rung,
                            &bytes, &size)
          : fmhac_emit(s->context, s->config, flags->rung, &bytes, &size);
  if (status != FMHAC_OK)
    return session_fail(s, status);
  int code = EXIT_DONE;
  cJSON_AddStringToObject(result, "rung", flags->rung);
  cJSON_AddNumberToObject(result, "bytes", (double)size);
  if (flags->output) {
    code = write_depfile(s, flags);
    if (code == EXIT_DONE)
      code = write_output(s, flags->output, bytes, size);
    cJSON_AddStringToObject(result, "file", flags->output);
  } else if (s->r->json) {
    char *text = strndup(bytes, size);
    cJSON_AddStringToObject(result, "text", text ? text : "");
    free(text);
  } else {
    code = write_output(s, "-", bytes, size);
  }
  fmhac_free(bytes);
  return code;
}

/// PREFIX.RUNG.EXTENSION beside the output.
static void temp_path(const char *output, const char *rung,
                      char path[PATH_BYTES]) {
  const char *dot = strrchr(output, '.'), *slash = strrchr(output, '/');
  int stem = dot && (!slash || dot > slash + 1) && dot != output
                 ? (int)(dot - output)
                 : (int)strlen(output);
  snprintf(path, PATH_BYTES, "%.*s.%s.%s", stem, output, rung,
           extension_of(rung));
}

/// Writes every rung but the last, which is the output, beside the output.
static int save_temps(const session *s, const char *output) {
  const char *rung;
  char path[PATH_BYTES], error[ERROR_BYTES];
  for (size_t i = 0; (rung = fmhac_rung_name(i)); ++i) {
    temp_path(output, rung, path);
    if (!file_can_write(path, error))
      return report_error(s->r, EXIT_USAGE, "%s", error);
  }
  for (size_t i = 0; (rung = fmhac_rung_name(i)); ++i) {
    if (strcmp(rung, "hsaco") == 0)
      continue;
    void *bytes;
    size_t size;
    fmhac_status status =
        fmhac_emit(s->context, s->config, rung, &bytes, &size);
    if (status != FMHAC_OK)
      return session_fail(s, status);
    temp_path(output, rung, path);
    int code = write_output(s, path, bytes, size);
    fmhac_free(bytes);
    if (code != EXIT_DONE)
      return code;
  }
  return EXIT_DONE;
}

/// The name of an embedded kernel: of its configuration's file, else its
/// symbol.
static void embedded_name(const compile_flags *flags, char name[PATH_BYTES]) {
  const char *file = flags->config_file;
  if (!file || strcmp(file, "-") == 0) {
    snprintf(name, PATH_BYTES, "%s", flags->embed);
    return;
  }
  const char *slash = strrchr(file, '/');
  snprintf(name, PATH_BYTES, "%s", slash ? slash + 1 : file);
  char *dot = strrchr(name, '.');
  if (dot && strcmp(dot, ".json") == 0)
    *dot = '\0';
}

static int write_code(const session *s, const compile_flags *flags,
                      const char *output, const void *bytes, size_t size) {
  if (!flags->embed)
    return write_output(s, output, bytes, size);
  char name[PATH_BYTES];
  embedded_name(flags, name);
  size_t source_bytes;
  char *source =
      embed_source(flags->embed, name, fmhac_config_get_canonical(s->config),
                   bytes, size, &source_bytes);
  if (!source)
    return session_fail(s, FMHAC_OUT_OF_MEMORY);
  int code = write_output(s, output, source, source_bytes);
  free(source);
  return code;
}

static int compile_code(const session *s, const compile_flags *flags,
                        cJSON *result) {
  double start = seconds_now();
  fmhac_kernel *kernel = NULL;
  char *default_output = NULL, *label = NULL;
  int code = EXIT_DONE;
  fmhac_status status =
      flags->from
          ? fmhac_compile_from(s->context, s->config, flags->from,
                               flags->from_text, flags->from_file, &kernel)
          : fmhac_compile(s->context, s->config, &kernel);
  double seconds = seconds_now() - start;
  const void *bytes;
  size_t size;
  if (status == FMHAC_OK)
    status = fmhac_kernel_get_code(kernel, &bytes, &size);
  if (status != FMHAC_OK) {
    code = session_fail(s, status);
    goto cleanup;
  }
  // The library has refused code with findings; the object lists the rest.
  if (!flags->no_audit && s->r->json)
    code = audit_output(s->r, bytes, size, result);
  if (code != EXIT_DONE)
    goto cleanup;
  const char *name = fmhac_kernel_get_name(kernel);
  if (asprintf(&default_output, "%s.%s", flags->embed ? flags->embed : name,
               flags->embed ? "c" : "hsaco") < 0) {
    default_output = NULL;
    code = session_fail(s, FMHAC_OUT_OF_MEMORY);
    goto cleanup;
  }
  const char *output = flags->output ? flags->output : default_output;
  // The code object is written last: if it exists, so do all requested files.
  if (flags->save_temps)
    code = save_temps(s, strcmp(output, "-") ? output : default_output);
  if (code == EXIT_DONE)
    code = write_depfile(s, flags);
  if (code == EXIT_DONE)
    code = write_code(s, flags, output, bytes, size);
  if (code != EXIT_DONE)
    goto cleanup;
  cJSON_AddStringToObject(result, "kernel", name);
  kernel_schedule_json(result, kernel, NULL);
  cJSON_AddStringToObject(result, "file", output);
  cJSON_AddNumberToObject(result, "bytes", (double)size);
  cJSON_AddNumberToObject(result, "seconds", seconds);
  label = schedule_label(result);
  if (!s->r->json && !s->r->quiet && strcmp(output, "-") != 0)
    printx("%s  %zu bytes  %s %s  %.0f ms\n", output, size,
           label && label[0] ? "schedule" : "role",
           label && label[0] ? label : option_text(s->options, "role"),
           seconds * 1e3);

cleanup:
  free(label);
  free(default_output);
  fmhac_kernel_destroy(kernel);
  return code;
}

typedef struct stage_sink {
  cJSON *stages; ///< array of {stage, text} with --json, else NULL
} stage_sink;

static void take_stage(void *user, const char *stage, const char *text) {
  stage_sink *sink = user;
  if (!sink->stages) {
    printx("// -----// after %s //----- //\n", stage);
    print_text(stdout, text);
    printx("\n");
    return;
  }
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "stage", stage);
  cJSON_AddStringToObject(object, "text", text);
  cJSON_AddItemToArray(sink->stages, object);
}

static int print_ir(const session *s, cJSON *result) {
  stage_sink sink = {0};
  if (s->r->json)
    sink.stages = cJSON_AddArrayToObject(result, "stages");
  fmhac_status status =
      fmhac_emit_after_all(s->context, s->config, take_stage, &sink);
  return status == FMHAC_OK ? EXIT_DONE : session_fail(s, status);
}

static int print_pipeline(const session *s, cJSON *result) {
  char *text;
  fmhac_status status = fmhac_emit_pipeline(s->context, s->config, &text);
  if (status != FMHAC_OK)
    return session_fail(s, status);
  if (s->r->json)
    cJSON_AddStringToObject(result, "pipeline", text);
  else
    print_text(stdout, text);
  if (!s->r->json && (!text[0] || text[strlen(text) - 1] != '\n'))
    printx("\n");
  fmhac_free(text);
  return EXIT_DONE;
}

static int compile_all(const session *s, const compile_flags *flags,
                       cJSON *result) {
  int code = EXIT_DONE;
  if (flags->print_pipeline)
    code = print_pipeline(s, result);
  if (code == EXIT_DONE && flags->print_ir)
    code = print_ir(s, result);
  if (code != EXIT_DONE)
    return code;
  if (flags->rung && strcmp(flags->rung, "hsaco") != 0)
    return emit_rung(s, flags, result);
  // The user asked for the printed text; a file is written only on request.
  if ((flags->print_pipeline || flags->print_ir) && !flags->output &&
      !flags->rung && !flags->save_temps && !flags->embed)
    return EXIT_DONE;
  return compile_code(s, flags, result);
}

int cmd_compile(int argc, char **argv) {
  compile_flags flags = {0};
  char rungs[RUNG_LIST_BYTES], ir_rungs[RUNG_LIST_BYTES];
  list_rungs(NULL, rungs, sizeof rungs);
  list_rungs(last_ir, ir_rungs, sizeof ir_rungs);
  const flag specs[] = {
      {"o", "FILE", "write here; - is standard output (default KERNEL.hsaco)",
       FLAG_TEXT, &flags.output},
      {"emit", rungs, "stop at a rung; text goes to standard output without -o",
       FLAG_TEXT, &flags.rung},
      {"from", ir_rungs,
       "compile from FILE: the text that --emit printed of this configuration "
       "at that rung, as you have edited it",
       FLAG_TEXT, &flags.from},
      {"save-temps", "", "also write every rung beside the output", FLAG_SWITCH,
       &flags.save_temps},
      {"print-ir-after-all", "", "print the IR after every pass", FLAG_SWITCH,
       &flags.print_ir},
      {"print-pipeline", "", "print the pipeline, one pass a line", FLAG_SWITCH,
       &flags.print_pipeline},
      {"embed", "SYMBOL",
       "write C source that defines a fmhac_embedded_kernel of this name "
       "(default SYMBOL.c)",
       FLAG_TEXT, &flags.embed},
      {"depfile", "FILE",
       "also write the dependencies of the output, as a make rule", FLAG_TEXT,
       &flags.depfile},
      {"no-audit", "", "do not check the code object (inspect --waits)",
       FLAG_SWITCH, &flags.no_audit},
      {"no-line-tables", "",
       "write no line tables, with which findings and debuggers name lines and "
       "steps",
       FLAG_SWITCH, &flags.no_line_tables},
  };
  const command cmd = {
      .name = "compile",
      .synopsis = "CONFIG [-o FILE] [--emit=RUNG] [--from RUNG FILE]",
      .summary =
          "Compiles one attention configuration to a gfx950 code object.",
      COMMAND_FLAGS(specs),
      .takes_config = true,
      .most_positionals = 1,
  };
  report r = {0};
  args a;
  session s = {0};
  cJSON *result = NULL;
  int code = args_parse(&cmd, argc, argv, &r, &a);
  flags.config_file = a.config_file;
  flags.from_file = a.positionals[0];
  if (code == ARGS_CONTINUE)
    code = check_flags(&r, &flags);
  if (code == ARGS_CONTINUE)
    code = check_output(&r, &flags);
  if (code == ARGS_CONTINUE)
    code = read_from(&r, &flags);
  if (code == ARGS_CONTINUE)
    code =
        session_open(&a, &r,
                     (session_options){.no_line_tables = flags.no_line_tables,
                                       .no_audit = flags.no_audit},
                     &s);
  if (code == ARGS_CONTINUE)
    code = session_require_support(&s);
  if (code == ARGS_CONTINUE) {
    result = new_result(&s);
    code = compile_all(&s, &flags, result);
    if (code == EXIT_DONE && r.json) {
      code = report_json(result, code);
      result = NULL;
    }
  }
  cJSON_Delete(result);
  free(flags.from_text);
  session_close(&s);
  args_deinit(&a);
  return code;
}
