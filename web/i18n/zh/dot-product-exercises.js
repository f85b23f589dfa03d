// The texts of the exercises on dot products and softmax.

/** @type {typeof import('../en/dot-product-exercises.js').texts} */
export const texts = {
  'e1.task': '有三个键。选一个查询，使输出等于第二个值 (0, 1)，误差不超过 0.02。',
  'e1.may': '可以改动：查询的三个数。',
  'e1.measured': '权重 {weights}；输出 ({output})。',
  'e1.done': '查询在某个键的方向上足够长，这个键就得到几乎全部权重。',
  'e1.notYet': '还不对。',
  'e1.hint.equal': '得分相等，所以份额相等。',
  'e1.hint.other': '你的查询最适合键 {key}。',
  'e1.hint.short': '方向对了，但查询太短：键 2 得到 {weight}。',

  'e2.task': '使输出等于前两个值的平均：权重为 0.5、0.5 和 0，各误差不超过 0.01。',
  'e2.may': '可以改动：查询的三个数。',
  'e2.measured': '权重 {weights}；输出 ({output})。',
  'e2.done': '得分相等，份额就相等；重要的是它们比其余的高出多少。',
  'e2.notYet': '还不对。',
  'e2.hint.same': '所有得分加上同一个数，什么也不会改变。',
  'e2.hint.unequal': '键 1 和键 2 的得分相差 {gap}。',
  'e2.hint.third': '键 3 仍得到 {weight}。',

  'e3.task': '得分是 2、1 和 0。softmax 之后第一个权重是多少？三位小数即可。（e 约为 2.718。）',
  'e3.may': '答对后会显示权重的图。0.5 和 50% 是同一个答案。',
  'e3.answer': '第一个权重',
  'e3.done': 'e² = 7.389，7.389 ÷ (7.389 + 2.718 + 1) = 0.665。点图中的数可以看算式。',
  'e3.notYet': '不是 {typed}。先对每个得分取 e 的幂，再用第一个除以总和。',
  'e3.hint.divided': '你直接除了得分。要先取指数。',
  'e3.hint.two': '总和有三项，不是两项。',
  'e3.hint.numerator': '这是分子。还要除以总和。',

  'e4.task': '得分 2、1、0 在 softmax 之前乘以一个缩放。找出使第一个键至少得到 0.95 的最小整数缩放。',
  'e4.may': '可以改动：缩放。',
  'e4.done': '缩放越大，softmax 越尖锐。除以 √d 正好相反：它让权重更均匀。',
  'e4.notYet': '还不对。',
  'e4.hint.whole': '请输入整数。',
  'e4.hint.even': '第一个键得到 {weight}：小于 1 的缩放使份额更平均。',
  'e4.hint.more': '第一个键得到 {weight}：再拉开一些。',
  'e4.hint.smaller': '够了，但更小的缩放也够。',
}
