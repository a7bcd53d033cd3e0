// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Environment, counts, failures on demand, errors.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"
#include "fmhac_emu.h"

fake_state fake = {.lock = PTHREAD_MUTEX_INITIALIZER,
                   .changed = PTHREAD_COND_INITIALIZER};

enum { MOST_CALLS = 64, MOST_FAILURES = 8, NAME_BYTES = 48 };

static struct {
  char name[NAME_BYTES];
  uint64_t count;
  int device; ///< the caller's current one at the last call
} g_calls[MOST_CALLS];

static struct {
  char name[NAME_BYTES];
  int error;
  long countdown; ///< 0: always
} g_failures[MOST_FAILURES];

static pthread_once_t g_once = PTHREAD_ONCE_INIT;
static _Thread_local int t_inside, t_last_error, t_device;

static bool read_failures(const char *spec) {
  memset(g_failures, 0, sizeof g_failures);
  for (int n = 0; spec && *spec; n++) {
    int used = 0;
    if (n == MOST_FAILURES)
      return false;
    if (sscanf(spec, "%47[A-Za-z0-9]=%d%n", g_failures[n].name,
               &g_failures[n].error, &used) != 2)
      return false;
    spec += used;
    if (*spec == '@') {
      char *end;
      g_failures[n].countdown = strtol(spec + 1, &end, 10);
      if (end == spec + 1 || g_failures[n].countdown < 1)
        return false;
      spec = end;
    }
    if (*spec == ',')
      spec++;
    else if (*spec)
      return false;
  }
  return true;
}

static void open_device(fake_device *d, int ordinal, const char *architecture) {
  snprintf(d->architecture, sizeof d->architecture, "%s", architecture);
  d->ordinal = ordinal;
  // One address means one place, whatever the device.
  d->next_address = UINT64_C(0x200000000000) + ((uint64_t)ordinal << 40);
  if (fmhac_rt_device_open("emu", &d->emulator) != FMHAC_OK)
    abort();
  fake_stream *stream = calloc(1, sizeof *stream);
  if (!stream)
    abort();
  *stream = (fake_stream){
      .device = d, .alive = true, .is_null = true, .next = fake.streams};
  fake.streams = d->null_stream = stream;
}

static void start(void) {
  const char *count = getenv("FMHAC_TEST_HIP_DEVICES");
  const char *list = getenv("FMHAC_TEST_HIP_ARCH");
  const char *order = getenv("FMHAC_TEST_HIP_ORDER");
  fake.is_null_launch = getenv("FMHAC_TEST_HIP_NULL_LAUNCH") != NULL;
  fake.is_verbose = getenv("FMHAC_TEST_HIP_VERBOSE") != NULL;
  fake.is_eager = order && strcmp(order, "eager") == 0;
  fake.device_count = count ? atoi(count) : 1;
  if (fake.device_count < 0 || fake.device_count > FAKE_DEVICES ||
      !read_failures(getenv("FMHAC_TEST_HIP_FAIL")))
    abort();
  char name[16] = "gfx950";
  for (int i = 0; i < fake.device_count; i++) {
    if (list && *list) { // the last one stands for those that follow
      size_t n = strcspn(list, ",");
      snprintf(name, sizeof name, "%.*s", (int)n, list);
      list += n + (list[n] == ',');
    }
    open_device(&fake.devices[i], i, name);
  }
}

static int enter(const char *name, bool needs_device) {
  t_inside++;
  pthread_once(&g_once, start);
  pthread_mutex_lock(&fake.lock);
  for (int i = 0; i < MOST_CALLS; i++) {
    if (!g_calls[i].name[0])
      snprintf(g_calls[i].name, NAME_BYTES, "%s", name);
    if (strcmp(g_calls[i].name, name) == 0) {
      g_calls[i].count++;
      g_calls[i].device = t_device;
      break;
    }
  }
  for (int i = 0; i < MOST_FAILURES; i++) {
    if (strcmp(g_failures[i].name, name) != 0)
      continue;
    if (!g_failures[i].countdown) // every call
      return g_failures[i].error;
    if (--g_failures[i].countdown == 0) { // this one
      g_failures[i].name[0] = 0;
      return g_failures[i].error;
    }
  }
  return needs_device && !fake.device_count ? hipErrorNoDevice : hipSuccess;
}

int fake_enter(const char *name) { return enter(name, true); }
int fake_enter_without_device(const char *name) { return enter(name, false); }

int fake_leave(int error) {
  pthread_mutex_unlock(&fake.lock);
  t_inside--;
  t_last_error = error;
  return error;
}

fake_device *fake_current(void) { return &fake.devices[t_device]; }

uint64_t hipTestCalls(const char *name) {
  uint64_t count = 0;
  pthread_mutex_lock(&fake.lock);
  for (int i = 0; i < MOST_CALLS; i++)
    if (!name || strcmp(g_calls[i].name, name) == 0)
      count += g_calls[i].count;
  pthread_mutex_unlock(&fake.lock);
  return count;
}

