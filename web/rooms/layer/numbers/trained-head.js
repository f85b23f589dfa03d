// Heads of a trained model: their inputs and weights, which the session has read from the model.

/** @type {import('./index.js').Start} */
export const trained = (_, { given = {} }) => ({ tensors: given })
