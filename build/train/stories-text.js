// Generates stories in simple English, written left to right. Every choice is made at the word that reveals it. So the exact probability of
// each word, given all words before it, is known, and with it the lowest loss that a model can reach. Pure: random numbers are passed in.

export const GIRLS = ['lily', 'anna', 'mia', 'rosa', 'emma', 'nina']
const BOYS = ['tom', 'ben', 'max', 'leo', 'sam', 'otto']
const THINGS = ['ball', 'book', 'key', 'hat', 'cup', 'drum', 'kite', 'lamp', 'bell', 'boat', 'cake', 'doll']
const COLOURS = ['red', 'blue', 'green', 'yellow', 'white', 'black', 'pink', 'golden']
const PLACES = ['park', 'garden', 'forest', 'river', 'kitchen', 'school', 'market', 'tower', 'beach', 'cave']
const ANIMALS = ['dog', 'cat', 'horse', 'fox', 'owl', 'duck', 'goat', 'mouse']
/** Syllables of invented names. */
const SYLLABLES = [
  'ba',
  'bo',
  'di',
  'fu',
  'ka',
  'ki',
  'la',
  'lo',
  'mo',
  'mu',
  'na',
  'ni',
  'pi',
  'ra',
  'ru',
  'su',
  'ta',
  'vi',
  'vo',
  'zu',
]
const STATES = ['new', 'old', 'small', 'lost', 'nice', 'broken']
const ACTS = ['sleeps', 'runs', 'jumps', 'waits', 'eats']
const PLAYS = ['play', 'sing', 'dance', 'talk', 'laugh']
const FRAME = [
  '<s>',
  '<unk>',
  '.',
  ',',
  '?',
  'and',
  'are',
  'friends',
  'has',
  'a',
  'the',
  'is',
  'called',
  'goes',
  'to',
  'takes',
  'looks',
  'for',
  'likes',
  'wants',
  'find',
  'she',
  'he',
  'her',
  'his',
  'yes',
  'where',
  'in',
]
/** Classes of words that can replace each other. */
export const STORY_CLASSES = [GIRLS, BOYS, THINGS, COLOURS, PLACES, ANIMALS, STATES, ACTS, PLAYS, SYLLABLES]
/** Every word; its index is its id. */
export const STORY_WORDS = [FRAME, ...STORY_CLASSES].flat()

/** What a model has to look up to predict a determined word, by kind. */
export const KINDS = /** @type {const} */ ({
  name: 'the next syllable of an invented name',
  colour: 'the thing that has this colour',
  gender: '"her" or "his", by the subject',
  pronoun: 'the name of "she" or "he"',
  own: 'the thing that belongs to her or him',
  place: 'the place where somebody is',
})

/** @typedef {keyof typeof KINDS} Kind */
/**
 * Mark: a word that can be looked up. `at`: its position; `sources`: the earlier positions with the answer (for "gender": the subject).
 * @typedef {{ at: number, kind: Kind, sources: number[] }} Mark
 * @typedef {{ words: string[], logProbabilities: number[], marks: Mark[] }} Story
 * @typedef {{ name: string, isGirl: boolean, place?: string, thing?: Thing }} Person
 * @typedef {{ word: string, colour: string }} Thing
 */

/** A possible continuation: one or more words, their weight, and a function that continues the story after them. @typedef {[word: string, weight: number, then?: () => void]} Choice */

const inTurn =
  (/** @type {(() => void)[]} */ ...acts) =>
  () => {
    for (const act of acts) act()
  }

/**
 * Draws a random story.
 * @param {() => number} uniform returns the next number of [0, 1)
 * @param {number} length in words; the last sentence is truncated
 * @returns {Story}
 */
