// The texts of <qkv-deep-map>, in English.

export const deepMapTexts = {
  deepHelp:
    'Plus and minus zoom, arrow keys move, Home shows all, Enter selects the cell in the middle. The wheel zooms with Ctrl, or once the map has the focus.',
  deepScale: 'Colours end at {end}, for the part in view. A cell stands for {rows} × {columns}.',
  deepScaleOne: 'Colours end at {end}, for the part in view.',
  deepScaleFixed: 'A cell stands for {rows} × {columns}.',
  deepStrongest: 'Strongest in view',
  deepSpan: '{from} to {to}',
  deepValue: 'Value',
  deepRetry: 'Try again',
  deepMinimap: 'Where the view is',
  deepThrew:
    'Rows {firstRow} to {lastRow}, columns {firstColumn} to {lastColumn} cannot be had: {reason}. A coarser picture is shown there.',
  deepLate:
    'Rows {firstRow} to {lastRow}, columns {firstColumn} to {lastColumn} have not arrived. A coarser picture is shown there.',
  deepSize:
    'Rows {firstRow} to {lastRow}, columns {firstColumn} to {lastColumn} came as ({got}) instead of ({want}) cells. A coarser picture is shown there.',
  deepSource: 'Expected a source { rows, columns, tile }: {reason}.',
}
