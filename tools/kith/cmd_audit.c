/* `kith audit`: try to disprove the promise of a kith program, from outside,
 * on rows that the audit makes itself. It reads nobody's rows and spends
 * nothing. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "audit.h"
#include "cli.h"
#include "commands.h"
#include "output.h"

/* Wrong alarms: one audit in so many, all attacks together. */
#define ALPHA 1e-3
/* Eight runs tell 1.25 times the loss of (4, 1e-6) from it by six deviations.
 */
enum {
    RIVALS = AUDIT_PROGRAMS,
    LEAST_TRIES = 8,
    ATTACKS = 3,
    CROWD = 1000,
    SELDOM = 4
};
/* Rows times epsilon: auto counts them once, and its lattice is finer than what
 * one row moves their mean. */
#define AUTO_CROWD 4000
/* Pairs cannot tell 1.25 times the loss from it in less time. */
#define LONG_SECONDS 300

static const arg_option claim_options[] = {
    {"epsilon", 'e', "EPS", "the promise to attack (default: 4; 2 when pure)"},
    {"delta", 0, "D", "with it (default: 1e-6); 0: pure"},
    {"method", 0, "M", "lloyd (default), auto or balcan"},
    {"seconds", 0, "S",
     "how long to try (default: 60): a minute shows a factor of 2, ten "
     "minutes 1.25"},
    {"tries", 0, "N",
     "at least so many tries of each attack, however long they take (default: "
     "8)"},
    {"unit", 0, "U",
     "row (default), or user: people with 500 rows, by --user-column"},
    {"program", 0, "FILE", "attack this kith (default: the one that runs)"},
};

static const arg_option audit_output[] = {
    {"output", 'o', "FILE", "write the JSON here, not to standard output"},
    {"quiet", 0, NULL, "print errors and warnings only"},
};

static arg_group groups[] = {
    {"Claim", claim_options, sizeof claim_options / sizeof *claim_options},
    {"Output", audit_output, 2},
};

/* The claim itself, and the same program at 1.25 and 2 times the loss: what it
 * must be possible to catch. */
static const double factors[RIVALS] = {1, 1.25, 2};

typedef struct attack {
    const char *name, *words;
    int (*try_once)(const audit_target *t, audit_tally *tally,
                    audit_sight *sight);
    audit_tally tallies[RIVALS];
    audit_bound bounds[RIVALS];
    double alpha;
    double share; /* of the time that is left */
} attack;

/* The epsilon at which the loss is factor times the claim's. */
static int scale_epsilon(const audit_target *t, double factor, double *out)
{
    double lo = 0, hi = 4096;
    kith_error err = {0};
    *out = factor * t->epsilon;
    for (int i = 0; t->mu > 0 && factor > 1 && i < 60; i++) {
        double mu = 0;
        *out = (lo + hi) / 2;
        if (kith_privacy_mu(*out, t->delta, &mu, &err) != KITH_OK ||
            mu < factor * t->mu)
            lo = *out;
        else
            hi = *out;
    }
    if (factor <= 1)
        *out = t->epsilon;
    return CLI_OK;
}

/* How long, and how often at the least. */
typedef struct audit_effort {
    double seconds;
    uint64_t tries;
} audit_effort;

/* Twice the loss shows long before 1.25 times does: in a long audit it is tried
 * less often. */
static int attack_until(const audit_target *t, attack *a,
                        const audit_effort *effort, double end)
{
    int lengthy = effort->seconds >= LONG_SECONDS;
    int hasty = a->try_once == audit_pair && !lengthy;
    audit_plan plan = {.try_once = a->try_once,
                       .every = {1, !hasty, lengthy ? SELDOM : 1},
                       .programs = RIVALS,
                       .tries = effort->tries,
                       .end = end};
    return audit_crew(t, &plan, a->tallies);
}

static void judge(const audit_target *t, attack *a)
{
    for (int i = 0; i < RIVALS; i++)
        if (a->try_once == audit_canary)
            audit_canary_bound(&a->tallies[i], a->alpha, &a->bounds[i]);
        else
            audit_pair_bound(t, &a->tallies[i], a->alpha, &a->bounds[i]);
}

typedef struct verdict {
    const char *word;
    double shown; /* the smallest factor that would have been caught; 0: none */
} verdict;

static double claim_of(const audit_target *t)
{
    return t->mu > 0 ? t->mu : t->epsilon;
}

