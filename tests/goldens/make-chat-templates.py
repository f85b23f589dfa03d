#!/usr/bin/env python3
# Writes tests/goldens/chat-templates.json: what jinja2 (3.1.6) makes of chat templates, with the settings of transformers
# (_compile_jinja_template of utils/chat_template_utils.py). The templates are of the kinds that published models have.

import copy
import datetime
import json
import os

from jinja_of_transformers import render
from random_templates import VARIABLES, Maker, WideMaker

CHATML = """{%- if messages[0]['role'] == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0]['content'] + '<|im_end|>\\n' }}
{%- else %}
    {{- '<|im_start|>system\\nYou are a helpful assistant.<|im_end|>\\n' }}
{%- endif %}
{%- if tools %}
    {{- '<tools>' }}
    {%- for tool in tools %}
        {{- "\\n" }}
        {{- tool | tojson }}
    {%- endfor %}
    {{- '\\n</tools>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if (message.role == "user") or (message.role == "system" and not loop.first) or (message.role == "assistant") %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- '<|im_start|>assistant\\n' }}
    {%- if enable_thinking is defined and enable_thinking is false %}
        {{- '<think>\\n\\n</think>\\n\\n' }}
    {%- endif %}
{%- endif %}
"""

HEADERS = """{% set loop_messages = messages %}
{% for message in loop_messages %}
{% set content = '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'+ message['content'] | trim + '<|eot_id|>' %}
{% if loop.index0 == 0 %}{% set content = bos_token + content %}{% endif %}
{{ content }}
{% endfor %}
{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}
"""

TURNS = """{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}{% if (message['role'] == 'assistant') %}{% set role = 'model' %}{% else %}{% set role = message['role'] %}{% endif %}{{ '<start_of_turn>' + role + '
' + message['content'] | trim + '<end_of_turn>
' }}{% endfor %}{% if add_generation_prompt %}{{'<start_of_turn>model
'}}{% endif %}"""

HELLO = [{'role': 'user', 'content': ' Hello, who are you? '}]
MORE = HELLO + [{'role': 'assistant', 'content': 'A model.'}, {'role': 'user', 'content': 'Good — and "why"?'}]
SYSTEM = [{'role': 'system', 'content': 'Be brief.'}] + HELLO
TOOLS = [{'type': 'function', 'function': {'name': 'now', 'parameters': {'zone': 'text', 'a': [1, 2.5, None, True]}}}]
TOKENS = {'bos_token': '<s>', 'eos_token': '</s>'}


