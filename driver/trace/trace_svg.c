// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace_svg.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "svg.h"
#include "trace_panels.h"

// Pixels.
enum {
  WIDTH = 1600,
  LEFT = 132,
  RIGHT = 30,
  STEP_HEIGHT = 21,
  WAVE_HEIGHT = 34,
  ROW_GAP = 10,
  UNIT_HEIGHT = 18,
  AXIS_HEIGHT = 46,
  LEAST_STEP = 12 ///< a narrower one is drawn as part of its neighbour
};
enum {
  STRIP_CYCLES = 2600, ///< more than this makes another strip
  MOST_STRIPS = 4,
  FINE_ROWS = 16 ///< rows of waves that are drawn at full resolution
};
/// A row has buckets of half a pixel.
enum { BUCKETS = 2 * (WIDTH - LEFT - RIGHT) };

/// The code of a bucket: an instruction's class; then the causes; then a wait
/// for the matrix unit, which is busy meanwhile.
enum {
  UNIT_BUSY = FMHAC_TIMING_MOST_CLASSES + FMHAC_TIMING_MOST_CAUSES,
  CODES,
  NOTHING = INT16_MAX
};

/// A part of the time, across the width of the image.
typedef struct strip {
  FILE *out;
  const trace *t;
  uint64_t from, to;     ///< cycles that are there
  double cycles_a_pixel; ///< the same for all strips
  int coarse;            ///< buckets that are drawn as one
} strip;

static double x_of(const strip *s, uint64_t cycles) {
  return LEFT + ((double)cycles - (double)s->from) / s->cycles_a_pixel;
}

//===- Buckets ------------------------------------------------------------===//

/// Codes of the buckets of a row, each of the event that takes most of it.
typedef struct row {
  int16_t code[BUCKETS];
  float share[BUCKETS];
} row;

static row *row_create(void) {
  row *r = calloc(1, sizeof *r);
  for (int i = 0; r && i < BUCKETS; ++i)
    r->code[i] = NOTHING;
  return r;
}

static void row_fill(row *r, const strip *s, uint64_t from, uint64_t to,
                     int code) {
  from = from < s->from ? s->from : from;
  to = to > s->to ? s->to : to;
  if (from >= to)
    return;
  const double first = 2 * (x_of(s, from) - LEFT);
  const double end = 2 * (x_of(s, to) - LEFT);
  for (int i = (int)first; i < BUCKETS && i < end; ++i) {
    const float share = (float)(fmin(end, i + 1) - fmax(first, i));
    if (share <= r->share[i])
      continue;
    r->share[i] = share;
    r->code[i] = (int16_t)code;
  }
}

/// Gives neighbours one code, that of the event that takes most of one of them,
/// so that a picture of many rows stays small.
static void row_coarsen(row *r, int coarse) {
  for (int first = 0; coarse > 1 && first < BUCKETS; first += coarse) {
    const int end = first + coarse < BUCKETS ? first + coarse : BUCKETS;
    int best = first;
    for (int i = first; i < end; ++i)
      if (r->share[i] > r->share[best])
        best = i;
    const int16_t code = r->code[best];
    for (int i = first; i < end; ++i)
      r->code[i] = code;
  }
}

/// The first bucket after those that have the code of bucket `i`.
static int run_end(const row *r, int i) {
  int end = i + 1;
  while (end < BUCKETS && r->code[end] == r->code[i])
    ++end;
  return end;
}

/// A path of all boxes that have one code.
static void draw_code(const strip *s, const row *r, int code, double y,
                      double height, const char *fill) {
  bool open = false;
  for (int i = 0; i < BUCKETS;) {
    const int end = run_end(r, i);
    if (r->code[i] == code) {
      if (!open)
        fprintf(s->out, "<path fill=\"%s\" d=\"", fill);
      open = true;
      fprintf(s->out, "M%.1f %.1fh%.1fv%.1fh-%.1fz", LEFT + i / 2.0, y,
              (end - i) / 2.0, height, (end - i) / 2.0);
    }
    i = end;
  }
  if (open)
    fprintf(s->out, "\"/>\n");
}

