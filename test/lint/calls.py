# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A library never prints and never ends the process; the driver prints by its streams.h,
which escapes what names and texts hold; the environment is read in one place of the
library, and shown in one of the driver, but for what terminals have there."""
import house

LIBRARIES = ("isa", "lib", "runtime")
PROGRAMS = ("lib/worker/main.c",)
PRINT_OR_END = (
    r"\b(v?printf|v?fprintf|puts|putchar|perror|exit|_exit|_Exit|quick_exit|abort)\s*\("
)
# What writes to a terminal what it is given. A stream of memory takes it, too.
RAW_PRINT = r"(?<!\w)(?<!format\()(v?printf|puts|putchar|perror|v?fprintf\s*\(\s*std(?:out|err))\s*[(,]"
RAW_PRINTERS = ("driver/cli/streams.c", "driver/cli/report.c")
ENVIRONMENT = r"\b(secure_getenv|getenv|setenv|putenv|unsetenv)\s*\("
ENVIRONMENT_FILES = ("lib/jit/environment.c", "driver/commands/cmd_doctor.c", "driver/cli/streams.c")
ALL = ("dialect", "passes", "lib", "oracle", "isa", "runtime", "driver", "examples")


def check(root):
    for path in house.files(root, LIBRARIES, (".c", ".h")):
        if path in PROGRAMS:
            continue
        text = house.code(house.read(root, path))
        for line, match in house.matches(text, PRINT_OR_END):
            yield path, line, f"calls {match.group(1)}(): a library reports and returns"
    for path in house.files(root, ("driver",), (".c", ".h")):
        text = house.code(house.read(root, path))
        for line, match in house.matches(text, RAW_PRINT):
            if path not in RAW_PRINTERS:
                yield path, line, f"calls {match.group(1).split('(')[0]}(): printx() and fprintx() escape"
    for path in house.files(root, ALL, (".c", ".h", ".cpp")):
        if path in ENVIRONMENT_FILES:
            continue
        text = house.code(house.read(root, path))
        for line, match in house.matches(text, ENVIRONMENT):
            yield path, line, f"calls {match.group(1)}(): only {ENVIRONMENT_FILES[0]} reads the environment"


house.main(check)
