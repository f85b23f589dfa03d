"""BERT, RoBERTa, DistilBERT."""
import torch
from torch import nn

from .parts import ACT, Tree, attend, layers, split


class BertSelfAttention(Tree):
    def __init__(self, c):
        d = c.hidden_size
        super().__init__(query=nn.Linear(d, d), key=nn.Linear(d, d), value=nn.Linear(d, d))
        self.heads = c.num_attention_heads

    def forward(self, hidden_states):
        q, k, v = (split(part(hidden_states), self.heads) for part in (self.query, self.key, self.value))
        return (attend(q, k, v, 0, q.shape[-1] ** -0.5),)


def bert_output(size, d, eps):
    return Tree(dense=nn.Linear(size, d), LayerNorm=nn.LayerNorm(d, eps))


class BertLayer(Tree):
    def __init__(self, c, eps):
        d, inner = c.hidden_size, c.intermediate_size
        attention = Tree(**{"self_": BertSelfAttention(c), "output": bert_output(d, d, eps)})
        super().__init__(attention=attention, intermediate=Tree(dense=nn.Linear(d, inner)), output=bert_output(inner, d, eps))
        self.act = ACT[c.get("hidden_act", "gelu")]

    def forward(self, h):
        attention, output = self.attention, self.output
        h = attention.output.LayerNorm(h + attention.output.dense(attention.get_submodule("self")(h)[0]))
        return (output.LayerNorm(h + output.dense(self.act(self.intermediate.dense(h)))),)


class Bert(Tree):
    """BERT, and RoBERTa with its own head and positions."""

    ignored = r"^cls\.seq_relationship|\.pooler\.|position_ids$"

    def __init__(self, c):
        d, eps, V, self.kind = c.hidden_size, c.get("layer_norm_eps", 1e-12), c.vocab_size, c.model_type
        embeddings = dict(word_embeddings=nn.Embedding(V, d), position_embeddings=nn.Embedding(c.max_position_embeddings, d))
        embeddings |= dict(token_type_embeddings=nn.Embedding(c.type_vocab_size, d), LayerNorm=nn.LayerNorm(d, eps))
        encoder = Tree(layer=layers(c.num_hidden_layers, lambda _: BertLayer(c, eps)))
        body = {self.kind: Tree(embeddings=Tree(**embeddings), encoder=encoder)}
        if self.kind == "bert":
            transform = Tree(dense=nn.Linear(d, d), LayerNorm=nn.LayerNorm(d, eps))
            super().__init__(**body, cls=Tree(predictions=Tree(transform=transform)))
            self.cls.predictions.bias = nn.Parameter(torch.empty(V))
        else:
            super().__init__(**body, lm_head=Tree(dense=nn.Linear(d, d), layer_norm=nn.LayerNorm(d, eps)))
            self.lm_head.bias = nn.Parameter(torch.empty(V))
        self.first = c.pad_token_id + 1 if self.kind == "roberta" else 0
        self.act = nn.functional.gelu if self.kind == "roberta" else ACT[c.get("hidden_act", "gelu")]

    def forward(self, input_ids):
        body = getattr(self, self.kind)
        words = body.embeddings
        positions = torch.arange(input_ids.shape[1]) + self.first
        h = words.word_embeddings(input_ids) + words.position_embeddings(positions) + words.token_type_embeddings.weight[0]
        h = words.LayerNorm(h)
        for layer in body.encoder.layer:
            h = layer(h)[0]
        if self.kind == "bert":
            head = self.cls.predictions
            x = head.transform.LayerNorm(self.act(head.transform.dense(h)))
        else:
            head = self.lm_head
            x = head.layer_norm(self.act(head.dense(h)))
        return x @ words.word_embeddings.weight.T + head.bias


class DistilAttention(Tree):
    def __init__(self, c):
        super().__init__(**{f"{name}_lin": nn.Linear(c.dim, c.dim) for name in ("q", "k", "v", "out")})
        self.heads = c.n_heads

    def forward(self, query):
        q, k, v = (split(part(query), self.heads) for part in (self.q_lin, self.k_lin, self.v_lin))
        return (self.out_lin(attend(q, k, v, 0, q.shape[-1] ** -0.5)),)


class DistilLayer(Tree):
    def __init__(self, c):
        d = c.dim
        norms = {name: nn.LayerNorm(d, 1e-12) for name in ("sa_layer_norm", "output_layer_norm")}
        ffn = Tree(lin1=nn.Linear(d, c.hidden_dim), lin2=nn.Linear(c.hidden_dim, d))
        super().__init__(attention=DistilAttention(c), ffn=ffn, **norms)
        self.act = ACT[c.get("activation", "gelu")]

    def forward(self, h):
        h = self.sa_layer_norm(h + self.attention(query=h)[0])
        return (self.output_layer_norm(h + self.ffn.lin2(self.act(self.ffn.lin1(h)))),)


class DistilBert(Tree):
    def __init__(self, c):
        d, V = c.dim, c.vocab_size
        tables = dict(word_embeddings=nn.Embedding(V, d), position_embeddings=nn.Embedding(c.max_position_embeddings, d))
        words = Tree(**tables, LayerNorm=nn.LayerNorm(d, 1e-12))
        body = Tree(embeddings=words, transformer=Tree(layer=layers(c.n_layers, lambda _: DistilLayer(c))))
        head = dict(vocab_transform=nn.Linear(d, d), vocab_layer_norm=nn.LayerNorm(d, 1e-12), vocab_projector=nn.Linear(d, V))
        super().__init__(distilbert=body, **head)
        self.tied = {"vocab_projector.weight": words.word_embeddings.weight}
        self.act = ACT[c.get("activation", "gelu")]

    def forward(self, input_ids):
        words = self.distilbert.embeddings
        h = words.LayerNorm(words.word_embeddings(input_ids) + words.position_embeddings(torch.arange(input_ids.shape[1])))
        for layer in self.distilbert.transformer.layer:
            h = layer(h)[0]
        return self.vocab_projector(self.vocab_layer_norm(self.act(self.vocab_transform(h))))
