# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# fmhac_add_kernels(TARGET CONFIGS FILE.json... [NAMESPACE NAME] [FLAGS FLAG...])
#
# The build compiles each configuration and TARGET, a target of the same
# CMakeLists.txt, carries the code objects. TARGET's sources may include
# "NAME_kernels.h" (NAME: by default TARGET as an identifier of C), which declares
#
#   extern const fmhac_embedded_kernel *const NAME_kernels[];  ended by NULL
#   extern const size_t NAME_kernel_count;
#   const fmhac_embedded_kernel *NAME_kernel_find(const char *name);  or NULL
#
# A kernel has the name of its file without ".json". Files are relative to the folder of the
# CMakeLists.txt; so are schedule and score_mod files that a configuration names. The build compiles
# a kernel again exactly if one of its files or fmhac itself has changed. If the configuration names
# no schedule, the files include the table of schedules that FMHAC_DISPATCH named at the last
# compilation. The build does not notice a change of the variable itself. FLAGS are further flags of
# `fmhac compile`.
#
# TARGET needs no further library to carry kernels; to launch them it links
# fmhac::fmhac. If FMHAC_COMMAND is set, the build runs it instead of the installed fmhac: a command
# for the build machine, when the library is for another machine.
cmake_policy(PUSH)
cmake_policy(VERSION 3.20...3.25)

set(_fmhac_templates "${CMAKE_CURRENT_LIST_DIR}")

# Kernels are C; a project without C has them compiled as C++.
function(_fmhac_add_source target file)
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    set_source_files_properties("${file}" PROPERTIES LANGUAGE CXX)
  endif()
  target_sources(${target} PRIVATE "${file}")
endfunction()

function(fmhac_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAMESPACE" "CONFIGS;FLAGS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_CONFIGS)
    message(FATAL_ERROR "fmhac_add_kernels(${target}): expected CONFIGS FILE.json..., "
      "[NAMESPACE NAME] and [FLAGS FLAG...], found '${ARGN}'")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "fmhac_add_kernels: expected a target, found '${target}'")
  endif()
  get_target_property(folder ${target} SOURCE_DIR)
  if(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    message(FATAL_ERROR "fmhac_add_kernels(${target}): expected to be called where the "
      "target is made, in ${folder}: rules of a build belong to one folder")
  endif()
  set(namespace "${arg_NAMESPACE}")
  if(NOT namespace)
    string(MAKE_C_IDENTIFIER "${target}" namespace)
  endif()
  if(NOT namespace MATCHES "^[A-Za-z][A-Za-z0-9_]*$")
    message(FATAL_ERROR "fmhac_add_kernels(${target}): expected NAMESPACE to be an "
      "identifier of C, found '${namespace}'")
  endif()
  get_target_property(before ${target} FMHAC_NAMESPACES)
  if(before AND namespace IN_LIST before)
    message(FATAL_ERROR "fmhac_add_kernels(${target}): the namespace '${namespace}' is "
      "taken by an earlier call: give NAMESPACE")
  endif()
  set_property(TARGET ${target} APPEND PROPERTY FMHAC_NAMESPACES ${namespace})

  if(FMHAC_COMMAND)
    set(command "${FMHAC_COMMAND}")
    set(compiler "${FMHAC_COMMAND}")
  else()
    set(command "$<TARGET_FILE:fmhac::command>")
    set(compiler "$<TARGET_FILE:fmhac::command>" "$<TARGET_FILE:fmhac::fmhac>"
      ${fmhac_COMPILER_FILES})
  endif()
  # Two programs may carry the same.
  set(here "${CMAKE_CURRENT_BINARY_DIR}/fmhac/${target}/${namespace}")
  file(MAKE_DIRECTORY "${here}")
  set(names "")
  set(FMHAC_NAMESPACE ${namespace})
  set(FMHAC_DECLARATIONS "")
  set(FMHAC_ENTRIES "")
  foreach(config IN LISTS arg_CONFIGS)
    get_filename_component(config "${config}" ABSOLUTE)
    get_filename_component(name "${config}" NAME)
    string(REGEX REPLACE "\\.json$" "" name "${name}")
    string(MAKE_C_IDENTIFIER "${namespace}_kernel_${name}" symbol)
    if(symbol IN_LIST names)
      message(FATAL_ERROR "fmhac_add_kernels(${target}): two configurations are called "
        "'${name}', or differ in punctuation only; found the second at ${config}")
    endif()
    list(APPEND names ${symbol})
    set(source "${here}/${symbol}.c")
    add_custom_command(
      OUTPUT "${source}"
      COMMAND ${command} compile --config "${config}" --embed ${symbol} -o "${source}"
        --depfile "${source}.d" ${arg_FLAGS}
      DEPENDS "${config}" ${compiler}
      DEPFILE "${source}.d"
      WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
      COMMENT "Compiling attention kernel ${name}"
      VERBATIM)
    _fmhac_add_source(${target} "${source}")
    string(APPEND FMHAC_DECLARATIONS "extern const fmhac_embedded_kernel ${symbol};\n")
    string(APPEND FMHAC_ENTRIES "    &${symbol},\n")
  endforeach()
  list(LENGTH names FMHAC_COUNT)
  configure_file("${_fmhac_templates}/fmhacKernels.h.in" "${here}/${namespace}_kernels.h" @ONLY)
  configure_file("${_fmhac_templates}/fmhacKernels.c.in" "${here}/${namespace}_kernels.c" @ONLY)
  _fmhac_add_source(${target} "${here}/${namespace}_kernels.c")
  target_include_directories(${target} PRIVATE "${here}"
    $<TARGET_PROPERTY:fmhac::fmhac,INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

cmake_policy(POP)
