// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cube map faces and coordinates. CDNA4 ISA, V_CUBEID_F32, V_CUBESC_F32,
// V_CUBETC_F32, V_CUBEMA_F32. Denormal inputs follow MODE: assumed.
#include "floatop.h"

// The axis of largest magnitude; of equal ones z before y before x.
enum { AXIS_X, AXIS_Y, AXIS_Z };
static int major_axis(float x, float y, float z) {
  if (fabsf(z) >= fabsf(x) && fabsf(z) >= fabsf(y))
    return AXIS_Z;
  return fabsf(y) >= fabsf(x) ? AXIS_Y : AXIS_X;
}

static float face(float x, float y, float z) {
  int axis = major_axis(x, y, z);
  float m = axis == AXIS_X ? x : axis == AXIS_Y ? y : z;
  return (float)(2 * axis + (m < 0.0f));
}
static float s_coordinate(float x, float y, float z) {
  int axis = major_axis(x, y, z);
  if (axis == AXIS_X)
    return x < 0.0f ? z : -z;
  return axis == AXIS_Z && z < 0.0f ? -x : x;
}
static float t_coordinate(float x, float y, float z) {
  if (major_axis(x, y, z) == AXIS_Y)
    return y < 0.0f ? -z : z;
  return -y;
}
static float twice_major(float x, float y, float z) {
  int axis = major_axis(x, y, z);
  return 2.0f * (axis == AXIS_X ? x : axis == AXIS_Y ? y : z);
}

static void cube(emu_wave *w, const isa_insn *in,
                 float (*f)(float, float, float)) {
  EMU_SRC3;
  uint32_t *d = w->tmp;
  for (int i = 0; i < EMU_LANES; i++) {
    float r = f(emu_f32(emu_flush32(pa[i], w->f32_in)),
                emu_f32(emu_flush32(pb[i], w->f32_in)),
                emu_f32(emu_flush32(pc[i], w->f32_in)));
    d[i] = emu_flush32(emu_u32(r), w->f32_out);
  }
  emu_dst_done(w, in, d);
}
EMU_HANDLER(v_cubeid_f32) { cube(w, in, face); }
EMU_HANDLER(v_cubesc_f32) { cube(w, in, s_coordinate); }
EMU_HANDLER(v_cubetc_f32) { cube(w, in, t_coordinate); }
EMU_HANDLER(v_cubema_f32) { cube(w, in, twice_major); }
