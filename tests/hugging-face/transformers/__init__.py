"""A small stand-in for the package `transformers`, so that the programs of the page's room "Models" can be run in tests.

It has the calls that those programs make (AutoTokenizer, AutoModelFor..., from_pretrained) and, on PyTorch, each family's
tree of modules under the names of the original. The names are checked: a checkpoint must load into the tree without a
missing or an unexpected tensor. Attention calls `nn.functional.softmax` on scores, as "eager" attention does there. No
dropout, no cache, no padding: one text. The tokenizer knows the texts of a golden folder's expected.json, with the ids of the
native library.
"""
import json
import os
import re
import types

import numpy
import torch
from torch import nn

from .decoders import GPT2, Llama, NeoX, Phi
from .encoder_decoders import T5, Marian
from .encoders import Bert, DistilBert

SIZES = {"F32": numpy.float32, "F16": numpy.float16, "BF16": numpy.uint16}
# Names of sizes that differ between families: in transformers `attribute_map` of the configs.
SAME = {"hidden_size": ("n_embd", "dim", "d_model"), "num_attention_heads": ("n_head", "n_heads", "num_heads", "encoder_attention_heads")}
SAME |= {"num_hidden_layers": ("n_layer", "n_layers", "num_layers")}


class Config(types.SimpleNamespace):
    def __getattr__(self, name):
        for other in SAME.get(name, ()):
            if other in self.__dict__:
                return self.__dict__[other]
        raise AttributeError(name)

    def get(self, name, default):
        value = self.__dict__.get(name)
        return default if value is None else value


def read_tensors(path):
    with open(path, "rb") as file:
        size = int.from_bytes(file.read(8), "little")
        header, data = json.loads(file.read(size)), file.read()
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        start, end = entry["data_offsets"]
        numbers = numpy.frombuffer(data[start:end], SIZES[entry["dtype"]])
        if entry["dtype"] == "BF16":
            numbers = (numbers.astype(numpy.uint32) << 16).view(numpy.float32)
        yield name, torch.tensor(numbers.astype(numpy.float32)).reshape(entry["shape"])


FAMILIES = {"gpt2": GPT2, "gpt_neox": NeoX, "phi": Phi, "bert": Bert, "roberta": Bert, "distilbert": DistilBert, "t5": T5, "marian": Marian}
FAMILIES |= {name: Llama for name in ("llama", "mistral", "qwen2", "qwen3", "gemma2")}


class Model(nn.Module):
    """What from_pretrained returns: it answers with `.logits`."""

    def __init__(self, tree, config):
        super().__init__()
        self.tree, self.config = [tree], config  # in a list: no part of the names

    def forward(self, **inputs):
        return types.SimpleNamespace(logits=self.tree[0](**inputs))

    def get_submodule(self, target):
        return self.tree[0].get_submodule(target)


def auto(*kinds):
    class Auto:
        @staticmethod
        def from_pretrained(folder, attn_implementation):
            assert attn_implementation == "eager", "only eager attention calls softmax"
            with open(os.path.join(folder, "config.json")) as file:
                config = Config(**json.load(file))
            assert config.model_type in kinds, f"{config.model_type} is none of {kinds}"
            tree = FAMILIES[config.model_type](config)
            stored = {}
            for name in sorted(os.listdir(folder)):
                if re.fullmatch(r"model.*\.safetensors", name):
                    stored.update(read_tensors(os.path.join(folder, name)))
            prefix, ignored, tied = getattr(tree, "prefix", ""), getattr(tree, "ignored", "^$"), getattr(tree, "tied", {})
            own = tree.state_dict()
            found = {name if name.startswith(prefix) or name in own else prefix + name: tensor for name, tensor in stored.items()}
            found = {name: tensor for name, tensor in found.items() if name in own or not re.search(ignored, name)}
            assert set(found) <= set(own), f"unexpected: {set(found) - set(own)}"
            assert set(own) - set(found) <= set(tied), f"missing: {set(own) - set(found)}"
            tree.load_state_dict(found, strict=False)
            for name, weight in tied.items():
                tree.get_submodule(name.rpartition(".")[0]).weight = weight
            return Model(tree, config)

    return Auto


AutoModelForCausalLM = auto("gpt2", "gpt_neox", "phi", "llama", "mistral", "qwen2", "qwen3", "gemma2")
AutoModelForMaskedLM = auto("bert", "roberta", "distilbert")
AutoModelForSeq2SeqLM = auto("t5", "marian")


class AutoTokenizer:
    @staticmethod
    def from_pretrained(folder):
        with open(os.path.join(folder, "expected.json")) as file:
            known = {entry["text"]: entry["ids"] for entry in json.load(file)["tokenization"]}

        def tokenize(text, return_tensors):
            assert return_tensors == "pt"
            return types.SimpleNamespace(input_ids=torch.tensor([known[text]]))

        return tokenize
