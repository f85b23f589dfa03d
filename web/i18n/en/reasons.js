// The texts of "Why does it look there?" in the room "Models".

export const texts = {
  reasonsTitle: 'Why does it look there?',
  reasonsSay:
    'The score is a sum. Its largest term, {value} of {score}, is {left}, written at “{query}”, times {right}, written at “{key}”.',
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
    'Query and key are each a sum of what the embedding, earlier heads and MLPs wrote at the word. So the score is a sum over pairs: a part of the query times a part of the key. The scaling by the norms is held fixed. A term that is the same for all keys of a row changes no weight.',
  reasonsMap: 'Terms of the score of “{query}” and “{key}”, by what wrote them',
  reasonsAt: 'written at “{word}”',
  reasonsOthers: 'all others',
  reasonsTooLong: 'The text is too long to take a score apart: give a shorter one.',
}