//===- A wave -------------------------------------------------------------===//

static void fill_wave(row *r, const strip *s, uint32_t wave) {
  const trace_event *e;
  for (size_t i = 0; (e = trace_wave_event(s->t, wave, i)); ++i) {
    trace_stall stalls[2];
    if (e->slice_end <= s->from)
      continue;
    const int count = trace_stalls(s->t, wave, i, stalls);
    for (int k = 0; k < count; ++k)
      row_fill(r, s, stalls[k].from, stalls[k].to,
               e->unit_busy && stalls[k].cause == e->cause
                   ? UNIT_BUSY
                   : FMHAC_TIMING_MOST_CLASSES + (int)stalls[k].cause);
    if (e->issue >= s->to)
      break;
    row_fill(r, s, e->issue, e->slice_end, (int)e->kind);
  }
}

static const char *code_fill(int code) {
  if (code == UNIT_BUSY)
    return "#bfe3c7";
  return code < FMHAC_TIMING_MOST_CLASSES
             ? trace_class_fill((fmhac_timing_class)code)
             : trace_cause_fill(
                   (fmhac_timing_cause)(code - FMHAC_TIMING_MOST_CLASSES));
}

/// The wave's instructions and stalls; marks the occurring codes in `used`.
static bool draw_wave(const strip *s, uint32_t wave, double y,
                      bool used[CODES]) {
  row *r = row_create();
  if (!r)
    return false;
  fill_wave(r, s, wave);
  row_coarsen(r, s->coarse);
  fprintf(s->out, "<g shape-rendering=\"crispEdges\">\n");
  for (int code = 0; code < CODES; ++code)
    draw_code(s, r, code, y, WAVE_HEIGHT, code_fill(code));
  fprintf(s->out, "</g>\n");
  for (int i = 0; i < BUCKETS; ++i)
    if (r->code[i] != NOTHING)
      used[r->code[i]] = true;
  free(r);
  return true;
}

//===- Steps --------------------------------------------------------------===//

/// Step of an instruction: the first instruction that has the same one.
static int step_code(const trace *t, const trace_event *e) {
  const char *name = t->insns[e->insn].place.step;
  for (size_t i = 0; name[0] && i < t->insn_count && i < INT16_MAX; ++i)
    if (strcmp(t->insns[i].place.step, name) == 0)
      return (int)i;
  return -1;
}

static const char *const step_fills[] = {"#dbe9f6", "#fbe3c8", "#dff0d8",
                                         "#eadcf2", "#f7d9d9", "#e3e3e3",
                                         "#fdf3c4", "#d3ecec"};
enum { STEP_FILLS = sizeof step_fills / sizeof step_fills[0] };

/// Colours in the order in which steps first occur in the code.
static const char *step_fill(const trace *t, int code) {
  int order = 0;
  for (int i = 0; i < code; ++i) {
    const trace_event probe = {.insn = (uint32_t)i};
    order += step_code(t, &probe) == i;
  }
  return step_fills[order % STEP_FILLS];
}

/// Scheduled code mixes steps: a narrow step joins its neighbour.
static void smooth(row *r) {
  for (int i = 0; i < BUCKETS;) {
    const int end = run_end(r, i);
    if (end - i < 2 * LEAST_STEP && i > 0)
      for (int k = i; k < end; ++k)
        r->code[k] = r->code[i - 1];
    i = end;
  }
}

