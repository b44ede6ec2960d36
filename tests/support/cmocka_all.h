/* cmocka wants these before itself. */
#ifndef KITH_CMOCKA_ALL_H
#define KITH_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif
