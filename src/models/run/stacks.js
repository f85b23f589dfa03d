// The encoder and the decoder of a family.

/** @import { AttentionSpec, Family, StackSpec } from '../family-shapes/parts.js' */

/** Returns the rotation of a layer, if there is one. @param {StackSpec} stack @param {AttentionSpec | undefined} attention */
export const ropeOf = (stack, attention) => attention?.rope ?? stack.rope

/** Returns the stack that reads the input. @param {Family} family */
export const firstStack = ({ encoder, decoder }) => encoder ?? decoder

/** Returns the stack that computes the logits. @param {Family} family */
export const lastStack = ({ encoder, decoder }) => decoder ?? encoder

/** Returns the stacks of a family, with the prefixes of their places. @param {Family} family @returns {import('./model-hooks.js').Stacks} */
export function stackNames({ encoder, decoder }) {
  const isBoth = encoder && decoder
  const named = Object.entries({ encoder, decoder })
  return named.flatMap(([name, spec]) => (spec ? [{ stack: isBoth ? `${name}.` : '', spec }] : []))
}

/** Describes the encoder and the decoder for users. @param {Family} family */
export function stacksOf({ encoder, decoder }) {
  const summary = (/** @type {StackSpec | undefined} */ stack) =>
    stack && {
      layers: stack.layers.length,
      ...stack.heads,
      causal: stack.causal,
      windows: stack.layers.map(([{ attention }]) => attention?.window),
      rope: stack.rope,
      ropes: stack.layers.map(([{ attention }]) => ropeOf(stack, attention) || undefined),
      relativeBias: Boolean(stack.relative ?? stack.disentangled ?? stack.alibi),
      alibi: stack.alibi,
      qkNorm: stack.layers[0][0].attention?.qNorm !== undefined,
    }
  return { encoder: summary(encoder), decoder: summary(decoder) }
}
