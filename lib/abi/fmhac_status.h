// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The status codes that every fallible function of fmhac returns, compiler and
/// runtime alike. The object that failed keeps the text of the failure
/// (`fmhac_last_error`, `fmhac_rt_last_error`); no global does.
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
  /// The device does not exist, or its driver library is not usable here.
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
  /// Cancelled by fmhac_job_cancel().
  FMHAC_CANCELLED = 11,
  /// The timeout expired before the job finished.
  FMHAC_TIMED_OUT = 12,
  /// The compiler process died: LLVM hit a fatal error, or somebody killed the
  /// process. The caller's process continues.
  FMHAC_COMPILER_DIED = 13,
  /// The compiler exceeded the time limit of the context
  /// (compile_timeout_seconds) and was ended: LLVM works on the schedule for
  /// minutes, or the machine is busy.
  FMHAC_COMPILE_TIMED_OUT = 14
} fmhac_status;

/// The name of a code without its prefix, such as "UNSUPPORTED"; "UNKNOWN" for
/// a number that is no code of this library. A constant.
FMHAC_API const char *fmhac_status_name(fmhac_status status);

#ifdef __cplusplus
}
#endif
#endif // FMHAC_STATUS_H
