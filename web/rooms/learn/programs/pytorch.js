// A run as a PyTorch program: the same draws, the same model, the same steps, so that its losses are the same.

import { blocksOf } from '../recipes.js'
import { reverseLengths, sortLengths } from '../tasks/one-layer.js'
import { grammar } from '../tasks/translation.js'
import { weightLines } from '../weight-tensors.js'

/** @typedef {import('../recipes.js').LearnSettings} LearnSettings */
/** @typedef {import('../training-run.js').Task} Task */

const HEAD = `import math
import torch
import torch.nn.functional as F

torch.set_num_threads(1)
`

/** How many numbers each sequence has, (B, 1). @param {import('../tasks/one-layer.js').Lengths} of */
const lengths = ({ train }) => `LENGTHS = torch.tensor([${train.join(', ')}])
lengths = lambda g, B: LENGTHS[torch.randint(0, len(LENGTHS), (B,), generator=g)][:, None]
`

/** Batches: ids, targets (-1: no loss), and of translation the words before and the lengths. @type {Record<Task, (s: LearnSettings, text: string) => string>} */
const DATA = {
  induction: ({ V, T }) => `V, T = ${V}, ${T}
LENGTHS = [n for n in (4, 5, 6, 9, 10, 11) if 2 * n <= T + 1 and n < V]
INPUTS = OUTPUTS = V

def batch(g, B):
    n = torch.tensor(LENGTHS)[torch.randint(0, len(LENGTHS), (B,), generator=g)]
    order = torch.rand(B, V, generator=g).sort(dim=1, stable=True)[1]
    below = lambda u, limit: torch.minimum((u * limit).long(), limit - 1)
    a = below(torch.rand(B, generator=g), T + 2 - 2 * n)
    b = a + n + below(torch.rand(B, generator=g), T + 2 - a - 2 * n)
    rest = n[:, None] + below(torch.rand(B, T + 1, generator=g), (V - n)[:, None])
    t = torch.arange(T + 1)[None]
    place = rest
    for start in (b, a):  # the segment is the first n tokens of the permutation
        i = t - start[:, None]
        place = torch.where((i >= 0) & (i < n[:, None]), i, place)
    x = order.gather(1, place)
    inside = (t > b[:, None]) & (t < (b + n)[:, None])
    return x[:, :-1], torch.where(inside, x, torch.tensor(-1))[:, 1:]
`,
  sort: ({ V, T }) => `V, T = ${V}, ${T}
INPUTS, OUTPUTS = V + 1, V
${lengths(sortLengths(T))}
def batch(g, B):
    n = lengths(g, B)
    order = torch.rand(B, V, generator=g).sort(dim=1, stable=True)[1]
    t = torch.arange(T).expand(B, T)
    i = t - n  # the place behind the bar
    ordered = torch.where(t[:, : T // 2] < n, order[:, : T // 2], torch.tensor(V)).sort(1)[0]
    place = lambda j: ordered.gather(1, j.clamp(0, T // 2 - 1))
    behind = torch.where((i > 0) & (i < n), place(i - 1), torch.tensor(V))
    x = torch.where(i < 0, order.gather(1, t.clamp(max=V - 1)), behind)
    return x, torch.where((i >= 0) & (i < n), place(i), torch.tensor(-1))
`,
  reverse: ({ V, T }) => `V, T = ${V}, ${T}
INPUTS, OUTPUTS = V + 1, V
${lengths(reverseLengths(T))}
def batch(g, B):
    n = lengths(g, B)
    x = torch.randint(0, V, (B, T), generator=g)
    inside = (2 * torch.arange(T) - T + 1).abs() < n  # the numbers stand in the middle
    return torch.where(inside, x, torch.tensor(V)), torch.where(inside, x.flip(1), torch.tensor(-1))
`,
  text: ({ T }, text) => `T = ${T}
TEXT = ${JSON.stringify(text)}
CHARACTERS = sorted(set(TEXT))
ID = {character: i for i, character in enumerate(CHARACTERS)}
TRAIN = torch.tensor([ID[character] for character in TEXT])[: len(TEXT) * 9 // 10]
INPUTS = OUTPUTS = len(CHARACTERS)

def batch(g, B):
    z = TRAIN[torch.randint(0, len(TRAIN) - T, (B,), generator=g)[:, None] + torch.arange(T + 1)]
    return z[:, :-1], z[:, 1:]
`,
  translation: () => `import json

G = json.loads('''${JSON.stringify(grammar)}''')
SOURCE = {word: i for i, word in enumerate(G['sourceWords'])}
TARGET = {word: i for i, word in enumerate(G['targetWords'])}
T, L = G['longest']['source'], G['longest']['target']
INPUTS, OUTPUTS = len(SOURCE), len(TARGET)

def pair(u):
    source = []
    pick = lambda words: words[min(len(words) - 1, math.floor(next(u) * len(words)))]

    def word(w):
        source.append(w)
        return [G['words'][w]]

    def phrase(nouns, subject, modified):
        noun = pick(nouns)
        r = next(u)
        if subject:
            determiner = 'a' if r < 0.48 else 'the' if r < 0.84 else 'this'
        else:
            determiner = 'a' if r < 0.4 else 'the' if r < 0.7 else 'this' if r < 0.85 else 'two'
        words, measure, *plural = G['nouns'][noun]
        kind = next(u) if modified else 1
        modifiers = []
        if kind < 0.5 and noun in G['autonomous']:
            modifiers = pick(G['compounds'])
        elif kind < 0.55:
            modifiers = [pick(G['adjectives'])]
        source.append('an' if determiner == 'a' and (modifiers + [noun])[0][0] in 'aeiou' else determiner)
        said = [w for m in modifiers for w in word(m)]
        source.append(plural[0] if determiner == 'two' and plural else noun)
        spoken = determiner in G['numbers'] and not (subject and determiner == 'a')
        number = [G['numbers'][determiner] + measure] if spoken else []
        return number + said + words

    if next(u) < 0.3:
        subject = word(pick(G['pronouns']))
    else:
        subject = phrase(G['people'], True, next(u) < 0.5)
        if next(u) < 0.25:
            of = word('who')
            verb = word(pick(G['verbs']))
            subject = verb + phrase(G['things'], False, False) + of + subject
    verb = word(pick(G['verbs']))
    thing = phrase(G['things'], False, True)
    place = []
    if next(u) < 0.6:
        place = word(pick(G['prepositions']))
        *article, name = pick(G['places']).split(' ')
        source.extend(article)
        place += word(name)
    time = word(pick(G['times'])) if next(u) < 0.6 else []
    return source, subject + time + place + verb + thing

def batch(g, B):
    ids, before = torch.zeros(B, T, dtype=torch.long), torch.full((B, L), OUTPUTS)
    targets, lengths = torch.full((B, L), -1), torch.zeros(B, dtype=torch.long)
    b = 0
    while b < B:
        source, target = pair(iter(torch.rand(G['draws'], generator=g).tolist()))
        if len(source) in G['heldOut']:
            continue
        ids[b, : len(source)] = torch.tensor([SOURCE[w] for w in source])
        y = torch.tensor([TARGET[w] for w in target])
        targets[b, : len(y)], lengths[b] = y, len(source)
        before[b, 1 : len(y) + 1] = y[: L - 1]
        b += 1
    return ids, targets, before, lengths
`,
}

