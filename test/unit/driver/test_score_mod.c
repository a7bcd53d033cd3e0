// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference's reading of score_mod files: every operation by its meaning.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "score_mod_eval.h"

#define HEAD                                                                   \
  "fmha.score_mod @f(%s: f32, %i: i32, %j: i32, %h: i32, %b: i32) {\n"

static double run(const char *body, double score, int32_t row, int32_t key) {
  char text[2000], error[ERROR_BYTES];
  score_mod *mod;
  snprintf(text, sizeof text, "%s%s\n}\n", HEAD, body);
  if (!score_mod_parse(text, &mod, error))
    fail_msg("%s: %s", body, error);
  double result = score_mod_eval(mod, score, row, key, 3, 4);
  score_mod_destroy(mod);
  return result;
}

static void assert_same(const char *what, double found, double expected) {
  // A compiler may know a function's value to one digit more than the library.
  if (!(found == expected || (isnan(found) && isnan(expected)) ||
        fabs(found - expected) <= 1e-15 * fabs(expected)))
    fail_msg("%s: found %.17g, expected %.17g", what, found, expected);
}

static void test_function(void **state) {
  (void)state;
  static const char text[] =
      "// Slopes by head, and a penalty on far keys.\n"
      "fmha.score_mod @distance(%score: f32, %row: i32, %key: i32,\n"
      "                         %head: i32, %batch: i32) {\n"
      "  %c0 = arith.constant 0 : i32\n"
      "  %d = arith.subi %row, %key overflow<nsw> : i32 // signed\n"
      "  %neg = arith.cmpi slt, %d, %c0 : i32\n"
      "  %m = arith.subi %c0, %d : i32\n"
      "  %abs = arith.select %neg, %m, %d : i32\n"
      "  %f = arith.sitofp %abs : i32 to f32\n"
      "  %half = arith.constant 5.000000e-01 : f32\n"
      "  %p = arith.mulf %f, %half fastmath<contract,nnan> : f32\n"
      "  %0 = arith.subf %score, %p : f32\n"
      "  fmha.yield %0 : f32\n"
      "}\n";
  score_mod *mod;
  char error[ERROR_BYTES];
  if (!score_mod_parse(text, &mod, error))
    fail_msg("%s", error);
  assert_same("3 rows on", score_mod_eval(mod, 10, 5, 2, 0, 0), 8.5);
  assert_same("4 rows back", score_mod_eval(mod, 10, 2, 6, 0, 0), 8);
  score_mod_destroy(mod);
  score_mod_destroy(NULL);
}

static void test_arguments(void **state) {
  (void)state;
  assert_same("score", run("fmha.yield %s : f32", 1.25, 1, 2), 1.25);
  static const char *const names = "ijhb";
  static const double values[] = {-7, 9, 3, 4};
  for (int k = 0; k < 4; ++k) {
    char body[100];
    snprintf(body, sizeof body,
             "%%f = arith.sitofp %%%c : i32 to f32 fmha.yield %%f : f32",
             names[k]);
    assert_same(body, run(body, 0, -7, 9), values[k]);
  }
}

