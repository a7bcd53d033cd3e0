// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build_id.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/// Of the notes of one segment.
static bool append_from_notes(const char *notes, size_t bytes, size_t align,
                              fmhac_str *out) {
  static const char owner[] = "GNU";
  if (align != 8)
    align = 4;
  for (size_t at = 0; bytes - at >= sizeof(ElfW(Nhdr));) {
    ElfW(Nhdr) note;
    memcpy(&note, notes + at, sizeof note);
    size_t name_at = at + sizeof note;
    size_t text_at = name_at + (note.n_namesz + align - 1) / align * align;
    size_t next = text_at + (note.n_descsz + align - 1) / align * align;
    if (text_at > bytes || note.n_descsz > bytes - text_at)
      return false;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof owner &&
        memcmp(notes + name_at, owner, sizeof owner) == 0) {
      fmhac_str_append(out, "build ");
      for (size_t i = 0; i < note.n_descsz; ++i)
        fmhac_str_appendf(out, "%02x", (unsigned char)notes[text_at + i]);
      fmhac_str_append(out, "\n");
      return true;
    }
    if (next > bytes)
      return false;
    at = next;
  }
  return false;
}

//===- In memory ----------------------------------------------------------===//

typedef struct search {
  uintptr_t address;
  fmhac_str *out;
  bool found;
} search;

static int look_at(struct dl_phdr_info *object, size_t size, void *user) {
  (void)size;
  search *s = user;
  bool holds = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    uintptr_t start = object->dlpi_addr + segment->p_vaddr;
    holds |= segment->p_type == PT_LOAD && s->address >= start &&
             s->address - start < segment->p_memsz;
  }
  for (int i = 0; holds && !s->found && i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type == PT_NOTE)
      s->found = append_from_notes(
          (const char *)(uintptr_t)(object->dlpi_addr + segment->p_vaddr),
          segment->p_memsz, segment->p_align, s->out);
  }
  return holds;
}

bool fmhac_build_id_in_memory(const void *address, fmhac_str *out) {
  search s = {.address = (uintptr_t)address, .out = out};
  dl_iterate_phdr(look_at, &s);
  return s.found;
}

bool fmhac_build_id_if_loaded(const char *soname, fmhac_str *out) {
  const struct link_map *object;
  void *opened = dlopen(soname, RTLD_LAZY | RTLD_NOLOAD);
  if (!opened)
    return false;
  bool found = dlinfo(opened, RTLD_DI_LINKMAP, &object) == 0 &&
               fmhac_build_id_in_memory(object->l_ld, out);
  dlclose(opened);
  return found;
}

//===- In files -----------------------------------------------------------===//

static bool read_at(int file, void *bytes, size_t size, off_t at) {
  return pread(file, bytes, size, at) == (ssize_t)size;
}

static bool is_of_this_machine(const ElfW(Ehdr) * header) {
  const bool wide = sizeof(void *) == 8;
  return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
         header->e_ident[EI_CLASS] == (wide ? ELFCLASS64 : ELFCLASS32) &&
         header->e_phentsize == sizeof(ElfW(Phdr));
}

static bool append_from_file(int file, fmhac_str *out) {
  enum { MOST_SEGMENTS = 64, MOST_NOTE_BYTES = 4096 };
  ElfW(Ehdr) header;
  ElfW(Phdr) segments[MOST_SEGMENTS];
  char notes[MOST_NOTE_BYTES];
  if (!read_at(file, &header, sizeof header, 0) ||
      !is_of_this_machine(&header) || header.e_phnum > MOST_SEGMENTS ||
      !read_at(file, segments, header.e_phnum * sizeof *segments,
               (off_t)header.e_phoff))
    return false;
  for (int i = 0; i < header.e_phnum; ++i) {
    const ElfW(Phdr) *segment = &segments[i];
    if (segment->p_type == PT_NOTE && segment->p_filesz <= sizeof notes &&
        read_at(file, notes, segment->p_filesz, (off_t)segment->p_offset) &&
        append_from_notes(notes, segment->p_filesz, segment->p_align, out))
      return true;
  }
  return false;
}

bool fmhac_build_id_in_file(const char *path, fmhac_str *out) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  const bool found = append_from_file(file, out);
  close(file);
  return found;
}

static bool is_there(const char *folder, const char *name,
                     char path[PATH_MAX]) {
  const int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
  return length >= 0 && length < PATH_MAX && access(path, R_OK) == 0;
}

/// Whether the search ends in this folder: with the library, or with folders
/// for processors among which only the loader knows its choice.
static bool look_in(const char *folder, const char *soname, fmhac_str *out,
                    bool *out_found) {
  char path[PATH_MAX];
  if (is_there(folder, "glibc-hwcaps", path))
    return true;
  if (!is_there(folder, soname, path))
    return false;
  *out_found = fmhac_build_id_in_file(path, out);
  return true;
}

static bool look_along_path(void *object, const char *soname, fmhac_str *out) {
  Dl_serinfo size;
  bool found = false;
  if (dlinfo(object, RTLD_DI_SERINFOSIZE, &size) != 0)
    return false;
  Dl_serinfo *list = malloc(size.dls_size);
  if (!list)
    return false;
  // The list says its own size when it is asked for the rest.
  if (dlinfo(object, RTLD_DI_SERINFOSIZE, list) == 0 &&
      dlinfo(object, RTLD_DI_SERINFO, list) == 0)
    for (unsigned i = 0; i < list->dls_cnt; ++i)
      if (look_in(list->dls_serpath[i].dls_name, soname, out, &found))
        break;
  free(list);
  return found;
}

bool fmhac_build_id_of_library(const char *from, const char *soname,
                               fmhac_str *out) {
  void *object = dlopen(from, RTLD_LAZY | RTLD_NOLOAD);
  if (!object)
    return false;
  const bool found = look_along_path(object, soname, out);
  dlclose(object);
  return found;
}
