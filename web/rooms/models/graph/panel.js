// Draws "Graph of heads": the drawing, the share to explain, sentences about parts and edges, the test of an edge, and exports.

import { html, nothing, svg } from 'lit'
import { headGraph } from 'qkv/interpret'
import { percent } from '../../../files/number-format.js'
import { signed } from '../../../ui/contributions.js'
import { duration } from '../long-text/limits.js'
import { megabytes } from '../open/sources.js'
import { nameOf } from '../shown.js'
import { drawingOf, HIGH, SIDE } from './layout.js'
import { edgeName, nodeName, readGraph, SHARES, writeGraph } from './setting.js'

/** @import { GraphEdges, GraphSetting, Room } from '../models.js' */
/** @import { Drawing, DrawnNode, GraphEdge, GraphNode } from './layout.js' */
/** @import { HeadGraph } from 'qkv/interpret' */
/** @typedef {import('../../../shell/room.js').Translate<keyof typeof import('../../../i18n/en/graph.js').texts>} GraphTexts */
/** @typedef {Event & { target: HTMLInputElement }} InputEvent */
/** @typedef {{ graph: HeadGraph, drawing: Drawing }} Made */
/**
 * State shared by the parts of the panel.
 * @typedef {Made & { room: Room, g: GraphTexts, found: GraphEdges, setting: GraphSetting, change: (next: Partial<GraphSetting>) => void }} Panel
 */

const DIGITS = 2
/** Maximum number of edges to draw; more could not be told apart. */
const MOST_EDGES = 250
const DASHES = { q: '2 3', k: '7 3', v: '', input: '' }
const FONT = 'system-ui, sans-serif'

/** Caches graphs with their drawings, by edges and then by share in percent. @type {WeakMap<GraphEdges, Map<number, Made>>} */
const made = new WeakMap()

/** Returns the graph that explains a share of the answer. @param {GraphEdges} found @param {number} share in percent @returns {Made} */
function graphAt(found, share) {
  const known = made.get(found) ?? new Map()
  made.set(found, known)
  const graph = known.get(share)?.graph ?? headGraph(found.edges, { share: share / 100, most: MOST_EDGES })
  const own = known.get(share) ?? { graph, drawing: drawingOf(graph, found) }
  known.set(share, own)
  return own
}

/** Capitalises the first letter of a sentence. @param {string} text */
const sentence = text => text.charAt(0).toUpperCase() + text.slice(1)

/** Returns the word at the position of a part. @param {GraphEdges} found @param {GraphNode} node */
const wordOf = ({ words, encoded }, { place, position = 0 }) =>
  (place === 'encoder' ? encoded : words)?.[position] ?? ''

/** Returns the values to insert into texts about a part. @param {Panel} panel @param {GraphNode} node */
function said({ room: { t }, found }, node) {
  const { layer = 0, head = 0, position = 0, place } = node
  const stack = place ? ` (${t(`modelsStack.${place}`)})` : ''
  return {
    name: nameOf({ layer, head }) + stack,
    layer: layer + 1 + stack,
    word: wordOf(found, node),
    position: position + 1,
    first: found.tokens[0],
  }
}

/** Describes a part. @param {Panel} panel @param {GraphNode} node */
const nodeText = (panel, node) => panel.g(`graphAt.${node.kind}`, said(panel, node))

/** Describes a part and its share; for an MLP, why it cannot be opened. @param {Panel} panel @param {GraphNode} node */
function shareText(panel, node) {
  const text = sentence(panel.g('graphNode', { node: nodeText(panel, node), share: percent(node.share) }))
  return node.kind === 'mlp' ? `${text} ${panel.g('graphMlp')}` : text
}

/** Describes which part an edge leads from, and which part reads it: as query, key, value or input. @param {Panel} panel @param {GraphEdge} edge */
function readsText(panel, { from, to, reads }) {
  const { g } = panel
  const written = from.kind === 'logits' ? '' : g(`graphFrom.${from.kind}`, said(panel, from))
  return sentence(g(`graphReads.${reads}`, { from: written, to: nodeText(panel, to) }))
}

/** Describes the effect of an edge. @param {Panel} panel @param {GraphEdge} edge */
function edgeText(panel, edge) {
  const { g, found } = panel
  const does = { first: found.tokens[0], effect: signed(edge.effect, DIGITS), share: percent(edge.share) }
  return `${readsText(panel, edge)} ${g(edge.effect < 0 ? 'graphHelps' : 'graphHinders', does)}`
}

