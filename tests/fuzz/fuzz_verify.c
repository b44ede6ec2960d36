/* Fuzz target: the checker of models, which reads files of strangers. It links
 * with tools/verify alone: nothing of kith may be needed. Nothing may crash,
 * and both ways to print must agree on the verdict. */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <verify.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    char path[64], *headline = NULL;
    int fd = memfd_create("model", 0);
    if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    FILE *out = fopen("/dev/null", "w");
    verify_options words = {0}, json = {.json = 1};
    verify_verdict verdict = verify_file(path, &words, out);
    if (verify_file(path, &json, out) != verdict ||
        verify_promise(path, &headline) != verdict || !headline)
        abort();
    free(headline);
    fclose(out);
    close(fd);
    return 0;
}
