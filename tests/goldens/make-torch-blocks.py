"""Makes torch-blocks.json with PyTorch: the operations of a transformer block and their gradients, the steps of the
optimisers, the schedules. Inputs are float32, all results float64. /usr/bin/python3 make-torch-blocks.py"""

import json
import math
import pathlib

import torch
import torch.nn.functional as F

g = torch.Generator().manual_seed(11)


def random(*dims, scale=1.0, shift=0.0):
    return (torch.randn(*dims, generator=g) * scale + shift).double().float().double()


def number(x):
    return float(f"{x:.9g}") if math.isfinite(x) else str(x).replace("inf", "Infinity")


def tensor(x):
    return {"dims": list(x.shape), "data": [number(v) for v in x.detach().flatten().tolist()]}


cases = []


def case(op, function, inputs, fixed={}, **options):
    """Adds a case. `inputs` get gradients, `fixed` (ids) do not. `function` takes both by name."""
    inputs = {name: x.clone().requires_grad_(True) for name, x in inputs.items()}
    y = function(**inputs, **fixed)
    upstream = random(*y.shape)
    gradients = torch.autograd.grad(y, list(inputs.values()), upstream)
    cases.append(
        {
            "op": op,
            "options": options,
            "inputs": {name: tensor(x) for name, x in {**inputs, **fixed}.items()},
            "output": tensor(y),
            "upstream": tensor(upstream),
            "gradients": {name: tensor(d) for name, d in zip(inputs, gradients)},
        }
    )


def layer(x, weight=None, bias=None, eps=1e-5):
    return F.layer_norm(x, x.shape[-1:], weight, bias, eps)


def rms(x, weight=None, eps=2.0**-23, plus=0):
    y = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
    return y if weight is None else y * (weight + plus)


for dims in [(3, 5), (2, 3, 33), (4, 1), (2, 64), (5,)]:
    C = dims[-1]
    case("layerNorm", layer, {"x": random(*dims), "weight": random(C), "bias": random(C)})
    case("rmsNorm", rms, {"x": random(*dims), "weight": random(C)})
case("layerNorm", layer, {"x": random(2, 7)})
case("layerNorm", layer, {"x": random(2, 7), "weight": random(7)})
case("layerNorm", lambda **a: layer(**a, eps=0.5), {"x": random(2, 6), "weight": random(6), "bias": random(6)}, eps=0.5)
case("layerNorm", layer, {"x": random(3, 9, scale=1e6, shift=3e6), "weight": random(9), "bias": random(9)})
case("layerNorm", layer, {"x": random(2, 9, scale=1e-6), "weight": random(9), "bias": random(9)})
case("layerNorm", layer, {"x": torch.full((2, 5), 3.0).double(), "weight": random(5), "bias": random(5)})
case("rmsNorm", rms, {"x": random(2, 7)})
case("rmsNorm", lambda **a: rms(**a, eps=1e-6, plus=1), {"x": random(2, 6), "weight": random(6)}, eps=1e-6, plusOne=True)
case("rmsNorm", rms, {"x": random(2, 9, scale=1e10), "weight": random(9)})

strange = torch.tensor([0.0, -0.0, 1e-20, -1e-20, 1e-4, 5.5, -5.5, 13.0, -13.0, 1e3, -1e3, 1e30, -1e30]).double()
values = torch.cat([strange, random(24, scale=3.0)])
case("gelu", lambda x: F.gelu(x), {"x": values})
case("gelu", lambda x: F.gelu(x, approximate="tanh"), {"x": torch.cat([strange[:-2], random(24, scale=3.0)])}, approximate="tanh")
case("relu", lambda x: F.relu(x), {"x": values})
case("silu", lambda x: F.silu(x), {"x": values})
case("swiglu", lambda gate, up: F.silu(gate) * up, {"gate": random(3, 7), "up": random(3, 7)})
case("geglu", lambda gate, up: F.gelu(gate) * up, {"gate": random(3, 7), "up": random(3, 7)})
halves = lambda f: lambda gate: f(gate.chunk(2, -1)[0]) * gate.chunk(2, -1)[1]
case("swiglu", halves(F.silu), {"gate": random(2, 3, 10)})
case("geglu", halves(lambda x: F.gelu(x, approximate="tanh")), {"gate": random(3, 2)}, approximate="tanh")

for op, f in [("add", torch.add), ("mul", torch.mul)]:
    case(op, lambda a, b: f(a, b), {"a": random(3, 5), "b": random(3, 5)})
    case(op, lambda a, b: f(a, b), {"a": random(2, 3, 5), "b": random(3, 5)})
    case(op, lambda a, b: f(a, b), {"a": random(2, 3, 6), "b": random(6)})
case("sumRows", lambda x: x.sum((0, 1)), {"x": random(2, 9, 70)})

