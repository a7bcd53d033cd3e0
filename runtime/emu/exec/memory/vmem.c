// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer, flat, global and scratch loads and stores, and loads direct to LDS.
// CDNA3 ISA chapters 9 and 10.
#include "vmem.h"
#include "alignment.h"
#include "bounds.h"
#include "buffer_descriptor.h"
#include "hazard_effect.h"
#include "interleave.h"
#include "observe.h"
#include "race.h"
#include "spin.h"
#include "timing.h"
#include "undefined.h"
#include "wait.h"

//===-- addresses ---------------------------------------------------------===//

static void add_dword(emu_access *out, int lane, unsigned k, uint8_t *host) {
  out->dword[lane][k] = out->host[lane] = host;
  out->part[lane] |= (uint8_t)(1u << k);
  out->partial = true;
  out->lanes |= 1ull << lane;
}

// Resolves one lane, dword by dword if it is not completely inside.
static void resolve(emu_wave *w, const isa_insn *in, int lane, uint64_t address,
                    uint32_t bytes, emu_access_kind kind, emu_access *out) {
  const emu_segment *s = emu_find(w, address, bytes);
  if (s) {
    out->host[lane] = s->host + (address - s->base);
    out->lanes |= 1ull << lane;
    return;
  }
  emu_report_out_of_bounds(w, in, lane, emu_access_verb(kind), address, bytes);
  if (bytes <= 4)
    return;
  for (uint32_t k = 0; k < bytes / 4; k++) {
    s = emu_find(w, address + 4 * k, 4);
    if (!s)
      continue;
    add_dword(out, lane, k, s->host + (address + 4 * k - s->base));
  }
}

// Lanes of `active` whose access begins and ends within `records` bytes.
static uint64_t lanes_inside(const uint64_t *offset, uint64_t active,
                             uint32_t bytes, uint64_t records) {
  uint64_t inside = 0;
  for (int i = 0; i < EMU_LANES; i++)
    if ((active >> i & 1) && offset[i] + bytes <= records)
      inside |= 1ull << i;
  return inside;
}

// voffset + instruction offset wraps at 32 bits (ROCm/rocm-systems pull request
// 10928). Lanes of `lanes` where it does.
static uint64_t lanes_that_wrap(const uint32_t *voffset, uint32_t immediate,
                                uint64_t lanes) {
  uint32_t any = 0;
  EMU_LANE_LOOP any |= voffset[i] > UINT32_MAX - immediate;
  uint64_t wrap = 0;
  for (int i = 0; any && i < EMU_LANES; i++)
    if ((lanes >> i & 1) && voffset[i] > UINT32_MAX - immediate)
      wrap |= 1ull << i;
  return wrap;
}

// Addresses of the lanes of an access through a descriptor.
typedef struct buffer_place {
  emu_buffer buffer;
  uint64_t offset[EMU_LANES]; ///< of the first byte, from the base
  /// Offset for the range check by byte: voffset + offset + soffset.
  uint64_t checked[EMU_LANES];
  uint64_t active; ///< in EXEC, and the index in range
  uint64_t wraps;  ///< active lanes whose voffset + offset wraps
} buffer_place;

