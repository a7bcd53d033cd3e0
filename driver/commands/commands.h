// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The sub-commands: one file each. argv[0] is the sub-command's own name. Each
/// returns the exit code.
#ifndef FMHAC_DRIVER_COMMANDS_H
#define FMHAC_DRIVER_COMMANDS_H

int cmd_compile(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_emu(int argc, char **argv);
int cmd_inspect(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_cache(int argc, char **argv);
int cmd_bench(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_tune(int argc, char **argv);

#endif // FMHAC_DRIVER_COMMANDS_H
