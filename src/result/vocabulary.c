/* The words of options, for everybody who reads or writes them. The first of
 * each is what the command does when nothing is said. */
#include <string.h>

#include "kith/model.h"

typedef struct {
    const char *word;
    int value;
} entry;

/* Lists end with a NULL word. */
static const entry kmeans_method[] = {
    {"auto", KITH_KMEANS_AUTO},
    {"lloyd", KITH_KMEANS_LLOYD},
    {"balcan", KITH_KMEANS_BALCAN},
    {"sulq", KITH_KMEANS_SULQ},
    {"grid", KITH_KMEANS_GRID},
    {"kvariates", KITH_KMEANS_KVARIATES},
    {"sample-aggregate", KITH_KMEANS_SAMPLE_AGGREGATE},
    {NULL, 0}};
static const entry kmedian_method[] = {
    {"auto", KITH_KMEDIAN_AUTO}, {"balcan", KITH_KMEDIAN_BALCAN}, {NULL, 0}};
static const entry recovery[] = {{"steps", KITH_RECOVERY_STEPS},
                                 {"sampling", KITH_RECOVERY_SAMPLING},
                                 {NULL, 0}};
static const entry subspace_method[] = {
    {"auto", KITH_SUBSPACE_AUTO},
    {"sulq", KITH_SUBSPACE_SULQ},
    {"bingham", KITH_SUBSPACE_BINGHAM},
    {"gibbs", KITH_SUBSPACE_GIBBS},
    {"mincost", KITH_SUBSPACE_MINCOST},
    {"sample-aggregate", KITH_SUBSPACE_SAMPLE_AGGREGATE},
    {NULL, 0}};
static const entry solver[] = {{"kplane", KITH_SOLVER_KPLANE},
                               {"tsc", KITH_SOLVER_TSC},
                               {"tsc-components", KITH_SOLVER_TSC_COMPONENTS},
                               {"ssc", KITH_SOLVER_SSC},
                               {"lrr", KITH_SOLVER_LRR},
                               {NULL, 0}};
static const entry local_method[] = {
    {"auto", KITH_LOCAL_AUTO},
    {"one-round", KITH_LOCAL_ONE_ROUND},
    {"weighted-centers", KITH_LOCAL_WEIGHTED_CENTERS},
    {"mean", KITH_LOCAL_MEAN},
    {NULL, 0}};
static const entry objective[] = {{"kmeans", KITH_OBJECTIVE_KMEANS},
                                  {"kmedian", KITH_OBJECTIVE_KMEDIAN},
                                  {"subspace", KITH_OBJECTIVE_SUBSPACE},
                                  {NULL, 0}};
static const entry format[] = {
    {"csv", KITH_FORMAT_CSV},           {"tsv", KITH_FORMAT_TSV},
    {"npy", KITH_FORMAT_NPY},           {"svm", KITH_FORMAT_SVMLIGHT},
    {"svmlight", KITH_FORMAT_SVMLIGHT}, {NULL, 0}};
static const entry adjacency[] = {{"add-remove", KITH_ADD_REMOVE},
                                  {"replace-one", KITH_REPLACE_ONE},
                                  {NULL, 0}};
static const entry missing[] = {
    {"error", KITH_MISSING_ERROR}, {"drop", KITH_MISSING_DROP}, {NULL, 0}};

static const entry *words_of(kith_vocabulary vocabulary)
{
    switch (vocabulary) {
    case KITH_WORDS_KMEANS_METHOD:
        return kmeans_method;
    case KITH_WORDS_KMEDIAN_METHOD:
        return kmedian_method;
    case KITH_WORDS_RECOVERY:
        return recovery;
    case KITH_WORDS_SUBSPACE_METHOD:
        return subspace_method;
    case KITH_WORDS_SOLVER:
        return solver;
    case KITH_WORDS_LOCAL_METHOD:
        return local_method;
    case KITH_WORDS_OBJECTIVE:
        return objective;
    case KITH_WORDS_FORMAT:
        return format;
    case KITH_WORDS_ADJACENCY:
        return adjacency;
    case KITH_WORDS_MISSING:
        return missing;
    }
    return NULL;
}

const char *kith_word_at(kith_vocabulary vocabulary, size_t i)
{
    const entry *list = words_of(vocabulary);
    for (size_t j = 0; list && list[j].word; j++)
        if (j == i)
            return list[j].word;
    return NULL;
}

const char *kith_word_of(kith_vocabulary vocabulary, int value)
{
    for (const entry *e = words_of(vocabulary); e && e->word; e++)
        if (e->value == value)
            return e->word;
    return NULL;
}

int kith_word_value(kith_vocabulary vocabulary, const char *word, int *value)
{
    for (const entry *e = words_of(vocabulary); e && word && e->word; e++)
        if (!strcmp(e->word, word)) {
            if (value)
                *value = e->value;
            return 1;
        }
    return 0;
}
