// The interface of a room. A room is data and pure functions, without worker, history, timers or request ids. The store (store.js) keeps
// its state, requests what it needs from its session, and records the steps of Undo and Back.

import type { TemplateResult } from 'lit'
import type { Qkv } from 'qkv'

/** Progress of a request: a fraction from 0 to 1, or named numbers. */
export type Progress = number | Record<string, number | string | object>

/** A problem, described by the text `key` with `params`. `texts`: file of the text, for a text to load on demand; `offers`: settings that fix the problem. */
export type Problem<S = object, K extends string = string> = {
  key: K
  texts?: string
  params?: Record<string, string | number>
  code?: string
  offers?: readonly Partial<S>[]
}

/** A type of values: how to read and write them in links, and what their control needs. */
export interface Kind<V> {
  type: string
  write(value: V): string
  /** Parses a value in a link; throws on invalid text. */
  read(text: string): V
  check?(value: V): Problem | undefined
  choices?: readonly V[]
  least?: number
  most?: number
}

/** One setting. */
export interface Field<V, S> {
  kind: Kind<V>
  default: V | ((settings: S) => V)
  /** The history that records changes of the field: Undo, Back, or none. */
  history: 'undo' | 'place' | 'none'
  /** Name of the group in which the field's control is drawn. */
  group?: string
  /** True if the field has an effect with these settings; otherwise it has no control, and its value is not checked. */
  applies?(settings: S): boolean
}

/** The requests of a room to its session. For each type: the request, the answered value, and the progress. */
export type Asks = Record<string, { request: object; value: unknown; progress?: object }>

type NameOf<A extends Asks> = keyof A & string

/**
 * `part` distinguishes requests of one type, such as tiles. `key` identifies everything that the answer depends on; the default is the
 * request as JSON, so a request with files or many numbers needs a `key`.
 */
export type Request<A extends Asks> = {
  [N in NameOf<A>]: { type: N; part?: string; key?: string } & A[N]['request']
}[NameOf<A>]

export type ToSession<A extends Asks> =
  | { type: 'ask'; id: number; request: Request<A> }
  | { type: 'cancel'; id: number }
  | { type: 'ping' }

export type FromSession<A extends Asks> =
  | { type: 'progress'; id: number; progress: Progress }
  | { type: 'value'; id: number; value: A[NameOf<A>]['value']; isLast: boolean }
  | { type: 'failed'; id: number; problem: Problem }
  | { type: 'cancelled'; id: number }
  | { type: 'pong' }

/** What a handler of a session receives besides the request. */
export interface Run<V> {
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal
  progress(progress: Progress): void
  /** Sends an intermediate value. */
  emit(value: V, transfer?: Transferable[]): void
  /** Buffers of the returned value to transfer instead of copying. */
  transfer: Transferable[]
}

export type Handlers<A extends Asks> = {
  [N in NameOf<A>]: (
    request: A[N]['request'] & { part?: string },
    run: Run<A[N]['value']>,
  ) => A[N]['value'] | Promise<A[N]['value']>
}

/** State of an answer. `isLast`: false for an intermediate value; `before`: previous value, drawn until the new one arrives; `lost`: the worker has died. */
export type Got<V = unknown, P = Progress, K extends string = string> =
  | { is: 'here'; value: V; isLast: boolean }
  | { is: 'waiting'; progress?: P; before?: V }
  | { is: 'failed' | 'lost'; problem: Problem<object, K>; before?: V }
  | { is: 'cancelled'; before?: V }

type GotOf<A extends Asks[string], K extends string> = Got<
  A['value'],
  A['progress'] extends object ? A['progress'] : Progress,
  K
>

export interface Types {
  /** Everything stored in links. */
  settings: object
  /** View state that is not stored in links. */
  view: object
  asks: Asks
  /** Text keys that the room uses, including those of the shell. */
  key: string
  /** Argument types of each action. */
  actions: Record<string, unknown[]>
}

