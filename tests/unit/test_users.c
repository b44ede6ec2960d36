/* One row a person (data/users.c, I45): each person's row is one of her own,
 * chosen evenly among the different ones and by nothing else; whoever comes or
 * goes leaves the rows of all others as they were, bit for bit. Ids are any
 * text. */
#include "test_reader_help.h"

#include "data/dataset_i.h"
#include "data/users.h"
#include "support/make_data.h"
#include "support/stat.h"

enum { D = 3, PEOPLE = 700, MOST_ROWS = 60 };

/* Person p's row r: a function of the two. Values are far from the lattice's
 * edges, so a row tells whose it is. */
static void make_row(unsigned p, unsigned r, double *out)
{
    out[0] = -.9 + p * 1.8 / PEOPLE;
    out[1] = -.9 + r * 1.8 / MOST_ROWS;
    out[2] = .25;
}

static unsigned rows_of(unsigned p)
{
    return 1 + p * 37 % MOST_ROWS;
}

typedef struct {
    double *rows;
    char **users;
    size_t count;
} crowd;

static void add(crowd *c, unsigned p, unsigned r)
{
    c->rows = realloc(c->rows, (c->count + 1) * D * sizeof *c->rows);
    c->users = realloc(c->users, (c->count + 1) * sizeof *c->users);
    make_row(p, r, c->rows + c->count * D);
    char name[40];
    snprintf(name, sizeof name, "person %u", p);
    c->users[c->count++] = strdup(name);
}

/* All people but one (PEOPLE: all). */
static crowd make_crowd(unsigned without)
{
    crowd c = {0};
    for (unsigned r = 0; r < MOST_ROWS; r++)
        for (unsigned p = 0; p < PEOPLE; p++)
            if (p != without && r < rows_of(p))
                add(&c, p, r);
    return c;
}

static void free_crowd(crowd *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->users[i]);
    free(c->users);
    free(c->rows);
}

static uint32_t turns = 1; /* rows_per_user */

static kith_dataset *load_crowd(const crowd *c, uint64_t seed, uint32_t threads)
{
    kith_array array = {c->rows, KITH_FLOAT64,       c->count,
                        D,       D * sizeof(double), sizeof(double)};
    kith_source source = {.array = &array,
                          .users = (const char *const *)c->users};
    kith_source_options opt;
    kith_source_options_init(&opt, sizeof opt);
    opt.user_seed = seed;
    opt.rows_per_user = turns;
    opt.threads = threads;
    kith_bounds box = unit_box();
    kith_dataset *data = NULL;
    kith_error err = {0};
    if (kith_dataset_load(&source, &opt, &box, &data, &err))
        fail_msg("%s", err.message);
    return data;
}

static const int16_t *row_at(const kith_dataset *data, size_t i)
{
    const kith_i_chunk *c = &data->chunks[i / data->block_rows];
    return c->dense + i % data->block_rows * D;
}

/* The person and the row that a stored row shows. */
static void read_row(const kith_dataset *data, size_t i, unsigned *p,
                     unsigned *r)
{
    double step = kith_i_domain_step(data->domain);
    const int16_t *q = row_at(data, i);
    *p = (unsigned)lround((q[0] * step + .9) * PEOPLE / 1.8);
    *r = (unsigned)lround((q[1] * step + .9) * MOST_ROWS / 1.8);
}

static void test_one_each(void **state)
{
    (void)state;
    crowd c = make_crowd(PEOPLE);
    kith_dataset *data = load_crowd(&c, 5, 2);
    int seen[PEOPLE] = {0};
    assert_int_equal(data->rows, PEOPLE);
    for (size_t i = 0; i < PEOPLE; i++) {
        unsigned p, r;
        read_row(data, i, &p, &r);
        assert_true(p < PEOPLE && r < rows_of(p));
        assert_int_equal(seen[p]++, 0);
    }
    kith_dataset_free(data);
    free_crowd(&c);
}

/* The rows of `less` are those of `all` but one person's, in their order. */
static void expect_one_less(const kith_dataset *all, const kith_dataset *less)
{
    size_t i = 0, j = 0, gone = 0;
    for (; i < all->rows; i++) {
        if (j < less->rows &&
            !memcmp(row_at(all, i), row_at(less, j), D * sizeof(int16_t)))
            j++;
        else
            gone++;
    }
    assert_int_equal(j, less->rows);
    assert_int_equal(gone, turns);
}

static void test_whoever_goes(void **state)
{
    (void)state;
    crowd all = make_crowd(PEOPLE);
    kith_dataset *with = load_crowd(&all, 5, 1);
    for (unsigned p = 0; p < PEOPLE; p += 97) {
        crowd less = make_crowd(p);
        kith_dataset *without = load_crowd(&less, 5, 3);
        expect_one_less(with, without);
        kith_dataset_free(without);
        free_crowd(&less);
    }
    kith_dataset_free(with);
    free_crowd(&all);
}

/* Several rows of each: as many of everybody, drawn one by one, so that who has
 * many shows different ones. Whoever goes takes just these along. */
