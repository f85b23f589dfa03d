/* constants.c: the constants of loops, see splat_from. They are in a separate file, because a compiler that knows
 * their values writes them into the loops. */
#include "exp.h"

const struct words WORDS = {
    .float16_shift = 1 << 13,
    .float16_bits = 0x8fffe000,
    .low_bytes = 0x00ff00ff,
    .high_nibbles = 0x00f000f0,
    .low_nibbles = 0x000f000f,
    .ones = 0x00010001,
    .high_halves = 0xffff0000,
    .rounding = 0x4b400000, /* 1.5 * 2^23 */
};

const struct power2 stored_power2 = POWER2;
