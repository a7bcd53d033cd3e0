#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A table of schedules of one's own, as the commands that read it show it.
# table.sh FMHAC SOURCES.
here=$(cd "$(dirname "$0")" && pwd)
sources=$2
. "$here/lib.sh"
FMHAC_CACHE=off
export FMHAC_CACHE
unset FMHAC_DISPATCH

# A row names a file beside the table, whose path is longer than what a query answers.
folder=a_folder_whose_name_is_so_long_that_a_path_in_it_is_cut/and_one_more
mkdir -p "$folder"
sed 's/@generic/@own/; s/tile_n = 64/tile_n = 32/' "$sources/passes/schedules/generic.mlir" >"$folder/g.mlir"
cat >"$folder/t.csv" <<'END'
dtype,head_dim_qk,head_dim_v,mask,scores,lengths,schedule,seconds,cycles,other,other_seconds,other_cycles,problem
*,*,*,*,*,any,./g.mlir,1,2,-,-,-,by hand
END
FMHAC_DISPATCH=$folder/t.csv
export FMHAC_DISPATCH

# The map of a mask has the tiles of that file.
run 0 list --explain-mask causal --json
json '"tile":[128,32]'

finish
