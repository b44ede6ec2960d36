#ifndef KITH_TOOL_VERIFY_LEDGER_H
#define KITH_TOOL_VERIFY_LEDGER_H

/* Is the model's charge in the ledger? Says so, or why not. Exit code. */
int verify_in_ledger(const char *path, const char *uri);

#endif
