// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "code_object.h"
#include "whole_msgpack.h"

#include <gelf.h>
#include <libelf.h>
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  EM_AMDGPU_MACHINE = 224,
  OSABI_AMDGPU_HSA = 64,
  // ELFABIVERSION_AMDGPU_HSA_V3 and _V6: metadata as MessagePack, and the
  // newest.
  OLDEST_ABI_VERSION = 1,
  NEWEST_ABI_VERSION = 4,
  EF_MACH_MASK = 0xff,
  EF_MACH_GFX950 = 0x4f,
  NT_AMDGPU_METADATA_TYPE = 32,
  NT_FMHAC = 1,
  DESCRIPTOR_BYTES = 64,
  MAX_NESTING = 32
};

// Source: AMDGPU usage guide of LLVM 22, "Kernel Descriptor", and the limits of
// gfx90a and later; the LDS of gfx950 is 160 KiB in granules of 1280 bytes.
enum {
  REGISTERS_PER_LANE = 512,
  VGPR_GRANULE = 8,
  WAVES_PER_SIMD = 8,
  SIMDS = 4,
  WAVE_LANES = 64,
  LDS_GRANULE = 1280
};

static bool fail(char error[ERROR_BYTES], const char *text) {
  snprintf(error, ERROR_BYTES, "%s", text);
  return false;
}

//===- Notes --------------------------------------------------------------===//

static cJSON *json_of(const msgpack_object *object, int depth);

static void add_member(cJSON *json, const msgpack_object_kv *pair, int depth) {
  if (pair->key.type != MSGPACK_OBJECT_STR)
    return;
  char *key = strndup(pair->key.via.str.ptr, pair->key.via.str.size);
  if (key)
    cJSON_AddItemToObject(json, key, json_of(&pair->val, depth));
  free(key);
}

/// The same value as JSON. Binary and extension types become null.
static cJSON *json_of(const msgpack_object *object, int depth) {
  if (depth > MAX_NESTING)
    return cJSON_CreateNull();
  cJSON *json;
  char *text;
  switch (object->type) {
  case MSGPACK_OBJECT_BOOLEAN:
    return cJSON_CreateBool(object->via.boolean);
  case MSGPACK_OBJECT_POSITIVE_INTEGER:
    return cJSON_CreateNumber((double)object->via.u64);
  case MSGPACK_OBJECT_NEGATIVE_INTEGER:
    return cJSON_CreateNumber((double)object->via.i64);
  case MSGPACK_OBJECT_FLOAT32:
  case MSGPACK_OBJECT_FLOAT64:
    return cJSON_CreateNumber(object->via.f64);
  case MSGPACK_OBJECT_STR:
    text = strndup(object->via.str.ptr, object->via.str.size);
    json = cJSON_CreateString(text ? text : "");
    free(text);
    return json;
  case MSGPACK_OBJECT_ARRAY:
    json = cJSON_CreateArray();
    for (uint32_t i = 0; i < object->via.array.size; ++i)
      cJSON_AddItemToArray(json, json_of(&object->via.array.ptr[i], depth + 1));
    return json;
  case MSGPACK_OBJECT_MAP:
    json = cJSON_CreateObject();
    for (uint32_t i = 0; i < object->via.map.size; ++i)
      add_member(json, &object->via.map.ptr[i], depth + 1);
    return json;
  default:
    return cJSON_CreateNull();
  }
}

static cJSON *unpack(const char *bytes, size_t size) {
  if (!fmhac_is_whole_value((const uint8_t *)bytes, size))
    return NULL;
  msgpack_unpacked unpacked;
  msgpack_unpacked_init(&unpacked);
  cJSON *json = NULL;
  if (msgpack_unpack_next(&unpacked, bytes, size, NULL) ==
      MSGPACK_UNPACK_SUCCESS)
    json = json_of(&unpacked.data, 0);
  msgpack_unpacked_destroy(&unpacked);
  return json;
}

static void take_note(code_object *object, const char *owner,
                      const GElf_Nhdr *header, const char *payload) {
  if (header->n_type == NT_AMDGPU_METADATA_TYPE && !object->metadata &&
      strcmp(owner, "AMDGPU") == 0)
    object->metadata = unpack(payload, header->n_descsz);
  else if (header->n_type == NT_FMHAC && !object->note &&
           strcmp(owner, "fmhac") == 0)
    object->note = unpack(payload, header->n_descsz);
}

static void read_notes(Elf *elf, code_object *object) {
  for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    Elf_Data *data;
    if (!gelf_getshdr(section, &header) || header.sh_type != SHT_NOTE ||
        !(data = elf_getdata(section, NULL)))
      continue;
    size_t at = 0, next, name_at, payload_at;
    GElf_Nhdr note;
    while ((next = gelf_getnote(data, at, &note, &name_at, &payload_at)) > 0) {
      const char *bytes = data->d_buf;
      // The name is terminated inside its size, or it is none of ours.
      if (note.n_namesz > 0 && bytes[name_at + note.n_namesz - 1] == '\0')
        take_note(object, bytes + name_at, &note, bytes + payload_at);
      at = next;
    }
  }
}

