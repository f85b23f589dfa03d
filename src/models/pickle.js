// A pickle is a program for a stack machine. Of its instructions those are carried out that make dicts, lists, numbers and
// texts; a call is made only of a function that the caller of this module names, and of no other.
// https://docs.python.org/3/library/pickletools.html

import { describe } from '../base/errors.js'

/** A function of Python that a pickle names. */
class Global {
  /** @param {string} name its module and its name, with a space between them */
  constructor(name) {
    this.name = name
  }
}

/** The bytes end before the pickle does. */
export class Short extends Error {}

const MARK = Symbol('mark')
const utf8 = new TextDecoder()

export class Pickle {
  /**
   * @param {Record<string, (...given: any[]) => unknown>} calls functions that may be called, by module and name
   * @param {(id: unknown) => unknown} persistent what a persistent id stands for; it may name a Global
   * @param {(text: string) => Error} fail
   */
  constructor(calls, persistent, fail) {
    this.calls = calls
    this.persistent = persistent
    this.fail = fail
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start
   * @returns {{ value: unknown, end: number }} a dict is a Map, a list or a tuple an array; end: the byte behind it
   * @throws {Short} the bytes end before it does
   */
  read(bytes, start) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    /** @type {any[]} */
    const stack = []
    /** @type {any[]} */
    const memo = []
    let at = start
    /** The place of the next bytes. @param {number} length */
    const take = length => {
      if (at + length > bytes.length) throw new Short()
      at += length
      return at - length
    }
    const text = (/** @type {number} */ length) => {
      const from = take(length)
      return utf8.decode(bytes.subarray(from, from + length))
    }
    const line = () => {
      const end = bytes.indexOf(10, at)
      if (end < 0) throw new Short()
      return text(end + 1 - at).slice(0, -1)
    }
    const u8 = () => view.getUint8(take(1))
    const u32 = () => view.getUint32(take(4), true)
    const pop = () => {
      if (!stack.length || stack.at(-1) === MARK) throw this.fail('its pickle takes more from the stack than is there')
      return stack.pop()
    }
    const popToMark = () => {
      const from = stack.lastIndexOf(MARK)
      if (from < 0) throw this.fail('its pickle has no mark where one is needed')
      const values = stack.splice(from)
      return values.slice(1)
    }
    /** @param {any[]} pairs keys and values in turn */
    const setItems = pairs => {
      const dict = stack.at(-1)
      if (!(dict instanceof Map) || pairs.length % 2) throw this.fail('its pickle puts an item into what is no dict')
      for (let i = 0; i < pairs.length; i += 2) dict.set(pairs[i], pairs[i + 1])
    }
    /** @param {any[]} values */
    const append = values => {
      const list = stack.at(-1)
      if (!Array.isArray(list)) throw this.fail('its pickle appends to what is no list')
      for (const value of values) list.push(value)
    }
    const tuple = (/** @type {number} */ length) => stack.push(Array.from({ length }, pop).reverse())
    const recall = (/** @type {number} */ n) => {
      if (!(n in memo)) throw this.fail('its pickle recalls what it has not stored')
      stack.push(memo[n])
    }
    const store = (/** @type {number} */ n) => {
      if (n > bytes.length) throw this.fail(`its pickle stores under the number ${n}`) // each takes bytes
      memo[n] = stack.at(-1)
    }
    for (;;) {
      const code = u8()
      switch (String.fromCharCode(code)) {
        case '\x80': // PROTO
          take(1)
          break
        case '\x95': // FRAME
          take(8)
          break
        case '.': // STOP
          return { value: pop(), end: at }
        case '(':
          stack.push(MARK)
          break
        case '}':
          stack.push(new Map())
          break
        case ']':
        case ')':
          stack.push([])
          break
        case 't':
          stack.push(popToMark())
          break
        case '\x85':
          tuple(1)
          break
        case '\x86':
          tuple(2)
          break
        case '\x87':
          tuple(3)
          break
        case 'N':
          stack.push(null)
          break
        case '\x88':
          stack.push(true)
          break
        case '\x89':
          stack.push(false)
          break
        case 'K':
          stack.push(u8())
          break
        case 'M':
          stack.push(view.getUint16(take(2), true))
          break
        case 'J':
          stack.push(view.getInt32(take(4), true))
          break
        case '\x8a': // LONG1
          stack.push(long(bytes, take(1), take))
          break
        case 'G':
          stack.push(view.getFloat64(take(8)))
          break
        case 'X':
          stack.push(text(u32()))
          break
        case '\x8c': // SHORT_BINUNICODE
        case 'U':
          stack.push(text(u8()))
          break
        case 'c':
          stack.push(new Global(`${line()} ${line()}`))
          break
        case '\x93': {
          // STACK_GLOBAL
          const [name, module] = [pop(), pop()]
          stack.push(new Global(`${module} ${name}`))
          break
        }
        case 'q':
          store(u8())
          break
        case 'r':
          store(u32())
          break
        case '\x94': // MEMOIZE
          store(memo.length)
          break
        case 'h':
          recall(u8())
          break
        case 'j':
          recall(u32())
          break
        case 's': {
          const value = pop()
          setItems([pop(), value])
          break
        }
        case 'u':
          setItems(popToMark())
          break
        case 'a':
          append([pop()])
          break
        case 'e':
          append(popToMark())
          break
        case 'b': // the attributes of an object, such as the versions of modules in _metadata of an OrderedDict
          pop()
          if (!(stack.at(-1) instanceof Map)) throw this.fail('its pickle sets attributes of what is no dict')
          break
        case 'Q':
          stack.push(this.persistent(pop()))
          break
        case 'R': {
          const [given, called] = [pop(), pop()]
          stack.push(this.#call(called, given))
          break
        }
        default:
          throw this.fail(
            `its pickle has the instruction ${code}, which no state_dict needs: save the model as safetensors`,
          )
      }
    }
  }

  /** @param {unknown} called @param {unknown} given */
  #call(called, given) {
    const name = called instanceof Global ? called.name : describe(called)
    if (!(called instanceof Global && Object.hasOwn(this.calls, name) && Array.isArray(given)))
      throw this.fail(
        `its pickle calls ${name.replace(' ', '.')}, and no code of a file is run: save the state_dict of the model, or safetensors`,
      )
    return this.calls[name](...given)
  }
}

/**
 * A whole number, the least byte first, of as many bytes as the first says.
 * @param {Uint8Array} bytes
 * @param {number} at
 * @param {(length: number) => number} take
 */
function long(bytes, at, take) {
  const length = bytes[at]
  const from = take(length)
  let value = 0n
  for (let i = length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[from + i])
  return Number(BigInt.asIntN(8 * length, value))
}
