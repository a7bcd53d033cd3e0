// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "save_launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac_abi.h"
#include "fmhac_inspect.h"
#include "run_tensors.h"

typedef enum field_type {
  FIELD_u32,
  FIELD_u64,
  FIELD_f32,
  FIELD_ptr
} field_type;

static const struct {
  const char *name;
  field_type type;
  size_t offset;
} fields[] = {
#define FMHAC_ARG(type_, name_, group, doc)                                    \
  {#name_, FIELD_##type_, offsetof(fmhac_kernel_args, name_)},
#include "fmhac_abi.def"
};

static bool write_in(const char *directory, const char *name, const void *bytes,
                     size_t size, char error[ERROR_BYTES]) {
  char *path = path_join(directory, name);
  bool ok = path && file_write(path, bytes, size, error);
  if (!path)
    snprintf(error, ERROR_BYTES, "no memory for the name of %s", name);
  free(path);
  return ok;
}

/// The plan's workspace on the device. The zeros that it begins with are a
/// buffer of their own in the file, where "fill" is that of a whole buffer.
typedef struct room {
  uint64_t address;
  size_t bytes, zero_bytes;
} room;
static const char k_workspace[] = "workspace", k_zeros[] = "workspace_zeros";

/// The name of the buffer that holds the address, or NULL; tensors that share
/// a buffer start inside it.
static const char *buffer_at(const run_data *data, const room *workspace,
                             uint64_t address, uint64_t *out_add) {
  *out_add = 0;
  for (int i = 0; i < BUFFER_COUNT; ++i) {
    const run_buffer *b = &data->buffers[i];
    if (address >= b->address && address - b->address < b->bytes) {
      *out_add = address - b->address;
      return b->name;
    }
  }
  if (address < workspace->address ||
      address - workspace->address >= workspace->bytes)
    return NULL;
  *out_add = address - workspace->address;
  if (*out_add < workspace->zero_bytes)
    return k_zeros;
  *out_add -= workspace->zero_bytes;
  return k_workspace;
}

/// Arguments that are not listed read as zero, so only the others are listed.
static void add_argument(cJSON *list, const char *kernarg, size_t index,
                         const run_data *data, const room *workspace) {
  size_t offset = fields[index].offset;
  uint64_t wide = 0;
  uint32_t narrow = 0;
  float real = 0;
  cJSON *entry = cJSON_CreateObject();
  cJSON_AddNumberToObject(entry, "offset", (double)offset);
  bool zero = false;
  switch (fields[index].type) {
  case FIELD_u32:
    memcpy(&narrow, kernarg + offset, sizeof narrow);
    zero = narrow == 0;
    cJSON_AddNumberToObject(entry, "u32", narrow);
    break;
  case FIELD_f32:
    memcpy(&real, kernarg + offset, sizeof real);
    zero = real == 0;
    cJSON_AddNumberToObject(entry, "f32", (double)real);
    break;
  case FIELD_u64:
    memcpy(&wide, kernarg + offset, sizeof wide);
    zero = wide == 0;
    cJSON_AddNumberToObject(entry, "u64", (double)wide);
    break;
  case FIELD_ptr: {
    memcpy(&wide, kernarg + offset, sizeof wide);
    uint64_t add;
    const char *buffer = buffer_at(data, workspace, wide, &add);
    zero = buffer == NULL;
    cJSON_AddStringToObject(entry, "buffer", buffer ? buffer : "");
    if (add)
      cJSON_AddNumberToObject(entry, "add", (double)add);
    break;
  }
  }
  if (zero)
    cJSON_Delete(entry);
  else
    cJSON_AddItemToArray(list, entry);
}

static void add_buffers(cJSON *root, const run_data *data,
                        const room *workspace) {
  cJSON *buffers = cJSON_AddObjectToObject(root, "buffers");
  for (int i = 0; i < BUFFER_COUNT; ++i) {
    const run_buffer *b = &data->buffers[i];
    if (b->bytes == 0)
      continue;
    char name[32];
    cJSON *buffer = cJSON_AddObjectToObject(buffers, b->name);
    cJSON_AddNumberToObject(buffer, "bytes", (double)b->bytes);
    snprintf(name, sizeof name, "%s.bin", b->name);
    cJSON_AddStringToObject(buffer, "file", name);
    if (b->is_output) {
      snprintf(name, sizeof name, "%s.out.bin", b->name);
      cJSON_AddStringToObject(buffer, "out", name);
    }
  }
  const size_t rest = workspace->bytes - workspace->zero_bytes;
  if (rest)
    cJSON_AddNumberToObject(cJSON_AddObjectToObject(buffers, k_workspace),
                            "bytes", (double)rest);
  if (workspace->zero_bytes) {
    cJSON *zeros = cJSON_AddObjectToObject(buffers, k_zeros);
    cJSON_AddNumberToObject(zeros, "bytes", (double)workspace->zero_bytes);
    cJSON_AddNumberToObject(zeros, "fill", 0);
  }
}

static void add_tensors(cJSON *root, const run_data *data) {
  launch_tensor tensors[RUN_TENSORS];
  size_t count = run_tensors(data, tensors);
  cJSON *object = cJSON_AddObjectToObject(root, "tensors");
  for (size_t i = 0; i < count; ++i)
    launch_tensor_add(&tensors[i], data->buffers[tensors[i].buffer].name,
                      object);
  run_tensors_deinit(tensors, count);
}

static void add_size(cJSON *root, const char *key, const uint32_t size[3]) {
  const double numbers[] = {size[0], size[1], size[2]};
  cJSON_AddItemToObject(root, key, cJSON_CreateDoubleArray(numbers, 3));
}

static void add_start(cJSON *object, const fmhac_rt_launch *launch,
                      const run_data *data, const room *workspace) {
  cJSON_AddStringToObject(object, "kernel", launch->kernel);
  add_size(object, "grid", launch->grid);
  add_size(object, "block", launch->block);
  cJSON_AddNumberToObject(object, "dynamic_lds", launch->dynamic_lds_bytes);
  cJSON *arguments = cJSON_AddArrayToObject(object, "kernarg");
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; ++i)
    add_argument(arguments, launch->kernarg, i, data, workspace);
  cJSON_AddNumberToObject(object, "kernarg_bytes",
                          (double)launch->kernarg_bytes);
}