static void place_buffer(emu_wave *w, const isa_insn *in, buffer_place *p) {
  const bool offen = in->flags & ISA_FLAG_OFFEN,
             idxen = in->flags & ISA_FLAG_IDXEN;
  const emu_buffer *b = &p->buffer;
  const uint32_t *rsrc = &w->s[in->src[1].index];
  p->buffer = emu_buffer_of(rsrc, idxen,
                            rsrc[3] >> 23 & 1 && in->flags & ISA_FLAG_FORMAT);
  const uint32_t soffset = emu_s32(w, &in->src[2]);
  const uint32_t immediate = (uint32_t)in->offset;
  const uint32_t *v =
      in->src[0].kind == ISA_OPERAND_VGPR ? w->v[in->src[0].index] : NULL;
  const uint32_t *voffset = offen ? v + (idxen ? EMU_LANES : 0) : NULL;
  p->active = emu_exec(w);
  for (int i = 0; i < EMU_LANES; i++)
    p->checked[i] =
        (uint64_t)((voffset ? voffset[i] : 0) + immediate) + soffset;
  if (!idxen && !b->add_lane) {
    memcpy(p->offset, p->checked, sizeof p->offset);
  } else {
    for (int i = 0; i < EMU_LANES; i++) {
      uint32_t index = idxen ? v[i] : 0;
      if (b->check == EMU_BUFFER_BY_INDEX && index >= b->records)
        p->active &= ~(1ull << i);
      index += b->add_lane ? (uint32_t)i : 0;
      const uint32_t within = (voffset ? voffset[i] : 0) + immediate;
      p->offset[i] = emu_buffer_offset(b, index, within) + soffset;
    }
  }
  p->wraps =
      voffset && immediate ? lanes_that_wrap(voffset, immediate, p->active) : 0;
}

// Whether dword `k` of a lane's access, or all of a smaller one, is in range.
static bool in_range(const buffer_place *p, int lane, uint32_t k,
                     uint32_t bytes) {
  return p->buffer.check != EMU_BUFFER_BY_BYTE ||
         p->checked[lane] + 4ull * k + (bytes < 4 ? bytes : 4) <=
             p->buffer.records;
}

static void check_wraps(emu_wave *w, const isa_insn *in, uint32_t bytes,
                        emu_access_kind kind, const buffer_place *p) {
  const uint32_t *voffset =
      w->v[in->src[0].index] + (in->flags & ISA_FLAG_IDXEN ? EMU_LANES : 0);
  for (int i = 0; i < EMU_LANES; i++)
    if ((p->wraps >> i & 1) && in_range(p, i, 0, bytes))
      emu_check_offset_wrap(w, in, i, voffset[i], &p->buffer, p->offset[i],
                            bytes, emu_access_verb(kind));
}

// The address of a dword, or less, of a lane.
static uint64_t address_of(emu_wave *w, const isa_insn *in, int lane,
                           const buffer_place *p, uint64_t offset,
                           uint32_t bytes, emu_access_kind kind) {
  const uint64_t base = p->buffer.base;
  if (w->wg->launch->descriptors == FMHAC_EMU_DESCRIPTORS_CARRY &&
      emu_carry_is_lost(base, offset))
    return emu_address_without_carry(w, in, lane, base, offset, bytes,
                                     emu_access_verb(kind));
  return base + offset;
}

// One dword of an access of several.
static void resolve_dword(emu_wave *w, const isa_insn *in, int lane, unsigned k,
                          uint64_t at, emu_access_kind kind, emu_access *out) {
  const emu_segment *s = emu_find(w, at, 4);
  if (s)
    add_dword(out, lane, k, s->host + (at - s->base));
  else
    emu_report_out_of_bounds(w, in, lane, emu_access_verb(kind), at, 4);
}

