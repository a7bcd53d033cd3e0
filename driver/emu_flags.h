// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags that steer the emulator: --check --sched --landing --threads
/// --alignment --descriptors --placement.
#ifndef FMHAC_DRIVER_EMU_FLAGS_H
#define FMHAC_DRIVER_EMU_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "files.h"
#include "fmhac_emu.h"

/// As written; NULL and 0 where a flag was not given.
typedef struct emu_flags {
  const char *check;       ///< none | all | mem,wait,race,init,sync,hazard
  const char *sched;       ///< rr[:QUANTUM] | until-blocked | random:SEED
  const char *landing;     ///< default | early | late | random:SEED |
                           ///< after:N[:L]
  int64_t threads;         ///< 0: one a core
  const char *alignment;   ///< hardware | natural
  const char *descriptors; ///< exact | mapped | carry
  const char *placement;   ///< default | adversarial
} emu_flags;

#define EMU_CHECK_HELP                                                         \
  "checkers: none, all, or of "                                                \
  "mem,wait,race,init,sync,hazard (default mem,sync,wait)"
#define EMU_SCHED_HELP                                                         \
  "order of the waves: rr[:QUANTUM] until-blocked random:SEED"
#define EMU_LANDING_HELP                                                       \
  "when data of loads arrives: default early late random:SEED "                \
  "after:N[:L]"
#define EMU_ALIGNMENT_HELP                                                     \
  "what --check=mem takes for misaligned: hardware natural"
#define EMU_DESCRIPTORS_HELP                                                   \
  "what buffer descriptors do: exact mapped (all of num_records) carry (lost)"
#define EMU_PLACEMENT_HELP                                                     \
  "where buffers without a base lie: default adversarial (across 4 GiB)"
/// Rows of a table of flags for `emu`, an emu_flags.
#define EMU_MEMORY_FLAGS(emu)                                                  \
  {"alignment", "MODE", EMU_ALIGNMENT_HELP, FLAG_TEXT, &(emu).alignment},      \
      {"descriptors", "MODE", EMU_DESCRIPTORS_HELP, FLAG_TEXT,                 \
       &(emu).descriptors},                                                    \
  {                                                                            \
    "placement", "MODE", EMU_PLACEMENT_HELP, FLAG_TEXT, &(emu).placement       \
  }
#define EMU_THREADS_HELP "host threads of the emulator (default one a core)"

/// True if any of them was given.
bool emu_flags_given(const emu_flags *flags);

/// Options of the emulator from the flags, over its defaults. False with a text
/// if a value is none.
bool emu_flags_apply(const emu_flags *flags, fmhac_emu_options *out_options,
                     char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_EMU_FLAGS_H
