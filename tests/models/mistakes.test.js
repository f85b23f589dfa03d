// Common mistakes of users of TransformerLens and transformers, and the errors that show the way out.

import assert from 'node:assert/strict'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { corpus } from '../../src/entries/corpus.js'
import { load, tensor } from '../../src/entries/index.js'
import {
  ablate,
  backwardSync,
  edge,
  edges,
  fitLens,
  jacobianProducts,
  lensHooks,
  mergeLenses,
  patch,
  readLens,
  readout,
  saveLens,
} from '../../src/entries/interpret.js'
import { deleteKeptModel, inspectModel, loadModel, saveModel } from '../../src/entries/models.js'
import { optionOf, placeOf } from '../../src/models/other-names.js'
import { Tokenizer } from './tokenizer.js'

const qkv = await load()
const out = join(tmpdir(), 'qkv-mistakes')
const path = (/** @type {string} */ name) => fileURLToPath(new URL(`../goldens/models/${name}`, import.meta.url))
const open = (/** @type {string} */ name) => loadModel(qkv, path(name), { tokenizer: Tokenizer })
const [gpt2, t5, sentences, sst] = await Promise.all(
  ['gpt2-tiny', 't5-tiny', 'sentence-bert-tiny', 'distilbert-sst-tiny'].map(open),
)
/** Casts to any, for calls with wrong arguments. @type {(value: any) => any} */
const any = value => value

/** Names of places in other libraries, with qkv's names for them. */
const PLACES = {
  'blocks.0.hook_resid_pre': 'layers.0.input',
  'blocks.1.hook_resid_mid': 'layers.1.middle',
  'blocks.1.hook_resid_post': 'layers.1.output',
  'blocks.0.hook_in': 'layers.0.input',
  'blocks.0.hook_out': 'layers.0.output',
  'blocks.0.ln1.hook_normalized': 'layers.0.attention.input',
  'blocks.0.attn.hook_q': 'layers.0.attention.qBare',
  'blocks.0.attn.hook_k': 'layers.0.attention.kBare',
  'blocks.0.attn.hook_v': 'layers.0.attention.v',
  'blocks.0.attn.hook_rot_q': 'layers.0.attention.q',
  'blocks.0.attn.hook_attn_scores': 'layers.0.attention.scores',
  'blocks.2.attn.hook_pattern': 'layers.2.attention.weights',
  'blocks.2.attn.hook_z': 'layers.2.heads',
  'blocks.2.attn.hook_result': 'layers.2.heads',
  'blocks.2.hook_attn_out': 'layers.2.attention.output',
  'blocks.2.mlp.hook_post': 'layers.2.mlp.hidden',
  'blocks.2.hook_mlp_out': 'layers.2.mlp.output',
  hook_embed: 'embedding',
  hook_pos_embed: 'embedding',
  'ln_final.hook_normalized': 'norm',
  'transformer.h.0': 'layers.0.output',
  'transformer.h.0.attn': 'layers.0.attention.output',
  'transformer.h.0.mlp': 'layers.0.mlp.output',
  'transformer.h.0.mlp.act': 'layers.0.mlp.hidden',
  'model.layers.0.self_attn.q_proj': 'layers.0.attention.qBare',
  'model.layers.0.self_attn.o_proj': 'layers.0.attention.output',
  'model.layers.1.mlp.down_proj': 'layers.1.mlp.output',
  'bert.encoder.layer.1.attention.self.query': 'layers.1.attention.qBare',
  'electra.encoder.layer.1.attention.self.key': 'layers.1.attention.kBare',
  'bert.encoder.layer.1.attention.self': 'layers.1.heads',
  'bert.encoder.layer.1.attention.output.dense': 'layers.1.attention.output',
  'bert.encoder.layer.1.intermediate': 'layers.1.mlp.hidden',
  'bert.encoder.layer.1.output': 'layers.1.output',
  'distilbert.transformer.layer.0.attention.q_lin': 'layers.0.attention.qBare',
  'distilbert.transformer.layer.0.ffn': 'layers.0.mlp.output',
  'gpt_neox.layers.0.attention.dense': 'layers.0.attention.output',
  'gpt_neox.layers.0': 'layers.0.output',
  'model.language_model.layers.0': 'layers.0.output',
  embed: 'embedding',
  pos_embed: 'embedding',
  'transformer.wte': 'embedding',
  'model.embed_tokens': 'embedding',
  'bert.embeddings': 'embedding',
  'transformer.ln_f': 'norm',
  'model.norm': 'norm',
  lm_head: 'logits',
  unembed: 'logits',
  'bert.encoder.layer.1.output.dense': 'layers.1.mlp.output',
}

