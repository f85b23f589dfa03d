// From the tensors of a checkpoint to the weights of a family: what is missing, unexpected or of another shape is listed;
// the rest is read one tensor at a time and packed in the module's memory.

import { describe, shape } from '../base/errors.js'
import { count, Tensor } from '../base/tensor.js'
import { packLinear } from '../nn.js'
import { FLOATS, readNumbers, widen } from './safetensors.js'

/** @typedef {import('../qkv.js').Qkv} Qkv */
/** @typedef {import('../base/tensor.js').FloatTensor} FloatTensor */
/** @typedef {import('../block/packed-linear.js').PackedLinear} PackedLinear */
/** @typedef {import('./family-parts.js').Family} Family */
/** @typedef {import('./family-parts.js').LinearSpec} LinearSpec */
/** @typedef {import('./family-parts.js').NormSpec} NormSpec */
/** @typedef {import('./family-parts.js').TableSpec} TableSpec */
/** @typedef {import('./safetensors.js').StoredTensor} StoredTensor */
/** @typedef {{ loaded: number, total: number, name: string }} Progress */
/** @typedef {'float32' | 'float16' | 'bfloat16' | 'int8'} WeightType */
/** Numbers as they are stored. @typedef {{ data: Float32Array | Uint16Array, dims: readonly number[], dtype: string }} Raw */
/**
 * @typedef {object} Need
 * @property {string} name
 * @property {readonly number[]} dims
 * @property {boolean} [isPacked] is it held in the dtype that is asked for?
 * @property {(read: (name: string) => Promise<Raw>) => Promise<void>} make
 */

/** @param {LinearSpec} spec */
const keyOf = ({ name, part }) => (part === undefined ? name : `${name}[${part}]`)

export class ModelWeights {
  #qkv
  /** @type {Map<string, PackedLinear>} */
  #linears = new Map()
  /** @type {Map<string, { weight: FloatTensor, bias?: FloatTensor }>} */
  #norms = new Map()
  /** @type {Map<string, Raw>} */
  #tables = new Map()
  /** @type {Set<{ dispose: () => void }>} */
  #resident = new Set()
  /** Is there a head that makes logits? */
  hasHead = true
  hasPooler = true
  /** The stored tensors that are used. @type {StoredTensor[]} */
  used = []
  /** Names of stored tensors that do nothing here. @type {string[]} */
  ignored = []

  /** @param {Qkv} [qkv] where they are held; for a plan alone none */
  constructor(qkv) {
    this.#qkv = /** @type {Qkv} */ (qkv)
  }

