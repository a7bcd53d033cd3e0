// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The planner's kernel, generated as a compilation does, on the emulator: the
// lists of the host, bit by bit, under every check, in orders of waves and of
// loads that change from batch to batch.
#include "audit.h"
#include "compiler.h"
#include "fmhac_abi.h"
#include "fmhac_emu.h"
#include "generate.h"
#include "kernel_code.h"
#include "kernels_test.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/IR.h"
#include "package.h"
#include "session.h"
#include "translate.h"
#include "work_batch.h"
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

static const char *const kernel_name = "plan";

typedef struct fixture {
  fmhac_context *context;
  fmhac_rt_device *device;
} fixture;

static void check(const fixture *f, fmhac_status status) {
  if (status != FMHAC_OK)
    fail_msg("%s; %s", fmhac_last_error(f->context),
             fmhac_rt_last_error(f->device));
}

//===- Code ---------------------------------------------------------------===//

/// A code object of the planner alone, of so many kernels of attention.
static void make_code(const fixture *f, const fmhac_work_rules *rules,
                      size_t count, fmhac_code *out) {
  check(f, fmhac_session_get(f->context));
  struct fmhac_session *session = f->context->compiler->session;
  const fmhac_note_fields fields = {
      .config = "{}", .score_mod_text = "", .pipeline = ""};
  size_t note_bytes;
  void *note = fmhac_package_note(&fields, &note_bytes);
  assert_non_null(note);
  MlirModule empty =
      mlirModuleCreateEmpty(mlirLocationUnknownGet(session->mlir));
  LLVMContextRef context;
  LLVMModuleRef module;
  check(f, fmhac_translate_module(session, empty, note, note_bytes, &context,
                                  &module));
  check(f, fmhac_translate_planner(session, rules, count, kernel_name, module));
  check(f, fmhac_generate(session, module, &kernel_name, 1, out));
  check(f, fmhac_audit_code(f->context, out->linked, out->linked_bytes));
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  mlirModuleDestroy(empty);
  free(note);
}

//===- Run ----------------------------------------------------------------===//

enum { FILL = 0x5a };

/// Memory of the device: `from`, or bytes of FILL.
static fmhac_device_ptr put(const fixture *f, const void *from, size_t bytes) {
  fmhac_device_ptr address;
  const size_t size = bytes ? bytes : 1;
  check(f, fmhac_rt_alloc(f->device, size, &address));
  check(f, from ? fmhac_rt_copy_in(f->device, address, from, bytes)
                : fmhac_rt_fill(f->device, address, FILL, size));
  return address;
}

/// What the device wrote is what the host wrote. Gives the memory back.
static void compare(const fixture *f, const char *what, uint64_t seed,
                    fmhac_device_ptr address, const void *expected,
                    size_t bytes) {
  char *found = malloc(bytes + 1);
  assert_non_null(found);
  check(f, fmhac_rt_copy_out(f->device, address, found, bytes));
  for (size_t i = 0; i < bytes; ++i)
    if (found[i] != ((const char *)expected)[i])
      fail_msg("seed %llu: %s differs from the host's at byte %zu of %zu",
               (unsigned long long)seed, what, i, bytes);
  free(found);
  check(f, fmhac_rt_free(f->device, address));
}

/// Whether memory of put() without bytes has others than FILL.
static bool has_changed(const fixture *f, fmhac_device_ptr address,
                        size_t bytes) {
  unsigned char *found = malloc(bytes + 1);
  assert_non_null(found);
  check(f, fmhac_rt_copy_out(f->device, address, found, bytes));
  size_t same = 0;
  while (same < bytes && found[same] == FILL)
    ++same;
  free(found);
  return same < bytes;
}

/// A different order of waves and completion of loads for each seed.
static void configure(const fixture *f, uint64_t seed) {
  static const fmhac_emu_sched scheds[] = {FMHAC_EMU_SCHED_ROUND_ROBIN,
                                           FMHAC_EMU_SCHED_UNTIL_BLOCKED,
                                           FMHAC_EMU_SCHED_RANDOM};
  static const fmhac_emu_landing landings[] = {
      FMHAC_EMU_LANDING_DEFAULT, FMHAC_EMU_LANDING_EARLY,
      FMHAC_EMU_LANDING_LATE, FMHAC_EMU_LANDING_RANDOM};
  fmhac_emu_options options;
  fmhac_emu_options_init(&options);
  options.checks = FMHAC_EMU_CHECK_ALL;
  options.sched = scheds[seed % 3];
  options.landing = landings[seed / 3 % 4];
  options.seed = seed;
  options.hazards = FMHAC_EMU_HAZARDS_EFFECT;
  check(f, fmhac_emu_configure(f->device, &options));
}

