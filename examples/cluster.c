/* Cluster rows that a program already holds, under differential privacy.
 *
 *   cc cluster.c $(pkg-config --cflags --libs kith) -o cluster && ./cluster
 *
 * One session, one budget: what kith_session_open declares is the most that
 * everything released from these rows can cost. */
#include <kith/kith.h>
#include <stdio.h>

enum { ROWS = 30000, FEATURES = 2, CLUSTERS = 3 };

/* Stands for the rows of your program: age and blood pressure. */
static void fill_rows(double rows[ROWS][FEATURES])
{
    for (int i = 0; i < ROWS; i++) {
        int group = i % 3;
        rows[i][0] = 25 + 20 * group + i % 10;
        rows[i][1] = 115 + 12 * group + i / 3 % 15;
    }
}

/* Rows in, k centres and the receipts out. */
static kith_status cluster(double rows[ROWS][FEATURES], kith_result **out,
                           kith_error *err)
{
    /* Public bounds, from what the features mean, not from the rows. */
    static const double lower[FEATURES] = {0, 60};
    static const double upper[FEATURES] = {110, 220};
    kith_bounds bounds = {
        .lower = lower, .upper = upper, .box_count = FEATURES, .normalize = 1};
    kith_dataset *data = NULL;
    kith_status status =
        kith_dataset_from_rows(rows[0], ROWS, FEATURES, &bounds, &data, err);
    if (status)
        return status;

    kith_session_options so;
    kith_session_options_init(&so, sizeof so);
    so.privacy = (kith_privacy){
        .epsilon = 1, .delta = 1e-6, .neighbors = KITH_ADD_REMOVE};
    kith_session *session = NULL;
    status = kith_session_open(data, &so, &session, err);
    if (status) {
        kith_dataset_free(data); /* still ours: the session did not take it */
        return status;
    }

    kith_kmeans_options ko;
    kith_kmeans_options_init(&ko, sizeof ko);
    ko.clusters = CLUSTERS;
    status = kith_kmeans(session, &ko, out, err);
    kith_session_close(session); /* wipes kith's copy of the rows */
    return status;
}

int main(void)
{
    static double rows[ROWS][FEATURES];
    kith_result *result = NULL;
    kith_error err = {0};
    fill_rows(rows);
    if (cluster(rows, &result, &err)) {
        fprintf(stderr, "%s: %s\n", kith_status_name(err.status), err.message);
        return 1;
    }
    uint32_t k, d;
    const double *centers = kith_result_centers(result, &k, &d);
    const double *sizes = kith_result_weights(result);
    for (uint32_t j = 0; j < k; j++)
        printf("age %.1f, pressure %.1f, about %.0f rows\n", centers[j * d],
               centers[j * d + 1], sizes[j]);

    double spent = 0; /* mu^2 adds up; with delta = 0 epsilon would */
    for (size_t i = 0; i < kith_result_receipt_count(result); i++) {
        kith_receipt receipt;
        kith_result_receipt(result, i, &receipt);
        spent += receipt.loss * receipt.loss;
    }
    double mu = 0;
    if (kith_privacy_mu(1, 1e-6, &mu, &err) == KITH_OK)
        printf("guarantee %s: mu^2 spent %.8f of %.8f\n",
               kith_result_guarantee(result), spent, mu * mu);
    kith_result_free(result);
    return 0;
}
