// The texts of "Why does it look there?" in the room "Models".

export const texts = {
  reasonsTitle: 'Why does it look there?',
  reasonsSay:
    'The largest term of the score is {value} of {score}. It multiplies {left}, written at “{query}”, by {right}, written at “{key}”.',
  reasonsLabel: 'The largest terms of the score of “{query}” and “{key}”',
  reasonsToken: 'the word “{word}” itself',
  reasonsPosition: 'position {position}',
  reasonsHead: 'head {name}',
  reasonsHeadFrom: 'what head {name} read at “{word}” ({position})',
  reasonsCross: 'cross-attention {name}',
  reasonsCrossFrom: 'what cross-attention {name} read at “{word}” ({position})',
  reasonsMlp: 'MLP {layer}',
  reasonsRelative: 'the distance',
  'reasons.type': 'the segment',
  'reasons.biases': 'biases',
  'reasons.changes': 'your changes',
  reasonsMore: '{count} other terms',
  'reasonsMore.one': 'one other term',
  reasonsNote:
    'Query and key are sums of what the embedding, earlier heads and MLPs have written at the two words, so the score is a sum over pairs: query part × key part. The deviations of the norms are held fixed. What is the same for every key of a row does not change the weights.',
  reasonsMap: 'Terms of the score of “{query}” and “{key}”, by what wrote them',
  reasonsAt: 'written at “{word}”',
  reasonsOthers: 'all others',
  reasonsTooLong: 'The text is too long to take a score apart: give a shorter one.',
}
