// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads LLVM's spelling of AMDGPU operands (AMDGPUInstPrinter).
#include "operand_text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  uint16_t index;
  uint8_t regs;
} k_special[] = {
    {"vcc", ISA_SGPR_VCC, 2},
    {"vcc_lo", ISA_SGPR_VCC, 1},
    {"vcc_hi", ISA_SGPR_VCC + 1, 1},
    {"exec", ISA_SGPR_EXEC, 2},
    {"exec_lo", ISA_SGPR_EXEC, 1},
    {"exec_hi", ISA_SGPR_EXEC + 1, 1},
    {"m0", ISA_SGPR_M0, 1},
    {"flat_scratch", ISA_SGPR_FLAT_SCRATCH, 2},
    {"flat_scratch_lo", ISA_SGPR_FLAT_SCRATCH, 1},
    {"flat_scratch_hi", ISA_SGPR_FLAT_SCRATCH + 1, 1},
    {"xnack_mask", ISA_SGPR_XNACK_MASK, 2},
    {"xnack_mask_lo", ISA_SGPR_XNACK_MASK, 1},
    {"xnack_mask_hi", ISA_SGPR_XNACK_MASK + 1, 1},
};

// The apertures as operands.
static const struct {
  const char *name;
  uint64_t value;
} k_apertures[] = {
    {"src_shared_base", ISA_SHARED_BASE},
    {"src_shared_limit", ISA_SHARED_BASE | 0xffffffffu},
    {"src_private_base", ISA_PRIVATE_BASE},
    {"src_private_limit", ISA_PRIVATE_BASE | 0xffffffffu},
    {"src_pops_exiting_wave_id", 0},
};

static bool parse_register(const char *p, isa_token *t) {
  uint8_t file;
  unsigned base = 0, limit;
  if (strncmp(p, "ttmp", 4) == 0) {
    file = ISA_OPERAND_SGPR;
    base = ISA_SGPR_TTMP;
    limit = 16;
    p += 4;
  } else if (*p == 'v' || *p == 'a') {
    file = ISA_OPERAND_VGPR;
    base = *p == 'a' ? 256 : 0;
    limit = 256;
    p++;
  } else if (*p == 's') {
    file = ISA_OPERAND_SGPR;
    limit = 102;
    p++;
  } else {
    return false;
  }
  char *end;
  unsigned long first, last;
  if (*p == '[') {
    first = strtoul(p + 1, &end, 10);
    last = first;
    if (*end == ':')
      last = strtoul(end + 1, &end, 10);
    if (*end != ']' || end[1])
      return false;
  } else {
    if (!isdigit((unsigned char)*p))
      return false;
    first = last = strtoul(p, &end, 10);
    if (*end)
      return false;
  }
  if (last < first || last >= limit)
    return false;
  t->kind = ISA_TOKEN_REG;
  t->file = file;
  t->index = (uint16_t)(base + first);
  t->regs = (uint8_t)(last - first + 1);
  return true;
}

static bool parse_number(const char *p, isa_token *t) {
  const char *digits = *p == '-' ? p + 1 : p;
  if (!isdigit((unsigned char)*digits))
    return false;
  char *end;
  if (digits[0] == '0' && digits[1] == 'x') {
    t->kind = ISA_TOKEN_LITERAL;
    t->number = strtoull(digits, &end, 16);
    if (*p == '-')
      t->number = 0 - t->number;
    return *end == 0;
  }
  if (strchr(p, '.') || strchr(p, 'e')) {
    t->kind = ISA_TOKEN_FLOAT;
    t->value = strtod(p, &end);
    return *end == 0;
  }
  t->kind = ISA_TOKEN_INT;
  t->number = (uint64_t)strtoll(p, &end, 10);
  return *end == 0;
}

bool isa_token_parse(const char *text, isa_token *t) {
  char copy[ISA_TEXT_BYTES];
  size_t n = strlen(text);
  if (!n || n >= sizeof copy)
    return false;
  memcpy(copy, text, n + 1);
  memset(t, 0, sizeof *t);
  char *p = copy;
  // A minus before a digit is part of the number; before anything else, or
  // spelt neg(…), it is the modifier.
  if (*p == '-' && !isdigit((unsigned char)p[1])) {
    t->neg = true;
    p++;
  }
  for (int wrap = 0; wrap < 3; wrap++) {
    n = strlen(p);
    if (n > 5 && strncmp(p, "neg(", 4) == 0 && p[n - 1] == ')') {
      t->neg = true;
      p[n - 1] = 0;
      p += 4;
    } else if (n > 6 && strncmp(p, "sext(", 5) == 0 && p[n - 1] == ')') {
      t->sext = true;
      p[n - 1] = 0;
      p += 5;
    } else if (n > 5 && strncmp(p, "lit(", 4) == 0 && p[n - 1] == ')') {
      p[n - 1] = 0;
      p += 4;
    } else if (n > 2 && p[0] == '|' && p[n - 1] == '|') {
      t->abs = true;
      p[n - 1] = 0;
      p++;
    }
  }
  if (strcmp(p, "off") == 0) {
    t->kind = ISA_TOKEN_OFF;
    return true;
  }
  if (strcmp(p, "scc") == 0 || strcmp(p, "src_scc") == 0) {
    t->kind = ISA_TOKEN_SPECIAL;
    t->number = ISA_OPERAND_SCC;
    return true;
  }
  if (strcmp(p, "src_vccz") == 0 || strcmp(p, "src_execz") == 0) {
    t->kind = ISA_TOKEN_SPECIAL;
    t->number = p[4] == 'v' ? ISA_OPERAND_VCCZ : ISA_OPERAND_EXECZ;
    return true;
  }
  for (size_t i = 0; i < sizeof k_special / sizeof *k_special; i++)
    if (strcmp(p, k_special[i].name) == 0) {
      t->kind = ISA_TOKEN_REG;
      t->file = ISA_OPERAND_SGPR;
      t->index = k_special[i].index;
      t->regs = k_special[i].regs;
      return true;
    }
  for (size_t i = 0; i < sizeof k_apertures / sizeof *k_apertures; i++)
    if (strcmp(p, k_apertures[i].name) == 0) {
      t->kind = ISA_TOKEN_LITERAL;
      t->file = 1; // marks an aperture: 32-bit readers get the high half
      t->number = k_apertures[i].value;
      return true;
    }
  if (parse_register(p, t) || parse_number(p, t))
    return true;
  if (strchr(p, '(')) {
    t->kind = ISA_TOKEN_NAME;
    return true;
  }
  return false;
}

