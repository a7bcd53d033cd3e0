// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What workgroups have left and acquired. Few launches have any of it, and in
// these the lists have an entry for each other workgroup at most.
#include "order.h"

#include <stdlib.h>

#include "grow.h"

/// A workgroup is done up to a part.
typedef struct done_up_to {
  uint32_t workgroup, number;
  uint32_t from; ///< acquired before this part
} done_up_to;

typedef struct clock {
  done_up_to *list;
  size_t count, capacity;
} clock;

typedef struct place {
  uint64_t key; ///< + 1; 0: none
  clock left;
} place;

/// What one workgroup has acquired and missed.
typedef struct member {
  clock acquired; ///< several entries of a workgroup, in the order of `from`
  clock saw;      ///< without an acquire
  const isa_insn *release;
  emu_unreleased why;
} member;

typedef struct a_part {
  uint32_t workgroup, number;
} a_part;

struct emu_order {
  uint64_t workgroups;
  member *members; ///< NULL until one releases or acquires
  a_part *parts;
  size_t part_count, part_capacity;
  place *places; ///< a hash table
  size_t place_count, place_capacity;
  bool failed; ///< out of memory
};

emu_order *emu_order_create(uint64_t workgroups) {
  emu_order *o = calloc(1, sizeof *o);
  if (o)
    o->workgroups = workgroups;
  return o;
}

void emu_order_destroy(emu_order *o) {
  if (!o)
    return;
  for (size_t i = 0; i < o->place_capacity; i++)
    free(o->places[i].left.list);
  for (uint64_t i = 0; o->members && i < o->workgroups; i++) {
    free(o->members[i].acquired.list);
    free(o->members[i].saw.list);
  }
  free(o->members);
  free(o->places);
  free(o->parts);
  free(o);
}

static member *member_of(emu_order *o, uint32_t workgroup) {
  if (!o->members)
    o->members = calloc(o->workgroups, sizeof *o->members);
  o->failed |= !o->members;
  return o->members ? &o->members[workgroup] : NULL;
}

uint32_t emu_order_part(emu_order *o, uint32_t workgroup, uint32_t number) {
  if (!FMHAC_GROW(o->parts, o->part_count, o->part_capacity)) {
    o->failed = true;
    return 0;
  }
  o->parts[o->part_count++] = (a_part){workgroup, number};
  return (uint32_t)o->part_count;
}

uint32_t emu_order_workgroup(const emu_order *o, uint32_t part) {
  return o->parts[part - 1].workgroup;
}

//===-- Clocks ------------------------------------------------------------===//

/// The last part of `workgroup` that `c` had before its part `before`.
static uint32_t latest(const clock *c, uint32_t workgroup, uint32_t before) {
  uint32_t number = 0;
  for (size_t i = 0; i < c->count; i++)
    if (c->list[i].workgroup == workgroup && c->list[i].from <= before &&
        c->list[i].number > number)
      number = c->list[i].number;
  return number;
}

static bool add(emu_order *o, clock *c, uint32_t workgroup, uint32_t number,
                uint32_t from) {
  if (!number || latest(c, workgroup, UINT32_MAX) >= number)
    return false;
  for (size_t i = 0; i < c->count; i++)
    if (c->list[i].workgroup == workgroup && c->list[i].from == from) {
      c->list[i].number = number;
      return true;
    }
  if (!FMHAC_GROW(c->list, c->count, c->capacity)) {
    o->failed = true;
    return false;
  }
  c->list[c->count++] = (done_up_to){workgroup, number, from};
  return true;
}

bool emu_order_holds(const emu_order *o, uint32_t part_a, uint32_t part_b) {
  if (o->failed)
    return true;
  if (!o->members)
    return false;
  const a_part a = o->parts[part_a - 1], b = o->parts[part_b - 1];
  return latest(&o->members[a.workgroup].acquired, b.workgroup, a.number) >=
             b.number ||
         latest(&o->members[b.workgroup].acquired, a.workgroup, b.number) >=
             a.number;
}

//===-- Places ------------------------------------------------------------===//

static place *find(place *table, size_t capacity, uint64_t key) {
  size_t i = (size_t)((key * 0x9e3779b97f4a7c15u) >> 32) & (capacity - 1);
  while (table[i].key && table[i].key != key + 1)
    i = (i + 1) & (capacity - 1);
  return &table[i];
}

static const clock *left_at(const emu_order *o, uint64_t key) {
  const place *p =
      o->place_capacity ? find(o->places, o->place_capacity, key) : NULL;
  return p && p->key ? &p->left : NULL;
}

bool emu_order_knows(const emu_order *o, uint64_t key) {
  return left_at(o, key) != NULL;
}

enum { FIRST_PLACES = 64 };
static clock *clock_of(emu_order *o, uint64_t key) {
  if (2 * o->place_count >= o->place_capacity) {
    size_t capacity = o->place_capacity ? 2 * o->place_capacity : FIRST_PLACES;
    place *table = calloc(capacity, sizeof *table);
    if (!table) {
      o->failed = true;
      return NULL;
    }
    for (size_t i = 0; i < o->place_capacity; i++)
      if (o->places[i].key)
        *find(table, capacity, o->places[i].key - 1) = o->places[i];
    free(o->places);
    o->places = table;
    o->place_capacity = capacity;
  }
  place *p = find(o->places, o->place_capacity, key);
  o->place_count += !p->key;
  p->key = key + 1;
  return &p->left;
}

void emu_order_release(emu_order *o, uint32_t workgroup, uint32_t number,
                       uint64_t key, bool adds) {
  member *m = member_of(o, workgroup);
  clock *c = m ? clock_of(o, key) : NULL;
  if (!c)
    return;
  if (!adds)
    c->count = 0;
  for (size_t i = 0; i < m->acquired.count; i++)
    add(o, c, m->acquired.list[i].workgroup, m->acquired.list[i].number, 0);
  add(o, c, workgroup, number, 0);
}

void emu_order_note_unreleased(emu_order *o, uint32_t workgroup,
                               const isa_insn *insn, emu_unreleased why) {
  member *m = member_of(o, workgroup);
  if (!m)
    return;
  m->release = insn;
  m->why = why;
}

bool emu_order_acquire(emu_order *o, uint32_t workgroup, uint32_t number,
                       const uint64_t *places, size_t count) {
  bool any = false;
  for (size_t i = 0; i < count; i++) {
    const clock *c = left_at(o, places[i]);
    member *m = c ? member_of(o, workgroup) : NULL;
    for (size_t k = 0; m && k < c->count; k++)
      if (c->list[k].workgroup != workgroup)
        any |= add(o, &m->acquired, c->list[k].workgroup, c->list[k].number,
                   number);
  }
  return any;
}

void emu_order_note_unacquired(emu_order *o, uint32_t workgroup,
                               const uint64_t *places, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const clock *c = left_at(o, places[i]);
    member *m = c ? member_of(o, workgroup) : NULL;
    for (size_t k = 0; m && k < c->count; k++)
      add(o, &m->saw, c->list[k].workgroup, c->list[k].number, 0);
  }
}

emu_missing emu_order_missing(const emu_order *o, uint32_t writer,
                              uint32_t other) {
  emu_missing missing = {0};
  if (!o->members)
    return missing;
  const a_part w = o->parts[writer - 1], r = o->parts[other - 1];
  const member *m = &o->members[w.workgroup];
  missing.release = m->release;
  missing.why = m->why;
  missing.acquire =
      latest(&o->members[r.workgroup].saw, w.workgroup, UINT32_MAX) >= w.number;
  return missing;
}
