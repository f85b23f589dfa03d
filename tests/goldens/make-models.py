"""Makes small checkpoints of the families that tests/goldens/models/README.md describes without a folder, and their activations.

Each forward pass is written out as the original definition has it, in float64. `float32_error` is the error of the same pass in float32.
Run: python3 tests/goldens/make-models.py [NAME ...] (PyTorch 1.13). Writes tests/goldens/models/NAME-made/ for each name, or for all.
"""
import json
import math
import os
import re
import struct
import sys

import torch
import torch.nn.functional as F

HERE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")


def save(path, tensors):
    header, data, at = {}, [], 0
    for name, t in tensors.items():
        t = t.contiguous()
        raw = t.numpy().tobytes()
        header[name] = {"dtype": "F16" if t.dtype == torch.float16 else "F32", "shape": list(t.shape), "data_offsets": [at, at + len(raw)]}
        data.append(raw)
        at += len(raw)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + b"".join(data))


class Maker:
    """Random weights by name; biases away from 0, norms away from 1."""

    def __init__(self, seed):
        self.g = torch.Generator().manual_seed(seed)
        self.w = {}

    def normal(self, name, *shape, std=1.0, mean=0.0):
        self.w[name] = mean + std * torch.randn(*shape, generator=self.g)

    def linear(self, name, out, size, bias=True, std=None):
        self.normal(name + ".weight", out, size, std=std or 1.4 / math.sqrt(size))
        if bias:
            self.normal(name + ".bias", out, std=0.3)

    def norm(self, name, size, bias=True, mean=1.0):
        self.normal(name + ".weight", size, std=0.3, mean=mean)
        if bias:
            self.normal(name + ".bias", size, std=0.3)


ACT = {
    "gelu": F.gelu,
    "gelu_new": lambda x: 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "silu": F.silu,
    "relu": F.relu,
}


def lin(w, name, x):
    return F.linear(x, w[name + ".weight"], w.get(name + ".bias"))


def layer_norm(w, name, x, eps):
    return F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w[name + ".bias"], eps)


def rms(w, name, x, eps):
    return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * w[name + ".weight"]


def split(x, heads):
    return x.view(x.shape[0], x.shape[1], heads, -1).transpose(1, 2)


def rotate_half(x):
    a, b = x.chunk(2, -1)
    return torch.cat((-b, a), -1)


def rope(x, positions, inv_freq, gain=1.0):
    """x (B,H,L,D); the first 2 * len(inv_freq) numbers of a head are rotated and multiplied by gain."""
    angles = positions[:, :, None].to(x.dtype) * inv_freq.to(x.dtype)
    emb = torch.cat((angles, angles), -1)[:, None]
    n = emb.shape[-1]
    part, rest = x[..., :n], x[..., n:]
    return torch.cat(((part * emb.cos() + rotate_half(part) * emb.sin()) * gain, rest), -1)


