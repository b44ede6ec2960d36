/* JSON that people can read: jansson prints either everything on one line or
 * every number on its own, so the outer layers are laid out here. */
#include <stdlib.h>

#include "model.h"

enum { FLAGS = JSON_REAL_PRECISION(17) | JSON_ENCODE_ANY };

static int is_container(const json_t *value)
{
    return json_is_object(value) || json_is_array(value);
}

static int print_flat(FILE *file, const json_t *value)
{
    char *text = json_dumps(value, FLAGS);
    if (!text)
        return -1;
    fputs(text, file);
    free(text);
    return 0;
}

static int print_value(FILE *file, const json_t *value, int indent);

static int print_object(FILE *file, const json_t *object, int indent)
{
    const char *key, *separator = "{";
    json_t *value;
    json_object_foreach((json_t *)object, key, value)
    {
        json_t *name = json_string(key);
        fprintf(file, "%s\n%*s", separator, indent + 2, "");
        int bad = !name || print_flat(file, name);
        json_decref(name);
        fputs(": ", file);
        if (bad || print_value(file, value, indent + 2))
            return -1;
        separator = ",";
    }
    fprintf(file, "\n%*s}", indent, "");
    return 0;
}

static int print_rows(FILE *file, const json_t *array, int indent)
{
    for (size_t i = 0; i < json_array_size(array); i++) {
        fprintf(file, "%s\n%*s", i ? "," : "[", indent + 2, "");
        if (print_flat(file, json_array_get(array, i)))
            return -1;
    }
    fprintf(file, "\n%*s]", indent, "");
    return 0;
}

static int print_value(FILE *file, const json_t *value, int indent)
{
    if (json_is_object(value) && json_object_size(value))
        return print_object(file, value, indent);
    if (json_is_array(value) && is_container(json_array_get(value, 0)))
        return print_rows(file, value, indent);
    return print_flat(file, value);
}

int json_out(FILE *file, const json_t *value)
{
    int bad = print_value(file, value, 0);
    putc('\n', file);
    return bad;
}
