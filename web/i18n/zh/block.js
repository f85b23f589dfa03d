// 「模型」房间里「整个模型的一张图」的文字。

/** @type {typeof import('../en/block.js').texts} */
export const texts = {
  blockComputing: '正在测量……',
  blockText:
    '“{word}”（第 {at} 个词）怎样变成回答。模型为它保存一列数，叫做流。每一部分读流，再往里加：“+ 40%”表示加过之后的流有 40% 来自这一部分。数字是流的长度。可以在上面选另一个词，或在这里选一个头。',
  blockNorm: '归一化',
  blockNormText: '在一部分读之前，或在求和之后，把每个词的数字缩放到同一长度。',
  blockStream: '这个词的流在这里的长度。',
  blockStreamOpens: '第 {layer} 层之后流的长度。点按可看模型在这里会说什么。',
  blockAdd: '加上一个长度为 {added} 的向量；和的长度是 {sum}。占和的份额：{share}。',
  'block.attention': '注意力',
  'block.cross': '交叉注意力',
  'block.mlp': 'MLP',
  'blockText.attention': '每个头从它看的词那里带来一些东西。点一个数字就打开那个头。',
  'blockText.cross': '每个头从另一个文本那里带来一些东西。点一个数字就打开那个头。',
  blockMlpText: '只处理每个词自己：两层神经元。',
  blockLayer: '第 {layer} 层',
  blockWordText: '模型读的文本。',
  blockEmbedding: '嵌入',
  blockEmbeddingPosition: '嵌入 + 位置',
  'blockPosition.added': '一个词的向量，加上它位置的向量。',
  'blockPosition.rope': '位置由每次注意力里旋转查询和键来表示。',
  'blockPosition.bias': '位置由加在每个得分上的一个数来表示。',
  blockLogits: 'logits',
  blockLogitsText: '每个可能的下一个词的得分。点按可看预测。',
  blockAnswer: '这个词的回答',
}
