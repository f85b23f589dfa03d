// Writes a matrix as CSV with row and column names.

/** Quotes a field if necessary; a text that a spreadsheet would take for a formula gets a leading apostrophe. @param {string} text */
export function field(text) {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * @param {{ tensor: { dims: readonly number[], data: ArrayLike<number> }, rows: readonly string[], columns: readonly string[] }} matrix
 * @returns {string} lines end with CRLF, as RFC 4180 requires
 */
export function writeCsv({ tensor: { dims, data }, rows, columns }) {
  const [count, width] = dims
  const line = (/** @type {number} */ row) =>
    Array.from({ length: width }, (_, column) => String(Number(data[row * width + column].toPrecision(9))))
  const lines = Array.from({ length: count }, (_, row) => [field(rows[row] ?? ''), ...line(row)].join(','))
  return `${[['', ...columns.map(field)].join(','), ...lines].join('\r\n')}\r\n`
}
