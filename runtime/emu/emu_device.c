// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The "emu" device: fmhac_rt.h and fmhac_emu.h over the emulator.
#include <stdio.h>
#include <stdlib.h>

#include "events.h"
#include "float_environment.h"
#include "undefined.h"
#include "launch.h"
#include "sized_struct.h"
#include "tensor.h"
#include "timing.h"

/// A stream: only its address says anything, as launches end before they
/// return.
typedef struct emu_stream {
  struct emu_stream *next;
} emu_stream;

typedef struct emu_device {
  fmhac_rt_device base;
  emu_space space;
  emu_module *modules;
  emu_stream *streams;
  emu_events events;
  fmhac_emu_options options;
  emu_time_constants timing; ///< for launches that are timed
  uint32_t (*ids)[3];        ///< workgroups of the next launch; NULL for all
  size_t id_count;
  /// Of the last launch, until the next one: findings and listing point into
  /// the module, which is kept so long even if it has been unloaded.
  emu_result result;
  emu_module *result_module;
  const emu_kernel *result_kernel;
  bool result_module_unloaded; ///< it is not in `modules`
  uint32_t allocations;        ///< made so far, for names
  /// Where the emulator writes why something failed, in its turn.
  char text[FMHAC_RT_TEXT_BYTES];
} emu_device;

static emu_device *self(fmhac_rt_device *device) {
  return (emu_device *)(void *)device;
}

/// Ends a call whose failure is told by `text`.
static fmhac_status told(emu_device *d, fmhac_status status) {
  return status == FMHAC_OK ? status
                            : fmhac_rt_fail(&d->base, status, "%s", d->text);
}

static void clear_result(emu_device *d) {
  free(d->result.findings.list);
  emu_timing_destroy(d->result.timing);
  memset(&d->result, 0, sizeof d->result);
  if (d->result_module_unloaded)
    emu_module_free(&d->space, d->result_module);
  d->result_module = NULL;
  d->result_kernel = NULL;
  d->result_module_unloaded = false;
}

static void emu_close(fmhac_rt_device *device) {
  emu_device *d = self(device);
  clear_result(d);
  while (d->modules) {
    emu_module *m = d->modules;
    d->modules = m->next;
    emu_module_free(&d->space, m);
  }
  while (d->streams) {
    emu_stream *stream = d->streams;
    d->streams = stream->next;
    free(stream);
  }
  emu_events_deinit(&d->events);
  emu_space_free(&d->space);
  free(d->ids);
  fmhac_rt_device_deinit(device);
  free(d);
}

static fmhac_status emu_get_info(fmhac_rt_device *device,
                                 fmhac_rt_device_info *info) {
  (void)device;
  snprintf(info->kind, sizeof info->kind, "emu");
  snprintf(info->architecture, sizeof info->architecture, "gfx950");
  snprintf(info->name, sizeof info->name, "fmhac gfx950 emulator");
  info->compute_units = 256; // MI355X
  info->lds_bytes_per_workgroup = EMU_LDS_BYTES;
  info->memory_bytes = EMU_MEMORY_BYTES;
  return FMHAC_OK;
}

static fmhac_status track(emu_device *d, const char *name, uint64_t address) {
  if (emu_space_track(&d->space, address) == FMHAC_OK)
    return FMHAC_OK;
  return fmhac_rt_fail(&d->base, FMHAC_OUT_OF_MEMORY,
                       "buffer \"%s\": the host has no room to keep what of "
                       "it is written",
                       name);
}

// A buffer; base 0: where the options say.
static fmhac_status map(emu_device *d, const char *name, uint64_t base,
                        uint64_t bytes, uint64_t *out_address) {
  if (!base && d->options.placement == FMHAC_EMU_PLACEMENT_ADVERSARIAL)
    base = emu_space_place_across(&d->space, bytes);
  return told(d, emu_space_map(&d->space, name, base, bytes, d->text,
                               sizeof d->text, out_address));
}

