// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "score_mod_eval.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 64, MAX_VALUES = 512, MAX_OPERANDS = 3, ARGUMENTS = 5 };

typedef enum value_type { TYPE_F32, TYPE_I32, TYPE_I1, TYPE_COUNT } value_type;
#define BIT(type) (1 << TYPE_##type)

static const char *const type_names[TYPE_COUNT] = {"f32", "i32", "i1"};

/// f of an F32; i of the others, 0 or 1 for an I1.
typedef struct value {
  double f;
  int32_t i;
} value;

typedef struct instruction instruction;
typedef value evaluate_fn(const instruction *in, const value *operands);

struct instruction {
  evaluate_fn *evaluate;
  double (*unary)(double);          ///< of FLOAT_UNARY
  double (*binary)(double, double); ///< of FLOAT_BINARY
  value constant;                   ///< of arith.constant
  int outcomes;                     ///< of the predicate of cmpi and cmpf
  value_type type;                  ///< of the operands
  int operand_count;
  int operands[MAX_OPERANDS]; ///< values
};

struct score_mod {
  instruction *instructions; ///< owned; instruction i makes value ARGUMENTS + i
  int count;
  int result;
};

//===- Operations ---------------------------------------------------------===//

static value of_float(double f) { return (value){.f = f}; }
static value of_integer(int64_t i) { return (value){.i = (int32_t)i}; }
/// Two's complement: the low 32 bits.
static value of_bits(uint32_t bits) {
  value v = {0};
  memcpy(&v.i, &bits, sizeof bits);
  return v;
}

static double negate(double x) { return -x; }
static double reciprocal_root(double x) { return 1 / sqrt(x); }
static double add(double a, double b) { return a + b; }
static double subtract(double a, double b) { return a - b; }
static double multiply(double a, double b) { return a * b; }
static double divide(double a, double b) { return a / b; }
/// NaN if one of the two is; fmax() takes the other.
static double maximum(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}
static double minimum(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static value evaluate_unary(const instruction *in, const value *v) {
  return of_float(in->unary(v[0].f));
}

static value evaluate_binary(const instruction *in, const value *v) {
  return of_float(in->binary(v[0].f, v[1].f));
}

static value evaluate_fma(const instruction *in, const value *v) {
  (void)in;
  return of_float(fma(v[0].f, v[1].f, v[2].f));
}

static value evaluate_constant(const instruction *in, const value *v) {
  (void)v;
  return in->constant;
}

static value evaluate_select(const instruction *in, const value *v) {
  (void)in;
  return v[0].i ? v[1] : v[2];
}

static value evaluate_sitofp(const instruction *in, const value *v) {
  // The sign of an i1 is its only bit.
  return of_float(in->type == TYPE_I1 ? -v[0].i : v[0].i);
}

static value evaluate_uitofp(const instruction *in, const value *v) {
  (void)in;
  return of_float((uint32_t)v[0].i);
}

static value evaluate_fptosi(const instruction *in, const value *v) {
  (void)in;
  // Beyond i32 the operation means nothing.
  double x = trunc(v[0].f);
  return of_integer(x >= INT32_MIN && x <= INT32_MAX ? (int64_t)x : 0);
}

static value evaluate_extui(const instruction *in, const value *v) {
  (void)in;
  return v[0];
}

static value evaluate_extsi(const instruction *in, const value *v) {
  (void)in;
  return of_integer(-v[0].i);
}

static value evaluate_absi(const instruction *in, const value *v) {
  (void)in;
  uint32_t x = (uint32_t)v[0].i;
  return of_bits(v[0].i < 0 ? 0 - x : x);
}

// Integer operations on two operands, with the types that they take: a, b as
// signed numbers, x, y as bits. Division by 0 and shifts that are too far have
// no defined result; 0 avoids a trap.
#define INTEGER_OPERATIONS(OP)                                                 \
  OP(addi, BIT(I32), x + y)                                                    \
  OP(subi, BIT(I32), x - y)                                                    \
  OP(muli, BIT(I32), (x) * (y))                                                \
  OP(divsi, BIT(I32), b ? a / b : 0)                                           \
  OP(divui, BIT(I32), y ? x / y : 0)                                           \
  OP(remsi, BIT(I32), b ? a % b : 0)                                           \
  OP(remui, BIT(I32), y ? x % y : 0)                                           \
  OP(floordivsi, BIT(I32), b ? a / b - (a % b != 0 && (a < 0) != (b < 0)) : 0) \
  OP(ceildivsi, BIT(I32), b ? a / b + (a % b != 0 && (a < 0) == (b < 0)) : 0)  \
  OP(minsi, BIT(I32), a < b ? a : b)                                           \
  OP(maxsi, BIT(I32), a > b ? a : b)                                           \
  OP(minui, BIT(I32), x < y ? x : y)                                           \
  OP(maxui, BIT(I32), x > y ? x : y)                                           \
  OP(shli, BIT(I32), y < 32 ? x << y : 0)                                      \
  OP(shrui, BIT(I32), y < 32 ? x >> y : 0)                                     \
  OP(shrsi, BIT(I32), y < 32 ? a >> y : 0)                                     \
  OP(andi, BIT(I32) | BIT(I1), (x) & (y))                                      \
  OP(ori, BIT(I32) | BIT(I1), x | y)                                           \
  OP(xori, BIT(I32) | BIT(I1), x ^ y)

#define INTEGER_EVALUATE(name, types, expression)                              \
  static value evaluate_##name(const instruction *in, const value *v) {        \
    const int64_t a = v[0].i, b = v[1].i;                                      \
    const uint32_t x = (uint32_t)v[0].i, y = (uint32_t)v[1].i;                 \
    (void)in, (void)a, (void)b, (void)x, (void)y;                              \
    return of_bits((uint32_t)(expression));                                    \
  }
