# pip install torch transformers; python program.py FOLDER
import sys
import torch
from transformers import AutoTokenizer, AutoModelForSeq2SeqLM

folder = sys.argv[1] if len(sys.argv) > 1 else "model"
model = AutoModelForSeq2SeqLM.from_pretrained(folder, attn_implementation="eager").float().eval()
ids = AutoTokenizer.from_pretrained(folder)("The keys to the cabinet are on the table.", return_tensors="pt").input_ids
decoder_ids = {
    "before": torch.tensor([[359,136,3,199,117,276,32,160,273,8,43,29,137,5,48,13,174,18,111,4]]),
    "after": torch.tensor([[359,136,3,199,117,276,32,160,273,8,43,29,137,5,48,13,174,18,111,4]]),
}


def top(name):
    with torch.no_grad():
        logits = model(input_ids=ids, decoder_input_ids=decoder_ids[name]).logits[0, 0]
    shares, found = logits.softmax(-1).topk(8)
    print(name)
    for share, token in zip(shares.tolist(), found.tolist()):
        print(token, f"{share:.6f}")


top("before")


# What leaves the layers with the second text, before anything is changed.
def first(output):
    return output[0] if isinstance(output, tuple) else output


other = AutoTokenizer.from_pretrained(folder)("line one\nline two", return_tensors="pt").input_ids
kept = {}
paths = {"model.encoder.layers.0":[None,1],"model.decoder.layers.0":[0]}
saving = [
    model.get_submodule(path).register_forward_hook(
        lambda module, args, output, path=path: kept.update({path: first(output).clone()})
    )
    for path in paths
]
with torch.no_grad():
    model(input_ids=other, decoder_input_ids=torch.tensor([[359,47,246,77,229,47,315,33,30,47,53,51,75,286,192,33,30,47,53,246,246,246,47,53,246,246,246,246,246,246,47,53,246,246,47,53,246,246,246,246,162,246,162,246,77,30,47,53,246,162,246,77,176,207,47,53,176,33,30,47]]))
for handle in saving:
    handle.remove()


# What enters the output projection are the heads side by side: (batch, length, heads * size).
def scale_heads(changes):
    def hook(module, args):
        x = args[0].clone()
        size = x.shape[-1] // model.config.num_attention_heads
        for head, how in changes:
            part = x[..., head * size : (head + 1) * size]
            part[:] = part.mean(1, keepdim=True).expand_as(part) if how == "mean" else part * how
        return (x, *args[1:])
    return hook


model.get_submodule("model.encoder.layers.1.self_attn.out_proj").register_forward_pre_hook(scale_heads([[0,0]]))
model.get_submodule("model.decoder.layers.1.self_attn.out_proj").register_forward_pre_hook(scale_heads([[0,"mean"]]))
model.get_submodule("model.decoder.layers.1.encoder_attn.out_proj").register_forward_pre_hook(scale_heads([[1,0.5]]))


# Scores and weights stand before and after the softmax of a layer: it is wrapped while that layer runs.
softmax = torch.nn.functional.softmax


def edit(hidden, held):
    def changed(scores, *args, **options):
        scores = scores.clone()
        for head, query, key in hidden:
            scores[..., head, query, key] = -torch.inf
        weights = softmax(scores, *args, **options).nan_to_num(0)
        for head, query in {(head, query) for head, query, _, _ in held}:
            own = {key: value for h, q, key, value in held if (h, q) == (head, query)}
            line, taken = weights[..., head, query, :], sum(own.values())
            line[..., list(own)] = 0
            rest = line.sum()
            full = taken >= 1 or rest == 0
            line *= 0 if full else (1 - taken) / rest
            for key, value in own.items():
                line[..., key] = value / taken if full and taken else value
        return weights

    def before(module, args):
        torch.nn.functional.softmax = changed

    def after(module, args, output):
        torch.nn.functional.softmax = softmax

    return before, after


before, after = edit([[0,2,1]], [])
attention = model.get_submodule("model.encoder.layers.1.self_attn")
attention.register_forward_pre_hook(before)
attention.register_forward_hook(after)
before, after = edit([[0,0,2]], [[0,0,1,0.4]])
attention = model.get_submodule("model.decoder.layers.0.encoder_attn")
attention.register_forward_pre_hook(before)
attention.register_forward_hook(after)
before, after = edit([], [[1,0,0,0.3]])
attention = model.get_submodule("model.decoder.layers.1.self_attn")
attention.register_forward_pre_hook(before)
attention.register_forward_hook(after)


def patch(path, rows):
    def hook(module, args, output):
        length = min(first(output).shape[1], kept[path].shape[1])
        for row in range(length):
            if None in rows or row in rows:
                first(output)[:, row] = kept[path][:, row]
    return hook


for path, rows in paths.items():
    model.get_submodule(path).register_forward_hook(patch(path, rows))

top("after")
