#!/usr/bin/env python3
# Prints random chat templates with what jinja2 (3.1.6, Python 3.11) makes of them, one JSON object a line:
#     python3 tests/goldens/random_templates.py SEED COUNT > cases.jsonl
#     node tests/goldens/compare-templates.js cases.jsonl
# SEED COUNT wide also makes constructs that are valid but rare in published templates.
# The templates consist of expressions and tags of published ones. In half of them a value has a type that does not fit, so that errors are
# compared as well.

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


WIDE_TEXTS = [r"'\x41\u00e9\t'", r"'a\\nb'", "'a' 'b'", '"it\'s"', "'{{ x }}'", "'%}'", r"'\\'", "'ß'", "'ǆ'", "'ﬁ'", r"'\0'", "'İ'", "'é'", "'\u200b'", "'🙂a'", "'\u00a0x'", r"'a\'b\"c'", "'1_0'", "' 12 '", "'1e3'", "'٣'", "'inf'", "'0x1f'", "'-0'", "'a\tb'", "'a\rb\r\nc'", r"'\101'", r"'\q'", "'A' * 3", "3 * 'ab'", "'σΣ'", "'ΑΣ'"]
WIDE_NUMBERS = ['0x1F', '0b101', '0o17', '1_000', '1e16', '1e-5', '1e22', '123456789012', '1.0', '0.1 + 0.2', '-0.0', '2 ** 10', '-2 ** 2', '7 // -2', '-7 // 2', '7 % -3', '-7.5 % 2', '7.5 // 2', '1 / 3', '10 / 5', '1e400', '2.50', '100 ** 0.5', '0 * -1.0', '5e-324', '1.5e300', '9007199254740991', 'True + True', '3.0', '1 if true']
WIDE_ANY = ["{'a': 1, 'a': 2}", "{1: 'x', '1': 'y'}", '{true: 1, 1: 2}', "['it\\'s', \"q\"]", "[none, true, 1.0, 'é', '\\n']", '(1,)', '()', '((1, 2), 3)', "{'k': [1, {'z': ()}]}", "['\\x07', '\\u200b', '🙂']", 'dict(d)', "dict(d, z=1)", 'range(3)|list', 'range(5, 1, -2)|list', 'range(0)', '1 < 2 < 3', '1 < 2 == true', 'not not 1', 'none == false', '1 == 1.0', "'1' == 1", '1 == true', '[1] == [1.0]', "{'a': 1} == {'a': 1.0}", '(1, 2) == [1, 2]', "'a' < 'B'", '[1, 2] < [1, 3]', 'none is none', 'missing is defined and missing.x', "'' or 0 or none or 'z'", "1 and '' ", 'not missing', "messages|map(attribute='role')|unique|list", 'true.real', 'd.A.0', "messages.0.role", "names[-1:][0]", "names[::-1][:2]", "(names + numbers)|length", 'names * 2', '[[1, 2], [3]]|map("sum")|list', "[[1, 2], [3]]|sum(start=[])", "namespace(d).b", "[1, 'a'] + ['b']", "names is sequence and names is not mapping", "missing is not defined", "d is mapping and 'b' in d", "text[2:6]|upper", "1 in [true]", "'a' in names", "none in [none]"]
WIDE_TESTS = ['odd is false', "in names", "in d", 'filter', "ge(1)", "le 2", "lt(3)", '== 1', 'not in names', 'escaped', 'undefined or true', 'none or flag', 'test', "greaterthan(0)", "lessthan 9"]
WIDE_FILTERS = ["split", "replace('a', 'b', count=1)", "default(value='v', boolean=true)", "join(d='+')", "round(precision=1, method='floor')", "indent(width=3, first=true)", 'indent(first=true)', "int(default=4)", "int('x', 16)", "float(default=1.5)", "tojson(indent=0)", "tojson|length", "batch(linecount=2)|list", "list|length", "sort(reverse=true, case_sensitive=true)", "sort(attribute='role,content')", "map(attribute='function.name')|list", "map(attribute=0)|list", "map('int')|list", "map('replace', 'a', 'b')|list", "map('join', '-')|list", "selectattr('content')|list|length", "select('in', ['a', 'b'])|list", "select('gt', 0)|list", "reject('odd')|list", "unique(case_sensitive=true)|list", "unique(attribute='role')|list|length", "dictsort(reverse=true)", "dictsort(by='value')|length", 'max(attribute="role")', "max(case_sensitive=true)", "first|default('n')", "last|upper", "string|length", "items|map('first')|list", "items|map(attribute=1)|list", "wordcount", "title|lower", "center(9)|length", "truncate(length=5, killwords=true, end='')", "truncate(9, leeway=0)", "capitalize", "count", "list|last", "reverse", "reverse|join", "trim|length", "abs|round(2)", "map('string')|map('length')|sum", "select('mapping')|map(attribute='b')|list", "tojson(indent=2, separators=(',', ': '))", "tojson(indent='--')"]
WIDE_METHODS = [".split('\\n')", ".splitlines()[-1]", ".strip().split()", ".rstrip().endswith('.')", ".find('x', 1)", ".count('')", ".replace('', '.')", ".title().lower()", ".casefold()", ".expandtabs(4)", ".istitle()", ".isnumeric()", ".isdecimal()", ".isidentifier()", ".isascii()", ".center(9, '*')", ".rjust(9)", ".split('a', maxsplit=1)", ".rsplit('a', maxsplit=1)", ".startswith('a', 1)", ".endswith(('a', '  '))", ".join(d)", ".join('abc')", ".strip(none)", "[-3:]", "[5:1]", "[100]", "[-100:]", "[1:100:3]", "[::-2]", "[none:2]", "['length']", ".replace('a', 'b').replace('b', 'c')", ".rindex('e')", ".zfill(2)"]


