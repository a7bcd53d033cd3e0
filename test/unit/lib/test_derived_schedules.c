// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Schedules that are others with changes, and recipes under their own names, by
// the public interface: what they are written out, and what is wrong with them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "fmhac.h"
#include "fmhac_schedule.h"

static int set_up(void **state) {
  return fmhac_context_create(NULL, (fmhac_context **)state) != FMHAC_OK;
}

static int tear_down(void **state) {
  fmhac_context_destroy(*state);
  return 0;
}

static void expect_text(const char *text, const char *part) {
  if (!strstr(text, part))
    fail_msg("expected '%s' in: %s", part, text);
}

/// The schedule as fmhac_schedule_change() prints it. The caller frees.
static char *plain_text(fmhac_context *context, const char *text) {
  char *plain;
  if (fmhac_schedule_change(context, text, "s", NULL, 0, &plain) != FMHAC_OK)
    fail_msg("%s\n%s", fmhac_last_error(context), text);
  return plain;
}

static char *expand(fmhac_context *context, const char *text) {
  char *whole;
  if (fmhac_schedule_expand(context, text, "s.mlir", &whole) != FMHAC_OK)
    fail_msg("%s\n%s", fmhac_last_error(context), text);
  return whole;
}

/// Whatever a built-in is derived from, its text written out says the same, and
/// is its own text written out.
static void test_expanded(void **state) {
  fmhac_context *c = *state;
  const char *name;
  for (size_t i = 0; (name = fmhac_schedule_name(i)); ++i) {
    char *whole = expand(c, fmhac_schedule_text(name));
    char *again = expand(c, whole);
    assert_string_equal(again, whole);
    if (strstr(whole, " with <"))
      fail_msg("derived from another: %s", whole);
    char *plain = plain_text(c, fmhac_schedule_text(name));
    char *same = plain_text(c, whole);
    assert_string_equal(same, plain);
    fmhac_free(same);
    fmhac_free(plain);
    fmhac_free(again);
    fmhac_free(whole);
  }
}

/// Comments at the top stay; of the recipe's names there is one.
static void test_expanded_text(void **state) {
  fmhac_context *c = *state;
  char *whole = expand(c, "// mine\n// and yours\n"
                          "fmha.recipe @r = #fmha.recipe<@output [[mfma 2]]>\n"
                          "// not this\n"
                          "fmha.schedule @base = @generic with <tile_n = 32>\n"
                          "fmha.schedule @s = @base with <waves_per_simd = 1,\n"
                          "  pipeline = <recipe = @r, stages = [\n"
                          "    <@scores priority 2>]>>\n");
  assert_string_equal(
      whole,
      "// mine\n// and yours\n"
      "fmha.recipe @r = #fmha.recipe<@output [[mfma 2]]>\n"
      "fmha.schedule @s = #fmha.schedule<\n"
      "  tile_m = 128, tile_n = 32, waves = 4, waves_per_simd = 1,\n"
      "  qk = <m = 32, n = 32, k = 16>,\n"
      "  pv = <m = 32, n = 32, k = 16>,\n"
      "  k = <read = row, max_pad_bytes = 64>,\n"
      "  v = <read = column, max_pad_bytes = 64>,\n"
      "  grid = longest_first,\n"
      "  pipeline = <\n"
      "    recipe = @r,\n"
      "    stages = [\n"
      "      <@scores compute [\n"
      "        load_v, page_k ahead 1, page_v ahead 1, read_k, qk, score_mod, "
      "mask, row_max, subtract,\n"
      "        exp, write_v] priority 2>,\n"
      "      <@output compute [load_k ahead 1, convert, rescale, row_sum, "
      "read_v, pv, write_k ahead 1]>]>>\n");
  fmhac_free(whole);
}