/** @param {LearnSettings} s @param {boolean} isTranslation */
const weights = (s, isTranslation) =>
  weightLines(s, isTranslation, {
    norm: name => `p['${name}.weight'], p['${name}.bias'] = torch.ones(d), torch.zeros(d)`,
    distanceBias: block => `p['${block}.bias'] = torch.zeros(H, T)`,
  })

/** @param {boolean} hasBias by distance */
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

/** What is added to embeddings. @param {LearnSettings} s @param {string} length @param {string} name of what is learned */
const placed = ({ positions }, length, name) =>
  positions === 'learned' ? ` + p['${name}']` : positions === 'sinusoids' ? ` + sinusoids(${length})` : ''

/** @param {LearnSettings} s @param {string} name of the attention */
const fed = ({ mlp }, name) =>
  mlp ? ` + F.linear(F.relu(F.linear(normed(h, ${name}.norm2'), p[${name}.up'])), p[${name}.down'])` : ''

/** Layers of self-attention. @param {LearnSettings} s @param {readonly string[]} blocks */
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
const translationModel = s => `
def model(ids, before, lengths):
    visible = (torch.arange(T) < lengths[:, None])[:, None, None]
    words = F.embedding(ids, p['embed'])
    h = words${placed(s, 'T', 'position')}
${selfAttention(s, blocksOf(true, s.layers).slice(0, -1))}    queries = normed(F.embedding(before, p['embedTarget'])${placed(s, 'L', 'positionTarget')}, 'cross.norm1')
    h = attend('cross', queries, h, words, visible)
${s.mlp ? `    h = h${fed(s, "'cross")}\n` : ''}    return F.linear(normed(h, 'norm'), p['unembed'])
`

/**
 * @param {Task} task
 * @param {LearnSettings} settings
 * @param {string} [text] of the task 'text'
 * @returns {string}
 */
export function pytorchProgram(task, settings, text = '') {
  const { d, heads, norm, positions, seed, rate, batch, warmup, steps, decay } = settings
  const isTranslation = task === 'translation'
  const causal = task !== 'reverse'
  return `${HEAD}
${DATA[task](settings, text)}
d, H = ${d}, ${heads}
p = {}
torch.manual_seed(${seed})

def draw(name, rows, columns):
    p[name] = torch.randn(rows, columns) / math.sqrt(columns)

${weights(settings, isTranslation)}
for value in p.values():
    value.requires_grad_(True)
${positions === 'rope' ? ROPE : '\nturned = lambda x: x\n'}
${norm ? "normed = lambda x, name: F.layer_norm(x, (d,), p[f'{name}.weight'], p[f'{name}.bias'])" : 'normed = lambda x, name: x'}
${attend(positions === 'distance')}${positions === 'sinusoids' ? SINUSOIDS : ''}${isTranslation ? translationModel(settings) : layersModel(settings, causal)}
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
