// The types of the room "Models": its settings, what no link holds, what it asks of its session, its actions.

import type { PositionEdges, Source } from 'qkv/interpret'
import type { Model } from 'qkv/models'
import type { Change, HeadAt, Place, Stack, WeightChange } from '../../head/head.js'
import type { Context as ContextOf, Problem, State as StateOf } from '../../shell/room.js'
import type { CellTrace } from './cell-trace.js'
import type { Step } from './generate.js'
import type { Matrices } from './layer-tensors.js'
import type { Run, ScoreName } from './model-run.js'

export interface Settings {
  /** The name of a model, of the hub hf:owner/name@commit~digest; '': the first that ships with the page. */
  checkpoint: string
  /** Bytes that a model of the hub takes to download; 0: not known. */
  size: number
  /** What the model reads; null: its own first text. */
  prompt: string | null
  /** Ids that were generated behind the prompt. */
  generated: readonly number[]
  /** The second text, which patches are taken from. */
  sourceText: string
  changes: readonly Change[]
  /** The open head, the cell in the inspector, and a part of it: ['term', i], or ['q', i, n] for a number of the query. */
  at: Place
  /** The graph of heads as graph-setting.js writes it; '': closed. */
  graph: string
  /** What each layer says, as lens-setting.js writes it; '': closed. */
  lens: string
  /** The file of a lens: hf:owner/name/file.pt of the hub, or the name of a file that the reader chose; '': none. */
  lensFile: string
  /** Of a link: it opens the list of models. */
  list: boolean
}

/** The share of the answer that the graph explains, in percent; its selected edge by name, '' for none, and whether that edge is tested. */
export interface GraphSetting {
  share: number
  edge: string
  isTested: boolean
}

export type LensKind = 'logit' | 'jacobian' | 'tuned'
/** How states are read, the selected one, the ids of pinned words. */
export interface LensSetting {
  lens: LensKind
  /** The chosen word of the selected state; undefined: its likeliest. */
  written?: number
  cell?: { layer: number; position: number }
  pins: readonly number[]
}

/** Files, the address of a folder, hf:owner/name@revision of the hub, or an address for each file. */
export type OpenSource = File[] | string | { urls: Record<string, string> }
export type SmallerDtype = 'float16' | 'int8'

/** A model of the hub before it is opened: what is to be said and agreed to. */
export interface Asked {
  /** Tells this question from others. */
  id: number
  /** Written hf:owner/name@revision. */
  name: string
  /** The setting when it was asked for. */
  checkpoint: string
  /** May the hub be asked? A link waits for the reader. */
  isAsking: boolean
  /** Bytes that the reader agreed to, by a link. */
  agreed?: number
  /** The reader's choice; '': as stored. */
  dtype?: SmallerDtype | ''
}

/** What the hub says of a model, and the memory that it would take. */
export interface Look {
  /** As it was asked for. */
  name: string
  /** Written hf:owner/name@commit. */
  source: string
  license: string
  isGated: boolean
  /** Bytes that are not kept yet, and of all its files. */
  download: number
  size: number
  type: string
  parameters: number
  bytes: { stored: number; float16: number; int8: number }
  /** What a text of 32 tokens takes, by a product that was measured on this computer. */
  seconds: number
}

/** A model that is to be opened. `checkpoint`: the setting when it was asked for; another one asks for another model. */
export interface Requested {
  /** Tells this opening from others. */
  id: string
  /** Of chosen files the folder, '' where that is not known: the session names them. */
  name: string
  source: OpenSource
  /** '': as stored; undefined: the usual one of the source. */
  dtype?: SmallerDtype | ''
  checkpoint: string
}

export type RankBy = 'previous' | 'first' | 'duplicate' | 'induction' | 'further' | 'entropy' | 'example' | 'similar'
export type Showing = 'before' | 'after' | 'difference'
/** Two runs that belong together. */
export interface Runs {
  before?: Run
  after?: Run
  source?: SourceRead
}

