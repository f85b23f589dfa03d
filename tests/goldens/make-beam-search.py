# Writes beam-search.json: what beam search of transformers 5.16 (generation/utils.py, _beam_search) finds in random tables of logits. Logits depend
# on the last id and on the number of ids, so that no two sequences have the same score. Needs transformers and torch.
import json, pathlib, random
from types import SimpleNamespace as Some
import torch
from transformers.generation.logits_process import (
    ForcedEOSTokenLogitsProcessor, LogitNormalization, LogitsProcessorList, MinNewTokensLengthLogitsProcessor, NoBadWordsLogitsProcessor,
    NoRepeatNGramLogitsProcessor, RepetitionPenaltyLogitsProcessor)
from transformers.generation.utils import GenerationMixin

draw = random.Random(11)


class Table(GenerationMixin):
    """A model whose logits are the table's row of the last id, plus a tenth of the table's last row for each id so far."""
    def __init__(self, rows):
        self.rows = torch.tensor(rows, dtype=torch.float32)
        self.config = Some(is_encoder_decoder=False, get_text_config=lambda: Some(vocab_size=len(rows) - 1))
    def __call__(self, input_ids, return_dict=True):
        return Some(logits=self.rows[input_ids] + input_ids.shape[1] * 0.1 * self.rows[-1])
    def _prefill(self, input_ids, *_, **__):
        return self(input_ids)
    def prepare_inputs_for_generation(self, input_ids, **_):
        return {"input_ids": input_ids}
    def _update_model_kwargs_for_generation(self, outputs, kwargs, **_):
        return kwargs
    def _has_unfinished_sequences(self, this_peer_finished, *_, **__):
        return not this_peer_finished


def case():
    V = draw.randint(5, 9)
    rows = [[round(draw.gauss(0, 2), 3) for _ in range(V)] for _ in range(V + 1)]
    eos = sorted(draw.sample(range(V), draw.choice([1, 1, 2])))
    prompt = [draw.randrange(V) for _ in range(draw.randint(1, 3))]
    beams, most = draw.randint(2, 5), draw.randint(1, 9)
    config = {"eos_token_id": eos, "num_beams": beams}
    for key, value in {
        "length_penalty": draw.choice([-1.0, 0.0, 0.6, 2.0]),
        "early_stopping": draw.choice([True, "never"]),
        "repetition_penalty": draw.choice([1.3, 0.7]),
        "no_repeat_ngram_size": draw.randint(1, 3),
        "bad_words_ids": [[draw.choice([id for id in range(V) if id not in eos])]],
        "min_new_tokens": draw.randint(1, 4),
        "forced_eos_token_id": eos[0],
        "renormalize_logits": True,
    }.items():
        if draw.random() < (0.6 if key in ("length_penalty", "early_stopping") else 0.2):
            config[key] = value
    get, length = config.get, len(prompt)
    processors = LogitsProcessorList()
    if get("repetition_penalty"): processors.append(RepetitionPenaltyLogitsProcessor(get("repetition_penalty")))
    if get("no_repeat_ngram_size"): processors.append(NoRepeatNGramLogitsProcessor(get("no_repeat_ngram_size")))
    if get("bad_words_ids"): processors.append(NoBadWordsLogitsProcessor(get("bad_words_ids"), torch.tensor(eos)))
    if get("min_new_tokens"): processors.append(MinNewTokensLengthLogitsProcessor(length, get("min_new_tokens"), torch.tensor(eos)))
    if get("forced_eos_token_id") is not None: processors.append(ForcedEOSTokenLogitsProcessor(length + most, get("forced_eos_token_id")))
    if get("renormalize_logits"): processors.append(LogitNormalization())
    ends = lambda ids, scores: torch.tensor([row[-1] in eos or len(row) >= length + most for row in ids.tolist()])
    settings = Some(
        _pad_token_tensor=torch.tensor(0), _eos_token_tensor=torch.tensor(eos), output_attentions=False, output_hidden_states=False,
        output_scores=True, output_logits=False, return_dict_in_generate=True, do_sample=False, early_stopping=get("early_stopping", False),
        length_penalty=get("length_penalty", 1.0), max_length=length + most, num_beams=beams, num_return_sequences=1, low_memory=None,
        is_assistant=False)
    found = Table(rows)._beam_search(torch.tensor([prompt] * beams), processors, ends, settings, use_cache=False)
    score = float(found.sequences_scores[0])
    if not score > -1e8: return None # every sequence was forbidden
    return {"rows": rows, "prompt": prompt, "most": most, "config": config, "ids": found.sequences[0, length:].tolist(), "score": score}


cases = []
while len(cases) < 120:
    if found := case():
        cases.append(found)
path = pathlib.Path(__file__).with_name("beam-search.json")
path.write_text("[\n" + ",\n".join(json.dumps(each, separators=(",", ":")) for each in cases) + "\n]\n")
print(len(cases), "cases;", sum(len(each["ids"]) < each["most"] for each in cases), "end early")
