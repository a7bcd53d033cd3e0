# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# FMHAC_SANITIZE: what every target is compiled and linked with. Any report ends
# the process with SIGABRT, which no test takes for an expected exit code.
#
# vptr needs RTTI, which LLVM's C++ does without.
set(FMHAC_SANITIZE_FLAGS
  -fsanitize=address,undefined,float-cast-overflow -fno-sanitize=vptr
  -fno-sanitize-recover=all -fno-omit-frame-pointer -g1)
# Line tables of MLIR's templates take a fifth of what C++ takes to compile. Without them a
# report has the functions' names.
option(FMHAC_SANITIZE_LINES "Reports of sanitizers have lines of C++, too" ON)
# Checks between lanes keep loops from being vectorised; that is no news here.
add_compile_options(${FMHAC_SANITIZE_FLAGS} -Wno-pass-failed)
# The same is found at -O1 as at -O3, which takes a third longer to compile; at -O0 the
# compilation of a kernel takes several times as long.
add_compile_options(-O1)
if(NOT FMHAC_SANITIZE_LINES)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-g0>)
endif()
# MLIR's templates and the code that is generated from ODS are not ours to check for
# undefined behaviour, and take half of what C++ takes to compile. Addresses are checked
# there, too: it is our mistake that shows there.
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/sanitizer-ignorelist.txt CONTENT
  "[undefined]\nsrc:${LLVM_INCLUDE_DIRS}/*\nsrc:${CMAKE_BINARY_DIR}/*.inc\n" @ONLY)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fsanitize-ignorelist=${CMAKE_BINARY_DIR}/sanitizer-ignorelist.txt>)
add_link_options(${FMHAC_SANITIZE_FLAGS})
# Kernels take half of what sanitized tests of devices take, and are those of the ordinary build,
# byte by byte. With FMHAC_KERNELS_OF, an ordinary build of the same sources (.ci/run), this build
# has its identity, so that those tests find its kernels (test/CMakeLists.txt). The sanitizers see
# the compiler in e2e/, driver/, jit/ and lit.
set(FMHAC_KERNELS_OF "" CACHE PATH "A build of the same sources whose kernels tests launch")
if(FMHAC_KERNELS_OF)
  foreach(object libfmhac.so fmhac/compiler.so)
    execute_process(COMMAND ${FMHAC_LLVM_BINDIR}/llvm-readelf --notes
        ${FMHAC_KERNELS_OF}/lib/${object}
      OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
    if(NOT notes MATCHES "Build ID: ([0-9a-f]+)")
      message(FATAL_ERROR "FMHAC_KERNELS_OF: expected a build id in "
        "${FMHAC_KERNELS_OF}/lib/${object}, found none")
    endif()
    get_filename_component(name ${object} NAME_WE)
    set(FMHAC_BUILD_ID_${name} 0x${CMAKE_MATCH_1})
  endforeach()
endif()
# What libFuzzer steers by; it is itself linked into the fuzzers only.
if(FMHAC_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Options and suppressions are part of every executable, so that they hold by
# hand as well as under ctest.
add_library(fmhac_sanitizer_options OBJECT
  ${CMAKE_SOURCE_DIR}/test/tools/sanitizer_options.c)
target_compile_definitions(fmhac_sanitizer_options PRIVATE
  FMHAC_SYMBOLIZER="${FMHAC_LLVM_BINDIR}/llvm-symbolizer")
link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:fmhac_sanitizer_options>>)
