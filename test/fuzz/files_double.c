// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// driver/cli/files.h without a file system: what an input names can neither be read
// nor overwritten, and a name means the same on every machine.
#include <string.h>

#include "code_object_maker.h"
#include "files.h"
#include "fuzz.h"

static struct {
  uint8_t *bytes;
  size_t size;
} input, written;

static void keep(uint8_t **bytes, size_t *size, const void *from,
                 size_t count) {
  free(*bytes);
  *bytes = malloc(count + 1);
  if (!*bytes)
    abort();
  if (count)
    memcpy(*bytes, from, count);
  (*bytes)[count] = '\0'; // as file_read() promises
  *size = count;
}

void fuzz_files_set(const uint8_t *bytes, size_t size) {
  keep(&input.bytes, &input.size, bytes, size);
}

const uint8_t *fuzz_files_written(size_t *out_size) {
  *out_size = written.size;
  return written.bytes;
}

void fuzz_files_reset(void) {
  free(input.bytes);
  free(written.bytes);
  memset(&input, 0, sizeof input);
  memset(&written, 0, sizeof written);
}

/// "k": takes two addresses, and stores to the first what the second holds, a
/// dword a lane.
static uint8_t *make_code_object(size_t *out_size) {
  static const uint32_t code[] = {
      0xc00a0000, 0x00000000, // s_load_dwordx4 s[0:3], s[0:1], 0x0
      0x24020082,             // v_lshlrev_b32_e32 v1, 2, v0
      0xbf8cc07f,             // s_waitcnt lgkmcnt(0)
      0xdc508000, 0x02020001, // global_load_dword v2, v1, s[2:3]
      0xbf8c0f70,             // s_waitcnt vmcnt(0)
      0xdc708000, 0x00000201, // global_store_dword v1, v2, s[0:1]
      0xbf8a0000,             // s_barrier
      0xbf810000              // s_endpgm
  };
  const fuzz_kernel kernel = {.group_segment_bytes = 64,
                              .kernarg_bytes = 16,
                              .rsrc2 = 2 << 1,
                              .properties = 1 << 3};
  return fuzz_code_object(&kernel, code, sizeof code, out_size);
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

/// A small file that depends on its name alone.
static uint8_t *make_file(const char *path, size_t *out_size) {
  static const size_t sizes[] = {0, 1, 16, 64, 256, 4096};
  uint32_t hash = 2166136261u; // FNV-1a
  for (const char *c = path; *c; ++c)
    hash = (hash ^ (uint8_t)*c) * 16777619u;
  size_t size = sizes[hash % (sizeof sizes / sizeof *sizes)];
  uint8_t *bytes = malloc(size + 1);
  if (!bytes)
    abort();
  for (size_t i = 0; i < size; ++i)
    bytes[i] = (uint8_t)(hash >> i % 25);
  *out_size = size;
  return bytes;
}

bool file_read(const char *path, void **out_bytes, size_t *out_size,
               char error[ERROR_BYTES]) {
  *out_bytes = NULL;
  *out_size = 0;
  if (strstr(path, "missing")) {
    snprintf(error, ERROR_BYTES, "cannot read %.200s: missing", path);
    return false;
  }
  uint8_t *bytes = NULL;
  if (strcmp(path, FUZZ_FILE) == 0 && input.bytes)
    keep(&bytes, out_size, input.bytes, input.size);
  else if (ends_with(path, ".hsaco"))
    bytes = make_code_object(out_size);
  else
    bytes = make_file(path, out_size);
  // The promised zero after the bytes.
  uint8_t *terminated = realloc(bytes, *out_size + 1);
  if (!terminated)
    abort();
  terminated[*out_size] = '\0';
  *out_bytes = terminated;
  return true;
}

bool file_write(const char *path, const void *bytes, size_t size,
                char error[ERROR_BYTES]) {
  if (strstr(path, "sealed")) {
    snprintf(error, ERROR_BYTES, "cannot write %.200s: sealed", path);
    return false;
  }
  keep(&written.bytes, &written.size, bytes, size);
  return true;
}

bool file_can_write(const char *path, char error[ERROR_BYTES]) {
  if (!strstr(path, "sealed"))
    return true;
  snprintf(error, ERROR_BYTES, "cannot write %.200s: sealed", path);
  return false;
}
