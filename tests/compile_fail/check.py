#!/usr/bin/env python3
"""Checks that each ill-formed model is refused with exactly the sentence it announces, and its well-formed twin is not.

A file holds both, the faulty expression on one line that ends in the marker, and the sentence that the user must see:

    // expect: {file}:{line}: cannot add [T, 768] and
    //         [T, 512]: a numbered dim fits only the same number [F0042]
    #include <fovea/dsl.hpp>
    #ifdef ILL_FORMED
    ... x + y; // <- here
    #else
    ... x + z;
    #endif

{file} stands for the file's name and {line} for the line of the marker; lines of the sentence join with one space.
The sentence ends in its number. It must stand, whole, in the first line of the compiler's output that says "error:", and no
such line may say another: one mistake, one error. (Compilers say twice what is unavailable.)

Of some mistakes the compiler has said all before a library can: a misspelt option. Such a file announces a pattern
that finds those words in the first error, which must be at the marked line:

    // expect-own: heads

What else the compiler may say behind the first error is announced, too:

    // behind: has no output

The compiler may say MOST_LINES in all, what it shows of the source not counted; a file that cannot be held to it says
how many, and why:

    // lines: 60: g++ lists every std::exp
"""

import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MARKER = "// <- here"
MOST_LINES = 12
PART = re.compile(r'part<\d+>\s*\{"((?:[^"\\]|\\.)*)"\}')
UNAVAILABLE = re.compile(r"([^/\s]+):(\d+):\d+: error: .* is unavailable: (.*)")
STATIC_ASSERTION = re.compile(r"static assertion failed(?: due to requirement '.*?')?: (.*)")
ERROR = re.compile(r"\berror: ")
OWN = re.compile(r"^// expect-own: (.*)$", re.MULTILINE)
BEHIND = re.compile(r"^// behind: (.*)$", re.MULTILINE)
ID = re.compile(r"\[(F\d{4})\]$")
LINES = re.compile(r"^// lines: (\d+): \S", re.MULTILINE)
INCLUDE = re.compile(r"^#include <(.*)>\n", re.MULTILINE)
MOST_TOGETHER = 25
PRECOMPILED = ["fovea/dsl.hpp", "fovea/fovea.hpp"]


class BadTest(Exception):
    """The file does not follow the form above."""


