/* Arrow streams and arrays: the same rows as from an array, every batch and
 * schema released exactly once, and producers that lie. */
#include <math.h>
#include <string.h>

#include "support/make_data.h"

enum { ROWS = 37, D = 12, PARTS = 3 };

static const char *const formats[D] = {"c", "C", "s", "S", "i", "I",
                                       "l", "L", "e", "f", "g", "b"};
static const size_t sizes[D] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8, 0};

/* What a producer does wrong, and what it has got back. */
typedef enum {
    HONEST,
    NO_SCHEMA,
    NO_NEXT,
    NO_STRUCT,
    TEXT,
    DICTIONARY,
    NULL_CHILD,
    FEW_CHILDREN,
    NEGATIVE,
    HUGE_OFFSET,
    SHORT_CHILD,
    NO_DATA,
    THREE_BUFFERS,
    NULLS_WITHOUT_BITMAP,
    NULL_ROW,
    NO_COLUMNS,
    LIES
} lie;

typedef struct {
    lie lie;
    int offset;  /* of every array, and of the batch */
    int missing; /* this row of this part has no value in column 3 */
    int part;    /* next */
    int schemas, batches, streams; /* alive */
    uint8_t bits[ROWS], valid[ROWS], row_valid[ROWS];
    char data[D][2 * ROWS * 8];
    const void *buffers[D][3], *own[1];
    struct ArrowArray arrays[D], *children[D];
    struct ArrowSchema forms[D], *form_children[D], dictionary;
} producer;

/* Row r, column j: small whole numbers that every type can hold. */
static double value_at(int r, int j)
{
    return formats[j][0] == 'b' ? (r + j) % 2 : (r * 5 + j * 3) % 50;
}

static void free_schema(struct ArrowSchema *s)
{
    ((producer *)s->private_data)->schemas--;
    s->release = NULL;
}

static void free_batch(struct ArrowArray *a)
{
    ((producer *)a->private_data)->batches--;
    a->release = NULL;
}

static void put(char *to, int j, int at, double v)
{
    static const uint16_t halves[] = {0,      0x3c00, 0x4000, 0x4200, 0x4400,
                                      0x4500, 0x4600, 0x4700, 0x4800, 0x4880};
    int64_t whole = (int64_t)v;
    float narrow = (float)v;
    char *item = to + (size_t)at * sizes[j];
    if (formats[j][0] == 'e') /* up to 9 */
        memcpy(item, &halves[(int)v % 10], 2);
    else if (formats[j][0] == 'f')
        memcpy(item, &narrow, 4);
    else if (formats[j][0] == 'g')
        memcpy(item, &v, 8);
    else /* little endian, as this machine */
        memcpy(item, &whole, sizes[j]);
}

static double expected_at(int r, int j)
{
    double v = value_at(r, j);
    return formats[j][0] == 'e' ? (int)v % 10 : v;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    producer *p = stream->private_data;
    if (p->lie == NO_SCHEMA)
        return 5;
    for (int j = 0; j < D; j++) {
        p->forms[j] = (struct ArrowSchema){.format = formats[j], .name = "x"};
        p->form_children[j] = &p->forms[j];
    }
    if (p->lie == TEXT)
        p->forms[1] = (struct ArrowSchema){.format = "u", .name = "town"};
    if (p->lie == DICTIONARY)
        p->forms[1].dictionary = &p->dictionary;
    if (p->lie == NULL_CHILD)
        p->form_children[2] = NULL;
    *out = (struct ArrowSchema){.format = p->lie == NO_STRUCT ? "g" : "+s",
                                .n_children = p->lie == NO_COLUMNS ? 0 : D,
                                .children = p->form_children,
                                .release = free_schema,
                                .private_data = p};
    p->schemas++;
    return 0;
}

