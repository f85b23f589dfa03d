// Draws "The whole model in one picture": follows one word from its embedding through every layer to the answer, with the numbers of this
// text. Each head, and the length after each layer, opens the part of the room that explains it.

import { html, nothing } from 'lit'
import { percent } from '../../../files/number-format.js'
import { shown } from '../../../shell/slots.js'
import { hasLens, readLens, sizesOf, writeLens } from '../lens/setting.js'
import { ending as wordEnding } from '../sentence/token-row.js'
import { nameOf } from '../shown.js'

/** @import { Block, BlockPart, Room } from '../models.js' */
/** @import { Stack } from '../../../attention-head/head.js' */
/** @typedef {import('../../../shell/room.js').Translate<keyof typeof import('../../../i18n/en/block.js').texts>} BlockTexts */
/** State shared by the parts of the panel; `at` is the index of the word. @typedef {{ room: Room, b: BlockTexts, block: Block, at: number, stack: Stack }} Panel */

/** Formats a length with three significant digits, or as a whole number from 1000. @param {number} x */
const long = x => (x >= 1000 ? x.toFixed(0) : x.toPrecision(3))
/** Formats a share of a sum; it may be negative or above 100 %. @param {number} x */
const share = x => (x < 0 ? `−${percent(-x)}` : percent(x))

/** @param {Room} room @param {BlockTexts} b */
export function blockPanel(room, b) {
  const { run, stack, view, openModel } = room
  const found = shown(room.got.block)
  const tokens = stack === '' || stack === 'encoder' ? run?.tokens : run?.targets
  const isComing = !found?.layers.length
  const own = stack === 'encoder' ? openModel?.stacks.encoder : (openModel?.stacks.decoder ?? openModel?.stacks.encoder)
  if (!run || !tokens?.length || !own) return html`<p class="note" role="status">${b('blockComputing')}</p>`
  const block = isComing ? outline(own.layers, tokens.length) : found
  const count = block.layers[0].input.length
  const usual = stack === 'encoder' || run.row < 0 ? count - 1 : run.row
  const at = Math.min(view.query ?? usual, count - 1)
  /** @type {Panel} */
  const panel = { room, b, block, at, stack: stack === 'cross' ? 'decoder' : stack }
  return html`<p class="note block-text" id="block-text">${b('blockText', { word: tokens[at] ?? '', at: at + 1 })}</p>
    ${isComing ? html`<p class="visually-hidden" role="status">${b('blockComputing')}</p>` : nothing}
    <ol class="block-flow ${isComing ? 'is-coming' : ''}" id="block-flow" data-position=${at}>${beginning(panel, tokens[at] ?? '')}${block.layers.map(
      (_, layer) => oneLayer(panel, layer),
    )}${ending(panel)}</ol>`
}

/** Returns a placeholder block, drawn invisibly to reserve space while the numbers are computed. @param {number} layers @param {number} count */
function outline(layers, count) {
  const none = new Float32Array(count)
  /** @param {BlockPart['kind']} kind @returns {BlockPart} */
  const part = kind => ({ kind, isPre: true, added: none, share: none, sum: none })
  const layer = { input: none, parts: [part('attention'), part('mlp')], output: none }
  /** @type {Block} */
  const block = { isParallel: false, norm: none, layers: Array.from({ length: layers }, () => layer) }
  return block
}

/** Describes how the model encodes the order of the words. @param {Panel} panel */
function positionOf({ room: { openModel }, stack }) {
  const { encoder, decoder } = openModel?.stacks ?? {}
  const own = stack === 'encoder' ? encoder : (decoder ?? encoder)
  if (own?.rope || own?.ropes.some(Boolean)) return 'rope'
  return own?.relativeBias || own?.alibi ? 'bias' : 'added'
}

/** Draws one step of the path, with an arrow before it. @param {unknown} box */
const then = box => html`<span aria-hidden="true">→</span>${box}`

/** @param {BlockTexts} b */
const norm = b => html`<span class="block-box is-norm" title=${b('blockNormText')}>${b('blockNorm')}</span>`

/**
 * Draws the length of the residual stream at one point.
 * @param {Panel} panel
 * @param {Float32Array | undefined} length at each word
 * @param {number} [layer] the layer before this point, whose readout a click opens
 */
function stream({ room, b, at }, length, layer) {
  if (!length) return nothing
  const said = html`<b>${long(length[at])}</b>`
  const { openModel, settings, act } = room
  if (layer === undefined || !openModel || !hasLens(openModel))
    return html`<span class="block-stream" title=${b('blockStream')}>${said}</span>`
  const setting = readLens(settings.lens, sizesOf(room))
  const isHere = settings.lens !== '' && setting.cell?.layer === layer && setting.cell.position === at
  const go = () => act.setLens(writeLens({ ...setting, cell: { layer, position: at } }), true)
  return html`<button type="button" class="block-box block-stream" data-lens=${layer} aria-current=${isHere ? 'true' : nothing}
    title=${b('blockStreamOpens', { layer: layer + 1 })} @click=${go}>${said}</button>`
}

