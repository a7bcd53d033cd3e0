// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explain_mask.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "fmhac_schedule.h"
#include "launch_expr.h"
#include "session.h"
#include "streams.h"
#include "tile_map.h"

enum { MOST_ROWS = INT32_MAX };

/// Whether a plan takes an entry for the sizes of a map, and the usual heads.
static bool is_for(const char *when, const tile_map *map) {
  int64_t holds = 1;
  size_t offset;
  fmhac_launch_expr expr;
  const int64_t heads = option_integer(NULL, "heads");
  const int64_t sizes[FMHAC_LAUNCH_NAMES] = {
      [FMHAC_LAUNCH_SQ] = map->rows,
      [FMHAC_LAUNCH_SK] = map->keys,
      [FMHAC_LAUNCH_B] = option_integer(NULL, "batch"),
      [FMHAC_LAUNCH_HQ] = heads,
      [FMHAC_LAUNCH_HK] = heads,
      [FMHAC_LAUNCH_CUS] = 256, // of MI350X and MI355X
      [FMHAC_LAUNCH_SPLITS] = 1};
  return !when[0] ||
         (fmhac_launch_expr_parse(when, true, &expr, &offset) &&
          fmhac_launch_expr_evaluate(&expr, sizes, &holds) && holds);
}

/// The schedule of the entry for these sizes, or of an unsupported
/// configuration.
static int find_schedule(const session *s, const explain_mask_flags *flags,
                         const tile_map *map,
                         fmhac_schedule_choice *out_choice) {
  fmhac_support support = {.size = sizeof support};
  fmhac_status status = fmhac_query(s->context, s->config, &support);
  for (size_t i = 0; status == FMHAC_OK && i < support.entry_count; ++i) {
    status = fmhac_query_schedule(s->context, s->config, i, out_choice);
    if (status == FMHAC_OK && is_for(out_choice->when, map))
      return ARGS_CONTINUE;
  }
  if (status != FMHAC_OK)
    return session_fail(s, status);
  if (support.supported && !flags->tile)
    return report_error(s->r, EXIT_UNSUPPORTED,
                        "--explain-mask: no schedule of \"%s\" takes %" PRId64
                        " rows and %" PRId64 " keys; give sizes that one takes "
                        "by --seqlen-q and --seqlen-kv",
                        support.schedule, map->rows, map->keys);
  snprintf(out_choice->schedule, sizeof out_choice->schedule, "%s",
           support.schedule);
  return ARGS_CONTINUE;
}

/// The tile of the schedule for the sizes of the map.
static int find_tile(const session *s, const explain_mask_flags *flags,
                     tile_map *map, fmhac_schedule_choice *out_choice) {
  const int code = find_schedule(s, flags, map, out_choice);
  if (code != ARGS_CONTINUE || flags->tile)
    return code;
  fmhac_status status = FMHAC_OK;
  char error[ERROR_BYTES];
  void *file = NULL;
  size_t size;
  const char *path = out_choice->schedule;
  const char *text = fmhac_schedule_text(path);
  if (!text && file_read(path, &file, &size, error))
    text = file;
  if (text)
    status = fmhac_schedule_get_tile(s->context, text, path, &map->tile_m,
                                     &map->tile_n);
  free(file);
  if (!text)
    return report_error(s->r, EXIT_USAGE, "schedule: %s", error);
  return status == FMHAC_OK ? ARGS_CONTINUE : session_fail(s, status);
}

/// "M,N", both at least 1.
static bool parse_tile(const char *text, tile_map *map) {
  char *end;
  map->tile_m = strtoll(text, &end, 10);
  if (end == text || *end != ',')
    return false;
  text = end + 1;
  map->tile_n = strtoll(text, &end, 10);
  return end != text && !*end && map->tile_m >= 1 && map->tile_n >= 1 &&
         map->tile_m <= MOST_ROWS && map->tile_n <= MOST_ROWS;
}

static cJSON *describe(const tile_map *map, const explain_mask_flags *flags,
                       const char *schedule) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "mask", flags->mask);
  cJSON_AddNumberToObject(object, "seqlen_q", (double)map->rows);
  cJSON_AddNumberToObject(object, "seqlen_kv", (double)map->keys);
  const double tile[] = {(double)map->tile_m, (double)map->tile_n};
  cJSON_AddItemToObject(object, "tile", cJSON_CreateDoubleArray(tile, 2));
  if (!flags->tile)
    cJSON_AddStringToObject(object, "schedule", schedule);
  cJSON_AddNumberToObject(object, "visited", (double)(map->whole + map->cut));
  cJSON_AddNumberToObject(object, "cut", (double)map->cut);
  cJSON_AddNumberToObject(object, "total",
                          (double)(map->tile_rows * map->tile_cols));
  cJSON *rows = cJSON_AddArrayToObject(object, "rows");
  for (int64_t row = 0; row < map->tile_rows; ++row) {
    char *cells =
        strndup(map->cells + row * map->tile_cols, (size_t)map->tile_cols);
    cJSON_AddItemToArray(rows, cJSON_CreateString(cells ? cells : ""));
    free(cells);
  }
  return object;
}