static fmhac_status emu_alloc(fmhac_rt_device *device, size_t bytes,
                              uint64_t *out_address) {
  emu_device *d = self(device);
  char name[32];
  snprintf(name, sizeof name, "allocation %u", d->allocations++);
  fmhac_status status = map(d, name, 0, bytes, out_address);
  if (status == FMHAC_OK)
    return track(d, name, *out_address);
  // Without a place that was asked for, whatever is wrong is its size.
  return FMHAC_OUT_OF_MEMORY;
}

static fmhac_status emu_release(fmhac_rt_device *device, uint64_t address) {
  if (emu_space_unmap(&self(device)->space, address))
    return FMHAC_OK;
  return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                       "free: no allocation begins at 0x%llx",
                       (unsigned long long)address);
}

static uint8_t *host_of(fmhac_rt_device *device, uint64_t address, size_t bytes,
                        const char *verb) {
  emu_device *d = self(device);
  uint8_t *host = emu_space_host(&d->space, address, bytes);
  if (!host) {
    char where[EMU_PLACE_TEXT];
    emu_space_describe(&d->space, address, where, sizeof where);
    fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                  "%s: [0x%llx, +%zu bytes) is not inside one allocation; its "
                  "first byte is %s",
                  verb, (unsigned long long)address, bytes, where);
  }
  return host;
}

/// What has been written of the `bytes` bytes at an address of the device, and
/// where in that map they lie.
static uint8_t *init_of(emu_device *d, uint64_t address, size_t bytes,
                        uint64_t *out_offset) {
  const emu_segment *s = emu_space_find(&d->space, address, bytes);
  *out_offset = address - s->base;
  return s->init;
}

static fmhac_status emu_transfer(fmhac_rt_device *device,
                                 const fmhac_rt_transfer *t) {
  emu_device *d = self(device);
  const uint64_t to = (uintptr_t)t->to, from = (uintptr_t)t->from;
  const bool is_to = t->kind != FMHAC_RT_COPY_OUT;
  const bool is_from = t->kind == FMHAC_RT_COPY_OUT || t->kind == FMHAC_RT_COPY;
  if (!t->bytes)
    return FMHAC_OK;
  void *target =
      is_to ? host_of(device, to, t->bytes,
                      t->kind == FMHAC_RT_FILL ? "fill" : "copy to the device")
            : t->to;
  if (!target)
    return FMHAC_INVALID_INPUT;
  const void *source =
      is_from ? host_of(device, from, t->bytes, "copy from the device")
              : t->from;
  if (is_from && !source)
    return FMHAC_INVALID_INPUT;
  if (t->kind == FMHAC_RT_FILL)
    memset(target, t->value, t->bytes);
  else
    memcpy(target, source, t->bytes);
  uint64_t to_offset = 0, from_offset = 0;
  uint8_t *to_init = is_to ? init_of(d, to, t->bytes, &to_offset) : NULL;
  const uint8_t *from_init =
      is_from ? init_of(d, from, t->bytes, &from_offset) : NULL;
  emu_bytes_copy(to_init, to_offset, from_init, from_offset, t->bytes);
  return FMHAC_OK;
}

static fmhac_status emu_load(fmhac_rt_device *device, const void *code,
                             size_t bytes, fmhac_rt_module **out_module) {
  emu_device *d = self(device);
  emu_module *m;
  fmhac_status status =
      emu_module_load(&d->space, code, bytes, d->text, sizeof d->text, &m);
  if (status != FMHAC_OK)
    return told(d, status);
  m->device = device;
  m->next = d->modules;
  d->modules = m;
  *out_module = (fmhac_rt_module *)(void *)m;
  return FMHAC_OK;
}

/// Where the module hangs in the device's list, or NULL with a text.
static emu_module **find_module(emu_device *d, const fmhac_rt_module *module,
                                const char *verb) {
  for (emu_module **at = &d->modules; *at; at = &(*at)->next)
    if ((const void *)*at == module)
      return at;
  fmhac_rt_fail(&d->base, FMHAC_INVALID_INPUT,
                "%s: %p is not a module of this device: another device loaded "
                "it, or it has been unloaded",
                verb, (const void *)module);
  return NULL;
}

