// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One instruction: text and encoding → isa_insn.
#include "decode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cdna4.h"
#include "disasm.h"
#include "operand_text.h"

typedef struct constant {
  struct constant *next;
  uint32_t lo, hi;
  _Alignas(64) uint32_t lanes[128];
} constant;

enum { HASH = 4096, POOL = 256 };

struct isa_decoder {
  fmhac_disasm *disasm;
  uint16_t rows[HASH]; ///< row + 1, open addressing
  constant *pool[POOL];
};

static uint32_t hash_text(const char *s) {
  uint32_t h = 2166136261u; // FNV-1a
  for (; *s; s++)
    h = (h ^ (uint8_t)*s) * 16777619u;
  return h;
}

fmhac_status isa_decoder_create(isa_decoder **out) {
  *out = NULL;
  isa_decoder *d = calloc(1, sizeof *d);
  if (!d)
    return FMHAC_OUT_OF_MEMORY;
  fmhac_status status = fmhac_disasm_create(&d->disasm);
  if (status != FMHAC_OK) {
    free(d);
    return status;
  }
  for (unsigned i = 0; i < isa_row_count; i++) {
    uint32_t at = hash_text(isa_rows[i].mnemonic) % HASH;
    while (d->rows[at])
      at = (at + 1) % HASH;
    d->rows[at] = (uint16_t)(i + 1);
  }
  *out = d;
  return FMHAC_OK;
}

void isa_decoder_destroy(isa_decoder *d) {
  if (!d)
    return;
  fmhac_disasm_destroy(d->disasm);
  for (int i = 0; i < POOL; i++)
    for (constant *c = d->pool[i], *next; c; c = next) {
      next = c->next;
      free(c);
    }
  free(d);
}

int isa_row_find(const isa_decoder *d, const char *mnemonic) {
  uint32_t at = hash_text(mnemonic) % HASH;
  for (; d->rows[at]; at = (at + 1) % HASH)
    if (strcmp(isa_rows[d->rows[at] - 1].mnemonic, mnemonic) == 0)
      return d->rows[at] - 1;
  return -1;
}

// 64 copies of a constant and of its high half; shared by equal constants.
static const uint32_t *pool_constant(isa_decoder *d, uint32_t lo, uint32_t hi) {
  uint32_t at = (lo * 2654435761u ^ hi * 40503u) >> 13 & (POOL - 1);
  for (constant *c = d->pool[at]; c; c = c->next)
    if (c->lo == lo && c->hi == hi)
      return c->lanes;
  constant *c = aligned_alloc(64, sizeof *c);
  if (!c)
    return NULL;
  c->lo = lo;
  c->hi = hi;
  c->next = d->pool[at];
  d->pool[at] = c;
  for (int i = 0; i < 64; i++) {
    c->lanes[i] = lo;
    c->lanes[64 + i] = hi;
  }
  return c->lanes;
}

// The value of a constant operand for an operand of this type. CDNA3 ISA 5.1
// and 5.2 (inline constants, literals).
// Inline floats other than 1/2π are powers of two: the pattern of f16 has their
// sign and their exponent.
static uint32_t f16_of_power(uint32_t f32) {
  return (f32 >> 16 & 0x8000u) | ((f32 >> 23 & 255u) - 112u) << 10;
}

