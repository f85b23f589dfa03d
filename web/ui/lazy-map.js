import { html, LitElement } from 'lit'

import '../elements/heatmap.js'

/**
 * A map that is redrawn only while it is in or near the viewport, since few maps are visible at a time. A map whose dims change is redrawn
 * at once: its height depends on them, and changing the height later would shift the page under the pointer.
 */
class LazyMap extends LitElement {
  static properties = { map: { attribute: false }, isNear: { state: true } }

  constructor() {
    super()
    /** Properties of <qkv-heatmap>. @type {Record<string, any>} */
    this.map = {}
    this.isNear = false
    /** Dims of the drawn map, as text. */
    this.drawn = ''
    this.watch = new IntersectionObserver(
      ([entry]) => {
        this.isNear = entry.isIntersecting
      },
      { rootMargin: '25%' },
    )
  }

  createRenderRoot() {
    return this
  }

  connectedCallback() {
    super.connectedCallback()
    this.watch.observe(this)
  }

  disconnectedCallback() {
    super.disconnectedCallback()
    this.watch.disconnect()
  }

  shouldUpdate() {
    return this.isNear || String(this.map.matrix?.dims) !== this.drawn
  }

  render() {
    const { map } = this
    this.drawn = String(map.matrix?.dims)
    return html`<qkv-heatmap
      .label=${map.label}
      .matrix=${map.matrix}
      .previous=${map.before}
      .rowTokens=${map.rowTokens}
      .columnTokens=${map.columnTokens}
      .rowTitle=${map.rowTitle}
      .columnTitle=${map.columnTitle}
      .scale=${map.scale}
      .domain=${map.domain}
      .editable=${map.isEditable}
      .texts=${map.texts}
      .cell=${map.cell}
      .pinned=${map.pinned}
    ></qkv-heatmap>`
  }
}

customElements.define('lazy-map', LazyMap)
