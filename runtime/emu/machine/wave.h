// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// State of a running kernel: launch, workgroup, wave.
#ifndef FMHAC_EMU_WAVE_H
#define FMHAC_EMU_WAVE_H

#include <fenv.h>
#include <stdalign.h>
#include <string.h>

#include "fmhac_emu.h"
#include "module.h"

enum {
  EMU_LANES = 64,
  EMU_LDS_BYTES = 163840, ///< a workgroup's limit: 160 KiB
  EMU_QUEUE = 64,
  EMU_STACK_BYTES = 16384, ///< a lane's, where the stack is dynamic
};

typedef struct emu_wave emu_wave;
/// A handler: executes one instruction.
typedef void (*emu_exec_fn)(emu_wave *wave, const isa_insn *insn);
/// Handlers by isa_insn.row, isa_row_count included, in the fastest variant
/// that the host can run. The results of all variants are the same, bit by bit.
const emu_exec_fn *emu_handlers(void);

typedef enum emu_state {
  EMU_RUNNING,
  EMU_AT_BARRIER,
  EMU_HALTED,
  EMU_ENDED,
  EMU_FAULT ///< cannot go on; `fault` of the workgroup says why
} emu_state;

/// Kinds of outstanding memory operations.
typedef enum emu_pending_kind {
  EMU_PENDING_NONE,    ///< counted only (stores)
  EMU_PENDING_VGPR,    ///< data to vector registers
  EMU_PENDING_LDS_DMA, ///< data to LDS
  EMU_PENDING_DS_READ, ///< LDS to vector registers, read at completion
  EMU_PENDING_SGPR,    ///< data to scalar registers
} emu_pending_kind;

typedef struct emu_pending {
  const isa_insn *insn;
  uint64_t exec;   ///< active lanes
  uint64_t serial; ///< order of issue in the wave
  uint64_t due;    ///< emu_wave.executed at which it completes
  uint8_t kind;
  bool completed;         ///< the data has been delivered
  bool flat;              ///< counted by both counters
  bool keep_half;         ///< d16 forms: merge, see mask
  bool data_in_registers; ///< the data is in the registers already
  uint16_t reg;           ///< first register
  uint8_t regs;
  uint8_t lds_bytes; ///< per lane, DMA
  uint8_t lds_step;  ///< from lane to lane, DMA: 16 also for three dwords
  uint32_t lds_base; ///< lane 0's address, DMA
  /// One row per register; lane after lane for LDS_DMA; 16 words for SGPR.
  uint32_t data[4][EMU_LANES];
  uint32_t mask[4];            ///< bits of each register that are written
  uint32_t address[EMU_LANES]; ///< LDS reads
} emu_pending;

/// Outstanding operations of one counter, oldest first.
typedef struct emu_queue {
  uint32_t count;
  uint64_t used;            ///< bit i: entry i of `ring` is in use
  uint8_t order[EMU_QUEUE]; ///< numbers of the entries, oldest first
  emu_pending *ring;        ///< EMU_QUEUE entries
} emu_queue;

typedef struct emu_workgroup emu_workgroup;

enum { EMU_TRAIL_RUNS = 20 }; ///< each run is at least one wait state
/// Hazard checker: the last instructions of a wave, as runs of instructions
/// that follow each other in the code.
typedef struct emu_trail {
  const isa_insn *first; ///< of the current run
  uint32_t lookback;     ///< next instructions that earlier runs may reach
  uint32_t count;
  uint32_t newest; ///< entry of `runs`
  struct {
    const isa_insn *first, *last;
  } runs[EMU_TRAIL_RUNS]; ///< earlier ones
} emu_trail;

