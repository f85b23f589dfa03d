/**
 * A registry of objects whose memory is freed when they are collected. Engines without FinalizationRegistry, such as workerd
 * of early 2025, get one that never calls back: there only dispose() frees.
 * @template T
 * @param {(held: T) => void} free
 * @returns {Pick<FinalizationRegistry<T>, 'register' | 'unregister'>}
 */
export const whenCollected = free =>
  typeof FinalizationRegistry === 'function'
    ? new FinalizationRegistry(free)
    : { register: () => {}, unregister: () => false }
