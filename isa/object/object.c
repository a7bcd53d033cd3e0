// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects: the ELF file. Sizes and offsets are checked before they are
// used. libelf silently skips parts that are not in the file, so they are
// refused here.
#include "object.h"

#include <gelf.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

enum {
  MACHINE_AMDGPU = 224,
  OSABI_AMDGPU_HSA = 64,
  ABI_VERSION_V3 = 1, ///< MessagePack metadata
  ABI_VERSION_V6 = 4, ///< the newest
  MACH_MASK = 0xff,
  MACH_GFX950 = 0x4f,
  RELOCATION_ABS64 = 3,
  RELOCATION_RELATIVE64 = 13,
  SECTION_LDS = 0xff00, ///< SHN_AMDGPU_LDS
  DESCRIPTOR_BYTES = 64
};

typedef struct reader {
  isa_object *object;
  Elf *elf;
  char *text;
  size_t text_bytes;
} reader;

static fmhac_status fail(reader *r, fmhac_status status, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));
static fmhac_status fail(reader *r, fmhac_status status, const char *format,
                         ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(r->text, r->text_bytes, format, args);
  va_end(args);
  return status;
}
#define INVALID(...) fail(r, FMHAC_INVALID_INPUT, __VA_ARGS__)

//===- Header -------------------------------------------------------------===//

/// Source: EF_AMDGPU_MACH of LLVM 22's "User Guide for AMDGPU Backend".
static const char *mach_name(uint32_t mach) {
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

/// The end of a part of the file; a sum beyond 2^64 saturates.
static uint64_t end_of(uint64_t offset, uint64_t bytes) {
  uint64_t end;
  return __builtin_add_overflow(offset, bytes, &end) ? UINT64_MAX : end;
}

/// Checks that headers and sections are inside the file.
static fmhac_status check_complete(reader *r, const GElf_Ehdr *header) {
  const size_t size = r->object->size;
  uint64_t need =
      end_of(header->e_phoff, (uint64_t)header->e_phnum * header->e_phentsize);
  uint64_t table =
      end_of(header->e_shoff, (uint64_t)header->e_shnum * header->e_shentsize);
  const char *part =
      need > size ? "the program headers end" : "the section table ends";
  need = need > size ? need : table;
  for (Elf_Scn *s = NULL; need <= size && (s = elf_nextscn(r->elf, s));) {
    GElf_Shdr section;
    if (!gelf_getshdr(s, &section) || section.sh_type == SHT_NOBITS)
      continue;
    part = "the sections end";
    need = end_of(section.sh_offset, section.sh_size);
  }
  if (need <= size)
    return FMHAC_OK;
  if (need == UINT64_MAX)
    return INVALID("damaged: expected that %s within the file of %zu bytes, "
                   "found an offset and a size past 2^64",
                   part, size);
  return INVALID("truncated: %s at byte %llu, the file has %zu bytes", part,
                 (unsigned long long)need, size);
}

static fmhac_status check_ident(reader *r) {
  static const char bundle[] = "__CLANG_OFFLOAD_BUNDLE__";
  const uint8_t *bytes = r->object->bytes;
  const size_t size = r->object->size;
  if (size >= sizeof bundle - 1 &&
      memcmp(bytes, bundle, sizeof bundle - 1) == 0)
    return INVALID("expected an ELF file, found a clang offload bundle; "
                   "extract the gfx950 part with clang-offload-bundler "
                   "--unbundle");
  if (memcmp(bytes, ELFMAG, size < SELFMAG ? size : SELFMAG) != 0 || !size)
    return INVALID("expected an ELF file (a gfx950 code object), found %s",
                   size ? "something else" : "an empty file");
  if (size < sizeof(Elf64_Ehdr))
    return INVALID("truncated: expected %zu bytes of ELF header, found %zu",
                   sizeof(Elf64_Ehdr), size);
  if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB)
    return INVALID("expected a 64-bit little-endian ELF file, found another "
                   "kind of ELF file");
  return FMHAC_OK;
}

