/* Words and numbers of the page. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

void report_escape(FILE *file, const char *text)
{
    for (const char *p = text; *p; p++)
        switch (*p) {
        case '&':
            fputs("&amp;", file);
            break;
        case '<':
            fputs("&lt;", file);
            break;
        case '>':
            fputs("&gt;", file);
            break;
        case '"':
            fputs("&quot;", file);
            break;
        case '\'':
            fputs("&#39;", file);
            break;
        default:
            if ((unsigned char)*p >= 32)
                putc(*p, file);
            else
                putc(' ', file);
        }
}

/* <bdi>: a name from right to left does not turn its neighbours around. */
void report_name(const report *r, uint32_t i)
{
    if (!r->names) {
        fprintf(r->file, "feature %u", i + 1);
        return;
    }
    fputs("<bdi>", r->file);
    report_escape(r->file, r->names[i]);
    fputs("</bdi>", r->file);
}

void report_number(FILE *file, double value, double sd)
{
    if (!(sd > 0) || !isfinite(sd)) {
        fprintf(file, "%.4g", value);
        return;
    }
    /* one digit that is noise, no more than 9 in all */
    double places = ceil(-log10(sd));
    if (places > 9) {
        fprintf(file, "%.4g", value);
    } else if (fabs(value) >= 1e15) {
        fprintf(file, "%.4g", value);
    } else if (places < 0 &&
               fabs(value) >= 1e7) { /* zeros where noise leaves nothing */
        double unit = pow(10, -places);
        fprintf(file, "%.0f", round(value / unit) * unit);
    } else {
        fprintf(file, "%.*f", places > 0 ? (int)places : 0, value);
    }
}

void report_spread(FILE *file, double spread)
{
    double unit = spread > 0 ? pow(10, floor(log10(spread)) - 1) : 0;
    if (spread >= 100 && spread < 1e15) /* not 3.4e+02 */
        fprintf(file, "%.0f", round(spread / unit) * unit);
    else
        fprintf(file, "%.2g", spread);
}

const char *report_counted(const report *r)
{
    const char *unit = json_string_value(json_object_get(r->privacy, "unit"));
    return unit && !strcmp(unit, "user") ? "people" : "rows";
}

void report_count(FILE *file, double value)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.0f", fmax(value, 0));
    size_t n = strlen(digits);
    for (size_t i = 0; i < n; i++)
        fprintf(file, i && (n - i) % 3 == 0 ? ",%c" : "%c", digits[i]);
}

void report_factor(FILE *file, double epsilon)
{
    double more = expm1(epsilon);
    if (epsilon > 20)
        fprintf(file, "e^%.4g", epsilon);
    else if (more >= 9)
        report_count(file, more + 1);
    else /* as many places as show that it is more than 1 */
        fprintf(file, "%.*f", (int)fmax(1, fmin(15, ceil(-log10(more)))),
                more + 1);
}

void report_chance(FILE *file, double value)
{
    double one_in = 1 / value, power = nearbyint(log10(one_in));
    if (fabs(one_in / pow(10, power) - 1) < 1e-9 && power >= 2 && power <= 9) {
        static const char *const words[] = {
            "hundred", "thousand",    "ten thousand",    "hundred thousand",
            "million", "ten million", "hundred million", "billion"};
        fprintf(file, "1 in a %s", words[(int)power - 2]);
    } else {
        fprintf(file, "%.3g", value);
    }
}
