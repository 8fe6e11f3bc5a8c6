"""The numbers of the library's sentences, as its sources give them.

    g.fail(58, at, who, ": expected ", a, ", found ", b)     the number comes first
    s << "expected " << a << sentence_id{58}                 or last
    static_assert(holds, "expected a [F0058]")               or in the text
"""

import collections
import dataclasses
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["base", "dsl", "weights", "backends", "runtime", "models", "programs"]
CALL = re.compile(r"\b(?:fail|refuse|refuse_rows|say)\(\s*(\d+),")
LAST = re.compile(r"sentence_id\{(\d+)\}")
IN_TEXT = re.compile(r'((?:"(?:[^"\\\n]|\\.)*"\s*)*"(?:[^"\\\n]|\\.)*)\[F(\d{4})\]"')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclasses.dataclass
class Sentence:
    path: str
    words: str = ""  # as they stand there, with … for what is known later


def call_at(text, start):
    """The rest of a call whose parenthesis is open at `start`."""
    depth, inside = 1, False
    for at in range(start, len(text)):
        if text[at] == '"' and text[at - 1] != "\\":
            inside = not inside
        elif not inside:
            depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start:at]
    raise ValueError("a parenthesis is not closed")


def words_of(code):
    """The literals of some code, of which neighbours are one."""
    joined = re.sub(r'"\s*(?:,\s*)?"', "", code)
    return "…".join(re.sub(r"\\(.)", r"\1", found) for found in LITERAL.findall(joined)).strip(" :")


def sentences():
    """Those of each number: one, where all is well."""
    found = collections.defaultdict(list)
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.hpp")):
            text, name = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
            for match in CALL.finditer(text):
                found[int(match[1])].append(Sentence(name, words_of(call_at(text, match.end()))))
            for match in LAST.finditer(text):
                found[int(match[1])].append(Sentence(name))
            for match in IN_TEXT.finditer(text):
                found[int(match[2])].append(Sentence(name, words_of(match[1] + '"')))
    return found
