// Ten runs of each task, seeds 0 to 9, recorded by npm run learn -- --all --record: the least and the most accuracy on
// held-out data, in percent, at each evaluation.

/** @type {Partial<Record<import('./training-run.js').Task, Record<'least' | 'most', string>>>} */
export const RECORDED = {
  sort: {
    least: '2 23 53 80 91 93 94 96 96 97 96 96 96 95 96 94',
    most: '7 37 69 93 98 98 99 99 99 99 98 100 100 100 100 99',
  },
  reverse: {
    least: '5 14 84 98 95 95 95 95 95 95 95',
    most: '9 21 100 100 100 100 100 100 100 100 100',
  },
  induction: {
    least: '2 3 3 3 3 4 6 9 10 14 17 20 21 33 66 95 98 97 98 99 99 98 99 99 99 99 99 99 99 99 99',
    most: '4 5 5 5 5 6 10 14 15 23 48 86 96 98 99 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100 100',
  },
  translation: {
    least: '1 3 24 49 78 86 91 93 94 95 96 97 97 97 97 98 98 99 98 98 98',
    most: '2 8 38 74 87 92 95 97 97 98 99 99 98 99 99 100 99 99 99 100 99',
  },
}