  /** @param {LinearSpec} spec */
  linear(spec) {
    return /** @type {PackedLinear} */ (this.#linears.get(keyOf(spec)))
  }

  /** @param {NormSpec} spec */
  norm(spec) {
    return /** @type {{ weight: FloatTensor, bias?: FloatTensor }} */ (this.#norms.get(spec.name))
  }

  /** @param {TableSpec} spec */
  table(spec) {
    return floats(/** @type {Raw} */ (this.#tables.get(spec.name)))
  }

  /**
   * A row of a table, which stays as it is stored; that of tokens may be the weight of the head.
   * @param {TableSpec} spec
   * @param {number} n
   * @returns {Float32Array}
   */
  row({ name, columns }, n) {
    const table = this.#tables.get(name)
    if (!table) return this.head.row(n).weight
    const { data, dtype } = table
    return widen(data.subarray(n * columns, (n + 1) * columns), dtype)
  }

  /** The product that makes logits. */
  get head() {
    return /** @type {PackedLinear} */ (this.#linears.get('head'))
  }

  dispose() {
    for (const held of this.#resident) held.dispose()
    this.#resident.clear()
  }

  /**
   * What is to be read, after a check of all names and shapes; and the memory that it takes, by dtype.
   * @param {Family} family
   * @param {Map<string, StoredTensor>} stored
   * @param {WeightType} [dtype]
   */
  plan(family, stored, dtype) {
    const tensors = this.#canonical(family, stored)
    const names = [...tensors.keys()]
    const { optional } = family.head
    this.hasHead = !optional || names.some(name => optional.test(name))
    this.hasPooler = family.pooler !== undefined && tensors.has(`${family.pooler.name}.weight`)
    const needs = this.#needs(family, dtype)
    checkTensors(needs, tensors, family.ignored)
    const packed = new Map(needs.map(({ name, isPacked }) => [name, isPacked]))
    this.ignored = names.filter(name => !packed.has(name))
    this.used = [...packed.keys()].map(name => /** @type {StoredTensor} */ (tensors.get(name)))
    const bytes = { stored: 0, float32: 0, float16: 0, bfloat16: 0, int8: 0 }
    let parameters = 0
    for (const [name, isPacked] of packed) {
      const { dims, from, to } = /** @type {StoredTensor} */ (tensors.get(name))
      const size = count(dims)
      parameters += size
      bytes.stored += to - from
      for (const [n, type] of /** @type {const} */ (['int8', 'float16', 'float32']).entries())
        bytes[type] += isPacked ? size * 2 ** n : to - from
    }
    bytes.bfloat16 = bytes.float16
    return { tensors, needs, bytes, parameters }
  }

  /**
   * @param {Family} family
   * @param {Map<string, StoredTensor>} stored
   * @param {{ dtype?: WeightType, signal?: AbortSignal, onProgress?: (progress: Progress) => void }} options
   */
  async load(family, stored, { dtype, signal, onProgress }) {
    const { tensors, needs, bytes } = this.plan(family, stored, dtype)
    const total = bytes.stored
    let loaded = 0
    let reached = -1
    const order = [...new Set(needs.map(need => need.name))]
    /** Being read, or just used: parts of a fused weight ask for it and its bias in turn. @type {Map<string, Promise<Raw>>} */
    const held = new Map()
    const hold = (/** @type {string} */ name) => {
      const { dims, dtype } = /** @type {StoredTensor} */ (tensors.get(name))
      const raw = readNumbers(/** @type {StoredTensor} */ (tensors.get(name))).then(data => ({ data, dims, dtype }))
      raw.catch(() => {}) // is told to who waits for it
      held.set(name, raw)
      return raw
    }
    const read = async (/** @type {string} */ name) => {
      signal?.throwIfAborted()
      const raw = await (held.get(name) ?? hold(name))
      const at = order.indexOf(name)
      for (const other of held.keys()) if (order.indexOf(other) < at - 1) held.delete(other)
      if (at <= reached) return raw
      reached = at
      const { from, to, name: stored } = this.used[at]
      loaded += to - from
      onProgress?.({ loaded, total, name: stored })
      if (at + 1 < order.length) hold(order[at + 1]) // is read while this one is packed
      return raw
    }
    try {
      for (const need of needs) await need.make(read)
      signal?.throwIfAborted()
    } catch (error) {
      this.dispose()
      if (error instanceof RangeError && /out of memory/.test(error.message))
        throw new RangeError(
          `loadModel: out of memory: the weights need ${bytes[dtype ?? 'stored']} bytes, ` +
            `as int8 ${bytes.int8}: ${error.message}`,
          { cause: error },
        )
      throw error
    }
  }

  /**
   * Names without the prefix that a family may have, old names of norms as the new ones.
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

  /** What is to be read, in order. @param {Family} family @param {WeightType | undefined} dtype */
  #needs(family, dtype) {
    /** @type {Need[]} */
    const needs = []
    /** @type {Set<string>} */
    const known = new Set()
    /** @param {string} key @param {Need} need */
    const add = (key, need) => {
      if (!known.has(key)) needs.push(need)
      known.add(key)
    }
    /** @type {Map<string, FloatTensor>} biases that wait for their weights */
    const biases = new Map()
    /** @type {(spec: LinearSpec) => void} */
    const linear = spec => {
      const { name, out, in: size, bias, layout, of = out, row } = spec
      const key = keyOf(spec)
      if (bias)
        add(`${key}.bias`, {
          name: `${name}.bias`,
          dims: [of],
          make: async read => {
            biases.set(key, rowsOf(floats(await read(`${name}.bias`)), out, row))
          },
        })
      add(key, {
        name: `${name}.weight`,
        dims: layout ? [size, of] : [of, size],
        isPacked: true,
        make: async read => {
          const stored = await read(`${name}.weight`)
          this.#hold(this.#linears, key, this.#pack(stored, spec, biases.get(key), dtype))
          biases.delete(key)
        },
      })
    }
    /** @type {(spec: NormSpec | undefined) => void} */
    const norm = spec => {
      if (!spec) return
      /** @type {{ weight: FloatTensor, bias?: FloatTensor }} */
      const made = { weight: EMPTY }
      for (const part of spec.bias ? ['weight', 'bias'] : ['weight'])
        add(`${spec.name}.${part}`, {
          name: `${spec.name}.${part}`,
          dims: [spec.size],
          make: async read => {
            const kept = this.#keep(floats(await read(`${spec.name}.${part}`)))
            this.#norms.set(spec.name, Object.assign(this.#norms.get(spec.name) ?? made, { [part]: kept }))
          },
        })
    }
    /** @type {(spec: TableSpec | undefined) => void} */
    const table = spec => {
      if (!spec) return
      const name = `${spec.name}.weight`
      add(name, {
        name,
        dims: [spec.rows, spec.columns],
        make: async read => {
          this.#tables.set(spec.name, await read(name))
        },
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
        for (const spec of [attention?.q, attention?.k, attention?.v, attention?.o]) if (spec) linear(spec)
        for (const spec of [mlp?.gate, mlp?.up, mlp?.down]) if (spec) linear(spec)
      }
      norm(stack?.norm)
      table(stack?.relative?.table)
    }
    norm(embedding.norm)
    if (embedding.project) linear(embedding.project)
    table(embedding.positions)
    table(embedding.types)
    if (head.project || !this.hasHead) table(embedding.tokens) // else it is held once, as the weight of the head
    if (pooler && this.hasPooler) linear(pooler)
    if (!this.hasHead) return needs
    if (head.transform) linear(head.transform)
    norm(head.norm)
    this.#headNeeds(family, add, dtype)
    return needs
  }

  /** @param {Family} family @param {(key: string, need: Need) => void} add @param {WeightType | undefined} dtype */
  #headNeeds({ head, embedding, vocab }, add, dtype) {
    const { project } = head
    const name = project ? `${project.name}.weight` : `${embedding.tokens.name}.weight`
    const columns = project ? project.in : embedding.tokens.columns
    const biasName = head.bias ?? (project?.bias ? `${project.name}.bias` : undefined)
    /** @type {FloatTensor | undefined} */
    let bias
    if (biasName)
      add(biasName, {
        name: biasName,
        dims: biasName === 'final_logits_bias' ? [1, vocab] : [vocab],
        make: async read => {
          bias = floats(await read(biasName)).reshape([vocab])
        },
      })
    add('head', {
      name,
      dims: [vocab, columns],
      make: async read => {
        this.#hold(this.#linears, 'head', this.#pack(await read(name), { name, out: vocab, in: columns }, bias, dtype))
      },
    })
  }

  /**
   * As it is stored, unless a dtype is given.
   * @param {Raw} stored
   * @param {LinearSpec} spec
   * @param {FloatTensor | undefined} bias
   * @param {WeightType} [dtype]
   */
  #pack(stored, { out, row, layout }, bias, dtype = NATIVE[/** @type {'F32'} */ (stored.dtype)]) {
    const tensor = new Tensor(stored.data, stored.dims)
    // Fused columns lie side by side; fused rows may be mixed.
    const part = row && layout ? tensor.slice(1, row(0), row(0) + out) : rowsOf(tensor, out, row)
    const weight = stored.dtype === 'BF16' ? { data: part.data, dims: part.dims, dtype: 'bfloat16' } : part
    return packLinear(this.#qkv, /** @type {FloatTensor} */ (weight), bias, { dtype, layout })
  }

  /** A small tensor that every call reads. @param {FloatTensor} tensor */
  #keep(tensor) {
    const resident = this.#qkv.alloc(tensor.dims)
    this.#resident.add(resident)
    resident.data.set(tensor.data)
    return resident
  }

  /** @template {{ dispose: () => void }} T @param {Map<string, T>} map @param {string} key @param {T} made */
  #hold(map, key, made) {
    this.#resident.add(made)
    map.set(key, made)
  }
}

/** The dtypes of packLinear for those that are stored. */
const NATIVE = /** @type {const} */ ({ F32: 'float32', F16: 'float16', BF16: 'bfloat16' })

/** @param {Raw} raw @returns {FloatTensor} */
const floats = ({ data, dims, dtype }) => new Tensor(widen(data, dtype), dims)

const EMPTY = new Tensor(new Float32Array(0), [0])

/**
 * Rows row(0) ... row(out - 1) of a tensor, a copy; without `row` itself.
 * @template {Float32Array | Uint16Array} T
 * @param {Tensor<T>} tensor
 * @param {number} out
 * @param {((n: number) => number) | undefined} row
 */
function rowsOf(tensor, out, row) {
  if (!row) return tensor
  const [rows, ...rest] = tensor.dims
  const size = tensor.data.length / rows
  const data = /** @type {T} */ (tensor.data.slice(0, out * size))
  for (let n = 0; n < out; n++) data.set(tensor.data.subarray(row(n) * size, (row(n) + 1) * size), n * size)
  return new Tensor(data, [out, ...rest])
}

/**
 * Throws one error that lists all that does not fit.
 * @param {Need[]} needs
 * @param {Map<string, StoredTensor>} tensors
 * @param {RegExp} ignored
 */
function checkTensors(needs, tensors, ignored) {
  const needed = new Set(needs.map(({ name }) => name))
  const missing = [...needed].filter(name => !tensors.has(name))
  const unexpected = [...tensors.keys()].filter(name => !needed.has(name) && !ignored.test(name))
  const wrong = needs.flatMap(({ name, dims }) => {
    const tensor = tensors.get(name)
    if (!tensor) return []
    if (!FLOATS.includes(tensor.dtype)) return `${name} is ${tensor.dtype}, one of ${FLOATS.join(', ')} expected`
    const fits = tensor.dims.length === dims.length && tensor.dims.every((size, i) => size === dims[i])
    return fits ? [] : `${name} is ${shape(tensor.dims)}, ${shape(dims)} expected`
  })
  const list = (/** @type {string} */ title, /** @type {string[]} */ names) =>
    names.length
      ? [`${title}: ${names.slice(0, 20).join(', ')}${names.length > 20 ? ` and ${names.length - 20} more` : ''}`]
      : []
  const problems = [
    ...list('missing', missing),
    ...list('unexpected', unexpected),
    ...list('of another shape or dtype', [...new Set(wrong)]),
  ]
  if (problems.length) throw new RangeError(`loadModel: the tensors do not fit config.json; ${problems.join('; ')}`)
}
