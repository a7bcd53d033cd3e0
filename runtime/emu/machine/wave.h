// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// State of a running kernel: launch, workgroup, wave, and the calls by which
/// handlers reach what is not theirs (memory, counters, findings).
#ifndef FMHAC_EMU_WAVE_H
#define FMHAC_EMU_WAVE_H

#include <fenv.h>
#include <stdalign.h>
#include <string.h>

#include "fmhac_emu.h"
#include "insn.h"
#include "lines.h"

enum {
  EMU_LANES = 64,
  EMU_VGPRS = 512, ///< v[256], then a[256]: the files are separate
  EMU_SGPRS = 128,
  EMU_LDS_BYTES = 163840, ///< a workgroup's limit: 160 KiB
  EMU_MAX_VM = 63,        ///< vmcnt has 6 bits
  EMU_MAX_LGKM = 15,      ///< lgkmcnt has 4 bits
  EMU_QUEUE = 64,
  EMU_STACK_BYTES = 16384, ///< a lane's, where the stack is dynamic
};

/// Of the device. "AMD GPU specifications" (rocm.docs.amd.com,
/// reference/gpu-specs): MI355X, VRAM 288 GiB. Everything that is mapped
/// counts.
#define EMU_MEMORY_BYTES (UINT64_C(288) << 30)

typedef struct emu_tensor emu_tensor;

typedef struct emu_segment {
  uint64_t base, bytes;
  uint8_t *host;
  char *name;
  bool owned; ///< mapped by us (munmap)
  /// For each dword a bit a byte that has been written; NULL if all count as
  /// written.
  uint8_t *init;
  /// Likewise what this launch has written, of a segment that holds outputs;
  /// else NULL.
  uint8_t *written;
  emu_tensor *tensors; ///< declared in it
  size_t tensor_count;
  size_t mapped;
} emu_segment;

/// Sorted by base, disjoint.
typedef struct emu_space {
  emu_segment *segments;
  size_t count, capacity;
  uint64_t bytes; ///< of all segments
} emu_space;

/// A piece of memory that a lane accesses, or lanes one after the other.
typedef struct emu_spot {
  const emu_segment *segment;
  uint64_t offset; ///< bytes from its beginning
  uint32_t bytes;
  uint32_t lane_bytes; ///< of which a lane
  int lane;            ///< the first; -1 of a scalar access
} emu_spot;
static inline int emu_spot_lane(const emu_spot *s, uint64_t offset) {
  return s->lane < 0 ? -1
                     : s->lane + (int)((offset - s->offset) / s->lane_bytes);
}

typedef enum emu_state {
  EMU_RUNNING,
  EMU_AT_BARRIER,
  EMU_HALTED,
  EMU_ENDED,
  EMU_FAULT ///< cannot go on; `fault` of the workgroup says why
} emu_state;

/// Kinds of outstanding memory operations.
typedef enum emu_pending_kind {
  EMU_P_NONE,    ///< counted only (stores)
  EMU_P_VGPR,    ///< data to vector registers
  EMU_P_LDS_DMA, ///< data to LDS
  EMU_P_DS_READ, ///< LDS to vector registers, read when it lands
  EMU_P_SGPR,    ///< data to scalar registers
} emu_pending_kind;

typedef struct emu_pending {
  const emu_insn *insn;
  uint64_t exec;   ///< lanes that take part
  uint64_t serial; ///< order of issue in the wave
  uint64_t due;    ///< emu_wave.executed from which the data is there
  uint8_t kind;
  bool landed;
  bool flat;      ///< counted by both counters
  bool keep_half; ///< d16 forms: merge, see mask
  bool in_place;  ///< the data is in the registers already
  uint16_t reg;   ///< first register
  uint8_t regs;
  uint8_t lds_bytes; ///< a lane, DMA
  uint8_t lds_step;  ///< from lane to lane, DMA: 16 for three dwords too
  uint32_t lds_base; ///< lane 0's address, DMA
  /// A row a register; lane after lane for LDS_DMA; 16 words for SGPR.
  uint32_t data[4][EMU_LANES];
  uint32_t mask[4];            ///< bits of each register that are written
  uint32_t address[EMU_LANES]; ///< LDS reads
} emu_pending;

