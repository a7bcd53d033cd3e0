#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# compiler.sh FMHAC LIBRARY: where the compiler works, and what the command says
# when it does not. The library is copied beside compilers that fail.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
library=$2
export FMHAC_COMPILER=process

# The same from both, and the remarks too.
run 0 compile -v --dtype f16 --mask causal -o process.hsaco
run 0 compile -v --dtype f16 --mask causal --print-ir-after-all -o k.hsaco

cp stderr process.err
FMHAC_COMPILER=in-process
run 0 compile -v --dtype f16 --mask causal -o here.hsaco
run 0 compile -v --dtype f16 --mask causal --print-ir-after-all -o k.hsaco
cmp -s process.hsaco here.hsaco || fail 'another code object'
cmp -s process.err stderr || fail 'other diagnostics'
run 0 doctor
out 'compiler    ok'
FMHAC_COMPILER=maybe
run 2 compile -o k.hsaco
err "FMHAC_COMPILER: expected process or in-process, found 'maybe'"
FMHAC_COMPILER=process

export FMHAC_CACHE_DIR="$work/cache"
FMHAC_CACHE=on run 0 run --schedule generic --heads 1 --seqlen 16

# An installation that is not whole.
mkdir -p tree/lib tree/libexec/fmhac
cp "$library" tree/lib/
LD_LIBRARY_PATH=$work/tree/lib
export LD_LIBRARY_PATH
rm -f k.hsaco
run 2 compile -o k.hsaco
err 'expected the program fmhac-compiler, tried '
err 'FMHAC_COMPILER=in-process'
[ ! -e k.hsaco ] || fail 'a failure left a file'
run 1 doctor
out 'compiler    FAILS: starting a compiler process'

# A compiler that ends as LLVM does in a fatal error.
cat >tree/libexec/fmhac/fmhac-compiler <<'END'
#!/bin/sh
echo 'LLVM ERROR: Cannot select: t7: f32' >&2
exit 1
END
chmod +x tree/libexec/fmhac/fmhac-compiler
run 5 compile -o k.hsaco
err 'the compiler process came to a sudden end: exit status 1; it said: LLVM ERROR: Cannot select: t7: f32'
[ ! -e k.hsaco ] || fail 'a failure left a file'
run 5 run --seqlen 16 --heads 1 --json
one_object
json '"exit_code":5'
FMHAC_COMPILER=in-process
run 2 compile -o k2.hsaco
err "loading the compiler: expected $(realpath tree/lib)/fmhac/compiler.so, which comes with libfmhac"
err 'No such file'
[ ! -e k2.hsaco ] || fail 'a failure left a file'
run 1 doctor
out 'compiler    FAILS: loading the compiler: expected '
# Without it nobody knows which kernels are of this build.
loading="loading the compiler: expected $(realpath tree/lib)/fmhac/compiler.so"
for action in ls info verify; do
  FMHAC_CACHE=on run 0 cache $action
  err "warning: looking at the cache: this build is not known, so every entry counts as one of another: $loading"
  [ "$(grep -c warning: stderr)" -eq 1 ] || fail "cache $action: not one warning"
  out '; 1 of other builds, '
done
FMHAC_CACHE=on run 2 cache prune
err "removing entries of other builds: this build is not known, so nothing is removed: $loading"
ln -s "$(dirname "$library")/fmhac" tree/lib/fmhac
run 0 compile -o k.hsaco
FMHAC_COMPILER=process

# A compiler that is never done is ended; every command that compiles says so.
cat >tree/libexec/fmhac/fmhac-compiler <<'END'
#!/bin/sh
exec sleep 600
END
FMHAC_COMPILE_TIMEOUT=1
export FMHAC_COMPILE_TIMEOUT
for command in 'compile -o k2.hsaco' 'run --seqlen 16 --heads 1'; do
  # shellcheck disable=SC2086
  run 2 $command --schedule generic
  err "compiling with schedule 'generic': not done after 1 s; try a schedule with a smaller tile_m or tile_n"
done
[ ! -e k2.hsaco ] || fail 'a compile that was not done left a file'
for value in 0 -1 1h 99999999999 ' 1'; do
  FMHAC_COMPILE_TIMEOUT=$value
  run 2 compile -o k2.hsaco
  err "FMHAC_COMPILE_TIMEOUT: expected seconds from 1 to 2^32 - 1, found '$value'"
done
finish
