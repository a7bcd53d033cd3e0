# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What comes from beyond L2 and from HBM, of workgroups that were not timed, too: they begin to
run, and where they read follows. By hand: 8 XCDs, to which workgroups go in turn.

    traffic.py --fmhac FMHAC TRAFFIC.hsaco
"""
import argparse
import json
import os
import subprocess
import tempfile

WORKGROUPS, EACH = 64, 65536  # bytes that a workgroup of traffic.s reads
XCDS = 8


def launch(stride, idle, timed):
    one = {"kernel": "reader", "grid": [WORKGROUPS, 1, 1], "block": [64, 1, 1],
           "kernarg": [{"offset": 0, "buffer": "in"}, {"offset": 8, "u32": stride},
                       {"offset": 12, "u32": idle}]}
    if timed:
        one["workgroups"] = [[i, 0, 0] for i in timed]
    return one


def caches(fmhac, code, of_launch):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "LAUNCH.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"code_object": os.path.abspath(code),
                       "buffers": {"in": {"bytes": WORKGROUPS * EACH, "fill": 0}}, **of_launch},
                      file)
        done = subprocess.run([fmhac, "emu", path, "--timing", "--json"], capture_output=True,
                              text=True, check=True, timeout=120)
    timing = json.loads(done.stdout)["timing"]
    return timing["far_bytes"], timing["hbm_bytes"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("code")
    options = parser.parse_args()
    every = WORKGROUPS * EACH
    # (stride, idle, timed workgroups or all, bytes from beyond L2, from HBM)
    cases = [(0, 0, [0], XCDS * EACH, EACH),  # all read the same
             (EACH, 0, [0], every, every),    # each its own
             (EACH // 2, 0, [0], None, (WORKGROUPS + 1) * EACH // 2),  # they overlap by half
             # Every other one ends at once: half of the XCDs have work.
             (0, 1, None, XCDS // 2 * EACH, EACH),
             (EACH, 1, None, every // 2, every // 2)]
    for stride, idle, timed, far, hbm in cases:
        found = caches(options.fmhac, options.code, launch(stride, idle, timed))
        for name, by_hand, value in (("far", far, found[0]), ("hbm", hbm, found[1])):
            assert by_hand is None or abs(value / by_hand - 1) < 0.01, \
                (stride, idle, timed, name, by_hand, value)


if __name__ == "__main__":
    main()
