// The texts of long texts in the room "Models": before one is read, where its words look, a head on it.

export const texts = {
  longCounting: 'Counting the tokens of the new text.',
  longTokens: 'Tokens of the new text: {count}.',
  longTooMany:
    'The new text has {count} tokens, but this model reads at most {most} here. Shorten it, or let the model read its beginning: nothing of it is lost.',
  longTime: 'Reading them takes about {time}, judging by earlier runs.',
  longUnknown: 'How long that takes is known only after a text of some hundred tokens.',
  longRead: 'Read it',
  longFirst: 'Read the first {most}',
  longKeep: 'Keep the text before',
  longLooks: 'Where the word looks',
  longLooksAt: 'Where “{word}” looks in this head',
  longLooksAtAll: 'Where “{word}” looks, in each head',
  longSeenBy: 'What looks at “{word}” in this head',
  longSeenByAll: 'What looks at “{word}”, in all heads',
  longLooksSome: 'the {count} strongest of {heads} heads',
  longSeenSome: 'the {count} strongest, among the eight largest weights of each word',
  longHeadColumn: 'Head',
  longWordColumn: 'Word',
  longLeftOut: 'left out',
  longCells:
    'A cell stands for several words: the weight that one of its rows gives to all of its columns, averaged over its rows.',
  longProfile: 'What this head is like',
  longEntropy: 'Evenness (entropy): {entropy} of 1.',
  longFirstShare: '{share} of the weight goes to the first token.',
  longSink: 'Attention sink: {share} of the weight goes to the first token.',
  longDistance: 'How far it looks, in tokens',
  longRange: '{from} to {to}',
  longLongest: 'The farthest words that get much weight, without the first token',
  longNoStrong: 'None: no weight reaches 20 %.',
  longLink: '{query} ({from}) → {key} ({to})',
}
