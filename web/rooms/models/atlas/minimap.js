// Draws a minimap of an atlas that is larger than its window: all heads as coloured points, with a frame around the visible heads.

import { html } from 'lit'
import { paletteOf, stepOf } from '../../../elements/colour-scale.js'

/** The visible part as fractions of the whole: its start and its size. @typedef {{ x: number, y: number, width: number, height: number }} Crop */

/** Length of the minimap's longer side in pixels. */
const SIZE = 96

/** Returns the visible part of a scroller. @param {Element | null} scroller @returns {Crop | undefined} undefined if everything is visible */
export function cropOf(scroller) {
  if (!scroller) return undefined
  const { scrollLeft, scrollTop, scrollWidth, scrollHeight, clientWidth, clientHeight } = scroller
  if (scrollWidth <= clientWidth + 1 && scrollHeight <= clientHeight + 1) return undefined
  return {
    x: scrollLeft / scrollWidth,
    y: scrollTop / scrollHeight,
    width: Math.min(1, clientWidth / scrollWidth),
    height: Math.min(1, clientHeight / scrollHeight),
  }
}

/** @param {Crop} crop @param {Element | null} scroller */
export function minimap({ x, y, width, height }, scroller) {
  const go = (
    /** @type {PointerEvent & { currentTarget: Element }} */ { currentTarget, clientX, clientY, buttons },
  ) => {
    if (!scroller || buttons === 0) return
    const box = currentTarget.getBoundingClientRect()
    scroller.scrollTo({
      left: ((clientX - box.left) / box.width - width / 2) * scroller.scrollWidth,
      top: ((clientY - box.top) / box.height - height / 2) * scroller.scrollHeight,
    })
  }
  const place = [x, y, width, height].map(share => `${(100 * share).toFixed(2)}%`)
  return html`<div class="atlas-minimap" aria-hidden="true" @pointerdown=${go}
    @pointermove=${go}><canvas></canvas><i
      .style=${`inset: ${place[1]} auto auto ${place[0]}; inline-size: ${place[2]}; block-size: ${place[3]}`}></i></div>`
}

/**
 * Paints a pixel per head in the colour of its score.
 * @param {HTMLCanvasElement | null} canvas
 * @param {{ layers: number, numHeads: number }} maps
 * @param {Float32Array | undefined} scores
 * @param {boolean} isDark
 */
export function paintMinimap(canvas, { layers, numHeads }, scores, isDark) {
  const context = canvas?.getContext('2d')
  if (!canvas || !context) return
  canvas.width = numHeads
  canvas.height = layers
  const unit = SIZE / Math.max(layers, numHeads)
  canvas.style.inlineSize = `${numHeads * unit}px`
  canvas.style.blockSize = `${layers * unit}px`
  const { colours } = paletteOf('sequential', isDark)
  for (let n = 0; n < layers * numHeads; n++) {
    context.fillStyle = colours[stepOf(scores?.[n] ?? 0, [0, 1])]
    context.fillRect(n % numHeads, Math.floor(n / numHeads), 1, 1)
  }
}