// A swizzled buffer holds each dword of an access in an element of its own, the
// next one `indices` elements on.
static bool resolve_swizzled(emu_wave *w, const isa_insn *in, uint32_t bytes,
                             emu_access_kind kind, const buffer_place *p,
                             emu_access *out) {
  enum { ELEMENT = EMU_SWIZZLE_ELEMENT_BYTES };
  const uint32_t *rsrc = &w->s[in->src[1].index];
  const uint32_t soffset = emu_s32(w, &in->src[2]);
  if (bytes > ELEMENT &&
      (kind == EMU_ACCESS_ATOMIC || in->flags & ISA_FLAG_FORMAT)) {
    emu_fault(w, in,
              "accesses %u bytes as a whole through a descriptor with "
              "swizzling (0x%08x 0x%08x 0x%08x 0x%08x), which has them in "
              "elements of %d bytes apart from each other; use accesses of a "
              "dword",
              bytes, rsrc[0], rsrc[1], rsrc[2], rsrc[3], ELEMENT);
    return false;
  }
  for (int i = 0; i < EMU_LANES; i++) {
    if (!(p->active >> i & 1) || !in_range(p, i, 0, bytes))
      continue;
    const uint32_t within = (uint32_t)(p->checked[i] - soffset);
    if (within % ELEMENT + (bytes < ELEMENT ? bytes : ELEMENT) > ELEMENT) {
      emu_fault(w, in,
                "lane %d accesses %u bytes at voffset + offset 0x%x of a "
                "descriptor with swizzling (0x%08x 0x%08x 0x%08x 0x%08x), in "
                "the middle of an element of %d bytes; such accesses must be "
                "aligned to dwords (CDNA4 ISA 9.1.5.2)",
                i, bytes, within, rsrc[0], rsrc[1], rsrc[2], rsrc[3], ELEMENT);
      return false;
    }
    if (bytes <= ELEMENT) {
      resolve(w, in, i, address_of(w, in, i, p, p->offset[i], bytes, kind),
              bytes, kind, out);
      continue;
    }
    for (uint32_t k = 0; k < bytes / 4 && in_range(p, i, k, bytes); k++)
      resolve_dword(
          w, in, i, k,
          address_of(w, in, i, p,
                     p->offset[i] + (uint64_t)k * ELEMENT * p->buffer.indices,
                     4, kind),
          kind, out);
  }
  return true;
}

static bool resolve_buffer(emu_wave *w, const isa_insn *in, uint32_t bytes,
                           emu_access_kind kind, emu_access *out) {
  buffer_place p;
  place_buffer(w, in, &p);
  const emu_buffer *b = &p.buffer;
  const uint64_t base = b->base, records = b->records, active = p.active;
  const uint64_t *offset = p.offset;
  memset(out->part, 0, sizeof out->part);
  memset(out->host, 0, sizeof out->host);
  out->partial = false;
  out->lanes = 0;
  const fmhac_emu_descriptors mode = w->wg->launch->descriptors;
  if (mode == FMHAC_EMU_DESCRIPTORS_MAPPED && emu_exec(w) &&
      b->check != EMU_BUFFER_UNCHECKED)
    emu_check_range_mapped(
        w, in,
        &(emu_range){base, records,
                     b->check == EMU_BUFFER_BY_INDEX ? b->stride : 1});
  if (!active)
    return true;
  uint64_t lowest = ~0ull, highest = 0;
  if (active == ~0ull)
    for (int i = 0; i < EMU_LANES; i++) {
      lowest = offset[i] < lowest ? offset[i] : lowest;
      highest = offset[i] > highest ? offset[i] : highest;
    }
  else
    for (int i = 0; i < EMU_LANES; i++)
      if (active >> i & 1) {
        lowest = offset[i] < lowest ? offset[i] : lowest;
        highest = offset[i] > highest ? offset[i] : highest;
      }
  const bool unchecked = b->check != EMU_BUFFER_BY_BYTE;
  if (emu_memory_alignment_matters(w, kind))
    emu_check_memory_alignment(
        w, in, base, offset,
        unchecked ? active : lanes_inside(p.checked, active, bytes, records),
        bytes, kind);
  if (p.wraps)
    check_wraps(w, in, bytes, kind, &p);
  if (b->indices)
    return resolve_swizzled(w, in, bytes, kind, &p, out);
  const bool carries =
      mode == FMHAC_EMU_DESCRIPTORS_CARRY && emu_carry_is_lost(base, highest);
  if (!carries && (unchecked || highest + bytes <= records)) {
    const emu_segment *s = emu_find(w, base + lowest, highest - lowest + bytes);
    if (s) {
      uint64_t from = base - s->base; // which may lie before the buffer
      for (int i = 0; i < EMU_LANES; i++)
        out->host[i] = active >> i & 1 ? s->host + (from + offset[i]) : NULL;
      out->lanes = active;
      return true;
    }
  }
  for (int i = 0; i < EMU_LANES; i++) {
    // Lanes out of range have no address.
    if (!(active >> i & 1) || !in_range(&p, i, 0, bytes))
      continue;
    const uint64_t at = address_of(w, in, i, &p, offset[i], bytes, kind);
    if (unchecked || p.checked[i] + bytes <= records) {
      resolve(w, in, i, at, bytes, kind, out);
      continue;
    }
    for (uint32_t k = 0; k < bytes / 4 && in_range(&p, i, k, bytes); k++)
      resolve_dword(w, in, i, k, at + 4 * k, kind, out);
  }
  return true;
}

