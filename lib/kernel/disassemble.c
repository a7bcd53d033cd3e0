// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac_disassemble(): the instructions of one kernel of a code object, ours or
// not, by LLVM's disassembler.
#include <string.h>

#include "fmhac.h"
#include "fmhac_disasm.h"
#include "fmhac_inspect.h"
#include "object.h"

enum { WORD_BYTES = 4, LINE_BYTES = 512, TEXT_BYTES = 512 };

fmhac_status
fmhac_disassemble(const void *code, size_t code_bytes, const char *kernel,
                  void (*line)(void *user, uint64_t pc, const char *text),
                  void *user) {
  // There is no context for a text.
  if (!code || !kernel || !line)
    return FMHAC_INVALID_INPUT;
  char ignored[TEXT_BYTES];
  isa_object object;
  isa_range function;
  fmhac_status status =
      isa_object_read(code, code_bytes, ignored, sizeof ignored, &object);
  if (status != FMHAC_OK)
    return status;
  fmhac_disasm *disasm = NULL;
  status = isa_object_find_function(&object, kernel, &function)
               ? fmhac_disasm_create(&disasm)
               : FMHAC_INVALID_INPUT;
  for (uint64_t pc = 0; status == FMHAC_OK && pc < function.bytes;) {
    char text[LINE_BYTES];
    size_t size =
        fmhac_disasm_one(disasm, object.bytes + function.offset + pc,
                         (size_t)(function.bytes - pc), pc, text, sizeof text);
    line(user, pc, size ? text + strspn(text, " \t") : "<unknown>");
    pc += size ? size : WORD_BYTES;
  }
  fmhac_disasm_destroy(disasm);
  isa_object_deinit(&object);
  return status;
}
