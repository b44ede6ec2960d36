/* Run a fuzz target over every file of a directory, without libFuzzer: the
 * corpus as an ordinary test, with any compiler. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        perror(path);
        return 1;
    }
    size_t room = 1 << 20;
    uint8_t *bytes = malloc(room);
    size_t count = bytes ? fread(bytes, 1, room, f) : 0;
    fclose(f);
    /* A copy of the exact size, so that sanitizers see its end. */
    uint8_t *exact = bytes ? realloc(bytes, count ? count : 1) : NULL;
    if (exact)
        LLVMFuzzerTestOneInput(exact, count);
    free(exact);
    return exact ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    DIR *dir = opendir(argv[1]);
    if (!dir) {
        perror(argv[1]);
        return 1;
    }
    int files = 0, failed = 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL;) {
        char path[4096];
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", argv[1], e->d_name);
        failed += run_file(path);
        files++;
    }
    closedir(dir);
    printf("%d files\n", files);
    return failed || files == 0; /* an empty corpus tests nothing */
}
