// Writes texts, and pairs of texts, as conversations by the chat template of a folder. Loaded with a folder of sentence-transformers whose
// settings require it.
// https://github.com/huggingface/sentence-transformers (6.0): base/modules/transformer.py, base/modality.py

import { hasTemplate, rendererOf } from '../jinja/chat.js'

/** @import { Tokenized } from '../tokenizers/tokenizer.js' */

/** A template that contains one of these strings reads the content of a message as a list of parts. */
const PARTS = ['content[0]', '.type', "'type'", '"type"', 'item.type', 'message.content[']

/**
 * Returns a reader of conversations.
 * @param {import('./many-texts.js').Runner['chat']} chat
 * @param {import('./sentence-input.js').Conversations} settings
 * @param {(text: string, isCut: boolean) => Tokenized} read tokenizes a conversation
 * @param {number | undefined} most maximum number of ids
 * @param {string} prompt used as the system message
 * @param {boolean} isPair
 * @returns {Promise<import('./sentence-input.js').ReadText | undefined>} undefined if the folder has no template and needs none
 */
export async function conversationReader(chat, settings, read, most = Infinity, prompt, isPair) {
  const { format, variables, addGenerationPrompt, restoresEnd } = settings
  if (format === 'auto' && !(await hasTemplate(chat.config, chat.read))) return undefined
  const { render, template, isOne } = await rendererOf(chat.config, chat.read, { variables, addGenerationPrompt })
  const isFlat = format === 'auto' ? isOne && !PARTS.some(part => template.includes(part)) : format === 'flat'
  const contentOf = (/** @type {string} */ text) => (isFlat ? text : [{ type: 'text', text }])
  const written = (/** @type {string} */ text, /** @type {string | undefined} */ pair, /** @type {string} */ system) =>
    render([
      ...(system ? [{ role: 'system', content: contentOf(system) }] : []),
      { role: pair === undefined ? 'user' : 'query', content: contentOf(text) },
      ...(pair === undefined ? [] : [{ role: 'document', content: contentOf(pair) }]),
    ])
  if (isPair) checkRoles((query, text) => written(query, text, ''))
  /** @type {Tokenized | undefined} */
  let end
  return (text, pair) => {
    if (!isFlat && pair !== undefined) for (const part of [text, pair]) checkMedia(part)
    const input = read(written(text, pair, prompt), true)
    if (!restoresEnd || input.ids.length < most) return input
    end ??= endOf(fill => read(written(fill, pair === undefined ? undefined : fill, prompt), false))
    return withEnd(input, end)
  }
}

/** Throws if the template omits one of the texts of a pair. @param {(query: string, text: string) => string} write */
function checkRoles(write) {
  const base = write('alpha', 'bravo')
  const left = [
    ['query', write('charlie', 'bravo')],
    ['document', write('alpha', 'foxtrot')],
  ].find(([, text]) => text === base)
  if (left)
    throw new RangeError(
      `rank: the chat template of this folder leaves out the message of the role ${left[0]}: a pair is one of query and one of document`,
    )
}

/**
 * Returns the tokens at the end of the template, which are the common suffix of two conversations.
 * @param {(fill: string) => Tokenized} read
 * @returns {Tokenized}
 */
function endOf(read) {
  const [first, second] = ['0', '1 2 3 4'].map(read)
  const [a, b] = [first.ids, second.ids]
  let count = 0
  while (count < Math.min(a.length, b.length) && a[a.length - 1 - count] === b[b.length - 1 - count]) count++
  if (count === Math.min(a.length, b.length)) count = 0 // equal conversations: the template omits the text
  return { ids: a.slice(a.length - count), tokens: first.tokens.slice(a.length - count) }
}

/** Overwrites the last tokens of a truncated text with the end of the template. @param {Tokenized} input @param {Tokenized} end */
function withEnd(input, end) {
  const keep = Math.min(end.ids.length, input.ids.length)
  const at = input.ids.length - keep
  const from = end.ids.length - keep
  return {
    ids: [...input.ids.slice(0, at), ...end.ids.slice(from)],
    tokens: [...input.tokens.slice(0, at), ...end.tokens.slice(from)],
  }
}

const MEDIA = /\.(?:jpe?g|png|gif|bmp|tiff|webp|mp4|avi|mov|wmv|flv|mkv|mp3|wav|ogg|flac|aac)$/
const VIDEOS = ['www.youtube.com', 'youtube.com', 'youtu.be', 'm.youtube.com']

/** Throws if a text is the address of an image, a video or a sound, which sentence-transformers would load. @param {string} text */
function checkMedia(text) {
  const url = /^https?:\/\/[^ ]*$/.test(text) && URL.canParse(text) ? new URL(text) : undefined
  if (text.startsWith('data:image/') || (url && (MEDIA.test(url.pathname.toLowerCase()) || VIDEOS.includes(url.host))))
    throw new RangeError(
      'rank: a text that is the address of an image, a video or a sound is not covered: sentence-transformers loads it',
    )
}
