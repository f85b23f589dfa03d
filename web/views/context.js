// What every view is given.

/** @typedef {import('../i18n/index.js').Translate} Translate */
/** @typedef {import('../i18n/index.js').Language} Language */
/** @typedef {import('../settings/state.js').Cell} Cell */
/** @typedef {import('../settings/state.js').Settings} Settings */
/** @typedef {import('../explain/matrices.js').Matrices} Matrices */
/** @typedef {import('../explain/cell.js').Explanation} Explanation */
/** @typedef {import('../explain/dependencies.js').Region} Region */
/** @typedef {import('../settings/check.js').Problems} Problems */
/** @typedef {import('../compute/trace.js').Result} Result */
/** @typedef {import('../settings/history.js').History} History */
/** @typedef {import('../settings/presets.js').PresetId} PresetId */
/** @typedef {import('../compute/reference64.js').Difference} Difference */
/** @typedef {import('lit').TemplateResult} TemplateResult */
/** @typedef {'light' | 'dark' | 'system'} Theme */
/** @typedef {'link' | 'pytorch' | 'qkv'} Copied */
/** @typedef {'read' | 'edit' | 'paint'} Mode what a stroke over the large map does */

/**
 * What a view may ask for.
 * @typedef {object} Actions
 * @property {(patch: Partial<Settings>, mark?: string) => void} change changes of one mark in a row are one to undo
 * @property {(patch: Partial<Pick<Settings, 'head' | 'step' | 'pinned' | 'view' | 'minus' | 'other'>>) => void} look nothing is computed, nothing to undo
 * @property {(cell: Cell, value: number | undefined, mark?: string) => void} edit sets a cell; undefined: its own value
 * @property {(row: number, column: number, isVisible: boolean) => void} paint
 * @property {(preset: PresetId) => void} choose
 * @property {() => void} undo
 * @property {() => void} redo
 * @property {() => void} reset all as the preset has it
 * @property {(cell: Cell) => void} point the cell under the pointer or the focus
 * @property {(cell: Cell) => void} pin keeps the cell; the same one again lets go
 * @property {() => void} unpin
 * @property {() => void} keep the settings of now, to compare later ones with
 * @property {(by: 1 | -1) => void} walk to the next or previous step
 * @property {() => void} play starts or stops
 * @property {(mode: Mode) => void} use
 * @property {(what: Copied) => void} copy to the clipboard
 * @property {() => void} saveAll settings and matrices as a file
 * @property {(source: File[] | string) => void} bring tensors from files, or as JSON
 * @property {(id: string) => void} show goes to a part of the page
 * @property {() => void} hush takes the last message away
 * @property {(language: Language) => void} speak
 * @property {(theme: Theme) => void} light
 */

/**
 * What there is to see.
 * @typedef {object} Context
 * @property {Translate} t
 * @property {Language} language
 * @property {Theme} theme
 * @property {boolean} isDark
 * @property {Mode} mode
 * @property {boolean} isPlaying
 * @property {History} history
 * @property {Settings} settings as typed
 * @property {PresetId | undefined} preset the one that is shown unchanged
 * @property {Problems} problems
 * @property {number} [progress] of a large trace that is under way, from 0 to 1
 * @property {Actions} actions
 */

/**
 * The same with a trace.
 * @typedef {object} Scene
 * @property {Result} result
 * @property {number} head the one that is shown
 * @property {Matrices} matrices of that head
 * @property {import('../elements/statistics.js').HeadStatistics[]} [statistics] with view 'numbers': of each head
 * @property {import('../explain/comparison.js').Compared} [compared] with view 'difference'
 * @property {import('../explain/strongest-link.js').Link} [link] the strongest of that head
 * @property {{ data: Uint8Array, dims: number[] }} [mask] (L, S), 1 may be seen
 * @property {Cell} cell the one whose arithmetic is shown
 * @property {Explanation} explanation of that cell
 * @property {Region[]} sources where it comes from
 * @property {Region[]} targets where it goes
 * @property {Difference} [difference] from float64, once it is known
 * @property {import('../compute/batch.js').Batch} [batch] once it has been run
 */

/** @typedef {Context & Scene} SceneContext */

export {}