//===- Kernels ------------------------------------------------------------===//

/// The 64 bytes of the object "NAME.kd"; false if it is not there.
static bool find_descriptor(Elf *elf, const char *symbol_name,
                            uint8_t out_bytes[DESCRIPTOR_BYTES]) {
  for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    Elf_Data *data;
    if (!gelf_getshdr(section, &header) || header.sh_entsize == 0 ||
        (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM) ||
        !(data = elf_getdata(section, NULL)))
      continue;
    for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      GElf_Shdr home;
      const char *name;
      Elf_Data *contents;
      if (!gelf_getsym(data, (int)i, &symbol) ||
          !(name = elf_strptr(elf, header.sh_link, symbol.st_name)) ||
          strcmp(name, symbol_name) != 0)
        continue;
      Elf_Scn *scn = elf_getscn(elf, symbol.st_shndx);
      if (!scn || !gelf_getshdr(scn, &home) ||
          !(contents = elf_getdata(scn, NULL)) || !contents->d_buf ||
          symbol.st_value < home.sh_addr)
        return false;
      uint64_t inside = symbol.st_value - home.sh_addr;
      if (contents->d_size < DESCRIPTOR_BYTES ||
          inside > contents->d_size - DESCRIPTOR_BYTES)
        return false;
      memcpy(out_bytes, (const uint8_t *)contents->d_buf + inside,
             DESCRIPTOR_BYTES);
      return true;
    }
  }
  return false;
}

/// Whether an array in LDS has no place yet: `extern __shared__` of code that
/// is not linked.
static bool has_lds_symbol(Elf *elf) {
  enum { SHN_AMDGPU_LDS = 0xff00 }; // AMDGPU usage guide, "Symbols"
  for (Elf_Scn *section = elf_nextscn(elf, NULL); section;
       section = elf_nextscn(elf, section)) {
    GElf_Shdr header;
    Elf_Data *data;
    if (!gelf_getshdr(section, &header) || header.sh_entsize == 0 ||
        header.sh_type != SHT_SYMTAB || !(data = elf_getdata(section, NULL)))
      continue;
    for (size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
      GElf_Sym symbol;
      if (gelf_getsym(data, (int)i, &symbol) &&
          symbol.st_shndx == SHN_AMDGPU_LDS)
        return true;
    }
  }
  return false;
}

/// Whether arguments tell the kernel of LDS that its launch adds (HIP's hidden
/// size, OpenCL's __local pointers).
static bool takes_dynamic_lds(const cJSON *arguments) {
  const cJSON *argument;
  cJSON_ArrayForEach(argument, arguments) {
    const char *kind = cJSON_GetStringValue(
        cJSON_GetObjectItemCaseSensitive(argument, ".value_kind"));
    if (kind && (strcmp(kind, "hidden_dynamic_lds_size") == 0 ||
                 strcmp(kind, "dynamic_shared_pointer") == 0))
      return true;
  }
  return false;
}

static uint32_t number_of(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  bool fits = cJSON_IsNumber(item) && item->valuedouble >= 0 &&
              item->valuedouble <= UINT32_MAX;
  return fits ? (uint32_t)item->valuedouble : 0;
}

static const char *text_of(const cJSON *object, const char *key) {
  const char *text =
      cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, key));
  return text ? text : "";
}

static uint32_t word_at(const uint8_t *bytes, size_t at) {
  uint32_t word;
  memcpy(&word, bytes + at, sizeof word);
  return word;
}

static bool read_kernel(Elf *elf, const cJSON *metadata,
                        code_kernel *out_kernel, char error[ERROR_BYTES]) {
  code_kernel k = {
      .name = text_of(metadata, ".name"),
      .vgprs = number_of(metadata, ".vgpr_count"),
      .agprs = number_of(metadata, ".agpr_count"),
      .sgprs = number_of(metadata, ".sgpr_count"),
      .vgpr_spills = number_of(metadata, ".vgpr_spill_count"),
      .sgpr_spills = number_of(metadata, ".sgpr_spill_count"),
      .max_threads = number_of(metadata, ".max_flat_workgroup_size"),
      .arguments = cJSON_GetObjectItemCaseSensitive(metadata, ".args"),
  };
  uint8_t descriptor[DESCRIPTOR_BYTES];
  const char *symbol = text_of(metadata, ".symbol");
  if (!find_descriptor(elf, symbol, descriptor)) {
    snprintf(error, ERROR_BYTES,
             "expected the descriptor of kernel '%.100s' at the symbol "
             "'%.100s', found none",
             k.name, symbol);
    return false;
  }
  // The descriptor is what the hardware obeys: bytes 0, 4, 8 hold the sizes of
  // LDS, scratch and kernarg; rsrc3 at 44, bits 5:0, where AGPRs begin in
  // fours; rsrc1 at 48, bits 5:0, registers in eights; both less one.
  k.lds_bytes = word_at(descriptor, 0);
  k.dynamic_lds = takes_dynamic_lds(k.arguments) || has_lds_symbol(elf);
  k.scratch_bytes = word_at(descriptor, 4);
  k.kernarg_bytes = word_at(descriptor, 8);
  k.allocated_vgprs = ((word_at(descriptor, 48) & 63) + 1) * VGPR_GRANULE;
  if (k.agprs)
    k.vgprs = ((word_at(descriptor, 44) & 63) + 1) * 4;
  *out_kernel = k;
  return true;
}

