// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The progress of a launch on the emulator and the expected time: a line on a
/// terminal, and one note on standard error, terminal or not, if the launch
/// will be long.
#ifndef FMHAC_DRIVER_EMU_PROGRESS_H
#define FMHAC_DRIVER_EMU_PROGRESS_H

#include <stdbool.h>

#include "fmhac_emu.h"

typedef struct emu_progress {
  double started; ///< seconds_now() when the launch began
  double next;    ///< seconds of the launch at which the line changes
  bool is_terminal;
  bool shown;
  bool noted; ///< of this launch or an earlier one
} emu_progress;

/// Makes `options` report to `progress`, which must outlive the launch.
void emu_progress_attach(emu_progress *progress, fmhac_emu_options *options);
void emu_progress_begin(emu_progress *progress);
/// Removes the line.
void emu_progress_end(emu_progress *progress);

enum { EMU_PROGRESS_BYTES = 160 };
/// The text of the line after `seconds`, in which `done` of `all` workgroups
/// ended, at least one.
void emu_progress_text(uint64_t done, uint64_t all, double seconds,
                       char text[EMU_PROGRESS_BYTES]);
/// Whether a note is useful: the run has taken some seconds, and the rest takes
/// over a minute.
bool emu_progress_is_long(uint64_t done, uint64_t all, double seconds);

#endif // FMHAC_DRIVER_EMU_PROGRESS_H
