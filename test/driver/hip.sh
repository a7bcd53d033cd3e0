#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# --device=hip with several HIP runtimes: hip.sh FMHAC FOLDER, where FOLDER is
# that of the libamdhip64 made of the emulator, and FOLDER-older and
# FOLDER-broken are those with fewer names.
here=$(cd "$(dirname "$0")" && pwd)
hip=$2
. "$here/lib.sh"
problem="--mask causal --head-dim 64 --heads 4 --kv-heads 2 --seqlen-q 70 --seqlen-kv 130 --lse"

# numbers: the results of the last command, without what tells devices apart.
numbers() {
  grep -E '"(pass|max_abs_err|rel_rms_err|cosine|tolerance|nan_count|schedule|name)"' "$work/stdout"
}

# The same command, the same numbers.
run 0 run $problem --json
one_object
numbers >emu.txt
LD_LIBRARY_PATH=$hip
export LD_LIBRARY_PATH
run 0 run $problem --json --device=hip
one_object
json '"device":"hip"'
numbers >hip.txt
cmp -s emu.txt hip.txt || fail "numbers of emu and hip differ: $(diff emu.txt hip.txt)"
[ "$(wc -l <hip.txt)" -ge 12 ] || fail "too few numbers to compare"
run 0 doctor --json
json '"name":"emulatedgfx950number0"'
json '/libamdhip64.so.7"'
run 0 doctor
out 'ok: emulated gfx950 number 0, through '
out '/libamdhip64.so.7'

# ROCm's runtime copies those arguments that the code object's note describes:
# every byte is one's, but for those that align the next.
run 0 compile --mask causal --head-dim 64 --lse -o k.hsaco
run 0 inspect --json k.hsaco
python3 - "$work/stdout" <<'END' || fail "the note leaves arguments out"
import json, sys
kernel = json.load(open(sys.argv[1]))["kernels"][0]
end = 0
for argument in kernel["arguments"]:
    size = argument["size"]
    end += -end % size
    assert argument["offset"] == end, argument
    end += size
assert end == kernel["kernarg_bytes"] >= 300, end
END

# A runtime without what is optional.
LD_LIBRARY_PATH=$hip-older
run 0 run $problem --json --device=hip
numbers >older.txt
cmp -s emu.txt older.txt || fail "numbers of emu and the older hip differ"
json '"device":"hip"'

# refuse TEXT...: exit code 4, one line of stderr with every text, no output.
refuse() {
  run 4 run $problem --device="${uri:-hip}"
  for text; do err "$text"; done
  [ "$(wc -l <"$work/stderr")" = 1 ] || fail "$what: expected one line on stderr"
  no_out
}

# A runtime that lacks what is not; the next one that there is, is taken.
mkdir six
ln -s "$hip-older/libamdhip64.so.7" six/libamdhip64.so.6
LD_LIBRARY_PATH=$hip-broken:$PWD/six
run 0 run $problem --json --device=hip
json '"device":"hip"'
LD_LIBRARY_PATH=$hip
FMHAC_TEST_HIP_DEVICES=0
export FMHAC_TEST_HIP_DEVICES
refuse 'finds no device (hipInit: HIP error 100' '/dev/kfd'
FMHAC_TEST_HIP_DEVICES=2
uri=hip:2 refuse 'finds 2 devices, the last is hip:1'
FMHAC_TEST_HIP_ARCH=gfx942
export FMHAC_TEST_HIP_ARCH
refuse 'expected a gfx950 (MI350, MI355X), found a gfx94x' 'use --device=emu'
unset FMHAC_TEST_HIP_ARCH FMHAC_TEST_HIP_DEVICES

# Debian's runtime, which knows no gfx950, where there is no GPU.
unset LD_LIBRARY_PATH
debian=$(PATH=$PATH:/sbin ldconfig -p 2>/dev/null | sed -n 's/.*libamdhip64\.so\.5 .*=> //p' | head -n 1)
if [ -z "$debian" ]; then
  echo "hip.sh: libamdhip64.so.5 is not installed: not tried"
elif [ -e /dev/kfd ]; then
  echo "hip.sh: this machine has a GPU: Debian's runtime is not tried"
else
  mkdir only
  ln -s "$debian" only/libamdhip64.so.8 # before any other that is installed
  LD_LIBRARY_PATH=$PWD/only
  export LD_LIBRARY_PATH
  refuse 'finds no device (hipInit: HIP error 10' 'libamdhip64'
  run 0 doctor --json
  json '"available":false'
fi
finish