/// Launches the planner in a workgroup for each kernel that it makes lists of,
/// under every check.
static void launch_planner(const fixture *f, fmhac_rt_module *module,
                           uint64_t seed, fmhac_kernel_args *args,
                           uint32_t kernels) {
  const fmhac_rt_launch launch = {.size = sizeof launch,
                                  .kernel = kernel_name,
                                  .grid = {kernels, 1, 1},
                                  .block = {FMHAC_WORK_KERNEL_THREADS, 1, 1},
                                  .kernarg = args,
                                  .kernarg_bytes = sizeof *args};
  configure(f, seed);
  check(f, fmhac_rt_launch_kernel(f->device, module, &launch));
  assert_int_equal(fmhac_emu_finding_count(f->device), 0);
}

/// Returns whether the kernel has used its scratch.
static bool run(const fixture *f, fmhac_rt_module *module, const work_batch *b,
                uint64_t seed) {
  const work_lists l = work_lists_make(b);
  const fmhac_work_sizes *s = &b->sizes;
  fmhac_kernel_args args = {
      .field_mask = UINT64_MAX,
      .batch = s->batch,
      .heads_q = s->heads_q,
      .heads_kv = s->heads_kv,
      .seqlen_q = s->seqlen_q,
      .seqlen_kv = s->seqlen_kv,
      .workgroups = s->workgroups,
      .total_q = s->total_q,
      .total_kv = s->total_kv,
      .work_counter = put(f, NULL, sizeof(fmhac_work_queue)),
      .work_indptr = put(f, NULL, (work_batch_lists(b) + 1) * sizeof(int32_t)),
      .work_items = put(f, NULL, l.room.items * sizeof(fmhac_work_item)),
      .combine_items =
          put(f, NULL, l.room.combine_items * sizeof(fmhac_combine_item)),
      .combine_count = put(f, NULL, sizeof(int32_t)),
      .plan_scratch = put(f, NULL, l.room.scratch_bytes)};
  const struct {
    const int32_t *from;
    size_t count;
    uint64_t *to;
  } lengths[] = {
      {b->lengths.cu_seqlens_q, s->batch + 1, &args.cu_seqlens_q},
      {b->lengths.cu_seqlens_kv, s->batch + 1, &args.cu_seqlens_kv},
      {b->lengths.seqlens_q, s->batch, &args.seqlens_q},
      {b->lengths.seqlens_kv, s->batch, &args.seqlens_kv},
      {b->lengths.kv_indptr, s->batch + 1, &args.kv_indptr},
      {b->lengths.kv_last_page_len, s->batch, &args.kv_last_page_len}};
  enum { LENGTHS = sizeof lengths / sizeof lengths[0] };
  for (size_t i = 0; i < LENGTHS; ++i)
    if (lengths[i].from)
      *lengths[i].to =
          put(f, lengths[i].from, lengths[i].count * sizeof(int32_t));
  launch_planner(f, module, seed, &args, 1);
  compare(f, "work_indptr", seed, args.work_indptr, l.lists.work_indptr,
          (work_batch_lists(b) + 1) * sizeof(int32_t));
  compare(f, "work_items", seed, args.work_items, l.lists.work_items,
          l.room.items * sizeof(fmhac_work_item));
  compare(f, "combine_items", seed, args.combine_items, l.lists.combine_items,
          l.room.combine_items * sizeof(fmhac_combine_item));
  compare(f, "combine_count", seed, args.combine_count, l.lists.combine_count,
          sizeof(int32_t));
  // The kernel opens a queue, and leaves other memory.
  uint32_t used = work_batch_lists(b);
  while (used && l.lists.work_indptr[used - 1] == l.lists.work_indptr[used])
    --used; // those at the end that are empty are none
  fmhac_work_queue queue = {0, used, s->workgroups};
  if (!b->rules.queue)
    memset(&queue, FILL, sizeof queue);
  compare(f, "work_counter", seed, args.work_counter, &queue, sizeof queue);
  const bool uses_scratch =
      has_changed(f, args.plan_scratch, l.room.scratch_bytes);
  check(f, fmhac_rt_free(f->device, args.plan_scratch));
  for (size_t i = 0; i < LENGTHS; ++i)
    if (lengths[i].from)
      check(f, fmhac_rt_free(f->device, *lengths[i].to));
  work_lists lists = l;
  work_lists_free(&lists);
  return uses_scratch;
}

