# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LLVM IR of a kernel with more scalar values at its beginning than there are registers for:

    more_scalars.py lane|workgroup < kernel.ll

in the first lane of its waves alone, or in its first workgroup.
"""
import re
import sys

COUNT = 110
NUMBER = {"lane": "workitem", "workgroup": "workgroup"}


def values():
    made = [f'  %more{i} = call i32 asm sideeffect "s_movk_i32 $0, {i}", "=s"()'
            for i in range(COUNT)]
    used = [f'  call void asm sideeffect "; $0", "s"(i32 %more{i})' for i in range(COUNT)]
    return made + used


def main():
    head, kernel = re.match(r"(.*?\ndefine protected amdgpu_kernel [^\n]*\{\n)(.*)\Z",
                            sys.stdin.read(), re.DOTALL).groups()
    before = ["first:",
              f"  %number = call i32 @llvm.amdgcn.{NUMBER[sys.argv[1]]}.id.x()",
              "  %has_more = icmp eq i32 %number, 0",
              "  br i1 %has_more, label %more, label %0",
              "more:", *values(), "  br label %0", "0:"]
    sys.stdout.write(head + "\n".join(before) + "\n" + kernel)


if __name__ == "__main__":
    main()
