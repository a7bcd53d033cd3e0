// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The CDNA4 (gfx950) instruction set as a list of mnemonics: the denominator
/// of every coverage figure. isa.def has the implemented instructions.
#ifndef FMHAC_ISA_CDNA4_H
#define FMHAC_ISA_CDNA4_H

#include <stdbool.h>
#include <stddef.h>

typedef enum isa_cdna4_encoding {
  ISA_CDNA4_SOP1,
  ISA_CDNA4_SOP2,
  ISA_CDNA4_SOPC,
  ISA_CDNA4_SOPK,
  ISA_CDNA4_SOPP,
  ISA_CDNA4_SMEM,
  ISA_CDNA4_VOP1,
  ISA_CDNA4_VOP2,
  ISA_CDNA4_VOPC,
  ISA_CDNA4_VOP3,
  ISA_CDNA4_VOP3P,
  ISA_CDNA4_MAI, ///< matrix instructions, encoded in VOP3P
  ISA_CDNA4_DS,
  ISA_CDNA4_MUBUF,
  ISA_CDNA4_MTBUF,
  ISA_CDNA4_FLAT,
  ISA_CDNA4_GLOBAL,
  ISA_CDNA4_SCRATCH,
  ISA_CDNA4_ENCODINGS ///< number of encodings
} isa_cdna4_encoding;

/// Forms of a mnemonic, by LLVM's suffixes.
enum {
  ISA_CDNA4_E32 = 1u << 0,
  ISA_CDNA4_E64 = 1u << 1,
  ISA_CDNA4_SDWA = 1u << 2,
  ISA_CDNA4_DPP = 1u << 3
};

typedef struct isa_cdna4_row {
  const char *mnemonic; ///< without _e32, _e64, _sdwa, _dpp
  isa_cdna4_encoding encoding;
  const char *forms;   ///< "e32 e64 sdwa dpp", or "": only one
  const char *refusal; ///< why it has no meaning here, or NULL
} isa_cdna4_row;

/// In the order of cdna4.def.
extern const isa_cdna4_row isa_cdna4_rows[];
extern const unsigned isa_cdna4_row_count;
extern const char *const isa_cdna4_encoding_names[ISA_CDNA4_ENCODINGS];

/// Row of a mnemonic without suffix, or -1.
int isa_cdna4_find(const char *mnemonic);
/// Removes the suffix of `mnemonic`; returns its form (ISA_CDNA4_*), or 0.
unsigned isa_cdna4_strip(char *mnemonic);
/// Forms as in isa_cdna4_row.forms.
void isa_cdna4_forms_text(unsigned forms, char *text, size_t text_bytes);

#endif // FMHAC_ISA_CDNA4_H
