// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm".
// Loops: those of LLVM's LoopInfo, inner ones first.
#include "flow.h"

#include <math.h>
#include <stdlib.h>

/// State that is needed only while the graph is built.
typedef struct builder {
  const flow_insn *insns;
  uint32_t count;
  flow *f;
  uint32_t *block_of; ///< of an instruction, while blocks are cut
  uint32_t *region;   ///< of a block: the root that it was first reached from
  uint32_t *stack;
  uint8_t *step;
} builder;

//===- Blocks -------------------------------------------------------------===//

/// The instruction at `pc`, or FLOW_NONE: a target may lie in the middle of
/// one, or outside of the kernel.
static uint32_t insn_at(const builder *b, uint64_t pc) {
  uint32_t low = 0, high = b->count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (b->insns[middle].pc < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return low < b->count && b->insns[low].pc == pc ? low : FLOW_NONE;
}

static bool cut_blocks(builder *b) {
  flow *f = b->f;
  uint8_t *leads = calloc(b->count + 1, 1);
  if (!leads)
    return false;
  for (uint32_t i = 0; i < b->count; ++i) {
    const flow_insn *insn = &b->insns[i];
    const uint32_t target =
        insn->branches ? insn_at(b, insn->target) : FLOW_NONE;
    if (target != FLOW_NONE)
      leads[target] = 1;
    if (insn->branches || insn->ends)
      leads[i + 1] = 1;
  }
  leads[0] = 1;
  for (uint32_t i = 0; i < b->count; ++i) {
    if (leads[i])
      f->blocks[f->block_count++] = (flow_block){.first = i,
                                                 .loop = FLOW_NONE,
                                                 .position = FLOW_NONE,
                                                 .dominator = FLOW_NONE};
    f->blocks[f->block_count - 1].end = i + 1;
    b->block_of[i] = f->block_count - 1;
  }
  free(leads);
  return true;
}

static void link_blocks(builder *b) {
  for (uint32_t i = 0; i < b->f->block_count; ++i) {
    flow_block *block = &b->f->blocks[i];
    const flow_insn *last = &b->insns[block->end - 1];
    const uint32_t target =
        last->branches ? insn_at(b, last->target) : FLOW_NONE;
    const bool goes_on = !last->ends && block->end < b->count;
    block->successors[0] = goes_on ? i + 1 : FLOW_NONE;
    block->successors[1] =
        target == FLOW_NONE ? FLOW_NONE : b->block_of[target];
    if (block->successors[1] == block->successors[0])
      block->successors[1] = FLOW_NONE;
  }
}

//===- Order --------------------------------------------------------------===//

/// Gives positions, from `*at` downwards, to the blocks that are reached from
/// `root` and from no earlier root.
static void arrange_from(builder *b, uint32_t root, uint32_t *at) {
  flow *f = b->f;
  uint32_t depth = 0;
  b->stack[depth++] = root;
  b->region[root] = root;
  b->step[root] = 1;
  while (depth) {
    const uint32_t block = b->stack[depth - 1];
    if (b->step[block] > 2) {
      --depth;
      f->order[--*at] = block;
      f->blocks[block].position = *at;
      continue;
    }
    const uint32_t to = f->blocks[block].successors[b->step[block]++ - 1];
    if (to == FLOW_NONE || b->step[to])
      continue;
    b->step[to] = 1;
    b->region[to] = root;
    b->stack[depth++] = to;
  }
}

/// Code that is not reached says nothing of how the rest is entered.
static bool counts(const builder *b, uint32_t from, uint32_t to) {
  return b->region[from] == b->region[to];
}

static void list_before(builder *b) {
  flow *f = b->f;
  uint32_t used = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (uint32_t i = 0; i < f->block_count; ++i)
      for (int s = 0; s < 2; ++s) {
        const uint32_t to = f->blocks[i].successors[s];
        if (to == FLOW_NONE || !counts(b, i, to))
          continue;
        flow_block *block = &f->blocks[to];
        if (pass == 1)
          f->before[block->first_before + block->before_count] = i;
        ++block->before_count;
      }
    for (uint32_t i = 0; pass == 0 && i < f->block_count; ++i) {
      f->blocks[i].first_before = used;
      used += f->blocks[i].before_count;
      f->blocks[i].before_count = 0;
    }
  }
}

//===- Dominators ---------------------------------------------------------===//

