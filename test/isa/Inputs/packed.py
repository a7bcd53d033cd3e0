# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Counts packed instructions of f32 in front of the last conditional branch of a listing, by name."""
import collections
import re
import sys

found = collections.Counter()
listing = sys.stdin.read()
loop = listing[:listing.rindex("s_endpgm")]
loop = loop[:loop.rindex("s_cbranch")]
for name in re.findall(r"\b(v_pk_\w+_f32)\b", loop):
    found[name] += 1
for name in sorted(found):
    print(name, found[name])
