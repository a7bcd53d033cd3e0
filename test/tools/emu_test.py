# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs one assembly test of the emulator.

    emu_test.py --llvm-bin DIR --fmhac PATH [--opt=-O2] [--keep DIR] TEST

TEST.s is assembled (TEST.cl compiled by clang), linked, run with `fmhac emu`, and what
the emulator wrote is compared with what the comments of the test say it must write.
test/emu/README.md describes the comments. Exit code 0: as expected. 1: not. 2: the test
itself is broken (it does not assemble, its Python fails).
"""

import argparse
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import emu_numbers as numbers  # noqa: E402

SENTINEL = 0xA5
REPORTED_COLUMNS, REPORTED_LANES = 24, 3
TIMEOUT_SECONDS = 60

SCHEDS = ["rr", "rr:1", "until-blocked", "random:1", "random:2", "random:3"]
LANDINGS = ["default", "early", "late", "random:1"]


class Broken(Exception):
    """The test is wrong, not the emulator."""


class Failed(Exception):
    """The emulator does not do what the test expects."""


class Column:
    def __init__(self, label, values, ulp=0):
        self.label, self.values, self.ulp = label, values, ulp


class Test:
    """What the comments of one test say."""

    def __init__(self, path, text, defines=()):
        self.path = path
        self.lanes = 64
        self.grid = [1, 1, 1]
        self.block = None
        self.inputs = []
        self.names = {}
        self.columns = []
        self.extra_kernarg = []
        self.buffers = {}
        self.raw = []
        self.exit_code = 0
        self.findings = []
        self.checks = None
        self.matrix_runs = [("rr", "default")]
        self.defines = dict(defines)
        self.launch_edit = None
        self.args = []
        self.stderr_has = []
        self.in_base = None
        self.written = True
        self.source = path
        self.mcpu = None
        self.prepare_hook = None
        self.dynamic_lds = 0
        self._line = 0
        self.scope = {k: v for k, v in vars(numbers).items()
                      if not k.startswith("_")}
        for name in ("inputs", "expect", "expect64", "kernarg", "buffer",
                     "expect_buffer", "finding", "exit_code", "checks", "matrix",
                     "launch", "error", "options", "in_buffer", "no_output",
                     "source", "prepare"):
            self.scope[name] = getattr(self, "say_" + name)
        self.scope.update(self.defines)
        self.scope["LANE"] = list(range(64))
        self.scope["column_bytes"] = column_bytes
        self._read(text)

    # --- the vocabulary of the `//|` lines -----------------------------------

    def say_launch(self, block=None, grid=None, dynamic_lds=0, edit=None):
        if block is not None:
            self.block = block if isinstance(block, list) else [block, 1, 1]
            self.lanes = self.block[0] * self.block[1] * self.block[2]
            self.scope["LANE"] = list(range(self.lanes))
        if grid is not None:
            self.grid = grid if isinstance(grid, list) else [grid, 1, 1]
        self.dynamic_lds = dynamic_lds
        self.launch_edit = edit

    def say_source(self, name, mcpu=None):
        """The program is another file, of test/emu/Inputs."""
        self.mcpu = mcpu
        here = os.path.dirname(os.path.abspath(__file__))
        self.source = os.path.join(here, "..", "emu", "Inputs", name)

    def say_prepare(self, hook):
        """hook(directory) runs when every file of the launch is in place."""
        self.prepare_hook = hook

    def say_inputs(self, *columns, **named):
        for name, values in [(None, c) for c in columns] + list(named.items()):
            values = [self._bits(v) for v in values]
            values = [values[i % len(values)] for i in range(self.lanes)]
            if name:
                self.names[name] = values
            self.inputs.append(values)

    def say_in_buffer(self, data, base=None):
        """Raw bytes instead of columns."""
        self.inputs = bytes(data)
        self.in_base = base

    def say_expect(self, label, values, ulp=0):
        values = list(values)
        if len(values) != self.lanes:
            raise Broken(f"{label}: {len(values)} values for {self.lanes} lanes")
        self.columns.append(Column(label, [v if v is None or isinstance(v, float)
                                           else v & numbers.U32 for v in values],
                                   ulp))

    def say_expect64(self, label, values):
        values = list(values)
        self.say_expect(label + " lo", [None if v is None else v & numbers.U32
                                        for v in values])
        self.say_expect(label + " hi", [None if v is None else v >> 32
                                        for v in values])

    def say_kernarg(self, **entry):
        """kernarg(offset=16, u32=7) and so on, as in LAUNCH.json."""
        self.extra_kernarg.append(entry)

    def say_buffer(self, name, data=None, bytes=None, fill=None, base=None,
                   out=False):
        self.buffers[name] = dict(data=data, bytes=bytes, fill=fill, base=base,
                                  out=out)

    def say_expect_buffer(self, name, data):
        self.raw.append((name, data))

    def say_finding(self, check, instruction=None, other=None, message=(), count=None):
        if isinstance(message, str):
            message = (message,)
        self.findings.append((check, instruction, other, tuple(message), count))
        if self.exit_code == 0:
            self.exit_code = 1

    def say_exit_code(self, code):
        self.exit_code = code

    def say_error(self, code, *texts):
        """The launch does not run: this exit code, these texts on stderr."""
        self.exit_code = code
        self.stderr_has += texts
        self.written = False

    def say_no_output(self):
        """Nothing is promised about the output."""
        self.written = None

    def say_checks(self, checks):
        self.checks = checks

    def say_options(self, *args):
        self.args += args

    def say_matrix(self, full=False):
        """The same bytes under every order of waves and landing of data."""
        if full:
            self.matrix_runs = [(s, l) for s in SCHEDS for l in LANDINGS]
        else:
            self.matrix_runs = ([(s, "default") for s in SCHEDS] +
                                [("rr", l) for l in LANDINGS[1:]] +
                                [("random:1", "random:2"),
                                 ("until-blocked", "late")])

    # --- reading ---------------------------------------------------------------

    @staticmethod
    def _bits(value):
        if isinstance(value, float):
            return numbers.b32(value)
        return value & numbers.U32

    def _read(self, text):
        lines = text.split("\n")
        i = 0
        while i < len(lines):
            line = lines[i]
            self._line = i + 1
            if line.startswith("//|"):
                chunk = []
                start = i
                while i < len(lines) and lines[i].startswith("//|"):
                    chunk.append(lines[i][4:])
                    i += 1
                self._exec("\n" * start + "\n".join(chunk))
                continue
            m = re.match(r"\s*(OUTPUT\w*)\s+([^/]*?)\s*//\s*==\s*(.*)$", line)
            if m:
                self._lane_expression(m.group(1), m.group(2), m.group(3))
            i += 1

    def _exec(self, source):
        try:
            exec(compile(source, self.path, "exec"), self.scope)  # noqa: S102
        except Broken:
            raise
        except Exception as error:
            raise Broken(f"{self.path}: {type(error).__name__}: {error}")

    def _lane_expression(self, macro, operands, source):
        m = re.match(r"(.*?)\s*;\s*ulp\s*(\d+)\s*$", source)
        ulp = 0
        if m:
            source, ulp = m.group(1), int(m.group(2))
        try:
            code = compile(source, f"{self.path}:{self._line}", "eval")
            values = []
            for lane in range(self.lanes):
                scope = dict(self.scope)
                scope["lane"] = lane
                for name, column in self.names.items():
                    scope[name] = column[lane]
                value = eval(code, scope)  # noqa: S307
                if isinstance(value, bool):
                    value = int(value)
                values.append(value)
        except Exception as error:
            raise Broken(f"{self.path}:{self._line}: {type(error).__name__}: {error}")
        label = f"{operands.strip()} (line {self._line}: {source})"
        if macro.endswith("64"):
            self.say_expect64(label, values)
        else:
            self.say_expect(label, values, ulp)


# --- running ---------------------------------------------------------------------


def tool(args, **kwargs):
    done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          universal_newlines=True, **kwargs)
    if done.returncode:
        raise Broken(f"{' '.join(args)}\n{done.stdout}")


def build(test, options, workdir):
    here = os.path.dirname(os.path.abspath(__file__))
    includes = [os.path.dirname(os.path.abspath(test.path)),
                os.path.join(here, "..", "emu", "Inputs")]
    obj = os.path.join(workdir, "k.o")
    hsaco = os.path.join(workdir, "k.hsaco")
    if test.source.endswith(".cl"):
        tool([os.path.join(options.llvm_bin, "clang"), "-x", "cl", "-cl-std=CL2.0",
              "-target", "amdgcn-amd-amdhsa", "-mcpu=" + (test.mcpu or options.mcpu),
              "-nogpulib", "-Xclang", "-finclude-default-header", "-w", options.opt,
              test.source, "-o", hsaco])
        return
    tool([os.path.join(options.llvm_bin, "llvm-mc"),
          "-triple=amdgcn-amd-amdhsa", "-mcpu=" + (test.mcpu or options.mcpu), "-filetype=obj"] +
         [f"--defsym={name}={value}" for name, value in test.defines.items()] +
         [a for d in includes for a in ("-I", d)] + [test.source, "-o", obj])
    tool([os.path.join(options.llvm_bin, "ld.lld"), "-shared", obj, "-o", hsaco])


def column_bytes(columns):
    return b"".join(struct.pack("<%dI" % len(c), *c) for c in columns)


def write_launch(test, workdir):
    buffers = {}
    if isinstance(test.inputs, bytes):
        data = test.inputs
    else:
        data = column_bytes(test.inputs)
    if not data:
        data = b"\0" * 256
    with open(os.path.join(workdir, "in.bin"), "wb") as f:
        f.write(data)
    buffers["probe_in"] = {"bytes": len(data), "file": "in.bin"}
    if test.in_base:
        buffers["probe_in"]["base"] = test.in_base
    # one column more than expected: a stray write shows as a change there
    out_bytes = (len(test.columns) + 1) * test.lanes * 4
    buffers["probe_out"] = {"bytes": out_bytes, "fill": SENTINEL, "out": "out.bin"}
    for name, b in test.buffers.items():
        entry = {}
        if b["data"] is not None:
            with open(os.path.join(workdir, name + ".in.bin"), "wb") as f:
                f.write(bytes(b["data"]))
            entry["bytes"] = len(b["data"])
            entry["file"] = name + ".in.bin"
        else:
            entry["bytes"] = b["bytes"]
            if b["fill"] is not None:
                entry["fill"] = b["fill"]
        if b["base"]:
            entry["base"] = b["base"]
        if b["out"]:
            entry["out"] = name + ".out.bin"
        buffers[name] = entry
    kernarg = [{"offset": 0, "buffer": "probe_in"}, {"offset": 8,
                "buffer": "probe_out"}]
    kernarg += test.extra_kernarg
    launch = {"code_object": "k.hsaco", "kernel": "test_kernel", "grid": test.grid,
              "block": test.block or [test.lanes, 1, 1],
              "dynamic_lds": test.dynamic_lds, "buffers": buffers,
              "kernarg": kernarg, "kernarg_bytes": 256}
    if test.launch_edit:
        test.launch_edit(launch)
    with open(os.path.join(workdir, "LAUNCH.json"), "w") as f:
        json.dump(launch, f, indent=1)


def show(bits):
    return "0x%08x (%d, %.9g)" % (bits, numbers.i32(bits), numbers.f32(bits))


def same(expected, found, ulp):
    """One dword. None: anything; float: as f32, any NaN for NaN; int: bits."""
    if expected is None:
        return True
    if isinstance(expected, float):
        if math.isnan(expected):
            return numbers.is_nan32(found)
        exact = numbers.b32(expected)
        if found == exact:
            return True
        if not ulp or numbers.is_nan32(found) or math.isinf(expected):
            return False
        if expected == 0:
            return False  # an exact zero has one spelling
        # distance of the found value from the real one, in units of its last place
        value = numbers.f32(found)
        if math.isinf(value):
            value = math.copysign(2.0 ** 128, value)
        _, exponent = math.frexp(expected)
        unit = math.ldexp(1.0, max(exponent - 24, -149))
        return abs(value - expected) <= ulp * unit
    if ulp:
        return abs(numbers.ordered32(expected) - numbers.ordered32(found)) <= ulp
    return expected == found


def compare_columns(test, data, report):
    lanes = test.lanes
    found = struct.unpack("<%dI" % (len(data) // 4), data)
    columns_bad = 0
    for c, column in enumerate(test.columns):
        bad = [lane for lane in range(lanes)
               if not same(column.values[lane], found[c * lanes + lane], column.ulp)]
        if not bad:
            continue
        columns_bad += 1
        if columns_bad > REPORTED_COLUMNS:
            continue
        report.append(f"  output {c} {column.label}: {len(bad)} of {lanes} lanes differ")
        for lane in bad[:REPORTED_LANES]:
            want = column.values[lane]
            want = ("%r as f32 %s" % (want, show(numbers.b32(want)))
                    if isinstance(want, float) else show(want))
            given = "  ".join("%s=0x%08x" % (n, v[lane])
                              for n, v in test.names.items())
            report.append(f"    lane {lane}: expected {want}, found "
                          f"{show(found[c * lanes + lane])}"
                          + (f"\n      inputs {given}" if given else ""))
    if columns_bad > REPORTED_COLUMNS:
        report.append(f"  ... {columns_bad} outputs differ in all")
    sentinel = SENTINEL * 0x01010101
    for i in range(len(test.columns) * lanes, len(found)):
        if found[i] != sentinel:
            report.append(f"  written past the last output: dword {i} = "
                          f"{show(found[i])}")
            break


FINDING_FIELDS = {"check": str, "message": str, "pc": int, "instruction": str,
                  "workgroup": list, "wave": int, "count": int}


def compare_findings(test, found, report):
    left = list(found)
    for f in found:
        for field, kind in FINDING_FIELDS.items():
            if not isinstance(f.get(field), kind):
                report.append(f"  finding without a proper {field!r}: "
                              + json.dumps(f))
    for check, instruction, other, message, count in test.findings:
        for f in left:
            text = f.get("message", "")
            if (f.get("check") == check
                    and (instruction is None
                         or instruction in (f.get("instruction") or ""))
                    and (other is None
                         or other in (f.get("other_instruction") or ""))
                    and (count is None or f.get("count") == count)
                    and all(m in text for m in message)):
                left.remove(f)
                break
        else:
            report.append(f"  no finding: check {check!r}, instruction "
                          f"{instruction!r}, other {other!r}, message {message!r}"
                          f", count {count!r}")
    for f in left:
        report.append("  unexpected finding: " + json.dumps(f))


def run_once(test, options, workdir, sched, landing):
    out = os.path.join(workdir, "out.bin")
    if os.path.exists(out):
        os.remove(out)
    args = [options.fmhac, "emu", os.path.join(workdir, "LAUNCH.json"), "--json"]
    if (sched, landing) != ("rr", "default"):
        args += ["--sched=" + sched, "--landing=" + landing]
    if test.checks:
        args.append("--check=" + test.checks)
    args += test.args
    try:
        done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=TIMEOUT_SECONDS)
    except OSError as error:
        raise Broken(f"{options.fmhac}: {error}")
    except subprocess.TimeoutExpired:
        raise Failed(f"  {' '.join(args)}: still running after "
                     f"{TIMEOUT_SECONDS} s")
    stderr = done.stderr.decode("utf-8", "replace")
    report = []
    if done.returncode != test.exit_code:
        report.append(f"  exit code: expected {test.exit_code}, found "
                      f"{done.returncode}\n  stderr: {stderr.strip()[:2000]}")
    for text in test.stderr_has:
        if text not in stderr:
            report.append(f"  stderr lacks {text!r}: {stderr.strip()[:2000]}")
    if test.written is False:
        # The line of a file that the error is in comes after it, with a caret.
        errors = [line for line in stderr.split("\n")
                  if line.strip() and not re.match(r"[ \d]{5} \| ", line)]
        if test.exit_code == 2 and len(errors) != 1:
            report.append(f"  expected one error on stderr: {stderr[:2000]}")
        if test.exit_code == 2 and os.path.exists(out):
            report.append("  an output file was written by a launch that did not run")
        if report:
            raise Failed("\n".join(report))
        return None
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        answer = None
        report.append("  stdout is not one JSON object: "
                      + repr(done.stdout[:500]))
    if answer is not None:
        findings = answer.get("findings")
        if not isinstance(findings, list):
            report.append("  the JSON has no array `findings`")
            findings = []
        compare_findings(test, findings, report)
        if answer.get("ok") is not (test.exit_code == 0):
            report.append(f"  the JSON says ok = {answer.get('ok')!r}")
    data = None
    if test.written:
        if not os.path.exists(out):
            report.append("  out.bin was not written")
        else:
            with open(out, "rb") as f:
                data = f.read()
            compare_columns(test, data, report)
            for name, want in test.raw:
                with open(os.path.join(workdir, name + ".out.bin"), "rb") as f:
                    have = f.read()
                if have != bytes(want):
                    at = next((i for i, (x, y) in enumerate(zip(have, bytes(want)))
                               if x != y), min(len(have), len(want)))
                    report.append(f"  buffer {name}: first difference at byte {at}: "
                                  f"expected {bytes(want)[at:at + 16].hex()}, found "
                                  f"{have[at:at + 16].hex()}")
    if report:
        raise Failed("\n".join(report))
    return data


def write_files(test, options, workdir):
    """The code object, LAUNCH.json and the bytes of its buffers."""
    build(test, options, workdir)
    write_launch(test, workdir)
    if test.prepare_hook:
        test.prepare_hook(workdir)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--mcpu", default="gfx950")
    parser.add_argument("--opt", default="-O2", help="optimisation of a .cl test")
    parser.add_argument("--assemble-only", action="store_true",
                        help="check the test, do not run it")
    parser.add_argument("--keep", help="leave the files of the run there")
    parser.add_argument("--define", action="append", default=[], metavar="NAME=NUMBER",
                        help="a symbol of the program and a name in its comments")
    parser.add_argument("test")
    options = parser.parse_args()
    defines = {name: int(value) for name, _, value in (d.partition("=") for d in options.define)}
    with open(options.test) as f:
        text = f.read()
    workdir = options.keep or tempfile.mkdtemp(prefix="emu-test-")
    os.makedirs(workdir, exist_ok=True)
    try:
        test = Test(options.test, text, defines)
        write_files(test, options, workdir)
        if options.assemble_only:
            return 0
        failures = 0
        first = None
        for sched, landing in test.matrix_runs:
            try:
                data = run_once(test, options, workdir, sched, landing)
                if first is None:
                    first = data
                elif data != first:
                    raise Failed("  the output differs from the first run's")
            except Failed as failure:
                failures += 1
                print(f"{options.test}: --sched={sched} --landing={landing}\n{failure}")
                if failures == 3:
                    break
        return 1 if failures else 0
    except Broken as broken:
        print(f"{options.test}: the test is broken\n{broken}")
        return 2
    finally:
        if not options.keep:
            shutil.rmtree(workdir, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