/** Draws what a part adds to the residual stream, as its share of the sum. @param {Panel} panel @param {BlockPart} part */
function added({ b, at }, part) {
  const own = part.share[at]
  const said = b('blockAdd', { added: long(part.added[at]), sum: long(part.sum[at]), share: share(own) })
  const width = `inline-size: ${Math.min(100, Math.abs(100 * own)).toFixed(1)}%`
  return html`<span class="block-add" title=${said}>+ <b>${share(own)}</b><i
    class=${own < 0 ? 'is-negative' : ''} .style=${width}></i></span>`
}

/** @param {Panel} panel @param {BlockPart} part @param {number} layer */
function box(panel, { kind }, layer) {
  const { room, b, at, stack } = panel
  const { act, head, maps } = room
  if (kind === 'mlp') return html`<span class="block-box" title=${b('blockMlpText')}>${b('block.mlp')}</span>`
  const own = kind === 'cross' ? 'cross' : stack
  const isHere = head?.layer === layer && head.stack === own
  const heads = Array.from({ length: maps?.numHeads ?? 0 }, (_, n) => ({ stack: own, layer, head: n }))
  const one = (/** @type {typeof heads[number]} */ each) =>
    html`<button type="button" class="plain" data-block-head=${nameOf(each)}
      aria-current=${isHere && head?.head === each.head ? 'true' : nothing} aria-label=${room.t('headTitle', { name: nameOf(each) })}
      @click=${() => act.openFromGraph({ head: each }, at, own)}>${each.head + 1}</button>`
  return html`<span class="block-box is-heads ${isHere ? 'is-here' : ''}" title=${b(`blockText.${kind}`)}>${b(`block.${kind}`)}
    ${heads.map(one)}</span>`
}

/**
 * Draws the parts of a layer, each followed by what it adds, and the residual stream after the layer. In a parallel layer, attention and
 * MLP read the same stream.
 * @param {Panel} panel
 * @param {number} layer
 */
function oneLayer(panel, layer) {
  const { b, block } = panel
  const { parts, output } = block.layers[layer]
  const [first] = parts
  const end = then(stream(panel, output, layer))
  const ways = block.isParallel
    ? line(
        html`${first?.isPre ? then(norm(b)) : nothing}${then(parts.map(part => box(panel, part, layer)))}`,
        html`${then(parts.map(part => added(panel, part)))}${end}`,
      )
    : parts.map((part, n) =>
        line(
          html`${part.isPre ? then(norm(b)) : nothing}${then(box(panel, part, layer))}${then(added(panel, part))}`,
          html`${part.after ? then(norm(b)) : nothing}${n === parts.length - 1 ? end : nothing}`,
        ),
      )
  return html`<li data-layer=${layer}><span class="block-name">${b('blockLayer', { layer: layer + 1 })}</span>${ways}</li>`
}

/** Keeps steps together on one line on a phone. @param {...unknown} steps */
const line = (...steps) => html`<span class="block-line">${steps}</span>`

/** @param {Panel} panel @param {string} word */
function beginning(panel, word) {
  const { room, b, block } = panel
  const how = positionOf(panel)
  const text = html`<button type="button" class="block-box" id="block-word" title=${b('blockWordText')}
    @click=${() => room.act.reveal('#models-text')}>${word}</button>`
  const name = b(how === 'added' ? 'blockEmbeddingPosition' : 'blockEmbedding')
  const embedding = html`<span class="block-box" title=${b(`blockPosition.${how}`)}>${name}</span>`
  return html`<li><span class="block-name"></span>
    ${line(text, then(embedding), then(stream(panel, block.embedding ?? block.layers[0].input)))}
    ${how === 'added' ? nothing : html`<span class="note">${b(`blockPosition.${how}`)}</span>`}</li>`
}

/** @param {Panel} panel */
function ending(panel) {
  const { room, b, block, at, stack } = panel
  const { run, openModel, act } = room
  const isOwn = run?.row === at && stack !== 'encoder'
  const [guess] = (isOwn && run?.top) || []
  const says =
    guess && !openModel?.isNumber
      ? [guess.token, wordEnding(room, guess.id), ` ${percent(guess.probability)}`]
      : b('blockAnswer')
  const last = block.norm ? [then(norm(b)), then(stream(panel, block.norm))] : []
  if (!openModel?.predicts || stack === 'encoder') return html`<li><span class="block-name"></span>${line(last)}</li>`
  const logits = html`<button type="button" class="block-box" id="block-logits" title=${b('blockLogitsText')}
    @click=${() => act.reveal('.models-prediction')}>${b('blockLogits')}</button>`
  return html`<li><span class="block-name"></span>${line(last, then(logits), then(html`<b id="block-says">${says}</b>`))}</li>`
}