/** Opens the page of a head at the word of its node; for the node of a word, only selects the word. @param {Panel} panel @param {GraphNode} node */
function openNode({ room: { act } }, { kind, place, layer = 0, head = 0, position = 0 }) {
  const stack = place ?? ''
  if (kind === 'head') act.openFromGraph({ head: { stack, layer, head } }, position, stack)
  if (kind === 'embedding') act.openFromGraph({}, position, stack)
}

/** Returns the name of the part or edge that is the target of an event. @param {Event} event */
const nameAt = ({ target }) =>
  target instanceof Element ? (target.closest('[data-part]')?.getAttribute('data-part') ?? '') : ''

/**
 * Returns the node that an arrow key moves to from `node`, if any.
 * @param {DrawnNode[]} nodes
 * @param {DrawnNode} node
 * @param {string} key
 */
function next(nodes, node, key) {
  const [row, side] = [
    key === 'ArrowUp' ? 1 : key === 'ArrowDown' ? -1 : 0,
    key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0,
  ]
  if (!row && !side) return undefined
  const ahead = nodes.filter(each =>
    row ? each.row === node.row + row : each.row === node.row && (each.x - node.x) * side > 0,
  )
  return ahead.sort((a, b) => Math.abs(a.x - node.x) - Math.abs(b.x - node.x))[0]
}

/** Shortens a word to the width of its column. @param {string} word @param {number} width */
function cut(word, width) {
  const letters = Array.from(word)
  const most = Math.floor((width - 10) / (letters.some(letter => letter > '\u2e80') ? 12 : 7))
  return letters.length > most ? `${letters.slice(0, Math.max(1, most - 1)).join('')}…` : word
}