static uint32_t common_dominator(const flow *f, uint32_t x, uint32_t y) {
  while (x != y) {
    if (f->blocks[x].position > f->blocks[y].position)
      x = f->blocks[x].dominator;
    else
      y = f->blocks[y].dominator;
  }
  return x;
}

/// Roots are their own dominators meanwhile.
static void find_dominators(builder *b) {
  flow *f = b->f;
  for (uint32_t i = 0; i < f->block_count; ++i)
    if (b->region[i] == i)
      f->blocks[i].dominator = i;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t p = 0; p < f->block_count; ++p) {
      flow_block *block = &f->blocks[f->order[p]];
      if (b->region[f->order[p]] == f->order[p])
        continue;
      uint32_t found = FLOW_NONE;
      for (uint32_t k = 0; k < block->before_count; ++k) {
        const uint32_t from = f->before[block->first_before + k];
        if (f->blocks[from].dominator != FLOW_NONE)
          found = found == FLOW_NONE ? from : common_dominator(f, found, from);
      }
      changed |= block->dominator != found;
      block->dominator = found;
    }
  }
  for (uint32_t i = 0; i < f->block_count; ++i)
    if (f->blocks[i].dominator == i)
      f->blocks[i].dominator = FLOW_NONE;
}

static bool dominates(const flow *f, uint32_t a, uint32_t block) {
  while (block != FLOW_NONE &&
         f->blocks[block].position > f->blocks[a].position)
    block = f->blocks[block].dominator;
  return block == a;
}

//===- Loops --------------------------------------------------------------===//

static uint32_t outermost_of(const flow *f, uint32_t block) {
  uint32_t loop = f->blocks[block].loop;
  while (loop != FLOW_NONE && f->loops[loop].parent != FLOW_NONE)
    loop = f->loops[loop].parent;
  return loop;
}

/// The blocks that reach the `depth` ones on the stack without passing the
/// header. A block is pushed once for each block it leads to, at most.
static void fill_loop(builder *b, uint32_t loop, uint32_t depth) {
  flow *f = b->f;
  f->blocks[f->loops[loop].header].loop = loop;
  while (depth) {
    uint32_t block = b->stack[--depth];
    const uint32_t inner = outermost_of(f, block);
    if (inner == loop)
      continue;
    if (inner == FLOW_NONE) {
      f->blocks[block].loop = loop;
    } else {
      f->loops[inner].parent = loop;
      block = f->loops[inner].header;
    }
    for (uint32_t k = 0; k < f->blocks[block].before_count; ++k)
      b->stack[depth++] = f->before[f->blocks[block].first_before + k];
  }
}

static void find_loops(builder *b) {
  flow *f = b->f;
  for (uint32_t p = f->block_count; p-- > 0;) {
    const uint32_t header = f->order[p];
    const flow_block *block = &f->blocks[header];
    uint32_t edges = 0;
    for (uint32_t k = 0; k < block->before_count; ++k) {
      const uint32_t from = f->before[block->first_before + k];
      if (f->blocks[from].position < p)
        continue;
      if (dominates(f, header, from)) {
        b->stack[edges++] = from;
      } else if (f->irreducible++ == 0) {
        f->irreducible_from = f->blocks[from].end - 1;
        f->irreducible_to = block->first;
      }
    }
    if (edges == 0)
      continue;
    const uint32_t loop = f->loop_count++;
    f->loops[loop] =
        (flow_loop){.header = header, .parent = FLOW_NONE, .back_edges = edges};
    fill_loop(b, loop, edges);
  }
  for (uint32_t i = f->loop_count; i-- > 0;) {
    const uint32_t parent = f->loops[i].parent;
    f->loops[i].depth = parent == FLOW_NONE ? 1 : f->loops[parent].depth + 1;
  }
}

//===- The whole ----------------------------------------------------------===//

bool flow_build(const flow_insn *insns, uint32_t count, flow *out_flow) {
  *out_flow = (flow){0};
  if (count == 0)
    return true;
  const size_t n = (size_t)count + 1;
  flow *f = out_flow;
  builder b = {.insns = insns, .count = count, .f = f};
  f->blocks = calloc(n, sizeof *f->blocks);
  f->order = calloc(n, sizeof *f->order);
  f->before = calloc(2 * n, sizeof *f->before);
  f->loops = calloc(n, sizeof *f->loops);
  b.block_of = calloc(n, sizeof *b.block_of);
  b.region = calloc(n, sizeof *b.region);
  b.stack = calloc(3 * n, sizeof *b.stack);
  b.step = calloc(n, 1);
  const bool ok = f->blocks && f->order && f->before && f->loops &&
                  b.block_of && b.region && b.stack && b.step && cut_blocks(&b);
  if (ok) {
    link_blocks(&b);
    uint32_t at = f->block_count;
    for (uint32_t i = 0; i < f->block_count; ++i)
      if (!b.step[i])
        arrange_from(&b, i, &at);
    list_before(&b);
    find_dominators(&b);
    find_loops(&b);
  }
  free(b.block_of);
  free(b.region);
  free(b.stack);
  free(b.step);
  return ok;
}

