import { headStatistics } from '../../../elements/statistics.js'
import { format } from '../../../files/number-format.js'
import { headWords } from '../explain/head-facts.js'
import { namesOf } from '../explain/labels.js'
import { strongestLink } from '../explain/strongest-link.js'
import { answerOf } from '../explain/visibility-facts.js'
import { looksAt } from '../explain/word-facts.js'
import { marked, share, weightsOf } from './word-buttons.js'

/** @import { FloatTensor, SceneContext } from '../layer.js' */

/**
 * The numbers of a stop's text, as the page has them now: they follow what the reader changes.
 * @param {SceneContext} context
 * @param {string} id
 * @returns {Record<string, string | number>}
 */
export function tourNumbers(context, id) {
  const { result, head, settings, t } = context
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
      const all = /** @type {FloatTensor} */ (result.tensors.weights)
      const words = headWords(result.statistics ?? headStatistics(all), {
        isCross: result.settings.isCross,
        even: 1 / keys.length,
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
      const link = strongestLink(result, head)
      const params = link && {
        query: marked(queries[link.row]),
        key: marked(keys[link.column]),
        share: share(context, link.weight),
      }
      return { rows: queries.length, columns: keys.length, ...(params ?? { query: '', key: '', share: '' }) }
    }
    case 'kernel': {
      const { Q, output } = result.tensors
      const near = looksAt(weights, 0, result.visible).filter(({ weight }) => weight > 0.01)
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
