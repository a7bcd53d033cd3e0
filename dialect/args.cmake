# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUT, the enum Fmha_Arg of ODS, from IN, the table of kernel arguments: a case a
# row, numbered as the rows are, `q_row_stride` as Arg::QRowStride.
file(READ ${IN} table)
string(REGEX MATCHALL "\nFMHAC_ARG\\([^)]" all "${table}")
string(REGEX MATCHALL "\nFMHAC_ARG\\([a-z0-9]+, [a-z0-9_]+, [A-Z0-9_]+, \"" rows "${table}")
list(LENGTH all count)
list(LENGTH rows matched)
if(NOT count OR NOT count EQUAL matched)
  message(FATAL_ERROR "${IN}: expected rows FMHAC_ARG(type, name, GROUP, \"words\"), "
    "${matched} of ${count} are so")
endif()

set(cases "")
set(index 0)
foreach(row IN LISTS rows)
  string(REGEX REPLACE ".*, ([a-z0-9_]+), .*" "\\1" name "${row}")
  set(case "")
  string(REPLACE "_" ";" words ${name})
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND case "${first}${rest}")
  endforeach()
  string(APPEND cases "  I32EnumAttrCase<\"${case}\", ${index}, \"${name}\">,\n")
  math(EXPR index "${index} + 1")
endforeach()
string(REGEX REPLACE ",\n$" "\n" cases "${cases}")
file(WRITE ${OUT} "// Made from fmhac_abi.def by dialect/args.cmake.
def Fmha_Arg : Fmha_Enum<\"Arg\", \"a field of the kernel-argument block\", [
${cases}]>;
")
