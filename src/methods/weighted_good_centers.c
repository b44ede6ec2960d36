/* GoodCenters (Stemmer 2021, A.3) for all radii at once: CentersProcedure for
 * every radius and repetition, step by step, each step one round. */
#include <string.h>

#include "weighted.h"

kith_status kith_i_wc_ask(kith_i_local_run *run,
                          const kith_i_question *questions, size_t count,
                          kith_i_answer *answers, kith_error *err)
{
    kith_i_collector *collector = run->collector;
    memset(answers, 0, count * sizeof *answers);
    if (count == 0)
        return KITH_OK;
    kith_status status =
        collector->ask(collector, questions, count, answers, err);
    if (status)
        return status;
    run->round++;
    run->answer_count += count; /* of the whole run: numbers for `again` */
    if (!collector->progress)
        return KITH_OK;
    return collector->progress(
        collector, run->round,
        run->rounds > run->round ? run->rounds : run->round, err);
}

static kith_status make_hashes(kith_i_local_run *run,
                               const kith_i_wc_setup *setup,
                               kith_i_procedure *procedures, kith_error *err)
{
    kith_status status = KITH_OK;
    for (uint32_t m = 0; !status && m < setup->repetitions; m++) {
        kith_i_lsh_family family;
        if (!setup->e2lsh)
            status = kith_i_lsh_family_make(run, setup->width, &family, err);
        for (uint32_t j = 0; !status && j < setup->radii; j++) {
            kith_i_procedure *p = &procedures[m * setup->radii + j];
            *p = (kith_i_procedure){.radius_number = j, .repetition = m};
            p->radius = kith_i_wc_radius(run->task, j);
            kith_i_procedure_names(setup, p);
            status = setup->e2lsh ? kith_i_lsh_e2(run, p->radius, &p->hash, err)
                                  : kith_i_lsh_grid(run, &family, p->radius,
                                                    &p->hash, err);
            if (!status && setup->boxes)
                status = kith_i_boxes_make(run, p, err);
        }
    }
    return status;
}

/* Steps 1 to 6. */
static kith_status find_lists(kith_i_local_run *run,
                              const kith_i_wc_setup *setup,
                              kith_i_procedure *procedures,
                              kith_i_question *questions,
                              kith_i_answer *answers, kith_error *err)
{
    uint32_t all = setup->radii * setup->repetitions;
    size_t first = run->answer_count, count = 0;
    uint32_t axes = setup->boxes ? run->task->d : 0;
    kith_status status = KITH_OK;
    for (uint32_t i = 0; !status && i < all; i++) {
        kith_i_procedure *p = &procedures[i];
        p->list_question = first + count;
        kith_i_procedure_list(run, setup, p, &questions[count++]);
        p->box_question = first + count;
        if (axes)
            status = kith_i_boxes_ask(run, setup, p, questions + count, err);
        count += axes;
    }
    if (!status)
        status = kith_i_wc_ask(run, questions, count, answers, err);
    for (uint32_t i = 0; !status && i < all; i++) {
        kith_i_procedure *p = &procedures[i];
        /* Radii halve along the array: the one before is the parent. */
        const kith_i_procedure *parent =
            p->radius_number > 0 && !setup->e2lsh ? p - 1 : NULL;
        status = kith_i_procedure_take_list(
            run, parent, &answers[p->list_question - first], p, err);
        if (!status && axes)
            status = kith_i_boxes_take(
                run, questions + (p->box_question - first), p, err);
        else if (!status)
            kith_i_procedure_regions(run, setup, p);
    }
    for (size_t i = 0; i < count; i++)
        kith_i_answer_free(&answers[i]);
    return status;
}

/* Step 7, then 8. A list that is empty is not asked about. */
static kith_status find_means(kith_i_local_run *run,
                              const kith_i_wc_setup *setup,
                              kith_i_procedure *procedures,
                              kith_i_question *questions,
                              kith_i_answer *answers, kith_error *err)
{
    uint32_t all = setup->radii * setup->repetitions;
    size_t count = 0;
    for (uint32_t i = 0; i < all; i++) {
        if (procedures[i].count == 0)
            continue;
        kith_i_procedure_average(run, setup, &procedures[i], questions + count);
        count += 2;
    }
    kith_status status = kith_i_wc_ask(run, questions, count, answers, err);
    for (size_t i = 0, at = 0; !status && i < all; i++) {
        if (procedures[i].count == 0)
            continue;
        kith_i_procedure_take_average(run, setup, answers + at, &procedures[i]);
        at += 2;
    }
    for (size_t i = 0; i < count; i++)
        kith_i_answer_free(&answers[i]);
    return status;
}

static kith_status filter_lists(kith_i_local_run *run,
                                const kith_i_wc_setup *setup,
                                kith_i_procedure *procedures,
                                kith_i_question *questions,
                                kith_i_answer *answers, kith_error *err)
{
    uint32_t all = setup->radii * setup->repetitions;
    size_t count = 0;
    for (uint32_t i = 0; i < all; i++)
        if (procedures[i].count > 0)
            kith_i_procedure_filter(run, setup, &procedures[i],
                                    &questions[count++]);
    kith_status status = kith_i_wc_ask(run, questions, count, answers, err);
    for (size_t i = 0, at = 0; !status && i < all; i++)
        if (procedures[i].count > 0)
            kith_i_procedure_take_filter(run, &answers[at++], &procedures[i]);
    for (size_t i = 0; i < count; i++)
        kith_i_answer_free(&answers[i]);
    return status;
}

kith_status kith_i_good_centers(kith_i_local_run *run,
                                const kith_i_wc_setup *setup,
                                kith_i_procedure *procedures, kith_error *err)
{
    size_t all = (size_t)setup->radii * setup->repetitions;
    size_t most = all * (setup->boxes ? (size_t)run->task->d + 1 : 1);
    if (most < 2 * all)
        most = 2 * all;
    kith_i_question *questions =
        kith_i_local_take(run, most, sizeof *questions);
    kith_i_answer *answers = kith_i_local_take(run, most, sizeof *answers);
    if (!questions || !answers)
        return kith_i_fail_memory(err);
    kith_status status = make_hashes(run, setup, procedures, err);
    if (!status)
        status = find_lists(run, setup, procedures, questions, answers, err);
    if (!status)
        status = find_means(run, setup, procedures, questions, answers, err);
    if (!status && setup->share[KITH_I_WC_FILTER] > 0)
        status = filter_lists(run, setup, procedures, questions, answers, err);
    return status;
}
