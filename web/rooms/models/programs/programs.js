// Programs that do what the page shows: with qkv in Node, and with PyTorch and transformers. No DOM.

/** @typedef {import('../hooks.js').Change} Change */
/** @typedef {import('../hooks.js').Stack} Stack */

/**
 * What a program does.
 * @typedef {object} Task
 * @property {string} type of the model
 * @property {string} folder
 * @property {string} [text] without a tokenizer there is none
 * @property {readonly number[]} [ids] in the place of the text
 * @property {readonly number[]} [decoderIds] of an encoder-decoder
 * @property {readonly number[]} [decoderIdsAfter] the same with the changes, where that is another text
 * @property {Donor} donor what patches are taken from
 * @property {readonly Change[]} changes those that are switched on
 * @property {number} row whose prediction is printed
 *
 * A second text, or its ids in the place of it.
 * @typedef {{ text: string, ids?: readonly number[], decoderIds?: readonly number[] }} Donor
 */

const text = JSON.stringify
/** @template T @param {readonly T[]} list @param {(item: T) => string} key @returns {[string, T[]][]} */
function grouped(list, key) {
  /** @type {Map<string, T[]>} */
  const groups = new Map()
  for (const item of list) groups.set(key(item), [...(groups.get(key(item)) ?? []), item])
  return [...groups]
}

/** @param {Change} change */
const prefixOf = ({ stack, layer }) =>
  `${stack === '' ? '' : stack === 'encoder' ? 'encoder.' : 'decoder.'}layers.${layer}.`
/** @param {Change} change */
const attentionOf = change => (change.stack === 'cross' ? 'cross' : 'attention')

/** @template {Change['kind']} K @param {Task} task @param {K} kind @returns {Extract<Change, { kind: K }>[]} */
const those = ({ changes }, kind) => /** @type {any} */ (changes.filter(change => change.kind === kind))

/** @param {Task} task */
export function qkvProgram(task) {
  const { folder, ids, decoderIds, decoderIdsAfter = decoderIds, donor, row } = task
  const heads = those(task, 'head')
  const hidden = grouped(those(task, 'hide'), change => `${prefixOf(change)}${attentionOf(change)}.scores`)
  const set = grouped(those(task, 'weight'), change => `${prefixOf(change)}${attentionOf(change)}.weights`)
  const patches = grouped(those(task, 'patch'), change => `${prefixOf(change)}output`)
  const input = decoderIds ? '{ ids, decoderIds: decoderIds[name] }' : '{ ids }'
  const cells = (/** @type {readonly { head: number, query: number, key: number, value?: number }[]} */ list) =>
    text(
      list.map(({ head, query, key, value }) => (value === undefined ? [head, query, key] : [head, query, key, value])),
    )
  const lines = [
    '// npm install qkv @huggingface/tokenizers; node program.mjs FOLDER',
    "import { load } from 'qkv'",
    "import { loadModel } from 'qkv/models'",
    '',
    'const qkv = await load()',
    `const model = await loadModel(qkv, process.argv[2] ?? ${text(folder)})`,
    ids ? `const ids = ${text(ids)}` : `const { ids } = model.tokenize(${text(task.text)})`,
    ...(decoderIds ? [`const decoderIds = { before: ${text(decoderIds)}, after: ${text(decoderIdsAfter)} }`] : []),
  ]
  if (patches.length)
    lines.push(
      donor.ids ? `const other = { ids: ${text(donor.ids)} }` : `const other = model.tokenize(${text(donor.text)})`,
      `const donor = model.forward(`,
      `  { ids: other.ids${donor.decoderIds ? `, decoderIds: ${text(donor.decoderIds)}` : ''} },`,
      "  { keep: ['hiddenStates', 'encoderHiddenStates'], logits: 'none' },",
      ')',
    )
  if (set.length)
    lines.push(
      '',
      '// A weight that is set keeps its value, the others of its row share the rest in their old proportions.',
      'function setWeights({ data, dims: [, , L, S] }, cells) {',
      '  const rows = {}',
      '  for (const [head, query, key, value] of cells) (rows[head * L + query] ??= []).push([key, value])',
      '  for (const [n, held] of Object.entries(rows)) {',
      '    const row = data.subarray(n * S, (Number(n) + 1) * S)',
      '    const own = new Map(held)',
      '    const taken = [...own.values()].reduce((a, b) => a + b)',
      '    const rest = row.reduce((sum, value, key) => sum + (own.has(key) ? 0 : value), 0)',
      '    const isFull = taken >= 1 || rest === 0',
      '    row.forEach((value, key) => {',
      '      const given = own.get(key)',
      '      row[key] = isFull ? (taken ? (given ?? 0) / taken : 0) : (given ?? (value * (1 - taken)) / rest)',
      '    })',
      '  }',
      '}',
    )
  lines.push('', 'const hooks = {')
  for (const change of heads)
    lines.push(
      `  '${prefixOf(change)}${change.stack === 'cross' ? 'cross.' : ''}heads.${change.head}': ${text(change.how)},`,
    )
  for (const [place, list] of hidden)
    lines.push(
      `  '${place}': ({ data, dims: [, , L, S] }) => {`,
      `    for (const [head, query, key] of ${cells(list)}) data[(head * L + query) * S + key] = -Infinity`,
      '  },',
    )
  for (const [place, list] of set) lines.push(`  '${place}': weights => setWeights(weights, ${cells(list)}),`)
  for (const [place, list] of patches) {
    const [{ layer, stack }] = list
    const rows = list.some(({ position }) => position === null)
      ? 'Array(Math.min(L, from.dims[1])).keys()'
      : `${text(list.map(({ position }) => position))}.filter(row => row < L && row < from.dims[1])`
    lines.push(
      `  '${place}': ({ data, dims: [, L, d] }) => {`,
      `    const from = donor.${stack === 'encoder' ? 'encoderHiddenStates' : 'hiddenStates'}[${layer + 1}]`,
      `    for (const row of ${rows})`,
      '      data.set(from.data.subarray(row * d, (row + 1) * d), row * d)',
      '  },',
    )
  }
  lines.push(
    '}',
    '',
    `for (const [name, options] of Object.entries({ before: {}, after: { hooks } })) {`,
    `  const { logits } = model.forward(${input}, options)`,
    '  const V = logits.dims[2]',
    `  const row = { data: logits.data.slice(${row} * V, ${row + 1} * V), dims: [1, V] }`,
    '  const shares = Array.from(qkv.softmax(row).data, (share, id) => ({ id, share }))',
    '  const top = shares.sort((a, b) => b.share - a.share).slice(0, 8)',
    '  console.log(name)',
    `  for (const { id, share } of top) console.log(id, share.toFixed(6)${task.text === undefined ? '' : ', JSON.stringify(model.decode([id]))'})`,
    '}',
    'model.dispose()',
  )
  return `${lines.join('\n')}\n`
}