struct emu_wave {
  alignas(64) uint32_t v[ISA_VGPRS][EMU_LANES];
  alignas(64) uint32_t scratch[ISA_MAX_SRC + 1][4 * EMU_LANES];
  alignas(64) uint32_t tmp[32 * EMU_LANES];
  alignas(64) uint32_t s[ISA_SGPRS + 16]; ///< by encoded number
  const isa_insn *ip;                     ///< next instruction
  uint32_t scc;
  uint8_t state;
  uint8_t priority;
  bool gpr_idx; ///< MODE.GPR_IDX_EN; see emu_gpr_idx()
  bool vskip;   ///< MODE.VSKIP: vector instructions are skipped
  uint8_t csp;  ///< MODE.CSP: depth of the stack of s_cbranch_*_fork
  bool yield;   ///< ends its turn (s_sleep)
  // Whether it waits for others (spin.h).
  bool watched;          ///< what it reads and changes is noted in `spin`
  bool spins;            ///< it does
  uint32_t jumps;        ///< backward, since it was last looked at
  uint32_t look_at;      ///< number of these at which to look again
  uint32_t look_after;   ///< the same, when a look is over
  uint64_t spun_at;      ///< emu_workgroup.stamp when it was last seen to spin
  struct emu_spin *spin; ///< NULL until it is looked at
  uint32_t mode;         ///< MODE register, bits 26:0
  uint32_t trapsts;      ///< TRAPSTS: only bits that the program wrote
  uint32_t f32_in, f32_out; ///< ~0 keep denormals, 0 flush
  uint32_t f16_in, f16_out; ///< the same for f16 and f64
  uint64_t dpp_mask;        ///< lanes that DPP leaves writable
  uint64_t serial;
  uint64_t executed; ///< instructions
  uint64_t rng;
  uint32_t id;
  emu_workgroup *wg;
  const emu_segment *last; ///< segment of the last access
  uint8_t *scratch_mem;    ///< EMU_LANES × scratch_bytes, lane major
  uint32_t scratch_bytes;
  emu_queue vm, lgkm;
  uint32_t vm_dma;           ///< outstanding direct-to-LDS loads
  uint32_t lgkm_smem;        ///< outstanding scalar loads
  uint32_t outstanding_data; ///< operations without their data
  uint64_t next_due;         ///< at most the earliest `due` of them
  /// Wait checker: registers that an outstanding operation will still write.
  bool pending_any;
  bool pending_masks_stale; ///< recompute pend_v/pend_s: an operation retired
  uint64_t pend_v[8];
  uint64_t pend_s[2];
  emu_trail trail;
  struct emu_init *init;          ///< NULL: undefined data is not checked
  struct emu_time_record *record; ///< NULL if the launch is not timed
  struct emu_effects *effects;    ///< NULL: hazards do not change results
};

/// A finding of one workgroup; see emu_report().
typedef struct emu_finding {
  uint32_t check; ///< FMHAC_EMU_CHECK_*, for mem also EMU_MEM_*
  const isa_insn *insn, *other;
  uint64_t workgroup; ///< linear id
  uint32_t id[3];
  uint32_t wave;
  uint64_t count;
  char message[1024];
  isa_source_location source, other_source; ///< known when the launch is over
} emu_finding;

typedef struct emu_findings {
  emu_finding *list;
  size_t count, capacity, limit;
  uint64_t dropped;
} emu_findings;

enum { EMU_UNTIL_WAIT = INT32_MAX };

/// Data that all workgroups of a launch share; read-only while they run.
typedef struct emu_launch {
  const emu_module *module;
  const emu_kernel *kernel;
  const emu_exec_fn *handlers;
  const fmhac_emu_options *options;
  emu_space *space;
  uint32_t grid[3], block[3];
  const uint32_t (*ids)[3]; ///< workgroups of the grid; NULL for all
  uint32_t lds_bytes;
  uint64_t kernarg_address;
  const uint8_t *kernarg;
  uint32_t kernarg_bytes;    ///< as mapped
  uint64_t dispatch_address; ///< of the AQL packet
  uint32_t waves;            ///< per workgroup
  uint32_t scratch_bytes;    ///< per lane
  uint64_t budget;           ///< instructions per workgroup
  uint32_t units, xcds;      ///< compute units, and dies
  uint64_t places;           ///< workgroups that a die holds
  bool dry;                  ///< memory of the device is not written
  bool check_mem, check_wait, check_sync, check_race, check_init;
  bool natural_alignment; ///< FMHAC_EMU_ALIGNMENT_NATURAL; see alignment.def
  fmhac_emu_descriptors descriptors;
  /// Instructions of the wave after which a load completes without a wait: 0 at
  /// issue, EMU_UNTIL_WAIT only at the covering wait.
  uint32_t vm_latency, dma_latency, lds_latency, smem_latency;
  bool random_completion;
  struct emu_race_launch *race;   ///< NULL if races are not checked
  const emu_hazard_plan *hazards; ///< NULL: not checked
  const emu_hazard_plan *effects; ///< NULL: hazards do not change results
  struct emu_timing *timing;      ///< NULL: not timed
} emu_launch;

