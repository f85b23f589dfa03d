// The contract of a room. A room is data and pure functions: it has no worker, no history, no timer and no request id.
// The store (store.js) keeps its state, asks its session for what it needs, and records what Undo and Back go back to.

import type { TemplateResult } from 'lit'
import type { Qkv } from 'qkv'

/** How far a request is: a share from 0 to 1, or several numbers. */
export type Progress = number | Record<string, number | string | object>

/** What is wrong, as the key of a text with its parameters; `offers` are settings that mend it; `texts` is the file of a text that the room has not loaded. */
export type Problem<S = object> = {
  key: string
  texts?: string
  params?: Record<string, string | number>
  code?: string
  offers?: readonly Partial<S>[]
}

/** Values of one kind: how a link writes and reads them, and what their control is like. */
export interface Kind<V> {
  type: string
  write(value: V): string
  /** Throws on a text that is not of the kind. */
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
  /** The history that its changes are steps of: Undo, Back, or none. */
  history: 'undo' | 'place' | 'none'
  /** The group of controls that it stands in. */
  group?: string
  /** Does it matter with these settings? Where it does not, it has no control and no problem. */
  applies?(settings: S): boolean
}

/** What a room asks of its session: for each type a request and the value that answers it. */
export type Asks = Record<string, { request: object; value: unknown }>

type NameOf<A extends Asks> = keyof A & string

/**
 * `part` tells requests of one type apart, such as tiles. `key` names all that the answer depends on; without it the key is
 * the request as JSON, so a request that holds files or many numbers needs one.
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

/** What a handler of a session is given beside the request. */
export interface Run<V> {
  /** Aborted when the answer is needed no longer. */
  signal: AbortSignal
  progress(progress: Progress): void
  /** Sends a value before the last one. */
  emit(value: V, transfer?: Transferable[]): void
  /** Buffers of the returned value that move instead of being copied. */
  transfer: Transferable[]
}

export type Handlers<A extends Asks> = {
  [N in NameOf<A>]: (
    request: A[N]['request'] & { part?: string },
    run: Run<A[N]['value']>,
  ) => A[N]['value'] | Promise<A[N]['value']>
}

/** Where an answer stands. `before` is the older value, which stays drawn. `lost`: the worker has ended. */
export type Got<V = unknown> =
  | { is: 'here'; value: V; isLast: boolean }
  | { is: 'waiting'; progress?: Progress; before?: V }
  | { is: 'failed' | 'lost'; problem: Problem; before?: V }
  | { is: 'cancelled'; before?: V }

export interface Types {
  /** All that a link holds. */
  settings: object
  /** What no link holds. */
  view: object
  asks: Asks
  /** The keys of its texts, with those of the shell. */
  key: string
  /** The arguments of each action. */
  actions: Record<string, unknown[]>
}

/** What the page around the room is like. */
export interface Surroundings {
  /** Is the tab of the browser hidden? */
  isHidden: boolean
  /** Does the reader ask for less motion? */
  isStill: boolean
  /** Is the page one column wide? */
  isNarrow: boolean
  /** The sentence that was typed or shown last, in whatever room. */
  sentence: string
}

export interface State<T extends Types> {
  settings: T['settings']
  view: T['view']
  /** The answers, by the type of their request, or by "type:part". */
  got: { [N in NameOf<T['asks']>]?: Got<T['asks'][N]['value']> } & {
    [part: `${string}:${string}`]: Got<T['asks'][NameOf<T['asks']>]['value']> | undefined
  }
  /** Is no answer awaited, and has nothing changed or arrived for 300 ms? */
  isAtRest: boolean
  problems: Partial<Record<keyof T['settings'], Problem<T['settings']>>>
  around: Surroundings
}

/** What one room gives another. */
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
      /** Other settings of One layer. */
      settings?: object
      /** The text of the button that leads back. */
      from: string
    }

export type Effect<T extends Types> =
  /** Asks once; `receive` takes the answer. It stands in `got` while it is open, and stays there when it fails. */
  | { type: 'ask'; request: Request<T['asks']> }
  /** Ends the request of a slot; its older value stays drawn. */
  | { type: 'cancel'; slot: string }
  /** Asks again for what failed, was lost or was cancelled. */
  | { type: 'retry' }
  /** Asks at once for what the state needs; else it is asked when the next frame is drawn. */
  | { type: 'need' }
  | { type: 'handOver'; to: string; what: HandOver }
  /** Scrolls to an element once it is drawn. */
  | { type: 'reveal'; selector: string }
  /** `isLost`: only if what had the focus is no longer on the page. */
  | { type: 'focus'; selector: string; isLost?: boolean }
  /** Scrolls to a part of the page and focuses it. */
  | { type: 'show'; id: string }
  /** Goes along to the next room that takes it. */
  | { type: 'offer'; what: HandOver }
  /** `said`: the key of the text that tells so. */
  | { type: 'copy'; text: string; said?: string }
  | { type: 'save'; name: string; data: string | Uint8Array; mime?: string }
  | { type: 'message'; problem: Problem; isBad?: boolean }
  | { type: 'link' }
  /** Calls an action after some milliseconds, in place of an earlier one of its name that still waits; without `after`, never. */
  | { type: 'later'; act: keyof T['actions'] & string; after?: number }

