// Draws the text as tokens, shaded by the weights of the selected token. A click selects a token; a Shift-click on another token ranks the
// heads by the weight between the two.

import { html, nothing } from 'lit'
import { headName, isSamePlace } from '../../../attention-head/changes.js'
import { paletteOf, stepOf } from '../../../elements/colour-scale.js'
import { percent } from '../../../files/number-format.js'
import { namesIn } from '../../../shell/known.js'
import { glosses, withGlosses } from '../../../ui/glosses.js'
import { held, released } from '../../../ui/pointing.js'
import '../../../attention-head/word-arcs.js'
import { counted } from '../../../i18n/counted.js'
import { later } from '../../../shell/later.js'
import { textsLater } from '../../../shell/texts-later.js'
import { mapAt } from '../atlas/maps.js'
import { firstLens } from '../lens/room.js'
import { hasLens } from '../lens/setting.js'
import { endingOf, isByHand, matrixOf, nameOf } from '../shown.js'
import { inPieces, piecesIn } from './pieces-line.js'
import { arcsOf, lookOf, looksOf, strongest } from './word-lines.js'

/** @import { Room } from '../models.js' */

/** @type {import('../../../shell/texts-later.js').Later<typeof import('../long-text/word-looks.js') & { l: import('../long-text/word-looks.js').LongTexts }>} */
const looking = textsLater(['long-text'], async texts => {
  const [module, l] = await Promise.all([import('../long-text/word-looks.js'), texts])
  return { ...module, l }
})
const longWords = later(() => import('../long-text/words.js'))

/** Number of words above which a text is drawn as searchable virtual lines. */
const MANY = 128

/** Returns the lookup of word meanings, for the shipped translator only. @param {Room} room */
export const glossOf = ({ t, act, settings }) =>
  settings.checkpoint === 'translation' ? glosses(t, () => act.show({})) : undefined

/** @param {Room} room */
export function tokenRows(room) {
  const { t, run, stack, words } = room
  if (!run) return nothing
  const { tokens, targets } = run
  const looks = looksOf(room)
  return html`<div class="models-token-rows">
      ${tokenRow(room, tokens, targets ? 'keys' : 'both', counted(t, 'modelsTokens', tokens.length))}
      ${targets ? tokenRow(room, stack === 'cross' ? words.queries : targets, 'queries', t('modelsTranslation')) : nothing}
      <word-arcs .arcs=${arcsOf(room)}></word-arcs>
    </div>
    ${together(room)}
    <div class="models-below"><p class="note models-hint">${hint(room)}
      ${inPieces(room, MANY)}
      ${maskButton(room)}${otherWords(room)}</p>${ways(room)}</div>
    ${looks ? looking(t('htmlLang')).draw(({ wordLooks, l }) => wordLooks(room, looks, l)) : nothing}
    ${unknownWords(room)}
    ${stack === '' || !targets ? nothing : tabs(room)}`
}

/**
 * True if `together` describes what the selected word attends to. For an open head of cross-attention or a long text, `hint` does.
 * @param {Room} room
 */
const isTogether = room => !(room.head && room.stack === 'cross') && lookOf(room) !== undefined

/**
 * Describes which words the selected word attends to most in the open head, the head under the pointer, or all heads together.
 * @param {Room} room
 */
function together(room) {
  const { t, words, maps } = room
  const look = isTogether(room) ? lookOf(room) : undefined
  if (!look || !maps) return nothing
  const gloss = glossOf(room)
  const named = strongest(look.weights)
    .slice(0, 2)
    .map(({ key, weight }) => {
      const word =
        key === look.query
          ? t('modelsItself')
          : t('modelsQuoted', { word: withGlosses([words.keys[key] ?? ''], gloss)[0] })
      return t('modelsShareOf', { word, share: percent(weight) })
    })
  const said = {
    query: withGlosses([words.queries[look.query] ?? ''], gloss)[0],
    list: named.join(t('comma')),
    count: maps.layers * maps.numHeads,
  }
  const { at } = look
  const text = at
    ? t('modelsLooksOne', { ...said, name: nameOf(at) })
    : t(said.count === 1 ? 'modelsLooksOnly' : 'modelsLooksTogether', said)
  return html`<p class="models-together" id="models-together">${text}</p>`
}

