"""Makes torch-options.json with PyTorch: add_bias_kv, add_zero_attn and T5's buckets. /usr/bin/python3 make-torch-options.py"""

import json
import math
import pathlib

import torch


def tensor(x):
    dtype = {torch.float32: "float32", torch.int64: "int64", torch.bool: "bool"}[x.dtype]
    return {"shape": list(x.shape), "dtype": dtype, "data": x.detach().flatten().tolist()}


def multihead(name, **options):
    torch.manual_seed(17)
    mha = torch.nn.MultiheadAttention(8, 2, batch_first=True, **options)
    sizes = {"query": 8, "key": options.get("kdim", 8), "value": options.get("vdim", 8)}
    rows = {"query": 3, "key": 5, "value": 5}
    inputs = {part: torch.randn(2, rows[part], sizes[part]) for part in sizes}
    state = {key: tensor(value) for key, value in mha.state_dict().items()}
    padding = torch.tensor([[0, 0, 0, 0, 0], [0, 0, 0, 1, 1]], dtype=torch.bool)
    hidden = torch.triu(torch.ones(3, 5, dtype=torch.bool), 2)
    expected = {}
    for call, more in {
        "plain": {},
        "masked": {"key_padding_mask": padding, "attn_mask": hidden},
        "float": {"attn_mask": torch.where(hidden, -1.5, 0.25)},
    }.items():
        output, weights = mha(**inputs, average_attn_weights=False, **more)
        expected[call] = {"output": tensor(output), "weights": tensor(weights)}
    return {
        "name": name,
        "options": options,
        "inputs": {part: tensor(x) for part, x in inputs.items()},
        "state": state,
        "key_padding_mask": tensor(padding),
        "attn_mask": tensor(hidden),
        "expected": expected,
    }


def buckets(bidirectional, n, max_distance):
    """The buckets of distances -300 ... 300, key minus query."""
    distance = torch.arange(-300, 301)
    start = torch.zeros_like(distance)
    if bidirectional:
        n //= 2
        start = (distance > 0) * n
        steps = distance.abs()
    else:
        steps = (-distance).clamp(min=0)
    exact = n // 2
    share = torch.log(steps.clamp(min=1).float() / exact) / math.log(max_distance / exact)
    far = exact + (share * (n - exact)).long()
    return start + torch.where(steps < exact, steps, far.clamp(max=n - 1))


cases = [
    multihead("bias_kv", add_bias_kv=True),
    multihead("zero_attn", add_zero_attn=True),
    multihead("both, other sizes", add_bias_kv=True, add_zero_attn=True, kdim=6, vdim=5),
    multihead("both, no biases", add_bias_kv=True, add_zero_attn=True, bias=False),
]
relative = [
    {"bidirectional": b, "buckets": n, "maxDistance": far, "first": -300, "expected": buckets(b, n, far).tolist()}
    for b, n, far in [(True, 32, 128), (False, 32, 128), (True, 8, 20), (False, 6, 200)]
]
path = pathlib.Path(__file__).with_name("torch-options.json")
path.write_text(json.dumps({"torch": torch.__version__, "multihead": cases, "relative": relative}, indent=None) + "\n")
