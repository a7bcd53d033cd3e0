# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A case: one launch of one code object, and what its outputs must be."""

from dataclasses import dataclass

import numpy as np

from launch import Launch


@dataclass
class Check:
    """One tensor that a launch writes."""
    label: str                # "o", "lse", …
    found: callable           # outputs of the launch -> doubles
    expected: np.ndarray      # double precision
    floor: np.ndarray         # the same with the roundings no kernel can avoid


@dataclass
class Case:
    kernel: str               # file name without .co
    shape: str
    build: callable           # directory -> (Launch, [Check])
    lds_instructions: int = 0  # LDS reads land so many instructions after issue


def generator(*key):
    """The same numbers for the same key on every machine."""
    return np.random.Generator(np.random.PCG64(list(hash_key(key))))


def hash_key(key):
    for byte in repr(key).encode():
        yield byte


__all__ = ["Case", "Check", "Launch", "generator"]
