// What every view is given.

/** @typedef {import('../../../i18n/index.js').Translate} Translate */
/** @typedef {import('../fields.js').Cell} Cell */
/** @typedef {import('../fields.js').Settings} Settings */
/** @typedef {import('../fields.js').Word} Word */
/** @typedef {import('../explain/matrix-names.js').Matrices} Matrices */
/** @typedef {import('../explain/cell.js').Explanation} Explanation */
/** @typedef {import('../explain/dependencies.js').Region} Region */
/** @typedef {import('../check-settings.js').Problems} Problems */
/** @typedef {import('../trace/layer-trace.js').Result} Result */
/** @typedef {import('../settings.js').Selection} Selection */
/** @typedef {import('../presets.js').PresetId} PresetId */
/** @typedef {import('../../../i18n/index.js').Key} Key */
/** @typedef {import('../trace/reference64.js').Difference} Difference */
/** @typedef {import('lit').TemplateResult} TemplateResult */
/** @typedef {import('../layer.js').Mode} Mode */
/** @typedef {import('../layer.js').Range} Range */

/** What a view may ask for. @typedef {import('../../../shell/room.js').Context<import('../layer.js').LayerTypes>['act'] & { back(): void, forward(): void }} Actions */

/**
 * What a view may show.
 * @typedef {object} Context
 * @property {Translate} t
 * @property {string} language the tag of the texts
 * @property {boolean} isDark
 * @property {Mode} mode
 * @property {boolean} isPlaying
 * @property {Settings} settings as typed
 * @property {Selection} selection part of the settings: the head, the word and the cell that are selected,
 *   and the cell that is subtracted
 * @property {Cell} [pointed] the cell under the pointer or the focus
 * @property {Word} [hovered] the word under the pointer or the focus
 * @property {number} [hoveredHead] the head under the pointer or the focus
 * @property {import('../../../head/scale.js').ScaleEnd} scaleEnd where the colours of the weights end
 * @property {import('../trace/score-distribution.js').Spread} [spread] of random scores, while it is shown
 * @property {number} spreadSize the size of those vectors
 * @property {string} filter what the words of the shown rows contain, of a map of many
 * @property {Range} [range] the rows of the map that are shown
 * @property {number} pace of a step that plays: 1 is 300 ms a cell
 * @property {import('../explain/play.js').Playing} [playing] how far a step has played
 * @property {number | null} tour the stop of the tour, from 1
 * @property {boolean} [wasDone] what that stop asks for
 * @property {{ hasBack: boolean, hasForward: boolean }} visits is there a place to go back to, or forward?
 * @property {PresetId | undefined} preset the one that is shown unchanged
 * @property {Problems} problems
 * @property {number} [progress] of a large trace that is under way, from 0 to 1
 * @property {boolean} isTrained do the tensors come from a model of another room?
 * @property {Actions} actions
 */

/** The same with a trace. @typedef {import('../explain/scene.js').Scene} Scene */

/** @typedef {Context & Scene} SceneContext */

export {}
