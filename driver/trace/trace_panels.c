// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace_panels.h"

#include <inttypes.h>
#include <string.h>

#include "svg.h"

//===- Colours ------------------------------------------------------------===//

#define MFMA_FILL "#1a7f37"
#define VALU_FILL "#4a90d9"
#define TRANS_FILL "#8e5bb5"

static const char *const class_fills[FMHAC_TIMING_MOST_CLASSES] = {
    [FMHAC_TIMING_CLASS_MFMA] = MFMA_FILL,
    [FMHAC_TIMING_CLASS_VALU] = VALU_FILL,
    [FMHAC_TIMING_CLASS_PACKED] = "#1f4e8c",
    [FMHAC_TIMING_CLASS_TRANS] = TRANS_FILL,
    [FMHAC_TIMING_CLASS_LDS] = "#f0922b",
    [FMHAC_TIMING_CLASS_VMEM] = "#8c4a2f",
    [FMHAC_TIMING_CLASS_SCALAR] = "#6f8296",
    [FMHAC_TIMING_CLASS_WAIT] = "#222222",
    [FMHAC_TIMING_CLASS_BARRIER] = "#c01818",
    [FMHAC_TIMING_CLASS_OTHER] = "#b8bfc6",
};

const char *trace_class_fill(fmhac_timing_class kind) {
  return class_fills[kind];
}

/// Hatches: id, ground, lines.
static const struct {
  const char *id, *ground, *lines;
} patterns[] = {
    {"lds", "#fff1df", "#f0922b"},     {"vmem", "#f3e4dc", "#8c4a2f"},
    {"barrier", "#fde3e3", "#c01818"}, {"result", "#e2f2e5", "#1a7f37"},
    {"other", "#f2f2f2", "#a8a8a8"},
};

void trace_patterns(FILE *out) {
  fprintf(out, "<defs>\n");
  for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; ++i)
    fprintf(out,
            "<pattern id=\"%s\" width=\"5\" height=\"5\" patternUnits=\""
            "userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect width=\"5\""
            " height=\"5\" fill=\"%s\"/><rect width=\"1.6\" height=\"5\" "
            "fill=\"%s\"/></pattern>\n",
            patterns[i].id, patterns[i].ground, patterns[i].lines);
  fprintf(out, "</defs>\n");
}

/// The meaning of a cause, for a reader, and its fill.
static const struct {
  const char *words, *fill;
} causes_shown[FMHAC_TIMING_MOST_CAUSES] = {
    [FMHAC_TIMING_MFMA] = {"matrix unit runs", MFMA_FILL},
    [FMHAC_TIMING_VALU] = {"vector ALU, no matrix", VALU_FILL},
    [FMHAC_TIMING_TRANS] = {"transcendental, no matrix", TRANS_FILL},
    [FMHAC_TIMING_ISSUE] = {"scalar, memory, s_nop", "url(#other)"},
    [FMHAC_TIMING_RESULT] = {"waits for D of an MFMA", "url(#result)"},
    [FMHAC_TIMING_LDS_WAIT] = {"s_waitcnt lgkmcnt", "url(#lds)"},
    [FMHAC_TIMING_LDS_FULL] = {"queue of LDS is full", "url(#lds)"},
    [FMHAC_TIMING_VMEM_WAIT] = {"s_waitcnt vmcnt", "url(#vmem)"},
    [FMHAC_TIMING_VMEM_FULL] = {"queue of memory is full", "url(#vmem)"},
    [FMHAC_TIMING_BARRIER] = {"waits at a barrier", "url(#barrier)"},
    [FMHAC_TIMING_BRANCH] = {"target of a branch", "url(#other)"},
    [FMHAC_TIMING_LAUNCH] = {"waves start", "url(#other)"},
    [FMHAC_TIMING_IDLE] = {"waves are over", "url(#other)"},
};

const char *trace_cause_fill(fmhac_timing_cause cause) {
  const char *fill = causes_shown[cause].fill;
  return fill ? fill : "url(#other)"; // of a later model
}

