// The texts of the exercises on masks.

/** @type {typeof import('../en/mask-exercises.js').texts} */
export const texts = {
  'e5.task':
    '遮住热图中的格子，使任何词都看不到后面的词：“we”只看到自己，“book”看到全部四个词。点热图上方的“涂抹掩码”，再点格子或拖过它们。',
  'e5.may': '可以改动：涂过的格子。',
  'e5.done': '这个三角形就是因果掩码。每一行的和仍是 1：剩下的重新分配。',
  'e5.notYet': '还不对。',
  'e5.hint.itself': '“{query}”必须看到自己。',
  'e5.hint.past': '你遮住了前面的词。后面的词在对角线的右边。',
  'e5.hint.later': '“{query}”仍看到后面的词“{key}”。',
  'e5.hint.earlier': '“{query}”可以看到前面的词“{key}”。',

  'e6.task': '设置掩码，使每个词只看到自己和前面两个词。',
  'e6.may': '可以改动：掩码及其左右范围。',
  'e6.done': '这是滑动窗口：词数加倍，代价也只加倍，而不是四倍。',
  'e6.notYet': '还不对。',
  'e6.hint.later': '“{query}”看到了后面的词“{key}”。',
  'e6.hint.itself': '“左侧”不包括这个词自己。',
  'e6.hint.more': '“{query}”看到前面 {count} 个词。',
  'e6.hint.more.one': '“{query}”看到前面 1 个词。',
  'e6.hint.fewer': '“{query}”只看到前面 {count} 个词。',
  'e6.hint.fewer.one': '“{query}”只看到前面 1 个词。',

  'e7.task': '权重是 0.2、0.5 和 0.3。现在遮住键 3。第一个权重变成多少？三位小数即可。',
  'e7.may': '这里只作预测，什么也不能改。',
  'e7.answer': '第一个权重',
  'e7.done': '剩下的份额保持原来的比例：0.2 ÷ 0.7 = 0.2857。',
  'e7.notYet': '不是 {typed}。剩下的两个权重按原来的比例，和仍为 1。',
  'e7.hint.sum': '那样这一行的和是 {sum}。',
  'e7.hint.evenly': '剩下的保持比例，多出的不是平均分。',
  'e7.hint.ratio': '这是两者之比。应除以剩下的总和。',

  'e8.task': '掩码是因果的。第 4 个词“eat”变成“pizza”。标出输出会改变的每个词。',
  'e8.may': '这里只作预测，什么也不能改。',
  'e8.answer': '输出会改变：',
  'e8.done': '只有能看到第 4 个词的才会改变：它自己和后面的所有词。',
  'e8.notYet': '还不对。',
  'e8.hint.cannot': '“{word}”看不到第 4 个词。',
  'e8.hint.none': '请标出输出会改变的词；是有的。',
  'e8.hint.own': '第 4 个词自己的一行也会变：它的查询变了。',
  'e8.hint.looks': '还有哪些词会看第 4 个词？',
  'e8.hint.missing': '还有一个词能看到第 4 个词。',
}
