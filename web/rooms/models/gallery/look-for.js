// Draws what to look for in an open model of the gallery: heads known from papers, and how the scores of this page rank them.

import { html, nothing } from 'lit'
import { shown } from '../../../shell/slots.js'
import { idOf, isOfHub } from '../open/sources.js'
import { nameOf } from '../shown.js'
import { entryOf } from './hub-question.js'

/** @import { Room, Why } from '../models.js' */
/** @import { GalleryTexts } from '../open/model-field.js' */
/** @import { KnownHead } from './gallery.js' */

/** Kinds of heads that this page scores. */
const RANKED = ['previous', 'duplicate', 'induction', 'mover', 'negative']

/** Returns the rank of a score among all, from 1 for the largest. @param {Float32Array} scores @param {number} n */
const rankIn = (scores, n) => 1 + scores.filter(score => score > scores[n]).length

/**
 * Returns the rank of a head known from a paper, by the score that fits its kind: an attention score, or how much the head adds to the
 * logit of the first guess or takes from it.
 * @param {KnownHead} known
 * @param {import('../run/model-run.js').Run} run
 * @param {Why | undefined | null} why
 * @returns {{ by: 'previous' | 'duplicate' | 'induction' | 'adds' | 'takes', rank: number, of: number, value: number } | undefined}
 *   undefined if no score fits the kind or has arrived
 */
export function rankOf({ layer, head, kind }, run, why) {
  const maps = run.maps['']
  if (!maps || layer >= maps.layers || head >= maps.numHeads) return undefined
  const n = layer * maps.numHeads + head
  const of = maps.layers * maps.numHeads
  if (kind === 'previous' || kind === 'duplicate' || kind === 'induction') {
    const scores = run.scores['']?.[kind]
    return scores && { by: kind, rank: rankIn(scores, n), of, value: scores[n] }
  }
  if (!why || why.heads.length !== of) return undefined
  if (kind === 'mover') return { by: 'adds', rank: rankIn(why.heads, n), of, value: why.heads[n] }
  if (kind === 'negative')
    return {
      by: 'takes',
      rank: rankIn(
        why.heads.map(each => -each),
        n,
      ),
      of,
      value: why.heads[n],
    }
  return undefined
}

/** @param {Room} room @param {GalleryTexts} g */
export function lookFor(room, g) {
  const { act, openModel, run, text, got, stack } = room
  const entry = openModel && isOfHub(openModel.name) ? entryOf(openModel.name) : undefined
  if (!entry) return nothing
  const { name, title, what, paper, heads = [] } = entry
  const source = paper ?? { title: g('galleryCard'), address: `https://huggingface.co/${idOf(name)}` }
  const why = shown(got.why)
  const kinds = [...new Set(heads.map(({ kind }) => kind))]
  return html`<details class="models-look"
    id="models-look"><summary>${
      heads.length ? g('galleryLookHeads', { title, count: heads.length }) : g('galleryLook', { title })
    }</summary>
    <p>${g(what)} <a href=${source.address} target="_blank" rel="noreferrer">${source.title}</a>
    ${
      text === entry.text
        ? nothing
        : html`<button type="button" class="tool" id="models-look-text"
          @click=${() => act.type(entry.text)}>${g('galleryRead', { text: entry.text })}</button>`
    }</p>
    ${
      heads.length
        ? html`<p class="note">${g(paper?.countsFrom ? 'galleryCountsFrom1' : 'galleryCountsFrom0')}</p>
        <ul class="models-known">${kinds.map(
          kind =>
            html`<li><b>${g(`galleryKind.${kind}`)}</b>${heads.filter(known => known.kind === kind).map(one)}${
              RANKED.includes(kind) ? nothing : html`<small>${g('galleryNoRank')}</small>`
            }</li>`,
        )}</ul>`
        : nothing
    }</details>`

  /** @param {KnownHead} known */
  function one(known) {
    const { layer, head } = known
    const rank = run && rankOf(known, run, why)
    return html`<span><button type="button" class="plain" data-known=${nameOf(known)}
      @click=${() => act.openHead({ stack, layer, head })}>${nameOf(known)}</button>${paper?.countsFrom ? '' : ` (${layer}.${head})`}${
        rank
          ? html`<small>${g(`galleryRank.${rank.by}`, { rank: rank.rank, of: rank.of, value: rank.value.toFixed(2) })}</small>`
          : nothing
      }</span>`
  }
}
