# jinja2 with the settings of transformers (_cached_compile_jinja_template of utils/chat_template_utils.py).

import datetime
import json

import jinja2
from jinja2.ext import Extension, loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

NOW = datetime.datetime(2024, 2, 9, 15, 4, 5, 67000)


class Generation(Extension):
    """Renders the body of the tag `generation` unchanged. transformers also records where it is in the text."""

    tags = {'generation'}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(['name:endgeneration'], drop_needle=True)
        return jinja2.nodes.CallBlock(self.call_method('_text'), [], [], body).set_lineno(line)

    def _text(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def compiled(template):
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, loopcontrols])
    env.filters['tojson'] = tojson
    env.globals['raise_exception'] = raise_exception
    env.globals['strftime_now'] = NOW.strftime
    return env.from_string(template)


def render(template, variables):
    """Returns {'text'}, or {'error'} if the template raises one."""
    try:
        return {'text': compiled(template).render(**variables)}
    except RecursionError:
        raise
    except Exception as error:  # a template may raise any exception
        return {'error': f'{type(error).__name__}: {error}'}