/** Draws buttons that scroll to parts of the room further down. @param {Room} room */
function ways(room) {
  const { t, act, openModel, settings } = room
  if (!openModel) return nothing
  const way = (/** @type {string} */ id, /** @type {string} */ name, /** @type {() => void} */ open) => {
    const go = () => {
      open()
      act.reveal(`#${id}`)
    }
    return html` <button type="button" class="plain" data-way=${id} @click=${go}>${name}</button>`
  }
  return html`<p class="note models-ways">${way('models-block', t('modelsBlock'), () => act.show({ hasBlock: true }))}
    ${isByHand(openModel) ? way('models-next', t('modelsNextByHand'), () => act.show({ hasNextWord: true })) : nothing}
    ${hasLens(openModel) ? way('models-lens', t('modelsLayersSay'), () => act.setLens(settings.lens || firstLens(room))) : nothing}</p>`
}

/** @param {Room} room */
function hint(room) {
  const { t, view, words, run, openModel, stack } = room
  const { query, keyWord } = view
  const set = weightSet(room)
  if (set) return set
  if (query === undefined && stack === 'cross') return html`${alignment(room)}${t('modelsWrites')}`
  const isMasked = openModel?.stacks.decoder === undefined
  if (query === undefined || !run)
    return t(
      openModel?.predicts === 'classes'
        ? 'modelsHintClasses'
        : !openModel?.hasHead
          ? 'modelsHintHeads'
          : isMasked
            ? 'modelsHintMasked'
            : 'modelsHint',
    )
  const name = words.queries[query] ?? ''
  if (keyWord !== undefined) return t('modelsExample', { query: name, key: words.keys[keyWord] ?? '' })
  const most = stack !== 'cross' && isTogether(room) ? '' : looksMost(room, name)
  return most && stack === 'cross' ? most : `${most} ${t('modelsHintSecond', { word: name })}`
}

/** Describes the last weight set in the open head, and the resulting prediction. @param {Room} room */
function weightSet(room) {
  const { t, view, head, words, isChanged, runBefore, runAfter } = room
  const { lastSet } = view
  if (!isChanged || !lastSet || !head || headName(lastSet) !== headName(head)) return ''
  // Use the weight set in the displayed run, which may be older than `lastSet`.
  const change = runAfter?.request.changes.find(each => isSamePlace(each, lastSet))
  const before = matrixOf(room, false)
  if (change?.kind !== 'weight' || !before) return ''
  const [query, key] = withGlosses([words.queries[change.query] ?? '', words.keys[change.key] ?? ''], glossOf(room))
  const old = percent(before.data[change.query * before.dims[1] + change.key])
  const set = t('modelsSet', { name: nameOf(head), query, key, weight: percent(change.value), old })
  const [now] = runAfter?.top ?? []
  if (!now) return set
  const said = { token: now.token, share: percent(now.probability) }
  return `${set} ${t(now.id === runBefore?.top[0]?.id ? 'modelsSaysStill' : 'modelsSaysNow', said)}`
}

/**
 * Describes which word the selected word attends to most in the open head. With cross-attention and no open head, uses the head under the
 * pointer or the only head.
 * @param {Room} room
 * @param {string} name
 */
function looksMost(room, name) {
  const { t, head, stack, words } = room
  const weights = head || stack === 'cross' ? weightsOf(room) : undefined
  if (!weights) return ''
  const most = weights.indexOf(weights.reduce((a, b) => Math.max(a, b)))
  if (!(weights[most] > 0)) return ''
  const [query, key] = withGlosses([name, words.keys[most] ?? ''], glossOf(room))
  return t('modelsLooksMost', { query, key, weight: percent(weights[most]) })
}

/** Minimum weight at which two words count as aligned, and the maximum number of pairs listed. */
const [ALIGNED, MOST_PAIRS] = [0.8, 16]
/** Matches tokens such as </s>, which are no words. */
const IS_MARK = /^<.+>$/

/** Lists which source word each word of the translation attends to, in the open head or, if the stack has only one head, in that one. @param {Room} room */
function alignment(room) {
  const { t, head, maps, words, isChanged } = room
  const isOne = maps?.layers === 1 && maps.numHeads === 1 && !maps.cells
  const data = head ? matrixOf(room, isChanged)?.data : isOne ? mapAt(maps, { layer: 0, head: 0 }) : undefined
  const columns = words.keys.length
  const [queries, keys] = [words.queries, words.keys].map(all => withGlosses(all, glossOf(room)))
  /** @type {string[]} */
  const pairs = []
  /** @type {string[]} */
  const others = []
  for (const [row, query] of queries.entries()) {
    const own = data?.subarray(row * columns, (row + 1) * columns) ?? new Float32Array()
    const most = Math.max(...own)
    const key = own.indexOf(most)
    if (most >= ALIGNED) pairs.push(`${query} → ${keys[key]}`)
    else if (most > 0 && !IS_MARK.test(words.queries[row]))
      others.push(t('modelsNotAlignedWord', { query, key: keys[key], weight: percent(most) }))
  }
  const listed = (/** @type {string[]} */ all) => all.slice(0, MOST_PAIRS).join(t('comma'))
  if (!pairs.length) return nothing
  const left = others.length ? t('modelsNotAligned', { least: `${100 * ALIGNED}%`, list: listed(others) }) : nothing
  return html`${t('modelsAlignment', { list: listed(pairs) })} ${left}<br />`
}

