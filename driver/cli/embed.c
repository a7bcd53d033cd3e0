// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "embed.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmhac.h"
#include "streams.h"

bool embed_is_symbol(const char *symbol) {
  static const char *const words[] = {
      "alignas",  "alignof",  "and",       "asm",      "auto",     "bool",
      "break",    "case",     "catch",     "char",     "class",    "const",
      "continue", "default",  "delete",    "do",       "double",   "else",
      "enum",     "explicit", "export",    "extern",   "false",    "float",
      "for",      "friend",   "goto",      "if",       "inline",   "int",
      "long",     "mutable",  "namespace", "new",      "noexcept", "not",
      "nullptr",  "operator", "or",        "private",  "public",   "register",
      "requires", "restrict", "return",    "short",    "signed",   "sizeof",
      "static",   "struct",   "switch",    "template", "this",     "throw",
      "true",     "try",      "typedef",   "typeid",   "typename", "union",
      "unsigned", "using",    "virtual",   "void",     "volatile", "while",
      "xor",      "main",     "concept",   "decltype", "constexpr"};
  if (!isalpha((unsigned char)symbol[0])) // a leading '_' is the compiler's
    return false;
  for (const char *p = symbol; *p; ++p)
    if (!isalnum((unsigned char)*p) && *p != '_')
      return false;
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strcmp(symbol, words[i]) == 0)
      return false;
  return true;
}

/// A text as a literal of C: octal where a character may mean something else.
static void put_literal(FILE *out, const char *text) {
  putc('"', out);
  for (const unsigned char *p = (const unsigned char *)text; *p; ++p) {
    if (*p == '"' || *p == '\\')
      fprintf(out, "\\%c", *p);
    else if (*p < 0x20 || *p > 0x7e || *p == '?') // '?': no trigraphs
      fprintf(out, "\\%03o", *p);
    else
      putc(*p, out);
  }
  putc('"', out);
}

char *embed_source(const char *symbol, const char *name, const char *config,
                   const void *code, size_t code_bytes, size_t *out_bytes) {
  enum { BYTES_OF_LINE = 16 };
  char *text = NULL;
  FILE *out = open_memstream(&text, out_bytes);
  if (!out)
    return NULL;
  fprintf(out,
          "/* Written by `fmhac compile --embed`, %s. */\n"
          "#include \"fmhac.h\"\n\n"
          "static const unsigned char %s_code[] = {",
          fmhac_version_text(), symbol);
  const unsigned char *bytes = code;
  for (size_t i = 0; i < code_bytes; ++i)
    fprintf(out, "%s%u,", i % BYTES_OF_LINE ? "" : "\n", bytes[i]);
  fprintf(out,
          "};\n\n"
          "#ifdef __cplusplus\n"
          "extern \"C\" {\n"
          "#endif\n"
          "extern const fmhac_embedded_kernel %s;\n"
          "#ifdef __cplusplus\n"
          "}\n"
          "#endif\n"
          "const fmhac_embedded_kernel %s = {\n  ",
          symbol, symbol);
  put_literal(out, name);
  fprintf(out, ",\n  ");
  put_literal(out, config);
  fprintf(out, ",\n  %s_code,\n  sizeof %s_code};\n", symbol, symbol);
  return stream_text(out, &text);
}