test('the error for a place of TransformerLens or a module of transformers names the place here, which exists', () => {
  for (const [name, place] of Object.entries(PLACES)) {
    assert.throws(
      () => gpt2.forwardSync({ ids: [1, 2] }, { hooks: any({ [name]: 0 }) }),
      new RegExp(`hooks: ".*" is no place in this model; here it is "${place.replaceAll('.', '\\.')}"\\.`),
    )
    gpt2.forwardSync({ ids: [1, 2] }, { hooks: any({ [place]: 1 }) })
  }
  for (const [name, place] of Object.entries({
    'encoder.0.hook_resid_pre': 'encoder.layers.0.input',
    'decoder.1.cross_attn.hook_pattern': 'decoder.layers.1.cross.weights',
    'decoder.1.cross_attn.hook_z': 'decoder.layers.1.cross.heads',
  })) {
    assert.equal(placeOf(name), place)
    t5.forwardSync({ ids: [1, 2] }, { hooks: any({ [place]: 1 }) })
  }
  assert.equal(placeOf('pattern'), 'layers.N.attention.weights')
  assert.equal(placeOf('resid_pre'), 'layers.N.input')
  assert.equal(placeOf('rot_q'), 'layers.N.attention.q')
  assert.equal(placeOf('post'), 'layers.N.mlp.hidden')
  for (const name of ['hook', 'blocks.0.hook_nothing', 'toString', 'layers.0.x']) assert.equal(placeOf(name), undefined)
  assert.throws(
    () => backwardSync(gpt2, { ids: [1, 2] }, { at: any(['blocks.0.hook_resid_pre']) }),
    /here it is "layers\.0\.input"/,
  )
})

/** Calls with an option of another library, and the expected error. @type {[string, (option: any) => unknown, RegExp][]} */
const OPTIONS = [
  ['output_attentions', option => gpt2.forwardSync('a', option), /no option ".*"; here it is keep: \['attentions'\]\./],
  ['outputAttentions', option => gpt2.forwardSync('a', option), /here it is keep: \['attentions'\]/],
  ['output_hidden_states', option => gpt2.forwardSync('a', option), /here it is keep: \['hiddenStates'\]/],
  ['past_key_values', option => gpt2.forwardSync('a', option), /here it is cache: model\.cache\(\)/],
  ['head_mask', option => gpt2.forwardSync('a', option), /here it is hooks: /],
  ['fwd_hooks', option => gpt2.forwardSync('a', option), /here it is hooks: /],
  ['names_filter', option => gpt2.forwardSync('a', option), /here it is keep: /],
  ['stop_at_layer', option => gpt2.forwardSync('a', option), /here it is until/],
  ['labels', option => gpt2.forwardSync('a', option), /here it is backward\(model, input, \{ of: 'loss', targets \}\)/],
  ['input_ids', option => gpt2.forwardSync(option), /input: there is no option ".*"; here it is ids/],
  ['inputs_embeds', option => gpt2.forwardSync(option), /here it is embeddings/],
  ['attention_mask', option => gpt2.forwardSync(option), /here it is attentionMask/],
  ['max_new_tokens', option => gpt2.generate('a', option).next(), /did you mean "maxNewTokens"/],
  ['top_k', option => gpt2.generate('a', option).next(), /did you mean "topK"/],
  ['do_sample', option => gpt2.generate('a', option).next(), /here it is temperature/],
  ['num_beams', option => gpt2.generate('a', option).next(), /numBeams/],
  ['eos_token_id', option => gpt2.generate('a', option).next(), /here it is stopIds/],
  ['streamer', option => gpt2.generate('a', option).next(), /here it is for await/],
  ['revision', option => loadModel(qkv, path('gpt2-tiny'), option), /here it is the name: 'hf:owner\/name@revision'/],
  ['torch_dtype', option => loadModel(qkv, path('gpt2-tiny'), option), /here it is dtype: /],
  ['device', option => loadModel(qkv, path('gpt2-tiny'), option), /everything runs in WebAssembly/],
  ['progress_callback', option => loadModel(qkv, path('gpt2-tiny'), option), /here it is onProgress/],
  [
    'stop_strings',
    option => gpt2.generate('a', option).next(),
    /here it is stop: \['\\n'\], before which the text ends/,
  ],
  ['stream', option => gpt2.generate('a', option).next(), /here it is for await/],
  ['on_token', option => gpt2.generate('a', option).next(), /here it is for await/],
  ['onToken', option => gpt2.generate('a', option).next(), /here it is for await/],
  ['frequencyPenalty', option => gpt2.generate('a', option).next(), /here it is repetitionPenalty, or logits/],
  [
    'batch_size',
    option => sentences.embed('a', option),
    /there is no option "batch_size"; there is no need: texts share/,
  ],
  ['convert_to_tensor', option => sentences.embed('a', option), /there is no need: results are tensors/],
  ['show_progress_bar', option => sentences.embed('a', option), /here it is onProgress/],
  ['normalize_embeddings', option => sentences.embed('a', option), /here it is normalize\./],
  ['promptName', option => sentences.embed('a', option), /here it is prompt: 'query'/],
  [
    'heads',
    option => ablate(gpt2, 'a', { of: 'loss', ...option }),
    /here it is what: 'heads', all of them; one is switched/,
  ],
  ['metric', option => ablate(gpt2, 'a', { of: 'loss', ...option }), /here it is of\./],
  ['return_all_scores', option => sst.classify('a', option), /here it is scores, of the result/],
  ['return_documents', option => gpt2.rank('a', ['b'], option), /here it is index, of each result/],
  ['text_pair', option => gpt2.forward(option), /here it is a list of pairs/],
  ['cache_dir', option => inspectModel(path('gpt2-tiny'), option), /here it is the variable HF_HUB_CACHE/],
]
for (const [name, call, message] of OPTIONS)
  test(`the option ${name} of another library leads to ours`, async () => {
    await assert.rejects(async () => call({ [name]: 1 }), { name: 'TypeError', message })
  })

