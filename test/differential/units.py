# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sources of differential kernels: what their `//|` lines ask for, how they are
compiled for both targets, and the job files of the runner."""
import itertools
import os
import re
import struct
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
LEVELS = ["O0", "O1", "O2", "O3"]

# Both sides read a source alike; what IEEE 754 and C leave to the compiler is
# pinned: no contraction, no excess precision, no errno.
COMMON = ["-ffreestanding", "-fno-math-errno", "-fno-strict-aliasing",
          "-ffp-contract=off", "-Wall", "-Wextra", "-Werror",
          "-Wno-unused-function", "-Wno-unknown-warning-option"]
GFX950 = ["-target", "amdgcn-amd-amdhsa", "-mcpu=gfx950", "-nogpulib"]
X86_64 = ["-target", "x86_64-linux-gnu", "-O1", "-fwrapv", "-fPIC", "-shared",
          "-Xclang", "-ffloat16-excess-precision=none",
          "-Xclang", "-fbfloat16-excess-precision=none"]
UBSAN = ["-g", "-fsanitize=undefined,float-cast-overflow",
         "-fno-sanitize=alignment", "-fsanitize-trap=all"]


class Value:
    """A kernel argument by value."""

    def __init__(self, layout, *values, alignment=None):
        self.data = struct.pack("<" + layout, *values)
        self.alignment = alignment or min(len(self.data), 16)

    def line(self):
        return f"value {self.alignment} {self.data.hex()}"


class Buffer:
    """A buffer: elements, what they begin with, how they are compared."""

    def __init__(self, element, count, contents, ulps=0):
        self.element, self.count = element, count
        self.contents, self.ulps = contents, ulps

    def line(self):
        return f"buffer {self.element} {self.contents} {self.count} {self.ulps}"


class Launch:
    def __init__(self, kernel, arguments, grid, block, lds):
        self.kernel, self.arguments = kernel, arguments
        self.grid, self.block, self.lds = grid, block, lds

    def lines(self):
        yield "kernel " + self.kernel
        yield "grid %d %d %d" % self.grid
        yield "block %d %d %d" % self.block
        yield f"lds {self.lds}"
        for argument in self.arguments:
            yield argument.line()


def triple(x):
    x = tuple(x) if isinstance(x, (tuple, list)) else (x,)
    return x + (1,) * (3 - len(x))


class Unit:
    """One source with its launches.

    The `//|` lines are Python. They may call

      launch(kernel, [arguments], grid=1, block=64, lds=0)
      inp(element, count, contents="any")     a buffer that is read
      out(element, count, ulps=0)             one that is written (filled before)
      both(element, count, contents, ulps=0)  one that is read and written
      val(layout, *values)                    by value, struct.pack layout
      gfx950(*flags), x86_64(*flags)          flags of one target
      variant(name, *flags)                   compile and run again with these
                                              gfx950 flags too
    """

    def __init__(self, path, text=None):
        self.path = path
        self.name = os.path.splitext(os.path.basename(path))[0]
        self.launches = []
        self.flags = {"gfx950": [], "x86_64": []}
        self.variants = {"": []}
        if text is None:
            with open(path, encoding="utf-8") as file:
                text = file.read()
        scope = {
            "launch": self._launch,
            "inp": lambda e, n, c="any": Buffer(e, n, c),
            "out": lambda e, n, ulps=0: Buffer(e, n, "fill", ulps),
            "both": Buffer,
            "val": Value,
            "gfx950": lambda *f: self.flags["gfx950"].extend(f),
            "x86_64": lambda *f: self.flags["x86_64"].extend(f),
            "variant": lambda name, *f: self.variants.update({name: list(f)}),
        }
        lines = re.findall(r"(?m)^//\| ?(.*)$", text)
        exec(compile("\n".join(lines), path, "exec"), scope)  # noqa: S102

    def _launch(self, kernel, arguments, grid=1, block=64, lds=0):
        self.launches.append(
            Launch(kernel, arguments, triple(grid), triple(block), lds))

    def kernels(self):
        return sorted({launch.kernel for launch in self.launches})


def language(path):
    # A kernel that uses LDS draws a warning about its own inner function.
    return ["-cl-std=CL2.0", "-w"] if path.endswith(".cl") else []


class CompileError(Exception):
    pass


def _compile(llvm_bin, arguments):
    done = subprocess.run([os.path.join(llvm_bin, "clang")] + arguments,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, check=False)
    if done.returncode:
        raise CompileError("clang " + " ".join(arguments) + "\n" + done.stdout)


def compile_gfx950(llvm_bin, unit, level, flags, output):
    _compile(llvm_bin, GFX950 + COMMON + language(unit.path) + ["-" + level, "-I", HERE]
             + unit.flags["gfx950"] + flags + [unit.path, "-o", output])


def compile_oracle(llvm_bin, unit, ubsan, output):
    _compile(llvm_bin, X86_64 + COMMON + language(unit.path) + ["-I", HERE] + unit.flags["x86_64"]
             + (UBSAN if ubsan else []) + ["-rtlib=compiler-rt", unit.path, "-lm", "-o", output])


# Orders of waves and landings of data: the results must not depend on them.
MODES = [("rr", "default"), ("rr:1", "early"), ("until-blocked", "late"),
         ("random:1", "random"), ("rr:4", "after:1"), ("rr:16", "default"),
         ("rr:7", "random"), ("random:2", "default")]


def cases(unit, code_objects, seeds, modes):
    """(label, lines) of every launch: of each code object, shape and seed."""
    mode = itertools.cycle(modes)
    for name, path in code_objects:
        yield None, [f"module {path}"]
        for shape, launch in enumerate(unit.launches):
            for seed in seeds:
                sched, landing = next(mode)
                label = (f"{unit.name}:{launch.kernel} {name} launch={shape}"
                         f" input={seed} {sched} {landing}")
                yield label, ([f"case {label}"] + list(launch.lines())
                              + [f"seed {seed}", f"sched {sched}",
                                 f"landing {landing}", "run"])