static void test_float_operations(void **state) {
  (void)state;
  // a is the score, 2.75, b the constant -1.5.
  const double a = 2.75, b = -1.5;
  const struct {
    const char *op;
    double expected;
  } binary[] = {{"arith.addf", 1.25},     {"arith.subf", 4.25},
                {"arith.mulf", -4.125},   {"arith.divf", a / b},
                {"arith.remf", 1.25}, // 2.75 - 1 * 1.5
                {"arith.maximumf", a},    {"arith.minimumf", b},
                {"arith.maxnumf", a},     {"arith.minnumf", b},
                {"math.powf", pow(a, b)}, {"math.atan2", atan2(a, b)},
                {"math.copysign", -2.75}};
  char body[200];
  for (size_t i = 0; i < sizeof binary / sizeof binary[0]; ++i) {
    snprintf(body, sizeof body,
             "%%c = arith.constant -1.5 : f32 %%r = %s %%s, %%c : f32 "
             "fmha.yield %%r : f32",
             binary[i].op);
    assert_same(body, run(body, a, 0, 0), binary[i].expected);
  }
  const struct {
    const char *op;
    double expected;
  } unary[] = {{"arith.negf", -a},
               {"math.absf", a},
               {"math.ceil", 3},
               {"math.floor", 2},
               {"math.trunc", 2},
               {"math.round", 3},
               {"math.roundeven", 3},
               {"math.exp", exp(a)},
               {"math.exp2", exp2(a)},
               {"math.expm1", expm1(a)},
               {"math.log", log(a)},
               {"math.log2", log2(a)},
               {"math.log10", log10(a)},
               {"math.log1p", log1p(a)},
               {"math.tanh", tanh(a)},
               {"math.sqrt", sqrt(a)},
               {"math.rsqrt", 1 / sqrt(a)},
               {"math.cbrt", cbrt(a)},
               {"math.sin", sin(a)},
               {"math.cos", cos(a)},
               {"math.tan", tan(a)},
               {"math.sinh", sinh(a)},
               {"math.cosh", cosh(a)},
               {"math.atan", atan(a)},
               {"math.erf", erf(a)}};
  for (size_t i = 0; i < sizeof unary / sizeof unary[0]; ++i) {
    snprintf(body, sizeof body, "%%r = %s %%s : f32 fmha.yield %%r : f32",
             unary[i].op);
    assert_same(body, run(body, a, 0, 0), unary[i].expected);
  }
  assert_same("fma",
              run("%c = arith.constant 2.0 : f32 "
                  "%r = math.fma %s, %c, %s : f32 fmha.yield %r : f32",
                  3, 0, 0),
              9);
  // maximumf keeps a NaN, maxnumf takes the other.
  static const char nan_of[] = "%%c = arith.constant 0x7FC00000 : f32 "
                               "%%r = arith.%s %%c, %%s : f32 "
                               "fmha.yield %%r : f32";
  snprintf(body, sizeof body, nan_of, "maximumf");
  assert_same(body, run(body, 1, 0, 0), NAN);
  snprintf(body, sizeof body, nan_of, "maxnumf");
  assert_same(body, run(body, 1, 0, 0), 1);
}

static void test_integer_operations(void **state) {
  (void)state;
  const struct {
    const char *op;
    int32_t a, b;
    double expected;
  } table[] = {
      {"arith.addi", INT32_MAX, 1, INT32_MIN},
      {"arith.subi", INT32_MIN, 1, INT32_MAX},
      {"arith.muli", 65536, 65537, 65536},
      {"arith.divsi", -7, 2, -3},
      {"arith.divsi", INT32_MIN, -1, INT32_MIN},
      {"arith.divui", -1, 2, INT32_MAX},
      {"arith.remsi", -7, 2, -1},
      {"arith.remui", -1, 16, 15},
      {"arith.floordivsi", -7, 2, -4},
      {"arith.floordivsi", 7, 2, 3},
      {"arith.floordivsi", -8, 2, -4},
      {"arith.ceildivsi", 7, 2, 4},
      {"arith.ceildivsi", -7, 2, -3},
      {"arith.ceildivsi", 8, 2, 4},
      {"arith.minsi", -1, 1, -1},
      {"arith.maxsi", -1, 1, 1},
      {"arith.minui", -1, 1, 1},
      {"arith.maxui", -1, 1, -1},
      {"arith.andi", 12, 10, 8},
      {"arith.ori", 12, 10, 14},
      {"arith.xori", 12, 10, 6},
      {"arith.shli", 3, 31, INT32_MIN},
      {"arith.shrui", -1, 31, 1},
      {"arith.shrsi", -8, 1, -4},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    char body[200];
    snprintf(body, sizeof body,
             "%%r = %s %%i, %%j : i32 %%f = arith.sitofp %%r : i32 to f32 "
             "fmha.yield %%f : f32",
             table[i].op);
    assert_same(body, run(body, 0, table[i].a, table[i].b), table[i].expected);
  }
  static const char converted[] = "%%r = %s : i32 to f32 fmha.yield %%r : f32";
  char body[200];
  snprintf(body, sizeof body, converted, "arith.uitofp %i");
  assert_same(body, run(body, 0, -1, 0), 4294967295.0);
  assert_same("absi",
              run("%a = math.absi %i : i32 %f = arith.sitofp %a : i32 to f32 "
                  "fmha.yield %f : f32",
                  0, -5, 0),
              5);
  assert_same("fptosi",
              run("%a = arith.fptosi %s : f32 to i32 "
                  "%f = arith.sitofp %a : i32 to f32 fmha.yield %f : f32",
                  -2.9, 0, 0),
              -2);
}

