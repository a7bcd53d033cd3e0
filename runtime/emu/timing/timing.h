// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The cycle model. While a wave executes, it records which instructions it
/// went through and which banks and lines its memory instructions accessed
/// (record.c). When the workgroup is over, a model of a compute unit runs the
/// recorded instructions again, for their time only (unit.c). The code that
/// computes results reads nothing of this.
#ifndef FMHAC_EMU_TIMING_H
#define FMHAC_EMU_TIMING_H

#include "access.h"
#include "fmhac_timing.h"
#include "told.h"

/// Values of timing.def.
typedef struct emu_time_constants emu_time_constants;
struct emu_time_constants {
#define TIMING(name, value, unit, status, source) double name;
#include "timing.def"
#undef TIMING
};

/// Fills in the values of timing.def, changed by `changes`: "name=value,…", or
/// NULL. False with a text if one is no constant or no value.
bool emu_time_constants_init(emu_time_constants *constants, const char *changes,
                             char *text, size_t text_bytes);

//===-- ops.c: the cost of an instruction ---------------------------------===//

/// The port that an instruction is issued to. In a slot, each port takes one
/// instruction.
typedef enum emu_time_port {
  EMU_PORT_VECTOR, ///< vector ALU and matrix
  EMU_PORT_MEMORY, ///< LDS and vector memory
  EMU_PORT_SCALAR, ///< scalar ALU and loads
  EMU_PORT_BRANCH,
  EMU_PORT_NONE, ///< by the wave itself: s_waitcnt, s_nop, s_barrier, …
  EMU_PORT_COUNT
} emu_time_port;

/// The effect of an instruction beside occupying its port.
typedef enum emu_time_act {
  EMU_ACT_NONE,
  EMU_ACT_MATRIX,
  EMU_ACT_PACKED, ///< cannot run beside the matrix unit
  EMU_ACT_LDS,
  EMU_ACT_VMEM,
  EMU_ACT_SMEM,
  EMU_ACT_WAIT,
  EMU_ACT_BARRIER,
  EMU_ACT_PRIORITY,
  EMU_ACT_BRANCH,
  EMU_ACT_END
} emu_time_act;

/// The type of a matrix instruction's operands. The clock depends on it.
typedef enum emu_time_operands {
  EMU_OPERANDS_WIDE, ///< bf16 and wider than 16 bits
  EMU_OPERANDS_F16,
  EMU_OPERANDS_NARROW, ///< 8 bits and less
  EMU_OPERANDS_COUNT
} emu_time_operands;

typedef struct emu_time_op {
  uint8_t port, act;
  uint8_t kind;         ///< fmhac_timing_class
  uint8_t priority;     ///< that s_setprio sets
  uint16_t port_cycles; ///< its port is busy
  /// Its wave issues nothing else; of branches: if it is not taken.
  uint16_t wave_cycles;
  uint16_t matrix_cycles; ///< the matrix unit is busy
  /// From issue until D is ready: of a matrix instruction for all, of another
  /// vector instruction for the next one of these; of a taken branch, until the
  /// next instruction can issue.
  uint16_t result_cycles;
  uint8_t wait_vm, wait_lgkm; ///< counts that s_waitcnt lets pass
  uint8_t operands;           ///< emu_time_operands, of matrix instructions
  bool load;                  ///< of vector memory: returns data
  bool atomic;                ///< of vector memory
  bool to_lds;                ///< a load direct to LDS
  uint8_t lds_slots; ///< of LDS: entries of data that it takes in the queue
  bool flat;         ///< vector memory that lgkmcnt counts, too
} emu_time_op;

/// Operations parallel to the program's instructions; NULL if out of memory.
emu_time_op *emu_time_ops_create(const isa_program *program,
                                 const emu_time_constants *constants);

/// The cycles of all instructions before one of the program.
typedef struct emu_time_sum {
  uint64_t matrix[EMU_OPERANDS_COUNT]; ///< of matrix units
  uint64_t vector;                     ///< of issue to the vector ALU
  uint64_t issue;                      ///< at least, of the wave
} emu_time_sum;

/// One more than instructions; NULL if out of memory.
emu_time_sum *emu_time_sums_create(const emu_time_op *ops, uint32_t count);

//===-- record.c: record of a wave ----------------------------------------===//

enum { EMU_TIME_LINE_BYTES = 128 }; ///< of caches
#define EMU_NO_LINE UINT32_MAX