static bool draw_steps(const strip *s, uint32_t wave, double y) {
  row *r = row_create();
  if (!r)
    return false;
  const trace_event *e;
  uint64_t last = 0;
  for (size_t i = 0; (e = trace_wave_event(s->t, wave, i)); ++i) {
    if (last < s->to && e->slice_end > s->from) {
      const int code = step_code(s->t, e);
      if (code >= 0)
        row_fill(r, s, i ? last : e->issue, e->slice_end, code);
    }
    last = e->slice_end;
  }
  smooth(r);
  for (int i = 0; i < BUCKETS;) {
    const int end = run_end(r, i);
    const double x = LEFT + i / 2.0, width = (end - i) / 2.0;
    if (r->code[i] != NOTHING) {
      const char *name = s->t->insns[r->code[i]].place.step;
      svg_rect(s->out, x, y, width, STEP_HEIGHT - 3,
               step_fill(s->t, r->code[i]));
      // About the width of the letters of this size.
      if (width > 7.6 * (double)strlen(name) + 4)
        svg_text(s->out, x + width / 2, y + 14, 14, SVG_MIDDLE, "%s", name);
    }
    i = end;
  }
  free(r);
  return true;
}

static bool has_steps(const trace *t) {
  for (size_t i = 0; i < t->insn_count; ++i)
    if (t->insns[i].place.step[0])
      return true;
  return false;
}

/// The text above a wave.
static double band_height(const trace *t) {
  return has_steps(t) ? STEP_HEIGHT : ROW_GAP;
}

//===- A SIMD -------------------------------------------------------------===//

/// Colours of the waves of a SIMD, for its matrix unit.
static const char *const wave_fills[] = {"#1a7f37", "#e0a500", "#2a5d9f",
                                         "#b5532f", "#7b4fa3", "#4a4a4a",
                                         "#5fb7c5", "#d55fa0"};
enum { WAVE_FILLS = sizeof wave_fills / sizeof wave_fills[0] };

static bool on_simd(const trace *t, uint32_t wave, uint32_t simd) {
  const trace_event *e = trace_wave_event(t, wave, 0);
  return e && e->simd == simd;
}

static bool draw_matrix_unit(const strip *s, uint32_t simd, double y) {
  row *r = row_create();
  if (!r)
    return false;
  uint64_t busy = 0;
  int order = 0;
  for (uint32_t wave = 0; wave < s->t->waves; ++wave) {
    if (!on_simd(s->t, wave, simd))
      continue;
    const trace_event *e;
    for (size_t i = 0; (e = trace_wave_event(s->t, wave, i)); ++i) {
      if (e->kind != FMHAC_TIMING_CLASS_MFMA || e->end <= s->from ||
          e->start >= s->to)
        continue;
      row_fill(r, s, e->start, e->end, order % WAVE_FILLS);
      busy += (e->end < s->to ? e->end : s->to) -
              (e->start > s->from ? e->start : s->from);
    }
    ++order;
  }
  row_coarsen(r, s->coarse);
  svg_rect(s->out, LEFT, y, x_of(s, s->to) - LEFT, UNIT_HEIGHT, "#f2f2f2");
  for (int code = 0; code < WAVE_FILLS; ++code)
    draw_code(s, r, code, y, UNIT_HEIGHT, wave_fills[code]);
  svg_text(s->out, LEFT - 10, y + 14, TRACE_FONT, SVG_END, "MFMA %.0f %%",
           100.0 * (double)busy / (double)(s->to - s->from));
  free(r);
  return true;
}

/// Where the wave begins an iteration.
static void draw_marks(const strip *s, uint32_t wave, double y) {
  const trace_event *e;
  for (size_t i = 0; (e = trace_wave_event(s->t, wave, i)); ++i) {
    if (!s->t->group.loop.iterations || e->issue < s->from ||
        e->issue >= s->to || s->t->insns[e->insn].pc != s->t->group.loop.pc)
      continue;
    const double x = x_of(s, e->issue);
    fprintf(s->out,
            "<path fill=\"black\" d=\"M%.1f %.1fl-6 -9h12zM%.1f %.1fh2v%dh-2z"
            "\"/>\n",
            x, y, x - 1, y, WAVE_HEIGHT);
  }
}