/// Every predicate on less, equal, greater, and for floats NaN.
static void test_comparisons(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int less, equal, greater;
  } cmpi[] = {{"eq", 0, 1, 0},
              {"ne", 1, 0, 1},
              {"slt", 1, 0, 0},
              {"sle", 1, 1, 0},
              {"sgt", 0, 0, 1},
              {"sge", 0, 1, 1},
              // -1 is the largest of all without a sign.
              {"ult", 0, 0, 1},
              {"ule", 0, 1, 1},
              {"ugt", 1, 0, 0},
              {"uge", 1, 1, 0}};
  char body[300];
  for (size_t i = 0; i < sizeof cmpi / sizeof cmpi[0]; ++i) {
    snprintf(body, sizeof body,
             "%%p = arith.cmpi %s, %%i, %%j : i32 "
             "%%f = arith.uitofp %%p : i1 to f32 fmha.yield %%f : f32",
             cmpi[i].name);
    assert_same(body, run(body, 0, -1, 1), cmpi[i].less);
    assert_same(body, run(body, 0, -1, -1), cmpi[i].equal);
    assert_same(body, run(body, 0, 1, -1), cmpi[i].greater);
  }
  static const struct {
    const char *name;
    int less, equal, greater, unordered;
  } cmpf[] = {{"false", 0, 0, 0, 0}, {"oeq", 0, 1, 0, 0}, {"ogt", 0, 0, 1, 0},
              {"oge", 0, 1, 1, 0},   {"olt", 1, 0, 0, 0}, {"ole", 1, 1, 0, 0},
              {"one", 1, 0, 1, 0},   {"ord", 1, 1, 1, 0}, {"ueq", 0, 1, 0, 1},
              {"ugt", 0, 0, 1, 1},   {"uge", 0, 1, 1, 1}, {"ult", 1, 0, 0, 1},
              {"ule", 1, 1, 0, 1},   {"une", 1, 0, 1, 1}, {"uno", 0, 0, 0, 1},
              {"true", 1, 1, 1, 1}};
  for (size_t i = 0; i < sizeof cmpf / sizeof cmpf[0]; ++i) {
    snprintf(body, sizeof body,
             "%%c = arith.constant 1.0 : f32 "
             "%%p = arith.cmpf %s, %%s, %%c : f32 "
             "%%z = arith.constant 0.0 : f32 "
             "%%r = arith.select %%p, %%c, %%z : f32 fmha.yield %%r : f32",
             cmpf[i].name);
    assert_same(body, run(body, 0, 0, 0), cmpf[i].less);
    assert_same(body, run(body, 1, 0, 0), cmpf[i].equal);
    assert_same(body, run(body, 2, 0, 0), cmpf[i].greater);
    assert_same(body, run(body, NAN, 0, 0), cmpf[i].unordered);
  }
  // i1: its only bit is its sign.
  assert_same(
      "i1",
      run("%t = arith.constant true %f = arith.constant false "
          "%x = arith.xori %t, %f : i1 %p = arith.cmpi slt, %x, %f : i1 "
          "%u = arith.extui %p : i1 to i32 "
          "%v = arith.extsi %p : i1 to i32 "
          "%c = arith.constant 10 : i32 %m = arith.muli %u, %c : i32 "
          "%a = arith.addi %m, %v : i32 "
          "%r = arith.sitofp %a : i32 to f32 fmha.yield %r : f32",
          0, 0, 0),
      9);
}

