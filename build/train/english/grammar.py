"""Writes sentences and stories from a grammar of templates.

A grammar file has three kinds of blocks:

  @name = word, word, ...            a list
  @@name column column ...           a table; the rows follow, cells between bars, until an empty line
  #weight name                       a text: the lines that follow until an empty line, told in this order;
                                     `?` before a line: told half of the time; `/` before a line: one of its neighbours with `/` is told

In a line: (a|b|) is one of these; {list} a word; {list:x} a word remembered as x, told again by {x}; {table:x} and {x.column} the same
of a row (the first column is the word itself); {P} and {Q} are two people: {P}, {P.he}, {P.him}, {P.his}, {P.boy}. "a" becomes "an" where it must, and sentences begin with
a capital letter.
"""

import re

NAMES = {
    'f': 'Lily Anna Mia Rosa Emma Nina Lucy Sara Mary Alice Grace Kate Jane Ella Zoe Maya Ruby Clara Eva Ivy Nora Amy Julia Molly Sophie Daisy Hannah Laura Susan Helen'.split(),
    'm': 'Tom Ben Max Leo Sam Otto Jack Tim Peter John Paul Henry David Adam Noah Luke Oscar Felix Jacob Finn Mark James Daniel Alex Bob Simon Toby Oliver Will George'.split(),
}
FORMS = {
    'f': {'he': 'she', 'him': 'her', 'his': 'her', 'hers': 'hers', 'boy': 'girl', 'son': 'daughter', 'brother': 'sister', 'man': 'woman', 'self': 'herself', 'king': 'queen'},
    'm': {'he': 'he', 'him': 'him', 'his': 'his', 'hers': 'his', 'boy': 'boy', 'son': 'son', 'brother': 'brother', 'man': 'man', 'self': 'himself', 'king': 'king'},
}
TOKEN = re.compile(r'\{([^}]*)\}|([(|)])|([^{(|)]+)')
# "an hour", "a unicorn", "a one": the sound decides
AN = re.compile(r'\b([Aa]) (?=(?:[aeio]|u(?!ni|se|su)|hour|honest)(?!ne\b|nce\b))(?!one)', re.I)


def parse(line):
    """Returns the tree of a line: a list of str, ('slot', text) and ('choice', [trees])."""
    stack = [[[]]]
    for slot, mark, text in TOKEN.findall(line):
        if text:
            stack[-1][-1].append(text)
        elif mark == '(':
            stack.append([[]])
        elif mark == '|':
            stack[-1].append([])
        elif mark == ')':
            choice = stack.pop()
            stack[-1][-1].append(('choice', choice))
        else:
            stack[-1][-1].append(('slot', slot))
    if len(stack) != 1 or len(stack[0]) != 1:
        raise ValueError(f'brackets do not match in: {line}')
    return stack[0][0]


QUESTION = re.compile(
    r'(excuse me|and you|and yours|what|where|why|how|who|which|whose|can|may|do|does|did|are|is|will|would|shall|have you|when do|when did|could)\b(?! not\b)',
    re.I,
)
SPEECH = 'said|asked|cried|shouted|whispered|answered|called|replied|was the answer'


def quoted(match):
    """Ends what is said with the mark of its kind, and with a comma where "said" follows."""
    said, follows = match[1], match[2]
    parts = re.split(r'(?<=[.!?]) ', said)
    if len(parts[-1]) < 3:
        return match[0]
    last = parts[-1].rstrip('.,?!')
    if 'asked' in follows or QUESTION.match(last) and not re.match(r'(what an?\b|how beautiful|do not)', last, re.I):
        mark = '?'
    elif parts[-1][-1] == '!':
        mark = '!'
    else:
        mark = ',' if follows else '.'
    parts[-1] = last + mark
    return f'"{" ".join(parts)}"{follows}'


SHORT = [
    (re.compile(rf'\b{long}\b', re.I), short)
    for long, short in (
        (r'(do|does|did|is|are|was|were|could|should|would|have|has|had) not', r"\1n't"),
        ('cannot', "can't"), ('will not', "won't"), ('let us', "let's"), ('I am', "I'm"), ('I will', "I'll"), ('I have (?=been|lost|never|always)', "I've "),
        (r'(it|he|she|what|that|who|where) is', r"\1's"), (r'(you|we|they) are', r"\1're"), (r'(you|we|they|he|she) will', r"\1'll"),
    )
]


def shortened(text):
    """As people speak: "I'm", "don't"."""
    for long, short in SHORT:
        text = long.sub(lambda m: m.expand(short) if m[0][0].islower() or m[0][0] == 'I' else m.expand(short)[0].upper() + m.expand(short)[1:], text)
    return text


