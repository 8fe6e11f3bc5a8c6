#!/usr/bin/env python3
"""Each sentence of the library has a number of its own, and each number that an ill-formed model announces is one of them."""

import pathlib
import re
import unittest

from sentence_numbers import sentences

ANNOUNCED = re.compile(r"^// .*\[F(\d{4})\]$", re.MULTILINE)


class Numbers(unittest.TestCase):
    def test_each_is_given_once(self):
        self.assertEqual({number: given for number, given in sentences().items() if len(given) != 1}, {})

    def test_none_is_left_out(self):
        numbers = sorted(sentences())
        self.assertEqual(numbers, list(range(1, len(numbers) + 1)), "the next sentence takes the next number")

    def test_announced_ones_exist(self):
        known = set(sentences())
        for path in sorted(pathlib.Path(__file__).parent.glob("*.cpp")):
            for number in ANNOUNCED.findall(path.read_text(encoding="utf-8")):
                self.assertIn(int(number), known, path.name)


if __name__ == "__main__":
    unittest.main()
