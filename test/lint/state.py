# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lib and runtime keep no mutable state outside their objects; what must happen once
is a pthread_once_t."""
import re

import house

ONCE = "pthread_once_t"


def immutable(declaration):
    """Whether the declared object itself is const: after the last '*' if there is
    one, anywhere if not."""
    return "const" in declaration.rsplit("*", 1)[-1].split()


def statics(text):
    """Static objects at any depth: (offset, declaration)."""
    for match in re.finditer(r"(?m)^\s*static\s+([^;={(]*)([;={(])", text):
        declaration, end = match.groups()
        if end == "(" and not text[match.end():].lstrip().startswith("*"):
            continue  # a function
        yield match.start(1), declaration.split("[")[0]


def globals_of(text):
    """Objects at file scope that are not static: (offset, declaration)."""
    text = re.sub(r"(?m)^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", lambda m: re.sub(r"[^\n]", " ", m.group()), text)
    depth, start = 0, 0
    for offset, char in enumerate(text):
        if char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            head = text[start:offset].split("{", 1)[0]
            if depth == 0 and "(" in head and "=" not in head:
                start = offset + 1  # a function's body
        elif char == ";" and depth == 0:
            statement = re.sub(r"\{.*\}", "{}", text[start:offset], flags=re.DOTALL)
            begin = start + len(text[start:offset]) - len(text[start:offset].lstrip())
            start = offset + 1
            head = statement.split("=")[0].split("[")[0].strip()
            if not head or "(" in head or re.match(r"(static|extern|typedef)\b|_Static", head):
                continue
            if re.match(r"(struct|union|enum)\s*\w*\s*(\{\})?$", head):
                continue
            yield begin, head


def check(root):
    for path in house.files(root, ("isa", "lib", "runtime"), (".c", ".h")):
        text = house.code(house.read(root, path))
        for offset, declaration in [*statics(text), *globals_of(text)]:
            if ONCE not in declaration and not immutable(declaration):
                shown = " ".join(declaration.split())
                yield path, house.line_of(text, offset), f"mutable state '{shown}'"


house.main(check)
