// The texts of the exercises on circuits.

/** @type {typeof import('../en/circuit-exercises.js').texts} */
export const texts = {
  'e17.task': '模型说“tom”。关掉一个头，使它说出一个不在故事里的男孩。',
  'e17.may': '可以改动：头的开关。点热图打开一个头，开关在它的名字旁边。',
  'e17.done': '没有头 {head}，它说“{word}”（{share}）：它仍知道说的是男孩，却不知道是哪一个。',
  'e17.notYet': '它说“{word}”（{share}），这不是男孩。',
  'e17.hint.none': '所有的头都开着。',
  'e17.hint.many': '一个头就够了。',
  'e17.hint.still': '仍是“tom”，{share}。',
  'e17.hint.unneeded': '这里不需要头 {head}：“tom”仍有 {share}。',

  'e18.task': '“Is she”需要、而“Is he”不需要的是哪个头？关掉一个头：它在两段话里都关着。',
  'e18.may': '可以改动：头的开关。',
  'e18.done': '头 {head}：没有它，“Is he”仍是 tom（{he}），“Is she”却失去 lily（{she}）。一个问题，两条回路。',
  'e18.notYet': '还不对。',
  'e18.hint.none': '所有的头都开着。',
  'e18.hint.many': '一个头就够了。',
  'e18.hint.neither': '头 {head} 对两者都没有影响：tom {he}，lily {she}。',
  'e18.hint.his': '“Is he”需要头 {head}，“Is she”不需要：tom 降到 {he}。',
  'e18.hint.both': '“Is he”也需要头 {head}：tom 降到 {he}。',

  'e19.task': '狐狸叫 vi ta mo，所以在“Vi ta”之后模型说“mo”。尽可能多地关掉头，但它仍要说“mo”。',
  'e19.may': '可以改动：头的开关。',
  'e19.done': '三个头就够了（{share}）：一个回看前一个词，和其余的一起找到后面跟着什么。这就是归纳回路。',
  'e19.notYet': '用 {on} 个头，它说“{word}”（{share}）。',
  'e19.hint.none': '所有的头都开着。关掉一个。',
  'e19.hint.more': '{on} 个头也行。还可以再关一个。',
  'e19.hint.copies': '它说“ta”（{share}）：地方找到了，但谁把它往后移一个词？',

  'e20.task': '第二段话里 Ben 代替了 Tom。从第二段话取一个位置、一层的输出，使模型在第一段话之后说“ben”。',
  'e20.may': '可以改动：替换。选一个词，打开“用第二个文本打补丁”，选一层，再点按钮。',
  'e20.done': '第 {layer} 层之后，名字已经在最后一个词上：“{word}”有 {share}。后面的层只是传下去。',
  'e20.notYet': '它说“{word}”（{share}）。',
  'e20.hint.none': '还没有从第二段话取任何东西。',
  'e20.hint.all': '一个位置就够了。',
  'e20.hint.name': '太晚了：头 1.2 在第 1 层已经读过名字。它说“{word}”（{share}）。',
  'e20.hint.empty': '第 {layer} 层之后这里没有 Ben 的任何痕迹：它说“{word}”（{share}）。',
}
