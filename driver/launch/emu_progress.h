// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// How far a launch on the emulator is, and how long it will take: a line on a
/// terminal, and wherever standard error goes one note if it will be long.
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
/// What the line says after `seconds`, in which `done` of `all` workgroups
/// ended, at least one.
void emu_progress_text(uint64_t done, uint64_t all, double seconds,
                       char text[EMU_PROGRESS_BYTES]);
/// Whether it is worth a note: for some seconds it has run, and what is left
/// takes over a minute.
bool emu_progress_is_long(uint64_t done, uint64_t all, double seconds);

#endif // FMHAC_DRIVER_EMU_PROGRESS_H