// Private memory of a lane.
static void resolve_scratch(emu_wave *w, const isa_insn *in, int lane,
                            uint64_t at, uint32_t bytes, emu_access_kind kind,
                            emu_access *out) {
  const uint32_t low =
      emu_required_alignment(w->wg->launch, EMU_ALIGN_PRIVATE, bytes) - 1;
  if (at & low)
    emu_misaligned(w, in, EMU_ALIGN_PRIVATE, lane, at, bytes,
                   emu_access_verb(kind));
  if (at + bytes <= w->scratch_bytes) {
    out->host[lane] = w->scratch_mem + (size_t)lane * w->scratch_bytes + at;
    out->lanes |= 1ull << lane;
    return;
  }
  if (w->wg->launch->check_mem)
    emu_report(w, FMHAC_EMU_CHECK_MEM, in, NULL,
               "lane %d %s %u bytes at private address 0x%llx; a lane has %u "
               "bytes of private memory",
               lane, emu_access_verb(kind), bytes, (unsigned long long)at,
               w->scratch_bytes);
}

static bool resolve_flat(emu_wave *w, const isa_insn *in, uint32_t bytes,
                         emu_access_kind kind, emu_access *out) {
  uint64_t exec = emu_exec(w);
  memset(out->part, 0, sizeof out->part);
  memset(out->host, 0, sizeof out->host);
  out->partial = false;
  out->lanes = 0;
  const isa_operand *va = &in->src[0], *sa = &in->src[1];
  const uint32_t *v = va->kind == ISA_OPERAND_VGPR ? w->v[va->index] : NULL;
  uint64_t fixed = (uint64_t)(int64_t)in->offset;
  if (in->flags & ISA_FLAG_SCRATCH) {
    if (sa->kind != ISA_OPERAND_OFF)
      fixed += emu_s32(w, sa);
    for (int i = 0; i < EMU_LANES; i++)
      if (exec >> i & 1)
        resolve_scratch(w, in, i, (uint32_t)(fixed + (v ? v[i] : 0)), bytes,
                        kind, out);
    return true;
  }
  bool wide = va->regs == 2;
  if (sa->kind == ISA_OPERAND_SGPR)
    fixed += emu_get64(&w->s[sa->index]);
  uint64_t address[EMU_LANES], lowest = ~0ull, highest = 0;
  for (int i = 0; i < EMU_LANES; i++)
    address[i] = fixed + v[i] + (wide ? (uint64_t)v[64 + i] << 32 : 0);
  for (int i = 0; i < EMU_LANES; i++) {
    bool active = exec >> i & 1;
    lowest = active && address[i] < lowest ? address[i] : lowest;
    highest = active && address[i] > highest ? address[i] : highest;
  }
  if (!exec)
    return true;
  if (emu_memory_alignment_matters(w, kind))
    emu_check_memory_alignment(w, in, 0, address, exec, bytes, kind);
  // Nearly always all lanes are in one buffer: below 2^48 there is no aperture.
  const emu_segment *s = highest >> 48 || highest - lowest > UINT32_MAX
                             ? NULL
                             : emu_find(w, lowest, highest - lowest + bytes);
  if (s) {
    uint8_t *host = s->host;
    for (int i = 0; i < EMU_LANES; i++)
      out->host[i] = exec >> i & 1 ? host + (address[i] - s->base) : NULL;
    out->lanes = exec;
    return true;
  }
  uint32_t lds_at[EMU_LANES] = {0};
  uint64_t lds_lanes = 0;
  for (int i = 0; i < EMU_LANES; i++) {
    if (!(exec >> i & 1))
      continue;
    uint64_t a = address[i];
    if ((in->flags & ISA_FLAG_FLAT) && a >> 48 == 1 && !(a >> 32 & 0xffff)) {
      uint32_t at = (uint32_t)a; // shared aperture
      if ((uint64_t)at + bytes <= w->wg->launch->lds_bytes) {
        out->host[i] = w->wg->lds + at;
        out->lanes |= 1ull << i;
        lds_at[i] = at;
        lds_lanes |= 1ull << i;
      } else {
        emu_report_out_of_bounds_lds(w, in, i, emu_access_verb(kind), at,
                                     bytes);
      }
    } else if ((in->flags & ISA_FLAG_FLAT) && a >> 48 == 2 &&
               !(a >> 32 & 0xffff)) {
      resolve_scratch(w, in, i, (uint32_t)a, bytes, kind, out);
    } else {
      resolve(w, in, i, a, bytes, kind, out);
    }
  }
  if (lds_lanes && w->wg->race) // the entry of lgkmcnt comes second
    emu_race_lds(w, in, w->serial + 1, lds_at, bytes, lds_lanes, kind);
  if (lds_lanes && w->init && kind != EMU_ACCESS_WRITE)
    emu_init_lds_read(w, in, lds_at, bytes, lds_lanes,
                      kind == EMU_ACCESS_READ ? 0 : EMU_LDS_KEPT);
  if (lds_lanes && w->init && kind != EMU_ACCESS_READ)
    emu_init_lds_write(w, lds_at, bytes, lds_lanes, NULL);
  if (lds_lanes && w->vm_dma && w->wg->launch->check_wait)
    emu_check_dma_overlap(w, in, lds_at, bytes, lds_lanes,
                          emu_access_verb(kind));
  return true;
}

