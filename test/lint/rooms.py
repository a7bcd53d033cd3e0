# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rooms, as the compiler sees them: from the include paths of every compile command it
follows which folder can include which. No two folders can include each other, and a
folder has at most 25 files (tables, the files of CMake and passes/ apart).

usage: rooms.py ROOT COMPILE_COMMANDS.json
"""
import collections
import json
import os
import re
import sys

FOLDERS = ("isa", "lib", "runtime", "driver", "oracle")
MOST_FILES = 25
UNCOUNTED = (".def", ".csv", "CMakeLists.txt", ".map", ".md")


def rooms_of(root, commands):
    """{folder: folders that its files can include from}."""
    sees = collections.defaultdict(set)
    for entry in commands:
        source = os.path.relpath(os.path.join(entry["directory"], entry["file"]), root)
        if not source.startswith(FOLDERS) or "CMakeFiles/fmhac_tsan" in entry["command"]:
            continue
        # Tests compile some of these files once more, with the headers of all rooms.
        if re.search(r" -o \S*\btest/", entry["command"]):
            continue
        for path in re.findall(r"-I\s*(\S+)", entry["command"]):
            folder = os.path.relpath(os.path.join(entry["directory"], path), root)
            if folder.startswith(FOLDERS):
                sees[os.path.dirname(source)].add(os.path.normpath(folder))
    return sees


def circles(sees):
    """Pairs that see each other, through others too."""
    closed = {room: set(below) - {room} for room, below in sees.items()}
    changed = True
    while changed:
        changed = False
        for room, below in closed.items():
            more = set().union(*(closed.get(other, set()) for other in below)) - below
            if more:
                below |= more
                changed = True
    return sorted(room for room, below in closed.items() if room in below)


def main():
    root, path = sys.argv[1:]
    with open(path) as file:
        sees = rooms_of(os.path.abspath(root), json.load(file))
    failures = [f"{room}: can include itself through the rooms that it sees"
                for room in circles(sees)]
    for top in FOLDERS:
        for here, _, names in os.walk(os.path.join(root, top)):
            count = sum(not name.endswith(UNCOUNTED) for name in names)
            if count > MOST_FILES:
                failures.append(f"{os.path.relpath(here, root)}: {count} files, at most "
                                f"{MOST_FILES}")
    if not sees:
        failures.append("no compile command of a room was found")
    print("\n".join(failures + [f"{len(sees)} rooms, {len(failures)} failures"]))
    return bool(failures)


sys.exit(main())