static void wave_label(const strip *s, uint32_t wave, int order, double y) {
  const uint32_t resident = wave / s->t->per_group;
  svg_rect(s->out, 22, y - 12, 13, 13, wave_fills[order % WAVE_FILLS]);
  if (resident)
    svg_text(s->out, LEFT - 10, y, TRACE_FONT, SVG_END, "wave %u +%u",
             wave % s->t->per_group, resident);
  else
    svg_text(s->out, LEFT - 10, y, TRACE_FONT, SVG_END, "wave %u", wave);
}

/// Draws the SIMD's waves and its matrix unit; moves `y` to their foot.
static bool draw_simd(const strip *s, uint32_t simd, double *y,
                      bool used[CODES]) {
  int order = 0;
  for (uint32_t wave = 0; wave < s->t->waves; ++wave) {
    if (!on_simd(s->t, wave, simd))
      continue;
    if (has_steps(s->t) && !draw_steps(s, wave, *y))
      return false;
    *y += band_height(s->t);
    if (!draw_wave(s, wave, *y, used))
      return false;
    draw_marks(s, wave, *y);
    wave_label(s, wave, order++, *y + 22);
    *y += WAVE_HEIGHT + ROW_GAP;
  }
  if (!order)
    return true;
  if (!draw_matrix_unit(s, simd, *y))
    return false;
  *y += UNIT_HEIGHT + ROW_GAP;
  return true;
}

/// The scale: cycles from `origin` on.
static void draw_axis(const strip *s, uint64_t origin, double y) {
  uint64_t step = 1;
  for (unsigned i = 0; (double)step / s->cycles_a_pixel < 90; ++i)
    step = i % 3 == 1 ? step / 2 * 5 : step * 2;
  fprintf(s->out, "<path stroke=\"#555\" fill=\"none\" d=\"M%d %.1fH%.1f", LEFT,
          y, x_of(s, s->to));
  uint64_t first = (s->from - origin + step - 1) / step * step;
  for (uint64_t cycles = first; origin + cycles <= s->to; cycles += step)
    fprintf(s->out, "M%.1f %.1fv6", x_of(s, origin + cycles), y);
  fprintf(s->out, "\"/>\n");
  for (uint64_t cycles = first; origin + cycles <= s->to; cycles += step)
    svg_text(s->out, x_of(s, origin + cycles), y + 21, 14, SVG_MIDDLE,
             "%" PRIu64, cycles);
  svg_text(s->out, LEFT - 10, y + 21, 14, SVG_END, "cycles");
}

//===- The picture --------------------------------------------------------===//

static const char *code_name(int code) {
  if (code == UNIT_BUSY)
    return "matrix unit";
  if (code >= FMHAC_TIMING_MOST_CLASSES)
    return fmhac_timing_cause_name(
        (fmhac_timing_cause)(code - FMHAC_TIMING_MOST_CLASSES));
  return fmhac_timing_class_name((fmhac_timing_class)code);
}

/// Swatches of the occurring codes, in rows. Returns the y of their foot.
static double draw_legend(FILE *out, const trace *t, const bool used[CODES],
                          double y) {
  double x = LEFT;
  for (int code = 0; code < CODES; ++code) {
    if (!used[code])
      continue;
    const bool stall = code >= FMHAC_TIMING_MOST_CLASSES;
    const char *name = code_name(code);
    const double width = 58 + 8.6 * (double)strlen(name) + (stall ? 44 : 0);
    if (x + width > WIDTH - RIGHT) {
      x = LEFT;
      y += 26;
    }
    svg_rect(out, x, y, 22, 16, code_fill(code));
    svg_text(out, x + 29, y + 13, TRACE_FONT, SVG_START, "%s%s",
             stall ? "stall: " : "", name);
    x += width;
  }
  y += 26;
  if (t->group.loop.iterations || t->waves > t->per_group) {
    svg_text(out, LEFT, y + 13, TRACE_FONT, SVG_START, "%s%s",
             t->group.loop.iterations
                 ? "The black mark is where a wave begins an iteration. "
                 : "",
             t->waves > t->per_group
                 ? "+1, +2, …: the same workgroup once more, on the same "
                   "compute unit."
                 : "");
    y += 26;
  }
  return y;
}

