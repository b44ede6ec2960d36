/* The header of an NPY file: a Python dictionary literal with exactly the
 * keys descr, fortran_order and shape, in any order. Strict: what is not
 * understood is refused, nothing is guessed. */
#include "reader_npy_header.h"

#include <string.h>

#include "base/base_i.h"
#include "base/domain.h"

/* NumPy writes less than 200 bytes; structured types may need more, but those
 * are refused anyway. */
enum { MAX_HEADER = 1 << 16, MAX_TYPE = 16 };
enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

/* What is left of the dictionary's text. */
typedef struct {
    const char *p, *end;
    const char *file;
    kith_error *err;
} cursor;

static kith_status fail_header(const cursor *at, const char *problem)
{
    return kith_i_fail(at->err, KITH_ERR_INPUT, "%s: NPY header: %s", at->file,
                       problem);
}

static void skip_space(cursor *at)
{
    while (at->p < at->end && (*at->p == ' ' || *at->p == '\n' ||
                               *at->p == '\t' || *at->p == '\r'))
        at->p++;
}

/* Step over c (and space before it) if it comes next. */
static int take(cursor *at, char c)
{
    skip_space(at);
    if (at->p >= at->end || *at->p != c)
        return 0;
    at->p++;
    return 1;
}

static int take_word(cursor *at, const char *word)
{
    skip_space(at);
    size_t length = strlen(word);
    if ((size_t)(at->end - at->p) < length || memcmp(at->p, word, length) != 0)
        return 0;
    at->p += length;
    return 1;
}

static int take_string(cursor *at, char text[MAX_TYPE])
{
    skip_space(at);
    char quote = at->p < at->end ? *at->p : 0;
    if (quote != '\'' && quote != '"')
        return 0;
    const char *begin = ++at->p;
    const char *close = begin < at->end
                            ? memchr(begin, quote, (size_t)(at->end - begin))
                            : NULL;
    if (!close || close - begin >= MAX_TYPE)
        return 0;
    size_t length = (size_t)(close - begin);
    memcpy(text, begin, length);
    text[length] = 0;
    at->p = close + 1;
    return 1;
}

static kith_status take_type(cursor *at, kith_i_npy *npy)
{
    char text[MAX_TYPE];
    if (!take_string(at, text))
        return fail_header(at, "the type is not a plain one; save the array "
                               "as float32 or float64");
    static const char *const known[] = {"f2", "f4", "f8", "i1", "i2", "i4",
                                        "i8", "u1", "u2", "u4", "u8", "b1"};
    int ok = 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        ok = ok || (text[0] && strcmp(text + 1, known[i]) == 0);
    ok = ok && memchr("<>=|", text[0], 4);
    if (!ok || (text[0] == '|' && text[2] != '1'))
        return fail_header(at, "the type is not a number or bool that kith "
                               "can read; save the array as float32 or "
                               "float64");
    int big = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    npy->kind = text[1];
    npy->item = (uint32_t)(text[2] - '0');
    npy->swapped = text[0] == (big ? '<' : '>');
    return KITH_OK;
}

/* One number of the shape; may have the L of Python 2. */
static kith_status take_size(cursor *at, uint64_t *out)
{
    skip_space(at);
    if (at->p >= at->end || *at->p < '0' || *at->p > '9')
        return fail_header(at, "the shape is not a list of sizes");
    uint64_t n = 0;
    for (; at->p < at->end && *at->p >= '0' && *at->p <= '9'; at->p++)
        if (__builtin_mul_overflow(n, 10u, &n) ||
            __builtin_add_overflow(n, (uint64_t)(*at->p - '0'), &n))
            return fail_header(at, "the shape is too large");
    if (at->p < at->end && *at->p == 'L')
        at->p++;
    *out = n;
    return KITH_OK;
}

static kith_status take_shape(cursor *at, kith_i_npy *npy)
{
    uint64_t size[2] = {0, 1};
    int count = 0;
    if (!take(at, '('))
        return fail_header(at, "the shape is not a tuple");
    while (!take(at, ')')) {
        if (count == 2)
            return fail_header(at, "the array has more than two dimensions; "
                                   "reshape it to rows x columns");
        kith_status status = take_size(at, &size[count++]);
        if (status)
            return status;
        if (!take(at, ',')) {
            /* "(5)" is a number in Python, not a shape. */
            if (count == 2 && take(at, ')'))
                break;
            return fail_header(at, "the shape is not a tuple");
        }
    }
    if (count == 0)
        return fail_header(at, "the array has no dimensions; reshape it to "
                               "rows x columns");
    npy->rows = size[0];
    npy->columns = size[1];
    return KITH_OK;
}

