# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Line tables: from an instruction to its step and its line of the synced rung.

  * Line N is line N of what --emit=synced prints: LLVM's own symbolizer names, for each
    kind of instruction, the step that issues it, and the line holds that step.
  * Code and descriptor are the same without line tables; the bytes are the same twice,
    from any folder, and name no path.
  * A finding on a kernel that lost an s_waitcnt names both steps, as does the static
    checker; stripped, or with damaged tables, the same finding without them.
"""
import argparse
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import code_object  # noqa: E402

CONFIGS = [
    "--schedule generic --mask causal --lse",
    "--schedule generic --mask none --dtype f16 --head-dim 64",
    "--head-dim 256 --alibi --lse",
    "--schedule generic --head-dim-qk 72 --head-dim-v 40 --mask window:40,10",
    "--schedule generic --softcap 20 --mask chunked:64 --out-dtype f32",
    "--schedule dualwave_fp8 --dtype fp8 --mask causal",
]
PROBLEM = ["--heads", "1", "--kv-heads", "1", "--seqlen-q", "130", "--seqlen-kv", "200"]
# What an instruction of this name is for. Source: docs/compiler.md, the table of
# operations, and the names of the steps.
STEPS = [
    (r"v_mfma_", {"qk", "pv", "matrix_sum"}),
    (r"v_cvt_pk_fp8_f32", {"convert"}),
    (r"ds_read_b128", {"read_k"}),
    (r"ds_read_b64_tr_b(16|8)", {"read_v"}),
    (r"buffer_load_dword.* lds$", {"load_k", "load_v"}),
    (r"buffer_store", {"store_o", "store_lse"}),
    (r"v_exp_f32", {"exp", "row_max", "rebase", "score_mod", "log_sum", "add_sink"}),
    (r"v_rcp_f32", {"normalize", "score_mod", "rebase"}),
]
SEEDS = 12


def expect(condition, text):
    if not condition:
        sys.exit(f"FAIL: {text}")


def output(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, **more).stdout


def section(options, path, name):
    """The bytes of a section; empty if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        dump = os.path.join(folder, "bytes")
        subprocess.run([os.path.join(options.llvm_bin, "llvm-objcopy"),
                        f"--dump-section={name}={dump}", path, os.devnull],
                       stderr=subprocess.DEVNULL)
        if not os.path.exists(dump):
            return b""
        with open(dump, "rb") as file:
            return file.read()


def symbolize(options, path, instructions):
    """For each instruction its frames (function, line), the innermost first."""
    text = output(os.path.join(options.llvm_bin, "llvm-symbolizer"), "--inlines",
                  "--functions=short", "--output-style=JSON", "-e", path,
                  input="".join(f"{i.address:#x}\n" for i in instructions).encode())
    return [[(f["FunctionName"], f["Line"]) for f in json.loads(line)["Symbol"]]
            for line in text.splitlines()]


def compile_kernel(options, config, path, *more, cwd=None):
    done = subprocess.run([options.fmhac, "compile", *config.split(), "-o", path, *more],
                          check=True, cwd=cwd, capture_output=True, text=True)
    expect("line tables" not in done.stderr, f"ops without a line: {done.stderr}")
    with open(path if cwd is None else os.path.join(cwd, path), "rb") as file:
        return file.read()


def op_of(step):
    """A pattern of the op of a step: ops that copy, read and multiply have their operand as an attribute."""
    op = re.sub(r"^load_([kv])$", r"copy \1", step)
    op = re.sub(r"^read_([kv])$", r"read \1", op)
    op = {"qk": "product k", "pv": "product v"}.get(op, op)
    return rf"\bfmha\.{op}\b"


def check_places(options, config, path, text):
    instructions = code_object.disassemble(options.llvm_bin, path)
    ends = [n for n, i in enumerate(instructions) if i.mnemonic == "s_endpgm"]
    instructions = instructions[:ends[-1] + 1]
    seen, silent = set(), 0
    for at, frames in zip(instructions, symbolize(options, path, instructions)):
        (name, line), outermost = frames[0], frames[-1]
        expect(0 <= line <= len(text), f"{config}: {at}: line {line} of {len(text)}")
        silent += line == 0
        if len(frames) > 1:
            expect(len(frames) == 2, f"{config}: {at}: {frames}")
            step = text[outermost[1] - 1]
            expect(re.search(op_of(name), step),
                   f"{config}: {at} is said to be of {name}, but line {outermost[1]} "
                   f"is: {step}")
            seen.add(name)
        for pattern, names in STEPS:
            if re.search(pattern, at.text):
                expect(len(frames) == 2 and name in names,
                       f"{config}: {at}: expected one of {names}, found {frames}")
        if at.mnemonic == "s_barrier":
            expect(line and re.search(r"rocdl\.s\.barrier|fmha\.stagger", text[line - 1]),
                   f"{config}: {at}: line {line} is no barrier")
    expect({"qk", "pv", "exp", "rescale_if", "read_k", "read_v"} <= seen
           and seen & {"row_max", "rebase"},
           f"{config}: steps without an instruction: found only {seen}")
    return len(instructions), silent


