// A model whose tokenizer and chat template need the optional packages.
import { load } from 'qkv'
import { loadModel } from 'qkv/models'

globalThis.answer = load()
  .then(qkv => loadModel(qkv, new URL('model/', location.href)))
  .then(
    async model => {
      const chat = model.applyChatTemplate([{ role: 'user', content: 'Hi' }], {
        template: '{{ messages[0].content }}!',
      })
      return `${model.tokenize('The cat').tokens.join()} ${await chat.catch(error => error.message)}`
    },
    error => error.message,
  )
