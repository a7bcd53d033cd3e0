# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs with mistakes: 1,250 of them, made from good ones by a seed.

  mutants.py --fmhac FILE --all            all of them
  mutants.py --fmhac FILE --every 75       each 75th of every kind
  mutants.py ... --keep DIR                failing inputs are copied there

300 LAUNCH.json (`emu`), 450 code objects (`inspect`, `inspect --waits`, `emu
--coverage`, `emu`), 500 arrays, schedules, functions of scores and configurations
(`run`, `compile`). Grids of more than a thousand workgroups that would be executed become
one: how long they take is no fault. A call fails if it ends by a signal, is still running after
--timeout seconds, has an exit code other than 0 to 4, has 2 or 4 and says nothing on
standard error, has 1 or 3 and says nothing at all (their texts may be the result, on
standard output), or has 0 and prints half of what it should: with --json, which half
of the calls have, standard output must be one object.
"""
import argparse
import collections
import concurrent.futures
import json
import math
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile

LIMIT_BYTES = 6 << 30  # of address space: what an input asks for must not take the machine
FSIZE_BYTES = 1 << 30
PROBLEM = ["--head-dim", "64", "--heads", "1", "--seqlen", "64"]
NUMBERS = ["0", "-1", "1", "2", "3", "255", "65536", "2147483647", "2147483648", "4294967295",
           "4294967296", "18446744073709551615", "1e308", "-0", "0.5", "nan"]
WORDS = ["null", "true", "[]", "{}", "\"\"", "\"x\"", "[[[[[[[[]]]]]]]]", "\"\\u0000\"", "\x00",
         "\x1b[31m", "\ufeff", "%s%n", "é", "\n", "//", "/*", "#", "<", ">", "@", "*", ","]


def mutate_text(rng, text):
    """One to three changes: numbers, words, lines and pieces of a text; in half of the
    cases one number or word, as texts that parse come further."""
    gentle = rng.randrange(2)
    for _ in range(1 if gentle else rng.randint(1, 3)):
        kind = rng.randrange(2 if gentle else 7)
        numbers = list(re.finditer(r"-?\d+", text))
        if kind == 0 and numbers:
            at = rng.choice(numbers)
            text = text[:at.start()] + rng.choice(NUMBERS) + text[at.end():]
        elif kind == 1:
            words = list(re.finditer(r"\w+", text)) or [re.match("", text)]
            at, other = rng.choice(words), rng.choice(words)
            text = text[:at.start()] + other.group() + text[at.end():]
        elif kind == 2:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif kind == 3:
            at = rng.randrange(len(text) + 1)
            text = text[:at] + text[at + rng.randint(1, 40):]
        elif kind == 4:
            text = text[:rng.randrange(len(text) + 1)]
        elif kind == 5:
            lines = text.split("\n")
            at = rng.randrange(len(lines))
            lines[at:at + 1] = lines[at:at + 1] * rng.choice([0, 2, 3, 50])
            text = "\n".join(lines)
        elif text:
            at = rng.randrange(len(text))
            text = text[:at] + chr(rng.randrange(1, 256)) + text[at + 1:]
    return text.encode("utf-8", "surrogateescape")


def mutate_json(rng, text):
    """One to three changes of a JSON text that stays one: values, keys, members."""
    tree = json.loads(text)
    for _ in range(rng.randint(1, 3)):
        places, rest = [], [tree]
        while rest:
            at = rest.pop()
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            places += [(at, key) for key in keys]
            rest += [at[key] for key in keys if isinstance(at[key], (dict, list))]
        if not places:
            break
        at, key = rng.choice(places)
        other, other_key = rng.choice(places)
        kind = rng.randrange(5)
        if kind < 2:
            at[key] = rng.choice([0, 1, -1, 0.5, 255, 2**16, 2**31, 2**32, 2**53, 2**64, 1e300,
                                  None, True, "", "x", "o", "18446744073709551615", [], {}])
        elif kind == 2:
            at[key] = json.loads(json.dumps(other[other_key]))
        elif kind == 3:
            del at[key]
        elif isinstance(at, dict):
            at[rng.choice(["", "x", "bytes", "file", "output", "workgroups"])] = at.pop(key)
        else:
            at.insert(key, json.loads(json.dumps(at[key])))
    return json.dumps(tree, indent=1).encode()


def mutate_bytes(rng, data, head):
    """One to eight changes of bytes, most of them in the first `head` bytes or the last
    4096; or the file is cut, lengthened, or has a piece elsewhere."""
    data = bytearray(data)

    def place():
        near = rng.randrange(3)
        if near == 0:
            return rng.randrange(min(head, len(data)))
        if near == 1:
            return len(data) - 1 - rng.randrange(min(4096, len(data)))
        return rng.randrange(len(data))

    for _ in range(rng.randint(1, 8)):
        kind = rng.randrange(10)
        if not data:
            break
        if kind < 4:
            data[place()] = rng.randrange(256)
        elif kind < 6:
            data[place()] ^= 1 << rng.randrange(8)
        elif kind < 8:
            value, size = rng.choice([(0, 4), (2**32 - 1, 4), (2**31, 4), (2**64 - 1, 8),
                                      (2**63, 8), (len(data), 8), (len(data) - 1, 4)])
            at = place() & ~(size - 1)
            data[at:at + size] = value.to_bytes(size, "little")
        elif kind == 8:
            del data[place():]
        else:
            start, to = place(), place()
            piece = data[start:start + rng.randint(1, 256)]
            data[to:to + len(piece)] = piece
    return bytes(data)


#===- Inputs --------------------------------------------------------------===#


class Inputs:
    """Good inputs, and lists of commands for a mutated one."""

    def __init__(self, fmhac, folder):
        self.fmhac, self.folder = fmhac, folder

        def run(*words):
            return subprocess.run([fmhac, *words], cwd=folder, check=True, text=True,
                                  capture_output=True).stdout

        run("run", *PROBLEM, "--no-compare", "--save-launch", "launch")
        run("compile", "--mask", "causal", "-q", "-o", "big.hsaco")
        launch = os.path.join(folder, "launch")
        self.launch = self.read("launch/LAUNCH.json").decode()
        code = json.loads(self.launch)["code_object"]
        shutil.copy(os.path.join(launch, code), os.path.join(folder, "small.hsaco"))
        self.codes = [self.read("small.hsaco"), self.read("big.hsaco")]
        run("run", *PROBLEM, "--o", "o.npy")
        self.array = self.read("o.npy")
        self.schedules = [run("list", "--print-schedule", name)
                          for name in ("generic", "dualwave")]
        self.score_mod = (
            "fmha.score_mod @f(%s: f32, %r: i32, %k: i32, %h: i32, %b: i32) {\n"
            "  %c = arith.constant 2.5e-01 : f32\n"
            "  %d = arith.subi %r, %k : i32\n"
            "  %e = arith.sitofp %d : i32 to f32\n"
            "  %x = arith.mulf %e, %c : f32\n"
            "  %y = arith.addf %s, %x : f32\n"
            "  fmha.yield %y : f32\n}\n")
        self.config = json.dumps({
            "dtype": "f16", "head_dim": 64, "mask": "window:128,0", "lse": True,
            "softcap": 30, "schedule": "generic if Sk <= 256; auto"}, indent=1)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def launches(self, rng):
        text = rng.choice([mutate_text, mutate_json])(rng, self.launch)
        try:
            description = json.loads(text)
            if math.prod(description["grid"]) > 1000:
                description["grid"] = [1, 1, 1]
                text = json.dumps(description).encode()
        except (ValueError, TypeError, KeyError, OverflowError):
            pass
        return "LAUNCH.json", text, [
            ["emu", "LAUNCH.json", "--max-instructions", "200000"]]

    def code_objects(self, rng):
        code = mutate_bytes(rng, rng.choice(self.codes), 1024)
        grid = json.dumps({"code_object": "k.hsaco", "grid": [1, 1, 1], "block": [256, 1, 1]})
        with_launch = [("k.hsaco", code), ("k.json", grid.encode())]
        return "k.hsaco", with_launch, [
            ["inspect", "k.hsaco"], ["inspect", "--waits", "k.hsaco"],
            ["emu", "--coverage", "k.hsaco"],
            ["emu", "k.json", "--max-instructions", "20000"]]

    def files(self, rng):
        kind = rng.randrange(4)
        if kind == 0:
            return "q.npy", mutate_bytes(rng, self.array, 128), [
                ["run", *PROBLEM, "--q", "q.npy", "--no-compare"]]
        if kind == 1:
            return "s.mlir", mutate_text(rng, rng.choice(self.schedules)), [
                ["compile", "--schedule", "s.mlir", "-o", "x.hsaco"]]
        if kind == 2:
            return "f.mlir", mutate_text(rng, self.score_mod), [
                ["run", *PROBLEM, "--score-mod", "f.mlir"]]
        return "c.json", rng.choice([mutate_text, mutate_json])(rng, self.config), [
            ["compile", "--config", "c.json", "-o", "x.hsaco"]]


KINDS = [("LAUNCH.json", 300, Inputs.launches), ("code object", 450, Inputs.code_objects),
         ("npy, schedule, score_mod, config", 500, Inputs.files)]


#===- Calls ---------------------------------------------------------------===#


def limit(address_space):
    """A sanitizer reserves more address space than any limit leaves it."""
    if address_space:
        resource.setrlimit(resource.RLIMIT_AS, (LIMIT_BYTES, LIMIT_BYTES))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FSIZE_BYTES, FSIZE_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def judge(code, stdout, stderr, as_json):
    """What is wrong with an answer, or None."""
    if code is None:
        return "hang"
    if code < 0:
        return f"signal {-code}"
    if code > 4:
        return f"exit code {code}"
    if code and not stderr.strip() and not (code in (1, 3) and stdout.strip()):
        return "silent failure: no text"
    if not code and not stdout.strip():
        return "silent failure: nothing printed"
    if as_json:
        try:
            if not isinstance(json.loads(stdout), dict):
                return "silent failure: no object"
        except ValueError:
            return "silent failure: half an object"
    return None


def call(inputs, folder, words, options):
    try:
        done = subprocess.run([inputs.fmhac, *words], cwd=folder, capture_output=True,
                              stdin=subprocess.DEVNULL, timeout=options.timeout,
                              preexec_fn=lambda: limit(not options.sanitized),
                              check=False)
    except subprocess.TimeoutExpired:
        return None, "", ""
    return (done.returncode, done.stdout.decode("utf-8", "replace"),
            done.stderr.decode("utf-8", "replace"))


def one(inputs, kind, index, options):
    """The answers to one mutated input: (exit code or "hang", what is wrong, words)."""
    title, _, make = KINDS[kind]
    rng = random.Random(f"{options.seed} {title} {index}")
    name, content, commands = make(inputs, rng)
    answers = []
    with tempfile.TemporaryDirectory(dir=inputs.folder) as folder:
        for file in os.listdir(os.path.join(inputs.folder, "launch")):
            if file != "LAUNCH.json":
                shutil.copy(os.path.join(inputs.folder, "launch", file), folder)
        for path, data in content if isinstance(content, list) else [(name, content)]:
            with open(os.path.join(folder, path), "wb") as file:
                file.write(data)
        for number, words in enumerate(commands):
            as_json = (index + number) % 2 == 1
            words = [*words, "--json"] if as_json else words
            code, stdout, stderr = call(inputs, folder, words, options)
            wrong = judge(code, stdout, stderr, as_json)
            answers.append(("hang" if code is None else code, wrong, words, stderr))
        if options.keep and any(wrong for _, wrong, _, _ in answers):
            shutil.copytree(folder, os.path.join(options.keep, f"{kind}-{index}"),
                            symlinks=True, dirs_exist_ok=True)
    return title, index, answers


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--every", type=int, default=75, help="each Nth input (default 75)")
    parser.add_argument("--all", action="store_true", help="as --every 1")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=120, help="seconds a call")
    parser.add_argument("--sanitized", action="store_true", help="no limit of address space")
    parser.add_argument("--keep", help="folder for inputs that fail")
    options = parser.parse_args()
    every = 1 if options.all else options.every
    counts = {title: collections.Counter() for title, _, _ in KINDS}
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        inputs = Inputs(os.path.abspath(options.fmhac), folder)
        wanted = [(kind, index) for kind, (_, count, _) in enumerate(KINDS)
                  for index in range(0, count, every)]
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for title, index, answers in pool.map(
                    lambda one_of: one(inputs, *one_of, options), wanted):
                counts[title]["inputs"] += 1
                for code, wrong, words, stderr in answers:
                    counts[title][code] += 1
                    counts[title]["calls"] += 1
                    if wrong:
                        bad += 1
                        counts[title]["wrong"] += 1
                        print(f"FAIL {title} {index}: fmhac {' '.join(words)}: {wrong}\n"
                              f"  {stderr.strip()[:600]}", flush=True)
    columns = ["inputs", "calls", 0, 1, 2, 3, 4, "wrong"]
    print(f"{'':34}" + "".join(f"{'exit ' + str(c) if isinstance(c, int) else c:>8}"
                               for c in columns))
    for title, counter in counts.items():
        print(f"{title:34}" + "".join(f"{counter[c]:8}" for c in columns))
    print(f"{sum(c['inputs'] for c in counts.values())} inputs, "
          f"{sum(c['calls'] for c in counts.values())} calls, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
