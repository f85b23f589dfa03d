"""Trains the English model: Llama's form, on ids that tokenizer.js wrote.

python3 train.py RUN --data FOLDER [--hours 1] [--tokens N] [--seed 1]     again with the same RUN: goes on from its checkpoint

RUN/checkpoint.pt   weights, optimizers, step (written every few minutes), RUN/log.csv   step, tokens, seconds, loss, held-out losses
"""

import argparse
import csv
import math
import os
import signal
import time
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

SIZES = {'vocab': 2048, 'd': 128, 'layers': 4, 'heads': 4, 'mlp': 320, 'base': 10000.0}
EPS = 1e-5


def initial(sizes, seed):
    g = torch.Generator().manual_seed(seed)
    d, mlp = sizes['d'], sizes['mlp']
    draw = lambda out, size, scale=1.0: torch.nn.Parameter(torch.randn(out, size, generator=g) * scale / math.sqrt(size))
    weights = {'model.embed_tokens.weight': torch.nn.Parameter(torch.randn(sizes['vocab'], d, generator=g) * 0.02)}
    deep = 1 / math.sqrt(2 * sizes['layers'])
    for n in range(sizes['layers']):
        at = f'model.layers.{n}.'
        for part in 'qkv':
            weights[f'{at}self_attn.{part}_proj.weight'] = draw(d, d)
        weights[f'{at}self_attn.o_proj.weight'] = draw(d, d, deep)
        weights[f'{at}mlp.gate_proj.weight'] = draw(mlp, d)
        weights[f'{at}mlp.up_proj.weight'] = draw(mlp, d)
        weights[f'{at}mlp.down_proj.weight'] = draw(d, mlp, deep)
        for norm in ('input_layernorm', 'post_attention_layernorm'):
            weights[f'{at}{norm}.weight'] = torch.nn.Parameter(torch.ones(d))
    weights['model.norm.weight'] = torch.nn.Parameter(torch.ones(d))
    return weights


def rms(x, weight):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + EPS) * weight


def angles(sizes, length):
    half = sizes['d'] // sizes['heads'] // 2
    theta = torch.arange(length)[:, None] * sizes['base'] ** (-torch.arange(half) / half)
    return torch.cat([theta.cos()] * 2, -1), torch.cat([theta.sin()] * 2, -1)


