# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What mutants.py takes for equivalent is, and what is not, it does not.

In mutants_equivalence.s each wait and barrier says whether it stands "once", where it is
needed, or "twice". Without any checker, and whatever the landing of data and the order of
waves, only the removal of the first kind may show.
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile

import mutants
sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import code_object  # noqa: E402

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "mutants_equivalence.s")
WORK_ITEMS = 128


def expected():
    """For each wait and barrier of the source, in order: is it needed?"""
    needed, last = [], None
    with open(SOURCE) as file:
        for line in file:
            code, _, comment = line.partition("//")
            if code.strip().startswith(("s_waitcnt", "s_barrier")):
                last = "once" in comment if comment.strip() else last
                needed.append(last)
    return needed


def launch(options, folder):
    obj, code = os.path.join(folder, "k.o"), os.path.join(folder, "k.hsaco")
    subprocess.run([os.path.join(options.llvm_bin, "llvm-mc"), "-filetype=obj",
                    "-triple=amdgcn-amd-amdhsa", "-mcpu=gfx950", SOURCE, "-o", obj],
                   check=True)
    subprocess.run([os.path.join(options.llvm_bin, "ld.lld"), "-shared", obj, "-o", code],
                   check=True)
    numbers = [0x01000193 * (i + 1) & 0xFFFFFFFF for i in range(WORK_ITEMS)]
    with open(os.path.join(folder, "in.bin"), "wb") as file:
        file.write(struct.pack(f"<{WORK_ITEMS}I", *numbers))
    with open(os.path.join(folder, "LAUNCH.json"), "w") as file:
        json.dump({"code_object": "k.hsaco", "grid": [1, 1, 1],
                   "block": [WORK_ITEMS, 1, 1],
                   "buffers": {"in": {"bytes": 4 * WORK_ITEMS, "file": "in.bin"},
                               "out": {"bytes": 4 * WORK_ITEMS, "fill": 0,
                                       "out": "out.bin"}},
                   "kernarg": [{"offset": 0, "buffer": "in"},
                               {"offset": 8, "buffer": "out"}]}, file)
    partner = numbers[64:] + numbers[:64]
    return [struct.pack(f"<{WORK_ITEMS}I", *partner)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    options = parser.parse_args()
    options.fmhac = os.path.abspath(options.fmhac)
    failures = 0
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "launch")
        os.mkdir(folder)
        good = launch(options, folder)
        bench = mutants.Bench(options, folder)
        if not mutants.equivalent(bench, folder, good):
            sys.exit("FAIL: the program as it is gives other bytes")
        places = [i for i in code_object.disassemble(options.llvm_bin, bench.path)
                  if i.mnemonic in ("s_waitcnt", "s_barrier")]
        needed = expected()
        if len(places) != len(needed) or not 0 < sum(needed) < len(needed):
            sys.exit(f"FAIL: {len(places)} places, {needed}")
        for number, (place, is_needed) in enumerate(zip(places, needed)):
            changed = bench.copy(mutants.patched(bench.data, place.offset, mutants.S_NOP),
                                 str(number))
            if mutants.equivalent(bench, changed, good) == is_needed:
                failures += 1
                print(f"FAIL: {place}: is {'needed' if is_needed else 'not needed'}, "
                      "which was not seen")
    print(f"{len(needed) - failures} of {len(needed)} removals were told apart")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
