// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/// The first descriptor above the standard ones. A program may have closed
/// those, and a descriptor among them would be overwritten below.
enum { FIRST_FREE = 3 };

static int move_up(int *descriptor) {
  if (*descriptor >= FIRST_FREE)
    return 0;
  int copy = fcntl(*descriptor, F_DUPFD_CLOEXEC, FIRST_FREE);
  if (copy < 0)
    return errno;
  close(*descriptor);
  *descriptor = copy;
  return 0;
}

/// The new process has the socket for standard input, the file for the other
/// standard descriptors, none else of this one, and signals as they are in the
/// beginning.
static int spawn(const char *program, int socket, int errors, pid_t *out_pid) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&files);
  if (error)
    return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    sigset_t all, none;
    sigfillset(&all);
    sigemptyset(&none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF |
                                                      POSIX_SPAWN_SETSIGMASK |
                                                      POSIX_SPAWN_SETPGROUP);
    if (!error)
      error = posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
    if (!error)
      error = posix_spawn_file_actions_adddup2(&files, errors, STDOUT_FILENO);
    if (!error)
      error = posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
    if (!error)
      error = posix_spawn_file_actions_addclosefrom_np(&files, FIRST_FREE);
    char name[] = "fmhac-compiler";
    char *const arguments[] = {name, NULL};
    if (!error)
      error = posix_spawn(out_pid, program, &files, &attributes, arguments,
                          environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/// Where the process says why it ends: a file in memory; nowhere, where the
/// system has or allows none.
static int open_errors(void) {
  int file = -1;
#ifdef MFD_NOEXEC_SEAL
  file = memfd_create("fmhac-compiler", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
#endif
  if (file < 0)
    file = memfd_create("fmhac-compiler", MFD_CLOEXEC);
  return file < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : file;
}

static void close_all(const int *descriptors, int count) {
  for (int i = 0; i < count; ++i)
    if (descriptors[i] >= 0)
      close(descriptors[i]);
}

int fmhac_process_start(fmhac_allocator allocator, const char *program,
                        fmhac_process **out_process, const char **out_step) {
  enum { OURS, THEIRS, ERRORS, DESCRIPTORS };
  int d[DESCRIPTORS] = {-1, -1, -1};
  *out_process = NULL;
  *out_step = "memory for it";
  fmhac_process *process = fmhac_allocate(allocator, sizeof *process);
  if (!process)
    return ENOMEM;
  *out_step = "a pair of sockets";
  int error = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, d) ? errno : 0;
  if (!error) {
    *out_step = "a file for its standard error";
    d[ERRORS] = open_errors();
    error = d[ERRORS] < 0 ? errno : 0;
  }
  for (int i = 0; !error && i < DESCRIPTORS; ++i)
    error = move_up(&d[i]);
  if (!error) {
    *out_step = program;
    error = spawn(program, d[THEIRS], d[ERRORS], &process->pid);
  }
  if (error) {
    close_all(d, DESCRIPTORS);
    fmhac_release(allocator, process);
    return error;
  }
  close(d[THEIRS]);
  process->allocator = allocator;
  process->socket = d[OURS];
  process->errors = d[ERRORS];
  process->handle = pidfd_open(process->pid, 0);
  process->owner = getpid();
  *out_process = process;
  return 0;
}

bool fmhac_process_is_gone(const fmhac_process *process) {
  struct pollfd one = {.fd = process->socket, .events = POLLRDHUP};
  return process->owner != getpid() ||
         (poll(&one, 1, 0) == 1 && (one.revents & (POLLRDHUP | POLLHUP)));
}

void fmhac_process_begin(fmhac_process *process) {
  process->user = pthread_self();
  lseek(process->errors, 0, SEEK_END);
}

/// The first line about this order, in which LLVM gives the reason; a trace of
/// calls follows it. Without such a line, the last line before the order.
static void append_last_words(int errors, fmhac_str *out) {
  char text[401];
  off_t at = lseek(errors, 0, SEEK_CUR);
  ssize_t got = at < 0 ? -1 : pread(errors, text, sizeof text - 1, at);
  if (got == 0)
    got = pread(errors, text, sizeof text - 1, 0);
  size_t bytes = got > 0 ? (size_t)got : 0;
  while (bytes && isspace((unsigned char)text[bytes - 1]))
    --bytes;
  text[bytes] = '\0';
  for (size_t i = 0; i < bytes; ++i)
    if (text[i] == '\n')
      text[i] = ' ';
  if (bytes)
    fmhac_str_appendf(out, "; it said: %s", text);
}

//===- The end ------------------------------------------------------------===//

enum { MOST_MILLISECONDS = 200 };

/// Waits for the end of a process that has closed its socket.
static void await_end(const fmhac_process *process) {
  struct pollfd one = {.fd = process->handle, .events = POLLIN};
  if (process->handle >= 0)
    while (poll(&one, 1, MOST_MILLISECONDS) < 0 && errno == EINTR)
      ;
  siginfo_t info = {.si_pid = 0};
  for (int i = 0; process->handle < 0 && i < MOST_MILLISECONDS; ++i) {
    if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG | WNOWAIT) !=
            0 ||
        info.si_pid)
      return;
    usleep(1000);
  }
}

/// Kills a process unless it has ended, and takes its exit status. False: the
/// program took the status already, and the number may be of another process.
static bool reap(const fmhac_process *process, siginfo_t *out,
                 bool *out_killed) {
  const bool by_handle = process->handle >= 0;
  const idtype_t type = by_handle ? P_PIDFD : P_PID;
  const id_t id = (id_t)(by_handle ? process->handle : process->pid);
  siginfo_t info = {.si_pid = 0};
  int result = waitid(type, id, &info, WEXITED | WNOHANG);
  *out_killed = false;
  if (result == 0 && !info.si_pid) {
    *out_killed = true;
    if (by_handle)
      pidfd_send_signal(process->handle, SIGKILL, NULL, 0);
    else
      kill(process->pid, SIGKILL);
    while ((result = waitid(type, id, &info, WEXITED)) != 0 && errno == EINTR)
      ;
  }
  *out = info;
  return result == 0;
}

static void describe(const siginfo_t *how, bool killed, fmhac_str *out) {
  if (killed)
    fmhac_str_append(out, "it sent a malformed answer");
  else if (how->si_code == CLD_EXITED)
    fmhac_str_appendf(out, "exit status %d", how->si_status);
  else
    fmhac_str_appendf(out, "signal %d (%s)", how->si_status,
                      strsignal(how->si_status));
}

void fmhac_process_end(fmhac_process *process, fmhac_str *out) {
  close(process->socket);
  if (process->owner == getpid()) {
    siginfo_t how;
    bool killed;
    if (out)
      await_end(process);
    bool known = reap(process, &how, &killed);
    if (out && known)
      describe(&how, killed, out);
    else if (out) // it waits for all its children, or for none
      fmhac_str_append(out, "the program around it took its exit status");
  }
  if (out)
    append_last_words(process->errors, out);
  close(process->errors);
  if (process->handle >= 0)
    close(process->handle);
  fmhac_release(process->allocator, process);
}