static void emu_unload(fmhac_rt_device *device, fmhac_rt_module *module) {
  emu_device *d = self(device);
  emu_module **at = find_module(d, module, "unloading a module");
  if (!at)
    return;
  emu_module *found = *at;
  *at = found->next;
  if (d->result_module != found) {
    emu_module_free(&d->space, found);
    return;
  }
  emu_module_unmap(&d->space, found);
  d->result_module_unloaded = true;
}

/// Whom a launch tells how far it is.
typedef struct listener {
  const fmhac_emu_options *options;
  fenv_t environment; ///< of floating point, in which the caller called
} listener;

static void report_progress(void *user, uint64_t done, uint64_t all) {
  const listener *l = user;
  fenv_t ours;
  fegetenv(&ours);
  fesetenv(&l->environment);
  l->options->progress(l->options->progress_user, done, all);
  fesetenv(&ours);
}

static fmhac_status run(emu_device *d, emu_module *module,
                        const fmhac_rt_launch *launch) {
  listener l = {.options = &d->options};
  fmhac_emu_options options = d->options;
  if (options.progress) {
    options.progress = report_progress;
    options.progress_user = &l;
  }
  fmhac_float_begin(&l.environment);
  fmhac_status status = emu_launch_run(
      &d->space, module, launch, &options, options.timing ? &d->timing : NULL,
      (const uint32_t(*)[3])d->ids, d->id_count, d->text, sizeof d->text,
      &d->result);
  fmhac_float_end(&l.environment);
  return status;
}

static fmhac_status emu_launch_vt(fmhac_rt_device *device,
                                  fmhac_rt_module *module,
                                  const fmhac_rt_launch *launch) {
  emu_device *d = self(device);
  clear_result(d);
  emu_module **at = find_module(d, module, "launch");
  if (!at)
    return FMHAC_INVALID_INPUT;
  emu_module *m = *at;
  fmhac_status status = run(d, m, launch);
  emu_events_launched(&d->events, &d->result);
  d->result_module = m;
  for (size_t i = 0; i < m->kernel_count; i++) {
    const emu_kernel *k = &m->kernels[i];
    if (launch->kernel ? strcmp(k->name, launch->kernel) == 0 : i == 0)
      d->result_kernel = k;
  }
  free(d->ids);
  d->ids = NULL;
  d->id_count = 0;
  return told(d, status);
}

static fmhac_status emu_synchronize(fmhac_rt_device *device) {
  (void)device;
  return FMHAC_OK;
}

static fmhac_status emu_stream_create(fmhac_rt_device *device,
                                      void **out_stream) {
  emu_device *d = self(device);
  emu_stream *stream = calloc(1, sizeof *stream);
  if (!stream)
    return fmhac_rt_fail(device, FMHAC_OUT_OF_MEMORY,
                         "making a stream: out of memory");
  stream->next = d->streams;
  d->streams = stream;
  *out_stream = stream;
  return FMHAC_OK;
}

/// Where the stream hangs in the device's list, or NULL with a text.
static emu_stream **find_stream(fmhac_rt_device *device, const void *stream,
                                const char *verb) {
  for (emu_stream **at = &self(device)->streams; *at; at = &(*at)->next)
    if (*at == stream)
      return at;
  fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                "%s: %p is not a stream of this device", verb, stream);
  return NULL;
}

static fmhac_status emu_stream_destroy(fmhac_rt_device *device, void *stream) {
  emu_stream **at = find_stream(device, stream, "destroying a stream");
  if (!at)
    return FMHAC_INVALID_INPUT;
  emu_stream *found = *at;
  *at = found->next;
  free(found);
  return FMHAC_OK;
}

static fmhac_status emu_stream_synchronize(fmhac_rt_device *device,
                                           void *stream) {
  if (!stream || find_stream(device, stream, "waiting for a stream"))
    return FMHAC_OK;
  return FMHAC_INVALID_INPUT;
}

//===- Events -------------------------------------------------------------===//

