// “模型”房间里“它为什么看那里？”的文字。

/** @type {typeof import('../en/reasons.js').texts} */
export const texts = {
  reasonsTitle: '它为什么看那里？',
  reasonsSay:
    '得分是一个和。其中最大的一项是 {value}（总和 {score}）：写在“{query}”处的{left}乘以写在“{key}”处的{right}。',
  reasonsLabel: '“{query}”与“{key}”的得分中最大的各项',
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
  'reasons.changes': '你的改动',
  reasonsMore: '其余 {count} 项',
  'reasonsMore.one': '其余 1 项',
  reasonsNote:
    '查询和键各是一个和：嵌入、前面各头和各 MLP 在这个词处写下的内容。所以得分是各对之积的和：查询的一部分 × 键的一部分。归一化的缩放保持不变。一行中所有键都相同的项不改变权重。',
  reasonsMap: '“{query}”与“{key}”的得分的各项，按写入者',
  reasonsAt: '写在“{word}”处',
  reasonsOthers: '其余',
  reasonsTooLong: '文本太长，无法分解得分：请用短一些的文本。',
}
