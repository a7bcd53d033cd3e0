// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests run in the place of a command: hands its arguments, environment,
// working directory and standard streams to the resident command, and ends as
// the child there ended. Without one, or where the loader would load something
// else, it is the command itself.
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resident.h"

extern char **environ;

static _Noreturn void give_up(const char *what) {
  fprintf(stderr, "resident client: %s: %s\n", what, strerror(errno));
  exit(125);
}

/// The loader and the sanitizers read these when a process begins.
static bool begins_alike(void) {
  static const char *const names[] = {"LD_LIBRARY_PATH", "LD_PRELOAD",
                                      "ASAN_OPTIONS",    "UBSAN_OPTIONS",
                                      "LSAN_OPTIONS",    "GLIBC_TUNABLES"};
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    if (getenv(names[i]))
      return false;
  return true;
}

static int reach(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  if (strlen(path) >= sizeof address.sun_path)
    return -1;
  strcpy(address.sun_path, path);
  int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
    return fd;
  close(fd);
  return -1;
}

/// Places the texts of a list one after the other; counts their bytes without a
/// place.
static size_t pack(char *const *list, char *place, uint32_t *count) {
  size_t bytes = 0;
  for (*count = 0; list[*count]; ++*count) {
    size_t length = strlen(list[*count]) + 1;
    if (place)
      memcpy(place + bytes, list[*count], length);
    bytes += length;
  }
  return bytes;
}

static void ask(int server, char **argv) {
  resident_request request = {.closed = 0};
  int fds[RESIDENT_FDS];
  int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  int directory = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (nothing < 0 || directory < 0)
    give_up("/dev/null, .");
  for (int i = 0; i < 3; ++i) {
    bool open_here =
        fcntl(i, F_GETFD) >= 0 && i != nothing && i != directory && i != server;
    fds[i] = open_here ? i : nothing;
    request.closed |= open_here ? 0 : 1u << i;
  }
  fds[3] = directory;
  for (int i = 0; i < RESIDENT_LIMITS; ++i)
    getrlimit((__rlimit_resource_t)resident_limits[i], &request.limits[i]);

  size_t first = pack(argv, NULL, &request.arguments);
  size_t bytes = first + pack(environ, NULL, &request.variables);
  char *text = malloc(bytes);
  if (!text)
    give_up("malloc");
  pack(argv, text, &request.arguments);
  pack(environ, text + first, &request.variables);
  request.bytes = (uint32_t)bytes;

  struct iovec part = {&request, sizeof request};
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof fds)];
  } control = {.bytes = {0}};
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(sizeof fds);
  memcpy(CMSG_DATA(rights), fds, sizeof fds);
  if (sendmsg(server, &message, MSG_NOSIGNAL) != (ssize_t)sizeof request)
    give_up("sendmsg");
  for (size_t sent = 0; sent < bytes;) {
    ssize_t n = send(server, text + sent, bytes - sent, MSG_NOSIGNAL);
    if (n < 0)
      give_up("send");
    sent += (size_t)n;
  }
  free(text);
  // The child's streams are its own: a pipe ends when the child ends it.
  for (int i = 0; i < 3; ++i)
    if (i != server)
      close(i);
}

int main(int argc, char **argv) {
  (void)argc;
  const char *path = getenv(RESIDENT_VARIABLE);
  int server = path && begins_alike() ? reach(path) : -1;
  if (server < 0) {
    execv(RESIDENT_COMMAND, argv);
    give_up(RESIDENT_COMMAND);
  }
  ask(server, argv);
  int status = 0;
  if (recv(server, &status, sizeof status, MSG_WAITALL) !=
      (ssize_t)sizeof status)
    return 125;
  if (WIFEXITED(status))
    return WEXITSTATUS(status);
  // The same end as the child's, without a second core.
  struct rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}
