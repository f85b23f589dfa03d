import { html } from 'lit'

/** @import { Translate } from '../../../i18n/index.js' */

/** The terms of the glossary. */
const TERMS = /** @type {const} */ ([
  'query',
  'key',
  'value',
  'head',
  'score',
  'softmax',
  'mask',
  'weight',
  'entropy',
  'embedding',
  'logit',
  'gradient',
])

/** @type {WeakMap<Translate, RegExp>} */
const patterns = new WeakMap()

/** Every term of a language, as it is written in its texts. @param {Translate} t */
function patternOf(t) {
  const known = patterns.get(t)
  if (known) return known
  const words = TERMS.map(term => `(?<${term}>${t(`term.${term}`)})`).join('|')
  const pattern = new RegExp(t('htmlLang') === 'en' ? `\\b(?:${words})\\b` : words, 'giu')
  patterns.set(t, pattern)
  return pattern
}

/** @param {Event} event @param {boolean} [isOpen] */
function toggle({ currentTarget }, isOpen) {
  const button = /** @type {HTMLElement} */ (currentTarget)
  const text = /** @type {HTMLElement} */ (button.nextElementSibling)
  text.hidden = typeof isOpen === 'boolean' ? !isOpen : !text.hidden
  button.setAttribute('aria-expanded', String(!text.hidden))
}

/** @param {Event} event */
const close = event => toggle(event, false)

/**
 * A text whose terms open their explanation where they stand, each at its first occurrence.
 * @param {Translate} t
 * @param {string} text
 * @param {Set<string>} [seen] those that were explained before
 */
export function withTerms(t, text, seen = new Set()) {
  const parts = []
  let from = 0
  for (const match of text.matchAll(patternOf(t))) {
    const term = TERMS.find(name => match.groups?.[name])
    if (!term || seen.has(term)) continue
    seen.add(term)
    parts.push(text.slice(from, match.index))
    parts.push(
      html`<span class="term" data-term=${term}><button type="button" aria-expanded="false" @click=${toggle} @blur=${close}>${match[0]}</button><span class="term-text" role="note" hidden>${t(`glossary.${term}`)}</span></span>`,
    )
    from = match.index + match[0].length
  }
  return [...parts, text.slice(from)]
}
