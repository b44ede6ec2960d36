/* commands: the table of each command, and its main. */
#ifndef KITH_TOOL_COMMANDS_H
#define KITH_TOOL_COMMANDS_H

#include "args.h"
#include "sign_minisign.h"

const arg_command *command_kmeans(void);
const arg_command *command_kmedian(void);
const arg_command *command_subspace(void);
const arg_command *command_local(void);
const arg_command *command_evaluate(void);
const arg_command *command_assign(void);
const arg_command *command_generate(void);
const arg_command *command_verify(void);
const arg_command *command_sign(void);
const arg_command *command_report(void);
const arg_command *command_budget(void);
const arg_command *command_sweep(void);
const arg_command *command_audit(void);
const arg_command *command_check(void);
const arg_command *command_bounds(void);

/* The whole command: finds its command, runs it, closes standard output. Exit
 * code. */
int command_main(int argc, char **argv);

int kmeans_main(const args *a); /* of kmedian too; exit code */
int subspace_main(const args *a);

/* cmd_sign.c: write path.minisig. Exit code. */
int sign_model(const char *path, const sign_key *key);

#endif
