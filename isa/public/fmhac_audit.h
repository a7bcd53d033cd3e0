// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Facts about a code object that need no execution: the instructions that it
/// uses and how far the emulator supports them, and the missing waits and wait
/// states that the static checkers find.
#ifndef FMHAC_AUDIT_H
#define FMHAC_AUDIT_H

#include <stddef.h>
#include <stdint.h>

#include "fmhac_status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Checkers; a set of bits.
enum {
  FMHAC_EMU_CHECK_MEM = 1u << 0,    ///< accesses outside the buffers or
                                    ///< against alignment and descriptor
                                    ///< rules; buffer offsets that wrap
  FMHAC_EMU_CHECK_SYNC = 1u << 1,   ///< barrier mismatch, deadlock
  FMHAC_EMU_CHECK_WAIT = 1u << 2,   ///< use before the covering s_waitcnt
  FMHAC_EMU_CHECK_RACE = 1u << 3,   ///< conflicting, unordered accesses
  FMHAC_EMU_CHECK_INIT = 1u << 4,   ///< read before written; outputs that are
                                    ///< not completely written
  FMHAC_EMU_CHECK_HAZARD = 1u << 5, ///< missing wait states
  FMHAC_EMU_CHECK_ALL = (1u << 6) - 1,
  FMHAC_EMU_CHECK_DEFAULT =
      FMHAC_EMU_CHECK_MEM | FMHAC_EMU_CHECK_SYNC | FMHAC_EMU_CHECK_WAIT
};

//===-- Coverage of the instruction set -----------------------------------===//

/// How far the emulator supports an instruction of CDNA4 (gfx950).
typedef enum fmhac_emu_support {
  FMHAC_EMU_SUPPORT_DOCUMENTED, ///< implemented as documented
  FMHAC_EMU_SUPPORT_ASSUMED,    ///< implemented; some detail is not documented
  FMHAC_EMU_SUPPORT_MISSING,    ///< refused by name
  /// Refused by name: it has no meaning in a compute kernel.
  FMHAC_EMU_SUPPORT_NOT_APPLICABLE
} fmhac_emu_support;

/// One instruction of the set.
typedef struct fmhac_emu_instruction {
  size_t size;          ///< sizeof(fmhac_emu_instruction), set by the caller
  const char *mnemonic; ///< LLVM's, without _e32, _e64, _sdwa, _dpp
  const char *encoding; ///< "SOP1" … "SCRATCH"; "MAI" for matrix instructions
  const char *forms;    ///< "e32 e64 sdwa dpp", or "": only one
  fmhac_emu_support support;
  /// The document, and the assumptions; for NOT_APPLICABLE the reason; for
  /// MISSING "". The strings are constants.
  const char *source;
} fmhac_emu_instruction;

/// Number of instructions in the set: indices from 0, ordered by encoding.
FMHAC_API size_t fmhac_emu_instruction_count(void);
/// Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_get_instruction(size_t index, fmhac_emu_instruction *out_instruction);

/// Which instructions the kernels of a code object use. Nothing is executed.
typedef struct fmhac_emu_survey fmhac_emu_survey;

/// Surveys the instructions that are reachable from the kernels of
/// `code_object` (with indirect jumps: all of its code). `text` receives the
/// reason of a failure; may be NULL. Errors: INVALID_INPUT (no gfx950 code
/// object), OUT_OF_MEMORY, INTERNAL.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_survey_create(const void *code_object, size_t bytes, char *text,
                        size_t text_bytes, fmhac_emu_survey **out_survey);
/// NULL is allowed.
FMHAC_API void fmhac_emu_survey_destroy(fmhac_emu_survey *survey);

/// A mnemonic that occurs. Strings live as long as the survey.
typedef struct fmhac_emu_usage {
  size_t size; ///< sizeof(fmhac_emu_usage), set by the caller
  /// As in fmhac_emu_instruction; "" for bytes that are not an instruction of
  /// gfx950.
  const char *mnemonic, *encoding, *forms, *source;
  fmhac_emu_support support; ///< likewise; MISSING for such bytes
  uint64_t count;
  /// How many the emulator refuses: all if the instruction is missing, else
  /// those with a modifier that the emulator does not know.
  uint64_t refused;
  uint64_t pc;         ///< of the first one refused, else the first; in .text
  const char *example; ///< its disassembly
  const char *reason;  ///< why it is refused, or ""
} fmhac_emu_usage;

/// Number of mnemonics; the most frequent comes first.
/// fmhac_emu_survey_get_usage() returns INVALID_INPUT past the end.
FMHAC_API size_t fmhac_emu_survey_usage_count(const fmhac_emu_survey *survey);
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emu_survey_get_usage(
    const fmhac_emu_survey *survey, size_t index, fmhac_emu_usage *out_usage);

//===-- Audit: faults in a code object, found without running it ----------===//

