// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// fmhac SUBCOMMAND [options]: the table of sub-commands.
#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "fmhac.h"
#include "fmhac_options.h"
#include "report.h"
#include "streams.h"

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
  const char *summary;
} commands[] = {
    {"compile", cmd_compile, "write the code object, or the IR of any rung"},
    {"run", cmd_run, "compile, run and compare with the reference"},
    {"emu", cmd_emu, "run any gfx950 code object on the emulator"},
    {"inspect", cmd_inspect, "registers, LDS, occupancy, instruction mix"},
    {"list", cmd_list, "schedules and supported configurations"},
    {"doctor", cmd_doctor, "show compiler, emulator and GPU of this machine"},
    {"bench", cmd_bench,
     "time a configuration with the cycle model or on a GPU"},
    {"trace", cmd_trace, "write a timeline of a workgroup and draw its loop"},
    {"tune", cmd_tune, "search for the best schedule with the cycle model"},
    {"cache", cmd_cache, "list, check and remove kept kernels"},
};

enum { COMMAND_COUNT = sizeof commands / sizeof commands[0] };

static void print_help(FILE *out) {
  fprintx(
      out,
      "usage: fmhac SUBCOMMAND [options]\n\n"
      "Compiles one attention configuration into one gfx950 code object and\n"
      "runs it, on a GPU or on the emulator that is built in.\n\n");
  for (int i = 0; i < COMMAND_COUNT; ++i)
    fprintx(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
  fprintx(out,
          "\n`fmhac SUBCOMMAND --help`, or `fmhac help SUBCOMMAND`, lists the "
          "options.\n`fmhac --version` prints the versions of this build and "
          "its parts.\n\nexit codes: 0 done; 1 a check failed; 2 bad usage or "
          "input;\n3 unsupported; 4 the device could not go on; 5 internal\n");
}

static int unknown_command(const report *r, const char *name) {
  const char *names[COMMAND_COUNT];
  for (int i = 0; i < COMMAND_COUNT; ++i)
    names[i] = commands[i].name;
  const char *near = fmhac_nearest_spelling(name, names, COMMAND_COUNT);
  return report_error(r, EXIT_USAGE,
                      "no sub-command '%.60s'%s%s%s; `fmhac --help` lists them",
                      name, MEANT(near));
}

/// Handles a command line that begins with an option of a sub-command.
static int misplaced_option(const report *r, int argc, char **argv) {
  int i = 1;
  while (i < argc && argv[i][0] == '-')
    ++i;
  for (int k = 0; i < argc && k < COMMAND_COUNT; ++k)
    if (strcmp(argv[i], commands[k].name) == 0)
      return report_error(r, EXIT_USAGE,
                          "expected a sub-command before %.60s: fmhac %s %.60s",
                          argv[1], argv[i], argv[1]);
  if (i < argc)
    return unknown_command(r, argv[i]);
  return report_error(
      r, EXIT_USAGE,
      "expected a sub-command, found %.60s; `fmhac --help` lists them",
      argv[1]);
}

static int run(int argc, char **argv) {
  if (argc < 2) {
    print_help(stderr);
    return EXIT_USAGE;
  }
  const char *name = argv[1];
  const bool help = strcmp(name, "help") == 0;
  // `fmhac help run` is `fmhac run --help`.
  for (int i = 0; help && argc > 2 && i < COMMAND_COUNT; ++i)
    if (strcmp(argv[2], commands[i].name) == 0)
      return commands[i].run(2, (char *[]){argv[2], "--help", NULL});
  if (help || strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    print_help(stdout);
    return EXIT_DONE;
  }
  if (strcmp(name, "--version") == 0) {
    printx("%s\n", fmhac_version_text());
    return EXIT_DONE;
  }
  // For completion in shells, as --list-flags of each.
  if (strcmp(name, "--list-commands") == 0) {
    for (int i = 0; i < COMMAND_COUNT; ++i)
      printx("%s\t%s\n", commands[i].name, commands[i].summary);
    return EXIT_DONE;
  }
  for (int i = 0; i < COMMAND_COUNT; ++i)
    if (strcmp(name, commands[i].name) == 0)
      return commands[i].run(argc - 1, argv + 1);
  report r = {.command = ""};
  for (int i = 1; i < argc; ++i)
    r.json |= strcmp(argv[i], "--json") == 0;
  return name[0] == '-' ? misplaced_option(&r, argc, argv)
                        : unknown_command(&r, name);
}

int main(int argc, char **argv) {
  // Parsing, computing and printing must not depend on the process's initial
  // floating-point mode: one built with -ffast-math flushes subnormals to 0.
  fesetenv(FE_DFL_ENV);
  if (!streams_open())
    return EXIT_DEVICE;
  return streams_close(run(argc, argv));
}