/** @param {Panel} panel */
function picture(panel) {
  const { room, g, drawing, setting, change } = panel
  const { act, view } = room
  const { nodes, edges, rows, columns, gaps, width, height } = drawing
  const pointed = [...nodes, ...edges].some(({ name }) => name === view.graphPointed) ? view.graphPointed : ''
  const current = nodes.find(({ name }) => name === pointed) ?? nodes[nodes.length - 1]
  const near = edges.filter(({ name, from, to }) => [name, from.name, to.name].includes(pointed))
  const lit = new Set([pointed, ...near.flatMap(({ name, from, to }) => [name, from.name, to.name])])
  const dim = (/** @type {string} */ name) => (pointed && !lit.has(name) ? 'is-dim' : '')
  const point = (/** @type {Event} */ event) => {
    const name = nameAt(event)
    if (name !== view.graphPointed) act.show({ graphPointed: name })
  }
  const choose = (/** @type {Event} */ event) => {
    const name = nameAt(event)
    const chosen = nodes.find(each => each.name === name)
    if (chosen) openNode(panel, chosen.node)
    else if (name) change({ edge: name, isTested: false })
  }
  const press = (/** @type {KeyboardEvent & { currentTarget: Element }} */ event) => {
    const own = nodes.find(({ name }) => name === nameAt(event))
    if (!own) return
    const isEnter = event.key === 'Enter' || event.key === ' '
    if (isEnter) openNode(panel, own.node)
    const to = next(nodes, own, event.key)
    const element = to && event.currentTarget.querySelector(`[data-part="${to.name}"]`)
    if (element instanceof SVGElement) element.focus()
    if (to || isEnter) event.preventDefault()
  }
  const label = (/** @type {GraphNode} */ { kind, place, layer = 0 }) =>
    kind === 'head' || kind === 'mlp'
      ? g(kind === 'mlp' ? 'graphMlpRow' : place ? `graphPlace.${place}` : 'graphLayer', { layer: layer + 1 })
      : g(kind === 'logits' ? 'graphAnswer' : 'graphWords')
  const named = (/** @type {DrawnNode} */ { node: { kind, layer = 0, head = 0 }, word, width }) =>
    kind === 'head' ? nameOf({ layer, head }) : kind === 'mlp' ? 'MLP' : cut(word, width)
  return html`<div class="scroll graph-scroll"><svg id="graph-picture" xmlns="http://www.w3.org/2000/svg" role="group"
    aria-label=${g('graphLabel')} width=${width} height=${height} viewBox="0 0 ${width} ${height}" font-family=${FONT}
    font-size="12"
    @pointerover=${point} @pointerleave=${() => act.show({ graphPointed: '' })} @focusin=${point} @click=${choose} @keydown=${press}>
    <rect width=${width} height=${height} fill="var(--paper)"></rect>
    ${rows.map(
      row =>
        svg`<line x1=${SIDE - 8} x2=${width} y1=${row.y} y2=${row.y} stroke="var(--rule)"></line><text x="2" y=${row.y}
          dy="0.35em" fill="var(--quiet)">${label(row.node)}</text>`,
    )}
    ${gaps.map(x => svg`<text x=${x} y=${rows[0].y} dy="1.9em" text-anchor="middle" fill="var(--quiet)">…</text>`)}
    ${columns.map(({ word, isNode, x, width }) =>
      isNode
        ? nothing
        : svg`<text x=${x} y=${rows[0].y} dy="1.9em" text-anchor="middle" fill="var(--quiet)">${cut(word, width)}</text>`,
    )}
    <g fill="none">${edges.map(({ edge, name, path, weight }) => {
      const isChosen = name === setting.edge
      const colour = isChosen ? 'var(--accent)' : edge.effect < 0 ? 'var(--positive)' : 'var(--negative)'
      return svg`<g class="graph-edge ${dim(name)}" data-part=${name} data-effect=${edge.effect}>
        <path d=${path} stroke=${colour} stroke-width=${weight.toFixed(2)}
          stroke-dasharray=${DASHES[edge.reads] || nothing} stroke-opacity="0.8"></path>
        <path class="graph-hit" d=${path} stroke="transparent" stroke-width="12"></path></g>`
    })}</g>
    ${nodes.map(each => {
      const { node, name, x, y, width } = each
      const isButton = node.kind === 'head' || node.kind === 'embedding'
      return svg`<g class="graph-node ${dim(name)} ${isButton ? 'is-button' : ''}" data-part=${name}
        data-kind=${node.kind} tabindex=${each === current ? 0 : -1} role=${isButton ? 'button' : 'img'}
        aria-label=${shareText(panel, node)}>
        <rect x=${x - width / 2} y=${y - HIGH / 2} width=${width} height=${HIGH}
          rx=${node.kind === 'mlp' ? 2 : HIGH / 2} fill=${isButton ? 'var(--raised)' : 'var(--paper)'}
          stroke=${name === pointed ? 'var(--accent)' : isButton ? 'var(--field)' : 'var(--rule)'}></rect>
        <text x=${x} y=${y} dy="0.35em" text-anchor="middle" fill="var(--ink)">${named(each)}</text></g>`
    })}
  </svg></div>`
}

/** Describes the part or edge under the pointer, or the selected edge with its test. @param {Panel} panel */
function told(panel) {
  const { room, g, drawing, setting, change, found } = panel
  const { act, view, got } = room
  const at = (/** @type {string} */ name) => drawing.edges.find(each => each.name === name)?.edge
  const edge = at(view.graphPointed)
  const { node } = drawing.nodes.find(({ name }) => name === view.graphPointed) ?? {}
  const chosen = at(setting.edge)
  const says = edge
    ? edgeText(panel, edge)
    : node
      ? shareText(panel, node)
      : chosen
        ? edgeText(panel, chosen)
        : `${g('graphPoint')} ${g('graphKeys')}`
  const sign = html`<p class="graph-said" id="graph-said" role="status">${says}</p>`
  if (!chosen) return sign
  const test = setting.isTested && got.graphEdge?.is === 'here' ? got.graphEdge.value : undefined
  const { layer = 0, head = 0, position: row = 0, kind } = chosen.to
  /** @type {import('../../../attention-head/head.js').Stack} */
  const stack = chosen.to.place ?? ''
  const column = chosen.from.position ?? 0
  const isWeight = chosen.reads === 'k' || chosen.reads === 'v'
  const place = { head: { stack, layer, head }, cell: { matrix: 'weights', row, column } }
  const open = () => act.openFromGraph(isWeight ? place : { head: place.head }, row, stack)
  return html`${sign}
    ${view.graphPointed && view.graphPointed !== setting.edge ? html`<p class="note">${readsText(panel, chosen)}</p>` : nothing}
    <p class="buttons">
      <button type="button" class="tool is-filled" id="graph-test" ?disabled=${setting.isTested}
        @click=${() => change({ isTested: true })}>${g('graphTest')}</button>
      ${
        kind === 'head'
          ? html`<button type="button" class="tool" id="graph-open"
            @click=${open}>${isWeight ? g('graphOpenWeight') : g('graphOpenHead', { name: nameOf({ layer, head }) })}</button>`
          : nothing
      }
      <button type="button" class="tool" id="graph-drop" @click=${() => change({ edge: '', isTested: false })}>${g('graphDrop')}</button>
    </p>
    <p id="graph-tested" role="status" data-effect=${test?.effect ?? nothing}>${
      test
        ? g('graphTested', {
            first: found.tokens[0],
            value: test.value.toFixed(DIGITS),
            after: (test.value + test.effect).toFixed(DIGITS).replace('-', '−'),
            effect: signed(test.effect, DIGITS),
            estimate: signed(chosen.effect, DIGITS),
          })
        : setting.isTested && got.graphEdge?.is === 'waiting'
          ? g('graphTesting')
          : ''
    }</p>`
}

