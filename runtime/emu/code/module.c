// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code objects: ELF through libelf, kernel descriptors, metadata note through
// msgpack-c. Layouts: LLVM "User Guide for AMDGPU Backend", "Code Object".
#include "module.h"
#include "whole_msgpack.h"

#include <gelf.h>
#include <libelf.h>
#include <msgpack.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef EM_AMDGPU
#define EM_AMDGPU 224
#endif
enum {
  k_osabi_hsa = 64,       // ELFOSABI_AMDGPU_HSA
  k_abi_v3 = 1,           // ELFABIVERSION_AMDGPU_HSA_V3: MessagePack metadata
  k_abi_v6 = 4,           // ELFABIVERSION_AMDGPU_HSA_V6, the newest
  k_mach_mask = 0xff,     // EF_AMDGPU_MACH
  k_mach_gfx950 = 0x4f,   // EF_AMDGPU_MACH_AMDGCN_GFX950
  k_note_metadata = 32,   // NT_AMDGPU_METADATA
  k_reloc_abs64 = 3,      // R_AMDGPU_ABS64
  k_reloc_relative64 = 13 // R_AMDGPU_RELATIVE64
};

typedef struct loader {
  emu_space *space;
  const uint8_t *code;
  size_t bytes;
  char *text;
  size_t text_bytes;
  Elf *elf;
  emu_module *module;
  uint64_t text_address; ///< link-time address of .text
  bool has_lines;        ///< a section .debug_line
} loader;

static fmhac_status fail(loader *l, fmhac_status status, const char *format,
                         ...) __attribute__((format(printf, 3, 4)));
static fmhac_status fail(loader *l, fmhac_status status, const char *format,
                         ...) {
  va_list args;
  va_start(args, format);
  size_t n =
      (size_t)snprintf(l->text, l->text_bytes, "loading the code object: ");
  // The caller's room may end before the reason begins.
  if (n < l->text_bytes)
    vsnprintf(l->text + n, l->text_bytes - n, format, args);
  va_end(args);
  return status;
}

static const char *mach_name(uint32_t mach) {
  switch (mach) {
  case 0x3f:
    return "gfx90a";
  case 0x40:
    return "gfx940";
  case 0x4b:
    return "gfx941";
  case 0x4c:
    return "gfx942";
  case 0x4f:
    return "gfx950";
  case 0x41:
    return "gfx1100";
  case 0x4e:
    return "gfx1201";
  case 0x36:
    return "gfx1030";
  case 0x2f:
    return "gfx906";
  case 0x30:
    return "gfx908";
  default:
    return "another chip";
  }
}