def code_of(options, path):
    """Code and descriptor, but for how far the two are apart: bytes 16 to 23 (LLVM "User
    Guide for AMDGPU Backend", "Code Object V3+ Kernel Descriptor")."""
    descriptor = section(options, path, ".rodata")
    return section(options, path, ".text"), descriptor[:16] + descriptor[24:]


def check_code(options, config, top):
    path = os.path.join(top, "k.hsaco")
    data = compile_kernel(options, config, path)
    text = output(options.fmhac, "compile", *config.split(), "--emit=synced",
                  text=True).splitlines()
    count, silent = check_places(options, config, path, text)
    folder = os.path.join(top, "another")
    os.makedirs(folder, exist_ok=True)
    expect(compile_kernel(options, config, "k.hsaco", cwd=folder) == data,
           f"{config}: other bytes from another folder")
    for name in (".debug_str", ".debug_line_str"):
        expect(b"/" not in section(options, path, name), f"{config}: a path in {name}")
    plain = os.path.join(top, "plain.hsaco")
    less = compile_kernel(options, config, plain, "--no-line-tables")
    expect(section(options, path, ".text"), "no .text")
    expect(code_of(options, path) == code_of(options, plain),
           f"{config}: another kernel without line tables")
    expect(not section(options, plain, ".debug_line"), "--no-line-tables has no effect")
    print(f"{config}: {count} instructions, {silent} of no line; {len(data)} bytes, "
          f"{len(less)} without line tables")


