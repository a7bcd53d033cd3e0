// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "descriptor.h"

#include <gelf.h>
#include <libelf.h>
#include <msgpack.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "whole_msgpack.h"

// Kernel descriptor, 64 bytes. Source: LLVM AMDGPUUsage, "Kernel Descriptor".
enum {
  DESCRIPTOR_BYTES = 64,
  GROUP_SEGMENT_OFFSET = 0,
  PRIVATE_SEGMENT_OFFSET = 4,
  PGM_RSRC1_OFFSET = 48 ///< bits 5:0: granules of 8 registers, less one
};

/// File offset of the descriptor at virtual address `address`, or SIZE_MAX if
/// it does not lie in the file.
static size_t file_offset(Elf *elf, size_t file_bytes, uint64_t address) {
  size_t count = 0;
  if (elf_getphdrnum(elf, &count) != 0)
    return SIZE_MAX;
  for (size_t i = 0; i < count; ++i) {
    GElf_Phdr header;
    if (!gelf_getphdr(elf, (int)i, &header) || header.p_type != PT_LOAD ||
        address < header.p_vaddr || header.p_filesz < DESCRIPTOR_BYTES ||
        header.p_offset > file_bytes ||
        header.p_filesz > file_bytes - header.p_offset)
      continue;
    uint64_t inside = address - header.p_vaddr;
    if (inside <= header.p_filesz - DESCRIPTOR_BYTES)
      return (size_t)(inside + header.p_offset);
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

static bool text_is(const msgpack_object *object, const char *text) {
  return object->type == MSGPACK_OBJECT_STR &&
         object->via.str.size == strlen(text) &&
         memcmp(object->via.str.ptr, text, object->via.str.size) == 0;
}

/// Value of a key of a map; null if there is none.
static const msgpack_object *find_key(const msgpack_object *map,
                                      const char *key) {
  for (uint32_t i = 0; map->type == MSGPACK_OBJECT_MAP && i < map->via.map.size;
       ++i)
    if (text_is(&map->via.map.ptr[i].key, key))
      return &map->via.map.ptr[i].val;
  return NULL;
}

static bool add_count(const msgpack_object *kernel, const char *key,
                      uint32_t *sum) {
  const msgpack_object *count = find_key(kernel, key);
  if (!count || count->type != MSGPACK_OBJECT_POSITIVE_INTEGER ||
      count->via.u64 > UINT32_MAX - *sum)
    return false;
  *sum += (uint32_t)count->via.u64;
  return true;
}

/// Spilled registers and workgroup size by the metadata of kernel `name`; false
/// if it does not say them. Source: LLVM AMDGPUUsage, "Code Object V5
/// Metadata".
static bool read_metadata(const char *metadata, size_t metadata_bytes,
                          const char *name, fmhac_descriptor *out) {
  if (!fmhac_is_whole_value((const uint8_t *)metadata, metadata_bytes))
    return false;
  msgpack_unpacked unpacked;
  msgpack_unpacked_init(&unpacked);
  bool found = false;
  const msgpack_object *kernels =
      msgpack_unpack_next(&unpacked, metadata, metadata_bytes, NULL) ==
              MSGPACK_UNPACK_SUCCESS
          ? find_key(&unpacked.data, "amdhsa.kernels")
          : NULL;
  out->spills = out->max_threads = 0;
  for (uint32_t i = 0; kernels && kernels->type == MSGPACK_OBJECT_ARRAY &&
                       !found && i < kernels->via.array.size;
       ++i) {
    const msgpack_object *kernel = &kernels->via.array.ptr[i];
    const msgpack_object *its_name = find_key(kernel, ".name");
    found = its_name && text_is(its_name, name) &&
            add_count(kernel, ".vgpr_spill_count", &out->spills) &&
            add_count(kernel, ".sgpr_spill_count", &out->spills) &&
            add_count(kernel, ".max_flat_workgroup_size", &out->max_threads);
  }
  msgpack_unpacked_destroy(&unpacked);
  return found;
}

/// Looks through the notes of the object for AMDGPU metadata.
static bool find_metadata(Elf *elf, const char *name, fmhac_descriptor *out) {
  enum { NT_AMDGPU_METADATA = 32 };
  static const char owner[] = "AMDGPU";
  for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    Elf_Data *data;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
        !(data = elf_getdata(section, NULL)))
      continue;
    size_t at = 0, next, owner_at, text_at;
    GElf_Nhdr note;
    while ((next = gelf_getnote(data, at, &note, &owner_at, &text_at)) > 0) {
      const char *bytes = data->d_buf;
      if (note.n_type == NT_AMDGPU_METADATA && note.n_namesz == sizeof owner &&
          memcmp(bytes + owner_at, owner, sizeof owner) == 0)
        return read_metadata(bytes + text_at, note.n_descsz, name, out);
      at = next;
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
    offset = file_offset(elf, code_bytes, address);
  bool told = elf && find_metadata(elf, name, out_descriptor);
  elf_end(elf);
  if (offset == SIZE_MAX)
    return fmhac_fail(context, FMHAC_CODEGEN_FAILED,
                      "reading the code object: expected the symbol '%s' in a "
                      "loaded segment, found none",
                      symbol);
  if (!told)
    return fmhac_fail(context, FMHAC_CODEGEN_FAILED,
                      "reading the code object: expected spilled registers and "
                      "workgroup size of kernel '%s' in its AMDGPU metadata, "
                      "found none",
                      name);
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
