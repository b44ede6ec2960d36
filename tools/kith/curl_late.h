/* curl_late: libcurl, loaded when a service is talked to. It brings thirty
 * libraries along; a run that talks to nobody shall not wait for them, nor
 * hold their 6 MB. */
#ifndef KITH_TOOL_CURL_LATE_H
#define KITH_TOOL_CURL_LATE_H

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#define CURL_CALLS(X)                                                          \
    X(global_init)                                                             \
    X(slist_append)                                                            \
    X(slist_free_all)                                                          \
    X(easy_init)                                                               \
    X(easy_reset)                                                              \
    X(easy_setopt)                                                             \
    X(easy_perform)                                                            \
    X(easy_getinfo)                                                            \
    X(easy_strerror)                                                           \
    X(easy_cleanup)                                                            \
    X(multi_init)                                                              \
    X(multi_add_handle)                                                        \
    X(multi_remove_handle)                                                     \
    X(multi_perform)                                                           \
    X(multi_info_read)                                                         \
    X(multi_poll)                                                              \
    X(multi_cleanup)

/* curl.easy_init is curl_easy_init, and so on; set by curl_load. */
typedef struct curl_calls {
#define CURL_CALL(name) __typeof__(curl_##name) *(name);
    CURL_CALLS(CURL_CALL)
#undef CURL_CALL
} curl_calls;
extern curl_calls curl;

/* Exit code. Called once, before threads are started. */
int curl_load(void);

#endif
