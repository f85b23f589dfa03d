// A guide, such as a tour or a story. It shows one stop at a time: its text, its task, and whether the task is done.

import { html, nothing } from 'lit'

/**
 * @param {object} guide
 * @param {import('./room.js').Translate<keyof typeof import('../i18n/en/shell.js').texts>} guide.t
 * @param {string} guide.id id of the element
 * @param {string} guide.label
 * @param {number} guide.at number of the current stop, from 1
 * @param {number} guide.of number of stops
 * @param {unknown} [guide.title]
 * @param {unknown} guide.text text about what the reader sees
 * @param {unknown} [guide.task] text about what the reader should do
 * @param {string} [guide.badge] number of the marked element that the task refers to
 * @param {boolean} [guide.isDone]
 * @param {string} [guide.waits] text about why the next stop must wait
 * @param {unknown} [guide.tools] buttons of this stop
 * @param {(stop: number | null) => void} guide.go goes to a stop, from 1; null leaves the guide
 */
export const guide = ({
  t,
  id,
  label,
  at,
  of,
  title,
  text,
  task,
  badge = '1',
  isDone = false,
  waits,
  tools = nothing,
  go,
}) =>
  html`<section class="guide" id=${id} tabindex="-1" aria-label=${label} data-stop=${at} data-done=${isDone}>
    ${title ? html`<h2 class="guide-title">${title}</h2>` : nothing}
    <div class="guide-text">
      <p id="${id}-text">${text}</p>
      ${
        task
          ? html`<p class="guide-task ${isDone ? 'is-done' : ''}"><span class="guide-badge"
            aria-hidden="true">${isDone ? '✓' : badge}</span> ${task} <span role="status"
              id="${id}-done">${isDone ? t('guideDone') : ''}</span></p>`
          : nothing
      }
    </div>
    <tool-group class="guide-buttons" aria-label=${label}>
      ${tools}
      <button type="button" class="tool" id="${id}-back" ?disabled=${at === 1} @click=${() => go(at - 1)}>${t('guideBack')}</button>
      <span class="guide-at">${t('guideAt', { at, of })}</span>
      ${
        at < of
          ? html`<button type="button" class="tool ${isDone ? 'is-filled' : ''}" id="${id}-next"
            ?disabled=${waits !== undefined} title=${waits ?? nothing}
            @click=${() => go(at + 1)}>${t('guideNext')}</button>`
          : nothing
      }
      <button type="button" class="tool icon" id="${id}-leave" aria-label=${t('guideLeave')} title=${t('guideLeave')}
        @click=${() => go(null)}>×</button>
    </tool-group>
  </section>`
