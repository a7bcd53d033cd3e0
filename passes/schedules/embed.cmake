# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUT, a C++ initialiser list {name, text} of the schedule files in IN.
set(text "")
foreach(file IN LISTS IN)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(APPEND text "{\"${name}\", R\"fmha(${content})fmha\"},\n")
endforeach()
file(WRITE ${OUT} "${text}")
