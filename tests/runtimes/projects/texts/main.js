// A model whose tokenizer is read by the optional package.
import { load } from 'qkv'
import { loadModel } from 'qkv/models'

globalThis.answer = load()
  .then(qkv => loadModel(qkv, new URL('model/', location.href)))
  .then(
    model => model.tokenize('The cat').tokens.join(),
    error => error.message,
  )
