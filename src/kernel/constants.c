/* constants.c: constants that loops load from memory, see splat_from. They are in a separate file because a compiler
 * that knew their values would inline them into the loops. */
#include "activation.h"

const struct words WORDS = {
    .float16_shift = 1 << 13,
    .float16_bits = 0x8fffe000,
    .low_bytes = 0x00ff00ff,
    .high_nibbles = 0x00f000f0,
    .low_nibbles = 0x000f000f,
    .ones = 0x00010001,
    .high_halves = 0xffff0000,
    .rounding = 0x4b400000, /* 1.5 * 2^23 */
    .ten_bits = 0x03ff03ff,
    .twelve_bits = 0x0fff0fff,
    .high_five = 0x03e003e0,
    .high_six = 0x0fc00fc0,
    .bits_6_to_9 = 0x03c003c0,
    .bits_6_to_7 = 0x00c000c0,
    .bits_8_to_9 = 0x03000300,
    .bits_8_to_11 = 0x0f000f00,
};

const struct power2 stored_power2 = POWER2;

const struct tail stored_tail = {
    .most = 1e18f,
    .c1 = 0.052075934f,
    .c2 = 0.022070533f,
    .c3 = 0.0034401272f,
    .c4 = 1.9634072e-5f,
    .c5 = 6.150421e-5f,
    .c6 = 3.5526023e-6f,
    .c9 = 8.8453715e-9f,
    .first = 2.0885475f,
    .second = 2.1810155f,
    .third = 2.3784142f,
    .root2 = 1.4142135f,
};
