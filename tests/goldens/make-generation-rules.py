# Writes generation-rules.json: what the logits processors of transformers make of random logits, in the order of generate
# (transformers 5.16, generation/utils.py, _get_logits_processor). Needs transformers and torch.
import json, pathlib, random
import torch
from transformers.generation.logits_process import (
    ForcedBOSTokenLogitsProcessor, ForcedEOSTokenLogitsProcessor, MinLengthLogitsProcessor, MinNewTokensLengthLogitsProcessor,
    MinPLogitsWarper, NoBadWordsLogitsProcessor, NoRepeatNGramLogitsProcessor, RepetitionPenaltyLogitsProcessor,
    SuppressTokensAtBeginLogitsProcessor, SuppressTokensLogitsProcessor, TemperatureLogitsWarper, TopKLogitsWarper, TopPLogitsWarper)

V = 12
draw = random.Random(5)
few = lambda most: sorted(draw.sample(range(V), draw.randint(1, most)))


def case():
    prompt, made = draw.randint(1, 6), draw.choice([0, 0, 1, 1, 2, 5])
    ids = [draw.randrange(5) for _ in range(prompt + made)]
    scores = [draw.choice([draw.gauss(0, 3), draw.randint(-2, 2)]) for _ in range(V)]
    config, eos = {}, few(2)
    config["eos_token_id"] = eos if len(eos) > 1 or draw.random() < 0.5 else eos[0]
    most = draw.choice([made + 1, made + 1, made + 4])
    for key, value in {
        "repetition_penalty": draw.choice([1.3, 0.7, 2.5]),
        "no_repeat_ngram_size": draw.randint(1, 4),
        "bad_words_ids": [few(3) if draw.random() < 0.4 else [draw.randrange(5) for _ in range(draw.randint(1, 3))] for _ in range(3)],
        "min_length": draw.randint(1, 10),
        "min_new_tokens": draw.randint(0, 4),
        "forced_bos_token_id": draw.choice([draw.randrange(V), few(2)]),
        "forced_eos_token_id": draw.choice([draw.randrange(V), few(2)]),
        "suppress_tokens": few(3),
        "begin_suppress_tokens": few(3),
    }.items():
        if draw.random() < 0.3:
            config[key] = value
    sampling = {}
    for key, value in {"temperature": draw.choice([0.5, 1.7]), "top_k": draw.randint(1, 6), "top_p": draw.choice([0.3, 0.6, 0.9]), "min_p": draw.choice([0.05, 0.4])}.items():
        if draw.random() < 0.5:
            sampling[key] = value
    processors = []
    get = config.get
    if get("repetition_penalty"): processors.append(RepetitionPenaltyLogitsProcessor(get("repetition_penalty")))
    if get("no_repeat_ngram_size"): processors.append(NoRepeatNGramLogitsProcessor(get("no_repeat_ngram_size")))
    if get("bad_words_ids"): processors.append(NoBadWordsLogitsProcessor(get("bad_words_ids"), torch.tensor(eos)))
    # As _prepare_generated_length does: min_new_tokens overrides min_length.
    min_length = prompt + get("min_new_tokens") if get("min_new_tokens") is not None else get("min_length")
    if min_length: processors.append(MinLengthLogitsProcessor(min_length, torch.tensor(eos)))
    if get("min_new_tokens"): processors.append(MinNewTokensLengthLogitsProcessor(prompt, get("min_new_tokens"), torch.tensor(eos)))
    if get("forced_bos_token_id") is not None: processors.append(ForcedBOSTokenLogitsProcessor(get("forced_bos_token_id")))
    if get("forced_eos_token_id") is not None: processors.append(ForcedEOSTokenLogitsProcessor(prompt + most, get("forced_eos_token_id")))
    if get("suppress_tokens"): processors.append(SuppressTokensLogitsProcessor(get("suppress_tokens")))
    if get("begin_suppress_tokens"):
        begin = prompt if prompt > 1 or get("forced_bos_token_id") is None else prompt + 1
        processors.append(SuppressTokensAtBeginLogitsProcessor(get("begin_suppress_tokens"), begin))
    input_ids, row = torch.tensor([ids]), torch.tensor([scores], dtype=torch.float32)
    start = row[0].tolist()
    for processor in processors: row = processor(input_ids, row)
    changed = row[0].tolist()
    if all(value == -float("inf") for value in changed): return None
    for key, warper in (("temperature", TemperatureLogitsWarper), ("top_k", TopKLogitsWarper), ("top_p", TopPLogitsWarper), ("min_p", MinPLogitsWarper)):
        if key in sampling: row = warper(sampling[key])(input_ids, row)
    allowed = [i for i, value in enumerate(row[0].tolist()) if value > -float("inf")]
    hidden = lambda list: [None if value == -float("inf") else value for value in list]
    return {"ids": ids, "made": made, "most": most, "scores": start, "config": config, "sampling": sampling, "changed": hidden(changed), "allowed": allowed}


cases = [made for made in (case() for _ in range(400)) if made][:150]
lines = ",\n".join(json.dumps(one) for one in cases)
pathlib.Path(__file__).with_name("generation-rules.json").write_text(f"[\n{lines}\n]\n")
