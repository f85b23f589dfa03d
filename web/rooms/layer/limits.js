// How much One layer takes.

/** Tokens of a sentence. */
export const MOST_TOKENS = 2048
export const MOST_HEADS = 16
/** Characters of a sentence. */
export const MOST_CHARACTERS = 60_000
/** Tokens for heads built by hand: their matrices are as large as the sentence is long. */
export const MOST_HAND_BUILT_TOKENS = 128
/** The model that ships with the page: its folder, its sizes, the most tokens that it reads. */
export const TRAINED = { name: 'english', layers: 4, heads: 4, most: 128 }
/** Numbers of an embedding table that is drawn whole: 128 MB. */
export const MOST_TABLE = 2 ** 25
