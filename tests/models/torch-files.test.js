// Files of torch.save in both formats. Numbers are those that PyTorch saved; anything that would need to run code is refused.

import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { fitLens, readLens, saveLens } from '../../src/entries/interpret.js'
import { inspectModel, loadModel } from '../../src/entries/models.js'
import { readExactly } from '../../src/models/source/source.js'
import { readTorchFile } from '../../src/models/torch/torch-file.js'
import { readFloats } from '../../src/models/weights/safetensors.js'
import { missing, printedInPyTorch } from '../page/pytorch.js'
import { ENGINE } from '../strange.js'
import { goldens, open, qkv } from './checkpoints.js'

const folder = fileURLToPath(new URL('../goldens/torch-files', import.meta.url))
const bytesOf = (/** @type {string} */ name) => new Uint8Array(readFileSync(`${folder}/${name}.bin`))
const FORMATS = ['zip', 'older']

/** @param {Uint8Array} bytes @param {number | undefined} [size] */
const read = (bytes, size = bytes.length) =>
  readTorchFile({ size, read: async (from, to) => bytes.subarray(from, to) }, 'f.bin', readExactly)

for (const format of FORMATS) {
  test(`a state_dict is read as PyTorch saved it, ${format}`, async () => {
    const expected = JSON.parse(readFileSync(`${folder}/whole.json`, 'utf8'))
    const tensors = await read(bytesOf(`whole.${format}`))
    assert.deepEqual(
      tensors.map(({ name, dims, dtype }) => [name, dtype, [...dims]]),
      Object.entries(expected).map(([name, { dims }]) => {
        const others = { half: 'F16', bfloat: 'BF16', ids: 'I64', flags: 'BOOL' }
        return [name, others[/** @type {'half'} */ (name)] ?? 'F32', dims]
      }),
    )
    for (const tensor of tensors) {
      const { data } = expected[tensor.name]
      if (data) assert.deepEqual([...(await readFloats(tensor))], data, tensor.name)
    }
  })

  for (const [name, message] of /** @type {[string, RegExp][]} */ ([
    ['code', /its pickle calls \S+\.print, and no code of a file is run: save the state_dict/],
    ['nested', /"model": expected a tensor, as in a state_dict, got a dict/],
    ['list', /expected a state_dict of tensors by name, got an array of 1/],
    ['number', /"epoch": expected a tensor, as in a state_dict, got 3/],
    ['negated', /tensor "w" is stored with the bit "neg": save its resolve_neg\(\)/],
    ['sparse', /its pickle calls torch\.serialization\._get_layout, and no code/],
  ]))
    test(`${name} is refused, ${format}`, () => assert.rejects(read(bytesOf(`${name}.${format}`)), message))

  test(`a whole module is refused, ${format}`, () =>
    assert.rejects(
      read(bytesOf(`module.${format}`)),
      /f\.bin: (its pickle calls|it is an object of) torch\.nn\.modules\.linear\.Linear, and no code of a file is run/,
    ))

  test(`a file that is cut off or damaged is refused, or all of its tensors lie in it, ${format}`, async () => {
    const whole = bytesOf(`whole.${format}`)
    const g = qkv.generator(11)
    const next = (/** @type {number} */ count) => Math.min(count - 1, Math.floor(g.uniform([1], 0, count).data[0]))
    const files = [
      ...Array.from({ length: 400 }, () => whole.slice(0, next(whole.length))),
      ...Array.from({ length: 4000 }, () => {
        const damaged = whole.slice()
        for (let n = 1 + next(3); n > 0; n--) damaged[next(damaged.length)] = next(256)
        return damaged
      }),
    ]
    let refused = 0
    for (const bytes of files)
      try {
        for (const { name, from, to, dims } of await read(bytes))
          assert.ok(from >= 0 && from <= to && to <= bytes.length, `${name} ${dims}: ${from} to ${to}`)
      } catch (error) {
        assert.ok(error instanceof RangeError && !ENGINE.test(error.message), String(error))
        assert.match(error.message, /^f\.bin: /)
        refused++
      }
    assert.ok(refused > 400 && refused < files.length, `${refused} of ${files.length}`)
  })
}