/** Draws the button that masks the selected token. @param {Room} room */
function maskButton({ t, act, view: { query }, run, openModel }) {
  const token = query === undefined ? undefined : run?.tokens[query]
  if (query === undefined || token === undefined || !openModel?.mask || token === openModel.mask) return nothing
  return html`<button type="button" class="plain" id="models-mask"
    @click=${() => act.mask(query)}>${t('modelsMask', { word: token })}</button>`
}

/**
 * Returns the words that can replace a token, for a model with a small vocabulary: the words of its group; all words for an unknown token.
 * @param {Room} room
 * @param {number} at
 */
function wordsFor({ run, openModel }, at) {
  const { words = [] } = openModel?.about ?? {}
  if (run?.unknown.includes(at)) return words.flat()
  return words.find(all => all.includes(run?.tokens[at] ?? '')) ?? []
}

/** Draws the choice of a replacement for the selected word. @param {Room} room */
function otherWords(room) {
  const { t, act, view, run } = room
  const { query } = view
  const token = query === undefined ? undefined : run?.tokens[query]
  const words = query === undefined ? [] : wordsFor(room, query)
  if (query === undefined || token === undefined || !words.length) return nothing
  return html`<label>${t('modelsOtherWords', { word: token })}
    <select id="models-words"
      @change=${(/** @type {InputEvent & { target: HTMLSelectElement }} */ { target }) =>
        act.exchange(
          query,
          target.value,
        )}>${words.includes(token) ? nothing : html`<option>${token}</option>`}${words.map(
        word => html`<option .selected=${word === token}>${word}</option>`,
      )}</select></label>`
}

/** Lists the words of the text that are not in the vocabulary. @param {Room} room */
function unknownWords({ t, run, openModel }) {
  if (!run?.unknown.length || !openModel) return nothing
  const words = [...new Set(run.unknown.map(i => t('modelsQuoted', { word: run.tokens[i] })))].join(t('comma'))
  return html`<p class="note models-hint" id="models-unknown">${t('modelsUnknown', { words, count: openModel.vocab })}</p>`
}

/** Returns the weights of the selected token on each key, in the open head, the head under the pointer, or the only head of the stack. @param {Room} room */
function weightsOf(room) {
  const { head, view, maps, isChanged } = room
  const { query, pointed } = view
  if (query === undefined) return undefined
  if (maps?.cells) return weightsOfLooks(room, maps.columns)
  const matrix = head ? matrixOf(room, isChanged) : undefined
  const columns = matrix?.dims[1] ?? maps?.columns ?? 0
  if (matrix) return matrix.data.subarray(query * columns, (query + 1) * columns)
  const at = pointed ?? (maps?.layers === 1 && maps.numHeads === 1 ? { layer: 0, head: 0 } : undefined)
  if (!at || !maps || maps.cells) return undefined
  return mapAt(maps, at).subarray(query * columns, (query + 1) * columns)
}

/** Returns the weights on the strongest keys of the selected token in a long text. @param {Room} room @param {number} columns */
function weightsOfLooks(room, columns) {
  const looks = looksOf(room)
  if (!looks) return undefined
  const weights = new Float32Array(columns)
  for (const { key, weight } of looks.from) weights[key] = Math.max(weights[key], weight)
  return weights
}

