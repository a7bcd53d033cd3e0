/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiles a configuration to a file, and shows that the file is enough: reads
 * it back, as another program would, and launches it.
 *
 *   compile_to_file [FILE.hsaco [DEVICE]] */
#include <stdio.h>
#include <stdlib.h>

#include "problem.h"

static bool write_file(const char *path, const void *bytes, size_t size) {
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(bytes, 1, size, file) == size;
  if (file && fclose(file) != 0)
    ok = false;
  if (!ok)
    perror(path);
  return ok;
}

static void *read_file(const char *path, size_t *out_size) {
  FILE *file = fopen(path, "rb");
  long size = -1;
  void *bytes = NULL;
  if (file && fseek(file, 0, SEEK_END) == 0)
    size = ftell(file);
  if (size > 0 && fseek(file, 0, SEEK_SET) == 0)
    bytes = malloc((size_t)size);
  *out_size = (size_t)size;
  if (bytes && fread(bytes, 1, *out_size, file) != *out_size) {
    free(bytes);
    bytes = NULL;
  }
  if (!bytes)
    perror(path);
  if (file)
    fclose(file);
  return bytes;
}

/* The code object of a configuration, in a file. */
static fmhac_status compile(fmhac_context *context, const char *json,
                            const char *path) {
  fmhac_config *config = NULL;
  fmhac_kernel *kernel = NULL;
  const void *code;
  size_t bytes;
  fmhac_status status = fmhac_config_create_json(context, json, &config);
  if (status == FMHAC_OK)
    status = fmhac_compile(context, config, &kernel);
  if (status == FMHAC_OK)
    status = fmhac_kernel_get_code(kernel, &code, &bytes);
  if (status == FMHAC_OK && !write_file(path, code, bytes))
    status = FMHAC_IO_ERROR;
  fmhac_kernel_destroy(kernel);
  fmhac_config_destroy(config);
  return status;
}

int main(int argc, char **argv) {
  const char *path = argc > 1 ? argv[1] : "attention.hsaco";
  const char *uri = argc > 2 ? argv[2] : "emu";
  fmhac_context *context = NULL;
  fmhac_kernel *kernel = NULL;
  fmhac_rt_device *device = NULL;
  void *bytes = NULL;
  size_t size = 0;
  bool right = false;
  char why[512] = "";

  fmhac_status status = fmhac_context_create(NULL, &context);
  if (status == FMHAC_OK)
    status =
        compile(context, "{\"head_dim\": 128, \"mask\": \"causal\"}", path);
  if (status == FMHAC_OK && !(bytes = read_file(path, &size)))
    status = FMHAC_IO_ERROR;
  if (status == FMHAC_OK)
    status = fmhac_kernel_create_from_code(context, bytes, size, &kernel);
  free(bytes); /* the kernel has a copy */

  fmhac_problem sizes = {.size = sizeof sizes,
                         .batch = 1,
                         .heads_q = 2,
                         .heads_kv = 1,
                         .seqlen_q = 130,
                         .seqlen_kv = 200};
  if (status == FMHAC_OK)
    status = fmhac_rt_device_open_with_text(uri, why, sizeof why, &device);
  if (status == FMHAC_OK)
    right = problem_run(context, kernel, device, sizes, 128, true, path);
  int code = status == FMHAC_OK ? (right ? EXIT_SUCCESS : EXIT_FAILURE)
                                : problem_fail(status, context, device, why);

  fmhac_rt_device_close(device);
  fmhac_kernel_destroy(kernel);
  fmhac_context_destroy(context);
  return code;
}
