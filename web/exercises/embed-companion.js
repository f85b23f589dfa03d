// Runs the page in an iframe: hides the header, and reports the height to the parent page.

import { html, nothing } from 'lit'

/** @param {import('../shell/shell.js').Shell} shell @returns {import('../shell/companions.js').Companion} */
export function companion(shell) {
  let isEmbedded = false
  const isFramed = window.parent !== window
  const height = new ResizeObserver(() => {
    const message = {
      subject: 'lti.frameResize',
      message_id: `qkv ${performance.now()}`,
      height: document.body.offsetHeight,
    }
    if (isEmbedded && isFramed) window.parent.postMessage(message, '*')
  })
  height.observe(document.body)
  return {
    draw: ({ t }) =>
      isEmbedded
        ? html`<p class="embed-whole"><a href=${shell.linkWith({ embed: undefined })} target="_blank"
          rel="noopener">${t('embedWhole')}</a></p>`
        : nothing,
    /** @returns {Record<string, string>} */
    link: () => (isEmbedded ? { embed: '1' } : {}),
    follow(next) {
      isEmbedded = next.embed === '1'
      document.documentElement.classList.toggle('is-embedded', isEmbedded)
    },
  }
}