static uint64_t constant_bits(const isa_token *t, isa_type type) {
  bool inv2pi =
      t->kind == ISA_TOKEN_FLOAT && t->value > 0.159 && t->value < 0.16;
  float f = (float)t->value;
  uint32_t f32;
  memcpy(&f32, &f, 4);
  if (inv2pi)
    f32 = 0x3e22f983;
  switch (type) {
  case ISA_TYPE_F64:
  case ISA_TYPE_I64:
  case ISA_TYPE_B64:
    if (t->kind == ISA_TOKEN_FLOAT) {
      uint64_t f64;
      memcpy(&f64, &t->value, 8);
      return inv2pi ? 0x3fc45f306dc9c882u : f64;
    }
    if (t->kind == ISA_TOKEN_INT || t->file)
      return t->number;
    if (type == ISA_TYPE_F64) // the literal is the high half
      return t->number >> 32 ? t->number : t->number << 32;
    if (type == ISA_TYPE_I64)
      return (uint64_t)(int64_t)(int32_t)(uint32_t)t->number;
    return (uint32_t)t->number;
  case ISA_TYPE_F16:
  case ISA_TYPE_B16:
  case ISA_TYPE_PKF16: // op_sel and op_sel_hi find 0 in the high half
    if (t->kind == ISA_TOKEN_FLOAT)
      return inv2pi ? 0x3118 : f16_of_power(f32);
    return (uint32_t)t->number;
  case ISA_TYPE_PK16:
    // The constant has 32 bits: the f32, or the integer extended by its sign.
    // op_sel and op_sel_hi each choose a half (LLVM getInlineEncodingV2I16;
    // llvm-project pull request 76522: so does hardware).
    return t->kind == ISA_TOKEN_FLOAT ? f32 : (uint32_t)t->number;
  case ISA_TYPE_S16:
    return (uint32_t)(int32_t)(int16_t)(uint16_t)t->number;
  case ISA_TYPE_U16:
    return (uint16_t)t->number;
  case ISA_TYPE_PKF32: {
    // The low half is meant: LLVM always emits op_sel_hi 0 with it. The high
    // half repeats it: assumed.
    uint32_t x = t->kind == ISA_TOKEN_FLOAT ? f32 : (uint32_t)t->number;
    return x | (uint64_t)x << 32;
  }
  default:
    if (t->kind == ISA_TOKEN_FLOAT)
      return f32;
    return t->file ? t->number >> 32 : (uint32_t)t->number;
  }
}

static bool fill_operand(isa_decoder *d, const isa_token *t, isa_type type,
                         uint8_t regs, isa_operand *o, char *why) {
  memset(o, 0, sizeof *o);
  o->type = (uint8_t)type;
  o->regs = regs;
  switch (t->kind) {
  case ISA_TOKEN_REG:
    // The format decides the registers of x0; a 16-bit field is no register.
    if (regs && t->regs != regs) {
      snprintf(why, ISA_TEXT_BYTES,
               "operand has %u registers where the instruction table has %u",
               t->regs, regs);
      return false;
    }
    o->kind = t->file;
    o->index = t->index;
    o->regs = t->regs;
    break;
  case ISA_TOKEN_SPECIAL:
    o->kind = (uint8_t)t->number;
    break;
  case ISA_TOKEN_OFF:
    o->kind = ISA_OPERAND_OFF;
    o->regs = 0;
    break;
  case ISA_TOKEN_INT:
  case ISA_TOKEN_LITERAL:
  case ISA_TOKEN_FLOAT: {
    uint64_t bits = constant_bits(t, type);
    o->kind = ISA_OPERAND_CONST;
    o->lanes = pool_constant(d, (uint32_t)bits, (uint32_t)(bits >> 32));
    if (!o->lanes) {
      snprintf(why, ISA_TEXT_BYTES, "out of memory");
      return false;
    }
    break;
  }
  default:
    snprintf(why, ISA_TEXT_BYTES, "operand of an unknown form");
    return false;
  }
  if (t->neg)
    o->mods |= ISA_MOD_NEG;
  if (t->abs)
    o->mods |= ISA_MOD_ABS;
  if (t->sext)
    o->mods |= ISA_MOD_SEXT;
  return true;
}

static int selection(const char *s) {
  static const char *const names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                                      "WORD_0", "WORD_1", "DWORD"};
  for (int i = 0; i < 7; i++)
    if (strcmp(s, names[i]) == 0)
      return i;
  return -1;
}

// "op_sel:[0,1,1]" → bits and their number.
static unsigned parse_bits(const char *p, unsigned *count) {
  unsigned bits = 0;
  *count = 0;
  for (; *p; p++)
    if (*p == '0' || *p == '1')
      bits |= (unsigned)(*p - '0') << (*count)++;
  return bits;
}

