// What One layer adds to the header: the questions of the tour; in the menu, the way to import and export.

import { html } from 'lit'
import { closeMenu, menu, menuItem } from '../../../shell/menu.js'
import { STOPS } from '../explain/tour.js'

/** @import { LayerContext } from '../layer.js' */

/** @param {LayerContext} context */
export const tools = ({ t, settings, act }) =>
  menu(
    { id: 'tour-start', label: t('tour') },
    html`<div role="group" aria-label=${t('tour')}>${STOPS.map(
      ({ id }, i) =>
        html`<button
          type="button"
          data-tour-stop=${i + 1}
          aria-pressed=${settings.tour === i + 1}
          @click=${(/** @type {Event & { target: Element }} */ { target }) => {
            closeMenu(target)
            act.setTour(i + 1)
          }}
        >${t(/** @type {import('../../../i18n/index.js').Key} */ (`tour.${id}.question`))}</button>`,
    )}</div>`,
  )

/** @param {LayerContext} context */
export const more = ({ t, act }) =>
  html`${menuItem('to-import', t('import'), () => act.show('import'))} ${menuItem('to-code', t('codeShort'), () => act.show('export'))}`
