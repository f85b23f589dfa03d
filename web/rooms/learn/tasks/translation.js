// Translation: a small English-Chinese grammar whose word links are known. Pure: the draws come from outside.
//
// English: subject verb object [place] [time]; Chinese: subject [time] [place] verb object. A relative clause "N who V NP"
// becomes "V NP 的 N". A measure word is one token with its number (一套). "a" and "the" of a subject are not
// translated.

import { argmax, COMMON } from './batch.js'
import { answerOff, askWhy, at, ownProbe, train, untilGoal } from './stops.js'

/** Nouns: Chinese words, measure word, plural (things only). @type {Record<string, [words: string[], measure: string, plural?: string]>} */
const NOUNS = {
  car: [['汽车'], '辆', 'cars'],
  bicycle: [['自行车'], '辆', 'bicycles'],
  book: [['书'], '本', 'books'],
  map: [['地图'], '张', 'maps'],
  ticket: [['票'], '张', 'tickets'],
  robot: [['机器人'], '个', 'robots'],
  system: [['系统'], '套', 'systems'],
  solution: [['解决', '方案'], '套', 'solutions'],
  teacher: [['老师'], '个'],
  student: [['学生'], '个'],
  engineer: [['工程师'], '个'],
  doctor: [['医生'], '个'],
  company: [['公司'], '家'],
}
/** All other words with a single Chinese word, by kind. @type {Record<string, Record<string, string>>} */
const KINDS = {
  compounds: { autonomous: '自动', driving: '驾驶' },
  relative: { who: '的' },
  pronouns: { she: '她', he: '他' },
  adjectives: { new: '新', old: '旧', red: '红', big: '大', good: '好', expensive: '贵', simple: '简单' },
  verbs: {
    buys: '购买',
    sells: '出售',
    uses: '使用',
    sees: '看见',
    tests: '测试',
    builds: '建造',
    wants: '想要',
    likes: '喜欢',
    needs: '需要',
    shows: '展示',
  },
  times: { today: '今天', tonight: '今晚', tomorrow: '明天', now: '现在', again: '再次' },
  prepositions: { in: '在', near: '靠近', from: '从' },
  places: { Beijing: '北京', Shanghai: '上海', park: '公园', office: '办公室', station: '车站', school: '学校' },
}
/**
 * Words and probabilities from which sentences are drawn. The exported PyTorch program contains them as JSON.
 * @type {{ numbers: Record<string, string>, determiners: Record<'subject' | 'object', [string, number][]> } & Record<'people' | 'things' | 'autonomous', string[]>
 *   & { nouns: typeof NOUNS, kinds: typeof KINDS, modifiers: string[][] }}
 */
const GRAMMAR = {
  nouns: NOUNS,
  kinds: KINDS,
  /** Chinese number before a measure word. */
  numbers: { a: '一', this: '这', two: '两' },
  /** Determiners with cumulative probabilities: the first whose bound exceeds a uniform number is drawn. */
  determiners: {
    subject: [
      ['a', 0.48],
      ['the', 0.84],
      ['this', 1],
    ],
    object: [
      ['a', 0.4],
      ['the', 0.7],
      ['this', 0.85],
      ['two', 1],
    ],
  },
  people: ['teacher', 'student', 'engineer', 'doctor', 'company'],
  /** Lists "solution" and "system" twice, to draw them more often: both follow "autonomous driving", and "solution" has two Chinese words. */
  things: ['car', 'bicycle', 'book', 'map', 'ticket', 'robot', 'system', 'solution', 'system', 'solution'],
  autonomous: ['car', 'robot', 'system', 'solution'],
  /** "autonomous" and "driving" also occur alone, since the model could otherwise swap their Chinese words. */
  modifiers: [['autonomous', 'driving'], ['autonomous', 'driving'], ['autonomous'], ['driving']],
}
/** @type {Record<string, string>} */
const WORDS = Object.assign({}, ...Object.values(KINDS))

/** Maximum number of uniform draws per sentence. */
export const DRAWS = 24

