"""Writes the golden case chat_templates.json with jinja2 (3.1.6), set as transformers' apply_chat_template sets it: templates,
what they are given, and the text that they make, or null where jinja2 refuses to run them; and the same of the named forms
of runtime/chat/named_chat_template.cpp.

    python make_chat_golden.py ../../golden
"""

import datetime
import json
import pathlib
import re
import sys

import jinja2
from jinja2 import nodes
from jinja2.ext import Extension
from jinja2.sandbox import ImmutableSandboxedEnvironment

MESSAGES = [
    {"role": "system", "content": " Be brief. "},
    {"role": "user", "content": "Gr\u00fc\u00dfe, \u4e16\u754c \U0001f600\n"},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "a1", "function": {"name": "f", "arguments": {"x": 1.5, "y": [True, None, "<'\"\\>"]}}}]},
    {"role": "tool", "content": [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]},
    {"role": "assistant", "content": "<think>\nhm\n</think>\n\nDone"},
]
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"properties": {"b": {"type": "number"}, "a": {"type": "string"}}}}}]

TEMPLATES = [
    # White space around tags.
    "  {% if true %}\n  a\n  {% endif %}\n b {%- if true -%}\n\n c \n{%- endif %}\n",
    "x  {{- 1 -}}  y {{+ 2 }}\n  {%+ if true +%}\n z\n{% endif %}\r\nend\r\n\n",
    "a {# no #}\nb\n  {#- no -#}  c {# {{ x }} {% if %} #}",
    "{% raw %} {{ a }} {% if %}{% endraw %}\n{%- raw -%}  {% b %}  {%- endraw -%}  c{% raw %}x{% endraw %}",
    # Values and operators.
    "{{ 1 + 2 * 3 - 4 // 3 }} {{ 7 / 2 }} {{ -7 // 2 }} {{ -7 % 3 }} {{ 2 ** 10 }} {{ 7.5 % 2 }} {{ 'a' * 3 }} {{ [1] * 2 + [3] }}",
    "{{ 1e-5 }} {{ 1e16 }} {{ 123456.75 }} {{ 0.1 + 0.2 }} {{ 100.0 }} {{ true }} {{ none }} {{ nothing }}|",
    "{{ [1, 'a', none, true, 1.0, ('b',), {'k': 'it\\'s'}, \"\\n\\t\\u00e9\"] }} {{ (1, 2) }} {{ () }} {{ {} }}",
    "{{ 1 < 2 < 3 }} {{ 1 < 2 > 3 }} {{ 1 == 1.0 == true }} {{ 'a' in 'cat' }} {{ 4 not in [1, 2] }} {{ 'k' in {'k': 1} }} {{ not 1 in [1] }}",
    "{{ 'a' if false }}|{{ 'a' if x is defined else 'b' if true else 'c' }} {{ 0 or 'x' and '' or 'y' }} {{ 1 ~ 'a' ~ none ~ 2.0 }}",
    "{{ 'a' 'b' \"c\" }} {{ 'd' ~ 'e' | upper }} {{ ('d' ~ 'e') | upper }} {{ -3 | abs }} {{ 'abc'[1] }} {{ 'abc'[-1] }} {{ [1, 2, 3].1 }}",
    "{{ messages[1:] | length }} {{ 'h\u00e9llo'[1:-1] }} {{ 'abc'[::-1] }} {{ [1, 2, 3, 4][::2] }} {{ [1, 2, 3, 4][3:0:-2] }} {{ [1, 2][5:] }}",
    "{{ -9223372036854775807 % 3 }} {{ 7 % -3 }} {{ -6 % 3 }} {{ 5 % -1 }} {{ 'h\u00e9llo'[::-2] }} {{ 'h\u00e9llo'[3:0:-1] }} {{ 'h\u00e9llo'[-4] }} {{ 'h\u00e9llo'[1:9:2] }} {{ 'h\u00e9llo'[4:1] }}|{{ ''[::-1] }}|{{ 'h\u00e9'[7] }}|",
    # Statements.
    "{% for m in messages %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ loop.length }}{{ loop.cycle('a', 'b') }}{{ loop.previtem.role if not loop.first }}{{ loop.nextitem.role if loop.nextitem is defined }};{% else %}none{% endfor %}",
    "{% for m in messages if m.role == 'assistant' %}{{ loop.index }}/{{ loop.length }} {% endfor %}{% for x in [] %}{% else %}empty{% endfor %}",
    "{% for k, v in {'a': 1, 'b': 2}.items() %}{{ k }}={{ v }} {% endfor %}{% for c in 'h\u00e9' %}{{ c }},{% endfor %}{% for k in {'z': 1} %}{{ k }}{% endfor %}",
    "{% for i in range(10) %}{% if i == 2 %}{% continue %}{% elif i > 4 %}{% break %}{% endif %}{{ i }}{% endfor %} {{ range(5, 0, -2) | list }}",
    "{% set x = 1 %}{% for i in [1, 2] %}{% set x = x + 1 %}{{ x }}{% endfor %}{{ x }}{% if true %}{% set x = 9 %}{% endif %}{{ x }}",
    "{% set ns = namespace(n=0, found=false) %}{% for m in messages %}{% set ns.n = ns.n + 1 %}{% if m.role == 'tool' %}{% set ns.found = true %}{% endif %}{% endfor %}{{ ns.n }}{{ ns.found }}{{ ns.other is defined }}",
    "{% set a, b = 1, 2 %}{{ b }}{{ a }}{% set t %}\n <{{ a }}> {% endset %}[{{ t }}]{% set u | trim | upper %}  v {% endset %}[{{ u }}]{% filter upper %}abc{{ 'd' }}{% endfilter %}",
    "{% macro m(a, b='x', c=a) %}<{{ a }}{{ b }}{{ c }}>{% endmacro %}{{ m(1) }}{{ m(1, 2) }}{{ m(b=3, a=4) }}{{ m() }}",
    "{% macro m(a, b='x', c=b) %}<{{ a is defined }}{{ b }}{{ c }}>{% endmacro %}{{ m(nothing, nothing) }}{{ m(1) }}{{ m(b=nothing) }}{{ m(1, none, nothing) }}",
    "{% macro tree(d, n=0) %}{{ '-' * n }}{% for k, v in d.items() %}{{ k }}{% if v is mapping %}({{ tree(v, n + 1) }}){% endif %}{% endfor %}{% endmacro %}{{ tree({'a': {'b': {'c': 1}}, 'd': 2}) }}",
    "{% for m in messages %}{% if m.role == 'assistant' %}{% generation %}{{ m.content }}{% endgeneration %}{% endif %}{% endfor %}",
    # Filters.
    "{{ tools | tojson }}\n{{ tools | tojson(indent=2) }}\n{{ messages | tojson(separators=(',', ':')) }}\n{{ messages[1].content | tojson(ensure_ascii=true) }} {{ [] | tojson(indent=1) }} {{ {'b': 1, 'a': 2} | tojson(sort_keys=true) }}",
    "[{{ '  a ' | trim }}] [{{ 'xax' | trim('x') }}] {{ 'aBc dEf' | title }} {{ 'aBc' | capitalize }} {{ 'a-b' | replace('-', '+') }} {{ 'aaa' | replace('a', 'b', 2) }} {{ 'a\nb\n\nc' | indent(2) }} {{ 'x' | indent(2, first=true) }}",
    "{{ [1, 2, 3] | join(', ') }} {{ messages | map(attribute='role') | join('/') }} {{ ['a', 'b'] | map('upper') | list }} {{ messages | selectattr('role', 'equalto', 'user') | list | length }} {{ messages | rejectattr('content') | map(attribute='role') | list }} {{ [1, 2, 3, 4] | select('odd') | list }} {{ [0, 1, ''] | reject | list }} {{ none | select | list }}",
    "{{ x | default('d') }} {{ '' | default('d') }} {{ '' | default('d', true) }} {{ none | d('e') }} {{ [3, 1, 2] | sort }} {{ ['b', 'A'] | sort }} {{ {'b': 1, 'A': 2} | dictsort }} {{ {'b': 1} | items | list }} {{ [1, 2] | first }} {{ [1, 2] | last }} {{ [] | first }}| {{ [1, 1, 2] | unique | list }}",
    "{{ '42' | int }} {{ '4.7' | int }} {{ 'x' | int(7) }} {{ 3.9 | int }} {{ '2.5' | float }} {{ 2.567 | round(2) }} {{ 2.5 | round }} {{ 2.1 | round(0, 'ceil') }} {{ [1, 2] | sum }} {{ [1, 2, 0] | max }} {{ [1, 2, 0] | min }} {{ 'abc' | reverse }} {{ [1, 2] | reverse | list }} {{ 5 | string + 'x' }} {{ 'abc' | list }} {{ 'h\u00e9' | length }} {{ {'a': 1} | count }}",
    "{{ 'a' ~ ({'k': '<'} | tojson | safe) ~ 'b' }}",
    "{{ 'ff' | int(0, 16) }} {{ ' -0x1A ' | int(0, 16) }} {{ '0b11' | int(base=2) }} {{ '12' | int(7, 2) }} {{ 'Zz' | int(base=36) }} {{ '0x' | int(3, 16) }} {{ 12 | int(0, 16) }}",
    "{{ ['ab', 'c'] | map('map', 'upper') | map('list') | list }} {{ 'h\u00e9' | first }}{{ 'h\u00e9' | last }}{{ '' | last }} {{ {'a': 1, 'b': 2} | last }} {{ 'h\u00e9l' | reverse }}",
    # Methods.
    "[{{ ' a '.strip() }}] [{{ 'xay'.strip('yx') }}] [{{ ' a '.lstrip() }}] [{{ ' a '.rstrip() }}] {{ 'a b  c'.split() }} {{ 'a,b,,c'.split(',') }} {{ 'a,b,c'.split(',', 1) }} {{ 'a,b,c'.rsplit(',', 1) }} {{ 'a\nb\r\nc'.splitlines() }} {{ ' a b c '.split(none, 1) }}",
    "{{ messages[4].content.split('</think>')[-1].lstrip('\\n') }} {{ 'abc'.startswith('ab') }} {{ 'abc'.endswith(('x', 'c')) }} {{ 'aXb'.lower() }} {{ 'axb'.upper() }} {{ \"it's a\".title() }} {{ 'aaa'.replace('a', 'b', 2) }} {{ 'ab'.replace('', '-') }} {{ 'abab'.find('b') }} {{ 'abab'.rfind('b') }} {{ 'abab'.count('ab') }} {{ ', '.join(['a', 'b']) }}",
    "{{ 'ab1'.isalnum() }} {{ 'ab'.isalpha() }} {{ '12'.isdigit() }} {{ ''.isdigit() }} {{ ' '.isspace() }} {{ 'AB'.isupper() }} {{ 'aB'.islower() }} {{ 'prefix'.removeprefix('pre') }} {{ 'a.b'.removesuffix('.b') }} {{ '{} {1} {n} {{}}'.format('a', 'b', n=3) if false else '{}-{n}{{}}'.format('a', n=3) }}",
    "{{ {'a': 1}.get('a') }} {{ {'a': 1}.get('b') }} {{ {'a': 1}.get('b', 2) }} {{ {'a': 1}.keys() | list }} {{ {'a': 1}.values() | list }} {{ [1, 2, 1].count(1) }} {{ [1, 2].index(2) }} {{ {'items': 3}['items'] }} {{ dict(a=1) }}",
    "{{ 'abcabc'.find('a', 1) }} {{ 'abcabc'.rfind('a', -3) }} {{ 'abcabc'.rfind('a', 0, 3) }} {{ 'abab'.index('ab', 1) }} {{ 'abab'.count('ab', 1) }} {{ 'abab'.count('', 1, 3) }} {{ 'xab'.startswith('ab', 1) }} {{ 'xab'.endswith(('x', 'a'), -3, -1) }} {{ 'h\u00e9\u00e9h'.find('h', 1) }} {{ 'h\u00e9\u00e9h'.rfind('\u00e9', 0, -1) }}",
    "{{ 'abc'.find('', 3) }} {{ 'abc'.find('', 4) }} {{ 'abc'.find('', 2, 1) }} {{ 'abc'.count('', 3) }} {{ 'abc'.count('', 4) }} {{ 'abc'.startswith('', 3) }} {{ 'abc'.startswith('', 4) }} {{ 'abc'.find('c', none, -1) }} {{ 'abc'.find('b', -9, 9) }}",
    # Tests.
    "{{ x is defined }} {{ x is undefined }} {{ none is none }} {{ 'a' is string }} {{ 1 is number }} {{ 1 is integer }} {{ 1.0 is float }} {{ true is boolean }} {{ true is true }} {{ 0 is false }} {{ {} is mapping }} {{ [] is iterable }} {{ 'a' is sequence }} {{ 1 is not iterable }} {{ 3 is odd }} {{ 4 is even }} {{ 6 is divisibleby 3 }} {{ 1 is eq 1 }} {{ 1 is ne(2) }} {{ 2 is gt 1 }} {{ 1 is in [1] }} {{ 'a' is lower }} {{ range is callable }}",
    # Functions.
    "{{ bos_token }}{{ eos_token }}{{ pad_token }}{{ add_generation_prompt }} {{ strftime_now('%d %b %Y') }} {{ enable_thinking }} {{ documents is none }}",
    # What jinja2 refuses to run.
    "{{ raise_exception('Roles must alternate') }}",
    "{{ x.y }}",
    "{{ 1 + 'a' }}",
    "{{ none.x() }}",
    "{% for x in none %}{% endfor %}",
    "{{ 1 // 0 }}",
    "{% set x = {} %}{% set x.y = 1 %}",
    "{{ messages[9].role }}",
    "{% for a, b in [[1, 2, 3]] %}{% endfor %}",
    "{% macro m(a) %}{% endmacro %}{{ m(1, 2) }}",
    "{% macro m(a) %}{% endmacro %}{{ m(1, a=2) }}",
    "{{ 'abab'.index('ab', 3) }}",
    "{{ 'a'.find('a', 0, 1, 2) }}",
    "{{ 'a'.upper(1) }}",
    "{{ {}.get('a', 1, 2) }}",
    "{{ [1].count(1, 2) }}",
    "{{ 'a' | trim('b', 'c') }}",
    "{{ 'a' | indent(depth=2) }}",
    "{{ ['a'] | map('upper', 1) | list }}",
    "{{ range(1000000) }}",
    "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
]

