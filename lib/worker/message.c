// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "message.h"

#include <errno.h>
#include <msgpack.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "whole_msgpack.h"

static const char magic[4] = {'F', 'M', 'H', 'M'};
enum { HEADER_BYTES = 8 };

fmhac_span fmhac_span_of(const char *text) {
  return (fmhac_span){text, text ? strlen(text) : 0};
}

/// Sends or receives all of the bytes. EPIPE: the other side is gone.
static int move_all(int socket, bool sends, char *bytes, size_t size) {
  while (size) {
    ssize_t moved = sends ? send(socket, bytes, size, MSG_NOSIGNAL)
                          : recv(socket, bytes, size, 0);
    if (moved < 0 && errno == EINTR)
      continue;
    if (moved <= 0)
      return moved == 0 || errno == ECONNRESET ? EPIPE : errno;
    bytes += moved;
    size -= (size_t)moved;
  }
  return 0;
}

int fmhac_message_send(int socket, const fmhac_message *m) {
  msgpack_sbuffer payload;
  msgpack_sbuffer_init(&payload);
  msgpack_packer packer;
  msgpack_packer_init(&packer, &payload, msgpack_sbuffer_write);
  int bad = msgpack_pack_array(&packer, 3);
  bad |= msgpack_pack_uint32(&packer, (uint32_t)m->kind);
  bad |= msgpack_pack_array(&packer, FMHAC_MESSAGE_NUMBERS);
  for (int i = 0; i < FMHAC_MESSAGE_NUMBERS; ++i)
    bad |= msgpack_pack_uint32(&packer, m->numbers[i]);
  bad |= msgpack_pack_array(&packer, FMHAC_MESSAGE_TEXTS);
  for (int i = 0; i < FMHAC_MESSAGE_TEXTS; ++i)
    bad |= m->texts[i].text ? msgpack_pack_bin_with_body(
                                  &packer, m->texts[i].text, m->texts[i].bytes)
                            : msgpack_pack_nil(&packer);
  int error = bad ? ENOMEM : 0;
  if (!error && payload.size > FMHAC_MESSAGE_MAX_BYTES)
    error = EMSGSIZE;
  if (!error) {
    char header[HEADER_BYTES];
    memcpy(header, magic, sizeof magic);
    for (int i = 0; i < 4; ++i)
      header[sizeof magic + (size_t)i] = (char)(payload.size >> 8 * i & 0xff);
    error = move_all(socket, true, header, sizeof header);
  }
  if (!error)
    error = move_all(socket, true, payload.data, payload.size);
  msgpack_sbuffer_destroy(&payload);
  return error;
}

/// The array of `count` values, or NULL.
static const msgpack_object *array_of(const msgpack_object *value,
                                      uint32_t count) {
  return value->type == MSGPACK_OBJECT_ARRAY && value->via.array.size == count
             ? value->via.array.ptr
             : NULL;
}

static bool read_number(const msgpack_object *value, uint32_t *out) {
  if (value->type != MSGPACK_OBJECT_POSITIVE_INTEGER ||
      value->via.u64 > UINT32_MAX)
    return false;
  *out = (uint32_t)value->via.u64;
  return true;
}

static bool read_text(const msgpack_object *value, fmhac_span *out) {
  *out = (fmhac_span){0};
  if (value->type == MSGPACK_OBJECT_NIL)
    return true;
  if (value->type != MSGPACK_OBJECT_BIN)
    return false;
  *out = (fmhac_span){value->via.bin.ptr, value->via.bin.size};
  return true;
}

static bool read_message(const msgpack_object *value, fmhac_message *out) {
  const msgpack_object *parts = array_of(value, 3);
  uint32_t kind;
  if (!parts || !read_number(&parts[0], &kind) || kind >= FMHAC_MESSAGE_KINDS)
    return false;
  out->kind = (fmhac_message_kind)kind;
  const msgpack_object *numbers = array_of(&parts[1], FMHAC_MESSAGE_NUMBERS);
  const msgpack_object *texts = array_of(&parts[2], FMHAC_MESSAGE_TEXTS);
  bool ok = numbers && texts;
  for (int i = 0; ok && i < FMHAC_MESSAGE_NUMBERS; ++i)
    ok = read_number(&numbers[i], &out->numbers[i]);
  for (int i = 0; ok && i < FMHAC_MESSAGE_TEXTS; ++i)
    ok = read_text(&texts[i], &out->texts[i]);
  return ok;
}

int fmhac_message_receive(int socket, fmhac_message *out, void **out_room) {
  *out_room = NULL;
  unsigned char header[HEADER_BYTES];
  int error = move_all(socket, false, (char *)header, sizeof header);
  if (error)
    return error;
  size_t size = 0;
  for (int i = 0; i < 4; ++i)
    size |= (size_t)header[sizeof magic + (size_t)i] << 8 * i;
  if (memcmp(header, magic, sizeof magic) != 0 ||
      size > FMHAC_MESSAGE_MAX_BYTES)
    return EPROTO;
  char *payload = malloc(size ? size : 1);
  if (!payload)
    return ENOMEM;
  error = move_all(socket, false, payload, size);
  if (!error) {
    // A bin is not copied: it points into the payload.
    msgpack_unpacked unpacked;
    if (!fmhac_unpack_whole(payload, size, &unpacked) ||
        !read_message(&unpacked.data, out))
      error = EPROTO;
    msgpack_unpacked_destroy(&unpacked);
  }
  if (error)
    free(payload);
  else
    *out_room = payload;
  return error;
}
