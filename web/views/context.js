// What every view is given.

/** @typedef {import('../i18n/index.js').Translate} Translate */
/** @typedef {import('../i18n/index.js').Language} Language */
/** @typedef {import('../matrices.js').Cell} Cell */
/** @typedef {import('../matrices.js').Matrices} Matrices */
/** @typedef {import('../explain.js').Explanation} Explanation */
/** @typedef {import('../state.js').State} State */
/** @typedef {import('../state.js').Problems} Problems */
/** @typedef {import('../state.js').Inputs} Inputs */
/** @typedef {import('../state.js').Field} Field */
/** @typedef {import('../trace.js').Result} Result */
/** @typedef {import('lit').TemplateResult} TemplateResult */

/**
 * What a view may ask for.
 * @typedef {object} Actions
 * @property {(field: Field, value: string) => void} change
 * @property {(inputs: Inputs) => void} choose all inputs at once
 * @property {(head: number) => void} selectHead
 * @property {() => Cell} cursor the latest, which may not have been drawn yet
 * @property {(cell: Cell) => void} point the cell under the pointer or the focus
 * @property {(cell: Cell) => void} pin keeps the cell; the same one again lets go
 * @property {() => void} unpin
 * @property {(language: Language) => void} speak
 */

/**
 * What there is to see.
 * @typedef {object} Context
 * @property {Translate} t
 * @property {State} state
 * @property {Actions} actions
 * @property {boolean} isDark
 */

/**
 * The same with a trace.
 * @typedef {object} Scene
 * @property {Result} result
 * @property {number} head the one that is shown
 * @property {Matrices} matrices of that head
 * @property {Cell} cell the one whose arithmetic is shown
 * @property {Explanation} explanation of that cell
 * @property {ReadonlyMap<string, ReadonlySet<number>>} sources the cells it comes from: matrix -> offsets
 */

/** @typedef {Context & Scene} SceneContext */

export {}
