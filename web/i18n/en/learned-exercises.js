// The texts of the exercises on learned models.

export const texts = {
  'e13.task':
    'Here positions are switched off: the model does not know the place of a number. Which of the two tasks can it still learn? Train both, then choose.',
  'e13.may': 'What may change: the task, by the buttons here. Press Train for each and wait until it stops.',
  'e13.part.sort': 'Sort',
  'e13.part.reverse': 'Reverse',
  'e13.answer': 'It learns',
  'e13.choice.sort': 'sorting',
  'e13.choice.reverse': 'reversing',
  'e13.choice.both': 'both',
  'e13.choice.neither': 'neither',
  'e13.measured': 'Accuracy on new data: sorting {sort}, reversing {reverse}.',
  'e13.done':
    'Sorting asks for values, which the numbers carry themselves. Reversing asks for places, and there are none.',
  'e13.notYet': 'Sorting reached {sort}, reversing {reverse}.',
  'e13.hint.train': 'Train both tasks first, each until it stops.',
  'e13.hint.reverse': 'Reversing reached {reverse}.',
  'e13.hint.neither': 'Sorting reached {sort} at step {steps}.',

  'e14.task':
    'Show the least number of layers that learns induction: train a model with too few until it stops, and one with just enough until it reaches 0.95.',
  'e14.may': 'What may change: the number of layers. Press Train for each and wait until it stops.',
  'e14.layers': 'Layers',
  'e14.measured': 'Accuracy on new data: one layer {one}, two layers {two}, three layers {three}.',
  'e14.done':
    'One layer reached {one}, two layers {two}. The second layer reads what a head of the first has written: which word stood before.',
  'e14.notYet': 'One layer reached {one}, two layers {two}.',
  'e14.hint.none': 'Nothing has been trained to its end yet.',
  'e14.hint.fewer': 'Fewer than three are enough.',
  'e14.hint.one': 'Does one layer learn it, too? Train it.',
  'e14.hint.short': 'One layer stopped at step {steps}: it may still learn.',
  'e14.hint.two': 'One layer is too few. Now one more.',

  'e15.task':
    'This model was trained on induction. Put the cursor of the curves on the moment when one head first gives more than half of its weight to the answer.',
  'e15.may': 'What may change: the cursor. Click into a curve, or use its slider.',
  'e15.done': 'At step {step} the best head gives {share} to the answer; accuracy jumps within some twenty steps.',
  'e15.notYet': 'Not yet.',
  'e15.hint.move': 'The cursor is at the end. Move it to an earlier step.',
  'e15.hint.early': 'At step {step} the largest share is {share}.',
  'e15.hint.late': 'The head was there {count} steps earlier.',
  'e15.hint.late.one': 'The head was there one step earlier.',

  'e16.task':
    'The model has written a Chinese translation. Open the map of the cross-attention and select the cell that shows where 今天 (today) came from.',
  'e16.may': 'What may change: the selected cell. A row carries the word that it writes.',
  'e16.done':
    'When it wrote 今天, the model gave {share} to “{word}”. Rows are what asks: the text being written; columns are what answers.',
  'e16.notYet': 'Not yet.',
  'e16.hint.none': 'Open the map of the cross-attention and select a cell.',
  'e16.hint.decoder': 'That is Chinese looking at Chinese.',
  'e16.hint.encoder': 'That is English looking at English.',
  'e16.hint.read': 'This row has just read 今天; here {written} is written.',
  'e16.hint.row': 'In this row {written} is written.',
  'e16.hint.column': 'This word gets {share}; the largest in the row is {most}.',
}