test('a bit neg that is not set changes nothing, and a view of no number may begin beyond its storage', async () => {
  for (const format of FORMATS) {
    const [empty] = await read(bytesOf(`empty.${format}`))
    assert.deepEqual([empty.dims, [...(await readFloats(empty))]], [[0, 2], []])
    const [tensor] = await read(bytesOf(`not-negated.${format}`))
    assert.deepEqual([...(await readFloats(tensor))], [0, 1, 2])
  }
})

test('a zip file needs its size, the older format does not', async () => {
  await assert.rejects(
    readTorchFile({ read: async (from, to) => bytesOf('whole.zip').subarray(from, to) }, 'f.bin', readExactly),
    /its size is not known/,
  )
  const older = bytesOf('whole.older')
  const tensors = await readTorchFile({ read: async (from, to) => older.subarray(from, to) }, 'f.bin', readExactly)
  assert.equal(tensors.length, 12)
})

const NAMES = ['marian-tiny', 't5-tiny', 'qwen3-tiny-bf16']

/** Returns a Python program that saves the tensors of a folder as one file and in two shards, with tied weights under all of their names. @param {string} name @param {string} out */
const program = (name, out) => `
import json, pathlib, struct, torch
source, out = pathlib.Path(${JSON.stringify(join(goldens, name))}), pathlib.Path(${JSON.stringify(out)})
out.mkdir()
dtypes = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64, "BOOL": torch.bool}
state = {}
for file in sorted(source.glob("model*.safetensors")):
    raw = bytearray(file.read_bytes())
    start = 8 + struct.unpack("<Q", raw[:8])[0]
    for name, entry in json.loads(raw[8:start]).items():
        if name == "__metadata__": continue
        a, b = entry["data_offsets"]
        state[name] = torch.frombuffer(raw[start + a:start + b], dtype=dtypes[entry["dtype"]]).view(entry["shape"]).clone()
tied = {"model.shared.weight": ["model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight", "lm_head.weight"],
        "shared.weight": ["encoder.embed_tokens.weight", "decoder.embed_tokens.weight"]}
for own, others in tied.items():
    for other in others if own in state else []:
        state[other] = state[own]
for kind, is_zip in (("zip", True), ("older", False)):
    torch.save(state, out / f"{kind}.bin", _use_new_zipfile_serialization=is_zip)
half = len(state) // 2
names = list(state)
for file, part in (("pytorch_model-00001-of-00002.bin", names[:half]), ("pytorch_model-00002-of-00002.bin", names[half:])):
    torch.save({name: state[name] for name in part}, out / file)
index = {name: f"pytorch_model-0000{1 + (names.index(name) >= half)}-of-00002.bin" for name in names}
(out / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": index}))
`