/// One launch stands at the top, several in a list.
static char *describe_launches(const char *code_name,
                               const fmhac_rt_launch *launches, size_t count,
                               const run_data *data, const room *workspace) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "code_object", code_name);
  if (count == 1)
    add_start(root, launches, data, workspace);
  add_buffers(root, data, workspace);
  add_tensors(root, data);
  cJSON *list = count > 1 ? cJSON_AddArrayToObject(root, "launches") : NULL;
  for (size_t i = 0; list && i < count; ++i) {
    cJSON *object = cJSON_CreateObject();
    add_start(object, &launches[i], data, workspace);
    cJSON_AddItemToArray(list, object);
  }
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  return text;
}

bool save_launch(const char *directory, const fmhac_plan *plan,
                 const fmhac_rt_launch *launches, const run_data *data,
                 uint64_t workspace, char error[ERROR_BYTES]) {
  const fmhac_kernel *kernel = fmhac_plan_get_kernel(plan);
  const room of_plan = {workspace, fmhac_plan_workspace_bytes(plan),
                        fmhac_plan_workspace_zero_bytes(plan)};
  const void *code;
  size_t code_bytes;
  char code_name[300];
  if (!directory_create(directory, error))
    return false;
  if (fmhac_kernel_get_code(kernel, &code, &code_bytes) != FMHAC_OK)
    return ERROR_SET(error, "the kernel has no code object");
  snprintf(code_name, sizeof code_name, "%.280s.hsaco",
           fmhac_kernel_get_name(kernel));
  if (!write_in(directory, code_name, code, code_bytes, error))
    return false;
  for (int i = 0; i < BUFFER_COUNT; ++i) {
    const run_buffer *b = &data->buffers[i];
    char name[32];
    snprintf(name, sizeof name, "%s.bin", b->name);
    if (b->bytes && !write_in(directory, name, b->host, b->bytes, error))
      return false;
  }
  char *text = describe_launches(code_name, launches,
                                 fmhac_plan_launch_count(plan), data, &of_plan);
  if (!text)
    return ERROR_SET(error, "no memory for LAUNCH.json");
  bool ok = write_in(directory, "LAUNCH.json", text, strlen(text), error);
  cJSON_free(text);
  return ok;
}
