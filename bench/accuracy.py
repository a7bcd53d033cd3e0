#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How exact attention in fp8 is: of ours, of ours without a lift, of public kernels.

    accuracy.py --fmhac build/bin/fmhac [--dir DIR] [--scale X] [--json FILE]

Each code object runs on the emulator with the same elements of Q, K and V, head size 128, and its
O is compared with attention in double precision of those elements. The table has relative rms
errors, in units of 1e-3. A figure in brackets is of an output that does not pass: of `fixture`,
one beyond +-0.03 of what is exact; of the others, one beyond the bounds that `fmhac run` prints
for these elements. Inputs are those of `fmhac run --input`, and `flat`, whose Q is normal times
1/32, so that all weights are about 1.

`without a lift` is the code of our schedules with the lift left out of the text of their tiles.
DIR is hsa/gfx950 of a checkout of ROCm/aiter; without it the public kernels are left out. Kernels
with a causal mask are compared with attention under one. X is the scale of the scores, 1/sqrt(128)
without it; public kernels get X sqrt(128) as the factor of Q. v4 multiplies Q with the mantissa of
X log2(e) and rounds it to fp8 again, which changes nothing where X is ln(2) times a power of two.

`quantize_q` rows have a Q of bf16 of the same kinds, which the kernel rounds, and errors as `fmhac run`
prints them; inputs that prescribe scores are not for them.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "test", "public")]

import fmha_v3_fwd  # noqa: E402
import fmha_v4_fwd  # noqa: E402
import launch  # noqa: E402
from formats import BF16, FP8  # noqa: E402
from reference import attention, causal_bottom_right  # noqa: E402

KINDS = ["normal", "growing", "spikes", "flat", "fixture", "sink", "rising"]
ROWS, KEYS, HEADS, DIM = 256, 2048, 2, 128  # rows of a workgroup of every kernel
SCALE = DIM ** -0.5
FLAT = 1 / 32
PRESCRIBED = ["fixture", "sink"]
QUANTIZED = ["--q-dtype", "bf16", "--k-dtype", "fp8", "--v-dtype", "fp8", "--quantize-q"]
FIXTURE_BOUND = 0.03
PEERS = [("v3", "fwd_hd128_fp8"), ("v3", "fwd_hd128_fp8_causal"), ("v4", "fwd_hd128_fp8")]


