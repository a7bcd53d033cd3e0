// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The status codes that every fallible function of fmhac returns, compiler and
/// runtime alike. The text that belongs to a failure is kept by the object that
/// failed (`fmhac_last_error`, `fmhac_rt_last_error`), never in a global.
#ifndef FMHAC_STATUS_H
#define FMHAC_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define FMHAC_MUST_USE __attribute__((warn_unused_result))
#define FMHAC_API __attribute__((visibility("default")))
#else
#define FMHAC_MUST_USE
#define FMHAC_API
#endif

/// Why a call failed. Choose the first that applies.
typedef enum fmhac_status {
  FMHAC_OK = 0,
  /// The caller's input is malformed: bad JSON, a value out of range, a file
  /// that is not what it claims to be, a schedule that races or does not fit.
  FMHAC_INVALID_INPUT = 1,
  /// The input is well formed and means something that this build cannot do.
  FMHAC_UNSUPPORTED = 2,
  /// IR that the library built or was given does not verify, or a pass failed.
  FMHAC_PASS_FAILED = 3,
  /// LLVM code generation or the link failed.
  FMHAC_CODEGEN_FAILED = 4,
  /// There is no such device, or its driver library is not usable here.
  FMHAC_DEVICE_UNAVAILABLE = 5,
  /// The device could not go on: unknown instruction, deadlock, instruction
  /// budget, an error of the driver library.
  FMHAC_LAUNCH_FAILED = 6,
  /// The launch ran and a checker has findings (an access out of bounds, a
  /// missing wait). The results were still written.
  FMHAC_CHECK_FAILED = 7,
  /// Memory of the host or of the device is exhausted.
  FMHAC_OUT_OF_MEMORY = 8,
  /// The operating system refused to read or write a file.
  FMHAC_IO_ERROR = 9,
  /// A defect of fmhac itself.
  FMHAC_INTERNAL = 10,
  /// Somebody asked for the end of it: fmhac_job_cancel().
  FMHAC_CANCELLED = 11,
  /// It is not done yet, and the time that the caller gave is over.
  FMHAC_TIMED_OUT = 12,
  /// The compiler, in a process of its own, came to a sudden end: a fatal error
  /// of LLVM, or somebody killed it. The caller's process goes on.
  FMHAC_COMPILER_DIED = 13,
  /// The compiler was not done in the time that a context gives it
  /// (compile_timeout_seconds), and was ended: a schedule that LLVM works on
  /// for minutes, or a machine with much else to do.
  FMHAC_COMPILE_TIMED_OUT = 14
} fmhac_status;

/// The name of a code without its prefix: "UNSUPPORTED"; "UNKNOWN" of a number
/// that is none of this library's. A constant.
FMHAC_API const char *fmhac_status_name(fmhac_status status);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_STATUS_H
