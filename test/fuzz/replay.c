// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Feeds files to a fuzz target without libFuzzer, so that whatever was found
// once is a test of every build. Arguments: files, or folders of files.
#include <dirent.h>
#include <string.h>
#include <sys/stat.h>

#include "fuzz.h"

/// The file that is being replayed is named before a crash can come.
static void replay_file(const char *path) {
  FILE *file = fopen(path, "rb");
  struct stat status;
  if (!file || fstat(fileno(file), &status) != 0) {
    perror(path);
    exit(2);
  }
  size_t size = (size_t)status.st_size;
  // Exactly as long as the input, so that a sanitizer sees its end.
  uint8_t *bytes = malloc(size ? size : 1);
  if (!bytes || fread(bytes, 1, size, file) != size) {
    perror(path);
    exit(2);
  }
  fclose(file);
  fprintf(stderr, "replaying %s (%zu bytes)\n", path, size);
  LLVMFuzzerTestOneInput(bytes, size);
  free(bytes);
}

static int by_name(const struct dirent **a, const struct dirent **b) {
  return strcmp((*a)->d_name, (*b)->d_name);
}

static size_t replay_folder(const char *folder) {
  struct dirent **entries;
  int count = scandir(folder, &entries, NULL, by_name);
  if (count < 0) {
    perror(folder);
    exit(2);
  }
  size_t replayed = 0;
  for (int i = 0; i < count; ++i) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    struct stat status;
    if (stat(path, &status) == 0 && S_ISREG(status.st_mode)) {
      replay_file(path);
      ++replayed;
    }
    free(entries[i]);
  }
  free(entries);
  return replayed;
}

int main(int argc, char **argv) {
  size_t replayed = 0;
  for (int i = 1; i < argc; ++i) {
    struct stat status;
    if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode)) {
      replayed += replay_folder(argv[i]);
    } else {
      replay_file(argv[i]);
      ++replayed;
    }
  }
  // A corpus that is not there would pass as one without faults.
  if (!replayed) {
    fprintf(stderr, "%s: expected files or folders of files, found none\n",
            argv[0]);
    return 2;
  }
  printf("%zu inputs\n", replayed);
  return 0;
}
