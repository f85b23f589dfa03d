// The types of the room "Models": its settings, its view state outside of links, its requests to the session, its actions.

import type { PositionEdges, Source } from 'qkv/interpret'
import type { Model } from 'qkv/models'
import type { Change, HeadAt, Place, Stack, WeightChange } from '../../attention-head/head.js'
import type { Context as ContextOf, Problem, State as StateOf } from '../../shell/room.js'
import type { CellTrace } from './cell/trace.js'
import type { Step } from './prediction/generate.js'
import type { Matrices } from './run/layer-tensors.js'
import type { Run, ScoreName, Streamed } from './run/model-run.js'

export interface Settings {
  /** The model: a shipped one, or hf:owner/name@commit~digest for the hub; '' is the first shipped model. */
  checkpoint: string
  /** Download size in bytes of a hub model; 0 if unknown. */
  size: number
  /** The input text; null is the default text of the model. */
  prompt: string | null
  /** Ids that were generated after the prompt. */
  generated: readonly number[]
  /** The second text, the source of patches. */
  sourceText: string
  changes: readonly Change[]
  /**
   * The open head, the selected weight, and the open detail of its calculation: ['term', i] for a product of q and k, ['q', i] or ['k', i]
   * for one of their numbers.
   */
  at: Place
  /** The graph of heads in the format of graph/setting.js; '' if closed. */
  graph: string
  /** The layer readout in the format of lens/setting.js; '' if closed. */
  lens: string
  /** The lens file: hf:owner/name/file.pt on the hub, or the name of a file that the reader chose; '' for none. */
  lensFile: string
  /** True if a link asks to open the list of models. */
  list: boolean
}

/** The setting `graph`, parsed. */
export interface GraphSetting {
  /** Share of the answer that the graph explains, in percent. */
  share: number
  /** Name of the selected edge; '' for none. */
  edge: string
  /** True if the effect of this edge is measured by ablation. */
  isTested: boolean
}

export type LensKind = 'logit' | 'jacobian' | 'tuned'
/** The setting `lens`, parsed. */
export interface LensSetting {
  lens: LensKind
  /** Id of the word chosen in the selected state; undefined for the most likely one. */
  written?: number
  /** The selected state. */
  cell?: { layer: number; position: number }
  /** Ids of the pinned words. */
  pins: readonly number[]
}

/** Chosen files; the address of a folder or hf:owner/name@revision on the hub; or an address for each file. */
export type OpenSource = File[] | string | { urls: Record<string, string> }
export type SmallerDtype = 'float16' | 'int8'

/** A hub model that the reader is asked to agree to before it is opened. */
export interface Asked {
  /** Id of the question. */
  id: number
  /** Name in the form hf:owner/name@revision. */
  name: string
  /** The setting `checkpoint` when the question was asked. */
  checkpoint: string
  /** True if the hub may be contacted; false for the model of a link until the reader agrees. */
  isAsking: boolean
  /** Download size in bytes that the link states and the reader agreed to. */
  agreed?: number
  /** The chosen dtype; '' keeps the stored dtype. */
  dtype?: SmallerDtype | ''
}

/** What the hub reports about a model, and the memory that the model would take. */
export interface Look {
  /** The name as requested. */
  name: string
  /** Name in the form hf:owner/name@commit. */
  source: string
  license: string
  isGated: boolean
  /** Bytes still to download, and bytes of all files. */
  download: number
  size: number
  type: string
  /** For the text part of a multimodal model, the type of the whole model. */
  textPartOf?: string
  parameters: number
  bytes: { stored: number; float16: number; int8: number }
  /** Estimated seconds for a text of 32 tokens, from the time of a matrix product on this computer. */
  seconds: number
}

/** A model to be opened. */
export interface Requested {
  /** Identifies the request. */
  id: string
  /** For chosen files, the name of the folder; '' if unknown, so that the session chooses a name. */
  name: string
  source: OpenSource
  /** '' keeps the stored dtype; undefined: the default of the source. */
  dtype?: SmallerDtype | ''
  /** The setting `checkpoint` at the time of the request; once the setting changes, the request is outdated. */
  checkpoint: string
}

