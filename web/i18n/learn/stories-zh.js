// “学习”房间的引导故事。每一站说明看到了什么；“.do”说明读者要做什么。

/** @type {typeof import('./stories-en.js').stories} */
export const stories = {
  story: '引导故事',
  storyStart: '发生了什么？跟着故事看',
  storyBack: '上一步',
  storyNext: '下一步',
  storyPlace: '第 {at} 站，共 {count} 站',
  storyEnd: '关闭故事',
  storyDone: '完成。',

  'story.induction.1':
    '这些数字里有一段出现了两次。读到它的最后一个数字时，模型应当说出上一次后面跟着什么。它的权重是随机的：它回答 {says}，这类问题答对 {first}。不看任何位置的模型能达到 {nowhere}。',
  'story.induction.1.do': '按“训练”。',
  'story.induction.2':
    '有一阵子好像什么也没发生：损失和准确率几乎不动。然后在几十步之内，准确率突然跳起。这就是相变：两个头开始配合。',
  'story.induction.2.do': '等待曲线的突变。',
  'story.induction.3':
    '准确率在第 {jump} 步跳起。第一层的头 {previous} 把 {previousShare} 的权重放在前一个词元上，也就是对角线下方的亮线。于是每个位置都知道自己前面是什么。',
  'story.induction.3.do': '选择头 {previous}。',
  'story.induction.4':
    '最后一层的头 {answer} 利用了这一点：它寻找“前一个词元就是当前词元”的位置，于是找到上一次后面跟着的数，权重为 {answerShare}。这就是归纳头。',
  'story.induction.4.do': '选择头 {answer}，顺着亮格看。',
  'story.induction.5':
    '哪个头先出现？都不是：在分数曲线上，两者在同样的几十步里一起上升。每个头只有和另一个一起才有用。在第 {jump} 步之前几乎没有好处可得：所以模型先等待，然后突变。',
  'story.induction.5.do': '把“显示第几步”拖回第 {jump} 步之前。',
  'story.induction.6':
    '单靠一个头做不到。关掉头 {previous} 后，未训练过的长度上的准确率降到 {changed}：归纳头失去了输入。',
  'story.induction.6.do': '回到最新一步，关掉头 {previous}。',
  'story.induction.7':
    '只有一层时，前面没有别的层，没有头能知道某个键的前面是什么，准确率就停留在没有这个技巧的水平。这个回路需要两层。',
  'story.induction.7.do': '在“比较”里选择“只用一层”，然后训练。',

  'story.translation.1':
    '一套小语法的英文句子和它们的中文。没有人告诉模型哪个词对应哪个词；一开始它答对 {first} 的词。',
  'story.translation.1.do': '按“训练”。',
  'story.translation.2':
    '要说出正确的词，交叉注意力就必须看向正确的词。“对齐”是它看对的词所占的比例，与准确率一同上升。',
  'story.translation.2.do': '等到对齐达到 90%。',
  'story.translation.3':
    '图的行是中文词，列是英文词。它不是对角线：时间和地点在中文里位于动词之前，在英文里位于句末。这个头在 {alignment} 的情况下看对了词。',
  'story.translation.3.do': '选择头 {answer}，顺着一行看。',
  'story.translation.4': '答案中每个词的 logit 都是一个和：这个头从各个位置加上的量。',
  'story.translation.4.do': '点击答案中的一个词。',
  'story.translation.5': '这套语法能造出许多从未训练过的句子和长度：模型译对其中 {accuracy} 的词。',
  'story.translation.5.do': '用语法里的词输入你自己的句子。',
  'story.translation.6': '没有交叉注意力，模型完全看不到英文：只凭“哪个词后面常跟哪个词”，还有 {changed} 的词是对的。',
  'story.translation.6.do': '关掉头 {answer}。',

  'story.sort.1': '八个数字，一条竖线，然后按顺序逐个写出同样的数字。只有一个头来做；一开始答对 {first} 的位置。',
  'story.sort.1.do': '按“训练”。',
  'story.sort.2': '这个头只需学会一件事：从刚写出的数字，看向下一个更大的数字。大约需要一百步。',
  'story.sort.2.do': '等到准确率达到 95%。',
  'story.sort.3': '看竖线之后的各行：每行有一个亮格，在顺序中的下一个数上。这个头把 {answerShare} 的权重放在那里。',
  'story.sort.3.do': '点击答案中的一个数字：它来自哪些位置？',
  'story.sort.4': '回到过去：起初各行是均匀的，后来变得尖锐。',
  'story.sort.4.do': '把“显示第几步”拖回第 {reached} 步之前。',
  'story.sort.5': '它学到的是规则，不是那些序列：在从未训练过的长度上（比最长的少两个），{accuracy} 的位置正确。',
  'story.sort.5.do': '输入你自己的不同数字，最多八个。',

  'story.reverse.1':
    '每个位置应当说出对称位置上的数字。数字本身帮不上忙，只有位置有用；一开始模型答对 {first} 的位置。',
  'story.reverse.1.do': '按“训练”。',
  'story.reverse.2': '这个头学习哪个位置对应哪个位置。几十步之内，反对角线就会出现。',
  'story.reverse.2.do': '等到准确率达到 95%。',
  'story.reverse.3': '这个头把 {answerShare} 的权重放在对称位置上。模型没有别的办法：去掉这个头，准确率是 {changed}。',
  'story.reverse.3.do': '关掉头 {answer}，或让它只给出均值。',
  'story.reverse.4':
    '它是怎样学会的？在每一步，梯度告诉每个权重往哪个方向走能使损失变小；对注意力也一样：哪里该少看（正），哪里该多看（负）。',
  'story.reverse.4.do': '回到较早的一步，打开“梯度”，计算一次。',
  'story.reverse.5':
    '没有位置信息，所有位置对这个头来说都一样：它无法知道哪一端是对称位置。准确率停留在 {nowhere} 附近。',
  'story.reverse.5.do': '在“设置”里把位置设为“无”，然后训练。',

  'story.text.1': '你的文本，逐个字符：根据前面的全部内容，模型应当说出下一个字符。文本的最后十分之一不参与训练。',
  'story.text.1.do': '粘贴几千个字符的文本。',
  'story.text.2': '两层，每层四个头，带 MLP：比其他任务更大、更慢。开始时它在所有字符里猜。',
  'story.text.2.do': '按“训练”。',
  'story.text.3':
    '损失起初下降很快：先是常见字母，然后是字母对，然后是短词。在留出的十分之一上，模型现在每个字符需要 {bits} 比特。大语言模型不到一比特；这个模型只见过你的文本。',
  'story.text.3.do': '让它训练 200 步。',
  'story.text.4': '它从你输入的内容往下写，每次取最可能的字符。它很快会重复自己：这个模型非常小。',
  'story.text.4.do': '输入文本里某个词的开头。',
  'story.text.5': '头 {previous} 最关注前一个字符，权重为 {previousShare}：起初最有用的是字母对。',
  'story.text.5.do': '选择头 {previous}。',
}