/**
 * A word of the translation with the source positions it may be linked to (for a measure word: its number or its noun).
 * @typedef {{ word: string, sources: number[] }} TargetWord
 * @typedef {{ source: string[], target: TargetWord[] }} Pair
 */

/**
 * Draws a random sentence with its translation.
 * @param {() => number} uniform returns the next number of [0, 1)
 * @returns {Pair}
 */
export function drawPair(uniform) {
  /** @type {string[]} */
  const source = []
  /** @template T @param {readonly T[]} list @returns {T} */
  const pick = list => list[Math.min(list.length - 1, Math.floor(uniform() * list.length))]
  const anyOf = (/** @type {string} */ kind) => pick(Object.keys(KINDS[kind]))
  const link = (/** @type {string} */ word) => ({ word: WORDS[word], sources: [source.push(word) - 1] })

  /** @param {readonly string[]} nouns @param {boolean} isSubject @param {boolean} isModified @returns {TargetWord[]} */
  const phrase = (nouns, isSubject, isModified) => {
    const noun = pick(nouns)
    const u = uniform()
    const determiners = GRAMMAR.determiners[isSubject ? 'subject' : 'object']
    const [determiner] = determiners.find(([, below]) => u < below) ?? determiners[0]
    const [words, measure, plural] = NOUNS[noun]
    const kind = isModified ? uniform() : 1
    const isAutonomous = kind < 0.5 && GRAMMAR.autonomous.includes(noun)
    const modifiers = isAutonomous ? pick(GRAMMAR.modifiers) : kind < 0.55 ? [anyOf('adjectives')] : []
    const isVowel = /^[aeiou]/.test(modifiers[0] ?? noun)
    const at = source.push(determiner === 'a' && isVowel ? 'an' : determiner) - 1
    const links = modifiers.map(link)
    const end = source.push(determiner === 'two' && plural ? plural : noun) - 1
    const isSpoken = determiner in GRAMMAR.numbers && !(isSubject && determiner === 'a')
    const number = isSpoken ? [{ word: GRAMMAR.numbers[determiner] + measure, sources: [at, end] }] : []
    return [...number, ...links, ...words.map(word => ({ word, sources: [end] }))]
  }

  let subject
  if (uniform() < 0.3) subject = [link(anyOf('pronouns'))]
  else {
    subject = phrase(GRAMMAR.people, true, uniform() < 0.5)
    if (uniform() < 0.25) {
      const of = link('who')
      const clause = [link(anyOf('verbs')), ...phrase(GRAMMAR.things, false, false)]
      subject = [...clause, of, ...subject]
    }
  }
  const verb = link(anyOf('verbs'))
  const object = phrase(GRAMMAR.things, false, true)
  const place = []
  if (uniform() < 0.6) {
    place.push(link(anyOf('prepositions')))
    const name = anyOf('places')
    if (/^[a-z]/.test(name)) source.push('the')
    place.push(link(name))
  }
  const time = uniform() < 0.6 ? [link(anyOf('times'))] : []
  return { source, target: [...subject, ...time, ...place, verb, ...object] }
}

const plurals = Object.values(NOUNS).flatMap(([, , plural]) => plural ?? [])
const measures = Object.entries(NOUNS).flatMap(([noun, [, measure]]) =>
  (GRAMMAR.people.includes(noun) ? ['这'] : ['一', '这', '两']).map(number => number + measure),
)
/** All English words, in a fixed order. */
export const SOURCE_WORDS = ['a', 'an', 'the', 'this', 'two', ...Object.keys(WORDS), ...Object.keys(NOUNS), ...plurals]
/** All Chinese words. */
export const TARGET_WORDS = [
  ...new Set([...Object.values(WORDS), ...Object.values(NOUNS).flatMap(([words]) => words), ...measures]),
]

/** Lengths in words of held-out sentences. Training sentences have all other lengths. */
const HELD_OUT = [9]
/** Maximum numbers of words in an English sentence and in its translation. */
export const LONGEST = { source: 16, target: 17 }
/** Start token of a translation; its row follows those of TARGET_WORDS. */
export const START = TARGET_WORDS.length

