// “模型”房间里“什么影响这个答案？”的文字。

/** @type {typeof import('../en/matters.js').texts} */
export const texts = {
  mattersSay:
    '“{first}”领先第二猜测“{second}”：两者的 logit 相差 {value}。每一格说明替换那一部分会失去多少领先：橙色提高答案，紫色降低答案。',
  mattersSayClass:
    '类别“{first}”领先第二类别“{second}”：两者的 logit 相差 {value}。每一格说明替换那一部分会失去多少领先：橙色提高答案，紫色降低答案。',
  mattersSayOne: '这里“{first}”的 logit 为 {value}。每一格说明替换那一部分会失去多少：橙色提高答案，紫色降低答案。',
  mattersSayLikeness: '两段文本的相似度（余弦）为 {value}。每一格说明替换第一段文本的一部分会失去多少。',
  mattersAlike: '头 {name} 使两段文本更相似：换成均值，相似度失去 {value}',
  mattersUnlike: '头 {name} 使两段文本更不相似：换成均值，相似度增加 {value}',
  mattersHeads: '总效应：把每个头换成它的均值，其后的一切重新计算',
  mattersHead: '头',
  mattersLayer: '层',
  mattersExact: '这里的每个数都是算出来的，没有估计。',
  mattersChooseHead: '选一格，就替换那个头。',
  mattersChooseState: '从第 2 层起选一格，就给那个状态打补丁。',
  mattersEstimate: '先由梯度估计。从最后一层算起，目前 {rows} 行中有 {exact} 行是精确的。',
  mattersComputing: '正在估计什么最重要。',
  mattersCancelled: '已取消：{rows} 行中有 {exact} 行是精确值，其余是估计。',
  mattersCompute: '计算其余部分',
  mattersHelps: '头 {name} 支持这个答案：换成均值，差失去 {value}',
  mattersHinders: '头 {name} 降低这个答案：换成均值，差增加 {value}',
  mattersForetold:
    '你替换了 {count} 个头。图估计 {foretold}；它们合起来实际造成 {real}。头共同起作用或互相替代时，两者会不同。',
  mattersPositions: '进入各层的每个状态，取自另一段文本',
  mattersPosition: '位置',
  mattersOther: '另一段文本，改动一个词',
  mattersPositionsText: '请改动一个词。两段文本的词元数必须相同。',
  mattersTooLong: '文本太长，无法找出什么影响答案：请用短一些的文本。',
  mattersLengths:
    '这段文本有 {here} 个词元，另一段有 {there} 个；两者的数目必须相同。这段：{tokens}。另一段：{others}。',
}