/// Findings of the static checkers on the kernels of a code object. Nothing is
/// executed. The checkers follow all paths through direct branches, including
/// paths that no run takes.
typedef struct fmhac_emu_audit fmhac_emu_audit;

enum {
  /// Checks of fmhac_emu_audit_create(): registers used before the s_waitcnt
  /// that covers them, and missing wait states. It does not follow bytes of
  /// LDS,
  /// because their addresses are known in a run only; FMHAC_EMU_CHECK_WAIT of a
  /// launch does.
  FMHAC_EMU_AUDIT_IMPLEMENTED = FMHAC_EMU_CHECK_WAIT | FMHAC_EMU_CHECK_HAZARD,
  /// A further check, for code from a compiler: instructions that LLVM 22 is
  /// known to generate wrongly (a condition that is the carry of an addition),
  /// and instructions that gfx950 is known to execute wrongly (v_pk_fma_f32
  /// that
  /// takes a high half twice). Hand-written code may contain them on purpose.
  FMHAC_EMU_AUDIT_SUSPECT = 1u << 16
};

/// Audits all kernels of `code_object`. `checks` is a set of
/// FMHAC_EMU_CHECK_* and FMHAC_EMU_AUDIT_SUSPECT. `text` receives the reason of
/// a failure; may be NULL. Errors: INVALID_INPUT (no gfx950 code object),
/// UNSUPPORTED (a check that is not implemented), OUT_OF_MEMORY, INTERNAL.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emu_audit_create(
    const void *code_object, size_t bytes, uint32_t checks, char *text,
    size_t text_bytes, fmhac_emu_audit **out_audit);
/// NULL is allowed.
FMHAC_API void fmhac_emu_audit_destroy(fmhac_emu_audit *audit);

/// An instruction that comes too early on some path, or is suspect. Strings
/// live as long as the audit.
typedef struct fmhac_emu_audit_finding {
  size_t size;             ///< sizeof(fmhac_emu_audit_finding)
  const char *check;       ///< "wait", "hazard" or "suspect"
  const char *kernel;      ///< its name
  const char *message;     ///< one line: where, what, which wait to add
  uint64_t pc;             ///< of the use; byte offset from the kernel's entry
  const char *instruction; ///< disassembly at pc
  uint64_t other_pc;       ///< of the instruction that it depends on
  const char *other_instruction;
  const char *counter; ///< "vmcnt", "lgkmcnt"; of a hazard "s_nop", else ""
  /// An s_waitcnt of this count before the use suffices; for a hazard, the
  /// number of missing wait states.
  uint32_t wait;
  const char *location; ///< as in fmhac_emu_finding
  const char *other_location;
  const char *step;
  const char *other_step;
} fmhac_emu_audit_finding;

/// Number of findings that are kept.
FMHAC_API size_t fmhac_emu_audit_finding_count(const fmhac_emu_audit *audit);
/// Ordered by kernel, then pc. Fills the members that the caller's `size`
/// covers. Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status
fmhac_emu_audit_get_finding(const fmhac_emu_audit *audit, size_t index,
                            fmhac_emu_audit_finding *out_finding);

/// An instruction after which the audit may have missed a finding, and the
/// reason. Strings live as long as the audit.
typedef struct fmhac_emu_audit_note {
  size_t size;             ///< sizeof(fmhac_emu_audit_note)
  const char *kernel;      ///< its name
  const char *message;     ///< one line: where and why
  uint64_t pc;             ///< byte offset from the kernel's entry
  const char *instruction; ///< disassembly at pc; "" for the kernel as a whole
} fmhac_emu_audit_note;

/// Number of such notes that are kept.
FMHAC_API size_t fmhac_emu_audit_note_count(const fmhac_emu_audit *audit);
/// By kernel, then pc. Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emu_audit_get_note(
    const fmhac_emu_audit *audit, size_t index, fmhac_emu_audit_note *out_note);

/// Number of s_waitcnt that never wait: the counters are no higher on any path,
/// so the code does the same without them.
FMHAC_API size_t fmhac_emu_audit_idle_count(const fmhac_emu_audit *audit);
/// By kernel, then pc. Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emu_audit_get_idle(
    const fmhac_emu_audit *audit, size_t index, fmhac_emu_audit_note *out_wait);

/// Figures of an audit.
typedef struct fmhac_emu_audit_stats {
  size_t size;           ///< sizeof(fmhac_emu_audit_stats), set by the caller
  uint64_t kernels;      ///< of the code object
  uint64_t instructions; ///< that were audited
  uint64_t blocks;       ///< basic blocks of these instructions
  uint64_t dropped;      ///< findings and notes beyond 1000 of a kind
} fmhac_emu_audit_stats;

/// Errors: INVALID_INPUT.
FMHAC_API FMHAC_MUST_USE fmhac_status fmhac_emu_audit_get_stats(
    const fmhac_emu_audit *audit, fmhac_emu_audit_stats *out_stats);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_AUDIT_H