static bool is_packed(const isa_insn *in) {
  for (int i = 0; i < in->nsrc; i++)
    if (in->src[i].type == ISA_TYPE_PK16 || in->src[i].type == ISA_TYPE_PKF16 ||
        in->src[i].type == ISA_TYPE_PKF32 || in->src[i].type == ISA_TYPE_MIX)
      return true;
  return false;
}

static bool has_raw(const isa_insn *in) {
  for (int i = 0; i < in->nsrc; i++)
    if (in->src[i].type == ISA_TYPE_RAW)
      return true;
  return in->ndst && in->dst[0].type == ISA_TYPE_RAW;
}

static void apply_op_sel(isa_insn *in, unsigned op_sel, unsigned count,
                         unsigned op_sel_hi, bool has_hi) {
  if (in->family == ISA_MFMA) { // scale operands: byte = op_sel_hi:op_sel
    if (!has_hi)
      op_sel_hi = 3;
    in->imm |= (op_sel & 1) << 16 | (op_sel >> 1 & 1) << 18 |
               (op_sel_hi & 1) << 17 | (op_sel_hi >> 1 & 1) << 19;
    return;
  }
  if (has_raw(in))
    return; // the handler reads it
  for (unsigned i = 0; i < in->nsrc && i < 3; i++) {
    isa_operand *o = &in->src[i];
    if (op_sel >> i & 1)
      o->mods |= ISA_MOD_OPSEL;
    bool hi = op_sel_hi >> i & 1;
    if (o->type == ISA_TYPE_MIX ? (has_hi && hi) : (has_hi && !hi))
      o->mods |= ISA_MOD_OPSELH;
  }
  if (!is_packed(in) && count > in->nsrc && (op_sel >> in->nsrc & 1))
    in->flags |= ISA_FLAG_DST_HI | ISA_FLAG_SLOW_DST;
}

