#!/usr/bin/env python3
"""Libraries as files: library_test.py BUILD CMAKE NM EMBED

What they define, what they need, and what they are where they are installed: a program in C finds them by pkg-config.
"""

import math
import os
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools"))
from weight_files import save_safetensors  # noqa: E402

SOURCES = pathlib.Path(__file__).parent
LIBRARIES = ["tiny_embedding", "tiny_filtering", "tiny_writing"]


def output_of(*words, **how):
    run = subprocess.run(list(map(str, words)), capture_output=True, text=True, **how)
    assert run.returncode == 0, run.stderr
    return run.stdout


def float32(text):
    return struct.unpack("f", struct.pack("f", float(text)))[0]


def declared(header):
    """The functions of a header."""
    text = re.sub(r"/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
    return set(re.findall(r"\b(\w+)\([^;{]*\);", text))


class Libraries(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.TemporaryDirectory()
        cls.prefix = pathlib.Path(cls.place.name)
        for name in LIBRARIES:
            output_of(CMAKE, "--install", BUILD, "--component", name, "--prefix", cls.prefix)
        cls.folder = next(cls.prefix.rglob("libtiny_embedding.so")).parent

    @classmethod
    def tearDownClass(cls):
        cls.place.cleanup()

    def test_defines_what_its_header_declares_and_nothing_else(self):
        for name in LIBRARIES:
            functions = declared(self.prefix / "include" / f"{name}.h")
            self.assertRegex((self.prefix / "include" / f"{name}.h").read_text(), rf"^/\* {name}: tiny::\w+, made by Fovea \d")
            self.assertIn(f"{name}_open", functions)
            for file, options in (f"lib{name}.so", ["-D"]), (f"lib{name}.a", ["-g"]):
                with self.subTest(file=file):
                    listed = output_of(NM, "--defined-only", "--format=just-symbols", *options, self.folder / file).split()
                    found = {symbol for symbol in listed if not symbol.endswith(":")}
                    self.assertEqual(found, functions)

    def test_static_needs_the_libraries_of_c_alone(self):
        def needed(name):
            told = output_of("readelf", "-d", self.folder / f"lib{name}.so")
            return {re.sub(r"\.so.*", "", library) for library in re.findall(r"NEEDED.*\[(.*)\]", told)}

        of_c = {"libc", "libm", "ld-linux-x86-64", "ld-linux-aarch64"}
        self.assertLessEqual(needed("tiny_filtering"), of_c)
        self.assertTrue({"libstdc++", "libc++"} & needed("tiny_embedding"))

    def test_headers_stand_alone_in_c_and_in_cpp(self):
        source = self.prefix / "alone"
        for compiler, language, options in (("cc", "c", ["-std=c99"]), ("c++", "c++", ["-std=c++11"])):
            for name in LIBRARIES:
                source.write_text(f"#include <{name}.h>\n#include <{name}.h>\nint main(void) {{ return {name}_version() == 0; }}\n")
                words = [compiler, "-x", language, *options, "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{self.prefix}/include"]
                output_of(*words, "-fsyntax-only", source)
                listed = output_of(*words, "-M", source)
                found = {pathlib.Path(path).name for path in listed.split() if path.startswith(str(self.prefix))}
                self.assertEqual(found, {f"{name}.h", "alone"})

    def test_a_program_in_c_gives_what_the_program_prints(self):
        draw = random.Random(3)

        def drawn(name, shapes):
            values = {key: [draw.uniform(-1, 1) for _ in range(math.prod(shape))] for key, shape in shapes.items()}
            return save_safetensors(self.prefix / name, {key: ("F32", shapes[key], values[key]) for key in shapes})

        embedder = drawn("embedder", {"words.weight": [8, 4]})
        filters = drawn("filter", {"conv.weight": [3, 2, 5], "conv.bias": [3]})
        how = {**os.environ, "PKG_CONFIG_PATH": str(self.folder / "pkgconfig"), "LD_LIBRARY_PATH": str(self.folder)}
        printed = []
        for static in [], ["--static"]:
            flags = output_of("pkg-config", *static, "--cflags", "--libs", *LIBRARIES[:2], env=how).split()
            if static:  # the archives that lie beside the shared libraries
                flags = [f"-l:lib{flag[2:]}.a" if flag.startswith("-ltiny") else flag for flag in flags]
            program = self.prefix / f"program{''.join(static)}"
            output_of("cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Werror", SOURCES / "embeds.c", "-o", program, *flags)
            # [CLS] one two five [SEP]
            printed.append(output_of(program, embedder, filters, 1, 3, 4, 7, 2, env=how).splitlines())
        self.assertEqual(printed[0], printed[1])
        self.assertEqual(len(printed[0]), 5)
        right = output_of(PROGRAM, "--weights", embedder, input="one two five\n").split()
        self.assertEqual([float32(number) for number in printed[0][0].split()], [float32(number) for number in right])
        wrong = subprocess.run([program, filters, filters, "1"], capture_output=True, text=True)
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("words.weight", wrong.stderr)


if __name__ == "__main__":
    BUILD, CMAKE, NM, PROGRAM = sys.argv[1:5]
    unittest.main(argv=sys.argv[:1])
