#!/usr/bin/env python3
"""Libraries for Windows: windows_test.py OBJDUMP EMBEDS [EMULATOR]

What they show, what they need, and that a program in C beside them runs with two of them.
"""

import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "tools"))
from library_test import declared, output_of  # noqa: E402
from weight_files import save_safetensors  # noqa: E402

# What each Windows has.
OF_WINDOWS = r"KERNEL32|msvcrt|ADVAPI32|SHELL32|api-ms-win-.*"


class Libraries(unittest.TestCase):
    def test_defines_what_its_header_declares_and_nothing_else(self):
        for name in "tiny_embedding", "tiny_filtering", "tiny_writing":
            functions = declared(FOLDER / f"{name}_library" / "include" / f"{name}.h")
            self.assertIn(f"{name}_open", functions)
            told = output_of(OBJDUMP, "-p", FOLDER / f"lib{name}.dll")
            shown = told[told.index("[Ordinal/Name Pointer] Table") :]
            self.assertEqual(set(re.findall(r"^\s*\[ *\d+\] (?:\+base\[ *\d+\] +)?(?:[0-9a-f]+ )?(\w+)$", shown, flags=re.M)), functions)
            for library in re.findall(r"DLL Name: (.*)\.dll", told, flags=re.I):
                self.assertRegex(library, rf"^({OF_WINDOWS})$")

    def test_a_program_in_c_calls_two_of_them(self):
        draw = random.Random(3)
        with tempfile.TemporaryDirectory() as place:

            def drawn(file, shapes):
                values = {key: [draw.uniform(-1, 1) for _ in range(math.prod(shape))] for key, shape in shapes.items()}
                return save_safetensors(pathlib.Path(place) / file, {key: ("F32", shapes[key], values[key]) for key in shapes})

            embedder = drawn("embedder", {"words.weight": [8, 4]})
            filters = drawn("filter", {"conv.weight": [3, 2, 5], "conv.bias": [3]})
            lines = output_of(*EMULATOR, EMBEDS, embedder, filters, 1, 3, 4, 7, 2).splitlines()
            self.assertEqual([len(line.split()) for line in lines], [4, 3, 3, 3, 3])
            self.assertTrue(all(math.isfinite(float(number)) for line in lines for number in line.split()))
            wrong = subprocess.run([*EMULATOR, EMBEDS, filters, filters, "1"], capture_output=True, text=True)
            self.assertEqual(wrong.returncode, 1)
            self.assertIn("words.weight", wrong.stderr)


if __name__ == "__main__":
    OBJDUMP, EMBEDS = sys.argv[1], pathlib.Path(sys.argv[2])
    FOLDER = EMBEDS.parent
    EMULATOR = sys.argv[3:]
    unittest.main(argv=sys.argv[:1])