/** Module paths of transformers: the layer, and in it the output projection of its attention. @type {Record<string, Partial<Record<Stack, [layer: string, projection: string]>>>} */
const PATHS = {
  gpt2: { '': ['transformer.h.{}', 'attn.c_proj'] },
  gpt_neox: { '': ['gpt_neox.layers.{}', 'attention.dense'] },
  phi: { '': ['model.layers.{}', 'self_attn.dense'] },
  ...Object.fromEntries(
    ['llama', 'mistral', 'qwen2', 'qwen3', 'gemma2'].map(type => [
      type,
      { '': ['model.layers.{}', 'self_attn.o_proj'] },
    ]),
  ),
  ...Object.fromEntries(
    ['bert', 'roberta'].map(type => [type, { '': [`${type}.encoder.layer.{}`, 'attention.output.dense'] }]),
  ),
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
/** The attention whose softmax is changed: what holds the projection; BERT's is a sister of it. @param {string} projection */
const attentionPath = projection =>
  projection === 'attention.output.dense' ? 'attention.self' : projection.slice(0, projection.lastIndexOf('.'))

/** @param {string} type @returns {boolean} ALBERT's layers share their modules, so hooks cannot tell them apart */
export const hasPyTorch = type => Object.hasOwn(PATHS, type)

/** @param {Task} task */
export function transformersProgram(task) {
  const { type, folder, ids, decoderIds, decoderIdsAfter = decoderIds, donor, row } = task
  const paths = PATHS[type]
  const isMasked = ['bert', 'roberta', 'distilbert'].includes(type)
  const Class = decoderIds ? 'AutoModelForSeq2SeqLM' : isMasked ? 'AutoModelForMaskedLM' : 'AutoModelForCausalLM'
  const pathsOf = (/** @type {Change} */ { stack, layer }) => {
    const [block, projection] = /** @type {[string, string]} */ (paths[stack])
    const at = block.replace('{}', String(layer))
    return { block: at, projection: `${at}.${projection}`, attention: `${at}.${attentionPath(projection)}` }
  }
  const heads = grouped(those(task, 'head'), change => pathsOf(change).projection)
  const edits = grouped([...those(task, 'hide'), ...those(task, 'weight')], change => pathsOf(change).attention)
  const patches = grouped(those(task, 'patch'), change => pathsOf(change).block)
  const extra = decoderIds ? ', decoder_input_ids=decoder_ids[name]' : ''
  const python = (/** @type {unknown} */ value) => text(value).replaceAll('null', 'None')
  const lines = [
    '# pip install torch transformers; python program.py FOLDER',
    'import sys',
    'import torch',
    `from transformers import AutoTokenizer, ${Class}`,
    '',
    `folder = sys.argv[1] if len(sys.argv) > 1 else ${text(folder)}`,
    `model = ${Class}.from_pretrained(folder, attn_implementation="eager").float().eval()`,
    ids
      ? `ids = torch.tensor([${text(ids)}])`
      : `ids = AutoTokenizer.from_pretrained(folder)(${text(task.text)}, return_tensors="pt").input_ids`,
    ...(decoderIds
      ? [
          'decoder_ids = {',
          `    "before": torch.tensor([${text(decoderIds)}]),`,
          `    "after": torch.tensor([${text(decoderIdsAfter)}]),`,
          '}',
        ]
      : []),
    '',
    '',
    'def top(name):',
    '    with torch.no_grad():',
    `        logits = model(input_ids=ids${extra}).logits[0, ${row}]`,
    '    shares, found = logits.softmax(-1).topk(8)',
    '    print(name)',
    '    for share, token in zip(shares.tolist(), found.tolist()):',
    '        print(token, f"{share:.6f}")',
    '',
    '',
    'top("before")',
  ]
  if (patches.length) {
    lines.push(
      '',
      '',
      '# What leaves the layers with the second text, before anything is changed.',
      'def first(output):',
      '    return output[0] if isinstance(output, tuple) else output',
      '',
      '',
      donor.ids
        ? `other = torch.tensor([${text(donor.ids)}])`
        : `other = AutoTokenizer.from_pretrained(folder)(${text(donor.text)}, return_tensors="pt").input_ids`,
      'kept = {}',
      `paths = ${python(Object.fromEntries(patches.map(([path, list]) => [path, list.map(({ position }) => position)])))}`,
      'saving = [',
      '    model.get_submodule(path).register_forward_hook(',
      '        lambda module, args, output, path=path: kept.update({path: first(output).clone()})',
      '    )',
      '    for path in paths',
      ']',
      'with torch.no_grad():',
      `    model(input_ids=other${donor.decoderIds ? `, decoder_input_ids=torch.tensor([${text(donor.decoderIds)}])` : ''})`,
      'for handle in saving:',
      '    handle.remove()',
    )
  }
  if (heads.length) {
    lines.push(
      '',
      '',
      '# What enters the output projection are the heads side by side: (batch, length, heads * size).',
      'def scale_heads(changes):',
      '    def hook(module, args):',
      '        x = args[0].clone()',
      '        size = x.shape[-1] // model.config.num_attention_heads',
      '        for head, how in changes:',
      '            part = x[..., head * size : (head + 1) * size]',
      '            part[:] = part.mean(1, keepdim=True).expand_as(part) if how == "mean" else part * how',
      '        return (x, *args[1:])',
      '    return hook',
      '',
      '',
    )
    for (const [path, list] of heads)
      lines.push(
        `model.get_submodule("${path}").register_forward_pre_hook(scale_heads(${python(list.map(({ head, how }) => [head, how]))}))`,
      )
  }
  if (edits.length) {
    lines.push(
      '',
      '',
      '# Scores and weights stand before and after the softmax of a layer: it is wrapped while that layer runs.',
      'softmax = torch.nn.functional.softmax',
      '',
      '',
      'def edit(hidden, held):',
      '    def changed(scores, *args, **options):',
      '        scores = scores.clone()',
      '        for head, query, key in hidden:',
      '            scores[..., head, query, key] = -torch.inf',
      '        weights = softmax(scores, *args, **options).nan_to_num(0)',
      '        for head, query in {(head, query) for head, query, _, _ in held}:',
      '            own = {key: value for h, q, key, value in held if (h, q) == (head, query)}',
      '            line, taken = weights[..., head, query, :], sum(own.values())',
      '            line[..., list(own)] = 0',
      '            rest = line.sum()',
      '            full = taken >= 1 or rest == 0',
      '            line *= 0 if full else (1 - taken) / rest',
      '            for key, value in own.items():',
      '                line[..., key] = value / taken if full and taken else value',
      '        return weights',
      '',
      '    def before(module, args):',
      '        torch.nn.functional.softmax = changed',
      '',
      '    def after(module, args, output):',
      '        torch.nn.functional.softmax = softmax',
      '',
      '    return before, after',
      '',
      '',
    )
    for (const [path, list] of edits) {
      const hidden = list.flatMap(change => (change.kind === 'hide' ? [[change.head, change.query, change.key]] : []))
      const held = list.flatMap(change =>
        change.kind === 'weight' ? [[change.head, change.query, change.key, change.value]] : [],
      )
      lines.push(
        `before, after = edit(${python(hidden)}, ${python(held)})`,
        `attention = model.get_submodule("${path}")`,
        'attention.register_forward_pre_hook(before)',
        'attention.register_forward_hook(after)',
      )
    }
  }
  if (patches.length)
    lines.push(
      '',
      '',
      'def patch(path, rows):',
      '    def hook(module, args, output):',
      '        length = min(first(output).shape[1], kept[path].shape[1])',
      '        for row in range(length):',
      '            if None in rows or row in rows:',
      '                first(output)[:, row] = kept[path][:, row]',
      '    return hook',
      '',
      '',
      'for path, rows in paths.items():',
      '    model.get_submodule(path).register_forward_hook(patch(path, rows))',
    )
  lines.push('', 'top("after")')
  return `${lines.join('\n')}\n`
}
