/* Released numbers as JSON. */
#include "model_i.h"

json_t *kith_i_model_numbers(const double *values, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++)
        if (json_array_append_new(array, json_real(values[i]))) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

json_t *kith_i_model_centers(const double *centers, uint32_t k, uint32_t d)
{
    json_t *rows = json_array();
    for (size_t j = 0; rows && j < k; j++)
        if (json_array_append_new(rows,
                                  kith_i_model_numbers(centers + j * d, d))) {
            json_decref(rows);
            rows = NULL;
        }
    return rows;
}

json_t *kith_i_model_bases(const double *bases, uint32_t k, uint32_t d,
                           uint32_t q)
{
    json_t *planes = json_array();
    for (size_t l = 0; planes && l < k; l++)
        if (json_array_append_new(
                planes, kith_i_model_centers(bases + l * d * q, d, q))) {
            json_decref(planes);
            planes = NULL;
        }
    return planes;
}
