// The texts of the exercises on what each layer says.

export const texts = {
  'e21.task':
    'After “He put on his hat and” the model answers “left”. On the way it says something to wear. Click the lowest layer that says it first, in the last column.',
  'e21.may': 'What may change: the cell that is selected.',
  'e21.done':
    'Layer {layer} says “{word}” ({share}), and so does the layer above it; the last layer writes another word over it.',
  'e21.notYet': 'Layer {layer} says “{word}” there.',
  'e21.hint.none': 'No cell is selected yet.',
  'e21.hint.column': 'This cell is what comes after “{word}”. Look at the last column.',
  'e21.hint.answer': 'This is the answer itself: “{word}” ({share}). Look at the layers below.',
  'e21.hint.other': 'Layer {layer} says “{word}” ({share}), which nobody wears.',
  'e21.hint.higher': 'Layer {layer} says “{word}”, but a lower layer says it already.',

  'e22.task':
    'Pin a word that comes first in some cell of the grid, but is neither in the text nor in the row of answers. Click a cell: its words are below, each with “Pin”.',
  'e22.may': 'What may change: the cell that is selected, the pinned words.',
  'e22.done':
    '“{word}” comes first at layer {layer}. It is neither in the text nor an answer: only the layers in between show it.',
  'e22.notYet': 'Not “{word}”.',
  'e22.hint.none': 'No word is pinned yet.',
  'e22.hint.text': '“{word}” is in the text.',
  'e22.hint.sign': '“{word}” is not a whole word.',
  'e22.hint.answer': '“{word}” is an answer of the model: it is in the top row.',
  'e22.hint.never': '“{word}” comes first in no cell.',

  'e23.task':
    'At layer 3 the model says “street” after the last word. Switch off the one head without which it falls below rank 20 there: its writers are below the grid.',
  'e23.may': 'What may change: heads, on and off; the cell that is selected.',
  'e23.done': 'Head {head} wrote it: without it “street” has rank {rank} at layer 3, which says “{word}” now.',
  'e23.notYet': 'It has rank {rank}.',
  'e23.hint.none': 'Every head is on. Who adds most to the score of “street”?',
  'e23.hint.many': 'One head is enough.',
  'e23.hint.unneeded': 'Without head {head} “street” still comes first.',
  'e23.hint.still': 'Without head {head} “street” has rank {rank}: not low enough.',
}
