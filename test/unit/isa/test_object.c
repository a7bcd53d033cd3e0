// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader of code objects on files whose headers are unusual, or lie.
// Layout: System V ABI (ELF).
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "code_object_maker.h"
#include "object.h"

enum { TEXT_BYTES = 512, S_ENDPGM = (int)0xbf810000u };

/// A file that the tests change; `sections` points into it.
typedef struct file {
  uint8_t *bytes;
  size_t size;
  Elf64_Shdr *sections;
  size_t section_count;
} file;

static void find_sections(file *f) {
  Elf64_Ehdr e;
  memcpy(&e, f->bytes, sizeof e);
  f->sections = (Elf64_Shdr *)(void *)(f->bytes + e.e_shoff);
  f->section_count = e.e_shnum;
}

static file make(void) {
  const fuzz_kernel kernel = {.rsrc1 = 0};
  const uint32_t code = (uint32_t)S_ENDPGM;
  file f = {0};
  f.bytes = fuzz_code_object(&kernel, &code, sizeof code, &f.size);
  find_sections(&f);
  return f;
}

static Elf64_Shdr *section(file *f, uint32_t type) {
  for (size_t i = 0; i < f->section_count; i++)
    if (f->sections[i].sh_type == type)
      return &f->sections[i];
  fail();
  return NULL;
}

/// Where `more` bytes begin that are added at the end of the file.
static size_t append(file *f, size_t more) {
  const size_t at = (f->size + 7) & ~(size_t)7;
  f->bytes = realloc(f->bytes, at + more);
  assert_non_null(f->bytes);
  memset(f->bytes + f->size, 0, at + more - f->size);
  f->size = at + more;
  find_sections(f);
  return at;
}

static fmhac_status read(const file *f, char text[TEXT_BYTES],
                         isa_object *out) {
  return isa_object_load(f->bytes, f->size, text, TEXT_BYTES, out);
}

static void expect_refused(file *f, const char *words) {
  char text[TEXT_BYTES] = "";
  isa_object object;
  assert_int_equal(read(f, text, &object), FMHAC_INVALID_INPUT);
  if (!strstr(text, words))
    fail_msg("expected '%s', found '%s'", words, text);
  free(f->bytes);
}

/// Mangled names of templates are as long as this.
static void long_name(void **state) {
  (void)state;
  enum { LETTERS = 20000 };
  file f = make();
  const Elf64_Shdr old = *section(&f, SHT_STRTAB);
  const size_t at = append(&f, old.sh_size + LETTERS + sizeof ".kd");
  char *names = (char *)f.bytes + at;
  memcpy(names, f.bytes + old.sh_offset, old.sh_size);
  memset(names + old.sh_size, 'k', LETTERS);
  memcpy(names + old.sh_size + LETTERS, ".kd", sizeof ".kd");
  Elf64_Shdr *table = section(&f, SHT_STRTAB);
  table->sh_offset = at;
  table->sh_size = old.sh_size + LETTERS + sizeof ".kd";
  Elf64_Sym symbol;
  uint8_t *place = f.bytes + section(&f, SHT_DYNSYM)->sh_offset + sizeof symbol;
  memcpy(&symbol, place, sizeof symbol);
  symbol.st_name = (uint32_t)old.sh_size;
  memcpy(place, &symbol, sizeof symbol);

  char text[TEXT_BYTES] = "";
  isa_object object;
  assert_int_equal(read(&f, text, &object), FMHAC_OK);
  assert_int_equal(object.kernel_count, 1);
  assert_int_equal(strlen(object.kernels[0].name), LETTERS);
  assert_true(object.kernels[0].has_descriptor);
  isa_object_deinit(&object);
  free(f.bytes);
}

static void size_of_symbols(void **state) {
  (void)state;
  for (unsigned i = 0; i < 3; i++) {
    file f = make();
    section(&f, SHT_DYNSYM)->sh_entsize = i * i * 8; // 0, 8, 32
    expect_refused(&f, "expected symbols of 24 bytes");
  }
}

static void size_of_relocations(void **state) {
  (void)state;
  file f = make();
  Elf64_Shdr *names = section(&f, SHT_STRTAB);
  names->sh_type = SHT_RELA; // names are found by its index
  names->sh_entsize = 1;
  expect_refused(&f, "expected relocations of 24 bytes");
}

/// Sections that all name the same bytes.
static void relocations_again_and_again(void **state) {
  (void)state;
  enum { SECTIONS = 64, ENTRIES = 100 };
  file f = make();
  const size_t entries_at = append(&f, ENTRIES * sizeof(Elf64_Rela));
  const Elf64_Rela entry = {.r_offset = 0, .r_info = ELF64_R_INFO(0, 13)};
  for (size_t i = 0; i < ENTRIES; i++)
    memcpy(f.bytes + entries_at + i * sizeof entry, &entry, sizeof entry);
  const size_t old_count = f.section_count;
  const size_t headers_at =
      append(&f, (old_count + SECTIONS) * sizeof(Elf64_Shdr));
  Elf64_Shdr *headers = (Elf64_Shdr *)(void *)(f.bytes + headers_at);
  memcpy(headers, f.sections, old_count * sizeof *headers);
  for (size_t i = old_count; i < old_count + SECTIONS; i++)
    headers[i] = (Elf64_Shdr){.sh_type = SHT_RELA,
                              .sh_offset = entries_at,
                              .sh_size = ENTRIES * sizeof(Elf64_Rela),
                              .sh_entsize = sizeof(Elf64_Rela)};
  Elf64_Ehdr e;
  memcpy(&e, f.bytes, sizeof e);
  e.e_shoff = headers_at;
  e.e_shnum = (uint16_t)(old_count + SECTIONS);
  memcpy(f.bytes, &e, sizeof e);
  expect_refused(&f, "more relocations than a file of");
}

/// Symbols that all are the descriptor of a kernel of another name.
static void too_many_kernels(void **state) {
  (void)state;
  enum { COUNT = ISA_MOST_KERNELS + 1, NAME_BYTES = 9 };
  file f = make();
  const Elf64_Shdr old = *section(&f, SHT_STRTAB);
  const size_t names_bytes = old.sh_size + (size_t)COUNT * NAME_BYTES;
  const size_t names_at = append(&f, names_bytes);
  const size_t symbols_at = append(&f, COUNT * sizeof(Elf64_Sym));
  memcpy(f.bytes + names_at, f.bytes + old.sh_offset, old.sh_size);
  Elf64_Shdr *symbols = section(&f, SHT_DYNSYM);
  Elf64_Sym symbol;
  memcpy(&symbol, f.bytes + symbols->sh_offset + sizeof symbol, sizeof symbol);
  for (size_t i = 0; i < COUNT; i++) {
    char name[NAME_BYTES + 1];
    snprintf(name, sizeof name, "%05zu.kd", i);
    symbol.st_name = (uint32_t)(old.sh_size + i * NAME_BYTES);
    memcpy(f.bytes + names_at + symbol.st_name, name, NAME_BYTES);
    memcpy(f.bytes + symbols_at + i * sizeof symbol, &symbol, sizeof symbol);
  }
  symbols->sh_offset = symbols_at;
  symbols->sh_size = COUNT * sizeof symbol;
  section(&f, SHT_STRTAB)->sh_size = names_bytes;
  section(&f, SHT_STRTAB)->sh_offset = names_at;
  expect_refused(&f, "expected at most 16384 kernels");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(long_name),
      cmocka_unit_test(size_of_symbols),
      cmocka_unit_test(size_of_relocations),
      cmocka_unit_test(relocations_again_and_again),
      cmocka_unit_test(too_many_kernels),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
