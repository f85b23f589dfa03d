// LoRA adapters as PEFT saves them. The merged weights match those that PyTorch computes by PEFT's formula, W + scale B A.

import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { loadModel, readSafetensors, saveModel } from '../../src/entries/models.js'
import { missing, printedInPyTorch } from '../page/pytorch.js'
import { goldens, qkv } from './checkpoints.js'

const SEEDS = Number(process.env.ADAPTER_SEEDS ?? 24)
const folder = mkdtempSync(join(tmpdir(), 'qkv-lora-'))
after(() => rmSync(folder, { recursive: true }))
const BASES = ['gpt2-tiny', 'llama-linear-made', 'bert-tiny', 'gpt_neox-made', 'qwen3-tiny-bf16', 'opt-made', 't5-tiny']

/** A Python program that makes random adapters for golden checkpoints and merges them. */
const program = `
import json, math, pathlib, random, re, struct, torch
goldens, out = pathlib.Path(${JSON.stringify(goldens)}), pathlib.Path(${JSON.stringify(folder)})
DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16}
def read(file):
    raw = bytearray(file.read_bytes()); start = 8 + struct.unpack("<Q", raw[:8])[0]; found = {}
    for name, e in json.loads(raw[8:start]).items():
        if name != "__metadata__" and e["dtype"] in DTYPES:
            a, b = e["data_offsets"]; found[name] = torch.frombuffer(raw[start + a:start + b], dtype=DTYPES[e["dtype"]]).view(e["shape"]).float()
    return found
def write(file, tensors):
    header, parts, at = {}, [], 0
    for name, x in tensors.items():
        data = x.contiguous().numpy().tobytes(); header[name] = {"dtype": "F32", "shape": list(x.shape), "data_offsets": [at, at + len(data)]}; parts.append(data); at += len(data)
    text = json.dumps(header).encode(); file.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(parts))
PREFIX = {"gpt2": "transformer.", "llama": "model.", "bert": "bert.", "gpt_neox": "gpt_neox.", "qwen3": "model.", "opt": "model.", "t5": ""}
for seed in range(${SEEDS}):
    draw = random.Random(seed); torch.manual_seed(seed)
    base = ${JSON.stringify(BASES)}[seed % ${BASES.length}]
    config = json.loads((goldens / base / "config.json").read_text())
    state = read(goldens / base / "model.safetensors")
    r, alpha, rs = draw.randint(1, 4), draw.choice([1, 8, 16, 5]), draw.random() < 0.4
    targets = [n[:-7] for n, x in state.items() if n.endswith(".weight") and x.dim() == 2 and not re.search("norm|ln_|Norm|embed|wte|wpe|shared|relative|lm_head|predictions|pooler|seq_rel", n)]
    targets = draw.sample(targets, draw.randint(1, min(6, len(targets))))
    ranks, alphas, adapter, merged = {}, {}, {}, {}
    for name in targets:
        module = name if name.startswith(PREFIX[config["model_type"]]) else PREFIX[config["model_type"]] + name
        own_r, own_alpha = r, alpha
        if draw.random() < 0.3: ranks[module if draw.random() < 0.5 else re.escape(module).split(r"\\.", 1)[-1] if draw.random() < 0.5 else module] = own_r = r + draw.randint(1, 3)
        if draw.random() < 0.3: alphas[module] = own_alpha = alpha + 3
        scale = own_alpha / math.sqrt(own_r) if rs else own_alpha / own_r
        W = state[name + ".weight"]
        turned = config["model_type"] == "gpt2"  # Conv1D: fan_in_fan_out
        o, i = W.shape[::-1] if turned else W.shape
        A, B = torch.randn(own_r, i) * 0.3, torch.randn(o, own_r) * 0.3
        adapter[f"base_model.model.{module}.lora_A.weight"], adapter[f"base_model.model.{module}.lora_B.weight"] = A, B
        delta = (B.double() @ A.double()) * scale
        merged[name + ".weight"] = (W.double() + (delta.T if turned else delta)).float()
    if draw.random() < 0.3:
        name = draw.choice([n for n, x in state.items() if x.dim() == 1 and "seq_rel" not in n])
        adapter["base_model.model." + name] = merged[name] = torch.randn_like(state[name])
    at = out / str(seed); at.mkdir()
    (at / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "task_type": "CAUSAL_LM", "base_model_name_or_path": base, "r": r, "lora_alpha": alpha, "use_rslora": rs, "rank_pattern": ranks, "alpha_pattern": alphas, "fan_in_fan_out": turned, "bias": "none", "lora_dropout": 0.05, "inference_mode": True, "init_lora_weights": True, "use_dora": False, "layers_to_transform": None, "target_modules": ["x"], "modules_to_save": None}))
    if draw.random() < 0.5: torch.save(adapter, at / "adapter_model.bin")
    else: write(at / "adapter_model.safetensors", adapter)
    write(at / "merged.safetensors", merged)
    (at / "base.txt").write_text(base)
`

