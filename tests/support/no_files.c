/* A kithd for tests has no pages. */
#include "server.h"

const static_file static_files[] = {{0}};
