"""Prints texts of the grammar between lines of "<s>".

python3 lens-texts.py [--count 1000] [--seed 4]

Seeds 2 and 3 are those of the corpus: what the model was trained on, and what was held out.
"""

import argparse
import random
from pathlib import Path

from grammar import Grammar

HERE = Path(__file__).parent
parser = argparse.ArgumentParser()
parser.add_argument('--count', type=int, default=1000)
parser.add_argument('--seed', type=int, default=4)
args = parser.parse_args()
grammar = Grammar([HERE / name for name in ('words.txt', 'stories.txt', 'sentences.txt', 'everyday.txt')])
rng = random.Random(args.seed)
print('\n<s>\n'.join(grammar.text(rng) for _ in range(args.count)))
