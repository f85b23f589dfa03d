"""Jacobian and tuned lenses of small decoders, by autograd in float64.

For each text the Jacobian matrix of layer l is the mean over source positions of the gradients of the last state, summed over target positions,
both from `first` to the one before the last. An encoder-decoder reads the other text with its encoder. The tuned lens is trained with SGD as in
the tuned-lens package, one text a step: torch.optim.SGD with Nesterov's momentum, the gradient of a layer clipped to a norm of 1.
The decoders are those of make-models.py and eight folders beside them.
Run: python3 tests/goldens/make-lens.py (PyTorch 1.13). Writes lens.json, lens.safetensors, and lens.pt, lens-bfloat16.pt and tuned-lens.pt,
lenses of the first model as published ones are stored.
"""
import importlib.util
import json
import os
import struct

import torch
import torch.nn.functional as F

HERE = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("make_models", os.path.join(HERE, "make-models.py"))
models = importlib.util.module_from_spec(spec)
spec.loader.exec_module(models)

FIRST = 3
TEXTS = [[5, 9, 30, 5, 9, 17, 20, 31, 2, 11, 30, 5], [12, 7, 7, 33, 1, 25, 8, 39, 14, 3]]
TUNED = {"passes": 3, "rate": 0.5}
HALF = {"mistral"}  # stored in float16


def load(folder):
    config = json.load(open(os.path.join(models.HERE, folder, "config.json")))
    weights = {}
    names = [name for name in sorted(os.listdir(os.path.join(models.HERE, folder))) if name.endswith(".safetensors") and name.startswith("model")]
    for name in names:
        raw = open(os.path.join(models.HERE, folder, name), "rb").read()
        (size,) = struct.unpack("<Q", raw[:8])
        for key, item in json.loads(raw[8 : 8 + size]).items():
            if key == "__metadata__":
                continue
            dtype = {"F32": torch.float32, "BF16": torch.bfloat16, "F16": torch.float16}.get(item["dtype"])
            if dtype:
                start, end = item["data_offsets"]
                weights[key] = torch.frombuffer(bytearray(raw[8 + size + start : 8 + size + end]), dtype=dtype).view(item["shape"])
    return config, weights


