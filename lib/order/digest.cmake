# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Writes OUT, a header with FMHAC_FACE_DIGEST: the version and a digest of the files of IN. Names of
# files do not count, nor do the folders that they lie in.
set(all "")
foreach(file IN LISTS IN)
  file(SHA256 ${file} digest)
  list(APPEND all ${digest})
endforeach()
list(SORT all)
string(SHA256 digest "${all}")
string(SUBSTRING ${digest} 0 32 digest)
file(WRITE ${OUT} "#define FMHAC_FACE_DIGEST \"fmhac ${VERSION} ${digest}\"\n")
