"""What MkDocs does with the pages of docs/ that Markdown has no word for.

```errors            sentences behind their numbers: each is shown with an ill-formed model (tests/compile_fail) and its repair
```cpp ill-formed    C++ that is refused; the block after it is what the compiler says
```c++ HEADER        a declaration that stands in this header

Pages that lie elsewhere in the repository are part of the site, and links to them lead there.
"""

import functools
import pathlib
import re
import sys

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "compile_fail"))
from check import ID, MARKER, OWN, announced, expected_sentence  # noqa: E402
from sentence_numbers import sentences  # noqa: E402

ELSEWHERE = {
    "bench/RESULTS.md": "speed.md",
    "bench/COMPILE_COST.md": "compile_cost.md",
    "bench/EVENNESS.md": "evenness.md",
    "bench/RELIABILITY.md": "reliability.md",
    "examples/README.md": "programs.md",
    "SECURITY.md": "security.md",
    **{f"bench/machines/{page.name}": f"machines/{page.name}" for page in sorted((ROOT / "bench" / "machines").glob("*.md"))},
}
PICTURES = "bench/pictures"
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?:\.\./)+([^)#]+)")


def faulty_and_repaired(path):
    """The marked line, and what stands in its place in the model that is well-formed. Where the mark is elsewhere than the fault,
    both are shown."""
    lines = path.read_text(encoding="utf-8").splitlines()
    marked = next(line for line in lines if line.rstrip().endswith(MARKER))
    parts, part = {"#ifdef ILL_FORMED": [], "#else": []}, None
    for line in lines:
        if line.startswith(("#ifdef ILL_FORMED", "#else", "#endif")):
            part = parts.get(line)
        elif part is not None:
            part.append(line)
    faulty = [marked] if marked in parts["#ifdef ILL_FORMED"] else [marked, *parts["#ifdef ILL_FORMED"]]
    return dedented(faulty).replace(MARKER, "").rstrip(), dedented(parts["#else"])


def dedented(lines):
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    return "\n".join(line[indent:] for line in lines)


def sentence_of(path):
    """What the compiler says, without the place in the file; a call's sentence has none."""
    return expected_sentence(path).removeprefix(f"{path.name}:").lstrip("0123456789: ")


def path_of(name):
    return ROOT / "tests" / "compile_fail" / f"{name}.cpp"


def error(name, errors_page="", language="cpp"):
    faulty, repaired = faulty_and_repaired(path_of(name))
    said = sentence_of(path_of(name))
    number = ID.search(said)[1]
    words = re.sub(r"([\\`*_\[\]<>])", r"\\\1", ID.sub("", said))
    sentence = f"{words}[{number}]({errors_page}#{number.lower()})"
    shown = f'```{language} title="Refused"\n{faulty}\n```\n\n!!! failure ""\n    {sentence}\n'
    return shown + (f'\n```{language} title="Instead"\n{repaired}\n```\n' if repaired else "")


@functools.cache
def models_by_sentence():
    """Names of ill-formed models by what pages write: "F0042  cannot add ..."."""
    paths = sorted((ROOT / "tests" / "compile_fail").glob("*.cpp"), reverse=True)
    return {announced(path): path.stem for path in paths}


def all_errors(markdown):
    """The page of errors: every sentence by its number, below the word that it begins with, with the ill-formed models that show it. Mistakes for which
    the compiler has words of its own are left out."""
    models, by_word = {}, {}
    for path in sorted((ROOT / "tests" / "compile_fail").glob("*.cpp")):
        if not OWN.search(path.read_text(encoding="utf-8")):
            models.setdefault(ID.search(sentence_of(path))[1], []).append(path.stem)
    for number, names in sorted(models.items()):
        word = re.match(r"([a-z_0-9]+)( \"[^\"]*\")?: ", sentence_of(path_of(names[0])))
        shown = f"#### {number}\n\n" + "\n".join(error(name, language="text") for name in names)
        by_word.setdefault(word.group(1) if word else "more than one word", []).append(shown)
    parts = [f"## {word}\n\n" + "\n".join(shown) for word, shown in sorted(by_word.items())]
    rest = [(f"F{number:04d}", one.words) for number, (one,) in sorted(sentences().items()) if one.words and f"F{number:04d}" not in models]
    rows = "\n".join(f'| <span id="{number.lower()}">{number}</span> | `{words.replace("|", "&#124;").replace("`", "")}` |' for number, words in rest)
    parts.append("## Without an example\n\nThe dots stand for a word, a name, a shape or a number.\n\n| number | sentence |\n| --- | --- |\n" + rows)
    return FENCE.sub("", markdown) + "\n" + "\n".join(parts)


def block(match, errors_page):
    kind, text = match.group(1).strip(), match.group(2)
    if kind == "errors":
        return "\n".join(error(models_by_sentence()[line], errors_page) for line in text.splitlines())
    if kind.startswith("c++ "):
        return f'```cpp title="{kind.removeprefix("c++ ")}"\n{text}```'
    if kind == "cpp ill-formed":
        return f'```cpp title="Refused"\n{text}```'
    return match.group(0)


def on_files(files, config, **_):
    for source, page in ELSEWHERE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    for picture in sorted((ROOT / PICTURES).glob("*.svg")):
        files.append(File.generated(config, f"pictures/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown, page, **_):
    if page.file.src_uri == "errors.md":
        return all_errors(markdown)
    to_top = "../" * page.file.src_uri.count("/")
    markdown = LINK.sub(lambda link: f"]({to_top}{ELSEWHERE[link.group(1)]}" if link.group(1) in ELSEWHERE else link.group(0), markdown)
    return FENCE.sub(lambda match: block(match, f"{to_top}errors.md"), markdown)
