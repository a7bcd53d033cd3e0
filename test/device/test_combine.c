// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernel that makes results of results over parts of the keys, by itself:
// parts and records are written here, and O and LSE compared with the formula
// in double precision. O of a chunk without keys is never written, or NaN: the
// checkers tell who reads it.
#include "combine_test.h"
#include "fmhac_abi.h"
#include "kernels_test.h"
#include "work_list.h"

enum { MOST_CHUNKS = 320, MOST_ITEMS = 64, COMPUTE_UNITS = 256 };

/// One combination: sequences of `rows` rows each, whose keys are divided into
/// `chunks`; 1: the sequence needs none.
typedef struct problem {
  const char *json; ///< of the configuration, beside role and head size
  o_type type;
  uint32_t columns, heads, sequences;
  const uint32_t *rows, *chunks; ///< of each sequence
  bool lse, sink, packed, bhsd;
  uint32_t heads_an_item; ///< 0: all
  uint32_t tile;          ///< rows of an item, the most
  uint32_t group;         ///< heads whose rows items have in turn; 0: none
  float o_scale;
} problem;

/// What a launch reads and writes.
typedef struct data {
  size_t part_rows, o_rows;
  float *part_o, *part_lse, *sinks; ///< on the host
  double *lses;
  fmhac_combine_item items[MOST_ITEMS];
  size_t item_count;
  int32_t *starts;
  uint32_t longest;
  fmhac_kernel_args args;
  size_t o_bytes, lse_bytes;
} data;

static fmhac_context *g_context;
static fmhac_rt_device *g_device;

static fmhac_device_ptr upload(const void *from, size_t bytes) {
  fmhac_device_ptr address;
  assert_int_equal(fmhac_rt_alloc(g_device, bytes, &address), FMHAC_OK);
  assert_int_equal(fmhac_rt_copy_in(g_device, address, from, bytes), FMHAC_OK);
  return address;
}

static void *reserve(size_t bytes) {
  void *p = calloc(1, bytes + 1);
  assert_non_null(p);
  return p;
}

/// LSE of a chunk: usual ones, some that saw no key, some far from the others.
static float make_lse(uint32_t *seed, uint32_t row, uint32_t chunk,
                      uint32_t chunks) {
  switch (row % 8) {
  case 0: // no chunk has a key
    return -INFINITY;
  case 1: // one does
    return chunk == row / 8 % chunks ? 3.5f : -INFINITY;
  case 2: // some do not
    return next(seed) % 3 ? (float)(8 * next_unit(seed)) : -INFINITY;
  case 3: // the weights of most are 0 in f32
    return (float)(200 * next_unit(seed));
  default:
    return (float)(4 * next_unit(seed));
  }
}

/// Rows of a sequence, and heads, as records count them.
static uint32_t record_rows(const problem *p, uint32_t b) {
  return p->rows[b] * (p->group ? p->group : 1);
}
static uint32_t record_heads(const problem *p) {
  return p->group ? p->heads / p->group : p->heads;
}

