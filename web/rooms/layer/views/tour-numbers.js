import { headStatistics } from '../../../elements/statistics.js'
import { format } from '../../../files/number-format.js'
import { headWords } from '../explain/head-facts.js'
import { namesOf } from '../explain/labels.js'
import { answerOf } from '../explain/visibility-facts.js'
import { looksAt } from '../explain/word-facts.js'
import { mostBits } from './head-list.js'
import { marked, weightsOf, wordSentences } from './word-buttons.js'

/** @import { SceneContext } from '../layer.js' */

/** Maximum number of hidden keys listed. */
const MOST_NAMED = 6

/**
 * Lists the hidden keys of a word's row, or of the first row that has some.
 * @param {SceneContext['t']} t
 * @param {{ queries: readonly string[], keys: readonly string[], visible: ArrayLike<number> }} given
 * @param {number} word
 */
function hiddenInRow(t, { queries, keys, visible }, word) {
  const hiddenFrom = (/** @type {number} */ row) => keys.filter((_, key) => !visible[row * keys.length + key])
  const row = hiddenFrom(word).length ? word : queries.findIndex((_, i) => hiddenFrom(i).length)
  const hidden = hiddenFrom(row)
  const list = [...hidden.slice(0, MOST_NAMED).map(marked), ...(hidden.length > MOST_NAMED ? ['…'] : [])]
  return t('tour.mask.row', { query: marked(queries[row]), list: list.join(t('comma')) })
}

/**
 * Returns the numbers in the text of a stop, which follow the reader's changes.
 * @param {SceneContext} context
 * @param {string} id
 * @returns {Record<string, string | number>}
 */
export function tourNumbers(context, id) {
  const { result, settings, t, mask } = context
  const { queries, keys } = namesOf(result)
  const word =
    settings.word?.side === 'queries' && settings.word.position < queries.length
      ? settings.word.position
      : (context.link?.row ?? 0)
  const weights = weightsOf(context)
  switch (id) {
    case 'mask': {
      const { visible } = result
      const hidden = visible ? visible.reduce((sum, x) => sum + (x ? 0 : 1), 0) : 0
      const most = result.maskOrder?.most ?? 0
      return {
        hidden,
        row: visible && hidden ? hiddenInRow(t, { queries, keys, visible }, word) : '',
        all: visible?.length ?? queries.length * keys.length,
        most: most ? most.toExponential(1).replace('-', '−') : '0',
      }
    }
    case 'sees': {
      const asked = Math.min(settings.probe ?? 0, keys.length - 1)
      const { isSeen } = answerOf(result, word, asked)
      return {
        query: marked(queries[word]),
        key: marked(keys[asked]),
        answer: t(isSeen ? 'yes' : 'no'),
        position: word + 1,
        other: asked + 1,
      }
    }
    case 'heads': {
      const all = result.tensors.weights
      const words = headWords(result.statistics ?? headStatistics(all), {
        isCross: result.settings.isCross,
        mostBits: mostBits(result),
      })
      const sharpest = Math.max(
        0,
        words.findIndex(({ rank }) => rank === 'sharpest'),
      )
      const evenest = Math.max(
        0,
        words.findIndex(({ rank }) => rank === 'evenest'),
      )
      return {
        sharpest: sharpest + 1,
        evenest: evenest + 1,
        least: words[sharpest].bits.toFixed(2),
        most: words[evenest].bits.toFixed(2),
      }
    }
    case 'cross': {
      const [looks] = wordSentences(context, { side: 'queries', position: settings.cell?.row ?? word })
      return { rows: queries.length, columns: keys.length, looks }
    }
    case 'kernel': {
      const { Q, output } = result.tensors
      const near = looksAt(weights, 0, mask?.data).filter(({ weight }) => weight > 0.01)
      return {
        query: Q?.data[0] ?? '',
        estimate: output ? format(output.data[0]) : '',
        near: near.map(({ position }) => keys[position]).join(t('comma')),
      }
    }
    default:
      return {}
  }
}
