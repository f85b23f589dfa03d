#!/usr/bin/env bash
# In the Rust tokenizers, one character may belong to two added tokens: a token with rstrip takes the white space after it, and the next token
# takes the same white space again. The JavaScript port gives other tokens for the same file.
# (A valid file and text can also end the whole process of the Rust library, which no try or catch sees; how is not shown here.)
# Versions: @anush008/tokenizers 0.6.0 (tokenizers 0.22.2), @huggingface/tokenizers 0.2.0. Exits 1 if this changes.
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --ignore-scripts @anush008/tokenizers@0.6.0 @huggingface/tokenizers@0.2.0
cat >run.mjs <<'JS'
import { Tokenizer as Native } from '@anush008/tokenizers'
import { Tokenizer as Port } from '@huggingface/tokenizers'

/** Returns a tokenizer of words with two added tokens: <s>, which takes the white space after it, and `second`. */
const fileOf = second => ({
  version: '1.0',
  added_tokens: [{ content: '<s>', rstrip: true }, second].map((token, n) => ({
    id: n + 1,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: false,
    ...token,
  })),
  normalizer: null,
  pre_tokenizer: { type: 'WhitespaceSplit' },
  post_processor: null,
  decoder: null,
  model: { type: 'WordLevel', unk_token: 'u', vocab: { u: 0, a: 3 } },
})
const [json, text] = [JSON.stringify, '<s>  a']
const tokensOf = async second => {
  const encoded = await Native.fromString(json(fileOf(second))).encode(text)
  return encoded.getTokens()
}
const plain = await tokensOf({ content: 'b' })
const twice = await tokensOf({ content: '  ' })
const port = new Port(fileOf({ content: '  ' }), {}).encode(text).tokens
console.log(`text ${json(text)}`)
console.log(`<s> with rstrip:                             ${json(plain)}`)
console.log(`<s> with rstrip, and a token of two spaces:  ${json(twice)}`)
console.log(`the same in the JavaScript port:             ${json(port)}`)
const isAsSeen =
  json(plain) === '["<s>  ","a"]' && json(twice) === '["<s>  ","  ","a"]' && json(port) !== json(twice)
process.exitCode = isAsSeen ? 0 : 1
JS
node run.mjs
