// What every view is given.

/** @typedef {import('../../../i18n/index.js').Translate} Translate */
/** @typedef {import('../../../i18n/index.js').Language} Language */
/** @typedef {import('../fields.js').Cell} Cell */
/** @typedef {import('../fields.js').Settings} Settings */
/** @typedef {import('../fields.js').Word} Word */
/** @typedef {import('../explain/matrix-names.js').Matrices} Matrices */
/** @typedef {import('../explain/cell.js').Explanation} Explanation */
/** @typedef {import('../explain/dependencies.js').Region} Region */
/** @typedef {import('../check-settings.js').Problems} Problems */
/** @typedef {import('../trace/layer-trace.js').Result} Result */
/** @typedef {import('../settings.js').Selection} Selection */
/** @template T @typedef {import('../../../shell/history.js').History<T>} History */
/** @typedef {import('../presets.js').PresetId} PresetId */
/** @typedef {import('../../../i18n/index.js').Key} Key */
/** @typedef {import('../trace/reference64.js').Difference} Difference */
/** @typedef {import('lit').TemplateResult} TemplateResult */
/** @typedef {'light' | 'dark' | 'system'} Theme */
/** @typedef {'link' | 'pytorch' | 'qkv'} Copied */
/** @typedef {'read' | 'edit' | 'paint'} Mode what a stroke over the large map does */

/**
 * What a view may ask for.
 * @typedef {object} Actions
 * @property {(patch: Partial<Settings>, mark?: string) => void} change changes of one mark in a row are one to undo
 * @property {(patch: Partial<Pick<Settings, 'room' | 'checkpoint' | 'prompt' | 'generated' | 'donor' | 'changes' | 'at' | 'head' | 'step' | 'tour' | 'view' | 'minus' | 'other'>>, isTyped?: boolean) => void} look what is shown, not what is computed: nothing to undo; isTyped: a sentence of
 *   the room "Models" by the reader's hand
 * @property {(cell: Cell, value: number | undefined, mark?: string) => void} edit sets a cell; undefined: its own value
 * @property {(row: number, column: number, isVisible: boolean) => void} paint
 * @property {(preset: PresetId) => void} choose
 * @property {() => void} undo in the room that is open
 * @property {() => void} redo
 * @property {(room: Settings['room'], news: OfRoom) => void} tell what a room says of itself
 * @property {() => void} reset all as the preset has it
 * @property {(cell: Cell | undefined) => void} point the cell under the pointer or the focus
 * @property {(word: Word | undefined) => void} hover the word under the pointer or the focus
 * @property {(head: number | undefined) => void} hoverHead the head under the pointer or the focus
 * @property {() => void} refresh draws the page again
 * @property {(end: import('../explain/scale.js').ScaleEnd) => void} setScaleEnd
 * @property {(text: string) => void} setFilter shows the rows of the map whose word contains a text
 * @property {(range: Range | undefined) => void} setRange shows these rows of the map; undefined: all
 * @property {(pace: number) => void} setPace
 * @property {(size: number | undefined) => void} setSpread shows how scores of random vectors of a size spread; undefined: no more
 * @property {(stop: number | null) => void} setTour goes to a stop of the tour, or leaves it
 * @property {(step: string) => void} pass marks the step that was scrolled to
 * @property {(selection: Partial<Selection>, options?: { replace?: boolean, from?: Cell }) => void} select a word, a cell, a
 *   head: what was selected before is visited by Back, unless it is replaced (arrow keys); null takes a selection away;
 *   from: the cell that was shown while none was selected
 * @property {() => void} back to what was selected before: moves through places, changes no number
 * @property {() => void} forward
 * @property {(cell: Cell) => void} subtract takes a cell from the selected one, of the same matrix; else selects it
 * @property {(word: Word) => void} ask does the selected word see this one? Without a selected one it is selected
 * @property {() => void} clear takes away the cell that is subtracted, or else the selected cell, or else the word
 * @property {() => void} setBaseline keeps the current settings to compare with
 * @property {(by: 1 | -1) => void} walk to the next or previous step
 * @property {() => void} play starts or stops
 * @property {(mode: Mode) => void} setMode
 * @property {(what: Copied) => void} copy to the clipboard
 * @property {() => void} saveAll settings and matrices as a file
 * @property {(source: File[] | string) => void} bring tensors from files, or as JSON
 * @property {(value: unknown, patch: Partial<Settings>, from: string) => void} openGiven opens tensors of another room as
 *   the layer; `from` is the text of the button that leads back
 * @property {(id: string) => void} show goes to a part of the page
 * @property {(selector: string) => void} reveal scrolls to it, if it is out of sight
 * @property {() => void} retry what failed
 * @property {() => void} dismiss takes the last message away
 * @property {(language: Language) => void} setLanguage
 * @property {(theme: Theme) => void} setTheme
 */

/** Rows of the map, both ends included. @typedef {{ from: number, to: number }} Range */

/**
 * What a room says of itself.
 * @typedef {object} OfRoom
 * @property {() => void} [undo] there is something to undo
 * @property {() => void} [redo]
 * @property {string} [note] how far a paused run is: a dot and this stand on the tab of the room while another is open
 */

/** A room that tensors come from. @typedef {{ room: Settings['room'], text: string, given: Settings['given'] }} From */

/** A sentence about what was done, or why not. @typedef {{ key: Key, params: Record<string, string | number>, isBad?: boolean }} Said */

/**
 * What a view may show.
 * @typedef {object} Context
 * @property {Translate} t
 * @property {Language} language
 * @property {Theme} theme
 * @property {boolean} isDark
 * @property {Mode} mode
 * @property {boolean} isPlaying
 * @property {History<Settings>} history of the room "One layer"
 * @property {boolean} canUndo in the room that is open
 * @property {boolean} canRedo
 * @property {Partial<Record<Settings['room'], OfRoom>>} rooms
 * @property {import('../../../shell/rooms.js').Rooms} stores the other rooms, drawn from their stores
 * @property {Settings} settings as typed
 * @property {Selection} selection part of the settings: the room, and the head, the word and the cell that are selected,
 *   and the cell that is subtracted
 * @property {Cell} [pointed] the cell under the pointer or the focus
 * @property {Word} [hovered] the word under the pointer or the focus
 * @property {number} [hoveredHead] the head under the pointer or the focus
 * @property {import('../explain/scale.js').ScaleEnd} scaleEnd where the colours of the weights end
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
 * @property {From} [from] the room that the tensors of this layer come from
 * @property {Key} [notice] about the link
 * @property {Said} [said] what was done last, or why not
 * @property {Said} [failure] why the page cannot show these settings; what it shows is older
 * @property {Actions} actions
 */

/** The same with a trace. @typedef {import('../explain/scene.js').Scene} Scene */

/** @typedef {Context & Scene} SceneContext */

export {}