class WideMaker(Maker):
    """Also makes constructs that are rare in published templates."""

    def text(self):
        if self.chance(0.35):
            return self.atom(self.of(WIDE_TEXTS)) + (self.of(WIDE_METHODS) if self.chance(0.5) else '')
        return self.atom(super().text()) + self.of(WIDE_METHODS) if self.chance(0.25) else super().text()

    def number(self):
        return self.of(WIDE_NUMBERS) if self.chance(0.4) else super().number()

    def expression(self):
        if self.chance(0.12):
            return self.of(WIDE_ANY)
        if self.chance(0.12):
            return f'{self.atom(self.expression())}|{self.of(WIDE_FILTERS)}'
        return super().expression()

    def condition(self):
        if self.chance(0.2):
            return f'{self.atom(self.expression())} is {self.of(WIDE_TESTS)}'
        if self.chance(0.1):
            return f'{self.number()} {self.of(["<", "<=", "=="])} {self.number()} {self.of([">", "!=", "in"])} {self.of(["numbers", "1", "[1, 2]"])}'
        return super().condition()

    def statement(self, depth):
        r = self.random.random()
        body = lambda: self.body(depth - 1)
        if depth <= 0 or r < 0.7:
            return super().statement(depth)
        if r < 0.74:
            return self.tag(f'for (a, b), c in [((1, 2), {self.expression()}), ("xy", 3)]') + self.print('a ~ b ~ c') + self.tag('endfor')
        if r < 0.78:
            return self.tag(f'for m in {self.list()}') + self.tag(f'for x in {self.list()}') + self.print(self.of(['loop.index ~ loop.last', 'x', 'm', 'loop.length', 'loop.revindex0', 'loop.depth0'])) + self.tag('endfor') + self.print(self.of(['loop.index', 'loop.last', 'x', 'm'])) + self.tag('endfor') + self.print(self.of(['m', 'x', 'loop']))
        if r < 0.81:
            return self.tag(f'set a, (b, c) = {self.expression()}, (1, 2)') + self.print('a ~ c')
        if r < 0.84:
            return self.tag('if ' + self.condition()) + self.tag(f'set y = {self.expression()}') + self.tag('else') + self.tag('set z = 1') + self.tag('endif') + self.print(self.of(['y', 'z', 'y is defined', 'y|default("-")']))
        if r < 0.87:
            return self.tag(f'macro r(n, s="-")') + self.print('n ~ s') + self.tag('if n > 0') + self.print('r(n - 1, s=s ~ n)') + self.tag('endif') + self.tag('endmacro') + self.print(self.of(['r(2)', 'r(1, "x")', 'r(n=1)', 'r.name', 'r.arguments', 'r(2)|length', 'r(2) is string']))
        if r < 0.9:
            return self.tag('macro w(t)') + self.print("caller(t, 'q')") + self.tag('endmacro') + self.tag("call(u, v='d') w(" + self.expression() + ')') + self.print('u ~ v') + body() + self.tag('endcall')
        if r < 0.92:
            return self.tag('set t') + body() + self.tag('endset') + self.print(self.of(['t|length', 't|trim', "t.split('a')|length", 't == ""', "t ~ 'x'", "'a' in t", "t|replace('a', 'b')"]))
        if r < 0.94:
            return '  ' + self.tag('if true') + self.of(['\n', '', ' \n ', '\r\n', '\n\n', '\t']) + '{{ 1 }}' + self.of(['\n', '', ' \n ']) + self.tag('endif') + self.of(['\n', '', '\n\n', ' x'])
        if r < 0.96:
            return self.of(['{#- a -#}', '{#+ a #}', '{# a\nb #}', '  {# c #}\n', '{##}', "{# '#}"]) + self.of(['\n', ' ', 'x'])
        if r < 0.98:
            return self.tag(f'for k, v in {self.of(["d|dictsort", "d|items", "[[1, 2], (3, 4)]", "d.c.items()", "[{1: 2, 3: 4}]", "names|batch(2)", "[(1, 2, 3)]"])}') + self.print(self.of(['k ~ v', 'v', 'k', 'v|string', 'loop.cycle(*[1, 2])'])) + self.tag('endfor')
        return self.tag(f'set ns = namespace(x=0, y=[])') + self.tag('for m in [1, 2, 3]') + self.tag('if m is odd') + self.tag(self.of(['set ns.x = ns.x + m', 'set ns.y = ns.y + [m]', 'continue', 'break'])) + self.tag('endif') + self.tag('endfor') + self.print('ns.x ~ ns.y')


if __name__ == '__main__':
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    maker = WideMaker if sys.argv[3:] == ['wide'] else Maker
    print(json.dumps({'variables': VARIABLES}))
    for n in range(count):
        template = maker(f'{seed}-{n}').template()
        print(json.dumps({'template': template, **render(template, copy.deepcopy(VARIABLES))}))
