// 房间“模型”中“亲手选下一个词”的文字。

/** @type {typeof import('../en/next-word.js').texts} */
export const texts = {
  nextComputing: '正在计算下一个词。',
  nextBars: '接下来可能是什么',
  'next.temperature': '温度',
  'next.topK': 'Top k',
  'next.topP': 'Top p',
  nextAll: '全部',
  nextKept: '还可能的词元：{all} 个中的 {kept} 个。',
  nextTake: '选“{token}”',
  nextTakeShare: '选“{token}”，{share}',
  nextOut: '出局',
  nextColumns: '点击一个词，把它加到文本里。条形是按现在的滑块它被选中的机会，小字是模型自己给的概率。',
  nextDraw: '随机抽一个',
  nextBack: '退回一个',
  nextFull: '文本已达到模型能读的长度。',
  nextEnded: '模型在这里结束了文本。',
  nextCache: '为下一步保留的内容（KV 缓存）',
  nextSize:
    '每一层为每个词元保留一行键和一行值，不必再算：现在有 {tokens} 行，所有层共 {bytes}；每加一个词元就多一行（{row}）。',
  nextTime: '这一步：有缓存时只算最后一个词元，用了 {cached}；没有缓存时要重算全部 {tokens} 个，用了 {whole}。',
  nextHead: '头',
  'nextRows.k': '键',
  'nextRows.v': '值',
  nextWords: '词元',
  nextNumbers: '数值',
  nextLong: '文本太长，无法画出每个数值。',
}
