#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Kernels of other roles than attention: what makes them, what shows them, and what does not
# run them.
# roles.sh FMHAC SOURCE
source=$2
. "$(dirname "$0")/lib.sh"
# Instructions, not bytes: they have the distance to a constant, over a note that says of
# which text a kernel was made.
code_of() { grep -E '^[[:space:]]+(s|v|ds|global)_' "$1" >"$2"; }

for role in merge combine; do
  config="--role=$role --head-dim 64 --out-dtype f32 --lse"
  run 0 compile $config -o direct.hsaco
  out 'role '"$role"
  run 0 compile $config --emit=isa -o direct.isa
  code_of direct.isa direct.text
  grep -q global_store direct.text || fail 'no machine code'
  run 0 inspect direct.hsaco
  out "  role $role"
  out "kernel ${role}_f32_d64_"
  run 0 inspect --json direct.hsaco
  json '"role":"'$role'"'
  json '"schedule":""'
  # Nothing of the matrix: no schedule was chosen.
  if grep -q mfma stdout; then fail 'matrix instructions'; fi
  for rung in problem tiles layouts pipelined synced amdgpu rocdl llvm; do
    run 0 compile $config --emit=$rung -o $role.$rung
    run 0 compile $config --from $rung $role.$rung --emit=isa -o again.isa
    code_of again.isa found.text
    cmp -s direct.text found.text || fail "$role from $rung: other machine code"
    run 2 compile --head-dim 64 --out-dtype f32 --lse --from $rung $role.$rung -o no.hsaco
  done
  # Rows of workgroups that nobody launches would be missing.
  sed 's/Sq \* Hq/Sq/' $role.tiles >edited.tiles
  run 2 compile $config --from tiles edited.tiles -o no.hsaco
  err 'expected the launch that its code counts on'
  run 2 run --role=$role
  err "found only the role $role"
  run 2 bench --role=$role
  err 'expected the role attention'
  run 3 compile $config --schedule generic -o no.hsaco
  err "a kernel of the role $role has none"
  run 3 compile --role=$role --head-dim-v=12 -o no.hsaco
  err 'head_dim_v 12'
done
[ ! -e no.hsaco ] || fail 'a code object that nobody should have'
run 2 compile --role=merg -o no.hsaco
err 'did you mean "merge"?'

# A table of schedules is for attention.
FMHAC_DISPATCH=$source/passes/schedules/dispatch.csv
export FMHAC_DISPATCH
run 0 compile --role=merge -o table.hsaco
unset FMHAC_DISPATCH

# Kernels of attention have the name that they had, and say what they are.
run 0 compile --head-dim 64 -o attention.hsaco
run 0 compile --head-dim 64 --role=attention -o named.hsaco
run 0 inspect --json attention.hsaco
json '"role":"attention"'
cmp -s attention.hsaco named.hsaco || fail 'another code object for the usual role'
finish
