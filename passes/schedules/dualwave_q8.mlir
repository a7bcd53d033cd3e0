// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dualwave_q8: dualwave_fp8 for a Q that the kernel rounds to 8 bits. Its rows then carry the factor of
// scores but for a power of two, by which the matrix instruction multiplies: products that start from
// the lift less the maximum are exponents as they come, and nothing is subtracted.
//
// Budget: that of dualwave_fp8 but for 16 packed instructions a wave and tile, which do not overlap with
// matrix instructions, and one register more, that of the power of two.
fmha.schedule @dualwave_q8 = @dualwave_fp8 with <
  pipeline = <stages = [
    <@v_in memory [read_v ahead -1, load_k ahead 2, mask, row_max] priority 2>]>>