//===- Where the cycles go ------------------------------------------------===//

double trace_budget_panel(FILE *out, const trace *t, double x, double y,
                          double width) {
  const double row = 25, bar = x + 320, numbers = 150;
  const fmhac_timing_loop *l = &t->group.loop;
  double causes[FMHAC_TIMING_MOST_CAUSES], all = 0;
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c) {
    causes[c] = l->iterations ? l->causes[c] : (double)t->group.causes[c];
    all += causes[c];
  }
  if (l->iterations)
    svg_text(out, x, y, TRACE_HEADING, SVG_START,
             "Mean of %" PRIu64
             " iterations: where their %.0f cycles go, on wave 0's SIMD",
             l->iterations, l->cycles);
  else
    svg_text(out, x, y, TRACE_HEADING, SVG_START,
             "Where the %.0f cycles of the SIMDs go", all);
  double most = 0;
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c)
    most = causes[c] > most ? causes[c] : most;
  y += 12;
  for (int c = 0; c < FMHAC_TIMING_MOST_CAUSES; ++c) {
    if (!(causes[c] > 0.0005 * all))
      continue;
    const fmhac_timing_cause cause = (fmhac_timing_cause)c;
    const double length = (x + width - numbers - bar) * causes[c] / most;
    svg_text(out, x, y + 17, TRACE_FONT, SVG_START, "%s",
             fmhac_timing_cause_name(cause));
    svg_text(out, x + 105, y + 17, TRACE_FONT, SVG_START, "%s",
             causes_shown[c].words);
    svg_rect(out, bar, y + 4, length < 1 ? 1 : length, row - 8,
             trace_cause_fill(cause));
    svg_text(out, x + width - 70, y + 17, TRACE_FONT, SVG_END, "%.0f cycles",
             causes[c]);
    svg_text(out, x + width, y + 17, TRACE_FONT, SVG_END, "%.1f %%",
             100 * causes[c] / all);
    y += row;
  }
  return y;
}

//===- LDS banks ----------------------------------------------------------===//

/// LDS instructions of one name in one step.
typedef struct bank_row {
  const char *name, *step; ///< borrowed from the trace
  uint64_t count, cycles, least_cycles;
  uint8_t words[FMHAC_TIMING_BANKS];
} bank_row;

enum { MOST_ROWS = 12 };

/// The row of an instruction: a new one if there is room, else the last.
static bank_row *row_of(bank_row *rows, size_t *count, const trace_insn *in) {
  for (size_t i = 0; i < *count; ++i)
    if (strcmp(rows[i].name, in->name) == 0 &&
        strcmp(rows[i].step, in->place.step) == 0)
      return &rows[i];
  if (*count == MOST_ROWS) {
    rows[MOST_ROWS - 1].name = "other LDS instructions";
    rows[MOST_ROWS - 1].step = "";
    return &rows[MOST_ROWS - 1];
  }
  rows[*count] = (bank_row){.name = in->name, .step = in->place.step};
  return &rows[(*count)++];
}

static size_t count_rows(const trace *t, uint64_t from, uint64_t to,
                         bank_row rows[MOST_ROWS]) {
  size_t count = 0;
  for (size_t i = 0; i < t->count; ++i) {
    const trace_event *e = &t->events[i];
    fmhac_timing_event full = {.size = sizeof full};
    if (e->kind != FMHAC_TIMING_CLASS_LDS || e->issue < from ||
        e->issue >= to || e->wave >= t->per_group ||
        fmhac_timing_get_event(t->device, i, &full) != FMHAC_OK)
      continue;
    bank_row *row = row_of(rows, &count, &t->insns[e->insn]);
    ++row->count;
    row->cycles += full.lds_cycles;
    row->least_cycles += full.lds_least_cycles;
    for (int b = 0; b < FMHAC_TIMING_BANKS; ++b)
      if (full.lds_words[b] > row->words[b])
        row->words[b] = full.lds_words[b];
  }
  return count;
}

