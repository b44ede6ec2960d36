/* The progress bar, of rounds or of bytes of files, never of rows (I35). */
#include "progress.h"

#include <stdio.h>
#include <unistd.h>

#include "cli.h"
#include "ranks.h"

int progress_parse(progress *out, const args *a)
{
    static const char *const modes[] = {"auto", "always", "never", NULL};
    unsigned mode = 0;
    int code = args_choice(a, "progress", modes, &mode);
    *out = (progress){.terminal = isatty(2)};
    out->enabled = ranks_lead() && !args_value(a, "quiet") &&
                   (mode == 1 || (mode == 0 && out->terminal));
    return code;
}

/* "\r[###...] " */
static void draw_bar(unsigned done, unsigned total)
{
    enum { WIDTH = 30 };
    unsigned full = (unsigned)((unsigned long long)done * WIDTH / total);
    char bar[WIDTH + 1] = "";
    for (unsigned i = 0; i < WIDTH; i++)
        bar[i] = i < full ? '#' : '.';
    fprintf(stderr, "\r[%s] ", bar);
}

int progress_step(void *arg, unsigned done, unsigned total)
{
    progress *p = arg;
    if (!p->enabled || total == 0 || done > total)
        return 0;
    if (!p->terminal) {
        cli_note("step %u of %u", done, total);
        return 0;
    }
    draw_bar(done, total);
    fprintf(stderr, "step %u of %u\033[K", done, total);
    fflush(stderr);
    p->shown = done + 1;
    return 0;
}

int progress_read(void *arg, unsigned done, unsigned total)
{
    enum { FEW = 25 }; /* percent between two lines, if it is no terminal */
    progress *p = arg;
    if (!p->enabled || total == 0 || done > total)
        return 0;
    unsigned percent = 100 * done / total;
    if (percent < p->told + (p->terminal ? 1 : FEW))
        return 0;
    p->told = p->terminal ? percent : percent / FEW * FEW;
    if (!p->terminal) {
        cli_note("reading, %u %%", p->told);
        return 0;
    }
    draw_bar(percent, 100);
    fprintf(stderr, "reading, %u %%\033[K", percent);
    fflush(stderr);
    p->shown = 1;
    return 0;
}

void progress_clear(progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = 0;
}