/* Disproved counts without a control; not disproved does not. */
static verdict decide(const audit_target *t, const attack *attacks,
                      size_t count)
{
    verdict v = {"cannot judge", 0};
    double claim = claim_of(t);
    for (size_t i = 0; i < count; i++)
        for (int r = RIVALS - 1; r > 0; r--)
            if (attacks[i].bounds[r].least > claim &&
                (!(v.shown > 0) || factors[r] < v.shown))
                v.shown = factors[r];
    if (v.shown > 0)
        v.word = "not disproved";
    for (size_t i = 0; i < count; i++)
        if (attacks[i].bounds[0].least > claim)
            v.word = "disproved";
    return v;
}

static json_t *attack_json(const attack *a)
{
    json_t *list = json_array();
    for (int i = 0; i < RIVALS; i++)
        json_array_append_new(list, json_pack("{s:f, s:f, s:I, s:f, s:f}",
                                              "factor", factors[i], "epsilon",
                                              a->tallies[i].epsilon, "tries",
                                              (json_int_t)a->bounds[i].tries,
                                              "estimate", a->bounds[i].estimate,
                                              "at_least", a->bounds[i].least));
    return json_pack("{s:s, s:f, s:o}", "attack", a->name, "alpha", a->alpha,
                     "programs", list);
}

static int print_verdict(const audit_target *t, const attack *attacks,
                         size_t count, const verdict *v, const char *path)
{
    output o = {0};
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, attack_json(&attacks[i]));
    json_t *json = json_pack(
        "{s:s, s:s, s:s, s:f, s:f, s:s, s:f, s:o, s:o}", "verdict", v->word,
        "method", t->method, "unit", t->people ? "user" : "row", "epsilon",
        t->epsilon, "delta", t->delta, "currency", t->mu > 0 ? "mu" : "epsilon",
        "claim", claim_of(t), "control_caught",
        v->shown > 0 ? json_real(v->shown) : json_null(), "attacks", list);
    int code = output_open(&o, path);
    if (code)
        json_decref(json);
    else
        code = print_json(o.file, json);
    if (!code)
        code = output_finish(&o);
    if (!code)
        code = output_commit(&o);
    output_discard(&o);
    return code;
}

static void say(const audit_target *t, const attack *attacks, size_t count,
                const verdict *v)
{
    const char *unit = t->mu > 0 ? "mu" : "epsilon";
    for (size_t i = 0; i < count; i++) {
        const attack *a = &attacks[i];
        cli_note("%s: %zu tries: %s about %.3f, at least %.3f; the claim is "
                 "%.3f",
                 a->words, a->bounds[0].tries, unit, a->bounds[0].estimate,
                 a->bounds[0].least, claim_of(t));
        for (int r = 1; r < RIVALS; r++)
            if (a->bounds[r].tries)
                cli_note("  control, %g times the loss: at least %.3f: %s",
                         factors[r], a->bounds[r].least,
                         a->bounds[r].least > claim_of(t) ? "caught"
                                                          : "not caught");
    }
    if (!strcmp(v->word, "disproved"))
        cli_note("DISPROVED: the program gives away more than it claims; this "
                 "is wrong once in %.0f audits",
                 1 / ALPHA);
    else if (v->shown > 0)
        cli_note("not disproved; a program that gives away %g times as much "
                 "would have been caught.\nNot disproved is not proved: it is "
                 "what these tries could not do",
                 v->shown);
    else if (!(t->mu > 0) && !strcmp(t->method, "balcan"))
        cli_note("cannot judge: a pure balcan divides epsilon among answers "
                 "that no model shows one by\none, and no time is enough for "
                 "twice the loss; audit it with --delta 1e-6");
    else
        cli_note("cannot judge: not even twice the loss was caught; give it "
                 "more --seconds");
}