/// Outstanding operations of one counter, oldest first.
typedef struct emu_queue {
  uint32_t count;
  uint64_t used;            ///< entries of `ring` that are taken
  uint8_t order[EMU_QUEUE]; ///< which entries, oldest first
  emu_pending *ring;        ///< EMU_QUEUE entries
} emu_queue;

typedef struct emu_workgroup emu_workgroup;
typedef struct emu_hazard_plan emu_hazard_plan;

enum { EMU_TRAIL_RUNS = 20 }; ///< a run takes a wait state at least
/// Hazard checker: the way a wave came, as runs of instructions that follow
/// each other in the code.
typedef struct emu_trail {
  const emu_insn *first; ///< of the run that is going on
  uint32_t near; ///< instructions from here on that earlier runs may reach
  uint32_t count;
  uint32_t newest; ///< entry of `runs`
  struct {
    const emu_insn *first, *last;
  } runs[EMU_TRAIL_RUNS]; ///< earlier ones
} emu_trail;

struct emu_wave {
  alignas(64) uint32_t v[EMU_VGPRS][EMU_LANES];
  alignas(64) uint32_t scratch[EMU_MAX_SRC + 1][4 * EMU_LANES];
  alignas(64) uint32_t tmp[32 * EMU_LANES];
  alignas(64) uint32_t s[EMU_SGPRS + 16]; ///< by encoded number
  const emu_insn *ip;                     ///< next instruction
  uint32_t scc;
  uint8_t state;
  uint8_t priority;
  bool gpr_idx;     ///< MODE.GPR_IDX_EN; see emu_gpr_idx()
  bool vskip;       ///< MODE.VSKIP: vector instructions are passed over
  uint8_t csp;      ///< MODE.CSP: depth of the stack of s_cbranch_*_fork
  bool yield;       ///< ends its turn (s_sleep)
  uint32_t mode;    ///< MODE register, bits 26:0
  uint32_t trapsts; ///< TRAPSTS: only what the program wrote
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
  uint32_t vm_dma;    ///< outstanding direct-to-LDS loads
  uint32_t lgkm_smem; ///< outstanding scalar loads
  uint32_t unlanded;  ///< data not delivered yet
  uint64_t next_due;  ///< no later than the earliest `due` of these
  /// Wait checker: registers an outstanding operation will still write.
  bool pending_any;
  bool remark; ///< an operation with registers has retired since mark_all()
  uint64_t pend_v[8];
  uint64_t pend_s[2];
  emu_trail trail;
  struct emu_init *init;          ///< NULL if reads of nothing are not checked
  struct emu_time_record *record; ///< NULL if the launch is not timed
  struct emu_effects *effects;    ///< NULL if hazards do nothing to results
};

/// What the checker mem has found, beside its bit: one instruction may break
/// several rules, and each is a finding.
enum {
  EMU_MEM_OUTSIDE = 0,
  EMU_MEM_ALIGNMENT = 1 << 16,
  EMU_MEM_DESCRIPTOR = 2 << 16,
  EMU_MEM_CARRY = 3 << 16,
  EMU_MEM_WRAP = 4 << 16,
  EMU_CHECK_BITS = 0xffff,
};

/// A finding as collected in a workgroup; see emu_report().
typedef struct emu_finding {
  uint32_t check; ///< FMHAC_EMU_CHECK_*, and of mem EMU_MEM_*
  const emu_insn *insn, *other;
  uint64_t workgroup; ///< linear id
  uint32_t id[3];
  uint32_t wave;
  uint64_t count;
  char message[1024];
  emu_place place, other_place; ///< known when the launch is over
} emu_finding;

typedef struct emu_findings {
  emu_finding *list;
  size_t count, capacity, limit;
  uint64_t dropped;
} emu_findings;

typedef struct emu_module emu_module;
typedef struct emu_kernel emu_kernel;

enum { EMU_UNTIL_WAIT = INT32_MAX };