/// Words that grow.
typedef struct emu_time_words {
  uint32_t *list;
  size_t count, capacity;
} emu_time_words;

/// Cycles of an LDS access: of the array, which all SIMDs share, and of the bus
/// of a pair of SIMDs. 0 and 0: an exchange between lanes.
typedef struct emu_time_lds_cycles {
  uint16_t array, pair;
} emu_time_lds_cycles;

enum { EMU_TIME_PATTERNS = 16 };
/// The addresses of an LDS access relative to each other, and its cycles.
typedef struct emu_time_pattern {
  uint32_t offsets[EMU_LANES]; ///< from 16 bytes that the first lane is in
  uint64_t exec;
  uint32_t bytes; ///< 0: none
  emu_access_kind kind;
  emu_time_lds_cycles cycles;
} emu_time_pattern;

/// Bank conflicts of an LDS access.
typedef struct emu_time_banks {
  uint32_t least_cycles; ///< that it would take if no two words met in a bank
  uint8_t words[FMHAC_TIMING_BANKS]; ///< most different ones in one phase
} emu_time_banks;

/// A wave's record. `runs`: pairs of the first instruction of a run and the
/// number of instructions that follow each other in the code. `lds`: for each
/// LDS instruction its cycles, `array` in the lower half. `vmem`: for each
/// vector memory instruction the bytes, the number of lines, and the lines.
typedef struct emu_time_record {
  emu_time_words runs, lds, vmem;
  emu_time_banks *banks; ///< of each LDS instruction, where events are kept
  size_t bank_count, bank_capacity;
  const isa_insn *first; ///< of the run that is going on
  bool failed;           ///< out of memory
  /// Of the instruction that is being executed.
  emu_time_lds_cycles lds_cycles;
  emu_time_pattern patterns[EMU_TIME_PATTERNS];
  uint32_t vmem_bytes, line_count;
  emu_time_banks lds_banks;
  uint32_t lines[8 * EMU_LANES]; ///< four dwords may straddle two lines each
} emu_time_record;

void emu_time_record_start(emu_wave *wave);
void emu_time_record_deinit(emu_time_record *record);
/// The wave jumped from `from` to wave->ip, or it ended.
void emu_time_jump(emu_wave *wave, const isa_insn *from);
/// A memory instruction has been executed.
void emu_time_access(emu_wave *wave, const isa_insn *insn);
/// `insn` has been executed.
static inline void emu_time_step(emu_wave *w, const isa_insn *insn) {
  if (insn->family >= ISA_DS)
    emu_time_access(w, insn);
  if (w->ip != insn + 1 || w->state == EMU_ENDED)
    emu_time_jump(w, insn);
}
/// The instruction accesses LDS: the lanes' addresses, `bytes` each. Called
/// once for each address of two-address forms.
void emu_time_lds(emu_wave *wave, const uint32_t *at, uint32_t bytes,
                  uint64_t exec, emu_access_kind kind);
/// The instruction accesses memory: the host address of each lane, or NULL,
/// `bytes` each. Called once for the lanes that are accessed as a whole, and
/// once for each dword of the others.
void emu_time_vmem(emu_wave *wave, uint8_t *const *host, uint32_t bytes);

/// The first line of the buffer that has lines `begin` to `end` - 1 that the
/// wave has used so far; EMU_NO_LINE: none. The record is looked at from
/// `looked` on, which becomes its end.
uint32_t emu_time_first_line(const emu_time_record *record, uint32_t begin,
                             uint32_t end, size_t *looked);

/// The cycles of an LDS access (phases.c). `known` caches EMU_TIME_PATTERNS
/// answers; it is zero at first.
emu_time_lds_cycles emu_time_lds_phases(emu_time_pattern *known,
                                        const uint32_t *at, uint32_t bytes,
                                        uint64_t exec, emu_access_kind kind);
/// Adds the bank conflicts of an LDS access to `banks`.
void emu_time_lds_banks(const uint32_t *at, uint32_t bytes, uint64_t exec,
                        emu_access_kind kind, emu_time_banks *banks);

//===-- memory.c: LDS and caches of a compute unit ------------------------===//

typedef struct emu_traffic_stream emu_traffic_stream; ///< traffic.h

enum { EMU_TIME_QUEUE = 64 };

/// A queue: requests enter one after the other and leave in order.
typedef struct emu_time_queue {
  uint64_t leaves[EMU_TIME_QUEUE]; ///< cycle at which each of the last leaves
  uint64_t count;                  ///< that ever entered
  uint32_t entries;                ///< that it holds
} emu_time_queue;