static void test_several_each(void **state)
{
    crowd c = make_crowd(PEOPLE);
    turns = 4;
    kith_dataset *data = load_crowd(&c, 5, 2);
    unsigned drawn[PEOPLE] = {0}, first[PEOPLE], other = 0;
    assert_int_equal(data->rows, PEOPLE * turns);
    for (size_t i = 0; i < data->rows; i++) {
        unsigned p, r;
        read_row(data, i, &p, &r);
        assert_true(p < PEOPLE && r < rows_of(p));
        if (drawn[p]++ == 0)
            first[p] = r;
        other += r != first[p];
    }
    for (unsigned p = 0; p < PEOPLE; p++)
        assert_int_equal(drawn[p], turns);
    assert_true(other > 2 * PEOPLE); /* 30 rows each: about 2.9 */
    kith_dataset_free(data);
    free_crowd(&c);
    test_whoever_goes(state);
    turns = 1;
}

/* What a person may lose is divided among her rows, in either currency. */
/* Somebody whose name is the id that another's name gives, as bytes. He shares
 * no row with her, so that she takes all of hers away when she goes. */
static void test_name_of_an_id(void **state)
{
    (void)state;
    turns = 3;
    unsigned tried = 0;
    for (unsigned p = 0; p < 20; p++) {
        kith_i_user id;
        char name[sizeof id.id + 1] = {0};
        crowd c = {0};
        add(&c, p, 1);
        add(&c, p + 1, 2);
        kith_i_user_of_text(c.users[0], &id);
        memcpy(name, id.id, sizeof id.id);
        if (strlen(name) == sizeof id.id) {
            free(c.users[1]);
            c.users[1] = strdup(name);
            kith_dataset *data = load_crowd(&c, 5, 1);
            assert_int_equal(data->rows, 2 * turns);
            kith_dataset_free(data);
            tried++;
        }
        free_crowd(&c);
    }
    assert_true(tried > 10);
    turns = 1;
}

static void test_divided_budget(void **state)
{
    (void)state;
    static const double deltas[] = {0, 1e-6};
    crowd c = make_crowd(PEOPLE);
    for (int i = 0; i < 2; i++) {
        double scale[2], loss[2];
        for (int several = 0; several < 2; several++) {
            kith_session_options so;
            kith_session_options_init(&so, sizeof so);
            so.privacy = (kith_privacy){1, deltas[i], KITH_ADD_REMOVE};
            kith_kmeans_options ko;
            kith_kmeans_options_init(&ko, sizeof ko);
            ko.clusters = 1;
            ko.method = KITH_KMEANS_LLOYD;
            ko.rounds = 1;
            kith_session *session = NULL;
            kith_result *result = NULL;
            kith_receipt receipt;
            turns = several ? 5 : 1;
            assert_int_equal(
                kith_session_open(load_crowd(&c, 5, 1), &so, &session, NULL),
                KITH_OK);
            assert_int_equal(kith_kmeans(session, &ko, &result, NULL), KITH_OK);
            kith_result_receipt(result, 0, &receipt);
            scale[several] = receipt.scale;
            loss[several] = receipt.loss;
            /* of a person: sensitivity over scale, and the sum */
            assert_true(receipt.sensitivity > .999 * turns);
            assert_true(kith_result_total_loss(result) <=
                        (i ? .2367043806634343 : 1) * (1 + 1e-12));
            assert_true(fabs(kith_result_weights(result)[0] - PEOPLE) <
                        (i ? 600 : 200));
            kith_result_free(result);
            kith_session_close(session);
        }
        assert_true(fabs(scale[1] / scale[0] - 5) < 1e-3);
        assert_true(fabs(loss[1] / loss[0] - 1) < 1e-3);
    }
    turns = 1;
    free_crowd(&c);
}

static void expect_equal(const kith_dataset *a, const kith_dataset *b)
{
    assert_int_equal(a->rows, b->rows);
    for (size_t i = 0; i < a->rows; i++)
        assert_memory_equal(row_at(a, i), row_at(b, i), D * sizeof(int16_t));
}

/* Another order, other threads, and rows that are there ten times. */
static void test_order_and_repeats(void **state)
{
    (void)state;
    crowd c = make_crowd(PEOPLE), back = {0};
    for (size_t i = c.count; i-- > 0;)
        for (unsigned times = i % 11 ? 1 : 10; times > 0; times--) {
            unsigned p = 0, r = 0;
            sscanf(c.users[i], "person %u", &p);
            r = (unsigned)lround((c.rows[i * D + 1] + .9) * MOST_ROWS / 1.8);
            add(&back, p, r);
        }
    kith_dataset *a = load_crowd(&c, 5, 1), *b = load_crowd(&back, 5, 8);
    expect_equal(a, b);
    kith_dataset_free(b);
    b = load_crowd(&back, 6, 8); /* other coins choose otherwise */
    int differ = 0;
    for (size_t i = 0; i < a->rows; i++)
        differ += memcmp(row_at(a, i), row_at(b, i), D * sizeof(int16_t)) != 0;
    assert_true(differ > PEOPLE / 2);
    kith_dataset_free(a);
    kith_dataset_free(b);
    free_crowd(&c);
    free_crowd(&back);
}

