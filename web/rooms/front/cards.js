// The three cards of the front door: each links to a room and shows a picture of recorded numbers.

import { html, nothing, svg } from 'lit'
import { headName } from '../../attention-head/changes.js'
import { checked } from '../../shell/checked.js'
import { HEADS, LAYERS, NAMED, tokensOf } from './pronoun-story.js'
import { recorded } from './recorded.js'

/** @import { Context } from './front.js' */

const [WIDTH, HEIGHT] = [309, 72]
/** Link to the head that aligns words in the translation model. A test checks that "One layer" uses the same link. */
const TRANSLATION = '#2&room=models&models.checkpoint=translation&models.at=c1.1'

/**
 * Draws a square map of weights with its top left corner at (x, y).
 * @param {readonly number[]} weights
 * @param {number} x
 * @param {number} y
 * @param {number} size
 */
function map(weights, x, y, size) {
  const n = Math.sqrt(weights.length)
  const cell = size / n
  return svg`<g transform="translate(${x} ${y})">${weights.map((weight, i) =>
    weight < 0.005
      ? nothing
      : svg`<rect x=${(i % n) * cell} y=${Math.floor(i / n) * cell} width=${cell} height=${cell} fill-opacity=${weight.toFixed(3)}></rect>`,
  )}<rect class="front-frame" width=${size} height=${size}></rect></g>`
}

const layerPicture = () => map(recorded.layerMap, (WIDTH - HEIGHT) / 2, 0, HEIGHT)

/** Draws the recorded accuracy of the run in "Learn", from the first step to the last. */
function learnPicture() {
  const { accuracy } = recorded.curve
  const points = accuracy.map(
    (value, i) => `${((i / (accuracy.length - 1)) * WIDTH).toFixed(1)},${((1 - value) * (HEIGHT - 4) + 2).toFixed(1)}`,
  )
  return svg`<polyline points=${points.join(' ')}></polyline>`
}

/** Draws the maps of all heads of the stories model, layer by layer. */
function modelPicture() {
  const size = 46
  const gap = (WIDTH - LAYERS * HEADS * size) / (LAYERS * HEADS - 1)
  return recorded.modelMaps.map((weights, i) => map(weights, i * (size + gap), (HEIGHT - size) / 2, size))
}

/** @param {string} href @param {string} id @param {string} title @param {string} text @param {unknown} picture */
const card = (href, id, title, text, picture) =>
  html`<a class="front-card" id=${id} href=${href}>
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">${picture}</svg>
    <strong>${title}</strong> <span>${text}</span></a>`

/** Returns a link to "Models", where the English model reads a text. @param {string} text */
export const ownSentence = text =>
  `#2&${new URLSearchParams({ room: 'models', 'models.checkpoint': 'english', 'models.prompt': text })}`

/**
 * Returns a link to "Models" with the story of the settings. The heads that are off here are off there, too. The link opens the map of the
 * head that finds the name; with `row`, it also selects the largest weight of the pronoun.
 * @param {Context['settings']} settings
 * @param {readonly number[]} [row] attention of the pronoun on each token
 */
export function thisStory(settings, row) {
  const named = NAMED[settings.pronoun]
  const changes = Array.from({ length: LAYERS * HEADS }, (_, i) => ({ layer: Math.floor(i / HEADS), head: i % HEADS }))
    .filter(({ layer, head }) => !(layer === named.layer && head === named.head ? settings.isOn : settings.othersOn))
    .map(at => `${headName(at)}=0`)
  const tokens = tokensOf(settings)
  const text = tokens.slice(1).join(' ')
  const cell = row ? `:${tokens.length}>${row.indexOf(Math.max(...row)) + 1}` : ''
  const parts = new URLSearchParams({
    room: 'models',
    'models.checkpoint': 'stories',
    'models.prompt': text,
    'models.at': `${headName(named)}${cell}`,
  })
  if (changes.length) parts.set('models.changes', changes.join(' '))
  return `#2&${parts}`
}

/** Listener that scrolls a <details> into view when it opens, since it may be at the bottom of the window. */
const intoSight = {
  handleEvent: (/** @type {Event & { target: Element }} */ { target }) => target.scrollIntoView({ block: 'nearest' }),
  capture: true, // toggle events do not bubble
}

/** @param {Context} context */
export const cards = ({ t }) =>
  html`<nav class="front-cards" aria-label=${t('frontCards')}>
    ${card('#2&view=flow', 'front-to-layer', t('frontLayer'), t('frontLayerText'), layerPicture())}
    ${card('#2&room=learn', 'front-to-learn', t('frontLearn'), t('frontLearnText', { steps: recorded.curve.steps }), learnPicture())}
    ${card('#2&room=models&models.list=true', 'front-to-models', t('frontModels'), t('frontModelsText'), modelPicture())}
  </nav>
  <div class="front-links" @toggle=${intoSight}><a id="front-to-exercises" href="#2&room=exercises">${t('frontExercises')}</a>
    <a href="#2&room=exercises&exercises.part=teachers">${t('frontTeachers')}</a>
    <a id="front-to-translation" href=${TRANSLATION}>${t('frontTranslation')}</a>
    ${checked({ t })}</div>`
