// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// What the x86-64 form of a kernel calls: who it is, and the points where the
/// work-items of a workgroup meet. The runner, which steps them, exports it.
#ifndef FMHAC_TEST_DIFFERENTIAL_ORACLE_H
#define FMHAC_TEST_DIFFERENTIAL_ORACLE_H

#define ORACLE_API __attribute__((visibility("default")))

enum { ORACLE_DYNAMIC_LDS_BYTES = 65536 };

struct oracle_item {
  unsigned local_id[3], group_id[3];
  unsigned local_size[3], group_count[3];
  unsigned lane; ///< linear local id modulo 64
};

/// One value a lane of the own wave; `active` are those that gave one.
struct oracle_wave_values {
  unsigned long value[64];
  unsigned long active;
};

/// The work-item that runs.
ORACLE_API const struct oracle_item *oracle_self(void);

/// Returns when every work-item of the workgroup that has not ended is here.
ORACLE_API void oracle_barrier(void);

/// Gives a value and returns the values of the wave, when every lane of it that
/// has not ended gave one. Valid until the own next call.
ORACLE_API const struct oracle_wave_values *
oracle_exchange(unsigned long value);

#endif // FMHAC_TEST_DIFFERENTIAL_ORACLE_H
