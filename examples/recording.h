/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** \file
 *  A launch that is recorded once and replayed: a graph of HIP. The emulator
 *  has no graphs, so that there each replay launches anew, with the tensors of
 *  the recording. */
#ifndef RECORDING_H
#define RECORDING_H

#include "fmhac.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct recording {
  const fmhac_plan *plan;
  fmhac_rt_device *device;
  fmhac_tensors tensors;
  void *workspace;
  void *stream;
  void *graph; /**< a hipGraphExec_t; NULL on the emulator */
  int (*replay)(void *graph, void *stream); /**< hipGraphLaunch() */
  int (*destroy)(void *graph);              /**< hipGraphExecDestroy() */
} recording;

/** Loads the kernels, makes a stream and records a launch of `plan` on it.
 *  `uri` is that of the device. On failure the text is in the context or the
 *  device, or in `why` of `why_bytes`. */
fmhac_status recording_make(recording *r, const char *uri,
                            const fmhac_plan *plan, fmhac_rt_device *device,
                            const fmhac_tensors *tensors, void *workspace,
                            char *why, size_t why_bytes);

/** Starts the launch again and waits for it: it reads whatever the addresses
 *  hold now. */
fmhac_status recording_replay(const recording *r);

/** Frees the graph; the stream goes with its device. A zeroed recording is
 *  allowed. */
void recording_destroy(recording *r);

#ifdef __cplusplus
}
#endif
#endif
