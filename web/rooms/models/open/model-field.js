// The field "Model": a name on the hub, an address, or a model of the list that opens below it while the reader types.

import { html, nothing } from 'lit'
import { live } from 'lit/directives/live.js'
import { textsLater } from '../../../shell/texts-later.js'
import { requestOf, titleOf } from '../shown.js'

/** @import { Room } from '../models.js' */
/** @typedef {import('../../../shell/room.js').Translate<keyof typeof import('../../../i18n/en/gallery.js').texts>} GalleryTexts */
/** @typedef {Awaited<ReturnType<typeof withGallery>>} Gallery */

/** View state in which the field shows the open model and the list is closed. */
export const CLOSED = { typed: undefined, isListOpen: false, picked: -1 }

/** Loads the gallery with its texts. @param {Promise<GalleryTexts>} texts */
async function withGallery(texts) {
  const [module, g] = await Promise.all([import('../gallery/index.js'), texts])
  return { ...module, g }
}

/** @type {import('../../../shell/texts-later.js').Later<Gallery>} */
const galleries = textsLater(['gallery'], withGallery)

/** Returns the gallery in the language of the page; it is loaded on first use. @param {Pick<Room, 't'>} room */
export const galleryOf = ({ t }) => galleries(t('htmlLang'))

/** @param {Room} room */
export function modelField(room) {
  const { t, act, view, openModel } = room
  const { typed, isListOpen, picked } = view
  const title = titleOf(room, openModel?.name ?? requestOf(room).requested?.name ?? '')
  const gallery = galleryOf(room)
  const open = () => act.show({ isListOpen: true })
  const options = () => gallery.module?.optionsOf(room, gallery.module.g).map(({ name }) => name) ?? []
  const press = (/** @type {KeyboardEvent & { currentTarget: HTMLInputElement }} */ event) => {
    const { key, currentTarget } = event
    if (key === 'Escape' && isListOpen) {
      event.stopPropagation()
      act.show(CLOSED)
    } else if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      act.pick(key === 'ArrowDown' ? 1 : -1, options().length)
      requestAnimationFrame(() =>
        document.querySelector('#models-options .is-own')?.scrollIntoView({ block: 'nearest' }),
      )
    } else if (key === 'Enter') {
      event.preventDefault()
      const { value } = currentTarget // may be newer than the state
      const { module } = gallery
      act.enter(value === title ? '' : value, options(), module?.namedBy(room, module.g, value))
    }
  }
  const leave = (
    /** @type {FocusEvent & { currentTarget: Element, relatedTarget: Element | null }} */ {
      currentTarget,
      relatedTarget,
    },
  ) => {
    if (isListOpen && !currentTarget.contains(relatedTarget)) act.show(CLOSED)
  }
  return html`<div class="models-field" @focusout=${leave}>
      <label><span>${t('modelsModel')}</span> <input id="models-model" type="text" role="combobox" autocomplete="off"
        autocapitalize="off" spellcheck="false"
        aria-autocomplete="list" aria-expanded=${isListOpen} aria-controls="models-options"
        aria-activedescendant=${isListOpen && picked >= 0 ? `models-option-${picked}` : nothing}
        placeholder=${t('modelsNameExample')} .value=${live(typed ?? title)}
        @focus=${(/** @type {FocusEvent & { target: HTMLInputElement }} */ { target }) => target.select()}
        @click=${open} @keydown=${press}
        @input=${(/** @type {Event & { target: HTMLInputElement }} */ { target }) =>
          act.show({ typed: target.value, isListOpen: true, picked: -1 })} /></label>
      ${isListOpen ? gallery.draw(({ modelList, g }) => modelList(room, g)) : nothing}
    </div>`
}
