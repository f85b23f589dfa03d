// The texts of the exercises on masks.

export const texts = {
  'e5.task':
    'Hide cells of the map so that no word sees a later one: “we” sees only itself, “book” sees all four. Press “Paint the mask” above the map, then click the cells or draw over them.',
  'e5.may': 'What may change: the painted cells.',
  'e5.done': 'This triangle is the causal mask. Each row still sums to 1: what is left is shared anew.',
  'e5.notYet': 'Not yet.',
  'e5.hint.itself': '“{query}” must see itself.',
  'e5.hint.past': 'You hid the past. Later words stand to the right of the diagonal.',
  'e5.hint.later': '“{query}” still sees “{key}”, a later word.',
  'e5.hint.earlier': '“{query}” may see “{key}”, an earlier word.',

  'e6.task': 'Set a mask so that each word sees itself and the two words before it, and nothing else.',
  'e6.may': 'What may change: the mask and its reach to the left and right.',
  'e6.done': 'A sliding window: twice as many words cost twice as much, not four times.',
  'e6.notYet': 'Not yet.',
  'e6.hint.later': '“{query}” sees “{key}”, a later word.',
  'e6.hint.itself': 'The word itself is not counted in “left”.',
  'e6.hint.more': '“{query}” sees {count} words before it.',
  'e6.hint.more.one': '“{query}” sees one word before it.',
  'e6.hint.fewer': '“{query}” sees {count} of the words before it.',
  'e6.hint.fewer.one': '“{query}” sees one of the words before it.',

  'e7.task':
    'The weights are 0.2, 0.5 and 0.3. Now key 3 is hidden. What is the first weight then? Three digits are enough.',
  'e7.may': 'Here you only predict; nothing can be changed.',
  'e7.answer': 'First weight',
  'e7.done': 'The shares of what is left keep their proportions: 0.2 ÷ 0.7 = 0.2857.',
  'e7.notYet': 'Not {typed}. The two weights that are left sum to 1 again, in their old proportion.',
  'e7.hint.sum': 'Then the row sums to {sum}.',
  'e7.hint.evenly': 'What is left keeps its proportions; the rest is not split evenly.',
  'e7.hint.ratio': 'That is the one over the other. Divide by the sum of what is left.',

  'e8.task': 'The mask is causal. Word 4, “eat”, becomes “pizza”. Mark each word whose output changes.',
  'e8.may': 'Here you only predict; nothing can be changed.',
  'e8.answer': 'Its output changes:',
  'e8.done': 'Only words that can see word 4 change: itself and all later ones.',
  'e8.notYet': 'Not yet.',
  'e8.hint.cannot': '“{word}” cannot see word 4.',
  'e8.hint.none': 'Mark the words whose output changes; there are some.',
  'e8.hint.own': 'The row of word 4 changes, too: its query is another one.',
  'e8.hint.looks': 'Which other words look at word 4?',
  'e8.hint.missing': 'One more word sees word 4.',
}
