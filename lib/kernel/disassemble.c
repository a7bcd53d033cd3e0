// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_disassemble(): the instructions of one kernel of a code object, ours or
// not, by LLVM's disassembler.
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>

#include "fmhac.h"
#include "fmhac_disasm.h"
#include "fmhac_inspect.h"

enum { EM_AMDGPU_MACHINE = 224, WORD_BYTES = 4, LINE_BYTES = 512 };

/// Code of one function, inside the bytes of the code object.
typedef struct function {
  const uint8_t *code;
  size_t bytes;
} function;

/// The bytes behind a symbol; false if they do not lie in the file.
static bool locate(Elf *elf, const GElf_Sym *symbol, const uint8_t *file,
                   size_t file_bytes, function *out_function) {
  GElf_Shdr header;
  Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
  if (!section || !gelf_getshdr(section, &header) ||
      header.sh_type == SHT_NOBITS || symbol->st_value < header.sh_addr)
    return false;
  uint64_t inside = symbol->st_value - header.sh_addr;
  if (inside > header.sh_size || symbol->st_size > header.sh_size - inside ||
      header.sh_offset > file_bytes ||
      header.sh_size > file_bytes - header.sh_offset)
    return false;
  *out_function =
      (function){file + header.sh_offset + inside, (size_t)symbol->st_size};
  return true;
}

/// A table of symbols of the code object.
typedef struct symbol_table {
  Elf *elf;
  Elf_Data *data;
  size_t count, names; ///< symbols; index of the section of their names
} symbol_table;

/// Functions written by hand often carry no size: they end where the next
/// symbol of their section begins, or with the section.
static void complete_size(const symbol_table *table, GElf_Sym *symbol) {
  GElf_Shdr header;
  Elf_Scn *section = elf_getscn(table->elf, symbol->st_shndx);
  if (symbol->st_size || !section || !gelf_getshdr(section, &header))
    return;
  uint64_t end = header.sh_addr + header.sh_size;
  for (size_t i = 0; i < table->count; ++i) {
    GElf_Sym other;
    if (gelf_getsym(table->data, (int)i, &other) &&
        other.st_shndx == symbol->st_shndx &&
        other.st_value > symbol->st_value && other.st_value < end &&
        GELF_ST_BIND(other.st_info) != STB_LOCAL)
      end = other.st_value;
  }
  if (end > symbol->st_value)
    symbol->st_size = end - symbol->st_value;
}

static bool find_in_table(const symbol_table *table, const char *kernel,
                          GElf_Sym *out_symbol) {
  for (size_t i = 0; i < table->count; ++i) {
    const char *name;
    if (gelf_getsym(table->data, (int)i, out_symbol) &&
        out_symbol->st_shndx != SHN_UNDEF &&
        out_symbol->st_shndx < SHN_LORESERVE &&
        (GELF_ST_TYPE(out_symbol->st_info) == STT_FUNC ||
         GELF_ST_TYPE(out_symbol->st_info) == STT_NOTYPE) &&
        (name = elf_strptr(table->elf, table->names, out_symbol->st_name)) &&
        strcmp(name, kernel) == 0) {
      complete_size(table, out_symbol);
      return true;
    }
  }
  return false;
}

/// Finds the function `kernel` in the tables of symbols.
static bool find_function(Elf *elf, const char *kernel, const uint8_t *file,
                          size_t file_bytes, function *out_function) {
  for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    GElf_Sym symbol;
    symbol_table table = {.elf = elf};
    if (!gelf_getshdr(section, &header) || header.sh_entsize == 0 ||
        (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
        !(table.data = elf_getdata(section, NULL)))
      continue;
    table.count = header.sh_size / header.sh_entsize;
    table.names = header.sh_link;
    if (find_in_table(&table, kernel, &symbol))
      return locate(elf, &symbol, file, file_bytes, out_function);
  }
  return false;
}

static void print_function(fmhac_disasm *disasm, const function *f,
                           void (*line)(void *user, uint64_t pc,
                                        const char *text),
                           void *user) {
  for (size_t pc = 0; pc < f->bytes;) {
    char text[LINE_BYTES];
    size_t size = fmhac_disasm_one(disasm, f->code + pc, f->bytes - pc, pc,
                                   text, sizeof text);
    line(user, pc, size ? text + strspn(text, " \t") : "<unknown>");
    pc += size ? size : WORD_BYTES;
  }
}

fmhac_status
fmhac_disassemble(const void *code, size_t code_bytes, const char *kernel,
                  void (*line)(void *user, uint64_t pc, const char *text),
                  void *user) {
  // There is no context for a text.
  if (!code || !kernel || !line)
    return FMHAC_INVALID_INPUT;
  if (elf_version(EV_CURRENT) == EV_NONE)
    return FMHAC_INTERNAL;
  fmhac_status status = FMHAC_INVALID_INPUT;
  fmhac_disasm *disasm = NULL;
  GElf_Ehdr header;
  function f;
  Elf *elf = elf_memory((char *)(uintptr_t)code, code_bytes);
  if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
      header.e_machine != EM_AMDGPU_MACHINE ||
      !find_function(elf, kernel, code, code_bytes, &f))
    goto cleanup;
  status = fmhac_disasm_create(&disasm);
  if (status != FMHAC_OK)
    goto cleanup;
  print_function(disasm, &f, line, user);

cleanup:
  fmhac_disasm_destroy(disasm);
  elf_end(elf);
  return status;
}
