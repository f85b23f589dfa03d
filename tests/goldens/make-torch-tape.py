"""Makes torch-tape.json with PyTorch: operations of a tape and their gradients, initialisers, permutations, states of a
generator, groups of parameters. Inputs are float32, results of operations float64. /usr/bin/python3 make-torch-tape.py"""

import base64
import json
import math
import pathlib

import torch
import torch.nn.functional as F

g = torch.Generator().manual_seed(21)


def random(*dims, scale=1.0):
    return (torch.randn(dims, generator=g) * scale).double().float().double()


def number(x):
    return float(f"{x:.9g}") if math.isfinite(x) else str(x).replace("inf", "Infinity")


def tensor(x):
    return {"dims": list(x.shape), "data": [number(v) for v in x.detach().flatten().tolist()]}


cases = []


def case(op, function, inputs, *args):
    """`args`: arguments of the tape's method after the operands; those of cat are a list."""
    inputs = {name: x.clone().requires_grad_(True) for name, x in inputs.items()}
    y = function(*inputs.values())
    upstream = random(*y.shape)
    gradients = torch.autograd.grad(y, list(inputs.values()), upstream)
    cases.append(
        {
            "op": op,
            "args": list(args),
            "inputs": {name: tensor(x) for name, x in inputs.items()},
            "output": tensor(y),
            "upstream": tensor(upstream),
            "gradients": {name: tensor(d) for name, d in zip(inputs, gradients)},
        }
    )


x = {"x": random(2, 3, 4)}
strange = torch.tensor([0.0, -0.0, 1e-20, 1e-4, -1e-4, 0.7, 5.5, -5.5, 13.0, -13.0, 80.0, -80.0, 88.5, -87.0]).double()
values = {"x": torch.cat([strange.float().double(), random(24, scale=3.0)])}
positive = {"x": torch.cat([torch.tensor([1e-30, 1e-4, 1.0, 3e38]), torch.rand(20, generator=g) * 9]).double()}
for op in ["tanh", "sigmoid", "exp"]:
    case(op, getattr(torch, op), values)
case("log", torch.log, positive)
for dim in [None, 0, -1, [0, 2], [1], []]:
    for keep in [False, True]:
        options = {"keepdim": keep} if dim is None else {"dim": dim, "keepdim": keep}
        for op in ["sum", "mean"]:
            f = getattr(torch, op)
            case(op, lambda a: f(a, dim=(0, 1, 2) if dim is None else dim, keepdim=keep), x, options)
case("sum", torch.sum, x)
case("mean", torch.mean, x)
case("sum", lambda a: a.sum(-1), {"x": random()}, {"dim": -1})
case("permute", lambda a: a.permute(2, 0, 1), x, [2, 0, 1])
case("permute", lambda a: a.permute(-1, 1, 0), x, [-1, 1, 0])
case("slice", lambda a: a[:, 1:3], x, 1, 1, 3)
case("slice", lambda a: a[..., -3:-1], x, -1, -3, -1)
case("slice", lambda a: a[1:], x, 0, 1)
case("expand", lambda a: a.expand(5, -1, 2), {"x": random(3, 1)}, [5, -1, 2])
pair = {"a": random(2, 3), "b": random(4, 3)}
case("cat", lambda *a: torch.cat(a), pair)
case("cat", lambda *a: torch.cat(a, 1), {"a": random(2, 3), "b": random(2, 1), "c": random(2, 0)}, {"dim": 1})
case("cat", lambda *a: torch.cat(a, -1), {"a": random(2, 2, 3), "b": random(2, 2, 20)}, {"dim": -1})
for op in ["add", "sub", "mul"]:
    for left, right in [((3, 4), (3, 4)), ((2, 3, 4), (4,)), ((2, 3, 4), (2, 1, 4)), ((3, 1), (1, 4)), ((4,), (3, 1)), ((2, 3), ())]:
        case(op, getattr(torch, op), {"a": random(*left), "b": random(*right)})
for reduction in ["mean", "sum", "none"]:
    f = lambda a, b: F.mse_loss(a, b, reduction=reduction)
    case("mseLoss", f, {"input": random(3, 5), "target": random(3, 5)}, {"reduction": reduction})
case("mseLoss", F.mse_loss, {"input": random(9), "target": random(9)})
for axis in [0, 1, -1]:
    case("softmax", lambda a: torch.softmax(a, axis), x, {"dim": axis})

inits = []


