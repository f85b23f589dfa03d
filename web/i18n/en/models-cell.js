// The texts of the inspector of a weight, in the room "Models": loaded when one is opened.

export const texts = {
  modelsInspector: 'Where this weight comes from',
  modelsCellTitle: 'Head {name}, {query} to {key}',
  modelsRowSet: 'A weight of this row was set by hand, so it differs from the result of softmax.',
  modelsCellHidden: 'This key is hidden from the query: its score is minus infinity, its weight 0.',
  modelsSoftmax:
    'Softmax: subtract the largest score of the row, take the exponential, and divide by the sum over the row.',
  modelsScore: 'Score',
  modelsDot: 'q · k',
  modelsScaled: 'times the scale, {scale}',
  modelsCapped: 'capped: {cap} tanh(x / {cap})',
  modelsBias: 'position bias',
  modelsMaskHides: 'after the mask: hidden',
  modelsMaskShows: 'after the mask: visible',
  modelsProducts: 'Query and key',
  modelsNumber: 'No.',
  modelsRow: 'The row of “{query}”',
  modelsTerm: 'Number {i} of the query times number {i} of the key: one term of q · k.',
  modelsNumberAt: '{letter}, number {i}, of “{word}”',
  modelsTurned:
    'Rotary positions turn numbers {i} and {other} together; the angle grows with the position ({position}).',
  modelsNotTurned: 'Not turned: the number goes into the score as the projection made it.',
  modelsNumberBare: '{letter}, number {i}, of “{word}”, before the rotation',
  modelsProjection:
    'Row {row} of the matrix W_{letter} of this layer, times x: the numbers that its attention reads at “{word}”.',
  modelsProjectionNorm: 'The norm of the head then multiplies it by {factor}.',
  modelsBiasTerm: 'bias',
  modelsShared: 'Several query heads share key head {head}.',
}
