"""What the families share."""
import math

import torch
from torch import nn


class Tree(nn.Module):
    """Modules by name."""

    def __init__(this, **modules):
        super().__init__()
        for name, module in modules.items():
            this.add_module(name.rstrip("_"), module)


def layers(count, make):
    return nn.ModuleList([make(i) for i in range(count)])


class Conv1D(nn.Module):
    """GPT-2's linear layer, whose weight is (in, out)."""

    def __init__(self, out, size):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.empty(size, out)), nn.Parameter(torch.empty(out))

    def forward(self, x):
        return x @ self.weight + self.bias


class RMSNorm(nn.Module):
    def __init__(self, size, eps, plus=0):
        super().__init__()
        self.weight, self.eps, self.plus = nn.Parameter(torch.empty(size)), eps, plus

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * (self.weight + self.plus)


ACT = {
    "gelu": nn.functional.gelu,
    "gelu_new": lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": nn.functional.silu,
    "relu": nn.functional.relu,
}
ACT |= {"gelu_pytorch_tanh": ACT["gelu_new"], "swish": ACT["silu"]}


def split(x, heads):
    return x.unflatten(-1, (heads, -1)).transpose(1, 2)


def causal(length, window=None):
    """What is added to the scores: 0, or the lowest number where a query may not look."""
    i, j = torch.arange(length)[:, None], torch.arange(length)[None]
    seen = (j <= i) & (j > i - (window or length))
    return torch.zeros(length, length).masked_fill(~seen, torch.finfo(torch.float32).min)


def attend(q, k, v, mask, scale, cap=None):
    """(B, H, L, D) and (B, G, S, D): outputs of the heads side by side."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(2, 3) * scale
    if cap:
        scores = torch.tanh(scores / cap) * cap
    weights = nn.functional.softmax(scores + mask, dim=-1)
    return (weights @ v).transpose(1, 2).flatten(2)


def rotate(x, frequencies):
    angles = torch.arange(x.shape[2])[:, None] * frequencies
    angles = torch.cat((angles, angles), -1)
    part, rest = x[..., : angles.shape[-1]], x[..., angles.shape[-1] :]
    a, b = part.chunk(2, -1)
    return torch.cat((part * angles.cos() + torch.cat((-b, a), -1) * angles.sin(), rest), -1)


def frequencies(c, size, share=1.0):
    theta = c.get("rope_theta", c.get("rotary_emb_base", 10000.0))
    size = int(size * share)
    found = theta ** (-torch.arange(0, size, 2) / size)
    scaling = c.get("rope_scaling", None)
    if not scaling:
        return found
    if scaling.get("rope_type", scaling.get("type")) == "linear":
        return found / scaling["factor"]
    low, high, old = scaling["low_freq_factor"], scaling["high_freq_factor"], scaling["original_max_position_embeddings"]
    share = ((old * found / (2 * math.pi) - low) / (high - low)).clamp(0, 1)
    return (1 - share) * found / scaling["factor"] + share * found