/* Even over different rows, however often one of them is there: 3 rows, the
 * first 9 times. chi^2 with 2 degrees, above 27.6 with probability 1e-6. */
static void test_even(void **state)
{
    (void)state;
    crowd c = {0};
    for (unsigned p = 0; p < PEOPLE; p++)
        for (unsigned r = 0; r < 11; r++)
            add(&c, p, r < 9 ? 0 : r - 8);
    size_t count[3] = {0};
    for (uint64_t seed = 0; seed < 10; seed++) {
        kith_dataset *data = load_crowd(&c, seed, 2);
        for (size_t i = 0; i < data->rows; i++) {
            unsigned p, r;
            read_row(data, i, &p, &r);
            assert_true(r < 3);
            count[r]++;
        }
        kith_dataset_free(data);
    }
    double expected = 10.0 * PEOPLE / 3, square = 0;
    for (int r = 0; r < 3; r++)
        square += pow((double)count[r] - expected, 2) / expected;
    assert_true(square < 27.6);
    free_crowd(&c);
}

/* ---- files: ids are any text --------------------------------------------- */

static kith_status open_text(const char *text, const char *column,
                             kith_missing missing, kith_dataset **out,
                             kith_error *err)
{
    char path[] = "/tmp/kith-users-XXXXXX.csv";
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0 &&
                write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    kith_source_options opt;
    kith_source_options_init(&opt, sizeof opt);
    opt.user_column = column;
    opt.missing = missing;
    kith_bounds box = unit_box();
    const char *paths[] = {path};
    kith_status status = kith_dataset_open(paths, 1, &opt, &box, out, err);
    unlink(path);
    return status;
}

static void expect_people(const char *text, size_t people)
{
    kith_dataset *data = NULL;
    kith_error err = {0};
    if (open_text(text, "who", KITH_MISSING_ERROR, &data, &err))
        fail_msg("%s", err.message);
    assert_int_equal(data->rows, people);
    assert_int_equal(kith_dataset_dimension(data), 1);
    assert_string_equal(kith_dataset_name(data, 0), "x");
    kith_dataset_free(data);
}

static void test_ids(void **state)
{
    (void)state;
    expect_people("who,x\nana,.1\nana,.2\n ana ,.3\n\"ana\",.4\n", 1);
    expect_people("x,who\n.1,Ana\n.2,ana\n.3,ana.\n", 3);
    expect_people("who,x\n7,.1\n7.0,.2\n07,.3\n7,.4\n", 3);
    expect_people("who,x\n\"a \"\"b\"\"\",.1\n\"a \"\"b\"\"\",.2\n\"a b\",.3\n",
                  2);
    expect_people("who,x\n\"a,b\nc\",.1\n\"a,b\nc\",.2\n\xc3\xa9,.3\ne,.4\n",
                  3);
    expect_people("who,x\n", 0);
}

/* What a quoted id is, is what it says without quotes. */
static void test_quotes(void **state)
{
    (void)state;
    static const kith_i_dialect csv = {.separator = ',', .blank = '\t'};
    static const char *const pairs[][2] = {{"\"a\"\"b\"", "a\"b"},
                                           {"\"\"\"\"", "\""},
                                           {"\"x\"", "x"},
                                           {" x\t,y", "x"},
                                           {"\"\"\"a\"\"\"", "\"a\""}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        kith_i_user a, b;
        const char *text = pairs[i][0];
        assert_int_equal(kith_i_user_find(&csv, text, text + strlen(text), &a),
                         0);
        kith_i_user_of_text(pairs[i][1], &b);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

static void test_missing(void **state)
{
    (void)state;
    static const char text[] = "who,x\nana,.1\n,.2\nNA,.3\nbob,.4\nbob,\n";
    kith_dataset *data = NULL;
    kith_error err = {0};
    assert_int_equal(open_text(text, "who", KITH_MISSING_ERROR, &data, &err),
                     KITH_ERR_INPUT);
    assert_non_null(strstr(err.message, "line 3: column 1"));
    assert_null(data);
    assert_int_equal(open_text(text, "who", KITH_MISSING_DROP, &data, &err),
                     KITH_OK);
    assert_int_equal(data->rows, 2);
    kith_dataset_free(data);
    assert_int_equal(open_text(text, "whom", KITH_MISSING_DROP, &data, &err),
                     KITH_ERR_INPUT);
    assert_non_null(strstr(err.message, "there is no column \"whom\""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_each),
        cmocka_unit_test(test_whoever_goes),
        cmocka_unit_test(test_several_each),
        cmocka_unit_test(test_name_of_an_id),
        cmocka_unit_test(test_divided_budget),
        cmocka_unit_test(test_order_and_repeats),
        cmocka_unit_test(test_even),
        cmocka_unit_test(test_ids),
        cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