static bool parse_modifiers(isa_insn *in, const isa_line *line, char *why) {
  unsigned op_sel = 0, op_sel_hi = 0, count = 0, count_hi = 0;
  bool has_sel = false, has_hi = false;
  for (unsigned i = 0; i < line->modifier_count; i++) {
    char name[ISA_TEXT_BYTES];
    snprintf(name, sizeof name, "%s", line->modifiers[i]);
    char *value = strchr(name, ':');
    long number = 0;
    if (value) {
      *value++ = 0;
      number = strtol(value, NULL, 0);
    }
    static const struct {
      const char *name;
      uint32_t flag;
    } flags[] = {{"offen", ISA_FLAG_OFFEN},
                 {"idxen", ISA_FLAG_IDXEN},
                 {"lds", ISA_FLAG_LDS},
                 {"sc0", ISA_FLAG_SC0},
                 {"glc", ISA_FLAG_SC0},
                 {"gds", ISA_FLAG_GDS},
                 {"nt", 0},
                 {"sc1", ISA_FLAG_SC1},
                 {"nv", 0}};
    bool known = false;
    for (size_t k = 0; !value && k < sizeof flags / sizeof *flags; k++)
      if (strcmp(name, flags[k].name) == 0) {
        in->flags |= flags[k].flag;
        known = true;
      }
    if (known)
      continue;
    if (strcmp(name, "clamp") == 0) {
      in->flags |= ISA_FLAG_CLAMP | ISA_FLAG_SLOW_DST;
    } else if (strcmp(name, "mul") == 0 || strcmp(name, "div") == 0) {
      in->omod = name[0] == 'd' ? 3 : number == 2 ? 1 : 2;
      in->flags |= ISA_FLAG_SLOW_DST;
    } else if (strcmp(name, "op_sel") == 0) {
      op_sel = parse_bits(value, &count);
      has_sel = true;
    } else if (strcmp(name, "op_sel_hi") == 0) {
      op_sel_hi = parse_bits(value, &count_hi);
      has_hi = true;
    } else if (strcmp(name, "neg_lo") == 0 || strcmp(name, "neg_hi") == 0) {
      unsigned n, bits = parse_bits(value, &n);
      for (unsigned k = 0; k < in->nsrc && k < 3; k++)
        if (bits >> k & 1)
          in->src[k].mods |= name[4] == 'l' ? ISA_MOD_NEG : ISA_MOD_NEGHI;
    } else if (strcmp(name, "offset") == 0) {
      in->offset = (int32_t)number; // swizzle(…) is read from the encoding
    } else if (strcmp(name, "offset0") == 0) {
      in->offset = (int32_t)number;
    } else if (strcmp(name, "offset1") == 0) {
      in->offset1 = (int32_t)number;
    } else if (strcmp(name, "cbsz") == 0) {
      in->imm |= (uint32_t)number & 7;
    } else if (strcmp(name, "abid") == 0) {
      in->imm |= ((uint32_t)number & 15) << 4;
    } else if (strcmp(name, "blgp") == 0) {
      in->imm |= ((uint32_t)number & 7) << 8;
    } else if (strcmp(name, "neg") == 0) { // f64 MFMA: in place of blgp
      unsigned n;
      in->imm |= (parse_bits(value, &n) & 7) << 8;
    } else if (strcmp(name, "bitop3") == 0) {
      in->imm |= (uint32_t)number & 255;
    } else if (strcmp(name, "dst_sel") == 0) {
      in->dst_sel = (uint8_t)selection(value);
      in->flags |= ISA_FLAG_SDWA | ISA_FLAG_SLOW_DST;
    } else if (strcmp(name, "dst_unused") == 0) {
      in->dst_unused = strcmp(value, "UNUSED_PAD") == 0 ? ISA_UNUSED_PAD
                       : strcmp(value, "UNUSED_SEXT") == 0
                           ? ISA_UNUSED_SEXT
                           : ISA_UNUSED_PRESERVE;
    } else if (strcmp(name, "src0_sel") == 0 || strcmp(name, "src1_sel") == 0) {
      isa_operand *o = &in->src[name[3] - '0'];
      o->sel = (uint8_t)selection(value);
      o->mods |= ISA_MOD_SEL;
    } else if (strcmp(name, "quad_perm") == 0 ||
               strncmp(name, "row_", 4) == 0 ||
               strncmp(name, "wave_", 5) == 0 ||
               strcmp(name, "bank_mask") == 0 ||
               strcmp(name, "bound_ctrl") == 0 || strcmp(name, "fi") == 0 ||
               strcmp(name, "format") == 0) {
      // from the encoding; fi of permlane swaps: no effect, assumed
    } else {
      snprintf(why, ISA_TEXT_BYTES, "modifier \"%s\"", line->modifiers[i]);
      return false;
    }
  }
  if (has_sel || has_hi || in->family == ISA_MFMA)
    apply_op_sel(in, op_sel, count, op_sel_hi, has_hi);
  return true;
}

static bool next_type(const char **spec, char *stop, isa_type *type,
                      uint8_t *regs, bool *vcc) {
  const char *p = *spec;
  while (*p == ' ' || *p == ',')
    p++;
  if (!*p || *p == '=') {
    *stop = *p;
    *spec = *p ? p + 1 : p;
    return false;
  }
  const char *end = p;
  while (*end && *end != ' ' && *end != ',' && *end != '=')
    end++;
  *vcc = end - p == 3 && strncmp(p, "vcc", 3) == 0;
  *type = isa_type_parse(p, (size_t)(end - p), regs);
  *spec = end;
  return true;
}

static bool fill_listed(isa_decoder *d, isa_insn *in, const isa_line *line,
                        const char *spec, char *why) {
  unsigned at = 0;
  bool sources = false;
  isa_type type;
  uint8_t regs;
  bool vcc = false;
  for (;;) {
    char stop = 0;
    if (!next_type(&spec, &stop, &type, &regs, &vcc)) {
      if (stop == '=' && !sources) {
        sources = true;
        continue;
      }
      break;
    }
    if (vcc) {
      in->flags |= ISA_FLAG_VCC_READ;
      continue;
    }
    isa_token t;
    do {
      if (at == line->operand_count) {
        snprintf(why, ISA_TEXT_BYTES, "fewer operands than expected");
        return false;
      }
      if (!isa_token_parse(line->operands[at++], &t)) {
        snprintf(why, ISA_TEXT_BYTES, "operand \"%s\"", line->operands[at - 1]);
        return false;
      }
    } while (t.kind == ISA_TOKEN_NAME);
    isa_operand *o = sources ? &in->src[in->nsrc++] : &in->dst[in->ndst++];
    if (!fill_operand(d, &t, type, regs, o, why))
      return false;
  }
  // v_nop has no operands, but DPP controls.
  if (at && at < line->operand_count && in->family != ISA_SOP) {
    snprintf(why, ISA_TEXT_BYTES, "more operands than expected");
    return false;
  }
  return true;
}

