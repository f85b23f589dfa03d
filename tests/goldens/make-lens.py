"""Jacobian lenses of the made decoders of make-models.py, by autograd in float64.

For each text the matrix of layer l is the mean over source positions of the gradients of the last state, summed over target positions, both
from `first` to the one before the last. Run: python3 tests/goldens/make-lens.py (PyTorch 1.13). Writes lens.json,
lens.safetensors, and lens.pt, the matrices of the first model as published lenses have them.
"""
import importlib.util
import json
import os

import torch

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("make_models", os.path.join(HERE, "make-models.py"))
models = importlib.util.module_from_spec(spec)
spec.loader.exec_module(models)

FIRST = 3
TEXTS = [[5, 9, 30, 5, 9, 17, 20, 31, 2, 11, 30, 5], [12, 7, 7, 33, 1, 25, 8, 39, 14, 3]]
NAMES = ["gpt_neox", "llama3", "mistral", "olmo2", "opt", "phi", "qwen2", "smollm3"]


def matrices(run, weights, ids):
    double = {name: value.double().requires_grad_() for name, value in weights.items()}
    ids = torch.tensor([ids])
    out = run(double, {"ids": ids, "mask": torch.ones_like(ids)})
    states = [out[key] for key in sorted(key for key in out if key.startswith("hidden."))]
    last, valid = states[-1], slice(FIRST, ids.shape[1] - 1)
    rows = [[] for _ in states[1:-1]]
    for i in range(last.shape[-1]):
        total = last[0, valid, i].sum()
        for own, gradient in zip(rows, torch.autograd.grad(total, states[1:-1], retain_graph=True)):
            own.append(gradient[0, valid].mean(0))
    return [torch.stack(own) for own in rows]


tensors = {}
for name in NAMES:
    _, _, weights, run, _ = models.CASES[name]
    weights = {key: value.half() if name == "mistral" else value for key, value in weights.items()}  # as they are stored
    of_texts = [matrices(run, weights, ids) for ids in TEXTS]
    for layer, pair in enumerate(zip(*of_texts)):
        tensors[f"{name}/{layer}"] = (sum(pair) / len(TEXTS)).float()
models.save(os.path.join(HERE, "lens.safetensors"), tensors)
with open(os.path.join(HERE, "lens.json"), "w") as file:
    json.dump({"first": FIRST, "texts": TEXTS, "models": NAMES}, file)
    file.write("\n")
half = {layer: tensors[f"{NAMES[0]}/{layer}"].half() for layer in range(2)}
torch.save({"J": half, "n_prompts": len(TEXTS), "source_layers": [0, 1], "d_model": 32}, os.path.join(HERE, "lens.pt"))
