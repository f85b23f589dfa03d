#!/usr/bin/env python3
# Writes tests/goldens/sentence-modules.json: what PyTorch makes of rows by the modules of sentence-transformers (6.0), written as its
# Pooling, Dense, LayerNorm and Normalize compute them: weights, rows (L, d) of two texts, and the embeddings.

import json
import os

import torch
from torch import nn

torch.manual_seed(3)
MODES = ['cls', 'max', 'mean', 'mean_sqrt_len_tokens', 'weightedmean', 'lasttoken']
D = 6


def pooled(h, mode, start):
    mask = torch.ones(h.shape[0])
    mask[:start] = 0
    if mode == 'cls':
        return h[mask.to(torch.int).argmax()]
    if mode == 'max':
        return h.masked_fill(mask[:, None] == 0, float('-inf')).max(dim=0).values
    if mode == 'lasttoken':
        return h[-1] * mask[-1]
    weights = mask * torch.arange(1, h.shape[0] + 1) if mode == 'weightedmean' else mask
    total = (h * weights[:, None]).sum(dim=0)
    divisor = torch.clamp(weights.sum(), min=1e-9)
    return total / (torch.sqrt(divisor) if mode == 'mean_sqrt_len_tokens' else divisor)


def dense(inputs, outputs, activation='Tanh', bias=True, residual=False):
    layer = nn.Linear(inputs, outputs, bias=bias)
    other = nn.Linear(inputs, outputs, bias=False) if residual and inputs != outputs else None
    act = getattr(nn, activation)()
    weights = {'linear.weight': layer.weight, **({'linear.bias': layer.bias} if bias else {}), **({'residual.weight': other.weight} if other else {})}

    def run(x):
        out = act(layer(x))
        return out + (other(x) if other else x) if residual else out

    name = f'torch.nn.modules.{"linear" if activation == "Identity" else "activation"}.{activation}'
    config = {'in_features': inputs, 'out_features': outputs, 'bias': bias, 'activation_function': name, **({'use_residual': True} if residual else {})}
    return {'kind': 'Dense', 'config': config, 'weights': weights, 'run': run}


def layer_norm(d):
    norm = nn.LayerNorm(d)
    nn.init.normal_(norm.weight)
    nn.init.normal_(norm.bias)
    return {'kind': 'LayerNorm', 'config': {'dimension': d}, 'weights': {'norm.weight': norm.weight, 'norm.bias': norm.bias}, 'run': norm}


def normalize():
    return {'kind': 'Normalize', 'weights': {}, 'run': lambda x: nn.functional.normalize(x, p=2, dim=-1)}


def legacy(*modes):
    names = {'cls': 'cls_token', 'max': 'max_tokens', 'mean': 'mean_tokens', 'weightedmean': 'weightedmean_tokens'}
    return {'word_embedding_dimension': D, 'pooling_mode_mean_tokens': False, **{f'pooling_mode_{names.get(mode, mode)}': True for mode in modes}}


CASES = [
    *[{'pooling': {'embedding_dimension': D, 'pooling_mode': mode}, 'modes': [mode]} for mode in MODES],
    *[{'pooling': legacy(mode), 'modes': [mode]} for mode in MODES],
    {'pooling': legacy('lasttoken', 'cls', 'weightedmean'), 'modes': ['cls', 'weightedmean', 'lasttoken']},
    {'pooling': {'embedding_dimension': D, 'pooling_mode': ['mean', 'cls']}, 'modes': ['mean', 'cls']},
    {'pooling': {'word_embedding_dimension': D}, 'modes': ['mean']},
    *[{'pooling': {'embedding_dimension': D, 'pooling_mode': mode, 'include_prompt': False}, 'modes': [mode], 'start': 2} for mode in MODES],
    {'modes': ['mean'], 'after': [dense(D, 9)]},
    {'modes': ['mean'], 'after': [dense(D, 9, 'Identity', bias=False), dense(9, D, 'Identity', bias=False), normalize()]},
    *[{'modes': ['cls'], 'after': [dense(D, 5, name)]} for name in ['ReLU', 'Sigmoid', 'SiLU', 'GELU']],
    {'modes': ['mean', 'max'], 'after': [dense(2 * D, 4, residual=True), dense(4, 4, residual=True)]},
    {'modes': ['mean'], 'after': [layer_norm(D)]},
    {'modes': ['mean'], 'after': [normalize(), dense(D, D, 'GELU'), layer_norm(D), normalize()]},
]

texts = [torch.randn(5, D) * 2, torch.randn(3, D)]
cases = []
with torch.no_grad():
    for case in CASES:
        start, after = case.get('start', 0), case.get('after', [])
        out = []
        for h in texts:
            x = torch.cat([pooled(h, mode, start) for mode in case['modes']])
            for module in after:
                x = module['run'](x)
            out.append(x.tolist())
        pooling = case.get('pooling', {'pooling_mode': case['modes']})
        stored = [{'kind': each['kind'], 'config': each.get('config'), 'weights': {name: {'dims': list(w.shape), 'data': w.flatten().tolist()} for name, w in each['weights'].items()}} for each in after]
        cases.append({'pooling': pooling, 'start': start, 'after': stored, 'out': out})
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'sentence-modules.json')
with open(path, 'w') as file:
    json.dump({'texts': [h.tolist() for h in texts], 'cases': cases}, file)
    file.write('\n')
print(len(cases))