static emu_event **find_event(fmhac_rt_device *device,
                              const fmhac_rt_event *event, const char *verb) {
  emu_event **at = emu_events_find(&self(device)->events, event);
  if (!at)
    fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                  "%s: %p is not an event of this device", verb,
                  (const void *)event);
  return at;
}

static fmhac_status emu_event_create(fmhac_rt_device *device,
                                     fmhac_rt_event **out_event) {
  emu_event *event = emu_events_create(&self(device)->events);
  *out_event = (fmhac_rt_event *)(void *)event;
  return event ? FMHAC_OK
               : fmhac_rt_fail(device, FMHAC_OUT_OF_MEMORY,
                               "making an event: out of memory");
}

static fmhac_status emu_event_destroy(fmhac_rt_device *device,
                                      fmhac_rt_event *event) {
  emu_event **at = find_event(device, event, "destroying an event");
  if (!at)
    return FMHAC_INVALID_INPUT;
  emu_events_destroy(at);
  return FMHAC_OK;
}

static fmhac_status emu_event_record(fmhac_rt_device *device,
                                     fmhac_rt_event *event, void *stream) {
  (void)stream; // whatever it is: launches on it are over
  emu_event **at = find_event(device, event, "recording an event");
  if (!at)
    return FMHAC_INVALID_INPUT;
  (*at)->is_recorded = true;
  (*at)->at = self(device)->events.now;
  return FMHAC_OK;
}

static fmhac_status emu_stream_wait_event(fmhac_rt_device *device, void *stream,
                                          fmhac_rt_event *event) {
  (void)stream;
  return find_event(device, event, "letting a stream wait")
             ? FMHAC_OK
             : FMHAC_INVALID_INPUT;
}

static fmhac_status emu_event_synchronize(fmhac_rt_device *device,
                                          fmhac_rt_event *event) {
  return find_event(device, event, "waiting for an event")
             ? FMHAC_OK
             : FMHAC_INVALID_INPUT;
}

static fmhac_status emu_event_elapsed(fmhac_rt_device *device,
                                      fmhac_rt_event *start,
                                      fmhac_rt_event *end,
                                      double *out_seconds) {
  emu_device *d = self(device);
  emu_event **from = find_event(device, start, "time between events");
  emu_event **to = from ? find_event(device, end, "time between events") : NULL;
  if (!to)
    return FMHAC_INVALID_INPUT;
  return told(
      d, emu_events_elapsed(*from, *to, d->text, sizeof d->text, out_seconds));
}

static const fmhac_rt_vtable k_vtable = {
    .kind = "emu",
    .one_at_a_time = true,
    .close = emu_close,
    .get_info = emu_get_info,
    .alloc = emu_alloc,
    .release = emu_release,
    .transfer = emu_transfer,
    .module_load = emu_load,
    .module_unload = emu_unload,
    .launch = emu_launch_vt,
    .synchronize = emu_synchronize,
    .stream_create = emu_stream_create,
    .stream_destroy = emu_stream_destroy,
    .stream_synchronize = emu_stream_synchronize,
    .event_create = emu_event_create,
    .event_destroy = emu_event_destroy,
    .event_record = emu_event_record,
    .stream_wait_event = emu_stream_wait_event,
    .event_synchronize = emu_event_synchronize,
    .event_elapsed = emu_event_elapsed,
};

fmhac_status fmhac_emu_device_create(char *text, size_t text_bytes,
                                     fmhac_rt_device **out_device) {
  emu_device *d = calloc(1, sizeof *d);
  if (!d) {
    snprintf(text, text_bytes, "opening the emulator: out of memory");
    return FMHAC_OUT_OF_MEMORY;
  }
  fmhac_rt_device_init(&d->base, &k_vtable);
  fmhac_emu_options_init(&d->options);
  *out_device = &d->base;
  return FMHAC_OK;
}

//===- fmhac_emu.h --------------------------------------------------------===//

enum {
  FIRST_OPTIONS_BYTES = FMHAC_SIZE_THROUGH(fmhac_emu_options, progress_user)
};