/// What all workgroups of a launch share; read-only while they run.
typedef struct emu_launch {
  const emu_module *module;
  const emu_kernel *kernel;
  const fmhac_emu_options *options;
  emu_space *space;
  uint32_t grid[3], block[3];
  const uint32_t (*ids)[3]; ///< workgroups of the grid; NULL for all
  uint32_t lds_bytes;
  uint64_t kernarg_address;
  const uint8_t *kernarg;
  uint32_t kernarg_bytes;    ///< as mapped
  uint64_t dispatch_address; ///< of the AQL packet
  uint32_t waves;            ///< a workgroup
  uint32_t scratch_bytes;    ///< a lane
  uint64_t budget;           ///< instructions a workgroup
  bool check_mem, check_wait, check_sync, check_race, check_init;
  bool natural_alignment; ///< FMHAC_EMU_ALIGNMENT_NATURAL; see alignment.def
  fmhac_emu_descriptors descriptors;
  /// Instructions of the wave after which data lands without a wait; 0 at
  /// issue, EMU_UNTIL_WAIT only at the covering wait.
  uint32_t vm_latency, dma_latency, lds_latency, smem_latency;
  bool random_landing;
  struct emu_race_launch *race;   ///< NULL if races are not checked
  const emu_hazard_plan *hazards; ///< NULL: not checked
  const emu_hazard_plan *effects; ///< NULL: hazards do nothing to results
  struct emu_timing *timing;      ///< NULL: not timed
} emu_launch;

struct emu_workgroup {
  const emu_launch *launch;
  uint32_t id[3];
  uint64_t linear;
  uint8_t *lds; ///< EMU_LDS_BYTES, plus slack
  emu_wave *waves;
  emu_pending *rings; ///< of all queues
  uint8_t *stacks;    ///< private memory of all waves; NULL if none
  emu_findings findings;
  struct emu_race *race; ///< NULL if races are not checked
  /// For each dword of LDS a bit a byte that has been written; NULL if that is
  /// not checked.
  uint8_t *init_lds;
  uint16_t *init_lds_from; ///< and of each where the others come from
  struct {
    struct emu_origin *list; ///< see undefined.h
    size_t count, capacity;
  } origins;
  struct emu_init *init;           ///< of the waves; NULL if not checked
  struct emu_time_record *records; ///< of the waves; NULL if not timed
  struct emu_effects *effects;     ///< of the waves; NULL if there are none
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
  return emu_get64(&w->s[EMU_S_EXEC]);
}
static inline uint64_t emu_vcc(const emu_wave *w) {
  return emu_get64(&w->s[EMU_S_VCC]);
}

/// Operands of vector ALU instructions whose register number M0[7:0] is added
/// to, by M0[15:12]: 1 src0, 2 src1, 4 src2, 8 dst.
static inline unsigned emu_gpr_idx(const emu_wave *w, const emu_insn *in) {
  bool obeys = in->family == EMU_VALU && !(in->flags & EMU_F_NAMED_REGS);
  return w->gpr_idx && obeys ? w->s[EMU_S_M0] >> 12 & 15 : 0;
}
/// First of `regs` registers from `index` on with M0[7:0] added, in the same
/// file; -1 if one is out of range.
static inline int emu_gpr_indexed(const emu_wave *w, unsigned index,
                                  unsigned regs) {
  unsigned at = (index & 255) + (w->s[EMU_S_M0] & 255);
  return at + regs > 256 ? -1 : (int)((index & 256) | at);
}

/// Derives the flush masks from the MODE register.
void emu_wave_set_mode(emu_wave *wave, uint32_t mode);

/// Rounding of the host for what follows: MODE numbers 0 nearest even, 1 up,
/// 2 down, 3 to zero. Handlers run under MODE's f32 rounding (sched.c); those
/// that need another one say so and restore with emu_round_f32().
static inline void emu_round(unsigned mode) {
  static const int host[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
                              FE_TOWARDZERO};
  fesetround(host[mode & 3]);
}

