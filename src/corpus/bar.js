// A text progress bar.

/** Formats a duration. @param {number} seconds */
function inWords(seconds) {
  if (seconds < 90) return `${Math.ceil(seconds)} s`
  return seconds < 5400 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}

/** Formats the progress as a line of text. @param {import('./corpus.js').CorpusProgress} progress @param {number} width of the terminal */
export function bar({ texts, fraction, seconds }, width) {
  const done = `${texts.toLocaleString('en')} texts, ${Math.round(texts / Math.max(seconds, 1e-3)).toLocaleString('en')}/s`
  if (fraction === undefined) return done
  const left = fraction > 0 && fraction < 1 ? `, ${inWords((seconds * (1 - fraction)) / fraction)} left` : ''
  const room = Math.max(0, Math.min(30, width - done.length - left.length - 9))
  const full = Math.round(room * fraction)
  return `[${'='.repeat(full)}${' '.repeat(room - full)}] ${Math.floor(fraction * 100)} % ${done}${left}`
}
