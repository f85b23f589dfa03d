// 把查询和键画成箭头的图，文字。

/** @type {typeof import('../en/plane.js').texts} */
export const texts = {
  planeHint:
    '每个键是一支箭头，权重越大越粗；查询是另一种颜色的箭头，其他查询是点。查询把最多的注意力给又长又与它同向的键。',
  planeSaid:
    '查询“{query}”（长 {a}）与键“{key}”（长 {b}）相差 {degrees}°：{a} × {b} × cos {degrees}° = {product}。在这个平面里，它们的得分比所在行的平均高这么多；全部维度里是 {own}。平面保留了这些差的平方和的 {kept}。',
  planeHidden: '被遮住',
  planeQueries: '查询',
  planeKeys: '键',
  planeNone: '箭头需要由查询和键相乘得到的得分，并且最多 128 个词。热图显示权重。',
}