static bool read_kernels(Elf *elf, code_object *object,
                         char error[ERROR_BYTES]) {
  const cJSON *list =
      cJSON_GetObjectItemCaseSensitive(object->metadata, "amdhsa.kernels");
  int count = cJSON_GetArraySize(list);
  if (count <= 0)
    return fail(error, "the metadata lists no kernel");
  object->kernels = calloc((size_t)count, sizeof *object->kernels);
  if (!object->kernels)
    return fail(error, "out of memory");
  const cJSON *kernel;
  cJSON_ArrayForEach(kernel, list) {
    if (!read_kernel(elf, kernel, &object->kernels[object->kernel_count],
                     error))
      return false;
    ++object->kernel_count;
  }
  return true;
}

/// Source: EF_AMDGPU_MACH of the AMDGPU usage guide of LLVM 22.
static const char *mach_name(unsigned mach) {
  static const struct {
    uint8_t mach;
    const char *name;
  } names[] = {{0x2c, "gfx900"},  {0x2f, "gfx906"},  {0x30, "gfx908"},
               {0x36, "gfx1030"}, {0x3f, "gfx90a"},  {0x40, "gfx940"},
               {0x41, "gfx1100"}, {0x46, "gfx1101"}, {0x47, "gfx1102"},
               {0x48, "gfx1200"}, {0x4b, "gfx941"},  {0x4c, "gfx942"},
               {0x4e, "gfx1201"}, {0x4f, "gfx950"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (mach == names[i].mach)
      return names[i].name;
  return "another chip";
}

/// Where a part of the file ends; sizes that cannot be saturate.
static uint64_t end_of(uint64_t offset, uint64_t bytes) {
  uint64_t end;
  return __builtin_add_overflow(offset, bytes, &end) ? UINT64_MAX : end;
}

/// That every section lies within the file: libelf passes over those that do
/// not, and what they hold would seem never to have been there.
static bool check_complete(Elf *elf, const GElf_Ehdr *header, size_t size,
                           char error[ERROR_BYTES]) {
  uint64_t need =
      end_of(header->e_phoff, (uint64_t)header->e_phnum * header->e_phentsize);
  uint64_t table =
      end_of(header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize);
  const char *what = need > size ? "program headers end" : "section table ends";
  need = need > size ? need : table;
  for (Elf_Scn *s = NULL; need <= size && (s = elf_nextscn(elf, s));) {
    GElf_Shdr section;
    if (!gelf_getshdr(s, &section) || section.sh_type == SHT_NOBITS)
      continue;
    what = "sections end";
    need = end_of(section.sh_offset, section.sh_size);
  }
  if (need <= size)
    return true;
  if (need == UINT64_MAX) {
    snprintf(error, ERROR_BYTES,
             "damaged: expected that its %s within a file of %zu bytes, found "
             "an offset and a size past 2^64",
             what, size);
    return false;
  }
  snprintf(error, ERROR_BYTES,
           "truncated: expected %llu bytes at least (where its %s), found "
           "%zu",
           (unsigned long long)need, what, size);
  return false;
}

static bool check_header(Elf *elf, const uint8_t *bytes, size_t size,
                         char error[ERROR_BYTES]) {
  GElf_Ehdr header;
  if (size < EI_NIDENT || memcmp(bytes, ELFMAG, SELFMAG) != 0) {
    snprintf(error, ERROR_BYTES,
             "expected an ELF file (a gfx950 code object), found %s",
             size == 0          ? "an empty file"
             : size < EI_NIDENT ? "a file of a few bytes"
                                : "something else");
    return false;
  }
  if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB)
    return fail(error, "expected a 64-bit little-endian ELF file, found "
                       "another kind of ELF");
  if (size < sizeof(Elf64_Ehdr) || !elf || !gelf_getehdr(elf, &header)) {
    snprintf(error, ERROR_BYTES,
             "truncated: expected %zu bytes of ELF header, found %zu",
             sizeof(Elf64_Ehdr), size);
    return false;
  }
  unsigned mach = header.e_flags & EF_MACH_MASK;
  if (header.e_machine != EM_AMDGPU_MACHINE)
    snprintf(error, ERROR_BYTES,
             "expected a code object of AMDGPU (machine %d), found machine "
             "%u%s",
             EM_AMDGPU_MACHINE, header.e_machine,
             header.e_machine == EM_X86_64 ? " (x86-64)" : "");
  else if (bytes[EI_OSABI] != OSABI_AMDGPU_HSA)
    snprintf(error, ERROR_BYTES,
             "expected OS ABI %d (amdhsa), found %d; compile for "
             "amdgcn-amd-amdhsa",
             OSABI_AMDGPU_HSA, bytes[EI_OSABI]);
  else if (bytes[EI_ABIVERSION] < OLDEST_ABI_VERSION ||
           bytes[EI_ABIVERSION] > NEWEST_ABI_VERSION)
    snprintf(error, ERROR_BYTES,
             "expected ABI version %d to %d (code object V3 to V6), found %d; "
             "compile with -mcode-object-version=5",
             OLDEST_ABI_VERSION, NEWEST_ABI_VERSION, bytes[EI_ABIVERSION]);
  else if (mach != EF_MACH_GFX950)
    snprintf(error, ERROR_BYTES,
             "expected gfx950 (mach 0x%x), found %s (0x%x); compile with "
             "-mcpu=gfx950",
             EF_MACH_GFX950, mach_name(mach), mach);
  else
    return check_complete(elf, &header, size, error);
  return false;
}

static bool read_elf(Elf *elf, const uint8_t *bytes, size_t size,
                     code_object *object, char error[ERROR_BYTES]) {
  if (!check_header(elf, bytes, size, error))
    return false;
  read_notes(elf, object);
  if (!object->metadata)
    return fail(error, "expected a metadata note (NT_AMDGPU_METADATA), found "
                       "none: is it linked?");
  object->target = text_of(object->metadata, "amdhsa.target");
  return read_kernels(elf, object, error);
}

bool code_object_read(const void *bytes, size_t size, code_object *out_object,
                      char error[ERROR_BYTES]) {
  *out_object = (code_object){.target = ""};
  if (elf_version(EV_CURRENT) == EV_NONE)
    return fail(error, "libelf is too old");
  Elf *elf = elf_memory((char *)(uintptr_t)bytes, size);
  bool ok = read_elf(elf, bytes, size, out_object, error);
  elf_end(elf);
  if (!ok)
    code_object_deinit(out_object);
  return ok;
}

void code_object_deinit(code_object *object) {
  free(object->kernels);
  cJSON_Delete(object->metadata);
  cJSON_Delete(object->note);
  *object = (code_object){.target = ""};
}

//===- Occupancy ----------------------------------------------------------===//

/// Workgroups of `waves` waves where a SIMD holds `slots` waves: those of a
/// workgroup are dealt round the SIMDs.
static uint32_t workgroups_of(uint32_t slots, uint32_t waves) {
  return waves >= SIMDS ? slots / ((waves + SIMDS - 1) / SIMDS)
                        : slots * SIMDS / waves;
}

occupancy occupancy_of(const code_kernel *kernel, uint32_t threads) {
  uint32_t waves = (threads + WAVE_LANES - 1) / WAVE_LANES;
  if (waves == 0)
    waves = 1;
  uint32_t by_registers = REGISTERS_PER_LANE / kernel->allocated_vgprs;
  uint32_t slots =
      by_registers < WAVES_PER_SIMD ? by_registers : WAVES_PER_SIMD;
  uint32_t by_waves = workgroups_of(slots, waves);
  uint64_t lds = (uint64_t)kernel->lds_bytes + kernel->dynamic_lds_bytes;
  uint64_t granules = (lds + LDS_GRANULE - 1) / LDS_GRANULE;
  uint32_t by_lds = granules
                        ? (uint32_t)(CODE_LDS_BYTES / LDS_GRANULE / granules)
                        : UINT32_MAX;
  uint32_t workgroups = by_lds < by_waves ? by_lds : by_waves;
  return (occupancy){.workgroups_per_cu = workgroups,
                     .waves_per_simd = (workgroups * waves + SIMDS - 1) / SIMDS,
                     .limit = by_lds < by_waves               ? "lds"
                              : by_registers < WAVES_PER_SIMD ? "registers"
                                                              : "waves",
                     .by_registers = workgroups_of(by_registers, waves),
                     .by_lds = granules ? by_lds : 0,
                     .by_waves = workgroups_of(WAVES_PER_SIMD, waves),
                     .waves = waves};
}