void fmhac_emu_options_init_sized(fmhac_emu_options *options, size_t size) {
  if (!options || size < FIRST_OPTIONS_BYTES)
    return;
  memset(options, 0, size);
  options->size = size;
  options->checks = FMHAC_EMU_CHECK_DEFAULT;
}

void(fmhac_emu_options_init)(fmhac_emu_options *options) {
  fmhac_emu_options_init_sized(options, FIRST_OPTIONS_BYTES);
}

static bool is_emu(const fmhac_rt_device *device) {
  return device && device->vtable == &k_vtable;
}

const emu_result *emu_device_result(const fmhac_rt_device *device) {
  return is_emu(device) ? &((const emu_device *)(const void *)device)->result
                        : NULL;
}

fmhac_status emu_device_need(const fmhac_rt_device *device, const char *call,
                             const char *argument, const void *pointer) {
  fmhac_status status = fmhac_rt_need(device, call, argument, pointer);
  if (status != FMHAC_OK || is_emu(device))
    return status;
  return fmhac_rt_fail((fmhac_rt_device *)(uintptr_t)device,
                       FMHAC_INVALID_INPUT,
                       "%s: expected an emulator (\"emu\"), found a device of "
                       "kind \"%s\"",
                       call, device->vtable->kind);
}

fmhac_status emu_device_need_index(const fmhac_rt_device *device,
                                   const char *call, size_t index,
                                   size_t count) {
  if (index < count)
    return FMHAC_OK;
  return fmhac_rt_fail(
      (fmhac_rt_device *)(uintptr_t)device, FMHAC_INVALID_INPUT,
      "%s: the last launch left %zu, none of number %zu", call, count, index);
}

fmhac_status fmhac_emu_configure(fmhac_rt_device *device,
                                 const fmhac_emu_options *options) {
  const char *call = "emulator options";
  fmhac_status status = emu_device_need(device, call, "options", options);
  fmhac_emu_options o;
  if (status == FMHAC_OK)
    status = fmhac_rt_struct_in(device, call, &o, sizeof o, FIRST_OPTIONS_BYTES,
                                options, "fmhac_emu_options");
  if (status != FMHAC_OK)
    return status;
  if (o.checks & ~(uint32_t)FMHAC_EMU_CHECK_ALL ||
      (unsigned)o.sched > FMHAC_EMU_SCHED_RANDOM ||
      (unsigned)o.landing > FMHAC_EMU_LANDING_AFTER ||
      o.landing_instructions >= EMU_UNTIL_WAIT ||
      o.landing_lds_instructions >= EMU_UNTIL_WAIT ||
      (unsigned)o.alignment > FMHAC_EMU_ALIGNMENT_NATURAL ||
      (unsigned)o.descriptors > FMHAC_EMU_DESCRIPTORS_CARRY ||
      (unsigned)o.placement > FMHAC_EMU_PLACEMENT_ADVERSARIAL ||
      (unsigned)o.hazards > FMHAC_EMU_HAZARDS_EFFECT)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "emulator options: checks 0x%x, sched %d, landing %d, "
                         "alignment %d, descriptors %d, placement %d, hazards "
                         "%d: a value is out of range",
                         o.checks, (int)o.sched, (int)o.landing,
                         (int)o.alignment, (int)o.descriptors, (int)o.placement,
                         (int)o.hazards);
  if (o.threads > FMHAC_EMU_MOST_THREADS)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                         "emulator options: %u threads, expected at most %d",
                         o.threads, FMHAC_EMU_MOST_THREADS);
  fmhac_rt_forget(device);
  emu_device *d = self(device);
  char text[FMHAC_RT_TEXT_BYTES];
  emu_time_constants timing;
  fenv_t caller;
  fmhac_float_begin(&caller);
  const bool valid =
      emu_time_constants_init(&timing, o.timing_constants, text, sizeof text);
  fmhac_float_end(&caller);
  if (!valid)
    return fmhac_rt_fail(device, FMHAC_INVALID_INPUT, "%s", text);
  o.timing_constants = NULL; // the caller's
  fmhac_rt_enter(device);
  d->options = o;
  d->timing = timing;
  return fmhac_rt_leave(device, FMHAC_OK);
}

