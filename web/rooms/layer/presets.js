// Named settings. To add one, add a line here and its texts `preset.NAME` and `preset.NAME.note` in the language files.

import { namesIn } from '../../shell/known.js'
import { DEFAULTS } from './fields.js'
import { TRAINED } from './limits.js'
import { change, signature } from './settings.js'

/** @import { Settings } from './layer.js' */
/** @typedef {keyof typeof PRESETS} PresetId */
/** @typedef {'' | '000' | '001' | '002' | '003' | '004'} Document */

/**
 * Links to a trained head in "Models": for a translation, the head that aligns its words; else a head that attends from "he" to the name
 * that it refers to.
 * @param {Pick<Settings, 'kind'>} settings
 */
export const trainedLink = ({ kind }) =>
  `#2&room=models&models.checkpoint=${kind === 'cross' ? 'translation&models.at=c1.1' : 'stories&models.prompt=Lily+and+Tom+are+friends+.+Is+he&models.at=1.2'}`

/** Links to a head of the shipped model in "Models". @param {string} sentence @param {string} head */
export const shippedLink = (sentence, head) =>
  `#2&${new URLSearchParams({ room: 'models', 'models.checkpoint': TRAINED.name, 'models.prompt': sentence, 'models.at': head })}`

/** Links to "Learn", where the reader can train heads; for a translation, to its task "Translation". @param {Pick<Settings, 'kind'>} settings */
export const trainingLink = ({ kind }) => `#2&room=learn${kind === 'cross' ? '&learn.task=translation' : ''}`

const LIFE = 'Life is short, eat dessert first'
/** Sixty words. */
const SIXTY = [
  'A batch is a stack of texts of equal length. All pass through the layer at once, none can see another.',
  'Within its own text each word asks all others what they hold, takes a share of every answer,',
  'and becomes a row of five hundred and twelve numbers, so that sixty rows go in and sixty rows come out.',
].join(' ')
/** @param {number[]} dims @param {number[]} data */
const tensor = (dims, data) => ({ dims, data })

/**
 * @satisfies {Record<string, { document: Document, patch: Partial<Settings> }>}
 */
export const PRESETS = {
  heads: { document: '001', patch: {} },
  self: { document: '001', patch: { heads: 1, dValue: 4 } },
  causal: { document: '001', patch: { heads: 1, dValue: 4, mask: 'causal' } },
  cross: {
    document: '001',
    patch: { heads: 1, dValue: 4, kind: 'cross', keysFrom: 'random', sentence: LIFE, second: '1 2 3 4 5 6 7 8' },
  },
  embedding: {
    document: '000',
    patch: {
      sentence: 'Life is short, less is more.',
      dModel: 16,
      dKey: 8,
      dValue: 12,
      heads: 1,
      tableRows: 6,
      draw: 'continue',
    },
  },
  layer: { document: '002', patch: { model: 'multihead', sentence: SIXTY, batch: 10, dModel: 512, heads: 8 } },
  translation: {
    document: '003',
    patch: {
      kind: 'cross',
      tokenizer: 'segments',
      sentence: 'an autonomous driving solution',
      second: '一套自动驾驶解决方案',
      model: 'multihead',
      dModel: 8,
      heads: 2,
    },
  },
  handBuilt: {
    document: '',
    patch: {
      model: 'handBuilt',
      sentence: 'the cat sat and the cat slept',
      mask: 'causal',
      score: 'plain',
      heads: 5,
      head: 3,
    },
  },
  trained: {
    document: '',
    patch: {
      model: 'trained',
      sentence: 'The little dog ran to the big house',
      kind: 'self',
      layer: 2,
      head: 2,
      mask: 'causal',
      masking: 'before',
      score: 'scaled',
      scale: null,
      softmaxAxis: 'keys',
      positions: 'rotary',
      painted: [],
    },
  },
  waistline: {
    document: '004',
    patch: {
      model: 'imported',
      sentence: '62',
      second: '68 60 64',
      score: 'gaussian',
      imported: { q: tensor([1, 1], [62]), k: tensor([3, 1], [68, 60, 64]), v: tensor([3, 1], [126, 110, 115]) },
    },
  },
}

/**
 * @param {PresetId} id
 * @returns {Settings}
 */
export const settingsOf = id => change(DEFAULTS, PRESETS[id].patch)

export const PRESET_IDS = namesIn(PRESETS)

/**
 * Returns the preset that these settings equal, apart from the view.
 * @param {Settings} settings
 * @returns {PresetId | undefined}
 */
export function presetOf(settings) {
  // Ignore the probe word, which changes no number of the preset.
  const nameOf = (/** @type {Settings} */ all) => signature({ ...all, probe: null, probeWord: '' })
  const own = nameOf(settings)
  return PRESET_IDS.find(id => nameOf(settingsOf(id)) === own)
}
