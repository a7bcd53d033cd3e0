// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The in-process linker: lld has no C face.
#include "c/fmha_passes_c.h"

#include "lld/Common/Driver.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>

LLD_HAS_DRIVER(elf)

static char *copyText(llvm::StringRef text) {
  char *copy = static_cast<char *>(std::malloc(text.size() + 1));
  if (copy) {
    std::memcpy(copy, text.data(), text.size());
    copy[text.size()] = '\0';
  }
  return copy;
}

/// lld reads and writes files; these vanish with the objects.
static std::error_code createTemporary(llvm::StringRef suffix,
                                       llvm::SmallString<128> &path, int &fd) {
  return llvm::sys::fs::createTemporaryFile("fmhac", suffix, fd, path);
}

bool fmhaLinkCodeObject(const void *object, size_t object_bytes,
                        void **out_code, size_t *out_code_bytes,
                        char **out_message) {
  *out_code = nullptr;
  *out_code_bytes = 0;
  *out_message = nullptr;
  auto fail = [&](llvm::StringRef text) {
    *out_message = copyText(text);
    return false;
  };

  llvm::SmallString<128> input, output;
  int fd = -1;
  if (std::error_code error = createTemporary("o", input, fd))
    return fail("writing the object for lld: " + error.message());
  llvm::FileRemover removeInput(input);
  {
    llvm::raw_fd_ostream stream(fd, /*shouldClose=*/true);
    stream.write(static_cast<const char *>(object), object_bytes);
    stream.close();
    if (stream.has_error())
      return fail("writing the object for lld: " + stream.error().message());
  }
  if (std::error_code error = createTemporary("hsaco", output, fd))
    return fail("creating lld's output: " + error.message());
  llvm::FileRemover removeOutput(output);
  llvm::sys::fs::file_t file = fd;
  llvm::sys::fs::closeFile(file);

  std::string text;
  llvm::raw_string_ostream log(text);
  static std::mutex lock; // lld keeps its state in globals
  static bool usable = true;
  std::lock_guard<std::mutex> guard(lock);
  if (!usable)
    return fail("lld failed earlier in this process and can not run again");
  const char *args[] = {"ld.lld", "-shared", input.c_str(), "-o",
                        output.c_str()};
  lld::Result result =
      lld::lldMain(args, log, log, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0)
    return fail("lld: " + log.str());

  auto linked = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!linked)
    return fail("reading lld's output: " + linked.getError().message());
  *out_code_bytes = (*linked)->getBufferSize();
  *out_code = std::malloc(*out_code_bytes);
  if (!*out_code)
    return fail("out of memory for the code object");
  std::memcpy(*out_code, (*linked)->getBufferStart(), *out_code_bytes);
  return true;
}