static void test_device_makes_the_lists_of_the_host(void **state) {
  const fixture *f = *state;
  enum { KERNELS = 8, OF_SIZES = 4, BATCHES = 40 };
  uint32_t splits = 0, masks = 0, queues = 0;
  for (uint64_t kernel = 0; kernel < KERNELS + OF_SIZES; ++kernel) {
    // The seeds that have every mask and every way to divide keys; and batches
    // that sizes describe, whose keys may be divided or not.
    fmhac_work_rules rules = work_rules_random(kernel + 1);
    if (kernel >= KERNELS) {
      rules.lengths = 0;
      rules.rows = (fmhac_work_rows){0};
      rules.split = kernel % 2 ? FMHAC_WORK_SPLIT_AUTO : FMHAC_WORK_SPLIT_NONE;
      rules.mask =
          kernel - KERNELS < 2 ? FMHAC_WORK_MASK_CAUSAL : FMHAC_WORK_MASK_NONE;
      rules.few_units = rules.large_share = 16;
    }
    splits |= 1u << rules.split;
    masks |= 1u << rules.mask;
    queues |= 1u << rules.queue;
    if (!in_part(kernel))
      continue;
    fmhac_code code = {0};
    make_code(f, &rules, 1, &code);
    assert_int_equal(code.descriptors[0].spills, 0);
    assert_int_equal(code.descriptors[0].scratch_bytes, 0);
    assert_int_equal(code.descriptors[0].max_threads,
                     FMHAC_WORK_KERNEL_THREADS);
    fmhac_rt_module *module;
    check(f, fmhac_rt_module_load(f->device, code.linked, code.linked_bytes,
                                  &module));
    for (uint64_t seed = 1; seed <= BATCHES; ++seed) {
      work_batch b = work_batch_random(&rules, kernel * BATCHES + seed);
      if (seed % 2 == 0)
        work_batch_spoil(&b, seed);
      run(f, module, &b, kernel * BATCHES + seed);
      work_batch_free(&b);
    }
    fmhac_rt_module_unload(f->device, module);
    fmhac_code_deinit(&code);
  }
  assert_int_equal(splits, 7);
  assert_int_equal(queues, 3);
  assert_int_equal(masks, 31);
}

//===- Few sequences ------------------------------------------------------===//

/// What a batch of a step of generation is: every sequence has `rows` rows and
/// keys[i % count] keys, or, if that is 0, more and more: twice as many every
/// eighth step.
typedef struct step {
  uint32_t batch, heads_q, heads_kv, workgroups, rows;
  uint32_t keys[4], count;
  uint64_t total_kv; ///< 0: room for all
  bool is_general;   ///< the kernel makes these lists as any others
} step;

