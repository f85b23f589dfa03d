// “单层”中打开时才加载的部分的文字：导览、与原文的差别、为什么要除、长度的代价、程序、导入。

/** @type {typeof import('../en/layer-parts.js').texts} */
export const texts = {
  tourTry: '做一道练习',
  'tour.root.text':
    '得分的离散程度随 √d 增长；除以它可以避免 softmax 只挑一个词。只挑一个词的 softmax 几乎不传回梯度。',
  'tour.root.do': '把 d 的滑块向右移，看最大的键所占的份额。',
  'tour.mask.text':
    '{all} 格中有 {hidden} 格被遮住{row}。它们的指数消失了。剩下的除以剩下的和，所以每行的和仍是 1。因此在 softmax 之前遮住，等于在之后遮住再重新相除，最多相差 {most}。',
  'tour.mask.row': '；在 {query} 这一行是 {list}',
  'tour.mask.do': '换一种掩码：每一行的两列数字仍然一致。',
  'tour.sees.text':
    '{query}（第 {position} 个词）能看到 {key}（第 {other} 个词）吗？{answer}检查栏说明规则并给出证明：换掉一个词，全部重新计算。',
  'tour.sees.do': '在检查栏的问题里换一个词。',
  'tour.heads.text':
    '每个头都有一句话。头 {sharpest} 最集中（熵 {least} 比特），头 {evenest} 最平均（{most} 比特）。热图是一个头减去另一个头，并写出最大的差异。',
  'tour.heads.do': '换两个头来相减。',
  'tour.cross.text': '行是提问的 {rows} 个词，列是回答的 {columns} 个词。{looks}每行之和为一，列则不必。',
  'tour.cross.do': '点击任一句里的一个词。',
  'tour.kernel.text': '离查询近的键权重最大：{near} 分得了注意力。输出是它们的值的平均：{estimate}。',
  'tour.kernel.do': '沿曲线移动查询。',
  'tour.induction.text':
    '它寻找前面出现过同一个词的地方，再看那里后面跟着的词。这由前后两层的两个头完成：一个记下前一个词元，另一个来匹配。',
  'tour.induction.do': '输入你自己的、有重复词的句子。',
  'differs.000':
    'X、权重、Q、K、V 和得分都与文中一致。文中最后的结果却不是由它们算出的：它用的是抽权重那一格第四次运行得到的值，并且除以 4，好像键有 16 维而不是 8 维。\n文中的 softmax 沿列计算，所以每个词的权重之和不是一。这里缩放为 1/√8，softmax 沿键计算。在“设置”里把缩放设为 0.25、softmax 改为沿查询，就得到文中代码的权重。\n“is”出现两次，用的是后一个编号，所以编号 1 没有用到。',
  'differs.001':
    '除一位数字外都与文中一致：有一个输出文中是 −0.2627，这里是 −0.2626。PyTorch 的通用版本与 AVX2 版本的随机数在最后几位不同；文中用的是前者，本页与今天多数机器一样用后者。\n抽权重之前重设了种子，所以权重不受词表影响。文中注释说 d_out_v 变为 1，下面的调用用的却是 4。文中叫作 block_size 的是嵌入的维度，不是六个词。\n文中先在 softmax 之后遮住，结果与之前用 −∞ 相同。',
  'differs.002':
    '那篇文档只印了形状，没有数字。这里的大小与文中所印相同：批次 10、60 个词元、模型 512 维、8 个头各 64 维；输出为 (10, 60, 512)。那里 Q、K、V 来自三个随机张量；这里来自同一个，即 60 个词的嵌入，这样图才读得懂。这里的层按 PyTorch 自带的层抽取数字；那里不设种子地抽取四个线性层，并随机丢弃十分之一的权重。\n其中一行用 // 代替了 /，得分被向下取整，结果也随之改变。那里 K 和 V 取 Q 的长度；这里它们保持自己的长度，交叉注意力才能工作。\n被遮住的得分那里是 −1,000,000,000，这里是 −∞：什么也看不到的查询，在那里会平均看所有的键，在这里谁也不看。',
  'differs.003':
    '那篇文档有公式和一张三乘三的词表，但没有数字：这里的数字由种子得来，与 PyTorch 的层抽取的一样，未经训练。\n它按意义切分：中文三个词，英文三个词。这里词典把中文切成五个，空格把英文切成四个，所以图是长方形。输入“一套 自动驾驶 解决方案”并选择按空格分词，就是它的三个。\n它的表里源词在纵向、目标词在横向；这里查询（目标）在纵向。有多个头时，除数是一个头的维度的平方根，而不是整个键的。',
  'differs.004':
    '68 的权重在文中印为 0，其实是 0.000000056，估计值是 112.50000076：保留四位小数两者相同。\n文中核的宽度 σ 为 1。文中的模型表里点积模型也除以平方根，正文却没有，本页也不除。文中的加性得分没有 tanh：那样查询会在 softmax 中消去，所有查询得到同样的结果。这里有 tanh。',
  distributionText:
    '查询和键各有 d 个正态分布的随机数。得分的离散程度随 √d 增长：d 很大时，一个得分远高于其他，softmax 只挑一个键，几乎没有梯度传回得分。',
  distributionDeviation: '64 个查询与 64 个键的得分（种子 {seed}）标准差为 {deviation}；√d 是 {root}。',
  'distribution.plain': 'softmax(S)',
  'distribution.scaled': 'softmax(S / √d)',
  distributionWeights: '一个查询对八个键的权重',
  distributionMost: '最大',
  distributionGradient: '梯度',
  costLength: '长度 n（词数）',
  costCausal: '因果：看不到后面的词',
  costSizes:
    'H = {heads} 个头，d = {size}，D = H d = {width}。从 n = 4 d = {crossing} 起，权重（方块）的个数多于查询、键、值和输出（长条）。',
  costPicture: '一个头的权重画成 {n} 乘 {n} 的方块，图宽 {side} 个词；旁边按同一比例画出查询、键、值和输出',
  costQuantity: '数量',
  costFormula: '公式',
  costProjections: '投影的乘法次数',
  costMixing: '分数与混合的乘法次数',
  costEqual: '两者相等时的长度（无掩码）',
  costStored: '所有头的权重（若存储）',
  costFused: '融合内核：查询、键、值、输出',
  costDecode: '有 KV 缓存时再加一个词的乘法次数',
  costCache: 'KV 缓存：到目前为止的键和值',
  costText:
    '文本长度加倍，权重变为四倍：{n} 个词元在每个头里有 {pairs} 个权重。融合内核不存储它们就算出输出：{fused}，而不是 {stored}。',
  costMeasured: '在这台电脑上的用时',
  costMeasuredText: '页面在单线程上测量一个 64 维的头，显示三次运行的中位数。四秒之后不再开始新的长度。',
  costMeasure: '在这台电脑上测量',
  costChart: '各长度的毫秒数，对数坐标',
  costLegend: '深色：融合内核。灰色：存储所有权重。空心：由测过的最大长度估计。',
  costGrowth: '用时按 n 的 {growth} 次方增长。',
  costBoth: '{n} 个词：融合 {fused}，存储所有权重 {stored}。',
  shapeLetters: '轴',
  shapeSizes: '大小',
  shapeWork: '乘法次数',
  shapes: '张量形状',
  shapesText: '同样的计算，写成张量形状：B 批次，L 查询数，S 键数，D 模型维度，H 头数，d 每头维度。',
  batchText: '这一批有 {batch} 个序列：你的文本，每次移动一个词元。',
  batchPending: '设置不再变动时会整批计算。',
  batchRan: '已整批计算：输出的形状为 ({dims})。',
  batchLarge: '它太大，无法在此计算：这些形状由设置推出。',
  'shape.input': '输入',
  'shape.project': '投影',
  'shape.view': '拆分',
  'shape.transpose': '转置',
  'shape.scores': 'Q Kᵀ，softmax',
  'shape.mix': '乘 V',
  'shape.back': '转置回来',
  'shape.join': '合并',
  'shape.out': '投影',
  exportText: '程序打印出本页的数字：相同的种子、相同的随机流，以及所有手动设定的值。',
  'code.pytorch': 'PyTorch 程序（Python）',
  'code.qkv': 'qkv 程序（JavaScript）',
  'copy.link': '复制链接',
  'copy.pytorch': '复制为 PyTorch 代码',
  'copy.qkv': '复制为 qkv 代码',
  saveAll: '全部存为 JSON',
  importText:
    '把文件拖到页面任意处、选择文件，或粘贴 JSON：查询、键和值，或现成的权重。所有视图都可用，数据不会离开你的电脑。最多 {most} MB。',
  importShapes: '大小',
  importFormatJson:
    '{ "weights": …, "v": …, "tokens": […], "keyTokens": […] } 或 { "q": …, "k": …, "v": … }：嵌套列表，或 { "data": […], "dims": […] }。权重旁的 “v” 和所有词元都可省略。本页保存的文件也可以。',
  importFormatNpy:
    '单个文件视为权重；多个文件按名称区分：q.npy、k.npy、v.npy、weights.npy。16、32、64 位浮点数、整数和布尔值都转为 float32。',
  importFormatShapes:
    'weights（头，查询，键），q（头，查询，d），k（头，键，d），v（头，键，e）；只有一个头时省略第一轴。',
  importPaste: 'JSON',
  importPasted: '读取粘贴的内容',
  importExample: '试一个例子',
  importFiles: '选择文件',
}