INTEGER_OPERATIONS(INTEGER_EVALUATE)

// A predicate is the set of outcomes of a comparison for which it holds, and
// for integers whether their bits are compared without sign.
enum {
  IS_EQUAL = 1,
  IS_GREATER = 2,
  IS_LESS = 4,
  IS_UNORDERED = 8,
  NO_SIGN = 16
};

typedef struct predicate {
  const char *name; ///< NULL after the last one
  int outcomes;
} predicate;

static const predicate cmpi_predicates[] = {
    {"eq", IS_EQUAL},
    {"ne", IS_LESS | IS_GREATER},
    {"slt", IS_LESS},
    {"sle", IS_LESS | IS_EQUAL},
    {"sgt", IS_GREATER},
    {"sge", IS_GREATER | IS_EQUAL},
    {"ult", NO_SIGN | IS_LESS},
    {"ule", NO_SIGN | IS_LESS | IS_EQUAL},
    {"ugt", NO_SIGN | IS_GREATER},
    {"uge", NO_SIGN | IS_GREATER | IS_EQUAL},
    {NULL, 0},
};

static const predicate cmpf_predicates[] = {
    {"false", 0},
    {"oeq", IS_EQUAL},
    {"ogt", IS_GREATER},
    {"oge", IS_GREATER | IS_EQUAL},
    {"olt", IS_LESS},
    {"ole", IS_LESS | IS_EQUAL},
    {"one", IS_LESS | IS_GREATER},
    {"ord", IS_LESS | IS_GREATER | IS_EQUAL},
    {"ueq", IS_UNORDERED | IS_EQUAL},
    {"ugt", IS_UNORDERED | IS_GREATER},
    {"uge", IS_UNORDERED | IS_GREATER | IS_EQUAL},
    {"ult", IS_UNORDERED | IS_LESS},
    {"ule", IS_UNORDERED | IS_LESS | IS_EQUAL},
    {"une", IS_UNORDERED | IS_LESS | IS_GREATER},
    {"uno", IS_UNORDERED},
    {"true", IS_UNORDERED | IS_LESS | IS_GREATER | IS_EQUAL},
    {NULL, 0},
};

static value compare(const instruction *in, double a, double b) {
  int outcome = a < b    ? IS_LESS
                : a > b  ? IS_GREATER
                : a == b ? IS_EQUAL
                         : IS_UNORDERED;
  return of_integer((in->outcomes & outcome) != 0);
}

