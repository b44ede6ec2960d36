/* The ways to copy a process: the second and third run no handler. */
#ifndef KITH_TEST_COPY_PROCESS_H
#define KITH_TEST_COPY_PROCESS_H

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/cmocka_all.h"

enum { COPY_WAYS = 3 };

static inline pid_t copy_process(int way)
{
    if (way == 0)
        return fork();
    if (way == 1)
        return _Fork();
#ifdef SYS_fork
    return (pid_t)syscall(SYS_fork);
#else
    return (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
#endif
}

/* Run work(arg, out) in a copy, and take the `bytes` it wrote to out. */
typedef void copied_work(void *arg, void *out);

static inline void run_in_copy(int way, copied_work *work, void *arg, void *out,
                               size_t bytes)
{
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = copy_process(way);
    assert_true(child >= 0);
    if (child == 0) {
        work(arg, out);
        size_t sent = 0;
        ssize_t n;
        while (sent < bytes &&
               (n = write(pipes[1], (char *)out + sent, bytes - sent)) > 0)
            sent += (size_t)n;
        _exit(sent == bytes ? 0 : 1);
    }
    close(pipes[1]);
    size_t got = 0;
    ssize_t n;
    while (got < bytes &&
           (n = read(pipes[0], (char *)out + got, bytes - got)) > 0)
        got += (size_t)n;
    close(pipes[0]);
    int code;
    waitpid(child, &code, 0);
    assert_int_equal(code, 0);
    assert_int_equal(got, bytes);
}

#endif