def emulate(options, folder):
    done = subprocess.run([options.fmhac, "emu", "--json", "LAUNCH.json"], cwd=folder,
                          capture_output=True, text=True)
    expect(done.returncode == 1, f"exit code {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["findings"]


def audit(options, path):
    done = subprocess.run([options.fmhac, "inspect", "--waits", "--json", path],
                          capture_output=True, text=True)
    expect(done.returncode == 1, f"exit code {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)["findings"]


def check_place(finding, text, key, steps):
    """The finding's place is a line that holds the step."""
    name, line = finding[key + "location"].rsplit(":", 1)
    step = finding[key + "step"]
    expect(re.fullmatch(r"attn_bf16_d128_causal_[0-9a-f]{8}\.synced\.mlir", name),
           f"the file is {name}")
    expect(step in steps, f"expected one of {steps}, found {finding}")
    expect(re.search(op_of(step), text[int(line) - 1]),
           f"line {line} has no {step}: {text[int(line) - 1]}")
    expect(f"{finding[key + 'location']} ({step})" in finding["message"],
           f"not in the message: {finding['message']}")


def check_findings(options, top):
    saved = os.path.join(top, "saved")
    output(options.fmhac, "run", "--schedule", "generic", "--mask", "causal", *PROBLEM, "--save-launch", saved)
    text = output(options.fmhac, "compile", "--schedule", "generic", "--mask", "causal", "--emit=synced",
                  text=True).splitlines()
    with open(os.path.join(saved, "LAUNCH.json")) as file:
        path = os.path.join(saved, json.load(file)["code_object"])
    with open(path, "rb") as file:
        good = file.read()
    pairs = set()
    for wait in code_object.disassemble(options.llvm_bin, path):
        if wait.mnemonic != "s_waitcnt":
            continue
        patched = (good[:wait.offset] + code_object.S_NOP
                   + good[wait.offset + wait.size:])
        with open(path, "wb") as file:
            file.write(patched)
        if subprocess.run([options.fmhac, "inspect", "--waits", path],
                          capture_output=True).returncode == 0:
            continue
        for found in (emulate(options, saved), audit(options, path)):
            for f in found:
                if f["check"] != "wait" or not f["instruction"].startswith("v_mfma"):
                    continue
                check_place(f, text, "", {"qk", "pv"})
                check_place(f, text, "other_", {"read_k", "read_v"})
                pairs.add((f["step"], f["other_step"]))
                last, damaged = f, patched
    expect(pairs == {("qk", "read_k"), ("pv", "read_v")},
           f"expected findings on K and on V, found {pairs}")
    print("ok:", last["message"])
    check_damaged(options, saved, path, damaged)


def check_damaged(options, saved, path, data):
    """The same findings without tables, and with bad ones; of those no place is asked."""
    with open(path, "wb") as file:
        file.write(data)
    tables = {name: section(options, path, name)
              for name in (".debug_line", ".debug_info", ".debug_abbrev", ".debug_str",
                           ".debug_line_str", ".debug_rnglists", ".debug_addr")}
    expect(tables[".debug_line"] and tables[".debug_info"], "no tables to damage")

    def found():
        return [[f[k] for k in ("check", "pc", "other_pc", "count")]
                for f in emulate(options, saved)]

    expected = found()
    rules = os.path.join(saved, "suppressions.json")
    for step, code in (("read_[kv]", 0), ("load_q", 1)):
        with open(rules, "w") as file:
            json.dump([{"other_step": step, "location": "*.synced.mlir:*"}], file)
        done = subprocess.run([options.fmhac, "emu", "LAUNCH.json", "--suppressions", rules],
                              cwd=saved, capture_output=True, text=True)
        expect(done.returncode == code, f"suppressed {step}: {done.stdout}{done.stderr}")
    output(os.path.join(options.llvm_bin, "llvm-objcopy"), "--strip-debug", path)
    for f in emulate(options, saved) + audit(options, path):
        places = [f[k] for k in ("location", "step", "other_location", "other_step")]
        expect(places == [None] * 4 and "synced" not in f["message"], f"stripped: {f}")
    randomness = random.Random(1)
    for name, table in tables.items():
        at = data.find(table) if table else -1
        if at < 0:
            continue
        for _ in range(SEEDS):
            bad = bytearray(table)
            for _ in range(randomness.choice((1, 4, len(bad)))):
                bad[randomness.randrange(len(bad))] = randomness.randrange(256)
            with open(path, "wb") as file:
                file.write(data[:at] + bytes(bad) + data[at + len(bad):])
            expect(found() == expected, f"{name} damaged: other findings")


def check_foreign(options, top):
    """A kernel of clang: the emulator and LLVM's symbolizer read the same."""
    folder = os.path.join(top, "foreign")
    os.makedirs(folder)
    with open(os.path.join(folder, "f.cl"), "w") as file:
        file.write("static float twice(global float *p, int i) { return 2 * p[i]; }\n"
                   "static float sum(global float *p, int i) {\n"
                   "  return twice(p, i) +\n"
                   "         p[i + 64];\n"
                   "}\n"
                   "kernel void k(global float *p, global float *o) {\n"
                   "  int i = __builtin_amdgcn_workitem_id_x();\n"
                   "  o[i] = sum(p, i);\n"
                   "}\n")
    path = os.path.join(folder, "f.hsaco")
    output(os.path.join(options.llvm_bin, "clang"), "-x", "cl", "-target",
           "amdgcn-amd-amdhsa", "-mcpu=gfx950", "-nogpulib", "-O2", "-g", "f.cl", "-o",
           path, cwd=folder)
    with open(os.path.join(folder, "LAUNCH.json"), "w") as file:
        json.dump({"code_object": "f.hsaco", "kernel": "k", "grid": [1, 1, 1],
                   "block": [64, 1, 1],
                   "buffers": {"p": {"bytes": 512, "fill": 0},
                               "o": {"bytes": 256, "fill": 0}},
                   "kernarg": [{"offset": 0, "buffer": "p"},
                               {"offset": 8, "buffer": "o"}]}, file)
    instructions = code_object.disassemble(options.llvm_bin, path)
    frames = symbolize(options, path, instructions)
    entry = int(output(os.path.join(options.llvm_bin, "llvm-nm"), path, text=True)
                .split(" T k\n")[0].split()[-1], 16)
    places = {i.address - entry: f for i, f in zip(instructions, frames)}
    for wait in instructions:
        if wait.mnemonic == "s_waitcnt" and "vmcnt" in wait.text:
            code_object.overwrite_with_nops(path, wait)
    functions = set()
    for f in emulate(options, folder):
        for key in ("", "other_"):
            inner = places[f[key + "pc"]]
            name, line = f[key + "location"].rsplit(":", 1)
            expect(os.path.basename(name) == "f.cl" and int(line) == inner[0][1],
                   f"expected {inner}, found {f}")
            expect(len(inner) == 1 or f[key + "step"] == inner[0][0],
                   f"expected {inner}, found {f}")
            functions.add(f[key + "step"])
    expect({"twice", "sum"} <= functions, f"found only {functions}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    options = parser.parse_args()
    options.fmhac = os.path.abspath(options.fmhac)  # runs in other folders
    for config in CONFIGS:
        with tempfile.TemporaryDirectory() as top:
            check_code(options, config, top)
    with tempfile.TemporaryDirectory() as top:
        check_findings(options, top)
        check_foreign(options, top)


if __name__ == "__main__":
    main()