static void fill_column(producer *p, int j, int length)
{
    int at = 2 * p->offset;
    memset(p->valid, 0xff, sizeof p->valid);
    for (int r = 0; r < length; r++, at++) {
        double v = value_at(p->part * ROWS + r, j);
        if (formats[j][0] != 'b')
            put(p->data[j], j, at, v);
        else if (v > 0)
            p->bits[at / 8] |= (uint8_t)(1u << at % 8);
    }
    if (p->missing >= 0 && p->part == 1) {
        int bit = 2 * p->offset + p->missing;
        p->valid[bit / 8] &= (uint8_t) ~(1u << bit % 8);
    }
    p->buffers[j][0] = j == 3 ? p->valid : NULL;
    p->buffers[j][1] = formats[j][0] == 'b' ? (void *)p->bits : p->data[j];
    p->arrays[j] = (struct ArrowArray){.length = length + p->offset,
                                       .null_count = j == 3 ? -1 : 0,
                                       .offset = p->offset,
                                       .n_buffers = 2,
                                       .buffers = p->buffers[j]};
    p->children[j] = &p->arrays[j];
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    producer *p = stream->private_data;
    memset(out, 0, sizeof *out);
    if (p->lie == NO_NEXT && p->part == 1)
        return 5;
    if (p->part == PARTS)
        return 0;
    memset(p->bits, 0, sizeof p->bits);
    for (int j = 0; j < D; j++)
        fill_column(p, j, ROWS);
    p->own[0] = NULL;
    *out = (struct ArrowArray){.length = ROWS,
                               .offset = p->offset,
                               .n_buffers = 1,
                               .buffers = p->own,
                               .n_children = D,
                               .children = p->children,
                               .release = free_batch,
                               .private_data = p};
    if (p->lie == FEW_CHILDREN)
        out->n_children = D - 1;
    else if (p->lie == NEGATIVE)
        out->length = -1;
    else if (p->lie == HUGE_OFFSET)
        p->arrays[0].offset = INT64_MAX;
    else if (p->lie == SHORT_CHILD)
        p->arrays[0].length = ROWS - 1;
    else if (p->lie == NO_DATA)
        p->buffers[4][1] = NULL;
    else if (p->lie == THREE_BUFFERS)
        p->arrays[4].n_buffers = 3;
    else if (p->lie == NULLS_WITHOUT_BITMAP)
        p->arrays[4].null_count = 2;
    else if (p->lie == NULL_ROW) {
        p->own[0] = p->row_valid; /* no bit is set */
        out->null_count = -1;
    }
    p->part++;
    p->batches++;
    return 0;
}

static void free_stream(struct ArrowArrayStream *stream)
{
    ((producer *)stream->private_data)->streams--;
    stream->release = NULL;
}

static struct ArrowArrayStream open_stream(producer *p)
{
    p->streams++;
    return (struct ArrowArrayStream){.get_schema = get_schema,
                                     .get_next = get_next,
                                     .release = free_stream,
                                     .private_data = p};
}

static void check_returned(const producer *p)
{
    assert_int_equal(p->schemas, 0);
    assert_int_equal(p->batches, 0);
    assert_int_equal(p->streams, 1); /* the caller's */
}

/* The model of a seeded run tells whether the rows were the same. */
static char *fit_rows(const kith_source *source, kith_missing missing,
                      kith_status want, kith_error *err)
{
    kith_bounds bounds = ball(100);
    kith_source_options reading;
    kith_kmeans_options means;
    kith_session_options session;
    kith_run run;
    char *text = NULL;
    kith_source_options_init(&reading, sizeof reading);
    kith_kmeans_options_init(&means, sizeof means);
    kith_session_options_init(&session, sizeof session);
    kith_run_init(&run, sizeof run);
    reading.missing = missing;
    reading.threads = 3;
    means.clusters = 2;
    means.method = KITH_KMEANS_LLOYD;
    session.privacy = (kith_privacy){1, 0, KITH_ADD_REMOVE};
    session.insecure = 1;
    run.bounds = &bounds;
    run.source = &reading;
    run.kmeans = &means;
    kith_status status = kith_fit(source, &run, &session, &text, err);
    if (status != want)
        fail_msg("status %d, not %d: %s", (int)status, (int)want, err->message);
    return text;
}

static double *make_expected(int without, uint64_t *rows)
{
    double *x = malloc(sizeof *x * PARTS * ROWS * D);
    *rows = 0;
    for (int r = 0; r < PARTS * ROWS; r++) {
        if (r == without)
            continue;
        for (int j = 0; j < D; j++)
            x[*rows * D + (uint64_t)j] = expected_at(r, j);
        ++*rows;
    }
    return x;
}