static const step steps[] = {
    // Parts all cost the same: they are laid end to end.
    {1, 64, 8, 512, 1, {32768}, 1, 0, false},
    {1, 64, 8, 300, 1, {32768}, 1, 0, false},
    {1, 8, 1, 256, 2, {1 << 20}, 1, 0, false},
    {64, 64, 8, 512, 1, {16384}, 1, 0, false},
    {16, 64, 8, 512, 1, {4001, 4096}, 2, 0, false},
    {33, 24, 3, 2048, 1, {0}, 1, 0, false},
    {5, 8, 8, 3, 1, {1000, 1024}, 2, 0, false},
    // They differ, and each list gets one unit at most.
    {1, 64, 8, 512, 1, {32000}, 1, 0, false},
    {3, 64, 8, 512, 1, {9000, 500, 20000}, 3, 0, false},
    {4, 16, 8, 2048, 1, {70000, 100, 3000, 12345}, 4, 0, false},
    {1, 12, 12, 256, 1, {5000}, 1, 0, false},
    // Some have no room.
    {8, 64, 8, 512, 1, {8192}, 1, 5 * 8192 + 1, false},
    {8, 64, 8, 512, 1, {8192, 700}, 2, 8192, false},
    // More sequences than a wave has lanes, up to those of a workgroup.
    {65, 8, 8, 512, 1, {1024}, 1, 0, false},
    {127, 16, 1, 508, 1, {4096}, 1, 0, false},
    {128, 16, 1, 512, 1, {4096}, 1, 0, false},
    {129, 8, 1, 512, 2, {700, 641}, 2, 0, false},
    {200, 64, 8, 256, 1, {0}, 1, 0, false},
    {255, 24, 3, 304, 1, {8192}, 1, 0, false},
    {512, 64, 8, 512, 1, {4096}, 1, 0, false},
    {100, 16, 1, 2048, 1, {9000, 500, 20000}, 3, 0, false},
    {128, 16, 1, 2048, 1, {70000, 100, 3000, 12345}, 4, 0, false},
    {256, 16, 1, 512, 1, {500, 512, 0, 300}, 4, 0, false},
    {257, 64, 8, 512, 1, {8192}, 1, 200 * 8192 + 1, false},
    {513, 64, 8, 512, 1, {4096}, 1, 0, true},
    // More bins of costs than lanes; more units than lists; costs beyond 2^23.
    {80, 16, 1, 512, 1, {0}, 0, 0, true},
    {32, 64, 8, 256, 1, {9000, 500, 20000}, 3, 0, true},
    {65, 64, 8, 512, 1, {16384}, 1, 0, true},
    {64, 64, 8, 512, 1, {1 << 20}, 1, 0, true},
    // Several tiles of rows; more than lanes.
    {1, 64, 8, 512, 3, {32768}, 1, 0, false},
    {16, 64, 8, 512, 4, {4096}, 1, 0, false},
    {40, 64, 8, 512, 8, {9000, 500, 20000, 700}, 4, 0, true},
    {128, 64, 8, 512, 8, {4096}, 1, 0, false},
    {9, 64, 8, 512, 5, {8192, 700}, 2, 5 * 8192 + 1, false},
    {2, 16, 16, 2048, 500, {1000}, 1, 0, false},
    {171, 64, 8, 512, 5, {1024}, 1, 0, true},
    {1, 8, 8, 512, 10000, {1024}, 1, 0, true},
};

static work_batch batch_of(const step *at, const fmhac_work_rules *rules) {
  work_batch b = work_batch_open(at->batch);
  b.rules = *rules;
  b.sizes.heads_q = at->heads_q;
  b.sizes.heads_kv = at->heads_kv;
  b.sizes.workgroups = at->workgroups;
  b.sizes.total_kv = at->total_kv;
  for (uint32_t i = 0; i < at->batch; ++i) {
    b.rows[i] = (int32_t)at->rows;
    b.keys[i] = (int32_t)(at->count ? at->keys[i % at->count]
                                    : rules->tile_n * (8 + i % 8) << i / 8 % 9);
  }
  work_batch_close(&b);
  return b;
}

/// The kernel makes these lists without the scratch, or as any others.
static void test_few_sequences(void **state) {
  const fixture *f = *state;
  static const struct {
    uint32_t lengths, split, packs;
  } kernels[] = {
      {0, FMHAC_WORK_SPLIT_AUTO, 1},
      {FMHAC_WORK_LENGTHS_KV, FMHAC_WORK_SPLIT_AUTO, 1},
      {FMHAC_WORK_CU_Q | FMHAC_WORK_PAGE_LIST, FMHAC_WORK_SPLIT_AUTO, 0},
      {FMHAC_WORK_LENGTHS_KV, FMHAC_WORK_SPLIT_NONE, 1},
      {FMHAC_WORK_LENGTHS_Q | FMHAC_WORK_LENGTHS_KV, FMHAC_WORK_SPLIT_FIXED,
       1}};
  for (size_t k = 0; k < sizeof kernels / sizeof kernels[0]; ++k) {
    if (!in_part(k))
      continue;
    fmhac_work_rules rules = fmhac_work_rules_default();
    rules.tile_m = 16;
    rules.tile_n = 128;
    rules.lengths = kernels[k].lengths;
    rules.split = kernels[k].split;
    rules.packs_heads = kernels[k].packs;
    rules.page_size = 16;
    rules.mask_chunk = 1;
    rules.split_keys = 8 * rules.tile_n;
    fmhac_code code = {0};
    make_code(f, &rules, 1, &code);
    assert_int_equal(code.descriptors[0].spills, 0);
    assert_int_equal(code.descriptors[0].scratch_bytes, 0);
    fmhac_rt_module *module;
    check(f, fmhac_rt_module_load(f->device, code.linked, code.linked_bytes,
                                  &module));
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; ++i) {
      const step *at = &steps[i];
      const bool is_even = at->count == 1 || rules.lengths;
      if (!is_even)
        continue; // sizes say one length
      work_batch b = batch_of(at, &rules);
      const bool uses_scratch = run(f, module, &b, 1000 * k + i);
      // Other rules than the first divide other batches; these are looked at
      // by the first, which says the most.
      if (k < 2 && uses_scratch != at->is_general)
        fail_msg("kernel %zu, batch %zu: expected that the scratch is%s used",
                 k, i, at->is_general ? "" : " not");
      work_batch_free(&b);
    }
    fmhac_rt_module_unload(f->device, module);
    fmhac_code_deinit(&code);
  }
}

