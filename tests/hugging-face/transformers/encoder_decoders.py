"""T5, Marian."""
import math

import torch
from torch import nn

from .parts import ACT, RMSNorm, Tree, attend, causal, layers, split


class T5Attention(Tree):
    def __init__(self, c, has_table, is_decoder):
        wide = c.num_heads * c.d_kv
        parts = {name: nn.Linear(c.d_model, wide, bias=False) for name in "qkv"}
        table = {"relative_attention_bias": nn.Embedding(c.get("relative_attention_num_buckets", 32), c.num_heads)} if has_table else {}
        super().__init__(**parts, o=nn.Linear(wide, c.d_model, bias=False), **table)
        self.heads, self.is_decoder, self.most = c.num_heads, is_decoder, c.get("relative_attention_max_distance", 128)

    def bias(self, length):
        n = self.relative_attention_bias.num_embeddings
        r = torch.arange(length)[None] - torch.arange(length)[:, None]
        found = torch.zeros_like(r)
        if self.is_decoder:
            r = (-r).clamp(min=0)
        else:
            n //= 2
            found, r = (r > 0).long() * n, r.abs()
        e = n // 2
        large = e + (torch.log(r.clamp(min=1).float() / e) / math.log(self.most / e) * (n - e)).long()
        found = found + torch.where(r < e, r, large.clamp(max=n - 1))
        return self.relative_attention_bias(found).permute(2, 0, 1)[None]

    def forward(self, hidden_states, source=None, mask=0):
        source = hidden_states if source is None else source
        q, k, v = (split(x, self.heads) for x in (self.q(hidden_states), self.k(source), self.v(source)))
        return (self.o(attend(q, k, v, mask, 1)),)


class T5Stack(Tree):
    def __init__(self, c, count, is_decoder):
        d, eps, kind = c.d_model, c.get("layer_norm_epsilon", 1e-6), c.get("feed_forward_proj", "relu")
        gated = kind.startswith("gated")
        act = ACT["gelu_new" if gated else kind]

        def block(i):
            parts = [Tree(SelfAttention=T5Attention(c, i == 0, is_decoder), layer_norm=RMSNorm(d, eps))]
            if is_decoder:
                parts.append(Tree(EncDecAttention=T5Attention(c, False, True), layer_norm=RMSNorm(d, eps)))
            ups = {name: nn.Linear(d, c.d_ff, bias=False) for name in (("wi_0", "wi_1") if gated else ("wi",))}
            parts.append(Tree(DenseReluDense=Tree(**ups, wo=nn.Linear(c.d_ff, d, bias=False)), layer_norm=RMSNorm(d, eps)))
            return T5Block(parts, act)

        super().__init__(block=layers(count, block), final_layer_norm=RMSNorm(d, eps))
        self.is_decoder = is_decoder

    def forward(self, h, source=None):
        length = h.shape[1]
        mask = self.block[0].layer[0].SelfAttention.bias(length) + (causal(length) if self.is_decoder else 0)
        for block in self.block:
            h = block(h, source, mask)[0]
        return self.final_layer_norm(h)


class T5Block(Tree):
    def __init__(self, parts, act):
        super().__init__(layer=nn.ModuleList(parts))
        self.act = act

    def forward(self, h, source, mask):
        own, *cross, last = self.layer
        h = h + own.SelfAttention(own.layer_norm(h), mask=mask)[0]
        for part in cross:
            h = h + part.EncDecAttention(part.layer_norm(h), source=source)[0]
        x, dense = last.layer_norm(h), last.DenseReluDense
        inner = self.act(dense.wi(x)) if hasattr(dense, "wi") else self.act(dense.wi_0(x)) * dense.wi_1(x)
        return (h + dense.wo(inner),)


class T5(Tree):
    ignored = r"EncDecAttention\.relative_attention_bias|embed_tokens\.weight$"

    def __init__(self, c):
        d, V = c.d_model, c.vocab_size
        count = c.get("num_decoder_layers", c.num_layers)
        stacks = dict(encoder=T5Stack(c, c.num_layers, False), decoder=T5Stack(c, count, True))
        super().__init__(shared=nn.Embedding(V, d), **stacks, lm_head=nn.Linear(d, V, bias=False))
        is_tied = c.get("tie_word_embeddings", True)
        self.scale = d**-0.5 if is_tied else 1
        self.tied = {"lm_head.weight": self.shared.weight} if is_tied else {}

    def forward(self, input_ids, decoder_input_ids):
        source = self.encoder(self.shared(input_ids))
        return self.lm_head(self.decoder(self.shared(decoder_input_ids), source) * self.scale)


class MarianAttention(Tree):
    def __init__(self, d, heads):
        super().__init__(**{f"{name}_proj": nn.Linear(d, d) for name in ("q", "k", "v", "out")})
        self.heads = heads

    def forward(self, hidden_states, source=None, mask=0):
        source = hidden_states if source is None else source
        q, k, v = (split(x, self.heads) for x in (self.q_proj(hidden_states), self.k_proj(source), self.v_proj(source)))
        return (self.out_proj(attend(q, k, v, mask, q.shape[-1] ** -0.5)),)


class MarianLayer(Tree):
    def __init__(self, c, stack):
        d, heads, inner = c.d_model, getattr(c, f"{stack}_attention_heads"), getattr(c, f"{stack}_ffn_dim")
        names = ["self_attn"] + (["encoder_attn"] if stack == "decoder" else [])
        parts = {name: MarianAttention(d, heads) for name in names} | {f"{name}_layer_norm": nn.LayerNorm(d) for name in names}
        super().__init__(**parts, fc1=nn.Linear(d, inner), fc2=nn.Linear(inner, d), final_layer_norm=nn.LayerNorm(d))
        self.act = ACT[c.get("activation_function", "gelu")]

    def forward(self, h, source=None, mask=0):
        h = self.self_attn_layer_norm(h + self.self_attn(h, mask=mask)[0])
        if source is not None:
            h = self.encoder_attn_layer_norm(h + self.encoder_attn(h, source=source)[0])
        return (self.final_layer_norm(h + self.fc2(self.act(self.fc1(h)))),)


class Marian(Tree):
    ignored = r"embed_(positions|tokens)\.weight$|^lm_head\."

    def __init__(self, c):
        stacks = {s: Tree(layers=layers(getattr(c, f"{s}_layers"), lambda _: MarianLayer(c, s))) for s in ("encoder", "decoder")}
        super().__init__(model=Tree(shared=nn.Embedding(c.vocab_size, c.d_model), **stacks))
        self.register_buffer("final_logits_bias", torch.zeros(1, c.vocab_size))
        self.scale = c.d_model**0.5 if c.get("scale_embedding", False) else 1

    def embed(self, ids):
        d = self.model.shared.embedding_dim
        angles = torch.arange(ids.shape[1])[:, None] / 10000 ** (torch.arange(0, d, 2) / d)
        return self.model.shared(ids) * self.scale + torch.cat((angles.sin(), angles.cos()), -1)

    def forward(self, input_ids, decoder_input_ids):
        source, h = self.embed(input_ids), self.embed(decoder_input_ids)
        for layer in self.model.encoder.layers:
            source = layer(source)[0]
        for layer in self.model.decoder.layers:
            h = layer(h, source, causal(h.shape[1]))[0]
        return h @ self.model.shared.weight.T + self.final_logits_bias
