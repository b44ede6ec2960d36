/* Run a command and write what it cost, as JSON, to a file:
 *     bench_child FILE COMMAND [ARGUMENT]...
 * A program of its own because the kernel counts the memory of whoever starts
 * a command as that command's: started from Python, nothing would ever seem
 * to need less than Python does. */
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char **environ;

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_child FILE COMMAND [ARGUMENT]...\n");
        return 2;
    }
    pid_t child;
    int error = posix_spawnp(&child, argv[2], NULL, NULL, argv + 2, environ);
    if (error) {
        fprintf(stderr, "bench_child: %s: %s\n", argv[2], strerror(error));
        return 1;
    }
    int status;
    struct rusage usage;
    if (wait4(child, &status, 0, &usage) != child) {
        perror("bench_child: wait4");
        return 1;
    }
    FILE *f = fopen(argv[1], "w");
    if (!f) {
        perror(argv[1]);
        return 1;
    }
    fprintf(f, "{\"cpu\": %.6f, \"peak_bytes\": %ld}\n",
            seconds(usage.ru_utime) + seconds(usage.ru_stime),
            usage.ru_maxrss * 1024);
    if (fclose(f)) {
        perror(argv[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
