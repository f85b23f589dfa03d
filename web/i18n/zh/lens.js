// 「模型」房间里「每一层在说什么」的文字。

/** @type {typeof import('../en/lens.js').texts} */
export const texts = {
  lensText:
    '每一列是文本中的一个词，每一行是模型的一层。格子里是：如果模型在这里就说出心里的话，下一个词会是什么；颜色越深，越有把握。最上面一行是它的回答。',
  lensChoice: '怎样读一个状态',
  'lens.logit': 'Logit 透镜',
  'lens.jacobian': '雅可比透镜',
  'lensText.logit': '把每个状态当作最后的状态来读。',
  'lensText.jacobian': '先按上面各层的平均作用，把状态带到最后一层再读。',
  lensFitting: '正在用模型自己写的文本测量各层的作用：{done} / {total}。',
  lensFitted: '在模型自己写的 {texts} 段文本（每段最多 {tokens} 个词元）上测得。',
  lensCancelled: '已取消。',
  lensFit: '测量',
  lensTooLarge: '这个模型太大，无法在这里测量各层的作用。Logit 透镜可以用。',
  lensTable: '每个词之后，每一层在说什么',
  lensLayers: '层',
  lensAnswer: '回答',
  lensState: '第 {layer} 层，“{word}”之后：{token}，{share}',
  lensChoose: '选择一个格子，看它最可能的十个词。',
  lensCell: '第 {layer} 层，“{word}”之后',
  lensPinText: '选择一个词把它钉住：彩色条显示它在哪里活跃。最多 {most} 个词。',
  lensRanks: '“{token}”在“{word}”之后的名次，从第一层到回答：{ranks}',
  lensUnpin: '取消钉住 {token}',
  lensWho: '谁写的？',
  lensWriting: '正在询问每个头和每一层……',
  lensWriters: '谁写了“{token}”：它在这里的得分是 {score}',
  'lensWriter.head': '头 {name}',
  'lensWriter.mlp': '第 {layer} 层的 MLP',
  'lensWriter.embedding': '词“{word}”本身',
  'lensWriter.rest': '其余各部分',
  lensWritersText: '这些数加起来就是得分。打开一个头，看它看向哪里；在那里把它关掉，网格会在没有它的情况下重新读出。',
}