/// Parts in the order of the records, and the records.
static void make_parts(const problem *p, data *d) {
  uint32_t seed = 7;
  size_t base = 0, packed_row = 0;
  d->starts = reserve((p->sequences + 1) * sizeof *d->starts);
  for (uint32_t b = 0; b < p->sequences; ++b) {
    d->longest = p->rows[b] > d->longest ? p->rows[b] : d->longest;
    d->starts[b] = (int32_t)packed_row;
    packed_row += p->rows[b];
    if (p->chunks[b] > 1)
      d->part_rows += (size_t)p->chunks[b] * p->heads * p->rows[b];
  }
  d->starts[p->sequences] = (int32_t)packed_row;
  d->o_rows = p->packed ? packed_row : (size_t)p->sequences * d->longest;
  d->part_o = reserve(d->part_rows * p->columns * sizeof(float));
  d->part_lse = reserve(d->part_rows * sizeof(float));
  d->sinks = reserve(p->heads * sizeof(float));
  for (uint32_t h = 0; h < p->heads; ++h)
    d->sinks[h] = (float)(3 * next_unit(&seed));
  const uint32_t heads = record_heads(p);
  const uint32_t step = p->heads_an_item ? p->heads_an_item : heads;
  for (uint32_t b = 0; b < p->sequences; ++b) {
    const uint32_t chunks = p->chunks[b];
    for (uint32_t first = 0; chunks > 1 && first < record_rows(p, b);
         first += p->tile) {
      const uint32_t left = record_rows(p, b) - first;
      const uint32_t n = left < p->tile ? left : p->tile;
      for (uint32_t h = 0; h < heads; h += step) {
        assert_true(d->item_count < MOST_ITEMS);
        const uint32_t end = h + step < heads ? h + step : heads;
        d->items[d->item_count++] =
            (fmhac_combine_item){.batch = (int32_t)b,
                                 .part = (int32_t)(base + (size_t)h * n),
                                 .row_begin = (int32_t)first,
                                 .row_end = (int32_t)(first + n),
                                 .chunks = (int32_t)chunks,
                                 .group = (int32_t)p->group,
                                 .unused = -1,
                                 .heads = (int32_t)(h | end << 16)};
      }
      for (uint32_t c = 0; c < chunks; ++c)
        for (uint32_t i = 0; i < heads * n; ++i) {
          const size_t row = base + (size_t)c * heads * n + i;
          d->part_lse[row] = make_lse(&seed, first + i, c, chunks);
          for (uint32_t k = 0; k < p->columns; ++k)
            d->part_o[row * p->columns + k] = (float)(2 * next_unit(&seed));
        }
      base += (size_t)chunks * heads * n;
    }
  }
}

/// O of chunks without a key is NaN in every third row, in others never
/// written.
static fmhac_device_ptr upload_part_o(const problem *p, const data *d) {
  const size_t row_bytes = p->columns * sizeof(float);
  fmhac_device_ptr address;
  assert_int_equal(fmhac_rt_alloc(g_device, d->part_rows * row_bytes, &address),
                   FMHAC_OK);
  for (size_t row = 0; row < d->part_rows; ++row) {
    const fmhac_device_ptr to = address + row * row_bytes;
    if (d->part_lse[row] != -INFINITY)
      assert_int_equal(fmhac_rt_copy_in(g_device, to,
                                        d->part_o + row * p->columns,
                                        row_bytes),
                       FMHAC_OK);
    else if (row % 3 == 0)
      assert_int_equal(fmhac_rt_fill(g_device, to, 0xff, row_bytes), FMHAC_OK);
  }
  return address;
}

static void make_args(const problem *p, data *d) {
  const uint64_t row = p->columns * bytes_of(p->type);
  const uint32_t rows = p->packed ? (uint32_t)d->o_rows : d->longest;
  const uint64_t batch = p->packed ? 0 : row * p->heads * rows;
  const int32_t count = (int32_t)d->item_count;
  d->o_bytes = d->o_rows * p->heads * row;
  d->lse_bytes = d->o_rows * p->heads * sizeof(float);
  d->args = (fmhac_kernel_args){
      .batch = p->sequences,
      .heads_q = p->heads,
      .heads_kv = record_heads(p),
      .seqlen_q = d->longest,
      .o_batch_stride = batch,
      .o_head_stride = p->bhsd ? row * rows : row,
      .o_row_stride = p->bhsd ? row : row * p->heads,
      .lse_batch_stride =
          p->packed ? 0 : (uint64_t)p->heads * rows * sizeof(float),
      .lse_head_stride = rows * sizeof(float),
      .part_o = upload_part_o(p, d),
      .part_lse = upload(d->part_lse, d->part_rows * sizeof(float)),
      .combine_items = upload(d->items, sizeof d->items),
      .combine_count = upload(&count, sizeof count)};
  assert_int_equal(fmhac_rt_alloc(g_device, d->o_bytes, &d->args.o), FMHAC_OK);
  assert_int_equal(fmhac_rt_alloc(g_device, d->lse_bytes, &d->args.lse),
                   FMHAC_OK);
  if (p->sink)
    d->args.sink = upload(d->sinks, p->heads * sizeof(float));
  if (p->packed)
    d->args.cu_seqlens_q =
        upload(d->starts, (p->sequences + 1) * sizeof *d->starts);
  if (p->type == O_FP8)
    d->args.o_scale = upload(&p->o_scale, sizeof p->o_scale);
}

