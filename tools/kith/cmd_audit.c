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

/* Wrong alarms: one audit in so many, all attacks together. */
#define ALPHA 1e-3
/* Eight runs tell 1.25 times the loss of (4, 1e-6) from it by six deviations.
 */
enum {
    RIVALS = AUDIT_PROGRAMS,
    LEAST_TRIES = 8,
    ATTACKS = 4,
    CROWD = 1000,
    SELDOM = 4
};
/* Rows times epsilon: auto counts them once, and its lattice is finer than what
 * one row moves their mean. */
#define AUTO_CROWD 4000
/* Pairs cannot tell 1.25 times the loss from it in less time. */
#define LONG_SECONDS 300
/* Claims, epsilon and mu, of a single answer at which the fewest tries show a
 * factor. */
#define PURE_AIM     2
#define GAUSSIAN_AIM 2.5

const double audit_factors[AUDIT_PROGRAMS] = {1, 1.25, 2};

static const arg_option claim_options[] = {
    {"epsilon", 'e', "EPS",
     "the promise to attack (default: 4; 2 when pure; for balcan where its "
     "answers can be judged)"},
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

/* The epsilon at which the loss is factor times the claim's. (A mu takes the
 * longer the larger epsilon is: do not start from the far end.) */
static void scale_epsilon(const audit_target *t, double factor, double *out)
{
    enum { HALVINGS = 32 };
    double lo = 0, hi = 0, mu = 0;
    *out = factor * t->epsilon;
    for (int i = 0; t->mu > 0 && factor != 1 && i < HALVINGS; i++) {
        *out = hi > 0 ? (lo + hi) / 2 : 2 * fmax(lo, t->epsilon / 4);
        if (*out < 4096 &&
            (kith_privacy_mu(*out, t->delta, &mu, NULL) != KITH_OK ||
             mu < factor * t->mu))
            lo = *out;
        else
            hi = *out;
    }
}

/* How long, and how often at the least. */
typedef struct audit_effort {
    double seconds;
    uint64_t tries;
} audit_effort;

/* Twice the loss shows long before 1.25 times does: in a long audit it is tried
 * less often. */
static int attack_until(audit_attack *a, const audit_effort *effort, double end)
{
    int lengthy = effort->seconds >= LONG_SECONDS;
    int hasty = a->try_once != audit_canary && !lengthy;
    audit_plan plan = {.try_once = a->try_once,
                       .every = {1, !hasty, lengthy ? SELDOM : 1},
                       .programs = RIVALS,
                       .tries = effort->tries,
                       .end = end};
    return audit_crew(&a->target, &plan, a->tallies);
}

static void judge(audit_attack *a)
{
    for (int i = 0; i < RIVALS; i++)
        if (a->try_once == audit_canary)
            audit_canary_bound(&a->tallies[i], a->alpha, &a->bounds[i]);
        else
            audit_pair_bound(&a->target, &a->tallies[i], a->alpha,
                             &a->bounds[i]);
}

static double promise_of(const audit_target *t)
{
    return t->mu > 0 ? t->mu : t->epsilon;
}

/* Disproved counts without a control; not disproved does not. */
static audit_verdict decide(const audit_attack *attacks, size_t count)
{
    audit_verdict v = {.word = "cannot judge"};
    for (size_t i = 0; i < count; i++)
        for (int r = RIVALS - 1; r > 0; r--)
            if (attacks[i].bounds[r].least > attacks[i].claim &&
                (!(v.shown > 0) || audit_factors[r] < v.shown)) {
                v.shown = audit_factors[r];
                v.by = i;
            }
    if (v.shown > 0)
        v.word = "not disproved";
    for (size_t i = count; i-- > 0;)
        if (attacks[i].bounds[0].least > attacks[i].claim) {
            v.word = "disproved";
            v.by = i;
        }
    return v;
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
    t->chosen = args_given(a, "epsilon");
    if (!(t->delta > 0) && !t->chosen)
        t->epsilon = PURE_AIM;
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

/* What balcan shows is held against the answers that this depends on: it
 * divides its budget among many that nobody sees. */
static void set_target(audit_attack *a, const audit_target *t, uint64_t crowd)
{
    int balcan = !strcmp(t->method, "balcan");
    a->target = *t;
    a->target.sparse = a->try_once == audit_sparse;
    a->target.judged = a->target.sparse ? AUDIT_LAST
                       : balcan         ? AUDIT_ONE_CLUSTER
                                        : AUDIT_ALL;
    if (a->try_once != audit_canary)
        a->aim = t->mu > 0 ? GAUSSIAN_AIM : PURE_AIM;
    for (int r = 0; r < RIVALS; r++)
        a->tallies[r].crowd = crowd;
}

/* Canaries show more in less time: they come first and get most. */
static size_t list_attacks(const audit_target *t, audit_attack *out)
{
    size_t n = 0;
    int balcan = !strcmp(t->method, "balcan");
    const char *far = t->people ? "a crowd, and one person with 500 far rows"
                                : "a crowd, and one far row or none";
    /* K-norm noise hides canaries: pure needs pairs. */
    if (t->mu > 0 && !t->people)
        out[n++] = (audit_attack){.name = "canaries",
                                  .words = "many canaries in one run",
                                  .try_once = audit_canary,
                                  .share = balcan ? 0.4 : 0.6};
    if (balcan && !t->people)
        out[n++] = (audit_attack){
            .name = "sums",
            .words = "a crowd of sparse rows, and one far row or none",
            .try_once = audit_sparse,
            .share = 0.8};
    out[n++] = (audit_attack){.name = t->people ? "people" : "pairs",
                              .words = far,
                              .try_once = audit_pair,
                              .share = 0.8};
    out[n++] =
        (audit_attack){.name = "empty",
                       .words = t->people ? "one person with 500 rows or none"
                                          : "one far row or none",
                       .try_once = audit_pair,
                       .share = 1};
    for (size_t i = 0; i < n; i++) {
        set_target(&out[i], t, i + 1 < n ? crowd_of(t) : 0);
        out[i].alpha = ALPHA / (double)n;
    }
    return n;
}

/* A run to read receipts by, at the epsilon of the attack's target. */
static int read_receipts(audit_attack *a)
{
    audit_tally one = {.epsilon = a->target.epsilon,
                       .crowd = a->tallies[0].crowd};
    audit_sight unused;
    int code = a->try_once(&a->target, &one, &unused);
    a->claim = audit_claim_within(&one.claim, promise_of(&a->target));
    a->part = one.claim.whole > 0 ? one.claim.judged / one.claim.whole : 0;
    if (a->target.judged == AUDIT_LAST)
        memcpy(a->judged, one.claim.name, sizeof a->judged);
    return code || a->claim > 0
               ? code
               : cli_fail(CLI_FAILED, "%s: no receipts in its model",
                          a->target.program);
}

/* What is claimed of the answers that are judged, at an epsilon where that is
 * few tries' work, unless the user has one. */
static int set_claim(audit_attack *a)
{
    audit_target *t = &a->target;
    kith_error err = {0};
    a->claim = promise_of(t);
    a->part = 1;
    if (t->judged == AUDIT_ALL)
        return CLI_OK;
    int code = read_receipts(a);
    if (code || t->chosen || !(a->aim > 0))
        return code;
    scale_epsilon(t, a->aim / a->claim, &t->epsilon);
    if (t->mu > 0)
        code = cli_status(kith_privacy_mu(t->epsilon, t->delta, &t->mu, &err),
                          &err);
    return code ? code : read_receipts(a);
}

static int run_attack(audit_attack *a, const audit_effort *effort, double end)
{
    int code = set_claim(a);
    for (int r = 0; !code && r < RIVALS; r++)
        scale_epsilon(&a->target, audit_factors[r], &a->tallies[r].epsilon);
    double left = end - audit_now();
    if (!code)
        code = attack_until(a, effort, end - (1 - a->share) * left);
    judge(a);
    return code;
}

static int audit_main(const args *a)
{
    audit_target t;
    audit_effort effort;
    audit_attack attacks[ATTACKS] = {0};
    int code = a->operand_count
                   ? cli_usage("an audit makes its own rows: drop the inputs")
                   : make_target(&t, a, &effort);
    if (code)
        return code;
    size_t count = list_attacks(&t, attacks);
    double end = audit_now() + effort.seconds;
    for (size_t i = 0; !code && i < count; i++)
        code = run_attack(&attacks[i], &effort, end);
    audit_verdict v = {0};
    if (!code) {
        v = decide(attacks, count);
        code = audit_print(attacks, count, &v, args_value(a, "output"));
    }
    if (!code && !args_given(a, "quiet"))
        audit_say(attacks, count, &v, ALPHA);
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