/// A batch of a step of generation: rows of one tile, of more sequences than a
/// wave has lanes, or of up to six, of fewer; some sequences without any; keys
/// of one length, of two, or of any.
static work_batch many_random(const fmhac_work_rules *rules, uint64_t seed) {
  static const uint32_t batches[] = {65,  100, 128, 129, 200,
                                     255, 256, 257, 449, 512};
  static const uint32_t lists[] = {8, 64, 300, 512, 2048};
  uint64_t state = seed;
  const uint32_t tiles = seed % 2 ? 1 : 1 + work_random(&state, 6);
  work_batch b = work_batch_open(batches[seed % 10] / (tiles * tiles));
  b.rules = *rules;
  b.sizes.heads_kv = 1 + work_random(&state, 3);
  b.sizes.heads_q = b.sizes.heads_kv * (1 + work_random(&state, 2));
  b.sizes.workgroups = lists[work_random(&state, 5)];
  const uint32_t group =
      rules->packs_heads ? b.sizes.heads_q / b.sizes.heads_kv : 1;
  const uint32_t rows =
      rules->tile_m * tiles > group ? rules->tile_m * tiles / group : 1;
  const uint32_t most = 1 + work_random(&state, 300);
  const uint32_t kinds = work_random(&state, 3);
  const uint32_t empty = 1 + work_random(&state, 20);
  for (uint32_t i = 0; i < b.sizes.batch; ++i) {
    const uint32_t any = work_random(&state, most + 1);
    b.keys[i] = (int32_t)(kinds == 0 || (kinds == 1 && i % 3) ? most : any);
    b.rows[i] = (int32_t)(1 + work_random(&state, rows));
    if (work_random(&state, 40) < empty)
      b.rows[i] = 0;
    if (!(rules->lengths & (FMHAC_WORK_CU_Q | FMHAC_WORK_LENGTHS_Q)))
      b.rows[i] = (int32_t)(tiles > 1 ? rows : 1);
    if (!(rules->lengths & ~(FMHAC_WORK_CU_Q | FMHAC_WORK_LENGTHS_Q)))
      b.keys[i] = (int32_t)most;
    if (rules->lengths & FMHAC_WORK_CACHED_KV)
      b.keys[i] += b.rows[i];
  }
  work_batch_close(&b);
  if (work_random(&state, 2))
    work_batch_spoil(&b, seed);
  return b;
}

static void test_many_sequences(void **state) {
  const fixture *f = *state;
  enum { KERNELS = 8, BATCHES = 10 };
  uint32_t fast = 0, ran = 0, splits = 0, masks = 0;
  for (uint64_t kernel = 0; kernel < KERNELS; ++kernel) {
    fmhac_work_rules rules = work_rules_random(kernel + 1);
    rules.queue = 0;
    rules.tile_m = 8;
    rules.split = (uint32_t)kernel % 3;
    splits |= 1u << rules.split;
    masks |= 1u << rules.mask;
    if (!in_part(kernel))
      continue;
    ran += BATCHES;
    fmhac_code code = {0};
    make_code(f, &rules, 1, &code);
    fmhac_rt_module *module;
    check(f, fmhac_rt_module_load(f->device, code.linked, code.linked_bytes,
                                  &module));
    for (uint64_t seed = 1; seed <= BATCHES; ++seed) {
      work_batch b = many_random(&rules, kernel * BATCHES + seed);
      fast += !run(f, module, &b, kernel * BATCHES + seed);
      work_batch_free(&b);
    }
    fmhac_rt_module_unload(f->device, module);
    fmhac_code_deinit(&code);
  }
  assert_int_equal(splits, 7);
  assert_int_equal(masks, 31);
  // The batches of a kernel alone may all need the scratch.
  assert_in_range(fast, ran == KERNELS * BATCHES ? ran / 3 : 0, ran);
}