test('random adapters of seven families give the weights that PyTorch merges, and their logits', async t => {
  if (missing) return t.skip(missing)
  await printedInPyTorch([program])
  for (let seed = 0; seed < SEEDS; seed++) {
    const at = join(folder, String(seed))
    const base = readFileSync(join(at, 'base.txt'), 'utf8')
    const merged = await readSafetensors(new Uint8Array(readFileSync(join(at, 'merged.safetensors'))))
    const model = await loadModel(qkv, `${goldens}/${base}`, { adapter: at, tokenizer: false, dtype: 'float32' })
    for (const [name, want] of Object.entries(merged)) {
      const got = await model.weight(name)
      assert.deepEqual(got.dims, want.dims)
      const worst = want.data.reduce((most, value, i) => Math.max(most, Math.abs(value - got.data[i])), 0)
      assert.ok(worst <= 2e-6, `${seed}, ${base}, ${name}: ${worst}`)
    }
    const input = { ids: [5, 9, 3], decoderIds: base.startsWith('t5') ? [1, 2] : undefined }
    const { logits } = model.forwardSync(input)
    const saved = await loadModel(qkv, { ...(await saveModel(model)) }, { tokenizer: false })
    assert.deepEqual(saved.forwardSync(input).logits?.data, logits?.data, 'the merged model is saved as it is')
    saved.dispose()
    const plain = await loadModel(qkv, `${goldens}/${base}`, { tokenizer: false, dtype: 'float32' })
    assert.notDeepEqual(plain.forwardSync(input).logits?.data, logits?.data)
    plain.dispose()
    model.dispose()
  }
})

const text = (/** @type {unknown} */ json) => new TextEncoder().encode(JSON.stringify(json))

test('an adapter of the head or of the table acts there alone, although they are one weight', async () => {
  const { writeSafetensors } = await import('../../src/entries/models.js')
  const base = `${goldens}/gpt2-tiny`
  const plain = await loadModel(qkv, base, { tokenizer: false })
  const { logits, lastHiddenState } = plain.forwardSync({ ids: [5, 9, 3] })
  const [V, d] = [logits?.dims[2] ?? 0, lastHiddenState.dims[2]]
  const g = qkv.generator(3)
  const config = text({ peft_type: 'LORA', r: 2, lora_alpha: 4 })
  const open = (/** @type {Record<string, any>} */ tensors) =>
    loadModel(qkv, base, {
      tokenizer: false,
      adapter: { 'adapter_config.json': config, 'adapter_model.safetensors': writeSafetensors(tensors) },
    })
  const [A, B] = [g.randn([2, d]), g.randn([V, 2])]
  const head = await open({
    'base_model.model.lm_head.lora_A.weight': A,
    'base_model.model.lm_head.lora_B.weight': B,
  })
  const got = head.forwardSync({ ids: [5, 9, 3] })
  assert.deepEqual(got.lastHiddenState.data, lastHiddenState.data, 'the table is as it was')
  const row = lastHiddenState.data.subarray(2 * d)
  for (const id of [0, 7, V - 1]) {
    let more = 0
    for (let k = 0; k < 2; k++)
      more += 2 * B.data[id * 2 + k] * row.reduce((sum, value, i) => sum + value * A.data[k * d + i], 0)
    assert.ok(Math.abs((got.logits?.at(0, 2, id) ?? 0) - (logits?.at(0, 2, id) ?? 0) - more) < 1e-3)
  }
  const table = await open({
    'base_model.model.transformer.wte.lora_embedding_A': g.randn([2, V]),
    'base_model.model.transformer.wte.lora_embedding_B': g.randn([d, 2]),
  })
  const other = table.forwardSync({ ids: [5, 9, 3] })
  assert.notDeepEqual(other.lastHiddenState.data, lastHiddenState.data)
  const lens = await plain.logitLens(other.lastHiddenState) // adapters do not change the last norm and the head
  assert.equal(lens.dims[2], V)
  for (const model of [head, table, plain]) model.dispose()
})