// End of a part: a comma or blank outside brackets and bars.
static char *part_end(char *p, bool stop_at_blank) {
  int depth = 0;
  bool bar = false;
  for (; *p; p++) {
    if (*p == '[' || *p == '(')
      depth++;
    else if (*p == ']' || *p == ')')
      depth--;
    else if (*p == '|')
      bar = !bar;
    else if (depth == 0 && !bar && (*p == ',' || (stop_at_blank && *p == ' ')))
      break;
  }
  return p;
}

bool isa_line_split(const char *text, isa_line *line) {
  memset(line, 0, sizeof *line);
  while (isspace((unsigned char)*text))
    text++;
  size_t n = strlen(text);
  if (n >= sizeof line->copy)
    return false;
  memcpy(line->copy, text, n + 1);
  while (n && isspace((unsigned char)line->copy[n - 1]))
    line->copy[--n] = 0;
  char *p = line->copy;
  line->mnemonic = p;
  while (*p && !isspace((unsigned char)*p))
    p++;
  bool operands = true;
  while (*p) {
    *p++ = 0;
    while (*p == ' ' || *p == '\t')
      p++;
    if (!*p)
      break;
    char *end = part_end(p, true);
    bool comma = *end == ',';
    if (operands) {
      if (line->operand_count == 10)
        return false;
      line->operands[line->operand_count++] = p;
      operands = comma; // modifiers follow the last operand
    } else {
      if (line->modifier_count == 20)
        return false;
      line->modifiers[line->modifier_count++] = p;
    }
    p = end;
  }
  return true;
}

isa_type isa_type_parse(const char *name, size_t length, uint8_t *out_regs) {
  static const struct {
    const char *name;
    uint8_t type, regs;
  } types[] = {
      {"b32", ISA_TYPE_B32, 1},     {"f32", ISA_TYPE_F32, 1},
      {"b16", ISA_TYPE_B16, 1},     {"f16", ISA_TYPE_F16, 1},
      {"pk16", ISA_TYPE_PK16, 1},   {"pkf16", ISA_TYPE_PKF16, 1},
      {"pkf32", ISA_TYPE_PKF32, 2}, {"b64", ISA_TYPE_B64, 2},
      {"i64", ISA_TYPE_I64, 2},     {"f64", ISA_TYPE_F64, 2},
      {"f64x4", ISA_TYPE_F64, 8},   {"mask", ISA_TYPE_B64, 2},
      {"mix", ISA_TYPE_MIX, 1},     {"s16", ISA_TYPE_S16, 0},
      {"u16", ISA_TYPE_U16, 0},     {"raw", ISA_TYPE_RAW, 1},
  };
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strlen(types[i].name) == length &&
        strncmp(types[i].name, name, length) == 0) {
      *out_regs = types[i].regs;
      return (isa_type)types[i].type;
    }
  if (length >= 2 && name[0] == 'x') {
    *out_regs = (uint8_t)atoi(name + 1);
    return ISA_TYPE_VEC;
  }
  *out_regs = 0;
  return ISA_TYPE_NONE;
}

void isa_register_text(char *text, size_t bytes, bool scalar, unsigned first) {
  if (!scalar)
    snprintf(text, bytes, "%c%u", first >= 256 ? 'a' : 'v', first & 255);
  else if (first == ISA_SGPR_VCC || first == ISA_SGPR_VCC + 1)
    snprintf(text, bytes, "vcc");
  else if (first == ISA_SGPR_M0)
    snprintf(text, bytes, "m0");
  else
    snprintf(text, bytes, "s%u", first);
}

const char *isa_pc_text(uint32_t pc, uint32_t entry_text,
                        char text[ISA_PC_TEXT_BYTES]) {
  long long offset = (long long)pc - (long long)entry_text;
  snprintf(text, ISA_PC_TEXT_BYTES, "%s0x%llx", offset < 0 ? "-" : "",
           llabs(offset));
  return text;
}
