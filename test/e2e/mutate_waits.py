# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every wait of compiled kernels, damaged: what runs find, the static checkers find.

One at a time, in the binary, each s_waitcnt becomes an s_nop 0, and each of its counts
that waits is raised by one; each s_nop of more than one wait state loses one. Each mutant
is given to `inspect --waits`, and run on the emulator with --check=wait,hazard. A mutant
that the run finds and the static checkers do not is a failure, unless all that the run
finds is an access to LDS bytes that a direct load still owns: addresses are known in a run
only.

Equivalent are mutants of a wait that never waits, as the counters stand no higher on any
path (`idle_waits` of `inspect --waits`): neither may find one. Wait states are spare where
LLVM fills in more than the table asks for (ERRATA of the emulator). What else neither finds
is named: a wait before what it serves, if another wait comes between; one that only orders
LDS between waves. --full adds kernels.
"""
import argparse
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

import pages

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import code_object  # noqa: E402
import slices  # noqa: E402

VM_MOST, LGKM_MOST = 63, 15
KERNELS = [
    "--schedule generic --mask causal",
    "--schedule generic --mask window:40,10 --lse --dtype f16 --head-dim 64",
    "--mask causal --head-dim 256 --softcap 20",
    "--schedule generic_fp8 --dtype fp8 --mask causal",
    "--schedule dualwave_fp8 --dtype fp8 --mask none --lse",
    "--schedule generic --mask causal --page-size 16 TABLE",
    "--schedule dualwave --mask none --page-size 64 LIST",
]
MORE_KERNELS = [
    "--schedule generic --mask none --head-dim-qk 72 --head-dim-v 40 --alibi",
    "--schedule generic --mask none",
    "--schedule generic --mask chunked:64",
    "--schedule generic --mask causal-top-left --out-dtype f32",
    "--schedule generic --head-dim 8", "--head-dim-qk 192 --head-dim-v 128", "--head-dim 256 --alibi --lse",
    "--dtype f16 --mask causal --softcap 20 --lse",
    "--schedule dualwave_fp8 --dtype fp8 --head-dim 64 --mask window:40,10",
    "--schedule generic_fp8_n32 --dtype fp8 --head-dim-qk 208 --head-dim-v 48 --alibi --lse",
    "--schedule dualwave_q8 --quantize-q --q-dtype bf16 --k-dtype fp8 --v-dtype fp8 --mask none",
    "--schedule generic --mask none --page-size 64 LIST",
    "--schedule generic_fp8 --dtype fp8 --mask none --page-size 128 TABLE",
]
# More than one tile of keys, so that the loop goes round; lengths that end in a tile.
KEYS = 330
PROBLEM = ["--heads", "1", "--kv-heads", "1", "--seqlen-q", "70", "--seqlen-kv", str(KEYS)]


def counts_of(word):
    """vmcnt, lgkmcnt of an s_waitcnt (CDNA3 ISA 12.5)."""
    return word & 15 | word >> 10 & 0x30, word >> 8 & 15


def with_counts(word, vm, lgkm):
    return word & ~0xCF0F | vm & 15 | (vm >> 4) << 14 | lgkm << 8


def mutants_of(data, wait):
    """(name, word that stands there instead)."""
    word, = struct.unpack_from("<I", data, wait.offset)
    if wait.mnemonic == "s_nop":
        if word & 15:
            yield "s_nop-1", word - 1
        return
    vm, lgkm = counts_of(word)
    yield "removed", struct.unpack("<I", code_object.S_NOP)[0]
    if vm < VM_MOST:
        yield "vmcnt+1", with_counts(word, vm + 1, lgkm)
    if lgkm < LGKM_MOST:
        yield "lgkmcnt+1", with_counts(word, vm, lgkm + 1)


def answer(command, folder, codes):
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode not in codes:
        sys.exit(f"FAIL: {' '.join(command)} exited with {done.returncode}: "
                 f"{done.stderr}")
    return json.loads(done.stdout)


def run_findings(fmhac, folder):
    """Of registers and wait states, and of LDS bytes."""
    found = answer([fmhac, "emu", "--json", "--check=wait,hazard",
                    "LAUNCH.json"], folder,
                   (0, 1))["findings"]
    lds = [f for f in found if " LDS bytes at " in f["message"]]
    return len(found) - len(lds), len(lds)


def mutate(options, name, table):
    row = dict.fromkeys(("waits", "nops", "mutants", "both", "audit only", "LDS bytes only",
                         "equivalent", "spare nops", "not found", "run only"), 0)
    table.append((name, row))
    with tempfile.TemporaryDirectory() as top:
        folder = os.path.join(top, "launch")
        subprocess.run([options.fmhac, "run", *pages.flags_of(name, KEYS, top), *PROBLEM,
                        "--no-compare",
                        "--save-launch", folder], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(os.path.join(folder, "LAUNCH.json")) as file:
            path = os.path.join(folder, json.load(file)["code_object"])
        with open(path, "rb") as file:
            data = file.read()
        code = code_object.disassemble(options.llvm_bin, path)
        waits = [i for i in code if i.mnemonic in ("s_waitcnt", "s_nop")]
        mutants = options.slice.of((w, *m) for w in waits for m in mutants_of(data, w))
        row["waits"] = sum(i.mnemonic == "s_waitcnt" for i in waits)
        row["nops"] = sum(m[1] == "s_nop-1" for m in mutants)
        row["mutants"] = len(mutants)
        audit = [options.fmhac, "inspect", "--waits", "--json", path]
        whole = answer(audit, folder, (0,))
        if whole["findings"] or run_findings(options.fmhac, folder) != (0, 0):
            sys.exit(f"FAIL: {name}: findings without any damage")
        idle = {code[0].address + w["pc"] for w in whole["idle_waits"]}
        for wait, kind, word in mutants:
            with open(path, "wb") as file:
                file.write(data[:wait.offset] + struct.pack("<I", word)
                           + data[wait.offset + 4:])
            audited = bool(answer(audit, folder, (0, 1))["findings"])
            registers, lds = run_findings(options.fmhac, folder)
            if registers and not audited:
                row["run only"] += 1
                print(f"FAIL: {name}: {wait} {kind}: only the run finds it")
            elif wait.address in idle and (registers or audited or lds):
                row["run only"] += 1
                print(f"FAIL: {name}: {wait} {kind}: found, though it never waits")
            elif registers:
                row["both"] += 1
            elif audited:
                row["audit only"] += 1
            elif lds:
                row["LDS bytes only"] += 1
            elif wait.address in idle:
                row["equivalent"] += 1
            elif kind == "s_nop-1":
                row["spare nops"] += 1
            else:
                row["not found"] += 1
                print(f"{name}: {wait} {kind}: not found")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--full", action="store_true", help="more kernels")
    slices.add_argument(parser)
    options = parser.parse_args()
    slices.tell(options)
    options.fmhac = os.path.abspath(options.fmhac)  # runs in other folders
    if not shutil.which(options.fmhac):
        parser.error(f"no command {options.fmhac}")
    table = []
    for name in KERNELS + (MORE_KERNELS if options.full else []):
        mutate(options, name, table)
    keys = list(table[0][1])
    print("  ".join(keys) + "  kernel")
    for name, row in table:
        print("  ".join(str(row[key]).rjust(len(key)) for key in keys) + f"  {name}")
    found = sum(row["both"] for _, row in table)
    if not found:
        sys.exit("FAIL: no mutant was found by both")
    return 1 if any(row["run only"] for _, row in table) else 0


if __name__ == "__main__":
    sys.exit(main())