//===- Several kernels ----------------------------------------------------===//

enum {
  MOST = FMHAC_WORK_MOST_KERNELS,
  STRIDE_ALIGNMENT = 64,
  PART_STRIDE = 1000
};

/// Where the arrays of a set lie in it, bytes, and its size.
typedef struct set_places {
  size_t indptr, items, combine_items, combine_count, counter, scratch, size;
} set_places;

static size_t add_array(set_places *p, size_t bytes) {
  const size_t at = p->size;
  p->size +=
      (bytes + STRIDE_ALIGNMENT - 1) / STRIDE_ALIGNMENT * STRIDE_ALIGNMENT;
  return at;
}

static void compare_set(const char *what, uint64_t seed, size_t kernel,
                        const char *found, const void *expected, size_t bytes) {
  if (bytes && memcmp(found, expected, bytes) != 0)
    fail_msg("seed %llu, kernel %zu: %s differs from the host's",
             (unsigned long long)seed, kernel, what);
}

/// One launch makes the lists of several kernels, in a workgroup each.
static void run_several(const fixture *f, fmhac_rt_module *module,
                        const work_batch *batches, size_t count,
                        uint64_t seed) {
  work_lists l[MOST];
  fmhac_list_room room = {.items = 0};
  uint64_t workgroups = 0;
  for (size_t k = 0; k < count; ++k) {
    l[k] = work_lists_make(&batches[k]);
    fmhac_list_room_raise(&room, &l[k].room);
    workgroups |= (uint64_t)batches[k].sizes.workgroups << 16 * k;
  }
  set_places p = {.size = 0};
  p.indptr = add_array(&p, (room.lists + 1) * sizeof(int32_t));
  p.items = add_array(&p, room.items * sizeof(fmhac_work_item));
  p.combine_items =
      add_array(&p, room.combine_items * sizeof(fmhac_combine_item));
  p.combine_count = add_array(&p, sizeof(int32_t));
  p.counter = add_array(&p, sizeof(fmhac_work_queue));
  p.scratch = add_array(&p, room.scratch_bytes);
  const fmhac_device_ptr sets = put(f, NULL, count * p.size);
  const work_batch *b = &batches[0];
  const fmhac_work_sizes *s = &b->sizes;
  fmhac_kernel_args args = {.field_mask = UINT64_MAX,
                            .batch = s->batch,
                            .heads_q = s->heads_q,
                            .heads_kv = s->heads_kv,
                            .seqlen_q = s->seqlen_q,
                            .seqlen_kv = s->seqlen_kv,
                            .workgroups = workgroups,
                            .total_q = s->total_q,
                            .total_kv = s->total_kv,
                            .list_set_stride = p.size,
                            .part_set_stride = PART_STRIDE,
                            .work_counter = sets + p.counter,
                            .work_indptr = sets + p.indptr,
                            .work_items = sets + p.items,
                            .combine_items = sets + p.combine_items,
                            .combine_count = sets + p.combine_count,
                            .plan_scratch = sets + p.scratch};
  const bool is_packed = b->rules.lengths & FMHAC_WORK_CU_Q;
  const fmhac_device_ptr rows =
      put(f, is_packed ? b->lengths.cu_seqlens_q : b->lengths.seqlens_q,
          (s->batch + is_packed) * sizeof(int32_t));
  *(is_packed ? &args.cu_seqlens_q : &args.seqlens_q) = rows;
  if (b->lengths.seqlens_kv)
    args.seqlens_kv = put(f, b->lengths.seqlens_kv, s->batch * sizeof(int32_t));
  launch_planner(f, module, seed, &args, (uint32_t)count);
  char *found = malloc(count * p.size);
  assert_non_null(found);
  check(f, fmhac_rt_copy_out(f->device, sets, found, count * p.size));
  for (size_t k = 0; k < count; ++k) {
    const char *set = found + k * p.size;
    const uint32_t lists = work_batch_lists(&batches[k]);
    const int32_t *indptr = l[k].lists.work_indptr;
    compare_set("work_indptr", seed, k, set + p.indptr, indptr,
                (lists + 1) * sizeof(int32_t));
    compare_set("work_items", seed, k, set + p.items, l[k].lists.work_items,
                (size_t)indptr[lists] * sizeof(fmhac_work_item));
    if (batches[k].rules.split != FMHAC_WORK_SPLIT_NONE) {
      compare_set("combine_count", seed, k, set + p.combine_count,
                  l[k].lists.combine_count, sizeof(int32_t));
      compare_set("combine_items", seed, k, set + p.combine_items,
                  l[k].lists.combine_items,
                  (size_t)*l[k].lists.combine_count *
                      sizeof(fmhac_combine_item));
    }
    uint32_t used = lists;
    while (used && indptr[used - 1] == indptr[used])
      --used;
    const fmhac_work_queue queue = {0, used, batches[k].sizes.workgroups};
    if (batches[k].rules.queue)
      compare_set("work_counter", seed, k, set + p.counter, &queue,
                  sizeof queue);
    work_lists_free(&l[k]);
  }
  free(found);
  check(f, fmhac_rt_free(f->device, sets));
  check(f, fmhac_rt_free(f->device, rows));
  if (args.seqlens_kv)
    check(f, fmhac_rt_free(f->device, args.seqlens_kv));
}