/** @param {GraphTexts} g */
const legend = g => {
  const line = (/** @type {string} */ colour, /** @type {keyof typeof DASHES} */ reads) =>
    html`<svg width="30" height="10" aria-hidden="true"><line x2="30" y1="5" y2="5" stroke=${colour} stroke-width="3"
      stroke-dasharray=${DASHES[reads] || nothing}></line></svg>`
  return html`<p class="legend graph-legend">
    <span>${line('var(--positive)', 'v')} ${g('graphSupports')}</span> <span>${line('var(--negative)', 'v')} ${g('graphAgainst')}</span>
    <span>${line('var(--field)', 'v')} ${g('graphAs.v')}, ${g('graphAs.input')}</span>
    <span>${line('var(--field)', 'k')} ${g('graphAs.k')}</span> <span>${line('var(--field)', 'q')}
      ${g('graphAs.q')}</span></p>`
}

/** @param {Panel} panel */
function list(panel) {
  const { room, g, graph, setting, change } = panel
  return html`<details class="graph-list"><summary>${g('graphList', { edges: graph.edges.length })}</summary><ol>${graph.edges.map(
    edge => {
      const { from, to, reads, effect } = edge
      const name = edgeName(edge)
      const short = g('graphShort', { from: nodeText(panel, from), to: nodeText(panel, to) })
      return html`<li><button type="button" class="addend-open" data-edge=${name} aria-pressed=${name === setting.edge}
      @focus=${() => room.act.show({ graphPointed: name })} @blur=${() => room.act.show({ graphPointed: '' })}
        @click=${() => change({ edge: name, isTested: false })}>${sentence(short)} (${g(`graphAs.${reads}`)}):
      ${signed(effect, DIGITS)}</button></li>`
    },
  )}</ol></details>`
}

