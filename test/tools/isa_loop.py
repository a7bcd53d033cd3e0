# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The loop over keys in a kernel's disassembly: its blocks, in an order in which a
round may go through them, and which of them every round goes through."""
import re


class Block:
    def __init__(self, instructions):
        self.instructions = instructions
        self.next = []  # blocks, each once
        self.is_always = False  # every round goes through it


def _target(instruction):
    """Address that s_branch and s_cbranch_* lead to; nothing for what does not branch."""
    if not instruction.mnemonic.startswith(("s_branch", "s_cbranch")):
        return None
    words = int(re.search(r"\s(\d+)", instruction.text).group(1))
    words -= 0x10000 if words >= 0x8000 else 0
    return instruction.address + 4 + 4 * words


def blocks_of(instructions):
    """Basic blocks, in the order of addresses."""
    starts = {instructions[0].address}
    for i in instructions:
        target = _target(i)
        if target is not None:
            starts |= {target, i.address + i.size}
        elif i.mnemonic == "s_endpgm":
            starts.add(i.address + i.size)
    blocks, at = [], {}
    for i in instructions:
        if i.address in starts:
            blocks.append(Block([]))
            at[i.address] = blocks[-1]
        blocks[-1].instructions.append(i)
    for n, block in enumerate(blocks):
        last = block.instructions[-1]
        target = _target(last)
        if target is not None:
            block.next.append(at[target])
        if last.mnemonic not in ("s_branch", "s_endpgm") and n + 1 < len(blocks):
            if blocks[n + 1] not in block.next:
                block.next.append(blocks[n + 1])
    return blocks


def _reach(start, inside):
    """Blocks that are reached from those after `start`, `start` too if there is a way."""
    seen, todo = set(), [b for b in start.next]
    while todo:
        block = todo.pop()
        if block in seen or block not in inside:
            continue
        seen.add(block)
        todo += block.next
    return seen


def loops_of(blocks):
    """Sets of blocks of which each reaches all."""
    inside = set(blocks)
    reach = {b: _reach(b, inside) for b in blocks}
    loops = []
    for block in blocks:
        if block in reach[block] and not any(block in loop for loop in loops):
            loops.append({b for b in blocks if b in reach[block] and block in reach[b]})
    return loops


def in_order(blocks, loop):
    """Blocks of the loop from where it is entered on: each after those that lead to it,
    the way back aside; of several that may follow the one of the lowest address."""
    entries = [b for b in blocks if b in loop
               and any(b in outer.next for outer in blocks if outer not in loop)]
    if len(entries) != 1:
        raise ValueError(f"expected one entry of the loop, found {len(entries)}")
    left = sorted(loop, key=lambda b: b.instructions[0].address)
    for block in left:
        # What no way round the loop leaves out.
        rest = loop - {block}
        block.is_always = not any(b in _reach(b, rest) for b in rest)
    placed = []
    while left:
        ready = [b for b in left
                 if b is entries[0] or (placed and not any(
                     b in other.next for other in left))]
        if not ready:
            raise ValueError("a loop within the loop")
        placed.append(ready[0])
        left.remove(ready[0])
    return placed