export type RankBy = 'previous' | 'first' | 'duplicate' | 'induction' | 'further' | 'entropy' | 'example' | 'similar'
export type Showing = 'before' | 'after' | 'difference'
/** Two runs that are shown together, without and with the changes. */
export interface Runs {
  before?: Run
  after?: Run
  source?: SourceRead
}

export interface View {
  /** Number of models requested so far. */
  requests: number
  requested?: Requested
  /** The request that opened the current model. */
  opened?: Requested
  /** Text typed in the field "Model"; undefined if it shows the open model. */
  typed?: string
  isListOpen: boolean
  /** Index of the highlighted entry of the list, which Enter opens; -1 for none. */
  picked: number
  /** The model of the hub that the reader is asked about. */
  asked?: Asked
  /** The reader's access token for the hub; kept only in memory. */
  token: string
  /** Number of deletions from the list of cached models; each new number requests the list again. */
  keptChanges: number
  /** A further text for which the model predicts with the same changes; '' for none. */
  beside: string
  /** True once the reader's pointer or focus has entered the room; then the modules of parts that open on a click are prefetched. */
  isNear: boolean
  /** The closed part under the pointer or with focus, which may open next; its data is precomputed if that is cheap. */
  ahead: '' | 'matters' | 'graph'
  /** True if "What matters for this answer?" is open. */
  hasMatters: boolean
  /** True if the list of heads that contributed to the answer is expanded. */
  hasAllAdders: boolean
  /** Name of the part or edge of the graph under the pointer or with the focus. */
  graphPointed: string
  /** The run whose graph the reader agreed to compute although that takes long. */
  graphAgreed: RunRequest | undefined
  /** True if "Next word, by hand" is open. */
  hasNextWord: boolean
  /** Sampling settings of "Next word, by hand". */
  cut: { temperature: number; topK: number; topP: number }
  /** Index of the head whose KV cache "Next word, by hand" draws. */
  cacheHead: number
  /** True if "This head over many sentences" is open. */
  hasMany: boolean
  /** The reader's sentences for this head, one per line; undefined: the default sentences. */
  many?: string
  /** The score over these sentences that the reader chose. */
  manyBy?: ScoreName
  /** True if the whole model is shown in one picture. */
  hasBlock: boolean
  /** True if the programs are shown. */
  hasPrograms: boolean
  /** Why the last request for a model was refused. */
  refused?: Problem<object, ModelsTypes['key']>
  /** The problem that the reader has dismissed; entering a new text also dismisses it. */
  dismissed?: Problem
  /** Sources of models that do not ship with the page, by name: their files, or the address of their folder. */
  imported: Readonly<Record<string, OpenSource>>
  /** The settings of each model when it was last left, by model name; restored when the model is opened again. */
  leftSettings: Readonly<Record<string, Omit<Settings, 'checkpoint'>>>
  /** Maximum bytes of memory for a model. */
  mostBytes: number
  stack: Stack
  showing: Showing
  /** A long text that was typed or dropped, waiting for the reader's consent. */
  draft?: string
  /** The text that the reader typed, while only its beginning or another text is shown. */
  setAside?: string
  /** The longest run of the open model, from which the time of the next run is estimated. `least`: milliseconds of the model's fastest run. */
  timed?: { model: string; tokens: number; milliseconds: number; least?: number }
  /** True while the reader holds the key that shows the run before the changes. */
  isHeld: boolean
  /** True if the reader tried to drag a bar of the prediction; a note then explains that the bars follow from the model. */
  isPulled: boolean
  /** Score that heads are ranked by; undefined: the score whose best head exceeds the median most. */
  rankBy?: RankBy
  least: number
  isOnlyHits: boolean
  isWithoutFirst: boolean
  /** Indices of the selected token and of the selected key. */
  query?: number
  keyWord?: number
  /** Index of the token whose prediction is shown; undefined for the default. */
  row?: number
  /** Text to search for in a long text. */
  finding: string
  /** Index of the found word. */
  found?: number
  /** The tiles that the map of the open head is waiting for. */
  tiles: readonly TilePart[]
  /** Passes arrived tiles to the map before the next frame is drawn. */
  handOut?: (got: State['got']) => void
  pointed?: { layer: number; head: number; query?: number; key?: number; weight?: number }
  /** The weight that was set by hand last; undefined after any other change. */
  lastSet?: WeightChange
  /** Size of a map of the atlas in pixels; 0 fits all maps into the view. */
  mapSize: number
  /** Name of the selected picture of the open head. */
  picture: string
  /** What dragging over the map of a head does. */
  mode: 'read' | 'paint'
  /** What the difference subtracts: another head, or the second text; undefined: the same head before the changes, or else the next head. */
  against?: { layer: number; head: number } | 'text'
  /** The head to which others are compared when ranked by similarity. */
  reference?: { layer: number; head: number }
  /** The head that was Shift-clicked first. */
  marked?: { layer: number; head: number }
  /** The heads selected by a marquee. */
  chosen: readonly { layer: number; head: number }[]
  /** The tab shown on a phone. */
  tab: 'heads' | 'prediction' | 'changes'
  /** The layer after which a new patch is inserted. */
  patchLayer: number
  sampling: { temperature: number; topK: number; seed: number; count: number }
  /** The range of a sampling setting, after the reader typed a value outside of it. */
  sampleLimit?: { name: keyof View['sampling']; least: number; most: number }
  /** Tokens generated since the text was typed. */
  steps: readonly Step[]
  /** Number of ids after the prompt when generation began. */
  generatedBefore: number
  /** The displayed run extended by the generated tokens. */
  grown?: Run
  /** The last complete pair of runs, kept until both runs of a newer text have arrived. */
  pair?: Runs
  /** Step of the guided story, from 0. */
  storyStep?: number
  /** Stop of the lens story, from 0. */
  lensStop?: number
  /** Zoom of the lens grid. */
  lensZoom: number
  /** Index of a word that the grid shows if no state of a long text is selected; undefined: the last word. */
  lensFrom?: number
  /** Lens files that the reader chose, by name. */
  lensFiles: Readonly<Record<string, File>>
  /** Name of the lens on the hub that the reader typed or agreed to. */
  lensAgreed: string
  /** True if the export menu of the grid is open. */
  hasLensExports: boolean
  /** Number of runs that have arrived. */
  answers: number
  /** Text of the button that leads back from "One layer". */
  from: string
  /** Name of the program that was copied last. */
  copied: string
}

