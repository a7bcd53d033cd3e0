// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Expressions of a launch: how many workgroups a kernel takes in x, y and z,
/// and when it is the kernel for a problem. The compiler writes them as text
/// into `#fmha.launch` and from there into the note of the code object; the
/// launcher evaluates them. One grammar, read here and nowhere else:
///
///   condition   comparison { "and" comparison }
///   comparison  sum "<=" sum
///   sum         product { ("+" | "-") product }
///   product     factor { "*" factor }
///   factor      NUMBER | NAME | "ceil(" sum "/" sum ")" | "min(" sum "," sum
///               ")" | "max(" sum "," sum ")" | "(" sum ")"
///
/// NAME is a size of the problem or of the device (fmhac_launch_name).
#ifndef FMHAC_LAUNCH_EXPR_H
#define FMHAC_LAUNCH_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Kernels of one code object.
#define FMHAC_MOST_ENTRIES 8
/// Bytes of an expression or a condition as text, its terminator included.
#define FMHAC_LAUNCH_TEXT_BYTES 128

/// The sizes that an expression may name, in the letters of the dimensions.
typedef enum fmhac_launch_name {
  FMHAC_LAUNCH_SQ,     ///< rows of Q
  FMHAC_LAUNCH_SK,     ///< rows of K and V
  FMHAC_LAUNCH_B,      ///< batches
  FMHAC_LAUNCH_HQ,     ///< heads of Q
  FMHAC_LAUNCH_HK,     ///< heads of K and V
  FMHAC_LAUNCH_CUS,    ///< compute units of the device
  FMHAC_LAUNCH_SPLITS, ///< parts that the keys of a row are divided into
  FMHAC_LAUNCH_NAMES
} fmhac_launch_name;

static inline const char *fmhac_launch_name_text(fmhac_launch_name name) {
  static const char *const texts[FMHAC_LAUNCH_NAMES] = {
      "Sq", "Sk", "B", "Hq", "Hk", "CUs", "splits"};
  return texts[name];
}

typedef enum fmhac_launch_op {
  FMHAC_LAUNCH_NUMBER,      ///< pushes `value`
  FMHAC_LAUNCH_NAME,        ///< pushes the size `value`, fmhac_launch_name
  FMHAC_LAUNCH_ADD,         ///< these pop two, push one
  FMHAC_LAUNCH_SUBTRACT,    //
  FMHAC_LAUNCH_MULTIPLY,    //
  FMHAC_LAUNCH_CEIL_DIVIDE, ///< of numbers from 0, divisors from 1
  FMHAC_LAUNCH_MIN,         //
  FMHAC_LAUNCH_MAX,         //
  FMHAC_LAUNCH_AT_MOST,     ///< 0 or 1
  FMHAC_LAUNCH_AND          ///< 0 or 1
} fmhac_launch_op;

/// An expression or a condition in postfix order: every operand stands before
/// the operation that takes it.
typedef struct fmhac_launch_expr {
  struct {
    fmhac_launch_op op;
    int64_t value;
  } nodes[FMHAC_LAUNCH_TEXT_BYTES];
  size_t count;
} fmhac_launch_expr;

//===- Reading ------------------------------------------------------------===//

typedef struct fmhac_launch_reader {
  const char *at;
  fmhac_launch_expr *out;
} fmhac_launch_reader;

static inline bool fmhac_launch_is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool fmhac_launch_is_digit(char c) {
  return c >= '0' && c <= '9';
}

static inline void fmhac_launch_skip_blanks(fmhac_launch_reader *r) {
  while (*r->at == ' ')
    ++r->at;
}

/// Takes a mark or a word, if it comes next. A word ends where its letters do.
static inline bool fmhac_launch_take(fmhac_launch_reader *r, const char *text) {
  const size_t length = strlen(text);
  fmhac_launch_skip_blanks(r);
  if (strncmp(r->at, text, length) != 0 ||
      (fmhac_launch_is_letter(*text) && fmhac_launch_is_letter(r->at[length])))
    return false;
  r->at += length;
  return true;
}

static inline bool fmhac_launch_put(fmhac_launch_reader *r, fmhac_launch_op op,
                                    int64_t value) {
  fmhac_launch_expr *out = r->out;
  if (out->count == sizeof out->nodes / sizeof out->nodes[0])
    return false;
  out->nodes[out->count].op = op;
  out->nodes[out->count++].value = value;
  return true;
}

static inline bool fmhac_launch_read_sum(fmhac_launch_reader *r);

static inline bool fmhac_launch_read_number(fmhac_launch_reader *r) {
  int64_t value = 0;
  for (; fmhac_launch_is_digit(*r->at); ++r->at)
    if (__builtin_mul_overflow(value, 10, &value) ||
        __builtin_add_overflow(value, *r->at - '0', &value))
      return false;
  return fmhac_launch_put(r, FMHAC_LAUNCH_NUMBER, value);
}

