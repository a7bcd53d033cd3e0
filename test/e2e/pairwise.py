# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that hold every pair of values of every two axes, where constraints allow.

Deterministic and greedy: a row starts from the first pair that no row has yet, the
other axes take the value that adds most pairs. A constraint is (axes, predicate of
their values); it is asked as soon as the last of its axes has a value.

That a pair fits no row takes a search of all rows. A dead end is searched once: it is known
again by the values that constraints of the axes that are left ask for.
"""
import functools
import itertools


class Cover:
    def __init__(self, axes, constraints):
        """`axes` is name -> values; axes of many constraints come first."""
        self.axes = axes
        self.order = list(axes)
        constraints = [(names, functools.cache(holds)) for names, holds in constraints]
        self.by_axis = {name: [c for c in constraints if name in c[0]]
                        for name in axes}
        self.tried = 0

    def allowed(self, row, axis):
        """Whether the constraints of `axis` hold as far as they can be asked."""
        return all(predicate(*(row[a] for a in names))
                   for names, predicate in self.by_axis[axis]
                   if all(a in row for a in names))

    def level_of(self, row, left):
        """For rows with the axes of `row`: the axes that constraints of those of `left` ask for;
        the constraints that can be asked with the first of them; an empty dict."""
        names = {name for axis in left for names, _ in self.by_axis[axis] for name in names}
        asked = [(names, holds) for names, holds in self.by_axis[left[0]]
                 if all(name in row or name == left[0] for name in names)]
        return [name for name in row if name in names], asked, {}

    def complete(self, row, left, gain, levels):
        """Fills in the axes of `left`, best values first; None if none fit. `levels` are of one
        seed, by how many axes are left; the dict of each has dead ends, with their tries."""
        if not left:
            return row
        axis, rest = left[0], left[1:]
        if len(left) not in levels:
            levels[len(left)] = self.level_of(row, left)
        names, asked, dead_ends = levels[len(left)]
        key = tuple([row[name] for name in names])
        if key in dead_ends:
            self.tried += dead_ends[key]
            return None
        before = self.tried
        self.tried += 1
        values = self.axes[axis]
        turn = self.tried % len(values)  # ties go round
        longer = [row | {axis: value} for value in values]
        fit = [i for i, one in enumerate(longer)
               if all(holds(*[one[name] for name in names]) for names, holds in asked)]
        fit.sort(key=lambda i: (-gain(row, axis, values[i]), (i - turn) % len(values)))
        for i in fit:
            found = self.complete(longer[i], rest, gain, levels)
            if found is not None:
                return found
        dead_ends[key] = self.tried - before
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
        return self.complete(row, left, gain, {})
