/* For cppcheck, which does not read jansson's header. */
#define json_array_foreach(array, i, value)                                    \
    for (i = 0; (value = json_array_get(array, i)) != NULL; i++)
