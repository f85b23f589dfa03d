// 「模型」房间里「这个头在许多句子上」的文字。

/** @type {typeof import('../en/many.js').texts} */
export const texts = {
  manyText: '一段文本可能只是偶然。这里在许多句子上测量这个头：粘贴你自己的句子，每行一句。选一句，看它的热图。',
  manySentences: '句子，每行一句',
  manyScore: '得分',
  manyOwn: '用页面的句子',
  manyComputing: '正在测量……',
  manyNothing: '没有句子有这个得分：没有词元重复出现，或者都太长。',
  manyMean: '平均 {mean}，标准差 {spread}（{count} 句）',
  manyNoRepeat: '没有词元重复出现',
  manyTooLong: '太长',
}
