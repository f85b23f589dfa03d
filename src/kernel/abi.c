/* abi.c: which version this is, and where the caller's memory begins. */
#include "qkv.h"

uint32_t QKV_EXPORT(qkv_abi)(void) { return QKV_ABI; }

extern unsigned char __heap_base; /* set by the linker: the end of stack and constants */
void *QKV_EXPORT(qkv_heap)(void) { return &__heap_base; }
