# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A saved launch replays to the same bytes; a damaged code object does not.

Shows that a run can fail: without one matrix instruction the result is wrong, and
without the wait before the first use of a K fragment the `wait` check names the
load and the use.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import code_object  # noqa: E402

# Type, schedule, the instruction that multiplies Q and K.
KERNELS = [("bf16", "generic", "v_mfma_f32_32x32x16_bf16"),
           ("fp8", "generic_fp8", "v_mfma_f32_32x32x64_f8f6f4")]


def expect(condition, text):
    if not condition:
        sys.exit(f"FAIL: {text}")


def emulate(fmhac, folder):
    result = subprocess.run([fmhac, "emu", "--json", "LAUNCH.json"], cwd=folder,
                            capture_output=True, text=True)
    with open(os.path.join(folder, "LAUNCH.json")) as file:
        launch = json.load(file)
    out, = [b["out"] for n, b in launch["buffers"].items() if n == "o"]
    with open(os.path.join(folder, out), "rb") as file:
        return result.returncode, json.loads(result.stdout), file.read()


def first_use_of_k(instructions, product):
    """The wait, and the matrix instruction after it, that first uses what
    ds_read_b128 fetched in the KV loop."""
    for first, last in code_object.loop_bodies(instructions):
        body = instructions[first:last + 1]
        names = [i.mnemonic for i in body]
        if product not in names:
            continue
        read = names.index("ds_read_b128")
        use = names.index(product, read)
        waits = [i for i in body[read:use] if i.mnemonic == "s_waitcnt"]
        return waits, body[use]
    sys.exit("FAIL: found no KV loop")


def check(options, dtype, schedule, product):
    with tempfile.TemporaryDirectory() as top:
        saved = os.path.join(top, "saved")
        subprocess.run(
            [options.fmhac, "run", "--schedule", schedule, "--dtype", dtype, "--mask", "causal",
             "--heads", "2", "--kv-heads", "1", "--seqlen-q", "130", "--seqlen-kv", "200",
             "--save-launch", saved, "--o", os.path.join(top, "o.npy")],
            check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(top, "o.npy"), "rb") as file:
            npy = file.read()
        code, report, good = emulate(options.fmhac, saved)
        expect(code == 0 and report["ok"], f"replay exited with {code}: {report}")
        expect(len(good) == 130 * 2 * 128 * 2, f"O has {len(good)} bytes")
        expect(npy.endswith(good), "the replay's bytes are not those of the run")

        def damaged(name, instruction):
            folder = os.path.join(top, name)
            shutil.copytree(saved, folder)
            with open(os.path.join(folder, "LAUNCH.json")) as file:
                path = json.load(file)["code_object"]
            code_object.overwrite_with_nops(os.path.join(folder, path),
                                            instruction)
            return emulate(options.fmhac, folder)

        with open(os.path.join(saved, "LAUNCH.json")) as file:
            path = os.path.join(saved, json.load(file)["code_object"])
        instructions = code_object.disassemble(options.llvm_bin, path)
        waits, use = first_use_of_k(instructions, product)
        expect(waits, "found no s_waitcnt before the first use of K")

        code, report, bytes_without = damaged("mfma", use)
        expect(bytes_without != good,
               f"without {use} the result is the same")

        code, report, _ = damaged("wait", waits[-1])
        expect(code == 1, f"without {waits[-1]} the exit code is {code}, not 1")
        found = [f for f in report["findings"] if f["check"] == "wait"]
        expect(found, f"no finding of `wait` in {report}")
        both = [f for f in found
                if f["instruction"].startswith(product)
                and f["other_instruction"].startswith("ds_read_b128")]
        expect(both, f"no finding names the read and the use: {found}")
        print(f"ok: {both[0]['message']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    options = parser.parse_args()
    options.fmhac = os.path.abspath(options.fmhac)  # runs in other folders
    for kernel in KERNELS:
        check(options, *kernel)


if __name__ == "__main__":
    main()
