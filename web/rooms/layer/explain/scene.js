// Derives the scene from a result: what the views draw, such as the matrices of the selected head, the explained cell and its dependencies.

import { headStatistics } from '../../../elements/statistics.js'
import { drawnOfHead } from '../trace/visibility.js'
import { explain } from './cell.js'
import { chainOf } from './chain.js'
import { comparedWith } from './comparison.js'
import { sourcesOf, targetsOf } from './dependencies.js'
import { matricesOf } from './matrix-names.js'
import { pictureOf } from './picture.js'
import { strongestLink } from './strongest-link.js'

/** @import { Arithmetic, Cell, Difference, Explanation, Matrices, Region, Result, Settings } from '../layer.js' */

/**
 * @typedef {object} Scene
 * @property {Result} result
 * @property {number} head index of the displayed head
 * @property {ReturnType<typeof pictureOf>} picture which picture of that head is drawn: a name in `web/attention-head/views/index.js`
 * @property {Matrices} matrices of that head
 * @property {import('../../../elements/statistics.js').HeadStatistics[]} [statistics] one for each head, with view 'numbers'
 * @property {import('./comparison.js').Compared} [compared] with view 'difference'
 * @property {import('./strongest-link.js').Link} [link] the strongest link of that head
 * @property {{ data: Uint8Array, dims: number[] }} [mask] which weights of that head are drawn, (queries, keys); 0 is hidden
 * @property {Cell} cell the explained cell: the selected one, or the strongest link
 * @property {Cell} lit the marked cell: the one under the pointer, else the explained cell
 * @property {Explanation} explanation of `cell`
 * @property {Cell[]} chain from `cell` back to its origin
 * @property {Arithmetic} arithmetic operations of the core for values that a view computes
 * @property {Region[]} sources cells from which `lit` is computed
 * @property {Region[]} targets cells that are computed from `lit`
 * @property {Difference} [difference] largest difference between the float32 trace and float64, once computed
 * @property {{ dims: readonly number[] }} [batch] shape of the output of the whole batch, once it has been run
 */

/** Creates a function that derives scenes. It reuses parts of the last scene while result and head stay the same. */
export function createScenes() {
  /** @type {Pick<Scene, 'result' | 'head' | 'matrices' | 'mask' | 'link' | 'statistics' | 'compared'> | undefined} */
  let last

  /**
   * Derives a scene.
   * @param {Result} result
   * @param {Arithmetic} arithmetic
   * @param {Settings} settings
   * @param {Cell | undefined} pointed the cell under the pointer
   * @param {import('./comparison.js').Baseline} baseline
   * @returns {Scene}
   */
  return (result, arithmetic, settings, pointed, baseline) => {
    const head = result.detailHead ?? Math.min(settings.head, result.heads - 1)
    if (last?.result !== result || last.head !== head) {
      const mask = drawnOfHead(result, head)
      last = { result, head, matrices: matricesOf(result, head), link: strongestLink(result, head), mask }
    }
    const { link } = last
    const picture = pictureOf(settings, result)
    const { row = 0, column = 0 } = link ?? {}
    /** @type {Cell} */
    const cell = settings.cell ?? { matrix: 'weights', head, row, column }
    const lit = pointed ?? cell
    const { weights } = result.tensors
    if (picture === 'numbers' && weights) last.statistics ??= result.statistics ?? headStatistics(weights)
    if (picture === 'difference') last.compared = comparedWith(result, head, settings, arithmetic, baseline)
    return {
      ...last,
      picture,
      cell,
      lit,
      arithmetic,
      chain: chainOf(result, cell, arithmetic),
      explanation: explain(result, cell),
      sources: sourcesOf(result, lit),
      targets: targetsOf(result, lit),
    }
  }
}
