/* Every statement that the service runs, and its tables. */
#ifndef KITH_STATEMENTS_H
#define KITH_STATEMENTS_H

typedef enum kith_i_statement {
    KITH_I_META_GET,
    KITH_I_META_PUT,
    KITH_I_TASK_ADD,
    KITH_I_TASK_ALL,
    KITH_I_TASK_ONE,
    KITH_I_TASK_MOVE,
    KITH_I_TASK_START,
    KITH_I_TASK_INVITE,
    KITH_I_TASK_INVITED,
    KITH_I_ROUND_ADD,
    KITH_I_ROUND_ALL,
    KITH_I_ROUND_ONE,
    KITH_I_ROUND_NEWEST,
    KITH_I_ROUND_STATE,
    KITH_I_ROUND_CLOSE,
    KITH_I_ROUND_ANSWERED,
    KITH_I_ROUND_PUBLISH,
    KITH_I_ROUND_EXTEND,
    KITH_I_SEGMENT_ADD,
    KITH_I_SEGMENT_GROUP,
    KITH_I_SEGMENT_NEWS,
    KITH_I_SEGMENT_LAST,
    KITH_I_SEGMENT_FIND,
    KITH_I_SEGMENT_DROP,
    KITH_I_ANSWER_ADD,
    KITH_I_ANSWER_GET,
    KITH_I_ANSWER_ALL,
    KITH_I_AGAIN_ADD,
    KITH_I_AGAIN_GET,
    KITH_I_RESULT_ADD,
    KITH_I_RESULT_GET,
    KITH_I_COUNTER_ADD,
    KITH_I_COUNTER_ALL,
    KITH_I_INVITATION_SPEND,
    KITH_I_INVITATION_GET,
    KITH_I_EVENT_ADD,
    KITH_I_EVENT_ALL,
    KITH_I_STATEMENTS
} kith_i_statement;

/* With ?1, ?2, ... for parameters. */
const char *kith_i_statement_text(kith_i_statement statement);

/* The tables of this version, @IDENTITY@ for a column that numbers rows. */
#define KITH_I_SCHEMA "1"
const char *kith_i_schema_text(void);

#endif
