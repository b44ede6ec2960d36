/* 128-bit integers, named once so that -Wpedantic stays quiet. */
#ifndef KITH_WIDE_H
#define KITH_WIDE_H

__extension__ typedef unsigned __int128 kith_i_u128;
__extension__ typedef __int128 kith_i_i128;

#endif
