"""GPT-2; Llama, Mistral, Qwen 2 and 3, Gemma 2; GPT-NeoX; Phi."""
import torch
from torch import nn

from .parts import ACT, Conv1D, RMSNorm, Tree, attend, causal, frequencies, layers, rotate, split


class GPT2Attention(Tree):
    def __init__(self, c):
        super().__init__(c_attn=Conv1D(3 * c.n_embd, c.n_embd), c_proj=Conv1D(c.n_embd, c.n_embd))
        self.heads = c.n_head

    def forward(self, hidden_states):
        q, k, v = (split(x, self.heads) for x in self.c_attn(hidden_states).chunk(3, -1))
        return self.c_proj(attend(q, k, v, causal(q.shape[2]), q.shape[-1] ** -0.5))


class GPT2Block(Tree):
    def __init__(self, c):
        d, inner, eps = c.n_embd, c.get("n_inner", 4 * c.n_embd), c.get("layer_norm_epsilon", 1e-5)
        mlp = Tree(c_fc=Conv1D(inner, d), c_proj=Conv1D(d, inner))
        super().__init__(ln_1=nn.LayerNorm(d, eps), attn=GPT2Attention(c), ln_2=nn.LayerNorm(d, eps), mlp=mlp)
        self.act = ACT[c.get("activation_function", "gelu_new")]

    def forward(self, h):
        h = h + self.attn(hidden_states=self.ln_1(h))
        return (h + self.mlp.c_proj(self.act(self.mlp.c_fc(self.ln_2(h)))),)


class GPT2(Tree):
    ignored = r"\.attn\.(masked_)?bias$"
    prefix = "transformer."

    def __init__(self, c):
        d = c.n_embd
        body = dict(wte=nn.Embedding(c.vocab_size, d), wpe=nn.Embedding(c.n_positions, d))
        body |= dict(h=layers(c.n_layer, lambda _: GPT2Block(c)), ln_f=nn.LayerNorm(d, c.get("layer_norm_epsilon", 1e-5)))
        super().__init__(transformer=Tree(**body), lm_head=nn.Linear(d, c.vocab_size, bias=False))
        self.tied = {"lm_head.weight": self.transformer.wte.weight}

    def forward(self, input_ids):
        body = self.transformer
        h = body.wte(input_ids) + body.wpe(torch.arange(input_ids.shape[1]))
        for block in body.h:
            h = block(h)[0]
        return self.lm_head(body.ln_f(h))


