/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "recording.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* A program that is compiled with HIP includes hip/hip_runtime_api.h, links
 * with libamdhip64 and calls these functions. This one also runs where there is
 * no HIP, and takes them from the library that fmhac has loaded. */
typedef struct hip {
  int (*begin)(void *stream, int mode);
  int (*end)(void *stream, void **graph);
  int (*instantiate)(void **exec, void *graph, void **node, char *log,
                     size_t log_bytes);
  int (*launch)(void *exec, void *stream);
  int (*destroy_exec)(void *exec);
  int (*destroy)(void *graph);
} hip;

/* The name of the first function that is missing; NULL: there are all. */
static const char *load_hip(hip *h) {
  static const char *const libraries[] = {
      "libamdhip64.so.8", "libamdhip64.so.7", "libamdhip64.so.6",
      "libamdhip64.so.5", "libamdhip64.so"};
  const struct {
    const char *name;
    void *to;
  } functions[] = {{"hipStreamBeginCapture", &h->begin},
                   {"hipStreamEndCapture", &h->end},
                   {"hipGraphInstantiate", &h->instantiate},
                   {"hipGraphLaunch", &h->launch},
                   {"hipGraphExecDestroy", &h->destroy_exec},
                   {"hipGraphDestroy", &h->destroy}};
  void *library = NULL;
  size_t i;
  for (i = 0; i < sizeof libraries / sizeof libraries[0] && !library; ++i)
    library = dlopen(libraries[i], RTLD_NOW | RTLD_NOLOAD);
  for (i = 0; i < sizeof functions / sizeof functions[0]; ++i) {
    void *function = library ? dlsym(library, functions[i].name) : NULL;
    if (!function)
      return functions[i].name;
    memcpy(functions[i].to, &function, sizeof function);
  }
  return NULL;
}

static fmhac_status failed(const char *what, int error, char *why,
                           size_t why_bytes) {
  snprintf(why, why_bytes, "%s failed: HIP error %d", what, error);
  return FMHAC_LAUNCH_FAILED;
}

static fmhac_status record(recording *r, const hip *h, char *why,
                           size_t why_bytes) {
  enum { OF_THIS_THREAD = 1 }; /* hipStreamCaptureModeThreadLocal */
  void *graph = NULL;
  int error = h->begin(r->stream, OF_THIS_THREAD);
  fmhac_status status;
  if (error)
    return failed("hipStreamBeginCapture", error, why, why_bytes);
  status =
      fmhac_launch(r->plan, r->device, &r->tensors, r->workspace, r->stream);
  error = h->end(r->stream, &graph); /* also after a failure */
  if (status != FMHAC_OK)
    return status;
  if (error)
    return failed("hipStreamEndCapture", error, why, why_bytes);
  error = h->instantiate(&r->graph, graph, NULL, NULL, 0);
  h->destroy(graph);
  if (error)
    return failed("hipGraphInstantiate", error, why, why_bytes);
  r->replay = h->launch;
  r->destroy = h->destroy_exec;
  return FMHAC_OK;
}

fmhac_status recording_make(recording *r, const char *uri,
                            const fmhac_plan *plan, fmhac_rt_device *device,
                            const fmhac_tensors *tensors, void *workspace,
                            char *why, size_t why_bytes) {
  hip h;
  const char *missing;
  fmhac_status status;
  memset(r, 0, sizeof *r);
  r->plan = plan;
  r->device = device;
  r->tensors = *tensors;
  r->workspace = workspace;
  status = fmhac_plan_load(plan, device); /* a capture must not */
  if (status == FMHAC_OK)
    status = fmhac_rt_stream_create(device, &r->stream);
  if (status != FMHAC_OK || strcmp(uri, "emu") == 0)
    return status;
  missing = load_hip(&h);
  if (missing) {
    snprintf(why, why_bytes,
             "recording a launch: expected %s in the HIP runtime, found none",
             missing);
    return FMHAC_UNSUPPORTED;
  }
  return record(r, &h, why, why_bytes);
}

fmhac_status recording_replay(const recording *r) {
  fmhac_status status = FMHAC_OK;
  if (!r->graph)
    status =
        fmhac_launch(r->plan, r->device, &r->tensors, r->workspace, r->stream);
  else if (r->replay(r->graph, r->stream))
    status = FMHAC_LAUNCH_FAILED;
  return status == FMHAC_OK ? fmhac_rt_stream_synchronize(r->device, r->stream)
                            : status;
}

void recording_destroy(recording *r) {
  if (r->graph)
    r->destroy(r->graph);
  r->graph = NULL;
}
