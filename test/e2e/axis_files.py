# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that `fmhac run` reads for a row of axes.py: lengths, sinks, biases, score
functions. All are derived from the row; nothing here is random between runs."""
import array
import math
import random
import struct

# A prime number of values, so that rows and heads of a bias do not repeat them.
POOL = 4099

DECAY = """\
fmha.score_mod @decay(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %d = arith.subi %row, %key : i32
  %f = arith.sitofp %d : i32 to f32
  %a = math.absf %f : f32
  %c = arith.constant -0.0625 : f32
  %e = arith.mulf %a, %c : f32
  %h = arith.addi %head, %batch : i32
  %g = arith.sitofp %h : i32 to f32
  %t = math.tanh %g : f32
  %u = arith.addf %e, %t : f32
  %r = arith.addf %score, %u : f32
  fmha.yield %r : f32
}
"""
# Rows 0, 5, 10, … see nothing, the others every third key.
HIDE = """\
fmha.score_mod @hide(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %hidden = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %five = arith.constant 5 : i32
  %k = arith.remsi %key, %three : i32
  %q = arith.remsi %row, %five : i32
  %off = arith.cmpi ne, %k, %zero : i32
  %none = arith.cmpi eq, %q, %zero : i32
  %s = arith.select %off, %hidden, %score : f32
  %r = arith.select %none, %hidden, %s : f32
  fmha.yield %r : f32
}
"""
SCORE_MODS = {"decay": DECAY, "hide": HIDE}


def write_npy(path, descr, shape, data):
    """`data` holds the bytes of the elements, little endian."""
    dims = "".join(f"{size}, " for size in shape)
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)))
        file.write(header.encode() + data)


def read_npy(path):
    """The bytes of the elements."""
    with open(path, "rb") as file:
        content = file.read()
    return content[10 + struct.unpack_from("<H", content, 8)[0]:]


def write_i32(path, values):
    write_npy(path, "<i4", [len(values)], struct.pack(f"<{len(values)}i", *values))


def write_f32(path, shape, values):
    write_npy(path, "<f4", shape, array.array("f", values).tobytes())


def q_lengths(kind, batch, longest):
    """Rows in use of each sequence of Q, or None. With three sequences, one has no
    rows and (see kv_lengths) another no keys."""
    if kind == "dense":
        return None
    if batch == 1:
        return [longest if kind == "varlen" else longest - longest // 3]
    if batch == 2:
        return [longest, longest // 3]
    return [longest, longest // 2, 0]


def kv_lengths(kind, batch, longest):
    if kind == "dense":
        return None
    if batch == 1:
        return [longest if kind == "varlen" else longest - longest // 3]
    if batch == 2:
        return [longest // 2, longest] if kind == "varlen" else [longest, 0]
    return [longest // 2, 0, longest]


def write_lengths(path, kind, lengths):
    if kind == "varlen":
        lengths = [sum(lengths[:i]) for i in range(len(lengths) + 1)]
    write_i32(path, lengths)


def write_sink(path, kind, heads):
    values = {"normal": [0.5, -2.0, 3.0], "large": [25.0, 20.0, -60.0],
              "-inf": [-math.inf, 1.5, -math.inf, -1.0]}[kind]
    write_f32(path, [heads], [values[h % len(values)] for h in range(heads)])


# A mask as a bias: by -inf, and by the least float, which is a score like others.
HIDING = {"hidden": -math.inf, "least": -(2 - 2 ** -23) * 2.0 ** 127}


def bias_shape(kind, batch, heads, rows, keys):
    """`kind` names the dimensions that are not broadcast: letters of "bhq"."""
    letters = "bhq" if kind in HIDING else kind
    sizes = zip("bhq", (batch, heads, rows))
    return [size if letter in letters else 1 for letter, size in sizes] + [keys]


def write_bias(path, kind, batch, heads, rows, keys):
    shape = bias_shape(kind, batch, heads, rows, keys)
    count = math.prod(shape)
    source = random.Random(kind)
    pool = array.array("f", (source.gauss(0, 2) for _ in range(POOL)))
    values = (pool * (count // POOL + 1))[:count]
    if kind in HIDING:
        hide(values, shape, HIDING[kind])
    write_f32(path, shape, values)


def hide(values, shape, hidden):
    """`hidden`: all of every fourth row; the first keys, beyond a tile, of the next; the
    last keys of the one after that; single keys of the fourth."""
    keys, gone = shape[3], array.array("f", [hidden])
    for row in range(math.prod(shape[:3])):
        at, kind = row * keys, row % 4
        if kind == 0:
            values[at:at + keys] = gone * keys
        elif kind == 1:
            most = min(keys - 1, 70)
            values[at:at + most] = gone * most
        elif kind == 2:
            values[at + keys // 2 + 1:at + keys] = gone * (keys - keys // 2 - 1)
        else:
            for key in range(row % 7, keys, 7):
                values[at + key] = hidden


def factors_shape(kind, packed_rows, batch, rows, heads, block):
    """Of a file of factors by tensor, head, token or block; packed_rows: None if sequences
    are not packed. Heads of three batches share theirs."""
    if kind == "tensor":
        return [1]
    if kind == "head":
        return [1 if batch == 3 else batch, heads]
    if kind == "token":
        return [batch, rows, heads] if packed_rows is None else [packed_rows, heads]
    return [batch, -(-rows // block), heads]


def write_factors(path, operand, shape):
    """Magnitudes of 1/4 to 1, each sign; of many one in 50 is 0."""
    count = math.prod(shape)
    source = random.Random(operand)
    pool = array.array("f", (
        0.0 if count > 64 and source.random() < 0.02
        else math.copysign(2.0 ** source.uniform(-2, 0), source.random() - 0.3)
        for _ in range(POOL)))
    write_f32(path, shape, (pool * (count // POOL + 1))[:count])


def write_score_mod(path, kind):
    with open(path, "w", encoding="ascii") as file:
        file.write(SCORE_MODS[kind])