// Buffer, flat, global, scratch: operands loadN, storeN, atomicN of the table.
static bool fill_memory(isa_decoder *d, isa_insn *in, const isa_line *line,
                        const char *spec, char *why) {
  if (strcmp(spec, "none") == 0) { // cache operations: only scope bits
    for (unsigned i = 0; i < line->operand_count; i++)
      if (strcmp(line->operands[i], "sc1") == 0)
        in->flags |= ISA_FLAG_SC1;
    return true;
  }
  isa_token t[6];
  if (line->operand_count > 6)
    return false;
  for (unsigned i = 0; i < line->operand_count; i++)
    if (!isa_token_parse(line->operands[i], &t[i])) {
      snprintf(why, ISA_TEXT_BYTES, "operand \"%s\"", line->operands[i]);
      return false;
    }
  size_t n = strlen(spec);
  uint8_t regs = spec[n - 1] >= '0' && spec[n - 1] <= '9'
                     ? (uint8_t)(spec[n - 1] - '0')
                     : 0;
  bool load = spec[0] == 'l', store = spec[0] == 's';
  bool cmpswap = spec[0] == 'c';
  bool atomic = spec[0] == 'a' || cmpswap;
  bool dma = strcmp(spec, "lds") == 0 || (in->flags & ISA_FLAG_LDS);
  unsigned at = 0;
  bool ok = true;
#define TAKE(o, type, count)                                                   \
  (at < line->operand_count                                                    \
       ? (ok = ok && fill_operand(d, &t[at++], type, count, o, why))           \
       : (snprintf(why, ISA_TEXT_BYTES, "fewer operands than expected"),       \
          ok = false))
  uint8_t data_regs = (uint8_t)(cmpswap ? 2 * regs : regs);
  if (in->family == ISA_BUF) {
    in->nsrc = 3;
    if (load && !dma) {
      in->ndst = 1;
      TAKE(&in->dst[0], ISA_TYPE_VEC, regs);
    } else if (!load) {
      in->nsrc = 4;
      TAKE(&in->src[3], ISA_TYPE_VEC, data_regs);
    }
    TAKE(&in->src[0], ISA_TYPE_VEC, 0);
    TAKE(&in->src[1], ISA_TYPE_VEC, 4);
    TAKE(&in->src[2], ISA_TYPE_B32, 1);
    if (atomic && (in->flags & ISA_FLAG_SC0)) {
      in->ndst = 1;
      in->dst[0] = in->src[3];
      in->dst[0].regs = regs;
    }
  } else {
    bool flat = in->flags & ISA_FLAG_FLAT;
    in->nsrc = 2;
    if ((load && !dma) || (atomic && (in->flags & ISA_FLAG_SC0))) {
      in->ndst = 1;
      TAKE(&in->dst[0], ISA_TYPE_VEC, regs);
    }
    TAKE(&in->src[0], ISA_TYPE_VEC, 0);
    if (store || atomic) {
      in->nsrc = 3;
      TAKE(&in->src[2], ISA_TYPE_VEC, data_regs);
    }
    if (flat)
      in->src[1].kind = ISA_OPERAND_OFF;
    else
      TAKE(&in->src[1], ISA_TYPE_VEC, 0);
    if (dma)
      in->flags |= ISA_FLAG_LDS;
  }
#undef TAKE
  if (ok && at != line->operand_count) {
    snprintf(why, ISA_TEXT_BYTES, "more operands than expected");
    ok = false;
  }
  return ok;
}

