"""The pages of the words, as an editor shows one."""

import pathlib
import re

NAME = re.compile(r"[A-Za-z_]\w*")


def folder_of_pages():
    """words/ beside this program, where it is installed, or docs/words of the repository."""
    here = pathlib.Path(__file__).resolve().parent
    for folder in (here.parent / "words", here.parents[1] / "docs" / "words"):
        if (folder / "index.md").exists():
            return folder
    return None


def shown(page):
    """Its title, what the word does, and its signature."""
    before, _, rest = page.partition("\n## Signature\n")
    signature = rest.partition("\n## ")[0]
    signature = re.sub(r"^```c\+\+.*$", "```cpp", signature, flags=re.MULTILINE)
    return f"{before.strip()}\n\n{signature.strip()}"


def read_words(folder):
    """The text to show for each word: those that a page's title names."""
    words = {}
    for path in sorted(folder.glob("*.md")) if folder else []:
        page = path.read_text(encoding="utf-8")
        title = page.partition("\n")[0].removeprefix("# ")
        names = [name.rpartition(".")[2] for name in title.split()]  # of g.input, input
        if path.stem != "index":
            words.update((name, shown(page)) for name in names if NAME.fullmatch(name))
    return words


def word_at(line, character):
    """The name around a place in a line, or None."""
    return next((found.group() for found in NAME.finditer(line) if found.start() <= character <= found.end()), None)
