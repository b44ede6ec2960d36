/* .npy and .csv writers. Errors stay in the stream: output_finish looks. */
#include "centers.h"

#include <inttypes.h>
#include <string.h>

void npy_write_header(FILE *file, uint64_t rows, uint64_t columns)
{
    enum { MAGIC = 10, TOTAL = 128 }; /* two uint64 fit into 128 bytes */
    unsigned char head[TOTAL];
    char text[TOTAL];
    memset(head, ' ', sizeof head);
    memcpy(head, "\x93NUMPY\x01\x00", 8);
    head[8] = TOTAL - MAGIC;
    head[9] = 0;
    int n = snprintf(text, sizeof text,
                     "{'descr': '<f8', 'fortran_order': False, "
                     "'shape': (%" PRIu64 ", %" PRIu64 "), }",
                     rows, columns);
    memcpy(head + MAGIC, text, (size_t)n);
    head[TOTAL - 1] = '\n';
    fwrite(head, 1, sizeof head, file);
}

void npy_write_values(FILE *file, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        unsigned char bytes[8];
        memcpy(&bits, &values[i], 8);
        for (int b = 0; b < 8; b++)
            bytes[b] = (unsigned char)(bits >> 8 * b);
        fwrite(bytes, 1, 8, file);
    }
}

void csv_write_names(FILE *file, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int quote = strpbrk(names[i], "\",;\t |:") != NULL;
        fputs(i ? "," : "", file);
        fputs(quote ? "\"" : "", file);
        for (const char *p = names[i]; *p; p++) {
            if (*p == '"')
                putc('"', file);
            putc(*p, file);
        }
        fputs(quote ? "\"" : "", file);
    }
    putc('\n', file);
}

void csv_write_row(FILE *file, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(file, i ? ",%.17g" : "%.17g", values[i]);
    putc('\n', file);
}
