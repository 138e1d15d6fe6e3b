/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The subcommands. Each function takes the arguments of its subcommand and returns the exit status.
 */
#ifndef PFMON_COMMANDS_H
#define PFMON_COMMANDS_H

int command_stat(int argc, char **argv);
int command_record(int argc, char **argv);
int command_list(int argc, char **argv);
int command_info(int argc, char **argv);
int command_report(int argc, char **argv);
int command_script(int argc, char **argv);
int command_top(int argc, char **argv);

#endif
