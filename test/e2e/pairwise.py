# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that hold every pair of values of every two axes, where constraints allow.

Deterministic and greedy: a row starts from the first pair that no row has yet, the
other axes take the value that adds most pairs. A constraint is (axes, predicate of
their values); it is asked as soon as the last of its axes has a value.
"""
import itertools


class Cover:
    def __init__(self, axes, constraints):
        """`axes` is name -> values; axes of many constraints come first."""
        self.axes = axes
        self.order = list(axes)
        self.constraints = constraints
        self.by_axis = {name: [c for c in constraints if name in c[0]]
                        for name in axes}
        self.tried = 0

    def allowed(self, row, axis):
        """Whether the constraints of `axis` hold as far as they can be asked."""
        return all(predicate(*(row[a] for a in names))
                   for names, predicate in self.by_axis[axis]
                   if all(a in row for a in names))

    def complete(self, row, left, gain):
        """Fills in the axes of `left`, best values first; None if none fit."""
        if not left:
            return row
        axis, rest = left[0], left[1:]
        values = self.axes[axis]
        self.tried += 1
        turn = self.tried % len(values)  # ties go round
        ranked = sorted(range(len(values)),
                        key=lambda i: (-gain(row, axis, values[i]),
                                       (i - turn) % len(values)))
        for i in ranked:
            longer = dict(row)
            longer[axis] = values[i]
            if self.allowed(longer, axis):
                found = self.complete(longer, rest, gain)
                if found is not None:
                    return found
        return None

    def rows(self):
        """The rows; `self.impossible` holds the pairs that constraints exclude."""
        position = {name: i for i, name in enumerate(self.order)}
        wanted = dict.fromkeys(
            ((a, x), (b, y)) for a, b in itertools.combinations(self.order, 2)
            for x in self.axes[a] for y in self.axes[b])

        def pair(a, x, b, y):
            return ((a, x), (b, y)) if position[a] < position[b] else (
                (b, y), (a, x))

        def gain(row, axis, value):
            return sum(pair(axis, value, a, v) in wanted for a, v in row.items())

        self.impossible, rows = set(), []
        while wanted:
            seed = next(iter(wanted))
            row = self.complete_seed(seed, gain)
            if row is None:
                self.impossible.add(seed)
                del wanted[seed]
                continue
            row = {name: row[name] for name in self.order}
            rows.append(row)
            for a, b in itertools.combinations(self.order, 2):
                wanted.pop(((a, row[a]), (b, row[b])), None)
        return rows

    def complete_seed(self, seed, gain):
        row = dict(seed)
        if not all(self.allowed(row, axis) for axis in row):
            return None
        # What a constraint ties to the seed comes first: no fit shows at once.
        tied = {name for axis in row for names, _ in self.by_axis[axis]
                for name in names}
        left = [name for name in self.order if name not in row]
        left.sort(key=lambda name: name not in tied)
        return self.complete(row, left, gain)
