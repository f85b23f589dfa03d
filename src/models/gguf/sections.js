// Finds special tokens in texts as llama.cpp does: all occurrences of the longest token first, then of the next one in the rest. The Rust
// library instead scans the text once.

/** @typedef {import('../tokenizers/added-tokens.js').AddedToken & { id: number }} Found */

const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text).length

/**
 * @param {readonly Found[]} tokens
 * @returns {(text: string, normalize: (text: string) => string) => import('../tokenizers/added-tokens.js').Section[]}
 */
export function sectionsOf(tokens) {
  const order = tokens.map(token => ({ ...token, bytes: bytes(token.content) })).sort((a, b) => b.bytes - a.bytes)
  return (text, normalize) => {
    /** @type {{ text: string, id?: number }[]} */
    let parts = text ? [{ text }] : []
    for (const { content, id, lstrip, rstrip } of order) {
      if (!text.includes(content)) continue
      parts = parts.flatMap(part => {
        if (part.id !== undefined) return [part]
        /** @type {typeof parts} */
        const out = []
        let rest = part.text
        for (let at = rest.indexOf(content); at >= 0; at = rest.indexOf(content)) {
          const before = rest.slice(0, at)
          rest = rest.slice(at + content.length)
          out.push({ text: lstrip ? before.replace(/[\t-\r ]+$/, '') : before }, { text: content, id })
          if (rstrip) rest = rest.replace(/^[\t-\r ]+/, '')
        }
        return [...out, { text: rest }].filter(({ text }) => text)
      })
    }
    return parts
      .map((part, n) => ({
        ...part,
        text: part.id === undefined ? normalize(part.text) : part.text,
        isFirst: n === 0,
      }))
      .filter(part => part.text)
  }
}
