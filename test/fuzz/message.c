// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: what a compiler process sends. An input is a stream that begins with
// byte 1, or else, after that byte, the payload of a frame under a true header.
// Whatever is received is sent again, and must be the same message.
#include "message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "fuzz.h"

enum { HEADER_BYTES = 8, MOST_BYTES = 1 << 15 };

/// Both ends of a stream that holds MOST_BYTES without a reader.
static void open_stream(int ends[2]) {
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
    abort();
}

static bool is_same(fmhac_span a, fmhac_span b) {
  return a.bytes == b.bytes && !a.text == !b.text &&
         (!a.bytes || memcmp(a.text, b.text, a.bytes) == 0);
}

static void send_again(const fmhac_message *m) {
  int ends[2];
  fmhac_message again;
  void *room;
  open_stream(ends);
  FUZZ_CHECK(fmhac_message_send(ends[0], m) == 0, "what came cannot be sent");
  FUZZ_CHECK(fmhac_message_receive(ends[1], &again, &room) == 0,
             "what was sent cannot be received");
  FUZZ_CHECK(again.kind == m->kind &&
                 memcmp(again.numbers, m->numbers, sizeof m->numbers) == 0,
             "another message comes");
  for (int i = 0; i < FMHAC_MESSAGE_TEXTS; ++i)
    FUZZ_CHECK(is_same(again.texts[i], m->texts[i]), "another text comes");
  free(room);
  close(ends[0]);
  close(ends[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size || size > MOST_BYTES)
    return 0;
  int ends[2];
  open_stream(ends);
  const bool is_stream = data[0] == 1;
  size_t bytes = --size;
  uint8_t header[HEADER_BYTES] = {'F', 'M', 'H', 'M'};
  for (int i = 0; i < 4; ++i)
    header[4 + i] = (uint8_t)(bytes >> 8 * i);
  if ((!is_stream && write(ends[0], header, sizeof header) < 0) ||
      write(ends[0], data + 1, size) < 0)
    abort();
  close(ends[0]);
  int error;
  do {
    fmhac_message m;
    void *room;
    error = fmhac_message_receive(ends[1], &m, &room);
    FUZZ_CHECK(!error == (room != NULL), "room with a failure, or none");
    if (!error)
      send_again(&m);
    free(room);
  } while (!error);
  FUZZ_CHECK(error == EPIPE || error == EPROTO || error == ENOMEM,
             "errno %d at the end of a stream", error);
  close(ends[1]);
  return 0;
}