/** The environment of a room. */
export interface Surroundings {
  /** True if the browser tab is hidden. */
  isHidden: boolean
  /** True if the reader prefers reduced motion. */
  isStill: boolean
  /** True if the page has a single column. */
  isNarrow: boolean
  /** The last sentence typed or shown in any room. */
  sentence: string
}

export interface State<T extends Types> {
  settings: T['settings']
  view: T['view']
  /** Answers by type of request, or by "type:part". */
  got: { [N in NameOf<T['asks']>]?: GotOf<T['asks'][N], T['key']> } & {
    [N in NameOf<T['asks']> as `${N}:${string}`]?: GotOf<T['asks'][N], T['key']>
  }
  /** True if no answer is pending, and nothing has changed or arrived for 300 ms. */
  isAtRest: boolean
  problems: Partial<Record<keyof T['settings'], Problem<T['settings'], T['key']>>>
  around: Surroundings
}

/** The event of a <select> whose values are known. */
export type Chosen<V extends string> = Event & { target: HTMLSelectElement & { value: V } }

/** What one room can give to another. */
export type HandOver =
  | { type: 'sentence'; text: string }
  | { type: 'files'; files: readonly File[] }
  | { type: 'text'; text: string }
  | { type: 'checkpoint'; name: string; files: Record<string, Uint8Array> }
  | {
      type: 'head'
      tensors: Record<string, { dims: readonly number[]; data: ArrayLike<number> }>
      tokens?: readonly string[]
      keyTokens?: readonly string[]
      head: number
      mask?: string
      /** Settings of "One layer" to apply with the tensors. */
      settings?: object
      /** Text of the button that leads back. */
      from: string
    }

export type Effect<T extends Types> =
  /** Sends a request once; `receive` handles the answer. While pending or failed, the request is listed in `got`. */
  | { type: 'ask'; request: Request<T['asks']> }
  /** Cancels the request of a slot; the previous value is still drawn. */
  | { type: 'cancel'; slot: string }
  /** Retries requests that failed, were lost or were cancelled. */
  | { type: 'retry' }
  /** Sends the requests of `needs` at once, rather than when the next frame is drawn. */
  | { type: 'need' }
  | { type: 'handOver'; to: string; what: HandOver }
  /** Scrolls to an element once it is drawn. */
  | { type: 'reveal'; selector: string }
  /** Focuses an element; `isLost`: only if the focused element no longer exists. */
  | { type: 'focus'; selector: string; isLost?: boolean }
  /** Scrolls to a part of the page and focuses it. */
  | { type: 'show'; id: string }
  /** Offers data to the next opened room that accepts it. */
  | { type: 'offer'; what: HandOver }
  /** Copies a text; `said` is the text key of the message shown afterwards. */
  | { type: 'copy'; text: string; said?: string }
  | { type: 'save'; name: string; data: string | Uint8Array; mime?: string }
  | { type: 'message'; problem: Problem; isBad?: boolean }
  | { type: 'link' }
  /** Calls an action after some milliseconds, replacing a pending call of the same name. Without `after`, only cancels the pending call. */
  | { type: 'later'; act: keyof T['actions'] & string; after?: number }

/** The result of an action. */
export interface Step<T extends Types> {
  set?: Partial<T['settings']>
  view?: Partial<T['view']>
  /** Steps with the same mark within a second are undone together; those of one drag ("drag 7") regardless of time. */
  mark?: string
  /** True to record the change in no history. */
  isReplaced?: boolean
  /**
   * Makes the resulting settings those that Reset restores. True clears all histories, 'places' only that of Back. A list of field names
   * does the same as 'places', and from then on Undo does not change these fields.
   */
  begins?: boolean | 'places' | readonly string[]
  effects?: Effect<T>[]
}