def init(name, dims, function, options={}):
    torch.manual_seed(len(inits))
    w = torch.empty(*dims)
    function(w)
    inits.append({"name": name, "seed": len(inits), "dims": dims, "options": options, "expected": tensor(w)})


i = torch.nn.init
for dims in [[5, 7], [3, 2, 4], [20, 9]]:
    init("xavierUniform", dims, i.xavier_uniform_)
    init("xavierUniform", dims, lambda w: i.xavier_uniform_(w, gain=5 / 3), {"gain": 5 / 3})
    init("xavierNormal", dims, lambda w: i.xavier_normal_(w, 0.5), {"gain": 0.5})
    init("kaimingUniform", dims, i.kaiming_uniform_)
    init("kaimingUniform", dims, lambda w: i.kaiming_uniform_(w, a=math.sqrt(5)), {"a": math.sqrt(5)})
    relu = {"mode": "fanOut", "nonlinearity": "relu"}
    init("kaimingUniform", dims, lambda w: i.kaiming_uniform_(w, mode="fan_out", nonlinearity="relu"), relu)
    init("kaimingNormal", dims, i.kaiming_normal_)
    init("kaimingNormal", dims, lambda w: i.kaiming_normal_(w, nonlinearity="tanh"), {"nonlinearity": "tanh"})
init("uniform", [33], i.uniform_)
init("uniform", [3, 5], lambda w: i.uniform_(w, -2, 3), {"a": -2, "b": 3})
init("normal", [7], i.normal_)
init("normal", [33], lambda w: i.normal_(w, 1, 0.02), {"mean": 1, "std": 0.02})
gains = {name: i.calculate_gain(theirs) for name, theirs in {"linear": "linear", "sigmoid": "sigmoid", "tanh": "tanh", "relu": "relu", "leakyRelu": "leaky_relu", "selu": "selu"}.items()}
gains["leakyRelu 0.2"] = i.calculate_gain("leaky_relu", 0.2)

permutations = []
for seed, n in [(0, 0), (1, 1), (2, 2), (3, 10), (4, 257), (5, 1000)]:
    own = torch.Generator().manual_seed(seed)
    order = torch.randperm(n, generator=own)
    permutations.append({"seed": seed, "order": order.tolist(), "next": torch.rand(2, generator=own).tolist()})

states = []
for seed, draws in [(1, []), (2, [7]), (3, [16, 5]), (4, [624]), (5, [700, 3])]:
    own = torch.Generator().manual_seed(seed)
    for n in draws:
        torch.randn(n, generator=own)
    state = base64.b64encode(bytes(own.get_state().tolist())).decode()
    after = {"randn": tensor(torch.randn(3, generator=own)), "rand": tensor(torch.rand(3, generator=own))}
    states.append({"seed": seed, "draws": draws, "state": state, "next": after})

groups = []
for name, own, torch_groups, ours in [
    ("SGD", {"lr": 0.1, "momentum": 0.9}, [{"lr": 0.01}, {"weight_decay": 0.2}], [{"lr": 0.01}, {"weightDecay": 0.2}]),
    ("Adam", {"lr": 0.01}, [{"lr": 0.1, "weight_decay": 0.3}, {}], [{"lr": 0.1, "weightDecay": 0.3}, {}]),
    ("AdamW", {"lr": 0.02}, [{"lr": 0.0}, {"weight_decay": 0.0}], [{"lr": 0}, {"weightDecay": 0}]),
]:
    start = [random(3, 5).float(), random(7).float(), random(2, 2).float()]
    p = [x.clone().requires_grad_(True) for x in start]
    rest = [{"params": [p[0]]}, {**torch_groups[0], "params": [p[1]]}, {**torch_groups[1], "params": [p[2]]}]
    optimizer = getattr(torch.optim, name)(rest, **own)
    gradients = []
    for step in range(5):
        if step == 3:
            for group in optimizer.param_groups:
                group["lr"] = 0.03
        gradients.append([random(*x.shape).float() for x in p])
        for x, d in zip(p, gradients[-1]):
            x.grad = d.clone()
        optimizer.step()
    groups.append(
        {
            "name": name,
            "options": own,
            "groups": ours,
            "start": [tensor(x) for x in start],
            "gradients": [[tensor(d) for d in ds] for ds in gradients],
            "end": [tensor(x) for x in p],
        }
    )

path = pathlib.Path(__file__).with_name("torch-tape.json")
all_ = {"torch": torch.__version__, "cases": cases, "inits": inits, "gains": gains, "permutations": permutations, "states": states, "groups": groups}
path.write_text(json.dumps(all_, separators=(",", ":")) + "\n")
