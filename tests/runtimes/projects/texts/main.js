// Tokenizes a text and fills in a chat template. If an optional package is missing, the answer is the message of the error.
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
