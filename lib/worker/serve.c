// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "serve.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "context.h"
#include "fmhac_schedule.h"
#include "kernel_artefact.h"
#include "load.h"
#include "message.h"

/// An order as received, and its state until it is done.
typedef struct task {
  int socket;
  uint32_t number; ///< which order it is, by its sender's count
  fmhac_context *context;
  char *canonical;             ///< owned, as the seven below
  char *from_name, *from_text; ///< NULL: there is no text to go on from
  char *next;                  ///< schedule of the choice; NULL: there is none
  fmhac_config *config;
  fmhac_sources sources;
  fmhac_choice choice; ///< its texts are of this task
  fmhac_kernel *kernel;
  fmhac_control control;
  fmhac_order order;
  fmhac_product product;
} task;

static void send_log(void *user, fmhac_severity severity, const char *text) {
  // A client that stops listening closes the socket; the next receive fails.
  const int *socket = user;
  (void)fmhac_message_send(*socket,
                           &(fmhac_message){.kind = FMHAC_MESSAGE_LOG,
                                            .numbers = {(uint32_t)severity},
                                            .texts = {fmhac_span_of(text)}});
}

static void send_stage(void *user, const char *stage, uint32_t done,
                       uint32_t total) {
  task *t = user;
  if (fmhac_message_send(t->socket,
                         &(fmhac_message){.kind = FMHAC_MESSAGE_STAGE,
                                          .numbers = {done, total},
                                          .texts = {fmhac_span_of(stage)}}))
    fmhac_control_cancel(&t->control); // nobody waits for it
}

static void send_ir(void *user, const char *stage, const char *text) {
  task *t = user;
  if (fmhac_message_send(t->socket,
                         &(fmhac_message){.kind = FMHAC_MESSAGE_IR,
                                          .texts = {fmhac_span_of(stage),
                                                    fmhac_span_of(text)}}))
    fmhac_control_cancel(&t->control);
}

static int send_done(const task *t, fmhac_status status, fmhac_span product) {
  const char *text = status == FMHAC_OK ? "" : fmhac_last_error(t->context);
  return fmhac_message_send(
      t->socket, &(fmhac_message){.kind = FMHAC_MESSAGE_DONE,
                                  .numbers = {(uint32_t)status, t->number},
                                  .texts = {fmhac_span_of(text), product}});
}

/// Both sides must be the same build, or one misreads the other.
static fmhac_status check_build(fmhac_context *context, fmhac_span asked) {
  const char *build;
  if (fmhac_build(context, &build) != FMHAC_OK || !build[0])
    build = fmhac_version_text();
  if (asked.text && asked.bytes == strlen(build) &&
      memcmp(asked.text, build, asked.bytes) == 0)
    return FMHAC_OK;
  return fmhac_fail(context, FMHAC_INTERNAL,
                    "the compiler process is of another build than the library "
                    "that started it: expected [%.*s], found [%s]; install "
                    "libfmhac and fmhac-compiler together",
                    (int)asked.bytes, asked.text ? asked.text : "", build);
}

static void copy_source(fmhac_span text, fmhac_str *out) {
  if (text.text)
    fmhac_str_append_bytes(out, text.text, text.bytes);
}

/// False if a text has no room.
static bool copy_name(fmhac_span text, char *out, size_t bytes) {
  if (text.bytes >= bytes)
    return false;
  if (text.text)
    memcpy(out, text.text, text.bytes);
  out[text.bytes] = '\0';
  return true;
}