static inline bool fmhac_launch_read_factor(fmhac_launch_reader *r) {
  static const struct {
    const char *word, *between;
    fmhac_launch_op op;
  } functions[] = {{"ceil", "/", FMHAC_LAUNCH_CEIL_DIVIDE},
                   {"min", ",", FMHAC_LAUNCH_MIN},
                   {"max", ",", FMHAC_LAUNCH_MAX}};
  fmhac_launch_skip_blanks(r);
  if (fmhac_launch_is_digit(*r->at))
    return fmhac_launch_read_number(r);
  if (fmhac_launch_take(r, "("))
    return fmhac_launch_read_sum(r) && fmhac_launch_take(r, ")");
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; ++i)
    if (fmhac_launch_take(r, functions[i].word))
      return fmhac_launch_take(r, "(") && fmhac_launch_read_sum(r) &&
             fmhac_launch_take(r, functions[i].between) &&
             fmhac_launch_read_sum(r) && fmhac_launch_take(r, ")") &&
             fmhac_launch_put(r, functions[i].op, 0);
  for (int name = 0; name < FMHAC_LAUNCH_NAMES; ++name)
    if (fmhac_launch_take(r, fmhac_launch_name_text((fmhac_launch_name)name)))
      return fmhac_launch_put(r, FMHAC_LAUNCH_NAME, name);
  return false;
}

static inline bool fmhac_launch_read_product(fmhac_launch_reader *r) {
  bool ok = fmhac_launch_read_factor(r);
  while (ok && fmhac_launch_take(r, "*"))
    ok = fmhac_launch_read_factor(r) &&
         fmhac_launch_put(r, FMHAC_LAUNCH_MULTIPLY, 0);
  return ok;
}

static inline bool fmhac_launch_read_sum(fmhac_launch_reader *r) {
  bool ok = fmhac_launch_read_product(r);
  while (ok) {
    const fmhac_launch_op op = fmhac_launch_take(r, "+") ? FMHAC_LAUNCH_ADD
                               : fmhac_launch_take(r, "-")
                                   ? FMHAC_LAUNCH_SUBTRACT
                                   : FMHAC_LAUNCH_NUMBER;
    if (op == FMHAC_LAUNCH_NUMBER)
      break;
    ok = fmhac_launch_read_product(r) && fmhac_launch_put(r, op, 0);
  }
  return ok;
}

static inline bool fmhac_launch_read_condition(fmhac_launch_reader *r) {
  for (bool first = true;; first = false) {
    if (!fmhac_launch_read_sum(r) || !fmhac_launch_take(r, "<=") ||
        !fmhac_launch_read_sum(r) ||
        !fmhac_launch_put(r, FMHAC_LAUNCH_AT_MOST, 0) ||
        (!first && !fmhac_launch_put(r, FMHAC_LAUNCH_AND, 0)))
      return false;
    if (!fmhac_launch_take(r, "and"))
      return true;
  }
}

/// Reads a text to its end. False: it is malformed or too long; where, says
/// `out_offset`, in bytes.
static inline bool fmhac_launch_expr_parse(const char *text, bool is_condition,
                                           fmhac_launch_expr *out,
                                           size_t *out_offset) {
  out->count = 0;
  *out_offset = FMHAC_LAUNCH_TEXT_BYTES - 1;
  if (strlen(text) >= FMHAC_LAUNCH_TEXT_BYTES)
    return false;
  fmhac_launch_reader reader = {text, out};
  const bool ok = is_condition ? fmhac_launch_read_condition(&reader)
                               : fmhac_launch_read_sum(&reader);
  fmhac_launch_skip_blanks(&reader);
  *out_offset = (size_t)(reader.at - text);
  return ok && !*reader.at;
}

//===- Evaluating ---------------------------------------------------------===//

/// One operation. False: overflow, or division by what is not positive.
static inline bool fmhac_launch_apply(fmhac_launch_op op, int64_t a, int64_t b,
                                      int64_t *out) {
  switch (op) {
  case FMHAC_LAUNCH_ADD:
    return !__builtin_add_overflow(a, b, out);
  case FMHAC_LAUNCH_SUBTRACT:
    return !__builtin_sub_overflow(a, b, out);
  case FMHAC_LAUNCH_MULTIPLY:
    return !__builtin_mul_overflow(a, b, out);
  case FMHAC_LAUNCH_CEIL_DIVIDE:
    if (a < 0 || b <= 0)
      return false;
    *out = a / b + (a % b != 0);
    return true;
  case FMHAC_LAUNCH_MIN:
    *out = a < b ? a : b;
    return true;
  case FMHAC_LAUNCH_MAX:
    *out = a > b ? a : b;
    return true;
  case FMHAC_LAUNCH_AT_MOST:
    *out = a <= b;
    return true;
  case FMHAC_LAUNCH_AND:
    *out = a && b;
    return true;
  case FMHAC_LAUNCH_NUMBER:
  case FMHAC_LAUNCH_NAME:
    break;
  }
  return false;
}

/// The value for the sizes `values`, by fmhac_launch_name; 0 or 1 of a
/// condition. False: not a value of 63 bits, or a division by 0.
static inline bool
fmhac_launch_expr_evaluate(const fmhac_launch_expr *expr,
                           const int64_t values[FMHAC_LAUNCH_NAMES],
                           int64_t *out) {
  int64_t stack[FMHAC_LAUNCH_TEXT_BYTES];
  size_t depth = 0;
  for (size_t i = 0; i < expr->count; ++i) {
    const fmhac_launch_op op = expr->nodes[i].op;
    if (op == FMHAC_LAUNCH_NUMBER || op == FMHAC_LAUNCH_NAME) {
      stack[depth++] = op == FMHAC_LAUNCH_NUMBER ? expr->nodes[i].value
                                                 : values[expr->nodes[i].value];
      continue;
    }
    --depth;
    if (!fmhac_launch_apply(op, stack[depth - 1], stack[depth],
                            &stack[depth - 1]))
      return false;
  }
  *out = depth == 1 ? stack[0] : 0;
  return depth == 1;
}

#endif // FMHAC_LAUNCH_EXPR_H