ids = torch.tensor([[3, 0, 3], [6, 3, 1]])
case("embedding", lambda weight, ids: F.embedding(ids, weight), {"weight": random(7, 19)}, {"ids": ids})
case("embedding", lambda weight, ids: F.embedding(ids, weight, 3), {"weight": random(7, 4)}, {"ids": ids}, paddingIdx=3)

losses = []


def loss(logits, targets, weights=None, **options):
    logits = logits.clone().requires_grad_(True)
    words = {"ignore_index": "ignoreIndex", "label_smoothing": "labelSmoothing", "reduction": "reduction"}
    if weights is None:
        value = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.flatten(), **options)
    else:
        each = F.cross_entropy(logits, targets, reduction="none", **options) * weights
        value = each.sum() / (weights * (targets != -100)).sum()
    (gradient,) = torch.autograd.grad(value, logits)
    losses.append(
        {
            "logits": tensor(logits),
            "targets": tensor(targets),
            **({} if weights is None else {"weights": tensor(weights)}),
            "options": {words[name]: x for name, x in options.items()},
            "loss": number(value.item()),
            "gradient": tensor(gradient),
        }
    )


targets = torch.tensor([0, 4, -100, 2])
loss(random(4, 5), targets)
loss(random(4, 5), targets, reduction="sum")
loss(random(4, 5), targets, label_smoothing=0.1)
loss(random(4, 5), targets, label_smoothing=0.1, reduction="sum")
loss(random(4, 5), targets, torch.tensor([1.0, 0.3, 1.0, 0.0]).double())
loss(random(2, 3, 33, scale=30.0), torch.tensor([[1, 32, 7], [7, 7, 0]]), ignore_index=7, label_smoothing=0.25)
loss(random(2, 9, scale=1e4), torch.tensor([1, 8]))
loss(random(3, 1), torch.tensor([0, 0, 0]))
hidden = random(2, 6)
hidden[0, 2] = -math.inf
loss(hidden, torch.tensor([1, 2]))


def run(make, clip=None):
    """Five steps over two parameters with given gradients."""
    p = [random(3, 5).float(), random(7).float()]
    start = [tensor(x) for x in p]
    p = [x.clone().requires_grad_(True) for x in p]
    optimizer = make(p)
    gradients, norms = [], []
    for step in range(5):
        gs = [random(*x.shape, scale=3.0).float() for x in p]
        gradients.append([tensor(x) for x in gs])
        for x, d in zip(p, gs):
            x.grad = d.clone()
        if clip:
            norms.append(torch.nn.utils.clip_grad_norm_(p, clip).item())
        optimizer.step()
    return {"start": start, "gradients": gradients, "clip": clip, "norms": norms, "end": [tensor(x) for x in p]}


optimizers = []
for name, torch_options, options in [
    ("SGD", {"lr": 0.1}, {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}, {"lr": 0.1, "momentum": 0.9}),
    (
        "SGD",
        {"lr": 0.05, "momentum": 0.8, "dampening": 0.1, "weight_decay": 0.2},
        {"lr": 0.05, "momentum": 0.8, "dampening": 0.1, "weightDecay": 0.2},
    ),
    (
        "SGD",
        {"lr": 0.05, "momentum": 0.8, "nesterov": True, "weight_decay": 0.01},
        {"lr": 0.05, "momentum": 0.8, "nesterov": True, "weightDecay": 0.01},
    ),
    ("Adam", {"lr": 0.01}, {"lr": 0.01}),
    (
        "Adam",
        {"lr": 0.02, "betas": (0.8, 0.99), "eps": 1e-3, "weight_decay": 0.1},
        {"lr": 0.02, "betas": [0.8, 0.99], "eps": 1e-3, "weightDecay": 0.1},
    ),
    ("AdamW", {"lr": 0.01}, {"lr": 0.01}),
    ("AdamW", {"lr": 0.03, "weight_decay": 0.3}, {"lr": 0.03, "weightDecay": 0.3}),
]:
    for clip in [None, 2.0]:
        make = lambda p: getattr(torch.optim, name)(p, **torch_options)
        optimizers.append({"name": name, "options": options, **run(make, clip)})


def rates(make, steps):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=0.3)
    schedule = make(optimizer)
    list_ = []
    for _ in range(steps):
        list_.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return list_


lr = torch.optim.lr_scheduler
schedules = {
    "cosine": rates(lambda o: lr.CosineAnnealingLR(o, 20, eta_min=0.05), 21),
    "warmup": rates(lambda o: lr.LinearLR(o, 1 / 8, 1.0, 7), 12),
    "both": rates(
        lambda o: lr.SequentialLR(o, [lr.LinearLR(o, 1 / 5, 1.0, 4), lr.CosineAnnealingLR(o, 15)], [5]), 20
    ),
}
path = pathlib.Path(__file__).with_name("torch-blocks.json")
all_ = {"torch": torch.__version__, "cases": cases, "losses": losses, "optimizers": optimizers, "schedules": schedules}
path.write_text(json.dumps(all_, separators=(",", ":")) + "\n")