static void release(data *d) {
  const fmhac_device_ptr all[] = {
      d->args.part_o, d->args.part_lse,     d->args.combine_items,
      d->args.o,      d->args.lse,          d->args.combine_count,
      d->args.sink,   d->args.cu_seqlens_q, d->args.o_scale};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i)
    if (all[i])
      assert_int_equal(fmhac_rt_free(g_device, all[i]), FMHAC_OK);
  void *const host[] = {d->part_o, d->part_lse, d->sinks, d->starts};
  for (size_t i = 0; i < sizeof host / sizeof host[0]; ++i)
    free(host[i]);
}

//===- Launching ----------------------------------------------------------===//

typedef struct loaded {
  fmhac_kernel *kernel;
  fmhac_rt_module *module;
  const char *name;
} loaded;

static loaded load(const problem *p) {
  char json[512];
  snprintf(json, sizeof json,
           "{\"role\": \"combine\", \"head_dim_v\": %u%s%s%s%s%s}", p->columns,
           p->json[0] ? ", " : "", p->json, p->lse ? ", \"lse\": true" : "",
           p->sink ? ", \"sink\": true" : "",
           p->packed ? ", \"cu_seqlens_q\": true" : "");
  fmhac_config *config;
  loaded l;
  if (fmhac_config_create_json(g_context, json, &config) != FMHAC_OK ||
      fmhac_compile(g_context, config, &l.kernel) != FMHAC_OK)
    fail_msg("%s: %s", json, fmhac_last_error(g_context));
  fmhac_config_destroy(config);
  assert_int_equal(fmhac_kernel_entry_count(l.kernel), 1);
  fmhac_kernel_info info = {.size = sizeof info};
  assert_int_equal(fmhac_kernel_get_info(l.kernel, 0, &info), FMHAC_OK);
  assert_string_equal(info.role, "combine");
  assert_int_equal(info.spills, 0);
  assert_int_equal(info.scratch_bytes, 0);
  // Room for two waves of a SIMD.
  assert_true(info.vgprs <= 256);
  l.name = info.name;
  const void *code;
  size_t bytes;
  assert_int_equal(fmhac_kernel_get_code(l.kernel, &code, &bytes), FMHAC_OK);
  assert_int_equal(fmhac_rt_module_load(g_device, code, bytes, &l.module),
                   FMHAC_OK);
  return l;
}

static void unload(loaded *l) {
  fmhac_rt_module_unload(g_device, l->module);
  fmhac_kernel_destroy(l->kernel);
}

/// Work-items that combine a row: the first power of two of pieces of 8
/// columns.
static uint32_t lanes_of(uint32_t columns) {
  uint32_t lanes = 1;
  while (8 * lanes < columns)
    lanes *= 2;
  return lanes;
}

enum { UNTOUCHED = 0x5a };

static void launch(const problem *p, const loaded *l, data *d) {
  assert_int_equal(fmhac_rt_fill(g_device, d->args.o, UNTOUCHED, d->o_bytes),
                   FMHAC_OK);
  assert_int_equal(
      fmhac_rt_fill(g_device, d->args.lse, UNTOUCHED, d->lse_bytes), FMHAC_OK);
  const uint64_t pieces = (uint64_t)d->longest * p->heads * p->sequences;
  const uint64_t most = 8 * COMPUTE_UNITS;
  const fmhac_rt_launch launch = {
      .size = sizeof launch,
      .kernel = l->name,
      .grid = {(uint32_t)(pieces < most ? pieces : most), 1, 1},
      .block = {LANES, 1, 1},
      .kernarg = &d->args,
      .kernarg_bytes = sizeof d->args};
  if (fmhac_rt_launch_kernel(g_device, l->module, &launch) != FMHAC_OK)
    fail_msg("%s", fmhac_rt_last_error(g_device));
}

static unsigned char *results_of(const data *d) {
  unsigned char *all = reserve(d->o_bytes + d->lse_bytes);
  assert_int_equal(fmhac_rt_copy_out(g_device, d->args.o, all, d->o_bytes),
                   FMHAC_OK);
  assert_int_equal(
      fmhac_rt_copy_out(g_device, d->args.lse, all + d->o_bytes, d->lse_bytes),
      FMHAC_OK);
  return all;
}

