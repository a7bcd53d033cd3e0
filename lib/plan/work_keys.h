// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Lengths of sequences, and the keys that a tile of rows sees: from the
/// definitions of docs/topics/masks-and-lengths.md.
#ifndef FMHAC_LIB_WORK_KEYS_H
#define FMHAC_LIB_WORK_KEYS_H

#include "lanes.h"
#include "work_plan.h"

/// Heads of Q that share one of K and V.
PLAN_INLINE uint32_t plan_heads_a_group(const fmhac_work_sizes *sizes) {
  return sizes->heads_q / sizes->heads_kv;
}

/// Heads of Q whose rows are those of one tile.
PLAN_INLINE uint32_t plan_group_of(const fmhac_work_rules *rules,
                                   const fmhac_work_sizes *sizes) {
  return rules->packs_heads ? plan_heads_a_group(sizes) : 1;
}

/// What the planner reads beside sizes.
typedef struct plan_lengths {
  PLAN_FAR const int32_t *cu_seqlens_q, *cu_seqlens_kv, *seqlens_q, *seqlens_kv,
      *kv_indptr, *kv_last_page_len;
} plan_lengths;

/// One planning.
typedef struct plan_problem {
  fmhac_work_rules rules;
  fmhac_work_sizes sizes;
  plan_lengths lengths;
  uint32_t lists;     ///< among which the work is dealt
  uint32_t heads;     ///< that have tiles of their own: of Q, or of K and V
  plan_divisor group; ///< rows of tiles for each row of Q
  plan_divisor tile_m, tile_n;
  plan_divisor chunk; ///< tiles of keys of a part of a fixed length
} plan_problem;

/// Most units that are dealt by themselves, if not only large ones are, for
/// each workgroup.
PLAN_INLINE uint32_t plan_few_units(const fmhac_work_rules *rules) {
  return rules->queue ? rules->queue_few_units : rules->few_units;
}

/// Most units that are dealt by themselves, for each workgroup.
PLAN_INLINE uint32_t plan_most_units(const fmhac_work_rules *rules) {
  return plan_max(rules->large_share, plan_few_units(rules));
}

/// One list for each workgroup, or more of a queue.
PLAN_INLINE uint32_t plan_lists_of(const fmhac_work_rules *rules,
                                   uint32_t workgroups) {
  const uint32_t each = rules->queue ? rules->queue_lists : 1;
  return plan_min(FMHAC_WORK_MOST_WORKGROUPS, workgroups * each);
}

PLAN_INLINE plan_problem plan_problem_of(const fmhac_work_rules *rules,
                                         const fmhac_work_sizes *sizes,
                                         const plan_lengths *lengths) {
  const bool is_fixed = rules->split == FMHAC_WORK_SPLIT_FIXED;
  const uint32_t group = plan_group_of(rules, sizes);
  return (plan_problem){
      .rules = *rules,
      .sizes = *sizes,
      .lengths = *lengths,
      .lists = plan_lists_of(rules, sizes->workgroups),
      .heads = rules->packs_heads ? sizes->heads_kv : sizes->heads_q,
      .group = plan_divisor_of(group),
      .tile_m = plan_divisor_of(rules->tile_m),
      .tile_n = plan_divisor_of(rules->tile_n),
      .chunk =
          plan_divisor_of(is_fixed ? rules->split_keys / rules->tile_n : 1)};
}

/// Most rows of Q, and keys, of all sequences together.
PLAN_INLINE uint64_t plan_total(uint64_t given, uint32_t batch, uint32_t each) {
  const uint64_t all = (uint64_t)batch * each;
  return given && given < all ? given : all;
}
PLAN_INLINE uint64_t plan_total_q(const fmhac_work_sizes *s) {
  return plan_total(s->total_q, s->batch, s->seqlen_q);
}
PLAN_INLINE uint64_t plan_total_kv(const fmhac_work_sizes *s) {
  return plan_total(s->total_kv, s->batch, s->seqlen_kv);
}

/// Whether they may be fewer than each sequence alone may have.
PLAN_INLINE bool plan_is_bounded(const fmhac_work_sizes *s) {
  return plan_total_q(s) < (uint64_t)s->batch * s->seqlen_q ||
         plan_total_kv(s) < (uint64_t)s->batch * s->seqlen_kv;
}