static kith_status take_order(cursor *at, kith_i_npy *npy)
{
    if (take_word(at, "True"))
        npy->fortran = 1;
    else if (take_word(at, "False"))
        npy->fortran = 0;
    else
        return fail_header(at, "fortran_order is neither True nor False");
    return KITH_OK;
}

static kith_status take_entry(cursor *at, kith_i_npy *npy, int *seen)
{
    char key[MAX_TYPE];
    if (!take_string(at, key) || !take(at, ':'))
        return fail_header(at, "not a dictionary of three entries");
    int which = strcmp(key, "descr") == 0           ? HAS_DESCR
                : strcmp(key, "fortran_order") == 0 ? HAS_ORDER
                : strcmp(key, "shape") == 0         ? HAS_SHAPE
                                                    : 0;
    if (!which || (*seen & which))
        return fail_header(at, "an entry is unknown or given twice");
    *seen |= which;
    if (which == HAS_DESCR)
        return take_type(at, npy);
    return which == HAS_ORDER ? take_order(at, npy) : take_shape(at, npy);
}

static kith_status take_dictionary(cursor *at, kith_i_npy *npy)
{
    int seen = 0;
    if (!take(at, '{'))
        return fail_header(at, "not a dictionary");
    while (!take(at, '}')) {
        kith_status status = take_entry(at, npy, &seen);
        if (status)
            return status;
        if (!take(at, ',')) {
            if (take(at, '}'))
                break;
            return fail_header(at, "not a dictionary of three entries");
        }
    }
    skip_space(at);
    if (at->p < at->end)
        return fail_header(at, "something follows the dictionary");
    if (seen != HAS_ALL)
        return fail_header(at, "descr, fortran_order or shape is missing");
    return KITH_OK;
}

static kith_status check_size(const cursor *at, const kith_i_npy *npy)
{
    uint64_t items, bytes;
    if (npy->columns == 0 || npy->columns > KITH_I_MAX_DIMENSION)
        return kith_i_fail(at->err, KITH_ERR_INPUT,
                           "%s: NPY header: the number of columns must be 1 "
                           "to %u",
                           at->file, KITH_I_MAX_DIMENSION);
    if (__builtin_mul_overflow(npy->rows, npy->columns, &items) ||
        __builtin_mul_overflow(items, npy->item, &bytes) ||
        bytes > INT64_MAX - npy->offset)
        return fail_header(at, "the shape is too large");
    return KITH_OK;
}

kith_status kith_i_npy_read_header(kith_i_stream *stream, kith_i_npy *out,
                                   kith_error *err)
{
    cursor at = {.file = kith_i_stream_name(stream), .err = err};
    kith_i_window window;
    kith_status status = kith_i_stream_need(stream, 12, &window, err);
    if (status)
        return status;
    const unsigned char *head = (const unsigned char *)window.data;
    if (window.count < 12 || memcmp(head, "\x93NUMPY", 6) != 0)
        return fail_header(&at, "this is not an NPY file; write it with "
                                "numpy.save");
    if (head[6] < 1 || head[6] > 3 || head[7] != 0)
        return fail_header(&at, "unknown version; write it with numpy.save");
    size_t start = head[6] == 1 ? 10 : 12;
    size_t length = head[8] | (size_t)head[9] << 8;
    if (head[6] > 1)
        length |= (size_t)head[10] << 16 | (size_t)head[11] << 24;
    if (length > MAX_HEADER)
        return fail_header(&at, "too long for an array of numbers");
    status = kith_i_stream_need(stream, start + length, &window, err);
    if (status)
        return status;
    if (window.count < start + length)
        return fail_header(&at, "the file ends in it");
    at.p = window.data + start;
    at.end = at.p + length;
    kith_i_npy npy = {.offset = start + length};
    status = take_dictionary(&at, &npy);
    if (!status)
        status = check_size(&at, &npy);
    if (status)
        return status;
    kith_i_stream_skip(stream, start + length);
    *out = npy;
    return KITH_OK;
}
