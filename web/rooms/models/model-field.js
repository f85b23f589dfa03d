// The field "Model": a name on the hub, an address, or a model of the list, which opens below it while the reader types.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { languageFor, loadTexts } from '../../i18n/index.js'
import { later } from '../../shell/later.js'
import { requestOf } from './shown.js'
import { idOf, isOfHub } from './sources.js'

/** @typedef {import('./models.js').Room} Room */
/** @typedef {import('../../shell/room.js').Translate<keyof typeof import('../../i18n/en/gallery.js').texts>} GalleryTexts */
/** @typedef {Awaited<ReturnType<typeof load>>} Gallery */

/** The gallery with its texts. @param {import('../../i18n/index.js').Language} language */
async function load(language) {
  const [module, texts] = await Promise.all([import('./gallery/index.js'), loadTexts(language, ['gallery'])])
  return { ...module, g: /** @type {GalleryTexts} */ (/** @type {unknown} */ (texts)) }
}

/** By language. @type {Map<string, ReturnType<typeof later<Gallery>>>} */
const galleries = new Map()

/** The gallery in the language of the page, loaded when it is drawn. @param {Pick<Room, 't'>} room */
export function galleryOf({ t }) {
  const language = languageFor(t('htmlLang'))
  const found = galleries.get(language) ?? later(() => load(language))
  galleries.set(language, found)
  return found
}

/** What a model is called on the page. @param {Pick<Room, 't'>} room @param {string} name */
export function titleOf({ t }, name) {
  if (name === 'stories' || name === 'translation') return t(`modelsShipped.${name}`)
  return isOfHub(name) ? idOf(name) : name.split('~')[0]
}

/** @param {Room} room */
export function modelField(room) {
  const { t, act, view, openModel } = room
  const { typed, isListOpen, picked } = view
  const name = openModel?.name ?? requestOf(room).requested?.name ?? ''
  const gallery = galleryOf(room)
  const open = () => act.show({ isListOpen: true })
  const press = (/** @type {KeyboardEvent} */ event) => {
    const { key } = event
    if (key === 'Escape' && isListOpen) {
      event.stopPropagation()
      act.show({ typed: undefined, isListOpen: false, picked: -1 })
    } else if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      if (!isListOpen) return open()
      const count = gallery.module?.optionsOf(room, gallery.module.g).length ?? 0
      const next = key === 'ArrowDown' ? picked + 1 : (picked < 0 ? count : picked) - 1
      if (count) act.show({ picked: (next + count) % count })
      requestAnimationFrame(() =>
        document.querySelector('#models-options .is-own')?.scrollIntoView({ block: 'nearest' }),
      )
    } else if (key === 'Enter') {
      event.preventDefault()
      const chosen = isListOpen ? gallery.module?.optionsOf(room, gallery.module.g)[picked] : undefined
      const text = chosen?.name ?? typed ?? ''
      if (text.trim()) act.openTyped(text)
    }
  }
  const leave = (/** @type {FocusEvent & { currentTarget: Element }} */ { currentTarget, relatedTarget }) => {
    if (isListOpen && !currentTarget.contains(/** @type {Node | null} */ (relatedTarget)))
      act.show({ typed: undefined, isListOpen: false, picked: -1 })
  }
  return html`<div class="models-field" @focusout=${leave}>
      <label>${t('modelsModel')} <input id="models-model" type="text" role="combobox" autocomplete="off" autocapitalize="off" spellcheck="false"
        aria-autocomplete="list" aria-expanded=${isListOpen} aria-controls="models-options"
        aria-activedescendant=${isListOpen && picked >= 0 ? `models-option-${picked}` : nothing}
        placeholder=${t('modelsNameOrAddress')} .value=${live(typed ?? titleOf(room, name))}
        @focus=${(/** @type {FocusEvent & { target: HTMLInputElement }} */ { target }) => target.select()}
        @click=${open} @keydown=${press}
        @input=${(/** @type {Event & { target: HTMLInputElement }} */ { target }) => act.show({ typed: target.value, isListOpen: true, picked: -1 })} /></label>
      ${isListOpen ? gallery.draw(({ modelList, g }) => modelList(room, g)) : nothing}
    </div>`
}
