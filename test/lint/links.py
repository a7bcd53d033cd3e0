# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A relative link of a page leads to a file of the tree, and to a heading that the file has."""
import os
import re

import house

LINK = r"\]\(([^)\s]+)\)"
HEADING = r"(?m)^#+ +(.+?)\s*$"


def anchors(text):
    """Names of the headings, as a repository's page makes them."""
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in re.findall(HEADING, text))
    return {heading.replace(" ", "-") for heading in kept}


def check(root):
    for path in house.files(root, suffixes=(".md",)):
        text = house.read(root, path)
        for line, match in house.matches(text, LINK):
            target, _, anchor = match.group(1).partition("#")
            if re.match(r"\w+:", target):  # of the web
                continue
            file = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
            if not os.path.exists(os.path.join(root, file)):
                yield path, line, f"a link to {match.group(1)}: there is no {file}"
            elif anchor and anchor not in anchors(house.read(root, file)):
                yield path, line, f"a link to {match.group(1)}: {file} has no heading of that name"


house.main(check)