def call(command, allowed=(0,)):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in allowed:
        sys.exit(f"{' '.join(command)}: exit code {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def config(schedule, mask):
    return ["--dtype", "fp8", "--head-dim", str(DIM), "--mask", mask,
            *(["--schedule", schedule] if schedule else [])]


def saved(fmhac, kind, mask, scale, schedule, folder, types=()):
    """A launch of ours in `folder`, and the report on it. Whether ours pass is found here as it
    is of the others: exit code 1 is no reason to stop."""
    problem = ["--heads", str(HEADS), "--kv-heads", str(HEADS), "--seqlen-q", str(ROWS),
               "--seqlen-kv", str(KEYS), f"--scale={scale!r}"]
    if kind == "flat":
        rng = np.random.default_rng(1)
        for name, rows, factor in ("q", ROWS, FLAT), ("k", KEYS, 1), ("v", KEYS, 1):
            path = os.path.join(folder, f"flat_{name}.npy")
            np.save(path, np.float32(rng.standard_normal((1, rows, HEADS, DIM)) * factor))
            problem += [f"--{name}", path]
    else:
        problem += ["--input", kind]
    return json.loads(call([fmhac, "run", "--json", "--quiet", *config(schedule, mask), *types, *problem,
                            "--save-launch", folder], allowed=(0, 1)))


@dataclass
class Inputs:
    """Elements of a kind, what attention of them is, and how far a kernel may be from it."""
    kind: str
    mask: str
    scale: float
    elements: dict  # name -> codes [1, S, H, D]
    exact: np.ndarray  # [S, H, D]
    report: dict  # of `fmhac run`: bounds


def make_inputs(fmhac, kind, mask, scale):
    with tempfile.TemporaryDirectory() as folder:
        report = saved(fmhac, kind, mask, scale, None, folder)
        elements = {name: np.fromfile(os.path.join(folder, name + ".bin"), np.uint8).reshape(
            1, rows, HEADS, DIM) for name, rows in (("q", ROWS), ("k", KEYS), ("v", KEYS))}
    visible = causal_bottom_right(ROWS, KEYS) if mask == "causal" else None
    q, k, v = (np.swapaxes(FP8.values(elements[name][0]), 0, 1) for name in "qkv")
    exact = attention(q, k, v, scale, visible).o
    return Inputs(kind, mask, scale, elements, np.swapaxes(exact, 0, 1),
                  report["outputs"]["o"])


@dataclass
class Verdict:
    rel_rms: float
    passes: bool
    found: float  # the element of O that is farthest from what it should be
    exact: float


def judge(inputs, found):
    exact, bounds = inputs.exact, inputs.report
    errors = found - exact
    at = np.unravel_index(np.argmax(np.abs(np.nan_to_num(errors, nan=np.inf))), errors.shape)
    rel_rms = float(np.sqrt(np.mean(errors ** 2) / np.mean(exact ** 2)))
    worst = float(np.abs(errors).max())
    if inputs.kind == "fixture":
        passes = worst <= FIXTURE_BOUND
    else:
        lengths = np.sqrt((found ** 2).sum(axis=-1) * (exact ** 2).sum(axis=-1))
        cosine = np.divide((found * exact).sum(axis=-1), lengths, where=lengths > 0,
                           out=np.zeros_like(lengths))
        passes = (worst <= bounds["tolerance"] and rel_rms <= bounds["rms_bound"]
                  and cosine.min() > bounds["cosine_bound"])
    return Verdict(rel_rms, bool(passes), float(found[at]), float(exact[at]))


def of_ours(fmhac, schedule, inputs, lifted=True):
    """What a schedule gives, or its code without the lift."""
    with tempfile.TemporaryDirectory() as folder:
        saved(fmhac, inputs.kind, inputs.mask, inputs.scale, schedule, folder)
        path = os.path.join(folder, "LAUNCH.json")
        if not lifted:
            tiles = call([fmhac, "compile", *config(schedule, inputs.mask), "--emit=tiles", "-o",
                          "-"])
            text, count = re.subn(r" lift \d+ ", " ", tiles)
            if count != 1:
                sys.exit(f"{schedule}: expected one lift in the text of its tiles, found {count}")
            with open(os.path.join(folder, "tiles.mlir"), "w", encoding="utf-8") as file:
                file.write(text)
            with open(path, encoding="utf-8") as file:
                code = json.load(file)["code_object"]
            call([fmhac, "compile", *config(schedule, inputs.mask), "--from", "tiles",
                  os.path.join(folder, "tiles.mlir"), "-o", os.path.join(folder, code)])
        call([fmhac, "emu", path])
        return BF16.values(np.fromfile(os.path.join(folder, "o.out.bin"), np.uint16)).reshape(
            ROWS, HEADS, DIM)


def quantized(fmhac, schedule, kind, scale):
    """Of a schedule with quantize_q; None of inputs that it does not take."""
    if kind in PRESCRIBED:
        return None
    with tempfile.TemporaryDirectory() as folder:
        report = saved(fmhac, kind, "none", scale, schedule, folder, QUANTIZED)["outputs"]["o"]
    passes = not report.get("reason")
    return Verdict(report["rel_rms_err"], passes, report["max_abs_err"], 0.0)


def of_peer(fmhac, family, kernel, inputs, directory):
    factors = {name + "_descale": np.float32([1]) for name in "kv"}
    factors["q_descale"] = np.float32([inputs.scale * np.sqrt(DIM)])
    if family == "v3":
        row = next(k for k in fmha_v3_fwd.KERNELS if k.name == kernel)
        made = fmha_v3_fwd.launch_of(row, fmha_v3_fwd.Shape(HEADS, HEADS, [(ROWS, KEYS)]), {},
                                     directory)
    else:
        row = next(k for k in fmha_v4_fwd.KERNELS if k.name == kernel)
        made = fmha_v4_fwd.launch_of(row, (1, HEADS, ROWS, KEYS), {}, directory)
    result = launch.run(fmhac, replace(made, inputs={**inputs.elements, **factors}),
                        ["--check=none"])
    return BF16.values(result.outputs["o"]).reshape(ROWS, HEADS, DIM)


def mask_of(kernel):
    return "causal" if "causal" in kernel else "none"


def schedules(fmhac, types=()):
    """All of ours that serve fp8, or other types, with this head size."""
    names = json.loads(call([fmhac, "list", "--json"]))["schedules"]
    found = []
    for name in names:
        done = subprocess.run([fmhac, "compile", *config(name, "none"), *types, "-o", os.devnull],
                              capture_output=True, text=True)
        if done.returncode == 0:
            found.append(name)
        elif done.returncode != 3:
            sys.exit(f"{name}: exit code {done.returncode}: {done.stderr.strip()}")
    return found


class Bench:
    """Runs kernels, and keeps the elements of each kind for all of them."""

    def __init__(self, fmhac, scale=SCALE):
        self.fmhac, self.scale, self.inputs = fmhac, scale, {}

    def of(self, kind, mask):
        if (kind, mask) not in self.inputs:
            self.inputs[kind, mask] = make_inputs(self.fmhac, kind, mask, self.scale)
        return self.inputs[kind, mask]

    def ours(self, schedule, kind, mask="none", lifted=True):
        inputs = self.of(kind, mask)
        return judge(inputs, of_ours(self.fmhac, schedule, inputs, lifted))

    def peer(self, family, kernel, kind, directory):
        inputs = self.of(kind, mask_of(kernel))
        return judge(inputs, of_peer(self.fmhac, family, kernel, inputs, directory))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True, help="the fmhac command")
    parser.add_argument("--dir", help="hsa/gfx950 of a checkout of ROCm/aiter")
    parser.add_argument("--scale", type=float, default=SCALE, help="of the scores")
    parser.add_argument("--json", help="write everything to this file")
    options = parser.parse_args()
    bench = Bench(options.fmhac, options.scale)
    rows = []
    for name in schedules(options.fmhac):
        rows.append((name, lambda kind, s=name: bench.ours(s, kind)))
        rows.append((name + " without a lift",
                     lambda kind, s=name: bench.ours(s, kind, lifted=False)))
    for name in schedules(options.fmhac, QUANTIZED):
        rows.append((f"{name} with quantize_q",
                     lambda kind, s=name: quantized(bench.fmhac, s, kind, bench.scale)))
    for family, kernel in PEERS if options.dir else []:
        rows.append((f"{family}/{kernel}", lambda kind, f=family, k=kernel:
                     bench.peer(f, k, kind, options.dir)))
    print(f"{'relative rms error, 1e-3':36}" + "".join(f"{kind:>10}" for kind in KINDS)
          + f"{'fixture: O':>12}")
    written = {}
    for name, measure in rows:
        verdicts = written[name] = {kind: measure(kind) for kind in KINDS}
        cells = ["" if v is None else f"{1e3 * v.rel_rms:.2f}" for v in verdicts.values()]
        cells = [text if v is None or v.passes else f"({text})"
                 for text, v in zip(cells, verdicts.values())]
        fixture = verdicts["fixture"]
        print(f"{name:36}" + "".join(f"{text:>10}" for text in cells)
              + (f"{fixture.found:12.4f}" if fixture else ""), flush=True)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump({name: {kind: v and vars(v) for kind, v in verdicts.items()}
                       for name, verdicts in written.items()}, file, indent=1)


if __name__ == "__main__":
    main()
