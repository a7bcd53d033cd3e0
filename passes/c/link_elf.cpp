// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The in-process linker: lld has no C face.
#include "c/fmha_passes_c.h"

#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <pthread.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace {
/// lld takes and gives files by path. The object is one in memory, the code
/// object comes out of a pipe: nothing is left of them when the process is
/// killed.
class Object {
public:
  ~Object() {
    if (fd >= 0)
      ::close(fd);
  }
  bool write(const void *bytes, size_t size) {
    fd = ::memfd_create("fmhac", MFD_CLOEXEC);
    if (fd < 0)
      return false;
    llvm::raw_fd_ostream stream(fd, /*shouldClose=*/false);
    stream.write(static_cast<const char *>(bytes), size);
    stream.flush();
    path = "/proc/self/fd/" + std::to_string(fd);
    return !stream.has_error();
  }
  std::string path;

private:
  int fd = -1;
};

/// What is written to the pipe is read by a thread of its own: there may be
/// more than a pipe holds. lld writes its output as a whole where it is no
/// regular file.
class Output {
public:
  ~Output() {
    finish();
    if (ends[0] >= 0)
      ::close(ends[0]);
  }
  bool open() {
    if (::pipe2(ends, O_CLOEXEC) != 0)
      return false;
    path = "/proc/self/fd/" + std::to_string(ends[1]);
    isReading = ::pthread_create(&reader, nullptr, readAll, this) == 0;
    return isReading;
  }
  /// Everything that was written.
  const std::string &finish() {
    if (ends[1] >= 0)
      ::close(ends[1]);
    ends[1] = -1;
    if (isReading)
      ::pthread_join(reader, nullptr);
    isReading = false;
    return bytes;
  }
  std::string path;

private:
  static void *readAll(void *user) {
    auto *self = static_cast<Output *>(user);
    char chunk[1 << 16];
    for (;;) {
      ssize_t got = ::read(self->ends[0], chunk, sizeof chunk);
      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0)
        return nullptr;
      self->bytes.append(chunk, static_cast<size_t>(got));
    }
  }
  int ends[2] = {-1, -1};
  pthread_t reader;
  bool isReading = false;
  std::string bytes;
};
} // namespace

bool fmhaLinkCodeObject(const void *object, size_t object_bytes,
                        void **out_code, size_t *out_code_bytes,
                        char **out_message) {
  *out_code = nullptr;
  *out_code_bytes = 0;
  *out_message = nullptr;
  auto fail = [&](const std::string &text) {
    *out_message = ::strdup(text.c_str());
    return false;
  };

  Object input;
  Output output;
  if (!input.write(object, object_bytes))
    return fail("writing the object for lld, a file in memory: " +
                std::string(std::strerror(errno)));
  if (!output.open())
    return fail("creating a pipe for lld's output: " +
                std::string(std::strerror(errno)));
  if (::access(input.path.c_str(), R_OK) != 0)
    return fail("the linker needs /proc: " + input.path + ": " +
                std::strerror(errno));

  std::string text;
  llvm::raw_string_ostream log(text);
  static std::mutex lock; // lld keeps its state in globals
  static bool usable = true;
  std::lock_guard<std::mutex> guard(lock);
  if (!usable)
    return fail("lld failed earlier in this process and can not run again");
  const char *args[] = {"ld.lld",           "-shared", "--threads=1",
                        input.path.c_str(), "-o",      output.path.c_str()};
  lld::Result result =
      lld::lldMain(args, log, log, {{lld::Gnu, &lld::elf::link}});
  usable = result.canRunAgain;
  if (result.retCode != 0)
    return fail("lld: " + log.str());

  const std::string &linked = output.finish();
  *out_code = linked.empty() ? nullptr : std::malloc(linked.size());
  if (!*out_code)
    return fail("no code object came from lld, or there is no memory for it");
  *out_code_bytes = linked.size();
  std::memcpy(*out_code, linked.data(), linked.size());
  return true;
}