static fmhac_status check_header(reader *r) {
  GElf_Ehdr header;
  const uint8_t *bytes = r->object->bytes;
  if (!gelf_getehdr(r->elf, &header))
    return INVALID("expected an ELF header, found none that is readable: %s",
                   elf_errmsg(-1));
  if (header.e_machine != MACHINE_AMDGPU)
    return INVALID("expected an ELF file for machine %d (AMDGPU), found "
                   "machine %d%s",
                   MACHINE_AMDGPU, header.e_machine,
                   header.e_machine == EM_X86_64 ? " (x86-64)" : "");
  if (bytes[EI_OSABI] != OSABI_AMDGPU_HSA)
    return INVALID("expected OS ABI %d (amdhsa), found %d; compile for "
                   "amdgcn-amd-amdhsa",
                   OSABI_AMDGPU_HSA, bytes[EI_OSABI]);
  if (bytes[EI_ABIVERSION] < ABI_VERSION_V3 ||
      bytes[EI_ABIVERSION] > ABI_VERSION_V6)
    return INVALID("expected ABI version %d to %d (code object V3 to V6), "
                   "found %d; compile with -mcode-object-version=5",
                   ABI_VERSION_V3, ABI_VERSION_V6, bytes[EI_ABIVERSION]);
  uint32_t mach = header.e_flags & MACH_MASK;
  if (mach != MACH_GFX950)
    return INVALID("expected gfx950 (machine 0x%x), found %s (0x%x); compile "
                   "with -mcpu=gfx950",
                   MACH_GFX950, mach_name(mach), mach);
  if (header.e_type != ET_DYN && header.e_type != ET_REL)
    return INVALID("expected a linked code object (ET_DYN) or an object file "
                   "(ET_REL), found ELF type %d",
                   header.e_type);
  r->object->is_linked = header.e_type == ET_DYN;
  return check_complete(r, &header);
}

//===- Segments and sections ----------------------------------------------===//

static fmhac_status read_segments(reader *r) {
  isa_object *o = r->object;
  size_t count = 0;
  if (elf_getphdrnum(r->elf, &count) != 0)
    return INVALID("no program headers: %s", elf_errmsg(-1));
  o->segments = calloc(count + 1, sizeof *o->segments);
  if (!o->segments)
    return fail(r, FMHAC_OUT_OF_MEMORY, "out of memory");
  for (size_t i = 0; i < count; i++) {
    GElf_Phdr h;
    if (!gelf_getphdr(r->elf, (int)i, &h) || h.p_type != PT_LOAD)
      continue;
    if (end_of(h.p_offset, h.p_filesz) > o->size)
      return INVALID("truncated: segment %zu ends at byte %llu, the file has "
                     "%zu bytes",
                     i, (unsigned long long)end_of(h.p_offset, h.p_filesz),
                     o->size);
    if (h.p_memsz < h.p_filesz || h.p_vaddr > 1ull << 40 ||
        h.p_memsz > 1ull << 32)
      return INVALID("segment %zu has impossible sizes", i);
    o->segments[o->segment_count++] =
        (isa_segment){h.p_vaddr, h.p_memsz, h.p_offset, h.p_filesz};
    if (h.p_vaddr + h.p_memsz > o->image_bytes)
      o->image_bytes = h.p_vaddr + h.p_memsz;
  }
  if (o->image_bytes > 1ull << 32)
    return INVALID("an image of %llu bytes is too large",
                   (unsigned long long)o->image_bytes);
  return FMHAC_OK;
}

/// The bytes of the file that are loaded at a link-time address; NULL if they
/// are not in one segment.
static const uint8_t *at_address(const isa_object *o, uint64_t address,
                                 uint64_t bytes) {
  for (size_t i = 0; i < o->segment_count; i++) {
    const isa_segment *s = &o->segments[i];
    if (address >= s->address && bytes <= s->file_bytes &&
        address - s->address <= s->file_bytes - bytes)
      return o->bytes + s->file_offset + (address - s->address);
  }
  return NULL;
}

/// Code with indirect jumps is decoded as a whole, so the file must have all
/// its bytes.
static fmhac_status read_text(reader *r, const GElf_Shdr *section) {
  isa_object *o = r->object;
  if (section->sh_type == SHT_NOBITS || section->sh_size > o->size)
    return INVALID("expected the %llu bytes of section .text in the file, "
                   "which has %zu bytes",
                   (unsigned long long)section->sh_size, o->size);
  if (section->sh_addr & 3)
    return INVALID("expected section .text at a multiple of 4, found it at "
                   "0x%llx",
                   (unsigned long long)section->sh_addr);
  o->text = (isa_range){section->sh_offset, section->sh_size & ~3ull};
  o->text_address = section->sh_addr;
  if (!o->is_linked)
    return FMHAC_OK;
  const uint8_t *loaded = at_address(o, o->text_address, o->text.bytes);
  if (!loaded)
    return INVALID("section .text lies outside the loaded image");
  o->text.offset = (uint64_t)(loaded - o->bytes);
  return FMHAC_OK;
}

