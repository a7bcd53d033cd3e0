// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote.h"
#include "compiler.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "build.h"
#include "kernel_artefact.h"
#include "load.h"
#include "message.h"
#include "pool.h"

/// How the talk with one process went.
typedef struct talk {
  uint32_t number;                  ///< which order of the process it is about
  bool taken;                       ///< it has begun with the order
  bool done;                        ///< it has answered: the status is its own
  int error;                        ///< the errno of a missing answer
  fmhac_status status;              ///< of the answer
  char pass[FMHAC_PASS_NAME_BYTES]; ///< that it began last
} talk;

static int send_order(fmhac_context *context, const fmhac_order *order,
                      fmhac_process *process) {
  const fmhac_str *score_mod = &order->sources->score_mod;
  const fmhac_choice *choice = order->choice;
  uint32_t flags = 0;
  if (context->options.no_line_tables)
    flags |= FMHAC_ORDER_NO_LINE_TABLES;
  if (context->options.no_audit)
    flags |= FMHAC_ORDER_NO_AUDIT;
  // The other side says what is wrong with a compiler that cannot be loaded.
  const char *build;
  if (fmhac_build(context, &build) == FMHAC_OUT_OF_MEMORY)
    return ENOMEM;
  fmhac_message message = {
      .kind = FMHAC_MESSAGE_ORDER,
      .numbers = {(uint32_t)order->task, (uint32_t)order->rung, flags,
                  ++process->orders, (uint32_t)order->from.rung},
      .texts = {fmhac_span_of(build[0] ? build : fmhac_version_text()),
                fmhac_span_of(order->config->canonical),
                fmhac_span_of(choice->next),
                {choice->remarks.text, choice->remarks.length},
                {score_mod->text, score_mod->length},
                {order->from.text, order->from.length},
                fmhac_span_of(order->from.name)}};
  fmhac_span *schedule = message.texts + FMHAC_MESSAGE_SCHEDULES_AT;
  for (size_t i = 0; i < choice->count; ++i, schedule += 3) {
    const fmhac_chosen *chosen = &choice->entries[i];
    schedule[0] = fmhac_span_of(chosen->name);
    schedule[1] = fmhac_span_of(chosen->when);
    if (chosen->is_file)
      schedule[2] = (fmhac_span){chosen->text, chosen->text_bytes};
  }
  return fmhac_message_send(process->socket, &message);
}

/// The text of a span as a string of C, which the caller frees; never NULL but
/// when memory is exhausted.
static char *string_of(fmhac_span span) {
  return fmhac_span_copy(span.text ? span : (fmhac_span){"", 0});
}

/// Takes the result of an order. 0; ENOMEM; or EPROTO: the result is not the
/// one that the order asked for.
static int take_product(const fmhac_order *order, fmhac_span bytes,
                        fmhac_product *product) {
  const fmhac_span asked = fmhac_span_of(order->config->canonical);
  fmhac_artefact a;
  const char *reason;
  switch (order->task) {
  case FMHAC_TASK_COMPILE:
    if (!fmhac_artefact_read(bytes.text, bytes.bytes, &a, &reason) ||
        a.key.bytes != asked.bytes ||
        memcmp(a.key.text, asked.text, asked.bytes) != 0)
      return EPROTO;
    return fmhac_kernel_from_artefact(&a, product->kernel) ? 0 : ENOMEM;
  case FMHAC_TASK_EMIT:
    if (!bytes.text)
      return EPROTO;
    product->bytes = string_of(bytes);
    product->size_bytes = bytes.bytes;
    return product->bytes ? 0 : ENOMEM;
  case FMHAC_TASK_PRINT_IR:
    break;
  }
  return 0;
}

static void finish(fmhac_context *context, const fmhac_order *order,
                   const fmhac_message *m, fmhac_product *product, talk *t) {
  uint32_t status = m->numbers[0];
  if (status == FMHAC_OK) {
    t->error = take_product(order, m->texts[1], product);
    t->done = !t->error;
    return;
  }
  char *text = string_of(m->texts[0]);
  t->done = true;
  t->status = fmhac_fail(
      context,
      status <= FMHAC_COMPILE_TIMED_OUT ? (fmhac_status)status : FMHAC_INTERNAL,
      "%s", text ? text : "out of memory");
  free(text);
}

