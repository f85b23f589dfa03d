// Generates a ledger: who keeps what, in chapters with sections and notes, for texts of any length. A name keeps the same thing throughout
// a text, and a bracket closes with the word that opened it. Pure: random numbers are passed in.

const NAMES = `
  abel ada alma amos anna ari arlo asta axel bea ben bo bram cara carl cleo cora dag dana dora ed edda eli
  ella elsa emil emma enzo erik esme eva fay finn fritz gia gil greta gus hanna hans hugo ida igor ines ira
  iris ivan ivy jack jan jo jon juno kai kira kurt lara lena leo lily lou luca lucy mara max mia milo mira
  nell nico nina noah nora odo olga omar opal oren otis otto pam pia quin rae remy rex rita rosa ruth sam
  sara sid tess theo tom una`
  .trim()
  .split(/\s+/)
const THINGS = `
  anchor apple axe bag ball barrel basket bell boat book bottle bowl box broom bucket cake candle chain
  chair chest clock coin comb cup desk doll drum fan flag flute fork glove hammer harp hat horn jar kettle
  key kite knife ladder lamp lens map mask mirror nail net oar pan pear pen pipe plate quilt ring rope rug
  saddle saw scarf shell spoon`
  .trim()
  .split(/\s+/)
const PLACES = 'bay bridge castle cave farm field forest garden harbour hill island lake market mill river tower'.split(
  ' ',
)
const COLOURS = 'amber black blue brown copper cream gold green grey ivory pink purple red silver white yellow'.split(
  ' ',
)
const ANIMALS = 'bat bear cat crow deer dog duck fox frog goat hare horse mouse owl seal wolf'.split(' ')
/** Brackets, outermost first. After `open`, and again after `close`, follows the bracket's title, one of `words`. */
const LEVELS = /** @type {const} */ ([
  { kind: 'chapter', open: '(', close: ')', words: PLACES },
  { kind: 'section', open: '[', close: ']', words: COLOURS },
  { kind: 'note', open: '{', close: '}', words: ANIMALS },
])
/** Every word; its index is its id. */
export const LEDGER_WORDS = [
  '<s>',
  '<unk>',
  '.',
  ...LEVELS.flatMap(({ open, close }) => [open, close]),
  ...NAMES,
  ...THINGS,
  ...LEVELS.flatMap(({ words }) => words),
]

/** What a model has to look up to predict a determined word, by kind. */
export const KINDS = /** @type {const} */ ({
  thing: 'what a name keeps',
  chapter: 'the word that opened the chapter',
  section: 'the word that opened the section',
  note: 'the word that opened the note',
})
/** @typedef {keyof typeof KINDS} Kind */
/**
 * A word that is determined by the text before it. `at` is its position, `source` the last earlier position with the same answer.
 * @typedef {{ at: number, kind: Kind, source: number }} Mark
 */

/** A chapter's cast, the names it mentions most: `share` of the text's length in words, but at least `least` and at most `most` names. */
const CAST = { least: 3, most: 24, share: 1 / 16 }
/** Share of lines whose name is drawn from all names of the text so far, not from the cast. */
const RETURNS = 0.06

/**
 * Draws a ledger.
 * @param {() => number} uniform returns the next number of [0, 1)
 * @param {number} length in words; the last line is truncated
 * @returns {{ words: string[], marks: Mark[] }}
 */
export function drawLedger(uniform, length) {
  /** @type {string[]} */
  const words = ['<s>']
  /** @type {Mark[]} */
  const marks = []
  const below = (/** @type {number} */ n) => Math.floor(uniform() * n)
  const pick = (/** @type {readonly string[]} */ from) => from[below(from.length)]
  /** What each name keeps, and where it was last mentioned. @type {Map<string, { thing: string, at: number }>} */
  const known = new Map()
  const line = (/** @type {string[]} */ cast) => {
    const name = known.size && uniform() < RETURNS ? pick([...known.keys()]) : pick(cast)
    words.push(name)
    const kept = known.get(name)
    if (kept) marks.push({ at: words.length, kind: 'thing', source: kept.at })
    const thing = kept?.thing ?? pick(THINGS)
    known.set(name, { thing, at: words.length })
    words.push(thing, '.')
  }
  /** Writes a bracket with at least `size` words in it, but starts no line or inner bracket beyond `length`. @param {number} level @param {number} size @param {string[]} cast */
  const bracket = (level, size, cast) => {
    const { kind, open, close, words: titles } = LEVELS[level]
    const source = words.length + 1
    const title = pick(titles)
    words.push(open, title)
    const end = words.length + size
    while (words.length < end && words.length < length) {
      const rest = end - words.length
      const isNested = level + 1 < LEVELS.length && rest > 12 && uniform() < (level ? 0.2 : 0.1)
      if (isNested) bracket(level + 1, 3 + below(Math.min(rest - 8, level ? 30 : 150)), cast)
      else line(cast)
    }
    words.push(close)
    marks.push({ at: words.length, kind, source })
    words.push(title)
  }
  const size = Math.min(CAST.most, Math.max(CAST.least, Math.round(length * CAST.share)))
  while (words.length < length) {
    const cast = Array.from({ length: size }, () => pick(NAMES))
    bracket(0, Math.floor(length * (0.1 + 0.4 * uniform())), cast)
  }
  return { words: words.slice(0, length), marks: marks.filter(({ at }) => at < length) }
}

const ids = new Map(LEDGER_WORDS.map((word, id) => [word, id]))

/**
 * Draws a batch of ledgers: `ids` (B, T), and `targets`, the word after each.
 * @param {import('qkv').Generator} generator
 * @param {number} B
 * @param {number} T number of input words; the ledgers have one more
 */
export function ledgerBatch(generator, B, T) {
  let drawn = generator.rand([4096]).data
  let at = 0
  const uniform = () => {
    if (at === drawn.length) [drawn, at] = [generator.rand([4096]).data, 0]
    return drawn[at++]
  }
  const ledgers = Array.from({ length: B }, () => drawLedger(uniform, T + 1))
  const rows = ledgers.map(({ words }) => words.map(word => ids.get(word)))
  return {
    ledgers,
    ids: Int32Array.from(rows.flatMap(row => row.slice(0, T))),
    targets: Int32Array.from(rows.flatMap(row => row.slice(1))),
  }
}
