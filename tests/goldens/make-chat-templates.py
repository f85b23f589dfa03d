#!/usr/bin/env python3
# Writes tests/goldens/chat-templates.json: what jinja2 (3.1.6) makes of chat templates, with the settings of transformers
# (_compile_jinja_template of utils/chat_template_utils.py). The templates are of the kinds that published models have.

import json
import os
import jinja2
from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

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


def render(template, messages, **more):
    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)

    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    env.filters['tojson'] = tojson
    env.globals['raise_exception'] = raise_exception
    return env.from_string(template).render(messages=messages, **more)


cases = []
for name, template in [('ChatML', CHATML), ('headers', HEADERS), ('turns', TURNS)]:
    for messages in [HELLO, MORE, SYSTEM]:
        for more in [{'add_generation_prompt': True}, {'add_generation_prompt': False}, {'add_generation_prompt': True, 'tools': TOOLS}, {'add_generation_prompt': True, 'enable_thinking': False}]:
            if name != 'ChatML' and len(more) > 1:
                continue
            try:
                text = render(template, messages, **more, **TOKENS)
                cases.append({'template': name, 'messages': messages, 'options': more, 'text': text})
            except jinja2.exceptions.TemplateError as error:
                cases.append({'template': name, 'messages': messages, 'options': more, 'error': str(error)})
path = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'chat-templates.json')
with open(path, 'w') as file:
    json.dump({'tokens': TOKENS, 'templates': {'ChatML': CHATML, 'headers': HEADERS, 'turns': TURNS}, 'cases': cases}, file, ensure_ascii=False, indent=1)
    file.write('\n')
print(len(cases))
