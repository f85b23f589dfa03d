// What there is to see in an open model of the gallery: heads that are known from a paper, and where this page's own scores rank them.

import { html, nothing } from 'lit'
import { shown } from '../../../shell/store.js'
import { nameOf } from '../shown.js'
import { isOfHub } from '../sources.js'
import { entryOf } from './hub-question.js'

/** @typedef {import('../models.js').Room} Room */
/** @typedef {import('../model-field.js').GalleryTexts} GalleryTexts */
/** @typedef {import('./gallery.js').KnownHead} KnownHead */
/** @typedef {import('../models.js').Why} Why */

/** Where a number stands among all, from 1: the largest is first. @param {Float32Array} scores @param {number} n */
const rankIn = (scores, n) => 1 + scores.filter(score => score > scores[n]).length

/**
 * Where the scores of this page rank a head that a paper names: by what it looks at, or by what it adds to the first guess.
 * @param {KnownHead} known
 * @param {import('../model-run.js').Run} run
 * @param {Why | undefined | null} why
 * @returns {{ by: 'previous' | 'duplicate' | 'induction' | 'adds' | 'takes', rank: number, of: number, value: number } | undefined}
 */
export function rankOf({ layer, head, kind }, run, why) {
  const maps = run.maps['']
  if (!maps || layer >= maps.layers || head >= maps.heads) return undefined
  const n = layer * maps.heads + head
  const of = maps.layers * maps.heads
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
  const { t, act, openModel, run, text, got, stack } = room
  const entry = openModel && isOfHub(openModel.name) ? entryOf(openModel.name) : undefined
  if (!entry) return nothing
  const { title, what, paper, heads = [] } = entry
  const why = shown(got.why)
  return html`<details class="models-look" id="models-look" ?open=${heads.length > 0}><summary>${g('galleryLook', { title })}</summary>
    <p>${g(what)} ${paper ? html`<a href=${paper.address} target="_blank" rel="noreferrer">${paper.title}</a>` : nothing}
    ${text === entry.text ? nothing : html`<button type="button" class="tool" id="models-look-text" @click=${() => act.type(entry.text)}>${g('galleryRead', { text: entry.text })}</button>`}</p>
    ${
      heads.length
        ? html`<p class="note">${g(paper?.countsFrom ? 'galleryCountsFrom1' : 'galleryCountsFrom0')}</p>
        <table class="models-known"><tbody>${heads.map(known => {
          const rank = run && rankOf(known, run, why)
          const counted = paper?.countsFrom ? '' : ` (${known.layer}.${known.head})`
          return html`<tr><td><button type="button" class="plain" data-known=${nameOf(known)} @click=${() => act.openHead({ stack, layer: known.layer, head: known.head })}>${t('modelsHead', { name: nameOf(known) })}${counted}</button></td>
            <td>${g(`galleryKind.${known.kind}`)}</td>
            <td>${rank ? g(`galleryRank.${rank.by}`, { rank: rank.rank, of: rank.of, value: rank.value.toFixed(2) }) : g('galleryRankNone')}</td></tr>`
        })}</tbody></table>`
        : nothing
    }</details>`
}
