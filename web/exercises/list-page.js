// Draws the list of exercises: a square for each, with the reader's result.

import { html, nothing } from 'lit'
import { counted } from '../i18n/counted.js'
import { later } from '../shell/later.js'
import { GROUPS } from './index.js'
import { book } from './score-book.js'

/** @import { ListContext } from './list.js' */

const teachers = later(() => import('./teachers-page.js'))

/** @param {ListContext} context */
export function draw(context) {
  const { t, act, settings } = context
  /** @type {(typeof settings.part)[]} */
  const parts = ['list', 'teachers']
  return html`<main class="exercises" id="stage" tabindex="-1">
    <div class="exercises-parts" role="group" aria-label=${t('room.exercises')}>${parts.map(
      part =>
        html`<button type="button" class="tab" data-part=${part} aria-pressed=${settings.part === part}
          @click=${() => act.set({ part })}>${t(`exercises.${part}`)}</button>`,
    )}</div>
    ${settings.part === 'list' ? list(context) : teachers.draw(({ teachersPage }) => teachersPage(context))}
  </main>`
}

/** @param {ListContext} context */
function list(context) {
  const { t, act } = context
  const { trouble } = book
  return html`<p class="text">${t('exercisesIntro')}</p>
    ${GROUPS.map(
      ({ name, ids }) =>
        html`<section class="exercises-group"><h2>${t(`group.${name}`)}</h2><ul>${ids.map(id => square(context, id))}</ul></section>`,
    )}
    <p class="note" id="exercises-kept">${t(trouble === 'refused' ? 'exercisesRefused' : 'exercisesKept')}</p>
    ${trouble === 'unreadable' ? html`<p class="problem" role="status">${t('exercisesUnreadable')}</p>` : nothing}
    <p class="buttons"><button type="button" class="plain" id="exercises-csv" @click=${() => act.csv()}>${t('copyCsv')}</button>
      <button type="button" class="plain" id="exercises-forget" @click=${() => act.forget()}>${t('exercisesForget')}</button></p>`
}

/** @param {ListContext} context @param {string} id */
function square({ t }, id) {
  const entry = book.of(id)
  const state = !entry ? 'open' : entry.score >= 1 ? 'solved' : entry.score > 0 ? 'half' : 'tried'
  const key = `exercises${state[0].toUpperCase()}${state.slice(1)}`
  return html`<li><a class="exercise-square" href="#2&exercise=${id}" data-exercise=${id} data-state=${state}>
    <span class="number">${id.slice(1)}</span> <b>${t(`${id}.title`)}</b>
    <span class="note">${entry && key === 'exercisesTried' ? counted(t, key, entry.tries) : t(key)}</span></a></li>`
}
