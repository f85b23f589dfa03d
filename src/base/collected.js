/**
 * Makes a registry of objects whose memory is freed when they are garbage-collected. Without FinalizationRegistry, as in workerd of early
 * 2025, `free` is never called, and only dispose() frees memory.
 * @template T
 * @param {(held: T) => void} free
 * @returns {Pick<FinalizationRegistry<T>, 'register' | 'unregister'>}
 */
export const whenCollected = free =>
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry(free)
    : { register: () => {}, unregister: () => false }
