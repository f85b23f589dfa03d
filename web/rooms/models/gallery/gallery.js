// Models of the hub that the field "Model" suggests, with things to see in each.
//
// `download`: bytes of the weights and the tokenizer in the hub's list of files. `memory`: bytes of the weights with linear layers in float16
// and the rest as stored, computed from the published config (tests/page/gallery-models.js). A revision is given if only that one has
// safetensors. The heads come from papers; their layers and heads are counted from 0 here.

/**
 * @typedef {object} KnownHead
 * @property {number} layer
 * @property {number} head
 * @property {'previous' | 'duplicate' | 'induction' | 'inhibition' | 'mover' | 'negative' | 'object' | 'noun' | 'possessive' |
 *   'passive' | 'preposition' | 'coreference'} kind role of the head, from the paper
 *
 * @typedef {object} Paper
 * @property {string} title
 * @property {string} address
 * @property {0 | 1} countsFrom index that the paper gives to the first layer and head
 *
 * @typedef {object} GalleryModel
 * @property {'first' | 'language' | 'encoder' | 'translation'} group
 * @property {string} name hf:owner/name[@revision]
 * @property {string} title
 * @property {number} download bytes
 * @property {number} memory bytes
 * @property {string} license as named by the hub; '' if none is given
 * @property {keyof typeof import('../../../i18n/en/gallery.js').texts} what key of the text about what to look for
 * @property {string} text input that shows what to look for
 * @property {Paper} [paper] source of the heads, or of the claims in the text
 * @property {readonly KnownHead[]} [heads]
 * @property {boolean} [isGated] true if its terms must be accepted on the hub first
 */

/**
 * Parses heads of one kind, in the notation of their paper.
 * @param {KnownHead['kind']} kind
 * @param {Paper} paper
 * @param {string} names such as '4.11 2.2'
 * @returns {KnownHead[]}
 */
const heads = (kind, { countsFrom }, names) =>
  names.split(' ').map(name => {
    const [layer, head] = name.split('.').map(number => Number(number) - countsFrom)
    return { layer, head, kind }
  })

/** @type {Paper} */
const IOI = {
  title: 'Wang et al. 2022, Interpretability in the Wild',
  address: 'https://arxiv.org/abs/2211.00593',
  countsFrom: 0,
}
/** @type {Paper} */
const BERT = {
  title: 'Clark et al. 2019, What Does BERT Look At?',
  address: 'https://arxiv.org/abs/1906.04341',
  countsFrom: 1,
}
/** @type {Paper} */
const STORIES = {
  title: 'Eldan and Li 2023, TinyStories',
  address: 'https://arxiv.org/abs/2305.07759',
  countsFrom: 0,
}
/** @type {Paper} */
const SINKS = {
  title: 'Xiao et al. 2023, Efficient Streaming Language Models with Attention Sinks',
  address: 'https://arxiv.org/abs/2309.17453',
  countsFrom: 0,
}

const STORY = 'Once upon a time, there was a little girl named Lily. She loved to play. One day, Lily'
const REPEATED = 'The quick red fox saw the old grey wolf. The quick red fox saw the old grey'

