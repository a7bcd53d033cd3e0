# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random kernels. A kernel is a function of its seed: typed local variables, random
statements on them, every variable written out at the end.

Nothing that is generated is undefined: operations.h gives every operator a meaning on
all values; indices are taken modulo; loops are bounded; barriers and exchanges between
lanes stand where the whole workgroup passes; atomics use one operator a slot and do not
look at what comes back.
"""
import random

INTEGERS = ["u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"]
FLOATS = ["f16", "f32", "f64"]
WIDTH = {t: int(t[1:]) for t in INTEGERS}
VECTORS = {"u32x2": ("u32", 2), "u32x4": ("u32", 4), "u16x2": ("u16", 2),
           "s16x2": ("s16", 2), "u16x4": ("u16", 4), "u8x4": ("u8", 4),
           "s8x4": ("s8", 4), "u64x2": ("u64", 2), "f32x2": ("f32", 2),
           "f32x4": ("f32", 4), "f16x2": ("f16", 2), "f16x4": ("f16", 4),
           "f64x2": ("f64", 2)}
INPUTS = {"u32": 512, "u64": 256, "u8": 512, "s16": 256, "f32": 512, "f64": 256,
          "f16": 256}
ATOMICS = ["add", "xor", "or", "and", "min", "max"]
SHAPES = [1, 7, 33, 64, 64, 65, 100, 128, 128, 192, 256, 320, 512]
DPP_CONTROLS = [0x1b, 0xb1, 0x4e, 0x101, 0x103, 0x111, 0x112, 0x118, 0x121, 0x124,
                0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143, 0x150, 0x157]

# How a group of kernels is compiled: (name, gfx950 flags, x86-64 flags).
OPTIONS = [
    ("plain", [], []),
    ("preloaded arguments", ["-mllvm", "-amdgpu-kernarg-preload-count=8"], []),
    ("calls", ["-fno-inline"], []),
    ("plain", [], []),
    ("early if-conversion", ["-mllvm", "-amdgpu-early-ifcvt", "-mllvm",
                             "-amdgpu-bypass-slow-div=0"], []),
    ("contraction", ["-ffp-contract=on"], ["-ffp-contract=on", "-mfma"]),
    ("atomic optimizer", ["-mllvm", "-amdgpu-atomic-optimizer-strategy=Iterative"],
     []),
    ("no peepholes", ["-mllvm", "-amdgpu-sdwa-peephole=0", "-mllvm",
                      "-amdgpu-dpp-combine=0", "-mllvm",
                      "-amdgpu-load-store-vectorizer=0"], []),
    ("vector loads", ["-mllvm", "-amdgpu-scalarize-global-loads=0"], []),
    ("index mode", ["-mllvm", "-amdgpu-vgpr-index-mode"], []),
    ("arrays in registers", ["-mllvm", "-amdgpu-promote-alloca-to-vector-limit=512",
                             "-mllvm", "-amdgpu-use-divergent-register-indexing"], []),
    ("scratch only", ["-mllvm", "-disable-promote-alloca-to-vector", "-mllvm",
                      "-disable-promote-alloca-to-lds"], []),
    ("plain code", ["-mllvm", "-amdgpu-codegenprepare-mul24=0", "-mllvm",
                    "-amdgpu-codegenprepare-expand-div64"], []),
]
ATTRIBUTES = [None] * 6 + [
    "amdgpu_num_vgpr(40)", "amdgpu_num_vgpr(56)", "amdgpu_waves_per_eu(8, 8)",
    "amdgpu_num_sgpr(48)", "amdgpu_flat_work_group_size(1, 512)"]


class Kernel:
    """Grows one kernel."""

    def __init__(self, seed, contract):
        self.r = random.Random(seed)
        self.seed = seed
        self.contract = contract
        # Only what says so may be contracted.
        self.vectors = {t: v for t, v in VECTORS.items()
                        if not contract or v[0][0] != "f"}
        self.inputs = INPUTS  # what expressions may load from
        self.name = f"random_{seed}"
        self.lines = []
        self.functions = []
        self.shared = []
        self.indent = 1
        self.scopes = [{}]  # type -> names, innermost last
        self.fixed = set()  # names that are not assigned to
        self.fallen_into = False  # in a case that another falls into
        self.arrays = []  # (name, type, count)
        self.names = 0
        self.loop_depth = 0
        self.atomics_used = False
        self.synchronises = self.r.random() < 0.55
        # Results depend on the sizes of the workgroup only through these.
        self.items = self.r.choice(SHAPES)
        self.block = self.factor(self.items)
        self.groups = self.r.choice([1, 1, 2, 3, 4])
        self.grid = (1, self.groups, 1) if self.r.random() < 0.2 else (self.groups, 1, 1)
        all_items = self.items * self.groups
        self.count = all_items - (self.r.randrange(self.items)
                                  if self.r.random() < 0.5 else 0)

    def factor(self, n):
        choices = [(n, 1, 1)]
        choices += [(n // k, k, 1) for k in (2, 4, 5, 8) if n % k == 0]
        choices += [(n // (2 * k), k, 2) for k in (2, 4) if n % (2 * k) == 0]
        return self.r.choice(choices[:1] * 2 + choices)

    # --- names -------------------------------------------------------------------

    def fresh(self, prefix="v"):
        self.names += 1
        return f"{prefix}{self.names}"

    def variables(self, kind):
        return [name for scope in self.scopes for name in scope.get(kind, ())]

    def declare(self, kind, name, fixed=False):
        self.scopes[-1].setdefault(kind, []).append(name)
        if fixed:
            self.fixed.add(name)

    def emit(self, text):
        self.lines.append("  " * self.indent + text)

    # --- leaves ------------------------------------------------------------------

    def integer_constant(self, t):
        w, r = WIDTH[t], self.r
        value = r.choice([0, 1, 2, 3, 7, 31, 255, 2 ** (w - 1) - 1, 2 ** (w - 1),
                          2 ** w - 1, 2 ** r.randrange(w), 2 ** r.randrange(w) - 1,
                          2 ** w - r.randrange(1, 65), r.randrange(65),
                          r.getrandbits(w), r.getrandbits(w)]) % 2 ** w
        return f"({t}){value:#x}{'ul' if w == 64 else 'u'}"

    def float_constant(self, t):
        value = self.r.choice(
            ["0.0", "-0.0", "1.0", "-1.0", "0.5", "2.0", "-4.0", "0.1", "1.5", "3.0",
             "-7.25", "100.0", "0x1p-14", "0x1.8p-15", "65504.0", "0x1p-24"]
            + ([] if t == "f16" else ["1e30", "-3e-30", "0x1p-126", "0x1p-149"])
            + (["1e300", "0x1p-1022", "0x1p-1074"] if t == "f64" else [])
            + [repr(round(self.r.uniform(-50, 50), 3))])
        return f"({t})({value})"

    def load(self, t):
        count = INPUTS[t]
        return f"in_{t}[{self.index()} % {count}u]"

    def index(self):
        """An unsigned 32-bit expression for an index."""
        return self.r.choice([
            lambda: "i", lambda: "l", lambda: f"(i + {self.r.randrange(600)}u)",
            lambda: self.expression("u32", 1), lambda: f"(l * {self.r.randrange(9)}u + g)",
            lambda: f"(u32){self.expression('u16', 1)}"])()

    def leaf(self, t):
        names = self.variables(t)
        choice = self.r.random()
        if names and choice < 0.62:
            return self.r.choice(names)
        if t in VECTORS:
            return f"({t}){self.leaf(VECTORS[t][0])}"
        if t in self.inputs and choice < 0.72:
            return self.load(t)
        arrays = [a for a in self.arrays if a[1] == t]
        if arrays and choice < 0.84:
            name, _, count = self.r.choice(arrays)
            return f"{name}[{self.index()} % {count}u]"
        vectors = [(n, k) for k, (e, _) in VECTORS.items() if e == t
                   for n in self.variables(k)]
        if vectors and choice < 0.92:
            name, kind = self.r.choice(vectors)
            return f"{name}[{self.r.randrange(VECTORS[kind][1])}]"
        if t in INTEGERS:
            return self.integer_constant(t)
        return self.float_constant(t)

    # --- expressions -------------------------------------------------------------

    def condition(self, depth):
        r = self.r
        kind = r.random()
        if kind < 0.5:
            t = r.choice(INTEGERS)
            op = r.choice(["<", "<=", ">", ">=", "==", "!="])
            return f"({self.expression(t, depth - 1)} {op} {self.expression(t, depth - 1)})"
        if kind < 0.75:
            t = r.choice(FLOATS)
            op = r.choice(["<", "<=", ">", ">=", "==", "!="])
            text = f"({self.expression(t, depth - 1)} {op} {self.expression(t, depth - 1)})"
            return f"(!{text})" if r.random() < 0.3 else text
        if kind < 0.85:
            return f"(({self.expression('u32', depth - 1)} & {1 << r.randrange(6)}u) != 0)"
        op = r.choice(["&&", "||", "!="])
        return f"({self.condition(depth - 1)} {op} {self.condition(depth - 1)})" \
            if depth > 0 else f"({self.leaf('u32')} > {self.integer_constant('u32')})"

    def expression(self, t, depth):
        if depth <= 0 or self.r.random() < 0.08:
            return self.leaf(t)
        if t in VECTORS:
            return self.vector(t, depth)
        if t in INTEGERS:
            return self.integer(t, depth)
        return self.floating(t, depth)

    def integer(self, t, depth):
        r, w = self.r, WIDTH[t]

        def e(kind=t):
            return self.expression(kind, depth - 1)

        def shift():
            return r.choice([str(r.randrange(w)) + "u",
                             f"(u32){self.expression(r.choice(['u32', 'u8', t]), depth - 1)}"])

        def either(a, b):  # clang 22 loses a half of 64 bits that is -1
            return f"or_{t}({a}, {b})" if w == 64 else f"({t})({a} | {b})"
        choices = [
            (10, lambda: f"add_{t}({e()}, {e()})"),
            (7, lambda: f"sub_{t}({e()}, {e()})"),
            (6, lambda: f"mul_{t}({e()}, {e()})"),
            (2, lambda: f"div_{t}({e()}, {e()})"),
            (2, lambda: f"rem_{t}({e()}, {e()})"),
            (1, lambda: f"div_{t}({e()}, {self.integer_constant(t)})"),
            (1, lambda: f"rem_{t}({e()}, {self.integer_constant(t)})"),
            (5, lambda: f"({t})({e()} & {e()})"),
            (5, lambda: either(e(), e())),
            (5, lambda: f"({t})({e()} ^ {e()})"),
            (2, lambda: f"not_{t}({e()})"),
            (2, lambda: f"({t})({e()} & not_{t}({e()}))"),
            (2, lambda: either(f"({e()} & {e()})", e())),
            (2, lambda: f"({t})({e()} ^ {e()} ^ {e()})"),
            (2, lambda: f"add_{t}(shl_{t}({e()}, {r.randrange(1, 5)}u), {e()})"),
            (2, lambda: f"add_{t}(add_{t}({e()}, {e()}), {e()})"),
            (2, lambda: f"add_{t}(mul_{t}({e()}, {e()}), {e()})"),
            (5, lambda: f"shl_{t}({e()}, {shift()})"),
            (5, lambda: f"shr_{t}({e()}, {shift()})"),
            (2, lambda: f"rot_{t}({e()}, {shift()})"),
            (3, lambda: f"min_{t}({e()}, {e()})"),
            (3, lambda: f"max_{t}({e()}, {e()})"),
            (2, lambda: f"clamp_{t}({e()}, {e()}, {e()})"),
            (1, lambda: f"abs_{t}({e()})"),
            (1, lambda: f"distance_{t}({e()}, {e()})"),
            (2, lambda: f"add_sat_{t}({e()}, {e()})"),
            (2, lambda: f"sub_sat_{t}({e()}, {e()})"),
            (1, lambda: f"popcount_{t}({e()})"),
            (1, lambda: f"clz_{t}({e()})"),
            (1, lambda: f"ctz_{t}({e()})"),
            (1, lambda: f"reverse_{t}({e()})"),
            (2, lambda: f"field_{t}({e()}, {r.randrange(w)}u, {r.randrange(w)}u)"),
            (1, lambda: f"field_{t}({e()}, {shift()}, {shift()})"),
            (1, lambda: f"insert_{t}({e()}, {e()}, {e()})"),
            (1, lambda: f"overflow_{t}({e()}, {e()})"),
            (1, lambda: f"overflow_mul_{t}({e()}, {e()})"),
            (5, lambda: f"({self.condition(depth - 1)} ? {e()} : {e()})"),
            (2, lambda: f"({t}){self.condition(depth - 1)}"),
            (8, lambda: f"({t}){e(r.choice(INTEGERS))}"),
            (3, lambda: f"{t}_of_{(f := r.choice(FLOATS))}({e(f)})"),
        ]
        if t in ("u32", "s32", "u64", "s64"):
            choices.append((2, lambda: f"mul_high_{t}({e()}, {e()})"))
        if t in ("u16", "u32", "u64"):
            choices.append((1, lambda: f"swap_{t}({e()})"))
            f = {"u16": "f16", "u32": "f32", "u64": "f64"}[t]
            choices.append((2, lambda: f"bits_{f}({e(f)})"))
        if t == "s32":  # products and sums that int holds without wrapping
            choices.append((3, lambda: f"({e('s16')} * {e('s16')} + {e('s16')})"))
            choices.append((2, lambda: f"({e('s8')} * {e('s8')} - {e('u8')} * {e('s8')})"))
        if t in ("u64", "s64"):
            n = "u32" if t == "u64" else "s32"
            choices.append((2, lambda: f"({t})(({t}){e(n)} * ({t}){e(n)})"))
        return self.pick(choices)

    def floating(self, t, depth):
        r = self.r

        def e(kind=t):
            return self.expression(kind, depth - 1)
        choices = [
            (10, lambda: f"add_{t}({e()}, {e()})"),
            (7, lambda: f"sub_{t}({e()}, {e()})"),
            (10, lambda: f"mul_{t}({e()}, {e()})"),
            (4, lambda: f"div_{t}({e()}, {e()})"),
            (2, lambda: f"sqrt_{t}(abs_{t}({e()}))"),
            (1, lambda: f"sqrt_{t}({e()})"),
            (6, lambda: f"fused_{t}({e()}, {e()}, {e()})"),
            (3, lambda: f"least_{t}({e()}, {e()})"),
            (3, lambda: f"most_{t}({e()}, {e()})"),
            (2, lambda: f"clamp_{t}({e()}, {self.float_constant(t)}, {self.float_constant(t)})"),
            (3, lambda: f"neg_{t}({e()})"),
            (3, lambda: f"abs_{t}({e()})"),
            (1, lambda: f"floor_{t}({e()})"),
            (1, lambda: f"ceil_{t}({e()})"),
            (1, lambda: f"trunc_{t}({e()})"),
            (1, lambda: f"rint_{t}({e()})"),
            (2, lambda: f"sign_{t}({e()}, {e()})"),
            (2, lambda: f"scale_{t}({e()}, (s32){e(r.choice(['s32', 'u8']))})"),
            (4, lambda: f"({self.condition(depth - 1)} ? {e()} : {e()})"),
        ]
        if t == "f16":
            choices += [(3, lambda: f"f16_of_f32({e('f32')})"),
                        (2, lambda: f"f16_of_f64({e('f64')})"),
                        (2, lambda: f"f16_of_s32({e('s32')})"),
                        (2, lambda: f"(f16){e('u8')}"),
                        (1, lambda: f"from_bits_f16({e('u16')})")]
        else:
            bits = "u32" if t == "f32" else "u64"
            choices += [(6, lambda: f"({t}){e(r.choice(INTEGERS))}"),
                        (4, lambda: f"({t}){e(r.choice(FLOATS))}"),
                        (1, lambda: f"from_bits_{t}({e(bits)})")]
            if t == "f32":
                choices.append((1, lambda: f"(f32)(bf16){e()}"))
            if self.contract:  # one expression: both compilers fuse it
                def product():
                    return f"opaque_{t}({e()}) * {e()}"
                choices += [(8, lambda: f"({product()} + {e()})"),
                            (4, lambda: f"({product()} - {e()})"),
                            (4, lambda: f"({e()} - {product()})")]
        return self.pick(choices)

    def vector(self, t, depth):
        r = self.r
        element, count = VECTORS[t]

        def e():
            return self.expression(t, depth - 1)

        def scalar():
            return self.element(element, depth - 1)
        lanes = "xyzw"[:count]

        def arithmetic(op):  # signed elements must not overflow
            if element[0] == "f" and op == "-":
                return f"SUB_VECTOR({t}, {e()}, {e()})"
            unsigned = "u" + t[1:]
            if element in ("u8", "s8") and op == "*":  # clang 22 crashes on sums of them
                return f"({t})MUL_BYTES({unsigned}, ({unsigned}){e()}, ({unsigned}){e()})"
            if element[0] != "s":
                return f"({e()} {op} {e()})"
            return f"({t})(({unsigned}){e()} {op} ({unsigned}){e()})"
        choices = [
            (4, lambda: f"(({t}){{{', '.join(scalar() for _ in range(count))}}})"),
            (3, lambda: f"({t}){scalar()}"),
            (3, lambda: f"{r.choice(self.variables(t))}."
             + "".join(r.choice(lanes) for _ in range(count))
             if self.variables(t) else f"({t}){scalar()}"),
            (8, lambda: arithmetic("+")), (6, lambda: arithmetic("-")),
            (6, lambda: arithmetic("*")),
            (3, lambda: f"({self.condition(depth - 1)} ? {e()} : {e()})"),
        ]
        if element in INTEGERS:
            mask = WIDTH[element] - 1
            choices += [
                (3, lambda: f"({e()} & {e()})"),
                (3, lambda: f"({e()} | {e()})" if element != "u64" else f"or_{t}({e()}, {e()})"),
                (3, lambda: f"({e()} ^ {e()})"),
                (2 if element != "u64" else 0, lambda: f"(~{e()})"),
                (3, lambda: f"({e()} >> ({e()} & ({element}){mask}))"),
                (3, lambda: f"__builtin_elementwise_min({e()}, {e()})"),
                (3, lambda: f"__builtin_elementwise_max({e()}, {e()})"),
            ]
            if mask < 63:
                choices += [
                    (2, lambda: f"__builtin_elementwise_add_sat({e()}, {e()})"),
                    (2, lambda: f"__builtin_elementwise_sub_sat({e()}, {e()})"),
                ]
            if element in ("u8", "u16", "u32"):
                choices += [(3, lambda: f"({e()} << ({e()} & ({element}){mask}))"),
                            (1, lambda: f"({e()} / ({e()} | ({element})1))")]
        else:
            choices += [(2, lambda: f"(-{e()})"), (2, lambda: f"({e()} / {e()})")]
        return self.pick(choices)

    def element(self, t, depth):
        """An element of a vector; clang 22 takes a -0 of f16 for 0 there."""
        return self.expression(t, depth).replace("(f16)(-0.0)", "hidden_f16((f16)(-0.0))")

    def pick(self, choices):
        return self.r.choices([c for _, c in choices], [n for n, _ in choices])[0]()

    # --- statements --------------------------------------------------------------

    def any_type(self):
        return self.r.choice(INTEGERS + ["u32", "s32", "u32", "u64"] + FLOATS
                             + ["f32", "f32", "f64"])

    def depth(self):
        return self.r.choice([1, 2, 2, 3, 3, 4])

    def new_variable(self):
        t = self.r.choice(list(self.vectors)) if self.r.random() < 0.15 else self.any_type()
        name = self.fresh()
        self.emit(f"{t} {name} = {self.expression(t, self.depth())};")
        self.declare(t, name)

    def assignment(self):
        every = [(t, n) for scope in self.scopes for t, names in scope.items()
                 for n in names if n not in self.fixed]
        if not every:
            return self.new_variable()
        t, name = self.r.choice(every)
        if t in VECTORS and self.r.random() < 0.4:
            element, count = VECTORS[t]
            where = (f"{self.index()} % {count}u"
                     if count > 2 and self.r.random() < 0.5
                     else self.r.randrange(count))
            self.emit(f"{name}[{where}] = {self.element(element, 2)};")
        else:
            self.emit(f"{name} = {self.expression(t, self.depth())};")
        if self.fallen_into:
            bytes_ = VECTORS.get(t, (t, 1))[0] in ("u8", "s8")
            self.emit(f"HIDE{'_BYTES' if bytes_ else ''}({name});")

    def body(self, statements, uniform):
        self.scopes.append({})
        arrays = len(self.arrays)
        self.indent += 1
        for _ in range(statements):
            self.statement(uniform)
        self.indent -= 1
        del self.arrays[arrays:]
        self.scopes.pop()

    def branch(self):
        self.emit(f"if ({self.condition(2)}) {{")
        self.body(self.r.randrange(1, 4), False)
        if self.r.random() < 0.5:
            self.emit("} else {")
            self.body(self.r.randrange(1, 3), False)
        self.emit("}")

    def switch(self):
        ways = self.r.randrange(2, 7)
        self.emit(f"switch ({self.expression('u32', 2)} % {ways + 1}u) {{")
        outer = self.fallen_into
        for way in range(ways):
            self.emit(f"case {way}: {{")
            self.body(self.r.randrange(1, 3), False)
            falls = self.r.random() < 0.2 and way + 1 < ways
            self.emit("}" if falls else "} break;")
            self.fallen_into = falls or outer
        self.fallen_into = outer
        self.emit("default: {")
        self.body(1, False)
        self.emit("}")
        self.emit("}")

    def loop(self, uniform):
        name = self.fresh("t")
        self.loop_depth += 1
        stays_uniform = uniform and self.r.random() < 0.5
        most = self.r.choice([2, 3, 4, 7]) if self.loop_depth < 2 else 3
        trips = (str(self.r.randrange(1, most + 1)) + "u" if stays_uniform
                 else f"({self.expression('u32', 1)} % {most + 1}u)")
        limit = self.fresh("n")
        self.emit(f"u32 {limit} = {trips};")
        if self.r.random() < 0.7:
            self.emit(f"for (u32 {name} = 0; {name} < {limit}; {name}++) {{")
            ending = "}"
        else:
            self.emit(f"u32 {name} = 0;")
            self.emit(f"while ({name}++ < {limit}) {{")
            ending = "}"
        self.scopes.append({"u32": [name]})
        self.fixed.add(name)
        self.body(self.r.randrange(1, 4), stays_uniform)
        self.scopes.pop()
        if not stays_uniform and self.r.random() < 0.4:
            word = self.r.choice(["break", "continue"])
            self.indent += 1
            self.emit(f"if ({self.condition(1)}) {word};")
            self.indent -= 1
            self.scopes.append({"u32": [name]})
            self.body(1, False)
            self.scopes.pop()
        self.emit(ending)
        self.loop_depth -= 1

    def private_array(self):
        t = self.any_type()
        count = self.r.choice([3, 4, 5, 8, 16])
        name, at = self.fresh("a"), self.fresh("t")
        self.emit(f"{t} {name}[{count}];")
        self.emit(f"for (u32 {at} = 0; {at} < {count}u; {at}++)")
        self.scopes.append({"u32": [at]})
        self.fixed.add(at)
        self.emit(f"  {name}[{at}] = {self.expression(t, 2)};")
        self.scopes.pop()
        self.arrays.append((name, t, count))
        if self.r.random() < 0.7:
            self.store_to_array()

    def store_to_array(self):
        if not self.arrays:
            return self.private_array()
        name, t, count = self.r.choice(self.arrays)
        return self.emit(f"{name}[{self.index()} % {count}u] = "
                         f"{self.expression(t, self.depth())};")

    def exchange(self):
        """Through LDS: each work-item writes its slot and reads others."""
        t = self.r.choice(INTEGERS + FLOATS + [v for v in ("u32x2", "u32x4", "f32x2")
                                               if v in self.vectors])
        tile = self.fresh("tile")
        self.shared.append(f"SHARED {t} {self.name}_{tile}[{self.items}];")
        tile = f"{self.name}_{tile}"
        self.emit(f"{tile}[l] = {self.expression(t, 2)};")
        self.emit("barrier();")
        for _ in range(self.r.randrange(1, 3)):
            name = self.fresh()
            self.emit(f"{t} {name} = {tile}[{self.index()} % {self.items}u];")
            self.declare(t, name)
        self.emit("barrier();")

    def shared_atomic(self):
        t = self.r.choice(["u32", "u32", "s32", "u64"])
        op = self.r.choice(ATOMICS)
        slots = self.r.choice([1, 3, 8])
        name = f"{self.name}_{self.fresh('slots')}"
        self.shared.append(f"SHARED {t} {name}[{slots}];")
        start = self.integer_constant(t)
        self.emit(f"for (u32 z = l; z < {slots}u; z += {self.items}u) {name}[z] = {start};")
        self.emit("barrier();")
        guard = f"if ({self.condition(1)}) " if self.r.random() < 0.4 else ""
        self.emit(f"{guard}__scoped_atomic_fetch_{op}(&{name}[{self.index()} % {slots}u], "
                  f"{self.expression(t, 2)}, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);")
        self.emit("barrier();")
        value = self.fresh()
        self.emit(f"{t} {value} = {name}[{self.index()} % {slots}u];")
        self.declare(t, value)
        self.emit("barrier();")

    def global_atomic(self):
        self.atomics_used = True
        wide = self.r.random() < 0.3
        t = "u64" if wide else "u32"
        k = self.r.randrange(len(ATOMICS))
        self.emit(f"__scoped_atomic_fetch_{ATOMICS[k]}(&{'wide' if wide else 'slots'}"
                  f"[{k} + {len(ATOMICS)} * ({self.index()} % 2u)], "
                  f"{self.expression(t, 2)}, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);")

    def wave_operation(self):
        r = self.r
        name = self.fresh()
        x = self.fresh("x")
        self.emit(f"u32 {x} = {self.expression('u32', 2)};")
        self.declare("u32", x, fixed=True)
        kind = r.randrange(8)
        if kind == 0:
            self.emit(f"u64 {name} = wave_ballot({self.condition(2)});")
            self.declare("u64", name)
            below = self.fresh()
            self.emit(f"u32 {below} = wave_count_below({name});")
            self.declare("u32", below)
            return
        text = [
            None,
            lambda: f"wave_shuffle({x}, (lane ^ {r.randrange(64)}u) % wave_lanes())",
            lambda: f"wave_shuffle({x}, {self.index()} % wave_lanes())",
            lambda: f"wave_first({x})",
            lambda: f"wave_read({x}, {r.randrange(self.items % 64 or 64)}u)",
            lambda: f"WAVE_DPP({self.leaf('u32')}, {x}, {r.choice(DPP_CONTROLS):#x}, "
                    f"{r.choice(['0xf', '0xf', '0xa', '0x3'])}, "
                    f"{r.choice(['0xf', '0xf', '0x5', '0xc'])}, {r.randrange(2)})",
            lambda: f"add_u32({x}, WAVE_DPP(0, {x}, {r.choice(DPP_CONTROLS):#x}, 0xf, 0xf, 1))",
            lambda: f"WAVE_SWIZZLE({x}, {r.choice([0x041f, 0x7c1f, 0x401f, 0x0018, 0x801b]):#x})",
        ][kind]()
        self.emit(f"u32 {name} = {text};")
        self.declare("u32", name)

    def call(self):
        """A function that stays one, on random types."""
        result = self.any_type()
        kinds = [self.any_type() for _ in range(self.r.randrange(1, 7))]
        function = f"{self.name}_f{len(self.functions)}"
        outer = (self.scopes, self.arrays, self.lines, self.indent, self.fixed)
        self.scopes, self.arrays, self.lines, self.indent = [{}], [], [], 1
        self.fixed = set()
        parameters = []
        for k, t in enumerate(kinds):
            parameters.append(f"{t} p{k}")
            self.declare(t, f"p{k}")
        text = self.function_body(result)
        self.scopes, self.arrays, self.lines, self.indent, self.fixed = outer
        self.functions.append(f"NOINLINE static {result} {function}({', '.join(parameters)}) {{\n"
                            + text + "}\n")
        name = self.fresh()
        self.emit(f"{result} {name} = {function}("
                  + ", ".join(self.expression(t, 1) for t in kinds) + ");")
        self.declare(result, name)

    def function_body(self, result):
        """No memory but its own, no exchange."""
        self.inputs = {}
        self.emit("u32 i = 3, l = 5, g = 1;")
        self.emit("(void)i, (void)l, (void)g;")
        for _ in range(self.r.randrange(1, 4)):
            self.pick([(4, self.new_variable), (2, self.assignment),
                       (1, self.store_to_array)])
        if self.r.random() < 0.5:
            self.emit(f"if ({self.condition(2)}) return {self.expression(result, 2)};")
        self.emit(f"return {self.expression(result, 3)};")
        self.inputs = INPUTS
        return "\n".join(self.lines) + "\n"

    def statement(self, uniform):
        deep = self.indent > 4
        choices = [(8, self.new_variable), (8, self.assignment),
                   (1, self.store_to_array), (1, self.global_atomic)]
        if not deep:
            choices += [(3, self.branch), (1, self.switch),
                        (3, lambda: self.loop(uniform)), (1, self.private_array)]
            if len(self.functions) < 3:
                choices.append((1, self.call))
        if uniform and self.synchronises:
            choices += [(2, self.exchange), (1, self.shared_atomic),
                        (3, self.wave_operation)]
        self.pick(choices)
        if not uniform and not self.synchronises and self.loop_depth == 0 \
                and self.r.random() < 0.04:
            self.emit(f"if ({self.condition(1)}) return;")

    # --- the whole ---------------------------------------------------------------

    def source(self):
        r = self.r
        arguments = [(f"GLOBAL const {t} *", f"in_{t}") for t in INPUTS]
        scalars = [(r.choice(["u32", "s32", "u64", "f32", "u16", "f64"]), f"scalar{k}")
                   for k in range(r.randrange(1, 5))]
        for t, name in scalars:
            self.declare(t, name)
        self.emit("u32 l = local_linear(), i = global_linear(), g = group_linear();")
        self.emit("u32 lane = l % 64u;")
        for name in ("l", "i", "g", "lane"):
            self.declare("u32", name, fixed=True)
        if self.synchronises:
            self.emit("_Bool mine = i < count;")
        else:
            self.emit("if (i >= count) return;")
        for _ in range(r.randrange(2, 5)):
            self.new_variable()
        for _ in range(r.randrange(6, 16)):
            self.statement(True)
        outputs = self.write_results()
        arguments += [(f"GLOBAL {t} *", f"out_{t}") for t in outputs]
        arguments += [("GLOBAL u32 *", "slots"), ("GLOBAL u64 *", "wide"), ("u32", "count")]
        arguments += scalars
        r.shuffle(arguments)
        return self.text(arguments, outputs, scalars)

    def write_results(self):
        outputs = {}
        guard = "if (mine) " if self.synchronises else ""
        for t, names in self.scopes[0].items():
            for name in names:
                if name in ("l", "i", "g", "lane"):
                    continue
                element, count = VECTORS.get(t, (t, 1))
                for k in range(count):
                    value = f"{name}[{k}]" if t in VECTORS else name
                    column = outputs.get(element, 0)
                    outputs[element] = column + 1
                    self.emit(f"{guard}out_{element}[{column}u * count + i] = {value};")
        return outputs

    def text(self, arguments, outputs, scalars):
        r = self.r
        values = {"u32": "I", "s32": "i", "u64": "Q", "f32": "f", "u16": "H", "f64": "d"}

        def described(kind, name):
            if name.startswith("in_"):
                t = name[3:]
                contents = r.choice(["any", "any", "moderate", "finite"])
                return f'inp("{t}", {INPUTS[t]}, "{contents}")'
            if name.startswith("out_"):
                t = name[4:]
                return f'out("{t}", {outputs[t] * self.count})'
            if name == "slots":
                return f'both("u32", {2 * len(ATOMICS)}, "any")'
            if name == "wide":
                return f'both("u64", {2 * len(ATOMICS)}, "any")'
            if name == "count":
                return f'val("I", {self.count})'
            value = {"u32": r.getrandbits(32), "s32": r.getrandbits(31) - 2 ** 30,
                     "u64": r.getrandbits(64), "u16": r.getrandbits(16),
                     "f32": round(r.uniform(-9, 9), 2), "f64": r.uniform(-99, 99)}[kind]
            return f'val("{values[kind]}", {value})'
        lines = [f'//| launch("{self.name}", [']
        lines += [f"//|     {described(*a)}," for a in arguments]
        lines += [f"//| ], grid={self.grid}, block={self.block})"]
        attribute = r.choice(ATTRIBUTES)
        head = (f"KERNEL_WITH(({attribute}), {self.name}, " if attribute
                else f"KERNEL({self.name}, ")
        lines += self.shared + self.functions
        lines.append(head + ", ".join(f"({t}, {n})" for t, n in arguments) + ") {")
        return "\n".join(lines + self.lines + ["}"]) + "\n"


def unit_source(group, seeds):
    """The source of several kernels, compiled as their group says."""
    name, gfx950, x86_64 = OPTIONS[group % len(OPTIONS)]
    lines = ["// Generated by test/differential/generate.py; options: " + name,
             "//| gfx950(" + ", ".join(repr(f) for f in ["-w"] + gfx950) + ")",
             "//| x86_64(" + ", ".join(repr(f) for f in ["-w"] + x86_64) + ")",
             '#include "operations.h"', ""]
    for seed in seeds:
        lines.append(Kernel(seed, name == "contraction").source())
    return "\n".join(lines)
