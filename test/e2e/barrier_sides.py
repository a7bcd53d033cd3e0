# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""LDS reads that stand on another side of a barrier in the code than in the LLVM IR: none.

LLVM's MachineSink does not see that an LDS read and a barrier have to keep their order
(llvm/llvm-project issue 181708). Here each operation of the IR gets a line of its own, and
LLVM's static compiler makes the same code of it again (isa_order.py). For each LDS read of
the code, the barriers that may be the nearest before it, over all paths, must be among
those of the operation that it was made from, and so must those after it; the start and the
end of the kernel count as barriers. Fewer are fine: where a block was doubled, each copy
has its own.

Prints by schedule how many reads were compared and how many moved. Those of which nothing
says what they were made from cannot be told, and count as moved. To show
that the count can be other than 0, two kernels in which LLVM does sink reads must have some:
a bare barrier before a branch into the block that uses the read; and a kernel of dualwave,
of whose IR every asm and sched.barrier is taken out.
"""
import argparse
import os
import re
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import axes

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "tools"))
import code_object  # noqa: E402
import commands  # noqa: E402
import isa_loop  # noqa: E402
import isa_order  # noqa: E402
import slices  # noqa: E402

MASKS = ["none", "causal", "window:100,20", "chunked:64"]
HEADS = {"dualwave_narrow": ["64"], "dualwave_d96": ["96"], "generic_wide": ["256", "192/128"],
         "generic_wide_m64": ["256"], "generic_fp8_n32": ["256", "192/128"]}
MORE = ["--lse --out-dtype f32", "--seqlens-q X --seqlens-kv X", "--dtype f16 --sink X"]
# K and V in pages: a tile lies in one, or in several.
PAGED = ["--page-size 128 --page-table X --seqlens-kv X",
         "--page-size 16 --kv-indptr X --kv-indices X --kv-last-page-len X"]
# lib/choose/support.def: neither f16 nor LSE
PLAIN = {"dualwave_narrow", "dualwave_sums"}
START, END = "start", "end"
# What LLVM may read LDS by, of those that kernels use.
READS_OF_IR = re.compile(r" = load .* addrspace\(3\)|@llvm\.amdgcn\.ds\.read\.tr")
BARRIER_OF_IR = re.compile(r"@llvm\.amdgcn\.s\.barrier\(")
SUNK = """
target triple = "amdgcn-amd-amdhsa"
@lds = internal addrspace(3) global [1024 x i8] poison, align 16
define amdgpu_kernel void @k(ptr addrspace(1) %out, i32 %n) #0 !dbg !4 {
  %lane = call i32 @llvm.amdgcn.workitem.id.x(), !dbg !5
  %at = getelementptr float, ptr addrspace(3) @lds, i32 %lane, !dbg !5
  store float 1.0, ptr addrspace(3) %at, !dbg !5
  BARRIER
  %x = load float, ptr addrspace(3) %at, !dbg !5
  BARRIER
  %c = icmp sgt i32 %n, 0, !dbg !5
  br i1 %c, label %then, label %done, !dbg !5
then:
  %to = getelementptr float, ptr addrspace(1) %out, i32 %lane, !dbg !5
  store float %x, ptr addrspace(1) %to, !dbg !5
  br label %done, !dbg !5