static fmhac_status read_relocations(reader *r, Elf_Scn *section,
                                     const GElf_Shdr *header) {
  isa_object *o = r->object;
  GElf_Shdr symbols_header;
  Elf_Data *data = elf_getdata(section, NULL);
  Elf_Scn *symbols_section = elf_getscn(r->elf, header->sh_link);
  Elf_Data *symbols =
      symbols_section && gelf_getshdr(symbols_section, &symbols_header)
          ? elf_getdata(symbols_section, NULL)
          : NULL;
  if (header->sh_entsize != sizeof(Elf64_Rela))
    return INVALID("expected relocations of %zu bytes, found %llu",
                   sizeof(Elf64_Rela), (unsigned long long)header->sh_entsize);
  const size_t count = data ? header->sh_size / sizeof(Elf64_Rela) : 0;
  // Sections may name the same bytes again and again.
  if (count > o->size / sizeof(Elf64_Rela) - o->relocation_count)
    return INVALID("more relocations than a file of %zu bytes has room for",
                   o->size);
  isa_relocation *list =
      realloc(o->relocations, (o->relocation_count + count + 1) * sizeof *list);
  if (!list)
    return fail(r, FMHAC_OUT_OF_MEMORY, "out of memory");
  o->relocations = list;
  for (size_t i = 0; i < count; i++) {
    GElf_Rela entry;
    GElf_Sym symbol = {0};
    if (!gelf_getrela(data, (int)i, &entry))
      continue;
    uint32_t type = (uint32_t)GELF_R_TYPE(entry.r_info);
    uint64_t value = (uint64_t)entry.r_addend;
    if (type == RELOCATION_ABS64) {
      if (!symbols ||
          !gelf_getsym(symbols, (int)GELF_R_SYM(entry.r_info), &symbol))
        return INVALID("relocation without symbol");
      value += symbol.st_value;
    } else if (type != RELOCATION_RELATIVE64) {
      return INVALID("relocation of unknown type %u", type);
    }
    if (o->image_bytes < 8 || entry.r_offset > o->image_bytes - 8)
      return INVALID("relocation outside the image");
    o->relocations[o->relocation_count++] =
        (isa_relocation){entry.r_offset, value};
  }
  return FMHAC_OK;
}

//===- Kernels ------------------------------------------------------------===//

size_t isa_object_find_name(const isa_object *o, const char *name,
                            size_t name_bytes) {
  size_t i = 0;
  while (i < o->kernel_count &&
         (o->kernels[i].name_bytes != name_bytes ||
          memcmp(o->kernels[i].name, name, name_bytes) != 0))
    i++;
  return i;
}

isa_kernel *isa_object_add_kernel(isa_object *o, const char *name,
                                  size_t name_bytes) {
  const size_t found = isa_object_find_name(o, name, name_bytes);
  if (found < o->kernel_count)
    return &o->kernels[found];
  if (!FMHAC_GROW(o->kernels, o->kernel_count, o->kernel_capacity))
    return NULL;
  isa_kernel *k = &o->kernels[o->kernel_count];
  *k =
      (isa_kernel){.name = strndup(name, name_bytes), .name_bytes = name_bytes};
  if (!k->name)
    return NULL;
  o->kernel_count++;
  return k;
}

static uint32_t word_at(const uint8_t *bytes, size_t at) {
  uint32_t word;
  memcpy(&word, bytes + at, sizeof word);
  return word;
}