/** What an action returns. */
export interface Step<T extends Types> {
  set?: Partial<T['settings']>
  view?: Partial<T['view']>
  /** Steps of one mark within a second are undone together; those of one drag ("drag 7") however long it takes. */
  mark?: string
  /** Is the change no step of any history? */
  isReplaced?: boolean
  /** Do the histories start anew? Reset comes back to here. 'places': Undo still goes back to what was before. */
  begins?: boolean | 'places'
  effects?: Effect<T>[]
}

export interface Room<T extends Types> {
  id: string
  fields: { readonly [F in keyof T['settings']]: Field<T['settings'][F], T['settings']> }
  view: T['view']
  /** Checks across fields; each field's own kind checks its value. */
  check?(settings: T['settings']): State<T>['problems']
  /** Drops what lost its meaning, such as edits of other words. */
  settle?(before: T['settings'], after: T['settings']): T['settings']
  /**
   * Drops what is selected or pointed at and is not in what is shown, such as a word of a longer sentence. The store calls it
   * after each step, link and answer; what it drops is no step of any history.
   */
  prune?(state: State<T>): Pick<Step<T>, 'set' | 'view'> | undefined
  /** Is what is shown older than the settings? Until its answer arrives, what it lacks is not drawn, and not dropped. */
  isStale?(state: State<T>): boolean
  /** An action that returns nothing changes nothing. */
  actions: { [N in keyof T['actions']]: (state: State<T>, ...args: T['actions'][N]) => Step<T> | undefined }
  /** Is a setting that is wrong computed with its default? Else nothing new is asked for until it is mended. */
  isForgiving?: boolean
  /** What must be known to draw this state: the store asks for it, keeps it and cancels what is needed no longer. */
  needs(state: State<T>): Request<T['asks']>[]
  receive?: { [N in NameOf<T['asks']>]?: (state: State<T>, value: T['asks'][N]['value']) => Step<T> | undefined }
  /** Computes a request on the page when it is small enough for this frame; else returns undefined. */
  now?(request: Request<T['asks']>, qkv: Qkv): unknown
  /** Gives the values of messages their classes back. */
  revive?: { [N in NameOf<T['asks']>]?: (value: T['asks'][N]['value']) => T['asks'][N]['value'] }
  /** How many answers of a type stay after they are needed. */
  keep?: { [N in NameOf<T['asks']>]?: number }
  /** The sentence that the room shows: other rooms may use it. */
  sentence?(state: State<T>): string
  take?(state: State<T>, what: HandOver): Step<T> | undefined
  /** The reader has changed the address: what changes beside the settings, or other settings that the link means. */
  follow?(state: State<T>, settings: T['settings']): Step<T> | undefined
  enter?(state: State<T>): Step<T> | undefined
  leave?(state: State<T>): Step<T> | undefined
  /** A few words on the tab of the room while another room is open. */
  note?(state: State<T>, t: Translate<T['key']>): string
  /** By key, such as 'Escape' or 'n'; undefined lets the browser have the key. */
  keys?: Record<string, (state: State<T>) => Step<T> | undefined>
  /** The reader has scrolled past a part: the `data-step-id` of it. */
  pass?(state: State<T>, id: string): Step<T> | undefined
  /** Selectors of what a guide speaks of: the page marks each with its number. */
  marks?(state: State<T>): readonly string[]
  /** What the room adds to the header, and to its menu. */
  tools?(context: Context<T>): TemplateResult
  more?(context: Context<T>): TemplateResult
  /** What Reset sets; without it, all settings of the beginning. */
  reset?(state: State<T>, origin: T['settings']): Partial<T['settings']>
  /** Can a link carry these settings? */
  canLink?(settings: T['settings']): boolean
  session: { worker(): Worker; handlers(qkv: Qkv): Handlers<T['asks']> | Promise<Handlers<T['asks']>> }
  draw(context: Context<T>): TemplateResult
  /** The files of texts that it reads, beside shell.js. */
  texts: readonly string[]
}

/** The text of a key with its {names} filled in; and the texts of the elements. */
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
