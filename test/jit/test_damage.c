// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damaged cache entries, 2,500 or with FMHAC_TEST_FULL=1 10,000: flipped bytes,
// cuts, blocks of zeros, bytes after the end, and entries in each other's
// place. None ends the process, and none is taken for a kernel. argv[1]: a
// directory to write in.
#include "jit_test.h"

#include <ftw.h>

#include "fmhac.h"

enum {
  SAMPLES = 2500,
  FULL_SAMPLES = 10000,
  KERNELS = 2,
  MOST_BYTES = 1 << 20
};

static const char *const configs[KERNELS] = {
    "{\"dtype\":\"bf16\",\"head_dim\":64}",
    "{\"dtype\":\"f16\",\"head_dim\":64,\"mask\":\"causal\"}"};

/// A kernel as it was compiled, and its file.
typedef struct entry {
  char path[4096];
  unsigned char file[MOST_BYTES];
  size_t file_bytes;
  unsigned char code[MOST_BYTES];
  size_t code_bytes;
} entry;
static entry entries[KERNELS];

/// xorshift64*: Vigna, "An experimental exploration of Marsaglia's xorshift
/// generators, scrambled".
static uint64_t draw(uint64_t *state) {
  *state ^= *state >> 12;
  *state ^= *state << 25;
  *state ^= *state >> 27;
  return *state * UINT64_C(2685821657736338717);
}

static size_t below(uint64_t *state, size_t limit) {
  return (size_t)(draw(state) % limit);
}

typedef struct log {
  int warnings;
} log;

static void on_log(void *user, fmhac_severity severity, const char *text) {
  if (severity == FMHAC_SEVERITY_WARNING && strstr(text, "counts as missing"))
    ++((log *)user)->warnings;
}

/// Asks for a kernel; without a compiler only the cache can give it.
static fmhac_status ask(const char *directory, const char *compiler, int which,
                        log *l, unsigned char *code, size_t *code_bytes) {
  const fmhac_context_options options = {.size = sizeof options,
                                         .log = on_log,
                                         .log_user = l,
                                         .cache_directory = directory,
                                         .compiler_program = compiler};
  fmhac_context *context;
  fmhac_config *config;
  fmhac_kernel *kernel;
  assert_int_equal(fmhac_context_create(&options, &context), FMHAC_OK);
  assert_int_equal(fmhac_config_create_json(context, configs[which], &config),
                   FMHAC_OK);
  fmhac_status status = fmhac_compile(context, config, &kernel);
  if (status == FMHAC_OK) {
    const void *bytes;
    assert_int_equal(fmhac_kernel_get_code(kernel, &bytes, code_bytes),
                     FMHAC_OK);
    assert_in_range(*code_bytes, 1, MOST_BYTES);
    memcpy(code, bytes, *code_bytes);
  }
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  return status;
}

