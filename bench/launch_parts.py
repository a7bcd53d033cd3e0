# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Parts of a LAUNCH.json that the families of launches.py share."""
import os


def zeros(sizes):
    return {name: {"bytes": int(count), "fill": 0} for name, count in sizes.items()}


def words(first, values):
    """Numbers of 4 bytes of the kernel's arguments, one after the other."""
    return [{"offset": first + 4 * i, "f32" if isinstance(v, float) else "u32": v}
            for i, v in enumerate(values)]


def longs(first, values):
    """The same of 8 bytes."""
    return [{"offset": first + 8 * i, "u64": v} for i, v in enumerate(values)]


def pointers(names, step=8):
    return [{"offset": step * i, "buffer": name} for i, name in enumerate(names)]


def code_object(problem, directory):
    return os.path.abspath(os.path.join(directory, problem.object + ".co"))
