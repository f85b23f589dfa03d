// 两列词之间的连线（一个头的一种图）的文字。

/** @type {typeof import('../en/lines.js').texts} */
export const texts = {
  linesHint: '每种颜色是一个头；线越浓，一个词看另一个词越多。‹指向或›点击一个词，只看它的线。',
  linesFrom: '每个词……',
  linesTo: '……看向',
  linesHeads: '画出的头',
  linesAllHeads: '所有头',
  linesOnly: '只看 {name}',
  linesAllWords: '所有词',
  linesLooks: '“{word}”最看：{list}',
  linesSeen: '最看“{word}”的是：{list}',
  linesMost: '“{word}” {weight}（{name}）',
  linesComma: '，',
  linesNone: '连线用于最多 {most} 个词、权重齐全的文本。这个文本请看“热图”。',
}