//===- Judging ------------------------------------------------------------===//

static bool is_untouched(const unsigned char *bytes, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (bytes[i] != UNTOUCHED)
      return false;
  return true;
}

/// Row `row` of head `head` of a sequence, of which the formula makes `exact`.
static void judge_o(const problem *p, const unsigned char *found, sum exact,
                    const char *where) {
  const double scale = p->type == O_FP8 ? (double)p->o_scale : 1;
  const double most = p->type == O_FP8 ? 448 : INFINITY;
  const double o = load_o(found, p->type);
  const double expected = fmin(fmax(exact.o / scale, -most), most);
  // Kernels take f32 below 2^-126 for zeros, weights of O of up to 2 and
  // products: of each chunk two.
  const double bound = bound_of(expected, exact.terms / scale, p->type) +
                       2 * 2 * MOST_CHUNKS * 0x1p-126 / scale;
  if (isnan(exact.o) ? !isnan(o) : !(fabs(o - expected) <= bound))
    fail_msg("%s: O %.9g, expected %.9g +- %.3g", where, o, expected, bound);
}

static void judge_lse(float found, double exact, const char *where) {
  const double bound = 2e-6 * fmax(1, fabs(exact));
  if (isfinite(exact) ? !(fabs((double)found - exact) <= bound)
      : isnan(exact)  ? !isnan(found)
                      : (double)found != exact)
    fail_msg("%s: LSE %.9g, expected %.9g", where, (double)found, exact);
}

/// A row of Q and its head: of row `row` of a record, for its head `h`.
typedef struct place {
  uint32_t row, head;
} place;

static place place_of(const problem *p, uint32_t row, uint32_t h) {
  return p->group ? (place){row / p->group, h * p->group + row % p->group}
                  : (place){row, h};
}

static void judge_row(const problem *p, const data *d,
                      const unsigned char *results, uint32_t b, uint32_t first,
                      uint32_t n, size_t base, uint32_t record_head,
                      uint32_t r) {
  const size_t width = bytes_of(p->type);
  const fmhac_kernel_args *a = &d->args;
  const place at = place_of(p, first + r, record_head);
  const uint32_t h = at.head;
  const size_t row = (p->packed ? (size_t)d->starts[b] : 0) + at.row;
  const size_t o =
      b * a->o_batch_stride + h * a->o_head_stride + row * a->o_row_stride;
  const size_t lse = d->o_bytes + b * a->lse_batch_stride +
                     h * a->lse_head_stride + row * sizeof(float);
  double lses[MOST_CHUNKS], os[MOST_CHUNKS];
  sum exact = {0, 0, 0};
  char where[96];
  snprintf(where, sizeof where, "Dv %u, sequence %u, head %u, row %u",
           p->columns, b, h, at.row);
  for (uint32_t k = 0; k < p->columns; ++k) {
    for (uint32_t c = 0; c < p->chunks[b]; ++c) {
      const size_t part =
          base + ((size_t)c * record_heads(p) + record_head) * n + r;
      lses[c] = (double)d->part_lse[part];
      os[c] = (double)d->part_o[part * p->columns + k];
    }
    exact = combine(lses, os, p->chunks[b],
                    p->sink ? (double)d->sinks[h] : -INFINITY);
    judge_o(p, results + o + k * width, exact, where);
  }
  float found;
  memcpy(&found, results + lse, sizeof found);
  if (p->lse)
    judge_lse(found, exact.lse, where);
  else
    assert_true(is_untouched(results + lse, sizeof found));
}

static void judge(const problem *p, const data *d,
                  const unsigned char *results) {
  size_t base = 0;
  for (uint32_t b = 0; b < p->sequences; ++b)
    for (uint32_t first = 0; first < record_rows(p, b); first += p->tile) {
      const uint32_t left = record_rows(p, b) - first;
      const uint32_t n = left < p->tile ? left : p->tile;
      for (uint32_t h = 0; h < record_heads(p); ++h)
        for (uint32_t r = 0; r < n; ++r) {
          if (p->chunks[b] > 1) {
            judge_row(p, d, results, b, first, n, base, h, r);
            continue;
          }
          // Nobody asked for it.
          const fmhac_kernel_args *a = &d->args;
          const place at = place_of(p, first + r, h);
          const size_t row = (p->packed ? (size_t)d->starts[b] : 0) + at.row;
          assert_true(is_untouched(results + b * a->o_batch_stride +
                                       at.head * a->o_head_stride +
                                       row * a->o_row_stride,
                                   p->columns * bytes_of(p->type)));
        }
      if (p->chunks[b] > 1)
        base += (size_t)p->chunks[b] * record_heads(p) * n;
    }
}

