// The texts on pieces of words, bytes and marks in the room "Models".

export const texts = {
  piecesStart: '{mark} 标记文本的开头，模型把它当作一个词来读。',
  piecesEnd: '{mark} 标记文本的结尾。',
  piecesWords: '模型把一些词拆成几段来读：{list}。',
  piecesBytes: '模型没有 {list} 的词元，只能逐字节地读；它可能不懂这种语言，不要相信它说的话。',
}
