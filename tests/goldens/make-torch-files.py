"""Makes torch-files/ with PyTorch: small files of torch.save, usual and unusual ones. /usr/bin/python3 make-torch-files.py"""

import collections
import json
import pathlib

import torch

here = pathlib.Path(__file__).parent / "torch-files"
torch.manual_seed(7)
shared = torch.randn(4, 3)
whole = collections.OrderedDict(
    {
        "float": torch.randn(2, 3, 5),
        "half": torch.randn(7).half(),
        "bfloat": torch.randn(3, 1).bfloat16(),
        "tied": shared,
        "tied again": shared,
        "rows 1 to 2": shared[1:3],
        "parameter": torch.nn.Parameter(torch.randn(2)),
        "ids": torch.arange(5),
        "flags": torch.tensor([True, False]),
        "scalar": torch.tensor(2.5),
        "empty": torch.zeros(0, 3),
        "Wörter": torch.full((70,), 1.5),
    }
)
whole._metadata = {"": {"version": 2}}


class Code:
    def __reduce__(self):
        return print, ("this must not run",)


class Negated:
    """A tensor with the bit neg, as PyTorch 2 writes it."""

    def __reduce__(self):
        storage = torch.arange(3.0).storage()
        return torch._utils._rebuild_tensor_v2, (storage, 0, (3,), (1,), False, collections.OrderedDict(), {"neg": self.bit})


negated, plain = Negated(), Negated()
negated.bit, plain.bit = True, False
strange = {
    "negated": {"w": negated},
    "not-negated": {"w": plain},
    "empty": {"w": torch.zeros(0, 4)[:, 2:]},
    "turned": {"w": torch.randn(2, 3).T},
    "code": {"w": torch.randn(2), "x": Code()},
    "module": torch.nn.Linear(2, 2),
    "nested": {"model": {"w": torch.randn(2)}},
    "list": [torch.randn(2)],
    "number": {"w": torch.randn(2), "epoch": 3},
    "sparse": {"w": torch.eye(2).to_sparse()},
}


def save(name, value):
    for kind, is_zip in (("zip", True), ("older", False)):
        torch.save(value, here / f"{name}.{kind}.bin", _use_new_zipfile_serialization=is_zip)


here.mkdir(exist_ok=True)
save("whole", whole)
for name, value in strange.items():
    save(name, value)
FLOATS = ("torch.float32", "torch.float16", "torch.bfloat16")
expected = {
    name: {"dims": list(x.shape), "data": x.detach().float().flatten().tolist() if str(x.dtype) in FLOATS else None}
    for name, x in whole.items()
}
(here / "whole.json").write_text(json.dumps(expected, ensure_ascii=False))
