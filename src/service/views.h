/* Small parts of views.c that others need. */
#ifndef KITH_VIEWS_H
#define KITH_VIEWS_H

#include "service_i.h"

/* Two columns of text into char *[2]: kith_i_free. */
kith_i_row_fn kith_i_read_text;

#endif
