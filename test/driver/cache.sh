#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The kernels that are kept: fmhac cache, the variables that steer it, fmhac doctor.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
unset FMHAC_CACHE FMHAC_CACHE_PATH FMHAC_CACHE_LIMIT XDG_CACHE_HOME
export FMHAC_CACHE_DIR="$work/cache"
size='--schedule generic --heads 1 --seqlen 33'
entry() { ls "$work"/cache/v1/*/*.fmhac | head -n 1; }

# Nothing yet; run keeps, compile does not.
run 0 cache ls
out "$work/cache: 0 kernels, 0 bytes of at most 1073741824; 0 of other builds, 0 damaged"
[ ! -e cache ] || fail 'looking made a directory'
run 0 compile -o k.hsaco
[ ! -e cache ] || fail 'compile keeps kernels'
run 0 run $size --json
json '"pass":true'
run 0 run $size --mask causal
run 0 cache ls
out ' current      attn_bf16_d128_causal'
# The schedule and the options that are not at their defaults, of each.
grep -q '  attn_bf16_d128_causal[^ ]*  schedule generic mask=causal$' stdout &&
  grep -q '  attn_bf16_d128[^ ]*  schedule generic$' stdout || fail "$what: what differs"
out ': 2 kernels, '
run 0 cache info --json
one_object
json '"count":2,'
json '"damaged":0,"other_builds":0}'
run 0 cache ls --json
one_object
json '"state":"current","kernel":"attn_bf16_d128_'
json '"config":{"dtype":"bf16",'
run 0 run $size --json
json '"pass":true'

# What is kept is what runs: the launch of both is the same.
run 0 run $size --save-launch first
FMHAC_CACHE=off
export FMHAC_CACHE
run 0 run $size --save-launch second
cmp -s first/*.hsaco second/*.hsaco || fail 'another code object from the cache'
run 2 cache info
err 'expected a cache directory, found none'
unset FMHAC_CACHE

# Damage.
printf 'x' | dd of="$(entry)" bs=1 seek=777 conv=notrunc 2>dd
run 1 cache verify
err "fmhac cache: damaged: $(entry): the XXH3-128 digest of its contents is not that in its header"
run 1 cache verify --json
one_object
json '"ok":false'
run 0 cache ls
out ' damaged '
run 0 cache prune
out '1 removed, '
run 0 cache verify --json
json '"ok":true'
run 0 run $size
printf 'other' >"$(entry)"
run 1 cache verify
err ': not a kept kernel: it does not begin with FMHACART'
run 0 run $size
run 0 run $size --mask causal
truncate -s -1 "$(entry)"
run 1 cache verify --json
json '"fault":"itssizeisnottheoneinitsheader'
run 0 run $size
run 0 run $size --mask causal
run 0 cache verify
out ': 2 kernels, '

# What others could have written.
chmod go+w "$(entry)"
run 1 cache verify
err "fmhac cache: damaged: $(entry): others than its owner may write to $(entry), which has mode"
run 0 cache ls --json
json '"state":"damaged","fault":"othersthanits'
chmod go-w "$(entry)"
chmod g+w cache/v1
run 2 cache verify
err "reading the cache directory $work/cache: others than its owner may write to $work/cache/v1,"
run 1 doctor
err 'fmhac doctor: error: reading the cache directory'
chmod g-w cache/v1
run 0 cache verify
chmod g+w cache/v1/*/
run 0 cache clear
out ' 0 left, 0 bytes'
run 0 run $size
[ -z "$(entry 2>ls)" ] || fail 'kept in a folder that others may write to'
err 'others than its owner may write to'
rm -r cache
run 0 run $size
run 0 run $size --mask causal

# A schedule of a file, whatever it calls itself.
"$fmhac" list --print-schedule generic >g.mlir
run 0 run $size --schedule g.mlir --lse
run 0 cache ls
grep -q '  schedule generic (g.mlir) lse=true$' stdout || fail "$what: no file"
run 0 cache ls --json
one='"when":"","schedule_file"'
json '"schedule_file":"g.mlir","entries":[{"schedule":"generic",'$one':"g.mlir"}],"config":{'
json '"schedule_file":null,"entries":[{"schedule":"generic",'$one':null}],"config":{'
run 0 cache clear
run 0 run $size --schedule 'g.mlir if Sk <= 16; generic_wide'
run 0 cache ls
grep -q '  schedule generic (g.mlir) if Sk <= 16; generic_wide$' stdout || fail "$what: no file"
run 0 cache ls --json
json '{"schedule":"generic","when":"Sk<=16","schedule_file":"g.mlir"},{"schedule":"generic_wide"'
run 0 cache clear
run 0 run $size
run 0 run $size --mask causal

# The limit.
FMHAC_CACHE_LIMIT=30K
export FMHAC_CACHE_LIMIT
run 0 cache prune
out '1 removed, '
run 0 cache info
out ': 1 kernels, '
out ' of at most 30720;'
unset FMHAC_CACHE_LIMIT
run 0 cache clear --json
one_object
json '"removed":1,'
json '"count":0,"bytes":0}'

# A directory to read only.
run 0 run $size
FMHAC_CACHE_PATH="$work/none:$work/cache" FMHAC_CACHE_DIR="$work/mine" \
  run 0 run $size
[ ! -e mine ] || fail 'a kernel of a read-only directory was compiled'

# The place without FMHAC_CACHE_DIR.
unset FMHAC_CACHE_DIR
XDG_CACHE_HOME="$work/xdg" run 0 run $size
[ -d xdg/fmhac/v1 ] || fail 'XDG_CACHE_HOME is not used'
HOME="$work/home" XDG_CACHE_HOME=relative run 0 run $size
[ -d home/.cache/fmhac/v1 ] || fail 'HOME is not used'
[ ! -e relative ] || fail 'a relative XDG_CACHE_HOME is used'

# Values that are none.
bad() {
  (export "$1" && "$fmhac" cache ls >"$work/stdout" 2>"$work/stderr")
  code=$?
  what="$1 fmhac cache ls"
  [ "$code" -eq 2 ] || fail "$what: exit code $code, expected 2"
  err "fmhac cache: error: ${1%%=*}: expected "
}
bad FMHAC_CACHE=yes
bad FMHAC_CACHE_DIR=relative/path
bad FMHAC_CACHE_PATH=/a:b
bad FMHAC_CACHE_PATH=/a:
for limit in 0 -1 1T 1KB K '1 K' 99999999999999999999 18446744073709551615G; do
  bad "FMHAC_CACHE_LIMIT=$limit"
done
run 2 cache
err 'usage: fmhac cache'
run 2 cache lss
err "did you mean 'ls'?"

# All of it in one place.
FMHAC_CACHE=off FMHAC_CACHEDIR=x run 0 doctor --json
one_object
json '{"name":"FMHAC_CACHE","value":"off","expects":"on|off","default":"on",'
json '{"name":"FMHAC_CACHEDIR","unknown":true}'
FMHAC_CACHE=maybe run 1 doctor
err "FMHAC_CACHE: expected on or off, found 'maybe'"
finish
