/* libcurl, loaded when it is asked for. */
#include "curl_late.h"

#include <dlfcn.h>
#include <string.h>

#include "cli.h"

curl_calls curl;

int curl_load(void)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    int complete = library != NULL;
#define CURL_CALL(name)                                                        \
    do {                                                                       \
        void *found = complete ? dlsym(library, "curl_" #name) : NULL;         \
        memcpy(&curl.name, &found, sizeof found);                              \
        complete = found != NULL;                                              \
    } while (0);
    CURL_CALLS(CURL_CALL)
#undef CURL_CALL
    if (!complete)
        return cli_fail(CLI_FAILED, "a service is talked to by libcurl, and "
                                    "libcurl.so.4 cannot be loaded: install "
                                    "it (Debian: libcurl4)");
    curl.global_init(CURL_GLOBAL_DEFAULT);
    return CLI_OK;
}