static void read_descriptor(isa_kernel *k, const uint8_t *bytes) {
  isa_descriptor *d = &k->descriptor;
  d->lds_bytes = word_at(bytes, 0);
  d->scratch_bytes = word_at(bytes, 4);
  d->kernarg_bytes = word_at(bytes, 8);
  memcpy(&d->entry_offset, bytes + 16, 8);
  d->rsrc3 = word_at(bytes, 44);
  d->rsrc1 = word_at(bytes, 48);
  d->rsrc2 = word_at(bytes, 52);
  d->properties = (uint16_t)word_at(bytes, 56);
  d->kernarg_preload = (uint16_t)(word_at(bytes, 56) >> 16);
  k->has_descriptor = true;
  k->entry = k->address + (uint64_t)d->entry_offset;
  if (d->kernarg_bytes > k->kernarg_bytes)
    k->kernarg_bytes = d->kernarg_bytes;
  k->dynamic_stack |= d->properties >> 11 & 1; // USES_DYNAMIC_STACK
  // With accumulation registers the architectural ones end where these begin:
  // rsrc3, bits 5:0, in fours less one.
  if (k->agprs)
    k->vgprs = ((d->rsrc3 & 63) + 1) * 4;
}

/// The 64 bytes that a symbol names; NULL if they are not in the file.
static const uint8_t *symbol_bytes(reader *r, const GElf_Sym *symbol) {
  isa_object *o = r->object;
  if (o->is_linked)
    return at_address(o, symbol->st_value, DESCRIPTOR_BYTES);
  GElf_Shdr home;
  Elf_Scn *section = elf_getscn(r->elf, symbol->st_shndx);
  if (!section || !gelf_getshdr(section, &home) || home.sh_type == SHT_NOBITS ||
      home.sh_size < DESCRIPTOR_BYTES || symbol->st_value < home.sh_addr ||
      symbol->st_value - home.sh_addr > home.sh_size - DESCRIPTOR_BYTES)
    return NULL;
  return o->bytes + home.sh_offset + (symbol->st_value - home.sh_addr);
}

/// The kernels are the symbols "NAME.kd"; LDS without an address is an array
/// whose size a launch sets (`extern __shared__` of code that is not linked).
static fmhac_status read_symbols(reader *r, Elf_Scn *section,
                                 const GElf_Shdr *header, bool *out_lds) {
  static const char suffix[] = ".kd";
  const size_t suffix_bytes = sizeof suffix - 1;
  Elf_Data *data = elf_getdata(section, NULL);
  if (header->sh_entsize != sizeof(Elf64_Sym))
    return INVALID("expected symbols of %zu bytes, found %llu",
                   sizeof(Elf64_Sym), (unsigned long long)header->sh_entsize);
  for (size_t i = 0; data && i < header->sh_size / sizeof(Elf64_Sym); i++) {
    GElf_Sym symbol;
    if (!gelf_getsym(data, (int)i, &symbol))
      continue;
    *out_lds |= header->sh_type == SHT_SYMTAB && symbol.st_shndx == SECTION_LDS;
    const char *name = elf_strptr(r->elf, header->sh_link, symbol.st_name);
    size_t n = name ? strlen(name) : 0;
    if (n <= suffix_bytes || symbol.st_shndx == SHN_UNDEF ||
        strcmp(name + n - suffix_bytes, suffix) != 0)
      continue;
    isa_kernel *k = isa_object_add_kernel(r->object, name, n - suffix_bytes);
    if (!k)
      return fail(r, FMHAC_OUT_OF_MEMORY, "out of memory");
    if (r->object->kernel_count > ISA_MOST_KERNELS)
      return INVALID("expected at most %d kernels, found more symbols that end "
                     "in \".kd\"",
                     ISA_MOST_KERNELS);
    if (k->has_descriptor)
      continue;
    const uint8_t *bytes = symbol_bytes(r, &symbol);
    if (!bytes)
      return INVALID("the descriptor of kernel %.200s lies outside the image",
                     k->name);
    k->address = symbol.st_value;
    read_descriptor(k, bytes);
  }
  return FMHAC_OK;
}

//===- The whole ----------------------------------------------------------===//

static fmhac_status read_sections(reader *r) {
  isa_object *o = r->object;
  size_t names = 0;
  bool has_text = false, lds = false;
  if (elf_getshdrstrndx(r->elf, &names) != 0)
    return INVALID("no section names");
  fmhac_status status = FMHAC_OK;
  for (Elf_Scn *s = NULL; status == FMHAC_OK && (s = elf_nextscn(r->elf, s));) {
    GElf_Shdr h;
    if (!gelf_getshdr(s, &h))
      continue;
    const char *name = elf_strptr(r->elf, names, h.sh_name);
    o->has_lines |= name && strcmp(name, ".debug_line") == 0;
    bool is_text = name && strcmp(name, ".text") == 0 && !has_text;
    has_text |= is_text;
    if (is_text)
      status = read_text(r, &h);
    else if (h.sh_type == SHT_RELA && o->is_linked)
      status = read_relocations(r, s, &h);
    else if (h.sh_type == SHT_DYNSYM || h.sh_type == SHT_SYMTAB)
      status = read_symbols(r, s, &h, &lds);
  }
  for (size_t i = 0; i < o->kernel_count; i++)
    o->kernels[i].dynamic_lds |= lds;
  return status;
}

