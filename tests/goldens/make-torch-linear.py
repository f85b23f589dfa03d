"""Makes torch-linear.json with PyTorch: linear with an activation and a residual. /usr/bin/python3 make-torch-linear.py"""

import json
import pathlib

import torch
import torch.nn.functional as F

ACTIVATIONS = {
    "none": lambda x: x,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "relu": F.relu,
    "silu": F.silu,
}


def tensor(x):
    return {"shape": list(x.shape), "dtype": "float32", "data": [float(f"{v:.9g}") for v in x.detach().flatten().tolist()]}


cases = []
torch.manual_seed(12)
for rows, activation in [(m, a) for m in (1, 2, 9) for a in ACTIVATIONS]:
    x, weight, bias, residual = torch.randn(rows, 7), torch.randn(9, 7), torch.randn(9), torch.randn(rows, 9)
    x.requires_grad_(), weight.requires_grad_(), bias.requires_grad_()
    product = F.linear(x, weight, bias)
    d_y = torch.randn(rows, 9)
    product.backward(d_y)
    cases.append(
        {
            "activation": activation,
            "inputs": {"x": tensor(x), "weight": tensor(weight), "bias": tensor(bias), "residual": tensor(residual), "dY": tensor(d_y)},
            "expected": {
                "y": tensor(ACTIVATIONS[activation](product) + residual),
                "dX": tensor(x.grad),
                "dWeight": tensor(weight.grad),
                "dBias": tensor(bias.grad),
            },
        }
    )
path = pathlib.Path(__file__).with_name("torch-linear.json")
path.write_text(json.dumps({"torch": torch.__version__, "cases": cases}) + "\n")
