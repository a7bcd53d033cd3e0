# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of code objects on the emulator: buffers, kernel arguments, outputs."""

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass, field

import numpy as np

FILL_BYTE = 0xFF  # outputs start as NaN, so that what is not written shows

SLOT_BYTES = 16   # every argument of these kernels takes one slot


class LaunchFailed(Exception):
    """The emulator could not run the launch."""


@dataclass
class Pointer:
    buffer: str  # name, or "" for a null pointer
    add: int = 0


@dataclass
class F32:
    value: float


def pack_slots(arguments):
    """Arguments in order, a slot each: Pointer, F32 or an unsigned integer -> the
    kernarg entries of LAUNCH.json."""
    entries = []
    for index, value in enumerate(arguments):
        entries.append(entry(index * SLOT_BYTES, value))
    return entries, len(arguments) * SLOT_BYTES


def entry(offset, value):
    if isinstance(value, Pointer):
        if not value.buffer:
            return {"offset": offset, "u64": 0}
        return {"offset": offset, "buffer": value.buffer, "add": value.add}
    if isinstance(value, F32):
        return {"offset": offset, "f32": float(np.float32(value.value))}
    return {"offset": offset, "u32": int(value)}


@dataclass
class Launch:
    code_object: str
    grid: tuple
    block: tuple
    inputs: dict                # name -> array
    outputs: dict               # name -> (shape, dtype), filled with FILL_BYTE
    kernarg: list               # entries of LAUNCH.json
    kernarg_bytes: int
    bases: dict = field(default_factory=dict)  # name -> address it must have
    dynamic_lds: int = 0
    zeroed: tuple = ()          # outputs that a kernel adds to: start as 0 instead
    partly_written: tuple = ()  # outputs whose fill tells what was not written
    followed_by: callable = None  # outputs -> the launch after this one


@dataclass
class Result:
    outputs: dict
    findings: list
    instructions: int
    seconds: float
    workgroups: int


def run(fmhac, launch, options=(), folder=None, filled=True):
    """Runs the launch; raises LaunchFailed with what the emulator said. With `filled`
    false, outputs that need no fill start as nothing that anyone wrote."""
    if folder is None:
        with tempfile.TemporaryDirectory() as temporary:
            return run(fmhac, launch, options, temporary, filled)
    os.makedirs(folder, exist_ok=True)
    buffers = {}
    for name, array in launch.inputs.items():
        np.ascontiguousarray(array).tofile(os.path.join(folder, name + ".bin"))
        buffers[name] = {"file": name + ".bin"}
    for name, (shape, dtype) in launch.outputs.items():
        count = int(np.prod(shape)) * np.dtype(dtype).itemsize
        buffers[name] = {"bytes": count, "out": name + ".out"}
        if name in launch.zeroed:
            buffers[name]["fill"] = 0
        elif filled or name in launch.partly_written:
            buffers[name]["fill"] = FILL_BYTE
    for name, base in launch.bases.items():
        buffers[name]["base"] = hex(base)
    description = {
        "code_object": os.path.abspath(launch.code_object),
        "grid": list(launch.grid), "block": list(launch.block),
        "buffers": buffers, "kernarg": launch.kernarg,
        "kernarg_bytes": launch.kernarg_bytes,
    }
    if launch.dynamic_lds:
        description["dynamic_lds"] = launch.dynamic_lds
    path = os.path.join(folder, "LAUNCH.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(description, file, indent=1)
    started = time.monotonic()
    process = subprocess.run([fmhac, "emu", path, "--json", *options],
                             capture_output=True, text=True)
    elapsed = time.monotonic() - started
    if process.returncode not in (0, 1):
        raise LaunchFailed(process.stderr.strip() or f"exit code {process.returncode}")
    report = json.loads(process.stdout)
    outputs = {
        name: np.fromfile(os.path.join(folder, name + ".out"), dtype).reshape(shape)
        for name, (shape, dtype) in launch.outputs.items()}
    result = Result(outputs, report["findings"], int(report["instructions"]),
                    report.get("seconds") or elapsed, int(report["workgroups"]))
    if launch.followed_by:
        after = run(fmhac, launch.followed_by(outputs), options, os.path.join(folder, "next"),
                    filled)
        result = Result({**outputs, **after.outputs}, result.findings + after.findings,
                        result.instructions + after.instructions,
                        result.seconds + after.seconds, result.workgroups + after.workgroups)
    return result
