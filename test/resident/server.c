// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linked with the objects of a command, by --wrap=main:
//
//   resident-COMMAND PROGRAM ARGUMENT...
//
// runs PROGRAM with the variable RESIDENT_VARIABLE naming a socket, serves the
// clients that PROGRAM starts (client.c), and ends as PROGRAM ends. Requests
// are children forked from a process of one thread that has loaded and warmed
// up everything: what one of them does to itself, no other sees.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "resident.h"
#include "warm.h"

extern char **environ;
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

enum { MOST_CHILDREN = 64 };

static struct {
  pid_t pid;
  int connection;
} children[MOST_CHILDREN];
static int child_count;

static char folder[] = "/tmp/resident-XXXXXX";
static struct sockaddr_un address = {.sun_family = AF_UNIX};

static _Noreturn void give_up(const char *what) {
  fprintf(stderr, "resident server: %s: %s\n", what, strerror(errno));
  exit(125);
}

//===- Requests -----------------------------------------------------------===//

static bool receive(int connection, void *to, size_t bytes) {
  return recv(connection, to, bytes, MSG_WAITALL) == (ssize_t)bytes;
}

/// The texts of a request, as a list that ends with NULL; `*text` goes on
/// after them.
static char **unpack(char **text, uint32_t count) {
  char **list = calloc((size_t)count + 1, sizeof *list);
  for (uint32_t i = 0; list && i < count; ++i) {
    list[i] = *text;
    *text += strlen(*text) + 1;
  }
  return list;
}

/// In the child: becomes the command that the request asks for.
static _Noreturn void become(const resident_request *request, const int *fds,
                             char *text) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  if (fchdir(fds[3]) != 0)
    give_up("fchdir");
  for (int i = 0; i < 3; ++i) {
    if (request->closed >> i & 1)
      close(i);
    else if (dup2(fds[i], i) != i)
      give_up("dup2");
  }
  closefrom(3);
  for (int i = 0; i < RESIDENT_LIMITS; ++i)
    setrlimit((__rlimit_resource_t)resident_limits[i], &request->limits[i]);
  // Held to the end, as those of any process are.
  static char **arguments, **variables;
  arguments = unpack(&text, request->arguments);
  variables = unpack(&text, request->variables);
  if (!arguments || !variables)
    give_up("calloc");
  environ = variables;
  exit(__real_main((int)request->arguments, arguments));
}

/// Takes a request and forks its child. False: the connection is of no more
/// use.
static bool begin(int connection) {
  resident_request request;
  int fds[RESIDENT_FDS];
  struct iovec part = {&request, sizeof request};
  union {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof fds)];
  } control;
  struct msghdr message = {.msg_iov = &part,
                           .msg_iovlen = 1,
                           .msg_control = control.bytes,
                           .msg_controllen = sizeof control.bytes};
  if (recvmsg(connection, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC) !=
      (ssize_t)sizeof request)
    return false;
  struct cmsghdr *rights = CMSG_FIRSTHDR(&message);
  if (!rights || rights->cmsg_len != CMSG_LEN(sizeof fds))
    return false;
  memcpy(fds, CMSG_DATA(rights), sizeof fds);
  char *text = malloc(request.bytes);
  bool ok = text && receive(connection, text, request.bytes);
  pid_t pid = ok ? fork() : -1;
  if (pid == 0)
    become(&request, fds, text);
  free(text);
  for (int i = 0; i < RESIDENT_FDS; ++i)
    close(fds[i]);
  if (pid < 0)
    return false;
  children[child_count].pid = pid;
  children[child_count++].connection = connection;
  return true;
}

static void end_child(int i) {
  close(children[i].connection);
  children[i] = children[--child_count];
}

/// Reaps what has ended. The status of `program`, if it is among that; else -1.
static int reap(pid_t program) {
  int status, result = -1;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    if (pid == program)
      result = status;
    for (int i = 0; i < child_count; ++i)
      if (children[i].pid == pid) {
        send(children[i].connection, &status, sizeof status, MSG_NOSIGNAL);
        end_child(i);
        break;
      }
  }
  return result;
}

//===- Serving ------------------------------------------------------------===//

static int serve(int listener, int signals, pid_t program) {
  struct pollfd polled[MOST_CHILDREN + 2];
  for (;;) {
    polled[0] = (struct pollfd){.fd = signals, .events = POLLIN};
    polled[1] = (struct pollfd){
        .fd = child_count < MOST_CHILDREN ? listener : -1, .events = POLLIN};
    const int count = child_count;
    for (int i = 0; i < count;
         ++i) // a client says nothing more: it can only go
      polled[i + 2] =
          (struct pollfd){.fd = children[i].connection, .events = POLLIN};
    if (poll(polled, (nfds_t)count + 2, -1) < 0 && errno != EINTR)
      give_up("poll");
    for (int i = 0; i < count; ++i)
      if (polled[i + 2].revents)
        kill(children[i].pid, SIGKILL);
    if (polled[0].revents) {
      struct signalfd_siginfo info;
      if (read(signals, &info, sizeof info) != (ssize_t)sizeof info)
        give_up("signalfd");
      if (info.ssi_signo != SIGCHLD)
        kill(program, (int)info.ssi_signo);
    }
    int status = reap(program);
    if (status >= 0)
      return status;
    if (polled[1].revents) {
      int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
      if (connection >= 0 && !begin(connection))
        close(connection);
    }
  }
}

/// Threads do not live on in a child of fork().
static void expect_one_thread(void) {
  struct stat tasks;
  if (stat("/proc/self/task", &tasks) == 0 && tasks.st_nlink != 3) {
    errno = 0;
    give_up("a thread was left running before the first fork()");
  }
}

static void remove_folder(void) {
  unlink(address.sun_path);
  rmdir(folder);
}

int __wrap_main(int argc, char **argv) {
  if (argc < 2) {
    fprintf(stderr, "usage: %s PROGRAM ARGUMENT...\n", argv[0]);
    return 125;
  }
  resident_warm();
  expect_one_thread();
  if (!mkdtemp(folder))
    give_up(folder);
  snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", folder);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (listener < 0 ||
      bind(listener, (struct sockaddr *)&address, sizeof address) != 0 ||
      listen(listener, 128) != 0)
    give_up(address.sun_path);

  sigset_t watched, before;
  sigemptyset(&watched);
  sigaddset(&watched, SIGCHLD);
  sigaddset(&watched, SIGTERM);
  sigaddset(&watched, SIGINT);
  sigprocmask(SIG_BLOCK, &watched, &before);
  int signals = signalfd(-1, &watched, SFD_CLOEXEC);
  pid_t program = signals < 0 ? -1 : fork();
  if (program < 0)
    give_up("signalfd, fork");
  if (program == 0) {
    sigprocmask(SIG_SETMASK, &before, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setenv(RESIDENT_VARIABLE, address.sun_path, 1);
    execvp(argv[1], argv + 1);
    give_up(argv[1]);
  }
  int status = serve(listener, signals, program);
  for (int i = 0; i < child_count; ++i)
    kill(children[i].pid, SIGKILL);
  remove_folder();
  fflush(NULL);
  // Nothing of the warm-up is to be freed, nor looked at.
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}