FORMS = pathlib.Path(__file__).parents[3] / "runtime/chat/named_chat_template.cpp"
USER, ANSWER = {"role": "user", "content": "How warm?\n"}, {"role": "assistant", "content": "3 degrees"}
CONVERSATIONS = [
    [USER],
    [{"role": "system", "content": "Be brief."}, USER],
    [{"role": "developer", "content": "Be brief."}, USER, ANSWER, {"role": "user", "content": "And now?"}],
    [USER, ANSWER],
    [ANSWER, USER],
    [USER, {"role": "system", "content": ""}, USER],
    [],
    [{"role": "king", "content": "one"}],
    [USER, {"role": "tool", "content": "one"}],
    [{"role": "user", "content": None}],
    [{"role": "user", "content": ["one"]}],
    [{"role": "user"}],
    [{"content": "one"}],
]


class Generation(Extension):
    """transformers' tag around what a model is trained to say."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return nodes.CallBlock(self.call_method("_said"), [], [], body).set_lineno(line)

    def _said(self, caller):
        return caller()


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def forms():
    """The templates of the named forms."""
    source = FORMS.read_text()
    checks = re.search(r'checks = R"jinja\((.*?)\)jinja"', source, re.S)[1]
    return {name: checks + text for name, text in re.findall(r'\{"(\w+)", \{.*?\}, R"jinja\((.*?)\)jinja"', source, re.S)}


def made(template, **more):
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols])
    environment.filters["tojson"] = tojson
    environment.globals["raise_exception"] = raise_exception
    environment.globals["strftime_now"] = datetime.datetime(2026, 11, 27).strftime
    given = {"messages": MESSAGES, "tools": TOOLS, "documents": None, "add_generation_prompt": True, "bos_token": "<s>", "eos_token": "</s>", "enable_thinking": False, **more}
    try:
        return environment.from_string(template).render(**given)
    except (jinja2.exceptions.TemplateRuntimeError, jinja2.exceptions.TemplateError, TypeError, ValueError, ArithmeticError, RecursionError) as problem:
        if isinstance(problem, jinja2.exceptions.TemplateSyntaxError):
            raise
        return None


def main():
    cases = [[template, made(template)] for template in TEMPLATES]
    named = [[name, talk, answers, made(text, messages=talk, add_generation_prompt=answers)] for name, text in forms().items() for talk in CONVERSATIONS for answers in (True, False)]
    text = json.dumps({"messages": MESSAGES, "tools": TOOLS, "cases": cases, "forms": named}, indent=1)
    (pathlib.Path(sys.argv[1]) / "chat_templates.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
