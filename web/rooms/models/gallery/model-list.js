// The list below the field "Model": shipped, opened, cached and gallery models. Below the list: the cached files with their sizes, and what
// data the reader reveals to the hub.

import { html, nothing } from 'lit'
import { SHIPPED } from '../../../files/shipped-models.js'
import { shown } from '../../../shell/slots.js'
import { idOf, isOfHub, meantBy, megabytes } from '../open/sources.js'
import { titleOf } from '../shown.js'
import { GALLERY } from './gallery.js'

/** @import { Room } from '../models.js' */
/** @import { GalleryTexts } from '../open/model-field.js' */
/**
 * @typedef {object} Option
 * @property {string} group title of the group
 * @property {string} name name of the model to open
 * @property {string} title
 * @property {string} note
 */

/** @type {import('./gallery.js').GalleryModel['group'][]} */
const GROUPS = ['first', 'language', 'encoder', 'translation']

/**
 * Returns the typed text as an option, if it could be a hub name or an address.
 * @param {string} typed
 * @param {GalleryTexts} g
 * @returns {Option[]}
 */
function typedOption(typed, g) {
  const { hub, address } = meantBy(typed)
  const group = g('galleryGroup.typed')
  if (hub) return [{ group, name: hub, title: idOf(hub), note: g('galleryOnHub') }]
  return address ? [{ group, name: address, title: address, note: g('galleryAddress') }] : []
}

/** Normalises a name as people type it: lower case, letters and digits only. @param {string} text */
const plain = text => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '')

/** Returns the typed names that refer to an entry: its title, and its hub name with and without the owner. @param {Option} option */
const namesOf = ({ name, title }) => [plain(title), plain(idOf(name)), plain(idOf(name).split('/').at(-1) ?? '')]

/** Returns the edit distance between two names. @param {string} a @param {string} b */
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next[j] = Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1]))
    row = next
  }
  return row[b.length]
}

/**
 * Returns the three entries whose names are nearest to the typed text.
 * @param {readonly Option[]} all
 * @param {string} typed
 * @param {GalleryTexts} g
 */
function nearest(all, typed, g) {
  const far = (/** @type {Option} */ option) =>
    Math.min(...namesOf(option).map(name => distance(plain(typed), name) / Math.max(1, name.length)))
  const sorted = [...all].sort((a, b) => far(a) - far(b))
  return sorted.slice(0, 3).map(option => ({ ...option, group: g('galleryGroup.nearest') }))
}

/**
 * Returns the name of the entry that a typed text such as "gpt2", "GPT-2 small" or "tinystories" refers to. An exact match is preferred to
 * a prefix match.
 * @param {Pick<Room, 't' | 'view' | 'got'>} room
 * @param {GalleryTexts} g
 * @param {string} text
 * @returns {string | undefined}
 */
export function namedBy(room, g, text) {
  const key = plain(text)
  const all = optionsOf({ ...room, view: { ...room.view, typed: '' } }, g)
  const whole = all.find(option => namesOf(option).includes(key))
  const begun = key.length > 2 && all.find(option => namesOf(option).some(name => name.startsWith(key)))
  return (whole || begun || undefined)?.name
}

/**
 * Lists the models that match the typed text, in the order of the list.
 * @param {Pick<Room, 't' | 'view' | 'got'>} room
 * @param {GalleryTexts} g
 * @returns {Option[]}
 */
export function optionsOf({ t, view, got }, g) {
  const { imported, typed = '' } = view
  const shipped = SHIPPED.map(({ name }) => name)
  const here = [...shipped, ...Object.keys(imported)]
  const kept = shown(got.kept) ?? []
  /** @type {Option[]} */
  const all = [
    ...here.map(name => ({
      group: g('galleryGroup.here'),
      name,
      title: titleOf({ t }, name),
      note: shipped.includes(name) ? g(`galleryHere.${/** @type {'stories'} */ (name)}`) : '',
    })),
    ...kept
      .filter(({ id }) => !here.some(name => isOfHub(name) && idOf(name) === id))
      .map(({ id, commit, bytes }) => ({
        group: g('galleryGroup.kept'),
        name: `hf:${id}@${commit}`,
        title: id,
        note: megabytes(bytes),
      })),
    ...GROUPS.flatMap(group =>
      GALLERY.filter(each => each.group === group).map(({ name, title, download, memory, license, what }) => ({
        group: g(`galleryGroup.${group}`),
        name,
        title,
        note: g('galleryNote', {
          id: idOf(name),
          download: megabytes(download),
          memory: megabytes(memory),
          license: license || g('galleryNoLicense'),
          what: g(what),
        }),
      })),
    ),
  ]
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const key = plain(typed)
  const found = all.filter(
    option =>
      words.every(word => `${option.title} ${option.note} ${option.group}`.toLowerCase().includes(word)) ||
      (key && namesOf(option).some(name => name.includes(key))),
  )
  const isListed = found.some(({ name }) => isOfHub(name) && `hf:${idOf(name)}` === meantBy(typed).hub)
  const own = typedOption(typed, g)
  if (isListed) return found
  const bare = plain(typed.split('/').at(-1) ?? '')
  // Offer models of the same name by another owner: gpt2 for openai/gpt2.
  if (own.length && !found.length) return [...own, ...all.filter(option => namesOf(option).at(-1) === bare)]
  return found.length || own.length || !key ? [...own, ...found] : nearest(all, typed, g)
}

/** @param {Room} room @param {GalleryTexts} g */
export function modelList(room, g) {
  const { act, view, got } = room
  const options = optionsOf(room, g)
  const groups = [...new Set(options.map(({ group }) => group))]
  const kept = shown(got.kept) ?? []
  const sum = kept.reduce((total, { bytes }) => total + bytes, 0)
  return html`<div class="menu-list models-list-panel">
    <div id="models-options" class="models-options" role="listbox" aria-label=${g('galleryLabel')} tabindex="-1">${groups.map(
      group =>
        html`<div role="group" aria-label=${group}><h3 aria-hidden="true">${group}</h3>${options.map((option, n) =>
          option.group === group
            ? html`<div class="models-option ${n === view.picked ? 'is-own' : ''}" role="option" id="models-option-${n}"
              aria-selected=${n === view.picked} data-name=${option.name}
              @pointerdown=${(/** @type {Event} */ event) => event.preventDefault()}
              @click=${() => act.openTyped(option.name)}><b>${option.title}</b>${
                option.note ? html` <small>${option.note}</small>` : nothing
              }</div>`
            : nothing,
        )}</div>`,
    )}${options.length ? nothing : html`<p class="note">${g('galleryNone')}</p>`}</div>
    <p class="note"
      id="models-own">${g('galleryOwn')}<br /><code>model.save_pretrained('mine'); tokenizer.save_pretrained('mine')</code></p>
    <p class="note" id="models-privacy">${g('galleryPrivacy')}</p>
    ${
      kept.length
        ? html`<section class="models-kept"
          aria-label=${g('galleryKept')}><p><b>${g('galleryKeptSum', { count: kept.length, size: megabytes(sum) })}</b></p>
          <ul>${kept.map(
            ({ id, commit, bytes }) =>
              html`<li><span>${id}</span> <span>${megabytes(bytes)}</span> <button type="button" class="tool"
                data-drop=${id} aria-label=${g('galleryDrop', { name: id })}
                @click=${() => act.drop(`hf:${id}@${commit}`)}>${g('galleryDelete')}</button></li>`,
          )}</ul></section>`
        : nothing
    }
  </div>`
}
