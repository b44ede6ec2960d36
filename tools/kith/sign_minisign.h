/* sign_minisign: keys and signatures in minisign's format, so that whoever has
 * minisign needs no kith to check who vouches for a file. */
#ifndef KITH_TOOL_SIGN_MINISIGN_H
#define KITH_TOOL_SIGN_MINISIGN_H

/* Make a key pair: path (mode 0600, no password) and path.pub; neither may be
 * there already. Exit code. */
int sign_new_key(const char *path);

/* Write file.minisig, a signature of file and of the trusted comment (one
 * line). A key with a password asks for it on the terminal. Exit code. */
int sign_file(const char *file, const char *key_path, const char *comment);

#endif