/** @param {Room} room @param {readonly string[]} tokens @param {'queries' | 'keys' | 'both'} side @param {string} label */
function tokenRow(room, tokens, side, label) {
  const { act, view, settings, isDark, run, stack, t, generated } = room
  const isEncoder = stack === 'encoder'
  const isQueries = side === 'both' || (side === 'keys' ? isEncoder : !isEncoder)
  const isKeys = side === 'both' || (side === 'keys' ? stack !== 'decoder' : stack === 'decoder')
  const weights = isKeys ? weightsOf(room) : undefined
  const { colours, inks } = paletteOf('sequential', isDark)
  const end = weights ? weights.reduce((most, weight) => Math.max(most, weight), 1e-9) : 1
  const count = side === 'both' ? generated.length : 0
  const known = settings.generated.length - view.steps.length // number of generated tokens that came with a link, which stores only ids
  const unknown = new Set(run?.unknown)
  const gloss = glossOf(room)
  const parts = run && side !== 'queries' ? piecesIn(run, MANY).parts : undefined
  const answers = new Map((run?.answers ?? []).map(answer => [answer.row, answer]))
  const isMarked = (/** @type {number} */ i) => tokens.length > MANY && (weights?.[i] ?? 0) > 0
  const word = (/** @type {string} */ token, /** @type {number} */ i) => {
    const step = weights ? stepOf(weights[i] ?? 0, [0, end]) : undefined
    const isSelected = (isQueries && view.query === i) || (isKeys && view.keyWord === i)
    const isGenerated = i >= tokens.length - count
    const generation = isGenerated ? view.steps[i - tokens.length + count - known] : undefined
    const isUnknown = side !== 'queries' && unknown.has(i)
    const answer = side === 'both' ? answers.get(i) : undefined
    const select = (/** @type {boolean} */ isSecond) =>
      act.selectWord(isGenerated ? i - 1 : i, isSecond, isQueries ? 'queries' : 'keys')
    return html`<button type="button"
      class="word-button ${isSelected ? 'is-selected' : ''} ${view.found === i ? 'is-found' : ''}
        ${isGenerated ? 'is-generated' : ''} ${isUnknown ? 'is-unknown' : ''} ${parts?.has(i) ? 'is-part' : ''}"
      aria-pressed=${isSelected} data-word="${side}:${i}" data-gloss=${gloss?.(token) ?? nothing}
        title=${generation ? othersOf(room, generation) : side === 'queries' ? nothing : knownWords(room, i)}
        @pointerdown=${(/** @type {PointerEvent} */ event) => held(event, () => select(true))}
        @pointerup=${released} @pointercancel=${released}
      @click=${(/** @type {MouseEvent} */ { shiftKey }) => select(shiftKey)}><span class="token"
        .style=${step === undefined ? '' : `background: ${colours[step]}; color: ${inks[step]}`}>${token}</span>${
          isMarked(i)
            ? html`<small class="weight">${percent(weights?.[i] ?? 0)}</small>`
            : html`<sub aria-hidden="true">${i + 1}</sub>`
        }${
          answer
            ? html`<small class="models-answer">${t('modelsAnswerHere', {
                token: answer.token,
                share: percent(answer.probability),
              })}</small>`
            : nothing
        }</button>`
  }
  if (tokens.length > MANY) {
    return html`<div class="token-row is-many"><span class="token-row-label">${label}</span>
      <long-words .words=${tokens} .draw=${word} .target=${view.found ?? view.query ?? -1} .label=${t('modelsWords')}></long-words>
      ${longWords.draw(({ finder }) => (side === 'queries' ? nothing : finder(room, tokens)))}</div>`
  }
  return html`<div class="token-row ${tokens.length > 60 ? 'is-long' : ''}"><span class="token-row-label">${label}</span>
    <div class="token-row-words">${tokens.map(word)}${side === 'both' ? nextWord(room) : nothing}</div></div>`
}

/** Draws the letters that most likely complete the word that a token begins. @param {Pick<Room, 'got' | 'run'>} room @param {number} id */
export function ending(room, id) {
  const letters = endingOf(room, id)
  return letters ? html`<span class="ending">${letters}</span>` : nothing
}

/** Draws the predicted next token at the end of the text. @param {Room} room */
function nextWord(room) {
  const { t, run, openModel } = room
  const [first] = run?.top ?? []
  if (!run || !first || !openModel?.stacks.decoder || openModel.predicts !== 'token') return nothing
  if (run.row !== run.tokens.length - 1) return nothing
  return html`<output class="next-answer" aria-live="off" title=${t('modelsSaysAfter')}><span
    class="token">${first.token}${ending(room, first.id)}</span> <small>${percent(first.probability)}</small></output>`
}

/** Returns a tooltip that lists the words that can replace a token. @param {Room} room @param {number} at */
function knownWords(room, at) {
  const words = wordsFor(room, at)
  return words.length
    ? `${room.t('modelsOtherWords', { word: room.run?.tokens[at] ?? '' })} ${words.join(' ')}`
    : nothing
}

/** Lists the most likely tokens of a step. @param {Room} room @param {import('../prediction/generate.js').Step} step */
const othersOf = ({ t }, { others }) =>
  others.map(({ token, probability }) => `${token} ${percent(probability)}`).join(t('comma'))

/** @param {Room} room */
function tabs({ t, act, run, stack }) {
  const names = namesIn(run?.maps ?? {})
  return html`<div class="models-stacks" role="group" aria-label=${t('modelsStacks')}>${names.map(
    name =>
      html`<button type="button" class="tab" data-stack=${name} aria-pressed=${name === stack}
        @click=${() => act.chooseStack(name)}>${t(`modelsStack.${name}`)}</button>`,
  )}</div>`
}
