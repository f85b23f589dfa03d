// Writes the program that reproduces the page with PyTorch and Hugging Face transformers. No DOM.

import { groups } from '../run/hooks.js'
import { changesOf } from './node.js'

/** @import { Change, Stack } from '../../../attention-head/head.js' */
/** @typedef {Partial<Record<Stack, readonly [layer: string, projection: string]>>} Paths */

/** Module paths in transformers: of the layer, and of the attention's output projection within the layer. @type {Record<string, Paths>} */
const PATHS = {
  gpt2: { '': ['transformer.h.{}', 'attn.c_proj'] },
  gpt_neox: { '': ['gpt_neox.layers.{}', 'attention.dense'] },
  phi: { '': ['model.layers.{}', 'self_attn.dense'] },
  bert: { '': ['bert.encoder.layer.{}', 'attention.output.dense'] },
  roberta: { '': ['roberta.encoder.layer.{}', 'attention.output.dense'] },
  distilbert: { '': ['distilbert.transformer.layer.{}', 'attention.out_lin'] },
  t5: {
    encoder: ['encoder.block.{}', 'layer.0.SelfAttention.o'],
    decoder: ['decoder.block.{}', 'layer.0.SelfAttention.o'],
    cross: ['decoder.block.{}', 'layer.1.EncDecAttention.o'],
  },
  marian: {
    encoder: ['model.encoder.layers.{}', 'self_attn.out_proj'],
    decoder: ['model.decoder.layers.{}', 'self_attn.out_proj'],
    cross: ['model.decoder.layers.{}', 'encoder_attn.out_proj'],
  },
}
const LIKE_LLAMA =
  'llama mistral qwen2 qwen3 smollm3 gemma gemma2 gemma3_text phi3 olmo olmo2 olmo3 granite stablelm starcoder2 cohere cohere2 glm glm4 exaone4'
for (const type of LIKE_LLAMA.split(' ')) PATHS[type] = { '': ['model.layers.{}', 'self_attn.o_proj'] }

const MASKED = ['bert', 'roberta', 'distilbert']

/**
 * @param {string} type
 * @returns {boolean} false for ALBERT, whose layers share one module, so that a hook cannot be limited to one layer
 */
export const hasPyTorch = type => Object.hasOwn(PATHS, type)

/** Returns the path of a decoder layer for Python f-strings. @param {string} type */
export const blockOf = type => (PATHS[type]['']?.[0] ?? '').replace('{}', '{layer}')

/** @param {string} type */
export const hasLensProgram = type => hasPyTorch(type) && PATHS[type][''] !== undefined

const json = JSON.stringify
const python = (/** @type {unknown} */ value) => json(value).replaceAll('null', 'None')

/**
 * Returns the paths of the modules that a change acts on. The softmax is in the parent module of the output projection; in BERT, in a
 * sibling of that parent.
 * @param {string} type
 * @param {Change} change
 */
function pathsOf(type, { stack, layer }) {
  const [block, projection] = /** @type {[string, string]} */ (PATHS[type][stack])
  const at = block.replace('{}', String(layer))
  const attention =
    projection === 'attention.output.dense' ? 'attention.self' : projection.slice(0, projection.lastIndexOf('.'))
  return { block: at, projection: `${at}.${projection}`, attention: `${at}.${attention}` }
}

const SCALE_HEADS = `

# What enters the output projection are the heads side by side: (batch, length, heads * size).
def scale_heads(changes):
    def hook(module, args):
        x = args[0].clone()
        size = x.shape[-1] // model.config.num_attention_heads
        for head, how in changes:
            part = x[..., head * size : (head + 1) * size]
            part[:] = part.mean(1, keepdim=True).expand_as(part) if how == "mean" else part * how
        return (x, *args[1:])
    return hook


`

const EDIT = `

# Scores and weights stand before and after the softmax of a layer: it is wrapped while that layer runs.
softmax = torch.nn.functional.softmax


def edit(hidden, held):
    def changed(scores, *args, **options):
        scores = scores.clone()
        for head, query, key in hidden:
            scores[..., head, query, key] = -torch.inf
        weights = softmax(scores, *args, **options).nan_to_num(0)
        for head, query in {(head, query) for head, query, _, _ in held}:
            own = {key: value for h, q, key, value in held if (h, q) == (head, query)}
            line, taken = weights[..., head, query, :], sum(own.values())
            line[..., list(own)] = 0
            rest = line.sum()
            full = taken >= 1 or rest == 0
            line *= 0 if full else (1 - taken) / rest
            for key, value in own.items():
                line[..., key] = value / taken if full and taken else value
        return weights

    def before(module, args):
        torch.nn.functional.softmax = changed

    def after(module, args, output):
        torch.nn.functional.softmax = softmax

    return before, after


`

