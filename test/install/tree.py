#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Installs the build into a scratch prefix, moves it, and uses it as others would: the examples by
find_package() and by pkg-config, built outside the source tree, on the emulator and on the HIP
backend over the test's libamdhip64; a program in C++ likewise; fmhac_add_kernels() step by step;
errors.

    tree.py --build DIR --source DIR --cmake CMAKE --cc CC --cxx CXX --hip DIR
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools"))
import slices  # noqa: E402

failures = []


def check(ok, text, output=""):
    if not ok:
        failures.append(text)
        print("FAIL:", text)
        print("  | " + "\n  | ".join(output.splitlines()[-30:]))
    return ok


class Tree:
    def __init__(self, options, work):
        self.options, self.work = options, work
        self.prefix = os.path.join(work, "relocated")
        # Nothing that could help: no library path, no prefix, no cache of the user.
        self.environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": work, "LANG": "C",
            "FMHAC_CACHE_DIR": os.path.join(work, "cache"),
            "PKG_CONFIG_PATH": os.path.join(self.prefix, "lib", "pkgconfig"),
            # Of Open MPI: as examples/CMakeLists.txt sets for its tests.
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "OMPI_MCA_rmaps_base_oversubscribe": "1", "OMPI_MCA_plm": "isolated",
            "OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}

    def run(self, *command, cwd=None, **environment):
        return subprocess.run(command, cwd=cwd or self.work, env={**self.environment, **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False, timeout=300)

    def must(self, what, *command, cwd=None, **environment):
        answer = self.run(*command, cwd=cwd, **environment)
        check(answer.returncode == 0, f"{what}: exit code {answer.returncode}", answer.stdout)
        return answer.stdout

    def write(self, path, text):
        path = os.path.join(self.work, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def devices(self):
        return ["emu", "hip"] if os.path.isdir(self.options.hip) else ["emu"]

    def fmhac(self):
        return os.path.join(self.prefix, "bin", "fmhac")


def install(tree):
    o = tree.options
    first = os.path.join(tree.work, "first")
    tree.must("install", o.cmake, "--install", o.build, "--prefix", first)
    os.rename(first, tree.prefix)
    tree.environment["PKG_CONFIG_PATH"] = os.path.dirname(
        glob.glob(tree.prefix + "/lib*/**/fmhac.pc", recursive=True)[0])
    places = [first, o.build, o.source]
    for path in glob.glob(tree.prefix + "/**", recursive=True):
        if os.path.isfile(path):
            with open(path, "rb") as file:
                content = file.read()
            for place in places:
                check(place.encode() + b"/" not in content, f"{path} names {place}")
    for name in ("bin/fmhac", "bin/fmhac-opt", "libexec/fmhac/fmhac-compiler",
                 "lib/fmhac/compiler.so",
                 "include/fmhac/fmhac.h", "include/fmhac/fmhac_abi.def",
                 "share/man/man1/fmhac.1", "share/man/man1/fmhac-opt.1",
                 "share/man/man3/libfmhac.3", "share/man/man3/fmhac_launch.3",
                 "share/man/man5/fmhac-schedule.5",
                 "share/doc/fmhac/LICENSE", "share/doc/fmhac/README.md", "share/doc/fmhac/guide.md",
                 "share/doc/fmhac/compiler.md", "share/doc/fmhac/launching.c",
                 "share/doc/fmhac/examples/Makefile", "share/doc/fmhac/examples/jit_and_launch.c",
                 "share/bash-completion/completions/fmhac", "share/zsh/site-functions/_fmhac"):
        check(os.path.exists(os.path.join(tree.prefix, name)), f"not installed: {name}")
    library = os.path.realpath(glob.glob(tree.prefix + "/lib*/**/libfmhac.so", recursive=True)[0])
    dynamic = tree.must("readelf", "readelf", "-d", library)
    check("[libfmhac.so.1]" in dynamic, "SONAME")
    check(not re.search("libLLVM|libMLIR|libstdc", re.sub(".*RUNPATH.*", "", dynamic)),
          "libfmhac links what only the compiler needs", dynamic)
    exported = tree.must("nm", "nm", "-D", "--defined-only", "--without-symbol-versions",
                         os.path.join(os.path.dirname(library), "fmhac", "compiler.so"))
    check({line.split()[2] for line in exported.splitlines() if line.split()[1] != "A"}
          == {"fmhac_compiler_face_table"}, "the compiler exports more than its face", exported)
    found = tree.must("ldd", "ldd", os.path.join(os.path.dirname(library), "fmhac", "compiler.so"))
    check("not found" not in found, "compiler.so lacks a library", found)
    check("libMLIR" not in found, "compiler.so has MLIR twice", found)
    for program in (tree.fmhac(), os.path.join(tree.prefix, "libexec/fmhac/fmhac-compiler")):
        found = tree.must("ldd", "ldd", program)
        check(re.search(r"libfmhac\.so\.1 => " + re.escape(tree.prefix), found),
              f"{program} does not find its library beside it", found)
        check("not found" not in found, f"{program} lacks a library", found)
    check("fmhac 0." in tree.must("version", tree.fmhac(), "--version"), "fmhac --version")
    tree.must("compile", tree.fmhac(), "compile", "--emit=tiles", "-o", "t.mlir")
    tree.must("fmhac-opt", os.path.join(tree.prefix, "bin", "fmhac-opt"), "t.mlir")


def headers(tree):
    """Those that are installed need nothing that is not."""
    for path in sorted(glob.glob(tree.prefix + "/include/fmhac/*.h")):
        name = os.path.basename(path)
        source = tree.write("one.c", f'#include <fmhac/{name}>\n#include "{name}"\n')
        flags = tree.must("pkg-config", "pkg-config", "--cflags", "fmhac").split()
        for compiler, language, standard in ((tree.options.cc, "c", "c99"),
                                             (tree.options.cxx, "c++", "c++11")):
            tree.must(f"{name} as {standard}", compiler, "-x", language, "-std=" + standard,
                      "-Wall", "-Werror", "-fsyntax-only", *flags, source)


def configure(tree, source, build, *more, generator="Ninja"):
    o = tree.options
    return tree.run(o.cmake, "-S", source, "-B", build, "-G", generator,
                    "-DCMAKE_C_COMPILER=" + o.cc, "-DCMAKE_CXX_COMPILER=" + o.cxx,
                    "-DCMAKE_PREFIX_PATH=" + tree.prefix, *more)


def examples(tree):
    """All of them, by find_package()."""
    source = os.path.join(tree.work, "examples")
    shutil.copytree(os.path.join(tree.options.source, "examples"), source)
    build = os.path.join(tree.work, "by-cmake")
    answer = configure(tree, source, build, "-DCMAKE_BUILD_TYPE=Release",
                       "-DFMHAC_EXAMPLE_DEVICES=" + ";".join(tree.devices()),
                       "-DFMHAC_EXAMPLE_RANKS=2")
    if not check(answer.returncode == 0, "configuring the examples", answer.stdout):
        return
    tree.must("building the examples", tree.options.cmake, "--build", build)
    ctest = os.path.join(os.path.dirname(tree.options.cmake), "ctest")
    found = tree.must("the examples", ctest, "--test-dir", build, "--output-on-failure",
                      LD_LIBRARY_PATH=tree.options.hip, FMHAC_TEST_HIP_DEVICES="2")
    ran = set(re.findall(r"Test\s+#\d+: examples/(\S+)", found))
    wanted = {f"{name}-{device}" for device in tree.devices() for name in
              ("compile_to_file", "jit_and_launch", "streams", "embedded", "serving", "ring-2")}
    wanted.add("shortest-emu")
    check(ran == wanted, f"ran {sorted(ran)}", found)
    # Without a HIP runtime the reason is said.
    answer = tree.run(os.path.join(build, "example-streams"), "hip:77")
    check(answer.returncode == 1 and "hip" in answer.stdout, "a device that is not there",
          answer.stdout)
    # All but one where there is no MPI.
    answer = configure(tree, source, os.path.join(tree.work, "without-mpi"),
                       "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON")
    check(answer.returncode == 0, "configuring the examples without MPI", answer.stdout)
    found = tree.must("tests without MPI", ctest, "--test-dir",
                      os.path.join(tree.work, "without-mpi"), "--show-only")
    check("examples/serving-emu" in found and "ring" not in found, "tests without MPI", found)


def shortest(tree):
    """The shortest program, by the command line that it shows, in C and in C++; and its length."""
    source = os.path.join(tree.work, "examples", "shortest.c")
    with open(source, encoding="utf-8") as file:
        code = re.sub(r"/\*.*?\*/", "", file.read(), flags=re.S)
    lines = sum(1 for line in code.splitlines() if line.strip())
    check(lines <= 25, f"shortest.c has {lines} lines of C")
    where = os.path.join(tree.work, "shortest")
    os.makedirs(where)
    shutil.copy(source, os.path.join(where, "shortest.cpp"))
    for compiler, source in ((tree.options.cc, source), (tree.options.cxx, "shortest.cpp")):
        tree.must(f"shortest.c by {compiler}", "sh", "-c",
                  f"{compiler} -Wall -Werror {source} $(pkg-config --cflags --libs fmhac) "
                  "-Wl,-rpath,$(pkg-config --variable=libdir fmhac)", cwd=where)
        found = tree.must("shortest", os.path.join(where, "a.out"))
        check(found == "right\n", f"shortest.c by {compiler}: result", found)


def pkg_config(tree):
    """The same without CMake."""
    makefile = os.path.join(tree.work, "examples", "Makefile")
    folder = os.path.join(tree.work, "by-make")
    os.makedirs(folder)
    make = ("make", "-f", makefile, "CC=" + tree.options.cc)
    found = tree.must("make check", *make, "check", cwd=folder)
    check(found.count("right\n") == 1 + 1 + 6 + 1 + 2 + 1 + 2, "make check: results", found)
    check("Nothing to be done" in tree.must("make", *make, "all", cwd=folder), "make: made again")
    os.utime(os.path.join(tree.work, "examples", "kernels", "decode.json"))
    found = tree.must("make", *make, "all", "MPICC=not-there", cwd=folder)
    check(re.findall(r"--embed (\w+)", found) == ["engine_decode"], "make: one file touched", found)


CPLUSPLUS = """cmake_minimum_required(VERSION 3.20)
project(cplusplus LANGUAGES C CXX)
find_package(fmhac 0.1 REQUIRED)
add_executable(cplusplus cplusplus.cpp ../examples/problem.c)
target_include_directories(cplusplus PRIVATE ../examples)
target_compile_features(cplusplus PRIVATE cxx_std_17)
target_link_libraries(cplusplus PRIVATE fmhac::fmhac m)
"""


def cplusplus(tree):
    """A program in C++, with the problem of the examples, which are in C."""
    where = os.path.join(tree.work, "cplusplus")
    tree.write("cplusplus/CMakeLists.txt", CPLUSPLUS)
    shutil.copy(os.path.join(tree.options.source, "test", "install", "cplusplus.cpp"), where)
    build = os.path.join(where, "build")
    answer = configure(tree, where, build, "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
    if not check(answer.returncode == 0, "C++: configuring", answer.stdout):
        return
    tree.must("C++: building", tree.options.cmake, "--build", build)
    program = os.path.join(build, "cplusplus")
    for device in tree.devices():
        found = tree.must("C++ on " + device, program, device, LD_LIBRARY_PATH=tree.options.hip)
        check(", right" in found, f"C++ on {device}: result", found)
    # The text of a failure arrives as that of an exception.
    answer = tree.run(program, "hip:77", LD_LIBRARY_PATH=tree.options.hip)
    check(answer.returncode == 1 and re.search(r"^status \d+: .*hip", answer.stdout),
          "C++: a device that is not there", answer.stdout)


STEPS = """cmake_minimum_required(VERSION 3.20)
project(steps LANGUAGES @LANGUAGE@)
find_package(fmhac REQUIRED)
add_executable(steps main.@SUFFIX@)
target_link_libraries(steps PRIVATE fmhac::fmhac)
fmhac_add_kernels(steps CONFIGS plain.json "with blank.json" FLAGS --no-line-tables --no-audit)
"""
MAIN = """#include <cstdio>
#include <cstring>
#include "steps_kernels.h"
int main() {
  for (size_t i = 0; i < steps_kernel_count; ++i)
    std::printf("%s %zu %s\\n", steps_kernels[i]->name, steps_kernels[i]->size_bytes,
                steps_kernels[i]->config);
  fmhac_context *context;
  fmhac_kernel *kernel = nullptr;
  if (fmhac_context_create(nullptr, &context) != FMHAC_OK)
    return 2;
  const fmhac_embedded_kernel *e = steps_kernel_find("with blank");
  bool ok = e && !steps_kernels[2] &&
            fmhac_kernel_create_from_code(context, e->bytes, e->size_bytes, &kernel) == FMHAC_OK;
  fmhac_kernel_destroy(kernel);
  fmhac_context_destroy(context);
  return ok ? 0 : 1;
}
"""


def steps(tree, generator):
    """What each change compiles anew; in a project of C++ alone."""
    folder = "steps " + generator.split()[-1]
    where = os.path.join(tree.work, folder)
    tree.write(folder + "/CMakeLists.txt",
               STEPS.replace("@LANGUAGE@", "CXX").replace("@SUFFIX@", "cpp"))
    tree.write(folder + "/main.cpp", MAIN)
    schedule = tree.must("schedule", tree.fmhac(), "list", "--print-schedule", "generic")
    tree.write(folder + "/mine/my.mlir", schedule)
    tree.write(folder + "/half.mlir", """
fmha.score_mod @half(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %h = arith.constant 0.5 : f32
  %x = arith.mulf %score, %h : f32
  fmha.yield %x : f32
}
""")
    # Relative to the folder of the CMakeLists.txt.
    blank = {"schedule": "mine/my.mlir", "score_mod": "./half.mlir"}
    tree.write(folder + "/plain.json", '{"mask": "causal"}')
    tree.write(folder + "/with blank.json", json.dumps(blank))
    build = os.path.join(where, "build")
    # Of another machine's library, the command is named.
    named = [] if generator == "Ninja" else ["-DFMHAC_COMMAND=" + tree.fmhac()]
    answer = configure(tree, where, build, *named, generator=generator)
    if not check(answer.returncode == 0, f"{generator}: configuring", answer.stdout):
        return

    def compiled(what, expected, good=True):
        answer = tree.run(tree.options.cmake, "--build", build)
        found = sorted(re.findall(r"Compiling attention kernel (.*?)\s*$", answer.stdout, re.M))
        check(found == sorted(expected) and good == (answer.returncode == 0),
              f"{generator}: {what}: compiled {found}, expected {sorted(expected)}, "
              f"exit code {answer.returncode}", answer.stdout)
        return answer.stdout

    def touch(*parts):
        os.utime(os.path.join(*parts))

    compiled("first build", ["plain", "with blank"])
    found = compiled("nothing touched", [])
    if generator == "Ninja":
        check("no work to do" in found, "ninja: nothing touched, something done", found)
    program = os.path.join(build, "steps")
    before = tree.must("steps", program)
    check('"mask":"causal"' in before and "with blank" in before, "steps: the table", before)
    tree.write(folder + "/plain.json", '{"mask": "causal", "lse": true}')
    compiled("one configuration", ["plain"])
    after = tree.must("steps", program)
    check('"lse":true' in after, "steps: the changed configuration", after)
    touch(where, "mine", "my.mlir")
    compiled("its schedule", ["with blank"])
    if generator == "Ninja":  # the rules are the same for every generator
        touch(where, "half.mlir")
        compiled("its function of scores", ["with blank"])
        touch(where, "main.cpp")
        compiled("a source of the program", [])
        touch(tree.fmhac())
        compiled("the compiler", ["plain", "with blank"])
        touch(os.path.join(tree.prefix, "libexec", "fmhac", "fmhac-compiler"))
        compiled("its process", ["plain", "with blank"])
    tree.write(folder + "/plain.json", '{"mask": "casual"}')
    found = compiled("a bad configuration", ["plain"], good=False)
    check('"mask": expected' in found and 'did you mean "causal"' in found,
          f"{generator}: fmhac's own text of a bad configuration", found)
    if generator != "Ninja":
        return
    tree.write(folder + "/plain.json", '{"mask": "causal", "lse": true}')
    compiled("good again", ["plain"])
    check(tree.must("steps", program) == after, f"{generator}: another table than before")


def bad_calls(tree):
    """What configuring says; one project for each call."""
    tree.write("bad/a.json", "{}")
    tree.write("bad/sub/a.json", "{}")
    rows = (
        ("fmhac_add_kernels(t)", "expected CONFIGS"),
        ("fmhac_add_kernels(nothing CONFIGS a.json)", "found 'nothing'"),
        ("fmhac_add_kernels(t CONFIGS a.json sub/a.json)", "two configurations are called 'a'"),
        ("fmhac_add_kernels(t CONFIGS a.json NAMESPACE 3d)", "found '3d'"),
        ("fmhac_add_kernels(t CONFIGS a.json)\nfmhac_add_kernels(t CONFIGS sub/a.json)",
         "'t' is taken"),
        ("fmhac_add_kernels(t CONFIGS a.json NAMESPACE e)\nadd_library(u OBJECT x.c)\n"
         "fmhac_add_kernels(u CONFIGS a.json NAMESPACE e)", ""),
        ("find_package(fmhac 9.0 REQUIRED)", "version: 0."),
        ("find_package(fmhac 0.1 REQUIRED)\nfind_package(fmhac REQUIRED)", ""),
    )
    for call, words in rows:
        language = "NONE" if words else "C"
        tree.write("bad/CMakeLists.txt",
                   f"cmake_minimum_required(VERSION 3.20)\nproject(bad {language})\n" + (
                       "" if call.startswith("find") else
                       "find_package(fmhac REQUIRED)\nadd_library(t OBJECT x.c)\n") + call + "\n")
        tree.write("bad/x.c", "int x;\n")
        shutil.rmtree(os.path.join(tree.work, "bad/build"), ignore_errors=True)
        answer = tree.run(tree.options.cmake, "-S", "bad", "-B", "bad/build", "-G", "Ninja",
                          "-DCMAKE_PREFIX_PATH=" + tree.prefix)
        text = " ".join(answer.stdout.split())
        if words == "":
            check(answer.returncode == 0, call, answer.stdout)
        else:
            check(answer.returncode != 0 and words in text, f"{call}: no '{words}'", answer.stdout)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    for name in ("build", "source", "cmake", "cc", "cxx", "hip"):
        parser.add_argument("--" + name, required=True)
    slices.add_argument(parser)
    options = parser.parse_args()
    slices.tell(options)
    with tempfile.TemporaryDirectory() as work:
        tree = Tree(options, os.path.realpath(work))
        install(tree)
        headers(tree)
        examples(tree)
        shortest(tree)
        pkg_config(tree)
        cplusplus(tree)
        for generator in options.slice.of(("Ninja", "Unix Makefiles")):
            steps(tree, generator)
        bad_calls(tree)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
