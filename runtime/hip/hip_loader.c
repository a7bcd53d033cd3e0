// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip_loader.h"

#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The beginning of the file name of any HIP runtime.
#define FILE_NAME "libamdhip64.so"

// Newest first. HIP 7 is the first that runs gfx950. ROCm 10 lives in
// core-VERSION below ROCm's folder, with HIP 7 or 8 (GPUOpen Orochi PR 149).
static const char *const k_current[] = {FILE_NAME ".8", FILE_NAME ".7"};
enum { CURRENT = sizeof k_current / sizeof *k_current };
// A symbol that identifies a runtime whose file has another name.
static const char *const k_sonames[] = {
    FILE_NAME ".8", FILE_NAME ".7", FILE_NAME ".6", FILE_NAME ".5", FILE_NAME};
enum { SONAMES = sizeof k_sonames / sizeof *k_sonames };

typedef enum need { REQUIRED, OPTIONAL } need;

#define SYMBOL(name, need)                                                     \
  { "hip" #name, offsetof(hip_api, name), need }
static const struct {
  const char *name;
  size_t offset; ///< of the pointer in hip_api
  need need;
} k_symbols[] = {
    SYMBOL(Init, REQUIRED),
    SYMBOL(GetDeviceCount, REQUIRED),
    SYMBOL(GetDevice, REQUIRED),
    SYMBOL(SetDevice, REQUIRED),
    SYMBOL(DeviceGetName, REQUIRED),
    SYMBOL(DeviceComputeCapability, REQUIRED),
    SYMBOL(Malloc, REQUIRED),
    SYMBOL(Free, REQUIRED),
    SYMBOL(Memcpy, REQUIRED),
    SYMBOL(MemcpyAsync, REQUIRED),
    SYMBOL(MemsetAsync, REQUIRED),
    SYMBOL(ModuleLoadData, REQUIRED),
    SYMBOL(ModuleUnload, REQUIRED),
    SYMBOL(ModuleGetFunction, REQUIRED),
    SYMBOL(ModuleLaunchKernel, REQUIRED),
    SYMBOL(DeviceSynchronize, REQUIRED),
    SYMBOL(StreamCreateWithFlags, REQUIRED),
    SYMBOL(StreamDestroy, REQUIRED),
    SYMBOL(StreamSynchronize, REQUIRED),
    SYMBOL(StreamWaitEvent, REQUIRED),
    SYMBOL(EventCreateWithFlags, REQUIRED),
    SYMBOL(EventDestroy, REQUIRED),
    SYMBOL(EventRecord, REQUIRED),
    SYMBOL(EventSynchronize, REQUIRED),
    SYMBOL(EventElapsedTime, REQUIRED),
    SYMBOL(GetErrorString, REQUIRED),
    // Gives the number of compute units only.
    SYMBOL(DeviceGetAttribute, OPTIONAL),
    // Gives the size of the memory only.
    SYMBOL(DeviceTotalMem, OPTIONAL),
    // A runtime without it captures nothing.
    SYMBOL(StreamIsCapturing, OPTIONAL),
    // For the text of errors.
    SYMBOL(RuntimeGetVersion, OPTIONAL),
};

/// Adds "LIBRARY (WHY)" to the list of attempts. The loader's text repeats the
/// name, and mostly says that the file does not exist.
static void note(char *text, size_t bytes, const char *library,
                 const char *why) {
  size_t n = strlen(text), length = strlen(library);
  if (strncmp(why, library, length) == 0 && why[length] == ':')
    why += length + 1 + strspn(why + length + 1, " ");
  bool absent = strstr(why, "No such file") != NULL;
  if (n + 1 < bytes)
    snprintf(text + n, bytes - n, "%s %s%s%s%s",
             n && text[n - 1] == ':' ? "" : ",", library, absent ? "" : " (",
             absent ? "" : why, absent ? "" : ")");
}

/// Fills in the table; returns the first required symbol that is missing.
static const char *resolve(hip_api *api) {
  for (size_t k = 0; k < sizeof k_symbols / sizeof *k_symbols; k++) {
    void *symbol = dlsym(api->library, k_symbols[k].name);
    if (!symbol && k_symbols[k].need == REQUIRED)
      return k_symbols[k].name;
    memcpy((char *)api + k_symbols[k].offset, &symbol, sizeof symbol);
  }
  return NULL;
}

static void set_path(hip_api *api, const char *name) {
  void *symbol;
  Dl_info info;
  memcpy(&symbol, &api->Init, sizeof symbol);
  bool known = dladdr(symbol, &info) && info.dli_fname && info.dli_fname[0];
  // Only shown to the user: the beginning of a long path is enough.
  const char *path = known ? info.dli_fname : name;
  memcpy(api->path, path, strnlen(path, sizeof api->path - 1)); // else all 0
}

/// A runtime stays loaded: it has threads and exit handlers.
static const int k_flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

/// State of hip_api_load().
typedef struct search {
  hip_api *api;
  char *text; ///< list of attempts
  size_t text_bytes;
} search;

/// Makes `name` the runtime if it opens and has the required symbols; if not,
/// the text says why. `out_opened` receives whether it opened.
static bool take(const search *s, const char *name, int more_flags,
                 bool *out_opened) {
  hip_api *api = s->api;
  memset(api, 0, sizeof *api);
  api->library = dlopen(name, k_flags | more_flags);
  *out_opened = api->library != NULL;
  if (!api->library) {
    const char *why = dlerror();
    if (!(more_flags & RTLD_NOLOAD))
      note(s->text, s->text_bytes, name, why ? why : "not found");
    return false;
  }
  const char *missing = resolve(api);
  if (!missing) {
    set_path(api, name);
    return true;
  }
  char why[128];
  snprintf(why, sizeof why, "loaded, but has no symbol %s", missing);
  note(s->text, s->text_bytes, name, why);
  hip_api_unload(api);
  return false;
}

//===- Runtimes in the process --------------------------------------------===//

/// The loaded object number `skip` (from 0) with the file name of a HIP
/// runtime.
typedef struct loaded_object {
  size_t skip;
  char path[PATH_MAX];
} loaded_object;

static int see_object(struct dl_phdr_info *info, size_t bytes, void *data) {
  (void)bytes;
  loaded_object *found = data;
  const char *slash = strrchr(info->dlpi_name, '/');
  const char *file = slash ? slash + 1 : info->dlpi_name;
  if (strncmp(file, FILE_NAME, strlen(FILE_NAME)) != 0 || found->skip--)
    return 0;
  snprintf(found->path, sizeof found->path, "%s", info->dlpi_name);
  return 1;
}

/// Takes the first usable runtime of the process. `out_any` receives whether
/// there is one, usable or not.
static bool take_loaded(const search *s, bool *out_any) {
  bool opened;
  loaded_object object;
  *out_any = false;
  for (size_t i = 0; object.skip = i, dl_iterate_phdr(see_object, &object);
       i++) {
    // NOLOAD fails if another thread has unloaded it since.
    if (take(s, object.path, RTLD_NOLOAD, &opened))
      return true;
    *out_any |= opened;
  }
  for (size_t i = 0; i < SONAMES && !*out_any; i++) {
    if (take(s, k_sonames[i], RTLD_NOLOAD, &opened))
      return true;
    *out_any |= opened;
  }
  return false;
}

//===- Installed runtimes -------------------------------------------------===//

/// FOLDER/lib/NAME.
static bool take_file(const search *s, const char *folder, const char *name) {
  char path[PATH_MAX];
  bool opened;
  int n = snprintf(path, sizeof path, "%s/lib/%s", folder, name);
  return n > 0 && (size_t)n < sizeof path && take(s, path, 0, &opened);
}

static bool take_name(const search *s, const char *name) {
  bool opened;
  return take(s, name, 0, &opened);
}

/// Newest version first: core-10.1, core-10.0, core-9.
static int by_version(const void *a, const void *b) {
  return strverscmp(*(char *const *)b, *(char *const *)a);
}

/// Tries the folders ROCM/core*, the newest first.
static bool take_core(const search *s, const char *rocm) {
  char pattern[PATH_MAX];
  glob_t cores;
  int n = snprintf(pattern, sizeof pattern, "%s/core*", rocm);
  if (n < 0 || (size_t)n >= sizeof pattern)
    return false;
  if (glob(pattern, GLOB_NOSORT, NULL, &cores) != 0) {
    note(s->text, s->text_bytes, pattern, "No such file");
    return false;
  }
  qsort(cores.gl_pathv, cores.gl_pathc, sizeof *cores.gl_pathv, by_version);
  bool ok = false;
  for (size_t i = 0; i < cores.gl_pathc && !ok; i++)
    for (size_t k = 0; k < CURRENT && !ok; k++)
      ok = take_file(s, cores.gl_pathv[i], k_current[k]);
  globfree(&cores);
  return ok;
}

/// Files that ROCm's own packages install outside the search path come before
/// SONAMEs that are older than gfx950; the last one is the development link.
static bool take_installed(const search *s, const char *rocm) {
  for (size_t i = 0; i < CURRENT; i++)
    if (take_name(s, k_current[i]))
      return true;
  if (take_core(s, rocm))
    return true;
  for (size_t i = 0; i < CURRENT; i++)
    if (take_file(s, rocm, k_current[i]))
      return true;
  return take_name(s, FILE_NAME ".6") || take_file(s, rocm, FILE_NAME) ||
         take_name(s, FILE_NAME ".5") || take_name(s, FILE_NAME);
}

//===- Load ---------------------------------------------------------------===//

bool hip_api_load(hip_api *api, const char *rocm, char *text,
                  size_t text_bytes) {
  const search s = {api, text, text_bytes};
  const char *advice =
      "; install the ROCm runtime (libamdhip64) or use --device=emu";
  bool any;
  // A runtime cannot use streams of another runtime. If the process has loaded
  // one, it is the only usable one.
  snprintf(text, text_bytes,
           "no usable HIP runtime; the process has loaded this one, and its "
           "streams would mean nothing to another:");
  if (take_loaded(&s, &any))
    return true;
  if (any) {
    advice = "; load a newer ROCm runtime (libamdhip64) instead or use "
             "--device=emu";
  } else {
    snprintf(text, text_bytes, "no usable HIP runtime; none of these loads:");
    if (take_installed(&s, rocm))
      return true;
  }
  size_t n = strlen(text);
  if (n + 1 < text_bytes)
    snprintf(text + n, text_bytes - n, "%s", advice);
  return false;
}

void hip_api_unload(hip_api *api) {
  if (api->library)
    dlclose(api->library);
  memset(api, 0, sizeof *api);
}