/// What one sequence has.
typedef struct plan_sequence {
  uint32_t rows, keys;
} plan_sequence;

// 32 bits alone: gfx950 compares 64 in vector registers.

/// The length from one entry of an array of sums to the next. False: it is
/// below 0.
PLAN_INLINE bool plan_length_of(int32_t begin, int32_t end, uint32_t *out) {
  *out = (uint32_t)end - (uint32_t)begin;
  return begin <= end;
}

/// A kernel takes lengths as the arrays have them. So a sequence with one that
/// is below 0, or beyond the sizes, is left out: it has neither rows nor keys.
/// None has more than there is room for then, whatever the arrays say.
PLAN_INLINE plan_sequence plan_sequence_of(const plan_problem *p, uint32_t b) {
  const plan_lengths *l = &p->lengths;
  uint32_t rows = p->sizes.seqlen_q, keys = p->sizes.seqlen_kv;
  bool ok = true;
  if (p->rules.lengths & FMHAC_WORK_CU_Q)
    ok = plan_length_of(l->cu_seqlens_q[b], l->cu_seqlens_q[b + 1], &rows);
  else if (p->rules.lengths & FMHAC_WORK_LENGTHS_Q)
    ok = plan_length_of(0, l->seqlens_q[b], &rows);
  if (p->rules.lengths & FMHAC_WORK_CU_KV) {
    ok &= plan_length_of(l->cu_seqlens_kv[b], l->cu_seqlens_kv[b + 1], &keys);
  } else if (p->rules.lengths & FMHAC_WORK_PAGE_LIST) {
    uint32_t pages, last;
    ok &= plan_length_of(l->kv_indptr[b], l->kv_indptr[b + 1], &pages);
    ok &= plan_length_of(0, l->kv_last_page_len[b], &last);
    // Without pages the last one may have any keys that a page has.
    const uint32_t size = p->rules.page_size, before = pages ? pages - 1 : 0;
    ok &= (last <= size) & (before <= p->sizes.seqlen_kv / size);
    keys = pages ? before * size + last : 0;
  } else if (p->rules.lengths & FMHAC_WORK_LENGTHS_KV) {
    ok &= plan_length_of(0, l->seqlens_kv[b], &keys);
    if (p->rules.lengths & FMHAC_WORK_CACHED_KV)
      keys += rows;
  }
  ok &= (rows <= p->sizes.seqlen_q) & (keys <= p->sizes.seqlen_kv);
  return (plan_sequence){ok ? rows : 0, ok ? keys : 0};
}

/// Of the rows of a sequence those that are this kernel's: all or none.
PLAN_INLINE uint32_t plan_own_rows(const plan_problem *p, uint32_t rows) {
  const fmhac_work_rows *own = &p->rules.rows;
  bool is_other = rows <= own->above || (own->most && rows > own->most);
  if (own->group_above || own->group_most) {
    const uint64_t of_group = (uint64_t)rows * plan_heads_a_group(&p->sizes);
    is_other |= of_group <= own->group_above ||
                (own->group_most && of_group > own->group_most);
  }
  return is_other ? 0 : rows;
}

/// Sizes of what is this kernel's.
PLAN_INLINE fmhac_work_sizes plan_own_sizes(const fmhac_work_rules *rules,
                                            const fmhac_work_sizes *sizes) {
  fmhac_work_sizes own = *sizes;
  const fmhac_work_rows *rows = &rules->rows;
  if (rows->most)
    own.seqlen_q = plan_min(own.seqlen_q, rows->most);
  // Launches may have other groups than the largest problem, unless rows of
  // tiles depend on it. With groups of more no sequence is the kernel's.
  if (rows->group_most)
    own.seqlen_q =
        plan_min(own.seqlen_q,
                 plan_max(1, rows->group_most / plan_group_of(rules, sizes)));
  return own;
}

/// Keys up to the diagonal in row i, of a sequence with more rows than i: what
/// a causal mask shows.
PLAN_INLINE uint32_t plan_keys_to(uint32_t i, uint32_t rows, uint32_t keys) {
  const uint32_t behind = rows - 1 - i;
  return keys > behind ? keys - behind : 0;
}