export interface Room<T extends Types> {
  id: string
  fields: { readonly [F in keyof T['settings']]: Field<T['settings'][F], T['settings']> }
  view: T['view']
  /** Checks combinations of fields; each field's type checks its value. */
  check?(settings: T['settings']): State<T>['problems']
  /** Drops settings that have become meaningless, such as edits of other words. */
  settle?(before: T['settings'], after: T['settings']): T['settings']
  /**
   * Drops selections that do not exist in the displayed data, such as a word of a longer sentence. Called by the store after each step,
   * link and answer; not recorded in any history.
   */
  prune?(state: State<T>): Pick<Step<T>, 'set' | 'view'> | undefined
  /**
   * True if the displayed data is older than the settings. Until the new data arrives, selections missing in the old data are neither drawn
   * nor dropped.
   */
  isStale?(state: State<T>): boolean
  /** An action that returns undefined changes nothing. */
  actions: { [N in keyof T['actions']]: (state: State<T>, ...args: T['actions'][N]) => Step<T> | undefined }
  /** True to compute with the defaults of invalid settings; else nothing is requested until they are fixed. */
  isForgiving?: boolean
  /** Returns the requests needed to draw this state: the store sends them, caches answers and cancels those no longer needed. */
  needs(state: State<T>): Request<T['asks']>[]
  receive?: { [N in NameOf<T['asks']>]?: (state: State<T>, value: T['asks'][N]['value']) => Step<T> | undefined }
  /** Computes a request on the page if it is small enough for this frame; else returns undefined. */
  now?(request: Request<T['asks']>, qkv: Qkv): unknown
  /** Restores the classes of values, which messages between threads lose. */
  revive?: { [N in NameOf<T['asks']>]?: (value: T['asks'][N]['value']) => T['asks'][N]['value'] }
  /** Number of answers of a type to cache once they are no longer needed. */
  keep?: { [N in NameOf<T['asks']>]?: number }
  /** Returns the displayed sentence, which other rooms can use. */
  sentence?(state: State<T>): string
  take?(state: State<T>, what: HandOver): Step<T> | undefined
  /** Called when the address changes, with the settings of the link. Returns further changes; a `set` among them replaces these settings. */
  follow?(state: State<T>, settings: T['settings']): Step<T> | undefined
  /** Called after Undo, Redo, Back or Forward; returns further changes, which are not recorded in any history. */
  travelled?(state: State<T>, before: T['settings']): Pick<Step<T>, 'view' | 'effects'> | undefined
  enter?(state: State<T>): Step<T> | undefined
  leave?(state: State<T>): Step<T> | undefined
  /** Returns a short note for the tab of the room while another room is open. */
  note?(state: State<T>, t: Translate<T['key']>): string
  /** Handlers by key, such as 'Escape' or 'n'. A handler that returns undefined leaves the key to the browser. */
  keys?: Record<string, (state: State<T>) => Step<T> | undefined>
  /** Called when the reader has scrolled past the part with this `data-step-id`. */
  pass?(state: State<T>, id: string): Step<T> | undefined
  /** Returns selectors of the elements that a guide refers to; the page marks each with its number. */
  marks?(state: State<T>): readonly string[]
  /** Draws what the room adds to the header, and to its menu. */
  tools?(context: Context<T>): TemplateResult
  more?(context: Context<T>): TemplateResult
  /** Returns what Reset sets; default: all initial settings. */
  reset?(state: State<T>, origin: T['settings']): Partial<T['settings']>
  /** True if a link can contain these settings. */
  canLink?(settings: T['settings']): boolean
  session: { worker(): Worker; handlers(qkv: Qkv): Handlers<T['asks']> | Promise<Handlers<T['asks']>> }
  draw(context: Context<T>): TemplateResult
  /** Text files that the room uses, besides shell.js. */
  texts: readonly string[]
}

/** Returns the text of a key with its {names} replaced by parameters. `elements`: texts of the elements in the same language. */
export type Translate<K extends string = string> = ((key: K, params?: Record<string, string | number>) => string) & {
  elements: import('../i18n/index.js').ElementTexts
}

export interface Context<T extends Types> extends State<T> {
  t: Translate<T['key']>
  isDark: boolean
  qkv: Qkv | undefined
  act: { [N in keyof T['actions']]: (...args: T['actions'][N]) => void }
  can: { undo: boolean; redo: boolean; back: boolean; forward: boolean }
  travel(kind: 'undo' | 'place', to: 0 | 1): void
}
