// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The "emu" device: fmhac_rt.h over the emulator.
#include "emu_device.h"

#include <stdio.h>
#include <stdlib.h>

#include "float_environment.h"
#include "tensor.h"
#include "undefined.h"

static void clear_result(emu_device *d) {
  free(d->result.findings.list);
  emu_timing_destroy(d->result.timing);
  // Of launches that are joined figures are added up.
  const fmhac_emu_stats before =
      d->space.joined_begun ? d->result.stats : (fmhac_emu_stats){0};
  d->result =
      (emu_result){.known = d->result.known,
                   .told = d->result.told,
                   .stats = {.joined_launches = before.joined_launches,
                             .joined_workgroups = before.joined_workgroups,
                             .joined_waves = before.joined_waves,
                             .joined_instructions = before.joined_instructions,
                             .joined_matrix_instructions =
                                 before.joined_matrix_instructions}};
  if (d->result_module_unloaded)
    emu_module_free(&d->space, d->result_module);
  d->result_module = NULL;
  d->result_kernel = NULL;
  d->result_module_unloaded = false;
}

static void emu_close(fmhac_rt_device *device) {
  emu_device *d = emu_self(device);
  clear_result(d);
  emu_known_traffic_clear(&d->result.known);
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
  emu_streams_destroy(d->order);
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

fmhac_status emu_track_buffer(emu_device *d, const char *name,
                              uint64_t *address) {
  if (emu_space_track(&d->space, *address) == FMHAC_OK)
    return FMHAC_OK;
  emu_space_unmap(&d->space, *address);
  *address = 0;
  return fmhac_rt_fail(&d->base, FMHAC_OUT_OF_MEMORY,
                       "buffer \"%s\": the host has no memory to record which "
                       "bytes are written",
                       name);
}

fmhac_status emu_map_buffer(emu_device *d, const char *name, uint64_t base,
                            uint64_t bytes, uint64_t *out_address) {
  if (!base && d->options.placement == FMHAC_EMU_PLACEMENT_ADVERSARIAL)
    base = emu_space_place_across(&d->space, bytes);
  return emu_with_device_text(d, emu_space_map(&d->space, name, base, bytes,
                                               d->text, sizeof d->text,
                                               out_address));
}

static fmhac_status emu_alloc(fmhac_rt_device *device, size_t bytes,
                              uint64_t *out_address) {
  emu_device *d = emu_self(device);
  char name[32];
  snprintf(name, sizeof name, "allocation %u", d->allocations++);
  fmhac_status status = emu_map_buffer(d, name, 0, bytes, out_address);
  if (status == FMHAC_OK)
    return emu_track_buffer(d, name, out_address);
  // Without a requested address only the size can be wrong.
  return FMHAC_OUT_OF_MEMORY;
}

static fmhac_status emu_release(fmhac_rt_device *device, uint64_t address) {
  if (emu_space_unmap(&emu_self(device)->space, address)) {
    emu_streams_forget(emu_self(device)->order, address);
    return FMHAC_OK;
  }
  return fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                       "free: no allocation begins at 0x%llx",
                       (unsigned long long)address);
}

static uint8_t *host_of(fmhac_rt_device *device, uint64_t address, size_t bytes,
                        const char *verb) {
  emu_device *d = emu_self(device);
  uint8_t *host = emu_space_host(&d->space, address, bytes);
  if (!host) {
    char where[EMU_ADDRESS_TEXT];
    emu_space_describe(&d->space, address, where, sizeof where);
    fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                  "%s: [0x%llx, +%zu bytes) is not inside one allocation; its "
                  "first byte is %s",
                  verb, (unsigned long long)address, bytes, where);
  }
  return host;
}

/// The map of written bytes for `bytes` bytes at a device address, and their
/// position in that map.
static uint8_t *init_of(emu_device *d, uint64_t address, size_t bytes,
                        uint64_t *out_offset) {
  const emu_segment *s = emu_space_find(&d->space, address, bytes);
  *out_offset = address - s->base;
  return s->init;
}

/// One that is over when the call returns waits for all streams, before and
/// after.
static void order_transfer(emu_device *d, const fmhac_rt_transfer *t,
                           bool is_to, bool is_from) {
  if (!t->is_async)
    emu_streams_host_wait_all(d->order);
  const uint32_t work =
      emu_streams_begin(d->order, t->is_async ? t->stream : NULL,
                        t->kind == FMHAC_RT_FILL ? "a fill" : "a copy");
  const uint64_t ends[2] = {(uintptr_t)t->from, (uintptr_t)t->to};
  for (int write = 0; write < 2; write++) {
    const emu_segment *s =
        (write ? is_to : is_from)
            ? emu_space_find(&d->space, ends[write], t->bytes)
            : NULL;
    if (s)
      emu_streams_copy(d->order, work, s, ends[write] - s->base, t->bytes,
                       write);
  }
  if (!t->is_async)
    emu_streams_host_wait_all(d->order);
}

static fmhac_status emu_transfer(fmhac_rt_device *device,
                                 const fmhac_rt_transfer *t) {
  emu_device *d = emu_self(device);
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
  if (d->order)
    order_transfer(d, t, is_to, is_from);
  return FMHAC_OK;
}

