"""Replaces the package transformers if only torch is installed: GPT-2 with its names of modules, from a folder of safetensors."""

import json
import struct
from types import SimpleNamespace

import torch
from torch import nn


def read(path):
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = bytearray(file.read())
    header.pop("__metadata__", None)
    return {
        name: torch.frombuffer(data, dtype=torch.float32, count=(to - start) // 4, offset=start).reshape(entry["shape"])
        for name, entry in header.items()
        for start, to in [entry["data_offsets"]]
    }


class Conv1D(nn.Module):
    def __init__(self, rows, columns):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(rows, columns))
        self.bias = nn.Parameter(torch.empty(columns))

    def forward(self, x):
        return x @ self.weight + self.bias


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads = heads
        self.c_attn, self.c_proj = Conv1D(d, 3 * d), Conv1D(d, d)

    def forward(self, x):
        batch, length, d = x.shape
        q, k, v = (part.view(batch, length, self.heads, -1).transpose(1, 2) for part in self.c_attn(x).split(d, -1))
        scores = q @ k.transpose(2, 3) / (d // self.heads) ** 0.5
        hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
        mixed = scores.masked_fill(hidden, float("-inf")).softmax(-1) @ v
        return self.c_proj(mixed.transpose(1, 2).reshape(batch, length, d))


class MLP(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.c_fc, self.c_proj = Conv1D(d, 4 * d), Conv1D(4 * d, d)

    def forward(self, x):
        return self.c_proj(nn.functional.gelu(self.c_fc(x), approximate="tanh"))


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn, self.mlp = Attention(d, heads), MLP(d)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return (x + self.mlp(self.ln_2(x)),)  # a tuple, as from a block of transformers


class AutoModelForCausalLM(nn.Module):
    def __init__(self, config):
        super().__init__()
        d = config["n_embd"]
        blocks = nn.ModuleList([Block(d, config["n_head"]) for _ in range(config["n_layer"])])
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(config["vocab_size"], d),
                "wpe": nn.Embedding(config["n_positions"], d),
                "h": blocks,
                "ln_f": nn.LayerNorm(d),
            }
        )

    @classmethod
    def from_pretrained(cls, folder, attn_implementation):
        with open(f"{folder}/config.json") as file:
            config = json.load(file)
        assert config["model_type"] == "gpt2" and attn_implementation == "eager"
        model = cls(config)
        for norm in (module for module in model.modules() if isinstance(module, nn.LayerNorm)):
            norm.eps = config["layer_norm_epsilon"]
        given = {name.replace("transformer.", ""): value for name, value in read(f"{folder}/model.safetensors").items()}
        given.pop("lm_head.weight", None)
        model.load_state_dict({f"transformer.{name}": value for name, value in given.items()})
        return model

    def forward(self, input_ids):
        parts = self.transformer
        x = parts["wte"](input_ids) + parts["wpe"](torch.arange(input_ids.shape[1]))
        for block in parts["h"]:
            (x,) = block(x)
        return SimpleNamespace(logits=parts["ln_f"](x) @ parts["wte"].weight.T)


class AutoTokenizer:
    pass
