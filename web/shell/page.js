// Draws the whole page: header, notices, the open room.

import { html, nothing } from 'lit'
import { header } from './header.js'

/** @param {import('./shell.js').Drawing} drawing */
export function page(drawing) {
  const { t, room, notice, from, isWaiting, shell } = drawing
  const back = from?.to === room ? from : undefined
  return html`${header(drawing)}
    <div class="notices">
      <p class="notice" role="alert">${notice ? t(notice.key, notice.params) : nothing}</p>
      ${
        back
          ? html`<p class="from"><button type="button" class="tool" id="back-to-room"
            @click=${() => shell.visit(back.room)}>← ${back.text}</button></p>`
          : nothing
      }
    </div>
    ${isWaiting ? html`<p class="note">${t('loading')}</p>` : shell.rooms.draw(room, drawing)}
    ${shell.companions.draw(drawing)}`
}
