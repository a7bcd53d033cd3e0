// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Target: random programs, executed. What the decoder refuses is left out of
// the bytes and branches are bent to an instruction of the program, so that
// most inputs run; a prologue gives them addresses, descriptors and numbers to
// work with. Whatever they do, the launch ends with a status.
//
// The input: HEADER_BYTES of settings (see settings_of), then code.
#include <stddef.h>
#include <string.h>

#include "code_object_maker.h"
#include "fmhac_emu.h"
#include "fuzz.h"
#include "insn.h"
#include "program_maker.h"
#include "words.h"

const size_t fuzz_words_header_bytes = 8;

enum {
  MAX_CODE_BYTES = FUZZ_MAX_CODE_BYTES,
  A_BYTES = 4096,
  B_BYTES = 2055, ///< a dword of it lies half outside
  LDS_BYTES = 4096,
  BUDGET = 400, ///< wave instructions a workgroup
  DECODER_USES = 256
};

// Before the kernel proper: the 256 bytes that hardware with preloaded
// arguments passes over. Then v1 = 16 × lane, v[2:3] an address in A, v[4:7]
// numbers of A, v[8:11] of B, v12 = 4 × lane, a0 and a1 as v4 and v5.
static const uint32_t prologue[64 + 15] = {
    [64] = 0x24020084,             // v_lshlrev_b32_e32 v1, 4, v0
    0x32040202,                    // v_add_co_u32_e32 v2, vcc, s2, v1
    0x7e060203,                    // v_mov_b32_e32 v3, s3
    0xdc5c8000,        0x04020001, // global_load_dwordx4 v[4:7], v1, s[2:3]
    0xdc5c8000,        0x080c0001, // global_load_dwordx4 v[8:11], v1, s[12:13]
    0x24180082,                    // v_lshlrev_b32_e32 v12, 2, v0
    0xbf8c0f70,                    // s_waitcnt vmcnt(0)
    0xd3d94000,        0x18000104, // v_accvgpr_write_b32 a0, v4
    0xd3d94001,        0x18000105, // v_accvgpr_write_b32 a1, v5
    0xbefc0080,                    // s_mov_b32 m0, 0
    0xbf800000                     // s_nop 0
};
static const uint32_t epilogue[] = {0xbf810000}; // s_endpgm

//===- Settings -----------------------------------------------------------===//

typedef struct settings {
  fuzz_kernel kernel;
  fmhac_emu_options options;
  uint32_t block[3];
  uint32_t descriptor[2]; ///< words 1 and 3 of the second buffer descriptor
  uint8_t seed;
} settings;

static settings settings_of(const uint8_t header[8]) {
  static const uint32_t blocks[8][3] = {{64, 1, 1}, {1, 1, 1},   {17, 1, 1},
                                        {8, 8, 1},  {128, 1, 1}, {5, 5, 5},
                                        {33, 2, 1}, {64, 1, 2}};
  settings s = {0};
  fmhac_emu_options_init(&s.options);
  memcpy(s.block, blocks[header[0] & 7], sizeof s.block);
  s.options.landing = (fmhac_emu_landing)((header[0] >> 3) % 5);
  s.options.landing_instructions = header[3];
  s.options.sched =
      header[0] >> 7 ? FMHAC_EMU_SCHED_RANDOM : FMHAC_EMU_SCHED_ROUND_ROBIN;
  s.options.checks = header[1] & 64    ? FMHAC_EMU_CHECK_ALL
                     : header[1] & 128 ? FMHAC_EMU_CHECK_DEFAULT
                                       : 0;
  s.options.alignment = (fmhac_emu_alignment)(header[7] >> 7);
  s.options.descriptors = (fmhac_emu_descriptors)((header[7] >> 5 & 3) % 3);
  s.options.seed = header[3];
  s.options.threads = 1;
  s.options.max_instructions = BUDGET;
  s.options.max_findings = 4;
  // FLOAT_MODE in bits 19:12, DX10_CLAMP 21, IEEE 23, FP16_OVFL 26.
  s.kernel.rsrc1 = (uint32_t)header[2] << 12 | (header[1] & 1u) << 21 |
                   (header[1] >> 1 & 1u) << 23 | (header[1] >> 2 & 1u) << 26;
  // 16 user SGPRs, workgroup ids and information, work-item ids of x, y, z.
  s.kernel.rsrc2 = 16u << 1 | 15u << 7 | (header[1] >> 3 & 3u) << 11;
  s.kernel.properties = 1 << 3; // s[0:1]: kernel arguments
  s.kernel.kernarg_preload = 14;
  s.kernel.kernarg_bytes = 64;
  // Not always whole dwords.
  s.kernel.group_segment_bytes =
      header[1] & 32 ? LDS_BYTES - (header[5] & 7u) : 0;
  s.kernel.private_segment_bytes = (header[4] & 15u) * 16;
  memcpy(s.descriptor, "\0\0\0\0\0\x70\2\0", 8);
  s.descriptor[0] ^= (uint32_t)header[5] << 16 | (header[4] & 128u) << 24;
  s.descriptor[1] ^= (uint32_t)header[6] << 16 | (header[4] >> 4 & 7u) << 28;
  s.seed = header[7];
  return s;
}

//===- Code -----------------------------------------------------------===//

static uint8_t *make_program(const settings *s, const uint8_t *data,
                             size_t size, size_t *out_size) {
  uint8_t code[sizeof prologue + MAX_CODE_BYTES + sizeof epilogue];
  size = size < MAX_CODE_BYTES ? size : MAX_CODE_BYTES;
  memcpy(code, prologue, sizeof prologue);
  size_t used = sizeof prologue;
  used += fuzz_append_known(data, size, code + used);
  memcpy(code + used, epilogue, sizeof epilogue);
  used += sizeof epilogue;
  return fuzz_code_object(&s->kernel, code, used, out_size);
}

