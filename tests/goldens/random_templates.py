#!/usr/bin/env python3
# Prints random chat templates with what jinja2 (3.1.6, Python 3.11) makes of them, one JSON object a line:
#     python3 tests/goldens/random_templates.py SEED COUNT > cases.jsonl
#     node tests/goldens/compare-templates.js cases.jsonl
# The templates are made of the expressions and tags that published ones are made of. Half of them run through a value whose type does not
# fit, so that errors are compared as well.

import copy
import json
import random
import sys

from jinja_of_transformers import render

VARIABLES = {
    'messages': [
        {'role': 'system', 'content': 'Be <brief>.\n  Thanks '},
        {'role': 'user', 'content': ' Hello, "you" & it\'s é\t'},
        {'role': 'assistant', 'content': None, 'tool_calls': [{'type': 'function', 'function': {'name': 'now', 'arguments': {'zone': 'a', 'n': 2}}}]},
        {'role': 'tool', 'content': 'line1\nline2\n\nline4', 'name': 'now'},
        {'role': 'user', 'content': [{'type': 'text', 'text': 'look 🙂'}, {'type': 'image'}]},
    ],
    'tools': [{'type': 'function', 'function': {'name': 'now', 'description': 'tells "time"', 'parameters': {'type': 'object', 'properties': {'zone': {'type': 'string', 'enum': ['a', 'b']}, 'items': {'type': 'array', 'items': {'type': 'number'}}}, 'required': ['zone']}}}],
    'documents': None,
    'bos_token': '<s>',
    'add_generation_prompt': True,
    'names': ['b', 'C', 'a', 'B', 'a'],
    'numbers': [3, -1, 2.5, 0, True],
    'empty': [],
    'none_value': None,
    'flag': False,
    'text': '  Some Text, with commas; and ünïcode ß.  ',
    'word': 'user',
    'd': {'b': 1, 'A': [1, 2], 'c': {'x': None}, 'items': 'own'},
}
LISTS = ['messages', 'tools', 'names', 'numbers', 'empty', "['x', 'y', 'z']", 'd.A', 'range(4)', 'text.split()', 'd.items()', 'd', '(1, 2)', "'abc'"]
TEXTS = ['text', 'word', 'bos_token', "'a-b-c'", "'<|im_start|>'", "messages[0].content", "messages[1]['content']", "messages[3].content", "'it\\'s'", "'\\n'", "''", "'%s'", "'x' ~ 1", "tools[0].function.name"]
NUMBERS = ['0', '1', '7', '-3', '2.5', 'numbers[0]', 'numbers[2]', 'names|length', 'loop.index', 'loop.index0', '10 // 3', '-7 % 3', '1e3', 'true']
ANY = ['none', 'none_value', 'flag', 'missing', 'messages[2].content', 'messages[0].missing', 'd', 'd.c', 'documents', 'false', 'True', "messages[-1]", 'messages[9]', "d['items']", 'd.items', 'tools', 'names', '[]', '{}', "{'k': 1}", 'namespace(a=1)', 'loop', 'numbers[1:]']
TESTS = ['defined', 'undefined', 'none', 'not none', 'string', 'mapping', 'iterable', 'sequence', 'number', 'integer', 'float', 'boolean', 'true', 'false', 'odd', 'even', "eq('user')", 'equalto(1)', "in ['user', 'system']", "in 'superuser'", 'divisibleby(2)', 'divisibleby 3', 'lower', 'upper', 'callable', 'sameas none', 'gt 1', 'ne none', 'not string', 'sameas(true)']
FILTERS_TEXT = ['trim', 'upper', 'lower', 'title', 'capitalize', 'length', "replace('a', 'b')", "replace('', '-')", "replace(' ', '', 2)", 'tojson', 'string', 'indent', 'indent(2)', 'indent(3, true)', "indent('> ', first=True, blank=True)", 'list', 'first', 'last', 'reverse', 'int', 'float', "default('x')", "default('x', true)", 'safe', 'e', 'wordcount', "trim('<>')", 'center(20)', 'truncate(9)', "join('-')", 'count', 'unique|list', 'sort|join', "d('y')", 'escape', 'abs', 'round', 'min', 'max', 'forceescape', "truncate(8, True, '..', 0)"]
FILTERS_LIST = ['length', 'first', 'last', "join(', ')", 'join', "join(', ', attribute='role')", 'list', 'reverse|list', 'sort', 'sort(reverse=true)', "sort(attribute='role')", 'unique|list', 'tojson', 'tojson(indent=2)', 'tojson(indent=4, sort_keys=true)', "tojson(separators=(',', ':'))", 'tojson(ensure_ascii=True)', 'string', "map(attribute='role')|list", "map('upper')|list", "map(attribute='content', default='?')|list", "selectattr('role', 'equalto', 'user')|list", "selectattr('role')|list", "rejectattr('role', 'eq', 'user')|list|length", "select('string')|list", "reject('none')|list", 'select|list', 'min', 'max', 'sum', "batch(2)|list", "batch(3, 'f')|list", 'dictsort', 'items|list', "map('length')|list", 'map("trim")|join', "selectattr('tool_calls', 'defined')|list|length", "default([])", "groupby('role')", 'random', 'dictsort(false, "value")', "selectattr('content', 'string')|map(attribute='content')|join('|')", "map('tojson')|join(',')", "map('default', 'q')|list", "sort(case_sensitive=true)", "sum(start=1)", "min(attribute='role')"]
FILTERS_NUMBER = ['abs', 'int', 'float', 'round', 'round(1)', "round(method='ceil')", 'string', 'tojson', 'default(3)', 'length', 'round|int', 'trim', 'upper', "replace('1','2')"]
METHODS = ['.strip()', '.upper()', '.lower()', '.title()', '.capitalize()', ".split(',')", ".split()", ".split(' ', 1)", ".rsplit(' ', 1)", ".split('a')[0]", ".split('-')[-1]", ".strip('< >')", ".lstrip()", ".rstrip('\\n')", ".startswith('<')", ".startswith(('a', '<'))", ".endswith(' ')", ".replace('e', 'E')", ".replace('e', 'E', 1)", '.splitlines()', ".find('e')", ".count('e')", '.isdigit()', '.isupper()', ".join(names)", ".join(['1', '2'])", '.splitlines(true)', ".partition(' ')", ".rfind('e')", "[0]", "[-1]", '[1:]', '[::-1]', '[:-1]', '[2:4]', '[::2]', '.length', '.foo', '.format(1)', '.encode()', ".lstrip('<s')", '.isalpha()', '.zfill(9)', '.ljust(9)', ".removeprefix('<')", ".removesuffix('>')", '.swapcase()', '.isspace()', ".index('x')", ".rpartition(' ')", '.islower()', '.isalnum()', ".split(none, 1)", ".rsplit(none, 1)", ".split(maxsplit=1)"]
DICT = ['.get("role")', ".get('x', 'none')", '.keys()', '.values()', '.items()', "['role']", '.role', '.content', ".keys()|list", '.items()|list', '|length', "|tojson", '.function', ".b", "|dictsort", ".copy()", '.pop("b")', '.update(x=1)', '["x"]', '[0]', '.keys', "|items|list", '._x', '.__class__', ".get(1)", ".get('content', '')"]
BINARY = ['+', '-', '*', '/', '//', '%', '**', '~', '==', '!=', '<', '<=', '>', '>=', 'and', 'or', 'in', 'not in', '~', '==', '+', 'and', 'or']