/// One schedule of an order. The two sides are one build, so that a name that
/// this one does not know is no mistake of the user.
static fmhac_status read_schedule(task *t, const fmhac_span texts[3],
                                  size_t number) {
  fmhac_chosen *chosen = &t->choice.entries[number];
  fmhac_str *file = &t->sources.schedules[number];
  bool ok = copy_name(texts[0], chosen->name, sizeof chosen->name) &&
            copy_name(texts[1], chosen->when, sizeof chosen->when);
  copy_source(texts[2], file);
  if (file->failed)
    return fmhac_fail(t->context, FMHAC_OUT_OF_MEMORY,
                      "an order: no memory for its schedule");
  chosen->is_file = texts[2].text != NULL;
  chosen->text =
      chosen->is_file ? file->text : fmhac_schedule_text(chosen->name);
  if (!ok || !chosen->text)
    return fmhac_fail(t->context, FMHAC_INTERNAL,
                      "an order: expected a built-in schedule, found '%.60s'",
                      chosen->name);
  chosen->text_bytes = chosen->is_file ? file->length : strlen(chosen->text);
  return FMHAC_OK;
}

/// The choice that came with an order.
static fmhac_status read_choice(task *t, const fmhac_message *m) {
  fmhac_choice *choice = &t->choice;
  copy_source(m->texts[3], &choice->remarks);
  t->next = m->texts[2].text ? fmhac_span_copy(m->texts[2]) : NULL;
  if (choice->remarks.failed || (m->texts[2].text && !t->next))
    return fmhac_fail(t->context, FMHAC_OUT_OF_MEMORY,
                      "an order: no memory for its schedule");
  choice->next = t->next;
  if (t->next && !fmhac_schedule_text(t->next))
    return fmhac_fail(t->context, FMHAC_INTERNAL,
                      "an order: expected a built-in schedule, found '%.60s'",
                      t->next);
  const fmhac_span *at = m->texts + FMHAC_MESSAGE_SCHEDULES_AT;
  fmhac_status status = FMHAC_OK;
  for (; choice->count < FMHAC_MOST_ENTRIES && at->text && status == FMHAC_OK;
       at += 3)
    status = read_schedule(t, at, choice->count++);
  if (status == FMHAC_OK && !fmhac_choice_complete(choice, &t->config->values))
    status = fmhac_fail(t->context, FMHAC_OUT_OF_MEMORY,
                        "an order: no memory for its schedules");
  if (status == FMHAC_OK && !choice->count &&
      t->config->values.role == FMHAC_ROLE_ATTENTION)
    status = fmhac_fail(t->context, FMHAC_INTERNAL,
                        "an order: expected a schedule, found none");
  return status;
}

/// Converts a message to an order for the compiler.
static fmhac_status read_order(task *t, const fmhac_message *m) {
  fmhac_status status = check_build(t->context, m->texts[0]);
  if (status != FMHAC_OK)
    return status;
  if (m->numbers[0] >= FMHAC_TASKS || m->numbers[1] >= FMHAC_RUNG_COUNT ||
      m->numbers[4] >= FMHAC_RUNG_COUNT)
    return fmhac_fail(t->context, FMHAC_INTERNAL,
                      "an order for task %u at rung %u, of which there are %d "
                      "and %d",
                      m->numbers[0], m->numbers[1], FMHAC_TASKS,
                      FMHAC_RUNG_COUNT);
  t->context->options.no_line_tables =
      m->numbers[2] & FMHAC_ORDER_NO_LINE_TABLES;
  t->context->options.no_audit = m->numbers[2] & FMHAC_ORDER_NO_AUDIT;
  t->control.progress = send_stage;
  t->canonical = m->texts[1].text ? fmhac_span_copy(m->texts[1]) : NULL;
  if (!t->canonical)
    return fmhac_fail(t->context, FMHAC_OUT_OF_MEMORY,
                      "an order: no memory for its configuration");
  status = fmhac_config_create_json(t->context, t->canonical, &t->config);
  if (status == FMHAC_OK)
    status = read_choice(t, m);
  if (status != FMHAC_OK)
    return status;
  copy_source(m->texts[4], &t->sources.score_mod);
  t->kernel = fmhac_kernel_create(t->context);
  const bool goes_on = m->texts[5].text && m->texts[6].text;
  t->from_text = goes_on ? fmhac_span_copy(m->texts[5]) : NULL;
  t->from_name = goes_on ? fmhac_span_copy(m->texts[6]) : NULL;
  if (!t->kernel || (goes_on && (!t->from_text || !t->from_name)) ||
      t->sources.score_mod.failed)
    return fmhac_fail(t->context, FMHAC_OUT_OF_MEMORY,
                      "an order: no memory for it");
  t->product.kernel = t->kernel;
  t->order = (fmhac_order){.task = (fmhac_task)m->numbers[0],
                           .config = t->config,
                           .choice = &t->choice,
                           .sources = &t->sources,
                           .rung = (fmhac_rung)m->numbers[1],
                           .from = {(fmhac_rung)m->numbers[4], t->from_name,
                                    t->from_text, m->texts[5].bytes},
                           .print = send_ir,
                           .print_user = t,
                           .control = &t->control};
  if (t->order.task != FMHAC_TASK_PRINT_IR)
    t->order.print = NULL;
  return FMHAC_OK;
}