/// Policies change operand by operand.
static void test_cache_policies(void **state) {
  fmhac_context *c = *state;
  char *whole =
      expand(c, "fmha.schedule @a = @generic with <cache = <k = nt, o = nt>>\n"
                "fmha.schedule @s = @a with <cache = <k = sc1 nt, without o,\n"
                "  part_o = sc0>>\n");
  expect_text(whole, "cache = <k = nt sc1, part_o = sc0>,");
  fmhac_free(whole);
  whole =
      expand(c, "fmha.schedule @a = @generic with <cache = <k = nt, o = nt>>\n"
                "fmha.schedule @s = @a with <without cache>\n");
  if (strstr(whole, "cache"))
    fail_msg("expected no 'cache' in: %s", whole);
  fmhac_free(whole);
}

/// Faults of a derived schedule, at their places.
static void test_derived_faults(void **state) {
  fmhac_context *c = *state;
  static const struct {
    const char *text, *words;
  } files[] = {
      {"fmha.schedule @x = @dualwav with <tile_n = 32>",
       "s.mlir:1:20: expected a base of the file or a built-in one "
       "(decode, "},
      {"fmha.schedule @x = @x with <tile_n = 32>",
       "s.mlir:1:15: expected a base that is not derived from the schedule "
       "itself, found @x = @x"},
      {"fmha.schedule @x = @y\nfmha.schedule @y = @z\nfmha.schedule @z = @x",
       "s.mlir:1:15: expected a base that is not derived from the schedule "
       "itself, found @x = @y = @z = @x"},
      {"fmha.schedule @a = @generic\nfmha.schedule @b = @generic",
       "expected exactly one fmha.schedule in the file that no other is "
       "derived from, found 2 among 2 ops: @a, @b"},
      {"fmha.schedule @x = @generic with <\n  grid = linear,\n  tile_q = 32>",
       "s.mlir:3:3: expected one of the keys tile_m, tile_n, waves, "},
      {"fmha.schedule @x = @generic with <tile_q = 32>",
       "found 'tile_q'; did you mean 'tile_m'?"},
      {"fmha.schedule @x = @generic with <k = <tile_m = 32>>",
       "s.mlir:1:40: expected one of the keys read, max_pad_bytes, buffers, "
       "layout"},
      // A place of the user's own, which has no line.
      {"module {\nfmha.schedule @a = @generic\nfmha.schedule @b = @generic\n} "
       "loc(unknown)",
       "no other is derived from, found 2 among 2 ops: @a, @b"},
      {"fmha.schedule @x = @generic with <k = <map = <row = [64], cols = "
       "[2]>>>",
       "expected one of the keys row, col, chunk_bytes, pad_bytes, found "
       "'cols'; did you mean 'col'?"},
      {"fmha.schedule @x = @generic with <tile_n = >", "s.mlir:1:"},
      {"fmha.schedule @x = @generic with <pipeline = <stages = [<@\"c d\" "
       "priority 1>]>>",
       "s.mlir:1:58: expected changes of stages of @generic (@scores, "
       "@output), found @\"c d\""},
      {"fmha.schedule @x = @generic with <pipeline = <recipe = "
       "@dualwave_d128>>",
       "s.mlir:1:1: expected @dualwave_d128 to name stages of the schedule"},
      {"fmha.schedule @x = @generic with <grid = linear, grid = linear>",
       "s.mlir:1:50: expected one change of 'grid', found grid = linear after "
       "another"},
      {"fmha.schedule @x = @generic with <qk = <m = 16, m = 16>>",
       "s.mlir:1:49: expected one change of 'm', found m = 16 after another"},
      {"fmha.schedule @x = @generic with <k = [<]>>",
       "s.mlir:1:34: unbalanced '<' character"},
      {"fmha.schedule @x = @generic with <grid = longst>",
       "s.mlir:1:42: expected one of [linear, longest_first, head_major]"},
      {"fmha.schedule @x = @generic with <\n  tile_n = 48>",
       "s.mlir:2:3: expected tile_n to be a power of two and a multiple of "
       "qk.m = 32 and pv.k = 16, found 48"},
      {"fmha.schedule @x = @generic with <without sums>",
       "s.mlir:1:43: expected @generic to have 'sums' set, found it at its "
       "default"},
      {"fmha.schedule @x = @generic with <pipeline = <stages = [\n  "
       "<@scors anchor>]>>",
       "s.mlir:2:4: expected changes of stages of @generic (@scores, @output), "
       "found @scors"},
      {"fmha.schedule @x = @generic with <pipeline = <stages = [\n  "
       "<@scores anchor>, <@scores nops 1>]>>",
       "s.mlir:2:21: expected one change of '@scores', found <@scores nops 1> "
       "after another"},
      {"fmha.schedule @x = @generic with <pipeline = <stages = [\n  "
       "<@scores nops 1 nops 2>]>>",
       "s.mlir:2:19: expected each option of a stage once, found 'nops'"},
      {"fmha.schedule @x = @generic with <pipeline = <stages = [\n  "
       "<@scores without anchor>]>>",
       "s.mlir:2:20: expected @generic to have 'anchor' set, found it at its "
       "default"},
      {"fmha.schedule @x = @generic with <pipeline = <stages = [\n  "
       "<@scores [qk, qz]>]>>",
       "s.mlir:2:17: expected one of [load_k, load_v, qk, mask, rescale, pv, "},
      {"fmha.schedule @x = @generic with <pipeline = <stages = [\n  "
       "<@scores nops 99>]>>",
       "s.mlir:2:3: expected nops of @scores in 0..16, found 99"},
      {"fmha.schedule @x = @generic with <pipeline = <stages = [\n  "
       "<@scores anchored>]>>",
       "s.mlir:2:12: expected groups, priority, nops or anchor, found "
       "'anchored'"},
      {"fmha.schedule @x = @generic with <pipeline = <recipe = @r>>",
       "s.mlir:1:56: expected a recipe of the file or a built-in one, found "
       "@r"},
      {"fmha.recipe @r = #fmha.recipe<@scores [[mfma 1]],\n"
       "  @outputs [[mfma 1]]>\n"
       "fmha.schedule @x = @generic with <pipeline = <recipe = @r>>",
       "s.mlir:2:3: expected @r to name stages of the schedule (@scores, "
       "@output), found @outputs"},
      {"fmha.recipe @r = #fmha.recipe<@scores [[mfma 1]],\n"
       "  @output [[mfma 1, trans 1]]>\n"
       "fmha.schedule @x = @dualwave with <pipeline = <recipe = @r, stages = ["
       "<@output [pv ahead -1, subtract]>, "
       "<@scores [qk, exp ahead -1, row_sum ahead -1, convert ahead -1]>]>>",
       "s.mlir:2:3: expected groups of @output of classes that its steps have, "
       "found 'trans', which none of them makes"},
      {"fmha.recipe @r = #fmha.recipe<@scores [[mfmo 1]]>\n"
       "fmha.schedule @x = @generic with <pipeline = <recipe = @r>>",
       "s.mlir:1:41: expected one of [mfma, valu, trans, ds_read, vmem, salu] "
       "for a class of instructions, got: mfmo"},
      {"fmha.schedule @x = @generic with <cache = <k = nt\n  slc>>",
       "s.mlir:2:3: expected sc0, nt or sc1, found 'slc'"},
      {"fmha.schedule @a = @generic with <cache = <k = nt>>\n"
       "fmha.schedule @x = @a with <cache = <without k>>",
       "expected cache with sc0, nt or sc1 of an operand, or no cache at all; "
       "found one of no operand"},
      {"fmha.schedule @x = @generic with <tile_n = 32",
       "expected keys of a schedule and their values, up to a '>'"},
  };
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
    char *whole;
    assert_int_equal(fmhac_schedule_expand(c, files[i].text, "s.mlir", &whole),
                     FMHAC_INVALID_INPUT);
    assert_null(whole);
    expect_text(fmhac_last_error(c), files[i].words);
  }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
  const struct CMUnitTest tests[] = {
      TEST(test_expanded),
      TEST(test_expanded_text),
      TEST(test_cache_policies),
      TEST(test_derived_faults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