// Lanes that are resolved dword by dword are also timed dword by dword.
static void time_lanes(emu_wave *w, const emu_access *a, uint32_t bytes) {
  if (!a->partial) {
    emu_time_vmem(w, a->host, bytes);
    return;
  }
  uint8_t *host[EMU_LANES];
  for (int i = 0; i < EMU_LANES; i++)
    host[i] = a->part[i] ? NULL : a->host[i];
  emu_time_vmem(w, host, bytes);
  for (unsigned k = 0; k < bytes / 4; k++) {
    for (int i = 0; i < EMU_LANES; i++)
      host[i] = a->part[i] >> k & 1 ? a->dword[i][k] : NULL;
    emu_time_vmem(w, host, 4);
  }
}

// Whether a lane accesses memory of the device: not LDS, not private memory.
static bool meets_memory(const emu_wave *w, const emu_access *a) {
  for (int i = 0; i < EMU_LANES; i++)
    if (a->host[i] && emu_space_of_host(w->wg->launch->space, a->host[i]))
      return true;
  return false;
}

static void note(emu_wave *w, const isa_insn *in, const emu_access *a,
                 uint32_t bytes, emu_access_kind kind) {
  for (int i = 0; kind == EMU_ACCESS_WRITE && i < EMU_LANES; i++)
    if (a->host[i] && !emu_spin_is_private(w, a->host[i]))
      emu_spin_note_change(w);
  const int first = a->lanes ? __builtin_ctzll(a->lanes) : -1;
  if (kind == EMU_ACCESS_WRITE || first < 0)
    return;
  if (!(a->partial && a->part[first]))
    emu_spin_note_read(w, in, a->host[first], bytes, kind == EMU_ACCESS_ATOMIC);
  for (int i = first; i < EMU_LANES; i++)
    if (a->host[i] && a->host[i] != a->host[first])
      emu_spin_note_wide(w);
}