test('inspectModel counts the weights that an adapter makes float32, and reads no weight of either', async () => {
  const { inspectModel, writeSafetensors } = await import('../../src/entries/models.js')
  const base = `${goldens}/qwen3-tiny-bf16`
  const name = 'base_model.model.model.layers.0.self_attn.q_proj.lora_'
  const g = qkv.generator(4)
  const file = writeSafetensors({ [`${name}A.weight`]: g.randn([2, 48]), [`${name}B.weight`]: g.randn([64, 2]) })
  const adapterOf = (/** @type {Uint8Array} */ bytes) => ({
    'adapter_config.json': text({ peft_type: 'LORA', r: 2, lora_alpha: 4 }),
    'adapter_model.safetensors': async (/** @type {number} */ from, /** @type {number} */ to) => {
      const header = 8 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true)
      if (from >= header) throw new Error('a weight is read')
      return bytes.subarray(from, Math.min(to, header))
    },
  })
  const plain = await inspectModel(base)
  const merged = await inspectModel(base, { adapter: adapterOf(file) })
  assert.equal(merged.bytes.loaded - plain.bytes.loaded, 2 * 48 * 64)
  assert.equal(merged.bytes.stored, plain.bytes.stored)
  assert.equal(merged.parameters, plain.parameters)
  const other = writeSafetensors({ [`${name}A.weight`]: g.randn([2, 9]), [`${name}B.weight`]: g.randn([64, 2]) })
  await assert.rejects(
    inspectModel(base, { adapter: adapterOf(other) }),
    /lora_A \(2, 9\) and lora_B \(64, 2\) do not fit/,
  )
})

test('other adapters, and those that do not fit, are refused by name; the error for the folder of an adapter names it', async () => {
  const base = `${goldens}/gpt2-tiny`
  const { writeSafetensors } = await import('../../src/entries/models.js')
  const usual = { peft_type: 'LORA', r: 2, base_model_name_or_path: 'gpt2' }
  const g = qkv.generator(1)
  const name = 'base_model.model.transformer.h.0.attn.c_proj'
  const pair = { [`${name}.lora_A.weight`]: g.randn([2, 48]), [`${name}.lora_B.weight`]: g.randn([48, 2]) }
  const files = (/** @type {object} */ change, /** @type {any} */ tensors = pair) => ({
    'adapter_config.json': text({ ...usual, ...change }),
    'adapter_model.safetensors': writeSafetensors(tensors),
  })
  for (const [adapter, message] of /** @type {[any, RegExp][]} */ ([
    [files({ peft_type: 'IA3' }), /adapter_config\.json: peft_type "IA3" is not covered; covered: LORA/],
    [files({ use_dora: true }), /use_dora true is not covered: merge the adapter in Python/],
    [files({ init_lora_weights: 'pissa' }), /init_lora_weights "pissa" has changed the weights of the base/],
    [files({ task_type: 'SEQ_CLS' }), /task_type SEQ_CLS: the adapter has classes/],
    [files({ r: 3 }), /transformer\.h\.0\.attn\.c_proj has the rank 3, lora_A has 2 rows/],
    [files({ rank_pattern: { '(': 2 } }), /rank_pattern: "\(" is no pattern of names/],
    [files({}, { [`${name}.lora_A.weight`]: g.randn([2, 48]) }), /one of lora_A and lora_B is missing/],
    [
      files({}, { [`${name}.lora_A.weight`]: g.randn([2, 47]), [`${name}.lora_B.weight`]: g.randn([48, 2]) }),
      /lora_A \(2, 47\) and lora_B \(48, 2\) do not fit the weight \(48, 48\)/,
    ],
    [
      files({}, { 'a.b.lora_A.weight': g.randn([2, 48]), 'a.b.lora_B.weight': g.randn([48, 2]) }),
      /a\.b: the base has no such weight/,
    ],
    [files({}, { 'base_model.model.odd.weight': g.randn([2]) }), /unexpected: odd\.weight/],
    [{ 'adapter_config.json': text(usual) }, /neither adapter_model\.safetensors nor adapter_model\.bin is beside/],
    [{}, /adapter_config\.json is missing/],
  ]))
    await assert.rejects(loadModel(qkv, base, { adapter, tokenizer: false }), message)
  await assert.rejects(
    loadModel(qkv, files({})),
    /this is an adapter \("LORA"\): it holds changes to the weights of another model, "gpt2"\. Open that model with it: loadModel\(qkv, base, \{ adapter \}\)/,
  )
})
