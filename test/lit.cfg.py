# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# One suite for dialect, passes, pipeline, codegen, driver, emulator programs and
# house rules. `ctest` runs it as check-fmhac; by hand: lit -v build/test.
import os

import lit.formats

config.name = "fmhac"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".s", ".test"]
config.excludes = ["Inputs", "CMakeLists.txt", "device", "driver", "e2e", "hip", "install", "timing", "tools", "unit"]
if config.is_sanitized:
    # What they compile others do, too; the rest of them is LLVM's tools and Python.
    config.excludes.append("isa")
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.build_root, "test")

# Tests neither use nor fill the cache of whoever runs them, and compile in the
# process that a sanitizer looks at.
# `ctest` has both commands resident (resident/); by hand they are started each time.
# The others choose the slices (tools/slices.py).
for name in ("FMHAC_TEST_RESIDENT", "FMHAC_TEST_RESIDENT_OPT", "FMHAC_TEST_FULL",
             "FMHAC_TEST_SLICE"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
config.environment["FMHAC_CACHE"] = "off"
# The tools' own modules are compiled once; without -S each start looks for packages, of
# which they use none.
config.environment["PYTHONPYCACHEPREFIX"] = os.path.join(config.test_exec_root, "pycache")
python = config.python + " -S"
config.environment["FMHAC_COMPILER"] = "in-process"
config.environment["PATH"] = os.pathsep.join(
    [config.resident_dir, config.llvm_bin, os.environ.get("PATH", "")]
)

tools = os.path.join(config.test_source_root, "tools")
config.substitutions += [
    ("%fmhac-opt", os.path.join(config.resident_dir, "fmhac-opt")),
    ("%fmhac", os.path.join(config.resident_dir, "fmhac")),
    ("%llvm_bin", config.llvm_bin),
    ("%python", python),
    ("%{tools}", tools),
    ("%slice", "--slice=commit/4"),
    ("%pipeline_table", os.path.join(config.source_root, "lib", "order", "pipeline.def")),
    ("%build_root", config.build_root),
    ("%source_root", config.source_root),
] + [
    ("%" + name, "%s %s --llvm-bin %s --fmhac %s" % (
        python, os.path.join(tools, name + ".py"), config.llvm_bin,
        os.path.join(config.resident_dir, "fmhac")))
    for name in ("emu_test", "emu_mfma_test", "emu_cvt_test", "emu_hazard_test",
                 "emu_effects_agree", "audit_test", "audit_agrees", "isa_properties")
]