void flow_deinit(flow *f) {
  free(f->blocks);
  free(f->order);
  free(f->before);
  free(f->loops);
  *f = (flow){0};
}

bool flow_loop_has(const flow *f, uint32_t loop, uint32_t block) {
  uint32_t at = f->blocks[block].loop;
  while (at != FLOW_NONE && at != loop)
    at = f->loops[at].parent;
  return at == loop;
}

//===- Ways through a loop ------------------------------------------------===//

/// Sums up to the end of each block, in the order of positions.
typedef struct sums {
  const flow *f;
  uint32_t loop;
  const double *weights;
  size_t count;
  double *least, *most; ///< of a position from the header's on
} sums;

static double *row(const sums *s, double *of, uint32_t position) {
  const uint32_t header = s->f->loops[s->loop].header;
  return of + (position - s->f->blocks[header].position) * s->count;
}

/// Whether a predecessor of the block at `position` gives a lower cost than the
/// known one.
static bool relax(sums *s, uint32_t position, bool first_round) {
  const flow *f = s->f;
  const uint32_t at = f->order[position];
  const flow_block *block = &f->blocks[at];
  const double *own = s->weights + at * s->count;
  double *least = row(s, s->least, position), *most = row(s, s->most, position);
  bool changed = false;
  for (uint32_t k = 0; k < block->before_count; ++k) {
    const uint32_t from = f->before[block->first_before + k];
    if (!flow_loop_has(f, s->loop, from))
      continue;
    const uint32_t p = f->blocks[from].position;
    const double *low = row(s, s->least, p), *high = row(s, s->most, p);
    for (size_t n = 0; n < s->count; ++n) {
      if (low[n] + own[n] < least[n]) {
        least[n] = low[n] + own[n];
        changed = true;
      }
      // Jumps backwards would make it endless.
      if (first_round && p < position)
        most[n] = fmax(most[n], high[n] + own[n]);
    }
  }
  return changed;
}

static void sum_up(sums *s, double *out_least, double *out_most) {
  const flow *f = s->f;
  const uint32_t header = f->loops[s->loop].header;
  const uint32_t start = f->blocks[header].position;
  for (size_t n = 0; n < s->count; ++n) {
    s->least[n] = s->most[n] = s->weights[header * s->count + n];
    out_least[n] = INFINITY;
    out_most[n] = 0;
  }
  bool first_round = true;
  for (bool changed = true; changed; first_round = false) {
    changed = false;
    for (uint32_t p = start + 1; p < f->block_count; ++p)
      if (flow_loop_has(f, s->loop, f->order[p]))
        changed |= relax(s, p, first_round);
  }
  const flow_block *block = &f->blocks[header];
  for (uint32_t k = 0; k < block->before_count; ++k) {
    const uint32_t latch = f->before[block->first_before + k];
    if (!flow_loop_has(f, s->loop, latch))
      continue;
    const uint32_t p = f->blocks[latch].position;
    for (size_t n = 0; n < s->count; ++n) {
      out_least[n] = fmin(out_least[n], row(s, s->least, p)[n]);
      out_most[n] = fmax(out_most[n], row(s, s->most, p)[n]);
    }
  }
}

bool flow_loop_sums(const flow *f, uint32_t loop, const double *weights,
                    size_t count, double *out_least, double *out_most) {
  const uint32_t start = f->blocks[f->loops[loop].header].position;
  const size_t cells = (f->block_count - start) * count;
  sums s = {.f = f, .loop = loop, .weights = weights, .count = count};
  s.least = malloc((cells + 1) * sizeof *s.least);
  s.most = calloc(cells + 1, sizeof *s.most);
  const bool ok = s.least && s.most;
  for (size_t i = 0; ok && i < cells; ++i)
    s.least[i] = INFINITY;
  if (ok)
    sum_up(&s, out_least, out_most);
  free(s.least);
  free(s.most);
  return ok;
}
