"""Losses of 30 steps of torch.optim.AdamW on gpt2-tiny, all weights trained: writes torch-finetune.json.

python3 tests/goldens/make-torch-finetune.py, with PyTorch. The network is written out below, in float64.
"""
import json
import struct
from pathlib import Path

import torch

here = Path(__file__).parent
folder = here / 'models' / 'gpt2-tiny'
config = json.loads((folder / 'config.json').read_text())
raw = (folder / 'model.safetensors').read_bytes()
size = struct.unpack('<Q', raw[:8])[0]
header = json.loads(raw[8:8 + size])
weights = {}
for name, entry in header.items():
    if name == '__metadata__' or name.endswith(('.attn.bias', '.attn.masked_bias')):
        continue
    start, end = entry['data_offsets']
    values = torch.frombuffer(bytearray(raw[8 + size + start:8 + size + end]), dtype=torch.float32)
    weights[name] = values.reshape(entry['shape']).double().requires_grad_()

d, H, layers = config['n_embd'], config['n_head'], config['n_layer']
eps = config.get('layer_norm_epsilon', 1e-5)


def gelu(x):
    return 0.5 * x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x ** 3)))


def norm(x, name):
    return torch.nn.functional.layer_norm(x, (d,), weights[name + '.weight'], weights[name + '.bias'], eps)


def linear(x, name):
    return x @ weights[name + '.weight'] + weights[name + '.bias']


def loss_of(ids):
    B, L = ids.shape
    h = weights['wte.weight'][ids] + weights['wpe.weight'][:L]
    hidden = torch.ones(L, L).triu(1).bool()
    for i in range(layers):
        q, k, v = linear(norm(h, f'h.{i}.ln_1'), f'h.{i}.attn.c_attn').reshape(B, L, 3, H, d // H).permute(2, 0, 3, 1, 4)
        scores = (q @ k.transpose(-1, -2) * (d // H) ** -0.5).masked_fill(hidden, float('-inf'))
        mixed = (scores.softmax(-1) @ v).transpose(1, 2).reshape(B, L, d)
        h = h + linear(mixed, f'h.{i}.attn.c_proj')
        h = h + linear(gelu(linear(norm(h, f'h.{i}.ln_2'), f'h.{i}.mlp.c_fc')), f'h.{i}.mlp.c_proj')
    logits = norm(h, 'ln_f') @ weights['wte.weight'].T
    return torch.nn.functional.cross_entropy(logits[:, :-1].reshape(-1, logits.shape[-1]), ids[:, 1:].reshape(-1))


ids = [[[(b * 31 + i * i * 7 + step * 13) % 384 for i in range(12)] for b in range(2)] for step in range(4)]
optimizer = torch.optim.AdamW(weights.values(), lr=1e-3, weight_decay=0.01)
losses = []
for step in range(30):
    optimizer.zero_grad()
    loss = loss_of(torch.tensor(ids[step % 4]))
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
(here / 'torch-finetune.json').write_text(json.dumps({'lr': 1e-3, 'weightDecay': 0.01, 'ids': ids, 'losses': losses}) + '\n')