static fmhac_status check_header(loader *l) {
  if (l->bytes < 64 || memcmp(l->code, "\177ELF", 4) != 0) {
    if (l->bytes >= 24 && memcmp(l->code, "__CLANG_OFFLOAD_BUNDLE__", 24) == 0)
      return fail(l, FMHAC_INVALID_INPUT,
                  "expected an ELF file, found a clang offload bundle; extract "
                  "the gfx950 part with clang-offload-bundler --unbundle");
    return fail(l, FMHAC_INVALID_INPUT,
                "expected an ELF file of at least 64 bytes, found %zu bytes "
                "%s",
                l->bytes,
                l->bytes < 64 ? "(truncated?)"
                              : "that do not begin with "
                                "\\x7f E L F");
  }
  GElf_Ehdr ehdr;
  if (!gelf_getehdr(l->elf, &ehdr) || ehdr.e_ident[EI_CLASS] != ELFCLASS64)
    return fail(l, FMHAC_INVALID_INPUT,
                "expected a 64-bit little-endian ELF header, found another");
  if (ehdr.e_machine != EM_AMDGPU)
    return fail(l, FMHAC_INVALID_INPUT,
                "expected an ELF file for machine %d (AMDGPU), found machine "
                "%d%s",
                EM_AMDGPU, ehdr.e_machine,
                ehdr.e_machine == EM_X86_64 ? " (x86-64)" : "");
  if (ehdr.e_ident[EI_OSABI] != k_osabi_hsa)
    return fail(l, FMHAC_INVALID_INPUT, "expected OS ABI %d (amdhsa), found %d",
                k_osabi_hsa, ehdr.e_ident[EI_OSABI]);
  int abi = ehdr.e_ident[EI_ABIVERSION];
  if (abi < k_abi_v3 || abi > k_abi_v6)
    return fail(l, FMHAC_INVALID_INPUT,
                "expected ABI version %d to %d (code object V3 to V6), found "
                "%d; compile with -mcode-object-version=5",
                k_abi_v3, k_abi_v6, abi);
  uint32_t mach = ehdr.e_flags & k_mach_mask;
  if (mach != k_mach_gfx950)
    return fail(l, FMHAC_INVALID_INPUT,
                "expected a code object for gfx950 (machine 0x%x), found %s "
                "(0x%x); compile with -mcpu=gfx950",
                k_mach_gfx950, mach_name(mach), mach);
  if (ehdr.e_type != ET_DYN)
    return fail(l, FMHAC_INVALID_INPUT,
                "expected a linked code object (ET_DYN), found ELF type %d%s",
                ehdr.e_type,
                ehdr.e_type == ET_REL ? " (an object file: link it with "
                                        "ld.lld -shared)"
                                      : "");
  uint64_t table = (uint64_t)ehdr.e_shnum * ehdr.e_shentsize;
  if (ehdr.e_shoff > UINT64_MAX - table)
    return fail(l, FMHAC_INVALID_INPUT,
                "damaged: expected the section table within a file of %zu "
                "bytes, found its offset to be 0x%llx",
                l->bytes, (unsigned long long)ehdr.e_shoff);
  uint64_t need = ehdr.e_shoff + table;
  if (need > l->bytes)
    return fail(l, FMHAC_INVALID_INPUT,
                "truncated: the section table ends at byte %llu, the file has "
                "%zu",
                (unsigned long long)need, l->bytes);
  return FMHAC_OK;
}

static fmhac_status load_segments(loader *l) {
  size_t n = 0;
  if (elf_getphdrnum(l->elf, &n) != 0)
    return fail(l, FMHAC_INVALID_INPUT, "no program headers: %s",
                elf_errmsg(-1));
  uint64_t end = 0;
  for (size_t i = 0; i < n; i++) {
    GElf_Phdr ph;
    if (!gelf_getphdr(l->elf, (int)i, &ph) || ph.p_type != PT_LOAD)
      continue;
    if (ph.p_offset > l->bytes || ph.p_filesz > l->bytes - ph.p_offset)
      return fail(l, FMHAC_INVALID_INPUT,
                  "truncated: segment %zu ends at byte %llu, the file has %zu",
                  i, (unsigned long long)(ph.p_offset + ph.p_filesz), l->bytes);
    if (ph.p_memsz < ph.p_filesz || ph.p_vaddr > 1ull << 40 ||
        ph.p_memsz > 1ull << 32)
      return fail(l, FMHAC_INVALID_INPUT, "segment %zu has impossible sizes",
                  i);
    if (ph.p_vaddr + ph.p_memsz > end)
      end = ph.p_vaddr + ph.p_memsz;
  }
  if (!end)
    return fail(l, FMHAC_INVALID_INPUT, "no loadable segment");
  if (end > 1ull << 32)
    return fail(l, FMHAC_INVALID_INPUT, "image of %llu bytes is too large",
                (unsigned long long)end);
  char why[256];
  fmhac_status status = emu_space_map(l->space, "code object", 0, end, why,
                                      sizeof why, &l->module->base);
  if (status != FMHAC_OK)
    return fail(l, status, "%s", why);
  l->module->image_bytes = end;
  l->module->image = emu_space_host(l->space, l->module->base, end);
  for (size_t i = 0; i < n; i++) {
    GElf_Phdr ph;
    if (gelf_getphdr(l->elf, (int)i, &ph) && ph.p_type == PT_LOAD)
      memcpy(l->module->image + ph.p_vaddr, l->code + ph.p_offset, ph.p_filesz);
  }
  return FMHAC_OK;
}

