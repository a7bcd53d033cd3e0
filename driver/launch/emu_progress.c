// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "emu_progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "seconds.h"
#include "streams.h"

/// Seconds from which the line is shown, and between two of them; seconds from
/// which the rate is taken for steady; seconds left that are worth a note.
static const double first_line = 1, line_step = 0.25, steady = 5, is_long = 60;

static double seconds_left(uint64_t done, uint64_t all, double seconds) {
  return seconds / (double)done * (double)(all - done);
}

void emu_progress_text(uint64_t done, uint64_t all, double seconds,
                       char text[EMU_PROGRESS_BYTES]) {
  static const struct {
    const char *unit;
    double seconds, most; ///< of a unit; seconds that it is used up to
  } units[] = {{"s", 1, 120},
               {"minutes", 60, 120 * 60.0},
               {"hours", 3600, 48 * 3600.0},
               {"days", 86400, 0}};
  const double left = seconds_left(done, all, seconds);
  size_t i = 0;
  while (units[i].most > 0 && left > units[i].most)
    i++;
  snprintf(text, EMU_PROGRESS_BYTES,
           "%" PRIu64 " of %" PRIu64
           " workgroups in %.0f s, %.3g a second, about %.0f %s left",
           done, all, seconds, (double)done / seconds, left / units[i].seconds,
           units[i].unit);
}

bool emu_progress_is_long(uint64_t done, uint64_t all, double seconds) {
  return seconds >= steady && seconds_left(done, all, seconds) > is_long;
}

static void print_note(emu_progress *p, const char *text) {
  p->noted = true;
  if (p->shown)
    fputs("\r\033[K", stderr);
  fprintx(stderr,
          "fmhac: note: the emulator executes every instruction: %s; a part of "
          "the grid needs less\n",
          text);
}

static void on_progress(void *user, uint64_t done, uint64_t all) {
  emu_progress *p = user;
  const double seconds = seconds_now() - p->started;
  if (seconds < first_line || seconds < p->next || !done)
    return;
  p->next = seconds + line_step;
  char text[EMU_PROGRESS_BYTES];
  emu_progress_text(done, all, seconds, text);
  if (!p->noted && emu_progress_is_long(done, all, seconds))
    print_note(p, text);
  if (!p->is_terminal)
    return;
  p->shown = true;
  fprintx(stderr, "\r%s\033[K", text);
}

void emu_progress_attach(emu_progress *progress, fmhac_emu_options *options) {
  progress->is_terminal = isatty(STDERR_FILENO);
  options->progress = on_progress;
  options->progress_user = progress;
}

void emu_progress_begin(emu_progress *progress) {
  progress->started = seconds_now();
  progress->next = 0;
  progress->shown = false;
}

void emu_progress_end(emu_progress *progress) {
  if (progress->shown)
    fputs("\r\033[K", stderr);
  progress->shown = false;
}
