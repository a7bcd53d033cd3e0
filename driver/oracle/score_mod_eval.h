// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The reference's own reading of a score_mod file: one function
///
///   fmha.score_mod @name(%score: f32, %row: i32, %key: i32, %head: i32,
///                        %batch: i32) {
///     %bias = arith.sitofp %key : i32 to f32
///     %sum = arith.addf %score, %bias : f32
///     fmha.yield %sum : f32
///   }
///
/// of arith and math operations on f32, i32 and i1. It shares no code with the
/// compiler, so that one mistake cannot hide in both. It names an operation
/// that it does not know, and then computes nothing.
#ifndef FMHAC_DRIVER_SCORE_MOD_EVAL_H
#define FMHAC_DRIVER_SCORE_MOD_EVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "files.h"

typedef struct score_mod score_mod;

/// Reads a function. On failure `error` names the part without a reference: "op
/// math.sincos, line 3".
bool score_mod_parse(const char *text, score_mod **out_mod,
                     char error[ERROR_BYTES]);
/// NULL is allowed.
void score_mod_destroy(score_mod *mod);

/// Applies the function to a score: f32 in double precision, i32 in two's
/// complement. `mod` is a score_mod; of the type attention_score_mod. May be
/// called from several threads at once.
double score_mod_eval(const void *mod, double score, int32_t row, int32_t key,
                      int32_t head, int32_t batch);

#endif // FMHAC_DRIVER_SCORE_MOD_EVAL_H