/** What a model predicts: a token, the class of a text, the class of each token, the similarity of two texts; '' if it predicts nothing. */
export type Predicts = 'token' | 'class' | 'classes' | 'likeness' | ''
/** Facts about an open model. */
export interface OpenModel {
  name: string
  /** Id of the request that opened the model. */
  id: string
  type: string
  /** For the text part of a multimodal model, the type of the whole model. */
  textPartOf?: string
  /** Types of the tensors of a GGUF file. */
  types: readonly string[]
  stacks: Model['stacks']
  parameters: number
  /** Size in memory, in bytes. */
  bytes: number
  hasTokenizer: boolean
  hasHead: boolean
  predicts: Predicts
  /** True if the model is a regression, which predicts a number for each label. */
  isNumber?: boolean
  /** '': as stored. */
  dtype: SmallerDtype | ''
  threads: number
  /** Seconds that opening took. */
  seconds: number
  /** Maximum number of tokens; Infinity if there is no limit. */
  positions: number
  /** Size of the vocabulary. */
  vocab: number
  /** Ids of the tokens that end a text. */
  ends: readonly number[]
  /** Default text. */
  firstText: string
  /** Default second text, for an embedding model. */
  secondText: string
  /** The mask token of an encoder. */
  mask?: string
  /** Metadata stored beside the weights. */
  about?: About
  /** Bytes of the files of a hub model. */
  size: number
}