export function drawStory(uniform, length) {
  /** @type {Story} */
  const { words, logProbabilities, marks } = { words: [], logProbabilities: [], marks: [] }
  const say = (/** @type {string} */ text, probability = 1) => {
    for (const word of text.split(' ')) {
      words.push(word)
      logProbabilities.push(Math.log(probability))
    }
  }
  /** Draws a choice by weight, writes its words and continues with its `then`. @param {Choice[]} choices */
  const choose = choices => {
    const total = choices.reduce((sum, [, weight]) => sum + weight, 0)
    let rest = uniform() * total
    const found = choices.findIndex(([, weight]) => {
      rest -= weight
      return rest < 0
    })
    const [word, weight, then] = choices[found < 0 ? choices.length - 1 : found]
    say(word, weight / total)
    then?.()
    return word
  }
  /** @param {readonly string[]} options @param {readonly string[]} [used] */
  const pick = (options, used = []) => choose(options.filter(word => !used.includes(word)).map(word => [word, 1]))
  const positions = (/** @type {string} */ word) => words.flatMap((each, i) => (each === word ? i : []))
  /** Writes a determined word. @param {Kind} kind @param {string} word @param {number[]} [sources] */
  const answer = (kind, word, sources = positions(word)) => {
    marks.push({ at: words.length, kind, sources })
    say(word)
  }

  /** @type {Thing[]} */
  const things = []
  /** @type {{ animal: string, name: string[] }[]} */
  const pets = []
  const syllable = () =>
    pick(
      SYLLABLES,
      pets.flatMap(({ name }) => name),
    )

  say('<s>')
  const first = pick([...GIRLS, ...BOYS])
  const others = GIRLS.includes(first) ? BOYS : GIRLS
  say('and')
  const people = [first, pick(others)].map(name => /** @type {Person} */ ({ name, isGirl: GIRLS.includes(name) }))
  say('are friends .')

  const thing = () => {
    const colour = pick(
      COLOURS,
      things.map(({ colour }) => colour),
    )
    const word = pick(
      THINGS,
      things.map(({ word }) => word),
    )
    const made = { colour, word }
    things.push(made)
    return made
  }
  const possessive = (/** @type {Person} */ person, /** @type {boolean} */ isNamed) => {
    const word = person.isGirl ? 'her' : 'his'
    if (isNamed) answer('gender', word, positions(person.name))
    else say(word)
    answer('own', /** @type {Thing} */ (person.thing).word)
  }
  /** Writes what a person does, after the name or the pronoun. @param {Person} person @param {boolean} isNamed */
  const act = (person, isNamed) => {
    const own = () => possessive(person, isNamed)
    /** @type {Choice[]} */
    const verbs = person.thing
      ? [
          ['takes', 1, own],
          ['likes', 1, own],
          ['looks', 1, inTurn(() => say('for'), own)],
          ['wants', 1, inTurn(() => say('to find'), own)],
        ]
      : [
          [
            'has',
            3,
            () => {
              say('a')
              person.thing = thing()
            },
          ],
        ]
    if (!person.place)
      verbs.push([
        'goes',
        3,
        () => {
          say('to the')
          person.place = pick(PLACES)
        },
      ])
    if (isNamed) {
      const other = people[people[0] === person ? 1 : 0]
      verbs.push([
        'and',
        1,
        inTurn(
          () => say(other.name),
          () => pick(PLAYS),
        ),
      ])
    }
    choose(verbs)
  }
  const animal = () => {
    const word = words[words.length - 1]
    say('is called')
    /** @type {string[]} */
    const name = []
    pets.push({ animal: word, name })
    for (let i = 0; i < 3; i++) name.push(syllable())
  }
  const sentence = () => {
    const placed = people.filter(({ place }) => place)
    const isFull = pets.length === 2
    const use = Math.min(1, (things.length + pets.length) / 4)
    /** @type {Choice[]} */
    const about = [
      ...ANIMALS.filter(word => !isFull && !pets.some(({ animal }) => animal === word)).map(
        word => /** @type {Choice} */ ([word, 0.5, animal]),
      ),
      ...things.map(({ word, colour }) => /** @type {Choice} */ ([colour, 4 * use, () => described(word)])),
    ]
    /** @type {Choice[]} */
    const starts = [
      ...people.map(person => /** @type {Choice} */ ([person.name, 3, () => act(person, true)])),
      ...people.map(person => /** @type {Choice} */ ([person.isGirl ? 'she' : 'he', 1, () => act(person, false)])),
      ['is', 2, () => choose(people.map(person => [person.isGirl ? 'she' : 'he', 1, () => asked(person)]))],
      ...pets.map(({ name }) => /** @type {Choice} */ ([name[0], 5 * use, () => called(name)])),
    ]
    if (about.length) starts.push(['the', 4 + 3 * things.length * use, () => choose(about)])
    if (placed.length)
      starts.push([
        'where',
        2,
        inTurn(
          () => say('is'),
          () => choose(placed.map(sought)),
        ),
      ])
    choose(starts)
    say('.')
  }
  const asked = (/** @type {Person} */ { name }) => {
    answer('pronoun', name)
    say('? yes')
  }
  const described = (/** @type {string} */ word) => {
    answer('colour', word)
    say('is')
    pick(STATES)
  }
  const called = (/** @type {string[]} */ [, second, third]) => {
    answer('name', second)
    answer('name', third)
    pick(ACTS)
  }
  const sought = (/** @type {Person} */ { name, place = '' }) =>
    /** @type {Choice} */ ([
      name,
      1,
      inTurn(
        () => say('? in the'),
        () => answer('place', place),
      ),
    ])

  while (words.length < length) sentence()
  return {
    words: words.slice(0, length),
    logProbabilities: logProbabilities.slice(0, length),
    marks: marks.filter(({ at }) => at < length),
  }
}

const ids = new Map(STORY_WORDS.map((word, id) => [word, id]))

/**
 * Draws a batch of stories: `ids` (B, T), and `targets`, the word after each.
 * @param {import('qkv').Generator} generator
 * @param {number} B
 * @param {number} T number of input words; the stories have one more
 */
export function storyBatch(generator, B, T) {
  let drawn = generator.rand([4096]).data
  let at = 0
  const uniform = () => {
    if (at === drawn.length) [drawn, at] = [generator.rand([4096]).data, 0]
    return drawn[at++]
  }
  const stories = Array.from({ length: B }, () => drawStory(uniform, T + 1))
  const rows = stories.map(({ words }) => words.map(word => /** @type {number} */ (ids.get(word))))
  return {
    stories,
    ids: Int32Array.from(rows.flatMap(row => row.slice(0, T))),
    targets: Int32Array.from(rows.flatMap(row => row.slice(1))),
  }
}
