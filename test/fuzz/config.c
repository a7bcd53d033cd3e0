// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: the text of a configuration. One that is taken has a canonical form
// that means itself, and gets an answer from fmhac_query().
#include <string.h>

#include "fmhac.h"
#include "fuzz.h"

static void check_canonical(fmhac_context *context,
                            const fmhac_config *config) {
  const char *canonical = fmhac_config_get_canonical(config);
  fmhac_config *again = NULL;
  fmhac_status status = fmhac_config_create_json(context, canonical, &again);
  FUZZ_CHECK(status == FMHAC_OK, "%s is refused: %s", canonical,
             fmhac_last_error(context));
  FUZZ_CHECK(strcmp(fmhac_config_get_canonical(again), canonical) == 0,
             "%s becomes %s", canonical, fmhac_config_get_canonical(again));
  fmhac_config_destroy(again);
}

static void check_query(fmhac_context *context, const fmhac_config *config) {
  fmhac_support support = {.size = sizeof support};
  fmhac_status status = fmhac_query(context, config, &support);
  FUZZ_CHECK(status == FMHAC_OK || status == FMHAC_INVALID_INPUT ||
                 status == FMHAC_UNSUPPORTED,
             "status %d: %s", (int)status, fmhac_last_error(context));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  if (!text)
    abort();
  if (size)
    memcpy(text, data, size);
  text[size] = '\0';
  fmhac_context *context = NULL;
  if (fmhac_context_create(NULL, &context) != FMHAC_OK)
    abort();
  fmhac_config *config = NULL;
  fmhac_status status = fmhac_config_create_json(context, text, &config);
  FUZZ_CHECK(status == FMHAC_OK || status == FMHAC_INVALID_INPUT,
             "status %d: %s", (int)status, fmhac_last_error(context));
  FUZZ_CHECK((status == FMHAC_OK) == (config != NULL), "status %d",
             (int)status);
  FUZZ_CHECK(config || fmhac_last_error(context)[0], "no reason is given");
  if (config) {
    check_canonical(context, config);
    check_query(context, config);
  }
  fmhac_config_destroy(config);
  fmhac_context_destroy(context);
  free(text);
  return 0;
}
