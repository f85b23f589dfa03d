/* abi.c: the version of the interface, and the address at which the caller's memory begins. */
#include "qkv.h"

uint32_t QKV_EXPORT(qkv_abi)(void) { return QKV_ABI; }

extern unsigned char __heap_base; /* set by the linker: the end of stack and constants */
void *QKV_EXPORT(qkv_heap)(void) { return &__heap_base; }

/* C has no name for the stack pointer, which is a global of each wasm instance. */
void QKV_EXPORT(qkv_stack)(void *top) {
#ifdef __wasm__
  __asm__ volatile(".globaltype __stack_pointer, i32\n"
                   "local.get %0\n"
                   "global.set __stack_pointer\n" ::"r"(top));
#else
  (void)top;
#endif
}
