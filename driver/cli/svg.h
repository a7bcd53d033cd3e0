// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Writing SVG: lengths are pixels, colours as in CSS.
#ifndef FMHAC_DRIVER_SVG_H
#define FMHAC_DRIVER_SVG_H

#include <stdio.h>

/// An image with a white ground in a buffer that grows. NULL when memory is
/// exhausted.
FILE *svg_open(char **text, size_t *size, double width, double height,
               int font_size);
/// Ends the image. Returns `*text`, which the caller frees; NULL when memory is
/// exhausted.
char *svg_close(FILE *out, char **text);

typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor;
/// A line of text whose foot is at `y`.
void svg_text(FILE *out, double x, double y, int size, svg_anchor anchor,
              const char *format, ...) __attribute__((format(printf, 6, 7)));
void svg_rect(FILE *out, double x, double y, double width, double height,
              const char *fill);

#endif // FMHAC_DRIVER_SVG_H
