// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_disassemble(): the instructions of one kernel of a code object, ours or
// not, by LLVM's disassembler.
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>

#include "fmhac.h"
#include "llvm_init.h"
#include "llvm-c/Disassembler.h"

enum {
  EM_AMDGPU_MACHINE = 224,
  WORD_BYTES = 4,
  LINE_BYTES = 512,
  WINDOW_BYTES = 32
};

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

static uint32_t bits(uint32_t word, int low, int count) {
  return word >> low & ((1u << count) - 1);
}

// LLVM 22 takes some things for granted that corrupt code does not keep, and
// dies of it. Found by disassembling random words; such code reads "<unknown>"
// here.

/// Sub-dword operands with a selector that does not exist. Word 0 of VOP1, VOP2
/// and VOPC: bit 31 is 0, bits 8:0 are 0xf9; bits 31:25 are 0x3e in VOPC. Word
/// 1: dst_sel 10:8 and dst_unused 12:11 (not in VOPC), src0_sel 18:16, src1_sel
/// 26:24.
static bool is_corrupt_sdwa(const uint8_t code[WINDOW_BYTES]) {
  uint32_t words[2];
  memcpy(words, code, sizeof words);
  if (bits(words[0], 31, 1) != 0 || bits(words[0], 0, 9) != 0xf9)
    return false;
  bool compare = bits(words[0], 25, 7) == 0x3e;
  return bits(words[1], 16, 3) == 7 || bits(words[1], 24, 3) == 7 ||
         (!compare &&
          (bits(words[1], 8, 3) == 7 || bits(words[1], 11, 2) == 3));
}

/// v_mfma_f32_*_f8f6f4, alone or behind its scales, with a format that does not
/// exist or with A or B not in registers. Word 0: bits 31:16 are 0xd3ad or
/// 0xd3ae, A's format in 10:8; word 1: A 8:0, B 17:9 (registers from 256 on),
/// B's format in 31:29. Before them, two words of scales: bits 31:16 of the
/// first are 0xd3ac.
static bool is_corrupt_f8f6f4(const uint8_t code[WINDOW_BYTES]) {
  enum { FORMATS = 5 };
  uint32_t words[2];
  memcpy(words, code, sizeof words);
  if (bits(words[0], 16, 16) == 0xd3ac)
    memcpy(words, code + sizeof words, sizeof words);
  uint32_t opcode = bits(words[0], 16, 16);
  if (opcode != 0xd3ad && opcode != 0xd3ae)
    return false;
  return bits(words[0], 8, 3) >= FORMATS || bits(words[1], 29, 3) >= FORMATS ||
         !bits(words[1], 8, 1) || !bits(words[1], 17, 1);
}

static void print_function(LLVMDisasmContextRef disassembler, const function *f,
                           void (*line)(void *user, uint64_t pc,
                                        const char *text),
                           void *user) {
  for (size_t pc = 0; pc < f->bytes;) {
    char text[LINE_BYTES];
    size_t left = f->bytes - pc, length = 0;
    // A copy with zeros behind it: LLVM also dies of an instruction that ends
    // before its literal.
    uint8_t window[WINDOW_BYTES] = {0};
    memcpy(window, f->code + pc, left < WINDOW_BYTES ? left : WINDOW_BYTES);
    if (!is_corrupt_sdwa(window) && !is_corrupt_f8f6f4(window))
      length = LLVMDisasmInstruction(disassembler, window, sizeof window, pc,
                                     text, sizeof text);
    if (length == 0 || length > left) {
      line(user, pc, "<unknown>");
      pc += WORD_BYTES;
      continue;
    }
    line(user, pc, text + strspn(text, " \t"));
    pc += length;
  }
}

fmhac_status
fmhac_disassemble(const void *code, size_t code_bytes, const char *kernel,
                  void (*line)(void *user, uint64_t pc, const char *text),
                  void *user) {
  if (elf_version(EV_CURRENT) == EV_NONE)
    return FMHAC_INTERNAL;
  fmhac_status status = FMHAC_INVALID_INPUT;
  LLVMDisasmContextRef disassembler = NULL;
  GElf_Ehdr header;
  function f;
  Elf *elf = elf_memory((char *)(uintptr_t)code, code_bytes);
  if (!elf || elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
      header.e_machine != EM_AMDGPU_MACHINE ||
      !find_function(elf, kernel, code, code_bytes, &f))
    goto cleanup;
  fmhac_llvm_init_once();
  disassembler =
      LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", "gfx950", NULL, 0, NULL, NULL);
  if (!disassembler) {
    status = FMHAC_INTERNAL;
    goto cleanup;
  }
  print_function(disassembler, &f, line, user);
  status = FMHAC_OK;

cleanup:
  if (disassembler)
    LLVMDisasmDispose(disassembler);
  elf_end(elf);
  return status;
}