export interface View {
  /** The number of models that were asked for. */
  requests: number
  requested?: Requested
  /** The request of the open model. */
  opened?: Requested
  /** What is typed in the field "Model"; undefined: it shows the open model. */
  typed?: string
  isListOpen: boolean
  /** The line of the list that Enter opens. */
  picked: number
  /** The model of the hub that the reader is asked about. */
  asked?: Asked
  /** The access token of an account; it stays in this page. */
  token: string
  /** Counts what changes the list of kept models. */
  keptChanges: number
  /** Another text that the model reads with the same changes; '': none. */
  beside: string
  /** Has the reader's pointer or focus come to the room? What it computes after a click is loaded from then on. */
  isNear: boolean
  /** What the reader is about to open: it has the pointer or the focus. What takes little time is computed from then on. */
  ahead: '' | 'matters' | 'graph'
  /** Is it shown what matters for the answer? */
  hasMatters: boolean
  /** Are all heads listed below the question who says the answer? */
  hasAllAdders: boolean
  /** The part or the edge of the graph of heads under the pointer or with the focus, by its name. */
  graphPointed: string
  /** What the reader agreed to compute the graph of, though it takes long: the request of its run. */
  graphAgreed: RunRequest | undefined
  /** Is the next word chosen by hand? What cuts its bars, and the head whose cache is drawn. */
  hasNextWord: boolean
  cut: { temperature: number; topK: number; topP: number }
  cacheHead: number
  /** Is the open head measured over many sentences? Those of the reader, a line each; undefined: those of the page. By which score; undefined: its own. */
  hasMany: boolean
  many?: string
  manyBy?: ScoreName
  /** Is the whole model shown in one picture? */
  hasBlock: boolean
  /** Are the programs shown? */
  hasPrograms: boolean
  /** Why a model was not asked for. */
  refused?: Problem
  /** A problem that ended with a new text. */
  dismissed?: Problem
  /** Where models come from that do not ship with the page, by name: their files, or the address of their folder. */
  imported: Readonly<Record<string, OpenSource>>
  /** The settings with which models were left, by name: they hold again when the model is open again. */
  left: Readonly<Record<string, Omit<Settings, 'checkpoint'>>>
  /** Bytes of memory that a model may take. */
  mostBytes: number
  stack: Stack
  showing: Showing
  /** A long text that was typed or dropped, until the reader has it read. */
  draft?: string
  /** A text that was typed, where only its beginning is read, or another one is shown. */
  setAside?: string
  /** The run of the most tokens so far, of the open model, and the least time of any: how long the next one takes follows from them. */
  timed?: { model: string; tokens: number; milliseconds: number; least?: number }
  /** Is the run before the changes shown as long as a key is held? */
  isHeld: boolean
  /** Was a bar of the prediction dragged, which follows from the model? */
  isPulled: boolean
  /** What heads are ranked by; undefined: by the score whose best head stands out most. */
  rankBy?: RankBy
  least: number
  isOnlyHits: boolean
  isWithoutFirst: boolean
  /** The selected token, and the second one, of a key. */
  query?: number
  keyWord?: number
  /** The token whose prediction is shown; undefined: the usual one. */
  row?: number
  /** The text that is searched for in a long text, and the word that was found. */
  finding: string
  found?: number
  /** The parts of the open head that its map waits for. */
  tiles: readonly TilePart[]
  /** Gives the map the tiles that have arrived, before the next frame is drawn. */
  handOut?: (got: State['got']) => void
  pointed?: { layer: number; head: number; query?: number; key?: number; weight?: number }
  /** The weight that was set last, unless something else was changed since. */
  lastSet?: WeightChange
  /** Pixels of a map of the atlas; 0: as large as all fit. */
  mapSize: number
  /** The picture of the open head, by its name. */
  picture: string
  /** What a stroke over the map of a head does. */
  mode: 'read' | 'paint'
  /** What the difference is taken from: a head, the second text; undefined: the head itself before the changes. */
  against?: { layer: number; head: number } | 'text'
  /** The head that others are ranked by their likeness to. */
  reference?: { layer: number; head: number }
  /** The head that was Shift-clicked first. */
  marked?: { layer: number; head: number }
  /** The heads of a marquee. */
  chosen: readonly { layer: number; head: number }[]
  /** The part that a phone shows. */
  tab: 'heads' | 'prediction' | 'changes'
  /** The layer that a new patch stands after. */
  patchLayer: number
  sampling: { temperature: number; topK: number; seed: number; count: number }
  /** The range of a number that was typed outside of it. */
  sampleLimit?: { name: keyof View['sampling']; least: number; most: number }
  /** What was generated since the text was typed. */
  steps: readonly Step[]
  /** The number of ids behind the prompt when generation began. */
  generatedBefore: number
  /** The run that is shown, grown by the generated tokens. */
  grown?: Run
  /** The last two runs that belong together: they stay until those of a newer text are both there. */
  pair?: Runs
  /** Of the guided story, from 0. */
  storyStep?: number
  /** The stop of the story of what each layer says, from 0. */
  lensStop?: number
  /** How large its cells are, and of a long text the first of its words that are read; undefined: those of the selected state, or the last. */
  lensZoom: number
  lensFrom?: number
  /** Files of lenses that the reader chose, by name, and the name on the hub that he typed or agreed to. */
  lensFiles: Readonly<Record<string, File>>
  lensAgreed: string
  /** Is the way to export the grid open? */
  hasLensExports: boolean
  /** The number of runs that have arrived. */
  answers: number
  /** The text of the button that leads back from One layer. */
  from: string
  /** The program that was copied last. */
  copied: string
}

