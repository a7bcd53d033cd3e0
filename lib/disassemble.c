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

/// Finds the function `kernel` in the tables of symbols.
static bool find_function(Elf *elf, const char *kernel, const uint8_t *file,
                          size_t file_bytes, function *out_function) {
  for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    Elf_Data *data;
    if (!gelf_getshdr(section, &header) || header.sh_entsize == 0 ||
        (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
        !(data = elf_getdata(section, NULL)))
      continue;
    size_t count = header.sh_size / header.sh_entsize;
    for (size_t i = 0; i < count; ++i) {
      GElf_Sym symbol;
      const char *name;
      if (!gelf_getsym(data, (int)i, &symbol) ||
          GELF_ST_TYPE(symbol.st_info) != STT_FUNC ||
          !(name = elf_strptr(elf, header.sh_link, symbol.st_name)) ||
          strcmp(name, kernel) != 0)
        continue;
      return locate(elf, &symbol, file, file_bytes, out_function);
    }
  }
  return false;
}

static void print_function(LLVMDisasmContextRef disassembler, const function *f,
                           void (*line)(void *user, uint64_t pc,
                                        const char *text),
                           void *user) {
  for (size_t pc = 0; pc < f->bytes;) {
    char text[LINE_BYTES];
    // The API takes mutable bytes and does not write to them.
    size_t length = LLVMDisasmInstruction(disassembler,
                                          (uint8_t *)(uintptr_t)(f->code + pc),
                                          f->bytes - pc, pc, text, sizeof text);
    if (length == 0) {
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
