# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUT, the text of the file IN as a string of C, a line each.
file(READ "${IN}" text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "\n" "\\n\"\n\"" text "${text}")
file(WRITE "${OUT}" "\"${text}\"\n")