static void draw_title(FILE *out, const trace *t, const trace_svg_options *o) {
  const uint32_t *id = t->group.id;
  const fmhac_timing_loop *l = &t->group.loop;
  svg_text(out, 30, 36, 22, SVG_START, "%.70s: %s, %" PRIu64 " cycles",
           o->kernel, o->window, o->to - o->from);
  char loop[120] = "";
  if (l->iterations)
    snprintf(loop, sizeof loop,
             "; loop at pc 0x%" PRIx64 ", %" PRIu64
             " iterations of %.0f cycles on average",
             l->pc, l->iterations, l->cycles);
  svg_text(
      out, 30, 62, TRACE_FONT, SVG_START,
      "Workgroup (%u,%u,%u): %" PRIu64
      " cycles, %u on a compute unit, matrix units busy %.1f %%; shown from "
      "cycle %" PRIu64 "%s. Modelled, not measured.",
      id[0], id[1], id[2], t->group.cycles, t->group.resident,
      100 * t->group.mfma_busy, o->from, loop);
}

/// Pixels from the head of a strip to that of the next; its waves.
static double strip_height(const trace *t, const trace_svg_options *o,
                           unsigned *out_waves) {
  double height = AXIS_HEIGHT;
  *out_waves = 0;
  for (uint32_t simd = 0; simd < (o->all_simds ? TRACE_SIMDS : 1); ++simd) {
    unsigned waves = 0;
    for (uint32_t wave = 0; wave < t->waves; ++wave)
      waves += on_simd(t, wave, simd);
    if (waves)
      height += waves * (band_height(t) + WAVE_HEIGHT + ROW_GAP) + UNIT_HEIGHT +
                ROW_GAP;
    *out_waves += waves;
  }
  return height;
}

static bool draw_strip(const strip *s, const trace_svg_options *o, double y,
                       bool used[CODES]) {
  for (uint32_t simd = 0; simd < (o->all_simds ? TRACE_SIMDS : 1); ++simd)
    if (!draw_simd(s, simd, &y, used))
      return false;
  draw_axis(s, o->from, y);
  return true;
}

char *trace_svg(const trace *t, const trace_svg_options *o) {
  const uint64_t span = o->to - o->from;
  uint64_t strips = (span + STRIP_CYCLES - 1) / STRIP_CYCLES;
  strips = strips > MOST_STRIPS ? MOST_STRIPS : strips;
  const uint64_t each = (span + strips - 1) / strips;
  const double top = 84, below = 30, middle = 750;
  unsigned waves;
  const double height = strip_height(t, o, &waves);
  const int coarse = 1 + (int)(waves * strips / FINE_ROWS);
  bool used[CODES] = {false};
  char *body = NULL, *text = NULL;
  size_t body_bytes, size;
  FILE *out = open_memstream(&body, &body_bytes);
  if (!out)
    return NULL;
  trace_patterns(out);
  draw_title(out, t, o);
  double y = top;
  bool ok = true;
  for (uint64_t i = 0; i < strips; ++i, y += height) {
    const uint64_t from = o->from + i * each;
    const uint64_t to = from + each < o->to ? from + each : o->to;
    const strip s = {out,   t, from, to, (double)each / (WIDTH - LEFT - RIGHT),
                     coarse};
    ok &= draw_strip(&s, o, y, used);
  }
  y = draw_legend(out, t, used, y) + below;
  const double budget = trace_budget_panel(out, t, 30, y, middle - 80);
  const double banks = trace_banks_panel(out, t, o->from, o->to, middle, y,
                                         WIDTH - RIGHT - middle);
  ok &= !ferror(out);
  ok &= fclose(out) == 0;
  // The height is known now.
  out = ok ? svg_open(&text, &size, WIDTH, fmax(budget, banks) + below,
                      TRACE_FONT)
           : NULL;
  if (out)
    fwrite(body, 1, body_bytes, out);
  free(body);
  return out ? svg_close(out, &text) : NULL;
}
