#!/usr/bin/env python3
# Writes tests/goldens/sentencepiece with the library sentencepiece (Debian: python3-sentencepiece): the files of a tokenizer of Marian, as its
# models are published, and what the library and transformers' MarianTokenizer make of texts.

import json
import os
import random
import re
import sentencepiece

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'sentencepiece')
os.makedirs(folder, exist_ok=True)
random.seed(7)

# The text: made-up words, so that pieces are not whole words.
parts = ['ka', 'to', 'mi', 'ren', 'sol', 'du', 'pel', 'an', 'ist', 'or']
words = [''.join(random.choices(parts, k=random.randint(1, 3))) for _ in range(60)]
text = os.path.join(folder, 'text.txt')
with open(text, 'w') as file:
    for _ in range(2000):
        file.write(' '.join(random.choices(words, k=random.randint(3, 9))).capitalize() + random.choice(['.', '?', ', 42.']) + '\n')

# A few rules of normalization, because the usual ones take 240 KB. Some have several characters on a side, and two have the same beginning.
rules = os.path.join(folder, 'rules.tsv')
with open(rules, 'w') as file:
    for source, result in [('\u00a0', ' '), ('\u3000', ' '), ('\t', ' '), ('\n', ' '), ('\ufb01', 'fi'), ('\u00bd', '1/2'), ('e\u0301', '\u00e9'), ('e\u0301\u0323', 'e'), ('\u2460', '1')]:
        file.write(' '.join(f'{ord(c):X}' for c in source) + '\t' + ' '.join(f'{ord(c):X}' for c in result) + '\n')

prefix = os.path.join(folder, 'source')
sentencepiece.SentencePieceTrainer.train(
    input=text, model_prefix=prefix, vocab_size=110, model_type='unigram', character_coverage=1.0,
    normalization_rule_tsv=rules, user_defined_symbols='ren', num_threads=1)
os.rename(prefix + '.model', prefix + '.spm')
for name in [text, rules, prefix + '.vocab']:
    os.remove(name)

own = sentencepiece.SentencePieceProcessor(model_file=prefix + '.spm')
pieces = [own.id_to_piece(n) for n in range(own.get_piece_size())]
# vocab.json in Marian's order: the token of the end first, then the pieces of both languages, the padding last.
others = ['\u2581\u4f60\u597d', '\u4e16\u754c', '\u3002', '>>cmn_Hans<<']
vocab = {}
for token in ['</s>', '<unk>'] + [p for p in pieces if p not in ('<s>', '</s>', '<unk>')] + others + ['<pad>']:
    vocab.setdefault(token, len(vocab))
with open(os.path.join(folder, 'vocab.json'), 'w') as file:
    json.dump(vocab, file, ensure_ascii=False, indent=0)

texts = ['Katomi ren sol.', '  two  spaces, and a tab\t.', 'a\u00a0b\u3000c', '\ufb01 \u00bd \u2460', 'e\u0301 e\u0301\u0323 e', '', '   ',
         'renrenka renren', '\u4e16\u754c katomi \u4e16\u754c\u3002', '\u65e5\u672c\U0001f389 du', 'line one\nline two',
         'Anistor dupel mi? 42, ' * 3]


def tokens_of(text):
    # As MarianTokenizer._tokenize of transformers does.
    code = re.match('>>.+<<', text)
    rest = re.sub('>>.+<<', '', text)
    return ([code.group(0)] if code else []) + own.encode(rest, out_type=str)


def entry(text):
    tokens = tokens_of(text)
    return {'text': text, 'tokens': tokens + ['</s>'], 'ids': [vocab.get(t, vocab['<unk>']) for t in tokens] + [vocab['</s>']]}


with open(os.path.join(folder, 'expected.json'), 'w') as file:
    json.dump([entry(t) for t in texts + ['>>cmn_Hans<< Katomi.', '>>xyz<<Katomi']], file, ensure_ascii=False, indent=1)
    file.write('\n')