def sentence_case(text):
    text = AN.sub(r'\1n ', re.sub(r' +', ' ', text).strip())
    text = re.sub(r' ([.,!?])(?!\.)', r'\1', text)
    text = re.sub(rf'"([^"]*[.,?!])"((?: \w+)? (?:{SPEECH})\b|)', quoted, text)
    text = re.sub(r'(^|[.!?] |(?:^|[ .,])"|[.]" )([a-z])', lambda m: m[1] + m[2].upper(), text)
    return re.sub(r'(\.\.\.|:) "', r'\1 "', text)


class Grammar:
    def __init__(self, paths):
        self.lists, self.tables, self.texts = {}, {}, []
        for path in paths:
            for block in re.split(r'\n\s*\n', path.read_text()):
                lines = [line.strip() for line in block.split('\n') if line.strip() and not line.startswith('//')]
                while lines and lines[0][0] == '@' and lines[0][1] != '@':
                    name, words = lines.pop(0)[1:].split('=', 1)
                    self.lists.setdefault(name.strip(), []).extend(word.strip() for word in words.split(',') if word.strip())
                if not lines:
                    continue
                if lines[0].startswith('@@'):
                    name, *columns = lines[0][2:].split()
                    for line in lines[1:]:
                        cells = [cell.strip() for cell in line.split('|')]
                        if len(cells) != len(columns):
                            raise ValueError(f'{path.name}: {name} has {len(columns)} columns: {line}')
                        self.tables.setdefault(name, []).append(dict(zip(columns, cells), **{'': cells[0]}))
                elif lines[0][0] == '#':
                    weight, name = lines[0][1:].split()
                    self.texts.append((float(weight), name, [self._line(line) for line in lines[1:]]))
                else:
                    raise ValueError(f'{path.name}: a block begins with @, @@ or #: {lines[0]}')
        self.weights = [weight for weight, _, _ in self.texts]

    def _line(self, line):
        mark = line[0] if line[0] in '?/*' else ''
        return mark, parse(line[len(mark):].strip())

    def person(self, rng, not_name=None):
        sex = rng.choice('fm')
        name = rng.choice([name for name in NAMES[sex] if name != not_name])
        return {'': name, **FORMS[sex]}

    def _slot(self, slot, rng, bound):
        word = self._word(slot, rng, bound)
        return self.tell(parse(word), rng, bound) if '{' in word else word  # cells of a table may hold slots

    def _word(self, slot, rng, bound):
        if slot[0] in 'PQR' and slot[1:2] in ('', '.'):
            if slot[0] not in bound:
                bound[slot[0]] = self.person(rng, next((bound[k][''] for k in 'PQ' if k in bound), None))
            return bound[slot[0]][slot[2:]]
        if slot == 'own':
            return bound['P']['his'] if 'P' in bound else 'my'
        name, _, variable = slot.partition(':')
        variable, _, column = variable.partition('.')
        if name in self.lists:
            word = rng.choice(self.lists[name])
            if variable:
                bound[variable] = {'': word}
            # a word of a list may contain slots and choices
            if '{' in word or '(' in word:
                word = self.tell(parse(word), rng, bound)
                if variable:
                    bound[variable] = {'': word}
            return word
        if name in self.tables:
            row = rng.choice(self.tables[name])
            if variable:
                bound[variable] = row
            return row[column]
        name, _, column = name.partition('.')
        if name in bound:
            row = bound[name]
        elif name in self.tables:
            row = rng.choice(self.tables[name])
        else:
            raise KeyError(f'nothing is called {slot}')
        # one of the words of the last cell
        return rng.choice(row[list(row)[-2]].split(', ')) if column == 'one' else row[column]

    def tell(self, tree, rng, bound):
        out = []
        for part in tree:
            if isinstance(part, str):
                out.append(part)
            elif part[0] == 'slot':
                out.append(self._slot(part[1], rng, bound))
            else:
                out.append(self.tell(rng.choice(part[1]), rng, bound))
        return ''.join(out)

    def text(self, rng, index=None):
        """Tells one text. Lines with `*` are told in any order, some of them."""
        _, _, lines = self.texts[index] if index is not None else rng.choices(self.texts, self.weights)[0]
        bound, told, group = {}, [], []

        def flush(kind):
            if group:
                if kind == '/':
                    told.append(self.tell(rng.choice(group), rng, bound))
                else:
                    for tree in rng.sample(group, rng.randint(1, min(len(group), 6))):
                        told.append(self.tell(tree, rng, bound))
                group.clear()

        before = ''
        for mark, tree in lines:
            if mark != before:
                flush(before)
            before = mark
            if mark in ('/', '*'):
                group.append(tree)
            elif mark != '?' or rng.random() < 0.5:
                told.append(self.tell(tree, rng, bound))
        flush(before)
        return sentence_case(' '.join(told))
