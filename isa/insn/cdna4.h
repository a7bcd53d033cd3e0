// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The CDNA4 (gfx950) instruction set as a list of mnemonics: the denominator
/// of every coverage figure. What is implemented of it says isa.def.
#ifndef FMHAC_EMU_CDNA4_H
#define FMHAC_EMU_CDNA4_H

#include <stdbool.h>
#include <stddef.h>

typedef enum emu_cdna4_encoding {
  EMU_CDNA4_SOP1,
  EMU_CDNA4_SOP2,
  EMU_CDNA4_SOPC,
  EMU_CDNA4_SOPK,
  EMU_CDNA4_SOPP,
  EMU_CDNA4_SMEM,
  EMU_CDNA4_VOP1,
  EMU_CDNA4_VOP2,
  EMU_CDNA4_VOPC,
  EMU_CDNA4_VOP3,
  EMU_CDNA4_VOP3P,
  EMU_CDNA4_MAI, ///< matrix instructions, encoded in VOP3P
  EMU_CDNA4_DS,
  EMU_CDNA4_MUBUF,
  EMU_CDNA4_MTBUF,
  EMU_CDNA4_FLAT,
  EMU_CDNA4_GLOBAL,
  EMU_CDNA4_SCRATCH,
  EMU_CDNA4_ENCODINGS ///< how many
} emu_cdna4_encoding;

/// Forms of a mnemonic, by LLVM's suffixes.
enum {
  EMU_CDNA4_E32 = 1u << 0,
  EMU_CDNA4_E64 = 1u << 1,
  EMU_CDNA4_SDWA = 1u << 2,
  EMU_CDNA4_DPP = 1u << 3
};

typedef struct emu_cdna4_row {
  const char *mnemonic; ///< without _e32, _e64, _sdwa, _dpp
  emu_cdna4_encoding encoding;
  const char *forms;   ///< "e32 e64 sdwa dpp", or "" if there is but one
  const char *refusal; ///< why it cannot mean anything here, or NULL
} emu_cdna4_row;

/// In the order of cdna4.def.
extern const emu_cdna4_row emu_cdna4_rows[];
extern const unsigned emu_cdna4_row_count;
extern const char *const emu_cdna4_encoding_names[EMU_CDNA4_ENCODINGS];

/// Row of a mnemonic without suffix, or -1.
int emu_cdna4_find(const char *mnemonic);
/// Cuts the suffix of `mnemonic` off; returns which (EMU_CDNA4_*), or 0.
unsigned emu_cdna4_strip(char *mnemonic);
/// Forms as in emu_cdna4_row.forms.
void emu_cdna4_forms_text(unsigned forms, char *text, size_t text_bytes);

#endif // FMHAC_EMU_CDNA4_H