static int write_svg(const report *r, const tile_map *map, const char *title,
                     const char *file) {
  char error[ERROR_BYTES];
  char *svg = tile_map_svg(map, title);
  int code = ARGS_CONTINUE;
  if (!svg)
    code = report_error(r, EXIT_DEVICE, "no memory for the image");
  else if (!file_write(file, svg, strlen(svg), error))
    code = report_error(r, EXIT_USAGE, "%s", error);
  free(svg);
  return code;
}

static int show(const report *r, const explain_mask_flags *flags,
                const tile_map *map, const char *schedule) {
  char title[240];
  snprintf(title, sizeof title,
           "mask %.60s, Sq %" PRId64 ", Sk %" PRId64 ", tiles of %" PRId64
           " rows x %" PRId64 " keys%s%.60s",
           flags->mask, map->rows, map->keys, map->tile_m, map->tile_n,
           flags->tile ? "" : " of schedule ", flags->tile ? "" : schedule);
  if (flags->svg) {
    int code = write_svg(r, map, title, flags->svg);
    if (code != ARGS_CONTINUE)
      return code;
  }
  if (r->json)
    return report_json(describe(map, flags, schedule), EXIT_DONE);
  // The image may be on standard output.
  if (flags->svg && strcmp(flags->svg, "-") == 0)
    return EXIT_DONE;
  char *text = tile_map_text(map);
  if (!text)
    return report_error(r, EXIT_DEVICE, "no memory for the map");
  printx("%s\n%c whole, %c cut, %c not visited\n\n", title, TILE_WHOLE,
         TILE_CUT, TILE_HIDDEN);
  print_text(stdout, text);
  free(text);
  return EXIT_DONE;
}

/// The map of a configuration that was read.
static int explain(const session *s, const explain_mask_flags *flags) {
  const report *r = s->r;
  attention_mask mask;
  tile_map map = {0}, sizes = {0};
  fmhac_schedule_choice choice = {.size = sizeof choice};
  sizes.rows =
      flags->seqlen_q >= 0 ? flags->seqlen_q : option_integer(NULL, "seqlen_q");
  sizes.keys = flags->seqlen_kv >= 0 ? flags->seqlen_kv
                                     : option_integer(NULL, "seqlen_kv");
  if (sizes.rows < 1 || sizes.rows > MOST_ROWS || sizes.keys < 1 ||
      sizes.keys > MOST_ROWS)
    return report_error(r, EXIT_USAGE,
                        "--seqlen-q, --seqlen-kv: expected 1 to %d", MOST_ROWS);
  if (flags->tile && !parse_tile(flags->tile, &sizes))
    return report_error(r, EXIT_USAGE,
                        "--tile: expected M,N of at least 1, found '%.40s'",
                        flags->tile);
  int code = find_tile(s, flags, &sizes, &choice);
  if (code != ARGS_CONTINUE)
    return code;
  if (!attention_mask_parse(flags->mask, &mask))
    return report_error(r, EXIT_UNSUPPORTED, "no map of mask %.60s",
                        flags->mask);
  if (!tile_map_init(&mask, sizes.rows, sizes.keys, sizes.tile_m, sizes.tile_n,
                     &map)) {
    code = report_error(r, EXIT_USAGE,
                        "a map of %" PRId64 " x %" PRId64
                        " tiles is too large; give a larger --tile",
                        map.tile_rows, map.tile_cols);
    tile_map_deinit(&map);
    return code;
  }
  code = show(r, flags, &map, choice.schedule);
  tile_map_deinit(&map);
  return code;
}

int explain_mask(const report *r, const args *a,
                 const explain_mask_flags *flags) {
  session s;
  // The library reads the mask, because its error messages are the best.
  cJSON_DeleteItemFromObjectCaseSensitive(a->options, "mask");
  cJSON_AddStringToObject(a->options, "mask", flags->mask);
  int code = session_open(a, r, (session_options){0}, &s);
  if (code == ARGS_CONTINUE)
    code = explain(&s, flags);
  session_close(&s);
  return code;
}