/// A line that the workgroup uses.
typedef struct emu_time_line {
  uint32_t key;    ///< its number + 1; 0: none
  uint32_t number; ///< of those that the workgroup uses, by the first use
  uint32_t buffer;
} emu_time_line;

/// A buffer of the launch.
typedef struct emu_time_buffer {
  uint32_t first_line;
  uint64_t lines, used_lines; ///< all, and those that the workgroup uses
  double share;               ///< of the cost of loading the lines into L2
  bool own;    ///< the workgroups on a compute unit use different lines
  bool recent; ///< just written, so that MALL has it
} emu_time_buffer;

/// The path of two SIMDs to LDS.
typedef struct emu_time_pair {
  emu_time_queue commands, slots; ///< requests, and the data they hold
  uint64_t port_free;             ///< addresses and data of writes
  uint64_t free;                  ///< the requests are served
} emu_time_pair;

enum { EMU_TIME_FLIGHT = 512 };
/// A load whose data is on its way.
typedef struct emu_time_flight {
  uint64_t back;
  uint32_t bytes;
} emu_time_flight;

typedef struct emu_time_memory {
  const emu_time_constants *k;
  uint32_t resident; ///< workgroups alike that share the compute unit
  /// Of lines that the workgroup uses for the first time: the share that MALL
  /// has, from the launches before.
  double in_mall;
  /// In cycles at the clock that is expected (emu_time_memory_clock()).
  double far_bytes_per_cycle; ///< a compute unit's share
  uint64_t far_latency;       ///< of the first use of a line, on average
  uint64_t mall_latency;      ///< the same of one that MALL has
  emu_time_pair pair[2];
  uint64_t array_free;         ///< LDS
  emu_time_queue vmem;         ///< in front of the vector cache
  uint64_t l1_free, fill_free; ///< the vector cache: served, filled
  double atomics_free;         ///< L2 has done the atomics
  uint64_t together;           ///< workgroups of the part that work at once
  uint64_t meeting;            ///< workgroups at a counter at once
  bool counted;                ///< has had an atomic of one lane
  emu_time_flight flight[EMU_TIME_FLIGHT];
  uint64_t oldest_flight, next_flight; ///< numbers of loads in flight
  uint64_t flight_bytes;
  double l2_bytes, far_bytes; ///< of all requests
  double far_free;            ///< MALL and HBM, not told apart
  uint32_t *l1;               ///< line + 1, set by set, the one used last first
  uint32_t l1_sets, l1_ways;
  emu_time_line *lines; ///< a hash table
  size_t line_count, line_capacity;
  /// Cycle from which a line is in L2, by its number; of each resident's own
  /// lines, one resident after the other. 0: not used yet.
  uint64_t *ready;
  emu_time_buffer *buffers; ///< by their first line
  uint32_t buffer_count;
  emu_traffic_stream *stream; ///< of requests to L2 (traffic.h); may be NULL
} emu_time_memory;

/// False if out of memory; emu_time_memory_deinit() is due in any case.
bool emu_time_memory_init(emu_time_memory *memory,
                          const struct emu_timing *timing,
                          const emu_space *space);
void emu_time_memory_deinit(emu_time_memory *memory);
/// The workgroup will use this line. Called for every line before the first
/// request. False if out of memory.
bool emu_time_memory_expect(emu_time_memory *memory, uint32_t line);
/// Called after the last line. If as many workgroups as timing->stands_for
/// together use more lines of a buffer than it has, they share the cost of
/// loading it into L2. False if out of memory.
bool emu_time_memory_share(emu_time_memory *memory,
                           const struct emu_timing *timing);
/// Called then: ns that the compute unit's residents need at least for what
/// they have from beyond L2; `bytes` of it are of one workgroup.
double emu_time_memory_far_ns(const emu_time_memory *memory, double *bytes);
/// Called then: a cycle is 1 / `ghz` ns. Memory beyond L2 does not slow down
/// with the clock of the compute units.
void emu_time_memory_clock(emu_time_memory *memory, double ghz);

/// The cycle, `at` or later, at which the queue has `wanted` entries free.
static inline uint64_t emu_time_entry(const emu_time_queue *q, uint64_t at,
                                      uint32_t wanted) {
  wanted = wanted < q->entries ? wanted : q->entries;
  if (!wanted || q->count + wanted <= q->entries)
    return at;
  uint64_t free =
      q->leaves[(q->count + wanted - 1 - q->entries) % EMU_TIME_QUEUE];
  return free > at ? free : at;
}