// A scalar atomic returns the old value in its data registers if GLC is set.
static void fill_scalar_atomic(isa_insn *in) {
  in->ndst = 1;
  in->dst[0] = in->src[0];
  if (strstr(isa_rows[in->row].mnemonic, "cmpswap"))
    in->dst[0].regs /= 2;
}

// Why the instruction table has no row for this mnemonic.
static void explain_absence(const char *name, char *why) {
  int i = isa_cdna4_find(name);
  if (i < 0)
    snprintf(why, ISA_TEXT_BYTES, "not an instruction of gfx950");
  else if (isa_cdna4_rows[i].refusal)
    snprintf(why, ISA_TEXT_BYTES, "%s, no use in a compute kernel: it %s",
             isa_cdna4_encoding_names[isa_cdna4_rows[i].encoding],
             isa_cdna4_rows[i].refusal);
  else
    snprintf(why, ISA_TEXT_BYTES, "%s, not implemented",
             isa_cdna4_encoding_names[isa_cdna4_rows[i].encoding]);
}

// Matrix operands and exchanges take vector registers only, but the encoding
// can hold scalar sources, and LLVM prints them.
static bool vector_operands(const isa_insn *in, const char *name) {
  if (in->family == ISA_MFMA) {
    bool sparse = strncmp(name, "v_smfmac", 8) == 0;
    const isa_operand *c = &in->src[2];
    return in->src[0].kind == ISA_OPERAND_VGPR &&
           in->src[1].kind == ISA_OPERAND_VGPR &&
           (c->kind == ISA_OPERAND_VGPR ||
            (!sparse && c->kind == ISA_OPERAND_CONST));
  }
  if (strcmp(name, "v_swap_b32") == 0 || strncmp(name, "v_permlane", 10) == 0)
    return in->src[0].kind == ISA_OPERAND_VGPR;
  return true;
}

// A field of scalar registers can also name constants and status bits. LLVM
// prints them even if the field is a destination.
static bool register_destinations(const isa_insn *in) {
  bool scalar = in->family == ISA_SOP || in->family == ISA_SMEM;
  bool vector = in->family != ISA_VALU && !scalar;
  for (int i = 0; i < in->ndst; i++) {
    unsigned kind = in->dst[i].kind;
    if ((kind != ISA_OPERAND_SGPR || vector) &&
        (kind != ISA_OPERAND_VGPR || scalar))
      return false;
  }
  return true;
}

// Instructions between lanes and exchanges: see ERRATA.md, register indexing.
static bool takes_named_registers(const char *name) {
  return strcmp(name, "v_readlane_b32") == 0 ||
         strcmp(name, "v_readfirstlane_b32") == 0 ||
         strcmp(name, "v_writelane_b32") == 0 ||
         strcmp(name, "v_swap_b32") == 0 ||
         strncmp(name, "v_permlane", 10) == 0;
}

