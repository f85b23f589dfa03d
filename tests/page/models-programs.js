// Reads the recorded programs of the room "Models", for their test and for tests/goldens/make-programs.js.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readChanges } from '../../web/attention-head/changes.js'
import { nodeProgram } from '../../web/rooms/models/programs/node.js'
import { pytorchProgram } from '../../web/rooms/models/programs/pytorch.js'

/**
 * A recorded program. `model` is a golden checkpoint, `changes` are as in a link, `task` is the program's input. `before` and `after` the changes,
 * it prints ids with their probabilities.
 * @typedef {object} Case
 * @property {string} model
 * @property {string} changes
 * @property {Omit<import('../../web/rooms/models/programs/node.js').Task, 'changes'>} task
 * @property {[id: number, probability: number][]} before
 * @property {[id: number, probability: number][]} after
 * @property {{ node: string, pytorch: string }} digests of the programs' texts
 */

export const FOLDER = new URL('../goldens/programs/', import.meta.url)
/** @type {Case[]} */
export const CASES = JSON.parse(readFileSync(new URL('cases.json', FOLDER), 'utf8'))
/** Programs whose texts are stored in full, for readers: those with all kinds of changes. Of the others only digests are stored. */
export const READABLE = ['gpt2-tiny', 'bert-tiny', 'marian-tiny'].map(model => ({
  model,
  index: CASES.map(each => each.model).lastIndexOf(model),
}))

/** @param {Case} each */
export function programsOf({ task, changes }) {
  const whole = { ...task, changes: readChanges(changes) }
  return { node: nodeProgram(whole), pytorch: pytorchProgram(whole) }
}

/** @param {string} text */
export const digestOf = text => createHash('sha256').update(text).digest('hex').slice(0, 16)

/** Parses the output of a program: its rows before the changes, then those after them. @param {string} printed @returns {[id: number, probability: number][][]} */
export const rowsIn = printed =>
  printed
    .split(/^(?:before|after)$/m)
    .slice(1)
    .map(part => Array.from(part.matchAll(/^(\d+) (\d\.\d+)/gm), ([, id, share]) => [Number(id), Number(share)]))
