/* What a task asks and what an answer would be, for the person. Client code:
 * numbers are written by hand. */
#include <string.h>

#include "device_i.h"
#include "forget.h"
#include "randomize.h"

kith_status kith_task_describe(const kith_task_view *task, kith_task_facts *out)
{
    if (out)
        *out = (kith_task_facts){"", "", "", "", 0, 0, 0, 0, {0}};
    if (!task || !out)
        return KITH_ERR_ARGUMENT;
    *out = (kith_task_facts){.title = task->title,
                             .purpose = task->purpose,
                             .operator_name = task->operator_name,
                             .contact = task->contact,
                             .epsilon =
                                 (double)task->epsilon / (double)KITH_LOSS_UNIT,
                             .features = task->d,
                             .clusters = task->k,
                             .test = task->test};
    memcpy(out->id, task->id, sizeof out->id);
    return KITH_OK;
}

kith_status kith_task_feature_at(const kith_task_view *task, uint32_t i,
                                 kith_task_feature *out)
{
    if (out)
        *out = (kith_task_feature){"", "", 0, 0};
    if (!task || !out || i >= task->d)
        return KITH_ERR_ARGUMENT;
    *out = (kith_task_feature){.name = task->names[i],
                               .unit = task->units[i],
                               .lower = task->lower[i],
                               .upper = task->upper[i]};
    return KITH_OK;
}

/* ---- a sentence at a time ---- */

typedef struct {
    char *to;
    size_t used, room; /* room for the end included */
} page;

static void say(page *p, const char *words)
{
    while (*words && p->used + 1 < p->room)
        p->to[p->used++] = *words++;
    p->to[p->used] = 0;
}

static void say_whole(page *p, uint64_t n)
{
    char digits[24];
    size_t at = sizeof digits - 1;
    digits[at] = 0;
    do {
        digits[--at] = (char)('0' + n % 10);
        n /= 10;
    } while (n);
    say(p, digits + at);
}

/* Three significant digits, or whole when it is larger; 0 <= value < 2^60. */
static void say_real(page *p, double value)
{
    uint64_t scale = 1;
    int places = 0;
    while (places < 9 && value * (double)scale < 100 && value > 0) {
        scale *= 10;
        places++;
    }
    uint64_t n = (uint64_t)(value * (double)scale + .5);
    while (places > 0 && n % 10 == 0) {
        n /= 10;
        scale /= 10;
        places--;
    }
    say_whole(p, n / scale);
    if (places == 0)
        return;
    say(p, ".");
    for (uint64_t rest = n % scale, unit = scale / 10; unit; unit /= 10) {
        char digit[2] = {(char)('0' + rest / unit % 10), 0};
        say(p, digit);
    }
}

static void say_percent(page *p, double chance)
{
    say_real(p, 100 * chance);
    say(p, " %");
}

/* What is looked up in the record. */
static void say_question(page *p, const kith_i_question *q)
{
    uint64_t places = q->place.places;
    switch (q->report) {
    case KITH_I_REPORT_SYMBOL:
        say(p, "in which of ");
        say_whole(p, places);
        say(p, " places your values lie");
        return;
    case KITH_I_REPORT_DISTANCE:
        say(p, "how far your values are from the nearest of ");
        say_whole(p, places);
        say(p, " published points");
        return;
    case KITH_I_REPORT_VECTOR:
        say(p, "in which direction your values differ from ");
        break;
    case KITH_I_REPORT_MOMENT:
        say(p, "along which line your values differ from ");
        break;
    }
    say(p, places == 1 ? "a published point"
                       : "the published point nearest to them");
}

static void write_text(const kith_i_question *q, kith_device_words *w)
{
    page p = {.to = w->text, .room = sizeof w->text};
    /* The service's words have no quotes in them: it cannot speak for the
     * device. */
    say(&p, "You are asked: \"");
    say(&p, q->what);
    say(&p, "\". Your device looks up ");
    say_question(&p, q);
    say(&p, ". It sends one number below ");
    say_whole(&p, w->numbers);
    say(&p, ", drawn at random, and nothing else about you. ");
    if (w->favoured == 1) {
        say(&p, "The number that fits your values comes up with a chance of ");
        say_percent(&p, w->likely);
    } else {
        say_whole(&p, w->favoured);
        say(&p, " numbers fit your values; each comes up with a chance of ");
        say_percent(&p, w->likely);
    }
    say(&p, ", every other one with ");
    say_percent(&p, w->unlikely);
    say(&p, ". So the same number could have come from anybody: with other "
            "values it would be at most ");
    say_real(&p, w->likely / w->unlikely);
    say(&p, " times as likely, or as unlikely. This uses ");
    say_real(&p, w->epsilon);
    say(&p, " of your epsilon and leaves ");
    say_real(&p, w->left);
    say(&p, ". 80 bytes are sent, whatever the question. How many others are "
            "asked is the service's word; the chances are not.");
}

kith_status kith_device_explain(const kith_device *device,
                                const kith_device_host *host,
                                const kith_round_view *view,
                                kith_device_words *out)
{
    const kith_i_device *d = (const kith_i_device *)device;
    if (!device || !host || !view || !out)
        return KITH_ERR_ARGUMENT;
    const kith_i_round *round = &view->round;
    uint32_t group = kith_i_device_group(d, round);
    if (group == UINT32_MAX)
        return KITH_ERR_ARGUMENT;
    const kith_i_mechanism *m = &round->mechanisms[group];
    kith_i_ladder ladder = kith_i_mechanism_ladder(m);
    double total = (double)kith_i_ladder_total(&ladder);
    double unit = (double)KITH_LOSS_UNIT;
    uint64_t left = kith_i_wallet_left(host);
    *out = (kith_device_words){
        .epsilon = (double)m->loss / unit,
        .left = left > m->loss ? (double)(left - m->loss) / unit : 0,
        .numbers = ladder.outputs,
        .favoured = ladder.top,
        .likely = (double)ladder.odds.num / total,
        .unlikely = (double)ladder.odds.den / total};
    write_text(&round->questions[group], out);
    return KITH_OK;
}

kith_status kith_device_preview(const kith_device *device,
                                const kith_round_view *view,
                                uint8_t out[KITH_ENVELOPE_BYTES])
{
    if (!device || !view || !out)
        return KITH_ERR_ARGUMENT;
    kith_i_device d = *(const kith_i_device *)device;
    const kith_i_round *round = &view->round;
    uint32_t group = kith_i_device_group(&d, round);
    int asked = d.state == KITH_I_DEVICE_ENROLLED && group != UINT32_MAX;
    memset(out, 0, KITH_ENVELOPE_BYTES);
    if (asked) {
        kith_i_ticket ticket;
        const kith_i_mechanism *m = &round->mechanisms[group];
        kith_i_device_ticket(&d, round, group, &ticket);
        kith_i_report_write_header(m->kind, &ticket, d.report);
        d.report_bytes = (uint32_t)kith_i_report_bytes(m);
        kith_i_envelope_write(&d, out);
    }
    kith_i_forget(&d, sizeof d);
    return asked ? KITH_OK : KITH_ERR_ARGUMENT;
}
