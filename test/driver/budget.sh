#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The cycles that inspect gives a loop: those of budget.s added up by hand, and those of
# a kernel of fmhac, whose KV tile is known. budget.sh FMHAC LLVM
here=$(cd "$(dirname "$0")" && pwd)
llvm=$2
. "$here/lib.sh"

assemble() {
  "$llvm/llvm-mc" -triple=amdgcn-amd-amdhsa -mcpu=gfx950 -filetype=obj "$1" -o k.o &&
    "$llvm/ld.lld" -shared k.o -o "$2" || exit 1
}
assemble "$here/budget.s" k.hsaco
run 0 inspect k.hsaco --json
one_object
# 32 KiB are 26 of 128 granules of 1280 bytes, so 4 workgroups of 4 waves: a wave of each
# on every SIMD. 32 registers leave room for 16 waves, of which a SIMD holds 8.
json '"occupancy":{"waves_per_simd":4,"workgroups_per_cu":4,"limit":"lds","workgroups_by":{"registers":16,"lds":4,"waves":8}}'
# One wave: 4 x 16; 6 x 4 and the swap's 8; 4; 2 x 8. FLOP: 4 x 2 x 16 x 16 x 32.
json '"wave_cycles":{"mfma":64,"valu":32,"packed":4,"trans":16,"other":'
json '"flops":65536,'
json '"waves_per_simd":4,"kv_tiles":null,"always":{'
# 4 waves: the matrix unit with the packed one alone, 4 x (64 + 4); the port, for 8 cycles
# of each MFMA, 4 x (32 + 32 + 4 + 16).
json '"round_cycles":{"matrix":272,"vector_port":336,"memory_port":0,"scalar_port":0,"lds":0,"lds_port":0,"lds_bus":0,"vmem":0,'
json '"critical":"vector_port","cycles":336,"cycles_per_kv_tile":null'
# LDS: three reads of 4 cycles, a write of 4 + 8. b128 takes 4 phases, b64 two, a write of b64
# four: 14 cycles, of 16 waves. Two SIMDs have every other cycle of it: 28, of 8 waves.
json '"wave_cycles":{"lds":24,"wait":4,"barrier":4,"other":'
json '"memory_port":96,"scalar_port":0,"lds":224,"lds_port":192,"lds_bus":224,"vmem":0,'
json '"critical":"lds","cycles":224'
# 64 for fp8, 32 for fp4; 2 x 2 x 32 x 32 x 64 FLOP.
json '"wave_cycles":{"mfma":96,"other":'
json '"flops":262144,'
json '"round_cycles":{"matrix":384,'
json '"critical":"matrix","cycles":384'
# 4 + 8 + 4 on the port. The vector cache moves 1 KiB in 16 cycles, a dword a lane in 4; what
# goes to LDS takes it for 8: 16 waves.
json '"wave_cycles":{"vmem":16,"scalar":4,"other":'
json '"memory_port":64,"scalar_port":16,"lds":128,"lds_port":0,"lds_bus":0,"vmem":576,'
json '"critical":"vmem","cycles":576'
run 0 inspect k.hsaco
out 'one wave, cycles: mfma 64, valu 32, packed 4, trans 16'
out 'critical: vector_port, 336 cycles a round'

# Without LDS registers and slots are what limits.
sed 's/^  .amdhsa_group_segment_fixed_size.*//; s/group_segment_fixed_size: .*/group_segment_fixed_size: 0/' \
  "$here/budget.s" >free.s
assemble free.s free.hsaco
run 0 inspect --dynamic-lds 0 free.hsaco --json
json '"occupancy":{"waves_per_simd":8,"workgroups_per_cu":8,"limit":"waves","workgroups_by":{"registers":16,"lds":null,"waves":8}}'
json '"round_cycles":{"matrix":544,'

# What the emulator does not know is left out, and the rest is there.
sed 's/^lds:$/&\n  .long 0x245002f9, 0x00070642/' "$here/budget.s" >unknown.s
assemble unknown.s unknown.hsaco
run 0 inspect unknown.hsaco --json
one_object
json '"wave_cycles":{"mfma":64,"valu":32,"packed":4,"trans":16,"other":'

# The kernel of generic: of 128 rows x 64 keys x (128 + 128), a wave of four has 32 MFMA of
# 32 cycles, as its schedule says; other sizes are padded to 16 (Dqk) and 32 (Dv): of 72, 2 x 5
# and 4 x 3.
for size in 128:1024 72:704; do
  run 0 compile --schedule generic --head-dim "${size%:*}" -o kernel.hsaco
  run 0 inspect kernel.hsaco --json
  python3 - "$work/stdout" "${size#*:}" <<'END' || fail "$what: the KV loop's budget"
import json, sys
loops = json.load(open(sys.argv[1]))["kernels"][0]["loops"]
budget = next(l["budget"] for l in loops if "mfma" in l["mix"])
need = budget["always"]
mfma = float(sys.argv[2])
assert need["wave_cycles"]["mfma"] == mfma, budget
assert budget["kv_tiles"] == 1, budget
waves = budget["waves_per_simd"]  # and as many workgroups: each has a wave a SIMD
assert need["cycles"] == max(need["round_cycles"].values()) >= waves * mfma, budget
assert need["cycles_per_kv_tile"] * waves == need["cycles"], budget
END
done
finish