//===- The launch ---------------------------------------------------------===//

static uint64_t map(fmhac_rt_device *device, const char *name, uint64_t bytes) {
  const fmhac_emu_buffer buffer = {
      .size = sizeof buffer, .name = name, .bytes = bytes};
  uint64_t address;
  if (fmhac_emu_map(device, &buffer, &address) != FMHAC_OK)
    abort();
  return address;
}

/// Numbers of every kind: integers near 0, floats of every type and exponent.
static void fill(fmhac_rt_device *device, uint64_t address, size_t bytes,
                 uint32_t seed) {
  static const uint32_t special[16] = {
      0,          1,          0xffffffff, 0x80000000, 0x7fffffff, 0x3f800000,
      0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00800000, 0x007fffff,
      0x7bff0400, 0x3c00fc00, 0x7fefffff, 0x00010001};
  uint8_t *host = malloc(bytes);
  if (!host)
    abort();
  uint32_t state = seed * 2654435761u + 1;
  for (size_t i = 0; i < bytes; i += 4) {
    state = state * 1664525u + 1013904223u;
    uint32_t word = state >> 28 < 6 ? special[state >> 20 & 15] : state;
    memcpy(host + i, &word, bytes - i < 4 ? bytes - i : 4);
  }
  if (fmhac_rt_copy_in(device, address, host, bytes) != FMHAC_OK)
    abort();
  free(host);
}

static void make_arguments(const settings *s, uint64_t a, uint64_t b,
                           uint32_t words[16]) {
  memset(words, 0, 16 * sizeof *words);
  memcpy(words, &a, 8); // s[2:3]
  // s[4:7]: a raw buffer.
  words[2] = (uint32_t)a;
  words[3] = (uint32_t)(a >> 32);
  words[4] = A_BYTES;
  words[5] = 0x00027000;
  // s[8:11]: a structured one of 16 bytes a record.
  words[6] = (uint32_t)b;
  words[7] = ((uint32_t)(b >> 32) | 16u << 16) ^ s->descriptor[0];
  words[8] = B_BYTES / 16;
  words[9] = s->descriptor[1];
  memcpy(words + 10, &b, 8); // s[12:13]
  words[12] = A_BYTES - 8;
  words[13] = ISA_SHARED_BASE >> 32; // s[14:15]: LDS as a flat address
}

static void check_results(fmhac_rt_device *device, fmhac_status status) {
  FUZZ_CHECK(status == FMHAC_OK || status == FMHAC_CHECK_FAILED ||
                 status == FMHAC_LAUNCH_FAILED,
             "status %d: %s", (int)status, fmhac_rt_last_error(device));
  FUZZ_CHECK(status == FMHAC_OK || fmhac_rt_last_error(device)[0],
             "no reason is given");
  size_t count = fmhac_emu_finding_count(device);
  FUZZ_CHECK(status != FMHAC_CHECK_FAILED || count, "no finding");
  for (size_t i = 0; i < count; ++i) {
    fmhac_emu_finding finding = {.size = sizeof finding};
    FUZZ_CHECK(fmhac_emu_get_finding(device, i, &finding) == FMHAC_OK &&
                   finding.message[0] && finding.instruction[0],
               "finding %zu", i);
    // A caller that was built before lines were there keeps what is behind.
    fmhac_emu_finding old;
    memset(&old, 0x5a, sizeof old);
    old.size = offsetof(fmhac_emu_finding, location);
    const char *behind = old.location;
    FUZZ_CHECK(fmhac_emu_get_finding(device, i, &old) == FMHAC_OK &&
                   old.count == finding.count && old.location == behind,
               "finding %zu", i);
  }
  fmhac_emu_stats stats = {.size = sizeof stats};
  FUZZ_CHECK(fmhac_emu_get_stats(device, &stats) == FMHAC_OK &&
                 stats.instructions <= 2 * BUDGET,
             "%llu instructions", (unsigned long long)stats.instructions);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < fuzz_words_header_bytes + 4)
    return 0;
  settings s = settings_of(data);
  size_t file_bytes;
  uint8_t *file = make_program(&s, data + fuzz_words_header_bytes,
                               size - fuzz_words_header_bytes, &file_bytes);
  fmhac_rt_device *device;
  if (fmhac_rt_device_open("emu", &device) != FMHAC_OK)
    abort();
  FUZZ_CHECK(fmhac_emu_configure(device, &s.options) == FMHAC_OK, "%s",
             fmhac_rt_last_error(device));
  fmhac_rt_module *module;
  FUZZ_CHECK(fmhac_rt_module_load(device, file, file_bytes, &module) ==
                 FMHAC_OK,
             "%s", fmhac_rt_last_error(device));
  uint64_t a = map(device, "a", A_BYTES), b = map(device, "b", B_BYTES);
  fill(device, a, A_BYTES, s.seed);
  fill(device, b, B_BYTES, s.seed + 1u);
  uint32_t arguments[16];
  make_arguments(&s, a, b, arguments);
  fmhac_rt_launch launch = {.size = sizeof launch,
                            .grid = {1, 1, 1},
                            .kernarg = arguments,
                            .kernarg_bytes = sizeof arguments};
  memcpy(launch.block, s.block, sizeof s.block);
  check_results(device, fmhac_rt_launch_kernel(device, module, &launch));
  fmhac_rt_device_close(device);
  free(file);
  return 0;
}