static fmhac_status find_text(loader *l) {
  size_t names = 0;
  bool found = false;
  if (elf_getshdrstrndx(l->elf, &names) != 0)
    return fail(l, FMHAC_INVALID_INPUT, "no section names");
  for (Elf_Scn *s = NULL; (s = elf_nextscn(l->elf, s));) {
    GElf_Shdr sh;
    if (!gelf_getshdr(s, &sh))
      continue;
    const char *name = elf_strptr(l->elf, names, sh.sh_name);
    l->has_lines |= name && strcmp(name, ".debug_line") == 0;
    if (!name || strcmp(name, ".text") != 0 || found)
      continue;
    if (sh.sh_addr > l->module->image_bytes ||
        sh.sh_size > l->module->image_bytes - sh.sh_addr)
      return fail(l, FMHAC_INVALID_INPUT,
                  "section .text lies outside the "
                  "loaded image");
    // Code is decoded as a whole where it jumps by register: it must be there,
    // and not only be announced.
    if (sh.sh_type == SHT_NOBITS || sh.sh_size > l->bytes)
      return fail(l, FMHAC_INVALID_INPUT,
                  "expected the %llu bytes of section .text in the file, "
                  "which has %zu",
                  (unsigned long long)sh.sh_size, l->bytes);
    if (sh.sh_addr & 3)
      return fail(l, FMHAC_INVALID_INPUT,
                  "expected section .text at a multiple of 4, found it at "
                  "0x%llx",
                  (unsigned long long)sh.sh_addr);
    l->module->text_offset = sh.sh_addr;
    l->module->text_bytes = sh.sh_size & ~3ull;
    found = true;
  }
  return found ? FMHAC_OK : fail(l, FMHAC_INVALID_INPUT, "no section .text");
}

static fmhac_status relocate(loader *l) {
  for (Elf_Scn *s = NULL; (s = elf_nextscn(l->elf, s));) {
    GElf_Shdr sh, symsh;
    if (!gelf_getshdr(s, &sh) || sh.sh_type != SHT_RELA || !sh.sh_entsize)
      continue;
    Elf_Data *data = elf_getdata(s, NULL);
    Elf_Scn *syms = elf_getscn(l->elf, sh.sh_link);
    Elf_Data *symdata =
        syms && gelf_getshdr(syms, &symsh) ? elf_getdata(syms, NULL) : NULL;
    for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize; i++) {
      GElf_Rela r;
      GElf_Sym sym = {0};
      if (!gelf_getrela(data, (int)i, &r))
        continue;
      uint32_t type = (uint32_t)GELF_R_TYPE(r.r_info);
      uint64_t value = l->module->base + (uint64_t)r.r_addend;
      if (type == k_reloc_abs64) {
        if (!symdata || !gelf_getsym(symdata, (int)GELF_R_SYM(r.r_info), &sym))
          return fail(l, FMHAC_INVALID_INPUT, "relocation without symbol");
        value += sym.st_value;
      } else if (type != k_reloc_relative64) {
        return fail(l, FMHAC_INVALID_INPUT, "relocation of unknown type %u",
                    type);
      }
      if (l->module->image_bytes < 8 || r.r_offset > l->module->image_bytes - 8)
        return fail(l, FMHAC_INVALID_INPUT, "relocation outside the image");
      memcpy(l->module->image + r.r_offset, &value, 8);
    }
  }
  return FMHAC_OK;
}

static uint32_t get32(const uint8_t *p) {
  uint32_t x;
  memcpy(&x, p, 4);
  return x;
}