/** Exports the drawing as an SVG file in light colours. @param {Element} picture */
function svgFile(picture) {
  const copy = /** @type {Element} */ (picture.cloneNode(true))
  for (const each of copy.querySelectorAll('.graph-hit')) each.remove()
  const colours = getComputedStyle(document.documentElement)
  const colourOf = (/** @type {string} */ _, /** @type {string} */ name) =>
    colours
      .getPropertyValue(name)
      .replace(/^\s*light-dark\(([^,]+),.*$/, '$1')
      .trim()
  return new XMLSerializer()
    .serializeToString(copy)
    .replace(/<!--.*?-->/g, '')
    .replace(/ (?:class|role|id|tabindex|aria-label|data-kind)="[^"]*"/g, '')
    .replace(/var\((--\w+)\)/g, colourOf)
}

/** Exports the graph as JSON. @param {Panel} panel */
function jsonFile({ room: { text, openModel }, graph, found }) {
  const { share, nodes, edges } = graph
  const [answer, secondGuess] = found.tokens
  const listed = nodes.map(node => {
    const word = node.position === undefined ? answer : wordOf(found, node)
    return { id: nodeName(node), word, ...node }
  })
  const named = edges.map(({ from, to, ...rest }) => ({ from: nodeName(from), to: nodeName(to), ...rest }))
  const { value: lead } = found.edges
  const made = {
    model: openModel?.name,
    text,
    answer,
    secondGuess,
    lead,
    replacedBy: 'mean',
    share,
    nodes: listed,
    edges: named,
  }
  return JSON.stringify(made, null, 1)
}

/** Draws the graph with its controls. @param {Panel} panel */
function explained(panel) {
  const { room, g, graph, setting, change, found } = panel
  const { act, active } = room
  const [first, second] = found.tokens
  const [between] = graph.edges
    .filter(({ from, to }) => from.kind === 'head' && to.kind === 'head')
    .sort((a, b) => a.effect - b.effect)
  const isLess = graph.share < setting.share / 100 - 1e-6
  const counts = { parts: graph.nodes.length, edges: graph.edges.length, share: percent(graph.share) }
  const slide = (/** @type {InputEvent} */ { target }) => change({ share: Number(target.value) })
  const save = (/** @type {Event & { target: Element }} */ { target }) => {
    const picture = target.closest('.graph')?.querySelector('#graph-picture')
    if (picture) act.save('graph.svg', svgFile(picture), 'image/svg+xml')
  }
  return html`<div class="graph">
    <p>${g('graphSay', { first, second, value: found.edges.value.toFixed(DIGITS) })} ${active.length ? g('graphPlain') : nothing}</p>
    <label class="graph-share">${g('graphShare', { share: `${setting.share}%` })} <input type="range" id="graph-share"
      min=${SHARES.least} max=${SHARES.most} step=${SHARES.step} .value=${String(setting.share)}
      @input=${slide} /></label>
    <p id="graph-counts" role="status" data-edges=${graph.edges.length}
      data-share=${graph.share}>${g(isLess ? 'graphMost' : 'graphCounts', counts)}</p>
    ${
      between
        ? html`<p id="graph-found">${g('graphFound')} <button type="button" class="addend-open"
          data-edge=${edgeName(between)}
          @click=${() => change({ edge: edgeName(between), isTested: false })}><b>${readsText(panel, between)}</b></button></p>`
        : nothing
    }
    <div class="graph-parts">${picture(panel)}<div class="graph">${told(panel)} ${legend(g)} ${list(panel)}</div></div>
    <p class="buttons"><button type="button" class="tool" id="graph-svg" @click=${save}>${g('graphSvg')}</button>
      <button type="button" class="tool" id="graph-json"
        @click=${() => act.save('graph.json', jsonFile(panel), 'application/json')}>${g('graphJson')}</button></p>
    <p class="note">${g('graphNote')}</p></div>`
}

/** Shows the progress of the graph, its estimated cost, or that it was cancelled. @param {Room} room @param {GraphTexts} g */
function waiting({ t, act, got, run }, g) {
  const own = got.graph
  if (own?.is === 'waiting' && own.progress) {
    const { layer, layers, share, seconds } = own.progress
    return html`<div class="models-progress" id="graph-progress" role="status">
      <span>${g('graphComputing', { layer, layers, seconds: seconds.toFixed(1) })}</span>
      <progress max="1" .value=${share} aria-label=${t('modelsGraph')}></progress>
      <button type="button" class="tool" id="graph-cancel" @click=${() => act.cancel('graph')}>${t('cancel')}</button></div>`
  }
  const takes = own?.is === 'here' && 'takes' in own.value ? own.value.takes : undefined
  if (!takes && own?.is !== 'cancelled') return html`<p class="note">${own?.is === 'failed' ? '' : t('loading')}</p>`
  const said = takes
    ? g('graphTakes', {
        tokens: run?.ids.length ?? 0,
        time: duration(t, takes.seconds),
        memory: megabytes(takes.bytes),
      })
    : g('graphCancelled')
  return html`<div class="models-progress" id="graph-takes" role="status"><span>${said}</span>
    <button type="button" class="tool is-filled" id="graph-compute" @click=${() => act.agreeToGraph()}>${g('graphCompute')}</button></div>`
}

/** @param {Room} room @param {GraphTexts} g */
export function graphPanel(room, g) {
  const { settings, got } = room
  const setting = readGraph(settings.graph)
  const found = got.graph?.is === 'here' ? got.graph.value : undefined
  if (found && 'isTooLong' in found) return html`<p class="note" id="graph-none">${g('graphTooLong')}</p>`
  if (!found || 'takes' in found) return waiting(room, g)
  const change = (/** @type {Partial<GraphSetting>} */ next) => room.act.setGraph(writeGraph({ ...setting, ...next }))
  return explained({ room, g, found, setting, change, ...graphAt(found, setting.share) })
}
