"""What MkDocs does with the pages of docs/ that Markdown has no word for.

```errors            names of ill-formed models (tests/compile_fail): each is shown with its sentence and its repair
```cpp ill-formed    C++ that is refused; the block after it is what the compiler says
```c++ HEADER        a declaration that stands in this header

Pages that lie elsewhere in the repository are part of the site, and links to them lead there.
"""

import pathlib
import re
import sys

from mkdocs.structure.files import File

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "compile_fail"))
from check import MARKER, OWN, expected_sentence  # noqa: E402

ELSEWHERE = {
    "bench/RESULTS.md": "speed.md",
    "bench/COMPILE_COST.md": "compile_cost.md",
    "bench/RELIABILITY.md": "reliability.md",
    "examples/README.md": "programs.md",
    "SECURITY.md": "security.md",
}
PICTURES = "bench/pictures"
FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?:\.\./)+([^)#]+)")


def faulty_and_repaired(path):
    """The marked line, and what stands in its place in the model that is well-formed."""
    lines = path.read_text(encoding="utf-8").splitlines()
    faulty = next(line for line in lines if line.rstrip().endswith(MARKER)).replace(MARKER, "").strip()
    repaired, inside = [], False
    for line in lines:
        if line.startswith("#else"):
            inside = True
        elif line.startswith("#endif"):
            inside = False
        elif inside:
            repaired.append(line)
    indent = min((len(line) - len(line.lstrip()) for line in repaired if line.strip()), default=0)
    return faulty, "\n".join(line[indent:] for line in repaired)


def sentence_of(path):
    """What the compiler says, without the place in the file; a call's sentence has none."""
    return expected_sentence(path).removeprefix(f"{path.name}:").lstrip("0123456789: ")


def error(name, repair="cpp"):
    path = ROOT / "tests" / "compile_fail" / f"{name}.cpp"
    faulty, repaired = faulty_and_repaired(path)
    shown = f'```cpp title="Refused"\n{faulty}\n```\n\n!!! failure ""\n    {sentence_of(path)}\n'
    return shown + (f'\n```{repair} title="Instead"\n{repaired}\n```\n' if repaired else "")


def all_errors():
    """Every ill-formed model of the tests, by the word that its sentence begins with. Mistakes for which the compiler has words of its
    own are left out."""
    by_word = {}
    for path in sorted((ROOT / "tests" / "compile_fail").glob("*.cpp")):
        if OWN.search(path.read_text(encoding="utf-8")):
            continue
        word = re.match(r"([a-z_0-9]+)( \"[^\"]*\")?: ", sentence_of(path))
        word = word.group(1) if word else "more than one word"
        by_word.setdefault(word, []).append(path.stem)
    parts = [f"## {word}\n\n" + "\n".join(error(name, "text") for name in names) for word, names in sorted(by_word.items())]
    return (ROOT / "docs" / "site" / "errors.md").read_text(encoding="utf-8") + "\n" + "\n".join(parts)


def block(match):
    kind, text = match.group(1).strip(), match.group(2)
    if kind == "errors":
        return "\n".join(error(name) for name in text.split())
    if kind.startswith("c++ "):
        return f'```cpp title="{kind.removeprefix("c++ ")}"\n{text}```'
    if kind == "cpp ill-formed":
        return f'```cpp title="Refused"\n{text}```'
    return match.group(0)


def on_files(files, config, **_):
    for source, page in ELSEWHERE.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "errors.md", content=all_errors()))
    for picture in sorted((ROOT / PICTURES).glob("*.svg")):
        files.append(File.generated(config, f"pictures/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown, page, **_):
    to_top = "../" * page.file.src_uri.count("/")
    markdown = LINK.sub(lambda link: f"]({to_top}{ELSEWHERE[link.group(1)]}" if link.group(1) in ELSEWHERE else link.group(0), markdown)
    return FENCE.sub(block, markdown)