static fmhac_status add_kernel(loader *l, const char *name, uint64_t at) {
  emu_module *m = l->module;
  if (at > m->image_bytes || m->image_bytes - at < 64)
    return fail(l, FMHAC_INVALID_INPUT,
                "descriptor of kernel %s lies outside the image", name);
  const uint8_t *p = m->image + at;
  emu_kernel k = {0};
  k.kd.group_segment_bytes = get32(p);
  k.kd.private_segment_bytes = get32(p + 4);
  k.kd.kernarg_bytes = k.kernarg_bytes = get32(p + 8);
  memcpy(&k.kd.entry_offset, p + 16, 8);
  k.kd.rsrc3 = get32(p + 44);
  k.kd.rsrc1 = get32(p + 48);
  k.kd.rsrc2 = get32(p + 52);
  k.kd.properties = (uint16_t)get32(p + 56);
  k.kd.kernarg_preload = (uint16_t)(get32(p + 56) >> 16);
  k.dynamic_stack = k.kd.properties >> 11 & 1; // USES_DYNAMIC_STACK
  uint64_t entry = at + (uint64_t)k.kd.entry_offset;
  if (entry < m->text_offset || entry - m->text_offset >= m->text_bytes ||
      (entry & 3))
    return fail(l, FMHAC_INVALID_INPUT,
                "kernel %s: entry 0x%llx lies outside section .text", name,
                (unsigned long long)entry);
  uint64_t first = entry + (k.kd.kernarg_preload & 127 ? 256 : 0);
  if (first - m->text_offset >= m->text_bytes)
    return fail(
        l, FMHAC_INVALID_INPUT,
        "kernel %s: with preloaded arguments execution begins 256 bytes "
        "behind entry 0x%llx; section .text ends before, at 0x%llx",
        name, (unsigned long long)entry,
        (unsigned long long)(m->text_offset + m->text_bytes));
  k.entry = m->base + entry;
  k.entry_text = (uint32_t)(entry - m->text_offset);
  k.name = strdup(name);
  for (int i = 0; i < EMU_HIDDEN_COUNT; i++)
    k.hidden[i] = -1;
  emu_kernel *list =
      realloc(m->kernels, (m->kernel_count + 1) * sizeof *m->kernels);
  if (list)
    m->kernels = list;
  if (!k.name || !list) {
    free(k.name);
    return fail(l, FMHAC_OUT_OF_MEMORY, "out of memory");
  }
  m->kernels[m->kernel_count++] = k;
  return FMHAC_OK;
}

static fmhac_status find_kernels(loader *l) {
  for (Elf_Scn *s = NULL; (s = elf_nextscn(l->elf, s));) {
    GElf_Shdr sh;
    if (!gelf_getshdr(s, &sh) || sh.sh_type != SHT_DYNSYM || !sh.sh_entsize)
      continue;
    Elf_Data *data = elf_getdata(s, NULL);
    for (size_t i = 0; data && i < sh.sh_size / sh.sh_entsize; i++) {
      GElf_Sym sym;
      if (!gelf_getsym(data, (int)i, &sym))
        continue;
      const char *name = elf_strptr(l->elf, sh.sh_link, sym.st_name);
      size_t n = name ? strlen(name) : 0;
      if (n <= 3 || strcmp(name + n - 3, ".kd") != 0)
        continue;
      char kernel[512];
      snprintf(kernel, sizeof kernel, "%.*s", (int)(n - 3), name);
      fmhac_status status = add_kernel(l, kernel, sym.st_value);
      if (status != FMHAC_OK)
        return status;
    }
  }
  if (!l->module->kernel_count)
    return fail(l, FMHAC_INVALID_INPUT,
                "no kernel: the dynamic symbol table has no name ending in "
                "\".kd\"");
  return FMHAC_OK;
}

static const msgpack_object *lookup(const msgpack_object *map,
                                    const char *key) {
  if (map->type != MSGPACK_OBJECT_MAP)
    return NULL;
  for (uint32_t i = 0; i < map->via.map.size; i++) {
    const msgpack_object_kv *kv = &map->via.map.ptr[i];
    if (kv->key.type == MSGPACK_OBJECT_STR &&
        kv->key.via.str.size == strlen(key) &&
        memcmp(kv->key.via.str.ptr, key, strlen(key)) == 0)
      return &kv->val;
  }
  return NULL;
}

static uint64_t lookup_u64(const msgpack_object *map, const char *key) {
  const msgpack_object *o = lookup(map, key);
  return o && o->type == MSGPACK_OBJECT_POSITIVE_INTEGER ? o->via.u64 : 0;
}

