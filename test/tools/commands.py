# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands that tests run, code objects that LLVM's own tools make, and how a test ends that
found something."""
import os
import subprocess
import sys


class CommandError(Exception):
    """Some tool refused what it was given."""


def fail(*what):
    sys.exit("FAIL: " + " ".join(map(str, what)))


def run(command, **more):
    """What a command that succeeds wrote to both."""
    result = subprocess.run(command, capture_output=True, text=True, **more)
    if result.returncode != 0:
        raise CommandError(f"{' '.join(command)[:300]} exited with {result.returncode}: "
                           f"{result.stderr.strip()[-1500:]}")
    return result


def call(command, **more):
    return run(command, **more).stdout


def generate(llvm_bin, ir, path):
    """A code object of LLVM IR."""
    object_path = path + ".o"
    call([os.path.join(llvm_bin, "llc"), "-mtriple=amdgcn-amd-amdhsa", "-mcpu=gfx950", "-O3",
          "--amdhsa-code-object-version=6", "-filetype=obj", "-o", object_path], input=ir)
    call([os.path.join(llvm_bin, "ld.lld"), "-shared", object_path, "-o", path])
    os.remove(object_path)


def generate_of_dialect(llvm_bin, module, path):
    """A code object of a module of llvm and rocdl ops."""
    generate(llvm_bin, call([os.path.join(llvm_bin, "mlir-translate"), "--mlir-to-llvmir"],
                            input=module), path)
