// The English texts shared by the elements. The property `texts` overrides any key; all-texts.js contains the texts of all elements.

/** Texts of all elements. */
export const commonTexts = {
  queries: 'queries',
  keys: 'keys',
  dimensions: 'dimensions',
  row: 'row {index}',
  column: 'column {index}',
  cell: '{row} to {column}: {value}',
  hidden: 'hidden',
  hiddenValue: 'hidden ({value})',
  nan: 'not a number',
  infinity: 'infinity',
  map: 'Map of {rows} rows by {columns} columns',
  ofMap: '{label}, {rows} rows by {columns} columns',
  help: 'Arrow keys move, Enter selects a cell, plus and minus zoom, 0 shows all.',
  helpPaint: 'Arrow keys move, Space hides or shows a cell, with Shift while moving.',
  helpEdit: 'Arrow keys move, Enter selects a cell, a digit or F2 starts typing; a drag up or down changes the number.',
  edit: 'New value of {row}, {column}',
  selected: '{cell}, selected',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  zoomAll: 'Show all',
  zoomed: 'Rows {firstRow} to {lastRow} of {rows}, columns {firstColumn} to {lastColumn} of {columns}',
  asImage: 'The {rows} by {columns} cells are one embedded image.',
  asTable: 'As table',
  labelsEvery: 'One label in {count} is shown',
  previousRows: 'Rows before',
  nextRows: 'Rows after',
  previousColumns: 'Columns before',
  nextColumns: 'Columns after',
  empty: 'Nothing to show yet.',
  problemTensor: 'Expected a tensor { data, dims }, got {got}.',
  problemOption: 'Expected {name} like {example}, got {got}.',
  problemAxes: 'Expected {want} axes, got dims ({dims}).',
  problemSize: 'Expected {need} numbers for dims ({dims}), got {count}.',
  problemNumbers: 'Expected numbers in data, got {got}.',
  problemMinus: 'Expected tensors of one size, got ({dims}) and ({other}).',
  problemMask: 'Expected a mask of size ({dims}), got ({other}).',
}

export const headsTexts = {
  heads: 'Heads',
  head: 'Head {index}',
  entropy: 'entropy',
  bits: '{value} bit',
  first: 'first token',
  previous: 'previous',
  self: 'itself',
}

export const traceTexts = {
  steps: 'Steps',
  shape: '{name} ({dims})',
}

/** Replaces the {names} in a text by values. @param {string} template @param {Record<string, string | number>} [values] */
export const fill = (template, values = {}) =>
  template.replace(/\{(\w+)\}/g, (all, name) => String(values[name] ?? all))