/** @type {readonly GalleryModel[]} */
export const GALLERY = [
  {
    group: 'first',
    name: 'hf:openai-community/gpt2',
    title: 'GPT-2 small',
    download: 549.5e6,
    memory: 251e6,
    license: 'mit',
    what: 'galleryWhat.ioi',
    text: 'When Mary and John went to the store, John gave a drink to',
    paper: IOI,
    heads: [
      ...heads('previous', IOI, '4.11 2.2'),
      ...heads('duplicate', IOI, '0.1 0.10 3.0'),
      ...heads('induction', IOI, '5.5 6.9 5.8 5.9'),
      ...heads('inhibition', IOI, '7.3 7.9 8.6 8.10'),
      ...heads('mover', IOI, '9.9 9.6 10.0'),
      ...heads('negative', IOI, '10.7 11.10'),
    ],
  },
  {
    group: 'first',
    name: 'hf:roneneldan/TinyStories-33M@b6536809543085dc7c6cab3f36fd265be3255004',
    title: 'TinyStories 33M',
    download: 292.9e6,
    memory: 140e6,
    license: '',
    what: 'galleryWhat.stories',
    text: STORY,
    paper: STORIES,
  },
  {
    group: 'first',
    name: 'hf:roneneldan/TinyStories-2Layers-33M@40f9be0c05ac9f4a6ba40f6947151aca8f648c0d',
    title: 'TinyStories 2Layers 33M',
    download: 325.5e6,
    memory: 162e6,
    license: '',
    what: 'galleryWhat.twoLayers',
    text: STORY,
    paper: STORIES,
  },
  {
    group: 'first',
    name: 'hf:roneneldan/TinyStories-1M@refs/pr/1',
    title: 'TinyStories 1M',
    download: 48.6e6,
    memory: 7.8e6,
    license: '',
    what: 'galleryWhat.ids',
    text: '7454 2402 257 640 612 373 257 1310 2576 3706 20037 13',
    paper: STORIES,
  },
  {
    group: 'language',
    name: 'hf:openai-community/gpt2-medium',
    title: 'GPT-2 medium',
    download: 1521.4e6,
    memory: 712e6,
    license: 'mit',
    what: 'galleryWhat.repeated',
    text: REPEATED,
  },
  {
    group: 'language',
    name: 'hf:EleutherAI/pythia-70m',
    title: 'Pythia 70M',
    download: 168.1e6,
    memory: 141e6,
    license: 'apache-2.0',
    what: 'galleryWhat.sinks',
    text: REPEATED,
    paper: SINKS,
  },
  {
    group: 'language',
    name: 'hf:EleutherAI/pythia-160m',
    title: 'Pythia 160M',
    download: 377.1e6,
    memory: 325e6,
    license: 'apache-2.0',
    what: 'galleryWhat.sinks',
    text: REPEATED,
    paper: SINKS,
  },
  {
    group: 'language',
    name: 'hf:HuggingFaceTB/SmolLM2-135M',
    title: 'SmolLM2 135M',
    download: 271.2e6,
    memory: 269e6,
    license: 'apache-2.0',
    what: 'galleryWhat.groups',
    text: REPEATED,
  },
  {
    group: 'language',
    name: 'hf:Qwen/Qwen3-0.6B-Base',
    title: 'Qwen3 0.6B',
    download: 1199e6,
    memory: 1192e6,
    license: 'apache-2.0',
    what: 'galleryWhat.groups',
    text: REPEATED,
  },
  {
    group: 'language',
    name: 'hf:google/gemma-3-270m',
    title: 'Gemma 3 270M',
    download: 570e6,
    memory: 536e6,
    license: 'gemma',
    what: 'galleryWhat.windows',
    text: REPEATED,
    isGated: true,
  },
  {
    group: 'encoder',
    name: 'hf:google-bert/bert-base-uncased',
    title: 'BERT base',
    download: 440.9e6,
    memory: 221e6,
    license: 'apache-2.0',
    what: 'galleryWhat.grammar',
    text: 'The dog that was chased by the cat lost its [MASK].',
    paper: BERT,
    heads: [
      ...heads('object', BERT, '8.10'),
      ...heads('noun', BERT, '8.11'),
      ...heads('possessive', BERT, '7.6'),
      ...heads('passive', BERT, '4.10'),
      ...heads('preposition', BERT, '9.6'),
      ...heads('coreference', BERT, '5.4'),
    ],
  },
  {
    group: 'encoder',
    name: 'hf:winegarj/distilbert-base-uncased-finetuned-sst2',
    title: 'DistilBERT SST-2',
    download: 268.5e6,
    memory: 182e6,
    license: 'apache-2.0',
    what: 'galleryWhat.sentiment',
    text: 'The film is not good, but its music is wonderful.',
  },
  {
    group: 'encoder',
    name: 'hf:dslim/distilbert-NER',
    title: 'DistilBERT NER',
    download: 261.5e6,
    memory: 176e6,
    license: 'apache-2.0',
    what: 'galleryWhat.names',
    text: 'Mary moved from London to work for Siemens in Berlin.',
  },
  {
    group: 'encoder',
    name: 'hf:sentence-transformers/all-MiniLM-L6-v2',
    title: 'all-MiniLM-L6',
    download: 91.4e6,
    memory: 69e6,
    license: 'apache-2.0',
    what: 'galleryWhat.sentences',
    text: 'A cat sits on the mat in front of the door.',
  },
  {
    group: 'translation',
    name: 'hf:google-t5/t5-small',
    title: 'T5 small',
    download: 243.4e6,
    memory: 121e6,
    license: 'apache-2.0',
    what: 'galleryWhat.translation',
    text: 'translate English to German: The house is wonderful.',
  },
  {
    group: 'translation',
    name: 'hf:Helsinki-NLP/opus-mt-en-zh',
    title: 'opus-mt en-zh',
    download: 314.5e6,
    memory: 155e6,
    license: 'apache-2.0',
    what: 'galleryWhat.chinese',
    text: '>>cmn_Hans<< My name is Mary and I live in London.',
  },
]