def attend(q, k, v, mask, scale, bias=None):
    """mask (B,1,L,S) boolean; key heads are repeated."""
    k = k.repeat_interleave(q.shape[1] // k.shape[1], 1)
    v = v.repeat_interleave(q.shape[1] // v.shape[1], 1)
    scores = q @ k.transpose(-1, -2) * scale
    if bias is not None:
        scores = scores + bias
    weights = scores.masked_fill(~mask, float("-inf")).softmax(-1).nan_to_num(0)
    return weights, (weights @ v).transpose(1, 2).flatten(2)


def causal(mask, window=None):
    L = mask.shape[1]
    i, j = torch.arange(L)[:, None], torch.arange(L)[None]
    seen = j <= i
    if window:
        seen = seen & (j > i - window)
    return seen[None, None] & mask[:, None, None, :].bool()


def left_positions(mask):
    return (mask.cumsum(-1) - 1).clamp(min=0)


def inverse_frequencies(dim, theta):
    return theta ** (-torch.arange(0, dim, 2, dtype=torch.float64) / dim)


# --- decoders ---------------------------------------------------------------------------------------------------------


def make_llama(c, seed, biases=(False,) * 4):
    m, d, D = Maker(seed), c["hidden_size"], c.get("head_dim") or c["hidden_size"] // c["num_attention_heads"]
    H, G, inner = c["num_attention_heads"], c["num_key_value_heads"], c["intermediate_size"]
    m.normal("model.embed_tokens.weight", c["vocab_size"], d)
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        for name, out, bias in zip("qkv", (H * D, G * D, G * D), biases):
            m.linear(f"{at}self_attn.{name}_proj", out, d, bias)
        m.linear(f"{at}self_attn.o_proj", d, H * D, biases[3])
        for name in ("gate", "up"):
            m.linear(f"{at}mlp.{name}_proj", inner, d, c.get("mlp_bias", False))
        m.linear(f"{at}mlp.down_proj", d, inner, c.get("mlp_bias", False))
        m.norm(f"{at}input_layernorm", d, False)
        m.norm(f"{at}post_attention_layernorm", d, False)
    m.norm("model.norm", d, False)
    if not c.get("tie_word_embeddings", False):
        m.linear("lm_head", c["vocab_size"], d, False)
    return m.w


def run_llama(w, c, ids, mask, windows, inv_freq, gain=1.0, turns=(True,) * 3):
    if callable(inv_freq):
        inv_freq = inv_freq(int(left_positions(mask).max()) + 1)
    H, G = c["num_attention_heads"], c["num_key_value_heads"]
    eps, out, positions = c["rms_norm_eps"], {}, left_positions(mask)
    h = w["model.embed_tokens.weight"][ids]
    out["hidden.0"] = h
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        x = rms(w, at + "input_layernorm", h, eps)
        q, k, v = (split(lin(w, f"{at}self_attn.{p}_proj", x), heads) for p, heads in (("q", H), ("k", G), ("v", G)))
        if turns[i]:
            q, k = rope(q, positions, inv_freq, gain), rope(k, positions, inv_freq, gain)
        weights, y = attend(q, k, v, causal(mask, windows[i]), q.shape[-1] ** -0.5)
        h = h + lin(w, at + "self_attn.o_proj", y)
        x = rms(w, at + "post_attention_layernorm", h, eps)
        h = h + lin(w, at + "mlp.down_proj", F.silu(lin(w, at + "mlp.gate_proj", x)) * lin(w, at + "mlp.up_proj", x))
        out[f"attention.{i}"], out[f"hidden.{i + 1}"] = weights, h
    out["final"] = rms(w, "model.norm", h, eps)
    head = w.get("lm_head.weight", w["model.embed_tokens.weight"])
    out["logits"] = F.linear(out["final"], head)
    return out


def llama3_frequencies(c):
    s = c["rope_scaling"]
    f = inverse_frequencies(c["head_dim"], c["rope_theta"])
    old, low, high = s["original_max_position_embeddings"], s["low_freq_factor"], s["high_freq_factor"]
    wave = 2 * math.pi / f
    scaled = torch.where(wave > old / low, f / s["factor"], f)
    smooth = (old / wave - low) / (high - low)
    middle = (1 - smooth) * scaled / s["factor"] + smooth * scaled
    between = ~(wave < old / high) & ~(wave > old / low)
    return torch.where(between, middle, scaled)


def yarn_frequencies(c):
    """(1 - ramp) f + ramp f / factor, where the ramp goes over the pairs from low to high; and the factor of cosines and sines."""
    s, dim, theta = c["rope_scaling"], c["hidden_size"] // c["num_attention_heads"], c["rope_theta"]
    f = inverse_frequencies(dim, theta)
    pair = lambda turns: dim * math.log(s["original_max_position_embeddings"] / (turns * 2 * math.pi)) / (2 * math.log(theta))
    low, high = max(math.floor(pair(s.get("beta_fast", 32))), 0), min(math.ceil(pair(s.get("beta_slow", 1))), dim - 1)
    ramp = ((torch.arange(dim // 2, dtype=torch.float64) - low) / (high - low if high > low else 0.001)).clamp(0, 1)
    return f / s["factor"] * ramp + f * (1 - ramp), 0.1 * math.log(s["factor"]) + 1


def dynamic_frequencies(c):
    factor, old, dim = c["rope_scaling"]["factor"], c["max_position_embeddings"], c["hidden_size"] // c["num_attention_heads"]
    grown = lambda length: c["rope_theta"] * (factor * max(length, old) / old - (factor - 1)) ** (dim / (dim - 2))
    return lambda length: inverse_frequencies(dim, grown(length))


def make_olmo2(c, seed):
    w = make_llama(c, seed)
    m, d, D = Maker(seed + 100), c["hidden_size"], c["hidden_size"] // c["num_attention_heads"]
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        del w[at + "input_layernorm.weight"]
        m.norm(at + "post_feedforward_layernorm", d, False)
        m.norm(at + "self_attn.q_norm", c["num_attention_heads"] * D, False)
        m.norm(at + "self_attn.k_norm", c["num_key_value_heads"] * D, False)
    return {**w, **m.w}


def run_olmo2(w, c, ids, mask):
    H, G, eps = c["num_attention_heads"], c["num_key_value_heads"], c["rms_norm_eps"]
    inv_freq, positions, out = inverse_frequencies(c["hidden_size"] // H, c["rope_theta"]), left_positions(mask), {}
    h = w["model.embed_tokens.weight"][ids]
    out["hidden.0"] = h
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        q = rope(split(rms(w, at + "self_attn.q_norm", lin(w, at + "self_attn.q_proj", h), eps), H), positions, inv_freq)
        k = rope(split(rms(w, at + "self_attn.k_norm", lin(w, at + "self_attn.k_proj", h), eps), G), positions, inv_freq)
        weights, y = attend(q, k, split(lin(w, at + "self_attn.v_proj", h), G), causal(mask), q.shape[-1] ** -0.5)
        h = h + rms(w, at + "post_attention_layernorm", lin(w, at + "self_attn.o_proj", y), eps)
        y = lin(w, at + "mlp.down_proj", F.silu(lin(w, at + "mlp.gate_proj", h)) * lin(w, at + "mlp.up_proj", h))
        h = h + rms(w, at + "post_feedforward_layernorm", y, eps)
        out[f"attention.{i}"], out[f"hidden.{i + 1}"] = weights, h
    out["final"] = rms(w, "model.norm", h, eps)
    out["logits"] = lin(w, "lm_head", out["final"])
    return out


def make_opt(c, seed):
    m, d, at = Maker(seed), c["hidden_size"], "model.decoder."
    m.normal(at + "embed_tokens.weight", c["vocab_size"], d)
    m.normal(at + "embed_positions.weight", c["max_position_embeddings"] + 2, d)
    for i in range(c["num_hidden_layers"]):
        layer = f"{at}layers.{i}."
        for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
            m.linear(f"{layer}self_attn.{name}", d, d)
        m.linear(layer + "fc1", c["ffn_dim"], d)
        m.linear(layer + "fc2", d, c["ffn_dim"])
        m.norm(layer + "self_attn_layer_norm", d)
        m.norm(layer + "final_layer_norm", d)
    m.norm(at + "final_layer_norm", d)
    return m.w


def run_opt(w, c, ids, mask):
    H, out, top = c["num_attention_heads"], {}, "model.decoder."
    h = w[top + "embed_tokens.weight"][ids] + w[top + "embed_positions.weight"][mask.cumsum(-1) * mask - 1 + 2]
    out["hidden.0"] = h
    for i in range(c["num_hidden_layers"]):
        at = f"{top}layers.{i}."
        x = layer_norm(w, at + "self_attn_layer_norm", h, 1e-5)
        q, k, v = (split(lin(w, f"{at}self_attn.{p}_proj", x), H) for p in "qkv")
        weights, y = attend(q, k, v, causal(mask), q.shape[-1] ** -0.5)
        h = h + lin(w, at + "self_attn.out_proj", y)
        x = layer_norm(w, at + "final_layer_norm", h, 1e-5)
        h = h + lin(w, at + "fc2", F.relu(lin(w, at + "fc1", x)))
        out[f"attention.{i}"], out[f"hidden.{i + 1}"] = weights, h
    out["final"] = layer_norm(w, top + "final_layer_norm", h, 1e-5)
    out["logits"] = F.linear(out["final"], w[top + "embed_tokens.weight"])
    return out


def make_gpt2(c, seed):
    m, d = Maker(seed), c["n_embd"]
    m.normal("transformer.wte.weight", c["vocab_size"], d)
    m.normal("transformer.wpe.weight", c["n_positions"], d)
    for i in range(c["n_layer"]):
        at = f"transformer.h.{i}."
        for name, size, out in (("attn.c_attn", d, 3 * d), ("attn.c_proj", d, d), ("mlp.c_fc", d, 4 * d), ("mlp.c_proj", 4 * d, d)):
            m.normal(f"{at}{name}.weight", size, out, std=1.4 / math.sqrt(size))  # (in, out)
            m.normal(f"{at}{name}.bias", out, std=0.3)
        m.norm(at + "ln_1", d)
        m.norm(at + "ln_2", d)
    m.norm("transformer.ln_f", d)
    return m.w


def run_gpt2(w, c, ids, mask):
    H, eps, out = c["n_head"], c["layer_norm_epsilon"], {}
    conv = lambda name, x: x @ w[name + ".weight"] + w[name + ".bias"]
    h = w["transformer.wte.weight"][ids] + w["transformer.wpe.weight"][left_positions(mask)]
    out["hidden.0"] = h
    for i in range(c["n_layer"]):
        at = f"transformer.h.{i}."
        q, k, v = (split(part, H) for part in conv(at + "attn.c_attn", layer_norm(w, at + "ln_1", h, eps)).chunk(3, -1))
        weights, y = attend(q, k, v, causal(mask), q.shape[-1] ** -0.5)
        h = h + conv(at + "attn.c_proj", y)
        x = layer_norm(w, at + "ln_2", h, eps)
        h = h + conv(at + "mlp.c_proj", ACT["gelu_new"](conv(at + "mlp.c_fc", x)))
        out[f"attention.{i}"], out[f"hidden.{i + 1}"] = weights, h
    out["final"] = layer_norm(w, "transformer.ln_f", h, eps)
    return out


def make_neox(c, seed):
    m, d = Maker(seed), c["hidden_size"]
    m.normal("gpt_neox.embed_in.weight", c["vocab_size"], d)
    for i in range(c["num_hidden_layers"]):
        at = f"gpt_neox.layers.{i}."
        m.linear(at + "attention.query_key_value", 3 * d, d)
        m.linear(at + "attention.dense", d, d)
        m.linear(at + "mlp.dense_h_to_4h", c["intermediate_size"], d)
        m.linear(at + "mlp.dense_4h_to_h", d, c["intermediate_size"])
        m.norm(at + "input_layernorm", d)
        m.norm(at + "post_attention_layernorm", d)
        m.normal(at + "attention.rotary_emb.inv_freq", 4)  # to be ignored
    m.norm("gpt_neox.final_layer_norm", d)
    m.linear("embed_out", c["vocab_size"], d, False)
    return m.w


def run_neox(w, c, ids, mask):
    d, H, eps = c["hidden_size"], c["num_attention_heads"], c["layer_norm_eps"]
    D = d // H
    inv_freq, positions, out = inverse_frequencies(int(D * c["rotary_pct"]), c["rotary_emb_base"]), left_positions(mask), {}
    h = w["gpt_neox.embed_in.weight"][ids]
    out["hidden.0"] = h
    for i in range(c["num_hidden_layers"]):
        at = f"gpt_neox.layers.{i}."
        x = layer_norm(w, at + "input_layernorm", h, eps)
        qkv = lin(w, at + "attention.query_key_value", x).view(*x.shape[:2], H, 3 * D)
        q, k, v = (part.transpose(1, 2) for part in qkv.split(D, -1))
        weights, y = attend(rope(q, positions, inv_freq), rope(k, positions, inv_freq), v, causal(mask), D**-0.5)
        y = lin(w, at + "attention.dense", y)

        def mlp(x):
            x = layer_norm(w, at + "post_attention_layernorm", x, eps)
            return lin(w, at + "mlp.dense_4h_to_h", ACT[c["hidden_act"]](lin(w, at + "mlp.dense_h_to_4h", x)))

        if c["use_parallel_residual"]:
            h = h + y + mlp(h)
        else:
            h = h + y
            h = h + mlp(h)
        out[f"attention.{i}"], out[f"hidden.{i + 1}"] = weights, h
    out["final"] = layer_norm(w, "gpt_neox.final_layer_norm", h, eps)
    out["logits"] = lin(w, "embed_out", out["final"])
    return out


def make_phi(c, seed):
    m, d, inner = Maker(seed), c["hidden_size"], c["intermediate_size"]
    D, G = d // c["num_attention_heads"], c["num_key_value_heads"]
    m.normal("model.embed_tokens.weight", c["vocab_size"], d)
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        for name, out in (("q_proj", d), ("k_proj", G * D), ("v_proj", G * D), ("dense", d)):
            m.linear(f"{at}self_attn.{name}", out, d)
        m.linear(at + "mlp.fc1", inner, d)
        m.linear(at + "mlp.fc2", d, inner)
        m.norm(at + "input_layernorm", d)
    m.norm("model.final_layernorm", d)
    m.linear("lm_head", c["vocab_size"], d)
    return m.w


def run_phi(w, c, ids, mask):
    d, H, G, eps = c["hidden_size"], c["num_attention_heads"], c["num_key_value_heads"], c["layer_norm_eps"]
    D, out, positions = d // H, {}, left_positions(mask)
    inv_freq = inverse_frequencies(int(D * c["partial_rotary_factor"]), c["rope_theta"])
    h = w["model.embed_tokens.weight"][ids]
    out["hidden.0"] = h
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        x = layer_norm(w, at + "input_layernorm", h, eps)
        q = rope(split(lin(w, at + "self_attn.q_proj", x), H), positions, inv_freq)
        k = rope(split(lin(w, at + "self_attn.k_proj", x), G), positions, inv_freq)
        weights, y = attend(q, k, split(lin(w, at + "self_attn.v_proj", x), G), causal(mask), D**-0.5)
        h = h + lin(w, at + "self_attn.dense", y) + lin(w, at + "mlp.fc2", ACT["gelu_new"](lin(w, at + "mlp.fc1", x)))
        out[f"attention.{i}"], out[f"hidden.{i + 1}"] = weights, h
    out["final"] = layer_norm(w, "model.final_layernorm", h, eps)
    out["logits"] = lin(w, "lm_head", out["final"])
    return out


# --- decoders that differ in a few things ------------------------------------------------------------------------------


def turn_neighbours(x, positions, inv_freq):
    """x (B,H,L,D); numbers 2i and 2i + 1 rotate together, in the first 2 * len(inv_freq) numbers of a head."""
    angles = (positions[:, :, None].to(x.dtype) * inv_freq.to(x.dtype)).repeat_interleave(2, -1)[:, None]
    n = angles.shape[-1]
    part, rest = x[..., :n], x[..., n:]
    turned = torch.stack((-part[..., 1::2], part[..., ::2]), -1).flatten(-2)
    return torch.cat((part * angles.cos() + turned * angles.sin(), rest), -1)


def around(mask, window):
    """Keys on both sides whose distance is below the window."""
    L = mask.shape[1]
    near = (torch.arange(L)[:, None] - torch.arange(L)[None]).abs() < (window or L)
    return near[None, None] & mask[:, None, None, :].bool()


def norm_of(kind):
    """The norm of a name: 'rms', 'plus' (rms with weight + 1), 'layer', 'bare' (a layer norm without bias) or 'none' (without weight)."""
    def run(w, name, x, eps):
        if kind == "rms":
            return rms(w, name, x, eps)
        if kind == "plus":
            return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps) * (1 + w[name + ".weight"])
        weight = None if kind == "none" else w[name + ".weight"]
        return F.layer_norm(x, x.shape[-1:], weight, w.get(name + ".bias"), eps)
    return run


def sizes_of(c):
    H = c["num_attention_heads"]
    return H, c.get("num_key_value_heads") or H, c.get("head_dim") or c["hidden_size"] // H


def make_decoder(c, seed, n):
    """n: the differences from Llama."""
    m, d, inner = Maker(seed), c["hidden_size"], c["intermediate_size"]
    H, G, D = sizes_of(c)
    norms, kind = n.get("norms", ["input_layernorm", "post_attention_layernorm"]), n.get("norm", "rms")
    norm = lambda name, size=d: None if kind == "none" else m.norm(name, size, kind == "layer", 0.0 if kind == "plus" else 1.0)
    m.normal("model.embed_tokens.weight", c["vocab_size"], d)
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        if "qkv" in n:
            m.linear(at + n["qkv"], (H + 2 * G) * D, d, n.get("bias", False))
        else:
            for name, heads in zip("qkv", (H, G, G)):
                m.linear(f"{at}self_attn.{name}_proj", heads * D, d, n.get("bias", False))
        m.linear(at + "self_attn.o_proj", d, H * D, n.get("o_bias", False))
        if "qk" in n:
            for name, heads in (("q", H), ("k", G)):
                norm(f"{at}self_attn.{name}_norm", D if n["qk"] == "heads" else heads * D)
        if n.get("mlp") == "fused":
            m.linear(at + "mlp.gate_up_proj", 2 * inner, d, False)
            m.linear(at + "mlp.down_proj", d, inner, False)
        elif n.get("mlp") == "plain":
            m.linear(at + "mlp.c_fc", inner, d)
            m.linear(at + "mlp.c_proj", d, inner)
        else:
            for name, out, size in (("gate", inner, d), ("up", inner, d), ("down", d, inner)):
                m.linear(f"{at}mlp.{name}_proj", out, size, False)
        for name in norms:
            norm(at + name)
    norm("model.norm")
    if not c.get("tie_word_embeddings"):
        m.linear("lm_head", c["vocab_size"], d, False)
    return m.w


def run_decoder(w, c, ids, mask, n):
    H, G, D = sizes_of(c)
    positions, out = left_positions(mask), {}
    norm, style, eps = norm_of(n.get("norm", "rms")), n.get("style", "before"), n.get("eps", c.get("rms_norm_eps"))
    layers = c["num_hidden_layers"]
    windows, turns = n.get("windows", [None] * layers), n.get("turns", [True] * layers)
    inv_freq = n.get("frequencies", inverse_frequencies(int(D * n.get("share", 1)), c.get("rope_theta", 10000.0)))
    turn = n.get("turn", rope)
    act, factor = ACT[n.get("act", "silu")], n.get("residual", 1.0)
    h = w["model.embed_tokens.weight"][ids] * n.get("embedding", 1.0)
    out["hidden.0"] = h

    def attention(at, x, i):
        if "qkv" in n:
            qkv = lin(w, at + n["qkv"], x)
            q, k, v = qkv[..., : H * D], qkv[..., H * D : (H + G) * D], qkv[..., (H + G) * D :]
        else:
            q, k, v = (lin(w, f"{at}self_attn.{p}_proj", x) for p in "qkv")
        if n.get("qk") == "all":
            q, k = norm(w, at + "self_attn.q_norm", q, eps), norm(w, at + "self_attn.k_norm", k, eps)
        q, k, v = split(q, H), split(k, G), split(v, G)
        if n.get("qk") == "heads":
            q, k = norm(w, at + "self_attn.q_norm", q, eps), norm(w, at + "self_attn.k_norm", k, eps)
        if turns[i]:
            f = inv_freq[i] if isinstance(inv_freq, list) else inv_freq
            if callable(f):
                f = f(int(positions.max()) + 1)
            q, k = turn(q, positions, f), turn(k, positions, f)
        seen = around(mask, windows[i]) if n.get("both") else causal(mask, windows[i])
        out[f"attention.{i}"], y = attend(q, k, v, seen, n.get("scale", D**-0.5))
        return lin(w, at + "self_attn.o_proj", y)

    def mlp(at, x):
        if n.get("mlp") == "fused":
            gate, up = lin(w, at + "mlp.gate_up_proj", x).chunk(2, -1)
            return lin(w, at + "mlp.down_proj", up * act(gate))
        if n.get("mlp") == "plain":
            return lin(w, at + "mlp.c_proj", act(lin(w, at + "mlp.c_fc", x)))
        return lin(w, at + "mlp.down_proj", act(lin(w, at + "mlp.gate_proj", x)) * lin(w, at + "mlp.up_proj", x))

    for i in range(layers):
        at, names = f"model.layers.{i}.", n.get("norms", ["input_layernorm", "post_attention_layernorm"])
        if style == "parallel":
            x = norm(w, at + names[0], h, eps)
            h = h + attention(at, x, i) + mlp(at, x)
        elif style == "after":
            h = h + norm(w, at + names[0], attention(at, h, i), eps)
            h = h + norm(w, at + names[1], mlp(at, h), eps)
        elif style == "sandwich":
            h = h + norm(w, at + names[1], attention(at, norm(w, at + names[0], h, eps), i), eps)
            h = h + norm(w, at + names[3], mlp(at, norm(w, at + names[2], h, eps)), eps)
        else:
            h = h + attention(at, norm(w, at + names[0], h, eps), i) * factor
            h = h + mlp(at, norm(w, at + names[1], h, eps)) * factor
        out[f"hidden.{i + 1}"] = h
    out["final"] = norm(w, "model.norm", h, eps)
    if n.get("bare"):
        return out
    head = w["model.embed_tokens.weight"] if c.get("tie_word_embeddings") else w["lm_head.weight"]
    out["logits"] = F.linear(out["final"], head) * n.get("logit", 1.0)
    return out


def longrope_frequencies(c, dim):
    """Short factors up to the length of the training, long ones beyond it; and the factor of cosines and sines."""
    s, old = c["rope_scaling"], c["original_max_position_embeddings"]
    f = inverse_frequencies(dim, c["rope_theta"])
    of = lambda length: f / torch.tensor(s["long_factor" if length > old else "short_factor"], dtype=torch.float64)
    return of, math.sqrt(1 + math.log(c["max_position_embeddings"] / old) / math.log(old))


def make_older(c, seed, n):
    """Decoders with LayerNorm. n: names, sizes, and which weights are fused."""
    m, d, D, H, G = Maker(seed), n["d"], n["d"] // n["H"], n["H"], n.get("G", n["H"])
    p, inner = "transformer.", n.get("inner", 4 * n["d"])
    m.normal(p + n["tokens"] + ".weight", c["vocab_size"], d)
    if "positions" in n:
        m.normal(p + n["positions"] + ".weight", n["most"], d)
    if "norm0" in n:
        m.norm(p + n["norm0"], d)
    for i in range(n["layers"]):
        at = p + n["at"].format(i)
        if "qkv" in n:
            m.linear(at + n["qkv"], (H + 2 * G) * D, d, n["bias"])
        else:
            for name in "qkv":
                m.linear(f"{at}attn.{name}_proj", d, d, n["bias"])
        m.linear(at + n["o"], d, d, n["bias"])
        m.linear(at + n["up"], inner, d, n["mlp_bias"])
        m.linear(at + n["down"], d, inner, n["mlp_bias"])
        for name in n["norms"]:
            m.norm(at + name, d, n.get("norm_bias", True))
    m.norm(p + n["last"], d, n.get("norm_bias", True))
    if n.get("head"):
        m.linear("lm_head", c["vocab_size"], d)
    return m.w


def run_older(w, c, ids, mask, n):
    p, H, G, D, eps, act = "transformer.", n["H"], n.get("G", n["H"]), n["d"] // n["H"], n["eps"], ACT[n["act"]]
    positions, out = left_positions(mask), {}
    norm = lambda name, x: F.layer_norm(x, x.shape[-1:], w[name + ".weight"], w.get(name + ".bias"), eps)
    h = w[p + n["tokens"] + ".weight"][ids]
    if "positions" in n:
        h = h + w[p + n["positions"] + ".weight"][positions]
    if "norm0" in n:
        h = norm(p + n["norm0"], h)
    out["hidden.0"] = h
    # ALiBi adds a term that grows with the position of the key; a term that is equal for all keys of a query changes nothing.
    bias = (n["slopes"][:, None] * torch.arange(ids.shape[1])[None]).to(h.dtype)[None, :, None, :] if "slopes" in n else None

    def attention(at, x, i):
        q, k, v = n["split"](lin(w, at + n["qkv"], x)) if "qkv" in n else [split(lin(w, f"{at}attn.{name}_proj", x), H) for name in "qkv"]
        if "turn" in n:
            q, k = n["turn"](q, positions, n["frequencies"]), n["turn"](k, positions, n["frequencies"])
        out[f"attention.{i}"], y = attend(q, k, v, causal(mask), D**-0.5, bias)
        return lin(w, at + n["o"], y)

    for i in range(n["layers"]):
        at, names = p + n["at"].format(i), n["norms"]
        mlp = lambda x: lin(w, at + n["down"], act(lin(w, at + n["up"], x)))
        if n["parallel"]:
            h = h + attention(at, norm(at + names[0], h), i) + mlp(norm(at + names[-1], h))
        else:
            h = h + attention(at, norm(at + names[0], h), i)
            h = h + mlp(norm(at + names[1], h))
        out[f"hidden.{i + 1}"] = h
    out["final"] = norm(p + n["last"], h)
    out["logits"] = lin(w, "lm_head", out["final"]) if n.get("head") else F.linear(out["final"], w[p + n["tokens"] + ".weight"])
    return out


def split_heads_of_three(H):
    """(B,L,H*3*D): q, k and v of each head."""
    def run(x):
        x = x.view(*x.shape[:2], H, 3, -1)
        return [x[..., j, :].transpose(1, 2) for j in range(3)]
    return run


def split_shared(H, D):
    """q of all heads, then one key and one value."""
    return lambda x: [split(x[..., : H * D], H), split(x[..., H * D : (H + 1) * D], 1), split(x[..., (H + 1) * D :], 1)]


def split_groups(H, G, D):
    """For each key head its queries, the key, the value."""
    def run(x):
        x = x.view(*x.shape[:2], G, H // G + 2, D)
        q = x[..., :-2, :].flatten(2, 3)
        return [q.transpose(1, 2), x[..., -2, :].transpose(1, 2), x[..., -1, :].transpose(1, 2)]
    return run


def split_quarters(H):
    """Each quarter of the rows holds the queries, the values and the keys of a quarter of the heads."""
    def run(x):
        B, L, width = x.shape
        q, v, k = x.view(B, L, 4, 3, width // 12).unbind(3)
        return [t.reshape(B, L, H, -1).transpose(1, 2) for t in (q, k, v)]
    return run


# --- encoders ---------------------------------------------------------------------------------------------------------


def make_encoder(c, seed, n):
    """n: names of the parts of a layer and of the parts around the layers."""
    m, d, E = Maker(seed), n["d"], n.get("E", n["d"])
    m.normal(n["embeddings"] + "word_embeddings.weight", c["vocab_size"], E)
    m.normal(n["embeddings"] + "position_embeddings.weight", c["max_position_embeddings"], E)
    if n["types"]:
        m.normal(n["embeddings"] + "token_type_embeddings.weight", c["type_vocab_size"], E)
    m.norm(n["embeddings"] + "LayerNorm", E)
    if E != d:
        m.linear(n["map"], d, E)
    for at in n["layers"]:
        for name in n["attention"]:
            m.linear(at + name, d, d)
        m.linear(at + n["up"], n["inner"], d)
        m.linear(at + n["down"], d, n["inner"])
        m.norm(at + n["norm1"], d)
        m.norm(at + n["norm2"], d)
    if "pooler" in n:
        m.linear(n["pooler"], d, d)
    if "relative" in n:
        m.normal(n["relative"] + ".weight", 32, n["heads"])
    m.linear(n["head"], E, d)
    m.norm(n["head_norm"], E)
    m.normal(n["head_bias"], c["vocab_size"], std=0.3)
    return m.w


def run_encoder(w, c, n, ids, mask, types, marked=None):
    act, eps, H, out = ACT[n["act"]], n["eps"], n["heads"], {}
    if n["counts"]:
        real = (ids != c["pad_token_id"]).long()
        positions = real.cumsum(1) * real + c["pad_token_id"]
    else:
        positions = torch.arange(ids.shape[1])[None].expand_as(ids)
    h = w[n["embeddings"] + "word_embeddings.weight"][ids] + w[n["embeddings"] + "position_embeddings.weight"][positions]
    if n["types"]:
        h = h + w[n["embeddings"] + "token_type_embeddings.weight"][types]
    h = layer_norm(w, n["embeddings"] + "LayerNorm", h, eps)
    if "map" in n:
        h = lin(w, n["map"], h)
    out["hidden.0"] = h
    seen = mask[:, None, None, :].bool().expand(-1, -1, ids.shape[1], -1)
    bias = None
    if "relative" in n:
        r = torch.arange(ids.shape[1])[None] - torch.arange(ids.shape[1])[:, None]
        bias = w[n["relative"] + ".weight"][bucket(r, True, 32, 128)].permute(2, 0, 1)[None]
    for i, at in enumerate(n["run"]):
        q, k, v = (split(lin(w, at + name, h), H) for name in n["attention"][:3])
        near = seen if "windows" not in n else seen & around(mask, n["windows"][i] // 2 + 1)
        if marked is not None:
            near = near | (seen & marked[:, None, None, :].bool())
        weights, y = attend(q, k, v, near, q.shape[-1] ** -0.5, bias)
        if marked is not None:  # rows of marked tokens come from separate projections, and see all
            q, k, v = (split(lin(w, f"{at}{name}_global", h), H) for name in n["attention"][:3])
            far, z = attend(q, k, v, seen, q.shape[-1] ** -0.5)
            weights = torch.where(marked[:, None, :, None].bool(), far, weights)
            y = torch.where(marked[:, :, None].bool(), z, y)
        h = layer_norm(w, at + n["norm1"], h + lin(w, at + n["attention"][3], y), eps)
        h = layer_norm(w, at + n["norm2"], h + lin(w, at + n["down"], act(lin(w, at + n["up"], h))), eps)
        out[f"attention.{i}"], out[f"hidden.{i + 1}"] = weights, h
    if n.get("pooler", "") + ".weight" in w:
        out["pooled"] = torch.tanh(lin(w, n["pooler"], h[:, 0]))
    if n["head"] + ".weight" not in w:
        return out
    x = layer_norm(w, n["head_norm"], ACT[n.get("head_act", n["act"])](lin(w, n["head"], h)), eps)
    out["logits"] = F.linear(x, w[n["embeddings"] + "word_embeddings.weight"], w[n["head_bias"]])
    return out


def make_modernbert(c, seed):
    m, d, inner = Maker(seed), c["hidden_size"], c["intermediate_size"]
    m.normal("model.embeddings.tok_embeddings.weight", c["vocab_size"], d)
    m.norm("model.embeddings.norm", d, False)
    for i in range(c["num_hidden_layers"]):
        at = f"model.layers.{i}."
        if i:
            m.norm(at + "attn_norm", d, False)
        m.linear(at + "attn.Wqkv", 3 * d, d, False)
        m.linear(at + "attn.Wo", d, d, False)
        m.norm(at + "mlp_norm", d, False)
        m.linear(at + "mlp.Wi", 2 * inner, d, False)
        m.linear(at + "mlp.Wo", d, inner, False)
    m.norm("model.final_norm", d, False)
    m.linear("head.dense", d, d, False)
    m.norm("head.norm", d, False)
    m.normal("decoder.bias", c["vocab_size"], std=0.3)
    return m.w


def run_modernbert(w, c, ids, mask):
    d, H, eps, L, out = c["hidden_size"], c["num_attention_heads"], c["norm_eps"], ids.shape[1], {}
    norm = lambda name, x: F.layer_norm(x, x.shape[-1:], w[name + ".weight"], None, eps)
    positions = torch.arange(L)[None].expand_as(ids)
    near = (torch.arange(L)[None] - torch.arange(L)[:, None]).abs() <= c["local_attention"] // 2
    real = mask[:, None, None, :].bool().expand(-1, -1, L, -1)
    h = norm("model.embeddings.norm", w["model.embeddings.tok_embeddings.weight"][ids])
    out["hidden.0"] = h
    for i in range(c["num_hidden_layers"]):
        at, is_full = f"model.layers.{i}.", i % c["global_attn_every_n_layers"] == 0
        x = norm(at + "attn_norm", h) if i else h
        q, k, v = (split(part, H) for part in lin(w, at + "attn.Wqkv", x).chunk(3, -1))
        inv_freq = inverse_frequencies(d // H, c["global_rope_theta"] if is_full else c["local_rope_theta"])
        seen = real if is_full else real & near
        weights, y = attend(rope(q, positions, inv_freq), rope(k, positions, inv_freq), v, seen, (d // H) ** -0.5)
        h = h + lin(w, at + "attn.Wo", y)
        a, g = lin(w, at + "mlp.Wi", norm(at + "mlp_norm", h)).chunk(2, -1)
        h = h + lin(w, at + "mlp.Wo", F.gelu(a) * g)
        out[f"attention.{i}"], out[f"hidden.{i + 1}"] = weights, h
    out["final"] = norm("model.final_norm", h)
    if "decoder.bias" not in w:
        return out
    x = norm("head.norm", F.gelu(lin(w, "head.dense", out["final"])))
    out["logits"] = F.linear(x, w["model.embeddings.tok_embeddings.weight"], w["decoder.bias"])
    return out


def make_gated_encoder(c, seed, n):
    """BERT with one weight for q, k and v, and gated MLPs."""
    m, d, inner, vocab = Maker(seed), n["d"], n["inner"], c["vocab_size"]
    p = n["prefix"]
    m.normal(p + "embeddings.word_embeddings.weight", vocab, d)
    if c["type_vocab_size"]:
        m.normal(p + "embeddings.token_type_embeddings.weight", c["type_vocab_size"], d)
    m.norm(p + n["norm0"], d)
    for i in range(n["layers"]):
        at = p + n["at"].format(i)
        for name in n["qkv"]:
            m.linear(at + name, 3 * d if len(n["qkv"]) == 1 else d, d, n["bias"])
        m.linear(at + n["o"], d, d, n["bias"])
        for name in n["in"]:
            m.linear(at + name, 2 * inner if len(n["in"]) == 1 else inner, d, n["in_bias"])
        m.linear(at + n["down"], d, inner, n["down_bias"])
        m.norm(at + n["norm1"], d)
        m.norm(at + n["norm2"], d)
    if "dense" in n:
        m.linear(n["dense"], d, d, n.get("dense_bias", True))
        m.norm(n["head_norm"], d)
        m.normal(n["head_bias"], vocab, std=0.3)
    return m.w


def run_gated_encoder(w, c, n, ids, mask, types):
    p, H, eps, out, L = n["prefix"], n["heads"], n["eps"], {}, ids.shape[1]
    h = w[p + "embeddings.word_embeddings.weight"][ids]
    if c["type_vocab_size"]:
        h = h + w[p + "embeddings.token_type_embeddings.weight"][types]
    h = layer_norm(w, p + n["norm0"], h, eps)
    out["hidden.0"] = h
    positions = torch.arange(L)[None].expand_as(ids)
    seen = mask[:, None, None, :].bool().expand(-1, -1, L, -1)
    distance = (torch.arange(L)[:, None] - torch.arange(L)[None]).abs().to(h.dtype)
    bias = -n["slopes"].to(h.dtype)[None, :, None, None] * distance if "slopes" in n else None
    for i in range(n["layers"]):
        at = p + n["at"].format(i)
        parts = lin(w, at + n["qkv"][0], h).chunk(3, -1) if len(n["qkv"]) == 1 else [lin(w, at + name, h) for name in n["qkv"]]
        q, k, v = (split(part, H) for part in parts)
        if "frequencies" in n:
            f = n["frequencies"](L)
            q, k = rope(q, positions, f), rope(k, positions, f)
        weights, y = attend(q, k, v, seen, q.shape[-1] ** -0.5, bias)
        h = layer_norm(w, at + n["norm1"], h + lin(w, at + n["o"], y), eps)
        first, second = lin(w, at + n["in"][0], h).chunk(2, -1) if len(n["in"]) == 1 else [lin(w, at + name, h) for name in n["in"]]
        hidden = n["act"](first) * second if n["gate"] == 0 else first * n["act"](second)
        h = layer_norm(w, at + n["norm2"], h + lin(w, at + n["down"], hidden), eps)
        out[f"attention.{i}"], out[f"hidden.{i + 1}"] = weights, h
    if n.get("dense", "") + ".weight" in w:
        x = layer_norm(w, n["head_norm"], n["head_act"](lin(w, n["dense"], h)), eps)
        out["logits"] = F.linear(x, w[p + "embeddings.word_embeddings.weight"], w[n["head_bias"]])
    return out


# --- deberta ----------------------------------------------------------------------------------------------------------


def deberta_buckets(L, buckets, most):
    """The distance i - j, small ones as they are, larger ones in logarithmic steps of float32."""
    distance = torch.arange(L)[:, None] - torch.arange(L)[None]
    if buckets <= 0:
        return distance
    middle = buckets // 2
    size = torch.where(distance.abs() < middle, torch.tensor(middle - 1), distance.abs())
    steps = torch.ceil(torch.log(size / middle) / torch.log(torch.tensor((most - 1) / middle)) * (middle - 1)) + middle
    return torch.where(size <= middle, distance.float(), steps * distance.sign()).long()


def make_deberta(c, seed):
    m, d, p = Maker(seed), c["hidden_size"], "deberta."
    m.normal(p + "embeddings.word_embeddings.weight", c["vocab_size"], d)
    if c["position_biased_input"]:
        m.normal(p + "embeddings.position_embeddings.weight", c["max_position_embeddings"], d)
    if c["type_vocab_size"]:
        m.normal(p + "embeddings.token_type_embeddings.weight", c["type_vocab_size"], d)
    m.norm(p + "embeddings.LayerNorm", d)
    span = c["position_buckets"] if c["position_buckets"] > 0 else c["max_position_embeddings"]
    m.normal(p + "encoder.rel_embeddings.weight", 2 * span, d)
    if c["norm_rel_ebd"] == "layer_norm":
        m.norm(p + "encoder.LayerNorm", d)
    for i in range(c["num_hidden_layers"]):
        at = f"{p}encoder.layer.{i}."
        for name in ("self.query_proj", "self.key_proj", "self.value_proj", "output.dense"):
            m.linear(f"{at}attention.{name}", d, d)
        m.norm(at + "attention.output.LayerNorm", d)
        m.linear(at + "intermediate.dense", c["intermediate_size"], d)
        m.linear(at + "output.dense", d, c["intermediate_size"])
        m.norm(at + "output.LayerNorm", d)
    m.linear("cls.predictions.transform.dense", d, d)
    m.norm("cls.predictions.transform.LayerNorm", d)
    m.normal("cls.predictions.bias", c["vocab_size"], std=0.3)
    return m.w


def run_deberta(w, c, ids, mask, types):
    H, eps, p, L, out = c["num_attention_heads"], c["layer_norm_eps"], "deberta.", ids.shape[1], {}
    h = w[p + "embeddings.word_embeddings.weight"][ids]
    if c["position_biased_input"]:
        h = h + w[p + "embeddings.position_embeddings.weight"][torch.arange(L)]
    if c["type_vocab_size"]:
        h = h + w[p + "embeddings.token_type_embeddings.weight"][types]
    h = layer_norm(w, p + "embeddings.LayerNorm", h, eps) * mask[:, :, None]
    out["hidden.0"] = h
    seen = (mask[:, None, :, None] * mask[:, None, None, :]).bool()
    span = c["position_buckets"] if c["position_buckets"] > 0 else c["max_position_embeddings"]
    relative = deberta_buckets(L, c["position_buckets"], c["max_position_embeddings"])
    rows = (relative + span).clamp(0, 2 * span - 1)
    table = w[p + "encoder.rel_embeddings.weight"]
    if c["norm_rel_ebd"] == "layer_norm":
        table = layer_norm(w, p + "encoder.LayerNorm", table, eps)
    for i in range(c["num_hidden_layers"]):
        at = f"{p}encoder.layer.{i}."
        q, k, v = (split(lin(w, f"{at}attention.self.{name}_proj", h), H) for name in ("query", "key", "value"))
        # The projections of content make queries and keys of distances, too (share_att_key).
        of_q, of_k = (split(lin(w, f"{at}attention.self.{name}_proj", table[None]), H) for name in ("query", "key"))
        scale = (3 * q.shape[-1]) ** -0.5
        c2p = (q @ of_k.transpose(-1, -2)).gather(-1, rows.expand(*q.shape[:2], L, L))
        # Row j: the products of key j with the distances of all queries i.
        p2c = (k @ of_q.transpose(-1, -2)).gather(-1, ((-relative + span).clamp(0, 2 * span - 1)).expand(*q.shape[:2], L, L))
        weights, y = attend(q, k, v, seen, scale, (c2p + p2c.transpose(-1, -2)) * scale)
        h = layer_norm(w, at + "attention.output.LayerNorm", h + lin(w, at + "attention.output.dense", y), eps)
        hidden = lin(w, at + "output.dense", ACT[c["hidden_act"]](lin(w, at + "intermediate.dense", h)))
        h = layer_norm(w, at + "output.LayerNorm", h + hidden, eps)
        out[f"attention.{i}"], out[f"hidden.{i + 1}"] = weights, h
    if "cls.predictions.bias" in w:
        x = ACT[c["hidden_act"]](lin(w, "cls.predictions.transform.dense", h))
        x = layer_norm(w, "cls.predictions.transform.LayerNorm", x, eps)
        out["logits"] = F.linear(x, w[p + "embeddings.word_embeddings.weight"], w["cls.predictions.bias"])
    return out


# --- t5 v1.1 ----------------------------------------------------------------------------------------------------------


def make_t5(c, seed):
    m, d, inner, wide = Maker(seed), c["d_model"], c["d_ff"], c["num_heads"] * c["d_kv"]
    m.normal("shared.weight", c["vocab_size"], d)
    for stack, n in (("encoder", c["num_layers"]), ("decoder", c["num_decoder_layers"])):
        for i in range(n):
            at = f"{stack}.block.{i}.layer."
            parts = ["0.SelfAttention"] + (["1.EncDecAttention"] if stack == "decoder" else [])
            for part in parts:
                for name in "qkv":
                    m.linear(f"{at}{part}.{name}", wide, d, False, std=0.5 / math.sqrt(d))
                m.linear(f"{at}{part}.o", d, wide, False)
                m.norm(f"{at}{part[0]}.layer_norm", d, False)
            last = len(parts)
            m.linear(f"{at}{last}.DenseReluDense.wi_0", inner, d, False)
            m.linear(f"{at}{last}.DenseReluDense.wi_1", inner, d, False)
            m.linear(f"{at}{last}.DenseReluDense.wo", d, inner, False)
            m.norm(f"{at}{last}.layer_norm", d, False)
        m.normal(f"{stack}.block.0.layer.0.SelfAttention.relative_attention_bias.weight", c["relative_attention_num_buckets"], c["num_heads"])
        m.norm(f"{stack}.final_layer_norm", d, False)
    m.linear("lm_head", c["vocab_size"], d, False)
    return m.w


def bucket(r, bidirectional, n, most):
    out = torch.zeros_like(r)
    if bidirectional:
        n //= 2
        out += (r > 0).long() * n
        r = r.abs()
    else:
        r = (-r).clamp(min=0)
    e = n // 2
    large = e + (torch.log(r.float() / e) / math.log(most / e) * (n - e)).long()
    return out + torch.where(r < e, r, large.clamp(max=n - 1))


def run_t5(w, c, ids, mask, decoder_ids):
    eps, H, out = c["layer_norm_epsilon"], c["num_heads"], {}

    def stack(name, h, n, self_mask, encoded=None):
        L = h.shape[1]
        r = torch.arange(L)[None] - torch.arange(L)[:, None]
        buckets = bucket(r, name == "encoder", c["relative_attention_num_buckets"], c["relative_attention_max_distance"])
        bias = w[f"{name}.block.0.layer.0.SelfAttention.relative_attention_bias.weight"][buckets].permute(2, 0, 1)[None]
        out[f"{name}.hidden.0"] = h
        for i in range(n):
            at = f"{name}.block.{i}.layer."
            x = rms(w, at + "0.layer_norm", h, eps)
            q, k, v = (split(lin(w, f"{at}0.SelfAttention.{p}", x), H) for p in "qkv")
            weights, y = attend(q, k, v, self_mask, 1.0, bias)
            h = h + lin(w, at + "0.SelfAttention.o", y)
            out[f"{name}.attention.{i}"], last = weights, 1
            if encoded is not None:
                x = rms(w, at + "1.layer_norm", h, eps)
                q = split(lin(w, at + "1.EncDecAttention.q", x), H)
                k, v = (split(lin(w, f"{at}1.EncDecAttention.{p}", encoded), H) for p in "kv")
                weights, y = attend(q, k, v, mask[:, None, None, :].bool().expand(-1, -1, L, -1), 1.0)
                h = h + lin(w, at + "1.EncDecAttention.o", y)
                out[f"cross.attention.{i}"], last = weights, 2
            x = rms(w, f"{at}{last}.layer_norm", h, eps)
            dense = f"{at}{last}.DenseReluDense."
            h = h + lin(w, dense + "wo", ACT["gelu_new"](lin(w, dense + "wi_0", x)) * lin(w, dense + "wi_1", x))
            out[f"{name}.hidden.{i + 1}"] = h
        out[f"{name}.final"] = rms(w, f"{name}.final_layer_norm", h, eps)
        return out[f"{name}.final"]

    table = w["shared.weight"]
    encoded = stack("encoder", table[ids], c["num_layers"], mask[:, None, None, :].bool().expand(-1, -1, ids.shape[1], -1))
    final = stack("decoder", table[decoder_ids], c["num_decoder_layers"], causal(torch.ones_like(decoder_ids)), encoded)
    out["logits"] = lin(w, "lm_head", final)
    return out


# --- bart and what is like it -----------------------------------------------------------------------------------------


def make_seq2seq(c, seed, n):
    m, d = Maker(seed), c["d_model"]
    m.normal("model.shared.weight", c["vocab_size"], d, std=0.5)
    for stack in ("encoder", "decoder"):
        at = f"model.{stack}."
        if n["learned"]:
            m.normal(at + "embed_positions.weight", c["max_position_embeddings"] + 2, d)
            m.norm(at + "layernorm_embedding", d)
        for i in range(c[f"{stack}_layers"]):
            layer = f"{at}layers.{i}."
            for part in ("self_attn", "encoder_attn")[: 1 if stack == "encoder" else 2]:
                for name in ("q_proj", "k_proj", "v_proj", "out_proj"):
                    m.linear(f"{layer}{part}.{name}", d, d)
                m.norm(f"{layer}{part}_layer_norm", d)
            m.linear(layer + "fc1", c[f"{stack}_ffn_dim"], d)
            m.linear(layer + "fc2", d, c[f"{stack}_ffn_dim"])
            m.norm(layer + "final_layer_norm", d)
        m.norm(at + "layer_norm", d)
    if n["bias"]:
        m.normal("final_logits_bias", 1, c["vocab_size"], std=0.3)
    return m.w


def run_seq2seq(w, c, n, ids, mask, decoder_ids):
    d, act, out = c["d_model"], ACT[c["activation_function"]], {}
    table = w["model.shared.weight"]
    scale = math.sqrt(d) if c["scale_embedding"] else 1.0

    def stack(name, ids, self_mask, encoded=None):
        H, L, top = c[f"{name}_attention_heads"], ids.shape[1], f"model.{name}."
        h = table[ids] * scale
        if n["learned"]:
            h = layer_norm(w, top + "layernorm_embedding", h + w[top + "embed_positions.weight"][torch.arange(L) + 2], 1e-5)
        else:
            h = h + n["positions"](ids, d, c["pad_token_id"]).to(h.dtype)
        out[f"{name}.hidden.0"] = h
        for i in range(c[f"{name}_layers"]):
            at = f"{top}layers.{i}."

            def attention(part, x, source, seen):
                q, k, v = (split(lin(w, f"{at}{part}.{p}_proj", y), H) for p, y in (("q", x), ("k", source), ("v", source)))
                weights, y = attend(q, k, v, seen, q.shape[-1] ** -0.5)
                return weights, lin(w, f"{at}{part}.out_proj", y)

            x = layer_norm(w, at + "self_attn_layer_norm", h, 1e-5)
            out[f"{name}.attention.{i}"], y = attention("self_attn", x, x, self_mask)
            h = h + y
            if encoded is not None:
                x = layer_norm(w, at + "encoder_attn_layer_norm", h, 1e-5)
                seen = mask[:, None, None, :].bool().expand(-1, -1, L, -1)
                out[f"cross.attention.{i}"], y = attention("encoder_attn", x, encoded, seen)
                h = h + y
            x = layer_norm(w, at + "final_layer_norm", h, 1e-5)
            h = h + lin(w, at + "fc2", act(lin(w, at + "fc1", x)))
            out[f"{name}.hidden.{i + 1}"] = h
        out[f"{name}.final"] = layer_norm(w, top + "layer_norm", h, 1e-5)
        return out[f"{name}.final"]

    encoded = stack("encoder", ids, mask[:, None, None, :].bool().expand(-1, -1, ids.shape[1], -1))
    final = stack("decoder", decoder_ids, causal(torch.ones_like(decoder_ids)), encoded)
    out["logits"] = F.linear(final, table)
    if n["bias"]:
        out["logits"] = out["logits"] + w["final_logits_bias"]
    return out


def marian_positions(ids, d, pad):
    """sin of all frequencies 10000^(-2i/d), then all cosines."""
    angles = torch.arange(ids.shape[1])[:, None].double() * inverse_frequencies(d, 10000.0)
    return torch.cat((angles.sin(), angles.cos()), -1)


def fairseq_positions(ids, d, pad):
    """Frequencies from 1 to 1/10000, both included; pad + 1, pad + 2, ... for other ids, nothing for padding."""
    real = (ids != pad).long()
    positions = real.cumsum(-1) + pad
    half = d // 2
    frequencies = torch.exp(-math.log(10000) / (half - 1) * torch.arange(half, dtype=torch.float64))
    angles = positions[..., None].double() * frequencies
    return torch.cat((angles.sin(), angles.cos()), -1) * real[..., None]


# --- cases ------------------------------------------------------------------------------------------------------------

LLAMA = {
    "vocab_size": 40, "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "hidden_act": "silu", "rms_norm_eps": 1e-6, "rope_theta": 10000.0, "max_position_embeddings": 64,
    "pad_token_id": 0,
}
BERT = {
    "vocab_size": 40, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 36,
    "hidden_act": "gelu", "layer_norm_eps": 1e-5, "max_position_embeddings": 32, "type_vocab_size": 1, "pad_token_id": 1,
}
ROBERTA_NAMES = {
    "d": 24, "inner": 36, "heads": 4, "eps": 1e-5, "act": "gelu", "types": True, "counts": True,
    "embeddings": "roberta.embeddings.", "layers": [f"roberta.encoder.layer.{i}." for i in range(3)],
    "attention": ["attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"],
    "up": "intermediate.dense", "down": "output.dense", "norm1": "attention.output.LayerNorm", "norm2": "output.LayerNorm",
    "head": "lm_head.dense", "head_norm": "lm_head.layer_norm", "head_bias": "lm_head.bias",
}
DISTILBERT = {
    "vocab_size": 40, "dim": 24, "n_layers": 3, "n_heads": 4, "hidden_dim": 36, "activation": "gelu",
    "max_position_embeddings": 32, "pad_token_id": 0, "sinusoidal_pos_embds": False,
}
DISTILBERT_NAMES = {
    "d": 24, "inner": 36, "heads": 4, "eps": 1e-12, "act": "gelu", "types": False, "counts": False,
    "embeddings": "distilbert.embeddings.", "layers": [f"distilbert.transformer.layer.{i}." for i in range(3)],
    "attention": ["attention.q_lin", "attention.k_lin", "attention.v_lin", "attention.out_lin"],
    "up": "ffn.lin1", "down": "ffn.lin2", "norm1": "sa_layer_norm", "norm2": "output_layer_norm",
    "head": "vocab_transform", "head_norm": "vocab_layer_norm", "head_bias": "vocab_projector.bias",
}
ALBERT = {
    "vocab_size": 40, "embedding_size": 12, "hidden_size": 24, "num_hidden_layers": 4, "num_hidden_groups": 2, "inner_group_num": 1,
    "num_attention_heads": 4, "intermediate_size": 36, "hidden_act": "gelu_new", "layer_norm_eps": 1e-12,
    "max_position_embeddings": 32, "type_vocab_size": 2, "pad_token_id": 0,
}
ALBERT_LAYER = "albert.encoder.albert_layer_groups.{}.albert_layers.0."
ALBERT_NAMES = {
    "d": 24, "E": 12, "inner": 36, "heads": 4, "eps": 1e-12, "act": "gelu_new", "types": True, "counts": False,
    "embeddings": "albert.embeddings.", "map": "albert.encoder.embedding_hidden_mapping_in",
    "layers": [ALBERT_LAYER.format(g) for g in range(2)], "run": [ALBERT_LAYER.format(i // 2) for i in range(4)],
    "attention": ["attention.query", "attention.key", "attention.value", "attention.dense"],
    "up": "ffn", "down": "ffn_output", "norm1": "attention.LayerNorm", "norm2": "full_layer_layer_norm", "pooler": "albert.pooler",
    "head": "predictions.dense", "head_norm": "predictions.LayerNorm", "head_bias": "predictions.bias",
}
ELECTRA = {**BERT, "embedding_size": 12, "type_vocab_size": 2, "layer_norm_eps": 1e-12, "pad_token_id": 0}
ELECTRA_NAMES = {
    **ROBERTA_NAMES, "E": 12, "eps": 1e-12, "counts": False, "embeddings": "electra.embeddings.", "map": "electra.embeddings_project",
    "layers": [f"electra.encoder.layer.{i}." for i in range(3)], "head": "generator_predictions.dense",
    "head_norm": "generator_predictions.LayerNorm", "head_bias": "generator_lm_head.bias",
}
MPNET = {key: value for key, value in BERT.items() if key != "type_vocab_size"}
MPNET["relative_attention_num_buckets"] = 32
MPNET_NAMES = {
    **ROBERTA_NAMES, "types": False, "embeddings": "mpnet.embeddings.", "layers": [f"mpnet.encoder.layer.{i}." for i in range(3)],
    "attention": [f"attention.attn.{p}" for p in "qkvo"], "norm1": "attention.LayerNorm", "relative": "mpnet.encoder.relative_attention_bias",
    "pooler": "mpnet.pooler.dense",
}
for names in (ROBERTA_NAMES, DISTILBERT_NAMES, ELECTRA_NAMES, MPNET_NAMES):
    names["run"] = names["layers"]
NEOX = {
    "vocab_size": 40, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48,
    "hidden_act": "gelu", "layer_norm_eps": 1e-5, "rotary_pct": 0.5, "rotary_emb_base": 500, "max_position_embeddings": 64,
    "use_parallel_residual": True, "tie_word_embeddings": False,
}
PHI = {
    "vocab_size": 40, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 48, "hidden_act": "gelu_new", "layer_norm_eps": 1e-5, "partial_rotary_factor": 0.5, "rope_theta": 10000.0,
    "max_position_embeddings": 64, "tie_word_embeddings": False, "qk_layernorm": False,
}
T5 = {
    "vocab_size": 40, "d_model": 24, "d_kv": 5, "d_ff": 40, "num_layers": 2, "num_decoder_layers": 3, "num_heads": 4,
    "relative_attention_num_buckets": 8, "relative_attention_max_distance": 12, "layer_norm_epsilon": 1e-6,
    "feed_forward_proj": "gated-gelu", "tie_word_embeddings": False, "pad_token_id": 0, "decoder_start_token_id": 0,
}
SCALING = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 16}
LLAMA3 = {**LLAMA, "head_dim": 16, "rope_theta": 500.0, "rope_scaling": SCALING, "mlp_bias": True, "attention_bias": True}
LINEAR = {**LLAMA, "rope_scaling": {"type": "linear", "factor": 2.0}, "tie_word_embeddings": True}
plain = lambda c: inverse_frequencies(c.get("head_dim", 6), c["rope_theta"])


def llama_case(model_type, c, seed, windows=(None,) * 3, biases=(False,) * 4, frequencies=None, **more):
    f = plain(c) if frequencies is None else frequencies
    return model_type, c, make_llama(c, seed, biases), lambda w, i: run_llama(w, c, i["ids"], i["mask"], windows, f, **more), "left"


def encoder_case(model_type, c, seed, names):
    return model_type, c, make_encoder(c, seed, names), lambda w, i: run_encoder(w, c, names, i["ids"], i["mask"], i["types"], i.get("marked")), "right"


QWEN2 = {**LLAMA, "use_sliding_window": True, "sliding_window": 3, "max_window_layers": 1}
SERIAL = {**NEOX, "use_parallel_residual": False}
YARN = {**LLAMA, "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 16, "beta_fast": 2.0, "beta_slow": 0.1}}
DYNAMIC = {**LLAMA, "max_position_embeddings": 8, "rope_scaling": {"type": "dynamic", "factor": 2.0}}
OLMO2 = {**LLAMA, "rms_norm_eps": 1e-5, "tie_word_embeddings": False}
SMOLLM3 = {**LLAMA, "no_rope_layers": [1, 0, 1], "no_rope_layer_interval": 2, "tie_word_embeddings": True, "use_sliding_window": False}
OPT = {
    "vocab_size": 40, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "ffn_dim": 40, "activation_function": "relu",
    "max_position_embeddings": 32, "word_embed_proj_dim": 24, "do_layer_norm_before": True, "enable_bias": True,
    "layer_norm_elementwise_affine": True, "_remove_final_layer_norm": False, "pad_token_id": 1,
}
MODERNBERT = {
    "vocab_size": 40, "hidden_size": 24, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 36, "norm_eps": 1e-5,
    "layer_norm_eps": 1e-5, "hidden_activation": "gelu", "classifier_activation": "gelu", "max_position_embeddings": 64,
    "global_attn_every_n_layers": 3, "global_rope_theta": 2000.0, "local_rope_theta": 100.0, "local_attention": 6, "norm_bias": False,
    "attention_bias": False, "mlp_bias": False, "classifier_bias": False, "decoder_bias": True, "position_embedding_type": "absolute",
    "pad_token_id": 0, "sparse_prediction": False, "sparse_pred_ignore_index": -100,
}
CASES = {
    "mistral": llama_case("mistral", {**LLAMA, "sliding_window": 4}, 1, windows=(4, 4, 4)),
    "qwen2": llama_case("qwen2", QWEN2, 2, windows=(None, 3, 3), biases=(True, True, True, False)),
    "llama3": llama_case("llama", LLAMA3, 3, biases=(True,) * 4, frequencies=llama3_frequencies(LLAMA3)),
    "llama-linear": llama_case("llama", LINEAR, 4, frequencies=plain(LINEAR) / 2),
    "gpt_neox": ("gpt_neox", NEOX, make_neox(NEOX, 5), lambda w, i: run_neox(w, NEOX, i["ids"], i["mask"]), "left"),
    "gpt_neox-serial": ("gpt_neox", SERIAL, make_neox(SERIAL, 6), lambda w, i: run_neox(w, SERIAL, i["ids"], i["mask"]), "left"),
    "phi": ("phi", PHI, make_phi(PHI, 7), lambda w, i: run_phi(w, PHI, i["ids"], i["mask"]), "left"),
    "roberta": encoder_case("roberta", BERT, 8, ROBERTA_NAMES),
    "distilbert": encoder_case("distilbert", DISTILBERT, 9, DISTILBERT_NAMES),
    "albert": encoder_case("albert", ALBERT, 10, ALBERT_NAMES),
    "xlm-roberta": encoder_case("xlm-roberta", BERT, 12, ROBERTA_NAMES),
    "camembert": encoder_case("camembert", {**BERT, "bos_token_id": 5, "eos_token_id": 6, "output_past": True}, 21, ROBERTA_NAMES),
    "electra": encoder_case("electra", ELECTRA, 13, ELECTRA_NAMES),
    "mpnet": encoder_case("mpnet", MPNET, 14, MPNET_NAMES),
    "modernbert": ("modernbert", MODERNBERT, make_modernbert(MODERNBERT, 15), lambda w, i: run_modernbert(w, MODERNBERT, i["ids"], i["mask"]), "right"),
    "opt": ("opt", OPT, make_opt(OPT, 16), lambda w, i: run_opt(w, OPT, i["ids"], i["mask"]), "left"),
    "olmo2": ("olmo2", OLMO2, make_olmo2(OLMO2, 17), lambda w, i: run_olmo2(w, OLMO2, i["ids"], i["mask"]), "left"),
    "smollm3": llama_case("smollm3", SMOLLM3, 18, turns=(True, False, True)),
    "llama-yarn": llama_case("llama", YARN, 19, frequencies=yarn_frequencies(YARN)[0], gain=yarn_frequencies(YARN)[1]),
    "llama-dynamic": llama_case("llama", DYNAMIC, 20, frequencies=dynamic_frequencies(DYNAMIC)),
    "t5-v1_1": ("t5", T5, make_t5(T5, 11), lambda w, i: run_t5(w, T5, i["ids"], i["mask"], i["decoder"]), "both"),
}
LONGFORMER = {
    **BERT, "max_position_embeddings": 34, "attention_window": [4, 2, 8], "attention_mode": "longformer", "ignore_attention_mask": False,
    "gradient_checkpointing": False, "sep_token_id": 2,
}
LONGFORMER_NAMES = {
    **ROBERTA_NAMES, "embeddings": "longformer.embeddings.", "layers": [f"longformer.encoder.layer.{i}." for i in range(3)],
    "run": [f"longformer.encoder.layer.{i}." for i in range(3)], "windows": [4, 2, 8], "pooler": "longformer.pooler.dense",
}
CASES["longformer"] = encoder_case("longformer", LONGFORMER, 22, LONGFORMER_NAMES)
m = Maker(23)
for at in LONGFORMER_NAMES["layers"]:
    for name in ("query_global", "key_global", "value_global"):
        m.linear(f"{at}attention.self.{name}", 24, 24)
CASES["longformer"][2].update(m.w)


SMALL = {
    "vocab_size": 40, "hidden_size": 24, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "hidden_act": "silu", "max_position_embeddings": 64, "pad_token_id": 0,
}
RMS = {**SMALL, "rms_norm_eps": 1e-6, "rope_theta": 10000.0}


def decoder_case(model_type, c, seed, **n):
    return model_type, c, make_decoder(c, seed, n), lambda w, i: run_decoder(w, c, i["ids"], i["mask"], n), "left"


GEMMA = {**RMS, "head_dim": 8, "hidden_act": "gelu_pytorch_tanh", "num_key_value_heads": 1, "tie_word_embeddings": True}
CASES["gemma"] = decoder_case("gemma", GEMMA, 41, norm="plus", embedding=24**0.5, act="gelu_new")
FUSED = {"qkv": "self_attn.qkv_proj", "mlp": "fused"}
PHI3 = {**RMS, "rms_norm_eps": 1e-5, "sliding_window": 5, "original_max_position_embeddings": 64, "tie_word_embeddings": False}
CASES["phi3"] = decoder_case("phi3", PHI3, 42, **FUSED, windows=[5, 5])
LONG = {**PHI3, "sliding_window": None, "original_max_position_embeddings": 12, "partial_rotary_factor": 2 / 3}
LONG["rope_scaling"] = {"type": "longrope", "short_factor": [1.0, 1.5], "long_factor": [1.25, 4.0]}
of_length, gain = longrope_frequencies(LONG, 4)
CASES["phi3-longrope"] = decoder_case(
    "phi3", LONG, 43, **FUSED, frequencies=of_length, turn=lambda x, positions, f: rope(x, positions, f, gain),
)
STABLELM = {**SMALL, "layer_norm_eps": 1e-5, "rope_theta": 10000, "partial_rotary_factor": 1 / 3, "use_qkv_bias": True}
CASES["stablelm"] = decoder_case("stablelm", STABLELM, 44, norm="layer", eps=1e-5, share=1 / 3, bias=True)
ALONGSIDE = {**STABLELM, "use_parallel_residual": True, "use_qkv_bias": False}
CASES["stablelm-parallel"] = decoder_case(
    "stablelm", ALONGSIDE, 45, norm="layer", eps=1e-5, share=1 / 3, style="parallel", norms=["input_layernorm"],
)
STARCODER2 = {
    **SMALL, "hidden_act": "gelu_pytorch_tanh", "norm_epsilon": 1e-5, "rope_theta": 100000, "use_bias": True, "sliding_window": 5,
    "tie_word_embeddings": True, "norm_type": "layer_norm", "mlp_type": "default",
}
CASES["starcoder2"] = decoder_case(
    "starcoder2", STARCODER2, 46, norm="layer", eps=1e-5, bias=True, o_bias=True, mlp="plain", act="gelu_new", windows=[5, 5],
)
OLMO = {**SMALL, "rope_theta": 10000.0, "clip_qkv": None, "tie_word_embeddings": False}
CASES["olmo"] = decoder_case("olmo", OLMO, 47, norm="none", eps=1e-5)
TYPES = ["sliding_attention"] * 3 + ["full_attention"]
OLMO3 = {**RMS, "rms_norm_eps": 1e-6, "num_hidden_layers": 4, "intermediate_size": 16, "rope_theta": 500000, "sliding_window": 4, "layer_types": TYPES}
OLMO3["rope_scaling"] = {"rope_type": "linear", "factor": 4.0}
OLMO3["tie_word_embeddings"] = False
frequencies = [inverse_frequencies(6, 500000.0)] * 3 + [inverse_frequencies(6, 500000.0) / 4]
AFTER = {"style": "after", "norms": ["post_attention_layernorm", "post_feedforward_layernorm"]}
CASES["olmo3"] = decoder_case("olmo3", OLMO3, 48, **AFTER, qk="all", windows=[4, 4, 4, None], frequencies=frequencies)
GRANITE = {
    **RMS, "embedding_multiplier": 6.0, "attention_multiplier": 0.25, "residual_multiplier": 0.22, "logits_scaling": 4.0,
    "attention_bias": False, "mlp_bias": False, "tie_word_embeddings": True,
}
CASES["granite"] = decoder_case("granite", GRANITE, 49, embedding=6.0, scale=0.25, residual=0.22, logit=1 / 4)
EMBEDDINGGEMMA = {
    **RMS, "head_dim": 8, "num_hidden_layers": 3, "hidden_activation": "gelu_pytorch_tanh", "num_key_value_heads": 1, "rope_theta": 1000000.0,
    "rope_local_base_freq": 10000.0, "rope_scaling": None, "query_pre_attn_scalar": 20, "sliding_window": 6, "sliding_window_pattern": 3,
    "layer_types": ["sliding_attention", "sliding_attention", "full_attention"], "use_bidirectional_attention": True,
    "attn_logit_softcapping": None, "final_logit_softcapping": None, "architectures": ["Gemma3TextModel"], "tie_word_embeddings": True,
}
del EMBEDDINGGEMMA["hidden_act"]
FOUR = ["input_layernorm", "post_attention_layernorm", "pre_feedforward_layernorm", "post_feedforward_layernorm"]
# The window in the config covers both sides: 6 // 2 + 1 is the first distance that it hides.
model_type, c, w, run, _ = decoder_case(
    "gemma3_text", EMBEDDINGGEMMA, 55, norm="plus", qk="heads", style="sandwich", norms=FOUR, embedding=24**0.5, scale=20**-0.5, act="gelu_new",
    frequencies=[inverse_frequencies(8, 10000.0)] * 2 + [inverse_frequencies(8, 1000000.0)], windows=[4, 4, None], both=True, bare=True,
)
CASES["embeddinggemma"] = model_type, c, {name[6:]: value for name, value in w.items()}, lambda w, i: run({f"model.{k}": v for k, v in w.items()}, i), "right"
COHERE = {**SMALL, "layer_norm_eps": 1e-5, "logit_scale": 0.25, "rope_theta": 8000000.0, "use_qk_norm": False, "tie_word_embeddings": True}
PARALLEL = {"norm": "bare", "eps": 1e-5, "style": "parallel", "norms": ["input_layernorm"], "turn": turn_neighbours, "logit": 0.25}
CASES["cohere"] = decoder_case("cohere", COHERE, 50, **PARALLEL)
COHERE2 = {
    **COHERE, "num_hidden_layers": 4, "intermediate_size": 16, "rope_theta": 50000, "sliding_window": 4, "sliding_window_pattern": 4,
    "position_embedding_type": "rope_gptj", "rotary_pct": 1.0, "use_parallel_block": True,
}
del COHERE2["use_qk_norm"]
CASES["cohere2"] = decoder_case("cohere2", COHERE2, 51, **PARALLEL, windows=[4, 4, 4, None], turns=[True, True, True, False])
GLM = {**RMS, "rms_norm_eps": 1e-6, "head_dim": 8, "partial_rotary_factor": 0.5, "attention_bias": True, "tie_word_embeddings": False}
HALF = {"mlp": "fused", "share": 0.5, "turn": turn_neighbours, "bias": True}
CASES["glm"] = decoder_case("glm", GLM, 52, **HALF)
NAMES = ["input_layernorm", "post_self_attn_layernorm", "post_attention_layernorm", "post_mlp_layernorm"]
CASES["glm4"] = decoder_case("glm4", GLM, 53, **HALF, style="sandwich", norms=NAMES)
EXAONE4 = {
    **RMS, "num_hidden_layers": 4, "intermediate_size": 16, "rope_theta": 1000000, "sliding_window": 4, "sliding_window_pattern": "LLLG",
    "layer_types": TYPES, "tie_word_embeddings": False,
}
CASES["exaone4"] = decoder_case(
    "exaone4", EXAONE4, 57, **AFTER, qk="heads", windows=[4, 4, 4, None], turns=[True, True, True, False],
)

# EXAONE 3 has Llama's network under other names.
EXAONE = {
    "vocab_size": 40, "hidden_size": 32, "intermediate_size": 24, "num_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
    "head_dim": 8, "activation_function": "silu", "layer_norm_epsilon": 1e-5, "rope_theta": 500.0, "rope_scaling": SCALING,
    "max_position_embeddings": 64, "pad_token_id": 0, "tie_word_embeddings": False, "embed_dropout": 0.0, "attention_dropout": 0.0,
}
EXAONE_NAMES = {
    "model.embed_tokens": "transformer.wte", "model.layers.": "transformer.h.", "model.norm": "transformer.ln_f", "self_attn.o_proj": "attn.attention.out_proj",
    "self_attn.": "attn.attention.", "input_layernorm": "ln_1", "post_attention_layernorm": "ln_2", "gate_proj": "c_fc_0", "up_proj": "c_fc_1",
    "down_proj": "c_proj",
}


def renamed(name, names):
    for old, new in names.items():
        name = name.replace(old, new)
    return name


AS_LLAMA = {**EXAONE, "num_hidden_layers": 2, "rms_norm_eps": 1e-5}
model_type, _, w, run_as_llama, side = llama_case("exaone", AS_LLAMA, 58, windows=(None, None), frequencies=llama3_frequencies(AS_LLAMA))
LLAMA_NAMES = {renamed(name, EXAONE_NAMES): name for name in w}
CASES["exaone"] = (
    model_type, EXAONE, {renamed(name, EXAONE_NAMES): value for name, value in w.items()},
    lambda w, i: run_as_llama({LLAMA_NAMES[name]: value for name, value in w.items()}, i), side,
)


def gated_case(model_type, c, seed, n):
    return model_type, c, make_gated_encoder(c, seed, n), lambda w, i: run_gated_encoder(w, c, n, i["ids"], i["mask"], i["types"]), "right"


NOMIC = {
    "vocab_size": 40, "n_embd": 24, "n_layer": 2, "n_head": 4, "n_inner": 32, "n_positions": 64, "activation_function": "swiglu",
    "layer_norm_epsilon": 1e-12, "type_vocab_size": 2, "qkv_proj_bias": False, "mlp_fc1_bias": False, "mlp_fc2_bias": False,
    "rotary_emb_base": 1000, "rotary_emb_fraction": 1.0, "rotary_emb_interleaved": False, "rotary_emb_scale_base": None,
    "rotary_scaling_factor": 2, "max_trained_positions": 12, "causal": False, "prenorm": False, "use_rms_norm": False, "pad_token_id": 0,
    "use_flash_attn": True, "fused_bias_fc": True, "pad_vocab_size_multiple": 8,
}
# Rotation angles grow more slowly in texts of more than max_trained_positions.
grown = lambda length: 1000.0 * (2 * max(length, 12) / 12 - 1) ** (6 / 4)
CASES["nomic_bert"] = gated_case("nomic_bert", NOMIC, 61, {
    "prefix": "bert.", "d": 24, "inner": 32, "layers": 2, "heads": 4, "eps": 1e-12, "norm0": "emb_ln", "at": "encoder.layers.{}.",
    "qkv": ["attn.Wqkv"], "o": "attn.out_proj", "bias": False, "in": ["mlp.fc11", "mlp.fc12"], "in_bias": False, "gate": 1, "act": F.silu,
    "down": "mlp.fc2", "down_bias": False, "norm1": "norm1", "norm2": "norm2", "frequencies": lambda length: inverse_frequencies(6, grown(length)),
    "dense": "cls.predictions.transform.dense", "head_norm": "cls.predictions.transform.layer_norm", "head_bias": "cls.predictions.decoder.bias",
    "head_act": F.silu,
})
GTE = {
    "vocab_size": 40, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32, "hidden_act": "gelu",
    "layer_norm_eps": 1e-12, "layer_norm_type": "layer_norm", "max_position_embeddings": 64, "type_vocab_size": 1, "pad_token_id": 0,
    "position_embedding_type": "rope", "rope_theta": 20000, "rope_scaling": {"factor": 8.0, "type": "ntk"}, "pack_qkv": True,
    "logn_attention_scale": False, "logn_attention_clip1": False, "unpad_inputs": True, "use_memory_efficient_attention": True,
}
GTE_NAMES = {
    "prefix": "new.", "d": 24, "inner": 32, "layers": 2, "heads": 4, "eps": 1e-12, "norm0": "embeddings.LayerNorm", "at": "encoder.layer.{}.",
    "qkv": ["attention.qkv_proj"], "o": "attention.o_proj", "bias": True, "in": ["mlp.up_gate_proj"], "in_bias": False, "gate": 1, "act": F.gelu,
    "down": "mlp.down_proj", "down_bias": True, "norm1": "attn_ln", "norm2": "mlp_ln",
    "frequencies": lambda length: inverse_frequencies(6, 20000.0 * 8) / 8 ** (2 / 6),
    "dense": "lm_head.dense", "head_norm": "lm_head.norm", "head_bias": "lm_head.decoder.bias", "head_act": F.gelu,
}
CASES["new"] = gated_case("new", GTE, 62, GTE_NAMES)
JINA = {
    "vocab_size": 40, "hidden_size": 30, "num_hidden_layers": 2, "num_attention_heads": 6, "intermediate_size": 32, "hidden_act": "gelu",
    "layer_norm_eps": 1e-12, "max_position_embeddings": 64, "type_vocab_size": 2, "pad_token_id": 0, "position_embedding_type": "alibi",
    "feed_forward_type": "geglu", "emb_pooler": "mean", "attn_implementation": "torch",
}
# The slopes of 6 heads: those of 4 heads, then every other one of 8 heads.
SLOPES = torch.tensor([2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8, 2.0**-1, 2.0**-3], dtype=torch.float64)
CASES["bert-jina"] = gated_case("bert", JINA, 63, {
    "prefix": "bert.", "d": 30, "inner": 32, "layers": 2, "heads": 6, "eps": 1e-12, "norm0": "embeddings.LayerNorm", "at": "encoder.layer.{}.",
    "qkv": ["attention.self.query", "attention.self.key", "attention.self.value"], "o": "attention.output.dense", "bias": True,
    "in": ["mlp.gated_layers"], "in_bias": False, "gate": 0, "act": F.gelu, "down": "mlp.wo", "down_bias": True,
    "norm1": "attention.output.LayerNorm", "norm2": "mlp.layernorm", "slopes": SLOPES,
    "dense": "cls.predictions.transform.dense", "head_norm": "cls.predictions.transform.LayerNorm", "head_bias": "cls.predictions.bias",
    "head_act": F.gelu,
})


def older_case(model_type, c, seed, **n):
    n["d"] = c.get("n_embd") or c.get("hidden_size") or c.get("d_model")
    n["H"] = c.get("n_head") or c.get("num_attention_heads") or c.get("n_heads")
    return model_type, c, make_older(c, seed, n), lambda w, i: run_older(w, c, i["ids"], i["mask"], n), "left"


GPTJ = {
    "vocab_size": 40, "n_embd": 24, "n_layer": 2, "n_head": 4, "n_positions": 64, "rotary_dim": 4, "n_inner": None, "pad_token_id": 0,
    "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "rotary": True, "scale_attn_weights": True, "tie_word_embeddings": False,
}
PLAIN = {"layers": 2, "eps": 1e-5, "at": "h.{}.", "last": "ln_f", "mlp_bias": True}
J = {
    **PLAIN, "tokens": "wte", "o": "attn.out_proj", "up": "mlp.fc_in", "down": "mlp.fc_out", "norms": ["ln_1"], "parallel": True, "bias": False,
    "turn": turn_neighbours, "frequencies": inverse_frequencies(4, 10000.0), "head": True, "act": "gelu_new",
}
CASES["gptj"] = older_case("gptj", GPTJ, 71, **J)
CODEGEN = {**{key: value for key, value in GPTJ.items() if key != "rotary"}, "n_embd": 32, "n_head": 8, "n_ctx": 64, "n_inner": 48}
CASES["codegen"] = older_case("codegen", CODEGEN, 72, **J, qkv="attn.qkv_proj", split=split_quarters(8), inner=48)
BIGCODE = {
    "vocab_size": 40, "n_embd": 24, "n_layer": 2, "n_head": 4, "n_positions": 32, "n_inner": 40, "activation_function": "gelu_pytorch_tanh",
    "layer_norm_epsilon": 1e-5, "multi_query": True, "scale_attn_weights": True, "attention_softmax_in_fp32": True, "pad_token_id": 0,
}
B = {
    **PLAIN, "tokens": "wte", "positions": "wpe", "most": 32, "qkv": "attn.c_attn", "o": "attn.c_proj", "up": "mlp.c_fc", "down": "mlp.c_proj",
    "norms": ["ln_1", "ln_2"], "parallel": False, "bias": True, "act": "gelu_new", "inner": 40,
}
CASES["gpt_bigcode"] = older_case("gpt_bigcode", BIGCODE, 73, **B, G=1, split=split_shared(4, 6))
BIGCODE_HEADS = {**BIGCODE, "multi_query": False}
CASES["gpt_bigcode-heads"] = older_case("gpt_bigcode", BIGCODE_HEADS, 74, **B, split=split_heads_of_three(4))
BLOOM = {"vocab_size": 40, "hidden_size": 30, "n_layer": 2, "n_head": 6, "layer_norm_epsilon": 1e-5, "pad_token_id": 3, "offset_alibi": 100, "seq_length": 64}
NEOX_NAMES = {
    **PLAIN, "tokens": "word_embeddings", "qkv": "self_attention.query_key_value", "o": "self_attention.dense", "up": "mlp.dense_h_to_4h",
    "down": "mlp.dense_4h_to_h",
}
CASES["bloom"] = older_case(
    "bloom", BLOOM, 75, **NEOX_NAMES, norm0="word_embeddings_layernorm", norms=["input_layernorm", "post_attention_layernorm"], parallel=False,
    bias=True, act="gelu_new", slopes=SLOPES, split=split_heads_of_three(6),
)
MPT = {
    "vocab_size": 40, "d_model": 30, "n_layers": 2, "n_heads": 6, "expansion_ratio": 4, "max_seq_len": 64, "no_bias": True, "pad_token_id": 0,
    "layer_norm_epsilon": 1e-5, "norm_type": "low_precision_layernorm", "learned_pos_emb": True, "init_device": "cpu", "logit_scale": None,
    "attn_config": {"alibi": True, "alibi_bias_max": 8, "attn_impl": "torch", "clip_qkv": None, "softmax_scale": None, "qk_ln": False},
}
# The slopes of 6 heads: of those of 8 heads first the ones with odd index, then the ones with even index.
CASES["mpt"] = older_case(
    "mpt", MPT, 76, **{**PLAIN, "at": "blocks.{}.", "last": "norm_f", "mlp_bias": False}, tokens="wte", qkv="attn.Wqkv", o="attn.out_proj",
    up="ffn.up_proj", down="ffn.down_proj", norms=["norm_1", "norm_2"], norm_bias=False, parallel=False, bias=False, act="gelu", inner=120,
    slopes=2.0 ** -torch.tensor([2.0, 4.0, 6.0, 8.0, 1.0, 3.0], dtype=torch.float64), split=lambda x: [split(part, 6) for part in x.chunk(3, -1)],
)
FALCON = {
    "vocab_size": 40, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "layer_norm_epsilon": 1e-5, "alibi": False,
    "bias": False, "multi_query": True, "new_decoder_architecture": False, "parallel_attn": True, "max_position_embeddings": 64,
    "apply_residual_connection_post_layernorm": False, "pad_token_id": 0,
}
FALCON_NAMES = {**NEOX_NAMES, "mlp_bias": False, "bias": False, "act": "gelu", "turn": rope, "frequencies": inverse_frequencies(6, 10000.0)}
CASES["falcon"] = older_case("falcon", FALCON, 77, **FALCON_NAMES, G=1, norms=["input_layernorm"], parallel=True, split=split_shared(4, 6))
FALCON_NEW = {**FALCON, "new_decoder_architecture": True, "num_kv_heads": 2}
CASES["falcon-new"] = older_case("falcon", FALCON_NEW, 78, **FALCON_NAMES, G=2, norms=["ln_attn", "ln_mlp"], parallel=True, split=split_groups(4, 2, 6))


MT5 = {**T5, "num_layers": 2, "num_decoder_layers": 2, "d_ff": 24}
CASES["mt5"] = ("mt5", MT5, make_t5(MT5, 81), lambda w, i: run_t5(w, MT5, i["ids"], i["mask"], i["decoder"]), "both")


def seq2seq_case(model_type, c, seed, **n):
    return model_type, c, make_seq2seq(c, seed, n), lambda w, i: run_seq2seq(w, c, n, i["ids"], i["mask"], i["decoder"]), "both"


SEQ2SEQ = {
    "vocab_size": 40, "d_model": 24, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
    "encoder_ffn_dim": 24, "decoder_ffn_dim": 24, "activation_function": "gelu", "max_position_embeddings": 32, "scale_embedding": True,
    "pad_token_id": 1, "decoder_start_token_id": 0,
}
MBART = {**SEQ2SEQ, "normalize_before": True, "add_final_layer_norm": True, "normalize_embedding": True}
CASES["mbart"] = seq2seq_case("mbart", MBART, 82, learned=True, bias=True)
PEGASUS = {**SEQ2SEQ, "pad_token_id": 0, "normalize_before": True, "static_position_embeddings": True}
CASES["pegasus"] = seq2seq_case("pegasus", PEGASUS, 86, learned=False, bias=True, positions=marian_positions)
M2M = {**SEQ2SEQ}
CASES["m2m_100"] = seq2seq_case("m2m_100", M2M, 85, learned=False, bias=False, positions=fairseq_positions)


DEBERTA = {
    "vocab_size": 40, "hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 32, "hidden_act": "gelu",
    "layer_norm_eps": 1e-7, "max_position_embeddings": 32, "type_vocab_size": 0, "pad_token_id": 0, "relative_attention": True,
    "position_buckets": 8, "norm_rel_ebd": "layer_norm", "share_att_key": True, "pos_att_type": "p2c|c2p", "max_relative_positions": -1,
    "position_biased_input": False,
}
def deberta_case(c, seed):
    return "deberta-v2", c, make_deberta(c, seed), lambda w, i: run_deberta(w, c, i["ids"], i["mask"], i["types"]), "right"


CASES["deberta-v3"] = deberta_case(DEBERTA, 91)
# A DeBERTa whose distances have no buckets, with positions and token types in the embeddings.
CASES["deberta-plain"] = deberta_case({**DEBERTA, "position_buckets": -1, "norm_rel_ebd": "none", "max_position_embeddings": 16,
    "type_vocab_size": 2, "position_biased_input": True, "pos_att_type": ["c2p", "p2c"]}, 92)


# Heads for classification: a case with the tensors of its head, without those of the head for words.
def first(out, i):
    return out[max(name for name in out if name.startswith("hidden"))][:, 0]


def every(out, i):
    return out[max(name for name in out if name.startswith("hidden"))]


def last_real(out, i):
    at = (i["mask"] * torch.arange(i["mask"].shape[1])).argmax(-1)
    return out["final"][torch.arange(len(at)), at]


def mean_real(out, i):
    mask = i["mask"][:, :, None].to(out["final"].dtype)
    return (out["final"] * mask).sum(1) / mask.sum(1)


def classes(case, architecture, labels, seed, layers, head, side="right", drop="^lm_head", **more):
    """layers: (name, out, in, bias) of each new one."""
    model_type, c, w, run, _ = case
    c = {**c, "architectures": [architecture], "id2label": {str(n): label for n, label in enumerate(labels)}, **more}
    m = Maker(seed)
    for layer in layers:
        m.linear(*layer)
    w = {**{name: value for name, value in w.items() if not re.search(drop, name)}, **m.w}

    def with_classes(w, i):
        out = run(w, i)
        out.pop("logits", None)
        out["class_logits"] = head(w, out, i)
        return out

    return model_type, c, w, with_classes, side


GPT2 = {
    "vocab_size": 40, "n_embd": 24, "n_layer": 2, "n_head": 4, "n_positions": 32, "activation_function": "gelu_new",
    "layer_norm_epsilon": 1e-5, "pad_token_id": 0,
}
BERT_NAMES = {
    **ROBERTA_NAMES, "counts": False, "embeddings": "bert.embeddings.", "layers": [f"bert.encoder.layer.{i}." for i in range(3)],
    "run": [f"bert.encoder.layer.{i}." for i in range(3)], "head": "cls.predictions.dense", "head_norm": "cls.predictions.norm",
    "head_bias": "cls.predictions.bias",
}
POOLED = {**BERT_NAMES, "pooler": "bert.pooler.dense"}
bert = lambda names: encoder_case("bert", {**BERT, "type_vocab_size": 2, "pad_token_id": 0}, 21, names)
gpt2 = ("gpt2", GPT2, make_gpt2(GPT2, 24), lambda w, i: run_gpt2(w, GPT2, i["ids"], i["mask"]), "right")
NER = ["O", "B-PER", "I-PER"]
CASES["bert-sequence"] = classes(
    bert(POOLED), "BertForSequenceClassification", ["no", "yes"], 31, [("classifier", 2, 24)],
    lambda w, out, i: lin(w, "classifier", out["pooled"]), drop="^cls",
)
CASES["bert-tokens"] = classes(
    bert(BERT_NAMES), "BertForTokenClassification", NER, 32, [("classifier", 3, 24)],
    lambda w, out, i: lin(w, "classifier", every(out, i)), drop="^cls",
)
CASES["xlm-roberta-sequence"] = classes(
    CASES["xlm-roberta"], "XLMRobertaForSequenceClassification", NER, 33, [("classifier.dense", 24, 24), ("classifier.out_proj", 3, 24)],
    lambda w, out, i: lin(w, "classifier.out_proj", torch.tanh(lin(w, "classifier.dense", first(out, i)))),
)
CASES["electra-sequence"] = classes(
    CASES["electra"], "ElectraForSequenceClassification", NER, 34, [("classifier.dense", 24, 24), ("classifier.out_proj", 3, 24)],
    lambda w, out, i: lin(w, "classifier.out_proj", F.gelu(lin(w, "classifier.dense", first(out, i)))), drop="^generator",
)
CASES["modernbert-sequence"] = classes(
    CASES["modernbert"], "ModernBertForSequenceClassification", NER, 35, [("classifier", 3, 24)],
    lambda w, out, i: lin(w, "classifier", F.layer_norm(F.gelu(lin(w, "head.dense", mean_real(out, i))), (24,), w["head.norm.weight"], None, 1e-5)),
    drop="^decoder", classifier_pooling="mean",
)
CASES["gpt2-sequence"] = classes(
    gpt2, "GPT2ForSequenceClassification", NER, 36, [("score", 3, 24, False)], lambda w, out, i: lin(w, "score", last_real(out, i)),
)
CASES["llama-sequence"] = classes(
    llama_case("llama", LLAMA, 25), "LlamaForSequenceClassification", NER, 37, [("score", 3, 24, False)],
    lambda w, out, i: lin(w, "score", last_real(out, i)),
)
CASES["llama-tokens"] = classes(
    llama_case("llama", LLAMA, 26), "LlamaForTokenClassification", NER, 38, [("score", 3, 24)],
    lambda w, out, i: lin(w, "score", out["final"]),
)
CASES["deberta-sequence"] = classes(
    CASES["deberta-v3"], "DebertaV2ForSequenceClassification", ["entailment", "neutral"], 39, [("pooler.dense", 24, 24), ("classifier", 2, 24)],
    lambda w, out, i: lin(w, "classifier", F.gelu(lin(w, "pooler.dense", first(out, i)))), drop="^cls", pooler_hidden_act="gelu",
)


def with_first_marked(case):
    """A text's first token has global attention, as in classifiers of texts."""
    model_type, c, w, run, side = case
    return model_type, c, w, lambda w, i: run(w, {**i, "marked": (torch.arange(i["ids"].shape[1]) == 0).long()[None].expand_as(i["ids"])}), side


CASES["longformer-sequence"] = classes(
    with_first_marked(CASES["longformer"]), "LongformerForSequenceClassification", NER, 40, [("classifier.dense", 24, 24), ("classifier.out_proj", 3, 24)],
    lambda w, out, i: lin(w, "classifier.out_proj", torch.tanh(lin(w, "classifier.dense", first(out, i)))), drop=r"^lm_head|pooler",
)


def inputs_of(side, pad, g):
    draw = lambda *shape: torch.randint(2, 40, shape, generator=g)
    one = {"ids": draw(1, 14), "mask": torch.ones(1, 14, dtype=torch.long)}
    batch = {"ids": draw(2, 11), "mask": torch.ones(2, 11, dtype=torch.long)}
    hidden = slice(0, 4) if side == "left" else slice(7, 11)
    batch["mask"][0, hidden] = 0
    batch["ids"][0, hidden] = pad
    for given in (one, batch):
        B, L = given["ids"].shape
        given["types"] = torch.zeros(B, L, dtype=torch.long)
        given["decoder"] = torch.cat((torch.zeros(B, 1, dtype=torch.long), draw(B, 8)), 1)
    return {"one": one, "batch": batch}


def kind_of(name):
    return "attention" if "attention" in name else name if name.endswith("logits") else "hidden"


def main():
    for name, (model_type, config, weights, run, side) in CASES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        folder = os.path.join(HERE, name + "-made")
        os.makedirs(folder, exist_ok=True)
        stored = {key: value.half() if name == "mistral" else value for key, value in weights.items()}
        save(os.path.join(folder, "model.safetensors"), stored)
        inputs = inputs_of(side, config.get("pad_token_id", 0), torch.Generator().manual_seed(99))
        if config.get("type_vocab_size", 1) > 1:
            inputs["one"]["types"][0, 6:] = 1
        if model_type == "m2m_100":  # the id of padding within a text, which has no position there
            inputs["one"]["ids"][0, 5] = inputs["one"]["decoder"][0, 4] = config["pad_token_id"]
        if name == "longformer":
            inputs["global"] = {**inputs["batch"], "marked": torch.zeros_like(inputs["batch"]["ids"])}
            inputs["global"]["marked"][0, [1, 5]] = 1
            inputs["global"]["marked"][1, 10] = 1
        expected, error, listed = {}, {"hidden": 0.0, "attention": 0.0}, []
        for input_name, given in inputs.items():
            exact = run({key: value.double() for key, value in stored.items()}, given)
            rounded = run({key: value.float() for key, value in stored.items()}, given)
            rows = given["mask"].bool()
            for key, value in exact.items():
                own = torch.ones_like(given["decoder"]).bool() if side == "both" and not key.startswith("encoder") else rows
                if key != "pooled" and value.dim() > 2:
                    keep = own[:, None, :, None] if "attention" in key else own[:, :, None]
                    value = value * keep
                    difference = ((rounded[key] * keep) - value).abs().max().item()
                else:
                    difference = (rounded[key] - value).abs().max().item()
                error[kind_of(key)] = max(error.get(kind_of(key), 0.0), difference)
                expected[f"{input_name}/{key}"] = value.float()
            entry = {"name": input_name, "input_ids": given["ids"].tolist(), "attention_mask": given["mask"].tolist()}
            if "marked" in given:
                entry["global_attention_mask"] = given["marked"].tolist()
            if config.get("type_vocab_size", 1) > 1:
                entry["token_type_ids"] = given["types"].tolist()
            if "class_logits" in exact:
                best = exact["class_logits"].argmax(-1)
                entry["classes"] = best.tolist() if best.dim() == 1 else [row[real].tolist() for row, real in zip(best, rows)]
            if side == "both":
                entry["decoder_input_ids"] = given["decoder"].tolist()
            # With dynamic frequencies, keys in a cache were rotated for the length at that time, so generation differs from whole passes.
            if side == "left" and input_name == "one" and name not in ("llama-dynamic", "phi3-longrope"):
                ids, gap, lead = given["ids"], [], float("inf")
                double = {key: value.double() for key, value in stored.items()}
                for _ in range(8):
                    logits = run(double, {"ids": ids, "mask": torch.ones_like(ids)})["logits"][0, -1]
                    best = logits.topk(2)
                    lead = min(lead, (best.values[0] - best.values[1]).item())
                    ids = torch.cat((ids, best.indices[:1][None]), 1)
                entry["greedy"], entry["greedy_gap"] = ids[:, 14:].tolist(), lead
            listed.append(entry)
        save(os.path.join(folder, "expected.safetensors"), expected)
        with open(os.path.join(folder, "config.json"), "w") as file:
            json.dump({"model_type": model_type, **config}, file, indent=1)
            file.write("\n")
        tolerance = {key: {"abs": 8 * value, "rel": 1e-6} for key, value in error.items()}
        labels = {"labels": list(config["id2label"].values())} if "id2label" in config else {}
        with open(os.path.join(folder, "expected.json"), "w") as file:
            json.dump({"model_type": model_type, "tolerance": tolerance, "float32_error": error, **labels, "inputs": listed}, file)
            file.write("\n")
        print(name, error, [entry.get("greedy_gap") for entry in listed])


if __name__ == "__main__":
    main()
