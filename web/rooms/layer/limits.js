// The limits of the room "One layer".

/** Maximum tokens of a sentence. */
export const MOST_TOKENS = 2048
export const MOST_HEADS = 16
/** Maximum characters of a sentence. */
export const MOST_CHARACTERS = 60_000
/** Maximum tokens for hand-built heads, whose matrices grow with the sentence. */
export const MOST_HAND_BUILT_TOKENS = 128
/** The shipped model: its folder, its sizes, and the maximum number of tokens. */
export const TRAINED = { name: 'english', layers: 4, heads: 4, most: 128 }
/** Maximum count of numbers in an embedding table that is drawn whole (128 MB). */
export const MOST_TABLE = 2 ** 25
