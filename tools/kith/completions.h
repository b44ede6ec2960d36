/* completions: what a shell offers after Tab. */
#ifndef KITH_TOOL_COMPLETIONS_H
#define KITH_TOOL_COMPLETIONS_H

#include "args.h"

/* A script for bash, zsh or fish to standard output. Exit code. */
int completions_print(const arg_command *const *commands, size_t count,
                      const char *shell);

#endif
