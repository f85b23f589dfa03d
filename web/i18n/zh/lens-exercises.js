// 「每一层在说什么」的练习文字。

/** @type {typeof import('../en/lens-exercises.js').texts} */
export const texts = {
  'e21.task':
    '在“He put on his hat and”之后，模型回答“left”。路上它说过一样穿戴的东西。在最后一列里，点击最先说出它的最低一层。',
  'e21.may': '可以改动：选中的格子。',
  'e21.done': '第 {layer} 层说“{word}”（{share}），上面一层也这样说；最后一层用别的词盖住了它。',
  'e21.notYet': '第 {layer} 层在那里说“{word}”。',
  'e21.hint.none': '还没有选中格子。',
  'e21.hint.column': '这个格子是“{word}”之后的词。请看最后一列。',
  'e21.hint.answer': '这就是回答本身：“{word}”（{share}）。请看下面各层。',
  'e21.hint.other': '第 {layer} 层说“{word}”（{share}），这不能穿戴。',
  'e21.hint.higher': '第 {layer} 层说“{word}”，但更低的一层已经说了。',

  'e22.task':
    '钉住一个词：它在网格的某个格子里排第一，却既不在文本里，也不在回答那一行里。点击一个格子，下面是它的词，每个词旁边有“钉住”。',
  'e22.may': '可以改动：选中的格子，钉住的词。',
  'e22.done': '“{word}”在第 {layer} 层排第一。它既不在文本里，也不是任何一个回答：只有中间各层显示它。',
  'e22.notYet': '不是“{word}”。',
  'e22.hint.none': '还没有钉住词。',
  'e22.hint.text': '“{word}”在文本里。',
  'e22.hint.sign': '“{word}”不是完整的词。',
  'e22.hint.answer': '“{word}”是模型的回答：它在最上面一行。',
  'e22.hint.never': '“{word}”在任何格子里都不是第一。',

  'e23.task':
    '在第 3 层，模型在最后一个词之后说“street”。关掉那一个头：没有它，这个词在那里落到第 20 名以后。谁写了它，见网格下面。',
  'e23.may': '可以改动：头的开关，选中的格子。',
  'e23.done': '是头 {head} 写的：没有它，“street”在第 3 层是第 {rank} 名，这一层现在说“{word}”。',
  'e23.notYet': '它是第 {rank} 名。',
  'e23.hint.none': '所有的头都开着。谁给“street”的得分加得最多？',
  'e23.hint.many': '一个头就够了。',
  'e23.hint.unneeded': '没有头 {head}，“street”仍排第一。',
  'e23.hint.still': '没有头 {head}，“street”是第 {rank} 名：还不够低。',
}