/// The cycle, `at` or later, at which this pair of SIMDs can take an LDS
/// request.
uint64_t emu_time_lds_entry(const emu_time_memory *memory, unsigned pair,
                            const emu_time_op *op, uint64_t at);
/// Issues an LDS request at `at`. Returns the cycle from which lgkmcnt no
/// longer counts it.
uint64_t emu_time_lds_issue(emu_time_memory *memory, unsigned pair,
                            const emu_time_op *op, uint64_t at,
                            emu_time_lds_cycles cycles);
/// Issues a request of vector memory at `at`, of a wave of the `resident`th
/// workgroup. Returns the cycle from which vmcnt no longer counts it.
uint64_t emu_time_vmem_issue(emu_time_memory *memory, uint32_t resident,
                             uint64_t at, const uint32_t *lines, uint32_t count,
                             uint32_t bytes, const emu_time_op *op);

//===-- code.c: the instruction cache -------------------------------------===//

/// Without sets all of the code fits.
typedef struct emu_time_code {
  const emu_time_constants *k;
  uint32_t from; ///< pc of the first instruction
  uint32_t sets;
  uint32_t *keys;  ///< line + 1, set by set, the one used last first
  uint64_t *ready; ///< cycle from which each line is there
} emu_time_code;

/// False if out of memory; emu_time_code_deinit() is due in any case.
bool emu_time_code_init(emu_time_code *code,
                        const emu_time_constants *constants,
                        const isa_program *program);
void emu_time_code_deinit(emu_time_code *code);
/// The cycle, `now` or later, from which a wave that has issued the instruction
/// at `from` has the one at `to`.
uint64_t emu_time_code_fetch(emu_time_code *code, uint32_t from, uint32_t to,
                             uint64_t now);

//===-- unit.c: a compute unit --------------------------------------------===//

/// Sizes of the public enumerations.
enum {
  TIMING_CAUSES = FMHAC_TIMING_IDLE + 1,
  TIMING_CLASSES = FMHAC_TIMING_CLASS_OTHER + 1
};
_Static_assert((int)TIMING_CAUSES <= FMHAC_TIMING_MOST_CAUSES &&
                   (int)TIMING_CLASSES <= FMHAC_TIMING_MOST_CLASSES,
               "no room in the public arrays");

/// The time of a workgroup, summed over the SIMDs of its compute unit.
typedef struct emu_time_result {
  uint32_t id[3];
  uint64_t cycles; ///< from its first wave's start to its last one's end
  /// SIMD-cycles by cause; their sum is cycles × SIMDs.
  uint64_t causes[TIMING_CAUSES];
  /// SIMD-cycles in which a matrix unit works, by operands.
  uint64_t matrix_cycles[EMU_OPERANDS_COUNT];
  uint64_t vector_cycles; ///< of issue to the vector ALU, also beside MFMA
  double l2_bytes;        ///< of all residents, that are asked of L2
  double far_bytes;       ///< of one, beyond L2, its share of each buffer
  /// Of `cycles`, those in which SIMDs wait for memory beyond L2, on average,
  /// at most what its latency and bandwidth take.
  double wait_cycles;
  double ghz;     ///< the clock at which memory had its ns
  double in_mall; ///< share of `far_bytes` that MALL has from launches before
  uint64_t instructions;
  fmhac_timing_loop loop; ///< with the most matrix instructions
  uint32_t resident;      ///< workgroups that shared the compute unit
} emu_time_result;

/// An instruction as it was issued, for traces.
typedef struct emu_time_event {
  uint64_t ready, issue, start, end; ///< cycles
  uint32_t insn;                     ///< index in the program
  uint16_t wave;
  uint8_t simd, cause;
  uint32_t lds_cycles;
  emu_time_banks lds; ///< of LDS instructions
} emu_time_event;

typedef struct emu_time_events {
  emu_time_event *list;
  size_t count, capacity, limit;
} emu_time_events;

typedef struct emu_timing emu_timing;
/// Runs the records of a workgroup's waves through a compute unit that is
/// filled with copies of this workgroup. `events` and `stream` may be NULL.
/// Errors: OUT_OF_MEMORY.
fmhac_status emu_time_unit(const emu_timing *timing, const emu_workgroup *wg,
                           emu_time_events *events, emu_traffic_stream *stream,
                           emu_time_result *out_result);

//===-- The launch --------------------------------------------------------===//