class Maker:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.depth = 0

    def of(self, items):
        return self.random.choice(items)

    def chance(self, p):
        return self.random.random() < p

    def text(self):
        r = self.random.random()
        if r < 0.4:
            return self.of(TEXTS)
        if r < 0.6:
            return self.atom(self.text()) + self.of(METHODS)
        if r < 0.8:
            return f'{self.atom(self.text())}|{self.of(FILTERS_TEXT)}'
        return f'{self.atom(self.text())} {self.of(["+", "~"])} {self.atom(self.text())}'

    def list(self):
        if self.chance(0.5):
            return self.of(LISTS)
        if self.chance(0.3):
            return f'{self.of(LISTS)}[{self.of(["1:", ":1", ":-1", "::-1", "::2", "0:2", "-2:"])}]'
        return f'{self.of(LISTS)}|{self.of(FILTERS_LIST)}'

    def number(self):
        r = self.random.random()
        if r < 0.5:
            return self.of(NUMBERS)
        if r < 0.7:
            return f'{self.atom(self.number())}|{self.of(FILTERS_NUMBER)}'
        return f'{self.atom(self.number())} {self.of(["+", "-", "*", "/", "//", "%", "**"])} {self.atom(self.number())}'

    def dict(self):
        return self.of(['messages[0]', 'messages[-1]', 'd', 'd.c', 'tools[0]', 'tools[0].function', "{'a': 1, 'role': 'r'}", 'tools[0].function.parameters.properties', 'dict(a=1, b=2)']) + self.of(DICT)

    def atom(self, expression):
        return expression if all(c.isalnum() or c in '_.' for c in expression) else f'({expression})'

    def condition(self):
        r = self.random.random()
        if r < 0.4:
            return f'{self.atom(self.expression())} is {self.of(TESTS)}'
        if r < 0.6:
            return f'{self.atom(self.expression())} {self.of(["==", "!=", "in", "not in", "<", ">="])} {self.atom(self.expression())}'
        if r < 0.7:
            return f'not {self.atom(self.condition())}'
        if r < 0.85:
            return f'{self.condition()} {self.of(["and", "or"])} {self.atom(self.condition())}'
        return self.expression()

    def expression(self):
        self.depth += 1
        try:
            r = self.random.random() if self.depth < 5 else self.random.random() * 0.4
            if r < 0.2:
                return self.text()
            if r < 0.3:
                return self.number()
            if r < 0.45:
                return self.list()
            if r < 0.55:
                return self.dict()
            if r < 0.65:
                return self.of(ANY)
            if r < 0.72:
                return f'{self.atom(self.expression())} {self.of(BINARY)} {self.atom(self.expression())}'
            if r < 0.8:
                return f'{self.expression()} if {self.condition()} else {self.expression()}'
            if r < 0.83:
                return f'{self.expression()} if {self.condition()}'
            if r < 0.88:
                return f'{self.atom(self.expression())}|{self.of(FILTERS_TEXT + FILTERS_LIST + FILTERS_NUMBER)}'
            if r < 0.93:
                return f'{self.atom(self.of(ANY))}{self.of(METHODS + DICT)}'
            if r < 0.96:
                return f'[{self.expression()}, {self.expression()}]'
            return self.atom(self.condition())
        finally:
            self.depth -= 1

    def tag(self, inner):
        left = self.of(['{%', '{%', '{%-', '{%-', '{%+'])
        right = self.of(['%}', '%}', '-%}', '-%}', '+%}'])
        return f'{left} {inner} {right}'

    def print(self, inner):
        return f'{self.of(["{{", "{{", "{{-"])} {inner} {self.of(["}}", "}}", "-}}"])}'

    def space(self):
        return self.of(['', '', '\n', '\n    ', ' ', '  \n', '\t', ' x ', '\n\n', 'text', '\r\n', '\n  y'])

    def statement(self, depth):
        r = self.random.random()
        body = lambda: self.body(depth - 1)
        if depth <= 0 or r < 0.35:
            return self.print(self.expression())
        if r < 0.5:
            more = ''
            if self.chance(0.3):
                more += self.tag('elif ' + self.condition()) + body()
            if self.chance(0.5):
                more += self.tag('else') + body()
            return self.tag('if ' + self.condition()) + body() + more + self.tag('endif')
        if r < 0.68:
            target = self.of(['m', 'm', 'x', 'k, v'])
            over = 'd.items()' if target == 'k, v' and self.chance(0.7) else self.list()
            test = f' if {self.atom(self.condition())}' if self.chance(0.25) else ''
            other = self.tag('else') + body() if self.chance(0.2) else ''
            inner = body()
            if self.chance(0.5):
                inner += self.print(self.of(['m', 'x', 'k', 'm.role', 'm.content', 'loop.index', 'loop.last', 'loop.first', 'loop.length', 'loop.revindex', 'loop.previtem', 'loop.nextitem is defined', "loop.cycle('a', 'b')", 'loop.changed(m)', 'loop.depth', 'm|tojson', "m['role']|upper", 'm is mapping', 'loop']))
            if self.chance(0.15):
                inner += self.tag('if ' + self.condition()) + self.tag(self.of(['break', 'continue'])) + self.tag('endif') + body()
            return self.tag(f'for {target} in {over}{test}') + inner + other + self.tag('endfor')
        if r < 0.8:
            name = self.of(['a', 'b', 'm', 'content', 'text', 'ns', 'ns.x'])
            if name == 'ns':
                return self.tag('set ns = namespace(x=' + self.expression() + ')')
            if self.chance(0.2) and '.' not in name:
                return self.tag(f'set {name}{self.of(["", "", " | trim", " | upper | trim"])}') + body() + self.tag('endset') + self.print(name)
            if self.chance(0.1):
                return self.tag(f'set a, b = {self.expression()}, {self.expression()}') + self.print('a ~ b')
            return self.tag(f'set {name} = {self.expression()}') + self.print(name if self.chance(0.7) else self.of(['a', 'b', 'm', 'content', 'ns.x']))
        if r < 0.86:
            return self.tag(f'macro f(p, q={self.expression()})') + body() + self.print(self.of(['p', 'q', 'p ~ q', 'caller()', 'varargs', 'kwargs', 'm', 'a'])) + self.tag('endmacro') + self.print(self.of(['f(1)', f'f({self.expression()})', "f(1, q='z')", 'f()', 'f(1, 2, 3)', 'f(p=1, r=2)', f"f(*[1, 2])", "f(**{'p': 3})", 'f']))
        if r < 0.89:
            return self.tag('generation') + body() + self.tag('endgeneration')
        if r < 0.91:
            return '{# ' + self.of(['note', "it's {{ x }}", '- x']) + self.of([' #}', ' -#}', '#}'])
        if r < 0.93:
            return self.tag(f'filter {self.of(["trim", "upper", "indent(2)", "trim|upper"])}') + body() + self.tag('endfilter')
        if r < 0.95:
            return self.tag(f'with a = {self.expression()}, b = a') + body() + self.print('b') + self.tag('endwith')
        if r < 0.97:
            return self.tag('macro g()') + self.print('caller()') + self.tag('endmacro') + self.tag('call g()') + body() + self.tag('endcall')
        if r < 0.98:
            return self.of(['{% raw %}', '{%- raw -%}']) + ' {{ x }} {% if %}\n' + self.of(['{% endraw %}', '{%- endraw -%}'])
        return self.tag(f'set ns = namespace(x={self.expression()})') + self.tag(f'for m in {self.list()}') + self.tag(f'set ns.x = {self.expression()}') + self.tag('endfor') + self.print('ns.x')

    def body(self, depth):
        return ''.join(self.space() + self.statement(depth) for _ in range(self.random.randint(1, 2))) + self.space()

    def template(self):
        return self.body(self.random.randint(0, 3))


if __name__ == '__main__':
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    print(json.dumps({'variables': VARIABLES}))
    for n in range(count):
        template = Maker(f'{seed}-{n}').template()
        print(json.dumps({'template': template, **render(template, copy.deepcopy(VARIABLES))}))
