// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "build.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "mlir-c/IR.h"
#include "llvm-c/Core.h"

#include "compiler.h"
#include "package.h"
#include "str.h"

#define DEFAULT_LIMIT_BYTES ((uint64_t)1 << 30)

typedef struct search {
  uintptr_t address;
  fmhac_str *out;
  bool found;
} search;

/// The notes of a loaded segment.
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

/// Appends, for the object in memory that holds each of the addresses, a line
/// "build SHA1": the build id that its linker gave it. False if one has none.
static bool append_build_ids(const void *const *addresses, size_t count,
                             fmhac_str *out) {
  bool ok = true;
  for (size_t i = 0; i < count; ++i) {
    search s = {.address = (uintptr_t)addresses[i], .out = out};
    dl_iterate_phdr(look_at, &s);
    ok &= s.found;
  }
  return ok;
}

// The identity of the compiler: this library, and the LLVM and MLIR that it
// runs with, which a package manager may replace. Without build ids the cache
// could not distinguish the kernels of two builds.
static char *find_build(const fmhac_context *context) {
  fmhac_str text = {0};
  char *build = NULL;
  fmhac_str_appendf(&text, "%s\n", fmhac_version_text());
  // Any function of each library.
  const void *const libraries[] = {(void *)(uintptr_t)fmhac_compile,
                                   (void *)(uintptr_t)mlirContextCreate,
                                   (void *)(uintptr_t)LLVMContextCreate};
  bool known = append_build_ids(libraries,
                                sizeof libraries / sizeof libraries[0], &text);
  // Empty: not known.
  if (!text.failed)
    build =
        fmhac_duplicate(context->allocator, text.text, known ? text.length : 0);
  fmhac_str_deinit(&text);
  return build;
}

const char *fmhac_build(fmhac_context *context) {
  pthread_mutex_lock(&context->compiler->lock);
  if (!context->compiler->build)
    context->compiler->build = find_build(context);
  const char *build = context->compiler->build;
  pthread_mutex_unlock(&context->compiler->lock);
  return build;
}

uint64_t fmhac_cache_limit_bytes(const fmhac_context *context) {
  uint64_t limit = context->options.cache_limit_bytes;
  return limit ? limit : DEFAULT_LIMIT_BYTES;
}