static fmhac_status emu_load(fmhac_rt_device *device, const void *code,
                             size_t bytes, fmhac_rt_module **out_module) {
  emu_device *d = emu_self(device);
  emu_module *m;
  fmhac_status status =
      emu_module_load(&d->space, code, bytes, d->text, sizeof d->text, &m);
  if (status != FMHAC_OK)
    return emu_with_device_text(d, status);
  m->next = d->modules;
  d->modules = m;
  *out_module = (fmhac_rt_module *)(void *)m;
  return FMHAC_OK;
}

/// The link to the module in the device's list, or NULL with a text.
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
  emu_device *d = emu_self(device);
  emu_module **at = find_module(d, module, "unloading a module");
  if (!at)
    return;
  emu_known_traffic_clear(&d->result.known);
  emu_module *found = *at;
  *at = found->next;
  if (d->result_module != found) {
    emu_module_free(&d->space, found);
    return;
  }
  emu_module_unmap(&d->space, found);
  d->result_module_unloaded = true;
}

/// The progress callback of a launch.
typedef struct listener {
  const fmhac_emu_options *options;
  fenv_t environment; ///< floating-point environment of the caller
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
  fmhac_status status =
      emu_launch_run(&d->space, module, launch, &options, &d->timing,
                     (const uint32_t(*)[3])d->ids, d->id_count, d->text,
                     sizeof d->text, &d->result);
  fmhac_float_end(&l.environment);
  return status;
}

static fmhac_status emu_launch_vt(fmhac_rt_device *device,
                                  fmhac_rt_module *module,
                                  const fmhac_rt_launch *launch) {
  emu_device *d = emu_self(device);
  clear_result(d);
  emu_module **at = find_module(d, module, "launch");
  if (!at)
    return FMHAC_INVALID_INPUT;
  emu_module *m = *at;
  d->result.streams = d->order;
  d->result.work = emu_streams_begin(
      d->order, launch->stream, launch->kernel ? launch->kernel : "a launch");
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
  return emu_with_device_text(d, status);
}

static fmhac_status emu_synchronize(fmhac_rt_device *device) {
  emu_streams_host_wait_all(emu_self(device)->order);
  return FMHAC_OK;
}

static fmhac_status emu_stream_create(fmhac_rt_device *device,
                                      void **out_stream) {
  emu_device *d = emu_self(device);
  emu_stream *stream = calloc(1, sizeof *stream);
  if (stream && !d->order)
    d->order = emu_streams_create(); // without it nothing is compared
  if (!stream)
    return fmhac_rt_fail(device, FMHAC_OUT_OF_MEMORY,
                         "making a stream: out of memory");
  stream->next = d->streams;
  d->streams = stream;
  *out_stream = stream;
  return FMHAC_OK;
}

/// The link to the stream in the device's list, or NULL with a text.
static emu_stream **find_stream(fmhac_rt_device *device, const void *stream,
                                const char *verb) {
  for (emu_stream **at = &emu_self(device)->streams; *at; at = &(*at)->next)
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
  emu_streams_end(emu_self(device)->order, found);
  free(found);
  return FMHAC_OK;
}

static fmhac_status emu_stream_synchronize(fmhac_rt_device *device,
                                           void *stream) {
  if (stream && !find_stream(device, stream, "waiting for a stream"))
    return FMHAC_INVALID_INPUT;
  emu_streams_host_wait_stream(emu_self(device)->order, stream);
  return FMHAC_OK;
}

//===- Events -------------------------------------------------------------===//

static emu_event **find_event(fmhac_rt_device *device,
                              const fmhac_rt_event *event, const char *verb) {
  emu_event **at = emu_events_find(&emu_self(device)->events, event);
  if (!at)
    fmhac_rt_fail(device, FMHAC_INVALID_INPUT,
                  "%s: %p is not an event of this device", verb,
                  (const void *)event);
  return at;
}

static fmhac_status emu_event_create(fmhac_rt_device *device,
                                     fmhac_rt_event **out_event) {
  emu_event *event = emu_events_create(&emu_self(device)->events);
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
  emu_event **at = find_event(device, event, "recording an event");
  if (!at)
    return FMHAC_INVALID_INPUT;
  emu_streams_record(emu_self(device)->order, stream, &(*at)->before);
  (*at)->is_recorded = true;
  (*at)->at = emu_self(device)->events.now;
  return FMHAC_OK;
}

static fmhac_status emu_stream_wait_event(fmhac_rt_device *device, void *stream,
                                          fmhac_rt_event *event) {
  emu_event **at = find_event(device, event, "letting a stream wait");
  if (!at)
    return FMHAC_INVALID_INPUT;
  emu_streams_wait(emu_self(device)->order, stream, &(*at)->before);
  return FMHAC_OK;
}

static fmhac_status emu_event_synchronize(fmhac_rt_device *device,
                                          fmhac_rt_event *event) {
  emu_event **at = find_event(device, event, "waiting for an event");
  if (!at)
    return FMHAC_INVALID_INPUT;
  emu_streams_host_wait(emu_self(device)->order, &(*at)->before);
  return FMHAC_OK;
}

static fmhac_status emu_event_elapsed(fmhac_rt_device *device,
                                      fmhac_rt_event *start,
                                      fmhac_rt_event *end,
                                      double *out_seconds) {
  emu_device *d = emu_self(device);
  emu_event **from = find_event(device, start, "time between events");
  emu_event **to = from ? find_event(device, end, "time between events") : NULL;
  if (!to)
    return FMHAC_INVALID_INPUT;
  return emu_with_device_text(
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
  char none[1];
  (void)emu_time_constants_init(&d->timing, NULL, none, sizeof none);
  *out_device = &d->base;
  return FMHAC_OK;
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