/** Metadata stored beside the weights of a shipped model. */
export interface About {
  tour?: readonly Stop[]
  /** A long example text. */
  text?: string
  figures?: {
    example?: { text?: string }
    heads?: readonly HeadFigures[]
    /** Number of test texts over which the figures of the heads are averaged. */
    texts?: number
  }
  /** The words of the vocabulary, grouped so that words of one group can replace each other. */
  words?: readonly (readonly string[])[]
}
/** Statistics of a head, recorded when its model was trained: means over test texts. */
export interface HeadFigures {
  layer: number
  head: number
  /** Role of the head. The property with the name of the role is the head's mean score over the test texts. */
  role?: 'previous' | 'first' | 'duplicate' | 'induction' | 'further'
  previous?: number
  first?: number
  duplicate?: number
  induction?: number
  further?: number
  /** Weight from "she" or "he" to the name it refers to. */
  antecedent?: number
  /** Weight on the token after the answer, into which an earlier head has copied the answer; by kind of answer, such as "name". */
  behind?: Readonly<Record<string, number>>
  /** Weight on the answer, by kind of answer; one number for a translator. */
  weight?: number | Readonly<Record<string, number>>
  /** Share of words for which the head's largest weight is on the word being translated. */
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

/** How long a text is, and how much of it the model can read. */
export interface Counted {
  model: string
  text: string
  tokens: number
  /** The longest beginning of the text that the model can read. */
  fitting: string
  /** Multiplications per second, measured on a matrix product. */
  rate: number
}

/** Input of a model: a text, and the ids `more` after it. For a model without a tokenizer, the text is a list of ids. */
export interface Input {
  text: string
  more: readonly number[]
}
/** A request for a run with the reader's changes. */
export interface RunRequest {
  /** Id of the open model. */
  model: string
  input: Input
  /** Index of the token whose prediction is shown; without it, `runOf` chooses one. */
  row?: number
  /** For an embedding model, the text to compare with. */
  second?: string
  changes: readonly Change[]
  sourceText: string
}
/** The score of a query and a key, split into a term for each pair of parts that wrote into the states of the query and of the key. */
export type Reasons = Cell &
  (
    | { isTooLong: true }
    | {
        isTooLong: false
        score: number
        /** Number of terms; `pairs`: the largest of them. */
        count: number
        pairs: { query: Source; key: Source; value: number }[]
        /** The terms of the sources that matter most. The last row and the last column of `data` sum the terms of all other sources. */
        table: { queries: Source[]; keys: Source[]; data: Float32Array }
      }
  )
/** How much each head, or each state of a layer at a position, matters for the answer. */
export interface Matters {
  what: 'heads' | 'positions'
  /**
   * The quantity that the effects change: the logit of the answer, a token or a class, minus that of the second guess; or the similarity of
   * two texts.
   */
  kind: 'token' | 'class' | 'likeness'
  /** The answer and the second guess; empty for the similarity of two texts. */
  tokens: string[]
  /** The difference of the two logits, or the similarity, in the run without changes. */
  value: number
  /** Shape of the effects: (layers, heads) or (layers, positions). */
  dims: number[]
  effects: Float32Array
  /** Number of rows at the end of `effects` that are exact; the rows before them are estimates. */
  exact: number
  /** True if the text has too many attention weights for the map to be computed. */
  isTooLong?: boolean
  /** The tokens of both texts, if their token counts differ. */
  lengths?: string[][]
}
/** What the graph of heads is drawn from. */
export interface GraphEdges {
  /** The answer and the second guess. */
  tokens: string[]
  /** Index of the token that predicts the answer. */
  row: number
  edges: PositionEdges
  /** The words at the positions. */
  words: string[]
  /** Words of the encoder, for an encoder-decoder. */
  encoded?: string[]
}
/** Origin of a lens: none (logit lens), a file that the reader chose, a file that ships with the model, or a fit on generated texts. */
export type LensOrigin =
  | { from: 'logit' }
  | { from: 'file'; name: string; texts: number }
  | { from: 'shipped'; texts: number }
  | { from: 'fit'; texts: number; tokens: number }
/** The layer readout for N layers and P words. */
export type LensGrid =
  | { isTooLarge: true }
  | {
      isTooLarge: false
      /** The run whose states were read. */
      request: RunRequest
      lens: LensKind
      /** Index of the grid's first word in the text. */
      first: number
      /** Number of words in the text. */
      count: number
      /** The words of the grid. */
      words: string[]
      layers: number[]
      /** Number of most likely words that are read from each state. */
      top: number
      /** Ids of these words, (N, P, top). */
      ids: Int32Array
      /** Probabilities of these words, (N, P, top). */
      shares: Float32Array
      /** Ranks of the pinned words, (pins, N, P). */
      ranks: Int32Array
      /** The text of each id. */
      names: Map<number, string>
      pins: number[]
      origin: LensOrigin
    }
/** A grid without the request of its run. */
export type LensRead = { isTooLarge: true } | Omit<Extract<LensGrid, { isTooLarge: false }>, 'request'>
/** How the parts below a state contribute to the score of a word. */
export interface LensWriters {
  id: number
  token: string
  score: number
  /** The largest contributions, in descending order. */
  parts: { kind: 'head' | 'mlp' | 'embedding'; layer: number; head: number; share: number }[]
  /** Sum of all other contributions. */
  rest: number
  layers: number[]
  /** Rank of the word in each layer, from 0. */
  ranks: Int32Array
}
/** The lens to read with: its kind, the name of a lens file, and the URL of the lens that ships with the model. */
export type LensAsked = Pick<LensSetting, 'lens'> & { file: string; shipped: string }
/** The ids and tokens of the second text. For an encoder-decoder, also the ids (`decoderIds`) and tokens (`targets`) of its translation. */
export interface SourceRead {
  ids: number[]
  tokens: string[]
  decoderIds?: number[]
  targets?: string[]
}
/** Indices of a query and a key. */
export type Cell = { query: number; key: number }
/** A weight of a head from one word to another. */
export type HeadLink = { layer: number; head: number; query: number; key: number; weight: number }
/** A rectangle of a head's weights, reduced to `resolution` cells. */
export type TilePart = {
  rows: readonly [number, number]
  columns: readonly [number, number]
  resolution: readonly [number, number]
}
export type Matrix = { data: Float32Array; dims: readonly number[] }

/** The candidates for the next word. */
export interface NextWord {
  /** Ids and text of the run that the next word continues. */
  ids: number[]
  text: string
  /** The most likely tokens, and the probabilities of all tokens by id. */
  named: { id: number; token: string }[]
  probabilities: Float32Array
  /** The cached keys and values of each layer, (tokens, numKvHeads * head size); [] for long texts. */
  rows: { k: Matrix; v: Matrix }[]
  numKvHeads: number
  /** Bytes per token of a float32 KV cache over all layers. */
  rowBytes: number
  /** Milliseconds of the next step, with a cache of the previous tokens and without. */
  milliseconds: { cached: number; whole: number }
}

/** The scores of a head in each of many sentences; a score is missing if the sentence is too long or the score is not meaningful for it. */
export interface Many {
  sentences: { text: string; tokens: number; scores?: Partial<Record<ScoreName, number>> }[]
}

/** What a part of a layer adds to the residual stream. Each array has one number per word. */
export interface BlockPart {
  kind: 'attention' | 'cross' | 'mlp'
  /** True if the part reads the stream through a norm. */
  isPre: boolean
  /** Length of the vector that the part adds. */
  added: Float32Array
  /** Share of the part in the sum: its output projected onto the sum. */
  share: Float32Array
  /** Length of the sum of stream and part. */
  sum: Float32Array
  /** Length of the sum after the norm that follows it, if there is one. */
  after?: Float32Array
}
/** Lengths of the residual stream in a whole model on one text. Each array has one number per word. */
export interface Block {
  /** True if attention and MLP read the same stream. */
  isParallel: boolean
  embedding?: Float32Array
  layers: { input: Float32Array; parts: BlockPart[]; output: Float32Array }[]
  /** Length after the last norm, if there is one. */
  norm?: Float32Array
}

/** Direct contributions to a logit, or to the cosine of two texts, with all norms frozen; their sum is the logit or cosine. */
export interface Why {
  /** The token whose logit is explained; '' for two texts. */
  token: string
  logit: number
  stack: Stack
  /** Contributions of the heads, (layers, heads). */
  heads: Float32Array
  dims: readonly [number, number]
  rest: { name: 'cross' | 'mlps' | 'embedding' | 'rest'; value: number }[]
}

/** Progress of a run through the layers. */
type RunProgress = { layer: number; layers: number; share: number; seconds: number; streamed?: Streamed }

export type ModelsAsks = {
  /** Opens a checkpoint. Throws if it takes more than `most` bytes of memory and no dtype is given. */
  open: {
    /** `known`: names of models that were opened before; a model that is opened again gets the same name. */
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
  /** Asks the hub about a model. */
  look: { request: { id: number; name: string; token: string }; value: Look }
  /** Lists the hub models cached in this browser. `changes` counts the deletions, so that a new list is requested after each. */
  kept: { request: { changes: number }; value: import('qkv/models').KeptModel[] }
  drop: { request: { name: string }; value: number }
  /** Counts the tokens of a text, and returns its beginning that has at most `most` tokens. */
  count: { request: { model: string; text: string; most: number }; value: Counted }
  /** Reads a text file. */
  textFile: { request: { file: File }; value: string }
  run: { request: RunRequest; value: Run; progress: RunProgress }
  changed: {
    request: RunRequest
    value: { run?: Run; source?: SourceRead; request: RunRequest }
    progress: RunProgress
  }
  /** Preloads the modules that trace and explain a weight, complete words, find what matters, and compute the graph. */
  prepare: { request: object; value: boolean }
  /** Predicts for the text `beside` of the view, with the same changes. */
  beside: { request: RunRequest; value: Pick<Run, 'request' | 'top'> }
  /** Returns the exact map of one head in the run, or on `text` if given. */
  head: { request: RunRequest & { at: HeadAt; text?: string }; value: Matrix }
  /** Traces how a weight was computed. */
  cell: { request: RunRequest & { at: HeadAt; cell: Cell }; value: CellTrace }
  /** Explains why a head looks at a key. */
  reasons: { request: RunRequest & { at: HeadAt; cell: Cell }; value: Reasons }
  /** Computes what matters for the answer. With `what: 'now'`, computes the effect of the reader's changes on the answer. */
  matters: {
    request: RunRequest & { what: 'heads' | 'positions' | 'now'; stack: Stack; other: string }
    value: Matters | number
  }
  /** Reads a window of words through a lens, starting at word `first`. The slot `lens:before` reads it without the reader's changes. */
  lens: {
    request: RunRequest & LensAsked & { pins: readonly number[]; first: number }
    value: LensGrid
    progress: { done?: number; total?: number }
  }
  /** Finds which parts wrote a word that a lens reads from a state. */
  lensWriters: {
    request: RunRequest & LensAsked & { layer: number; position: number; token: number }
    value: LensWriters
  }
  /** Opens a lens file. */
  lensFile: {
    request: { model: string; name: string; source: File | string; token: string }
    value: { name: string; lens: LensKind }
  }
  /** Exports the lens as a file of torch.save. */
  lensBytes: { request: { model: string } & LensAsked; value: { name: string; data: Uint8Array<ArrayBuffer> } }
  /** Computes the graph of heads. If that takes long and `isAgreed` is false, returns only the cost, as `takes`. */
  graph: {
    request: RunRequest & { isAgreed: boolean }
    value: GraphEdges | { isTooLong: true } | { takes: { seconds: number; bytes: number } }
    progress: RunProgress
  }
  /** Returns the exact effect of ablating an edge of the graph, and as `value` the objective without this ablation. */
  graphEdge: {
    request: RunRequest & { edge: string }
    value: { effect: number; value: number }
  }
  /** Returns the weight row and the bias that compute one number of a query or key. */
  number: {
    request: { model: string; stack: Stack; layer: number; letter: 'q' | 'k'; row: number }
    value: { weight: Float32Array; bias: number }
  }
  /** Returns how much each head adds to the logit of the first guess or to the similarity of two texts; null without a guess. */
  why: { request: RunRequest; value: Why | null }
  nextWord: { request: RunRequest; value: NextWord }
  /** Completes the words that the likely next tokens begin; returns the endings by token id. */
  endings: { request: RunRequest; value: { request: RunRequest; of: Record<number, string> } }
  many: { request: RunRequest & { texts: readonly string[]; at: HeadAt }; value: Many }
  /** Measures the residual stream for the picture of the whole model. */
  block: { request: RunRequest & { stack: '' | 'encoder.' | 'decoder.' }; value: Block }
  /** Returns the weight of one pair of tokens in every head: (layers, heads). */
  pairs: { request: RunRequest & { stack: Stack; cell: Cell }; value: Float32Array }
  /** Computes a tile of a head on a long text. */
  tile: { request: RunRequest & { at: HeadAt; tile: TilePart }; value: Matrix }
  /** Finds the words that a word of a long text attends to, and those that attend to it, strongest first, in all heads or in one. */
  looks: {
    request: RunRequest & { stack: Stack; word: number; only?: { layer: number; head: number } }
    value: { from: HeadLink[]; to: HeadLink[] }
  }
  /**
   * Profiles a head on a long text. `map`: finer than in the atlas if memory allows; `distance`: shares of weight at distances 0, 1, 2 to
   * 3, ...; `longest`: the strong links between words furthest apart.
   */
  profile: {
    request: RunRequest & { at: HeadAt }
    value: { map: Matrix; distance: Float32Array; longest: HeadLink[] }
  }
  /** Exports the tensors of a layer for the room "One layer". */
  matrices: { request: RunRequest & { at: HeadAt }; value: Matrices }
  /** Continues a run token by token; the last value is null. */
  generate: { request: RunRequest & View['sampling']; value: Step | null }
}

export type ModelsActions = {
  bring: [files: readonly File[]]
  openSmaller: [dtype: SmallerDtype]
  /** Opens the model typed into the field: a hub name, an address, or the name of a listed model. */
  openTyped: [text: string]
  /** Highlights the next or the previous of `count` listed models. */
  pick: [step: 1 | -1, count: number]
  /** Appends a token to the text. */
  takeWord: [id: number]
  takeBack: []
  /** Opens the highlighted entry of the list; else the entry `named`, which the text refers to; else the text as a name or an address. */
  enter: [typed: string, names: readonly string[], named?: string]
  agree: [dtype?: SmallerDtype | '']
  refuse: []
  drop: [name: string]
  cancel: [slot: 'open' | 'run' | 'graph' | 'lens' | 'lensFile' | 'matters:heads' | 'matters:positions']
  runAgain: []
  startAgain: []
  dismiss: []
  show: [patch: Partial<View>]
  /** Registers the tiles that the map of the open head waits for. */
  wait: [tiles: View['tiles'], handOut: View['handOut']]
  type: [text: string]
  /** Runs the model on the draft of a long text, or on its beginning. */
  readDraft: [text: string]
  dropDraft: []
  bringBack: []
  typeSource: [text: string]
  forget: []
  mask: [index: number]
  /** Replaces a token by another word. */
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
  /** Opens, changes or closes the graph of heads. */
  setGraph: [graph: string, isRevealed?: boolean]
  agreeToGraph: []
  /** Opens, changes or closes the layer readout. */
  setLens: [lens: string, isRevealed?: boolean]
  /** Opens a chosen lens file, or one on the hub by its name; '' restores the default of the model. */
  openLens: [source: File | string]
  saveLens: []
  /** Goes to a stop of the lens story, from 0; undefined ends the story. */
  goToLens: [stop?: number]
  /** Scrolls to a part of the room. */
  reveal: [selector: string]
  /** Opens the head and the weight of a graph node and selects its word; for a node without a head, only selects the word. */
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
/** Everything drawn: the state with the values derived from it. */
export type Room = Context & ReturnType<typeof import('./shown.js')['shownOf']>
