#!/usr/bin/env python3
"""Checks pages of Markdown against the code.

Blocks marked
    cpp               compile
    cpp ill-formed    are refused with the sentence that the block after them shows
    c++ HEADER        are declarations, a line each, that stand in this header
    errors            are sentences that ill-formed models in tests/compile_fail announce, each behind its number; all in errors.md
Pages below words/ have the sections that each word's page has, in their order, and each section says something.
"""

import argparse
import concurrent.futures
import functools
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "compile_fail"))
from check import PRECOMPILED, Compiler, announced  # noqa: E402

BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SECTIONS = ["Signature", "Shapes", "Parameters", "Formula", "Errors", "Streams and learns", "Example"]
PLACE = re.compile(r",source_place(at|where)=\{__builtin_FILE\(\),__builtin_LINE\(\)\}")


class Wrong(Exception):
    """The page says what is not so."""


class BlockCompiler:
    """Compiles blocks, each as a file of the page's name."""

    def __init__(self, command, include, folder):
        self.folder = pathlib.Path(folder)
        self.compiler = Compiler([command, "-std=c++20", f"-I{include}", f"-I{folder}", "-DFOVEA_UNOPTIMISED"], self.folder)
        for header in PRECOMPILED:
            self.compiler.precompile(header)

    def compile(self, page, number, kind, code):
        source = self.folder / f"{page.stem}_{number}" / (page.stem + ".cpp")
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(code)
        return self.compiler.compile(source, ill_formed=kind != "cpp")


def without_spaces(code):
    return re.sub(r"\s+", "", code)


def check_program(compiler, page, number, kind, code, following):
    run = compiler.compile(page, number, kind, code)
    if kind == "cpp":
        if run.returncode != 0:
            raise Wrong(f"{page}: block {number} does not compile:\n{run.stderr}")
        return
    errors = [line for line in run.stderr.splitlines() if "error:" in line]
    found = "".join(re.findall(r'part<\d+>\{+"((?:[^"\\]|\\.)*)"', errors[0])).replace('\\"', '"') if errors else ""
    if found != following.strip():
        raise Wrong(f"{page}: the ill-formed block {number} gives\n  {found}\nwhere the page shows\n  {following.strip()}")


def check_declarations(page, header, text):
    written = PLACE.sub("", without_spaces((ROOT / header).read_text(encoding="utf-8")))
    for line in text.splitlines():
        if line.strip() and without_spaces(line) not in written:
            raise Wrong(f"{page}: {header} does not declare\n  {line.strip()}")


@functools.cache
def sentences():
    """What ill-formed models announce: "F0042  cannot add ..."."""
    return {announced(path) for path in (ROOT / "tests" / "compile_fail").glob("*.cpp")} - {None}


def check_errors(page, text):
    for line in text.splitlines():
        if line not in sentences():
            raise Wrong(f"{page}: no model in tests/compile_fail announces\n  {line}")
    missing = sorted(sentences() - set(text.splitlines())) if page.name == "errors.md" else []
    if missing:
        raise Wrong(f"{page}: expected every sentence; it lacks\n  " + "\n  ".join(missing))


def check_sections(page, text):
    outside = BLOCK.sub("(block)", text)
    parts = re.split(r"^## (.*)$", outside, flags=re.MULTILINE)
    if parts[1::2] != SECTIONS:
        raise Wrong(f"{page}: its sections are {parts[1::2]}, expected {SECTIONS}")
    for name, body in zip(parts[1::2], parts[2::2]):
        if not body.strip():
            raise Wrong(f"{page}: nothing stands under {name}")


def words_listed():
    """Names in the table of docs/words/index.md."""
    listed = re.findall(r"\[`([^`]+)`\]\(\w+\.md\)", (ROOT / "docs" / "words" / "index.md").read_text(encoding="utf-8"))
    return {name for names in listed for name in names.split() if re.fullmatch(r"[\w.]+", name)}


def check(compiler, page):
    text = page.read_text(encoding="utf-8")
    for claimed in re.findall(r"(\d+) words:", text):
        if int(claimed) != len(words_listed()):
            raise Wrong(f"{page}: says {claimed} words, docs/words/index.md lists {len(words_listed())}")
    if page.parent.name == "words" and page.stem != "index":
        check_sections(page, text)
    blocks = BLOCK.findall(text)
    programs = 0
    for number, ((kind, code), (_, following)) in enumerate(zip(blocks, [*blocks[1:], ("", "")]), 1):
        if kind in ("cpp", "cpp ill-formed"):
            programs += 1
            check_program(compiler, page, number, kind, code, following)
        elif kind.startswith("c++ "):
            check_declarations(page, kind.removeprefix("c++ "), code)
        elif kind == "errors":
            check_errors(page, code)
        elif kind.startswith(("cpp", "c++")):
            raise Wrong(f"{page}: block {number} is marked `{kind}`, expected `cpp`, `cpp ill-formed` or `c++ HEADER`")
    return programs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("pages", nargs="+", type=pathlib.Path, help="pages, and folders of them")
    options = parser.parse_args()
    pages = [page for path in options.pages for page in (sorted(path.rglob("*.md")) if path.is_dir() else [path])]
    failed, programs = [], 0
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        subprocess.run(["cmake", "-P", ROOT / "packaging/single_header.cmake", f"{folder}/fovea_dsl.hpp"], check=True)
        compiler = BlockCompiler(options.compiler, options.include, folder)
        for future in [pool.submit(check, compiler, page) for page in pages]:
            try:
                programs += future.result()
            except Wrong as problem:
                failed.append(str(problem))
    if programs == 0 and not failed:
        failed.append(f"{', '.join(map(str, options.pages))}: no C++ block")
    if failed:
        sys.exit("\n".join(failed))
    print(f"{programs} blocks of {len(pages)} pages checked")
    return 0


if __name__ == "__main__":
    sys.exit(main())