test('a checkpoint that PyTorch saved gives the bits of its safetensors, in one file and in shards', async t => {
  if (missing) return t.skip(missing)
  const folder = mkdtempSync(join(tmpdir(), 'qkv-torch-'))
  try {
    await printedInPyTorch(NAMES.map(name => program(name, join(folder, name))))
    for (const name of NAMES) {
      const out = join(folder, name)
      const file = (/** @type {string} */ path) => new Uint8Array(readFileSync(path))
      const config = file(join(goldens, name, 'config.json'))
      const input = { ids: [5, 6, 7], decoderIds: /marian|t5/.test(name) ? [1, 2] : undefined }
      const logitsOf = async (/** @type {any} */ source) => {
        const model = await loadModel(qkv, source, { tokenizer: false })
        const { logits } = model.forwardSync(input)
        model.dispose()
        return logits?.data
      }
      const expected = await logitsOf(join(goldens, name))
      for (const kind of FORMATS) {
        const files = { 'config.json': config, 'pytorch_model.bin': file(join(out, `${kind}.bin`)) }
        assert.deepEqual(await logitsOf(files), expected, `${name}, ${kind}`)
        const [own, other] = [await inspectModel(files), await inspectModel(join(goldens, name))]
        assert.deepEqual(own.bytes, other.bytes, `${name}, ${kind}`)
      }
      const shards = readdirSync(out).filter(each => each.startsWith('pytorch_model'))
      const files = Object.fromEntries(shards.map(each => [each, file(join(out, each))]))
      assert.deepEqual(await logitsOf({ ...files, 'config.json': config }), expected, `${name}, shards`)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

const SEEDS = Number(process.env.TORCH_SEEDS ?? 60)

/** Returns a Python program that writes random files of torch.save, and a JSON file of what torch.load reads from each. @param {string} out */
const randomFiles = out => `
import collections, json, pathlib, random, torch
out = pathlib.Path(${JSON.stringify(out)})
out.mkdir()
expected = []
for seed in range(${SEEDS}):
    draw = random.Random(seed)
    torch.manual_seed(seed)
    def tensor():
        dims = [draw.randint(1, 5) for _ in range(draw.randint(0, 4))]
        dtype = draw.choice([torch.float32, torch.float32, torch.float16, torch.bfloat16, torch.float64])
        x = (torch.randn(dims) * 3).to(dtype)
        for _ in range(draw.randint(0, 3)):
            kind = draw.choice(["permute", "slice", "step", "expand", "flip", "parameter", "diagonal", "unsqueeze", "same"])
            n = x.dim()
            if kind == "permute": x = x.permute(draw.sample(range(n), n))
            elif kind == "slice" and n: x = x.narrow(0, draw.randrange(x.shape[0]), 1) if draw.random() < 0.5 else x[draw.randrange(x.shape[0])]
            elif kind == "step" and n: x = x[..., ::2]
            elif kind == "expand": x = x.unsqueeze(0).expand(draw.randint(1, 3), *x.shape)
            elif kind == "parameter": x = torch.nn.Parameter(x.detach())
            elif kind == "diagonal" and n > 1: x = x.diagonal()
            elif kind == "unsqueeze": x = x.unsqueeze(draw.randint(0, n))
        return x
    names = ["layer.%d.weight" % i for i in range(draw.randint(1, 6))]
    state = collections.OrderedDict() if draw.random() < 0.5 else {}
    for name in names: state[name] = draw.choice(list(state.values())) if state and draw.random() < 0.2 else tensor()
    base = torch.arange(24.0)
    if draw.random() < 0.3: state.update({"a": base[3:9].view(2, 3), "b": base[9:21].view(3, 4).t()})
    if isinstance(state, collections.OrderedDict): state._metadata = collections.OrderedDict([("", {"version": 1})])
    top = {"epoch": draw.randint(0, 2**40), "rate": 0.1, "state_dict": state, "notes": [None, True, "x", (1, -2, 3, 2**70)]} if draw.random() < 0.3 else state
    file = out / f"{seed}.bin"
    protocol, is_zip = draw.randint(1, 5), draw.random() < 0.5
    torch.save(top, file, pickle_protocol=protocol, _use_new_zipfile_serialization=is_zip)
    back = torch.load(file)
    back = back.get("state_dict", back)
    expected.append({"note": f"{seed}, protocol {protocol}, {'zip' if is_zip else 'older'}", "tensors": [[name, list(x.shape), x.detach().float().flatten().tolist()] for name, x in back.items()]})
(out / "expected.json").write_text(json.dumps(expected))
`

test('random files of torch.save, with views, strides, dtypes, protocols and training state, are read as torch.load reads them', async t => {
  if (missing) return t.skip(missing)
  const folder = mkdtempSync(join(tmpdir(), 'qkv-torch-'))
  try {
    const out = join(folder, 'files')
    await printedInPyTorch([randomFiles(out)])
    const expected = JSON.parse(readFileSync(join(out, 'expected.json'), 'utf8'))
    assert.equal(expected.length, SEEDS)
    for (const [seed, { note, tensors }] of expected.entries()) {
      const found = []
      for (const tensor of await read(new Uint8Array(readFileSync(join(out, `${seed}.bin`)))))
        found.push([tensor.name, [...tensor.dims], [...(await readFloats(tensor))]])
      assert.deepEqual(found, tensors, note)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('PyTorch opens saved lenses with weights_only, and lenses that it saves in any dtype of floats are read', {
  skip: missing,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'qkv-lenses-'))
  try {
    const model = await open('gpt_neox-made', 'float32')
    const texts = [
      [5, 9, 30, 5, 9, 17],
      [12, 7, 7, 33, 1],
    ]
    /** @type {import('../../src/entries/interpret.js').Lens[]} */
    const lenses = []
    for (const options of [{ first: 1 }, /** @type {const} */ ({ kind: 'tuned' })]) {
      const lens = await fitLens(model, texts, options)
      lenses.push(lens)
      for (const dtype of /** @type {const} */ (['float32', 'float16']))
        writeFileSync(join(folder, `${lens.kind}-${dtype}.pt`), saveLens(lens, { dtype }))
    }
    model.dispose()
    const program = `
import json, torch
found = {}
for name in ("jacobian-float32", "jacobian-float16", "tuned-float32", "tuned-float16"):
    lens = torch.load(${JSON.stringify(folder)} + f"/{name}.pt", map_location="cpu", weights_only=True)
    parts = [lens[key] for key in ("J", "weight", "bias") if key in lens]
    tensors = [part[layer] for part in parts for layer in lens["source_layers"]]
    found[name] = [[str(t.dtype), list(t.shape), t.is_contiguous(), t.double().sum().item()] for t in tensors]
    found[name].append([lens["n_prompts"], lens["d_model"], sorted(lens)])
J = {layer: torch.arange(9.0).view(3, 3).T / 7 + layer for layer in (0, 2)}
for dtype in ("float16", "bfloat16", "float32", "float64"):
    own = {layer: matrix.to(getattr(torch, dtype)) for layer, matrix in J.items()}
    for older in (False, True):
        path = ${JSON.stringify(folder)} + f"/theirs-{dtype}{'-older' if older else ''}.pt"
        torch.save({"J": own, "n_prompts": 7, "source_layers": [0, 2], "d_model": 3}, path, _use_new_zipfile_serialization=not older)
print(json.dumps(found))`
    const [printed] = await printedInPyTorch([program])
    const found = JSON.parse(printed)
    for (const lens of lenses)
      for (const dtype of ['float32', 'float16']) {
        const own = found[`${lens.kind}-${dtype}`]
        const isTuned = lens.kind === 'tuned'
        const keys = isTuned ? ['bias', 'd_model', 'metadata', 'n_prompts', 'source_layers', 'weight'] : undefined
        assert.deepEqual(own.pop(), [2, 32, keys ?? ['J', 'd_model', 'metadata', 'n_prompts', 'source_layers']])
        const expected = lens.sourceLayers.map(layer => {
          const { data } = lens.matrix(layer)
          return data.reduce((sum, value) => sum + value, isTuned ? -lens.width : 0)
        })
        for (const [n, sum] of expected.entries()) {
          assert.deepEqual(own[n].slice(0, 3), [`torch.${dtype}`, [32, 32], true])
          assert.ok(Math.abs(own[n][3] - sum) <= 0.05 + 0.01 * Math.abs(sum), `${own[n][3]} for ${sum}`)
        }
      }
    for (const [dtype, most] of /** @type {[string, number][]} */ ([
      ['float16', 2 ** -10],
      ['bfloat16', 2 ** -7],
      ['float32', 1e-6],
      ['float64', 1e-6],
    ]))
      for (const kind of ['', '-older']) {
        const lens = await readLens(join(folder, `theirs-${dtype}${kind}.pt`))
        assert.deepEqual([lens.sourceLayers, lens.numPrompts, lens.width], [[0, 2], 7, 3])
        for (const layer of [0, 2])
          for (const [i, value] of lens.matrix(layer).data.entries()) {
            const want = ((i % 3) * 3 + Math.floor(i / 3)) / 7 + layer
            assert.ok(Math.abs(value - want) <= most * Math.max(1, want), `${dtype}: ${value} for ${want}`)
          }
      }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