static fmhac_status read_elf(reader *r) {
  isa_object *o = r->object;
  fmhac_status status = check_ident(r);
  if (status != FMHAC_OK)
    return status;
  o->elf = r->elf = elf_memory((char *)o->bytes, o->size);
  if (!r->elf)
    return INVALID("not a readable ELF file: %s", elf_errmsg(-1));
  status = check_header(r);
  if (status == FMHAC_OK && o->is_linked)
    status = read_segments(r);
  if (status == FMHAC_OK)
    status = isa_object_read_notes(o, r->text, r->text_bytes);
  if (status == FMHAC_OK)
    status = read_sections(r);
  return status;
}

fmhac_status isa_object_read(const void *bytes, size_t size, char *text,
                             size_t text_bytes, isa_object *out) {
  *out = (isa_object){.size = size};
  reader reading = {.object = out, .text = text, .text_bytes = text_bytes};
  if (elf_version(EV_CURRENT) == EV_NONE)
    return fail(&reading, FMHAC_INTERNAL, "libelf: %s", elf_errmsg(-1));
  // libelf needs mutable memory, so it gets a copy.
  out->bytes = malloc(size ? size : 1);
  fmhac_status status = out->bytes ? FMHAC_OK
                                   : fail(&reading, FMHAC_OUT_OF_MEMORY,
                                          "out of memory for %zu bytes", size);
  if (status == FMHAC_OK) {
    if (size)
      memcpy(out->bytes, bytes, size);
    status = read_elf(&reading);
  }
  if (status != FMHAC_OK)
    isa_object_deinit(out);
  return status;
}

void isa_object_deinit(isa_object *o) {
  if (o->elf)
    elf_end(o->elf);
  for (size_t i = 0; i < o->kernel_count; i++) {
    isa_kernel *k = &o->kernels[i];
    for (size_t a = 0; a < k->argument_count; a++)
      free(k->arguments[a].kind);
    free(k->arguments);
    free(k->name);
  }
  free(o->kernels);
  free(o->segments);
  free(o->relocations);
  free(o->target);
  free(o->bytes);
  *o = (isa_object){0};
}

const isa_kernel *isa_object_find_kernel(const isa_object *o,
                                         const char *name) {
  const size_t i = isa_object_find_name(o, name, strlen(name));
  return i < o->kernel_count ? &o->kernels[i] : NULL;
}

static fmhac_status check_kernel(reader *r, const isa_kernel *k) {
  const isa_object *o = r->object;
  uint64_t inside = k->entry - o->text_address;
  if (k->entry < o->text_address || inside >= o->text.bytes || (k->entry & 3))
    return INVALID("kernel %.200s: entry 0x%llx lies outside section .text",
                   k->name, (unsigned long long)k->entry);
  if (inside + isa_entry_skip(&k->descriptor) >= o->text.bytes)
    return INVALID("kernel %.200s: with preloaded arguments execution begins "
                   "256 bytes after entry 0x%llx; section .text ends before, "
                   "at 0x%llx",
                   k->name, (unsigned long long)k->entry,
                   (unsigned long long)(o->text_address + o->text.bytes));
  return FMHAC_OK;
}

fmhac_status isa_object_check_loadable(const isa_object *o, char *text,
                                       size_t text_bytes) {
  reader checked = {.object = (isa_object *)(uintptr_t)o,
                    .text = text,
                    .text_bytes = text_bytes};
  reader *r = &checked;
  if (!o->is_linked)
    return INVALID(
        "expected a linked code object (ET_DYN), found ELF type %d (an "
        "object file: link it with ld.lld -shared)",
        ET_REL);
  if (!o->image_bytes)
    return INVALID("no loadable segment");
  if (!o->text.bytes)
    return INVALID("no section .text");
  size_t found = 0;
  for (size_t i = 0; i < o->kernel_count; i++) {
    const isa_kernel *k = &o->kernels[i];
    found += k->has_descriptor;
    fmhac_status status = k->has_descriptor ? check_kernel(r, k) : FMHAC_OK;
    if (status != FMHAC_OK)
      return status;
  }
  return found ? FMHAC_OK
               : INVALID("no kernel: no symbol has a name that ends in "
                         "\".kd\"");
}