static int make_target(audit_target *t, const args *a, audit_effort *effort)
{
    static const char *const methods[] = {"lloyd", "auto", "balcan", NULL},
                             *const units[] = {"row", "user", NULL};
    static char self[4096], folder[4096];
    unsigned method = 0, unit = 0;
    *t = (audit_target){.epsilon = 4, .delta = 1e-6};
    *effort = (audit_effort){60, LEAST_TRIES};
    int code = args_real(a, "epsilon", &t->epsilon);
    if (!code)
        code = args_real(a, "delta", &t->delta);
    if (!code)
        code = args_real(a, "seconds", &effort->seconds);
    if (!code)
        code = args_whole(a, "tries", 1, 1000000, &effort->tries);
    if (!code)
        code = args_choice(a, "method", methods, &method);
    if (!code)
        code = args_choice(a, "unit", units, &unit);
    if (code)
        return code;
    if (!(t->delta > 0) && !args_given(a, "epsilon"))
        t->epsilon = 2; /* fewest tries show a factor there */
    t->people = unit == 1;
    t->method = methods[method];
    t->program = args_value(a, "program");
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!t->program && n > 0)
        t->program = self;
    if (!t->program)
        return cli_usage("say which --program to attack");
    kith_error err = {0};
    if (t->delta > 0)
        code = cli_status(kith_privacy_mu(t->epsilon, t->delta, &t->mu, &err),
                          &err);
    else if (!(t->epsilon > 0))
        code = cli_usage("--epsilon: not above 0");
    /* In memory, where there is some: thousands of models need no disk. */
    const char *base = getenv("TMPDIR");
    if (!base || !*base)
        base = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
    snprintf(folder, sizeof folder, "%s/kith-audit-XXXXXX", base);
    if (!code && !(t->folder = mkdtemp(folder)))
        code = cli_fail(CLI_FAILED, "%s: %s", folder, strerror(errno));
    return code;
}

static uint64_t crowd_of(const audit_target *t)
{
    return strcmp(t->method, "auto")
               ? CROWD
               : (uint64_t)fmin(fmax(AUTO_CROWD / t->epsilon, 500), 40000);
}

/* Canaries show more in less time: they come first and get most. */
static size_t list_attacks(const audit_target *t, attack *out)
{
    size_t n = 0;
    const char *far = t->people ? "a crowd, and one person with 500 far rows"
                                : "a crowd, and one far row or none";
    /* K-norm noise hides canaries: pure needs pairs. */
    if (t->mu > 0 && !t->people)
        out[n++] = (attack){.name = "canaries",
                            .words = "many canaries in one run",
                            .try_once = audit_canary,
                            .share = 0.6};
    out[n++] = (attack){.name = t->people ? "people" : "pairs",
                        .words = far,
                        .try_once = audit_pair,
                        .share = 0.8};
    for (int r = 0; r < RIVALS; r++)
        out[n - 1].tallies[r].crowd = crowd_of(t);
    out[n++] = (attack){.name = "empty",
                        .words = t->people ? "one person with 500 rows or none"
                                           : "one far row or none",
                        .try_once = audit_pair,
                        .share = 1};
    return n;
}

static int run_attack(const audit_target *t, attack *a,
                      const audit_effort *effort, double end)
{
    int code = CLI_OK;
    for (int r = 0; !code && r < RIVALS; r++)
        code = scale_epsilon(t, factors[r], &a->tallies[r].epsilon);
    double left = end - audit_now();
    if (!code)
        code = attack_until(t, a, effort, end - (1 - a->share) * left);
    judge(t, a);
    return code;
}

static int audit_main(const args *a)
{
    audit_target t;
    audit_effort effort;
    attack attacks[ATTACKS] = {0};
    int code = a->operand_count
                   ? cli_usage("an audit makes its own rows: drop the inputs")
                   : make_target(&t, a, &effort);
    if (code)
        return code;
    size_t count = list_attacks(&t, attacks);
    double end = audit_now() + effort.seconds;
    for (size_t i = 0; !code && i < count; i++) {
        attacks[i].alpha = ALPHA / (double)count;
        code = run_attack(&t, &attacks[i], &effort, end);
    }
    verdict v = {0};
    if (!code) {
        v = decide(&t, attacks, count);
        code = print_verdict(&t, attacks, count, &v, args_value(a, "output"));
    }
    if (!code && !args_given(a, "quiet"))
        say(&t, attacks, count, &v);
    for (size_t i = 0; i < count; i++)
        for (int r = 0; r < RIVALS; r++)
            free(attacks[i].tallies[r].sights);
    audit_empty(&t);
    return code || !strcmp(v.word, "not disproved") ? code : CLI_FAILED;
}

const arg_command *command_audit(void)
{
    static const arg_command command = {
        .name = "audit",
        .summary = "Attack this program's promise with rows of the audit's "
                   "own.",
        .usage = "[-e EPS] [--delta D] [--seconds S] [OPTION]...",
        .notes = "The audit runs kith on rows that it makes itself, guesses "
                 "who was in, and says\nwhat the guesses prove. It reads no "
                 "data of yours and spends nothing. Exit status\n0: not "
                 "disproved; 1: disproved, or nothing can be said.\n",
        .groups = groups,
        .group_count = sizeof groups / sizeof *groups,
        .run = audit_main,
    };
    return &command;
}