/** What a model says: a token, the class of a text, the class of each token, how alike two texts are; '': nothing. */
export type Predicts = 'token' | 'class' | 'classes' | 'likeness' | ''
/** Facts about an open model. */
export interface OpenModel {
  name: string
  /** Of the request that opened it. */
  id: string
  type: string
  stacks: Model['stacks']
  parameters: number
  /** In memory. */
  bytes: number
  hasTokenizer: boolean
  hasHead: boolean
  predicts: Predicts
  /** Does it say a number for a text? */
  isNumber?: boolean
  /** '': as stored. */
  dtype: SmallerDtype | ''
  threads: number
  /** Seconds that opening it took. */
  seconds: number
  /** The number of tokens that it can read; Infinity: no limit. */
  positions: number
  /** The size of its vocabulary. */
  vocab: number
  /** The ids that end a text. */
  ends: readonly number[]
  /** What it reads before the reader has typed a text. */
  firstText: string
  /** What its text is compared with before the reader has typed a second one, of a model of embeddings. */
  secondText: string
  /** The token of an encoder that stands for a word to guess. */
  mask?: string
  /** What lies beside the weights. */
  about?: About
  /** Of a model of the hub: bytes of its files. */
  size: number
}

/** What lies beside the weights of a model that ships with the page. */
export interface About {
  tour?: readonly Stop[]
  /** A long text for the reader. */
  text?: string
  figures?: { example?: { text?: string }; heads?: readonly HeadFigures[] }
  /** Its words in classes: one can stand for another of its class. */
  words?: readonly (readonly string[])[]
}
/** What was recorded of a head when its model was trained, as means over test texts. */
export interface HeadFigures {
  layer: number
  head: number
  /** What it was found to do, by its mean score over the test texts, which stands beside it. */
  role?: 'previous' | 'first' | 'duplicate' | 'induction' | 'further'
  previous?: number
  first?: number
  duplicate?: number
  induction?: number
  further?: number
  /** The weight of "she" and "he" on the name. */
  antecedent?: number
  /** The weight on the word behind the one that answers, by kind of question. */
  behind?: Readonly<Record<string, number>>
  /** The weight on the word that answers, by kind of question. */
  weight?: number | Readonly<Record<string, number>>
  /** The share of words for which it looks most at the word that is translated. */
  aligned?: number
}
/** A stop of the guided story: a head with a prompt. */
export interface Stop {
  id: string
  prompt: string
  layer: number
  head: number
  kind: string
  weight?: number
  looksAt?: string
}

/** How long a text is. */
export interface Counted {
  model: string
  text: string
  tokens: number
  /** The beginning of the text that the model can read. */
  fitting: string
  rate: number
}

/** What is read: a text, and ids behind it. Without a tokenizer the text is ids. */
export interface Input {
  text: string
  more: readonly number[]
}
/** A run: of which model, by its id, on what; `row` is the token whose prediction is given, default the last; the changes in it. */
export interface RunRequest {
  model: string
  input: Input
  row?: number
  /** The text with which a model of embeddings compares it. */
  second?: string
  changes: readonly Change[]
  sourceText: string
}
/** The score of a query and a key, taken apart by what was written at both. */
export type Reasons = Cell &
  (
    | { isTooLong: true }
    | {
        isTooLong: false
        score: number
        /** How many terms there are, and the largest. */
        count: number
        pairs: { query: Source; key: Source; value: number }[]
        /** The largest sources, one row more for all others, and one column. */
        table: { queries: Source[]; keys: Source[]; data: Float32Array }
      }
  )
