// The guided stories of the room "Learn". A stop says what is seen; its ".do" says what the reader does.

export const stories = {
  story: 'Guided story',
  storyStart: 'What is happening? A guided story',
  storyBack: 'Back',
  storyNext: 'Next',
  storyPlace: '{at} of {count}',
  storyEnd: 'Close the story',
  storyDone: 'Done.',

  'story.induction.1':
    'A segment of these numbers stands twice. After its last number the model has to say what followed the last time. Its weights are random: it says {says}, and it is right in {first} of such cases. A model that looks nowhere reaches {nowhere}.',
  'story.induction.1.do': 'Press Train.',
  'story.induction.2':
    'For a while nothing seems to happen: loss and accuracy hardly move. Then, within some dozens of steps, accuracy jumps. This is the phase change: two heads now work together.',
  'story.induction.2.do': 'Wait for the jump in the curve.',
  'story.induction.3':
    'Accuracy jumped at step {jump}. Head {previous} of the first layer puts {previousShare} of its weight on the token before: the bright line below the diagonal. So each position now knows what stood before it.',
  'story.induction.3.do': 'Select head {previous}.',
  'story.induction.4':
    'Head {answer} of the last layer uses that. It looks for the position whose previous token equals the current token, and so finds what followed the last time, with {answerShare} of its weight. This is an induction head.',
  'story.induction.4.do': 'Select head {answer}, and follow its bright cells.',
  'story.induction.5':
    'Which head was first? Neither: in the curves of the scores both rise within the same few dozen steps. Each is of use only together with the other. Before step {jump} there is almost nothing to gain: so the model waits, and then it jumps.',
  'story.induction.5.do': 'Drag "Show step" back to before step {jump}.',
  'story.induction.6':
    'Neither head can do it alone. With head {previous} off, accuracy on lengths never trained falls to {changed}: the induction head has lost its input.',
  'story.induction.6.do': 'Return to the newest step, and switch head {previous} off.',
  'story.induction.7':
    'One layer has no layer before it, so no head can know what stood before a key. Its accuracy stays near that of a model without this trick. The circuit needs two layers.',
  'story.induction.7.do': 'Under Compare, choose "With one layer", and train it.',

  'story.translation.1':
    'English sentences of a small grammar, and their Chinese. Nobody tells the model which word belongs to which; at first it is right in {first} of the words.',
  'story.translation.1.do': 'Press Train.',
  'story.translation.2':
    'To say the right word, the cross-attention must look at the right word. Alignment, the share of words for which it does, rises together with accuracy.',
  'story.translation.2.do': 'Wait until alignment reaches 90%.',
  'story.translation.3':
    'The map has Chinese words as rows and English words as columns. It is not a diagonal: Chinese puts time and place before the verb, English at the end. The head looks at the right word in {alignment} of all cases.',
  'story.translation.3.do': 'Select head {answer}, and follow a row.',
  'story.translation.4': 'The logit of each word of the answer is a sum: what the head adds from each position.',
  'story.translation.4.do': 'Click a word of the answer.',
  'story.translation.5':
    'The grammar makes many sentences and lengths that were never trained: the model translates {accuracy} of their words.',
  'story.translation.5.do': 'Type a sentence of your own, from the words of the grammar.',
  'story.translation.6':
    'Without the cross-attention the model sees no English at all: {changed} of the words are still right, because it knows which words often follow each other.',
  'story.translation.6.do': 'Switch head {answer} off.',

  'story.sort.1':
    'Eight numbers, a bar, and then the same numbers in order, one after the other. One head has to do it; at first it is right in {first} of the places.',
  'story.sort.1.do': 'Press Train.',
  'story.sort.2':
    'The head has one thing to learn: from the number just written, look at the next larger one. It takes about a hundred steps.',
  'story.sort.2.do': 'Wait until accuracy reaches 95%.',
  'story.sort.3':
    'Look at the rows below the bar: each has one bright cell, on the next number in order. The head puts {answerShare} of its weight there.',
  'story.sort.3.do': 'Click a number of the answer: which positions does it come from?',
  'story.sort.4': 'Go back in time: at first the rows are even, then they sharpen.',
  'story.sort.4.do': 'Drag "Show step" back to before step {reached}.',
  'story.sort.5':
    'It has learned the rule, not the sequences: on a length that was never trained, two less than the longest, {accuracy} of the places are right.',
  'story.sort.5.do': 'Type different numbers of your own, up to eight.',

  'story.reverse.1':
    'Each position has to say the number at the opposite end. The numbers do not help to find it, only the positions do. At first the model is right in {first} of the places.',
  'story.reverse.1.do': 'Press Train.',
  'story.reverse.2':
    'The head learns which position belongs to which. Watch the anti-diagonal appear, within some dozens of steps.',
  'story.reverse.2.do': 'Wait until accuracy reaches 95%.',
  'story.reverse.3':
    'The head puts {answerShare} of its weight on the opposite end. The model has nothing else: without the head, accuracy is {changed}.',
  'story.reverse.3.do': 'Switch head {answer} off, or let it give its mean.',
  'story.reverse.4':
    'How did it learn this? At each step the gradient says, for every weight, which direction makes the loss smaller. It does so for the attention as well: where to look less (positive) and where to look more (negative).',
  'story.reverse.4.do': 'Go back to an early step, open Gradients, and compute them.',
  'story.reverse.5':
    'Without positions, all places look the same to the head: it cannot know which end is opposite. Accuracy stays near {nowhere}.',
  'story.reverse.5.do': 'In Settings, set positions to none, and train.',

  'story.text.1':
    'Your text, character by character: from everything before, the model has to say the next one. The last tenth of the text is held out.',
  'story.text.1.do': 'Paste a text of some thousand characters.',
  'story.text.2':
    'Two layers of four heads, with MLPs: larger and slower than in the other tasks. At first the model guesses among all characters.',
  'story.text.2.do': 'Press Train.',
  'story.text.3':
    'Loss falls fast at first: frequent letters, then pairs, then short words. On the held-out tenth the model now needs {bits} bits per character. Large language models need less than one; this one has seen only your text.',
  'story.text.3.do': 'Let it train for 200 steps.',
  'story.text.4':
    'It continues what you type with one likeliest character after the other. It soon repeats itself: the model is very small.',
  'story.text.4.do': 'Type the beginning of a word that the text has.',
  'story.text.5':
    'Head {previous} looks most at the previous character, with {previousShare} of its weight: pairs of letters help most at first.',
  'story.text.5.do': 'Select head {previous}.',
}
