#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compile --embed and --depfile: what a build system needs. Make and two compilers
# judge what is written.
here=$(cd "$(dirname "$0")" && pwd)
cc=$2
cxx=$3
include="-I$4 -I$5 -I$6"
. "$here/lib.sh"

# Names that mean something in a makefile.
folder='a b#c$d'
mkdir "$folder"
printf '{"mask": "causal", "schedule": "%s/my.mlir", "score_mod": "f.mlir"}' "$folder" \
  >"$folder/k-1.json"
run 0 list --print-schedule generic
cp "$work/stdout" "$folder/my.mlir"
cat >f.mlir <<'END'
fmha.score_mod @halve(%score: f32, %row: i32, %key: i32, %head: i32, %batch: i32) {
  %h = arith.constant 0.5 : f32
  %x = arith.mulf %score, %h : f32
  fmha.yield %x : f32
}
END

run 0 compile --config "$folder/k-1.json" --embed engine_k1 -o k1.c --depfile k1.d
cat >expected <<END
k1.c: \\
  $work/a\\ b\\#c\$\$d/k-1.json \\
  $work/a\\ b\\#c\$\$d/my.mlir \\
  $work/f.mlir
END
cmp -s expected k1.d || fail "k1.d: found $(cat k1.d)"

# Make takes it as it is meant: each file counts, and nothing else.
printf 'k1.c:\n\tfalse\ninclude k1.d\n' >Makefile
touch -d '2 hours ago' "$folder/k-1.json" "$folder/my.mlir" f.mlir
touch -d '1 hour ago' k1.c
make -q k1.c || fail 'make: stale although nothing was touched'
for file in "$folder/k-1.json" "$folder/my.mlir" f.mlir; do
  touch -d '30 minutes ago' "$file"
  make -q k1.c && fail "make: not stale although $file was touched"
  touch -d '2 hours ago' "$file"
done

# The bytes in the source are those of the code object; C99 and C++ agree.
run 0 compile --config "$folder/k-1.json" -o k1.hsaco
cat >main.c <<'END'
#include <stdio.h>
#include "fmhac.h"
#ifdef __cplusplus
extern "C"
#else
extern
#endif
const fmhac_embedded_kernel engine_k1;
int main(void) {
  fprintf(stderr, "%s\n%s\n", engine_k1.name, engine_k1.config);
  return fwrite(engine_k1.bytes, 1, engine_k1.size_bytes, stdout) != engine_k1.size_bytes;
}
END
# shellcheck disable=SC2086
"$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror $include main.c k1.c -o as_c &&
  sed 's/^const fmhac/{ extern const fmhac/; s/^\(.*engine_k1;\)$/\1 }/' main.c >main.cpp &&
  cp k1.c k1.cpp &&
  "$cxx" -std=c++11 -Wall -Wextra -Wpedantic -Werror $include main.cpp k1.cpp -o as_cxx ||
  fail 'the source does not compile'
for program in ./as_c ./as_cxx; do
  $program >bytes 2>"$work/stderr"
  what=$program
  cmp -s bytes k1.hsaco || fail "$program: other bytes than the code object's"
  err k-1
  err '"mask":"causal"'
done

# Without a file the name is the symbol, and the default output follows it.
run 0 compile --head-dim 64 --embed small
grep -q '"small"' small.c || fail 'small.c: no name'
run 0 compile --head-dim 64 --embed small -o -
out 'const fmhac_embedded_kernel small = {'

run 2 compile --embed 3d -o x.c
err 'identifier'
run 2 compile --embed while -o x.c
err 'identifier'
run 2 compile --embed a-b -o x.c
err 'identifier'
run 2 compile --embed a --emit=isa -o x.c
err '--emit=isa'
run 2 compile --depfile x.d
err '-o FILE'
run 2 compile --depfile x.d -o -
err '-o FILE'
run 2 compile --depfile missing/x.d -o x.c
err 'missing'
# A configuration that does not compile writes neither.
echo '{"mask": "casual"}' >bad.json
run 2 compile --config bad.json --embed bad -o bad.c --depfile bad.d
err 'casual'
for file in x.c x.d bad.c bad.d; do
  [ ! -e $file ] || fail "$file was written"
done
finish
