/* output: results appear whole or not at all. A file is written under a
 * temporary name in its own directory, synced, and renamed; the temporary
 * file exists from _open on, so that a run is never charged for a result that
 * cannot be written. Signals remove it. */
#ifndef KITH_TOOL_OUTPUT_H
#define KITH_TOOL_OUTPUT_H

#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

typedef struct output {
    FILE *file;   /* write here                                            */
    char *target; /* final name; NULL: standard output                     */
    char *temp;   /* NULL: target is a device or a pipe, written in place  */
    int nameless; /* 1 + the descriptor of a file that has no name yet     */
} output;

/* path NULL or "-": standard output. A file that is a kith model, a signature
 * or a key is refused, so that no command destroys one by a slip. Exit code. */
int output_open(output *o, const char *path);

/* The same for a file that every rank has one of. */
int output_open_own(output *o, const char *path);

/* The same, whatever is there: for who called _check_new, or asked in some
 * other way. */
int output_replace(output *o, const char *path);

/* Flush, sync and close; the target is still untouched. Exit code. */
int output_finish(output *o);
/* Give the finished file its name. Exit code. */
int output_commit(output *o);
/* Both, or nothing if there is an exit code already; then forget it all. */
int output_save(output *o, int code);
/* Forget it all; fine after _commit and on an all-zero output. */
void output_discard(output *o);

/* Refuse an output that is one of the inputs. Exit code. */
int output_check_inputs(const char *path, const char *const *inputs,
                        size_t count);

/* output_keep.c. A published file stays: refuse to write to a regular file that
 * exists, unless forced, or it is a plan, on which nothing was spent. path:
 * NULL or "-" is standard output. Exit code. */
int output_check_new(const char *path, int force);
/* The same for the signature beside this file. */
int output_check_signature(const char *path, int force);
/* The file was replaced and not signed again: a signature beside it goes, with
 * a word. */
void output_drop_signature(const char *path);
/* Refuse a file that is a kith model, a signature or a key. Exit code. */
int output_check_kept(const char *path);
/* Where --dry-run writes: this path, or NULL (standard output), with a word, if
 * a file is there that is no plan. */
const char *output_of_plan(const char *path);

/* Do both names (not NULL, not "-") lead to one file, which may not exist? */
int output_is_same(const char *a, const char *b);

/* Remove what is not finished: for who is about to be ended. */
void output_abandon(void);

/* Call once, first: signals, and standard streams that are closed. */
void output_prepare(void);

/* vocab_args.c: print JSON (taken; NULL: no memory) as model files are laid
 * out. Exit code. */
int print_json(FILE *file, json_t *json);

/* Does name end in suffix? */
int output_has_suffix(const char *name, const char *suffix);

#endif
