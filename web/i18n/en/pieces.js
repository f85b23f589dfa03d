// The texts on pieces of words, bytes and marks in the room "Models".

export const texts = {
  piecesStart: '{mark} marks the start of the text. The model reads it like a word.',
  piecesEnd: '{mark} marks the end of the text.',
  piecesWords: 'The model reads some words in pieces: {list}.',
  piecesBytes: 'The model has no token for {list} and reads their bytes: do not trust what it says.',
}
