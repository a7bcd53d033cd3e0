# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The instruction cache: a loop that fits takes what its instructions take. Of a longer one,
whose lines go round in less room than they need, each line costs code_line_cycles a trip.

    long_code.py --fmhac FMHAC LONG_CODE.hsaco
"""
import argparse
import json
import os
import subprocess
import tempfile

INSTRUCTIONS = {"fits": 15360, "does_not_fit": 18432}  # of long_code.s; 4 bytes, 4 cycles
LINE_BYTES = 64


def trip(fmhac, code, kernel, *flags):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "LAUNCH.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"code_object": os.path.abspath(code), "kernel": kernel, "buffers": {},
                       "kernarg": [], "grid": [1, 1, 1], "block": [64, 1, 1]}, file)
        done = subprocess.run([fmhac, "emu", path, "--timing", "--json", *flags],
                              capture_output=True, text=True, check=True, timeout=120)
    return json.loads(done.stdout)["per_workgroup"][0]["loop"]["cycles"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("code")
    options = parser.parse_args()
    lines = INSTRUCTIONS["does_not_fit"] * 4 / LINE_BYTES
    cases = [("fits", [], 0), ("does_not_fit", ["--timing-constants=code_line_cycles=500"], 500 * lines),
             ("does_not_fit", ["--timing-constants=code_line_cycles=100"], 100 * lines),
             ("does_not_fit", ["--timing-constants=code_cache_kib=80"], 0),
             ("fits", ["--timing-constants=code_cache_kib=16,code_line_cycles=500"], 500 * 15360 * 4 / LINE_BYTES)]
    for kernel, flags, extra in cases:
        expected = 4 * INSTRUCTIONS[kernel] + extra
        found = trip(options.fmhac, options.code, kernel, *flags)
        assert abs(found / expected - 1) < 0.01, (kernel, flags, expected, found)


if __name__ == "__main__":
    main()
