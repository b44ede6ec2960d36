/* sign_minisign: keys and signatures in minisign's format, so that whoever has
 * minisign needs no kith to check who vouches for a file. */
#ifndef KITH_TOOL_SIGN_MINISIGN_H
#define KITH_TOOL_SIGN_MINISIGN_H

/* Make a key pair: path (mode 0600, no password) and path.pub; neither may be
 * there already. Exit code. */
int sign_new_key(const char *path);

/* A secret key, read; one with a password asks for it on the terminal. Exit
 * code; close in any case. */
typedef struct sign_key sign_key;
int sign_key_open(const char *path, sign_key **out);
void sign_key_close(sign_key *key); /* NULL is fine */

/* Write file.minisig, a signature of file and of the trusted comment (one
 * line). Exit code. */
int sign_file(const char *file, const sign_key *key, const char *comment);

#endif