/// One past the last key that row i sees.
PLAN_INLINE uint32_t plan_key_limit(const plan_problem *p, uint32_t i,
                                    uint32_t rows, uint32_t keys) {
  const uint32_t behind = rows - 1 - i, right = (uint32_t)p->rules.window_right;
  switch (p->rules.mask) {
  case FMHAC_WORK_MASK_CAUSAL:
  case FMHAC_WORK_MASK_CHUNKED:
    return plan_keys_to(i, rows, keys);
  case FMHAC_WORK_MASK_CAUSAL_TOP_LEFT:
    return plan_min(i + 1, keys);
  case FMHAC_WORK_MASK_WINDOW:
    return p->rules.window_right < 0 || behind <= right ? keys
           : keys > behind - right ? keys - (behind - right)
                                   : 0;
  default:
    return keys;
  }
}

/// The first key that row i may see.
PLAN_INLINE uint32_t plan_key_first(const plan_problem *p, uint32_t i,
                                    uint32_t rows, uint32_t keys) {
  const uint32_t to = plan_keys_to(i, rows, keys);
  const uint32_t left = (uint32_t)p->rules.window_left;
  if (p->rules.mask == FMHAC_WORK_MASK_WINDOW && p->rules.window_left >= 0)
    return to > left ? to - 1 - left : 0;
  if (p->rules.mask == FMHAC_WORK_MASK_CHUNKED && to)
    return to - 1 - (to - 1) % p->rules.mask_chunk;
  return 0;
}

/// Tiles of keys that some rows visit.
typedef struct plan_visit {
  uint32_t first, count; ///< tiles; 0, 0: no key
  uint32_t limit;        ///< one past the last key
} plan_visit;

/// Of the rows from `begin` to before `end`, as tiles count them. Both ends of
/// what a row sees grow with the row.
PLAN_INLINE plan_visit plan_visit_of(const plan_problem *p, uint32_t begin,
                                     uint32_t end, uint32_t rows,
                                     uint32_t keys) {
  const uint32_t first_row = plan_divide(begin, p->group);
  const uint32_t last_row = plan_divide(end - 1, p->group);
  const uint32_t limit = plan_key_limit(p, last_row, rows, keys);
  const uint32_t first =
      plan_divide(plan_key_first(p, first_row, rows, keys), p->tile_n);
  const uint32_t past = plan_divide_up(limit, p->tile_n);
  return past > first ? (plan_visit){first, past - first, limit}
                      : (plan_visit){0, 0, 0};
}

//===- Parts --------------------------------------------------------------===//

/// How the tiles of keys of one tile of rows are divided: part c has those of
/// [origin + c * length, origin + (c + 1) * length) that are visited.
typedef struct plan_parts {
  uint32_t first, past; ///< tiles that are visited
  uint32_t origin, length, count;
} plan_parts;

/// `length` as chosen for the batch: tiles of keys of the longest part.
PLAN_INLINE plan_parts plan_parts_of(const plan_problem *p, uint32_t first,
                                     uint32_t count, uint32_t length) {
  plan_parts parts = {first, first + count, first, length, 1};
  if (p->rules.split == FMHAC_WORK_SPLIT_NONE)
    return parts;
  if (p->rules.split == FMHAC_WORK_SPLIT_FIXED) {
    // Of the sequence alone, so that a part does not depend on the batch.
    parts.origin = plan_divide(first, p->chunk) * length;
    if (parts.past > parts.origin + length)
      parts.count = plan_divide_up(parts.past - parts.origin, p->chunk);
  } else if (count > length) {
    parts.count = (count + length - 1) / length;
    parts.length = (count + parts.count - 1) / parts.count; // all about as long
    parts.count = (count + parts.length - 1) / parts.length;
  }
  return parts;
}

PLAN_INLINE uint32_t plan_part_begin(const plan_parts *parts, uint32_t c) {
  return c ? parts->origin + c * parts->length : parts->first;
}
PLAN_INLINE uint32_t plan_part_end(const plan_parts *parts, uint32_t c) {
  return c + 1 < parts->count ? parts->origin + (c + 1) * parts->length
                              : parts->past;
}

/// The cost of a part for one head.
PLAN_INLINE uint32_t plan_cost(const plan_problem *p, const plan_parts *parts,
                               uint32_t c) {
  return plan_part_end(parts, c) - plan_part_begin(parts, c) +
         p->rules.item_cost + (parts->count > 1 ? p->rules.part_cost : 0);
}

#endif // FMHAC_LIB_WORK_KEYS_H
