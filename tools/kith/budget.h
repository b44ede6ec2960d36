/* budget: parts of `kith budget`. */
#ifndef KITH_TOOL_BUDGET_H
#define KITH_TOOL_BUDGET_H

#include <kith/kith.h>

#include "args.h"

enum { BUDGET_LEDGER_OPTIONS = 2 };
extern const arg_option budget_ledger_options[BUDGET_LEDGER_OPTIONS];

/* Check the number of operands and open the ledger. Exit code. */
int budget_open(const args *a, size_t operands, unsigned flags,
                kith_ledger **out);
/* The statement of the account that is the operand. Exit code; free both in
 * any case. */
int budget_statement(const args *a, kith_ledger **ledger, kith_statement **out);

/* Are all accounts what their entries come to? Exit code. */
int budget_check_all(kith_ledger *ledger);

/* budget_entries.c: one entry, after its kind and at the end of its line. */
void budget_print_privacy(const kith_entry_view *e);
void budget_print_facts(const kith_entry_view *e);
/* What stays visible for ever: limits that were raised, a closed account, runs
 * that are asymptotic. Is it closed? */
int budget_print_marks(const kith_statement *s);

/* budget_show.c, budget_list.c */
const arg_command *budget_show(void);
const arg_command *budget_quote(void);
const arg_command *budget_history(void);
const arg_command *budget_export(void);
const arg_command *budget_verify(void);
/* budget_models.c */
const arg_command *budget_adopt(void);
/* Is the charge of every model in a folder in the ledger? Exit code. */
int budget_check_models(kith_ledger *ledger, const char *folder);

#endif