done:
  ret void, !dbg !5
}
declare void @llvm.amdgcn.s.barrier()
declare i32 @llvm.amdgcn.workitem.id.x()
attributes #0 = { "target-cpu"="gfx950" }
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "k", directory: "")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !DISubroutineType(types: !{})
!4 = distinct !DISubprogram(name: "k", file: !1, type: !3, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DILocation(line: 1, column: 1, scope: !4)
"""
BARE = "call void @llvm.amdgcn.s.barrier(), !dbg !5"
# What the product puts beside its barriers.
GUARDED = 'call void asm sideeffect "", "I"(i32 0), !dbg !5\n  ' + BARE


class Graph:
    """Instructions in their order, which of them come next, and the barriers among them:
    number -> name."""

    def __init__(self, nexts, barriers):
        self.nexts, self.barriers = nexts, barriers
        self.previous = [[] for _ in nexts]
        for n, after in enumerate(nexts):
            for m in after:
                self.previous[m].append(n)

    def nearest(self, ways, at_rest):
        """For each instruction, the barriers that may be met first on `ways` from it."""
        found = [frozenset() for _ in ways]
        changed = True
        while changed:
            changed = False
            for order in (range(len(ways)), range(len(ways) - 1, -1, -1)):
                for n in order:
                    # What nothing leads to, or leaves, is at the rest.
                    new = frozenset() if ways[n] else frozenset([at_rest])
                    for m in ways[n]:
                        new |= (frozenset([self.barriers[m]]) if m in self.barriers
                                else found[m])
                    if new != found[n]:
                        found[n], changed = new, True
        return found

    def sides(self):
        """For each instruction (barriers before, barriers after)."""
        return list(zip(self.nearest(self.previous, START), self.nearest(self.nexts, END)))


def graph_of_ir(text):
    """Of the only function of the IR: the graph, and the text of each operation. Operations
    are those that isa_order.number_operations numbers, from 0 on."""
    operations, labels, inside = [], {}, False
    for line in text.splitlines():
        if line.startswith("define"):
            if operations:
                raise ValueError("expected one function in the LLVM IR, found another")
            inside = True
        elif line.startswith("}"):
            inside = False
        elif inside and (label := re.match(r'("[^"]+"|[\w.$-]+):', line)):
            labels[label[1]] = len(operations)
        elif inside and re.match(r"  (%\S+ = )?[a-z]", line):
            operations.append(line)
    nexts = []
    for n, operation in enumerate(operations):
        word = operation.split()[0]
        if word in ("br", "switch"):
            nexts.append([labels[t] for t in re.findall(r'label %("[^"]+"|[\w.$-]+)', operation)])
        elif word in ("ret", "unreachable"):
            nexts.append([])
        else:
            nexts.append([n + 1])
    barriers = {n: n for n, o in enumerate(operations) if BARRIER_OF_IR.search(o)}
    return Graph(nexts, barriers), operations


def graph_of_code(code, place):
    """The barriers have the names of the operations that they were made from."""
    number = {i.address: n for n, i in enumerate(code)}
    nexts = [[] for _ in code]
    for block in isa_loop.blocks_of(code):
        numbers = [number[i.address] for i in block.instructions]
        for n, m in zip(numbers, numbers[1:]):
            nexts[n].append(m)
        nexts[numbers[-1]] = [number[b.instructions[0].address] for b in block.next]
    return Graph(nexts, {n: place[i.address] - 1 for n, i in enumerate(code)
                         if i.mnemonic == "s_barrier"})


def compare(ir, code, place):
    """(reads that were compared, lines that say which moved or cannot be told)"""
    graph, operations = graph_of_ir(ir)
    of_ir = graph.sides()
    emitted = graph_of_code(code, place)
    of_code = emitted.sides()
    lost = [code[n] for n, name in emitted.barriers.items() if name not in graph.barriers]
    faults = [f"{i}: a barrier of no operation" for i in lost]
    reads = [n for n, i in enumerate(code) if i.mnemonic.startswith("ds_read")]
    origins = {n: place[code[n].address] - 1 for n in reads}
    # A read that LLVM sinks loses its line. It was made from an operation that no read is
    # left of; each of those must agree.
    left = [n for n, o in enumerate(operations)
            if READS_OF_IR.search(o) and n not in origins.values()]
    for n in reads:
        origin = origins[n]
        made_from = left if origin < 0 else [origin]
        if not made_from or not all(READS_OF_IR.search(operations[m]) for m in made_from):
            faults.append(f"{code[n]}: a read of no operation that reads LDS")
            continue
        moved = [describe(m, side, found, expected) for m in made_from for side, found, expected
                 in zip(("before", "after"), of_code[n], of_ir[m]) if not found <= expected]
        if moved:
            faults.append(f"{code[n]}: {moved[0]}")
    return len(reads), faults


def describe(origin, side, found, expected):
    """The words of a fault; operations count from 1, as the lines do."""
    found, expected = (", ".join(sorted(n if isinstance(n, str) else f"operation {n + 1}"
                                        for n in names)) for names in (found, expected))
    return (f"made from operation {origin + 1}; nearest barrier {side} it: expected "
            f"{expected}, found {found}")


def of_ir(llvm_bin, ir):
    """compare() of IR and what LLVM makes of it."""
    code, place = isa_order.code_of(llvm_bin, ir)
    return compare(ir, code_object.without_padding(code), place)


def of_product(options, schedule, flags):
    """compare() of what the product emits."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "k")
        command = [options.fmhac, "compile", "--schedule", schedule, *flags]
        commands.call([*command, "-o", path])
        ir = commands.call([*command, "--emit=llvm", "-o", "-"])
        code = code_object.without_padding(code_object.disassemble(options.llvm_bin, path))
    return compare(ir, code, isa_order.places_in_ir(options.llvm_bin, ir, code))


def configurations(options):
    """(schedule, flags) of each."""
    for schedule in ("dualwave", "dualwave_1tile", "dualwave_d96", "dualwave_sums", "dualwave_narrow",
                     "generic", "generic_wide", "generic_wide_m64", "dualwave_fp8", "generic_fp8",
                     "generic_fp8_n32", "dualwave_q8"):
        dtype = axes.types_of(schedule)
        for number, head in enumerate(HEADS.get(schedule, ["128", "64"])):
            dqk, _, dv = head.partition("/")
            size = ["--head-dim-qk", dqk, "--head-dim-v", dv or dqk]
            for n, mask in enumerate(MASKS):
                if options.full or (n < 2) == (number == 0):
                    yield schedule, [*size, *dtype, "--mask", mask]
            for more in [*MORE, *PAGED] if options.full else [MORE[number], PAGED[number]]:
                if schedule in PLAIN:
                    more = more.replace("--lse ", "").replace("--dtype f16 ", "")
                if dtype:
                    more = more.replace("--dtype f16", "--lse")
                yield schedule, [*size, *dtype, "--mask", "causal", *more.split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fmhac", required=True)
    parser.add_argument("--llvm-bin", required=True)
    parser.add_argument("--full", action="store_true",
                        help="every mask and option with every head size")
    slices.add_argument(parser)
    parser.add_argument("--ir", metavar="FILE.ll", help="compare this IR with its code only")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if options.ir:
        with open(options.ir) as file:
            count, faults = of_ir(options.llvm_bin, file.read())
        print(*faults, f"{len(faults)} of {count} LDS reads", sep="\n")
        return 1 if faults else 0
    failed = 0
    for name, text, moves in (("bare", BARE, True), ("guarded", GUARDED, False)):
        count, faults = of_ir(options.llvm_bin, SUNK.replace("BARRIER", text))
        print(f"a read between barriers, {name}: {len(faults)} of {count} moved")
        if count != 1 or len(faults) != moves or not all("nearest barrier" in f for f in faults):
            failed += 1
            print(f"FAIL: {name}: expected {int(moves)} of 1, found {faults}")
    ir = commands.call([options.fmhac, "compile", "--schedule", "dualwave", "--mask", "causal",
                        "--emit=llvm", "-o", "-"])
    count, faults = of_ir(options.llvm_bin, re.sub(
        r"^.*(asm sideeffect|@llvm\.amdgcn\.sched\.barrier\(i32 \d).*\n", "", ir, flags=re.M))
    print(f"dualwave, barriers bare: {len(faults)} of {count} moved")
    if not any("nearest barrier" in fault for fault in faults):
        failed += 1
        print(f"FAIL: dualwave, barriers bare: expected some that moved, found {faults}")
    chosen, table = options.slice.of(configurations(options)), {}
    slices.tell(options)
    with ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda c: of_product(options, *c), chosen)
        for (schedule, flags), (count, faults) in zip(chosen, results, strict=True):
            row = table.setdefault(schedule, [0, 0, 0])
            for n, value in enumerate((1, count, len(faults))):
                row[n] += value
            for fault in faults:
                print(f"FAIL: --schedule {schedule} {' '.join(flags)}: {fault}", flush=True)
            if not count:
                failed += 1
                print(f"FAIL: --schedule {schedule} {' '.join(flags)}: expected LDS reads, "
                      "found none")
            failed += len(faults)
    print("| schedule | kernels | LDS reads | moved over a barrier |\n|---|---:|---:|---:|")
    for schedule, row in table.items():
        print(f"| {schedule} | " + " | ".join(map(str, row)) + " |")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
