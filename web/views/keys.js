/**
 * Where a key leads from a cell: arrows to the neighbours, Home and End to the ends of the row.
 * @param {KeyboardEvent} event
 * @param {{ row: number, column: number }} from
 * @param {number} rows
 * @param {number} columns
 * @returns {{ row: number, column: number } | undefined} undefined for other keys
 */
export function moved({ key, ctrlKey }, { row, column }, rows, columns) {
  switch (key) {
    case 'ArrowUp':
      return { row: Math.max(row - 1, 0), column }
    case 'ArrowDown':
      return { row: Math.min(row + 1, rows - 1), column }
    case 'ArrowLeft':
      return { row, column: Math.max(column - 1, 0) }
    case 'ArrowRight':
      return { row, column: Math.min(column + 1, columns - 1) }
    case 'Home':
      return { row: ctrlKey ? 0 : row, column: 0 }
    case 'End':
      return { row: ctrlKey ? rows - 1 : row, column: columns - 1 }
    default:
      return undefined
  }
}
