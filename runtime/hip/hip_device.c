#include "device.h"
#include <stdio.h>
fmhac_status fmhac_hip_device_create(int ordinal, char *text, size_t text_bytes,
                                     fmhac_rt_device **out_device) {
  (void)ordinal;
  *out_device = 0;
  snprintf(text, text_bytes, "no hip");
  return FMHAC_DEVICE_UNAVAILABLE;
}
