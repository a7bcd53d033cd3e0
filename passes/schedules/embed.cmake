# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUT, an initialiser list {name, text} of the schedule files in IN, for C and C++.
set(text "")
foreach(file IN LISTS IN)
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} content)
  string(REPLACE "\\" "\\\\" content "${content}")
  string(REPLACE "\"" "\\\"" content "${content}")
  string(REPLACE "\n" "\\n\"\n\"" content "${content}")
  string(APPEND text "{\"${name}\", \"${content}\"},\n")
endforeach()
file(WRITE ${OUT} "${text}")
