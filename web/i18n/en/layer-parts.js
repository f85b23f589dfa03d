// What One layer says in parts that are loaded when they are opened, and of files that it cannot read: the page of a word, the tour, what differs from a document, why scores are divided, what a length costs, programs, import.

export const texts = {
  compareNone:
    'Keep the current settings as A, then change something: the map shows A minus what you see (B). The link holds both.',
  compareFailed:
    'The kept settings could not be computed ({message}). Use fewer words or heads, then keep the settings again.',
  comparePending: 'The kept settings are being computed.',
  compareOneHead: 'There is only one head: add heads, or compare with kept settings.',
  compareLeftOut:
    'With this many tokens, the page keeps the weights of one head only, so it cannot compare two. Use fewer tokens or heads.',
  compareSizes:
    'Queries × keys: {rows} × {columns} in the kept settings, {queries} × {keys} now. Only equal sizes can be compared.',
  problemPairs:
    'Heads: {heads}, each of {queries} by {keys} tokens: that is too much. Import fewer heads or fewer tokens.',
  leftOutWeights:
    'With this many tokens, the page keeps all numbers of head {head} only. Of every head ({heads}) it keeps the outputs, their statistics and a small picture, in which a dot is the strongest of several cells. Choose a head to see it whole.',
  leftOut:
    'With this many tokens, the page keeps the weights and outputs of every head ({heads}), but the steps between them of head {head} only, and no old values beside changed ones. Choose a head to see its steps.',
  tourTry: 'Try it',
  'tour.root.text':
    'Scores spread like √d; dividing keeps softmax from picking a single word. A softmax that has picked one word passes almost no gradient back.',
  'tour.root.do': 'Move the slider for d to the right and watch the share of the largest key.',
  'tour.mask.text':
    'Hidden cells: {hidden} of {all}{row}. Their exponentials drop out. Each row still sums to 1, because what is left is divided by its own sum. So hiding before softmax gives the same as hiding after it and dividing again (largest difference: {most}).',
  'tour.mask.row': '; in the row of {query}: {list}',
  'tour.mask.do': 'Choose another mask: both columns still agree, for every row.',
  'tour.sees.text':
    'Does {query} (word {position}) see {key} (word {other})? {answer} The inspector names the rule and proves it: one word is changed, everything is computed again.',
  'tour.sees.do': 'Choose another word in the question of the inspector.',
  'tour.heads.text':
    'Each head has a sentence. Head {sharpest} is the sharpest ({least} bit of entropy), head {evenest} the most even ({most} bit). The map shows one head minus another, and names the largest differences.',
  'tour.heads.do': 'Choose two other heads to subtract.',
  'tour.cross.text':
    'Rows are the words that ask ({rows}), columns the words that answer ({columns}). {looks} Rows sum to one; columns need not.',
  'tour.cross.do': 'Click a word of either sentence.',
  'tour.kernel.text':
    'Keys near the query get the largest weights: {near} share the attention. The output is the average of their values, {estimate}.',
  'tour.kernel.do': 'Move the query along the curve.',
  'tour.induction.text':
    'It looks for an earlier place where the same word stood, and at the word that followed it there. Two heads in a row do it: one notes the previous token, the next matches it.',
  'tour.induction.do': 'Type a sentence of your own that repeats a word.',
  'differs.000':
    'X, the weights, Q, K, V and the scores equal the printed ones. The printed result does not follow from them: it uses the values of a fourth run of the cell that draws the weights, and it divides by 4, as if a key had 16 dimensions instead of 8.\nIts softmax runs down the columns, so the weights of a word do not sum to one. Here the scale is 1/√8 and softmax runs over the keys. In Settings, scale 0.25 and softmax over the queries give the weights as they were coded.\n“is” occurs there twice and has its later number, so number 1 is not used.',
  'differs.001':
    'Everything equals the print except one digit: one output is −0.2627 there and −0.2626 here. The random numbers of PyTorch’s portable build and of its AVX2 build differ in the last bits. The print comes from the former; the page follows the latter, as most machines do today.\nThe seed is set again before the weights are drawn, so they do not depend on the table. The comment that d_out_v becomes 1 stands above a call with 4. The name block_size there means the size of an embedding, not the six words.\nThe document first masks after softmax. That gives the same weights as −∞ before it.',
  'differs.002':
    'That document prints shapes and no numbers. The sizes here are the printed ones: a batch of 10, 60 tokens, a model of 512 and 8 heads of 64; the output is (10, 60, 512). There, Q, K and V start from three random tensors; here they start from one, the embeddings of 60 words, so that the maps can be read. The layer here draws its numbers as PyTorch’s own layer does; the document draws four linear layers without a seed and drops a tenth of the weights.\nOne line divides with // instead of /, which floors the scores to whole numbers and changes the result. K and V take the length of Q there; here they keep their own, so that cross-attention works.\nHidden scores are −1,000,000,000 there and −∞ here: a query that sees nothing then weighs all keys alike there, and none here.',
  'differs.003':
    'That document has formulas and a table of three by three words, but no numbers. The numbers here come from the seed, as PyTorch’s layer draws them, untrained.\nThe document cuts by meaning: three Chinese words and three English ones. Here a dictionary cuts the Chinese into five words, and spaces cut the English into four, so that the map is rectangular. Type 一套 自动驾驶 解决方案 and choose tokens at spaces for its three.\nIts table has source words down and target words across; here the queries, the target, go down. With several heads the divisor is the root of the size of one head, not of the whole key.',
  'differs.004':
    'The weight of 68 is printed as 0. It is 0.000000056, and the estimate is 112.50000076: in four decimals both print alike.\nThe width σ of the printed kernel is 1. The document’s table of models divides the plain dot product by a root, too; its text does not, nor does the page. The additive score as printed has no tanh: then the query drops out of softmax, and every query gets the same output. Here it has one.',
  asksYes: '{query} sees {key}: the mask allows it. The weight is {share}.',
  asksStill: 'Proof: with {word} instead of {key}, the output of {query} does not change, not even in the last bit.',
  asksMoved: 'Proof: with {word} instead of {key}, the output of {query} changes by {moved}.',
  asksBest: 'Asks: the query of {word} fits the key of {best} best: {score}. It fits {least} least: {low}.',
  asksBestOwn:
    'Asks: the query of {word} fits the key of {best} best: {score}; its own: {own}. It fits {least} least: {low}.',
  answersBest: 'Answers: the key of {word} fits the query of {query} best: {score}.',
  passesOnTwo: 'Passes on: {first} of its value goes into {one}, {second} into {other}.',
  passesOnOne: 'Passes on: {first} of its value goes into {one}.',
  receivesLength: 'Receives: its output, of length {total}, is made of vectors of these lengths:',
  decidesRole: 'Head {head} has the largest weight for it: {share} on {key}. It looks mostly at {role}.',
  looksAtTitle: 'Looks at (even share {share})',
  lookedAtTitle: 'Is looked at by',
  inEachHead: 'Looks most at, in each head',
  headNumber: 'head {head}',
  moreShares: '{count} more, together {share}',
  distributionText:
    'Queries and keys are d random numbers each (normally distributed). Their scores spread like √d: with a large d one score is far above all others, and softmax gives nearly everything to one key. Then almost no gradient goes back to the scores.',
  distributionDeviation: 'The scores of 64 queries and 64 keys (seed {seed}) spread by {deviation}; √d is {root}.',
  'distribution.plain': 'softmax(S)',
  'distribution.scaled': 'softmax(S / √d)',
  distributionWeights: 'weights of one query over eight keys',
  distributionMost: 'largest',
  distributionGradient: 'gradient',
  costLength: 'Length n, in words',
  costCausal: 'causal: no word sees a later one',
  costSizes:
    'H = {heads}, d = {size}, D = H d = {width}. From n = 4 d = {crossing} on, the weights (square) are more numbers than queries, keys, values and output (strip).',
  costPicture:
    'A square of {n} × {n}: the weights of a head. Beside it, to the same scale: queries, keys, values and output. The picture is as wide as {side} words.',
  costQuantity: 'quantity',
  costFormula: 'formula',
  costProjections: 'projections, multiplications',
  costMixing: 'scores and mixing, multiplications',
  costEqual: 'length at which the two are equal, without a mask',
  costStored: 'weights of all heads, if stored',
  costFused: 'fused kernel (one pass, no weights stored): queries, keys, values, output',
  costDecode: 'one more word with a KV cache, multiplications',
  costCache: 'KV cache: the keys and values so far',
  costText:
    'A text of twice the length has four times as many weights: {n} tokens have {pairs} in each head. A fused kernel computes the output without storing them: {fused} instead of {stored}.',
  costMeasured: 'Times on this computer',
  costMeasuredText:
    'The page times one head of 64 dimensions on one thread and shows the median of three runs. It begins no new length after four seconds.',
  costLengths: 'Lengths to measure',
  costMeasure: 'Measure on this computer',
  costChart: 'Milliseconds by length, on logarithmic axes',
  costLegend:
    'Dark: the fused kernel. Grey: with all weights stored. Hollow: estimated from the longest measured length.',
  costGrowth: 'Time grows as n to the power of {growth}.',
  costBoth: 'At {n} words: {fused} fused, {stored} with all weights stored.',
  shapeLetters: 'axes',
  shapeSizes: 'sizes',
  shapeWork: 'multiplications',
  shapes: 'Tensor shapes',
  shapesText:
    'The same computation as tensor shapes: B batch, L queries, S keys, D model, H heads, d head size, d_V that of the values.',
  batchText: 'The batch holds {batch} sequences: your text, shifted by one token each time.',
  batchPending: 'It is computed when the settings stay unchanged for a moment.',
  batchRan: 'The whole batch was computed: the output has the shape ({dims}).',
  batchLarge: 'It is too large to compute here: the shapes follow from the settings.',
  'shape.input': 'input',
  'shape.project': 'project',
  'shape.view': 'view',
  'shape.transpose': 'transpose',
  'shape.scores': 'Q Kᵀ, softmax',
  'shape.mix': 'times V',
  'shape.back': 'transpose back',
  'shape.join': 'view',
  'shape.out': 'project',
  orderText:
    'Attention compares each word with each other word, wherever they stand. Without positions a sentence is a bag of words; positions tell the layer who stands where.',
  orderCaption: 'The first number of each word’s output, in both orders',
  orderSame: 'Each word has the same output in both orders: no number differs by more than {most}, which is rounding.',
  orderMoves: 'The outputs depend on the order: the largest difference is {most}.',
  orderMasked:
    'The outputs depend on the order, also by the mask, which hides other words: the largest difference is {most}.',
  orderNone: 'This needs one sentence of up to 64 words, and random matrices.',
  exportTrained:
    'The link opens this layer again, and the file has every number. A program of the whole model is in Models.',
  exportText:
    'The programs print the numbers of this page: same seed, same random streams, and all that was set by hand.',
  'code.pytorch': 'The PyTorch program (Python)',
  'code.qkv': 'The qkv program (JavaScript)',
  'copy.link': 'Copy link',
  'copy.pytorch': 'Copy as PyTorch code',
  'copy.qkv': 'Copy as qkv code',
  saveAll: 'Save all as JSON',
  importText:
    'Drop files anywhere on the page, choose them, or paste JSON: queries, keys and values, or finished weights. Every view works on them, and nothing leaves your computer. At most {most} MB.',
  importShapes: 'Sizes',
  importFormatJson:
    '{ "weights": …, "v": …, "tokens": […], "keyTokens": […] } or { "q": …, "k": …, "v": … }: nested lists, or { "data": […], "dims": […] }. “v” beside weights, and all tokens, are optional. Files that this page saved work, too.',
  importFormatNpy:
    'One file is taken as weights; several by their names: q.npy, k.npy, v.npy, weights.npy. Floats of 16, 32 and 64 bits, whole numbers and booleans become float32.',
  importFormatShapes:
    'weights (heads, queries, keys), q (heads, queries, d), k (heads, keys, d), v (heads, keys, e); for one head without the first axis.',
  importPaste: 'JSON',
  importPasted: 'Read what is pasted',
  importExample: 'Try an example',
  importFiles: 'Choose files',
  importFailed: 'This could not be read: {message}',
  importLarge: 'That is {size} MB; this page reads up to {most} MB. Save fewer layers or heads.',
  importJson: 'This is not JSON: {message}',
  importNaN:
    'This file holds NaN or Infinity. JSON has neither, and no view can show them: every number has to be finite.',
  importType: '“{name}” is neither JSON nor .npy.',
  importNames: '“{name}” does not say what it holds. Name several files q.npy, k.npy, v.npy or weights.npy.',
  importShape: 'A tensor is expected, or an object such as { "weights": [[1, 0], [0.5, 0.5]] }.',
  importParts: 'Found: {names}. Expected: q, k and v; or weights; or weights and v.',
  importTensor: '{name} is not a tensor: nested lists of numbers are expected, or { "data": […], "dims": […] }.',
  importRagged: '{name} is ragged: its first rows give the sizes ({dims}), but not all rows are that long.',
  importAxes:
    '{name} has sizes ({dims}). Expected: (heads, rows, columns) or (rows, columns), none of them zero. Take one sequence of a batch, or one of several layers.',
  importMany: '{name} has sizes ({dims}): that is more than {most} numbers.',
  importColumns: '{name} has sizes ({dims}): the page shows up to {most} columns.',
  importCount: 'Numbers in {name}: {held}; by its sizes ({dims}) there should be {count}.',
  importNumber: 'Number {at} of {name} is “{got}”; every number has to be finite.',
  importNegative:
    'Weight number {at} is {got}, but weights are shares. Scores before the softmax can be imported as q and k only.',
  importFit: '{name} has sizes ({dims}), but ({want}) fits the others.',
  importHeads: '{heads} heads are too many: this page shows up to {most}.',
  importTokens: '{name} should be a list of texts, such as ["the", "cat"].',
  importTokenCount: 'Tokens in {name}: {count}; rows or columns: {length}.',
  npyNone: 'This is not a .npy file: it does not begin as NumPy’s files do.',
  npyShort: 'This .npy file ends within its header.',
  npyVersion: 'This .npy file has version {version}; versions 1 to 3 are read.',
  npyHeader: 'The header of this .npy file does not say type, order and shape.',
  npyType:
    'This .npy file holds “{type}”; floats, whole numbers and booleans are read. In Python: array.astype("float32").',
  npySize:
    'The header of this .npy file says ({dims}). Numbers expected: {count}; the file holds {held}. It was cut short or is damaged.',
  sensitivityGradient:
    'Change of a weight = weight × (change of its score − mean change in its row, weighted by attention). The second column is the gradient from the backward pass of attention (attentionBackward).',
  'sensitivity.query':
    'If the number grows by 1, dimension {dimension} of the query {word} changes by {by}; each score of it changes by {by} × this dimension of the key × the scale. The row of {word} changes most, towards:',
  'sensitivity.key':
    'If the number grows by 1, dimension {dimension} of the key {word} changes by {by}, and with it the scores of all queries with this key. The column of {word} changes most:',
  'sensitivity.value':
    'If the number grows by 1, dimension {dimension} of every value changes by a number of its word (most: {word}, {by}). No weight changes. An output changes by the sum of these numbers, each times its weight:',
  'glossary.query': 'What a word asks: a row of Q. It is compared with every key.',
  'glossary.key': 'What a word offers to be found by: a row of K. It is compared with every query.',
  'glossary.value': 'What a word passes on when it is attended to: a row of V.',
  'glossary.head': 'One attention with its own matrices. Several work side by side; their outputs are joined.',
  'glossary.score': 'How well a query fits a key: their dot product, before softmax.',
  'glossary.softmax': 'Turns a row of scores into shares: e to each score, divided by the sum of the row.',
  'glossary.mask': 'Says which key a query may see. A hidden score becomes −∞, its weight 0.',
  'glossary.weight':
    'A share of attention, from 0 to 1; those of a row sum to one. (W_q, W_k, W_v and W_O are weights of another kind: the numbers a model would learn.)',
  'glossary.entropy':
    'How evenly attention is spread, in bits: 0 means that a query looks at one key only; the most is log2 of the number of keys.',
  'glossary.embedding': 'The row of numbers that stands for a token.',
  'glossary.logit': 'The score of a possible next word, before softmax.',
  'glossary.gradient':
    'How much a result changes per unit of a number. Training follows it; where it is 0, nothing is learned.',
}
