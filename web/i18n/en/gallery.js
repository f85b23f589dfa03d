// The texts of the gallery of the room "Models": the list of models, the question before a download, what to look for.

export const texts = {
  galleryLabel: 'Models',
  'galleryGroup.typed': 'What you typed',
  'galleryGroup.nearest': 'The nearest names',
  'galleryGroup.here': 'On this page',
  'galleryGroup.kept': 'Kept in this browser',
  'galleryGroup.first': 'First steps',
  'galleryGroup.language': 'Language models',
  'galleryGroup.encoder': 'Encoders: they read in both directions',
  'galleryGroup.translation': 'Translation',
  'galleryHere.english': 'A language model that reads any English sentence, and knows simple stories best.',
  'galleryHere.stories': 'A language model of 114 words. One of its heads finds who “he” is.',
  'galleryHere.ledger': 'A language model that reads up to 4,096 words, and has heads that look far back.',
  'galleryHere.translation': 'English to Chinese. Its cross-attention shows how the words align.',
  galleryOnHub: 'Ask huggingface.co for it: its size is said before anything is downloaded.',
  galleryAddress: 'A folder of this site',
  galleryNote: '{id}. Download {download}, memory {memory}, licence: {license}. {what}',
  galleryNoLicense: 'none stated',
  galleryNone: 'No model of the list has these words. A name on the hub looks like owner/name.',
  galleryOwn:
    'A model of your own: drop its folder or GGUF file on the page, or choose it with “Other models”. In Python, transformers saves a folder with',
  galleryPrivacy:
    'The hub, huggingface.co, learns the name of the model and your internet address. It does not learn your text: that stays on this computer.',
  galleryKept: 'Models that are kept in this browser',
  galleryKeptSum: 'Kept in this browser: {count}, together {size}',
  galleryDelete: 'Delete',
  galleryDrop: 'Delete {name} from this browser',
  galleryLink:
    'This link opens {name} from huggingface.co, a download of {size}, unless this browser keeps it already. Nothing was fetched yet.',
  galleryLinkUnknown: 'This link opens {name} from huggingface.co. Nothing was fetched yet.',
  galleryOpenLink: 'Open {name}',
  galleryLooking: 'Asking huggingface.co for the size of {name}.',
  galleryTerms: 'Accept the terms of {name} on huggingface.co',
  galleryToken: 'Access token of your account',
  galleryTokenNote:
    'The token is sent to huggingface.co alone. The page forgets it when it is closed; no link holds it.',
  galleryAgain: 'Ask again',
  galleryFacts: '{type}, {parameters} parameters, licence: {license}.',
  galleryDownload: 'Download: {size}, once. This browser keeps it.',
  galleryTime:
    'Time: a text of 32 tokens takes at least about {seconds} s on this computer, estimated from a product that was timed just now.',
  galleryTimeShort:
    'Time: a text of 32 tokens takes about a second or less on this computer, estimated from a product that was timed just now.',
  galleryMemory: 'Memory of the weights',
  'galleryDtype.stored': 'as stored',
  'galleryDtype.float16': 'float16',
  'galleryDtype.int8': 'int8',
  galleryOver: '{by} too large for this computer',
  galleryLarge:
    'int8 is chosen here because this model is large: as float16 it would take more than the {most} that there is room for.',
  galleryUsual:
    'float16 is chosen where it fits. In three trained models it changed no score of a head by more than 0.0002, and in 1 of 3,709 rows another key had the largest weight. Otherwise int8 is chosen: a new token takes about 0.4 of the time of float32, a text 0.6. It changed scores by up to 0.0074, and the largest key in 40 rows.',
  galleryTooLarge: '{name} needs at least {least} of memory. There is room for {most}: that is {by} too little.',
  galleryFitting: 'These models fit:',
  galleryAgree: 'Download {size} and open',
  galleryLook: 'What to look for in {title}',
  galleryLookHeads: 'What to look for in {title}: heads that a paper names ({count}), and their ranks here',
  galleryRead: 'Read: {text}',
  galleryCountsFrom0:
    'The paper and hooks in programs count layers and heads from 0, this page from 1: head 5.12 here is 4.11 there.',
  galleryCountsFrom1: 'The paper counts layers and heads from 1, as this page does. Hooks in programs count from 0.',
  'galleryKind.previous': 'looks at the token before',
  'galleryKind.duplicate': 'looks at the same token before',
  'galleryKind.induction': 'looks at what followed the same token before',
  'galleryKind.inhibition': 'stops the copying heads from attending to the name that occurs twice',
  'galleryKind.mover': 'copies the name that occurs once',
  'galleryKind.negative': 'makes the copied name less likely',
  'galleryKind.object': 'looks from a direct object at its verb',
  'galleryKind.noun': 'looks from a noun’s modifier, such as “the”, at the noun',
  'galleryKind.possessive': 'looks from a possessive, such as “its”, at its noun',
  'galleryKind.passive': 'looks from a passive “was” at its verb',
  'galleryKind.preposition': 'looks from a preposition at its object',
  'galleryKind.coreference': 'looks from a word back at what it stands for',
  'galleryRank.previous': 'rank {rank} of {of} by previous token ({value})',
  'galleryRank.duplicate': 'rank {rank} of {of} by same token ({value})',
  'galleryRank.induction': 'rank {rank} of {of} by induction ({value})',
  'galleryRank.adds': 'rank {rank} of {of} by what it adds to the first guess ({value})',
  'galleryRank.takes': 'rank {rank} of {of} by what it takes from the first guess ({value})',
  'galleryWhat.stories':
    'It writes stories in words that small children know. No paper names its heads: rank them here, and see which ones look back at “Lily”.',
  'galleryWhat.twoLayers': 'It writes stories with only two layers: all of its heads fit on one screen.',
  'galleryWhat.ids':
    'The smallest one. This copy has no tokenizer, so its tokens are shown as numbers: those of GPT-2’s vocabulary.',
  'galleryWhat.ioi':
    'To whom did John give a drink? The authors found a circuit of heads that answers such sentences; these are the best known.',
  'galleryWhat.repeated':
    'A text that repeats itself: rank the heads by induction, and switch the first ones off. No paper was found that names its heads.',
  'galleryWhat.sinks':
    'Much attention goes to the first tokens, whatever they mean: “attention sinks”. Rank the heads by first token.',
  'galleryWhat.groups':
    'Several query heads share one key head, as its config says: compare the heads of a group. Rank them by first token and by induction.',
  'galleryWhat.windows':
    'Most of its layers see only the last tokens (a window), as its config says. Its terms must be accepted on the hub first.',
  'galleryWhat.grammar': 'It guesses a masked word. Some heads follow grammar: its authors tell which.',
  'galleryWhat.sentiment': 'Trained to tell good reviews from bad ones: where do the heads look from “not”?',
  'galleryWhat.names': 'Trained to mark names of people, places and companies: where do the heads look from a name?',
  'galleryWhat.sentences': 'Trained to give similar vectors to sentences of the same meaning: where do its heads look?',
  'galleryWhat.translation':
    'An encoder-decoder. The text begins with the task. Cross-attention shows which word it reads while it writes.',
  'galleryWhat.chinese':
    'An encoder-decoder. The text begins with the language that it is to write. Cross-attention shows which English word it reads for each Chinese one.',
  galleryCard: 'model card',
  galleryNoRank: 'This page has no score for it.',
}
