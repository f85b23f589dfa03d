import { html, nothing } from 'lit'
import { ALL } from './signs.js'

/**
 * Draws the buttons below a map.
 * @param {object} given
 * @param {boolean} given.asTable
 * @param {number | undefined} given.zoom undefined if the map cannot zoom
 * @param {(key: keyof typeof import('./all-texts.js').texts, values?: Record<string, string | number>) => string} given.say
 * @param {(factor: number) => void} given.scale 0 shows everything
 * @param {() => void} given.turn toggles between map and table
 * @returns {unknown}
 */
export function tools({ asTable, zoom, say, scale, turn }) {
  const button = (
    /** @type {unknown} */ sign,
    /** @type {'zoomIn' | 'zoomOut' | 'zoomAll'} */ key,
    /** @type {number} */ factor,
    isOff = false,
  ) =>
    html`<button type="button" aria-label=${say(key)} title=${say(key)} ?disabled=${isOff} @click=${() => scale(factor)}>${sign}</button>`
  return html`<div class="tools" part="tools">
    ${
      zoom === undefined
        ? nothing
        : [button('−', 'zoomOut', 1 / 1.5, zoom <= 1), button('+', 'zoomIn', 1.5), button(ALL, 'zoomAll', 0, zoom <= 1)]
    }
    <button type="button" aria-pressed=${asTable} @click=${turn}>${say('asTable')}</button>
    <span class="labels quiet"></span>
  </div>`
}