static void read_hidden(emu_kernel *kernel, const msgpack_object *args) {
  static const char *const names[EMU_HIDDEN_COUNT] = {
      "hidden_block_count_x", "hidden_block_count_y",   "hidden_block_count_z",
      "hidden_group_size_x",  "hidden_group_size_y",    "hidden_group_size_z",
      "hidden_remainder_x",   "hidden_remainder_y",     "hidden_remainder_z",
      "hidden_grid_dims",     "hidden_dynamic_lds_size"};
  for (uint32_t i = 0; i < args->via.array.size; i++) {
    const msgpack_object *kind = lookup(&args->via.array.ptr[i], ".value_kind");
    for (int k = 0; kind && k < EMU_HIDDEN_COUNT; k++)
      if (kind->type == MSGPACK_OBJECT_STR &&
          kind->via.str.size == strlen(names[k]) &&
          memcmp(kind->via.str.ptr, names[k], kind->via.str.size) == 0)
        kernel->hidden[k] =
            (int32_t)lookup_u64(&args->via.array.ptr[i], ".offset");
  }
}

void emu_module_hidden_arguments(const emu_kernel *kernel,
                                 const emu_launch *launch, size_t given,
                                 uint8_t *kernarg) {
  for (int k = 0; k < EMU_HIDDEN_COUNT; k++) {
    int32_t at = kernel->hidden[k];
    bool wide = k < EMU_HIDDEN_GROUP_SIZE_X || k == EMU_HIDDEN_DYNAMIC_LDS;
    uint32_t bytes = wide ? 4 : 2, value = 0;
    if (at < 0 || (size_t)at < given ||
        (uint32_t)at + bytes > launch->kernarg_bytes)
      continue;
    if (k < EMU_HIDDEN_GROUP_SIZE_X)
      value = launch->grid[k];
    else if (k < EMU_HIDDEN_REMAINDER_X)
      value = launch->block[k - EMU_HIDDEN_GROUP_SIZE_X];
    else if (k == EMU_HIDDEN_GRID_DIMS)
      value = 3;
    else if (k == EMU_HIDDEN_DYNAMIC_LDS)
      value = launch->lds_bytes - kernel->kd.group_segment_bytes;
    memcpy(kernarg + at, &value, bytes);
  }
}

// The note only completes the descriptor: sizes that it states larger.
static void read_metadata(loader *l, const msgpack_object *root) {
  const msgpack_object *list = lookup(root, "amdhsa.kernels");
  if (!list || list->type != MSGPACK_OBJECT_ARRAY)
    return;
  for (uint32_t i = 0; i < list->via.array.size; i++) {
    const msgpack_object *o = &list->via.array.ptr[i];
    const msgpack_object *name = lookup(o, ".name");
    const msgpack_object *symbol = lookup(o, ".symbol");
    for (size_t k = 0; k < l->module->kernel_count; k++) {
      emu_kernel *kernel = &l->module->kernels[k];
      size_t n = strlen(kernel->name);
      bool same = name && name->type == MSGPACK_OBJECT_STR &&
                  name->via.str.size == n &&
                  memcmp(name->via.str.ptr, kernel->name, n) == 0;
      same |= symbol && symbol->type == MSGPACK_OBJECT_STR &&
              symbol->via.str.size == n + 3 &&
              memcmp(symbol->via.str.ptr, kernel->name, n) == 0;
      if (!same)
        continue;
      uint64_t bytes = lookup_u64(o, ".kernarg_segment_size");
      if (bytes > kernel->kernarg_bytes && bytes < 1u << 20)
        kernel->kernarg_bytes = (uint32_t)bytes;
      kernel->max_block = (uint32_t)lookup_u64(o, ".max_flat_workgroup_size");
      const msgpack_object *args = lookup(o, ".args");
      if (args && args->type == MSGPACK_OBJECT_ARRAY)
        read_hidden(kernel, args);
      const msgpack_object *dynamic = lookup(o, ".uses_dynamic_stack");
      if (dynamic && dynamic->type == MSGPACK_OBJECT_BOOLEAN)
        kernel->dynamic_stack |= dynamic->via.boolean;
    }
  }
}