// The access is known: checkers and timing get to see it. False if it is not
// to be made.
static bool show(emu_wave *w, const isa_insn *in, const emu_access *a,
                 uint32_t bytes, emu_access_kind kind) {
  if (w->wg->race || w->init)
    emu_observe(w, in, a, bytes, kind);
  if (w->record)
    time_lanes(w, a, bytes);
  if (w->watched)
    note(w, in, a, bytes, kind);
  w->wg->wrote |= kind == EMU_ACCESS_WRITE;
  return !w->wg->launch->dry || kind == EMU_ACCESS_READ || !meets_memory(w, a);
}

bool EMU_FN(buffer_lanes)(emu_wave *w, const isa_insn *in, uint32_t bytes,
                          emu_access_kind kind, emu_access *out) {
  return resolve_buffer(w, in, bytes, kind, out) &&
         show(w, in, out, bytes, kind);
}

bool EMU_FN(flat_lanes)(emu_wave *w, const isa_insn *in, uint32_t bytes,
                        emu_access_kind kind, emu_access *out) {
  return resolve_flat(w, in, bytes, kind, out) && show(w, in, out, bytes, kind);
}

void EMU_FN(vm_commit)(emu_wave *w, const isa_insn *in, emu_pending *p) {
  if (!(in->flags & ISA_FLAG_FLAT)) {
    emu_commit_vm(w, p);
    return;
  }
  p->flat = true;
  emu_commit_vm(w, p);
  emu_pending *q = emu_begin_lgkm(w, in);
  q->flat = true;
  q->reg = p->reg;
  q->regs = p->regs;
  emu_commit_lgkm(w, q);
}

//===-- data --------------------------------------------------------------===//

static inline uint32_t extend(emu_format f, uint32_t x) {
  switch (f) {
  case EMU_FORMAT_I8:
    return (uint32_t)(int32_t)(int8_t)x;
  case EMU_FORMAT_I16:
    return (uint32_t)(int32_t)(int16_t)x;
  case EMU_FORMAT_I8_D16:
    return (uint16_t)(int16_t)(int8_t)x;
  case EMU_FORMAT_D16_HI:
  case EMU_FORMAT_U8_D16_HI:
    return x << 16;
  case EMU_FORMAT_I8_D16_HI:
    return (uint32_t)(int32_t)(int8_t)x << 16;
  default:
    return x;
  }
}

// The data of each lane, lane after lane; 0 for lanes that do not read.
static void load_lanes(const emu_access *a, emu_format f, uint32_t *lanes) {
  const uint32_t bytes = emu_format_bytes(f);
  const unsigned regs = emu_format_regs(f);
  if (a->lanes == ~0ull && !a->partial &&
      (f == EMU_FORMAT_4 || f == EMU_FORMAT_1)) {
    if (f == EMU_FORMAT_4)
      for (int i = 0; i < EMU_LANES; i++)
        memcpy(lanes + 4 * i, a->host[i], 16);
    else
      for (int i = 0; i < EMU_LANES; i++)
        memcpy(lanes + i, a->host[i], 4);
    return;
  }
  for (unsigned i = 0; i < EMU_LANES; i++) {
    uint32_t *x = lanes + regs * i;
    memset(x, 0, 4 * regs);
    if (a->host[i] && !(a->partial && a->part[i])) {
      memcpy(x, a->host[i], bytes);
    } else if (a->host[i]) {
      for (unsigned k = 0; k < regs; k++)
        if (a->part[i] >> k & 1)
          memcpy(&x[k], a->dword[i][k], 4);
    }
    if (f > EMU_FORMAT_4)
      x[0] = extend(f, x[0]);
  }
}

static void load_registers(emu_wave *w, const isa_insn *in, emu_format f,
                           const emu_access *a) {
  emu_pending *p = emu_begin_vm(w, in);
  p->kind = EMU_PENDING_VGPR;
  p->reg = in->dst[0].index;
  p->regs = (uint8_t)emu_format_regs(f);
  uint32_t lanes[4 * EMU_LANES];
  load_lanes(a, f, lanes);
  emu_rows_from_lanes(lanes, p->regs, p->data);
  if (f >= EMU_FORMAT_D16) {
    bool high = f == EMU_FORMAT_D16_HI || f == EMU_FORMAT_U8_D16_HI ||
                f == EMU_FORMAT_I8_D16_HI;
    p->keep_half = true;
    p->mask[0] = high ? 0xffff0000u : 0xffffu;
  }
  EMU_FN(vm_commit)(w, in, p);
}

