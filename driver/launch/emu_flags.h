// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The flags of the emulator: --check --sched --landing --threads --alignment
/// --descriptors --placement --hazards.
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

// The values and the help texts of the flags. Shell completion reads the
// values: words, word:NUMBER, word[:NUMBER], and lists with commas.
#define EMU_CHECK_VALUES "none|all|mem,wait,race,init,sync,hazard"
#define EMU_CHECK_HELP "checks to run (default mem,sync,wait)"
#define EMU_SCHED_VALUES "rr[:N]|until-blocked|random:SEED"
#define EMU_SCHED_HELP "order of the waves (default rr:4)"
#define EMU_LANDING_VALUES "default|early|late|random:SEED|after:N[:L]"
#define EMU_LANDING_HELP                                                       \
  "completion: when the data of outstanding loads arrives"
#define EMU_ALIGNMENT_VALUES "hardware|natural"
#define EMU_ALIGNMENT_HELP "alignment that --check=mem requires of an access"
#define EMU_DESCRIPTORS_VALUES "exact|mapped|carry"
#define EMU_DESCRIPTORS_HELP                                                   \
  "behaviour of buffer descriptors: with mapped all of num_records must be "   \
  "mapped, with carry an address loses carries"
#define EMU_PLACEMENT_VALUES "default|adversarial"
#define EMU_PLACEMENT_HELP                                                     \
  "addresses of buffers without a base; adversarial: across 4 GiB"
#define EMU_HAZARDS_VALUES "report|effect"
#define EMU_HAZARDS_HELP                                                       \
  "missing wait states: report them; effect also changes results as on "       \
  "hardware"
#define EMU_THREADS_HELP                                                       \
  "host threads of the emulator, at most 256 (default: one per processor)"
/// Rows of a table of flags for `emu`, an emu_flags.
#define EMU_FLAGS(emu)                                                         \
  {"check", EMU_CHECK_VALUES, EMU_CHECK_HELP, FLAG_TEXT, &(emu).check},        \
      {"sched", EMU_SCHED_VALUES, EMU_SCHED_HELP, FLAG_TEXT, &(emu).sched},    \
      {"landing", EMU_LANDING_VALUES, EMU_LANDING_HELP, FLAG_TEXT,             \
       &(emu).landing},                                                        \
      {"threads", "N", EMU_THREADS_HELP, FLAG_INTEGER, &(emu).threads},        \
      {"alignment", EMU_ALIGNMENT_VALUES, EMU_ALIGNMENT_HELP, FLAG_TEXT,       \
       &(emu).alignment},                                                      \
      {"descriptors", EMU_DESCRIPTORS_VALUES, EMU_DESCRIPTORS_HELP, FLAG_TEXT, \
       &(emu).descriptors},                                                    \
      {"placement", EMU_PLACEMENT_VALUES, EMU_PLACEMENT_HELP, FLAG_TEXT,       \
       &(emu).placement},                                                      \
  {                                                                            \
    "hazards", EMU_HAZARDS_VALUES, EMU_HAZARDS_HELP, FLAG_TEXT, &(emu).hazards \
  }

/// True if any of them was given.
bool emu_flags_given(const emu_flags *flags);

/// Options of the emulator from the flags, over its defaults. False with a text
/// if a value is malformed.
bool emu_flags_apply(const emu_flags *flags, fmhac_emu_options *out_options,
                     char error[ERROR_BYTES]);

#endif // FMHAC_DRIVER_EMU_FLAGS_H
