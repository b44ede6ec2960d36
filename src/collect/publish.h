/* From questions to a round that devices will read: groups get the next ranges
 * of the circle, questions their mechanisms, the round its place in the chain.
 */
#ifndef KITH_PUBLISH_H
#define KITH_PUBLISH_H

#include "round_text.h"

/* The next `share` of the circle for a question; with a partition (epsilon is
 * split) the share at its offset. asked: shares handed out so far. Afterwards
 * offset and share are multiples of 2^-53. */
void kith_i_publish_place(double *asked, kith_i_question *question);

/* A task whose rounds are published one after the other. */
typedef struct kith_i_publisher {
    kith_i_chain chain; /* of the rounds published so far */
    uint64_t invited, minimum;
    uint32_t d;
    double asked; /* shares of the users asked so far */
} kith_i_publisher;

/* Publish the questions, and read what was published: from here on everybody
 * uses that. json: kith_i_free; round: kith_i_round_free. What the server wants
 * estimated (question.wanted) is its own business, and is kept. A failure
 * leaves the chain as it was. */
typedef struct kith_i_published {
    char *json;
    size_t bytes;
    kith_i_round *round;
} kith_i_published;

kith_status kith_i_publish(kith_i_publisher *publisher,
                           const kith_i_question *questions, size_t count,
                           kith_i_published *out, kith_error *err);
void kith_i_published_free(kith_i_published *published);

#endif
