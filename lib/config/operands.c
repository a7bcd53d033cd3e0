// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "operands.h"

#include <inttypes.h>

#include "context.h"

bool fmhac_operand_is_8_bit(fmhac_operand_dtype own, fmhac_dtype dtype) {
  if (own == FMHAC_OPERAND_DTYPE_SAME)
    return dtype == FMHAC_DTYPE_FP8;
  return own == FMHAC_OPERAND_DTYPE_FP8 || own == FMHAC_OPERAND_DTYPE_BF8;
}

/// One of Q, K and V.
typedef struct operand {
  char name; ///< as its keys begin
  fmhac_operand_dtype own;
  fmhac_granularity scale;
  bool has_values;
} operand;

static fmhac_status check_operand(fmhac_context *context, const operand *o,
                                  fmhac_dtype dtype) {
  const char *granularity =
      fmhac_option_choices(FMHAC_KIND_GRANULARITY)[o->scale];
  if (o->scale == FMHAC_GRANULARITY_NONE && !o->has_values)
    return FMHAC_OK;
  if (!fmhac_operand_is_8_bit(o->own, dtype))
    return fmhac_fail(
        context, FMHAC_INVALID_INPUT,
        "configuration: \"%c_%s\": factors are for elements of 8 bits, found "
        "%s; leave \"%c_scale\" and \"%c_scales\" out, or give an 8-bit type",
        o->name, o->has_values ? "scales" : "scale",
        fmhac_operand_dtype_name(o->own, dtype), o->name, o->name);
  if (!o->has_values)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: \"%c_scale\" is \"%s\", but there are no "
                      "factors; expected \"%c_scales\" beside it",
                      o->name, granularity, o->name);
  if (o->scale == FMHAC_GRANULARITY_NONE)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: \"%c_scales\" is given, but \"%c_scale\" "
                      "is \"none\"; expected one of tensor, head, token, block",
                      o->name, o->name);
  return FMHAC_OK;
}

static fmhac_status check_block(fmhac_context *context,
                                const fmhac_config_values *values) {
  // Of K and V in pages a page is a block.
  const bool of_keys = values->k_scale == FMHAC_GRANULARITY_BLOCK ||
                       values->v_scale == FMHAC_GRANULARITY_BLOCK;
  const bool blocks = values->q_scale == FMHAC_GRANULARITY_BLOCK ||
                      (of_keys && !values->page_size);
  if (blocks && !values->scale_block)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: factors by \"block\" need "
                      "\"scale_block\", the rows that share a factor; found 0");
  if (!blocks && values->scale_block)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: \"scale_block\" is %" PRId64
                      ", but %s; leave it out",
                      values->scale_block,
                      of_keys ? "factors of K and V in pages are of pages"
                              : "no operand has factors by \"block\"");
  return FMHAC_OK;
}

fmhac_status fmhac_check_operands(fmhac_context *context,
                                  const fmhac_config_values *values) {
  const fmhac_config_values *v = values;
  const operand all[] = {
      {'q', v->q_dtype, v->q_scale, v->q_scales},
      {'k', v->k_dtype, v->k_scale, v->k_scales},
      {'v', v->v_dtype, v->v_scale, v->v_scales},
  };
  enum { Q, K, V, OPERANDS };
  for (int i = 0; i < OPERANDS; ++i) {
    fmhac_status status = check_operand(context, &all[i], v->dtype);
    if (status != FMHAC_OK)
      return status;
  }
  if (v->quantize_q && (fmhac_operand_is_8_bit(v->q_dtype, v->dtype) ||
                        !fmhac_operand_is_8_bit(v->k_dtype, v->dtype) ||
                        !fmhac_operand_is_8_bit(v->v_dtype, v->dtype)))
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: \"quantize_q\" is for a Q of 16 bits "
                      "with K and V of 8; "
                      "found Q %s, K %s, V %s",
                      fmhac_operand_dtype_name(v->q_dtype, v->dtype),
                      fmhac_operand_dtype_name(v->k_dtype, v->dtype),
                      fmhac_operand_dtype_name(v->v_dtype, v->dtype));
  return check_block(context, v);
}

const char *fmhac_unsupported_factors(const fmhac_config_values *values) {
  // Rows in pages have no places of their own among factors, blocks of a
  // sequence that begins anywhere neither.
  if (values->page_size)
    return values->k_scale == FMHAC_GRANULARITY_TOKEN   ? "k_scale"
           : values->v_scale == FMHAC_GRANULARITY_TOKEN ? "v_scale"
                                                        : NULL;
  if (!values->cu_seqlens_kv)
    return NULL;
  return values->k_scale == FMHAC_GRANULARITY_BLOCK   ? "k_scale"
         : values->v_scale == FMHAC_GRANULARITY_BLOCK ? "v_scale"
                                                      : NULL;
}
