/* Calls that lack something, each in a process of its own: a crash is a failed
 * row. */
#ifndef KITH_NULL_CALL_H
#define KITH_NULL_CALL_H

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kith/status.h"
#include "support/cmocka_all.h"

/* In a child: is the condition true, without a crash? */
#define HOLDS(condition)                                                       \
    do {                                                                       \
        pid_t child_ = fork();                                                 \
        int end_ = 0;                                                          \
        if (child_ == 0 && signal(SIGSEGV, SIG_DFL) != SIG_ERR)                \
            _exit((condition) ? 0 : 1);                                        \
        assert_int_equal(waitpid(child_, &end_, 0), child_);                   \
        if (!WIFEXITED(end_) || WEXITSTATUS(end_) != 0)                        \
            fail_msg("%s: %s", WIFEXITED(end_) ? "not so" : "crashed",         \
                     #condition);                                              \
    } while (0)

/* A refusal that has a message; needs a kith_error err. */
#define FAILS(call) HOLDS(is_slip((call), &err))

static inline int is_slip(kith_status status, const kith_error *err)
{
    return (status == KITH_ERR_ARGUMENT || status == KITH_ERR_PRIVACY) &&
           err->status == status && err->message[0];
}

#endif
