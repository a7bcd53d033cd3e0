#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Files that the command writes: what may be one, permissions, symbolic links.
. "$(dirname "$0")/lib.sh"
unset FMHAC_CACHE
export FMHAC_CACHE_DIR="$work/cache"
kernel='--head-dim 64 --schedule generic -q'

# --save-temps writes beside the output: that is a regular file or none yet.
refused() {
  run 2 compile $kernel --save-temps -o "$1"
  err '--save-temps writes files beside the output'
  no_out
}
# By a link: where this is broken, no file of the test's stays in /dev.
ln -s /dev/null null
refused null
mkfifo pipe
exec 3<>pipe # somebody reads it
refused pipe
exec 3>&-
[ "$(echo *.mlir *.s *.ll)" = '*.mlir *.s *.ll' ] || fail 'files of rungs were written'
run 0 compile $kernel --save-temps -o k.hsaco
[ -s k.problem.mlir ] && [ -s k.isa.s ] || fail "$what: no files of rungs"
run 0 compile $kernel -o /dev/null

# A folder that takes no file, also for root.
mkdir closed
chmod 555 closed
[ "$(id -u)" -ne 0 ] || plain='setpriv --bounding-set=-all --inh-caps=-all'
if [ "$(id -u)" -ne 0 ] || $plain true 2>/dev/null; then
  command=$fmhac
  printf '#!/bin/sh\nexec %s %s "$@"\n' "${plain-}" "$command" >plain
  chmod +x plain
  fmhac=./plain
  run 2 compile $kernel --save-temps -o closed/k.hsaco
  err 'its directory is not writable'
  ln -s closed/k.hsaco into-closed
  run 2 compile $kernel -o into-closed
  err 'its directory is not writable'
  fmhac=$command
fi
chmod 755 closed

# A new file has what the umask leaves; one that is replaced keeps its own.
umask 027
run 0 compile $kernel -o new.hsaco
[ "$(stat -c %a new.hsaco)" = 640 ] || fail "$what: mode $(stat -c %a new.hsaco)"
chmod 604 new.hsaco
run 0 compile $kernel -o new.hsaco
[ "$(stat -c %a new.hsaco)" = 604 ] || fail "$what: mode $(stat -c %a new.hsaco)"

# Every option that names an output writes through a symbolic link, to nothing yet, too.
mkdir real
small='--head-dim 64 --heads 1 --seqlen 64 --schedule generic -q'
through() {
  ln -s "real/$1" "$1"
  shift_name=$1
  shift
  run "$@"
  [ -L "$shift_name" ] && [ -s "real/$shift_name" ] && [ ! -L "real/$shift_name" ] ||
    fail "$what: the link $shift_name is no link to a file any more"
}
through c.hsaco 0 compile $kernel -o c.hsaco
through c.d 0 compile $kernel -o other.hsaco --depfile c.d
through e.c 0 compile $kernel --embed e -o e.c
through p.mlir 0 compile $kernel --emit=problem -o p.mlir
through o.npy 0 run $small --o o.npy
through lse.npy 0 run $small --lse-out lse.npy
through t.json 0 trace $small -o t.json
through t.svg 0 trace $small --svg t.svg
through m.svg 0 list --explain-mask causal --svg m.svg
through best.mlir 0 tune $small --schedules generic --budget 0 -o best.mlir
run 0 run $small --no-compare --save-launch launch
sed 's/"out":[[:space:]]*"[^"]*"/"out": "dump.bin"/' launch/LAUNCH.json >launch/again.json
(cd launch && mkdir -p real)
ln -s real/dump.bin launch/dump.bin
run 0 emu -q launch/again.json
[ -L launch/dump.bin ] && [ -s launch/real/dump.bin ] || fail "$what: no write through the link"
[ -z "$(ls -A | grep '^\.fmhac-')$(ls -A real | grep '^\.fmhac-')" ] || fail 'a temporary file stays'
finish
