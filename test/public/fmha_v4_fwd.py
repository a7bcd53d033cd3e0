# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""hsa/gfx950/fmha_v4_fwd: dense attention of fp8, int8, fp6 and fp4, head size 128.

Arguments: struct FmhaV4Kernarg and fmha_v4_fwd in csrc/py_itfs_cu/asm_mha_v4_fwd.cu; rows:
hsa/gfx950/fmha_v4_fwd/fmha_v4_fwd.csv. Layouts: K in MXFP4 and MXFP6, csrc/kernels/
mha_v4_quant.cu; V in MXFP6, aiter/ops/triton/quant/mxfp6_fmha_pack.py (_pack_v_fp6_kernel,
_v_direct_kvtab); V in MXFP4, _f4f4_v_kperm in sage_attention_quant_wrappers.py and
sage_quant_v_mxfp4_colmajor_kernel in _triton_kernels/quant/sage_attention_quant.py; views
and which recipe takes which, aiter/ops/mha_v4.py. Elements and scales are drawn here in
their formats; the quantisation itself is not what is tested.
"""

import os
from dataclasses import dataclass

import numpy as np

from case import Case, Check, generator
from formats import BF16, E2M1, E2M3, FP8, INT8
from launch import F32, Launch, Pointer, pack_slots
from reference import FAST_EXP2_BIAS, attention, linear_exp2

FOLDER = "fmha_v4_fwd"
D, TILE_Q, TILE_K, BLOCK = 128, 256, 128, 32  # BLOCK elements share an E8M0 scale


@dataclass
class Eighths:
    """P at once as the code of an fp8 (v_cvt_pk_u8_f32): 8 x + bias is a line between
    powers of two and has no room below 2^-10. Accumulators of the first and of a partial
    last tile start at 1.0, an eighth of an octave; `later` and `tail` is what the kernel
    forgets to take back, in eighths. Constants of the code objects."""
    bias: float
    later: float
    tail: float


SCHRAUDOLPH = Eighths(float(np.uint32(0x425E2500).view(np.float32)), 0, 1)


@dataclass
class Kernel:
    name: str
    qk: str  # fp8 int8: one scale a tensor; mxfp8 mxfp6 mxfp4: a scale for 32 channels
    v: str   # fp8: one scale; fp8c: one a channel; mxfp6 mxfp4: one for 32 keys
    # None: P as the bits of an f32 (v_cvt_u32_f32), then rounded to fp8.
    eighths: Eighths = None


KERNELS = [Kernel("fwd_hd128_fp8", "fp8", "fp8"), Kernel("fwd_hd128_i8fp8", "int8", "fp8"),
           Kernel("fwd_hd128_mxfp8", "mxfp8", "fp8"),
           Kernel("fwd_hd128_f8f6", "fp8", "mxfp6"),
           Kernel("fwd_hd128_mxfp6", "mxfp6", "fp8c", SCHRAUDOLPH),
           Kernel("fwd_hd128_f6f4", "mxfp6", "mxfp4", SCHRAUDOLPH),
           Kernel("fwd_hd128_mxfp4", "mxfp4", "fp8c", SCHRAUDOLPH),
           Kernel("fwd_hd128_f4f4", "mxfp4", "mxfp4", Eighths(56.0, -1, 0))]
SHAPES = [(1, 2, 256, 256), (2, 2, 300, 333)]  # B, H, Sq, Sk
# Descriptors of V, in fwd_hd128_f4f4 those of K, end at Sk times the stride from token to
# token, which cuts off bytes of the last tile that hold keys before Sk (they have no
# effect on the output): only whole tiles where V is in tiles.
SHAPES_TILED_V = [(1, 2, 256, 256), (2, 2, 300, 384)]
SLACK = 16  # bytes after the scales of K: kernels read them once from one byte on

ELEMENTS = {"fp8": FP8, "mxfp8": FP8, "mxfp6": E2M3, "mxfp4": E2M1, "int8": INT8}
BITS = {"fp8": 8, "mxfp8": 8, "mxfp6": 6, "mxfp4": 4, "int8": 8}


@dataclass
class Tiles:
    """K or V as tiles of TILE_K tokens: the stride from token to token that the host
    passes, a tile, what lies after the last one."""
    token_bytes: int
    tile_bytes: int
    slack_bytes: int


TILED_K = {"mxfp4": Tiles(64, 8192, 0), "mxfp6": Tiles(136, 17408, 256)}
TILED_V = {"mxfp4": Tiles(64, 8192, 64), "mxfp6": Tiles(96, 12288, 256)}
V_SCALE_TILE_BYTES = 512


@dataclass
class View:
    """A tensor as the host passes it. Strides: from token to token, head to head and
    batch to batch; of descales from batch to batch and head to head, 0 where one number
    does (set_descale_strides of the host)."""
    size_bytes: int
    strides_bytes: tuple


def rows_view(batch, length, heads, row_bytes):
    token = heads * row_bytes
    return View(batch * length * token, (token, row_bytes, length * token))


def tiles_view(tiles, batch, length, heads):
    head = tiles_of(length) * tiles.tile_bytes
    return View(batch * heads * head + tiles.slack_bytes, (tiles.token_bytes, head, heads * head))


def views(kernel, shape):
    """Inputs of a launch: name -> View."""
    b, h, sq, sk = shape
    row = D * BITS[kernel.qk] // 8
    q, k, v = (rows_view(b, sq, h, row), rows_view(b, sk, h, row), rows_view(b, sk, h, D))
    if kernel.qk in TILED_K:
        k = tiles_view(TILED_K[kernel.qk], b, sk, h)
    one = View(np.dtype(np.float32).itemsize, (0, 0))
    q_descale = k_descale = v_descale = one
    if is_mx(kernel.qk):
        token = h * D // BLOCK
        q_descale = View(b * sq * token, (sq * token, D // BLOCK))
        k_descale = View(b * sk * token + SLACK, (sk * token, D // BLOCK))
    if kernel.v == "fp8c":
        v_descale = View(b * h * D * one.size_bytes, (h * D * one.size_bytes, D * one.size_bytes))
    elif kernel.v in TILED_V:
        v = tiles_view(TILED_V[kernel.v], b, sk, h)
        head = tiles_of(sk) * V_SCALE_TILE_BYTES
        v_descale = View(b * h * head, (h * head, head))
    return {"q": q, "k": k, "v": v, "q_descale": q_descale, "k_descale": k_descale,
            "v_descale": v_descale}


def input_bytes(kernel, shape):
    """Inputs of a launch: name -> bytes."""
    return {name: view.size_bytes for name, view in views(kernel, shape).items()}


SCALES = (0.75, 1.25, 0.6)  # of Q, K, V where one number does
F32_LINEAR_STEP = 2.0 ** -16  # what x + 127 in 2^23ths of an octave has, as an f32


def largest_octave(eighths):
    """Above which P would exceed 448, the largest fp8: its code 126 and a half, or the
    line at 448, 0x4e87c000 in the code objects."""
    if eighths:
        return (126.5 - eighths.bias) / 8
    return float(np.uint32(0x4E87C000).view(np.float32)) / 2 ** 23 - FAST_EXP2_BIAS / 2 ** 23


def is_mx(name):
    return name.startswith("mx")


def draw(rng, name, shape, spread):
    """Codes of normal numbers, their values, and E8M0 bytes for each 32 of the last axis
    (None without)."""
    fmt = ELEMENTS[name]
    codes = fmt.encode(rng.standard_normal(shape) * spread)
    values = fmt.values(codes)
    if not is_mx(name):
        return codes, values, None
    scale = rng.integers(126, 129, shape[:-1] + (shape[-1] // BLOCK,)).astype(np.uint8)
    return codes, values * np.repeat(2.0 ** (scale.astype(int) - 127), BLOCK, axis=-1), scale


def pack_bits(codes, bits):
    """The last axis as a string of `bits`-wide fields, little-endian."""
    fields = codes.astype(np.uint8)[..., None] >> np.arange(bits, dtype=np.uint8) & 1
    flat = fields.reshape(codes.shape[:-1] + (-1,))
    return np.packbits(flat, axis=-1, bitorder="little")


def packed_rows(name, codes):
    """Q of every format, K of fp8 and int8: a row of bytes a token."""
    return pack_bits(codes, BITS[name]) if BITS[name] < 8 else codes


def tiles_of(length):
    return -(-length // TILE_K)


def by_tile(rows, tiles):
    """[B, S, H, X] -> [B, H, tiles, 128, X], zeros after the end."""
    b, s, h, x = rows.shape
    padded = np.zeros((b, h, tiles * TILE_K, x), rows.dtype)
    padded[:, :, :s] = np.moveaxis(rows, 2, 1)
    return padded.reshape(b, h, tiles, TILE_K, x)


def k_mxfp4(codes):
    """A tile is four chunks of 32 channels, each with 16 bytes a token."""
    b, s, h, _ = codes.shape
    tiles = tiles_of(s)
    rows = by_tile(pack_bits(codes, 4), tiles).reshape(b, h, tiles, TILE_K, 4, 16)
    return np.moveaxis(rows, 4, 3)


def k_mxfp6(codes, scale):
    """A tile: the first 16 of each 24 bytes, the other 8, a hole, the scales twice (the
    second time one byte on)."""
    b, s, h, _ = codes.shape
    tiles = tiles_of(s)
    rows = by_tile(pack_bits(codes, 6), tiles).reshape(b, h, tiles, 4, 32, 4, 24)
    rows = np.moveaxis(rows, 5, 4)  # quarter, group, token of the quarter
    image = np.zeros((b, h, tiles, TILED_K["mxfp6"].tile_bytes), np.uint8)
    image[..., :8192] = rows[..., :16].reshape(b, h, tiles, -1)
    image[..., 8192:12288] = rows[..., 16:].reshape(b, h, tiles, -1)
    flat = by_tile(scale, tiles).reshape(b, h, -1)
    shifted = np.concatenate([flat[..., 1:], np.zeros((b, h, 1), np.uint8)], axis=-1)
    token = np.arange(TILE_K)
    quarter, rest = token // 32, token % 32
    at = rest // 16 * 256 + ((rest % 16) * 4 + quarter) * 4
    for tail, source in ((16384, flat), (16896, shifted)):
        source = source.reshape(b, h, tiles, TILE_K, 4)
        for byte in range(4):
            image[..., tail + at + byte] = source[..., byte]
    return np.concatenate([image.ravel(), np.zeros(TILED_K["mxfp6"].slack_bytes, np.uint8)])


def fp6_keys():
    """[lane 64, field 32] -> key of a chunk of 64 that the field holds."""
    lane, field = np.arange(64)[:, None], np.arange(32)[None, :]
    physical = 32 * (lane // 32) + field
    paired = physical & 0x0F | (physical & 0x10) << 1 | (physical & 0x20) >> 1
    group, byte = paired // 32, paired % 32
    return 32 * (byte // 16) + 8 * (byte % 16 // 4) + byte % 4 + 4 * group


def v_mxfp6(rng, shape):
    """Packed V, its scales, and doubles [B, S, H, 128]."""
    b, s, h, _ = shape
    tiles = tiles_of(s)
    codes = E2M3.encode(rng.standard_normal((b, tiles * TILE_K, h, D)) * 2)
    codes[:, s:] = 0
    scale = rng.integers(125, 128, (b, h, tiles, D, 4)).astype(np.uint8)  # 32 keys each
    values = E2M3.values(codes)
    data = np.zeros((b, h, tiles, 8, 64, 24), np.uint8)
    scale_image = np.zeros((b, h, tiles, V_SCALE_TILE_BYTES), np.uint8)
    keys = fp6_keys()
    tiled = np.moveaxis(codes, 2, 1).reshape(b, h, tiles, TILE_K, D)
    tiled_values = np.moveaxis(values, 2, 1).reshape(b, h, tiles, TILE_K, D).copy()
    for d in range(D):
        for part in range(4):
            lane = part % 2 * 32 + d % 32
            key = part // 2 * 64 + keys[lane]
            data[:, :, :, d // 32 * 2 + part // 2, lane] = pack_bits(
                tiled[:, :, :, key, d], 6)
            factor = 2.0 ** (scale[:, :, :, d, part].astype(int) - 127)
            tiled_values[:, :, :, key, d] *= factor[..., None]
            scale_image[..., part // 2 * 256 + (d % 32 + 32 * (part % 2)) * 4 + d // 32] = (
                scale[:, :, :, d, part])
    doubles = np.moveaxis(tiled_values.reshape(b, h, -1, D), 1, 2)[:, :s]
    return (np.concatenate([data.ravel(), np.zeros(TILED_V["mxfp6"].slack_bytes, np.uint8)]),
            scale_image.reshape(b, h, -1), doubles)


def fp4_keys():
    """Column of a half tile -> key of the half tile."""
    key = np.arange(64)
    j = key % 32
    column = 32 * (key // 32) + 4 * (j // 8) + 16 * (j // 4 % 2) + j % 4
    inverse = np.empty(64, int)
    inverse[column] = key
    return inverse


def v_mxfp4(rng, shape):
    b, s, h, _ = shape
    tiles = tiles_of(s)
    codes = E2M1.encode(rng.standard_normal((b, h, tiles, TILE_K, D)) * 2)
    flat = codes.reshape(b, h, -1, D)
    flat[:, :, s:] = 0
    values = E2M1.values(codes)
    scale = rng.integers(125, 128, (b, h, tiles, 2, 2, D)).astype(np.uint8)
    keys = fp4_keys()
    data = np.zeros((b, h, tiles, 4, 2, 64, 16), np.uint8)  # channels, half, column, byte
    scale_image = np.zeros((b, h, tiles, 2, 2, BLOCK, 4), np.uint8)
    for half in range(2):
        for channels in range(4):
            block = codes[:, :, :, half * 64 + keys, channels * 32:channels * 32 + 32]
            data[:, :, :, channels, half] = pack_bits(block, 4)
        for block in range(2):
            key = half * 64 + keys[block * 32:block * 32 + 32]
            values[:, :, :, key] *= 2.0 ** (
                scale[:, :, :, half, block].astype(int) - 127)[..., None, :]
            scale_image[:, :, :, half, block] = np.moveaxis(
                scale[:, :, :, half, block].reshape(b, h, tiles, 4, BLOCK), 3, 4)
    doubles = np.moveaxis(values.reshape(b, h, -1, D), 1, 2)[:, :s]
    return (np.concatenate([data.ravel(), np.zeros(TILED_V["mxfp4"].slack_bytes, np.uint8)]),
            scale_image.reshape(b, h, -1), doubles)


def by_rounded_weights(kernel, logits, v, shift=0.0):
    """Softmax of base-2 logits as these kernels have it: weights of fp8 and the sum of
    those; by a linear exp2 relative to the maximum of the first tile, which rises only
    where a weight would exceed fp8; but the last tile, if not whole, by v_exp_f32 relative
    to the higher of that and its own."""
    tiles, parts = np.split(logits, range(TILE_K, logits.shape[1], TILE_K), axis=1), []
    eighths, maximum = kernel.eighths, tiles[0].max(axis=1, keepdims=True)
    for i, tile in enumerate(tiles):
        if tile.shape[1] < TILE_K:
            tile = tile + (eighths.tail / 8 if eighths else 0)
            rise = np.maximum(tile.max(axis=1, keepdims=True) - maximum, 0)
            p = FP8.round(np.exp2(tile - maximum - rise))
        else:
            x = tile - maximum + (eighths.later / 8 if eighths and i else 0)
            # Eighths are of few bits: a tie is to be one.
            x = np.rint(x * 2.0 ** 24) / 2.0 ** 24 if eighths else x + shift
            highest = x.max(axis=1, keepdims=True)
            rise = np.where(highest > largest_octave(eighths), highest, 0)
            p = (FP8.round(linear_exp2(x - rise)) if eighths is None else FP8.values(
                np.clip(np.rint(8 * (x - rise) + eighths.bias), 0, 255).astype(np.uint8)))
        parts = [part * np.exp2(-rise) for part in parts] + [p]
        maximum = maximum + rise
    p = np.concatenate(parts, axis=1)
    return p @ v / p.sum(axis=1, keepdims=True)


def launch_of(kernel, shape, inputs, directory):
    """The launch as aiter's host makes it, of the inputs that input_bytes names."""
    b, h, sq, sk = shape
    view = views(kernel, shape)
    q_token, *q_strides = view["q"].strides_bytes
    kernarg, kernarg_bytes = pack_slots([
        Pointer("o"), Pointer("q"), Pointer("k"), Pointer("v"), Pointer(""),
        F32(1 / np.sqrt(D)), sq, q_token, TILE_Q * q_token, *q_strides, 1,
        *view["k"].strides_bytes, 5, 0, sk, D, D, h, *view["v"].strides_bytes,
        *rows_view(b, sq, h, 2 * D).strides_bytes, Pointer(""), Pointer(""),
        0, Pointer(""), Pointer(""), Pointer("q_descale"), Pointer("k_descale"),
        Pointer("v_descale"), *view["q_descale"].strides_bytes, *view["k_descale"].strides_bytes,
        *view["v_descale"].strides_bytes])
    return Launch(
        code_object=os.path.join(directory, FOLDER, kernel.name + ".co"),
        grid=(-(-sq // TILE_Q), h, b), block=(512, 1, 1), inputs=inputs,
        outputs={"o": ((b, sq, h, D), np.uint16)}, kernarg=kernarg,
        kernarg_bytes=kernarg_bytes)


def build(kernel, shape, directory):
    b, h, sq, sk = shape
    rng = generator(kernel.name, shape)
    spread = 40.0 if kernel.qk == "int8" else 1.0
    q_codes, q, q_e8m0 = draw(rng, kernel.qk, (b, sq, h, D), spread)
    k_codes, k, k_e8m0 = draw(rng, kernel.qk, (b, sk, h, D), spread)
    q_scale, k_scale, v_scale = (s / f for s, f in zip(SCALES, (spread, spread, 1.0)))
    inputs = {"q": packed_rows(kernel.qk, q_codes)}
    if kernel.qk == "mxfp4":
        inputs["k"] = k_mxfp4(k_codes)
    elif kernel.qk == "mxfp6":
        inputs["k"] = k_mxfp6(k_codes, k_e8m0)
    else:
        inputs["k"] = k_codes
    softmax_scale = 1 / np.sqrt(D)
    if is_mx(kernel.qk):
        inputs.update(q_descale=q_e8m0)
        # The host multiplies Q with scale * log2(e) before it quantises; here Q is what
        # it is, and the kernel's logits are of base 2.
        q = q * (np.log(2) / softmax_scale) * 0.125
        q_e8m0 -= 3
    else:
        inputs.update(q_descale=np.float32([q_scale]), k_descale=np.float32([k_scale]))
        q, k = q * np.float32(q_scale), k * np.float32(k_scale)
    if kernel.v in ("fp8", "fp8c"):
        v_codes, v, _ = draw(rng, "fp8", (b, sk, h, D), 1.0)
        if kernel.v == "fp8":
            inputs.update(v=v_codes, v_descale=np.float32([v_scale]))
            v = v * np.float32(v_scale)
        else:
            per_channel = rng.uniform(0.5, 1.5, (b, h, D)).astype(np.float32)
            inputs.update(v=v_codes, v_descale=per_channel)
            v = v * per_channel[:, None]
    else:
        packer = v_mxfp6 if kernel.v == "mxfp6" else v_mxfp4
        inputs["v"], inputs["v_descale"], v = packer(rng, (b, sk, h, D))

    o, modelled, floor = (np.empty((b, sq, h, D)) for _ in range(3))
    rounded_q = q
    if kernel.qk == "fp8":  # the mantissa of the scales goes into Q, which stays fp8
        mantissa, exponent = np.frexp(q_scale * k_scale * softmax_scale / np.log(2))
        rounded_q = FP8.round(FP8.values(q_codes) * mantissa) * (
            2.0 ** exponent * np.log(2) / softmax_scale / k_scale)
    for i in range(b):
        o[i] = np.swapaxes(attention(*(np.swapaxes(x[i], 0, 1) for x in (q, k, v)),
                                     softmax_scale).o, 0, 1)
        for j in range(h):
            logits = softmax_scale / np.log(2) * (rounded_q[i, :, j] @ k[i, :, j].T)
            modelled[i, :, j] = by_rounded_weights(kernel, logits, v[i, :, j])
            floor[i, :, j] = by_rounded_weights(kernel, logits, v[i, :, j], F32_LINEAR_STEP)
    if is_mx(kernel.qk):
        inputs["k_descale"] = np.concatenate([k_e8m0.ravel(), np.zeros(SLACK, np.uint8)])
    for name, size in input_bytes(kernel, shape).items():
        if inputs[name].nbytes != size:
            raise ValueError(f"{kernel.name}: {name}: expected the {size} bytes that views "
                             f"describes, built {inputs[name].nbytes}")
    launch = launch_of(kernel, shape, inputs, directory)
    # Within the kernel's approximations of attention; and those themselves, closely.
    return launch, [Check("o", lambda out: BF16.values(out["o"]), o, BF16.round(modelled)),
                    Check("model", lambda out: BF16.values(out["o"]), modelled,
                          BF16.round(floor))]


def cases(directory, large=False):
    for kernel in KERNELS:
        shapes = SHAPES_TILED_V if is_mx(kernel.v) else SHAPES
        for shape in [(1, 8, 1024, 1024)] if large else shapes:
            yield Case(kernel.name + " (v4)", "B{} H{} {}x{}".format(*shape),
                       lambda directory, k=kernel, s=shape: build(k, s, directory))