static value evaluate_cmpf(const instruction *in, const value *v) {
  return compare(in, v[0].f, v[1].f);
}

static value evaluate_cmpi(const instruction *in, const value *v) {
  // The sign of an i1 is its only bit.
  const int32_t sign = in->type == TYPE_I1 ? -1 : 1;
  const int32_t a = sign * v[0].i, b = sign * v[1].i;
  return in->outcomes & NO_SIGN ? compare(in, (uint32_t)a, (uint32_t)b)
                                : compare(in, a, b);
}

//===- The table ----------------------------------------------------------===//

/// How an operation is written.
typedef enum op_form {
  FORM_CONSTANT, ///< 1.0 : f32
  FORM_PLAIN,    ///< %a, %b : TYPE; the result has the operands' type
  FORM_COMPARE,  ///< PREDICATE, %a, %b : TYPE; the result is an i1
  FORM_SELECT,   ///< %c, %a, %b : TYPE; %c is an i1
  FORM_CONVERT,  ///< %a : TYPE to TYPE
} op_form;

typedef struct operation {
  const char *name;
  op_form form;
  int operands;
  int types; ///< of the operands; set of BIT
  evaluate_fn *evaluate;
  double (*unary)(double);
  double (*binary)(double, double);
  const predicate *predicates; ///< of FORM_COMPARE
  value_type result;           ///< of FORM_CONVERT
} operation;

#define FLOAT_UNARY(name, fn)                                                  \
  { name, FORM_PLAIN, 1, BIT(F32), evaluate_unary, .unary = fn }
#define FLOAT_BINARY(name, fn)                                                 \
  { name, FORM_PLAIN, 2, BIT(F32), evaluate_binary, .binary = fn }
