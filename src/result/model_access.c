/* What is in a model that was read; one that is not there has nothing. */
#include "base/base_i.h"
#include "model_i.h"

const kith_model_view *kith_model_get_view(const kith_model *model)
{
    return model ? &model->view : NULL;
}

kith_objective kith_model_objective(const kith_model *model)
{
    return model ? model->objective : KITH_OBJECTIVE_KMEANS;
}

const double *kith_model_weights(const kith_model *model)
{
    return model ? model->weights : NULL;
}

const char *const *kith_model_columns(const kith_model *model, size_t *count)
{
    if (count)
        *count = model ? model->column_count : 0;
    return model ? model->columns : NULL;
}

/* A text of one byte. */
static char mark_of(const json_t *parameters, const char *key)
{
    const char *text = json_string_value(json_object_get(parameters, key));
    return text && text[0] && !text[1] ? text[0] : 0;
}

kith_status kith_model_reading(const kith_model *model,
                               kith_source_options *opt, kith_error *err)
{
    if (!model || !opt || opt->size < sizeof *opt)
        return kith_i_fail(err, KITH_ERR_ARGUMENT,
                           "a model and initialised options are needed");
    const json_t *parameters = json_object_get(model->json, "parameters");
    opt->delimiter = mark_of(parameters, "delimiter");
    opt->decimal = mark_of(parameters, "decimal");
    opt->missing_values = model->missing_values;
    opt->missing_value_count = model->missing_count;
    opt->user_column =
        json_string_value(json_object_get(parameters, "user_column"));
    return KITH_OK;
}

const char *kith_model_guarantee(const kith_model *model)
{
    return model ? model->guarantee : "none";
}

kith_missing kith_model_missing(const kith_model *model)
{
    int missing = KITH_MISSING_ERROR;
    const json_t *parameters =
        json_object_get(model ? model->json : NULL, "parameters");
    kith_word_value(KITH_WORDS_MISSING,
                    json_string_value(json_object_get(parameters, "missing")),
                    &missing);
    return (kith_missing)missing;
}
