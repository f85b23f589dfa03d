// Writes a run as a PyTorch program with the same random draws, model and steps, and therefore the same losses.

import { TASKS } from '../tasks/index.js'
import { blocksOf } from '../transformer.js'

/** @import { LearnSettings } from '../tasks/task.js' */

const HEAD = `import math
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
`

/** Writes the weights, in the order in which the model draws them. @param {LearnSettings} settings @param {boolean} hasCross */
function weights({ layers, mlp, norm, positions }, hasCross) {
  const ones = (/** @type {string} */ name) =>
    norm ? [`p['${name}.weight'], p['${name}.bias'] = torch.ones(d), torch.zeros(d)`] : []
  const draw = (/** @type {string} */ name, /** @type {string} */ dims) => `draw('${name}', ${dims})`
  const lines = [draw('embed', 'INPUTS, d')]
  if (hasCross) lines.push(draw('embedTarget', 'OUTPUTS + 1, d'))
  if (positions === 'learned') {
    lines.push(draw('position', 'T, d'))
    if (hasCross) lines.push(draw('positionTarget', 'L, d'))
  }
  for (const block of blocksOf(hasCross, layers)) {
    lines.push(...ones(`${block}.norm1`))
    for (const part of ['q', 'k', 'v', 'o']) lines.push(draw(`${block}.${part}`, 'd, d'))
    if (positions === 'distance') lines.push(`p['${block}.bias'] = torch.zeros(H, T)`)
    if (mlp) lines.push(...ones(`${block}.norm2`), draw(`${block}.up`, `${mlp}, d`), draw(`${block}.down`, `d, ${mlp}`))
  }
  lines.push(...ones('norm'), draw('unembed', 'OUTPUTS, d'))
  return lines.join('\n')
}

/** Writes the attention. @param {boolean} hasBias True for a learned bias by distance */
const attend = hasBias => `
def attend(name, x, y, z, visible):
    q, k, v = (F.linear(t, p[f'{name}.{part}']) for t, part in ((x, 'q'), (y, 'k'), (z, 'v')))
    q, k, v = (t.view(*t.shape[:2], H, d // H).transpose(1, 2) for t in (q, k, v))
    q, k = turned(q), turned(k)
${hasBias ? '    distance = (torch.arange(x.shape[1])[:, None] - torch.arange(T)).clamp(0, T - 1)\n' : ''}    scores = (q @ k.transpose(-1, -2) / math.sqrt(d // H)${hasBias ? " + p[f'{name}.bias'][:, distance]" : ''}).masked_fill(~visible, -math.inf)
    out = scores.softmax(-1) @ v
    return F.linear(out.transpose(1, 2).flatten(2), p[f'{name}.o'])
`

const ROPE = `
frequencies = 100.0 ** (-torch.arange(0, d // H, 2).float() / (d // H))

def turned(x):
    angle = torch.arange(x.shape[2]).float()[:, None] * frequencies
    a, b, cos, sin = x[..., 0::2], x[..., 1::2], angle.cos(), angle.sin()
    return torch.stack([a * cos - b * sin, a * sin + b * cos], -1).flatten(-2)
`

const SINUSOIDS = `
def sinusoids(n):
    column = torch.arange(d)
    angle = torch.arange(n)[:, None] * torch.exp(-math.log(1000) * (column - column % 2) / d)
    return math.sqrt(2 / d) * torch.where(column % 2 == 1, angle.cos(), angle.sin())
`

/** Writes the terms that are added to embeddings. @param {LearnSettings} s @param {string} length @param {string} name name of the learned table */
const placed = ({ positions }, length, name) =>
  positions === 'learned' ? ` + p['${name}']` : positions === 'sinusoids' ? ` + sinusoids(${length})` : ''

/** Writes the MLP. @param {LearnSettings} s @param {string} name name of the attention */
const fed = ({ mlp }, name) =>
  mlp ? ` + F.linear(F.relu(F.linear(normed(h, ${name}.norm2'), p[${name}.up'])), p[${name}.down'])` : ''

/** Writes layers of self-attention. @param {LearnSettings} s @param {readonly string[]} blocks */
const selfAttention = (s, blocks) => `    for name in [${blocks.map(block => `'${block}'`).join(', ')}]:
        x = normed(h, f'{name}.norm1')
        h = h + attend(name, x, x, x, visible)
${s.mlp ? `        h = h${fed(s, "f'{name}")}\n` : ''}`

/** @param {LearnSettings} s @param {boolean} causal */
const layersModel = (s, causal) => `
visible = torch.ones(T, T, dtype=torch.bool)${causal ? '.tril()' : ''}

def model(ids):
    h = F.embedding(ids, p['embed'])${placed(s, 'T', 'position')}
${selfAttention(s, blocksOf(false, s.layers))}    return F.linear(normed(h, 'norm'), p['unembed'])
`

/** @param {LearnSettings} s */
const crossModel = s => `
def model(ids, before, lengths):
    visible = (torch.arange(T) < lengths[:, None])[:, None, None]
    words = F.embedding(ids, p['embed'])
    h = words${placed(s, 'T', 'position')}
${selfAttention(s, blocksOf(true, s.layers).slice(0, -1))}    queries = normed(F.embedding(before, p['embedTarget'])${placed(s, 'L', 'positionTarget')}, 'cross.norm1')
    h = attend('cross', queries, h, words, visible)
${s.mlp ? `    h = h${fed(s, "'cross")}\n` : ''}    return F.linear(normed(h, 'norm'), p['unembed'])
`

/**
 * Writes the program.
 * @param {string} task
 * @param {LearnSettings} settings
 * @param {string} [text] for a task that learns a text
 * @returns {string}
 */
export function pytorchProgram(task, settings, text = '') {
  const { d, heads, norm, positions, seed, rate, batch, warmup, steps, decay } = settings
  const { isCausal, hasCross = false, pytorch } = TASKS[task]
  return `${HEAD}
${pytorch(settings, text)}
d, H = ${d}, ${heads}
p = {}
torch.manual_seed(${seed})

def draw(name, rows, columns):
    p[name] = torch.randn(rows, columns) / math.sqrt(columns)

${weights(settings, hasCross)}
for value in p.values():
    value.requires_grad_(True)
${positions === 'rope' ? ROPE : '\nturned = lambda x: x\n'}
${norm ? "normed = lambda x, name: F.layer_norm(x, (d,), p[f'{name}.weight'], p[f'{name}.bias'])" : 'normed = lambda x, name: x'}
${attend(positions === 'distance')}${positions === 'sinusoids' ? SINUSOIDS : ''}${hasCross ? crossModel(settings) : layersModel(settings, isCausal)}
def rate(step):
    if step < ${warmup}:
        return ${rate} * (step + 1) / ${warmup}
${
  decay
    ? `    share = min(1, (step - ${warmup}) / (${steps} - ${warmup}))
    return ${rate} * (0.1 + 0.9 * (1 + math.cos(math.pi * share)) / 2)`
    : `    return ${rate}`
}

data = torch.Generator().manual_seed(${seed} + 1000003)
optimizer = torch.optim.Adam(p.values(), lr=${rate}, betas=(0.9, 0.99))
for step in range(${steps}):
    ids, targets, *more = batch(data, ${batch})
    loss = F.cross_entropy(model(ids, *more).flatten(0, 1), targets.flatten(), ignore_index=-1)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(p.values(), 1.0)
    optimizer.param_groups[0]['lr'] = rate(step)
    optimizer.step()
    print(step + 1, loss.item())
`
}
