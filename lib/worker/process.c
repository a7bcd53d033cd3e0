// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "process.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/// The first descriptor that is none of the standard ones, which a program may
/// have closed: what stands there would be overwritten below.
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

/// The new process has a socket, nowhere and a file in memory for its standard
/// descriptors, no other descriptor of this one, and signals as they are in the
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
    error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF |
                                                      POSIX_SPAWN_SETSIGMASK);
    if (!error)
      error = posix_spawn_file_actions_adddup2(&files, socket, STDIN_FILENO);
    if (!error)
      error = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO,
                                               "/dev/null", O_WRONLY, 0);
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

int fmhac_process_start(const char *program, fmhac_process **out_process) {
  *out_process = NULL;
  int ends[2] = {-1, -1};
  fmhac_process *process = calloc(1, sizeof *process);
  if (!process)
    return ENOMEM;
  process->errors = -1;
  int error = 0;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    error = errno;
  if (!error) {
    process->errors = memfd_create("fmhac-compiler-errors", MFD_CLOEXEC);
    error = process->errors < 0 ? errno : 0;
  }
  if (!error)
    error = move_up(&ends[0]);
  if (!error)
    error = move_up(&ends[1]);
  if (!error)
    error = move_up(&process->errors);
  if (!error)
    error = spawn(program, ends[1], process->errors, &process->pid);
  if (ends[1] >= 0)
    close(ends[1]);
  if (error) {
    if (ends[0] >= 0)
      close(ends[0]);
    if (process->errors >= 0)
      close(process->errors);
    free(process);
    return error;
  }
  process->socket = ends[0];
  process->owner = getpid();
  *out_process = process;
  return 0;
}

/// What it said first, where LLVM says why; what follows is a trace of calls.
static void append_last_words(int errors, fmhac_str *out) {
  char text[401];
  ssize_t got = pread(errors, text, sizeof text - 1, 0);
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

/// `ended`: by itself, before it was told to.
static void describe(int how, bool ended, fmhac_str *out) {
  if (!ended)
    fmhac_str_append(out, "it sent what is no answer");
  else if (WIFSIGNALED(how))
    fmhac_str_appendf(out, "signal %d (%s)", WTERMSIG(how),
                      strsignal(WTERMSIG(how)));
  else
    fmhac_str_appendf(out, "exit status %d", WEXITSTATUS(how));
}

/// Waits for a process that has closed its socket, or is about to be told.
static void reap(pid_t pid, fmhac_str *out) {
  int how = 0;
  bool ended = false, known = true;
  // It closes the socket a moment before it can be waited for.
  for (int tries = 0; out && !ended && known && tries < 200; ++tries) {
    pid_t got = waitpid(pid, &how, WNOHANG);
    ended = got == pid;
    known = got >= 0 || errno == EINTR;
    if (!ended && known)
      usleep(1000);
  }
  if (!ended && known) {
    kill(pid, SIGKILL);
    int unused;
    while (waitpid(pid, &unused, 0) < 0)
      if (errno != EINTR)
        break;
  }
  if (out && known)
    describe(how, ended, out);
  else if (out) // the program waits for all its children, or for none
    fmhac_str_append(out, "the program around it took its exit status");
}

void fmhac_process_end(fmhac_process *process, fmhac_str *out) {
  bool is_ours = process->owner == getpid();
  close(process->socket);
  if (is_ours)
    reap(process->pid, out);
  if (out)
    append_last_words(process->errors, out);
  close(process->errors);
  free(process);
}
