// The header items of "One layer": the questions of the tour, and menu items that scroll to parts further down.

import { html } from 'lit'
import { menu, menuChoices, menuItem } from '../../../shell/menu.js'
import { STOPS } from '../explain/tour.js'

/** @import { LayerContext } from '../layer.js' */

/** @param {LayerContext} context */
export const tools = ({ t, settings, act }) =>
  menu(
    { id: 'tour-start', label: t('tour') },
    html`<div role="group" aria-label=${t('tour')}>${menuChoices(
      STOPS.map(({ id }, i) => ({
        name: i + 1,
        label: t(`tour.${id}.question`),
        isChosen: settings.tour === i + 1,
        act: () => act.setTour(i + 1),
      })),
    )}</div>`,
  )

/** @param {LayerContext} context */
export const more = ({ t, act }) =>
  html`${menuItem('to-import', t('import'), () => act.show('import'))} ${menuItem('to-code', t('export'), () => act.show('export'))}
    ${menuItem('to-cost', t('cost'), () => act.show('cost'))} ${menuItem('to-float64', t('toFloat64'), () => act.reveal('#badge'))}`