struct emu_workgroup {
  const emu_launch *launch;
  uint32_t id[3];
  uint64_t linear;
  uint64_t index; ///< among the workgroups of the launch
  // Between turns (sched.c), and while other workgroups run (dispatch.c).
  bool begun;       ///< has had a turn
  bool gives_way;   ///< one of its waves got the old value of an atomic
  bool wrote;       ///< a wave perhaps changed memory in the present turn
  uint32_t turn_of; ///< wave
  uint64_t rng;     ///< of turns
  uint64_t stamp;   ///< turns of waves that do not spin
  uint64_t seen;    ///< moves of the launch when it last had a turn
  uint8_t *lds;     ///< EMU_LDS_BYTES, plus slack
  emu_wave *waves;
  emu_pending *rings; ///< of all queues
  uint8_t *stacks;    ///< private memory of all waves; NULL if none
  emu_findings findings;
  struct emu_race *race; ///< NULL if races are not checked
  /// For each dword of LDS one bit per byte: it has been written. NULL if that
  /// is not checked.
  uint8_t *init_lds;
  uint16_t *init_lds_from; ///< per dword: origin of the other bytes
  struct {
    struct emu_origin *list; ///< see undefined.h
    size_t count, capacity;
  } origins;
  struct emu_init *init;           ///< of the waves; NULL if not checked
  struct emu_time_record *records; ///< of the waves; NULL if not timed
  struct emu_effects *effects;     ///< of the waves; NULL if not requested
  uint64_t instructions, matrix_instructions;
  uint64_t barriers;
  char fault[2048]; ///< why a wave cannot go on
};

static inline uint64_t emu_get64(const uint32_t *s) {
  return s[0] | (uint64_t)s[1] << 32;
}
static inline void emu_set64(uint32_t *s, uint64_t value) {
  s[0] = (uint32_t)value;
  s[1] = (uint32_t)(value >> 32);
}
static inline uint64_t emu_exec(const emu_wave *w) {
  return emu_get64(&w->s[ISA_SGPR_EXEC]);
}
static inline uint64_t emu_vcc(const emu_wave *w) {
  return emu_get64(&w->s[ISA_SGPR_VCC]);
}

/// Operands of a vector ALU instruction to whose register number M0[7:0] is
/// added, as M0[15:12] says: 1 src0, 2 src1, 4 src2, 8 dst.
static inline unsigned emu_gpr_idx(const emu_wave *w, const isa_insn *in) {
  bool obeys = in->family == ISA_VALU && !(in->flags & ISA_FLAG_NAMED_REGS);
  return w->gpr_idx && obeys ? w->s[ISA_SGPR_M0] >> 12 & 15 : 0;
}
/// `index` + M0[7:0] in the same register file, for `regs` registers; -1 if one
/// of the registers is out of range.
static inline int emu_gpr_indexed(const emu_wave *w, unsigned index,
                                  unsigned regs) {
  unsigned at = (index & 255) + (w->s[ISA_SGPR_M0] & 255);
  return at + regs > 256 ? -1 : (int)((index & 256) | at);
}

static inline void emu_trail_start(emu_wave *w) {
  w->trail.first = w->ip;
  w->trail.lookback = w->trail.count = 0;
}

/// Grid position of the `i`th workgroup of a launch.
static inline void emu_workgroup_id(const emu_launch *l, uint64_t i,
                                    uint32_t id[3]) {
  if (l->ids) {
    memcpy(id, l->ids[i], 3 * sizeof *id);
    return;
  }
  id[0] = (uint32_t)(i % l->grid[0]);
  id[1] = (uint32_t)(i / l->grid[0] % l->grid[1]);
  id[2] = (uint32_t)(i / ((uint64_t)l->grid[0] * l->grid[1]));
}

/// Sets the registers of a wave as the hardware does. Returns the number of
/// scalar registers, from s0 on, that were set.
uint32_t emu_wave_start(emu_wave *wave, uint32_t first_thread);

/// Derives the flush masks from the MODE register.
void emu_wave_set_mode(emu_wave *wave, uint32_t mode);

/// Sets the rounding of the host, with the numbers of MODE: 0 nearest even, 1
/// up, 2 down, 3 to zero. Handlers run under MODE's f32 rounding (sched.c). A
/// handler that needs another rounding sets it and calls emu_round_f32() after.
static inline void emu_round(unsigned mode) {
  static const int host[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                              FE_TOWARDZERO};
  fesetround(host[mode & 3]);
}

/// The next random number of the wave's own sequence. The sequence depends on
/// the seed and not on the number of host threads.
static inline uint64_t emu_random(uint64_t *state) {
  // splitmix64, public domain (Vigna)
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

#endif // FMHAC_EMU_WAVE_H
