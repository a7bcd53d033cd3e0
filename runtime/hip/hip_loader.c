// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip_loader.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Newest SONAME first. What ROCm's own packages install outside the search path
// comes before the SONAME of distributions, which is older than gfx950; the
// last is the development link.
static const char *const k_names[] = {
    "libamdhip64.so.7", "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so",
    "libamdhip64.so.5", "libamdhip64.so",
};
enum { NAMES = sizeof k_names / sizeof *k_names };

typedef enum need { REQUIRED, OPTIONAL } need;

static const struct {
  const char *name;
  size_t offset; ///< of the pointer in hip_api
  need need;
} k_symbols[] = {
    {"hipInit", offsetof(hip_api, Init), REQUIRED},
    {"hipGetDeviceCount", offsetof(hip_api, GetDeviceCount), REQUIRED},
    {"hipGetDevice", offsetof(hip_api, GetDevice), REQUIRED},
    {"hipSetDevice", offsetof(hip_api, SetDevice), REQUIRED},
    {"hipDeviceGetName", offsetof(hip_api, DeviceGetName), REQUIRED},
    {"hipDeviceComputeCapability", offsetof(hip_api, DeviceComputeCapability),
     REQUIRED},
    {"hipMalloc", offsetof(hip_api, Malloc), REQUIRED},
    {"hipFree", offsetof(hip_api, Free), REQUIRED},
    {"hipMemcpy", offsetof(hip_api, Memcpy), REQUIRED},
    {"hipModuleLoadData", offsetof(hip_api, ModuleLoadData), REQUIRED},
    {"hipModuleUnload", offsetof(hip_api, ModuleUnload), REQUIRED},
    {"hipModuleGetFunction", offsetof(hip_api, ModuleGetFunction), REQUIRED},
    {"hipModuleLaunchKernel", offsetof(hip_api, ModuleLaunchKernel), REQUIRED},
    {"hipDeviceSynchronize", offsetof(hip_api, DeviceSynchronize), REQUIRED},
    {"hipStreamCreateWithFlags", offsetof(hip_api, StreamCreateWithFlags),
     REQUIRED},
    {"hipStreamDestroy", offsetof(hip_api, StreamDestroy), REQUIRED},
    {"hipStreamSynchronize", offsetof(hip_api, StreamSynchronize), REQUIRED},
    {"hipGetErrorString", offsetof(hip_api, GetErrorString), REQUIRED},
    // Says only how many compute units there are.
    {"hipDeviceGetAttribute", offsetof(hip_api, DeviceGetAttribute), OPTIONAL},
    // A runtime without it captures nothing.
    {"hipStreamIsCapturing", offsetof(hip_api, StreamIsCapturing), OPTIONAL},
};

/// Adds "LIBRARY (WHY)" to the list of what was tried. The loader's text begins
/// with the name once more, and mostly says that there is no such file.
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
  snprintf(api->path, sizeof api->path, "%s", known ? info.dli_fname : name);
}

/// A runtime, once loaded, stays: it has threads and what it runs at exit.
static const int k_flags = RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE;

bool hip_api_load(hip_api *api, char *text, size_t text_bytes) {
  snprintf(text, text_bytes, "no usable HIP runtime; none of these loads:");
  // A stream of one runtime means nothing to another: of several, the one that
  // the process uses already.
  for (size_t i = 0; i < 2 * NAMES; i++) {
    bool loaded_only = i < NAMES;
    const char *name = k_names[i % NAMES];
    memset(api, 0, sizeof *api);
    api->library = dlopen(name, k_flags | (loaded_only ? RTLD_NOLOAD : 0));
    if (!api->library) {
      const char *why = dlerror();
      if (!loaded_only)
        note(text, text_bytes, name, why ? why : "not found");
      continue;
    }
    const char *missing = resolve(api);
    if (!missing) {
      set_path(api, name);
      return true;
    }
    if (!loaded_only) {
      char why[128];
      snprintf(why, sizeof why, "loaded, but has no symbol %s", missing);
      note(text, text_bytes, name, why);
    }
    hip_api_unload(api);
  }
  size_t n = strlen(text);
  if (n + 1 < text_bytes)
    snprintf(text + n, text_bytes - n,
             "; install the ROCm runtime (libamdhip64) or use --device=emu");
  return false;
}

void hip_api_unload(hip_api *api) {
  if (api->library)
    dlclose(api->library);
  memset(api, 0, sizeof *api);
}