/// Combines, in every order of waves and loads, and of records: the same
/// results, those of the formula.
static void run(const problem *p) {
  data d = {.part_rows = 0};
  make_parts(p, &d);
  make_args(p, &d);
  loaded l = load(p);
  assert_int_equal(set_order(g_device, 0), FMHAC_OK);
  launch(p, &l, &d);
  unsigned char *first = results_of(&d);
  judge(p, &d, first);
  for (size_t i = 0; i < d.item_count / 2; ++i) {
    const fmhac_combine_item item = d.items[i];
    d.items[i] = d.items[d.item_count - 1 - i];
    d.items[d.item_count - 1 - i] = item;
  }
  assert_int_equal(
      fmhac_rt_copy_in(g_device, d.args.combine_items, d.items, sizeof d.items),
      FMHAC_OK);
  for (int order = 1; order < ORDERS; ++order) {
    assert_int_equal(set_order(g_device, order), FMHAC_OK);
    launch(p, &l, &d);
    unsigned char *again = results_of(&d);
    assert_memory_equal(first, again, d.o_bytes + d.lse_bytes);
    free(again);
  }
  free(first);
  unload(&l);
  release(&d);
}

//===- Tests --------------------------------------------------------------===//

#define LIST(...) ((const uint32_t[]){__VA_ARGS__})

/// Every head size, with one row and several, in a tile or in more.
static void test_head_sizes(void **state) {
  (void)state;
  for (uint32_t columns = 8; columns <= 256; columns += 8)
    run(&(problem){.json = "",
                   .columns = columns,
                   .heads = 2,
                   .sequences = 2,
                   .rows = LIST(5, 1),
                   .chunks = LIST(3, 7),
                   .lse = true,
                   .tile = 4});
}

/// Rows of groups of heads, of all sizes, in tiles that they do not divide.
static void test_groups(void **state) {
  (void)state;
  for (uint32_t group = 1; group <= 17; group += group < 8 ? 1 : 3)
    run(&(problem){.json = "",
                   .columns = 64,
                   .heads = 3 * group,
                   .sequences = 4,
                   .rows = LIST(5, 1, 2, 8),
                   .chunks = LIST(3, 7, 1, 2),
                   .lse = true,
                   .sink = group % 2,
                   .packed = group % 3 == 0,
                   .bhsd = group % 4 == 0,
                   .heads_an_item = group % 3,
                   .tile = 16,
                   .group = group});
}

/// Every type of O; fp8 with a factor that takes some beyond 448.
static void test_types(void **state) {
  (void)state;
  static const struct {
    const char *json;
    o_type type;
    float o_scale;
  } types[] = {{"\"dtype\": \"bf16\"", O_BF16, 1},
               {"\"dtype\": \"f16\"", O_F16, 1},
               {"\"out_dtype\": \"f32\"", O_F32, 1},
               {"\"dtype\": \"fp8\", \"out_dtype\": \"fp8\"", O_FP8, 0.05f},
               {"\"dtype\": \"fp8\", \"out_dtype\": \"fp8\"", O_FP8, 0.003f}};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
    for (int packed = 0; packed < 2; ++packed)
      run(&(problem){.json = types[i].json,
                     .type = types[i].type,
                     .o_scale = types[i].o_scale,
                     .columns = packed ? 128 : 72,
                     .heads = 4,
                     .sequences = 4,
                     .rows = LIST(17, 1, 3, 1),
                     .chunks = LIST(2, 1, 5, 11),
                     .lse = i % 2 == 0,
                     .sink = i % 2 == 1,
                     .packed = packed,
                     .bhsd = i % 3 == 1,
                     .tile = 16});
}

