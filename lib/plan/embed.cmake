# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUT, the LLVM IR of the file IN as strings of C, a line each. Flags and the compiler's name
# are those of the module that it is linked into.
file(READ "${IN}" text)
string(REGEX REPLACE "^; ModuleID[^\n]*" "" text "${text}")
string(REGEX REPLACE "\n(!llvm\\.module\\.flags|!llvm\\.ident|source_filename)[^\n]*" "" text "${text}")
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\",\n\"" text "${text}")
file(WRITE "${OUT}" "\"${text}\"\n")
