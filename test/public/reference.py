# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention in double precision, and how far a kernel may be from it."""

from dataclasses import dataclass

import numpy as np


@dataclass
class Attention:
    o: np.ndarray    # [Hq, Sq, Dv]
    lse: np.ndarray  # [Hq, Sq], natural logarithm; -inf where a row sees no key


def causal_bottom_right(rows, keys):
    """Row i sees key j if j <= i + keys - rows."""
    return np.arange(keys)[None, :] <= np.arange(rows)[:, None] + keys - rows


def linear_exp2(x):
    """2^x as some kernels take it where a tile weighs little: x + bias, read as the
    exponent and fraction of an f32, is a line between powers of two (Schraudolph 1999).
    The bias 0x4e7de250 / 2^23 = 126.94 is a constant in the code objects."""
    bits = np.maximum(np.float64(x) * 2.0 ** 23 + FAST_EXP2_BIAS, 0).astype(np.uint32)
    return bits.view(np.float32).astype(np.float64)


FAST_EXP2_BIAS = float(np.uint32(0x4E7DE250).view(np.float32))


def attention(q, k, v, scale, visible=None, p_round=None, q_round=None, exp2=np.exp2,
              p_scale=None):
    """q [Hq, Sq, Dqk], k [Hk, Sk, Dqk], v [Hk, Sk, Dv], all doubles; `visible`
    [Sq, Sk]. `p_round` rounds exp(s - max) (times p_scale [Hk, Sk]), `q_round` rounds
    q * scale * log2(e), `exp2` is the kernel's: what a kernel cannot avoid or does on
    purpose, for the floor of its error."""
    hq, sq, _ = q.shape
    hk = k.shape[0]
    o = np.zeros((hq, sq, v.shape[2]))
    lse = np.full((hq, sq), -np.inf)
    for h in range(hq):
        kv = h // (hq // hk)
        if q_round is None:
            s = scale * (q[h] @ k[kv].T)
        else:
            s = np.log(2) * (q_round(q[h] * (scale / np.log(2))) @ k[kv].T)
        if visible is not None:
            s = np.where(visible, s, -np.inf)
        m = s.max(axis=1, keepdims=True)
        some = np.isfinite(m)
        p = np.where(some, exp2((s - np.where(some, m, 0)) / np.log(2)), 0.0)
        total = p.sum(axis=1, keepdims=True)
        if p_round is not None:
            p = p_round(p if p_scale is None else p * p_scale[kv])
            p = p if p_scale is None else p / p_scale[kv]
        with np.errstate(divide="ignore", invalid="ignore"):
            o[h] = np.where(total > 0, (p @ v[kv]) / total, 0.0)
            lse[h] = np.where(total > 0, m + np.log(total), -np.inf)[:, 0]
    return Attention(o, lse)


@dataclass
class Comparison:
    rel_rms: float
    max_abs: float
    allowed_rel_rms: float
    allowed_max_abs: float
    nan_count: int

    @property
    def badness(self):
        """Above 1: beyond what is allowed."""
        return np.inf if self.nan_count else max(self.rel_rms / self.allowed_rel_rms,
                                                 self.max_abs / self.allowed_max_abs)

    @property
    def passed(self):
        return (self.nan_count == 0 and self.rel_rms <= self.allowed_rel_rms
                and self.max_abs <= self.allowed_max_abs)


# A kernel rounds where the floor does but in another order and with other maxima, so
# that its errors are another sample of the same size: the rms may differ by half, the
# largest of the errors by a factor of 3 (as `fmhac run` allows).
RMS_FACTOR, MAX_FACTOR, MAX_ABSOLUTE = 1.5, 3.0, 1e-5


def compare(found, expected, floor):
    """`floor`: the reference with the roundings that the kernel cannot avoid."""
    infinite = np.isinf(expected)
    wrong = np.isnan(found) | (infinite & (found != expected)) | (~infinite & np.isinf(found))
    good = ~wrong & ~infinite
    norm = np.sqrt(np.mean(expected[~infinite] ** 2)) if (~infinite).any() else 1.0
    norm = norm or 1.0

    def errors(x):
        e = x[good] - expected[good]
        return (np.sqrt(np.mean(e ** 2)) / norm, np.abs(e).max()) if e.size else (0.0, 0.0)

    rms, largest = errors(found)
    floor_rms, floor_largest = errors(floor)
    return Comparison(rms, largest, RMS_FACTOR * floor_rms + 1e-6,
                      MAX_FACTOR * floor_largest + MAX_ABSOLUTE, int(wrong.sum()))