/// A sink counts once, whatever the number of chunks; rows without a key are
/// zeros and the sink.
static void test_sinks(void **state) {
  (void)state;
  run(&(problem){.json = "",
                 .columns = 64,
                 .heads = 8,
                 .sequences = 3,
                 .rows = LIST(9, 1, 2),
                 .chunks = LIST(2, 40, 3),
                 .lse = true,
                 .sink = true,
                 .tile = 8});
}

/// More chunks than a wave looks at at once, for one row.
static void test_many_chunks(void **state) {
  (void)state;
  run(&(problem){.json = "\"out_dtype\": \"f32\"",
                 .type = O_F32,
                 .columns = 128,
                 .heads = 8,
                 .sequences = 1,
                 .rows = LIST(1),
                 .chunks = LIST(300),
                 .lse = true,
                 .tile = 128});
  run(&(problem){.json = "",
                 .columns = 8,
                 .heads = 9,
                 .sequences = 1,
                 .rows = LIST(3),
                 .chunks = LIST(61),
                 .lse = true,
                 .tile = 128});
}

/// Fewer workgroups than records: each takes several. And more: several take
/// pieces of one.
static void test_workgroups(void **state) {
  (void)state;
  run(&(problem){.json = "",
                 .columns = 128,
                 .heads = 16,
                 .sequences = 2,
                 .rows = LIST(1, 1),
                 .chunks = LIST(4, 3),
                 .lse = true,
                 .heads_an_item = 1,
                 .tile = 128});
  run(&(problem){.json = "",
                 .columns = 256,
                 .heads = 5,
                 .sequences = 4,
                 .rows = LIST(33, 1, 1, 1),
                 .chunks = LIST(2, 1, 1, 1),
                 .lse = true,
                 .tile = 64});
}

/// Records that are not counted are not looked at.
static void test_no_records(void **state) {
  (void)state;
  const problem p = {.json = "",
                     .columns = 64,
                     .heads = 2,
                     .sequences = 2,
                     .rows = LIST(4, 4),
                     .chunks = LIST(2, 3),
                     .lse = true,
                     .tile = 16};
  data d = {.part_rows = 0};
  make_parts(&p, &d);
  make_args(&p, &d);
  loaded l = load(&p);
  assert_int_equal(set_order(g_device, 0), FMHAC_OK);
  const int32_t none = 0;
  assert_int_equal(
      fmhac_rt_copy_in(g_device, d.args.combine_count, &none, sizeof none),
      FMHAC_OK);
  launch(&p, &l, &d);
  unsigned char *results = results_of(&d);
  assert_true(is_untouched(results, d.o_bytes + d.lse_bytes));
  free(results);
  unload(&l);
  release(&d);
}

/// NaN and +inf are results of attention, too, and go through.
static void test_not_numbers(void **state) {
  (void)state;
  const problem p = {.json = "",
                     .columns = 64,
                     .heads = 4,
                     .sequences = 1,
                     .rows = LIST(2),
                     .chunks = LIST(3),
                     .lse = true,
                     .tile = 16};
  data d = {.part_rows = 0};
  make_parts(&p, &d);
  for (size_t row = 0; row < d.part_rows; ++row)
    d.part_lse[row] = 1;
  // Rows of the second chunk: head 0 row 0, head 1 row 1, head 2 row 0.
  const size_t chunk = p.heads * p.rows[0];
  d.part_lse[chunk] = NAN;
  d.part_lse[chunk + 3] = INFINITY;
  d.part_o[(chunk + 4) * p.columns + 5] = INFINITY;
  d.part_o[(chunk + 4) * p.columns + 6] = NAN;
  make_args(&p, &d);
  loaded l = load(&p);
  assert_int_equal(set_order(g_device, 0), FMHAC_OK);
  launch(&p, &l, &d);
  unsigned char *results = results_of(&d);
  const size_t row = d.args.o_row_stride;
  const struct {
    size_t at;
    int column; ///< -1: all
    double expected;
  } places[] = {{0, -1, NAN},
                {row + d.args.o_head_stride, -1, NAN},
                {2 * d.args.o_head_stride, 5, INFINITY},
                {2 * d.args.o_head_stride, 6, NAN}};
  for (size_t i = 0; i < sizeof places / sizeof places[0]; ++i)
    for (int k = 0; k < (int)p.columns; ++k) {
      const double o = load_o(results + places[i].at + 2 * (size_t)k, O_BF16);
      if (places[i].column == -1 || places[i].column == k)
        assert_true(isnan(places[i].expected) ? isnan(o)
                                              : o == places[i].expected);
    }
  // Beside them.
  assert_true(isfinite(load_o(results + 2 * d.args.o_head_stride, O_BF16)));
  assert_true(isfinite(load_o(results + row, O_BF16)));
  float lse[8];
  memcpy(lse, results + d.o_bytes, sizeof lse);
  assert_true(isnan(lse[0]) && isnan(lse[3]));
  assert_true(fabsf(lse[4] - (1 + logf(3))) < 1e-6f);
  free(results);
  unload(&l);
  release(&d);
}