/// Kernels of two to four ranges of rows, with tiles and workgroups of their
/// own.
static void test_lists_of_several_kernels(void **state) {
  const fixture *f = *state;
  static const uint32_t above[MOST] = {0, 1, 3, 10};
  enum { BATCHES = 30 };
  for (size_t count = 2; count <= MOST; ++count) {
    if (!in_part(count))
      continue;
    fmhac_work_rules rules[MOST];
    for (size_t k = 0; k < count; ++k) {
      rules[k] = work_rules_random(count);
      rules[k].lengths = (count % 2 ? FMHAC_WORK_CU_Q : FMHAC_WORK_LENGTHS_Q) |
                         FMHAC_WORK_LENGTHS_KV;
      rules[k].split = (uint32_t)(count + 1) % 3;
      rules[k].queue = count % 2;
      rules[k].tile_m = 1u << k;
      rules[k].tile_n = k % 2 ? 3 : 4;
      rules[k].split_keys = 12;
      rules[k].rows = (fmhac_work_rows){
          .above = above[k], .most = k + 1 < count ? above[k + 1] : 0};
    }
    fmhac_code code = {0};
    make_code(f, rules, count, &code);
    assert_int_equal(code.descriptors[0].spills, 0);
    fmhac_rt_module *module;
    check(f, fmhac_rt_module_load(f->device, code.linked, code.linked_bytes,
                                  &module));
    for (uint64_t seed = 1; seed <= BATCHES; ++seed) {
      work_batch batches[MOST];
      for (size_t k = 0; k < count; ++k) {
        batches[k] = work_batch_random(&rules[k], seed);
        batches[k].sizes.workgroups = k % 2 ? 20 : 256;
        batches[k].most.workgroups = batches[k].sizes.workgroups;
        batches[k].sizes.part_begin = (uint32_t)k * PART_STRIDE;
      }
      run_several(f, module, batches, count, 100 * count + seed);
      for (size_t k = 0; k < count; ++k)
        work_batch_free(&batches[k]);
    }
    fmhac_rt_module_unload(f->device, module);
    fmhac_code_deinit(&code);
  }
}

static int setup(void **state) {
  static fixture f;
  // As load.c does, which here loads nothing.
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  if (fmhac_context_create(NULL, &f.context) != FMHAC_OK ||
      fmhac_rt_device_open("emu", &f.device) != FMHAC_OK)
    return -1;
  *state = &f;
  return 0;
}

static int teardown(void **state) {
  fixture *f = *state;
  fmhac_rt_device_close(f->device);
  fmhac_session_destroy(f->context);
  fmhac_context_destroy(f->context);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_device_makes_the_lists_of_the_host),
      cmocka_unit_test(test_few_sequences),
      cmocka_unit_test(test_many_sequences),
      cmocka_unit_test(test_lists_of_several_kernels)};
  return cmocka_run_group_tests(tests, setup, teardown);
}
