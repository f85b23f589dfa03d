import { html, LitElement, nothing } from 'lit'
import { save } from '../../../files/clipboard.js'
import { writeCsv } from '../../../files/csv.js'
import { writeNpy } from '../../../files/npy.js'
import { plainTensor, withMap } from '../export.js'

/** @import { Translate } from '../../../i18n/index.js' */
/** @import { Picture } from '../export.js' */
/** @import { Matrix } from '../layer.js' */

/**
 * A small menu that saves a matrix as numbers, and what shows it as a picture.
 */
export class SaveMenu extends LitElement {
  static properties = {
    t: { attribute: false },
    name: {},
    text: {},
    matrix: { attribute: false },
    picture: {},
    isOpen: { state: true },
  }

  constructor() {
    super()
    this.t = /** @type {Translate} */ (/** @type {unknown} */ (undefined))
    /** What the matrix or the picture is called on the page. */
    this.name = ''
    /** Beside the sign, where several stand in a row. */
    this.text = ''
    /** @type {Matrix | undefined} */
    this.matrix = undefined
    /** A selector of the element that is the picture; without one a map is made of the matrix. */
    this.picture = ''
    this.isOpen = false
  }

  createRenderRoot() {
    return this
  }

  /** A press elsewhere closes it. @param {Event} event */
  elsewhere = event => {
    if (!event.composedPath().includes(this)) this.isOpen = false
  }

  disconnectedCallback() {
    super.disconnectedCallback()
    document.removeEventListener('pointerdown', this.elsewhere)
  }

  /** @param {Map<PropertyKey, unknown>} changed */
  updated(changed) {
    if (!changed.has('isOpen')) return
    if (this.isOpen) document.addEventListener('pointerdown', this.elsewhere)
    else document.removeEventListener('pointerdown', this.elsewhere)
  }

  /** @param {string} end */
  fileName(end) {
    const { matrix } = this
    const head = matrix?.isPerHead ? `-head-${matrix.head + 1}` : ''
    return `${matrix?.id ?? this.picture.replace(/\W+/g, '')}${head}.${end}`
  }

  /** @param {(picture: Picture) => Promise<void>} use */
  async draw(use) {
    const { matrix, t } = this
    const shown = this.picture && document.querySelector(this.picture)
    if (shown) return use(/** @type {any} */ (shown))
    if (!matrix) return
    const hidden = Uint8Array.from(matrix.tensor.data, (_, i) =>
      matrix.isHidden(Math.floor(i / matrix.columns.length), i % matrix.columns.length) ? 0 : 1,
    )
    await withMap(
      {
        label: t(`matrix.${matrix.id}`),
        matrix: matrix.tensor,
        domain: matrix.domain,
        texts: t.elements,
        rowTokens: matrix.rows,
        columnTokens: matrix.columns,
        rowTitle: t(`axis.${matrix.axes[0]}`),
        columnTitle: t(`axis.${matrix.axes[1]}`),
        scale: matrix.scale === 'share' ? 'sequential' : 'diverging',
        ...(hidden.includes(0) && { mask: { data: hidden, dims: matrix.tensor.dims } }),
      },
      use,
    )
  }

  /** @param {'csv' | 'json' | 'npy' | 'svg' | 'png'} kind */
  async save(kind) {
    this.isOpen = false
    this.querySelector('button')?.focus()
    const { matrix } = this
    if (kind === 'svg')
      return this.draw(async picture => save(this.fileName('svg'), await picture.toSVG(), 'image/svg+xml'))
    if (kind === 'png')
      return this.draw(async picture => save(this.fileName('png'), await picture.toPNG(), 'image/png'))
    if (!matrix) return
    const { tensor, rows, columns } = matrix
    if (kind === 'csv') save(this.fileName('csv'), writeCsv(matrix), 'text/csv')
    else if (kind === 'npy') save(this.fileName('npy'), writeNpy(tensor), 'application/octet-stream')
    else save(this.fileName('json'), JSON.stringify({ rows, columns, ...plainTensor(tensor) }), 'application/json')
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (event.key !== 'Escape' || !this.isOpen) return
    event.stopPropagation()
    this.isOpen = false
    this.querySelector('button')?.focus()
  }

  render() {
    const { t, isOpen, matrix } = this
    if (!t) return nothing
    const kinds = /** @type {const} */ ([...(matrix ? ['csv', 'json', 'npy'] : []), 'svg', 'png'])
    const label = t('saveMatrix', { name: this.text || this.name })
    return html`<span class="save" @keydown=${this.key}
      ><button
        type="button"
        class="save-open"
        aria-label=${label}
        title=${label}
        aria-expanded=${isOpen}
        @click=${() => {
          this.isOpen = !isOpen
        }}
      ><svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true"><path d="M8 2v8M4.5 7 8 10.5 11.5 7M3 13.5h10" /></svg>${this.text ? html`<span class="save-text">${this.text}</span>` : nothing}</button
      >${
        isOpen
          ? html`<span class="save-kinds" role="group" aria-label=${label}>${kinds.map(
              kind =>
                html`<button type="button" data-save=${kind} @click=${() => this.save(/** @type {any} */ (kind))}>${kind === 'npy' ? '.npy' : kind.toUpperCase()}</button>`,
            )}</span>`
          : nothing
      }</span>`
  }
}

customElements.define('save-menu', SaveMenu)