def cases():
    """Yields for each folder its name, weights, run, and whether it is an encoder-decoder."""
    for name, (_, _, weights, run, side) in models.CASES.items():
        if side in ("left", "both") and "sequence" not in name and "tokens" not in name:
            yield f"{name}-made", ({key: value.half() for key, value in weights.items()} if name in HALF else weights), run, side == "both"
    c, w = load("gpt2-tiny")
    w = {key if key.startswith("transformer.") else f"transformer.{key}": value for key, value in w.items() if not key.endswith(".attn.bias")}
    yield "gpt2-tiny", w, (lambda w, i, c=c: models.run_gpt2(w, c, i["ids"], i["mask"])), False
    c, w = load("llama-tiny-sharded")
    half = models.inverse_frequencies(c["hidden_size"] // c["num_attention_heads"], c["rope_theta"])
    yield "llama-tiny-sharded", w, (lambda w, i, c=c, f=half: models.run_llama(w, c, i["ids"], i["mask"], (None,) * 3, f)), False
    c, w = load("gpt-neo-tiny")
    yield "gpt-neo-tiny", w, (lambda w, i, c=c: run_neo(w, c, i["ids"], i["mask"])), False
    sandwich = {"style": "sandwich", "norm": "plus", "act": "gelu_new", "scale": 20**-0.5}
    sandwich["norms"] = ["input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"]
    c, w = load("gemma2-tiny")
    c["tie_word_embeddings"] = True
    n = {**sandwich, "embedding": 48**0.5, "windows": [5, None] * 2, "frequencies": models.inverse_frequencies(16, c["rope_theta"])}
    yield "gemma2-tiny", w, (lambda w, i, c=c, n=n: capped(c["attn_logit_softcapping"], lambda: models.run_decoder(w, c, i["ids"], i["mask"], n))), False
    c, w = load("gemma3-tiny")
    c["tie_word_embeddings"] = True
    local, whole = (models.inverse_frequencies(16, theta) for theta in (c["rope_local_base_freq"], c["rope_theta"]))
    n = {**sandwich, "embedding": 40**0.5, "qk": "heads", "windows": [5, 5, None, 5], "frequencies": [local, local, whole / 8, local]}
    yield "gemma3-tiny", w, (lambda w, i, c=c, n=n: models.run_decoder(w, c, i["ids"], i["mask"], n)), False
    for name in ("bart-tiny", "marian-tiny"):
        c, w = load(name)
        yield name, w, (lambda w, i, c=c: run_after(w, c, i["ids"], i["decoder"])), True
    c, w = load("qwen3-tiny-bf16")
    n = {"qk": "heads", "frequencies": models.inverse_frequencies(c["head_dim"], c["rope_theta"])}
    yield "qwen3-tiny-bf16", w, (lambda w, i, c=c, n=n: models.run_decoder(w, c, i["ids"], i["mask"], n)), False


def run_neo(w, c, ids, mask):
    """Runs a GPT-Neo, whose scores are not scaled, and whose layers 1 and 3 see a window."""
    H, eps, out = c["num_heads"], c["layer_norm_epsilon"], {}
    h = w["transformer.wte.weight"][ids] + w["transformer.wpe.weight"][models.left_positions(mask)]
    out["hidden.0"] = h
    for i, kind in enumerate(c["attention_layers"]):
        at = f"transformer.h.{i}."
        x = models.layer_norm(w, at + "ln_1", h, eps)
        q, k, v = (models.split(models.lin(w, f"{at}attn.attention.{p}_proj", x), H) for p in "qkv")
        _, y = models.attend(q, k, v, models.causal(mask, c["window_size"] if kind == "local" else None), 1.0)
        h = h + models.lin(w, at + "attn.attention.out_proj", y)
        x = models.layer_norm(w, at + "ln_2", h, eps)
        h = h + models.lin(w, at + "mlp.c_proj", models.ACT["gelu_new"](models.lin(w, at + "mlp.c_fc", x)))
        out[f"hidden.{i + 1}"] = h
    return out


def run_after(w, c, ids, decoder_ids):
    """Runs a BART or Marian, whose norms follow the sums. BART learns its positions, Marian has sinusoids."""
    d, eps, out = c["d_model"], 1e-5, {}
    act = {**models.ACT, "swish": F.silu}[c["activation_function"]]

    def stack(name, ids, seen, encoded=None):
        H, top = c[f"{name}_attention_heads"], f"model.{name}."
        h = w["model.shared.weight"][ids] * (d**0.5 if c["scale_embedding"] else 1)
        if top + "layernorm_embedding.weight" in w:
            h = models.layer_norm(w, top + "layernorm_embedding", h + w[top + "embed_positions.weight"][torch.arange(ids.shape[1]) + 2], eps)
        else:
            h = h + models.marian_positions(ids, d, c["pad_token_id"]).to(h.dtype)
        for i in range(c[f"{name}_layers"]):
            at = f"{top}layers.{i}."
            for part, source, mask in (("self_attn", None, seen), ("encoder_attn", encoded, None))[: 1 if encoded is None else 2]:
                source = h if source is None else source
                mask = torch.ones(1, 1, h.shape[1], source.shape[1], dtype=torch.bool) if mask is None else mask
                q, k, v = (models.split(models.lin(w, f"{at}{part}.{p}_proj", x), H) for p, x in (("q", h), ("k", source), ("v", source)))
                _, y = models.attend(q, k, v, mask, (d // H) ** -0.5)
                h = models.layer_norm(w, f"{at}{part}_layer_norm", h + models.lin(w, f"{at}{part}.out_proj", y), eps)
            y = models.lin(w, at + "fc2", act(models.lin(w, at + "fc1", h)))
            h = models.layer_norm(w, at + "final_layer_norm", h + y, eps)
            out[f"{name}.hidden.{i + 1}"] = h
        return h

    out["decoder.hidden.0"] = None
    stack("decoder", decoder_ids, models.causal(torch.ones_like(decoder_ids)), stack("encoder", ids, None))
    return out


def capped(cap, run):
    """Runs with capped scores, as Gemma 2 has them."""
    plain = models.attend

    def attend(q, k, v, mask, scale):
        k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
        scores = cap * torch.tanh(q @ k.transpose(-1, -2) * scale / cap)
        weights = scores.masked_fill(~mask, float("-inf")).softmax(-1)
        return weights, (weights @ v).transpose(1, 2).flatten(2)

    models.attend = attend
    try:
        return run()
    finally:
        models.attend = plain


def states_of(run, weights, n, both):
    ids = torch.tensor([TEXTS[n]])
    given = {"ids": ids, "mask": torch.ones_like(ids)}
    if both:
        given["decoder"], given["ids"] = ids, torch.tensor([TEXTS[1 - n]])
        given["mask"] = torch.ones_like(given["ids"])
    out = run(weights, given)
    start = "decoder.hidden." if both else "hidden."
    return [out[key] for key in sorted(key for key in out if key.startswith(start))][1:], out


def matrices(run, weights, n, both):
    states, _ = states_of(run, weights, n, both)
    last, valid = states[-1], slice(FIRST, states[-1].shape[1] - 1)
    rows = [[] for _ in states[:-1]]
    for i in range(last.shape[-1]):
        total = last[0, valid, i].sum()
        for own, gradient in zip(rows, torch.autograd.grad(total, states[:-1], retain_graph=True)):
            own.append(gradient[0, valid].mean(0))
    return [torch.stack(own) for own in rows]


def neox_head(w, h):
    return models.lin(w, "embed_out", models.layer_norm(w, "gpt_neox.final_layer_norm", h, models.NEOX["layer_norm_eps"]))


def llama_head(w, h):
    return F.linear(models.rms(w, "model.norm", h, models.LLAMA3["rms_norm_eps"]), w.get("lm_head.weight", w["model.embed_tokens.weight"]))


def cohere_head(w, h):
    return 0.25 * F.linear(models.norm_of("bare")(w, "model.norm", h, models.COHERE["layer_norm_eps"]), w["model.embed_tokens.weight"])


HEADS = {"gpt_neox-made": neox_head, "llama3-made": llama_head, "cohere-made": cohere_head}


def tuned(run, weights, head):
    """Trains the maps h + W h + b. Returns W and b of each layer, and the mean over the last pass of the KL divergence before each step."""
    with torch.no_grad():
        runs = [states_of(run, weights, n, False) for n in range(len(TEXTS))]
        for states, out in runs:
            assert (head(weights, states[-1]) - out["logits"]).abs().max() < 1e-9
    maps, d, total = [], runs[0][0][0].shape[-1], TUNED["passes"] * len(TEXTS)
    for layer in range(len(runs[0][0]) - 1):
        W, b = torch.zeros(d, d, dtype=torch.float64, requires_grad=True), torch.zeros(d, dtype=torch.float64, requires_grad=True)
        optimizer = torch.optim.SGD([W, b], lr=0.1 * TUNED["rate"], momentum=0.9, nesterov=True, weight_decay=1e-3)
        losses = []
        for step in range(total):
            for group in optimizer.param_groups:
                group["lr"] = 0.1 * TUNED["rate"] * (1 - step / total)
            states, _ = runs[step % len(TEXTS)]
            h, answer = states[layer], head(weights, states[-1]).log_softmax(-1)
            said = head(weights, h + F.linear(h, W, b)).log_softmax(-1)
            loss = (answer.exp() * (answer - said)).sum(-1).mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_([W, b], 1.0)
            optimizer.step()
            losses.append(loss.item())
        maps.append((W.detach(), b.detach(), sum(losses[-len(TEXTS) :]) / len(TEXTS)))
    return maps


tensors, names, tunings = {}, {}, {}
for name, weights, run, both in cases():
    weights = {key: value.double().requires_grad_() for key, value in weights.items()}
    names[name] = "both" if both else "decoder"
    of_texts = [matrices(run, weights, n, both) for n in range(len(TEXTS))]
    for layer, pair in enumerate(zip(*of_texts)):
        tensors[f"{name}/{layer}"] = (sum(pair) / len(TEXTS)).float()
    if name in HEADS:
        weights = {key: value.detach() for key, value in weights.items()}
        tunings[name] = []
        for layer, (W, b, loss) in enumerate(tuned(run, weights, HEADS[name])):
            tensors[f"{name}/{layer}/weight"], tensors[f"{name}/{layer}/bias"] = W.float(), b.float()
            tunings[name].append(loss)
models.save(os.path.join(HERE, "lens.safetensors"), tensors)
with open(os.path.join(HERE, "lens.json"), "w") as file:
    json.dump({"first": FIRST, "texts": TEXTS, "models": names, "tuned": {**TUNED, "losses": tunings}}, file)
    file.write("\n")
for path, dtype in (("lens.pt", torch.float16), ("lens-bfloat16.pt", torch.bfloat16)):
    J = {layer: tensors[f"gpt_neox-made/{layer}"].to(dtype) for layer in range(2)}
    torch.save({"J": J, "n_prompts": len(TEXTS), "source_layers": [0, 1], "d_model": 32}, os.path.join(HERE, path))
package = torch.nn.ModuleList([torch.nn.Linear(32, 32) for _ in range(3)])  # the first is of the embedding
for layer in range(2):
    package[layer + 1].weight.data, package[layer + 1].bias.data = (tensors[f"gpt_neox-made/{layer}/{key}"] for key in ("weight", "bias"))
torch.manual_seed(0)
torch.save(package.state_dict(), os.path.join(HERE, "tuned-lens.pt"))
