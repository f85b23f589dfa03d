// The texts of the exercises on circuits.

export const texts = {
  'e17.task': 'The model says “tom”. Switch one head off, so that it names a boy who is not in the story.',
  'e17.may': 'What may change: heads, on and off. Open a head by its map; its switch is beside its name.',
  'e17.done':
    'Without head {head} it says “{word}” ({share}): it still knows that a boy is meant, but no longer which.',
  'e17.notYet': 'It says “{word}” ({share}), which is no boy.',
  'e17.hint.none': 'Every head is on.',
  'e17.hint.many': 'One head is enough.',
  'e17.hint.still': 'Still “tom”, with {share}.',
  'e17.hint.unneeded': 'Head {head} is not needed here: “tom” keeps {share}.',

  'e18.task': 'Which head does “Is she” need that “Is he” does not? Switch one head off: it is off in both texts.',
  'e18.may': 'What may change: heads, on and off.',
  'e18.done':
    'Head {head}: without it “Is he” keeps tom ({he}), “Is she” loses lily ({she}). One question, two circuits.',
  'e18.notYet': 'Not yet.',
  'e18.hint.none': 'Every head is on.',
  'e18.hint.many': 'One head is enough.',
  'e18.hint.neither': 'Head {head} changes neither: tom {he}, lily {she}.',
  'e18.hint.his': '“Is he” needs head {head}, “Is she” does not: tom falls to {he}.',
  'e18.hint.both': '“Is he” needs head {head} too: tom falls to {he}.',

  'e19.task':
    'The fox is called vi ta mo, so after “Vi ta” the model says “mo”. Switch off as many heads as you can; it must still say “mo”.',
  'e19.may': 'What may change: heads, on and off.',
  'e19.done':
    'Three heads are enough ({share}): one looks one word back, and with the others it finds what followed. This is an induction circuit.',
  'e19.notYet': 'Heads that are on: {on}. It says “{word}” ({share}).',
  'e19.hint.none': 'Every head is on. Switch one off.',
  'e19.hint.more': 'Heads that are on: {on}. It works; one more can go.',
  'e19.hint.copies': 'It says “ta” ({share}): it found the place, but who moves it one word on?',

  'e20.task':
    'The second text has Ben in the place of Tom. Make the model say “ben” after the first text, by taking one position of one layer from the second.',
  'e20.may':
    'What may change: patches. Select a word, open “Patch from a second text”, choose a layer, and press its button.',
  'e20.done':
    'After layer {layer} the name is already there at the last word: {share} for “{word}”. Later layers only pass it on.',
  'e20.notYet': 'It says “{word}” ({share}).',
  'e20.hint.none': 'Nothing is taken from the second text yet.',
  'e20.hint.all': 'One position is enough.',
  'e20.hint.name': 'Too late: head 1.2 has read the name already, in layer 1. It says “{word}” ({share}).',
  'e20.hint.empty': 'Nothing of Ben is there after layer {layer}: it says “{word}” ({share}).',
}
