// Reads a pickle, which is a program for a stack machine. Executes only instructions that build dicts, lists, numbers and texts. Calls only
// functions that the caller allows. https://docs.python.org/3/library/pickletools.html

import { describe } from '../../base/errors.js'

/** @typedef {Record<string, (...given: any[]) => unknown>} Calls allowed functions by module and name */

/** A Python function named by a pickle. */
class Global {
  /** @param {string} name module and name, separated by a space */
  constructor(name) {
    this.name = name
  }
}

/** Thrown if the bytes end before the pickle does. */
class Short extends Error {
  isShort = true
}

const MARK = Symbol('mark')
const utf8 = new TextDecoder()

/** The machine: stack, memo, and position in the bytes. */
class Machine {
  /** @type {any[]} */
  stack = []
  /** @type {any[]} */
  memo = []

  /** @param {Uint8Array} bytes @param {number} at @param {Pickle} pickle */
  constructor(bytes, at, { calls, persistent, fail }) {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    this.at = at
    this.calls = calls
    this.persistent = persistent
    this.fail = fail
  }

  /** Consumes bytes, and returns the position where they start. @param {number} length */
  take(length) {
    if (this.at + length > this.bytes.length) throw new Short()
    this.at += length
    return this.at - length
  }

  u8() {
    return this.view.getUint8(this.take(1))
  }

  u32() {
    return this.view.getUint32(this.take(4), true)
  }

  /** @param {number} length */
  text(length) {
    const from = this.take(length)
    return utf8.decode(this.bytes.subarray(from, from + length))
  }

  line() {
    const end = this.bytes.indexOf(10, this.at)
    if (end < 0) throw new Short()
    return this.text(end + 1 - this.at).slice(0, -1)
  }

  /** Reads a length of 8 bytes. */
  u64() {
    return Number(this.view.getBigUint64(this.take(8), true))
  }

  /** Copies bytes. @param {number} length */
  bytesOf(length) {
    const from = this.take(length)
    return this.bytes.slice(from, from + length)
  }

  /** Reads an integer written as text; 01 and 00 are true and false. */
  integer() {
    const text = this.line().replace(/L$/, '')
    if (text === '01' || text === '00') return text === '01'
    if (!/^-?\d{1,5000}$/.test(text)) throw this.fail(`its pickle has the number ${describe(text)}`)
    return Number(text)
  }

  /** Reads a little-endian integer. @param {number} length */
  long(length) {
    const from = this.take(length)
    let value = 0n
    for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(this.bytes[from + i])
    return Number(BigInt.asIntN(8 * length, value))
  }

  /** @param {unknown} value */
  push(value) {
    this.stack.push(value)
  }

  pop() {
    if (!this.stack.length || this.stack.at(-1) === MARK)
      throw this.fail('its pickle takes more from the stack than is there')
    return this.stack.pop()
  }

  popToMark() {
    const from = this.stack.lastIndexOf(MARK)
    if (from < 0) throw this.fail('its pickle has no mark where one is needed')
    return this.stack.splice(from).slice(1)
  }

  /** @param {number} length */
  tuple(length) {
    this.push(Array.from({ length }, () => this.pop()).reverse())
  }

  /** Adds items to a dict. @param {any[]} pairs alternating keys and values */
  setItems(pairs) {
    const dict = this.stack.at(-1)
    if (!(dict instanceof Map) || pairs.length % 2) throw this.fail('its pickle puts an item into what is no dict')
    for (let i = 0; i < pairs.length; i += 2) dict.set(pairs[i], pairs[i + 1])
  }

  /** @param {any[]} values */
  append(values) {
    const list = this.stack.at(-1)
    if (!Array.isArray(list)) throw this.fail('its pickle appends to what is no list')
    for (const value of values) list.push(value)
  }

  /** @param {number} n */
  store(n) {
    if (n > this.bytes.length) throw this.fail(`its pickle stores under the number ${n}`) // a pickle has fewer memo entries than bytes
    this.memo[n] = this.stack.at(-1)
  }

  /** @param {number} n */
  recall(n) {
    if (!(n in this.memo)) throw this.fail('its pickle recalls what it has not stored')
    this.push(this.memo[n])
  }

  /** Ignores the attributes of an object, such as the module versions in _metadata of an OrderedDict. */
  build() {
    this.pop()
    if (!(this.stack.at(-1) instanceof Map)) throw this.fail('its pickle sets attributes of what is no dict')
  }

  /** Returns the error for a forbidden function or class. @param {unknown} called */
  refused(called) {
    const name = called instanceof Global ? called.name.replace(' ', '.') : describe(called)
    return this.fail(
      `its pickle calls ${name}, and no code of a file is run: save the state_dict of the model, or safetensors`,
    )
  }

