// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layout and numbers: System V ABI (ELF), LLVM "User Guide for AMDGPU Backend",
// "Code Object".
#include "code_object_maker.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif

// Where the parts lie in the file, which is loaded as a whole at address 0.
enum {
  PHDR_AT = sizeof(Elf64_Ehdr),
  DESCRIPTOR_AT = 128,
  SYMBOLS_AT = 192,
  CODE_AT = 256,
  DESCRIPTOR_BYTES = 64
};

enum { SECTION_NONE, SECTION_TEXT, SECTION_DYNSYM, SECTION_DYNSTR, SECTIONS };

// Names of symbols and of sections in one table.
static const char names[] = "\0k.kd\0.text\0.dynsym\0.dynstr";
enum {
  NAME_KERNEL = 1,
  NAME_TEXT = 6,
  NAME_DYNSYM = 12,
  NAME_DYNSTR = 20,
  CODE_OBJECT_ABI_V5 = 3,
  OSABI_AMDGPU_HSA = 64,
  MACH_GFX950 = 0x4f
};

static void put32(uint8_t *at, uint32_t value) { memcpy(at, &value, 4); }

static void write_header(uint8_t *file, size_t sections_at) {
  Elf64_Ehdr e = {.e_type = ET_DYN,
                  .e_machine = EM_AMDGPU,
                  .e_version = EV_CURRENT,
                  .e_phoff = PHDR_AT,
                  .e_shoff = sections_at,
                  .e_flags = MACH_GFX950,
                  .e_ehsize = sizeof(Elf64_Ehdr),
                  .e_phentsize = sizeof(Elf64_Phdr),
                  .e_phnum = 1,
                  .e_shentsize = sizeof(Elf64_Shdr),
                  .e_shnum = SECTIONS,
                  .e_shstrndx = SECTION_DYNSTR};
  memcpy(e.e_ident, ELFMAG, SELFMAG);
  e.e_ident[EI_CLASS] = ELFCLASS64;
  e.e_ident[EI_DATA] = ELFDATA2LSB;
  e.e_ident[EI_VERSION] = EV_CURRENT;
  e.e_ident[EI_OSABI] = OSABI_AMDGPU_HSA;
  e.e_ident[EI_ABIVERSION] = CODE_OBJECT_ABI_V5;
  memcpy(file, &e, sizeof e);
}

static void write_descriptor(uint8_t *at, const fuzz_kernel *k) {
  put32(at, k->group_segment_bytes);
  put32(at + 4, k->private_segment_bytes);
  put32(at + 8, k->kernarg_bytes);
  uint64_t entry = CODE_AT - DESCRIPTOR_AT;
  memcpy(at + 16, &entry, 8);
  put32(at + 48, k->rsrc1);
  put32(at + 52, k->rsrc2);
  put32(at + 56, k->properties | (uint32_t)k->kernarg_preload << 16);
}

uint8_t *fuzz_code_object(const fuzz_kernel *kernel, const void *code,
                          size_t code_bytes, size_t *out_size) {
  size_t names_at = CODE_AT + ((code_bytes + 7) & ~(size_t)7);
  size_t sections_at = names_at + ((sizeof names + 7) & ~(size_t)7);
  size_t size = sections_at + SECTIONS * sizeof(Elf64_Shdr);
  uint8_t *file = calloc(size, 1);
  if (!file)
    abort();
  write_header(file, sections_at);
  const Elf64_Phdr load = {.p_type = PT_LOAD,
                           .p_flags = PF_R | PF_X,
                           .p_filesz = CODE_AT + code_bytes,
                           .p_memsz = CODE_AT + code_bytes,
                           .p_align = 16};
  memcpy(file + PHDR_AT, &load, sizeof load);
  write_descriptor(file + DESCRIPTOR_AT, kernel);
  const Elf64_Sym symbols[2] = {
      {0},
      {.st_name = NAME_KERNEL,
       .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
       .st_shndx = SECTION_TEXT,
       .st_value = DESCRIPTOR_AT,
       .st_size = DESCRIPTOR_BYTES}};
  memcpy(file + SYMBOLS_AT, symbols, sizeof symbols);
  memcpy(file + CODE_AT, code, code_bytes);
  memcpy(file + names_at, names, sizeof names);
  const Elf64_Shdr sections[SECTIONS] = {
      [SECTION_TEXT] = {.sh_name = NAME_TEXT,
                        .sh_type = SHT_PROGBITS,
                        .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                        .sh_addr = CODE_AT,
                        .sh_offset = CODE_AT,
                        .sh_size = code_bytes,
                        .sh_addralign = 256},
      [SECTION_DYNSYM] = {.sh_name = NAME_DYNSYM,
                          .sh_type = SHT_DYNSYM,
                          .sh_addr = SYMBOLS_AT,
                          .sh_offset = SYMBOLS_AT,
                          .sh_size = sizeof symbols,
                          .sh_link = SECTION_DYNSTR,
                          .sh_info = 1,
                          .sh_addralign = 8,
                          .sh_entsize = sizeof(Elf64_Sym)},
      [SECTION_DYNSTR] = {.sh_name = NAME_DYNSTR,
                          .sh_type = SHT_STRTAB,
                          .sh_offset = names_at,
                          .sh_size = sizeof names,
                          .sh_addralign = 1}};
  memcpy(file + sections_at, sections, sizeof sections);
  *out_size = size;
  return file;
}
