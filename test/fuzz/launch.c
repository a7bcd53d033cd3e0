// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: LAUNCH.json. The text is parsed; what is then small enough runs as
// `fmhac emu` runs it, on a kernel of ten instructions. Files that it names are
// stand-ins (files_double.c): nothing is read from or written to the disk.
#include <string.h>

#include "args.h"
#include "captured.h"
#include "commands.h"
#include "files.h"
#include "fuzz.h"
#include "launch_json.h"

enum {
  MAX_WORKGROUPS = 8,
  MAX_OUT_BYTES = 1 << 20, ///< of a buffer that is written out
};

static void check_start(const launch_description *l, const launch_start *s) {
  for (int i = 0; i < 3; ++i)
    FUZZ_CHECK(s->grid[i] && s->block[i], "an extent of 0");
  for (size_t i = 0; i < s->argument_count; ++i) {
    const launch_argument *a = &s->arguments[i];
    FUZZ_CHECK(a->bytes && a->bytes <= 8 && a->offset <= 1 << 20,
               "argument %zu", i);
    FUZZ_CHECK(a->kind != LAUNCH_BUFFER || a->index < l->buffer_count,
               "argument %zu", i);
  }
  for (size_t i = 0; i < s->workgroup_count; ++i)
    for (int k = 0; k < 3; ++k)
      FUZZ_CHECK(s->workgroups[i][k] < s->grid[k], "workgroup %zu", i);
}

static void check_description(const launch_description *l) {
  FUZZ_CHECK(l->code_object && l->code_object[0], "no code object");
  for (size_t i = 0; i < l->buffer_count; ++i) {
    const launch_buffer *b = &l->buffers[i];
    FUZZ_CHECK(b->name && (b->has_bytes || b->file), "buffer %zu", i);
    FUZZ_CHECK(b->bytes <= 1ull << 46 && b->base < 1ull << 48, "buffer %s",
               b->name);
    FUZZ_CHECK(!(b->file && b->has_fill), "buffer %s", b->name);
  }
  FUZZ_CHECK(l->start_count, "no launch");
  for (size_t i = 0; i < l->start_count; ++i)
    check_start(l, &l->starts[i]);
  for (size_t i = 0; i < l->tensor_count; ++i) {
    const launch_tensor *t = &l->tensors[i];
    FUZZ_CHECK(t->buffer < l->buffer_count && t->tensor.name, "tensor %zu", i);
    FUZZ_CHECK(t->tensor.axes >= 1 && t->tensor.axes <= FMHAC_EMU_TENSOR_AXES,
               "tensor %s", t->tensor.name);
  }
}

/// More than this cannot be filled: refusing it costs nothing.
#define REFUSED_FILL_BYTES (1ull << 40)
#define MAX_FILLED_BYTES (1ull << 26)

/// A launch that takes long, or fills the host's memory, because it asks for
/// that is none of this test's findings.
static bool is_small(const launch_description *l) {
  uint64_t count = 0;
  for (size_t i = 0; i < l->start_count; ++i) {
    const launch_start *s = &l->starts[i];
    uint64_t groups = s->workgroup_count ? s->workgroup_count : 1;
    for (int k = 0; k < 3 && !s->workgroup_count; ++k)
      groups = groups > MAX_WORKGROUPS ? groups : groups * s->grid[k];
    count += groups;
  }
  uint64_t filled = 0;
  for (size_t i = 0; i < l->buffer_count; ++i) {
    const launch_buffer *b = &l->buffers[i];
    if (b->out && b->bytes > MAX_OUT_BYTES)
      return false;
    if (b->has_fill && b->bytes <= REFUSED_FILL_BYTES)
      filled += b->bytes;
  }
  for (size_t i = 0; i < l->tensor_count; ++i) {
    const launch_tensor *t = &l->tensors[i];
    if (t->tensor.is_output && l->buffers[t->buffer].bytes > MAX_OUT_BYTES)
      return false; // its elements are counted
  }
  return count <= MAX_WORKGROUPS && filled <= MAX_FILLED_BYTES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The parser takes the text with a zero after it, which is not counted.
  char *text = malloc(size + 1);
  if (!text)
    abort();
  if (size)
    memcpy(text, data, size);
  text[size] = '\0';
  char error[2 * ERROR_BYTES] = "";
  launch_description launch;
  bool ok = launch_description_parse("folder/" FUZZ_FILE, text, size, &launch,
                                     error, sizeof error);
  free(text);
  FUZZ_CHECK(ok || error[0], "no reason is given");
  FUZZ_CHECK(!strchr(error, '\n'), "the reason has more than one line");
  if (ok)
    check_description(&launch);
  bool small = ok && is_small(&launch);
  launch_description_free(&launch);
  if (!small)
    return 0;
  fuzz_files_set(data, size);
  char *argv[] = {"emu",         FUZZ_FILE,     "--json",
                  "--threads=1", "--check=all", "--max-instructions=1000",
                  NULL};
  char *printed;
  int code = fuzz_captured(cmd_emu, (int)(sizeof argv / sizeof *argv) - 1, argv,
                           &printed);
  fuzz_check_json(printed);
  free(printed);
  FUZZ_CHECK(code >= EXIT_DONE && code < EXIT_INTERNAL, "exit code %d", code);
  fuzz_files_reset();
  return 0;
}