#define INTEGER(name, types, expression)                                       \
  {"arith." #name, FORM_PLAIN, 2, types, .evaluate = evaluate_##name},
#define CONVERT(name, types, to)                                               \
  { "arith." #name, FORM_CONVERT, 1, types, evaluate_##name, .result = to }

static const operation operations[] = {
    {"arith.constant", FORM_CONSTANT, .evaluate = evaluate_constant},
    {"arith.select", FORM_SELECT, 3, BIT(F32) | BIT(I32) | BIT(I1),
     .evaluate = evaluate_select},
    {"arith.cmpi", FORM_COMPARE, 2, BIT(I32) | BIT(I1), evaluate_cmpi,
     .predicates = cmpi_predicates},
    {"arith.cmpf", FORM_COMPARE, 2, BIT(F32), evaluate_cmpf,
     .predicates = cmpf_predicates},
    CONVERT(sitofp, BIT(I32) | BIT(I1), TYPE_F32),
    CONVERT(uitofp, BIT(I32) | BIT(I1), TYPE_F32),
    CONVERT(fptosi, BIT(F32), TYPE_I32),
    CONVERT(extui, BIT(I1), TYPE_I32),
    CONVERT(extsi, BIT(I1), TYPE_I32),
    {"math.absi", FORM_PLAIN, 1, BIT(I32), .evaluate = evaluate_absi},
    {"math.fma", FORM_PLAIN, 3, BIT(F32), .evaluate = evaluate_fma},
    FLOAT_UNARY("arith.negf", negate),
    FLOAT_BINARY("arith.addf", add),
    FLOAT_BINARY("arith.subf", subtract),
    FLOAT_BINARY("arith.mulf", multiply),
    FLOAT_BINARY("arith.divf", divide),
    FLOAT_BINARY("arith.remf", fmod),
    FLOAT_BINARY("arith.maximumf", maximum),
    FLOAT_BINARY("arith.minimumf", minimum),
    FLOAT_BINARY("arith.maxnumf", fmax),
    FLOAT_BINARY("arith.minnumf", fmin),
    FLOAT_BINARY("math.powf", pow),
    FLOAT_BINARY("math.atan2", atan2),
    FLOAT_BINARY("math.copysign", copysign),
    FLOAT_UNARY("math.absf", fabs),
    FLOAT_UNARY("math.atan", atan),
    FLOAT_UNARY("math.cbrt", cbrt),
    FLOAT_UNARY("math.ceil", ceil),
    FLOAT_UNARY("math.cos", cos),
    FLOAT_UNARY("math.cosh", cosh),
    FLOAT_UNARY("math.erf", erf),
    FLOAT_UNARY("math.exp", exp),
    FLOAT_UNARY("math.exp2", exp2),
    FLOAT_UNARY("math.expm1", expm1),
    FLOAT_UNARY("math.floor", floor),
    FLOAT_UNARY("math.log", log),
    FLOAT_UNARY("math.log10", log10),
    FLOAT_UNARY("math.log1p", log1p),
    FLOAT_UNARY("math.log2", log2),
    FLOAT_UNARY("math.round", round),
    FLOAT_UNARY("math.roundeven", rint), // the default rounding is to even
    FLOAT_UNARY("math.rsqrt", reciprocal_root),
    FLOAT_UNARY("math.sin", sin),
    FLOAT_UNARY("math.sinh", sinh),
    FLOAT_UNARY("math.sqrt", sqrt),
    FLOAT_UNARY("math.tan", tan),
    FLOAT_UNARY("math.tanh", tanh),
    FLOAT_UNARY("math.trunc", trunc),
    INTEGER_OPERATIONS(INTEGER)};

static const operation *find_operation(const char *name) {
  for (size_t i = 0; i < sizeof operations / sizeof operations[0]; ++i)
    if (strcmp(operations[i].name, name) == 0)
      return &operations[i];
  return NULL;
}

//===- Reading ------------------------------------------------------------===//

typedef struct reader {
  const char *start, *at;
  char *error; ///< ERROR_BYTES
  char names[MAX_VALUES][NAME_BYTES];
  value_type types[MAX_VALUES];
  int count; ///< values
} reader;

static void skip_blanks(reader *r) {
  for (;;) {
    r->at += strspn(r->at, " \t\r\n");
    if (strncmp(r->at, "//", 2) != 0)
      return;
    r->at += strcspn(r->at, "\n");
  }
}

__attribute__((format(printf, 2, 3))) static bool
refuse(reader *r, const char *format, ...) {
  int line = 1;
  for (const char *p = r->start; p < r->at; ++p)
    line += *p == '\n';
  va_list arguments;
  va_start(arguments, format);
  int used = vsnprintf(r->error, ERROR_BYTES - 20, format, arguments);
  va_end(arguments);
  if (used > ERROR_BYTES - 21)
    used = ERROR_BYTES - 21;
  snprintf(r->error + used, (size_t)(ERROR_BYTES - used), ", line %d", line);
  return false;
}

static bool refuse_text(reader *r, const char *expected) {
  int length = (int)strcspn(r->at, " \t\r\n");
  return refuse(r, "'%.*s' (expected %s)", length > 40 ? 40 : length, r->at,
                expected);
}

static bool take(reader *r, const char *text) {
  skip_blanks(r);
  size_t length = strlen(text);
  if (strncmp(r->at, text, length) != 0)
    return false;
  r->at += length;
  return true;
}

static bool expect(reader *r, const char *text) {
  return take(r, text) || refuse_text(r, text);
}

/// A word of letters, digits, '_', '.', '$' and '-' after `sigil` ('\0': none).
static bool read_word(reader *r, char sigil, char word[NAME_BYTES]) {
  skip_blanks(r);
  const char *p = r->at;
  if (sigil && *p++ != sigil)
    return false;
  size_t length = 0;
  while (isalnum((unsigned char)p[length]) ||
         (p[length] && strchr("_.$-", p[length])))
    ++length;
  if (length == 0 || length >= NAME_BYTES)
    return false;
  memcpy(word, p, length);
  word[length] = '\0';
  r->at = p + length;
  return true;
}

static bool read_type(reader *r, value_type *out_type) {
  char word[NAME_BYTES];
  if (!read_word(r, '\0', word))
    return refuse_text(r, "a type");
  for (int type = 0; type < TYPE_COUNT; ++type)
    if (strcmp(word, type_names[type]) == 0) {
      *out_type = (value_type)type;
      return true;
    }
  return refuse(r, "type %s", word);
}

static bool define(reader *r, const char *name, value_type type) {
  if (r->count == MAX_VALUES)
    return refuse(r, "more than %d values", MAX_VALUES);
  snprintf(r->names[r->count], NAME_BYTES, "%s", name);
  r->types[r->count++] = type;
  return true;
}

static bool read_operand(reader *r, int *out_value) {
  char name[NAME_BYTES];
  if (!read_word(r, '%', name))
    return refuse_text(r, "a value");
  for (int i = r->count - 1; i >= 0; --i)
    if (strcmp(r->names[i], name) == 0) {
      *out_value = i;
      return true;
    }
  return refuse(r, "value %%%s, which nothing defines", name);
}

/// 1.0 : f32; 7 : i32; true. F32 constants are rounded to float, as in the
/// kernel. A hexadecimal constant of f32 is its bits.
static bool read_constant(reader *r, instruction *in, value_type *out_type) {
  *out_type = TYPE_I1;
  if (take(r, "true")) {
    in->constant = of_integer(1);
    return true;
  }
  if (take(r, "false"))
    return true;
  skip_blanks(r);
  const char *number = r->at;
  bool hexadecimal = strncmp(number, "0x", 2) == 0;
  char *float_end, *integer_end;
  double real = strtof(number, &float_end);
  errno = 0;
  long long integer = strtoll(number, &integer_end, hexadecimal ? 16 : 10);
  if (integer_end == number && float_end == number)
    return refuse_text(r, "a number");
  r->at = float_end > integer_end ? float_end : integer_end;
  if (!expect(r, ":") || !read_type(r, out_type))
    return false;
  if (*out_type != TYPE_F32) {
    if (float_end > integer_end || errno)
      return refuse(r, "an integer constant that is none");
    in->constant = of_bits((uint32_t)integer);
    if (*out_type == TYPE_I1)
      in->constant.i &= 1;
    return true;
  }
  if (hexadecimal) {
    uint32_t bits = (uint32_t)integer;
    float f;
    memcpy(&f, &bits, sizeof f);
    real = f;
  }
  in->constant = of_float(real);
  return true;
}

static bool read_predicate(reader *r, const operation *op, instruction *in) {
  char word[NAME_BYTES];
  if (!read_word(r, '\0', word))
    return refuse_text(r, "a predicate");
  for (const predicate *p = op->predicates; p->name; ++p)
    if (strcmp(p->name, word) == 0) {
      in->outcomes = p->outcomes;
      return expect(r, ",");
    }
  return refuse(r, "predicate %s of op %s", word, op->name);
}

/// fastmath<…> and overflow<…> allow a kernel more; the reference stays exact.
static bool skip_flags(reader *r) {
  while (take(r, "fastmath<") || take(r, "overflow<")) {
    r->at += strcspn(r->at, ">\n");
    if (!expect(r, ">"))
      return false;
  }
  return true;
}

static bool check_types(reader *r, const operation *op, const instruction *in) {
  for (int i = 0; i < in->operand_count; ++i) {
    value_type expected =
        op->form == FORM_SELECT && i == 0 ? TYPE_I1 : in->type;
    if (r->types[in->operands[i]] != expected)
      return refuse(r, "op %s with an operand of type %s", op->name,
                    type_names[r->types[in->operands[i]]]);
  }
  if (!(op->types & 1 << in->type))
    return refuse(r, "op %s on %s", op->name, type_names[in->type]);
  return true;
}

/// The text after "%NAME =".
static bool read_operation(reader *r, instruction *in, value_type *out_type) {
  char name[NAME_BYTES];
  if (!read_word(r, '\0', name))
    return refuse_text(r, "an operation");
  const operation *op = find_operation(name);
  if (!op)
    return refuse(r, "op %s", name);
  *in = (instruction){.evaluate = op->evaluate,
                      .unary = op->unary,
                      .binary = op->binary,
                      .operand_count = op->operands};
  if (op->form == FORM_CONSTANT)
    return read_constant(r, in, out_type);
  if (op->form == FORM_COMPARE && !read_predicate(r, op, in))
    return false;
  for (int i = 0; i < op->operands; ++i)
    if ((i && !expect(r, ",")) || !read_operand(r, &in->operands[i]))
      return false;
  if (!skip_flags(r) || !expect(r, ":") || !read_type(r, &in->type) ||
      !check_types(r, op, in))
    return false;
  *out_type = op->form == FORM_COMPARE ? TYPE_I1 : in->type;
  if (op->form != FORM_CONVERT)
    return true;
  if (!expect(r, "to") || !read_type(r, out_type))
    return false;
  return *out_type == op->result ||
         refuse(r, "op %s to %s", op->name, type_names[*out_type]);
}

static bool read_head(reader *r) {
  static const value_type types[ARGUMENTS] = {TYPE_F32, TYPE_I32, TYPE_I32,
                                              TYPE_I32, TYPE_I32};
  char name[NAME_BYTES];
  if (!expect(r, "fmha.score_mod"))
    return false;
  if (!read_word(r, '@', name))
    return refuse_text(r, "a name");
  if (!expect(r, "("))
    return false;
  for (int i = 0; i < ARGUMENTS; ++i) {
    value_type type;
    if (i && !expect(r, ","))
      return false;
    if (!read_word(r, '%', name))
      return refuse_text(r, "an argument");
    if (!expect(r, ":") || !read_type(r, &type))
      return false;
    if (type != types[i])
      return refuse(r, "argument %%%s of type %s", name, type_names[type]);
    if (!define(r, name, type))
      return false;
  }
  return expect(r, ")") && expect(r, "{");
}

static bool read_yield(reader *r, score_mod *mod) {
  value_type type;
  if (!read_operand(r, &mod->result) || !expect(r, ":") || !read_type(r, &type))
    return false;
  if (type != TYPE_F32 || r->types[mod->result] != TYPE_F32)
    return refuse(r, "a result that is no f32");
  if (!expect(r, "}"))
    return false;
  skip_blanks(r);
  return !*r->at || refuse_text(r, "the end of the text");
}

static bool read_function(reader *r, score_mod *mod) {
  if (!read_head(r))
    return false;
  while (!take(r, "fmha.yield")) {
    char name[NAME_BYTES];
    value_type type = TYPE_F32;
    if (!read_word(r, '%', name))
      return refuse_text(r, "fmha.yield or a value");
    if (r->count == MAX_VALUES)
      return refuse(r, "more than %d values", MAX_VALUES);
    if (!expect(r, "=") ||
        !read_operation(r, &mod->instructions[mod->count], &type) ||
        !define(r, name, type))
      return false;
    ++mod->count;
  }
  return read_yield(r, mod);
}

bool score_mod_parse(const char *text, score_mod **out_mod,
                     char error[ERROR_BYTES]) {
  *out_mod = NULL;
  reader *r = calloc(1, sizeof *r);
  score_mod *mod = calloc(1, sizeof *mod);
  bool ok = false;
  if (r && mod)
    mod->instructions = calloc(MAX_VALUES, sizeof *mod->instructions);
  if (!r || !mod || !mod->instructions) {
    snprintf(error, ERROR_BYTES, "a function that needs more memory");
  } else {
    r->start = r->at = text;
    r->error = error;
    ok = read_function(r, mod);
  }
  free(r);
  if (ok)
    *out_mod = mod;
  else
    score_mod_destroy(mod);
  return ok;
}

void score_mod_destroy(score_mod *mod) {
  if (!mod)
    return;
  free(mod->instructions);
  free(mod);
}

double score_mod_eval(const void *user, double score, int32_t row, int32_t key,
                      int32_t head, int32_t batch) {
  const score_mod *mod = user;
  value values[MAX_VALUES];
  values[0] = of_float(score);
  values[1] = of_integer(row);
  values[2] = of_integer(key);
  values[3] = of_integer(head);
  values[4] = of_integer(batch);
  for (int i = 0; i < mod->count; ++i) {
    const instruction *in = &mod->instructions[i];
    value operands[MAX_OPERANDS];
    for (int k = 0; k < in->operand_count; ++k)
      operands[k] = values[in->operands[k]];
    values[ARGUMENTS + i] = in->evaluate(in, operands);
  }
  return values[mod->result].f;
}
