// Loads the tensors of a checkpoint as the weights of a family, and packs them in the module's memory. If tensors are missing, unexpected or
// of a wrong shape, one error lists them all.

import { entryOf } from '../../base/entry.js'
import { describe } from '../../base/errors.js'
import { count, Tensor } from '../../base/tensor.js'
import { DeferredWeight, packLinear, roundToBfloat16 } from '../../layers/packed-linear.js'
import { expectCore } from '../../runtime/core-of.js'
import { addressOf } from '../../runtime/resident.js'
import { readExactly } from '../source/source.js'
import { FLOATS, readNumbers, widen } from './safetensors.js'
import { bytesOf, TYPES, typeOf } from './weight-types.js'

/** @import { Qkv } from '../../qkv.js' */
/** @import { FloatTensor } from '../../base/tensor.js' */
/** @import { PackedLinear } from '../../layers/packed-linear.js' */
/** @import { Family, LinearSpec, NormSpec, TableSpec } from '../family-shapes/parts.js' */
/** @import { StoredBlocks, StoredTensor } from './safetensors.js' */
/** @import { WeightPlace, WeightTypes } from './weight-types.js' */
/** Progress of loading, in bytes. Downloads also have `rate`, in bytes per second, and `secondsLeft`. @typedef {{ loaded: number, total: number, name: string, rate?: number, secondsLeft?: number }} Progress */
/** A chunk of a tensor, with its numbers as stored in the file; `address` if they lie in the module, as float32. @typedef {{ data: Float32Array | Uint16Array | Uint8Array, dims: readonly number[], dtype: string, blocks?: StoredBlocks, address?: number }} Raw */

/**
 * A tensor to read, and what is made of it.
 * @typedef {object} Need
 * @property {string} name
 * @property {readonly number[]} dims
 * @property {{ key: string, spec: LinearSpec, place?: WeightPlace, biasName?: string, bias: () => FloatTensor | undefined }[]} layers
 *   linear layers to pack from it, all with the same `place`
 * @property {((raw: Raw) => void)[]} takes functions to call with its numbers
 * @property {Piece[]} pieces what it holds
 *
 * A part of the model that is stored in a tensor, or in some of its rows. It is the weight (out, in) or the bias of a linear layer (then
 * with the layer's spec), the weight or the bias of a norm, or a table.
 * @typedef {{ key: string, spec?: LinearSpec }} Piece
 */

/** @typedef {(key: string, name: string, dims: readonly number[], use: Need['layers'][0] | Need['takes'][0], spec?: LinearSpec) => void} AddNeed */

const CHUNK = 2 ** 20 // bytes per read; a chunk is packed while the next ones are read

/** @param {LinearSpec} spec */
export const keyOf = ({ name, part }) => (part === undefined ? name : `${name}[${part}]`)

/**
 * Returns the embedding spec of a stack: that of the family, with the stack's changes.
 * @param {Family} family
 * @param {import('../family-shapes/parts.js').StackSpec} stack
 * @returns {import('../family-shapes/parts.js').EmbeddingSpec}
 */
export const embeddingOf = ({ embedding }, stack) => Object.assign({}, embedding, stack.embedding)

export class ModelWeights {
  #qkv
  /** @type {Map<string, PackedLinear>} */
  #linears = new Map()
  /** @type {Map<string, { weight: FloatTensor, bias?: FloatTensor }>} */
  #norms = new Map()
  /** Norms whose weight is a constant that no file stores. @type {Set<NormSpec>} */
  #constants = new Set()
  /** @type {Map<string, Raw>} */
  #tables = new Map()
  /** @type {Set<{ dispose: () => void }>} */
  #resident = new Set()
  /** True if there is a head, which computes logits. */
  hasHead = true
  hasPooler = true
  /** ALiBi slopes of a stack. @type {FloatTensor | undefined} */
  alibi
  /** Stored tensors that are used. @type {StoredTensor[]} */
  used = []
  /** Names of stored tensors that are not used. @type {string[]} */
  ignored = []