static int answer(task *t, fmhac_status status) {
  void *artefact = NULL;
  fmhac_span product = {t->product.bytes, t->product.size_bytes};
  if (status == FMHAC_OK && t->order.task == FMHAC_TASK_COMPILE) {
    artefact = fmhac_kernel_to_artefact(t->kernel, fmhac_span_of(t->canonical),
                                        &product.bytes);
    product.text = artefact;
    if (!artefact)
      status = fmhac_fail(t->context, FMHAC_OUT_OF_MEMORY,
                          "sending the kernel: out of memory");
  }
  int error = send_done(t, status, product);
  free(artefact);
  return error;
}

/// Carries out one order. False: the client has gone.
static bool serve_one(fmhac_context *context, int socket,
                      const fmhac_message *m) {
  task t = {.socket = socket, .number = m->numbers[3], .context = context};
  fmhac_control_init(&t.control);
  t.control.user = &t;
  int error =
      fmhac_message_send(socket, &(fmhac_message){.kind = FMHAC_MESSAGE_TAKEN,
                                                  .numbers = {t.number}});
  if (!error) {
    fmhac_status status = read_order(&t, m);
    if (status == FMHAC_OK)
      status = fmhac_compile_here(context, &t.order, &t.product);
    error = answer(&t, status);
  }
  free(t.product.bytes);
  fmhac_kernel_destroy(t.kernel);
  fmhac_choice_deinit(&t.choice);
  fmhac_sources_deinit(&t.sources);
  fmhac_config_destroy(t.config);
  free(t.next);
  free(t.from_name);
  free(t.from_text);
  free(t.canonical);
  fmhac_control_deinit(&t.control);
  return !error;
}

/// Whether data arrives before the idle time ends.
static bool wait_for_order(int socket, int rest_seconds) {
  struct pollfd one = {.fd = socket, .events = POLLIN};
  return poll(&one, 1, rest_seconds * 1000) == 1;
}

int fmhac_compiler_serve(int socket, int rest_seconds) {
  enum { DONE = 0, NO_CONTEXT = 1, NO_ORDER = 2 };
  fmhac_context *context;
  const fmhac_context_options options = {.size = sizeof options,
                                         .log = send_log,
                                         .log_user = &socket,
                                         .compile_in_process = true,
                                         // The other side watches the clock.
                                         .compile_timeout_seconds = UINT32_MAX};
  if (fmhac_context_create(&options, &context) != FMHAC_OK)
    return NO_CONTEXT;
  int result = DONE;
  bool go_on = true;
  while (go_on && wait_for_order(socket, rest_seconds)) {
    fmhac_message message;
    void *room;
    go_on = !fmhac_message_receive(socket, &message, &room);
    if (go_on && message.kind != FMHAC_MESSAGE_ORDER) {
      result = NO_ORDER;
      go_on = false;
    }
    go_on = go_on && serve_one(context, socket, &message);
    free(room);
  }
  fmhac_context_destroy(context);
  return result;
}
