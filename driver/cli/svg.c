// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "svg.h"

#include <stdarg.h>

#include "streams.h"

FILE *svg_open(char **text, size_t *size, double width, double height,
               int font_size) {
  *text = NULL;
  FILE *out = open_memstream(text, size);
  if (out)
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
            "height=\"%.0f\" font-family=\"sans-serif\" font-size=\"%d\">\n"
            "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
            width, height, font_size);
  return out;
}

char *svg_close(FILE *out, char **text) {
  fprintf(out, "</svg>\n");
  return stream_text(out, text);
}

/// Text as it stands between tags or in an attribute.
static void put_escaped(FILE *out, const char *text) {
  for (; *text; ++text)
    switch (*text) {
    case '<':
      fputs("&lt;", out);
      break;
    case '&':
      fputs("&amp;", out);
      break;
    case '"':
      fputs("&quot;", out);
      break;
    default:
      // XML has no other control characters.
      fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    }
}

void svg_text(FILE *out, double x, double y, int size, svg_anchor anchor,
              const char *format, ...) {
  static const char *const anchors[] = {"", " text-anchor=\"middle\"",
                                        " text-anchor=\"end\""};
  char text[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\"%s>", x, y, size,
          anchors[anchor]);
  put_escaped(out, text);
  fprintf(out, "</text>\n");
}

void svg_rect(FILE *out, double x, double y, double width, double height,
              const char *fill) {
  fprintf(out,
          "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
          "fill=\"%s\"/>\n",
          x, y, width, height, fill);
}
