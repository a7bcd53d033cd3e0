# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ten slowest tests of a run of ctest, and the seconds of each folder.

    test_times.py TIMES.xml

TIMES.xml is what `ctest --output-junit TIMES.xml` wrote. Seconds are of a test's own
clock; several run at a time.
"""
import collections
import sys
import xml.etree.ElementTree as tree

SLOWEST = 10


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tests = [(float(case.get("time")), case.get("name"))
             for case in tree.parse(sys.argv[1]).getroot().iter("testcase")]
    if not tests:
        sys.exit(f"{sys.argv[1]}: no test")
    folders = collections.Counter()
    for seconds, name in tests:
        folders[name.rpartition("/")[0] or name] += seconds
    print("seconds  slowest tests")
    for seconds, name in sorted(tests, reverse=True)[:SLOWEST]:
        print(f"{seconds:7.1f}  {name}")
    print("seconds  folder")
    for name, seconds in folders.most_common():
        print(f"{seconds:7.1f}  {name}")


if __name__ == "__main__":
    main()
