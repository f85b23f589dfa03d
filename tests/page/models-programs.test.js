// The programs that the room "Models" gives print the numbers of the page: with qkv in Node; with PyTorch on a stand-in for
// the package transformers (tests/hugging-face), which has the module names of the original.

import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { load } from 'qkv'
import { loadModel } from 'qkv/models'
import { readChanges } from '../../web/head/changes.js'
import { hooksOf } from '../../web/rooms/models/hooks.js'
import { inputOf, runOf, statesOf } from '../../web/rooms/models/model-run.js'
import { hasPyTorch, qkvProgram, transformersProgram } from '../../web/rooms/models/programs/programs.js'
import { Tokenizer } from '../models/tokenizer.js'

/** @typedef {import('../../web/rooms/models/model-run.js').WholeRun} WholeRun */
/** @typedef {{ name: string, runs: WholeRun[], qkv: string, pytorch: string, folder: string }} Case */

const root = fileURLToPath(new URL('../..', import.meta.url))
const goldens = `${root}tests/goldens/models/`
const PYTHON = process.env.PYTHON ?? (existsSync('/usr/bin/python3') ? '/usr/bin/python3' : 'python3')
const NAMES = [
  'gpt2-tiny',
  'llama-tiny-sharded',
  'qwen3-tiny-bf16',
  'gemma2-tiny',
  'bert-tiny',
  't5-tiny',
  'marian-tiny',
  'gpt_neox-made',
  'gpt_neox-serial-made',
  'phi-made',
  'llama3-made',
  'llama-linear-made',
  'mistral-made',
  'qwen2-made',
  'roberta-made',
  'distilbert-made',
  't5-v1_1-made',
]
const ONE = [
  '2.1=0',
  '3.2=mean',
  '1.1=0.5 2.3=-2',
  '2.4:8>3=hide 2.4:8>2=hide 2.3:8>1=hide',
  '2.1:8>3=0.25 2.1:8>2=0.5 1.2:8>1=1',
  '2:5=patch',
  '1:*=patch',
]
const BOTH = [
  'e2.1=0 d2.1=mean c2.2=0.5',
  'e2.1:3>2=hide c1.1:1>3=hide',
  'c1.1:1>3=0.4 d2.2:1>1=0.3',
  'e1:*=patch',
  'd1:1=patch e1:2=patch',
]

/** Text and second text of a checkpoint: of one without a tokenizer their ids. @param {boolean} isText */
const textsOf = isText =>
  isText
    ? { text: 'The river was slow.', second: 'line one\nline two' }
    : { text: '5 9 13 5 9 17 20 31 7', second: '8 2 6 30 11' }

/** What the page shows for a checkpoint with changes, and its programs. @param {string} name @returns {Promise<Case[]>} */
async function casesOf(name) {
  const qkv = await load()
  const folder = goldens + name
  const isText = existsSync(`${folder}/tokenizer.json`)
  const model = await loadModel(qkv, folder, { tokenizer: isText ? Tokenizer : false })
  const { text, second } = textsOf(isText)
  const before = await runOf(qkv, model, { text }, {}, model.stacks.encoder && model.stacks.decoder ? 0 : 7)
  const donor = await inputOf(model, { text: second })
  const sets = before.targetIds ? BOTH : ONE
  const list = name.endsWith('-made') ? [sets.join(' ')] : [...sets, sets.join(' ')]
  const states = await statesOf(model, donor)
  /** @type {Case[]} */
  const cases = []
  for (const changed of list) {
    const changes = readChanges(changed)
    const run = await runOf(qkv, model, { text }, hooksOf(changes, states), before.row, before)
    const task = {
      type: model.type,
      folder: 'model',
      row: before.row,
      changes,
      ...(isText ? { text } : { ids: before.ids }),
      decoderIds: before.targetIds,
      decoderIdsAfter: run.targetIds,
      donor: { text: second, ids: isText ? undefined : donor.ids, decoderIds: donor.decoderIds },
    }
    const programs = { qkv: qkvProgram(task), pytorch: hasPyTorch(model.type) ? transformersProgram(task) : '' }
    cases.push({ name: `${name}: ${changed}`, runs: [before, run], ...programs, folder })
  }
  model.dispose()
  return cases
}

const cases = (await Promise.all(NAMES.map(casesOf))).flat()

/**
 * A program prints the probabilities of the page, before and after, and its best token.
 * @param {Case} each
 * @param {string} printed
 * @param {number} error
 */