fmhac_status isa_object_load(const void *bytes, size_t size, char *text,
                             size_t text_bytes, isa_object *out) {
  enum { REASON_BYTES = 768 };
  char reason[REASON_BYTES];
  fmhac_status status =
      isa_object_read(bytes, size, reason, sizeof reason, out);
  if (status == FMHAC_OK)
    status = isa_object_check_loadable(out, reason, sizeof reason);
  if (status == FMHAC_OK)
    return FMHAC_OK;
  snprintf(text, text_bytes, "loading the code object: %s", reason);
  isa_object_deinit(out);
  return status;
}

fmhac_status
isa_object_work(const void *code, size_t bytes, const char *purpose,
                fmhac_status (*work)(void *user, const isa_object *object),
                const char *(*explain)(fmhac_status status), void *user,
                char *text, size_t text_bytes) {
  isa_object object;
  fmhac_status status = isa_object_load(code, bytes, text, text_bytes, &object);
  if (status == FMHAC_OK) {
    status = work(user, &object);
    if (status != FMHAC_OK)
      snprintf(text, text_bytes, "%s: %s", purpose, explain(status));
  }
  isa_object_deinit(&object);
  return status;
}

//===- Functions ----------------------------------------------------------===//

/// A table of symbols.
typedef struct symbols {
  Elf *elf;
  Elf_Data *data;
  size_t count;
} symbols;

/// The end of the code of a symbol without a size.
static uint64_t next_symbol(const symbols *table, const GElf_Sym *symbol,
                            uint64_t end) {
  for (size_t i = 0; i < table->count; ++i) {
    GElf_Sym other;
    if (gelf_getsym(table->data, (int)i, &other) &&
        other.st_shndx == symbol->st_shndx &&
        other.st_value > symbol->st_value && other.st_value < end &&
        GELF_ST_BIND(other.st_info) != STB_LOCAL)
      end = other.st_value;
  }
  return end;
}

static bool function_bytes(const symbols *table, const GElf_Sym *symbol,
                           isa_range *out) {
  GElf_Shdr h;
  Elf_Scn *section = elf_getscn(table->elf, symbol->st_shndx);
  if (!section || !gelf_getshdr(section, &h) || h.sh_type == SHT_NOBITS ||
      symbol->st_value < h.sh_addr)
    return false;
  uint64_t inside = symbol->st_value - h.sh_addr, bytes = symbol->st_size;
  if (!bytes && inside <= h.sh_size)
    bytes =
        next_symbol(table, symbol, h.sh_addr + h.sh_size) - symbol->st_value;
  if (inside > h.sh_size || bytes > h.sh_size - inside)
    return false;
  *out = (isa_range){h.sh_offset + inside, bytes};
  return true;
}

static bool is_function(const GElf_Sym *symbol) {
  int type = GELF_ST_TYPE(symbol->st_info);
  return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
         (type == STT_FUNC || type == STT_NOTYPE);
}

bool isa_object_find_function(const isa_object *o, const char *name,
                              isa_range *out_code) {
  for (Elf_Scn *s = NULL; (s = elf_nextscn(o->elf, s));) {
    GElf_Shdr h;
    symbols table = {.elf = o->elf};
    if (!gelf_getshdr(s, &h) ||
        (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM) ||
        !(table.data = elf_getdata(s, NULL)))
      continue;
    table.count = h.sh_size / sizeof(Elf64_Sym);
    for (size_t i = 0; i < table.count; ++i) {
      GElf_Sym symbol;
      const char *found;
      if (gelf_getsym(table.data, (int)i, &symbol) && is_function(&symbol) &&
          (found = elf_strptr(o->elf, h.sh_link, symbol.st_name)) &&
          strcmp(found, name) == 0)
        return function_bytes(&table, &symbol, out_code);
    }
  }
  return false;
}
