// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags that steer the emulator: --check --sched --landing --threads
/// --alignment --descriptors --placement --hazards.
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
  int64_t threads;         ///< 0: one a processor
  const char *alignment;   ///< hardware | natural
  const char *descriptors; ///< exact | mapped | carry
  const char *placement;   ///< default | adversarial
  const char *hazards;     ///< report | effect
  bool quiet;              ///< of --quiet: no line of progress
} emu_flags;

// What the flags take, and what they are for. Completion in shells reads the
// values: words, word:NUMBER, word[:NUMBER], and lists with commas.
#define EMU_CHECK_VALUES "none|all|mem,wait,race,init,sync,hazard"
#define EMU_CHECK_HELP "what is looked for (default mem,sync,wait)"
#define EMU_SCHED_VALUES "rr[:N]|until-blocked|random:SEED"
#define EMU_SCHED_HELP "order of the waves (default rr:4)"
#define EMU_LANDING_VALUES "default|early|late|random:SEED|after:N[:L]"
#define EMU_LANDING_HELP "when data of loads arrives"
#define EMU_ALIGNMENT_VALUES "hardware|natural"
#define EMU_ALIGNMENT_HELP "what --check=mem takes for misaligned"
#define EMU_DESCRIPTORS_VALUES "exact|mapped|carry"
#define EMU_DESCRIPTORS_HELP                                                   \
  "what buffer descriptors do: mapped needs all of num_records, carry loses "  \
  "carries"
#define EMU_PLACEMENT_VALUES "default|adversarial"
#define EMU_PLACEMENT_HELP                                                     \
  "where buffers without a base lie; adversarial: across 4 GiB"
#define EMU_HAZARDS_VALUES "report|effect"
#define EMU_HAZARDS_HELP                                                       \
  "what missing wait states do; effect: results as hardware has them, too"
/// Rows of a table of flags for `emu`, an emu_flags.
#define EMU_MACHINE_FLAGS(emu)                                                 \
  {"alignment", EMU_ALIGNMENT_VALUES, EMU_ALIGNMENT_HELP, FLAG_TEXT,           \
   &(emu).alignment},                                                          \
      {"descriptors", EMU_DESCRIPTORS_VALUES, EMU_DESCRIPTORS_HELP, FLAG_TEXT, \
       &(emu).descriptors},                                                    \
      {"placement", EMU_PLACEMENT_VALUES, EMU_PLACEMENT_HELP, FLAG_TEXT,       \
       &(emu).placement},                                                      \
  {                                                                            \
    "hazards", EMU_HAZARDS_VALUES, EMU_HAZARDS_HELP, FLAG_TEXT, &(emu).hazards \
  }
#define EMU_THREADS_HELP                                                       \
  "host threads of the emulator, at most 256 (default one a processor)"

/// True if any of them was given.
bool emu_flags_given(const emu_flags *flags);

/// Options of the emulator from the flags, over its defaults. False with a text
/// if a value is none.
bool emu_flags_apply(const emu_flags *flags, fmhac_emu_options *out_options,
                     char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_EMU_FLAGS_H