static void write_bytes(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

/// Path of the only entry below the folder, which nftw() leaves here.
static char found[4096];
static int count;

static int on_file(const char *path, const struct stat *info, int type,
                   struct FTW *place) {
  (void)info;
  (void)place;
  const char *dot = strrchr(path, '.');
  if (type == FTW_F && dot && strcmp(dot, ".fmhac") == 0) {
    ++count;
    snprintf(found, sizeof found, "%s", path);
  }
  return 0;
}

static const char *directory_of(int which) {
  static char path[KERNELS][2048];
  snprintf(path[which], sizeof path[which], "%s/%d", folder, which);
  return path[which];
}

static int remove_one(const char *path, const struct stat *info, int type,
                      struct FTW *place) {
  (void)info;
  (void)type;
  (void)place;
  return remove(path);
}

static int fill(void **state) {
  (void)state;
  // Another build has left other entries.
  for (int k = 0; k < KERNELS; ++k)
    (void)nftw(directory_of(k), remove_one, 8, FTW_PHYS | FTW_DEPTH);
  for (int k = 0; k < KERNELS; ++k) {
    log l = {0};
    entry *e = &entries[k];
    assert_int_equal(ask(directory_of(k), NULL, k, &l, e->code, &e->code_bytes),
                     FMHAC_OK);
    count = 0;
    assert_int_equal(nftw(directory_of(k), on_file, 8, FTW_PHYS), 0);
    assert_int_equal(count, 1);
    snprintf(e->path, sizeof e->path, "%s", found);
    FILE *file = fopen(e->path, "rb");
    assert_non_null(file);
    e->file_bytes = fread(e->file, 1, sizeof e->file, file);
    fclose(file);
    assert_in_range(e->file_bytes, 1000, MOST_BYTES - 1);
  }
  return 0;
}

/// What the cache says of entry 0 with these bytes.
static fmhac_status with(const void *bytes, size_t size, log *l) {
  static unsigned char code[MOST_BYTES];
  size_t code_bytes = 0;
  write_bytes(entries[0].path, bytes, size);
  fmhac_status status =
      ask(directory_of(0), "/no/compiler", 0, l, code, &code_bytes);
  if (status == FMHAC_OK) {
    assert_int_equal(code_bytes, entries[0].code_bytes);
    assert_memory_equal(code, entries[0].code, code_bytes);
  }
  return status;
}

/// Changes a copy of entry 0 in one of the ways; its new size.
static size_t damage(unsigned char *bytes, uint64_t *state) {
  enum { FLIP, FLIPS, CUT, ZEROS, LONGER, WAYS };
  const entry *e = &entries[0];
  size_t size = e->file_bytes;
  memcpy(bytes, e->file, size);
  switch (below(state, WAYS)) {
  case FLIP:
    bytes[below(state, size)] ^= (unsigned char)(1 + below(state, 255));
    return size;
  case FLIPS:
    // An even number at one place may cancel out: the caller looks.
    for (size_t i = 2 + below(state, 30); i; --i)
      bytes[below(state, size)] ^= (unsigned char)(1 + below(state, 255));
    return size;
  case CUT:
    return below(state, size);
  case ZEROS: {
    size_t at = below(state, size);
    memset(bytes + at, 0, 1 + below(state, size - at));
    return size;
  }
  default:
    bytes[size] = (unsigned char)below(state, 256);
    return size + 1;
  }
}

static void test_no_damage_is_taken_for_a_kernel(void **state) {
  (void)state;
  static unsigned char bytes[MOST_BYTES];
  const entry *e = &entries[0];
  uint64_t random = 20240229;
  int unchanged = 0;
  log l = {0};
  const char *full = getenv("FMHAC_TEST_FULL");
  const int samples =
      full && full[0] && strcmp(full, "0") != 0 ? FULL_SAMPLES : SAMPLES;
  assert_int_equal(with(e->file, e->file_bytes, &l), FMHAC_OK);
  for (int i = 0; i < samples; ++i) {
    size_t size = damage(bytes, &random);
    bool same = size == e->file_bytes && memcmp(bytes, e->file, size) == 0;
    unchanged += same;
    l.warnings = 0;
    fmhac_status status = with(bytes, size, &l);
    // Missing, said once, and no compiler to make it anew.
    assert_int_equal(status, same ? FMHAC_OK : FMHAC_IO_ERROR);
    assert_int_equal(l.warnings, !same);
  }
  assert_in_range(unchanged, 0, samples / 100);
}

static void test_an_entry_in_anothers_place(void **state) {
  (void)state;
  log l = {0};
  assert_int_equal(with(entries[1].file, entries[1].file_bytes, &l),
                   FMHAC_IO_ERROR);
  assert_int_equal(l.warnings, 1);
}

/// With a compiler the damage is made good, in place.
static void test_damage_is_mended(void **state) {
  (void)state;
  static unsigned char bytes[MOST_BYTES], code[MOST_BYTES];
  size_t code_bytes;
  const entry *e = &entries[0];
  memcpy(bytes, e->file, e->file_bytes);
  bytes[e->file_bytes / 2] ^= 1;
  write_bytes(e->path, bytes, e->file_bytes);
  log l = {0};
  assert_int_equal(ask(directory_of(0), NULL, 0, &l, code, &code_bytes),
                   FMHAC_OK);
  assert_int_equal(l.warnings, 1);
  assert_int_equal(code_bytes, e->code_bytes);
  assert_memory_equal(code, e->code, code_bytes);
  assert_int_equal(
      ask(directory_of(0), "/no/compiler", 0, &l, code, &code_bytes), FMHAC_OK);
  assert_int_equal(l.warnings, 1);
}

int main(int argc, char **argv) {
  if (!take_folder(argc, argv))
    return 2;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_no_damage_is_taken_for_a_kernel),
      cmocka_unit_test(test_an_entry_in_anothers_place),
      cmocka_unit_test(test_damage_is_mended),
  };
  return cmocka_run_group_tests(tests, fill, NULL);
}