/// Constants are the floats that the kernel holds.
static void test_constants(void **state) {
  (void)state;
  static const char of[] = "%%c = arith.constant %s : f32 fmha.yield %%c : f32";
  char body[200];
  snprintf(body, sizeof body, of, "0.1");
  assert_same(body, run(body, 0, 0, 0), (double)0.1f);
  snprintf(body, sizeof body, of, "0xFF800000");
  assert_same(body, run(body, 0, 0, 0), -INFINITY);
  snprintf(body, sizeof body, of, "-1.000000e+30");
  assert_same(body, run(body, 0, 0, 0), (double)-1e30f);
  // The last definition of a name counts.
  assert_same("shadow",
              run("%s = arith.addf %s, %s : f32 fmha.yield %s : f32", 3, 0, 0),
              6);
}

static void test_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *part;
  } table[] = {
      {HEAD "%r = math.ctpop %i : i32\nfmha.yield %s : f32 }",
       "op math.ctpop, line 2"},
      {HEAD "\n%r = arith.bitcast %i : i32 to f32\nfmha.yield %r : f32 }",
       "op arith.bitcast, line 3"},
      {HEAD "%r = arith.addf %s, %t : f32 fmha.yield %r : f32 }",
       "value %t, which nothing defines"},
      {HEAD "%r = arith.addf %s, %i : f32 fmha.yield %r : f32 }",
       "arith.addf with an operand of type i32"},
      {HEAD "%r = arith.addf %i, %i : i32 fmha.yield %s : f32 }",
       "op arith.addf on i32"},
      {HEAD "%r = arith.addf %s, %s : f64 fmha.yield %s : f32 }", "type f64"},
      {HEAD "%r = arith.cmpf lt, %s, %s : f32 fmha.yield %s : f32 }",
       "predicate lt of op arith.cmpf"},
      {HEAD "%r = arith.sitofp %i : i32 to i1 fmha.yield %s : f32 }",
       "op arith.sitofp to i1"},
      {HEAD "%r = arith.constant 1.5 : i32 fmha.yield %s : f32 }",
       "integer constant"},
      {HEAD "fmha.yield %i : i32 }", "a result that is no f32"},
      {HEAD "fmha.yield %s : f32 } more", "'more' (expected the end"},
      {HEAD "%r = arith.select %i, %s, %s : f32 fmha.yield %r : f32 }",
       "arith.select with an operand of type i32"},
      {HEAD "scf.if %p {", "'scf.if' (expected fmha.yield or a value)"},
      {HEAD, "expected fmha.yield"},
      {"", "expected fmha.score_mod"},
      {"fmha.score_mod @f(%s: f32, %i: index", "type index"},
      {"fmha.score_mod @f(%s: f32, %i: f32", "argument %i of type f32"},
      {"fmha.score_mod @f(%s: f32) {", "expected ,"},
  };
  for (size_t i = 0; i < sizeof table / sizeof table[0]; ++i) {
    score_mod *mod;
    char error[ERROR_BYTES];
    if (score_mod_parse(table[i].text, &mod, error))
      fail_msg("%s was taken", table[i].text);
    assert_null(mod);
    if (!strstr(error, table[i].part))
      fail_msg("expected \"%s\" in \"%s\"", table[i].part, error);
  }
}

/// As many values as there is room for, and one more.
static void test_many_values(void **state) {
  (void)state;
  static char text[40000];
  for (int count = 507; count <= 508; ++count) {
    strcpy(text, HEAD);
    for (int i = 0; i < count; ++i)
      strcat(text, "%s = arith.negf %s : f32\n");
    strcat(text, "fmha.yield %s : f32 }");
    score_mod *mod;
    char error[ERROR_BYTES];
    bool taken = score_mod_parse(text, &mod, error);
    assert_true(taken == (count == 507));
    if (taken)
      assert_same("odd", score_mod_eval(mod, 1, 0, 0, 0, 0), -1);
    else
      assert_non_null(strstr(error, "more than 512 values"));
    score_mod_destroy(mod);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_function),
      cmocka_unit_test(test_arguments),
      cmocka_unit_test(test_float_operations),
      cmocka_unit_test(test_integer_operations),
      cmocka_unit_test(test_comparisons),
      cmocka_unit_test(test_constants),
      cmocka_unit_test(test_refused),
      cmocka_unit_test(test_many_values),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
