import { html } from 'lit'
import { partTexts } from './folded.js'

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

/** Returns a regular expression that matches every term of the glossary in the language of t. @param {Translate} t */
function patternOf(t) {
  const known = patterns.get(t)
  if (known) return known
  const words = TERMS.map(term => `(?<${term}>${t(`term.${term}`)})`).join('|')
  const pattern = new RegExp(t('htmlLang') === 'en' ? `\\b(?:${words})\\b` : words, 'giu')
  patterns.set(t, pattern)
  return pattern
}

/** @param {Event & { currentTarget: HTMLElement }} event @param {boolean} isOpen */
function open({ currentTarget: button }, isOpen) {
  const note = /** @type {HTMLElement} */ (button.nextElementSibling)
  note.hidden = !isOpen
  button.setAttribute('aria-expanded', String(isOpen))
  return note
}

/** @param {Event & { currentTarget: HTMLElement }} event */
const close = event => open(event, false)

/** Opens or closes an explanation, which is loaded on the first press. @param {Translate} t @param {typeof TERMS[number]} term */
const toggle = (t, term) => (/** @type {Event & { currentTarget: HTMLElement }} */ event) => {
  const button = event.currentTarget
  const note = open(event, button.getAttribute('aria-expanded') !== 'true')
  const texts = partTexts(t)
  const fill = () => {
    note.textContent = texts.module?.(`glossary.${term}`) ?? ''
    // Align the note with its term, or shift it left to fit the column.
    note.style.left = ''
    const right = (/** @type {string} */ part) => Number(note.closest(part)?.getBoundingClientRect().right)
    note.style.left = `${Math.min(0, right('.panel, body') - right('*') - 8)}px`
  }
  if (texts.module) fill()
  else texts.ask(fill)
}

/**
 * Makes glossary terms in a text open their explanation in place, each at its first occurrence.
 * @param {Translate} t
 * @param {string} text
 * @param {Set<string>} [seen] terms that earlier texts explain; the terms of this text are added
 */
export function withTerms(t, text, seen = new Set()) {
  const parts = []
  let from = 0
  for (const match of text.matchAll(patternOf(t))) {
    const term = TERMS.find(name => match.groups?.[name])
    if (!term || seen.has(term)) continue
    seen.add(term)
    parts.push(
      text.slice(from, match.index),
      html`<span class="term" data-term=${term}><button type="button" aria-expanded="false" @click=${toggle(t, term)}
        @blur=${close}>${match[0]}</button><span class="term-text" role="note" hidden></span></span>`,
    )
    from = match.index + match[0].length
  }
  return [...parts, text.slice(from)]
}
