// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pages.h"

#include <inttypes.h>

#include "context.h"
#include "key_pages.h"
#include "operands.h"

/// Pages that are no power of two have whole pieces of so many keys.
enum { KEYS_OF_A_PIECE = 16 };

static fmhac_status check_size(fmhac_context *context, int64_t keys) {
  if ((keys & (keys - 1)) == 0 || keys % KEYS_OF_A_PIECE == 0)
    return FMHAC_OK;
  const int64_t below = keys / KEYS_OF_A_PIECE * KEYS_OF_A_PIECE;
  return fmhac_fail(context, FMHAC_INVALID_INPUT,
                    "configuration: \"page_size\" is %" PRId64
                    "; expected a power of two or a multiple of %d, as %" PRId64
                    " or %" PRId64,
                    keys, KEYS_OF_A_PIECE, below ? below : KEYS_OF_A_PIECE / 2,
                    below + KEYS_OF_A_PIECE);
}

/// Vectorised pages hold whole pieces of keys of a column of V.
static fmhac_status check_pieces(fmhac_context *context,
                                 const fmhac_config_values *v) {
  if (v->kv_layout != FMHAC_KV_LAYOUT_VECTORISED || v->v_in_k)
    return FMHAC_OK; // or in K's pieces, of columns
  const int64_t element_bytes =
      fmhac_operand_is_8_bit(v->v_dtype, v->dtype) ? 1 : 2;
  const int64_t keys = ATTENTION_PIECE_BYTES / element_bytes;
  return v->page_size % keys == 0
             ? FMHAC_OK
             : fmhac_fail(context, FMHAC_INVALID_INPUT,
                          "configuration: \"page_size\" is %" PRId64
                          "; with \"kv_layout\" vectorised expected a multiple "
                          "of %" PRId64 ", the keys in %d bytes of V; smaller "
                          "pages can be nhd or hnd",
                          v->page_size, keys, ATTENTION_PIECE_BYTES);
}

/// Without pages: keys that are only of them.
static fmhac_status check_unpaged(fmhac_context *context,
                                  const fmhac_config_values *v) {
  const char *key = v->page_table                         ? "page_table"
                    : v->kv_indptr                        ? "kv_indptr"
                    : v->kv_indices                       ? "kv_indices"
                    : v->kv_last_page_len                 ? "kv_last_page_len"
                    : v->kv_layout != FMHAC_KV_LAYOUT_NHD ? "kv_layout"
                                                          : NULL;
  return key ? fmhac_fail(context, FMHAC_INVALID_INPUT,
                          "configuration: \"%s\" is of K and V in pages, but "
                          "\"page_size\" is 0; expected the keys of a page "
                          "beside it",
                          key)
             : FMHAC_OK;
}

/// The two tables, and what each says lengths with.
static fmhac_status check_tables(fmhac_context *context,
                                 const fmhac_config_values *v) {
  const bool list = v->kv_indptr || v->kv_indices || v->kv_last_page_len;
  if (!list && !v->page_table)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: \"page_size\" is %" PRId64
                      ", but nothing says which pages a sequence has; expected "
                      "\"page_table\" with \"seqlens_kv\", or \"kv_indptr\", "
                      "\"kv_indices\" and \"kv_last_page_len\"",
                      v->page_size);
  const char *extra = v->page_table && list   ? "page_table"
                      : list && v->seqlens_kv ? "seqlens_kv"
                                              : NULL;
  if (extra)
    return fmhac_fail(context, FMHAC_INVALID_INPUT,
                      "configuration: \"%s\" and \"%s\" exclude each other: "
                      "pages and lengths come from a table with lengths or "
                      "from a list",
                      v->kv_indptr    ? "kv_indptr"
                      : v->kv_indices ? "kv_indices"
                                      : "kv_last_page_len",
                      extra);
  const char *missing = v->page_table    ? v->seqlens_kv ? NULL : "seqlens_kv"
                        : !v->kv_indptr  ? "kv_indptr"
                        : !v->kv_indices ? "kv_indices"
                        : !v->kv_last_page_len ? "kv_last_page_len"
                                               : NULL;
  return missing ? fmhac_fail(context, FMHAC_INVALID_INPUT,
                              "configuration: expected \"%s\" beside \"%s\", "
                              "found none",
                              missing,
                              v->page_table   ? "page_table"
                              : v->kv_indptr  ? "kv_indptr"
                              : v->kv_indices ? "kv_indices"
                                              : "kv_last_page_len")
                 : FMHAC_OK;
}

fmhac_status fmhac_check_pages(fmhac_context *context,
                               const fmhac_config_values *values) {
  const fmhac_config_values *v = values;
  fmhac_status status = FMHAC_OK;
  if (!v->page_size) {
    status = check_unpaged(context, v);
  } else {
    status = check_size(context, v->page_size);
    if (status == FMHAC_OK)
      status = check_pieces(context, v);
    if (status == FMHAC_OK && v->cu_seqlens_kv)
      status = fmhac_fail(context, FMHAC_INVALID_INPUT,
                          "configuration: \"page_size\" and \"cu_seqlens_kv\" "
                          "exclude each other: the second is for sequences "
                          "packed one after the other");
    if (status == FMHAC_OK)
      status = check_tables(context, v);
  }
  if (status == FMHAC_OK && v->kv_lengths == FMHAC_KV_LENGTHS_CACHED &&
      !v->seqlens_kv)
    status =
        fmhac_fail(context, FMHAC_INVALID_INPUT,
                   "configuration: \"kv_lengths\" is \"cached\": expected "
                   "\"seqlens_kv\" beside it, whose lengths it is about, "
                   "found none%s",
                   v->kv_indptr ? "; kv_indptr has the pages of all keys" : "");
  return status;
}