# Constructs of published templates, one each.
CONSTRUCTS = {
    'text that is stripped of characters': "{{ '<<a>>'.strip('<>') }}|{{ 'xxa'.lstrip('x') }}|{{ 'abb'.rstrip('b') }}",
    'a split with a limit': "{{ 'a b c'.split(' ', 1) }}{{ 'a b  c '.split() }}{{ 'a-b-c'.rsplit('-', 1) }}",
    'the part behind a tag of thoughts': "{{ '<think>x</think>\\n\\nanswer'.split('</think>')[-1].lstrip('\\n') }}",
    'the part before it': "{{ 'a</think>b'.split('</think>')[0].rstrip('\\n').split('<think>')[-1].lstrip('\\n') }}",
    'a text that starts or ends with another': "{{ 'abc'.startswith('ab') }}{{ 'abc'.endswith(('x', 'c')) }}",
    'a replacement': "{{ 'a.b.c'.replace('.', '') }}{{ 'a.b.c'|replace('.', '-', 1) }}",
    'letters': "{{ 'aB'.upper() }}{{ 'aB'|lower }}{{ 'hello WORLD'.capitalize() }}{{ 'it is'.title() }}{{ 'it is-so'|title }}",
    'lines': "{{ 'a\\nb\\r\\nc'.splitlines() }}",
    'a search': "{{ 'banana'.find('na') }}{{ 'banana'.count('a') }}{{ 'abc'.find('x') }}",
    'digits': "{{ '12'.isdigit() }}{{ ''.isdigit() }}{{ 'a1'.isalnum() }}",
    'a list that is printed': "{{ ['a', 1, 2.0, none, true] }}",
    'a dict that is printed': "{{ {'a': 'it\\'s', 'b': [1]} }}",
    'a tuple that is printed': "{{ (1, 'a') }}{{ (1,) }}",
    'none, true and false that are printed': "{{ none }}{{ true }}{{ false }}",
    'a text with both quotes in a list': "{{ ['\"', \"'\", 'a\\nb'] }}",
    'floats': "{{ 0.1 + 0.2 }} {{ 1e16 }} {{ 1.5e-7 }} {{ 2.0 }} {{ 7 / 2 }} {{ 4 / 2 }}",
    'whole division and rest of negative numbers': "{{ -7 // 2 }} {{ -7 % 3 }} {{ 7 % -3 }} {{ -7.5 % 2 }} {{ -3 // -1003.0 }} {{ 0.0 // -2 }} {{ -4.0 % 2 }}",
    'a number and its text': "{{ '1' == 1 }}{{ 1 == 1.0 }}{{ true == 1 }}",
    'a chain of comparisons': "{{ 1 < 2 < 3 }}{{ 3 > 2 > 2 }}",
    'lists that are compared': "{{ [1, 2] == [1, 2] }}{{ [1] == (1,) }}{{ {'a': 1} == {'a': 1.0} }}",
    'membership': "{{ 'a' in 'abc' }}{{ 'a' in ['a'] }}{{ 'role' in messages[0] }}{{ 2 not in [1] }}",
    'a missing key': "{{ messages[0].nothing }}|{{ messages[0]['nothing'] is defined }}",
    'a key that is a method': "{% set p = {'items': [1], 'keys': 2} %}{{ p.items is defined }}{{ p['items'] }}{{ p.keys is callable }}",
    'a missing name': "{{ nothing }}{{ nothing is defined }}{{ nothing is none }}{% if nothing %}x{% endif %}",
    'a key of what is missing': "{{ nothing.key }}",
    'or of empty values': "{{ none or 'b' }}{{ '' or [] }}{{ 0 and 1 }}",
    'an if in an expression': "{{ 'a' if messages else 'b' }}{{ 'a' if not messages }}",
    'ifs in each other': "{{ 1 if false else 2 if true else 3 }}",
    'a default': "{{ nothing|default('d') }}{{ ''|default('d', true) }}{{ none|default('d') }}{{ nothing|d('e') }}",
    'the tests none, string, mapping': "{{ none is none }}{{ 'a' is string }}{{ {} is mapping }}{{ [] is mapping }}",
    'the tests iterable and sequence': "{{ 'a' is iterable }}{{ {} is sequence }}{{ 1 is iterable }}{{ nothing is iterable }}",
    'the tests number, integer, float, boolean': "{{ 1 is number }}{{ true is number }}{{ true is integer }}{{ 1.0 is float }}{{ false is boolean }}",
    'the tests odd, even, divisibleby': "{{ 3 is odd }}{{ 0 is even }}{{ 4 is divisibleby 2 }}{{ 4 is divisibleby(3) }}",
    'the tests eq, in, gt': "{{ 1 is eq 1 }}{{ 'a' is in ['a'] }}{{ 2 is gt(1) }}",
    'a negated test': "{{ messages[0].content is not string }}{{ not nothing is defined }}",
    'the first and the last': "{{ messages|first|length }}{{ messages|last|tojson }}{{ []|first is defined }}",
    'slices': "{{ messages[1:]|length }}{{ 'abc'[::-1] }}{{ 'abcd'[1:-1] }}{{ [1, 2, 3][-2:] }}{{ 'abc'[5:] }}",
    'an index that is negative': "{{ messages[-1].role }}{{ 'abc'[-1] }}",
    'an index beyond the end': "{{ messages[9] is defined }}{{ 'abc'[7] }}",
    'characters beyond the basic plane': "{{ '🙂b'[0] }}{{ '🙂b'|length }}{{ '🙂b'[::-1] }}",
    'a loop with its counters': "{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.first }}{{ loop.last }}{{ loop.length }};{% endfor %}",
    'the items before and after': "{% for m in messages %}{{ loop.previtem.role if loop.previtem is defined }}>{{ loop.nextitem.role if not loop.last }};{% endfor %}",
    'a loop with a condition': "{% for m in messages if m.role == 'user' %}{{ loop.index }}/{{ loop.length }}{% endfor %}",
    'a loop over nothing': "{% for m in [] %}x{% else %}none{% endfor %}",
    'a loop that ends early': "{% for m in messages %}{% if loop.index == 2 %}{% break %}{% endif %}{{ m.role }}{% endfor %}",
    'a loop that goes on': "{% for m in messages %}{% if m.role == 'user' %}{% continue %}{% endif %}{{ m.role }}{% endfor %}",
    'a loop over a dict': "{% for k in {'a': 1, 'b': 2} %}{{ k }}{% endfor %}{% for k, v in {'a': 1}.items() %}{{ k }}={{ v }}{% endfor %}",
    'a loop over the filter items': "{% for k, v in {'a': 1}|items %}{{ k }}={{ v }}{% endfor %}",
    'a loop over dictsort': "{% for k, v in {'b': 1, 'A': 2}|dictsort %}{{ k }}{{ v }}{% endfor %}",
    'a loop over a range': "{% for i in range(2, 8, 3) %}{{ i }}{% endfor %}{{ range(3)|list }}",
    'a loop backwards': "{% for m in messages|reverse %}{{ m.role }}{% endfor %}{% for m in messages[::-1] %}{{ loop.index0 }}{% endfor %}",
    'cycle and changed': "{% for m in messages %}{{ loop.cycle('a', 'b') }}{{ loop.changed(m.role) }}{% endfor %}",
    'a name that a loop sets': "{% set x = 1 %}{% for m in messages %}{% set x = 2 %}{% endfor %}{{ x }}",
    'a namespace': "{% set ns = namespace(found=false, n=0) %}{% for m in messages %}{% set ns.found = true %}{% set ns.n = ns.n + 1 %}{% endfor %}{{ ns.found }}{{ ns.n }}",
    'a namespace of a dict': "{% set ns = namespace({'a': 1}, b=2) %}{{ ns.a }}{{ ns.b }}{{ ns.c is defined }}",
    'a name that an if sets': "{% if messages %}{% set y = 'in' %}{% endif %}{{ y }}",
    'a name that is set after a loop that reads it': "{% for m in messages %}{{ bos_token }}{% endfor %}{% set bos_token = 'x' %}{{ bos_token }}",
    'a name that an if sets after it was given': "{% if false %}{% set bos_token = 'x' %}{% endif %}{{ bos_token }}",
    'several names at once': "{% set a, b = 1, 'x' %}{{ a }}{{ b }}",
    'a block of text in a name': "{% set t %}\n a {{ 1 }}\n{% endset %}[{{ t }}]{% set u | upper %}b{% endset %}{{ u }}",
    'a macro': "{% macro row(m, end='.') %}{{ m.role }}{{ end }}{% endmacro %}{% for m in messages %}{{ row(m) }}{{ row(m, end='!') }}{% endfor %}",
    'a macro that sees what is set later': "{% macro f() %}{{ z }}{% endmacro %}{% set z = 'late' %}{{ f() }}",
    'a macro that calls itself': "{% macro f(n) %}{{ n }}{% if n > 0 %}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(3) }}",
    'a macro without an argument': "{% macro f(a) %}{{ a is defined }}{% endmacro %}{{ f() }}",
    'a macro with more arguments': "{% macro f(a) %}{{ varargs }}{{ kwargs }}{% endmacro %}{{ f(1, 2, b=3) }}",
    'a macro with too many arguments': "{% macro f(a) %}{{ a }}{% endmacro %}{{ f(1, 2) }}",
    'a call block': "{% macro box() %}[{{ caller() }}]{% endmacro %}{% call box() %}in{% endcall %}",
    'the body of a call as a value': "{% macro box() %}{{ caller }}{{ [caller] }}{% endmacro %}{% call box() %}in{% endcall %}",
    'names that objects of JavaScript have': "{{ constructor is defined }}{{ toString }}{% set valueOf = 1 %}{{ valueOf }}",
    'the template itself': "{{ self is defined }}{{ self }}",
    'a parameter named self by its name': "{% macro m(self) %}{{ self }}{% endmacro %}{{ m(self=1) }}",
    'a key with underscores as an attribute': "{{ {'__a__': 1}.__a__ }}",
    'a filter block': "{% filter upper %}abc{% endfilter %}",
    'with': "{% with a = 1, b = 2 %}{{ a + b }}{% endwith %}{{ a is defined }}",
    'title and capitalize of a capital sigma': "{{ 'ΑΣ ΣΑ Α.Σ'.title() }} {{ 'ΑΣ'.capitalize() }} {{ 'ΟΔΟΣ ΣΟΦΟΣ'|title }}",
    'an unknown filter in a loop within an if': "{% if false %}{% for m in messages %}{{ m|nofilter }}{% endfor %}{% endif %}x",
    'an unknown filter in a macro within an if': "{% if false %}{% macro f(a=1|nofilter) %}{% endmacro %}{% endif %}x",
    'an unknown filter of a block within an if': "{% if false %}{% filter nofilter %}{% endfilter %}{% endif %}x",
    'the filter of a set reads a name of its block': "{% set q = 'y' %}{% set t|upper|replace('A', q) %}a{% set q = 'z' %}{% endset %}{{ t }}",
    'the tag generation': "{%- for m in messages -%}{%- if m.role == 'assistant' -%}{% generation %}{{ m.content }}{% endgeneration %}{%- else -%}[{{ m.role }}]{%- endif -%}{%- endfor -%}",
    'a name that is set in generation': "{% set a = 1 %}{% generation %}{% set a = 2 %}{{ a }}{% endgeneration %}{{ a }}",
    'raw text': "{% raw %}{{ x }}{% endraw %}\n{{ 1 }}",
    'comments': "a{# note -#}\n  b\n{#- note #}\nc",
    'lines of tags': "{% if true %}\n  a\n  {% if true %}\n  b\n  {% endif %}\n{% endif %}\nc\n",
    'signs that keep white space': "  {%+ if true %}\n  a\n  {%+ endif +%}\n  b",
    'white space around values': "a  {{- ' b ' -}}  c  {{ 'd' }}  \n e",
    'carriage returns': "a\r\nb{% if true %}\r\nc{% endif %}\r\n",
    'the last line break': "a\n\n",
    'escapes of texts': "{{ 'a\\tb\\u00e9\\x41\\'\\\\d' }}{{ \"q\\\"\" }}",
    'texts side by side': "{{ 'a' 'b' }}",
    'text and number': "{{ 'a' ~ 1 ~ none ~ 2.5 ~ true }}",
    'text plus number': "{{ 'a' + 1 }}",
    'text times number': "{{ '-' * 5 }}{{ [0] * 2 }}",
    'lists that are joined': "{{ [1] + [2] }}{{ (messages + [1])|length }}",
    'a power': "{{ 2 ** 10 }}{{ 3 ** 0 }}",
    'the sign before a filter': "{{ -3|abs }}{{ 1 - -1 }}",
    'tojson': "{{ tools|tojson }}",
    'tojson with an indent': "{{ tools|tojson(indent=4) }}{{ []|tojson(indent=2) }}{{ {'a': {}}|tojson(indent=1) }}",
    'tojson with separators': "{{ messages|tojson(separators=(',', ':')) }}",
    'tojson with sorted keys': "{{ {'b': 1, 'a': none, 'c': true}|tojson(sort_keys=true) }}",
    'tojson of texts': "{{ 'é\"<&>\\n\\u2028'|tojson }}{{ 'é🙂'|tojson(ensure_ascii=true) }}",
    'tojson of numbers': "{{ [1, 1.0, 1e30, 0.1, -0.0]|tojson }}",
    'tojson of what is missing': "{{ nothing|tojson }}",
    'tojson of a tuple and of items': "{{ (1, 2)|tojson }}{{ {'a': 1}.items()|list|tojson }}",
    'safe and escape': "{{ '<a>'|safe }}{{ '<a href=\"x\">'|e }}",
    'trim': "[{{ '  a \\n'|trim }}][{{ 'xax'|trim('x') }}][{{ none|trim }}]",
    'join': "{{ [1, 'a', none]|join(', ') }}{{ messages|join('/', attribute='role') }}{{ 'abc'|join('-') }}",
    'map': "{{ messages|map(attribute='role')|list }}{{ ['a', 'b']|map('upper')|join }}{{ messages|map(attribute='x', default='-')|join }}",
    'select and reject': "{{ [0, 1, none, 2]|select|list }}{{ [1, 2, 3]|reject('odd')|list }}{{ ['a', 1]|select('string')|list }}",
    'selectattr': "{{ messages|selectattr('role', 'equalto', 'user')|list|length }}{{ (messages|selectattr('role', 'in', ['system', 'user'])|list)|length }}",
    'rejectattr': "{{ (messages|rejectattr('role', 'eq', 'user')|first).role }}{{ messages|rejectattr('name')|list|length }}",
    'a generator as a condition': "{% if messages|selectattr('role', 'eq', 'none') %}always{% endif %}",
    'a generator that is read twice': "{% set g = [1, 2]|map('string') %}{{ g|list }}{{ g|list }}",
    'the length of a generator': "{{ messages|map(attribute='role')|length }}",
    'sort': "{{ ['b', 'A', 'a']|sort }}{{ [3, 1]|sort(reverse=true) }}{{ messages|sort(attribute='role')|map(attribute='role')|join }}",
    'unique, min, max, sum': "{{ ['a', 'A', 'b']|unique|list }}{{ [3, 1]|min }}{{ [1, 2.5]|max }}{{ [1, 2]|sum }}{{ []|max is defined }}",
    'int and float': "{{ '42'|int }}{{ '4.9'|int }}{{ 'x'|int(7) }}{{ '1.5'|float }}{{ 'x'|float }}{{ 3.9|int }}{{ none|int }}",
    'round': "{{ 2.5|round }}{{ 3.5|round }}{{ 2.675|round(2) }}{{ 7|round }}{{ 2.1|round(method='ceil') }}",
    'abs and length': "{{ (-2.5)|abs }}{{ {}|length }}{{ 'é'|count }}",
    'indent': "{{ 'a\\n\\nb\\n'|indent(2) }}|{{ 'a\\nb'|indent(2, true) }}|{{ 'a\\n\\nb'|indent('> ', blank=true) }}",
    'batch': "{{ [1, 2, 3]|batch(2)|list }}{{ [1, 2, 3]|batch(2, 0)|list }}",
    'a string of a list': "{{ [1, 'a']|string }}{{ 1|string + '2' }}{{ none|string }}",
    'a list of a text': "{{ 'ab'|list }}{{ {'a': 1}|list }}",
    'get of a dict': "{{ messages[0].get('role') }}{{ messages[0].get('x') }}{{ messages[0].get('x', 'd') }}",
    'keys and values': "{{ {'a': 1}.keys() }}{{ {'a': 1}.values()|list }}{{ {'a': 1}.items() }}",
    'dict': "{{ dict(a=1, b='x') }}{{ dict({'a': 1}, b=2).b }}",
    'arguments from a list and a dict': "{% macro f(a, b) %}{{ a }}{{ b }}{% endmacro %}{{ f(*[1, 2]) }}{{ f(**{'b': 3, 'a': 4}) }}",
    'an error of the template': "{% if messages|length > 1 %}{{ raise_exception('Only one message is allowed, ' ~ messages|length ~ ' given') }}{% endif %}",
    'a method that changes a list': "{% set x = [] %}{{ x.append(1) }}",
    'a private attribute': "{{ messages.__class__ }}|{{ ''.__class__.__mro__ }}",
    'a name of Python that is none': "{{ len(messages) }}",
    'the date': "{{ strftime_now('%d %b %Y') }} {{ strftime_now('%Y-%m-%d') }}",
    'special tokens': "{{ bos_token }}{{ eos_token }}{{ pad_token is defined }}",
    'tools and documents that are not given': "{{ documents is none }}{{ documents is defined }}{% if documents %}x{% endif %}",
    'a content of parts': "{% for m in messages %}{% if m.content is string %}{{ m.content }}{% elif m.content is iterable %}{% for part in m.content %}{{ part.text if part.type == 'text' else '<' ~ part.type ~ '>' }}{% endfor %}{% endif %}{% endfor %}",
    'arguments of a call': "{% for call in [{'function': {'name': 'f', 'arguments': {'a': 1}}}] %}{{ '{\"name\": \"' ~ call.function.name ~ '\", \"arguments\": ' ~ (call.function.arguments if call.function.arguments is string else call.function.arguments|tojson) ~ '}' }}{% endfor %}",
    'the tag print': "{% print 'a', 1 %}",
    'a lonely is': "{{ 'user' is none if true else 1 }}",
    'a tag that is unknown': "{% frobnicate %}",
    'a filter that is unknown': "{{ 'a'|frobnicate }}",
    'a filter that is unknown, in an if': "{% if false %}{{ 'a'|frobnicate }}{% endif %}ok",
    'a test that is unknown': "{{ 'a' is frobnicated }}",
    'a tag without its end': "{% if true %}a",
    'format': "{{ '{} {}'.format(1, 2) }}",
    'the filter format': "{{ '%s-%d'|format('a', 2) }}",
    'the operator % of a text': "{{ 'a%s' % 'b' }}",
    'a recursive loop': "{% for x in [1] recursive %}{{ x }}{% endfor %}",
    'an import': "{% import 'x' as y %}",
    'a block': "{% block b %}in{% endblock %}",
    'groupby': "{% for role, list in messages|groupby('role') %}{{ role }}{% endfor %}",
    'a joiner': "{% set j = joiner(', ') %}{{ j() }}a{{ j() }}b",
    'a generator that is printed': "{{ messages|map(attribute='role') }}",
    'a split that keeps the end': "{{ ' a b  '.split(none, 1) }}{{ ' a b  '.split() }}{{ ' a  b '.rsplit(none, 1) }}{{ ' a '.split(none, 0) }}",
    'methods that are equal': "{{ messages[0].items == messages[0].items }}{{ messages[0].items != messages[1].items }}{{ messages[0].items == messages[0].keys }}",
    'round to no minus': "{{ (-0.5)|round(method='ceil') }}{{ (-0.5)|round(1, 'floor') }}",
    'a default of a macro that is set later': "{% macro f(p=bos_token) %}{{ p is undefined }}{% endmacro %}{{ f() }}{% set bos_token = 'x' %}{{ f() }}",
    'places of a text between two indices': "{{ 'a🙂ab'.find('a', 1) }}{{ 'abab'.rfind('b', 0, 3) }}{{ 'abab'.count('a', 1) }}{{ 'ab'.startswith('b', 1) }}{{ 'ab'.endswith(('a', 'x'), none, -1) }}{{ 'ab'.find('', 3) }}{{ 'ab'.find('', 2) }}{{ 'ab'.rfind('') }}{{ 'aba'.index('a', 1) }}",
    'how often an empty text is in another': "{{ 'ab'.count('') }}{{ ''.count('') }}{{ '🙂'.count('') }}{{ 'ab'.count('', 1) }}{{ 'ab'.count('', 3) }}",
    'a keyword for the start of a search': "{{ 'ab'.find('b', start=1) }}",
    'an unknown filter in a condition that is not reached': "{% if false and 'a'|unknown %}x{% endif %}{{ 'b'|unknown if false else 'c' }}",
    'an unknown test outside of a condition': "{{ 'a' is unknown }}",
    'an unknown filter in a condition that is reached': "{% if 'a'|unknown %}x{% endif %}",
    'a number above the largest': "{% set a = 1e400 %}{{ a }}",
    'an item of an escaped text': "{{ ('a&b'|e)[1] ~ 'x' }}",
    'a difference of items': "{{ [1] - messages[0].items() }}",
}