/** How much each cell changes the logit of the answer less that of the second guess. */
export interface Matters {
  what: 'heads' | 'positions'
  /** A token against the second guess, a class against the second one, or how alike two texts are. */
  kind: 'token' | 'class' | 'likeness'
  /** The answer and the second guess; none of likeness. */
  tokens: string[]
  /** Their difference without a change. */
  value: number
  /** (layers, heads) or (layers, positions) */
  dims: number[]
  effects: Float32Array
  /** So many rows are exact, the last ones; the others are estimates. */
  exact: number
  /** Are the weights of this text too many? */
  isTooLong?: boolean
  /** The tokens of both texts, if their numbers differ. */
  lengths?: string[][]
}
/** What the graph of heads is made from: the answer and the second guess, the row that says them, all edges, the words of the positions. */
export interface GraphEdges {
  tokens: string[]
  row: number
  edges: PositionEdges
  words: string[]
  /** The words of the encoder, of an encoder-decoder. */
  encoded?: string[]
}
/** Where a lens comes from: the states as they are, a file that the reader chose, the model's own that ships, a fit on what it writes itself. */
export type LensOrigin =
  | { from: 'logit' }
  | { from: 'file'; name: string; texts: number }
  | { from: 'shipped'; texts: number }
  | { from: 'fit'; texts: number; tokens: number }
/** What each layer says after each word, N layers and P words: the likeliest `top` ids with their shares (N, P, top), ranks of pins (pins, N, P). */
export type LensGrid =
  | { isTooLarge: true }
  | {
      isTooLarge: false
      /** The run that was read. */
      request: RunRequest
      lens: LensKind
      /** The first word, how many the text has, those of the grid. */
      first: number
      count: number
      words: string[]
      layers: number[]
      top: number
      ids: Int32Array
      shares: Float32Array
      ranks: Int32Array
      /** The texts of all these ids. */
      names: Map<number, string>
      pins: number[]
      origin: LensOrigin
    }
/** A grid as it is read, before it is said of which run. */
export type LensRead = { isTooLarge: true } | Omit<Extract<LensGrid, { isTooLarge: false }>, 'request'>
/** What the parts below a state add to the score of a word, the largest first; `rest`: of all others; its rank in each layer, from 0. */
export interface LensWriters {
  id: number
  token: string
  score: number
  parts: { kind: 'head' | 'mlp' | 'embedding'; layer: number; head: number; share: number }[]
  rest: number
  layers: number[]
  ranks: Int32Array
}
/** Which lens is read: its kind, the name of a file that is open, the address of the one that ships with the model. */
export type LensAsked = Pick<LensSetting, 'lens'> & { file: string; shipped: string }
/** The second text as the model reads it. */
export interface SourceRead {
  ids: number[]
  tokens: string[]
  decoderIds?: number[]
  targets?: string[]
}
/** A pair of tokens. */
export type Cell = { query: number; key: number }
/** A weight of a head, from a word to a word. */
export type HeadLink = { layer: number; head: number; query: number; key: number; weight: number }
/** A part of a head's weights, in as many cells as `resolution` says. */
export type TilePart = {
  rows: readonly [number, number]
  columns: readonly [number, number]
  resolution: readonly [number, number]
}
export type Matrix = { data: Float32Array; dims: readonly number[] }

/** What can come next, by hand. */
export interface NextWord {
  /** The run that it follows: its tokens, and its text. */
  ids: number[]
  text: string
  /** The likeliest tokens, and the probabilities of all by id. */
  named: { id: number; token: string }[]
  probabilities: Float32Array
  /** What a cache holds of each layer, (tokens, numbers); [] of long texts. */
  rows: { k: Matrix; v: Matrix }[]
  kvHeads: number
  /** Bytes of one token in a cache of float32, in all layers. */
  rowBytes: number
  /** The step with a cache of the tokens before, and without. */
  milliseconds: { cached: number; whole: number }
}

/** The scores of a head in each of many sentences: none where nothing of a sentence has that score, or it is too long. */
export interface Many {
  sentences: { text: string; tokens: number; scores?: Partial<Record<ScoreName, number>> }[]
}

/** What a part of a layer adds to the residual stream, a number for each word. */
export interface BlockPart {
  kind: 'attention' | 'cross' | 'mlp'
  /** Does a norm stand before it? */
  isPre: boolean
  /** The length of what it adds. */
  added: Float32Array
  /** Its share of the sum: what it adds, projected onto the sum. */
  share: Float32Array
  /** The length of the sum, and of what a norm behind it makes of it. */
  sum: Float32Array
  after?: Float32Array
}
/** The whole model on one text: lengths of the residual stream, a number for each word. */
export interface Block {
  /** Do attention and MLP read the same stream? */
  isParallel: boolean
  embedding?: Float32Array
  layers: { input: Float32Array; parts: BlockPart[]; output: Float32Array }[]
  /** After the last norm, if there is one. */
  norm?: Float32Array
}