/// Stops the wave for good: the launch fails with this text, to which the
/// kernel, workgroup, wave, pc and instruction are added.
void emu_fault(emu_wave *wave, const emu_insn *insn, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// A random number of the wave's own sequence; the same for the same seed
/// whatever the number of host threads.
static inline uint64_t emu_random(uint64_t *state) {
  // splitmix64, public domain (Vigna)
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

//===-- mem.c: global memory ---------------------------------------------===//

/// The segment that contains [address, address + bytes), or NULL.
const emu_segment *emu_space_find(const emu_space *space, uint64_t address,
                                  uint64_t bytes);
/// As emu_space_find(), trying the wave's last segment first.
static inline const emu_segment *emu_find(emu_wave *w, uint64_t address,
                                          uint64_t bytes) {
  const emu_segment *s = w->last;
  if (s && address - s->base < s->bytes &&
      bytes <= s->bytes - (address - s->base))
    return s;
  s = emu_space_find(w->wg->launch->space, address, bytes);
  if (s)
    w->last = s;
  return s;
}
/// Maps `bytes` at `base` (0: chosen, with guard gaps). `name` is copied.
/// Errors, with `text`: INVALID_INPUT, OUT_OF_MEMORY (of the device, of the
/// host).
fmhac_status emu_space_map(emu_space *space, const char *name, uint64_t base,
                           uint64_t bytes, char *text, size_t text_bytes,
                           uint64_t *out_base);
/// From here on what of a fresh segment is written is kept: nothing yet.
/// Errors: OUT_OF_MEMORY.
fmhac_status emu_space_track(emu_space *space, uint64_t base);
/// Every byte of every segment counts as written from here on.
void emu_space_forget(emu_space *space);
/// Begins to keep what is written to the segments that hold outputs. Errors:
/// OUT_OF_MEMORY.
fmhac_status emu_space_watch_outputs(emu_space *space);
/// Ends it.
void emu_space_unwatch_outputs(emu_space *space);
/// Fills a fresh segment with one byte; of large ones, host memory is spent
/// only on what is written later.
void emu_space_fill(emu_space *space, uint64_t base, uint8_t byte);
/// Unmaps the segment that starts at `base`; false if there is none.
bool emu_space_unmap(emu_space *space, uint64_t base);
void emu_space_free(emu_space *space);
/// Host address of [address, address + bytes), or NULL.
uint8_t *emu_space_host(const emu_space *space, uint64_t address,
                        uint64_t bytes);
/// The segment that a host address lies in, or NULL: LDS and private memory are
/// none.
const emu_segment *emu_space_of_host(const emu_space *space,
                                     const uint8_t *host);
/// How many bytes from `address` on are mapped without a gap; at most `bytes`.
uint64_t emu_space_mapped(const emu_space *space, uint64_t address,
                          uint64_t bytes);
/// A free address for `bytes` bytes, with guard gaps, so that a multiple of
/// 2^32 lies inside (but for buffers of 512 bytes and less, which end below
/// it); every other multiple is left alone. 0: there is none.
uint64_t emu_space_place_across(const emu_space *space, uint64_t bytes);
enum { EMU_PLACE_TEXT = 320 }; ///< bytes that the two texts below want
/// Writes which byte of which buffer this is, and of which tensor.
void emu_segment_describe(const emu_segment *segment, uint64_t offset,
                          char *text, size_t text_bytes);
/// Writes where `address` lies relative to the nearest buffer.
void emu_space_describe(const emu_space *space, uint64_t address, char *text,
                        size_t text_bytes);

/// Reports an access outside all buffers.
void emu_stray(emu_wave *wave, const emu_insn *insn, int lane, const char *verb,
               uint64_t address, uint32_t bytes);
/// Reports an LDS access outside the workgroup's allocation.
void emu_stray_lds(emu_wave *wave, const emu_insn *insn, int lane,
                   const char *verb, uint64_t address, uint32_t bytes);

//===-- queues.c: outstanding operations
//---------------------------------===//

/// A fresh entry for an operation counted by vmcnt / lgkmcnt; the fields
/// insn, exec and serial are set. Call emu_commit_*() when filled.
emu_pending *emu_begin_vm(emu_wave *wave, const emu_insn *insn);
emu_pending *emu_begin_lgkm(emu_wave *wave, const emu_insn *insn);
void emu_commit_vm(emu_wave *wave, emu_pending *entry);
void emu_commit_lgkm(emu_wave *wave, emu_pending *entry);
/// s_waitcnt: retires what the counts certify and lands its data.
void emu_wait(emu_wave *wave, uint32_t vm, uint32_t lgkm);
/// Lands what is due; for when `executed` has reached `next_due`.
void emu_land_due(emu_wave *wave);
/// Random landing: gives outstanding data a chance to arrive.
void emu_land_some(emu_wave *wave);
/// Wait checker: `insn` is about to execute.
void emu_check_pending(emu_wave *wave, const emu_insn *insn);
/// Fills in which registers the instruction touches, so that the check can pass
/// over most instructions at once.
void emu_mark_touched(emu_insn *insn);
/// The operands of `insn`, a copy, with the register numbers that M0 is added
/// to; `modes` is emu_gpr_idx().
void emu_index_registers(const emu_wave *wave, unsigned modes, emu_insn *insn);
/// Writes the name of a register: of the vector file, or a scalar one.
void emu_register_text(char *text, size_t bytes, bool scalar, unsigned index);
/// Wait checker: an LDS access to bytes an own direct-to-LDS load still owns.
void emu_check_dma_overlap(emu_wave *wave, const emu_insn *insn,
                           const uint32_t *address, uint32_t bytes,
                           uint64_t exec, const char *verb);
/// Drops the wave's queues (it ended): everything lands.
void emu_drain(emu_wave *wave);

//===-- check/hazard.c: wait states
//-----------------------------------------===//

/// What is known of a kernel before it runs: the hazard checker's view of each
/// instruction. `flags` is parallel to the program's instructions.
struct emu_hazard_plan {
  const emu_insn *insns;
  const uint8_t *flags; ///< check/hazard.c; 0: nothing to look at
  struct emu_hazard_traits *traits;
};

/// Looks for hazards in the code of `kernel`; NULL if there is no memory.
emu_hazard_plan *emu_hazard_plan_create(const emu_kernel *kernel);
/// NULL is allowed.
void emu_hazard_plan_destroy(emu_hazard_plan *plan);
/// `insn` is about to execute, and the plan flags it or the trail is near.
void emu_check_hazard(emu_wave *wave, const emu_insn *insn);
/// The wave went from `from` to wave->ip, which does not follow it.
void emu_hazard_jump(emu_wave *wave, const emu_insn *from);

static inline void emu_trail_start(emu_wave *w) {
  w->trail.first = w->ip;
  w->trail.near = w->trail.count = 0;
}

//===-- findings.c
//----------------------------------------------------------===//

enum { EMU_PC_TEXT = 24 };
/// Byte offset from the kernel's entry; functions may lie before it. Writes and
/// returns `text`.
const char *emu_pc_text(const emu_launch *launch, const emu_insn *insn,
                        char text[EMU_PC_TEXT]);

/// Name of a checker's bit.
const char *emu_check_name(uint32_t check);

/// Adds a finding, folding repetitions (same check and instructions).
void emu_report(emu_wave *wave, uint32_t check, const emu_insn *insn,
                const emu_insn *other, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/// Adds a finding of the launch as a whole, which no instruction stands for.
void emu_report_launch(const emu_launch *launch, emu_findings *findings,
                       uint32_t check, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// True if this finding is known already (then its count has been raised).
bool emu_report_again(emu_wave *wave, uint32_t check, const emu_insn *insn,
                      const emu_insn *other);
/// Moves `from` into `to`; of equal findings the one of the lowest workgroup
/// is kept, so that threads do not change the answer.
void emu_findings_merge(emu_findings *to, emu_findings *from);
void emu_findings_sort(emu_findings *findings);
/// Adds to each finding of a launch where its instructions come from.
void emu_findings_locate(emu_findings *findings, emu_module *module,
                         const emu_launch *launch);

#endif // FMHAC_EMU_WAVE_H
