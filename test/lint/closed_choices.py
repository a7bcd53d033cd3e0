# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Closed choices are enums: no string attributes in the dialect. Symbol names are
names and may be strings."""
import house

STRINGS = (
    r"\b(StrAttr|StringAttr|TypedStrAttr\w*|StrArrayAttr|StringRefParameter|StringRef"
    r"|AnyAttr|DictionaryAttr|std::string)\b"
)
ALLOWED = house.Allowed([
    ("passes/Passes.td", '"schedule", "schedule", "std::string"',
     "names a file of schedules: an open set"),
    ("dialect/FmhaAttrs.td", '    ArrayRefParameter<"::mlir::StringAttr">:$grid,',
     "expressions, which verify() reads"),
    ("dialect/FmhaAttrs.td", '    OptionalParameter<"::mlir::StringAttr">:$when);',
     "a condition, which verify() reads"),
    ("dialect/FmhaInterfaces.td",
     '    InterfaceMethod<"The kernel\'s name.", "::mlir::StringAttr", "getSymNameAttr">,',
     "of a symbol"),
    ("dialect/FmhaOps.td", "    OptionalAttr<StrAttr>:$when);",
     "the same, which becomes a launch's"),
    ("dialect/FmhaAttrs.td",
     '    StringRefParameter<"as written, brackets included">:$text,',
     "changes of a schedule, before they meet the base whose parser reads them"),
])


def without_comments(text):
    import re
    text = re.sub(r"\[\{.*?\}\]", lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.DOTALL)
    return re.sub(r"//[^\n]*", "", text)


def check(root):
    for path in house.files(root, ("dialect", "passes"), (".td",)):
        text = house.read(root, path)
        lines = text.splitlines()
        for line, match in house.matches(without_comments(text), STRINGS):
            if (path, lines[line - 1]) not in ALLOWED:
                yield path, line, f"{match.group(1)}: a closed choice is an enum"
    yield from ALLOWED.stale(root)


house.main(check)