const PATCH = `

def patch(path, rows):
    def hook(module, args, output):
        length = min(first(output).shape[1], kept[path].shape[1])
        for row in range(length):
            if None in rows or row in rows:
                first(output)[:, row] = kept[path][:, row]
    return hook


for path, rows in paths.items():
    model.get_submodule(path).register_forward_hook(patch(path, rows))
`

/** Writes the second run that patches take their values from. @param {import('./node.js').Task['second']} second @param {object} rows patched rows by module path */
const secondRun = ({ text, ids, decoderIds }, rows) => `

# What leaves the layers with the second text, before anything is changed.
def first(output):
    return output[0] if isinstance(output, tuple) else output


other = ${ids ? `torch.tensor([${json(ids)}])` : `AutoTokenizer.from_pretrained(folder)(${json(text)}, return_tensors="pt").input_ids`}
kept = {}
paths = ${python(rows)}
saving = [
    model.get_submodule(path).register_forward_hook(
        lambda module, args, output, path=path: kept.update({path: first(output).clone()})
    )
    for path in paths
]
with torch.no_grad():
    model(input_ids=other${decoderIds ? `, decoder_input_ids=torch.tensor([${json(decoderIds)}])` : ''})
for handle in saving:
    handle.remove()
`

/** Writes the code that edits the weights of an attention module. @param {string} path @param {(Extract<Change, { kind: 'hide' | 'weight' }>)[]} changes of one attention */
function editCall(path, changes) {
  const hidden = changes.flatMap(change => (change.kind === 'hide' ? [[change.head, change.query, change.key]] : []))
  const held = changes.flatMap(change =>
    change.kind === 'weight' ? [[change.head, change.query, change.key, change.value]] : [],
  )
  return `\
before, after = edit(${python(hidden)}, ${python(held)})
attention = model.get_submodule("${path}")
attention.register_forward_pre_hook(before)
attention.register_forward_hook(after)
`
}

/** Splits a GGUF path into folder and file name. */
const GGUF = /^(?:(.*)\/)?([^/]+\.gguf)$/i

/** Returns further arguments of from_pretrained. @param {import('./node.js').Task} task */
export function furtherOf({ folder, revision }) {
  const [, , file] = GGUF.exec(folder) ?? []
  return `${revision ? `, revision=${json(revision)}` : ''}${file ? `, gguf_file=${json(file)}` : ''}`
}

/** @param {import('./node.js').Task} task */
export function pytorchProgram(task) {
  const { type, folder, text, ids, decoderIds, decoderIdsAfter = decoderIds, second, row } = task
  const [, ofFile = '.', file] = GGUF.exec(folder) ?? []
  const at = furtherOf(task)
  const Class = decoderIds
    ? 'AutoModelForSeq2SeqLM'
    : MASKED.includes(type)
      ? 'AutoModelForMaskedLM'
      : 'AutoModelForCausalLM'
  const heads = groups(changesOf(task, 'head'), change => pathsOf(type, change).projection)
  const edits = groups(
    [...changesOf(task, 'hide'), ...changesOf(task, 'weight')],
    change => pathsOf(type, change).attention,
  )
  const patches = groups(changesOf(task, 'patch'), change => pathsOf(type, change).block)
  const rows = Object.fromEntries(Array.from(patches, ([path, list]) => [path, list.map(({ position }) => position)]))
  const scaled = Array.from(heads, ([path, list]) => {
    const changes = python(list.map(({ head, how }) => [head, how]))
    return `model.get_submodule("${path}").register_forward_pre_hook(scale_heads(${changes}))\n`
  })
  return `\
# pip install torch transformers${file ? ' gguf' : ''}; python program.py FOLDER
import sys
import torch
from transformers import AutoTokenizer, ${Class}

folder = sys.argv[1] if len(sys.argv) > 1 else ${json(file ? ofFile : folder)}
model = ${Class}.from_pretrained(folder${at}, attn_implementation="eager").float().eval()
ids = ${ids ? `torch.tensor([${json(ids)}])` : `AutoTokenizer.from_pretrained(folder${at})(${json(text)}, return_tensors="pt").input_ids`}
${
  decoderIds
    ? `decoder_ids = {
    "before": torch.tensor([${json(decoderIds)}]),
    "after": torch.tensor([${json(decoderIdsAfter)}]),
}
`
    : ''
}

def top(name):
    with torch.no_grad():
        logits = model(input_ids=ids${decoderIds ? ', decoder_input_ids=decoder_ids[name]' : ''}).logits[0, ${row}]
    shares, found = logits.softmax(-1).topk(8)
    print(name)
    for share, token in zip(shares.tolist(), found.tolist()):
        print(token, f"{share:.6f}")


top("before")
${patches.size ? secondRun(second, rows) : ''}\
${heads.size ? SCALE_HEADS + scaled.join('') : ''}\
${edits.size ? EDIT + Array.from(edits, ([path, list]) => editCall(path, list)).join('') : ''}\
${patches.size ? PATCH : ''}
top("after")
`
}