static fmhac_status read_notes(loader *l) {
  for (Elf_Scn *s = NULL; (s = elf_nextscn(l->elf, s));) {
    GElf_Shdr sh;
    if (!gelf_getshdr(s, &sh) || sh.sh_type != SHT_NOTE)
      continue;
    Elf_Data *data = elf_getdata(s, NULL);
    size_t at = 0, name_at, desc_at;
    GElf_Nhdr note;
    while (data &&
           (at = gelf_getnote(data, at, &note, &name_at, &desc_at)) > 0) {
      if (note.n_type != k_note_metadata || note.n_namesz != 7 ||
          memcmp((const char *)data->d_buf + name_at, "AMDGPU", 7) != 0)
        continue;
      const char *value = (const char *)data->d_buf + desc_at;
      msgpack_unpack_return r = MSGPACK_UNPACK_PARSE_ERROR;
      msgpack_unpacked unpacked;
      msgpack_unpacked_init(&unpacked);
      if (fmhac_is_whole_value((const uint8_t *)value, note.n_descsz))
        r = msgpack_unpack_next(&unpacked, value, note.n_descsz, NULL);
      if (r == MSGPACK_UNPACK_SUCCESS || r == MSGPACK_UNPACK_EXTRA_BYTES)
        read_metadata(l, &unpacked.data);
      msgpack_unpacked_destroy(&unpacked);
      if (r != MSGPACK_UNPACK_SUCCESS && r != MSGPACK_UNPACK_EXTRA_BYTES)
        return fail(l, FMHAC_INVALID_INPUT,
                    "the metadata note (NT_AMDGPU_METADATA, %u bytes) is not "
                    "valid msgpack",
                    note.n_descsz);
    }
  }
  return FMHAC_OK;
}

fmhac_status emu_module_load(emu_space *space, const void *code, size_t bytes,
                             char *text, size_t text_bytes,
                             emu_module **out_module) {
  *out_module = NULL;
  loader l = {.space = space,
              .code = code,
              .bytes = bytes,
              .text = text,
              .text_bytes = text_bytes};
  if (elf_version(EV_CURRENT) == EV_NONE)
    return fail(&l, FMHAC_INTERNAL, "libelf: %s", elf_errmsg(-1));
  // libelf wants mutable memory, and the caller keeps his: work on a copy.
  char *copy = malloc(bytes ? bytes : 1);
  l.module = calloc(1, sizeof *l.module);
  fmhac_status status = FMHAC_OUT_OF_MEMORY;
  if (!copy || !l.module) {
    fail(&l, status, "out of memory for %zu bytes", bytes);
    goto done;
  }
  memcpy(copy, code, bytes);
  l.code = (const uint8_t *)copy;
  if (bytes >= 64 && memcmp(copy, "\177ELF", 4) == 0) {
    l.elf = elf_memory(copy, bytes);
    if (!l.elf) {
      status = fail(&l, FMHAC_INVALID_INPUT, "not a readable ELF file: %s",
                    elf_errmsg(-1));
      goto done;
    }
  }
  status = check_header(&l);
  if (status == FMHAC_OK)
    status = load_segments(&l);
  if (status == FMHAC_OK)
    status = find_text(&l);
  if (status == FMHAC_OK)
    status = relocate(&l);
  if (status == FMHAC_OK)
    status = find_kernels(&l);
  if (status == FMHAC_OK)
    status = read_notes(&l);
done:
  if (l.elf)
    elf_end(l.elf);
  if (status == FMHAC_OK && l.has_lines) {
    l.module->file = copy;
    l.module->file_bytes = bytes;
    copy = NULL;
  }
  free(copy);
  if (status != FMHAC_OK) {
    if (l.module)
      emu_module_free(space, l.module);
    return status;
  }
  *out_module = l.module;
  return FMHAC_OK;
}

void emu_module_place(emu_module *m, uint32_t pc, emu_place *out) {
  if (m->file && !m->lines) {
    m->lines = emu_lines_open(m->file, m->file_bytes);
    if (!m->lines) { // nor will it another time
      free(m->file);
      m->file = NULL;
    }
  }
  emu_lines_find(m->lines, m->text_offset + pc, out);
}

void emu_module_unmap(emu_space *space, emu_module *m) {
  if (m->base)
    emu_space_unmap(space, m->base);
  m->base = 0;
  m->image = NULL;
}

void emu_module_free(emu_space *space, emu_module *m) {
  emu_module_unmap(space, m);
  for (size_t i = 0; i < m->kernel_count; i++) {
    free(m->kernels[i].name);
    emu_hazard_plan_destroy(m->kernels[i].hazards);
    emu_program_destroy(m->kernels[i].program);
  }
  free(m->kernels);
  emu_lines_close(m->lines);
  free(m->file);
  free(m);
}
