// The texts of "What each layer says" in the room "Models".

export const texts = {
  lensText:
    'Each column is a word of the text, each row a layer of the model. A cell shows the word that would come next if the model spoke its mind there; the darker, the surer. The top row is its answer.',
  lensChoice: 'How a state is read',
  'lens.logit': 'Logit lens',
  'lens.jacobian': 'Jacobian lens',
  'lensText.logit': 'Reads each state as if it were the last one.',
  'lensText.jacobian': 'First carries each state through the layers above it, as they act on average.',
  lensFitting: 'Learning how the layers act, from texts that the model writes itself: {done} of {total}.',
  lensFitted: 'Measured on what the model writes by itself (texts: {texts}, tokens of each: up to {tokens}).',
  lensCancelled: 'Cancelled.',
  lensFit: 'Measure',
  lensTooLarge: 'This model is too large to measure its layers here. The logit lens works.',
  lensTable: 'What each layer says after each word',
  lensLayers: 'layer',
  lensAnswer: 'answer',
  lensState: 'Layer {layer}, after “{word}”: {token}, {share}',
  lensChoose: 'Choose a cell to see its ten words.',
  lensCell: 'Layer {layer}, after “{word}”',
  lensPinText: 'Choose a word to pin it: coloured strips show where it is alive (at most {most} at once).',
  lensRanks: '“{token}” after “{word}”, its rank from the first layer to the answer: {ranks}',
  lensUnpin: 'Unpin {token}',
  lensWho: 'Who wrote it?',
  lensWriting: 'Asking each head and each layer …',
  lensWriters: 'Who wrote “{token}”: its score here is {score}',
  'lensWriter.head': 'Head {name}',
  'lensWriter.mlp': 'MLP of layer {layer}',
  'lensWriter.embedding': 'The word “{word}” itself',
  'lensWriter.rest': 'All others',
  lensWritersText:
    'The numbers add up to the score. Open a head to see where it looks; switch it off there, and the grid is read again without it.',
}
