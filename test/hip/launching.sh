#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# launching.sh FMHAC PROGRAM: the program of fmhac_abi.h(3) runs a kernel through
# HIP by what its note says; with a wrong tile it does not pass for right.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for schedule in dualwave generic; do
  file=$folder/$schedule.hsaco
  "$1" compile --mask causal --schedule $schedule -o "$file" >/dev/null
  read -r name tile_m block < <("$1" inspect --json "$file" | python3 -c '
import json, sys
note = json.load(sys.stdin)["note"]
entry, = note["entries"]
assert entry["required_args"] == 1 and note["abi_version"] == 1, note
print(entry["kernel"], entry["tile_m"], entry["block_threads"])')
  "$2" "$file" "$name" "$tile_m" "$block"
  if "$2" "$file" "$name" $((2 * tile_m)) "$block" >/dev/null; then
    echo "FAIL: $schedule with half of the workgroups passes" >&2
    exit 1
  fi
done