static void check_honest(int offset, int missing)
{
    producer *p = calloc(1, sizeof *p);
    p->offset = offset;
    p->missing = missing;
    kith_error err = {0};
    struct ArrowArrayStream stream = open_stream(p);
    kith_arrow arrow = {.stream = &stream};
    kith_source source = {.arrow = &arrow};
    kith_array array = {0};
    kith_source plain = {.array = &array};
    double *x = make_expected(missing < 0 ? -1 : ROWS + missing, &array.rows);
    array = (kith_array){x, KITH_FLOAT64, array.rows, D, D * 8, 8};
    char *got = fit_rows(&source, KITH_MISSING_DROP, KITH_OK, &err);
    char *want = fit_rows(&plain, KITH_MISSING_DROP, KITH_OK, &err);
    assert_string_equal(got, want);
    check_returned(p);
    kith_text_free(got);
    kith_text_free(want);
    if (missing >= 0) { /* the row is named as the caller counts it */
        char name[40];
        snprintf(name, sizeof name, "row %d: column 4", ROWS + missing + 1);
        p->part = 0;
        assert_null(
            fit_rows(&source, KITH_MISSING_ERROR, KITH_ERR_INPUT, &err));
        assert_non_null(strstr(err.message, name));
        check_returned(p);
    }
    free(x);
    free(p);
}

static void test_same_rows(void **state)
{
    (void)state;
    for (int offset = 0; offset < 11; offset += 5) {
        check_honest(offset, -1);
        check_honest(offset, 0);
        check_honest(offset, 20);
    }
}

static void test_lies(void **state)
{
    (void)state;
    for (int l = NO_SCHEMA; l < LIES; l++) {
        producer *p = calloc(1, sizeof *p);
        p->lie = (lie)l;
        p->missing = -1;
        kith_error err = {0};
        struct ArrowArrayStream stream = open_stream(p);
        kith_arrow arrow = {.stream = &stream};
        kith_source source = {.arrow = &arrow};
        assert_null(
            fit_rows(&source, KITH_MISSING_ERROR, KITH_ERR_INPUT, &err));
        if (l == TEXT)
            assert_non_null(strstr(err.message, "town"));
        check_returned(p);
        free(p);
    }
}

static void test_one_array(void **state)
{
    (void)state;
    producer *p = calloc(1, sizeof *p);
    p->missing = -1;
    kith_error err = {0};
    struct ArrowArrayStream stream = open_stream(p);
    struct ArrowSchema schema;
    struct ArrowArray batch;
    assert_int_equal(get_schema(&stream, &schema), 0);
    assert_int_equal(get_next(&stream, &batch), 0);
    kith_arrow arrow = {.schema = &schema, .array = &batch};
    kith_source source = {.arrow = &arrow};
    kith_text_free(fit_rows(&source, KITH_MISSING_ERROR, KITH_OK, &err));
    assert_int_equal(p->batches, 1); /* borrowed: the caller's */
    assert_int_equal(p->schemas, 1);
    batch.release(&batch);
    assert_null(fit_rows(&source, KITH_MISSING_ERROR, KITH_ERR_ARGUMENT, &err));
    arrow.stream = &stream; /* both */
    assert_null(fit_rows(&source, KITH_MISSING_ERROR, KITH_ERR_ARGUMENT, &err));
    arrow = (kith_arrow){.stream = &stream};
    p->part = PARTS; /* no batches: a table without rows */
    kith_text_free(fit_rows(&source, KITH_MISSING_ERROR, KITH_OK, &err));
    stream.release(&stream);
    assert_null(fit_rows(&source, KITH_MISSING_ERROR, KITH_ERR_ARGUMENT, &err));
    free(p);
}

/* kith_evaluate_source reads by another way. */
static void test_evaluate(void **state)
{
    (void)state;
    producer *p = calloc(1, sizeof *p);
    p->missing = -1;
    struct ArrowArrayStream stream = open_stream(p);
    kith_arrow arrow = {.stream = &stream};
    kith_source source = {.arrow = &arrow};
    kith_source_options reading;
    kith_source_options_init(&reading, sizeof reading);
    double centers[2 * D] = {0}, cost = 0, want = 0;
    for (int j = 0; j < D; j++)
        centers[D + j] = 1000;
    kith_model_view view = {.clusters = 2, .dimension = D, .centers = centers};
    uint64_t rows = 0;
    kith_error err = {0};
    for (int r = 0; r < PARTS * ROWS; r++)
        for (int j = 0; j < D; j++)
            want += expected_at(r, j) * expected_at(r, j);
    assert_int_equal(kith_evaluate_source(&view, KITH_OBJECTIVE_KMEANS, &source,
                                          &reading, &rows, &cost, &err),
                     KITH_OK);
    assert_int_equal(rows, PARTS * ROWS);
    assert_true(fabs(cost - want) <= 1e-9 * want);
    check_returned(p);
    free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_rows),
        cmocka_unit_test(test_lies),
        cmocka_unit_test(test_one_array),
        cmocka_unit_test(test_evaluate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
