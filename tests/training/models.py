"""Runs the models of tests/training.test.js in PyTorch: reads a job as a line of JSON (initial weights and batches), trains, and
prints the losses and the weights at the end as JSON. /usr/bin/python3 models.py <job.json
With "turns" in the job it instead makes a step for each further line that it reads, and prints a line after it (npm run bench)."""

import json
import math
import sys

import torch
import torch.nn.functional as F

torch.set_num_threads(1)
job = json.loads(sys.stdin.readline())
p = {name: torch.tensor(x["data"]).reshape(x["dims"]).requires_grad_(True) for name, x in job["state"].items()}
H = job["heads"]


def heads(x):
    B, T, d = x.shape
    return x.view(B, T, H, d // H).transpose(1, 2)


def attend(q, k, v):
    T = q.shape[-2]
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    hidden = torch.triu(torch.ones(T, T, dtype=torch.bool), 1)
    return (torch.softmax(scores.masked_fill(hidden, -math.inf), -1) @ v).transpose(1, 2).flatten(2)


def rope(x, base):
    T, D = x.shape[-2:]
    angle = torch.arange(T)[:, None].double() * base ** (-torch.arange(0, D, 2).double() / D)
    c, s = angle.cos().float(), angle.sin().float()
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack([a * c - b * s, a * s + b * c], -1).flatten(-2)


def induction(ids):
    h = F.embedding(ids, p["embed"])
    for l in range(2):
        q, k, v = (heads(F.linear(h, p[f"{l}.{name}"])) for name in "qkv")
        h = h + F.linear(attend(rope(q, 100.0), rope(k, 100.0), v), p[f"{l}.o"])
    return F.linear(h, p["unembed"])


def gpt(ids):
    drop = lambda x: F.dropout(x, 0.1)
    h = drop(F.embedding(ids, p["embed"]) + p["position"])
    norm = lambda x, name: F.layer_norm(x, x.shape[-1:], p[f"{name}.weight"], p[f"{name}.bias"])
    for l in range(2):
        qkv = F.linear(norm(h, f"{l}.ln1"), p[f"{l}.qkv"])
        q, k, v = (heads(x) for x in qkv.chunk(3, -1))
        h = h + drop(F.linear(attend(q, k, v), p[f"{l}.o"], p[f"{l}.o.bias"]))
        up = F.gelu(F.linear(norm(h, f"{l}.ln2"), p[f"{l}.up"], p[f"{l}.up.bias"]))
        h = h + drop(F.linear(up, p[f"{l}.down"], p[f"{l}.down.bias"]))
    return F.linear(norm(h, "ln"), p["embed"])


torch.manual_seed(job["seed"])
options = job["optimizer"]
optimizer = getattr(torch.optim, options.pop("name"))(list(p.values()), **options)


def step(batch):
    logits = {"induction": induction, "gpt": gpt}[job["model"]](torch.tensor(batch["ids"]))
    loss = F.cross_entropy(logits.flatten(0, 1), torch.tensor(batch["targets"]).flatten(), ignore_index=-1)
    optimizer.zero_grad()
    loss.backward()
    if job["clip"]:
        torch.nn.utils.clip_grad_norm_(list(p.values()), job["clip"])
    optimizer.step()
    return loss.item()


if job.get("turns"):
    step(job["batches"][0])
    blas = "OpenBLAS" if "openblas" in open("/proc/self/maps").read() else "its BLAS"
    print(f"PyTorch {torch.__version__} with {blas}", flush=True)
    for _ in sys.stdin:
        step(job["batches"][0])
        print("done", flush=True)
    sys.exit()
losses = [step(batch) for batch in job["batches"]]
print(json.dumps({"torch": torch.__version__, "losses": losses, "state": {name: x.flatten().tolist() for name, x in p.items()}}))