/** Direct contributions to a logit or to the cosine of two texts, with all norms held as they are; they sum to it. */
export interface Why {
  /** '': of two texts. */
  token: string
  logit: number
  stack: Stack
  /** (layers, heads) */
  heads: Float32Array
  dims: readonly [number, number]
  rest: { name: 'cross' | 'mlps' | 'embedding' | 'rest'; value: number }[]
}

export type ModelsAsks = {
  /** Above `most` bytes of memory a checkpoint is not read, unless a dtype is given. */
  open: {
    /** `known` has names of models; one that is the same model keeps that name. */
    request: {
      id: string
      source: OpenSource
      name: string
      known: string[]
      dtype?: SmallerDtype | ''
      most: number
      token?: string
    }
    value: OpenModel
  }
  /** What the hub says of a model. */
  look: { request: { id: number; name: string; token: string }; value: Look }
  /** The models of the hub that are kept in this browser, after one of them was deleted. */
  kept: { request: { changes: number }; value: import('qkv/models').KeptModel[] }
  drop: { request: { name: string }; value: number }
  /** The number of tokens of a text, and the text up to the last token that fits. */
  count: { request: { model: string; text: string; most: number }; value: Counted }
  /** The text of a file. */
  textFile: { request: { file: File }; value: string }
  run: { request: RunRequest; value: Run }
  changed: { request: RunRequest; value: { run?: Run; source?: SourceRead; request: RunRequest } }
  /** Loads what computes reasons, what matters and the graph. */
  prepare: { request: object; value: boolean }
  /** What the model says of another text with the same changes. */
  beside: { request: RunRequest; value: Pick<Run, 'request' | 'top'> }
  /** The exact map of one head: of a run, or with another text. */
  head: { request: RunRequest & { at: HeadAt; text?: string }; value: Matrix }
  /** How a weight was computed. */
  cell: { request: RunRequest & { at: HeadAt; cell: Cell }; value: CellTrace }
  /** Why a head looks there. */
  reasons: { request: RunRequest & { at: HeadAt; cell: Cell }; value: Reasons }
  /** What matters for the answer; 'now': what the changes did to it. */
  matters: {
    request: RunRequest & { what: 'heads' | 'positions' | 'now'; stack: Stack; other: string }
    value: Matters | number
  }
  /** Of some words of the text; part 'before': without the reader's changes. */
  lens: { request: RunRequest & LensAsked & { pins: readonly number[]; first: number }; value: LensGrid }
  /** Who wrote a word that a lens reads from a state. */
  lensWriters: {
    request: RunRequest & LensAsked & { layer: number; position: number; token: number }
    value: LensWriters
  }
  /** Opens the file of a lens. */
  lensFile: {
    request: { model: string; name: string; source: File | string; token: string }
    value: { name: string; lens: LensKind }
  }
  /** The lens as a file of torch.save. */
  lensBytes: { request: { model: string } & LensAsked; value: { name: string; data: Uint8Array<ArrayBuffer> } }
  /** What takes long waits until it is agreed to: what it `takes` is said first. */
  graph: {
    request: RunRequest & { isAgreed: boolean }
    value: GraphEdges | { isTooLong: true } | { takes: { seconds: number; bytes: number } }
  }
  /** The exact effect of an edge of the graph, and the value of the answer without it. */
  graphEdge: {
    request: RunRequest & { edge: string }
    value: { effect: number; value: number }
  }
  /** The row of the weights that made a number of a query or key, and its bias. */
  number: {
    request: { model: string; stack: Stack; layer: number; letter: 'q' | 'k'; row: number }
    value: { weight: Float32Array; bias: number }
  }
  /** How much each head adds to the first guess. */
  why: { request: RunRequest; value: Why | null }
  nextWord: { request: RunRequest; value: NextWord }
  many: { request: RunRequest & { texts: readonly string[]; at: HeadAt }; value: Many }
  /** The whole model in one picture. */
  block: { request: RunRequest & { stack: '' | 'encoder.' | 'decoder.' }; value: Block }
  /** The weight of one pair of tokens in every head: (layers, heads). */
  pairs: { request: RunRequest & { stack: Stack; cell: Cell }; value: Float32Array }
  /** A part of a head of a long text. */
  tile: { request: RunRequest & { at: HeadAt; tile: TilePart }; value: Matrix }
  /** Where a word of a long text looks, and which words look at it, the strongest first: in all heads, or in one. */
  looks: {
    request: RunRequest & { stack: Stack; word: number; only?: { layer: number; head: number } }
    value: { from: HeadLink[]; to: HeadLink[] }
  }
  /** The map of a head of a long text, finer than that of the atlas where memory allows; how far it looks: shares at distances of 0, 1, 2 to 3, ...; its longest strong links. */
  profile: {
    request: RunRequest & { at: HeadAt }
    value: { map: Matrix; distance: Float32Array; longest: HeadLink[] }
  }
  /** What a layer works with, for the room "One layer". */
  matrices: { request: RunRequest & { at: HeadAt }; value: Matrices }
  /** Goes on from a run, token by token; the last value is null. */
  generate: { request: RunRequest & View['sampling']; value: Step | null }
}

