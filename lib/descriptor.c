// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "descriptor.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Kernel descriptor, 64 bytes. Source: LLVM AMDGPUUsage, "Kernel Descriptor".
enum {
  DESCRIPTOR_BYTES = 64,
  GROUP_SEGMENT_OFFSET = 0,
  PRIVATE_SEGMENT_OFFSET = 4,
  PGM_RSRC1_OFFSET = 48 ///< bits 5:0: granules of 8 registers, less one
};

/// File offset of the bytes at virtual address `address`, or SIZE_MAX.
static size_t file_offset(Elf *elf, uint64_t address) {
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0)
    return SIZE_MAX;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (gelf_getphdr(elf, (int)i, &header) && header.p_type == PT_LOAD &&
        address >= header.p_vaddr &&
        address - header.p_vaddr + DESCRIPTOR_BYTES <= header.p_filesz)
      return (size_t)(address - header.p_vaddr + header.p_offset);
  }
  return SIZE_MAX;
}

/// Address of a symbol in any symbol table of the object.
static bool find_symbol(Elf *elf, const char *symbol, uint64_t *out_address) {
  for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) ||
        (header.sh_type != SHT_DYNSYM && header.sh_type != SHT_SYMTAB) ||
        header.sh_entsize == 0)
      continue;
    Elf_Data *data = elf_getdata(section, NULL);
    size_t count = header.sh_size / header.sh_entsize;
    for (size_t i = 0; data && i < count; ++i) {
      GElf_Sym entry;
      const char *name;
      if (gelf_getsym(data, (int)i, &entry) &&
          (name = elf_strptr(elf, header.sh_link, entry.st_name)) &&
          strcmp(name, symbol) == 0) {
        *out_address = entry.st_value;
        return true;
      }
    }
  }
  return false;
}

fmhac_status fmhac_descriptor_read(fmhac_context *context, const void *code,
                                   size_t code_bytes, const char *name,
                                   fmhac_descriptor *out_descriptor) {
  memset(out_descriptor, 0, sizeof *out_descriptor);
  char symbol[256];
  snprintf(symbol, sizeof symbol, "%s.kd", name);
  elf_version(EV_CURRENT);
  // libelf takes a mutable image and does not write to it.
  union {
    const void *in;
    char *out;
  } image = {.in = code};
  Elf *elf = elf_memory(image.out, code_bytes);
  uint64_t address = 0;
  size_t offset = SIZE_MAX;
  if (elf && find_symbol(elf, symbol, &address))
    offset = file_offset(elf, address);
  if (elf)
    elf_end(elf);
  if (offset == SIZE_MAX)
    return fmhac_fail(context, FMHAC_CODEGEN_FAILED,
                      "reading the code object: expected the symbol '%s' in a "
                      "loaded segment, found none",
                      symbol);
  const char *bytes = (const char *)code + offset;
  memcpy(&out_descriptor->lds_bytes, bytes + GROUP_SEGMENT_OFFSET,
         sizeof out_descriptor->lds_bytes);
  memcpy(&out_descriptor->scratch_bytes, bytes + PRIVATE_SEGMENT_OFFSET,
         sizeof out_descriptor->scratch_bytes);
  uint32_t rsrc1;
  memcpy(&rsrc1, bytes + PGM_RSRC1_OFFSET, sizeof rsrc1);
  out_descriptor->vgprs = 8 * ((rsrc1 & 63) + 1);
  return FMHAC_OK;
}
