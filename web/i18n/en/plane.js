// The texts of queries and keys as arrows, a picture of a head.

export const texts = {
  planeHint:
    'Each key is an arrow, as wide as its weight; the query is the arrow of another colour, other queries are dots. A query gives most to keys that are long and point its way.',
  planeSaid:
    'Query “{query}” (length {a}) and key “{key}” (length {b}) are {degrees}° apart: {a} × {b} × cos {degrees}° = {product}. In this plane, the score is that far above the mean of its row; in all dimensions it is {own}. The plane holds {kept} of such differences.',
  planeHidden: 'hidden',
  planeQueries: 'Query',
  planeKeys: 'Key',
  planeNone:
    'Arrows need scores that are products of queries and keys, and at most 128 words. The map shows the weights.',
}