  call() {
    const [given, called] = [this.pop(), this.pop()]
    const isKnown = called instanceof Global && Object.hasOwn(this.calls, called.name) && Array.isArray(given)
    if (!isKnown) throw this.refused(called)
    this.push(this.calls[called.name](...given))
  }

  /**
   * Throws for an instruction that makes an object. The error names the object's class, which is on the stack.
   * @param {number} below how many entries below the top the class is; -1 if it is the first entry after the last mark
   */
  make(below) {
    throw this.refused(below < 0 ? this.popToMark()[0] : this.stack.at(-1 - below))
  }
}

/** What each instruction does, by opcode; without STOP ("."). @type {Record<string, (m: Machine) => void>} */
const INSTRUCTIONS = {
  '\x80': m => void m.take(1), // PROTO
  '\x95': m => void m.take(8), // FRAME
  '(': m => m.push(MARK),
  '}': m => m.push(new Map()),
  ']': m => m.push([]),
  ')': m => m.push([]),
  t: m => m.push(m.popToMark()),
  '\x85': m => m.tuple(1),
  '\x86': m => m.tuple(2),
  '\x87': m => m.tuple(3),
  N: m => m.push(null),
  '\x88': m => m.push(true),
  '\x89': m => m.push(false),
  0: m => void m.pop(),
  1: m => void m.popToMark(),
  2: m => m.push(m.stack.at(-1)),
  d: m => {
    const pairs = m.popToMark()
    m.push(new Map())
    m.setItems(pairs)
  },
  l: m => m.push(m.popToMark()),
  I: m => m.push(m.integer()),
  L: m => m.push(m.integer()),
  F: m => m.push(Number(m.line())),
  T: m => m.push(m.text(m.u32())),
  C: m => m.push(m.bytesOf(m.u8())),
  B: m => m.push(m.bytesOf(m.u32())),
  '\x8e': m => m.push(m.bytesOf(m.u64())),
  '\x96': m => m.push(m.bytesOf(m.u64())),
  '\x8d': m => m.push(m.text(m.u64())),
  '\x8b': m => m.push(m.long(m.u32())),
  '\x8f': m => m.push([]), // a set
  '\x90': m => m.append(m.popToMark()),
  '\x91': m => m.push(m.popToMark()),
  '\x81': m => m.make(1),
  '\x92': m => m.make(2),
  o: m => m.make(-1),
  i: m => {
    throw m.refused(new Global(`${m.line()} ${m.line()}`))
  },
  K: m => m.push(m.u8()),
  M: m => m.push(m.view.getUint16(m.take(2), true)),
  J: m => m.push(m.view.getInt32(m.take(4), true)),
  '\x8a': m => m.push(m.long(m.u8())),
  G: m => m.push(m.view.getFloat64(m.take(8))),
  X: m => m.push(m.text(m.u32())),
  '\x8c': m => m.push(m.text(m.u8())),
  U: m => m.push(m.text(m.u8())),
  c: m => m.push(new Global(`${m.line()} ${m.line()}`)),
  '\x93': m => {
    const [name, module] = [m.pop(), m.pop()]
    m.push(new Global(`${module} ${name}`))
  },
  q: m => m.store(m.u8()),
  r: m => m.store(m.u32()),
  '\x94': m => m.store(m.memo.length),
  h: m => m.recall(m.u8()),
  j: m => m.recall(m.u32()),
  s: m => {
    const value = m.pop()
    m.setItems([m.pop(), value])
  },
  u: m => m.setItems(m.popToMark()),
  a: m => m.append([m.pop()]),
  e: m => m.append(m.popToMark()),
  b: m => m.build(),
  Q: m => m.push(m.persistent(m.pop())),
  R: m => m.call(),
}

export class Pickle {
  /**
   * Sets the allowed calls.
   * @param {Calls} calls
   * @param {(id: unknown) => unknown} persistent resolves a persistent id, which may contain a Global
   * @param {(text: string) => Error} fail
   */
  constructor(calls, persistent, fail) {
    this.calls = calls
    this.persistent = persistent
    this.fail = fail
  }

  /**
   * Runs a pickle.
   * @param {Uint8Array} bytes
   * @param {number} start
   * @returns {{ value: unknown, end: number }} value: a Map for a dict, an array for a list or tuple; end: position after the last byte
   * @throws {Short} Short if the bytes end early
   */
  read(bytes, start) {
    const machine = new Machine(bytes, start, this)
    for (;;) {
      const code = machine.u8()
      const name = String.fromCharCode(code)
      if (name === '.') return { value: machine.pop(), end: machine.at }
      if (!Object.hasOwn(INSTRUCTIONS, name))
        throw this.fail(
          `its pickle has the instruction ${code}, which no state_dict needs: save the model as safetensors`,
        )
      INSTRUCTIONS[name](machine)
    }
  }
}
