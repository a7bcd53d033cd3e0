# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A generated gfx950 program of many small parts: workgroup n runs part n, reads what
was put into the input for it and writes its own region of the output. One launch."""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import slices  # noqa: E402
from emu_test import TIMEOUT_SECONDS, Broken, tool  # noqa: E402

HEADER = """.amdgcn_target "amdgcn-amd-amdhsa--gfx950"
.amdhsa_code_object_version 5
.text
.globl test_kernel
.p2align 8
.type test_kernel,@function
test_kernel:
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
"""

FOOTER = """  s_endpgm
.Lend:
  .size test_kernel, .Lend-test_kernel
.rodata
.p2align 6
.amdhsa_kernel test_kernel
  .amdhsa_group_segment_fixed_size %(lds)d
  .amdhsa_kernarg_size 16
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr 512
  .amdhsa_accum_offset 256
  .amdhsa_next_free_sgpr 100
  .amdhsa_float_round_mode_32 0
  .amdhsa_float_round_mode_16_64 0
  .amdhsa_float_denorm_mode_32 3
  .amdhsa_float_denorm_mode_16_64 3
  .amdhsa_ieee_mode %(ieee)d
  .amdhsa_dx10_clamp 1
.end_amdhsa_kernel
"""


def parse_arguments(description, *choices):
    """Options of a generated test: the common ones, a positional argument for each
    (name, choices), part of the names of the rows to run, and a slice of those."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--keep", help="leave the files of the run there")
    for name, allowed in choices:
        parser.add_argument(name, choices=allowed)
    parser.add_argument("text", nargs="?", default="")
    slices.add_argument(parser)
    options = parser.parse_args()
    slices.tell(options)
    return options


class Program:
    """Parts see: v0 the lane, s[8:9] their input, s[10:11] their output; s12.., v2..
    are free. A part ends by falling through."""

    def __init__(self, lds=0, ieee=1):
        self.text, self.input, self.regions = [], [], []
        self.input_bytes = self.output_bytes = 0
        self.lds, self.ieee = lds, ieee

    def part(self, name, body, data, output_bytes):
        n = len(self.regions)
        self.text.append(f"""
  // {name}
  s_cmp_lg_u32 s2, {n}
  s_cbranch_scc1 .Lpart{n + 1}
  s_add_u32 s8, s4, {self.input_bytes}
  s_addc_u32 s9, s5, 0
  s_add_u32 s10, s6, {self.output_bytes}
  s_addc_u32 s11, s7, 0
{body}
  s_endpgm
.Lpart{n + 1}:
""")
        self.input.append(data)
        self.regions.append((self.output_bytes, output_bytes))
        # loads of the last rows may fetch whole vectors
        pad = -len(data) % 256
        self.input.append(b"\0" * pad)
        self.input_bytes += len(data) + pad
        self.output_bytes += output_bytes

    def run(self, options):
        """The output region of each part, as bytes."""
        workdir = options.keep or tempfile.mkdtemp(prefix="emu-program-")
        os.makedirs(workdir, exist_ok=True)
        try:
            return self._run(options, workdir)
        finally:
            if not options.keep:
                shutil.rmtree(workdir, ignore_errors=True)

    def _run(self, options, workdir):
        path = os.path.join
        with open(path(workdir, "k.s"), "w") as f:
            f.write(HEADER + "".join(self.text) +
                    FOOTER % {"lds": self.lds, "ieee": self.ieee})
        tool([path(options.llvm_bin, "llvm-mc"), "-triple=amdgcn-amd-amdhsa",
              "-mcpu=gfx950", "-filetype=obj", path(workdir, "k.s"), "-o",
              path(workdir, "k.o")])
        tool([path(options.llvm_bin, "ld.lld"), "-shared", path(workdir, "k.o"), "-o",
              path(workdir, "k.hsaco")])
        with open(path(workdir, "in.bin"), "wb") as f:
            f.write(b"".join(self.input))
        launch = {"code_object": "k.hsaco", "kernel": "test_kernel",
                  "grid": [len(self.regions), 1, 1], "block": [64, 1, 1],
                  "dynamic_lds": 0,
                  "buffers": {"in": {"bytes": self.input_bytes, "file": "in.bin"},
                              "out": {"bytes": self.output_bytes, "fill": 0xA5,
                                      "out": "out.bin"}},
                  "kernarg": [{"offset": 0, "buffer": "in"},
                              {"offset": 8, "buffer": "out"}], "kernarg_bytes": 16}
        with open(path(workdir, "LAUNCH.json"), "w") as f:
            json.dump(launch, f)
        try:
            done = subprocess.run([options.fmhac, "emu", path(workdir, "LAUNCH.json")],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  timeout=TIMEOUT_SECONDS)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Broken(f"{options.fmhac}: {error}")
        if done.returncode:
            raise Broken("the emulator did not run the program to its end: exit code "
                         f"{done.returncode}\n"
                         + done.stdout.decode("utf-8", "replace")[:4000]
                         + done.stderr.decode("utf-8", "replace")[:4000])
        with open(path(workdir, "out.bin"), "rb") as f:
            found = f.read()
        return [found[at:at + size] for at, size in self.regions]


def registers(first, count, file="v"):
    return f"{file}{first}" if count == 1 else f"{file}[{first}:{first + count - 1}]"


def move(operation, first, count, offset_register):
    """Loads (or stores) consecutive dwords of a lane; s[8:9] (s[10:11]) is the address,
    the register holds the lane's offset."""
    text, at = [], 0
    while at < count:
        step = next(n for n in (4, 2, 1) if n <= count - at)
        size = "dword" if step == 1 else f"dwordx{step}"
        data = registers(first + at, step)
        if operation == "load":
            text.append(f"  global_load_{size} {data}, v{offset_register}, s[8:9] "
                        f"offset:{4 * at}")
        else:
            text.append(f"  global_store_{size} v{offset_register}, {data}, s[10:11] "
                        f"offset:{4 * at}")
        at += step
    pointer = ("s8", "s9") if operation == "load" else ("s10", "s11")
    text.append(f"  s_add_u32 {pointer[0]}, {pointer[0]}, {256 * count}")
    text.append(f"  s_addc_u32 {pointer[1]}, {pointer[1]}, 0")
    return "\n".join(text)