export type ModelsActions = {
  bring: [files: readonly File[]]
  openSmaller: [dtype: SmallerDtype]
  /** What was typed in the field: a name of the hub, an address, or the name of a model of the list. */
  openTyped: [text: string]
  /** Up or down in the list of so many models. */
  pick: [step: 1 | -1, count: number]
  /** Opens the line of the list that is picked, else what was typed. */
  takeWord: [id: number]
  takeBack: []
  /** `named`: the entry of the list that the text names. */
  enter: [typed: string, names: readonly string[], named?: string]
  agree: [dtype?: SmallerDtype | '']
  refuse: []
  drop: [name: string]
  cancel: [slot: 'open' | 'run' | 'graph' | 'lens' | 'lensFile' | 'matters:heads' | 'matters:positions']
  runAgain: []
  startAgain: []
  dismiss: []
  show: [patch: Partial<View>]
  /** The map of the open head waits for tiles. */
  wait: [tiles: View['tiles'], handOut: View['handOut']]
  type: [text: string]
  /** Reads the long text, or its beginning. */
  readDraft: [text: string]
  dropDraft: []
  bringBack: []
  typeSource: [text: string]
  forget: []
  mask: [index: number]
  /** Another word in place of a token. */
  exchange: [index: number, word: string]
  openHead: [at?: HeadAt]
  chooseHead: [at: HeadAt, isSecond: boolean]
  chooseStack: [stack: Stack]
  rankSimilar: [at: HeadAt]
  selectCell: [cell?: Cell]
  goToPlace: [place: Place]
  selectWord: [index: number, isSecond: boolean, side: 'queries' | 'keys']
  change: [changes: readonly Change[], mark?: string, lastSet?: WeightChange]
  hide: [head: HeadAt, query: number, key: number, isHidden: boolean]
  patch: []
  sample: [name: keyof View['sampling'], value: number, least: number, most: number]
  generate: [count?: number]
  openInLayer: [from: string]
  /** Opens the graph of heads, changes it, or closes it. */
  setGraph: [graph: string, isRevealed?: boolean]
  agreeToGraph: []
  /** Opens what each layer says, changes it, or closes it. */
  setLens: [lens: string, isRevealed?: boolean]
  /** Opens the file of a lens, or one of the hub by its name; '': the model's own again. */
  openLens: [source: File | string]
  saveLens: []
  /** A stop of the story of what each layer says, from 0; undefined: leaves it. */
  goToLens: [stop?: number]
  /** Scrolls to a part of the room. */
  reveal: [selector: string]
  /** Opens the head of a part of the graph, with a weight of it, and marks the word; without a head the word alone. */
  openFromGraph: [place: Place, position: number, stack: Stack]
  save: [name: string, data: string, mime: string]
  copy: [name: string, code: string]
  goTo: [storyStep?: number]
}

export interface ModelsTypes {
  settings: Settings
  view: View
  asks: ModelsAsks
  key:
    | keyof typeof import('../../i18n/en/shell.js').texts
    | keyof typeof import('../../i18n/en/models.js').texts
    | keyof typeof import('../../i18n/en/models-cell.js').texts
    | keyof typeof import('../../i18n/en/head.js').texts
  actions: ModelsActions
}

export type State = StateOf<ModelsTypes>
export type Context = ContextOf<ModelsTypes>
/** What is drawn: the state with what follows from it. */
export type Room = Context & ReturnType<typeof import('./shown.js')['shownOf']>