/// What adding in f32 makes of the O of `count` chunks, all of weight 1, in the
/// order of docs/compiler.md, Combining: up to eight in ascending order; of
/// more each of T teams, as many as rows have room in a wave, every Tth, and
/// then the sums of neighbours.
static float sum_in_order(const float *o, uint32_t count, uint32_t teams) {
  float sums[LANES] = {0};
  const uint32_t all = count <= 8 ? 1 : teams;
  for (uint32_t c = 0; c < count; ++c)
    sums[c % all] += o[c];
  for (uint32_t distance = 1; distance < all; distance *= 2)
    for (uint32_t t = 0; t < all; t += 2 * distance)
      sums[t] += sums[t + distance];
  return sums[0];
}

/// The order in which chunks are added is that of their numbers, so that the
/// bytes do not depend on who adds them: 2^24 swallows the ones that are added
/// to it, before it is taken away again.
static void test_order(void **state) {
  (void)state;
  static const uint32_t counts[] = {4, 5, 8, 9, 17, 37, 64, 65, 130, 300};
  static const uint32_t columns[] = {64, 128, 512};
  enum { COUNTS = sizeof counts / sizeof counts[0], COLUMNS = 3 };
  uint32_t differ = 0;
  for (size_t i = 0; i < COLUMNS; ++i) {
    problem p = {.json = "\"out_dtype\": \"f32\"",
                 .type = O_F32,
                 .columns = columns[i],
                 .heads = 1,
                 .sequences = 1,
                 .rows = LIST(1),
                 .tile = 16};
    loaded l = load(&p);
    for (size_t n = 0; n < COUNTS; ++n) {
      const uint32_t count = counts[n];
      float o[MOST_CHUNKS];
      for (uint32_t c = 0; c < count; ++c)
        o[c] = c == 0 ? 0x1p24f : c + 1 == count ? -0x1p24f : 1;
      p.chunks = &count;
      data d = {.part_rows = 0};
      make_parts(&p, &d);
      for (uint32_t c = 0; c < count; ++c) {
        d.part_lse[c] = 2;
        for (uint32_t k = 0; k < p.columns; ++k)
          d.part_o[c * p.columns + k] = o[c];
      }
      make_args(&p, &d);
      assert_int_equal(set_order(g_device, 0), FMHAC_OK);
      launch(&p, &l, &d);
      unsigned char *results = results_of(&d);
      const double all =
          (double)sum_in_order(o, count, LANES / lanes_of(p.columns));
      const double expected = all / count;
      differ += all > 0;
      for (uint32_t k = 0; k < p.columns; ++k) {
        const double found = load_o(results + 4 * k, O_F32);
        if (!(fabs(found - expected) <= 1e-6 * expected))
          fail_msg("Dv %u, %u chunks: O %.9g, expected %.9g", p.columns, count,
                   found, expected);
      }
      free(results);
      release(&d);
    }
    unload(&l);
  }
  assert_true(differ > 5);
}

int main(void) {
  g_context = open_context();
  if (!g_context || fmhac_rt_device_open("emu", &g_device) != FMHAC_OK)
    return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_head_sizes),  cmocka_unit_test(test_groups),
      cmocka_unit_test(test_types),       cmocka_unit_test(test_sinks),
      cmocka_unit_test(test_many_chunks), cmocka_unit_test(test_workgroups),
      cmocka_unit_test(test_no_records),  cmocka_unit_test(test_order),
      cmocka_unit_test(test_not_numbers)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  fmhac_rt_device_close(g_device);
  fmhac_context_destroy(g_context);
  return failed;
}
