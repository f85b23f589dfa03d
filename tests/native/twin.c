/* twin.c: the kernels as a Node addon with the exports of the wasm, so that the JavaScript layer and its tests run over
 * native code under the sanitizers. Offsets into the arena replace the 32-bit addresses of the wasm. border.js makes
 * border.h from qkv.h: a wrapper and an entry in `kernels` for each function. */
#include "qkv.h"
#include <node_api.h>
#include <sanitizer/asan_interface.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define RESERVED ((size_t)1 << 32)

struct arena {
  uint8_t *base;
  size_t size;
};

int engine_bytes = 0;      /* see wasm_simd128.h */
unsigned char __heap_base; /* set by the linker in the wasm; here heap() replaces it */

static void *at(const struct arena *arena, uint32_t offset) { return offset ? arena->base + offset : 0; }

/* Reads the numbers of a call; returns the arena. */
static struct arena *arguments(napi_env env, napi_callback_info info, double *numbers, size_t most) {
  napi_value values[16];
  size_t count = most;
  void *arena = 0;
  if (napi_get_cb_info(env, info, &count, values, 0, &arena) != napi_ok)
    abort();
  for (size_t n = 0; n < most; n++)
    if (n >= count || napi_get_value_double(env, values[n], numbers + n) != napi_ok)
      abort();
  return arena;
}

static napi_value number(napi_env env, double value) {
  napi_value result;
  napi_create_double(env, value, &result);
  return result;
}

static uint32_t word(double x) { return (uint32_t)(int64_t)x; }

struct kernel {
  const char *name;
  napi_callback call;
};
#include "border.h"

/* heap(): returns the offset at which the arena's free memory starts. In the wasm, it is the end of the data. */
static napi_value heap(napi_env env, napi_callback_info info) {
  arguments(env, info, 0, 0);
  return number(env, 1024);
}

/* buffer(size): returns the first bytes of the arena. */
static napi_value buffer(napi_env env, napi_callback_info info) {
  double size;
  struct arena *arena = arguments(env, info, &size, 1);
  napi_value result;
  if (mprotect(arena->base, (size_t)size, PROT_READ | PROT_WRITE) != 0 ||
      napi_create_external_arraybuffer(env, arena->base, (size_t)size, 0, 0, &result) != napi_ok)
    abort();
  arena->size = (size_t)size;
  return result;
}

/* detach(buffer): detaches a buffer, as growing the memory does. */
static napi_value detach(napi_env env, napi_callback_info info) {
  napi_value old;
  size_t count = 1;
  if (napi_get_cb_info(env, info, &count, &old, 0, 0) != napi_ok || napi_detach_arraybuffer(env, old) != napi_ok)
    abort();
  return 0;
}

/* poison(from, to), unpoison(from, to): the sanitizer stops a kernel that reads or writes poisoned bytes. */
static napi_value poison(napi_env env, napi_callback_info info) {
  double range[2];
  struct arena *arena = arguments(env, info, range, 2);
  ASAN_POISON_MEMORY_REGION(arena->base + (size_t)range[0], (size_t)(range[1] - range[0]));
  return 0;
}
static napi_value unpoison(napi_env env, napi_callback_info info) {
  double range[2];
  struct arena *arena = arguments(env, info, range, 2);
  ASAN_UNPOISON_MEMORY_REGION(arena->base + (size_t)range[0], (size_t)(range[1] - range[0]));
  return 0;
}

static void add(napi_env env, napi_value object, const char *name, napi_callback call, struct arena *arena) {
  napi_value function;
  napi_create_function(env, name, NAPI_AUTO_LENGTH, call, arena, &function);
  napi_set_named_property(env, object, name, function);
}

/* create(): returns the functions over a separate arena. */
static napi_value create(napi_env env, napi_callback_info info) {
  (void)info;
  struct arena *arena = malloc(sizeof *arena); /* kept until the process ends */
  *arena = (struct arena){mmap(0, RESERVED, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0), 0};
  if (arena->base == MAP_FAILED)
    abort();
  napi_value object;
  napi_create_object(env, &object);
  for (size_t n = 0; n < sizeof kernels / sizeof *kernels; n++)
    add(env, object, kernels[n].name, kernels[n].call, arena);
  add(env, object, "qkv_heap", heap, arena);
  add(env, object, "buffer", buffer, arena);
  add(env, object, "detach", detach, arena);
  add(env, object, "poison", poison, arena);
  add(env, object, "unpoison", unpoison, arena);
  return object;
}

NAPI_MODULE_INIT() {
  add(env, exports, "create", create, 0);
  return exports;
}