/// What comes from beyond the L2s, and of it from beyond MALL, per byte that
/// the vector caches ask L2 for (l2_bytes of the results).
typedef struct emu_traffic {
  bool known;
  double far_share, hbm_share;
} emu_traffic;

/// A launch that is timed: the time of each workgroup that was executed, in the
/// same order.
struct emu_timing {
  emu_time_constants k;
  const emu_kernel *kernel;
  emu_time_op *ops;   ///< of its program
  emu_time_sum *sums; ///< of `ops`
  emu_time_result *results;
  size_t count; ///< of `results`
  /// Number of the first line of each segment, in the order of the address
  /// space. Host addresses differ from run to run, device addresses are wide.
  uint32_t *first_lines;
  size_t buffer_count; ///< segments
  uint32_t grid[3];
  uint64_t busy;          ///< workgroups that have something to do
  uint32_t resident;      ///< of these, on a compute unit
  uint32_t held;          ///< workgroups of all on a compute unit
  uint64_t meeting;       ///< workgroups at a counter at once
  double clock_ghz;       ///< of the part; 0: what the work makes it
  uint64_t recent;        ///< in a buffer that was just written; 0: none
  double stands_for;      ///< workgroups in all, as the timed ones use buffers
  emu_time_events events; ///< of the first workgroup
  emu_traffic_stream *streams; ///< of some of the workgroups
  size_t stream_count;
  /// While traffic is found: of all timed workgroups of such launches.
  const emu_traffic_stream *known_streams;
  size_t known_count;
  emu_traffic traffic;
};

/// Workgroups of a kernel that a compute unit holds, by registers, LDS and wave
/// slots (occupancy.c).
uint32_t emu_time_resident(const emu_launch *launch,
                           const emu_time_constants *constants);

/// Workgroups that an XCD holds.
uint32_t emu_time_places(const emu_launch *launch,
                         const emu_time_constants *constants);

/// XCDs, of which each has a compute unit at least.
static inline uint32_t emu_time_xcds(const emu_time_constants *k) {
  const double most = k->xcds < k->compute_units ? k->xcds : k->compute_units;
  return most < 1 ? 1 : (uint32_t)most;
}

/// What the clock depends on: shares of the SIMDs' cycles, and traffic.
typedef struct emu_time_load {
  double matrix[EMU_OPERANDS_COUNT]; ///< a matrix unit works, by operands
  double vector;                     ///< issue to the vector ALU
  double hbm_bytes;                  ///< from HBM, per cycle of a compute unit
} emu_time_load;

/// The load of a workgroup and its copies as shares of `units` times its
/// cycles: with the number of SIMDs, of their cycles.
emu_time_load emu_time_load_of(const emu_time_result *result, double units);
/// All shares of `matrix`.
double emu_time_matrix_share(const emu_time_load *load);

/// The clock that a launch of such workgroups will have, before one is timed:
/// from what its waves went through and what they need from beyond L2. It
/// changes ns of memory into cycles, and nothing else.
double emu_time_expected_ghz(const emu_timing *timing, const emu_workgroup *wg,
                             const emu_time_memory *memory);
/// The clock of a launch of workgroups that take as long as this one.
double emu_time_ghz_of(const emu_timing *timing, const emu_time_result *result);
/// The clock under this load (clock.c).
double emu_time_clock_ghz(const emu_time_constants *constants,
                          const emu_time_load *load);
/// The clock of a part that was idle, where that of a part under load is `ghz`.
double emu_time_cool_clock_ghz(const emu_time_constants *constants, double ghz);

/// The whole grid (grid.c). Errors: INVALID_INPUT, OUT_OF_MEMORY, with `text`.
fmhac_status emu_time_grid(const emu_timing *timing, char *text,
                           size_t text_bytes, fmhac_timing_grid *out_grid);

/// Prepares a launch of `workgroups` workgroups. NULL: out of memory.
emu_timing *emu_timing_create(const emu_time_constants *constants,
                              const emu_launch *launch, uint64_t workgroups,
                              uint64_t event_limit, const emu_time_told *told);
/// NULL is allowed.
void emu_timing_destroy(emu_timing *timing);
/// Times a workgroup, the `index`th of the launch, that is over. Several
/// threads may call it at once for different workgroups. Errors: OUT_OF_MEMORY.
fmhac_status emu_timing_workgroup(emu_timing *timing, const emu_workgroup *wg,
                                  uint64_t index);

#endif // FMHAC_EMU_TIMING_H