// One address stands for all lanes. `dropped`: bits of M0 that do not count.
static void check_dma_alignment(emu_wave *w, const isa_insn *in,
                                const emu_pending *p, uint32_t dropped) {
  const uint32_t low =
      emu_required_alignment(w->wg->launch, EMU_ALIGN_LDS_DMA, p->lds_bytes) -
      1;
  if (dropped && w->wg->launch->check_mem)
    emu_misaligned(w, in, EMU_ALIGN_LDS_DMA_M0, -1, w->s[ISA_SGPR_M0],
                   p->lds_bytes, "writes");
  else if (p->lds_base & low)
    emu_misaligned(w, in, EMU_ALIGN_LDS_DMA, __builtin_ctzll(p->exec),
                   p->lds_base, p->lds_bytes, "writes");
}

// The offset counts in both addresses.
void EMU_FN(commit_lds)(emu_wave *w, const isa_insn *in, emu_pending *p,
                        uint32_t bytes) {
  p->kind = EMU_PENDING_LDS_DMA;
  p->lds_bytes = (uint8_t)bytes;
  p->lds_step = bytes == 12 ? 16 : (uint8_t)bytes; // CDNA4 ISA 9.1.9
  // M0[17:0], of which global forms drop two bits (CDNA4 ISA 9.1.9, 10.3).
  uint32_t mask = in->family == ISA_FLAT ? 0x3fffcu : 0x3ffffu;
  const uint32_t m0 = w->s[ISA_SGPR_M0];
  p->lds_base = (m0 & mask) + (uint32_t)in->offset;
  if (p->exec)
    check_dma_alignment(w, in, p, m0 & ~mask & 3);
  for (int i = 0; i < EMU_LANES; i++) {
    uint64_t at = (uint64_t)p->lds_base + (uint64_t)i * p->lds_step;
    if ((p->exec >> i & 1) && at + p->lds_bytes > w->wg->launch->lds_bytes) {
      emu_report_out_of_bounds_lds(w, in, i, "writes", at, p->lds_bytes);
      break;
    }
  }
  if (w->wg->race)
    emu_race_lds_dma(w, p);
  if (w->init) {
    uint32_t at[EMU_LANES];
    for (uint32_t i = 0; i < EMU_LANES; i++)
      at[i] = p->lds_base + i * p->lds_step;
    emu_init_lds_write(w, at, p->lds_bytes, p->exec, NULL);
  }
  emu_spin_note_change(w);
  emu_commit_vm(w, p);
}
// Forms below a dword write a dword.
static void load_lds(emu_wave *w, const isa_insn *in, emu_format f,
                     const emu_access *a) {
  emu_pending *p = emu_begin_vm(w, in);
  load_lanes(a, f, (uint32_t *)p->data);
  EMU_FN(commit_lds)(w, in, p, 4 * emu_format_regs(f));
}

// Inlined for each size, which makes the copies below plain moves.
static inline __attribute__((always_inline)) void
store(emu_wave *w, const isa_insn *in, const isa_operand *data, uint32_t bytes,
      bool high, const emu_access *a) {
  const uint32_t *v = w->v[data->index];
  for (int i = 0; i < EMU_LANES; i++) {
    if (!a->host[i])
      continue;
    uint32_t x[4];
    for (unsigned k = 0; k < (bytes + 3) / 4; k++)
      x[k] = v[64 * k + (unsigned)i];
    if (high)
      x[0] >>= 16;
    if (!(a->partial && a->part[i]) && bytes >= 4)
      for (unsigned k = 0; k < bytes / 4; k++)
        memcpy(a->host[i] + 4 * k, &x[k], 4);
    else if (bytes < 4)
      memcpy(a->host[i], x, bytes);
    else
      for (unsigned k = 0; k < bytes / 4; k++)
        if (a->part[i] >> k & 1)
          memcpy(a->dword[i][k], &x[k], 4);
  }
  if (w->effects)
    emu_effects_note_store(w, a);
  EMU_FN(vm_commit)(w, in, emu_begin_vm(w, in));
}