def forward(w, ids, sizes, heads_off=()):
    """Returns logits (B, T, vocab). heads_off: (layer, head) whose output is set to zero."""
    B, T = ids.shape
    d, H = sizes['d'], sizes['heads']
    cos, sin = angles(sizes, T)
    mask = torch.full((T, T), -math.inf).triu(1)
    rope = lambda x: x * cos + torch.cat([-x[..., d // H // 2 :], x[..., : d // H // 2]], -1) * sin
    h = w['model.embed_tokens.weight'][ids]
    for n in range(sizes['layers']):
        at = f'model.layers.{n}.'
        p = lambda name: w[f'{at}{name}_proj.weight']
        x = rms(h, w[f'{at}input_layernorm.weight'])
        q, k, v = ((x @ p(f'self_attn.{part}').T).view(B, T, H, -1).transpose(1, 2) for part in 'qkv')
        a = torch.softmax(rope(q) @ rope(k).transpose(-1, -2) / math.sqrt(d // H) + mask, -1) @ v
        for layer, head in heads_off:
            if layer == n:
                a = a.clone()
                a[:, head] = 0
        h = h + a.transpose(1, 2).reshape(B, T, d) @ p('self_attn.o').T
        x = rms(h, w[f'{at}post_attention_layernorm.weight'])
        h = h + (F.silu(x @ p('mlp.gate').T) * (x @ p('mlp.up').T)) @ p('mlp.down').T
    return rms(h, w['model.norm.weight']) @ w['model.embed_tokens.weight'].T


class Muon:
    """Momentum whose update is made orthogonal (https://kellerjordan.github.io/posts/muon/), for the matrices of the layers."""

    def __init__(self, weights):
        self.weights = weights
        self.momentum = [torch.zeros_like(w) for w in weights]

    @torch.no_grad()
    def step(self, rate, decay):
        for w, m in zip(self.weights, self.momentum):
            m.mul_(0.95).add_(w.grad)
            x = w.grad + 0.95 * m
            turned = x.shape[0] > x.shape[1]
            x = x.T if turned else x
            x = x / (x.norm() + 1e-7)
            for _ in range(5):
                a = x @ x.T
                x = 3.4445 * x + (-4.775 * a + 2.0315 * a @ a) @ x
            x = x.T if turned else x
            w.mul_(1 - rate * decay).add_(x, alpha=-rate * max(1, w.shape[0] / w.shape[1]) ** 0.5)


def rows_of(data, T):
    """Rows of T + 1 ids; each begins with <s>, then the texts go on where the row before ended."""
    rows = data[: len(data) // T * T].reshape(-1, T)
    return lambda index: torch.from_numpy(np.concatenate([np.zeros((len(index), 1)), rows[index]], 1).astype(np.int64)), len(rows)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('run', type=Path)
    parser.add_argument('--data', type=Path, required=True)
    parser.add_argument('--until', type=float, help='seconds since 1970: the rate falls to zero by then')
    parser.add_argument('--hours', type=float, default=1.0, help='the rate falls to zero within these hours')
    parser.add_argument('--batch', type=int, default=32)
    parser.add_argument('--length', type=int, default=128)
    parser.add_argument('--rate', type=float, default=0.02, help='of the matrices')
    parser.add_argument('--table-rate', type=float, default=0.004, help='of the table and the norms')
    parser.add_argument('--cool', type=float, default=0.5, help='share of the time at the end in which the rate falls, on stories alone')
    parser.add_argument('--general', type=float, default=0.25, help='share of general texts before')
    parser.add_argument('--general-end', type=float, default=0.1, help='and in the end')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--threads', type=int, default=1)
    parser.add_argument('--save', type=float, default=180, help='seconds between checkpoints')
    parser.add_argument('--stop', type=int, default=0, help='steps after which to stop, for trials')
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    args.run.mkdir(parents=True, exist_ok=True)
    T = args.length
    read = lambda name: np.fromfile(args.data / f'{name}.bin', np.uint16)
    sources = {name: rows_of(read(name), T) for name in ('general', 'stories')}
    held = {name: rows_of(read(f'held-{name}'), T)[0](np.arange(48)) for name in ('stories', 'wordnet', 'kjv')}

    weights = initial(SIZES, args.seed)
    matrices = [w for name, w in weights.items() if w.dim() == 2 and 'embed' not in name]
    others = [w for name, w in weights.items() if w.dim() == 1 or 'embed' in name]
    muon = Muon(matrices)
    adam = torch.optim.AdamW(others, lr=args.table_rate, betas=(0.9, 0.95), weight_decay=0.01)
    step, spent, tokens = 0, 0.0, 0
    file = args.run / 'checkpoint.pt'
    if file.exists():
        state = torch.load(file)
        for name, value in state['weights'].items():
            weights[name].data.copy_(value)
        muon.momentum = state['muon']
        adam.load_state_dict(state['adam'])
        step, spent, tokens = state['step'], state['spent'], state['tokens']
        print(f'goes on after step {step}', flush=True)

    def save():
        state = {'weights': {name: w.data for name, w in weights.items()}, 'muon': muon.momentum, 'adam': adam.state_dict()}
        torch.save({**state, 'step': step, 'spent': spent, 'tokens': tokens, 'sizes': SIZES}, f'{file}.new')
        os.replace(f'{file}.new', file)

    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    file_log = (args.run / 'log.csv').open('a')
    log = csv.writer(file_log)
    began, saved, losses = time.time(), time.time(), []
    end = args.until - began if args.until else args.hours * 3600 - spent
    start = spent
    while True:
        now = time.time() - began
        share = (start + now) / (start + end)
        if share >= 1 or stopped or (args.stop and step >= args.stop):
            break
        cooling = max(0.0, (share - (1 - args.cool)) / args.cool)
        rate = min(1, (step + 1) / 100) * (1 - cooling * 0.98)
        chance = np.random.default_rng([args.seed, step])
        general = int(round(args.batch * (args.general + (args.general_end - args.general) * min(1, 2 * cooling))))
        parts = []
        for name, count in (('general', general), ('stories', args.batch - general)):
            row, size = sources[name]
            parts.append(row(chance.integers(0, size, count)))
        ids = torch.cat(parts)
        logits = forward(weights, ids[:, :-1], SIZES)
        loss = F.cross_entropy(logits.reshape(-1, SIZES['vocab']), ids[:, 1:].reshape(-1))
        for w in weights.values():
            w.grad = None
        loss.backward()
        torch.nn.utils.clip_grad_norm_(others, 1.0)
        muon.step(args.rate * rate, 0.02)
        for group in adam.param_groups:
            group['lr'] = args.table_rate * rate
        adam.step()
        losses.append(loss.item())
        step += 1
        tokens += args.batch * T
        spent = start + time.time() - began
        if step % 100 == 0 or step == 20:
            with torch.no_grad():
                apart = {n: F.cross_entropy(forward(weights, x[:, :-1], SIZES).reshape(-1, SIZES['vocab']), x[:, 1:].reshape(-1)).item() for n, x in held.items()}
            row = [step, tokens, round(spent), round(float(np.mean(losses)), 4), *(round(x, 4) for x in apart.values()), round(rate, 4)]
            log.writerow(row)
            file_log.flush()
            losses.clear()
            print(*row, f'{tokens / spent:.0f} tokens/s', flush=True)
        if time.time() - saved > args.save:
            save()
            saved = time.time()
    save()


if __name__ == '__main__':
    main()
