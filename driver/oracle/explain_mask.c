// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "explain_mask.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "fmhac_schedule.h"
#include "session.h"
#include "streams.h"
#include "tile_map.h"

enum { MOST_ROWS = INT32_MAX };

/// The tile of the schedule for the sizes of the map and the usual heads, or of
/// that of an unsupported configuration.
static int find_tile(const session *s, const explain_mask_flags *flags,
                     tile_map *map, fmhac_schedule_choice *out_choice) {
  fmhac_support support = {.size = sizeof support};
  fmhac_status status = fmhac_query(s->context, s->config, &support);
  if (status != FMHAC_OK)
    return session_fail(s, status);
  if (flags->tile)
    return ARGS_CONTINUE;
  const uint32_t heads = (uint32_t)option_integer(NULL, "heads");
  const fmhac_problem problem = {sizeof problem,
                                 (uint32_t)option_integer(NULL, "batch"),
                                 heads,
                                 heads,
                                 (uint32_t)map->rows,
                                 (uint32_t)map->keys,
                                 0,
                                 0};
  const int code = support.supported
                       ? session_find_entry(s, &problem, out_choice)
                       : ARGS_CONTINUE;
  if (code != ARGS_CONTINUE)
    return code;
  if (out_choice->line && option_text(s->options, "score_mod")[0])
    report_message(s->r, MESSAGE_NOTE,
                   "schedule %s is a table's: if it does not fit with the "
                   "score_mod, a compilation may take another, and says so",
                   out_choice->schedule);
  if (!support.supported)
    snprintf(out_choice->schedule, sizeof out_choice->schedule, "%s",
             support.schedule);
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