const sourceIds = new Map(SOURCE_WORDS.map((word, id) => [word, id]))
const targetIds = new Map(TARGET_WORDS.map((word, id) => [word, id]))

/**
 * Returns the number of words in a translation: "the", and "a" of the subject, have none; "solution" has two.
 * @param {readonly string[]} source
 */
export const translationLength = source =>
  source.length -
  source.filter((word, i) => word === 'the' || (i === 0 && /^an?$/.test(word))).length +
  source.filter(word => word.startsWith('solution')).length

/**
 * Packs sentences into a batch. Rows are padded; `lengths` counts the source words.
 * @param {readonly Pair[]} pairs
 * @returns {import('./batch.js').Batch}
 */
export function toBatch(pairs) {
  const B = pairs.length
  const { source: T, target: L } = LONGEST
  const ids = new Int32Array(B * T)
  const previous = new Int32Array(B * L).fill(START)
  const [targets, sources, others] = Array.from({ length: 3 }, () => new Int32Array(B * L).fill(-1))
  for (const [b, { source, target }] of pairs.entries()) {
    for (const [t, word] of source.entries()) {
      const id = sourceIds.get(word)
      if (id === undefined) throw new RangeError(`"${word}" is not a word of this grammar: ${SOURCE_WORDS.join(' ')}`)
      ids[b * T + t] = id
    }
    for (const [i, { word, sources: linked }] of target.entries()) {
      const id = /** @type {number} */ (targetIds.get(word))
      targets[b * L + i] = id
      if (i + 1 < L) previous[b * L + i + 1] = id
      sources[b * L + i] = linked[0]
      others[b * L + i] = linked[1] ?? -1
    }
  }
  const lengths = pairs.map(({ source }) => source.length)
  return { B, T, L, ids, previous, targets, sources, others, lengths }
}

const shape = () => ({
  inputs: SOURCE_WORDS.length,
  outputs: TARGET_WORDS.length,
  V: TARGET_WORDS.length,
  T: LONGEST.source,
  L: LONGEST.target,
  previous: START + 1,
})

/** @type {import('./task.js').Task['batch']} */
function batch(generator, _, B, split) {
  /** @type {Pair[]} */
  const pairs = []
  while (pairs.length < B) {
    const { data } = generator.rand([DRAWS])
    let at = 0
    const pair = drawPair(() => data[at++])
    if (HELD_OUT.includes(pair.source.length) === (split === 'heldOut')) pairs.push(pair)
  }
  return toBatch(pairs)
}

const pytorch = () => `import json

G = json.loads('''${JSON.stringify(GRAMMAR)}''')
KINDS = G['kinds']
WORDS = {word: chinese for kind in KINDS.values() for word, chinese in kind.items()}
SOURCE = {word: i for i, word in enumerate('${SOURCE_WORDS.join(' ')}'.split())}
TARGET = {word: i for i, word in enumerate('${TARGET_WORDS.join(' ')}'.split())}
T, L = ${LONGEST.source}, ${LONGEST.target}
INPUTS, OUTPUTS = len(SOURCE), len(TARGET)

def pair(u):
    source = []
    pick = lambda words: words[min(len(words) - 1, math.floor(next(u) * len(words)))]
    any_of = lambda kind: pick(list(KINDS[kind]))

    def word(w):
        source.append(w)
        return [WORDS[w]]

    def phrase(nouns, subject, modified):
        noun = pick(nouns)
        r = next(u)
        determiner = [d for d, below in G['determiners']['subject' if subject else 'object'] if r < below][0]
        words, measure, *plural = G['nouns'][noun]
        kind = next(u) if modified else 1
        modifiers = []
        if kind < 0.5 and noun in G['autonomous']:
            modifiers = pick(G['modifiers'])
        elif kind < 0.55:
            modifiers = [any_of('adjectives')]
        source.append('an' if determiner == 'a' and (modifiers + [noun])[0][0] in 'aeiou' else determiner)
        said = [w for m in modifiers for w in word(m)]
        source.append(plural[0] if determiner == 'two' and plural else noun)
        spoken = determiner in G['numbers'] and not (subject and determiner == 'a')
        number = [G['numbers'][determiner] + measure] if spoken else []
        return number + said + words

    if next(u) < 0.3:
        subject = word(any_of('pronouns'))
    else:
        subject = phrase(G['people'], True, next(u) < 0.5)
        if next(u) < 0.25:
            of = word('who')
            verb = word(any_of('verbs'))
            subject = verb + phrase(G['things'], False, False) + of + subject
    verb = word(any_of('verbs'))
    thing = phrase(G['things'], False, True)
    place = []
    if next(u) < 0.6:
        place = word(any_of('prepositions'))
        name = any_of('places')
        if name[0].islower():
            source.append('the')
        place += word(name)
    time = word(any_of('times')) if next(u) < 0.6 else []
    return source, subject + time + place + verb + thing

def batch(g, B):
    ids, before = torch.zeros(B, T, dtype=torch.long), torch.full((B, L), OUTPUTS)
    targets, lengths = torch.full((B, L), -1), torch.zeros(B, dtype=torch.long)
    b = 0
    while b < B:
        source, target = pair(iter(torch.rand(${DRAWS}, generator=g).tolist()))
        if len(source) in [${HELD_OUT}]:
            continue
        ids[b, : len(source)] = torch.tensor([SOURCE[w] for w in source])
        y = torch.tensor([TARGET[w] for w in target])
        targets[b, : len(y)], lengths[b] = y, len(source)
        before[b, 1 : len(y) + 1] = y[: L - 1]
        b += 1
    return ids, targets, before, lengths
`

