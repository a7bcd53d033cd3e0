// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The messages between a compiler process and its user, over a stream socket.
///
/// A frame: "FMHM", bytes of the payload (u32, little-endian), payload: msgpack
/// [kind, [numbers], [texts]], a text bin or nil.
#ifndef FMHAC_LIB_MESSAGE_H
#define FMHAC_LIB_MESSAGE_H

#include <stdint.h>

#include "artefact.h"

typedef enum fmhac_message_kind {
  FMHAC_MESSAGE_ORDER, ///< numbers: task, rung, flags, which order, rung of
                       ///< the text to go on from; texts: build, canonical
                       ///< configuration, the next schedule, remarks on the
                       ///< choice, function of scores, text to go on from and
                       ///< its name; and of each schedule name, condition, and
                       ///< its text if it is a file
  FMHAC_MESSAGE_TAKEN, ///< work begins; number: on which order
  FMHAC_MESSAGE_LOG,   ///< number: severity; text: the line
  FMHAC_MESSAGE_STAGE, ///< numbers: done, total; text: name
  FMHAC_MESSAGE_IR,    ///< texts: stage, IR
  FMHAC_MESSAGE_DONE   ///< numbers: status, order; texts: error,
                       ///< product
} fmhac_message_kind;
enum { FMHAC_MESSAGE_KINDS = FMHAC_MESSAGE_DONE + 1 };

/// Flags of an order.
enum { FMHAC_ORDER_NO_LINE_TABLES = 1u << 0, FMHAC_ORDER_NO_AUDIT = 1u << 1 };

enum {
  FMHAC_MESSAGE_NUMBERS = 5,
  FMHAC_MESSAGE_SCHEDULES_AT = 7, ///< among the texts of an order, three each
  FMHAC_MESSAGE_TEXTS = FMHAC_MESSAGE_SCHEDULES_AT + 3 * FMHAC_MOST_ENTRIES,
  /// Largest payload; the IR of a kernel has some megabytes.
  FMHAC_MESSAGE_MAX_BYTES = 1 << 28
};

/// Fields that a message does not use are 0 and NULL.
typedef struct fmhac_message {
  fmhac_message_kind kind;
  uint32_t numbers[FMHAC_MESSAGE_NUMBERS];
  fmhac_span texts[FMHAC_MESSAGE_TEXTS]; ///< borrowed
} fmhac_message;

/// Sends a message. 0 or an errno; EPIPE: nobody is there.
int fmhac_message_send(int socket, const fmhac_message *message);

/// Waits for a message; its texts borrow from `*out_room`, which the caller
/// frees with free(). 0 or an errno; EPIPE: the other side has ended, EPROTO:
/// it sent bytes that are no message.
int fmhac_message_receive(int socket, fmhac_message *out, void **out_room);

/// The span of a string of C; NULL stays NULL.
fmhac_span fmhac_span_of(const char *text);

#endif // FMHAC_LIB_MESSAGE_H