/// One message of the process. False: the talk is over.
static bool hear(fmhac_context *context, const fmhac_order *order,
                 const fmhac_message *m, fmhac_product *product, talk *t) {
  char *name = string_of(m->texts[0]), *text = string_of(m->texts[1]);
  bool go_on = name && text;
  t->error = go_on ? 0 : ENOMEM;
  // Answers must have the number of the order that was sent.
  const int place = m->kind == FMHAC_MESSAGE_TAKEN  ? 0
                    : m->kind == FMHAC_MESSAGE_DONE ? 1
                                                    : -1;
  if (go_on && place >= 0 && m->numbers[place] != t->number) {
    t->error = EPROTO;
    go_on = false;
  }
  if (go_on)
    switch (m->kind) {
    case FMHAC_MESSAGE_TAKEN:
      t->taken = true;
      break;
    case FMHAC_MESSAGE_LOG:
      fmhac_log(context,
                m->numbers[0] <= FMHAC_SEVERITY_REMARK
                    ? (fmhac_severity)m->numbers[0]
                    : FMHAC_SEVERITY_WARNING,
                "%s", name);
      break;
    case FMHAC_MESSAGE_STAGE:
      snprintf(t->pass, sizeof t->pass, "%s", name);
      go_on = fmhac_control_advance(order->control, name, m->numbers[0],
                                    m->numbers[1]);
      break;
    case FMHAC_MESSAGE_IR:
      if (order->print)
        order->print(order->print_user, name, text);
      break;
    case FMHAC_MESSAGE_DONE:
      finish(context, order, m, product, t);
      go_on = false;
      break;
    case FMHAC_MESSAGE_ORDER: // only this side sends those
      t->error = EPROTO;
      go_on = false;
      break;
    }
  free(name);
  free(text);
  return go_on;
}

/// Waits for something to receive. 0; ETIMEDOUT: it did not come in time.
static int await(int socket, int64_t deadline) {
  struct pollfd one = {.fd = socket, .events = POLLIN};
  for (;;) {
    int64_t left = deadline - fmhac_now_milliseconds();
    left = left < 0 ? 0 : left > INT_MAX ? INT_MAX : left;
    int ready = poll(&one, 1, (int)left);
    if (ready > 0) // also at end of file, which receive reports
      return 0;
    if (ready == 0 && left < INT_MAX)
      return ETIMEDOUT;
    if (ready < 0 && errno != EINTR)
      return errno;
  }
}

static talk talk_to(fmhac_context *context, const fmhac_order *order,
                    fmhac_process *process, fmhac_product *product) {
  talk t = {.error = ECANCELED};
  if (!fmhac_control_enter(order->control, process->socket))
    return t;
  t.error = send_order(context, order, process);
  t.number = process->orders;
  const int64_t deadline = fmhac_control_deadline(context);
  for (bool go_on = !t.error; go_on;) {
    fmhac_message message;
    void *room = NULL;
    t.error = await(process->socket, deadline);
    if (!t.error)
      t.error = fmhac_message_receive(process->socket, &message, &room);
    go_on = !t.error && hear(context, order, &message, product, &t);
    free(room);
  }
  fmhac_control_leave(order->control);
  return t;
}

static fmhac_status explain(fmhac_context *context, const talk *t,
                            fmhac_str *last_words) {
  if (t->error == ENOMEM)
    return fmhac_fail(context, FMHAC_OUT_OF_MEMORY,
                      "compiling: no memory for the compiler's messages");
  return fmhac_fail(context, FMHAC_COMPILER_DIED,
                    "compiling: the compiler process came to a sudden end: %s",
                    last_words->text ? last_words->text : "no reason known");
}

static fmhac_status compile_remote(fmhac_context *context,
                                   const fmhac_order *order,
                                   fmhac_product *product) {
  // A resting process may end before it takes the order; then a new one is
  // started. A new one that does not take the order is a failure.
  for (bool fresh = false;; fresh = true) {
    fmhac_process *process;
    fmhac_status status =
        fmhac_pool_take(context, order->control, fresh, &process);
    if (status != FMHAC_OK)
      return status;
    talk t = talk_to(context, order, process, product);
    if (t.done) {
      // lld does not run again after some failures: another process will.
      if (t.status == FMHAC_OK || t.status == FMHAC_INVALID_INPUT)
        fmhac_pool_give(context->compiler->pool, process);
      else
        fmhac_pool_drop(context->compiler->pool, process, NULL);
      return t.status;
    }
    if (fmhac_control_is_cancelled(order->control)) {
      fmhac_pool_drop(context->compiler->pool, process, NULL);
      return fmhac_fail(context, FMHAC_CANCELLED, "compiling: cancelled");
    }
    if (t.error == ETIMEDOUT) {
      fmhac_pool_drop(context->compiler->pool, process, NULL);
      return fmhac_control_fail_timed_out(context, order->choice->list.text,
                                          t.pass);
    }
    bool rested = process->has_served && !t.taken && t.error == EPIPE;
    fmhac_str last_words = {0};
    fmhac_pool_drop(context->compiler->pool, process,
                    rested ? NULL : &last_words);
    if (!rested)
      status = explain(context, &t, &last_words);
    fmhac_str_deinit(&last_words);
    if (!rested)
      return status;
  }
}

fmhac_status fmhac_order_run(fmhac_context *context, const fmhac_order *order,
                             fmhac_product *product) {
  return context->options.compile_in_process
             ? fmhac_compile_here(context, order, product)
             : compile_remote(context, order, product);
}
