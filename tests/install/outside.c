/* A program outside the tree, as a user would write it: cluster some rows
 * privately and print the guarantee. Uses nothing but the installed header
 * and the C library. */
#include <kith/kith.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 1000, DIMENSION = 4, CLUSTERS = 3 };

static double rows[ROWS][DIMENSION];

static int keep_row(void *arg, uint32_t label, const uint32_t *index,
                    const double *value, uint32_t count)
{
    size_t *next = arg;
    (void)label;
    if (index || count != DIMENSION || *next >= ROWS)
        return 1;
    memcpy(rows[(*next)++], value, sizeof rows[0]);
    return 0;
}

static kith_status make_rows(kith_error *err)
{
    kith_generate_options opt;
    size_t next = 0;
    kith_generate_options_init(&opt, sizeof opt);
    opt.kind = KITH_GENERATE_GAUSSIANS;
    opt.rows = ROWS;
    opt.dimension = DIMENSION;
    opt.clusters = CLUSTERS;
    opt.seed = 1;
    return kith_generate(&opt, keep_row, &next, err);
}

static kith_status cluster(kith_result **out, kith_error *err)
{
    kith_bounds bounds = {.radius = 1};
    kith_dataset *data = NULL;
    kith_session *session = NULL;
    kith_session_options session_options;
    kith_kmeans_options options;
    kith_status status = kith_dataset_from_rows(&rows[0][0], ROWS, DIMENSION,
                                                &bounds, &data, err);
    if (status)
        return status;
    kith_session_options_init(&session_options, sizeof session_options);
    session_options.privacy = (kith_privacy){1, 1e-6, KITH_ADD_REMOVE};
    status = kith_session_open(data, &session_options, &session, err);
    if (status) {
        kith_dataset_free(data);
        return status;
    }
    kith_kmeans_options_init(&options, sizeof options);
    options.clusters = CLUSTERS;
    status = kith_kmeans(session, &options, out, err);
    kith_session_close(session);
    return status;
}

int main(void)
{
    kith_error err;
    kith_result *result = NULL;
    if (make_rows(&err) || cluster(&result, &err)) {
        fprintf(stderr, "%s: %s\n", kith_status_name(err.status), err.message);
        return 1;
    }
    uint32_t k, d;
    const double *centers = kith_result_centers(result, &k, &d);
    kith_privacy privacy = kith_result_privacy(result);
    double mu, spent = 0;
    for (size_t i = 0; i < kith_result_receipt_count(result); i++) {
        kith_receipt receipt;
        kith_result_receipt(result, i, &receipt);
        spent += receipt.loss * receipt.loss;
    }
    if (kith_privacy_mu(1, 1e-6, &mu, &err))
        return 1;
    int ok = centers && k == CLUSTERS && d == DIMENSION && spent <= mu * mu &&
             !strcmp(kith_version(), KITH_VERSION);
    printf("kith %s: %u centres, guarantee %s, epsilon %g, delta %g\n",
           kith_version(), (unsigned)k, kith_result_guarantee(result),
           privacy.epsilon, privacy.delta);
    kith_result_free(result);
    return ok ? 0 : 1;
}
