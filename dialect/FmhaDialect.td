// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef FMHA_DIALECT_TD
#define FMHA_DIALECT_TD

include "mlir/IR/OpBase.td"

def Fmha_Dialect : Dialect {
  let name = "fmha";
  let cppNamespace = "::mlir::fmha";
  let summary = "Attention on gfx950 as steps of one KV loop";
  let description = [{
    **What goes here.** What an attention kernel is, from the whole problem down to
    the point where one step becomes hardware operations: problem and schedule
    attributes, the KV loop, its steps (`load product mask row_max exp …`), the LDS
    buffers that they use. What upstream `amdgpu`, `rocdl`, `arith` or `scf` says
    already, waits and barriers among it, does not go here.

    **Rungs.** `problem` (one `fmha.attention`), `tiles` (a `fmha.kernel` of
    steps on bare tiles), `layouts` (every tile with a lane layout, every LDS
    buffer with a layout and a byte range), `pipelined` (stages), `synced` (waits
    and barriers in place). Each rung is verified by `fmha-verify-rung`.

    **Shapes.** Tiles are logical: Q is M x Dqk, K is N x Dqk, S and P are M x N,
    V is N x Dv, O is M x Dv, whatever way a matrix instruction holds them. The
    way a tile lies in the lanes is its `#fmha.lane_layout`.

    **Rules.** Closed choices are enums. Every number that a pass decides is an
    attribute that is printed. A verifier quotes what it expected and what it
    found.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // FMHA_DIALECT_TD