static void buffer_load(emu_wave *w, const isa_insn *in, emu_format f) {
  emu_access a;
  if (!EMU_FN(buffer_lanes)(w, in, emu_format_bytes(f), EMU_ACCESS_READ, &a))
    return;
  if (in->flags & ISA_FLAG_LDS)
    load_lds(w, in, f, &a);
  else
    load_registers(w, in, f, &a);
}
static void flat_load(emu_wave *w, const isa_insn *in, emu_format f) {
  emu_access a;
  if (!EMU_FN(flat_lanes)(w, in, emu_format_bytes(f), EMU_ACCESS_READ, &a))
    return;
  if (in->flags & ISA_FLAG_LDS)
    load_lds(w, in, f, &a);
  else
    load_registers(w, in, f, &a);
}
static inline __attribute__((always_inline)) void
buffer_store(emu_wave *w, const isa_insn *in, uint32_t bytes, bool high) {
  emu_access a;
  if (EMU_FN(buffer_lanes)(w, in, bytes, EMU_ACCESS_WRITE, &a))
    store(w, in, &in->src[3], bytes, high, &a);
}
static inline __attribute__((always_inline)) void
flat_store(emu_wave *w, const isa_insn *in, uint32_t bytes, bool high) {
  emu_access a;
  if (EMU_FN(flat_lanes)(w, in, bytes, EMU_ACCESS_WRITE, &a))
    store(w, in, &in->src[2], bytes, high, &a);
}

#define LOAD(suffix, format)                                                   \
  EMU_HANDLER(buffer_load_##suffix) { buffer_load(w, in, format); }            \
  EMU_HANDLER(flat_load_##suffix) { flat_load(w, in, format); }
#define STORE(suffix, bytes, high)                                             \
  EMU_HANDLER(buffer_store_##suffix) { buffer_store(w, in, bytes, high); }     \
  EMU_HANDLER(flat_store_##suffix) { flat_store(w, in, bytes, high); }
#define LOAD_LDS(suffix, format)                                               \
  EMU_HANDLER(global_load_lds_##suffix) { flat_load(w, in, format); }
LOAD(1, EMU_FORMAT_1)
LOAD(2, EMU_FORMAT_2)
LOAD(3, EMU_FORMAT_3)
LOAD(4, EMU_FORMAT_4)
LOAD(u8, EMU_FORMAT_U8)
LOAD(i8, EMU_FORMAT_I8)
LOAD(u16, EMU_FORMAT_U16)
LOAD(i16, EMU_FORMAT_I16)
LOAD(d16, EMU_FORMAT_D16)
LOAD(d16_hi, EMU_FORMAT_D16_HI)
LOAD(u8_d16, EMU_FORMAT_U8_D16)
LOAD(u8_d16_hi, EMU_FORMAT_U8_D16_HI)
LOAD(i8_d16, EMU_FORMAT_I8_D16)
LOAD(i8_d16_hi, EMU_FORMAT_I8_D16_HI)
STORE(1, 4, false)
STORE(2, 8, false)
STORE(3, 12, false)
STORE(4, 16, false)
STORE(8, 1, false)
STORE(16, 2, false)
STORE(8_hi, 1, true)
STORE(16_hi, 2, true)
LOAD_LDS(1, EMU_FORMAT_1)
LOAD_LDS(3, EMU_FORMAT_3)
LOAD_LDS(4, EMU_FORMAT_4)
LOAD_LDS(u8, EMU_FORMAT_U8)
LOAD_LDS(i8, EMU_FORMAT_I8)
LOAD_LDS(u16, EMU_FORMAT_U16)
LOAD_LDS(i16, EMU_FORMAT_I16)