/** Generates the most likely words one after another. @type {NonNullable<import('./task.js').Task['answer']>} */
function answer(run, ids) {
  const V = run.shape.outputs
  const source = ids.map(id => SOURCE_WORDS[id])
  const length = translationLength(source)
  /** @type {TargetWord[]} */
  const target = []
  while (target.length < length) {
    const { logits } = run.forward(toBatch([{ source, target }]))
    target.push({ word: TARGET_WORDS[argmax(logits.data, target.length * V, V)], sources: [0] })
  }
  return { forward: run.forward(toBatch([{ source, target }])), from: 0, to: length, inputs: ids }
}

/** @param {string} probe @returns {number[] | import('./task.js').TaskProblem} */
function readWords(probe) {
  const words = probe.trim().split(/\s+/)
  const most = LONGEST.source
  const strange = words.find(word => !sourceIds.has(word))
  if (strange !== undefined) return { key: 'probeWord', params: { given: strange } }
  if (words.length > most) return { key: 'probeWords', params: { count: words.length, most } }
  return words.map(word => /** @type {number} */ (sourceIds.get(word)))
}

/** @type {import('./task.js').Task} */
export const translation = {
  id: 'translation',
  isCausal: false,
  hasCross: true,
  hasGlosses: true,
  defaults: { ...COMMON, layers: 1, positions: 'sinusoids', V: 0, T: LONGEST.source, rate: 1e-2, steps: 400 },
  fields: ['layers', 'heads', 'd', 'positions', 'mlp', 'norm', 'rate', 'batch', 'steps', 'seed'],
  goal: { measure: 'alignment', least: 0.9, within: 300, usual: 140 },
  recorded: {
    least: '1 3 24 49 78 86 91 93 94 95 96 97 97 97 97 98 98 98 98 98 98',
    most: '2 8 38 74 87 92 95 97 97 98 99 99 98 99 99 100 100 100 99 100 100',
  },
  finds: () => ['answer'],
  shape,
  batch,
  tokens: () => ({
    name: id => TARGET_WORDS[id],
    inputName: id => SOURCE_WORDS[id],
    read: readWords,
    first: 'an engineer wants an autonomous driving solution in Beijing today',
    answers: 'all',
    language: 'zh',
    words: SOURCE_WORDS,
  }),
  answer,
  pytorch,
  story: [
    train,
    untilGoal,
    { target: at('#learn-map'), isDone: ({ answer, isSelected }) => isSelected(answer) },
    askWhy,
    ownProbe,
    answerOff,
  ],
}
