# Writes entities.json: random tokens of words, and what the token-classification pipeline of transformers 5.16 makes of them.
# Needs transformers and numpy.
import json, pathlib, random, types
import numpy as np
from transformers.pipelines.token_classification import AggregationStrategy, TokenClassificationPipeline

draw = random.Random(3)
LABELS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "MISC", "I-A-B"]
own = TokenClassificationPipeline.__new__(TokenClassificationPipeline)
own.tokenizer = types.SimpleNamespace(convert_tokens_to_string=lambda words: " ".join(words).replace(" ##", ""))
own.model = types.SimpleNamespace(config=types.SimpleNamespace(id2label=dict(enumerate(LABELS))))
cases = []
for _ in range(40):
    tokens, at = [], 0
    for index in range(draw.randint(0, 9)):
        is_subword = draw.random() < 0.4
        word = "".join(draw.choice("abc") for _ in range(draw.randint(1, 4)))
        at += 0 if is_subword else 1
        raw = np.array([draw.gauss(0, 1) + (3 if draw.random() < 0.3 else 0) for _ in LABELS], dtype=np.float32)
        scores = np.exp(raw) / np.exp(raw).sum()
        tokens.append({"word": "##" + word if is_subword else word, "scores": scores, "start": at, "end": at + len(word), "index": index, "is_subword": is_subword})
        at += len(word)
    plain = lambda entity: {k: float(v) if isinstance(v, np.floating) else v for k, v in entity.items()}
    made = {name: [plain(e) for e in own.aggregate([dict(t) for t in tokens], AggregationStrategy[name.upper()])] for name in ("none", "simple", "first", "average", "max")}
    cases.append({"tokens": [{**t, "scores": [round(float(s), 7) for s in t["scores"]]} for t in tokens], "made": made})
lines = ",\n".join(json.dumps(one) for one in cases)
pathlib.Path(__file__).with_name("entities.json").write_text(f'{{"labels": {json.dumps(LABELS)}, "cases": [\n{lines}\n]}}\n')
