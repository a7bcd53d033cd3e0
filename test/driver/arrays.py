# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`fmhac run` with the user's own Q, K and V: sizes are those of the arrays where no option says
otherwise, and f32 is rounded to the type of the kernel. What is rounded here is so by Python's
own f16 and, for bf16, by integers: neither is the command's way.
"""
import argparse
import json
import os
import random
import struct
import subprocess
import sys
import tempfile


def write_npy(path, descr, shape, data, fortran=False):
    header = "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }" % (
        descr, fortran, "".join("%d," % n for n in shape))
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)


def bf16(values):
    """To the nearest, ties to even: half of what is cut is added, less one where the last bit
    that stays is 0."""
    bits = struct.unpack("<%dI" % len(values), struct.pack("<%df" % len(values), *values))
    return struct.pack("<%dH" % len(bits), *((b + 0x7FFF + (b >> 16 & 1)) >> 16 for b in bits))


def f16(values):
    return struct.pack("<%de" % len(values), *values)


def some(shape, seed):
    """Unit normal, and every fourth a tie between two numbers of bf16 and of f16."""
    count = 1
    for n in shape:
        count *= n
    draw = random.Random(seed)
    ties = [1 + (2 * i + 1) / 256 for i in range(128)] + [1 + (2 * i + 1) / 2048 for i in range(64)]
    return [draw.choice(ties) * draw.choice((1, -1)) if i % 4 == 0 else draw.gauss(0, 1)
            for i in range(count)]


class Test:
    def __init__(self, fmhac, folder):
        self.fmhac, self.folder, self.failures = fmhac, folder, 0

    def run(self, *flags):
        done = subprocess.run([self.fmhac, "run", "--json", *flags], cwd=self.folder,
                              capture_output=True, text=True)
        self.what = " ".join(flags)
        self.stderr = done.stderr
        self.code = done.returncode
        self.result = json.loads(done.stdout)
        return self.result

    def expect(self, holds, *what):
        if not holds:
            print("FAIL:", self.what, *what, "| exit code", self.code, "|",
                  self.result.get("error"), "|", self.result.get("problem"))
            self.failures += 1

    def passes(self, *flags, **problem):
        result = self.run(*flags)
        self.expect(self.code == 0 and result.get("pass") is True)
        for key, value in problem.items():
            part = result.get("config" if key.startswith("head_dim") else "problem", {})
            self.expect(part.get(key) == value, "expected", key, value)
        path = os.path.join(self.folder, "o.npy")
        if "--o" not in flags or self.code:
            return None
        with open(path, "rb") as file:
            return file.read()

    def refused(self, text, *flags):
        result = self.run(*flags)
        self.expect(self.code == 2 and text in result.get("error", ""), f"expected '{text}'")

    def arrays(self, name, shapes, descr="<u2", pack=bf16):
        """Flags of files of Q, K and V; None: no file."""
        flags = []
        for letter, shape in zip("qkv", shapes):
            if shape:
                path = f"{name}_{letter}.npy"
                write_npy(os.path.join(self.folder, path), descr, shape,
                          pack(some(shape, letter)))
                flags += [f"--{letter}", path]
        return flags

    def lengths(self, name, values):
        write_npy(os.path.join(self.folder, name), "<i4", [len(values)],
                  struct.pack("<%di" % len(values), *values))
        return name


def sizes(t):
    own = t.arrays("own", ([2, 17, 4, 32], [2, 40, 2, 32], [2, 40, 2, 64]))
    given = dict(batch=2, heads=4, kv_heads=2, seqlen_q=17, seqlen_kv=40, head_dim_qk=32,
                 head_dim_v=64)
    flags = [f"--{key.replace('_', '-')}={value}" for key, value in given.items()]
    o = t.passes(*own, "--o", "o.npy", **given)
    t.expect(o == t.passes(*own, *flags, "--o", "o.npy", **given), "not as with flags")
    t.expect(o == t.passes(*own, "--layout=bhsd", "--o", "o.npy", **given), "not as [B,S,H,D]")
    with open(os.path.join(t.folder, "config.json"), "w") as file:
        json.dump({"mask": "causal", "seqlen_kv": 40, "head_dim_v": 64}, file)
    t.passes(*own, "--config", "config.json", **given)
    # What no array says of one side is as on the other, or as ever.
    t.passes(*t.arrays("q", ([1, 17, 3, 32], None, None)), batch=1, heads=3, kv_heads=3, seqlen_q=17,
             seqlen_kv=17, head_dim_qk=32, head_dim_v=32)
    t.passes(*t.arrays("kv", (None, [3, 33, 2, 32], [3, 33, 2, 64])), "--seqlen-q", "5", batch=3,
             heads=2, kv_heads=2, seqlen_q=5, seqlen_kv=33, head_dim_qk=32, head_dim_v=64)
    t.passes(*t.arrays("v", (None, None, [1, 33, 1, 64])), "--heads", "2", heads=2, kv_heads=1,
             seqlen_q=33, head_dim_qk=64)
    # An option, the file of a configuration, and another array contradict.
    t.refused('own_q.npy: seqlen_q 17, but "seqlen_q" is given as 18; leave it out', *own,
              "--seqlen-q", "18")
    t.refused('own_q.npy: seqlen_q 17, but "seqlen_q" is given as 40', *own, "--seqlen", "40")
    t.refused('own_q.npy: heads 4, but "heads" is given as 2', *own, "--heads=2")
    t.refused('own_k.npy: kv_heads 2, but "kv_heads" is given as 4', *own, "--kv-heads=4")
    t.refused('own_v.npy: head_dim_v 64, but "head_dim_v" is given as 32', *own, "--head-dim=32")
    with open(os.path.join(t.folder, "config.json"), "w") as file:
        json.dump({"batch": 3}, file)
    t.refused('own_q.npy: batch 2, but "batch" is given as 3', *own, "--config", "config.json")
    t.refused("odd_k.npy: batch 3, but odd_q.npy has 2",
              *t.arrays("odd", ([2, 17, 4, 32], [3, 40, 2, 32], [2, 40, 2, 32])))
    t.refused("odd_k.npy: head_dim_qk 64, but odd_q.npy has 32",
              *t.arrays("odd", ([2, 17, 4, 32], [2, 40, 2, 64], None)))
    t.refused("odd_v.npy: seqlen_kv 41, but odd_k.npy has 40",
              *t.arrays("odd", ([2, 17, 4, 32], [2, 40, 2, 32], [2, 41, 2, 32])))
    t.refused("expected [B, S, H, D], or [total, H, D] with --cu-seqlens-q and -kv, each at "
              "least 1, found shape [17, 4, 32]", *t.arrays("odd", ([17, 4, 32], None, None)))
    t.refused("found shape [1, 0, 4, 32]", *t.arrays("odd", ([1, 0, 4, 32], None, None)))
    t.refused("heads 3 is no multiple of kv_heads 2",
              *t.arrays("odd", ([1, 9, 3, 32], [1, 9, 2, 32], None)))


def sequences(t):
    """Packed and padded ones: batches follow from their lists."""
    lists = ["--cu-seqlens-q", t.lengths("starts_q.npy", [0, 5, 5, 22]),
             "--cu-seqlens-kv", t.lengths("starts_kv.npy", [0, 33, 40, 57])]
    packed = t.arrays("packed", ([22, 4, 32], [57, 2, 32], [57, 2, 32]))
    given = dict(batch=3, heads=4, kv_heads=2, seqlen_q=17, seqlen_kv=33, head_dim_qk=32)
    t.passes(*lists, *packed, **given)
    t.refused("expected [total, H, D] with --cu-seqlens-q and -kv, each at least 1, found "
              "shape [1, 22, 4, 32]",
              *lists, *t.arrays("odd", ([1, 22, 4, 32], None, None)))
    t.refused("odd_k.npy: expected shape [57, 2, 32], found [58, 2, 32]", *lists,
              *t.arrays("odd", ([22, 4, 32], [58, 2, 32], None)))
    # Packed queries, a padded cache.
    padded = t.arrays("padded", ([22, 4, 32], [3, 40, 2, 32], [3, 40, 2, 32]))
    t.passes(*lists[:2], "--seqlens-kv", t.lengths("rows.npy", [40, 7, 33]), *padded, batch=3,
             heads=4, kv_heads=2, seqlen_q=17, seqlen_kv=40)
    t.refused("padded_k.npy: expected shape [2, 40, 2, 32], found [3, 40, 2, 32]",
              "--seqlens-kv", t.lengths("rows.npy", [40, 7]), *padded[2:])


def elements(t):
    """f32 is rounded, and that is said once."""
    shapes = ([1, 17, 2, 32], [1, 40, 2, 32], [1, 40, 2, 32])
    single = t.arrays("f32", shapes, "<f4", lambda v: struct.pack("<%df" % len(v), *v))
    for dtype, descr, pack in ("bf16", "<u2", bf16), ("f16", "<f2", f16):
        exact = t.passes(*t.arrays(dtype, shapes, descr, pack), "--dtype", dtype, "--o", "o.npy")
        t.expect("rounded" not in t.stderr, "said of what is not rounded")
        rounded = t.passes(*single, "--dtype", dtype, "--o", "o.npy")
        t.expect(exact == rounded, "other results than with", dtype)
        note = (f"fmhac run: note: f32_q.npy, f32_k.npy, f32_v.npy: f32 is rounded to {dtype}, "
                "to the nearest, ties to even\n")
        t.expect(t.stderr.count("rounded") == 1 and note in t.stderr, "expected", note, t.stderr)
        t.passes(*single, "--dtype", dtype, "--quiet")
        t.expect(t.stderr == "", "with --quiet:", t.stderr)
    t.passes(*single[:2], *t.arrays("bf16", shapes)[2:])
    t.expect("note: f32_q.npy: f32 is rounded to bf16" in t.stderr, t.stderr)
    half = t.arrays("f16", shapes, "<f2", f16)
    t.refused("f16_q.npy: expected elements '<u2' (bf16) or '<f4' (f32, which is rounded), found "
              "'<f2' (f16); give --dtype f16", *half)
    whole = t.arrays("i32", shapes, "<i4", lambda v: b"\0" * (4 * len(v)))
    t.refused("i32_q.npy: expected elements '<u2' (bf16) or '<f4' (f32, which is rounded), found "
              "'<i4' (i32)", *whole)
    t.refused("u8_q.npy: expected elements '<u2' (bf16) or '<f4' (f32, which is rounded), found "
              "'|u1' (fp8)", *t.arrays("u8", shapes, "|u1", lambda values: bytes(len(values))))
    t.refused("cannot read none.npy", "--q", "none.npy")
    write_npy(os.path.join(t.folder, "odd.npy"), "<f4", [1, 2, 1, 32], b"\0" * 256, fortran=True)
    t.refused("odd.npy: expected C order", "--q", "odd.npy")


def columns_apart(t):
    """The last columns of K in a file of their own."""
    own = t.arrays("apart", ([1, 9, 4, 96], [1, 33, 4, 64], [1, 33, 4, 64]))
    for heads in 1, 4:
        write_npy(os.path.join(t.folder, f"rope_{heads}.npy"), "<u2", [1, 33, heads, 32],
                  bf16(some([33, heads, 32], heads)))
        t.passes(*own, "--rope-dim=32", f"--k-rope=rope_{heads}.npy", head_dim_qk=96)
    write_npy(os.path.join(t.folder, "rope_2.npy"), "<u2", [1, 33, 2, 32], b"\0" * 33 * 2 * 64)
    t.refused("rope_2.npy: expected shape [1, 33, 1, 32], or 4 heads in the place of 1, found "
              "[1, 33, 2, 32]", *own, "--rope-dim=32", "--k-rope=rope_2.npy")
    # K's file does not count them.
    t.refused("wide_k.npy: head_dim_qk 128 (96 columns, and rope_dim 32), but wide_q.npy has 96",
              *t.arrays("wide", ([1, 9, 4, 96], [1, 33, 4, 96], None)), "--rope-dim=32")
    t.refused('apart_k.npy: head_dim_qk 96 (64 columns, and rope_dim 32), but "head_dim_qk" is '
              'given as 64', *own[2:], "--head-dim-qk=64", "--rope-dim=32")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--fmhac", required=True)
    options = parser.parse_args()
    os.environ.pop("FMHAC_DISPATCH", None)
    with tempfile.TemporaryDirectory() as folder:
        t = Test(options.fmhac, folder)
        sizes(t)
        sequences(t)
        elements(t)
        columns_apart(t)
    print("FAIL" if t.failures else "ok")
    return 1 if t.failures else 0


if __name__ == "__main__":
    sys.exit(main())