test('keep with a name of another library leads to ours; a far name is not suggested', () => {
  assert.throws(() => gpt2.forwardSync('a', { keep: any(['output_attentions']) }), /here it is keep: \['attentions'\]/)
  assert.throws(() => gpt2.forwardSync('a', any({ zzzzzz: 1 })), /no option "zzzzzz"\. Known: /)
  assert.throws(
    () => gpt2.forwardSync('a', { hooks: any({ zzzzzz: 0 }) }),
    /"zzzzzz" is no place in this model\. Places/,
  )
  assert.equal(optionOf('toString'), undefined)
})

/** @type {[string, () => unknown, RegExp][]} */
const MISTAKES = [
  [
    'ablate without options',
    () => ablate(gpt2, 'a', any(undefined)),
    /ablate: the options: expected ablate\(model, text, \{ of \}\), got undefined/,
  ],
  [
    'ablate without of',
    () => ablate(gpt2, 'a', any({})),
    /ablate: of: expected .*got undefined; .* 'loss', \{ logits: /,
  ],
  ['patch with a text', () => patch(gpt2, any('a')), /expected patch\(model, \{ clean, corrupted, of \}\)/],
  [
    'forward before the model is there',
    () => any(open('gpt2-tiny')).forward('a'),
    /forward: expected .*got a Promise; .*const model = await loadModel\(qkv, source\)/,
  ],
  [
    'a call before the core is there',
    () => any(load()).linear([[1]], [[1]]),
    /linear: expected .*got a Promise; .*const qkv = await load\(\)/,
  ],
  [
    'loadModel with a promise of a core',
    () => loadModel(any(load()), path('gpt2-tiny')),
    /expected a loaded core, got a Promise; .*loadModel\(await load\(\), source\)/,
  ],
  [
    'ablate with a promise of a model',
    () => ablate(any(open('gpt2-tiny')), 'a', { of: 'loss' }),
    /expected .*got a Promise; .*await loadModel/,
  ],
  [
    'logits that an encoder does not have',
    () => sentences.forwardSync('a', { logits: 'all' }),
    /logits: this bert checkpoint has no head: it gives hidden states, but no logits/,
  ],
  [
    'a hook at logits that there are none of',
    () => sentences.forwardSync('a', { hooks: { logits: 0 } }),
    /this bert checkpoint has no head/,
  ],
  ['several texts to forward', () => gpt2.forwardSync(any(['a', 'b'])), /for several texts, model\.padded\(texts\)/],
  ['several texts to tokenize', () => gpt2.tokenize(any(['a', 'b'])), /for several texts, call model\.padded\(texts\)/],
  ['an element of ids', () => gpt2.forwardSync({ ids: any([1, 'a']) }), /ids: value 1: expected numbers.*got "a"/],
  ['an element of keep', () => gpt2.forwardSync('a', { keep: any(['attentions', 3]) }), /keep\[1\]: .*got 3/],
  ['an element of padded', () => gpt2.padded(any(['a', 3])), /padded: texts\[1\]: .*got 3/],
  ['an element of prompts', () => gpt2.generate(any(['a', 3])).next(), /generate: expected a text or ids, got 3/],
  ['an element of texts of ablate', () => ablate(gpt2, any(['a b', 3]), { of: 'loss' }), /ablate: texts\[1\]: .*got 3/],
  [
    'an element of texts of logitAttribution',
    () => gpt2.logitAttribution(any(['a', 3])),
    /logitAttribution: texts\[1\]: .*got 3/,
  ],
  ['an element of texts of embed', () => sentences.embed(any(['a', 3])), /embed: texts\[1\]: .*got 3/],
  [
    'hooks in a list',
    () => gpt2.forwardSync('a', any({ hooks: [['layers.0.heads', 0]] })),
    /such as \{ 'layers\.0\.heads\.1': 0 \}/,
  ],
  [
    'a hook that is asynchronous',
    () => gpt2.forwardSync('a', { hooks: any({ 'layers.0.output': async (/** @type {unknown} */ x) => x }) }),
    /hooks: "layers\.0\.output": expected a function that returns at once, got a Promise/,
  ],
  ['decode of a text', () => gpt2.decode(any('abc')), /decode: expected a list of ids, as of tokenize, got "abc"/],
  [
    'logitLens of a text',
    () => gpt2.logitLens(any('abc')),
    /expected one of the hiddenStates that forward keeps, got "abc"/,
  ],
  [
    'generate with a callback',
    () =>
      gpt2
        .generate(
          'a',
          any(() => {}),
        )
        .next(),
    /got a function: tokens come in the loop for await/,
  ],
  [
    'rank without a cross-encoder',
    () => sentences.rank('a', ['b']),
    /ranked by qkv\.linear\(await model\.embed\(query/,
  ],
  [
    'similarity of embeddings',
    () => sentences.similarity(any(qkv.alloc([1, 2])), 'a'),
    /cosines of many are qkv\.linear\(a, b\)/,
  ],
  [
    'logits of an objective that are no list',
    () => ablate(gpt2, 'a b', { of: any({ logits: { position: -1, token: 3 } }) }),
    /of: logits: expected a list such as \[\{/,
  ],
  [
    'an objective without logits',
    () => ablate(gpt2, 'a b', { of: any({ token: 3 }) }),
    /expected 'loss', \{ logits: \[\{ position: -1, token: 5/,
  ],
  [
    'an objective that returns nothing',
    () => ablate(gpt2, 'a b', { of: any(() => {}) }),
    /returns a number, a gradient or .* it returned undefined/,
  ],
  [
    'an objective that is asynchronous',
    () => ablate(gpt2, 'a b', { of: any(async () => 1) }),
    /but it returned a Promise/,
  ],
  [
    'what in the words of TransformerLens',
    () => ablate(gpt2, 'a b', { of: 'loss', what: any('attn_out') }),
    /what: "attn_out" is "attention output" here/,
  ],
  [
    'saveModel with a path',
    () => any(saveModel)(gpt2, 'out'),
    /got also "out": it writes nothing, but returns the bytes/,
  ],
  [
    'a text in place of a list of texts',
    () => corpus('The cat sat.', { model: 'qkv/stories', what: { losses: true }, out }),
    /texts themselves are given as a list/,
  ],
  [
    'a function that no worker can import',
    () => corpus(['a'], { model: 'qkv/stories', what: { functions: any([() => 1]) }, out }),
    /got a function: workers import it, so export it/,
  ],
  [
    'sizes that are no list',
    () => any(tensor)([1, 2, 3, 4], 2, 2),
    /tensor: dims: expected an array of sizes, such as \[6, 3\], got 2/,
  ],
  [
    'a folder that is not a checkpoint',
    () => loadModel(qkv, path('sentence-bert-tiny/1_Pooling')),
    /config\.json: it has no model_type; expected the config\.json of a checkpoint/,
  ],
  [
    'a second text in place of the options of tokenize',
    () => gpt2.tokenize('a', any('b')),
    /tokenize: expected a text and options; a pair is one input by \{ pair \}, several texts by model\.padded\(texts\)/,
  ],
  [
    'a place for a pair before the options of tokenize',
    () => any(gpt2).tokenize('a', undefined, { maxLength: 3 }),
    /tokenize: expected a text and options; a pair is one input by \{ pair \}/,
  ],
  [
    'entities of a list',
    () => gpt2.entities(any(['a', 'b'])),
    /entities: expected one text, got an array of 2: for several, call it for each/,
  ],
  [
    'an element of the texts of rank',
    () => gpt2.rank('a', any(['b', { text: 'c' }])),
    /rank: texts\[1\]: expected a text, got an object with text/,
  ],
  [
    'edges without options',
    () => edges(gpt2, 'a b', any(undefined)),
    /edges: expected an object of options, got undefined\. Known: of, /,
  ],
  [
    'generated tokens that fill the positions',
    async () => {
      for await (const _ of gpt2.generate(Array(63).fill(1), { maxNewTokens: 9, stopIds: [] }));
    },
    /give a shorter text, or generate fewer tokens/,
  ],
  [
    'sizes of random numbers that are no list',
    () => any(qkv.generator(1)).randn(3, 4),
    /randn: dims: expected an array of sizes, such as \[6, 3\], got 3/,
  ],
  [
    'a message without a role',
    () => gpt2.generate(any([{ content: 'a' }])).next(),
    /generate: expected messages \{ role, content \}, got an object with content as the first/,
  ],
  [
    'an empty stop text',
    () => gpt2.generate('a', { stop: ['b', ''] }).next(),
    /stop\[1\]: expected a text, got an empty one/,
  ],
  ['ids as stop texts', () => gpt2.generate('a', { stop: any([5]) }).next(), /stop\[0\]: expected a text, got 5/],
  [
    'a chat template that cannot be parsed',
    () => gpt2.applyChatTemplate([{ role: 'user', content: 'a' }], { template: '{% for %}' }),
    /applyChatTemplate: the chat template cannot be read: /,
  ],
  [
    'documents that are no list',
    () => gpt2.applyChatTemplate([{ role: 'user', content: 'a' }], { template: '{{ 1 }}', documents: any('a') }),
    /documents: expected a list of objects, got "a"/,
  ],
  ['no texts to embed', () => sentences.embed([]), /embed: expected a text or a list of at least one text/],
  ['no texts to pad', () => gpt2.padded([]), /padded: expected a list of at least one text/],
  ['a pair as an option of padded', () => gpt2.padded(['a'], any({ pair: 'b' })), /padded: there is no option "pair"/],
  [
    'tensors without a config',
    () => saveModel(any({ weight: [1] })),
    /saveModel: expected a model or \{ config, tensors \}, got an/,
  ],
  ['an id that is not in a list', () => gpt2.decode(any(12)), /decode: expected a list of ids, as of tokenize, got 12/],
  [
    'a core before the source of inspectModel',
    () => any(inspectModel)(qkv, path('gpt2-tiny')),
    /inspectModel: expected a source first: inspectModel\(source\), without the core/,
  ],
  [
    'a folder to delete',
    () => deleteKeptModel('gpt2'),
    /deleteKeptModel: expected the name of a model on the hub, hf:owner/,
  ],
  [
    'a metric in place of of',
    () => patch(gpt2, any({ clean: 'a', corrupted: 'b', metric: () => 1 })),
    /patch: there is no option "metric"; here it is of\./,
  ],
  [
    'an axis in place of dim',
    () => qkv.softmax([1, 2], any({ axis: 0 })),
    /there is no option "axis"; here it is dim\./,
  ],
  [
    'a callback of progress for forward',
    () => gpt2.forwardSync('a', any({ onProgress() {} })),
    /there is no option "onProgress".*; here it is onLayer of forward/,
  ],
  ['an element of stopIds', () => gpt2.generate('a', { stopIds: any([1, 'a']) }).next(), /stopIds\[1\]: .*got "a"/],
]
for (const [title, call, message] of MISTAKES)
  test(`${title} is an error that names the way out`, async () => {
    await assert.rejects(async () => call(), { message })
  })

/** Wrong names of places in a T5, without the stack or from other libraries, and the names that the error offers for each. */
const STACKS = {
  'layers.0.heads.1': '"decoder.layers.0.heads.1" or "encoder.layers.0.heads.1"',
  'layers.0.cross.heads.0': '"decoder.layers.0.cross.heads.0"',
  'blocks.0.attn.hook_z': '"decoder.layers.0.heads" or "encoder.layers.0.heads"',
  'model.decoder.layers.1.encoder_attn': '"decoder.layers.1.cross.output"',
  'model.decoder.layers.1.encoder_attn.k_proj': '"decoder.layers.1.cross.k"',
  'decoder.block.1.layer.1.EncDecAttention.q': '"decoder.layers.1.cross.q"',
  'decoder.block.1.layer.2.DenseReluDense': '"decoder.layers.1.mlp.output"',
  'encoder.block.0.layer.0.SelfAttention.o': '"encoder.layers.0.attention.output"',
  'model.encoder.layers.1.self_attn': '"encoder.layers.1.attention.output"',
  embedding: '"decoder.embedding" or "encoder.embedding"',
}
test('a place without its stack leads to those with it, and the other way round', () => {
  for (const [name, places] of Object.entries(STACKS)) {
    const all = [...places.matchAll(/"(.*?)"/g)].map(([, place]) => place)
    for (const place of all) t5.forwardSync({ ids: [1, 2] }, { hooks: any({ [place]: 1 }) })
    assert.throws(
      () => t5.forwardSync({ ids: [1, 2] }, { hooks: any({ [name]: 0 }) }),
      ({ message }) => message.includes(`; here it is ${places}. Places`),
    )
  }
  assert.throws(
    () => gpt2.forwardSync('a', { hooks: any({ 'decoder.layers.0.heads.1': 0 }) }),
    /here it is "layers\.0\.heads\.1"/,
  )
  assert.throws(() => gpt2.forwardSync('a', { hooks: any({ 'layers.0.middle.3': 0 }) }), /mean "layers\.0\.middle"\?/)
})

const lens = await fitLens(gpt2, ['a b c d'], { first: 0 })
const pt = join(tmpdir(), `qkv-mistakes-${process.pid}.pt`)
after(() => rm(pt, { force: true }))
await writeFile(pt, saveLens(lens))

const of = { logits: [{ position: -1, token: 3 }] }
/** Mistakes with lenses, objectives and prompts. @type {[string, () => unknown, RegExp][]} */
const LENSES = [
  [
    'a promise of a lens',
    () => readout(gpt2, any(fitLens(gpt2, ['a b c'], { first: 0 })), 'a'),
    /got a Promise; await it/,
  ],
  [
    'the path of a lens',
    () => readout(gpt2, any('lens.pt'), 'a'),
    /got "lens\.pt"; a file .* await readLens\(source\)/,
  ],
  [
    'the bytes of a lens',
    () => readout(gpt2, any(saveLens(lens)), 'a'),
    /a file becomes one by await readLens\(source\)/,
  ],
  ['a name of no lens', () => readout(gpt2, any('jacobian'), 'a'), /expected 'logit' or a lens of fitLens/],
  ['several texts', () => readout(gpt2, lens, any(['a', 'b'])), /expected one text or an input .* got an array of 2$/],
  ['bare ids', () => readout(gpt2, lens, any([1, 2])), /got an array of 2; ids are \{ ids \}/],
  [
    'a fit of the logit lens',
    () => fitLens(gpt2, ['a'], any({ kind: 'logit' })),
    /needs no fit: readout\(model, 'logit'/,
  ],
  ['a fit on one text', () => fitLens(gpt2, any('a b')), /texts: .*; a single text is \["a b"\]/],
  ['a fit on a set', () => fitLens(gpt2, any(new Set(['a b']))), /got a Set; give \[\.\.\.texts\]/],
  [
    'a fit on a stream',
    () => fitLens(gpt2, any((async function* () {})())),
    /collect them first: for await \(const text of texts\)/,
  ],
  ['a fit on results of tokenize', () => fitLens(gpt2, any([gpt2.tokenize('a b')])), /texts\[0\]: .*; give its ids/],
  ['skip_first_positions', () => fitLens(gpt2, ['a'], any({ skip_first_positions: 2 })), /here it is first\./],
  ['maxSeqLen', () => fitLens(gpt2, ['a'], any({ maxSeqLen: 2 })), /here it is maxLength\./],
  ['lr', () => fitLens(gpt2, ['a'], any({ lr: 2 })), /rate of fitLens/],
  ['epochs', () => fitLens(gpt2, ['a'], any({ epochs: 2 })), /here it is passes\./],
  ['use_jacobian', () => readout(gpt2, lens, 'a', any({ use_jacobian: false })), /here it is the lens: .*'logit'/],
  ['return_full_logits', () => readout(gpt2, lens, 'a', any({ return_full_logits: true })), /here it is logits: true/],
  ['alpha', () => lensHooks(gpt2, lens, any({ layers: [0], steer: { token: 1, alpha: 2 } })), /strength, of steer/],
  ['a path to save to', () => saveLens(lens, any('x.pt')), /it returns the bytes of a file, which node:fs writes/],
  ['fp16', () => saveLens(lens, any({ dtype: 'fp16' })), /here it is "float16"/],
  ['vjp', () => jacobianProducts(gpt2, 'a b', any({ mode: 'vjp' })), /here it is "reverse"/],
  ['a lens in place of several', () => mergeLenses(any(lens)), /expected a list of lenses, got a Lens/],
  ['hooks that were not awaited', () => gpt2.forwardSync('a', { hooks: any(Promise.resolve({})) }), /got a Promise/],
  ['a function as hooks', () => gpt2.forwardSync('a', { hooks: any(() => 0) }), /got a function/],
  ['a text as ids', () => gpt2.forwardSync({ ids: any('a') }), /a text becomes ids by model\.tokenize\(text\)\.ids/],
  [
    'the result of tokenize as a prompt',
    () => gpt2.generate(any(gpt2.tokenize('a'))).next(),
    /got an object.*; give its ids/,
  ],
  ['input_ids as a prompt', () => gpt2.generate(any({ input_ids: [1] })).next(), /give its input_ids/],
  ['a promise as a tensor', () => qkv.softmax(any(Promise.resolve([1]))), /got a Promise; await it/],
  [
    'a value in a list as a metric',
    () => patch(gpt2, { clean: 'a b', corrupted: 'a c', of: any((/** @type {any} */ z) => [z.at(0, -1, 3)]) }),
    /expected a gradient with the dims of the logits, .*; a value is a number, such as x\.data\[0\]/,
  ],
  [
    'a result as a text',
    () => patch(gpt2, { clean: any(gpt2.forwardSync('a b')), corrupted: 'a c', of: 'loss' }),
    /got a result of forward; give its input/,
  ],
  [
    'a promise as a text',
    () => patch(gpt2, { clean: any(gpt2.forward('a b')), corrupted: 'a c', of: 'loss' }),
    /got a Promise; await it/,
  ],
  [
    'a logit without a position',
    () => ablate(gpt2, 'a b', { of: any({ logits: [{ token: 3 }] }) }),
    /such as -1 for the last/,
  ],
  ['pos', () => ablate(gpt2, 'a b', { of: any({ logits: [{ pos: -1, token: 3 }] }) }), /here it is position\./],
  ['wrt', () => backwardSync(gpt2, 'a b', any({ wrt: ['embedding'] })), /here it is at\./],
  [
    'attribution patching',
    () => patch(gpt2, any({ clean: 'a', corrupted: 'b', of: 'loss', method: 'attribution' })),
    /here it is "gradient"/,
  ],
  [
    'an edge backwards',
    () => edge(gpt2, 'a b', { of, from: { kind: 'head', layer: 1, head: 1 }, to: { kind: 'q', layer: 0, head: 0 } }),
    /edge: head 1\.1 does not write before q 0\.0 reads/,
  ],
  [
    'modules in all layers',
    () => gpt2.forwardSync('a', { keep: any(['layers.*.attn']) }),
    /here it is "layers\.\*\.attention\.output"/,
  ],
  [
    'a short name of the cache',
    () => gpt2.forwardSync('a', { keep: any(['pattern']) }),
    /here it is "layers\.N\.attention\.weights"/,
  ],
  ['beam_size', () => gpt2.generate('a', any({ beam_size: 2 })).next(), /here it is numBeams/],
  [
    'num_beam_groups',
    () => gpt2.generate('a', any({ num_beam_groups: 2 })).next(),
    /there is one group of beams: numBeams/,
  ],
  ['forcedBosTokenId', () => t5.generate('a', any({ forcedBosTokenId: 2 })).next(), /here it is firstToken/],
  ['n_ctx', () => loadModel(qkv, path('gpt2-tiny'), any({ n_ctx: 512 })), /there is no need: a cache grows/],
  ['gpuLayers', () => loadModel(qkv, path('gpt2-tiny'), any({ gpuLayers: 9 })), /there is no need: everything runs/],
  [
    'Q4_K_M as a dtype',
    () => loadModel(qkv, path('gpt2-tiny'), any({ dtype: 'Q4_K_M' })),
    /blocks of a GGUF file are kept without dtype/,
  ],
  ['temp', () => gpt2.generate('a', any({ temp: 1 })).next(), /here it is temperature/],
  ['n_predict', () => gpt2.generate('a', any({ n_predict: 1 })).next(), /here it is maxNewTokens/],
  ['tgt_lang', () => t5.generate('a', any({ tgt_lang: 'x' })).next(), /here it is firstToken/],
  [
    'firstToken of a decoder',
    () => gpt2.generate('a', { firstToken: 2 }).next(),
    /expected an encoder-decoder; a gpt2/,
  ],
  ['threads', () => loadModel(qkv, path('gpt2-tiny'), any({ threads: 2 })), /here it is load\(\{ threads \}\)/],
  [
    'decoder_attentions',
    () => t5.forwardSync({ ids: [1] }, { keep: any(['decoder_attentions']) }),
    /here it is keep: \['attentions'\]/,
  ],
]
for (const [title, call, message] of LENSES)
  test(`${title}: the error names the way out`, async () => {
    await assert.rejects(async () => call(), { message })
  })

/** Sources that are not a lens, and the error of readLens for each. @type {[string, string, string, RegExp][]} */
const NO_LENSES = [
  ['a path that is not there', '/nowhere/lens.pt', 'NOT_FOUND', /^readLens: there is no file "\/nowhere\/lens\.pt"$/],
  ['a name of the hub', 'owner/name/lens.pt', 'NOT_FOUND', /on the Hugging Face hub is named hf:owner\/name\//],
  ['a folder', path('gpt2-tiny'), 'IS_A_FOLDER', /^readLens: ".*" is a folder: expected the path of a file/],
]
for (const [title, source, code, message] of NO_LENSES)
  test(`readLens of ${title} is an error with a code`, async () => {
    await assert.rejects(readLens(source), { code, message })
  })

test('a lens that lacks its dict is told what the file holds', async () => {
  const bytes = Buffer.from(await readFile(pt))
    .toString('latin1')
    .replace('\u0001\0\0\0J', '\u0001\0\0\0K')
  await assert.rejects(readLens(Buffer.from(bytes, 'latin1')), /got a dict with K, n_prompts, source_layers, d_model/)
})

test('embed without a tokenizer names the tokenizer, not modules.json', async () => {
  const model = await loadModel(qkv, path('sentence-bert-tiny'), { tokenizer: false })
  await assert.rejects(model.embed('a'), /loaded without a tokenizer/)
  model.dispose()
})

test('a text that is several tokens is shown with those that are unknown', async () => {
  const model = await loadModel(qkv, fileURLToPath(new URL('../../web/trained/stories', import.meta.url)))
  const of = { logits: [{ position: 1, token: ' elephant tom' }] }
  await assert.rejects(ablate(model, 'Lily has a dog.', { of }), /which is 2 tokens \("[^"]+", "[^"]+"\)/)
  await assert.rejects(
    ablate(gpt2, 'a b', { of: { logits: [{ position: 1, token: 'the' }] } }),
    /got "the", which is 2 tokens \("t", "he"\); did you mean " the"\?/,
  )
  model.dispose()
})
