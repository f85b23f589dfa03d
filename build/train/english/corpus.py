"""Writes the corpus: texts between lines of "<s>".

python3 corpus.py OUT --datasets FOLDER --kjv FILE [--megabytes 60] [--seed 1]

OUT/general.txt      sentences and books of others (see README.md: sources and licences)
OUT/stories.txt      from the grammar
OUT/held-*.txt       held out: every 20th text of the others, and the grammar with another seed
"""

import argparse
import json
import random
import re
from pathlib import Path

from grammar import Grammar, shortened

HERE = Path(__file__).parent
WORDNET = Path('/usr/share/wordnet')


def wordnet(rng):
    """Example sentences of WordNet 3.0; half of them with a capital letter and a full stop."""
    seen = set()
    for kind in ('verb', 'noun', 'adj', 'adv'):
        for line in (WORDNET / f'data.{kind}').read_text('latin-1').splitlines():
            for example in re.findall(r'"([^"]+)"', line.partition('|')[2]):
                words = example.split()
                if 4 <= len(words) <= 24 and example not in seen and example.isascii() and not re.search(r'[()\[\]`/;]', example):
                    seen.add(example)
                    yield example[0].upper() + example[1:].rstrip('.,') + '.' if rng.random() < 0.7 and example[-1] not in '?!' else example


def paragraphs(text, size=700):
    """Whole sentences, up to about `size` characters a text."""
    text = re.sub(r'\s+', ' ', text).translate(str.maketrans({'’': "'", '‘': "'", '“': '"', '”': '"', '—': '-', '–': '-'}))
    part = ''
    for sentence in re.split(r'(?<=[.!?]) ', text):
        if len(part) + len(sentence) > size and part:
            yield part.strip()
            part = ''
        part += sentence + ' '
    yield part.strip()


def kjv(path):
    book = []
    for line in path.read_text().splitlines():
        text = re.sub(r'^\w+\d+:\d+ ', '', line).strip()
        if re.match(r'^\s*[A-Z0-9][A-Za-z0-9 ]*$', text) or not text:
            continue
        book.append(text)
    yield from paragraphs(' '.join(book), 400)


def json_texts(value):
    if isinstance(value, str):
        if len(value) > 400:
            yield value
    elif isinstance(value, (dict, list)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from json_texts(item)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('out', type=Path)
    parser.add_argument('--datasets', type=Path, required=True, help='node_modules/@stdlib')
    parser.add_argument('--kjv', type=Path, required=True, help='what `bible -f gen1:1-rev22:21` prints')
    parser.add_argument('--megabytes', type=float, default=60)
    parser.add_argument('--seed', type=int, default=1)
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rng = random.Random(args.seed)

    books = {'wordnet': list(wordnet(rng)), 'kjv': list(kjv(args.kjv))}
    for name in ('moby-dick', 'sotu'):
        texts = []
        for path in sorted((args.datasets / f'datasets-{name}' / 'data').rglob('*')):
            if path.suffix == '.json':
                for text in json_texts(json.loads(path.read_text())):
                    texts += paragraphs(text)
        books[name] = texts
    held, kept = [], {}
    for name, texts in books.items():
        held += [(name, text) for text in texts[::20]]
        kept[name] = [text for n, text in enumerate(texts) if n % 20]
        print(name, len(texts), sum(map(len, texts)))
    # books of another time count less than everyday sentences
    chosen = kept['wordnet'] * 2 + kept['kjv'] + kept['moby-dick'] + rng.sample(kept['sotu'], min(len(kept['sotu']), 3000))
    rng.shuffle(chosen)
    (args.out / 'general.txt').write_text('\n<s>\n'.join(chosen))
    for name in books:
        (args.out / f'held-{name}.txt').write_text('\n<s>\n'.join(text for other, text in held if other == name))

    grammar = Grammar([HERE / 'words.txt', HERE / 'stories.txt', HERE / 'sentences.txt', HERE / 'everyday.txt'])

    def write(path, rng, characters):
        with path.open('w') as file:
            while characters > 0:
                text = grammar.text(rng)
                if rng.random() < 0.25:
                    text = shortened(text)
                if rng.random() < 0.04:  # as people type
                    text = re.sub(r'[.,!?"]+', '', text).lower()
                file.write(text + '\n<s>\n')
                characters -= len(text)

    write(args.out / 'stories.txt', random.Random(args.seed + 1), args.megabytes * 1e6)
    write(args.out / 'held-stories.txt', random.Random(args.seed + 2), 2e5)


main()
