/* quality_out: how far a result can be believed, as words on standard error.
 * From released values only. */
#ifndef KITH_TOOL_QUALITY_OUT_H
#define KITH_TOOL_QUALITY_OUT_H

#include <kith/kith.h>

/* Print what a result is expected to cost, if that is known. */
void quality_tell(const kith_result *result);

/* Print what people should know. from: has the names of the features; or
 * NULL. With strict, a result that is not good is a failure. Exit code. */
int quality_warn(const kith_result *result, const kith_source_options *from,
                 int strict);

#endif