cases = []
for name, template in [('ChatML', CHATML), ('headers', HEADERS), ('turns', TURNS)]:
    for messages in [HELLO, MORE, SYSTEM]:
        for more in [{'add_generation_prompt': True}, {'add_generation_prompt': False}, {'add_generation_prompt': True, 'tools': TOOLS}, {'add_generation_prompt': True, 'enable_thinking': False}]:
            if name != 'ChatML' and len(more) > 1:
                continue
            made = render(template, {'messages': messages, **more, **TOKENS})
            if 'error' in made:
                made['error'] = made['error'].removeprefix('TemplateError: ')
            cases.append({'template': name, 'messages': messages, 'options': more, **made})
given = {'messages': MORE, 'tools': TOOLS, 'documents': None, 'add_generation_prompt': True, **TOKENS}
constructs = {name: {'template': template, **render(template, copy.deepcopy(given))} for name, template in CONSTRUCTS.items()}
made = [Maker(f'golden-{n}').template() for n in range(2000)]
made = [template for template in made if 40 < len(template) < 260][:300]
wide = [WideMaker(f'golden-{n}').template() for n in range(2000)]
made += [template for template in wide if 40 < len(template) < 260][:300]
random = [{'template': template, **render(template, copy.deepcopy(VARIABLES))} for template in made]
DIRECTIVES = '%a|%A|%w|%d|%b|%B|%m|%y|%Y|%H|%I|%M|%S|%f|%z|%Z|%j|%U|%W|%c|%x|%X|%p|%%|%G|%u|%V|%C|%D|%e|%F|%g|%h|%k|%l|%P|%r|%R|%T|%n|%t|%-d|%-m|%-I|%_d|%_H|%0e|%^a|%^B|%-j|%%d'
times = [datetime.datetime(*time) for time in [(2024, 2, 9, 15, 4, 5, 67000), (2023, 1, 1, 0, 0, 0), (2020, 12, 31, 23, 59, 59, 999000), (2021, 1, 3, 12, 0), (2026, 11, 27, 11, 30), (2019, 12, 30, 1, 2, 3), (2000, 2, 29, 13, 13, 13)]]
dates = [[list(time.timetuple()[:6]) + [time.microsecond // 1000], time.strftime(DIRECTIVES)] for time in times]
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'chat-templates.json')
with open(path, 'w') as file:
    templates = {'ChatML': CHATML, 'headers': HEADERS, 'turns': TURNS}
    more = {'given': given, 'constructs': constructs, 'variables': VARIABLES, 'random': random, 'directives': DIRECTIVES, 'dates': dates}
    json.dump({'tokens': TOKENS, 'templates': templates, 'cases': cases, **more}, file, ensure_ascii=False, indent=1)
    file.write('\n')
print(len(cases), len(constructs), len(random))
