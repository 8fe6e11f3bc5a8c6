#!/usr/bin/env python3
"""What fovea_dsl.hpp gives: single_header_test.py COMPILER [EVERY]

It compiles alone, has each header once, and says of an ill-formed model what the ordinary headers say, line for line. So
manieth of the ill-formed models of tests/compile_fail that include <fovea/dsl.hpp> alone are asked, EVERY or all.
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]
ROOT = TESTS.parent
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
FROM = re.compile(r"^(In file included from |\s+from )")
PLACE = re.compile(r"[^\s'‘(]*(fovea/[\w/]+|fovea_dsl)\.hpp(:\d+:\d+|:\d+)?")
EXCERPT = re.compile(r"^ *\d+ \|", re.MULTILINE)


def substance(text):
    """The lines of a header less what one header of many leaves out: includes, what held one alone, empty lines."""
    text = re.sub(r"^#(include <.*>|pragma once)$", "", text, flags=re.MULTILINE)
    text = re.sub(r"^#ifdef \w+\n+#endif$", "", text, flags=re.MULTILINE)
    return re.sub(r"\n+", "\n", text).strip()


def make(header):
    subprocess.run(["cmake", "-P", ROOT / "packaging/single_header.cmake", header], check=True)


def message(compiler, include, path):
    """All that the compiler says of an ill-formed model, but for where in the library's headers a line stands."""
    command = [compiler, "-std=c++20", "-fsyntax-only", "-DILL_FORMED", f"-I{include}", path]
    said = subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ, LC_ALL="C")).stderr
    lines = [line for line in said.splitlines() if not FROM.match(line)]
    return PLACE.sub("HEADER", EXCERPT.sub("|", "\n".join(lines)))


class SingleHeader(unittest.TestCase):
    compiler, every = "g++", 1

    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.kept.name)
        make(cls.folder / "fovea_dsl.hpp")

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    def test_compiles_alone_in_two_units(self):
        sources = sorted((TESTS / "package/single_header").glob("*.cpp"))
        program = self.folder / "program"
        subprocess.run([self.compiler, "-std=c++20", *WARNINGS, f"-I{self.folder}", *sources, "-o", program], check=True)
        self.assertEqual(subprocess.run([program], check=False).returncode, 0)

    def test_is_quiet_as_a_part_of_the_main_file(self):
        whole = self.folder / "whole.cpp"
        whole.write_text((self.folder / "fovea_dsl.hpp").read_text(encoding="utf-8") + "int main() {}\n", encoding="utf-8")
        subprocess.run([self.compiler, "-std=c++20", *WARNINGS, "-fsyntax-only", whole], check=True)

    def test_has_each_header_once_and_no_other(self):
        text = (self.folder / "fovea_dsl.hpp").read_text(encoding="utf-8")
        found = re.findall(r"^// ==== (fovea/\S+)$", text, re.MULTILINE)
        unit = "".join(f"#include <fovea/models/{path.name}>\n" for path in (ROOT / "models").glob("*.hpp"))
        command = [self.compiler, "-std=c++20", f"-I{ROOT / 'include'}", "-DFOVEA_SHAPES", "-MM", "-x", "c++", "-"]
        reached = subprocess.run(command, input=unit, capture_output=True, text=True, check=True).stdout
        names = {f"fovea/{name}" for name in re.findall(r"include/fovea/(\S+\.hpp)", reached)}
        self.assertEqual(sorted(found), sorted(names))
        whole = substance(text)
        for name in found:
            self.assertIn(substance((ROOT / "include" / name).read_text(encoding="utf-8")), whole, name)
        self.assertEqual([name for name in re.findall(r"#include (.*)", text) if not re.fullmatch(r"<[a-z_]+>", name)], [])

    def test_says_what_the_ordinary_headers_say(self):
        (self.folder / "fovea").mkdir()
        (self.folder / "fovea/dsl.hpp").write_text('#include "../fovea_dsl.hpp"\n', encoding="utf-8")
        ill_formed = []
        for path in sorted((TESTS / "compile_fail").glob("*.cpp")):
            if re.findall(r"#include <(fovea/.*)>", path.read_text(encoding="utf-8")) == ["fovea/dsl.hpp"]:
                ill_formed.append(path)
        self.assertGreater(len(ill_formed), 100)
        for path in ill_formed[:: self.every]:
            with self.subTest(path.name):
                expected = message(self.compiler, ROOT / "include", path)
                self.assertIn("error:", expected)
                self.assertEqual(message(self.compiler, self.folder, path), expected)


if __name__ == "__main__":
    SingleHeader.compiler = sys.argv[1]
    SingleHeader.every = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    unittest.main(argv=sys.argv[:1])
