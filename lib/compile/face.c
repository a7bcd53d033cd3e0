// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "face.h"

#include "llvm-c/Core.h"

#include "compilation.h"
#include "schedule_knobs.h"
#include "session.h"

const fmhac_compiler_face fmhac_compiler_face_table = {
    .digest = FMHAC_FACE_DIGEST,
    .address_in_llvm = (const void *)LLVMContextCreate,
    .run = fmhac_compilation_run,
    .end = fmhac_session_destroy,
    .schedule_get_tile = fmhac_knobs_get_tile,
    .schedule_expand = fmhac_knobs_expand,
    .schedule_visit_knobs = fmhac_knobs_visit,
    .schedule_change = fmhac_knobs_change,
    .schedule_describe = fmhac_stages_describe};
