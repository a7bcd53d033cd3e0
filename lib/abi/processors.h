// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How many threads are worth starting: the processors that this process may
/// use, not those that the machine has. In a container of 2 processors on a
/// machine of 64, 64 threads take turns on 2.
#ifndef FMHAC_PROCESSORS_H
#define FMHAC_PROCESSORS_H

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The first line of the file, without its end; false if there is none.
static inline bool fmhac_processors_line(const char *path, char *line,
                                         size_t bytes) {
  FILE *file = fopen(path, "re");
  const bool ok = file && fgets(line, (int)bytes, file);
  if (file)
    fclose(file);
  if (ok)
    line[strcspn(line, "\n")] = 0;
  return ok;
}

/// Processors, rounded up, that "QUOTA PERIOD" (cpu.max, in microseconds of
/// each period) allows; 0 if it sets no limit ("max PERIOD", "-1 PERIOD").
static inline uint32_t fmhac_processors_of_quota(const char *text) {
  char *end;
  const long long quota = strtoll(text, &end, 10);
  if (end == text || quota <= 0)
    return 0;
  const long long period = strtoll(end, &end, 10);
  if (period <= 0)
    return 0;
  const long long all = quota / period + (quota % period != 0);
  return all > INT_MAX ? 0 : (uint32_t)all;
}

/// The quota of one cgroup, whose files are in `folder`: cpu.max of version 2,
/// cpu.cfs_quota_us and cpu.cfs_period_us of version 1; 0: none.
static inline uint32_t fmhac_processors_of_folder(const char *folder) {
  char path[PATH_MAX], line[64], period[32];
  int n = snprintf(path, sizeof path, "%s/cpu.max", folder);
  if (n < 0 || (size_t)n + 32 > sizeof path)
    return 0;
  if (fmhac_processors_line(path, line, sizeof line))
    return fmhac_processors_of_quota(line);
  snprintf(path + n - 7, sizeof path - (size_t)n + 7, "cpu.cfs_quota_us");
  if (!fmhac_processors_line(path, line, 31))
    return 0;
  snprintf(path + n - 7, sizeof path - (size_t)n + 7, "cpu.cfs_period_us");
  if (!fmhac_processors_line(path, period, sizeof period))
    return 0;
  const size_t length = strlen(line);
  snprintf(line + length, sizeof line - length, " %s", period);
  return fmhac_processors_of_quota(line);
}

/// The smallest quota of a cgroup and its parents, up to the mount point of the
/// hierarchy; 0: none. A path that does not exist below the mount belongs to
/// another namespace: its existing parents count.
static inline uint32_t fmhac_processors_of_group(const char *mount,
                                                 const char *group) {
  char folder[PATH_MAX];
  const size_t top = strlen(mount);
  uint32_t least = 0;
  // A path outside of this namespace's root ("/../x") is not visible.
  if (strstr(group, "/.."))
    group = "";
  const int n = snprintf(folder, sizeof folder, "%s%s", mount, group);
  if (n < 0 || (size_t)n >= sizeof folder)
    return 0;
  for (char *end = folder + n;;) {
    *end = 0;
    const uint32_t quota = fmhac_processors_of_folder(folder);
    if (quota && (!least || quota < least))
      least = quota;
    if (end <= folder + top)
      return least;
    while (end > folder + top && *--end != '/') {
    }
  }
}

/// Whether a cgroup of version 1 has the controller "cpu": `names` is
/// "cpu,cpuacct", "memory" and the like.
static inline bool fmhac_processors_has_cpu(const char *names) {
  for (const char *at = names; at; at = strchr(at, ',')) {
    at += *at == ',';
    if (strncmp(at, "cpu", 3) == 0 && (!at[3] || at[3] == ','))
      return true;
  }
  return false;
}

/// Processors that the cgroups of this process allow (cgroups(7)), rounded up;
/// 0: they set no limit. `root` is "" or, in tests, a folder that stands for
/// "/". Reads proc/self/cgroup and the hierarchies in sys/fs/cgroup.
static inline uint32_t fmhac_processors_of_cgroups(const char *root) {
  char path[PATH_MAX], mount[PATH_MAX], line[PATH_MAX];
  uint32_t least = 0;
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *file = fopen(path, "re");
  // "0::GROUP" of version 2, "N:NAMES:GROUP" of version 1.
  while (file && fgets(line, sizeof line, file)) {
    line[strcspn(line, "\n")] = 0;
    char *names = strchr(line, ':'), *group = names;
    if (names)
      group = strchr(++names, ':');
    if (!group)
      continue;
    *group++ = 0;
    // Where version 1 exists too, version 2 is mounted below it.
    const bool is_v2 = !*names;
    if (!is_v2 && !fmhac_processors_has_cpu(names))
      continue;
    const char *const mounts[] = {is_v2 ? "" : "/cpu",
                                  is_v2 ? "/unified" : "/cpu,cpuacct"};
    for (int i = 0; i < 2; i++) {
      snprintf(mount, sizeof mount, "%s/sys/fs/cgroup%s", root, mounts[i]);
      const uint32_t quota = fmhac_processors_of_group(mount, group);
      if (quota && (!least || quota < least))
        least = quota;
    }
  }
  if (file)
    fclose(file);
  return least;
}

/// Processors that this process may use: those of its affinity mask, and no
/// more than its cgroups allow; at least 1. Opens a few files.
static inline uint32_t fmhac_processors(void) {
  cpu_set_t sets[64]; // 65536 processors
  int count = sched_getaffinity(0, sizeof sets, sets) == 0
                  ? CPU_COUNT_S(sizeof sets, sets)
                  : 1;
  if (count <= 1)
    return 1;
  const uint32_t quota = fmhac_processors_of_cgroups("");
  return quota && quota < (uint32_t)count ? quota : (uint32_t)count;
}

#endif // FMHAC_PROCESSORS_H