function check({ name, runs }, printed, error) {
  const parts = printed.split(/^(?:before|after)$/m).slice(1)
  assert.equal(parts.length, 2, `${name}\n${printed}`)
  let moved = 0
  for (const [n, { probabilities }] of runs.entries()) {
    const lines = [...parts[n].matchAll(/^(\d+) (\d\.\d+)/gm)].map(([, id, share]) => [Number(id), Number(share)])
    assert.equal(lines.length, 8, name)
    for (const [id, share] of lines) {
      if (!(Math.abs(share - probabilities[id]) <= error))
        assert.fail(`${name}: ${n ? 'after' : 'before'}, token ${id}: ${share}, on the page ${probabilities[id]}`)
      moved = Math.max(moved, Math.abs(share - runs[0].probabilities[id]))
    }
    assert.ok(Math.max(...probabilities) - probabilities[lines[0][0]] <= error, name)
  }
  assert.ok(moved > 10 * error, `${name} moves nothing: ${moved}`)
}

test('the program for Node prints the probabilities of the page, for every family and every kind of change', () => {
  assert.ok(existsSync(`${root}dist/models.js`), 'the package is not built: npm run dist')
  const folder = mkdtempSync(join(tmpdir(), 'qkv models '))
  after(() => rmSync(folder, { recursive: true }))
  mkdirSync(join(folder, 'node_modules'))
  symlinkSync(root, join(folder, 'node_modules/qkv'))
  cases.forEach(({ qkv }, n) => {
    writeFileSync(join(folder, `program${n}.mjs`), qkv)
  })
  const all = `for (const [n, folder] of ${JSON.stringify(cases.map(({ folder }) => folder))}.entries()) {
    process.argv[2] = folder
    console.log('case')
    await import('./program' + n + '.mjs')
  }`
  writeFileSync(join(folder, 'all.mjs'), all)
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(folder, 'all.mjs')], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const printed = stdout.split(/^case$/m).slice(1)
  cases.forEach((each, n) => {
    check(each, printed[n], 2e-6)
  })
})

const { status: torch } = spawnSync(PYTHON, ['-c', 'import torch'])

test('the program for PyTorch prints them too, on modules named as in transformers', {
  skip: torch !== 0 && `${PYTHON} has no torch: apt-get install python3-torch`,
}, () => {
  assert.ok(cases.every(({ pytorch }) => pytorch))
  const run = `import contextlib, io, json, sys, torch
torch.set_num_threads(1)
found = []
for text, folder in json.load(sys.stdin):
    sys.argv = ["program.py", folder]
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(text, "program.py", "exec"), {"__name__": "__main__"})
    found.append(out.getvalue())
json.dump(found, sys.stdout)`
  const { stdout, stderr, status, error } = spawnSync(PYTHON, ['-c', run], {
    input: JSON.stringify(cases.map(({ pytorch, folder }) => [pytorch, folder])),
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: `${root}tests/hugging-face`, PYTHONDONTWRITEBYTECODE: '1' },
  })
  assert.equal(status, 0, String(error ?? stderr))
  const printed = JSON.parse(stdout)
  cases.forEach((each, n) => {
    check(each, printed[n], 1e-5)
  })
})

test('the stand-in for transformers computes the golden logits of every family', {
  skip: torch !== 0 && `${PYTHON} has no torch: apt-get install python3-torch`,
}, () => {
  const run = `import json, sys, torch, transformers as t
torch.set_num_threads(1)
found = []
for folder in json.load(sys.stdin):
    given = json.load(open(folder + "/expected.json"))["inputs"][0]
    want = dict(t.read_tensors(folder + "/expected.safetensors"))[given["name"] + "/logits"]
    inputs = {"input_ids": torch.tensor(given["input_ids"])}
    if "decoder_input_ids" in given:
        inputs["decoder_input_ids"] = torch.tensor(given["decoder_input_ids"])
    kind = json.load(open(folder + "/config.json"))["model_type"]
    auto = t.AutoModelForMaskedLM if "bert" in kind else t.AutoModelForSeq2SeqLM if kind in ("t5", "marian") else t.AutoModelForCausalLM
    with torch.no_grad():
        logits = auto.from_pretrained(folder, attn_implementation="eager")(**inputs).logits
    found.append((logits - want).abs().max().item())
json.dump(found, sys.stdout)`
  // BERT's inputs of a pair of texts have token types, which the stand-in has not.
  const folders = NAMES.map(name => goldens + name)
  const { stdout, stderr, status } = spawnSync(PYTHON, ['-c', run], {
    input: JSON.stringify(folders),
    encoding: 'utf8',
    env: { ...process.env, PYTHONPATH: `${root}tests/hugging-face`, PYTHONDONTWRITEBYTECODE: '1' },
  })
  assert.equal(status, 0, stderr)
  for (const [n, error] of JSON.parse(stdout).entries()) {
    const { tolerance } = JSON.parse(readFileSync(`${folders[n]}/expected.json`, 'utf8'))
    assert.ok(error <= 4 * tolerance.logits.abs + 1e-5, `${NAMES[n]}: ${error}`)
  }
})