  /** @param {Qkv} [qkv] module that holds the weights; not needed for `plan` @param {import('./read-types.js').NumberOptions} [kept] how numbers are stored */
  constructor(qkv, kept = {}) {
    this.#qkv = /** @type {Qkv} */ (qkv)
    this.kept = kept
  }

  /** @param {LinearSpec} spec */
  linear(spec) {
    return entryOf(this.#linears, keyOf(spec))
  }

  /** @param {NormSpec} spec */
  norm(spec) {
    return entryOf(this.#norms, spec.name)
  }

  /** @param {TableSpec} spec */
  table(spec) {
    return floats(entryOf(this.#tables, spec.name))
  }

  /**
   * Returns a row of a table as floats. The table of tokens may be the weight of the head.
   * @param {TableSpec} spec
   * @param {number} n
   * @returns {Float32Array}
   */
  row({ name, columns }, n) {
    const table = this.#tables.get(name)
    if (!table) return this.head.row(n).weight
    const { data, dims } = table
    const width = data.length / dims[0]
    return wide({ ...table, data: data.subarray(n * width, (n + 1) * width) }).subarray(0, columns)
  }

  /** Returns the types of the packed weights. */
  get dtypes() {
    return new Set(Array.from(this.#linears.values(), ({ dtype }) => dtype))
  }

  /** Returns the linear layer that computes the logits. */
  get head() {
    return entryOf(this.#linears, 'head')
  }

  dispose() {
    for (const held of this.#resident) held.dispose()
    this.#resident.clear()
  }

  /**
   * Checks all names and shapes. Returns what to read, and the bytes that it takes in the file, as loaded, and in each dtype.
   * @param {Family} family
   * @param {Map<string, StoredTensor>} stored
   * @param {WeightTypes} [types] types in memory, for `bytes.loaded`; default: as stored
   */
  async plan(family, stored, types) {
    const tensors = this.#canonical(family, stored)
    const names = [...tensors.keys()]
    const { optional } = family.head
    const { isHeadless, classes } = family
    this.hasHead = !isHeadless && (!optional || names.some(name => optional.test(name)))
    this.hasPooler =
      family.pooler !== undefined && (classes?.row === 'pooled' || tensors.has(`${family.pooler.name}.weight`))
    const ignored = isHeadless && optional ? new RegExp(`${family.ignored.source}|${optional.source}`) : family.ignored
    const needs = this.#needs(family)
    const misfit = (/** @type {string} */ name) => {
      const [need, tensor] = [needs.get(name), tensors.get(name)]
      if (!need || !tensor) return need || !ignored.test(name)
      return !FLOATS.includes(tensor.dtype) || String(tensor.dims) !== String(need.dims)
    }
    if ([...needs.keys(), ...names].some(misfit))
      throw (await import('../config/refusals.js')).otherTensors(needs, tensors, ignored, FLOATS)
    this.ignored = names.filter(name => !needs.has(name))
    this.used = [...needs.keys()].map(name => entryOf(tensors, name))
    const bytes = { stored: 0, loaded: 0, float32: 0, float16: 0, bfloat16: 0, int8: 0, int4: 0 }
    let parameters = 0
    for (const [name, { layers }] of needs) {
      const tensor = entryOf(tensors, name)
      const { dims, from, to, bytes: inFile = to - from } = tensor
      const size = count(dims)
      const [layer] = layers
      const other = isTokens(family, name) && tensor.blocks ? inFile : to - from
      const memory = (/** @type {ReturnType<typeof typeOf>} */ type) =>
        layer ? bytesOf(type, size, layer.spec.in) : other
      parameters += size
      bytes.stored += inFile
      bytes.loaded += memory(typeOf(types, layer?.place, tensor))
      for (const type of TYPES) bytes[type] += memory(type)
    }
    return { tensors, needs, bytes, parameters }
  }

  /**
   * @param {Family} family
   * @param {Map<string, StoredTensor>} stored
   * @param {{ signal?: AbortSignal, onProgress?: (progress: Progress) => void }} options
   */
  async load(family, stored, { signal, onProgress }) {
    const { dtype } = this.kept
    const { tensors, needs, bytes } = await this.plan(family, stored, dtype)
    // Layers are packed chunk by chunk if their layout allows it; other tensors are read whole.
    const jobs = [...inFileOrder(tensors, needs)].flatMap(({ need, tensor }) => {
      const [first, ...others] = need.layers
      const type = typeOf(dtype, first?.place, tensor)
      const blocks = (first ? type === tensor.blocks?.type : isTokens(family, need.name)) ? tensor.blocks : undefined
      const rows = blocks?.rows ?? tensor.dims[0]
      // With layout 'in,out', a chunk has some of the inputs of every output. Only float32 and int4 can be packed from such a chunk. int4 has
      // blocks of 32 inputs, so `step` is a multiple of 32.
      const isChunked =
        first?.spec.layout && !blocks
          ? type === 'float32' || type === 'int4'
          : first && !first.spec.row && !others.length
      const perRow = blocks?.width ?? (tensor.to - tensor.from) / rows
      const step = isChunked ? Math.max(32, Math.floor(CHUNK / perRow / 32) * 32) : rows
      return Array.from({ length: Math.ceil(rows / step) }, (_, n) => {
        const from = n * step
        return { need, tensor, blocks, perRow, from, rows: Math.min(step, rows - from), of: rows }
      })
    })
    // Reads up to 7 chunks ahead of chunk n, which is packed. Chunks of linear layers use three buffers in turn, so only two of them can be
    // read ahead.
    const buffers = [0, 1, 2].map(() => new Uint8Array(0))
    /** @type {Promise<Raw['data']>[]} */
    const reading = []
    let asked = 0 // number of layer chunks requested so far
    let packed = 0
    const readAhead = (/** @type {number} */ n) => {
      for (; reading.length < jobs.length && reading.length < n + 8 && asked < packed + 3; ) {
        const { need, tensor, blocks, perRow, from, rows } = jobs[reading.length]
        const size = rows * perRow
        const at = asked % 3
        if (need.layers.length && buffers[at].length < size) buffers[at] = new Uint8Array(size)
        const buffer = need.layers.length ? buffers[at] : undefined
        const start = from * perRow + (blocks ? 0 : tensor.from)
        const numbers = blocks
          ? readExactly(blocks.source, tensor.file, start, start + size, buffer)
          : readNumbers(tensor, start, start + size, buffer)
        numbers.catch(() => {}) // the error is thrown when this chunk is awaited
        reading.push(numbers)
        if (need.layers.length) asked++
      }
    }
    let loaded = 0
    try {
      expectCore(this.#qkv).reserve(bytes.loaded + CHUNK) // growing memory once is faster, and if it is too small this throws before anything is read
      const { alibi } = family.decoder ?? family.encoder ?? {}
      if (alibi) this.alibi = this.#keep(alibi)
      for (const { name, size, constant = 1 } of this.#constants)
        if (!this.#norms.has(name))
          this.#norms.set(name, { weight: this.#keep(new Tensor(new Float32Array(size).fill(constant), [size])) })
      for (const [n, { need, tensor, blocks, from, rows, of }] of jobs.entries()) {
        signal?.throwIfAborted()
        readAhead(n)
        const data = await reading[n]
        delete reading[n]
        signal?.throwIfAborted()
        const dims = [rows, ...(blocks ? [blocks.columns] : tensor.dims.slice(1))]
        const raw = { data, dims, dtype: tensor.dtype, blocks }
        for (const take of need.takes) take(raw)
        if (need.layers.length) {
          this.#fill(need.layers, raw, from)
          packed++
        }
        loaded += (rows / of) * (tensor.bytes ?? tensor.to - tensor.from)
        onProgress?.({ loaded, total: bytes.stored, name: tensor.name })
      }
      signal?.throwIfAborted()
    } catch (error) {
      this.dispose()
      if (error instanceof RangeError && /out of memory/.test(error.message))
        throw (await import('../config/refusals.js')).tooLarge(bytes, error)
      throw error
    }
  }

  /**
   * Packs a chunk of a stored weight, whose first row is `from`, into each layer that uses some of its rows.
   * @param {Need['layers']} layers
   * @param {Raw} raw
   * @param {number} from
   * @param {WeightTypes} [types] default: the option dtype of the model
   * @param {boolean} [isNew] true creates the layers before the first chunk is packed
   */
  #fill(layers, raw, from, types = this.kept.dtype, isNew = true) {
    const dtype = typeOf(types, layers[0].place, raw)
    if (isNew && from === 0)
      for (const { key, spec, bias } of layers) {
        const weight = /** @type {any} */ (new DeferredWeight([spec.out, spec.in]))
        const { activations } = this.kept
        const own = activations === 'int8' && dtype !== 'int8' ? undefined : activations
        const packed = packLinear(this.#qkv, weight, bias(), { dtype, activations: own })
        this.#resident.add(packed)
        this.#linears.set(key, packed)
      }
    const core = expectCore(this.#qkv)
    const linear = (/** @type {string} */ key) => entryOf(this.#linears, key)
    const { blocks, data } = raw
    if (blocks)
      return core.scope(() => {
        const address = core.copyIn(data)
        for (const { key, spec } of layers) {
          const { out, row } = spec
          if (row) linear(key).fill(0, core.copyIn(rowsOf({ data, dims: raw.dims }, out, row)), out)
          else linear(key).fill(from, address, raw.dims[0])
        }
      })
    const floats = wide(raw)
    const values = dtype === 'bfloat16' && raw.dtype !== 'BF16' ? roundToBfloat16(floats) : floats
    core.scope(() => {
      const address = raw.address ?? core.copyIn(values)
      for (const { key, spec } of layers) {
        const { out, row, layout } = spec
        const [rows, columns] = raw.dims
        const layer = linear(key)
        // In a fused weight with layout 'in,out', the columns of a layer are adjacent. Otherwise its rows may be interleaved with other layers'.
        if (layout) layer.fill(0, address + (row?.(0) ?? 0) * 4, out, columns, { k: from, size: rows })
        else if (row) layer.fill(0, core.copyIn(rowsOf({ data: values, dims: raw.dims }, out, row)), out)
        else layer.fill(from, address, rows)
      }
    })
  }

  /**
   * Returns the stored tensors by the family's names: the optional prefix is removed, old names of norms are replaced.
   * @param {Family} family
   * @param {Map<string, StoredTensor>} stored
   */
  #canonical({ prefix = '' }, stored) {
    /** @type {Map<string, StoredTensor>} */
    const tensors = new Map()
    for (const [name, tensor] of stored) {
      const bare = prefix && name.startsWith(prefix) ? name.slice(prefix.length) : name
      const key = bare.replace(/LayerNorm\.gamma$/, 'LayerNorm.weight').replace(/LayerNorm\.beta$/, 'LayerNorm.bias')
      if (tensors.has(key))
        throw new RangeError(`loadModel: ${describe(name)} and ${describe(tensors.get(key)?.name)} are the same weight`)
      tensors.set(key, tensor)
    }
    return tensors
  }

  /** Lists the tensors that the model needs, by name. @param {Family} family */
  #needs(family) {
    /** @type {Map<string, Need>} */
    const needs = new Map()
    /** @type {Set<string>} */
    const known = new Set()
    /** @type {AddNeed} */
    const add = (key, name, dims, use, spec) => {
      if (known.has(key)) return
      known.add(key)
      const need = needs.get(name) ?? { name, dims, layers: [], takes: [], pieces: [] }
      need.pieces.push({ key, spec })
      if (typeof use === 'function') need.takes.push(use)
      else need.layers.push(use)
      needs.set(name, need)
    }
    /** @type {(spec: LinearSpec, place?: WeightPlace) => void} */
    const linear = (spec, place) => {
      const { name, out, in: size, bias, layout, of = out, row } = spec
      const key = keyOf(spec)
      /** @type {FloatTensor | undefined} */
      let waiting
      if (bias)
        add(
          `${key}.bias`,
          `${name}.bias`,
          [of],
          raw => {
            waiting = row ? new Tensor(rowsOf(floats(raw), out, row), [out]) : floats(raw)
          },
          spec,
        )
      const biasName = bias ? `${name}.bias` : undefined
      add(
        key,
        `${name}.weight`,
        layout ? [size, of] : [of, size],
        { key, spec, place, biasName, bias: () => waiting },
        spec,
      )
    }
    /** @type {(spec: NormSpec | undefined) => void} */
    const norm = spec => {
      if (!spec) return
      if (spec.constant !== undefined) {
        this.#constants.add(spec)
        return
      }
      for (const part of spec.bias ? ['weight', 'bias'] : ['weight'])
        add(`${spec.name}.${part}`, `${spec.name}.${part}`, [spec.size], raw => {
          const kept = this.#keep(floats(raw))
          this.#norms.set(spec.name, { weight: EMPTY, ...this.#norms.get(spec.name), [part]: kept })
        })
    }
    /** @type {(spec: TableSpec | undefined) => void} */
    const table = spec => {
      if (!spec) return
      const name = `${spec.name}.weight`
      add(name, name, [spec.rows, spec.columns], raw => {
        this.#tables.set(spec.name, raw)
      })
    }
    const { embedding, head, pooler } = family
    for (const stack of [family.encoder, family.decoder]) {
      for (const part of stack?.layers.flat() ?? []) {
        norm(part.before)
        norm(part.after)
        norm(part.post)
        const { attention, mlp } = part
        norm(attention?.qNorm)
        norm(attention?.kNorm)
        const { q, k, v } = attention?.global ?? {}
        for (const spec of [attention?.q, attention?.k, attention?.v, attention?.o, q, k, v])
          if (spec) linear(spec, 'attention')
        for (const spec of [mlp?.gate, mlp?.up, mlp?.down]) if (spec) linear(spec, 'mlp')
      }
      norm(stack?.norm)
      table(stack?.relative?.table)
      table(stack?.disentangled?.table)
      norm(stack?.disentangled?.norm)
      if (!stack) continue
      const { norm: first, project, positions, types } = embeddingOf(family, stack)
      norm(first)
      if (project) linear(project)
      table(positions)
      table(types)
    }
    if (head.project || !this.hasHead) table(embedding.tokens) // else the head is tied: its weight is the table
    if (pooler && this.hasPooler) linear(pooler)
    for (const { layer, norm: after } of family.classes?.layers ?? []) {
      linear(layer)
      norm(after)
    }
    if (!this.hasHead) return needs
    if (head.transform) linear(head.transform)
    norm(head.norm)
    this.#headNeeds(family, add)
    return needs
  }

  /** @param {Family} family @param {AddNeed} add */
  #headNeeds({ head, embedding, vocab }, add) {
    const { project } = head
    const name = project ? `${project.name}.weight` : `${embedding.tokens.name}.weight`
    const columns = project ? project.in : embedding.tokens.columns
    const biasName = head.bias ?? (project?.bias ? `${project.name}.bias` : undefined)
    /** @type {FloatTensor | undefined} */
    let bias
    if (biasName)
      add(biasName, biasName, biasName === 'final_logits_bias' ? [1, vocab] : [vocab], raw => {
        bias = floats(raw).reshape([vocab])
      })
    const spec = { name, out: vocab, in: columns }
    add('head', name, [vocab, columns], { key: 'head', spec, place: 'head', biasName, bias: () => bias }, spec)
  }

  /**
   * Lists the tensors that the model uses, by the family's names.
   * @param {Family} family
   * @returns {Map<string, Need>}
   */
  needs(family) {
    return this.#needs(family)
  }

  /**
   * Returns the numbers of a `Piece` as float32.
   * @param {string} key of the piece
   * @returns {Float32Array}
   */
  read(key) {
    const linear = this.#linears.get(key)
    if (linear) return linear.rows()
    const table = this.#tables.get(key.replace(/\.weight$/, ''))
    if (table) return wide(table)
    return this.#small(key).slice()
  }

  /**
   * Replaces the numbers of a piece.
   * @param {Piece} piece
   * @param {FloatTensor} stored a resident tensor of the shape of the piece's stored tensor
   */
  write({ key, spec }, stored) {
    const linear = this.#linears.get(key)
    if (spec && linear) {
      const raw = { data: stored.data, dims: stored.dims, dtype: 'F32', address: addressOf(stored) }
      return this.#fill([{ key, spec, bias: () => undefined }], raw, 0, 'float32', false)
    }
    const values = spec?.row ? rowsOf(stored, spec.out, spec.row) : stored.data
    const table = key.replace(/\.weight$/, '')
    const raw = this.#tables.get(table)
    if (raw) this.#tables.set(table, { data: values.slice(), dims: raw.dims, dtype: 'F32' })
    else this.#small(key).set(values)
  }

  /** Returns a view of the weight or bias of a norm, or of the bias of a linear layer. @param {string} key */
  #small(key) {
    const [, name = '', part] = /^(.*)\.(weight|bias)$/.exec(key) ?? []
    const norm = this.#norms.get(name)
    const held = norm ? norm[/** @type {'bias'} */ (part)]?.data : (this.#linears.get(name) ?? this.head).bias
    return /** @type {Float32Array} */ (held)
  }

  /** Makes a small tensor resident, because every call reads it. @param {FloatTensor} tensor */
  #keep(tensor) {
    const resident = this.#qkv.alloc(tensor.dims)
    this.#resident.add(resident)
    resident.data.set(tensor.data)
    return resident
  }
}

/**
 * Sorts what to read in the order of the file, so that a server or a disk delivers long ranges. A bias comes before its weight, because
 * they are packed together.
 * @param {Map<string, StoredTensor>} tensors
 * @param {Map<string, Need>} needs
 */
function inFileOrder(tensors, needs) {
  const all = new Map(Array.from(needs, ([name, need]) => [name, { need, tensor: entryOf(tensors, name) }]))
  const sorted = [...all.values()].sort(
    ({ tensor: a }, { tensor: b }) => (a.file < b.file ? -1 : Number(a.file > b.file)) || a.from - b.from,
  )
  const biasesOf = (/** @type {Need} */ need) => need.layers.flatMap(({ biasName = '' }) => all.get(biasName) ?? [])
  return new Set(sorted.flatMap(job => [...biasesOf(job.need), job]))
}

/** True for the table of tokens. It may stay in blocks, because its rows are read one at a time. @param {Family} family @param {string} name */
const isTokens = ({ embedding }, name) => name === `${embedding.tokens.name}.weight`

/** Converts numbers to floats. @param {Raw} raw @returns {Float32Array} */
const wide = ({ data, dtype, blocks }) =>
  blocks ? blocks.widen(/** @type {Uint8Array} */ (data)) : widen(/** @type {Float32Array} */ (data), dtype)

/** @param {Raw} raw @returns {FloatTensor} */
const floats = raw => new Tensor(wide(raw), raw.dims)

const EMPTY = new Tensor(new Float32Array(0), [0])

/**
 * Returns a copy of the rows row(0) ... row(out - 1).
 * @template {Raw['data']} T
 * @param {{ data: T, dims: readonly number[] }} tensor
 * @param {number} out
 * @param {(n: number) => number} row
 */
function rowsOf({ data, dims }, out, row) {
  const size = data.length / dims[0]
  const rows = /** @type {T} */ (data.slice(0, out * size))
  for (let n = 0; n < out; n++) rows.set(data.subarray(row(n) * size, (row(n) + 1) * size), n * size)
  return rows
}
