// Heads of a trained model: what they read and their weights, which the session has read from the model.

/** @type {import('./index.js').Start} */
export const trained = (_, { given = {} }) => ({ tensors: given })