def marked_line(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    marked = [number for number, line in enumerate(lines, 1) if line.rstrip().endswith(MARKER)]
    if len(marked) != 1:
        raise BadTest(f"{len(marked)} lines end in '{MARKER}', expected one")
    return marked[0]


def expected_sentence(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [index for index, line in enumerate(lines) if line.startswith("// expect: ")]
    if len(starts) != 1:
        raise BadTest(f"{len(starts)} lines start with '// expect: ', expected one")
    words = [lines[starts[0]].removeprefix("// expect: ").strip()]
    for line in lines[starts[0] + 1 :]:
        if not re.match(r"//\s{2,}\S", line):
            break
        words.append(line.removeprefix("//").strip())
    if not ID.search(words[-1]):
        raise BadTest("the sentence does not end in its number, [F0001]")
    return " ".join(words).replace("{file}", path.name).replace("{line}", str(marked_line(path)))


def announced(path):
    """The sentence of a file as pages write it, "F0042  cannot add ..."; none where the compiler has words of its own."""
    if OWN.search(path.read_text(encoding="utf-8")):
        return None
    said = expected_sentence(path).removeprefix(f"{path.name}:{marked_line(path)}: ").replace(path.name, "{file}")
    return f"{ID.search(said)[1]}  {ID.sub('', said).rstrip()}"


def faults_of_errors(path, errors):
    """What is wrong with the lines that say "error:", of which there is one at least."""
    text = path.read_text(encoding="utf-8")
    behind, first = BEHIND.findall(text), sentence_of(errors[0])
    besides = [
        line
        for line in errors[1:]
        if sentence_of(line) != first and not any(re.search(p, line) or re.search(p, sentence_of(line)) for p in behind)
    ]
    faults = [f"said besides: {line}" for line in besides]
    if own := OWN.search(text):
        place = f"{path.name}:{marked_line(path)}:"
        if place not in errors[0] or not re.search(own[1], errors[0]):
            faults.append(f"expected at {place} the words {own[1]}\n   found {errors[0]}")
    elif first != (expected := expected_sentence(path)):
        faults.append(f"expected {expected}\n   found {first}\n      in {errors[0]}")
    return faults


def sentence_of(line):
    """The sentence in a compiler's error line, however that compiler spells it."""
    _, found, arguments = line.partition("ill_formed<")
    words = "".join(re.sub(r"\\(.)", r"\1", part) for part in PART.findall(arguments))
    # What may not be called is said at the place of the call.
    unavailable = UNAVAILABLE.search(line)
    if found:
        return "{}:{}: {}".format(*unavailable.groups()[:2], words) if unavailable else words
    if unavailable:
        return "{}:{}: {}".format(*unavailable.groups())
    assertion = STATIC_ASSERTION.search(line)
    return assertion.group(1) if assertion else ERROR.split(line, maxsplit=1)[1]


def flags_of(ill_formed):
    return ["-DILL_FORMED"] if ill_formed else ["-Wall", "-Wextra", "-Werror"]


class Compiler:
    """A compiler's command, and the headers that it has compiled before: the files of a folder begin alike."""

    def __init__(self, command, folder=None):
        self.command, self.folder = command, folder
        self.precompiled = set()

    def precompile(self, header):
        """Compiles a header once for the ill-formed models and once for their twins."""
        self.precompiled.add(header)
        for ill_formed in (True, False):
            made = self.folder_of(ill_formed) / f"{header}.gch"
            made.parent.mkdir(parents=True, exist_ok=True)
            # What g++ reads where a header that it has loaded is included again.
            made.with_suffix("").write_text(f"#include_next <{header}>\n", encoding="utf-8")
            unit = made.with_suffix(".unit.hpp")
            unit.write_text(f"#include <{header}>\n", encoding="utf-8")
            subprocess.run([*self.command, *flags_of(ill_formed), "-x", "c++-header", str(unit), "-o", str(made)], check=True)

    def folder_of(self, ill_formed):
        return self.folder / ("ill_formed" if ill_formed else "well_formed")

    def compile(self, path, ill_formed):
        clang = "clang" in self.command[0]
        no_excerpts = "-fno-caret-diagnostics" if clang else "-fno-diagnostics-show-caret"
        command = [*self.command, "-fsyntax-only", no_excerpts, *flags_of(ill_formed)]
        first = INCLUDE.search(path.read_text(encoding="utf-8"))
        if first and first[1] in self.precompiled:
            folder = self.folder_of(ill_formed)
            command[1:1] = ["-include-pch", f"{folder}/{first[1]}.gch"] if clang else [f"-I{folder}", "-Winvalid-pch"]
        return subprocess.run([*command, str(path)], capture_output=True, text=True, env=dict(os.environ, LC_ALL="C"))


def written_together(paths):
    """Well-formed twins as one file, each in a namespace of its own. They include the same headers."""
    texts = [path.read_text(encoding="utf-8") for path in paths]
    includes = "".join(found[0] for found in INCLUDE.finditer(texts[0]))
    bodies = [f'namespace twin_{i} {{\n{INCLUDE.sub("", text)}\n}}\n' for i, text in enumerate(texts)]
    return includes + "".join(bodies)


def groups_of_twins(paths):
    """Files that include the same headers, so many at a time as one compilation has room for."""
    alike = {}
    for path in paths:
        alike.setdefault(tuple(INCLUDE.findall(path.read_text(encoding="utf-8"))), []).append(path)
    return [files[i : i + MOST_TOGETHER] for files in alike.values() for i in range(0, len(files), MOST_TOGETHER)]


def faulty_twins(compiler, paths):
    """What the compiler says of well-formed twins, by path. It reads them together, and alone where it says something."""
    with tempfile.TemporaryDirectory() as folder:
        together = pathlib.Path(folder) / "together.cpp"
        together.write_text(written_together(paths), encoding="utf-8")
        run = compiler.compile(together, ill_formed=False)
    if run.returncode == 0 and not run.stderr:
        return {}
    alone = {path: compiler.compile(path, ill_formed=False) for path in paths}
    return {path: run.stderr for path, run in alone.items() if run.returncode != 0 or run.stderr}


def faults_of(compiler, path, twin_says=""):
    """What is wrong with how the compiler treats this file, as sentences; none where all is well."""
    text = path.read_text(encoding="utf-8")
    try:
        marked_line(path)
        if not OWN.search(text):
            expected_sentence(path)
    except BadTest as fault:
        return [str(fault)]
    faults = ["the well-formed twin does not compile cleanly:\n" + twin_says] if twin_says else []
    refused = compiler.compile(path, ill_formed=True)
    errors = [line for line in dict.fromkeys(refused.stderr.splitlines()) if ERROR.search(line)]
    if refused.returncode == 0 or not errors:
        faults.append("the ill-formed model compiles")
        return faults
    faults += faults_of_errors(path, errors)
    said = [line for line in dict.fromkeys(refused.stderr.splitlines()) if line]
    most = int(LINES.search(text)[1]) if LINES.search(text) else MOST_LINES
    if len(said) > most:
        faults.append(f"{len(said)} lines of the compiler, expected at most {most}:\n" + refused.stderr)
    return faults


def faults_of_all(compiler, paths, jobs=1, twins=True):
    """What is wrong with how the compiler treats each of these files."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        says = {}
        for found in pool.map(lambda group: faulty_twins(compiler, group), groups_of_twins(paths) if twins else []):
            says.update(found)
        return list(pool.map(lambda path: faults_of(compiler, path, says.get(path, "")), paths))


def check(command, paths, jobs, twins):
    """Checks every file, prints what is wrong, and returns the number of files at fault."""
    at_fault = 0
    with tempfile.TemporaryDirectory() as folder:
        compiler = Compiler(command, pathlib.Path(folder))
        for header in PRECOMPILED:
            compiler.precompile(header)
        for path, faults in zip(paths, faults_of_all(compiler, paths, jobs, twins)):
            at_fault += bool(faults)
            for fault in faults:
                print(f"{path.name}: {fault}")
    print(f"{' '.join(command)}: {len(paths)} ill-formed models, {at_fault} at fault")
    return at_fault


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", required=True)
    parser.add_argument("--standard", required=True, help="c++20, c++26")
    parser.add_argument("--include", required=True, help="the folder that holds fovea/")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--every", type=int, default=1, help="check every so manieth file alone")
    parser.add_argument("--no-twins", action="store_true", help="leave the well-formed twins to another compiler's run")
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    options = parser.parse_args()
    command = [options.compiler, f"-std={options.standard}", f"-I{options.include}", "-DFOVEA_UNOPTIMISED"]
    return 1 if check(command, sorted(options.files)[:: options.every], options.jobs, not options.no_twins) else 0


if __name__ == "__main__":
    sys.exit(main())
