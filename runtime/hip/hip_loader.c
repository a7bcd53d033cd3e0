// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "hip_loader.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// Newest SONAME first; the last is the development link.
static const char *const k_names[] = {
    "libamdhip64.so.7",
    "libamdhip64.so.6",
    "libamdhip64.so.5",
    "libamdhip64.so",
    "/opt/rocm/lib/libamdhip64.so",
};

static const struct {
  const char *name;
  size_t offset; ///< of the pointer in hip_api
} k_symbols[] = {
    {"hipInit", offsetof(hip_api, Init)},
    {"hipGetDeviceCount", offsetof(hip_api, GetDeviceCount)},
    {"hipSetDevice", offsetof(hip_api, SetDevice)},
    {"hipDeviceGetName", offsetof(hip_api, DeviceGetName)},
    {"hipMalloc", offsetof(hip_api, Malloc)},
    {"hipFree", offsetof(hip_api, Free)},
    {"hipMemcpy", offsetof(hip_api, Memcpy)},
    {"hipModuleLoadData", offsetof(hip_api, ModuleLoadData)},
    {"hipModuleUnload", offsetof(hip_api, ModuleUnload)},
    {"hipModuleGetFunction", offsetof(hip_api, ModuleGetFunction)},
    {"hipModuleLaunchKernel", offsetof(hip_api, ModuleLaunchKernel)},
    {"hipDeviceSynchronize", offsetof(hip_api, DeviceSynchronize)},
    {"hipStreamCreateWithFlags", offsetof(hip_api, StreamCreateWithFlags)},
    {"hipStreamDestroy", offsetof(hip_api, StreamDestroy)},
    {"hipStreamSynchronize", offsetof(hip_api, StreamSynchronize)},
    {"hipGetErrorString", offsetof(hip_api, GetErrorString)},
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

bool hip_api_load(hip_api *api, char *text, size_t text_bytes) {
  snprintf(text, text_bytes, "no usable HIP runtime; none of these loads:");
  for (size_t i = 0; i < sizeof k_names / sizeof *k_names; i++) {
    memset(api, 0, sizeof *api);
    api->library = dlopen(k_names[i], RTLD_NOW | RTLD_LOCAL);
    if (!api->library) {
      const char *why = dlerror();
      note(text, text_bytes, k_names[i], why ? why : "not found");
      continue;
    }
    const char *missing = NULL;
    for (size_t k = 0; k < sizeof k_symbols / sizeof *k_symbols; k++) {
      void *symbol = dlsym(api->library, k_symbols[k].name);
      if (!symbol)
        missing = k_symbols[k].name;
      memcpy((char *)api + k_symbols[k].offset, &symbol, sizeof symbol);
    }
    if (!missing) {
      snprintf(text, text_bytes, "%s", k_names[i]);
      return true;
    }
    char why[128];
    snprintf(why, sizeof why, "loaded, but has no symbol %s", missing);
    note(text, text_bytes, k_names[i], why);
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