static fmhac_status map_buffer(fmhac_rt_device *device,
                               const fmhac_emu_buffer *buffer,
                               uint64_t *out_address) {
  emu_device *d = self(device);
  fmhac_status status =
      map(d, buffer->name, buffer->base, buffer->bytes, out_address);
  if (status != FMHAC_OK)
    return status;
  if (buffer->contents != FMHAC_EMU_CONTENTS_FILL)
    return track(d, buffer->name, *out_address);
  emu_space_fill(&d->space, *out_address, buffer->fill);
  return FMHAC_OK;
}

fmhac_status fmhac_emu_map(fmhac_rt_device *device,
                           const fmhac_emu_buffer *buffer,
                           fmhac_device_ptr *out_address) {
  const char *call = "mapping a buffer";
  fmhac_status status =
      emu_device_need(device, call, "out_address", out_address);
  if (status != FMHAC_OK)
    return status;
  fmhac_rt_forget(device);
  *out_address = 0;
  fmhac_emu_buffer b;
  status = fmhac_rt_struct_in(device, call, &b, sizeof b,
                              FMHAC_SIZE_THROUGH(fmhac_emu_buffer, fill),
                              buffer, "fmhac_emu_buffer");
  if (status == FMHAC_OK)
    status = fmhac_rt_need(device, call, "fmhac_emu_buffer.name", b.name);
  if (status != FMHAC_OK)
    return status;
  fmhac_rt_enter(device);
  return fmhac_rt_leave(device, map_buffer(device, &b, out_address));
}

fmhac_status fmhac_emu_declare_tensor(fmhac_rt_device *device,
                                      const fmhac_emu_tensor *tensor) {
  const char *call = "declaring a tensor";
  fmhac_status status = emu_device_need(device, call, "tensor", tensor);
  if (status != FMHAC_OK)
    return status;
  emu_device *d = self(device);
  fmhac_rt_forget(device);
  fmhac_emu_tensor t;
  status = fmhac_rt_struct_in(device, call, &t, sizeof t,
                              FMHAC_SIZE_THROUGH(fmhac_emu_tensor, is_output),
                              tensor, "fmhac_emu_tensor");
  if (status == FMHAC_OK)
    status = fmhac_rt_need(device, call, "fmhac_emu_tensor.name", t.name);
  if (status != FMHAC_OK)
    return status;
  fmhac_rt_enter(device);
  return fmhac_rt_leave(
      device,
      told(d, emu_tensor_declare(&d->space, &t, d->text, sizeof d->text)));
}

fmhac_status fmhac_emu_select_workgroups(fmhac_rt_device *device,
                                         const uint32_t (*ids)[3],
                                         size_t count) {
  fmhac_status status = emu_device_need(device, "selecting workgroups", "ids",
                                        count ? (const void *)ids : device);
  if (status != FMHAC_OK)
    return status;
  emu_device *d = self(device);
  fmhac_rt_forget(device);
  const bool fits = count <= SIZE_MAX / sizeof(*ids);
  uint32_t(*copy)[3] = count && fits ? malloc(count * sizeof *copy) : NULL;
  if (count && !copy)
    return fmhac_rt_fail(device, FMHAC_OUT_OF_MEMORY,
                         "selecting %zu workgroups: out of memory", count);
  if (count)
    memcpy(copy, ids, count * sizeof *copy);
  fmhac_rt_enter(device);
  free(d->ids);
  d->ids = copy;
  d->id_count = count;
  return fmhac_rt_leave(device, FMHAC_OK);
}

size_t fmhac_emu_finding_count(const fmhac_rt_device *device) {
  return is_emu(device)
             ? ((const emu_device *)(const void *)device)->result.findings.count
             : 0;
}