class LlamaAttention(Tree):
    def __init__(self, c, layer):
        d, H, G = c.hidden_size, c.num_attention_heads, c.get("num_key_value_heads", c.num_attention_heads)
        D, kind, biased = c.get("head_dim", d // H), c.model_type, c.get("attention_bias", False)
        inputs = biased or kind == "qwen2"
        super().__init__(
            q_proj=nn.Linear(d, H * D, inputs), k_proj=nn.Linear(d, G * D, inputs), v_proj=nn.Linear(d, G * D, inputs),
            o_proj=nn.Linear(H * D, d, biased),
            **({"q_norm": RMSNorm(D, c.rms_norm_eps), "k_norm": RMSNorm(D, c.rms_norm_eps)} if kind == "qwen3" else {}),
        )  # fmt: skip
        self.H, self.G, self.turns = H, G, frequencies(c, D)
        self.scale = c.query_pre_attn_scalar**-0.5 if kind == "gemma2" else D**-0.5
        self.cap = c.get("attn_logit_softcapping", None)
        late = c.get("use_sliding_window", False) and layer >= c.max_window_layers
        windowed = {"mistral": True, "gemma2": layer % 2 == 0}.get(kind, late)
        self.window = c.sliding_window if windowed else None

    def forward(self, hidden_states):
        parts = (self.q_proj, self.H), (self.k_proj, self.G), (self.v_proj, self.G)
        q, k, v = (split(project(hidden_states), heads) for project, heads in parts)
        if hasattr(self, "q_norm"):
            q, k = self.q_norm(q), self.k_norm(k)
        q, k = rotate(q, self.turns), rotate(k, self.turns)
        return self.o_proj(attend(q, k, v, causal(q.shape[2], self.window), self.scale, self.cap))


class LlamaLayer(Tree):
    def __init__(self, c, layer):
        d, inner, biased, plus = c.hidden_size, c.intermediate_size, c.get("mlp_bias", False), int(c.model_type == "gemma2")
        mlp = Tree(gate_proj=nn.Linear(d, inner, biased), up_proj=nn.Linear(d, inner, biased), down_proj=nn.Linear(inner, d, biased))
        names = ["input_layernorm", "post_attention_layernorm"]
        if plus:
            names += ["pre_feedforward_layernorm", "post_feedforward_layernorm"]
        super().__init__(self_attn=LlamaAttention(c, layer), mlp=mlp, **{name: RMSNorm(d, c.rms_norm_eps, plus) for name in names})
        self.act = ACT[c.get("hidden_activation", "gelu_pytorch_tanh") if plus else c.hidden_act]

    def forward(self, h):
        y = self.self_attn(hidden_states=self.input_layernorm(h))
        sandwich = hasattr(self, "pre_feedforward_layernorm")
        h = h + (self.post_attention_layernorm(y) if sandwich else y)
        x = self.pre_feedforward_layernorm(h) if sandwich else self.post_attention_layernorm(h)
        y = self.mlp.down_proj(self.act(self.mlp.gate_proj(x)) * self.mlp.up_proj(x))
        return h + (self.post_feedforward_layernorm(y) if sandwich else y)


class Llama(Tree):
    def __init__(self, c):
        d, plus = c.hidden_size, int(c.model_type == "gemma2")
        model = dict(embed_tokens=nn.Embedding(c.vocab_size, d), layers=layers(c.num_hidden_layers, lambda i: LlamaLayer(c, i)))
        super().__init__(model=Tree(**model, norm=RMSNorm(d, c.rms_norm_eps, plus)), lm_head=nn.Linear(d, c.vocab_size, bias=False))
        if c.get("tie_word_embeddings", bool(plus)):
            self.tied = {"lm_head.weight": self.model.embed_tokens.weight}
        self.scale = d**0.5 if plus else 1
        self.cap = c.get("final_logit_softcapping", None)

    def forward(self, input_ids):
        h = self.model.embed_tokens(input_ids) * self.scale
        for layer in self.model.layers:
            h = layer(h)
        logits = self.lm_head(self.model.norm(h))
        return torch.tanh(logits / self.cap) * self.cap if self.cap else logits


class NeoXAttention(Tree):
    def __init__(self, c):
        d = c.hidden_size
        super().__init__(query_key_value=nn.Linear(d, 3 * d), dense=nn.Linear(d, d))
        self.heads, self.turns = c.num_attention_heads, frequencies(c, d // c.num_attention_heads, c.get("rotary_pct", 0.25))

    def forward(self, hidden_states):
        q, k, v = split(self.query_key_value(hidden_states), self.heads).chunk(3, -1)
        q, k = rotate(q, self.turns), rotate(k, self.turns)
        return self.dense(attend(q, k, v, causal(q.shape[2]), q.shape[-1] ** -0.5))


class NeoXLayer(Tree):
    def __init__(self, c):
        d, inner, eps = c.hidden_size, c.intermediate_size, c.get("layer_norm_eps", 1e-5)
        mlp = Tree(dense_h_to_4h=nn.Linear(d, inner), dense_4h_to_h=nn.Linear(inner, d))
        norms = {name: nn.LayerNorm(d, eps) for name in ("input_layernorm", "post_attention_layernorm")}
        super().__init__(attention=NeoXAttention(c), mlp=mlp, **norms)
        self.act, self.parallel = ACT[c.hidden_act], c.get("use_parallel_residual", True)

    def forward(self, h):
        y = self.attention(hidden_states=self.input_layernorm(h))
        x = self.post_attention_layernorm(h if self.parallel else h + y)
        return (h + y + self.mlp.dense_4h_to_h(self.act(self.mlp.dense_h_to_4h(x))),)


class NeoX(Tree):
    ignored = r"\.attention\.(bias|masked_bias|rotary_emb\.inv_freq)$"

    def __init__(self, c):
        d = c.hidden_size
        body = dict(embed_in=nn.Embedding(c.vocab_size, d), layers=layers(c.num_hidden_layers, lambda _: NeoXLayer(c)))
        body |= dict(final_layer_norm=nn.LayerNorm(d, c.get("layer_norm_eps", 1e-5)))
        super().__init__(gpt_neox=Tree(**body), embed_out=nn.Linear(d, c.vocab_size, bias=False))

    def forward(self, input_ids):
        h = self.gpt_neox.embed_in(input_ids)
        for layer in self.gpt_neox.layers:
            h = layer(h)[0]
        return self.embed_out(self.gpt_neox.final_layer_norm(h))


class PhiAttention(Tree):
    def __init__(self, c):
        d, H = c.hidden_size, c.num_attention_heads
        D, G = d // H, c.get("num_key_value_heads", H)
        super().__init__(q_proj=nn.Linear(d, d), k_proj=nn.Linear(d, G * D), v_proj=nn.Linear(d, G * D), dense=nn.Linear(d, d))
        self.H, self.G, self.turns = H, G, frequencies(c, D, c.get("partial_rotary_factor", 0.5))

    def forward(self, hidden_states):
        parts = (self.q_proj, self.H), (self.k_proj, self.G), (self.v_proj, self.G)
        q, k, v = (split(project(hidden_states), heads) for project, heads in parts)
        q, k = rotate(q, self.turns), rotate(k, self.turns)
        return self.dense(attend(q, k, v, causal(q.shape[2]), q.shape[-1] ** -0.5))


class PhiLayer(Tree):
    def __init__(self, c):
        d, inner = c.hidden_size, c.intermediate_size
        mlp = Tree(fc1=nn.Linear(d, inner), fc2=nn.Linear(inner, d))
        super().__init__(self_attn=PhiAttention(c), mlp=mlp, input_layernorm=nn.LayerNorm(d, c.get("layer_norm_eps", 1e-5)))
        self.act = ACT[c.get("hidden_act", "gelu_new")]

    def forward(self, h):
        x = self.input_layernorm(h)
        return (h + self.self_attn(hidden_states=x) + self.mlp.fc2(self.act(self.mlp.fc1(x))),)


class Phi(Tree):
    def __init__(self, c):
        d = c.hidden_size
        model = dict(embed_tokens=nn.Embedding(c.vocab_size, d), layers=layers(c.num_hidden_layers, lambda _: PhiLayer(c)))
        model |= dict(final_layernorm=nn.LayerNorm(d, c.get("layer_norm_eps", 1e-5)))
        super().__init__(model=Tree(**model), lm_head=nn.Linear(d, c.vocab_size))

    def forward(self, input_ids):
        h = self.model.embed_tokens(input_ids)
        for layer in self.model.layers:
            h = layer(h)[0]
        return self.lm_head(self.model.final_layernorm(h))
