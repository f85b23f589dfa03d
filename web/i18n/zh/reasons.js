// “模型”房间里“它为什么看那里？”的文字。

/** @type {typeof import('../en/reasons.js').texts} */
export const texts = {
  reasonsTitle: '它为什么看那里？',
  reasonsSay: '分数 {score} 中最大的一项是 {value}。它是写在“{query}”处的{left}与写在“{key}”处的{right}之积。',
  reasonsLabel: '“{query}”与“{key}”的分数中最大的各项',
  reasonsToken: '词“{word}”本身',
  reasonsPosition: '位置 {position}',
  reasonsHead: '头 {name}',
  reasonsHeadFrom: '头 {name} 在“{word}”（{position}）处读到的内容',
  reasonsCross: '交叉注意力 {name}',
  reasonsCrossFrom: '交叉注意力 {name} 在“{word}”（{position}）处读到的内容',
  reasonsMlp: 'MLP {layer}',
  reasonsRelative: '距离',
  'reasons.type': '片段',
  'reasons.biases': '偏置',
  'reasons.changes': '您的改动',
  reasonsMore: '其余 {count} 项',
  'reasonsMore.one': '其余 1 项',
  reasonsNote:
    '查询和键是嵌入、前面各头与各 MLP 在两个词处所写内容之和，因此分数是各对之积（查询的一部分 × 键的一部分）的总和。归一化的标准差保持不变。对一行中所有键都相同的部分不改变权重。',
  reasonsMap: '“{query}”与“{key}”的分数的各项，按写入者',
  reasonsAt: '写在“{word}”处',
  reasonsOthers: '其余',
  reasonsTooLong: '文本太长，无法分解分数：请用短一些的文本。',
}