fmhac_status fmhac_emu_get_finding(const fmhac_rt_device *device, size_t index,
                                   fmhac_emu_finding *out) {
  fmhac_status status = emu_device_need(device, "finding", "out_finding", out);
  if (status != FMHAC_OK)
    return status;
  const emu_device *d = (const emu_device *)(const void *)device;
  status =
      emu_device_need_index(device, "finding", index,
                            d->result_kernel ? d->result.findings.count : 0);
  if (status != FMHAC_OK)
    return status;
  const emu_finding *f = &d->result.findings.list[index];
  const emu_kernel *k = d->result_kernel;
  fmhac_emu_finding finding = {.check = emu_check_name(f->check),
                               .message = f->message,
                               .wave = f->wave,
                               .count = f->count,
                               .location = emu_place_part(f->place.location),
                               .step = emu_place_part(f->place.step)};
  if (f->insn) {
    finding.pc = (uint64_t)f->insn->pc - k->entry_text;
    finding.instruction = emu_program_text(k->program, f->insn);
  }
  if (f->other) {
    finding.other_pc = (uint64_t)f->other->pc - k->entry_text;
    finding.other_instruction = emu_program_text(k->program, f->other);
    finding.other_location = emu_place_part(f->other_place.location);
    finding.other_step = emu_place_part(f->other_place.step);
  }
  memcpy(finding.workgroup, f->id, sizeof finding.workgroup);
  return FMHAC_RT_STRUCT_OUT(device, "finding", out, &finding,
                             fmhac_emu_finding, count);
}

fmhac_status fmhac_emu_get_listing(const fmhac_rt_device *device, uint64_t pc,
                                   int distance, uint64_t *out_pc,
                                   const char **out_text) {
  fmhac_status status = emu_device_need(device, "listing", "out_pc", out_pc);
  if (status == FMHAC_OK)
    status = fmhac_rt_need(device, "listing", "out_text", out_text);
  if (status != FMHAC_OK)
    return status;
  *out_pc = 0;
  *out_text = NULL;
  const emu_device *d = (const emu_device *)(const void *)device;
  const emu_kernel *k = d->result_kernel;
  uint64_t at = k ? pc + k->entry_text : UINT64_MAX; // from .text
  if (!k || !k->program || at / 4 >= k->program->words ||
      !k->program->index[at / 4])
    return FMHAC_INVALID_INPUT;
  const emu_program *p = k->program;
  int64_t i = (int64_t)p->index[at / 4] - 1 + distance;
  if (i < 0 || i >= (int64_t)p->count)
    return FMHAC_INVALID_INPUT;
  *out_pc = (uint64_t)p->insns[i].pc - k->entry_text;
  *out_text = emu_program_text(p, &p->insns[i]);
  return FMHAC_OK;
}

fmhac_status fmhac_emu_get_source_location(fmhac_rt_device *device, uint64_t pc,
                                           fmhac_emu_source_location *out) {
  uint64_t at;
  const char *text;
  fmhac_status status = emu_device_need(device, "place", "out_place", out);
  if (status == FMHAC_OK)
    status = fmhac_emu_get_listing(device, pc, 0, &at, &text);
  if (status != FMHAC_OK)
    return status;
  emu_device *d = self(device);
  emu_place place;
  fmhac_rt_enter(device); // the first call reads the debug information
  emu_module_place(d->result_module,
                   (uint32_t)(pc + d->result_kernel->entry_text), &place);
  fmhac_emu_source_location known = {.size = sizeof known};
  snprintf(known.location, sizeof known.location, "%s", place.location);
  snprintf(known.step, sizeof known.step, "%s", place.step);
  return fmhac_rt_leave(device,
                        FMHAC_RT_STRUCT_OUT(device, "place", out, &known,
                                            fmhac_emu_source_location, step));
}

fmhac_status fmhac_emu_get_stats(const fmhac_rt_device *device,
                                 fmhac_emu_stats *out) {
  fmhac_status status = emu_device_need(device, "stats", "out_stats", out);
  if (status != FMHAC_OK)
    return status;
  const emu_device *d = (const emu_device *)(const void *)device;
  return FMHAC_RT_STRUCT_OUT(device, "stats", out, &d->result.stats,
                             fmhac_emu_stats, seconds);
}