bool isa_decode(isa_decoder *d, const uint8_t *bytes, size_t available,
                uint32_t pc, isa_insn *in, char *text, char *why) {
  memset(in, 0, sizeof *in);
  in->pc = pc;
  in->size = 4;
  why[0] = 0;
  uint32_t word[2] = {0, 0};
  if (available < 4) {
    snprintf(why, ISA_TEXT_BYTES, "the code ends inside an instruction");
    snprintf(text, ISA_TEXT_BYTES, "(end of code)");
    return false;
  }
  memcpy(word, bytes, available >= 8 ? 8 : 4);
  char raw[ISA_TEXT_BYTES];
  size_t size =
      fmhac_disasm_one(d->disasm, bytes, available, pc, raw, sizeof raw);
  if (!size) {
    snprintf(text, ISA_TEXT_BYTES, "(unknown encoding 0x%08x)", word[0]);
    snprintf(why, ISA_TEXT_BYTES, "not an instruction of gfx950");
    return false;
  }
  in->size = (uint8_t)size;
  // The disassembler marks operands that no assembler would accept (misaligned
  // registers, DPP controls that do not exist) in comments.
  if (strstr(raw, "/*") || strstr(raw, "; Warning")) {
    snprintf(text, ISA_TEXT_BYTES, "(unknown encoding 0x%08x)", word[0]);
    snprintf(why, ISA_TEXT_BYTES,
             "not an instruction of gfx950 (bad operands)");
    return false;
  }
  isa_line line;
  if (!isa_line_split(raw, &line)) {
    snprintf(text, ISA_TEXT_BYTES, "%.200s", raw);
    snprintf(why, ISA_TEXT_BYTES, "too many operands");
    return false;
  }
  const char *trimmed = raw;
  while (*trimmed == ' ' || *trimmed == '\t')
    trimmed++;
  snprintf(text, ISA_TEXT_BYTES, "%s", trimmed);
  char name[ISA_TEXT_BYTES];
  snprintf(name, sizeof name, "%s", line.mnemonic);
  bool dpp = isa_cdna4_strip(name) == ISA_CDNA4_DPP;
  int row = isa_row_find(d, name);
  if (row < 0) {
    explain_absence(name, why);
    return false;
  }
  const isa_row *isa = &isa_rows[row];
  in->row = (uint16_t)row;
  in->family = (uint8_t)isa->family;
  if (in->family == ISA_SOP)
    in->imm = word[0] & 0xffff; // SIMM16 of SOPP and SOPK
  if (in->family == ISA_VALU && word[0] >> 26 == 0x34)
    in->imm = (word[0] >> 11 & 15) << 8;              // OPSEL of VOP3
  if (in->family == ISA_BUF && word[0] >> 26 == 0x3a) // MTBUF: DFMT, NFMT
    in->imm = word[0] >> 19 & 0x7f;
  if (in->family == ISA_FLAT)
    in->flags |= strncmp(name, "scratch", 7) == 0  ? ISA_FLAG_SCRATCH
                 : strncmp(name, "global", 6) == 0 ? 0
                                                   : ISA_FLAG_FLAT;
  // Memory operands depend on modifiers, and modifiers on operands elsewhere.
  bool memory = in->family == ISA_BUF || in->family == ISA_FLAT;
  if (memory ? !(parse_modifiers(in, &line, why) &&
                 fill_memory(d, in, &line, isa->operands, why))
             : !(fill_listed(d, in, &line, isa->operands, why) &&
                 (in->family == ISA_SOP || parse_modifiers(in, &line, why))))
    return false;
  if (!vector_operands(in, name)) {
    snprintf(why, ISA_TEXT_BYTES, "an operand that is no vector register");
    return false;
  }
  if (takes_named_registers(name))
    in->flags |= ISA_FLAG_NAMED_REGS;
  if (in->family == ISA_SMEM && strstr(name, "atomic") &&
      (in->flags & ISA_FLAG_SC0))
    fill_scalar_atomic(in);
  if (!register_destinations(in)) {
    snprintf(why, ISA_TEXT_BYTES, "a destination that is no register for it");
    return false;
  }
  if (in->family == ISA_SOP && strcmp(name, "s_set_gpr_idx_on") == 0)
    in->imm = word[0] >> 8 & 15; // SSRC1 holds the modes
  if (in->family == ISA_DS && strcmp(name, "ds_swizzle_b32") == 0)
    in->offset = (int32_t)(word[0] & 0xffff);
  if (dpp) { // CDNA3 ISA 12.16.2
    if (size != 8) {
      snprintf(why, ISA_TEXT_BYTES, "DPP of an unexpected length");
      return false;
    }
    in->dpp = (uint16_t)(word[1] >> 8 & 0x1ff);
    in->bank_row_mask = (uint8_t)(word[1] >> 24);
    if (word[1] >> 19 & 1)
      in->flags |= ISA_FLAG_DPP_ZERO;
    in->flags |= ISA_FLAG_SLOW_DST;
    in->src[0].mods |= ISA_MOD_DPP;
  }
  if (in->flags & ISA_FLAG_GDS) {
    snprintf(why, ISA_TEXT_BYTES, "global data share");
    return false;
  }
  for (int i = 0; i < in->nsrc; i++)
    in->src[i].slot = (uint8_t)i;
  return true;
}