int hipTestDevice(const char *name) {
  int device = -1;
  pthread_mutex_lock(&fake.lock);
  for (int i = 0; i < MOST_CALLS; i++)
    if (strcmp(g_calls[i].name, name) == 0)
      device = g_calls[i].device;
  pthread_mutex_unlock(&fake.lock);
  return device;
}

bool hipTestFail(const char *spec) {
  pthread_mutex_lock(&fake.lock);
  bool ok = read_failures(spec);
  pthread_mutex_unlock(&fake.lock);
  return ok;
}

bool hipTestInside(void) { return t_inside != 0; }

const char *hipTestFault(void) { return fake.fault; }

int hipTestHeld(void) {
  int held = 0;
  pthread_mutex_lock(&fake.lock);
  for (fake_stream *s = fake.streams; s; s = s->next)
    held += s->alive && !s->is_null;
  for (fake_memory *m = fake.memory; m; m = m->next)
    held++;
  for (fake_module *m = fake.modules; m; m = m->next)
    held++;
  for (fake_event *e = fake.events; e; e = e->next)
    held++;
  for (fake_graph *g = fake.graphs; g; g = g->next)
    held++;
  pthread_mutex_unlock(&fake.lock);
  return held;
}

//===- Devices ------------------------------------------------------------===//

int hipInit(unsigned flags) {
  int error = fake_enter("hipInit");
  if (!error && flags)
    error = hipErrorInvalidValue;
  return fake_leave(error);
}

int hipRuntimeGetVersion(int *version) {
  int error = fake_enter_without_device("hipRuntimeGetVersion");
  if (!error && !version)
    error = hipErrorInvalidValue;
  if (!error)
    *version = 70051831; // HIP 7.0.51831
  return fake_leave(error);
}

int hipGetDeviceCount(int *count) {
  int error = fake_enter_without_device("hipGetDeviceCount");
  if (!error && !count)
    error = hipErrorInvalidValue;
  if (!error) {
    *count = fake.device_count;
    error = *count ? hipSuccess : hipErrorNoDevice;
  }
  return fake_leave(error);
}

int hipGetDevice(int *device) {
  if (fake.is_null_launch && device) {
    *device = t_device;
    return hipSuccess;
  }
  int error = fake_enter("hipGetDevice");
  if (!error && !device)
    error = hipErrorInvalidValue;
  if (!error)
    *device = t_device;
  return fake_leave(error);
}

int hipSetDevice(int device) {
  int error = fake_enter("hipSetDevice");
  if (!error && (device < 0 || device >= fake.device_count))
    error = hipErrorInvalidDevice;
  if (!error)
    t_device = device;
  return fake_leave(error);
}

int hipDeviceGetName(char *name, int bytes, int device) {
  int error = fake_enter("hipDeviceGetName");
  if (!error && (device < 0 || device >= fake.device_count))
    error = hipErrorInvalidDevice;
  if (!error && (!name || bytes <= 0))
    error = hipErrorInvalidValue;
  if (!error)
    snprintf(name, (size_t)bytes, "emulated %s number %d",
             fake.devices[device].architecture, device);
  return fake_leave(error);
}

int hipDeviceComputeCapability(int *major, int *minor, int device) {
  int error = fake_enter("hipDeviceComputeCapability");
  if (!error && (device < 0 || device >= fake.device_count))
    error = hipErrorInvalidDevice;
  if (!error && (!major || !minor))
    error = hipErrorInvalidValue;
  if (!error) { // "gfx950": 9, 5, and the stepping 0
    int number = atoi(fake.devices[device].architecture + 3);
    *major = number / 100;
    *minor = number / 10 % 10;
  }
  return fake_leave(error);
}

int hipDeviceGetAttribute(int *value, int attribute, int device) {
  int error = fake_enter("hipDeviceGetAttribute");
  if (!error && (device < 0 || device >= fake.device_count))
    error = hipErrorInvalidDevice;
  // hipDeviceAttributeMultiprocessorCount; others no test asks for.
  if (!error && (!value || attribute != 63))
    error = hipErrorInvalidValue;
  if (!error)
    *value = 256;
  return fake_leave(error);
}

int hipDeviceTotalMem(size_t *bytes, int device) {
  int error = fake_enter("hipDeviceTotalMem");
  if (!error && (device < 0 || device >= fake.device_count))
    error = hipErrorInvalidDevice;
  if (!error && !bytes)
    error = hipErrorInvalidValue;
  if (!error)
    *bytes = FAKE_MEMORY_BYTES;
  return fake_leave(error);
}

//===- Errors -------------------------------------------------------------===//

int hipGetLastError(void) {
  int error = t_last_error;
  t_last_error = hipSuccess;
  return error;
}

int hipPeekAtLastError(void) { return t_last_error; }

const char *hipGetErrorName(int error) {
  switch (error) {
#define X(name, number, text)                                                  \
  case number:                                                                 \
    return "hip" #name;
#include "errors.def"
#undef X
  default:
    return "hipErrorUnknown";
  }
}

const char *hipGetErrorString(int error) {
  switch (error) {
#define X(name, number, text)                                                  \
  case number:                                                                 \
    return text;
#include "errors.def"
#undef X
  default:
    return "unknown error";
  }
}
