# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random schedules with a pipeline, from the whole vocabulary of fmhac-schedule(5).

A pipeline is drawn as what one tile goes through: each step, or part of one, gets a
*time*, the number of stages since the stage in which scores of the tile are computed might
begin, never before what it needs. A stage has the steps whose times are equal modulo the
number of stages; how many rounds a time is away is `ahead`. So most of what is drawn can be
made into a kernel. Whether that kernel races is left to chance: copies are drawn round the
times at which the buffer is read, with margins that may be too small.
"""
import dataclasses
import random
import re

# tile_m, tile_n, waves, (m, n, k) of both products
SHAPES = [(128, 32, 4, (32, 32, 16)), (256, 32, 8, (32, 32, 16)), (64, 32, 4, (16, 16, 32)),
          (128, 32, 8, (16, 16, 32)), (128, 64, 4, (32, 32, 16)), (256, 64, 8, (32, 32, 16)),
          (128, 32, 2, (32, 32, 16))]
SHAPES_OF_8_BITS = [(128, 64, 4, (32, 32, 64)), (256, 64, 8, (32, 32, 64)),
                    (128, 64, 2, (32, 32, 64)), (64, 64, 2, (32, 32, 64))]
OF_8_BITS = 0.25  # of the schedules
MOST_LATE_LOG2 = 2  # of a rescale, which weights of 8 bits leave room for
LAYOUTS = ["any", "any", "any", "any", "padded", "permuted", "xor", "identity"]
CACHED = 0.25  # of the schedules
CACHE_BITS = ["sc0", "nt", "sc1"]
CACHE_OPERANDS = ["q", "k", "v", "o"]
CLASSES = ["mfma", "valu", "trans", "ds_read", "vmem", "salu"]
# Steps that have instructions of a class; any step has those of the other classes.
MAKERS = {"mfma": {"qk", "pv", "row_sum"}, "trans": {"exp", "rescale", "score_mod"},
          "ds_read": {"read_k", "read_v"}, "vmem": {"load_k", "load_v", "score_mod"}}
# In the order in which a tile needs them.
RANK = ["load_k", "load_v", "read_k", "qk", "score_mod", "mask", "row_max", "rescale",
        "subtract", "exp", "row_sum", "convert", "read_v", "pv"]


def ranked(sums):
    """RANK; matrix instructions and dot products sum what is rounded."""
    rank = list(RANK)
    if sums:
        rank.remove("row_sum")
        rank.insert(rank.index("convert") + 1, "row_sum")
    return rank


def left_out(scale, dtype):
    """Steps that a tile does not need. Factor and lift of elements of 8 bits are an fma of their
    own, also where scores start from minus the maximum."""
    if scale != "start":
        return set()
    return {"score_mod"} if dtype == "fp8" else {"score_mod", "subtract"}


@dataclasses.dataclass
class Step:
    kind: str
    time: int
    part: tuple = None  # first, last, of

    def spell(self, stages):
        text = self.kind
        if self.part:
            text += "[{} to {} of {}]".format(*self.part)
        ahead = -(self.time // stages)
        return text + (f" ahead {ahead}" if ahead else "")


@dataclasses.dataclass
class Schedule:
    number: int
    tile_m: int
    tile_n: int
    waves: int
    waves_per_simd: int
    product: tuple
    buffers: tuple  # of K, of V
    pad: tuple
    rescale: str
    scale: str
    packed: str
    grid: str
    sums: tuple  # (m, n, k) of the instruction that sums, or None
    tiles: int
    stagger: int
    instructions: str
    stages: list  # text
    stages_reach: int  # tiles that a pass reaches ahead and behind, together
    # The problem that it is tried with.
    head: int
    dtype: str
    layout: tuple = ("any", "any")  # of K and V in LDS
    cache: str = ""  # what loads and stores tell the caches

    def period(self):
        """Rounds until every buffer is the first again."""
        return max([1] + [b for b in self.buffers if self.tiles % b])

    def plain(self):
        """The same without any overlap: one tile after the other."""
        every = [c for c in ranked(self.sums) if not c.startswith("load")]
        less = left_out(self.scale, self.dtype)
        every = [c for c in every if c not in less]
        return dataclasses.replace(
            self, buffers=(1, 1), tiles=1, stagger=0, instructions="free",
            stages=["<@copies memory [load_k, load_v]>", f"<@all compute [{', '.join(every)}]>"])

    def text(self):
        m, n, k = self.product
        lines = [
            f"// Random schedule {self.number}",
            f"fmha.schedule @random_{self.number} = #fmha.schedule<",
            f"  tile_m = {self.tile_m}, tile_n = {self.tile_n}, waves = {self.waves}, "
            f"waves_per_simd = {self.waves_per_simd},",
            f"  qk = <m = {m}, n = {n}, k = {k}>, pv = <m = {m}, n = {n}, k = {k}>,",
            f"  k = <read = row, max_pad_bytes = {self.pad[0]}, buffers = {self.buffers[0]}, "
            f"layout = {self.layout[0]}>,",
            f"  v = <read = column, max_pad_bytes = {self.pad[1]}, buffers = {self.buffers[1]}, "
            f"layout = {self.layout[1]}>,",
            f"  rescale = {self.rescale}, scale = {self.scale}, packed = {self.packed}, "
            f"grid = {self.grid}"]
        if self.sums:
            lines[-1] += ", sums = <m = {}, n = {}, k = {}>".format(*self.sums)
        if self.cache:
            lines[-1] += f", cache = <{self.cache}>"
        lines[-1] += ","
        lines.append(f"  pipeline = <tiles = {self.tiles}, stagger = {self.stagger}, "
                     f"instructions = {self.instructions}, stages = [")
        lines.append(",\n".join(f"    {stage}" for stage in self.stages) + "]>")
        return "\n".join(lines) + ">\n"


class Maker:
    """Draws one schedule; what is drawn depends on seed and number only."""

    def __init__(self, seed, number):
        self.number = number
        self.source = random.Random(f"{seed}/{number}")
        self.chances = random.Random(f"{seed}/{number}, elements of 8 bits")
        self.policies = random.Random(f"{seed}/{number}, cache policies")
        self.chance = lambda p: self.source.random() < p
        self.pick = self.source.choice

    def cut(self, kind, first, room):
        """A step as one step, or as parts that follow each other in time."""
        if not self.chance(0.3) or kind in ("load_k", "load_v", "score_mod", "mask",
                                               "row_max", "rescale"):
            return [Step(kind, first)]
        of = self.pick([2, 2, 4, 8])
        count = 2 if self.chance(0.7) else min(3, of)
        cuts = [0, *sorted(self.source.sample(range(1, of), count - 1)), of]
        time, steps = first, []
        for low, high in zip(cuts, cuts[1:]):
            steps.append(Step(kind, time, (low, high, of)))
            time += self.pick([0, 0, 1]) if time < first + room else 0
        return steps

    def times(self, stages, less, sums, stagger, buffers):
        """Steps of a tile."""
        gap = lambda *choices: self.pick(choices)
        steps = []

        def put(kind, first, room=2):
            parts = self.cut(kind, first, room)
            steps.extend(parts)
            return parts[0].time, parts[-1].time

        qk, scored = put("qk", self.source.randrange(stages))
        masked = scored + gap(0, 0, 1, 1, 2)
        if "score_mod" not in less:
            put("score_mod", scored)
        put("mask", masked)
        row_max, _ = put("row_max", masked + gap(0, 0, 0, 1))
        done = row_max
        if "subtract" not in less:
            _, done = put("subtract", row_max + gap(0, 0, 1, 1))
        exp, done = put("exp", done + gap(0, 0, 0, 1))
        _, converted = put("convert", done + gap(0, 0, 1))
        _, summed = put("row_sum", (converted if sums else done) + gap(0, 0, 1))
        pv, multiplied = put("pv", max(summed, converted) + gap(0, 0, 1, 1, 2))
        # O and l of the tile before are there, and this one has not been added to them.
        low = max(row_max, multiplied - stages + self.pick([0, 1, 1]))
        for step in steps:
            if step.kind == "row_sum" and (not step.part or step.part[1] == step.part[2]):
                summed = step.time = max(step.time, low)
        put("rescale", self.source.randint(low, max(low, min(summed, pv))))
        for operand, use, count in (("k", qk, buffers[0]), ("v", pv, buffers[1])):
            read, last_read = put(f"read_{operand}", use - gap(0, 1, 1, 1, 2, 3), room=1)
            span = count * stages  # from one copy into a buffer to the next
            late = last_read - span + 1 + stagger  # not before all have read
            early = read - 1 - stagger  # not after
            if late <= early and self.chance(0.85):
                copy = self.source.randint(late, early)
            else:
                copy = self.pick([late - 1, early + 1, late, early,
                                  self.source.randint(read - span, read)])
            steps.append(Step(f"load_{operand}", copy))
        return steps

    def stage(self, index, steps, stages, sums):
        """The text of a stage: steps in an order that keeps that of a tile."""
        keys, rank = {}, ranked(sums)
        for time in {s.time for s in steps}:
            same = [s for s in steps if s.time == time]
            same.sort(key=lambda s: (rank.index(s.kind), s.part or ()))
            for s, key in zip(same, sorted(self.source.random() for _ in same)):
                keys[id(s)] = key
        # What belongs to earlier tiles first, mostly: O of the tile before, then rescale.
        if self.chance(0.8):
            steps.sort(key=lambda s: (-s.time, keys[id(s)]))
        else:
            steps.sort(key=lambda s: keys[id(s)])
        moves = any(s.kind.startswith(("load", "read")) for s in steps)
        multiplies = any(s.kind in ("qk", "pv") for s in steps)
        kind = "memory" if moves and not multiplies else "compute"
        if self.chance(0.15):
            kind = self.pick(["memory", "compute"])
        text = f"<@s{index} {kind} [{', '.join(s.spell(stages) for s in steps)}]"
        if self.chance(0.3):
            kinds = {s.kind for s in steps}
            groups = []
            for _ in range(self.source.randint(1, 3)):
                repeat = self.source.randint(1, 4)
                drawn = [(c, self.source.randint(1, 4)) for c in self.source.sample(
                    CLASSES, self.source.randint(1, 3))]
                groups.append((repeat, [f"{c} {n}" for c, n in drawn
                                        if c not in MAKERS or kinds & MAKERS[c]]))
            text += " groups [" + ", ".join(f"{n} x [{', '.join(g)}]" for n, g in groups if g) + "]"
        if self.chance(0.2):
            text += f" priority {self.source.randint(1, 3)}"
        if self.chance(0.2):
            text += f" nops {self.source.randint(1, 16)}"
        if self.chance(0.25):
            text += " anchor"
        return text + ">"

    def make(self):
        shape = self.pick(SHAPES)
        stages = self.pick([1, 2, 2, 3, 3, 4, 4, 4, 5, 6])
        tiles = self.pick([1, 1, 2, 2, 2, 2, 3, 3, 4])
        divisors = [b for b in range(1, 5) if tiles % b == 0]
        buffers = tuple(self.pick([1, 2, 2, 3, 4]) if self.chance(0.4) else
                        self.source.choices(divisors, weights=divisors)[0] for _ in "kv")
        stagger = self.pick([0, 0, 1, 1, 1, 2, 3])
        rescale = self.pick(["eager", "lazy", "lazy"])
        scale = self.pick(["fma", "fma", "q"] + ["start"] * (rescale == "lazy"))
        if rescale == "lazy":
            rescale += f", lazy_log2 = {self.source.randint(1, 12)}"
        sums = self.chance(0.15)
        is_narrow = self.chances.random() < OF_8_BITS
        steps = self.times(stages, left_out(scale, "fp8" if is_narrow else "bf16"), sums, stagger,
                           buffers)
        drawn = [(i, [s for s in steps if s.time % stages == i]) for i in range(stages)]
        made = [self.stage(i, part, stages, sums) for i, part in drawn if part]
        if len(made) < stages:  # a stage without steps: the others move together
            return Maker(f"{self.number}", self.source.random()).renumbered(self.number)
        times = [s.time // stages for s in steps]
        schedule = Schedule(
            self.number, *shape[:3], self.pick([1, 2, 2]), shape[3], buffers,
            (self.pick([0, 16, 64, 128]), self.pick([0, 16, 64, 128])), rescale, scale,
            self.pick(["rescale", "rescale", "off", "softmax"]),
            self.pick(["linear", "linear", "longest_first", "head_major"]), None, tiles,
            min(stagger, tiles * stages), self.pick(["free", "grouped", "pinned"]), made,
            max(times) - min(times), self.pick([32, 32, 32, 64]),
            self.pick(["bf16", "f16"]))
        if sums:
            schedule.sums = self.pick([(1, 1, 2), shape[3]])
        schedule.layout = tuple(self.pick(LAYOUTS) for _ in "kv")
        if is_narrow:
            self.narrow(schedule)
        if self.policies.random() < CACHED:
            schedule.cache = ", ".join(
                f"{operand} = "
                + " ".join(self.policies.sample(CACHE_BITS, self.policies.randint(1, 3)))
                for operand in self.policies.sample(CACHE_OPERANDS, self.policies.randint(1, 4)))
        return schedule

    def narrow(self, schedule):
        """Elements of 8 bits, and what goes with them."""
        schedule.dtype = "fp8"
        (schedule.tile_m, schedule.tile_n, schedule.waves,
         schedule.product) = self.chances.choice(SHAPES_OF_8_BITS)
        if schedule.scale == "q":
            schedule.scale = "fma"
        late = re.search(r"lazy_log2 = (\d+)", schedule.rescale)
        if late:
            schedule.rescale = "lazy, lazy_log2 = " + str(
                1 + int(late[1]) % MOST_LATE_LOG2)
        if schedule.sums:
            schedule.sums = schedule.product

    def renumbered(self, number):
        schedule = self.make()
        schedule.number = number
        return schedule


def make(seed, number):
    return Maker(seed, number).make()