/// Colours by how many words of a bank are wanted at once: up to `ways`.
static const struct {
  unsigned ways;
  const char *fill, *name;
} bank_fills[] = {
    {0, "#ececec", "not used"}, {1, "#9fd3a6", "1: no conflict"},
    {2, "#ffd966", "2 ways"},   {4, "#f08c2e", "up to 4"},
    {255, "#b3131b", "more"},
};
enum { BANK_FILLS = sizeof bank_fills / sizeof bank_fills[0] };

static const char *bank_fill(unsigned ways) {
  int i = 0;
  while (i < BANK_FILLS - 1 && ways > bank_fills[i].ways)
    ++i;
  return bank_fills[i].fill;
}

double trace_banks_panel(FILE *out, const trace *t, uint64_t from, uint64_t to,
                         double x, double y, double width) {
  const double row_height = 25, map = x + width - 5.5 * FMHAC_TIMING_BANKS;
  const double cell = (x + width - map) / FMHAC_TIMING_BANKS;
  const double count_x = map - 176, cycles_x = map - 92, least_x = map - 16;
  bank_row rows[MOST_ROWS];
  const size_t count = count_rows(t, from, to, rows);
  uint64_t cycles = 0;
  for (size_t i = 0; i < count; ++i)
    cycles += rows[i].cycles;
  svg_text(out, x, y, TRACE_HEADING, SVG_START,
           "LDS: the workgroup keeps the array busy for %" PRIu64
           " of these %" PRIu64 " cycles",
           cycles, to - from);
  if (!count)
    return y + row_height;
  y += 28;
  svg_text(out, x, y, TRACE_FONT, SVG_START, "instruction, step");
  svg_text(out, count_x, y, TRACE_FONT, SVG_END, "count");
  svg_text(out, cycles_x, y, TRACE_FONT, SVG_END, "array cycles");
  svg_text(out, least_x, y, TRACE_FONT, SVG_END, "at least");
  svg_text(out, map, y, TRACE_FONT, SVG_START, "bank 0");
  svg_text(out, (map + x + width) / 2, y, TRACE_FONT, SVG_MIDDLE, "32");
  svg_text(out, x + width, y, TRACE_FONT, SVG_END, "63");
  y += 6;
  for (size_t i = 0; i < count; ++i) {
    const bank_row *r = &rows[i];
    svg_text(out, x, y + 17, TRACE_FONT, SVG_START, "%s%s%s", r->name,
             r->step[0] ? ", " : "", r->step);
    svg_text(out, count_x, y + 17, TRACE_FONT, SVG_END, "%" PRIu64, r->count);
    svg_text(out, cycles_x, y + 17, TRACE_FONT, SVG_END, "%" PRIu64, r->cycles);
    svg_text(out, least_x, y + 17, TRACE_FONT, SVG_END, "%" PRIu64,
             r->least_cycles);
    for (int b = 0; b < FMHAC_TIMING_BANKS;) {
      int end = b + 1;
      while (end < FMHAC_TIMING_BANKS && r->words[end] == r->words[b])
        ++end;
      svg_rect(out, map + b * cell, y + 3, (end - b) * cell, row_height - 6,
               bank_fill(r->words[b]));
      b = end;
    }
    y += row_height;
  }
  y += 8;
  static const double widths[BANK_FILLS] = {100, 130, 84, 88, 60};
  double at = x;
  svg_text(out, at, y + 13, TRACE_FONT, SVG_START,
           "Words of a bank that lanes access at once:");
  y += row_height;
  for (int i = 0; i < BANK_FILLS; ++i) {
    svg_rect(out, at, y, 15, 15, bank_fills[i].fill);
    svg_text(out, at + 21, y + 13, TRACE_FONT, SVG_START, "%s",
             bank_fills[i].name);
    at += widths[i] + 30;
  }
  return y + row_height;
}
